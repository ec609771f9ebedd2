package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// funcTable is a table whose morsels give the batches of a function.
type funcTable struct {
	schema  types.Schema
	morsels int
	openErr error
	// next gives batch number i of a morsel, nil at its end.
	next func(ctx context.Context, pool *types.Pool, morsel, i int) (*types.Batch, error)
	// claim, when not nil, is asked before each morsel.
	claim func(morsel int) error
}

func (f *funcTable) Schema() types.Schema  { return f.schema }
func (*funcTable) Applies(*expr.Expr) bool { return false }

func (f *funcTable) Statistics() catalog.Statistics { return catalog.Statistics{} }

func (f *funcTable) Scan(context.Context, catalog.ScanRequest) (catalog.Scan, error) {
	if f.openErr != nil {
		return nil, f.openErr
	}
	return &funcScan{table: f}, nil
}

type funcScan struct {
	table *funcTable
	at    int
}

func (s *funcScan) Ordered() bool { return false }
func (s *funcScan) Close() error  { return nil }

func (s *funcScan) Next(context.Context) (catalog.Morsel, error) {
	if s.table.claim != nil {
		if err := s.table.claim(s.at); err != nil {
			return nil, err
		}
	}
	if s.at == s.table.morsels {
		return nil, nil
	}
	s.at++
	return &tableMorsel{table: s.table, number: s.at - 1}, nil
}

type tableMorsel struct {
	table      *funcTable
	number, at int
}

func (m *tableMorsel) Number() int { return m.number }

func (m *tableMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	m.at++
	return m.table.next(ctx, pool, m.number, m.at-1)
}

func scanTable(t catalog.Table) plan.Physical {
	return &plan.TableScan{Operator: plan.Operator{Output: t.Schema()}, Table: t, Request: catalog.ScanRequest{Limit: -1}}
}

// TestNoColumns runs batches that have rows and no columns.
func TestNoColumns(t *testing.T) {
	table := &funcTable{morsels: 7, next: func(_ context.Context, pool *types.Pool, morsel, i int) (*types.Batch, error) {
		if i == 3 || morsel == 4 { // one morsel has no batch at all
			return nil, nil
		}
		b := types.NewBatch(nil, 100*i, 0) // the first has no rows
		if i == 2 {
			selection := pool.ZeroBitmap(200)
			selection.Set(5)
			selection.Set(199)
			b = b.Select(selection)
		}
		return b, nil
	}}
	for _, threads := range []int{1, 2, 8} {
		s := scanTable(table)
		got, err := newRun(threads, 0).rows(t, groupOf(s, nil, aggregateOf("count"), filtered(aggregateOf("count"), expr.NewBool(false))))
		if err != nil || fmt.Sprint(got) != "[[612 0]]" {
			t.Errorf("count(*) over no columns is %v, %v", got, err)
		}
		got, err = newRun(threads, 0).rows(t, projectOf(limitOf(scanTable(table), 5, 99), integer(7)))
		if err != nil || fmt.Sprint(got) != "[[7] [7] [7] [7] [7]]" {
			t.Errorf("a constant over no columns is %v, %v", got, err)
		}
		got, err = newRun(threads, 0).rows(t, scanTable(table))
		if err != nil || len(got) != 612 {
			t.Errorf("%d rows of no columns, %v", len(got), err)
		}
		got, err = newRun(threads, 0).rows(t, &plan.ValuesScan{Rows: make([][]*expr.Expr, 3)})
		if err != nil || len(got) != 3 {
			t.Errorf("%d rows of VALUES without columns, %v", len(got), err)
		}
	}
}

// TestEmptyTable runs everything over no morsels.
func TestEmptyTable(t *testing.T) {
	table := newTable(t, people, nil)
	for _, threads := range []int{1, 8} {
		for _, c := range cases {
			got, err := newRun(threads, 0).rows(t, c.build(table))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if d := difference(got, c.want(nil)); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
		}
	}
}

// TestSharedVectors keeps batches whose columns are one vector, constants, the same constant NULL, and dictionaries of shared and of their own entries,
// in the memory that a pool reuses at once.
func TestSharedVectors(t *testing.T) {
	schema := types.Schema{
		{Name: "a", Type: types.BigInt}, {Name: "b", Type: types.BigInt}, {Name: "c", Type: types.Varchar}, {Name: "n", Type: types.Decimal(38, 2), Nullable: true},
		{Name: "d", Type: types.Varchar, Nullable: true}, {Name: "e", Type: types.Varchar, Nullable: true}, {Name: "l", Type: types.ListOf(types.BigInt)},
	}
	shared, err := types.FromValues(nil, types.Varchar, []any{"one", nil, "a shared string that is long"})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 10
	table := &funcTable{schema: schema, morsels: 40, next: func(_ context.Context, pool *types.Pool, morsel, i int) (*types.Batch, error) {
		if i == 3 {
			return nil, nil
		}
		ids := types.Alloc[int64](pool, rows)
		keys := types.Alloc[uint32](pool, rows)
		lists := types.Alloc[types.ListEntry](pool, rows)
		for r := range ids {
			ids[r], keys[r], lists[r] = int64((morsel*3+i)*rows+r), uint32(r%3), types.ListEntry{Offset: int64(r), Length: 1}
		}
		a := types.NewFixed(types.BigInt, ids, nil)
		text := kernels.NewViewBuilder(&kernels.Env{Pool: pool}, types.Varchar, 1)
		text.Append(fmt.Appendf(nil, "the constant of batch %d in morsel %d", i, morsel))
		own := kernels.NewViewBuilder(&kernels.Env{Pool: pool}, types.Varchar, 3)
		for e := range 3 {
			own.Append(fmt.Appendf(nil, "entry %d of batch %d in morsel %d", e, i, morsel))
		}
		list := types.NewList(schema[6].Type, lists, a, nil)
		return types.NewBatch([]*types.Vector{
			a, a, types.NewConstant(text.Finish(nil), rows), types.NewNull(schema[3].Type, rows),
			types.NewDictionary(keys, shared, nil), types.NewDictionary(keys, own.Finish(nil), nil), list,
		}, rows, 0), nil
	}}
	var want [][]string
	for id := range 40 * 3 * rows {
		m, i, r := id/(3*rows), id/rows%3, id%rows
		want = append(want, []string{
			fmt.Sprint(id), fmt.Sprint(id), fmt.Sprintf("the constant of batch %d in morsel %d", i, m), "NULL",
			[]string{"one", "NULL", "a shared string that is long"}[r%3], fmt.Sprintf("entry %d of batch %d in morsel %d", r%3, i, m), fmt.Sprintf("[%d]", id),
		})
	}
	reversed := make([][]string, len(want))
	for i, row := range want {
		reversed[len(want)-1-i] = row
	}
	zero := make([]byte, 64)
	for _, threads := range []int{1, 2, 8} {
		s := scanTable(table)
		for name, c := range map[string]struct {
			root plan.Physical
			want [][]string
		}{
			"scan":   {s, want},
			"filter": {filterOf(s, call("lt", call("mod", column(s, 0), integer(10)), integer(2))), keep(want, func(row []string) bool { return row[0][len(row[0])-1] < '2' })},
			"sort":   {sortOf(s, -1, 0, descending(column(s, 0))), reversed},
			"top":    {sortOf(s, 30, 5, descending(column(s, 1))), cut(reversed, 30, 5)},
			"limit":  {filterOf(limitOf(s, 555, 3), expr.NewBool(true)), cut(want, 555, 3)},
		} {
			got, err := newRun(threads, 0).rows(t, c.root)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if d := difference(got, c.want); d != "" {
				t.Errorf("%s, %d threads: %s", name, threads, d)
			}
		}
		if text := string(types.NewNull(types.Decimal(60, 0), 1).Data().Bytes); text != string(zero[:32]) {
			t.Fatalf("the memory under constant nulls was written: %x", text)
		}
	}
}

// TestBrokenSources checks that a source that breaks its contract gives an error.
func TestBrokenSources(t *testing.T) {
	schema := types.Schema{{Name: "a", Type: types.BigInt}}
	ints := types.NewFixed(types.BigInt, []int64{1, 2}, nil)
	for name, b := range map[string]*types.Batch{
		"too few columns": types.NewBatch(nil, 2, 0), "too many columns": types.NewBatch([]*types.Vector{ints, ints}, 2, 0),
		"too short": types.NewBatch([]*types.Vector{ints}, 3, 0), "wrong type": types.NewBatch([]*types.Vector{types.NewFixed(types.TimeOf(types.Second), []int64{1, 2}, nil)}, 2, 0),
	} {
		table := &funcTable{schema: schema, morsels: 1, next: func(_ context.Context, _ *types.Pool, _, i int) (*types.Batch, error) {
			if i > 0 {
				return nil, nil
			}
			c := *b
			return &c, nil
		}}
		_, err := newRun(2, 0).rows(t, scanTable(table))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantCode(t, err, types.CodeInternal)
	}
	_, err := newRun(2, 0).rows(t, scanTable(&funcTable{schema: schema, openErr: errBroken}))
	if !errors.Is(err, errBroken) {
		t.Errorf("the error of opening is %v", err)
	}
}

// TestClaimFails has the claim of a morsel fail or panic: no later claim is made after an error.
func TestClaimFails(t *testing.T) {
	schema := types.Schema{{Name: "a", Type: types.BigInt}}
	for _, threads := range []int{1, 8} {
		for _, panics := range []bool{false, true} {
			failed, after := false, 0
			table := &funcTable{
				schema: schema, morsels: 100,
				next: func(_ context.Context, _ *types.Pool, morsel, i int) (*types.Batch, error) {
					if i > 0 {
						return nil, nil
					}
					return types.NewBatch([]*types.Vector{types.NewFixed(types.BigInt, []int64{int64(morsel)}, nil)}, 1, 0), nil
				},
				claim: func(morsel int) error {
					if failed {
						after++
					}
					if morsel < 20 {
						return nil
					}
					failed = true
					if panics {
						panic("cannot claim")
					}
					return errBroken
				},
			}
			_, err := newRun(threads, 0).rows(t, groupOf(scanTable(table), nil, aggregateOf("count")))
			if panics {
				wantCode(t, err, types.CodeInternal)
			} else if !errors.Is(err, errBroken) || after > 0 {
				t.Errorf("got %v and %d claims after the error", err, after)
			}
		}
	}
}

// brokenAggregate is count(*) whose accumulators fail where they are told to.
func brokenAggregate(at string, panics bool) plan.PhysicalAggregate {
	a := aggregateOf("count")
	f := *a.Function
	inner := f.New
	f.New = func() expr.Accumulator { return &brokenAccumulator{inner(), at, panics} }
	a.Function = &f
	return a
}

type brokenAccumulator struct {
	expr.Accumulator
	at     string
	panics bool
}

func (b *brokenAccumulator) reach(place string) error {
	switch {
	case place != b.at:
		return nil
	case b.panics:
		panic("a broken accumulator")
	}
	return errBroken
}

func (b *brokenAccumulator) Resize(n int) error {
	if err := b.reach("resize"); err != nil {
		return err
	}
	return b.Accumulator.Resize(n)
}

func (b *brokenAccumulator) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	if err := b.reach("update"); err != nil {
		return err
	}
	return b.Accumulator.Update(env, groups, args, rows)
}

func (b *brokenAccumulator) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	if err := b.reach("state"); err != nil {
		return nil, err
	}
	return b.Accumulator.State(env, from, to)
}

func (b *brokenAccumulator) Merge(env *kernels.Env, groups []uint32, state []*types.Vector) error {
	if err := b.reach("merge"); err != nil {
		return err
	}
	return b.Accumulator.Merge(env, groups, state)
}

func (b *brokenAccumulator) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	if err := b.reach("finish"); err != nil {
		return nil, err
	}
	return b.Accumulator.Finish(env, from, to)
}

// TestBrokenAggregate fails and panics in each step of an aggregation: making a worker's state, adding, merging alone and in partitions, and the
// result. Tokens and memory are given back.
func TestBrokenAggregate(t *testing.T) {
	few := newTable(t, people, somePeople(1000, 3))
	many, _ := bigTable(80_000, 1<<40)
	for _, at := range []string{"resize", "update", "state", "merge", "finish"} {
		for _, panics := range []bool{false, true} {
			for name, c := range map[string]struct {
				table *fakeTable
				keys  []int
			}{"ungrouped": {few, nil}, "few groups": {few, []int{townColumn}}, "many groups": {many, []int{0}}} {
				_, err := newRun(4, 0).rows(t, groupOf(scanOf(c.table), c.keys, brokenAggregate(at, panics)))
				if panics {
					wantCode(t, err, types.CodeInternal)
				} else if !errors.Is(err, errBroken) {
					t.Errorf("%s, %s: got %v", at, name, err)
				}
			}
		}
	}
}

// TestNextAfterEnd asks again after the end, an error and a close.
func TestNextAfterEnd(t *testing.T) {
	table := newTable(t, people, somePeople(100, 3))
	for name, c := range map[string]struct {
		root plan.Physical
		want error
	}{
		"end": {scanOf(table), nil}, "limit": {limitOf(scanOf(table), 3, 0), nil}, "limit 0": {limitOf(scanOf(table), 0, 0), nil},
		"error": {filterOf(scanTable(&funcTable{schema: people, openErr: errBroken}), expr.NewBool(true)), errBroken},
	} {
		r := newRun(2, 0)
		q, err := Run(t.Context(), planOf(c.root), r.options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drainRows(t, q, people); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		for range 3 {
			if b, err := q.Next(); b != nil || !errors.Is(err, c.want) {
				t.Errorf("%s: again %v, %v", name, b, err)
			}
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { r.close(t, q) })
		}
		wait.Wait()
		_, err = q.Next()
		wantCode(t, err, types.CodeQueryCanceled)
	}
}

// TestCloseAtOnce closes a query before the first Next, while it works and after it has finished without a reader.
func TestCloseAtOnce(t *testing.T) {
	table := newTable(t, people, somePeople(500, 3))
	for _, pause := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond} {
		r := newRun(4, 0)
		q, err := Run(t.Context(), planOf(scanOf(table)), r.options)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(pause)
		r.close(t, q)
		if b, err := q.Next(); b != nil || err == nil {
			t.Errorf("Next after Close gave %v, %v", b, err)
		}
		if used := r.budget.Used(); used != 0 {
			t.Errorf("%d bytes after Next after Close", used)
		}
	}
}

// drainBatches runs a plan and counts its rows without looking at them.
func drainBatches(r *run, root plan.Physical) (rows int, err error) {
	q, err := Run(context.Background(), planOf(root), r.options)
	if err != nil {
		return 0, err
	}
	defer q.Close()
	for {
		b, err := q.Next()
		if b == nil || err != nil {
			return rows, err
		}
		rows += b.Rows
	}
}

// TestCancelWork cancels queries in the middle of long work on data that is there, in each of its phases.
func TestCancelWork(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	table, _ := bigTable(600_000, 1<<40)
	s := scanOf(table)
	for name, root := range map[string]plan.Physical{
		"sort by text": sortOf(s, -1, 0, ascending(column(s, 1)), ascending(column(s, 0))),
		"group":        groupOf(s, []int{1, 0}, aggregateOf("count"), distinct(aggregateOf("count", column(s, 3)))),
	} {
		began := time.Now()
		if _, err := drainBatches(newRun(2, 0), root); err != nil {
			t.Fatal(err)
		}
		whole := time.Since(began)
		for _, share := range []time.Duration{50, 10, 4, 3, 2} {
			after := whole / share
			ctx, cancel := context.WithCancel(t.Context())
			r := newRun(2, 0)
			q, err := Run(ctx, planOf(root), r.options)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			cancel()
			start := time.Now()
			_, err = drainRows(t, q, root.Schema())
			took := time.Since(start)
			r.close(t, q)
			if err == nil {
				continue // it was faster
			}
			wantCode(t, err, types.CodeQueryCanceled)
			if took > whole/2+100*time.Millisecond {
				t.Errorf("%s: the query of %v, cancelled after %v, took %v to end", name, whole, after, took)
			}
		}
	}
}

// TestTopDropsStrings has a top-N over long strings: the strings of dropped rows are given back.
func TestTopDropsStrings(t *testing.T) {
	schema := types.Schema{{Name: "id", Type: types.BigInt}, {Name: "s", Type: types.Varchar}}
	const morsels, rows, length = 200, 100, 20_000 // 400 MB in all
	padding := strings.Repeat("x", length)
	table := &funcTable{schema: schema, morsels: morsels, next: func(_ context.Context, pool *types.Pool, morsel, i int) (*types.Batch, error) {
		if i > 0 {
			return nil, nil
		}
		ids, views := make([]int64, rows), make([]types.View, rows)
		data := make([]byte, 0, rows*length)
		for r := range ids {
			ids[r] = int64(r*morsels + morsel) // every batch has a row that stays for long
			start := len(data)
			data = append(data, padding...)
			copy(data[start:], fmt.Sprintf("%09d", ids[r]))
			views[r] = types.MakeView(data[start:], 0, start)
		}
		return types.NewBatch([]*types.Vector{
			types.NewFixed(types.BigInt, ids, nil), types.NewViews(types.Varchar, views, []types.Buffer{{Bytes: data}}, nil),
		}, rows, 0), nil
	}}
	s := filterOf(scanTable(table), call("lt", column(scanTable(table), 0), integer(morsels*rows/20)))
	r := newRun(1, 0)
	q, err := Run(t.Context(), planOf(sortOf(s, 100, 0, descending(column(s, 0)))), r.options)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Next()
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 150<<20 {
		t.Errorf("%d MB are alive with 100 strings of 20 KB kept", m.HeapAlloc>>20)
	}
	if first := types.Text(b.Columns[1], 0); !strings.HasPrefix(first, fmt.Sprintf("%09d", morsels*rows/20-1)) {
		t.Errorf("the first row is %.12s", first)
	}
	r.close(t, q)
	runtime.KeepAlive(b)
}

// TestListsAreChargedOnce keeps slices of one long list column: its child is not charged with each of them.
func TestListsAreChargedOnce(t *testing.T) {
	const n = 100_000
	entries := make([]types.ListEntry, n)
	for i := range entries {
		entries[i] = types.ListEntry{Offset: int64(i * 2), Length: 2}
	}
	typ := types.ListOf(types.BigInt)
	list := types.NewList(typ, entries, types.NewFixed(types.BigInt, make([]int64, 2*n), nil), nil)
	total := int64(0)
	for i := 0; i < n; i += 1000 {
		total += vectorSize(list.Slice(nil, i, i+1000))
	}
	if want := int64(n*16 + 2*n*8); total != want {
		t.Errorf("the slices are charged %d bytes, want %d", total, want)
	}
}

// TestBudgetIsShared lets reservations of many sizes race: only those that do not fit fail.
func TestBudgetIsShared(t *testing.T) {
	budget := NewBudget(1000)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			big, small := &Reservation{budget: budget}, &Reservation{budget: budget}
			for range 2000 {
				if err := big.Grow(2000); !errors.Is(err, types.ErrOutOfMemory) {
					t.Errorf("2000 of 1000 bytes: %v", err)
				}
				if err := small.Grow(100); err != nil {
					t.Error(err) // 8 times 100 always fit
				}
				small.free()
			}
		})
	}
	wait.Wait()
	if budget.Used() != 0 {
		t.Errorf("%d bytes are left", budget.Used())
	}
}

// TestManyQueries runs 64 queries of all kinds on two tokens; some are cancelled, closed, starved of memory or hit by a fault.
func TestManyQueries(t *testing.T) {
	table := newTable(t, people, somePeople(1500, 3))
	scheduler, budget := NewScheduler(2), NewBudget(64<<20)
	want, err := newRun(1, 0).rows(t, everyOperator(table))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			options := Options{Scheduler: scheduler, Budget: budget, Threads: 1 + i%8, BatchRows: 7 + i}
			calls := 0
			var lock sync.Mutex
			options.fault = func(int) error {
				lock.Lock()
				defer lock.Unlock()
				calls++
				switch {
				case calls != 10+i:
				case i%8 == 1:
					return errBroken
				case i%8 == 2:
					panic("a bug")
				case i%8 == 3:
					cancel()
				}
				return nil
			}
			root := everyOperator(table)
			q, err := Run(ctx, planOf(root), options)
			if err != nil {
				t.Error(err)
				return
			}
			if i%8 == 4 {
				if _, err := q.Next(); err != nil {
					t.Error(err)
				}
			} else {
				rows, err := drainRows(t, q, root.Schema())
				switch failed := i%8 >= 1 && i%8 <= 3; {
				case failed != (err != nil):
					t.Errorf("query %d: %v", i, err)
				case !failed:
					if d := difference(rows, want); d != "" && i%8 != 4 {
						t.Errorf("query %d: %s", i, d)
					}
				}
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if budget.Used() != 0 || len(scheduler.tokens) != 0 {
		t.Errorf("%d bytes and %d tokens are left", budget.Used(), len(scheduler.tokens))
	}
}
