package exec

import (
	"context"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// rowStore is a sink that keeps all rows in source order, for any number of readers.
type rowStore struct {
	query    *Execution
	operator int
	memory   *account
	// seen, when not nil, holds the rows that were there before: only new ones are kept, which are then in no order.
	seen    *groupTable
	readers int // MaterializedScans that were compiled

	lock sync.Mutex // of seen and rows while workers run
	rows []kept     // the result, after finish
}

func newRowStore(q *Execution, operator int, seen *groupTable) *rowStore {
	return &rowStore{query: q, operator: operator, memory: q.account(operator), seen: seen}
}

func (r *rowStore) number() int { return r.operator }

func (r *rowStore) newState(w *worker) (sinkState, error) {
	return &rowStoreState{store: r, worker: w}, nil
}

func (r *rowStore) finish(context.Context) error {
	slices.SortFunc(r.rows, func(a, b kept) int { return compareSequences(a.batch, b.batch) })
	return nil
}

// free gives the memory of the rows back. Batches that readers still hold stay valid.
func (r *rowStore) free() {
	for _, k := range r.rows {
		r.memory.Shrink(k.size)
	}
	r.rows = nil
}

type rowStoreState struct {
	store  *rowStore
	worker *worker
	rows   []kept
}

func (s *rowStoreState) push(b *types.Batch) error {
	if s.store.seen != nil {
		var err error
		if b, err = s.store.newRows(s.worker, b); err != nil || b.Selected == 0 {
			return err
		}
	}
	k, err := s.worker.store(b, s.store.memory)
	if err != nil {
		return err
	}
	s.rows = append(s.rows, k)
	return nil
}

// newRows selects the rows of a batch that have not been seen, each once, and notes them as seen.
func (r *rowStore) newRows(w *worker, b *types.Batch) (*types.Batch, error) {
	env := &kernels.Env{Pool: w.pool, Active: b.Selection}
	columns := decodeAll(env, b.Columns)
	groups := types.Alloc[uint32](w.pool, b.Rows)
	r.lock.Lock()
	defer r.lock.Unlock()
	next := uint32(r.seen.rows())
	if err := r.seen.find(env, columns, b.Rows, b.Selection, groups); err != nil {
		return nil, err
	}
	// New rows have got numbers in their order.
	fresh := w.pool.ZeroBitmap(b.Rows)
	for i := b.Selection.NextSet(0, b.Rows); i < b.Rows; i = b.Selection.NextSet(i+1, b.Rows) {
		if groups[i] == next {
			fresh.Set(i)
			next++
		}
	}
	return b.Select(fresh), nil
}

func (s *rowStoreState) morselDone(int) error { return nil }

func (s *rowStoreState) combine() error {
	s.store.lock.Lock()
	defer s.store.lock.Unlock()
	s.store.rows = append(s.store.rows, s.rows...)
	return nil
}

// materialize makes the stage that keeps the definition's rows, and the fragments of the body, which read them. A definition that the body does not read
// is not run.
func (q *Execution) materialize(p *plan.MaterializeRows) ([]fragment, error) {
	before := len(q.stages)
	built, err := q.stage(p.Definition, builtStage{sink: newRowStore(q, p.Number, nil)}, false)
	if err != nil {
		return nil, err
	}
	after := len(q.stages)
	rows := built.sink.(*rowStore)
	q.shared[p.ID] = rows
	body, err := q.over(p.Body, concat{operator: p.Number})
	if rows.readers == 0 {
		q.stages = slices.Delete(q.stages, before, after)
	}
	return body, err
}

// openStored reads the columns of stored rows that a scan wants.
func (q *Execution) openStored(p *plan.MaterializedScan) func(context.Context) (source, error) {
	store := q.shared[p.ID]
	store.readers++
	return func(context.Context) (source, error) {
		batches := make([]*types.Batch, len(store.rows))
		for i, k := range store.rows {
			columns := make([]*types.Vector, len(p.Columns))
			for j, c := range p.Columns {
				columns[j] = k.batch.Columns[c]
			}
			batches[i] = types.NewBatch(columns, k.batch.Rows, 0)
		}
		return newBatchSource(batches), nil
	}
}
