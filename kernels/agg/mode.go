package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerMode(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "mode",
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				t := args[0].Type
				return collecting("mode", t, t, false, (*collected).mostFrequent), nil
			},
			Signatures:  []string{"mode(x ANY)"},
			Description: "The most frequent of the values that are not null, the one that comes first where there are several; NULL for none.",
			Example:     "mode(x) FROM (VALUES (3), (NULL), (1), (1), (3)) t(x) = 3",
		},
		&expr.Family{
			Name: "histogram",
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				t := args[0].Type
				a := collecting("histogram", t, types.MapOf(t, types.UBigInt), false, (*collected).histogram)
				a.OrderSensitive = false
				return a, nil
			},
			Signatures:  []string{"histogram(x ANY) -> MAP(ANY, UBIGINT)"},
			Description: "How often each of the values that are not null occurs, in their order; NULL for none.",
			Example:     "histogram(x) FROM (VALUES (3), (NULL), (1), (3)) t(x) = {1=1, 3=2}",
		},
	)
}

// run is equal values of one group, in sorted order.
type run struct {
	group int // counted from the first one wanted
	first uint32
	count int
}

// runs gives the runs of equal values of groups from to to among their arranged values: first is the first row of each.
func (c *collected) runs(env *kernels.Env, from, to int) (values *types.Vector, runs []run) {
	values, groups := c.values(env, from, to)
	keys := []kernels.SortKey{{Vector: types.NewFixed(types.UInteger, groups, nil)}, {Vector: values}}
	order := kernels.SortIndices(&kernels.Env{Pool: poolOf(env)}, keys, values.Len())
	for i, row := range order {
		if i == 0 || kernels.CompareRows(keys, int(row), keys, int(order[i-1])) != 0 {
			runs = append(runs, run{group: int(groups[row]), first: row})
		}
		runs[len(runs)-1].count++
	}
	return values, runs
}

func (c *collected) mostFrequent(env *kernels.Env, from, to int) (*types.Vector, error) {
	values, runs := c.runs(env, from, to)
	best := make([]run, to-from)
	for _, r := range runs {
		if b := &best[r.group]; r.count > b.count || r.count == b.count && r.first < b.first {
			*b = r
		}
	}
	rows := types.Alloc[uint32](poolOf(env), to-from)
	for i, b := range best {
		rows[i] = b.first
	}
	return kernels.Take(env, values, rows, c.met(env, from, to)), nil
}

func (c *collected) histogram(env *kernels.Env, from, to int) (*types.Vector, error) {
	values, runs := c.runs(env, from, to)
	entries := types.Alloc[types.ListEntry](poolOf(env), to-from)
	clear(entries)
	rows, counts := types.Alloc[uint32](poolOf(env), len(runs)), types.Alloc[uint64](poolOf(env), len(runs))
	for i, r := range runs {
		if e := &entries[r.group]; e.Length == 0 {
			e.Offset = int64(i)
		}
		entries[r.group].Length++
		rows[i], counts[i] = r.first, uint64(r.count)
	}
	typ := types.MapOf(c.typ, types.UBigInt)
	keys := kernels.Decode(env, kernels.Take(env, values, rows, nil))
	pairs := types.NewStruct(types.StructOf(typ.Fields()...), len(runs), []*types.Vector{keys, types.NewFixed(types.UBigInt, counts, nil)}, nil)
	return types.NewList(typ, entries, pairs, c.met(env, from, to)), nil
}
