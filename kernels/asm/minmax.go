package asm

import "unsafe"

// Min gives the least of the values whose bit is set in mask, or of all when mask is nil; ok is false when there is none. Floats
// are in SQL's order: NaN is greater than everything else, so it is the minimum only of NaNs. Among equal values (zeros of either
// sign, NaNs of any bits) it gives the first.
func Min[T Number](values []T, mask []uint64) (least T, ok bool) {
	checkMask("Min", len(values), mask)
	first := firstSelected(values, mask)
	if first < 0 {
		return least, false
	}
	if !isFloat[T]() {
		return extreme(values[first], values, mask, false), true
	}
	inf := infinity[T]()
	least = extreme(inf, values, mask, false)
	if least == 0 || least == inf { // the kernels do not say which zero, and infinity may stand for NaNs alone
		if i := findEqual(values, mask, least); i >= 0 {
			return values[i], true
		}
		return values[first], true
	}
	return least, true
}

// Max gives the greatest of the values whose bit is set in mask, or of all when mask is nil; ok is false when there is none.
// Order and choice among equal values are those of Min: any NaN is the maximum.
func Max[T Number](values []T, mask []uint64) (greatest T, ok bool) {
	checkMask("Max", len(values), mask)
	first := firstSelected(values, mask)
	if first < 0 {
		return greatest, false
	}
	if !isFloat[T]() {
		return extreme(values[first], values, mask, true), true
	}
	greatest = extreme(-infinity[T](), values, mask, true)
	if greatest == 0 || greatest != greatest { // the kernels do not say which zero or which NaN
		greatest = values[findEqual(values, mask, greatest)]
	}
	return greatest, true
}

// firstSelected gives the first selected row, or -1.
func firstSelected[T any](values []T, mask []uint64) int {
	switch {
	case len(values) == 0:
		return -1
	case mask == nil:
		return 0
	}
	return FindFirst(mask[:Words(len(values))])
}

// infinity gives the greatest number of a float type. That of others is never used.
func infinity[T Number]() T {
	one, zero := T(1), T(0)
	if isFloat[T]() {
		return one / zero
	}
	return one
}

// findEqual gives the first selected row with a value that SQL takes for equal to v, or -1. It is plain Go: a bitmap for a compare
// kernel would have to be allocated.
func findEqual[T Number](values []T, mask []uint64, v T) int {
	nan := v != v
	for i, x := range values {
		if (x == v || nan && x != x) && (mask == nil || mask[i/wordRows]>>(uint(i)%wordRows)&1 != 0) {
			return i
		}
	}
	return -1
}

// extremeKernels are the loops for one element type. A kernel gives the least or the greatest of best and the selected rows of
// whole words. best is not NaN. min passes NaNs over; max gives any NaN when one is selected. Which one of zeros it is, is not
// defined.
type extremeKernels[T Number] struct {
	min, max func(best T, values []T, mask []uint64) T
}

// of gives the kernel for the greatest or the least.
func (k *extremeKernels[T]) of(greatest bool) func(best T, values []T, mask []uint64) T {
	if greatest {
		return k.max
	}
	return k.min
}

// extreme improves best by the selected rows in the way of extremeKernels. It ends at a NaN that is the greatest.
func extreme[T Number](best T, values []T, mask []uint64, greatest bool) T {
	kernel := activeExtremes[T]().of(greatest)
	for len(values) > 0 && best == best {
		rows, selected := maskedCall(len(values), mask)
		switch {
		case rows%wordRows == 0:
			best = kernel(best, values[:rows], selected)
		case greatest:
			best = maxOf(best, values[:rows], selected)
		default:
			best = minOf(best, values[:rows], selected)
		}
		values = values[rows:]
		if mask != nil {
			mask = mask[len(selected):]
		}
	}
	return best
}

// activeExtremes gives the kernels of the element type that T is or is named after.
func activeExtremes[T Number]() *extremeKernels[T] {
	t, wide := active, width[T]()
	var kernels unsafe.Pointer
	switch {
	case isFloat[T]() && wide == 8:
		kernels = unsafe.Pointer(&t.extremesFloat64)
	case isFloat[T]():
		kernels = unsafe.Pointer(&t.extremesFloat32)
	case isSigned[T]():
		kernels = [...]unsafe.Pointer{
			1: unsafe.Pointer(&t.extremesInt8), 2: unsafe.Pointer(&t.extremesInt16),
			4: unsafe.Pointer(&t.extremesInt32), 8: unsafe.Pointer(&t.extremesInt64),
		}[wide]
	default:
		kernels = [...]unsafe.Pointer{
			1: unsafe.Pointer(&t.extremesUint8), 2: unsafe.Pointer(&t.extremesUint16),
			4: unsafe.Pointer(&t.extremesUint32), 8: unsafe.Pointer(&t.extremesUint64),
		}[wide]
	}
	return (*extremeKernels[T])(kernels)
}
