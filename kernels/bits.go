package kernels

import (
	"math/bits"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// setBits sets bits from to to (half open).
func setBits(b types.Bitmap, from, to int) {
	for from < to {
		bit := uint(from) & 63
		n := min(64-int(bit), to-from)
		b[from>>6] |= (^uint64(0) >> (64 - uint(n))) << bit
		from += n
	}
}

// countBits gives the number of set bits from to to (half open).
func countBits(b types.Bitmap, from, to int) int {
	count := 0
	for from < to {
		bit := uint(from) & 63
		n := min(64-int(bit), to-from)
		count += bits.OnesCount64(b[from>>6] >> bit << (64 - uint(n)))
		from += n
	}
	return count
}

// gatherBits gives bit src[indices[i]] in place i.
func gatherBits(pool *types.Pool, src types.Bitmap, indices []uint32) types.Bitmap {
	dst := pool.Bitmap(len(indices))
	asm.TakeBits(dst, src, indices)
	return dst
}

// compactBits gives the selected bits of the first rows of src side by side: n of them.
func compactBits(pool *types.Pool, src, selection types.Bitmap, rows, n int) types.Bitmap {
	dst := pool.Bitmap(n)
	asm.FilterBits(dst, src, selection, rows)
	return dst
}

// repeatBits gives each of n bits width times in a row.
func repeatBits(pool *types.Pool, src types.Bitmap, n, width int) types.Bitmap {
	dst := pool.ZeroBitmap(n * width)
	for i := src.NextSet(0, n); i < n; i = src.NextSet(i+1, n) {
		setBits(dst, i*width, (i+1)*width)
	}
	return dst
}

// allSet reports whether each of the first n bits is set.
func allSet(b types.Bitmap, n int) bool { return b.Count(n) == n }

// notBits gives the complement of n bits.
func notBits(pool *types.Pool, b types.Bitmap, n int) types.Bitmap {
	dst := pool.Bitmap(n)
	asm.Not(dst, b, n)
	return dst
}
