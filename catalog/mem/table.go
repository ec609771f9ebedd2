package mem

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Table is a catalog.Table over Arrow arrays. It is immutable and counts its users: whoever made it holds one reference, a query that reads
// it Acquires another. The arrays are released with the last.
type Table struct {
	schema  types.Schema
	columns []column
	rows    int64
	sources []source // what is retained
	users   atomic.Int64

	sampled    sync.Once
	statistics catalog.Statistics // once sampled
}

// source is an Arrow object that holds the arrays.
type source interface {
	Retain()
	Release()
}

// NewTable makes a table of an Arrow table, whose columns may be cut into chunks in any way. The Arrow table is retained until the last
// Release.
//
// Errors: types.ErrUnsupported for a column type without an SQL counterpart, types.ErrInvalidLayout and its kin for arrays that contradict
// themselves, types.ErrLengthMismatch for columns of different lengths, types.ErrNullInRequired for a null in a column that is not
// nullable; each with column and, where there is one, row.
func NewTable(t arrow.Table) (*Table, error) {
	schema := t.Schema()
	if int(t.NumCols()) != schema.NumFields() {
		return nil, types.KindErrorf(types.ErrLengthMismatch, "table has %d columns, its schema %d", t.NumCols(), schema.NumFields())
	}
	chunks := make([][]arrow.ArrayData, schema.NumFields())
	for i := range chunks {
		for _, c := range t.Column(i).Data().Chunks() {
			chunks[i] = append(chunks[i], c.Data())
		}
	}
	return newTable(schema, chunks, t.NumRows(), []source{t})
}

// FromRecords makes a table of record batches, which are retained until the last Release. Each must have the columns of the schema, by
// type and order. Without columns the table has the batches' rows all the same. Errors are those of NewTable.
func FromRecords(schema *arrow.Schema, records []arrow.RecordBatch) (*Table, error) {
	chunks := make([][]arrow.ArrayData, schema.NumFields())
	sources := make([]source, len(records))
	rows := int64(0)
	for r, record := range records {
		if int(record.NumCols()) != len(chunks) {
			return nil, types.KindErrorf(types.ErrLengthMismatch, "record batch %d has %d columns, the schema %d", r, record.NumCols(), len(chunks))
		}
		for i := range chunks {
			data := record.Column(i).Data()
			if int64(data.Len()) != record.NumRows() {
				return nil, types.KindErrorf(types.ErrLengthMismatch, "record batch %d has %d rows, its column %d",
					r, record.NumRows(), data.Len()).WithRow(schema.Field(i).Name, -1)
			}
			chunks[i] = append(chunks[i], data)
		}
		rows += record.NumRows()
		sources[r] = record
	}
	return newTable(schema, chunks, rows, sources)
}

// FromReader reads all that a reader has left and makes a table of it. The reader's own error is the result's cause. The reader stays the
// caller's to release.
func FromReader(reader array.RecordReader) (*Table, error) {
	var records []arrow.RecordBatch
	defer func() {
		for _, record := range records {
			record.Release()
		}
	}()
	for reader.Next() {
		record := reader.RecordBatch()
		record.Retain()
		records = append(records, record)
	}
	if err := reader.Err(); err != nil {
		return nil, types.Errorf(types.CodeIO, "the record reader failed: %v", err).WithCause(err)
	}
	return FromRecords(reader.Schema(), records)
}

// newTable checks the chunks of all columns and retains the sources when nothing is wrong.
func newTable(schema *arrow.Schema, chunks [][]arrow.ArrayData, rows int64, sources []source) (*Table, error) {
	columns, err := types.ImportSchema(schema)
	if err != nil {
		return nil, err
	}
	t := &Table{schema: columns, columns: make([]column, len(columns)), rows: rows, sources: sources}
	for i, field := range columns {
		if t.columns[i], err = newColumn(field, schema.Field(i).Type, chunks[i]); err != nil {
			return nil, err
		}
		if n := t.columns[i].rows(); n != rows {
			return nil, types.KindErrorf(types.ErrLengthMismatch, "column has %d rows, the table %d", n, rows).WithRow(field.Name, -1)
		}
	}
	for _, s := range sources {
		s.Retain()
	}
	t.users.Store(1)
	return t, nil
}

// Schema gives the columns.
func (t *Table) Schema() types.Schema { return t.schema }

// Applies accepts no filter: a table in memory has nothing to skip.
func (t *Table) Applies(*expr.Expr) bool { return false }

// Acquire adds a user, who calls Release when done. It reports false, and adds none, when the last user has gone already.
func (t *Table) Acquire() bool { return acquire(&t.users) }

// Release ends one use; with the last one the Arrow data are released.
func (t *Table) Release() {
	switch n := t.users.Add(-1); {
	case n == 0:
		for _, s := range t.sources {
			s.Release()
		}
	case n < 0:
		panic(fmt.Sprintf("mem: table released %d times too often", -n))
	}
}
