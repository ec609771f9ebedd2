package scalar

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerMath(set *expr.Set) {
	for _, f := range []struct {
		name        string
		aliases     []string
		fn          func(float64) float64
		description string
		example     string
	}{
		{"exp", nil, math.Exp, "e to the power of x.", "exp(0) = 1.0"},
		{"cbrt", nil, math.Cbrt, "The cube root.", "cbrt(27) = 3.0"},
		{"degrees", nil, func(x float64) float64 { return x * (180 / math.Pi) }, "Radians as degrees.", "degrees(0) = 0.0"},
		{"radians", nil, func(x float64) float64 { return x * (math.Pi / 180) }, "Degrees as radians.", "radians(180) = 3.141592653589793"},
		{"atan", nil, math.Atan, "The arc tangent.", "atan(0) = 0.0"},
		{"sinh", nil, math.Sinh, "The hyperbolic sine.", "sinh(0) = 0.0"},
		{"cosh", nil, math.Cosh, "The hyperbolic cosine.", "cosh(0) = 1.0"},
		{"tanh", nil, math.Tanh, "The hyperbolic tangent.", "tanh(0) = 0.0"},
	} {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			x := columnOf[float64](env, args[0])
			return mapRows(env, out, args, func(i int) float64 { return f.fn(x.at(i)) }), nil
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: f.aliases, Bind: fixed(f.name, types.Double, expr.NullStrict, false, kernel, types.Double),
			Signatures: []string{f.name + "(x DOUBLE) -> DOUBLE"}, Description: f.description, Example: f.example,
		})
	}
	for _, f := range []struct {
		name        string
		fn          func(float64) float64
		check       func(float64) string // what is wrong with an argument, or nothing
		description string
		example     string
	}{
		{"sqrt", math.Sqrt, notNegative, "The square root; an error for a negative number.", "sqrt(4) = 2.0"},
		{"ln", math.Log, positive, "The natural logarithm; an error for zero and negative numbers.", "ln(1) = 0.0"},
		{"log2", math.Log2, positive, "The logarithm to base 2.", "log2(8) = 3.0"},
		{"log10", math.Log10, positive, "The logarithm to base 10.", "log10(1000) = 3.0"},
		{"sin", math.Sin, finite, "The sine; an error for infinity.", "sin(0) = 0.0"},
		{"cos", math.Cos, finite, "The cosine; an error for infinity.", "cos(0) = 1.0"},
		{"tan", math.Tan, finite, "The tangent; an error for infinity.", "tan(0) = 0.0"},
		{"asin", math.Asin, upToOne, "The arc sine; an error outside -1 to 1.", "asin(0) = 0.0"},
		{"acos", math.Acos, upToOne, "The arc cosine; an error outside -1 to 1.", "acos(1) = 0.0"},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: fixed(f.name, types.Double, expr.NullStrict, true, checkedMath(f.name, f.fn, f.check), types.Double),
			Signatures: []string{f.name + "(x DOUBLE) -> DOUBLE"}, Description: f.description, Example: f.example,
		})
	}
	set.MustAdd(
		&expr.Family{
			Name: "log",
			Bind: anyOf(
				fixed("log", types.Double, expr.NullStrict, true, checkedMath("log", math.Log10, positive), types.Double),
				fixed("log", types.Double, expr.NullStrict, true, logToBase, types.Double, types.Double),
			),
			Signatures:  []string{"log(x DOUBLE) -> DOUBLE", "log(base DOUBLE, x DOUBLE) -> DOUBLE"},
			Description: "The logarithm to base 10, or to a given base.",
			Example:     "log(2, 8) = 3.0",
		},
		binaryMath("power", []string{"pow"}, math.Pow, "x to the power of y.", "power(2, 10) = 1024.0"),
		binaryMath("atan2", nil, math.Atan2, "The angle of the point (x, y) for atan2(y, x).", "atan2(0, 1) = 0.0"),
		&expr.Family{
			Name: "pi",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 0 {
					return nil, nil
				}
				return &expr.Function{
					Name: "pi", Result: types.Double, Nulls: expr.NullNever,
					Kernel: func(env *kernels.Env, out types.Type, _ []*types.Vector) (*types.Vector, error) {
						return types.NewConstant(types.NewFixed(out, []float64{math.Pi}, nil), env.Rows), nil
					},
				}, nil
			},
			Signatures: []string{"pi() -> DOUBLE"}, Description: "The number pi.", Example: "pi() = 3.141592653589793",
		},
		&expr.Family{
			Name: "abs", Bind: bindAbs, Signatures: []string{"abs(x NUMERIC)"},
			Description: "The number without its sign.", Example: "abs(-5) = 5",
		},
		&expr.Family{
			Name: "sign", Bind: bindSign, Signatures: []string{"sign(x NUMERIC) -> TINYINT"},
			Description: "-1, 0 or 1 for a negative number, zero or a positive one; 0 for NaN.", Example: "sign(-2.5) = -1",
		},
	)
	for _, f := range []struct {
		name, description, example string
		test                       func(float64) bool
	}{
		{"isnan", "Whether a number is NaN.", "isnan('nan'::DOUBLE) = true", math.IsNaN},
		{"isinf", "Whether a number is infinite.", "isinf('-inf'::DOUBLE) = true", func(x float64) bool { return math.IsInf(x, 0) }},
		{"isfinite", "Whether a number is neither infinite nor NaN.", "isfinite(1.5::DOUBLE) = true", func(x float64) bool { return x-x == 0 }},
	} {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			x := columnOf[float64](env, args[0])
			return mapBools(env, args, func(i int) bool { return f.test(x.at(i)) }), nil
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: fixed(f.name, types.Boolean, expr.NullStrict, false, kernel, types.Double),
			Signatures: []string{f.name + "(x DOUBLE) -> BOOLEAN"}, Description: f.description, Example: f.example,
		})
	}
}

func binaryMath(name string, aliases []string, fn func(x, y float64) float64, description, example string) *expr.Family {
	kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		x, y := columnOf[float64](env, args[0]), columnOf[float64](env, args[1])
		return mapRows(env, out, args, func(i int) float64 { return fn(x.at(i), y.at(i)) }), nil
	}
	return &expr.Family{
		Name: name, Aliases: aliases, Bind: fixed(name, types.Double, expr.NullStrict, false, kernel, types.Double, types.Double),
		Signatures: []string{name + "(x DOUBLE, y DOUBLE) -> DOUBLE"}, Description: description, Example: example,
	}
}

// The checks of arguments. NaN passes all: functions give NaN for it.

func notNegative(x float64) string {
	if x < 0 {
		return "of a negative number"
	}
	return ""
}

func positive(x float64) string {
	switch {
	case x < 0:
		return "of a negative number"
	case x == 0:
		return "of zero"
	}
	return ""
}

func finite(x float64) string {
	if math.IsInf(x, 0) {
		return "of infinity"
	}
	return ""
}

func upToOne(x float64) string {
	if x < -1 || x > 1 {
		return "of a number outside -1 to 1"
	}
	return ""
}

// checkedMath gives the kernel of a function of one DOUBLE that fails for some.
func checkedMath(name string, fn func(float64) float64, check func(float64) string) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		x := columnOf[float64](env, args[0])
		return tryRows(env, out, args, func(i int) (float64, bool, *types.Error) {
			if wrong := check(x.at(i)); wrong != "" {
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "cannot take %s %s", name, wrong)
			}
			return fn(x.at(i)), true, nil
		})
	}
}

func logToBase(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	base, x := columnOf[float64](env, args[0]), columnOf[float64](env, args[1])
	return tryRows(env, out, args, func(i int) (float64, bool, *types.Error) {
		wrong := positive(base.at(i))
		if wrong == "" {
			wrong = positive(x.at(i))
		}
		if wrong == "" && base.at(i) == 1 {
			wrong = "to base 1"
		}
		if wrong != "" {
			return 0, false, types.Errorf(types.CodeNumericOutOfRange, "cannot take log %s", wrong)
		}
		return math.Log(x.at(i)) / math.Log(base.at(i)), true, nil
	})
}

func bindAbs(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	if t.Kind() == types.KindNull {
		t = types.BigInt
	}
	if !t.IsNumeric() {
		return nil, nil
	}
	f := &expr.Function{Name: "abs", Args: []types.Type{t}, Result: t, CanFail: t.IsInteger() && !t.IsUnsigned(), Kernel: absByNegation}
	switch {
	case t.IsUnsigned():
		f.Kernel = func(_ *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) { return args[0], nil }
	case t.Kind() == types.KindFloat:
		f.Kernel = absFloat[float32]
	case t.Kind() == types.KindDouble:
		f.Kernel = absFloat[float64]
	}
	return f, nil
}

func absFloat[T float32 | float64](env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	x := columnOf[T](env, args[0])
	return mapRows(env, out, args, func(i int) T { return T(math.Abs(float64(x.at(i)))) }), nil
}

// absByNegation negates the negative rows, so that the smallest integer is an error where it counts.
func absByNegation(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
	v := args[0]
	zero, err := zeroOf(env, v)
	if err != nil {
		return nil, err
	}
	below, err := kernels.Compare(env, kernels.Less, v, zero)
	if err != nil {
		return nil, err
	}
	negative := kernels.TrueRows(env, below)
	inner := *env
	inner.Active = types.AndBitmaps(env.Pool, negative, env.Active, v.Len())
	negated, err := kernels.Neg(&inner, v)
	if err != nil {
		return nil, err
	}
	return kernels.IfElse(env, negative, negated, v)
}

// zeroOf gives 0 in the type and length of a number vector.
func zeroOf(env *kernels.Env, v *types.Vector) (*types.Vector, error) {
	zero, err := kernels.Cast(env, types.NewConstant(types.NewFixed(types.TinyInt, []int8{0}, nil), 1), v.Type())
	if err != nil {
		return nil, err
	}
	return types.NewConstant(zero, v.Len()), nil
}

func bindSign(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	if t.Kind() == types.KindNull || t.Kind() == types.KindHalf {
		t = types.Double
	}
	if !t.IsNumeric() {
		return nil, nil
	}
	return &expr.Function{
		Name: "sign", Args: []types.Type{t}, Result: types.TinyInt,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			zero, err := zeroOf(env, args[0])
			if err != nil {
				return nil, err
			}
			above, err := kernels.Compare(env, kernels.Greater, args[0], zero)
			if err != nil {
				return nil, err
			}
			below, err := kernels.Compare(env, kernels.Less, args[0], zero)
			if err != nil {
				return nil, err
			}
			above, below = kernels.Decode(env, above), kernels.Decode(env, below)
			var nan types.Bitmap
			if t.IsFloat() {
				nan = nanRows(env, args[0])
			}
			return mapRows(env, out, args, func(i int) int8 {
				switch {
				case nan != nil && nan.Get(i): // above every number in SQL's order
					return 0
				case above.Bools().Get(i):
					return 1
				case below.Bools().Get(i):
					return -1
				}
				return 0
			}), nil
		},
	}, nil
}

// nanRows gives the rows of a FLOAT or DOUBLE vector that are NaN.
func nanRows(env *kernels.Env, v *types.Vector) types.Bitmap {
	dst := env.Pool.ZeroBitmap(v.Len())
	if v.Type().Kind() == types.KindFloat {
		x := columnOf[float32](env, v)
		for i := range v.Len() {
			if f := x.at(i); f != f {
				dst.Set(i)
			}
		}
		return dst
	}
	x := columnOf[float64](env, v)
	for i := range v.Len() {
		if f := x.at(i); f != f {
			dst.Set(i)
		}
	}
	return dst
}
