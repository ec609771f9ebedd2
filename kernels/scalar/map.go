package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerMap(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "map", Bind: bindMap,
			Signatures: []string{"map(keys LIST, values LIST)", "MAP {key: value, ...}"}, Description: "A map of the keys to the values beside them. Keys are different and not NULL.",
			Example: "map(['a', 'b'], [1, 2]) = {a=1, b=2}",
		},
		&expr.Family{
			Name: "map_from_entries", Bind: bindMapFromEntries,
			Signatures: []string{"map_from_entries(entries LIST of STRUCT)"}, Description: "A map of a list of structs of a key and a value.",
			Example: "map_from_entries([('a', 1), ('b', 2)]) = {a=1, b=2}",
		},
		mapParts("map_keys", "The keys of a map, as a list.", "map_keys(MAP {'a': 1, 'b': 2}) = [a, b]", func(m types.Type) types.Type { return types.ListOf(m.Fields()[0].Type) },
			func(_ *kernels.Env, _ types.Type, keys, _ *types.Vector) *types.Vector { return keys }),
		mapParts("map_values", "The values of a map, as a list.", "map_values(MAP {'a': 1, 'b': 2}) = [1, 2]", func(m types.Type) types.Type { return types.ListOf(m.Fields()[1].Type) },
			func(_ *kernels.Env, _ types.Type, _, values *types.Vector) *types.Vector { return values }),
		mapParts("map_entries", "The entries of a map, as a list of structs of key and value.", "map_entries(MAP {'a': 1}) = [{'key': a, 'value': 1}]",
			func(m types.Type) types.Type {
				return types.ListOf(types.StructOf(
					types.Field{Name: "key", Type: m.Fields()[0].Type, Nullable: true}, types.Field{Name: "value", Type: m.Fields()[1].Type, Nullable: true}))
			},
			func(_ *kernels.Env, out types.Type, keys, values *types.Vector) *types.Vector {
				return types.NewStruct(out.Elem().Type, keys.Len(), []*types.Vector{keys, values}, nil)
			}),
		&expr.Family{
			Name: "map_extract", Aliases: []string{"element_at"}, Bind: bindMapExtract,
			Signatures: []string{"map_extract(m MAP, key ANY)"}, Description: "A list of the value under a key; the empty list if there is none.",
			Example: "map_extract(MAP {'a': 1}, 'a') = [1]",
		},
		&expr.Family{
			Name: "map_extract_value", Bind: bindMapValue,
			Signatures: []string{"map_extract_value(m MAP, key ANY)", "m[key]"}, Description: "The value under a key; NULL if there is none.", Example: "(MAP {'a': 1})['a'] = 1",
		},
		&expr.Family{
			Name: "map_contains", Bind: bindMapContains,
			Signatures: []string{"map_contains(m MAP, key ANY) -> BOOLEAN"}, Description: "Whether a map has a key.", Example: "map_contains(MAP {'a': 1}, 'b') = false",
		},
		&expr.Family{
			Name: "cardinality",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 || args[0].Type.Kind() != types.KindMap {
					return nil, nil
				}
				return &expr.Function{Name: "cardinality", Args: []types.Type{args[0].Type}, Result: types.UBigInt, Kernel: listLength[uint64]}, nil
			},
			Signatures: []string{"cardinality(m MAP) -> UBIGINT"}, Description: "The number of entries of a map.", Example: "cardinality(MAP {'a': 1, 'b': 2}) = 2",
		},
		&expr.Family{
			Name: "map_concat", Bind: bindMapConcat,
			Signatures: []string{"map_concat(a MAP, b MAP, ...)"}, Description: "The maps in one: a key has the value of the last map that has it. NULL counts as an empty map.",
			Example: "map_concat(MAP {'a': 1}, MAP {'a': 2, 'b': 3}) = {a=2, b=3}",
		},
	)
}

// bindMap binds map(keys, values) and map().
func bindMap(args []expr.Arg) (*expr.Function, error) {
	if len(args) == 0 {
		empty, err := types.NewValue(types.MapOf(types.Null, types.Null), []types.MapEntry{})
		if err != nil {
			return nil, err
		}
		return &expr.Function{
			Name: "map", Result: empty.Type(), Nulls: expr.NullNever,
			Kernel: func(env *kernels.Env, _ types.Type, _ []*types.Vector) (*types.Vector, error) {
				return types.NewConstant(empty, env.Rows), nil
			},
		}, nil
	}
	if len(args) != 2 {
		return nil, nil
	}
	key, ok := elementType(args[0].Type)
	value, ok2 := elementType(args[1].Type)
	if !ok || !ok2 {
		return nil, nil
	}
	return &expr.Function{
		Name: "map", Args: []types.Type{types.ListOf(key), types.ListOf(value)}, Result: types.MapOf(key, value), CanFail: true,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			keys, values := listOf(env, args[0]), listOf(env, args[1])
			valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
				_, a := keys.at(i)
				if _, b := values.at(i); a != b {
					return false, types.Errorf(types.CodeInvalidParameter, "a map of %d keys and %d values", a, b)
				}
				return true, nil
			})
			if err != nil {
				return nil, err
			}
			rows, keyPlaces := keys.flatten(env, n, valid)
			_, valuePlaces := values.flatten(env, n, valid)
			return makeMaps(env, out, n, valid, rows, kernels.Take(env, keys.child, keyPlaces, nil), kernels.Take(env, values.child, valuePlaces, nil))
		},
	}, nil
}

// makeMaps makes a MAP vector of keys and values that belong to rows, which do not decrease. It fails where a key is NULL or there twice.
func makeMaps(env *kernels.Env, out types.Type, n int, valid types.Bitmap, rows []uint32, keys, values *types.Vector) (*types.Vector, error) {
	present := types.LogicalValidity(env.Pool, keys)
	groups, err := groupElements(env, rows, keys)
	if err != nil {
		return nil, err
	}
	faults := map[int]string{}
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	for k, row := range rows {
		if entries[row].Length == 0 {
			entries[row].Offset = int64(k)
		}
		entries[row].Length++
		switch {
		case !present.Has(k):
			faults[int(row)] = "a map key cannot be NULL"
		case int(groups[k]) != k && faults[int(row)] == "":
			faults[int(row)] = "a map cannot have a key twice"
		}
	}
	if len(faults) > 0 {
		valid, err = eachValid(env, n, valid, func(i int) (bool, *types.Error) {
			if fault := faults[i]; fault != "" {
				entries[i] = types.ListEntry{}
				return false, types.Errorf(types.CodeInvalidParameter, "%s", fault)
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	if keys.Encoding() != types.RunEnd && present == nil && keys.Type().Kind() != types.KindNull {
		keys = keys.WithValidity(nil)
	}
	child := types.NewStruct(types.StructOf(out.Fields()...), len(rows), []*types.Vector{keys, values}, nil)
	return types.NewList(out, entries, child, valid), nil
}

// mapChildren gives the keys and values below a plain map vector.
func mapChildren(env *kernels.Env, list listColumn) (keys, values *types.Vector) {
	entries := kernels.Decode(env, list.child)
	return entries.Children()[0], entries.Children()[1]
}

func mapParts(name, description, example string, result func(types.Type) types.Type, part func(env *kernels.Env, out types.Type, keys, values *types.Vector) *types.Vector) *expr.Family {
	return &expr.Family{
		Name: name,
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			if len(args) != 1 || args[0].Type.Kind() != types.KindMap {
				return nil, nil
			}
			return &expr.Function{
				Name: name, Args: []types.Type{args[0].Type}, Result: result(args[0].Type),
				Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					v := kernels.Decode(env, args[0])
					keys, values := mapChildren(env, listOf(env, v))
					return types.NewList(out, types.ValuesOf[types.ListEntry](v), part(env, out, keys, values), v.Validity()), nil
				},
			}, nil
		},
		Signatures: []string{name + "(m MAP)"}, Description: description, Example: example,
	}
}

func bindMapFromEntries(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	element, ok := elementType(args[0].Type)
	if !ok || element.Kind() != types.KindStruct || len(element.Fields()) != 2 {
		return nil, nil
	}
	return &expr.Function{
		Name: "map_from_entries", Args: []types.Type{types.ListOf(element)}, Result: types.MapOf(element.Fields()[0].Type, element.Fields()[1].Type), CanFail: true,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			valid := types.LogicalValidity(env.Pool, args[0])
			list := listOf(env, args[0])
			rows, places := list.flatten(env, n, valid)
			structs := kernels.Decode(env, kernels.Take(env, list.child, places, nil))
			keys := under(env, structs.Validity(), structs.Children()[0])
			values := under(env, structs.Validity(), structs.Children()[1])
			return makeMaps(env, out, n, valid, rows, keys, values)
		},
	}, nil
}

// bindMapKey binds a function of a map and a key of its type. The kernel gets, for each row, the place of the value in the child, or no bit in
// found.
func bindMapKey(name string, args []expr.Arg, result func(m types.Type) types.Type, nulls expr.NullPolicy, kernel func(env *kernels.Env, out types.Type, values *types.Vector, places []uint32, found, valid types.Bitmap) *types.Vector) (*expr.Function, error) {
	if len(args) != 2 || args[0].Type.Kind() != types.KindMap {
		return nil, nil
	}
	m := args[0].Type
	key, err := expr.CommonType(expr.Arg{Type: m.Fields()[0].Type}, args[1])
	if err != nil {
		return nil, err
	}
	if !key.Equal(m.Fields()[0].Type) {
		m = types.MapOf(key, m.Fields()[1].Type)
	}
	return &expr.Function{
		Name: name, Args: []types.Type{m, key}, Result: result(m), Nulls: nulls,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			valid := types.LogicalValidity(env.Pool, args[0])
			list := listOf(env, args[0])
			keys, values := mapChildren(env, list)
			rows, elements := list.flatten(env, n, valid)
			inner := elementEnv(env, len(rows))
			equal, err := kernels.Compare(inner, kernels.Equal, kernels.Take(env, keys, elements, nil), kernels.Take(env, args[1], rows, nil))
			if err != nil {
				return nil, err
			}
			hits := kernels.TrueRows(inner, equal)
			places, found := types.Alloc[uint32](env.Pool, n), env.Pool.ZeroBitmap(n)
			clear(places)
			for k := hits.NextSet(0, len(rows)); k < len(rows); k = hits.NextSet(k+1, len(rows)) {
				places[rows[k]] = elements[k]
				found.Set(int(rows[k]))
			}
			return kernel(env, out, values, places, found, valid), nil
		},
	}, nil
}

func bindMapValue(args []expr.Arg) (*expr.Function, error) {
	return bindMapKey("map_extract_value", args, func(m types.Type) types.Type { return m.Fields()[1].Type }, expr.NullFromValues,
		func(env *kernels.Env, _ types.Type, values *types.Vector, places []uint32, found, _ types.Bitmap) *types.Vector {
			return kernels.Take(env, values, places, found)
		})
}

func bindMapExtract(args []expr.Arg) (*expr.Function, error) {
	return bindMapKey("map_extract", args, func(m types.Type) types.Type { return types.ListOf(m.Fields()[1].Type) }, expr.NullCustom,
		func(env *kernels.Env, out types.Type, values *types.Vector, places []uint32, found, valid types.Bitmap) *types.Vector {
			b := newListBuilder(env, len(places))
			for i := found.NextSet(0, len(places)); i < len(places); i = found.NextSet(i+1, len(places)) {
				b.begin(i)
				b.add(int(places[i]))
			}
			return b.finish(out, values, valid)
		})
}

func bindMapContains(args []expr.Arg) (*expr.Function, error) {
	return bindMapKey("map_contains", args, func(types.Type) types.Type { return types.Boolean }, expr.NullCustom,
		func(_ *kernels.Env, _ types.Type, _ *types.Vector, places []uint32, found, valid types.Bitmap) *types.Vector {
			return types.NewBool(found, len(places), valid)
		})
}

func bindMapConcat(args []expr.Arg) (*expr.Function, error) {
	if len(args) == 0 {
		return nil, nil
	}
	for _, a := range args {
		if a.Type.Kind() != types.KindMap && a.Type.Kind() != types.KindNull {
			return nil, nil
		}
	}
	t, err := expr.CommonTypeOf(args...)
	if err != nil || t.Kind() != types.KindMap {
		return nil, err
	}
	return &expr.Function{
		Name: "map_concat", Args: repeatType(t, len(args)), Result: t, Nulls: expr.NullCustom,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			n := args[0].Len()
			joined := joinLists(env, out, args)
			list := listOf(env, joined)
			rows, elements := list.flatten(env, n, joined.Validity())
			keys, values := mapChildren(env, list)
			keys, values = kernels.Take(env, keys, elements, nil), kernels.Take(env, values, elements, nil)
			groups, err := groupElements(env, rows, keys)
			if err != nil {
				return nil, err
			}
			last := make([]uint32, len(rows))
			for k := range rows {
				last[groups[k]] = uint32(k)
			}
			var keptRows, keptKeys, keptValues []uint32
			for k, row := range rows {
				if int(groups[k]) == k {
					keptRows, keptKeys, keptValues = append(keptRows, row), append(keptKeys, uint32(k)), append(keptValues, last[k])
				}
			}
			return makeMaps(env, out, n, joined.Validity(), keptRows, kernels.Take(env, keys, keptKeys, nil), kernels.Take(env, values, keptValues, nil))
		},
	}, nil
}
