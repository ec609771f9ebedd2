package parquet

import (
	"context"
	"os"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
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

func BenchmarkScanLineitem(b *testing.B) {
	ctx := context.Background()
	opened, err := Format{}.Open(ctx, catalog.LocalFiles{}, lineitem())
	if err != nil {
		b.Fatal(err)
	}
	schema := opened.Schema()
	scan := func(b *testing.B, columns []int) {
		request := catalog.ScanRequest{Limit: -1, BatchRows: 4096}
		for _, c := range columns {
			request.Columns = append(request.Columns, catalog.ColumnPath{Column: c})
		}
		pool := types.NewPool()
		var rows int64
		b.ReportAllocs()
		for b.Loop() {
			rows = 0
			s, err := opened.Scan(ctx, request)
			if err != nil {
				b.Fatal(err)
			}
			for {
				m, err := s.Next(ctx)
				if err != nil {
					b.Fatal(err)
				}
				if m == nil {
					break
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
					rows += int64(batch.Rows)
					pool.Release(mark)
				}
			}
			s.Close()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	}
	all := make([]int, len(schema))
	for i, f := range schema {
		all[i] = i
		b.Run(f.Name, func(b *testing.B) { scan(b, []int{i}) })
	}
	b.Run("all", func(b *testing.B) { scan(b, all) })
}
