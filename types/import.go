package types

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels/asm"
)

// ImportOptions says how Arrow data become vectors. The zero value checks everything and converts into heap memory.
type ImportOptions struct {
	// Type is the SQL type of the data, as ImportField gave it. The zero Type stands for ImportType of the Arrow type. A date64 or duration array may also be
	// imported as BIGINT, its numbers as they are, and such a vector exported to its Arrow type.
	Type Type
	// Unions is how a Type that Import derives itself treats unions.
	Unions UnionImport
	// Trusted leaves out the checks of contents that only a foreign writer can get wrong: UTF-8 and the digits of decimals. The
	// layout is always checked.
	Trusted bool
	// Pool gives the memory of what has to be converted; nil is the heap.
	Pool *Pool
}

// Import makes a vector of an Arrow array. It copies no data where the layouts agree: fixed-width values and the bytes of strings
// are borrowed, and stay valid as long as the array is retained. Copied are validity bitmaps (n/8 bytes), values of
// another width or alignment, and the offsets of strings and lists, which become views and entries.
//
// Everything that a later read relies on is checked here: sizes of buffers and children, offsets, dictionary keys, run ends, type
// codes, views, UTF-8. Errors: ErrInvalidLayout, ErrUnknownTypeCode, ErrCastOverflow (a value that does not fit its type)
// and ErrUnsupported, each with path and row.
func Import(arr arrow.Array, opts ImportOptions) (*Vector, error) {
	return ImportData(arr.Data(), opts)
}

// ImportData is Import for array data: the constructors of Arrow arrays panic on some of the faults that this reports.
func ImportData(data arrow.ArrayData, opts ImportOptions) (*Vector, error) {
	typ := opts.Type
	if typ.kind == KindNull {
		var err error
		if typ, err = importType(data.DataType(), arrow.Metadata{}, opts.Unions); err != nil {
			return nil, err
		}
	}
	im := importer{pool: opts.Pool, trusted: opts.Trusted, viewSpan: math.MaxUint32}
	return im.vector(data, typ, 0, data.Len(), nil)
}

// ImportBatch makes a batch of a record batch; the schema is ImportSchema of the record's or one that fits it. Vectors borrow from
// the record as under Import. opts.Type is not used.
func ImportBatch(rec arrow.RecordBatch, schema Schema, opts ImportOptions) (*Batch, error) {
	if int(rec.NumCols()) != len(schema) {
		return nil, KindErrorf(ErrLengthMismatch, "record batch has %d columns, the schema %d", rec.NumCols(), len(schema))
	}
	im := importer{pool: opts.Pool, trusted: opts.Trusted, viewSpan: math.MaxUint32}
	columns := make([]*Vector, len(schema))
	for i, f := range schema {
		at := &place{name: f.Name}
		data := rec.Column(i).Data()
		if int64(data.Len()) != rec.NumRows() {
			return nil, at.invalid(-1, "column has %d rows, the record batch %d", data.Len(), rec.NumRows())
		}
		var err error
		if columns[i], err = im.vector(data, f.Type, 0, data.Len(), at); err != nil {
			return nil, err
		}
	}
	return NewBatch(columns, int(rec.NumRows()), 0), nil
}

// place is where in a nested column an importer or exporter is, for messages. The nil place is an array without a name.
type place struct {
	parent *place
	name   string // a field's name, or [] for the elements of a list
}

func (p *place) below(name string) *place { return &place{parent: p, name: name} }

// String gives a path such as s.l[].
func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "[]":
		return p.parent.String() + p.name
	case p.parent == nil:
		return p.name
	}
	if parent := p.parent.String(); parent != "" {
		return parent + "." + pathName(p.name)
	}
	return pathName(p.name)
}

func (p *place) errorf(kind error, row int, format string, args ...any) *Error {
	return KindErrorf(kind, format, args...).WithRow(p.String(), int64(row))
}

func (p *place) invalid(row int, format string, args ...any) *Error {
	return p.errorf(ErrInvalidLayout, row, format, args...)
}

type importer struct {
	pool     *Pool
	trusted  bool
	viewSpan int // largest offset that a view can hold
	// declared leaves nulls inside the variants of unions, for Validate, which asks whether they may be there.
	declared bool
	// exact keeps what the SQL type has no room for, for Equal: of a date64 the milliseconds, as BIGINT.
	exact bool
	// entries, when set, keeps imported dictionaries for the next array that has the same one.
	entries map[dictionaryKey]*Vector
}

// maxRows bounds the offset and length of an array together, so that sizes of bitmaps can be rounded up to bytes and words without
// overflow. No array in memory comes near it; metadata that lie do.
const maxRows = math.MaxInt - 63

// vector imports rows from to from+n of data, counted from the data's own offset.
func (im *importer) vector(data arrow.ArrayData, typ Type, from, n int, at *place) (*Vector, error) {
	if data.Len() < 0 || data.Offset() < 0 || from < 0 || n < 0 || from > data.Len()-n || data.Offset() > maxRows-data.Len() {
		return nil, at.invalid(-1, "rows %d to %d of an array of %d rows at offset %d", from, from+n, data.Len(), data.Offset())
	}
	v, err := im.convert(data, typ, from, n, at)
	if err != nil {
		return nil, err
	}
	if v.encoding != Constant {
		v.source, v.sourceRow = data, from
	}
	return v, nil
}

// withoutMemory reports arrays whose number of rows no buffer bounds: their metadata could claim any.
func withoutMemory(data arrow.ArrayData, dt arrow.DataType) bool {
	if b := buffer(data, 0); b != nil && b.Len() > 0 {
		return false
	}
	switch d := dt.(type) {
	case *arrow.NullType:
		return true
	case *arrow.StructType:
		return d.NumFields() == 0
	case *arrow.FixedSizeListType:
		return d.Len() == 0
	case *arrow.FixedSizeBinaryType:
		return d.ByteWidth == 0
	}
	return false
}

func (im *importer) convert(data arrow.ArrayData, typ Type, from, n int, at *place) (*Vector, error) {
	dt := data.DataType()
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
		if ext.ExtensionName() == NullableUnionName && typ.kind == KindUnion {
			return im.nullableUnion(data, dt, typ, from, n, at)
		}
	}
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		return im.dictionary(data, d, typ, from, n, at)
	case *arrow.RunEndEncodedType:
		return im.runEnd(data, d, typ, from, n, at)
	case arrow.UnionType:
		if typ.kind == KindUnion {
			return im.union(data, d, typ, from, n, at)
		}
		return nil, im.mismatch(dt, typ, at)
	case *arrow.StructType:
		if _, ok := nullableUnionStorage(d); ok && typ.kind == KindUnion {
			return im.nullableUnion(data, d, typ, from, n, at)
		}
	}
	if len(data.Children()) != childCount(dt) {
		return nil, at.invalid(-1, "%s with %d children", dt, len(data.Children()))
	}
	if n > math.MaxUint32 && withoutMemory(data, dt) {
		return nil, at.errorf(ErrUnsupported, -1, "%d rows of type %s", n, dt)
	}
	if dt.ID() == arrow.NULL {
		if typ.kind != KindNull {
			return nil, im.mismatch(dt, typ, at)
		}
		return &Vector{typ: typ, length: n}, nil
	}
	validity, err := im.validity(data, from, n, at)
	if err != nil {
		return nil, err
	}
	switch d := dt.(type) {
	case *arrow.BooleanType:
		if typ.kind != KindBoolean {
			return nil, im.mismatch(dt, typ, at)
		}
		values, err := im.bools(data, from, n, at)
		return &Vector{typ: typ, length: n, data: values, validity: validity}, err
	case *arrow.StructType:
		return im.structs(data, d, typ, from, n, validity, at)
	case *arrow.FixedSizeListType:
		return im.array(data, d, typ, from, n, validity, at)
	case arrow.ListLikeType:
		return im.list(data, d, typ, from, n, validity, at)
	case arrow.BinaryDataType:
		return im.strings(data, dt, typ, from, n, validity, at)
	case *arrow.FixedSizeBinaryType:
		if typ.kind == KindUUID {
			return im.uuids(data, d, typ, from, n, validity, at)
		}
		return im.strings(data, dt, typ, from, n, validity, at)
	}
	return im.fixed(data, dt, typ, from, n, validity, at)
}

func childCount(dt arrow.DataType) int {
	if n, ok := dt.(arrow.NestedType); ok {
		return n.NumFields()
	}
	return 0
}

func (im *importer) mismatch(dt arrow.DataType, typ Type, at *place) error {
	return at.errorf(ErrUnsupported, -1, "Arrow type %s does not hold %s", dt, typ)
}

// buffer gives a buffer of the data, or nil when it is missing.
func buffer(data arrow.ArrayData, i int) *memory.Buffer {
	if b := data.Buffers(); i < len(b) {
		return b[i]
	}
	return nil
}

// bytes gives count elements of width bytes from element first of a buffer.
func (im *importer) bytes(data arrow.ArrayData, i, width, first, count int, at *place) ([]byte, error) {
	if count == 0 || width == 0 {
		return nil, nil
	}
	size := 0
	if b := buffer(data, i); b != nil {
		size = b.Len()
	}
	if first > size/width || count > size/width-first {
		return nil, at.invalid(-1, "buffer %d of %s has %d bytes, rows to %d need more", i, data.DataType(), size, first+count)
	}
	return buffer(data, i).Bytes()[first*width : (first+count)*width], nil
}

// values gives count fixed-width values of a buffer, shared when they are aligned, else copied.
func importValues[T Fixed](im *importer, data arrow.ArrayData, i, first, count int, at *place) ([]T, Buffer, error) {
	var zero T
	raw, err := im.bytes(data, i, int(unsafe.Sizeof(zero)), first, count, at)
	if err != nil || len(raw) == 0 {
		return nil, Buffer{}, err
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%unsafe.Alignof(zero) != 0 {
		copied := im.pool.Bytes(len(raw))
		copy(copied, raw)
		return Values[T](copied), Buffer{Bytes: copied}, nil
	}
	return Values[T](raw), Buffer{Bytes: raw, Owner: buffer(data, i)}, nil
}

// bits checks the size of a bitmap buffer and gives its bytes, from the one that holds the first bit on, and the bit there.
func (im *importer) bits(data arrow.ArrayData, i, from, n int, at *place) ([]byte, int, error) {
	first := data.Offset() + from
	b := buffer(data, i)
	if size := (first + n + 7) / 8; b == nil || b.Len() < size {
		return nil, 0, at.invalid(-1, "bitmap of %s is shorter than %d rows", data.DataType(), first+n)
	}
	return b.Bytes()[first/8:], first % 8, nil
}

// validity reads the validity bitmap; nil when there is none or no row is null. Bitmaps are copied: a Vector's validity is handed on
// from vector to vector without an owner, so it must not be memory that somebody could free.
func (im *importer) validity(data arrow.ArrayData, from, n int, at *place) (Bitmap, error) {
	nulls := 0
	var valid Bitmap
	if b := buffer(data, 0); b != nil && b.Len() > 0 && n > 0 {
		raw, shift, err := im.bits(data, 0, from, n, at)
		if err != nil {
			return nil, err
		}
		valid = im.pool.Bitmap(n)
		asm.LoadBits(valid, raw, shift, n)
		nulls = n - valid.Count(n)
	}
	if known := data.NullN(); known >= 0 && known != nulls && from == 0 && n == data.Len() {
		return nil, at.invalid(-1, "array says %d nulls, its bitmap %d", known, nulls)
	}
	if nulls == 0 {
		return nil, nil
	}
	return valid, nil
}

// bools gives the values of a bool array as bits: shared when the bitmap is one in Lacuna's sense, else copied.
func (im *importer) bools(data arrow.ArrayData, from, n int, at *place) (Buffer, error) {
	if n == 0 {
		return Buffer{}, nil
	}
	raw, shift, err := im.bits(data, 1, from, n, at)
	if err != nil {
		return Buffer{}, err
	}
	size := BitmapWords(n) * 8
	if shift == 0 && cap(raw) >= size && uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%8 == 0 {
		words := Values[uint64](raw[:size])
		if words[len(words)-1]&^LastWordMask(n) == 0 {
			return Buffer{Bytes: raw[:size], Owner: buffer(data, 1)}, nil
		}
	}
	copied := im.pool.Bitmap(n)
	asm.LoadBits(copied, raw, shift, n)
	return Buffer{Bytes: Bytes(copied)}, nil
}

// firstRow gives the first valid row that is marked as bad, or -1.
func firstRow(bad func(i int) bool, n int, valid Bitmap) int {
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		if bad(i) {
			return i
		}
	}
	return -1
}

// structs imports the children of a struct, which lie under the struct's own offset.
func (im *importer) structs(data arrow.ArrayData, dt *arrow.StructType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	if typ.Storage() != StorageStruct || len(structFields(typ)) != dt.NumFields() {
		return nil, im.mismatch(dt, typ, at)
	}
	children := make([]*Vector, dt.NumFields())
	for i, f := range structFields(typ) {
		var err error
		if children[i], err = im.vector(data.Children()[i], f.Type, data.Offset()+from, n, at.below(f.Name)); err != nil {
			return nil, err
		}
	}
	return NewStruct(typ, n, children, validity), nil
}

// array imports a fixed-size list, whose children lie under its offset too.
func (im *importer) array(data arrow.ArrayData, dt *arrow.FixedSizeListType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	width := int(dt.Len())
	if typ.kind != KindArray || typ.Width() != width {
		return nil, im.mismatch(dt, typ, at)
	}
	first := data.Offset() + from
	if hi, _ := bits.Mul64(uint64(first+n), uint64(width)); width < 0 || hi != 0 {
		return nil, at.invalid(-1, "%d rows of %d elements", first+n, width)
	}
	child, err := im.vector(data.Children()[0], typ.Elem().Type, first*width, n*width, at.below("[]"))
	if err != nil {
		return nil, err
	}
	return NewArray(typ, n, child, validity), nil
}

// list imports lists, large lists, list views and maps: the part of the child that the rows use, and an entry for each row.
func (im *importer) list(data arrow.ArrayData, dt arrow.ListLikeType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	if typ.Storage() != StorageList || (dt.ID() == arrow.MAP) != (typ.kind == KindMap) {
		return nil, im.mismatch(dt, typ, at)
	}
	entries := Alloc[ListEntry](im.pool, n)
	size := data.Children()[0].Len()
	var first, last int
	var err error
	switch dt.ID() {
	case arrow.LIST, arrow.MAP:
		first, last, err = listEntries[int32](im, entries, data, from, size, at)
	case arrow.LARGE_LIST:
		first, last, err = listEntries[int64](im, entries, data, from, size, at)
	case arrow.LIST_VIEW:
		first, last, err = listViewEntries[int32](im, entries, data, from, size, validity, at)
	case arrow.LARGE_LIST_VIEW:
		first, last, err = listViewEntries[int64](im, entries, data, from, size, validity, at)
	default:
		return nil, im.mismatch(dt, typ, at)
	}
	if err != nil {
		return nil, err
	}
	child, err := im.vector(data.Children()[0], listChildField(typ).Type, first, last-first, at.below("[]"))
	if err != nil {
		return nil, err
	}
	return NewList(typ, entries, child, validity), nil
}

// listEntries turns offsets into entries that count from the first used row of the child, and gives the used range.
func listEntries[O int32 | int64](im *importer, entries []ListEntry, data arrow.ArrayData, from, size int, at *place) (int, int, error) {
	n := len(entries)
	if n == 0 {
		return 0, 0, nil
	}
	offsets, _, err := importValues[O](im, data, 1, data.Offset()+from, n+1, at)
	if err != nil {
		return 0, 0, err
	}
	first := offsets[0]
	start := first
	for i, end := range offsets[1:] {
		if end < start {
			return 0, 0, at.invalid(i, "list offsets %d, %d decrease", start, end)
		}
		entries[i] = ListEntry{Offset: int64(start - first), Length: int64(end - start)}
		start = end
	}
	if first < 0 || int64(start) > int64(size) {
		return 0, 0, at.invalid(-1, "list offsets %d to %d of %d elements", first, start, size)
	}
	return int(first), int(start), nil
}

// listViewEntries turns offsets and sizes into entries; null rows get the empty one, whatever stands under them.
func listViewEntries[O int32 | int64](im *importer, entries []ListEntry, data arrow.ArrayData, from, size int, validity Bitmap, at *place) (int, int, error) {
	n := len(entries)
	offsets, _, err := importValues[O](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return 0, 0, err
	}
	sizes, _, err := importValues[O](im, data, 2, data.Offset()+from, n, at)
	if err != nil {
		return 0, 0, err
	}
	first, last := int64(size), int64(0)
	for i := range entries {
		if !validity.Has(i) {
			entries[i] = ListEntry{}
			continue
		}
		e := ListEntry{Offset: int64(offsets[i]), Length: int64(sizes[i])}
		if e.Offset < 0 || e.Length < 0 || e.Offset > int64(size)-e.Length {
			return 0, 0, at.invalid(i, "list view of %d at %d of %d elements", e.Length, e.Offset, size)
		}
		if e.Length > 0 {
			first, last = min(first, e.Offset), max(last, e.Offset+e.Length)
		}
		entries[i] = e
	}
	if first >= last {
		first, last = 0, 0
	}
	for i := range entries {
		if entries[i].Length == 0 {
			entries[i].Offset = 0
		} else {
			entries[i].Offset -= first
		}
	}
	return int(first), int(last), nil
}
