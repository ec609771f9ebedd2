package types_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// testExtension is a user's extension type under any name.
type testExtension struct {
	arrow.ExtensionBase
	name, details string
}

type testExtensionArray struct{ array.ExtensionArrayBase }

func (e *testExtension) ArrayType() reflect.Type { return reflect.TypeOf(testExtensionArray{}) }
func (e *testExtension) ExtensionName() string   { return e.name }
func (e *testExtension) Serialize() string       { return e.details }
func (e *testExtension) ExtensionEquals(o arrow.ExtensionType) bool {
	return e.name == o.ExtensionName() && arrow.TypeEqual(e.Storage, o.StorageType())
}
func (e *testExtension) Deserialize(storage arrow.DataType, details string) (arrow.ExtensionType, error) {
	return &testExtension{arrow.ExtensionBase{Storage: storage}, e.name, details}, nil
}

func extension(name string, storage arrow.DataType) *testExtension {
	return &testExtension{arrow.ExtensionBase{Storage: storage}, name, "details"}
}

// allTypes has every SQL type, nested ones with required and nullable fields.
func allTypes() []types.Type {
	field := func(name string, typ types.Type, nullable bool) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: nullable}
	}
	all := []types.Type{
		types.Null, types.Boolean, types.TinyInt, types.SmallInt, types.Integer, types.BigInt, types.UTinyInt, types.USmallInt,
		types.UInteger, types.UBigInt, types.HugeInt, types.Half, types.Float, types.Double, types.Decimal(9, 2), types.Decimal(18, 18),
		types.Decimal(38, 0), types.Decimal(76, 10), types.Varchar, types.Blob, types.Date, types.Interval, types.TimestampOffset,
		types.UUID, types.JSON, types.Bit, types.EnumOf([]string{"a", "it's, b", ""}), types.EnumOf(nil),
		types.TimestampTZOf(types.Second, "America/New_York"),
	}
	for unit := types.Second; unit <= types.Nanosecond; unit++ {
		all = append(all, types.TimeOf(unit), types.TimestampOf(unit), types.TimestampTZOf(unit, "UTC"))
	}
	for _, t := range all[1:] {
		all = append(all, types.ListOfField(field("item", t, false)), types.MapOf(types.Varchar, t))
	}
	return append(all,
		types.ArrayOfField(field("item", types.UUID, true), 3),
		types.StructOf(field("a", types.HugeInt, false), field("b", types.ListOf(types.EnumOf([]string{"x"})), true)),
		types.UnionOfCodes([]types.Field{field("a", types.Integer, true), field("b", types.UUID, false)}, []int8{7, 3}, false),
		types.UnionOfCodes([]types.Field{field("a", types.Integer, true)}, []int8{0}, true),
		types.UnionOf(field("a", types.Integer, false)),
		types.ListOf(types.UnionOf(field("a", types.Bit, true), field("n", types.Null, true))),
	)
}

func TestTypesRoundTripThroughFields(t *testing.T) {
	for _, typ := range allTypes() {
		for _, opts := range []types.ExportOptions{{}, {StringViews: true, NarrowDecimals: true, DenseUnions: true}, {Unions: types.UnionValidityStruct}} {
			for _, nullable := range []bool{false, true} {
				f := types.Field{Name: "c", Type: typ, Nullable: nullable || typ.Kind() == types.KindNull}
				if typ.Kind() == types.KindUnion && !nullable && !typ.Tagged() && typ.Fields()[0].Nullable {
					continue // a lifted union with a nullable variant can be null
				}
				back, err := types.ImportField(types.ExportField(f, opts))
				if err != nil || !back.Type.Equal(typ) || back.Nullable != f.Nullable {
					t.Errorf("%s (%+v) came back as %s, %v", f, opts, back, err)
				}
			}
		}
	}
}

// TestTypesSurviveIPC writes and reads every type, with values, through Arrow's file format.
func TestTypesSurviveIPC(t *testing.T) {
	for _, opts := range []types.ExportOptions{{}, {Unions: types.UnionValidityStruct}} {
		var schema types.Schema
		var columns []*types.Vector
		for _, typ := range allTypes() {
			schema = append(schema, types.Field{Name: "c", Type: typ, Nullable: true})
			columns = append(columns, types.NewNull(typ, 3))
		}
		rec, err := types.ExportBatch(types.NewBatch(columns, 3, 0), types.ExportSchema(schema, opts), opts)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w := ipc.NewWriter(&file, ipc.WithSchema(rec.Schema()))
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		w.Close()
		r, err := ipc.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		back, err := types.ImportSchema(r.Schema())
		if err != nil {
			t.Fatal(err)
		}
		for i := range schema {
			if !back[i].Type.Equal(schema[i].Type) {
				t.Errorf("%s came back as %s", schema[i], back[i])
			}
		}
		b, err := types.ImportBatch(r.RecordBatch(), back, types.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range b.Columns {
			if types.NullCount(nil, v) != 3 {
				t.Errorf("%s: %d nulls", schema[i], types.NullCount(nil, v))
			}
		}
	}
}

func TestNullabilityOfEncodedFields(t *testing.T) {
	ree := func(valueNullable bool) arrow.DataType {
		r := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
		r.ValueNullable = valueNullable
		return r
	}
	union := func(nullable bool) arrow.DataType {
		return arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: nullable}}, []int8{0})
	}
	for _, c := range []struct {
		dt             arrow.DataType
		declared, want bool
	}{
		{ree(true), true, true}, {ree(false), true, false}, {ree(true), false, false}, // X10
		{union(true), false, true}, {union(false), true, false}, // Z21
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, union(true)), false, true},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: ree(true)}, false, false},
		{arrow.Null, false, true},
		{extension("x", ree(false)), true, false},
	} {
		f, err := types.ImportField(arrow.Field{Name: "c", Type: c.dt, Nullable: c.declared})
		if err != nil || f.Nullable != c.want {
			t.Errorf("%s declared %t: nullable %t, %v", c.dt, c.declared, f.Nullable, err)
		}
	}
}

func TestExtensions(t *testing.T) {
	f16 := &arrow.FixedSizeBinaryType{ByteWidth: 16}
	meta := func(name string) arrow.Metadata {
		return arrow.MetadataFrom(map[string]string{"ARROW:extension:name": name, "ARROW:extension:metadata": "details"})
	}
	unknown := types.BigInt.WithExtension(types.Extension{Name: "my.money", Metadata: "details"})
	for _, c := range []struct {
		f    arrow.Field
		want types.Type
	}{
		{arrow.Field{Type: extension("arrow.uuid", f16)}, types.UUID},
		{arrow.Field{Type: f16, Metadata: meta("arrow.uuid")}, types.UUID},
		{arrow.Field{Type: arrow.BinaryTypes.LargeString, Metadata: meta("arrow.json")}, types.JSON},
		{arrow.Field{Type: extension("arrow.bool8", arrow.PrimitiveTypes.Int8)}, types.Boolean},
		{arrow.Field{Type: extension("my.money", arrow.PrimitiveTypes.Int64)}, unknown},
		{arrow.Field{Type: arrow.PrimitiveTypes.Int64, Metadata: meta("my.money")}, unknown},
		{arrow.Field{Type: arrow.PrimitiveTypes.Int64, Metadata: meta("arrow.uuid")}, types.BigInt.WithExtension(types.Extension{Name: "arrow.uuid", Metadata: "details"})},
	} {
		got, err := types.ImportField(c.f)
		if err != nil || !got.Type.Equal(c.want) || got.Type.Extension() != c.want.Extension() {
			t.Errorf("%v: %s with %v, %v", c.f, got.Type, got.Type.Extension(), err)
		}
	}
	// An extension that is not registered goes out as storage and metadata, a registered one as itself.
	out := types.ExportField(types.Field{Name: "c", Type: unknown}, types.ExportOptions{})
	if name, _ := out.Metadata.GetValue("ARROW:extension:name"); name != "my.money" || out.Type.ID() != arrow.INT64 {
		t.Errorf("exported as %v", out)
	}
	if err := arrow.RegisterExtensionType(extension("my.money", arrow.PrimitiveTypes.Int64)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = arrow.UnregisterExtensionType("my.money") }()
	v := types.NewFixed(unknown, []int64{1, 2}, nil)
	dt := types.ExportType(unknown, types.ExportOptions{})
	arr, err := types.Export(v, dt, types.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := arr.(*testExtensionArray); !ok {
		t.Errorf("exported as %T", arr)
	}
	back, err := types.Import(arr, types.ImportOptions{})
	if err != nil || !types.Equal(v, back) || back.Type().Extension().Name != "my.money" {
		t.Errorf("came back as %v, %v", back, err)
	}
}

func TestExtensionValues(t *testing.T) {
	bools, err := types.ImportData(node(extension("arrow.bool8", arrow.PrimitiveTypes.Int8), 3, 0, 0, nil, nil, raw[int8](0, 1, -7)), types.ImportOptions{})
	if err != nil || types.Text(bools, 0) != "false" || types.Text(bools, 1) != "true" || types.Text(bools, 2) != "true" {
		t.Errorf("bool8: %v", err)
	}
	uuids, err := types.ImportData(node(extension("arrow.uuid", &arrow.FixedSizeBinaryType{ByteWidth: 16}), 2, 0, 0, nil, nil, text("\x00123456789abcdef\xff123456789abcdef")), types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := types.Text(uuids, 1); got != "ff313233-3435-3637-3839-616263646566" {
		t.Errorf("uuid %s", got)
	}
	if x := types.ValuesOf[types.Int128](uuids); x[0].Hi >= x[1].Hi {
		t.Error("the order of UUIDs is not that of their bytes")
	}
	// The offsets of arrow.timestamp_with_offset may be encoded.
	instants := node(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, 3, 0, 0, nil, nil, raw[int64](0, 0, 0))
	minutes := ree(3, 0, ints(2, 3), node(arrow.PrimitiveTypes.Int16, 2, 0, 0, nil, nil, raw[int16](330, -90)))
	storage := arrow.StructOf(arrow.Field{Name: "timestamp", Type: instants.DataType()}, arrow.Field{Name: "offset_minutes", Type: minutes.DataType()})
	v, err := types.ImportData(node(extension("arrow.timestamp_with_offset", storage), 3, 0, 0, []arrow.ArrayData{instants, minutes}, nil), types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := types.Text(v, 1), types.Text(v, 2); a != "1970-01-01 05:30:00+05:30" || b != "1969-12-31 22:30:00-01:30" {
		t.Errorf("%s, %s", a, b)
	}
}

func TestEnumDictionaryIsMapped(t *testing.T) {
	typ := types.EnumOf([]string{"a", "b", "c"})
	names := func(bitmap uint8, s ...string) *array.Data { return strs(bitmap, s...) }
	for _, c := range []struct {
		name string
		data *array.Data
		want string
		kind error
	}{
		{"same order", dict(raw[int8](0, 2, 1), 3, nil, names(7, "a", "b", "c")), "acb", nil},
		{"other order, duplicates", dict(raw[int8](0, 2, 1), 3, nil, names(7, "c", "a", "c")), "cca", nil},
		{"unused stranger", dict(raw[int8](0, 0), 2, nil, names(3, "b", "x")), "bb", nil},
		{"stranger", dict(raw[int8](0, 1), 2, nil, names(3, "b", "x")), "", types.ErrCastInvalid},
		{"null entry", dict(raw[int8](1, 0), 2, nil, names(1, "b", "")), "NULLb", nil},
	} {
		v, err := types.ImportData(c.data, types.ImportOptions{Type: typ})
		if !errors.Is(err, c.kind) || (err == nil) != (c.kind == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		got := ""
		for i := range v.Len() {
			got += types.Text(v, i)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestUnsupportedTypes(t *testing.T) {
	for _, dt := range []arrow.DataType{
		&arrow.Decimal256Type{Precision: 76, Scale: -1}, &arrow.Decimal128Type{Precision: 0, Scale: 0}, &arrow.Decimal256Type{Precision: 10, Scale: 77},
	} {
		if _, err := types.ImportType(dt, arrow.Metadata{}); !errors.Is(err, types.ErrUnsupported) {
			t.Errorf("%s: error %v", dt, err)
		}
	}
	// A type that the data cannot hold is an error, not a wrong answer.
	for _, typ := range allTypes() {
		if typ.Kind() == types.KindInteger || typ.Kind() == types.KindNull {
			continue
		}
		if _, err := types.ImportData(ints(1, 2), types.ImportOptions{Type: typ}); !errors.Is(err, types.ErrUnsupported) {
			t.Errorf("int32 as %s: error %v", typ, err)
		}
		if _, err := types.Export(types.NewFixed(types.Integer, []int32{1}, nil), types.ExportType(typ, types.ExportOptions{}), types.ExportOptions{}); !errors.Is(err, types.ErrUnsupported) {
			t.Errorf("INTEGER as %s: error %v", typ, err)
		}
	}
}

func TestExportKeepsOwnedMemory(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	b := array.NewInt64Builder(alloc)
	for i := range 100 {
		b.Append(int64(i))
	}
	arr := b.NewArray()
	b.Release()
	v, err := types.Import(arr, types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// WithType forgets the source; the buffer keeps its owner.
	out, err := types.Export(v.WithType(types.Time).Slice(nil, 10, 20), arrow.FixedWidthTypes.Time64us, types.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owner := v.Data().Owner
	owner.Retain()
	arr.Release()
	again, err := types.Export(v, arrow.PrimitiveTypes.Int64, types.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := again.(*array.Int64).Value(99); got != 99 {
		t.Errorf("after the release of the source row 99 is %d", got)
	}
	again.Release()
	owner.Release()
	if alloc.CurrentAlloc() == 0 {
		t.Error("the exported array does not hold the memory that it shows")
	}
	if got := out.(*array.Time64).Value(3); got != 13 {
		t.Errorf("row 3 is %d", got)
	}
	out.Release()
	alloc.AssertSize(t, 0)
}

// TestExtensionOverUnion checks that no export changes the storage of an extension type: the outer validity goes around it, or it is an error.
func TestExtensionOverUnion(t *testing.T) {
	storage := arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "s", Type: arrow.BinaryTypes.String}}, []arrow.UnionTypeCode{0, 1})
	marked := arrow.Field{Name: "u", Type: extension("my.union", storage)}
	f, err := types.ImportField(marked)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := types.FromValues(nil, f.Type, []any{types.UnionValue{Tag: "a", Value: int32(1)}, nil})
	if err != nil {
		t.Fatal(err)
	}
	f.Nullable = true
	out := types.ExportField(f, types.ExportOptions{})
	if ext, ok := out.Type.(arrow.ExtensionType); !ok || ext.ExtensionName() != types.NullableUnionName {
		t.Errorf("exported as %s", out)
	}
	for policy, want := range map[types.UnionPolicy]error{
		types.UnionDefault: nil, types.UnionValidityStruct: nil, types.UnionNullVariant: types.ErrExtensionStorage, types.UnionWidenAll: types.ErrExtensionStorage,
		types.UnionVariant: types.ErrExtensionStorage, types.UnionKeep: types.ErrExtensionStorage, types.UnionForbid: types.ErrNoNullHost, types.UnionInPlace: types.ErrNoNullHost,
	} {
		opts := types.ExportOptions{Unions: policy}
		a, err := types.Export(rows, types.ExportField(f, opts).Type, opts)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", policy, err, want)
		}
		if err == nil {
			a.Release()
		}
	}
	// Around the extension type, the mark is read back.
	around := types.NullableUnionOf(marked.Type, false)
	a, err := types.Export(rows, around, types.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	back, err := types.ImportField(arrow.Field{Name: "u", Type: around, Nullable: true})
	if err != nil || back.Type.Extension().Name != "my.union" {
		t.Errorf("read back as %s with %v (%v)", back, back.Type.Extension(), err)
	}
	v, err := types.Import(a, types.ImportOptions{})
	if err != nil || !types.Equal(v, rows) {
		t.Errorf("read back other rows (%v)", err)
	}
	// A required column keeps its extension.
	f.Nullable = false
	if name, _ := types.ExportField(f, types.ExportOptions{}).Metadata.GetValue("ARROW:extension:name"); name != "my.union" {
		t.Error("a required union loses its extension")
	}
}
