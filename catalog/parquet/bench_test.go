package parquet

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// lineitem gives a lineitem file to measure with: the one that LACUNA_LINEITEM names, or the small one of the tests.
func lineitem() string {
	if path := os.Getenv("LACUNA_LINEITEM"); path != "" {
		return path
	}
	return tpch("lineitem")
}

func tpch(name string) string { return "../../engine/testdata/tpch/" + name + ".parquet" }

// drain scans as an engine does, without looking at the rows.
func drain(b *testing.B, t catalog.Table, request catalog.ScanRequest) (rows, selected int) {
	ctx := context.Background()
	s, err := t.Scan(ctx, request)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	pool := types.NewPool()
	for {
		m, err := s.Next(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if m == nil {
			return rows, selected
		}
		for {
			mark := pool.Mark()
			batch, err := m.Next(ctx, pool)
			if err != nil {
				b.Fatal(err)
			}
			if batch == nil {
				break
			}
			rows += batch.Rows
			selected += batch.Selected
			pool.Release(mark)
		}
	}
}

func measure(b *testing.B, t catalog.Table, request catalog.ScanRequest) {
	request.Limit, request.BatchRows = -1, 4096
	rows, selected := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		rows, selected = drain(b, t, request)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	b.ReportMetric(float64(selected), "selected")
}

// BenchmarkScanLineitem reads each column on its own, and all.
func BenchmarkScanLineitem(b *testing.B) {
	opened := openTable(b, lineitem())
	all := allColumns(opened)
	for i, f := range opened.Schema() {
		b.Run(f.Name, func(b *testing.B) { measure(b, opened, catalog.ScanRequest{Columns: all.Columns[i : i+1]}) })
	}
	b.Run("all", func(b *testing.B) { measure(b, opened, all) })
}

// BenchmarkScanFiltered is the scan of TPC-H query 6: three filters on dictionary columns, two per cent of the rows pass.
func BenchmarkScanFiltered(b *testing.B) {
	opened := openTable(b, lineitem())
	request := catalog.ScanRequest{}
	columns := map[string]*expr.Expr{}
	for i, name := range []string{"l_shipdate", "l_discount", "l_quantity", "l_extendedprice"} {
		c := columnAt(opened, name)
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: c.Column})
		columns[name] = expr.NewColumn(i, name, c.Type, c.Nullable)
	}
	filter := func(name, column string, x any) {
		c := columns[column]
		request.Filters = append(request.Filters, call(b, name, c, constant(b, c.Type, x)))
	}
	filter("ge", "l_shipdate", time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC))
	filter("lt", "l_shipdate", time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC))
	filter("ge", "l_discount", "0.05")
	filter("le", "l_discount", "0.07")
	filter("lt", "l_quantity", "24")
	measure(b, opened, request)
}
