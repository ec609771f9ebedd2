package scalar

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerListOrder(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "list_sort", Aliases: []string{"array_sort"}, Bind: bindListSort("list_sort", false),
			Signatures:  []string{"list_sort(l LIST)", "list_sort(l LIST, 'ASC' or 'DESC')", "list_sort(l LIST, 'ASC' or 'DESC', 'NULLS FIRST' or 'NULLS LAST')"},
			Description: "The elements in order, NULL last unless asked otherwise.", Example: "list_sort([3, 1, NULL, 2]) = [1, 2, 3, NULL]",
		},
		&expr.Family{
			Name: "list_reverse_sort", Aliases: []string{"array_reverse_sort"}, Bind: bindListSort("list_reverse_sort", true),
			Signatures:  []string{"list_reverse_sort(l LIST)", "list_reverse_sort(l LIST, 'NULLS FIRST' or 'NULLS LAST')"},
			Description: "The elements in descending order, NULL last unless asked otherwise.", Example: "list_reverse_sort([3, 1, 2]) = [3, 2, 1]",
		},
		&expr.Family{
			Name: "list_grade_up", Aliases: []string{"array_grade_up", "grade_up"}, Bind: bindListSort("list_grade_up", false),
			Signatures: []string{"list_grade_up(l LIST) -> BIGINT[]"}, Description: "The indices, from 1, of the elements in the order in which list_sort puts them.",
			Example: "list_grade_up([30, 10, 20]) = [2, 3, 1]",
		},
		listToList("list_reverse", []string{"array_reverse"}, "The elements from the last to the first.", "list_reverse([1, 2, 3]) = [3, 2, 1]",
			func(env *kernels.Env, list listColumn, n int, valid types.Bitmap, b *listBuilder) error {
				for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
					b.begin(i)
					offset, length := list.at(i)
					for k := offset + length - 1; k >= offset; k-- {
						b.add(k)
					}
				}
				return nil
			}),
		listToList("list_distinct", []string{"array_distinct"}, "The different values, each where it first stands; NULL is none.", "list_distinct([2, 1, 2, NULL]) = [2, 1]",
			func(env *kernels.Env, list listColumn, n int, valid types.Bitmap, b *listBuilder) error {
				last := -1
				return eachDistinct(env, list, n, valid, func(row, element int) {
					if row != last {
						b.begin(row)
						last = row
					}
					b.add(element)
				})
			}),
		&expr.Family{
			Name: "list_unique", Aliases: []string{"array_unique"},
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				f, err := bindListLength("list_unique", args)
				if f == nil || err != nil {
					return f, err
				}
				f.Result = types.UBigInt
				f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					counts := types.Alloc[uint64](env.Pool, args[0].Len())
					clear(counts)
					valid := types.LogicalValidity(env.Pool, args[0])
					err := eachDistinct(env, listOf(env, args[0]), args[0].Len(), valid, func(row, _ int) { counts[row]++ })
					return types.NewFixed(out, counts, valid), err
				}
				return f, nil
			},
			Signatures: []string{"list_unique(l LIST) -> UBIGINT"}, Description: "The number of different values, NULL aside.", Example: "list_unique([1, 1, NULL, 2]) = 2",
		},
	)
}

// listToList makes a family of functions that give some elements of a list in some order.
func listToList(name string, aliases []string, description, example string, build func(env *kernels.Env, list listColumn, n int, valid types.Bitmap, b *listBuilder) error) *expr.Family {
	return &expr.Family{
		Name: name, Aliases: aliases,
		Bind: func(args []expr.Arg) (*expr.Function, error) {
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
					n := args[0].Len()
					valid := types.LogicalValidity(env.Pool, args[0])
					list, b := listOf(env, args[0]), newListBuilder(env, n)
					if err := build(env, list, n, valid, b); err != nil {
						return nil, err
					}
					return b.finish(out, list.child, valid), nil
				},
			}, nil
		},
		Signatures: []string{name + "(l LIST)"}, Description: description, Example: example,
	}
}

// eachDistinct calls f, row by row, for the first of equal elements that are not null.
func eachDistinct(env *kernels.Env, list listColumn, n int, valid types.Bitmap, f func(row, element int)) error {
	rows, elements := list.flatten(env, n, valid)
	values := kernels.Take(env, list.child, elements, nil)
	groups, err := groupElements(env, rows, values)
	if err != nil {
		return err
	}
	present := types.LogicalValidity(env.Pool, values)
	for k, row := range rows {
		if int(groups[k]) == k && present.Has(k) {
			f(int(row), int(elements[k]))
		}
	}
	return nil
}

// bindListSort binds list_sort and its relatives: a list and how to sort it, in constant texts.
func bindListSort(name string, descending bool) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) == 0 || len(args) > 3 {
			return nil, nil
		}
		element, ok := elementType(args[0].Type)
		if !ok {
			return nil, nil
		}
		key := kernels.SortKey{Descending: descending}
		f := &expr.Function{Name: name, Args: []types.Type{types.ListOf(element)}, Result: types.ListOf(element)}
		for _, a := range args[1:] {
			if a.Type.Kind() != types.KindVarchar {
				return nil, nil
			}
			if a.Constant == nil || a.Constant.MayHaveNulls() {
				return nil, types.Errorf(types.CodeFeatureNotSupported, "the order of %s must be a constant", name)
			}
			switch order := strings.ToUpper(types.Text(a.Constant, 0)); order {
			case "ASC":
				key.Descending = descending
			case "DESC":
				key.Descending = !descending
			case "NULLS FIRST":
				key.NullsFirst = true
			case "NULLS LAST":
				key.NullsFirst = false
			default:
				return nil, types.Errorf(types.CodeInvalidParameter, "%q is no order", order).WithHint("Orders are ASC, DESC, NULLS FIRST and NULLS LAST.")
			}
			f.Args = append(f.Args, types.Varchar)
		}
		grade := name == "list_grade_up"
		if grade {
			f.Result = types.ListOf(types.BigInt)
		}
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return sortLists(env, out, args[0], key, grade), nil
		}
		return f, nil
	}
}

// sortLists sorts the elements of all rows at once, by row first.
func sortLists(env *kernels.Env, out types.Type, v *types.Vector, key kernels.SortKey, grade bool) *types.Vector {
	n := v.Len()
	valid := types.LogicalValidity(env.Pool, v)
	list := listOf(env, v)
	rows, elements := list.flatten(env, n, valid)
	key.Vector = kernels.Take(env, list.child, elements, nil)
	byRow := kernels.SortKey{Vector: types.NewFixed(types.UInteger, rows, nil)}
	order := kernels.SortIndices(elementEnv(env, len(rows)), []kernels.SortKey{byRow, key}, len(rows))
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	indices := types.Alloc[int64](env.Pool, len(rows))
	for k, at := range order {
		row := rows[at]
		if entries[row].Length == 0 {
			entries[row].Offset = int64(k)
		}
		entries[row].Length++
		offset, _ := list.at(int(row))
		indices[k] = int64(int(elements[at])-offset) + 1
	}
	if grade {
		return types.NewList(out, entries, types.NewFixed(types.BigInt, indices, nil), valid)
	}
	return types.NewList(out, entries, kernels.Take(env, key.Vector, order, nil), valid)
}
