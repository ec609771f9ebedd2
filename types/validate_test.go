package types_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
)

func required(name string, dt arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: dt} }
func nullable(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: true}
}

// structs makes a struct array with a bitmap from its children.
func structs(bitmap uint8, fields []arrow.Field, children ...arrow.ArrayData) *array.Data {
	return node(arrow.StructOf(fields...), children[0].Len(), -1, 0, children, raw(bitmap))
}

// lists makes a list array with a bitmap.
func lists(bitmap uint8, element arrow.Field, child arrow.ArrayData, offsets ...int32) *array.Data {
	return node(arrow.ListOfField(element), len(offsets)-1, -1, 0, []arrow.ArrayData{child}, raw(bitmap), raw(offsets...))
}

func TestValidateFindsBadLayouts(t *testing.T) {
	for _, c := range badLayouts() {
		for _, level := range []types.ValidateLevel{types.ValidateContents, types.ValidateNulls, types.ValidateStrict} {
			if err := types.Validate(nullable("c", c.data.DataType()), c.data, level); !errors.Is(err, c.kind) {
				t.Errorf("%s at level %v: %v, want %v", c.name, level, err, c.kind)
			}
		}
		if err := types.Validate(nullable("c", c.data.DataType()), c.data, types.ValidateLayout); err != nil && !errors.Is(err, types.ErrInvalidLayout) {
			t.Errorf("%s at level 0: %v", c.name, err)
		}
	}
}

// TestValidateLevels has, for each array, the level that finds its fault: the ones below accept it.
func TestValidateLevels(t *testing.T) {
	const never = types.ValidateStrict + 1
	int32s := arrow.PrimitiveTypes.Int32
	x := []arrow.Field{required("x", int32s)}
	element := required("item", int32s)
	one := nullableInts(0b0, 1)
	reeType := func(nullableValues bool) arrow.DataType {
		dt := arrow.RunEndEncodedOf(int32s, int32s)
		dt.ValueNullable = nullableValues
		return dt
	}
	runs := func(nullableValues bool, n, offset int, ends, values *array.Data) *array.Data {
		return node(reeType(nullableValues), n, 0, offset, []arrow.ArrayData{ends, values}, nil)
	}
	nullKey := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: int32s}, 2,
		buffers(raw[uint8](0b01), raw[int8](0, 100)), 1, 0, ints(7))
	cases := []struct {
		name  string
		field arrow.Field
		data  arrow.ArrayData
		level types.ValidateLevel
		kind  error
		path  string
		row   int64
		count int64
	}{
		{"required null", required("c", int32s), nullableInts(0b101, 1, 2, 3), types.ValidateNulls, types.ErrNullInRequired, "c", 1, 1},
		{"required nulls", required("c", int32s), nullableInts(0b001, 1, 2, 3), types.ValidateNulls, types.ErrNullInRequired, "c", 1, 2},
		{"nullable null", nullable("c", int32s), nullableInts(0b101, 1, 2, 3), never, nil, "", 0, 0},
		{"V2", nullable("s", arrow.StructOf(x...)), structs(0b0, x, one), types.ValidateStrict, types.ErrNullInRequired, "s.x", 0, 1},
		{"field of a struct row", nullable("s", arrow.StructOf(x...)), structs(0b11, x, nullableInts(0b01, 1, 2)), types.ValidateNulls, types.ErrNullInRequired, "s.x", 1, 1},
		{"V3", nullable("l", arrow.ListOfField(element)), lists(0b10, element, nullableInts(0b10, 1, 2), 0, 1, 2), types.ValidateStrict, types.ErrNullInRequired, "l[]", 0, 1},
		{"element of a list row", nullable("l", arrow.ListOfField(element)), lists(0b111, element, nullableInts(0b011, 1, 2, 3), 0, 2, 2, 3), types.ValidateNulls, types.ErrNullInRequired, "l[]", 2, 1},
		{"V4", required("r", reeType(true)), runs(true, 4, 0, ints(2, 4), nullableInts(0b01, 1, 2)), types.ValidateNulls, types.ErrNullInRequired, "r", 2, 2},
		{"required run values", nullable("r", reeType(false)), runs(false, 4, 0, ints(2, 4), nullableInts(0b01, 1, 2)), types.ValidateNulls, types.ErrNullInRequired, "r", 2, 2},
		{"V7 run ends equal", nullable("r", reeType(true)), runs(true, 3, 0, ints(2, 2, 3), ints(1, 2, 3)), types.ValidateContents, types.ErrInvalidLayout, "r", -1, 0},
		{"V7 run ends too small", nullable("r", reeType(true)), runs(true, 3, 1, ints(2, 3), ints(1, 2)), types.ValidateLayout, types.ErrInvalidLayout, "r", -1, 0},
		{"V7 run ends null", nullable("r", reeType(true)), runs(true, 1, 0, nullableInts(0b0, 1), ints(1)), types.ValidateLayout, types.ErrInvalidLayout, "r", -1, 0},
		{"V8 offset", nullable("u", dense([]int8{0}, []int32{1}, variant{0, "a", true, ints(1)}).DataType()),
			dense([]int8{0}, []int32{1}, variant{0, "a", true, ints(1)}), types.ValidateContents, types.ErrInvalidLayout, "u", 0, 0},
		{"V8 order", nullable("u", dense([]int8{0}, []int32{1}, variant{0, "a", true, ints(1)}).DataType()),
			dense([]int8{0, 0}, []int32{1, 0}, variant{0, "a", true, ints(1, 2)}), types.ValidateStrict, types.ErrInvalidLayout, "u", 1, 0},
		{"V9", nullable("u", sparse([]int8{7}, variant{0, "a", true, ints(1)}).DataType()),
			sparse([]int8{7}, variant{0, "a", true, ints(1)}), types.ValidateContents, types.ErrUnknownTypeCode, "u", 0, 0},
		{"variant that holds null", nullable("u", sparse([]int8{0}, variant{0, "a", false, one}).DataType()),
			sparse([]int8{0}, variant{0, "a", false, one}), types.ValidateNulls, types.ErrNullInRequired, "u.a", 0, 1},
		{"unselected variant that holds null", nullable("u", sparse([]int8{1}, variant{0, "a", false, one}, variant{1, "b", true, ints(1)}).DataType()),
			sparse([]int8{1}, variant{0, "a", false, one}, variant{1, "b", true, ints(1)}), types.ValidateStrict, types.ErrNullInRequired, "u.a", 0, 1},
		{"nullable variant in a required union", required("u", sparse([]int8{0}, variant{0, "a", true, ints(1)}).DataType()),
			sparse([]int8{0}, variant{0, "a", true, ints(1)}), types.ValidateStrict, types.ErrInvalidLayout, "u", -1, 0},
		{"N29", nullable("u", sparse([]int8{5}, variant{5, "a", true, ints(1)}).DataType()),
			node(sparse([]int8{5}, variant{5, "a", true, ints(1)}).DataType(), 1, -1, 0, []arrow.ArrayData{ints(1)}, raw[uint8](1), raw[int8](5)),
			types.ValidateLayout, types.ErrInvalidLayout, "u", -1, 0},
		{"V10", nullable("c", int32s), node(int32s, 1, 0, 0, nil, raw[uint8](0), raw[int32](1)), types.ValidateContents, types.ErrInvalidLayout, "c", -1, 0},
		{"V11 one row", required("n", arrow.Null), node(arrow.Null, 1, 1, 0, nil, nil), types.ValidateNulls, types.ErrNullInRequired, "n", 0, 1},
		{"V11 no row", required("n", arrow.Null), node(arrow.Null, 0, 0, 0, nil, nil), never, nil, "", 0, 0},
		{"V12 valid", nullable("d", nullKey.DataType()), dict(raw[int8](0, 100), 2, nil, ints(7)), types.ValidateContents, types.ErrInvalidLayout, "d", 1, 0},
		{"V12 null", nullable("d", nullKey.DataType()), nullKey, never, nil, "", 0, 0},
		{"null entry in use", required("d", nullKey.DataType()), dict(raw[int8](0, 1), 2, nil, nullableInts(0b01, 7, 8)), types.ValidateNulls, types.ErrNullInRequired, "d", 1, 1},
		{"null entry not in use", required("d", nullKey.DataType()), dict(raw[int8](0, 0), 2, nil, nullableInts(0b01, 7, 8)), types.ValidateStrict, types.ErrNullInRequired, "d", -1, 0},
		{"V13", required("r", reeType(false)), runs(false, 2, 1, ints(1, 3), nullableInts(0b10, 1, 2)), never, nil, "", 0, 0},
	}
	for _, c := range cases {
		for level := types.ValidateLayout; level <= types.ValidateStrict; level++ {
			err := types.Validate(c.field, c.data, level)
			if level < c.level {
				if err != nil {
					t.Errorf("%s at level %v: %v", c.name, level, err)
				}
				continue
			}
			var found types.Violations
			if !errors.As(err, &found) || !errors.Is(err, c.kind) {
				t.Errorf("%s at level %v: %v, want %v", c.name, level, err, c.kind)
				continue
			}
			if e := found[0]; e.Path != c.path || e.Row != c.row || e.Count != c.count {
				t.Errorf("%s at level %v: path %q row %d count %d, want %q %d %d", c.name, level, e.Path, e.Row, e.Count, c.path, c.row, c.count)
			}
		}
	}
}

func TestValidateCollects(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{required("a", arrow.PrimitiveTypes.Int32), nullable("b", arrow.PrimitiveTypes.Int32), required("c", arrow.PrimitiveTypes.Int32)}, nil)
	batch := func(a, c uint8) arrow.RecordBatch {
		columns := []arrow.Array{array.MakeFromData(nullableInts(a, 1, 2)), array.MakeFromData(nullableInts(0, 1, 2)), array.MakeFromData(nullableInts(c, 1, 2))}
		return array.NewRecordBatch(schema, columns, 2)
	}
	first, second := batch(0b11, 0b01), batch(0b00, 0b11)
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{first, second})
	reader, err := array.NewRecordReader(schema, []arrow.RecordBatch{first, second})
	if err != nil {
		t.Fatal(err)
	}
	if err := types.ValidateBatch(first, types.ValidateContents); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"batch":  {types.ValidateBatch(first, types.ValidateNulls), "null in a required field (column c, row 1)"},
		"table":  {types.ValidateTable(table, types.ValidateNulls), "null in a required field (column a, row 2) and in 2 rows altogether (and 1 more violations)"},
		"reader": {types.ValidateReader(reader, types.ValidateNulls), "null in a required field (column c, row 1) (and 1 more violations)"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
}

func violations(err error) int {
	var found types.Violations
	errors.As(err, &found)
	return len(found)
}

// TestSanitize makes random arrays, whose hidden slots are garbage, fit for strict readers without changing a row. What Validate accepts at each
// level must hold for them: they are right but for what is hidden.
func TestSanitize(t *testing.T) {
	eachRandomArray(t, 1500, func(t *testing.T, _ *rand.Rand, arr arrow.Array) {
		field := nullable("c", arr.DataType())
		if err := types.Validate(field, arr.Data(), types.ValidateNulls); err != nil {
			t.Errorf("validate: %v", err)
			return
		}
		schema := arrow.NewSchema([]arrow.Field{field}, nil)
		batch := array.NewRecordBatch(schema, []arrow.Array{arr}, int64(arr.Len()))
		defer batch.Release()
		clean, err := types.SanitizeBatch(batch)
		if err != nil {
			t.Errorf("sanitize: %v", err)
			return
		}
		defer clean.Release()
		// What no data can cure: the flags of unions.
		empty := array.NewSlice(arr, 0, 0)
		defer empty.Release()
		incurable := violations(types.Validate(field, empty.Data(), types.ValidateStrict))
		if err := types.ValidateBatch(clean, types.ValidateStrict); violations(err) != incurable {
			t.Errorf("strict after sanitize: %v", err)
		}
		dirty := violations(types.Validate(field, arr.Data(), types.ValidateStrict)) != incurable
		if !dirty && clean.Column(0) != batch.Column(0) {
			t.Error("a clean column was copied")
		}
		options := types.ImportOptions{Unions: types.UnionTagged}
		before, err1 := types.Import(arr, options)
		after, err2 := types.Import(clean.Column(0), options)
		if err1 != nil || err2 != nil || !types.EqualWith(before, after, types.EqualOptions{NaNEqual: true}) {
			t.Errorf("rows changed (%v, %v)", err1, err2)
		}
	})
}

func TestSanitizeCases(t *testing.T) {
	x := []arrow.Field{required("x", arrow.PrimitiveTypes.Int32)}
	hidden := structs(0b10, x, nullableInts(0b10, 1, 2))
	schema := arrow.NewSchema([]arrow.Field{nullable("s", hidden.DataType())}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(hidden)}, 2)
	clean, err := types.SanitizeBatch(batch)
	if err != nil {
		t.Fatal(err)
	}
	if child := clean.Column(0).(*array.Struct).Field(0); child.NullN() != 0 || child.Data().Buffers()[1] == nil ||
		&child.Data().Buffers()[1].Bytes()[0] != &hidden.Children()[0].Buffers()[1].Bytes()[0] {
		t.Error("V2: the values of an integer child are not shared, or its nulls not gone")
	}
	shown := structs(0b11, x, nullableInts(0b10, 1, 2))
	batch = array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(shown)}, 2)
	if _, err := types.SanitizeBatch(batch); !errors.Is(err, types.ErrNullInRequired) || !strings.Contains(err.Error(), "s.x") {
		t.Errorf("a visible null: %v", err)
	}
}
