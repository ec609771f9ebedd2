package agg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

const benchRows = 4096

// BenchmarkUpdate adds batches of 4096 rows: to one group, to 4 and to a million, without nulls and with a tenth of them. ns/row is the
// figure to look at.
func BenchmarkUpdate(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	ints, floats, texts := make([]int64, benchRows), make([]float64, benchRows), make([]any, benchRows)
	decimals := make([]int64, benchRows)
	for i := range ints {
		ints[i], floats[i], texts[i] = rng.Int64(), rng.Float64(), fmt.Sprint("customer ", rng.IntN(1000000), " of many")
		decimals[i] = rng.Int64N(10_000_000)
	}
	views, err := types.FromValues(nil, types.Varchar, texts)
	if err != nil {
		b.Fatal(err)
	}
	valid := make(types.Bitmap, types.BitmapWords(benchRows))
	for i := range benchRows {
		if rng.IntN(10) > 0 {
			valid.Set(i)
		}
	}
	keys := make([]uint32, benchRows)
	for i := range keys {
		keys[i] = rng.Uint32N(50)
	}
	for _, c := range []struct {
		name  string
		value *types.Vector
	}{
		{"sum", types.NewFixed(types.BigInt, ints, nil)},
		{"sum", types.NewFixed(types.Decimal(15, 2), decimals, nil)},
		{"sum", types.NewFixed(types.Double, floats, nil)},
		{"avg", types.NewFixed(types.Decimal(15, 2), decimals, nil)},
		{"count", types.NewFixed(types.BigInt, ints, nil)},
		{"min", types.NewFixed(types.BigInt, ints, nil)},
		{"min", types.NewFixed(types.Double, floats, nil)},
		{"max", views},
		{"stddev", types.NewFixed(types.Double, floats, nil)},
		{"any_value", types.NewFixed(types.BigInt, ints, nil)},
		{"sum", types.NewDictionary(keys, types.NewFixed(types.Decimal(12, 2), decimals[:50], nil), nil)},
	} {
		a := bind(b, c.name, c.value.Type())
		for _, groupCount := range []int{1, 4, 1 << 20} {
			for _, nulls := range []bool{false, true} {
				v := c.value
				if nulls {
					v = v.WithValidity(valid)
				}
				name := fmt.Sprintf("%s_%s_%s/groups=%d/nulls=%v", c.name, c.value.Type(), c.value.Encoding(), groupCount, nulls)
				b.Run(name, func(b *testing.B) {
					acc := a.New()
					if err := acc.Resize(groupCount); err != nil {
						b.Fatal(err)
					}
					var groups [][]uint32
					if groupCount > 1 {
						for range 64 {
							g := make([]uint32, benchRows)
							for i := range g {
								g[i] = rng.Uint32N(uint32(groupCount))
							}
							groups = append(groups, g)
						}
					}
					pool := types.NewPool()
					env := &kernels.Env{Pool: pool, Rows: benchRows}
					args := []*types.Vector{v}
					b.ResetTimer()
					for i := range b.N {
						mark := pool.Mark()
						var g []uint32
						if groups != nil {
							g = groups[i%len(groups)]
						}
						if err := acc.Update(env, g, args, benchRows); err != nil {
							b.Fatal(err)
						}
						pool.Release(mark)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
					b.ReportAllocs()
				})
			}
		}
	}
}
