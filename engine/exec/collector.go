package exec

import (
	"context"
	"sync"

	"github.com/lacunadb/lacuna/types"
)

// Bounds of what a collector holds.
const (
	// morselsAhead is how far, per worker, a morsel may start ahead of the oldest unfinished one.
	morselsAhead = 4
	// batchesAhead is how many batches, per worker, wait for the caller before workers wait.
	batchesAhead = 16
)

// collector is the sink of the last stage: it gives batches to the caller in source order while workers produce them. Workers wait when the
// caller does not keep up; the caller's reading is what moves the window of morsels.
type collector struct {
	query         *Execution
	operator      int
	memory        *account
	limits        bool  // the operator is a limit, whose rows are counted here; those of others were before
	offset, count int64 // rows still to skip and to give; count < 0: all

	lock     sync.Mutex
	changed  *sync.Cond
	queues   map[int]*morselQueue // by morsel
	head     int                  // the morsel that the caller reads
	buffered int                  // batches in all queues
	full     bool                 // no more rows are wanted
	ended    bool                 // no worker runs any more
	closed   bool                 // what is buffered belongs to nobody any more
	failure  failure              // of a worker; the rows before it are given first
	err      error                // with which the query ended
}

type morselQueue struct {
	batches []kept
	done    bool
}

// failure is the first morsel in order that ended in an error.
type failure struct {
	morsel int
	err    error
}

func (f *failure) note(morsel int, err error) {
	if f.err == nil || morsel < f.morsel {
		*f = failure{morsel, err}
	}
}

// before reports whether the failure comes before a morsel, or in its place, so that nobody asks for it.
func (f *failure) before(morsel int) bool { return f.err != nil && f.morsel <= morsel }

func newCollector(q *Execution, operator int, offset, count int64) *collector {
	c := &collector{query: q, operator: operator, memory: q.account(operator), offset: offset, count: count, queues: map[int]*morselQueue{}, full: count == 0}
	c.changed = sync.NewCond(&c.lock)
	return c
}

func (c *collector) number() int { return c.operator }

func (c *collector) newState(w *worker) (sinkState, error) {
	return &collectorState{collector: c, worker: w}, nil
}

// enter holds back a morsel that is too far ahead.
func (c *collector) enter(ctx context.Context, morsel int) (bool, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	more, err := c.await(ctx, func() bool { return c.failure.before(morsel) || morsel < c.head+morselsAhead*c.query.options.Threads })
	if err == nil && !more {
		err = stop{}
	}
	return more && !c.failure.before(morsel), err
}

// fail notes the error of a morsel.
func (c *collector) fail(morsel int, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.failure.note(morsel, err)
	c.changed.Broadcast()
}

// finish gives the error of the first morsel that failed. The caller meets it after the rows before it.
func (c *collector) finish(context.Context) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failure.err
}

// await waits under the lock until ready, or no more rows are wanted (then false), or the context ends.
func (c *collector) await(ctx context.Context, ready func() bool) (bool, error) {
	if c.full || ready() {
		return !c.full, nil
	}
	wake := context.AfterFunc(ctx, func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.changed.Broadcast()
	})
	defer wake()
	for !c.full && !ready() {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		c.changed.Wait()
	}
	return !c.full, nil
}

func (c *collector) queue(morsel int) *morselQueue {
	q := c.queues[morsel]
	if q == nil {
		q = &morselQueue{}
		c.queues[morsel] = q
	}
	return q
}

// end tells the caller that nothing more comes.
func (c *collector) end(err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.ended = true
	if !c.full { // an error of the workers after the last wanted row is none of the caller's
		c.err = err
	}
	c.changed.Broadcast()
}

// close drops what has not been taken; take then fails.
func (c *collector) close() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.closed, c.queues = true, nil
	c.changed.Broadcast()
}

// take gives the caller the next batch. It gives nil or an error only when no worker runs any more.
func (c *collector) take() (*types.Batch, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for {
		if c.closed {
			return nil, errClosed
		}
		if c.full {
			if c.ended {
				return nil, nil
			}
			c.changed.Wait()
			continue
		}
		q := c.queue(c.head)
		switch {
		case c.ended && c.err != nil && c.failure.err == nil:
			return nil, c.err
		case len(q.batches) > 0:
			k := q.batches[0]
			q.batches[0] = kept{}
			q.batches = q.batches[1:]
			c.buffered--
			c.changed.Broadcast()
			c.memory.Shrink(k.size)
			if b := c.limited(k.batch); b != nil {
				if c.limits {
					c.query.addRows(c.operator, b.Rows)
				}
				return b, nil
			}
		case q.done:
			delete(c.queues, c.head)
			c.head++
			c.changed.Broadcast()
		case c.ended:
			return nil, c.err
		default:
			c.changed.Wait()
		}
	}
}

// limited applies OFFSET and LIMIT to the next batch in order; nil when no row of it is left.
func (c *collector) limited(b *types.Batch) *types.Batch {
	if c.offset >= int64(b.Rows) {
		c.offset -= int64(b.Rows)
		return nil
	}
	from, to := int(c.offset), b.Rows
	c.offset = 0
	if c.count >= 0 && int64(to-from) >= c.count {
		to = from + int(c.count)
		c.full = true
		c.changed.Broadcast()
		c.query.wanted(stop{})
	}
	if c.count >= 0 {
		c.count -= int64(to - from)
	}
	return sliceBatch(b, from, to)
}

// sliceBatch cuts rows out of a batch without a selection, in heap memory.
func sliceBatch(b *types.Batch, from, to int) *types.Batch {
	if from == 0 && to == b.Rows {
		return b
	}
	columns := make([]*types.Vector, len(b.Columns))
	for i, v := range b.Columns {
		columns[i] = v.Slice(nil, from, to)
	}
	return types.NewBatch(columns, to-from, b.Sequence)
}

type collectorState struct {
	collector *collector
	worker    *worker
}

func (s *collectorState) push(b *types.Batch) error {
	c := s.collector
	k, err := s.worker.keep(b, c.memory)
	if err != nil {
		return err
	}
	morsel := b.Sequence.Morsel()
	return s.worker.waiting(func() error {
		c.lock.Lock()
		defer c.lock.Unlock()
		if c.failure.before(morsel) {
			return c.failure.err
		}
		q := c.queue(morsel)
		// The worker at the head may always put one batch: the caller waits for it.
		more, err := c.await(s.worker.ctx, func() bool {
			return c.failure.before(morsel) || c.buffered < batchesAhead*c.query.options.Threads || morsel == c.head && len(q.batches) == 0
		})
		if err != nil {
			return err
		}
		if !more {
			return stop{}
		}
		q.batches = append(q.batches, k)
		c.buffered++
		c.changed.Broadcast()
		return nil
	})
}

func (s *collectorState) morselDone(morsel int) error {
	c := s.collector
	c.lock.Lock()
	defer c.lock.Unlock()
	c.queue(morsel).done = true
	c.changed.Broadcast()
	return nil
}

func (s *collectorState) combine() error { return nil }

// wanted ends the query's work without an error: the result is complete.
func (q *Execution) wanted(cause error) { q.cancel(cause) }
