package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/lacunadb/lacuna/types"
)

// hole stands for a row that nobody sees: null in a nullable field, else the type's zero.
type hole struct{}

// buildRows makes the plain layout of rows: no slices, a bitmap where a row is null, empty ranges and zeros under nulls.
func buildRows(f arrow.Field, rows []any) (arrow.ArrayData, error) {
	dt := f.Type
	switch d := dt.(type) {
	case arrow.ExtensionType:
		if d.ExtensionName() == types.NullableUnionName {
			union, err := unionRows(d.StorageType().(*arrow.StructType).Field(0).Type.(arrow.UnionType), rows)
			if err != nil {
				return nil, err
			}
			return plainNode(dt, rows, nil, []arrow.ArrayData{union}), nil
		}
		data, err := buildRows(fieldOf(d.StorageType(), f.Nullable), rows)
		if err != nil {
			return nil, err
		}
		return withType(data, dt), nil
	case *arrow.DictionaryType:
		return dictionaryRows(d, rows)
	case *arrow.RunEndEncodedType:
		return runRows(d, rows)
	case arrow.UnionType:
		return unionRows(d, rows)
	}
	rows = filled(f, rows)
	switch d := dt.(type) {
	case *arrow.NullType:
		return array.NewData(dt, len(rows), []*memory.Buffer{nil}, nil, len(rows), 0), nil
	case *arrow.StructType:
		return structRows(d, rows)
	case arrow.ListLikeType:
		return listRows(d, rows)
	}
	buffers, err := leafBuffers(dt, rows)
	if err != nil {
		return nil, err
	}
	return plainNode(dt, rows, buffers, nil), nil
}

// filled replaces holes by nulls in a nullable field. The others become zeros when their null is written without a bitmap.
func filled(f arrow.Field, rows []any) []any {
	out := make([]any, len(rows))
	for i, row := range rows {
		out[i] = row
		if row == (hole{}) && f.Nullable {
			out[i] = nil
		}
	}
	return out
}

func plainNode(dt arrow.DataType, rows []any, buffers []*memory.Buffer, children []arrow.ArrayData) *array.Data {
	valid, nulls := "", 0
	for _, row := range rows {
		if row == nil {
			valid, nulls = valid+"0", nulls+1
		} else {
			valid += "1"
		}
	}
	var bitmap *memory.Buffer
	if nulls > 0 {
		bitmap = bits(valid)
	}
	return array.NewData(dt, len(rows), append([]*memory.Buffer{bitmap}, buffers...), children, nulls, 0)
}

func structRows(d *arrow.StructType, rows []any) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, d.NumFields())
	for k, f := range d.Fields() {
		below := make([]any, len(rows))
		for i, row := range rows {
			below[i] = hole{}
			if object, ok := row.(map[string]any); ok {
				if below[i], ok = object[f.Name]; !ok {
					return nil, fmt.Errorf("row %d has no field %s", i, f.Name)
				}
			} else if row != nil && row != (hole{}) {
				return nil, fmt.Errorf("row %d of a struct is %v", i, row)
			}
		}
		var err error
		if children[k], err = buildRows(f, below); err != nil {
			return nil, err
		}
	}
	return plainNode(d, rows, nil, children), nil
}

func listRows(d arrow.ListLikeType, rows []any) (arrow.ArrayData, error) {
	var elements []any
	fixed, isFixed := d.(*arrow.FixedSizeListType)
	l := layout{Offsets: []int64{0}}
	for i, row := range rows {
		part, ok := row.([]any)
		switch {
		case !ok && row != nil && row != (hole{}):
			return nil, fmt.Errorf("row %d of a list is %v", i, row)
		case !ok && isFixed:
			for range fixed.Len() {
				part = append(part, hole{})
			}
		case isFixed && len(part) != int(fixed.Len()):
			return nil, fmt.Errorf("row %d has %d elements", i, len(part))
		}
		elements = append(elements, part...)
		l.Offsets = append(l.Offsets, int64(len(elements)))
		l.Sizes = append(l.Sizes, int64(len(part)))
	}
	if d.ID() == arrow.MAP {
		for i, e := range elements {
			if pair, ok := e.([]any); ok && len(pair) == 2 {
				elements[i] = map[string]any{"key": pair[0], "value": pair[1]}
			}
		}
	}
	child, err := buildRows(fieldOf(d.Elem(), d.ElemField().Nullable), elements)
	if err != nil {
		return nil, err
	}
	children := []arrow.ArrayData{child}
	if isFixed {
		return plainNode(d, rows, nil, children), nil
	}
	width := arrow.DataType(arrow.PrimitiveTypes.Int32)
	if id := d.ID(); id == arrow.LARGE_LIST || id == arrow.LARGE_LIST_VIEW {
		width = arrow.PrimitiveTypes.Int64
	}
	if id := d.ID(); id == arrow.LIST_VIEW || id == arrow.LARGE_LIST_VIEW {
		offsets, err := integers(width, l.Offsets[:len(rows)])
		if err != nil {
			return nil, err
		}
		sizes, err := integers(width, l.Sizes)
		return plainNode(d, rows, []*memory.Buffer{offsets, sizes}, children), err
	}
	offsets, err := integers(width, l.Offsets)
	return plainNode(d, rows, []*memory.Buffer{offsets}, children), err
}

// dictionaryRows gives each different value an entry, in the order of the rows, and null rows null keys.
func dictionaryRows(d *arrow.DictionaryType, rows []any) (arrow.ArrayData, error) {
	entries := []any{}
	places := map[string]int64{}
	keys := make([]int64, len(rows))
	for i, row := range rows {
		if row == nil || row == (hole{}) {
			continue
		}
		text := fmt.Sprintf("%T %v", row, row)
		if _, ok := places[text]; !ok {
			places[text] = int64(len(entries))
			entries = append(entries, row)
		}
		keys[i] = places[text]
	}
	dictionary, err := buildRows(fieldOf(d.ValueType, true), entries)
	if err != nil {
		return nil, err
	}
	buffer, err := integers(d.IndexType, keys)
	if err != nil {
		return nil, err
	}
	data := plainNode(d, filled(fieldOf(d, true), rows), []*memory.Buffer{buffer}, nil)
	data.SetDictionary(dictionary)
	return data, nil
}

// runRows makes a run of neighbours that are written alike.
func runRows(d *arrow.RunEndEncodedType, rows []any) (arrow.ArrayData, error) {
	var values []any
	var ends []int64
	last := ""
	for i, row := range rows {
		text := fmt.Sprintf("%T %v", row, row)
		if i > 0 && text == last {
			ends[len(ends)-1] = int64(i + 1)
			continue
		}
		values, ends, last = append(values, row), append(ends, int64(i+1)), text
	}
	buffer, err := integers(d.RunEnds(), ends)
	if err != nil {
		return nil, err
	}
	child, err := buildRows(fieldOf(d.Encoded(), d.ValueNullable), values)
	if err != nil {
		return nil, err
	}
	runEnds := array.NewData(d.RunEnds(), len(ends), []*memory.Buffer{nil, buffer}, nil, 0, 0)
	return array.NewData(d, len(rows), nil, []arrow.ArrayData{runEnds, child}, 0, 0), nil
}

// unionRows reads [code, value] for each row; of a row that is null the first variant is selected, at a hole.
func unionRows(d arrow.UnionType, rows []any) (arrow.ArrayData, error) {
	dense := d.Mode() == arrow.DenseMode
	codes, offsets := make([]int64, len(rows)), make([]int64, len(rows))
	below := make([][]any, d.NumFields())
	for i, row := range rows {
		codes[i] = int64(d.TypeCodes()[0])
		value := any(hole{})
		if pair, ok := row.([]any); ok && len(pair) == 2 {
			code, err := pair[0].(json.Number).Int64()
			if err != nil {
				return nil, err
			}
			codes[i], value = code, pair[1]
		} else if row != nil && row != (hole{}) {
			return nil, fmt.Errorf("row %d of a union is %v", i, row)
		}
		known := false
		for k, code := range d.TypeCodes() {
			switch {
			case int64(code) == codes[i]:
				known, offsets[i] = true, int64(len(below[k]))
				below[k] = append(below[k], value)
			case !dense:
				below[k] = append(below[k], hole{})
			}
		}
		if !known {
			return nil, fmt.Errorf("row %d has code %d", i, codes[i])
		}
	}
	children := make([]arrow.ArrayData, d.NumFields())
	for k, f := range d.Fields() {
		var err error
		if children[k], err = buildRows(f, below[k]); err != nil {
			return nil, err
		}
	}
	typeCodes, err := integers(arrow.PrimitiveTypes.Int8, codes)
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{nil, typeCodes}
	if dense {
		buffer, err := integers(arrow.PrimitiveTypes.Int32, offsets)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, buffer)
	}
	return array.NewData(d, len(rows), buffers, children, 0, 0), nil
}
