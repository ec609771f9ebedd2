package csv

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"
)

// The fast paths read the forms that files have mostly, exactly as CAST does; anything else they leave to it by giving false.

// parseInt reads a whole number of at most 18 digits.
func parseInt(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	digits := b
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		if len(digits) == 19 {
			x, err := strconv.ParseInt(unsafe.String(unsafe.SliceData(b), len(b)), 10, 64)
			return x, err == nil
		}
		return 0, false
	}
	x := int64(0)
	for len(digits) >= 8 {
		eight, ok := eightDigits(binary.LittleEndian.Uint64(digits))
		if !ok {
			return 0, false
		}
		x, digits = x*100_000_000+int64(eight), digits[8:]
	}
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		x = x*10 + int64(c)
	}
	if negative {
		x = -x
	}
	return x, true
}

// eightDigits reads eight digits at a time (Lemire, "Quickly parsing eight digits", 2022).
func eightDigits(word uint64) (uint64, bool) {
	if word&0xF0F0F0F0F0F0F0F0 != 0x3030303030303030 || (word+0x0606060606060606)&0xF0F0F0F0F0F0F0F0 != 0x3030303030303030 {
		return 0, false
	}
	word -= 0x3030303030303030
	word = word*10 + word>>8
	const mask = 0x000000FF000000FF
	return ((word&mask)*0x000F424000000064 + (word>>16&mask)*0x0000271000000001) >> 32, true
}

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat reads a number. Up to 15 digits without an exponent are a whole number below 2^53 divided by a power of ten that is exact too, so that the
// one rounding is the right one (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
func parseFloat(b []byte) (float64, bool) {
	at, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		at, negative = 1, true
	}
	mantissa, digits, point := uint64(0), 0, -1
	for ; at < len(b); at++ {
		c := b[at]
		if c == '.' && point < 0 {
			point = digits
			continue
		}
		if c -= '0'; c > 9 {
			break
		}
		mantissa = mantissa*10 + uint64(c)
		digits++
	}
	if at < len(b) || digits == 0 || digits > 15 {
		for _, c := range b { // hexadecimal and names are not for here
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
				return 0, false
			}
		}
		x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
		return x, err == nil && !math.IsInf(x, 0)
	}
	x := float64(mantissa)
	if point >= 0 {
		x /= powersOfTen[digits-point]
	}
	if negative {
		x = -x
	}
	return x, true
}

// parseFloatWithComma is parseFloat for numbers that have a comma for the point.
func parseFloatWithComma(b []byte) (float64, bool) {
	var space [40]byte
	if len(b) > len(space) {
		return 0, false
	}
	return parseFloat(swapPoint(space[:0], b))
}

// dateOrder is the order of the parts of a date.
type dateOrder uint8

const (
	yearMonthDay dateOrder = iota
	dayMonthYear
	monthDayYear
)

// parse reads a date of four digits for the year, up to two for the rest, between -, / or points, as days since 1970.
func (o dateOrder) parse(b []byte) (int32, bool) {
	if o == yearMonthDay && len(b) == 10 && b[4] == b[7] && (b[4] == '-' || b[4] == '/' || b[4] == '.') {
		// The usual form: eight digits at a time, without the two bytes between them.
		low, high := binary.LittleEndian.Uint64(b), uint64(b[8])|uint64(b[9])<<8
		digits := low&0xFFFFFFFF | low>>40<<32&0xFFFF00000000 | high<<48
		x, ok := eightDigits(digits)
		if !ok {
			return 0, false
		}
		return daysOf(int(x/10_000), int(x/100%100), int(x%100))
	}
	var parts [3]int
	at := 0
	separator := byte(0)
	for i := range parts {
		start := at
		for at < len(b) && b[at]-'0' <= 9 && at-start < 4 {
			parts[i] = parts[i]*10 + int(b[at]-'0')
			at++
		}
		year := o == yearMonthDay && i == 0 || o != yearMonthDay && i == 2
		if n := at - start; year && n != 4 || !year && (n < 1 || n > 2) {
			return 0, false
		}
		if i < 2 {
			if at == len(b) || i == 1 && b[at] != separator {
				return 0, false
			}
			if separator = b[at]; separator != '-' && separator != '/' && separator != '.' {
				return 0, false
			}
			at++
		}
	}
	if at != len(b) {
		return 0, false
	}
	switch o {
	case dayMonthYear:
		parts[0], parts[2] = parts[2], parts[0]
	case monthDayYear:
		parts[0], parts[1], parts[2] = parts[2], parts[0], parts[1]
	}
	return daysOf(parts[0], parts[1], parts[2])
}

var monthDays = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// daysOf gives the days since 1970 of a date of the years 1 to 9999 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
func daysOf(year, month, day int) (int32, bool) {
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	if day > 28 {
		last := monthDays[month-1]
		if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
		if day > last {
			return 0, false
		}
	}
	if month <= 2 {
		year--
	}
	era := year / 400
	yearOfEra := year - era*400
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return int32(era*146097 + dayOfEra - 719468), true
}

// parseTimestamp reads YYYY-MM-DD HH:MM:SS with up to six digits behind the seconds, as microseconds since 1970.
func parseTimestamp(b []byte) (int64, bool) {
	if len(b) < 19 || b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	days, ok := yearMonthDay.parse(b[:10])
	if !ok {
		return 0, false
	}
	// HH:MM:SS as the digits 00HHMMSS.
	word := binary.LittleEndian.Uint64(b[11:])
	clock, fits := eightDigits(0x3030 | word&0xFFFF<<16 | word>>24&0xFFFF<<32 | word>>48<<48)
	ok = ok && fits
	hour, minute, second := int64(clock/10_000), int64(clock/100%100), int64(clock%100)
	micros := int64(0)
	if rest := b[19:]; len(rest) > 0 {
		if rest[0] != '.' || len(rest) < 2 || len(rest) > 7 {
			return 0, false
		}
		for i := range 6 {
			micros *= 10
			if i+1 < len(rest) {
				c := rest[i+1] - '0'
				if c > 9 {
					return 0, false
				}
				micros += int64(c)
			}
		}
	}
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return ((int64(days)*24+hour)*60+minute)*60_000_000 + second*1_000_000 + micros, true
}

// parseBool reads true and false in any case, and their first letters.
func parseBool(b []byte) (truth, ok bool) {
	switch {
	case len(b) == 1 && b[0]|0x20 == 't', len(b) == 4 && b[0]|0x20 == 't' && b[1]|0x20 == 'r' && b[2]|0x20 == 'u' && b[3]|0x20 == 'e':
		return true, true
	case len(b) == 1 && b[0]|0x20 == 'f', len(b) == 5 && b[0]|0x20 == 'f' && b[1]|0x20 == 'a' && b[2]|0x20 == 'l' && b[3]|0x20 == 's' && b[4]|0x20 == 'e':
		return false, true
	}
	return false, false
}
