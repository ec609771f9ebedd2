package kernels

import "github.com/lacunadb/lacuna/types"

// IsNull gives v IS NULL as BOOLEAN without nulls. Of nested values only the level itself counts (null-semantics 2.5).
func IsNull(env *Env, v *types.Vector) *types.Vector {
	pool, n := env.pool(), v.Len()
	valid := types.LogicalValidity(pool, v)
	if valid == nil {
		return types.NewBool(pool.ZeroBitmap(n), n, nil)
	}
	return types.NewBool(notBits(pool, valid, n), n, nil)
}

// IsNotNull gives v IS NOT NULL as BOOLEAN without nulls.
func IsNotNull(env *Env, v *types.Vector) *types.Vector {
	pool, n := env.pool(), v.Len()
	dst := copyValidity(pool, types.LogicalValidity(pool, v), n)
	return types.NewBool(dst, n, nil)
}

// UnionValueIsNull gives for each row of a UNION vector whether it is not NULL itself but holds null in its variant, as BOOLEAN without nulls.
func UnionValueIsNull(env *Env, v *types.Vector) *types.Vector {
	pool, n := env.pool(), v.Len()
	outer, inner := unionValidity(env, v)
	if inner == nil {
		return types.NewBool(pool.ZeroBitmap(n), n, nil)
	}
	return types.NewBool(types.AndNotBitmaps(pool, outer, inner, n), n, nil)
}

// IsNullDeep gives for each row of a UNION vector whether it is NULL or holds null in its variant, as BOOLEAN without nulls.
func IsNullDeep(env *Env, v *types.Vector) *types.Vector {
	pool, n := env.pool(), v.Len()
	outer, inner := unionValidity(env, v)
	valid := types.AndBitmaps(pool, outer, inner, n)
	if valid == nil {
		return types.NewBool(pool.ZeroBitmap(n), n, nil)
	}
	return types.NewBool(notBits(pool, valid, n), n, nil)
}

// unionValidity gives the rows of a union that are not NULL, and those whose variant holds a value.
func unionValidity(env *Env, v *types.Vector) (outer, inner types.Bitmap) {
	plain := Decode(env, v)
	return plain.Validity(), types.InnerValidity(env.pool(), plain)
}

// TrueRows gives the rows of a BOOLEAN or NULL vector that are true: the selection that a condition makes.
func TrueRows(env *Env, v *types.Vector) types.Bitmap {
	bits, valid := truth(env, v)
	return types.AndBitmaps(env.pool(), bits, valid, v.Len())
}

// IsTrue gives v IS TRUE as BOOLEAN without nulls.
func IsTrue(env *Env, v *types.Vector) *types.Vector {
	return types.NewBool(TrueRows(env, v), v.Len(), nil)
}

// IsNotTrue gives v IS NOT TRUE as BOOLEAN without nulls: false or null.
func IsNotTrue(env *Env, v *types.Vector) *types.Vector {
	return types.NewBool(notBits(env.pool(), TrueRows(env, v), v.Len()), v.Len(), nil)
}

// IsFalse gives v IS FALSE as BOOLEAN without nulls.
func IsFalse(env *Env, v *types.Vector) *types.Vector {
	return types.NewBool(falseRows(env, v), v.Len(), nil)
}

// IsNotFalse gives v IS NOT FALSE as BOOLEAN without nulls: true or null.
func IsNotFalse(env *Env, v *types.Vector) *types.Vector {
	return types.NewBool(notBits(env.pool(), falseRows(env, v), v.Len()), v.Len(), nil)
}

// falseRows gives the rows of a BOOLEAN or NULL vector that are false.
func falseRows(env *Env, v *types.Vector) types.Bitmap {
	bits, valid := truth(env, v)
	return types.AndBitmaps(env.pool(), notBits(env.pool(), bits, v.Len()), valid, v.Len())
}
