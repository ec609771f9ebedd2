package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerIn(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name:        "in",
		Bind:        bindIn,
		Signatures:  []string{"x IN (a, b, ...)", "x IN list"},
		Description: "Whether a value equals one of a list. NULL if it equals none and is NULL or the list has a NULL; false for an empty list.",
		Example:     "2 IN (1, 2, 3) = true",
	})
}

// bindIn binds x IN list. A constant list becomes a set here, once for all batches.
func bindIn(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	element, ok := elementType(args[1].Type)
	if !ok {
		return nil, nil
	}
	t, err := comparisonType("IN", args[0], expr.Arg{Type: element})
	if err != nil {
		return nil, err
	}
	list := types.ListOf(t)
	f := &expr.Function{Name: "in", Args: []types.Type{t, list}, Result: types.Boolean, Nulls: expr.NullCustom, Kernel: quantify(kernels.Equal, false)}
	if args[1].Constant == nil || args[1].Constant.MayHaveNulls() {
		return f, nil
	}
	constant, err := kernels.Cast(nil, args[1].Constant, list)
	if err != nil {
		return f, nil // raised by the cast that the binder adds, if a row gets there
	}
	members := kernels.NewInSet(elementsOf(constant))
	switch {
	case members.HasNull():
		f.Nulls = expr.NullFromValues
	case t.IsNested(), members.Values().Len() == 0: // a null inside may leave it undecided; nothing is in the empty list, not even NULL
	default:
		f.Nulls = expr.NullStrict
	}
	f.Kernel = func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		return members.Contains(env, args[0])
	}
	return f, nil
}

// elementType gives the type of the elements of a list or array; that of an untyped NULL or empty list is NULL.
func elementType(t types.Type) (types.Type, bool) {
	switch t.Kind() {
	case types.KindList, types.KindArray:
		return t.Elem().Type, true
	case types.KindNull:
		return types.Null, true
	}
	return types.Type{}, false
}

// elementsOf gives the elements of a constant list that is not null.
func elementsOf(list *types.Vector) *types.Vector {
	e := types.ValuesOf[types.ListEntry](list)[0]
	return list.Children()[0].Slice(nil, int(e.Offset), int(e.Offset+e.Length))
}

// quantify gives the kernel of x op ANY (list) or, with all, x op ALL (list), where the list is the row's own.
func quantify(op kernels.CompareOp, all bool) expr.Kernel {
	return func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		valid := types.LogicalValidity(env.Pool, args[1])
		list := listOf(env, args[1])
		rows, elements := list.flatten(env, n, valid)
		inner := elementEnv(env, len(rows))
		outcome, err := kernels.Compare(inner, op, kernels.Take(env, args[0], rows, nil), kernels.Take(env, list.child, elements, nil))
		if err != nil {
			return nil, err
		}
		if all {
			if outcome, err = kernels.Not(inner, outcome); err != nil {
				return nil, err
			}
		}
		// An element for which the outcome is true decides the row; else one for which it is null leaves it open.
		hits := kernels.TrueRows(inner, outcome)
		known := types.LogicalValidity(env.Pool, outcome)
		decided, closed := env.Pool.ZeroBitmap(n), env.Pool.Bitmap(n)
		types.FillBitmap(closed, n)
		if valid != nil {
			copy(closed, valid)
		}
		for k, row := range rows {
			switch {
			case hits.Has(k):
				decided.Set(int(row))
			case !known.Has(k):
				closed.Clear(int(row))
			}
		}
		truth := env.Pool.Bitmap(n)
		for i := range closed {
			closed[i] |= decided[i]
			truth[i] = decided[i]
			if all {
				truth[i] = closed[i] &^ decided[i]
			}
		}
		return types.NewBool(truth, n, closed), nil
	}
}

// registerQuantified adds lt_any, lt_all and the like.
func registerQuantified(set *expr.Set, name string, op kernels.CompareOp) {
	for _, all := range []bool{false, true} {
		own, word, what := name+"_any", "ANY", "some element of a list"
		if all {
			own, word, what = name+"_all", "ALL", "every element of a list"
		}
		example := map[bool]string{false: "1 " + op.String() + " ANY([1]) = ", true: "1 " + op.String() + " ALL([1]) = "}[all]
		truth := "false"
		if op == kernels.Equal || op == kernels.LessEqual || op == kernels.GreaterEqual {
			truth = "true"
		}
		set.MustAdd(&expr.Family{
			Name: own,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 2 {
					return nil, nil
				}
				element, ok := elementType(args[1].Type)
				if !ok {
					return nil, nil
				}
				t, err := comparisonType(op.String(), args[0], expr.Arg{Type: element})
				if err != nil {
					return nil, err
				}
				return &expr.Function{Name: own, Args: []types.Type{t, types.ListOf(t)}, Result: types.Boolean, Nulls: expr.NullCustom, Kernel: quantify(op, all)}, nil
			},
			Signatures:  []string{"x " + op.String() + " " + word + " (list)"},
			Description: "Whether the comparison holds for " + what + ", by three-valued logic.",
			Example:     example + truth,
		})
	}
}
