package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerStddev(set *expr.Set) {
	for _, f := range []struct {
		name, description, example string
		aliases                    []string
		finish                     func(moments) (float64, bool)
	}{
		{"var_pop", "The population variance", "var_pop(x) FROM (VALUES (1), (NULL), (3)) t(x) = 1.0", nil, varPop},
		{"var_samp", "The sample variance", "var_samp(x) FROM (VALUES (1), (NULL), (3)) t(x) = 2.0", []string{"variance"}, varSamp},
		{"stddev_pop", "The population standard deviation", "stddev_pop(x) FROM (VALUES (1), (NULL), (3)) t(x) = 1.0", nil, rootOf(varPop)},
		{
			"stddev_samp", "The sample standard deviation", "stddev_samp(x) FROM (VALUES (1), (3), (5)) t(x) = 2.0", []string{"stddev"},
			rootOf(varSamp),
		},
		{
			"sem", "The standard error of the mean", "sem(x) FROM (VALUES (1), (NULL), (1)) t(x) = 0.0", nil,
			func(m moments) (float64, bool) {
				v, ok := varPop(m)
				return math.Sqrt(v / float64(m.count)), ok
			},
		},
	} {
		set.MustAdd(&expr.Family{
			Name:    f.name,
			Aliases: f.aliases,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 || !isNumber(args[0].Type) {
					return nil, nil
				}
				return &expr.Aggregate{
					Name: f.name, Args: []types.Type{types.Double}, Result: types.Double, Nullable: true,
					State: []types.Type{types.BigInt, types.Double, types.Double},
					New:   func() expr.Accumulator { return &deviations{name: f.name, finish: f.finish} },
				}, nil
			},
			Signatures:  []string{f.name + "(x DOUBLE) -> DOUBLE"},
			Description: f.description + " of the values that are not null; NULL for too few. A result that is not finite is an error.",
			Example:     f.example,
		})
	}
}

// moments are the count, mean and sum of squared distances from the mean, by which Welford's method updates a variance without
// cancellation (Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979).
type moments struct {
	count      int64
	mean, dist float64
}

func (m *moments) add(x float64) {
	m.count++
	d := x - m.mean
	m.mean += d / float64(m.count)
	m.dist += float64(d * (x - m.mean))
}

func (m *moments) merge(o moments) {
	switch {
	case o.count == 0:
		return
	case m.count == 0:
		*m = o
		return
	}
	n := m.count + o.count
	d := o.mean - m.mean
	m.dist += o.dist + float64(float64(d*d)*(float64(m.count)*float64(o.count)/float64(n)))
	m.mean += float64(d * float64(o.count) / float64(n))
	m.count = n
}

// The finishing functions report false when there are too few values.

func varPop(m moments) (float64, bool) {
	if m.count == 0 {
		return 0, false
	}
	return m.dist / float64(m.count), true
}

func varSamp(m moments) (float64, bool) {
	if m.count < 2 {
		return 0, false
	}
	return m.dist / float64(m.count-1), true
}

func rootOf(variance func(moments) (float64, bool)) func(moments) (float64, bool) {
	return func(m moments) (float64, bool) {
		v, ok := variance(m)
		return math.Sqrt(v), ok
	}
}

// deviations holds variances and what follows from them.
type deviations struct {
	name   string
	finish func(moments) (float64, bool)
	states []moments
}

func (s *deviations) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *deviations) Size() int64 { return sizeOf(s.states) }

func (s *deviations) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *deviations) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	withRows(env, types.ValuesOf[float64](v)[:v.Len()], groups, rows, func(values []float64, groups []uint32) {
		if groups == nil {
			m := s.states[0]
			for _, x := range values {
				m.add(x)
			}
			s.states[0] = m
			return
		}
		groups = groups[:len(values)]
		for i, x := range values {
			s.states[groups[i]].add(x)
		}
	})
	return nil
}

func (s *deviations) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[float64](v)[:len(weights)] {
		s.states[0].merge(moments{count: weights[i], mean: x})
	}
	return nil
}

func (s *deviations) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	counts, means := types.ValuesOf[int64](columns[0]), types.ValuesOf[float64](columns[1])
	dists := types.ValuesOf[float64](columns[2])
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		s.states[group].merge(moments{count: counts[row], mean: means[row], dist: dists[row]})
	})
	return nil
}

func (s *deviations) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	pool, n := poolOf(env), to-from
	counts, means, dists := types.Alloc[int64](pool, n), types.Alloc[float64](pool, n), types.Alloc[float64](pool, n)
	for i, m := range s.states[from:to] {
		counts[i], means[i], dists[i] = m.count, m.mean, m.dist
	}
	return []*types.Vector{
		types.NewFixed(types.BigInt, counts, nil), types.NewFixed(types.Double, means, nil), types.NewFixed(types.Double, dists, nil),
	}, nil
}

func (s *deviations) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := types.Alloc[float64](poolOf(env), to-from)
	valid := poolOf(env).ZeroBitmap(to - from)
	for i, m := range s.states[from:to] {
		x, ok := s.finish(m)
		if !ok {
			dst[i] = 0
			continue
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, types.Errorf(types.CodeNumericOutOfRange, "%s is out of range", s.name)
		}
		dst[i] = x
		valid.Set(i)
	}
	return types.NewFixed(types.Double, dst, valid), nil
}
