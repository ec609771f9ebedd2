package types

import (
	"bytes"
	"math"
	"strconv"
)

// Text gives a row as the text that a cast to VARCHAR gives; NULL for a null row.
func Text(v *Vector, row int) string { return string(AppendText(nil, v, row)) }

// AppendText appends a row as the text that DuckDB 1.5.6 gives for a cast to VARCHAR: 1.0, 1e+20, 2020-01-02 03:04:05.5, [1, NULL, 'a,b'],
// {'a': 1}, {k=v}. A null row is NULL; TIMESTAMP WITH TIME ZONE is shown in UTC.
func AppendText(dst []byte, v *Vector, row int) []byte {
	v, row, ok := v.Locate(row)
	if !ok {
		return append(dst, "NULL"...)
	}
	switch t := v.typ; t.kind {
	case KindBoolean:
		return strconv.AppendBool(dst, v.Bools().Get(row))
	case KindTinyInt:
		return strconv.AppendInt(dst, int64(ValuesOf[int8](v)[row]), 10)
	case KindSmallInt:
		return strconv.AppendInt(dst, int64(ValuesOf[int16](v)[row]), 10)
	case KindInteger:
		return strconv.AppendInt(dst, int64(ValuesOf[int32](v)[row]), 10)
	case KindBigInt:
		return strconv.AppendInt(dst, ValuesOf[int64](v)[row], 10)
	case KindUTinyInt:
		return strconv.AppendUint(dst, uint64(ValuesOf[uint8](v)[row]), 10)
	case KindUSmallInt:
		return strconv.AppendUint(dst, uint64(ValuesOf[uint16](v)[row]), 10)
	case KindUInteger:
		return strconv.AppendUint(dst, uint64(ValuesOf[uint32](v)[row]), 10)
	case KindUBigInt:
		return strconv.AppendUint(dst, ValuesOf[uint64](v)[row], 10)
	case KindHugeInt:
		return AppendDecimal(dst, int256Of128(ValuesOf[Int128](v)[row]), 0, 0)
	case KindHalf:
		return AppendFloat(dst, float64(HalfToFloat(ValuesOf[uint16](v)[row])), 32)
	case KindFloat:
		return AppendFloat(dst, float64(ValuesOf[float32](v)[row]), 32)
	case KindDouble:
		return AppendFloat(dst, ValuesOf[float64](v)[row], 64)
	case KindDecimal:
		return AppendDecimal(dst, wideInt(v, row), t.Precision(), t.Scale())
	case KindVarchar, KindJSON:
		return append(dst, ValuesOf[View](v)[row].Bytes(v.buffers)...)
	case KindBlob:
		return appendBlob(dst, ValuesOf[View](v)[row].Bytes(v.buffers))
	case KindBit:
		return appendBitText(dst, ValuesOf[View](v)[row].Bytes(v.buffers))
	case KindDate:
		return AppendDate(dst, ValuesOf[int32](v)[row])
	case KindTime:
		return AppendTime(dst, ValuesOf[int64](v)[row], t.unit)
	case KindTimestamp:
		return AppendTimestamp(dst, ValuesOf[int64](v)[row], t.unit)
	case KindTimestampTZ:
		return appendInstant(dst, ValuesOf[int64](v)[row], t.unit, 0)
	case KindTimestampOffset:
		return appendOffset(dst, v, row)
	case KindInterval:
		return AppendInterval(dst, ValuesOf[MonthDayNano](v)[row])
	case KindUUID:
		return AppendUUID(dst, int128ToUUID(ValuesOf[Int128](v)[row]))
	case KindEnum:
		return append(dst, v.enumMember(row)...)
	}
	return appendNested(dst, v, row)
}

// enumMember gives the member of a row of an ENUM; a key that names none, which only a hidden row can have, gives the empty one.
func (v *Vector) enumMember(row int) string {
	if k := ValuesOf[uint32](v)[row]; int(k) < len(v.typ.Members()) {
		return v.typ.Members()[k]
	}
	return ""
}

// AppendFloat appends the shortest text that reads back as the same number of the given size in bits, 32 or 64, always recognisable as
// a float: 1.0, 1e-05, inf, nan.
func AppendFloat(dst []byte, x float64, size int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'e', -1, size)
	if exponent := exponentOf(dst[start:]); exponent < -4 || exponent >= 16 {
		return dst
	}
	dst = strconv.AppendFloat(dst[:start], x, 'f', -1, size)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// exponentOf reads the exponent of a number written as 1.5e+20.
func exponentOf(text []byte) int {
	at := bytes.IndexByte(text, 'e') + 1
	exponent := 0
	for _, c := range text[at+1:] {
		exponent = exponent*10 + int(c-'0')
	}
	if text[at] == '-' {
		return -exponent
	}
	return exponent
}

// AppendDecimal appends an unscaled number with scale digits after the point. A DECIMAL all of whose digits stand after the point has
// no zero before it, as in DuckDB: .5000.
func AppendDecimal(dst []byte, x Int256, precision, scale int) []byte {
	if x.negative() {
		dst = append(dst, '-')
		x = x.negated()
	}
	digits := appendUint256(make([]byte, 0, 80), x)
	if scale == 0 {
		return append(dst, digits...)
	}
	whole := len(digits) - scale
	if whole > 0 {
		dst = append(dst, digits[:whole]...)
		digits = digits[whole:]
	} else if precision > scale {
		dst = append(dst, '0')
	}
	dst = append(dst, '.')
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendUint256 appends the decimal digits of an unsigned number.
func appendUint256(dst []byte, x Int256) []byte {
	if x[1]|x[2]|x[3] == 0 {
		return strconv.AppendUint(dst, x[0], 10)
	}
	rest, low := x.quoRem10(19)
	dst = appendUint256(dst, rest)
	return appendPadded(dst, low, 19)
}

// appendPadded appends a number with zeros in front up to width digits.
func appendPadded(dst []byte, x uint64, width int) []byte {
	digits := 1
	for y := x; y >= 10; y /= 10 {
		digits++
	}
	for ; digits < width; digits++ {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, x, 10)
}

const hexDigits = "0123456789ABCDEF"

// appendBlob appends printable ASCII as it is, and quotes, the backslash and every other byte as \xHH.
func appendBlob(dst, b []byte) []byte {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '"' {
			dst = append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendUUID appends 8-4-4-4-12 lower-case hexadecimal digits.
func AppendUUID(dst []byte, b [16]byte) []byte {
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return dst
}

// InfiniteDate and InfiniteTimestamp are the values of 'infinity' of DATE and of TIMESTAMP in every unit; their negations are
// '-infinity'.
const (
	InfiniteDate      int32 = math.MaxInt32
	InfiniteTimestamp int64 = math.MaxInt64
)

// AppendDate appends a day, counted from 1970-01-01, in the proleptic Gregorian calendar: 2020-01-02, 0044-03-15 (BC).
func AppendDate(dst []byte, days int32) []byte {
	if days == InfiniteDate || days == -InfiniteDate {
		return appendInfinity(dst, days < 0)
	}
	dst, bc := appendDay(dst, int64(days))
	if bc {
		dst = append(dst, " (BC)"...)
	}
	return dst
}

func appendInfinity(dst []byte, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendDay appends year, month and day and reports a year before Christ, which has its number without the sign.
func appendDay(dst []byte, days int64) ([]byte, bool) {
	year, month, day := CivilOfDays(days)
	bc := year <= 0
	if bc {
		year = 1 - year
	}
	dst = appendPadded(dst, uint64(year), 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, uint64(month), 2)
	dst = append(dst, '-')
	return appendPadded(dst, uint64(day), 2), bc
}

// CivilOfDays gives the date of a day counted from 1970-01-01 in the proleptic Gregorian calendar; year 0 is 1 BC. It counts in
// eras of 400 years that start on 1 March, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
func CivilOfDays(days int64) (year int64, month, day int) {
	days += 719468 // from 0000-03-01
	era := days / 146097
	if days%146097 < 0 {
		era--
	}
	ofEra := days - era*146097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*ofYear + 2) / 153 // 0 is March
	day = int(ofYear-(153*shifted+2)/5) + 1
	month = int(shifted) + 3
	year = yearOfEra + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// AppendTime appends a time of day in units since midnight: 01:02:03.5. The fraction has no zeros at its end.
func AppendTime(dst []byte, x int64, unit TimeUnit) []byte {
	if x < 0 {
		dst = append(dst, '-')
	}
	return appendClock(dst, magnitude(x), unit)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// appendClock appends hours, with two digits or more, minutes, seconds and the fraction.
func appendClock(dst []byte, x uint64, unit TimeUnit) []byte {
	perSecond := uint64(unit.PerSecond())
	seconds, fraction := x/perSecond, x%perSecond
	dst = appendPadded(dst, seconds/3600, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds/60%60, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds%60, 2)
	if fraction != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, fraction, int(unit)*3)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// AppendTimestamp appends a timestamp in units since 1970-01-01 00:00:00: 2020-01-02 03:04:05.5.
func AppendTimestamp(dst []byte, x int64, unit TimeUnit) []byte {
	if x == InfiniteTimestamp || x == -InfiniteTimestamp {
		return appendInfinity(dst, x < 0)
	}
	perDay := 86400 * unit.PerSecond()
	days, clock := x/perDay, x%perDay
	if clock < 0 {
		days, clock = days-1, clock+perDay
	}
	dst, bc := appendDay(dst, days)
	if bc {
		dst = append(dst, " (BC)"...)
	}
	dst = append(dst, ' ')
	return appendClock(dst, uint64(clock), unit)
}

// appendInstant appends an instant as the local time at an offset from UTC in minutes, and the offset: +00, +05:30.
func appendInstant(dst []byte, x int64, unit TimeUnit, offset int) []byte {
	if x == InfiniteTimestamp || x == -InfiniteTimestamp {
		return appendInfinity(dst, x < 0)
	}
	shift := int64(offset) * 60 * unit.PerSecond()
	if sum := x + shift; (sum > x) == (shift > 0) || shift == 0 {
		x = sum
	} else {
		offset = 0 // local time is not representable: show UTC
	}
	dst = AppendTimestamp(dst, x, unit)
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(dst, sign)
	dst = appendPadded(dst, uint64(offset/60), 2)
	if offset%60 != 0 {
		dst = append(dst, ':')
		dst = appendPadded(dst, uint64(offset%60), 2)
	}
	return dst
}

func appendOffset(dst []byte, v *Vector, row int) []byte {
	instants, i, ok := v.children[0].Locate(row)
	minutes, j, known := v.children[1].Locate(row)
	if !ok || !known {
		return append(dst, "NULL"...)
	}
	return appendInstant(dst, ValuesOf[int64](instants)[i], v.typ.unit, int(ValuesOf[int16](minutes)[j]))
}

// AppendInterval appends an interval: 1 year 2 months -3 days 04:05:06.5, or 00:00:00 for none.
func AppendInterval(dst []byte, x MonthDayNano) []byte {
	start := len(dst)
	dst = appendCount(dst, start, int64(x.Months/12), "year")
	dst = appendCount(dst, start, int64(x.Months%12), "month")
	dst = appendCount(dst, start, int64(x.Days), "day")
	if x.Nanos == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	return AppendTime(dst, x.Nanos, Nanosecond)
}

func appendCount(dst []byte, start int, n int64, unit string) []byte {
	if n == 0 {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	dst = strconv.AppendInt(dst, n, 10)
	dst = append(dst, ' ')
	dst = append(dst, unit...)
	if n != 1 && n != -1 {
		dst = append(dst, 's')
	}
	return dst
}

// String gives the interval as SQL shows it.
func (x MonthDayNano) String() string { return string(AppendInterval(nil, x)) }
