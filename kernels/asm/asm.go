// Package asm holds the innermost loops of Lacuna: pure functions on raw slices, with assembly where it pays.
//
// # What a function may assume, and what it promises
//
// A bitmap of n rows is a []uint64 of Words(n) words, least significant bit first: row i is bit i%64 of word i/64. Bits from
// row n on are zero in every bitmap that a function here writes, and functions that read a bitmap expect them to be zero.
// Arrow's byte bitmaps, which may start at any bit, enter through LoadBits and leave through StoreBits.
//
// Functions know nothing of nulls unless a parameter is named valid or mask: they compute every slot, and the caller combines
// validity as bitmap words. Nothing is allocated except where the name says Append, nothing is kept after return, and no
// byte is read or written outside the given slices. Results never depend on the CPU: all tiers give the same bits.
//
// Slices that are too short are bugs of the caller and panic. A destination may be longer than needed; the rest of it is left
// alone. Two arguments may be the same slice only where the function says so.
//
// # How a call reaches the assembly
//
// An exported function checks lengths, hands whole blocks of 64 rows to the selected table (see table.go), at most
// maxCallRows rows a call, and does the rest in Go. The portable loops in the *_generic.go files are always compiled: they
// are the specification that tests hold every tier to, and the whole package under the tags purego and noasm.
package asm

import (
	"fmt"
	"unsafe"
)

// Signed is the set of signed integer element types.
type Signed interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// Unsigned is the set of unsigned integer element types.
type Unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Integer is the set of integer element types.
type Integer interface {
	Signed | Unsigned
}

// Float is the set of floating-point element types.
type Float interface {
	~float32 | ~float64
}

// Number is the set of element types that compare, add and hash as one machine value.
type Number interface {
	Integer | Float
}

const (
	// wordRows is the number of rows in a bitmap word, and so in a block.
	wordRows = 64

	// maxCallRows bounds one call into assembly. Assembly cannot be preempted, so a call must stay short for the garbage
	// collector to stop the world quickly: 16K rows are a few microseconds.
	maxCallRows = 16384

	// maxCallWords is the like for kernels that only handle bits: a word of 64 rows is no more work than a row elsewhere.
	maxCallWords = 16384
)

// Words gives the number of words in a bitmap of n rows.
func Words(n int) int { return int((uint(n) + wordRows - 1) / wordRows) }

// tailMask gives the bits of the last word of a bitmap of n rows that belong to rows.
func tailMask(n int) uint64 {
	return ^uint64(0) >> (-uint(n) & (wordRows - 1))
}

// bit gives 1 for true. The compiler turns it into a SETcc without a branch.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// checkLen panics unless a slice of have elements is long enough for need. It is small, so that it inlines; the message is
// made out of line.
func checkLen(function, argument string, have, need int) {
	if have < need {
		tooShort(function, argument, have, need)
	}
}

//go:noinline
func tooShort(function, argument string, have, need int) {
	panic(fmt.Sprintf("asm.%s: %s has length %d, need at least %d", function, argument, have, need))
}

// The three questions below are about the type alone, so each instantiation folds the answer to a constant.

// isFloat says whether T is a floating-point type: in the others a half is zero.
func isFloat[T Number]() bool {
	one, two := T(1), T(2)
	return one/two != 0
}

// isSigned says whether T has negative values.
func isSigned[T Number]() bool {
	var zero T
	return zero-1 < 0
}

// width gives the bytes of a T.
func width[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// cast reads a slice of T as one of U, which must have the same width and machine representation.
func cast[U, T any](values []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

// castValue is cast for one value.
func castValue[U, T any](v T) U { return *(*U)(unsafe.Pointer(&v)) }
