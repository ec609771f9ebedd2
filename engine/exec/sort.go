package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// sortRows is the sink of ORDER BY, with a limit of top-N.
//
// Each worker keeps its rows with their evaluated keys. When its input is empty it sorts them into a run: an order of row numbers and encoded
// keys. The runs are merged, by row numbers only, and the result is gathered batch by batch as it is read. Ties keep source order, whichever
// workers saw them, because a run's rows are in source order and the merge compares sequences last.
//
// With a limit a worker cuts its rows down to the best ones whenever it has several times as many, so it holds a multiple of the limit.
type sortRows struct {
	query    *Execution
	operator int
	program  *expr.Program // the keys
	plan     *plan.SortRows
	runs     []*sortRun
	columns  []*types.Vector // of all runs, one after another
	order    []uint32        // row numbers in columns, sorted
}

// sortRun is what one worker has sorted.
type sortRun struct {
	columns []*types.Vector
	order   []uint32
	keys    kernels.SortKeys
	place   []types.Sequence // of each row's batch; rows of one batch are in order
	base    int              // of its first row in the concatenation
}

func newSort(q *Execution, p *plan.SortRows) *sortRows {
	keys := make([]*expr.Expr, len(p.Keys))
	for i, k := range p.Keys {
		keys[i] = k.Expr
	}
	return &sortRows{query: q, operator: p.Number, program: expr.Compile(keys...), plan: p}
}

func (s *sortRows) number() int { return s.operator }

func (s *sortRows) newState(w *worker) (sinkState, error) {
	return &sortState{sort: s, worker: w, evaluator: expr.NewEvaluator(s.program, w.pool)}, nil
}

type sortState struct {
	sort      *sortRows
	worker    *worker
	evaluator *expr.Evaluator
	batches   []sortBatch
	rows      int
}

// sortBatch is a kept batch: the operator's columns, then the keys.
type sortBatch struct {
	batch *types.Batch
	place []types.Sequence // nil: all rows have the batch's sequence
}

// pruneFactor is how many times the wanted rows a top-N keeps before it cuts them down, and pruneRows the least number of rows worth it.
const (
	pruneFactor = 2
	pruneRows   = 4096
)

func (s *sortState) push(b *types.Batch) error {
	b = s.worker.compact(b)
	columns, err := s.evaluator.Eval(append([]*types.Vector(nil), b.Columns...), b)
	if err != nil {
		return err
	}
	kept, err := s.worker.keep(types.NewBatch(columns, b.Rows, b.Sequence))
	if err != nil {
		return err
	}
	s.batches = append(s.batches, sortBatch{batch: kept})
	s.rows += kept.Rows
	if top := s.sort.top(); top >= 0 && int64(s.rows) > max(pruneRows, pruneFactor*top) {
		return s.prune(int(min(top, int64(s.rows))))
	}
	return nil
}

// top gives the number of rows that the result needs from the sorted start; -1 for all.
func (s *sortRows) top() int64 {
	if s.plan.Limit < 0 || s.plan.Limit > 1<<40 || s.plan.Offset > 1<<40 {
		return -1
	}
	return s.plan.Limit + s.plan.Offset
}

// prune keeps the first rows in order, in their source order.
func (s *sortState) prune(rows int) error {
	run := s.sort.makeRun(s.batches)
	best := slices.Clone(run.order[:rows])
	slices.Sort(best)
	env := &kernels.Env{}
	batch := types.NewBatch(make([]*types.Vector, len(run.columns)), rows, 0)
	for i, v := range run.columns {
		batch.Columns[i] = kernels.Take(env, v, best, nil)
	}
	place := make([]types.Sequence, rows)
	for i, row := range best {
		place[i] = run.place[row]
	}
	for _, old := range s.batches {
		s.sort.query.release(columnsSize(old.batch.Columns))
	}
	if err := s.sort.query.reservation.Grow(columnsSize(batch.Columns)); err != nil {
		return err
	}
	s.batches, s.rows = []sortBatch{{batch: batch, place: place}}, rows
	return nil
}

func (s *sortState) morselDone(int) error { return nil }

func (s *sortState) combine() error {
	if len(s.batches) > 0 {
		s.sort.runs = append(s.sort.runs, s.sort.makeRun(s.batches))
	}
	return nil
}

// makeRun sorts batches into a run.
func (s *sortRows) makeRun(batches []sortBatch) *sortRun {
	env := &kernels.Env{}
	run := &sortRun{columns: concatColumns(env, batches)}
	rows := 0
	for _, b := range batches {
		rows += b.batch.Rows
	}
	run.place = make([]types.Sequence, 0, rows)
	for _, b := range batches {
		if b.place != nil {
			run.place = append(run.place, b.place...)
			continue
		}
		for range b.batch.Rows {
			run.place = append(run.place, b.batch.Sequence)
		}
	}
	run.order = kernels.SortIndices(env, s.keysOf(run.columns), rows)
	return run
}

func concatColumns(env *kernels.Env, batches []sortBatch) []*types.Vector {
	columns := make([]*types.Vector, len(batches[0].batch.Columns))
	parts := make([]*types.Vector, len(batches))
	for i := range columns {
		for j, b := range batches {
			parts[j] = b.batch.Columns[i]
		}
		columns[i] = kernels.Concat(env, parts)
	}
	return columns
}

// keysOf gives the sort keys among the columns of a run.
func (s *sortRows) keysOf(columns []*types.Vector) []kernels.SortKey {
	keys := make([]kernels.SortKey, len(s.plan.Keys))
	first := len(columns) - len(keys)
	for i, k := range s.plan.Keys {
		keys[i] = kernels.SortKey{Vector: columns[first+i], Descending: k.Descending, NullsFirst: k.NullsFirst}
	}
	return keys
}

// finish merges the runs.
func (s *sortRows) finish(ctx context.Context) error {
	if len(s.runs) == 0 {
		return nil
	}
	env := &kernels.Env{}
	total := 0
	for _, run := range s.runs {
		run.base = total
		total += len(run.order)
	}
	visible := len(s.plan.Output)
	if len(s.runs) == 1 {
		s.columns, s.order = s.runs[0].columns[:visible], s.runs[0].order
	} else {
		for _, run := range s.runs {
			run.keys = kernels.EncodeSortKeys(env, s.keysOf(run.columns), len(run.order))
		}
		var err error
		if s.order, err = s.merge(ctx, total); err != nil {
			return err
		}
		s.columns = make([]*types.Vector, visible)
		parts := make([]*types.Vector, len(s.runs))
		for i := range s.columns {
			for j, run := range s.runs {
				parts[j] = run.columns[i]
			}
			s.columns[i] = kernels.Concat(env, parts)
		}
	}
	s.runs = nil
	if top := s.top(); top >= 0 && int64(len(s.order)) > top {
		s.order = s.order[:top]
	}
	s.order = s.order[min(int64(len(s.order)), s.plan.Offset):]
	return nil
}

// merge gives the rows of all runs in order, up to the wanted number. There are few runs, one per worker: the smallest head is found by
// looking at each.
func (s *sortRows) merge(ctx context.Context, total int) ([]uint32, error) {
	wanted := total
	if top := s.top(); top >= 0 {
		wanted = int(min(int64(total), top))
	}
	order := make([]uint32, 0, wanted)
	at := make([]int, len(s.runs))
	for len(order) < wanted {
		if len(order)&0xffff == 0 {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
		}
		best := -1
		for r, run := range s.runs {
			if at[r] < len(run.order) && (best < 0 || before(run, at[r], s.runs[best], at[best])) {
				best = r
			}
		}
		run := s.runs[best]
		order = append(order, uint32(run.base)+run.order[at[best]])
		at[best]++
	}
	return order, nil
}

// before reports whether run a's row at position i comes before run b's at position j.
func before(a *sortRun, i int, b *sortRun, j int) bool {
	x, y := int(a.order[i]), int(b.order[j])
	if c := a.keys.Compare(x, &b.keys, y); c != 0 {
		return c < 0
	}
	return a.place[x] < b.place[y]
}

// open reads the sorted rows.
func (s *sortRows) open(context.Context) (source, error) {
	return &rangeSource{total: len(s.order), size: s.query.options.BatchRows, make: func(pool *types.Pool, from, to int) (*types.Batch, error) {
		env := &kernels.Env{Pool: pool}
		columns := make([]*types.Vector, len(s.columns))
		for i, v := range s.columns {
			columns[i] = kernels.Take(env, v, s.order[from:to], nil)
		}
		return types.NewBatch(columns, to-from, 0), nil
	}}, nil
}
