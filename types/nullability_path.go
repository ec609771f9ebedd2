package types

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// changeField applies a change of nullability to the fields that paths name, or to all. See OptionalDeep for the form of paths.
func changeField(f arrow.Field, paths []string, change func(arrow.Field, *place) (arrow.Field, error)) (arrow.Field, error) {
	if len(paths) == 0 {
		return changeAll(f, change, columnPlace(f))
	}
	for _, text := range paths {
		path, err := parsePath(text)
		if err != nil {
			return f, err
		}
		if f, err = changeAt(f, path, change, columnPlace(f)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// parsePath splits s.l[] into s, l and [].
func parsePath(text string) ([]string, error) {
	var path []string
	for rest := text; rest != ""; {
		if after, ok := strings.CutPrefix(rest, "[]"); ok {
			path, rest = append(path, "[]"), after
			continue
		}
		if len(path) > 0 {
			after, ok := strings.CutPrefix(rest, ".")
			if !ok {
				return nil, KindErrorf(ErrNoMember, "path %q: a point or [] is expected before %q", text, rest)
			}
			rest = after
		}
		name, after, ok := cutName(rest)
		if !ok {
			return nil, KindErrorf(ErrNoMember, "path %q: a name is expected at %q", text, rest)
		}
		path, rest = append(path, name), after
	}
	return path, nil
}

// cutName cuts a name off the front of a path.
func cutName(text string) (name, rest string, ok bool) {
	quoted, ok := strings.CutPrefix(text, `"`)
	if !ok {
		end := strings.IndexAny(text, `.["`)
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], end > 0
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(quoted, `"`)
		if !ok {
			return "", "", false
		}
		b.WriteString(before)
		if quoted, ok = strings.CutPrefix(after, `"`); !ok {
			return b.String(), after, true
		}
		b.WriteByte('"')
	}
}

// pathName gives a name as a path writes it.
func pathName(name string) string {
	if name != "" && !strings.ContainsAny(name, `."[`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// changeAt applies a change to the one field at a path.
func changeAt(f arrow.Field, path []string, change func(arrow.Field, *place) (arrow.Field, error), at *place) (arrow.Field, error) {
	if len(path) == 0 {
		return change(f, at)
	}
	var err error
	f.Type, err = changeBelow(f.Type, at, func(below []arrow.Field) error {
		for i, child := range below {
			if child.Name != path[0] {
				continue
			}
			below[i], err = changeAt(child, path[1:], change, at.below(path[0]))
			return err
		}
		return at.errorf(ErrNoMember, -1, "%s has no %s below it", f.Type, pathName(path[0]))
	})
	return f, err
}

// changeAll applies a change to a field and all that are below it, the lowest first.
func changeAll(f arrow.Field, change func(arrow.Field, *place) (arrow.Field, error), at *place) (arrow.Field, error) {
	var err error
	if hasFields(f.Type) {
		_, isMap := valueType(f.Type).(*arrow.MapType)
		f.Type, err = changeBelow(f.Type, at, func(below []arrow.Field) error {
			for i, child := range below {
				if isMap && i == 0 {
					continue
				}
				if below[i], err = changeAll(child, change, at.below(child.Name)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return f, err
		}
	}
	return change(f, at)
}

// hasFields reports whether a path can lead below a type.
func hasFields(dt arrow.DataType) bool {
	dt = valueType(dt)
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return hasFields(ext.StorageType())
	}
	_, ok := dt.(arrow.NestedType)
	return ok
}

// changeBelow gives a type with other fields: change sets them in a slice of the fields under the names that paths have, [] for elements, key and value
// for those of a map. What encodings and nullable unions hold is looked through; an extension type whose storage would change is an error.
func changeBelow(dt arrow.DataType, at *place, change func([]arrow.Field) error) (arrow.DataType, error) {
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		values, err := changeBelow(d.ValueType, at, change)
		return dictionaryOf(d, arrow.Field{Type: values}), err
	case *arrow.RunEndEncodedType:
		values, err := changeBelow(d.Encoded(), at, change)
		return runsOf(d, arrow.Field{Type: values, Nullable: d.ValueNullable}), err
	case *nullableUnionType:
		out, err := changeBelow(d.value(), at, change)
		if err != nil || out == d.value() {
			return dt, err
		}
		return NullableUnionOf(out, d.tagged), nil
	case arrow.ExtensionType:
		out, err := changeBelow(d.StorageType(), at, change)
		if err != nil {
			return dt, err
		}
		return dt, sameStorage(d, out, at)
	}
	before := fieldsBelow(dt)
	if before == nil {
		return dt, at.errorf(ErrNoMember, -1, "%s has no fields", dt)
	}
	after := append([]arrow.Field(nil), before...)
	if err := change(after); err != nil {
		return dt, err
	}
	if _, ok := dt.(*arrow.MapType); ok && after[0].Nullable {
		return dt, at.below("key").errorf(ErrUnsupported, -1, "the key of a map cannot be null")
	}
	changed := false
	for i := range after {
		changed = changed || after[i].Nullable != before[i].Nullable || after[i].Type != before[i].Type
	}
	if !changed {
		return dt, nil
	}
	return withFields(dt, after), nil
}

// fieldsBelow gives the fields of a nested type under the names of paths; nil for other types.
func fieldsBelow(dt arrow.DataType) []arrow.Field {
	switch d := dt.(type) {
	case *arrow.MapType:
		key, value := d.KeyField(), d.ItemField()
		key.Name, value.Name = "key", "value"
		return []arrow.Field{key, value}
	case arrow.ListLikeType:
		element := d.ElemField()
		element.Name = "[]"
		return []arrow.Field{element}
	case arrow.NestedType:
		return d.Fields()
	}
	return nil
}

// withFields is the inverse of fieldsBelow: the type with those fields, whose own names stay.
func withFields(dt arrow.DataType, fields []arrow.Field) arrow.DataType {
	if d, ok := dt.(*arrow.MapType); ok {
		key, value := fields[0], fields[1]
		key.Name, value.Name = d.KeyField().Name, d.ItemField().Name
		out := arrow.MapOfFields(key, value)
		out.KeysSorted = d.KeysSorted
		return out
	}
	if d, ok := dt.(arrow.ListLikeType); ok {
		fields[0].Name = d.ElemField().Name
	}
	switch d := dt.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(fields[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(fields[0])
	case *arrow.ListViewType:
		return arrow.ListViewOfField(fields[0])
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(fields[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(d.Len(), fields[0])
	case *arrow.StructType:
		return arrow.StructOf(fields...)
	case arrow.UnionType:
		return unionLike(d, fields, d.TypeCodes())
	}
	panic(fmt.Sprintf("types: %s has no fields", dt))
}

// unionLike gives the union of other variants in the mode of d.
func unionLike(d arrow.UnionType, fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.UnionType {
	if d.Mode() == arrow.DenseMode {
		return arrow.DenseUnionOf(fields, codes)
	}
	return arrow.SparseUnionOf(fields, codes)
}

// runsOf gives the run-end-encoded type of other values; d itself when they are the same.
func runsOf(d *arrow.RunEndEncodedType, values arrow.Field) arrow.DataType {
	if values.Type == d.Encoded() && values.Nullable == d.ValueNullable {
		return d
	}
	out := arrow.RunEndEncodedOf(d.RunEnds(), values.Type)
	out.ValueNullable = values.Nullable
	return out
}

// dictionaryOf gives the dictionary type of other values; d itself when they are the same.
func dictionaryOf(d *arrow.DictionaryType, values arrow.Field) arrow.DataType {
	if values.Type == d.ValueType {
		return d
	}
	return &arrow.DictionaryType{IndexType: d.IndexType, ValueType: values.Type, Ordered: d.Ordered}
}

// eachField applies a change to all fields of a list.
func eachField(fields []arrow.Field, change func(arrow.Field) (arrow.Field, error)) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		var err error
		if out[i], err = change(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}
