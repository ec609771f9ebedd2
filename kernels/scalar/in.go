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
	f := &expr.Function{Name: "in", Args: []types.Type{t, list}, Result: types.Boolean, Nulls: expr.NullCustom, Kernel: inListOfRow}
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

// inListOfRow compares the value of each row with the elements of the row's own list.
func inListOfRow(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
	n := args[0].Len()
	valid := types.LogicalValidity(env.Pool, args[1])
	list := listOf(env, args[1])
	rows, elements := list.flatten(env, n, valid)
	equal, err := kernels.Compare(elementEnv(env, len(rows)), kernels.Equal, kernels.Take(env, args[0], rows, nil), kernels.Take(env, list.child, elements, nil))
	if err != nil {
		return nil, err
	}
	hits := kernels.TrueRows(env, equal)
	known := types.LogicalValidity(env.Pool, equal)
	dst, decided := env.Pool.ZeroBitmap(n), env.Pool.Bitmap(n)
	types.FillBitmap(decided, n)
	if valid != nil {
		copy(decided, valid)
	}
	for k, row := range rows {
		switch {
		case hits.Has(k):
			dst.Set(int(row))
		case !known.Has(k):
			decided.Clear(int(row))
		}
	}
	for i := range decided {
		decided[i] |= dst[i]
	}
	return types.NewBool(dst, n, decided), nil
}
