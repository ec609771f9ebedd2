package exec

import (
	"context"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// partitionNumbers numbers partitions while the rows come in. Rows are then sorted by the number of their partition instead of its keys: comparing strings of
// the same partition again and again is what sorting them would spend its time on. Only the partitions are sorted by their keys, in the end, so that the order
// of the result does not depend on who met which partition first.
type partitionNumbers struct {
	keys []sortKey // of the partitions
	lock sync.Mutex
	// table is shared by the workers: a number means the same partition for all of them, and sorted runs can be merged.
	table *groupTable
}

// numberPartitions makes the rows be sorted by the numbers of their partitions, a column at the given place, where the keys are strings.
func (w *windowRows) numberPartitions(column int) {
	p := w.plan
	text := func(e *expr.Expr) bool { return e.Type.Storage() == types.StorageView }
	layout, err := layoutOf(nil, p.PartitionBy)
	if err != nil || !slices.ContainsFunc(p.PartitionBy, text) {
		return
	}
	w.numbers = &partitionNumbers{keys: w.columns[:w.keys], table: newGroupTable(layout, w.memory)}
	w.columns = append([]sortKey{{column: column}}, w.columns[w.keys:]...)
	w.keys, w.sort.keys, w.sort.runRows = 1, w.columns, rowsOfRun(p.OrderBy)
}

// find gives the numbers of the partitions of a batch's rows.
func (n *partitionNumbers) find(pool *types.Pool, b *types.Batch, columns []*types.Vector) (*types.Vector, error) {
	env := &kernels.Env{Pool: pool, Active: b.Selection}
	keys := make([]*types.Vector, len(n.keys))
	for i, k := range n.keys {
		keys[i] = kernels.Decode(env, columns[k.column])
	}
	numbers := types.Alloc[uint32](pool, b.Rows)
	n.lock.Lock()
	defer n.lock.Unlock()
	err := n.table.find(env, keys, b.Rows, b.Selection, numbers)
	return types.NewFixed(types.UInteger, numbers, nil), err
}

// sortPartitions brings the partitions, which are side by side by now, into the order of their keys.
func (w *windowRows) sortPartitions(ctx context.Context) error {
	w.numbers.table.free()
	order := w.sort.order
	size := int64(len(order)) * 4
	if err := w.memory.Grow(size); err != nil {
		return err
	}
	defer w.memory.Shrink(size) // of the old order
	return w.query.parallel(ctx, w.number(), 1, func(*worker, int) error {
		numbers := types.ValuesOf[uint32](kernels.Decode(nil, w.sort.columns[w.columns[0].column]))
		var starts, firsts []uint32
		for i, row := range order {
			if i == 0 || numbers[row] != numbers[order[i-1]] {
				starts, firsts = append(starts, uint32(i)), append(firsts, row)
			}
		}
		keys := make([]kernels.SortKey, len(w.numbers.keys))
		for i, k := range w.numbers.keys {
			keys[i].Vector = kernels.Take(nil, w.sort.columns[k.column], firsts, nil)
		}
		partitions := len(starts)
		starts = append(starts, uint32(len(order)))
		sorted := make([]uint32, 0, len(order))
		for _, p := range kernels.SortIndices(nil, keys, partitions) {
			sorted = append(sorted, order[starts[p]:starts[p+1]]...)
		}
		w.sort.order = sorted
		return nil
	})
}
