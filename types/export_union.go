package types

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// union exports a plain UNION vector (null-semantics 2.14). The Arrow type says how: with one variant more, the last one takes the outer
// nulls (NullVariant); with the same variants an outer null becomes a null of a variant (Keep).
func (ex *exporter) union(v *Vector, dt arrow.UnionType, metadata arrow.Metadata, rows visible, at *place) (*array.Data, error) {
	extra := dt.NumFields() - len(v.typ.Fields())
	if extra < 0 || extra > 1 {
		return nil, ex.mismatch(v, dt, at)
	}
	for i, c := range v.typ.Codes() {
		if dt.TypeCodes()[i] != c {
			return nil, ex.mismatch(v, dt, at)
		}
	}
	if name := v.typ.Extension().Name; name != "" && (extra > 0 || widens(v.typ, dt)) {
		return nil, at.errorf(ErrExtensionStorage, -1, "%s, the storage of extension %s, would become %s", v.typ, QuoteIdent(name), dt).
			WithHint("export with the policy ValidityStruct")
	}
	outer := rowsWithout(ex.pool, v.validity, v.length)
	var target *unionRows
	var err error
	if extra == 1 {
		target = ex.nullVariantRows(v, dt.TypeCodes()[extra+len(v.typ.Fields())-1], outer)
	} else if target, err = ex.keepRows(v, dt, metadata, outer, rows, at); err != nil {
		return nil, err
	}
	return ex.unionData(v, dt, target, rows, at)
}

// widens reports whether a variant is nullable in the Arrow type that is required in the union.
func widens(t Type, dt arrow.UnionType) bool {
	for i, f := range t.Fields() {
		if !f.Nullable && holdsNull(dt.Fields()[i]) && f.Type.kind != KindNull {
			return true
		}
	}
	return false
}

// rowsWithout gives the rows that are not in a bitmap; nil when there are none.
func rowsWithout(pool *Pool, valid Bitmap, n int) Bitmap {
	if valid == nil || valid.Count(n) == n {
		return nil
	}
	return AndNotBitmaps(pool, nil, valid, n)
}

// unionRows is a union in the form in which it goes out: in each row the null is where Arrow will look for it.
type unionRows struct {
	codes    Buffer
	offsets  Buffer // of a dense union
	children []*Vector
	dense    bool
	// nulls counts the rows of the variant of type null that NullVariant adds; -1 without one.
	nulls int
}

func rowsOf(v *Vector) *unionRows {
	return &unionRows{codes: v.data, offsets: v.offsets, children: slices.Clone(v.children), dense: v.offsets.Bytes != nil, nulls: -1}
}

// nullVariantRows moves the outer nulls to the variant with the given code.
func (ex *exporter) nullVariantRows(v *Vector, code int8, outer Bitmap) *unionRows {
	out := rowsOf(v)
	out.nulls = 0
	if outer == nil {
		return out
	}
	codes := append(Alloc[int8](ex.pool, v.length)[:0], v.TypeCodes()[:v.length]...)
	var offsets []int32
	if out.dense {
		offsets = append(Alloc[int32](ex.pool, v.length)[:0], v.UnionOffsets()[:v.length]...)
	}
	for i := outer.NextSet(0, v.length); i < v.length; i = outer.NextSet(i+1, v.length) {
		codes[i] = code
		if out.dense {
			offsets[i] = int32(out.nulls)
		}
		out.nulls++
	}
	out.codes = Buffer{Bytes: Bytes(codes)}
	if out.dense {
		out.offsets = Buffer{Bytes: Bytes(offsets)}
	}
	return out
}

// keepRows makes each outer null a null of a variant that the policy says: its own or a host. It is free when every such row holds a null there
// already, as after a lifting import.
func (ex *exporter) keepRows(v *Vector, dt arrow.UnionType, metadata arrow.Metadata, outer, rows visible, at *place) (*unionRows, error) {
	policy := ex.options.policy(v.typ)
	if policy == UnionForbid {
		if shown := AndBitmaps(ex.pool, outer, rows, v.length); outer != nil && shown.NextSet(0, v.length) < v.length {
			return nil, noHost(v, shown.NextSet(0, v.length), policy, at)
		}
		return rowsOf(v), nil
	}
	inner := InnerValidity(ex.pool, v)
	if err := ex.checkLoss(v, metadata, policy, inner, rows, at); err != nil {
		return nil, err
	}
	if outer == nil {
		return rowsOf(v), nil
	}
	codes := append(Alloc[int8](ex.pool, v.length)[:0], v.TypeCodes()[:v.length]...)
	nulls := append(ex.pool.Bitmap(v.length)[:0], outer[:BitmapWords(v.length)]...) // the rows that become a null of their code
	fields, ids := dt.Fields(), dt.ChildIDs()
	moved := false
	for i := outer.NextSet(0, v.length); i < v.length; i = outer.NextSet(i+1, v.length) {
		host := ex.hostOf(policy, dt, codes[i], fields[ids[codes[i]]])
		switch {
		case host >= 0:
			moved = moved || codes[i] != host
			codes[i] = host
		case !rows.Has(i):
			nulls.Clear(i) // nobody sees what stands there
		default:
			return nil, noHost(v, i, policy, at)
		}
	}
	if !moved && inner != nil && AndBitmaps(ex.pool, nulls, inner, v.length).NextSet(0, v.length) == v.length {
		return rowsOf(v), nil
	}
	outer = nulls
	out := &unionRows{codes: Buffer{Bytes: Bytes(codes)}, dense: v.offsets.Bytes != nil, nulls: -1}
	if !out.dense {
		out.children = make([]*Vector, len(v.children))
		for k, child := range v.children {
			out.children[k] = ex.nullIn(child, codes, v.typ.Codes()[k], outer)
		}
		return out, nil
	}
	// Rows of a dense union may share a child's row with rows that are not null, so every child is laid out anew.
	out.children, out.offsets = ex.packed(v, codes, outer)
	return out, nil
}

// checkLoss gives an error when a row that is seen holds a null inside its variant which could not be told from NULL any more.
func (ex *exporter) checkLoss(v *Vector, metadata arrow.Metadata, policy UnionPolicy, inner Bitmap, rows visible, at *place) error {
	if text, _ := metadata.GetValue(metaNullUnion); text == "tagged" || ex.options.AllowLossy || !v.typ.Tagged() || inner == nil {
		return nil
	}
	lost := AndNotBitmaps(ex.pool, AndBitmaps(ex.pool, rows, v.validity, v.length), inner, v.length)
	for i := lost.NextSet(0, v.length); i < v.length; i = lost.NextSet(i+1, v.length) {
		if policy != UnionVariant || v.TypeCodes()[i] == ex.options.UnionCode {
			return at.errorf(ErrLossyExport, i, "NULL and a variant that holds null would become the same").
				WithHint("export with the policy NullVariant or ValidityStruct, or allow the loss")
		}
	}
	return nil
}

// hostOf gives the variant that takes the null of a row that is in a variant now, or -1.
func (ex *exporter) hostOf(policy UnionPolicy, dt arrow.UnionType, code int8, own arrow.Field) int8 {
	holds := holdsNull(own)
	switch {
	case policy == UnionVariant:
		if code = ex.options.UnionCode; code < 0 || dt.ChildIDs()[code] < 0 {
			return -1
		}
		return code
	case holds:
		return code
	case policy == UnionInPlace:
		return -1
	}
	return nullHost(dt)
}

// holdsNull gives N of a field (null-semantics 2.3): the flag of a run-end-encoded one counts only if its values can be null, too, that of a union not at all.
func holdsNull(f arrow.Field) bool {
	switch d := f.Type.(type) {
	case *arrow.NullType:
		return true
	case *arrow.RunEndEncodedType:
		if resolvesToUnion(d.Encoded()) {
			return holdsNull(arrow.Field{Type: d.Encoded(), Nullable: d.ValueNullable})
		}
		return f.Nullable && holdsNull(arrow.Field{Type: d.Encoded(), Nullable: d.ValueNullable})
	case *arrow.DictionaryType:
		return f.Nullable || resolvesToUnion(d.ValueType) && holdsNull(arrow.Field{Type: d.ValueType})
	case arrow.UnionType:
		return slices.ContainsFunc(d.Fields(), holdsNull)
	case arrow.ExtensionType:
		if d.ExtensionName() != NullableUnionName {
			return holdsNull(arrow.Field{Type: d.StorageType(), Nullable: f.Nullable})
		}
	}
	return f.Nullable
}

// resolvesToUnion reports types whose nulls are those of an Arrow union's variants: such unions, encodings of them and extensions over them.
func resolvesToUnion(dt arrow.DataType) bool {
	dt = valueType(dt)
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return ext.ExtensionName() != NullableUnionName && resolvesToUnion(ext.StorageType())
	}
	_, ok := dt.(arrow.UnionType)
	return ok
}

// noHost is the error of a NULL that no variant takes. A union of all 128 variants has no room for one that would.
func noHost(v *Vector, row int, policy UnionPolicy, at *place) error {
	if policy == UnionNullVariant && len(v.typ.Fields()) == MaxUnionVariants {
		return at.errorf(ErrTypeCodeRange, row, "a union of %d variants has no type code left for the null", MaxUnionVariants).
			WithHint("export with the policy ValidityStruct")
	}
	return at.errorf(ErrNoNullHost, row, "no variant of %s can hold the null", v.typ).
		WithHint("export with the policy NullVariant or ValidityStruct")
}

// nullHost gives the code of the variant for nulls that cannot stay in their own, or -1.
func nullHost(dt arrow.UnionType) int8 {
	host := int8(-1)
	for i, f := range dt.Fields() {
		if f.Type.ID() == arrow.NULL {
			return dt.TypeCodes()[i]
		}
		if host < 0 && holdsNull(f) {
			host = dt.TypeCodes()[i]
		}
	}
	return host
}

// nullIn makes the rows of a sparse child null in which the union is null and in this variant.
func (ex *exporter) nullIn(child *Vector, codes []int8, code int8, outer Bitmap) *Vector {
	mask := ex.pool.ZeroBitmap(child.length)
	any := false
	for i := outer.NextSet(0, len(codes)); i < len(codes); i = outer.NextSet(i+1, len(codes)) {
		if codes[i] == code {
			mask.Set(i)
			any = true
		}
	}
	if !any || child.typ.kind == KindNull {
		return child
	}
	child = Flatten(ex.pool, child)
	return child.WithValidity(AndNotBitmaps(ex.pool, child.validity, mask, child.length))
}

// packed lays out the children of a dense union anew: each has the rows that the union selects, in the union's order, and nulls for its
// outer nulls.
func (ex *exporter) packed(v *Vector, codes []int8, outer Bitmap) ([]*Vector, Buffer) {
	var rows [MaxUnionVariants][]int64
	source, old := v.TypeCodes(), v.UnionOffsets()
	offsets := Alloc[int32](ex.pool, v.length)
	for i, c := range codes {
		at := int64(-1)
		if outer == nil || !outer.Get(i) {
			c = source[i]
			at = int64(old[i])
		}
		offsets[i] = int32(len(rows[c]))
		rows[c] = append(rows[c], at)
	}
	children := make([]*Vector, len(v.children))
	for k, child := range v.children {
		children[k] = gather(ex.pool, child, rows[v.typ.Codes()[k]])
	}
	return children, Buffer{Bytes: Bytes(offsets)}
}

// unionData builds the array, sparse or dense as the Arrow type says.
func (ex *exporter) unionData(v *Vector, dt arrow.UnionType, u *unionRows, rows visible, at *place) (*array.Data, error) {
	if dense := dt.Mode() == arrow.DenseMode; dense != u.dense {
		ex.changeMode(v, u)
	}
	children := make([]arrow.ArrayData, 0, dt.NumFields())
	codes := Values[int8](u.codes.Bytes)
	if u.dense && u.decreases(v.length) {
		ex.inOrder(v, u)
	}
	for k, child := range u.children {
		below := visible(nil)
		if hasUnion(child.typ) {
			below = selectedRows(ex.pool, v.typ.Codes()[k], codes, u, rows, child.length)
		}
		data, err := ex.field(child, dt.Fields()[k], below, at.below(v.typ.Fields()[k].Name))
		if err != nil {
			releaseData(children)
			return nil, err
		}
		children = append(children, data)
	}
	if u.nulls >= 0 {
		n := u.nulls
		if !u.dense {
			n = v.length
		}
		children = append(children, array.NewData(arrow.Null, n, []*memory.Buffer{nil}, nil, n, 0))
	}
	buffers := []*memory.Buffer{nil, wrap(u.codes)}
	if u.dense {
		buffers = append(buffers, wrap(u.offsets))
	}
	d := array.NewData(dt, v.length, buffers, children, 0, 0)
	memory.ReleaseBuffers(buffers)
	releaseData(children)
	return d, nil
}

// decreases reports whether the offsets of a variant decrease somewhere, which other readers refuse.
func (u *unionRows) decreases(n int) bool {
	var last [MaxUnionVariants]int32
	offsets := Values[int32](u.offsets.Bytes)
	for i, c := range Values[int8](u.codes.Bytes)[:n] {
		if offsets[i] < last[c] {
			return true
		}
		last[c] = offsets[i]
	}
	return false
}

// inOrder lays out the children of a dense union anew, in the order of the union's rows.
func (ex *exporter) inOrder(v *Vector, u *unionRows) {
	var rows [MaxUnionVariants][]int64
	old, offsets := Values[int32](u.offsets.Bytes), Alloc[int32](ex.pool, v.length)
	for i, c := range Values[int8](u.codes.Bytes)[:v.length] {
		offsets[i] = int32(len(rows[c]))
		rows[c] = append(rows[c], int64(old[i]))
	}
	for k, child := range u.children {
		u.children[k] = gather(ex.pool, child, rows[v.typ.Codes()[k]])
	}
	u.offsets = Buffer{Bytes: Bytes(offsets)}
}

// selectedRows gives the rows of a variant's child that visible rows of the union select.
func selectedRows(pool *Pool, code int8, codes []int8, u *unionRows, rows visible, n int) visible {
	out := pool.ZeroBitmap(n)
	offsets := Values[int32](u.offsets.Bytes)
	for i, c := range codes {
		if c == code && rows.Has(i) {
			if u.dense {
				out.Set(int(offsets[i]))
			} else {
				out.Set(i)
			}
		}
	}
	return out
}

// changeMode turns a sparse union into a dense one or the other way round. Rows that a sparse child does not have are null where the
// variant is nullable, else some value.
func (ex *exporter) changeMode(v *Vector, u *unionRows) {
	n, codes := v.length, Values[int8](u.codes.Bytes)
	old := Values[int32](u.offsets.Bytes)
	u.dense = !u.dense
	if u.dense {
		offsets := Alloc[int32](ex.pool, n)
		var next [MaxUnionVariants]int32
		for i := range n {
			offsets[i] = next[codes[i]]
			next[codes[i]]++
		}
		u.offsets = Buffer{Bytes: Bytes(offsets)}
	}
	children := make([]*Vector, len(u.children))
	for k := range children {
		code := v.typ.Codes()[k]
		var rows []int64
		for i := range n {
			switch {
			case codes[i] != code && u.dense:
			case codes[i] != code:
				rows = append(rows, -1)
			case u.dense:
				rows = append(rows, int64(i))
			default:
				rows = append(rows, int64(old[i]))
			}
		}
		children[k] = gatherChildren(ex.pool, v.typ.Fields()[k:k+1], u.children[k:k+1], rows)[0]
	}
	u.children = children
}
