package exec

import (
	"context"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// windowRows is the sink of window functions.
//
// The rows are sorted by the partition keys and then by the order keys, as ORDER BY does it (sort.go), together with everything that the calls evaluate on
// them. From then on a row is its position in that order, a partition is a range of positions, and so are a group of peers and a frame. Each call is
// computed chunk by chunk, a chunk being a range of positions whatever partitions they are in, so that one huge partition keeps all workers as busy as
// many small ones:
//
//	window_partition.go  numbers for partitions whose keys are slow to compare
//	window_rows.go       where partitions and groups of peers begin
//	window_frame.go      the frame of each row
//	window_function.go   ranking, lag and lead, first, last and nth values
//	window_aggregate.go  aggregates: in which way their frames are computed
//	window_state.go      ... from the states of ranges of rows
//	window_expand.go     ... from the rows themselves, where there is no other way
//
// The result is in the sorted order; rows that tie are in the order of the source.
type windowRows struct {
	query   *Execution
	plan    *plan.WindowRows
	memory  *account
	sort    *sortRows
	calls   []*windowCall
	columns []sortKey // what the rows are sorted by: the partition keys, then the order keys
	keys    int       // of columns, those that cut partitions
	numbers *partitionNumbers
	// chunkRows is a power of two.
	chunkRows int

	windowBorders
	rangeKeys *kernels.SortKeys // of the order key at each position; nil when no frame needs them
	prepared  int64             // bytes reserved for what is prepared
	results   [][]*types.Vector // by chunk and call
}

// windowCall is a call with the places of what it reads among the kept columns.
type windowCall struct {
	plan.WindowCall
	args       []int // constants have no place: -1
	filter     int   // a BOOLEAN column that says which rows count; -1: all do
	filtered   filteredArgs
	start, end windowBound
	order      []sortKey
	aggregate  *windowAggregate // nil for a function
	values     *valuePositions  // of a function with IGNORE NULLS
}

// chunkFactor is how many batches' rows a chunk has, at least.
const chunkFactor = 4

func newWindow(q *Execution, p *plan.WindowRows) (*windowRows, error) {
	w := &windowRows{query: q, plan: p, memory: q.account(p.Number), chunkRows: 1}
	for w.chunkRows < chunkFactor*q.options.BatchRows {
		w.chunkRows *= 2
	}
	list := &columnList{input: len(p.Input.Schema())}
	keys := make([]plan.SortKey, len(p.PartitionBy), len(p.PartitionBy)+len(p.OrderBy))
	for i, e := range p.PartitionBy {
		keys[i].Expr = e
	}
	keys = append(keys, p.OrderBy...)
	for _, call := range p.Calls {
		c := &windowCall{WindowCall: call, filter: -1, order: list.keys(call.Order)}
		if call.Filter == nil {
			for _, a := range call.Args {
				if a.Op == expr.Constant {
					c.args = append(c.args, -1)
				} else {
					c.args = append(c.args, list.place(a))
				}
			}
		}
		var err error
		if c.start, err = newWindowBound(call.Frame.Start, "starting", list); err != nil {
			return nil, err
		}
		if c.end, err = newWindowBound(call.Frame.End, "ending", list); err != nil {
			return nil, err
		}
		w.calls = append(w.calls, c)
	}
	w.sort = newSorter(q, p.Number, list, keys)
	w.columns, w.keys = w.sort.keys, len(p.PartitionBy)
	// What is computed under a filter comes last: it must not raise on rows that do not pass.
	next := list.input + len(list.computed)
	for _, c := range w.calls {
		if c.Filter != nil {
			c.filter, next = next, next+1
			var computed []*expr.Expr
			for _, a := range c.Args {
				switch a.Op {
				case expr.Column:
					c.args = append(c.args, a.Column)
					continue
				case expr.Constant:
					c.args = append(c.args, -1)
					continue
				}
				computed = append(computed, a)
				c.args, next = append(c.args, next), next+1
			}
			c.filtered = filteredArgs{condition: expr.Compile(c.Filter), args: expr.Compile(computed...)}
		}
		if c.Aggregate != nil {
			var err error
			if c.aggregate, err = newWindowAggregate(w, c); err != nil {
				return nil, err
			}
		}
	}
	w.numberPartitions(next)
	w.sort.shown = next
	if w.numbers != nil {
		w.sort.shown++
	}
	return w, nil
}

func (w *windowRows) number() int { return w.plan.Number }

func (w *windowRows) newState(worker *worker) (sinkState, error) {
	s := &windowState{
		window: w, sortState: w.sort.newSortState(worker),
		filters: make([]*expr.Evaluator, len(w.calls)), arguments: make([]*expr.Evaluator, len(w.calls)),
	}
	for i, c := range w.calls {
		if c.Filter != nil {
			s.filters[i] = expr.NewEvaluator(c.filtered.condition, worker.pool)
			s.arguments[i] = expr.NewEvaluator(c.filtered.args, worker.pool)
		}
	}
	return s, nil
}

// windowState is the rows of one worker.
type windowState struct {
	*sortState
	window    *windowRows
	filters   []*expr.Evaluator // by call, nil without FILTER
	arguments []*expr.Evaluator
	columns   []*types.Vector
}

func (s *windowState) push(b *types.Batch) error {
	columns, err := s.evaluator.Eval(append(s.columns[:0], b.Columns...), b)
	if err != nil {
		return err
	}
	for i, c := range s.window.calls {
		for _, bound := range []*windowBound{&c.start, &c.end} {
			if err := bound.check(s.worker.pool, b, columns); err != nil {
				return err
			}
		}
		if c.Filter == nil {
			continue
		}
		selection, err := s.filters[i].Select(b)
		if err != nil {
			return err
		}
		passing := selection
		if passing == nil {
			passing = s.worker.pool.Bitmap(b.Rows)
			types.FillBitmap(passing, b.Rows)
		}
		columns = append(columns, types.NewBool(passing, b.Rows, nil))
		if columns, err = s.arguments[i].Eval(columns, b.Select(selection)); err != nil {
			return err
		}
	}
	if n := s.window.numbers; n != nil {
		v, err := n.find(s.worker.pool, b, columns)
		if err != nil {
			return err
		}
		columns = append(columns, v)
	}
	s.columns = columns
	return s.add(b.WithColumns(columns))
}

// finish sorts the rows and computes the calls.
func (w *windowRows) finish(ctx context.Context) error {
	if err := w.sort.finish(ctx); err != nil || len(w.sort.order) == 0 {
		return err
	}
	if w.numbers != nil {
		if err := w.sortPartitions(ctx); err != nil {
			return err
		}
	}
	if err := w.findBorders(ctx); err != nil {
		return err
	}
	for _, c := range w.calls {
		if err := w.prepare(ctx, c); err != nil {
			return err
		}
	}
	w.results = make([][]*types.Vector, w.chunks())
	err := w.eachChunk(ctx, func(worker *worker, chunk *windowChunk) error {
		results := make([]*types.Vector, len(w.calls))
		for i, c := range w.calls {
			mark := worker.pool.Mark()
			v, err := w.evaluate(worker, chunk, c)
			if err != nil {
				return err
			}
			worker.pool.Release(mark)
			if err := w.memory.Grow(vectorSize(v)); err != nil {
				return err
			}
			results[i] = v
		}
		w.results[chunk.number] = results
		return nil
	})
	w.release()
	return err
}

// prepare computes what a call needs of all rows before any row's result.
func (w *windowRows) prepare(ctx context.Context, c *windowCall) error {
	if c.start.limit >= 0 || c.end.limit >= 0 {
		if err := w.encodeRangeKeys(); err != nil {
			return err
		}
	}
	switch {
	case c.aggregate != nil:
		return c.aggregate.prepare(ctx)
	case c.IgnoreNulls:
		return w.findValues(ctx, c)
	}
	return nil
}

// release gives back the memory of what was prepared.
func (w *windowRows) release() {
	w.rangeKeys = nil
	for _, c := range w.calls {
		c.values = nil
		if c.aggregate != nil {
			c.aggregate.release()
		}
	}
	w.memory.Shrink(w.prepared)
	w.prepared = 0
}

// grow reserves memory until release.
func (w *windowRows) grow(size int64) error {
	if err := w.memory.Grow(size); err != nil {
		return err
	}
	w.prepared += size
	return nil
}

// evaluate gives the results of a call for the rows of a chunk, in memory of its own.
func (w *windowRows) evaluate(worker *worker, chunk *windowChunk, c *windowCall) (*types.Vector, error) {
	if c.aggregate != nil {
		return c.aggregate.evaluate(worker, chunk)
	}
	return w.function(worker, chunk, c)
}

// argument gives argument number i of a call at the positions from from to to.
func (w *windowRows) argument(env *kernels.Env, c *windowCall, i, from, to int) *types.Vector {
	if c.args[i] < 0 {
		return types.NewConstant(c.Args[i].Value, to-from)
	}
	return kernels.Take(env, w.sort.columns[c.args[i]], w.sort.order[from:to], nil)
}

// argumentAt gives argument number i of a call at some positions; NULL where valid (nil = all) has no bit.
func (w *windowRows) argumentAt(env *kernels.Env, c *windowCall, i int, positions []uint32, valid types.Bitmap) *types.Vector {
	if c.args[i] < 0 {
		indices := types.Alloc[uint32](env.Pool, len(positions))
		clear(indices)
		return kernels.Take(env, c.Args[i].Value, indices, valid)
	}
	rows := types.Alloc[uint32](env.Pool, len(positions))
	for j, p := range positions {
		rows[j] = 0
		if valid.Has(j) {
			rows[j] = w.sort.order[p]
		}
	}
	return kernels.Take(env, w.sort.columns[c.args[i]], rows, valid)
}

// open reads the rows with their results.
func (w *windowRows) open(context.Context) (source, error) {
	width := len(w.plan.Input.Schema())
	return &rangeSource{
		total: len(w.sort.order), size: w.query.options.BatchRows, chunk: w.chunkRows,
		make: func(pool *types.Pool, from, to int) (*types.Batch, error) {
			env := &kernels.Env{Pool: pool}
			columns := w.sort.rows(env, width, from, to)
			chunk := from / w.chunkRows
			first := chunk * w.chunkRows
			for _, v := range w.results[chunk] {
				columns = append(columns, v.Slice(pool, from-first, to-first))
			}
			return types.NewBatch(columns, to-from, 0), nil
		},
	}, nil
}
