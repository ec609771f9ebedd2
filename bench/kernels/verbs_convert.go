package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// castWorkloads casts between numbers, checked wherever a value might not fit.
func castWorkloads(in *inputs, nulls int) []workload {
	var all []workload
	for _, c := range []struct {
		from, to arrow.DataType
		typ      types.Type
		goal     goal
	}{
		{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, types.Double, goalIntToDouble},
		{arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64, types.BigInt, goalDoubleToInt},
		{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, types.Integer, goalNarrow},
		{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, types.BigInt, goalWiden},
		{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64, types.BigInt, goal{}},
		{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64, types.Double, goal{}},
		{arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, types.Double, goal{}},
	} {
		a := in.values(c.from, nulls, 0)
		w := workload{
			kernel: "cast to " + c.to.String(), typ: c.from.String(), nulls: nulls, selectivity: -1,
			bytes: in.rows * (widthOf(c.from) + widthOf(c.to)), probe: probeCopy, goal: c.goal,
		}
		all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Cast(env, a.vector, c.typ)
		}, call("cast", compute.SafeCastOptions(c.to), a.array)))
	}
	return all
}

// decodeWorkloads expands dictionaries and runs. A run-end encoded column of one run in a hundred rows is also compared as it is.
func decodeWorkloads(in *inputs, nulls int) []workload {
	var all []workload
	add := func(kernel string, dt arrow.DataType, c column, goal goal, theirs func() (compute.Datum, error)) {
		w := workload{
			kernel: kernel, typ: dt.String(), nulls: nulls, selectivity: -1,
			bytes: c.vector.MemorySize() + in.rows*widthOf(dt), probe: probeNone, goal: goal,
		}
		all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Decode(env, c.vector), nil
		}, theirs))
	}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String} {
		c := in.dictionary(dt, nulls)
		add("expand dictionary", dt, c, goal{}, call("cast", compute.SafeCastOptions(dt), c.array))
	}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32} {
		for _, r := range []struct {
			kernel string
			length int
			goal   goal
		}{{"expand runs of 4", 4, goalRunsOf4}, {"expand runs of 100", 100, goalRunsOf100}} {
			c := in.runs(dt, r.length, nulls)
			add(r.kernel, dt, c, r.goal, func() (compute.Datum, error) {
				return compute.RunEndDecode(context.Background(), compute.NewDatumWithoutOwning(c.array))
			})
		}
	}
	return all
}
