package kernels

import (
	"math"
	"unsafe"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// castBoolean converts a plain BOOLEAN vector to a number: 0 or 1. Only a DECIMAL without digits before the point has no room for 1.
func castBoolean(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n := v.Len()
	dst := types.Alloc[int8](env.pool(), n)
	for i, values := 0, v.Bools(); i < n; i++ {
		dst[i] = int8(bit(values.Get(i)))
	}
	return Cast(env, types.NewFixed(types.TinyInt, dst, v.Validity()), to)
}

// castInteger converts a plain integer vector, HUGEINT included, to another number or BOOLEAN.
func castInteger(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch v.Type().Storage() {
	case types.StorageInt8:
		return castIntegersFrom[int8](env, v, to)
	case types.StorageInt16:
		return castIntegersFrom[int16](env, v, to)
	case types.StorageInt32:
		return castIntegersFrom[int32](env, v, to)
	case types.StorageInt64:
		return castIntegersFrom[int64](env, v, to)
	case types.StorageUint8:
		return castIntegersFrom[uint8](env, v, to)
	case types.StorageUint16:
		return castIntegersFrom[uint16](env, v, to)
	case types.StorageUint32:
		return castIntegersFrom[uint32](env, v, to)
	case types.StorageUint64:
		return castIntegersFrom[uint64](env, v, to)
	}
	return castHuge(env, v, to)
}

func castIntegersFrom[F integer](env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Kind() {
	case types.KindBoolean:
		return nonzero(env, v, func(x F) bool { return x != 0 }), nil
	case types.KindDecimal:
		if v.Type().Storage() == types.StorageUint64 {
			return castWide(env, v, to)
		}
		wide := v
		if v.Type().Storage() != types.StorageInt64 {
			wide, _ = castIntegersTo[F](env, v, v, types.BigInt)
		}
		return rescale64(env, v, wide, integerDigits(v.Type()), 0, to)
	case types.KindHalf:
		return convert(env, v, v, to, func(dst []uint16, src []F) bool {
			failed := false
			for i, x := range src {
				dst[i] = types.HalfFromFloat(float64(x))
				failed = failed || dst[i]&0x7fff == 0x7c00
			}
			return failed
		})
	case types.KindFloat:
		return convertAll(env, v, to, asm.IntsToFloats[float32, F]), nil
	case types.KindDouble:
		return convertAll(env, v, to, asm.IntsToFloats[float64, F]), nil
	}
	return castIntegersTo[F](env, v, v, to)
}

// castIntegersTo converts plain integers of at most 64 bits to an integer type; source is what errors show.
func castIntegersTo[F integer](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Storage() {
	case types.StorageInt8:
		return castIntegers[F, int8](env, source, v, to)
	case types.StorageInt16:
		return castIntegers[F, int16](env, source, v, to)
	case types.StorageInt32:
		return castIntegers[F, int32](env, source, v, to)
	case types.StorageInt64:
		return castIntegers[F, int64](env, source, v, to)
	case types.StorageUint8:
		return castIntegers[F, uint8](env, source, v, to)
	case types.StorageUint16:
		return castIntegers[F, uint16](env, source, v, to)
	case types.StorageUint32:
		return castIntegers[F, uint32](env, source, v, to)
	case types.StorageUint64:
		return castIntegers[F, uint64](env, source, v, to)
	}
	return convert(env, source, v, to, func(dst []int128, src []F) bool {
		for i, x := range src {
			dst[i] = int128{Lo: uint64(x)}
			if x < 0 {
				dst[i].Hi = -1
			}
		}
		return false
	})
}

// castIntegers converts between integers of at most 64 bits. Nothing is checked when T holds every value of F.
func castIntegers[F, T integer](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	fromSigned, toSigned := ^F(0) < 0, ^T(0) < 0
	fromSize, toSize := unsafe.Sizeof(F(0)), unsafe.Sizeof(T(0))
	if fromSigned == toSigned && toSize >= fromSize || toSigned && toSize > fromSize {
		return convertAll(env, v, to, asm.WidenInts[T, F]), nil
	}
	if env.wrap() && source.Type().IsInteger() {
		return convertAll(env, v, to, func(dst []T, src []F) { asm.CastIntsChecked(dst, src, env.pool().Bitmap(len(src))) }), nil
	}
	return convertChecked(env, source, v, to, asm.CastIntsChecked[T, F])
}

// nonzero gives the truth of numbers: everything but zero.
func nonzero[F types.Fixed](env *Env, v *types.Vector, truth func(F) bool) *types.Vector {
	n := v.Len()
	dst := env.pool().ZeroBitmap(n)
	for i, x := range types.ValuesOf[F](v)[:n] {
		dst[i>>6] |= bit(truth(x)) << (uint(i) & 63)
	}
	return types.NewBool(dst, n, v.Validity())
}

func castHuge(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	if env.wrap() && to.IsInteger() {
		low := types.Alloc[uint64](env.pool(), v.Len())
		for i, x := range types.ValuesOf[int128](v)[:len(low)] {
			low[i] = x.Lo
		}
		return castIntegersTo[uint64](env, v, types.NewFixed(types.UBigInt, low, v.Validity()), to)
	}
	switch to.Kind() {
	case types.KindBoolean:
		return nonzero(env, v, func(x int128) bool { return x != int128{} }), nil
	case types.KindDouble:
		return convert(env, v, v, to, func(dst []float64, src []int128) bool {
			for i, x := range src {
				dst[i] = float128(x)
			}
			return false
		})
	case types.KindFloat, types.KindHalf:
		f, _ := castHuge(env, v, types.Double)
		return castFloatsFrom[float64](env, v, f, to)
	}
	return castWide(env, v, to)
}

// castFloat converts a plain HALF, FLOAT or DOUBLE vector to another number or BOOLEAN.
func castFloat(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch v.Type().Kind() {
	case types.KindHalf:
		f := halvesToFloats(env, v)
		if to.Kind() == types.KindFloat {
			return f, nil
		}
		return castFloatsFrom[float32](env, v, f, to)
	case types.KindFloat:
		return castFloatsFrom[float32](env, v, v, to)
	}
	return castFloatsFrom[float64](env, v, v, to)
}

// castFloatsFrom converts plain floats of type F to another type; source is what errors show.
func castFloatsFrom[F float](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Kind() {
	case types.KindBoolean:
		return nonzero(env, v, func(x F) bool { return x != 0 }), nil
	case types.KindTinyInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[int8, F])
	case types.KindSmallInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[int16, F])
	case types.KindInteger:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[int32, F])
	case types.KindBigInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[int64, F])
	case types.KindUTinyInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[uint8, F])
	case types.KindUSmallInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[uint16, F])
	case types.KindUInteger:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[uint32, F])
	case types.KindUBigInt:
		return convertChecked(env, source, v, to, asm.FloatsToIntsChecked[uint64, F])
	case types.KindHugeInt:
		return convert(env, source, v, to, func(dst []int128, src []F) bool {
			failed := false
			for i, x := range src {
				var ok bool
				dst[i], ok = int128FromFloat(math.RoundToEven(float64(x)))
				failed = failed || !ok
			}
			return failed
		})
	case types.KindHalf:
		return convert(env, source, v, to, func(dst []uint16, src []F) bool {
			failed := false
			for i, x := range src {
				dst[i] = types.HalfFromFloat(float64(x))
				failed = failed || dst[i]&0x7fff == 0x7c00 && !math.IsInf(float64(x), 0)
			}
			return failed
		})
	case types.KindFloat:
		return convertChecked(env, source, v, to, asm.NarrowFloatsChecked)
	case types.KindDouble:
		return convertAll(env, v, to, asm.WidenFloats), nil
	}
	return floatsToDecimals[F](env, source, v, to)
}
