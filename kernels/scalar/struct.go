package scalar

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerStruct(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "struct_pack", Named: true,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				for _, a := range args {
					if a.Name == "" {
						return nil, types.Errorf(types.CodeInvalidParameter, "struct_pack needs a name for every argument").
							WithHint("Write struct_pack(a := 1), {'a': 1}, or row(1) for a struct without names.")
					}
				}
				return bindPack("struct_pack", args)
			},
			Signatures: []string{"struct_pack(name := x, ...)", "{'name': x, ...}"}, Description: "A struct of the values under their names.",
			Example: "struct_pack(a := 1, b := 'x') = {'a': 1, 'b': x}",
		},
		&expr.Family{
			Name: "row", Bind: func(args []expr.Arg) (*expr.Function, error) { return bindPack("row", args) },
			Signatures: []string{"row(x ANY, ...)", "(x, y, ...)"}, Description: "A struct of the values, without names.", Example: "row(1, 'x') = (1, x)",
		},
		&expr.Family{
			Name: "struct_extract", Bind: bindExtract,
			Signatures:  []string{"struct_extract(s STRUCT, name VARCHAR)", "struct_extract(s STRUCT, position BIGINT)", "s.name", "s['name']"},
			Description: "A field of a struct, by its name, or, in a struct without names, by its position from 1. NULL if the struct is.",
			Example:     "struct_extract({'a': 1, 'b': 2}, 'b') = 2",
		},
		&expr.Family{
			Name: "struct_extract_at",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 2 || args[0].Type.Kind() != types.KindStruct || !args[1].Type.IsInteger() {
					return nil, nil
				}
				position, err := constantPosition("struct_extract_at", args[0].Type, args[1])
				if err != nil {
					return nil, err
				}
				return extractField("struct_extract_at", args[0].Type, position, args[1].Type), nil
			},
			Signatures: []string{"struct_extract_at(s STRUCT, position BIGINT)"}, Description: "A field of a struct by its position from 1. NULL if the struct is.",
			Example: "struct_extract_at({'a': 1, 'b': 2}, 2) = 2",
		},
		&expr.Family{
			Name: "struct_insert", Named: true, Bind: bindInsert,
			Signatures: []string{"struct_insert(s STRUCT, name := x, ...)"}, Description: "The struct with more fields. NULL if the struct is.",
			Example: "struct_insert({'a': 1}, b := 2) = {'a': 1, 'b': 2}",
		},
		&expr.Family{
			Name: "struct_keys",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 || args[0].Type.Kind() != types.KindStruct {
					return nil, nil
				}
				names := make([]any, len(args[0].Type.Fields()))
				for i, f := range args[0].Type.Fields() {
					names[i] = f.Name
				}
				list, err := types.NewValue(types.ListOf(types.Varchar), names)
				if err != nil {
					return nil, err
				}
				return &expr.Function{
					Name: "struct_keys", Args: []types.Type{args[0].Type}, Result: list.Type(),
					Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
						n := args[0].Len()
						return kernels.Decode(env, types.NewConstant(list, n)).WithValidity(types.LogicalValidity(env.Pool, args[0])), nil
					},
				}, nil
			},
			Signatures: []string{"struct_keys(s STRUCT) -> VARCHAR[]"}, Description: "The names of a struct's fields. NULL if the struct is.",
			Example: "struct_keys({'a': 1, 'b': 2}) = [a, b]",
		},
	)
}

// bindPack binds the making of a struct; its fields are named as the arguments are.
func bindPack(name string, args []expr.Arg) (*expr.Function, error) {
	if len(args) == 0 {
		return nil, nil
	}
	fields := make([]types.Field, len(args))
	for i, a := range args {
		if a.Name != "" && fieldIndex(fields[:i], a.Name) >= 0 {
			return nil, types.Errorf(types.CodeDuplicateColumn, "field %q is given twice", a.Name)
		}
		fields[i] = types.Field{Name: a.Name, Type: a.Type, Nullable: true}
	}
	f := &expr.Function{Name: name, Result: types.StructOf(fields...), Nulls: expr.NullNever, Kernel: packFields}
	for _, a := range args {
		f.Args = append(f.Args, a.Type)
	}
	return f, nil
}

func packFields(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	return types.NewStruct(out, args[0].Len(), args, nil), nil
}

// fieldIndex finds a field by name, first exactly, then in any case; -1 when there is none.
func fieldIndex(fields []types.Field, name string) int {
	if i := types.Schema(fields).Index(name); i >= 0 {
		return i
	}
	for i, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return i
		}
	}
	return -1
}

func bindExtract(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 || args[0].Type.Kind() != types.KindStruct {
		return nil, nil
	}
	s, key := args[0].Type, args[1]
	if key.Type.IsInteger() {
		if len(s.Fields()) > 0 && s.Fields()[0].Name != "" {
			return nil, types.Errorf(types.CodeDatatypeMismatch, "a field of a struct with names is taken by its name, not by its position").
				WithHint("struct_extract_at(s, position) takes it by its position.")
		}
		position, err := constantPosition("struct_extract", s, key)
		if err != nil {
			return nil, err
		}
		return extractField("struct_extract", s, position, key.Type), nil
	}
	if key.Type.Kind() != types.KindVarchar {
		return nil, nil
	}
	if key.Constant == nil || key.Constant.MayHaveNulls() {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "a field of a struct by a name that is no constant is not supported")
	}
	name := types.Text(key.Constant, 0)
	i := fieldIndex(s.Fields(), name)
	if i < 0 {
		return nil, types.Errorf(types.CodeUndefinedColumn, "the struct has no field %q", name).WithHint("It is %s.", s)
	}
	return extractField("struct_extract", s, i, types.Varchar), nil
}

// constantPosition reads the position of a field, from 1, and gives it from 0.
func constantPosition(name string, s types.Type, key expr.Arg) (int, error) {
	if key.Constant == nil || key.Constant.MayHaveNulls() {
		return 0, types.Errorf(types.CodeFeatureNotSupported, "%s with a position that is no constant is not supported", name)
	}
	v, err := kernels.Cast(nil, key.Constant, types.BigInt)
	if err != nil {
		return 0, err
	}
	position := types.ValuesOf[int64](v)[0]
	if position < 1 || position > int64(len(s.Fields())) {
		return 0, types.Errorf(types.CodeArrayElement, "the struct has %d fields, not one at position %d", len(s.Fields()), position)
	}
	return int(position - 1), nil
}

// extractField gives the function that takes field number i; the key stays an argument, so that the calls differ.
func extractField(name string, s types.Type, i int, key types.Type) *expr.Function {
	field := s.Fields()[i]
	nulls := expr.NullStrict
	if field.Nullable {
		nulls = expr.NullFromValues
	}
	return &expr.Function{
		Name: name, Args: []types.Type{s, key}, Result: field.Type, Nulls: nulls,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			v := kernels.Decode(env, args[0])
			return under(env, v.Validity(), v.Children()[i]), nil
		},
	}
}

// under gives a vector with nulls where valid (nil = all) has no bit, too.
func under(env *kernels.Env, valid types.Bitmap, v *types.Vector) *types.Vector {
	if valid == nil || v.Type().Kind() == types.KindNull {
		return v
	}
	if v.Encoding() != types.Dictionary {
		v = kernels.Decode(env, v)
	}
	return v.WithValidity(types.AndBitmaps(env.Pool, valid, v.Validity(), v.Len()))
}

func bindInsert(args []expr.Arg) (*expr.Function, error) {
	if len(args) < 2 || args[0].Type.Kind() != types.KindStruct {
		return nil, nil
	}
	s := args[0].Type
	fields := append([]types.Field{}, s.Fields()...)
	f := &expr.Function{Name: "struct_insert", Args: []types.Type{s}}
	for _, a := range args[1:] {
		if a.Name == "" {
			return nil, types.Errorf(types.CodeInvalidParameter, "struct_insert needs a name for every new field")
		}
		if fieldIndex(fields, a.Name) >= 0 {
			return nil, types.Errorf(types.CodeDuplicateColumn, "the struct has a field %q already", a.Name)
		}
		fields = append(fields, types.Field{Name: a.Name, Type: a.Type, Nullable: true})
		f.Args = append(f.Args, a.Type)
	}
	f.Result = types.StructOf(fields...)
	f.Nulls = expr.NullCustom
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		v := kernels.Decode(env, args[0])
		children := append(append([]*types.Vector{}, v.Children()...), args[1:]...)
		return types.NewStruct(out, v.Len(), children, v.Validity()), nil
	}
	return f, nil
}
