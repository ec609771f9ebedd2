package agg

import (
	"math/big"
	"math/bits"

	"github.com/lacunadb/lacuna/types"
)

// This file is the little arithmetic on 128- and 256-bit integers that sums need.

func int128Of(x int64) types.Int128 { return types.Int128{Lo: uint64(x), Hi: x >> 63} }

// mul64 gives the exact product of two int64.
func mul64(a, b int64) types.Int128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return types.Int128{Lo: lo, Hi: int64(hi) - a>>63&b - b>>63&a}
}

// add128 gives a+b, which does not overflow: sums of 64-bit values stay below 2^127 for as many rows as there can be.
func add128(a, b types.Int128) types.Int128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	return types.Int128{Lo: lo, Hi: a.Hi + b.Hi + int64(carry)}
}

func int256Of(x types.Int128) types.Int256 {
	s := uint64(x.Hi >> 63)
	return types.Int256{x.Lo, uint64(x.Hi), s, s}
}

// add256 gives a+b and whether it overflowed.
func add256(a, b types.Int256) (r types.Int256, over bool) {
	var carry uint64
	for i := range r {
		r[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return r, (a[3]^r[3])&(b[3]^r[3])>>63 != 0
}

// mul256 gives a times a weight that is not negative, and whether it overflowed.
func mul256(a types.Int256, weight int64) (r types.Int256, over bool) {
	negative := int64(a[3]) < 0
	if negative {
		a = neg256(a)
	}
	var carry uint64
	for i := range a {
		hi, lo := bits.Mul64(a[i], uint64(weight))
		var c uint64
		r[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	over = carry != 0 || int64(r[3]) < 0
	if negative {
		r = neg256(r)
	}
	return r, over
}

func neg256(a types.Int256) (r types.Int256) {
	carry := uint64(1)
	for i := range r {
		r[i], carry = bits.Add64(^a[i], 0, carry)
	}
	return r
}

// fits128 gives x as an Int128 and whether it is one.
func fits128(x types.Int256) (types.Int128, bool) {
	s := uint64(int64(x[1]) >> 63)
	return types.Int128{Lo: x[0], Hi: int64(x[1])}, x[2] == s && x[3] == s
}

// fitsDigits reports whether x has at most that many decimal digits.
func fitsDigits(x types.Int256, digits int) bool {
	if int64(x[3]) < 0 {
		x = neg256(x)
	}
	limit := pow10Wide[digits]
	for i := 3; i >= 0; i-- {
		if x[i] != limit[i] {
			return x[i] < limit[i]
		}
	}
	return false
}

// pow10Wide holds the powers of ten up to 10^76.
var pow10Wide = func() (p [types.MaxDecimalPrecision + 1]types.Int256) {
	p[0] = types.Int256{1}
	for i := 1; i < len(p); i++ {
		p[i], _ = mul256(p[i-1], 10)
	}
	return p
}()

// quotient gives the double nearest to sum / (count * 10^scale). count is not zero.
func quotient(sum types.Int256, count int64, scale int) float64 {
	const exact = 1 << 53 // whole numbers up to here are doubles
	if x, ok := fits128(sum); ok && x.Hi == int64(x.Lo)>>63 && scale <= 18 {
		hi, divisor := bits.Mul64(uint64(count), pow10Wide[scale][0])
		if s := int64(x.Lo); s > -exact && s < exact && hi == 0 && divisor < exact {
			return float64(s) / float64(divisor)
		}
	}
	divisor := new(big.Int).Mul(big.NewInt(count), pow10Wide[scale].Big())
	f, _ := new(big.Rat).SetFrac(sum.Big(), divisor).Float64()
	return f
}

// step gives a plus a fraction of the way from a to b, rounded toward a.
func step(a, b *big.Int, fraction float64) *big.Int {
	way := new(big.Float).SetInt(new(big.Int).Sub(b, a))
	way.Mul(way, big.NewFloat(fraction))
	part, _ := way.Int(nil)
	return part.Add(part, a)
}
