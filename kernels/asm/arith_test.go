package asm

import (
	"math/big"
	"testing"
)

func TestChecked(t *testing.T) {
	t.Run("int8", testChecked[int8])
	t.Run("int16", testChecked[int16])
	t.Run("int32", testChecked[int32])
	t.Run("int64", testChecked[int64])
	t.Run("uint8", testChecked[uint8])
	t.Run("uint16", testChecked[uint16])
	t.Run("uint32", testChecked[uint32])
	t.Run("uint64", testChecked[uint64])
}

// bigOf gives the exact value of an integer.
func bigOf[T Integer](v T) *big.Int {
	if isSigned[T]() {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

// testChecked compares with arbitrary precision.
func testChecked[T Integer](t *testing.T) {
	add := func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
	sub := func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	// All tiers share this code, and it makes no calls into assembly that long columns would split.
	eachLength(t, testRows()[:201], func(h *harness, n int) {
		for _, small := range []bool{false, true} { // small ones never overflow: the fast loop
			h.used = 0
			xs, ys := someNumbers[T](n), someNumbers[T](n)
			c := extremes[T]()[random.IntN(len(extremes[T]()))]
			if small {
				c = 3
				for i := range xs {
					xs[i], ys[i] = T(5+random.IntN(5)), T(random.IntN(5))
				}
			}
			x, y := lay(h, xs), lay(h, ys)
			dst, bad := room[T](h, n), room[uint64](h, Words(n))
			check := func(name string, any bool, exact func(i int) *big.Int) {
				anyWant := false
				for i := range n {
					want := exact(i)
					overflow := bigOf(dst[i]).Cmp(want) != 0
					anyWant = anyWant || overflow
					low := new(big.Int).And(want, new(big.Int).SetUint64(^uint64(0))).Uint64()
					if dst[i] != T(low) {
						h.Fatalf("%s: row %d is %v, want %v wrapped", name, i, dst[i], want)
					}
					if bitOf(bad, i) != overflow {
						h.Fatalf("%s: row %d, exactly %v, is marked bad: %v", name, i, want, bitOf(bad, i))
					}
				}
				if n%64 != 0 && bad[len(bad)-1]&^tailMask(n) != 0 {
					h.Errorf("%s: bits past the end are set", name)
				}
				if any != anyWant || small && any && name != "ConstSubChecked" {
					h.Errorf("%s says %v, want %v", name, any, anyWant)
				}
				spoil(dst)
				spoil(bad)
			}
			check("AddChecked", AddChecked(dst, x, y, bad), func(i int) *big.Int { return add(bigOf(x[i]), bigOf(y[i])) })
			check("SubChecked", SubChecked(dst, x, y, bad), func(i int) *big.Int { return sub(bigOf(x[i]), bigOf(y[i])) })
			check("MulChecked", MulChecked(dst, x, y, bad), func(i int) *big.Int { return mul(bigOf(x[i]), bigOf(y[i])) })
			check("AddConstChecked", AddConstChecked(dst, x, c, bad), func(i int) *big.Int { return add(bigOf(x[i]), bigOf(c)) })
			check("SubConstChecked", SubConstChecked(dst, x, c, bad), func(i int) *big.Int { return sub(bigOf(x[i]), bigOf(c)) })
			check("ConstSubChecked", ConstSubChecked(dst, c, x, bad), func(i int) *big.Int { return sub(bigOf(c), bigOf(x[i])) })
			check("MulConstChecked", MulConstChecked(dst, x, c, bad), func(i int) *big.Int { return mul(bigOf(x[i]), bigOf(c)) })
		}
	})
}
