package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// memoryFiles is a file system of one file.
type memoryFiles struct {
	catalog.LocalFiles
	data []byte
}

type memoryFile struct {
	*bytes.Reader
}

func (f memoryFiles) Open(context.Context, string) (catalog.File, error) {
	return memoryFile{bytes.NewReader(f.data)}, nil
}

func (f memoryFile) ReadAt(_ context.Context, p []byte, offset int64) (int, error) {
	return f.Reader.ReadAt(p, offset)
}
func (f memoryFile) Size() int64  { return f.Reader.Size() }
func (f memoryFile) Path() string { return "memory" }
func (f memoryFile) Close() error { return nil }

// openAndRead opens a file in memory and reads up to maxRows rows of each column on its own, so that damage to one does not hide the
// others. It gives the first error.
func openAndRead(data []byte, maxRows int) error {
	opened, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "memory"})
	if err != nil {
		return err
	}
	opened.Statistics()
	var first error
	for i := range opened.Schema() {
		rows := 0
		request := catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: i}}, Limit: -1, BatchRows: 512}
		err := eachBatch(opened, request, func(b *types.Batch) error {
			for row := range b.Rows {
				types.Value(b.Columns[0], row)
			}
			if rows += b.Rows; rows > maxRows {
				return io.EOF
			}
			return nil
		})
		if err != nil && err != io.EOF && first == nil {
			first = err
		}
	}
	return first
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkFault fails unless an error has a code that a bad file may have.
func checkFault(t *testing.T, err error, what string, i int) {
	t.Helper()
	if err == nil {
		return
	}
	e, ok := err.(*types.Error)
	if !ok || e.Code != types.CodeDataCorrupted && e.Code != types.CodeFeatureNotSupported && e.Code != types.CodeInvalidUTF8 {
		t.Fatalf("%s %d: %#v", what, i, err)
	}
}

// TestTruncated cuts files off at every 1 %.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"nulls_v1_snappy_fallback", "nested_v2", "flat_v2_snappy_delta"} {
		data := readFile(t, "testdata/"+name+".parquet")
		for percent := range 100 {
			err := openAndRead(data[:len(data)*percent/100], 1000)
			if err == nil {
				t.Fatalf("%s cut off at %d %% is read", name, percent)
			}
			checkFault(t, err, name, percent)
		}
	}
}

// TestFlipped changes single bytes, anywhere and in the footer, where it hurts most. Damage may go unnoticed in data, but memory must stay
// in proportion to the file.
func TestFlipped(t *testing.T) {
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	for _, name := range []string{"nulls_v1_snappy_fallback", "nested_v1", "flat_v2_snappy_delta", "nulls_fixed_delta_byte_array"} {
		good := readFile(t, "testdata/"+name+".parquet")
		footer := int(binary.LittleEndian.Uint32(good[len(good)-8:]))
		random := rand.New(rand.NewSource(1))
		var before, after runtime.MemStats
		faults := 0
		for i := range rounds {
			bad := bytes.Clone(good)
			at := random.Intn(len(bad))
			if i%2 == 0 {
				at = len(bad) - 1 - random.Intn(footer+8)
			}
			bad[at] ^= byte(1 + random.Intn(255))
			runtime.ReadMemStats(&before)
			err := openAndRead(bad, 1000)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("%s, flip %d at %d: %d MB are allocated", name, i, at, used>>20)
			}
			checkFault(t, err, name, i)
			if err != nil {
				faults++
			}
		}
		if faults < rounds/10 {
			t.Errorf("%s: only %d of %d flips are noticed", name, faults, rounds)
		}
	}
}

// TestChecksums flips bytes of pages that have checksums: no damage may go unnoticed.
func TestChecksums(t *testing.T) {
	good := readFile(t, "testdata/flat_v1_snappy_plain.parquet")
	opened, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: good}, Path: "memory"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range opened.(*table).meta.groups[0].columns {
		bad := bytes.Clone(good)
		bad[c.dataOffset+c.compressed-1] ^= 1
		if err := openAndRead(bad, 1000); err == nil {
			t.Fatalf("a flip in the page at %d goes unnoticed", c.dataOffset)
		}
	}
}

// TestListBomb opens a file whose schema claims two billion elements.
func TestListBomb(t *testing.T) {
	good := readFile(t, "testdata/int96.parquet")
	length := int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	start := len(good) - 8 - length
	// The list's one-byte header behind version and field header: the size in the upper half becomes the long form.
	footer := append(bytes.Clone(good[start:start+3]), 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07)
	footer = append(footer, good[start+4:len(good)-8]...)
	bomb := append(bytes.Clone(good[:start]), footer...)
	bomb = binary.LittleEndian.AppendUint32(bomb, uint32(len(footer)))
	wantError(t, openAndRead(append(bomb, "PAR1"...), 10), types.CodeDataCorrupted, "footer is damaged")
}

// TestNotParquet opens what is no Parquet file.
func TestNotParquet(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := func(path string) error {
		_, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: catalog.LocalFiles{}, Path: path})
		return err
	}
	wantError(t, open(write("empty.parquet", "")), types.CodeDataCorrupted, "not a Parquet file: it has only 0 bytes")
	wantError(t, open(write("text.parquet", "id,name\n1,one\n2,two\n")), types.CodeDataCorrupted, "does not end with PAR1")
	wantError(t, open(write("secret.parquet", "PARE1234567890\x04\x00\x00\x00PARE")), types.CodeFeatureNotSupported, "encrypted")
	wantError(t, open(write("long.parquet", "PAR1\xff\xff\xff\x00PAR1")), types.CodeDataCorrupted, "claims 16777215 bytes")
	wantError(t, open(write("junk.parquet", "PAR1\xff\xff\xff\xff\x04\x00\x00\x00PAR1")), types.CodeDataCorrupted, "footer is damaged")
	wantError(t, open(dir), types.CodeWrongObjectType, "directory")
	wantError(t, open(filepath.Join(dir, "none.parquet")), types.CodeUndefinedFile, "does not exist")
}

// TestMessages checks that errors in data say where they were met.
func TestMessages(t *testing.T) {
	read := func(change func(*columnChunk)) error {
		table := openTable(t, "testdata/nulls_v1_gzip_dictionary.parquet")
		i := table.Schema().Index("i64")
		change(&table.meta.groups[1].columns[i])
		request := allColumns(table)
		request.Columns = request.Columns[i:][:1]
		_, err := readRows(table, request)
		return err
	}
	const place = `file "testdata/nulls_v1_gzip_dictionary.parquet": row group 1, column i64: `
	wantError(t, read(func(c *columnChunk) { c.codec = 3 }), types.CodeFeatureNotSupported, place+"compression LZO is not supported")
	wantError(t, read(func(c *columnChunk) { c.codec = 9 }), types.CodeFeatureNotSupported, "compression codec number 9 is unknown")
	wantError(t, read(func(c *columnChunk) { c.codec = 99 }), types.CodeFeatureNotSupported, "codec number 99")
	wantError(t, read(func(c *columnChunk) { c.codec = codecSnappy }), types.CodeDataCorrupted, "offset")
	wantError(t, read(func(c *columnChunk) { c.encrypted = true }), types.CodeFeatureNotSupported, place+"it is encrypted")
	wantError(t, read(func(c *columnChunk) { c.elsewhere = true }), types.CodeFeatureNotSupported, "in another file")
	wantError(t, read(func(c *columnChunk) { c.values-- }), types.CodeDataCorrupted, "claims 79 values for 80 rows")
	wantError(t, read(func(c *columnChunk) { c.physical = physicalInt32 }), types.CodeDataCorrupted, "physical type 1")
	wantError(t, read(func(c *columnChunk) { c.dataOffset, c.dictionaryOffset = 1<<40, 0 }), types.CodeDataCorrupted, "outside the file")
	wantError(t, read(func(c *columnChunk) { c.compressed /= 2 }), types.CodeDataCorrupted, place)
}

// TestUnsupportedColumn checks that a column that cannot be read leaves the others readable.
func TestUnsupportedColumn(t *testing.T) {
	table := openTable(t, "testdata/int96.parquet")
	table.tree.columns[1].unsupported = "its type is of the future"
	request := allColumns(table)
	_, err := readRows(table, request)
	wantError(t, err, types.CodeFeatureNotSupported, "column ts_ns cannot be read: its type is of the future")
	request.Columns = request.Columns[:1]
	if _, err := readRows(table, request); err != nil {
		t.Error(err)
	}
}
