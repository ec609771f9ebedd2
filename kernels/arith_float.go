package kernels

import (
	"math"

	"github.com/lacunadb/lacuna/types"
)

// floatArithmetic is the kernel of + - * / // % on FLOAT and DOUBLE. Nothing overflows: results are infinite or NaN.
func floatArithmetic[T float](env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	n := a.Len()
	valid := bothValid(env, a, b)
	dst := types.Alloc[T](env.pool(), n)
	loop := addFloats[T]
	switch op {
	case opSub:
		loop = subFloats[T]
	case opMul:
		loop = mulFloats[T]
	case opDiv:
		loop = divFloats[T]
	case opIntDiv:
		loop = divFloats[T]
		valid = dropZeros(env, n, valid, types.ValuesOf[T](b), columnStep(b))
	case opMod:
		loop = modFloats[T]
	}
	zipBlocks(env, dst, a, b, loop)
	return types.NewFixed(out, dst, valid), nil
}

func addFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
	return false
}

func subFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
	return false
}

func mulFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
	return false
}

func divFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
	return false
}

func modFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Mod(float64(a[i]), float64(b[i])))
	}
	return false
}
