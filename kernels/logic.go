package kernels

import (
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// And gives a AND b by Kleene's three-valued logic: false if either is false, else null if either is null.
func And(env *Env, a, b *types.Vector) (*types.Vector, error) {
	return kleene(env, a, b, asm.And, asm.KleeneAnd)
}

// Or gives a OR b by Kleene's three-valued logic: true if either is true, else null if either is null.
func Or(env *Env, a, b *types.Vector) (*types.Vector, error) {
	return kleene(env, a, b, asm.Or, asm.KleeneOr)
}

// kleene takes the loop for bits without nulls and the one for bits with them.
func kleene(
	env *Env, a, b *types.Vector, bits func(dst, a, b []uint64), loop func(dst, dstValid, a, aValid, b, bValid []uint64, n int),
) (*types.Vector, error) {
	if err := sameLength(a, b); err != nil {
		return nil, err
	}
	n, pool := a.Len(), env.pool()
	if a.Encoding() == types.Constant && b.Encoding() == types.Constant {
		return onConstant(env, n, func(env *Env) (*types.Vector, error) {
			return kleene(env, firstRow(env, a), firstRow(env, b), bits, loop)
		})
	}
	if a.Encoding() == types.RunEnd && b.Encoding() == types.RunEnd && (len(a.RunEnds())+len(b.RunEnds()))*longRuns <= n {
		ends, x, y := zipRuns(env, a, b)
		values, err := kleene(env, x, y, bits, loop)
		if err != nil {
			return nil, err
		}
		return types.NewRunEnd(ends, values), nil
	}
	ab, av := truth(env, a)
	bb, bv := truth(env, b)
	dst := pool.Bitmap(n)
	if av == nil && bv == nil {
		bits(dst, ab[:len(dst)], bb[:len(dst)])
		return types.NewBool(dst, n, nil), nil
	}
	valid := pool.Bitmap(n)
	loop(dst, valid, ab, av, bb, bv, n)
	return types.NewBool(dst, n, valid), nil
}

// Xor gives true where exactly one of two booleans is; null if either is null.
func Xor(env *Env, a, b *types.Vector) (*types.Vector, error) {
	return applyBinary(env, types.Boolean, a, b, func(env *Env, a, b *types.Vector) (*types.Vector, error) {
		n := a.Len()
		dst := env.pool().Bitmap(n)
		x, y := Decode(env, a).Bools(), Decode(env, b).Bools()
		asm.Xor(dst, x[:len(dst)], y[:len(dst)])
		return types.NewBool(dst, n, bothValid(env, a, b)), nil
	})
}

// Not gives the complement of a BOOLEAN vector; null stays null.
func Not(env *Env, v *types.Vector) (*types.Vector, error) {
	if v.Type().Kind() == types.KindNull {
		return types.NewNull(types.Boolean, v.Len()), nil
	}
	return applyUnary(env, v, func(env *Env, v *types.Vector) (*types.Vector, error) {
		return types.NewBool(notBits(env.pool(), v.Bools(), v.Len()), v.Len(), v.Validity()), nil
	})
}

// truth gives the bits and validity of a BOOLEAN or NULL vector in any encoding.
func truth(env *Env, v *types.Vector) (bits, valid types.Bitmap) {
	if v.Type().Kind() == types.KindNull {
		zero := env.pool().ZeroBitmap(v.Len())
		return zero, zero
	}
	v = Decode(env, v)
	return v.Bools(), v.Validity()
}
