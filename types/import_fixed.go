package types

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// fixed imports the types of fixed width: shared where Lacuna's storage is Arrow's, else converted row by row.
func (im *importer) fixed(data arrow.ArrayData, dt arrow.DataType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	switch d := dt.(type) {
	case arrow.DecimalType:
		return im.decimals(data, d, typ, from, n, validity, at)
	case *arrow.Date64Type:
		if typ.kind == KindBigInt {
			break
		}
		days, err := convertValues(im, data, dt, typ, KindDate, from, n, validity, at, daysOfMillis)
		if err != nil || !im.exact {
			return days, err
		}
		_, values, err := importValues[int64](im, data, 1, data.Offset()+from, n, at)
		return &Vector{typ: BigInt, length: n, data: values, validity: validity}, err
	case *arrow.Time32Type:
		if typ.kind == KindTime && typ.unit != importUnit(d.Unit) {
			return nil, im.mismatch(dt, typ, at)
		}
		return convertValues(im, data, dt, typ, KindTime, from, n, validity, at, func(x int32) (int64, bool) { return int64(x), true })
	case *arrow.DurationType:
		if typ.kind == KindBigInt {
			break
		}
		perSecond := importUnit(d.Unit).PerSecond()
		nanos := int64(1e9) / perSecond
		return convertValues(im, data, dt, typ, KindInterval, from, n, validity, at, func(x int64) (MonthDayNano, bool) {
			y := x * nanos
			return MonthDayNano{Nanos: y}, y/nanos == x
		})
	case *arrow.MonthIntervalType:
		return convertValues(im, data, dt, typ, KindInterval, from, n, validity, at, func(x int32) (MonthDayNano, bool) {
			return MonthDayNano{Months: x}, true
		})
	case *arrow.DayTimeIntervalType:
		return convertValues(im, data, dt, typ, KindInterval, from, n, validity, at, func(x uint64) (MonthDayNano, bool) {
			// Two int32 in memory, days before milliseconds.
			return MonthDayNano{Days: int32(x), Nanos: int64(int32(x>>32)) * 1e6}, true
		})
	case *arrow.Int8Type:
		if typ.kind == KindBoolean {
			return im.bool8(data, typ, from, n, validity, at)
		}
	}
	if !sharesLayout(dt, typ) {
		return nil, im.mismatch(dt, typ, at)
	}
	first := data.Offset() + from
	var values Buffer
	var err error
	switch typ.Storage().Width() {
	case 1:
		_, values, err = importValues[uint8](im, data, 1, first, n, at)
	case 2:
		_, values, err = importValues[uint16](im, data, 1, first, n, at)
	case 4:
		_, values, err = importValues[uint32](im, data, 1, first, n, at)
	case 8:
		_, values, err = importValues[uint64](im, data, 1, first, n, at)
	default:
		_, values, err = importValues[MonthDayNano](im, data, 1, first, n, at)
	}
	return &Vector{typ: typ, length: n, data: values, validity: validity}, err
}

// sharesLayout reports whether a fixed-width Arrow type has the memory layout and meaning of an SQL type. Of date64 and duration that is BIGINT, for who asks
// for it: the numbers themselves, of which DATE and INTERVAL cannot hold all.
func sharesLayout(dt arrow.DataType, typ Type) bool {
	switch d := dt.(type) {
	case *arrow.Time64Type:
		return typ.kind == KindTime && typ.unit == importUnit(d.Unit)
	case *arrow.TimestampType:
		return typ.unit == importUnit(d.Unit) && (typ.kind == KindTimestamp && d.TimeZone == "" || typ.kind == KindTimestampTZ && d.TimeZone != "")
	case *arrow.DurationType, *arrow.Date64Type:
		return typ.kind == KindBigInt
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType:
		return false
	}
	plain, ok := plainTypes[dt.ID()]
	return ok && plain.kind == typ.kind && typ.Storage().Width() > 0
}

// convertValues imports values that have to be converted one by one; convert reports false for a value out of range, which is an
// error in rows that are not null.
func convertValues[S, D Fixed](im *importer, data arrow.ArrayData, dt arrow.DataType, typ Type, kind Kind, from, n int, validity Bitmap, at *place, convert func(S) (D, bool)) (*Vector, error) {
	if typ.kind != kind {
		return nil, im.mismatch(dt, typ, at)
	}
	source, _, err := importValues[S](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	dst := Alloc[D](im.pool, n)
	fine := true
	for i, x := range source {
		y, ok := convert(x)
		dst[i] = y
		fine = fine && ok
	}
	if !fine {
		if row := firstRow(func(i int) bool { _, ok := convert(source[i]); return !ok }, n, validity); row >= 0 {
			return nil, at.errorf(ErrCastOverflow, row, "value %v of %s is out of range of %s", source[row], dt, typ)
		}
	}
	return NewFixed(typ, dst, validity), nil
}

const millisPerDay = 24 * 60 * 60 * 1000

// daysOfMillis rounds down: a date64 that is no whole day lies in the day that it has begun.
func daysOfMillis(millis int64) (int32, bool) {
	days := millis / millisPerDay
	if millis%millisPerDay < 0 {
		days--
	}
	return int32(days), days == int64(int32(days))
}

// bool8 imports the extension arrow.bool8, one byte a value.
func (im *importer) bool8(data arrow.ArrayData, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	source, _, err := importValues[int8](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	dst := im.pool.ZeroBitmap(n)
	for i, x := range source {
		if x != 0 {
			dst.Set(i)
		}
	}
	return NewBool(dst, n, validity), nil
}

// uuids imports 16 bytes in network order as an Int128 whose order is that of the bytes.
func (im *importer) uuids(data arrow.ArrayData, dt *arrow.FixedSizeBinaryType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	if dt.ByteWidth != 16 {
		return nil, im.mismatch(dt, typ, at)
	}
	raw, err := im.bytes(data, 1, 16, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	dst := Alloc[Int128](im.pool, n)
	for i := range dst {
		dst[i] = uuidToInt128([16]byte(raw[i*16:]))
	}
	return NewFixed(typ, dst, validity), nil
}

// uuidToInt128 flips the sign bit so that the order of integers is the order of bytes; int128ToUUID is its inverse.
func uuidToInt128(b [16]byte) Int128 {
	return Int128{Hi: int64(binary.BigEndian.Uint64(b[:8]) ^ 1<<63), Lo: binary.BigEndian.Uint64(b[8:])}
}

func int128ToUUID(x Int128) (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], uint64(x.Hi)^1<<63)
	binary.BigEndian.PutUint64(b[8:], x.Lo)
	return b
}

// decimals imports decimals of every width into the storage that the precision gives, checking that each value has no more digits.
func (im *importer) decimals(data arrow.ArrayData, dt arrow.DecimalType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
	limit := pow10[min(precision, MaxDecimalPrecision)]
	shift := 0 // SQL has no scale below zero: such values are multiplied out
	if typ.kind == KindHugeInt {
		if dt.ID() != arrow.DECIMAL128 || scale != 0 {
			return nil, im.mismatch(dt, typ, at)
		}
		_, values, err := importValues[Int128](im, data, 1, data.Offset()+from, n, at)
		return &Vector{typ: typ, length: n, data: values, validity: validity}, err
	}
	if want, err := importDecimal(precision, scale); err != nil || !want.Equal(typ) {
		return nil, im.mismatch(dt, typ, at)
	}
	if scale < 0 {
		shift = -scale
	}
	d := decimalImport{im: im, data: data, typ: typ, first: data.Offset() + from, n: n, validity: validity, limit: limit, shift: shift, at: at}
	switch dt.ID() {
	case arrow.DECIMAL32:
		return importDecimals(&d, func(x int32) Int256 { return int256Of(int64(x)) })
	case arrow.DECIMAL64:
		return importDecimals(&d, int256Of)
	case arrow.DECIMAL128:
		return importDecimals(&d, int256Of128)
	case arrow.DECIMAL256:
		return importDecimals(&d, func(x Int256) Int256 { return x })
	}
	return nil, im.mismatch(dt, typ, at)
}

type decimalImport struct {
	im       *importer
	data     arrow.ArrayData
	typ      Type
	first, n int
	validity Bitmap
	limit    Int256 // absolute values reach to just below
	shift    int    // power of ten to multiply by
	at       *place
}

func importDecimals[S int32 | int64 | Int128 | Int256](d *decimalImport, widen func(S) Int256) (*Vector, error) {
	source, shared, err := importValues[S](d.im, d.data, 1, d.first, d.n, d.at)
	if err != nil {
		return nil, err
	}
	if !d.im.trusted && anyBeyond(source, d.limit) {
		// Somewhere, perhaps only under a null.
		if row := firstRow(func(i int) bool { return !widen(source[i]).below(d.limit) }, d.n, d.validity); row >= 0 {
			return nil, d.at.errorf(ErrCastOverflow, row, "decimal has more digits than %s", d.typ)
		}
	}
	var v *Vector
	switch d.typ.Storage() {
	case StorageInt64:
		if _, same := any(source).([]int64); same && d.shift == 0 {
			return &Vector{typ: d.typ, length: d.n, data: shared, validity: d.validity}, nil
		}
		dst := Alloc[int64](d.im.pool, d.n)
		if wide, ok := any(source).([]Int128); ok && d.shift == 0 { // the usual decimal128
			for i := range wide {
				dst[i] = int64(wide[i].Lo)
			}
			return NewFixed(d.typ, dst, d.validity), nil
		}
		// Widening by way of 256 bits takes most of a query that only scans and filters.
		if narrow, ok := any(source).([]int32); ok && d.shift == 0 {
			for i, x := range narrow {
				dst[i] = int64(x)
			}
			return NewFixed(d.typ, dst, d.validity), nil
		}
		for i := range source {
			dst[i] = int64(widen(source[i]).scaledUp(d.shift)[0])
		}
		v = NewFixed(d.typ, dst, d.validity)
	case StorageInt128:
		if _, same := any(source).([]Int128); same && d.shift == 0 {
			return &Vector{typ: d.typ, length: d.n, data: shared, validity: d.validity}, nil
		}
		dst := Alloc[Int128](d.im.pool, d.n)
		for i := range source {
			x := widen(source[i]).scaledUp(d.shift)
			dst[i] = Int128{Lo: x[0], Hi: int64(x[1])}
		}
		v = NewFixed(d.typ, dst, d.validity)
	default:
		if _, same := any(source).([]Int256); same && d.shift == 0 {
			return &Vector{typ: d.typ, length: d.n, data: shared, validity: d.validity}, nil
		}
		dst := Alloc[Int256](d.im.pool, d.n)
		for i := range source {
			dst[i] = widen(source[i]).scaledUp(d.shift)
		}
		v = NewFixed(d.typ, dst, d.validity)
	}
	return v, nil
}

// anyBeyond reports whether the absolute value of any number reaches the limit, a power of ten, without a branch per row.
func anyBeyond[S int32 | int64 | Int128 | Int256](source []S, limit Int256) bool {
	beyond := uint64(0) // 1 once there is one
	switch source := any(source).(type) {
	case []int32:
		for _, x := range source {
			beyond |= beyondInt64(int64(x), limit)
		}
	case []int64:
		for _, x := range source {
			beyond |= beyondInt64(x, limit)
		}
	case []Int128:
		for _, x := range source {
			sign := uint64(x.Hi >> 63)
			lo, borrow := bits.Sub64(x.Lo^sign, sign, 0)
			hi, _ := bits.Sub64(uint64(x.Hi)^sign, sign, borrow)
			// |x| < limit exactly when |x| - limit borrows.
			_, borrow = bits.Sub64(lo, limit[0], 0)
			_, borrow = bits.Sub64(hi, limit[1], borrow)
			beyond |= borrow ^ 1
		}
		return beyond != 0 && limit[2]|limit[3] == 0
	case []Int256:
		for i := range source {
			if !source[i].below(limit) {
				return true
			}
		}
	}
	return beyond != 0
}

// beyondInt64 gives 1 for |x| >= limit.
func beyondInt64(x int64, limit Int256) uint64 {
	if limit[1]|limit[2]|limit[3] != 0 {
		return 0
	}
	_, below := bits.Sub64(magnitude(x), limit[0], 0)
	return below ^ 1
}

// pow10 are the powers of ten up to the most digits of a decimal.
var pow10 = func() (p [MaxDecimalPrecision + 1]Int256) {
	p[0] = Int256{1}
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1].scaledUp(1)
	}
	return p
}()

func int256Of(x int64) Int256 {
	s := uint64(x >> 63)
	return Int256{uint64(x), s, s, s}
}

func int256Of128(x Int128) Int256 {
	s := uint64(x.Hi >> 63)
	return Int256{x.Lo, uint64(x.Hi), s, s}
}

func (x Int256) negative() bool { return int64(x[3]) < 0 }

// negated gives -x; the smallest number is its own negation.
func (x Int256) negated() Int256 {
	var borrow uint64
	var y Int256
	for i := range x {
		y[i], borrow = bits.Sub64(0, x[i], borrow)
	}
	return y
}

// below reports |x| < limit, for a limit that is not negative.
func (x Int256) below(limit Int256) bool {
	if x.negative() {
		x = x.negated()
	}
	for i := 3; i >= 0; i-- {
		if x[i] != limit[i] {
			return x[i] < limit[i]
		}
	}
	return false
}

// scaledUp multiplies by a power of ten, modulo 2^256.
func (x Int256) scaledUp(digits int) Int256 {
	for ; digits > 0; digits-- {
		var carry uint64
		for i := range x {
			hi, lo := bits.Mul64(x[i], 10)
			var c uint64
			x[i], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
	}
	return x
}

// quoRem10 divides a number that is not negative by ten to the power of digits, up to 19, and gives the remainder.
func (x Int256) quoRem10(digits int) (Int256, uint64) {
	divisor := pow10[digits][0]
	var rem uint64
	for i := 3; i >= 0; i-- {
		x[i], rem = bits.Div64(rem, x[i], divisor)
	}
	return x, rem
}
