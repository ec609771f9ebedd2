package kernels

import (
	"math"
	"unsafe"

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
			wide, _ = convert(env, v, v, types.BigInt, integersTo[F, int64])
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
		return convert(env, v, v, to, integersToFloats[F, float32])
	case types.KindDouble:
		return convert(env, v, v, to, integersToFloats[F, float64])
	}
	return castIntegersTo[F](env, v, v, to)
}

// castIntegersTo converts plain integers of at most 64 bits to an integer type; source is what errors show.
func castIntegersTo[F integer](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Storage() {
	case types.StorageInt8:
		return convert(env, source, v, to, integersTo[F, int8])
	case types.StorageInt16:
		return convert(env, source, v, to, integersTo[F, int16])
	case types.StorageInt32:
		return convert(env, source, v, to, integersTo[F, int32])
	case types.StorageInt64:
		return convert(env, source, v, to, integersTo[F, int64])
	case types.StorageUint8:
		return convert(env, source, v, to, integersTo[F, uint8])
	case types.StorageUint16:
		return convert(env, source, v, to, integersTo[F, uint16])
	case types.StorageUint32:
		return convert(env, source, v, to, integersTo[F, uint32])
	case types.StorageUint64:
		return convert(env, source, v, to, integersTo[F, uint64])
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

// integersTo converts integers and tells whether one changed its value: by its bits or by its sign. Nothing is compared when T holds
// every value of F. Loops take four values a turn, as the compiler unrolls none itself.
func integersTo[F, T integer](dst []T, src []F) bool {
	dst = dst[:len(src)]
	fromSigned, toSigned := ^F(0) < 0, ^T(0) < 0
	from, to := unsafe.Sizeof(F(0)), unsafe.Sizeof(T(0))
	if fromSigned == toSigned && to >= from || toSigned && to > from {
		for ; len(src) >= 4; dst, src = dst[4:], src[4:] {
			d, s := (*[4]T)(dst), (*[4]F)(src)
			d[0], d[1], d[2], d[3] = T(s[0]), T(s[1]), T(s[2]), T(s[3])
		}
		for i, x := range src {
			dst[i] = T(x)
		}
		return false
	}
	var changed, values F // the bits that differ, and the bits of all values
	var results T
	for ; len(src) >= 4; dst, src = dst[4:], src[4:] {
		d, s := (*[4]T)(dst), (*[4]F)(src)
		y0, y1, y2, y3 := T(s[0]), T(s[1]), T(s[2]), T(s[3])
		changed |= F(y0) ^ s[0] | F(y1) ^ s[1] | F(y2) ^ s[2] | F(y3) ^ s[3]
		values |= s[0] | s[1] | s[2] | s[3]
		results |= y0 | y1 | y2 | y3
		d[0], d[1], d[2], d[3] = y0, y1, y2, y3
	}
	for i, x := range src {
		y := T(x)
		changed |= F(y) ^ x
		values |= x
		results |= y
		dst[i] = y
	}
	// The sign bit of the OR is set when one is. Signs that both types have are equal when the bits are.
	return changed != 0 || fromSigned && !toSigned && values < 0 || !fromSigned && toSigned && results < 0
}

func integersToFloats[F integer, T float](dst []T, src []F) bool {
	dst = dst[:len(src)]
	for ; len(src) >= 4; dst, src = dst[4:], src[4:] {
		d, s := (*[4]T)(dst), (*[4]F)(src)
		d[0], d[1], d[2], d[3] = T(s[0]), T(s[1]), T(s[2]), T(s[3])
	}
	for i, x := range src {
		dst[i] = T(x)
	}
	return false
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

func castFloatsFrom[F float](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch to.Kind() {
	case types.KindBoolean:
		return nonzero(env, v, func(x F) bool { return x != 0 }), nil
	case types.KindTinyInt:
		return convert(env, source, v, to, floatsTo[F, int8](math.MinInt8, 1<<7))
	case types.KindSmallInt:
		return convert(env, source, v, to, floatsTo[F, int16](math.MinInt16, 1<<15))
	case types.KindInteger:
		return convert(env, source, v, to, floatsTo[F, int32](math.MinInt32, 1<<31))
	case types.KindBigInt:
		return convert(env, source, v, to, floatsTo[F, int64](math.MinInt64, 1<<63))
	case types.KindUTinyInt:
		return convert(env, source, v, to, floatsTo[F, uint8](0, 1<<8))
	case types.KindUSmallInt:
		return convert(env, source, v, to, floatsTo[F, uint16](0, 1<<16))
	case types.KindUInteger:
		return convert(env, source, v, to, floatsTo[F, uint32](0, 1<<32))
	case types.KindUBigInt:
		return convert(env, source, v, to, floatsTo[F, uint64](0, 1<<64))
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
		return convert(env, source, v, to, func(dst []float32, src []F) bool {
			failed := false
			for i, x := range src {
				f := float32(x)
				dst[i] = f
				failed = failed || f-f != 0 && x-x == 0 // finite became infinite
			}
			return failed
		})
	case types.KindDouble:
		return convert(env, source, v, to, func(dst []float64, src []F) bool {
			for i, x := range src {
				dst[i] = float64(x)
			}
			return false
		})
	}
	return floatsToDecimals[F](env, source, v, to)
}

// floatsTo makes the loop that rounds floats half to even to an integer type with the range lo to below hi.
func floatsTo[F float, T integer](lo, hi float64) func(dst []T, src []F) bool {
	return func(dst []T, src []F) bool {
		dst = dst[:len(src)]
		failed := false
		for i, x := range src {
			r := math.RoundToEven(float64(x))
			if !(r >= lo && r < hi) { // NaN is not
				failed = true
				r = 0
			}
			dst[i] = T(r)
		}
		return failed
	}
}
