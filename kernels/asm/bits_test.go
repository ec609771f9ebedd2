package asm

import (
	"bytes"
	"slices"
	"testing"
)

func TestLoadStoreBits(t *testing.T) {
	rows := bitmapRows()
	for n := range 201 {
		rows = append(rows, n)
	}
	eachTierOf(t, rows, func(h *harness, n int) {
		offsets := 9
		switch {
		case n <= 200:
			offsets = 64
		case n > 10000:
			offsets = 2
		}
		for offset := range offsets {
			testLoadStoreBits(h, n, offset)
		}
	})
}

func testLoadStoreBits(t *harness, n, offset int) {
	t.used = 0
	size := (offset + n + 7) / 8
	src := make([]byte, size)
	for i := range src {
		src[i] = byte(random.Uint32())
	}
	src = lay(t, src)
	dst := room[uint64](t, Words(n))
	LoadBits(dst, src, offset, n)
	byteBit := func(b []byte, i int) bool { return b[i/8]>>(i%8)&1 != 0 }
	want := rowsToBits(n, func(i int) bool { return byteBit(src, offset+i) })
	if !sameBits(dst, want) {
		t.Fatalf("LoadBits(offset %d, %d rows) = %x, want %x", offset, n, dst, want)
	}

	old := make([]byte, size)
	for i := range old {
		old[i] = byte(random.Uint32())
	}
	out := lay(t, old)
	StoreBits(out, dst, offset, n)
	expect := slices.Clone(old)
	for i := range n {
		expect[(offset+i)/8] &^= 1 << ((offset + i) % 8)
		if bitOf(dst, i) {
			expect[(offset+i)/8] |= 1 << ((offset + i) % 8)
		}
	}
	if !bytes.Equal(out, expect) {
		t.Fatalf("StoreBits(offset %d, %d rows) = %x, want %x", offset, n, out, expect)
	}
}

func TestBitAlgebra(t *testing.T) {
	eachTierOf(t, append(testRows(), bitmapRows()...), func(h *harness, n int) {
		a, b := lay(h, someBits(n)), lay(h, someBits(n))
		dst := room[uint64](h, Words(n))
		check := func(name string, f func(x, y bool) bool) {
			want := rowsToBits(n, func(i int) bool { return f(bitOf(a, i), bitOf(b, i)) })
			if !sameBits(dst, want) {
				h.Errorf("%s: %s", name, diff(dst, want))
			}
			spoil(dst)
		}
		And(dst, a, b)
		check("And", func(x, y bool) bool { return x && y })
		Or(dst, a, b)
		check("Or", func(x, y bool) bool { return x || y })
		AndNot(dst, a, b)
		check("AndNot", func(x, y bool) bool { return x && !y })
		Xor(dst, a, b)
		check("Xor", func(x, y bool) bool { return x != y })
		Not(dst, a, n)
		check("Not", func(x, y bool) bool { return !x })
		Copy(dst, a, n)
		check("Copy", func(x, y bool) bool { return x })
		Fill(dst, n, true)
		check("Fill true", func(x, y bool) bool { return true })
		Fill(dst, n, false)
		check("Fill false", func(x, y bool) bool { return false })
		copy(dst, a)
		And(dst, dst, b) // in place
		check("And in place", func(x, y bool) bool { return x && y })

		count, first, common := 0, -1, false
		for i := range n {
			if bitOf(a, i) {
				count++
				if first < 0 {
					first = i
				}
				common = common || bitOf(b, i)
			}
		}
		if got := PopCount(a); got != count {
			h.Errorf("PopCount = %d, want %d", got, count)
		}
		if got := FindFirst(a); got != first {
			h.Errorf("FindFirst = %d, want %d", got, first)
		}
		if AnyAnd(a, b) != common || AnyAnd(a, nil) != (count > 0) {
			h.Errorf("AnyAnd = %v, %v, want %v, %v", AnyAnd(a, b), AnyAnd(a, nil), common, count > 0)
		}
	})
}

// TestKleene checks all nine combinations of false, true and null against the truth table of the SQL standard.
func TestKleene(t *testing.T) {
	// A truth value is false 0, null 1, true 2: AND is the least, OR the greatest.
	eachTierOf(t, append(testRows(), bitmapRows()[:150]...), func(h *harness, n int) {
		for _, nilA := range []bool{false, true} {
			for _, nilB := range []bool{false, true} {
				h.used = 0
				aValue, bValue := lay(h, someBits(n)), lay(h, someBits(n))
				aValid, bValid := lay(h, someBits(n)), lay(h, someBits(n))
				if nilA {
					aValid = nil
				}
				if nilB {
					bValid = nil
				}
				truth := func(value, valid []uint64, i int) int {
					switch {
					case valid != nil && !bitOf(valid, i):
						return 1
					case bitOf(value, i):
						return 2
					}
					return 0
				}
				value, valid := room[uint64](h, Words(n)), room[uint64](h, Words(n))
				check := func(name string, pick func(x, y int) int) {
					result := func(i int) int { return pick(truth(aValue, aValid, i), truth(bValue, bValid, i)) }
					wantValue := rowsToBits(n, func(i int) bool { return result(i) == 2 })
					wantValid := rowsToBits(n, func(i int) bool { return result(i) != 1 })
					if !sameBits(value, wantValue) || !sameBits(valid, wantValid) {
						h.Errorf("%s: value: %s; valid: %s", name, diff(value, wantValue), diff(valid, wantValid))
					}
				}
				KleeneAnd(value, valid, aValue, aValid, bValue, bValid, n)
				check("KleeneAnd", func(x, y int) int { return min(x, y) })
				spoil(value)
				spoil(valid)
				KleeneOr(value, valid, aValue, aValid, bValue, bValid, n)
				check("KleeneOr", func(x, y int) int { return max(x, y) })
			}
		}
	})
}

func TestAppendIndices(t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		for range 4 {
			h.used = 0
			b := lay(h, someBits(n))
			want := []uint32{77}
			for i := range n {
				if bitOf(b, i) {
					want = append(want, uint32(i))
				}
			}
			got := AppendIndices([]uint32{77}, b, n)
			if !slices.Equal(got, want) {
				h.Error(diff(got, want))
			}
			again := AppendIndices(got[:1], b, n)
			if !slices.Equal(again, want) || cap(got) > 0 && &again[0] != &got[0] {
				h.Error("a second append into the same memory differs or allocates")
			}
		}
	})
}
