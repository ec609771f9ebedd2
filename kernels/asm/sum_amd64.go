//go:build amd64 && !purego && !noasm

package asm

import "math/bits"

// Adapters of sums; see amd64.go.

//go:noinline
func sumFloat64(lanes floatLanes, values []float64, mask []uint64) floatLanes {
	sumFloat64AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return lanes
}

//go:noinline
func sumFloat32(lanes floatLanes, values []float32, mask []uint64) floatLanes {
	sumFloat32AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return lanes
}

//go:noinline
func sumInt64(values []int64, mask []uint64) (hi int64, lo uint64) {
	var sums [8]uint64
	sumInt64AVX2(&sums[0], &values[0], &mask[0], len(mask))
	hi, lo = wideSum(&sums)
	// The kernel added 1<<63 a row. There are whole words of them, so that is a multiple of 1<<64.
	return hi - int64(len(mask))*wordRows/2, lo
}

//go:noinline
func sumUint64(values []uint64, mask []uint64) (hi int64, lo uint64) {
	var sums [8]uint64
	sumUint64AVX2(&sums[0], &values[0], &mask[0], len(mask))
	return wideSum(&sums)
}

// wideSum adds four sums modulo 1<<64 and four sums of high halves.
func wideSum(sums *[8]uint64) (hi int64, lo uint64) {
	var low, high uint64
	for i, whole := range sums[:4] {
		low += whole - sums[4+i]<<32
		high += sums[4+i]
	}
	lo, carry := bits.Add64(low, high<<32, 0)
	return int64(high>>32 + carry), lo
}

// narrowSum makes 128 bits of 64.
func narrowSum(sum int64) (hi int64, lo uint64) { return sum >> 63, uint64(sum) }

//go:noinline
func sumInt32(values []int32, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumInt32AVX2(&values[0], &mask[0], len(mask)))
}

//go:noinline
func sumUint32(values []uint32, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumUint32AVX2(&values[0], &mask[0], len(mask)))
}

//go:noinline
func sumInt16(values []int16, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumInt16AVX2(&values[0], &mask[0], len(mask)))
}

//go:noinline
func sumUint16(values []uint16, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumUint16AVX2(&values[0], &mask[0], len(mask)))
}

//go:noinline
func sumInt8(values []int8, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumInt8AVX2(&values[0], &mask[0], len(mask)))
}

//go:noinline
func sumUint8(values []uint8, mask []uint64) (hi int64, lo uint64) {
	return narrowSum(sumUint8AVX2(&values[0], &mask[0], len(mask)))
}
