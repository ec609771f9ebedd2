package arrowjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// readAll gives the rows of a stream as JSON, a text for each batch, and the stream's error.
func readAll(t *testing.T, in io.Reader, schema *arrow.Schema, options arrowjson.ReadOptions) ([]string, error) {
	t.Helper()
	r, err := arrowjson.NewReader(in, schema, options)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var batches []string
	for r.Next() {
		if r.Err() != nil {
			t.Errorf("Err gives %v before the end", r.Err())
		}
		checkClean(t, types.ValidateBatch(r.RecordBatch(), types.ValidateStrict))
		text, err := arrowjson.MarshalBatch(r.RecordBatch(), arrowjson.WriteOptions{})
		if err != nil {
			t.Error(err)
		}
		batches = append(batches, strings.ReplaceAll(string(text), "\n", ""))
	}
	if r.Next() || r.RecordBatch() != nil {
		t.Error("there is a batch after the end")
	}
	return batches, r.Err()
}

func schemaOf(t *testing.T, typ string) *arrow.Schema {
	t.Helper()
	field, err := conformance.ParseType(typ)
	if err != nil {
		t.Fatal(err)
	}
	return arrow.NewSchema(field.Type.(*arrow.StructType).Fields(), nil)
}

func TestReader(t *testing.T) {
	schema := schemaOf(t, "struct{a i32!,s utf8}")
	bad := errors.New("bad disk")
	for _, c := range []struct {
		name, text string
		options    arrowjson.ReadOptions
		want       string // batches, then the error
	}{
		{"nothing", "", arrowjson.ReadOptions{}, ""},
		{"blank", " \r\n\t\n", arrowjson.ReadOptions{}, ""},
		{"no rows", " [ ] ", arrowjson.ReadOptions{}, ""},
		{"lines", "{\"a\":1}\r\n\n  {\"a\":2,\"s\":\"x\"} ", arrowjson.ReadOptions{}, `[{"a":1,"s":null},{"a":2,"s":"x"}]`},
		{"array", `[{"a":1},{"a":2,"s":"]\"}\\"}]`, arrowjson.ReadOptions{BatchRows: 1}, `[{"a":1,"s":null}] [{"a":2,"s":"]\"}\\"}]`},
		{"batches", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}", arrowjson.ReadOptions{BatchRows: 2}, `[{"a":1,"s":null},{"a":2,"s":null}] [{"a":3,"s":null}]`},
		{"bad row", "{\"a\":1}\n{\"a\":null}\n{\"a\":3}", arrowjson.ReadOptions{}, `[{"a":1,"s":null}] null in a required field (column a, row 1) at line 2, column 6`},
		{"bad row in an array", `[{"a":1},{"s":"x"}]`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] required field a is missing (column a, row 1) at line 1, column 10`},
		{"bad row first", `{"a":1.5}`, arrowjson.ReadOptions{}, `"1.5" is no whole number (column a, row 0) at line 1, column 6`},
		{"null row", `[null]`, arrowjson.ReadOptions{}, `null in a required field (row 0) at line 1, column 2`},
		{"number", `1`, arrowjson.ReadOptions{}, `a number cannot be read as struct<a: int32, s: utf8 nullable> (row 0) at line 1, column 1`},
		{"two in a line", "{\"a\":1}\n{\"a\":2} {\"a\":3}", arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: text follows the value in its line (row 1) at line 2, column 9`},
		{"cut line", "{\"a\":1}\n{\"a\"", arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: the text ends within a value (row 1) at line 2, column 5`},
		{"cut array", `[{"a":1}`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: the array does not end (row 1) at line 1, column 9`},
		{"cut after a comma", `[{"a":1},`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: the array does not end (row 1) at line 1, column 10`},
		{"cut in an element", `[{"a":1},{"a`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: the text ends within a value (row 1) at line 1, column 13`},
		{"no comma", `[{"a":1} {"a":2}]`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: no comma follows an element of the array (row 1) at line 1, column 10`},
		{"comma at the end", `[{"a":1},]`, arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: an element of the array is missing (row 1) at line 1, column 10`},
		{"comma first", `[,{"a":1}]`, arrowjson.ReadOptions{}, `invalid JSON: an element of the array is missing (row 0) at line 1, column 2`},
		{"text behind", "[{\"a\":1}]\n{\"a\":2}", arrowjson.ReadOptions{}, `[{"a":1,"s":null}] invalid JSON: text follows the array (row 1) at line 2, column 1`},
		{"long row", `{"a":1,"s":"` + strings.Repeat("x", 200_000), arrowjson.ReadOptions{MaxRowBytes: 100_000}, `a row is longer than 100000 bytes (row 0) at line 1, column 1`},
		{"long element", `[{"a":1},` + strings.Repeat("[", 300_000), arrowjson.ReadOptions{MaxRowBytes: 100_000}, `[{"a":1,"s":null}] a row is longer than 100000 bytes (row 1) at line 1, column 10`},
	} {
		for name, reader := range map[string]func(io.Reader) io.Reader{
			"at once": func(in io.Reader) io.Reader { return in }, "byte by byte": iotest.OneByteReader, "end with data": iotest.DataErrReader,
			"halves": iotest.HalfReader,
		} {
			batches, err := readAll(t, reader(strings.NewReader(c.text)), schema, c.options)
			if err != nil {
				batches = append(batches, err.Error())
			}
			if got := strings.Join(batches, " "); got != c.want {
				t.Errorf("%s %s:\n got %s\nwant %s", c.name, name, got, c.want)
			}
		}
	}
	batches, err := readAll(t, io.MultiReader(strings.NewReader("{\"a\":1}\n{\"a\":"), iotest.ErrReader(bad)), schema, arrowjson.ReadOptions{})
	if !errors.Is(err, bad) || len(batches) != 1 {
		t.Errorf("%v, then %v", batches, err)
	}
	if _, err := readAll(t, iotest.TimeoutReader(lazyReader{}), schema, arrowjson.ReadOptions{}); !errors.Is(err, io.ErrNoProgress) && !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

// lazyReader never gives anything.
type lazyReader struct{}

func (lazyReader) Read([]byte) (int, error) { return 0, nil }

// everything is a type that has a column of every kind, and a row of it.
const everything = "struct{b bool!,i i64!,d decimal128(20,2)!,t utf8_view!,x binary!,w fixed_size_binary(2)!,ts timestamp(ns,UTC)!,iv interval_month_day_nano!," +
	"l list<struct{p i32!,q utf8}!>!,f fixed_size_list(2)<i8!>!,m map<utf8!,list<i32!>>!,su su{1:a i32!,2:s utf8}!,du du{1:a i32!,2:s list<i32!>!}!,tu tu{1:a i32!}," +
	"dict dictionary<i8,utf8>!,r ree<i16,struct{k i32!}!>!,n null,z i32!}"

const everyRow = `{"b":true,"i":1,"d":1.50,"t":"long enough for a buffer","x":"AAEC","w":"AAE=","ts":"2020-01-02T03:04:05.6Z","iv":"P1M2DT3S",` +
	`"l":[{"p":1,"q":"é"},{"p":2,"q":null}],"f":[1,2],"m":[["k",[1,2]],["k",null]],"su":[2,"x"],"du":[2,[1,2,3]],"tu":null,"dict":"x","r":{"k":5},"n":null,"z":7}`

// TestSkip reads good rows between rows that fail at every place, and finds the columns as if those had never been there.
func TestSkip(t *testing.T) {
	schema := schemaOf(t, everything)
	other := strings.NewReplacer(`[2,"x"]`, `[1,8]`, `[2,[1,2,3]]`, `[1,9]`, `"tu":null`, `"tu":[1,3]`, `"dict":"x"`, `"dict":"y"`).Replace(everyRow)
	rows := []string{everyRow, other}
	for _, lines := range []bool{true, false} {
		var good, all []string
		bad := 0
		for i := 1; i < len(everyRow); i += 3 {
			good, all = append(good, rows[i%2]), append(all, rows[i%2])
			// A value that no column takes, at some place, or a cut row. In an array rows must show their ends.
			if j := strings.IndexByte(everyRow[i:], ':'); j >= 0 {
				if text := everyRow[:i+j+1] + `{"?":0},"z":[]}`; lines || json.Valid([]byte(text)) {
					all = append(all, text)
					bad++
				}
			}
			if lines {
				all = append(all, everyRow[:i])
				bad++
			}
		}
		text := strings.Join(all, "\n")
		if !lines {
			text = "[" + strings.Join(all, ",") + "]"
		}
		skipped := 0
		batches, err := readAll(t, strings.NewReader(text), schema, arrowjson.ReadOptions{BatchRows: 1000, Skip: func(e *types.Error) bool {
			skipped++
			return e.Row >= 0 && e.Position.Line > 0
		}})
		if want := "[" + strings.Join(good, ",") + "]"; err != nil || len(batches) != 1 || batches[0] != want || skipped != bad {
			t.Errorf("lines %t: skipped %d of %d, %v\n got %v\nwant %s", lines, skipped, bad, err, batches, want)
		}
	}
}

// TestTruncated cuts a text at every byte: what was complete comes, then an error.
func TestTruncated(t *testing.T) {
	schema := schemaOf(t, everything)
	field := arrow.Field{Type: arrow.StructOf(schema.Fields()...)}
	text := "[" + everyRow + ",\n" + everyRow + "]"
	for i := range len(text) {
		arr, err := arrowjson.Unmarshal([]byte(text[:i]), field, arrowjson.ReadOptions{})
		if err == nil {
			t.Fatalf("%s is read as %v", text[:i], arr)
		}
		rows := 0
		if i > len(everyRow) {
			rows = 1
		}
		if i == len(text)-1 {
			rows = 2
		}
		batches, err := readAll(t, strings.NewReader(text[:i]), schema, arrowjson.ReadOptions{BatchRows: 1})
		if len(batches) != rows || err == nil && i > 0 {
			t.Fatalf("%s: %d batches, %v", text[:i], len(batches), err)
		}
	}
}

// TestDamaged changes bytes: there is an error, or rows that are clean.
func TestDamaged(t *testing.T) {
	schema := schemaOf(t, everything)
	field := arrow.Field{Type: arrow.StructOf(schema.Fields()...)}
	rng := rand.New(rand.NewPCG(1, 17))
	clean := []byte("[" + everyRow + ",\n" + everyRow + "]")
	const replacements = "\x00\"\\{}[]:,0-9eEntf\xff \n.Z+PT"
	for range 5000 {
		text := bytes.Clone(clean)
		for range 1 + rng.IntN(3) {
			text[rng.IntN(len(text))] = replacements[rng.IntN(len(replacements))]
		}
		if arr, err := arrowjson.Unmarshal(text, field, arrowjson.ReadOptions{}); err == nil {
			checkClean(t, types.Validate(field, arr.Data(), types.ValidateStrict))
		}
		r, err := arrowjson.NewReader(bytes.NewReader(text), schema, arrowjson.ReadOptions{Skip: func(*types.Error) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			checkClean(t, types.ValidateBatch(r.RecordBatch(), types.ValidateStrict))
		}
		r.Release()
	}
}

// TestReaderBoundsMemory: batches of long rows are short.
func TestReaderBoundsMemory(t *testing.T) {
	schema := schemaOf(t, "struct{s utf8}")
	row := fmt.Sprintf("{\"s\":%q}\n", strings.Repeat("x", 1<<20))
	in := io.LimitReader(endless{row: row, at: new(int)}, int64(100*len(row)))
	r, err := arrowjson.NewReader(in, schema, arrowjson.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		if n := r.RecordBatch().NumRows(); n > 65 {
			t.Errorf("a batch of %d rows", n)
		}
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() != nil || rows != 100 {
		t.Errorf("%d rows, %v", rows, r.Err())
	}
}

// TestSkipForLong passes by more text than a batch may have.
func TestSkipForLong(t *testing.T) {
	bad := fmt.Sprintf("{\"a\":\"\",\"s\":%q}\n", strings.Repeat("x", 1<<20))
	in := io.MultiReader(io.LimitReader(endless{row: bad, at: new(int)}, int64(70*len(bad))), strings.NewReader(`{"a":1}`))
	skip := func(*types.Error) bool { return true }
	batches, err := readAll(t, in, schemaOf(t, "struct{a i32!,s utf8}"), arrowjson.ReadOptions{Skip: skip})
	if err != nil || len(batches) != 1 || batches[0] != `[{"a":1,"s":null}]` {
		t.Errorf("got %v, %v", batches, err)
	}
}

// endless repeats a row.
type endless struct {
	row string
	at  *int
}

func (e endless) Read(b []byte) (int, error) {
	n := copy(b, e.row[*e.at:])
	*e.at = (*e.at + n) % len(e.row)
	return n, nil
}

func TestReaderReferences(t *testing.T) {
	schema := schemaOf(t, "struct{a i32}")
	r, err := arrowjson.NewReader(strings.NewReader(`{"a":1}`), schema, arrowjson.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Schema() != schema || !r.Next() {
		t.Fatal(r.Err())
	}
	r.Retain()
	r.Release()
	if r.RecordBatch() == nil || r.Record() != r.RecordBatch() {
		t.Error("the batch is gone")
	}
	r.Release()
	if r.RecordBatch() != nil {
		t.Error("the batch is kept")
	}
	if _, err := arrowjson.NewReader(nil, schemaOf(t, "struct{a i32,a i32}"), arrowjson.ReadOptions{}); !errors.Is(err, types.ErrAmbiguousMember) {
		t.Errorf("got %v", err)
	}
}
