package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerCompare(set *expr.Set) {
	for _, f := range []struct {
		name, example string
		op            kernels.CompareOp
	}{
		{"eq", "1 = 1.0 = true", kernels.Equal},
		{"ne", "1 <> 2 = true", kernels.NotEqual},
		{"lt", "1 < 2 = true", kernels.Less},
		{"le", "'b' <= 'a' = false", kernels.LessEqual},
		{"gt", "DATE '2020-01-02' > '2020-01-01' = true", kernels.Greater},
		{"ge", "'nan'::DOUBLE >= 1e300 = true", kernels.GreaterEqual},
	} {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			return kernels.Compare(env, f.op, args[0], args[1])
		}
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				kernel := kernel
				if len(args) == 2 && (args[0].Type.Kind() == types.KindUnion) != (args[1].Type.Kind() == types.KindUnion) {
					kernel = func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						return kernels.CompareWithin(env, f.op, args[0], args[1])
					}
				}
				fn, err := bindComparison(f.name, f.op.String(), args, kernel)
				if fn != nil && fn.Args[0].IsNested() {
					fn.Nulls = expr.NullCustom // a null inside may leave it undecided
				}
				return fn, err
			},
			Signatures:  []string{"a " + f.op.String() + " b"},
			Description: "Compares two values after bringing them to one type; NULL if either is. NaN equals NaN and is the greatest number.",
			Example:     f.example,
		})
		registerQuantified(set, f.name, f.op)
	}
	for _, f := range []struct {
		name, symbol, example string
		kernel                func(env *kernels.Env, a, b *types.Vector) (*types.Vector, error)
	}{
		{"is_distinct", "IS DISTINCT FROM", "NULL IS DISTINCT FROM 1 = true", kernels.IsDistinct},
		{"is_not_distinct", "IS NOT DISTINCT FROM", "NULL IS NOT DISTINCT FROM NULL = true", kernels.IsNotDistinct},
	} {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			return f.kernel(env, args[0], args[1])
		}
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				fn, err := bindComparison(f.name, f.symbol, args, kernel)
				if fn != nil {
					fn.Nulls = expr.NullNever
				}
				return fn, err
			},
			Signatures:  []string{"a " + f.symbol + " b"},
			Description: "Comparison in which NULL equals NULL, at every level of nested values; never NULL.",
			Example:     f.example,
		})
	}
}

// bindComparison binds two arguments that are brought to their common type.
func bindComparison(name, symbol string, args []expr.Arg, kernel expr.Kernel) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	t, err := comparisonType(symbol, args[0], args[1])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Name: name, Args: []types.Type{t, t}, Result: types.Boolean, Kernel: kernel}, nil
}

// comparisonType gives the type in which two arguments are compared. A text that is not a literal is read as a date, time,
// interval, boolean or UUID when it meets one, as in DuckDB, but never as a number.
func comparisonType(symbol string, a, b expr.Arg) (types.Type, error) {
	t, err := expr.CommonType(a, b)
	if err == nil {
		return t, nil
	}
	if err := textBesideNumber(symbol, a, b); err != nil {
		return types.Type{}, err
	}
	for _, pair := range [][2]types.Type{{a.Type, b.Type}, {b.Type, a.Type}} {
		if pair[0].Kind() != types.KindVarchar {
			continue
		}
		switch other := pair[1]; {
		case other.IsTemporal(), other.Kind() == types.KindBoolean, other.Kind() == types.KindUUID:
			return other, nil
		}
	}
	return types.Type{}, types.KindErrorf(types.ErrNoCommonType, "cannot compare %s with %s (%s)", a.Type, b.Type, symbol).
		WithHint("Cast one side: CAST(... AS %s) or CAST(... AS %s).", b.Type, a.Type)
}

// textBesideNumber gives the error for a VARCHAR that is not a literal beside a number, nil for other pairs. Neither side is
// cast silently: 'abc' could not be a number, and 10 would sort before 9 as text.
func textBesideNumber(symbol string, a, b expr.Arg) error {
	text, number := a, b
	if text.Type.Kind() != types.KindVarchar {
		text, number = b, a
	}
	if text.Type.Kind() != types.KindVarchar || text.Literal || !number.Type.IsNumeric() {
		return nil
	}
	return types.KindErrorf(types.ErrNoCommonType, "operator %s does not take %s and %s", symbol, a.Type, b.Type).
		WithHint("Say which is meant: CAST the text AS %s, or CAST the number AS VARCHAR.", number.Type)
}
