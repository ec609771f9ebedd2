package arrays

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

func taken(id string, values, indices Column, o Options, want outcome) testCase {
	return testCase{id, func() (Column, error) { return Take(values, indices, o) }, want}
}

// bits makes an array with a validity of its own over values that JSON gives without nulls, so that something lies under the nulls.
func bits(a arrow.Array, valid string) arrow.Array {
	c := structs(valid, map[string]arrow.Array{"x": a}, "x")
	d := array.NewData(a.DataType(), a.Len(), append([]*memory.Buffer{c.Array.Data().Buffers()[0]}, a.Data().Buffers()[1:]...), a.Data().Children(), strings.Count(valid, "0"), 0)
	if dictionary, ok := a.(*array.Dictionary); ok {
		d.SetDictionary(dictionary.Dictionary().Data())
	}
	return array.MakeFromData(d)
}

// TestTake has the cases of null-semantics 3.3, by their ids.
func TestTake(t *testing.T) {
	xy := flat(utf8, `["x", "y"]`)
	listOf := func(element arrow.DataType, required bool, values string) Column {
		return column(arrow.ListOfField(arrow.Field{Name: "item", Type: element, Nullable: !required}), values)
	}
	fixed := arrow.FixedSizeListOfField(2, arrow.Field{Name: "item", Type: i32})
	u := sparse([]int8{5, 9, 5}, variant{5, "a", flat(i32, "[1, 0, null]")}, variant{9, "s", flat(utf8, `["", "x", ""]`)})
	required := sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s!", flat(utf8, `["", "x"]`)})
	nested := sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")})
	runCases(t, []testCase{
		taken("T1", ints("[10, 20, 30]"), ints("[2, null, 0]"), Options{}, gives(ints("[30, null, 10]"))),
		taken("T2", ints("[10, 20, 30]"), Of(bits(flat(i32, "[0, 99, -1]"), "100")), Options{}, gives(ints("[10, null, null]"))),
		taken("T6", structs("", map[string]arrow.Array{"x!": flat(i32, "[1, 2]")}, "x!"), ints("[1, null]"), Options{},
			gives(structs("10", map[string]arrow.Array{"x!": flat(i32, "[2, 0]")}, "x!"))),
		taken("T7", listOf(i32, false, "[[1, 2], null, [3]]"), ints("[2, 1, null, 0]"), Options{}, gives(listOf(i32, false, "[[3], null, null, [1, 2]]"))),
		taken("T8", column(arrow.ListViewOf(i32), "[[1], [2, 3]]"), ints("[1, null]"), Options{}, gives(column(arrow.ListViewOf(i32), "[[2, 3], null]"))),
		taken("T9", column(fixed, "[[1, 2], [3, 4]]"), ints("[1, null]"), Options{}, gives(column(fixed, "[[3, 4], null]"))),
		taken("T10", column(arrow.MapOf(utf8, i32), `[[{"key": "a", "value": 1}], []]`), ints("[null, 0]"), Options{}, gives(column(arrow.MapOf(utf8, i32), `[null, [{"key": "a", "value": 1}]]`))),
		taken("T11", column(view, `["longer than twelve bytes", "short"]`), ints("[1, null, 0]"), Options{}, gives(column(view, `["short", null, "longer than twelve bytes"]`))),
		taken("T12", dict("[0, 1, null]", flat(utf8, `["x", null]`)), ints("[1, null, 0]"), Options{}, gives(dict("[1, null, 0]", flat(utf8, `["x", null]`)))),
		taken("T13", runs("[2, 4]", flat(i32, "[10, 20]")), ints("[0, null, 3]"), Options{}, gives(runs("[1, 2, 3]", flat(i32, "[10, null, 20]")))),
		taken("T16", runsOf(i16, "[5]", flat(i32, "[7]"), false), repeat(ints("[0]"), 40000), Options{}, gives(runs("[40000]", flat(i32, "[7]")))),
		taken("T16 kept", runsOf(i16, "[5]", flat(i32, "[7]"), false), repeat(ints("[0]"), 40000), Options{KeepRunEnds: true}, fails(types.ErrRunEndOverflow, -1)),
		taken("T17", runs("[2]", flat(i32, "[10]")), ints("[null, null, null]"), Options{}, gives(runs("[3]", flat(i32, "[null]")))),
		taken("T18", u, ints("[1, null, 0]"), Options{}, gives(sparse([]int8{9, 5, 5}, variant{5, "a", flat(i32, "[0, null, 1]")}, variant{9, "s", flat(utf8, `["x", "", ""]`)}))),
		taken("T19", sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}), ints("[0, null]"), Options{},
			gives(sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", null]`)}))),
		taken("T20", sparse([]int8{1}, variant{0, "a", flat(i32, "[1]")}, variant{1, "s", flat(utf8, "[null]")}), ints("[0]"), Options{},
			gives(sparse([]int8{1}, variant{0, "a", flat(i32, "[1]")}, variant{1, "s", flat(utf8, "[null]")}))),
		taken("T21", dense([]int8{5, 9, 5}, []int32{0, 0, 1}, variant{5, "a", flat(i32, "[1, 2]")}, variant{9, "s", flat(utf8, `["x"]`)}), ints("[2, null, null, 1]"), Options{},
			gives(dense([]int8{5, 5, 5, 9}, []int32{0, 1, 1, 0}, variant{5, "a", flat(i32, "[2, null]")}, variant{9, "s", flat(utf8, `["x"]`)}))),
		taken("T23", dense([]int8{0}, []int32{0}, variant{0, "a!", flat(i32, "[7]")}, variant{1, "s!", flat(utf8, "[]")}), ints("[0, null]"), Options{Unions: UnionAddNullVariant},
			gives(dense([]int8{0, 2}, []int32{0, 0}, variant{0, "a!", flat(i32, "[7]")}, variant{1, "s!", flat(utf8, "[]")}, variant{2, "__null", flat(arrow.Null, "[null]")}))),
		taken("T24", slice(dense([]int8{5, 9, 5, 9, 5}, []int32{0, 0, 1, 1, 2}, variant{5, "a", flat(i32, "[1, null, 4]")}, variant{9, "s", flat(utf8, `["x", null]`)}), 1, 4), ints("[0, 2, null]"), Options{},
			gives(dense([]int8{9, 9, 5}, []int32{0, 1, 0}, variant{5, "a", flat(i32, "[null]")}, variant{9, "s", flat(utf8, `["x", null]`)}))),
		taken("T25", super(required, "11"), ints("[1, null]"), Options{}, gives(super(sparse([]int8{1, 0}, variant{0, "a!", flat(i32, "[0, 0]")}, variant{1, "s!", flat(utf8, `["x", ""]`)}), "10"))),
		taken("T26", slice(super(required, "10"), 0, 0), ints("[null, null]"), Options{}, gives(super(required, "00"))),
		taken("T27", super(sparse([]int8{1, 0}, variant{0, "a", flat(i32, "[0, 1]")}, variant{1, "s", flat(utf8, `["", ""]`)}), "01"), ints("[0]"), Options{},
			gives(super(sparse([]int8{1}, variant{0, "a", flat(i32, "[0]")}, variant{1, "s", flat(utf8, `[""]`)}), "0"))),
		taken("T29", structs("", map[string]arrow.Array{"u": nested.Array}, "u"), ints("[0, null]"), Options{},
			gives(structs("10", map[string]arrow.Array{"u": sparse([]int8{0, 0}, variant{0, "a!", flat(i32, "[1, 1]")}).Array}, "u"))),
		taken("T30", nullable(runs("[1]", sparse([]int8{0}, variant{0, "a", flat(i32, "[3]")}, variant{1, "n", flat(arrow.Null, "[null]")}).Array)), ints("[null]"), Options{},
			gives(nullable(runs("[1]", sparse([]int8{1}, variant{0, "a", flat(i32, "[3]")}, variant{1, "n", flat(arrow.Null, "[null]")}).Array)))),
		taken("T31", ints("[1]"), column(arrow.PrimitiveTypes.Uint64, "[9223372036854775808]"), Options{}, fails(types.ErrIndexOutOfBounds, 0)),
		taken("T32 dictionary", ints("[10, 20]"), dict("[1, 0, 1]", flat(i32, "[0, 1]")), Options{}, gives(ints("[20, 10, 20]"))),
		taken("T32 runs", ints("[10, 20]"), runs("[2, 3]", flat(i32, "[1, 0]")), Options{}, gives(ints("[20, 20, 10]"))),
		taken("T33", column(arrow.Null, "[null, null]"), ints("[0, null, 1]"), Options{}, gives(column(arrow.Null, "[null, null, null]"))),
		taken("T33 out", column(arrow.Null, "[null, null]"), ints("[2]"), Options{}, fails(types.ErrIndexOutOfBounds, 0)),
		taken("T34", ints("[10, 20]"), runs("[2, 3]", flat(i32, "[1, null]")), Options{}, gives(ints("[20, 20, null]"))),
		{"T35", func() (Column, error) {
			chunks := arrow.NewChunked(i32, []arrow.Array{flat(i32, "[1]"), flat(i32, "[]"), flat(i32, "[2, 3]")})
			c, err := OfChunks(arrow.Field{Type: i32}, chunks)
			if err != nil {
				return Column{}, err
			}
			return Take(c, ints("[2, 0]"), Options{})
		}, gives(ints("[3, 1]"))},
		taken("T36", structs("", map[string]arrow.Array{"u": sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")}, variant{1, "s!", flat(utf8, `[""]`)}).Array}, "u"), ints("[null]"), Options{Unions: UnionError},
			gives(structs("0", map[string]arrow.Array{"u": sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")}, variant{1, "s!", flat(utf8, `[""]`)}).Array}, "u"))),
		taken("entries", dict("[0, 1]", xy), ints("[1, 1]"), Options{}, gives(dict("[1, 1]", xy))),
	})
}

func filtered(id string, values, selection Column, nulls NullSelection, want outcome) testCase {
	return testCase{id, func() (Column, error) { return Filter(values, selection, nulls, Options{}) }, want}
}

// TestFilter has the cases of null-semantics 3.4, by their ids.
func TestFilter(t *testing.T) {
	selection := bools("[true, null, false]")
	u := super(sparse([]int8{0, 0, 1}, variant{0, "a", flat(i32, "[1, 0, 0]")}, variant{1, "s", flat(utf8, `["", "", "x"]`)}), "101")
	one := sparse([]int8{0}, variant{0, "a", flat(i32, "[1]")}, variant{1, "s", flat(utf8, `[""]`)})
	encoded := dict("[0, 1, 2]", flat(boolean8, "[true, null, false]"))
	var cases []testCase
	for name, c := range map[string]Column{
		"map": column(arrow.MapOf(utf8, i32), `[[{"key": "a", "value": 1}], [], null]`), "list_view": column(arrow.ListViewOf(i32), "[[1], [2, 3], null]"),
		"utf8view": column(view, `["longer than twelve bytes", "b", null]`), "decimal32": column(&arrow.Decimal32Type{Precision: 5, Scale: 2}, `["1.25", "2.5", null]`),
		"interval": column(arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": 2, "nanoseconds": 3}, {"months": 0, "days": 0, "nanoseconds": 0}, null]`),
	} {
		cases = append(cases, filtered("F10 "+name, c, bools("[true, false, true]"), SelectionDrop, gives(nullable(rows(c, 0, 2)))))
	}
	runCases(t, append(cases,
		filtered("F1 drop", ints("[1, 2, 3]"), selection, SelectionDrop, gives(ints("[1]"))),
		filtered("F1 emit", ints("[1, 2, 3]"), selection, SelectionEmit, gives(ints("[1, null]"))),
		filtered("F5", sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[1, 0]")}, variant{1, "s!", flat(utf8, `["", "x"]`)}), bools("[null, true]"), SelectionEmit,
			gives(sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[null, 0]")}, variant{1, "s!", flat(utf8, `["", "x"]`)}))),
		filtered("F8 drop", ints("[1, 2]"), bools("[null, null]"), SelectionDrop, gives(ints("[]"))),
		filtered("F8 emit", ints("[1, 2]"), bools("[null, null]"), SelectionEmit, gives(ints("[null, null]"))),
		filtered("F9", ints("[1, 2, 3]"), bools("[true, true]"), SelectionDrop, fails(types.ErrLengthMismatch, -1)),
		filtered("F11", u, bools("[false, true, true]"), SelectionDrop, gives(super(sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[0, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}), "01"))),
		filtered("F12", slice(ints("[0, 1, 2, null, 4, 5, 6, 7, 8]"), 3, 8), slice(bools("[false, true, false, true, true, false]"), 1, 6), SelectionDrop, gives(ints("[null, 5, 6]"))),
		filtered("F13 drop", u, encoded, SelectionDrop, gives(nullable(super(one, "1")))),
		filtered("F13 emit", u, encoded, SelectionEmit, gives(super(sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", ""]`)}), "10"))),
		filtered("F14", dense([]int8{5, 5}, []int32{0, 0}, variant{5, "a", flat(i32, "[7]")}), bools("[true, true]"), SelectionDrop, gives(dense([]int8{5, 5}, []int32{0, 0}, variant{5, "a", flat(i32, "[7]")}))),
	))
}

// rows gives some rows of a column by Arrow's own concatenation.
func rows(c Column, which ...int64) Column {
	var parts []arrow.Array
	for _, i := range which {
		parts = append(parts, array.NewSlice(c.Array, i, i+1))
	}
	a, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		panic(err)
	}
	c.Array = a
	return c
}
