package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/lacunadb/lacuna/types"
)

// Array is an Arrow array of a case: its declared type and its data, in chunks where the case has several.
type Array struct {
	Field  arrow.Field
	Chunks []arrow.ArrayData
}

// Data gives the data of an array that is one chunk.
func (a Array) Data() arrow.ArrayData { return a.Chunks[0] }

// ParseArray reads an array of a case: ["type", layout] or ["type", "chunks", layout, layout ...].
func ParseArray(text json.RawMessage) (Array, error) {
	var parts []json.RawMessage
	if err := decode(text, &parts); err != nil || len(parts) < 2 {
		return Array{}, fmt.Errorf("%s is no array", text)
	}
	var name string
	if err := decode(parts[0], &name); err != nil {
		return Array{}, err
	}
	f, err := ParseType(name)
	if err != nil {
		return Array{}, err
	}
	a := Array{Field: f}
	parts = parts[1:]
	if string(parts[0]) == `"chunks"` {
		parts = parts[1:]
	}
	for _, part := range parts {
		data, err := buildLayout(f, part)
		if err != nil {
			return Array{}, fmt.Errorf("%s: %w", text, err)
		}
		a.Chunks = append(a.Chunks, data)
	}
	return a, nil
}

// decode reads JSON strictly, numbers as json.Number.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// layout is an array's physical layout as a JSON object. README.md of the cases describes it.
type layout struct {
	Length     *int              `json:"length"`
	Offset     int               `json:"offset"`
	NullCount  *int              `json:"null_count"`
	Valid      *string           `json:"valid"`
	Values     json.RawMessage   `json:"values"`
	Offsets    []int64           `json:"offsets"`
	Sizes      []int64           `json:"sizes"`
	Codes      []int64           `json:"codes"`
	RunEnds    json.RawMessage   `json:"run_ends"`
	Keys       []int64           `json:"keys"`
	Dictionary json.RawMessage   `json:"dictionary"`
	Child      json.RawMessage   `json:"child"`
	Fields     []json.RawMessage `json:"fields"`
	Slice      []int64           `json:"slice"`
	Rows       []any             `json:"rows"`
}

// buildLayout makes an array of a layout: an object, or the list of rows that stands for {"rows": [...]}.
func buildLayout(f arrow.Field, text json.RawMessage) (arrow.ArrayData, error) {
	var l layout
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		l.Rows = []any{}
		if err := decode(text, &l.Rows); err != nil {
			return nil, err
		}
	} else if err := decode(text, &l); err != nil {
		return nil, err
	}
	data, err := l.build(f)
	if err != nil {
		return nil, err
	}
	if len(l.Slice) == 2 {
		return array.NewSliceData(data, l.Slice[0], l.Slice[1]), nil
	}
	return data, nil
}

func (l *layout) build(f arrow.Field) (arrow.ArrayData, error) {
	if l.Rows != nil {
		return buildRows(f, l.Rows)
	}
	dt := f.Type
	if ext, ok := dt.(arrow.ExtensionType); ok {
		if ext.ExtensionName() == types.NullableUnionName {
			return l.nullableUnion(ext)
		}
		data, err := l.build(fieldOf(ext.StorageType(), f.Nullable))
		if err != nil {
			return nil, err
		}
		return withType(data, ext), nil
	}
	switch d := dt.(type) {
	case *arrow.NullType:
		return l.node(dt, 0, nil, nil), nil
	case *arrow.DictionaryType:
		dictionary, err := buildLayout(fieldOf(d.ValueType, true), l.Dictionary)
		if err != nil {
			return nil, err
		}
		keys, err := integers(d.IndexType, l.Keys)
		if err != nil {
			return nil, err
		}
		data := l.node(dt, len(l.Keys), []*memory.Buffer{keys}, nil)
		data.SetDictionary(dictionary)
		return data, nil
	case *arrow.RunEndEncodedType:
		ends, err := buildLayout(fieldOf(d.RunEnds(), true), l.RunEnds)
		if err != nil {
			return nil, err
		}
		values, err := buildLayout(fieldOf(d.Encoded(), d.ValueNullable), l.Values)
		if err != nil {
			return nil, err
		}
		return l.node(dt, lastEnd(ends), nil, []arrow.ArrayData{ends, values}), nil
	case *arrow.StructType:
		children, err := l.children(d.Fields())
		n := 0
		if len(children) > 0 {
			n = children[0].Len()
		}
		return l.node(dt, n, nil, children), err
	case arrow.UnionType:
		return l.union(d)
	case *arrow.FixedSizeListType:
		child, err := buildLayout(d.ElemField(), l.Child)
		if err != nil {
			return nil, err
		}
		return l.node(dt, child.Len()/max(1, int(d.Len())), nil, []arrow.ArrayData{child}), nil
	case arrow.ListLikeType:
		return l.list(d)
	}
	var values []any
	if err := decode(l.Values, &values); err != nil {
		return nil, err
	}
	buffers, err := leafBuffers(dt, values)
	if err != nil {
		return nil, err
	}
	return l.node(dt, len(values), buffers, nil), nil
}

// node makes the array data of n rows, unless the layout gives a length of its own.
func (l *layout) node(dt arrow.DataType, n int, buffers []*memory.Buffer, children []arrow.ArrayData) *array.Data {
	if l.Length != nil {
		n = *l.Length
	}
	nulls := 0
	var valid *memory.Buffer
	if l.Valid != nil {
		valid, nulls = bits(*l.Valid), array.UnknownNullCount
	}
	if dt.ID() == arrow.NULL {
		nulls = n
	}
	if l.NullCount != nil {
		nulls = *l.NullCount
	}
	if dt.ID() != arrow.RUN_END_ENCODED || valid != nil {
		buffers = append([]*memory.Buffer{valid}, buffers...)
	}
	return array.NewData(dt, n, buffers, children, nulls, l.Offset)
}

func (l *layout) children(fields []arrow.Field) ([]arrow.ArrayData, error) {
	if len(l.Fields) != len(fields) {
		return nil, fmt.Errorf("%d fields in the layout, %d in the type", len(l.Fields), len(fields))
	}
	children := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		var err error
		if children[i], err = buildLayout(f, l.Fields[i]); err != nil {
			return nil, err
		}
	}
	return children, nil
}

func (l *layout) union(d arrow.UnionType) (arrow.ArrayData, error) {
	children, err := l.children(d.Fields())
	if err != nil {
		return nil, err
	}
	codes, err := integers(arrow.PrimitiveTypes.Int8, l.Codes)
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{codes}
	if d.Mode() == arrow.DenseMode {
		offsets, err := integers(arrow.PrimitiveTypes.Int32, l.Offsets)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, offsets)
	}
	return l.node(d, len(l.Codes), buffers, children), nil
}

// nullableUnion makes a union with outer validity: a struct that says which rows are valid around the union.
func (l *layout) nullableUnion(ext arrow.ExtensionType) (arrow.ArrayData, error) {
	storage := ext.StorageType().(*arrow.StructType)
	inner := *l
	inner.Valid, inner.Offset, inner.Length, inner.NullCount = nil, 0, nil, nil
	union, err := inner.build(storage.Field(0))
	if err != nil {
		return nil, err
	}
	return l.node(ext, union.Len(), nil, []arrow.ArrayData{union}), nil
}

func (l *layout) list(d arrow.ListLikeType) (arrow.ArrayData, error) {
	child, err := buildLayout(fieldOf(d.Elem(), d.ElemField().Nullable), l.Child)
	if err != nil {
		return nil, err
	}
	width := arrow.DataType(arrow.PrimitiveTypes.Int32)
	if id := d.ID(); id == arrow.LARGE_LIST || id == arrow.LARGE_LIST_VIEW {
		width = arrow.PrimitiveTypes.Int64
	}
	offsets, err := integers(width, l.Offsets)
	if err != nil {
		return nil, err
	}
	if id := d.ID(); id != arrow.LIST_VIEW && id != arrow.LARGE_LIST_VIEW {
		return l.node(d, len(l.Offsets)-1, []*memory.Buffer{offsets}, []arrow.ArrayData{child}), nil
	}
	sizes, err := integers(width, l.Sizes)
	return l.node(d, len(l.Offsets), []*memory.Buffer{offsets, sizes}, []arrow.ArrayData{child}), err
}

// withType gives the data another type of the same layout.
func withType(data arrow.ArrayData, dt arrow.DataType) arrow.ArrayData {
	out := array.NewData(dt, data.Len(), data.Buffers(), data.Children(), data.NullN(), data.Offset())
	if d, ok := data.(*array.Data); ok && d.Dictionary() != nil {
		if dictionary, ok := d.Dictionary().(*array.Data); ok && dictionary != nil {
			out.SetDictionary(dictionary)
		}
	}
	return out
}

// lastEnd gives the last run end, which is the length of a run-end-encoded array that is not a slice.
func lastEnd(ends arrow.ArrayData) int {
	if ends.Len() == 0 {
		return 0
	}
	a := array.MakeFromData(ends)
	switch a := a.(type) {
	case *array.Int16:
		return int(a.Value(a.Len() - 1))
	case *array.Int32:
		return int(a.Value(a.Len() - 1))
	case *array.Int64:
		return int(a.Value(a.Len() - 1))
	}
	return 0
}
