package column

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// Type says how values of the Go type T lie in arrays of an Arrow type. The zero Type is not one.
type Type[T any] struct {
	arrow arrow.DataType
	// reader gives what reads the rows of a plain vector that are not null.
	reader func(v *types.Vector) func(row int) T
	// slice gives all rows of a plain vector where they lie in memory as Go has them; it is nil for other types.
	slice func(v *types.Vector) []T
	// build makes a vector of the type; the values of rows that are not valid do not matter.
	build func(values []T, valid types.Bitmap) (*types.Vector, error)
}

// Arrow gives the Arrow type that values are written as.
func (t Type[T]) Arrow() arrow.DataType { return t.arrow }

// Optional is a value that may be missing, which is what null reads as. The zero value is null.
type Optional[T any] struct {
	Value T // the zero value when it is null
	Valid bool
}

// Some makes an Optional of a value.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Valid: true} }

// Null makes an Optional without a value.
func Null[T any]() Optional[T] { return Optional[T]{} }

// Or gives the value, or another one instead of null.
func (o Optional[T]) Or(other T) T {
	if o.Valid {
		return o.Value
	}
	return other
}

// The types of numbers and truth values.
var (
	Bool    = Type[bool]{arrow: arrow.FixedWidthTypes.Boolean, reader: readBools, build: buildBools}
	Int8    = fixed[int8](arrow.PrimitiveTypes.Int8, types.TinyInt)
	Int16   = fixed[int16](arrow.PrimitiveTypes.Int16, types.SmallInt)
	Int32   = fixed[int32](arrow.PrimitiveTypes.Int32, types.Integer)
	Int64   = fixed[int64](arrow.PrimitiveTypes.Int64, types.BigInt)
	Uint8   = fixed[uint8](arrow.PrimitiveTypes.Uint8, types.UTinyInt)
	Uint16  = fixed[uint16](arrow.PrimitiveTypes.Uint16, types.USmallInt)
	Uint32  = fixed[uint32](arrow.PrimitiveTypes.Uint32, types.UInteger)
	Uint64  = fixed[uint64](arrow.PrimitiveTypes.Uint64, types.UBigInt)
	Float32 = fixed[float32](arrow.PrimitiveTypes.Float32, types.Float)
	Float64 = fixed[float64](arrow.PrimitiveTypes.Float64, types.Double)
)

// The types of texts and bytes. What is read is borrowed from the column: valid until it is released, and not to be written to.
var (
	String      = texts[string](arrow.BinaryTypes.String, types.Varchar)
	LargeString = texts[string](arrow.BinaryTypes.LargeString, types.Varchar)
	StringView  = texts[string](arrow.BinaryTypes.StringView, types.Varchar)
	Binary      = texts[[]byte](arrow.BinaryTypes.Binary, types.Blob)
	LargeBinary = texts[[]byte](arrow.BinaryTypes.LargeBinary, types.Blob)
	BinaryView  = texts[[]byte](arrow.BinaryTypes.BinaryView, types.Blob)
)

// Date is date32: days, as times at midnight UTC. Another time of day is ErrCastInvalid when a column is made.
var Date = converted(arrow.FixedWidthTypes.Date32, types.Date,
	func(days int32) time.Time { return time.Unix(int64(days)*86400, 0).UTC() },
	func(t time.Time) (int32, error) {
		days, err := units(t, -86400)
		if err == nil && days != int64(int32(days)) {
			err = outOfRange(t)
		}
		return int32(days), err
	})

// FixedBinary is fixed-size binary of n bytes. A value of another length is an error when a column is made.
func FixedBinary(n int) Type[[]byte] { return Of[[]byte](&arrow.FixedSizeBinaryType{ByteWidth: n}) }

// Timestamp is timestamp of a unit, with a time zone or "" for none. Times are read in UTC. When a column is made, a time between two units is ErrCastInvalid,
// one that 64 bits do not hold ErrCastOverflow.
func Timestamp(unit arrow.TimeUnit, zone string) Type[time.Time] {
	dt := &arrow.TimestampType{Unit: unit, TimeZone: zone}
	perSecond := int64(time.Second / unit.Multiplier())
	return converted(dt, imported(dt),
		func(x int64) time.Time { return time.Unix(x/perSecond, x%perSecond*(1e9/perSecond)).UTC() },
		func(t time.Time) (int64, error) { return units(t, perSecond) })
}

// Time is the time of day, as the duration since midnight: time32 for seconds and milliseconds, else time64. When a column is made, a duration between
// two units is ErrCastInvalid, one that is negative or more than a day ErrCastOverflow.
func Time(unit arrow.TimeUnit) Type[time.Duration] {
	var dt arrow.DataType = &arrow.Time64Type{Unit: unit}
	if unit <= arrow.Millisecond {
		dt = &arrow.Time32Type{Unit: unit}
	}
	size := unit.Multiplier()
	return converted(dt, imported(dt),
		func(x int64) time.Duration { return time.Duration(x) * size },
		func(d time.Duration) (int64, error) {
			switch {
			case d < 0 || d > 24*time.Hour:
				return 0, outOfRange(d)
			case d%size != 0:
				return 0, between(d)
			}
			return int64(d / size), nil
		})
}

// units counts the units since 1970, perSecond of them in a second, or -perSecond seconds in one of them.
func units(t time.Time, perSecond int64) (int64, error) {
	seconds, nanos := t.Unix(), int64(t.Nanosecond())
	if perSecond < 0 {
		if seconds%-perSecond != 0 || nanos != 0 {
			return 0, between(t)
		}
		return seconds / -perSecond, nil
	}
	size := 1e9 / perSecond
	if nanos%size != 0 {
		return 0, between(t)
	}
	// With the fraction of a second before 1970 the whole may fit although its seconds do not.
	if seconds < 0 && nanos > 0 {
		seconds, nanos = seconds+1, nanos-1e9
	}
	whole := seconds * perSecond
	x := whole + nanos/size
	if whole/perSecond != seconds || (nanos > 0) != (x > whole) && nanos != 0 {
		return 0, outOfRange(t)
	}
	return x, nil
}

func between(x any) error {
	return types.KindErrorf(types.ErrCastInvalid, "%v lies between two units of the type", x)
}

func outOfRange(x any) error { return types.KindErrorf(types.ErrCastOverflow, "%v is out of range", x) }

// imported gives the SQL type of an Arrow type that has one.
func imported(dt arrow.DataType) types.Type {
	typ, err := types.ImportType(dt, arrow.Metadata{})
	if err != nil {
		panic(err)
	}
	return typ
}

// converted is a type whose values lie in memory as S.
func converted[T any, S types.Fixed](dt arrow.DataType, typ types.Type, decode func(S) T, encode func(T) (S, error)) Type[T] {
	return Type[T]{
		arrow: dt,
		reader: func(v *types.Vector) func(int) T {
			values := types.ValuesOf[S](v)
			return func(row int) T { return decode(values[row]) }
		},
		build: func(values []T, valid types.Bitmap) (*types.Vector, error) {
			out := make([]S, len(values))
			for i, x := range values {
				if !valid.Has(i) {
					continue
				}
				var err error
				if out[i], err = encode(x); err != nil {
					return nil, atRow(err, i)
				}
			}
			return types.NewFixed(typ, out, valid), nil
		},
	}
}

// atRow says in which row of the values an error is.
func atRow(err error, row int) error {
	var e *types.Error
	if errors.As(err, &e) {
		return e.WithRow("", int64(row))
	}
	return err
}

// Interval is interval[month_day_nano].
var Interval = Of[types.MonthDayNano](arrow.FixedWidthTypes.MonthDayNanoInterval)

// Decimal is decimal128 up to 38 digits, above that decimal256.
func Decimal(precision, scale int32) Type[types.DecimalValue] {
	if precision <= 38 {
		return Of[types.DecimalValue](&arrow.Decimal128Type{Precision: precision, Scale: scale})
	}
	return Of[types.DecimalValue](&arrow.Decimal256Type{Precision: precision, Scale: scale})
}

// Of gives the type of any Arrow type whose values types.Value reads as T: types.UnionValue for unions, []types.MapEntry for maps, any for all. It boxes
// each value; the types that have functions of their own do not. It panics for an Arrow type that Lacuna does not have, and when values of it are no T.
func Of[T any](dt arrow.DataType) Type[T] {
	typ := imported(dt)
	if zero, ok := types.Value(types.NewNull(typ, 1).WithValidity(nil), 0).(T); !ok {
		panic(fmt.Sprintf("column: values of %s are no %T", dt, zero))
	}
	return Type[T]{
		arrow:  dt,
		reader: func(v *types.Vector) func(int) T { return func(row int) T { return types.Value(v, row).(T) } },
		build: func(values []T, valid types.Bitmap) (*types.Vector, error) {
			boxed := make([]any, len(values))
			for i, x := range values {
				if valid.Has(i) {
					boxed[i] = x
				}
			}
			return types.FromValues(nil, typ, boxed)
		},
	}
}

func readBools(v *types.Vector) func(int) bool { return v.Bools().Get }

func buildBools(values []bool, valid types.Bitmap) (*types.Vector, error) {
	bits := make(types.Bitmap, types.BitmapWords(len(values)))
	for i, x := range values {
		if x {
			bits.Set(i)
		}
	}
	return types.NewBool(bits, len(values), valid), nil
}

// fixed is a type whose values lie in memory as Go has them.
func fixed[T types.Fixed](dt arrow.DataType, typ types.Type) Type[T] {
	return Type[T]{
		arrow: dt,
		reader: func(v *types.Vector) func(int) T {
			values := types.ValuesOf[T](v)
			return func(row int) T { return values[row] }
		},
		slice: types.ValuesOf[T],
		build: func(values []T, valid types.Bitmap) (*types.Vector, error) {
			return types.NewFixed(typ, append([]T(nil), values...), valid), nil
		},
	}
}

// texts is a type of strings or bytes, read without a copy.
func texts[T string | []byte](dt arrow.DataType, typ types.Type) Type[T] {
	return Type[T]{
		arrow: dt,
		reader: func(v *types.Vector) func(int) T {
			views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
			return func(row int) T {
				b := views[row].Bytes(buffers)
				b = b[:len(b):len(b)]
				return *(*T)(unsafe.Pointer(&b)) // a string's header is the start of a slice's
			}
		},
		build: func(values []T, valid types.Bitmap) (*types.Vector, error) { return buildTexts(typ, values, valid) },
	}
}

// buildTexts makes views; the bytes of long ones are copied to one data buffer.
func buildTexts[T string | []byte](typ types.Type, values []T, valid types.Bitmap) (*types.Vector, error) {
	views := make([]types.View, len(values))
	var body []byte
	for i, x := range values {
		if !valid.Has(i) {
			continue
		}
		if typ.Kind() == types.KindVarchar && !utf8.ValidString(string(x)) {
			return nil, types.Errorf(types.CodeInvalidUTF8, "string is not valid UTF-8").WithRow("", int64(i))
		}
		if len(body)+len(x) > math.MaxUint32 {
			return nil, types.KindErrorf(types.ErrCastOverflow, "more than 4 GiB of strings in a column").WithRow("", int64(i))
		}
		views[i] = types.MakeView([]byte(x), 0, len(body))
		if len(x) > types.MaxInlineView {
			body = append(body, x...)
		}
	}
	var buffers []types.Buffer
	if len(body) > 0 {
		buffers = []types.Buffer{{Bytes: body}}
	}
	return types.NewViews(typ, views, buffers, valid), nil
}
