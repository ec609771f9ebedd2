package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerChoose(set *expr.Set) {
	for _, f := range []struct {
		name, word, example string
		op                  kernels.CompareOp
	}{
		{"greatest", "greatest", "greatest(1, NULL, 3) = 3", kernels.Greater},
		{"least", "smallest", "least(2, NULL, 1) = 1", kernels.Less},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) == 0 {
					return nil, nil
				}
				t, err := expr.CommonTypeOf(args...)
				if err != nil {
					return nil, err
				}
				return &expr.Function{
					Name: f.name, Args: repeatType(t, len(args)), Result: t, Nulls: expr.NullCustom,
					Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						return extremeOf(env, f.op, args)
					},
				}, nil
			},
			Signatures:  []string{f.name + "(x ANY, ...)"},
			Description: "The " + f.word + " of the values that are not null; NULL if all are.",
			Example:     f.example,
		})
	}
	set.MustAdd(&expr.Family{
		Name: "nullif",
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			if len(args) != 2 {
				return nil, nil
			}
			t, err := comparisonType("=", args[0], args[1])
			if err != nil {
				return nil, err
			}
			// The result keeps the first argument's own type; only the comparison is done in the common one.
			own := args[0].Type
			if own.Kind() == types.KindNull {
				own = t
			}
			return &expr.Function{
				Name: "nullif", Args: []types.Type{own, t}, Result: own, Nulls: expr.NullCustom, CanFail: !own.Equal(t),
				Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
					a, err := kernels.Cast(env, args[0], t)
					if err != nil {
						return nil, err
					}
					equal, err := kernels.Compare(env, kernels.Equal, a, args[1])
					if err != nil {
						return nil, err
					}
					return kernels.Mask(env, args[0], equal)
				},
			}, nil
		},
		Signatures:  []string{"nullif(a, b)"},
		Description: "NULL where a equals b, else a.",
		Example:     "nullif(2, 1) = 2",
	})
}

// extremeOf gives in each row the greatest or least value that is not null.
func extremeOf(env *kernels.Env, op kernels.CompareOp, args []*types.Vector) (*types.Vector, error) {
	best := args[0]
	n := best.Len()
	for _, v := range args[1:] {
		better, err := kernels.Compare(env, op, v, best)
		if err != nil {
			return nil, err
		}
		take := kernels.TrueRows(env, better)
		// A null is replaced by whatever comes.
		if have := types.LogicalValidity(env.Pool, best); have != nil {
			missing := types.AndNotBitmaps(env.Pool, nil, have, n)
			merged := env.Pool.Bitmap(n)
			for i := range merged {
				merged[i] = take[i] | missing[i]
			}
			take = merged
		}
		if best, err = kernels.IfElse(env, take, v, best); err != nil {
			return nil, err
		}
	}
	return best, nil
}
