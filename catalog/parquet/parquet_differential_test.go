package parquet

import (
	"fmt"
	"reflect"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/lacunadb/lacuna/types"
)

// These tests read files with this package and with arrow-go's page reader and compare value by value.

// TestTPCHAgainstArrow reads every column of every TPC-H table.
func TestTPCHAgainstArrow(t *testing.T) {
	for _, name := range []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"} {
		t.Run(name, func(t *testing.T) { compareWithArrow(t, tpch(name)) })
	}
}

func compareWithArrow(t *testing.T, path string) {
	ours := openTable(t, path)
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	columns, err := readRows(ours, allColumns(ours))
	if err != nil {
		t.Fatal(err)
	}
	if rows := ours.Statistics().Rows; rows != r.NumRows() {
		t.Fatalf("%d rows, arrow-go has %d", rows, r.NumRows())
	}
	for i, f := range ours.Schema() {
		theirs, err := arrowColumn(r, i)
		if err != nil {
			t.Fatalf("%s: arrow-go: %v", f.Name, err)
		}
		if len(columns[i]) != len(theirs) {
			t.Fatalf("%s: %d rows, arrow-go has %d", f.Name, len(columns[i]), len(theirs))
		}
		for row := range theirs {
			if got := physical(ours.tree.columns[i].leaf, columns[i][row]); !reflect.DeepEqual(got, theirs[row]) {
				t.Fatalf("%s, row %d: %#v, arrow-go has %#v", f.Name, row, got, theirs[row])
			}
		}
	}
}

// physical gives a value as arrow-go gives it: as the physical type, byte strings as string, null as nil.
func physical(l *leaf, x any) any {
	switch x := x.(type) {
	case types.DecimalValue:
		if l.physical == physicalInt32 {
			return int32(x.Unscaled.Int64())
		}
		return x.Unscaled.Int64()
	case []byte:
		return string(x)
	case int8:
		return int32(x)
	case int16:
		return int32(x)
	case uint8:
		return int32(x)
	case uint16:
		return int32(x)
	case uint32:
		return int32(x)
	case uint64:
		return int64(x)
	case interface{ Unix() int64 }: // a date
		return int32(x.Unix() / 86400)
	}
	return x
}

// arrowColumn reads a flat column with arrow-go.
func arrowColumn(r *file.Reader, column int) ([]any, error) {
	var all []any
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		c, err := group.Column(column)
		if err != nil {
			return nil, err
		}
		rows := group.NumRows()
		switch c := c.(type) {
		case *file.BooleanColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x bool) any { return x })
		case *file.Int32ColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x int32) any { return x })
		case *file.Int64ColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x int64) any { return x })
		case *file.Float32ColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x float32) any { return x })
		case *file.Float64ColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x float64) any { return x })
		case *file.ByteArrayColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x arrowparquet.ByteArray) any { return string(x) })
		case *file.FixedLenByteArrayColumnChunkReader:
			all, err = arrowValues(all, rows, c.Descriptor().MaxDefinitionLevel(), c.ReadBatch, func(x arrowparquet.FixedLenByteArray) any { return string(x) })
		default:
			return nil, fmt.Errorf("column reader %T", c)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func arrowValues[T any](
	all []any, rows int64, most int16, read func(int64, []T, []int16, []int16) (int64, int, error), value func(T) any,
) ([]any, error) {
	const batch = 777
	values, levels := make([]T, batch), make([]int16, batch)
	for rows > 0 {
		n, present, err := read(min(rows, batch), values, levels, nil)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("%d rows are missing", rows)
		}
		rows -= n
		next := 0
		for _, level := range levels[:n] {
			if most > 0 && level < most {
				all = append(all, nil)
				continue
			}
			all = append(all, value(values[next]))
			next++
		}
		if next != present {
			return nil, fmt.Errorf("%d values for %d levels", present, next)
		}
	}
	return all, nil
}
