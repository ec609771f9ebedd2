package exec

import (
	"context"
	"errors"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// source is where a fragment's rows come from. catalog.Scan is one; the result of a finished sink is another.
type source interface {
	// Next claims the next morsel in order, nil after the last. Called by one worker at a time.
	Next(ctx context.Context) (catalog.Morsel, error)
	// Close is called once, when no worker uses the source or its morsels any more.
	Close() error
}

// growing is a source whose morsels are made by stages of its own, which it runs while it is read.
type growing interface {
	source
	// grow is called before each Next, and makes what that gives. The caller holds no scheduler token, which the stages' workers take.
	grow(ctx context.Context) error
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
	// finish is called once, after every worker's combine, unless the stage failed. It is called without a scheduler token: what takes
	// long in it runs in Execution.parallel.
	finish(ctx context.Context) error
	number() int
}

// sinkState is a sink in the hands of one worker.
type sinkState interface {
	// push takes a batch, which is valid until push returns.
	push(batch *types.Batch) error
	// morselDone says that all batches of a morsel have been pushed.
	morselDone(morsel int) error
	// combine gives the state to the sink; called once per worker, by several workers at a time, unless the stage failed.
	combine() error
}

// gate is a sink that keeps order. It holds back morsels that are too far ahead of the oldest unfinished one, and lets an error count only when the rows
// before it are not enough: the result is that of one worker that reads no further than it must.
type gate interface {
	sink
	// enter returns when morsel may start; false when an earlier one has failed. The error is stop when no more rows are wanted.
	enter(ctx context.Context, morsel int) (bool, error)
	// fail ends a morsel with an error. The rows pushed before it count; finish gives the error of the first such morsel, if it is reached.
	fail(morsel int, err error)
}

// fragment is a source with streaming operators.
type fragment struct {
	open      func(ctx context.Context) (source, error)
	scan      int // number of the source's operator in the plan
	operators []operator
	after     bool // it starts when all morsels of the fragments before it are finished
}

// stage is fragments that feed a sink, one after another.
type stage struct {
	fragments []fragment
	sink      sink
	serial    bool          // one worker, which sees all rows in source order
	unwanted  []func() bool // the stage is left out, with its sink, when one of them says so
}

// skipWhen leaves the stage out when its turn comes and condition is true: nobody will read what it makes.
func (s *stage) skipWhen(condition func() bool) { s.unwanted = append(s.unwanted, condition) }

// run runs a stage to its end with the query's number of workers.
func (s *stage) run(ctx context.Context, q *Execution) error {
	for _, unwanted := range s.unwanted {
		if unwanted() {
			return nil
		}
	}
	claims := newClaims(s.fragments)
	defer claims.close()
	threads := q.options.Threads
	if s.serial {
		threads = 1
	}
	if err := q.workers(ctx, threads, func(w *worker) error { return s.work(w, claims) }); err != nil {
		return err
	}
	return s.sink.finish(ctx)
}

// claims hands out the morsels of a stage's fragments in order and numbers them.
type claims struct {
	lock      sync.Mutex
	fragments []fragment
	at        int // fragment
	source    source
	next      int // number of the next morsel
	opened    []source
	running   int        // morsels that are claimed and not finished
	finished  *sync.Cond // running has become 0
	err       error      // of the first claim that failed; nothing is asked of a source after it
}

func newClaims(fragments []fragment) *claims {
	c := &claims{fragments: fragments}
	c.finished = sync.NewCond(&c.lock)
	return c
}

// errNotYet says that the next morsel can only be claimed when those before it are finished.
var errNotYet = errors.New("morsels before this one are unfinished")

// claim gives a morsel, its number and its fragment; a nil morsel after the last. An error stands in the place of the next morsel, but for errNotYet. A
// claimed morsel is given back by done. The worker holds a token then. It takes it here, since one that waits for the lock must hold none: a source may
// grow under it.
func (c *claims) claim(w *worker) (m catalog.Morsel, number, at int, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if err := w.acquire(); err != nil {
		return nil, c.next, 0, err
	}
	for c.err == nil && c.at < len(c.fragments) {
		if c.source == nil {
			if c.fragments[c.at].after && c.running > 0 {
				return nil, c.next, 0, errNotYet
			}
			if c.source, c.err = c.fragments[c.at].open(w.ctx); c.err != nil {
				break
			}
			c.opened = append(c.opened, c.source)
		}
		if s, ok := c.source.(growing); ok {
			if c.err = w.waiting(func() error { return s.grow(w.ctx) }); c.err != nil {
				break
			}
		}
		if m, c.err = c.source.Next(w.ctx); c.err != nil {
			break
		}
		if m != nil {
			number, c.next = c.next, c.next+1
			c.running++
			return m, number, c.at, nil
		}
		c.at, c.source = c.at+1, nil
	}
	return nil, c.next, 0, c.err
}

// done says that a morsel is finished.
func (c *claims) done() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.running--; c.running == 0 {
		c.finished.Broadcast()
	}
}

// await waits until all claimed morsels are finished.
func (c *claims) await(ctx context.Context) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	wake := context.AfterFunc(ctx, func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.finished.Broadcast()
	})
	defer wake()
	for c.running > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		c.finished.Wait()
	}
	return nil
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
func (s *stage) work(w *worker, claims *claims) error {
	state, err := s.sink.newState(w)
	if err != nil {
		return err
	}
	ordered, _ := s.sink.(gate)
	chains := make([]func(*types.Batch) error, len(s.fragments))
	for {
		if ordered != nil {
			if more, err := ordered.enter(w.ctx, claims.number()); !more {
				return err
			}
		}
		m, number, at, err := claims.claim(w)
		if err == errNotYet {
			w.release()
			if err := claims.await(w.ctx); err != nil {
				return err
			}
			continue
		}
		if err == nil && m == nil {
			return state.combine()
		}
		if err == nil {
			if chains[at] == nil {
				chains[at] = s.chain(w, s.fragments[at].operators, state)
			}
			err = s.drain(w, m, number, s.fragments[at].scan, chains[at])
		}
		if err == nil {
			err = state.morselDone(number)
		}
		if err != nil {
			if ordered == nil || context.Cause(w.ctx) != nil || err == error(stop{}) {
				return err
			}
			ordered.fail(number, err)
		}
		w.release()
		if m != nil {
			claims.done() // without a token, as claim says
		}
	}
}

// chain links a worker's operator states in front of its sink state.
func (s *stage) chain(w *worker, operators []operator, state sinkState) func(*types.Batch) error {
	push := w.observed(s.sink.number(), state.push)
	next := func(b *types.Batch) error {
		// Operators may make several batches of one, or none.
		b.Sequence = types.MakeSequence(b.Sequence.Morsel(), min(w.pushed, types.MaxSequenceBatch))
		w.pushed++
		return push(b)
	}
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

// fetch asks a source for a morsel's next batch.
func (w *worker) fetch(m catalog.Morsel, scan int) (*types.Batch, error) {
	if fault := w.query.options.fault; fault != nil {
		if err := fault(scan); err != nil {
			return nil, err
		}
	}
	return m.Next(w.ctx, w.pool)
}

// drain pushes all batches of a morsel.
func (s *stage) drain(w *worker, m catalog.Morsel, number, scan int, push func(*types.Batch) error) error {
	w.pushed = 0
	for i := 0; ; i++ {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		mark := w.pool.Mark()
		end := func() {}
		if w.query.options.Analyze {
			end = w.measure(scan)
		}
		batch, err := w.fetch(m, scan)
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
			if err := push(w.thin(batch)); err != nil {
				return err
			}
		}
		w.pool.Release(mark)
		if err := w.chargePool(); err != nil {
			return err
		}
	}
}
