package asm

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// The hashes here serve tables, partitions, sketches and bloom filters inside one query. They are the same on every platform and
// in every tier, but they are no promise to the outside: never store them, and do not rely on them against an adversary.
//
// All rest on one step, the folded multiply: the 128-bit product of two words, its halves XORed. Every input bit reaches every
// output bit, so any bits of a hash may pick a bucket, a partition or a tag.

// HashSeed is the seed to use when there is no reason for another.
const HashSeed uint64 = 0x9e6c63d0876a9a47

// NullHash is the hash that HashNulls gives to NULL.
const NullHash uint64 = 0x6b2f8d5ac1e7934d

// Odd words with about half their bits set, chosen at random.
const (
	hashKey0 uint64 = 0xa24baed4963ee407
	hashKey1 uint64 = 0x9fb21c651e98df25
	hashKey2 uint64 = 0xd6e8feb86659fd93
	hashKey3 uint64 = 0xc2b2ae3d27d4eb4f
)

// fold is the folded multiply.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashWord hashes one word.
func hashWord(v, seed uint64) uint64 {
	return fold(fold(v^seed, hashKey0)^hashKey2, hashKey1)
}

// Hash writes the hash of each value; dst is as long as values. Values that are equal in SQL hash alike: integers of any width by
// their value, floats of either width with -0 as 0 and every NaN as one.
func Hash[T Number](dst []uint64, values []T, seed uint64) {
	checkLen("Hash", "dst", len(dst), len(values))
	dst = dst[:len(values)]
	if isFloat[T]() {
		for i, v := range values {
			dst[i] = hashWord(floatWord(float64(v)), seed)
		}
		return
	}
	for i, v := range values {
		dst[i] = hashWord(uint64(v), seed)
	}
}

// floatWord gives the bits of a float, the same ones for floats that are equal in SQL.
func floatWord(v float64) uint64 {
	switch {
	case v != v:
		return 0x7ff8000000000001
	case v == 0:
		return 0
	}
	return math.Float64bits(v)
}

// Hash128 writes the hash of each 16-byte value, given as two words; dst is as long as values.
func Hash128(dst []uint64, values [][2]uint64, seed uint64) {
	checkLen("Hash128", "dst", len(dst), len(values))
	dst = dst[:len(values)]
	for i := range values {
		dst[i] = combine(hashWord(values[i][0], seed), values[i][1])
	}
}

// HashCombine mixes the hashes of a further column into dst; the two are equally long. The order of columns matters.
func HashCombine(dst, hashes []uint64) {
	checkLen("HashCombine", "hashes", len(hashes), len(dst))
	hashes = hashes[:len(dst)]
	for i, h := range hashes {
		dst[i] = combine(dst[i], h)
	}
}

// combine mixes a word into a hash. The rotation tells the two apart; a product of two arbitrary words leaves a slight bias in
// its top bits, which the last multiply removes.
func combine(h, v uint64) uint64 {
	x := fold(bits.RotateLeft64(h, 23)^hashKey2, v^hashKey3) * hashKey1
	return x ^ x>>32
}

// HashNulls writes NullHash in the rows that are not valid, for GROUP BY and DISTINCT, where NULL is a value. A nil valid means
// that all are valid.
func HashNulls(dst, valid []uint64) {
	if valid == nil {
		return
	}
	checkLen("HashNulls", "valid", len(valid), Words(len(dst)))
	for w := 0; w*wordRows < len(dst); w++ {
		rows := dst[w*wordRows : min(len(dst), (w+1)*wordRows)]
		for null := ^valid[w] & tailMask(len(rows)); null != 0; null &= null - 1 {
			rows[bits.TrailingZeros64(null)] = NullHash
		}
	}
}

// HashString is HashBytes for a string.
func HashString(s string, seed uint64) uint64 {
	return HashBytes(unsafe.Slice(unsafe.StringData(s), len(s)), seed)
}

// HashBytes hashes a byte string. Short ones, up to 16 bytes, take two loads and two multiplies; long ones 64 bytes a step in
// four independent chains.
func HashBytes(data []byte, seed uint64) uint64 {
	n := len(data)
	h := seed ^ hashKey0
	var lo, hi uint64
	switch {
	case n > 16:
		p := data
		if n > 64 {
			h0, h1, h2, h3 := h, h^hashKey1, h^hashKey2, h^hashKey3
			for len(p) > 64 {
				h0 = fold(word(p[0:])^hashKey1, word(p[8:])^h0)
				h1 = fold(word(p[16:])^hashKey2, word(p[24:])^h1)
				h2 = fold(word(p[32:])^hashKey3, word(p[40:])^h2)
				h3 = fold(word(p[48:])^hashKey0, word(p[56:])^h3)
				p = p[64:]
			}
			h = fold(h0^bits.RotateLeft64(h1, 17), h2^bits.RotateLeft64(h3, 41)^hashKey3)
		}
		for len(p) > 16 {
			h = fold(word(p)^hashKey1, word(p[8:])^h)
			p = p[16:]
		}
		lo, hi = word(data[n-16:]), word(data[n-8:]) // may overlap what was read
	case n >= 8:
		lo, hi = word(data), word(data[n-8:])
	case n >= 4:
		lo, hi = uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[n-4:]))
	case n > 0:
		lo = uint64(data[0]) | uint64(data[n/2])<<8 | uint64(data[n-1])<<16
	}
	return fold(fold(lo^hashKey2, hi^h)^hashKey3, uint64(n)^hashKey1)
}

// word reads 8 bytes.
func word(p []byte) uint64 { return binary.LittleEndian.Uint64(p) }
