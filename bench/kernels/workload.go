package main

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/scalar"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// A workload is one kernel over one input.
type workload struct {
	kernel      string
	typ         string
	nulls       int // share of null rows in percent
	selectivity int // share of selected rows in percent; -1 where nothing is selected
	bytes       int // read and written by an ideal kernel
	probe       probe
	goal        goal

	run  func(env *kernels.Env) error
	peer func() error // the same work in arrow-go; nil where it has none
	// verify runs both sides once and tells how their results differ. Without a peer it computes the result row by row.
	verify func(env *kernels.Env) error
}

func (w *workload) String() string {
	name := fmt.Sprintf("%s, %s, %d %% null", w.kernel, w.typ, w.nulls)
	if w.selectivity >= 0 {
		name += fmt.Sprintf(", %d %% selected", w.selectivity)
	}
	return name
}

// onVectors sets the two sides of a workload whose results are columns.
func (w workload) onVectors(ours func(env *kernels.Env) (*types.Vector, error), theirs func() (compute.Datum, error)) workload {
	w.run = func(env *kernels.Env) error {
		_, err := ours(env)
		return err
	}
	w.peer = func() error {
		result, err := theirs()
		if err == nil {
			result.Release()
		}
		return err
	}
	w.verify = func(env *kernels.Env) error {
		v, err := ours(env)
		if err != nil {
			return err
		}
		result, err := theirs()
		if err != nil {
			return fmt.Errorf("arrow-go: %w", err)
		}
		defer result.Release()
		return sameRows(v, result.(*compute.ArrayDatum).MakeArray())
	}
	return w
}

// sameRows tells how a vector differs from an array.
func sameRows(v *types.Vector, want arrow.Array) error {
	defer want.Release()
	got, err := types.Export(v, want.DataType(), types.ExportOptions{})
	if err != nil {
		return err
	}
	defer got.Release()
	if array.Equal(got, want) {
		return nil
	}
	for i := range min(got.Len(), want.Len()) {
		if a, b := got.ValueStr(i), want.ValueStr(i); a != b {
			return fmt.Errorf("row %d is %s, in arrow-go %s", i, a, b)
		}
	}
	return fmt.Errorf("%d rows, in arrow-go %d", got.Len(), want.Len())
}

// call calls a function of arrow-go with its default allocator.
func call(name string, options compute.FunctionOptions, args ...arrow.Array) func() (compute.Datum, error) {
	return func() (compute.Datum, error) {
		datums := make([]compute.Datum, len(args))
		for i, a := range args {
			datums[i] = compute.NewDatumWithoutOwning(a)
		}
		return compute.CallFunction(context.Background(), name, options, datums...)
	}
}

// callWithConstant is call for a column and the only row of another.
func callWithConstant(name string, a, constant arrow.Array) func() (compute.Datum, error) {
	value, err := scalar.GetScalar(constant, 0)
	if err != nil {
		panic(err)
	}
	return func() (compute.Datum, error) {
		return compute.CallFunction(context.Background(), name, nil, compute.NewDatumWithoutOwning(a), compute.NewDatumWithoutOwning(value))
	}
}
