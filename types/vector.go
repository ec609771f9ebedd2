package types

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels/asm"
)

// Encoding says how a vector's rows relate to its values.
type Encoding uint8

const (
	// Plain vectors hold a value for each row.
	Plain Encoding = iota
	// Constant vectors hold one value, in the buffers of a plain vector of one row, repeated for each row.
	Constant
	// Dictionary vectors hold a uint32 key for each row, which is a row of the entries. Every key, also under a null, is inside
	// the entries; entries may hold nulls and duplicates.
	Dictionary
	// RunEnd vectors hold runs: int32 run ends, strictly increasing, the last one the vector's length, and a value for each run.
	RunEnd
)

// String gives the encoding's name in SQL's encoding().
func (e Encoding) String() string {
	return [...]string{"plain", "constant", "dictionary", "run_end"}[e]
}

// Buffer is memory that a vector reads. Owner, when set, is the Arrow buffer that Bytes lies in: whoever passes the bytes
// on in an Arrow array must Retain it, and a table or query that keeps the vector keeps it retained. Memory without an owner
// is the pool's or the garbage collector's.
type Buffer struct {
	Bytes []byte
	Owner *memory.Buffer
}

// Vector is a column of one batch, or a part of one: the values of a Type in an Encoding. It is a tree whose leaves are buffers
// and is never changed once made, except by whoever is still filling it.
//
// Row i of a vector is always at index i of its buffers, bit i of its bitmaps: there is no offset to forget. Slice
// cuts the buffers; bitmaps are realigned and run ends rebased, which costs a copy of a 64th of the data or less.
//
// A vector borrows its memory: from a pool (valid until the pool's Release), from the garbage collector, or from a caller's
// Arrow array (valid as long as that array is retained).
type Vector struct {
	typ      Type
	encoding Encoding
	length   int
	// validity is the physical validity: bit set = not null; nil = no nulls. Plain and Constant: of the values, for a union its
	// outer validity. Dictionary: of the keys. RunEnd: always nil.
	validity Bitmap
	data     Buffer    // values; Dictionary: keys; RunEnd: run ends; union: type codes
	offsets  Buffer    // dense union: int32 rows of the selected child
	buffers  []Buffer  // View: data buffers
	children []*Vector // LIST, ARRAY, MAP, STRUCT, UNION: children; Dictionary: entries; RunEnd: values
	// source is the Arrow array whose rows from sourceRow on are this vector's, and that Export may hand out again; nil otherwise.
	source    arrow.ArrayData
	sourceRow int
}

// Type gives the SQL type.
func (v *Vector) Type() Type { return v.typ }

// Encoding gives the encoding.
func (v *Vector) Encoding() Encoding { return v.encoding }

// Len gives the number of rows.
func (v *Vector) Len() int { return v.length }

// Validity gives the physical validity; nil when no row is null. A Constant's has one row. Use LogicalValidity for the SQL notion.
func (v *Vector) Validity() Bitmap { return v.validity }

// Bools gives the values of a Plain or Constant BOOLEAN vector as bits; bits of null rows are arbitrary.
func (v *Vector) Bools() Bitmap { return Bitmap(Values[uint64](v.data.Bytes)) }

// Data gives the buffer of values, keys, run ends or type codes.
func (v *Vector) Data() Buffer { return v.data }

// DataBuffers gives the buffers that the views of a string or byte vector point into.
func (v *Vector) DataBuffers() []Buffer { return v.buffers }

// Children gives the vectors below a nested Plain or Constant vector.
func (v *Vector) Children() []*Vector { return v.children }

// Keys gives the keys of a Dictionary vector.
func (v *Vector) Keys() []uint32 { return Values[uint32](v.data.Bytes)[:v.length] }

// Entries gives the entries of a Dictionary vector.
func (v *Vector) Entries() *Vector { return v.children[0] }

// RunEnds gives the run ends of a RunEnd vector.
func (v *Vector) RunEnds() []int32 { return Values[int32](v.data.Bytes) }

// RunValues gives the values of a RunEnd vector, one per run.
func (v *Vector) RunValues() *Vector { return v.children[0] }

// TypeCodes gives the type codes of a Plain or Constant union vector.
func (v *Vector) TypeCodes() []int8 { return Values[int8](v.data.Bytes) }

// UnionOffsets gives the rows of the children of a dense union vector; nil for a sparse one, whose children are as long as the
// union itself.
func (v *Vector) UnionOffsets() []int32 {
	if v.offsets.Bytes == nil {
		return nil
	}
	return Values[int32](v.offsets.Bytes)
}

// ValuesOf gives the values of a Plain or Constant (one value) fixed-width vector; the values of null rows are arbitrary. T must
// be the Go type of the vector's Storage.
func ValuesOf[T Fixed](v *Vector) []T { return Values[T](v.data.Bytes) }

// NewFixed makes a plain vector of a fixed-width type from its values and validity (nil = no nulls). Both are kept.
func NewFixed[T Fixed](typ Type, values []T, validity Bitmap) *Vector {
	return &Vector{typ: typ, length: len(values), data: Buffer{Bytes: Bytes(values)}, validity: validity}
}

// NewBool makes a plain BOOLEAN vector of n rows from bits and validity (nil = no nulls). Both are kept.
func NewBool(bits Bitmap, n int, validity Bitmap) *Vector {
	return &Vector{typ: Boolean, length: n, data: Buffer{Bytes: Bytes(bits)}, validity: validity}
}

// NewViews makes a plain vector of a string or byte type from views into data buffers. All are kept.
func NewViews(typ Type, views []View, buffers []Buffer, validity Bitmap) *Vector {
	return &Vector{typ: typ, length: len(views), data: Buffer{Bytes: Bytes(views)}, buffers: buffers, validity: validity}
}

// NewList makes a plain LIST or MAP vector: row i is the rows entries[i] of the child. A MAP's child is a struct of key and value.
func NewList(typ Type, entries []ListEntry, child *Vector, validity Bitmap) *Vector {
	return &Vector{typ: typ, length: len(entries), data: Buffer{Bytes: Bytes(entries)}, children: []*Vector{child}, validity: validity}
}

// NewArray makes a plain ARRAY vector of n rows: row i is the rows i*width to (i+1)*width of the child.
func NewArray(typ Type, n int, child *Vector, validity Bitmap) *Vector {
	return &Vector{typ: typ, length: n, children: []*Vector{child}, validity: validity}
}

// NewStruct makes a plain STRUCT vector of n rows from one child per field, each n rows long.
func NewStruct(typ Type, n int, children []*Vector, validity Bitmap) *Vector {
	return &Vector{typ: typ, length: n, children: children, validity: validity}
}

// NewUnion makes a plain UNION vector from type codes, one child per variant, for a dense union the row of the child (nil for a
// sparse one) and the outer validity (nil = no outer nulls).
func NewUnion(typ Type, codes []int8, offsets []int32, children []*Vector, outer Bitmap) *Vector {
	v := &Vector{typ: typ, length: len(codes), data: Buffer{Bytes: Bytes(codes)}, children: children, validity: outer}
	if offsets != nil {
		v.offsets = Buffer{Bytes: Bytes(offsets)}
		if len(offsets) == 0 {
			v.offsets.Bytes = []byte{} // dense, with no rows
		}
	}
	return v
}

// NewDictionary makes a Dictionary vector. Every key must be a row of entries, under nulls too; the type is that of the entries.
func NewDictionary(keys []uint32, entries *Vector, validity Bitmap) *Vector {
	return &Vector{
		typ: entries.typ, encoding: Dictionary, length: len(keys), data: Buffer{Bytes: Bytes(keys)},
		children: []*Vector{entries}, validity: validity,
	}
}

// NewRunEnd makes a RunEnd vector of the last run end's length. The type is that of the values.
func NewRunEnd(runEnds []int32, values *Vector) *Vector {
	n := 0
	if len(runEnds) > 0 {
		n = int(runEnds[len(runEnds)-1])
	}
	return &Vector{typ: values.typ, encoding: RunEnd, length: n, data: Buffer{Bytes: Bytes(runEnds)}, children: []*Vector{values}}
}

// NewConstant makes a vector that repeats row 0 of a plain or constant vector n times. n may be 0; value must have a row.
func NewConstant(value *Vector, n int) *Vector {
	if value.encoding > Constant || value.length < 1 {
		panic("types: a constant needs a plain value of one row")
	}
	c := *value
	if value.encoding == Plain {
		c = *value.Slice(nil, 0, 1) // so that First is a plain vector of one row, no longer buffers
	}
	c.encoding, c.length, c.source = Constant, n, nil
	return &c
}

// NewNull makes a vector of n rows that are all null, in the Constant encoding.
func NewNull(typ Type, n int) *Vector {
	v := &Vector{typ: typ, encoding: Constant, length: n, validity: Bitmap{0}}
	switch typ.Storage() {
	case StorageBool:
		v.data.Bytes = zeroValue[:8]
	case StorageArray:
		v.children = []*Vector{placeholder(typ.Elem(), typ.Width())}
	case StorageList:
		v.data.Bytes = zeroValue[:16]
		v.children = []*Vector{placeholder(listChildField(typ), 0)}
	case StorageStruct:
		for _, f := range structFields(typ) {
			v.children = append(v.children, placeholder(f, 1))
		}
	case StorageUnion:
		codes := make([]int8, 1)
		if len(typ.Codes()) > 0 {
			codes[0] = typ.Codes()[0]
		}
		v.data.Bytes = Bytes(codes)
		for _, f := range typ.Fields() {
			v.children = append(v.children, placeholder(f, 1))
		}
	default:
		v.data.Bytes = zeroValue[:typ.Storage().Width()]
	}
	return v
}

// zeroValue backs the value under a constant null; never written.
var zeroValue = alignedBytes(poolAlign)

// placeholder gives n rows for a hidden place: null where the field allows it, else the zero value (null-semantics 2.0).
func placeholder(f Field, n int) *Vector {
	v := NewNull(f.Type, n)
	if !f.Nullable && f.Type.kind != KindNull {
		v.validity = nil
	}
	return v
}

// listChildField gives the field of the rows below a LIST or MAP.
func listChildField(typ Type) Field {
	if typ.kind == KindMap {
		return Field{Name: "entries", Type: StructOf(typ.Fields()...)}
	}
	return typ.Elem()
}

// structFields gives the fields of the children of a vector of struct storage.
func structFields(typ Type) []Field {
	if typ.kind == KindTimestampOffset {
		return []Field{{Name: "timestamp", Type: TimestampTZOf(typ.unit, "UTC")}, {Name: "offset_minutes", Type: SmallInt}}
	}
	return typ.Fields()
}

// WithValidity gives the same vector under another physical validity; the values are shared. Not for RunEnd vectors.
func (v *Vector) WithValidity(validity Bitmap) *Vector {
	if v.encoding == RunEnd {
		panic("types: a run-end vector has no validity of its own")
	}
	c := *v
	c.validity, c.source = validity, nil
	return &c
}

// WithType gives the same rows as another type of the same storage, such as an ENUM's keys as UINTEGER.
func (v *Vector) WithType(typ Type) *Vector {
	if typ.Storage() != v.typ.Storage() {
		panic(fmt.Sprintf("types: %s and %s have different storage", v.typ, typ))
	}
	c := *v
	c.typ, c.source = typ, nil
	if v.encoding == Dictionary || v.encoding == RunEnd {
		c.children = []*Vector{v.children[0].WithType(typ)}
	}
	return &c
}

// WithChildren gives the same rows over other vectors below, be they children, dictionary entries or run values: as many and as long as before. typ is the type
// that they make of the vector, of the same storage.
func (v *Vector) WithChildren(typ Type, children []*Vector) *Vector {
	c := *v
	c.typ, c.children, c.source = typ, children, nil
	return &c
}

// First gives the one value of a Constant vector as a plain vector of one row.
func (v *Vector) First() *Vector {
	c := *v
	c.encoding, c.length = Plain, 1
	return &c
}

// eachBuffer calls f with every buffer of the tree.
func (v *Vector) eachBuffer(f func([]byte)) {
	f(Bytes(v.validity))
	f(v.data.Bytes)
	f(v.offsets.Bytes)
	for _, b := range v.buffers {
		f(b.Bytes)
	}
	for _, c := range v.children {
		c.eachBuffer(f)
	}
}

// MemorySize gives the bytes that the tree's buffers span. Buffers that two vectors share count for each.
func (v *Vector) MemorySize() int {
	n := 0
	v.eachBuffer(func(b []byte) { n += len(b) })
	return n
}

// Slice gives rows from to to (half open) without copying values: bitmaps whose start is not a multiple of 64 are realigned and
// run ends rebased, in memory of the pool. It panics when the range is outside the vector.
func (v *Vector) Slice(pool *Pool, from, to int) *Vector {
	if from < 0 || to < from || to > v.length {
		panic(fmt.Sprintf("types: slice %d:%d of a vector of %d rows", from, to, v.length))
	}
	if from == 0 && to == v.length {
		return v
	}
	c := *v
	c.length, c.sourceRow = to-from, v.sourceRow+from
	switch v.encoding {
	case Constant:
		return &c
	case Dictionary:
		c.data.Bytes = v.data.Bytes[from*4 : to*4]
		c.validity = sliceBitmap(pool, v.validity, from, to)
		return &c
	case RunEnd:
		return v.sliceRuns(pool, from, to)
	}
	c.validity = sliceBitmap(pool, v.validity, from, to)
	switch s := v.typ.Storage(); s {
	case StorageNull:
	case StorageBool:
		c.data.Bytes = Bytes(sliceBitmap(pool, v.Bools(), from, to))
	case StorageArray:
		w := v.typ.Width()
		c.children = []*Vector{v.children[0].Slice(pool, from*w, to*w)}
	case StorageStruct, StorageUnion:
		if s == StorageUnion {
			c.data.Bytes = v.data.Bytes[from:to]
			if v.offsets.Bytes != nil {
				c.offsets.Bytes = v.offsets.Bytes[from*4 : to*4]
				return &c
			}
		}
		c.children = make([]*Vector, len(v.children))
		for i, child := range v.children {
			c.children[i] = child.Slice(pool, from, to)
		}
	default:
		w := s.Width()
		c.data.Bytes = v.data.Bytes[from*w : to*w]
	}
	return &c
}

// sliceRuns cuts a RunEnd vector: the runs that meet the window, with run ends counted from its start.
func (v *Vector) sliceRuns(pool *Pool, from, to int) *Vector {
	ends := v.RunEnds()
	first := FindRun(ends, from)
	last := first
	if to > from {
		last = FindRun(ends, to-1) + 1
	}
	cut := Alloc[int32](pool, last-first)
	for i := range cut {
		cut[i] = int32(min(int(ends[first+i]), to) - from)
	}
	c := NewRunEnd(cut, v.children[0].Slice(pool, first, last))
	c.source, c.sourceRow = v.source, v.sourceRow+from
	return c
}

// FindRun gives the run that row i lies in: the first whose end is past i. O(log runs); len(ends) when i is past the last.
func FindRun(ends []int32, i int) int {
	lo, hi := 0, len(ends)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if int(ends[mid]) > i {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// sliceBitmap gives bits from to to as a bitmap of its own: shared when nothing has to move, else realigned into pool memory.
func sliceBitmap(pool *Pool, b Bitmap, from, to int) Bitmap {
	if b == nil {
		return nil
	}
	n := to - from
	words := BitmapWords(n)
	if from&63 == 0 {
		cut := b[from>>6 : from>>6+words]
		if words == 0 || cut[words-1]&^LastWordMask(n) == 0 {
			return cut
		}
	}
	dst := pool.Bitmap(n)
	asm.LoadBits(dst, Bytes(b), from, n)
	return dst
}

// Locate follows constants, dictionaries and runs to the plain vector and row that hold the value of row i. It reports false
// when a null stands on the way or at the end: the row is null (a union's own inner nulls are not looked at). O(1), for run-end
// vectors O(log runs): for display and single values, not for loops over rows.
func (v *Vector) Locate(i int) (*Vector, int, bool) {
	for {
		switch v.encoding {
		case Constant:
			i = 0
			if v.typ.kind == KindNull || !v.validity.Has(0) {
				return v, 0, false
			}
			return v, 0, true
		case Dictionary:
			if !v.validity.Has(i) {
				return v, i, false
			}
			i, v = int(v.Keys()[i]), v.children[0]
		case RunEnd:
			i, v = FindRun(v.RunEnds(), i), v.children[0]
		default:
			return v, i, v.typ.kind != KindNull && v.validity.Has(i)
		}
	}
}
