package ipc

import (
	"bytes"
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Format is the Arrow IPC format, as a file or a stream.
type Format struct{}

var _ catalog.Format = Format{}

// Name gives "arrow".
func (Format) Name() string { return "arrow" }

// Extensions gives the endings of Arrow files and streams. What a file is, its first bytes say.
func (Format) Extensions() []string { return []string{".arrow", ".arrows", ".ipc", ".feather"} }

// ReadOptions gives none.
func (Format) ReadOptions() []catalog.Option { return nil }

// tailBytes is how much of a file's end tells whether it is still the same.
const tailBytes = 64

// Open reads the schema and the headers of all messages. What is neither an Arrow file nor a stream, or contradicts the format, is an error with
// CodeDataCorrupted; big-endian data are one with CodeFeatureNotSupported.
func (Format) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	file, err := request.Files.Open(ctx, request.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &table{files: request.Files, path: request.Path, size: file.Size()}
	if t.layout, err = readLayout(ctx, file); err == nil {
		t.tail, err = t.readTail(ctx, file)
	}
	if err == nil {
		err = t.resolve()
	}
	if err != nil {
		return nil, within(err, "file %q", t.path)
	}
	return t, nil
}

// table is a file whose layout has been read. It is never changed, but for the dictionaries that are kept once they are read.
type table struct {
	files  catalog.FileSystem
	path   string
	size   int64
	tail   []byte
	layout *layout
	schema types.Schema
	rows   int64
	// values are the types of the dictionaries' values, and the ids of the dictionaries inside of them.
	values map[int64]dictionaryType

	lock         sync.Mutex
	dictionaries map[dictionaryKey]arrow.ArrayData
}

type dictionaryType struct {
	dt  arrow.DataType
	ids []int64
}

// dictionaryKey is a dictionary as it is after a message.
type dictionaryKey struct {
	id   int64
	last int // the last message that it is made of
}

// resolve makes SQL types of the schema and finds the dictionaries' types.
func (t *table) resolve() error {
	var err error
	if t.schema, err = types.ImportSchema(t.layout.schema); err != nil {
		return err
	}
	t.values = map[int64]dictionaryType{}
	ids := t.layout.ids
	for _, f := range t.layout.schema.Fields() {
		if ids, err = t.collect(f.Type, ids); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		return corrupt("the schema has %d dictionaries too many", len(ids))
	}
	for _, b := range t.layout.batches {
		t.rows += b.rows
	}
	return nil
}

// collect notes the dictionaries of a type, in the order of layout.ids, and gives the ids that are left.
func (t *table) collect(dt arrow.DataType, ids []int64) (left []int64, err error) {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	d, ok := dt.(*arrow.DictionaryType)
	if !ok {
		for _, c := range childTypes(dt) {
			if ids, err = t.collect(c, ids); err != nil {
				return nil, err
			}
		}
		return ids, nil
	}
	if left, err = t.collect(d.ValueType, ids); err != nil {
		return nil, err
	}
	if len(left) == 0 {
		return nil, corrupt("the schema has fewer dictionaries than fields that need one")
	}
	t.values[left[0]] = dictionaryType{d.ValueType, ids[:len(ids)-len(left)]}
	return left[1:], nil
}

// Schema gives the columns.
func (t *table) Schema() types.Schema { return t.schema }

// Statistics gives the number of rows.
func (t *table) Statistics() catalog.Statistics {
	return catalog.Statistics{Rows: t.rows, RowsConfidence: catalog.Exact, Source: "arrow metadata"}
}

// Applies accepts no filter.
func (t *table) Applies(*expr.Expr) bool { return false }

func (t *table) readTail(ctx context.Context, file catalog.File) ([]byte, error) {
	n := min(t.size, tailBytes)
	return readAt(ctx, file, t.size-n, n)
}

// open opens the file again and fails when it is not the one whose layout was read.
func (t *table) open(ctx context.Context) (catalog.File, error) {
	file, err := t.files.Open(ctx, t.path)
	if err != nil {
		return nil, err
	}
	same := file.Size() == t.size
	if same {
		var tail []byte
		tail, err = t.readTail(ctx, file)
		same = bytes.Equal(tail, t.tail)
	}
	if err == nil && !same {
		err = corrupt("the file has changed since it was opened")
	}
	if err != nil {
		file.Close()
		return nil, within(err, "file %q", t.path)
	}
	return file, nil
}

// dictionary gives the dictionary of an id as the first so many messages make it: the last whole one and what was added to it since.
func (t *table) dictionary(ctx context.Context, file catalog.File, id int64, messages int) (arrow.ArrayData, error) {
	var of []int
	for i, b := range t.layout.dictionaries[:messages] {
		if b.id != id {
			continue
		}
		if !b.delta {
			of = of[:0]
		}
		of = append(of, i)
	}
	if len(of) == 0 {
		return nil, corrupt("dictionary %d is missing", id)
	}
	key := dictionaryKey{id, of[len(of)-1]}
	t.lock.Lock()
	known := t.dictionaries[key]
	t.lock.Unlock()
	if known != nil {
		return known, nil
	}
	var parts []arrow.Array
	for _, i := range of {
		data, err := t.dictionaryPart(ctx, file, &t.layout.dictionaries[i], i)
		if err != nil {
			return nil, within(err, "dictionary %d", id)
		}
		// Constructors of arrays panic on what import reports: looked at before.
		if err := types.Validate(arrow.Field{Type: data.DataType(), Nullable: true}, data, types.ValidateContents); err != nil {
			return nil, within(asError(err), "dictionary %d", id)
		}
		parts = append(parts, array.MakeFromData(data))
	}
	whole, err := concatenate(parts)
	if err != nil {
		return nil, within(err, "dictionary %d", id)
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.dictionaries == nil {
		t.dictionaries = map[dictionaryKey]arrow.ArrayData{}
	}
	t.dictionaries[key] = whole
	return whole, nil
}

func asError(err error) error {
	if v, ok := err.(types.Violations); ok {
		return v[0]
	}
	return err
}

func (t *table) dictionaryPart(ctx context.Context, file catalog.File, b *block, number int) (*array.Data, error) {
	typ := t.values[b.id]
	if typ.dt == nil {
		return nil, corrupt("no field has it")
	}
	p, err := newWalker(b, typ.ids).part(typ.dt, true, 0)
	if err != nil {
		return nil, err
	}
	if int64(p.rows) != b.rows {
		return nil, corrupt("%d entries in a batch of %d rows", p.rows, b.rows)
	}
	read, err := b.read(ctx, file, []*part{p})
	if err != nil {
		return nil, err
	}
	// The dictionaries inside of its values come before it.
	return read.data(p, func(id int64) (arrow.ArrayData, error) { return t.dictionary(ctx, file, id, number) })
}

func concatenate(parts []arrow.Array) (data arrow.ArrayData, err error) {
	if len(parts) == 1 {
		return parts[0].Data(), nil
	}
	defer func() {
		if x := recover(); x != nil {
			err = unsupported("additions to it are not supported: %v", x)
		}
	}()
	whole, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, unsupported("additions to it are not supported: %v", err)
	}
	return whole.Data(), nil
}
