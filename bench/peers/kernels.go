package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// kernelTask is one operation on the same columns on both sides. kernels.py knows the operation by its name.
type kernelTask struct {
	op   string
	args []string
	run  func(env *kernels.Env) (*types.Vector, error)
}

// runKernels measures kernels of Lacuna and of Arrow C++, each on one core, on the same arrays: Arrow C++ in a Python process that waits for requests.
func runKernels(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	python := flags.String("python", "", "a Python that has pyarrow (default one made for the purpose)")
	rounds := flags.Int("rounds", 9, "measure each operation so often, in turn; the medians count")
	sample := flags.Duration("sample", 2*time.Millisecond, "repeat an operation for so long in each round")
	quick := flags.Bool("quick", false, "few rows, everything once: checks the results, times mean nothing")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	sizes := []int{64 << 10, 1 << 20}
	if *quick {
		sizes, *rounds, *sample = []int{4099}, 1, 0
	}
	if *python == "" {
		var err error
		if *python, err = makePythonWith(ctx, "bench-pyarrow", "import pyarrow", pyarrowWheel); err != nil {
			return err
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	peer, err := startArrow(ctx, *python)
	if err != nil {
		return err
	}
	defer peer.close()
	dir, err := os.MkdirTemp("", "lacuna-kernels")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, rows := range sizes {
		for _, nulls := range []int{0, 10} {
			if err := compareKernels(peer, dir, rows, nulls, *rounds, *sample); err != nil {
				return fmt.Errorf("%d rows, %d %% null: %w", rows, nulls, err)
			}
		}
	}
	return nil
}

// compareKernels checks and measures all tasks on columns of a length.
func compareKernels(peer *arrowPeer, dir string, rows, nulls, rounds int, sample time.Duration) error {
	columns := kernelColumns(rows, nulls)
	path := filepath.Join(dir, "columns.arrow")
	if err := writeColumns(path, columns); err != nil {
		return err
	}
	var loaded struct{ Version string }
	if err := peer.ask(map[string]any{"load": path}, &loaded); err != nil {
		return err
	}
	vectors := map[string]*types.Vector{}
	for name, a := range columns {
		v, err := types.Import(a, types.ImportOptions{})
		if err != nil {
			return err
		}
		vectors[name] = v
	}
	fmt.Printf("\n%d rows, %d %% null, Arrow C++ (pyarrow) %s, ns per row:\n\n| operation | Arrow C++ | Lacuna | ratio |\n|---|---:|---:|---:|\n", rows, nulls, loaded.Version)
	for _, task := range kernelTasks(vectors, rows) {
		if err := checkTask(peer, filepath.Join(dir, "result.arrow"), task); err != nil {
			return fmt.Errorf("%s %v: %w", task.op, task.args, err)
		}
		theirs, ours, err := measureTask(peer, task, rounds, sample)
		if err != nil {
			return fmt.Errorf("%s %v: %w", task.op, task.args, err)
		}
		n := float64(rows)
		fmt.Printf("| %s %v | %.3f | %.3f | %.2f |\n", task.op, task.args, theirs/n, ours/n, ours/theirs)
	}
	return nil
}

// kernelTasks are the operations; selections, indices and constants have no nulls unless the columns have.
func kernelTasks(columns map[string]*types.Vector, rows int) []kernelTask {
	constant := func(typ types.Type, x any) *types.Vector {
		v, err := types.NewValue(typ, x)
		if err != nil {
			panic(err)
		}
		return types.NewConstant(v, rows)
	}
	compare := func(op kernels.CompareOp, a string, b *types.Vector) func(*kernels.Env) (*types.Vector, error) {
		return func(env *kernels.Env) (*types.Vector, error) { return kernels.Compare(env, op, columns[a], b) }
	}
	filter := func(a string) func(*kernels.Env) (*types.Vector, error) {
		bits := columns["selection"].Bools()
		return func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Filter(env, columns[a], bits, bits.Count(rows)), nil
		}
	}
	take := func(a, indices string) func(*kernels.Env) (*types.Vector, error) {
		at, valid := types.ValuesOf[uint32](columns[indices]), columns[indices].Validity()
		return func(env *kernels.Env) (*types.Vector, error) {
			if err := kernels.CheckIndices(at, valid, rows); err != nil {
				return nil, err
			}
			return kernels.Take(env, columns[a], at, valid), nil
		}
	}
	cast := func(a string, to types.Type) func(*kernels.Env) (*types.Vector, error) {
		return func(env *kernels.Env) (*types.Vector, error) { return kernels.Cast(env, columns[a], to) }
	}
	decode := func(a string) func(*kernels.Env) (*types.Vector, error) {
		return func(env *kernels.Env) (*types.Vector, error) { return kernels.Decode(env, columns[a]), nil }
	}
	two := func(kernel func(env *kernels.Env, a, b *types.Vector) (*types.Vector, error), a, b string) func(*kernels.Env) (*types.Vector, error) {
		return func(env *kernels.Env) (*types.Vector, error) { return kernel(env, columns[a], columns[b]) }
	}
	tasks := []kernelTask{
		{"less than constant", []string{"int64"}, compare(kernels.Less, "int64", constant(types.BigInt, 50))},
		{"less than constant", []string{"int32"}, compare(kernels.Less, "int32", constant(types.Integer, 50))},
		{"less than constant", []string{"float64"}, compare(kernels.Less, "float64", constant(types.Double, 50.0))},
		{"equal to constant", []string{"text"}, compare(kernels.Equal, "text", constant(types.Varchar, textOfKernels(50)))},
		{"less", []string{"int64", "other"}, compare(kernels.Less, "int64", columns["other"])},
		{"filter", []string{"int64", "selection"}, filter("int64")},
		{"filter", []string{"text", "selection"}, filter("text")},
		{"take", []string{"int64", "at random"}, take("int64", "at random")},
		{"take", []string{"int64", "in order"}, take("int64", "in order")},
		{"take", []string{"text", "at random"}, take("text", "at random")},
		{"and (Kleene)", []string{"bool", "condition"}, two(kernels.And, "bool", "condition")},
		{"not", []string{"bool"}, func(env *kernels.Env) (*types.Vector, error) { return kernels.Not(env, columns["bool"]) }},
		{"is null", []string{"int64"}, func(env *kernels.Env) (*types.Vector, error) { return kernels.IsNull(env, columns["int64"]), nil }},
		{"cast to float64", []string{"int64"}, cast("int64", types.Double)},
		{"cast to int64", []string{"float64"}, cast("float64", types.BigInt)},
		{"cast to int32", []string{"int64"}, cast("int64", types.Integer)},
		{"cast to int64", []string{"int32"}, cast("int32", types.BigInt)},
		{"coalesce", []string{"int64", "other"}, func(env *kernels.Env) (*types.Vector, error) {
			return kernels.Coalesce(env, columns["int64"], columns["other"])
		}},
		{"if else", []string{"selection", "int64", "other"}, func(env *kernels.Env) (*types.Vector, error) {
			return kernels.IfElse(env, columns["selection"].Bools(), columns["int64"], columns["other"])
		}},
		{"decode", []string{"runs of 4"}, decode("runs of 4")},
		{"decode", []string{"runs of 100"}, decode("runs of 100")},
		{"decode", []string{"dictionary"}, decode("dictionary")},
		{"sort indices", []string{"int64"}, func(env *kernels.Env) (*types.Vector, error) {
			return types.NewFixed(types.UBigInt, widened(kernels.SortIndices(env, []kernels.SortKey{{Vector: columns["int64"]}}, rows)), nil), nil
		}},
	}
	for _, name := range []string{"sum", "min", "max"} {
		for _, column := range []string{"int64", "float64"} {
			tasks = append(tasks, kernelTask{name, []string{column}, aggregateOf(name, columns[column])})
		}
	}
	return tasks
}

func widened(rows []uint32) []uint64 {
	out := make([]uint64, len(rows))
	for i, r := range rows {
		out[i] = uint64(r)
	}
	return out
}

// aggregateOf gives an aggregate over a whole column.
func aggregateOf(name string, v *types.Vector) func(*kernels.Env) (*types.Vector, error) {
	set := expr.NewSet()
	agg.Register(set)
	bound, err := set.Lookup(name).BindAggregate([]expr.Arg{{Type: v.Type()}})
	if err != nil {
		panic(err)
	}
	args := []*types.Vector{v}
	return func(env *kernels.Env) (*types.Vector, error) {
		state := bound.New()
		if err := state.Resize(1); err != nil {
			return nil, err
		}
		if err := state.Update(env, nil, args, v.Len()); err != nil {
			return nil, err
		}
		return state.Finish(env, 0, 1)
	}
}

// checkTask compares the results of both sides, row by row as values.
func checkTask(peer *arrowPeer, path string, task kernelTask) error {
	if err := peer.ask(map[string]any{"op": task.op, "args": task.args, "out": path}, &struct{}{}); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	reader, err := ipc.NewFileReader(f)
	if err != nil {
		return err
	}
	defer reader.Close()
	batch, err := reader.RecordBatch(0)
	if err != nil {
		return err
	}
	want, err := types.Import(batch.Column(0), types.ImportOptions{})
	if err != nil {
		return err
	}
	got, err := task.run(&kernels.Env{})
	if err != nil {
		return err
	}
	if got.Len() != want.Len() {
		return fmt.Errorf("%d rows, in Arrow C++ %d", got.Len(), want.Len())
	}
	for i := range got.Len() {
		if a, b := fmt.Sprint(types.Value(got, i)), fmt.Sprint(types.Value(want, i)); a != b {
			return fmt.Errorf("row %d is %s, in Arrow C++ %s", i, a, b)
		}
	}
	return nil
}

// measureTask lets both sides take turns and gives the medians of the nanoseconds of one run.
func measureTask(peer *arrowPeer, task kernelTask, rounds int, sample time.Duration) (theirs, ours float64, err error) {
	env := &kernels.Env{Pool: types.NewPool()}
	var their, our []float64
	for range rounds {
		var answer struct{ Nanos float64 }
		if err := peer.ask(map[string]any{"op": task.op, "args": task.args, "nanos": sample.Nanoseconds()}, &answer); err != nil {
			return 0, 0, err
		}
		their = append(their, answer.Nanos)
		count, start := 0, time.Now()
		for count == 0 || time.Since(start) < sample {
			if _, err := task.run(env); err != nil {
				return 0, 0, err
			}
			env.Pool.Release(0)
			count++
		}
		our = append(our, float64(time.Since(start).Nanoseconds())/float64(count))
	}
	slices.Sort(their)
	slices.Sort(our)
	return their[len(their)/2], our[len(our)/2], nil
}

// arrowPeer is the Python process.
type arrowPeer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startArrow(ctx context.Context, python string) (*arrowPeer, error) {
	command := exec.CommandContext(ctx, python, "kernels.py")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &arrowPeer{command, in, bufio.NewReader(out)}, command.Start()
}

// ask sends a request and waits for its answer.
func (p *arrowPeer) ask(request, answer any) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.in, "%s\n", text); err != nil {
		return err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the Python process ended: %w", err)
	}
	return json.Unmarshal(line, answer)
}

func (p *arrowPeer) close() {
	p.in.Close()
	p.command.Wait()
}

// textOfKernels gives texts of 6 to 26 bytes: a quarter fit into a view.
func textOfKernels(x int) string {
	if x%4 == 0 {
		return fmt.Sprintf("item%02d", x)
	}
	return fmt.Sprintf("customer %02d of the north", x)
}

// kernelColumns makes the columns, the same for the same length and share of nulls in percent.
func kernelColumns(rows, nulls int) map[string]arrow.Array {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(nulls)))
	build := func(dt arrow.DataType, n, nulls int, add func(b array.Builder, i int)) arrow.Array {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		defer b.Release()
		b.Reserve(n)
		for i := range n {
			if r.IntN(100) < nulls {
				b.AppendNull()
			} else {
				add(b, i)
			}
		}
		return b.NewArray()
	}
	int64s := func(b array.Builder, _ int) { b.(*array.Int64Builder).Append(int64(r.IntN(100))) }
	truth := func(b array.Builder, _ int) { b.(*array.BooleanBuilder).Append(r.IntN(2) == 0) }
	columns := map[string]arrow.Array{
		"int64":     build(arrow.PrimitiveTypes.Int64, rows, nulls, int64s),
		"other":     build(arrow.PrimitiveTypes.Int64, rows, nulls, int64s),
		"int32":     build(arrow.PrimitiveTypes.Int32, rows, nulls, func(b array.Builder, _ int) { b.(*array.Int32Builder).Append(int32(r.IntN(100))) }),
		"float64":   build(arrow.PrimitiveTypes.Float64, rows, nulls, func(b array.Builder, _ int) { b.(*array.Float64Builder).Append(float64(r.IntN(100))) }),
		"text":      build(arrow.BinaryTypes.String, rows, nulls, func(b array.Builder, _ int) { b.(*array.StringBuilder).Append(textOfKernels(r.IntN(100))) }),
		"bool":      build(arrow.FixedWidthTypes.Boolean, rows, nulls, truth),
		"condition": build(arrow.FixedWidthTypes.Boolean, rows, nulls, truth),
		"selection": build(arrow.FixedWidthTypes.Boolean, rows, 0, truth),
		"at random": build(arrow.PrimitiveTypes.Uint32, rows, nulls, func(b array.Builder, _ int) { b.(*array.Uint32Builder).Append(uint32(r.IntN(rows))) }),
		"in order":  build(arrow.PrimitiveTypes.Uint32, rows, nulls, func(b array.Builder, i int) { b.(*array.Uint32Builder).Append(uint32(i)) }),
	}
	for _, length := range []int{4, 100} {
		runs := (rows + length - 1) / length
		ends := build(arrow.PrimitiveTypes.Int32, runs, 0, func(b array.Builder, i int) { b.(*array.Int32Builder).Append(int32(min(rows, (i+1)*length))) })
		values := build(arrow.PrimitiveTypes.Int64, runs, nulls, int64s)
		columns[fmt.Sprintf("runs of %d", length)] = array.NewRunEndEncodedArray(ends, values, rows, 0)
	}
	keys := build(arrow.PrimitiveTypes.Int32, rows, nulls, func(b array.Builder, _ int) { b.(*array.Int32Builder).Append(int32(r.IntN(100))) })
	entries := build(arrow.PrimitiveTypes.Int64, 100, 0, int64s)
	columns["dictionary"] = array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64}, keys, entries)
	return columns
}

// writeColumns writes columns of the same length to an Arrow file.
func writeColumns(path string, columns map[string]arrow.Array) (err error) {
	var fields []arrow.Field
	var arrays []arrow.Array
	for name, a := range columns {
		fields, arrays = append(fields, arrow.Field{Name: name, Type: a.DataType(), Nullable: true}), append(arrays, a)
	}
	schema := arrow.NewSchema(fields, nil)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	batch := array.NewRecordBatch(schema, arrays, int64(arrays[0].Len()))
	defer batch.Release()
	if err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}
