package column

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
)

// Descriptor describes a column without nulls: what a schema says of it, and how to read and make it.
type Descriptor[T any] struct {
	Name     string // of the column; "" for an array that is none
	Type     Type[T]
	Metadata arrow.Metadata
}

// OptionalDescriptor describes a column that may hold nulls.
type OptionalDescriptor[T any] struct{ required Descriptor[T] }

// Describe makes a descriptor of a column without nulls.
func Describe[T any](name string, t Type[T]) Descriptor[T] { return Descriptor[T]{Name: name, Type: t} }

// Optional gives the descriptor of the same column with nulls.
func (d Descriptor[T]) Optional() OptionalDescriptor[T] { return OptionalDescriptor[T]{d} }

// Required gives the descriptor of the same column without nulls.
func (d OptionalDescriptor[T]) Required() Descriptor[T] { return d.required }

// Field gives the Arrow field of the column.
func (d Descriptor[T]) Field() arrow.Field { return d.field(false) }

// Field gives the Arrow field of the column.
func (d OptionalDescriptor[T]) Field() arrow.Field { return d.required.field(true) }

func (d Descriptor[T]) field(nullable bool) arrow.Field {
	return withNullability(arrow.Field{Name: d.Name, Type: d.Type.arrow, Metadata: d.Metadata}, nullable)
}

// withNullability sets the flags of a field, also of run-end-encoded values. The types of this package have no union that would have to change.
func withNullability(f arrow.Field, nullable bool) arrow.Field {
	change := types.RequiredField
	if nullable {
		change = func(f arrow.Field) (arrow.Field, error) {
			return types.OptionalField(f, types.OptionalOptions{})
		}
	}
	out, err := change(f)
	if err != nil {
		// The storage of an extension stays; the flag of the field counts.
		f.Nullable = nullable
		return f
	}
	return out
}

// From takes the column out of a record batch, which the column keeps alive until it is released. What the batch says about nulls does not matter,
// only whether there are any.
//
// Errors: ErrNoMember for a column that is not there, ErrAmbiguousMember for one that is there twice, ErrTypeMismatch, and ErrNullInRequired with path, first
// row and number of rows; of arrays that lie those of types.Import.
func (d Descriptor[T]) From(batch arrow.RecordBatch) (Column[T], error) {
	f, a, err := find(batch, d.Name)
	if err != nil {
		return Column[T]{}, err
	}
	return d.FromArray(f, a)
}

// From takes the column out of a record batch, as under Descriptor.From. Nulls are errors only below the column, where its type has required fields.
func (d OptionalDescriptor[T]) From(batch arrow.RecordBatch) (OptionalColumn[T], error) {
	f, a, err := find(batch, d.required.Name)
	if err != nil {
		return OptionalColumn[T]{}, err
	}
	return d.FromArray(f, a)
}

// FromArray reads an array with the field that declares it, whose name and metadata the column keeps. For a bare array the field is that of the descriptor, or
// arrow.Field{Type: a.DataType(), Nullable: true}. Errors are those of From.
func (d Descriptor[T]) FromArray(f arrow.Field, a arrow.Array) (Column[T], error) {
	c, err := d.column(f, a, false)
	if err != nil {
		return Column[T]{}, err
	}
	return Column[T]{c, rows(d.Type, c.vector)}, nil
}

// FromArray reads an array as under Descriptor.FromArray.
func (d OptionalDescriptor[T]) FromArray(f arrow.Field, a arrow.Array) (OptionalColumn[T], error) {
	c, err := d.required.column(f, a, true)
	if err != nil {
		return OptionalColumn[T]{}, err
	}
	return OptionalColumn[T]{c, types.LogicalValidity(nil, c.vector), rows(d.required.Type, c.vector)}, nil
}

// Make makes a column of values, in memory of the Go heap. Errors: those of values that the type does not have, with the row.
func (d Descriptor[T]) Make(values []T) (Column[T], error) {
	v, err := d.Type.build(values, nil)
	if err != nil {
		return Column[T]{}, inColumn(err, d.Name)
	}
	f, a, err := d.export(v, false)
	if err != nil {
		return Column[T]{}, err
	}
	defer a.Release()
	return d.FromArray(f, a)
}

// Make makes a column of values that may be null, as under Descriptor.Make.
func (d OptionalDescriptor[T]) Make(values []Optional[T]) (OptionalColumn[T], error) {
	v, err := buildOptional(d.required.Type, values)
	if err != nil {
		return OptionalColumn[T]{}, inColumn(err, d.required.Name)
	}
	f, a, err := d.required.export(v, true)
	if err != nil {
		return OptionalColumn[T]{}, err
	}
	defer a.Release()
	return d.FromArray(f, a)
}

// inColumn says in which column an error is.
func inColumn(err error, name string) error {
	var e *types.Error
	if errors.As(err, &e) && e.Path == "" {
		return e.WithRow(name, e.Row)
	}
	return err
}

// export gives the array of a vector, with the descriptor's field.
func (d Descriptor[T]) export(v *types.Vector, nullable bool) (arrow.Field, arrow.Array, error) {
	f := d.field(nullable)
	a, err := types.Export(v, f.Type, types.ExportOptions{})
	return f, a, err
}

// find gives the one column of a name.
func find(batch arrow.RecordBatch, name string) (arrow.Field, arrow.Array, error) {
	switch found := batch.Schema().FieldIndices(name); len(found) {
	case 1:
		return batch.Schema().Field(found[0]), batch.Column(found[0]), nil
	case 0:
		return arrow.Field{}, nil, types.KindErrorf(types.ErrNoMember, "there is no column %s", types.QuoteIdent(name)).WithRow(name, -1)
	default:
		return arrow.Field{}, nil, types.KindErrorf(types.ErrAmbiguousMember, "there are %d columns %s", len(found), types.QuoteIdent(name)).WithRow(name, -1)
	}
}

// column reads an array after comparing types: those of the values, whatever their encoding and nullability. Then nulls are looked for where the
// descriptor does not have any.
func (d Descriptor[T]) column(f arrow.Field, a arrow.Array, nullable bool) (column[T], error) {
	got, err := types.ImportField(f)
	if err != nil {
		return column[T]{}, err
	}
	want, err := types.ImportType(d.Type.arrow, d.Metadata)
	if err != nil {
		return column[T]{}, err
	}
	if a.DataType().ID() != f.Type.ID() || !loosened(got.Type).Equal(loosened(want)) {
		return column[T]{}, types.KindErrorf(types.ErrTypeMismatch, "%s is %s (%s), not %s", described(f.Name), got.Type, f.Type, want).WithRow(f.Name, -1)
	}
	v, err := types.Import(a, types.ImportOptions{Type: declaredAs(want, got.Type)})
	if err != nil {
		return column[T]{}, err
	}
	if err := types.CheckRequired(nil, v, types.Field{Name: f.Name, Type: v.Type(), Nullable: nullable}); err != nil {
		return column[T]{}, err
	}
	return column[T]{typ: d.Type, field: f, array: a, source: a, vector: v}.as(nullable)
}

func described(name string) string {
	if name == "" {
		return "the array"
	}
	return "column " + types.QuoteIdent(name)
}

// loosened gives a type whose fields are all nullable, elements without a name, and that no extension marks.
func loosened(t types.Type) types.Type {
	switch t.Kind() {
	case types.KindList:
		return types.ListOf(loosened(t.Elem().Type))
	case types.KindArray:
		return types.ArrayOfField(types.Field{Name: "item", Type: loosened(t.Elem().Type), Nullable: true}, t.Width())
	case types.KindMap:
		return types.MapOf(loosened(t.Fields()[0].Type), loosened(t.Fields()[1].Type))
	case types.KindStruct:
		return types.StructOf(loosenedFields(t)...)
	case types.KindUnion:
		return types.UnionOfCodes(loosenedFields(t), t.Codes(), false)
	}
	return t.WithExtension(types.Extension{})
}

func loosenedFields(t types.Type) []types.Field {
	fields := append([]types.Field(nil), t.Fields()...)
	for i := range fields {
		fields[i].Type, fields[i].Nullable = loosened(fields[i].Type), true
	}
	return fields
}

// declaredAs gives the type that data are read as: what the descriptor says about nulls below the column, but of unions what the data say, whose
// metadata tell a null from a variant that holds one.
func declaredAs(want, got types.Type) types.Type {
	if hasUnion(want) {
		return got
	}
	return want
}

func hasUnion(t types.Type) bool {
	if t.Kind() == types.KindUnion {
		return true
	}
	for _, f := range t.Fields() {
		if hasUnion(f.Type) {
			return true
		}
	}
	return false
}

// Batch makes a record batch of columns of the same length. The caller releases it; the columns stay his.
func Batch(columns ...AnyColumn) (arrow.RecordBatch, error) {
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	rows := 0
	for i, c := range columns {
		fields[i], arrays[i] = c.Field(), c.Array()
		if i == 0 {
			rows = c.Len()
		}
		if c.Len() != rows {
			return nil, types.KindErrorf(types.ErrLengthMismatch, "column has %d rows, the first %d", c.Len(), rows).WithRow(fields[i].Name, -1)
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows)), nil
}
