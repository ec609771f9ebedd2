package types

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Sanitize gives the same rows with nothing under required fields that ValidateStrict would find: hidden nulls there become placeholders, and where
// every bit pattern is a value only their bitmap goes. v itself when it is clean, which costs a look at the bitmaps below required fields. Nulls that a
// row shows are the caller's to find first (ValidateNulls): under a required field they become placeholders too. The one thing it leaves is a union that is
// declared as required although a variant is nullable: that is a fault of the schema.
//
// New memory is the pool's; the rest is shared with v.
func Sanitize(pool *Pool, v *Vector, f Field) *Vector { return sanitizer{pool}.field(v, f) }

// SanitizeBatch is Sanitize for the columns of a record batch that passes ValidateNulls, else its Violations are the error. Columns that are clean are
// shared, not copied. The caller releases the batch.
func SanitizeBatch(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	if err := ValidateBatch(batch, ValidateNulls); err != nil {
		return nil, err
	}
	columns := make([]arrow.Array, 0, batch.NumCols())
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i, column := range batch.Columns() {
		clean, err := sanitizeArray(batch.Schema().Field(i), column)
		if err != nil {
			return nil, err
		}
		columns = append(columns, clean)
	}
	return array.NewRecordBatch(batch.Schema(), columns, batch.NumRows()), nil
}

func sanitizeArray(field arrow.Field, column arrow.Array) (arrow.Array, error) {
	at := &place{name: field.Name}
	declared, err := importField(field, unionDeclared)
	if err != nil {
		return nil, err
	}
	im := importer{viewSpan: math.MaxUint32, declared: true}
	v, err := im.vector(column.Data(), declared.Type, 0, column.Len(), at)
	if err != nil {
		return nil, err
	}
	clean := Sanitize(nil, v, declared)
	if clean == v {
		column.Retain()
		return column, nil
	}
	return exportColumn(clean, field, at, ExportOptions{AllowLossy: true})
}

type sanitizer struct{ pool *Pool }

// field gives v itself when nothing has to change.
func (s sanitizer) field(v *Vector, f Field) *Vector {
	if !f.Nullable && f.Type.kind != KindNull && v.MayHaveNulls() {
		v = s.withoutNulls(v)
	}
	if !requiresBelow(v.typ) && !hasUnion(v.typ) {
		return v
	}
	return s.below(v)
}

// below cleans the fields below a vector.
func (s sanitizer) below(v *Vector) *Vector {
	children := slices.Clone(v.children)
	if v.encoding == Dictionary || v.encoding == RunEnd {
		children[0] = s.below(children[0])
		return v.withChildren(children)
	}
	fields := structFields(v.typ)
	if v.typ.Storage() == StorageList {
		fields = []Field{listChildField(v.typ)}
	}
	if v.UnionOffsets() != nil && v.encoding == Plain {
		v = s.ascending(v)
		copy(children, v.children)
	}
	for i, f := range fields {
		children[i] = s.field(children[i], f)
	}
	return v.withChildren(children)
}

// withChildren gives the same vector over other children; itself when they are its own.
func (v *Vector) withChildren(children []*Vector) *Vector {
	if slices.Equal(v.children, children) {
		return v
	}
	return v.WithChildren(v.typ, children)
}

// ascending gives a dense union whose offsets do not decrease within a variant.
func (s sanitizer) ascending(v *Vector) *Vector {
	var last [MaxUnionVariants]int32
	decreases := false
	codes, offsets := v.TypeCodes(), v.UnionOffsets()
	for i, o := range offsets {
		decreases = decreases || o < last[codes[i]]
		last[codes[i]] = o
	}
	if !decreases {
		return v
	}
	children, moved := (&exporter{pool: s.pool}).packed(v, codes, nil)
	return NewUnion(v.typ, codes, Values[int32](moved.Bytes), children, v.validity)
}

// withoutNulls gives the same rows with placeholders in the place of nulls.
func (s sanitizer) withoutNulls(v *Vector) *Vector {
	switch v.encoding {
	case Constant:
		if v.validity.Has(0) {
			return v
		}
		return NewConstant(s.withoutNulls(v.First()), v.length)
	case Dictionary:
		// The key under a null is that of some entry, in every vector.
		c := v.withChildren([]*Vector{s.withoutNulls(v.children[0])})
		if c.validity != nil {
			c = c.WithValidity(nil)
		}
		return c
	case RunEnd:
		return v.withChildren([]*Vector{s.withoutNulls(v.children[0])})
	}
	valid := v.validity
	if valid == nil || v.typ.kind == KindNull {
		return v
	}
	v = v.WithValidity(nil)
	if valid.Count(v.length) == v.length {
		return v
	}
	switch v.typ.Storage() {
	case StorageView, StorageList:
		// What lies under a null may point anywhere.
		return s.zeroed(v, valid)
	}
	switch v.typ.kind {
	case KindDecimal, KindEnum, KindHugeInt, KindInterval:
		return s.zeroed(v, valid) // not every number is one of theirs, nor a duration of every unit
	}
	return v
}

// zeroed copies the values, with zeros in the rows that are not valid: 0, the empty string, the empty list.
func (s sanitizer) zeroed(v *Vector, valid Bitmap) *Vector {
	width := v.typ.Storage().Width()
	data := append(s.pool.Bytes(v.length * width)[:0], v.data.Bytes[:v.length*width]...)
	null := AndNotBitmaps(s.pool, nil, valid, v.length)
	for i := null.NextSet(0, v.length); i < v.length; i = null.NextSet(i+1, v.length) {
		clear(data[i*width : (i+1)*width])
	}
	v.data = Buffer{Bytes: data}
	return v
}
