package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Column is an Arrow array with the field that declares its name, nullability and metadata. The field's type is the array's.
type Column struct {
	Field arrow.Field
	Array arrow.Array

	// Repeat makes a constant where it is not 0: the one row of Array stands for so many rows. Results are never constants.
	Repeat int
}

// Of makes a column of a bare array, which may hold nulls. The array is borrowed.
func Of(a arrow.Array) Column {
	return Column{Field: arrow.Field{Type: a.DataType(), Nullable: true}, Array: a}
}

// Required gives the column declared as one without nulls. Nothing is checked until a verb reads it.
func (c Column) Required() Column {
	c.Field.Nullable = false
	if runs, ok := c.Field.Type.(*arrow.RunEndEncodedType); ok {
		c.Field.Type = withRuns(runs, runs.RunEnds(), runs.Encoded(), false)
	}
	return c
}

// OfChunks gives the rows of all chunks of a column, which are one after another in new memory when there are several. The caller releases it.
func OfChunks(f arrow.Field, chunks *arrow.Chunked) (Column, error) {
	if len(chunks.Chunks()) == 0 {
		empty := array.MakeArrayOfNull(nil, f.Type, 0)
		return Column{Field: f, Array: empty}, nil
	}
	columns := make([]Column, len(chunks.Chunks()))
	for i, a := range chunks.Chunks() {
		columns[i] = Column{Field: f, Array: a}
	}
	return Concat(Options{}, columns...)
}

// Len gives the number of rows.
func (c Column) Len() int {
	if c.Repeat > 0 {
		return c.Repeat
	}
	return c.Array.Len()
}

// Release releases the array.
func (c Column) Release() { c.Array.Release() }

// NullCount gives the number of logical nulls (null-semantics 2.1).
func (c Column) NullCount() (int, error) {
	a, err := load(c, types.UnionAuto)
	if err != nil {
		return 0, err
	}
	return types.NullCount(nil, a.vector), nil
}

// argument is a column as kernels take it.
type argument struct {
	Column
	vector   *types.Vector
	nullable bool // N of null-semantics 2.3
}

// load imports a column. unions is UnionAuto where a null in a variant is the row's null, and UnionTagged for the values of verbs that introduce nulls: then
// the nulls of the vector are those, and nulls in variants stay where they are.
func load(c Column, unions types.UnionImport) (argument, error) {
	out := argument{Column: c}
	declared, err := types.ImportField(c.Field)
	if err != nil {
		return out, err
	}
	out.nullable = declared.Nullable
	options := types.ImportOptions{Type: declared.Type}
	if unions == types.UnionTagged && holdsUnion(c.Field.Type) {
		options = types.ImportOptions{Unions: types.UnionTagged}
	}
	if !arrow.TypeEqual(c.Field.Type, c.Array.DataType()) && !sameButRuns(c.Field.Type, c.Array.DataType()) {
		return out, types.KindErrorf(types.ErrInvalidLayout, "the field is of type %s, the array of type %s", c.Field.Type, c.Array.DataType()).WithRow(c.Field.Name, -1)
	}
	if out.vector, err = types.Import(c.Array, options); err != nil {
		return out, named(err, c.Field.Name)
	}
	if err := types.CheckRequired(nil, out.vector, types.Field{Name: c.Field.Name, Type: out.vector.Type(), Nullable: declared.Nullable || unions == types.UnionTagged}); err != nil {
		return out, err
	}
	if c.Repeat > 0 {
		if c.Array.Len() != 1 {
			return out, types.KindErrorf(types.ErrLengthMismatch, "a constant of %d rows", c.Array.Len())
		}
		out.vector = types.NewConstant(kernels.Decode(nil, out.vector), c.Repeat)
	}
	return out, nil
}

// sameButRuns reports whether types are the same but for whether the values of runs are nullable, which Column.Required changes.
func sameButRuns(a, b arrow.DataType) bool {
	x, ok := a.(*arrow.RunEndEncodedType)
	y, ok2 := b.(*arrow.RunEndEncodedType)
	return ok && ok2 && arrow.TypeEqual(x.RunEnds(), y.RunEnds()) && arrow.TypeEqual(x.Encoded(), y.Encoded())
}

// named puts the column's name before the path of an error.
func named(err error, name string) error {
	if e, ok := err.(*types.Error); ok && e.Path == "" && name != "" {
		c := *e
		c.Path = name
		return &c
	}
	return err
}

// loadAll imports columns of one length.
func loadAll(unions types.UnionImport, columns ...Column) ([]argument, error) {
	out := make([]argument, len(columns))
	for i, c := range columns {
		var err error
		if out[i], err = load(c, unions); err != nil {
			return nil, err
		}
	}
	return out, sameLength(out...)
}

func sameLength(args ...argument) error {
	for _, a := range args[1:] {
		if a.Len() != args[0].Len() {
			return types.KindErrorf(types.ErrLengthMismatch, "columns of %d and of %d rows", args[0].Len(), a.Len())
		}
	}
	return nil
}

// boolean checks that an argument is a condition.
func boolean(a argument) error {
	if k := a.vector.Type().Kind(); k != types.KindBoolean && k != types.KindNull {
		return types.Errorf(types.CodeDatatypeMismatch, "a condition must be bool, not %s", a.Field.Type)
	}
	return nil
}

// holdsUnion reports whether the values of a column are unions, in any encoding.
func holdsUnion(dt arrow.DataType) bool {
	switch d := dt.(type) {
	case *arrow.RunEndEncodedType:
		return holdsUnion(d.Encoded())
	case *arrow.DictionaryType:
		return holdsUnion(d.ValueType)
	case arrow.UnionType:
		return true
	}
	return false
}

// newBitmap gives n bits that are not set.
func newBitmap(n int) types.Bitmap { return (*types.Pool)(nil).ZeroBitmap(n) }
