package mem

import (
	"math/rand/v2"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// sampleRows is the number of rows that statistics are made of. A smaller table is read whole.
const sampleRows = 1024

// mostlyOnce is the share of a sample's values that come once from which the sample says little about how many there are in the table.
const mostlyOnce = 0.98

// Statistics gives the number of rows, which is exact, and of each column what a sample says, which is estimated: bounds, nulls, distinct values. The sample
// is read when they are first asked for.
func (t *Table) Statistics() catalog.Statistics {
	t.sampled.Do(func() {
		t.statistics = catalog.Statistics{
			Rows: t.rows, RowsConfidence: catalog.Exact, Source: "sample of an arrow table", Columns: make([]catalog.ColumnStatistics, len(t.columns)),
		}
		rows := sampledRows(t.rows)
		for i := range t.columns {
			if c := &t.columns[i]; len(rows) > 0 && !c.field.Type.IsNested() && c.field.Type.Kind() != types.KindNull {
				t.statistics.Columns[i] = c.sample(rows, t.rows)
			}
		}
	})
	return t.statistics
}

// sampledRows chooses rows, in order: one at random out of each of as many equal ranges.
func sampledRows(rows int64) []int64 {
	n := min(rows, sampleRows)
	random := rand.New(rand.NewPCG(uint64(rows), sampleRows)) // the same for the same table
	chosen := make([]int64, n)
	for i := range chosen {
		from, to := int64(i)*rows/n, int64(i+1)*rows/n
		chosen[i] = from + random.Int64N(to-from)
	}
	return chosen
}

// sample makes statistics of some of a table's rows.
func (c *column) sample(rows []int64, total int64) catalog.ColumnStatistics {
	var vectors []*types.Vector
	for next := 0; next < len(rows); {
		k := &c.chunks[c.find(rows[next])]
		end := next
		for end < len(rows) && rows[end] < k.start+int64(k.rows) {
			end++
		}
		vectors = append(vectors, k.rowsOf(rows[next:end], c.field)...)
		next = end
	}
	return estimated(vectors, len(rows), total)
}

// estimated makes statistics of a column of total rows from a sample of n.
func estimated(sample []*types.Vector, n int, total int64) catalog.ColumnStatistics {
	env := &kernels.Env{}
	counts := map[uint64]int{} // rows by hash of their value
	var s catalog.ColumnStatistics
	nulls := 0
	for _, v := range sample {
		valid := types.LogicalValidity(nil, v)
		hashes := make([]uint64, v.Len())
		kernels.Hash(env, v, hashes)
		for row, h := range hashes {
			if !valid.Has(row) {
				nulls++
				continue
			}
			counts[h]++
		}
		s.Min, s.Max = widen(env, s.Min, s.Max, v)
	}
	s.Nulls, s.NullsConfidence = int64(float64(nulls)/float64(n)*float64(total)), catalog.Estimated
	if s.Min != nil {
		s.BoundsConfidence = catalog.Estimated
	}
	once := 0
	for _, count := range counts {
		if count == 1 {
			once++
		}
	}
	values := n - nulls
	if distinct := len(counts); values > 0 && (int64(n) == total || float64(once) < mostlyOnce*float64(values)) {
		// The estimator Duj1 of Haas and Stokes, "Estimating the Number of Classes in a Finite Population" (1998).
		share := float64(n) / float64(total)
		estimated := float64(values*distinct) / (float64(values) - float64(once) + float64(once)*share)
		s.Distinct, s.DistinctConfidence = max(int64(estimated), int64(distinct)), catalog.Estimated
	}
	return s
}

// rowsOf gives rows of the chunk, counted within the table. They may come in several vectors; rows that cannot be read are left out.
func (k *chunk) rowsOf(rows []int64, field types.Field) []*types.Vector {
	if k.whole != nil {
		indices := make([]uint32, len(rows))
		for i, row := range rows {
			indices[i] = uint32(row - k.start)
		}
		return []*types.Vector{kernels.Take(&kernels.Env{}, k.whole, indices, nil)}
	}
	vectors := make([]*types.Vector, 0, len(rows))
	for _, row := range rows {
		if v, err := k.rowsAt(int(row-k.start), 1, field, nil); err == nil {
			vectors = append(vectors, v)
		}
	}
	return vectors
}

// widen gives bounds that the values of v lie within too.
func widen(env *kernels.Env, low, high, v *types.Vector) (*types.Vector, *types.Vector) {
	key := []kernels.SortKey{{Vector: v}} // nulls are last
	order := kernels.SortIndices(env, key, v.Len())
	valid := types.LogicalValidity(nil, v).Count(v.Len())
	if valid == 0 {
		return low, high
	}
	first, last := int(order[0]), int(order[valid-1])
	bound := func(row int) *types.Vector {
		return types.NewConstant(kernels.Decode(env, v.Slice(nil, row, row+1)), 1)
	}
	compare := func(a *types.Vector, row int) int {
		return kernels.CompareRows([]kernels.SortKey{{Vector: a}}, 0, key, row)
	}
	if low == nil || compare(low, first) > 0 {
		low = bound(first)
	}
	if high == nil || compare(high, last) < 0 {
		high = bound(last)
	}
	return low, high
}
