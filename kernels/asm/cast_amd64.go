//go:build amd64 && !purego && !noasm

package asm

//go:generate go -C _gen run . -verb cast -out ../cast_amd64.s -stubs ../stubs_cast_amd64.go -pkg asm

var avx2Casts = castKernels{
	int8ToInt16:      casting(int8ToInt16AVX2),
	int8ToInt32:      casting(int8ToInt32AVX2),
	int8ToInt64:      casting(int8ToInt64AVX2),
	int16ToInt32:     casting(int16ToInt32AVX2),
	int16ToInt64:     casting(int16ToInt64AVX2),
	int32ToInt64:     casting(int32ToInt64AVX2),
	uint8ToUint16:    casting(uint8ToUint16AVX2),
	uint8ToUint32:    casting(uint8ToUint32AVX2),
	uint8ToUint64:    casting(uint8ToUint64AVX2),
	uint16ToUint32:   casting(uint16ToUint32AVX2),
	uint16ToUint64:   casting(uint16ToUint64AVX2),
	uint32ToUint64:   casting(uint32ToUint64AVX2),
	int8ToFloat64:    casting(int8ToFloat64AVX2),
	int16ToFloat64:   casting(int16ToFloat64AVX2),
	int32ToFloat64:   casting(int32ToFloat64AVX2),
	int64ToFloat64:   casting(int64ToFloat64AVX2),
	uint8ToFloat64:   casting(uint8ToFloat64AVX2),
	uint16ToFloat64:  casting(uint16ToFloat64AVX2),
	uint32ToFloat64:  casting(uint32ToFloat64AVX2),
	uint64ToFloat64:  casting(uint64ToFloat64AVX2),
	int8ToFloat32:    casting(int8ToFloat32AVX2),
	int16ToFloat32:   casting(int16ToFloat32AVX2),
	int32ToFloat32:   casting(int32ToFloat32AVX2),
	uint8ToFloat32:   casting(uint8ToFloat32AVX2),
	uint16ToFloat32:  casting(uint16ToFloat32AVX2),
	float32ToFloat64: casting(float32ToFloat64AVX2),

	uint64ToUint32: narrowing(uint64ToUint32AVX2),
	uint64ToUint16: narrowing(uint64ToUint16AVX2),
	uint64ToUint8:  narrowing(uint64ToUint8AVX2),
	uint32ToUint16: narrowing(uint32ToUint16AVX2),
	uint32ToUint8:  narrowing(uint32ToUint8AVX2),
	uint16ToUint8:  narrowing(uint16ToUint8AVX2),

	float64ToInt64:   castingChecked(float64ToInt64AVX2),
	float64ToInt32:   castingChecked(float64ToInt32AVX2),
	float32ToInt64:   castingChecked(float32ToInt64AVX2),
	float32ToInt32:   castingChecked(float32ToInt32AVX2),
	float64ToFloat32: castingChecked(float64ToFloat32AVX2),
}

// The functions below adapt slices to assembly. What they give is called through the table, so not inlined, and is the place where
// the scheduler can preempt a loop of calls.

func casting[T, F Number](kernel func(dst *T, src *F, words int)) func(dst []T, src []F) {
	return func(dst []T, src []F) { kernel(&dst[0], &src[0], len(src)/wordRows) }
}

func castingChecked[T, F Number](kernel func(dst *T, src *F, words int) int) func(dst []T, src []F) int {
	return func(dst []T, src []F) int { return kernel(&dst[0], &src[0], len(src)/wordRows) }
}

func narrowing[T, F Unsigned](kernel func(dst *T, src *F, words int, bias, mask uint64) int) func(dst []T, src []F, check intCheck[F]) int {
	return func(dst []T, src []F, check intCheck[F]) int {
		lanes := ^uint64(0) / uint64(^F(0)) // a one in each lane
		return kernel(&dst[0], &src[0], len(src)/wordRows, uint64(check.bias)*lanes, uint64(check.mask)*lanes)
	}
}
