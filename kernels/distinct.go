package kernels

import "github.com/lacunadb/lacuna/types"

// IsDistinct gives a IS DISTINCT FROM b as BOOLEAN without nulls: <> in which null equals null, at every level of nested
// values (null-semantics 2.11). Floats compare as Env.Floats says. Both vectors have one type, or one is of type NULL.
func IsDistinct(env *Env, a, b *types.Vector) (*types.Vector, error) {
	dst, err := distinctRows(env, a, b)
	if err != nil {
		return nil, err
	}
	return types.NewBool(dst, a.Len(), nil), nil
}

// IsNotDistinct gives the complement of IsDistinct.
func IsNotDistinct(env *Env, a, b *types.Vector) (*types.Vector, error) {
	dst, err := distinctRows(env, a, b)
	if err != nil {
		return nil, err
	}
	return types.NewBool(notBits(env.pool(), dst, a.Len()), a.Len(), nil), nil
}

// distinctRows gives the rows in which a and b are distinct.
func distinctRows(env *Env, a, b *types.Vector) (types.Bitmap, error) {
	if err := sameLength(a, b); err != nil {
		return nil, err
	}
	if err := sameComparable(a, b); err != nil {
		return nil, err
	}
	rel := total
	switch env.floats() {
	case FloatsTotalOrder:
		a, b = totalOrdered(env, a), totalOrdered(env, b)
	case FloatsIEEE:
		rel |= ieee
	}
	n, pool := a.Len(), env.pool()
	if a.Type().IsNested() && a.Type().Kind() == b.Type().Kind() {
		dst := pool.ZeroBitmap(n)
		for i := range n {
			if compareRows(rel, a, i, b, i) != 0 {
				dst.Set(i)
			}
		}
		return dst, nil
	}
	av, bv := types.LogicalValidity(pool, a), types.LogicalValidity(pool, b)
	r, err := Compare(env, NotEqual, a, b)
	if err != nil {
		return nil, err
	}
	differ := Decode(env, r).Bools()
	if av == nil && bv == nil {
		return differ, nil
	}
	dst := pool.Bitmap(n)
	for w := range dst {
		p, q := validWord(av, w), validWord(bv, w)
		dst[w] = (p ^ q) | p&q&differ[w]
	}
	if n > 0 {
		dst[len(dst)-1] &= types.LastWordMask(n)
	}
	return dst, nil
}

// validWord gives word w of a validity, where nil has every bit set.
func validWord(valid types.Bitmap, w int) uint64 {
	if valid == nil {
		return ^uint64(0)
	}
	return valid[w]
}
