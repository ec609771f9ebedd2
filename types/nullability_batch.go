package types

import (
	"errors"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// OptionalSchema gives the schema in which the fields that paths name are optional. A path starts with a column's name and goes on as under
// OptionalDeep: "s.l[]". Without any path it is every column, but nothing below. Metadata are kept.
//
// Errors: ErrNoMember for a path that leads nowhere, ErrAmbiguousMember where two columns have the name, and those of OptionalDeep.
func OptionalSchema(schema *arrow.Schema, opts OptionalOptions, paths ...string) (*arrow.Schema, error) {
	return changeSchema(schema, paths, func(f arrow.Field, at *place) (arrow.Field, error) { return optionalField(f, opts, at) })
}

// RequiredSchema gives the schema in which the fields that paths name hold no nulls; paths and errors are those of OptionalSchema.
func RequiredSchema(schema *arrow.Schema, paths ...string) (*arrow.Schema, error) {
	return changeSchema(schema, paths, func(f arrow.Field, at *place) (arrow.Field, error) { return requiredField(f, false, at) })
}

// OptionalBatch gives a record batch with the schema of OptionalSchema; its arrays are as under Optional. The caller releases it.
func OptionalBatch(batch arrow.RecordBatch, opts OptionalOptions, paths ...string) (arrow.RecordBatch, error) {
	return changeBatch(batch, paths, func(f arrow.Field, a arrow.Array, paths []string) (arrow.Field, arrow.Array, error) {
		return OptionalDeep(f, a, opts, paths...)
	})
}

// RequiredBatch gives a record batch with the schema of RequiredSchema, or ErrNullInRequired as under Required. The caller releases it.
func RequiredBatch(batch arrow.RecordBatch, paths ...string) (arrow.RecordBatch, error) {
	return changeBatch(batch, paths, func(f arrow.Field, a arrow.Array, paths []string) (arrow.Field, arrow.Array, error) {
		return RequiredDeep(f, a, paths...)
	})
}

// pathsByColumn sorts paths by the column that they start at; what is left of them is as OptionalDeep takes it.
func pathsByColumn(schema *arrow.Schema, paths []string) ([][]string, error) {
	out := make([][]string, schema.NumFields())
	if len(paths) == 0 {
		for i := range out {
			out[i] = []string{""}
		}
	}
	for _, path := range paths {
		name, rest, ok := cutName(path)
		if !ok {
			return nil, KindErrorf(ErrNoMember, "path %q does not start with the name of a column", path)
		}
		switch found := schema.FieldIndices(name); len(found) {
		case 0:
			return nil, KindErrorf(ErrNoMember, "there is no column %s", QuoteIdent(name)).WithRow(name, -1)
		case 1:
			out[found[0]] = append(out[found[0]], strings.TrimPrefix(rest, "."))
		default:
			return nil, KindErrorf(ErrAmbiguousMember, "there are %d columns %s", len(found), QuoteIdent(name)).WithRow(name, -1)
		}
	}
	return out, nil
}

func changeSchema(schema *arrow.Schema, paths []string, change func(arrow.Field, *place) (arrow.Field, error)) (*arrow.Schema, error) {
	byColumn, err := pathsByColumn(schema, paths)
	if err != nil {
		return nil, err
	}
	fields := schema.Fields()
	for i, below := range byColumn {
		if len(below) == 0 {
			continue
		}
		if fields[i], err = changeField(fields[i], below, change); err != nil {
			return nil, err
		}
	}
	return withSchemaFields(schema, fields), nil
}

func changeBatch(batch arrow.RecordBatch, paths []string, change func(arrow.Field, arrow.Array, []string) (arrow.Field, arrow.Array, error)) (arrow.RecordBatch, error) {
	byColumn, err := pathsByColumn(batch.Schema(), paths)
	if err != nil {
		return nil, err
	}
	fields := batch.Schema().Fields()
	columns := make([]arrow.Array, 0, len(fields))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i, below := range byColumn {
		column := batch.Column(i)
		if len(below) == 0 {
			column.Retain()
		} else if fields[i], column, err = change(fields[i], column, below); err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(withSchemaFields(batch.Schema(), fields), columns, batch.NumRows()), nil
}

// withSchemaFields gives a schema with other fields and everything else as it was.
func withSchemaFields(schema *arrow.Schema, fields []arrow.Field) *arrow.Schema {
	metadata := schema.Metadata()
	return arrow.NewSchemaWithEndian(fields, &metadata, schema.Endianness())
}

// OptionalChunked is Optional for all chunks of a column. The caller releases the chunks.
func OptionalChunked(f arrow.Field, chunks *arrow.Chunked, opts OptionalOptions) (arrow.Field, *arrow.Chunked, error) {
	out, err := OptionalField(f, opts)
	if err != nil {
		return arrow.Field{}, nil, err
	}
	changed, err := changeChunks(out.Type, chunks, func(a arrow.Array) (arrow.Field, arrow.Array, error) { return Optional(f, a, opts) })
	return out, changed, err
}

// RequiredChunked is Required for all chunks of a column. The row of ErrNullInRequired counts from the first chunk, its number of rows is that of the
// first chunk with a null. The caller releases the chunks.
func RequiredChunked(f arrow.Field, chunks *arrow.Chunked) (arrow.Field, *arrow.Chunked, error) {
	out, err := RequiredField(f)
	if err != nil {
		return arrow.Field{}, nil, err
	}
	changed, err := changeChunks(out.Type, chunks, func(a arrow.Array) (arrow.Field, arrow.Array, error) { return Required(f, a) })
	return out, changed, err
}

func changeChunks(to arrow.DataType, chunks *arrow.Chunked, change func(arrow.Array) (arrow.Field, arrow.Array, error)) (*arrow.Chunked, error) {
	changed := make([]arrow.Array, 0, len(chunks.Chunks()))
	defer func() {
		for _, c := range changed {
			c.Release()
		}
	}()
	row := int64(0)
	for _, chunk := range chunks.Chunks() {
		_, c, err := change(chunk)
		if err != nil {
			var e *Error
			if errors.As(err, &e) && e.Row >= 0 {
				moved := *e
				moved.Row += row
				return nil, &moved
			}
			return nil, err
		}
		changed = append(changed, c)
		row += int64(chunk.Len())
	}
	return arrow.NewChunked(to, changed), nil
}
