package kernels

import (
	"math"
	"math/bits"

	"github.com/lacunadb/lacuna/types"
)

// This file is the arithmetic of 128- and 256-bit two's-complement integers that HUGEINT and wide decimals need.

type (
	int128 = types.Int128
	int256 = types.Int256
)

var (
	min128 = int128{Hi: math.MinInt64}
	max128 = int128{Hi: math.MaxInt64, Lo: math.MaxUint64}
)

func int128From64(x int64) int128 { return int128{Lo: uint64(x), Hi: x >> 63} }

// fits64 reports whether x is an int64.
func fits64(x int128) bool { return x.Hi == int64(x.Lo)>>63 }

func cmp128(a, b int128) int {
	switch {
	case a.Hi != b.Hi:
		return sign(a.Hi < b.Hi)
	case a.Lo != b.Lo:
		return sign(a.Lo < b.Lo)
	}
	return 0
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

// add128 gives a+b and whether it overflowed.
func add128(a, b int128) (int128, bool) {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	return int128{Lo: lo, Hi: int64(hi)}, (uint64(a.Hi)^hi)&(uint64(b.Hi)^hi)>>63 != 0
}

// sub128 gives a-b and whether it overflowed.
func sub128(a, b int128) (int128, bool) {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), borrow)
	return int128{Lo: lo, Hi: int64(hi)}, (uint64(a.Hi)^uint64(b.Hi))&(uint64(a.Hi)^hi)>>63 != 0
}

func neg128(a int128) int128 {
	r, _ := sub128(int128{}, a)
	return r
}

// abs128 gives the magnitude, as unsigned words: that of the smallest value is 2^127.
func abs128(a int128) (hi, lo uint64) {
	if a.Hi < 0 {
		a = neg128(a)
	}
	return uint64(a.Hi), a.Lo
}

// mul64 gives the exact product of two int64.
func mul64(a, b int64) int128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int128{Lo: lo, Hi: int64(hi) - a>>63&b - b>>63&a}
}

// mul128 gives a*b and whether it overflowed.
func mul128(a, b int128) (int128, bool) {
	if fits64(a) && fits64(b) {
		return mul64(int64(a.Lo), int64(b.Lo)), false
	}
	ahi, alo := abs128(a)
	bhi, blo := abs128(b)
	over := ahi != 0 && bhi != 0
	hi, lo := bits.Mul64(alo, blo)
	c1, m1 := bits.Mul64(ahi, blo)
	c2, m2 := bits.Mul64(alo, bhi)
	hi, carry1 := bits.Add64(hi, m1, 0)
	hi, carry2 := bits.Add64(hi, m2, 0)
	over = over || c1 != 0 || c2 != 0 || carry1 != 0 || carry2 != 0
	r := int128{Lo: lo, Hi: int64(hi)}
	if a.Hi^b.Hi < 0 {
		over = over || hi > 1<<63 || hi == 1<<63 && lo != 0
		return neg128(r), over
	}
	return r, over || hi>>63 != 0
}

// divMod128 divides truncating toward zero; the remainder has the sign of a. b is not zero; the smallest value by -1 wraps.
func divMod128(a, b int128) (quotient, remainder int128) {
	if fits64(a) && fits64(b) && !(int64(a.Lo) == math.MinInt64 && int64(b.Lo) == -1) {
		return int128From64(int64(a.Lo) / int64(b.Lo)), int128From64(int64(a.Lo) % int64(b.Lo))
	}
	ahi, alo := abs128(a)
	bhi, blo := abs128(b)
	var q, r int128
	if bhi == 0 {
		qhi, rest := bits.Div64(0, ahi, blo)
		qlo, rem := bits.Div64(rest, alo, blo)
		q, r = int128{Lo: qlo, Hi: int64(qhi)}, int128{Lo: rem, Hi: 0}
	} else {
		// The quotient is one word. Estimate it with the divisor's top 64 bits; the estimate is at most one too large
		// (Hacker's Delight 2nd ed., section 9-5).
		shift := uint(bits.LeadingZeros64(bhi))
		top := bhi<<shift | blo>>1>>(63-shift)
		est, _ := bits.Div64(ahi>>1, ahi<<63|alo>>1, top)
		est = est >> (63 - shift)
		if est > 0 {
			est--
		}
		phi, plo := bits.Mul64(est, blo)
		phi += est * bhi
		lo, borrow := bits.Sub64(alo, plo, 0)
		hi, _ := bits.Sub64(ahi, phi, borrow)
		if hi > bhi || hi == bhi && lo >= blo {
			est++
			lo, borrow = bits.Sub64(lo, blo, 0)
			hi, _ = bits.Sub64(hi, bhi, borrow)
		}
		q, r = int128{Lo: est, Hi: 0}, int128{Lo: lo, Hi: int64(hi)}
	}
	if a.Hi^b.Hi < 0 {
		q = neg128(q)
	}
	if a.Hi < 0 {
		r = neg128(r)
	}
	return q, r
}

// float128 gives the float nearest to x, up to the rounding of two 64-bit halves.
func float128(x int128) float64 {
	if fits64(x) {
		return float64(int64(x.Lo))
	}
	hi, lo := abs128(x)
	// Keep the top 64 bits and fold what is below into a sticky bit, so that one rounding remains.
	shift := uint(bits.LeadingZeros64(hi))
	var f float64
	if hi == 0 {
		f = float64(lo)
	} else {
		top := hi<<shift | lo>>1>>(63-shift)
		if lo<<shift != 0 {
			top |= 1
		}
		f = math.Ldexp(float64(top), 64-int(shift))
	}
	if x.Hi < 0 {
		return -f
	}
	return f
}

// int128FromFloat gives the whole number f, and false when it is NaN or out of range.
func int128FromFloat(f float64) (int128, bool) {
	const limit = 1 << 127
	if !(f >= -limit && f < limit) {
		return int128{}, false
	}
	m := math.Abs(f)
	hi := uint64(m / (1 << 64)) // exact: division by a power of two, then truncation
	r := int128{Lo: uint64(m - float64(hi)*(1<<64)), Hi: int64(hi)}
	if f < 0 {
		r = neg128(r)
	}
	return r, true
}

func int256From128(x int128) int256 {
	s := uint64(x.Hi >> 63)
	return int256{x.Lo, uint64(x.Hi), s, s}
}

func int256From64(x int64) int256 { return int256From128(int128From64(x)) }

// fits128 gives x as an int128 and whether it is one.
func fits128(x int256) (int128, bool) {
	s := uint64(int64(x[1]) >> 63)
	return int128{Lo: x[0], Hi: int64(x[1])}, x[2] == s && x[3] == s
}

func cmp256(a, b int256) int {
	if a[3] != b[3] {
		return sign(int64(a[3]) < int64(b[3]))
	}
	for i := 2; i >= 0; i-- {
		if a[i] != b[i] {
			return sign(a[i] < b[i])
		}
	}
	return 0
}

func isNeg256(a int256) bool { return int64(a[3]) < 0 }

// add256 gives a+b and whether it overflowed.
func add256(a, b int256) (r int256, over bool) {
	var carry uint64
	for i := range r {
		r[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return r, (a[3]^r[3])&(b[3]^r[3])>>63 != 0
}

// sub256 gives a-b and whether it overflowed.
func sub256(a, b int256) (r int256, over bool) {
	var borrow uint64
	for i := range r {
		r[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return r, (a[3]^b[3])&(a[3]^r[3])>>63 != 0
}

func neg256(a int256) int256 {
	r, _ := sub256(int256{}, a)
	return r
}

// abs256 gives the magnitude as an unsigned number.
func abs256(a int256) int256 {
	if isNeg256(a) {
		return neg256(a)
	}
	return a
}

// mul256 gives a*b and whether it overflowed.
func mul256(a, b int256) (int256, bool) {
	x, y := abs256(a), abs256(b)
	var p [8]uint64
	for i := range x {
		var carry uint64
		for j := range y {
			hi, lo := bits.Mul64(x[i], y[j])
			lo, c := bits.Add64(lo, p[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			p[i+j], carry = lo, hi+c
		}
		p[i+4] = carry
	}
	r := int256{p[0], p[1], p[2], p[3]}
	over := p[4]|p[5]|p[6]|p[7] != 0
	if isNeg256(a) != isNeg256(b) {
		r = neg256(r)
		return r, over || !isNeg256(r) && r != int256{}
	}
	return r, over || isNeg256(r)
}

// divMod256 divides truncating toward zero; the remainder has the sign of a. b is not zero; the smallest value by -1 wraps.
func divMod256(a, b int256) (quotient, remainder int256) {
	if x, ok := fits128(a); ok && x != min128 {
		if y, ok := fits128(b); ok {
			q, r := divMod128(x, y)
			return int256From128(q), int256From128(r)
		}
	}
	x, y := abs256(a), abs256(b)
	q, r := divModUnsigned(x, y)
	if isNeg256(a) != isNeg256(b) {
		q = neg256(q)
	}
	if isNeg256(a) {
		r = neg256(r)
	}
	return q, r
}

// divModUnsigned divides unsigned numbers by Knuth's algorithm D (The Art of Computer Programming vol. 2, 4.3.1) in base 2^64.
func divModUnsigned(a, b int256) (q, r int256) {
	n := 4
	for b[n-1] == 0 {
		n--
	}
	if n == 1 {
		var rem uint64
		for i := 3; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, a[i], b[0])
		}
		return q, int256{rem}
	}
	// Normalise: the divisor's top bit set.
	shift := uint(bits.LeadingZeros64(b[n-1]))
	var u [5]uint64
	var v [4]uint64
	for i := n - 1; i >= 0; i-- {
		v[i] = b[i] << shift
		if i > 0 {
			v[i] |= b[i-1] >> 1 >> (63 - shift)
		}
	}
	u[4] = a[3] >> 1 >> (63 - shift)
	for i := 3; i >= 0; i-- {
		u[i] = a[i] << shift
		if i > 0 {
			u[i] |= a[i-1] >> 1 >> (63 - shift)
		}
	}
	for j := 4 - n; j >= 0; j-- {
		// Estimate one word of the quotient from the top words; it is at most two too large.
		qhat, rhat := ^uint64(0), uint64(0)
		if u[j+n] < v[n-1] {
			qhat, rhat = bits.Div64(u[j+n], u[j+n-1], v[n-1])
			for {
				hi, lo := bits.Mul64(qhat, v[n-2])
				if hi < rhat || hi == rhat && lo <= u[j+n-2] {
					break
				}
				qhat--
				rhat += v[n-1]
				if rhat < v[n-1] { // rhat passed 2^64
					break
				}
			}
		}
		var borrow, carry uint64
		for i := range n {
			hi, lo := bits.Mul64(qhat, v[i])
			lo, c := bits.Add64(lo, carry, 0)
			carry = hi + c
			u[i+j], borrow = bits.Sub64(u[i+j], lo, borrow)
		}
		u[j+n], borrow = bits.Sub64(u[j+n], carry, borrow)
		for borrow != 0 { // the estimate was too large: add the divisor back
			qhat--
			var c uint64
			for i := range n {
				u[i+j], c = bits.Add64(u[i+j], v[i], c)
			}
			u[j+n], c = bits.Add64(u[j+n], 0, c)
			borrow -= c
		}
		q[j] = qhat
	}
	for i := range n {
		r[i] = u[i]>>shift | u[i+1]<<1<<(63-shift)
	}
	return q, r
}

// int256FromFloat gives the whole number f, which is in range.
func int256FromFloat(f float64) int256 {
	fraction, exponent := math.Frexp(math.Abs(f))
	m := uint64(fraction * (1 << 53)) // f = m * 2^(exponent-53)
	var r int256
	if shift := exponent - 53; shift <= 0 {
		r[0] = m >> uint(-shift)
	} else {
		word, bit := shift/64, uint(shift%64)
		r[word] = m << bit
		if word < 3 {
			r[word+1] = m >> 1 >> (63 - bit)
		}
	}
	if f < 0 {
		return neg256(r)
	}
	return r
}

// pow10 holds the powers of ten that fit each width.
var (
	pow10 = func() (p [19]int64) {
		p[0] = 1
		for i := 1; i < len(p); i++ {
			p[i] = p[i-1] * 10
		}
		return p
	}()
	pow10Wide = func() (p [77]int256) {
		p[0] = int256{1}
		for i := 1; i < len(p); i++ {
			p[i], _ = mul256(p[i-1], int256{10})
		}
		return p
	}()
)

// pow10As128 gives 10^k for k up to 38.
func pow10As128(k int) int128 { return int128{Lo: pow10Wide[k][0], Hi: int64(pow10Wide[k][1])} }
