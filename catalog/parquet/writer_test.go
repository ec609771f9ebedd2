package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// writtenFile writes batches and gives the file.
func writtenFile(schema types.Schema, options catalog.Options, batches ...*types.Batch) ([]byte, error) {
	ctx := context.Background()
	var out bytes.Buffer
	w, err := Format{}.NewWriter(&out, schema, options)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		if err := w.Write(ctx, b); err != nil {
			return nil, err
		}
	}
	err = w.Close(ctx)
	return out.Bytes(), err
}

// readBack gives the columns of a file.
func readBack(data []byte) (types.Schema, []*types.Vector, error) {
	opened, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "memory"})
	if err != nil {
		return nil, nil, err
	}
	schema := opened.Schema()
	parts := make([][]*types.Vector, len(schema))
	for i, f := range schema {
		parts[i] = []*types.Vector{types.NewNull(f.Type, 0)}
	}
	err = eachBatch(opened, allColumns(opened), func(b *types.Batch) error {
		for i, v := range b.Columns {
			parts[i] = append(parts[i], kernels.Own(v))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	columns := make([]*types.Vector, len(parts))
	for i, p := range parts {
		columns[i] = kernels.Concat(&kernels.Env{}, p)
	}
	return schema, columns, nil
}

// refusal says why a table cannot be written, with "" where it can. Of intervals the values decide.
func refusal(schema types.Schema, columns []*types.Vector) (reason string, perhaps bool) {
	for i, f := range schema {
		kinds := kindsIn(f.Type)
		switch {
		case slices.ContainsFunc(kinds, func(t types.Type) bool { return t.Kind() == types.KindStruct && len(t.Fields()) == 0 }):
			return "a STRUCT without fields", false
		case slices.ContainsFunc(kinds, func(t types.Type) bool {
			return t.Kind() == types.KindInterval || t.Kind() == types.KindHugeInt || !t.IsNested() && t.Unit() == types.Second
		}):
			_ = columns[i]
			perhaps = true // negative, too large, too fine
		}
	}
	return "", perhaps
}

// kindsIn gives a type and all within it.
func kindsIn(t types.Type) []types.Type {
	all := []types.Type{t}
	for _, f := range t.Fields() {
		all = append(all, kindsIn(f.Type)...)
	}
	return all
}

// TestWriterRoundTrip writes random tables of every type, nested four deep, in row groups of every size, and reads them back equal, as does Arrow's reader
// the number of rows.
func TestWriterRoundTrip(t *testing.T) {
	refused := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 21))
		var schema types.Schema
		var want []*types.Vector
		n := rng.IntN(300)
		for i := range 1 + rng.IntN(3) {
			required := rng.IntN(3) == 0
			arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, arrowtest.RandomType(rng, int(seed%5)), n, arrowtest.Options{NoNulls: required})
			typ, err := types.ImportType(arr.DataType(), arrow.Metadata{})
			if err != nil {
				t.Fatal(err)
			}
			// As Arrow knows it: variants of type NULL are nullable.
			known, err := types.ImportField(types.ExportField(types.Field{Type: typ, Nullable: true}, types.ExportOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			v, err := types.Import(arr, types.ImportOptions{Type: known.Type})
			if err != nil {
				t.Fatal(err)
			}
			schema = append(schema, types.Field{Name: fmt.Sprint("c", i), Type: v.Type(), Nullable: !required || types.NullCount(nil, v) > 0 || v.Type().Kind() == types.KindNull})
			want = append(want, v)
		}
		options := catalog.Options{"row_group_size": int64(1 + rng.IntN(400)), "compression": []string{"snappy", "zstd", "gzip", "uncompressed", "brotli", "lz4_raw"}[seed%6]}
		cut := 0
		if n > 0 {
			cut = rng.IntN(n)
		}
		batch := func(from, to int) *types.Batch {
			columns := make([]*types.Vector, len(want))
			for i, v := range want {
				columns[i] = v.Slice(nil, from, to)
			}
			return types.NewBatch(columns, to-from, 0)
		}
		data, err := writtenFile(schema, options, batch(0, cut), batch(cut, n))
		if reason, perhaps := refusal(schema, want); reason != "" || perhaps && err != nil {
			var e *types.Error
			if refused++; !errors.As(err, &e) || e.Code != types.CodeFeatureNotSupported && (!perhaps || e.Kind != types.ErrCastOverflow) {
				t.Errorf("seed %d, %s: got %v", seed, reason, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, schema, err)
		}
		back, got, err := readBack(data)
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, schema, err)
		}
		for i, f := range schema {
			if !back[i].Type.Equal(f.Type) || back[i].Nullable != f.Nullable {
				t.Errorf("seed %d: column %s came back as %s, nullable %t", seed, f, back[i], back[i].Nullable)
				continue
			}
			if !types.EqualWith(got[i], want[i], types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
				t.Errorf("seed %d: column %s differs", seed, f)
			}
		}
		other, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("seed %d: Arrow's reader: %v", seed, err)
		}
		if other.NumRows() != int64(n) {
			t.Errorf("seed %d: Arrow's reader finds %d rows, want %d", seed, other.NumRows(), n)
		}
	}
	if refused > 350 {
		t.Errorf("%d of 500 tables were refused", refused)
	}
}

// TestWriterRefuses has the types that Parquet has no form for: the error names the column.
func TestWriterRefuses(t *testing.T) {
	_, err := Format{}.NewWriter(&bytes.Buffer{}, types.Schema{{Name: "ok", Type: types.Integer}, {Name: "bad", Type: types.ListOf(types.StructOf()), Nullable: true}}, nil)
	var e *types.Error
	if !errors.As(err, &e) || e.Code != types.CodeFeatureNotSupported || !strings.Contains(err.Error(), "bad") {
		t.Errorf("a struct without fields: %v", err)
	}
	for _, x := range []types.MonthDayNano{{Months: -1}, {Days: -1}, {Nanos: -1e6}, {Nanos: 1}, {Nanos: 1 << 32 * 1e6}} {
		v := types.NewFixed(types.Interval, []types.MonthDayNano{x}, nil)
		if _, err := writtenFile(types.Schema{{Name: "i", Type: types.Interval}}, nil, types.NewBatch([]*types.Vector{v}, 1, 0)); !errors.As(err, &e) || e.Kind != types.ErrCastOverflow {
			t.Errorf("interval %v: %v", x, err)
		}
	}
	for _, o := range []catalog.Options{{"compression": "rar"}, {"row_group_size": int64(0)}} {
		if _, err := (Format{}).NewWriter(&bytes.Buffer{}, types.Schema{{Name: "a", Type: types.Integer}}, o); err == nil {
			t.Errorf("options %v: no error", o)
		}
	}
}

// TestWriterStatistics checks that the written bounds are those of the values.
// TestArrowSchema has Arrow schemas in footers that are damaged, or of other columns: nothing panics, and what is not believed is read as Parquet says.
func TestArrowSchema(t *testing.T) {
	union := types.UnionOf(types.Field{Name: "a", Type: types.Integer, Nullable: true}, types.Field{Name: "tag", Type: types.Varchar, Nullable: true})
	schema := types.Schema{
		{Name: "u", Type: union, Nullable: true}, {Name: "h", Type: types.HugeInt, Nullable: true}, {Name: "e", Type: types.EnumOf([]string{"x", "y"}), Nullable: true},
		{Name: "l", Type: types.ArrayOfField(types.Field{Name: "item", Type: types.BigInt, Nullable: true}, 2), Nullable: true}, {Name: "b", Type: types.Bit, Nullable: true}, {Name: "s", Type: types.StructOf(types.Field{Name: "u", Type: types.ListOf(union), Nullable: true}), Nullable: true},
	}
	rows := [][]any{
		{types.UnionValue{Tag: "a", Value: int32(1)}, nil, types.UnionValue{Tag: "tag", Value: "text"}}, {int64(1), int64(2), nil}, {"x", nil, "y"}, {[]any{int64(1), nil}, nil, []any{int64(3), int64(4)}},
		{"101", nil, "0"}, {nil, []types.FieldValue{{Name: "u", Value: []any{types.UnionValue{Tag: "a"}, nil}}}, nil},
	}
	var columns []*types.Vector
	for i, f := range schema {
		v, err := types.FromValues(nil, f.Type, rows[i])
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, v)
	}
	data, err := writtenFile(schema, nil, types.NewBatch(columns, 3, 0))
	if err != nil {
		t.Fatal(err)
	}
	back, got, err := readBack(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range schema {
		if !back[i].Type.Equal(f.Type) || !types.EqualWith(got[i], columns[i], types.EqualOptions{IgnoreEncoding: true}) {
			t.Errorf("column %s came back as %s: %v", f, back[i], got[i])
		}
	}
	at := bytes.Index(data, []byte(arrowSchemaKey)) + len(arrowSchemaKey) + 3
	end := bytes.Index(data, []byte("Lacuna")) - 3
	rng := rand.New(rand.NewPCG(1, 2))
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for range 3000 {
		damaged := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			damaged[at+rng.IntN(end-at)] = alphabet[rng.IntN(len(alphabet))]
		}
		_, vectors, err := readBack(damaged)
		if err != nil && !errors.As(err, new(*types.Error)) {
			t.Fatalf("not an error of ours: %v", err)
		}
		for _, v := range vectors {
			for i := range v.Len() {
				types.Value(v, i)
			}
		}
	}
	// What a schema says of columns that it does not fit is not believed.
	for _, c := range []struct{ have, want types.Type }{
		{types.Integer, types.BigInt}, {types.Decimal(38, 1), types.HugeInt}, {types.Blob, types.Varchar}, {types.Varchar, types.Bit}, {types.TimestampOf(types.Microsecond), types.TimestampOf(types.Nanosecond)},
		{types.ListOf(types.Integer), types.ArrayOfField(types.Field{Name: "item", Type: types.Varchar}, 2)}, {types.StructOf(types.Field{Name: "a", Type: types.Integer}), union}, {types.Integer, union},
		{types.StructOf(types.Field{Name: "a", Type: types.Integer}), types.StructOf(types.Field{Name: "b", Type: types.Integer})}, {types.BigInt, types.EnumOf([]string{"x"})},
		{types.StructOf(types.Field{Name: "tag1", Type: types.Varchar}, types.Field{Name: "a", Type: types.Varchar}, types.Field{Name: "tag", Type: types.Varchar}), union},
	} {
		if got, ok := restoredType(c.have, c.want); ok && !got.Equal(c.have) {
			t.Errorf("%s is read as %s", c.have, got)
		}
	}
}

func TestWriterLimits(t *testing.T) {
	power := func(base, n int64) *big.Int { return new(big.Int).Exp(big.NewInt(base), big.NewInt(n), nil) }
	limit := power(10, 38)
	largest := new(big.Int).Sub(limit, big.NewInt(1))
	for _, c := range []struct {
		x    *big.Int
		fits bool
	}{{largest, true}, {limit, false}, {power(2, 126), true}, {new(big.Int).Sub(power(2, 127), big.NewInt(1)), false}, {power(10, 37), true}} {
		for _, x := range []*big.Int{c.x, new(big.Int).Neg(c.x)} {
			v, err := types.FromValues(nil, types.HugeInt, []any{x})
			if err != nil {
				t.Fatal(err)
			}
			data, err := writtenFile(types.Schema{{Name: "a", Type: types.HugeInt}}, nil, types.NewBatch([]*types.Vector{v}, 1, 0))
			if c.fits != (err == nil) {
				t.Errorf("%s: %v", x, err)
			}
			if err != nil {
				continue
			}
			if _, got, err := readBack(data); err != nil || types.Text(got[0], 0) != x.String() {
				t.Errorf("%s came back otherwise (%v)", x, err)
			}
		}
	}
	// What the reader finds too deep is not written.
	deep := types.BigInt
	for range 70 {
		deep = types.ListOf(deep)
	}
	if _, err := writtenFile(types.Schema{{Name: "a", Type: deep, Nullable: true}}, nil); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("lists in lists: %v", err)
	}
}

func TestWriterStatistics(t *testing.T) {
	schema := types.Schema{{Name: "i", Type: types.BigInt}, {Name: "s", Type: types.Varchar, Nullable: true}, {Name: "f", Type: types.Double}}
	numbers, floats, texts := make([]int64, 1000), make([]float64, 1000), make([]any, 1000)
	for i := range numbers {
		numbers[i], floats[i] = int64(i)-500, float64(i)
		if i%2 == 0 {
			texts[i] = fmt.Sprintf("%04d", i)
		}
	}
	s, err := types.FromValues(nil, types.Varchar, texts)
	if err != nil {
		t.Fatal(err)
	}
	columns := []*types.Vector{types.NewFixed(types.BigInt, numbers, nil), s, types.NewFixed(types.Double, floats, nil)}
	data, err := writtenFile(schema, catalog.Options{"row_group_size": int64(100)}, types.NewBatch(columns, 1000, 0))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Format{}.Open(t.Context(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "memory"})
	if err != nil {
		t.Fatal(err)
	}
	stats := opened.Statistics()
	if stats.Rows != 1000 || stats.Columns[1].Nulls != 500 || types.Value(stats.Columns[0].Min, 0) != int64(-500) || types.Value(stats.Columns[0].Max, 0) != int64(499) ||
		types.Value(stats.Columns[1].Max, 0) != "0998" || types.Value(stats.Columns[2].Max, 0) != 999.0 {
		t.Errorf("statistics %+v", stats)
	}
}

func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 1))
	numbers, floats, texts := make([]int64, n), make([]float64, n), make([]any, n)
	for i := range numbers {
		numbers[i], floats[i], texts[i] = int64(rng.IntN(1000)), rng.Float64(), fmt.Sprint("text number ", i)
	}
	s, err := types.FromValues(nil, types.Varchar, texts)
	if err != nil {
		b.Fatal(err)
	}
	schema := types.Schema{{Name: "i", Type: types.BigInt}, {Name: "s", Type: types.Varchar}, {Name: "f", Type: types.Double}}
	batch := types.NewBatch([]*types.Vector{types.NewFixed(types.BigInt, numbers, nil), s, types.NewFixed(types.Double, floats, nil)}, n, 0)
	b.SetBytes(int64(n * (8 + 20 + 8)))
	for b.Loop() {
		if _, err := writtenFile(schema, nil, batch); err != nil {
			b.Fatal(err)
		}
	}
}
