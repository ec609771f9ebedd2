package asm

import "math/bits"

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
