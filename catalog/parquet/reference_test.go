package parquet

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// expected gives the values that testdata/make.py wrote, from before they were written: table, column, rows.
func expected(t testing.TB) map[string]map[string][]any {
	t.Helper()
	f, err := os.Open("testdata/expected.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string][]any
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// jsonValue gives a Go value as make.py wrote it down.
func jsonValue(x any) any {
	switch x := x.(type) {
	case nil, bool, string:
		return x
	case int8:
		return strconv.FormatInt(int64(x), 10)
	case int16:
		return strconv.FormatInt(int64(x), 10)
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case int64:
		return strconv.FormatInt(x, 10)
	case uint8:
		return strconv.FormatUint(uint64(x), 10)
	case uint16:
		return strconv.FormatUint(uint64(x), 10)
	case uint32:
		return strconv.FormatUint(uint64(x), 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float32:
		return jsonValue(float64(x))
	case float64:
		return strconv.FormatInt(int64(math.Float64bits(x)), 10)
	case types.DecimalValue:
		return x.Unscaled.String()
	case time.Duration:
		return strconv.FormatInt(x.Microseconds(), 10)
	case time.Time:
		return strconv.FormatInt(x.UnixMicro(), 10)
	case []byte:
		return hex.EncodeToString(x)
	case types.UUIDValue:
		return hex.EncodeToString(x[:])
	case []any:
		out := []any{}
		for _, y := range x {
			out = append(out, jsonValue(y))
		}
		return out
	case []types.FieldValue:
		out := []any{}
		for _, y := range x {
			out = append(out, jsonValue(y.Value))
		}
		return out
	case []types.MapEntry:
		out := []any{}
		for _, y := range x {
			out = append(out, []any{jsonValue(y.Key), jsonValue(y.Value)})
		}
		return out
	}
	panic(reflect.TypeOf(x).String())
}

var generated = []struct{ file, table string }{
	{"flat_v1_snappy_plain", "flat"},
	{"flat_v2_zstd_dictionary", "flat"},
	{"flat_v2_snappy_delta", "flat"},
	{"nulls_v1_gzip_dictionary", "nulls"},
	{"nulls_v1_snappy_fallback", "nulls"},
	{"nulls_v2_none_plain", "nulls"},
	{"nulls_v2_zstd_decimal_int", "nulls"},
	{"nulls_v2_snappy_delta", "nulls"},
	{"nulls_fixed_delta_byte_array", "nulls"},
	{"int96", "nulls"},
	{"nested_v1", "nested"},
	{"nested_v2", "nested"},
}

// TestGenerated reads files of every type, encoding and codec, with batches that do and do not meet the bounds of pages, and compares
// with what was written.
func TestGenerated(t *testing.T) {
	want := expected(t)
	for _, g := range generated {
		t.Run(g.file, func(t *testing.T) {
			table := openTable(t, "testdata/"+g.file+".parquet")
			for _, batch := range []int{1, 7, 64, 100, 4096} {
				request := allColumns(table)
				request.BatchRows = batch
				columns, err := readRows(table, request)
				if err != nil {
					t.Fatalf("batches of %d: %v", batch, err)
				}
				for i, f := range table.Schema() {
					compareColumn(t, f, columns[i], want[g.table][f.Name])
				}
			}
		})
	}
}

func compareColumn(t *testing.T, f types.Field, got, want []any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows instead of %d", f.Name, len(got), len(want))
	}
	for row := range want {
		x := jsonValue(got[row])
		if d, ok := got[row].(time.Time); ok && f.Type.Kind() == types.KindDate {
			x = strconv.FormatInt(d.Unix()/86400, 10)
		}
		if !reflect.DeepEqual(x, want[row]) {
			t.Fatalf("%s, row %d: %v instead of %v", f.Name, row, x, want[row])
		}
	}
}

// TestTypes checks the SQL types that the annotations give.
func TestTypes(t *testing.T) {
	for file, want := range map[string]string{
		"flat_v1_snappy_plain": `bool BOOLEAN NOT NULL, i8 TINYINT NOT NULL, i16 SMALLINT NOT NULL, i32 INTEGER NOT NULL, i64 BIGINT NOT NULL, ` +
			`u8 UTINYINT NOT NULL, u16 USMALLINT NOT NULL, u32 UINTEGER NOT NULL, u64 UBIGINT NOT NULL, f16 HALF NOT NULL, f32 FLOAT NOT NULL, ` +
			`f64 DOUBLE NOT NULL, d5 DECIMAL(5,2) NOT NULL, d15 DECIMAL(15,2) NOT NULL, d30 DECIMAL(30,5) NOT NULL, d60 DECIMAL(60,7) NOT NULL, ` +
			`date DATE NOT NULL, time_ms TIME_MS NOT NULL, time_us TIME NOT NULL, ts_ms TIMESTAMP_MS NOT NULL, ts_us TIMESTAMP NOT NULL, ` +
			`ts_ns TIMESTAMP_NS NOT NULL, tstz TIMESTAMP WITH TIME ZONE NOT NULL, str VARCHAR NOT NULL, str_unique VARCHAR NOT NULL, ` +
			`bin BLOB NOT NULL, fixed BLOB NOT NULL, uuid UUID NOT NULL`,
		"int96": `ts_us TIMESTAMP, ts_ns TIMESTAMP`,
		"nested_v1": `id INTEGER, l BIGINT[], ls VARCHAR[], ll BIGINT[][], s STRUCT(a INTEGER, b VARCHAR, t STRUCT(c DOUBLE)), ` +
			`m MAP(VARCHAR, INTEGER), lst STRUCT(x INTEGER, y BIGINT[])[]`,
		"duckdb": `id INTEGER, j JSON, e VARCHAR, v INTERVAL, s VARCHAR`,
	} {
		got := ""
		for i, f := range openTable(t, "testdata/"+file+".parquet").Schema() {
			if i > 0 {
				got += ", "
			}
			got += f.String()
		}
		if got != want {
			t.Errorf("%s:\n%s\ninstead of\n%s", file, got, want)
		}
	}
}

// TestDuckDBFile reads the types that Arrow does not write.
func TestDuckDBFile(t *testing.T) {
	table := openTable(t, "testdata/duckdb.parquet")
	columns, err := readRows(table, allColumns(table))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		n := strconv.Itoa(i)
		var s any = "p" + n
		if i%5 == 0 {
			s = nil
		}
		want := []any{
			int32(i), `{"a":` + n + `}`, []string{"red", "green", "blue"}[i%3],
			types.MonthDayNano{Months: int32(i), Days: int32(2 * i), Nanos: int64(i) * 1_000_000_000}, s,
		}
		for c := range want {
			if !reflect.DeepEqual(columns[c][i], want[c]) {
				t.Fatalf("column %d, row %d: %#v instead of %#v", c, i, columns[c][i], want[c])
			}
		}
	}
}

// TestFieldPaths reads fields of structs on their own, which are null where the struct is.
func TestFieldPaths(t *testing.T) {
	table := openTable(t, "testdata/nested_v2.parquet")
	s := table.Schema().Index("s")
	request := allColumns(table)
	request.Columns = append(request.Columns[:1:1], request.Columns[s])
	request.Columns = append(request.Columns, request.Columns[1], request.Columns[1])
	request.Columns[2].Fields, request.Columns[3].Fields = []int{1}, []int{2, 0}
	columns, err := readRows(table, request)
	if err != nil {
		t.Fatal(err)
	}
	for row, whole := range columns[1] {
		var b, c any
		if fields, ok := whole.([]types.FieldValue); ok {
			b = fields[1].Value
			if inner, ok := fields[2].Value.([]types.FieldValue); ok {
				c = inner[0].Value
			}
		}
		if columns[2][row] != b || columns[3][row] != c {
			t.Fatalf("row %d: %v, %v instead of %v, %v", row, columns[2][row], columns[3][row], b, c)
		}
	}
}
