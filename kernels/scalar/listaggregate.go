package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerListAggregate(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name: "list_aggregate", Aliases: []string{"list_aggr", "array_aggregate", "array_aggr"},
		Bind: func([]expr.Arg) (*expr.Function, error) {
			return nil, types.Errorf(types.CodeUndefinedFunction, "list_aggregate takes a list and the name of an aggregate function as a constant")
		},
		Signatures:  []string{"list_aggregate(l LIST, name VARCHAR, ...)", "list_sum(l LIST)", "list_min(l LIST), ..."},
		Description: "An aggregate function over the elements of each list; also under the name list_ and the function's. NULL for NULL.", Example: "list_aggregate([1, 2, 3], 'sum') = 6",
	})
}

// AggregateList makes the function that applies an aggregate to the elements of each row's list; further arguments are those of the aggregate
// behind its first.
func AggregateList(a *expr.Aggregate) *expr.Function {
	list := types.ListOf(a.Args[0])
	return &expr.Function{
		Name: "list_" + a.Name, Args: append([]types.Type{list}, a.Args[1:]...), Result: a.Result, Nulls: expr.NullCustom, CanFail: true,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			valid := types.LogicalValidity(env.Pool, args[0])
			list := listOf(env, args[0])
			rows, elements := list.flatten(env, n, types.AndBitmaps(env.Pool, valid, env.Active, n))
			inner := *env
			inner.Active, inner.Rows = nil, len(rows)
			values := []*types.Vector{kernels.Take(env, list.child, elements, nil)}
			for _, v := range args[1:] {
				values = append(values, kernels.Take(env, v, rows, nil))
			}
			states := a.New()
			if err := states.Resize(n); err != nil {
				return nil, err
			}
			if err := states.Update(&inner, rows, values, len(rows)); err != nil {
				return nil, err
			}
			inner.Rows = n
			result, err := states.Finish(&inner, 0, n)
			if err != nil {
				return nil, err
			}
			return under(env, valid, result), nil
		},
	}
}
