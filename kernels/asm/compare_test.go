package asm

import "testing"

func TestCompareConst(t *testing.T) {
	t.Run("int8", testCompareConst[int8])
	t.Run("int16", testCompareConst[int16])
	t.Run("int32", testCompareConst[int32])
	t.Run("int64", testCompareConst[int64])
	t.Run("uint8", testCompareConst[uint8])
	t.Run("uint16", testCompareConst[uint16])
	t.Run("uint32", testCompareConst[uint32])
	t.Run("uint64", testCompareConst[uint64])
	t.Run("float32", testCompareConst[float32])
	t.Run("float64", testCompareConst[float64])
}

// holds says whether an order satisfies a comparison.
func holds(op CompareOp, order int) bool {
	return [...]bool{order == 0, order < 0, order <= 0, order > 0, order >= 0}[op]
}

func testCompareConst[T Number](t *testing.T) {
	constants := append(extremes[T](), 3, castNumber[T](0x4141414141414141))
	eachTier(t, func(h *harness, n int) {
		values := lay(h, someNumbers[T](n))
		dst := room[uint64](h, Words(n))
		these := constants
		if n > 200 { // all would take long
			these = constants[:3]
		}
		for _, c := range these {
			for op := Eq; op <= Ge; op++ {
				spoil(dst)
				CompareConst(dst, values, op, c)
				want := rowsToBits(n, func(i int) bool { return holds(op, order(values[i], c)) })
				if !sameBits(dst, want) {
					h.Errorf("values %s %v: %s", op, c, diff(dst, want))
				}
			}
		}
	})
}

// TestCompareConstEachLane puts a single differing value at each row, so that no permutation of rows goes unseen.
func TestCompareConstEachLane(t *testing.T) {
	t.Run("int64", testEachLane[int64])
	t.Run("int32", testEachLane[int32])
	t.Run("float64", testEachLane[float64])
	t.Run("float32", testEachLane[float32])
}

func testEachLane[T Number](t *testing.T) {
	for _, tier := range Tiers() {
		restore, err := Use(tier)
		if err != nil {
			t.Fatal(err)
		}
		defer restore()
		for row := range 128 {
			values := make([]T, 128)
			values[row] = 1
			for op, want := range map[CompareOp]bool{Eq: true, Gt: false, Ge: true, Le: true, Lt: false} {
				dst := make([]uint64, 2)
				CompareConst(dst, values, op, 1)
				if bitOf(dst, row) != want || bitOf(dst, (row+1)%128) == want && op != Le && op != Gt {
					t.Errorf("%s: one in row %d: %s 1 gives %x", tier, row, op, dst)
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	t.Run("int8", testCompare[int8])
	t.Run("uint16", testCompare[uint16])
	t.Run("int32", testCompare[int32])
	t.Run("int64", testCompare[int64])
	t.Run("uint32", testCompare[uint32])
	t.Run("uint64", testCompare[uint64])
	t.Run("float32", testCompare[float32])
	t.Run("float64", testCompare[float64])
}

func testCompare[T Number](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		a, b := lay(h, someNumbers[T](n)), lay(h, someNumbers[T](n))
		dst := room[uint64](h, Words(n))
		for op := Eq; op <= Le; op++ {
			spoil(dst)
			Compare(dst, a, b, op)
			want := rowsToBits(n, func(i int) bool { return holds(op, order(a[i], b[i])) })
			if !sameBits(dst, want) {
				h.Errorf("a %s b: %s", op, diff(dst, want))
			}
		}
	})
}

// TestNamedTypes: types such as Arrow's Timestamp reach the same kernels.
func TestNamedTypes(t *testing.T) {
	type timestamp int64
	values := make([]timestamp, 130)
	values[7], values[129] = 5, 5
	dst := make([]uint64, 3)
	CompareConst(dst, values, Ge, 5)
	if want := []uint64{1 << 7, 0, 2}; !sameBits(dst, want) {
		t.Errorf("got %x, want %x", dst, want)
	}
}
