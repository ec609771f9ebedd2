package parquet

import (
	"context"
	"fmt"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

func openTable(t testing.TB, path string) *table {
	t.Helper()
	opened, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: catalog.LocalFiles{}, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return opened.(*table)
}

// allColumns asks for every column of a table.
func allColumns(t catalog.Table) catalog.ScanRequest {
	request := catalog.ScanRequest{Limit: -1, BatchRows: 1000}
	for i := range t.Schema() {
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: i})
	}
	return request
}

// eachBatch scans and calls f with every batch, whose memory is taken back afterwards.
func eachBatch(t catalog.Table, request catalog.ScanRequest, f func(*types.Batch) error) error {
	ctx := context.Background()
	s, err := t.Scan(ctx, request)
	if err != nil {
		return err
	}
	defer s.Close()
	pool := types.NewPool()
	for number := 0; ; number++ {
		m, err := s.Next(ctx)
		if err != nil || m == nil {
			return err
		}
		if m.Number() != number {
			return fmt.Errorf("morsel %d has number %d", number, m.Number())
		}
		for {
			mark := pool.Mark()
			batch, err := m.Next(ctx, pool)
			if err != nil {
				return err
			}
			if batch == nil {
				break
			}
			if err := checkBatch(batch, len(request.Columns)); err != nil {
				return err
			}
			if err := f(batch); err != nil {
				return err
			}
			pool.Release(mark)
		}
	}
}

// checkBatch looks at what every batch promises.
func checkBatch(b *types.Batch, columns int) error {
	if len(b.Columns) != columns || b.Selected != b.Selection.Count(b.Rows) || b.Selected == 0 {
		return fmt.Errorf("batch of %d columns, %d rows, %d selected", len(b.Columns), b.Rows, b.Selected)
	}
	for i, v := range b.Columns {
		if v.Len() != b.Rows {
			return fmt.Errorf("column %d has %d of %d rows", i, v.Len(), b.Rows)
		}
		if v.Encoding() == types.Dictionary {
			for row, k := range v.Keys() {
				if int(k) >= v.Entries().Len() {
					return fmt.Errorf("column %d, row %d: key %d of %d entries", i, row, k, v.Entries().Len())
				}
			}
		}
		if last := v.Validity(); v.Encoding() != types.Constant && len(last) > 0 && last[len(last)-1]&^types.LastWordMask(v.Len()) != 0 {
			return fmt.Errorf("column %d has validity behind its last row", i)
		}
	}
	return nil
}

// readRows gives the selected rows of a scan as Go values, column by column.
func readRows(t catalog.Table, request catalog.ScanRequest) ([][]any, error) {
	columns := make([][]any, len(request.Columns))
	err := eachBatch(t, request, func(b *types.Batch) error {
		for i, v := range b.Columns {
			for row := b.Selection.NextSet(0, b.Rows); row < b.Rows; row = b.Selection.NextSet(row+1, b.Rows) {
				columns[i] = append(columns[i], types.Value(v, row))
			}
		}
		return nil
	})
	return columns, err
}
