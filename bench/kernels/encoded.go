package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// The lengths of runs and how many times faster than their rows they are to be worked on.
const (
	runLength  = 100
	encodedFor = 20.0
)

// encodedWorkload is one kernel on a column of runs: the same call on the runs and on the rows that they stand for.
type encodedWorkload struct {
	kernel, typ      string
	decoded, encoded func(env *kernels.Env) (any, error)
}

func encodedWorkloads(in *inputs) []encodedWorkload {
	var all []encodedWorkload
	random := in.selection(50).vector.Bools()
	count := random.Count(in.rows)
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String} {
		column := in.runs(dt, runLength, 0)
		runs := column.vector
		rows := kernels.Decode(nil, runs)
		constant := types.NewConstant(in.one(dt, 50).vector, in.rows)
		both := func(kernel string, run func(env *kernels.Env, v *types.Vector) (any, error)) {
			all = append(all, encodedWorkload{kernel, dt.Name(),
				func(env *kernels.Env) (any, error) { return run(env, rows) },
				func(env *kernels.Env) (any, error) { return run(env, runs) }})
		}
		both("compare with constant", func(env *kernels.Env, v *types.Vector) (any, error) {
			return kernels.Compare(env, kernels.Less, v, constant)
		})
		both("filter, random rows", func(env *kernels.Env, v *types.Vector) (any, error) {
			return kernels.Filter(env, v, random, count), nil
		})
		both("filter by comparison", func(env *kernels.Env, v *types.Vector) (any, error) {
			below, err := kernels.Compare(env, kernels.Less, v, constant)
			if err != nil {
				return nil, err
			}
			return kernels.FilterTrue(env, v, below)
		})
		if dt.ID() == arrow.STRING {
			continue
		}
		for _, name := range []string{"sum", "min"} {
			state := accumulator(name, runs.Type())
			both(name, func(env *kernels.Env, v *types.Vector) (any, error) {
				return nil, state.Update(env, nil, []*types.Vector{v}, v.Len())
			})
		}
	}
	return all
}

// encodedCommand measures kernels on runs beside the same kernels on the rows that they stand for.
func encodedCommand(args []string) error {
	flags := flag.NewFlagSet("kernels encoded", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "everything once with few rows: checks the results, times mean nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p := newPlan("default", "")
	p.sizes = []int{64 << 10, 1 << 20, 16 << 20}
	if *quick {
		p = newPlan("quick", "")
	}
	m := thisMachine("encoded")
	printMachine(os.Stdout, &m)
	fmt.Println()
	return measureEncoded(os.Stdout, p)
}

// measureEncoded prints a line for each workload and size. A result on runs that differs from that on rows ends it.
func measureEncoded(w io.Writer, p *plan) error {
	fmt.Fprintf(w, "Runs of %d rows.\n\n| kernel | type | rows | ns/row on rows | ns/row on runs | x | goal %g |\n|---|---|---:|---:|---:|---:|---|\n", runLength, encodedFor)
	for _, rows := range p.sizes {
		for _, work := range encodedWorkloads(newInputs(rows)) {
			decoded, encoded, err := work.measure(p)
			if err != nil {
				return fmt.Errorf("%s, %s, %d rows: %w", work.kernel, work.typ, rows, err)
			}
			verdict := "met"
			if decoded < encodedFor*encoded {
				verdict = "short"
			}
			fmt.Fprintf(w, "| %s | %s | %s | %.4f | %.4f | %.1f | %s |\n", work.kernel, work.typ, rowsText(rows), decoded/float64(rows), encoded/float64(rows), decoded/encoded, verdict)
		}
	}
	return nil
}

// measure gives the times of a run on rows and on runs, in nanoseconds.
func (work *encodedWorkload) measure(p *plan) (decoded, encoded float64, err error) {
	a, err := work.decoded(nil)
	if err != nil {
		return 0, 0, err
	}
	b, err := work.encoded(nil)
	if err != nil {
		return 0, 0, err
	}
	if x, ok := a.(*types.Vector); ok && !types.EqualWith(x, b.(*types.Vector), types.EqualOptions{IgnoreEncoding: true}) {
		return 0, 0, fmt.Errorf("runs give another result than rows")
	}
	env := &kernels.Env{Pool: types.NewPool()}
	var sides []*contender
	for _, run := range []func(*kernels.Env) (any, error){work.decoded, work.encoded} {
		c := &contender{run: func() error {
			mark := env.Pool.Mark()
			_, err := run(env)
			env.Pool.Release(mark)
			return err
		}}
		if err := c.calibrate(max(p.sample, time.Microsecond)); err != nil {
			return 0, 0, err
		}
		sides = append(sides, c)
	}
	for range p.rounds {
		for _, c := range sides {
			if err := c.sample(); err != nil {
				return 0, 0, err
			}
		}
	}
	return sides[0].median(), sides[1].median(), nil
}
