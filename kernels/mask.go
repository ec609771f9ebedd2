package kernels

import "github.com/lacunadb/lacuna/types"

// Mask gives v with the rows nulled in which a condition is true: a true nulls the row, false and null keep it (null-semantics
// 2.6). The condition is a BOOLEAN vector in any encoding. Values are shared.
func Mask(env *Env, v, condition *types.Vector) (*types.Vector, error) {
	if err := sameLength(v, condition); err != nil {
		return nil, err
	}
	return nullRows(env, v, TrueRows(env, condition)), nil
}

// nullRows gives v with the rows of a bitmap nulled.
func nullRows(env *Env, v *types.Vector, rows types.Bitmap) *types.Vector {
	n, pool := v.Len(), env.pool()
	switch count := rows.Count(n); {
	case count == 0 || isNullConstant(v):
		return v
	case count == n:
		return types.NewNull(v.Type(), n)
	}
	switch v.Encoding() {
	case types.Constant:
		keys := types.Alloc[uint32](pool, n)
		clear(keys)
		return types.NewDictionary(keys, v.First(), notBits(pool, rows, n))
	case types.RunEnd:
		indices := types.Alloc[uint32](pool, n)
		for i := range indices {
			indices[i] = uint32(i)
		}
		return Take(env, v, indices, notBits(pool, rows, n))
	}
	return v.WithValidity(types.AndNotBitmaps(pool, v.Validity(), rows, n))
}
