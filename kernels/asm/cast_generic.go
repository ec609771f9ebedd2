package asm

import "math"

// genericCasts is the specification of the casts.
var genericCasts = castKernels{
	int8ToInt16:      castNumbers[int16, int8],
	int8ToInt32:      castNumbers[int32, int8],
	int8ToInt64:      castNumbers[int64, int8],
	int16ToInt32:     castNumbers[int32, int16],
	int16ToInt64:     castNumbers[int64, int16],
	int32ToInt64:     castNumbers[int64, int32],
	uint8ToUint16:    castNumbers[uint16, uint8],
	uint8ToUint32:    castNumbers[uint32, uint8],
	uint8ToUint64:    castNumbers[uint64, uint8],
	uint16ToUint32:   castNumbers[uint32, uint16],
	uint16ToUint64:   castNumbers[uint64, uint16],
	uint32ToUint64:   castNumbers[uint64, uint32],
	int8ToFloat64:    castNumbers[float64, int8],
	int16ToFloat64:   castNumbers[float64, int16],
	int32ToFloat64:   castNumbers[float64, int32],
	int64ToFloat64:   castNumbers[float64, int64],
	uint8ToFloat64:   castNumbers[float64, uint8],
	uint16ToFloat64:  castNumbers[float64, uint16],
	uint32ToFloat64:  castNumbers[float64, uint32],
	uint64ToFloat64:  castNumbers[float64, uint64],
	int8ToFloat32:    castNumbers[float32, int8],
	int16ToFloat32:   castNumbers[float32, int16],
	int32ToFloat32:   castNumbers[float32, int32],
	uint8ToFloat32:   castNumbers[float32, uint8],
	uint16ToFloat32:  castNumbers[float32, uint16],
	float32ToFloat64: castNumbers[float64, float32],

	uint64ToUint32: castInts[uint32, uint64],
	uint64ToUint16: castInts[uint16, uint64],
	uint64ToUint8:  castInts[uint8, uint64],
	uint32ToUint16: castInts[uint16, uint32],
	uint32ToUint8:  castInts[uint8, uint32],
	uint16ToUint8:  castInts[uint8, uint16],

	float64ToInt64:   floatsToInts[int64, float64],
	float64ToInt32:   floatsToInts[int32, float64],
	float32ToInt64:   floatsToInts[int64, float32],
	float32ToInt32:   floatsToInts[int32, float32],
	float64ToFloat32: narrowFloats,
}

// castNumbers casts any number of rows, of which all fit. Loops take four values a turn, as the compiler unrolls none itself.
func castNumbers[T, F Number](dst []T, src []F) {
	for ; len(src) >= 4; dst, src = dst[4:], src[4:] {
		d, s := (*[4]T)(dst), (*[4]F)(src)
		d[0], d[1], d[2], d[3] = T(s[0]), T(s[1]), T(s[2]), T(s[3])
	}
	for i, x := range src {
		dst[i] = T(x)
	}
}

// castInts casts whole blocks up to the first one with a row that does not fit.
func castInts[T, F Integer](dst []T, src []F, check intCheck[F]) int {
	bias, mask := check.bias, check.mask
	words := len(src) / wordRows
	for w := range words {
		d, s := (*[wordRows]T)(dst[w*wordRows:]), (*[wordRows]F)(src[w*wordRows:])
		var all F
		for i := 0; i < wordRows; i += 4 {
			d, s := (*[4]T)(d[i:]), (*[4]F)(s[i:])
			all |= (s[0] + bias) | (s[1] + bias) | (s[2] + bias) | (s[3] + bias)
			d[0], d[1], d[2], d[3] = T(s[0]), T(s[1]), T(s[2]), T(s[3])
		}
		if all&mask != 0 {
			return w
		}
	}
	return words
}

// flagInts casts up to 64 rows and gives the bitmap of those that do not fit.
func flagInts[T, F Integer](dst []T, src []F, check intCheck[F]) (word uint64) {
	for i, x := range src {
		dst[i] = T(x)
		word |= bit((x+check.bias)&check.mask != 0) << (uint(i) & 63)
	}
	return word
}

// floatsToInts casts whole blocks up to the first one with a row that does not fit.
//
// Adding 1.5<<52 to a float below 1<<51 rounds it to a whole number in the low bits of the sum; greater ones change its exponent.
func floatsToInts[T Integer, F Float](dst []T, src []F) int {
	const base = 0x1.8p52
	const exponent = 0xfff << 52
	check := checkOf[T, int64]()
	words := len(src) / wordRows
	for w := range words {
		d, s := dst[w*wordRows:][:wordRows], src[w*wordRows:][:wordRows]
		var changed uint64
		var all int64
		for i, x := range s {
			sum := math.Float64bits(float64(x) + base)
			changed |= sum ^ math.Float64bits(base)
			r := int64(sum - math.Float64bits(base))
			all |= r + check.bias
			d[i] = T(r)
		}
		if (changed&exponent != 0 || all&check.mask != 0) && roundFloats(d, s) != 0 {
			return w
		}
	}
	return words
}

// roundFloats rounds up to 64 rows, half to even, and gives the bitmap of those that do not fit, which become 0. NaN does not.
func roundFloats[T Integer, F Float](dst []T, src []F) (word uint64) {
	limit := float64(uint64(1) << (8*width[T]() - 1))
	least := -limit
	if !isSigned[T]() {
		least, limit = 0, 2*limit
	}
	for i, x := range src {
		r := math.RoundToEven(float64(x))
		if r >= least && r < limit {
			dst[i] = T(r)
			continue
		}
		dst[i] = 0
		word |= 1 << (uint(i) & 63)
	}
	return word
}

// narrowFloats casts whole blocks up to the first one with a finite row that becomes infinite.
func narrowFloats(dst []float32, src []float64) int {
	words := len(src) / wordRows
	for w := range words {
		if flagFloats(dst[w*wordRows:][:wordRows], src[w*wordRows:][:wordRows]) != 0 {
			return w
		}
	}
	return words
}

// flagFloats casts up to 64 rows and gives the bitmap of finite ones that become infinite.
func flagFloats(dst []float32, src []float64) (word uint64) {
	for i, x := range src {
		f := float32(x)
		dst[i] = f
		if f-f != 0 && x-x == 0 {
			word |= 1 << (uint(i) & 63)
		}
	}
	return word
}
