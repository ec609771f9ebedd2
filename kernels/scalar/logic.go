package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerLogic(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name: "not",
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			if len(args) != 1 || !isBoolean(args[0]) {
				return nil, nil
			}
			return &expr.Function{
				Name: "not", Args: []types.Type{types.Boolean}, Result: types.Boolean,
				Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
					return kernels.Not(env, args[0])
				},
			}, nil
		},
		Signatures:  []string{"NOT x"},
		Description: "The opposite of a condition; NULL for NULL.",
		Example:     "NOT true = false",
	})
	for _, f := range []struct {
		name, symbol, description, example string
		boolean                            bool
		kernel                             func(env *kernels.Env, v *types.Vector) *types.Vector
	}{
		{"is_null", "IS NULL", "Whether a value is NULL.", "NULL IS NULL = true", false, kernels.IsNull},
		{"is_not_null", "IS NOT NULL", "Whether a value is not NULL.", "1 IS NOT NULL = true", false, kernels.IsNotNull},
		{"is_true", "IS TRUE", "Whether a condition is true; false for NULL.", "(NULL::BOOLEAN) IS TRUE = false", true, kernels.IsTrue},
		{"is_not_true", "IS NOT TRUE", "Whether a condition is false or NULL.", "(NULL::BOOLEAN) IS NOT TRUE = true", true, kernels.IsNotTrue},
		{"is_false", "IS FALSE", "Whether a condition is false; false for NULL.", "(1 > 2) IS FALSE = true", true, kernels.IsFalse},
		{"is_not_false", "IS NOT FALSE", "Whether a condition is true or NULL.", "(1 > 2) IS NOT FALSE = false", true, kernels.IsNotFalse},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 || f.boolean && !isBoolean(args[0]) {
					return nil, nil
				}
				t := args[0].Type
				if f.boolean {
					t = types.Boolean
				}
				return &expr.Function{
					Name: f.name, Args: []types.Type{t}, Result: types.Boolean, Nulls: expr.NullNever,
					Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						return f.kernel(env, args[0]), nil
					},
				}, nil
			},
			Signatures:  []string{"x " + f.symbol},
			Description: f.description,
			Example:     f.example,
		})
	}
}

// isBoolean reports a condition: a BOOLEAN, NULL or string literal.
func isBoolean(a expr.Arg) bool {
	k := a.Type.Kind()
	return k == types.KindBoolean || k == types.KindNull || k == types.KindVarchar && a.Literal
}
