package asm

import "math/bits"

// MinMax gives the least and the greatest of the values whose bit is set in mask, or of all when mask is nil; ok is false when
// there is none. Floats are in SQL's order: NaN is greater than everything else, so it is the minimum only of NaNs. Among
// equal values (zeros of either sign, NaNs of any bits) it gives the first.
func MinMax[T Number](values []T, mask []uint64) (least, greatest T, ok bool) {
	checkMask("MinMax", len(values), mask)
	first := firstSelected(values, mask)
	if first < 0 {
		return least, greatest, false
	}
	if isFloat[T]() {
		least, greatest = minMaxFloat(values, mask, first)
	} else {
		least, greatest = minMaxInt(values, mask, first)
	}
	return least, greatest, true
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

func minMaxInt[T Number](values []T, mask []uint64, first int) (least, greatest T) {
	least, greatest = values[first], values[first]
	var scratch [wordRows]T
	for w := first / wordRows; w*wordRows < len(values); w++ {
		if rows := selectedRows(&scratch, values, mask, w); len(rows) > 0 {
			l, g := rangeOf(rows)
			least, greatest = min(least, l), max(greatest, g)
		}
	}
	return least, greatest
}

// selectedRows gives the selected values of block w side by side, in *scratch unless they are all.
func selectedRows[T Number](scratch *[wordRows]T, values []T, mask []uint64, w int) []T {
	rows := values[w*wordRows : min(len(values), (w+1)*wordRows)]
	if mask == nil || mask[w] == tailMask(len(rows)) {
		return rows
	}
	selected := mask[w] & tailMask(len(rows))
	if len(rows) == wordRows && bits.OnesCount64(selected) > sparseBits {
		return scratch[:compactBlock(scratch, (*[wordRows]T)(rows), selected)]
	}
	k := 0
	for ; selected != 0; selected &= selected - 1 {
		scratch[k&63] = rows[bits.OnesCount64(selected&-selected-1)] // see appendIndices
		k++
	}
	return scratch[:k]
}

// rangeOf gives the least and greatest of at least one integer. Two pairs of conditional moves run side by side.
func rangeOf[T Number](v []T) (least, greatest T) {
	l0, g0 := v[0], v[0]
	l1, g1 := l0, g0
	for ; len(v) >= 2; v = v[2:] {
		l0, g0 = min(l0, v[0]), max(g0, v[0])
		l1, g1 = min(l1, v[1]), max(g1, v[1])
	}
	if len(v) == 1 {
		l0, g0 = min(l0, v[0]), max(g0, v[0])
	}
	return min(l0, l1), max(g0, g1)
}

// minMaxFloat compares with branches, which prediction makes nearly free: a new extreme is rare. A NaN loses both comparisons,
// so a block without one, after a first number, takes the short loop.
func minMaxFloat[T Number](values []T, mask []uint64, first int) (least, greatest T) {
	var r floatRange[T]
	var scratch [wordRows]T
	for w := first / wordRows; w*wordRows < len(values); w++ {
		rows := selectedRows(&scratch, values, mask, w)
		if r.numbers && r.addNumbers(rows) {
			continue
		}
		for _, v := range rows {
			r.add(v)
		}
	}
	switch {
	case !r.numbers:
		return r.nan, r.nan
	case r.nans:
		return r.least, r.nan
	}
	return r.least, r.greatest
}

// floatRange is the range of the floats seen so far.
type floatRange[T Number] struct {
	least, greatest T    // of the numbers
	nan             T    // the first NaN
	numbers, nans   bool // whether there was one
}

// add takes in one value.
func (r *floatRange[T]) add(v T) {
	switch {
	case v != v:
		if !r.nans {
			r.nan, r.nans = v, true
		}
	case !r.numbers:
		r.least, r.greatest, r.numbers = v, v, true
	case v < r.least:
		r.least = v
	case v > r.greatest:
		r.greatest = v
	}
}

// addNumbers takes in rows after a first number unless one of them is a NaN, which it reports; adding them again does no harm.
//
// The comparisons are written so that a NaN takes the branch of a new extreme: no value has to be tested for it on its own.
func (r *floatRange[T]) addNumbers(rows []T) bool {
	least, greatest := r.least, r.greatest
	for _, v := range rows {
		if !(v >= least) {
			if v != v {
				return false
			}
			least = v
		}
		if !(v <= greatest) {
			greatest = v
		}
	}
	r.least, r.greatest = least, greatest
	return true
}
