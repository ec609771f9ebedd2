package kernels

import (
	"bytes"
	"math"
	"strconv"

	"github.com/lacunadb/lacuna/types"
)

// This file reads numbers from text as DuckDB does: blanks around them, a sign, digits with single underscores between them, a
// decimal point with digits on at least one side, an exponent; integers also as 0x and 0b. What an integer or decimal has no room
// for after the point is rounded half away from zero.

// trimBlanks cuts the blanks that SQL's casts allow around a value.
func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t\n\v\f\r") }

// parseIntegerOf makes the parser of an integer type of at most 64 bits.
func parseIntegerOf[T integer](to types.Type) func([]byte) (T, parseStatus) {
	lo, hi := wideRange(to)
	return func(b []byte) (T, parseStatus) {
		// Most texts are a few digits.
		if len(b) <= 18 && len(b) > 0 {
			if x, ok := parseDigits(b); ok {
				if y := T(x); int64(y) == x && (y < 0) == (x < 0) {
					return y, parsed
				}
				return 0, outOfRange
			}
		}
		x, status := parseNumber(b, 0)
		if status == parsed && (cmp256(x, lo) < 0 || cmp256(x, hi) > 0) {
			status = outOfRange
		}
		return T(x[0]), status
	}
}

// parseDigits reads an optional minus and digits, at most 18 bytes; false when there is anything else.
func parseDigits(b []byte) (int64, bool) {
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	var x int64
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		x = x*10 + int64(d)
	}
	if negative {
		x = -x
	}
	return x, true
}

// maxExponent bounds exponents: every number with a larger one is zero or out of range.
const maxExponent = 1000

// parseNumber reads a number as an integer with scale digits after the point.
func parseNumber(b []byte, scale int) (int256, parseStatus) {
	b = trimBlanks(b)
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) > 2 && b[0] == '0' {
		switch b[1] {
		case 'x', 'X':
			return parseRadix(b[2:], 16, negative, scale)
		case 'b', 'B':
			return parseRadix(b[2:], 2, negative, scale)
		}
	}
	// The digits as one integer m; point is how many of them stand after the decimal point. Digits that 256 bits have no
	// room for are dropped; those before the point then count as negative places.
	var m int256
	digits, point, full := 0, 0, false
	inFraction := false
	i := 0
scan:
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			if !full {
				m = times10(m, uint64(c-'0'))
				full = m[3] > math.MaxUint64/32
				if inFraction {
					point++
				}
			} else if !inFraction {
				point--
			}
		case c == '_' && i > 0 && isDigit(b[i-1]) && i+1 < len(b) && isDigit(b[i+1]):
		case c == '.' && !inFraction:
			inFraction = true
		default:
			break scan
		}
	}
	if digits == 0 {
		return int256{}, malformed
	}
	if i < len(b) {
		if b[i]|0x20 != 'e' {
			return int256{}, malformed
		}
		exponent, ok := parseExponent(b[i+1:])
		if !ok {
			return int256{}, malformed
		}
		point -= exponent
	}
	if m == (int256{}) {
		return m, parsed
	}
	if negative {
		m = neg256(m)
	}
	switch shift := scale - point; {
	case shift > types.MaxDecimalPrecision:
		return int256{}, outOfRange
	case shift < -types.MaxDecimalPrecision:
		return int256{}, parsed // fewer than 78 digits, all of them too far behind the point
	default:
		r, ok := rescaleWide(m, max(0, -shift), max(0, shift))
		if !ok {
			return int256{}, outOfRange
		}
		return r, parsed
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// times10 gives m*10+d for m below 2^251.
func times10(m int256, d uint64) int256 {
	if m[1]|m[2]|m[3] == 0 && m[0] < math.MaxUint64/16 {
		return int256{m[0]*10 + d}
	}
	r, _ := mul256(m, int256{10})
	r, _ = add256(r, int256{d})
	return r
}

// parseExponent reads the digits after e, which may have a sign.
func parseExponent(b []byte) (int, bool) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	x := 0
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
		x = min(x*10+int(c-'0'), maxExponent)
	}
	if negative {
		x = -x
	}
	return x, true
}

// parseRadix reads the digits after 0x or 0b.
func parseRadix(b []byte, radix int, negative bool, scale int) (int256, parseStatus) {
	var m int256
	for i, c := range b {
		d := int(c - '0')
		switch {
		case c == '_' && i > 0 && i+1 < len(b) && b[i-1] != '_':
			continue
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = int(c|0x20-'a') + 10
		case !isDigit(c):
			return int256{}, malformed
		}
		if d >= radix {
			return int256{}, malformed
		}
		product, over := mul256(m, int256{uint64(radix)})
		if over {
			return int256{}, outOfRange
		}
		m, _ = add256(product, int256{uint64(d)})
	}
	if negative {
		m = neg256(m)
	}
	r, ok := rescaleWide(m, 0, scale)
	if !ok {
		return int256{}, outOfRange
	}
	return r, parsed
}

// parseFloat reads a float; beyond the largest one it is infinite.
func parseFloat(b []byte, bitSize int) (float64, parseStatus) {
	b = trimBlanks(b)
	if len(b) == 0 {
		return 0, malformed
	}
	for i, c := range b {
		switch {
		case c == '_':
			if i == 0 || i+1 == len(b) || !isDigit(b[i-1]) || !isDigit(b[i+1]) {
				return 0, malformed
			}
			return parseFloat(bytes.ReplaceAll(b, []byte("_"), nil), bitSize)
		case c == 'x' || c == 'X' || c == 'p' || c == 'P': // Go's hexadecimal floats are not SQL's
			return 0, malformed
		}
	}
	f, err := strconv.ParseFloat(asString(b), bitSize)
	if err != nil && !math.IsInf(f, 0) {
		return 0, malformed
	}
	return f, parsed
}
