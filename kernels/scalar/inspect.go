package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerInspect(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "typeof",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				name, err := types.NewValue(types.Varchar, args[0].Type.String())
				if err != nil {
					return nil, err
				}
				return &expr.Function{
					Name: "typeof", Args: []types.Type{args[0].Type}, Result: types.Varchar, Nulls: expr.NullNever,
					Kernel: func(_ *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						return types.NewConstant(name, args[0].Len()), nil
					},
				}, nil
			},
			Signatures:  []string{"typeof(x ANY) -> VARCHAR"},
			Description: "The name of a value's SQL type, whatever its encoding.",
			Example:     "typeof(1.5) = DECIMAL(2,1)",
		},
		&expr.Family{
			Name: "hash",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) == 0 {
					return nil, nil
				}
				f := &expr.Function{Name: "hash", Result: types.UBigInt, Nulls: expr.NullNever, Kernel: hashRows}
				for _, a := range args {
					f.Args = append(f.Args, a.Type)
				}
				return f, nil
			},
			Signatures:  []string{"hash(x ANY, ...) -> UBIGINT"},
			Description: "A hash of the values, NULL included. Equal values of one type have equal hashes; the numbers may change between versions.",
			Example:     "hash(1) = hash(1) = true",
		},
	)
}

func hashRows(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	dst := types.Alloc[uint64](env.Pool, args[0].Len())
	kernels.Hash(env, args[0], dst)
	for _, v := range args[1:] {
		kernels.HashCombine(env, v, dst)
	}
	return types.NewFixed(out, dst, nil), nil
}
