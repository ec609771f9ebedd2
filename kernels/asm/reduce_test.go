package asm

import (
	"math"
	"math/big"
	"testing"
)

func TestSumInt(t *testing.T) {
	t.Run("int8", testSumInt[int8])
	t.Run("uint8", testSumInt[uint8])
	t.Run("int16", testSumInt[int16])
	t.Run("uint16", testSumInt[uint16])
	t.Run("int32", testSumInt[int32])
	t.Run("uint32", testSumInt[uint32])
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
	t.Run("uint8", testMinMax[uint8])
	t.Run("int16", testMinMax[int16])
	t.Run("uint16", testMinMax[uint16])
	t.Run("int32", testMinMax[int32])
	t.Run("uint32", testMinMax[uint32])
	t.Run("int64", testMinMax[int64])
	t.Run("uint64", testMinMax[uint64])
	t.Run("float32", testMinMax[float32])
	t.Run("float64", testMinMax[float64])
}

func testMinMax[T Number](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		mixed := someNumbers[T](n)
		odd := extremes[T]()
		// Ranges of one extreme value: of NaN, of zeros, of infinities, of the least or the greatest integer.
		uniform := make([]T, n)
		usual := odd[random.IntN(len(odd))]
		for i := range uniform {
			uniform[i] = usual
			if random.IntN(2+n/4) == 0 {
				uniform[i] = odd[random.IntN(len(odd))]
			}
		}
		// Small numbers of one sign: zero is an extreme, and there is one of each sign.
		plain := make([]T, n)
		for i := range plain {
			plain[i] = T(random.IntN(100))
			if plain[i] == 0 && random.IntN(2) == 0 {
				plain[i] = T(math.Copysign(0, -1))
			}
		}
		if random.IntN(2) == 0 {
			for i := range plain {
				plain[i] = -plain[i]
			}
		}
		for _, values := range [][]T{lay(h, mixed), lay(h, uniform), lay(h, plain)} {
			for _, mask := range masks(h, n) {
				checkMinMax(h, values, mask)
			}
		}
	})
}

// checkMinMax goes through the rows one by one.
func checkMinMax[T Number](h *harness, values []T, mask []uint64) {
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
	// Bits, not values: the first among equals.
	if got, ok := Min(values, mask); ok != found || !sameBits([]T{got}, []T{least}) {
		h.Errorf("Min is %v %v, want %v %v", got, ok, least, found)
	}
	if got, ok := Max(values, mask); ok != found || !sameBits([]T{got}, []T{greatest}) {
		h.Errorf("Max is %v %v, want %v %v", got, ok, greatest, found)
	}
}

// TestMinMaxOfOneRow: every place of a block is looked at, whatever surrounds it, and a row that is not selected never is.
func TestMinMaxOfOneRow(t *testing.T) {
	t.Run("int8", testMinMaxOfOneRow[int8])
	t.Run("uint16", testMinMaxOfOneRow[uint16])
	t.Run("int64", testMinMaxOfOneRow[int64])
	t.Run("uint64", testMinMaxOfOneRow[uint64])
	t.Run("int32", testMinMaxOfOneRow[int32])
	t.Run("float64", testMinMaxOfOneRow[float64])
	t.Run("float32", testMinMaxOfOneRow[float32])
}

func testMinMaxOfOneRow[T Number](t *testing.T) {
	eachTierOf(t, []int{1, 63, 64, 65, 128, 129, 200}, func(h *harness, n int) {
		values := lay(h, make([]T, n))
		all, others := lay(h, make([]uint64, Words(n))), lay(h, make([]uint64, Words(n)))
		for at := range n {
			Fill(all, n, true)
			for _, v := range []T{5, castNumber[T](^uint64(0)), 0} { // in between, NaN or -1, zero
				for i := range values {
					values[i] = 7
				}
				values[at] = v
				checkMinMax(h, values, nil)
				copy(others, all)
				others[at/64] &^= 1 << (at % 64)
				checkMinMax(h, values, others)
				// Alone among garbage.
				for i := range others {
					others[i] ^= all[i]
				}
				checkMinMax(h, values, others)
			}
		}
	})
}
