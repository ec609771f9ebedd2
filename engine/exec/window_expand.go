package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// expandRows is the number of rows of frames that are added to an accumulator at a time.
const expandRows = 4096

// prepareExpand numbers the distinct arguments and finds the order of the rows, as far as the call has them.
func (a *windowAggregate) prepareExpand(ctx context.Context) error {
	w := a.window
	if err := w.grow(int64(len(w.sort.order)) * 8); err != nil {
		return err
	}
	if err := a.findValues(ctx); err != nil || a.call.order == nil {
		return err
	}
	a.place = make([]uint32, len(w.sort.order))
	return a.inOrder(ctx, nil, func(_ *worker, order []uint32) error {
		for i, at := range order {
			a.place[at] = uint32(i)
		}
		return nil
	})
}

// findValues numbers the distinct arguments of a call with DISTINCT.
func (a *windowAggregate) findValues(ctx context.Context) error {
	if a.distinct == nil {
		return nil
	}
	a.values = make([]uint32, len(a.window.sort.order))
	return a.numberValues(ctx, func(chunk *windowChunk, numbers []uint32, _ int) { copy(a.values[chunk.from:], numbers) })
}

// inOrder calls f with all positions, ordered by a first key (nil = none) and then by the call's own order.
func (a *windowAggregate) inOrder(ctx context.Context, first *types.Vector, f func(worker *worker, order []uint32) error) error {
	w := a.window
	n := len(w.sort.order)
	size := int64(n) * keyBytes * int64(len(a.call.order)+1)
	if err := w.memory.Grow(size); err != nil {
		return err
	}
	defer w.memory.Shrink(size)
	return w.query.parallel(ctx, w.number(), 1, func(worker *worker, _ int) error {
		var keys []kernels.SortKey
		if first != nil {
			keys = append(keys, kernels.SortKey{Vector: first})
		}
		for _, k := range a.call.order {
			v := kernels.Take(nil, w.sort.columns[k.column], w.sort.order, nil)
			keys = append(keys, kernels.SortKey{Vector: v, Descending: k.descending, NullsFirst: k.nullsFirst})
		}
		return f(worker, kernels.SortIndices(nil, keys, n))
	})
}

// updateInOrder adds all rows to the groups of their partitions, in the call's own order.
func (a *windowAggregate) updateInOrder(ctx context.Context, acc expr.Accumulator) error {
	w := a.window
	if err := w.grow(int64(len(w.sort.order)) * 12); err != nil {
		return err
	}
	if err := a.findValues(ctx); err != nil {
		return err
	}
	partition, seen := numbersOf(nil, w.partitions, 0, len(w.sort.order)), make(seenValues, len(a.values))
	return a.inOrder(ctx, types.NewFixed(types.UInteger, partition, nil), func(worker *worker, order []uint32) error {
		if a.values != nil {
			order = slices.DeleteFunc(order, func(at uint32) bool { return !a.counts(at) || seen.repeated(a.values[at], 1) })
		}
		for rows := range slices.Chunk(order, expandRows) {
			groups := make([]uint32, len(rows))
			for i, at := range rows {
				groups[i] = partition[at]
			}
			if err := a.add(worker, acc, groups, rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// add adds the rows at some positions to groups, as far as they count.
func (a *windowAggregate) add(worker *worker, acc expr.Accumulator, groups, positions []uint32) error {
	if err := context.Cause(worker.ctx); err != nil {
		return err
	}
	mark := worker.pool.Mark()
	env := &kernels.Env{Pool: worker.pool}
	args := make([]*types.Vector, len(a.call.args))
	for i := range args {
		args[i] = a.window.argumentAt(env, a.call, i, positions, nil)
	}
	env.Active = env.Pool.ZeroBitmap(len(positions))
	for i, at := range positions {
		if a.counts(at) {
			env.Active.Set(i)
		}
	}
	err := acc.Update(env, groups, args, len(positions))
	worker.pool.Release(mark)
	return err
}

// counts reports whether the row at a position passes the filter.
func (a *windowAggregate) counts(position uint32) bool {
	w := a.window
	chunk := int(position) / w.chunkRows
	return a.counted[chunk].Has(int(position) - chunk*w.chunkRows)
}

// seenValues says of each value by number for which frame it was met last.
type seenValues []uint32

// repeated reports whether a value was met before in a frame, and notes it. Frames are numbered from 1.
func (s seenValues) repeated(value, frame uint32) bool {
	known := s[value] == frame
	s[value] = frame
	return known
}

// expand gives the results for the rows of a chunk: a few frames at a time, whose rows are added one by one, each value once and in the call's order.
func (a *windowAggregate) expand(worker *worker, frames []frameRange, rows int) (*types.Vector, error) {
	var seen seenValues
	if a.values != nil {
		seen = make(seenValues, len(a.values))
	}
	var parts []*types.Vector
	reserved := int64(0)
	defer func() { a.window.memory.Shrink(reserved) }()
	for from := 0; from < rows; {
		to, size := from, int64(0)
		for ; to < rows && (to == from || size < framesRows); to++ {
			for _, f := range frames {
				size += int64(f.to[to]) - int64(min(f.from[to], f.to[to]))
			}
		}
		// What an aggregate keeps of the frames' rows.
		size *= a.rowBytes
		if err := a.window.memory.Grow(size); err != nil {
			return nil, err
		}
		part, err := a.expandFrames(worker, frames, from, to, seen)
		a.window.memory.Shrink(size)
		if err != nil {
			return nil, err
		}
		size = vectorSize(part)
		if err := a.window.memory.Grow(size); err != nil {
			return nil, err
		}
		reserved += size
		parts = append(parts, part)
		from = to
	}
	return kernels.Concat(nil, parts), nil
}

// framesRows is the number of rows in frames that are computed together, about.
const framesRows = 16 * expandRows

// expandFrames gives the results for the rows from to to of a chunk.
func (a *windowAggregate) expandFrames(worker *worker, frames []frameRange, from, to int, seen seenValues) (*types.Vector, error) {
	acc := a.function.New()
	if err := acc.Resize(to - from); err != nil {
		return nil, err
	}
	groups, positions := make([]uint32, 0, expandRows), make([]uint32, 0, expandRows)
	var frame []uint32
	for i := from; i < to; i++ {
		frame = frame[:0]
		for _, f := range frames {
			for at := f.from[i]; at < f.to[i]; at++ {
				if a.counts(at) {
					frame = append(frame, at)
				}
			}
		}
		if a.place != nil {
			slices.SortFunc(frame, func(x, y uint32) int { return int(a.place[x]) - int(a.place[y]) })
		}
		for _, at := range frame {
			if seen != nil && seen.repeated(a.values[at], uint32(i)+1) {
				continue
			}
			groups, positions = append(groups, uint32(i-from)), append(positions, at)
			if len(groups) == expandRows {
				if err := a.add(worker, acc, groups, positions); err != nil {
					return nil, err
				}
				groups, positions = groups[:0], positions[:0]
			}
		}
		if err := context.Cause(worker.ctx); err != nil {
			return nil, err
		}
	}
	if err := a.add(worker, acc, groups, positions); err != nil {
		return nil, err
	}
	return acc.Finish(nil, 0, to-from)
}
