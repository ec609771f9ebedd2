package kernels

import "github.com/lacunadb/lacuna/types"

// halvesToFloats gives a HALF vector, plain or constant, as FLOAT.
func halvesToFloats(env *Env, v *types.Vector) *types.Vector {
	src := types.ValuesOf[uint16](v)
	dst := types.Alloc[float32](env.pool(), len(src))
	for i, h := range src {
		dst[i] = types.HalfToFloat(h)
	}
	f := types.NewFixed(types.Float, dst, v.Validity())
	if v.Encoding() == types.Constant {
		return types.NewConstant(f, v.Len())
	}
	return f
}

// floatsToHalves rounds a plain FLOAT vector to HALF.
func floatsToHalves(env *Env, v *types.Vector) *types.Vector {
	src := types.ValuesOf[float32](v)
	dst := types.Alloc[uint16](env.pool(), len(src))
	for i, f := range src {
		dst[i] = types.HalfFromFloat(float64(f))
	}
	return types.NewFixed(types.Half, dst, v.Validity())
}
