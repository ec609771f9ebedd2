package arrowjson

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/lacunadb/lacuna/types"
)

// outcome says how a text was read as a value of a type.
type outcome uint8

const (
	fits     outcome = iota
	invalid          // it is of another form, or finer than the type
	overflow         // it is out of range
)

// number reads the token of a number.
func (d *decoder) number(s *shape) ([]byte, bool) {
	if c := d.Peek(); c != '-' && c-'0' > 9 {
		return nil, d.mismatch(s)
	}
	text, _ := d.Number()
	return text, d.Err == ""
}

// shown cuts a text for messages.
func shown(text []byte) string {
	const longest = 60
	if len(text) > longest {
		return strconv.Quote(string(text[:longest])) + "..."
	}
	return strconv.Quote(string(text))
}

// exact keeps the fault of a text that does not fit its type; start is where it stands.
func (d *decoder) exact(o outcome, s *shape, start int, text []byte) bool {
	switch o {
	case invalid:
		return d.fail(types.ErrCastInvalid, s, start, "%s is no %s", shown(text), s.dt)
	case overflow:
		return d.fail(types.ErrCastOverflow, s, start, "%s is out of range of %s", shown(text), s.dt)
	}
	return true
}

// readInteger gives the reader of an integer type of some bits.
func readInteger[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](s *shape) func(*decoder) (T, bool) {
	signed := ^T(0) < 0
	return func(d *decoder) (T, bool) {
		d.Peek()
		start := d.At
		text, ok := d.number(s)
		if !ok {
			return 0, false
		}
		x, o := parseDecimal(text, 20, 0)
		if o == invalid {
			return 0, d.fail(types.ErrCastInvalid, s, start, "%s is no whole number", shown(text))
		}
		y := T(x[0])
		back := types.Int256{uint64(y)}
		if sign := uint64(int64(y) >> 63); signed {
			back = types.Int256{uint64(int64(y)), sign, sign, sign}
		}
		if back != x {
			o = overflow
		}
		return y, d.exact(o, s, start, text)
	}
}

// parseDecimal reads a JSON number as an unscaled number with scale digits after the point, below 0 too, and at most precision digits. invalid says that it has
// more digits after the point than that, overflow that it has more before.
func parseDecimal(text []byte, precision, scale int) (types.Int256, outcome) {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	// The number is 0.digits * 10^point, with n digits of which the first and last are not 0. No type has more than the array; n counts on.
	var digits [types.MaxDecimalPrecision]byte
	n, zeros, point := 0, 0, 0
	fraction := false
number:
	for i, c := range text {
		switch {
		case c == '.':
			fraction = true
		case c|0x20 == 'e':
			point += parseExponent(text[i+1:])
			break number
		case c == '0' && n == 0:
			if fraction {
				point--
			}
		default:
			if !fraction {
				point++
			}
			if c == '0' {
				zeros++
				continue
			}
			if n += zeros; n < len(digits) {
				digits[n] = c - '0'
			}
			n, zeros = n+1, 0
		}
	}
	if n == 0 {
		return types.Int256{}, fits
	}
	point += scale // digits before the point of the unscaled number
	switch {
	case point > precision:
		return types.Int256{}, overflow
	case n > point:
		return types.Int256{}, invalid
	}
	const wordDigits = 19
	word := uint64(0)
	for _, c := range digits[:min(point, wordDigits)] {
		word = word*10 + uint64(c)
	}
	x := types.Int256{word}
	for i := wordDigits; i < point; i++ {
		x = timesTen(x, uint64(digits[i]))
	}
	if negative {
		var borrow uint64
		for i := range x {
			x[i], borrow = bits.Sub64(0, x[i], borrow)
		}
	}
	return x, fits
}

// parseExponent reads the digits of an exponent, cut where every number is out of range anyway.
func parseExponent(text []byte) int {
	const most = 1 << 27
	x, negative := 0, false
	for _, c := range text {
		switch c {
		case '-':
			negative = true
		case '+':
		default:
			x = min(x*10+int(c-'0'), most)
		}
	}
	if negative {
		return -x
	}
	return x
}

// timesTen gives x*10 + digit.
func timesTen(x types.Int256, digit uint64) types.Int256 {
	carry := digit
	for i := range x {
		hi, lo := bits.Mul64(x[i], 10)
		var c uint64
		x[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return x
}

// readFloat reads a number, or the name of one that JSON does not have, as a float of a size in bits.
func (d *decoder) readFloat(s *shape, size int) (float64, bool) {
	c := d.Peek()
	start := d.At
	if c == '"' {
		text, ok := d.unquote()
		if !ok {
			return 0, false
		}
		switch string(text) {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
		return 0, d.exact(invalid, s, start, text)
	}
	text, ok := d.number(s)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(text), size)
	if err != nil { // the form is right, so it is out of range
		return 0, d.exact(overflow, s, start, text)
	}
	return x, true
}
