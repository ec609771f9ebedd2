package ipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// memoryFiles is a file system of one file, which counts the bytes read of it.
type memoryFiles struct {
	catalog.FileSystem
	data []byte
	read *int
}

func (f memoryFiles) Open(context.Context, string) (catalog.File, error) { return memoryFile{f}, nil }

type memoryFile struct{ memoryFiles }

func (f memoryFile) ReadAt(_ context.Context, p []byte, offset int64) (int, error) {
	if f.read != nil {
		*f.read += len(p)
	}
	n := copy(p, f.data[min(int(offset), len(f.data)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f memoryFile) Size() int64  { return int64(len(f.data)) }
func (f memoryFile) Path() string { return "memory" }
func (f memoryFile) Close() error { return nil }

// readAll gives the columns of a file; an error is the first of opening or reading.
func readAll(data []byte, read *int, columns ...int) (types.Schema, []*types.Vector, error) {
	ctx := context.Background()
	table, err := Format{}.Open(ctx, catalog.OpenRequest{Files: memoryFiles{data: data, read: read}, Path: "memory"})
	if err != nil {
		return nil, nil, err
	}
	schema := table.Schema()
	if columns == nil {
		for i := range schema {
			columns = append(columns, i)
		}
	}
	request := catalog.ScanRequest{Limit: -1, BatchRows: 50}
	for _, c := range columns {
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: c})
	}
	scan, err := table.Scan(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	defer scan.Close()
	parts := make([][]*types.Vector, len(columns))
	rows := int64(0)
	for {
		m, err := scan.Next(ctx)
		if err != nil {
			return nil, nil, err
		}
		if m == nil {
			break
		}
		for {
			b, err := m.Next(ctx, nil)
			if err != nil {
				return nil, nil, err
			}
			if b == nil {
				break
			}
			rows += int64(b.Rows)
			for i, v := range b.Columns {
				parts[i] = append(parts[i], v)
			}
		}
	}
	if rows != table.Statistics().Rows {
		return nil, nil, fmt.Errorf("%d rows, the statistics say %d", rows, table.Statistics().Rows)
	}
	vectors := make([]*types.Vector, len(columns))
	for i, p := range parts {
		p = append(p, types.NewNull(schema[columns[i]].Type, 0))
		vectors[i] = kernels.Concat(&kernels.Env{}, p)
	}
	return schema, vectors, nil
}

// written gives record batches as a file or a stream of Arrow's own library.
func written(t testing.TB, schema *arrow.Schema, stream bool, batches []arrow.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	options = append(options, ipc.WithSchema(schema))
	if stream {
		w = ipc.NewWriter(&out, options...)
	} else {
		file, err := ipc.NewFileWriter(&out, options...)
		if err != nil {
			t.Fatal(err)
		}
		w = file
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// equal compares rows, whatever the encoding.
func equal(a, b *types.Vector) bool {
	return types.EqualWith(a, b, types.EqualOptions{IgnoreEncoding: true, NaNEqual: true})
}

// randomBatches makes batches of one schema of random types.
func randomBatches(seed uint64, batches int) (*arrow.Schema, []arrow.RecordBatch) {
	rng := rand.New(rand.NewPCG(seed, 11))
	var fields []arrow.Field
	for i := range 1 + rng.IntN(5) {
		dt := arrowtest.RandomType(rng, int(seed%4))
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: dt, Nullable: rng.IntN(3) > 0})
	}
	schema := arrow.NewSchema(fields, nil)
	var all []arrow.RecordBatch
	for range batches {
		n := rng.IntN(150)
		columns := make([]arrow.Array, len(fields))
		for i, f := range fields {
			columns[i] = arrowtest.RandomArray(rng, memory.DefaultAllocator, f.Type, n, arrowtest.Options{NoNulls: !f.Nullable})
		}
		all = append(all, array.NewRecordBatch(schema, columns, int64(n)))
	}
	return schema, all
}

// TestReadsArrow reads what Arrow's own library writes: random types, in files and streams, with every compression.
func TestReadsArrow(t *testing.T) {
	checked := 0
	for seed := range uint64(400) {
		schema, batches := randomBatches(seed, int(seed%4))
		options := [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}}[seed%3]
		stream := seed%2 == 1
		data, err := tryWritten(t, schema, stream, batches, options)
		if err != nil {
			continue // Arrow's writer does not have it: other dictionaries in each batch of a file, some slices
		}
		checked++
		fields, got, err := readAll(data, nil)
		if err != nil {
			t.Fatalf("seed %d, schema %s: %v", seed, schema, err)
		}
		for i, f := range fields {
			parts := []*types.Vector{types.NewNull(f.Type, 0)}
			for _, b := range batches {
				v, err := types.Import(b.Column(i), types.ImportOptions{Type: f.Type})
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, v)
			}
			if want := kernels.Concat(&kernels.Env{}, parts); !equal(got[i], want) {
				t.Errorf("seed %d, stream %t: column %s differs", seed, stream, schema.Field(i))
			}
			if _, one, err := readAll(data, nil, i); err != nil || !equal(one[0], got[i]) {
				t.Errorf("seed %d: column %d alone: %v", seed, i, err)
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d files were checked", checked)
	}
}

func tryWritten(t testing.TB, schema *arrow.Schema, stream bool, batches []arrow.RecordBatch, options []ipc.Option) (data []byte, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%v", x)
		}
	}()
	var out bytes.Buffer
	options = append(options, ipc.WithSchema(schema))
	if stream {
		w := ipc.NewWriter(&out, options...)
		for _, b := range batches {
			if err := w.Write(b); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), errors.Join(w.Close())
	}
	w, err := ipc.NewFileWriter(&out, options...)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// TestRoundTrip writes random tables of every type with every option, and reads them back equal, as do Arrow's readers.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(300) {
		arrowSchema, batches := randomBatches(seed, 3)
		schema, err := types.ImportSchema(arrowSchema)
		if err != nil {
			t.Fatal(err)
		}
		options := catalog.Options{"row_group_size": int64(1 + seed*7%200), "stream": seed%2 == 1, "string_view": seed%3 == 0,
			"compression": []string{"none", "lz4", "zstd"}[seed%3], "union_policy": []string{"default", "ValidityStruct"}[seed%2]}
		var out bytes.Buffer
		w, err := Format{}.NewWriter(&out, schema, options)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([][]*types.Vector, len(schema))
		for _, b := range batches {
			batch, err := types.ImportBatch(b, schema, types.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range batch.Columns {
				parts[i] = append(parts[i], v)
			}
			if err := w.Write(ctx, batch); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, arrowSchema, err)
			}
		}
		if err := w.Close(ctx); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		back, got, err := readAll(out.Bytes(), nil)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, arrowSchema, err)
		}
		readByArrow(t, out.Bytes(), seed%2 == 1, schema, got)
		for i, f := range schema {
			want := kernels.Concat(&kernels.Env{}, append(parts[i], types.NewNull(f.Type, 0)))
			if !back[i].Type.Equal(f.Type) || back[i].Nullable != f.Nullable && f.Type.Kind() != types.KindUnion {
				t.Errorf("seed %d: column %s came back as %s, nullable %t", seed, f, back[i], back[i].Nullable)
			} else if nested := len(f.Type.Fields()) > 0; back[i].Encoding != f.Encoding && f.Type.Kind() != types.KindNull && !(nested && f.Encoding == types.Dictionary) {
				t.Errorf("seed %d: column %s (%s) came back %s", seed, f, arrowSchema.Field(i).Type, back[i].Encoding)
			} else if !equal(got[i], want) {
				t.Errorf("seed %d: column %s (%s) differs", seed, f, arrowSchema.Field(i).Type)
			}
		}
	}
}

// readByArrow reads a file or stream with Arrow's own library and compares it with the columns that ours gave.
func readByArrow(t *testing.T, data []byte, stream bool, schema types.Schema, columns []*types.Vector) {
	t.Helper()
	parts := make([][]*types.Vector, len(schema))
	add := func(record arrow.RecordBatch) {
		for i, f := range schema {
			v, err := types.Import(record.Column(i), types.ImportOptions{Type: f.Type})
			if err != nil {
				t.Fatalf("column %s read by Arrow: %v", f, err)
			}
			parts[i] = append(parts[i], kernels.Own(v))
		}
	}
	if stream {
		r, err := ipc.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("Arrow cannot read the stream: %v", err)
		}
		defer r.Release()
		for r.Next() {
			add(r.RecordBatch())
		}
		if r.Err() != nil {
			t.Fatalf("Arrow cannot read the stream: %v", r.Err())
		}
	} else {
		r, err := ipc.NewFileReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("Arrow cannot read the file: %v", err)
		}
		defer r.Close()
		for i := range r.NumRecords() {
			record, err := r.RecordBatchAt(i)
			if err != nil {
				t.Fatalf("Arrow cannot read record batch %d: %v", i, err)
			}
			add(record)
			record.Release()
		}
	}
	for i, f := range schema {
		if got := kernels.Concat(&kernels.Env{}, append(parts[i], types.NewNull(f.Type, 0))); !equal(got, columns[i]) {
			t.Errorf("column %s differs as Arrow reads it", f)
		}
	}
}

// TestDictionaryMessages reads dictionaries that grow and that are replaced within a stream.
func TestDictionaryMessages(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt, Nullable: true}}, nil)
	batch := func(keys string, values string) arrow.RecordBatch {
		k, _, err1 := array.FromJSON(memory.DefaultAllocator, dt.IndexType, bytes.NewReader([]byte(keys)))
		v, _, err2 := array.FromJSON(memory.DefaultAllocator, dt.ValueType, bytes.NewReader([]byte(values)))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(dt, k, v)}, int64(k.Len()))
	}
	batches := []arrow.RecordBatch{batch(`[0, 1, null]`, `["a", "b"]`), batch(`[2, 0]`, `["a", "b", null]`), batch(`[3, 2, 1]`, `["a", "b", null, "c"]`), batch(`[0]`, `["x", "y"]`)}
	for _, deltas := range []bool{false, true} {
		data := written(t, schema, true, batches, ipc.WithDictionaryDeltas(deltas))
		_, got, err := readAll(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for i := range got[0].Len() {
			text += fmt.Sprint(types.Value(got[0], i), " ")
		}
		if want := "a b <nil> <nil> a c <nil> b x "; text != want {
			t.Errorf("deltas %t: got %s, want %s", deltas, text, want)
		}
	}
}

// TestDictionariesOfStreams reads streams whose dictionaries grow or are replaced with every batch: each is read about once, and few are kept.
func TestDictionariesOfStreams(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
	const batches = 400
	for _, grow := range []bool{true, false} {
		var records []arrow.RecordBatch
		var entries []string
		for i := range batches {
			if !grow {
				entries = nil
			}
			entries = append(entries, fmt.Sprintf("entry %d of the dictionary", i))
			values, keys := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt32Builder(memory.DefaultAllocator)
			values.AppendValues(entries, nil)
			keys.AppendValues([]int32{int32(len(entries) - 1), 0}, nil)
			records = append(records, array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(dt, keys.NewArray(), values.NewArray())}, 2))
		}
		data := written(t, schema, true, records, ipc.WithDictionaryDeltas(true))
		read := 0
		_, got, err := readAll(data, &read)
		if err != nil {
			t.Fatal(err)
		}
		for i := range batches {
			first := i
			if grow {
				first = 0
			}
			if a, b := types.Text(got[0], 2*i), types.Text(got[0], 2*i+1); a != fmt.Sprintf("entry %d of the dictionary", i) || b != fmt.Sprintf("entry %d of the dictionary", first) {
				t.Fatalf("grow %t: batch %d has %q and %q", grow, i, a, b)
			}
		}
		if read > 4*len(data) {
			t.Errorf("grow %t: %d bytes were read of a stream of %d", grow, read, len(data))
		}
	}
}

// TestDictionaryTwice has a file, which has no order of dictionaries, give one twice.
func TestDictionaryTwice(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt}, {Name: "b", Type: dt}}, nil)
	column := func(values string) arrow.Array {
		v, _, err := array.FromJSON(memory.DefaultAllocator, dt.ValueType, bytes.NewReader([]byte(values)))
		if err != nil {
			t.Fatal(err)
		}
		k, _, _ := array.FromJSON(memory.DefaultAllocator, dt.IndexType, bytes.NewReader([]byte(`[0, 1]`)))
		return array.NewDictionaryArray(dt, k, v)
	}
	data := written(t, schema, false, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{column(`["p", "q"]`), column(`["r", "s"]`)}, 2)})
	one := []byte{1, 0, 0, 0, 0, 0, 0, 0}
	for at := 8; at < len(data); at++ { // one of them is the number of the second dictionary
		i := bytes.Index(data[at:], one)
		if i < 0 {
			break
		}
		at += i
		changed := bytes.Clone(data)
		changed[at] = 0
		if _, _, err := readAll(changed, nil); err != nil && strings.Contains(err.Error(), "dictionary 0 stands twice in the file") {
			return
		}
	}
	t.Error("no error names a dictionary that stands twice")
}

// TestBuffered checks that what a writer holds is bounded by the rows of a record batch and those of the last batch given to it.
func TestBuffered(t *testing.T) {
	schema := types.Schema{{Name: "a", Type: types.BigInt}}
	const batchRows = 4001
	for _, rows := range []int64{1, 1000, 4001, 5000, 100_000} {
		w, err := Format{}.NewWriter(io.Discard, schema, catalog.Options{"row_group_size": rows})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if err := w.Write(t.Context(), types.NewBatch([]*types.Vector{types.NewFixed(types.BigInt, make([]int64, batchRows), nil)}, batchRows, 0)); err != nil {
				t.Fatal(err)
			}
			if held, bound := w.Buffered(), 2*8*(rows+batchRows); held > bound {
				t.Fatalf("record batches of %d rows: %d bytes are held, more than %d", rows, held, bound)
			}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProjection checks that the buffers of columns that nobody wants are not read.
func TestProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	schema := arrow.NewSchema([]arrow.Field{{Name: "small", Type: arrow.PrimitiveTypes.Int8}, {Name: "large", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	const n = 100_000
	columns := []arrow.Array{arrowtest.RandomArray(rng, memory.DefaultAllocator, schema.Field(0).Type, n, arrowtest.Options{NoNulls: true, NoSlices: true}),
		arrowtest.RandomArray(rng, memory.DefaultAllocator, schema.Field(1).Type, n, arrowtest.Options{NoSlices: true})}
	data := written(t, schema, false, []arrow.RecordBatch{array.NewRecordBatch(schema, columns, n)})
	read := 0
	if _, _, err := readAll(data, &read, 0); err != nil || read > n+70_000 {
		t.Errorf("%d bytes were read of %d (%v)", read, len(data), err)
	}
}

// TestChangedFile checks that a scan of a file that is another one since it was opened fails.
func TestChangedFile(t *testing.T) {
	schema, batches := randomBatches(2, 2)
	path := filepath.Join(t.TempDir(), "a.arrow")
	data := written(t, schema, true, batches)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Format{}.Open(t.Context(), catalog.OpenRequest{Files: catalog.LocalFiles{}, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-8], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Scan(t.Context(), catalog.ScanRequest{}); err == nil || !errors.As(err, new(*types.Error)) {
		t.Errorf("got %v", err)
	}
}

// corpus gives files of several kinds.
func corpus(t testing.TB) [][]byte {
	var files [][]byte
	for seed := range uint64(30) {
		schema, batches := randomBatches(seed, 2)
		if data, err := tryWritten(t, schema, seed%2 == 1, batches, [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}}[seed%3]); err == nil {
			files = append(files, data)
		}
	}
	if len(files) < 6 {
		t.Fatal("too few files")
	}
	return files
}

// mustSurvive reads a file that may be damaged: it must not panic, and what is wrong must be one of our errors.
func mustSurvive(t *testing.T, data []byte) {
	t.Helper()
	_, vectors, err := readAll(data, nil)
	if err != nil && !errors.As(err, new(*types.Error)) {
		t.Fatalf("not an error of ours: %v", err)
	}
	for _, v := range vectors {
		for i := range min(v.Len(), 20) {
			types.Value(v, i)
		}
	}
}

// TestDamagedFiles truncates files everywhere and flips every kind of byte.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, data := range corpus(t) {
		for percent := range 100 {
			cut := data[:len(data)*percent/100]
			if _, _, err := readAll(cut, nil); err == nil && bytes.HasPrefix(data, []byte(magic)) {
				t.Errorf("a file cut to %d of %d bytes was read", len(cut), len(data))
			}
			mustSurvive(t, cut)
		}
		for range 400 {
			damaged := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(damaged))
				switch rng.IntN(3) {
				case 0:
					damaged[at] ^= 1 << rng.IntN(8)
				case 1:
					damaged[at] = 0xFF
				default:
					for i := at; i < min(at+8, len(damaged)); i++ {
						damaged[i] = byte(rng.Uint32())
					}
				}
			}
			mustSurvive(t, damaged)
		}
	}
}

func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, `file "memory": not an Arrow file: it is empty`},
		"text":      {[]byte("a,b,c\n1,2,3\n"), `file "memory": not an Arrow file or stream: the message at offset 0 claims a header of 744631393 bytes`},
		"half file": {[]byte("ARROW1\x00\x00 and then nothing"), `file "memory": the file begins with ARROW1 and does not end with it`},
	} {
		if _, _, err := readAll(c.data, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range corpus(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { mustSurvive(t, data) })
}

// ledger counts what is reserved, up to a limit.
type ledger struct{ used, peak, limit int64 }

func (l *ledger) Grow(n int64) error {
	if l.used+n > l.limit {
		return types.KindErrorf(types.ErrOutOfMemory, "%d bytes and %d more are over the limit", l.used, n)
	}
	l.used += n
	l.peak = max(l.peak, l.used)
	return nil
}

// TestMemory checks that record batches are reserved before they are decompressed, and given back, and that a claim over the limit is refused.
func TestMemory(t *testing.T) {
	const rows = 1 << 20
	schema := arrow.NewSchema([]arrow.Field{{Name: "zeros", Type: arrow.PrimitiveTypes.Int64}}, nil)
	zeros := array.NewInt64Builder(memory.DefaultAllocator)
	zeros.AppendValues(make([]int64, rows), nil)
	record := array.NewRecordBatch(schema, []arrow.Array{zeros.NewArray()}, rows)
	for name, option := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		data := written(t, schema, false, []arrow.RecordBatch{record, record, record}, option)
		for _, limit := range []int64{4 << 20, 20 << 20} {
			table, err := Format{}.Open(t.Context(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "memory"})
			if err != nil {
				t.Fatal(err)
			}
			l := &ledger{limit: limit}
			scan, err := table.Scan(t.Context(), catalog.ScanRequest{Limit: -1, Columns: []catalog.ColumnPath{{}}, Memory: l})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for err == nil {
				var m catalog.Morsel
				if m, err = scan.Next(t.Context()); m == nil {
					break
				}
				for err == nil {
					var b *types.Batch
					if b, err = m.Next(t.Context(), nil); b == nil {
						break
					}
					n += b.Rows
				}
			}
			scan.Close()
			if limit > 8*rows {
				if err != nil || n != 3*rows || l.used != 0 || l.peak < 8*rows {
					t.Errorf("%s: %d rows, %d bytes left, %d at most: %v", name, n, l.used, l.peak, err)
				}
			} else if e := new(types.Error); !errors.As(err, &e) || e.Kind != types.ErrOutOfMemory || l.used != 0 {
				t.Errorf("%s: a limit of %d bytes: %v", name, limit, err)
			}
		}
	}
}
