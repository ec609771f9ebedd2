package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is how lists are made and taken apart; listsearch.go asks what is in them, listorder.go sorts them, lists.go reads them.

func registerList(set *expr.Set) {
	registerListSearch(set)
	registerListOrder(set)
	registerRange(set)
	set.MustAdd(
		&expr.Family{
			Name: "list_value", Aliases: []string{"list_pack"}, Bind: bindListValue,
			Signatures: []string{"list_value(x ANY, ...)", "[x, ...]"}, Description: "A list of the values, brought to one type.", Example: "list_value(1, NULL, 3) = [1, NULL, 3]",
		},
		&expr.Family{
			Name: "list_extract", Aliases: []string{"list_element", "array_extract"}, Bind: bindListExtract,
			Signatures: []string{"list_extract(l LIST, index BIGINT)", "list_extract(s VARCHAR, index BIGINT)", "l[index]"},
			Description: "The element at an index, from 1, or back from the end with -1; NULL outside the list. Of a text, the character there, or the empty text; " +
				"of a struct, the field.",
			Example: "([10, 20, 30])[-1] = 30",
		},
		&expr.Family{
			Name: "list_slice", Aliases: []string{"array_slice"}, Bind: bindListSlice,
			Signatures:  []string{"list_slice(l LIST, first BIGINT, last BIGINT)", "list_slice(l LIST, first BIGINT, last BIGINT, step BIGINT)", "l[first:last]", "l[first:last:step]"},
			Description: "The elements from first to last, both inside and counted from 1, or back from the end with -1. Of a text, its characters.",
			Example:     "([1, 2, 3, 4])[2:3] = [2, 3]",
		},
		&expr.Family{
			Name: "list_concat", Aliases: []string{"list_cat", "array_concat", "array_cat"}, Bind: bindListConcat,
			Signatures: []string{"list_concat(a LIST, b LIST, ...)"}, Description: "The lists joined; NULL counts as an empty one, and is the result of NULLs alone.",
			Example: "list_concat([1, 2], NULL, [3]) = [1, 2, 3]",
		},
		&expr.Family{
			Name: "list_append", Aliases: []string{"array_append", "array_push_back"}, Bind: bindListAppend("list_append", false),
			Signatures: []string{"list_append(l LIST, x ANY)"}, Description: "The list with a value behind; NULL counts as the empty list.", Example: "list_append([1, 2], 3) = [1, 2, 3]",
		},
		&expr.Family{
			Name: "list_prepend", Bind: bindListAppend("list_prepend", true),
			Signatures: []string{"list_prepend(x ANY, l LIST)"}, Description: "The list with a value in front; NULL counts as the empty list.", Example: "list_prepend(1, [2, 3]) = [1, 2, 3]",
		},
		&expr.Family{
			Name: "flatten", Bind: bindFlatten,
			Signatures: []string{"flatten(l LIST of LIST)"}, Description: "The lists inside a list joined to one; those that are NULL are left out.",
			Example: "flatten([[1], [2, 3]]) = [1, 2, 3]",
		},
		&expr.Family{
			Name: "array_pop_front", Bind: bindPop("array_pop_front", 2, -1),
			Signatures: []string{"array_pop_front(l LIST)"}, Description: "The list without its first element.", Example: "array_pop_front([1, 2, 3]) = [2, 3]",
		},
		&expr.Family{
			Name: "array_pop_back", Bind: bindPop("array_pop_back", 1, -2),
			Signatures: []string{"array_pop_back(l LIST)"}, Description: "The list without its last element.", Example: "array_pop_back([1, 2, 3]) = [1, 2]",
		},
	)
}

func bindListValue(args []expr.Arg) (*expr.Function, error) {
	t, err := expr.CommonTypeOf(args...)
	if err != nil {
		return nil, err
	}
	return &expr.Function{
		Name: "list_value", Args: repeatType(t, len(args)), Result: types.ListOf(t), Nulls: expr.NullNever,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n, width := env.Rows, len(args)
			entries := types.Alloc[types.ListEntry](env.Pool, n)
			for i := range entries {
				entries[i] = types.ListEntry{Offset: int64(i * width), Length: int64(width)}
			}
			if width == 0 {
				return types.NewList(out, entries, kernels.Decode(env, types.NewNull(t, 0)), nil), nil
			}
			all := kernels.Concat(env, args)
			indices := types.Alloc[uint32](env.Pool, n*width)
			for i := range n {
				for k := range width {
					indices[i*width+k] = uint32(k*n + i)
				}
			}
			return types.NewList(out, entries, kernels.Take(env, all, indices, nil), nil), nil
		},
	}, nil
}

func bindListExtract(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	if args[0].Type.Kind() == types.KindStruct {
		return bindExtract(args)
	}
	if args[0].Type.Kind() == types.KindMap {
		return bindMapValue(args)
	}
	if !casts(args[1], types.BigInt) {
		return nil, nil
	}
	if args[0].Type.Kind() == types.KindVarchar || args[0].Type.Kind() == types.KindJSON {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			at := columnOf[int64](env, args[1])
			return sliceText(env, args, func(i int, s []byte) (int, int) { return substring(s, at.at(i), 1) }), nil
		}
		return fixed("list_extract", types.Varchar, expr.NullStrict, false, kernel, types.Varchar, types.BigInt)(args)
	}
	element, ok := elementType(args[0].Type)
	if !ok {
		return nil, nil
	}
	return &expr.Function{
		Name: "list_extract", Args: []types.Type{types.ListOf(element), types.BigInt}, Result: element, Nulls: expr.NullFromValues,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			list, at := listOf(env, args[0]), columnOf[int64](env, args[1])
			indices := types.Alloc[uint32](env.Pool, n)
			clear(indices)
			valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
				offset, length := list.at(i)
				k := at.at(i)
				if k < 0 {
					k += int64(length) + 1
				}
				if k < 1 || k > int64(length) {
					return false, nil
				}
				indices[i] = uint32(offset + int(k) - 1)
				return true, nil
			})
			if err != nil {
				return nil, err
			}
			return kernels.Take(env, list.child, indices, valid), nil
		},
	}, nil
}

func bindListSlice(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 3 && len(args) != 4 {
		return nil, nil
	}
	for _, a := range args[1:] {
		if !casts(a, types.BigInt) {
			return nil, nil
		}
	}
	bounds := repeatType(types.BigInt, len(args)-1)
	f := &expr.Function{Name: "list_slice", CanFail: len(args) == 4}
	if k := args[0].Type.Kind(); k == types.KindVarchar || k == types.KindJSON {
		if len(args) == 4 {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "a slice of a text with a step is not supported")
		}
		f.Args, f.Result = append([]types.Type{types.Varchar}, bounds...), types.Varchar
		f.Kernel = func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			first, last := columnOf[int64](env, args[1]), columnOf[int64](env, args[2])
			return sliceText(env, args, func(i int, s []byte) (int, int) {
				from, to := sliceBounds(first.at(i), last.at(i), countRunes(s))
				return runeRange(s, from, to)
			}), nil
		}
		return f, nil
	}
	element, ok := elementType(args[0].Type)
	if !ok {
		return nil, nil
	}
	f.Args, f.Result = append([]types.Type{types.ListOf(element)}, bounds...), types.ListOf(element)
	f.Kernel = sliceLists
	if len(args) == 4 {
		f.Kernel = stepLists
	}
	return f, nil
}

// sliceBounds turns bounds as written, from 1 and from the end when negative, into a half open range from 0 within a length.
func sliceBounds(first, last, length int64) (from, to int64) {
	if first < 0 {
		first = max(first, -length) + length + 1
	}
	if last < 0 {
		last = max(last, -length-1) + length + 1
	}
	from, to = max(first, 1)-1, min(last, length)
	return from, max(from, to)
}

func sliceLists(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	n := args[0].Len()
	list, first, last := listOf(env, args[0]), columnOf[int64](env, args[1]), columnOf[int64](env, args[2])
	valid := validRows(env, args...)
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		offset, length := list.at(i)
		from, to := sliceBounds(first.at(i), last.at(i), int64(length))
		if from < to {
			entries[i] = types.ListEntry{Offset: int64(offset) + from, Length: to - from}
		}
	}
	return types.NewList(out, entries, list.child, valid), nil
}

// stepLists takes every step-th element; a negative step goes from the last bound to the first one's side, as first > last says.
func stepLists(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	n := args[0].Len()
	list, first, last, step := listOf(env, args[0]), columnOf[int64](env, args[1]), columnOf[int64](env, args[2]), columnOf[int64](env, args[3])
	b := newListBuilder(env, n)
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		offset, length := list.at(i)
		low, high, by := first.at(i), last.at(i), step.at(i)
		if by == 0 {
			return false, types.Errorf(types.CodeInvalidParameter, "the step of a slice is zero")
		}
		b.begin(i)
		if by > 0 {
			from, to := sliceBounds(low, high, int64(length))
			for k := from; k < to; k += min(by, to-from) {
				b.add(offset + int(k))
			}
			return true, nil
		}
		from, to := sliceBounds(high, low, int64(length))
		for k := to - 1; k >= from; k += max(by, from-to) {
			b.add(offset + int(k))
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return b.finish(out, list.child, valid), nil
}

// listBuilder makes a LIST vector whose rows pick rows of a child.
type listBuilder struct {
	env     *kernels.Env
	entries []types.ListEntry
	rows    []uint32
	at      int
}

func newListBuilder(env *kernels.Env, n int) *listBuilder {
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	return &listBuilder{env: env, entries: entries}
}

// begin starts the list of row i; rows that are not begun are empty.
func (b *listBuilder) begin(i int) {
	b.at = i
	b.entries[i].Offset = int64(len(b.rows))
}

// add adds a row of the child to the list that was begun.
func (b *listBuilder) add(row int) {
	b.rows = append(b.rows, uint32(row))
	b.entries[b.at].Length++
}

func (b *listBuilder) finish(out types.Type, child *types.Vector, valid types.Bitmap) *types.Vector {
	return types.NewList(out, b.entries, kernels.Take(b.env, child, b.rows, nil), valid)
}

// commonList gives the list type that all arguments are cast to; it reports false when one is no list.
func commonList(args []expr.Arg) (types.Type, bool, error) {
	elements := make([]expr.Arg, len(args))
	for i, a := range args {
		t, ok := elementType(a.Type)
		if !ok {
			return types.Type{}, false, nil
		}
		elements[i].Type = t
	}
	t, err := expr.CommonTypeOf(elements...)
	return types.ListOf(t), true, err
}

func bindListConcat(args []expr.Arg) (*expr.Function, error) {
	t, ok, err := commonList(args)
	if !ok || err != nil || len(args) == 0 {
		return nil, err
	}
	return &expr.Function{
		Name: "list_concat", Args: repeatType(t, len(args)), Result: t, Nulls: expr.NullCustom,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return joinLists(env, out, args), nil
		},
	}, nil
}

// joinLists joins the lists of each row that are not null; rows without any are null.
func joinLists(env *kernels.Env, out types.Type, args []*types.Vector) *types.Vector {
	n := args[0].Len()
	lists, present, children, base := make([]listColumn, len(args)), make([]types.Bitmap, len(args)), make([]*types.Vector, len(args)), make([]int, len(args))
	at := 0
	for k, v := range args {
		present[k] = types.LogicalValidity(env.Pool, v)
		lists[k] = listOf(env, v)
		children[k], base[k] = lists[k].child, at
		at += children[k].Len()
	}
	b := newListBuilder(env, n)
	valid := env.Pool.ZeroBitmap(n)
	for i := range n {
		b.begin(i)
		for k, list := range lists {
			if !present[k].Has(i) {
				continue
			}
			valid.Set(i)
			offset, length := list.at(i)
			for j := range length {
				b.add(base[k] + offset + j)
			}
		}
	}
	return b.finish(out, kernels.Concat(env, children), valid)
}

func isList(t types.Type) bool { return t.Kind() == types.KindList || t.Kind() == types.KindArray }

// bindListJoin binds a || b of lists, which is NULL if either is.
func bindListJoin(args []expr.Arg) (*expr.Function, error) {
	t, ok, err := commonList(args)
	if !ok || err != nil {
		return nil, err
	}
	return &expr.Function{
		Name: "concat_op", Args: []types.Type{t, t}, Result: t,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return joinLists(env, out, args).WithValidity(validRows(env, args...)), nil
		},
	}, nil
}

func bindListAppend(name string, front bool) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != 2 {
			return nil, nil
		}
		list, value := args[0], args[1]
		if front {
			list, value = value, list
		}
		element, ok := elementType(list.Type)
		if !ok {
			return nil, nil
		}
		t, err := expr.CommonType(expr.Arg{Type: element}, value)
		if err != nil {
			return nil, err
		}
		f := &expr.Function{Name: name, Args: []types.Type{types.ListOf(t), t}, Result: types.ListOf(t), Nulls: expr.NullNever}
		if front {
			f.Args[0], f.Args[1] = f.Args[1], f.Args[0]
		}
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			parts := append([]*types.Vector{}, args...)
			for k, v := range parts {
				if (k == 0) != front {
					continue
				}
				entries := types.Alloc[types.ListEntry](env.Pool, v.Len())
				for i := range entries {
					entries[i] = types.ListEntry{Offset: int64(i), Length: 1}
				}
				parts[k] = types.NewList(out, entries, kernels.Decode(env, v), nil)
			}
			return joinLists(env, out, parts), nil
		}
		return f, nil
	}
}

func bindFlatten(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	inner, ok := elementType(args[0].Type)
	if !ok {
		return nil, nil
	}
	element, ok := elementType(inner)
	if !ok {
		return nil, nil
	}
	return &expr.Function{
		Name: "flatten", Args: []types.Type{types.ListOf(types.ListOf(element))}, Result: types.ListOf(element),
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			valid := types.LogicalValidity(env.Pool, args[0])
			outer := listOf(env, args[0])
			present := types.LogicalValidity(env.Pool, outer.child)
			lists := listOf(env, outer.child)
			b := newListBuilder(env, n)
			for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
				b.begin(i)
				offset, length := outer.at(i)
				for k := offset; k < offset+length; k++ {
					if !present.Has(k) {
						continue
					}
					from, count := lists.at(k)
					for j := range count {
						b.add(from + j)
					}
				}
			}
			return b.finish(out, lists.child, valid), nil
		},
	}, nil
}

// bindPop binds a slice with fixed bounds.
func bindPop(name string, first, last int64) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != 1 {
			return nil, nil
		}
		element, ok := elementType(args[0].Type)
		if !ok {
			return nil, nil
		}
		t := types.ListOf(element)
		return &expr.Function{
			Name: name, Args: []types.Type{t}, Result: t,
			Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				bound := func(x int64) *types.Vector {
					return types.NewConstant(types.NewFixed(types.BigInt, []int64{x}, nil), args[0].Len())
				}
				return sliceLists(env, out, []*types.Vector{args[0], bound(first), bound(last)})
			},
		}, nil
	}
}
