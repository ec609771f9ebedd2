package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// write is the sink of a statement that changes a table.
//
// A worker makes a piece of each morsel that has enough rows for one, at once; what is left of morsels is kept and made into pieces at the end, in source
// order. Rows that break a constraint are noted and reported when the place of their piece, and so the number of the first of them, is known. Nothing is
// visible before finish has committed.
//
// The place of a piece is its first batch's. A batch that was cut has parts in several: they keep the order in which its worker made them.
type write struct {
	query  *Execution
	plan   *plan.WriteRows
	memory *account
	writer catalog.Writer
	checks *expr.Program

	lock    sync.Mutex // of what follows, while workers combine
	rest    []kept     // in no order
	pieces  []writtenPiece
	written int64
}

// writtenPiece is rows that were given to the writer, or broke a constraint.
type writtenPiece struct {
	place types.Sequence
	rows  int
	fault *types.Error // its row counts from the start of the piece
}

func newWrite(q *Execution, p *plan.WriteRows) *write {
	s := &write{query: q, plan: p, memory: q.account(p.Number), writer: p.Target.Write()}
	conditions := make([]*expr.Expr, len(p.Checks))
	for i, c := range p.Checks {
		conditions[i] = c.Condition
	}
	s.checks = expr.Compile(conditions...)
	q.closers = append(q.closers, s.writer.Close)
	return s
}

func (s *write) number() int { return s.plan.Number }

func (s *write) newState(w *worker) (sinkState, error) { return &writeState{write: s, worker: w}, nil }

// writeState is the present morsel of one worker.
type writeState struct {
	write   *write
	worker  *worker
	batches []kept
	rows    int
	pieces  []writtenPiece
	rest    []kept
}

func (s *writeState) push(b *types.Batch) error {
	k, err := s.worker.store(b, s.write.memory)
	if err != nil {
		return err
	}
	for from := 0; from < k.batch.Rows; {
		// A piece is at most so long; batches may be longer.
		to := min(k.batch.Rows, from+catalog.MaxPiece-s.rows)
		part := kept{batch: sliceBatch(k.batch, from, to)}
		if to == k.batch.Rows {
			part.size = k.size
		}
		s.batches = append(s.batches, part)
		s.rows += to - from
		from = to
		if s.rows == catalog.MaxPiece {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush makes a piece of the morsel's rows so far.
func (s *writeState) flush() error {
	piece, err := s.write.addPiece(s.batches)
	s.pieces = append(s.pieces, piece)
	s.batches, s.rows = nil, 0
	return err
}

func (s *writeState) morselDone(int) error {
	if s.rows >= catalog.MaxPiece/2 {
		return s.flush()
	}
	s.rest = append(s.rest, s.batches...)
	s.batches, s.rows = nil, 0
	return nil
}

func (s *writeState) combine() error {
	t := s.write
	t.lock.Lock()
	defer t.lock.Unlock()
	t.rest, t.pieces = append(t.rest, s.rest...), append(t.pieces, s.pieces...)
	return nil
}

// addPiece writes batches, which follow each other, and gives back what keeping them took.
func (s *write) addPiece(batches []kept) (writtenPiece, error) {
	p := writtenPiece{place: batches[0].batch.Sequence}
	env := &kernels.Env{}
	columns := make([]*types.Vector, len(batches[0].batch.Columns))
	for c := range columns {
		vectors := make([]*types.Vector, len(batches))
		for i, k := range batches {
			vectors[i] = k.batch.Columns[c]
		}
		columns[c] = kernels.Concat(env, vectors)
	}
	size := int64(0)
	for _, k := range batches {
		p.rows += k.batch.Rows
		size += k.size
	}
	defer s.memory.Shrink(size)
	if s.plan.Removes {
		numbers := kernels.Decode(env, columns[len(columns)-1])
		s.writer.Remove(types.ValuesOf[int64](numbers)[:p.rows])
	}
	if s.plan.Columns == nil {
		return p, nil
	}
	columns = columns[:len(s.plan.Columns)]
	var err error
	if p.fault, err = s.fault(columns, p.rows); p.fault != nil || err != nil {
		return p, err
	}
	return p, s.writer.Add(p.place, columns, p.rows)
}

// fault finds the first row that breaks a constraint.
func (s *write) fault(columns []*types.Vector, rows int) (*types.Error, error) {
	var first *types.Error
	note := func(row int, describe func() *types.Error) {
		if row < rows && (first == nil || int64(row) < first.Row) {
			e := describe()
			first = e.WithRow(e.Path, int64(row))
		}
	}
	for i, f := range s.plan.Columns {
		if f.Nullable || !columns[i].MayHaveNulls() {
			continue
		}
		valid := types.LogicalValidity(nil, columns[i])
		if valid == nil {
			continue
		}
		note(types.AndNotBitmaps(nil, nil, valid, rows).NextSet(0, rows), func() *types.Error {
			return types.KindErrorf(types.ErrNullInRequired, "null value in column %q of relation %q violates not-null constraint", f.Name, s.plan.Name).
				WithRow(f.Name, -1)
		})
	}
	if len(s.plan.Checks) == 0 {
		return first, nil
	}
	evaluator := expr.NewEvaluator(s.checks, nil)
	results, err := evaluator.Eval(nil, types.NewBatch(columns, rows, 0))
	if err != nil {
		return nil, err
	}
	env := &kernels.Env{Rows: rows}
	for i, result := range results {
		broken := kernels.TrueRows(env, kernels.IsFalse(env, result))
		note(broken.NextSet(0, rows), func() *types.Error {
			check := s.plan.Checks[i]
			return types.Errorf(types.CodeCheckViolation, "new row for relation %q violates check constraint %q: %s", s.plan.Name, check.Name, check.Condition)
		})
	}
	return first, nil
}

// finish makes pieces of the rest, in parallel, and commits.
func (s *write) finish(ctx context.Context) error {
	slices.SortStableFunc(s.rest, func(a, b kept) int { return cmp.Compare(a.batch.Sequence, b.batch.Sequence) })
	slices.SortStableFunc(s.pieces, func(a, b writtenPiece) int { return cmp.Compare(a.place, b.place) })
	groups := s.groups()
	s.rest = nil
	made := make([]writtenPiece, len(groups))
	err := s.query.parallel(ctx, s.plan.Number, len(groups), func(_ *worker, i int) error {
		var err error
		made[i], err = s.addPiece(groups[i])
		return err
	})
	if err != nil {
		return err
	}
	s.pieces = append(s.pieces, made...)
	slices.SortStableFunc(s.pieces, func(a, b writtenPiece) int { return cmp.Compare(a.place, b.place) })
	for _, p := range s.pieces {
		if p.fault != nil {
			return p.fault.WithRow(p.fault.Path, s.written+p.fault.Row)
		}
		s.written += int64(p.rows)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return s.writer.Commit()
}

// groups cuts the rest into runs of batches that no piece lies between and that fit into one.
func (s *write) groups() [][]kept {
	var groups [][]kept
	at, rows := 0, 0 // of the pieces; of the last group
	for _, k := range s.rest {
		between := false
		for at < len(s.pieces) && s.pieces[at].place <= k.batch.Sequence {
			at, between = at+1, true
		}
		if n := len(groups); n > 0 && !between && rows+k.batch.Rows <= catalog.MaxPiece {
			groups[n-1] = append(groups[n-1], k)
			rows += k.batch.Rows
			continue
		}
		groups, rows = append(groups, []kept{k}), k.batch.Rows
	}
	return groups
}

// open gives the number of rows written.
func (s *write) open(context.Context) (source, error) {
	count := types.NewFixed(types.BigInt, []int64{s.written}, nil)
	return newBatchSource([]*types.Batch{types.NewBatch([]*types.Vector{count}, 1, 0)}), nil
}
