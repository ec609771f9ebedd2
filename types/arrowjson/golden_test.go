package arrowjson_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// goldens are arrays, in the notation of the conformance cases, and their JSON.
var goldens = []struct{ array, json string }{
	{`["null",[null,null]]`, `[null,null]`},
	{`["bool",[true,false,null]]`, `[true,false,null]`},
	{`["i8",[-128,127]]`, `[-128,127]`},
	{`["i16",[-32768,32767]]`, `[-32768,32767]`},
	{`["i32",[-2147483648,2147483647,null]]`, `[-2147483648,2147483647,null]`},
	{`["i64",[-9223372036854775808,9223372036854775807,9007199254740993]]`, `[-9223372036854775808,9223372036854775807,9007199254740993]`},
	{`["u8",[255]]`, `[255]`},
	{`["u16",[65535]]`, `[65535]`},
	{`["u32",[4294967295]]`, `[4294967295]`},
	{`["u64",[18446744073709551615]]`, `[18446744073709551615]`},
	{`["f16",[1.5,65504,"NaN","-Infinity"]]`, `[1.5,65504.0,"NaN","-Infinity"]`},
	{`["f32",[0.1,1e20,"-0"]]`, `[0.1,1e+20,-0.0]`},
	{`["f64",[0.1,1,"NaN","Infinity","-Infinity","-0",5e-324,1.7976931348623157e308]]`,
		`[0.1,1.0,"NaN","Infinity","-Infinity",-0.0,5e-324,1.7976931348623157e+308]`},
	{`["decimal32(9,4)",[-1,12345]]`, `[-0.0001,1.2345]`},
	{`["decimal64(18,2)",[999999999999999999]]`, `[9999999999999999.99]`},
	{`["decimal128(38,0)",[-99999999999999999999999999999999999999]]`, `[-99999999999999999999999999999999999999]`},
	{`["decimal128(3,3)",[5,-500]]`, `[0.005,-0.500]`},
	{`["decimal128(4,-3)",[12,-9999]]`, `[12000,-9999000]`},
	{`["decimal256(76,40)",[1]]`, `[0.0000000000000000000000000000000000000001]`},
	{`["utf8",["","a\"b\\c\n\u0001é😀",null]]`, `["","a\"b\\c\n\u0001é😀",null]`},
	{`["large_utf8",["x"]]`, `["x"]`},
	{`["utf8_view",["a text of more than twelve bytes"]]`, `["a text of more than twelve bytes"]`},
	{`["binary",["","a","ab","abc",null]]`, `["","YQ==","YWI=","YWJj",null]`},
	{`["large_binary",["abc"]]`, `["YWJj"]`},
	{`["binary_view",["abcdefghijklmnop"]]`, `["YWJjZGVmZ2hpamtsbW5vcA=="]`},
	{`["fixed_size_binary(2)",["ab",null]]`, `["YWI=",null]`},
	{`["date32",[0,-1,2932896,2932897,-719528,-719529,2147483647,-2147483648]]`,
		`["1970-01-01","1969-12-31","9999-12-31","+10000-01-01","0000-01-01","-0001-12-31","+5881580-07-11","-5877641-06-23"]`},
	{`["date64",[86400000,-86400000,1]]`, `["1970-01-02","1969-12-31","1970-01-01T00:00:00.001"]`},
	{`["time32(s)",[3723,86400]]`, `["01:02:03","24:00:00"]`},
	{`["time32(ms)",[3723004]]`, `["01:02:03.004"]`},
	{`["time64(us)",[3723000004]]`, `["01:02:03.000004"]`},
	{`["time64(ns)",[3723000000004,-1]]`, `["01:02:03.000000004","-00:00:00.000000001"]`},
	{`["timestamp(s)",[0,-1,9223372036854775807]]`, `["1970-01-01T00:00:00","1969-12-31T23:59:59","+292277026596-12-04T15:30:07"]`},
	{`["timestamp(ms)",[1500]]`, `["1970-01-01T00:00:01.5"]`},
	{`["timestamp(us)",[-1]]`, `["1969-12-31T23:59:59.999999"]`},
	{`["timestamp(ns)",[1,9223372036854775807,-9223372036854775808]]`,
		`["1970-01-01T00:00:00.000000001","2262-04-11T23:47:16.854775807","1677-09-21T00:12:43.145224192"]`},
	{`["timestamp(us,Europe/Madrid)",[0]]`, `["1970-01-01T00:00:00Z"]`},
	{`["duration(s)",[0,90061,-1]]`, `["PT0S","PT25H1M1S","PT-1S"]`},
	{`["duration(ns)",[1,-1500000000,9223372036854775807,-9223372036854775808]]`,
		`["PT0.000000001S","PT-1.5S","PT2562047H47M16.854775807S","PT-2562047H-47M-16.854775808S"]`},
	{`["interval_months",[14,-1,0]]`, `["P1Y2M","P-1M","PT0S"]`},
	{`["interval_day_time",[[1,500],[-1,-86400000],[0,0]]]`, `["P1DT0.5S","P-1DT-24H","PT0S"]`},
	{`["interval_month_day_nano",[[1,2,3],[-14,3,-60000000000],[0,0,0]]]`, `["P1M2DT0.000000003S","P-1Y-2M3DT-1M","PT0S"]`},
	{`["list<i32>",[[1,null],[],null]]`, `[[1,null],[],null]`},
	{`["large_list<utf8!>",[["a"]]]`, `[["a"]]`},
	{`["list_view<i32>",{"offsets":[1,0],"sizes":[2,2],"child":[1,2,3]}]`, `[[2,3],[1,2]]`},
	{`["large_list_view<i32>",[[1]]]`, `[[1]]`},
	{`["fixed_size_list(2)<i32>",[[1,2],null]]`, `[[1,2],null]`},
	{`["map<utf8!,i32>",[[["k",1],["k",null]],[],null]]`, `[[["k",1],["k",null]],[],null]`},
	{`["map<struct{a i32}!,i32>",[[[{"a":1},2]]]]`, `[[[{"a":1},2]]]`},
	{`["struct{a i32,b struct{}!}",[{"a":1,"b":{}},{"a":null,"b":{}},null]]`, `[{"a":1,"b":{}},{"a":null,"b":{}},null]`},
	{`["su{5:a i32,9:s utf8}",[[9,"x"],[5,null]]]`, `[[9,"x"],[5,null]]`},
	{`["du{5:a i32,9:s utf8}",[[9,"x"],[5,1],[9,null]]]`, `[[9,"x"],[5,1],[9,null]]`},
	{`["tu{0:a i32}",[null,[0,null],[0,1]]]`, `[null,[0,null],[0,1]]`},
	{`["dictionary<i8,utf8>",["x","y","x",null]]`, `["x","y","x",null]`},
	{`["ree<i32,utf8>",["x","x",null]]`, `["x","x",null]`},
	{`["ree<i16,dictionary<u8,su{0:a i32,1:n null}>>",[[0,1],[0,1],[1,null]]]`, `[[0,1],[0,1],[1,null]]`},
	{`["extension(test.celsius)<f64>",[1.5,null]]`, `[1.5,null]`},
}

func TestGoldens(t *testing.T) {
	for _, g := range goldens {
		a, err := conformance.ParseArray([]byte(g.array))
		if err != nil {
			t.Errorf("%s: %v", g.array, err)
			continue
		}
		text, err := arrowjson.Marshal(a.Field, a.Data(), arrowjson.WriteOptions{})
		if err != nil || string(text) != g.json {
			t.Errorf("%s\n got %s %v\nwant %s", g.array, text, err, g.json)
			continue
		}
		checkRoundTrip(t, a.Field, a.Data(), text)
	}
}

func parseArray(t *testing.T, text string) conformance.Array {
	t.Helper()
	a, err := conformance.ParseArray([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// checkRoundTrip reads a text as a field and compares with the array it came from (P11). The result must also be clean at the strictest level (P10).
func checkRoundTrip(t *testing.T, field arrow.Field, data arrow.ArrayData, text []byte) {
	t.Helper()
	back, err := arrowjson.Unmarshal(text, field, arrowjson.ReadOptions{})
	if err != nil {
		t.Errorf("%s from %s: %v", field, text, err)
		return
	}
	defer back.Release()
	checkClean(t, types.Validate(field, back.Data(), types.ValidateStrict))
	checkEqual(t, field, back.Data(), data, text)
}

// checkClean takes what types.Validate found. A union that is declared as required although a variant is nullable is a fault of the random schema.
func checkClean(t *testing.T, err error) {
	t.Helper()
	var found types.Violations
	if errors.As(err, &found); err != nil && found == nil {
		t.Error(err)
	}
	for _, e := range found {
		if !strings.HasPrefix(e.Message, "union is declared as required") {
			t.Error(e)
		}
	}
}

func checkEqual(t *testing.T, field arrow.Field, got, want arrow.ArrayData, text []byte) {
	t.Helper()
	a, err := types.ImportData(got, types.ImportOptions{Unions: types.UnionTagged})
	if err != nil {
		t.Errorf("%s from %s: %v", field, text, err)
		return
	}
	b, err := types.ImportData(want, types.ImportOptions{Unions: types.UnionTagged})
	if err != nil {
		t.Errorf("%s: %v", field, err)
		return
	}
	if !types.EqualWith(a, b, types.EqualOptions{NaNEqual: true, IgnoreEncoding: true}) {
		t.Errorf("%s from %s: not equal", field, text)
		return
	}
	again, err := arrowjson.Marshal(field, got, arrowjson.WriteOptions{})
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("%s from %s: written again %s %v", field, text, again, err)
	}
}
