package kernels

import (
	"math/bits"
	"slices"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Filter gives the rows of v that are in the selection (nil = all), in their order. The selection is as long as v and has
// selected bits.
//
// Dictionaries share their entries, runs stay runs (their lengths are recounted), views and lists share what they point into.
// The spec is null-semantics 2.8, with nulls dropped.
func Filter(env *Env, v *types.Vector, selection types.Bitmap, selected int) *types.Vector {
	pool, rows := env.pool(), v.Len()
	switch {
	case selection == nil || selected == rows:
		return v
	case selected == 0:
		return v.Slice(pool, 0, 0)
	}
	switch v.Encoding() {
	case types.Constant:
		return types.NewConstant(v.First(), selected)
	case types.Dictionary:
		keys := compact(pool, v.Keys(), selection, rows, selected)
		return types.NewDictionary(keys, v.Entries(), filterValidity(pool, v.Validity(), selection, rows, selected))
	case types.RunEnd:
		return filterRuns(env, v, selection)
	}
	if v.Type().Kind() == types.KindNull {
		return plainNulls(selected)
	}
	validity := filterValidity(pool, v.Validity(), selection, rows, selected)
	switch s := v.Type().Storage(); s {
	case types.StorageBool:
		return types.NewBool(compactBits(pool, v.Bools(), selection, rows, selected), selected, validity)
	case types.StorageArray:
		width := v.Type().Width()
		child := Filter(env, v.Children()[0], repeatBits(pool, selection, v.Len(), width), selected*width)
		return types.NewArray(v.Type(), selected, child, validity)
	case types.StorageStruct:
		return types.NewStruct(v.Type(), selected, filterChildren(env, v.Children(), selection, selected), validity)
	case types.StorageUnion:
		codes := compact(pool, v.TypeCodes(), selection, rows, selected)
		if offsets := v.UnionOffsets(); offsets != nil {
			return compactDense(env, v, codes, compact(pool, offsets, selection, rows, selected), validity, nil)
		}
		return types.NewUnion(v.Type(), codes, nil, filterChildren(env, v.Children(), selection, selected), validity)
	default:
		switch s.Width() {
		case 1:
			return withRows(v, compact(pool, types.ValuesOf[uint8](v), selection, rows, selected), validity)
		case 2:
			return withRows(v, compact(pool, types.ValuesOf[uint16](v), selection, rows, selected), validity)
		case 4:
			return withRows(v, compact(pool, types.ValuesOf[uint32](v), selection, rows, selected), validity)
		case 8:
			return withRows(v, compact(pool, types.ValuesOf[uint64](v), selection, rows, selected), validity)
		case 16:
			return withRows(v, compact(pool, types.ValuesOf[types.Int128](v), selection, rows, selected), validity)
		default:
			return withRows(v, compact(pool, types.ValuesOf[types.Int256](v), selection, rows, selected), validity)
		}
	}
}

// Indices gives the rows of a selection of n rows in ascending order.
func Indices(env *Env, selection types.Bitmap, n int) []uint32 {
	dst := types.Alloc[uint32](env.pool(), selection.Count(n))
	if selection != nil {
		return asm.AppendIndices(dst[:0], selection, n)
	}
	for i := range dst {
		dst[i] = uint32(i)
	}
	return dst
}

// filterSlack is the room past the end of its result that a filter of whole blocks is fastest with.
const filterSlack = 64

// compact gives the selected values side by side: n of them.
func compact[T types.Fixed](pool *types.Pool, values []T, selection types.Bitmap, rows, n int) []T {
	dst := types.Alloc[T](pool, n+filterSlack)
	asm.Filter(dst, values[:rows], selection)
	return dst[:n]
}

func filterValidity(pool *types.Pool, valid, selection types.Bitmap, rows, n int) types.Bitmap {
	if valid == nil {
		return nil
	}
	return compactBits(pool, valid, selection, rows, n)
}

func filterChildren(env *Env, children []*types.Vector, selection types.Bitmap, selected int) []*types.Vector {
	kept := make([]*types.Vector, len(children))
	for i, child := range children {
		kept[i] = Filter(env, child, selection, selected)
	}
	return kept
}

// FilterTrue gives the rows of v in which a condition, a BOOLEAN vector in any encoding, is true: WHERE. It is Filter, but for a condition in the runs of v, as a
// comparison makes it, the work is in proportion to the runs.
func FilterTrue(env *Env, v, condition *types.Vector) (*types.Vector, error) {
	if err := sameLength(v, condition); err != nil {
		return nil, err
	}
	if v.Encoding() == types.RunEnd && condition.Encoding() == types.RunEnd && sameEnds(v.RunEnds(), condition.RunEnds()) {
		return keepRuns(env, v, TrueRows(env, condition.RunValues())), nil
	}
	selection := TrueRows(env, condition)
	return Filter(env, v, selection, selection.Count(v.Len())), nil
}

// sameEnds compares run ends, which are mostly the same memory.
func sameEnds(a, b []int32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// keepRuns gives the rows of some runs of a run-end vector.
func keepRuns(env *Env, v *types.Vector, kept types.Bitmap) *types.Vector {
	pool, ends := env.pool(), v.RunEnds()
	count := kept.Count(len(ends))
	starts := types.Alloc[int32](pool, len(ends))
	if len(ends) > 0 {
		starts[0] = 0
		copy(starts[1:], ends)
	}
	outEnds := compact(pool, ends, kept, len(ends), count)
	outStarts := compact(pool, starts, kept, len(ends), count)
	total := int32(0)
	for i, start := range outStarts {
		total += outEnds[i] - start
		outEnds[i] = total
	}
	return types.NewRunEnd(outEnds, Filter(env, v.RunValues(), kept, count))
}

// filterRuns counts the selected rows of each run and drops the runs that have none.
func filterRuns(env *Env, v *types.Vector, selection types.Bitmap) *types.Vector {
	pool, ends := env.pool(), v.RunEnds()
	outEnds := types.Alloc[int32](pool, len(ends))
	kept := pool.ZeroBitmap(len(ends))
	below := types.Alloc[int32](pool, types.BitmapWords(v.Len())+1) // the selected rows before each word
	sum := int32(0)
	for w := range below[1:] {
		below[w] = sum
		sum += int32(bits.OnesCount64(selection[w]))
	}
	below[len(below)-1] = sum
	n, total := 0, int32(0)
	for w := range kept {
		var word uint64
		for i, end := range ends[w*64 : min(len(ends), w*64+64)] {
			selected := below[end>>6]
			if rest := uint(end) & 63; rest != 0 {
				selected += int32(bits.OnesCount64(selection[end>>6] << (64 - rest)))
			}
			outEnds[n] = selected
			some := bit(selected > total)
			word |= some << uint(i)
			n += int(some)
			total = selected
		}
		kept[w] = word
	}
	return types.NewRunEnd(outEnds[:n], Filter(env, v.RunValues(), kept, n))
}
