package arrays

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

func isNull(id string, c Column, want string) testCase {
	return testCase{id, func() (Column, error) {
		n, err := c.NullCount()
		if err != nil {
			return Column{}, err
		}
		out, err := IsNull(c, Options{})
		if err != nil {
			return Column{}, err
		}
		trues := 0
		for i := range out.Len() {
			if out.Array.(*array.Boolean).Value(i) {
				trues++
			}
		}
		if trues != n {
			return Column{}, types.Errorf(types.CodeInternal, "NullCount is %d, %d rows are null", n, trues)
		}
		return out, nil
	}, gives(bools(want))}
}

// TestIsNull has the cases of null-semantics 3.1, by their ids.
func TestIsNull(t *testing.T) {
	n2 := slice(ints("[1, null, 3, null, 5, 6, 7, 8, null, 10, 11]"), 3, 10)
	n5 := sparse([]int8{5, 9, 5, 9}, variant{5, "a", flat(i32, "[1, 0, null, 0]")}, variant{9, "s", flat(utf8, `["", "x", "", null]`)})
	n8 := slice(dense([]int8{0, 1, 0, 0, 1, 1}, []int32{0, 0, 1, 2, 1, 2}, variant{0, "f", flat(f64, "[0.5, 1.5, null]")}, variant{1, "b", flat(boolean8, "[true, null, false]")}), 1, 6)
	dangling := dict("[0, 0]", flat(utf8, `["x"]`))
	dangling.Array = bits(array.NewDictionaryArray(dangling.Field.Type, flat(i8, "[0, 0]"), flat(utf8, `["x"]`)), "10")
	dangling.Field.Nullable = true
	u := super(sparse([]int8{0, 0, 0}, variant{0, "a", flat(i32, "[1, null, 1]")}), "110")
	cases := []testCase{
		isNull("N1", ints("[1, null, 3]"), "[false, true, false]"),
		isNull("N2", n2, "[true, false, false, false, false, true, false]"),
		{"N2 not null", func() (Column, error) { return IsNotNull(n2, Options{}) }, gives(bools("[false, true, true, true, true, false, true]"))},
		isNull("N5", n5, "[false, false, true, true]"),
		isNull("N8", n8, "[false, false, true, true, false]"),
		isNull("N9", slice(dense([]int8{0, 0, 0, 0}, []int32{0, 1, 2, 3}, variant{0, "a", flat(i32, "[9, 9, null, 4]")}), 2, 4), "[true, false]"),
		isNull("N10", slice(sparse([]int8{0, 0, 0}, variant{0, "a", array.NewSlice(flat(i32, "[7, null, 5, null]"), 1, 4)}), 1, 3), "[false, true]"),
		isNull("N12", slice(runs("[2, 4, 5]", flat(utf8, `["p", null, "q"]`)), 1, 4), "[false, true, true]"),
		isNull("N14", nullable(runs("[1, 3]", array.NewSlice(flat(utf8, `["z", "a", null]`), 1, 3))), "[false, true, true]"),
		isNull("N15", dict("[0, 1, null, 2, 1]", flat(utf8, `["x", null, "y"]`)), "[false, true, true, false, true]"),
		isNull("N16", dangling, "[false, true]"),
		isNull("N17", nullable(dict("[0, 2, 1]", runs("[1, 3]", flat(utf8, `["a", null]`)).Array)), "[false, true, true]"),
		isNull("N18", nullable(runs("[2, 3]", sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[null, 0]")}, variant{1, "s", flat(utf8, `["", "k"]`)}).Array)), "[true, true, false]"),
		isNull("N20", sparse([]int8{0, 0, 1}, variant{0, "r", runs("[2, 3]", flat(i32, "[null, 5]")).Array}, variant{1, "b!", flat(i32, "[0, 0, 7]")}), "[true, true, false]"),
		isNull("N21", sparse([]int8{0, 0}, variant{0, "d", dict("[0, 1]", flat(utf8, `["x", null]`)).Array}), "[false, true]"),
		isNull("N22", structs("10", map[string]arrow.Array{"u": sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[null, 1]")}).Array}, "u"), "[false, true]"),
		isNull("N24", column(arrow.ListOf(i32), "[[null], null, []]"), "[false, true, false]"),
		isNull("N25", slice(column(view, `["ab", null, "longer than twelve bytes"]`), 1, 3), "[true, false]"),
		isNull("N27", u, "[false, false, true]"),
		{"N27 value", func() (Column, error) { return UnionValueIsNull(u, Options{}) }, gives(bools("[false, true, false]"))},
		{"N27 deep", func() (Column, error) { return IsNullDeep(u, Options{}) }, gives(bools("[false, true, true]"))},
		{"N5 value", func() (Column, error) { return UnionValueIsNull(n5, Options{}) }, gives(bools("[false, false, false, false]"))},
		{"N5 deep", func() (Column, error) { return IsNullDeep(n5, Options{}) }, gives(bools("[false, false, true, true]"))},
		isNull("N28", nullable(runsEmpty()), "[]"),
		isNull("N28 slice", slice(runs("[2, 4]", flat(utf8, `["a", null]`)), 2, 2), "[]"),
		isNull("N30", column(f64, `["NaN", null]`), "[false, true]"),
		{"N30 NaN", func() (Column, error) { return IsNull(column(f64, `["NaN", null]`), Options{NaNIsNull: true}) }, gives(bools("[true, true]"))},
		{"N30 dictionary", func() (Column, error) {
			return IsNull(dict("[0, 1]", flat(f64, `["NaN", 1.0]`)), Options{NaNIsNull: true})
		}, gives(bools("[true, false]"))},
		{"N29", func() (Column, error) {
			broken := sparse([]int8{0}, variant{0, "a", flat(i32, "[1]")})
			d := broken.Array.Data()
			broken.Array = array.MakeFromData(array.NewData(d.DataType(), 1, []*memory.Buffer{nil, d.Buffers()[1]}, d.Children(), 0, 0))
			return IsNull(Column{Field: broken.Field, Array: withBitmap{broken.Array}}, Options{})
		}, fails(types.ErrInvalidLayout, -1)},
	}
	runCases(t, cases)
	for _, ask := range []func(Column, Options) (Column, error){UnionValueIsNull, IsNullDeep} {
		var e *types.Error
		if _, err := ask(ints("[1]"), Options{}); !errors.As(err, &e) || e.Code != types.CodeDatatypeMismatch {
			t.Errorf("a column that is no union: %v", err)
		}
	}
}

// withBitmap is an array of unions that claims a validity bitmap, which Arrow's constructor would drop.
type withBitmap struct{ arrow.Array }

func (a withBitmap) Data() arrow.ArrayData {
	d := a.Array.Data()
	return array.NewData(d.DataType(), d.Len(), append([]*memory.Buffer{memory.NewBufferBytes([]byte{0})}, d.Buffers()[1:]...), d.Children(), 0, 0)
}

func runsEmpty() Column {
	dt := arrow.RunEndEncodedOf(i32, utf8)
	return Of(array.MakeFromData(array.NewData(dt, 0, []*memory.Buffer{nil}, []arrow.ArrayData{flat(i32, "[]").Data(), flat(utf8, "[]").Data()}, 0, 0)))
}

// TestChoose has the cases of null-semantics 3.7, by their ids.
func TestChoose(t *testing.T) {
	x := texts(`["x"]`)
	fill := func(id string, v, s Column, o Options, want outcome) testCase {
		return testCase{id, func() (Column, error) { return FillNull(v, s, o) }, want}
	}
	one, two := repeat(ints("[1]"), 3), repeat(ints("[2]"), 3)
	third := bools("[true, false, null]")
	full := "[0"
	entries := `["v0"`
	for i := 1; i < 128; i++ {
		full += "," + itoa(i)
		entries += `,"v` + itoa(i) + `"`
	}
	k19a := sparse([]int8{0, 0, 0}, variant{0, "a!", flat(i32, "[1, 1, 1]")})
	k19b := sparse([]int8{0, 0, 0}, variant{0, "s!", flat(utf8, `["x", "x", "x"]`)})
	tagged := super(sparse([]int8{0, 0, 0, 1}, variant{0, "a", flat(i32, "[0, null, 0, 0]")}, variant{1, "s", flat(utf8, `["", "", "", "x"]`)}), "0101")
	backward := runs("[1, 3, 4, 5]", flat(i32, "[5, null, 7, null]"))
	runCases(t, []testCase{
		fill("K1", ints("[1, null]"), repeat(ints("[0]"), 2), Options{}, gives(ints("[1, 0]"))),
		fill("K2", ints("[1, null]"), repeat(column(arrow.Null, "[null]"), 2), Options{}, gives(ints("[1, null]"))),
		fill("K3", dict("[0, 1, null]", flat(utf8, `["x", null]`)), repeat(x, 3), Options{}, gives(dict("[0, 0, 0]", flat(utf8, `["x"]`)))),
		fill("K4", nullable(dict(full+", null]", flat(utf8, entries+"]"))), repeat(texts(`["new"]`), 129), Options{}, fails(types.ErrDictKeyOverflow, -1)),
		fill("K4 widened", nullable(dict(full+", null]", flat(utf8, entries+"]"))), repeat(texts(`["new"]`), 129), Options{WidenKeys: true},
			gives(dictOf(i16, full+", 128]", flat(utf8, entries+`, "new"]`)))),
		fill("K5", runs("[2, 4, 5]", flat(utf8, `["a", null, "a"]`)), repeat(texts(`["a"]`), 5), Options{}, gives(runs("[5]", flat(utf8, `["a"]`)))),
		fill("K6", sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[null, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}), repeat(sparse([]int8{1}, variant{0, "a", flat(i32, "[0]")}, variant{1, "s", flat(utf8, `["d"]`)}), 2), Options{},
			gives(sparse([]int8{1, 1}, variant{0, "a", flat(i32, "[null, 0]")}, variant{1, "s", flat(utf8, `["d", "x"]`)}))),
		{"K7", func() (Column, error) {
			return Coalesce(Options{}, sparse([]int8{0}, variant{0, "a", flat(i32, "[null]")}, variant{1, "s", flat(utf8, `[""]`)}), sparse([]int8{1}, variant{0, "a", flat(i32, "[0]")}, variant{1, "s", flat(utf8, `["d"]`)}))
		}, gives(sparse([]int8{1}, variant{0, "a", flat(i32, "[0]")}, variant{1, "s", flat(utf8, `["d"]`)}))},
		{"K7 tagged", func() (Column, error) {
			return Coalesce(Options{}, super(sparse([]int8{0}, variant{0, "a", flat(i32, "[null]")}, variant{1, "s", flat(utf8, `[""]`)}), "1"), super(sparse([]int8{1}, variant{0, "a", flat(i32, "[0]")}, variant{1, "s", flat(utf8, `["d"]`)}), "1"))
		}, gives(super(sparse([]int8{0}, variant{0, "a", flat(i32, "[null]")}, variant{1, "s", flat(utf8, `[""]`)}), "1"))},
		{"K8", func() (Column, error) { return Coalesce(Options{}, column(arrow.Null, "[null]"), ints("[1]")) }, gives(ints("[1]"))},
		{"K8 nulls", func() (Column, error) {
			return Coalesce(Options{}, column(arrow.Null, "[null]"), column(arrow.Null, "[null]"))
		}, gives(column(arrow.Null, "[null]"))},
		{"K9", func() (Column, error) { return Coalesce(Options{}, ints("[1, null, null]"), ints("[9, 2, null]")) }, gives(ints("[1, 2, null]"))},
		{"K10", func() (Column, error) { return IfElse(third, one, two, Options{}) }, gives(ints("[1, 2, null]"))},
		{"K10 case", func() (Column, error) { return CaseWhen([]Case{{third, one}}, &two, Options{}) }, gives(ints("[1, 2, 2]"))},
		{"K12", func() (Column, error) {
			return Mask(nullable(runs("[1, 2]", flat(i32, "[10, 20]"))), bools("[false, true]"), Options{})
		}, gives(runs("[1, 2]", flat(i32, "[10, null]")))},
		fill("K14", ints("[]"), repeat(ints("[1]"), 0), Options{}, fails(types.ErrLengthMismatch, -1)),
		{"K15", func() (Column, error) { return FillForward(tagged, 0, Options{}) },
			gives(super(sparse([]int8{0, 0, 0, 1}, variant{0, "a", flat(i32, "[0, null, null, 0]")}, variant{1, "s", flat(utf8, `["", "", "", "x"]`)}), "0111"))},
		{"K15 Arrow", func() (Column, error) {
			return FillForward(sparse([]int8{0, 1, 0}, variant{0, "a", flat(i32, "[null, 0, null]")}, variant{1, "s", flat(utf8, `["", "x", ""]`)}), 0, Options{})
		}, gives(sparse([]int8{0, 1, 1}, variant{0, "a", flat(i32, "[null, 0, 0]")}, variant{1, "s", flat(utf8, `["", "x", "x"]`)}))},
		fill("K16", ints("[1]"), repeat(column(arrow.Null, "[null]"), 1), Options{}, gives(ints("[1]"))),
		{"K17", func() (Column, error) { return FillBackward(backward, 0, Options{}) }, gives(runs("[1, 4, 5]", flat(i32, "[5, 7, null]")))},
		{"K17 limit", func() (Column, error) { return FillBackward(backward, 1, Options{}) }, gives(runs("[1, 2, 4, 5]", flat(i32, "[5, null, 7, null]")))},
		{"K18", func() (Column, error) {
			return Concat(Options{}, sparse([]int8{0}, variant{0, "a!", flat(i32, "[1]")}), sparse([]int8{0}, variant{0, "s", flat(utf8, "[null]")}))
		}, gives(sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, "[null, null]")}))},
		{"K19", func() (Column, error) { return IfElse(third, k19a, k19b, Options{}) }, fails(types.ErrNoNullHost, 2)},
		{"K19 promote", func() (Column, error) { return IfElse(third, k19a, k19b, Options{Unions: UnionPromote}) },
			gives(superOf(sparse([]int8{0, 1, 0}, variant{0, "a!", flat(i32, "[1, 0, 0]")}, variant{1, "s!", flat(utf8, `["", "x", ""]`)}), "110", false))},
		{"K20", func() (Column, error) {
			return NullIf(super(sparse([]int8{0, 1, 0}, variant{0, "a", flat(i32, "[67, 0, 0]")}, variant{1, "s", flat(utf8, `["", "x", ""]`)}), "110"), repeat(ints("[67]"), 3), Options{})
		}, gives(super(sparse([]int8{0, 1, 0}, variant{0, "a", flat(i32, "[67, 0, 0]")}, variant{1, "s", flat(utf8, `["", "x", ""]`)}), "010"))},
		fill("K21", dict("[0, null]", flat(utf8, `["a"]`)), repeat(texts(`["d"]`), 2), Options{}, gives(dict("[0, 1]", flat(utf8, `["a", "d"]`)))),
	})
}

func itoa(i int) string {
	return string(types.AppendText(nil, types.NewFixed(types.BigInt, []int64{int64(i)}, nil), 0))
}
