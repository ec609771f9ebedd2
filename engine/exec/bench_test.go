package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

func benchmark(b *testing.B, rows int, root plan.Physical) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := drainBatches(newRun(2, 0), root); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkOperators(b *testing.B) {
	const rows = 1 << 20
	few, _ := bigTable(rows, 100)
	many, _ := bigTable(rows, 1<<40)
	for _, t := range []*fakeTable{few, many} {
		t.morselRows = 1 << 16
	}
	for _, c := range []struct {
		name string
		root func(s plan.Physical) plan.Physical
		t    *fakeTable
	}{
		{"scan", func(s plan.Physical) plan.Physical { return s }, few},
		{"filter", func(s plan.Physical) plan.Physical {
			return filterOf(s, call("gt", column(s, 2), integer(3)))
		}, few},
		{"project", func(s plan.Physical) plan.Physical {
			return projectOf(s, call("add", column(s, 2), column(s, 3)))
		}, few},
		{"sum", func(s plan.Physical) plan.Physical { return groupOf(s, nil, aggregateOf("sum", column(s, 2))) }, few},
		{"few groups", func(s plan.Physical) plan.Physical { return groupOf(s, []int{0}, aggregateOf("sum", column(s, 2))) }, few},
		{"few long text groups", func(s plan.Physical) plan.Physical { return groupOf(s, []int{1}, aggregateOf("sum", column(s, 2))) }, few},
		{"many groups", func(s plan.Physical) plan.Physical { return groupOf(s, []int{0}, aggregateOf("sum", column(s, 2))) }, many},
		{"sort", func(s plan.Physical) plan.Physical { return sortOf(s, -1, 0, ascending(column(s, 0))) }, many},
		{"sort text", func(s plan.Physical) plan.Physical { return sortOf(s, -1, 0, ascending(column(s, 1))) }, many},
		{"top", func(s plan.Physical) plan.Physical { return sortOf(s, 10, 0, ascending(column(s, 0))) }, many},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, rows, c.root(scanOf(c.t))) })
	}
}

func BenchmarkWindows(b *testing.B) {
	const rows = 1 << 20
	few, _ := bigTable(rows, 100)
	many, _ := bigTable(rows, rows/4)
	for _, t := range []*fakeTable{few, many} {
		t.morselRows = 1 << 16
	}
	sliding := rowsFrame(-50, 50)
	for _, c := range []struct {
		name      string
		t         *fakeTable
		partition int // column; -1 for none
		call      func(s plan.Physical) plan.WindowCall
	}{
		{"row number", few, 0, func(plan.Physical) plan.WindowCall { return windowCallOf("row_number", plan.DefaultFrame()) }},
		{"row number of small partitions", many, 0, func(plan.Physical) plan.WindowCall { return windowCallOf("row_number", plan.DefaultFrame()) }},
		{"row number of text partitions", few, 1, func(plan.Physical) plan.WindowCall { return windowCallOf("row_number", plan.DefaultFrame()) }},
		{"lag", few, 0, func(s plan.Physical) plan.WindowCall { return windowCallOf("lag", plan.DefaultFrame(), column(s, 2)) }},
		{"running sum", few, 0, func(s plan.Physical) plan.WindowCall { return windowCallOf("sum", plan.DefaultFrame(), column(s, 2)) }},
		{"running sum of all", few, -1, func(s plan.Physical) plan.WindowCall { return windowCallOf("sum", plan.DefaultFrame(), column(s, 2)) }},
		{"running sum of floats", few, 0, func(s plan.Physical) plan.WindowCall {
			return windowCallOf("sum", plan.DefaultFrame(), expr.NewCast(column(s, 2), types.Double, false))
		}},
		{"sliding sum", few, 0, func(s plan.Physical) plan.WindowCall { return windowCallOf("sum", sliding, column(s, 2)) }},
		{"sliding sum of floats", few, 0, func(s plan.Physical) plan.WindowCall {
			return windowCallOf("sum", sliding, expr.NewCast(column(s, 2), types.Double, false))
		}},
		{"sliding max", few, 0, func(s plan.Physical) plan.WindowCall { return windowCallOf("max", sliding, column(s, 2)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scanOf(c.t)
			var partition []*expr.Expr
			if c.partition >= 0 {
				partition = append(partition, column(s, c.partition))
			}
			benchmark(b, rows, windowOf(s, partition, []plan.SortKey{ascending(column(s, 3))}, c.call(s)))
		})
	}
}

// BenchmarkWide keeps batches of many columns, whose buffers the pool has to find again one by one.
func BenchmarkWide(b *testing.B) {
	for _, columns := range []int{10, 100, 1000} {
		const rows, morsels = 1024, 16
		table := &funcTable{morsels: morsels}
		for i := range columns {
			table.schema = append(table.schema, types.Field{Name: fmt.Sprint(i), Type: types.BigInt})
		}
		table.next = func(_ context.Context, pool *types.Pool, _, i int) (*types.Batch, error) {
			if i > 0 {
				return nil, nil
			}
			out := make([]*types.Vector, columns)
			for c := range out {
				values := types.Alloc[int64](pool, rows)
				clear(values)
				valid := pool.Bitmap(rows)
				types.FillBitmap(valid, rows)
				out[c] = types.NewFixed(types.BigInt, values, valid)
			}
			return types.NewBatch(out, rows, 0), nil
		}
		b.Run(fmt.Sprint(columns), func(b *testing.B) { benchmark(b, rows*morsels*columns, scanTable(table)) })
	}
	pool := types.NewPool()
	v := kernels.Decode(&kernels.Env{Pool: pool}, types.NewConstant(types.NewFixed(types.BigInt, []int64{1}, nil), 1024))
	b.Run("adopt", func(b *testing.B) {
		for range 3000 {
			pool.Bytes(64)
		}
		for b.Loop() {
			pool.Adopt(v)
		}
	})
}

// keyTable has n rows of a key, given by key(row), as an integer and as a text, and two payloads.
func keyTable(n int, key func(row int) int) *fakeTable {
	keys, payload, texts := make([]int64, n), make([]int64, n), kernels.NewViewBuilder(nil, types.Varchar, n)
	for i := range keys {
		keys[i], payload[i] = int64(key(i)), int64(i)
		texts.Append(fmt.Appendf(nil, "key number %d", keys[i]))
	}
	return &fakeTable{
		schema: types.Schema{{Name: "k", Type: types.BigInt}, {Name: "t", Type: types.Varchar}, {Name: "p", Type: types.BigInt}, {Name: "q", Type: types.BigInt}},
		columns: []*types.Vector{
			types.NewFixed(types.BigInt, keys, nil), texts.Finish(nil), types.NewFixed(types.BigInt, payload, nil), types.NewFixed(types.BigInt, keys, nil),
		},
		rows: n, morselRows: 1 << 16,
	}
}

// scatter spreads numbers below a power of two over each other.
func scatter(i int) int { return int(uint64(i) * 0x9e3779b97f4a7c15 >> 20) }

// BenchmarkJoin joins on one worker and sums a payload of each side. The time is per row of both sides.
func BenchmarkJoin(b *testing.B) {
	const probes = 1 << 21
	for _, c := range []struct {
		name   string
		builds int
		key    func(i int) int // of the build side
		text   bool
		fan    int // build rows per key
	}{
		{name: "dense", builds: 100_000, key: func(i int) int { return i }},
		{name: "dense large", builds: 1_500_000, key: func(i int) int { return i }},
		{name: "sparse", builds: 100_000, key: func(i int) int { return i * 1_000_003 }},
		{name: "sparse large", builds: 1_500_000, key: func(i int) int { return i * 1_000_003 }},
		{name: "text", builds: 100_000, key: func(i int) int { return i }, text: true},
		{name: "many to many", builds: 100_000, key: func(i int) int { return i / 8 * 1_000_003 }},
		{name: "few match", builds: 10_000, key: func(i int) int { return i * 1_000_003 }, fan: 100},
	} {
		build := keyTable(c.builds, c.key)
		probe := keyTable(probes, func(i int) int {
			if c.fan > 0 && i%c.fan > 0 {
				return -i
			}
			return c.key(scatter(i) % c.builds)
		})
		l, r := scanOf(probe), scanOf(build)
		key := 0
		if c.text {
			key = 1
		}
		j := &plan.HashJoin{
			Operator: plan.Operator{Output: types.Schema{l.Schema()[2], r.Schema()[2]}}, Kind: plan.InnerJoin, Left: l, Right: r,
			Keys: []plan.JoinKey{{Left: column(l, key), Right: column(r, key)}}, Columns: []int{2, 6},
		}
		root := groupOf(j, nil, aggregateOf("sum", column(j, 0)), aggregateOf("sum", column(j, 1)))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run := newRun(1, 0)
				run.options.Budget = NewBudget(4 << 30)
				if _, err := drainBatches(run, root); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(probes+c.builds), "ns/row")
		})
	}
}
