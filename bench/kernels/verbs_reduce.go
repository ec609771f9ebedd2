package main

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// pipelineRows is the size of the batches that queries work on.
const pipelineRows = 4096

var aggregates = func() *expr.Set {
	set := expr.NewSet()
	agg.Register(set)
	return set
}()

// accumulator gives an aggregate's state for one group.
func accumulator(name string, typ types.Type) expr.Accumulator {
	a, err := aggregates.Lookup(name).BindAggregate([]expr.Arg{{Type: typ}})
	if err != nil || a == nil {
		panic(fmt.Sprintf("%s(%s): %v", name, typ, err))
	}
	state := a.New()
	if err := state.Resize(1); err != nil {
		panic(err)
	}
	return state
}

// addTo gives the workload that adds a column to an aggregate's state, and how to check it.
func (w workload) addTo(name string, c column, peer func() error, want func() any) workload {
	args, rows := []*types.Vector{c.vector}, c.vector.Len()
	state := accumulator(name, c.vector.Type())
	w.run = func(env *kernels.Env) error { return state.Update(env, nil, args, rows) }
	w.peer = peer
	w.verify = func(env *kernels.Env) error {
		fresh := accumulator(name, c.vector.Type())
		if err := fresh.Update(env, nil, args, rows); err != nil {
			return err
		}
		return sameResult(env, fresh, want())
	}
	return w
}

// sameResult compares an aggregate's result with a number: sums of whole numbers are exact in every type.
func sameResult(env *kernels.Env, state expr.Accumulator, want any) error {
	v, err := state.Finish(env, 0, 1)
	if err != nil {
		return err
	}
	if got := fmt.Sprint(types.Value(v, 0)); got != fmt.Sprint(want) {
		return fmt.Errorf("%s, want %v", got, want)
	}
	return nil
}

// aggregateWorkloads has aggregates without groups. Arrow-go has no aggregates but the sums of its package math, which add what
// lies under nulls too; they stand in as the peer of all but count.
func aggregateWorkloads(in *inputs, nulls int) []workload {
	ints, floats := in.values(arrow.PrimitiveTypes.Int64, nulls, 0), in.values(arrow.PrimitiveTypes.Float64, nulls, 0)
	intArray, floatArray := ints.array.(*array.Int64), floats.array.(*array.Float64)
	sumInts := func() error { sink += uint64(math.Int64.Sum(intArray)); return nil }
	sumFloats := func() error { sink += uint64(math.Float64.Sum(floatArray)); return nil }
	var all []workload
	for _, name := range []string{"sum", "min", "max", "count"} {
		w := workload{kernel: name, typ: "int64", nulls: nulls, selectivity: -1, bytes: in.rows * 8, probe: probeRead, goal: goalAggregate}
		switch name {
		case "sum":
			w.goal = goalIntSum
		case "count":
			w.bytes, w.goal = in.rows/8, goal{}
			all = append(all, w.addTo(name, ints, nil, func() any { return int64(reduce(name, intArray)) }))
			continue
		}
		all = append(all, w.addTo(name, ints, sumInts, func() any { return int64(reduce(name, intArray)) }))
		w.typ, w.goal = "float64", goalAggregate
		all = append(all, w.addTo(name, floats, sumFloats, func() any { return reduce(name, floatArray) }))
	}
	return append(all, whereSum(in, nulls))
}

// reduce computes an aggregate row by row.
func reduce[T int64 | float64](name string, a interface {
	arrow.Array
	Value(int) T
}) float64 {
	var sum, least, most float64
	count := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		x := float64(a.Value(i))
		if count == 0 {
			least, most = x, x
		}
		sum, least, most, count = sum+x, min(least, x), max(most, x), count+1
	}
	switch name {
	case "sum":
		return sum
	case "min":
		return least
	case "max":
		return most
	}
	return float64(count)
}

// whereSum is SELECT sum(b) WHERE a < 50 over batches.
func whereSum(in *inputs, nulls int) workload {
	int64s := arrow.PrimitiveTypes.Int64
	a, b, one := in.values(int64s, nulls, 0), in.values(int64s, nulls, 1), in.one(int64s, 50)
	type batch struct {
		a, b, constant *types.Vector
		compare        func() (compute.Datum, error)
		values         arrow.Array
	}
	var batches []batch
	for from := 0; from < in.rows; from += pipelineRows {
		to := min(in.rows, from+pipelineRows)
		x, y := array.NewSlice(a.array, int64(from), int64(to)), array.NewSlice(b.array, int64(from), int64(to))
		batches = append(batches, batch{
			a.vector.Slice(nil, from, to), b.vector.Slice(nil, from, to), types.NewConstant(one.vector, to-from),
			callWithConstant("less", x, one.array), y,
		})
	}
	add := func(env *kernels.Env, state expr.Accumulator) error {
		for _, batch := range batches {
			mark := env.Pool.Mark()
			selected, err := kernels.Compare(env, kernels.Less, batch.a, batch.constant)
			if err != nil {
				return err
			}
			env.Active = kernels.TrueRows(env, selected)
			err = state.Update(env, nil, []*types.Vector{batch.b}, batch.b.Len())
			env.Active = nil
			if err != nil {
				return err
			}
			env.Pool.Release(mark)
		}
		return nil
	}
	state := accumulator("sum", b.vector.Type())
	w := workload{kernel: "where and sum", typ: "int64", nulls: nulls, selectivity: 50, bytes: 16 * in.rows, probe: probeRead, goal: goalWhereSum}
	w.run = func(env *kernels.Env) error { return add(env, state) }
	w.peer = func() error {
		for _, batch := range batches {
			selected, err := batch.compare()
			if err != nil {
				return err
			}
			condition := selected.(*compute.ArrayDatum).MakeArray()
			kept, err := call("array_filter", compute.DefaultFilterOptions(), batch.values, condition)()
			if err != nil {
				return err
			}
			values := kept.(*compute.ArrayDatum).MakeArray()
			sink += uint64(math.Int64.Sum(values.(*array.Int64)))
			values.Release()
			kept.Release()
			condition.Release()
			selected.Release()
		}
		return nil
	}
	w.verify = func(env *kernels.Env) error {
		fresh := accumulator("sum", b.vector.Type())
		if err := add(env, fresh); err != nil {
			return err
		}
		x, y, want := a.array.(*array.Int64), b.array.(*array.Int64), int64(0)
		for i := range in.rows {
			if x.IsValid(i) && x.Value(i) < 50 && y.IsValid(i) {
				want += y.Value(i)
			}
		}
		return sameResult(env, fresh, want)
	}
	return w
}

// hashWorkloads hashes columns; arrow-go has no such kernel. A second hash combines with that of the column before.
func hashWorkloads(in *inputs, nulls int) []workload {
	var all []workload
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String} {
		c, hashes := in.values(dt, nulls, 0), make([]uint64, in.rows)
		w := workload{kernel: "hash", typ: dt.String(), nulls: nulls, selectivity: -1, bytes: in.rows * (8 + widthOf(dt)), probe: probeCopy}
		w.run = func(env *kernels.Env) error { kernels.Hash(env, c.vector, hashes); return nil }
		// Equal rows have equal hashes, and the hundred values and NULL have hashes of their own.
		w.verify = func(env *kernels.Env) error {
			kernels.Hash(env, c.vector, hashes)
			value, hash := map[uint64]string{}, map[string]uint64{}
			for i, h := range hashes[:min(len(hashes), 4096)] {
				text := c.array.ValueStr(i)
				if other, ok := value[h]; ok && other != text {
					return fmt.Errorf("%s and %s have the same hash", other, text)
				}
				if other, ok := hash[text]; ok && other != h {
					return fmt.Errorf("%s has two hashes", text)
				}
				value[h], hash[text] = text, h
			}
			return nil
		}
		all = append(all, w)
	}
	return all
}
