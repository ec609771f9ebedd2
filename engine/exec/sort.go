package exec

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// sortRows is the sink of ORDER BY, with a limit of top-N.
//
// Each worker keeps its rows with their evaluated keys and, whenever it has enough of them, sorts them into a run: an order of row numbers. The runs
// are merged in parallel, by row numbers only, and the result is gathered batch by batch as it is read. Ties keep source order, whichever
// workers saw them: a run's rows are in source order, and the merge compares the places of the rows' batches last.
//
// With a limit a worker cuts its rows down to the best ones whenever it has several times as many, so it holds a multiple of the limit; rows that come
// after the last of the best are dropped at once.
type sortRows struct {
	query    *Execution
	operator int           // number in the plan
	program  *expr.Program // what is kept beside the input's columns: the keys that are not among them
	keys     []sortKey
	shown    int // columns of the result: the first ones of those that are kept
	memory   *account
	top      int64 // rows that the result needs from the sorted start; negative for all
	offset   int64 // rows of the sorted start that the result leaves out
	runRows  int   // rows of a run

	lock    sync.Mutex // of runs while workers combine
	runs    []*sortRun
	columns []*types.Vector // of all runs, one after another
	order   []uint32        // row numbers in columns, sorted
}

// sortRun is rows that are sorted.
type sortRun struct {
	columns []*types.Vector // all that are kept
	order   []uint32
	place   []types.Sequence // of each row's batch; rows of one batch are in one run and in order
	keys    kernels.SortKeys // encoded for the merge
	base    int              // of the first row among the rows of all runs
	size    int64            // bytes reserved
}

// Sizes of runs.
const (
	// runRows is the number of rows that a worker sorts at a time: few enough that it soon notices when the query is cancelled, and that a run can
	// be written out before the next. Keys that are compared value by value take longer.
	runRows     = 1 << 18
	textRunRows = 1 << 16
	// pruneFactor is how many times the wanted rows a top-N keeps before it cuts them down, and pruneRows the least number of rows worth it.
	pruneFactor = 2
	pruneRows   = 4096
	// maxTop is the greatest number of rows that is treated as a top-N: cutting down sorts twice as many at a time, which nothing interrupts. More are
	// sorted in runs.
	maxTop = textRunRows / pruneFactor
)

// sortKey is a key by its place among the kept columns.
type sortKey struct {
	column                 int
	descending, nullsFirst bool
}

// columnList gives expressions over an operator's input their places among the columns that it keeps: those of the input, then what has to be computed.
type columnList struct {
	input    int // columns of the input
	computed []*expr.Expr
}

// place gives the place of an expression's values. Equal expressions share one.
func (l *columnList) place(e *expr.Expr) int {
	if e.Op == expr.Column {
		return e.Column
	}
	for i, known := range l.computed {
		if known.Equal(e) {
			return l.input + i
		}
	}
	l.computed = append(l.computed, e)
	return l.input + len(l.computed) - 1
}

// keys gives the places of keys; nil for none.
func (l *columnList) keys(keys []plan.SortKey) (placed []sortKey) {
	for _, k := range keys {
		placed = append(placed, sortKey{column: l.place(k.Expr), descending: k.Descending, nullsFirst: k.NullsFirst})
	}
	return placed
}

func newSort(q *Execution, p *plan.SortRows) *sortRows {
	list := &columnList{input: len(p.Output)}
	s := newSorter(q, p.Number, list, p.Keys)
	s.shown, s.offset = len(p.Output), p.Offset
	if p.Limit >= 0 {
		s.top = p.Offset + min(p.Limit, math.MaxInt64-p.Offset)
	}
	return s
}

// newSorter sorts for any operator that needs its input in order; it gives the result the first shown columns of those that are kept.
func newSorter(q *Execution, operator int, list *columnList, keys []plan.SortKey) *sortRows {
	s := &sortRows{query: q, operator: operator, keys: list.keys(keys), memory: q.account(operator), top: -1, runRows: rowsOfRun(keys)}
	s.program = expr.Compile(list.computed...)
	return s
}

// rowsOfRun gives the number of rows of a run for the types of the keys.
func rowsOfRun(keys []plan.SortKey) int {
	for _, k := range keys {
		if k.Expr.Type.IsNested() || k.Expr.Type.Storage() == types.StorageView {
			return textRunRows
		}
	}
	return runRows
}

func (s *sortRows) number() int { return s.operator }

func (s *sortRows) newState(w *worker) (sinkState, error) { return s.newSortState(w), nil }

func (s *sortRows) newSortState(w *worker) *sortState {
	return &sortState{sort: s, worker: w, evaluator: expr.NewEvaluator(s.program, w.pool)}
}

// keysOf gives the sort keys among the kept columns.
func (s *sortRows) keysOf(columns []*types.Vector) []kernels.SortKey {
	keys := make([]kernels.SortKey, len(s.keys))
	for i, k := range s.keys {
		keys[i] = kernels.SortKey{Vector: columns[k.column], Descending: k.descending, NullsFirst: k.nullsFirst}
	}
	return keys
}

// sortState is the rows of one worker.
type sortState struct {
	sort      *sortRows
	worker    *worker
	evaluator *expr.Evaluator
	batches   []sortBatch
	rows      int
	bound     *types.Vector // top-N: the first key of the last row that is still wanted, as a constant; nil while there are too few rows
	runs      []*sortRun
}

// sortBatch is kept rows with all columns that are kept.
type sortBatch struct {
	kept
	place []types.Sequence // nil: all rows have the batch's sequence
}

func (s *sortState) push(b *types.Batch) error {
	columns, err := s.evaluator.Eval(slices.Clone(b.Columns), b)
	if err != nil {
		return err
	}
	return s.add(b.WithColumns(columns))
}

// add takes rows with all columns that are kept.
func (s *sortState) add(b *types.Batch) error {
	var err error
	if s.bound != nil {
		if b, err = s.withinBound(b); err != nil || b.Selected == 0 {
			return err
		}
	}
	k, err := s.worker.store(b, s.sort.memory)
	if err != nil {
		return err
	}
	s.batches = append(s.batches, sortBatch{kept: k})
	s.rows += k.batch.Rows
	switch top := s.sort.top; {
	case top >= 0 && top <= maxTop:
		if s.rows > max(pruneRows, pruneFactor*int(top)) {
			return s.prune(int(top))
		}
	case s.rows >= s.sort.runRows:
		return s.cutRun()
	}
	return nil
}

// withinBound selects the rows that can still be among the best, looking at the first key only. The rows kept so far come from batches before, so with one
// key a tie loses.
func (s *sortState) withinBound(b *types.Batch) (*types.Batch, error) {
	env := &kernels.Env{Pool: s.worker.pool, Active: b.Selection}
	key := s.sort.keysOf(b.Columns)[0]
	single := len(s.sort.keys) == 1
	var pass types.Bitmap
	if _, _, valid := s.bound.Locate(0); !valid {
		switch {
		case !key.NullsFirst && single:
			pass = kernels.TrueRows(env, kernels.IsNotNull(env, key.Vector))
		case key.NullsFirst && single:
			return b.Select(env.Pool.ZeroBitmap(b.Rows)), nil
		case key.NullsFirst:
			pass = kernels.TrueRows(env, kernels.IsNull(env, key.Vector))
		}
	} else {
		op := kernels.LessEqual
		if single {
			op = kernels.Less
		}
		if key.Descending {
			op = op.Swap()
		}
		passing, err := kernels.Compare(env, op, key.Vector, types.NewConstant(s.bound, b.Rows))
		if err != nil {
			return nil, err
		}
		if key.NullsFirst && key.Vector.MayHaveNulls() {
			if passing, err = kernels.Or(env, passing, kernels.IsNull(env, key.Vector)); err != nil {
				return nil, err
			}
		}
		pass = kernels.TrueRows(env, passing)
	}
	return b.Select(types.AndBitmaps(env.Pool, pass, b.Selection, b.Rows)), nil
}

// prune keeps the first rows in order, in their source order.
func (s *sortState) prune(top int) error {
	if top == 0 {
		s.drop()
		return nil
	}
	run, err := s.makeRun()
	if err != nil {
		return err
	}
	best := run.order[:min(top, len(run.order))]
	if keys := s.sort.keysOf(run.columns); len(best) == top && len(keys) > 0 && boundable(keys[0].Vector.Type()) {
		last := kernels.Take(nil, keys[0].Vector, best[top-1:], nil)
		s.bound = types.NewConstant(kernels.Decode(nil, last), 1)
	}
	slices.Sort(best)
	rows := types.NewBatch(make([]*types.Vector, len(run.columns)), len(best), 0)
	for i, v := range run.columns {
		// Without text of their own the rows would hold on to the strings of all rows that were ever here.
		rows.Columns[i] = ownText(&kernels.Env{}, kernels.Take(nil, v, best, nil))
	}
	place := make([]types.Sequence, len(best))
	for i, row := range best {
		place[i] = run.place[row]
	}
	k := kept{batch: rows, size: columnsSize(rows.Columns)}
	if err := s.sort.memory.Grow(k.size); err != nil {
		return err
	}
	s.sort.memory.Shrink(run.size)
	s.batches, s.rows = []sortBatch{{kept: k, place: place}}, len(best)
	return nil
}

// boundable reports types whose comparison agrees with their sort order for all values.
func boundable(t types.Type) bool { return !t.IsNested() && t.Kind() != types.KindNull }

// drop forgets the rows that are kept.
func (s *sortState) drop() {
	for _, b := range s.batches {
		s.sort.memory.Shrink(b.size)
	}
	s.batches, s.rows = nil, 0
}

// rowBytes is what a row of a run needs beside its columns: its number in the order and its place. keyBytes is what the merge needs per row and key.
const (
	rowBytes = 4 + 8
	keyBytes = 17
)

// makeRun sorts the kept rows, which are then the run's.
func (s *sortState) makeRun() (*sortRun, error) {
	run := &sortRun{size: int64(s.rows) * rowBytes}
	for _, b := range s.batches {
		run.size += b.size
	}
	if err := s.sort.memory.Grow(run.size); err != nil {
		return nil, err
	}
	parts := make([]*types.Vector, len(s.batches))
	for i := range s.batches[0].batch.Columns {
		for j, b := range s.batches {
			parts[j] = b.batch.Columns[i]
		}
		run.columns = append(run.columns, kernels.Concat(nil, parts))
	}
	run.place = make([]types.Sequence, 0, s.rows)
	for _, b := range s.batches {
		if b.place != nil {
			run.place = append(run.place, b.place...)
			continue
		}
		for range b.batch.Rows {
			run.place = append(run.place, b.batch.Sequence)
		}
	}
	mark := s.worker.pool.Mark()
	run.order = slices.Clone(kernels.SortIndices(&kernels.Env{Pool: s.worker.pool}, s.sort.keysOf(run.columns), s.rows))
	s.worker.pool.Release(mark)
	s.drop()
	return run, nil
}

// cutRun makes the kept rows a run.
func (s *sortState) cutRun() error {
	run, err := s.makeRun()
	if err != nil {
		return err
	}
	if top := s.sort.top; top >= 0 && top < int64(len(run.order)) {
		run.order = run.order[:top]
	}
	s.runs = append(s.runs, run)
	return nil
}

func (s *sortState) morselDone(int) error { return nil }

func (s *sortState) combine() error {
	if s.rows > 0 {
		if err := s.cutRun(); err != nil {
			return err
		}
	}
	s.sort.lock.Lock()
	defer s.sort.lock.Unlock()
	s.sort.runs = append(s.sort.runs, s.runs...)
	return nil
}

// finish merges the runs.
func (s *sortRows) finish(ctx context.Context) error {
	if len(s.runs) == 0 {
		return nil
	}
	rows := 0
	for _, run := range s.runs {
		run.base = rows
		rows += len(run.place)
	}
	if int64(rows) > math.MaxUint32 {
		return types.Errorf(types.CodeProgramLimit, "sorting %d rows at once is more than the limit of %d", rows, uint32(math.MaxUint32))
	}
	var err error
	if s.order, err = s.merge(ctx); err != nil {
		return err
	}
	if s.columns, err = s.concatRuns(ctx); err != nil {
		return err
	}
	s.runs = nil
	if s.top >= 0 {
		s.order = s.order[:min(int64(len(s.order)), s.top)]
	}
	s.order = s.order[min(int64(len(s.order)), s.offset):]
	return nil
}

// concatRuns gives the operator's columns with the rows of all runs.
func (s *sortRows) concatRuns(ctx context.Context) ([]*types.Vector, error) {
	if len(s.runs) == 1 {
		return s.runs[0].columns[:s.shown], nil
	}
	size := int64(0)
	for _, run := range s.runs {
		size += run.size
	}
	if err := s.memory.Grow(size); err != nil {
		return nil, err
	}
	columns := make([]*types.Vector, s.shown)
	err := s.query.parallel(ctx, s.number(), s.shown, func(_ *worker, i int) error {
		parts := make([]*types.Vector, len(s.runs))
		for j, run := range s.runs {
			parts[j] = run.columns[i]
		}
		columns[i] = kernels.Concat(nil, parts)
		return nil
	})
	s.memory.Shrink(size) // of the runs
	return columns, err
}

// maxTextBuffers is the number of data buffers from which the strings of a batch of the result are copied: every batch would list all of them,
// and keep all of them alive, for a few rows.
const maxTextBuffers = 16

// open reads the sorted rows.
func (s *sortRows) open(context.Context) (source, error) {
	return &rangeSource{total: len(s.order), size: s.query.options.BatchRows, make: func(pool *types.Pool, from, to int) (*types.Batch, error) {
		return types.NewBatch(s.rows(&kernels.Env{Pool: pool}, len(s.columns), from, to), to-from, 0), nil
	}}, nil
}

// rows gathers the first columns of rows from to to in order.
func (s *sortRows) rows(env *kernels.Env, columns, from, to int) []*types.Vector {
	out := make([]*types.Vector, columns)
	for i, v := range s.columns[:columns] {
		out[i] = kernels.Take(env, v, s.order[from:to], nil)
		if len(v.DataBuffers()) > maxTextBuffers {
			out[i] = ownText(env, out[i])
		}
	}
	return out
}
