package arrowjson_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

func parseType(t *testing.T, text string) arrow.Field {
	t.Helper()
	field, err := conformance.ParseType(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return field
}

// TestUnmarshalForms reads what Marshal does not write that way.
func TestUnmarshalForms(t *testing.T) {
	for _, c := range []struct{ typ, json, want string }{
		{"i32", ` [ 1 , 1e3 , 12.0 , 120e-1 , -0 , 0.0e5 , 0e999999999999 ] `, `[1,1000,12,12,0,0,0]`},
		{"u64", `[18446744073709551615.000]`, `[18446744073709551615]`},
		{"decimal128(5,2)", `[1,1.5,1.50000,15e-1,0.00015e4,999.99]`, `[1.00,1.50,1.50,1.50,1.50,999.99]`},
		{"decimal128(4,-3)", `[12e3,0,9999000.0]`, `[12000,0,9999000]`},
		{"f64", `[1,1e-400,-0]`, `[1.0,0.0,-0.0]`},
		{"f16", `[65519,1e-10]`, `[65504.0,0.0]`},
		{"utf8", `["\u0061\ud83d\ude00\/\b"]`, `["a😀/\u0008"]`},
		{"struct{a i32?,b i32!}", `[{"b":1,"a":2},{"\u0062":3}]`, `[{"a":2,"b":1},{"a":null,"b":3}]`},
		{"timestamp(s,UTC)", `["2020-01-01T00:30:00+01:00","2020-01-01T00:00:00-00:30","2020-01-01T00:00:00.000Z"]`,
			`["2019-12-31T23:30:00Z","2020-01-01T00:30:00Z","2020-01-01T00:00:00Z"]`},
		{"date32", `["+2020-01-02","-0004-02-29"]`, `["2020-01-02","-0004-02-29"]`},
		{"interval_month_day_nano", `["P1Y2M3W4DT5H6M7.089S","P0D","PT-0.5S","-P1D"]`, ""},
		{"interval_month_day_nano", `["P1Y2M3W4DT5H6M7.089S","P0D","PT-0.5S"]`, `["P1Y2M25DT5H6M7.089S","PT0S","PT-0.5S"]`},
		{"list<i32>", `[[ ],[ 1 , 2 ]]`, `[[],[1,2]]`},
		{"su{5:a i32!,6:n null,7:b i32}", `[null]`, `[[6,null]]`},
		{"su{5:a su{1:x i32?}!}", `[null,[5,null]]`, `[[5,[1,null]],[5,[1,null]]]`},
	} {
		field := parseType(t, c.typ)
		arr, err := arrowjson.Unmarshal([]byte(c.json), field, arrowjson.ReadOptions{})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: %s is read", c.typ, c.json)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		if text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{}); err != nil || string(text) != c.want {
			t.Errorf("%s: got %s %v, want %s", c.typ, text, err, c.want)
		}
	}
}

// invalidText stands for the faults of a text that is no JSON, which have a code but no kind.
var invalidText = errors.New("no JSON")

func TestUnmarshalErrors(t *testing.T) {
	for _, c := range []struct {
		typ, json string
		kind      error
		path      string
		row       int64
		column    int
	}{
		{"i32", `[1,2147483648]`, types.ErrCastOverflow, "", 1, 4},
		{"i32", `[1.5]`, types.ErrCastInvalid, "", 0, 2},
		{"i32", `[1e-1]`, types.ErrCastInvalid, "", 0, 2},
		{"i32", `[1e400]`, types.ErrCastOverflow, "", 0, 2},
		{"i32", `[1e99999999999999999999]`, types.ErrCastOverflow, "", 0, 2},
		{"i32", `["1"]`, types.ErrCastInvalid, "", 0, 2},
		{"i32", `[true]`, types.ErrCastInvalid, "", 0, 2},
		{"i32", `[[1]]`, types.ErrCastInvalid, "", 0, 2},
		{"i32", `[{}]`, types.ErrCastInvalid, "", 0, 2},
		{"i8", `[-129]`, types.ErrCastOverflow, "", 0, 2},
		{"u8", `[-1]`, types.ErrCastOverflow, "", 0, 2},
		{"u64", `[18446744073709551616]`, types.ErrCastOverflow, "", 0, 2},
		{"i64", `[-9223372036854775809]`, types.ErrCastOverflow, "", 0, 2},
		{"i64", `[` + strings.Repeat("9", 1000) + `]`, types.ErrCastOverflow, "", 0, 2},
		{"i64", `[1.` + strings.Repeat("0", 1000) + `1]`, types.ErrCastInvalid, "", 0, 2},
		{"null", `[1]`, types.ErrCastInvalid, "", 0, 2},
		{"bool", `[1]`, types.ErrCastInvalid, "", 0, 2},
		{"decimal128(3,1)", `[99.9,100]`, types.ErrCastOverflow, "", 1, 7},
		{"decimal128(3,1)", `[0.05]`, types.ErrCastInvalid, "", 0, 2},
		{"decimal128(4,-3)", `[1500]`, types.ErrCastInvalid, "", 0, 2},
		{"decimal256(76,0)", `[1` + strings.Repeat("0", 76) + `]`, types.ErrCastOverflow, "", 0, 2},
		{"f32", `[1e39]`, types.ErrCastOverflow, "", 0, 2},
		{"f64", `[1e309]`, types.ErrCastOverflow, "", 0, 2},
		{"f16", `[65520]`, types.ErrCastOverflow, "", 0, 2},
		{"f64", `["nan"]`, types.ErrCastInvalid, "", 0, 2},
		{"f64", `[NaN]`, invalidText, "", 0, 2},
		{"utf8", `[1]`, types.ErrCastInvalid, "", 0, 2},
		{"utf8", "[\"\xff\"]", invalidText, "", 0, 2},
		{"utf8", `["\ud800"]`, invalidText, "", 0, 2},
		{"utf8", `["\udc00\ud800"]`, invalidText, "", 0, 2},
		{"utf8", `["\x"]`, invalidText, "", 0, 2},
		{"utf8", "[\"a\nb\"]", invalidText, "", 0, 4},
		{"utf8", `["a`, invalidText, "", 0, 4},
		{"utf8", `["a\`, invalidText, "", 0, 5},
		{"binary", `["YQ"]`, types.ErrCastInvalid, "", 0, 2},
		{"binary", `["YR=="]`, types.ErrCastInvalid, "", 0, 2},
		{"binary", `["YWJj\n"]`, types.ErrCastInvalid, "", 0, 2},
		{"fixed_size_binary(2)", `["YWJj"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["2020-02-30"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["2020-13-01"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["2020-00-01"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["2020-1-02"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["2020-01-02 "]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["12020-01-02"]`, types.ErrCastInvalid, "", 0, 2},
		{"date32", `["+5881580-07-12"]`, types.ErrCastOverflow, "", 0, 2},
		{"date32", `[""]`, types.ErrCastInvalid, "", 0, 2},
		{"date64", `["+999999999999-01-01"]`, types.ErrCastOverflow, "", 0, 2},
		{"time32(s)", `["00:00:00.5"]`, types.ErrCastInvalid, "", 0, 2},
		{"time32(s)", `["00:60:00"]`, types.ErrCastInvalid, "", 0, 2},
		{"time32(s)", `["999999999:00:00"]`, types.ErrCastOverflow, "", 0, 2},
		{"time64(ns)", `["2562047:47:16.854775808"]`, types.ErrCastOverflow, "", 0, 2},
		{"timestamp(ns)", `["2262-04-11T23:47:16.854775808"]`, types.ErrCastOverflow, "", 0, 2},
		{"timestamp(ns)", `["1677-09-21T00:12:43.145224191"]`, types.ErrCastOverflow, "", 0, 2},
		{"timestamp(us)", `["2020-01-01T00:00:00.0000001"]`, types.ErrCastInvalid, "", 0, 2},
		{"timestamp(us)", `["2020-01-01T00:00:00Z"]`, types.ErrCastInvalid, "", 0, 2},
		{"timestamp(us)", `["2020-01-01"]`, types.ErrCastInvalid, "", 0, 2},
		{"timestamp(us)", `["2020-01-01T24:00:00"]`, types.ErrCastInvalid, "", 0, 2},
		{"timestamp(us,UTC)", `["2020-01-01T00:00:00"]`, types.ErrCastInvalid, "", 0, 2},
		{"timestamp(us,UTC)", `["2020-01-01T00:00:00+24:00"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["P1D"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["PT1.5S"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["PT1S1H"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["PT1.5H"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["PT"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["P"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(s)", `["PT1"]`, types.ErrCastInvalid, "", 0, 2},
		{"duration(ns)", `["PT9223372036.854775808S"]`, types.ErrCastOverflow, "", 0, 2},
		{"duration(s)", `["PT99999999999999999999S"]`, types.ErrCastOverflow, "", 0, 2},
		{"interval_months", `["P1D"]`, types.ErrCastInvalid, "", 0, 2},
		{"interval_months", `["P999999999Y"]`, types.ErrCastOverflow, "", 0, 2},
		{"interval_day_time", `["P1M"]`, types.ErrCastInvalid, "", 0, 2},
		{"interval_day_time", `["PT600H"]`, types.ErrCastOverflow, "", 0, 2},
		{"interval_day_time", `["PT0.0001S"]`, types.ErrCastInvalid, "", 0, 2},
		{"i32!", `[1,null]`, types.ErrNullInRequired, "", 1, 4},
		{"dictionary<i8,utf8>!", `[null]`, types.ErrNullInRequired, "", 0, 2},
		{"ree<i32,utf8!>", `[null]`, types.ErrNullInRequired, "", 0, 2},
		{"list<i32!>", `[[1],[2,null]]`, types.ErrNullInRequired, "[]", 1, 9},
		{"list<i32>", `[{}]`, types.ErrCastInvalid, "", 0, 2},
		{"list<i32>", `[[1,]]`, invalidText, "", 0, 5},
		{"fixed_size_list(2)<i32>", `[[1]]`, types.ErrCastInvalid, "", 0, 2},
		{"fixed_size_list(2)<i32>", `[[1,2,3]]`, types.ErrCastInvalid, "", 0, 2},
		{"map<utf8!,i32!>", `[[["a",null]]]`, types.ErrNullInRequired, "value", 0, 8},
		{"map<utf8!,i32!>", `[[[null,1]]]`, types.ErrNullInRequired, "key", 0, 4},
		{"map<utf8!,i32>", `[[["a"]]]`, invalidText, "", 0, 7},
		{"map<utf8!,i32>", `[[["a",1,2]]]`, invalidText, "", 0, 9},
		{"map<utf8!,i32>", `[{"a":1}]`, types.ErrCastInvalid, "", 0, 2},
		{"struct{a i32!}", `[{"a":1},{}]`, types.ErrMissingRequiredField, "a", 1, 10},
		{"struct{a i32}", `[{"b":1}]`, types.ErrNoMember, "", 0, 3},
		{"struct{a i32}", `[{"a":1,"a":2}]`, types.ErrAmbiguousMember, "a", 0, 9},
		{"struct{a i32}", `[{"a":1 "b":2}]`, invalidText, "", 0, 9},
		{"struct{a i32}", `[{a:1}]`, invalidText, "", 0, 3},
		{"struct{a i32}", `[{"a" 1}]`, invalidText, "", 0, 7},
		{"struct{a i32}", "[{\"\xff\":1}]", invalidText, "", 0, 3},
		{"struct{s struct{x i8}}", `[{"s":{"x":128}}]`, types.ErrCastOverflow, "s.x", 0, 12},
		{"su{5:a i32!}", `[null]`, types.ErrNoNullHost, "", 0, 2},
		{"su{5:a i32!}", `[[5,null]]`, types.ErrNullInRequired, "a", 0, 5},
		{"du{5:a i32}", `[[6,1]]`, types.ErrUnknownTypeCode, "", 0, 3},
		{"du{5:a i32}", `[[5.0,1]]`, types.ErrUnknownTypeCode, "", 0, 3},
		{"du{5:a i32}", `[[-5,1]]`, types.ErrUnknownTypeCode, "", 0, 3},
		{"du{5:a i32}", `[[300,1]]`, types.ErrUnknownTypeCode, "", 0, 3},
		{"du{5:a i32}", `[["5",1]]`, types.ErrCastInvalid, "", 0, 3},
		{"du{5:a i32}", `[[5]]`, invalidText, "", 0, 4},
		{"du{5:a i32}", `[[5,1,2]]`, invalidText, "", 0, 6},
		{"du{5:a i32}", `[5]`, types.ErrCastInvalid, "", 0, 2},
		{"tu{5:a i32}!", `[null]`, types.ErrNullInRequired, "", 0, 2},
		{"i32", ``, invalidText, "", 0, 1},
		{"i32", `{}`, invalidText, "", 0, 1},
		{"i32", `[`, invalidText, "", 0, 2},
		{"i32", `[1`, invalidText, "", 1, 3},
		{"i32", `[1,`, invalidText, "", 1, 4},
		{"i32", `[1,]`, invalidText, "", 1, 4},
		{"i32", `[1 2]`, invalidText, "", 1, 4},
		{"i32", `[1] 2`, invalidText, "", 1, 5},
		{"i32", `[01]`, invalidText, "", 0, 2},
		{"i32", `[+1]`, invalidText, "", 0, 2},
		{"i32", `[nul]`, invalidText, "", 0, 2},
	} {
		arr, err := arrowjson.Unmarshal([]byte(c.json), parseType(t, c.typ), arrowjson.ReadOptions{})
		var e *types.Error
		switch {
		case err == nil:
			t.Errorf("%s: %s is read as %v", c.typ, c.json, arr)
		case !errors.As(err, &e):
			t.Errorf("%s: %s gives a %T", c.typ, c.json, err)
		case c.kind == invalidText && e.Code != types.CodeInvalidText, c.kind != invalidText && e.Kind != c.kind:
			t.Errorf("%s: %s: got %s %v, want %v", c.typ, c.json, e.Code, e, c.kind)
		case e.Path != c.path || e.Row != c.row || e.Position.Column != c.column && !strings.Contains(c.json, "\n"):
			t.Errorf("%s: %s: got path %q, row %d, column %d: %v", c.typ, c.json, e.Path, e.Row, e.Position.Column, e)
		}
	}
}

func TestUnmarshalPosition(t *testing.T) {
	text := "[\n  {\"a\": 1},\n  {\"é\": 0, \"a\": true}\n]"
	_, err := arrowjson.Unmarshal([]byte(text), parseType(t, "struct{a i32}"), arrowjson.ReadOptions{IgnoreUnknown: true})
	var e *types.Error
	if !errors.As(err, &e) || e.Position != (types.Position{Offset: strings.Index(text, "true"), Line: 3, Column: 17}) {
		t.Errorf("got %v", err)
	}
}

func TestLenient(t *testing.T) {
	for _, c := range []struct{ typ, json, want string }{
		{"i32!", `[null]`, `[0]`},
		{"utf8!", `[null]`, `[""]`},
		{"fixed_size_binary(3)!", `[null]`, `["AAAA"]`},
		{"date32!", `[null]`, `["1970-01-01"]`},
		{"list<i32>!", `[null]`, `[[]]`},
		{"fixed_size_list(2)<i32!>!", `[null]`, `[[0,0]]`},
		{"struct{a i32!,b i32,n null}!", `[null,{"a":null}]`, `[{"a":0,"b":null,"n":null},{"a":0,"b":null,"n":null}]`},
		{"su{3:n null,4:a bool!}", `[[4,null],null]`, `[[4,false],[3,null]]`},
		{"tu{4:a bool!}!", `[null]`, `[[4,false]]`},
		{"dictionary<i8,utf8>!", `[null,"a"]`, `["","a"]`},
		{"ree<i16,decimal32(3,1)!>!", `[null,null]`, `[0.0,0.0]`},
		{"map<utf8!,bool!>!", `[null,[[null,null]]]`, `[[],[["",false]]]`},
	} {
		field := parseType(t, c.typ)
		arr, err := arrowjson.Unmarshal([]byte(c.json), field, arrowjson.ReadOptions{Lenient: true})
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		checkClean(t, types.Validate(field, arr.Data(), types.ValidateStrict))
		if text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{}); err != nil || string(text) != c.want {
			t.Errorf("%s: got %s %v, want %s", c.typ, text, err, c.want)
		}
	}
	_, err := arrowjson.Unmarshal([]byte(`[{}]`), parseType(t, "struct{a i32!}"), arrowjson.ReadOptions{Lenient: true})
	if !errors.Is(err, types.ErrMissingRequiredField) {
		t.Errorf("a missing key gives %v", err)
	}
}

func TestIgnoreUnknown(t *testing.T) {
	field := parseType(t, "struct{a i32}")
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for text, good := range map[string]bool{
		`[{"x":{"a":[1,"]}",null,true,-1.5e7]},"a":1}]`: true,
		`[{"x":1,"x":2,"a":1}]`:                         true, // nobody asks for x
		`[{"x":tru,"a":1}]`:                             false,
		"[{\"x\":\"\xff\",\"a\":1}]":                    false,
		`[{"x":` + deep + `,"a":1}]`:                    false,
	} {
		_, err := arrowjson.Unmarshal([]byte(text), field, arrowjson.ReadOptions{IgnoreUnknown: true})
		if (err == nil) != good {
			t.Errorf("%.100s: %v", text, err)
		}
	}
}

// TestLongDurations: types.INTERVAL cannot hold all of Arrow's durations, JSON can.
func TestLongDurations(t *testing.T) {
	for unit, want := range map[string]string{
		"s": `["PT2562047788015215H30M7S","PT-2562047788015215H-30M-8S"]`, "ms": `["PT2562047788015H12M55.807S","PT-2562047788015H-12M-55.808S"]`,
	} {
		field := parseType(t, "duration("+unit+")")
		arr, err := arrowjson.Unmarshal([]byte(want), field, arrowjson.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", unit, err)
			continue
		}
		if got := arr.(*array.Duration).DurationValues(); !slices.Equal(got, []arrow.Duration{math.MaxInt64, math.MinInt64}) {
			t.Errorf("%s: got %v", unit, got)
		}
		if text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{}); err != nil || string(text) != want {
			t.Errorf("%s: got %s %v", unit, text, err)
		}
	}
}

// TestEncodings: dictionaries and runs are as short as they can be, and errors when they are too short.
func TestEncodings(t *testing.T) {
	read := func(typ, text string) arrow.Array {
		t.Helper()
		arr, err := arrowjson.Unmarshal([]byte(text), parseType(t, typ), arrowjson.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		return arr
	}
	many := "[" + strings.Repeat(`"b","a",null,"b",`, 1000) + `"b"]`
	if d := read("dictionary<i8,utf8>", many).(*array.Dictionary); d.Dictionary().Len() != 2 || d.GetValueIndex(0) != 0 || d.GetValueIndex(1) != 1 || d.NullN() != 1000 {
		t.Errorf("dictionary of %d entries", d.Dictionary().Len())
	}
	if d := read("dictionary<i8,f64>", `[0,-0,0.0,"NaN","NaN"]`).(*array.Dictionary); d.Dictionary().Len() != 3 {
		t.Errorf("dictionary of %d floats", d.Dictionary().Len())
	}
	if d := read("dictionary<u8,utf8>", `[null,null]`).(*array.Dictionary); d.NullN() != 2 {
		t.Errorf("%d null keys", d.NullN())
	}
	if r := read("ree<i16,list<i32>>", `[[1],[1],null,null,[],[],[2]]`).(*array.RunEndEncoded); r.GetPhysicalLength() != 4 {
		t.Errorf("%d runs", r.GetPhysicalLength())
	}
	both := read("ree<i16,dictionary<i8,utf8>>", many).(*array.RunEndEncoded)
	if d := both.Values().(*array.Dictionary); d.Dictionary().Len() != 2 || both.GetPhysicalLength() != 3001 {
		t.Errorf("dictionary of %d entries, %d runs", d.Dictionary().Len(), both.GetPhysicalLength())
	}
	if d := read("dictionary<i8,ree<i32,utf8>>", `["a","a","b","a"]`).(*array.Dictionary); d.Dictionary().Len() != 2 {
		t.Errorf("dictionary of %d runs", d.Dictionary().Len())
	}
	var numbers []byte
	for i := range 40_000 {
		numbers = append(numbers, `[0,`[min(i, 1)*2], byte('0'+i/128%2), byte('0'+i%8), byte('0'+i/8%8), byte('0'+i/64%2))
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(append(numbers, ']')), "[", `["`), ",", `","`)
	text = strings.TrimSuffix(text, "]") + `"]`
	if _, err := arrowjson.Unmarshal([]byte(text), parseType(t, "dictionary<i8,utf8>"), arrowjson.ReadOptions{}); !errors.Is(err, types.ErrDictKeyOverflow) {
		t.Errorf("too many entries: %v", err)
	}
	if _, err := arrowjson.Unmarshal([]byte(text), parseType(t, "ree<i16,utf8>"), arrowjson.ReadOptions{}); !errors.Is(err, types.ErrRunEndOverflow) {
		t.Errorf("too many rows: %v", err)
	}
}

// TestHiddenSlots: what no row shows is null where it may be, else a value.
func TestHiddenSlots(t *testing.T) {
	arr, err := arrowjson.Unmarshal([]byte(`[[1,"x"],[1,null],[0,7]]`), parseType(t, "su{0:a i32!,1:s utf8?,2:b i32?,3:l list<i32!>!}"), arrowjson.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	union := arr.(*array.SparseUnion)
	for i, nulls := range []int{0, 2, 3, 0} {
		if got := union.Field(i).NullN(); got != nulls {
			t.Errorf("variant %d: %d nulls, want %d", i, got, nulls)
		}
	}
	arr, err = arrowjson.Unmarshal([]byte(`[null]`), parseType(t, "struct{a i32!,b i32?,f fixed_size_list(2)<i8!>!,u su{4:n null,5:x i8!}!}"), arrowjson.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := arr.(*array.Struct)
	for i, nulls := range []int{0, 1, 0} {
		if got := row.Field(i).NullN(); got != nulls {
			t.Errorf("field %d: %d nulls, want %d", i, got, nulls)
		}
	}
}

func TestUnmarshalRefusesSchemas(t *testing.T) {
	for typ, kind := range map[string]error{
		"struct{a i32,a i32}": types.ErrAmbiguousMember, "su{}": types.ErrUnsupported, "list<struct{a i32,a i32}>": types.ErrAmbiguousMember,
		"decimal256(77,0)": types.ErrUnsupported,
	} {
		if _, err := arrowjson.Unmarshal([]byte(`[]`), parseType(t, typ), arrowjson.ReadOptions{}); !errors.Is(err, kind) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if _, err := arrowjson.Unmarshal([]byte(`[]`), arrow.Field{Name: "\xff", Type: arrow.Null}, arrowjson.ReadOptions{}); !errors.Is(err, types.ErrUnsupported) {
		t.Errorf("name: %v", err)
	}
}
