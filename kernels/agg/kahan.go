package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerKahan(set *expr.Set) {
	for _, f := range []struct {
		name, description, result string
		aliases                   []string
		average                   bool
	}{
		{"fsum", "The sum", "5.0", []string{"kahan_sum", "sumkahan"}, false},
		{"favg", "The average", "2.5", nil, true},
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
					State: []types.Type{types.Double, types.Double, types.BigInt},
					New:   func() expr.Accumulator { return &kahanSums{average: f.average} },
				}, nil
			},
			Signatures:  []string{f.name + "(x DOUBLE) -> DOUBLE"},
			Description: f.description + " of the values that are not null, with what rounding loses kept apart; NULL for none.",
			Example:     f.name + "(x) FROM (VALUES (1), (NULL), (4)) t(x) = " + f.result,
		})
	}
}

// kahanSum is a sum with compensation (Neumaier: Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974).
type kahanSum struct {
	sum, rest float64
	count     int64
}

func (s *kahanSum) add(x float64) {
	total := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.rest += (s.sum - total) + x
	} else {
		s.rest += (x - total) + s.sum
	}
	s.sum = total
}

// value gives the sum. Of infinities there is no rest.
func (s *kahanSum) value() float64 {
	if math.IsInf(s.sum, 0) || math.IsNaN(s.sum) {
		return s.sum
	}
	return s.sum + s.rest
}

// kahanSums holds the sum of each group.
type kahanSums struct {
	average bool
	states  []kahanSum
}

func (s *kahanSums) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *kahanSums) Size() int64 { return sizeOf(s.states) }

func (s *kahanSums) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	inner := kernels.Env{
		Pool: poolOf(env), Active: types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), args[0]), activeOf(env), rows),
	}
	values := types.ValuesOf[float64](kernels.Decode(env, args[0]))
	eachRow(&inner, groups, rows, func(group, row int) {
		s.states[group].add(values[row])
		s.states[group].count++
	})
	return nil
}

func (s *kahanSums) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	sums, rests := types.ValuesOf[float64](columns[0]), types.ValuesOf[float64](columns[1])
	counts := types.ValuesOf[int64](columns[2])
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		state := &s.states[group]
		state.add(sums[row])
		state.rest += rests[row]
		state.count += counts[row]
	})
	return nil
}

func (s *kahanSums) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	n := to - from
	sums, rests, counts := types.Alloc[float64](poolOf(env), n), types.Alloc[float64](poolOf(env), n), types.Alloc[int64](poolOf(env), n)
	for i, x := range s.states[from:to] {
		sums[i], rests[i], counts[i] = x.sum, x.rest, x.count
	}
	return []*types.Vector{types.NewFixed(types.Double, sums, nil), types.NewFixed(types.Double, rests, nil), types.NewFixed(types.BigInt, counts, nil)}, nil
}

func (s *kahanSums) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return finishFloats(env, to-from, func(i int) (float64, bool) {
		state := &s.states[from+i]
		if s.average {
			return state.value() / float64(state.count), state.count > 0
		}
		return state.value(), state.count > 0
	}), nil
}
