package arrays

import (
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

func casted(id string, values Column, to arrow.Field, o Options, want outcome) testCase {
	return testCase{id, func() (Column, error) { return Cast(values, to, o) }, want}
}

// field gives a field without a name.
func field(dt arrow.DataType, null bool) arrow.Field {
	if runs, ok := dt.(*arrow.RunEndEncodedType); ok {
		dt = withRuns(runs, runs.RunEnds(), runs.Encoded(), null)
	}
	return arrow.Field{Type: dt, Nullable: null}
}

func doubles(values ...float64) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

// TestCast has the cases of null-semantics 3.5, by their ids, but for those of functions and of modes that package arrays does not have: C17, C18 (functions of
// SQL), C27, C40 (import and union_value), C36 and C42 (TryBubble, Wrap).
func TestCast(t *testing.T) {
	try := Options{Mode: CastTry}
	list := func(element arrow.DataType, null bool) arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "item", Type: element, Nullable: null})
	}
	structOf := func(fields ...arrow.Field) arrow.DataType { return arrow.StructOf(fields...) }
	x := func(dt arrow.DataType, null bool) arrow.Field {
		return arrow.Field{Name: "x", Type: dt, Nullable: null}
	}
	y := arrow.Field{Name: "y", Type: i32, Nullable: true}
	xs := func(values string) Column { return structs("", map[string]arrow.Array{"x": flat(i32, values)}, "x") }
	withNull := sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "n", flat(arrow.Null, "[null, null]")})
	nullType := column(arrow.Null, "[null, null]")
	dictType := &arrow.DictionaryType{IndexType: i8, ValueType: utf8}
	aOrS := func(codes []int8, a, s string) Column {
		return sparse(codes, variant{0, "a", flat(i32, a)}, variant{1, "s", flat(utf8, s)})
	}
	var many, manyKeys string
	for i := range 200 {
		many += `,"v` + itoa(i) + `"`
		manyKeys += "," + itoa(i)
	}
	many, manyKeys = "["+many[1:]+"]", "["+manyKeys[1:]+"]"
	payload := math.Float64frombits(0x7ff8000000000001)
	runCases(t, []testCase{
		casted("C2", Of(bits(flat(i32, "[1, 300]"), "10")), field(i8, true), Options{}, gives(column(i8, "[1, null]"))),
		casted("C3", ints("[300]"), field(i8, false), try, fails(types.ErrNullInRequired, 0)),
		casted("C4", nullable(ints("[1, 2]")), field(i32, false), Options{}, gives(ints("[1, 2]"))),
		casted("C5", ints("[1, null]"), field(i32, false), Options{}, fails(types.ErrNullInRequired, 1)),
		casted("C5 try", ints("[1, null]"), field(i32, false), try, fails(types.ErrNullInRequired, 1)),
		casted("C6", column(list(i32, true), "[[null]]").Required(), field(list(i32, false), false), Options{}, fails(types.ErrNullInRequired, 0)),
		casted("C8", xs("[1]"), field(structOf(x(i32, false)), false), Options{}, gives(structs("", map[string]arrow.Array{"x!": flat(i32, "[1]")}, "x!"))),
		casted("C8 null", xs("[null]"), field(structOf(x(i32, false)), false), Options{}, fails(types.ErrNullInRequired, 0)),
		casted("C9", structs("0", map[string]arrow.Array{"x": flat(i32, "[null]")}, "x"), field(structOf(x(i32, false)), true), Options{},
			gives(structs("0", map[string]arrow.Array{"x!": flat(i32, "[0]")}, "x!"))),
		casted("C10", xs("[1]"), field(structOf(x(i32, true), y), false), Options{}, gives(structs("", map[string]arrow.Array{"x": flat(i32, "[1]"), "y": flat(i32, "[null]")}, "x", "y"))),
		casted("C11", slice(structs("", map[string]arrow.Array{"x": flat(i32, "[0, 1, 2, 3, 4, 5]")}, "x"), 2, 3), field(structOf(x(i64, true)), false), Options{},
			gives(structs("", map[string]arrow.Array{"x": flat(i64, "[2]")}, "x"))),
		casted("C12", nullType, field(i32, true), Options{}, gives(ints("[null, null]"))),
		casted("C12 required", nullType, field(i32, false), Options{}, fails(types.ErrNullInRequired, 0)),
		casted("C12 empty", column(arrow.Null, "[]"), field(i32, false), Options{}, gives(ints("[]"))),
		casted("C13 union", nullType, field(withNull.Field.Type, true), Options{},
			gives(sparse([]int8{1, 1}, variant{0, "a!", flat(i32, "[0, 0]")}, variant{1, "n", flat(arrow.Null, "[null, null]")}))),
		casted("C13 runs", nullType, field(arrow.RunEndEncodedOf(i32, i32), true), Options{}, gives(runs("[2]", flat(i32, "[null]")))),
		casted("C13 dictionary", nullType, field(dictType, true), Options{}, gives(dict("[null, null]", flat(utf8, `["x"]`)))),
		casted("C14", sparse([]int8{0, 1, 0}, variant{0, "a", flat(i32, "[1, 0, null]")}, variant{1, "b!", flat(i16, "[0, 2, 0]")}), field(i64, true), Options{}, gives(column(i64, "[1, 2, null]"))),
		casted("C15", aOrS([]int8{1}, "[0]", `["7"]`), field(i64, true), Options{}, gives(nullable(column(i64, "[7]")))),
		casted("C15 strict", aOrS([]int8{1}, "[0]", `["x"]`), field(i64, true), Options{}, fails(types.ErrCastInvalid, 0)),
		casted("C15 try", aOrS([]int8{1}, "[0]", `["x"]`), field(i64, true), try, gives(column(i64, "[null]"))),
		casted("C20", ints("[1, null]"), field(withNull.Field.Type, true), Options{}, gives(sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "n", flat(arrow.Null, "[null, null]")}))),
		casted("C21", ints("[null]"), super(sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")}), "0").Field, Options{}, gives(super(sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")}), "0"))),
		casted("C26", sparse([]int8{0, 1, 0}, variant{0, "a", flat(i32, "[1, 0, null]")}, variant{1, "s", flat(utf8, `["", null, ""]`)}),
			dense([]int8{}, []int32{}, variant{0, "a", flat(i32, "[]")}, variant{1, "s", flat(utf8, "[]")}).Field, Options{},
			gives(dense([]int8{0, 1, 0}, []int32{0, 0, 1}, variant{0, "a", flat(i32, "[1, null]")}, variant{1, "s", flat(utf8, "[null]")}))),
		casted("C28", slice(runs("[2, 4, 5]", flat(utf8, `["a", null, "b"]`)), 1, 4), field(utf8, true), Options{}, gives(texts(`["a", null, null]`))),
		casted("C29", Of(doubles(payload, payload, 0, math.Copysign(0, -1))).Required(), field(arrow.RunEndEncodedOf(i32, f64), false), Options{},
			gives(runs("[2, 3, 4]", doubles(payload, 0, math.Copysign(0, -1))))),
		casted("C30", dict("[0, 1, null]", flat(utf8, `["x", null]`)), field(utf8, true), Options{}, gives(texts(`["x", null, null]`))),
		casted("C32", dict("[1]", flat(utf8, `["1", "x"]`)), field(i8, true), Options{}, fails(types.ErrCastInvalid, 0)),
		casted("C32 try", dict("[1]", flat(utf8, `["1", "x"]`)), field(i8, true), try, gives(column(i8, "[null]"))),
		casted("C33", texts(`["a", null, "a"]`), field(dictType, true), Options{}, gives(dict("[0, null, 0]", flat(utf8, `["a"]`)))),
		casted("C34", texts(many), field(dictType, false), Options{}, fails(types.ErrDictKeyOverflow, -1)),
		casted("C34 try", texts(many), field(dictType, false), try, fails(types.ErrDictKeyOverflow, -1)),
		casted("C34 widened", texts(many), field(dictType, false), Options{WidenKeys: true}, gives(dictOf(i16, manyKeys, flat(utf8, many)))),
		casted("C35", slice(runs("[1, 3]", flat(utf8, `[null, "a"]`)), 1, 3), field(arrow.RunEndEncodedOf(i32, utf8), false), Options{}, gives(runs("[2]", flat(utf8, `["a"]`)))),
		casted("C36", column(list(utf8, true), `[["1", "x"]]`), field(list(i8, true), true), try, gives(column(list(i8, true), "[[1, null]]"))),
		casted("C36 required", column(list(utf8, true), `[["1", "x"]]`), field(list(i8, false), true), try, fails(types.ErrNullInRequired, -1)),
		casted("C37", column(f64, `["NaN"]`), field(i32, true), Options{}, fails(types.ErrCastInvalid, 0)),
		casted("C37 try", column(f64, `["NaN"]`), field(i32, true), try, gives(ints("[null]"))),
		casted("C39", nullable(runs("[2, 3, 4]", aOrS([]int8{0, 0, 1}, "[1, null, 0]", `["", "", "x"]`).Array)), field(utf8, true), Options{}, gives(texts(`["1", "1", null, "x"]`))),
		casted("C41 scale", column(&arrow.Decimal128Type{Precision: 3, Scale: 2}, `["1.25", "-1.25"]`), field(&arrow.Decimal128Type{Precision: 3, Scale: 1}, false), Options{},
			gives(column(&arrow.Decimal128Type{Precision: 3, Scale: 1}, `["1.3", "-1.3"]`))),
		casted("C41 decimal", column(&arrow.Decimal128Type{Precision: 2, Scale: 1}, `["2.5"]`), field(i32, false), Options{}, gives(ints("[3]"))),
		casted("C41 float", column(f64, "[2.5]"), field(i32, false), Options{}, gives(ints("[2]"))),
		casted("C43", super(sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[1, null]")}), "11"), field(i64, true), Options{}, gives(column(i64, "[1, null]"))),
		casted("C45", sparse([]int8{0, 0, 0}, variant{0, "a", flat(i32, "[null, null, 1]")}), field(arrow.RunEndEncodedOf(i32, sparse([]int8{0}, variant{0, "a", flat(i32, "[1]")}).Field.Type), true), Options{},
			gives(nullable(runs("[2, 3]", sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[null, 1]")}).Array)))),
		casted("C45 tags", aOrS([]int8{0, 1}, "[null, 0]", `["", null]`), field(arrow.RunEndEncodedOf(i32, aOrS([]int8{0}, "[0]", `[""]`).Field.Type), true), Options{},
			gives(nullable(runs("[1, 2]", aOrS([]int8{0, 1}, "[null, 0]", `["", null]`).Array)))),
	})
	for id, c := range map[string]struct {
		from Column
		to   arrow.DataType
	}{
		"C10 required": {xs("[1]"), structOf(x(i32, true), arrow.Field{Name: "y", Type: i32})}, "C10 nothing in common": {xs("[1]"), structOf(y)},
		"C22":        {texts(`["x"]`), arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: utf8}, {Name: "b", Type: utf8}}, []arrow.UnionTypeCode{0, 1})},
		"C22 double": {column(f64, "[1]"), aOrS([]int8{0}, "[0]", `[""]`).Field.Type},
	} {
		if _, err := Cast(c.from, field(c.to, true), try); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
}
