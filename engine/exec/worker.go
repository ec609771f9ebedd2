package exec

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// workers runs work in n goroutines and waits until all have ended. The first error or panic cancels the context of the others and is the result; stop is
// none.
func (q *Execution) workers(ctx context.Context, n int, work func(w *worker) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			w := &worker{query: q, ctx: ctx, pool: types.NewPool(), metrics: make([]plan.Metrics, q.plan.Operators), running: -1}
			defer w.end()
			defer func() {
				if r := recover(); r != nil {
					cancel(panicError(r))
				}
			}()
			if err := work(w); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	// What came after the first error is its echo.
	err := context.Cause(ctx)
	if _, wanted := err.(stop); wanted {
		return nil
	}
	return err
}

// stop ends work that nobody wants any more: a sink has all rows that it needs. It is not an error.
type stop struct{}

func (stop) Error() string { return "no more rows are wanted" }

// panicError turns a panic, which is a bug, into an error of this query alone.
func panicError(r any) error {
	return types.Errorf(types.CodeInternal, "internal error: %v", r).WithCause(fmt.Errorf("%v\n%s", r, debug.Stack()))
}

// parallel runs task for the numbers from 0 to n-1 on the query's workers and charges the time to an operator.
func (q *Execution) parallel(ctx context.Context, operator, n int, task func(w *worker, i int) error) error {
	var next atomic.Int64
	return q.workers(ctx, min(n, q.options.Threads), func(w *worker) error {
		for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
			if err := w.acquire(); err != nil {
				return err
			}
			end := w.measure(operator)
			if err := task(w, i); err != nil {
				return err
			}
			end()
			w.release()
		}
		return nil
	})
}

// worker is one goroutine with what belongs to it alone.
type worker struct {
	query   *Execution
	ctx     context.Context
	pool    *types.Pool
	charged int64 // bytes of the pool that are reserved
	metrics []plan.Metrics
	holding bool            // a scheduler token
	pushed  int             // batches of the present morsel that have come to the sink
	entries []*types.Vector // of the last kept batch's dictionaries, by column

	running int       // operator whose time is being measured; -1 for none
	since   time.Time // since when
}

// measure charges the time from here on to an operator, until the function that it gives is called; then to the one before.
func (w *worker) measure(number int) (end func()) {
	before := w.running
	w.charge(number)
	return func() { w.charge(before) }
}

// charge closes the running operator's time and starts another's.
func (w *worker) charge(number int) {
	now := time.Now()
	if w.running >= 0 {
		w.metrics[w.running].Time += now.Sub(w.since)
	}
	w.running, w.since = number, now
}

// acquire takes a token.
func (w *worker) acquire() error {
	if err := w.query.options.Scheduler.acquire(w.ctx); err != nil {
		return err
	}
	w.holding = true
	return nil
}

// end gives back what the worker holds.
func (w *worker) end() {
	w.release()
	_ = w.query.reservation.Grow(-w.charged)
	w.query.addMetrics(w.metrics)
}

// chargePool reserves what the pool has grown by since the last time, or gives back what it has shrunk by.
func (w *worker) chargePool() error {
	held := int64(w.pool.Held())
	if err := w.query.reservation.Grow(held - w.charged); err != nil {
		return err
	}
	w.charged = held
	return nil
}

// release gives the token back, if the worker holds it.
func (w *worker) release() {
	if w.holding {
		w.holding = false
		w.query.options.Scheduler.release()
	}
}

// waiting runs f, which may block for long, without the worker's token.
func (w *worker) waiting(f func() error) error {
	held := w.holding
	w.release()
	if w.query.options.Analyze {
		defer w.measure(-1)() // waiting is no operator's time
	}
	err := f()
	if held && err == nil {
		err = w.acquire()
	}
	return err
}
