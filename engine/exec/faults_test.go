package exec

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// everyOperator is a plan with every kind of operator in it.
func everyOperator(t *fakeTable) plan.Physical {
	input := func() plan.Physical {
		s := filterOf(scanOf(t), agedOver(scanOf(t), -5))
		return projectOf(s, column(s, idColumn), column(s, townColumn), column(s, ageColumn))
	}
	s := limitOf(concatOf(input(), input()), 1900, 1)
	s = groupOf(s, []int{0, 1}, aggregateOf("sum", column(s, 2)))
	s = windowOf(s, []*expr.Expr{column(s, 1)}, []plan.SortKey{ascending(column(s, 0))}, everyMethod(s, column(s, 2))...)
	return limitOf(sortOf(s, -1, 0, ascending(column(s, 1)), ascending(column(s, 0))), 900, 3)
}

// wantCode checks an error's SQLSTATE.
func wantCode(t *testing.T, err error, code types.Code) *types.Error {
	t.Helper()
	var typed *types.Error
	if !errors.As(err, &typed) || typed.Code != code {
		t.Fatalf("got the error %v, want SQLSTATE %s", err, code)
	}
	return typed
}

// TestFaults lets each operator fail, panic and be cancelled, at its first batch and in the middle.
func TestFaults(t *testing.T) {
	rows := somePeople(1500, 3)
	operators := planOf(everyOperator(newTable(t, people, rows))).Operators
	for _, threads := range []int{1, 2, 8} {
		for operator := range operators {
			for _, nth := range []int64{1, 5} {
				for _, kind := range []string{"error", "panic", "cancel"} {
					ctx, cancel := context.WithCancel(t.Context())
					r := newRun(threads, 16)
					var calls atomic.Int64
					r.options.fault = func(at int) error {
						if at != operator || calls.Add(1) != nth {
							return nil
						}
						switch kind {
						case "error":
							return errBroken
						case "panic":
							panic("a bug")
						}
						cancel()
						return nil
					}
					table := newTable(t, people, rows)
					root := everyOperator(table)
					q, err := Run(ctx, planOf(root), r.options)
					if err != nil {
						t.Fatal(err)
					}
					_, err = drainRows(t, q, root.Schema())
					r.close(t, q)
					if calls.Load() < nth {
						if err != nil {
							t.Errorf("operator %d: %v", operator, err)
						}
						cancel()
						continue // the operator had fewer batches
					}
					switch kind {
					case "error":
						if !errors.Is(err, errBroken) {
							t.Errorf("operator %d, %d threads: got %v, want the injected error", operator, threads, err)
						}
					case "panic":
						typed := wantCode(t, err, types.CodeInternal)
						if !strings.Contains(typed.Err.Error(), "faults_test.go") {
							t.Errorf("the stack of the panic is missing from %v", typed.Err)
						}
					case "cancel":
						wantCode(t, err, types.CodeQueryCanceled)
						if !errors.Is(err, context.Canceled) {
							t.Errorf("%v does not wrap context.Canceled", err)
						}
					}
					if table.opened.Load() != table.closed.Load() {
						t.Errorf("%d scans opened, %d closed", table.opened.Load(), table.closed.Load())
					}
					cancel()
				}
			}
		}
	}
}

func TestFaultsReachEveryOperator(t *testing.T) {
	table := newTable(t, people, somePeople(1500, 3))
	root := everyOperator(table)
	r := newRun(2, 16)
	p := planOf(root)
	seen := make([]atomic.Bool, p.Operators)
	r.options.fault = func(at int) error { seen[at].Store(true); return nil }
	if _, err := r.rows(t, root); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if !seen[i].Load() {
			t.Errorf("operator %d saw no batch", i)
		}
	}
}

func TestSourceErrorAndPanic(t *testing.T) {
	rows := somePeople(1000, 3)
	for _, threads := range []int{1, 4} {
		table := newTable(t, people, rows)
		table.failAt = 7
		got, err := newRun(threads, 0).rows(t, scanOf(table))
		if !errors.Is(err, errBroken) {
			t.Errorf("got %v, want the source's error", err)
		}
		if len(got) != 7*table.morselRows {
			t.Errorf("%d rows before the error, want those of the 7 morsels before it", len(got))
		}
		table = newTable(t, people, rows)
		table.panicAt = 7
		_, err = newRun(threads, 0).rows(t, scanOf(table))
		wantCode(t, err, types.CodeInternal)
	}
}

// TestEvaluationError has an expression raise in the middle of the table, and not on rows that a filter took away.
func TestEvaluationError(t *testing.T) {
	schema := types.Schema{{Name: "x", Type: types.Varchar}}
	rows := [][]any{}
	for i := range 500 {
		text := "12"
		if i == 321 {
			text = "twelve"
		}
		rows = append(rows, []any{text})
	}
	table := newTable(t, schema, rows)
	s := scanOf(table)
	cast := expr.NewCast(column(s, 0), types.BigInt, false)
	_, err := newRun(2, 0).rows(t, projectOf(s, cast))
	wantCode(t, err, types.CodeInvalidText)

	guarded := filterOf(s, call("ne", column(s, 0), constant(types.Varchar, "twelve")))
	got, err := newRun(2, 0).rows(t, projectOf(guarded, cast))
	if err != nil || len(got) != 499 {
		t.Errorf("got %d rows and %v, want 499", len(got), err)
	}
}

// TestCancel cancels slow queries from outside, in each stage, and measures how long that takes.
func TestCancel(t *testing.T) {
	rows := somePeople(2000, 3)
	for _, threads := range []int{1, 8} {
		for _, deadline := range []bool{false, true} {
			table := newTable(t, people, rows)
			table.delay = 20 * time.Millisecond
			for name, root := range map[string]plan.Physical{
				"scan": scanOf(table), "aggregate": groupOf(scanOf(table), []int{colorColumn}, aggregateOf("count")),
				"sort": sortOf(scanOf(table), -1, 0, ascending(column(scanOf(table), ageColumn))), "limit": limitOf(scanOf(table), 1990, 0),
				"window":      windowOf(scanOf(table), nil, nil, everyMethod(scanOf(table), column(scanOf(table), ageColumn))...),
				"inner limit": groupOf(limitOf(scanOf(table), 1990, 0), nil, aggregateOf("count")),
			} {
				best := time.Hour
				for range 5 { // the machine may be busy with something else
					best = min(best, timeToCancel(t, name, root, threads, deadline))
					if best <= 100*time.Millisecond {
						break
					}
				}
				if best > 100*time.Millisecond {
					t.Errorf("%s: the cancelled query took %v to end", name, best)
				}
			}
		}
	}
}

// timeToCancel runs a slow query, ends its context after 50 ms, checks the error, and gives the time from then until all has ended.
func timeToCancel(t *testing.T, name string, root plan.Physical, threads int, deadline bool) time.Duration {
	t.Helper()
	const pause = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	if deadline {
		ctx, cancel = context.WithTimeout(t.Context(), pause)
	} else {
		time.AfterFunc(pause, cancel)
	}
	defer cancel()
	start := time.Now()
	r := newRun(threads, 5)
	q, err := Run(ctx, planOf(root), r.options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = drainRows(t, q, root.Schema())
	wantCode(t, err, types.CodeQueryCanceled)
	if deadline != errors.Is(err, context.DeadlineExceeded) || deadline == errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v does not wrap the context's error", name, err)
	}
	r.close(t, q)
	return time.Since(start) - pause
}

func TestCancelledBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the session has ended"))
	table := newTable(t, people, somePeople(100, 3))
	r := newRun(2, 0)
	q, err := Run(ctx, planOf(scanOf(table)), r.options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.Next()
	wantCode(t, err, types.CodeQueryCanceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
	r.close(t, q)
}

// TestClose ends queries that were not read to their end.
func TestClose(t *testing.T) {
	rows := somePeople(2000, 3)
	for _, threads := range []int{1, 8} {
		for read := range 3 {
			table := newTable(t, people, rows)
			r := newRun(threads, 10)
			q, err := Run(t.Context(), planOf(scanOf(table)), r.options)
			if err != nil {
				t.Fatal(err)
			}
			for range read {
				if b, err := q.Next(); b == nil || err != nil {
					t.Fatal(b, err)
				}
			}
			r.close(t, q)
			r.close(t, q)
			if b, err := q.Next(); b != nil || err == nil {
				t.Errorf("Next after Close gave %v and no error", b)
			}
			if table.closed.Load() != table.opened.Load() || table.opened.Load() > 1 {
				t.Errorf("the scan was opened %d times and closed %d times", table.opened.Load(), table.closed.Load())
			}
		}
	}
}

func TestCloseEndsBlockedNext(t *testing.T) {
	table := newTable(t, people, somePeople(100, 3))
	table.delay = time.Hour
	r := newRun(2, 0)
	q, err := Run(t.Context(), planOf(scanOf(table)), r.options)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { q.Close() })
	if b, err := q.Next(); b != nil || err == nil {
		t.Errorf("the blocked Next gave %v and %v", b, err)
	}
	r.close(t, q)
}

// TestBudget runs plans that keep rows with less memory than they need.
func TestBudget(t *testing.T) {
	rows := somePeople(20000, 3)
	table := newTable(t, people, rows)
	for name, root := range map[string]plan.Physical{
		"aggregate": groupOf(scanOf(table), []int{idColumn}, aggregateOf("sum", column(scanOf(table), idColumn))),
		"ordered":   groupOf(scanOf(table), nil, inOrder(aggregateOf("first", column(scanOf(table), idColumn)), ascending(column(scanOf(table), ageColumn)))),
		"reservoir": sampleOf(scanOf(table), plan.SampleReservoir, 0, 10000, 1),
		"list":      groupOf(scanOf(table), nil, aggregateOf("list", column(scanOf(table), townColumn))),
		"min":       groupOf(scanOf(table), []int{colorColumn}, aggregateOf("min", call("concat", constant(types.Varchar, strings.Repeat("x", 50000)), column(scanOf(table), townColumn)))),
		"distinct":  groupOf(scanOf(table), nil, distinct(aggregateOf("count", column(scanOf(table), idColumn)))),
		"sort":      sortOf(scanOf(table), -1, 0, ascending(column(scanOf(table), ageColumn))),
		"limit":     groupOf(limitOf(scanOf(table), 1<<40, 0), nil, aggregateOf("count")),
		"window":    windowOf(scanOf(table), nil, nil, windowCallOf("row_number", plan.DefaultFrame())),
	} {
		for _, threads := range []int{1, 4} {
			r := newRun(threads, 0)
			r.budget = NewBudget(200 << 10)
			r.options.Budget = r.budget
			_, err := r.rows(t, root)
			wantCode(t, err, types.CodeOutOfMemory)
			if !errors.Is(err, types.ErrOutOfMemory) {
				t.Errorf("%s: %v is not of the kind ErrOutOfMemory", name, err)
			}
		}
	}
	// With little memory a top-N and an aggregation of few groups still work.
	for name, root := range map[string]plan.Physical{
		"few groups": groupOf(scanOf(table), []int{colorColumn, ageColumn}, aggregateOf("count")),
		"top":        sortOf(scanOf(table), 10, 0, ascending(column(scanOf(table), idColumn))),
	} {
		r := newRun(1, 256)
		r.budget = NewBudget(2 << 20)
		r.options.Budget = r.budget
		if _, err := r.rows(t, root); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLimitStopsSource counts the morsels that are read for a LIMIT.
func TestLimitStopsSource(t *testing.T) {
	rows := somePeople(20000, 3)
	for _, threads := range []int{1, 2, 8} {
		for name, root := range map[string]func(*fakeTable) plan.Physical{
			"root":  func(t *fakeTable) plan.Physical { return limitOf(scanOf(t), 60, 5) },
			"inner": func(t *fakeTable) plan.Physical { return groupOf(limitOf(scanOf(t), 60, 5), nil, aggregateOf("count")) },
			"zero":  func(t *fakeTable) plan.Physical { return limitOf(scanOf(t), 0, 5) },
		} {
			table := newTable(t, people, rows) // 400 morsels, of which two hold the wanted rows
			if _, err := newRun(threads, 10).rows(t, root(table)); err != nil {
				t.Fatal(err)
			}
			if most := int64(2 + (morselsAhead+1)*threads); table.morsels.Load() > most {
				t.Errorf("%s, %d threads: %d morsels were read, want at most %d", name, threads, table.morsels.Load(), most)
			}
			if table.opened.Load() != table.closed.Load() {
				t.Errorf("%s: the source is not closed", name)
			}
		}
	}
}

// TestBackPressure lets the caller stop reading: the workers stop too.
func TestBackPressure(t *testing.T) {
	table := newTable(t, people, somePeople(20000, 3))
	const threads = 2
	r := newRun(threads, 10)
	q, err := Run(t.Context(), planOf(scanOf(table)), r.options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Next(); err != nil {
		t.Fatal(err)
	}
	before := int64(-1)
	for table.batches.Load() != before {
		before = table.batches.Load()
		time.Sleep(50 * time.Millisecond)
	}
	if most := int64((batchesAhead+morselsAhead)*threads + threads + 1); before > most {
		t.Errorf("%d batches were read ahead of a caller who took one, want at most %d", before, most)
	}
	if held := len(r.options.Scheduler.tokens); held != 0 {
		t.Errorf("%d worker tokens are held while the workers wait", held)
	}
	rows, err := drainRows(t, q, people)
	if err != nil || len(rows) != 20000-10 {
		t.Errorf("%d rows and %v after the pause", len(rows), err)
	}
	r.close(t, q)
}

// TestOrderWindow lets the first morsel be slow: the others wait for it after a while.
func TestOrderWindow(t *testing.T) {
	table := newTable(t, people, somePeople(20000, 3))
	const threads = 4
	r := newRun(threads, 10)
	release := make(chan struct{})
	var first atomic.Bool
	r.options.fault = func(int) error {
		if first.CompareAndSwap(false, true) {
			<-release
		}
		return nil
	}
	s := scanOf(table)
	q, err := Run(t.Context(), planOf(filterOf(s, agedOver(s, 88))), r.options) // few rows pass, so the batches do not fill the window
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if most := int64((morselsAhead + 1) * threads); table.morsels.Load() > most {
		t.Errorf("%d morsels started although the first one stands, want at most %d", table.morsels.Load(), most)
	}
	close(release)
	if _, err := drainRows(t, q, people); err != nil {
		t.Error(err)
	}
	r.close(t, q)
}

// TestSchedulerBoundsQueries runs many queries at once on few tokens.
func TestSchedulerBoundsQueries(t *testing.T) {
	table := newTable(t, people, somePeople(2000, 3))
	scheduler := NewScheduler(2)
	var running, most atomic.Int64
	budget := NewBudget(1 << 30)
	var wait sync.WaitGroup
	for range 64 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r := run{budget: budget, options: Options{Scheduler: scheduler, Budget: budget, Threads: 4, BatchRows: 10}}
			r.options.fault = func(int) error {
				n := running.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				running.Add(-1)
				return nil
			}
			root := groupOf(scanOf(table), []int{townColumn}, aggregateOf("count"))
			q, err := Run(t.Context(), planOf(root), r.options)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := drainRows(t, q, root.Schema()); err != nil {
				t.Error(err)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	wait.Wait()
	if most.Load() > 2 {
		t.Errorf("%d workers computed at once on 2 tokens", most.Load())
	}
	if budget.Used() != 0 || len(scheduler.tokens) != 0 {
		t.Errorf("%d bytes and %d tokens are left", budget.Used(), len(scheduler.tokens))
	}
}

// TestProfile checks the numbers that EXPLAIN ANALYZE shows.
func TestProfile(t *testing.T) {
	table := newTable(t, people, somePeople(5000, 3))
	ages := filterOf(scanOf(table), agedOver(scanOf(table), 40))
	passed := int64(len(keep(reference(table), over(40))))
	others := filterOf(scanOf(table), agedOver(scanOf(table), 40))
	root := limitOf(sortOf(groupOf(concatOf(ages, others), []int{townColumn}, aggregateOf("count")), -1, 0, ascending(integer(1))), 11, 2)
	r := newRun(2, 100)
	r.options.Analyze = true
	q, err := Run(t.Context(), planOf(root), r.options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drainRows(t, q, root.Schema()); err != nil {
		t.Fatal(err)
	}
	profile := q.Profile()
	r.close(t, q)
	towns := int64(len(unique(keep(reference(table), over(40)), townColumn)))
	// 0 limit, 1 sort, 2 aggregate, 3 concat, 4 filter, 5 scan, 6 filter, 7 scan.
	want := []int64{11, towns, towns, 2 * passed, passed, 5000, passed, 5000}
	for operator, rows := range want {
		m := profile.Operators[operator]
		if m.Rows != rows {
			t.Errorf("operator %d gave %d rows, want %d", operator, m.Rows, rows)
		}
		if m.Batches == 0 {
			t.Errorf("operator %d gave no batches", operator)
		}
	}
	for _, operator := range []int{1, 2, 6, 7} {
		if profile.Operators[operator].Time <= 0 {
			t.Errorf("operator %d took no time", operator)
		}
	}
	for _, operator := range []int{1, 2} {
		if profile.Operators[operator].Memory <= 0 {
			t.Errorf("operator %d took no memory", operator)
		}
	}
	if profile.Elapsed <= 0 || profile.Threads != 2 || profile.Memory <= 0 {
		t.Errorf("profile %+v", profile)
	}
}

// TestPlanRunsTwice runs one plan several times at once.
func TestPlanRunsTwice(t *testing.T) {
	table := newTable(t, people, somePeople(3000, 3))
	p := planOf(everyOperator(table))
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r := newRun(2, 50)
			q, err := Run(t.Context(), p, r.options)
			if err != nil {
				t.Error(err)
				return
			}
			rows, err := drainRows(t, q, p.Root.Schema())
			if err != nil || len(rows) == 0 {
				t.Error(len(rows), err)
			}
			r.close(t, q)
		}()
	}
	wait.Wait()
}

// TestErrorsKeepTheirPlace has two morsels fail, the later one first. The caller gets the rows before the first in order and then its error; a limit that
// is reached before it gives no error, with any number of workers.
func TestErrorsKeepTheirPlace(t *testing.T) {
	const first, rows = 30, 10
	other := errors.New("another error")
	table := &funcTable{
		schema: types.Schema{{Name: "a", Type: types.BigInt}}, morsels: 40,
		next: func(_ context.Context, pool *types.Pool, morsel, i int) (*types.Batch, error) {
			switch {
			case i == 1 && morsel == first: // after a batch
				time.Sleep(5 * time.Millisecond)
				return nil, errBroken
			case i == 0 && morsel == first+1:
				return nil, other
			case i == 1:
				return nil, nil
			}
			values := types.Alloc[int64](pool, rows)
			for r := range values {
				values[r] = int64(morsel*rows + r)
			}
			return types.NewBatch([]*types.Vector{types.NewFixed(types.BigInt, values, nil)}, rows, 0), nil
		},
		claim: func(morsel int) error {
			if morsel == first+2 {
				return other
			}
			return nil
		},
	}
	const good = (first + 1) * rows
	for _, threads := range []int{1, 2, 3, 8} {
		for range 5 {
			s := scanTable(table)
			rows, err := newRun(threads, 0).rows(t, s)
			if !errors.Is(err, errBroken) || len(rows) != good {
				t.Fatalf("%d threads: %d rows and %v, want %d and the first error", threads, len(rows), err, good)
			}
			for _, inner := range []bool{false, true} {
				for count, fails := range map[int64]bool{1: false, good: false, good + 1: true} {
					root := limitOf(s, count-1, 1)
					if inner {
						root = filterOf(root, expr.NewBool(true))
					}
					rows, err := newRun(threads, 0).rows(t, root)
					switch {
					case fails && !errors.Is(err, errBroken), !fails && err != nil:
						t.Fatalf("%d threads, limit %d: %v", threads, count, err)
					case !fails && len(rows) != int(count-1):
						t.Fatalf("%d threads: %d rows, want %d", threads, len(rows), count-1)
					}
				}
			}
		}
	}
}
