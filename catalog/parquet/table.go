package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// Format is the Parquet file format.
type Format struct{}

// Name gives "parquet".
func (Format) Name() string { return "parquet" }

// Extensions gives the endings of Parquet files.
func (Format) Extensions() []string { return []string{".parquet", ".parq"} }

// ReadOptions are DuckDB's: binary_as_string makes VARCHAR of byte arrays that the file says no type of, and file_row_number adds the column of that name, the
// number of the row in its file from 0.
func (Format) ReadOptions() []catalog.Option {
	return []catalog.Option{{Name: "binary_as_string", Type: types.Boolean}, {Name: "file_row_number", Type: types.Boolean}}
}

// Open reads the footer of a file. What is no Parquet file, or contradicts the format, is an error with CodeDataCorrupted; a file with
// an encrypted footer is one with CodeFeatureNotSupported. Columns that cannot be read do not keep the others from being read.
func (Format) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	files, path := request.Files, request.Path
	file, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	footer, err := readTail(ctx, file)
	if err != nil {
		return nil, within(err, "file %q", path)
	}
	t := &table{files: files, path: path, size: file.Size(), footerBytes: len(footer)}
	if err := t.parse(footer, catalog.OptionOr(request.Options, "binary_as_string", false)); err != nil {
		return nil, within(err, "file %q", path)
	}
	if catalog.OptionOr(request.Options, "file_row_number", false) {
		n := &node{field: types.Field{Name: "file_row_number", Type: types.BigInt}, shape: rowNumberShape}
		t.tree.columns, t.schema = append(t.tree.columns, n), append(t.schema, n.field)
	}
	return t, nil
}

const (
	magic          = "PAR1"
	encryptedMagic = "PARE"
	tailBytes      = 8 // length of the footer, magic
	// speculativeTail is how much is read of the end of a file before the footer's length is known.
	speculativeTail = 64 << 10
	// maxFooterBytes bounds the footer, and so what it can be made into.
	maxFooterBytes = 512 << 20
	// maxGroupRows bounds the rows of a row group.
	maxGroupRows = math.MaxInt32
)

// readTail reads the footer.
func readTail(ctx context.Context, file catalog.File) ([]byte, error) {
	size := file.Size()
	if size < int64(len(magic)+tailBytes) {
		return nil, corrupt("not a Parquet file: it has only %d bytes", size)
	}
	tail := make([]byte, min(size, speculativeTail))
	if err := readAt(ctx, file, tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	length, err := footerLength(tail[len(tail)-tailBytes:], size)
	if err != nil {
		return nil, err
	}
	if rest := tail[:len(tail)-tailBytes]; length <= int64(len(rest)) {
		return rest[int64(len(rest))-length:], nil
	}
	footer := make([]byte, length)
	return footer, readAt(ctx, file, footer, size-tailBytes-length)
}

// footerLength reads the last eight bytes of a file.
func footerLength(tail []byte, size int64) (int64, error) {
	switch string(tail[4:]) {
	case magic:
	case encryptedMagic:
		return 0, unsupported("the file is encrypted, which is not supported")
	default:
		return 0, corrupt("not a Parquet file: it does not end with PAR1")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-int64(len(magic)+tailBytes) || length > maxFooterBytes {
		return 0, corrupt("the footer claims %d bytes of a file of %d", length, size)
	}
	return length, nil
}

// readAt fills p. A file that ends before is corrupt.
func readAt(ctx context.Context, file catalog.File, p []byte, offset int64) error {
	n, err := file.ReadAt(ctx, p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return corrupt("the file ends at offset %d", offset+int64(n))
	}
	return err
}

// table is a file whose footer has been read. It is never changed, but for the statistics that are added up once.
type table struct {
	files       catalog.FileSystem
	path        string
	size        int64
	footerBytes int
	meta        fileMetaData
	tree        *fileSchema
	schema      types.Schema

	once       sync.Once
	statistics catalog.Statistics
}

// parse makes the schema and checks that the row groups fit it.
func (t *table) parse(footer []byte, binaryAsString bool) error {
	meta, ok := readFooter(footer)
	if !ok {
		return corrupt("the footer is damaged")
	}
	for i := range meta.schema {
		if e := &meta.schema[i]; binaryAsString && e.physical == physicalByteArray && annotation(e).kind == logicalNone {
			e.converted = convertedUTF8
		}
	}
	tree, err := buildSchema(meta.schema)
	if err != nil {
		return err
	}
	if len(meta.orders) == len(tree.leaves) {
		for i, l := range tree.leaves {
			l.byType = meta.orders[i]
		}
	}
	for _, n := range tree.columns {
		t.schema = append(t.schema, n.field)
	}
	var rows int64
	for i := range meta.groups {
		g := &meta.groups[i]
		switch {
		case len(g.columns) != len(tree.leaves):
			return corrupt("row group %d has %d columns, the schema has %d", i, len(g.columns), len(tree.leaves))
		case g.rows > maxGroupRows:
			return corrupt("row group %d claims %d rows", i, g.rows)
		}
		g.first = rows
		rows += g.rows
	}
	if meta.rows != rows {
		return corrupt("the footer claims %d rows, its row groups have %d", meta.rows, rows)
	}
	t.tree = tree
	t.restore(meta.keyValues)
	meta.schema, meta.orders, meta.keyValues, meta.createdBy = nil, nil, nil, nil
	t.meta = meta
	return nil
}

// Schema gives the columns.
func (t *table) Schema() types.Schema { return t.schema }

// Statistics gives what the footer knows.
func (t *table) Statistics() catalog.Statistics {
	t.once.Do(func() { t.statistics = tableStatistics(&t.meta, t.tree) })
	return t.statistics
}

// open opens the file again and fails when it is not the one whose footer was read.
func (t *table) open(ctx context.Context) (catalog.File, error) {
	file, err := t.files.Open(ctx, t.path)
	if err != nil {
		return nil, err
	}
	err = t.unchanged(ctx, file)
	if err != nil {
		file.Close()
		return nil, within(err, "file %q", t.path)
	}
	return file, nil
}

func (t *table) unchanged(ctx context.Context, file catalog.File) error {
	var tail [tailBytes]byte
	if file.Size() == t.size {
		if err := readAt(ctx, file, tail[:], t.size-tailBytes); err != nil {
			return err
		}
		if length, err := footerLength(tail[:], t.size); err == nil && length == int64(t.footerBytes) {
			return nil
		}
	}
	return corrupt("the file has changed since it was opened")
}

// resolve finds the node that a path leads to and its name.
func (t *table) resolve(path catalog.ColumnPath) (*node, string, error) {
	if path.Column < 0 || path.Column >= len(t.tree.columns) {
		return nil, "", types.Errorf(types.CodeInternal, "file %q has %d columns, column %d is wanted", t.path, len(t.tree.columns), path.Column)
	}
	n := t.tree.columns[path.Column]
	name := n.field.Name
	for _, f := range path.Fields {
		if n.shape != structShape || f < 0 || f >= len(n.children) {
			return nil, "", types.Errorf(types.CodeInternal, "column %s of file %q has no field %d", name, t.path, f)
		}
		n = n.children[f]
		name += "." + n.field.Name
	}
	if at, u := n.firstUnsupported(name); u != nil {
		return nil, "", unsupported("file %q: column %s cannot be read: %s", t.path, at, u.unsupported)
	}
	return n, name, nil
}
