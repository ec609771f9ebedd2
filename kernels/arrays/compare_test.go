package arrays

import (
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

func compared(id string, op kernels.CompareOp, a, b Column, want Column) testCase {
	return testCase{id, func() (Column, error) { return Compare(op, a, b, Options{}) }, gives(want)}
}

func distinctCase(id string, a, b Column, want string) testCase {
	return testCase{id, func() (Column, error) {
		same, err := IsNotDistinct(a, b, Options{})
		if err != nil {
			return Column{}, err
		}
		defer same.Release()
		return Not(same, Options{})
	}, gives(bools(want))}
}

// TestCompare has the cases of null-semantics 3.6, by their ids, in the mode SQL of floats. Those of joins, IN and aggregates are SQL's (engine/testdata/slt).
func TestCompare(t *testing.T) {
	null := column(arrow.Null, "[null, null]")
	nan, inf := math.NaN(), math.Inf(1)
	aOrS := func(codes []int8, a, s string) Column {
		return sparse(codes, variant{0, "a", flat(i32, a)}, variant{1, "s", flat(utf8, s)})
	}
	list := func(values string) Column { return column(arrow.ListOf(i32), values).Required() }
	maybe := func(values string) Column { return nullable(bools(values)) }
	ab := func(a, b string) Column {
		return structs("", map[string]arrow.Array{"a": flat(i32, a), "b": flat(i32, b)}, "a", "b")
	}
	maps := func(values string) Column { return column(arrow.MapOf(utf8, i32), values) }
	inner := super(sparse([]int8{0}, variant{0, "a", flat(i32, "[null]")}), "1")
	unions := aOrS([]int8{0, 1, 0}, "[67, 0, null]", `["", "x", ""]`)
	runCases(t, []testCase{
		compared("Q1", kernels.Equal, ints("[1, null, 3]"), ints("[1, 2, 4]"), bools("[true, null, false]")),
		compared("Q2", kernels.Equal, ints("[1]"), ints("[1]"), bools("[true]")),
		compared("Q3 equal", kernels.Equal, Of(doubles(nan, 0)).Required(), Of(doubles(nan, math.Copysign(0, -1))).Required(), bools("[true, true]")),
		compared("Q3 less", kernels.Less, Of(doubles(inf)).Required(), Of(doubles(nan)).Required(), bools("[true]")),
		compared("Q4", kernels.Equal, null, ints("[1, 2]"), bools("[null, null]")),
		compared("Q4 nulls", kernels.Equal, null, null, bools("[null, null]")),
		distinctCase("Q5 nulls", null, null, "[false, false]"),
		distinctCase("Q5", ints("[1, null, null]"), ints("[1, null, 2]"), "[false, false, true]"),
		compared("Q6", kernels.Equal, dict("[0, 1, null]", flat(utf8, `["x", null]`)), texts(`["x", "x", "x"]`), bools("[true, null, null]")),
		compared("Q7", kernels.Equal, runs("[2, 4]", flat(utf8, `["a", null]`)), runs("[1, 4]", flat(utf8, `["a", "b"]`)), bools("[true, false, null, null]")),
		compared("Q8", kernels.Equal, aOrS([]int8{0, 0, 0, 0}, "[1, 1, 1, null]", `["", "", "", ""]`), aOrS([]int8{0, 0, 1, 0}, "[1, 2, 0, null]", `["", "", "1", ""]`), bools("[true, false, false, null]")),
		distinctCase("Q9", aOrS([]int8{0}, "[null]", `[""]`), aOrS([]int8{1}, "[0]", "[null]"), "[false]"),
		compared("Q10", kernels.Equal, super(aOrS([]int8{0, 0, 0, 0}, "[1, null, 0, null]", `["", "", "", ""]`), "1101"), super(aOrS([]int8{1, 1, 0, 0}, "[0, 0, 1, null]", `["x", null, "", ""]`), "1111"),
			bools("[false, false, null, null]")),
		distinctCase("Q11", super(aOrS([]int8{0, 0, 0, 0}, "[null, 0, 0, null]", `["", "", "", ""]`), "1001"), super(aOrS([]int8{1, 0, 0, 0}, "[0, 0, null, null]", `[null, "", "", ""]`), "1011"), "[true, false, true, false]"),
		compared("Q12", kernels.Equal, unions, repeat(ints("[67]"), 3), bools("[true, false, null]")),
		compared("Q12 unequal", kernels.NotEqual, unions, repeat(ints("[67]"), 3), bools("[false, true, null]")),
		compared("Q12 less", kernels.Less, unions, repeat(ints("[100]"), 3), bools("[true, null, null]")),
		compared("Q13", kernels.Equal, ab("[1, 1]", "[null, null]"), ab("[1, 2]", "[null, null]"), bools("[null, false]")),
		distinctCase("Q13 distinct", ab("[1, 1]", "[null, null]"), ab("[1, 2]", "[null, null]"), "[false, true]"),
		compared("Q14", kernels.Equal, list("[[1, null], [1, null], [null], [1, null]]"), list("[[1, null, 2], [1, 2], [null], [2, null]]"), maybe("[false, null, null, false]")),
		compared("Q16 bool", kernels.Equal, slice(bools("[true, false, true, true]"), 1, 4), slice(bools("[false, true, false, false, true]"), 2, 5), bools("[true, false, true]")),
		compared("Q16 view", kernels.Equal, slice(column(view, `["a", "longer than twelve bytes", "b"]`), 1, 3), slice(column(view, `["", "", "longer than twelve bytes", "c"]`), 2, 4), bools("[true, false]")),
		compared("Q21 struct", kernels.Equal, structs("", map[string]arrow.Array{"x": flat(i32, "[null]")}, "x"), structs("", map[string]arrow.Array{"x": flat(i32, "[null]")}, "x"), bools("[null]")),
		compared("Q21 union", kernels.Equal, inner, inner, bools("[null]")),
		compared("Q22", kernels.Equal, maps(`[[{"key": "a", "value": 1}, {"key": "b", "value": 2}]]`), maps(`[[{"key": "b", "value": 2}, {"key": "a", "value": 1}]]`), maybe("[false]")),
		distinctCase("Q22 distinct", maps(`[[{"key": "a", "value": 1}, {"key": "b", "value": 2}]]`), maps(`[[{"key": "b", "value": 2}, {"key": "a", "value": 1}]]`), "[true]"),
		{"Q23", func() (Column, error) {
			return sorted(column(arrow.ListOf(i32), "[[1], [null], null, [1, 2], [], [1, null]]"), false)
		},
			gives(column(arrow.ListOf(i32), "[[], [1], [1, 2], [1, null], [null], null]"))},
		{"Q23 descending", func() (Column, error) {
			return sorted(column(arrow.ListOf(i32), "[[1], [null], null, [1, 2], [], [1, null]]"), true)
		},
			gives(column(arrow.ListOf(i32), "[[null], [1, null], [1, 2], [1], [], null]"))},
		{"Q24", func() (Column, error) {
			return sorted(super(aOrS([]int8{1, 0, 0, 0, 1}, "[0, 5, null, 0, 0]", `["k", "", "", "", null]`), "11101"), false)
		}, gives(super(aOrS([]int8{0, 0, 1, 1, 0}, "[5, null, 0, 0, 0]", `["", "", "k", null, ""]`), "11110"))},
		compared("Q26", kernels.Equal, sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[1, 1]")}), dense([]int8{4, 3}, []int32{0, 0}, variant{3, "s", flat(utf8, `["1"]`)}, variant{4, "a", flat(i32, "[1]")}), maybe("[true, false]")),
		compared("Q27", kernels.Less, list("[[1], [null]]"), list("[[1, null], [1]]"), bools("[true, null]")),
	})
	// Q25: one hash whatever the encoding.
	var hashes [][]uint64
	for _, c := range []Column{dict("[0, 1]", flat(utf8, `["x", null]`)), runs("[1, 2]", flat(utf8, `["x", null]`)), texts(`["x", null]`)} {
		h, err := Hash(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, h.Array.(*array.Uint64).Uint64Values())
	}
	if hashes[0][0] != hashes[1][0] || hashes[0][0] != hashes[2][0] || hashes[0][1] != hashes[1][1] || hashes[0][1] != hashes[2][1] {
		t.Errorf("Q25: %x", hashes)
	}
	// Q17 and Q18: groups.
	groups := func(id string, c Column, want int) {
		u, err := Unique(c, Options{})
		if err != nil || u.Len() != want {
			t.Errorf("%s: %d groups (%v), want %d", id, u.Len(), err, want)
		}
	}
	groups("Q17", aOrS([]int8{0, 1, 0}, "[null, 0, 1]", `["", null, ""]`), 2)
	groups("Q17 tagged", super(aOrS([]int8{0, 1, 0}, "[null, 0, 1]", `["", null, ""]`), "111"), 3)
	groups("Q18", Of(doubles(nan, math.Float64frombits(0x7ff8000000000123), 0, math.Copysign(0, -1))), 2)
	for _, pair := range [][2]Column{{ints("[1]"), texts(`["1"]`)}, {column(arrow.FixedWidthTypes.Date32, "[1]"), ints("[1]")}} {
		if _, err := Compare(kernels.Equal, pair[0], pair[1], Options{}); err == nil {
			t.Errorf("%s is compared with %s", pair[0].Field.Type, pair[1].Field.Type)
		}
	}
	if _, err := Compare(kernels.Equal, ints("[1]"), ints("[1, 2]"), Options{}); !isKind(err, types.ErrLengthMismatch) {
		t.Errorf("lengths: %v", err)
	}
}

func isKind(err, kind error) bool {
	e, ok := err.(*types.Error)
	return ok && e.Kind == kind
}

func sorted(c Column, descending bool) (Column, error) {
	order, err := SortIndices(Options{}, SortKey{Column: c, Descending: descending})
	if err != nil {
		return Column{}, err
	}
	return Take(c, order, Options{})
}
