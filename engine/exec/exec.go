package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// DefaultBatchRows is the number of rows of a batch when Options does not say.
const DefaultBatchRows = 4096

// Options says how a plan is run.
type Options struct {
	Scheduler *Scheduler // the database's; required
	Budget    *Budget    // the database's; required
	Threads   int        // workers of a stage; at least 1
	BatchRows int        // 0: DefaultBatchRows
	Analyze   bool       // measure time per operator
	// fault, in tests, is called before each batch that enters an operator, and before each that a source is asked for.
	fault func(operator int) error
}

// Execution is one run of a plan. Next and Close are for one goroutine at a time; Close may also come from another to end a blocked Next.
type Execution struct {
	plan        *plan.PhysicalPlan
	options     Options
	reservation *Reservation
	stages      []*stage
	result      *collector
	shared      map[plan.SharedID]*rowStore            // rows that several operators read
	recursion   *recursionLevel                        // in whose step operators are being compiled; nil outside
	filters     []atomic.Pointer[catalog.DynamicState] // of the plan's dynamic filters, once they are known
	closers     []func()                               // called when the query has ended
	cancel      context.CancelCauseFunc
	done        chan struct{} // closed when all goroutines have ended
	started     time.Time

	lock     sync.Mutex
	accounts map[int]*account // by operator
	metrics  []plan.Metrics
	elapsed  time.Duration
}

// Run starts a plan. The result's rows come from Next; the caller must call Close.
func Run(ctx context.Context, p *plan.PhysicalPlan, options Options) (*Execution, error) {
	if options.BatchRows <= 0 {
		options.BatchRows = DefaultBatchRows
	}
	options.Threads = max(1, options.Threads)
	q := &Execution{
		plan: p, options: options, reservation: options.Budget.Reserve(), done: make(chan struct{}),
		shared: map[plan.SharedID]*rowStore{}, accounts: map[int]*account{}, filters: make([]atomic.Pointer[catalog.DynamicState], p.Filters), metrics: make([]plan.Metrics, p.Operators), started: time.Now(),
	}
	fragments, err := q.compile(p.Root)
	if err != nil {
		q.closeAll()
		return nil, err
	}
	ctx, q.cancel = context.WithCancelCause(ctx)
	q.stages = append(q.stages, &stage{fragments: fragments, sink: q.result})
	go q.run(ctx)
	return q, nil
}

// run runs the stages in their order of dependency.
func (q *Execution) run(ctx context.Context) {
	defer close(q.done)
	defer q.cancel(nil)
	var err error
	defer func() {
		if r := recover(); r != nil {
			err = panicError(r)
		}
		q.lock.Lock()
		q.elapsed = time.Since(q.started)
		q.lock.Unlock()
		q.result.end(canceled(ctx, err))
	}()
	if q.result.count == 0 {
		return // LIMIT 0: nothing needs to run
	}
	for _, s := range q.stages {
		if err = s.run(ctx, q); err != nil {
			return
		}
	}
}

// canceled turns the error of a query whose context was cancelled into SQL's.
func canceled(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var typed *types.Error
	switch {
	case err == nil, cause == nil, errors.Is(err, errClosed):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return types.Errorf(types.CodeQueryCanceled, "canceling statement due to timeout").WithCause(err)
	case errors.Is(err, context.Canceled):
		return types.Errorf(types.CodeQueryCanceled, "canceling statement due to user request").WithCause(err)
	case errors.As(err, &typed):
		return err
	}
	return types.Errorf(types.CodeQueryCanceled, "canceling statement: %v", cause).WithCause(fmt.Errorf("%w: %w", ctx.Err(), cause))
}

// errClosed is the cause with which Close cancels a query.
var errClosed = types.Errorf(types.CodeQueryCanceled, "the result was closed")

// Schema gives the result's columns.
func (q *Execution) Schema() types.Schema { return q.plan.Root.Schema() }

// Next gives the next batch of the result, or nil after the last. Every row of it counts (its selection is nil); it is owned by the caller
// and not changed by the query any more. After an error there are no more batches.
func (q *Execution) Next() (*types.Batch, error) { return q.result.take() }

// Close ends the query, waits until all its goroutines have ended, and gives back its memory. Batches that Next gave stay valid. It may be called
// more than once.
func (q *Execution) Close() error {
	q.cancel(errClosed)
	<-q.done
	q.result.close()
	q.closeAll()
	q.reservation.free()
	return nil
}

// closeAll calls the closers, each once.
func (q *Execution) closeAll() {
	q.lock.Lock()
	closers := q.closers
	q.closers = nil
	q.lock.Unlock()
	for _, f := range closers {
		f()
	}
}

// Profile gives what the operators did; complete once Next has returned nil or an error.
func (q *Execution) Profile() plan.Profile {
	q.lock.Lock()
	defer q.lock.Unlock()
	operators := slices.Clone(q.metrics)
	for i, a := range q.accounts {
		operators[i].Memory = a.peak.Load()
	}
	return plan.Profile{
		Operators: operators, Elapsed: q.elapsed, Threads: q.options.Threads, Memory: q.reservation.Peak(),
	}
}

// account makes the account of an operator. The root's is shared by the operator and the collector.
func (q *Execution) account(operator int) *account {
	q.lock.Lock()
	defer q.lock.Unlock()
	if q.accounts[operator] == nil {
		q.accounts[operator] = &account{reservation: q.reservation}
	}
	return q.accounts[operator]
}

// addRows counts a batch that an operator gave outside the workers.
func (q *Execution) addRows(operator, rows int) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.metrics[operator].Rows += int64(rows)
	q.metrics[operator].Batches++
}

// addMetrics adds what a worker has measured.
func (q *Execution) addMetrics(worker []plan.Metrics) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for i, m := range worker {
		t := &q.metrics[i]
		t.Rows += m.Rows
		t.Batches += m.Batches
		t.Time += m.Time
		t.Skipped += m.Skipped
	}
}
