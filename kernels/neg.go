package kernels

import (
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Neg gives -v: of integers checked, of floats, DECIMAL and INTERVAL. The result has v's type.
func Neg(env *Env, v *types.Vector) (*types.Vector, error) {
	if v.Type().Kind() == types.KindNull {
		return v, nil
	}
	return applyUnary(env, v, func(env *Env, v *types.Vector) (*types.Vector, error) {
		if v.Type().Kind() == types.KindInterval {
			return negateIntervals(env, v)
		}
		if v.Type().IsNumeric() {
			switch v.Type().Storage() {
			case types.StorageFloat16:
				return negateBits[uint16](env, v, 1<<15), nil
			case types.StorageFloat32:
				return negateBits[uint32](env, v, 1<<31), nil
			case types.StorageFloat64:
				return negateBits[uint64](env, v, 1<<63), nil
			case types.StorageInt8:
				return negateIntegers[int8](env, v)
			case types.StorageInt16:
				return negateIntegers[int16](env, v)
			case types.StorageInt32:
				return negateIntegers[int32](env, v)
			case types.StorageInt64:
				return negateIntegers[int64](env, v)
			case types.StorageUint8:
				return negateIntegers[uint8](env, v)
			case types.StorageUint16:
				return negateIntegers[uint16](env, v)
			case types.StorageUint32:
				return negateIntegers[uint32](env, v)
			case types.StorageUint64:
				return negateIntegers[uint64](env, v)
			case types.StorageInt128:
				return negateHuge(env, v)
			case types.StorageInt256:
				dst := types.Alloc[int256](env.pool(), v.Len())
				for i, x := range types.ValuesOf[int256](v)[:v.Len()] {
					dst[i] = neg256(x)
				}
				return types.NewFixed(v.Type(), dst, v.Validity()), nil
			}
		}
		return nil, types.Errorf(types.CodeUndefinedFunction, "no operator - for %s", v.Type())
	})
}

// negateBits flips the sign bit of floats; unlike 0-x it turns 0 into -0, as IEEE's negate does.
func negateBits[T uint16 | uint32 | uint64](env *Env, v *types.Vector, sign T) *types.Vector {
	dst := types.Alloc[T](env.pool(), v.Len())
	for i, x := range types.ValuesOf[T](v)[:v.Len()] {
		dst[i] = x ^ sign
	}
	return types.NewFixed(v.Type(), dst, v.Validity())
}

// negateIntegers gives 0 - v.
func negateIntegers[T integer](env *Env, v *types.Vector) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	dst, bad := types.Alloc[T](env.pool(), n), env.pool().Bitmap(n)
	if asm.ConstSubChecked(dst, 0, types.ValuesOf[T](v)[:n], bad) {
		var err error
		if valid, err = env.settleBad(n, valid, bad, negationOverflow(v)); err != nil {
			return nil, err
		}
	}
	return types.NewFixed(v.Type(), dst, valid), nil
}

func negateHuge(env *Env, v *types.Vector) (*types.Vector, error) {
	zero := types.NewConstant(types.NewFixed(v.Type(), make([]int128, 1), nil), v.Len())
	return runChecked(env, v.Type(), zero, v, v.Validity(), loops128(opSub), negationOverflow(v))
}

func negationOverflow(v *types.Vector) func(int) *types.Error {
	return func(i int) *types.Error {
		return types.Errorf(types.CodeNumericOutOfRange, "overflow in negation of %s (%s)", v.Type(), types.Text(v, i))
	}
}
