package types

import (
	"math"
	"math/bits"
)

// HALF values are IEEE 754 binary16 in a uint16. Nothing computes on them: kernels widen to float32 and round back.

// HalfToFloat gives the float32 equal to a HALF.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	case fraction == 0:
		return math.Float32frombits(sign)
	}
	// Subnormal: normalise. The leading bit of the fraction goes to place 10.
	shift := uint32(bits.LeadingZeros32(fraction)) - 21
	return math.Float32frombits(sign | (113-shift)<<23 | fraction<<shift&0x3ff<<13)
}

// HalfFromFloat gives the HALF nearest to f, ties to even; infinity beyond 65519.
func HalfFromFloat(f float64) uint16 {
	b := math.Float64bits(f)
	sign := uint16(b >> 48 & 0x8000)
	exponent := int(b>>52&0x7ff) - 1023
	fraction := b & (1<<52 - 1)
	switch {
	case exponent == 1024 && fraction != 0:
		return sign | 0x7e00
	case exponent > 15:
		return sign | 0x7c00
	case exponent < -25:
		return sign
	}
	// Keep 11 significant bits, fewer below 2^-14, rounding what falls off.
	drop := uint(42)
	biased := exponent + 15
	if exponent < -14 {
		drop += uint(-14 - exponent)
		biased = 0
	}
	significand := fraction | 1<<52
	kept := significand >> drop
	rest, half := significand&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	if biased > 0 {
		kept -= 1 << 10 // the implied bit; a carry out of the fraction raises the exponent
	}
	return sign | uint16(uint64(biased)<<10+kept)
}
