package asm

import (
	"math/bits"
	"unsafe"
)

// SumInt adds the values whose bit is set in mask, or all when mask is nil. The sum is exact: a 128-bit two's-complement
// integer for signed and unsigned types alike.
func SumInt[T Integer](values []T, mask []uint64) (hi int64, lo uint64) {
	checkMask("SumInt", len(values), mask)
	kernel := activeSum[T]()
	for len(values) > 0 {
		rows, selected := maskedCall(len(values), mask)
		var h int64
		var l, carry uint64
		if rows%wordRows == 0 {
			h, l = kernel(values[:rows], selected)
		} else {
			h, l = sumInt(values[:rows], selected)
		}
		lo, carry = bits.Add64(lo, l, 0)
		hi += h + int64(carry)
		values = values[rows:]
		if mask != nil {
			mask = mask[len(selected):]
		}
	}
	return hi, lo
}

// sumKernels are the loops for integers, by type; see sumInt. They take whole words.
type sumKernels struct {
	int64  sumKernel[int64]
	uint64 sumKernel[uint64]
	int32  sumKernel[int32]
	uint32 sumKernel[uint32]
	int16  sumKernel[int16]
	uint16 sumKernel[uint16]
	int8   sumKernel[int8]
	uint8  sumKernel[uint8]
}

type sumKernel[T Integer] func(values []T, mask []uint64) (hi int64, lo uint64)

// activeSum gives the kernel of the element type that T is or is named after.
func activeSum[T Integer]() sumKernel[T] {
	k := &active.sums
	signed := [...]unsafe.Pointer{1: unsafe.Pointer(&k.int8), 2: unsafe.Pointer(&k.int16), 4: unsafe.Pointer(&k.int32), 8: unsafe.Pointer(&k.int64)}
	unsigned := [...]unsafe.Pointer{1: unsafe.Pointer(&k.uint8), 2: unsafe.Pointer(&k.uint16), 4: unsafe.Pointer(&k.uint32), 8: unsafe.Pointer(&k.uint64)}
	if isSigned[T]() {
		return *(*sumKernel[T])(signed[width[T]()])
	}
	return *(*sumKernel[T])(unsigned[width[T]()])
}

// SumFloat adds the values whose bit is set in mask, or all when mask is nil, in double precision.
//
// Float sums depend on the order, so the order is part of the contract: row i is added to lane i%8, each lane from row 0 up and
// starting at +0, and the lanes are added as ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7)). A row that is not selected adds nothing. The
// shape suits two registers of four lanes; every tier keeps it, and so gives the same bits (but for a NaN's payload).
func SumFloat[T Float](values []T, mask []uint64) float64 {
	checkMask("SumFloat", len(values), mask)
	var l floatLanes
	for len(values) > 0 {
		rows, selected := maskedCall(len(values), mask)
		switch whole := rows%wordRows == 0; {
		case whole && width[T]() == 8:
			l = active.sumFloat64(l, cast[float64](values[:rows]), selected)
		case whole:
			l = active.sumFloat32(l, cast[float32](values[:rows]), selected)
		default:
			l = sumFloat(l, values[:rows], selected)
		}
		values = values[rows:]
		if mask != nil {
			mask = mask[len(selected):]
		}
	}
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// floatLanes are the partial sums of SumFloat.
type floatLanes [8]float64

// maskedCall gives how many of n rows the next call of a kernel takes, whole blocks as long as there are any, and their mask.
func maskedCall(n int, mask []uint64) (rows int, selected []uint64) {
	rows = n
	if n >= wordRows {
		rows = min(n&^(wordRows-1), maxCallRows)
	}
	if mask == nil {
		mask = allRows[:]
	}
	return rows, mask[:Words(rows)]
}

// allRows is the mask of a call that selects every row.
var allRows = func() (mask [maxCallRows / wordRows]uint64) {
	for i := range mask {
		mask[i] = ^uint64(0)
	}
	return mask
}()

// checkMask panics unless a mask is nil or covers n rows.
func checkMask(function string, n int, mask []uint64) {
	if mask != nil {
		checkLen(function, "mask", len(mask), Words(n))
	}
}
