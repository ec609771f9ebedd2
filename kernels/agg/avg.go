package agg

import (
	"math/big"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerAvg(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name:          "avg",
		Aliases:       []string{"mean"},
		BindAggregate: bindAvg,
		Signatures: []string{
			"avg(x NUMERIC) -> DOUBLE", "avg(x DATE) -> TIMESTAMP", "avg(x TIMESTAMP)", "avg(x TIME)", "avg(x INTERVAL)",
		},
		Description: "The average of the values that are not null; NULL for none. Of integers and decimals it is the double nearest to the exact average.",
		Example:     "avg(x) FROM (VALUES (1), (NULL), (4)) t(x) = 2.5",
	})
}

func bindAvg(args []expr.Arg) (*expr.Aggregate, error) {
	if len(args) != 1 {
		return nil, nil
	}
	a := &expr.Aggregate{Name: "avg", Nullable: true, Args: []types.Type{args[0].Type}, Result: types.Double}
	finish := func(env *kernels.Env, from, to int, s sumOf) (*types.Vector, error) {
		return finishAvg(env, a.Args[0].Scale(), from, to, s), nil
	}
	switch t := args[0].Type; t.Kind() {
	case types.KindNull:
		a.Args[0] = types.Double
		a.State, a.New = []types.Type{types.Double, types.BigInt}, newFloatSums(types.Double, finishFloatAvg)
		return a, nil
	case types.KindHalf, types.KindFloat, types.KindDouble:
		if t.Kind() == types.KindHalf {
			a.Args[0] = types.Float
		}
		a.State, a.New = []types.Type{types.Double, types.BigInt}, newFloatSums(a.Args[0], finishFloatAvg)
		return a, nil
	case types.KindInterval:
		a.Result, a.State = types.Interval, []types.Type{types.Interval, types.BigInt}
		a.New = func() expr.Accumulator { return &intervalSums{average: true} }
		return a, nil
	case types.KindDate:
		a.Args[0], a.Result = types.Timestamp, types.Timestamp
	case types.KindTime, types.KindTimestamp, types.KindTimestampTZ:
		a.Result = t
	default:
		if !t.IsNumeric() {
			return nil, nil
		}
	}
	if a.Result.IsTemporal() {
		finish = func(env *kernels.Env, from, to int, s sumOf) (*types.Vector, error) {
			return finishTimeAvg(env, a.Result, from, to, s), nil
		}
	}
	a.Additive = true
	a.State, a.New = exactSums(a.Args[0], finish)
	return a, nil
}

// finishAvg divides exact sums of numbers with a scale.
func finishAvg(env *kernels.Env, scale, from, to int, s sumOf) *types.Vector {
	dst := types.Alloc[float64](poolOf(env), to-from)
	for i := range dst {
		dst[i] = 0
		if sum, count := s(from + i); count > 0 {
			dst[i] = quotient(sum, count, scale)
		}
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { _, count := s(g); return count > 0 })
	return types.NewFixed(types.Double, dst, valid)
}

// finishTimeAvg divides exact sums of times and timestamps, toward zero.
func finishTimeAvg(env *kernels.Env, out types.Type, from, to int, s sumOf) *types.Vector {
	dst := types.Alloc[int64](poolOf(env), to-from)
	for i := range dst {
		dst[i] = 0
		if sum, count := s(from + i); count > 0 {
			if x, ok := fits128(sum); ok && x.Hi == int64(x.Lo)>>63 {
				dst[i] = int64(x.Lo) / count
			} else {
				// The average of int64 values is an int64 again.
				dst[i] = new(big.Int).Quo(sum.Big(), big.NewInt(count)).Int64()
			}
		}
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { _, count := s(g); return count > 0 })
	return types.NewFixed(out, dst, valid)
}
