package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerSkewness(set *expr.Set) {
	for _, f := range []struct {
		name, description, result string
		finish                    func(higherMoments) (float64, bool)
	}{
		{"skewness", "The skewness of the sample, NaN where all values are the same,", "1.3309377322476705", func(m higherMoments) (float64, bool) {
			n := float64(m.count)
			return math.Sqrt(n*(n-1)) / (n - 2) * (m.third / n) / math.Pow(m.second/n, 1.5), m.count > 2
		}},
		{"kurtosis", "The excess kurtosis of the sample, NULL where all values are the same,", "1.5", func(m higherMoments) (float64, bool) {
			n := float64(m.count)
			ratio := n * m.fourth / (m.second * m.second)
			return (n - 1) / ((n - 2) * (n - 3)) * (float64((n+1)*ratio) - float64(3*(n-1))), m.count > 3 && m.second != 0
		}},
		{"kurtosis_pop", "The excess kurtosis of the population, NULL where all values are the same,", "-1.0", func(m higherMoments) (float64, bool) {
			return float64(float64(m.count)*m.fourth/(m.second*m.second)) - 3, m.count > 1 && m.second != 0
		}},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 || !isNumber(args[0].Type) {
					return nil, nil
				}
				return &expr.Aggregate{
					Name: f.name, Args: []types.Type{types.Double}, Result: types.Double, Nullable: true,
					State: []types.Type{types.BigInt, types.Double, types.Double, types.Double, types.Double},
					New:   func() expr.Accumulator { return &higherStates{finish: f.finish} },
				}, nil
			},
			Signatures:  []string{f.name + "(x DOUBLE) -> DOUBLE"},
			Description: f.description + " of the values that are not null; NULL for too few.",
			Example:     f.name + "(x) FROM (VALUES (1), (2), (NULL), (4), (9)) t(x) = " + f.result,
		})
	}
}

// higherMoments are the count, the mean and the sums of the second to fourth powers of the distances from it, which are merged without cancellation
// (Pebay: Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical Moments, 2008).
type higherMoments struct {
	count                       int64
	mean, second, third, fourth float64
}

func (m *higherMoments) merge(o higherMoments) {
	switch {
	case o.count == 0:
		return
	case m.count == 0:
		*m = o
		return
	}
	a, b := float64(m.count), float64(o.count)
	n := a + b
	d := (o.mean - m.mean) / n
	// The conversions keep processors that can from adding products unrounded: results are the same everywhere.
	squares := float64(a*a) - float64(a*b) + float64(b*b)
	seconds := float64(a*a*o.second) + float64(b*b*m.second)
	m.fourth += o.fourth + float64(d*d*d*d*a*b*n*squares) + float64(6*d*d*seconds) + float64(4*d*(float64(a*o.third)-float64(b*m.third)))
	m.third += o.third + float64(d*d*d*a*b*n*(a-b)) + float64(3*d*(float64(a*o.second)-float64(b*m.second)))
	m.second += o.second + float64(d*d*a*b*n)
	m.mean += float64(d * b)
	m.count += o.count
}

// higherStates holds the moments of each group.
type higherStates struct {
	finish func(higherMoments) (float64, bool)
	states []higherMoments
}

func (s *higherStates) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *higherStates) Size() int64 { return sizeOf(s.states) }

func (s *higherStates) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	inner := kernels.Env{
		Pool: poolOf(env), Active: types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), args[0]), activeOf(env), rows),
	}
	values := types.ValuesOf[float64](kernels.Decode(env, args[0]))
	eachRow(&inner, groups, rows, func(group, row int) { s.states[group].merge(higherMoments{count: 1, mean: values[row]}) })
	return nil
}

func (s *higherStates) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	counts := types.ValuesOf[int64](columns[0])
	var sums [4][]float64
	for i := range sums {
		sums[i] = types.ValuesOf[float64](columns[i+1])
	}
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		s.states[group].merge(higherMoments{count: counts[row], mean: sums[0][row], second: sums[1][row], third: sums[2][row], fourth: sums[3][row]})
	})
	return nil
}

func (s *higherStates) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	counts := types.Alloc[int64](poolOf(env), to-from)
	var sums [4][]float64
	for i := range sums {
		sums[i] = types.Alloc[float64](poolOf(env), to-from)
	}
	for i, m := range s.states[from:to] {
		counts[i] = m.count
		sums[0][i], sums[1][i], sums[2][i], sums[3][i] = m.mean, m.second, m.third, m.fourth
	}
	columns := []*types.Vector{types.NewFixed(types.BigInt, counts, nil)}
	for _, sum := range sums {
		columns = append(columns, types.NewFixed(types.Double, sum, nil))
	}
	return columns, nil
}

func (s *higherStates) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return finishFloats(env, to-from, func(i int) (float64, bool) { return s.finish(s.states[from+i]) }), nil
}
