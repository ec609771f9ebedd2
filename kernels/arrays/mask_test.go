package arrays

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// masked gives a case of Mask.
func masked(id string, values, condition Column, o Options, want outcome) testCase {
	return testCase{id, func() (Column, error) { return Mask(values, condition, o) }, want}
}

// TestMask has the cases of null-semantics 3.2, by their ids.
func TestMask(t *testing.T) {
	m17 := sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s!", flat(utf8, `["", "x"]`)})
	tf, ft := bools("[true, false]"), bools("[false, true]")
	withNull := bools("[true, false, null]")
	entries := flat(utf8, `["x", "y"]`)
	all := make([]variant, 128)
	for i := range all {
		all[i] = variant{arrow.UnionTypeCode(i), "v" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "!", flat(i32, "[1]")}
	}
	runCases(t, []testCase{
		masked("M1", ints("[1, 2, 3]"), withNull, Options{}, gives(ints("[null, 2, 3]"))),
		masked("M2 null", ints("[1, 2, 3]"), withNull, Options{Conditions: ConditionNull}, gives(ints("[null, 2, null]"))),
		masked("M2 error", ints("[1, 2, 3]"), withNull, Options{Conditions: ConditionError}, fails(types.ErrNullCondition, 2)),
		masked("M3", ints("[null, 2]"), bools("[false, false]"), Options{}, gives(ints("[null, 2]"))),
		masked("M4", ints("[1, 2, 3]"), tf, Options{}, fails(types.ErrLengthMismatch, -1)),
		masked("M5", slice(ints("[0, 1, 2, 3, 4, 5, 6]"), 3, 6), slice(bools("[false, false, false, false, false, true, false, true]"), 5, 8), Options{}, gives(ints("[null, 4, null]"))),
		masked("M6", column(arrow.Null, "[null, null]"), tf, Options{}, gives(column(arrow.Null, "[null, null]"))),
		masked("M7", structs("", map[string]arrow.Array{"x!": flat(i32, "[1, 2]")}, "x!"), ft, Options{}, gives(structs("10", map[string]arrow.Array{"x!": flat(i32, "[1, 2]")}, "x!"))),
		masked("M9", dict("[0, 1]", entries), tf, Options{}, gives(dict("[null, 1]", entries))),
		masked("M10", dict("[0, 1]", flat(utf8, `[null, "y"]`)), ft, Options{}, gives(dict("[null, null]", entries))),
		masked("M11", runs("[4]", flat(utf8, `["a"]`)), bools("[false, true, true, false]"), Options{}, gives(runs("[1, 3, 4]", flat(utf8, `["a", null, "a"]`)))),
		masked("M12", runs("[2, 4]", flat(utf8, `["a", null]`)), bools("[false, true, false, false]"), Options{}, gives(runs("[1, 4]", flat(utf8, `["a", null]`)))),
		masked("M13", slice(runs("[3, 6]", flat(utf8, `["a", "b"]`)), 2, 5), bools("[true, false, true]"), Options{}, gives(runs("[1, 2, 3]", flat(utf8, `[null, "b", null]`)))),
		masked("M15", sparse([]int8{0, 0}, variant{0, "a!", flat(i32, "[1, 2]")}, variant{1, "n", flat(arrow.Null, "[null, null]")}), tf, Options{},
			gives(sparse([]int8{1, 0}, variant{0, "a!", flat(i32, "[0, 2]")}, variant{1, "n", flat(arrow.Null, "[null, null]")}))),
		masked("M17", m17, tf, Options{}, fails(types.ErrNoNullHost, 0)),
		masked("M18", m17, repeat(bools("[false]"), 2), Options{}, gives(m17)),
		masked("M19", m17, tf, Options{Unions: UnionWidenAll}, gives(sparse([]int8{0, 1}, variant{0, "a", flat(i32, "[null, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}))),
		masked("M20", m17, tf, Options{Unions: UnionAddNullVariant},
			gives(sparse([]int8{2, 1}, variant{0, "a!", flat(i32, "[0, 0]")}, variant{1, "s!", flat(utf8, `["", "x"]`)}, variant{2, "__null", flat(arrow.Null, "[null, null]")}))),
		masked("M21", m17, tf, Options{Unions: UnionVariant, UnionCode: 1}, gives(sparse([]int8{1, 1}, variant{0, "a!", flat(i32, "[0, 0]")}, variant{1, "s", flat(utf8, `[null, "x"]`)}))),
		masked("M22 in place", sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}), ft, Options{Unions: UnionInPlace},
			gives(sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", null]`)}))),
		masked("M22 no host", sparse([]int8{0, 1}, variant{0, "a!", flat(i32, "[1, 0]")}, variant{1, "s", flat(utf8, `["", "x"]`)}), tf, Options{Unions: UnionInPlace}, fails(types.ErrNoNullHost, 0)),
		masked("M23", m17, bools("[true, true]"), Options{Unions: UnionOutputType, UnionType: arrow.SparseUnionOf(
			[]arrow.Field{{Name: "a", Type: i32, Nullable: true}, {Name: "s", Type: utf8}}, []arrow.UnionTypeCode{0, 1})},
			gives(sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[null, null]")}, variant{1, "s!", flat(utf8, `["", ""]`)}))),
		masked("M24", m17, tf, Options{Unions: UnionPromote}, gives(superOf(m17, "01", false))),
		masked("M25", sparse([]int8{0}, all...), bools("[true]"), Options{Unions: UnionAddNullVariant}, fails(types.ErrTypeCodeRange, -1)),
		masked("M26", super(sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[null, 2]")}), "11"), tf, Options{}, gives(super(sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[null, 2]")}), "01"))),
		masked("M29", runs("[2, 3]", sparse([]int8{0, 0}, variant{0, "a", flat(i32, "[1, 2]")}).Array), bools("[true, false, false]"), Options{},
			gives(nullable(runs("[1, 2, 3]", sparse([]int8{0, 0, 0}, variant{0, "a", flat(i32, "[null, 1, 2]")}).Array)))),
		{"M30", func() (Column, error) { return WithValidity(ints("[1, 2, 3]"), withNull, Options{}) }, gives(ints("[1, null, null]"))},
		masked("M31", m17, bools("[false, false]"), Options{}, gives(m17)),
	})
}
