package arrowjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// peopleSchema and peopleBatch are a record batch with a null name in the rows that say so.
var peopleSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int32}, {Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

func peopleBatch(alloc memory.Allocator, ids []int32, valid []bool) arrow.RecordBatch {
	b := array.NewRecordBuilder(alloc, peopleSchema)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).AppendValues(ids, valid)
	for i := range ids {
		if i%2 == 0 {
			b.Field(1).(*array.StringBuilder).Append("x")
		} else {
			b.Field(1).AppendNull()
		}
	}
	return b.NewRecordBatch()
}

func TestWriter(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	batch := peopleBatch(alloc, []int32{1, 2}, nil)
	defer batch.Release()
	for _, c := range []struct {
		lines   bool
		batches int
		want    string
	}{
		{true, 0, ""},
		{true, 2, `{"id":1,"name":"x"}|{"id":2,"name":null}|{"id":1,"name":"x"}|{"id":2,"name":null}|`},
		{false, 0, "[|]|"},
		{false, 2, `[|{"id":1,"name":"x"},|{"id":2,"name":null},|{"id":1,"name":"x"},|{"id":2,"name":null}|]|`},
	} {
		var out bytes.Buffer
		w, err := arrowjson.NewWriter(&out, peopleSchema, arrowjson.WriteOptions{Lines: c.lines})
		if err != nil {
			t.Fatal(err)
		}
		for range c.batches {
			if err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(out.String(), "\n", "|"); got != c.want {
			t.Errorf("lines %t, %d batches: got %s, want %s", c.lines, c.batches, got, c.want)
		}
		if w.Close() != nil || w.Write(batch) == nil {
			t.Error("a closed writer takes batches")
		}
	}
}

// TestWriterViolation shows that the rows before a fault are written and that its row counts from the start of the stream.
func TestWriterViolation(t *testing.T) {
	good, bad := peopleBatch(memory.DefaultAllocator, []int32{1, 2}, nil), peopleBatch(memory.DefaultAllocator, []int32{3, 4}, []bool{true, false})
	var out bytes.Buffer
	w, err := arrowjson.NewWriter(&out, peopleSchema, arrowjson.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(good); err != nil {
		t.Fatal(err)
	}
	err = w.Write(bad)
	var e *types.Error
	if !errors.As(err, &e) || e.Kind != types.ErrNullInRequired || e.Path != "id" || e.Row != 3 {
		t.Errorf("got %v", err)
	}
	if w.Close() != err {
		t.Error("Close forgets the error")
	}
	var rows []any
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) != 3 {
		t.Errorf("%d rows, %v in %s", len(rows), err, out.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriterKeepsFirstError(t *testing.T) {
	batch := peopleBatch(memory.DefaultAllocator, []int32{1}, nil)
	w, err := arrowjson.NewWriter(brokenPipe{}, peopleSchema, arrowjson.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := w.Write(batch)
	if first == nil || w.Write(batch) != first || w.Close() != first {
		t.Errorf("first error %v", first)
	}
}

func TestWriterRefusesSchemas(t *testing.T) {
	twice := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "a", Type: arrow.Null}}, nil)
	if _, err := arrowjson.NewWriter(nil, twice, arrowjson.WriteOptions{}); !errors.Is(err, types.ErrAmbiguousMember) {
		t.Errorf("got %v", err)
	}
	batch := peopleBatch(memory.DefaultAllocator, []int32{1}, nil)
	var out bytes.Buffer
	other := arrow.NewSchema(append([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}}, peopleSchema.Field(1)), nil)
	w, err := arrowjson.NewWriter(&out, other, arrowjson.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch); !errors.Is(err, types.ErrNoCommonType) {
		t.Errorf("got %v", err)
	}
}

// TestMarshalViolations looks for the null at every kind of place.
func TestMarshalViolations(t *testing.T) {
	for _, c := range []struct{ array, path, zero, null string }{
		{`["i32!",{"valid":"10","values":[1,7]}]`, "", `[1,7]`, `[1,null]`},
		{`["utf8!",["a",null]]`, "", `["a",""]`, `["a",null]`},
		{`["fixed_size_binary(2)!",["ab",null]]`, "", `["YWI=","AAA="]`, `["YWI=",null]`},
		{`["decimal128(3,1)!",{"valid":"10","values":[1,99999]}]`, "", `[0.1,0.0]`, `[0.1,null]`},
		{`["struct{x i32!}!",[{"x":1},null]]`, "", `[{"x":1},{"x":0}]`, `[{"x":1},null]`},
		{`["struct{s struct{x i32!}?}!",{"fields":[{"fields":[{"valid":"10","values":[1,2]}]}]}]`, "s.x", `[{"s":{"x":1}},{"s":{"x":2}}]`, `[{"s":{"x":1}},{"s":{"x":null}}]`},
		{`["list<i32!>",[[1],[null]]]`, "[]", `[[1],[0]]`, `[[1],[null]]`},
		{`["map<i32!,i32!>",[[[1,1]],[[2,null]]]]`, "value", `[[[1,1]],[[2,0]]]`, `[[[1,1]],[[2,null]]]`},
		{`["su{3:a i32!}",[[3,1],[3,null]]]`, "a", `[[3,1],[3,0]]`, `[[3,1],[3,null]]`},
		{`["tu{3:a i32!}!",[[3,1],null]]`, "", `[[3,1],[3,0]]`, `[[3,1],null]`},
		{`["dictionary<i8,i32>!",[1,null]]`, "", `[1,0]`, `[1,null]`},
		{`["ree<i32,i32!>",[1,null]]`, "", `[1,0]`, `[1,null]`},
	} {
		a := parseArray(t, c.array)
		_, err := arrowjson.Marshal(a.Field, a.Data(), arrowjson.WriteOptions{})
		var e *types.Error
		if !errors.As(err, &e) || e.Kind != types.ErrNullInRequired || e.Path != c.path || e.Row != 1 {
			t.Errorf("%s: %v", c.array, err)
		}
		for policy, want := range map[arrowjson.Violation]string{arrowjson.ViolationZero: c.zero, arrowjson.ViolationNull: c.null} {
			if text, err := arrowjson.Marshal(a.Field, a.Data(), arrowjson.WriteOptions{OnViolation: policy}); err != nil || string(text) != want {
				t.Errorf("%s: got %s %v, want %s", c.array, text, err, want)
			}
		}
	}
}

// TestMarshalGivesJSON lets the standard library read what random arrays become, and shows that hidden slots are not written (P12): the same rows in another
// layout give the same text.
func TestMarshalGivesJSON(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 11))
		dt := arrowtest.RandomType(rng, 4)
		arr := arrowtest.RandomArray(rng, alloc, dt, 1+rng.IntN(20), arrowtest.Options{})
		field := arrow.Field{Name: "c", Type: dt, Nullable: true}
		text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{})
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, dt, err)
		}
		var rows []any
		if err := json.Unmarshal(text, &rows); err != nil || len(rows) != arr.Len() {
			t.Fatalf("seed %d, %s: %d of %d rows, %v in %s", seed, dt, len(rows), arr.Len(), err, text)
		}
		from := rng.IntN(arr.Len())
		part := array.NewSlice(arr, int64(from), int64(arr.Len()))
		tail, err := arrowjson.Marshal(field, part.Data(), arrowjson.WriteOptions{})
		var tailRows []any
		if err != nil || json.Unmarshal(tail, &tailRows) != nil || !sameJSON(tailRows, rows[from:]) {
			t.Fatalf("seed %d, %s: slice from %d gives %s (%v)\nof %s", seed, dt, from, tail, err, text)
		}
		part.Release()
		arr.Release()
	}
}

// TestMarshalOfVariants: the same rows in other layouts, with other things where nobody may look, give the same text (P12).
func TestMarshalOfVariants(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 12))
		dt := arrowtest.RandomType(rng, 3)
		if text := dt.String(); strings.Contains(text, "dictionary") && strings.Contains(text, "union") {
			continue // a null key of a union may leave as a null of a variant, which is another text
		}
		arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, dt, 1+rng.IntN(20), arrowtest.Options{})
		field := arrow.Field{Name: "c", Type: dt, Nullable: true}
		want, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{})
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, dt, err)
		}
		v, err := types.ImportData(arr.Data(), types.ImportOptions{Unions: types.UnionTagged})
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range arrowtest.Variants(rng, v) {
			for _, to := range []arrow.DataType{dt, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dt), &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: dt}} {
				out, err := types.Export(variant.Vector, to, types.ExportOptions{AllowLossy: true})
				if errors.Is(err, types.ErrDictKeyOverflow) || errors.Is(err, types.ErrNoNullHost) {
					continue
				}
				if err != nil {
					t.Fatalf("seed %d, %s, %s: %v", seed, to, variant.Name, err)
				}
				text, err := arrowjson.Marshal(arrow.Field{Name: "c", Type: to, Nullable: true}, out.Data(), arrowjson.WriteOptions{})
				if err != nil || !bytes.Equal(text, want) {
					t.Fatalf("seed %d, %s, %s:\n got %s %v\nwant %s", seed, to, variant.Name, text, err, want)
				}
				out.Release()
			}
		}
	}
}

func sameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func TestMarshalBatch(t *testing.T) {
	batch := peopleBatch(memory.DefaultAllocator, []int32{1, 2}, nil)
	text, err := arrowjson.MarshalBatch(batch, arrowjson.WriteOptions{})
	if want := "[\n{\"id\":1,\"name\":\"x\"},\n{\"id\":2,\"name\":null}\n]"; err != nil || string(text) != want {
		t.Errorf("got %s %v", text, err)
	}
}
