package kernels

import (
	"github.com/lacunadb/lacuna/types"
)

// castNested converts plain lists, arrays, maps and structs part by part. Parts under null rows never fail.
func castNested(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, from := v.Len(), v.Type()
	switch {
	case from.Kind() == types.KindStruct && to.Kind() == types.KindMap:
		return structToMap(env, v, to)
	case from.Kind() == types.KindStruct:
		return castStruct(env, v, to)
	case from.Kind() == types.KindArray && to.Kind() == types.KindArray && from.Width() != to.Width():
		return castList(env, arrayAsList(env, v), to)
	case from.Kind() == types.KindArray && to.Kind() == types.KindArray:
		width := from.Width()
		inner := env.withActive(repeatBits(env.pool(), visibleRows(env, v), n, width))
		child, err := castChild(inner, v.Children()[0], to.Elem(), "[]")
		if err != nil {
			if e, ok := err.(*types.Error); ok && e.Row >= 0 {
				e.Row /= int64(width)
			}
			return nil, err
		}
		return types.NewArray(to, n, child, v.Validity()), nil
	case from.Kind() == types.KindArray:
		return castList(env, arrayAsList(env, v), to)
	}
	return castList(env, v, to)
}

// visibleRows gives the active rows that are not null.
func visibleRows(env *Env, v *types.Vector) types.Bitmap {
	n := v.Len()
	rows := types.AndBitmaps(env.pool(), v.Validity(), env.active(), n)
	if rows == nil {
		rows = copyValidity(env.pool(), nil, n)
	}
	return rows
}

// castChild converts a child vector and checks its field's nullability, both for the active rows of env. Under a required field the rows that
// nobody sees hold no null either (null-semantics 2.9). An error has the child's row.
func castChild(env *Env, child *types.Vector, field types.Field, path string) (*types.Vector, error) {
	r, err := Cast(env, child, field.Type)
	if err != nil {
		if e, ok := err.(*types.Error); ok && e.Row >= 0 {
			e.Path = joinPath(path, e.Path)
		}
		return nil, err
	}
	if field.Nullable || !r.MayHaveNulls() {
		return r, nil
	}
	n := r.Len()
	visible := types.AndBitmaps(env.pool(), IsNull(env, r).Bools(), env.active(), n)
	if row := visible.NextSet(0, n); n > 0 && row < n {
		return nil, types.KindErrorf(types.ErrNullInRequired, "null in %s", field).WithRow(path, int64(row))
	}
	return types.Sanitize(env.pool(), r, field), nil
}

// joinPath gives the path of a part of a part, such as s.l[].
func joinPath(path, below string) string {
	if below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}

// elementError gives the error of converting the elements of lists the row of a list: the first one that fails alone.
func elementError(env *Env, err error, rows types.Bitmap, entries []types.ListEntry, child *types.Vector, field types.Field, path string) error {
	n := len(entries)
	for i := rows.NextSet(0, n); i < n; i = rows.NextSet(i+1, n) {
		part := child.Slice(env.pool(), int(entries[i].Offset), int(entries[i].Offset+entries[i].Length))
		_, err := castChild(env.withActive(nil), part, field, path)
		if e, ok := err.(*types.Error); ok {
			e.Row = int64(i)
			return e
		}
	}
	return err
}

// castList converts a plain LIST or MAP vector; to an ARRAY, every row must have its width.
func castList(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	child, entries := listElements(env, v.Children()[0], types.ValuesOf[types.ListEntry](v)[:n], valid)
	rows := visibleRows(env, v)
	active := env.pool().ZeroBitmap(child.Len())
	for i := rows.NextSet(0, n); i < n; i = rows.NextSet(i+1, n) {
		setBits(active, int(entries[i].Offset), int(entries[i].Offset+entries[i].Length))
	}
	inner := env.withActive(active)
	if to.Kind() == types.KindMap {
		parts := Decode(env, child)
		converted := make([]*types.Vector, 2)
		for k, field := range to.Fields() {
			field.Nullable = field.Nullable || k == 0 && env.try()
			part, err := castChild(inner, parts.Children()[k], field, field.Name)
			if err != nil {
				return nil, elementError(env, err, rows, entries, parts.Children()[k], field, field.Name)
			}
			converted[k] = part
		}
		if env.try() {
			valid = withoutNullKeys(env, entries, converted[0], valid)
			converted[0] = types.Sanitize(env.pool(), converted[0], to.Fields()[0])
		}
		pair := types.NewStruct(types.StructOf(to.Fields()...), child.Len(), converted, parts.Validity())
		return types.NewList(to, entries, pair, valid), nil
	}
	elements, err := castChild(inner, child, to.Elem(), "[]")
	if err != nil {
		return nil, elementError(env, err, rows, entries, child, to.Elem(), "[]")
	}
	child = elements
	if to.Kind() == types.KindList {
		return types.NewList(to, entries, child, valid), nil
	}
	return listAsArray(env, v, entries, child, to)
}

// withoutNullKeys gives the validity of maps without those that have a null key, as Try makes it of one that cannot be converted: a map cannot hold it.
func withoutNullKeys(env *Env, entries []types.ListEntry, keys *types.Vector, valid types.Bitmap) types.Bitmap {
	if !keys.MayHaveNulls() {
		return valid
	}
	n, null := len(entries), IsNull(env, keys).Bools()
	kept := copyValidity(env.pool(), valid, n)
	for i := kept.NextSet(0, n); i < n; i = kept.NextSet(i+1, n) {
		if e := entries[i]; null.NextSet(int(e.Offset), int(e.Offset+e.Length)) < int(e.Offset+e.Length) {
			kept.Clear(i)
			entries[i] = types.ListEntry{}
		}
	}
	return kept
}

// arrayAsList gives a plain ARRAY vector as LIST over the same child.
func arrayAsList(env *Env, v *types.Vector) *types.Vector {
	n, width := v.Len(), int64(v.Type().Width())
	entries := types.Alloc[types.ListEntry](env.pool(), n)
	for i := range entries {
		entries[i] = types.ListEntry{Offset: int64(i) * width, Length: width}
	}
	return types.NewList(types.ListOfField(v.Type().Elem()), entries, v.Children()[0], v.Validity())
}

// listAsArray copies lists of the array's width together.
func listAsArray(env *Env, v *types.Vector, entries []types.ListEntry, child *types.Vector, to types.Type) (*types.Vector, error) {
	n, width := v.Len(), to.Width()
	valid, err := env.settle(n, v.Validity(), func(i int) bool { return entries[i].Length != int64(width) }, func(i int) *types.Error {
		return types.KindErrorf(types.ErrCastInvalid, "cannot cast a list of %d elements to %s", entries[i].Length, to)
	})
	if err != nil {
		return nil, err
	}
	indices := types.Alloc[uint32](env.pool(), n*width)
	have := env.pool().ZeroBitmap(n * width)
	for i, e := range entries {
		if valid.Has(i) && e.Length == int64(width) {
			setBits(have, i*width, (i+1)*width)
			for k := range width {
				indices[i*width+k] = uint32(e.Offset) + uint32(k)
			}
		}
	}
	return types.NewArray(to, n, Take(env, child, indices, have), valid), nil
}

// canCastStruct reports whether a struct converts by field names: one is in common, and every field that only the target has is
// nullable.
func canCastStruct(from, to types.Type) bool {
	common := false
	for _, f := range to.Fields() {
		k := fieldIndex(from, f.Name)
		if k < 0 {
			if !f.Nullable {
				return false
			}
			continue
		}
		if !CanCast(from.Fields()[k].Type, f.Type) {
			return false
		}
		common = true
	}
	return common
}

// noStructCast tells why canCastStruct says no, as a kind of error; nil when the types of fields are the reason.
func noStructCast(from, to types.Type) error {
	common := false
	for _, f := range to.Fields() {
		switch matches := fieldCount(from, f.Name); {
		case matches > 1:
			return types.ErrAmbiguousMember
		case matches == 1:
			common = true
		case !f.Nullable:
			return types.ErrMissingRequiredField
		}
	}
	if !common {
		return types.ErrNoMember
	}
	return nil
}

func fieldCount(t types.Type, name string) int {
	n := 0
	for _, f := range t.Fields() {
		if f.Name == name {
			n++
		}
	}
	return n
}

// fieldIndex gives the place of the only field with a name; -1 if there is none or more than one.
func fieldIndex(t types.Type, name string) int {
	found := -1
	for i, f := range t.Fields() {
		if f.Name == name {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func castStruct(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n := v.Len()
	inner := env.withActive(visibleRows(env, v))
	children := make([]*types.Vector, len(to.Fields()))
	var first *types.Error // of all fields, the one in the first row
	for i, f := range to.Fields() {
		k := fieldIndex(v.Type(), f.Name)
		if k < 0 {
			children[i] = types.NewNull(f.Type, n)
			continue
		}
		child, err := castChild(inner, v.Children()[k], f, f.Name)
		if e, ok := err.(*types.Error); ok && (first == nil || e.Row < first.Row) {
			first = e
		}
		children[i] = child
	}
	if first != nil {
		return nil, first
	}
	return types.NewStruct(to, n, children, v.Validity()), nil
}

// canCastStructToMap reports whether a struct becomes a map from the names of its fields to their values.
func canCastStructToMap(from, to types.Type) bool {
	key, value := to.Fields()[0].Type, to.Fields()[1].Type
	for _, f := range from.Fields() {
		if !CanCast(f.Type, value) {
			return false
		}
	}
	return CanCast(types.Varchar, key) && len(from.Fields()) > 0
}

// structToMap makes a map of each struct: its fields in their order, with the names as keys.
func structToMap(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, fields := v.Len(), v.Type().Fields()
	key, value := to.Fields()[0], to.Fields()[1]
	names := NewViewBuilder(env, types.Varchar, len(fields))
	var same []types.Field
	for _, f := range fields {
		names.Append([]byte(f.Name))
		same = append(same, types.Field{Name: f.Name, Type: value.Type, Nullable: value.Nullable})
	}
	keys, err := castChild(env.withActive(nil), names.Finish(nil), key, key.Name)
	if e, ok := err.(*types.Error); ok {
		e.Row = int64(env.active().NextSet(0, n))
		return nil, e
	}
	values, err := castStruct(env, v, types.StructOf(same...))
	if err != nil {
		return nil, err
	}
	// Value k of row i stands in row k*n+i of all values.
	entries := types.Alloc[types.ListEntry](env.pool(), n)
	keyRows, valueRows := types.Alloc[uint32](env.pool(), n*len(fields)), types.Alloc[uint32](env.pool(), n*len(fields))
	for i := range n {
		entries[i] = types.ListEntry{Offset: int64(i * len(fields)), Length: int64(len(fields))}
		for k := range fields {
			keyRows[i*len(fields)+k], valueRows[i*len(fields)+k] = uint32(k), uint32(k*n+i)
		}
	}
	clearNullEntries(entries, v.Validity())
	pairs := types.NewStruct(types.StructOf(to.Fields()...), len(keyRows), []*types.Vector{
		Take(env, keys, keyRows, nil), Take(env, Concat(env, values.Children()), valueRows, nil),
	}, nil)
	return types.NewList(to, entries, pairs, v.Validity()), nil
}
