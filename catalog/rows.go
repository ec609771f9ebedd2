package catalog

import (
	"context"
	"sync/atomic"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// NewRows makes a table of rows in memory, with values as types.FromValues takes them. It is never changed.
func NewRows(schema types.Schema, rows [][]any) (Table, error) {
	t := &rowsTable{schema: schema, rows: len(rows), columns: make([]*types.Vector, len(schema))}
	values := make([]any, len(rows))
	for c, f := range schema {
		for i, row := range rows {
			values[i] = row[c]
		}
		var err error
		if t.columns[c], err = types.FromValues(nil, f.Type, values); err != nil {
			return nil, err
		}
	}
	return t, nil
}

type rowsTable struct {
	schema  types.Schema
	columns []*types.Vector
	rows    int
}

// Schema gives the columns.
func (t *rowsTable) Schema() types.Schema { return t.schema }

// Statistics gives the number of rows.
func (t *rowsTable) Statistics() Statistics {
	return Statistics{Rows: int64(t.rows), RowsConfidence: Exact, Source: "memory"}
}

// Applies accepts no filter.
func (t *rowsTable) Applies(*expr.Expr) bool { return false }

// Scan gives the rows in one morsel.
func (t *rowsTable) Scan(_ context.Context, request ScanRequest) (Scan, error) {
	s := &rowsScan{table: t, request: request}
	for _, c := range request.Columns {
		if c.Column < 0 || c.Column >= len(t.columns) || len(c.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", c.Column, c.Fields, len(t.columns))
		}
	}
	return s, nil
}

type rowsScan struct {
	table   *rowsTable
	request ScanRequest
	claimed atomic.Bool
}

// Ordered says that no order is known.
func (s *rowsScan) Ordered() bool { return false }

// Next claims the rows.
func (s *rowsScan) Next(ctx context.Context) (Morsel, error) {
	if err := ctx.Err(); err != nil || s.claimed.Swap(true) {
		return nil, err
	}
	return &rowsMorsel{scan: s}, nil
}

// Close does nothing.
func (s *rowsScan) Close() error { return nil }

type rowsMorsel struct {
	scan    *rowsScan
	row     int
	batches int
}

// Number gives 0.
func (m *rowsMorsel) Number() int { return 0 }

// Next gives the next rows, as slices of the table's vectors.
func (m *rowsMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	t, size := m.scan.table, m.scan.request.BatchRows
	if size <= 0 {
		size = 4096
	}
	if err := ctx.Err(); err != nil || m.row == t.rows {
		return nil, err
	}
	end := min(m.row+size, t.rows)
	columns := make([]*types.Vector, len(m.scan.request.Columns))
	for i, c := range m.scan.request.Columns {
		columns[i] = t.columns[c.Column].Slice(pool, m.row, end)
	}
	b := types.NewBatch(columns, end-m.row, types.MakeSequence(0, m.batches))
	m.row, m.batches = end, m.batches+1
	return b, nil
}
