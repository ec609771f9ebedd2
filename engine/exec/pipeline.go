package exec

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// source is where a fragment's rows come from. catalog.Scan is one; the result of a finished sink is another.
type source interface {
	// Next claims the next morsel in order, nil after the last. Called by one worker at a time.
	Next(ctx context.Context) (catalog.Morsel, error)
	// Close is called once, when no worker uses the source or its morsels any more.
	Close() error
}

// operator is a streaming operator: it changes batches on their way.
type operator interface {
	// newState makes what one worker needs.
	newState(w *worker) operatorState
	// number is the operator's in the plan.
	number() int
}

// operatorState is an operator in the hands of one worker.
type operatorState interface {
	// push takes a batch, which is valid until push returns, and gives what becomes of it to next, any number of times.
	push(batch *types.Batch, next func(*types.Batch) error) error
}

// sink takes all rows of a stage.
type sink interface {
	// newState makes what one worker needs. Called by each worker before its first batch.
	newState(w *worker) (sinkState, error)
	// finish is called once, after every worker's combine, unless the stage failed.
	finish(ctx context.Context) error
	number() int
}

// sinkState is a sink in the hands of one worker.
type sinkState interface {
	// push takes a batch, which is valid until push returns.
	push(batch *types.Batch) error
	// morselDone says that all batches of a morsel have been pushed.
	morselDone(morsel int) error
	// combine gives the state to the sink; called once per worker, by one worker at a time, unless the stage failed.
	combine() error
}

// gate, implemented by sinks that keep order, holds back morsels that are too far ahead of the oldest unfinished one.
type gate interface {
	// enter returns when morsel may start; false when the sink wants no more rows.
	enter(ctx context.Context, morsel int) (bool, error)
}

// fragment is a source with streaming operators.
type fragment struct {
	open      func(ctx context.Context) (source, error)
	scan      int // number of the source's operator in the plan
	operators []operator
}

// stage is fragments that feed a sink, one after another.
type stage struct {
	fragments []fragment
	sink      sink
}

// worker is one goroutine of a stage.
type worker struct {
	query   *Execution
	ctx     context.Context
	pool    *types.Pool
	metrics []plan.Metrics
	holding bool // a scheduler token

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
	err := f()
	if held && err == nil {
		err = w.acquire()
	}
	return err
}

// stop is the cause with which a stage's context is cancelled when its sink wants no more rows; it is not an error.
type stop struct{}

func (stop) Error() string { return "no more rows are wanted" }

// run runs a stage to its end with the query's number of workers.
func (s *stage) run(ctx context.Context, q *Execution) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	claims := &claims{fragments: s.fragments, cancel: cancel}
	defer claims.close()

	threads := q.options.Threads
	var (
		wait     sync.WaitGroup
		combine  sync.Mutex
		failures = make([]error, threads)
	)
	for i := range threads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			w := &worker{query: q, ctx: ctx, pool: types.NewPool(), metrics: make([]plan.Metrics, q.plan.Operators), running: -1}
			defer q.addMetrics(w.metrics)
			defer w.release()
			defer func() {
				if r := recover(); r != nil {
					failures[i] = panicError(r)
					cancel(failures[i])
				}
			}()
			if err := s.work(w, claims, &combine); err != nil {
				failures[i] = err
				cancel(err)
			}
		}()
	}
	wait.Wait()
	if err := firstFailure(ctx, failures); err != nil {
		return err
	}
	return s.sink.finish(ctx)
}

// panicError turns a panic, which is a bug, into an error of this query alone.
func panicError(r any) error {
	return types.Errorf(types.CodeInternal, "internal error: %v", r).WithCause(fmt.Errorf("%v\n%s", r, debug.Stack()))
}

// firstFailure gives the error that ended a stage: the one that cancelled the context, since those after it are its echo.
func firstFailure(ctx context.Context, failures []error) error {
	cause := context.Cause(ctx)
	if _, wanted := cause.(stop); wanted {
		return nil
	}
	if cause != nil {
		return cause
	}
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// claims hands out the morsels of a stage's fragments in order and numbers them.
type claims struct {
	lock      sync.Mutex
	fragments []fragment
	at        int // fragment
	source    source
	next      int // number of the next morsel
	cancel    context.CancelCauseFunc
	opened    []source
}

// claim gives a morsel, its number and its fragment; a nil morsel after the last.
func (c *claims) claim(ctx context.Context) (m catalog.Morsel, number, at int, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for c.at < len(c.fragments) {
		if c.source == nil {
			if c.source, err = c.fragments[c.at].open(ctx); err != nil {
				return nil, 0, 0, err
			}
			c.opened = append(c.opened, c.source)
		}
		if m, err = c.source.Next(ctx); err != nil {
			return nil, 0, 0, err
		}
		if m != nil {
			number, c.next = c.next, c.next+1
			return m, number, c.at, nil
		}
		c.at, c.source = c.at+1, nil
	}
	return nil, 0, 0, nil
}

// number gives the number that the next morsel will have.
func (c *claims) number() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.next
}

func (c *claims) close() {
	for _, s := range c.opened {
		s.Close()
	}
}

// work is the life of one worker in a stage.
func (s *stage) work(w *worker, claims *claims, combine *sync.Mutex) error {
	state, err := s.sink.newState(w)
	if err != nil {
		return err
	}
	ordered, _ := s.sink.(gate)
	chains := make([]func(*types.Batch) error, len(s.fragments))
	for {
		if ordered != nil {
			more, err := ordered.enter(w.ctx, claims.number())
			if err != nil {
				return err
			}
			if !more {
				claims.cancel(stop{})
				return nil
			}
		}
		if err := w.acquire(); err != nil {
			return err
		}
		m, number, at, err := claims.claim(w.ctx)
		if err != nil {
			return err
		}
		if m == nil {
			break
		}
		if chains[at] == nil {
			chains[at] = s.chain(w, s.fragments[at].operators, state)
		}
		if err := s.drain(w, m, number, s.fragments[at].scan, chains[at]); err != nil {
			return err
		}
		if err := state.morselDone(number); err != nil {
			return err
		}
		w.release()
	}
	combine.Lock()
	defer combine.Unlock()
	return state.combine()
}

// chain links a worker's operator states in front of its sink state.
func (s *stage) chain(w *worker, operators []operator, state sinkState) func(*types.Batch) error {
	next := w.observed(s.sink.number(), state.push)
	for i := len(operators) - 1; i >= 0; i-- {
		op, above := operators[i].newState(w), next
		number := operators[i].number()
		counted := func(b *types.Batch) error {
			w.metrics[number].Rows += int64(b.Selected)
			w.metrics[number].Batches++
			return above(b)
		}
		next = w.observed(number, func(b *types.Batch) error { return op.push(b, counted) })
	}
	return next
}

// observed puts the measuring of time, when the query is analysed, and the tests' faults around an operator.
func (w *worker) observed(number int, push func(*types.Batch) error) func(*types.Batch) error {
	if fault := w.query.options.fault; fault != nil {
		inner := push
		push = func(b *types.Batch) error {
			if err := fault(number); err != nil {
				return err
			}
			return inner(b)
		}
	}
	if !w.query.options.Analyze {
		return push
	}
	return func(b *types.Batch) error {
		end := w.measure(number)
		defer end()
		return push(b)
	}
}

// drain pushes all batches of a morsel.
func (s *stage) drain(w *worker, m catalog.Morsel, number, scan int, push func(*types.Batch) error) error {
	for i := 0; ; i++ {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		mark := w.pool.Mark()
		end := func() {}
		if w.query.options.Analyze {
			end = w.measure(scan)
		}
		batch, err := m.Next(w.ctx, w.pool)
		end()
		if err != nil {
			return err
		}
		if batch == nil {
			w.pool.Release(mark)
			return nil
		}
		w.metrics[scan].Rows += int64(batch.Selected)
		w.metrics[scan].Batches++
		batch.Sequence = types.MakeSequence(number, i)
		if batch.Selected > 0 {
			if err := push(batch); err != nil {
				return err
			}
		}
		w.pool.Release(mark)
	}
}
