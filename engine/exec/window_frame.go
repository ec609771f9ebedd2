package exec

import (
	"sort"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// windowBound is an end of a call's frame.
type windowBound struct {
	kind     plan.BoundKind
	place    string // for messages: starting or ending
	constant int64  // the offset of ROWS and GROUPS where it is the same for all rows
	// Places among the kept columns, -1 for none: of offsets that differ by row, and of the limits of RANGE.
	offset, limit int
}

func newWindowBound(b plan.FrameBound, place string, list *columnList) (windowBound, error) {
	bound := windowBound{kind: b.Kind, place: place, offset: -1, limit: -1}
	if b.Offset == nil {
		return bound, nil
	}
	if b.Limit != nil {
		bound.limit = list.place(b.Limit)
	}
	if b.Offset.Op != expr.Constant {
		bound.offset = list.place(b.Offset)
		return bound, nil
	}
	if err := bound.checkOffsets(nil, b.Offset.Value, nil); err != nil {
		return bound, err
	}
	if b.Limit == nil {
		bound.constant = types.ValuesOf[int64](b.Offset.Value)[0]
	}
	return bound, nil
}

// check gives an error when an offset of a batch, one of its columns, is null or negative.
func (b *windowBound) check(pool *types.Pool, batch *types.Batch, columns []*types.Vector) error {
	if b.offset < 0 {
		return nil
	}
	return b.checkOffsets(pool, columns[b.offset], batch.Selection)
}

func (b *windowBound) checkOffsets(pool *types.Pool, offsets *types.Vector, active types.Bitmap) error {
	env, n := &kernels.Env{Pool: pool}, offsets.Len()
	if nulls := kernels.TrueRows(env, kernels.IsNull(env, offsets)); types.AndBitmaps(pool, nulls, active, n).NextSet(0, n) < n {
		return types.Errorf(types.CodeInvalidFrameOffset, "frame %s offset must not be null", b.place)
	}
	zero := types.NewFixed(types.Interval, []types.MonthDayNano{{}}, nil)
	if t := offsets.Type(); t.Kind() != types.KindInterval {
		zero = expr.Fold(expr.NewCast(expr.NewConstant(types.NewFixed(types.BigInt, []int64{0}, nil)), t, false)).Value
	}
	negative, err := kernels.Compare(env, kernels.Less, offsets, types.NewConstant(zero, n))
	if err != nil {
		return err
	}
	if types.AndBitmaps(pool, kernels.TrueRows(env, negative), active, n).NextSet(0, n) < n {
		return types.Errorf(types.CodeInvalidFrameOffset, "frame %s offset must not be negative", b.place)
	}
	return nil
}

// frameRange is a range of positions for each row of a chunk, empty where from >= to.
type frameRange struct{ from, to []uint32 }

// frames gives the frames of a chunk's rows: one range, or more around what is excluded, from left to right.
func (w *windowRows) frames(worker *worker, chunk *windowChunk, c *windowCall) []frameRange {
	pool, n := worker.pool, chunk.rows()
	whole := frameRange{from: w.bounds(pool, chunk, c, &c.start, false), to: w.bounds(pool, chunk, c, &c.end, true)}
	if c.Frame.Exclude == plan.ExcludeNoOthers {
		return []frameRange{whole}
	}
	left := frameRange{from: whole.from, to: types.Alloc[uint32](pool, n)}
	right := frameRange{from: types.Alloc[uint32](pool, n), to: whole.to}
	for i := range n {
		from, to := uint32(chunk.from+i), uint32(chunk.from+i+1)
		if c.Frame.Exclude != plan.ExcludeCurrentRow {
			from, to = w.peers[chunk.peer[i]], w.peers[chunk.peer[i]+1]
		}
		left.to[i], right.from[i] = min(whole.to[i], from), max(whole.from[i], to)
	}
	if c.Frame.Exclude != plan.ExcludeTies {
		return []frameRange{left, right}
	}
	own := frameRange{from: types.Alloc[uint32](pool, n), to: types.Alloc[uint32](pool, n)}
	for i := range n {
		at := uint32(chunk.from + i)
		own.from[i], own.to[i] = max(whole.from[i], at), min(whole.to[i], at+1)
	}
	return []frameRange{left, own, right}
}

// bounds gives one end of each row's frame: the first position in it, or the first one after it.
func (w *windowRows) bounds(pool *types.Pool, chunk *windowChunk, c *windowCall, b *windowBound, end bool) []uint32 {
	out := types.Alloc[uint32](pool, chunk.rows())
	after := uint32(0)
	if end {
		after = 1
	}
	switch b.kind {
	case plan.UnboundedPreceding:
		for i, p := range chunk.partition {
			out[i] = w.partitions[p]
		}
	case plan.UnboundedFollowing:
		for i, p := range chunk.partition {
			out[i] = w.partitions[p+1]
		}
	case plan.CurrentRow:
		for i := range out {
			if c.Frame.Unit == plan.FrameRows {
				out[i] = uint32(chunk.from+i) + after
			} else {
				out[i] = w.peers[chunk.peer[i]+after]
			}
		}
	default:
		switch c.Frame.Unit {
		case plan.FrameRows:
			w.rowBounds(pool, chunk, b, int64(after), out)
		case plan.FrameGroups:
			w.groupBounds(pool, chunk, b, int64(after), out)
		case plan.FrameRange:
			w.rangeBounds(pool, chunk, b, end, out)
		}
	}
	return out
}

// steps gives the offsets of ROWS or GROUPS by row, forward ones positive, none beyond the number of rows.
func (w *windowRows) steps(pool *types.Pool, chunk *windowChunk, b *windowBound) []int64 {
	steps := types.Alloc[int64](pool, chunk.rows())
	if b.offset < 0 {
		for i := range steps {
			steps[i] = b.constant
		}
	} else {
		env := &kernels.Env{Pool: pool}
		offsets := kernels.Take(env, w.sort.columns[b.offset], w.sort.order[chunk.from:chunk.to], nil)
		copy(steps, types.ValuesOf[int64](kernels.Decode(env, offsets)))
	}
	most := int64(len(w.sort.order))
	for i, step := range steps {
		steps[i] = min(step, most)
		if b.kind == plan.OffsetPreceding {
			steps[i] = -steps[i]
		}
	}
	return steps
}

func (w *windowRows) rowBounds(pool *types.Pool, chunk *windowChunk, b *windowBound, after int64, out []uint32) {
	for i, step := range w.steps(pool, chunk, b) {
		p := chunk.partition[i]
		at := int64(chunk.from+i) + step + after
		out[i] = uint32(min(max(at, int64(w.partitions[p])), int64(w.partitions[p+1])))
	}
}

func (w *windowRows) groupBounds(pool *types.Pool, chunk *windowChunk, b *windowBound, after int64, out []uint32) {
	first, end, known := int64(0), int64(0), ^uint32(0)
	for i, step := range w.steps(pool, chunk, b) {
		if p := chunk.partition[i]; p != known {
			first, end, known = int64(w.groupAt(w.partitions[p])), int64(w.groupAt(w.partitions[p+1])), p
		}
		group := int64(chunk.peer[i]) + step + after
		out[i] = w.peers[min(max(group, first), end)]
	}
}

// groupAt gives the number of the group of peers that begins at a position.
func (w *windowRows) groupAt(position uint32) int {
	return sort.Search(len(w.peers), func(i int) bool { return w.peers[i] >= position })
}

// encodeRangeKeys makes the order key comparable by position.
func (w *windowRows) encodeRangeKeys() error {
	if w.rangeKeys != nil {
		return nil
	}
	key := w.orderKey()
	if err := w.grow(int64(len(w.sort.order)) * keyBytes * 2); err != nil {
		return err
	}
	keys := kernels.EncodeSortKeys(nil, []kernels.SortKey{w.sortKey(kernels.Take(nil, w.sort.columns[key.column], w.sort.order, nil))}, len(w.sort.order))
	w.rangeKeys = &keys
	return nil
}

// orderKey gives the only order key of a window with limits.
func (w *windowRows) orderKey() sortKey { return w.columns[w.keys] }

// sortKey gives values the direction of the order key.
func (w *windowRows) sortKey(v *types.Vector) kernels.SortKey {
	key := w.orderKey()
	return kernels.SortKey{Vector: v, Descending: key.descending, NullsFirst: key.nullsFirst}
}

// rangeBounds finds the limits of RANGE among the keys of the partition. A row without a key has its peers for a bound. A row with one but without a
// limit has a limit beyond all values.
func (w *windowRows) rangeBounds(pool *types.Pool, chunk *windowChunk, b *windowBound, end bool, out []uint32) {
	env := &kernels.Env{Pool: pool}
	rows := w.sort.order[chunk.from:chunk.to]
	limits := kernels.Take(env, w.sort.columns[b.limit], rows, nil)
	hasKey := types.LogicalValidity(pool, kernels.Take(env, w.sort.columns[w.orderKey().column], rows, nil))
	hasLimit := types.LogicalValidity(pool, limits)
	encoded := kernels.EncodeSortKeys(env, []kernels.SortKey{w.sortKey(limits)}, chunk.rows())
	keys := w.rangeKeys
	hint := 0
	for i := range out {
		group := chunk.peer[i]
		if !hasKey.Has(i) {
			out[i] = w.peers[group]
			if end {
				out[i] = w.peers[group+1]
			}
			continue
		}
		from, to := int(w.partitions[chunk.partition[i]]), int(w.partitions[chunk.partition[i]+1])
		if !hasLimit.Has(i) {
			out[i] = uint32(w.beyondValues(from, to, b.kind))
			continue
		}
		hint = searchNear(hint, from, to, func(at int) bool {
			order := keys.Compare(at, &encoded, i)
			return order < 0 || end && order == 0
		})
		out[i] = uint32(hint)
	}
}

// beyondValues gives the position before or after all rows of a partition that have an order key.
func (w *windowRows) beyondValues(from, to int, kind plan.BoundKind) int {
	key := w.orderKey()
	isNull := func(at int) bool {
		_, _, valid := w.sort.columns[key.column].Locate(int(w.sort.order[at]))
		return !valid
	}
	border := from + sort.Search(to-from, func(i int) bool { return isNull(from+i) != key.nullsFirst })
	switch {
	case kind == plan.OffsetPreceding && key.nullsFirst, kind == plan.OffsetFollowing && !key.nullsFirst:
		return border
	case kind == plan.OffsetPreceding:
		return from
	}
	return to
}

// searchNear gives the first position from from to to at which before, true and then false, is false. It looks near hint first, with steps that double, since
// the frames of neighbours mostly begin and end near each other.
func searchNear(hint, from, to int, before func(at int) bool) int {
	hint = min(max(hint, from), to)
	low, high := from, to
	if hint < to && before(hint) {
		low = hint + 1
		for step := 1; hint+step < to; step *= 2 {
			if !before(hint + step) {
				high = hint + step
				break
			}
			low = hint + step + 1
		}
	} else {
		high = hint
		for step := 1; hint-step >= from; step *= 2 {
			if before(hint - step) {
				low = hint - step + 1
				break
			}
			high = hint - step
		}
	}
	return low + sort.Search(high-low, func(i int) bool { return !before(low + i) })
}
