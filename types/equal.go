package types

import "math"

// EqualOptions loosens Equal, or makes it stricter. The zero value is strict Equal: the same types, nullability of every field included, and row
// for row the same values (null-semantics 2.13). Options compose: each says what it changes and nothing else. None makes a null equal a value, whatever the
// field says about nulls.
type EqualOptions struct {
	// IgnoreEncoding compares values only: a dictionary, runs or a constant equal plain rows, at every level. Arrow types count as one where they become one
	// SQL type (ImportType): utf8 and utf8_view, list and list_view, sparse and dense unions, decimals of one precision in other widths, an
	// extension and its storage unless it is an SQL type of its own.
	IgnoreEncoding bool
	// IgnoreFieldNullability compares types without the nullability of fields, elements, variants and run-end-encoded values, at every level. Rows are
	// compared as ever.
	IgnoreFieldNullability bool
	// IgnoreUnionNullVariant makes a union row that holds null in one variant equal one that holds null in another. A union row that is NULL itself
	// still differs from both.
	IgnoreUnionNullVariant bool
	// DictIdentity compares dictionaries by keys and entries instead of by what they decode to: rows have the same key, in dictionaries with equal entries in the
	// same order, unused ones included. A null key equals a null key only, and names no entry. It has no effect where one side is no dictionary.
	DictIdentity bool
	// NaNEqual makes NaN equal to NaN.
	NaNEqual bool
	// BitwiseFloats compares floats by their bits: NaN equals a NaN of the same bits, and -0 differs from +0. NaNEqual and Approx have no effect then.
	BitwiseFloats bool
	// Approx makes floats x and y of every width equal when |x-y| <= Approx, computed as float64. Infinities equal themselves only, unless Approx
	// is infinite too, and NaN follows NaNEqual. 0, the default, is exact. Decimals are always exact.
	Approx float64
	// CheckMetadata compares the metadata of Arrow fields, nested ones included, and of schemas; the order of its keys does not matter. Vectors have none.
	CheckMetadata bool
	// Layout compares Arrow data as Identical does. Of the other options it leaves only IgnoreFieldNullability and CheckMetadata an effect. Vectors
	// have none.
	Layout bool
}

// Equal reports whether two vectors have equal types, nullability inside included, the same encoding at every level that rows
// reach, and row for row the same values (null-semantics 2.13): hidden values do not count, union rows must be in the same variant also when
// that holds null, but not when the row itself is NULL; NaN equals nothing, -0 equals +0. EqualArrays is the same for Arrow data.
func Equal(a, b *Vector) bool { return EqualWith(a, b, EqualOptions{}) }

// EqualWith is Equal with options. It costs a walk per row and serves tests and checks, not queries.
func EqualWith(a, b *Vector, opts EqualOptions) bool {
	if a.length != b.length || !a.typ.equal(b.typ, opts.IgnoreFieldNullability) || !opts.IgnoreEncoding && !sameEncoding(a, b) {
		return false
	}
	c := comparer{EqualOptions: opts}
	return c.all(a, b)
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
	EqualOptions
	variants bool // of union rows that are NULL, the variants below count, too
	// dictionaries remembers under DictIdentity which pairs of dictionaries have equal entries; nil before the first.
	dictionaries map[[2]*Vector]bool
}

// all compares vectors of one length row by row.
func (c *comparer) all(a, b *Vector) bool {
	for i := range a.length {
		if !c.rows(a, i, b, i) {
			return false
		}
	}
	return true
}

// rows reports whether row i of a equals row j of b.
func (c *comparer) rows(a *Vector, i int, b *Vector, j int) bool {
	if c.DictIdentity {
		a, i = a.throughRuns(i)
		b, j = b.throughRuns(j)
		if a.encoding == Dictionary && b.encoding == Dictionary {
			return c.keys(a, i, b, j)
		}
	}
	a, i, aValid := a.Locate(i)
	b, j, bValid := b.Locate(j)
	if !aValid || !bValid {
		return aValid == bValid && !(c.variants && differentVariants(a, i, b, j))
	}
	storage := a.typ.Storage()
	if c.BitwiseFloats && a.typ.IsFloat() {
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
		if ak != bk {
			return c.IgnoreUnionNullVariant && holdsNullAt(a.children[ak], ai) && holdsNullAt(b.children[bk], bj)
		}
		return c.rows(a.children[ak], ai, b.children[bk], bj)
	case StorageNull:
		return true
	}
	w := a.typ.Storage().Width()
	return string(a.data.Bytes[i*w:(i+1)*w]) == string(b.data.Bytes[j*w:(j+1)*w])
}

// throughRuns follows runs to the vector and row that hold the value of row i; a dictionary stops it.
func (v *Vector) throughRuns(i int) (*Vector, int) {
	for v.encoding == RunEnd {
		i, v = FindRun(v.RunEnds(), i), v.children[0]
	}
	return v, i
}

// keys compares rows of two dictionary vectors by the identity of what they name.
func (c *comparer) keys(a *Vector, i int, b *Vector, j int) bool {
	if !a.validity.Has(i) || !b.validity.Has(j) {
		return a.validity.Has(i) == b.validity.Has(j)
	}
	if a.Keys()[i] != b.Keys()[j] {
		return false
	}
	pair := [2]*Vector{a.Entries(), b.Entries()}
	equal, known := c.dictionaries[pair]
	if !known {
		if c.dictionaries == nil {
			c.dictionaries = map[[2]*Vector]bool{}
		}
		equal = pair[0].length == pair[1].length && c.all(pair[0], pair[1])
		c.dictionaries[pair] = equal
	}
	return equal
}

// holdsNullAt reports whether row i is null, or a union whose variant holds null, however deep.
func holdsNullAt(v *Vector, i int) bool {
	v, i, valid := v.Locate(i)
	for valid && v.typ.kind == KindUnion {
		k, row := v.variant(i)
		v, i, valid = v.children[k].Locate(row)
	}
	return !valid
}

// differentVariants reports whether both rows are in a union that keeps variants under its nulls, and in different ones.
func differentVariants(a *Vector, i int, b *Vector, j int) bool {
	if a.typ.kind != KindUnion || a.encoding != Plain || b.encoding != Plain {
		return false
	}
	return a.TypeCodes()[i] != b.TypeCodes()[j]
}

func (c *comparer) ranges(a *Vector, ra ListEntry, b *Vector, rb ListEntry) bool {
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

func (c *comparer) floats(x, y float64) bool {
	return x == y || c.NaNEqual && x != x && y != y || math.Abs(x-y) <= c.Approx
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
