package types

// EqualOptions loosens Equal. The zero value is strict.
type EqualOptions struct {
	// IgnoreEncoding lets a vector equal one of another encoding. Dictionaries always compare by what they decode to.
	IgnoreEncoding bool
	// NaNEqual makes NaN equal to NaN.
	NaNEqual bool
	// BitwiseFloats compares floats by their bits: NaN equals a NaN of the same bits, and -0 differs from +0.
	BitwiseFloats bool
}

// Equal reports whether two vectors have equal types, nullability inside included, the same encoding at every level that rows
// reach, and row for row the same values (null-semantics 2.13): hidden values do not count, union rows must be in the same variant also when
// that holds null, but not when the row itself is NULL; NaN equals nothing, -0 equals +0.
func Equal(a, b *Vector) bool { return EqualWith(a, b, EqualOptions{}) }

// EqualWith is Equal with options. It costs a walk per row and serves tests and checks, not queries.
func EqualWith(a, b *Vector, opts EqualOptions) bool {
	if a.length != b.length || !a.typ.Equal(b.typ) || !opts.IgnoreEncoding && !sameEncoding(a, b) {
		return false
	}
	c := comparer{nanEqual: opts.NaNEqual, bitwise: opts.BitwiseFloats}
	for i := range a.length {
		if !c.rows(a, i, b, i) {
			return false
		}
	}
	return true
}

// sameEncoding compares the encodings of two vectors of the same type. The vectors below an all-null constant do not count.
func sameEncoding(a, b *Vector) bool {
	if a.encoding != b.encoding {
		return false
	}
	if a.encoding == Constant && (!a.validity.Has(0) || !b.validity.Has(0)) || len(a.children) != len(b.children) {
		return true // rows are compared anyway
	}
	for i := range a.children {
		if !sameEncoding(a.children[i], b.children[i]) {
			return false
		}
	}
	return true
}

// comparer compares single rows of vectors of the same type.
type comparer struct {
	nanEqual bool
	bitwise  bool // floats by their bits
	variants bool // of union rows that are NULL, the variants below count, too
}

// rows reports whether row i of a equals row j of b.
func (c comparer) rows(a *Vector, i int, b *Vector, j int) bool {
	a, i, aValid := a.Locate(i)
	b, j, bValid := b.Locate(j)
	if !aValid || !bValid {
		return aValid == bValid && !(c.variants && differentVariants(a, i, b, j))
	}
	storage := a.typ.Storage()
	if c.bitwise && a.typ.IsFloat() {
		storage = StorageInt64 // any class of plain bytes
	}
	switch storage {
	case StorageBool:
		return a.Bools().Get(i) == b.Bools().Get(j)
	case StorageFloat16:
		return c.floats(float64(HalfToFloat(ValuesOf[uint16](a)[i])), float64(HalfToFloat(ValuesOf[uint16](b)[j])))
	case StorageFloat32:
		return c.floats(float64(ValuesOf[float32](a)[i]), float64(ValuesOf[float32](b)[j]))
	case StorageFloat64:
		return c.floats(ValuesOf[float64](a)[i], ValuesOf[float64](b)[j])
	case StorageView:
		return EqualViews(&ValuesOf[View](a)[i], &ValuesOf[View](b)[j], a.buffers, b.buffers)
	case StorageList:
		return c.ranges(a.children[0], ValuesOf[ListEntry](a)[i], b.children[0], ValuesOf[ListEntry](b)[j])
	case StorageArray:
		w := int64(a.typ.Width())
		return c.ranges(a.children[0], ListEntry{int64(i) * w, w}, b.children[0], ListEntry{int64(j) * w, w})
	case StorageStruct:
		for k := range a.children {
			if !c.rows(a.children[k], i, b.children[k], j) {
				return false
			}
		}
		return true
	case StorageUnion:
		ak, ai := a.variant(i)
		bk, bj := b.variant(j)
		return ak == bk && c.rows(a.children[ak], ai, b.children[bk], bj)
	case StorageNull:
		return true
	}
	w := a.typ.Storage().Width()
	return string(a.data.Bytes[i*w:(i+1)*w]) == string(b.data.Bytes[j*w:(j+1)*w])
}

// differentVariants reports whether both rows are in a union that keeps variants under its nulls, and in different ones.
func differentVariants(a *Vector, i int, b *Vector, j int) bool {
	if a.typ.kind != KindUnion || a.encoding != Plain || b.encoding != Plain {
		return false
	}
	return a.TypeCodes()[i] != b.TypeCodes()[j]
}

func (c comparer) ranges(a *Vector, ra ListEntry, b *Vector, rb ListEntry) bool {
	if ra.Length != rb.Length {
		return false
	}
	for k := range ra.Length {
		if !c.rows(a, int(ra.Offset+k), b, int(rb.Offset+k)) {
			return false
		}
	}
	return true
}

func (c comparer) floats(x, y float64) bool {
	return x == y || c.nanEqual && x != x && y != y
}

// variant gives the child that row i of a plain UNION vector selects, and the row in it.
func (v *Vector) variant(i int) (child, row int) {
	code := v.TypeCodes()[i]
	for k, c := range v.typ.Codes() {
		if c == code {
			child = k
			break
		}
	}
	if offsets := v.UnionOffsets(); offsets != nil {
		return child, int(offsets[i])
	}
	return child, i
}
