package types

import "github.com/lacunadb/lacuna/kernels/asm"

// Bitmap is one bit per row, least significant bit first: row i is bit i%64 of word i/64. A bitmap of n rows has BitmapWords(n)
// words, and its bits past the last row are zero. As a validity or a selection, the nil Bitmap means "every row".
type Bitmap []uint64

// BitmapWords gives the words of a bitmap of n rows.
func BitmapWords(n int) int { return (n + 63) / 64 }

// Get reads the bit of row i. The bitmap must not be nil.
func (b Bitmap) Get(i int) bool { return b[i>>6]&(1<<(uint(i)&63)) != 0 }

// Set sets the bit of row i.
func (b Bitmap) Set(i int) { b[i>>6] |= 1 << (uint(i) & 63) }

// Clear clears the bit of row i.
func (b Bitmap) Clear(i int) { b[i>>6] &^= 1 << (uint(i) & 63) }

// Has reads the bit of row i, where nil means every row.
func (b Bitmap) Has(i int) bool { return b == nil || b.Get(i) }

// Count gives the number of set bits among n rows; n for nil.
func (b Bitmap) Count(n int) int {
	if b == nil {
		return n
	}
	return asm.PopCount(b[:BitmapWords(n)])
}

// LastWordMask gives the bits of the last word of a bitmap of n rows that belong to rows; all ones when n fills the word.
func LastWordMask(n int) uint64 {
	if r := uint(n) & 63; r != 0 {
		return 1<<r - 1
	}
	return ^uint64(0)
}

// FillBitmap sets the first n bits and clears the rest of the last word.
func FillBitmap(b Bitmap, n int) {
	words := BitmapWords(n)
	for i := range b[:words] {
		b[i] = ^uint64(0)
	}
	if words > 0 {
		b[words-1] = LastWordMask(n)
	}
}

// AndBitmaps gives the rows that are in both bitmaps, where nil means every row. The result is one of the arguments when the
// other is nil, else a new bitmap from the pool.
func AndBitmaps(pool *Pool, a, b Bitmap, n int) Bitmap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	dst := pool.Bitmap(n)
	asm.And(dst, a, b)
	return dst
}

// AndNotBitmaps gives the rows of a that are not in b: a nil a means every row, a nil b no row.
func AndNotBitmaps(pool *Pool, a, b Bitmap, n int) Bitmap {
	if b == nil {
		return a
	}
	dst := pool.Bitmap(n)
	if a == nil {
		asm.Not(dst, b, n)
	} else {
		asm.AndNot(dst, a, b)
	}
	return dst
}
