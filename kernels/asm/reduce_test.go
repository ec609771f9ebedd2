package asm

import (
	"math"
	"math/big"
	"testing"
)

func TestSumInt(t *testing.T) {
	t.Run("int8", testSumInt[int8])
	t.Run("uint16", testSumInt[uint16])
	t.Run("int32", testSumInt[int32])
	t.Run("int64", testSumInt[int64])
	t.Run("uint64", testSumInt[uint64])
}

// masks gives a nil mask and a random one.
func masks(h *harness, n int) [][]uint64 { return [][]uint64{nil, lay(h, someBits(n))} }

// kept says whether a mask selects a row.
func kept(mask []uint64, i int) bool { return mask == nil || bitOf(mask, i) }

func testSumInt[T Integer](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		values := lay(h, someNumbers[T](n))
		for _, mask := range masks(h, n) {
			want := new(big.Int)
			for i, v := range values {
				if !kept(mask, i) {
					continue
				}
				if isSigned[T]() {
					want.Add(want, big.NewInt(int64(v)))
				} else {
					want.Add(want, new(big.Int).SetUint64(uint64(v)))
				}
			}
			hi, lo := SumInt(values, mask)
			got := new(big.Int).Lsh(big.NewInt(hi), 64)
			got.Add(got, new(big.Int).SetUint64(lo))
			if got.Cmp(want) != 0 {
				h.Errorf("sum is %v, want %v", got, want)
			}
		}
	})
}

func TestSumIntExceeds64Bits(t *testing.T) {
	values := []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}
	if hi, lo := SumInt(values, nil); hi != 1 || lo != 0x7ffffffffffffffd {
		t.Errorf("3 * max = %d, %#x", hi, lo)
	}
	for i := range values {
		values[i] = math.MinInt64
	}
	if hi, lo := SumInt(values, nil); hi != -2 || lo != 1<<63 {
		t.Errorf("3 * min = %d, %#x", hi, lo)
	}
}

func TestSumFloat(t *testing.T) {
	t.Run("float32", testSumFloat[float32])
	t.Run("float64", testSumFloat[float64])
}

// testSumFloat follows the order in SumFloat's contract row by row and wants the same bits.
func testSumFloat[T Float](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		numbers := make([]T, n)
		for i := range numbers {
			numbers[i] = T(random.NormFloat64() * math.Pow(10, float64(random.IntN(20)-10)))
		}
		numbers = lay(h, numbers)
		for _, values := range [][]T{numbers, lay(h, someNumbers[T](n))} {
			for _, mask := range masks(h, n) {
				var l [8]float64
				for i, v := range values {
					if kept(mask, i) {
						l[i%8] += float64(v)
					}
				}
				want := ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
				got := SumFloat(values, mask)
				if got != got && want != want { // a NaN's payload is the CPU's business
					continue
				}
				if math.Float64bits(got) != math.Float64bits(want) {
					h.Errorf("sum is %v, want %v", got, want)
				}
			}
		}
	})
}

func TestSumFloatIgnoresGarbage(t *testing.T) {
	values := make([]float64, 70)
	for i := range values {
		values[i] = math.NaN()
	}
	values[3], values[68] = 1.5, 2
	if got := SumFloat(values, []uint64{1 << 3, 1 << 4}); got != 3.5 {
		t.Errorf("sum of the selected is %v, want 3.5", got)
	}
	if got := SumFloat([]float64{math.Copysign(0, -1)}, nil); math.Signbit(got) {
		t.Error("the sum of -0 is -0, want 0")
	}
}

func TestMinMax(t *testing.T) {
	t.Run("int8", testMinMax[int8])
	t.Run("uint32", testMinMax[uint32])
	t.Run("int64", testMinMax[int64])
	t.Run("uint64", testMinMax[uint64])
	t.Run("float32", testMinMax[float32])
	t.Run("float64", testMinMax[float64])
}

func testMinMax[T Number](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		values := someNumbers[T](n)
		nan := extremes[T]()[0]
		for _, v := range extremes[T]() {
			if v != v {
				nan = v
			}
		}
		if random.IntN(4) == 0 { // mostly NaN, to see ranges of nothing else
			for i := range values {
				if random.IntN(20) != 0 {
					values[i] = nan
				}
			}
		}
		values = lay(h, values)
		for _, mask := range masks(h, n) {
			var least, greatest T
			found := false
			for i, v := range values {
				switch {
				case !kept(mask, i):
				case !found:
					least, greatest, found = v, v, true
				default:
					if order(v, least) < 0 {
						least = v
					}
					if order(v, greatest) > 0 {
						greatest = v
					}
				}
			}
			gotLeast, gotGreatest, ok := MinMax(values, mask)
			// Bits, not values: the first among equals.
			if ok != found || !sameBits([]T{gotLeast, gotGreatest}, []T{least, greatest}) {
				h.Errorf("got %v %v %v, want %v %v %v", gotLeast, gotGreatest, ok, least, greatest, found)
			}
		}
	})
}
