package kernels

import (
	"math"
	"strconv"

	"github.com/lacunadb/lacuna/types"
)

// castDecimal converts a plain DECIMAL vector to another number or BOOLEAN.
func castDecimal(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	from := v.Type()
	switch to.Kind() {
	case types.KindBoolean:
		switch from.Storage() {
		case types.StorageInt64:
			return nonzero(env, v, func(x int64) bool { return x != 0 }), nil
		case types.StorageInt128:
			return nonzero(env, v, func(x int128) bool { return x != int128{} }), nil
		}
		return nonzero(env, v, func(x int256) bool { return x != int256{} }), nil
	case types.KindDouble:
		return decimalsToFloats(env, v), nil
	case types.KindFloat, types.KindHalf:
		return castFloatsFrom[float64](env, v, decimalsToFloats(env, v), to)
	}
	if from.Storage() != types.StorageInt64 {
		return castWide(env, v, to)
	}
	if to.Kind() == types.KindDecimal {
		return rescale64(env, v, v, from.Precision(), from.Scale(), to)
	}
	whole := v
	if from.Scale() > 0 {
		whole, _ = convert(env, v, v, types.BigInt, func(dst, src []int64) bool {
			divideHalfAway(dst, src, pow10[from.Scale()])
			return false
		})
	}
	return castIntegersTo[int64](env, v, whole, to)
}

// rescale64 brings plain int64 values of so many digits from a scale to the decimal type to. source is what errors show.
func rescale64(env *Env, source, v *types.Vector, digits, scale int, to types.Type) (*types.Vector, error) {
	up := to.Scale() - scale
	if to.Storage() == types.StorageInt256 || up > 18 || to.Storage() == types.StorageInt128 && up < 0 {
		return castWide(env, source, to)
	}
	check := digits+up > to.Precision()
	if up < 0 && digits+up+1 > to.Precision() { // rounding may carry into one more digit
		check = true
	}
	if to.Storage() == types.StorageInt128 {
		factor, limit := pow10[up], pow10As128(to.Precision())
		return convert(env, source, v, to, func(dst []int128, src []int64) bool {
			for i, x := range src {
				dst[i] = mul64(x, factor)
			}
			return check && exceeds128(dst, limit)
		})
	}
	limit := pow10[to.Precision()]
	return convert(env, source, v, to, func(dst, src []int64) bool {
		over := false
		switch {
		case up < 0:
			divideHalfAway(dst, src, pow10[-up])
		case !check:
			for i, factor := 0, pow10[up]; i < len(src); i++ {
				dst[i] = src[i] * factor
			}
		default:
			for i, x := range src {
				r := mul64(x, pow10[up])
				dst[i] = int64(r.Lo)
				over = over || !fits64(r)
			}
		}
		return check && (over || exceeds64(dst, limit))
	})
}

// divideHalfAway divides by a power of ten, rounding half away from zero.
func divideHalfAway(dst, src []int64, divisor int64) {
	dst = dst[:len(src)]
	half := divisor / 2
	for i, x := range src {
		q := x / divisor
		switch r := x - q*divisor; {
		case r >= half:
			q++
		case r <= -half:
			q--
		}
		dst[i] = q
	}
}

// castWide converts plain integers or decimals to integers or decimals of any width through 256 bits: the path for all pairs that
// have no loop of their own.
func castWide(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	lo, hi := wideRange(to)
	one := func(i int) (int256, bool) {
		x, ok := rescaleWide(wideAt(v, i), v.Type().Scale(), to.Scale())
		return x, ok && cmp256(x, lo) >= 0 && cmp256(x, hi) <= 0
	}
	dst := types.Alloc[int256](env.pool(), n)
	failed := false
	for i := range dst {
		x, ok := one(i)
		dst[i] = x
		failed = failed || !ok
	}
	if failed {
		var err error
		valid, err = env.settle(n, valid, func(i int) bool {
			_, ok := one(i)
			return !ok
		}, func(i int) *types.Error { return castError(v, i, to) })
		if err != nil {
			return nil, err
		}
	}
	return storeWide(env, dst, valid, to), nil
}

// storeWide gives 256-bit values that are in a type's range in its storage.
func storeWide(env *Env, values []int256, valid types.Bitmap, to types.Type) *types.Vector {
	switch to.Storage() {
	case types.StorageInt8, types.StorageUint8:
		return storeLow[uint8](env, values, valid, to)
	case types.StorageInt16, types.StorageUint16:
		return storeLow[uint16](env, values, valid, to)
	case types.StorageInt32, types.StorageUint32:
		return storeLow[uint32](env, values, valid, to)
	case types.StorageInt64, types.StorageUint64:
		return storeLow[uint64](env, values, valid, to)
	case types.StorageInt128:
		dst := types.Alloc[int128](env.pool(), len(values))
		for i, x := range values {
			dst[i] = int128{Lo: x[0], Hi: int64(x[1])}
		}
		return types.NewFixed(to, dst, valid)
	}
	return types.NewFixed(to, values, valid)
}

func storeLow[T uint8 | uint16 | uint32 | uint64](env *Env, values []int256, valid types.Bitmap, to types.Type) *types.Vector {
	dst := types.Alloc[T](env.pool(), len(values))
	for i, x := range values {
		dst[i] = T(x[0])
	}
	return types.NewFixed(to, dst, valid)
}

// rescaleWide multiplies or divides by a power of ten, rounding half away from zero; false when the result has no room.
func rescaleWide(x int256, from, to int) (int256, bool) {
	switch {
	case to > from:
		r, over := mul256(x, pow10Wide[to-from])
		return r, !over
	case to < from:
		divisor := pow10Wide[from-to]
		q, r := divMod256(x, divisor)
		// Half or more: the remainder is at least as far from zero as from the divisor.
		m := abs256(r)
		rest, _ := sub256(divisor, m)
		if cmp256(m, rest) >= 0 {
			if isNeg256(x) {
				q, _ = sub256(q, int256{1})
			} else {
				q, _ = add256(q, int256{1})
			}
		}
		return q, true
	}
	return x, true
}

// wideRange gives the smallest and largest stored value of an integer or decimal type.
func wideRange(t types.Type) (lo, hi int256) {
	switch t.Kind() {
	case types.KindTinyInt:
		return int256From64(math.MinInt8), int256From64(math.MaxInt8)
	case types.KindSmallInt:
		return int256From64(math.MinInt16), int256From64(math.MaxInt16)
	case types.KindInteger:
		return int256From64(math.MinInt32), int256From64(math.MaxInt32)
	case types.KindBigInt:
		return int256From64(math.MinInt64), int256From64(math.MaxInt64)
	case types.KindUTinyInt:
		return int256{}, int256{math.MaxUint8}
	case types.KindUSmallInt:
		return int256{}, int256{math.MaxUint16}
	case types.KindUInteger:
		return int256{}, int256{math.MaxUint32}
	case types.KindUBigInt:
		return int256{}, int256{math.MaxUint64}
	case types.KindHugeInt:
		return int256From128(min128), int256From128(max128)
	}
	hi, _ = sub256(pow10Wide[t.Precision()], int256{1})
	return neg256(hi), hi
}

// integerDigits gives the decimal digits that hold every value of an integer type.
func integerDigits(t types.Type) int {
	switch t.Kind() {
	case types.KindTinyInt, types.KindUTinyInt:
		return 3
	case types.KindSmallInt, types.KindUSmallInt:
		return 5
	case types.KindInteger, types.KindUInteger:
		return 10
	case types.KindBigInt:
		return 19
	case types.KindUBigInt:
		return 20
	}
	return 39
}

// exactPow10 is the number of powers of ten that a float64 holds exactly.
const exactPow10 = 23

var pow10Float = func() (p [types.MaxDecimalPrecision + 1]float64) {
	for i := range p {
		p[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return p
}()

// decimalsToFloats gives the floats nearest to plain decimals.
func decimalsToFloats(env *Env, v *types.Vector) *types.Vector {
	n, scale := v.Len(), v.Type().Scale()
	dst := types.Alloc[float64](env.pool(), n)
	const exact = 1 << 53
	var text [96]byte
	nearest := func(i int) float64 {
		b := types.AppendDecimal(text[:0], wideAt(v, i), v.Type().Precision(), scale)
		f, _ := strconv.ParseFloat(asString(b), 64)
		return f
	}
	if v.Type().Storage() == types.StorageInt64 {
		for i, x := range types.ValuesOf[int64](v)[:n] {
			// Both operands are exact, so the division rounds once.
			if x > -exact && x < exact && scale < exactPow10 {
				dst[i] = float64(x) / pow10Float[scale]
			} else {
				dst[i] = nearest(i)
			}
		}
		return types.NewFixed(types.Double, dst, v.Validity())
	}
	for i := range dst {
		dst[i] = nearest(i)
	}
	return types.NewFixed(types.Double, dst, v.Validity())
}

// floatsToDecimals multiplies by the scale and rounds half away from zero.
func floatsToDecimals[F float](env *Env, source, v *types.Vector, to types.Type) (*types.Vector, error) {
	factor, limit := pow10Float[to.Scale()], pow10Float[to.Precision()]
	scaled := func(x F) (float64, bool) {
		r := math.Round(float64(x) * factor)
		if !(r > -limit && r < limit) {
			return 0, false
		}
		return r, true
	}
	switch to.Storage() {
	case types.StorageInt64:
		return convert(env, source, v, to, func(dst []int64, src []F) bool {
			failed := false
			for i, x := range src {
				r, ok := scaled(x)
				dst[i] = int64(r)
				failed = failed || !ok
			}
			return failed
		})
	case types.StorageInt128:
		return convert(env, source, v, to, func(dst []int128, src []F) bool {
			failed := false
			for i, x := range src {
				r, ok := scaled(x)
				dst[i], _ = int128FromFloat(r)
				failed = failed || !ok
			}
			return failed
		})
	}
	return convert(env, source, v, to, func(dst []int256, src []F) bool {
		failed := false
		for i, x := range src {
			r, ok := scaled(x)
			dst[i] = int256FromFloat(r)
			failed = failed || !ok
		}
		return failed
	})
}
