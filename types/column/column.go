package column

import (
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// AnyColumn is a column of any type, as Batch takes it.
type AnyColumn interface {
	Field() arrow.Field
	Array() arrow.Array
	Len() int
}

// column is what both kinds of column have in common.
type column[T any] struct {
	typ    Type[T]
	field  arrow.Field
	array  arrow.Array // retained
	source arrow.Array // what the vector reads, retained; array may be of other memory where entries of a dictionary were null
	vector *types.Vector
}

// as gives the same rows with another declaration of nulls, retained.
func (c column[T]) as(nullable bool) (column[T], error) {
	var err error
	if c.field, c.array, err = withNulls(c.field, c.array, nullable); err == nil {
		c.source.Retain()
	}
	return c, err
}

// Field gives the Arrow field: name and metadata that the column came with, and whether it may hold nulls.
func (c column[T]) Field() arrow.Field { return c.field }

// Array gives the Arrow array, which is the column's: Retain it to keep it longer.
func (c column[T]) Array() arrow.Array { return c.array }

// Len gives the number of rows.
func (c column[T]) Len() int { return c.vector.Len() }

// Release gives up the array. Neither the column nor strings and slices that were read from it may be used after that.
func (c column[T]) Release() {
	c.array.Release()
	c.source.Release()
}

// Run is a range of rows with the same value, from Start up to End (half open).
type Run struct{ Start, End int }

// runs calls yield with the ranges of rows that are known to have one value: those of a run-end-encoded column or of a constant; else each row is one.
func runs(v *types.Vector, yield func(Run) bool) {
	switch v.Encoding() {
	case types.Constant:
		if v.Len() > 0 {
			yield(Run{0, v.Len()})
		}
		return
	case types.RunEnd:
		start := 0
		for _, end := range v.RunEnds() {
			if !yield(Run{start, int(end)}) {
				return
			}
			start = int(end)
		}
		return
	}
	for i := range v.Len() {
		if !yield(Run{i, i + 1}) {
			return
		}
	}
}

// Column is a column with a value in every row. It holds its array until Release, and may be read by several goroutines at once.
type Column[T any] struct {
	column[T]
	read func(row int) T
}

// Value gives the value of a row. It panics when there is no such row.
func (c Column[T]) Value(row int) T {
	checkRow(row, c.Len())
	return c.read(row)
}

// Values gives all values in order: borrowed from the array where they lie there as Go has them, else in a new slice. The caller must not write to it.
func (c Column[T]) Values() []T {
	if c.vector.Encoding() == types.Plain && c.typ.slice != nil {
		return c.typ.slice(c.vector)[:c.Len():c.Len()]
	}
	out := make([]T, 0, c.Len())
	for _, x := range c.All() {
		out = append(out, x)
	}
	return out
}

// All goes through the rows and their values. Of a run the value is read once.
func (c Column[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for run, x := range c.Runs() {
			for row := run.Start; row < run.End; row++ {
				if !yield(row, x) {
					return
				}
			}
		}
	}
}

// Runs goes through the runs of a run-end-encoded column and their values. In other columns every row is a run.
func (c Column[T]) Runs() iter.Seq2[Run, T] {
	return func(yield func(Run, T) bool) {
		runs(c.vector, func(r Run) bool { return yield(r, c.read(r.Start)) })
	}
}

// Optional gives the same rows as a column that may hold nulls. It shares all memory and is released on its own.
func (c Column[T]) Optional() OptionalColumn[T] {
	out, _ := c.as(true) // there is nothing that it could refuse
	return OptionalColumn[T]{out, nil, c.read}
}

// OptionalColumn is a column in which rows may be null. It holds its array until Release, and may be read by several goroutines at once.
type OptionalColumn[T any] struct {
	column[T]
	valid types.Bitmap // logical validity; nil when no row is null
	read  func(row int) T
}

// Value gives the value of a row, or null. It panics when there is no such row.
func (c OptionalColumn[T]) Value(row int) Optional[T] {
	if c.IsNull(row) {
		return Optional[T]{}
	}
	return Some(c.read(row))
}

// IsNull reports whether a row is null. It panics when there is no such row.
func (c OptionalColumn[T]) IsNull(row int) bool {
	checkRow(row, c.Len())
	return !c.valid.Has(row)
}

// NullCount gives the number of rows that are null.
func (c OptionalColumn[T]) NullCount() int { return c.Len() - c.valid.Count(c.Len()) }

// Values gives all values in order, in a new slice.
func (c OptionalColumn[T]) Values() []Optional[T] {
	out := make([]Optional[T], 0, c.Len())
	for _, x := range c.All() {
		out = append(out, x)
	}
	return out
}

// All goes through the rows and their values. Of a run the value is read once.
func (c OptionalColumn[T]) All() iter.Seq2[int, Optional[T]] {
	return func(yield func(int, Optional[T]) bool) {
		for run, x := range c.Runs() {
			for row := run.Start; row < run.End; row++ {
				if !yield(row, x) {
					return
				}
			}
		}
	}
}

// Runs goes through the runs of a run-end-encoded column and their values. In other columns every row is a run.
func (c OptionalColumn[T]) Runs() iter.Seq2[Run, Optional[T]] {
	return func(yield func(Run, Optional[T]) bool) {
		runs(c.vector, func(r Run) bool { return yield(r, c.Value(r.Start)) })
	}
}

// Required gives the same rows as a column without nulls, or ErrNullInRequired with first row and number of rows. It shares all memory but that of
// dictionary entries which are null (see types.Required), and is released on its own.
func (c OptionalColumn[T]) Required() (Column[T], error) {
	out, err := c.as(false)
	if err != nil {
		return Column[T]{}, err
	}
	return Column[T]{out, c.read}, nil
}

// withNulls declares whether an array may hold nulls. What is inside an extension type stays as it is.
func withNulls(f arrow.Field, a arrow.Array, nullable bool) (arrow.Field, arrow.Array, error) {
	change := types.Required
	if nullable {
		change = func(f arrow.Field, a arrow.Array) (arrow.Field, arrow.Array, error) {
			return types.Optional(f, a, types.OptionalOptions{})
		}
	}
	out, changed, err := change(f, a)
	if errors.Is(err, types.ErrExtensionStorage) {
		a.Retain()
		f.Nullable = nullable
		return f, a, nil
	}
	return out, changed, err
}

// checkRow panics like a slice does.
func checkRow(row, rows int) {
	if uint(row) >= uint(rows) {
		panic(fmt.Sprintf("column: row %d of %d", row, rows))
	}
}
