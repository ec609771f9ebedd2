package asm

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// LoadBits copies n bits of an Arrow bitmap, the first of which is bit bitOffset of src (least significant bit first), to a
// bitmap. It reads only the bytes that hold those bits.
func LoadBits(dst []uint64, src []byte, bitOffset, n int) {
	checkLen("LoadBits", "dst", len(dst), Words(n))
	if n <= 0 {
		return
	}
	checkLen("LoadBits", "src", len(src), (bitOffset+n+7)/8)
	src = src[bitOffset>>3 : (bitOffset+n+7)>>3]
	shift := uint(bitOffset) & 7
	full := n / wordRows
	for at := 0; at < full; at += maxCallWords {
		to := min(full, at+maxCallWords)
		active.loadBits(dst[at:to], src[at*8:], shift)
	}
	if n%wordRows == 0 {
		return
	}
	var last [16]byte // up to 63+7 bits, zero padded
	copy(last[:], src[full*8:])
	w := binary.LittleEndian.Uint64(last[:])>>shift | uint64(last[8])<<(64-shift)
	dst[full] = w & tailMask(n)
}

// StoreBits copies the first n rows of a bitmap to an Arrow bitmap, starting at its bit bitOffset. Other bits of dst, also those
// in the same bytes, keep their value.
func StoreBits(dst []byte, src []uint64, bitOffset, n int) {
	checkLen("StoreBits", "src", len(src), Words(n))
	if n <= 0 {
		return
	}
	checkLen("StoreBits", "dst", len(dst), (bitOffset+n+7)/8)
	dst = dst[bitOffset>>3 : (bitOffset+n+7)>>3]
	shift := uint(bitOffset) & 7
	carry := uint64(dst[0]) & (1<<shift - 1) // bits that belong below the next word
	full := n / wordRows
	for i, w := range src[:full] {
		binary.LittleEndian.PutUint64(dst[i*8:], w<<shift|carry)
		carry = w >> (64 - shift)
	}
	// What is left is the carry and a partial word: at most 7+63 bits.
	left := shift
	lo, hi := carry, uint64(0)
	if n%wordRows != 0 {
		w := src[full] & tailMask(n)
		lo, hi = w<<shift|carry, w>>(64-shift)
		left += uint(n % wordRows)
	}
	dst = dst[full*8:]
	for ; left >= 8; left -= 8 {
		dst[0] = byte(lo)
		dst = dst[1:]
		lo, hi = lo>>8|hi<<56, hi>>8
	}
	if left > 0 {
		keep := byte(0xff) << left
		dst[0] = dst[0]&keep | byte(lo)&^keep
	}
}

// algebra calls a kernel of two bitmaps.
func algebra(function string, kernel func(dst, a, b []uint64), dst, a, b []uint64) {
	checkLen(function, "a", len(a), len(dst))
	checkLen(function, "b", len(b), len(dst))
	for len(dst) > 0 {
		words := min(len(dst), maxCallWords)
		kernel(dst[:words], a[:words], b[:words])
		dst, a, b = dst[words:], a[words:], b[words:]
	}
}

// And writes a AND b, word by word; the three are equally long, and dst may be either argument.
func And(dst, a, b []uint64) { algebra("And", active.and, dst, a, b) }

// Or writes a OR b, word by word; the three are equally long, and dst may be either argument.
func Or(dst, a, b []uint64) { algebra("Or", active.or, dst, a, b) }

// AndNot writes a AND NOT b, word by word; the three are equally long, and dst may be either argument. With the validity as
// a and values as b it is SQL's NOT: bits of null rows become zero.
func AndNot(dst, a, b []uint64) { algebra("AndNot", active.andNot, dst, a, b) }

// Xor writes a XOR b, word by word; the three are equally long, and dst may be either argument.
func Xor(dst, a, b []uint64) { algebra("Xor", active.xor, dst, a, b) }

// Not writes the complement of n rows of a; dst may be a. Bits from row n on become zero.
func Not(dst, a []uint64, n int) {
	words := Words(n)
	checkLen("Not", "dst", len(dst), words)
	checkLen("Not", "a", len(a), words)
	for at := 0; at < words; at += maxCallWords {
		to := min(words, at+maxCallWords)
		active.not(dst[at:to], a[at:to])
	}
	clearTail(dst, n)
}

// Copy copies n rows of a bitmap.
func Copy(dst, src []uint64, n int) {
	words := Words(n)
	checkLen("Copy", "dst", len(dst), words)
	checkLen("Copy", "src", len(src), words)
	copy(dst[:words], src)
	if words > 0 {
		dst[words-1] &= tailMask(n)
	}
}

// Fill sets n rows of a bitmap to value.
func Fill(dst []uint64, n int, value bool) {
	words := Words(n)
	checkLen("Fill", "dst", len(dst), words)
	dst = dst[:words]
	word := -bit(value)
	for i := range dst {
		dst[i] = word
	}
	if words > 0 {
		dst[words-1] &= tailMask(n)
	}
}

// PopCount counts the set bits of a bitmap.
func PopCount(a []uint64) int {
	count := 0
	for len(a) > 0 {
		words := min(len(a), maxCallWords)
		count += active.popCount(a[:words])
		a = a[words:]
	}
	return count
}

// AnyAnd says whether the two bitmaps have a bit in common; b may be nil for "every row". It looks for the first true fault
// among bad lanes and valid rows.
func AnyAnd(a, b []uint64) bool {
	if b == nil {
		for _, w := range a {
			if w != 0 {
				return true
			}
		}
		return false
	}
	checkLen("AnyAnd", "b", len(b), len(a))
	b = b[:len(a)]
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// FindFirst gives the first row whose bit is set, or -1.
func FindFirst(a []uint64) int {
	for i, w := range a {
		if w != 0 {
			return i*wordRows + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// AppendIndices appends the numbers of the set rows of a bitmap of n rows in ascending order. n is at most 1<<32.
func AppendIndices(dst []uint32, a []uint64, n int) []uint32 {
	words := Words(n)
	checkLen("AppendIndices", "a", len(a), words)
	a = a[:words]
	start := len(dst)
	count := PopCount(a)
	// One block of spare room lets a kernel write a whole vector where only some lanes count.
	dst = slices.Grow(dst, count+wordRows)
	free := dst[start : start+count+wordRows]
	for base := 0; len(a) > 0; {
		chunk := a[:min(len(a), maxCallRows/wordRows)]
		kept := active.indices(free, chunk, uint32(base))
		free, a = free[kept:], a[len(chunk):]
		base += len(chunk) * wordRows
	}
	return dst[:start+count]
}

// KleeneAnd writes SQL's AND of two nullable booleans of n rows: false when either side is false, else null when either is
// null. A nil valid argument means that all its rows are valid. Values of null rows of the result are zero. The destinations
// may be any of the arguments.
func KleeneAnd(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64, n int) {
	checkKleene("KleeneAnd", dstValue, dstValid, aValue, aValid, bValue, bValid, n)
	words := Words(n)
	for at := 0; at < words; at += len(allRows) {
		to := min(words, at+len(allRows))
		active.kleeneAnd(dstValue[at:to], dstValid[at:to], aValue[at:to], validWords(aValid, at, to), bValue[at:to], validWords(bValid, at, to))
	}
	clearTail(dstValue, n)
	clearTail(dstValid, n)
}

// KleeneOr writes SQL's OR of two nullable booleans of n rows: true when either side is true, else null when either is null.
// A nil valid argument means that all its rows are valid. Values of null rows of the result are zero. The destinations may be
// any of the arguments.
func KleeneOr(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64, n int) {
	checkKleene("KleeneOr", dstValue, dstValid, aValue, aValid, bValue, bValid, n)
	words := Words(n)
	for at := 0; at < words; at += len(allRows) {
		to := min(words, at+len(allRows))
		active.kleeneOr(dstValue[at:to], dstValid[at:to], aValue[at:to], validWords(aValid, at, to), bValue[at:to], validWords(bValid, at, to))
	}
	clearTail(dstValue, n)
	clearTail(dstValid, n)
}

func checkKleene(function string, dstValue, dstValid, aValue, aValid, bValue, bValid []uint64, n int) {
	words := Words(n)
	checkLen(function, "dstValue", len(dstValue), words)
	checkLen(function, "dstValid", len(dstValid), words)
	checkLen(function, "aValue", len(aValue), words)
	checkLen(function, "bValue", len(bValue), words)
	if aValid != nil {
		checkLen(function, "aValid", len(aValid), words)
	}
	if bValid != nil {
		checkLen(function, "bValid", len(bValid), words)
	}
}

// validWords gives some words of a validity bitmap, at most as many as allRows has. nil means that every row is valid.
func validWords(valid []uint64, from, to int) []uint64 {
	if valid == nil {
		return allRows[:to-from]
	}
	return valid[from:to]
}

// clearTail zeroes the bits from row n on of the last word.
func clearTail(a []uint64, n int) {
	if words := Words(n); words > 0 {
		a[words-1] &= tailMask(n)
	}
}
