package parquet

import (
	"encoding/base64"
	"fmt"

	"github.com/lacunadb/lacuna/catalog/arrowschema"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Parquet has no type for some of SQL's. They are written in the form of another one, which is what other readers find, and the footer keeps the Arrow schema,
// as Arrow's own libraries do; by that this package makes them again:
//
//	UNION                  STRUCT of tag, the name of the variant, and a field for each variant (sql.md)
//	ARRAY                  LIST
//	HUGEINT                DECIMAL(38, 0); more digits are an error
//	ENUM, BIT              VARCHAR, BLOB
//	seconds of a time      milliseconds
//	TIMESTAMP WITH OFFSET  STRUCT of timestamp and offset_minutes
//
// The schema is believed as far as it agrees with the columns, and what it says is checked on each value.

// arrowSchemaKey is where the footer keeps the schema: base64 of the message that a stream would begin with.
const arrowSchemaKey = "ARROW:schema"

// writtenForm gives the type that a type is written as where the writer's nodes do not do it by themselves.
func writtenForm(t types.Type) types.Type {
	field := func(f types.Field) types.Field {
		f.Type = writtenForm(f.Type)
		return f
	}
	switch t.Kind() {
	case types.KindBit:
		return types.Blob
	case types.KindTimestampOffset:
		return types.StructOf(types.Field{Name: "timestamp", Type: types.TimestampTZOf(t.Unit(), "UTC")}, types.Field{Name: "offset_minutes", Type: types.SmallInt})
	case types.KindUnion:
		fields := []types.Field{{Name: tagName(t), Type: types.Varchar}}
		for _, f := range t.Fields() {
			f = field(f)
			f.Nullable = true
			fields = append(fields, f)
		}
		return types.StructOf(fields...)
	case types.KindStruct:
		fields := make([]types.Field, len(t.Fields()))
		for i, f := range t.Fields() {
			fields[i] = field(f)
		}
		return types.StructOf(fields...)
	case types.KindList:
		return types.ListOfField(field(t.Elem()))
	case types.KindArray:
		return types.ArrayOfField(field(t.Elem()), t.Width())
	case types.KindMap:
		return types.MapOfFields(field(t.Fields()[0]), field(t.Fields()[1]))
	}
	return t
}

// tagName gives the name of the field for the variant's name: tag, with a number if a variant is called so.
func tagName(union types.Type) string {
	name := "tag"
	for n := 1; types.Schema(union.Fields()).Index(name) >= 0; n++ {
		name = fmt.Sprint("tag", n)
	}
	return name
}

// toWritten brings a vector into its type's written form.
func toWritten(v *types.Vector) *types.Vector {
	t := v.Type()
	form := writtenForm(t)
	if form.Equal(t) {
		return v
	}
	switch v.Encoding() {
	case types.Dictionary:
		return types.NewDictionary(v.Keys(), toWritten(v.Entries()), v.Validity())
	case types.RunEnd:
		return types.NewRunEnd(v.RunEnds(), toWritten(v.RunValues()))
	}
	v = kernels.Decode(nil, v)
	children := make([]*types.Vector, len(v.Children()))
	switch t.Kind() {
	case types.KindBit:
		return v.WithType(form)
	case types.KindUnion:
		return unionAsStruct(v, form)
	case types.KindTimestampOffset:
		copy(children, v.Children())
		return types.NewStruct(form, v.Len(), children, v.Validity())
	}
	for i, c := range v.Children() {
		children[i] = toWritten(c)
	}
	switch t.Kind() {
	case types.KindStruct:
		return types.NewStruct(form, v.Len(), children, v.Validity())
	case types.KindArray:
		return types.NewArray(form, v.Len(), children[0], v.Validity())
	}
	return types.NewList(form, types.ValuesOf[types.ListEntry](v)[:v.Len()], children[0], v.Validity())
}

// unionAsStruct puts each row's value into the field of its variant and the variant's name into the first field.
func unionAsStruct(v *types.Vector, form types.Type) *types.Vector {
	n, fields, codes, offsets := v.Len(), v.Type().Fields(), v.TypeCodes(), v.UnionOffsets()
	names := make([]any, len(fields))
	variants := map[int8]uint32{}
	for i, f := range fields {
		names[i] = f.Name
		variants[v.Type().Codes()[i]] = uint32(i)
	}
	texts, err := types.FromValues(nil, types.Varchar, names)
	if err != nil {
		panic(err) // names of fields are texts
	}
	keys := types.Alloc[uint32](nil, n)
	children := []*types.Vector{types.NewDictionary(keys, texts, nil)}
	for i := range n {
		keys[i] = variants[codes[i]]
	}
	for k := range fields {
		rows, holds := types.Alloc[uint32](nil, n), (*types.Pool)(nil).ZeroBitmap(n)
		for i := range n {
			rows[i] = 0
			if keys[i] == uint32(k) && v.Validity().Has(i) {
				rows[i] = uint32(i)
				if offsets != nil {
					rows[i] = uint32(offsets[i])
				}
				holds.Set(i)
			}
		}
		children = append(children, toWritten(kernels.Take(nil, v.Children()[k], rows, holds)))
	}
	return types.NewStruct(form, n, children, v.Validity())
}

// restoredType gives the type that a column of one type is made into because the file's Arrow schema says another one; false where they do not agree. What is
// nullable stays as Parquet says.
func restoredType(have, want types.Type) (types.Type, bool) {
	field := func(have, want types.Field) (types.Field, bool) {
		t, ok := restoredType(have.Type, want.Type)
		have.Type = t
		return have, ok
	}
	fields := func(have, want []types.Field) ([]types.Field, bool) {
		if len(have) != len(want) {
			return nil, false
		}
		out := make([]types.Field, len(have))
		for i := range have {
			ok := false
			if out[i], ok = field(have[i], want[i]); !ok {
				return nil, false
			}
		}
		return out, true
	}
	if ext := want.Extension(); ext.Name != "" && have.Extension().Name == "" {
		t, ok := restoredType(have, want.WithExtension(types.Extension{}))
		return t.WithExtension(ext), ok && !t.IsNested()
	}
	hk, wk := have.Kind(), want.Kind()
	switch {
	case wk == types.KindUnion:
		return want, hk == types.KindStruct && isUnionForm(have, want)
	case wk == types.KindHugeInt:
		return want, hk == wk || hk == types.KindDecimal && have.Precision() == 38 && have.Scale() == 0
	case wk == types.KindEnum:
		return want, hk == types.KindVarchar
	case wk == types.KindBit:
		return want, hk == types.KindBlob
	case wk == types.KindTimestampOffset:
		return want, have.Equal(writtenForm(want)) || hk == types.KindStruct && sameFields(have, writtenForm(want))
	case wk == types.KindArray && hk == types.KindList:
		elem, ok := field(have.Elem(), want.Elem())
		return types.ArrayOfField(elem, want.Width()), ok
	case hk != wk:
		return have, false
	case wk == types.KindList:
		elem, ok := field(have.Elem(), want.Elem())
		return types.ListOfField(elem), ok
	case wk == types.KindMap:
		both, ok := fields(have.Fields(), want.Fields())
		if !ok {
			return have, false
		}
		return types.MapOfFields(both[0], both[1]), true
	case wk == types.KindStruct:
		if !sameNames(have, want) {
			return have, false
		}
		all, ok := fields(have.Fields(), want.Fields())
		return types.StructOf(all...), ok
	case wk == types.KindTime || wk == types.KindTimestamp || wk == types.KindTimestampTZ:
		return want, have.Unit() == want.Unit() || have.Unit() == types.Millisecond && want.Unit() == types.Second
	}
	return have, have.Equal(want)
}

func sameNames(a, b types.Type) bool {
	if len(a.Fields()) != len(b.Fields()) {
		return false
	}
	for i, f := range a.Fields() {
		if f.Name != b.Fields()[i].Name {
			return false
		}
	}
	return true
}

// sameFields reports whether structs have fields of the same names and types, whatever may be null.
func sameFields(a, b types.Type) bool {
	if !sameNames(a, b) {
		return false
	}
	for i, f := range a.Fields() {
		if !f.Type.Equal(b.Fields()[i].Type) {
			return false
		}
	}
	return true
}

// isUnionForm reports whether a struct is the written form of a union, whose variants may need restoring.
func isUnionForm(have, union types.Type) bool {
	fields := have.Fields()
	if len(fields) != len(union.Fields())+1 || fields[0].Name != tagName(union) || fields[0].Type.Kind() != types.KindVarchar {
		return false
	}
	for i, f := range union.Fields() {
		t, ok := restoredType(fields[i+1].Type, f.Type)
		if !ok || fields[i+1].Name != f.Name || !sameButNulls(t, f.Type) {
			return false
		}
	}
	return true
}

// sameButNulls reports whether types differ in no more than what may be null in them.
func sameButNulls(a, b types.Type) bool {
	if a.Kind() != b.Kind() || len(a.Fields()) != len(b.Fields()) {
		return false
	}
	if len(a.Fields()) == 0 {
		return a.Equal(b)
	}
	for i := range a.Fields() {
		if !sameButNulls(a.Fields()[i].Type, b.Fields()[i].Type) {
			return false
		}
	}
	return a.Width() == b.Width()
}

// restored gives a node that reads what another one reads as the type that the Arrow schema says, or the node itself.
func restored(n *node, want types.Type) *node {
	if n.unsupported != "" || n.firstBelow() {
		return n
	}
	if n.shape == structShape && want.Kind() == types.KindStruct && sameNames(n.field.Type, want) {
		// Field by field, so that each can be read alone.
		c := *n
		c.children = make([]*node, len(n.children))
		fields := make([]types.Field, len(n.children))
		for i, child := range n.children {
			c.children[i] = restored(child, want.Fields()[i].Type)
			fields[i] = c.children[i].field
		}
		c.field.Type = types.StructOf(fields...)
		return &c
	}
	t, ok := restoredType(n.field.Type, want)
	switch {
	case !ok:
		return n
	case t.Equal(n.field.Type): // but perhaps for the mark of an extension
		c := *n
		c.field.Type = t
		return &c
	}
	c := &node{field: n.field, shape: restoredShape, children: []*node{n}, present: n.present, entry: n.entry, repetition: n.repetition, noNulls: n.noNulls}
	c.field.Type = t
	return c
}

// firstBelow reports whether something below a node cannot be read.
func (n *node) firstBelow() bool {
	_, u := n.firstUnsupported("")
	return u != nil
}

// restore looks for an Arrow schema in the footer and takes from it what Parquet could not say. A schema that cannot be read, or is of other columns, is not
// believed.
func (t *table) restore(keyValues []keyValue) {
	for _, k := range keyValues {
		if string(k.key) != arrowSchemaKey {
			continue
		}
		message, err := base64.StdEncoding.DecodeString(string(k.value))
		if err != nil {
			return
		}
		schema, err := arrowschema.ReadEncapsulated(message)
		if err != nil || schema.NumFields() != len(t.tree.columns) {
			return
		}
		for i, n := range t.tree.columns {
			f, err := types.ImportField(schema.Field(i))
			if err != nil || f.Name != n.field.Name {
				continue
			}
			t.tree.columns[i] = restored(n, f.Type)
			t.schema[i] = t.tree.columns[i].field
			t.schema[i].Encoding = f.Encoding
		}
		return
	}
}

// fromWritten brings a vector from its written form to a type that restoredType gave. What is no value of the type is corrupt. With hidden set the vector may
// have rows that a null around it hides, whose lists are empty.
func fromWritten(pool *types.Pool, v *types.Vector, to types.Type, hidden bool) (*types.Vector, error) {
	from := v.Type()
	if from.Equal(to) {
		return v, nil
	}
	if sameButNulls(from, to) || !from.IsNested() && from.Kind() == to.Kind() && from.Storage() == to.Storage() && from.Unit() == to.Unit() && from.Kind() != types.KindDecimal {
		return v.WithType(to), nil
	}
	switch v.Encoding() {
	case types.Dictionary:
		entries, err := fromWritten(pool, v.Entries(), to, hidden)
		if err != nil {
			return nil, err
		}
		return types.NewDictionary(v.Keys(), entries, v.Validity()), nil
	case types.RunEnd:
		values, err := fromWritten(pool, v.RunValues(), to, hidden)
		if err != nil {
			return nil, err
		}
		return types.NewRunEnd(v.RunEnds(), values), nil
	}
	env := &kernels.Env{Pool: pool, Rows: v.Len()}
	v = kernels.Decode(env, v)
	switch to.Kind() {
	case types.KindUnion:
		return structAsUnion(env, v, to)
	case types.KindTimestampOffset:
		return types.NewStruct(to, v.Len(), v.Children(), v.Validity()), nil
	case types.KindBit:
		if row := types.InvalidBit(v); row >= 0 {
			return nil, corrupt("a value of %d bytes is no BIT", types.ValuesOf[types.View](v)[row].Len())
		}
		return v.WithType(to), nil
	case types.KindStruct:
		children := make([]*types.Vector, len(v.Children()))
		for i, c := range v.Children() {
			var err error
			if children[i], err = fromWritten(pool, c, to.Fields()[i].Type, true); err != nil {
				return nil, err
			}
		}
		return types.NewStruct(to, v.Len(), children, v.Validity()), nil
	case types.KindList, types.KindMap, types.KindArray:
		child := v.Children()[0]
		wanted := types.StructOf(to.Fields()...)
		if to.Kind() != types.KindMap {
			wanted = to.Elem().Type
		}
		child, err := fromWritten(pool, child, wanted, hidden)
		if err != nil {
			return nil, err
		}
		if to.Kind() == types.KindMap {
			return types.NewList(to, types.ValuesOf[types.ListEntry](v)[:v.Len()], child, v.Validity()), nil
		}
		list := types.NewList(types.ListOfField(to.Elem()), types.ValuesOf[types.ListEntry](v)[:v.Len()], child, v.Validity())
		if to.Kind() == types.KindList {
			return list, nil
		}
		if hidden && to.Width() > 0 {
			empty := (*types.Pool)(nil).ZeroBitmap(v.Len())
			for i, e := range types.ValuesOf[types.ListEntry](list)[:v.Len()] {
				if e.Length == 0 {
					empty.Set(i)
				}
			}
			list = list.WithValidity(types.AndNotBitmaps(pool, v.Validity(), empty, v.Len()))
		}
		return asCorrupt(kernels.Cast(env, list, to))
	}
	return asCorrupt(kernels.Cast(env, v, to))
}

func asCorrupt(v *types.Vector, err error) (*types.Vector, error) {
	if e, ok := err.(*types.Error); ok {
		return nil, corrupt("the file's Arrow schema is wrong: %s", e.Message)
	}
	return v, err
}

// structAsUnion undoes unionAsStruct.
func structAsUnion(env *kernels.Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n := v.Len()
	variants := map[string]int8{}
	for i, f := range to.Fields() {
		variants[f.Name] = to.Codes()[i]
	}
	codes := types.Alloc[int8](env.Pool, n)
	tags := v.Children()[0]
	for i := range codes {
		codes[i] = to.Codes()[0]
		if !v.Validity().Has(i) {
			continue
		}
		at, row, ok := tags.Locate(i)
		code, known := int8(0), false
		if ok {
			code, known = variants[types.Text(at, row)]
		}
		if !known {
			return nil, corrupt("the tag of a union is none of its variants")
		}
		codes[i] = code
	}
	children := make([]*types.Vector, len(to.Fields()))
	for i, f := range to.Fields() {
		child, err := fromWritten(env.Pool, v.Children()[i+1], f.Type, true)
		if err != nil {
			return nil, err
		}
		if !f.Nullable {
			for row := range n {
				if codes[row] == to.Codes()[i] && v.Validity().Has(row) {
					if _, _, ok := child.Locate(row); !ok {
						return nil, corrupt("a required variant of a union is null")
					}
				}
			}
			child = types.Sanitize(env.Pool, child, f)
		}
		children[i] = child
	}
	return types.NewUnion(to, codes, nil, children, v.Validity()), nil
}
