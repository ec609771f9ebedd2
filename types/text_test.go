package types_test

import (
	"math"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

func value(t *testing.T, typ types.Type, x any) *types.Vector {
	t.Helper()
	v, err := types.NewValue(typ, x)
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	return v
}

// TestText: each text is what DuckDB 1.5.6 gives for CAST(x AS VARCHAR).
func TestText(t *testing.T) {
	at := func(y int, m time.Month, d, h, min, s, ns int) time.Time {
		return time.Date(y, m, d, h, min, s, ns, time.UTC)
	}
	strs := types.ListOf(types.Varchar)
	field := func(name string, typ types.Type) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: true}
	}
	union := types.UnionOf(field("k", types.Integer), field("s", types.Varchar))
	list := func(x ...any) []any { return x }
	cases := []struct {
		typ  types.Type
		x    any
		want string
	}{
		{types.Double, nil, "NULL"},
		{types.Boolean, true, "true"},
		{types.TinyInt, -128, "-128"},
		{types.UBigInt, uint64(math.MaxUint64), "18446744073709551615"},
		{types.HugeInt, "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"},
		{types.HugeInt, "-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"},
		{types.Double, 1.0, "1.0"},
		{types.Double, 1e15, "1000000000000000.0"},
		{types.Double, 9999999999999998.0, "9999999999999998.0"},
		{types.Double, 1e16, "1e+16"},
		{types.Double, 123456789012345680.0, "1.2345678901234568e+17"},
		{types.Double, 0.0001, "0.0001"},
		{types.Double, 1.5e-5, "1.5e-05"},
		{types.Double, 5e-324, "5e-324"},
		{types.Double, math.MaxFloat64, "1.7976931348623157e+308"},
		{types.Double, math.Copysign(0, -1), "-0.0"},
		{types.Double, math.Inf(-1), "-inf"},
		{types.Double, math.NaN(), "nan"},
		{types.Double, 123456.789, "123456.789"},
		{types.Float, float32(0.1), "0.1"},
		{types.Float, float32(16777216), "16777216.0"},
		{types.Float, float32(3.4028235e38), "3.4028235e+38"},
		{types.Float, float32(1e-45), "1e-45"},
		{types.Float, float32(3e-5), "3e-05"},
		{types.Decimal(3, 1), "1.5", "1.5"},
		{types.Decimal(4, 2), "-0.05", "-0.05"},
		{types.Decimal(4, 4), "0", ".0000"},
		{types.Decimal(5, 5), "-0.5", "-.50000"},
		{types.Decimal(10, 0), "-1", "-1"},
		{types.Decimal(38, 37), "0.00001", "0.0000100000000000000000000000000000000"},
		{types.Decimal(38, 0), "12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
		{types.Blob, []byte("A\x00a\xff'\"\\ ~\x7f"), `A\x00a\xFF\x27\x22\x5C ~\x7F`},
		{types.UUID, "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{types.Bit, "0101", "0101"},
		{types.Bit, "010110101", "010110101"},
		{types.EnumOf([]string{"a", "hello"}), "hello", "hello"},
		{types.JSON, `{"a": 1}`, `{"a": 1}`},
		{types.Date, at(2020, 1, 2, 0, 0, 0, 0), "2020-01-02"},
		{types.Date, at(-44, 3, 15, 0, 0, 0, 0), "0045-03-15 (BC)"},
		{types.Date, at(0, 1, 1, 0, 0, 0, 0), "0001-01-01 (BC)"},
		{types.Date, at(12345, 1, 1, 0, 0, 0, 0), "12345-01-01"},
		{types.Date, at(2000, 2, 29, 0, 0, 0, 0), "2000-02-29"},
		{types.Time, 3723 * time.Second, "01:02:03"},
		{types.Time, 3723*time.Second + 500*time.Millisecond, "01:02:03.5"},
		{types.Time, 24 * time.Hour, "24:00:00"},
		{types.TimeOf(types.Nanosecond), 3723*time.Second + 5, "01:02:03.000000005"},
		{types.Timestamp, at(2020, 1, 2, 3, 4, 5, 0), "2020-01-02 03:04:05"},
		{types.Timestamp, at(2020, 1, 2, 3, 4, 5, 120_000_000), "2020-01-02 03:04:05.12"},
		{types.Timestamp, at(2020, 1, 2, 3, 4, 5, 1000), "2020-01-02 03:04:05.000001"},
		{types.Timestamp, at(1969, 12, 31, 23, 59, 59, 999_999_000), "1969-12-31 23:59:59.999999"},
		{types.Timestamp, at(-43, 3, 15, 1, 2, 3, 0), "0044-03-15 (BC) 01:02:03"},
		{types.TimestampOf(types.Second), at(2020, 1, 2, 3, 4, 5, 0), "2020-01-02 03:04:05"},
		{types.TimestampOf(types.Millisecond), at(2020, 1, 2, 3, 4, 5, 120_000_000), "2020-01-02 03:04:05.12"},
		{types.TimestampOf(types.Nanosecond), at(2020, 1, 2, 3, 4, 5, 1), "2020-01-02 03:04:05.000000001"},
		{types.TimestampTZ, at(2020, 1, 2, 3, 4, 5, 500_000_000), "2020-01-02 03:04:05.5+00"},
		{types.TimestampOffset, time.Date(2020, 1, 2, 3, 4, 5, 0, time.FixedZone("", -9000)), "2020-01-02 03:04:05-02:30"}, // not in DuckDB
		{types.Interval, types.MonthDayNano{Months: 14, Days: 3, Nanos: 14706e9}, "1 year 2 months 3 days 04:05:06"},
		{types.Interval, types.MonthDayNano{}, "00:00:00"},
		{types.Interval, types.MonthDayNano{Months: -1}, "-1 month"},
		{types.Interval, types.MonthDayNano{Months: -14}, "-1 year -2 months"},
		{types.Interval, types.MonthDayNano{Months: 24}, "2 years"},
		{types.Interval, types.MonthDayNano{Days: -1, Nanos: -14706.5e9}, "-1 day -04:05:06.5"},
		{types.Interval, types.MonthDayNano{Nanos: 360000e9}, "100:00:00"},
		{types.Interval, types.MonthDayNano{Months: 12, Days: -1, Nanos: -1000}, "1 year -1 day -00:00:00.000001"},
		{types.ListOf(types.Integer), list(1, nil, 2), "[1, NULL, 2]"},
		{types.ListOf(types.Integer), list(), "[]"},
		{strs, list("a", nil, "b c", "", "it's", "a,b", "[x]", "NULL", "null", " a ", `"q"`, `a\b`, "é", "a:b", "a=b", "("), `[a, NULL, b c, '', 'it\'s', 'a,b', '[x]', 'NULL', 'null', ' a ', '"q"', a\b, é, 'a:b', 'a=b', '(']`},
		{strs, list(`a'b"c`, `a\"b`, "'", "a\nb", "a\n"), `['a\'b"c', 'a\\"b', '\'', ` + "a\nb, 'a\n']"},
		{types.ListOf(strs), list(list("a", "b,c")), "[[a, 'b,c']]"},
		{types.ListOf(types.Timestamp), list(at(2020, 1, 2, 3, 4, 5, 0)), "['2020-01-02 03:04:05']"},
		{types.ListOf(types.Date), list(at(2020, 1, 2, 0, 0, 0, 0), at(-43, 3, 15, 0, 0, 0, 0)), "[2020-01-02, '0044-03-15 (BC)']"},
		{types.ListOf(types.Blob), list([]byte{0xAA}, []byte("A,")), `[\xAA, 'A,']`},
		{types.ListOf(types.JSON), list(`"a,b"`), `["a,b"]`},
		{types.ListOf(types.EnumOf([]string{"a,b"})), list("a,b"), "['a,b']"},
		{types.ArrayOfField(field("item", types.Varchar), 2), list("a,b", nil), "[a,b, NULL]"},
		{types.StructOf(field("a", types.Varchar), field("b c", types.Integer), field("it's", types.Double)), []types.FieldValue{{Name: "a", Value: "x,y"}, {Name: "b c"}, {Name: "it's", Value: 1.0}}, `{'a': 'x,y', 'b c': NULL, 'it\'s': 1.0}`},
		{types.StructOf(field("j", types.JSON)), map[string]any{"j": "{}"}, "{'j': '{}'}"},
		{types.StructOf(field("", types.Integer), field("", types.Varchar)), []types.FieldValue{{Value: 1}, {Value: "a,b"}}, "(1, 'a,b')"},
		{types.MapOf(types.Varchar, types.Integer), []types.MapEntry{{Key: "k", Value: 1}, {Key: "x y", Value: nil}, {Key: "a=b", Value: 2}}, "{k=1, x y=NULL, 'a=b'=2}"},
		{types.MapOf(types.Timestamp, types.ListOf(types.Integer)), []types.MapEntry{{Key: at(2020, 1, 2, 3, 4, 5, 0), Value: list(1)}}, "{'2020-01-02 03:04:05'=[1]}"},
		{types.MapOf(types.Varchar, types.Integer), []types.MapEntry{}, "{}"},
		{union, types.UnionValue{Tag: "k", Value: 1}, "1"},
		{union, types.UnionValue{Tag: "s", Value: "it's"}, "it's"},
		{types.ListOf(union), list(types.UnionValue{Tag: "s", Value: "a,b"}, types.UnionValue{Tag: "k"}), "[a,b, NULL]"},
	}
	for _, c := range cases {
		if got := types.Text(value(t, c.typ, c.x), 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.typ, got, c.want)
		}
	}
}

func TestTextOfExtremes(t *testing.T) {
	for _, c := range []struct {
		v    *types.Vector
		want string
	}{
		{types.NewFixed(types.Date, []int32{types.InfiniteDate}, nil), "infinity"},
		{types.NewFixed(types.Date, []int32{-types.InfiniteDate}, nil), "-infinity"},
		{types.NewFixed(types.Date, []int32{-types.InfiniteDate + 1}, nil), "5877642-06-25 (BC)"},
		{types.NewFixed(types.Date, []int32{types.InfiniteDate - 1}, nil), "5881580-07-10"},
		{types.NewFixed(types.Timestamp, []int64{types.InfiniteTimestamp}, nil), "infinity"},
		{types.NewFixed(types.TimestampTZ, []int64{-types.InfiniteTimestamp}, nil), "-infinity"},
		{types.NewFixed(types.Timestamp, []int64{types.InfiniteTimestamp - 1}, nil), "294247-01-10 04:00:54.775806"},
		{types.NewFixed(types.Timestamp, []int64{-9223372022400000000}, nil), "290309-12-22 (BC) 00:00:00"},
		{types.NewFixed(types.Interval, []types.MonthDayNano{{Months: math.MinInt32, Days: math.MinInt32, Nanos: math.MinInt64}}, nil), "-178956970 years -8 months -2147483648 days -2562047:47:16.854775808"},
		{types.NewFixed(types.Half, []uint16{0x3c00, 0x7c00, 1}, nil), "1.0"},
	} {
		if got := types.Text(c.v, 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.v.Type(), got, c.want)
		}
	}
}
