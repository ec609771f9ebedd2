package exec

import (
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
)

// randomPlan puts up to depth random operators over the table. All its plans give the columns id and age of people or numbers in their place, and
// their rows in an order that the plan determines.
func randomPlan(r *rand.Rand, table *fakeTable, depth int) plan.Physical {
	if depth == 0 {
		s := scanOf(table)
		return projectOf(s, column(s, idColumn), call("add", column(s, ageColumn), integer(0)))
	}
	input := randomPlan(r, table, depth-1)
	a, b := column(input, 0), column(input, 1)
	all := []plan.SortKey{{Expr: b, Descending: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}, ascending(a)}
	switch r.IntN(9) {
	case 0:
		return filterOf(input, call("gt", b, integer(r.IntN(80)-10)))
	case 1:
		return projectOf(input, call("add", a, integer(1)), call("subtract", b, a))
	case 2:
		return limitOf(input, int64(r.IntN(500)), int64(r.IntN(30)))
	case 3:
		return limitOf(input, -1, int64(r.IntN(100)))
	case 4:
		return sortOf(input, -1, 0, all[:1+r.IntN(2)]...)
	case 5:
		return sortOf(input, int64(r.IntN(200)), int64(r.IntN(20)), all[:1+r.IntN(2)]...)
	case 6:
		g := groupOf(projectOf(input, call("mod", b, integer(7)), a, b), []int{0}, aggregateOf("count"), distinct(aggregateOf("count", column(input, 1))))
		g = projectOf(g, column(g, 1), call("add", column(g, 0), column(g, 2)))
		return sortOf(g, -1, 0, ascending(column(g, 1)), ascending(column(g, 0)))
	case 7:
		w := windowOf(input, []*expr.Expr{call("mod", b, integer(3))}, all[:r.IntN(3)], everyMethod(input, b)...)
		n := len(w.Schema())
		return projectOf(w, column(w, n-1-r.IntN(4)), b)
	default:
		return concatOf(input, limitOf(randomPlan(r, table, r.IntN(depth)), int64(r.IntN(50)), 0))
	}
}

// TestRandomPlans compares stacks of operators under one worker and batches of one row with other shapes of execution.
func TestRandomPlans(t *testing.T) {
	rows := somePeople(600, 21)
	for seed := range uint64(150) {
		build := func(v variant) plan.Physical {
			table := newTable(t, people, rows)
			v.apply(table)
			return randomPlan(rand.New(rand.NewPCG(seed, 2)), table, 1+int(seed%6))
		}
		want, err := newRun(1, 1).rows(t, build(variants[0]))
		if err != nil {
			t.Fatalf("plan %d: %v", seed, err)
		}
		for _, shape := range []struct{ threads, batchRows, variant int }{{1, 0, 1}, {2, 7, 2}, {8, 0, 3}, {8, 16, 1}, {3, 64, 4}} {
			got, err := newRun(shape.threads, shape.batchRows).rows(t, build(variants[shape.variant]))
			if err != nil {
				t.Fatalf("plan %d, %+v: %v", seed, shape, err)
			}
			if d := difference(got, want); d != "" {
				t.Errorf("plan %d, %+v: %s", seed, shape, d)
			}
		}
	}
}
