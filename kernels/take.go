package kernels

import (
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Take gives row indices[i] of v as row i, and a null row where valid (nil = all) has no bit. Indices at valid rows must be below
// v.Len(), which CheckIndices tells; the others are not looked at.
//
// Dictionaries share their entries, runs stay runs while that is shorter than the rows, views and lists share what they point
// into. The spec is null-semantics 2.7.
func Take(env *Env, v *types.Vector, indices []uint32, valid types.Bitmap) *types.Vector {
	n, pool := len(indices), env.pool()
	if valid != nil && allSet(valid, n) {
		valid = nil
	}
	if v.Len() == 0 || isNullConstant(v) {
		return types.NewNull(v.Type(), n)
	}
	switch v.Encoding() {
	case types.Constant:
		if valid == nil {
			return types.NewConstant(v.First(), n)
		}
		keys := types.Alloc[uint32](pool, n)
		clear(keys)
		return types.NewDictionary(keys, v.First(), valid)
	case types.Dictionary:
		indices = hideNullIndices(pool, indices, valid, v.Len())
		keys := gather(pool, v.Keys(), indices)
		return types.NewDictionary(keys, v.Entries(), takeValidity(pool, v.Validity(), indices, valid))
	case types.RunEnd:
		return takeRuns(env, v, indices, valid)
	}
	return takePlain(env, v, indices, valid)
}

// CheckIndices gives an error for the first row that is valid and whose index is not below length.
func CheckIndices(indices []uint32, valid types.Bitmap, length int) error {
	if uint64(asm.GreatestIndex(indices)) < uint64(length) || len(indices) == 0 {
		return nil
	}
	for i, x := range indices {
		if int(x) >= length && valid.Has(i) {
			return types.KindErrorf(types.ErrIndexOutOfBounds, "index %d is out of bounds for %d rows", x, length).WithRow("", int64(i))
		}
	}
	return nil
}

// takePlain takes from a plain vector. Rows with a null index get the value of some row under their null.
func takePlain(env *Env, v *types.Vector, indices []uint32, valid types.Bitmap) *types.Vector {
	return takeInRange(env, v, hideNullIndices(env.pool(), indices, valid, v.Len()), valid)
}

// takeInRange is takePlain for indices that are rows of v at nulls too, whose values are then under these nulls.
func takeInRange(env *Env, v *types.Vector, indices []uint32, valid types.Bitmap) *types.Vector {
	n, pool := len(indices), env.pool()
	switch {
	case v.Type().Kind() == types.KindNull:
		return plainNulls(n)
	case v.Len() == 0:
		return Decode(env, types.NewNull(v.Type(), n))
	}
	validity := takeValidity(pool, v.Validity(), indices, valid)
	switch s := v.Type().Storage(); s {
	case types.StorageBool:
		return types.NewBool(gatherBits(pool, v.Bools(), indices), n, validity)
	case types.StorageArray:
		width := v.Type().Width()
		return types.NewArray(v.Type(), n, Take(env, v.Children()[0], repeatIndices(pool, indices, width), nil), validity)
	case types.StorageStruct:
		return types.NewStruct(v.Type(), n, takeChildren(env, v.Children(), indices), validity)
	case types.StorageUnion:
		codes := gather(pool, v.TypeCodes(), indices)
		hosted := hostNulls(pool, v.Type(), codes, valid)
		if offsets := v.UnionOffsets(); offsets != nil {
			return compactDense(env, v, codes, gather(pool, offsets, indices), validity, hosted)
		}
		return types.NewUnion(v.Type(), codes, nil, takeChildren(env, v.Children(), indices), validity)
	case types.StorageList:
		entries := gather(pool, types.ValuesOf[types.ListEntry](v), indices)
		clearNullEntries(entries, validity)
		return types.NewList(v.Type(), entries, v.Children()[0], validity)
	default:
		switch s.Width() {
		case 1:
			return withRows(v, gather(pool, types.ValuesOf[uint8](v), indices), validity)
		case 2:
			return withRows(v, gather(pool, types.ValuesOf[uint16](v), indices), validity)
		case 4:
			return withRows(v, gather(pool, types.ValuesOf[uint32](v), indices), validity)
		case 8:
			return withRows(v, gather(pool, types.ValuesOf[uint64](v), indices), validity)
		case 16:
			return withRows(v, gather(pool, types.ValuesOf[types.Int128](v), indices), validity)
		default:
			return withRows(v, gather(pool, types.ValuesOf[types.Int256](v), indices), validity)
		}
	}
}

// gather gives values[indices[i]] in place i.
func gather[T types.Fixed](pool *types.Pool, values []T, indices []uint32) []T {
	dst := types.Alloc[T](pool, len(indices))
	asm.Take(dst, values, indices)
	return dst
}

// takeValidity gathers a validity and takes the rows without a valid index out.
func takeValidity(pool *types.Pool, src types.Bitmap, indices []uint32, valid types.Bitmap) types.Bitmap {
	if src == nil {
		return valid
	}
	dst := gatherBits(pool, src, indices)
	if valid != nil {
		asm.And(dst, dst, valid[:len(dst)])
	}
	return dst
}

// hideNullIndices gives indices that are all below length: with 0 in the place of those under a null if one of them may not be.
func hideNullIndices(pool *types.Pool, indices []uint32, valid types.Bitmap, length int) []uint32 {
	if valid == nil || uint64(asm.GreatestIndex(indices)) < uint64(length) {
		return indices
	}
	dst := types.Alloc[uint32](pool, len(indices))
	for w, word := range valid {
		rows := indices[w*64 : min(len(indices), w*64+64)]
		out := dst[w*64:][:len(rows)]
		if word == ^uint64(0) {
			copy(out, rows)
			continue
		}
		for i, k := range rows {
			out[i] = k & -uint32(word&1)
			word >>= 1
		}
	}
	return dst
}

// repeatIndices gives the rows of an ARRAY's child that belong to rows of the array.
func repeatIndices(pool *types.Pool, indices []uint32, width int) []uint32 {
	dst := types.Alloc[uint32](pool, len(indices)*width)
	for i, k := range indices {
		for j := range width {
			dst[i*width+j] = k*uint32(width) + uint32(j)
		}
	}
	return dst
}

func takeChildren(env *Env, children []*types.Vector, indices []uint32) []*types.Vector {
	taken := make([]*types.Vector, len(children))
	for i, child := range children {
		taken[i] = Take(env, child, indices, nil)
	}
	return taken
}

// clearNullEntries gives null rows the empty range, so that they hold on to no part of the child.
func clearNullEntries(entries []types.ListEntry, valid types.Bitmap) {
	if valid == nil {
		return
	}
	for i := range entries {
		if !valid.Get(i) {
			entries[i] = types.ListEntry{}
		}
	}
}

// hostNulls puts the rows that are not valid into the variant that would hold their null in an Arrow union (null-semantics 2.4, Auto): the one of
// type null, else the first nullable one. An export that keeps variants then finds them there, and not in the variant of some other row. It gives
// those rows as a bitmap; nil when there are none or no variant can hold a null.
func hostNulls(pool *types.Pool, t types.Type, codes []int8, valid types.Bitmap) types.Bitmap {
	n := len(codes)
	if valid == nil || valid.Count(n) == n {
		return nil
	}
	host := -1
	for k, f := range t.Fields() {
		if f.Type.Kind() == types.KindNull {
			host = k
			break
		}
		if host < 0 && f.Nullable {
			host = k
		}
	}
	if host < 0 {
		return nil
	}
	null := types.AndNotBitmaps(pool, nil, valid, n)
	for i := null.NextSet(0, n); i < n; i = null.NextSet(i+1, n) {
		codes[i] = t.Codes()[host]
	}
	return null
}

// compactDense makes a dense union vector of v's type whose children hold just the rows that codes and offsets (of v's
// children) refer to, in their order; so offsets do not decrease within a variant. The rows of null (nil = none) have a null in their child.
func compactDense(env *Env, v *types.Vector, codes []int8, offsets []int32, validity, null types.Bitmap) *types.Vector {
	pool := env.pool()
	counts := make([]int, len(v.Children()))
	index := variantIndex(v.Type())
	for _, c := range codes {
		counts[index[c]]++
	}
	rows := make([][]uint32, len(counts))
	for i, n := range counts {
		rows[i] = types.Alloc[uint32](pool, n)[:0]
	}
	packed := types.Alloc[int32](pool, len(codes))
	valid := make([]types.Bitmap, len(counts)) // of the rows of the one child that holds nulls
	for i, c := range codes {
		k, row := index[c], uint32(offsets[i])
		packed[i] = int32(len(rows[k]))
		if null != nil && null.Get(i) {
			if valid[k] == nil {
				valid[k] = copyValidity(pool, nil, counts[k])
			}
			valid[k].Clear(len(rows[k]))
			row = 0
		}
		rows[k] = append(rows[k], row)
	}
	children := make([]*types.Vector, len(counts))
	for i, child := range v.Children() {
		children[i] = Take(env, child, rows[i], valid[i])
	}
	if packed == nil {
		packed = []int32{}
	}
	return types.NewUnion(v.Type(), codes, packed, children, validity)
}

// variantIndex gives the declaration index of each type code of a union.
func variantIndex(t types.Type) *[types.MaxUnionVariants]uint8 {
	var index [types.MaxUnionVariants]uint8
	for i, c := range t.Codes() {
		index[c] = uint8(i)
	}
	return &index
}

// takeRuns takes from a run-end vector by run. The result has a run for each stretch of indices in the same run.
func takeRuns(env *Env, v *types.Vector, indices []uint32, valid types.Bitmap) *types.Vector {
	n, pool, ends := len(indices), env.pool(), v.RunEnds()
	runs := types.Alloc[uint32](pool, n)
	const nullRun = ^uint32(0)
	r, stretches, last := 0, 0, nullRun-1
	for i, k := range indices {
		run := nullRun
		if valid.Has(i) {
			// Neighbouring indices mostly stay in the run or go to the next one.
			if start := runStart(ends, r); int(k) < start || int(k) >= int(ends[r]) {
				if r+1 < len(ends) && int(k) >= int(ends[r]) && int(k) < int(ends[r+1]) {
					r++
				} else {
					r = types.FindRun(ends, int(k))
				}
			}
			run = uint32(r)
		}
		if run != last {
			stretches++
			last = run
		}
		runs[i] = run
	}
	if stretches > n/2 {
		return Take(env, v.RunValues(), runs, valid)
	}
	outEnds := types.Alloc[int32](pool, stretches)[:0]
	outRuns := types.Alloc[uint32](pool, stretches)[:0]
	var outValid types.Bitmap
	if valid != nil {
		outValid = pool.ZeroBitmap(stretches)
	}
	for i := 0; i < n; {
		run := runs[i]
		for i < n && runs[i] == run {
			i++
		}
		if valid != nil && run != nullRun {
			outValid.Set(len(outRuns))
		}
		outEnds = append(outEnds, int32(i))
		outRuns = append(outRuns, run)
	}
	return types.NewRunEnd(outEnds, Take(env, v.RunValues(), outRuns, outValid))
}

func runStart(ends []int32, r int) int {
	if r == 0 {
		return 0
	}
	return int(ends[r-1])
}
