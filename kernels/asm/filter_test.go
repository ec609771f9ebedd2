package asm

import "testing"

type pair struct {
	a int64
	b uint64
}

func TestFilter(t *testing.T) {
	t.Run("1", func(t *testing.T) { testFilter(t, func() uint8 { return uint8(random.Uint32()) }) })
	t.Run("2", func(t *testing.T) { testFilter(t, func() int16 { return int16(random.Uint32()) }) })
	t.Run("4", func(t *testing.T) { testFilter(t, func() float32 { return random.Float32() }) })
	t.Run("8", func(t *testing.T) { testFilter(t, random.Int64) })
	t.Run("16", func(t *testing.T) { testFilter(t, func() pair { return pair{random.Int64(), random.Uint64()} }) })
}

func testFilter[T comparable](t *testing.T, value func() T) {
	eachTier(t, func(h *harness, n int) {
		for range 3 {
			h.used = 0
			values := make([]T, n)
			for i := range values {
				values[i] = value()
			}
			src, sel := lay(h, values), lay(h, someBits(n))
			var want []T
			for i := range n {
				if bitOf(sel, i) {
					want = append(want, src[i])
				}
			}
			// In place is last: it destroys src.
			for _, dst := range [][]T{room[T](h, len(want)), room[T](h, len(want)+64), src} {
				if got := Filter(dst, src, sel); got != len(want) || !sameBits(dst[:got], want) {
					h.Errorf("into %d elements: %s", len(dst), diff(dst[:got], want))
				}
			}
		}
	})
}

func TestFilterBits(t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		for range 4 {
			h.used = 0
			src, sel := lay(h, someBits(n)), lay(h, someBits(n))
			kept := make([]bool, 0, n)
			for i := range n {
				if bitOf(sel, i) {
					kept = append(kept, bitOf(src, i))
				}
			}
			want := rowsToBits(len(kept), func(i int) bool { return kept[i] })
			dst := room[uint64](h, len(want))
			if got := FilterBits(dst, src, sel, n); got != len(kept) || !sameBits(dst, want) {
				h.Errorf("got %d bits, want %d; %s", got, len(kept), diff(dst, want))
			}
			if got := FilterBits(src, src, sel, n); got != len(kept) || !sameBits(src[:len(want)], want) {
				h.Errorf("in place: got %d bits, want %d; %s", got, len(kept), diff(src[:len(want)], want))
			}
		}
	})
}

func TestExtractBits(t *testing.T) {
	for range 10000 {
		x, mask := random.Uint64(), someBits(64)[0]
		var want uint64
		k := 0
		for i := range 64 {
			if mask>>i&1 != 0 {
				want |= (x >> i & 1) << k
				k++
			}
		}
		if got := extractBits(x&mask, mask); got != want {
			t.Fatalf("extractBits(%#x, %#x) = %#x, want %#x", x, mask, got, want)
		}
	}
}

func TestTake(t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		src := lay(h, someNumbers[int64](100))
		idx := make([]uint32, n)
		for i := range idx {
			idx[i] = random.Uint32N(100)
		}
		idx = lay(h, idx)
		dst := room[int64](h, n)
		Take(dst, src, idx)
		for i, j := range idx {
			if dst[i] != src[j] {
				h.Fatalf("Take: row %d is %d, want %d", i, dst[i], src[j])
			}
		}
		bits := lay(h, someBits(100))
		out := room[uint64](h, Words(n))
		TakeBits(out, bits, idx)
		if want := rowsToBits(n, func(i int) bool { return bitOf(bits, int(idx[i])) }); !sameBits(out, want) {
			h.Errorf("TakeBits: %s", diff(out, want))
		}

		valid := lay(h, someBits(n))
		for i := range idx {
			if !bitOf(valid, i) {
				idx[i] = 0xdeadbeef // null rows hold garbage
			}
		}
		TakeValid(spoil(dst), src, idx, valid)
		for i, j := range idx {
			var want int64
			if bitOf(valid, i) {
				want = src[j]
			}
			if dst[i] != want {
				h.Fatalf("TakeValid: row %d is %d, want %d", i, dst[i], want)
			}
		}
		TakeBitsValid(spoil(out), bits, idx, valid)
		if want := rowsToBits(n, func(i int) bool { return bitOf(valid, i) && bitOf(bits, int(idx[i])) }); !sameBits(out, want) {
			h.Errorf("TakeBitsValid: %s", diff(out, want))
		}
	})
}
