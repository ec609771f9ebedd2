package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// nullableUnion imports the ValidityStruct form: a struct whose bitmap is the outer validity of the union inside.
func (im *importer) nullableUnion(data arrow.ArrayData, storage arrow.DataType, typ Type, from, n int, at *place) (*Vector, error) {
	union, ok := nullableUnionStorage(storage)
	if !ok || len(data.Children()) != 1 {
		return nil, at.invalid(-1, "nullable union stored as %s", storage)
	}
	validity, err := im.validity(data, from, n, at)
	if err != nil {
		return nil, err
	}
	v, err := im.unionRows(data.Children()[0], union, typ, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	if v.encoding == Constant {
		return v, nil
	}
	return v.WithValidity(validity), nil
}

// union imports an Arrow union; its outer validity comes from the variants when the type is lifted (null-semantics 2.14).
func (im *importer) union(data arrow.ArrayData, dt arrow.UnionType, typ Type, from, n int, at *place) (*Vector, error) {
	v, err := im.unionRows(data, dt, typ, from, n, at)
	if err != nil || im.declared || v.encoding == Constant {
		return v, err
	}
	if host := typ.details().host; host > 0 && typ.Tagged() {
		return v.WithValidity(AndBitmaps(im.pool, v.validity, validityIn(im.pool, v, host-1), n)), nil
	}
	if typ.Tagged() {
		return v, nil
	}
	inner := InnerValidity(im.pool, v)
	if inner == nil {
		return v, nil
	}
	return v.WithValidity(AndBitmaps(im.pool, v.validity, inner, n)), nil
}

// unionRows imports codes, offsets and children. When the Arrow type has one variant more than typ, the last one holds the outer
// nulls: its rows become invalid rows of another variant.
func (im *importer) unionRows(data arrow.ArrayData, dt arrow.UnionType, typ Type, from, n int, at *place) (*Vector, error) {
	if b := buffer(data, 0); b != nil && b.Len() > 0 {
		return nil, at.invalid(-1, "union array with a validity bitmap")
	}
	variants := typ.Fields()
	extra := dt.NumFields() - len(variants)
	if len(data.Children()) != dt.NumFields() {
		return nil, at.invalid(-1, "%s with %d children", dt, len(data.Children()))
	}
	if extra < 0 || extra > 1 {
		return nil, im.mismatch(dt, typ, at)
	}
	for i, c := range typ.Codes() {
		if dt.TypeCodes()[i] != c {
			return nil, im.mismatch(dt, typ, at)
		}
	}
	codes, codeBuffer, err := importValues[int8](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	var offsets []int32
	var offsetBuffer Buffer
	dense := dt.Mode() == arrow.DenseMode
	if dense {
		if offsets, offsetBuffer, err = importValues[int32](im, data, 2, data.Offset()+from, n, at); err != nil {
			return nil, err
		}
	}
	uses, err := scanUnion(data, dt, codes, offsets, at)
	if err != nil {
		return nil, err
	}
	if extra == 1 && uses[dt.NumFields()-1].rows > 0 {
		return im.unionWithNullVariant(data, dt, typ, codes, offsets, uses, from, at)
	}
	children, moved, err := im.unionChildren(data, dt, typ, uses, dense, from, n, at)
	if err != nil {
		return nil, err
	}
	v := &Vector{typ: typ, length: n, data: codeBuffer, children: children}
	if dense {
		if moved {
			offsetBuffer = Buffer{Bytes: Bytes(im.movedOffsets(dt, codes, offsets, uses))}
		}
		if offsetBuffer.Bytes == nil {
			offsetBuffer.Bytes = []byte{} // dense, with no rows
		}
		v.offsets = offsetBuffer
	}
	return v, nil
}

// unionUse says which rows of a variant's child the rows of a dense union select: rows of them, from first to last.
type unionUse struct{ rows, first, last int }

// scanUnion checks codes and offsets.
func scanUnion(data arrow.ArrayData, dt arrow.UnionType, codes []int8, offsets []int32, at *place) ([]unionUse, error) {
	var counts [256]int // by the byte of the code, so that no row takes a branch
	for _, c := range codes {
		counts[uint8(c)]++
	}
	uses := make([]unionUse, dt.NumFields())
	known := 0
	for i, c := range dt.TypeCodes() {
		uses[i].rows = counts[uint8(c)]
		known += uses[i].rows
	}
	if known < len(codes) {
		ids := dt.ChildIDs()
		for i, c := range codes {
			if c < 0 || ids[c] < 0 {
				return nil, at.errorf(ErrUnknownTypeCode, i, "type code %d is not one of the union's", c)
			}
		}
	}
	if offsets == nil {
		return uses, nil
	}
	var first, last [MaxUnionVariants]int32
	for c := range first {
		first[c], last[c] = math.MaxInt32, math.MinInt32
	}
	for i, c := range codes {
		c &= MaxUnionVariants - 1
		first[c], last[c] = min(first[c], offsets[i]), max(last[c], offsets[i])
	}
	for k, c := range dt.TypeCodes() {
		if uses[k].rows == 0 {
			continue
		}
		uses[k].first, uses[k].last = int(first[c]), int(last[c])
		size := data.Children()[k].Len()
		if uses[k].first >= 0 && uses[k].last < size {
			continue
		}
		for i, o := range offsets {
			if codes[i] == c && (o < 0 || int(o) >= size) {
				return nil, at.invalid(i, "union offset %d of variant with %d rows", o, size)
			}
		}
	}
	return uses, nil
}

// unionChildren imports the children: of a sparse union the window, of a dense one the rows that are used. It reports whether a
// dense child starts later than Arrow's, so that offsets move.
func (im *importer) unionChildren(data arrow.ArrayData, dt arrow.UnionType, typ Type, uses []unionUse, dense bool, from, n int, at *place) ([]*Vector, bool, error) {
	children := make([]*Vector, len(typ.Fields()))
	moved := false
	for i, f := range typ.Fields() {
		start, rows := data.Offset()+from, n
		if dense {
			start, rows = uses[i].first, uses[i].last-uses[i].first+1
			if uses[i].rows == 0 {
				start, rows = 0, 0
			}
			moved = moved || start > 0
		}
		var err error
		if children[i], err = im.vector(data.Children()[i], f.Type, start, rows, at.below(f.Name)); err != nil {
			return nil, false, err
		}
	}
	return children, moved, nil
}

func (im *importer) movedOffsets(dt arrow.UnionType, codes []int8, offsets []int32, uses []unionUse) []int32 {
	dst := Alloc[int32](im.pool, len(offsets))
	ids := dt.ChildIDs()
	for i, c := range codes {
		dst[i] = offsets[i] - int32(uses[ids[c]].first)
	}
	return dst
}

// unionWithNullVariant imports a union some of whose rows are in the extra variant of outer nulls. Those rows take another variant, at
// a row that exists, and are null by the outer validity.
func (im *importer) unionWithNullVariant(data arrow.ArrayData, dt arrow.UnionType, typ Type, codes []int8, offsets []int32, uses []unionUse, from int, at *place) (*Vector, error) {
	n, last := len(codes), dt.NumFields()-1
	host := -1
	for i := range typ.Fields() {
		if offsets == nil || uses[i].rows > 0 {
			host = i
			break
		}
	}
	if host < 0 {
		return NewNull(typ, n), nil // no row is in another variant, or there is none
	}
	children, _, err := im.unionChildren(data, dt, typ, uses, offsets != nil, from, n, at)
	if err != nil {
		return nil, err
	}
	outer := im.pool.ZeroBitmap(n)
	newCodes := Alloc[int8](im.pool, n)
	nullCode, hostCode := dt.TypeCodes()[last], typ.Codes()[host]
	for i, c := range codes {
		if c == nullCode {
			newCodes[i] = hostCode
			continue
		}
		newCodes[i] = c
		outer.Set(i)
	}
	var newOffsets []int32
	if offsets != nil {
		newOffsets = Alloc[int32](im.pool, n)
		ids := dt.ChildIDs()
		for i, c := range codes {
			newOffsets[i] = 0
			if c != nullCode {
				newOffsets[i] = offsets[i] - int32(uses[ids[c]].first)
			}
		}
	}
	return NewUnion(typ, newCodes, newOffsets, children, outer), nil
}
