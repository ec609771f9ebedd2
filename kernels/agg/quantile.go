package agg

import (
	"math"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerQuantile(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "median",
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				q := quantiles{fractions: []float64{0.5}}
				if a := q.continuous("median", args[0].Type); a != nil {
					return a, nil
				}
				return q.discrete("median", args[0].Type), nil
			},
			Signatures:  []string{"median(x NUMERIC) -> DOUBLE", "median(x DECIMAL)", "median(x TIMESTAMP)", "median(x ANY)"},
			Description: "The middle of the values that are not null in their order, between the two in the middle where there are two and the type allows it; NULL for none.",
			Example:     "median(x) FROM (VALUES (1), (NULL), (4), (2), (7)) t(x) = 3.0",
		},
		&expr.Family{
			Name:          "quantile_cont",
			Aliases:       []string{"percentile_cont"},
			BindAggregate: bindQuantile("quantile_cont", quantiles.continuous),
			Signatures:    []string{"quantile_cont(x NUMERIC, fraction DOUBLE) -> DOUBLE", "quantile_cont(x NUMERIC, fractions DOUBLE[]) -> DOUBLE[]"},
			Description: "The value at a fraction, a constant between 0 and 1, of the values that are not null in their order, interpolated between the two next to it; " +
				"NULL for none. A negative fraction counts from the greatest value.",
			Example: "quantile_cont(x, 0.25) FROM (VALUES (1), (NULL), (4), (2), (7)) t(x) = 1.75",
		},
		&expr.Family{
			Name:          "quantile_disc",
			Aliases:       []string{"percentile_disc", "quantile"},
			BindAggregate: bindQuantile("quantile_disc", quantiles.discrete),
			Signatures:    []string{"quantile_disc(x ANY, fraction DOUBLE)", "quantile_disc(x ANY, fractions DOUBLE[]) -> ANY[]"},
			Description: "The first value, in order, up to which a fraction, a constant between 0 and 1, of the values that are not null lies; NULL for none. " +
				"A negative fraction counts from the greatest value.",
			Example: "quantile_disc(x, 0.25) FROM (VALUES (1), (NULL), (4), (2), (7)) t(x) = 1",
		},
	)
}

// quantiles are the constant arguments of a quantile function.
type quantiles struct {
	fractions  []float64
	list       bool // the result is a list
	descending bool // fractions count from the greatest value
	parameters []*types.Vector
}

// bindQuantile binds x and the fractions; a third argument, TRUE, says that WITHIN GROUP has a descending order.
func bindQuantile(name string, bind func(q quantiles, name string, t types.Type) *expr.Aggregate) func([]expr.Arg) (*expr.Aggregate, error) {
	return func(args []expr.Arg) (*expr.Aggregate, error) {
		if len(args) < 2 || len(args) > 3 {
			return nil, nil
		}
		var q quantiles
		for _, arg := range args[1:] {
			if arg.Constant == nil {
				return nil, types.Errorf(types.CodeInvalidParameter, "the fraction of %s must be a constant", name)
			}
			q.parameters = append(q.parameters, arg.Constant)
		}
		kind := args[1].Type.Kind()
		q.list = kind == types.KindList || kind == types.KindArray
		target := types.Double
		if q.list {
			target = types.ListOf(types.Double)
		}
		v, err := kernels.Cast(&kernels.Env{}, args[1].Constant, target)
		if err != nil {
			return nil, err
		}
		given, ok := types.Value(v, 0).([]any)
		if !q.list {
			given, ok = []any{types.Value(v, 0)}, true
		}
		if !ok {
			given = []any{nil}
		}
		for i, x := range given {
			f, ok := x.(float64)
			if !ok {
				return nil, types.Errorf(types.CodeNullNotAllowed, "the fraction of %s must not be NULL", name)
			}
			if !(f >= -1 && f <= 1) {
				return nil, types.Errorf(types.CodeInvalidParameter, "the fraction of %s must be between -1 and 1, not %v", name, f)
			}
			if i > 0 && math.Signbit(f) != math.Signbit(q.fractions[0]) {
				return nil, types.Errorf(types.CodeInvalidParameter, "the fractions of %s must not have both signs", name)
			}
			q.fractions = append(q.fractions, f)
		}
		if len(q.fractions) > 0 && math.Signbit(q.fractions[0]) {
			q.descending = true
			for i, f := range q.fractions {
				q.fractions[i] = -f
			}
		}
		if len(args) == 3 {
			if types.Value(args[2].Constant, 0) == true {
				q.descending = !q.descending
			}
		}
		return bind(q, name, args[0].Type), nil
	}
}

// discrete gives the function whose results are values of the argument.
func (q quantiles) discrete(name string, t types.Type) *expr.Aggregate {
	return q.function(name, t, t, func(env *kernels.Env, values *types.Vector, low, _ []uint32, _ []float64, valid types.Bitmap) *types.Vector {
		return kernels.Take(env, values, low, valid)
	}, func(n int, f float64) (low, high int, rest float64) {
		low = max(0, int(math.Ceil(f*float64(n)))-1)
		return low, low, 0
	})
}

// continuous gives the function that interpolates; nil for types between whose values there is nothing.
func (q quantiles) continuous(name string, t types.Type) *expr.Aggregate {
	arg, interpolate := t, interpolator(nil)
	switch t.Kind() {
	case types.KindFloat:
		interpolate = between[float32]
	case types.KindTime, types.KindTimestamp, types.KindTimestampTZ:
		interpolate = between[int64]
	case types.KindDate:
		arg, interpolate = types.Timestamp, between[int64]
	case types.KindDecimal:
		switch t.Storage() {
		case types.StorageInt16:
			interpolate = between[int16]
		case types.StorageInt32:
			interpolate = between[int32]
		case types.StorageInt64:
			interpolate = between[int64]
		default:
			interpolate = betweenWide
		}
	default:
		if !t.IsNumeric() && t.Kind() != types.KindNull {
			return nil
		}
		arg, interpolate = types.Double, between[float64]
	}
	return q.function(name, arg, arg, interpolate, func(n int, f float64) (low, high int, rest float64) {
		at := f * float64(n-1)
		floor := math.Floor(at)
		return int(floor), int(math.Ceil(at)), at - floor
	})
}

// interpolator gives, for each row, the value that lies rest of the way from values[low[i]] to values[high[i]].
type interpolator func(env *kernels.Env, values *types.Vector, low, high []uint32, rest []float64, valid types.Bitmap) *types.Vector

// between interpolates numbers. Of whole numbers the step from the lower one is rounded toward it, as DuckDB does.
func between[T int16 | int32 | int64 | float32 | float64](env *kernels.Env, values *types.Vector, low, high []uint32, rest []float64, valid types.Bitmap) *types.Vector {
	numbers := types.ValuesOf[T](values)
	dst := types.Alloc[T](poolOf(env), len(low))
	for i := range dst {
		dst[i] = 0
		if valid.Has(i) {
			a, b := numbers[low[i]], numbers[high[i]]
			if dst[i] = a; a != b && rest[i] > 0 {
				dst[i] = a + T(float64((float64(b)-float64(a))*rest[i]))
			}
		}
	}
	return types.NewFixed(values.Type(), dst, valid)
}

// betweenWide interpolates decimals of more than 18 digits.
func betweenWide(env *kernels.Env, values *types.Vector, low, high []uint32, rest []float64, valid types.Bitmap) *types.Vector {
	a, b := kernels.Take(env, values, low, valid), kernels.Take(env, values, high, valid)
	out := make([]any, len(low))
	for i := range out {
		if !valid.Has(i) {
			continue
		}
		x, y := types.Value(a, i).(types.DecimalValue), types.Value(b, i).(types.DecimalValue)
		out[i] = types.DecimalValue{Unscaled: step(x.Unscaled, y.Unscaled, rest[i]), Scale: x.Scale}
	}
	v, err := types.FromValues(poolOf(env), values.Type(), out)
	if err != nil {
		panic(err) // between two values of the type there are only such
	}
	return v
}

// function makes the aggregate. position gives the places of the two values, in ascending order of n, next to a fraction.
func (q quantiles) function(name string, arg, element types.Type, interpolate interpolator, position func(n int, f float64) (low, high int, rest float64)) *expr.Aggregate {
	result := element
	if q.list {
		result = types.ListOf(element)
	}
	a := collecting(name, arg, result, false, func(c *collected, env *kernels.Env, from, to int) (*types.Vector, error) {
		sorted := c.sorted(env, from, to, q.descending)
		n := (to - from) * len(q.fractions)
		low, high := types.Alloc[uint32](poolOf(env), n), types.Alloc[uint32](poolOf(env), n)
		rest := types.Alloc[float64](poolOf(env), n)
		valid := poolOf(env).ZeroBitmap(n)
		for i := range n {
			low[i], high[i], rest[i] = 0, 0, 0
			g := from + i/len(q.fractions)
			if size := c.size(g); size > 0 {
				l, h, r := position(size, q.fractions[i%len(q.fractions)])
				start := int(c.starts[g] - c.starts[from])
				low[i], high[i], rest[i] = uint32(start+l), uint32(start+h), r
				valid.Set(i)
			}
		}
		values := interpolate(env, sorted, low, high, rest, valid)
		if !q.list {
			return values, nil
		}
		entries := types.Alloc[types.ListEntry](poolOf(env), to-from)
		for i := range entries {
			entries[i] = types.ListEntry{Offset: int64(i * len(q.fractions)), Length: int64(len(q.fractions))}
		}
		return types.NewList(result, entries, kernels.Decode(env, values), c.met(env, from, to)), nil
	})
	a.OrderSensitive, a.Parameters = false, slices.Clone(q.parameters)
	return a
}

// sorted gives the arranged values of groups from to to with those of each group in order.
func (c *collected) sorted(env *kernels.Env, from, to int, descending bool) *types.Vector {
	values, groups := c.values(env, from, to)
	if values.Len() < 2 {
		return values
	}
	key := kernels.SortKey{Vector: values, Descending: descending}
	keys := []kernels.SortKey{{Vector: types.NewFixed(types.UInteger, groups, nil)}, key}
	if to-from == 1 {
		keys = keys[1:]
	}
	order := kernels.SortIndices(&kernels.Env{Pool: poolOf(env)}, keys, values.Len())
	return kernels.Decode(env, kernels.Take(env, values, order, nil))
}
