package arrays

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// commonType brings arguments to their common type (null-semantics 2.2) and gives the Arrow type that it has. Types that differ only in nullability, encoding
// or width of keys and run ends keep their form; others go through the SQL type. Encodings stay if all arguments but constants have them.
func commonType(args []argument) (arrow.DataType, error) {
	var all []arrow.DataType // of the columns that decide: not of type null, and without constants where there are others
	for _, constants := range []bool{false, true} {
		for _, a := range args {
			if a.Field.Type.ID() != arrow.NULL && (a.Repeat > 0) == constants && (!constants || len(all) == 0) {
				all = append(all, a.Field.Type)
			}
		}
	}
	if len(all) == 0 {
		return arrow.Null, nil
	}
	same := all[0]
	encoded := true
	for _, dt := range all[1:] {
		if encoded = encoded && sameEncoding(same, dt); encoded {
			same = widerEncoding(same, dt)
		}
	}
	values := make([]arrow.DataType, 0, len(args))
	for _, a := range args {
		if a.Field.Type.ID() != arrow.NULL {
			values = append(values, valueType(a.Field.Type))
		}
	}
	merged, ok := values[0], true
	for _, dt := range values[1:] {
		if merged, ok = mergeNullability(merged, dt); !ok {
			break
		}
	}
	if !ok {
		sql := make([]expr.Arg, len(args))
		views, nullable := false, false
		for i, a := range args {
			sql[i] = expr.Arg{Type: a.vector.Type()}
			id := valueType(a.Field.Type).ID()
			views = views || id == arrow.STRING_VIEW || id == arrow.BINARY_VIEW
			nullable = nullable || isNullableUnion(a.Field.Type)
		}
		t, err := expr.CommonTypeOf(sql...)
		if err != nil {
			return nil, err
		}
		merged = types.ExportType(t, types.ExportOptions{StringViews: views, Unions: types.UnionForbid})
		if union, ok := merged.(arrow.UnionType); ok && nullable {
			merged = types.NullableUnionOf(union, t.Tagged())
		}
	}
	target, err := types.ImportType(merged, arrow.Metadata{})
	if err != nil {
		return nil, err
	}
	for i := range args {
		v := args[i].vector
		switch {
		case v.Type().Equal(target):
		case v.Type().Kind() == types.KindNull:
			args[i].vector = types.NewNull(target, v.Len())
		case !ok && !sameButNulls(v.Type(), target):
			if args[i].vector, err = kernels.Cast(&kernels.Env{Rows: v.Len()}, v, target); err != nil {
				return nil, named(err, args[i].Field.Name)
			}
		default:
			args[i].vector = v.WithType(target)
		}
	}
	if !encoded {
		return merged, nil
	}
	switch d := same.(type) {
	case *arrow.RunEndEncodedType:
		return withRuns(d, d.RunEnds(), merged, d.ValueNullable), nil
	case *arrow.DictionaryType:
		return &arrow.DictionaryType{IndexType: d.IndexType, ValueType: merged, Ordered: d.Ordered}, nil
	}
	return merged, nil
}

// sameButNulls reports whether types differ in nothing but the nullability of what is below them, or in how unions hold nulls.
func sameButNulls(a, b types.Type) bool {
	if a.Kind() != b.Kind() || len(a.Fields()) != len(b.Fields()) {
		return false
	}
	if len(a.Fields()) == 0 {
		return a.Equal(b)
	}
	for i, f := range a.Fields() {
		if g := b.Fields()[i]; f.Name != g.Name || !sameButNulls(f.Type, g.Type) {
			return false
		}
	}
	return a.Width() == b.Width() && slices.Equal(a.Codes(), b.Codes())
}

// valueType gives the type below dictionaries and runs.
func valueType(dt arrow.DataType) arrow.DataType {
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		return valueType(d.ValueType)
	case *arrow.RunEndEncodedType:
		return valueType(d.Encoded())
	}
	return dt
}

func sameEncoding(a, b arrow.DataType) bool {
	encoded := func(dt arrow.DataType) arrow.Type {
		if id := dt.ID(); id == arrow.DICTIONARY || id == arrow.RUN_END_ENCODED {
			return id
		}
		return arrow.NULL
	}
	return encoded(a) == encoded(b)
}

// widerEncoding gives the one of two types of one encoding that has the wider keys or run ends.
func widerEncoding(a, b arrow.DataType) arrow.DataType {
	width := func(dt arrow.DataType) int {
		switch d := dt.(type) {
		case *arrow.DictionaryType:
			return d.IndexType.(arrow.FixedWidthDataType).BitWidth()
		case *arrow.RunEndEncodedType:
			return d.RunEnds().(arrow.FixedWidthDataType).BitWidth()
		}
		return 0
	}
	if width(b) > width(a) {
		return b
	}
	return a
}

// mergeNullability gives the type of two that differ only in nullability, with the flags of both; false for others.
func mergeNullability(a, b arrow.DataType) (arrow.DataType, bool) {
	if arrow.TypeEqual(a, b) {
		return a, true
	}
	if a.ID() != b.ID() {
		return nil, false
	}
	field := func(x, y arrow.Field) (arrow.Field, bool) {
		t, ok := mergeNullability(x.Type, y.Type)
		x.Type, x.Nullable = t, x.Nullable || y.Nullable
		return x, ok && x.Name == y.Name
	}
	switch x := a.(type) {
	case *arrow.ListType:
		f, ok := field(x.ElemField(), b.(*arrow.ListType).ElemField())
		return arrow.ListOfField(f), ok
	case *arrow.LargeListType:
		f, ok := field(x.ElemField(), b.(*arrow.LargeListType).ElemField())
		return arrow.LargeListOfField(f), ok
	case *arrow.ListViewType:
		f, ok := field(x.ElemField(), b.(*arrow.ListViewType).ElemField())
		return arrow.ListViewOfField(f), ok
	case *arrow.LargeListViewType:
		f, ok := field(x.ElemField(), b.(*arrow.LargeListViewType).ElemField())
		return arrow.LargeListViewOfField(f), ok
	case *arrow.FixedSizeListType:
		y := b.(*arrow.FixedSizeListType)
		f, ok := field(x.ElemField(), y.ElemField())
		return arrow.FixedSizeListOfField(x.Len(), f), ok && x.Len() == y.Len()
	case *arrow.StructType:
		y := b.(*arrow.StructType)
		if x.NumFields() != y.NumFields() {
			return nil, false
		}
		fields := make([]arrow.Field, x.NumFields())
		for i := range fields {
			ok := false
			if fields[i], ok = field(x.Field(i), y.Field(i)); !ok {
				return nil, false
			}
		}
		return arrow.StructOf(fields...), true
	case arrow.UnionType:
		y := b.(arrow.UnionType)
		if x.NumFields() != y.NumFields() {
			return nil, false
		}
		fields := make([]arrow.Field, x.NumFields())
		for i := range fields {
			ok := false
			if fields[i], ok = field(x.Fields()[i], y.Fields()[i]); !ok || x.TypeCodes()[i] != y.TypeCodes()[i] {
				return nil, false
			}
		}
		if x.Mode() == arrow.DenseMode {
			return arrow.DenseUnionOf(fields, x.TypeCodes()), true
		}
		return arrow.SparseUnionOf(fields, x.TypeCodes()), true
	}
	return nil, false
}
