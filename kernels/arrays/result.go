package arrays

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// result makes a column of the rows of a vector, in the Arrow type of the field that the values had. introduced says that the verb can make nulls which the
// values do not have; then the type is that of a nullable column, and nulls of unions find a host.
func (o Options) result(f arrow.Field, v *types.Vector, nullable, introduced bool) (Column, error) {
	var err error
	if introduced && o.KeepType && !holdsNull(f) && !holdsUnion(f.Type) {
		if row := firstNull(v); row >= 0 {
			return Column{}, types.KindErrorf(types.ErrNullInRequired, "null in a required column").WithRow(f.Name, int64(row))
		}
		introduced, nullable = false, false
	}
	introduced = introduced && !isNullableUnion(f.Type)
	if holdsUnion(f.Type) || introduced && extensionUnion(f.Type) != nil {
		if v, f.Type, err = o.hostNulls(v, f.Type, introduced, f.Name); err != nil {
			return Column{}, err
		}
	}
	return o.export(f, v, nullable)
}

// export brings a vector to the encoding and widths of a type and makes the array.
func (o Options) export(f arrow.Field, v *types.Vector, nullable bool) (Column, error) {
	f.Nullable = nullable
	switch dt := f.Type.(type) {
	case *arrow.RunEndEncodedType:
		if o.Runs != RunsPlain {
			v = kernels.MergeRuns(nil, kernels.RunEndEncode(nil, v))
		}
		if o.Runs == RunsPlain || o.Runs == RunsAuto && v.Encoding() == types.RunEnd && 2*v.RunValues().Len() > v.Len() {
			f.Type = dt.Encoded()
			return o.export(f, kernels.Decode(nil, v), nullable)
		}
		ends := dt.RunEnds()
		if !o.KeepRunEnds && ends.ID() == arrow.INT16 && v.Len() > math.MaxInt16 {
			ends = arrow.PrimitiveTypes.Int32
		}
		f.Type = withRuns(dt, ends, dt.Encoded(), nullable)
	case *arrow.DictionaryType:
		v = kernels.DictionaryEncode(nil, withoutNullEntries(v))
		if v.Encoding() == types.Dictionary && o.WidenKeys {
			f.Type = withKeys(dt, v.Entries().Len())
		}
	case arrow.UnionType:
		f.Nullable = unionNullable(dt)
	}
	v = encodedBelow(v, f.Type)
	column := types.Field{Name: f.Name, Type: v.Type(), Nullable: f.Nullable}
	v = types.Sanitize(nil, v, column)
	a, err := types.Export(v, f.Type, types.ExportOptions{Unions: types.UnionKeep, AllowLossy: true})
	if err != nil {
		return Column{}, named(err, f.Name)
	}
	return Column{Field: f, Array: a}, nil
}

// encodedBelow makes dictionaries, with each value once, of what is below a vector and is to be one in an Arrow type: types.Export would give every row an entry.
func encodedBelow(v *types.Vector, dt arrow.DataType) *types.Vector {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	var below []arrow.DataType
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		if v.Encoding() != types.Dictionary {
			return v
		}
		below = []arrow.DataType{d.ValueType}
	case *arrow.RunEndEncodedType:
		if v.Encoding() != types.RunEnd {
			return v
		}
		below = []arrow.DataType{d.Encoded()}
	case arrow.NestedType:
		for _, f := range d.Fields() {
			below = append(below, f.Type)
		}
	}
	children, changed := slices.Clone(v.Children()), false
	if len(children) != len(below) || v.Encoding() == types.Constant {
		return v
	}
	for i, c := range children {
		if below[i].ID() == arrow.DICTIONARY && c.Encoding() == types.Plain && c.Type().Kind() != types.KindEnum {
			c = kernels.DictionaryEncode(nil, nullsInVariants(c))
		}
		children[i] = encodedBelow(c, below[i])
		changed = changed || children[i] != v.Children()[i]
	}
	if !changed {
		return v
	}
	return v.WithChildren(v.Type(), children)
}

// nullsInVariants gives a plain vector of unions whose null rows all hold null in their variants without a validity of its own: a null becomes a dictionary entry then
// and stays in its variant. Others are returned as they are.
func nullsInVariants(v *types.Vector) *types.Vector {
	if v.Type().Kind() != types.KindUnion || v.Validity() == nil {
		return v
	}
	for i, code := range v.TypeCodes()[:v.Len()] {
		at := i
		if offsets := v.UnionOffsets(); offsets != nil {
			at = int(offsets[i])
		}
		if _, _, ok := v.Children()[variantIndex(v.Type(), code)].Locate(at); ok && !v.Validity().Get(i) {
			return v
		}
	}
	return v.WithValidity(nil)
}

// withoutNullEntries decodes a constant that is null, whose dictionary would have a null entry.
func withoutNullEntries(v *types.Vector) *types.Vector {
	if v.Encoding() == types.Constant && v.Len() > 0 && types.NullCount(nil, v) > 0 {
		return kernels.Decode(nil, v)
	}
	return v
}

// firstNull gives the first row that is null, or -1.
func firstNull(v *types.Vector) int {
	valid := types.LogicalValidity(nil, v)
	if valid == nil {
		return -1
	}
	for i := range v.Len() {
		if !valid.Get(i) {
			return i
		}
	}
	return -1
}

func withRuns(dt *arrow.RunEndEncodedType, ends, values arrow.DataType, nullable bool) arrow.DataType {
	if arrow.TypeEqual(dt.RunEnds(), ends) && dt.Encoded() == values && dt.ValueNullable == nullable {
		return dt
	}
	out := arrow.RunEndEncodedOf(ends, values)
	out.ValueNullable = nullable
	return out
}

// withKeys gives the dictionary type with keys wide enough for so many entries: its own, or the next wider ones of their kind.
func withKeys(dt *arrow.DictionaryType, entries int) arrow.DataType {
	signed := []struct {
		dt    arrow.DataType
		limit int64
	}{{arrow.PrimitiveTypes.Int8, math.MaxInt8}, {arrow.PrimitiveTypes.Int16, math.MaxInt16}, {arrow.PrimitiveTypes.Int32, math.MaxInt32}, {arrow.PrimitiveTypes.Int64, math.MaxInt64},
		{arrow.PrimitiveTypes.Uint8, math.MaxUint8}, {arrow.PrimitiveTypes.Uint16, math.MaxUint16}, {arrow.PrimitiveTypes.Uint32, math.MaxUint32}, {arrow.PrimitiveTypes.Uint64, math.MaxInt64}}
	found := false
	for _, k := range signed {
		found = found || k.dt.ID() == dt.IndexType.ID()
		if found && int64(entries)-1 <= k.limit {
			if k.dt.ID() == dt.IndexType.ID() {
				return dt
			}
			return &arrow.DictionaryType{IndexType: k.dt, ValueType: dt.ValueType, Ordered: dt.Ordered}
		}
	}
	return dt
}

// unionNullable gives N of an Arrow union.
func unionNullable(dt arrow.UnionType) bool {
	for _, f := range dt.Fields() {
		if holdsNull(f) {
			return true
		}
	}
	return false
}

// isNullableUnion reports whether a type is that of types.NullableUnionOf, in which NULL is not a variant's.
func isNullableUnion(dt arrow.DataType) bool {
	ext, ok := dt.(arrow.ExtensionType)
	return ok && ext.ExtensionName() == types.NullableUnionName
}

// extensionUnion gives the union below another extension type, nil for none.
func extensionUnion(dt arrow.DataType) arrow.UnionType {
	if ext, ok := dt.(arrow.ExtensionType); ok && !isNullableUnion(dt) {
		union, _ := ext.StorageType().(arrow.UnionType)
		return union
	}
	return nil
}
