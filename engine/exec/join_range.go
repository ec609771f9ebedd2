package exec

import (
	"context"
	"math"
	"sort"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// joinRanges are the comparisons by order of a loop join.
type joinRanges struct {
	ops   []kernels.CompareOp // probe op build
	build []int               // places among the stored
	probe *expr.Program
	// rest is the join's condition, and all the comparisons but the first one with it, for when only the first one can be used.
	rest *pairProgram
}

func (j *join) newRanges(ranges []plan.JoinRange, condition *expr.Expr, build types.Schema) *joinRanges {
	if len(ranges) == 0 {
		return nil
	}
	r := &joinRanges{}
	var probe, rest []*expr.Expr
	for i, x := range ranges {
		r.ops = append(r.ops, x.Op)
		r.build = append(r.build, j.keep(x.Right))
		probe = append(probe, x.Left)
		if i > 0 {
			rest = append(rest, x.Condition)
		}
	}
	if condition != nil {
		rest = append(rest, condition)
	}
	r.probe = expr.Compile(probe...)
	if len(rest) > 0 {
		r.rest = j.compilePairs(expr.NewAnd(rest...), build)
	}
	return r
}

// rangeIndex is the build rows without NULL in the order of the first comparison's values. Where those of other comparisons rise or fall in that order, too, each
// narrows a probe row's matches to a part of it.
type rangeIndex struct {
	order []uint32
	keys  []rangeKey // those in use: all comparisons, or only the first
	exact bool       // all
}

// rangeKey is the values of a comparison in the order of the index.
type rangeKey struct {
	op      kernels.CompareOp
	falling bool
	words   []int64       // for types that have them: values in an order of signed integers
	values  *types.Vector // else
}

// buildRanges sorts the rows of a table.
func (j *join) buildRanges(ctx context.Context, t *joinTable) error {
	width := int64(4)
	for _, at := range j.ranges.build {
		width += int64(max(8, j.stored[at].Type.Storage().Width()))
	}
	if err := j.memory.Grow(int64(t.rows) * width); err != nil {
		return err
	}
	return j.query.parallel(ctx, j.operator, 1, func(w *worker, _ int) error {
		mark := w.pool.Mark()
		defer w.pool.Release(mark)
		env := &kernels.Env{Pool: w.pool}
		x := &rangeIndex{exact: true}
		var valid types.Bitmap
		for _, at := range j.ranges.build {
			valid = types.AndBitmaps(w.pool, valid, types.LogicalValidity(w.pool, t.columns[at]), t.rows)
		}
		first := kernels.SortKey{Vector: t.columns[j.ranges.build[0]]}
		for _, row := range kernels.SortIndices(env, []kernels.SortKey{first}, t.rows) {
			if valid.Has(int(row)) {
				x.order = append(x.order, row)
			}
		}
		for i, op := range j.ranges.ops {
			k := rangeKey{op: op, values: kernels.Decode(nil, kernels.Take(nil, t.columns[j.ranges.build[i]], x.order, nil))}
			if words, ok := orderedWords(nil, k.values); ok {
				k.words, k.values = words, nil
			}
			if i > 0 && !k.follows(len(x.order)) {
				x.exact, x.keys = false, x.keys[:1]
				break
			}
			x.keys = append(x.keys, k)
		}
		t.ranges = x
		return nil
	})
}

// follows reports whether the values never fall, or never rise, in the order of the index, and notes which.
func (k *rangeKey) follows(n int) bool {
	rises, falls := true, true
	compare := k.comparer(*k)
	for i := 1; i < n && (rises || falls); i++ {
		c := compare(i-1, i)
		rises, falls = rises && c <= 0, falls && c >= 0
	}
	k.falling = !rises
	return rises || falls
}

// comparer gives how value i compares with value at of another key, or of a probe.
func (k *rangeKey) comparer(o rangeKey) func(i, at int) int {
	if k.words != nil && o.words != nil {
		own, other := k.words, o.words
		return func(i, at int) int {
			switch a, b := own[i], other[at]; {
			case a < b:
				return -1
			case a > b:
				return 1
			}
			return 0
		}
	}
	own, other := []kernels.SortKey{{Vector: k.values}}, []kernels.SortKey{{Vector: o.values}}
	return func(i, at int) int { return kernels.CompareRows(own, i, other, at) }
}

// bounds narrows the half-open range from to to of the index to the values that compare with value row of a probe.
func (k *rangeKey) bounds(compare func(i, at int) int, row, from, to int) (int, int) {
	// The values that match are all above, or all below, the probe's; in falling order they lie at the other end.
	above := k.op == kernels.Less || k.op == kernels.LessEqual
	matches := func(i int) bool {
		switch c := compare(from+i, row); k.op {
		case kernels.Less:
			return c > 0
		case kernels.LessEqual:
			return c >= 0
		case kernels.Greater:
			return c < 0
		default:
			return c <= 0
		}
	}
	if above != k.falling { // a suffix
		return from + sort.Search(to-from, matches), to
	}
	return from, from + sort.Search(to-from, func(i int) bool { return !matches(i) })
}

// orderedWords gives the values of a plain vector as signed integers in the same order; false for types that have none. Those of null rows are arbitrary.
func orderedWords(pool *types.Pool, v *types.Vector) ([]int64, bool) {
	switch v.Type().Storage() {
	case types.StorageUint64:
		words := types.Alloc[int64](pool, v.Len())
		for i, x := range types.ValuesOf[uint64](v) {
			words[i] = int64(x ^ 1<<63)
		}
		return words, true
	case types.StorageFloat32, types.StorageFloat64:
		words := types.Alloc[int64](pool, v.Len())
		if v.Type().Storage() == types.StorageFloat64 {
			for i, x := range types.ValuesOf[float64](v) {
				words[i] = orderedFloat(x)
			}
		} else {
			for i, x := range types.ValuesOf[float32](v) {
				words[i] = orderedFloat(float64(x))
			}
		}
		return words, true
	case types.StorageFloat16, types.StorageBool:
		return nil, false
	}
	if !isWord(v.Type()) {
		return nil, false
	}
	return types.Values[int64](types.Bytes(keyWords(pool, v))), true
}

// orderedFloat gives a float's place in the order of floats, NaN last.
func orderedFloat(x float64) int64 {
	bits := int64(canonical64(x))
	return bits ^ bits>>63&math.MaxInt64
}

// findRanges gives for each row of the batch the first place in the order of its matches + 1, or 0, and the place after the last.
func (s *joinProbeState) findRanges() (heads, ends []uint32, err error) {
	b, pool, x := s.batch, s.worker.pool, s.table.ranges
	columns, err := s.ranges.Eval(nil, b)
	if err != nil {
		return nil, nil, err
	}
	env := &kernels.Env{Pool: pool}
	active := b.Selection
	for _, v := range columns {
		active = types.AndBitmaps(pool, active, types.LogicalValidity(pool, v), b.Rows)
	}
	compare := make([]func(i, at int) int, len(x.keys))
	for i := range x.keys {
		k := &x.keys[i]
		probe := rangeKey{values: kernels.Decode(env, columns[i])}
		if k.words != nil {
			probe.words, _ = orderedWords(pool, probe.values)
		}
		compare[i] = k.comparer(probe)
	}
	heads, ends = types.Alloc[uint32](pool, b.Rows), types.Alloc[uint32](pool, b.Rows)
	clear(heads)
	for row := active.NextSet(0, b.Rows); row < b.Rows; row = active.NextSet(row+1, b.Rows) {
		from, to := 0, len(x.order)
		for i := range x.keys {
			from, to = x.keys[i].bounds(compare[i], row, from, to)
		}
		if from < to {
			heads[row], ends[row] = uint32(from+1), uint32(to)
		}
	}
	return heads, ends, nil
}
