package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// windowMethod is a way to compute an aggregate over the frames of all rows. None but the last takes time that grows with the size of the frames, or with
// more than its logarithm.
type windowMethod uint8

const (
	// windowWhole: all rows of a partition have all of it as their frame. One group per partition.
	windowWhole windowMethod = iota
	// windowDifferences: the states add up exactly, so a frame's is the difference of two running ones.
	windowDifferences
	// windowRunning: all frames start with their partition. A frame's state is the running one at its last row.
	windowRunning
	// windowRemaining: all frames end with their partition. The same from the other end.
	windowRemaining
	// windowTree: any frame. Its state is merged from those of aligned ranges, of 1, 2, 4 ... rows, that it consists of: a segment tree. Nothing is ever
	// taken away from a state, so that sums of floats do not drift.
	windowTree
	// windowExpand: DISTINCT in frames that start anywhere, an order of its own, or an aggregate that keeps all values. Row by row.
	windowExpand
)

// windowAggregate computes an aggregate over the frames of a call.
type windowAggregate struct {
	window   *windowRows
	call     *windowCall
	function *expr.Aggregate
	method   windowMethod
	distinct *rowLayout // the partition's number and the arguments; nil without DISTINCT
	rowBytes int64      // of a row's state

	// What prepare makes.
	counted []types.Bitmap // by chunk: rows that count; nil = all
	results *types.Vector  // windowWhole: by partition
	states  frameStates    // of the methods that merge states
	values  []uint32       // with DISTINCT, of windowExpand or with an order: the number of the row's arguments among the distinct ones, by position
	place   []uint32       // windowExpand with an order: the row's place in it, by position
}

// frameStates gives the states of frames.
type frameStates interface {
	// merge adds the states of a range of positions for each row of a chunk to the groups of the same numbers; nothing where it is empty.
	merge(env *kernels.Env, acc expr.Accumulator, frames []frameRange, rows int) error
}

func newWindowAggregate(w *windowRows, c *windowCall) (*windowAggregate, error) {
	a := &windowAggregate{window: w, call: c, function: c.Aggregate}
	for _, t := range c.Aggregate.State {
		a.rowBytes += int64(max(8, t.Storage().Width()))
	}
	if c.Distinct && !c.Aggregate.DistinctAgnostic {
		var err error
		if a.distinct, err = layoutOf([]types.Type{types.UInteger}, c.Args); err != nil {
			return nil, err
		}
	}
	if !c.Aggregate.OrderSensitive {
		c.order = nil
	}
	f, unordered := c.Frame, len(w.plan.OrderBy) == 0 && c.Frame.Unit != plan.FrameRows
	fromStart := f.Start.Kind == plan.UnboundedPreceding || unordered && f.Start.Kind == plan.CurrentRow
	toEnd := f.End.Kind == plan.UnboundedFollowing || unordered && f.End.Kind == plan.CurrentRow
	one := f.Exclude == plan.ExcludeNoOthers
	switch {
	case one && fromStart && toEnd:
		a.method = windowWhole
	case c.Aggregate.Collects, c.order != nil, a.distinct != nil && !(one && fromStart):
		a.method = windowExpand
	case c.Aggregate.Additive:
		a.method = windowDifferences
	case one && fromStart:
		a.method = windowRunning
	case one && toEnd && !c.Aggregate.OrderSensitive:
		a.method = windowRemaining
	default:
		a.method = windowTree
	}
	return a, nil
}

// prepare computes what the method needs of all rows.
func (a *windowAggregate) prepare(ctx context.Context) error {
	if err := a.findCounted(ctx); err != nil {
		return err
	}
	var err error
	switch a.method {
	case windowWhole:
		err = a.aggregatePartitions(ctx)
	case windowDifferences:
		a.states, err = newRunningSums(ctx, a)
	case windowRunning:
		a.states, err = newRunningStates(ctx, a, false)
	case windowRemaining:
		a.states, err = newRunningStates(ctx, a, true)
	case windowTree:
		a.states, err = newStateTree(ctx, a)
	case windowExpand:
		err = a.prepareExpand(ctx)
	}
	return err
}

// release forgets what was prepared.
func (a *windowAggregate) release() {
	a.counted, a.results, a.states, a.values, a.place = nil, nil, nil, nil, nil
}

// findCounted finds the rows that pass the filter and, with DISTINCT in frames that start with their partition, are the first of their value in it.
func (a *windowAggregate) findCounted(ctx context.Context) error {
	w, c := a.window, a.call
	a.counted = make([]types.Bitmap, w.chunks())
	if c.filter >= 0 {
		if err := w.grow(int64(len(w.sort.order)) / 8); err != nil {
			return err
		}
		err := w.eachRange(ctx, func(worker *worker, i, from, to int) error {
			env := &kernels.Env{Pool: worker.pool}
			a.counted[i] = slices.Clone(kernels.TrueRows(env, kernels.Take(env, w.sort.columns[c.filter], w.sort.order[from:to], nil)))
			return nil
		})
		if err != nil {
			return err
		}
	}
	if a.distinct == nil || a.call.order != nil || a.method == windowExpand {
		return nil
	}
	if err := w.grow(int64(len(w.sort.order)) / 8); err != nil {
		return err
	}
	return a.numberValues(ctx, func(chunk *windowChunk, numbers []uint32, before int) {
		first := types.Alloc[uint64](nil, types.BitmapWords(chunk.rows()))
		clear(first)
		bits := types.Bitmap(first)
		for i, n := range numbers {
			if a.counted[chunk.number].Has(i) && int(n) >= before {
				bits.Set(i)
				before = int(n) + 1
			}
		}
		a.counted[chunk.number] = bits
	})
}

// numberValues numbers the combinations of partition and arguments of the rows that count, in the order in which they come, and calls f for each chunk
// with the numbers of its rows, arbitrary for rows that do not count, and the number of those before.
func (a *windowAggregate) numberValues(ctx context.Context, f func(chunk *windowChunk, numbers []uint32, before int)) error {
	w := a.window
	table := newGroupTable(a.distinct, w.memory)
	defer table.free()
	return w.query.parallel(ctx, w.number(), 1, func(worker *worker, _ int) error {
		for i := range w.chunks() {
			if err := context.Cause(worker.ctx); err != nil {
				return err
			}
			mark := worker.pool.Mark()
			env := &kernels.Env{Pool: worker.pool, Active: a.counted[i]}
			chunk := w.chunkAt(worker.pool, i)
			values := []*types.Vector{types.NewFixed(types.UInteger, chunk.partition, nil)}
			for _, v := range a.arguments(env, chunk.from, chunk.to) {
				values = append(values, kernels.Decode(env, v))
			}
			numbers, before := types.Alloc[uint32](worker.pool, chunk.rows()), table.rows()
			if err := table.find(env, values, chunk.rows(), env.Active, numbers); err != nil {
				return err
			}
			f(chunk, numbers, before)
			worker.pool.Release(mark)
		}
		return worker.chargePool()
	})
}

// arguments gives the arguments at the positions from from to to.
func (a *windowAggregate) arguments(env *kernels.Env, from, to int) []*types.Vector {
	args := make([]*types.Vector, len(a.call.args))
	for i := range args {
		args[i] = a.window.argument(env, a.call, i, from, to)
	}
	return args
}

// aggregatePartitions makes the results of all partitions: each chunk's part by itself, then all together.
func (a *windowAggregate) aggregatePartitions(ctx context.Context) error {
	w := a.window
	all, n := a.function.New(), len(w.partitions)-1
	if err := w.grow(2 * int64(n) * a.rowBytes); err != nil {
		return err
	}
	if err := all.Resize(n); err != nil {
		return err
	}
	if a.call.order != nil {
		if err := a.updateInOrder(ctx, all); err != nil {
			return err
		}
		var err error
		a.results, err = all.Finish(nil, 0, n)
		return err
	}
	states := make([][]*types.Vector, w.chunks())
	firsts := make([]uint32, w.chunks())
	err := w.eachChunk(ctx, func(worker *worker, chunk *windowChunk) error {
		env := &kernels.Env{Pool: worker.pool, Active: a.counted[chunk.number]}
		first := chunk.partition[0]
		groups := types.Alloc[uint32](worker.pool, chunk.rows())
		for i, p := range chunk.partition {
			groups[i] = p - first
		}
		partitions := int(groups[len(groups)-1]) + 1
		if partitions == 1 {
			groups = nil
		}
		acc := a.function.New()
		if err := acc.Resize(partitions); err != nil {
			return err
		}
		if err := acc.Update(env, groups, a.arguments(env, chunk.from, chunk.to), chunk.rows()); err != nil {
			return err
		}
		var err error
		firsts[chunk.number] = first
		states[chunk.number], err = acc.State(nil, 0, partitions)
		return err
	})
	if err != nil {
		return err
	}
	for i, state := range states {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := all.Merge(nil, countUp(nil, firsts[i], state[0].Len()), state); err != nil {
			return err
		}
	}
	a.results, err = all.Finish(nil, 0, n)
	return err
}

// countUp gives n numbers from first on.
func countUp(pool *types.Pool, first uint32, n int) []uint32 {
	numbers := types.Alloc[uint32](pool, n)
	for i := range numbers {
		numbers[i] = first + uint32(i)
	}
	return numbers
}

// evaluate gives the results for the rows of a chunk, in memory of its own.
func (a *windowAggregate) evaluate(worker *worker, chunk *windowChunk) (*types.Vector, error) {
	if a.method == windowWhole {
		return kernels.Take(nil, a.results, chunk.partition, nil), nil
	}
	frames := a.window.frames(worker, chunk, a.call)
	if a.method == windowExpand {
		return a.expand(worker, frames, chunk.rows())
	}
	acc := a.function.New()
	if err := acc.Resize(chunk.rows()); err != nil {
		return nil, err
	}
	if err := a.states.merge(&kernels.Env{Pool: worker.pool}, acc, frames, chunk.rows()); err != nil {
		return nil, err
	}
	return acc.Finish(nil, 0, chunk.rows())
}
