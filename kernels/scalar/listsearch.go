package scalar

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerListSearch(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "list_contains", Aliases: []string{"list_has", "array_contains", "array_has"}, Bind: bindListContains,
			Signatures: []string{"list_contains(l LIST, x ANY) -> BOOLEAN"}, Description: "Whether a list has an element that equals x; NULL if either is. Unlike IN it does not count a NULL in the list.",
			Example: "list_contains([1, 2, NULL], 2) = true",
		},
		&expr.Family{
			Name: "list_position", Aliases: []string{"list_indexof", "array_position", "array_indexof"}, Bind: bindListPosition,
			Signatures: []string{"list_position(l LIST, x ANY) -> INTEGER"}, Description: "The index, from 1, of the first element that equals x, where NULL equals NULL; NULL if there is none.",
			Example: "list_position(['a', 'b'], 'b') = 2",
		},
		pairTest("list_has_any", []string{"array_has_any"}, "Whether two lists have an element in common that is not NULL.", "list_has_any([1, 2], [2, 3]) = true",
			func(found, wanted int) bool { return found > 0 }),
		pairTest("list_has_all", []string{"array_has_all"}, "Whether the first list has every element of the second that is not NULL.", "list_has_all([1, 2, 3], [3, 1]) = true",
			func(found, wanted int) bool { return found == wanted }),
		&expr.Family{
			Name: "list_intersect", Aliases: []string{"array_intersect"}, Bind: bindListIntersect,
			Signatures: []string{"list_intersect(a LIST, b LIST)"}, Description: "The different values that are in both lists, in the order of the first; NULL is none.",
			Example: "list_intersect([1, 2, 2, 3], [3, 2]) = [2, 3]",
		},
		&expr.Family{
			Name: "array_length",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) == 2 && args[1].Constant != nil && args[1].Type.IsInteger() {
					if types.Text(args[1].Constant, 0) != "1" {
						return nil, types.Errorf(types.CodeFeatureNotSupported, "array_length of another dimension than 1 is not supported")
					}
					f, err := bindListLength("array_length", args[:1])
					if f != nil {
						f.Args = append(f.Args, args[1].Type)
					}
					return f, err
				}
				return bindListLength("array_length", args)
			},
			Signatures: []string{"array_length(l LIST) -> BIGINT"}, Description: "The number of elements.", Example: "array_length([1, NULL, 3]) = 3",
		},
	)
}

func bindListLength(name string, args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 || args[0].Type.Kind() == types.KindNull {
		return nil, nil
	}
	element, ok := elementType(args[0].Type)
	if !ok {
		return nil, nil
	}
	return &expr.Function{Name: name, Args: []types.Type{types.ListOf(element)}, Result: types.BigInt, Kernel: listLength[int64]}, nil
}

func listLength[T int64 | uint64](env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	list := listOf(env, args[0])
	return mapRows(env, out, args, func(i int) T {
		_, length := list.at(i)
		return T(length)
	}), nil
}

// bindElement binds a function of a list and a value, both brought to one element type.
func bindElement(name string, args []expr.Arg, result types.Type, nulls expr.NullPolicy, kernel expr.Kernel) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	element, ok := elementType(args[0].Type)
	if !ok {
		return nil, nil
	}
	t, err := expr.CommonType(expr.Arg{Type: element}, args[1])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Name: name, Args: []types.Type{types.ListOf(t), t}, Result: result, Nulls: nulls, Kernel: kernel}, nil
}

func bindListContains(args []expr.Arg) (*expr.Function, error) {
	if len(args) == 2 && args[0].Type.Kind() == types.KindMap {
		return bindMapContains(args)
	}
	return bindElement("list_contains", args, types.Boolean, expr.NullStrict, func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		valid := validRows(env, args...)
		rows, elements := listOf(env, args[0]).flatten(env, n, valid)
		equal, err := matchElements(env, kernels.Compare, args[0], elements, kernels.Take(env, args[1], rows, nil))
		if err != nil {
			return nil, err
		}
		dst := env.Pool.ZeroBitmap(n)
		for k := equal.NextSet(0, len(rows)); k < len(rows); k = equal.NextSet(k+1, len(rows)) {
			dst.Set(int(rows[k]))
		}
		return types.NewBool(dst, n, valid), nil
	})
}

// matchElements compares elements of a list vector with values and gives the places that are equal.
func matchElements(env *kernels.Env, compare func(*kernels.Env, kernels.CompareOp, *types.Vector, *types.Vector) (*types.Vector, error), lists *types.Vector, elements []uint32, values *types.Vector) (types.Bitmap, error) {
	env = elementEnv(env, len(elements))
	equal, err := compare(env, kernels.Equal, kernels.Take(env, listOf(env, lists).child, elements, nil), values)
	if err != nil {
		return nil, err
	}
	return kernels.TrueRows(env, equal), nil
}

// same is IsNotDistinct in the form of Compare.
func same(env *kernels.Env, _ kernels.CompareOp, a, b *types.Vector) (*types.Vector, error) {
	return kernels.IsNotDistinct(env, a, b)
}

func bindListPosition(args []expr.Arg) (*expr.Function, error) {
	return bindElement("list_position", args, types.Integer, expr.NullCustom, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		list := listOf(env, args[0])
		rows, elements := list.flatten(env, n, types.LogicalValidity(env.Pool, args[0]))
		equal, err := matchElements(env, same, args[0], elements, kernels.Take(env, args[1], rows, nil))
		if err != nil {
			return nil, err
		}
		dst, valid := types.Alloc[int32](env.Pool, n), env.Pool.ZeroBitmap(n)
		clear(dst)
		for k := equal.NextSet(0, len(rows)); k < len(rows); k = equal.NextSet(k+1, len(rows)) {
			if row := int(rows[k]); !valid.Get(row) {
				offset, _ := list.at(row)
				valid.Set(row)
				dst[row] = int32(min(int(elements[k])-offset+1, math.MaxInt32))
			}
		}
		return types.NewFixed(out, dst, valid), nil
	})
}

// bindLists binds a function of two lists of one type.
func bindLists(name string, args []expr.Arg, result func(list types.Type) types.Type, kernel expr.Kernel) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	t, ok, err := commonList(args)
	if !ok || err != nil {
		return nil, err
	}
	return &expr.Function{Name: name, Args: []types.Type{t, t}, Result: result(t), Kernel: kernel}, nil
}

// pairTest makes a family of conditions on two lists; test is told how many of the different values of the second list, NULL aside, are in the
// first.
func pairTest(name string, aliases []string, description, example string, test func(found, wanted int) bool) *expr.Family {
	kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		n := args[0].Len()
		found, wanted := make([]int, n), make([]int, n)
		err := eachShared(env, args[1], args[0], validRows(env, args...), func(row, _ int, shared bool) {
			wanted[row]++
			if shared {
				found[row]++
			}
		})
		if err != nil {
			return nil, err
		}
		return mapBools(env, args, func(i int) bool { return test(found[i], wanted[i]) }), nil
	}
	return &expr.Family{
		Name: name, Aliases: aliases,
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			return bindLists(name, args, func(types.Type) types.Type { return types.Boolean }, kernel)
		},
		Signatures: []string{name + "(a LIST, b LIST) -> BOOLEAN"}, Description: description, Example: example,
	}
}

func bindListIntersect(args []expr.Arg) (*expr.Function, error) {
	return bindLists("list_intersect", args, func(t types.Type) types.Type { return t }, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		valid := validRows(env, args...)
		b := newListBuilder(env, args[0].Len())
		last := -1
		err := eachShared(env, args[0], args[1], valid, func(row, element int, shared bool) {
			if row != last {
				b.begin(row)
				last = row
			}
			if shared {
				b.add(element)
			}
		})
		if err != nil {
			return nil, err
		}
		return b.finish(out, listOf(env, args[0]).child, valid), nil
	})
}

// eachShared calls f, row by row, for the first of equal elements of list a that are not null, and says whether list b of the same row has one
// that is equal, too.
func eachShared(env *kernels.Env, a, b *types.Vector, valid types.Bitmap, f func(row, element int, shared bool)) error {
	n := a.Len()
	rows, elements := listOf(env, a).flatten(env, n, valid)
	otherRows, otherElements := listOf(env, b).flatten(env, n, valid)
	both := kernels.Concat(env, []*types.Vector{
		kernels.Take(env, listOf(env, a).child, elements, nil), kernels.Take(env, listOf(env, b).child, otherElements, nil),
	})
	// Equal values of one row get one number; those of a are numbered by their first element there.
	groups, err := groupElements(env, append(append([]uint32{}, rows...), otherRows...), both)
	if err != nil {
		return err
	}
	shared := make([]bool, len(groups))
	for k := range otherRows {
		shared[groups[len(rows)+k]] = true
	}
	present := types.LogicalValidity(env.Pool, both)
	for k, row := range rows {
		if int(groups[k]) == k && present.Has(k) {
			f(int(row), int(elements[k]), shared[k])
		}
	}
	return nil
}

// groupElements gives, for each element, the first element of the same row that is the same value, NULL being one.
func groupElements(env *kernels.Env, rows []uint32, elements *types.Vector) ([]uint32, error) {
	n := len(rows)
	env = elementEnv(env, n)
	keys := []kernels.SortKey{{Vector: types.NewFixed(types.UInteger, rows, nil)}, {Vector: elements}}
	order := kernels.SortIndices(env, keys, n)
	groups := types.Alloc[uint32](env.Pool, n)
	if n == 0 {
		return groups, nil
	}
	sorted := kernels.Decode(env, kernels.Take(env, elements, order, nil))
	equal, err := kernels.IsNotDistinct(elementEnv(env, n-1), sorted.Slice(env.Pool, 0, n-1), sorted.Slice(env.Pool, 1, n))
	if err != nil {
		return nil, err
	}
	repeats := kernels.TrueRows(env, equal)
	first := order[0]
	for k, at := range order {
		// The order is stable, so the first of equal values comes first.
		if k > 0 && (!repeats.Has(k-1) || rows[at] != rows[order[k-1]]) {
			first = at
		}
		groups[at] = first
	}
	return groups, nil
}
