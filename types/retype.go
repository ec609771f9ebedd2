package types

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// parts replaces parts of array data; what is not set stays.
type parts struct {
	dropValidity bool
	buffers      []*memory.Buffer
	children     []arrow.ArrayData // taken over: the caller does not release them
	dictionary   arrow.ArrayData   // taken over
}

// remade gives the same rows under another type, with some parts replaced. The caller releases it.
func remade(data arrow.ArrayData, dt arrow.DataType, p parts) *array.Data {
	buffers, children, dictionary, nulls := p.buffers, p.children, p.dictionary, data.NullN()
	if buffers == nil {
		buffers = data.Buffers()
	}
	if p.dropValidity && len(buffers) > 0 && dt.ID() != arrow.NULL {
		buffers, nulls = slices.Clone(buffers), 0
		buffers[0] = nil
	}
	if children == nil {
		children = data.Children()
	}
	out := array.NewData(dt, data.Len(), slices.Clone(buffers), slices.Clone(children), nulls, data.Offset())
	if dictionary == nil {
		dictionary = data.Dictionary()
	}
	if !noData(dictionary) {
		out.SetDictionary(dictionary)
	}
	releaseData(p.children)
	if p.dictionary != nil {
		p.dictionary.Release()
	}
	return out
}

// retypeColumn gives a column that changeField has given another type: the same buffers, Arrow unions wrapped where they got an outer validity, variants
// of type null gone where the new type does not have them, the runs of required values cut to the window. Other bitmaps stay. The caller releases it.
func retypeColumn(before, after arrow.Field, data arrow.ArrayData) (arrow.ArrayData, error) {
	if before.Type == after.Type {
		data.Retain()
		return data, nil
	}
	level := ValidateLayout
	if hasUnionBelow(before.Type) {
		level = ValidateContents // what says where the children's rows are is read below
	}
	if err := Validate(arrow.Field{Name: before.Name, Type: before.Type, Nullable: true}, data, level); err != nil {
		return nil, err
	}
	return retypeData(data, after.Type, before.Metadata, 0, data.Len())
}

// hasUnionBelow reports whether an Arrow type is or contains a union.
func hasUnionBelow(dt arrow.DataType) bool {
	dt = valueType(dt)
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return hasUnionBelow(ext.StorageType())
	}
	if _, ok := dt.(arrow.UnionType); ok {
		return true
	}
	nested, ok := dt.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return hasUnionBelow(f.Type) })
}

// retypeData is retypeColumn for valid data below a column, of which only n rows after from are seen.
func retypeData(data arrow.ArrayData, to arrow.DataType, metadata arrow.Metadata, from, n int) (arrow.ArrayData, error) {
	if data.DataType() == to {
		data.Retain()
		return data, nil
	}
	start := data.Offset() + from
	wrapped, wraps := to.(*nullableUnionType)
	switch d := data.DataType().(type) {
	case *nullableUnionType:
		union, err := retypeData(data.Children()[0], wrapped.value(), arrow.Metadata{}, start, n)
		if err != nil {
			return nil, err
		}
		return remade(data, to, parts{children: []arrow.ArrayData{union}}), nil
	case arrow.ExtensionType:
		if wraps {
			return wrapUnion(data, wrapped, metadata, from, n)
		}
		return remade(data, to, parts{}), nil // what is inside stays
	case arrow.UnionType:
		if wraps {
			return wrapUnion(data, wrapped, metadata, from, n)
		}
		return retypeUnion(data, d, to.(arrow.UnionType), from, n)
	case *arrow.DictionaryType:
		dictionary, err := retypeData(data.Dictionary(), to.(*arrow.DictionaryType).ValueType, metadata, 0, data.Dictionary().Len())
		if err != nil {
			return nil, err
		}
		return remade(data, to, parts{dictionary: dictionary}), nil
	case *arrow.RunEndEncodedType:
		return retypeRuns(data, to.(*arrow.RunEndEncodedType), metadata)
	case *arrow.MapType:
		return retypeMap(data, to.(*arrow.MapType), from, n)
	case *arrow.StructType:
		return retypeChildren(data, to, to.(*arrow.StructType).Fields(), start, n)
	case *arrow.FixedSizeListType:
		width := int(d.Len())
		return retypeChildren(data, to, to.(arrow.NestedType).Fields(), start*width, n*width)
	}
	lists, ok := to.(arrow.ListLikeType)
	if !ok {
		return remade(data, to, parts{}), nil
	}
	first, last := listWindow(data, from, n)
	return retypeChildren(data, to, []arrow.Field{lists.ElemField()}, first, last-first)
}

// retypeChildren gives nested data whose children take the types of fields; the rows from start to start+n of each are seen.
func retypeChildren(data arrow.ArrayData, to arrow.DataType, fields []arrow.Field, start, n int) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(fields))
	for i, f := range fields {
		child, err := retypeData(data.Children()[i], f.Type, f.Metadata, start, n)
		if err != nil {
			releaseData(children)
			return nil, err
		}
		children = append(children, child)
	}
	return remade(data, to, parts{children: children}), nil
}

// retypeMap goes through the struct of keys and values, whose type is no field of the map's.
func retypeMap(data arrow.ArrayData, to *arrow.MapType, from, n int) (arrow.ArrayData, error) {
	first, last := listWindow(data, from, n)
	entries := data.Children()[0]
	out, err := retypeChildren(entries, to.ValueType(), to.ValueType().Fields(), entries.Offset()+first, last-first)
	if err != nil {
		return nil, err
	}
	return remade(data, to, parts{children: []arrow.ArrayData{out}}), nil
}

// listWindow gives the rows of the child that the rows of a list, map or list view use.
func listWindow(data arrow.ArrayData, from, n int) (first, last int) {
	im := importer{}
	entries := make([]ListEntry, n)
	size := data.Children()[0].Len()
	valid, _ := im.validity(data, from, n, nil)
	// The data are valid: there is no error to look at.
	switch data.DataType().ID() {
	case arrow.LARGE_LIST:
		first, last, _ = listEntries[int64](&im, entries, data, from, size, nil)
	case arrow.LIST_VIEW:
		first, last, _ = listViewEntries[int32](&im, entries, data, from, size, valid, nil)
	case arrow.LARGE_LIST_VIEW:
		first, last, _ = listViewEntries[int64](&im, entries, data, from, size, valid, nil)
	default:
		first, last, _ = listEntries[int32](&im, entries, data, from, size, nil)
	}
	return first, last
}

// retypeRuns cuts the children to the runs that the array uses when its values become required: the others may be null.
func retypeRuns(data arrow.ArrayData, to *arrow.RunEndEncodedType, metadata arrow.Metadata) (arrow.ArrayData, error) {
	ends, values := data.Children()[0], data.Children()[1]
	first, last := 0, values.Len()
	if !to.ValueNullable {
		first, last = runWindow(ends, data.Offset(), data.Len())
	}
	cutValues := array.NewSliceData(values, int64(first), int64(last))
	defer cutValues.Release()
	retyped, err := retypeData(cutValues, to.Encoded(), metadata, 0, last-first)
	if err != nil {
		return nil, err
	}
	cutEnds := array.NewSliceData(ends, int64(first), int64(min(last, ends.Len())))
	return remade(data, to, parts{children: []arrow.ArrayData{cutEnds, retyped}}), nil
}

// runWindow gives the runs that rows start to start+n of valid run ends lie in.
func runWindow(ends arrow.ArrayData, start, n int) (first, last int) {
	if n == 0 {
		return 0, 0
	}
	switch ends.DataType().ID() {
	case arrow.INT16:
		return runsBetween(runEndValues[int16](ends), start, n)
	case arrow.INT32:
		return runsBetween(runEndValues[int32](ends), start, n)
	}
	return runsBetween(runEndValues[int64](ends), start, n)
}

func runEndValues[E int16 | int32 | int64](ends arrow.ArrayData) []E {
	values, _, _ := importValues[E](&importer{}, ends, 1, ends.Offset(), ends.Len(), nil)
	return values
}

func runsBetween[E int16 | int32 | int64](ends []E, start, n int) (first, last int) {
	after := func(end E, row int) int {
		if int(end) > row {
			return 1
		}
		return -1
	}
	first, _ = slices.BinarySearchFunc(ends, start, after)
	last, _ = slices.BinarySearchFunc(ends, start+n-1, after)
	return first, last + 1
}

// wrapUnion gives an Arrow union an outer validity: the rows whose variants do not hold null.
func wrapUnion(data arrow.ArrayData, to *nullableUnionType, metadata arrow.Metadata, from, n int) (arrow.ArrayData, error) {
	typ, err := importType(data.DataType(), metadata, UnionAuto)
	if err != nil {
		return nil, err
	}
	im := importer{viewSpan: math.MaxUint32}
	v, err := im.vector(data, typ, from, n, nil)
	if err != nil {
		return nil, err
	}
	union, err := retypeData(data, to.value(), metadata, from, n)
	if err != nil {
		return nil, err
	}
	defer union.Release()
	var valid Bitmap
	if seen := LogicalValidity(nil, v); seen != nil {
		valid = make(Bitmap, BitmapWords(data.Len()))
		for i := seen.NextSet(0, n); i < n; i = seen.NextSet(i+1, n) {
			valid.Set(from + i)
		}
	}
	bitmap := bitmapBuffer(valid)
	if bitmap != nil {
		defer bitmap.Release()
	}
	return array.NewData(to, data.Len(), []*memory.Buffer{bitmap}, []arrow.ArrayData{union}, data.Len()-valid.Count(data.Len()), 0), nil
}

// retypeUnion gives a union other variants, which it had before under the same codes. Rows of variants that are gone are seen by nobody; they move
// to another one.
func retypeUnion(data arrow.ArrayData, d, to arrow.UnionType, from, n int) (arrow.ArrayData, error) {
	start := data.Offset() + from
	codes, offsets := unionRowsOf(data, from, n)
	uses, err := scanUnion(data, d, codes, offsets, nil)
	if err != nil {
		return nil, err
	}
	var children []arrow.ArrayData
	kept, gone := 0, 0
	for i, code := range d.TypeCodes() {
		if kept == to.NumFields() || to.TypeCodes()[kept] != code {
			gone += uses[i].rows
			continue
		}
		first, rows := start, n
		if d.Mode() == arrow.DenseMode {
			first, rows = 0, 0
			if uses[i].rows > 0 {
				first, rows = uses[i].first, uses[i].last-uses[i].first+1
			}
		}
		f := to.Fields()[kept]
		child, err := retypeData(data.Children()[i], f.Type, d.Fields()[i].Metadata, first, rows)
		if err != nil {
			releaseData(children)
			return nil, err
		}
		children = append(children, child)
		kept++
	}
	out := remade(data, to, parts{children: children})
	if gone == 0 {
		return out, nil
	}
	defer out.Release()
	return rehosted(out, to, from, n)
}

// rehosted moves rows of variants that the union does not have any more, which nobody sees, to its first variant.
func rehosted(data arrow.ArrayData, to arrow.UnionType, from, n int) (arrow.ArrayData, error) {
	if to.NumFields() == 0 {
		return nil, KindErrorf(ErrUnsupported, "%d rows of a union without a variant that can hold a value", n)
	}
	children := slices.Clone(data.Children())
	host, known := to.TypeCodes()[0], to.ChildIDs()
	start := data.Offset() + from
	buffers := slices.Clone(data.Buffers())
	codes := slices.Clone(Values[int8](buffers[1].Bytes()[:start+n]))
	buffers[1] = memory.NewBufferBytes(Bytes(codes))
	var offsets []int32
	if to.Mode() == arrow.DenseMode {
		_, before := unionRowsOf(data, from, n)
		offsets = append(make([]int32, start), before...)
		buffers[2] = memory.NewBufferBytes(Bytes(offsets))
		if children[0].Len() == 0 {
			f, err := importField(to.Fields()[0], unionDeclared)
			if err != nil {
				return nil, err
			}
			value, err := Export(placeholder(f, 1), to.Fields()[0].Type, ExportOptions{AllowLossy: true})
			if err != nil {
				return nil, err
			}
			defer value.Release()
			children[0] = value.Data()
		}
	}
	last := int32(0)
	for i := start; i < start+n; i++ {
		switch {
		case known[codes[i]] < 0:
			codes[i] = host
			if offsets != nil {
				offsets[i] = last
			}
		case codes[i] == host && offsets != nil:
			last = offsets[i]
		}
	}
	for _, c := range children {
		c.Retain()
	}
	return remade(data, to, parts{buffers: buffers, children: children}), nil
}

// unionRowsOf gives the codes of rows and, of a dense union, their offsets.
func unionRowsOf(data arrow.ArrayData, from, n int) ([]int8, []int32) {
	im := importer{}
	codes, _, _ := importValues[int8](&im, data, 1, data.Offset()+from, n, nil)
	if data.DataType().(arrow.UnionType).Mode() == arrow.SparseMode {
		return codes, nil
	}
	offsets, _, _ := importValues[int32](&im, data, 2, data.Offset()+from, n, nil)
	return codes, offsets
}
