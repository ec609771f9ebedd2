package exec

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// joinOf joins on columns of both sides, with all columns in the output.
func joinOf(kind plan.JoinKind, buildLeft bool, l, r plan.Physical, columns ...int) plan.Physical {
	p := &plan.HashJoin{Kind: kind, Left: l, Right: r, BuildLeft: buildLeft}
	for _, c := range columns {
		p.Keys = append(p.Keys, plan.JoinKey{Left: column(l, c), Right: column(r, c)})
	}
	p.Output, p.Columns = joinOutput(kind, l, r)
	return p
}

// crossOf joins in a loop on a condition over the columns of both sides.
func crossOf(kind plan.JoinKind, l, r plan.Physical, condition *expr.Expr) plan.Physical {
	p := &plan.LoopJoin{Kind: kind, Left: l, Right: r, Condition: condition}
	p.Output, p.Columns = joinOutput(kind, l, r)
	return p
}

func joinOutput(kind plan.JoinKind, l, r plan.Physical) (types.Schema, []int) {
	output := append(types.Schema(nil), l.Schema()...)
	if kind != plan.SemiJoin && kind != plan.AntiJoin {
		output = append(output, r.Schema()...)
	}
	columns := make([]int, len(output))
	for i := range columns {
		columns[i], output[i].Nullable = i, true
	}
	return output, columns
}

// right reads a column of the right side in a condition over both sides.
func right(l, r plan.Physical, i int) *expr.Expr {
	f := r.Schema()[i]
	return expr.NewColumn(len(l.Schema())+i, f.Name, f.Type, f.Nullable)
}

// everyJoin is a plan with joins that build either side, end with build rows, loop, and lie in each other's build and probe sides.
func everyJoin(t *fakeTable) plan.Physical {
	s := scanOf(t)
	few := func() plan.Physical { return filterOf(scanOf(t), agedOver(scanOf(t), 80)) }
	full := joinOf(plan.FullJoin, false, scanOf(t), few(), townColumn, ageColumn)
	semi := joinOf(plan.SemiJoin, true, scanOf(t), few(), idColumn)
	l := projectOf(joinOf(plan.LeftJoin, true, full, semi, idColumn), column(full, idColumn), column(full, ageColumn))
	c := filterOf(s, call("lt", column(s, idColumn), integer(5)))
	c = projectOf(c, column(c, idColumn), column(c, ageColumn))
	loop := crossOf(plan.RightJoin, l, c, call("lt", column(l, 1), right(l, c, 0)))
	return groupOf(loop, []int{0}, aggregateOf("count"))
}

// TestJoinFaults lets each operator of a stack of joins fail, panic and be cancelled.
func TestJoinFaults(t *testing.T) {
	rows := somePeople(700, 3)
	operators := planOf(everyJoin(newTable(t, people, rows))).Operators
	for _, threads := range []int{1, 2, 8} {
		for operator := range operators {
			for _, nth := range []int64{1, 5} {
				for _, kind := range []string{"none", "error", "panic", "cancel"} {
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
						case "cancel":
							cancel()
						}
						return nil
					}
					table := newTable(t, people, rows)
					root := everyJoin(table)
					q, err := Run(ctx, planOf(root), r.options)
					if err != nil {
						t.Fatal(err)
					}
					_, err = drainRows(t, q, root.Schema())
					r.close(t, q)
					cancel()
					switch {
					case calls.Load() == 0:
						t.Errorf("operator %d saw no batch", operator)
					case calls.Load() < nth || kind == "none":
						if err != nil {
							t.Errorf("operator %d: %v", operator, err)
						}
					case kind == "error" && !errors.Is(err, errBroken):
						t.Errorf("operator %d, %d threads: got %v, want the injected error", operator, threads, err)
					case kind == "panic":
						wantCode(t, err, types.CodeInternal)
					case kind == "cancel":
						wantCode(t, err, types.CodeQueryCanceled)
					}
					if table.opened.Load() != table.closed.Load() {
						t.Errorf("%d scans opened, %d closed", table.opened.Load(), table.closed.Load())
					}
				}
			}
		}
	}
}

func TestJoinBudget(t *testing.T) {
	table := newTable(t, people, somePeople(20000, 3))
	s := scanOf(table)
	for name, root := range map[string]plan.Physical{
		"words":  joinOf(plan.InnerJoin, false, s, s, idColumn),
		"direct": joinOf(plan.SemiJoin, true, s, s, ageColumn),
		"rows":   joinOf(plan.FullJoin, false, s, s, idColumn, townColumn),
		"loop":   crossOf(plan.FullJoin, s, s, constant(types.Boolean, false)),
	} {
		for _, threads := range []int{1, 4} {
			for _, budget := range []int64{60 << 10, 150 << 10} {
				r := newRun(threads, 0)
				r.budget = NewBudget(budget)
				r.options.Budget = r.budget
				_, err := r.rows(t, root)
				if wantCode(t, err, types.CodeOutOfMemory); !errors.Is(err, types.ErrOutOfMemory) {
					t.Errorf("%s: %v is not of the kind ErrOutOfMemory", name, err)
				}
			}
		}
	}
}

// TestJoinSkew has keys with so many matches that the pairs of one batch must not be held at a time.
func TestJoinSkew(t *testing.T) {
	const rows = 20000
	keys := make([][]any, rows)
	for i := range keys {
		keys[i] = []any{int64(7), int64(i)}
	}
	schema := types.Schema{{Name: "k", Type: types.BigInt}, {Name: "i", Type: types.BigInt}}
	build, probe := newTable(t, schema, keys), newTable(t, schema, keys[:2000])
	build.morselRows, probe.morselRows = 4096, 1000
	l, r := scanOf(probe), scanOf(build)
	inner := joinOf(plan.InnerJoin, false, l, r, 0)
	condition := *inner.(*plan.HashJoin)
	condition.Condition = call("eq", call("mod", call("add", column(l, 1), right(l, r, 1)), integer(1000)), integer(0))
	semi := *joinOf(plan.SemiJoin, false, l, r, 0).(*plan.HashJoin)
	semi.Condition = call("lt", column(l, 1), right(l, r, 1))
	for name, c := range map[string]struct {
		root plan.Physical
		want int
	}{
		"all pairs":       {inner, 2000 * rows},
		"a condition":     {&condition, 2000 * rows / 1000},
		"semi, condition": {&semi, 2000},
		"cross":           {crossOf(plan.InnerJoin, l, r, nil), 2000 * rows},
	} {
		run := newRun(2, 0)
		run.budget = NewBudget(24 << 20)
		run.options.Budget = run.budget
		got, err := run.rows(t, groupOf(c.root, nil, aggregateOf("count")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got[0][0] != fmt.Sprint(c.want) {
			t.Errorf("%s: %s rows, want %d", name, got[0][0], c.want)
		}
	}
	// Cancelled in the middle of the pairs of one batch.
	endless := crossOf(plan.InnerJoin, crossOf(plan.InnerJoin, l, r, nil), r, nil)
	if took := timeToCancel(t, "cross", groupOf(endless, nil, aggregateOf("count")), 2, true); took > 2*time.Second {
		t.Errorf("the cancelled join took %v to end", took)
	}
}

// TestJoinEmptyBuild checks that nothing is read of a side that cannot contribute.
func TestJoinEmptyBuild(t *testing.T) {
	table := newTable(t, people, somePeople(300, 3))
	empty := newTable(t, people, nil)
	for kind, reads := range map[plan.JoinKind]int64{plan.InnerJoin: 0, plan.SemiJoin: 0, plan.RightJoin: 0, plan.LeftJoin: 1, plan.AntiJoin: 1, plan.FullJoin: 1} {
		before := table.opened.Load()
		probe := sortOf(scanOf(table), -1, 0, ascending(column(scanOf(table), ageColumn)))
		root := joinOf(kind, false, probe, scanOf(empty), ageColumn)
		got, err := newRun(2, 0).rows(t, root)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != int(reads)*300 {
			t.Errorf("%v: %d rows", kind, len(got))
		}
		if n := table.opened.Load() - before; n != reads {
			t.Errorf("%v: the other side was read %d times, want %d", kind, n, reads)
		}
	}
}
