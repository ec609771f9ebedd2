package asm

import "unsafe"

// The functions below compute every slot, wrapping around, and set a bit of bad where the exact result does not fit T. They say
// whether any bit is set, over all slots: null slots hold garbage, so the caller ANDs bad with the validity (AnyAnd, FindFirst)
// before it raises an error.
//
// dst and b are as long as a, and bad holds Words(len(a)) words. dst must not overlap an argument: a block is computed
// without flags first, and a second time, from the arguments, only if one of its rows overflowed.

// AddChecked writes dst[i] = a[i] + b[i].
func AddChecked[T Integer](dst, a, b []T, bad []uint64) bool {
	checkLen("AddChecked", "b", len(b), len(a))
	return checked("AddChecked", opAdd, dst, columnOf(a), columnOf(b), len(a), bad)
}

// SubChecked writes dst[i] = a[i] - b[i].
func SubChecked[T Integer](dst, a, b []T, bad []uint64) bool {
	checkLen("SubChecked", "b", len(b), len(a))
	return checked("SubChecked", opSub, dst, columnOf(a), columnOf(b), len(a), bad)
}

// MulChecked writes dst[i] = a[i] * b[i].
func MulChecked[T Integer](dst, a, b []T, bad []uint64) bool {
	checkLen("MulChecked", "b", len(b), len(a))
	return checked("MulChecked", opMul, dst, columnOf(a), columnOf(b), len(a), bad)
}

// AddConstChecked writes dst[i] = a[i] + c.
func AddConstChecked[T Integer](dst, a []T, c T, bad []uint64) bool {
	var pad [wordRows]T
	return checked("AddConstChecked", opAdd, dst, columnOf(a), constantOf(&pad, c, len(a)), len(a), bad)
}

// SubConstChecked writes dst[i] = a[i] - c.
func SubConstChecked[T Integer](dst, a []T, c T, bad []uint64) bool {
	var pad [wordRows]T
	return checked("SubConstChecked", opSub, dst, columnOf(a), constantOf(&pad, c, len(a)), len(a), bad)
}

// ConstSubChecked writes dst[i] = c - a[i].
func ConstSubChecked[T Integer](dst []T, c T, a []T, bad []uint64) bool {
	var pad [wordRows]T
	return checked("ConstSubChecked", opSub, dst, constantOf(&pad, c, len(a)), columnOf(a), len(a), bad)
}

// MulConstChecked writes dst[i] = a[i] * c.
func MulConstChecked[T Integer](dst, a []T, c T, bad []uint64) bool {
	var pad [wordRows]T
	return checked("MulConstChecked", opMul, dst, columnOf(a), constantOf(&pad, c, len(a)), len(a), bad)
}

// arithOp is an operation that can overflow.
type arithOp uint8

const (
	opAdd arithOp = iota
	opSub
	opMul
)

// operand is one side of an operation: a column, or a constant as one block that serves every block of the other side. The
// second load from cache costs next to nothing, and each operation needs one loop instead of three.
type operand[T Integer] struct {
	values []T
	step   int // elements from one block to the next: 0 for a constant
}

func columnOf[T Integer](values []T) operand[T] { return operand[T]{values, wordRows} }

// constantOf repeats c in *pad for as many as a block of n rows needs.
func constantOf[T Integer](pad *[wordRows]T, c T, n int) operand[T] {
	block := pad[:min(n, wordRows)]
	for i := range block {
		block[i] = c
	}
	return operand[T]{block, 0}
}

// checked computes n rows of an operation.
func checked[T Integer](function string, op arithOp, dst []T, a, b operand[T], n int, bad []uint64) bool {
	checkLen(function, "dst", len(dst), n)
	checkLen(function, "bad", len(bad), Words(n))
	dst = dst[:n]
	if overlap(dst, a.values) || overlap(dst, b.values) {
		panic("asm." + function + ": dst overlaps an argument")
	}
	var any uint64
	for w := 0; w*wordRows < n; w++ {
		d, x, y := dst[w*wordRows:], a.values[w*a.step:], b.values[w*b.step:]
		if len(d) >= wordRows {
			if wrapping(op, (*[wordRows]T)(d), (*[wordRows]T)(x), (*[wordRows]T)(y)) {
				bad[w] = 0
				continue
			}
			d = d[:wordRows]
		}
		word := flagging(op, d, x[:len(d)], y[:len(d)])
		bad[w] = word
		any |= word
	}
	return any != 0
}

// overlap says whether two slices share memory.
func overlap[T any](a, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	size := unsafe.Sizeof(a[0])
	p, q := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return p < q+uintptr(len(b))*size && q < p+uintptr(len(a))*size
}
