package parquet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// TestLegacyLists reads lists in the forms of old writers: a repeated field on its own, and one in a LIST that is the element.
func TestLegacyLists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schema.NewGroupNodeLogical("l", arrowparquet.Repetitions.Optional, schema.FieldList{
		schema.NewInt32Node("array", arrowparquet.Repetitions.Repeated, -1),
	}, schema.ListLogicalType{}, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", arrowparquet.Repetitions.Required, schema.FieldList{
		schema.NewInt32Node("r", arrowparquet.Repetitions.Repeated, -1), list,
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	w := file.NewParquetWriter(f, root)
	group := w.AppendRowGroup()
	write := func(values []int32, definition, repetition []int16) {
		c, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.(*file.Int32ColumnChunkWriter).WriteBatch(values, definition, repetition); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write([]int32{1, 2, 3, 4}, []int16{1, 1, 0, 1, 1, 0}, []int16{0, 1, 0, 0, 1, 0})
	write([]int32{5, 6, 7}, []int16{0, 2, 2, 1, 2}, []int16{0, 0, 1, 0, 0})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	table := openTable(t, path)
	for _, batch := range []int{1, 2, 100} {
		request := allColumns(table)
		request.BatchRows = batch
		rows, err := readRows(table, request)
		if got := fmt.Sprint(rows); err != nil || got != "[[[1 2] [] [3 4] []] [<nil> [5 6] [] [7]]]" {
			t.Errorf("batches of %d: %s, %v", batch, got, err)
		}
	}
}
