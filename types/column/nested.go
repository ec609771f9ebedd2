package column

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// Dictionary is the type of values that are written as a dictionary with keys of an integer type.
func Dictionary[T any](keys arrow.DataType, values Type[T]) Type[T] {
	values.arrow = &arrow.DictionaryType{IndexType: keys, ValueType: values.arrow}
	return values
}

// RunEnd is the type of values that are written as runs, with run ends of type int16, int32 or int64. Neighbours with the same bits share a run.
func RunEnd[T any](ends arrow.DataType, values Type[T]) Type[T] {
	values.arrow = arrow.RunEndEncodedOf(ends, values.arrow)
	return values
}

// List is the type of lists without null elements. A slice that is read is borrowed where T is a number, and the caller's own elsewhere.
func List[T any](element Type[T]) Type[[]T] {
	return listOf(elementField(element, false), func(v *types.Vector) func(from, to int) []T {
		if v.Encoding() == types.Plain && element.slice != nil {
			values := element.slice(v)
			return func(from, to int) []T {
				if from == to {
					return []T{} // an empty list is not nil, which would look like null
				}
				return values[from:to:to]
			}
		}
		read := rows(element, v)
		return func(from, to int) []T {
			out := make([]T, to-from)
			for i := range out {
				out[i] = read(from + i)
			}
			return out
		}
	}, func(values []T) (*types.Vector, error) { return element.build(values, nil) })
}

// ListOfOptional is the type of lists whose elements may be null.
func ListOfOptional[T any](element Type[T]) Type[[]Optional[T]] {
	return listOf(elementField(element, true), func(v *types.Vector) func(from, to int) []Optional[T] {
		read := optionalRows(element, v)
		return func(from, to int) []Optional[T] {
			out := make([]Optional[T], to-from)
			for i := range out {
				out[i] = read(from + i)
			}
			return out
		}
	}, func(values []Optional[T]) (*types.Vector, error) { return buildOptional(element, values) })
}

func elementField[T any](element Type[T], nullable bool) arrow.Field {
	return withNullability(arrow.Field{Name: "item", Type: element.arrow}, nullable)
}

// listOf is the type of lists of E, whose elements are read by range and built all at once.
func listOf[E any](element arrow.Field, reader func(*types.Vector) func(from, to int) []E, build func([]E) (*types.Vector, error)) Type[[]E] {
	dt := arrow.ListOfField(element)
	return Type[[]E]{
		arrow: dt,
		reader: func(v *types.Vector) func(int) []E {
			entries := types.ValuesOf[types.ListEntry](v)
			read := reader(v.Children()[0])
			return func(row int) []E {
				e := entries[row]
				return read(int(e.Offset), int(e.Offset+e.Length))
			}
		},
		build: func(values [][]E, valid types.Bitmap) (*types.Vector, error) {
			entries := make([]types.ListEntry, len(values))
			var elements []E
			for i, list := range values {
				if valid.Has(i) {
					entries[i] = types.ListEntry{Offset: int64(len(elements)), Length: int64(len(list))}
					elements = append(elements, list...)
				}
			}
			child, err := build(elements)
			if err != nil {
				return nil, err
			}
			typ, err := types.ImportType(dt, arrow.Metadata{})
			return types.NewList(typ, entries, child, valid), err
		},
	}
}

// Member is a field of a struct and its place in the Go struct S. Field and OptionalField make it.
type Member[S any] struct {
	field  arrow.Field
	reader func(v *types.Vector) func(row int, into *S)
	build  func(values []S) (*types.Vector, error)
}

// Field makes a required member: of gives its place in a Go struct, such as func(p *Point) *int64 { return &p.X }.
func Field[S, T any](name string, t Type[T], of func(*S) *T) Member[S] {
	return Member[S]{
		field: withNullability(arrow.Field{Name: name, Type: t.arrow}, false),
		reader: func(v *types.Vector) func(int, *S) {
			read := rows(t, v)
			return func(row int, into *S) { *of(into) = read(row) }
		},
		build: func(values []S) (*types.Vector, error) { return t.build(collect(values, of), nil) },
	}
}

// OptionalField makes a member that may be null.
func OptionalField[S, T any](name string, t Type[T], of func(*S) *Optional[T]) Member[S] {
	return Member[S]{
		field: withNullability(arrow.Field{Name: name, Type: t.arrow}, true),
		reader: func(v *types.Vector) func(int, *S) {
			read := optionalRows(t, v)
			return func(row int, into *S) { *of(into) = read(row) }
		},
		build: func(values []S) (*types.Vector, error) { return buildOptional(t, collect(values, of)) },
	}
}

// Struct is the type of structs with the members given, in their order.
func Struct[S any](members ...Member[S]) Type[S] {
	fields := make([]arrow.Field, len(members))
	for i, m := range members {
		fields[i] = m.field
	}
	dt := arrow.StructOf(fields...)
	return Type[S]{
		arrow: dt,
		reader: func(v *types.Vector) func(int) S {
			readers := make([]func(int, *S), len(members))
			for i, m := range members {
				readers[i] = m.reader(v.Children()[i])
			}
			return func(row int) S {
				var out S
				for _, read := range readers {
					read(row, &out)
				}
				return out
			}
		},
		build: func(values []S, valid types.Bitmap) (*types.Vector, error) {
			children := make([]*types.Vector, len(members))
			for i, m := range members {
				var err error
				if children[i], err = m.build(values); err != nil {
					return nil, err
				}
			}
			typ, err := types.ImportType(dt, arrow.Metadata{})
			return types.NewStruct(typ, len(values), children, valid), err
		},
	}
}

func collect[S, T any](values []S, of func(*S) *T) []T {
	out := make([]T, len(values))
	for i := range values {
		out[i] = *of(&values[i])
	}
	return out
}

// rows gives what reads the rows of a vector in any encoding; none of those that are asked for is null.
func rows[T any](t Type[T], v *types.Vector) func(row int) T {
	switch v.Encoding() {
	case types.Constant:
		read := t.reader(v.First())
		return func(int) T { return read(0) }
	case types.Dictionary:
		read, keys := rows(t, v.Entries()), v.Keys()
		return func(row int) T { return read(int(keys[row])) }
	case types.RunEnd:
		read, ends := rows(t, v.RunValues()), v.RunEnds()
		return func(row int) T { return read(types.FindRun(ends, row)) }
	}
	return t.reader(v)
}

// optionalRows gives what reads the rows of a vector that may be null.
func optionalRows[T any](t Type[T], v *types.Vector) func(row int) Optional[T] {
	read, valid := rows(t, v), types.LogicalValidity(nil, v)
	return func(row int) Optional[T] {
		if !valid.Has(row) {
			return Optional[T]{}
		}
		return Some(read(row))
	}
}

// buildOptional makes a vector of values that may be null.
func buildOptional[T any](t Type[T], values []Optional[T]) (*types.Vector, error) {
	plain := make([]T, len(values))
	valid := make(types.Bitmap, types.BitmapWords(len(values)))
	nulls := false
	for i, x := range values {
		if x.Valid {
			plain[i] = x.Value
			valid.Set(i)
		} else {
			nulls = true
		}
	}
	if !nulls {
		valid = nil
	}
	return t.build(plain, valid)
}
