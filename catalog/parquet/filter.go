package parquet

import (
	"slices"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// canApply reports whether a scan may evaluate a condition: it must not fail, and must give the same each time.
func canApply(e *expr.Expr) bool { return !e.CanFail() && isStable(e) }

func isStable(e *expr.Expr) bool {
	switch e.Op {
	case expr.Parameter, expr.OuterColumn, expr.Subquery:
		return false
	case expr.Call:
		if e.Function.Volatile {
			return false
		}
	}
	for _, a := range e.Args {
		if !isStable(a) {
			return false
		}
	}
	return true
}

// columnsOf gives the columns that a condition reads.
func columnsOf(e *expr.Expr) []int {
	var columns []int
	var walk func(*expr.Expr)
	walk = func(e *expr.Expr) {
		if e.Op == expr.Column && !slices.Contains(columns, e.Column) {
			columns = append(columns, e.Column)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return columns
}

// filter selects the rows of a batch that pass the filters, one filter after the other. read is called for each column that is needed,
// as long as any row is left.
func (m *morsel) filter(pool *types.Pool, batch *types.Batch, read func(column int) error) error {
	for i, f := range m.scan.filters {
		for _, c := range f.columns {
			if err := read(c); err != nil {
				return err
			}
		}
		rows, err := m.evaluators[i].Select(batch)
		if err != nil {
			return err
		}
		if selectRows(batch, rows); batch.Selected == 0 {
			return nil
		}
	}
	for _, d := range m.scan.dynamic {
		state := d.State()
		switch {
		case state == nil:
			continue
		case state.Empty:
			batch.Selected = 0
			return nil
		}
		if err := read(d.Column); err != nil {
			return err
		}
		if selectRows(batch, dynamicRows(pool, batch, d.Column, state)); batch.Selected == 0 {
			return nil
		}
	}
	return nil
}

// selectRows narrows a batch to rows, of those that it has selected (nil = all).
func selectRows(batch *types.Batch, rows types.Bitmap) {
	batch.Selected = rows.Count(batch.Rows)
	batch.Selection = rows
	if batch.Selected == batch.Rows {
		batch.Selection = nil
	}
}

// dynamicRows gives the selected rows that a dynamic filter leaves.
func dynamicRows(pool *types.Pool, batch *types.Batch, column int, state *catalog.DynamicState) types.Bitmap {
	env := &kernels.Env{Pool: pool, Rows: batch.Rows}
	v := batch.Columns[column]
	rows := types.AndBitmaps(pool, batch.Selection, types.LogicalValidity(pool, v), batch.Rows)
	narrow := func(op kernels.CompareOp, bound *types.Vector) {
		if bound == nil {
			return
		}
		// A bound of another type says nothing; the join itself decides.
		if truth, err := kernels.Compare(env, op, v, types.NewConstant(bound, batch.Rows)); err == nil {
			rows = types.AndBitmaps(pool, rows, kernels.TrueRows(env, truth), batch.Rows)
		}
	}
	narrow(kernels.GreaterEqual, state.Min)
	narrow(kernels.LessEqual, state.Max)
	if state.Contains == nil {
		return rows
	}
	own := pool.Bitmap(batch.Rows) // Contains clears bits in it
	if rows == nil {
		types.FillBitmap(own, batch.Rows)
	} else {
		copy(own, rows)
	}
	state.Contains(pool, v, own)
	return own
}

// dynamicMayMatch asks the statistics of a row group about the dynamic filters as they are now.
func (s *scan) dynamicMayMatch(g *rowGroup) bool {
	for _, d := range s.dynamic {
		state := d.State()
		if state == nil {
			continue
		}
		if state.Empty {
			return false
		}
		b, ok := s.bounds(g, d.Column)
		switch {
		case !ok:
			continue
		case b.Nulls >= 0 && b.Nulls == b.Rows: // null rows never pass
			return false
		case state.Min != nil && b.Max != nil && less(b.Max, state.Min), state.Max != nil && b.Min != nil && less(state.Max, b.Min):
			return false
		}
	}
	return true
}
