package parquet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// opened reads the footer of a file of testdata; without its indexes if it is to be read whole.
func opened(t testing.TB, data []byte, indexes bool) *table {
	t.Helper()
	got, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: memoryFiles{data: data}, Path: "memory"})
	if err != nil {
		t.Fatal(err)
	}
	file := got.(*table)
	if !indexes {
		for g := range file.meta.groups {
			for c := range file.meta.groups[g].columns {
				chunk := &file.meta.groups[g].columns[c]
				chunk.columnIndexOffset, chunk.bloomOffset = 0, 0
				chunk.statistics = chunkStatistics{nulls: -1, distinct: -1}
			}
		}
	}
	return file
}

// matching gives the rows that a scan delivers for filters, as texts, and how many it skipped.
func matching(file *table, filters []*expr.Expr, batchRows int) (rows []string, skipped int64, err error) {
	request := allColumns(file)
	request.Filters, request.BatchRows = filters, batchRows
	ctx := context.Background()
	s, err := file.Scan(ctx, request)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	pool := types.NewPool()
	for {
		m, err := s.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		if m == nil {
			break
		}
		for {
			mark := pool.Mark()
			b, err := m.Next(ctx, pool)
			if err != nil {
				return nil, 0, err
			}
			if b == nil {
				break
			}
			for i := range b.Rows {
				if b.Selection.Has(i) {
					row := ""
					for _, v := range b.Columns {
						row += types.Text(v, i) + "|"
					}
					rows = append(rows, row)
				}
			}
			pool.Release(mark)
		}
	}
	return rows, s.(catalog.Skipper).Skipped(), nil
}

// randomFilter makes a condition on a column: a comparison with a value of the file or near it, IN, IS NULL, or two of them.
func randomFilter(t *testing.T, rng *rand.Rand, file *table, samples [][]any, depth int) *expr.Expr {
	if depth > 0 && rng.IntN(3) == 0 {
		a, b := randomFilter(t, rng, file, samples, depth-1), randomFilter(t, rng, file, samples, depth-1)
		if rng.IntN(2) == 0 {
			return expr.NewAnd(a, b)
		}
		return expr.NewOr(a, b)
	}
	c := rng.IntN(len(file.schema))
	for file.schema[c].Type.IsNested() {
		c = rng.IntN(len(file.schema))
	}
	f := file.schema[c]
	column := columnAt(file, f.Name)
	value := func() *expr.Expr { return constant(t, f.Type, samples[c][rng.IntN(len(samples[c]))]) }
	switch rng.IntN(10) {
	case 0:
		return call(t, "is_null", column)
	case 1:
		return call(t, "is_not_null", column)
	case 2, 3, 4:
		return call(t, "eq", column, value())
	case 5:
		var list []any
		for range 1 + rng.IntN(3) {
			list = append(list, samples[c][rng.IntN(len(samples[c]))])
		}
		return call(t, "in", column, constant(t, types.ListOf(f.Type), list))
	}
	return call(t, []string{"lt", "le", "gt", "ge", "ne"}[rng.IntN(5)], column, value())
}

// TestIndexes reads files with page indexes and bloom filters, under random conditions and in batches of several sizes, and compares with what is read without
// them.
func TestIndexes(t *testing.T) {
	for _, name := range []string{"pyarrow_pages", "duckdb_bloom"} {
		data, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		with, without := opened(t, data, true), opened(t, data, false)
		samples := make([][]any, len(with.schema))
		request := allColumns(without)
		if err := eachBatch(without, request, func(b *types.Batch) error {
			for c, v := range b.Columns {
				for i := 0; i < b.Rows; i += 37 {
					if x := types.Value(v, i); x != nil {
						samples[c] = append(samples[c], x)
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for c, f := range with.schema { // values that are not there, within the bounds
			switch f.Type.Kind() {
			case types.KindBigInt:
				samples[c] = append(samples[c], int64(5), int64(11999), int64(-1))
			case types.KindVarchar:
				samples[c] = append(samples[c], "k00000x", "key 1", "")
			case types.KindTinyInt:
				samples[c] = append(samples[c], int8(1), int8(-59))
			case types.KindUInteger:
				samples[c] = append(samples[c], uint32(3), uint32(99))
			}
		}
		total := int64(0)
		for seed := range uint64(150) {
			rng := rand.New(rand.NewPCG(seed, 5))
			filters := []*expr.Expr{randomFilter(t, rng, with, samples, 2)}
			if rng.IntN(2) == 0 {
				filters = append(filters, randomFilter(t, rng, with, samples, 1))
			}
			rows := []int{7, 100, 4096}[rng.IntN(3)]
			got, skipped, err := matching(with, filters, rows)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, filters, err)
			}
			want, _, err := matching(without, filters, 4096)
			if err != nil {
				t.Fatal(err)
			}
			total += skipped
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s, %v: %d rows, want %d", name, filters, len(got), len(want))
			}
			if skipped > with.meta.rows-int64(len(got)) {
				t.Errorf("%s, %v: %d of %d rows skipped, %d found", name, filters, skipped, with.meta.rows, len(got))
			}
		}
		if total < 150*with.meta.rows/20 {
			t.Errorf("%s: only %d rows were skipped of %d", name, total, 150*with.meta.rows)
		}
	}
}

// TestPageSkipping has a condition that few pages can meet, and a value that only a bloom filter knows to be missing.
func TestPageSkipping(t *testing.T) {
	data, err := os.ReadFile("testdata/pyarrow_pages.parquet")
	if err != nil {
		t.Fatal(err)
	}
	file := opened(t, data, true)
	got, skipped, err := matching(file, []*expr.Expr{call(t, "eq", columnAt(file, "id"), constant(t, types.BigInt, int64(6789)))}, 4096)
	if err != nil || len(got) != 1 || skipped < 11_000 {
		t.Errorf("one row by a page index: %v, %d of 12000 rows skipped (%v)", got, skipped, err)
	}
	if data, err = os.ReadFile("testdata/duckdb_bloom.parquet"); err != nil {
		t.Fatal(err)
	}
	file = opened(t, data, true)
	for name, x := range map[string]any{"k": int64(100), "s": "key 100", "t": int8(1), "u": uint32(101)} {
		f := file.schema[file.schema.Index(name)]
		got, skipped, err := matching(file, []*expr.Expr{call(t, "eq", columnAt(file, name), constant(t, f.Type, x))}, 4096)
		if err != nil || len(got) != 0 || skipped != 6000 {
			t.Errorf("%s = %v: %d rows, %d of 6000 skipped (%v)", name, x, len(got), skipped, err)
		}
	}
}

// TestDamagedIndexes damages indexes: nothing panics, and errors are ours. That an index lies about values cannot be seen.
func TestDamagedIndexes(t *testing.T) {
	for _, name := range []string{"pyarrow_pages", "duckdb_bloom"} {
		data, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		clean := opened(t, data, true)
		rng := rand.New(rand.NewPCG(1, 9))
		column := clean.schema[0].Name
		for range 500 {
			file := opened(t, data, true)
			damaged := append([]byte(nil), data...)
			chunk := &file.meta.groups[rng.IntN(len(file.meta.groups))].columns[0]
			for _, at := range [][2]int64{{chunk.columnIndexOffset, chunk.columnIndexLength}, {chunk.offsetIndexOffset, chunk.offsetIndexLength}, {chunk.bloomOffset, 20}} {
				if at[0] > 0 {
					damaged[at[0]+rng.Int64N(max(at[1], 1))] = byte(rng.Uint32())
				}
			}
			switch rng.IntN(4) {
			case 0:
				chunk.columnIndexOffset = rng.Int64N(int64(len(data)) + 100)
			case 1:
				chunk.offsetIndexLength = rng.Int64N(1 << 40)
			case 2:
				chunk.bloomOffset = rng.Int64N(int64(len(data)) + 100)
			}
			file.files = memoryFiles{data: damaged}
			_, _, err := matching(file, []*expr.Expr{call(t, "eq", columnAt(file, column), constant(t, types.BigInt, int64(70)))}, 100)
			if err != nil && !errors.As(err, new(*types.Error)) {
				t.Fatalf("not an error of ours: %v", err)
			}
		}
	}
}
