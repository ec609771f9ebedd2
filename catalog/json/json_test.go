package json

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// memoryFiles is a file system of one file.
type memoryFiles struct {
	catalog.FileSystem
	data []byte
}

func (f memoryFiles) Open(_ context.Context, path string) (catalog.File, error) {
	return memoryFile{f, path}, nil
}

type memoryFile struct {
	memoryFiles
	path string
}

func (f memoryFile) ReadAt(_ context.Context, p []byte, offset int64) (int, error) {
	n := copy(p, f.data[min(int(offset), len(f.data)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f memoryFile) Size() int64  { return int64(len(f.data)) }
func (f memoryFile) Path() string { return f.path }
func (f memoryFile) Close() error { return nil }

func open(data []byte, options catalog.Options, named map[string]types.Type) (*table, error) {
	t, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "a.json", Options: options, Type: func(name string) (types.Type, error) {
		if typ, ok := named[name]; ok {
			return typ, nil
		}
		return types.Null, types.Errorf(types.CodeInvalidConfig, "type %q does not exist", name)
	}})
	if err != nil {
		return nil, err
	}
	return t.(*table), nil
}

// readAll gives the columns of a file read in chunks and batches of some size.
func readAll(t *table, chunk, batch int) ([]*types.Vector, error) {
	ctx := context.Background()
	t.chunkBytes = chunk
	request := catalog.ScanRequest{Limit: -1, BatchRows: batch}
	for i := range t.schema {
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: i})
	}
	scan, err := t.Scan(ctx, request)
	if err != nil {
		return nil, err
	}
	defer scan.Close()
	parts := make([][]*types.Vector, len(t.schema))
	for i, f := range t.schema {
		parts[i] = []*types.Vector{types.NewNull(f.Type, 0)}
	}
	for {
		m, err := scan.Next(ctx)
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		for {
			b, err := m.Next(ctx, nil)
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			for i, v := range b.Columns {
				parts[i] = append(parts[i], kernels.Own(v))
			}
		}
	}
	vectors := make([]*types.Vector, len(parts))
	for i, p := range parts {
		vectors[i] = kernels.Concat(&kernels.Env{}, p)
	}
	return vectors, nil
}

func show(t *table, vectors []*types.Vector) string {
	var b strings.Builder
	for i, f := range t.schema {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.Name + ":" + f.Type.String())
	}
	for row := range vectors[0].Len() {
		b.WriteString(" / ")
		for i, v := range vectors {
			if i > 0 {
				b.WriteByte('|')
			}
			if _, _, ok := v.Locate(row); !ok {
				b.WriteString("NULL")
			} else {
				b.Write(types.AppendText(nil, v, row))
			}
		}
	}
	return b.String()
}

// TestInference has small files and their columns: DuckDB's, but that whole numbers stay exact and timestamps keep their zone.
func TestInference(t *testing.T) {
	cases := []struct {
		name, text string
		options    catalog.Options
		want       string
	}{
		{"flat", "{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":1.5,\"e\":null}\n{\"a\":2,\"b\":\"y\",\"f\":[1,2]}\n", nil,
			"a:BIGINT b:VARCHAR c:BOOLEAN d:DOUBLE e:JSON f:BIGINT[] / 1|x|true|1.5|NULL|NULL / 2|y|NULL|NULL|NULL|[1, 2]"},
		{"array", `[{"a":1},{"a":2}]`, nil, "a:BIGINT / 1 / 2"},
		{"array over lines", "[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n", nil, "a:BIGINT / 1 / 2"},
		{"NaN and infinities", "{\"a\":NaN,\"b\":[Infinity]}\n{\"a\":1,\"b\":[-Infinity,2]}\n", nil, "a:DOUBLE b:DOUBLE[] / nan|[inf] / 1.0|[-inf, 2.0]"},
		{"empty array", "[]", nil, "json:JSON"},
		{"over lines", "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n", nil, "a:BIGINT / 1 / 2"},
		{"one after another", `{"a":1}{"a":2} {"a":3}`, nil, "a:BIGINT / 1 / 2 / 3"},
		{"beyond BIGINT", "{\"a\":9223372036854775808}\n{\"a\":-1}\n", nil, "a:HUGEINT / 9223372036854775808 / -1"},
		{"beyond HUGEINT", `{"a":123456789012345678901234567890123456789012345}`, nil, "a:JSON / 123456789012345678901234567890123456789012345"},
		{"large and fraction", "{\"a\":9223372036854775808}\n{\"a\":0.1}\n", nil, "a:JSON / 9223372036854775808 / 0.1"},
		{"number and string", "{\"a\":1}\n{\"a\":\"x\"}\n", nil, "a:JSON / 1 / \"x\""},
		{"date", `{"a":"2024-01-31"}`, nil, "a:DATE / 2024-01-31"},
		{"no date", `{"a":"2024-02-31"}`, nil, "a:VARCHAR / 2024-02-31"},
		{"time", `{"a":"10:00:00"}`, nil, "a:TIME / 10:00:00"},
		{"timestamp", `{"a":"2024-01-31T10:00:00"}`, nil, "a:TIMESTAMP / 2024-01-31 10:00:00"},
		{"timestamp with zone", `{"a":"2024-01-31T10:00:00+01:00"}`, nil, "a:TIMESTAMP WITH TIME ZONE / 2024-01-31 09:00:00+00"},
		{"uuid", `{"a":"00112233-4455-6677-8899-aabbccddeeff"}`, nil, "a:UUID / 00112233-4455-6677-8899-aabbccddeeff"},
		{"nested", "{\"a\":{\"b\":1,\"c\":[{\"d\":\"x\"}]}}\n{\"a\":{\"b\":null,\"e\":2.5}}\n{\"a\":null}\n", nil,
			"a:STRUCT(b BIGINT, c STRUCT(d VARCHAR)[], e DOUBLE) / {'b': 1, 'c': [{'d': x}], 'e': NULL} / {'b': NULL, 'c': NULL, 'e': 2.5} / NULL"},
		{"empty object", `{"a":{}}`, nil, "a:MAP(VARCHAR, JSON) / {}"},
		{"empty list", `{"a":[]}`, nil, "a:JSON[] / []"},
		{"values", "1\n2\n", nil, "json:BIGINT / 1 / 2"},
		{"lists", "[1,2]\n[3]\n", nil, "json:BIGINT[] / [1, 2] / [3]"},
		{"objects and others", "{\"a\":1}\n5\n", nil, "json:JSON / {\"a\":1} / 5"},
		{"null among objects", "{\"a\":1}\nnull\n", nil, "a:BIGINT / 1 / NULL"},
		{"keys in two cases", `{"a":1,"A":2}`, nil, "a:BIGINT A_1:BIGINT / 1|2"},
		{"escapes", `{"a":"q\"\u00e9\ud83d\ude00\/"}`, nil, "a:VARCHAR / q\"é😀/"},
		{"exponents", "{\"a\":1e3}\n{\"a\":-2.5E-1}\n", nil, "a:DOUBLE / 1000.0 / -0.25"},
		{"empty", "", nil, "json:JSON"},
		{"empty lines", "\n\n{\"a\":1}\n\n{\"a\":2}", nil, "a:BIGINT / 1 / 2"},
		{"BOM and CRLF", "\xEF\xBB\xBF{\"a\":1}\r\n{\"a\":2}\r\n", nil, "a:BIGINT / 1 / 2"},
		{"not records", `{"a":1}`, catalog.Options{"records": "false"}, "json:STRUCT(a BIGINT) / {'a': 1}"},
		{"columns", "{\"a\":1,\"b\":\"2.50\",\"x\":[{}]}\n{\"b\":3}\n", catalog.Options{"columns": []types.FieldValue{{Name: "b", Value: "DECIMAL"}, {Name: "a", Value: "VARCHAR"}}}, "b:DECIMAL(10,2) a:VARCHAR / 2.50|1 / 3.00|NULL"},
		{"union", "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":null}\n{\"a\":[1,\"y\"]}\n{\"a\":{\"b\":2.5}}\n{\"a\":true}\n{}\n", catalog.Options{"union_types": true},
			"a:UNION(boolean BOOLEAN, bigint BIGINT, varchar VARCHAR, list UNION(bigint BIGINT, varchar VARCHAR)[], struct STRUCT(b DOUBLE)) / 1 / x / NULL / [1, y] / {'b': 2.5} / true / NULL"},
		{"union of numbers and dates", "[1.5, \"2024-01-31\", null]", catalog.Options{"union_types": true}, "json:UNION(double DOUBLE, date DATE) / 1.5 / 2024-01-31 / NULL"},
		{"no union", "{\"a\":1}\n{\"a\":2.5}\n", catalog.Options{"union_types": true}, "a:DOUBLE / 1.0 / 2.5"},
		{"depth 0", "{\"a\":{\"b\":1}}", catalog.Options{"maximum_depth": int64(0)}, "json:JSON / {\"a\":{\"b\":1}}"},
		{"depth 1", "{\"a\":{\"b\":1},\"c\":[1]}", catalog.Options{"maximum_depth": int64(1)}, "a:JSON c:JSON / {\"b\":1}|[1]"},
		{"depth 2", "{\"a\":{\"b\":1},\"c\":[1]}", catalog.Options{"maximum_depth": int64(2)}, "a:STRUCT(b JSON) c:JSON[] / {'b': 1}|[1]"},
		{"small sample", "{\"a\":1}\n{\"a\":2,\"b\":3}\n", catalog.Options{"sample_size": int64(1)}, "a:BIGINT / 1 / 2"},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{chunkBytes, 4096}, {1, 1}, {9, 2}} {
			table, err := open([]byte(c.text), c.options, map[string]types.Type{"DECIMAL": types.Decimal(10, 2), "VARCHAR": types.Varchar})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			vectors, err := readAll(table, size[0], size[1])
			if err != nil {
				t.Errorf("%s, chunks of %d: %v", c.name, size[0], err)
				continue
			}
			if got := show(table, vectors); got != c.want {
				t.Errorf("%s, chunks of %d:\n%s\nwant\n%s", c.name, size[0], got, c.want)
			}
		}
	}
}

// TestErrors has what is no JSON, or not of its column's type, with its place, and what is left of it when errors are ignored.
func TestErrors(t *testing.T) {
	columns := catalog.Options{"columns": []types.FieldValue{{Name: "a", Value: "BIGINT"}, {Name: "b", Value: "LIST"}}}
	named := map[string]types.Type{"BIGINT": types.BigInt, "LIST": types.ListOf(types.StructOf(types.Field{Name: "c", Type: types.Double, Nullable: true}))}
	cases := []struct{ name, text, want, rest string }{
		{"type", "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":3}\n", `file "a.json": line 2, $.a: "x" is not of the column's type`, "1|NULL / 3|NULL"},
		{"nested type", "{\"a\":1,\"b\":[{\"c\":1},{\"c\":2,\"d\":0},{\"c\":[5]}]}\n{\"a\":2,\"b\":[{\"c\":0.5}]}\n", `file "a.json": line 1, $.b[2].c: [5] is not of the column's type`, "2|[{'c': 0.5}]"},
		{"fraction", "{\"a\":1.5}\n{\"a\":2}\n", `file "a.json": line 1, $.a: 1.5 is not of the column's type`, "2|NULL"},
		{"syntax", "{\"a\":1}\n{\"a\":}\n{\"a\":3}\n", `file "a.json": line 2, byte 6: unexpected '}'`, "1|NULL / 3|NULL"},
		{"comma", "{\"a\":1,}\n{\"a\":3}\n", `file "a.json": line 1, byte 8: unexpected '}'`, "3|NULL"},
		{"two values", "{\"a\":1} {\"a\":2}\n{\"a\":3}\n", `file "a.json": line 1, byte 9: text follows the value in its line`, "3|NULL"},
		{"leading zero", "{\"a\":01}\n{\"a\":3}\n", `file "a.json": line 1, byte 6: unexpected '0'`, "3|NULL"},
		{"NaN", "{\"a\":NaN}\n{\"a\":3}\n", `file "a.json": line 1, $.a: NaN is not of the column's type`, "3|NULL"},
		{"half of NaN", "{\"a\":Na}\n{\"a\":3}\n", `file "a.json": line 1, byte 6: unexpected 'N'`, "3|NULL"},
		{"half of Infinity", "{\"x\":-Inf}\n{\"a\":3}\n", `file "a.json": line 1, byte 7: unexpected 'I'`, "3|NULL"},
		{"escape", "{\"x\":\"\\q\",\"a\":1}\n{\"a\":3}\n", `file "a.json": line 1, byte 6: a string has an escape that is none`, "3|NULL"},
		{"half a pair", "{\"x\":\"\\ud83d\"}\n{\"a\":3}\n", `file "a.json": line 1, byte 6: a string has an escape that is none`, "3|NULL"},
		{"control character", "{\"x\":\"\x01\"}\n{\"a\":3}\n", `file "a.json": line 1, byte 7: a control character stands in a string`, "3|NULL"},
		{"open string", "{\"a\":3}\n{\"x\":\"y", `file "a.json": line 2, byte 8: a string is not closed`, "3|NULL"},
		{"key twice", "{\"a\":1,\"a\":2}\n{\"a\":3}\n", `file "a.json": line 1, byte 12: key "a" stands twice in an object`, "3|NULL"},
		{"UTF-8", "{\"a\":1}\n{\"x\":\"\xFF\"}\n{\"a\":3}\n", `file "a.json": line 2 is not valid UTF-8`, "1|NULL / 3|NULL"},
		{"deep", "{\"a\":1}\n{\"x\":" + strings.Repeat("[", 5000) + "}\n", `file "a.json": line 2, byte 1006: values are nested too deeply`, "1|NULL"},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{chunkBytes, 4096}, {1, 1}} {
			options := catalog.Options{"format": "newline_delimited", "columns": columns["columns"]}
			table, err := open([]byte(c.text), options, named)
			if err == nil {
				_, err = readAll(table, size[0], size[1])
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("%s, chunks of %d: %v, want %s", c.name, size[0], err, c.want)
			}
			options["ignore_errors"] = true
			if table, err = open([]byte(c.text), options, named); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			vectors, err := readAll(table, size[0], size[1])
			if err != nil || !strings.HasSuffix(show(table, vectors), " / "+c.rest) {
				t.Errorf("%s, ignoring errors, chunks of %d: %v", c.name, size[0], err)
			}
		}
	}
	for text, want := range map[string]string{
		`[{"a":1},{"a":2}`: "the array is not closed", `[{"a":1}] x`: "text follows the array", `[{"a":1} {"a":2}]`: "line 1, byte 10: unexpected '{'",
		`[{"a":1},]`: "no value follows a comma", `[{"a":1}, ,{"a":2}]`: "unexpected ','", `[,{"a":1}]`: "line 1, byte 2: unexpected ','", `[{"a":1}{"a":2}]`: "unexpected '{'",
		"[1,\n2 3]": "line 2, byte 3: unexpected '3'", `["a""b"]`: "unexpected '\"'", `[1,,2]`: "unexpected ','",
		`{"a":1}}`: "unexpected '}'", "\xFF\xFE{\x00": "UTF-16",
	} {
		for _, size := range []int{chunkBytes, 1, 3, 9} {
			table, err := open([]byte(text), catalog.Options{"format": map[bool]string{true: "array", false: "unstructured"}[text[0] == '[']}, nil)
			if err == nil {
				_, err = readAll(table, size, 100)
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, chunks of %d: %v, want %s", text, size, err, want)
			}
			// What the sample finds when the file is opened, the scan finds too.
			if table, err = open([]byte(text), catalog.Options{"format": map[bool]string{true: "array", false: "unstructured"}[text[0] == '['], "columns": columns["columns"], "records": "false"}, named); err == nil {
				_, err = readAll(table, size, 100)
			}
			if err == nil {
				t.Errorf("%s, columns given, chunks of %d: no error", text, size)
			}
		}
	}
	long := []byte("{\"a\":\"" + strings.Repeat("x", 5000) + "\"}\n{\"a\":\"y\"}\n")
	table, err := open(long, catalog.Options{"maximum_object_size": int64(1000), "columns": []types.FieldValue{{Name: "a", Value: "BIGINT"}}}, named)
	if err == nil {
		_, err = readAll(table, 100, 10)
	}
	if err == nil || !strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Errorf("a long value: %v", err)
	}
	if _, err := open(nil, catalog.Options{"records": "maybe", "columns": columns["columns"]}, named); err == nil || !strings.Contains(err.Error(), "records must be auto, true or false") {
		t.Errorf("records = maybe: %v", err)
	}
}

// TestTextsOfOneKind checks that all texts of the sample decide on a type, not the first ones only, and that an error of a cast names the row of the file
// where lists lie in between.
func TestTextsOfOneKind(t *testing.T) {
	for _, last := range []string{"2024-02-01", "soon", "2024-02-31"} {
		var text strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&text, "{\"d\":[{\"e\":\"2024-01-%02d\"}]}\n", 1+i%31)
		}
		fmt.Fprintf(&text, "{\"d\":[{\"e\":\"%s\"}]}\n", last)
		table, err := open([]byte(text.String()), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := types.Varchar
		if last == "2024-02-01" {
			want = types.Date
		}
		if got := table.schema[0].Type.Elem().Type.Fields()[0].Type; !got.Equal(want) {
			t.Errorf("texts that end with %s are %s, want %s", last, got, want)
		}
	}
	text := "{\"d\":[\"2024-01-01\",\"2024-01-02\"]}\n{\"d\":null}\n{\"d\":[]}\n{\"d\":[\"2024-01-01\",\"no\"]}\n{\"d\":[\"2024-01-01\"]}\n"
	for _, size := range []int{chunkBytes, 1, 60} {
		table, err := open([]byte(text), catalog.Options{"columns": []types.FieldValue{{Name: "d", Value: "D"}}}, map[string]types.Type{"D": types.ListOf(types.Date)})
		if err == nil {
			_, err = readAll(table, size, 100)
		}
		if err == nil || !strings.Contains(err.Error(), "line 4") {
			t.Errorf("chunks of %d: %v, want an error of line 4", size, err)
		}
	}
}

// TestRoundTrip writes random tables, nested ones too, as lines and as an array, checks that Go's decoder takes them, and reads them back equal.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	checked := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := rng.IntN(60)
		arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, arrowtest.RandomType(rng, int(seed%4)), n, arrowtest.Options{})
		v, err := types.Import(arr, types.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		schema := types.Schema{{Name: "k", Type: types.BigInt}, {Name: "v \"x\"", Type: v.Type(), Nullable: true}}
		numbers := make([]int64, n)
		for i := range numbers {
			numbers[i] = rng.Int64() - rng.Int64()
		}
		columns := []*types.Vector{types.NewFixed(types.BigInt, numbers, nil), v}
		array := seed%2 == 0
		var out bytes.Buffer
		w, err := Format{}.NewWriter(&out, schema, catalog.Options{"array": array})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(ctx, types.NewBatch(columns, n, 0)), w.Close(ctx)); err != nil {
			t.Fatal(err)
		}
		decoder := stdjson.NewDecoder(bytes.NewReader(out.Bytes()))
		for {
			var x any
			if err := decoder.Decode(&x); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, out.String())
			}
		}
		if !representable(v.Type()) {
			continue
		}
		checked++
		table, err := open(out.Bytes(), catalog.Options{"columns": []types.FieldValue{{Name: "k", Value: "k"}, {Name: "v \"x\"", Value: "v"}}}, map[string]types.Type{"k": types.BigInt, "v": v.Type()})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := readAll(table, 100, 9)
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, v.Type(), err, out.String())
		}
		for i := range columns {
			if !types.EqualWith(vectors[i], columns[i], types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
				t.Errorf("seed %d: column of %s differs", seed, schema[i].Type)
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d tables were checked", checked)
	}
}

// representable reports whether JSON keeps all there is to values of a type.
func representable(t types.Type) bool {
	switch t.Kind() {
	case types.KindUnion, types.KindNull, types.KindTimestampOffset:
		return false
	case types.KindStruct:
		if len(t.Fields()) == 0 {
			return false
		}
	}
	return !slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return !f.Nullable || !representable(f.Type) })
}

// survive reads a file that may be damaged: nothing panics, and every error is ours.
func survive(t *testing.T, data []byte, options catalog.Options) {
	t.Helper()
	table, err := open(data, options, nil)
	if err == nil {
		_, err = readAll(table, 64, 16)
	}
	if err != nil && !errors.As(err, new(*types.Error)) {
		t.Fatalf("not an error of ours: %v", err)
	}
}

var damageable = [][]byte{
	[]byte("{\"a\":1,\"b\":\"x\\u00e9\\\"\",\"c\":[1,2.5,null],\"d\":{\"e\":true}}\n{\"a\":-2,\"c\":[],\"d\":null}\n"),
	[]byte("[{\"a\": \"2024-01-31\"},\n {\"a\": null, \"b\": [[{}]]}]\n"), []byte("1 2.5e3 \"x\" [1] {\"a\":{}}"),
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, data := range damageable {
		for cut := range data {
			survive(t, data[:cut], nil)
			survive(t, data[:cut], catalog.Options{"ignore_errors": true})
		}
		for range 700 {
			damaged := slices.Clone(data)
			for range 1 + rng.IntN(3) {
				damaged[rng.IntN(len(damaged))] = []byte("\"\\{}[],:\n\x00\xFF19-eun")[rng.IntN(17)]
			}
			survive(t, damaged, nil)
			survive(t, damaged, catalog.Options{"ignore_errors": true})
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range damageable {
		f.Add(data, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, ignore bool) {
		survive(t, data, catalog.Options{"ignore_errors": ignore})
	})
}

func BenchmarkScan(b *testing.B) {
	var text bytes.Buffer
	const rows = 50_000
	for i := range rows {
		fmt.Fprintf(&text, "{\"id\":%d,\"k\":%d,\"price\":%.2f,\"x\":%.4f,\"d\":\"1992-%02d-%02d\",\"name\":\"name %d\",\"note\":\"plain text number %d\",\"flag\":%t,\"list\":[%d,%d]}\n",
			i, i*7919%100000, float64(i*31%10000)/100, float64(i%99991)/7, 1+i%12, 1+i%28, i%1000, i, i%3 == 0, i, i+1)
	}
	table, err := open(text.Bytes(), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, columns := range map[string]int{"all columns": 9, "one column": 1} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			pool := types.NewPool()
			for b.Loop() {
				request := catalog.ScanRequest{Limit: -1}
				for i := range columns {
					request.Columns = append(request.Columns, catalog.ColumnPath{Column: i})
				}
				scan, err := table.Scan(b.Context(), request)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for {
					m, err := scan.Next(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if m == nil {
						break
					}
					for {
						mark := pool.Mark()
						batch, err := m.Next(b.Context(), pool)
						if err != nil {
							b.Fatal(err)
						}
						if batch == nil {
							break
						}
						n += batch.Rows
						pool.Release(mark)
					}
				}
				scan.Close()
				if n != rows {
					b.Fatal(n)
				}
			}
		})
	}
}
