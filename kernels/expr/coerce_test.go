package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

func literalArg(t *testing.T, typ types.Type, x any) Arg {
	t.Helper()
	v, err := types.NewValue(typ, x)
	if err != nil {
		t.Fatal(err)
	}
	return Arg{Type: typ, Constant: v, Literal: true}
}

func TestCommonType(t *testing.T) {
	of := func(typ types.Type) Arg { return Arg{Type: typ} }
	whole := func(x int64) Arg { return literalArg(t, types.Integer, x) }
	text := func(s string) Arg { return literalArg(t, types.Varchar, s) }
	dec := types.Decimal
	mood := types.EnumOf([]string{"sad", "ok"})
	field := func(name string, typ types.Type, nullable bool) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: nullable}
	}
	list := func(element types.Type, nullable bool) types.Type {
		return types.ListOfField(field("item", element, nullable))
	}
	for _, c := range []struct {
		a, b Arg
		want string // empty: none
	}{
		// Checked with CASE WHEN true THEN a ELSE b END of DuckDB 1.5.6, but for literals beside decimals and for decimals past 38 digits.
		{of(types.TinyInt), of(types.UTinyInt), "SMALLINT"},
		{of(types.USmallInt), of(types.SmallInt), "INTEGER"},
		{of(types.UInteger), of(types.Integer), "BIGINT"},
		{of(types.UTinyInt), of(types.Integer), "INTEGER"},
		{of(types.UBigInt), of(types.Integer), "HUGEINT"},
		{of(types.UBigInt), of(types.HugeInt), "HUGEINT"},
		{of(types.UBigInt), of(types.USmallInt), "UBIGINT"},
		{of(types.Float), of(types.Integer), "FLOAT"},
		{of(types.Float), of(dec(5, 2)), "FLOAT"},
		{of(types.Float), of(types.Double), "DOUBLE"},
		{of(types.BigInt), of(types.Double), "DOUBLE"},
		{of(types.Half), of(types.Half), "HALF"},
		{of(types.Half), of(types.TinyInt), "FLOAT"},
		{of(types.Integer), of(dec(5, 2)), "DECIMAL(12,2)"},
		{of(types.BigInt), of(dec(5, 2)), "DECIMAL(21,2)"},
		{of(dec(18, 2)), of(dec(18, 10)), "DECIMAL(26,10)"},
		{of(dec(38, 2)), of(dec(38, 10)), "DECIMAL(46,10)"},
		{of(dec(76, 2)), of(dec(76, 10)), "DECIMAL(76,10)"},
		{of(types.Boolean), of(types.Integer), "INTEGER"},
		{of(types.Boolean), of(dec(5, 2)), ""},
		{of(types.Date), of(types.Timestamp), "TIMESTAMP"},
		{of(types.Date), of(types.TimestampTZ), "TIMESTAMP WITH TIME ZONE"},
		{of(types.TimestampOf(types.Second)), of(types.TimestampOf(types.Nanosecond)), "TIMESTAMP_NS"},
		{of(types.Timestamp), of(types.TimestampTZ), "TIMESTAMP WITH TIME ZONE"},
		{of(types.Time), of(types.Timestamp), ""},
		{of(types.Interval), of(types.Time), ""},
		{of(types.Date), of(types.Integer), ""},
		{of(types.Varchar), of(types.Integer), ""},
		{of(types.Varchar), of(types.Date), ""},
		{of(types.Varchar), of(types.JSON), "JSON"},
		{of(types.Varchar), of(mood), "VARCHAR"},
		{of(types.Null), of(types.Date), "DATE"},
		{of(types.Null), of(types.Null), `"NULL"`},
		{of(types.Null), text("x"), "VARCHAR"},
		// Literals adapt to their partner.
		{of(types.TinyInt), whole(100), "TINYINT"},
		{of(types.TinyInt), whole(-128), "TINYINT"},
		{of(types.TinyInt), whole(128), "INTEGER"},
		{of(types.UTinyInt), whole(255), "UTINYINT"},
		{of(types.UTinyInt), whole(-1), "INTEGER"},
		{of(types.Date), whole(1), ""},
		{of(dec(5, 2)), whole(999), "DECIMAL(5,2)"},
		{of(dec(5, 2)), whole(1000), "DECIMAL(6,2)"},
		{of(dec(5, 5)), whole(0), "DECIMAL(5,5)"},
		{whole(1), whole(2), "INTEGER"},
		{of(types.Float), literalArg(t, dec(2, 1), "1.5"), "FLOAT"},
		{of(types.Date), text("2020-01-01"), "DATE"},
		{of(types.Integer), text("1"), "INTEGER"},
		{of(types.Blob), text("a"), "BLOB"},
		{of(mood), text("ok"), "ENUM('sad', 'ok')"},
		{of(mood), text("other"), "VARCHAR"},
		{whole(1), text("1"), "INTEGER"},
		// Nested types go by element and by name; nullability adds up.
		{of(list(types.Integer, false)), of(list(dec(2, 1), false)), "DECIMAL(11,1)[]"},
		{of(list(types.Integer, false)), of(list(types.Varchar, false)), ""},
		{of(types.ArrayOfField(field("item", types.Integer, true), 2)), of(types.ArrayOfField(field("item", types.BigInt, true), 2)), "BIGINT[2]"},
		{of(types.ArrayOfField(field("item", types.Integer, true), 2)), of(types.ArrayOfField(field("item", types.Integer, true), 3)), "INTEGER[]"},
		{of(types.StructOf(field("a", types.Integer, false))), of(types.StructOf(field("b", types.Date, false), field("a", types.BigInt, false))), "STRUCT(a BIGINT, b DATE)"},
		{of(types.MapOf(types.Integer, types.Date)), of(types.MapOf(types.BigInt, types.Timestamp)), "MAP(BIGINT, TIMESTAMP)"},
		{of(types.UnionOf(field("a", types.Integer, false))), of(types.UnionOf(field("b", types.Varchar, false), field("a", types.BigInt, true))), "UNION(a BIGINT, b VARCHAR)"},
		{of(types.UnionOf(field("a", types.Integer, false), field("b", types.Varchar, false))), of(types.SmallInt), "UNION(a INTEGER, b VARCHAR)"},
		{of(types.UnionOf(field("a", types.Varchar, false), field("b", types.Varchar, false))), of(types.Varchar), ""},
		{of(types.UnionOf(field("a", types.Integer, false))), of(types.Date), ""},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			got, err := CommonType(a, b)
			switch {
			case c.want == "":
				if !errors.Is(err, types.ErrNoCommonType) {
					t.Errorf("%s and %s: %s, want none", a.Type, b.Type, got)
				}
				var e *types.Error
				if errors.As(err, &e) && (!strings.Contains(e.Hint, a.Type.String()) || !strings.Contains(e.Hint, b.Type.String())) {
					t.Errorf("%s and %s: hint %q names not both casts", a.Type, b.Type, e.Hint)
				}
			case err != nil:
				t.Errorf("%s and %s: %v", a.Type, b.Type, err)
			case got.String() != c.want && !(swap && got.IsNested() && got.Kind() != types.KindList && got.Kind() != types.KindArray):
				// (the order of members is that of the first argument)
				t.Errorf("%s and %s: %s, want %s", a.Type, b.Type, got, c.want)
			}
		}
	}

	merged, err := CommonType(of(types.StructOf(field("a", list(types.Integer, false), false))), of(types.StructOf(field("a", list(types.Integer, true), false), field("b", types.Date, false))))
	if err != nil || merged.Fields()[0].Nullable || !merged.Fields()[0].Type.Elem().Nullable || !merged.Fields()[1].Nullable {
		t.Errorf("nullability of %s is not that of either side: %v", merged, err)
	}
	union, err := CommonType(
		of(types.UnionOfCodes([]types.Field{field("a", types.Integer, false)}, []int8{1}, false)),
		of(types.UnionOfCodes([]types.Field{field("b", types.Integer, false), field("c", types.Integer, false)}, []int8{7, 8}, true)))
	if codes := union.Codes(); err != nil || len(codes) != 3 || codes[0] != 1 || codes[1] != 0 || codes[2] != 2 || !union.Tagged() {
		t.Errorf("codes %v, tagged %v: the first union's codes stay and new variants take the smallest free ones", union.Codes(), union.Tagged())
	}
}

func TestCommonTypeOf(t *testing.T) {
	whole := func(x int64) Arg { return literalArg(t, types.Integer, x) }
	for _, c := range []struct {
		args []Arg
		want string
	}{
		{nil, `"NULL"`},
		{[]Arg{whole(1), whole(2), {Type: types.TinyInt}}, "TINYINT"},
		{[]Arg{whole(1), whole(1000), {Type: types.TinyInt}}, "INTEGER"},
		{[]Arg{literalArg(t, types.Varchar, "1"), whole(1), {Type: types.TinyInt}}, "TINYINT"},
		{[]Arg{literalArg(t, types.Varchar, "1"), literalArg(t, types.Varchar, "2")}, "VARCHAR"},
		{[]Arg{{Type: types.Null}, literalArg(t, types.Varchar, "2020-01-01"), {Type: types.Date}}, "DATE"},
	} {
		got, err := CommonTypeOf(c.args...)
		if err != nil || got.String() != c.want {
			t.Errorf("%v: %s, %v, want %s", c.args, got, err, c.want)
		}
	}
	if _, err := CommonTypeOf(Arg{Type: types.Date}, whole(1)); err == nil {
		t.Error("a date and a number have a common type")
	}
}

func TestSetOperationType(t *testing.T) {
	for _, c := range []struct {
		a, b types.Type
		want string
	}{
		{types.Varchar, types.Integer, "VARCHAR"},
		{types.Date, types.Varchar, "VARCHAR"},
		{types.Integer, types.BigInt, "BIGINT"},
		{types.Varchar, types.ListOf(types.Varchar), ""},
		{types.Date, types.Integer, ""},
	} {
		got, err := SetOperationType(c.a, c.b)
		if (err != nil) != (c.want == "") || err == nil && got.String() != c.want {
			t.Errorf("%s and %s: %s, %v, want %s", c.a, c.b, got, err, c.want)
		}
	}
}
