package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerConcat(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "concat_op",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 2 {
					return nil, nil
				}
				if isList(args[0].Type) || isList(args[1].Type) {
					return bindListJoin(args)
				}
				t, ok := joinType(args)
				if !ok {
					return nil, nil
				}
				return &expr.Function{Name: "concat_op", Args: []types.Type{t, t}, Result: t, CanFail: true, Kernel: concatStrict}, nil
			},
			Signatures:  []string{"a || b"},
			Description: "Two texts joined, other values than texts written as such, or two lists; NULL if either is.",
			Example:     "'a' || 1 = a1",
		},
		&expr.Family{
			Name: "concat",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) > 0 && isList(args[0].Type) {
					return bindListConcat(args)
				}
				t, ok := joinType(args)
				if len(args) == 0 || !ok {
					return nil, nil
				}
				return &expr.Function{
					Name: "concat", Args: repeatType(t, len(args)), Result: t, Nulls: expr.NullNever, CanFail: true, Kernel: concatSkippingNulls,
				}, nil
			},
			Signatures:  []string{"concat(x ANY, ...)"},
			Description: "The values joined as texts; NULL counts as the empty text.",
			Example:     "concat('a', NULL, 1) = a1",
		},
		&expr.Family{
			Name: "concat_ws",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if _, ok := joinType(args); !ok || len(args) < 2 {
					return nil, nil
				}
				return &expr.Function{
					Name: "concat_ws", Args: repeatType(types.Varchar, len(args)), Result: types.Varchar, Nulls: expr.NullCustom, CanFail: true,
					Kernel: concatWithSeparator,
				}, nil
			},
			Signatures:  []string{"concat_ws(separator VARCHAR, x ANY, ...)"},
			Description: "The values that are not null joined as texts with a separator between; NULL if the separator is.",
			Example:     "concat_ws('-', 'a', NULL, 1) = a-1",
		},
	)
}

// joinType gives the type in which values are joined: BLOB for bytes alone, else VARCHAR. Nested values are not joined here.
func joinType(args []expr.Arg) (types.Type, bool) {
	blobs := 0
	for _, a := range args {
		switch {
		case a.Type.IsNested(), a.Type.Kind() == types.KindBit:
			return types.Type{}, false
		case a.Type.Kind() == types.KindBlob:
			blobs++
		}
	}
	if blobs > 0 && blobs == len(args) {
		return types.Blob, true
	}
	return types.Varchar, true
}

func repeatType(t types.Type, n int) []types.Type {
	all := make([]types.Type, n)
	for i := range all {
		all[i] = t
	}
	return all
}

func textsOf(env *kernels.Env, args []*types.Vector) []textColumn {
	texts := make([]textColumn, len(args))
	for i, v := range args {
		texts[i] = textOf(env, v)
	}
	return texts
}

func concatStrict(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	a, b := textOf(env, args[0]), textOf(env, args[1])
	return tryText(env, out, args, func(i int, dst *kernels.ViewBuilder) *types.Error {
		x, y := a.at(i), b.at(i)
		if len(x)+len(y) > maxText {
			return tooLong()
		}
		dst.AppendReserved(append(append(dst.Reserve(len(x) + len(y))[:0], x...), y...))
		return nil
	})
}

func concatSkippingNulls(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	return joinTexts(env, out, env.Rows, nil, nil, args)
}

func concatWithSeparator(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	separator := textOf(env, args[0])
	return joinTexts(env, out, env.Rows, validRows(env, args[0]), &separator, args[1:])
}

// joinTexts joins the texts of each valid row that are not null.
func joinTexts(env *kernels.Env, out types.Type, n int, valid types.Bitmap, separator *textColumn, args []*types.Vector) (*types.Vector, error) {
	texts := textsOf(env, args)
	present := make([]types.Bitmap, len(args))
	for k, v := range args {
		present[k] = types.LogicalValidity(env.Pool, v)
	}
	b := kernels.NewViewBuilder(env, out, n)
	var scratch []byte
	row := 0
	kept, err := eachValid(env, n, valid, func(i int) (bool, *types.Error) {
		for ; row < i; row++ {
			b.AppendEmpty()
		}
		row++
		scratch = scratch[:0]
		first := true
		for k := range texts {
			if !present[k].Has(i) {
				continue
			}
			if separator != nil && !first {
				scratch = append(scratch, separator.at(i)...)
			}
			first = false
			scratch = append(scratch, texts[k].at(i)...)
			if len(scratch) > maxText {
				b.AppendEmpty()
				return false, tooLong()
			}
		}
		b.Append(scratch)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for ; row < n; row++ {
		b.AppendEmpty()
	}
	return b.Finish(kept), nil
}
