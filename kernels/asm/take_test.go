package asm

import (
	"math/rand/v2"
	"testing"
)

// TestTakeBitsTable compares the table's path with bit tests, over sources on both sides of its limit.
func TestTakeBitsTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, entries := range []int{1, 63, 64, 65, 2526, tableBits - 1, tableBits, tableBits + 1} {
		src := make([]uint64, Words(entries))
		for i := range src {
			src[i] = rng.Uint64()
		}
		for _, rows := range []int{255, 256, 320, 4096, 4100, 8191} {
			idx := make([]uint32, rows)
			for i := range idx {
				idx[i] = uint32(rng.IntN(entries))
			}
			dst := make([]uint64, Words(rows))
			TakeBits(dst, src, idx)
			for i, j := range idx {
				if got, want := dst[i>>6]>>(i&63)&1, bitAt(src, j); got != want {
					t.Fatalf("%d entries, %d rows: row %d is %d, want %d", entries, rows, i, got, want)
				}
			}
		}
	}
}

func TestTakeBitsOutside(t *testing.T) {
	for _, bad := range []uint32{64, tableBits, tableBits + 3, 1 << 31} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("index %d of a bitmap of 64 rows: no panic", bad)
				}
			}()
			idx := make([]uint32, 512)
			idx[300] = bad
			TakeBits(make([]uint64, 8), []uint64{1}, idx)
		}()
	}
}
