package asm

import (
	"fmt"
	"os"
)

// table holds the kernels that have an assembly version, one table per instruction set. Each is a copy of the generic table
// with some fields replaced, so a kernel that a set lacks falls back by itself. A kernel takes whole blocks and does nothing
// else: no length checks, no partial block, no nulls. Its fields are ordinary Go functions, not assembly symbols, because
// a call to one of those is where the scheduler can preempt (see maxCallRows).
type table struct {
	tier string

	// Comparison of whole words with a constant; see compareKernels.
	compareInt64   compareKernels[int64]
	compareInt32   compareKernels[int32]
	compareFloat64 compareKernels[float64]
	compareFloat32 compareKernels[float32]

	// Comparison of whole words of two columns; see columnKernels.
	columnsInt64   columnKernels[int64]
	columnsInt32   columnKernels[int32]
	columnsFloat64 columnKernels[float64]
	columnsFloat32 columnKernels[float32]

	// Sums of the selected rows of whole words; see sumInt and sumFloat.
	sums       sumKernels
	sumFloat64 func(lanes floatLanes, values []float64, mask []uint64) floatLanes
	sumFloat32 func(lanes floatLanes, values []float32, mask []uint64) floatLanes

	// Algebra and count of any number of words of bitmaps; see And, Not and PopCount.
	and, or, xor, andNot func(dst, a, b []uint64)
	not                  func(dst, a []uint64)
	popCount             func(a []uint64) int

	// Bits from between bytes, and logic with nulls; see loadBits and kleeneAnd.
	loadBits            func(dst []uint64, src []byte, shift uint)
	kleeneAnd, kleeneOr func(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64)

	// Extremes of the selected rows of whole words; see extremeKernels.
	extremesInt64   extremeKernels[int64]
	extremesUint64  extremeKernels[uint64]
	extremesInt32   extremeKernels[int32]
	extremesUint32  extremeKernels[uint32]
	extremesInt16   extremeKernels[int16]
	extremesUint16  extremeKernels[uint16]
	extremesInt8    extremeKernels[int8]
	extremesUint8   extremeKernels[uint8]
	extremesFloat64 extremeKernels[float64]
	extremesFloat32 extremeKernels[float32]

	// Compaction by value; see filter. They stop where dst has less room than a block.
	filter16 func(dst, src [][2]uint64, sel []uint64) (read, written int)
	filter8  func(dst, src []uint64, sel []uint64) (read, written int)
	filter4  func(dst, src []uint32, sel []uint64) (read, written int)

	// Values by index; see take. The greatest of whole blocks of indices.
	take16        func(dst, src [][2]uint64, idx []uint32) int
	take8         func(dst, src []uint64, idx []uint32) int
	take4         func(dst, src []uint32, idx []uint32) int
	greatestIndex func(idx []uint32) uint32

	// Repetition of the values of runs; see expandRuns.
	expandRuns16 func(dst, values [][2]uint64, ends []int32, start int) int
	expandRuns8  func(dst, values []uint64, ends []int32, start int) int
	expandRuns4  func(dst, values []uint32, ends []int32, start int) int

	// Compaction of bits; see filterBits.
	filterBits func(dst, src, sel []uint64, at int) int

	// Bits by index; see TakeBits. It gives the words written, and stops before one that has an index outside src.
	takeBits func(dst, src []uint64, idx []uint32) int

	// Numbers of the set bits; see appendIndices.
	indices func(dst []uint32, words []uint64, base uint32) int

	// Casts between numbers.
	casts castKernels
}

// generic is the portable table: the specification of every kernel.
var generic = table{
	tier:           "generic",
	compareInt64:   compareKernels[int64]{Eq: equalConst[int64], Lt: lessConst[int64]},
	compareInt32:   compareKernels[int32]{Eq: equalConst[int32], Lt: lessConst[int32]},
	compareFloat64: compareKernels[float64]{equalConst[float64], lessConst[float64], lessEqualConst[float64]},
	compareFloat32: compareKernels[float32]{equalConst[float32], lessConst[float32], lessEqualConst[float32]},
	columnsInt64:   columnKernels[int64]{equal[int64], lessEqual[int64]},
	columnsInt32:   columnKernels[int32]{equal[int32], lessEqual[int32]},
	columnsFloat64: columnKernels[float64]{equal[float64], lessEqual[float64]},
	columnsFloat32: columnKernels[float32]{equal[float32], lessEqual[float32]},
	sums: sumKernels{
		sumInt[int64], sumInt[uint64], sumInt[int32], sumInt[uint32],
		sumInt[int16], sumInt[uint16], sumInt[int8], sumInt[uint8],
	},
	sumFloat64:      sumFloat[float64],
	sumFloat32:      sumFloat[float32],
	extremesInt64:   extremeKernels[int64]{minOf[int64], maxOf[int64]},
	extremesUint64:  extremeKernels[uint64]{minOf[uint64], maxOf[uint64]},
	extremesInt32:   extremeKernels[int32]{minOf[int32], maxOf[int32]},
	extremesUint32:  extremeKernels[uint32]{minOf[uint32], maxOf[uint32]},
	extremesInt16:   extremeKernels[int16]{minOf[int16], maxOf[int16]},
	extremesUint16:  extremeKernels[uint16]{minOf[uint16], maxOf[uint16]},
	extremesInt8:    extremeKernels[int8]{minOf[int8], maxOf[int8]},
	extremesUint8:   extremeKernels[uint8]{minOf[uint8], maxOf[uint8]},
	extremesFloat64: extremeKernels[float64]{minOf[float64], maxOf[float64]},
	extremesFloat32: extremeKernels[float32]{minOf[float32], maxOf[float32]},
	filter16:        filter[[2]uint64],
	filter8:         filter[uint64],
	take16:          take[[2]uint64],
	take8:           take[uint64],
	take4:           take[uint32],
	greatestIndex:   greatestIndex,
	expandRuns16:    expandRuns[[2]uint64],
	expandRuns8:     expandRuns[uint64],
	expandRuns4:     expandRuns[uint32],
	filter4:         filter[uint32],
	and:             and,
	or:              or,
	xor:             xor,
	andNot:          andNot,
	not:             not,
	popCount:        popCount,
	loadBits:        loadBits,
	kleeneAnd:       kleeneAnd,
	kleeneOr:        kleeneOr,
	filterBits:      filterBits,
	takeBits:        takeBitsTable,
	indices:         appendIndices,
	casts:           genericCasts,
}

// active is the table in use: the best that the CPU can run, unless the environment variable LACUNA_CPU names a lesser one
// ("generic", "avx2", "neon"). A name that this CPU cannot run means generic.
var active = selectTable(os.Getenv("LACUNA_CPU"))

// selectTable gives the table of a tier, the best one for the empty name.
func selectTable(tier string) *table {
	tables := runnable()
	if tier == "" {
		return tables[len(tables)-1]
	}
	for _, t := range tables {
		if t.tier == tier {
			return t
		}
	}
	return &generic
}

// runnable gives the tables that this CPU can run, from the portable one to the best.
func runnable() []*table { return append([]*table{&generic}, machineTables()...) }

// Active gives the name of the tier in use, for EXPLAIN, benchmarks and bug reports.
func Active() string { return active.tier }

// Tiers gives the names of the tiers that this CPU can run, from "generic" to the best.
func Tiers() []string {
	var names []string
	for _, t := range runnable() {
		names = append(names, t.tier)
	}
	return names
}

// Use switches to another tier until restore is called. It is for tests and benchmarks, and must not run while other goroutines
// use the package. A tier that this CPU cannot run is an error.
func Use(tier string) (restore func(), err error) {
	for _, t := range runnable() {
		if t.tier == tier {
			previous := active
			active = t
			return func() { active = previous }, nil
		}
	}
	return nil, fmt.Errorf("asm: tier %q is not among those that this CPU can run: %v", tier, Tiers())
}
