package types

import (
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Export makes an Arrow array of type dt from a vector, mostly one that ExportType or ExportField gave; the caller releases it. A
// vector that was imported from an array of that type and not changed since gives the same buffers again. Otherwise
// fixed-width values are shared and strings become what dt says (views share their bytes). Dictionary and run-end-encoded vectors stay
// so when dt is such a type, and are decoded when it is not; when dt is an encoding that the vector does not have, it is made.
//
// An empty BLOB becomes the zeros of a fixed-size binary value: it may be the placeholder of a row that nobody sees. Whoever has others checks before.
//
// Memory with an owner is retained; other memory must stay valid as long as the array, see Pool.Adopt: opts.Pool too.
//
// Errors: ErrUnsupported when dt cannot hold the type, ErrCastOverflow when a value does not fit (HUGEINT beyond 38 digits, more than
// 2 GiB of utf8), ErrDictKeyOverflow, ErrRunEndOverflow; of unions ErrNoNullHost, ErrLossyExport, and ErrExtensionStorage when the union is marked with an
// extension and dt has other variants than it.
func Export(v *Vector, dt arrow.DataType, opts ExportOptions) (arrow.Array, error) {
	return exportColumn(v, arrow.Field{Type: dt, Nullable: true}, nil, opts)
}

func exportColumn(v *Vector, f arrow.Field, at *place, opts ExportOptions) (arrow.Array, error) {
	ex := exporter{pool: opts.Pool, options: opts}
	data, err := ex.field(v, f, everyRow, at)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// ExportBatch makes a record batch from a batch without a selection, with a schema that fits it; the caller releases it. A NULL in a
// column that the schema says is required is ErrNullInRequired. Memory is as under Export.
func ExportBatch(b *Batch, schema *arrow.Schema, opts ExportOptions) (arrow.RecordBatch, error) {
	if b.Selection != nil {
		return nil, Errorf(CodeInternal, "a batch with a selection cannot be exported")
	}
	if schema.NumFields() != len(b.Columns) {
		return nil, KindErrorf(ErrLengthMismatch, "batch has %d columns, the schema %d", len(b.Columns), schema.NumFields())
	}
	columns := make([]arrow.Array, 0, len(b.Columns))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i, v := range b.Columns {
		f := schema.Field(i)
		at := &place{name: f.Name}
		if v.length != b.Rows {
			return nil, at.errorf(ErrLengthMismatch, -1, "column has %d rows, the batch %d", v.length, b.Rows)
		}
		// The flag of a union counts for nothing: its variants say whether it is nullable (null-semantics 2.3).
		required := !f.Nullable && !importNullable(f.Type, v.typ, false, f.Metadata)
		if v.typ.kind == KindUnion && (opts.Unions == UnionInPlace || opts.Unions == UnionForbid || len(v.typ.Fields()) == MaxUnionVariants) {
			required = false // the policy has its own error, and so has a union without room for a variant of nulls
		}
		if required && v.MayHaveNulls() {
			if row := firstNull(LogicalValidity(opts.Pool, v), v.length); row >= 0 {
				return nil, at.errorf(ErrNullInRequired, row, "null in a required column")
			}
		}
		column, err := exportColumn(v, f, at, opts)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(schema, columns, int64(b.Rows)), nil
}

// firstNull gives the first row that is not in a bitmap, or -1.
func firstNull(valid Bitmap, n int) int {
	if valid == nil {
		return -1
	}
	for i := range n {
		if !valid.Get(i) {
			return i
		}
	}
	return -1
}

// visible says which rows of a vector are not hidden below a null or outside every list; the nil Bitmap is every row.
type visible = Bitmap

var everyRow visible

type exporter struct {
	pool    *Pool
	options ExportOptions
}

// field exports a vector as the type of a field; the metadata of the field matter to unions.
func (ex *exporter) field(v *Vector, f arrow.Field, rows visible, at *place) (*array.Data, error) {
	if d := ex.again(v, f.Type); d != nil {
		return d, nil
	}
	if ext, ok := f.Type.(arrow.ExtensionType); ok {
		storage := arrow.Field{Type: ext.StorageType(), Nullable: f.Nullable, Metadata: f.Metadata}
		d, err := ex.field(v, storage, rows, at)
		if err != nil {
			return nil, err
		}
		defer d.Release()
		return retyped(d, f.Type), nil
	}
	switch dt := f.Type.(type) {
	case *arrow.DictionaryType:
		return ex.dictionary(v, dt, f.Metadata, rows, at)
	case *arrow.RunEndEncodedType:
		return ex.runEnd(v, dt, f.Metadata, rows, at)
	}
	v = Flatten(ex.pool, v)
	switch dt := f.Type.(type) {
	case *arrow.NullType:
		if v.typ.kind != KindNull {
			return nil, ex.mismatch(v, dt, at)
		}
		return array.NewData(dt, v.length, []*memory.Buffer{nil}, nil, v.length, 0), nil
	case arrow.UnionType:
		if v.typ.kind != KindUnion {
			return nil, ex.mismatch(v, dt, at)
		}
		return ex.union(v, dt, f.Metadata, rows, at)
	case *arrow.StructType:
		return ex.structs(v, dt, rows, at)
	case *arrow.FixedSizeListType:
		return ex.array(v, dt, rows, at)
	case arrow.ListLikeType:
		return ex.list(v, dt, rows, at)
	case *arrow.BooleanType:
		if v.typ.kind != KindBoolean {
			return nil, ex.mismatch(v, dt, at)
		}
		return ex.flat(v, dt, wrap(v.data)), nil
	case arrow.BinaryDataType:
		return ex.strings(v, dt, at)
	case *arrow.FixedSizeBinaryType:
		return ex.fixedBinary(v, dt, at)
	}
	return ex.fixed(v, f.Type, at)
}

func (ex *exporter) mismatch(v *Vector, dt arrow.DataType, at *place) error {
	return at.errorf(ErrUnsupported, -1, "%s cannot be exported as Arrow type %s", v.typ, dt)
}

// again gives the rows of the array that the vector came from, or nil when it has another type. An array that was released since has no
// buffers left; then whoever kept the vector has retained the owners of its buffers instead.
func (ex *exporter) again(v *Vector, dt arrow.DataType) *array.Data {
	if v.source == nil || len(v.source.Buffers()) == 0 || !arrow.TypeEqual(v.source.DataType(), dt) || !mapsCounted(v.source) {
		return nil
	}
	d := array.NewSliceData(v.source, int64(v.sourceRow), int64(v.sourceRow+v.length)).(*array.Data)
	if v.sourceRow == 0 && v.length == v.source.Len() {
		d.SetNullN(v.source.NullN())
	}
	if d.NullN() < 0 && buffer(d, 0) == nil {
		d.SetNullN(0) // Arrow counts bits to know, which it cannot without a bitmap
	}
	if d.DataType() == dt {
		return d
	}
	defer d.Release()
	return retyped(d, dt)
}

// mapsCounted reports whether the maps of an array have children that are known to hold no nulls: Arrow's constructor of maps panics
// when the count of one is unknown.
func mapsCounted(d arrow.ArrayData) bool {
	if d.DataType().ID() == arrow.MAP {
		if entries := d.Children()[0]; entries.NullN() != 0 || entries.Children()[0].NullN() != 0 {
			return false
		}
	}
	for _, c := range d.Children() {
		if !mapsCounted(c) {
			return false
		}
	}
	return noData(d.Dictionary()) || mapsCounted(d.Dictionary())
}

// retyped gives the same data under another type object.
func retyped(d *array.Data, dt arrow.DataType) *array.Data {
	out := array.NewData(dt, d.Len(), slices.Clone(d.Buffers()), slices.Clone(d.Children()), d.NullN(), d.Offset())
	if dict := d.Dictionary(); !noData(dict) {
		out.SetDictionary(dict)
	}
	return out
}

// wrap makes an Arrow buffer of a vector's memory, a slice of the owner when there is one. The caller releases it.
func wrap(b Buffer) *memory.Buffer {
	if b.Owner == nil || len(b.Bytes) == 0 {
		return memory.NewBufferBytes(b.Bytes)
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes))) - uintptr(unsafe.Pointer(unsafe.SliceData(b.Owner.Bytes())))
	return memory.SliceBuffer(b.Owner, int(start), len(b.Bytes))
}

// bitmap makes the validity buffer of an array; nil when no row is null.
func bitmapBuffer(valid Bitmap) *memory.Buffer {
	if valid == nil {
		return nil
	}
	return memory.NewBufferBytes(Bytes(valid))
}

// make builds array data, which takes over the buffers and children: the caller does not release them.
func (ex *exporter) make(v *Vector, dt arrow.DataType, valid Bitmap, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	all := append([]*memory.Buffer{bitmapBuffer(valid)}, buffers...)
	d := array.NewData(dt, v.length, all, children, v.length-valid.Count(v.length), 0)
	memory.ReleaseBuffers(all)
	for _, c := range children {
		c.Release()
	}
	return d
}

// flat is make for a plain vector of a type without children.
func (ex *exporter) flat(v *Vector, dt arrow.DataType, buffers ...*memory.Buffer) *array.Data {
	return ex.make(v, dt, v.validity, nil, buffers...)
}

// below gives the visible rows of a plain vector that are not null: those whose children are visible.
func (ex *exporter) below(v *Vector, rows visible) visible {
	return AndBitmaps(ex.pool, rows, v.validity, v.length)
}

func (ex *exporter) structs(v *Vector, dt *arrow.StructType, rows visible, at *place) (*array.Data, error) {
	if _, ok := nullableUnionStorage(dt); ok && v.typ.kind == KindUnion {
		// The ValidityStruct form: the struct's bitmap is the outer validity, the union below is exact.
		f := dt.Field(0)
		f.Metadata = arrow.MetadataFrom(map[string]string{metaNullUnion: "tagged"})
		child, err := ex.field(v.WithValidity(nil), f, ex.below(v, rows), at)
		if err != nil {
			return nil, err
		}
		return ex.make(v, dt, v.validity, []arrow.ArrayData{child}), nil
	}
	fields := structFields(v.typ)
	if v.typ.Storage() != StorageStruct || len(fields) != dt.NumFields() {
		return nil, ex.mismatch(v, dt, at)
	}
	below := ex.below(v, rows)
	children := make([]arrow.ArrayData, 0, len(fields))
	for i, c := range v.children {
		child, err := ex.field(c, dt.Field(i), below, at.below(fields[i].Name))
		if err != nil {
			releaseData(children)
			return nil, err
		}
		children = append(children, child)
	}
	return ex.make(v, dt, v.validity, children), nil
}

func releaseData(data []arrow.ArrayData) {
	for _, d := range data {
		d.Release()
	}
}

func (ex *exporter) array(v *Vector, dt *arrow.FixedSizeListType, rows visible, at *place) (*array.Data, error) {
	width := v.typ.Width()
	if v.typ.kind != KindArray || width != int(dt.Len()) {
		return nil, ex.mismatch(v, dt, at)
	}
	below := ex.below(v, rows)
	if below != nil {
		elements := ex.pool.ZeroBitmap(v.length * width)
		for i := below.NextSet(0, v.length); i < v.length; i = below.NextSet(i+1, v.length) {
			setRange(elements, i*width, (i+1)*width)
		}
		below = elements
	}
	child, err := ex.field(v.children[0], dt.ElemField(), below, at.below("[]"))
	if err != nil {
		return nil, err
	}
	return ex.make(v, dt, v.validity, []arrow.ArrayData{child}), nil
}

// list exports lists and maps. Offsets need the elements in the order of the rows without gaps: where they are not, they are gathered.
func (ex *exporter) list(v *Vector, dt arrow.ListLikeType, rows visible, at *place) (*array.Data, error) {
	if v.typ.Storage() != StorageList || (dt.ID() == arrow.MAP) != (v.typ.kind == KindMap) {
		return nil, ex.mismatch(v, dt, at)
	}
	entries, child := ValuesOf[ListEntry](v), v.children[0]
	views := dt.ID() == arrow.LIST_VIEW || dt.ID() == arrow.LARGE_LIST_VIEW
	if !views {
		entries, child = ex.contiguous(v, entries)
	}
	wide := dt.ID() == arrow.LARGE_LIST || dt.ID() == arrow.LARGE_LIST_VIEW
	if !wide && child.length > math.MaxInt32 {
		return nil, at.errorf(ErrCastOverflow, -1, "%d list elements are too many for %s", child.length, dt)
	}
	elements := visible(nil)
	if hasUnion(child.typ) {
		below := ex.below(v, rows)
		elements = ex.pool.ZeroBitmap(child.length)
		for i := below.NextSet(0, v.length); i < v.length; i = below.NextSet(i+1, v.length) {
			setRange(elements, int(entries[i].Offset), int(entries[i].Offset+entries[i].Length))
		}
	}
	data, err := ex.field(child, dt.ElemField(), elements, at.below("[]"))
	if err != nil {
		return nil, err
	}
	if dt.ID() == arrow.MAP {
		if data, err = ex.mapEntries(child, data, at); err != nil {
			return nil, err
		}
	}
	var buffers []*memory.Buffer
	if wide {
		buffers = listBuffers[int64](ex.pool, v, entries, views)
	} else {
		buffers = listBuffers[int32](ex.pool, v, entries, views)
	}
	return ex.make(v, dt, v.validity, []arrow.ArrayData{data}, buffers...), nil
}

// mapEntries checks that neither the entries of a map nor their keys are null, and says so in the data.
func (ex *exporter) mapEntries(v *Vector, data *array.Data, at *place) (*array.Data, error) {
	defer data.Release()
	plain := Flatten(ex.pool, v)
	for _, w := range []*Vector{plain, plain.children[0]} {
		if NullCount(ex.pool, w) > 0 {
			return nil, at.errorf(ErrNullInRequired, -1, "null key in a map")
		}
	}
	// Arrow's Map reads keys and values past an offset of the struct that has them: they are sliced instead.
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, c := range data.Children() {
		children[i] = array.NewSliceData(c, int64(data.Offset()), int64(data.Offset()+data.Len()))
		defer children[i].Release()
	}
	children[0].(*array.Data).SetNullN(0)
	return array.NewData(data.DataType(), data.Len(), slices.Clone(data.Buffers()), children, 0, 0), nil
}

// hasUnion reports whether the type is or contains a union.
func hasUnion(t Type) bool {
	if t.kind == KindUnion {
		return true
	}
	for _, f := range t.Fields() {
		if hasUnion(f.Type) {
			return true
		}
	}
	return false
}

// contiguous gives entries that follow one another without gaps and the child that they count in. Entries of null rows are empty.
func (ex *exporter) contiguous(v *Vector, entries []ListEntry) ([]ListEntry, *Vector) {
	next, inOrder := int64(-1), true
	start, total := int64(0), 0
	for i, e := range entries {
		if e.Length == 0 || !v.validity.Has(i) {
			continue
		}
		if next < 0 {
			start = e.Offset
		} else {
			inOrder = inOrder && e.Offset == next
		}
		next = e.Offset + e.Length
		total += int(e.Length)
	}
	child := v.children[0]
	if inOrder {
		child = child.Slice(ex.pool, int(start), int(start)+total)
	} else {
		rows := Alloc[int64](ex.pool, total)[:0]
		for i, e := range entries {
			if v.validity.Has(i) {
				for r := range e.Length {
					rows = append(rows, e.Offset+r)
				}
			}
		}
		child = gather(ex.pool, child, rows)
	}
	packed := Alloc[ListEntry](ex.pool, len(entries))
	at := int64(0)
	for i, e := range entries {
		packed[i] = ListEntry{Offset: at}
		if v.validity.Has(i) {
			packed[i].Length = e.Length
			at += e.Length
		}
	}
	return packed, child
}

// listBuffers makes the offsets of lists, or the offsets and sizes of list views.
func listBuffers[O int32 | int64](pool *Pool, v *Vector, entries []ListEntry, views bool) []*memory.Buffer {
	if !views {
		offsets := Alloc[O](pool, v.length+1)
		offsets[0] = 0
		for i, e := range entries {
			offsets[i+1] = O(e.Offset + e.Length)
		}
		return []*memory.Buffer{memory.NewBufferBytes(Bytes(offsets))}
	}
	offsets, sizes := Alloc[O](pool, v.length), Alloc[O](pool, v.length)
	for i, e := range entries {
		offsets[i], sizes[i] = 0, 0
		if v.validity.Has(i) {
			offsets[i], sizes[i] = O(e.Offset), O(e.Length)
		}
	}
	return []*memory.Buffer{memory.NewBufferBytes(Bytes(offsets)), memory.NewBufferBytes(Bytes(sizes))}
}
