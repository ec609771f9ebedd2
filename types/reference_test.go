package types_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
)

// reference gives row i of an Arrow array as the Go value that types.Value promises, read through Arrow's own accessors and a union by
// lifting: the slow, obvious way that Import is checked against.
func reference(arr arrow.Array, i int) any {
	switch a := arr.(type) {
	case *array.Null:
		return nil
	case *array.Dictionary:
		if a.IsNull(i) {
			return nil
		}
		return reference(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return reference(a.Values(), a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return referenceVariant(a, a.ChildID(i), i)
	case *array.DenseUnion:
		return referenceVariant(a, a.ChildID(i), int(a.ValueOffset(i)))
	case array.ExtensionArray:
		if storage, ok := a.Storage().(*array.Struct); ok && a.ExtensionType().ExtensionName() == types.NullableUnionName {
			if storage.IsNull(i) {
				return nil
			}
			return reference(storage.Field(0), i)
		}
		return reference(a.Storage(), i)
	}
	if arr.IsNull(i) {
		return nil
	}
	switch a := arr.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return a.Value(i)
	case *array.Int16:
		return a.Value(i)
	case *array.Int32:
		return a.Value(i)
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return a.Value(i)
	case *array.Uint16:
		return a.Value(i)
	case *array.Uint32:
		return a.Value(i)
	case *array.Uint64:
		return a.Value(i)
	case *array.Float16:
		return referenceHalf(a.Value(i).Uint16())
	case *array.Float32:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.Decimal32:
		return referenceDecimal(big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal64:
		return referenceDecimal(big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal128:
		return referenceDecimal(a.Value(i).BigInt(), a.DataType())
	case *array.Decimal256:
		return referenceDecimal(a.Value(i).BigInt(), a.DataType())
	case array.StringLike:
		return strings.Clone(a.Value(i))
	case *array.Binary:
		return append([]byte{}, a.Value(i)...)
	case *array.LargeBinary:
		return append([]byte{}, a.Value(i)...)
	case *array.BinaryView:
		return append([]byte{}, a.Value(i)...)
	case *array.FixedSizeBinary:
		return append([]byte{}, a.Value(i)...)
	case *array.Date32:
		return time.Unix(int64(a.Value(i))*86400, 0).UTC()
	case *array.Date64:
		return time.UnixMilli(int64(a.Value(i))).UTC()
	case *array.Time32:
		return time.Duration(a.Value(i)) * a.DataType().(*arrow.Time32Type).Unit.Multiplier()
	case *array.Time64:
		return time.Duration(a.Value(i)) * a.DataType().(*arrow.Time64Type).Unit.Multiplier()
	case *array.Timestamp:
		perSecond := int64(time.Second / a.DataType().(*arrow.TimestampType).Unit.Multiplier())
		x := int64(a.Value(i))
		return time.Unix(x/perSecond, x%perSecond*(1e9/perSecond)).UTC()
	case *array.Duration:
		return types.MonthDayNano{Nanos: int64(a.Value(i)) * int64(a.DataType().(*arrow.DurationType).Unit.Multiplier())}
	case *array.MonthInterval:
		return types.MonthDayNano{Months: int32(a.Value(i))}
	case *array.DayTimeInterval:
		return types.MonthDayNano{Days: a.Value(i).Days, Nanos: int64(a.Value(i).Milliseconds) * 1e6}
	case *array.MonthDayNanoInterval:
		return types.MonthDayNano{Months: a.Value(i).Months, Days: a.Value(i).Days, Nanos: a.Value(i).Nanoseconds}
	case *array.Struct:
		out := []types.FieldValue{}
		for k := range a.NumField() {
			out = append(out, types.FieldValue{Name: a.DataType().(*arrow.StructType).Field(k).Name, Value: reference(a.Field(k), i)})
		}
		return out
	case *array.Map:
		out := []types.MapEntry{}
		start, end := a.ValueOffsets(i)
		for j := start; j < end; j++ {
			out = append(out, types.MapEntry{Key: reference(a.Keys(), int(j)), Value: reference(a.Items(), int(j))})
		}
		return out
	case array.ListLike:
		out := []any{}
		start, end := a.ValueOffsets(i)
		for j := start; j < end; j++ {
			out = append(out, reference(a.ListValues(), int(j)))
		}
		return out
	}
	panic(fmt.Sprintf("no reference for %T", arr))
}

// referenceHalf is written out because Arrow's own conversion is wrong for subnormal numbers.
func referenceHalf(h uint16) float32 {
	sign := 1.0
	if h>>15 == 1 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&1023)
	switch {
	case exponent == 31 && fraction > 0:
		return float32(math.NaN())
	case exponent == 31:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(math.Copysign(math.Ldexp(fraction, -24), sign))
	}
	return float32(math.Copysign(math.Ldexp(fraction+1024, exponent-25), sign))
}

func referenceVariant(a array.Union, child, row int) any {
	value := reference(a.Field(child), row)
	if value == nil {
		return nil
	}
	return types.UnionValue{Tag: a.UnionType().Fields()[child].Name, Value: value}
}

func referenceDecimal(x *big.Int, dt arrow.DataType) any {
	scale := int(dt.(arrow.DecimalType).GetScale())
	if scale < 0 {
		x = new(big.Int).Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil))
		scale = 0
	}
	return types.DecimalValue{Unscaled: x, Scale: scale}
}

// show writes a Go value so that equal texts mean equal values: NaN equals itself, 0 and -0 differ, an empty list is not nil.
func show(x any) string {
	switch x := x.(type) {
	case float32:
		if x != x {
			return "float32 nan"
		}
		return fmt.Sprintf("float32 %x", math.Float32bits(x))
	case float64:
		if x != x {
			return "float64 nan"
		}
		return fmt.Sprintf("float64 %x", math.Float64bits(x))
	case types.DecimalValue:
		return "decimal " + x.String()
	case time.Time:
		_, offset := x.Zone()
		return fmt.Sprintf("time %d.%d %d", x.Unix(), x.Nanosecond(), offset)
	case []byte:
		return fmt.Sprintf("bytes %x", x)
	case []any:
		var b strings.Builder
		for _, e := range x {
			b.WriteString(show(e) + ", ")
		}
		return "[" + b.String() + "]"
	case []types.FieldValue:
		var b strings.Builder
		for _, f := range x {
			fmt.Fprintf(&b, "%q: %s, ", f.Name, show(f.Value))
		}
		return "{" + b.String() + "}"
	case []types.MapEntry:
		var b strings.Builder
		for _, e := range x {
			fmt.Fprintf(&b, "%s=%s, ", show(e.Key), show(e.Value))
		}
		return "map{" + b.String() + "}"
	case types.UnionValue:
		return x.Tag + "(" + show(x.Value) + ")"
	}
	return fmt.Sprintf("%T %#v", x, x)
}
