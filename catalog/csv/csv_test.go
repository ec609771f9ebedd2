package csv

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

type csvTable = table

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

// typeOf reads the names of some types.
func typeOf(name string) (types.Type, error) {
	for _, t := range []types.Type{types.Varchar, types.Integer, types.BigInt, types.Double, types.Date, types.Timestamp, types.Boolean, types.Decimal(10, 2), types.UUID, types.Time} {
		if t.String() == name {
			return t, nil
		}
	}
	return types.Null, types.Errorf(types.CodeInvalidConfig, "type %q does not exist", name)
}

func open(path string, data []byte, options catalog.Options) (*table, error) {
	t, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: path, Options: options, Type: typeOf})
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
				if b.Selection != nil {
					v = kernels.Filter(&kernels.Env{Rows: b.Rows}, v, b.Selection, b.Selected)
				}
				parts[i] = append(parts[i], v)
			}
		}
	}
	vectors := make([]*types.Vector, len(parts))
	for i, p := range parts {
		vectors[i] = kernels.Concat(&kernels.Env{}, p)
	}
	return vectors, nil
}

// show gives what was read, one line a row, and the columns in front.
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

// TestSniffing has small files and what DuckDB makes of them, where nothing else is said.
func TestSniffing(t *testing.T) {
	cases := []struct {
		name, text string
		options    catalog.Options
		want       string
	}{
		{"texts", "a,b\nc,d\n", nil, "a:VARCHAR b:VARCHAR / c|d"},
		{"names twice", "a,a,b\n1,2,3\n", nil, "a:BIGINT a_1:BIGINT b:BIGINT / 1|2|3"},
		{"name missing", "a,,b\n1,2,3\n", nil, "a:BIGINT column1:BIGINT b:BIGINT / 1|2|3"},
		{"no names", "1,2\n3,4\n", nil, "column0:BIGINT column1:BIGINT / 1|2 / 3|4"},
		{"empty", "", nil, "column0:VARCHAR"},
		{"names alone", "a,b\n", nil, "a:VARCHAR b:VARCHAR"},
		{"no line end", "a,b\n1,2", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"empty lines", "a,b\n1,2\n\n3,4\n", nil, "a:BIGINT b:BIGINT / 1|2 / 3|4"},
		{"semicolons", "a;b\n1;2,5\n", nil, "a:BIGINT b:VARCHAR / 1|2,5"},
		{"pipes", "a|b\n1|2\n", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"pipes, commas in values", "a|b\nx,y|1\nz,w|2\n", nil, "a:VARCHAR b:BIGINT / x,y|1 / z,w|2"},
		{"single quotes", "a,b\n'x,y',1\n'z,w',2\n", nil, "a:VARCHAR b:BIGINT / x,y|1 / z,w|2"},
		{"tabs", "a\tb\n1\t2\n", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"quotes", "a,b\n\"x, y\",2\n\"q\"\"z\",3\n", nil, "a:VARCHAR b:BIGINT / x, y|2 / q\"z|3"},
		{"single quotes", "a,b\n'x,y',2\n'z',3\n", nil, "a:VARCHAR b:BIGINT / x,y|2 / z|3"},
		{"line end in quotes", "a,b\n\"x\ny\",2\n", nil, "a:VARCHAR b:BIGINT / x\ny|2"},
		{"CRLF", "a,b\r\n1,2\r\n", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"CR", "a,b\r1,2\r3,4\r", nil, "a:BIGINT b:BIGINT / 1|2 / 3|4"},
		{"BOM", "\xEF\xBB\xBFa,b\n1,2\n", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"comment", "# about\na,b\n1,2\n", nil, "a:BIGINT b:BIGINT / 1|2"},
		{"a title", "some title\na,b,c\n1,2,3\n4,5,6\n", nil, "a:BIGINT b:BIGINT c:BIGINT / 1|2|3 / 4|5|6"},
		{"nulls", "a,b\n1,\n,2\n", nil, "a:BIGINT b:BIGINT / 1|NULL / NULL|2"},
		{"quoted nulls", "a,b\n\"\",x\ny,z\n", nil, "a:VARCHAR b:VARCHAR / NULL|x / y|z"},
		{"delimiter at the end", "a,b,\n1,2,\n", nil, "a:BIGINT b:BIGINT column2:VARCHAR / 1|2|NULL"},
		{"booleans", "f\ntrue\nFALSE\nt\n", nil, "column0:BOOLEAN / false / true / false / true"},
		{"zero and one", "f\n0\n1\n", nil, "f:BIGINT / 0 / 1"},
		{"fractions", "p\n1\n2.5\n-3e2\n", nil, "p:DOUBLE / 1.0 / 2.5 / -300.0"},
		{"large", "i\n99999999999999999999\n", nil, "i:DOUBLE / 1e+20"},
		{"largest", "i\n9223372036854775807\n-9223372036854775808\n", nil, "i:BIGINT / 9223372036854775807 / -9223372036854775808"},
		{"zeros in front", "p\n007\n01\n", nil, "p:VARCHAR / 007 / 01"},
		{"plus", "p\n+1\n-2\n", nil, "p:VARCHAR / +1 / -2"},
		{"infinity", "p\ninf\n1.5\n", nil, "p:DOUBLE / inf / 1.5"},
		{"infinities alone", "p\ninf\n-inf\n", nil, "p:VARCHAR / inf / -inf"},
		{"NaN", "p\nnan\n1\n", nil, "p:DOUBLE / nan / 1.0"},
		{"blanks", "i,j\n 1, 2\n3,4\n", nil, "i:BIGINT j:BIGINT / 1|2 / 3|4"},
		{"blanks before quotes", "\"a\", \"b\"\n1, \"x, y\"\n2,  \"z\"\"\n\" \n", nil, "a:BIGINT b:VARCHAR / 1|x, y / 2|z\"\n"},
		{"blanks before other quotes", "a,b\n1, \"x\"y\n2, 5\" z\n", nil, "a:BIGINT b:VARCHAR / 1| \"x\"y / 2| 5\" z"},
		{"dates", "d\n2024-01-31\n2024-2-9\n", nil, "d:DATE / 2024-01-31 / 2024-02-09"},
		{"dates, day first", "d\n01/02/2024\n03/04/2024\n", nil, "d:DATE / 2024-02-01 / 2024-04-03"},
		{"dates, month first", "d\n01/02/2024\n03/31/2024\n", nil, "d:DATE / 2024-01-02 / 2024-03-31"},
		{"dates, points", "d\n31.01.2024\n", nil, "d:DATE / 2024-01-31"},
		{"no dates", "d\n2024-02-30\n", nil, "d:VARCHAR / 2024-02-30"},
		{"timestamps", "t\n2024-01-31 10:00:00\n2024-01-31T23:59:59.123456\n", nil, "t:TIMESTAMP / 2024-01-31 10:00:00 / 2024-01-31 23:59:59.123456"},
		{"timestamps with zones", "t\n2024-01-31T10:00:00Z\n2024-01-31T10:00:00+02:00\n", nil, "t:TIMESTAMP WITH TIME ZONE / 2024-01-31 10:00:00+00 / 2024-01-31 08:00:00+00"},
		{"times", "t\n10:00:00\n23:59\n", nil, "t:TIME / 10:00:00 / 23:59:00"},

		{"all_varchar", "a,b\n1,2\n", catalog.Options{"all_varchar": true}, "a:VARCHAR b:VARCHAR / 1|2"},
		{"header", "1,2\n3,4\n", catalog.Options{"header": true}, "1:BIGINT 2:BIGINT / 3|4"},
		{"no header", "a,b\nc,d\n", catalog.Options{"header": false}, "column0:VARCHAR column1:VARCHAR / a|b / c|d"},
		{"delim", "a;b,c\n1;2,3\n", catalog.Options{"delim": ","}, "a;b:VARCHAR c:BIGINT / 1;2|3"},
		{"no quote", "a,b\n\"x,1\n", catalog.Options{"quote": ""}, "a:VARCHAR b:BIGINT / \"x|1"},
		{"escape", "a,b\n\"x\\\"y\",1\n", catalog.Options{"escape": `\`}, "a:VARCHAR b:BIGINT / x\"y|1"},
		{"skip", "junk\na,b\n1,2\n", catalog.Options{"skip": int64(1)}, "a:BIGINT b:BIGINT / 1|2"},
		{"nullstr", "a,b\nNA,1\n-,2\nx,\n", catalog.Options{"nullstr": []any{"NA", "-"}, "types": []types.FieldValue{{Name: "b", Value: "VARCHAR"}}}, "a:VARCHAR b:VARCHAR / NULL|1 / NULL|2 / x|"},
		{"force_not_null", "a,b\n,1\n", catalog.Options{"force_not_null": []any{"a"}}, "a:VARCHAR b:BIGINT / |1"},
		{"quoted texts are no nulls", "a,b\n\"\",1\n,2\n", catalog.Options{"allow_quoted_nulls": false}, "a:VARCHAR b:BIGINT / |1 / NULL|2"},
		{"columns", "a,b\n1,2.50\n", catalog.Options{"columns": []types.FieldValue{{Name: "x", Value: "INTEGER"}, {Name: "y", Value: "DECIMAL(10,2)"}}, "header": true}, "x:INTEGER y:DECIMAL(10,2) / 1|2.50"},
		{"types by position", "a,b\n1,2\n", catalog.Options{"types": []any{"DOUBLE"}}, "a:DOUBLE b:BIGINT / 1.0|2"},
		{"names", "a,b\n1,2\n", catalog.Options{"names": []any{"x"}}, "x:BIGINT b:BIGINT / 1|2"},
		{"padding", "a,b,c\n1,2,3\n4\n5,6\n", catalog.Options{"null_padding": true}, "a:BIGINT b:BIGINT c:BIGINT / 1|2|3 / 4|NULL|NULL / 5|6|NULL"},
		{"comments everywhere", "a,b\n#1,2\n3,4\n# \"x\n5,6\n", catalog.Options{"comment": "#"}, "a:BIGINT b:BIGINT / 3|4 / 5|6"},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{chunkBytes, 4096}, {1, 1}, {7, 3}} {
			table, err := open("a.csv", []byte(c.text), c.options)
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
				t.Errorf("%s, chunks of %d:\n%q\nwant\n%q", c.name, size[0], got, c.want)
			}
		}
	}
}

// TestErrors has files and options that are refused, and what ignore_errors leaves of the files.
func TestErrors(t *testing.T) {
	numbers := catalog.Options{"columns": []types.FieldValue{{Name: "a", Value: "INTEGER"}, {Name: "b", Value: "VARCHAR"}}, "header": true}
	cases := []struct {
		name, text string
		options    catalog.Options
		want       string
		rest       string
	}{
		{"value", "a,b\n1,x\n\n2,y\nz,w\n3,v\n", numbers, `file "a.csv": line 5, column a: "z" is not a INTEGER`, "1|x / 2|y / 3|v"},
		{"out of range", "a,b\n99999999999,x\n1,y\n", numbers, `file "a.csv": line 2, column a: "99999999999" is not a INTEGER`, "1|y"},
		{"too few", "a,b\n1,x\n2\n3,y\n", numbers, `file "a.csv": line 3 has 1 values instead of 2`, "1|x / 3|y"},
		{"too many", "a,b\n1,x\n2,y,z\n3,w\n", numbers, `file "a.csv": line 3 has 3 values instead of 2`, "1|x / 3|w"},
		{"text behind a quote", "a,b\n1,\"x\"y\n2,z\n", numbers, `file "a.csv": line 2: text follows a closing quote`, "2|z"},
		{"quote that is not closed", "a,b\n1,x\n2,\"y\n3,z\n", numbers, `file "a.csv": line 3: a quote is not closed`, "1|x"},
		{"UTF-8", "a,b\n1,x\n2,\xFFy\n3,z\n", numbers, `file "a.csv": line 3 is not valid UTF-8 at byte 3`, "1|x / 3|z"},
		{"UTF-16", "\xFF\xFEa\x00,\x00b\x00", nil, `file "a.csv": the file is UTF-16, not UTF-8`, ""},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{chunkBytes, 4096}, {1, 1}} {
			table, err := open("a.csv", []byte(c.text), c.options)
			if err == nil {
				_, err = readAll(table, size[0], size[1])
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("%s, chunks of %d: %v, want %s", c.name, size[0], err, c.want)
			}
			if c.rest == "" {
				continue
			}
			ignoring := catalog.Options{"ignore_errors": true}
			for k, v := range c.options {
				ignoring[k] = v
			}
			if table, err = open("a.csv", []byte(c.text), ignoring); err != nil {
				t.Fatal(err)
			}
			vectors, err := readAll(table, size[0], size[1])
			if err != nil || !strings.HasSuffix(show(table, vectors), " / "+c.rest) {
				t.Errorf("%s, ignoring errors, chunks of %d: %v", c.name, size[0], err)
			}
		}
	}
	for _, o := range []catalog.Options{
		{"delim": "ab"}, {"quote": ","}, {"skip": int64(-1)}, {"columns": "x"}, {"columns": []types.FieldValue{{Name: "a", Value: "NOTHING"}}}, {"auto_detect": false},
		{"compression": "rar"}, {"max_line_size": int64(0)}, {"types": []types.FieldValue{{Name: "missing", Value: "INTEGER"}}}, {"names": []any{"a", "b", "c"}}, {"encoding": "latin-1"},
	} {
		if _, err := open("a.csv", []byte("a,b\n1,2\n"), o); !errors.As(err, new(*types.Error)) {
			t.Errorf("options %v: %v", o, err)
		}
	}
	long := []byte("a\n" + strings.Repeat("x", 3000) + "\n")
	table, err := open("a.csv", long, catalog.Options{"max_line_size": int64(1000)})
	if err == nil {
		_, err = readAll(table, 100, 10)
	}
	if err == nil || !strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Errorf("a long line: %v", err)
	}
	// A sample that does not have the value which does not fit.
	late := []byte("a\n" + strings.Repeat("1\n", 100) + "x\n")
	if table, err = open("a.csv", late, catalog.Options{"sample_size": int64(50)}); err == nil {
		_, err = readAll(table, 100, 10)
	}
	var e *types.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), `line 102, column a: "x" is not a BIGINT`) || !strings.Contains(e.Hint, "sample_size = -1") {
		t.Errorf("a late conflict: %v", err)
	}
	if table, err = open("a.csv", late, catalog.Options{"sample_size": int64(-1)}); err != nil || table.schema[0].Type.Kind() != types.KindVarchar {
		t.Errorf("with the whole file as the sample: %v", err)
	}
}

// TestAgainstReference splits random texts at every size of chunk, and compares with Go's reader.
func TestAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "bb", "", "1", "x y", ",", "\n", "\"", "\"\"", "é", "\r\n", "''", "longer than eight bytes", ";"}
	for range 300 {
		var records [][]string
		width := 1 + rng.IntN(4)
		for range 1 + rng.IntN(30) {
			record := make([]string, width)
			for i := range record {
				for range rng.IntN(3) {
					record[i] += pieces[rng.IntN(len(pieces))]
				}
				record[i] = strings.ReplaceAll(record[i], "\r\n", "\n") // Go's reader does
			}
			if width == 1 && record[0] == "" {
				record[0] = "z" // an empty line is none for Go
			}
			records = append(records, record)
		}
		var text bytes.Buffer
		w := stdcsv.NewWriter(&text)
		w.UseCRLF = rng.IntN(2) == 0
		if err := w.WriteAll(records); err != nil {
			t.Fatal(err)
		}
		var columns []types.FieldValue
		for i := range width {
			columns = append(columns, types.FieldValue{Name: fmt.Sprint("c", i), Value: "VARCHAR"})
		}
		want, err := stdcsv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		table, err := open("a.csv", text.Bytes(), catalog.Options{"columns": columns, "header": false, "nullstr": []any{"no such text"}, "delim": ",", "quote": "\""})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := readAll(table, 1+rng.IntN(40), 1+rng.IntN(10))
		if err != nil {
			t.Fatalf("%v\n%q", err, text.String())
		}
		if vectors[0].Len() != len(want) {
			t.Fatalf("%d records, want %d\n%q", vectors[0].Len(), len(want), text.String())
		}
		for row, record := range want {
			for i, value := range record {
				if got := strings.ReplaceAll(types.Text(vectors[i], row), "\r\n", "\n"); got != value {
					t.Fatalf("record %d, value %d: %q, want %q\n%q", row, i, got, value, text.String())
				}
			}
		}
	}
}

// TestNumbers compares the fast paths with CAST.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(text string, typ types.Type, got any, ok bool) {
		t.Helper()
		if !ok {
			return // CAST is asked
		}
		v, err := types.NewValue(types.Varchar, text)
		if err != nil {
			t.Fatal(err)
		}
		if v, err = kernels.Cast(&kernels.Env{Rows: 1}, v, typ); err != nil || fmt.Sprint(types.Value(v, 0)) != fmt.Sprint(got) {
			t.Errorf("%q as %s: %v, CAST gives %v (%v)", text, typ, got, types.Value(v, 0), err)
		}
	}
	alphabet := "0123456789.-+e: T/"
	for range 200_000 {
		var b []byte
		switch rng.IntN(4) {
		case 0:
			b = fmt.Appendf(nil, "%d", rng.Int64()>>rng.IntN(63))
		case 1:
			b = fmt.Appendf(nil, "%.*f", rng.IntN(8), (rng.Float64()-0.5)*float64(uint64(1)<<rng.IntN(50)))
		case 2:
			b = fmt.Appendf(nil, "%04d-%02d-%02d %02d:%02d:%02d.%d", rng.IntN(10000), rng.IntN(14), rng.IntN(33), rng.IntN(26), rng.IntN(62), rng.IntN(62), rng.IntN(1000000))
		default:
			for range rng.IntN(12) {
				b = append(b, alphabet[rng.IntN(len(alphabet))])
			}
		}
		if rng.IntN(10) == 0 && len(b) > 0 {
			b[rng.IntN(len(b))] = alphabet[rng.IntN(len(alphabet))]
		}
		text := string(b)
		i, ok := parseInt(b)
		check(text, types.BigInt, i, ok)
		f, ok := parseFloat(b)
		check(text, types.Double, f, ok)
		for _, part := range []string{text, text[:min(10, len(text))]} {
			if days, ok := yearMonthDay.parse([]byte(part)); ok && strings.Count(part, "-") == 2 {
				v := types.NewFixed(types.Date, []int32{days}, nil)
				check(part, types.Date, types.Value(v, 0), true)
			}
		}
		if micros, ok := parseTimestamp(b); ok {
			check(text, types.Timestamp, types.Value(types.NewFixed(types.Timestamp, []int64{micros}, nil), 0), true)
		}
	}
}

// TestRoundTrip writes random tables of flat types and reads them back equal.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	names := map[string]types.Type{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		flat := arrowtest.FlatTypes()
		var schema types.Schema
		var columns []*types.Vector
		var given []types.FieldValue
		n := rng.IntN(100)
		for i := range 2 + rng.IntN(4) {
			dt := flat[rng.IntN(len(flat))]
			arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, dt, n, arrowtest.Options{})
			v, err := types.Import(arr, types.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			switch k := v.Type().Kind(); k {
			case types.KindNull, types.KindInterval, types.KindBlob, types.KindVarchar, types.KindTimestampTZ:
				continue // random texts may be empty, and intervals of several units are written in one
			}
			name := fmt.Sprint("c", i)
			schema = append(schema, types.Field{Name: name, Type: v.Type(), Nullable: true})
			columns = append(columns, v)
			given = append(given, types.FieldValue{Name: name, Value: v.Type().String()})
			names[v.Type().String()] = v.Type()
		}
		if len(schema) < 2 {
			continue
		}
		options := catalog.Options{"delim": []string{",", "|", "\t"}[seed%3], "compression": []string{"none", "gzip", "zstd"}[seed%3]}
		var out bytes.Buffer
		w, err := Format{}.NewWriter(&out, schema, options)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(ctx, types.NewBatch(columns, n, 0)), w.Close(ctx)); err != nil {
			t.Fatal(err)
		}
		options["columns"], options["header"] = given, true
		table, err := Format{}.Open(ctx, catalog.OpenRequest{Files: memoryFiles{data: out.Bytes()}, Path: "a", Options: options, Type: func(name string) (types.Type, error) { return names[name], nil }})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := readAll(table.(*csvTable), 50, 7)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, v := range vectors {
			if !types.EqualWith(v, columns[i], types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
				t.Errorf("seed %d: column of %s differs", seed, schema[i].Type)
			}
		}
	}
}

// TestTexts writes texts that need quotes, and reads them back.
func TestTexts(t *testing.T) {
	ctx := t.Context()
	values := []any{"", nil, "a,b", "\"", "x\ny", "\r", " blank ", "#no comment", "NULL", "'", "é", "a\"b\"c"}
	v, err := types.FromValues(nil, types.Varchar, values)
	if err != nil {
		t.Fatal(err)
	}
	schema := types.Schema{{Name: "a, b", Type: types.Varchar, Nullable: true}, {Name: "c", Type: types.Varchar, Nullable: true}}
	for _, options := range []catalog.Options{{}, {"escape": `\`}, {"nullstr": "NULL"}, {"force_quote": []any{"*"}, "quote": "'"}} {
		var out bytes.Buffer
		w, err := Format{}.NewWriter(&out, schema, options)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(ctx, types.NewBatch([]*types.Vector{v, v}, len(values), 0)), w.Close(ctx)); err != nil {
			t.Fatal(err)
		}
		reading := catalog.Options{"all_varchar": true, "allow_quoted_nulls": false, "header": true}
		for k, x := range options {
			if k != "force_quote" {
				reading[k] = x
			}
		}
		if x, ok := options["nullstr"]; ok {
			reading["nullstr"] = []any{x}
		}
		table, err := open("a.csv", out.Bytes(), reading)
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := readAll(table, 5, 3)
		if err != nil {
			t.Fatalf("%v: %v\n%s", options, err, out.String())
		}
		if table.schema[0].Name != "a, b" || !types.EqualWith(vectors[0], v, types.EqualOptions{IgnoreEncoding: true}) || !types.EqualWith(vectors[1], v, types.EqualOptions{IgnoreEncoding: true}) {
			t.Errorf("%v: %s", options, show(table, vectors))
		}
	}
}

func TestCompressed(t *testing.T) {
	text := []byte("a,b\n" + strings.Repeat("1,two\n", 1000))
	var zipped, zst bytes.Buffer
	g := gzip.NewWriter(&zipped)
	z, _ := zstd.NewWriter(&zst)
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	for path, data := range map[string][]byte{"a.csv.gz": zipped.Bytes(), "a.csv.zst": zst.Bytes()} {
		table, err := open(path, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := readAll(table, 100, 50)
		if err != nil || vectors[0].Len() != 1000 {
			t.Errorf("%s: %v", path, err)
		}
		for percent := range 100 {
			cut := data[:max(1, len(data)*percent/100)]
			table, err := open(path, cut, nil)
			if err == nil {
				_, err = readAll(table, 100, 50)
			}
			if err == nil || !errors.As(err, new(*types.Error)) {
				t.Errorf("%s cut to %d bytes: %v", path, len(cut), err)
			}
		}
	}
}

func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Format{}.Open(t.Context(), catalog.OpenRequest{Files: catalog.LocalFiles{}, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Scan(t.Context(), catalog.ScanRequest{}); !errors.As(err, new(*types.Error)) {
		t.Errorf("got %v", err)
	}
}

// survive reads a file that may be damaged: nothing panics, and every error is ours.
func survive(t *testing.T, data []byte, options catalog.Options) {
	t.Helper()
	table, err := open("a.csv", data, options)
	if err == nil {
		_, err = readAll(table, 64, 16)
	}
	if err != nil && !errors.As(err, new(*types.Error)) {
		t.Fatalf("not an error of ours: %v", err)
	}
}

var damageable = [][]byte{
	[]byte("id,name,when,price\n1,\"a, b\",2024-01-31 10:00:00,1.5\n2,\"q\"\"z\",2024-02-01 00:00:00,2\n3,,,\n"),
	[]byte("a;b\r\n'x;y';1\r\n'z';2\r\n"), []byte("# c\na\tb\n1\t2\n"), []byte("\xEF\xBB\xBFa|b\nt|2024-01-01\nf|31.12.2023\n"),
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, data := range damageable {
		for cut := range data {
			survive(t, data[:cut], nil)
		}
		for range 500 {
			damaged := slices.Clone(data)
			for range 1 + rng.IntN(3) {
				damaged[rng.IntN(len(damaged))] = []byte("\"',;|\n\r\x00\xFF#19")[rng.IntN(12)]
			}
			survive(t, damaged, nil)
			survive(t, damaged, catalog.Options{"ignore_errors": true, "null_padding": rng.IntN(2) == 0})
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

// mixed makes a file of ten columns of different types.
func mixed(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("id,k,price,x,d,ts,name,note,flag,small\n")
	for i := range rows {
		note := fmt.Sprint("plain text number ", i)
		if i%10 == 0 {
			note = `"a, quoted 'text'"`
		}
		fmt.Fprintf(&b, "%d,%d,%.2f,%.4f,1992-%02d-%02d,2020-01-%02d %02d:%02d:%02d,name %d,%s,%t,%d\n", i, i*7919%100000, float64(i*31%10000)/100, float64(i%99991)/7,
			1+i%12, 1+i%28, 1+i%28, i%24, i%60, i%60, i%1000, note, i%3 == 0, i%256)
	}
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	data := mixed(100_000)
	table, err := open("a.csv", data, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, columns := range map[string]int{"all columns": 10, "one column": 1, "none": 0} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
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
				rows := 0
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
						rows += batch.Rows
						pool.Release(mark)
					}
				}
				scan.Close()
				if rows != 100_000 {
					b.Fatal(rows)
				}
			}
		})
	}
}
