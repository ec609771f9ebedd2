package scalar

import (
	"math"
	"math/big"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerMathMore(set *expr.Set) {
	for _, f := range []struct {
		name        string
		fn          func(float64) float64
		check       func(float64) string
		description string
		example     string
	}{
		{"cot", func(x float64) float64 { return 1 / math.Tan(x) }, notZero, "The cotangent; an error for zero.", "round(cot(1), 4) = 0.6421"},
		{"asinh", math.Asinh, nil, "The inverse of sinh.", "asinh(0) = 0.0"},
		{"acosh", math.Acosh, nil, "The inverse of cosh; NaN below 1.", "acosh(1) = 0.0"},
		{"atanh", math.Atanh, upToOne, "The inverse of tanh; an error outside -1 to 1.", "atanh(0) = 0.0"},
		{"gamma", math.Gamma, notZero, "The gamma function, which is (x-1)! for whole numbers; an error for zero.", "gamma(5) = 24.0"},
		{"lgamma", func(x float64) float64 { y, _ := math.Lgamma(x); return y }, notZero, "The logarithm of the gamma function's size; an error for zero.", "lgamma(1) = 0.0"},
		{"even", even, nil, "The next even number away from zero.", "even(2.1) = 4.0"},
	} {
		check := f.check
		if check == nil {
			check = func(float64) string { return "" }
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: fixed(f.name, types.Double, expr.NullStrict, f.check != nil, checkedMath(f.name, f.fn, check), types.Double),
			Signatures: []string{f.name + "(x DOUBLE) -> DOUBLE"}, Description: f.description, Example: f.example,
		})
	}
	divisor := func(name string, aliases []string, op func(a, b int64) (int64, bool), description, example string) *expr.Family {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			a, b := columnOf[int64](env, args[0]), columnOf[int64](env, args[1])
			return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
				x, ok := op(a.at(i), b.at(i))
				if !ok {
					return 0, false, types.Errorf(types.CodeNumericOutOfRange, "%s of %d and %d is out of range of BIGINT", name, a.at(i), b.at(i))
				}
				return x, true, nil
			})
		}
		return &expr.Family{
			Name: name, Aliases: aliases, Bind: fixed(name, types.BigInt, expr.NullStrict, true, kernel, types.BigInt, types.BigInt),
			Signatures: []string{name + "(a BIGINT, b BIGINT) -> BIGINT"}, Description: description, Example: example,
		}
	}
	set.MustAdd(
		divisor("gcd", []string{"greatest_common_divisor"}, greatestDivisor, "The greatest common divisor.", "gcd(12, 18) = 6"),
		divisor("lcm", []string{"least_common_multiple"}, func(a, b int64) (int64, bool) {
			g, ok := greatestDivisor(a, b)
			if g == 0 || !ok {
				return 0, ok
			}
			product, overflow := mulInt64(a/g, b)
			if product < 0 {
				product = -product
			}
			return product, !overflow && product >= 0
		}, "The least common multiple.", "lcm(4, 6) = 12"),
		&expr.Family{
			Name: "factorial",
			Bind: fixed("factorial", types.HugeInt, expr.NullStrict, true, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				x := columnOf[int32](env, args[0])
				return tryRows(env, out, args, func(i int) (types.Int128, bool, *types.Error) {
					n := x.at(i)
					if n < 0 {
						return types.Int128{}, false, types.Errorf(types.CodeNumericOutOfRange, "factorial of a negative number is undefined")
					}
					if n > 33 {
						return types.Int128{}, false, types.Errorf(types.CodeNumericOutOfRange, "the factorial of %d is out of range of HUGEINT", n)
					}
					product := new(big.Int).MulRange(1, int64(n))
					low := new(big.Int).And(product, new(big.Int).SetUint64(math.MaxUint64))
					return types.Int128{Lo: low.Uint64(), Hi: new(big.Int).Rsh(product, 64).Int64()}, true, nil
				})
			}, types.Integer),
			Signatures: []string{"factorial(n INTEGER) -> HUGEINT"}, Description: "The product of the numbers from 1 to n.", Example: "factorial(5) = 120",
		},
		binaryMath("fmod", nil, floorMod, "The remainder of fdiv, with the divisor's sign.", "fmod(-7.5, 2) = 0.5"),
		binaryMath("fdiv", nil, func(x, y float64) float64 { return math.Floor(x / y) }, "The quotient of a division of floating-point numbers, rounded down.", "fdiv(7, 2) = 3.0"),
		binaryMath("nextafter", nil, math.Nextafter, "The next DOUBLE after x on the way to y.", "nextafter(1, 2) = 1.0000000000000002"),
		&expr.Family{
			Name: "signbit",
			Bind: fixed("signbit", types.Boolean, expr.NullStrict, false, func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
				x := columnOf[float64](env, args[0])
				return mapBools(env, args, func(i int) bool { return math.Signbit(x.at(i)) }), nil
			}, types.Double),
			Signatures: []string{"signbit(x DOUBLE) -> BOOLEAN"}, Description: "Whether a number has a minus, also that of -0.", Example: "signbit(-2.5) = true",
		},
	)
}

func notZero(x float64) string {
	if x == 0 {
		return "of zero"
	}
	return ""
}

func floorMod(x, y float64) float64 {
	rest := math.Mod(x, y)
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	return rest
}

// even rounds away from zero to an even number.
func even(x float64) float64 {
	away := math.Ceil(math.Abs(x))
	if math.Mod(away, 2) != 0 {
		away++
	}
	return math.Copysign(away, x)
}

// greatestDivisor is Euclid's algorithm; ok is false for the one result that has no int64.
func greatestDivisor(a, b int64) (int64, bool) {
	x, y := absUint64(a), absUint64(b)
	for y != 0 {
		x, y = y, x%y
	}
	return int64(x), int64(x) >= 0
}

// wideInteger gives a HUGEINT as a big.Int.
func wideInteger(x types.Int128) *big.Int {
	wide := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return wide.Add(wide, new(big.Int).SetUint64(x.Lo))
}
