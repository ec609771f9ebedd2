//go:build amd64 && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

//go:generate go -C _gen run . -verb compare -out ../compare_amd64.s -stubs ../stubs_compare_amd64.go -pkg asm
//go:generate go -C _gen run . -verb filter -out ../filter_amd64.s -stubs ../stubs_filter_amd64.go -pkg asm
//go:generate go -C _gen run . -verb sum -out ../sum_amd64.s -stubs ../stubs_sum_amd64.go -pkg asm
//go:generate go -C _gen run . -verb minmax -out ../minmax_amd64.s -stubs ../stubs_minmax_amd64.go -pkg asm
//go:generate go -C _gen run . -verb bits -out ../bits_amd64.s -stubs ../stubs_bits_amd64.go -pkg asm
//go:generate go -C _gen run . -verb gather -out ../gather_amd64.s -stubs ../stubs_gather_amd64.go -pkg asm

// avx2Features are what the kernels of the AVX2 tier may use; TestGates holds the assembly to them. POPCNT, BMI and LZCNT came
// to every CPU before AVX2 or with it, but a hypervisor may hide them.
var avx2Features = []cpuid.FeatureID{cpuid.AVX, cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT, cpuid.LZCNT}

// machineTables gives the tables with assembly that this CPU can run.
func machineTables() []*table {
	if !cpuid.CPU.Supports(avx2Features...) {
		return nil
	}
	return []*table{avx2Table(hasFastPEXT(cpuid.CPU.VendorID, cpuid.CPU.Family))}
}

// hasFastPEXT says whether PEXT is one instruction and not a microcode loop, as on AMD (and its licensee Hygon) before Zen 3.
func hasFastPEXT(vendor cpuid.Vendor, family int) bool {
	return vendor != cpuid.AMD && vendor != cpuid.Hygon || family >= 0x19
}

func avx2Table(fastPEXT bool) *table {
	t := generic
	t.tier = "avx2"
	t.compareInt64 = compareKernels[int64]{Eq: equalInt64, Lt: lessInt64}
	t.compareInt32 = compareKernels[int32]{Eq: equalInt32, Lt: lessInt32}
	t.compareFloat64 = compareKernels[float64]{equalFloat64, lessFloat64, lessEqualFloat64}
	t.compareFloat32 = compareKernels[float32]{equalFloat32, lessFloat32, lessEqualFloat32}
	t.columnsInt64 = columnKernels[int64]{equalColumnsInt64, lessEqualColumnsInt64}
	t.columnsInt32 = columnKernels[int32]{equalColumnsInt32, lessEqualColumnsInt32}
	t.columnsFloat64 = columnKernels[float64]{equalColumnsFloat64, lessEqualColumnsFloat64}
	t.columnsFloat32 = columnKernels[float32]{equalColumnsFloat32, lessEqualColumnsFloat32}
	t.take16, t.take8, t.take4, t.greatestIndex = taking[[2]uint64](take16AVX2), taking[uint64](take8AVX2), taking[uint32](take4AVX2), greatestIndexes
	t.expandRuns16, t.expandRuns8, t.expandRuns4 = expanding[[2]uint64](expandRuns16AVX2), expanding[uint64](expandRuns8AVX2), expanding[uint32](expandRuns4AVX2)
	t.filter16 = filter16
	t.filter8 = filter8
	t.filter4 = filter4
	t.indices = indices
	t.casts = avx2Casts
	t.sums = sumKernels{sumInt64, sumUint64, sumInt32, sumUint32, sumInt16, sumUint16, sumInt8, sumUint8}
	t.sumFloat64 = sumFloat64
	t.sumFloat32 = sumFloat32
	t.extremesInt64 = extremeKernels[int64]{minInt64, maxInt64}
	t.extremesUint64 = extremeKernels[uint64]{minUint64, maxUint64}
	t.extremesInt32 = extremeKernels[int32]{minInt32, maxInt32}
	t.extremesUint32 = extremeKernels[uint32]{minUint32, maxUint32}
	t.extremesInt16 = extremeKernels[int16]{minInt16, maxInt16}
	t.extremesUint16 = extremeKernels[uint16]{minUint16, maxUint16}
	t.extremesInt8 = extremeKernels[int8]{minInt8, maxInt8}
	t.extremesUint8 = extremeKernels[uint8]{minUint8, maxUint8}
	t.extremesFloat64 = extremeKernels[float64]{minFloat64, maxFloat64}
	t.extremesFloat32 = extremeKernels[float32]{minFloat32, maxFloat32}
	t.and, t.or, t.xor, t.andNot, t.not = andWords, orWords, xorWords, andNotWords, notWords
	t.popCount = popCountWords
	t.loadBits = loadWords
	t.kleeneAnd, t.kleeneOr = kleeneAndWords, kleeneOrWords
	t.takeBits = takeBits
	if fastPEXT {
		t.filterBits = pextBits
	}
	return &t
}

// The functions below adapt slices to assembly. They are ordinary functions that are not inlined, and so the place where the
// scheduler can preempt a loop of calls.

//go:noinline
func equalInt64(dst []uint64, values []int64, c int64, flip uint64) {
	equalInt64AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessInt64(dst []uint64, values []int64, c int64, flip uint64) {
	lessInt64AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func equalInt32(dst []uint64, values []int32, c int32, flip uint64) {
	equalInt32AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessInt32(dst []uint64, values []int32, c int32, flip uint64) {
	lessInt32AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func equalFloat64(dst []uint64, values []float64, c float64, flip uint64) {
	equalFloat64AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessFloat64(dst []uint64, values []float64, c float64, flip uint64) {
	lessFloat64AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessEqualFloat64(dst []uint64, values []float64, c float64, flip uint64) {
	lessEqualFloat64AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func equalFloat32(dst []uint64, values []float32, c float32, flip uint64) {
	equalFloat32AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessFloat32(dst []uint64, values []float32, c float32, flip uint64) {
	lessFloat32AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessEqualFloat32(dst []uint64, values []float32, c float32, flip uint64) {
	lessEqualFloat32AVX2(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func equalColumnsInt64(dst []uint64, a, b []int64, flip uint64) {
	equalColumnsInt64AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func lessEqualColumnsInt64(dst []uint64, a, b []int64, flip uint64) {
	lessEqualColumnsInt64AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func equalColumnsInt32(dst []uint64, a, b []int32, flip uint64) {
	equalColumnsInt32AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func lessEqualColumnsInt32(dst []uint64, a, b []int32, flip uint64) {
	lessEqualColumnsInt32AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func equalColumnsFloat64(dst []uint64, a, b []float64, flip uint64) {
	equalColumnsFloat64AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func lessEqualColumnsFloat64(dst []uint64, a, b []float64, flip uint64) {
	lessEqualColumnsFloat64AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func equalColumnsFloat32(dst []uint64, a, b []float32, flip uint64) {
	equalColumnsFloat32AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func lessEqualColumnsFloat32(dst []uint64, a, b []float32, flip uint64) {
	lessEqualColumnsFloat32AVX2(&dst[0], &a[0], &b[0], len(dst), flip)
}

//go:noinline
func filter16(dst, src [][2]uint64, sel []uint64) (read, written int) {
	if len(dst) < wordRows {
		return 0, 0
	}
	return filter16AVX2(&dst[0], len(dst), &src[0], &sel[0], len(sel))
}

//go:noinline
func filter8(dst, src []uint64, sel []uint64) (read, written int) {
	if len(dst) < wordRows {
		return 0, 0
	}
	return filter8AVX2(&dst[0], len(dst), &src[0], &sel[0], len(sel))
}

//go:noinline
func filter4(dst, src []uint32, sel []uint64) (read, written int) {
	if len(dst) < wordRows {
		return 0, 0
	}
	return filter4AVX2(&dst[0], len(dst), &src[0], &sel[0], len(sel))
}

//go:noinline
func pextBits(dst, src, sel []uint64, at int) int {
	k, have := at/wordRows, at%wordRows
	dst = dst[k:]
	var begun uint64
	if have > 0 {
		begun = dst[0]
	}
	return k*wordRows + filterBitsBMI2(&dst[0], len(dst), &src[0], &sel[0], len(sel), begun, have)
}

//go:noinline
func indices(dst []uint32, words []uint64, base uint32) int {
	return indicesAVX2(&dst[0], &words[0], len(words), base)
}
