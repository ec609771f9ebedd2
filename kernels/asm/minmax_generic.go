package asm

import "math/bits"

// minOf is the specification of the min kernels; see extremeKernels. mask has a word for each begun block.
func minOf[T Number](best T, values []T, mask []uint64) T {
	var scratch [wordRows]T
	for w := range mask {
		best = leastOf(best, selectedRows(&scratch, values, mask, w))
	}
	return best
}

// maxOf is the specification of the max kernels; see extremeKernels. mask has a word for each begun block.
func maxOf[T Number](best T, values []T, mask []uint64) T {
	var scratch [wordRows]T
	for w := range mask {
		best = greatestOf(best, selectedRows(&scratch, values, mask, w))
		if best != best {
			break
		}
	}
	return best
}

// selectedRows gives the selected values of block w side by side, in *scratch unless they are all.
func selectedRows[T Number](scratch *[wordRows]T, values []T, mask []uint64, w int) []T {
	rows := values[w*wordRows : min(len(values), (w+1)*wordRows)]
	selected := mask[w] & tailMask(len(rows))
	if selected == tailMask(len(rows)) {
		return rows
	}
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

// leastOf gives the least of best and some values, NaNs aside: no comparison with one holds. Two chains run side by side, of
// conditional moves for integers and of branches for floats, which prediction makes nearly free: a new extreme is rare.
func leastOf[T Number](best T, values []T) T {
	other := best
	for ; len(values) >= 2; values = values[2:] {
		if values[0] < best {
			best = values[0]
		}
		if values[1] < other {
			other = values[1]
		}
	}
	if len(values) == 1 && values[0] < best {
		best = values[0]
	}
	if other < best {
		best = other
	}
	return best
}

// greatestOf gives the greatest of best and some values, the first NaN when there is one. The comparison is written so that NaN
// takes the branch of a new extreme: no value has to be tested for it on its own.
func greatestOf[T Number](best T, values []T) T {
	other := best
	for ; len(values) >= 2; values = values[2:] {
		if v := values[0]; !(v <= best) {
			if v != v {
				return v
			}
			best = v
		}
		if v := values[1]; !(v <= other) {
			if v != v {
				return v
			}
			other = v
		}
	}
	if len(values) == 1 && !(values[0] <= best) {
		best = values[0]
	}
	if best == best && !(other <= best) {
		best = other
	}
	return best
}
