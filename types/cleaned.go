package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// cleaned gives the same rows with nothing under required fields that ValidateStrict would find, and without bitmaps that say nothing. It is Sanitize
// where the layout has to stay: only the parts of data in which hidden nulls become placeholders are copied. The caller releases the result.
func cleaned(f arrow.Field, data arrow.ArrayData, at *place) (arrow.ArrayData, error) {
	declared, err := importField(f, unionDeclared)
	if err != nil {
		return nil, err
	}
	im := importer{viewSpan: math.MaxUint32, declared: true}
	v, err := im.vector(data, declared.Type, 0, data.Len(), at)
	if err != nil {
		return nil, err
	}
	if Sanitize(nil, v, declared) == v || anyBits(f.Type) && !checkedOnImport(f.Type) {
		return stripped(f, data), nil
	}
	switch dt := f.Type.(type) {
	case *nullableUnionType:
		return cleanStruct(f, data, []arrow.Field{{Name: "value", Type: dt.value(), Nullable: true}}, at)
	case arrow.ExtensionType:
		inner := remade(data, dt.StorageType(), parts{})
		defer inner.Release()
		out, err := cleaned(arrow.Field{Type: dt.StorageType(), Nullable: f.Nullable, Metadata: f.Metadata}, inner, at)
		if err != nil {
			return nil, err
		}
		defer out.Release()
		return remade(out, dt, parts{}), nil
	case *arrow.DictionaryType:
		if f.Nullable || v.validity == nil {
			dictionary, err := cleaned(arrow.Field{Type: dt.ValueType, Nullable: f.Nullable, Metadata: f.Metadata}, data.Dictionary(), at)
			if err != nil {
				return nil, err
			}
			return remade(data, dt, parts{dropValidity: !f.Nullable, dictionary: dictionary}), nil
		}
	case *arrow.RunEndEncodedType:
		first, last := runWindow(data.Children()[0], data.Offset(), data.Len())
		ends := array.NewSliceData(data.Children()[0], int64(first), int64(last))
		values := array.NewSliceData(data.Children()[1], int64(first), int64(last))
		defer values.Release()
		out, err := cleaned(arrow.Field{Type: dt.Encoded(), Nullable: dt.ValueNullable, Metadata: f.Metadata}, values, at)
		if err != nil {
			ends.Release()
			return nil, err
		}
		return remade(data, dt, parts{children: []arrow.ArrayData{ends, out}}), nil
	case *arrow.StructType:
		return cleanStruct(f, data, dt.Fields(), at)
	case *arrow.SparseUnionType:
		children, err := cleanChildren(data, dt.Fields(), at)
		if err != nil {
			return nil, err
		}
		defer releaseData(children)
		codes := memory.SliceBuffer(data.Buffers()[1], data.Offset(), data.Len())
		defer codes.Release()
		return array.NewData(dt, data.Len(), []*memory.Buffer{nil, codes}, children, 0, 0), nil
	}
	out, err := exportColumn(Sanitize(nil, v, declared), f, at, ExportOptions{AllowLossy: true})
	if err != nil {
		return nil, err
	}
	exported := out.Data()
	exported.Retain()
	out.Release()
	return exported, nil
}

// cleanStruct is cleaned for structs: their children are cut to the rows of the struct, so that the rest of them does not matter.
func cleanStruct(f arrow.Field, data arrow.ArrayData, fields []arrow.Field, at *place) (arrow.ArrayData, error) {
	children, err := cleanChildren(data, fields, at)
	if err != nil {
		return nil, err
	}
	defer releaseData(children)
	n, nulls := data.Len(), 0
	var bitmap *memory.Buffer
	if f.Nullable {
		valid, err := (&importer{}).validity(data, 0, n, at)
		if err != nil {
			return nil, err
		}
		if bitmap = bitmapBuffer(valid); bitmap != nil {
			defer bitmap.Release()
		}
		nulls = n - valid.Count(n)
	}
	return array.NewData(f.Type, n, []*memory.Buffer{bitmap}, children, nulls, 0), nil
}

// cleanChildren gives the children that are as long as their parent.
func cleanChildren(data arrow.ArrayData, fields []arrow.Field, at *place) ([]arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(fields))
	for i, f := range fields {
		rows := array.NewSliceData(data.Children()[i], int64(data.Offset()), int64(data.Offset()+data.Len()))
		child, err := cleaned(f, rows, at.below(f.Name))
		rows.Release()
		if err != nil {
			releaseData(children)
			return nil, err
		}
		children = append(children, child)
	}
	return children, nil
}

// stripped gives the same buffers without the bitmaps of required fields, in which no row that is seen is null. The caller releases it.
func stripped(f arrow.Field, data arrow.ArrayData) arrow.ArrayData {
	// Where all values are null, a required field has a bitmap for rows that nobody sees.
	p := parts{dropValidity: !f.Nullable && valueType(f.Type).ID() != arrow.NULL}
	dt := f.Type
	for {
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			break
		}
		dt = ext.StorageType()
	}
	var fields []arrow.Field
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		p.dictionary = stripped(arrow.Field{Type: d.ValueType, Nullable: f.Nullable}, data.Dictionary())
	case *arrow.RunEndEncodedType:
		p.dropValidity = false
		ends := data.Children()[0]
		ends.Retain()
		p.children = []arrow.ArrayData{ends, stripped(arrow.Field{Type: d.Encoded(), Nullable: d.ValueNullable}, data.Children()[1])}
	case arrow.NestedType:
		fields = d.Fields()
	}
	for i, child := range fields {
		p.children = append(p.children, stripped(child, data.Children()[i]))
	}
	return remade(data, f.Type, p)
}

// checkedOnImport reports types of anyBits that SQL holds in another unit, in which not all of them have a value.
func checkedOnImport(dt arrow.DataType) bool {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return checkedOnImport(ext.StorageType())
	}
	return dt.ID() == arrow.DATE64 || dt.ID() == arrow.DURATION
}

// anyBits reports Arrow types of which any bits are a value, so that what lies under their nulls may be seen.
func anyBits(dt arrow.DataType) bool {
	switch d := dt.(type) {
	case arrow.ExtensionType:
		return anyBits(d.StorageType())
	case arrow.DecimalType:
		return false
	case *arrow.BooleanType, *arrow.FixedSizeBinaryType:
		return true
	case *arrow.DictionaryType, arrow.NestedType:
		return false
	case arrow.FixedWidthDataType:
		return true
	}
	return false
}
