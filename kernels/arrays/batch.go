package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
