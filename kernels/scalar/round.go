package scalar

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerRound(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name:       "round",
		Bind:       bindRound,
		Signatures: []string{"round(x NUMERIC)", "round(x NUMERIC, digits INTEGER)"},
		Description: "The nearest number with so many digits after the point (0 if not given, negative before it); ties go away from zero. " +
			"Decimals need digits that are a constant.",
		Example: "round(2.555, 2) = 2.56",
	})
	for _, f := range []struct {
		name        string
		aliases     []string
		fn          func(float64) float64
		adjust      kernels.CompareOp // which remainders move the truncated number, by step
		step        int8
		whole       bool // keeps integers; else they become DOUBLE
		description string
		example     string
	}{
		{"floor", nil, math.Floor, kernels.Less, -1, false, "The greatest whole number that is not above x.", "floor(-2.5) = -3"},
		{"ceil", []string{"ceiling"}, math.Ceil, kernels.Greater, 1, false, "The smallest whole number that is not below x.", "ceil(-2.5) = -2"},
		{"trunc", nil, math.Trunc, kernels.Less, 0, true, "The whole part of a number.", "trunc(-2.5) = -2"},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: f.aliases,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				t := args[0].Type
				switch {
				case t.Kind() == types.KindDecimal:
					return &expr.Function{
						Name: f.name, Args: []types.Type{t}, Result: types.Decimal(t.Precision(), 0), CanFail: f.step != 0,
						Kernel: wholeDecimal(f.adjust, f.step),
					}, nil
				case t.IsInteger() && f.whole:
					return &expr.Function{Name: f.name, Args: []types.Type{t}, Result: t, Kernel: identity}, nil
				}
				return bindFloatStep(f.name, t, f.fn), nil
			},
			Signatures: []string{f.name + "(x NUMERIC)"}, Description: f.description, Example: f.example,
		})
	}
}

func identity(_ *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
	return args[0], nil
}

// bindFloatStep binds a function from floats to whole floats; FLOAT stays FLOAT, other numbers become DOUBLE.
func bindFloatStep(name string, t types.Type, fn func(float64) float64) *expr.Function {
	switch {
	case t.Kind() == types.KindFloat, t.Kind() == types.KindHalf:
		return &expr.Function{
			Name: name, Args: []types.Type{types.Float}, Result: types.Float,
			Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				x := columnOf[float32](env, args[0])
				return mapRows(env, out, args, func(i int) float32 { return float32(fn(float64(x.at(i)))) }), nil
			},
		}
	case t.IsNumeric(), t.Kind() == types.KindNull:
		return &expr.Function{
			Name: name, Args: []types.Type{types.Double}, Result: types.Double,
			Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				x := columnOf[float64](env, args[0])
				return mapRows(env, out, args, func(i int) float64 { return fn(x.at(i)) }), nil
			},
		}
	}
	return nil
}

// wholeDecimal gives the kernel that drops the digits after the point and then adds step where what was dropped compares with zero
// as adjust says.
func wholeDecimal(adjust kernels.CompareOp, step int8) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		v := args[0]
		t := v.Type()
		if t.Scale() == 0 {
			return v, nil
		}
		rest, whole, err := splitDecimal(env, out, v)
		if err != nil || step == 0 {
			return whole, err
		}
		zero, err := zeroOf(env, rest)
		if err != nil {
			return nil, err
		}
		moved, err := kernels.Compare(env, adjust, rest, zero)
		if err != nil {
			return nil, err
		}
		rows := kernels.TrueRows(env, moved)
		inner := *env
		inner.Active = types.AndBitmaps(env.Pool, rows, env.Active, v.Len())
		by, err := kernels.Cast(env, constantInt(step), types.Decimal(1, 0))
		if err != nil {
			return nil, err
		}
		next, err := kernels.Add(&inner, out, whole, types.NewConstant(by, v.Len()))
		if err != nil {
			return nil, err
		}
		return kernels.IfElse(env, rows, next, whole)
	}
}

// splitDecimal gives the digits after the point, in v's type, and those before it, as type out.
func splitDecimal(env *kernels.Env, out types.Type, v *types.Vector) (rest, whole *types.Vector, err error) {
	t := v.Type()
	if t.Precision() == t.Scale() { // no digit before the point
		whole, err = kernels.Cast(env, constantInt(0), out)
		if err != nil {
			return nil, nil, err
		}
		whole = kernels.Decode(env, types.NewConstant(whole, v.Len()))
		return v, whole.WithValidity(validRows(env, v)), nil
	}
	one, err := kernels.Cast(env, constantInt(1), t)
	if err != nil {
		return nil, nil, err
	}
	if rest, err = kernels.Mod(env, t, v, types.NewConstant(one, v.Len())); err != nil {
		return nil, nil, err
	}
	if whole, err = kernels.Sub(env, t, v, rest); err != nil {
		return nil, nil, err
	}
	whole, err = kernels.Cast(env, whole, out) // exact: only zeros are dropped
	return rest, whole, err
}

func constantInt(x int8) *types.Vector {
	return types.NewConstant(types.NewFixed(types.TinyInt, []int8{x}, nil), 1)
}

func bindRound(args []expr.Arg) (*expr.Function, error) {
	if len(args) < 1 || len(args) > 2 {
		return nil, nil
	}
	t := args[0].Type
	if len(args) == 2 && !casts(args[1], types.Integer) {
		return nil, nil
	}
	switch {
	case t.Kind() == types.KindDecimal:
		return bindRoundDecimal(t, args)
	case t.IsInteger() && len(args) == 1:
		return &expr.Function{Name: "round", Args: []types.Type{t}, Result: t, Kernel: identity}, nil
	case t.IsInteger() && t.Kind() != types.KindHugeInt && t.Kind() != types.KindUBigInt:
		result := t
		if t.IsUnsigned() {
			result = types.BigInt
		}
		// Rounding up may leave the narrow type, so it is done on BIGINT and cast back.
		return &expr.Function{
			Name: "round", Args: []types.Type{types.BigInt, types.Integer}, Result: result, CanFail: true, Kernel: roundIntegers,
		}, nil
	case len(args) == 1:
		return bindFloatStep("round", t, math.Round), nil
	case t.IsNumeric(), t.Kind() == types.KindNull:
		result, kernel := types.Double, roundFloats[float64]
		if t.Kind() == types.KindFloat || t.Kind() == types.KindHalf {
			result, kernel = types.Float, roundFloats[float32]
		}
		return &expr.Function{Name: "round", Args: []types.Type{result, types.Integer}, Result: result, Kernel: kernel}, nil
	}
	return nil, nil
}

// bindRoundDecimal makes rounding a cast: casts of decimals to fewer digits round half away from zero.
func bindRoundDecimal(t types.Type, args []expr.Arg) (*expr.Function, error) {
	digits := 0
	if len(args) == 2 {
		c := args[1].Constant
		if c == nil {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "round of a DECIMAL needs digits that are a constant").
				WithHint("Cast the number to DOUBLE.")
		}
		n, err := kernels.Cast(&kernels.Env{}, c, types.Integer)
		if err != nil {
			return nil, err
		}
		if n.MayHaveNulls() {
			return &expr.Function{
				Name: "round", Args: []types.Type{t, types.Integer}, Result: t, Nulls: expr.NullCustom,
				Kernel: func(_ *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					return types.NewNull(out, args[0].Len()), nil
				},
			}, nil
		}
		digits = int(types.ValuesOf[int32](n)[0])
	}
	scale := min(max(digits, 0), t.Scale())
	want := []types.Type{t, types.Integer}
	f := &expr.Function{Name: "round", Args: want[:len(args)], Result: types.Decimal(t.Precision(), scale)}
	if digits >= 0 {
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return kernels.Cast(env, args[0], out)
		}
		return f, nil
	}
	// Before the point no cast rounds.
	f.CanFail = true
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		return roundTens(env, out, args[0], -digits)
	}
	return f, nil
}

// roundTens rounds a decimal to a multiple of 10^n: x - x % 10^n, and 10^n further where the rest is at least half of it.
func roundTens(env *kernels.Env, out types.Type, v *types.Vector, n int) (*types.Vector, error) {
	t := v.Type()
	if n > t.Precision()-t.Scale() {
		zero, err := kernels.Cast(env, constantInt(0), out)
		if err != nil {
			return nil, err
		}
		zeros := kernels.Decode(env, types.NewConstant(zero, v.Len()))
		return zeros.WithValidity(validRows(env, v)), nil
	}
	// Wide enough for 10^n and for the carry.
	wide := types.Decimal(min(types.MaxDecimalPrecision, t.Precision()+2), t.Scale())
	power, err := types.NewValue(wide, "1"+zeros(n))
	if err != nil {
		return nil, err
	}
	half, err := types.NewValue(wide, "5"+zeros(n-1))
	if err != nil {
		return nil, err
	}
	constant := func(x *types.Vector) *types.Vector { return types.NewConstant(x, v.Len()) }
	if v, err = kernels.Cast(env, v, wide); err != nil {
		return nil, err
	}
	shift := func(x *types.Vector, by *types.Vector, up bool) (*types.Vector, error) {
		op, condition := kernels.Sub, kernels.Less
		if up {
			op, condition = kernels.Add, kernels.GreaterEqual
		}
		zero, err := zeroOf(env, x)
		if err != nil {
			return nil, err
		}
		c, err := kernels.Compare(env, condition, v, zero)
		if err != nil {
			return nil, err
		}
		rows := kernels.TrueRows(env, c)
		moved, err := op(env, wide, x, constant(by))
		if err != nil {
			return nil, err
		}
		return kernels.IfElse(env, rows, moved, x)
	}
	// Half a step away from zero, then truncation.
	away, err := shift(v, half, true)
	if err != nil {
		return nil, err
	}
	if away, err = shift(away, half, false); err != nil {
		return nil, err
	}
	rest, err := kernels.Mod(env, wide, away, constant(power))
	if err != nil {
		return nil, err
	}
	rounded, err := kernels.Sub(env, wide, away, rest)
	if err != nil {
		return nil, err
	}
	return kernels.Cast(env, rounded, out)
}

func zeros(n int) string {
	s := ""
	for range n {
		s += "0"
	}
	return s
}

// roundIntegers rounds BIGINT to multiples of powers of ten; digits after the point change nothing.
func roundIntegers(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	x, digits := columnOf[int64](env, args[0]), columnOf[int32](env, args[1])
	r, err := tryRows(env, types.BigInt, args, func(i int) (int64, bool, *types.Error) {
		v, d := x.at(i), digits.at(i)
		switch {
		case d >= 0:
			return v, true, nil
		case d < -19 || d == -19 && v < 5e18 && v > -5e18:
			return 0, true, nil
		case d == -19:
			return 0, false, types.Errorf(types.CodeNumericOutOfRange, "round(%d, %d) is out of range of BIGINT", v, d)
		}
		power := int64(1)
		for range -d {
			power *= 10
		}
		rest := v % power
		whole := v - rest
		switch {
		case rest >= power-rest && rest > 0:
			if whole > math.MaxInt64-power {
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "round(%d, %d) is out of range of BIGINT", v, d)
			}
			whole += power
		case -rest >= power+rest && rest < 0:
			if whole < math.MinInt64+power {
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "round(%d, %d) is out of range of BIGINT", v, d)
			}
			whole -= power
		}
		return whole, true, nil
	})
	if err != nil {
		return nil, err
	}
	return kernels.Cast(env, r, out)
}

// roundFloats rounds half away from zero by scaling; where scaling leaves the range the number is as round as it can be.
func roundFloats[T float32 | float64](env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	x, digits := columnOf[T](env, args[0]), columnOf[int32](env, args[1])
	return mapRows(env, out, args, func(i int) T {
		v, d := float64(x.at(i)), digits.at(i)
		if d < 0 {
			power := math.Pow(10, float64(-d))
			if r := math.Round(v/power) * power; !math.IsInf(power, 0) {
				return T(r)
			}
			return 0
		}
		power := math.Pow(10, float64(d))
		r := math.Round(v*power) / power
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return T(v)
		}
		return T(r)
	}), nil
}
