package main

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// compareWorkloads compares columns with a constant and with each other.
func compareWorkloads(in *inputs, nulls int) []workload {
	var all []workload
	for _, c := range []struct {
		dt                arrow.DataType
		constant, columns goal
	}{
		{arrow.PrimitiveTypes.Int64, goalCompareConstant8, goalCompareColumns8},
		{arrow.PrimitiveTypes.Float64, goalCompareConstantF, goalCompareColumnsF},
		{arrow.PrimitiveTypes.Int32, goalCompareConstant4, goalCompareColumns4},
		{arrow.PrimitiveTypes.Date32, goal{}, goal{}},
		{arrow.BinaryTypes.String, goal{}, goal{}},
	} {
		a, one := in.values(c.dt, nulls, 0), in.one(c.dt, 50)
		constant := types.NewConstant(one.vector, in.rows)
		w := workload{
			kernel: "compare with constant", typ: c.dt.String(), nulls: nulls, selectivity: 50,
			bytes: in.rows*widthOf(c.dt) + in.rows/8, probe: probeRead, goal: c.constant,
		}
		op, name := kernels.Less, "less"
		if c.dt.ID() == arrow.STRING {
			op, name, w.selectivity = kernels.Equal, "equal", 1
		}
		all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Compare(env, op, a.vector, constant)
		}, callWithConstant(name, a.array, one.array)))
		if c.dt.ID() == arrow.STRING || c.dt.ID() == arrow.DATE32 {
			continue
		}
		b := in.values(c.dt, nulls, 1)
		w.kernel, w.bytes, w.goal = "compare columns", 2*in.rows*widthOf(c.dt)+in.rows/8, c.columns
		all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Compare(env, kernels.Less, a.vector, b.vector)
		}, call("less", nil, a.array, b.array)))
	}
	return all
}

// filterWorkloads keeps a share of the rows.
func filterWorkloads(in *inputs, nulls int, selectivities []int) []workload {
	var all []workload
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String} {
		a := in.values(dt, nulls, 0)
		for _, percent := range selectivities {
			selection := in.selection(percent)
			bits := selection.vector.Bools()
			w := workload{
				kernel: "filter", typ: dt.String(), nulls: nulls, selectivity: percent, probe: probeRead,
				bytes: in.rows*widthOf(dt) + in.rows*widthOf(dt)/100*percent + in.rows/8,
			}
			switch {
			case dt.ID() == arrow.STRING:
				w.goal = goalFilterText
			case dt.ID() == arrow.INT64 && nulls > 0:
				w.goal = goalFilterNullable[percent]
			case dt.ID() == arrow.INT64:
				w.goal = goalFilterRequired[percent]
			}
			all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
				return kernels.Filter(env, a.vector, bits, bits.Count(in.rows)), nil
			}, call("array_filter", compute.DefaultFilterOptions(), a.array, selection.array)))
		}
	}
	return all
}

// takeWorkloads gathers by row numbers, which are null as often as the values.
func takeWorkloads(in *inputs, nulls int) []workload {
	var all []workload
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String} {
		a := in.values(dt, nulls, 0)
		for _, random := range []bool{true, false} {
			w := workload{
				kernel: "take in order", typ: dt.String(), nulls: nulls, selectivity: -1,
				bytes: in.rows * (4 + 2*widthOf(dt)), probe: probeCopy,
			}
			if random {
				w.kernel = "take at random"
			}
			switch {
			case dt.ID() == arrow.STRING:
			case nulls > 0:
				w.goal = goalTakeNullable
			case random:
				w.goal = goalTakeRandom
			default:
				w.goal = goalTakeSequential
			}
			indices := in.indices(random, nulls)
			rows, valid := types.ValuesOf[uint32](indices.vector), indices.vector.Validity()
			all = append(all, w.onVectors(func(env *kernels.Env) (*types.Vector, error) {
				if err := kernels.CheckIndices(rows, valid, in.rows); err != nil {
					return nil, err
				}
				return kernels.Take(env, a.vector, rows, valid), nil
			}, call("array_take", compute.DefaultTakeOptions(), a.array, indices.array)))
		}
	}
	return all
}

// widthOf gives the bytes of a row: of texts those of Lacuna's views.
func widthOf(dt arrow.DataType) int {
	if fixed, ok := dt.(arrow.FixedWidthDataType); ok {
		return fixed.BitWidth() / 8
	}
	return 16
}
