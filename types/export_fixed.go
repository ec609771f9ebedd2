package types

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// fixed exports the types of fixed width: shared where the layouts agree, else converted.
func (ex *exporter) fixed(v *Vector, dt arrow.DataType, at *place) (*array.Data, error) {
	switch d := dt.(type) {
	case arrow.DecimalType:
		return ex.decimals(v, d, at)
	case *arrow.Date64Type:
		if v.typ.kind == KindBigInt {
			break
		}
		return exportValues(ex, v, dt, KindDate, at, func(x int32) (int64, bool) { return int64(x) * millisPerDay, true })
	case *arrow.Time32Type:
		if v.typ.kind == KindTime && v.typ.unit == importUnit(d.Unit) {
			return exportValues(ex, v, dt, KindTime, at, func(x int64) (int32, bool) { return int32(x), x == int64(int32(x)) })
		}
	case *arrow.DurationType:
		if v.typ.kind == KindBigInt {
			break
		}
		nanos := int64(1e9) / importUnit(d.Unit).PerSecond()
		return exportValues(ex, v, dt, KindInterval, at, func(x MonthDayNano) (int64, bool) {
			return x.Nanos / nanos, x.Months == 0 && x.Days == 0 && x.Nanos%nanos == 0
		})
	case *arrow.MonthIntervalType:
		return exportValues(ex, v, dt, KindInterval, at, func(x MonthDayNano) (int32, bool) {
			return x.Months, x.Days == 0 && x.Nanos == 0
		})
	case *arrow.DayTimeIntervalType:
		return exportValues(ex, v, dt, KindInterval, at, func(x MonthDayNano) (uint64, bool) {
			millis := x.Nanos / 1e6
			return uint64(uint32(x.Days)) | uint64(uint32(millis))<<32, x.Months == 0 && x.Nanos%1e6 == 0 && millis == int64(int32(millis))
		})
	case *arrow.Int8Type:
		if v.typ.kind == KindBoolean { // the extension arrow.bool8
			dst := Alloc[int8](ex.pool, v.length)
			for i, bits := 0, v.Bools(); i < v.length; i++ {
				dst[i] = 0
				if bits.Get(i) {
					dst[i] = 1
				}
			}
			return ex.flat(v, dt, memory.NewBufferBytes(Bytes(dst))), nil
		}
	}
	if !sharesLayout(dt, v.typ) {
		return nil, ex.mismatch(v, dt, at)
	}
	return ex.flat(v, dt, wrap(v.data)), nil
}

// exportValues is the inverse of convertValues: a value that convert calls out of range is an error unless it is null.
func exportValues[S, D Fixed](ex *exporter, v *Vector, dt arrow.DataType, kind Kind, at *place, convert func(S) (D, bool)) (*array.Data, error) {
	if v.typ.kind != kind {
		return nil, ex.mismatch(v, dt, at)
	}
	source, dst := ValuesOf[S](v), Alloc[D](ex.pool, v.length)
	for i := range dst {
		y, ok := convert(source[i])
		if !ok && v.validity.Has(i) {
			return nil, at.errorf(ErrCastOverflow, i, "%s %s cannot be written as %s", v.typ, Text(v, i), dt)
		}
		dst[i] = y
	}
	return ex.flat(v, dt, memory.NewBufferBytes(Bytes(dst))), nil
}

// decimals exports DECIMAL and HUGEINT as a decimal of any width, if each value fits its precision.
func (ex *exporter) decimals(v *Vector, dt arrow.DecimalType, at *place) (*array.Data, error) {
	precision, scale := int(dt.GetPrecision()), int(dt.GetScale())
	digits, decimals := hugeIntDigits, 0
	if v.typ.kind == KindDecimal {
		digits, decimals = v.typ.Precision(), v.typ.Scale()
	} else if v.typ.kind != KindHugeInt {
		return nil, ex.mismatch(v, dt, at)
	}
	if decimals != max(scale, 0) || precision < 1 || precision > MaxDecimalPrecision {
		return nil, ex.mismatch(v, dt, at)
	}
	d := decimalExport{ex: ex, v: v, dt: dt, shift: max(-scale, 0), at: at}
	// With as many digits as the type nothing can fail.
	if precision+d.shift < digits {
		d.limit, d.checked = pow10[precision], true
	}
	if d.shift == 0 && dt.BitWidth() == v.typ.Storage().Width()*8 {
		if row := d.firstTooLong(); row >= 0 {
			return nil, d.tooLong(row)
		}
		return ex.flat(v, dt, wrap(v.data)), nil
	}
	switch dt.ID() {
	case arrow.DECIMAL32:
		return exportDecimals(&d, func(x Int256) int32 { return int32(x[0]) })
	case arrow.DECIMAL64:
		return exportDecimals(&d, func(x Int256) int64 { return int64(x[0]) })
	case arrow.DECIMAL128:
		return exportDecimals(&d, func(x Int256) Int128 { return Int128{Lo: x[0], Hi: int64(x[1])} })
	case arrow.DECIMAL256:
		return exportDecimals(&d, func(x Int256) Int256 { return x })
	}
	return nil, ex.mismatch(v, dt, at)
}

// hugeIntDigits is the number of decimal digits of the largest HUGEINT.
const hugeIntDigits = 39

type decimalExport struct {
	ex      *exporter
	v       *Vector
	dt      arrow.DecimalType
	limit   Int256 // if checked: absolute values reach to just below
	checked bool
	shift   int // power of ten that Arrow's scale below zero divides by
	at      *place
}

func (d *decimalExport) tooLong(row int) error {
	return d.at.errorf(ErrCastOverflow, row, "%s value %s does not fit %s", d.v.typ, Text(d.v, row), d.dt)
}

// firstTooLong gives the first row whose value has too many digits, or -1.
func (d *decimalExport) firstTooLong() int {
	if !d.checked {
		return -1
	}
	return firstRow(func(i int) bool { return !wideInt(d.v, i).below(d.limit) }, d.v.length, d.v.validity)
}

// wideInt reads a value of integer storage as an Int256.
func wideInt(v *Vector, row int) Int256 {
	switch v.typ.Storage() {
	case StorageInt64:
		return int256Of(ValuesOf[int64](v)[row])
	case StorageInt128:
		return int256Of128(ValuesOf[Int128](v)[row])
	}
	return ValuesOf[Int256](v)[row]
}

func exportDecimals[D int32 | int64 | Int128 | Int256](d *decimalExport, narrow func(Int256) D) (*array.Data, error) {
	dst := Alloc[D](d.ex.pool, d.v.length)
	for i := range dst {
		x := wideInt(d.v, i)
		if d.shift > 0 {
			var exact bool
			if x, exact = x.scaledDown(d.shift); !exact && d.v.validity.Has(i) {
				return nil, d.tooLong(i)
			}
		}
		if d.checked && !x.below(d.limit) && d.v.validity.Has(i) {
			return nil, d.tooLong(i)
		}
		dst[i] = narrow(x)
	}
	return d.ex.flat(d.v, d.dt, memory.NewBufferBytes(Bytes(dst))), nil
}

// scaledDown divides by a power of ten and reports whether nothing was lost.
func (x Int256) scaledDown(digits int) (Int256, bool) {
	negative, exact := x.negative(), true
	if negative {
		x = x.negated()
	}
	for digits > 0 {
		step := min(digits, 19)
		var rem uint64
		x, rem = x.quoRem10(step)
		exact = exact && rem == 0
		digits -= step
	}
	if negative {
		x = x.negated()
	}
	return x, exact
}
