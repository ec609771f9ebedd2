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

func TestTakeWidths(t *testing.T) {
	t.Run("2", testTake[int16])
	t.Run("4", testTake[uint32])
	t.Run("8", testTake[uint64])
	t.Run("16", testTake[[2]uint64])
}

// testTake takes from columns of all lengths, whose last row is at the end of memory, and checks that an index past it panics.
func testTake[T comparable](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		length := 1 + random.IntN(300)
		src := make([]T, length)
		for i := range rawBytes(src) {
			rawBytes(src)[i] = byte(random.Uint32())
		}
		idx := make([]uint32, n)
		for i := range idx {
			idx[i] = random.Uint32N(uint32(length))
		}
		src, idx = lay(h, src), lay(h, idx)
		dst := room[T](h, n)
		Take(dst, src, idx)
		for i, j := range idx {
			if dst[i] != src[j] {
				h.Fatalf("row %d is %v, want %v", i, dst[i], src[j])
			}
		}
		if n == 0 {
			return
		}
		var most uint32
		for _, j := range idx {
			most = max(most, j)
		}
		if got := GreatestIndex(idx); got != most {
			h.Fatalf("the greatest index is %d, want %d", got, most)
		}
		for _, past := range []uint32{uint32(length), 1 << 31, 1<<32 - 1} {
			i := random.IntN(n)
			kept := idx[i]
			idx[i] = past
			if got := GreatestIndex(idx); got != past {
				h.Fatalf("the greatest index is %d, want %d", got, past)
			}
			mustPanic(h.T, "index out of range", func() { Take(dst, src, idx) })
			mustPanic(h.T, "index out of range", func() { Take(dst, src[:0], idx) })
			idx[i] = kept
		}
	})
}

func FuzzTakeRuns(f *testing.F) {
	f.Add([]byte("lengths of runs and indices, enough of them that there is more than one block of the latter, and a long run too: \xff"), uint8(9))
	f.Add(make([]byte, 700), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, extra uint8) {
		wide, narrow, views := make([]uint64, len(data)+1), make([]uint32, len(data)+1), make([][2]uint64, len(data)+1)
		for i := range wide {
			wide[i] = uint64(i)*0x9e3779b97f4a7c15 + 1
			narrow[i], views[i] = uint32(wide[i]), [2]uint64{wide[i], ^wide[i]}
		}
		idx, ends := make([]uint32, len(data)), make([]int32, len(data))
		end := 0
		for i, b := range data {
			end += int(b)
			idx[i], ends[i] = uint32(b)%uint32(len(wide)), int32(end)
		}
		rows := end + int(extra)
		inTiers(t, func() []uint64 {
			out := []uint64{uint64(GreatestIndex(idx))}
			collect := func(w []uint64, n []uint32, v [][2]uint64) {
				for i := range w {
					out = append(out, w[i], uint64(n[i]), v[i][0], v[i][1])
				}
			}
			w, n, v := make([]uint64, len(idx)), make([]uint32, len(idx)), make([][2]uint64, len(idx))
			Take(w, wide, idx)
			Take(n, narrow, idx)
			Take(v, views, idx)
			collect(w, n, v)
			w, n, v = make([]uint64, rows), make([]uint32, rows), make([][2]uint64, rows)
			ExpandRuns(w, wide, ends)
			ExpandRuns(n, narrow, ends)
			ExpandRuns(v, views, ends)
			collect(w[:end], n[:end], v[:end])
			return out
		})
	})
}
