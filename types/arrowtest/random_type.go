package arrowtest

import (
	"math/rand/v2"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// FlatTypes gives every Arrow type without children, in some parameterisations.
func FlatTypes() []arrow.DataType {
	types := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		&arrow.Decimal32Type{Precision: 9, Scale: 4}, &arrow.Decimal32Type{Precision: 3, Scale: 3},
		&arrow.Decimal64Type{Precision: 18, Scale: 2}, &arrow.Decimal64Type{Precision: 5, Scale: 0},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal128Type{Precision: 15, Scale: 2},
		&arrow.Decimal128Type{Precision: 4, Scale: -3},
		&arrow.Decimal256Type{Precision: 76, Scale: 40}, &arrow.Decimal256Type{Precision: 30, Scale: 1},
		&arrow.Decimal256Type{Precision: 12, Scale: 12}, &arrow.Decimal256Type{Precision: 60, Scale: -10},
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView,
		&arrow.FixedSizeBinaryType{ByteWidth: 0}, &arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.FixedSizeBinaryType{ByteWidth: 21},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
	}
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		types = append(types, &arrow.TimestampType{Unit: unit}, &arrow.TimestampType{Unit: unit, TimeZone: "Europe/Madrid"},
			&arrow.DurationType{Unit: unit})
		if unit <= arrow.Millisecond {
			types = append(types, &arrow.Time32Type{Unit: unit})
		} else {
			types = append(types, &arrow.Time64Type{Unit: unit})
		}
	}
	return types
}

// RandomType gives a type nested at most depth levels deep, encodings counted as levels.
func RandomType(rng *rand.Rand, depth int) arrow.DataType {
	if depth == 0 || rng.IntN(4) == 0 {
		flat := FlatTypes()
		return flat[rng.IntN(len(flat))]
	}
	depth--
	switch rng.IntN(11) {
	case 0:
		return arrow.ListOfField(randomField(rng, "item", depth))
	case 1:
		return arrow.LargeListOfField(randomField(rng, "item", depth))
	case 2:
		return arrow.ListViewOfField(randomField(rng, "item", depth))
	case 3:
		return arrow.LargeListViewOfField(randomField(rng, "item", depth))
	case 4:
		return arrow.FixedSizeListOfField(int32(1+rng.IntN(3)), randomField(rng, "item", depth))
	case 5:
		key := randomField(rng, "key", 0)
		for key.Type.ID() == arrow.NULL {
			key = randomField(rng, "key", 0)
		}
		key.Nullable = false
		return arrow.MapOfFields(key, randomField(rng, "value", depth))
	case 6:
		return arrow.StructOf(randomFields(rng, rng.IntN(4), depth)...)
	case 7:
		fields, codes := randomVariants(rng, depth)
		return arrow.SparseUnionOf(fields, codes)
	case 8:
		fields, codes := randomVariants(rng, depth)
		return arrow.DenseUnionOf(fields, codes)
	case 9:
		indices := []arrow.DataType{
			arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
			arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		}
		return &arrow.DictionaryType{IndexType: indices[rng.IntN(len(indices))], ValueType: RandomType(rng, depth)}
	}
	ends := []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}
	ree := arrow.RunEndEncodedOf(ends[rng.IntN(3)], RandomType(rng, depth))
	ree.ValueNullable = rng.IntN(3) > 0 || onlyNulls(ree.Encoded())
	return ree
}

func randomField(rng *rand.Rand, name string, depth int) arrow.Field {
	f := arrow.Field{Name: name, Type: RandomType(rng, depth), Nullable: rng.IntN(3) > 0}
	f.Nullable = f.Nullable || onlyNulls(f.Type)
	return f
}

// onlyNulls reports types that have no other value than null: a field of one cannot be required.
func onlyNulls(dt arrow.DataType) bool {
	switch d := dt.(type) {
	case *arrow.NullType:
		return true
	case *arrow.DictionaryType:
		return onlyNulls(d.ValueType)
	case *arrow.RunEndEncodedType:
		return onlyNulls(d.Encoded())
	}
	return false
}

func randomFields(rng *rand.Rand, n, depth int) []arrow.Field {
	fields := make([]arrow.Field, n)
	for i := range fields {
		fields[i] = randomField(rng, "f"+strconv.Itoa(i), depth)
	}
	return fields
}

// randomVariants gives one to four variants with type codes that have gaps and no order.
func randomVariants(rng *rand.Rand, depth int) ([]arrow.Field, []arrow.UnionTypeCode) {
	fields := randomFields(rng, 1+rng.IntN(4), depth)
	codes := make([]arrow.UnionTypeCode, len(fields))
	for i, c := range rng.Perm(128)[:len(fields)] {
		codes[i] = arrow.UnionTypeCode(c)
	}
	return fields, codes
}
