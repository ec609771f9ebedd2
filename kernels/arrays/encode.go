package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Concat gives the rows of all columns one after another, in their common type; it is nullable if one of them is (null-semantics 2.2).
//
// Options: Unions, Runs, KeepRunEnds, WidenKeys.
func Concat(o Options, columns ...Column) (Column, error) {
	if len(columns) == 0 {
		return Column{}, types.Errorf(types.CodeInvalidParameter, "concat without arguments")
	}
	args := make([]argument, len(columns))
	nullable := false
	for i, c := range columns {
		var err error
		if args[i], err = load(c, types.UnionTagged); err != nil {
			return Column{}, err
		}
		nullable = nullable || args[i].nullable
	}
	f := columns[0].Field
	var err error
	if f.Type, err = commonType(args); err != nil {
		return Column{}, err
	}
	parts := make([]*types.Vector, len(args))
	for i, a := range args {
		parts[i] = a.vector
	}
	return o.result(f, kernels.Concat(nil, parts), nullable, false)
}

// DictionaryEncode gives the rows as a dictionary with keys of a type: each different value once, bit by bit, in the order in which they first stand. Nulls
// are null keys.
//
// Options: WidenKeys.
func DictionaryEncode(values Column, keys arrow.DataType, o Options) (Column, error) {
	v, err := load(values, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	f := values.Field
	f.Type = &arrow.DictionaryType{IndexType: keys, ValueType: valueType(f.Type)}
	return o.export(f, kernels.Decode(nil, v.vector), v.nullable)
}

// RunEndEncode gives the rows as runs of rows with the same bits, with run ends of a type.
//
// Options: KeepRunEnds, Unions for the null keys of a dictionary of unions.
func RunEndEncode(values Column, ends arrow.DataType, o Options) (Column, error) {
	v, err := load(values, o.nullsOfUnions())
	if err != nil {
		return Column{}, err
	}
	if v.Len() == 0 {
		v.vector = types.NewRunEnd(nil, kernels.Decode(nil, v.vector))
	}
	f := values.Field
	f.Type = arrow.RunEndEncodedOf(ends, valueType(f.Type))
	o.Runs = RunsKeep
	return o.result(f, kernels.Decode(nil, v.vector), v.nullable, hasKeys(values.Field.Type))
}

// hasKeys reports whether a column has dictionary keys, which may be null although no value is.
func hasKeys(dt arrow.DataType) bool {
	if runs, ok := dt.(*arrow.RunEndEncodedType); ok {
		return hasKeys(runs.Encoded())
	}
	return dt.ID() == arrow.DICTIONARY
}

// Decode gives the rows without dictionary and runs.
//
// Options: Unions, for the null keys of a dictionary of unions.
func Decode(values Column, o Options) (Column, error) {
	v, err := load(values, o.nullsOfUnions())
	if err != nil {
		return Column{}, err
	}
	f := values.Field
	f.Type = valueType(f.Type)
	return o.result(f, kernels.Decode(nil, v.vector), v.nullable, hasKeys(values.Field.Type))
}

// Unique gives each different value once, in the order in which they first stand; values are the same that IsDistinct does not tell apart.
//
// Options: Floats, Runs, KeepRunEnds.
func Unique(values Column, o Options) (Column, error) {
	v, err := load(values, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	order := kernels.SortIndices(o.env(), []kernels.SortKey{{Vector: v.vector}}, v.Len())
	first := newBitmap(v.Len())
	if n := v.Len(); n > 0 {
		sorted := kernels.Decode(nil, kernels.Take(nil, v.vector, order, nil))
		first.Set(int(order[0]))
		if n > 1 {
			distinct, err := kernels.IsDistinct(o.env(), sorted.Slice(nil, 0, n-1), sorted.Slice(nil, 1, n))
			if err != nil {
				return Column{}, err
			}
			rows := kernels.TrueRows(nil, distinct)
			for i := rows.NextSet(0, n-1); i < n-1; i = rows.NextSet(i+1, n-1) {
				first.Set(int(order[i+1])) // the order is stable: the first of equal values
			}
		}
	}
	tagged, err := load(values, types.UnionTagged)
	if err != nil {
		return Column{}, err
	}
	return o.result(values.Field, kernels.Filter(nil, tagged.vector, first, first.Count(v.Len())), v.nullable, false)
}

// SortKey is a column to sort by.
type SortKey struct {
	Column     Column
	Descending bool
	NullsFirst bool // of the rows that are null; nulls inside of values are above all others
}

// SortIndices gives the order of rows by some keys as a required uint32 column: the first row of the order first. The order is total and stable
// (null-semantics 2.11); in the mode IEEE of floats, which has no order of NaN, it is that of SQL.
//
// Options: Floats.
func SortIndices(o Options, keys ...SortKey) (Column, error) {
	if len(keys) == 0 {
		return Column{}, types.Errorf(types.CodeInvalidParameter, "sort without keys")
	}
	columns := make([]Column, len(keys))
	for i, k := range keys {
		columns[i] = k.Column
	}
	args, err := loadAll(types.UnionAuto, columns...)
	if err != nil {
		return Column{}, err
	}
	by := make([]kernels.SortKey, len(keys))
	for i, k := range keys {
		by[i] = kernels.SortKey{Vector: args[i].vector, Descending: k.Descending, NullsFirst: k.NullsFirst}
	}
	order := kernels.SortIndices(o.env(), by, args[0].Len())
	return o.export(arrow.Field{Type: arrow.PrimitiveTypes.Uint32}, types.NewFixed(types.UInteger, order, nil), false)
}

// Hash gives a hash of each row as a required uint64 column. Rows that IsDistinct does not tell apart have one hash, whatever their encoding; it stays the same
// within a process only.
//
// Options: Floats.
func Hash(values Column, o Options) (Column, error) {
	v, err := load(values, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	dst := types.Alloc[uint64](nil, v.Len())
	kernels.Hash(o.env(), v.vector, dst)
	return o.export(arrow.Field{Name: values.Field.Name, Type: arrow.PrimitiveTypes.Uint64}, types.NewFixed(types.UBigInt, dst, nil), false)
}
