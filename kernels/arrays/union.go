package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// nullsOfUnions says how the values of a verb that can make nulls are imported: nulls in variants stay there, unless the result is one in which NULL is not a variant's.
func (o Options) nullsOfUnions() types.UnionImport {
	if o.Unions == UnionPromote {
		return types.UnionAuto
	}
	return types.UnionTagged
}

// hostNulls makes the nulls of a vector of unions, which a verb has introduced, nulls of a variant, and gives the Arrow type that the policy makes. Nulls that
// were in variants before stay there. Of runs it is about the values; dictionaries have a place for nulls in their keys.
func (o Options) hostNulls(v *types.Vector, dt arrow.DataType, introduced bool, name string) (*types.Vector, arrow.DataType, error) {
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		return v, dt, nil
	case *arrow.RunEndEncodedType:
		v = kernels.RunEndEncode(nil, v)
		if v.Encoding() != types.RunEnd { // no rows
			_, encoded, err := o.hostNulls(v, d.Encoded(), introduced, name)
			return v, withRuns(d, d.RunEnds(), encoded, d.ValueNullable), err
		}
		values, encoded, err := o.hostNulls(v.RunValues(), d.Encoded(), introduced, name)
		if err != nil {
			return nil, nil, err
		}
		return types.NewRunEnd(v.RunEnds(), values), withRuns(d, d.RunEnds(), encoded, d.ValueNullable), nil
	}
	union, ok := dt.(arrow.UnionType)
	extension := !ok
	if extension {
		union = extensionUnion(dt)
	}
	if !introduced {
		return v, dt, nil
	}
	if o.Unions == UnionPromote {
		return v, types.NullableUnionOf(dt, false), nil
	}
	wanted, err := o.unionType(union)
	if err != nil {
		return nil, nil, err
	}
	if wanted != union {
		if extension {
			return nil, nil, types.KindErrorf(types.ErrExtensionStorage, "extension type %s is over %s and would be over %s", dt, union, wanted).
				WithHint("UnionPromote keeps the extension type")
		}
		dt = wanted
	}
	v = kernels.Decode(nil, v)
	typ, err := types.ImportType(wanted, arrow.Metadata{})
	if err != nil {
		return nil, nil, err
	}
	if wanted.NumFields() == len(v.Type().Fields()) {
		if v.Type().Equal(typ) || sameShape(v.Type(), typ) {
			v = v.WithType(typ)
		} else if v, err = kernels.Cast(&kernels.Env{Rows: v.Len()}, v, typ); err != nil {
			return nil, nil, named(err, name)
		}
	} else if o.Unions == UnionAddNullVariant {
		return v, dt, nil // types.Export puts the nulls into the variant that the vector does not have
	} else if v, err = kernels.Cast(&kernels.Env{Rows: v.Len()}, v, typ); err != nil {
		return nil, nil, named(err, name)
	}
	v, err = o.intoVariants(v, wanted, name)
	return v, dt, err
}

// sameShape reports whether unions have the same variants, whose types may differ in nullability.
func sameShape(a, b types.Type) bool {
	x, y := a.Fields(), b.Fields()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !x[i].Type.Equal(y[i].Type) || a.Codes()[i] != b.Codes()[i] {
			return false
		}
	}
	return true
}

// unionType gives the union type that the policy makes of one.
func (o Options) unionType(union arrow.UnionType) (arrow.UnionType, error) {
	fields := append([]arrow.Field(nil), union.Fields()...)
	codes := append([]arrow.UnionTypeCode(nil), union.TypeCodes()...)
	switch o.Unions {
	case UnionOutputType:
		if o.UnionType == nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "UnionOutputType without Options.UnionType")
		}
		return o.UnionType, nil
	case UnionVariant:
		i := variantOf(union, o.UnionCode)
		if i < 0 {
			return nil, types.KindErrorf(types.ErrNoMember, "%s has no variant %d", union, o.UnionCode)
		}
		if holdsNull(fields[i]) {
			return union, nil
		}
		fields[i] = widened(fields[i])
	case UnionWidenAll:
		changed := false
		for i := range fields {
			changed = changed || !holdsNull(fields[i])
			fields[i] = widened(fields[i])
		}
		if !changed {
			return union, nil
		}
	case UnionAddNullVariant:
		taken := [types.MaxUnionVariants]bool{}
		for i, f := range fields {
			if f.Type.ID() == arrow.NULL {
				return union, nil
			}
			taken[codes[i]] = true
		}
		code := 0
		for code < len(taken) && taken[code] {
			code++
		}
		if code == len(taken) {
			return nil, types.KindErrorf(types.ErrTypeCodeRange, "%s has no code left for a variant of nulls", union)
		}
		fields = append(fields, arrow.Field{Name: "__null", Type: arrow.Null, Nullable: true})
		codes = append(codes, arrow.UnionTypeCode(code))
	default:
		return union, nil
	}
	return unionLike(union, fields, codes), nil
}

// holdsNull gives N of a field: the flag of a run-end-encoded one counts only if its values can be null, too, that of a union not at all.
func holdsNull(f arrow.Field) bool {
	switch d := f.Type.(type) {
	case *arrow.RunEndEncodedType:
		return f.Nullable && holdsNull(arrow.Field{Type: d.Encoded(), Nullable: d.ValueNullable})
	case arrow.UnionType:
		return unionNullable(d)
	case arrow.ExtensionType:
		if d.ExtensionName() != types.NullableUnionName {
			return holdsNull(arrow.Field{Type: d.StorageType(), Nullable: f.Nullable})
		}
	}
	return f.Nullable || f.Type.ID() == arrow.NULL
}

// widened gives a field that holds nulls: a union does when its variants do.
func widened(f arrow.Field) arrow.Field {
	f.Nullable = true
	switch d := f.Type.(type) {
	case *arrow.RunEndEncodedType:
		f.Type = withRuns(d, d.RunEnds(), widened(arrow.Field{Type: d.Encoded()}).Type, true)
	case arrow.UnionType:
		fields := append([]arrow.Field(nil), d.Fields()...)
		for i := range fields {
			fields[i] = widened(fields[i])
		}
		f.Type = unionLike(d, fields, d.TypeCodes())
	}
	return f
}

// unionLike gives a union type of the mode of another one.
func unionLike(union arrow.UnionType, fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.UnionType {
	if union.Mode() == arrow.DenseMode {
		return arrow.DenseUnionOf(fields, codes)
	}
	return arrow.SparseUnionOf(fields, codes)
}

// variantOf gives the position of the variant with a code, or -1.
func variantOf(union arrow.UnionType, code arrow.UnionTypeCode) int {
	if code < 0 || int(code) >= len(union.ChildIDs()) {
		return -1
	}
	return union.ChildIDs()[code]
}

// intoVariants gives a plain vector of unions in which each null row is a null of a variant: rows with one null for each variant are put behind it, and taken
// in their place.
func (o Options) intoVariants(v *types.Vector, union arrow.UnionType, name string) (*types.Vector, error) {
	valid := v.Validity()
	n := v.Len()
	if valid.Count(n) == n {
		return v.WithValidity(nil), nil
	}
	auto := -1
	for i, f := range union.Fields() {
		if f.Type.ID() == arrow.NULL {
			auto = i
			break
		}
		if holdsNull(f) && auto < 0 && o.Unions != UnionNullVariant {
			auto = i
		}
	}
	indices := types.Alloc[uint32](nil, n)
	for i := range indices {
		indices[i] = uint32(i)
		if valid.Has(i) {
			continue
		}
		host := auto
		switch o.Unions {
		case UnionVariant:
			host = variantOf(union, o.UnionCode)
		case UnionInPlace, UnionWidenAll:
			host = variantOf(union, v.TypeCodes()[i])
			if !holdsNull(union.Fields()[host]) {
				host = -1
			}
		case UnionError:
			host = -1
		}
		if host < 0 {
			return nil, types.KindErrorf(types.ErrNoNullHost, "no variant of %s can hold a null", union).WithRow(name, int64(i)).
				WithHint("Options.Unions may be UnionVariant, UnionWidenAll, UnionAddNullVariant, UnionOutputType or UnionPromote.")
		}
		indices[i] = uint32(n + host)
	}
	parts := []*types.Vector{v.WithValidity(nil)}
	for k := range union.Fields() {
		parts = append(parts, nullOfVariant(v.Type(), k))
	}
	return kernels.Take(nil, kernels.Concat(nil, parts), indices, nil), nil
}

// nullOfVariant gives one row of a union whose variant k holds null. Where k is required nobody takes it.
func nullOfVariant(t types.Type, k int) *types.Vector {
	children := make([]*types.Vector, len(t.Fields()))
	for i, f := range t.Fields() {
		null := kernels.Decode(nil, types.NewNull(f.Type, 1))
		if i != k && f.Type.Kind() != types.KindNull {
			null = types.Sanitize(nil, null, types.Field{Name: f.Name, Type: f.Type, Nullable: f.Nullable})
		}
		children[i] = null
	}
	return types.NewUnion(t, []int8{t.Codes()[k]}, nil, children, nil)
}
