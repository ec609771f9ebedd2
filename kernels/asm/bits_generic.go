package asm

import (
	"encoding/binary"
	"math/bits"
)

// appendIndices writes base plus the number of each set bit of the words to dst and gives their count; dst has room for
// one block more, which it may overwrite.
//
// A walk over set bits counts the ones below the lowest one. The obvious TrailingZeros64 compiles to BSF, which on some CPUs
// waits for the register that it will overwrite.
func appendIndices(dst []uint32, words []uint64, base uint32) int {
	k := 0
	for _, w := range words {
		if bits.OnesCount64(w) <= sparseBits {
			for ; w != 0; w &= w - 1 {
				dst[k] = base + uint32(bits.OnesCount64(w&-w-1))
				k++
			}
		} else {
			k += indexBlock((*[wordRows]uint32)(dst[k:]), w, base)
		}
		base += wordRows
	}
	return k
}

// indexBlock writes every row's number, and moves on past those that count. On its own its state stays in registers.
//
//go:noinline
func indexBlock(to *[wordRows]uint32, w uint64, base uint32) int {
	j := uint64(0)
	for r := 0; r < wordRows; r += 4 {
		to[j&63] = base
		j += w & 1
		to[j&63] = base + 1
		j += w >> 1 & 1
		to[j&63] = base + 2
		j += w >> 2 & 1
		to[j&63] = base + 3
		j += w >> 3 & 1
		base += 4
		w >>= 4
	}
	return int(j)
}

// and is And for any number of words.
func and(dst, a, b []uint64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		d, x, y := (*[4]uint64)(dst[i:]), (*[4]uint64)(a[i:]), (*[4]uint64)(b[i:])
		d[0], d[1], d[2], d[3] = x[0]&y[0], x[1]&y[1], x[2]&y[2], x[3]&y[3]
	}
	for ; i < n; i++ {
		dst[i] = a[i] & b[i]
	}
}

// or is Or for any number of words.
func or(dst, a, b []uint64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		d, x, y := (*[4]uint64)(dst[i:]), (*[4]uint64)(a[i:]), (*[4]uint64)(b[i:])
		d[0], d[1], d[2], d[3] = x[0]|y[0], x[1]|y[1], x[2]|y[2], x[3]|y[3]
	}
	for ; i < n; i++ {
		dst[i] = a[i] | b[i]
	}
}

// andNot is AndNot for any number of words.
func andNot(dst, a, b []uint64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		d, x, y := (*[4]uint64)(dst[i:]), (*[4]uint64)(a[i:]), (*[4]uint64)(b[i:])
		d[0], d[1], d[2], d[3] = x[0]&^y[0], x[1]&^y[1], x[2]&^y[2], x[3]&^y[3]
	}
	for ; i < n; i++ {
		dst[i] = a[i] &^ b[i]
	}
}

// xor is Xor for any number of words.
func xor(dst, a, b []uint64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	i := 0
	for ; i+4 <= n; i += 4 {
		d, x, y := (*[4]uint64)(dst[i:]), (*[4]uint64)(a[i:]), (*[4]uint64)(b[i:])
		d[0], d[1], d[2], d[3] = x[0]^y[0], x[1]^y[1], x[2]^y[2], x[3]^y[3]
	}
	for ; i < n; i++ {
		dst[i] = a[i] ^ b[i]
	}
}

// not is Not for whole words.
func not(dst, a []uint64) {
	a = a[:len(dst)]
	for i, w := range a {
		dst[i] = ^w
	}
}

// popCount is PopCount.
func popCount(a []uint64) int {
	var c0, c1, c2, c3 int
	for len(a) >= 4 {
		w := (*[4]uint64)(a)
		c0 += bits.OnesCount64(w[0])
		c1 += bits.OnesCount64(w[1])
		c2 += bits.OnesCount64(w[2])
		c3 += bits.OnesCount64(w[3])
		a = a[4:]
	}
	for _, w := range a {
		c0 += bits.OnesCount64(w)
	}
	return c0 + c1 + c2 + c3
}

// loadBits is LoadBits for whole words and an offset of less than 8, which is read as such: no byte is read that has none of
// the bits.
func loadBits(dst []uint64, src []byte, shift uint) {
	if shift == 0 {
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(src[i*8:])
		}
		return
	}
	for i := range dst {
		p := src[i*8 : i*8+9]
		dst[i] = binary.LittleEndian.Uint64(p)>>(shift&7) | uint64(p[8])<<((64-shift)&63)
	}
}

// kleeneAnd is KleeneAnd for whole words; the six are equally long.
func kleeneAnd(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64) {
	n := len(dstValue)
	dstValid, aValue, aValid, bValue, bValid = dstValid[:n], aValue[:n], aValid[:n], bValue[:n], bValid[:n]
	for i := range dstValue {
		a, av, b, bv := aValue[i], aValid[i], bValue[i], bValid[i]
		isTrue := a & av & b & bv
		dstValid[i] = isTrue | av&^a | bv&^b
		dstValue[i] = isTrue
	}
}

// kleeneOr is KleeneOr for whole words; the six are equally long.
func kleeneOr(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64) {
	n := len(dstValue)
	dstValid, aValue, aValid, bValue, bValid = dstValid[:n], aValue[:n], aValid[:n], bValue[:n], bValid[:n]
	for i := range dstValue {
		a, av, b, bv := aValue[i], aValid[i], bValue[i], bValid[i]
		isTrue := a&av | b&bv
		dstValid[i] = isTrue | av&bv
		dstValue[i] = isTrue
	}
}
