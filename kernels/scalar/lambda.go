package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is functions that apply an expression to the elements of lists. The binder makes them: it knows the types of the parameters and which
// columns of the query the body reads.

func registerLambda(set *expr.Set) {
	for _, f := range []struct {
		name, signature, description, example string
		aliases                               []string
	}{
		{"list_transform", "list_transform(l LIST, x -> expression)", "A list of what the expression gives for each element; with (x, i) -> ... i is its index, from 1.",
			"list_transform([1, 2], x -> x * 10) = [10, 20]", []string{"array_transform", "list_apply", "array_apply", "apply"}},
		{"list_filter", "list_filter(l LIST, x -> condition)", "The elements for which the condition is true; with (x, i) -> ... i is the index, from 1.",
			"list_filter([1, 2, 3], x -> x > 1) = [2, 3]", []string{"array_filter", "filter"}},
		{"list_reduce", "list_reduce(l LIST, (x, y) -> expression [, start])",
			"The first element, or start, combined with each further element in turn; an error for an empty list without start.", "list_reduce([1, 2, 3], (x, y) -> x + y) = 6", []string{"array_reduce", "reduce"}},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: f.aliases,
			Bind: func([]expr.Arg) (*expr.Function, error) {
				return nil, types.Errorf(types.CodeUndefinedFunction, "%s needs a lambda, such as x -> x + 1", f.name)
			},
			Signatures: []string{f.signature}, Description: f.description, Example: f.example,
		})
	}
}

// Lambda is an expression over the elements of lists: its first columns are parameters, the others what it takes from the row around, in the order
// of the call's arguments behind the list.
type Lambda struct {
	Params int
	Body   *expr.Expr
}

// eval computes the body. columns has the parameters' values, one row for each element; rows the row of the batch that each element belongs to.
func (l Lambda) eval(env *kernels.Env, program *expr.Program, columns []*types.Vector, captured []*types.Vector, rows []uint32) (*types.Vector, error) {
	for _, v := range captured {
		columns = append(columns, kernels.Take(env, v, rows, nil))
	}
	batch := types.NewBatch(columns, len(rows), 0)
	if env.Active != nil {
		selection := env.Pool.ZeroBitmap(len(rows))
		selected := 0
		for k, row := range rows {
			if env.Active.Get(int(row)) {
				selection.Set(k)
				selected++
			}
		}
		batch.Selection, batch.Selected = selection, selected
	}
	out, err := expr.NewEvaluator(program, env.Pool).Eval(nil, batch)
	if err != nil {
		if e, ok := err.(*types.Error); ok {
			copied := *e
			copied.Row = -1 // it counts elements
			err = &copied
		}
		return nil, err
	}
	return out[0], nil
}

// elements gives the parameters' values for the elements of a list column: the element and, for a second parameter, its index.
func (l Lambda) elements(env *kernels.Env, list listColumn, rows, elements []uint32) []*types.Vector {
	columns := []*types.Vector{kernels.Take(env, list.child, elements, nil)}
	if l.Params > 1 {
		index := types.Alloc[int64](env.Pool, len(rows))
		for k, row := range rows {
			offset, _ := list.at(int(row))
			index[k] = int64(int(elements[k])-offset) + 1
		}
		columns = append(columns, types.NewFixed(types.BigInt, index, nil))
	}
	return columns
}

// function makes the function of a list and what the body takes from around.
func (l Lambda) function(name string, list, result types.Type, captured []types.Type, kernel expr.Kernel) *expr.Function {
	return &expr.Function{
		Name: name, Args: append([]types.Type{list}, captured...), Result: result, Nulls: expr.NullCustom, CanFail: l.Body.CanFail(), Volatile: l.Body.IsVolatile(),
		Lambda: l.Body, Kernel: kernel,
	}
}

// Transform binds list_transform: a list of the body's values.
func (l Lambda) Transform(list types.Type, captured []types.Type) *expr.Function {
	program := expr.Compile(l.Body)
	return l.function("list_transform", list, types.ListOf(l.Body.Type), captured, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		valid := types.LogicalValidity(env.Pool, args[0])
		list := listOf(env, args[0])
		rows, elements := list.flatten(env, n, valid)
		values, err := l.eval(env, program, l.elements(env, list, rows, elements), args[1:], rows)
		if err != nil {
			return nil, err
		}
		entries := types.Alloc[types.ListEntry](env.Pool, n)
		clear(entries)
		at := int64(0)
		for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
			_, length := list.at(i)
			entries[i] = types.ListEntry{Offset: at, Length: int64(length)}
			at += int64(length)
		}
		return types.NewList(out, entries, kernels.Decode(env, values), valid), nil
	})
}

// Filter binds list_filter: the elements for which the body, a condition, is true.
func (l Lambda) Filter(list types.Type, captured []types.Type) *expr.Function {
	program := expr.Compile(l.Body)
	return l.function("list_filter", list, list, captured, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		valid := types.LogicalValidity(env.Pool, args[0])
		list := listOf(env, args[0])
		rows, elements := list.flatten(env, n, valid)
		truth, err := l.eval(env, program, l.elements(env, list, rows, elements), args[1:], rows)
		if err != nil {
			return nil, err
		}
		kept := kernels.TrueRows(env, truth)
		b := newListBuilder(env, n)
		last := -1
		for k := kept.NextSet(0, len(rows)); k < len(rows); k = kept.NextSet(k+1, len(rows)) {
			if row := int(rows[k]); row != last {
				b.begin(row)
				last = row
			}
			b.add(int(elements[k]))
		}
		return b.finish(out, list.child, valid), nil
	})
}

// Reduce binds list_reduce, whose body has the value so far as its first parameter and as its type, the next element as its second, and perhaps that
// element's index as its third. With start the first argument behind the list is the value to start with.
func (l Lambda) Reduce(list types.Type, start bool, captured []types.Type) *expr.Function {
	program := expr.Compile(l.Body)
	result := l.Body.Type
	own := captured
	if start {
		own = append([]types.Type{result}, captured...)
	}
	f := l.function("list_reduce", list, result, own, nil)
	f.CanFail = f.CanFail || !start
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		list, rest := listOf(env, args[0]), args[1:]
		value, first := kernels.Decode(env, types.NewNull(result, n)), 0
		valid, err := eachValid(env, n, types.LogicalValidity(env.Pool, args[0]), func(i int) (bool, *types.Error) {
			if _, length := list.at(i); length == 0 && !start {
				return false, types.Errorf(types.CodeInvalidParameter, "list_reduce of an empty list without a value to start with")
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
		if start {
			value, rest = rest[0], rest[1:]
		} else {
			places := types.Alloc[uint32](env.Pool, n)
			clear(places)
			for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
				offset, _ := list.at(i)
				places[i] = uint32(offset)
			}
			if value, err = kernels.Cast(elementEnv(env, n), kernels.Take(env, list.child, places, valid), result); err != nil {
				return nil, err
			}
			first = 1
		}
		// Step k takes element k of every list that has so many.
		for k := first; ; k++ {
			var rows, elements []uint32
			for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
				if offset, length := list.at(i); k < length {
					rows, elements = append(rows, uint32(i)), append(elements, uint32(offset+k))
				}
			}
			if len(rows) == 0 {
				break
			}
			columns := []*types.Vector{kernels.Take(env, value, rows, nil), kernels.Take(env, list.child, elements, nil)}
			if l.Params > 2 {
				index := types.NewFixed(types.BigInt, []int64{int64(k) + 1}, nil)
				columns = append(columns, types.NewConstant(index, len(rows)))
			}
			next, err := l.eval(env, program, columns, rest, rows)
			if err != nil {
				return nil, err
			}
			places, changed := types.Alloc[uint32](env.Pool, n), env.Pool.ZeroBitmap(n)
			clear(places)
			for j, row := range rows {
				places[row] = uint32(j)
				changed.Set(int(row))
			}
			if value, err = kernels.IfElse(env, changed, kernels.Take(env, next, places, changed), value); err != nil {
				return nil, err
			}
		}
		return under(env, valid, value), nil
	}
	return f
}
