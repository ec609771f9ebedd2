package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
)

// ColumnOf gives a column of a record batch, which keeps owning its array.
func ColumnOf(batch arrow.RecordBatch, i int) Column {
	return Column{Field: batch.Schema().Field(i), Array: batch.Column(i)}
}

// eachColumn makes a record batch of what a verb makes of each column.
func eachColumn(batch arrow.RecordBatch, verb func(Column) (Column, error)) (arrow.RecordBatch, error) {
	fields := make([]arrow.Field, batch.NumCols())
	columns := make([]arrow.Array, 0, batch.NumCols())
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	rows := int64(0)
	for i := range fields {
		c, err := verb(ColumnOf(batch, i))
		if err != nil {
			return nil, err
		}
		fields[i], rows = c.Field, int64(c.Len())
		columns = append(columns, c.Array)
	}
	metadata := batch.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, rows), nil
}

// StructBatch gives the fields of a column of structs as the columns of a record batch, each null where the struct is, as under StructField. It is for
// record batches that come as struct arrays, as through the C data interface: the bitmap of such an array counts for every column. The caller releases it.
//
// Options: Unions, Runs, KeepRunEnds.
func StructBatch(parent Column, o Options) (arrow.RecordBatch, error) {
	structs, ok := valueType(parent.Field.Type).(*arrow.StructType)
	if !ok {
		return nil, types.Errorf(types.CodeDatatypeMismatch, "%s has no fields", parent.Field.Type)
	}
	fields := make([]arrow.Field, structs.NumFields())
	columns := make([]arrow.Array, 0, len(fields))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i := range fields {
		c, err := structField(parent, structs, i, o)
		if err != nil {
			return nil, err
		}
		fields[i] = c.Field
		columns = append(columns, c.Array)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(parent.Len())), nil
}
