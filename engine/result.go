package engine

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// Result is the rows of a statement, as an Arrow record reader. The query runs ahead of the reader by a few batches only and waits for it.
// It ends, and gives back its memory and tables, when all rows have been read, on an error, when its context is cancelled, and by Close
// or the last Release, whichever is first.
//
// A result is read by one goroutine at a time; only Retain and a Release that is not the last may come from others. To end a Next that waits, cancel
// the query's context.
type Result struct {
	columns types.Schema
	schema  *arrow.Schema
	export  types.ExportOptions
	source  batches

	users    atomic.Int64
	reading  sync.Mutex // held while a batch is fetched and exported, against an end that the context brings; guards what follows
	batch    arrow.RecordBatch
	err      error
	finished bool // no more batches

	statement *statement
	unwatch   func() bool // stops watching the context
	ended     chan struct{}
	ending    sync.Once
}

var _ array.RecordReader = (*Result)(nil)

// batches is where a result's rows come from: an execution, or rows that are known already.
type batches interface {
	// Next gives the next batch, nil after the last. Close, from another goroutine, ends a blocked Next.
	Next() (*types.Batch, error)
	Profile() plan.Profile
	Close() error
}

var _ batches = (*exec.Execution)(nil)

// newResult makes the result of a statement, which it ends when it ends itself.
func newResult(s *statement, columns types.Schema, source batches) *Result {
	export := s.db.options.export()
	r := &Result{
		columns: columns, schema: types.ExportSchema(columns, export), export: export, source: source, statement: s,
		ended: make(chan struct{}),
	}
	r.users.Store(1)
	// A caller who cancels need not come back for the rest.
	made := make(chan struct{})
	defer close(made)
	r.unwatch = context.AfterFunc(s.ctx, func() {
		<-made // end uses unwatch
		r.end()
	})
	return r
}

// Columns gives the SQL names and types of the columns.
func (r *Result) Columns() types.Schema { return r.columns }

// Schema gives the Arrow schema of the batches.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// Next fetches the next batch, which RecordBatch then gives. It reports false after the last one and on an error, see Err.
func (r *Result) Next() bool {
	r.reading.Lock()
	more := r.fetch()
	r.reading.Unlock()
	if !more {
		r.end()
	}
	return more
}

func (r *Result) fetch() (more bool) {
	b := r.pull(func(b *types.Batch) (err error) {
		r.batch, err = types.ExportBatch(kernels.EncodeColumns(&kernels.Env{}, b, r.columns), r.schema, r.export)
		return err
	})
	return b != nil
}

// NextBatch is Next and RecordBatch for Lacuna's own vectors: the next batch, whose memory is the caller's, or nil after the last one and on an error.
// Nothing is converted, and every value can be given, also a HUGEINT of 39 digits, for which Arrow has no type.
func (r *Result) NextBatch() (*types.Batch, error) {
	r.reading.Lock()
	b := r.pull(func(*types.Batch) error { return nil })
	err := r.err
	r.reading.Unlock()
	if b == nil {
		r.end()
		err = r.Err()
	}
	return b, err
}

// pull gives the next batch with rows, once it has been converted.
func (r *Result) pull(convert func(*types.Batch) error) (next *types.Batch) {
	r.dropBatch()
	if r.finished {
		return nil
	}
	defer func() {
		if x := recover(); x != nil {
			next = nil
			r.err = types.Errorf(types.CodeInternal, "internal error: %v", x).WithCause(fmt.Errorf("%v\n%s", x, debug.Stack()))
		}
		r.finished = next == nil
	}()
	for {
		b, err := r.source.Next()
		if err == nil && b == nil {
			if err = r.statement.storeRejects(); err == nil {
				return nil
			}
		}
		if err == nil && b.Rows == 0 {
			continue
		}
		if err == nil {
			err = convert(b)
		}
		if err != nil {
			r.err = r.statement.failure(err)
			return nil
		}
		return b
	}
}

func (r *Result) dropBatch() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// RecordBatch gives the batch that Next fetched. It is the result's until the next call of Next, Close or the last Release; whoever keeps it
// longer Retains it. It stays valid as long as it is retained, also after the database is closed.
func (r *Result) RecordBatch() arrow.RecordBatch { return r.batch }

// Record is RecordBatch, as array.RecordReader wants it.
//
// Deprecated: Use RecordBatch.
func (r *Result) Record() arrow.RecordBatch { return r.batch }

// Err gives the error that ended the result, nil when it was read to its end or closed by its user.
func (r *Result) Err() error {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.err
}

// All gives every batch that is left, and at last the error if there is one: for batch, err := range result.All() { ... }. A batch is valid until the loop
// goes on, unless it is retained. The result is closed when the loop ends, however it ends.
func (r *Result) All() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		defer r.Close()
		for r.Next() {
			if !yield(r.batch, nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Profile says what each operator of the plan did, up to now. Times of operators are measured by EXPLAIN ANALYZE only.
func (r *Result) Profile() plan.Profile { return r.source.Profile() }

// Retain adds a user of the result.
func (r *Result) Retain() { r.users.Add(1) }

// Release ends one use. With the last one the result is closed and its batch released.
func (r *Result) Release() {
	switch n := r.users.Add(-1); {
	case n == 0:
		r.Close()
	case n < 0:
		panic("engine: a result was released too often")
	}
}

// Close ends the query if it still runs and waits until it has given back everything. It may be called more than once.
func (r *Result) Close() error {
	r.end()
	r.reading.Lock()
	defer r.reading.Unlock()
	r.dropBatch()
	return nil
}

// end ends the query, whoever is first to ask, and returns when it has ended.
func (r *Result) end() {
	r.ending.Do(func() {
		defer close(r.ended)
		cause := context.Cause(r.statement.ctx)
		r.unwatch()
		r.source.Close() // ends a Next that waits in another goroutine
		r.reading.Lock()
		if !r.finished && cause != nil {
			r.err = canceled(cause)
		}
		r.finished = true
		r.reading.Unlock()
		r.statement.end()
	})
	<-r.ended
}
