package exec

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

var numbers = types.Schema{{Name: "n", Type: types.BigInt}}

// counting counts from the initial rows up to a limit: n + 1 for each n below it.
func counting(id plan.SharedID, distinct bool, limit int, initial ...int) plan.Physical {
	s := storedOf(id, numbers, 0)
	return recurseOf(id, distinct, valuesOf(initial...), projectOf(filterOf(s, call("lt", column(s, 0), integer(limit))), call("add", column(s, 0), integer(1))))
}

func counted(from, to int) [][]string {
	out := [][]string{}
	for i := from; i <= to; i++ {
		out = append(out, []string{strconv.Itoa(i)})
	}
	return out
}

// everyMode runs a plan in several numbers of threads and batch sizes and compares its rows, in order.
func everyMode(t *testing.T, root plan.Physical, want [][]string, unordered bool) {
	t.Helper()
	for _, threads := range []int{1, 2, 5} {
		for _, batchRows := range []int{1, 7, 0} {
			got, err := newRun(threads, batchRows).rows(t, root)
			if err != nil {
				t.Fatalf("%d threads, batches of %d: %v", threads, batchRows, err)
			}
			if unordered {
				sortRowsOf(got)
				sortRowsOf(want)
			}
			if d := difference(got, want); d != "" {
				t.Fatalf("%d threads, batches of %d: %s", threads, batchRows, d)
			}
		}
	}
}

func TestMaterialize(t *testing.T) {
	table := newTable(t, people, somePeople(500, 3))
	rows := reference(table)
	definition := func() plan.Physical { return filterOf(scanOf(table), agedOver(scanOf(table), 40)) }
	kept := keep(rows, over(40))
	ids := mapRows(kept, func(row []string) []string { return []string{row[idColumn]} })
	towns := mapRows(kept, func(row []string) []string { return []string{row[idColumn], row[townColumn]} })
	first := storedOf(1, people, idColumn, townColumn)
	filtered := filterOf(first, call("lt", column(first, 0), integer(1<<40)))
	everyMode(t, materializeOf(1, definition(), concatOf(first, filtered)), slices.Concat(towns, towns), false)
	// The definition is computed once, and not at all without a reader or when no row is wanted.
	for name, c := range map[string]struct {
		root   plan.Physical
		scans  int64
		result [][]string
	}{
		"read twice":  {materializeOf(1, definition(), concatOf(storedOf(1, people, idColumn), storedOf(1, people, idColumn))), 1, slices.Concat(ids, ids)},
		"never read":  {materializeOf(1, definition(), valuesOf(7)), 0, [][]string{{"7"}}},
		"LIMIT 0":     {limitOf(materializeOf(1, definition(), storedOf(1, people, idColumn)), 0, 0), 0, [][]string{}},
		"LIMIT 0 in":  {materializeOf(1, definition(), limitOf(storedOf(1, people, idColumn), 0, 0)), 1, [][]string{}},
		"no columns":  {materializeOf(1, definition(), groupOf(storedOf(1, people), nil, aggregateOf("count"))), 1, [][]string{{strconv.Itoa(len(kept))}}},
		"nested":      {materializeOf(1, definition(), materializeOf(2, limitOf(storedOf(1, people, idColumn), 3, 1), concatOf(storedOf(2, numbers, 0), storedOf(2, numbers, 0)))), 1, slices.Concat(cut(ids, 3, 1), cut(ids, 3, 1))},
		"in a define": {materializeOf(1, materializeOf(2, definition(), storedOf(2, people, idColumn)), storedOf(1, numbers, 0)), 1, ids},
	} {
		before := table.opened.Load()
		got, err := newRun(2, 16).rows(t, c.root)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := difference(got, c.result); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if scans := table.opened.Load() - before; scans != c.scans {
			t.Errorf("%s: the table was read %d times, want %d", name, scans, c.scans)
		}
	}
}

func TestRecursion(t *testing.T) {
	everyMode(t, counting(1, false, 40, 1), counted(1, 40), false)
	everyMode(t, counting(1, true, 40, 1, 1, 5, 30), counted(1, 40), true)
	everyMode(t, counting(1, false, 3, 1, 2), [][]string{{"1"}, {"2"}, {"2"}, {"3"}, {"3"}}, false)
	everyMode(t, counting(1, false, 3), [][]string{}, false)
	// A step that gives NULL: it is equal to itself.
	s := storedOf(1, types.Schema{{Name: "n", Type: types.BigInt, Nullable: true}}, 0)
	null := constant(types.BigInt, nil)
	everyMode(t, recurseOf(1, true, valuesOf(1), projectOf(s, null)), [][]string{{"1"}, {"NULL"}}, false)
	// LIMIT ends what would not end by itself, at the root and below.
	everyMode(t, limitOf(counting(1, false, 1<<40, 1), 5, 3), counted(4, 8), false)
	l := limitOf(counting(1, false, 1<<40, 1), 5, 3)
	everyMode(t, groupOf(l, nil, aggregateOf("sum", column(l, 0))), [][]string{{"30"}}, false)
	// Stages in the step: an aggregate over all rows that came last, with several of them.
	s = storedOf(1, numbers, 0)
	a := groupOf(s, nil, aggregateOf("max", column(s, 0)))
	step := projectOf(filterOf(a, call("lt", column(a, 0), integer(5))), call("add", column(a, 0), integer(1)))
	everyMode(t, recurseOf(1, false, valuesOf(1, 2, 3), step), [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}}, false)
	// The rows that came last, twice.
	twice := concatOf(counting(2, false, 2, 1), counting(3, false, 3, 2))
	everyMode(t, twice, [][]string{{"1"}, {"2"}, {"2"}, {"3"}}, false)
}

func TestNestedRecursion(t *testing.T) {
	// For each n below 3 that came last: all from n to 4, then those below 3 plus 1.
	outer := storedOf(1, numbers, 0)
	inner := storedOf(2, numbers, 0)
	from := filterOf(outer, call("lt", column(outer, 0), integer(3)))
	up := recurseOf(2, true, from, projectOf(filterOf(inner, call("lt", column(inner, 0), integer(4))), call("add", column(inner, 0), integer(1))))
	everyMode(t, recurseOf(1, true, valuesOf(0), up), counted(0, 4), true)
	// An inner recursion that does not read the outer's rows, and a materialization in the step that does.
	s := storedOf(1, numbers, 0)
	defined := materializeOf(3, filterOf(s, call("lt", column(s, 0), integer(3))), concatOf(storedOf(3, numbers, 0), storedOf(3, numbers, 0)))
	step := projectOf(defined, call("add", column(defined, 0), integer(1)))
	everyMode(t, recurseOf(1, false, valuesOf(1), step), [][]string{{"1"}, {"2"}, {"2"}, {"3"}, {"3"}, {"3"}, {"3"}}, false)
	apart := limitOf(counting(4, false, 1<<40, 7), 2, 0)
	step = concatOf(projectOf(filterOf(s, call("lt", column(s, 0), integer(2))), call("add", column(s, 0), integer(1))), filterOf(apart, call("lt", column(apart, 0), integer(0))))
	everyMode(t, recurseOf(1, false, valuesOf(1), step), [][]string{{"1"}, {"2"}}, false)
}

// TestRecursionKeepsInvariants counts how often the step reads a table that does not depend on the rows that came last.
func TestRecursionKeepsInvariants(t *testing.T) {
	table := newTable(t, people, somePeople(300, 3))
	most := groupOf(scanOf(table), nil, aggregateOf("count"))
	s := storedOf(1, numbers, 0)
	shifted := projectOf(filterOf(s, call("lt", column(s, 0), integer(50))), call("add", column(s, 0), integer(1)))
	step := concatOf(shifted, filterOf(most, call("lt", column(most, 0), integer(0))))
	got, err := newRun(2, 0).rows(t, recurseOf(1, false, valuesOf(1), step))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, counted(1, 50)); d != "" {
		t.Error(d)
	}
	if table.opened.Load() != 1 || table.closed.Load() != 1 {
		t.Errorf("the table was opened %d times and closed %d times, want 1", table.opened.Load(), table.closed.Load())
	}
}

// TestRecursionFaults ends recursions by faults, cancellation and a short budget.
func TestRecursionFaults(t *testing.T) {
	build := func() plan.Physical {
		s := storedOf(1, numbers, 0)
		a := groupOf(s, []int{0}, aggregateOf("count"))
		step := projectOf(filterOf(a, call("lt", column(a, 0), integer(30))), call("add", column(a, 0), integer(1)))
		return materializeOf(2, recurseOf(1, true, valuesOf(1, 2), step), concatOf(storedOf(2, numbers, 0), storedOf(2, numbers, 0)))
	}
	p := planOf(build())
	for _, threads := range []int{1, 4} {
		for operator := range p.Operators {
			for _, kind := range []string{"error", "panic", "cancel"} {
				for _, nth := range []int64{1, 9} {
					ctx, cancel := context.WithCancel(t.Context())
					r := newRun(threads, 2)
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
					q, err := Run(ctx, p, r.options)
					if err != nil {
						t.Fatal(err)
					}
					_, err = drainRows(t, q, p.Root.Schema())
					r.close(t, q)
					cancel()
					switch {
					case calls.Load() < nth:
						if err != nil {
							t.Errorf("operator %d: %v", operator, err)
						}
						if nth == 1 {
							t.Errorf("operator %d saw no batch", operator)
						}
					case kind == "error" && !errors.Is(err, errBroken):
						t.Errorf("operator %d, %d threads: got %v, want the injected error", operator, threads, err)
					case kind == "panic":
						wantCode(t, err, types.CodeInternal)
					case kind == "cancel":
						wantCode(t, err, types.CodeQueryCanceled)
					}
				}
			}
		}
	}
	endless := groupOf(counting(1, false, 1<<40, 1), nil, aggregateOf("count"))
	for _, threads := range []int{1, 4} {
		if took := timeToCancel(t, "endless recursion", endless, threads, true); took > time.Second {
			t.Errorf("the endless recursion took %v to end", took)
		}
		// With UNION the rows that were there take memory.
		r := newRun(threads, 0)
		r.budget = NewBudget(300 << 10)
		r.options.Budget = r.budget
		_, err := r.rows(t, groupOf(counting(1, true, 1<<40, 1), nil, aggregateOf("count")))
		wantCode(t, err, types.CodeOutOfMemory)
	}
}

// TestRecursionMemory checks that an iteration gives back what it took: the budget would not be enough for all of them.
func TestRecursionMemory(t *testing.T) {
	s := storedOf(1, numbers, 0)
	a := sortOf(groupOf(s, []int{0}, aggregateOf("count")), -1, 0, ascending(integer(1)))
	step := projectOf(filterOf(a, call("lt", column(a, 0), integer(1000))), call("add", column(a, 0), integer(1)))
	r := newRun(2, 0)
	r.budget = NewBudget(512 << 10)
	r.options.Budget = r.budget
	got, err := r.rows(t, recurseOf(1, false, valuesOf(1), step))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, counted(1, 1000)); d != "" {
		t.Error(d)
	}
}

func BenchmarkRecursion(b *testing.B) {
	s := storedOf(1, numbers, 0)
	a := groupOf(s, []int{0}, aggregateOf("count"))
	step := projectOf(filterOf(a, call("lt", column(a, 0), integer(1000))), call("add", column(a, 0), integer(1)))
	for name, root := range map[string]plan.Physical{"streaming": counting(1, false, 1000, 1), "aggregate": recurseOf(1, true, valuesOf(1), step)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				rows, err := newRun(2, 0).rows(b, root)
				if err != nil || len(rows) != 1000 {
					b.Fatal(len(rows), err)
				}
			}
		})
	}
}

// edgesTable is a chain of edges from each number to the next one.
func edgesTable(t testing.TB, n int) *fakeTable {
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{i, i + 1})
	}
	table := newTable(t, types.Schema{{Name: "src", Type: types.BigInt}, {Name: "dst", Type: types.BigInt}}, rows)
	table.morselRows = 4096
	return table
}

// reach gives the nodes that a number of steps reach from the first one.
func reach(table *fakeTable, steps int) plan.Physical {
	s, edges := storedOf(1, numbers, 0), scanOf(table)
	last := filterOf(s, call("lt", column(s, 0), integer(steps)))
	next := &plan.HashJoin{
		Operator: plan.Operator{Output: slices.Concat(last.Schema(), edges.Schema())}, Kind: plan.InnerJoin, Left: last, Right: edges,
		Keys: []plan.JoinKey{{Left: column(last, 0), Right: column(edges, 0)}}, Columns: []int{0, 1, 2},
	}
	return recurseOf(1, true, valuesOf(0), projectOf(next, column(next, 2)))
}

// TestRecursionKeepsJoinTable checks that the table over a join's side that does not vary is built once.
func TestRecursionKeepsJoinTable(t *testing.T) {
	for _, threads := range []int{1, 4} {
		table := edgesTable(t, 3000)
		got, err := newRun(threads, 0).rows(t, reach(table, 500))
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, counted(0, 500)); d != "" {
			t.Error(d)
		}
		if table.opened.Load() != 1 || table.closed.Load() != 1 {
			t.Errorf("the table was opened %d times and closed %d times, want 1", table.opened.Load(), table.closed.Load())
		}
	}
}

func BenchmarkRecursionOverJoin(b *testing.B) {
	table := edgesTable(b, 1_000_000)
	for b.Loop() {
		rows, err := newRun(2, 0).rows(b, reach(table, 1000))
		if err != nil || len(rows) != 1001 {
			b.Fatal(len(rows), err)
		}
	}
}
