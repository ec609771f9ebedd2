package exec

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// openScan starts the scan of a table. Its batches are checked against the plan's schema: a source that breaks its contract must not reach the
// kernels.
func (q *Execution) openScan(p *plan.TableScan) func(context.Context) (source, error) {
	return func(ctx context.Context) (source, error) {
		request := p.Request
		request.BatchRows = q.options.BatchRows
		request.Memory = q.account(p.Number)
		for _, d := range p.Dynamic {
			filter := &catalog.DynamicFilter{Column: d.Column}
			if state := q.filters[d.Filter].Load(); state != nil {
				filter.Publish(state)
			}
			request.Dynamic = append(request.Dynamic, filter)
		}
		scan, err := p.Table.Scan(ctx, request)
		if err != nil {
			return nil, err
		}
		return &tableSource{Scan: scan, query: q, operator: p.Number, schema: p.Output}, nil
	}
}

type tableSource struct {
	catalog.Scan
	query    *Execution
	operator int
	schema   types.Schema
}

// Close closes the scan, with a note of what it has skipped.
func (s *tableSource) Close() error {
	if skipper, ok := s.Scan.(catalog.Skipper); ok {
		s.query.lock.Lock()
		s.query.metrics[s.operator].Skipped += skipper.Skipped()
		s.query.lock.Unlock()
	}
	return s.Scan.Close()
}

func (s *tableSource) Next(ctx context.Context) (catalog.Morsel, error) {
	m, err := s.Scan.Next(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return &checkedMorsel{Morsel: m, schema: s.schema}, nil
}

type checkedMorsel struct {
	catalog.Morsel
	schema types.Schema
}

func (m *checkedMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	b, err := m.Morsel.Next(ctx, pool)
	if b == nil || err != nil {
		return nil, err
	}
	return b, checkBatch(m.schema, b)
}

// openValues evaluates literal rows.
func (q *Execution) openValues(p *plan.ValuesScan) func(context.Context) (source, error) {
	return func(ctx context.Context) (source, error) {
		var batches []*types.Batch
		for start := 0; start < len(p.Rows); start += q.options.BatchRows {
			rows := p.Rows[start:min(len(p.Rows), start+q.options.BatchRows)]
			columns := make([]*types.Vector, len(p.Output))
			for i := range columns {
				values := make([]*types.Vector, len(rows))
				for r, row := range rows {
					e := row[i]
					if e.Op == expr.Constant {
						values[r] = e.Value
						continue
					}
					v, err := expr.Evaluate(e)
					if err != nil {
						return nil, err
					}
					values[r] = v
				}
				columns[i] = kernels.Concat(&kernels.Env{}, values)
			}
			batches = append(batches, types.NewBatch(columns, len(rows), 0))
		}
		return newBatchSource(batches), nil
	}
}

// batchSource gives batches that are in memory, each as a morsel.
type batchSource struct {
	batches []*types.Batch
	next    int
}

func newBatchSource(batches []*types.Batch) *batchSource { return &batchSource{batches: batches} }

func (s *batchSource) Next(context.Context) (catalog.Morsel, error) {
	if s.next == len(s.batches) {
		return nil, nil
	}
	m := &funcMorsel{number: s.next}
	b := s.batches[s.next]
	m.next = func(*types.Pool) (*types.Batch, error) {
		c := *b
		return &c, nil
	}
	s.next++
	return m, nil
}

func (s *batchSource) Close() error { return nil }

// funcMorsel is a morsel of one batch, which next makes.
type funcMorsel struct {
	number int
	next   func(*types.Pool) (*types.Batch, error)
}

func (m *funcMorsel) Number() int { return m.number }

func (m *funcMorsel) Next(_ context.Context, pool *types.Pool) (*types.Batch, error) {
	if m.next == nil {
		return nil, nil
	}
	next := m.next
	m.next = nil
	return next(pool)
}

// rangeSource gives total rows in batches that make makes from half-open ranges, each as a morsel.
type rangeSource struct {
	total, size int
	chunk       int // no range crosses a multiple of it; 0: they may be anywhere
	make        func(pool *types.Pool, from, to int) (*types.Batch, error)
	at, number  int
}

func (s *rangeSource) Next(context.Context) (catalog.Morsel, error) {
	if s.at >= s.total {
		return nil, nil
	}
	from, to := s.at, min(s.total, s.at+s.size)
	if s.chunk > 0 {
		to = min(to, (from/s.chunk+1)*s.chunk)
	}
	m := &funcMorsel{number: s.number, next: func(pool *types.Pool) (*types.Batch, error) { return s.make(pool, from, to) }}
	s.at, s.number = to, s.number+1
	return m, nil
}

func (s *rangeSource) Close() error { return nil }
