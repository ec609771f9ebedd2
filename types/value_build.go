package types

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"
)

// NewValue gives a Constant vector of one row from a Go value: what Value returns for the type, and what programs have at hand
// instead: any Go integer for integer types and decimals, floats for floats, strings for decimals and UUIDs, time.Time for every date,
// time and timestamp, map[string]any for structs, nil for NULL. Errors: ErrCastOverflow for a value out of range and ErrCastInvalid
// for one of the wrong kind or form.
func NewValue(typ Type, value any) (*Vector, error) {
	v, err := FromValues(nil, typ, []any{value})
	if err != nil {
		if e, ok := err.(*Error); ok {
			e.Row = -1
		}
		return nil, err
	}
	return NewConstant(v, 1), nil
}

// FromValues makes a Plain vector from Go values as NewValue takes them. Memory comes from the pool; nil is the heap. In errors Row is
// the index of the value at fault.
func FromValues(pool *Pool, typ Type, values []any) (*Vector, error) {
	b := builder{pool: pool, typ: typ, values: values}
	return b.build()
}

// builder makes a plain vector of one type from Go values.
type builder struct {
	pool   *Pool
	typ    Type
	values []any
}

func (b *builder) invalid(row int) error {
	text := fmt.Sprintf("%v", b.values[row])
	if len(text) > 100 {
		text = text[:100] + "..."
	}
	return KindErrorf(ErrCastInvalid, "Go value %q of type %T is no %s", text, b.values[row], b.typ).WithRow("", int64(row))
}

func (b *builder) overflow(row int) error {
	return KindErrorf(ErrCastOverflow, "value %v is out of range of %s", b.values[row], b.typ).WithRow("", int64(row))
}

func (b *builder) validity() Bitmap {
	var valid Bitmap
	for i, x := range b.values {
		if x == nil {
			if valid == nil {
				valid = b.pool.Bitmap(len(b.values))
				FillBitmap(valid, len(b.values))
			}
			valid.Clear(i)
		}
	}
	return valid
}

func (b *builder) build() (*Vector, error) {
	n := len(b.values)
	switch b.typ.kind {
	case KindNull:
		for i, x := range b.values {
			if x != nil {
				return nil, b.invalid(i)
			}
		}
		return &Vector{typ: b.typ, length: n}, nil
	case KindBoolean:
		bits := b.pool.ZeroBitmap(n)
		for i, x := range b.values {
			switch x := x.(type) {
			case nil:
			case bool:
				if x {
					bits.Set(i)
				}
			default:
				return nil, b.invalid(i)
			}
		}
		return NewBool(bits, n, b.validity()), nil
	case KindTinyInt:
		return buildInts[int8](b)
	case KindSmallInt:
		return buildInts[int16](b)
	case KindInteger:
		return buildInts[int32](b)
	case KindBigInt:
		return buildInts[int64](b)
	case KindUTinyInt:
		return buildInts[uint8](b)
	case KindUSmallInt:
		return buildInts[uint16](b)
	case KindUInteger:
		return buildInts[uint32](b)
	case KindUBigInt:
		return buildInts[uint64](b)
	case KindHugeInt, KindDecimal:
		return b.decimals()
	case KindHalf:
		return buildEach(b, func(x any) (uint16, error) {
			f, ok := floatOf(x)
			h := HalfFromFloat(f)
			if ok && !math.IsInf(f, 0) && h&0x7fff == 0x7c00 {
				return 0, ErrCastOverflow
			}
			return h, invalidUnless(ok)
		})
	case KindFloat:
		return buildEach(b, func(x any) (float32, error) {
			f, ok := floatOf(x)
			if ok && !math.IsInf(f, 0) && math.IsInf(float64(float32(f)), 0) {
				return 0, ErrCastOverflow
			}
			return float32(f), invalidUnless(ok)
		})
	case KindDouble:
		return buildEach(b, func(x any) (float64, error) {
			f, ok := floatOf(x)
			return f, invalidUnless(ok)
		})
	case KindDate:
		return buildEach(b, dateOf)
	case KindTime:
		return buildEach(b, func(x any) (int64, error) { return clockOf(x, b.typ.unit) })
	case KindTimestamp, KindTimestampTZ:
		return buildEach(b, func(x any) (int64, error) { return instantOf(x, b.typ) })
	case KindInterval:
		return buildEach(b, func(x any) (MonthDayNano, error) {
			switch x := x.(type) {
			case MonthDayNano:
				return x, nil
			case time.Duration:
				return MonthDayNano{Nanos: int64(x)}, nil
			}
			return MonthDayNano{}, ErrCastInvalid
		})
	case KindUUID:
		return buildEach(b, func(x any) (Int128, error) {
			u, ok := uuidOf(x)
			return uuidToInt128(u), invalidUnless(ok)
		})
	case KindEnum:
		member := make(map[string]uint32, len(b.typ.Members()))
		for i, m := range b.typ.Members() {
			member[m] = uint32(i)
		}
		return buildEach(b, func(x any) (uint32, error) {
			s, _ := x.(string)
			k, ok := member[s]
			return k, invalidUnless(ok)
		})
	case KindVarchar, KindJSON, KindBlob, KindBit:
		return b.strings()
	}
	return b.nested()
}

func invalidUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrCastInvalid
}

// buildEach converts value by value; convert gives ErrCastInvalid or ErrCastOverflow.
func buildEach[T Fixed](b *builder, convert func(any) (T, error)) (*Vector, error) {
	dst := Alloc[T](b.pool, len(b.values))
	clear(dst)
	for i, x := range b.values {
		if x == nil {
			continue
		}
		y, err := convert(x)
		switch err {
		case nil:
			dst[i] = y
		case ErrCastOverflow:
			return nil, b.overflow(i)
		default:
			return nil, b.invalid(i)
		}
	}
	v := NewFixed(b.typ, dst, b.validity())
	v.length = len(b.values)
	return v, nil
}

func buildInts[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](b *builder) (*Vector, error) {
	return buildEach(b, func(x any) (T, error) {
		big, ok := integerOf(x)
		if !ok {
			return 0, ErrCastInvalid
		}
		y := T(big[0])
		if back := int256OfInt(y); back != big {
			return 0, ErrCastOverflow
		}
		return y, nil
	})
}

func int256OfInt[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](x T) Int256 {
	if x < 0 {
		return int256Of(int64(x))
	}
	return Int256{uint64(x)}
}

// integerOf reads any Go integer.
func integerOf(x any) (Int256, bool) {
	switch x := x.(type) {
	case int:
		return int256Of(int64(x)), true
	case int8:
		return int256Of(int64(x)), true
	case int16:
		return int256Of(int64(x)), true
	case int32:
		return int256Of(int64(x)), true
	case int64:
		return int256Of(x), true
	case uint:
		return Int256{uint64(x)}, true
	case uint8:
		return Int256{uint64(x)}, true
	case uint16:
		return Int256{uint64(x)}, true
	case uint32:
		return Int256{uint64(x)}, true
	case uint64:
		return Int256{x}, true
	case Int128:
		return int256Of128(x), true
	case Int256:
		return x, true
	case *big.Int:
		return Int256FromBig(x)
	}
	return Int256{}, false
}

func floatOf(x any) (float64, bool) {
	switch x := x.(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	}
	if i, ok := integerOf(x); ok {
		f, _ := new(big.Float).SetInt(i.Big()).Float64()
		return f, true
	}
	return 0, false
}

// decimals takes DecimalValue, text such as "-12.50" and integers. More digits after the point than the type has are an error unless
// they are zeros.
func (b *builder) decimals() (*Vector, error) {
	n, scale := len(b.values), b.typ.Scale()
	wide := make([]Int256, n)
	for i, x := range b.values {
		if x == nil {
			continue
		}
		d, ok := decimalOf(x)
		if !ok {
			return nil, b.invalid(i)
		}
		y, ok := rescaled(d, scale)
		if ok && b.typ.kind == KindDecimal {
			ok = y.below(pow10[b.typ.Precision()])
		}
		if s := uint64(int64(y[1]) >> 63); b.typ.kind == KindHugeInt && (y[2] != s || y[3] != s) {
			ok = false
		}
		if !ok {
			return nil, b.overflow(i)
		}
		wide[i] = y
	}
	switch b.typ.Storage() {
	case StorageInt64:
		dst := Alloc[int64](b.pool, n)
		for i, x := range wide {
			dst[i] = int64(x[0])
		}
		return NewFixed(b.typ, dst, b.validity()), nil
	case StorageInt128:
		dst := Alloc[Int128](b.pool, n)
		for i, x := range wide {
			dst[i] = Int128{Lo: x[0], Hi: int64(x[1])}
		}
		return NewFixed(b.typ, dst, b.validity()), nil
	}
	return NewFixed(b.typ, wide, b.validity()), nil
}

func decimalOf(x any) (DecimalValue, bool) {
	switch x := x.(type) {
	case DecimalValue:
		return x, x.Unscaled != nil && x.Scale >= 0 && x.Scale <= 2*MaxDecimalPrecision
	case string:
		whole, fraction, _ := strings.Cut(x, ".")
		if len(x) > 4*MaxDecimalPrecision || strings.ContainsAny(fraction, "+-_") || strings.Contains(whole, "_") {
			return DecimalValue{}, false
		}
		unscaled, ok := new(big.Int).SetString(whole+fraction, 10)
		return DecimalValue{Unscaled: unscaled, Scale: len(fraction)}, ok
	}
	i, ok := integerOf(x)
	return DecimalValue{Unscaled: i.Big()}, ok
}

func rescaled(d DecimalValue, scale int) (Int256, bool) {
	unscaled := d.Unscaled
	if shift := scale - d.Scale; shift >= 0 {
		unscaled = new(big.Int).Mul(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
	} else {
		quotient, rest := new(big.Int).QuoRem(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-shift)), nil), new(big.Int))
		if rest.Sign() != 0 {
			return Int256{}, false
		}
		unscaled = quotient
	}
	return Int256FromBig(unscaled)
}

// dateOf takes the calendar day of a time in its own zone.
func dateOf(x any) (int32, error) {
	t, ok := x.(time.Time)
	if !ok {
		return 0, ErrCastInvalid
	}
	y, m, d := t.Date()
	days := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
	if days < -math.MaxInt32 || days > math.MaxInt32 {
		return 0, ErrCastOverflow
	}
	return int32(days), nil
}

// clockOf takes a duration since midnight, or the time of day of a time in its own zone.
func clockOf(x any, unit TimeUnit) (int64, error) {
	var d time.Duration
	switch x := x.(type) {
	case time.Duration:
		d = x
	case time.Time:
		h, m, s := x.Clock()
		d = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(x.Nanosecond())
	default:
		return 0, ErrCastInvalid
	}
	if d < 0 || d > 24*time.Hour {
		return 0, ErrCastOverflow
	}
	return int64(d) / (1e9 / unit.PerSecond()), nil
}

// instantOf takes a time as an instant for zoned types and by its own clock for others; what is finer than the unit is cut off.
func instantOf(x any, typ Type) (int64, error) {
	t, ok := x.(time.Time)
	if !ok {
		return 0, ErrCastInvalid
	}
	if typ.kind == KindTimestamp {
		_, offset := t.Zone()
		t = t.Add(time.Duration(offset) * time.Second)
	}
	perSecond := typ.unit.PerSecond()
	seconds, part := t.Unix(), int64(t.Nanosecond())/(1e9/perSecond)
	if seconds < 0 && part > 0 {
		seconds, part = seconds+1, part-perSecond // so that the product below stays in range down to the smallest instant
	}
	if limit := math.MaxInt64 / perSecond; seconds > limit || seconds < -limit || seconds == limit && part > math.MaxInt64%perSecond || seconds == -limit && part < -(math.MaxInt64%perSecond) {
		return 0, ErrCastOverflow
	}
	return seconds*perSecond + part, nil
}

func uuidOf(x any) (UUIDValue, bool) {
	switch x := x.(type) {
	case UUIDValue:
		return x, true
	case [16]byte:
		return x, true
	case string:
		var u UUIDValue
		text := x
		if len(x) == 36 && x[8] == '-' && x[13] == '-' && x[18] == '-' && x[23] == '-' {
			text = x[:8] + x[9:13] + x[14:18] + x[19:23] + x[24:]
		}
		if len(text) != 32 {
			return u, false
		}
		_, err := hex.Decode(u[:], []byte(text))
		return u, err == nil
	}
	return UUIDValue{}, false
}

// strings makes views of strings and bytes; long ones are copied to one data buffer.
func (b *builder) strings() (*Vector, error) {
	views := Alloc[View](b.pool, len(b.values))
	var body []byte
	for i, x := range b.values {
		var s []byte
		switch x := x.(type) {
		case nil:
		case string:
			s = []byte(x)
		case []byte:
			s = x
		default:
			return nil, b.invalid(i)
		}
		if x != nil && b.typ.kind == KindBit {
			packed, ok := bitFromText(string(s))
			if !ok {
				return nil, b.invalid(i)
			}
			s = packed
		}
		if (b.typ.kind == KindVarchar || b.typ.kind == KindJSON) && !utf8.Valid(s) {
			return nil, Errorf(CodeInvalidUTF8, "string is not valid UTF-8").WithRow("", int64(i))
		}
		if len(body)+len(s) > math.MaxUint32 {
			return nil, b.overflow(i)
		}
		views[i] = MakeView(s, 0, len(body))
		if len(s) > MaxInlineView {
			body = append(body, s...)
		}
	}
	var buffers []Buffer
	if len(body) > 0 {
		held := b.pool.Bytes(len(body))
		copy(held, body)
		buffers = []Buffer{{Bytes: held}}
	}
	return NewViews(b.typ, views, buffers, b.validity()), nil
}
