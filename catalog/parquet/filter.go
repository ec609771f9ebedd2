package parquet

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Applies accepts the conditions that a scan may evaluate: they must not fail, and must give the same each time.
func (t *table) Applies(filter *expr.Expr) bool { return !filter.CanFail() && isStable(filter) }

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

// rowFilter is a condition that the scan applies to each row.
type rowFilter struct {
	program *expr.Program
	columns []int // of the request, that it reads
}

// rowFilters compiles the conditions that a scan applies, in their order, but those on one and the same column together.
func rowFilters(conditions []*expr.Expr) []rowFilter {
	var groups [][]*expr.Expr
	byColumn := map[int]int{} // the group of conditions on one column only
	for _, c := range conditions {
		columns := columnsOf(c)
		if len(columns) != 1 {
			groups = append(groups, []*expr.Expr{c})
			continue
		}
		g, known := byColumn[columns[0]]
		if !known {
			g = len(groups)
			byColumn[columns[0]] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], c)
	}
	filters := make([]rowFilter, len(groups))
	for i, g := range groups {
		all := expr.NewAnd(g...)
		filters[i] = rowFilter{program: expr.Compile(all), columns: columnsOf(all)}
	}
	return filters
}

// filterState is what a morsel knows of a row filter. A condition on one column is evaluated once for all entries of the column's
// dictionary; batches then only look their keys up.
type filterState struct {
	evaluator *expr.Evaluator
	entries   *types.Vector // that passes is about
	passes    types.Bitmap  // entries on which the condition is true
	count     int           // of them
	null      bool          // is it true on null
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
		state := &m.filters[i]
		var rows types.Bitmap
		var err error
		if len(f.columns) == 1 && batch.Columns[f.columns[0]].Encoding() == types.Dictionary {
			rows, err = state.selectKeys(pool, batch, f.columns[0])
		} else {
			rows, err = state.evaluator.Select(batch)
		}
		if err != nil {
			return err
		}
		if selectRows(batch, rows); batch.Selected == 0 {
			return nil
		}
	}
	return m.filterDynamic(pool, batch, read)
}

// selectKeys gives the selected rows of a batch that pass a condition on a dictionary column.
func (s *filterState) selectKeys(pool *types.Pool, batch *types.Batch, column int) (types.Bitmap, error) {
	v := batch.Columns[column]
	if s.entries != v.Entries() {
		if err := s.evaluateEntries(v.Entries(), column); err != nil {
			return nil, err
		}
	}
	if s.count == v.Entries().Len() && (v.Validity() == nil || s.null) {
		return batch.Selection, nil
	}
	rows := pool.Bitmap(batch.Rows)
	asm.TakeBits(rows, s.passes, v.Keys())
	if valid := v.Validity(); valid != nil {
		asm.And(rows, rows, valid)
		if s.null {
			nulls := types.AndNotBitmaps(pool, nil, valid, batch.Rows)
			asm.Or(rows, rows, nulls)
		}
	}
	return types.AndBitmaps(pool, rows, batch.Selection, batch.Rows), nil
}

// evaluateEntries evaluates the condition on the entries of a new dictionary, and on null.
func (s *filterState) evaluateEntries(entries *types.Vector, column int) error {
	columns := make([]*types.Vector, column+1)
	evaluate := func(v *types.Vector) (types.Bitmap, error) {
		columns[column] = v
		return s.evaluator.Select(types.NewBatch(columns, v.Len(), 0))
	}
	null, err := evaluate(types.NewNull(entries.Type(), 1))
	if err != nil {
		return err
	}
	passes, err := evaluate(entries)
	if err != nil {
		return err
	}
	s.entries, s.null, s.count = entries, null.Has(0), passes.Count(entries.Len())
	s.passes = make(types.Bitmap, types.BitmapWords(entries.Len())) // outlives the pool's region
	if passes == nil {
		types.FillBitmap(s.passes, entries.Len())
	} else {
		copy(s.passes, passes)
	}
	return nil
}

// filterDynamic narrows a batch by the dynamic filters as they are now.
func (m *morsel) filterDynamic(pool *types.Pool, batch *types.Batch, read func(column int) error) error {
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
		if selectRows(batch, state.Rows(pool, batch, d.Column)); batch.Selected == 0 {
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
		if b, ok := s.bounds(g, d.Column); ok && !state.MayMatch(b) {
			return false
		}
	}
	return true
}
