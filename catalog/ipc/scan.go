package ipc

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// defaultBatchRows is the size of batches when a request does not say.
const defaultBatchRows = 4096

// Scan reads a record batch a morsel: of it only the wanted columns.
func (t *table) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	for _, c := range request.Columns {
		// The planner asks for whole columns only.
		if c.Column < 0 || c.Column >= len(t.schema) || len(c.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", c.Column, c.Fields, len(t.schema))
		}
	}
	file, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	s := &scan{table: t, file: file, request: request, batchRows: request.BatchRows, wanted: make([]bool, len(t.schema))}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	for _, c := range request.Columns {
		s.wanted[c.Column] = true
	}
	return s, nil
}

type scan struct {
	table     *table
	file      catalog.File
	request   catalog.ScanRequest
	batchRows int
	wanted    []bool
	next      atomic.Int64
}

// Ordered says that no order is known.
func (s *scan) Ordered() bool { return false }

// Next claims the next record batch.
func (s *scan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	number := int(s.next.Add(1) - 1)
	if number >= len(s.table.layout.batches) {
		return nil, nil
	}
	return &morsel{scan: s, number: number, rows: int(s.table.layout.batches[number].rows)}, nil
}

// Close closes the file.
func (s *scan) Close() error { return s.file.Close() }

// morsel is a record batch.
type morsel struct {
	scan    *scan
	number  int
	rows    int
	columns []*types.Vector // of all rows, once read
	row     int
	batches int
	held    int64 // bytes that are reserved
}

// Number gives the record batch's number.
func (m *morsel) Number() int { return m.number }

// Next gives the next rows. The vectors are slices of the record batch's, which lie on the garbage-collected heap.
func (m *morsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if err := ctx.Err(); err != nil || m.row == m.rows {
		return nil, err
	}
	if m.columns == nil {
		var err error
		if m.columns, err = m.read(ctx); err != nil {
			return nil, within(err, "file %q: record batch %d", m.scan.table.path, m.number)
		}
	}
	end := min(m.row+m.scan.batchRows, m.rows)
	vectors := make([]*types.Vector, len(m.columns))
	for i, v := range m.columns {
		vectors[i] = v.Slice(pool, m.row, end)
	}
	b := types.NewBatch(vectors, end-m.row, types.MakeSequence(m.number, m.batches))
	if m.row, m.batches = end, m.batches+1; end == m.rows {
		// The last batch may still be in use, but no other of the record batch's buffers will be read.
		m.columns = nil
		err := m.scan.request.Reserve(-m.held)
		m.held = 0
		return b, err
	}
	return b, nil
}

// read reads the wanted columns. What import checks of them is everything that a later read relies on.
func (m *morsel) read(ctx context.Context) ([]*types.Vector, error) {
	t, file := m.scan.table, m.scan.file
	columns := make([]*types.Vector, 0, len(m.scan.request.Columns))
	if len(m.scan.request.Columns) == 0 {
		return columns, nil
	}
	b := &t.layout.batches[m.number]
	walk := newWalker(b, t.layout.ids)
	parts := make([]*part, len(t.schema))
	var read []*part
	for i, f := range t.layout.schema.Fields() {
		p, err := walk.part(f.Type, m.scan.wanted[i], 0)
		if err != nil {
			return nil, within(err, "column %s", types.QuoteIdent(f.Name))
		}
		if parts[i] = p; p != nil {
			if int64(p.rows) != b.rows {
				return nil, corrupt("column %s has %d rows, the batch %d", types.QuoteIdent(f.Name), p.rows, b.rows)
			}
			read = append(read, p)
		}
	}
	body, err := b.read(ctx, file, read)
	if err != nil {
		return nil, err
	}
	if m.held, err = body.memory(read); err == nil {
		err = m.scan.request.Reserve(m.held)
	}
	if err != nil {
		m.held = 0
		return nil, err
	}
	dictionary := func(id int64) (arrow.ArrayData, error) {
		return t.dictionary(ctx, file, id, b.dictionaries, &m.scan.request)
	}
	vectors := make([]*types.Vector, len(t.schema))
	for i, f := range t.schema {
		if !m.scan.wanted[i] {
			continue
		}
		data, err := body.data(parts[i], dictionary)
		if err == nil {
			vectors[i], err = types.ImportData(data, types.ImportOptions{Type: f.Type})
		}
		if err == nil {
			err = types.CheckRequired(nil, vectors[i], f)
		}
		if err != nil {
			return nil, within(err, "column %s", types.QuoteIdent(f.Name))
		}
		vectors[i] = types.Sanitize(nil, vectors[i], f)
	}
	for _, c := range m.scan.request.Columns {
		columns = append(columns, vectors[c.Column])
	}
	return columns, nil
}
