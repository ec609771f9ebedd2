//go:build amd64 && !purego && !noasm

package asm

// Adapters of extremes; see amd64.go.

//go:noinline
func minInt64(best int64, values []int64, mask []uint64) int64 {
	return minInt64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxInt64(best int64, values []int64, mask []uint64) int64 {
	return maxInt64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minUint64(best uint64, values []uint64, mask []uint64) uint64 {
	return minUint64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxUint64(best uint64, values []uint64, mask []uint64) uint64 {
	return maxUint64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minInt32(best int32, values []int32, mask []uint64) int32 {
	return minInt32AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxInt32(best int32, values []int32, mask []uint64) int32 {
	return maxInt32AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minUint32(best uint32, values []uint32, mask []uint64) uint32 {
	return minUint32AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxUint32(best uint32, values []uint32, mask []uint64) uint32 {
	return maxUint32AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minInt16(best int16, values []int16, mask []uint64) int16 {
	return minInt16AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxInt16(best int16, values []int16, mask []uint64) int16 {
	return maxInt16AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minUint16(best uint16, values []uint16, mask []uint64) uint16 {
	return minUint16AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxUint16(best uint16, values []uint16, mask []uint64) uint16 {
	return maxUint16AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minInt8(best int8, values []int8, mask []uint64) int8 {
	return minInt8AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxInt8(best int8, values []int8, mask []uint64) int8 {
	return maxInt8AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minUint8(best uint8, values []uint8, mask []uint64) uint8 {
	return minUint8AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxUint8(best uint8, values []uint8, mask []uint64) uint8 {
	return maxUint8AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minFloat64(best float64, values []float64, mask []uint64) float64 {
	return minFloat64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxFloat64(best float64, values []float64, mask []uint64) float64 {
	return maxFloat64AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func minFloat32(best float32, values []float32, mask []uint64) float32 {
	return minFloat32AVX2(best, &values[0], &mask[0], len(mask))
}

//go:noinline
func maxFloat32(best float32, values []float32, mask []uint64) float32 {
	return maxFloat32AVX2(best, &values[0], &mask[0], len(mask))
}
