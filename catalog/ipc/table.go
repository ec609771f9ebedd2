package ipc

import (
	"bytes"
	"cmp"
	"context"
	"slices"
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

	dictionaries map[int64][]*dictionary // in the order of their messages
	lock         sync.Mutex
	kept         []*dictionary // those that hold their values, the oldest first
}

type dictionaryType struct {
	dt  arrow.DataType
	ids []int64
}

// dictionary is a dictionary with all that is added to it until another one of its id replaces it. A batch sees as much of it as comes before the batch.
type dictionary struct {
	messages []int // numbers of its own and of the additions
	// values are all of them, and ends where those of each message end. Guarded by the table's lock, nil until somebody asks.
	values arrow.ArrayData
	ends   []int
}

// maxKept bounds the dictionaries that keep their values: a stream may replace them with each batch. It is more than there are workers, so that each
// dictionary of such a stream is mostly read once.
const maxKept = 64

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
	t.dictionaries = map[int64][]*dictionary{}
	for i, b := range t.layout.dictionaries {
		of := t.dictionaries[b.id]
		switch {
		case !b.delta:
			t.dictionaries[b.id] = append(of, &dictionary{messages: []int{i}})
		case len(of) == 0:
			return corrupt("there are additions to dictionary %d and it is missing", b.id)
		default:
			of[len(of)-1].messages = append(of[len(of)-1].messages, i)
		}
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
func (t *table) dictionary(ctx context.Context, file catalog.File, id int64, messages int, request *catalog.ScanRequest) (arrow.ArrayData, error) {
	of := t.dictionaries[id]
	last, _ := slices.BinarySearchFunc(of, messages, func(d *dictionary, n int) int { return cmp.Compare(d.messages[0], n) })
	if last == 0 {
		return nil, corrupt("dictionary %d is missing", id)
	}
	d := of[last-1]
	t.lock.Lock()
	values, ends := d.values, d.ends
	t.lock.Unlock()
	if values == nil {
		var err error
		if values, ends, err = t.readDictionary(ctx, file, d, request); err != nil {
			return nil, within(err, "dictionary %d", id)
		}
		t.lock.Lock()
		if d.values == nil {
			d.values, d.ends = values, ends
			if t.kept = append(t.kept, d); len(t.kept) > maxKept {
				t.kept[0].values, t.kept = nil, t.kept[1:]
			}
		}
		t.lock.Unlock()
	}
	seen, _ := slices.BinarySearch(d.messages, messages)
	if seen == len(ends) {
		return values, nil
	}
	return array.NewSliceData(values, 0, int64(ends[seen-1])), nil
}

// readDictionary reads the values of a dictionary and where those of each of its messages end.
func (t *table) readDictionary(ctx context.Context, file catalog.File, d *dictionary, request *catalog.ScanRequest) (values arrow.ArrayData, ends []int, err error) {
	var parts []arrow.Array
	n := 0
	for _, i := range d.messages {
		data, err := t.dictionaryPart(ctx, file, &t.layout.dictionaries[i], i, request)
		if err != nil {
			return nil, nil, err
		}
		// Constructors of arrays panic on what import reports: looked at before.
		if err := types.Validate(arrow.Field{Type: data.DataType(), Nullable: true}, data, types.ValidateContents); err != nil {
			return nil, nil, asError(err)
		}
		parts = append(parts, array.MakeFromData(data))
		n += data.Len()
		ends = append(ends, n)
	}
	values, err = concatenate(parts)
	return values, ends, err
}

func asError(err error) error {
	if v, ok := err.(types.Violations); ok {
		return v[0]
	}
	return err
}

func (t *table) dictionaryPart(ctx context.Context, file catalog.File, b *block, number int, request *catalog.ScanRequest) (*array.Data, error) {
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
	// It is kept beyond this scan, which does not give it back: it ends sooner than the query.
	held, err := read.memory([]*part{p})
	if err == nil {
		err = request.Reserve(held)
	}
	if err != nil {
		return nil, err
	}
	// The dictionaries inside of its values come before it.
	return read.data(p, func(id int64) (arrow.ArrayData, error) { return t.dictionary(ctx, file, id, number, request) })
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
