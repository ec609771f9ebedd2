//go:build amd64 && !purego && !noasm

package asm

// Adapters of extremes; see amd64.go. A kernel works on one vector, whose lanes come together here.

//go:noinline
func minInt64(best int64, values []int64, mask []uint64) int64 {
	lanes := [4]int64{best, best, best, best}
	minInt64AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return min(lanes[0], lanes[1], lanes[2], lanes[3])
}

//go:noinline
func maxInt64(best int64, values []int64, mask []uint64) int64 {
	lanes := [4]int64{best, best, best, best}
	maxInt64AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return max(lanes[0], lanes[1], lanes[2], lanes[3])
}

//go:noinline
func minInt32(best int32, values []int32, mask []uint64) int32 {
	lanes := [8]int32{best, best, best, best, best, best, best, best}
	minInt32AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return min(lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7])
}

//go:noinline
func maxInt32(best int32, values []int32, mask []uint64) int32 {
	lanes := [8]int32{best, best, best, best, best, best, best, best}
	maxInt32AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return max(lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7])
}

//go:noinline
func minFloat64(best float64, values []float64, mask []uint64) float64 {
	lanes := [4]float64{best, best, best, best}
	minFloat64AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return leastOf(best, lanes[:])
}

//go:noinline
func maxFloat64(best float64, values []float64, mask []uint64) float64 {
	lanes := [4]float64{best, best, best, best}
	maxFloat64AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return greatestOf(best, lanes[:])
}

//go:noinline
func minFloat32(best float32, values []float32, mask []uint64) float32 {
	lanes := [8]float32{best, best, best, best, best, best, best, best}
	minFloat32AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return leastOf(best, lanes[:])
}

//go:noinline
func maxFloat32(best float32, values []float32, mask []uint64) float32 {
	lanes := [8]float32{best, best, best, best, best, best, best, best}
	maxFloat32AVX2(&lanes[0], &values[0], &mask[0], len(mask))
	return greatestOf(best, lanes[:])
}
