package types_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// pair is two arrays, and whether they are equal, with the zero options and with some.
type pair struct {
	name          string
	a, b          arrow.ArrayData
	strict, loose bool
}

func checkPairs(t *testing.T, opts types.EqualOptions, pairs []pair) {
	t.Helper()
	for _, p := range pairs {
		a, b := array.MakeFromData(p.a), array.MakeFromData(p.b)
		for _, c := range []struct {
			opts types.EqualOptions
			want bool
		}{{types.EqualOptions{}, p.strict}, {opts, p.loose}} {
			if types.EqualArrays(a, b, c.opts) != c.want || types.EqualArrays(b, a, c.opts) != c.want {
				t.Errorf("%s: %v and %v, equal under %+v: want %t both ways", p.name, a, b, c.opts, c.want)
			}
		}
	}
}

func doubles(values ...float64) *array.Data {
	return node(arrow.PrimitiveTypes.Float64, len(values), 0, 0, nil, nil, raw(values...))
}

func field(name string, dt arrow.DataType, nullable bool, metadata ...string) arrow.Field {
	f := arrow.Field{Name: name, Type: dt, Nullable: nullable}
	if len(metadata) > 0 {
		f.Metadata = arrow.NewMetadata([]string{metadata[0]}, []string{metadata[1]})
	}
	return f
}

// nestings gives one row of every type that has fields, over a field of one int32 1; the field may also be the value of runs.
func nestings(f arrow.Field) map[string]*array.Data {
	x, offsets := ints(1), raw[int32](0, 1)
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, f.Type)
	runs.ValueNullable = f.Nullable
	return map[string]*array.Data{
		"struct":          node(arrow.StructOf(f), 1, 0, 0, []arrow.ArrayData{x}, nil),
		"list":            node(arrow.ListOfField(f), 1, 0, 0, []arrow.ArrayData{x}, nil, offsets),
		"large list":      node(arrow.LargeListOfField(f), 1, 0, 0, []arrow.ArrayData{x}, nil, raw[int64](0, 1)),
		"list view":       node(arrow.ListViewOfField(f), 1, 0, 0, []arrow.ArrayData{x}, nil, raw[int32](0), raw[int32](1)),
		"large list view": node(arrow.LargeListViewOfField(f), 1, 0, 0, []arrow.ArrayData{x}, nil, raw[int64](0), raw[int64](1)),
		"fixed size list": node(arrow.FixedSizeListOfField(1, f), 1, 0, 0, []arrow.ArrayData{x}, nil),
		"map": node(arrow.MapOfFields(field("key", f.Type, false), f), 1, 0, 0, []arrow.ArrayData{
			node(arrow.StructOf(field("key", f.Type, false), f), 1, 0, 0, []arrow.ArrayData{ints(1), x}, nil)}, nil, offsets),
		"sparse union":         node(arrow.SparseUnionOf([]arrow.Field{f}, []int8{0}), 1, 0, 0, []arrow.ArrayData{x}, nil, raw[int8](0)),
		"dense union":          node(arrow.DenseUnionOf([]arrow.Field{f}, []int8{0}), 1, 0, 0, []arrow.ArrayData{x}, nil, raw[int8](0), raw[int32](0)),
		"list in a struct":     node(arrow.StructOf(field("l", arrow.ListOfField(f), true)), 1, 0, 0, []arrow.ArrayData{node(arrow.ListOfField(f), 1, 0, 0, []arrow.ArrayData{x}, nil, offsets)}, nil),
		"struct in a list":     node(arrow.ListOf(arrow.StructOf(f)), 1, 0, 0, []arrow.ArrayData{node(arrow.StructOf(f), 1, 0, 0, []arrow.ArrayData{x}, nil)}, nil, offsets),
		"dictionary of struct": dict(raw[int8](0), 1, nil, node(arrow.StructOf(f), 1, 0, 0, []arrow.ArrayData{x}, nil)),
		"runs of struct":       ree(1, 0, ints(1), node(arrow.StructOf(f), 1, 0, 0, []arrow.ArrayData{x}, nil)),
	}
}

func TestEqualIgnoresFieldNullability(t *testing.T) {
	optional, required := nestings(field("f", arrow.PrimitiveTypes.Int32, true)), nestings(field("f", arrow.PrimitiveTypes.Int32, false))
	var pairs []pair
	for name := range optional {
		pairs = append(pairs, pair{name, optional[name], required[name], false, true})
	}
	x := func(nullable bool) arrow.Field { return field("x", arrow.PrimitiveTypes.Int32, nullable) }
	runs := func(nullable bool) *array.Data {
		dt := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32)
		dt.ValueNullable = nullable
		return node(dt, 2, 0, 0, []arrow.ArrayData{ints(2), ints(1)}, nil)
	}
	pairs = append(pairs,
		pair{"runs", runs(true), runs(false), false, true},
		pair{"name", structs(1, []arrow.Field{field("x", arrow.PrimitiveTypes.Int32, true)}, ints(1)), structs(1, []arrow.Field{field("y", arrow.PrimitiveTypes.Int32, true)}, ints(1)), false, false},
		pair{"E7", structs(0b11, []arrow.Field{x(false)}, nullableInts(0b01, 1, 2)), structs(0b11, []arrow.Field{x(true)}, ints(1, 2)), false, false})
	checkPairs(t, types.EqualOptions{IgnoreFieldNullability: true}, pairs)
	checkPairs(t, types.EqualOptions{IgnoreFieldNullability: true, IgnoreEncoding: true}, pairs)
	for _, opts := range equalOptions {
		opts.IgnoreFieldNullability = true
		if types.EqualArrays(array.MakeFromData(pairs[len(pairs)-1].a), array.MakeFromData(pairs[len(pairs)-1].b), opts) {
			t.Errorf("E7: a null in a required field equals a value under %+v", opts)
		}
	}
	// The flag of a column is in its schema, and vectors have those of the fields inside.
	batch := func(nullable bool) arrow.RecordBatch {
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{x(nullable)}, nil), []arrow.Array{array.MakeFromData(ints(1))}, 1)
	}
	if types.EqualBatches(batch(true), batch(false), types.EqualOptions{}) || !types.EqualBatches(batch(true), batch(false), types.EqualOptions{IgnoreFieldNullability: true}) {
		t.Error("the flag of a column")
	}
	list := func(nullable bool) *types.Vector {
		v, err := types.FromValues(nil, types.ListOfField(types.Field{Name: "item", Type: types.Integer, Nullable: nullable}), []any{[]any{1}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if types.Equal(list(true), list(false)) || !types.EqualWith(list(true), list(false), types.EqualOptions{IgnoreFieldNullability: true}) {
		t.Error("the flag of a vector's element")
	}
}

func TestEqualChecksMetadata(t *testing.T) {
	plain, marked := nestings(field("f", arrow.PrimitiveTypes.Int32, true)), nestings(field("f", arrow.PrimitiveTypes.Int32, true, "k", "v"))
	var pairs []pair
	for name := range plain {
		pairs = append(pairs, pair{name, plain[name], marked[name], true, false}, pair{name, marked[name], nestings(field("f", arrow.PrimitiveTypes.Int32, true, "k", "v"))[name], true, true})
	}
	checkPairs(t, types.EqualOptions{CheckMetadata: true}, pairs)
	checkPairs(t, types.EqualOptions{CheckMetadata: true, IgnoreEncoding: true}, pairs)
	checkPairs(t, types.EqualOptions{CheckMetadata: true, Layout: true}, pairs)

	table := func(schema, field arrow.Metadata) arrow.Table {
		s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32, Metadata: field}}, &schema)
		return array.NewTableFromRecords(s, []arrow.RecordBatch{array.NewRecordBatch(s, []arrow.Array{array.MakeFromData(ints(1))}, 1)})
	}
	two := arrow.NewMetadata([]string{"a", "b"}, []string{"1", "2"})
	swapped := arrow.NewMetadata([]string{"b", "a"}, []string{"2", "1"})
	for _, c := range []struct {
		a, b arrow.Table
		want bool
	}{
		{table(two, two), table(swapped, swapped), true}, {table(two, two), table(arrow.Metadata{}, two), false}, {table(two, two), table(two, arrow.Metadata{}), false},
	} {
		if !types.EqualTables(c.a, c.b, types.EqualOptions{}) || types.EqualTables(c.a, c.b, types.EqualOptions{CheckMetadata: true}) != c.want {
			t.Errorf("%v and %v: want %t", c.a.Schema(), c.b.Schema(), c.want)
		}
	}
	// Metadata that would make another SQL type of it say nothing to Equal.
	enum := func(m arrow.Metadata) arrow.Table {
		data := dict(raw[int8](0), 1, raw[uint8](1), strs(1, "x"))
		s := arrow.NewSchema([]arrow.Field{{Name: "e", Type: data.DataType(), Metadata: m}}, nil)
		return array.NewTableFromRecords(s, []arrow.RecordBatch{array.NewRecordBatch(s, []arrow.Array{array.MakeFromData(data)}, 1)})
	}
	other := arrow.NewMetadata([]string{"lacuna.type"}, []string{"ENUM('y')"})
	if !types.EqualTables(enum(other), enum(arrow.Metadata{}), types.EqualOptions{IgnoreEncoding: true}) || !types.EqualTables(enum(other), enum(other), types.EqualOptions{}) {
		t.Error("metadata count although nobody asked for them")
	}
}

func TestEqualIgnoresEncoding(t *testing.T) {
	views := node(arrow.BinaryTypes.StringView, 2, 0, 0, nil, nil, memory.NewBufferBytes(append(view(1, 'a', 0, 0), view(2, 'b'|'c'<<8, 0, 0)...)))
	strings := strs(0b11, "a", "bc")
	wideKeys := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, 2, buffers(nil, raw[int32](0, 1)), 0, 0, strings)
	narrowKeys := dict(raw[int8](1, 0), 2, nil, strs(0b11, "bc", "a"))
	element := field("item", arrow.PrimitiveTypes.Int32, true)
	list := node(arrow.ListOfField(element), 2, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](0, 1, 3))
	a := variant{3, "a", true, ints(7, 8)}
	checkPairs(t, types.EqualOptions{IgnoreEncoding: true}, []pair{
		{"utf8 and utf8_view", strings, views, false, true},
		{"keys of other widths", wideKeys, narrowKeys, false, true},
		{"dictionary and plain", narrowKeys, strings, false, true},
		{"runs and plain", ree(2, 0, ints(1, 2), strings), strings, false, true},
		{"runs of dictionary", ree(2, 0, ints(1, 2), wideKeys), views, false, true},
		{"inside a list", node(arrow.ListOf(arrow.BinaryTypes.String), 1, 0, 0, []arrow.ArrayData{strings}, nil, raw[int32](0, 2)),
			node(arrow.ListOf(narrowKeys.DataType()), 1, 0, 0, []arrow.ArrayData{narrowKeys}, nil, raw[int32](0, 2)), false, true},
		{"list and list view", list, node(arrow.ListViewOfField(element), 2, 0, 0, []arrow.ArrayData{ints(2, 3, 1)}, nil, raw[int32](2, 0), raw[int32](1, 2)), false, true},
		{"sparse and dense", sparse([]int8{3, 3}, a), dense([]int8{3, 3}, []int32{0, 1}, a), false, true},
		{"utf8 and binary", strings, node(arrow.BinaryTypes.Binary, 2, 0, 0, nil, nil, raw[int32](0, 1, 3), text("abc")), false, false},
		{"int32 and int64", ints(1), node(arrow.PrimitiveTypes.Int64, 1, 0, 0, nil, nil, raw[int64](1)), false, false},
		{"decimals", node(&arrow.Decimal128Type{Precision: 5, Scale: 1}, 1, 0, 0, nil, nil, raw[int64](77, 0)), node(&arrow.Decimal32Type{Precision: 5, Scale: 1}, 1, 0, 0, nil, nil, raw[int32](77)), false, true},
		{"dates", node(arrow.FixedWidthTypes.Date64, 1, 0, 0, nil, nil, raw[int64](86400000)), node(arrow.FixedWidthTypes.Date32, 1, 0, 0, nil, nil, raw[int32](1)), false, true},
		{"times of a date64", node(arrow.FixedWidthTypes.Date64, 1, 0, 0, nil, nil, raw[int64](1)), node(arrow.FixedWidthTypes.Date64, 1, 0, 0, nil, nil, raw[int64](2)), false, true},
		{"name of a list's element", list, node(arrow.ListOfField(field("element", element.Type, true)), 2, 0, 0, []arrow.ArrayData{ints(1, 2, 3)}, nil, raw[int32](0, 1, 3)), true, true},
		{"empty arrays", slice(strings, 0, 0), slice(views, 0, 0), false, true},
	})
}

// TestEqualTypes: columns without rows are equal when their types are, which makes each difference count alone. Under IgnoreEncoding some are no difference.
func TestEqualTypes(t *testing.T) {
	int32s, text := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	a, b := nullable("a", int32s), nullable("b", int32s)
	union := func(codes ...int8) arrow.DataType { return arrow.SparseUnionOf([]arrow.Field{a, b}, codes) }
	sorted := arrow.MapOf(text, int32s)
	sorted.KeysSorted = true
	loose := types.EqualOptions{IgnoreEncoding: true}
	for _, c := range []struct {
		name          string
		a, b          arrow.DataType
		strict, loose bool
	}{
		{"same", int32s, int32s, true, true},
		{"order of a dictionary", &arrow.DictionaryType{IndexType: int32s, ValueType: text}, &arrow.DictionaryType{IndexType: int32s, ValueType: text, Ordered: true}, false, true},
		{"sorted keys", arrow.MapOf(text, int32s), sorted, false, true},
		{"run ends", arrow.RunEndEncodedOf(int32s, text), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, text), false, true},
		{"mode of a union", union(0, 1), arrow.DenseUnionOf([]arrow.Field{a, b}, []int8{0, 1}), false, true},
		{"codes of a union", union(0, 1), union(0, 2), false, false},
		{"names of variants", union(0, 1), arrow.SparseUnionOf([]arrow.Field{b, a}, []int8{0, 1}), false, false},
		{"tag of a union with outer validity", types.NullableUnionOf(union(0, 1).(arrow.UnionType), true), types.NullableUnionOf(union(0, 1).(arrow.UnionType), false), false, false},
		{"extension and storage", types.NullableUnionOf(union(0, 1).(arrow.UnionType), true), arrow.StructOf(nullable("value", union(0, 1))), false, false},
		{"unit", &arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Millisecond}, false, false},
		{"zone", &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Madrid"}, false, false},
		{"unit of a duration", &arrow.DurationType{Unit: arrow.Second}, &arrow.DurationType{Unit: arrow.Millisecond}, false, true},
		{"precision", &arrow.Decimal128Type{Precision: 5, Scale: 1}, &arrow.Decimal128Type{Precision: 6, Scale: 1}, false, false},
		{"scale", &arrow.Decimal128Type{Precision: 5, Scale: 1}, &arrow.Decimal128Type{Precision: 5, Scale: 2}, false, false},
		{"width of bytes", &arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.FixedSizeBinaryType{ByteWidth: 4}, false, true},
		{"length of lists", arrow.FixedSizeListOf(2, int32s), arrow.FixedSizeListOf(3, int32s), false, false},
		{"number of fields", arrow.StructOf(a), arrow.StructOf(a, b), false, false},
		{"order of fields", arrow.StructOf(a, b), arrow.StructOf(b, a), false, false},
		{"name of a list's element", arrow.ListOfField(a), arrow.ListOfField(b), true, true},
		{"name of a large list's element", arrow.LargeListOfField(a), arrow.LargeListOfField(b), true, true},
		{"name of a list view's element", arrow.ListViewOfField(a), arrow.ListViewOfField(b), true, true},
		{"names of a map's parts", arrow.MapOfFields(required("k", text), a), arrow.MapOfFields(required("key", text), b), true, true},
		{"null and integers", arrow.Null, int32s, false, false},
	} {
		empty := func(dt arrow.DataType) arrow.Array { return array.MakeArrayOfNull(memory.DefaultAllocator, dt, 0) }
		if types.EqualArrays(empty(c.a), empty(c.b), types.EqualOptions{}) != c.strict || types.EqualArrays(empty(c.a), empty(c.b), loose) != c.loose {
			t.Errorf("%s: %s and %s, want %t, without encodings %t", c.name, c.a, c.b, c.strict, c.loose)
		}
	}
	// Extension types are their name, their metadata and their storage.
	extension := func(name, metadata string, storage *array.Data) arrow.Array {
		dt := &marker{arrow.ExtensionBase{Storage: storage.DataType()}, name, metadata}
		return safeArray(array.NewData(dt, storage.Len(), storage.Buffers(), nil, 0, 0))
	}
	x := extension("x", "", ints(1))
	for _, c := range []struct {
		other         arrow.Array
		strict, loose bool
	}{
		{extension("x", "", ints(1)), true, true}, {extension("x", "", ints(2)), false, false}, {extension("y", "", ints(1)), false, true},
		{extension("x", "m", ints(1)), false, true}, {extension("x", "", node(arrow.PrimitiveTypes.Uint32, 1, 0, 0, nil, nil, raw[uint32](1))), false, false},
		{safeArray(ints(1)), false, true},
	} {
		if types.EqualArrays(x, c.other, types.EqualOptions{}) != c.strict || types.EqualArrays(x, c.other, loose) != c.loose {
			t.Errorf("%s and %s: want %t, without encodings %t", x.DataType(), c.other.DataType(), c.strict, c.loose)
		}
	}
	// Without encodings, runs are as nullable as field and values both are.
	column := func(field, values bool) arrow.RecordBatch {
		dt := arrow.RunEndEncodedOf(int32s, int32s)
		dt.ValueNullable = values
		data := node(dt, 1, 0, 0, []arrow.ArrayData{ints(1), ints(7)}, nil)
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "c", Type: dt, Nullable: field}}, nil), []arrow.Array{array.MakeFromData(data)}, 1)
	}
	if types.EqualBatches(column(true, true), column(false, true), loose) || !types.EqualBatches(column(true, false), column(false, true), loose) {
		t.Error("nullability of runs without encodings")
	}
}

// marker is an extension type that is not registered.
type marker struct {
	arrow.ExtensionBase
	name, metadata string
}

func (m *marker) ArrayType() reflect.Type { return reflect.TypeFor[array.ExtensionArrayBase]() }
func (m *marker) ExtensionName() string   { return m.name }
func (m *marker) String() string          { return "extension " + m.name }
func (m *marker) Serialize() string       { return m.metadata }
func (m *marker) Deserialize(storage arrow.DataType, metadata string) (arrow.ExtensionType, error) {
	return &marker{arrow.ExtensionBase{Storage: storage}, m.name, metadata}, nil
}
func (m *marker) ExtensionEquals(arrow.ExtensionType) bool { return true }

func TestEqualDictIdentity(t *testing.T) {
	xy := strs(0b11, "x", "y")
	checkPairs(t, types.EqualOptions{DictIdentity: true}, []pair{
		{"same", dict(raw[int8](0, 1), 2, nil, xy), dict(raw[int8](0, 1), 2, nil, strs(0b11, "x", "y")), true, true},
		{"E3", dict(raw[int8](0, 1), 2, nil, xy), dict(raw[int8](1, 0), 2, nil, strs(0b11, "y", "x")), true, false},
		{"unused entry", dict(raw[int8](0, 0), 2, nil, xy), dict(raw[int8](0, 0), 2, nil, strs(0b11, "x", "z")), true, false},
		{"longer dictionary", dict(raw[int8](0, 0), 2, nil, xy), dict(raw[int8](0, 0), 2, nil, strs(0b1, "x")), true, false},
		{"duplicate entries", dict(raw[int8](0, 1), 2, nil, strs(0b11, "x", "x")), dict(raw[int8](0, 0), 2, nil, strs(0b11, "x", "x")), true, false},
		{"keys under nulls", dict(raw[int8](0, 1), 2, raw[uint8](0b01), xy), dict(raw[int8](0, 99), 2, raw[uint8](0b01), xy), true, true},
		{"null key and null entry", dict(raw[int8](0, 1), 2, raw[uint8](0b01), strs(0b01, "x", "")), dict(raw[int8](0, 1), 2, nil, strs(0b01, "x", "")), true, false},
		{"nulls without entries", dict(raw[int8](0), 1, raw[uint8](0), xy), dict(raw[int8](0), 1, raw[uint8](0), strs(0)), true, true},
		{"window", slice(dict(raw[int8](0, 1, 1), 3, nil, xy), 1, 3), slice(dict(raw[int8](1, 0, 1, 1), 4, nil, xy), 2, 4), true, true},
		{"entries at another offset", dict(raw[int8](0, 1), 2, nil, slice(strs(0b111, "q", "x", "y"), 1, 3)), dict(raw[int8](0, 1), 2, nil, xy), true, true},
		{"inside runs", ree(3, 0, ints(1, 3), dict(raw[int8](0, 1), 2, nil, xy)), ree(3, 0, ints(1, 3), dict(raw[int8](1, 0), 2, nil, strs(0b11, "y", "x"))), true, false},
	})
	a, b := array.MakeFromData(dict(raw[int8](0, 1), 2, nil, xy)), array.MakeFromData(xy)
	if !types.EqualArrays(a, b, types.EqualOptions{DictIdentity: true, IgnoreEncoding: true}) {
		t.Error("a dictionary differs from its plain rows although encodings are ignored")
	}
}

func TestEqualUnionNulls(t *testing.T) {
	none := func(code int8) *array.Data {
		return sparse([]int8{code}, variant{0, "a", true, nullableInts(0, 1)}, variant{1, "s", true, strs(0, "")})
	}
	deep := func(code int8) *array.Data {
		return sparse([]int8{code}, variant{0, "u", true, none(1)}, variant{1, "d", true, dict(raw[int8](0), 1, nil, strs(0, ""))})
	}
	value := sparse([]int8{0}, variant{0, "a", true, ints(1)}, variant{1, "s", true, strs(0, "")})
	checkPairs(t, types.EqualOptions{IgnoreUnionNullVariant: true}, []pair{
		{"E9", none(0), none(1), false, true},
		{"null and value", none(1), value, false, false},
		{"null in a union inside, and in a dictionary", deep(0), deep(1), false, true},
		{"in a list", lists(1, field("item", none(0).DataType(), true), none(0), 0, 1), lists(1, field("item", none(0).DataType(), true), none(1), 0, 1), false, true},
	})
	// With outer validity, a null row is neither.
	typ := types.UnionOfCodes([]types.Field{{Name: "a", Type: types.Integer, Nullable: true}, {Name: "s", Type: types.Varchar, Nullable: true}}, []int8{0, 1}, true)
	rows := map[string]*types.Vector{}
	for name, row := range map[string]any{"NULL": nil, "a": types.UnionValue{Tag: "a"}, "s": types.UnionValue{Tag: "s"}} {
		v, err := types.FromValues(nil, typ, []any{row})
		if err != nil {
			t.Fatal(err)
		}
		rows[name] = v
	}
	opts := types.EqualOptions{IgnoreUnionNullVariant: true}
	if !types.EqualWith(rows["a"], rows["s"], opts) || types.EqualWith(rows["a"], rows["NULL"], opts) || types.EqualWith(rows["NULL"], rows["s"], opts) {
		t.Error("an inner null equals an outer one, or not one of another variant")
	}
}

func TestEqualFloats(t *testing.T) {
	nan, negative, inf := math.NaN(), math.Copysign(0, -1), math.Inf(1)
	odd := math.Float64frombits(0x7ff8000000000007)
	halves := func(bits ...uint16) *array.Data {
		return node(arrow.FixedWidthTypes.Float16, len(bits), 0, 0, nil, nil, raw(bits...))
	}
	singles := func(values ...float32) *array.Data {
		return node(arrow.PrimitiveTypes.Float32, len(values), 0, 0, nil, nil, raw(values...))
	}
	near := []pair{
		{"within", doubles(1, -1), doubles(1.25, -1.25), false, true},
		{"beyond", doubles(1), doubles(1.26), false, false},
		{"zeros", doubles(0), doubles(negative), true, true},
		{"infinities", doubles(inf, -inf), doubles(inf, -inf), true, true},
		{"opposite infinities", doubles(inf), doubles(-inf), false, false},
		{"infinity and a number", doubles(inf), doubles(math.MaxFloat64), false, false},
		{"NaN", doubles(nan), doubles(nan), false, false},
		{"float", singles(1), singles(1.25), false, true},
		{"half", halves(0x3c00), halves(0x3d00), false, true}, // 1 and 1.25
		{"entries", dict(raw[int8](0), 1, nil, doubles(1)), dict(raw[int8](0), 1, nil, doubles(1.1)), false, true},
		{"null", node(arrow.PrimitiveTypes.Float64, 1, -1, 0, nil, raw[uint8](0), raw(1.0)), doubles(1), false, false},
		{"integers", ints(1), ints(2), false, false},
	}
	checkPairs(t, types.EqualOptions{Approx: 0.25}, near)
	checkPairs(t, types.EqualOptions{Approx: 0.25, DictIdentity: true}, near)
	checkPairs(t, types.EqualOptions{Approx: -1}, []pair{{"negative tolerance", doubles(1), doubles(1), true, true}, {"negative tolerance", doubles(1), doubles(2), false, false}})
	checkPairs(t, types.EqualOptions{NaNEqual: true, Approx: 0.25}, []pair{{"NaN", doubles(nan, 1), doubles(odd, 1.2), false, true}, {"NaN and a number", doubles(nan), doubles(1), false, false}})
	bitwise := []pair{
		{"NaN", doubles(nan), doubles(nan), false, true}, {"payload", doubles(nan), doubles(odd), false, false}, {"zeros", doubles(0), doubles(negative), true, false},
		{"half zeros", halves(0), halves(0x8000), true, false}, {"near", doubles(1), doubles(1.1), false, false},
	}
	checkPairs(t, types.EqualOptions{BitwiseFloats: true}, bitwise)
	checkPairs(t, types.EqualOptions{BitwiseFloats: true, NaNEqual: true, Approx: 1}, bitwise)
	checkPairs(t, types.EqualOptions{Layout: true, NaNEqual: true, Approx: 1}, bitwise)
}

func TestEqualTables(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("a", arrow.PrimitiveTypes.Int32, true), field("s", arrow.BinaryTypes.String, true)}, nil)
	batch := func(a, s *array.Data) arrow.RecordBatch {
		return array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(a), array.MakeFromData(s)}, int64(a.Len()))
	}
	one, two := batch(ints(1), strs(1, "x")), batch(ints(2, 3), strs(0b01, "y", ""))
	whole := batch(ints(1, 2, 3), strs(0b011, "x", "y", "hidden"))
	table := func(batches ...arrow.RecordBatch) arrow.Table { return array.NewTableFromRecords(schema, batches) }
	empty := batch(ints(), strs(0))
	identical := types.EqualOptions{Layout: true}
	if !types.EqualTables(table(one, two), table(whole), types.EqualOptions{}) || !types.EqualTables(table(empty, one, empty, two), table(one, two), types.EqualOptions{}) {
		t.Error("chunk borders count")
	}
	if types.EqualTables(table(one, two), table(whole), identical) || types.EqualTables(table(empty, one, two), table(one, two), identical) || !types.EqualTables(table(one, two), table(one, two), identical) {
		t.Error("chunk borders do not count in the layout")
	}
	if types.EqualTables(table(one, two), table(two, one), types.EqualOptions{}) || types.EqualTables(table(one), table(one, one), types.EqualOptions{}) {
		t.Error("other rows are equal")
	}
	if !types.EqualBatches(whole, whole, types.EqualOptions{}) || types.EqualBatches(one, two, types.EqualOptions{}) {
		t.Error("batches")
	}
	renamed := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("b", arrow.PrimitiveTypes.Int32, true), schema.Field(1)}, nil), one.Columns(), 1)
	narrow := array.NewRecordBatch(arrow.NewSchema(schema.Fields()[:1], nil), one.Columns()[:1], 1)
	for _, opts := range []types.EqualOptions{{}, {IgnoreEncoding: true}} {
		if types.EqualBatches(one, renamed, opts) || types.EqualBatches(one, narrow, opts) {
			t.Error("other columns are equal")
		}
	}
}

// TestEqualOfManyChunks: a dictionary that all chunks share is read once.
func TestEqualOfManyChunks(t *testing.T) {
	entries := make([]int32, 100_000)
	keys := make([]int8, 20_000)
	column := func() arrow.Array {
		dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int32}
		return array.MakeFromData(array.NewDataWithDictionary(dt, len(keys), buffers(nil, raw(keys...)), 0, 0, ints(entries...)))
	}
	whole, other := column(), column()
	var chunks []arrow.Array
	for i := range whole.Len() {
		chunks = append(chunks, array.NewSlice(whole, int64(i), int64(i+1)))
	}
	a, b := arrow.NewChunked(whole.DataType(), chunks), arrow.NewChunked(whole.DataType(), []arrow.Array{other})
	if !types.EqualChunked(a, b, types.EqualOptions{}) || !types.EqualChunked(a, b, types.EqualOptions{DictIdentity: true}) || !types.EqualChunked(a, a, types.EqualOptions{Layout: true}) {
		t.Error("not equal")
	}
}

func TestValidateChunked(t *testing.T) {
	chunked := arrow.NewChunked(arrow.PrimitiveTypes.Int32, []arrow.Array{
		array.MakeFromData(ints(1, 2, 3)), array.MakeFromData(ints()), array.MakeFromData(nullableInts(0b101, 1, 2, 3)), array.MakeFromData(nullableInts(0b1, 1, 2)),
	})
	err := types.ValidateChunked(required("c", arrow.PrimitiveTypes.Int32), chunked, types.ValidateNulls)
	if want := "null in a required field (column c, row 4) (and 1 more violations)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := types.ValidateChunked(nullable("c", arrow.PrimitiveTypes.Int32), chunked, types.ValidateStrict); err != nil {
		t.Error(err)
	}
}
