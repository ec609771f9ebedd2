package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// This file holds the aggregates with ORDER BY inside. A part keeps the rows of each as columns: the group's number, where there are groups, the inputs, and
// the place of the row's batch in the source. When all rows are there they are sorted by group, by the keys, and by place, so that ties keep source order
// whichever workers saw them, and added to the accumulator.

// orderKey is a key of ORDER BY in an aggregate: an input.
type orderKey struct {
	input                  int
	descending, nullsFirst bool
}

// orderedInputs gives what an aggregate reads of each row: its arguments, then the keys of its ORDER BY that are no arguments.
func orderedInputs(call plan.PhysicalAggregate) ([]*expr.Expr, []orderKey) {
	inputs := slices.Clone(call.Args)
	var order []orderKey
	for _, k := range call.Order {
		at := slices.IndexFunc(inputs, k.Expr.Equal)
		if at < 0 {
			at = len(inputs)
			inputs = append(inputs, k.Expr)
		}
		order = append(order, orderKey{input: at, descending: k.Descending, nullsFirst: k.NullsFirst})
	}
	return inputs, order
}

// noteOrdered keeps the rows that aggregate number i looks at.
func (p *groupPart) noteOrdered(w *worker, i int, groups []uint32, selected selectedRows, b *types.Batch) error {
	var columns []*types.Vector
	if groups != nil {
		columns = append(columns, types.NewFixed(types.UInteger, groups, nil))
	}
	columns = append(columns, selected.inputs...)
	place := types.NewFixed(types.BigInt, []int64{int64(b.Sequence)}, nil)
	rows := types.NewBatch(append(columns, types.NewConstant(place, b.Rows)), b.Rows, b.Sequence).Select(selected.rows)
	if rows.Selected == 0 {
		return nil
	}
	k, err := w.store(rows, p.aggregate.memory)
	if err != nil {
		return err
	}
	p.ordered[i] = append(p.ordered[i], k)
	return nil
}

// takeOrdered copies rows of a batch of kept rows; group n gets the number numbers[n].
func takeOrdered(b *types.Batch, rows, numbers []uint32) *types.Batch {
	columns := make([]*types.Vector, len(b.Columns))
	for c, v := range b.Columns {
		columns[c] = kernels.Take(nil, v, rows, nil)
	}
	columns[0] = renumbered(columns[0], numbers)
	return types.NewBatch(columns, len(rows), b.Sequence)
}

func renumbered(groups *types.Vector, numbers []uint32) *types.Vector {
	out := make([]uint32, groups.Len())
	for r, g := range types.ValuesOf[uint32](groups)[:len(out)] {
		out[r] = numbers[g]
	}
	return types.NewFixed(types.UInteger, out, nil)
}

// mergeOrdered adds the kept rows of another part; its group n is groups[n] here, nil without groups.
func (p *groupPart) mergeOrdered(i int, batches []*types.Batch, groups []uint32) error {
	for _, b := range batches {
		size := columnsSize(b.Columns)
		if err := p.aggregate.memory.Grow(size); err != nil {
			return err
		}
		if groups != nil {
			columns := slices.Clone(b.Columns)
			columns[0] = renumbered(columns[0], groups)
			b = b.WithColumns(columns)
		}
		p.ordered[i] = append(p.ordered[i], kept{batch: b, size: size})
	}
	return nil
}

// addOrdered adds the kept rows of aggregate number i to its accumulator, in order, and lets go of them.
func (p *groupPart) addOrdered(w *worker, i int) error {
	rows := p.ordered[i]
	if len(rows) == 0 {
		return nil
	}
	p.ordered[i] = nil
	n, size := 0, int64(0)
	for _, k := range rows {
		n, size = n+k.batch.Rows, size+k.size
	}
	if err := p.aggregate.memory.Grow(size); err != nil {
		return err
	}
	defer p.aggregate.memory.Shrink(2 * size)
	columns := make([]*types.Vector, len(rows[0].batch.Columns))
	parts := make([]*types.Vector, len(rows))
	for c := range columns {
		for j, k := range rows {
			parts[j] = k.batch.Columns[c]
		}
		columns[c] = kernels.Concat(nil, parts)
	}
	place := kernels.SortKey{Vector: columns[len(columns)-1]}
	columns = columns[:len(columns)-1]
	var groups *types.Vector
	if p.table != nil {
		groups, columns = columns[0], columns[1:]
	}
	return p.updateInOrder(w, i, groups, columns, n, place)
}

// addDistinctOrdered adds the distinct rows of aggregate number i to its accumulator, in order.
func (p *groupPart) addDistinctOrdered(w *worker, i int) error {
	n := p.distinct[i].rows()
	numbers, inputs := p.distinctRows(nil, i, 0, n)
	var groups *types.Vector
	if p.table != nil {
		groups = types.NewFixed(types.UInteger, numbers, nil)
	}
	return p.updateInOrder(w, i, groups, inputs, n)
}

// updateInOrder updates aggregate number i with rows by group, its ORDER BY and further keys.
func (p *groupPart) updateInOrder(w *worker, i int, groups *types.Vector, inputs []*types.Vector, rows int, further ...kernels.SortKey) error {
	var keys []kernels.SortKey
	if groups != nil {
		keys = append(keys, kernels.SortKey{Vector: groups})
	}
	for _, k := range p.aggregate.order[i] {
		keys = append(keys, kernels.SortKey{Vector: inputs[k.input], Descending: k.descending, NullsFirst: k.nullsFirst})
	}
	keys = append(keys, further...)
	size := int64(rows) * int64(4+len(keys)*keyBytes)
	if err := p.aggregate.memory.Grow(size); err != nil {
		return err
	}
	defer p.aggregate.memory.Shrink(size)
	order := kernels.SortIndices(&kernels.Env{}, keys, rows)
	args := inputs[:len(p.aggregate.plan.Aggregates[i].Args)]
	step := p.aggregate.query.options.BatchRows
	for from := 0; from < rows; from += step {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		mark := w.pool.Mark()
		env := &kernels.Env{Pool: w.pool}
		batch := order[from:min(rows, from+step)]
		taken := make([]*types.Vector, len(args))
		for k, v := range args {
			taken[k] = kernels.Take(env, v, batch, nil)
		}
		var numbers []uint32
		if groups != nil {
			numbers = types.ValuesOf[uint32](kernels.Take(env, groups, batch, nil))
		}
		if err := p.accumulators[i].Update(env, numbers, taken, len(batch)); err != nil {
			return err
		}
		if err := p.chargeStates(); err != nil {
			return err
		}
		w.pool.Release(mark)
	}
	return nil
}
