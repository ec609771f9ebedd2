package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerCount(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "count",
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				a := &expr.Aggregate{Name: "count", Result: types.BigInt, State: []types.Type{types.BigInt}, Additive: true}
				switch len(args) {
				case 0:
					a.New = func() expr.Accumulator { return &counter{} }
				case 1:
					a.Args = []types.Type{args[0].Type}
					a.New = func() expr.Accumulator { return &counter{argument: true} }
				default:
					return nil, nil
				}
				return a, nil
			},
			Signatures:  []string{"count(*)", "count(x ANY)"},
			Description: "The number of rows; with an argument, of the rows in which it is not null. 0 for no rows.",
			Example:     "count(x) FROM (VALUES (1), (NULL), (3)) t(x) = 2",
		},
		&expr.Family{
			Name:    "count_if",
			Aliases: []string{"countif"},
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 || args[0].Type.Kind() != types.KindBoolean && args[0].Type.Kind() != types.KindNull {
					return nil, nil
				}
				return &expr.Aggregate{
					Name: "count_if", Args: []types.Type{types.Boolean}, Result: types.HugeInt, State: []types.Type{types.BigInt}, Additive: true,
					New: func() expr.Accumulator { return &counter{argument: true, onlyTrue: true} },
				}, nil
			},
			Signatures:  []string{"count_if(x BOOLEAN)"},
			Description: "The number of rows in which the condition is true. 0 for no rows.",
			Example:     "count_if(x > 1) FROM (VALUES (1), (NULL), (3)) t(x) = 1",
		},
	)
}

// counter counts rows.
type counter struct {
	argument bool // only rows whose argument is not null
	onlyTrue bool // of those, only the true ones
	counts   []int64
}

func (c *counter) Resize(n int) error {
	c.counts = grow(c.counts, n)
	return nil
}

func (c *counter) Size() int64 { return sizeOf(c.counts) }

func (c *counter) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	counted := activeOf(env)
	if c.argument {
		counted = types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), args[0]), counted, rows)
	}
	if c.onlyTrue {
		counted = types.AndBitmaps(poolOf(env), kernels.Decode(env, args[0]).Bools(), counted, rows)
	}
	if groups == nil {
		c.counts[0] += int64(counted.Count(rows))
		return nil
	}
	counts := c.counts
	withRows(env, groups[:rows], nil, counted, func(groups, _ []uint32) {
		for _, g := range groups {
			counts[g]++
		}
	})
	return nil
}

func (c *counter) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	counts := types.ValuesOf[int64](kernels.Decode(env, columns[0]))
	eachRow(env, groups, columns[0].Len(), func(group, row int) { c.counts[group] += counts[row] })
	return nil
}

func (c *counter) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	return []*types.Vector{copyOf(env, types.BigInt, c.counts[from:to])}, nil
}

func (c *counter) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	if !c.onlyTrue {
		return copyOf(env, types.BigInt, c.counts[from:to]), nil
	}
	dst := types.Alloc[types.Int128](poolOf(env), to-from)
	for i, n := range c.counts[from:to] {
		dst[i] = int128Of(n)
	}
	return types.NewFixed(types.HugeInt, dst, nil), nil
}
