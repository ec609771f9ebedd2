package types_test

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

func TestNewValueErrors(t *testing.T) {
	list := types.ListOf(types.Integer)
	for _, c := range []struct {
		typ  types.Type
		x    any
		kind error
	}{
		{types.TinyInt, 128, types.ErrCastOverflow},
		{types.TinyInt, -129, types.ErrCastOverflow},
		{types.UTinyInt, -1, types.ErrCastOverflow},
		{types.UBigInt, new(big.Int).Lsh(big.NewInt(1), 64), types.ErrCastOverflow},
		{types.BigInt, uint64(math.MaxUint64), types.ErrCastOverflow},
		{types.BigInt, "1", types.ErrCastInvalid},
		{types.BigInt, 1.5, types.ErrCastInvalid},
		{types.HugeInt, new(big.Int).Lsh(big.NewInt(1), 127), types.ErrCastOverflow},
		{types.Float, 1e300, types.ErrCastOverflow},
		{types.Half, 65520.0, types.ErrCastOverflow},
		{types.Decimal(4, 2), "100", types.ErrCastOverflow},
		{types.Decimal(4, 2), "1.234", types.ErrCastOverflow},
		{types.Decimal(4, 2), "1e2", types.ErrCastInvalid},
		{types.Decimal(4, 2), "", types.ErrCastInvalid},
		{types.Decimal(4, 2), "1.-2", types.ErrCastInvalid},
		{types.Decimal(76, 0), new(big.Int).Exp(big.NewInt(10), big.NewInt(76), nil), types.ErrCastOverflow},
		{types.Varchar, 5, types.ErrCastInvalid},
		{types.Bit, "012", types.ErrCastInvalid},
		{types.UUID, "550e8400e29b-41d4-a716-446655440000", types.ErrCastInvalid},
		{types.EnumOf([]string{"a"}), "b", types.ErrCastInvalid},
		{types.TimestampOf(types.Nanosecond), time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), types.ErrCastOverflow},
		{types.Time, -time.Second, types.ErrCastOverflow},
		{types.Date, "2020-01-01", types.ErrCastInvalid},
		{types.Null, 1, types.ErrCastInvalid},
		{list, []any{1, "x"}, types.ErrCastInvalid},
		{types.ArrayOfField(list.Elem(), 2), []any{1}, types.ErrCastInvalid},
		{types.StructOf(types.Field{Name: "a", Type: types.Integer}), map[string]any{"b": 1}, types.ErrCastInvalid},
		{types.MapOf(types.Varchar, types.Integer), []types.MapEntry{{Key: nil, Value: 1}}, types.ErrCastInvalid},
		{types.UnionOf(types.Field{Name: "a", Type: types.Integer}), types.UnionValue{Tag: "b"}, types.ErrCastInvalid},
	} {
		if _, err := types.NewValue(c.typ, c.x); !errors.Is(err, c.kind) {
			t.Errorf("%s from %v: error %v, want %v", c.typ, c.x, err, c.kind)
		}
	}
}

// TestValuesRoundTrip: what Value gives makes the same vector again.
func TestValuesRoundTrip(t *testing.T) {
	day := time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	field := func(name string, typ types.Type) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: true}
	}
	for _, c := range []struct {
		typ  types.Type
		rows []any
	}{
		{types.Boolean, []any{true, nil, false}},
		{types.SmallInt, []any{math.MinInt16, math.MaxInt16, nil}},
		{types.UBigInt, []any{uint64(math.MaxUint64), 0}},
		{types.HugeInt, []any{big.NewInt(-5), nil}},
		{types.Half, []any{1.5, 65504.0, 6e-8, -0.25, math.Inf(1)}},
		{types.Double, []any{1, 2.5, float32(0.5)}},
		{types.Decimal(76, 3), []any{"-1234567890123456789012345678901234567890.125", nil}},
		{types.Varchar, []any{"", "short", "a string longer than twelve bytes", nil}},
		{types.Blob, []any{[]byte{0, 255}, nil}},
		{types.Bit, []any{"", "1", "0101010101", nil}},
		{types.Date, []any{day, nil}},
		{types.TimestampOf(types.Second), []any{day, nil}},
		{types.TimestampOf(types.Nanosecond), []any{day, time.Unix(0, math.MinInt64+1).UTC()}},
		{types.TimestampTZOf(types.Millisecond, "Europe/Madrid"), []any{day, nil}},
		{types.TimestampOffset, []any{day.In(time.FixedZone("", 330*60)), nil}},
		{types.TimeOf(types.Millisecond), []any{23 * time.Hour, nil}},
		{types.UUID, []any{types.UUIDValue{1, 2, 255}, nil}},
		{types.EnumOf([]string{"a", "it's"}), []any{"it's", nil, "a"}},
		{types.StructOf(field("a", types.ListOf(types.Varchar)), field("b", types.MapOf(types.Integer, types.Double))),
			[]any{nil, []types.FieldValue{{Name: "a", Value: []any{"x", nil}}, {Name: "b", Value: []types.MapEntry{{Key: 1, Value: nil}}}}}},
		{types.ArrayOfField(field("item", types.Integer), 2), []any{[]any{1, 2}, nil}},
		{types.UnionOf(field("a", types.Integer), field("b", types.Varchar)), []any{types.UnionValue{Tag: "b", Value: "x"}, nil, types.UnionValue{Tag: "a", Value: 1}}},
	} {
		pool := types.NewPool()
		v, err := types.FromValues(pool, c.typ, c.rows)
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		again := make([]any, v.Len())
		for i := range again {
			again[i] = types.Value(v, i)
			if (again[i] == nil) != (c.rows[i] == nil) {
				t.Errorf("%s: row %d is %v", c.typ, i, again[i])
			}
			one, err := types.NewValue(c.typ, c.rows[i])
			if err != nil || one.Len() != 1 || one.Encoding() != types.Constant || show(types.Value(one, 0)) != show(again[i]) {
				t.Errorf("%s: NewValue(%v) is %v, %v", c.typ, c.rows[i], one, err)
			}
		}
		w, err := types.FromValues(nil, c.typ, again)
		if err != nil || !types.Equal(v, w) {
			t.Errorf("%s: %v came back unequal, %v", c.typ, again, err)
		}
		// Through Arrow, with the SQL type restored from the field.
		back, f, err := column(t, v, types.Field{Name: "c", Type: c.typ, Nullable: true}, types.ExportOptions{})
		if err != nil || !f.Type.Equal(c.typ) {
			t.Errorf("%s: came back as %s, %v", c.typ, f.Type, err)
		} else if !types.EqualWith(v, back, types.EqualOptions{IgnoreEncoding: true}) {
			t.Errorf("%s: came back unequal through Arrow", c.typ)
		}
	}
}

func TestHugeIntBeyond38DigitsIsAnError(t *testing.T) {
	v := value(t, types.HugeInt, new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil))
	if _, err := types.Export(v, types.ExportType(types.HugeInt, types.ExportOptions{}), types.ExportOptions{}); !errors.Is(err, types.ErrCastOverflow) {
		t.Errorf("error %v", err)
	}
}

func TestEqual(t *testing.T) {
	ints := func(valid types.Bitmap, x ...int32) *types.Vector { return types.NewFixed(types.Integer, x, valid) }
	floats := func(x ...float64) *types.Vector { return types.NewFixed(types.Double, x, nil) }
	structs := func(valid types.Bitmap, child *types.Vector) *types.Vector {
		return types.NewStruct(types.StructOf(types.Field{Name: "x", Type: types.Integer}), child.Len(), []*types.Vector{child}, valid)
	}
	lists := func(valid types.Bitmap, nullable bool, entries ...types.ListEntry) *types.Vector {
		return types.NewList(types.ListOfField(types.Field{Name: "item", Type: types.Integer, Nullable: nullable}), entries, ints(nil, 1, 2, 3), valid)
	}
	dicts := func(keys []uint32, x ...int32) *types.Vector { return types.NewDictionary(keys, ints(nil, x...), nil) }
	runs := func(ends []int32, x ...int32) *types.Vector { return types.NewRunEnd(ends, ints(nil, x...)) }
	union := func(outer, a types.Bitmap, codes ...int8) *types.Vector {
		f := types.Field{Type: types.Integer, Nullable: true}
		typ := types.UnionOfCodes([]types.Field{f, f}, []int8{0, 1}, true)
		return types.NewUnion(typ, codes, nil, []*types.Vector{ints(a, 7), ints(a, 7)}, outer)
	}
	maps := func(keys ...int32) *types.Vector {
		typ := types.MapOf(types.Integer, types.Integer)
		child := types.NewStruct(types.StructOf(typ.Fields()...), 2, []*types.Vector{ints(nil, keys...), ints(nil, keys...)}, nil)
		return types.NewList(typ, []types.ListEntry{{Length: 2}}, child, nil)
	}
	null := types.Bitmap{0}
	nan := math.NaN()
	for _, c := range []struct {
		id   string
		a, b *types.Vector
		opts types.EqualOptions
		want bool
	}{
		{"E1", structs(types.Bitmap{1}, ints(nil, 7, 1)), structs(types.Bitmap{1}, ints(nil, 7, 2)), types.EqualOptions{}, true},
		{"E2", lists(types.Bitmap{1}, true, types.ListEntry{0, 1}, types.ListEntry{0, 1}), lists(types.Bitmap{1}, true, types.ListEntry{0, 1}, types.ListEntry{1, 2}), types.EqualOptions{}, true},
		{"E3", dicts([]uint32{0, 1}, 5, 6), dicts([]uint32{1, 0}, 6, 5), types.EqualOptions{}, true},
		{"E4", runs([]int32{1, 3}, 5, 5), runs([]int32{3}, 5), types.EqualOptions{}, true},
		{"E5", runs([]int32{3}, 5), ints(nil, 5, 5, 5), types.EqualOptions{}, false},
		{"E5 IgnoreEncoding", runs([]int32{3}, 5), ints(nil, 5, 5, 5), types.EqualOptions{IgnoreEncoding: true}, true},
		{"E6", lists(nil, true, types.ListEntry{0, 1}), lists(nil, false, types.ListEntry{0, 1}), types.EqualOptions{}, false},
		{"E9", union(nil, null, 0), union(nil, null, 1), types.EqualOptions{}, false},
		{"E9 same variant", union(nil, null, 1), union(nil, null, 1), types.EqualOptions{}, true},
		{"E10 NaN", floats(nan), floats(nan), types.EqualOptions{}, false},
		{"E10 NaNEqual", floats(nan), floats(nan), types.EqualOptions{NaNEqual: true}, true},
		{"E10 zeros", floats(0), floats(math.Copysign(0, -1)), types.EqualOptions{}, true},
		{"E10 BitwiseFloats", floats(0), floats(math.Copysign(0, -1)), types.EqualOptions{BitwiseFloats: true}, false},
		{"E11", ints(nil), ints(nil), types.EqualOptions{}, true},
		{"E11 types", ints(nil), floats(), types.EqualOptions{}, false},
		{"E12", union(null, nil, 0), union(null, nil, 1), types.EqualOptions{}, true},
		{"E13", ints(nil, 1, 2), ints(types.Bitmap{3}, 1, 2), types.EqualOptions{}, true},
		{"E16", maps(1, 2), maps(2, 1), types.EqualOptions{}, false},
		{"lengths", ints(nil, 1), ints(nil, 1, 2), types.EqualOptions{}, false},
		{"null and value", ints(null, 1), ints(nil, 1), types.EqualOptions{}, false},
	} {
		if got := types.EqualWith(c.a, c.b, c.opts); got != c.want {
			t.Errorf("%s: %t", c.id, got)
		}
		if got := types.EqualWith(c.b, c.a, c.opts); got != c.want {
			t.Errorf("%s swapped: %t", c.id, got)
		}
	}
}
