package exec

import (
	"context"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
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
	offset, count int64 // rows still to skip and to give; count < 0: all

	lock     sync.Mutex
	changed  *sync.Cond
	queues   map[int]*morselQueue // by morsel
	head     int                  // the morsel that the caller reads
	buffered int                  // batches in all queues
	full     bool                 // no more rows are wanted
	ended    bool
	err      error
}

type morselQueue struct {
	batches []*types.Batch
	done    bool
}

func newCollector(q *Execution, operator int, offset, count int64) *collector {
	c := &collector{query: q, operator: operator, offset: offset, count: count, queues: map[int]*morselQueue{}, full: count == 0}
	c.changed = sync.NewCond(&c.lock)
	return c
}

func (c *collector) number() int { return c.operator }

func (c *collector) newState(w *worker) (sinkState, error) {
	return &collectorState{collector: c, worker: w}, nil
}

func (c *collector) finish(context.Context) error { return nil }

// enter holds back a morsel that is too far ahead.
func (c *collector) enter(ctx context.Context, morsel int) (bool, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.await(ctx, func() bool { return morsel < c.head+morselsAhead*c.query.options.Threads })
}

// await waits under the lock until ready, or no more rows are wanted (then false), or the context ends.
func (c *collector) await(ctx context.Context, ready func() bool) (bool, error) {
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
	if c.err == nil {
		c.err = err
	}
	c.changed.Broadcast()
}

// take gives the caller the next batch.
func (c *collector) take() (*types.Batch, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for {
		if c.full {
			// The workers stop by themselves; an error of theirs after the last wanted row is none of the caller's.
			return nil, nil
		}
		q := c.queue(c.head)
		switch {
		case c.ended && c.err != nil:
			return nil, c.err
		case len(q.batches) > 0:
			b := q.batches[0]
			q.batches[0] = nil
			q.batches = q.batches[1:]
			c.buffered--
			c.changed.Broadcast()
			size := columnsSize(b.Columns)
			c.query.release(size)
			if b = c.limited(b); b != nil {
				return b, nil
			}
		case q.done:
			delete(c.queues, c.head)
			c.head++
			c.changed.Broadcast()
		case c.ended:
			return nil, nil
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
	b, err := s.worker.keep(b)
	if err != nil {
		return err
	}
	morsel := b.Sequence.Morsel()
	return s.worker.waiting(func() error {
		c.lock.Lock()
		defer c.lock.Unlock()
		q := c.queue(morsel)
		// The worker at the head may always put one batch: the caller waits for it.
		more, err := c.await(s.worker.ctx, func() bool {
			return c.buffered < batchesAhead*c.query.options.Threads || morsel == c.head && len(q.batches) == 0
		})
		if err != nil {
			return err
		}
		if !more {
			return stop{}
		}
		q.batches = append(q.batches, b)
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

// compact gives a batch without its selection: the rows that count, in pool memory.
func (w *worker) compact(b *types.Batch) *types.Batch {
	if b.Selection == nil {
		return b
	}
	env := &kernels.Env{Pool: w.pool}
	columns := make([]*types.Vector, len(b.Columns))
	for i, v := range b.Columns {
		columns[i] = kernels.Filter(env, v, b.Selection, b.Selected)
	}
	return types.NewBatch(columns, b.Selected, b.Sequence)
}

// keep gives the rows of a batch that count as one that outlives the push, and charges it to the query.
func (w *worker) keep(b *types.Batch) (*types.Batch, error) {
	b = w.compact(b)
	if err := w.query.reservation.Grow(columnsSize(b.Columns)); err != nil {
		return nil, err
	}
	for _, v := range b.Columns {
		w.pool.Adopt(v)
	}
	return b, nil
}

// release gives back bytes that were charged to the query.
func (q *Execution) release(bytes int64) { _ = q.reservation.Grow(-bytes) }

// wanted ends the query's work without an error: the result is complete.
func (q *Execution) wanted(cause error) { q.cancel(cause) }
