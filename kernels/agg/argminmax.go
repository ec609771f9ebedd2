package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerArgMinMax(set *expr.Set) {
	for _, f := range []struct {
		name, alias, word, example string
		max                        bool
	}{
		{"arg_min", "min_by", "smallest", "arg_min(x, y) FROM (VALUES (1, 7), (NULL, 3), (2, 5)) t(x, y) = 2", false},
		{"arg_max", "max_by", "greatest", "arg_max(x, y, 2) FROM (VALUES (1, 7), (NULL, 9), (2, 5), (3, 8)) t(x, y) = [3, 1]", true},
	} {
		set.MustAdd(&expr.Family{
			Name:    f.name,
			Aliases: []string{f.alias},
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				switch len(args) {
				case 2:
					return bindArgExtreme(f.name, args[0].Type, args[1].Type, f.max), nil
				case 3:
					return bindTop(f.name, args[:2], args[2], f.max)
				}
				return nil, nil
			},
			Signatures: []string{f.name + "(x ANY, y ANY)", f.name + "(x ANY, y ANY, n BIGINT) -> ANY[]"},
			Description: "The x of the row with the " + f.word + " y, in the order of ORDER BY; NULL for none. With n, a constant, the list of those of the first n rows. " +
				"Rows in which x or y is null do not count. Of rows with the same y any may come first.",
			Example: f.example,
		})
	}
}

func bindArgExtreme(name string, value, key types.Type, max bool) *expr.Aggregate {
	return &expr.Aggregate{
		Name: name, Args: []types.Type{value, key}, Result: value, Nullable: true, State: []types.Type{value, key},
		New: func() expr.Accumulator {
			return &argExtremes{rowExtremes: newRowExtremes(key, max), values: rowStore{typ: value}}
		},
	}
}

// argExtremes holds, beside the smallest or greatest key of each group, another value of its row.
type argExtremes struct {
	*rowExtremes // of the keys
	values       rowStore
}

func (e *argExtremes) Resize(n int) error {
	e.values.resize(n)
	return e.rowExtremes.Resize(n)
}

func (e *argExtremes) Size() int64 { return e.rowExtremes.Size() + e.values.size() }

func (e *argExtremes) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	counted := types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), args[0]), activeOf(env), rows)
	touched, winners := e.contest(env, groups, args[1], counted, rows)
	e.values.put(args[0], touched, winners)
	return nil
}

func (e *argExtremes) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return e.Update(env, groups, columns, columns[0].Len())
}

func (e *argExtremes) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	return []*types.Vector{e.values.vector(env, from, to), e.vector(env, from, to)}, nil
}

func (e *argExtremes) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return e.values.vector(env, from, to), nil
}

// maxTop is the greatest number of values that min(x, n) and its like give.
const maxTop = 1_000_000

// bindTop binds a function whose result is the first n values of a group in the order of the last argument, which may be the value itself.
func bindTop(name string, args []expr.Arg, n expr.Arg, max bool) (*expr.Aggregate, error) {
	if !n.Type.IsNumeric() || n.Constant == nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "the number of rows of %s must be a constant", name)
	}
	v, err := kernels.Cast(&kernels.Env{}, n.Constant, types.BigInt)
	if err != nil {
		return nil, err
	}
	count, ok := types.Value(v, 0).(int64)
	if !ok || count < 1 || count > maxTop {
		return nil, types.Errorf(types.CodeInvalidParameter, "the number of rows of %s must be between 1 and %d", name, maxTop)
	}
	a := &expr.Aggregate{Name: name, Nullable: true, Parameters: []*types.Vector{v}}
	for _, arg := range args {
		a.Args, a.State = append(a.Args, arg.Type), append(a.State, types.ListOf(arg.Type))
	}
	a.Result = types.ListOf(args[0].Type)
	a.New = func() expr.Accumulator {
		t := &tops{n: int(count), max: max}
		for _, arg := range args {
			t.columns = append(t.columns, &collected{typ: arg.Type, nulls: true})
		}
		return t
	}
	return a, nil
}

// tops keeps the first n rows of each group in the order of the last column. When the rows are many times as many as wanted, the others are dropped.
type tops struct {
	n       int
	max     bool
	columns []*collected // the values and, unless they are that too, the keys; of the same rows
	next    int          // number of rows from which they are cut down
}

const minTopRows = 4096 // below this, cutting rows down is not worth it

func (t *tops) Resize(n int) error {
	for _, c := range t.columns {
		if err := c.Resize(n); err != nil {
			return err
		}
	}
	return nil
}

func (t *tops) Size() int64 {
	size := int64(0)
	for _, c := range t.columns {
		size += c.Size()
	}
	return size
}

func (t *tops) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	inner := kernels.Env{Pool: poolOf(env), Active: activeOf(env)}
	for _, v := range args {
		inner.Active = types.AndBitmaps(inner.Pool, types.LogicalValidity(inner.Pool, v), inner.Active, rows)
	}
	for i, c := range t.columns {
		if err := c.Update(&inner, groups, args[i:i+1], rows); err != nil {
			return err
		}
	}
	t.cut()
	return nil
}

func (t *tops) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	for i, c := range t.columns {
		if err := c.Merge(env, groups, columns[i:i+1]); err != nil {
			return err
		}
	}
	t.cut()
	return nil
}

// cut drops rows that are not among the first ones, when there are many.
func (t *tops) cut() {
	c := t.columns[0]
	if t.next = max(t.next, minTopRows); len(c.groups) < t.next {
		return
	}
	first, groups := t.first(nil, 0, c.count)
	for _, c := range t.columns {
		values, _ := c.values(nil, 0, c.count)
		c.groups, c.chunks, c.bytes, c.arranged = nil, nil, 0, false
		c.groups = append(c.groups, groups...)
		c.add(values, first)
	}
	t.next = 2 * max(minTopRows, len(first))
}

// first gives the rows wanted of groups from to to, by group and in order, as positions among their arranged values, and their groups.
func (t *tops) first(env *kernels.Env, from, to int) (rows, groups []uint32) {
	keys, numbers := t.columns[len(t.columns)-1].values(env, from, to)
	order := kernels.SortIndices(&kernels.Env{Pool: poolOf(env)}, []kernels.SortKey{
		{Vector: types.NewFixed(types.UInteger, numbers, nil)}, {Vector: keys, Descending: t.max},
	}, keys.Len())
	count := 0
	for i, row := range order {
		if i > 0 && numbers[row] != numbers[order[i-1]] {
			count = 0
		}
		if count++; count <= t.n {
			rows, groups = append(rows, row), append(groups, numbers[row]+uint32(from))
		}
	}
	return rows, groups
}

func (t *tops) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	var columns []*types.Vector
	for _, c := range t.columns {
		columns = append(columns, c.lists(env, from, to))
	}
	return columns, nil
}

func (t *tops) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	rows, groups := t.first(env, from, to)
	c := t.columns[0]
	values, _ := c.values(env, from, to)
	entries := types.Alloc[types.ListEntry](poolOf(env), to-from)
	clear(entries)
	for i, g := range groups {
		e := &entries[int(g)-from]
		if e.Length == 0 {
			e.Offset = int64(i)
		}
		e.Length++
	}
	child := kernels.Decode(env, kernels.Take(env, values, rows, nil))
	return types.NewList(types.ListOf(c.typ), entries, child, c.met(env, from, to)), nil
}
