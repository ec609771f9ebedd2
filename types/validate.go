package types

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// ValidateLevel says how much Validate looks at. Each level includes those before it (null-semantics 2.13).
type ValidateLevel uint8

const (
	// ValidateLayout, level 0, takes time by the number of arrays, not of rows: types, numbers and sizes of buffers and children, no
	// bitmap on unions and runs, run ends without nulls that cover the window.
	ValidateLayout ValidateLevel = iota
	// ValidateContents, level 1, looks at every row: offsets, views, dictionary keys at valid rows, type codes, run ends, null counts, UTF-8
	// and the digits of decimals. No reader goes outside a buffer of what has passed it. It is what Import checks.
	ValidateContents
	// ValidateNulls, level 2, finds nulls that a row shows under a required field, at any depth: not those below a null struct or list,
	// outside of lists and runs, in unselected union slots or unused dictionary entries.
	ValidateNulls
	// ValidateStrict, level 3, is what Lacuna writes: required children hold no null at all, hidden ones included; no null among the dictionary
	// entries of a required field; the offsets of a dense union do not decrease within a variant; a union with a nullable variant is
	// declared nullable. Sanitize makes it of data that pass level 2.
	ValidateStrict
)

// String gives the level's name.
func (l ValidateLevel) String() string {
	names := [...]string{"layout", "contents", "nulls", "strict"}
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("ValidateLevel(%d)", uint8(l))
}

// Violations is what Validate found, each with path, first row and number of rows where that makes sense. errors.Is and errors.As look into them.
type Violations []*Error

// Error gives the first one and the number of the others.
func (v Violations) Error() string {
	if len(v) == 1 {
		return v[0].Error()
	}
	return fmt.Sprintf("%s (and %d more violations)", v[0].Error(), len(v)-1)
}

// Unwrap gives them all.
func (v Violations) Unwrap() []error {
	errs := make([]error, len(v))
	for i, e := range v {
		errs[i] = e
	}
	return errs
}

// maxViolations bounds what Validate reports of long streams.
const maxViolations = 1000

// Validate checks array data against the field that declares it, up to a level, and gives nil or Violations: ErrInvalidLayout, ErrUnknownTypeCode,
// ErrCastOverflow (a decimal with too many digits), ErrCastInvalid (bytes that are not UTF-8), ErrUnsupported and ErrNullInRequired. Every
// path is reported once, with its first row; where a level fails, the ones above it are not tried on that array. A bare array has no
// declared nullability: arrow.Field{Type: a.DataType(), Nullable: true} stands for it.
func Validate(field arrow.Field, data arrow.ArrayData, level ValidateLevel) error {
	v := validator{level: level}
	v.array(field, data)
	return v.result()
}

// ValidateChunked is Validate for the chunks of an array. Rows count over all chunks.
func ValidateChunked(field arrow.Field, chunks *arrow.Chunked, level ValidateLevel) error {
	v := validator{level: level}
	v.chunks(field, chunks)
	return v.result()
}

// ValidateBatch is Validate for the columns of a record batch.
func ValidateBatch(batch arrow.RecordBatch, level ValidateLevel) error {
	v := validator{level: level}
	v.batch(batch)
	return v.result()
}

// ValidateTable is Validate for the chunks of a table's columns. Rows count from the start of the table.
func ValidateTable(table arrow.Table, level ValidateLevel) error {
	v := validator{level: level}
	for i := range int(table.NumCols()) {
		column := table.Column(i)
		v.row = 0
		v.chunks(table.Schema().Field(i), column.Data())
		if v.row != table.NumRows() {
			v.add((&place{name: column.Name()}).invalid(-1, "column has %d rows, the table %d", v.row, table.NumRows()), nil)
		}
	}
	return v.result()
}

// ValidateReader is Validate for all batches that a reader has left, which are read now; an error of the reader itself is given as it is. Rows
// count from the first of these batches.
func ValidateReader(reader array.RecordReader, level ValidateLevel) error {
	v := validator{level: level}
	for reader.Next() && len(v.found) < maxViolations {
		batch := reader.RecordBatch()
		v.batch(batch)
		v.row += batch.NumRows()
	}
	if err := reader.Err(); err != nil {
		return err
	}
	return v.result()
}

// validator collects violations.
type validator struct {
	level ValidateLevel
	row   int64 // of the table or stream, at the start of the present array
	found Violations
}

func (v *validator) result() error {
	if len(v.found) == 0 {
		return nil
	}
	return v.found
}

// add notes a violation, whose row counts from the start of the present array; root turns a row of its path into that of the column.
func (v *validator) add(e *Error, root func(int) int) {
	if len(v.found) >= maxViolations {
		return
	}
	if e.Row >= 0 {
		if root != nil {
			e.Row = int64(root(int(e.Row)))
		}
		e.Row += v.row
	}
	v.found = append(v.found, e)
}

func (v *validator) batch(batch arrow.RecordBatch) {
	schema := batch.Schema()
	if int(batch.NumCols()) != schema.NumFields() {
		v.add(KindErrorf(ErrLengthMismatch, "record batch has %d columns, the schema %d", batch.NumCols(), schema.NumFields()), nil)
		return
	}
	for i, column := range batch.Columns() {
		field := schema.Field(i)
		if n := column.Data().Len(); int64(n) != batch.NumRows() {
			v.add((&place{name: field.Name}).invalid(-1, "column has %d rows, the record batch %d", n, batch.NumRows()), nil)
			continue
		}
		v.array(field, column.Data())
	}
}

// chunks checks one array after another, and leaves row at the end of the last.
func (v *validator) chunks(field arrow.Field, chunks *arrow.Chunked) {
	for _, chunk := range chunks.Chunks() {
		v.array(field, chunk.Data())
		v.row += int64(chunk.Len())
	}
}

// array checks one array, level by level.
func (v *validator) array(field arrow.Field, data arrow.ArrayData) {
	var at *place
	if field.Name != "" {
		at = &place{name: field.Name}
	}
	before := len(v.found)
	if checkLayout(data, field.Type, at, func(e *Error) { v.add(e, nil) }); v.level == ValidateLayout || len(v.found) > before {
		return
	}
	declared, err := importField(field, unionDeclared)
	if err != nil {
		v.add(asError(err), nil)
		return
	}
	im := importer{viewSpan: math.MaxUint32, declared: true}
	vector, err := im.vector(data, declared.Type, 0, data.Len(), at)
	if err != nil {
		v.add(asError(err), nil)
		return
	}
	if v.level >= ValidateNulls {
		walk := nullWalk{hidden: v.level >= ValidateStrict, report: v.add}
		walk.field(vector, declared, nil, at, nil)
	}
	if v.level >= ValidateStrict {
		checkUnionFlags(field, at, func(e *Error) { v.add(e, nil) })
	}
}

// asError gives the faults that this package makes.
func asError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return Errorf(CodeInternal, "%v", err).WithCause(err)
}

// checkUnionFlags finds unions that are declared as required although a variant is nullable. The flag is ignored when they are read.
func checkUnionFlags(field arrow.Field, at *place, report func(*Error)) {
	dt := valueType(field.Type)
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = valueType(ext.StorageType())
	}
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return
	}
	if _, union := dt.(arrow.UnionType); union && !field.Nullable {
		for _, f := range nested.Fields() {
			if holdsNull(f) {
				report(at.invalid(-1, "union is declared as required, but its variant %s is nullable", QuoteIdent(f.Name)))
				break
			}
		}
	}
	for _, f := range nested.Fields() {
		name := f.Name
		if _, list := dt.(arrow.ListLikeType); list && dt.ID() != arrow.MAP {
			name = "[]"
		}
		checkUnionFlags(f, at.below(name), report)
	}
}
