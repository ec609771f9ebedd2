package mem

import (
	"context"
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// morselBatches is how many batches a worker claims at a time.
const morselBatches = 16

// defaultBatchRows is the size of batches when a request does not say.
const defaultBatchRows = 4096

// Scan reads the table in morsels of morselBatches batches. A batch ends early where a chunk of one of its columns ends. Filters, static and
// dynamic, choose among the morsels by the bounds of their columns; the dynamic ones also among the rows. The table must stay acquired until the scan and all its batches are done with.
func (t *Table) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &scan{rows: t.rows, batchRows: int64(request.BatchRows), request: request}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	// The planner asks for whole columns only.
	for _, path := range request.Columns {
		if path.Column < 0 || path.Column >= len(t.columns) || len(path.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", path.Column, path.Fields, len(t.columns))
		}
		s.columns = append(s.columns, &t.columns[path.Column])
	}
	return s, nil
}

// scan hands out ranges of rows.
type scan struct {
	columns   []*column
	rows      int64
	batchRows int64
	request   catalog.ScanRequest
	skipped   atomic.Int64
	next      atomic.Int64 // number of the next morsel
}

// Ordered says that no order is known.
func (s *scan) Ordered() bool { return false }

// Next claims the next range of rows.
func (s *scan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	number := s.next.Add(1) - 1
	size := s.batchRows * morselBatches
	start := number * size
	if start >= s.rows || nothingMatters(s.request.Dynamic) {
		return nil, nil
	}
	m := &morsel{scan: s, number: int(number), row: start, end: min(start+size, s.rows), chunks: make([]int, len(s.columns))}
	for i, c := range s.columns {
		m.chunks[i] = c.find(start)
	}
	return m, nil
}

// Skipped gives the rows of the morsels that the filters have left out.
func (s *scan) Skipped() int64 { return s.skipped.Load() }

// Close has nothing to give back: the arrays are the table's.
func (s *scan) Close() error { return nil }

// mayMatch asks the bounds of a morsel about the filters. Morsels of other than the default size have none.
func (s *scan) mayMatch(m *morsel) bool {
	if len(s.request.Filters) == 0 && len(s.request.Dynamic) == 0 {
		return true
	}
	bounds := func(column int) (catalog.Bounds, bool) {
		if s.batchRows != defaultBatchRows {
			return catalog.Bounds{}, false
		}
		return s.columns[column].zone(m.number)
	}
	return mayMatch(s.request, bounds)
}

// morsel is a range of rows on its way through the chunks of each column.
type morsel struct {
	scan     *scan
	number   int
	batches  int
	row, end int64
	chunks   []int // of each column, the chunk that holds row
}

// Number gives the morsel's place in the table.
func (m *morsel) Number() int { return m.number }

// Next gives the next batch with rows that matter. Its vectors borrow the table's memory and the pool's.
func (m *morsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	// Here and not in scan.Next: to find out bounds takes time, which workers spend side by side.
	if m.batches == 0 && m.row < m.end && !m.scan.mayMatch(m) {
		m.scan.skipped.Add(m.end - m.row)
		m.row = m.end
	}
	for m.row < m.end {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch, err := m.batch(pool)
		if err != nil {
			return nil, err
		}
		if batch = narrowed(pool, batch, m.scan.request.Dynamic); batch.Selected > 0 {
			return batch, nil
		}
	}
	return nil, nil
}

// batch gives the next rows.
func (m *morsel) batch(pool *types.Pool) (*types.Batch, error) {
	n := min(m.scan.batchRows, m.end-m.row)
	for i, c := range m.scan.columns {
		k := &c.chunks[m.chunks[i]]
		if m.row == k.start+int64(k.rows) {
			m.chunks[i]++
			k = &c.chunks[m.chunks[i]]
		}
		n = min(n, k.start+int64(k.rows)-m.row)
	}
	vectors := make([]*types.Vector, len(m.scan.columns))
	for i, c := range m.scan.columns {
		k := &c.chunks[m.chunks[i]]
		v, err := k.rowsAt(int(m.row-k.start), int(n), c.field, pool)
		if err != nil {
			return nil, k.located(err, c.field, int(m.row-k.start))
		}
		vectors[i] = v
	}
	batch := types.NewBatch(vectors, int(n), types.MakeSequence(m.number, m.batches))
	m.row += n
	m.batches++
	return batch, nil
}
