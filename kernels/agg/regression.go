package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerRegression(set *expr.Set) {
	const three = "(VALUES (1, 2), (2, 4), (NULL, 7), (3, 6)) t(y, x)"
	for _, f := range []struct {
		name, description, result string
		finish                    func(pairMoments) (float64, bool)
	}{
		{"covar_pop", "The population covariance", "1.3333333333333333", func(m pairMoments) (float64, bool) { return m.xy / m.n(), true }},
		{"covar_samp", "The sample covariance", "2.0", func(m pairMoments) (float64, bool) { return m.xy / (m.n() - 1), m.count > 1 }},
		{"corr", "The correlation coefficient, NaN where x or y is always the same,", "1.0", func(m pairMoments) (float64, bool) { return m.correlation(), true }},
		{"regr_avgx", "The average of x", "4.0", func(m pairMoments) (float64, bool) { return m.meanX, true }},
		{"regr_avgy", "The average of y", "2.0", func(m pairMoments) (float64, bool) { return m.meanY, true }},
		{"regr_sxx", "The sum of the squared distances of x from its average", "8.0", func(m pairMoments) (float64, bool) { return m.xx, true }},
		{"regr_syy", "The sum of the squared distances of y from its average", "2.0", func(m pairMoments) (float64, bool) { return m.yy, true }},
		{"regr_sxy", "The sum of the products of the distances of x and y from their averages", "4.0", func(m pairMoments) (float64, bool) { return m.xy, true }},
		{"regr_slope", "The slope of the line that is nearest to the points (x, y), NaN where x is always the same,", "0.5",
			func(m pairMoments) (float64, bool) { return m.xy / m.xx, true }},
		{"regr_intercept", "The y at x = 0 of the line that is nearest to the points (x, y), NULL where x is always the same,", "0.0",
			func(m pairMoments) (float64, bool) { return m.meanY - float64(m.xy/m.xx*m.meanX), m.xx != 0 }},
		{"regr_r2", "The square of the correlation coefficient, 1 where y is always the same and NULL where x is,", "1.0", func(m pairMoments) (float64, bool) {
			if m.yy == 0 {
				return 1, m.xx != 0
			}
			return m.correlation() * m.correlation(), m.xx != 0
		}},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				return bindPairs(f.name, args, types.Double, func(env *kernels.Env, states []pairMoments) *types.Vector {
					return finishFloats(env, len(states), func(i int) (float64, bool) {
						x, ok := f.finish(states[i])
						return x, ok && states[i].count > 0
					})
				}), nil
			},
			Signatures:  []string{f.name + "(y DOUBLE, x DOUBLE) -> DOUBLE"},
			Description: f.description + " of the pairs in which neither is null; NULL for too few.",
			Example:     f.name + "(y, x) FROM " + three + " = " + f.result,
		})
	}
	set.MustAdd(&expr.Family{
		Name: "regr_count",
		BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
			a := bindPairs("regr_count", args, types.UInteger, func(env *kernels.Env, states []pairMoments) *types.Vector {
				dst := types.Alloc[uint32](poolOf(env), len(states))
				for i := range dst {
					dst[i] = uint32(min(states[i].count, math.MaxUint32))
				}
				return types.NewFixed(types.UInteger, dst, nil)
			})
			if a != nil {
				a.Nullable = false
			}
			return a, nil
		},
		Signatures:  []string{"regr_count(y DOUBLE, x DOUBLE) -> UINTEGER"},
		Description: "The number of pairs in which neither is null.",
		Example:     "regr_count(y, x) FROM " + three + " = 3",
	})
}

func bindPairs(name string, args []expr.Arg, result types.Type, finish func(env *kernels.Env, states []pairMoments) *types.Vector) *expr.Aggregate {
	if len(args) != 2 || !isNumber(args[0].Type) || !isNumber(args[1].Type) {
		return nil
	}
	return &expr.Aggregate{
		Name: name, Args: []types.Type{types.Double, types.Double}, Result: result, Nullable: true,
		State: []types.Type{types.BigInt, types.Double, types.Double, types.Double, types.Double, types.Double},
		New:   func() expr.Accumulator { return &pairs{finish: finish} },
	}
}

// finishFloats gives doubles, NULL where there is none.
func finishFloats(env *kernels.Env, n int, value func(i int) (float64, bool)) *types.Vector {
	dst, valid := types.Alloc[float64](poolOf(env), n), poolOf(env).ZeroBitmap(n)
	for i := range dst {
		dst[i] = 0
		if x, ok := value(i); ok {
			dst[i] = x
			valid.Set(i)
		}
	}
	return types.NewFixed(types.Double, dst, valid)
}

// pairMoments are moments of pairs: the means, and the sums of squared distances and of products of distances from them.
type pairMoments struct {
	count                    int64
	meanX, meanY, xx, yy, xy float64
}

func (m *pairMoments) n() float64 { return float64(m.count) }

func (m *pairMoments) correlation() float64 {
	product := m.xx * m.yy
	if math.IsInf(product, 0) || product < math.SmallestNonzeroFloat64/epsilon {
		return m.xy / (math.Sqrt(m.xx) * math.Sqrt(m.yy)) // the product is beyond what a double holds, or loses digits
	}
	return m.xy / math.Sqrt(product)
}

const epsilon = 1.0 / (1 << 53)

func (m *pairMoments) merge(o pairMoments) {
	switch {
	case o.count == 0:
		return
	case m.count == 0:
		*m = o
		return
	}
	n := m.n() + o.n()
	dx, dy, weight := o.meanX-m.meanX, o.meanY-m.meanY, m.n()*(o.n()/n)
	// The conversions keep processors that can from adding products unrounded: results are the same everywhere.
	m.xx += o.xx + float64(dx*dx*weight)
	m.yy += o.yy + float64(dy*dy*weight)
	m.xy += o.xy + float64(dx*dy*weight)
	m.meanX += float64(dx * (o.n() / n))
	m.meanY += float64(dy * (o.n() / n))
	m.count += o.count
}

// pairs holds the moments of each group.
type pairs struct {
	finish func(env *kernels.Env, states []pairMoments) *types.Vector
	states []pairMoments
}

func (s *pairs) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *pairs) Size() int64 { return sizeOf(s.states) }

func (s *pairs) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	inner := kernels.Env{Pool: poolOf(env), Active: activeOf(env)}
	for _, v := range args {
		inner.Active = types.AndBitmaps(inner.Pool, types.LogicalValidity(inner.Pool, v), inner.Active, rows)
	}
	args = decodeAll(env, args)
	y, x := types.ValuesOf[float64](args[0]), types.ValuesOf[float64](args[1])
	eachRow(&inner, groups, rows, func(group, row int) {
		s.states[group].merge(pairMoments{count: 1, meanX: x[row], meanY: y[row]})
	})
	return nil
}

func (s *pairs) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	counts := types.ValuesOf[int64](columns[0])
	var sums [5][]float64
	for i := range sums {
		sums[i] = types.ValuesOf[float64](columns[i+1])
	}
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		s.states[group].merge(pairMoments{
			count: counts[row], meanX: sums[0][row], meanY: sums[1][row], xx: sums[2][row], yy: sums[3][row], xy: sums[4][row],
		})
	})
	return nil
}

func (s *pairs) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	n := to - from
	counts := types.Alloc[int64](poolOf(env), n)
	var sums [5][]float64
	for i := range sums {
		sums[i] = types.Alloc[float64](poolOf(env), n)
	}
	for i, m := range s.states[from:to] {
		counts[i] = m.count
		sums[0][i], sums[1][i], sums[2][i], sums[3][i], sums[4][i] = m.meanX, m.meanY, m.xx, m.yy, m.xy
	}
	columns := []*types.Vector{types.NewFixed(types.BigInt, counts, nil)}
	for _, sum := range sums {
		columns = append(columns, types.NewFixed(types.Double, sum, nil))
	}
	return columns, nil
}

func (s *pairs) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return s.finish(env, s.states[from:to]), nil
}
