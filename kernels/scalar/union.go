package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerUnion(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "union_value", Named: true,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				if args[0].Name == "" {
					return nil, types.Errorf(types.CodeInvalidParameter, "union_value needs the name of the variant").WithHint("Write union_value(name := x).")
				}
				variant := types.Field{Name: args[0].Name, Type: args[0].Type, Nullable: true}
				return &expr.Function{
					Name: "union_value", Args: []types.Type{args[0].Type}, Result: types.UnionOfCodes([]types.Field{variant}, []int8{0}, true), Nulls: expr.NullNever,
					Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
						codes := types.Alloc[int8](env.Pool, args[0].Len())
						clear(codes)
						return types.NewUnion(out, codes, nil, args, nil), nil
					},
				}, nil
			},
			Signatures: []string{"union_value(name := x)"}, Description: "A union of one variant that holds a value.", Example: "union_value(k := 1) = 1",
		},
		&expr.Family{
			Name: "union_tag",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 || args[0].Type.Kind() != types.KindUnion {
					return nil, nil
				}
				names := make([]string, len(args[0].Type.Fields()))
				for i, f := range args[0].Type.Fields() {
					names[i] = f.Name
				}
				return &expr.Function{
					Name: "union_tag", Args: []types.Type{args[0].Type}, Result: types.EnumOf(names),
					Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
						v := kernels.Decode(env, args[0])
						index := variantsByCode(v.Type())
						dst := types.Alloc[uint32](env.Pool, v.Len())
						for i, code := range v.TypeCodes()[:v.Len()] {
							dst[i] = uint32(index[code&0x7f])
						}
						return types.NewFixed(out, dst, v.Validity()), nil
					},
				}, nil
			},
			Signatures: []string{"union_tag(u UNION) -> ENUM"}, Description: "The name of the variant that a union holds. NULL if the union is.", Example: "union_tag(union_value(k := 1)) = k",
		},
		&expr.Family{
			Name: "union_extract", Bind: bindUnionExtract,
			Signatures: []string{"union_extract(u UNION, name VARCHAR)", "u.name"}, Description: "The value of a variant; NULL where the union holds another one.",
			Example: "union_extract(union_value(k := 1), 'k') = 1",
		},
		unionQuestion("union_value_is_null", "Whether a union that is not NULL itself holds NULL in its variant.", "union_value_is_null(union_value(k := NULL)) = true", kernels.UnionValueIsNull),
		unionQuestion("is_null_deep", "Whether a union is NULL or holds NULL in its variant.", "is_null_deep(union_value(k := NULL)) = true", kernels.IsNullDeep),
	)
}

// unionQuestion makes a family that asks about the nulls of a union and is never NULL.
func unionQuestion(name, description, example string, ask func(*kernels.Env, *types.Vector) *types.Vector) *expr.Family {
	return &expr.Family{
		Name: name,
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			if len(args) != 1 || args[0].Type.Kind() != types.KindUnion {
				return nil, nil
			}
			return &expr.Function{
				Name: name, Args: []types.Type{args[0].Type}, Result: types.Boolean, Nulls: expr.NullNever,
				Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
					return ask(env, args[0]), nil
				},
			}, nil
		},
		Signatures: []string{name + "(u UNION) -> BOOLEAN"}, Description: description, Example: example,
	}
}

// variantsByCode gives the declaration index of each type code.
func variantsByCode(t types.Type) *[types.MaxUnionVariants]uint8 {
	var index [types.MaxUnionVariants]uint8
	for i, code := range t.Codes() {
		index[code] = uint8(i)
	}
	return &index
}

func bindUnionExtract(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 || args[0].Type.Kind() != types.KindUnion || args[1].Type.Kind() != types.KindVarchar {
		return nil, nil
	}
	if args[1].Constant == nil || args[1].Constant.MayHaveNulls() {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "a variant by a name that is no constant is not supported")
	}
	u, name := args[0].Type, types.Text(args[1].Constant, 0)
	k := fieldIndex(u.Fields(), name)
	if k < 0 {
		return nil, types.Errorf(types.CodeUndefinedColumn, "the union has no variant %q", name).WithHint("It is %s.", u)
	}
	return &expr.Function{
		Name: "union_extract", Args: []types.Type{u, types.Varchar}, Result: u.Fields()[k].Type, Nulls: expr.NullFromValues,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			v := kernels.Decode(env, args[0])
			n, code, offsets, valid := v.Len(), u.Codes()[k], v.UnionOffsets(), v.Validity()
			rows, holds := types.Alloc[uint32](env.Pool, n), env.Pool.ZeroBitmap(n)
			clear(rows)
			for i, c := range v.TypeCodes()[:n] {
				if c != code || !valid.Has(i) {
					continue
				}
				holds.Set(i)
				if rows[i] = uint32(i); offsets != nil {
					rows[i] = uint32(offsets[i])
				}
			}
			return kernels.Take(env, v.Children()[k], rows, holds), nil
		},
	}, nil
}
