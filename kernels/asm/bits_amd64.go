//go:build amd64 && !purego && !noasm

package asm

import "unsafe"

// Adapters of bitmap kernels; see amd64.go. They take any number of words but none.

//go:noinline
func andWords(dst, a, b []uint64) { andAVX2(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func orWords(dst, a, b []uint64) { orAVX2(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func xorWords(dst, a, b []uint64) { xorAVX2(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func andNotWords(dst, a, b []uint64) { andNotAVX2(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func notWords(dst, a []uint64) { notAVX2(&dst[0], &a[0], len(dst)) }

//go:noinline
func popCountWords(a []uint64) int { return popCountAVX2(&a[0], len(a)) }

//go:noinline
func loadWords(dst []uint64, src []byte, shift uint) {
	if shift == 0 { // words of an amd64 are little-endian bytes
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*8), src)
		return
	}
	loadBitsAVX2(&dst[0], &src[0], len(dst), uint64(shift))
}

//go:noinline
func kleeneAndWords(value, valid, a, aValid, b, bValid []uint64) {
	fours := len(value) / 4
	if fours > 0 {
		kleeneAndAVX2(&value[0], &valid[0], &a[0], &aValid[0], &b[0], &bValid[0], fours)
	}
	rest := fours * 4
	kleeneAnd(value[rest:], valid[rest:], a[rest:], aValid[rest:], b[rest:], bValid[rest:])
}

//go:noinline
func kleeneOrWords(value, valid, a, aValid, b, bValid []uint64) {
	fours := len(value) / 4
	if fours > 0 {
		kleeneOrAVX2(&value[0], &valid[0], &a[0], &aValid[0], &b[0], &bValid[0], fours)
	}
	rest := fours * 4
	kleeneOr(value[rest:], valid[rest:], a[rest:], aValid[rest:], b[rest:], bValid[rest:])
}
