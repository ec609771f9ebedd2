package catalog

import (
	"sync/atomic"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// DynamicFilter is a condition on one column that a running query finds out, from a join's build side or a top-N, and that scans
// consult per row group and per batch. Publish replaces the condition by a narrower one; readers see the old or the new one whole.
type DynamicFilter struct {
	// Column is the position in ScanRequest.Columns.
	Column int
	state  atomic.Pointer[DynamicState]
	source *DynamicFilter // whose state it has, when it is that filter for another column position
}

// DynamicState is what a dynamic filter knows at one moment. Rows outside it may be skipped. Null rows never pass.
type DynamicState struct {
	// Min and Max bound the values that matter, Constant vectors; nil means unbounded.
	Min, Max *types.Vector
	// Contains, when not nil, tells for a batch's column which rows may matter: bits of the others are cleared in rows. It may keep too
	// many, never too few.
	Contains func(pool *types.Pool, column *types.Vector, rows types.Bitmap)
	// Empty means that no row matters: the scan can stop.
	Empty bool
}

// Publish makes a state visible to the scans.
func (f *DynamicFilter) Publish(s *DynamicState) { f.state.Store(s) }

// State gives the present state, or nil while nothing is known.
func (f *DynamicFilter) State() *DynamicState {
	if f.source != nil {
		return f.source.State()
	}
	return f.state.Load()
}

// MayMatch reports whether a row may matter whose column lies within bounds.
func (s *DynamicState) MayMatch(b Bounds) bool {
	switch {
	case s.Empty, b.Nulls >= 0 && b.Nulls == b.Rows: // null rows never pass
		return false
	case s.Min != nil && b.Max != nil && Less(b.Max, s.Min), s.Max != nil && b.Min != nil && Less(s.Max, b.Min):
		return false
	}
	return true
}

// Rows gives the selected rows of a batch that may matter, by the values of a column.
func (s *DynamicState) Rows(pool *types.Pool, batch *types.Batch, column int) types.Bitmap {
	if s.Empty {
		return pool.ZeroBitmap(batch.Rows)
	}
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
	narrow(kernels.GreaterEqual, s.Min)
	narrow(kernels.LessEqual, s.Max)
	if s.Contains == nil {
		return rows
	}
	own := pool.Bitmap(batch.Rows) // Contains clears bits in it
	if rows == nil {
		types.FillBitmap(own, batch.Rows)
	} else {
		copy(own, rows)
	}
	s.Contains(pool, v, own)
	return own
}
