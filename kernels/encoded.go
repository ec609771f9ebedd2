package kernels

import "github.com/lacunadb/lacuna/types"

// This file brings arguments in any encoding to the shapes that loops are written for: plain, and for binary verbs constant
// beside plain. Constants, dictionary entries and runs are computed once each.

// applyUnary runs a kernel for plain vectors on a vector of any encoding. The kernel's result must have as many rows as its argument.
func applyUnary(env *Env, v *types.Vector, kernel func(*Env, *types.Vector) (*types.Vector, error)) (*types.Vector, error) {
	switch v.Encoding() {
	case types.Constant:
		return onConstant(env, v.Len(), func(env *Env) (*types.Vector, error) { return kernel(env, firstRow(env, v)) })
	case types.Dictionary:
		if v.Entries().Len() > v.Len() {
			break
		}
		// All entries are computed, as if each were a row that counts. If one raises, the rows decide: it may be an entry that no
		// active row refers to.
		if entries, err := applyUnary(env.withActive(nil), v.Entries(), kernel); err == nil {
			return types.NewDictionary(v.Keys(), entries, v.Validity()), nil
		}
	case types.RunEnd:
		if values, err := applyUnary(env.withActive(nil), v.RunValues(), kernel); err == nil {
			return types.NewRunEnd(v.RunEnds(), values), nil
		}
	}
	return kernel(env, Decode(env, v))
}

// applyBinary runs a kernel on two vectors of any encoding. The kernel sees plain vectors of which at most one is constant instead,
// and that one not null. A null constant on either side gives nulls of type out without calling it.
func applyBinary(env *Env, out types.Type, a, b *types.Vector, kernel func(env *Env, a, b *types.Vector) (*types.Vector, error)) (*types.Vector, error) {
	if err := sameLength(a, b); err != nil {
		return nil, err
	}
	n := a.Len()
	if isNullConstant(a) || isNullConstant(b) {
		return types.NewNull(out, n), nil
	}
	ae, be := a.Encoding(), b.Encoding()
	switch {
	case ae == types.Constant && be == types.Constant:
		return onConstant(env, n, func(env *Env) (*types.Vector, error) { return kernel(env, firstRow(env, a), firstRow(env, b)) })
	case ae == types.Dictionary && be == types.Constant && a.Entries().Len() <= n:
		entries, err := applyBinary(env.withActive(nil), out, a.Entries(), resize(b, a.Entries().Len()), kernel)
		if err == nil {
			return types.NewDictionary(a.Keys(), entries, a.Validity()), nil
		}
	case ae == types.Constant && be == types.Dictionary && b.Entries().Len() <= n:
		entries, err := applyBinary(env.withActive(nil), out, resize(a, b.Entries().Len()), b.Entries(), kernel)
		if err == nil {
			return types.NewDictionary(b.Keys(), entries, b.Validity()), nil
		}
	case ae == types.RunEnd && be == types.Constant:
		values, err := applyBinary(env.withActive(nil), out, a.RunValues(), resize(b, a.RunValues().Len()), kernel)
		if err == nil {
			return types.NewRunEnd(a.RunEnds(), values), nil
		}
	case ae == types.Constant && be == types.RunEnd:
		values, err := applyBinary(env.withActive(nil), out, resize(a, b.RunValues().Len()), b.RunValues(), kernel)
		if err == nil {
			return types.NewRunEnd(b.RunEnds(), values), nil
		}
	case ae == types.RunEnd && be == types.RunEnd && len(a.RunEnds())+len(b.RunEnds()) <= n/2:
		ends, aValues, bValues := zipRuns(env, a, b)
		values, err := applyBinary(env.withActive(nil), out, aValues, bValues, kernel)
		if err == nil {
			return types.NewRunEnd(ends, values), nil
		}
	}
	if ae != types.Constant {
		a = Decode(env, a)
	}
	if be != types.Constant {
		b = Decode(env, b)
	}
	return kernel(env, a, b)
}

// onConstant runs a kernel on one row that stands for all n and repeats the result. It raises only if a row is active.
func onConstant(env *Env, n int, kernel func(*Env) (*types.Vector, error)) (*types.Vector, error) {
	first := env.active().NextSet(0, n)
	one := env.withActive(nil)
	if first == n {
		try := *one
		try.Try = true
		one = &try
	}
	value, err := kernel(one)
	if err != nil {
		if e, ok := err.(*types.Error); ok && e.Row >= 0 {
			e.Row = int64(first)
		}
		return nil, err
	}
	if value.Encoding() != types.Constant {
		value = Decode(env, value)
	}
	return types.NewConstant(value, n), nil
}

// firstRow gives the value of a constant as a plain vector of one row, and no buffer longer than that.
func firstRow(env *Env, v *types.Vector) *types.Vector {
	return takePlain(env, v.First(), []uint32{0}, nil)
}

// resize gives a constant of another length.
func resize(v *types.Vector, n int) *types.Vector {
	if n <= v.Len() {
		return v.Slice(nil, 0, n)
	}
	return types.NewConstant(v.First(), n)
}

// zipRuns cuts two run-end vectors at the ends of both: the common run ends, and a value of each for every run.
func zipRuns(env *Env, a, b *types.Vector) (ends []int32, aValues, bValues *types.Vector) {
	aEnds, bEnds := a.RunEnds(), b.RunEnds()
	if sameEnds(aEnds, bEnds) {
		return aEnds, a.RunValues(), b.RunValues()
	}
	ends = types.Alloc[int32](env.pool(), len(aEnds)+len(bEnds))
	aRuns := types.Alloc[uint32](env.pool(), len(ends))
	bRuns := types.Alloc[uint32](env.pool(), len(ends))
	n, i, j := 0, 0, 0
	for i < len(aEnds) && j < len(bEnds) {
		end := min(aEnds[i], bEnds[j])
		ends[n], aRuns[n], bRuns[n] = end, uint32(i), uint32(j)
		n++
		if aEnds[i] == end {
			i++
		}
		if bEnds[j] == end {
			j++
		}
	}
	return ends[:n], Take(env, a.RunValues(), aRuns[:n], nil), Take(env, b.RunValues(), bRuns[:n], nil)
}
