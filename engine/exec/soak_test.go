package exec

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

var (
	soakTime = flag.Duration("soak", time.Second, "how long TestSoak injects faults")
	soakSeed = flag.Uint64("soakseed", 1, "where TestSoak starts")
)

// soakQueries have every operator among them, as the planner puts them together; each names its columns and gives the same rows every time, but for their order.
var soakQueries = []string{
	"SELECT id, town FROM p WHERE age > 30",
	"SELECT town, count(*), sum(age), count(DISTINCT color), list(id ORDER BY id) FROM p GROUP BY town",
	"SELECT color, adult, grouping(color), max(id) FILTER (WHERE age > 20) FROM p GROUP BY CUBE (color, adult)",
	"SELECT DISTINCT town, color FROM p",
	"SELECT id FROM p ORDER BY age DESC, id LIMIT 20 OFFSET 3",
	"SELECT id, age FROM p ORDER BY town, id",
	"SELECT id FROM (SELECT id FROM p LIMIT 100 OFFSET 5) AS s WHERE id % 3 = 0",
	"SELECT id FROM p WHERE age < 20 UNION ALL SELECT id + 1 FROM p WHERE adult",
	"(SELECT age FROM p INTERSECT ALL SELECT id FROM q) EXCEPT SELECT 7",
	"SELECT p.id, q.town FROM p JOIN q ON p.age = q.id",
	"SELECT p.id, q.town FROM p LEFT JOIN q ON p.age = q.id AND p.weight < q.weight",
	"SELECT p.id, q.town FROM p RIGHT JOIN q ON p.town = q.town AND p.id < q.id",
	"SELECT p.id, q.id FROM p FULL JOIN q ON p.town = q.town AND p.age = q.age",
	"SELECT id FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.age = p.age AND q.id <> p.id)",
	"SELECT id FROM p WHERE age NOT IN (SELECT q.age FROM q WHERE q.town = p.town)",
	"SELECT id, age IN (SELECT id FROM q), age > ALL (SELECT id FROM q WHERE q.color = p.color) FROM p",
	"SELECT p.id, q.id FROM p JOIN q ON p.age < q.age AND p.id > q.id WHERE q.id < 20",
	"SELECT p.id, q.id FROM p LEFT JOIN q ON p.weight <= q.weight WHERE p.id < 100",
	"SELECT p.id, q.id FROM p FULL JOIN q ON p.id + q.id = 30 OR p.age IS NULL",
	"SELECT count(*) FROM p CROSS JOIN q",
	"SELECT p.id, (SELECT count(*) FROM q WHERE q.age < p.age) FROM p",
	"SELECT p.id, s.x FROM p LEFT JOIN LATERAL (SELECT q.id AS x FROM q WHERE q.town = p.town ORDER BY q.id LIMIT 2) AS s ON true",
	"SELECT id, rank() OVER (PARTITION BY town ORDER BY age), sum(age) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM p",
	"SELECT id, lag(age, 2) OVER w, max(age) OVER (PARTITION BY color ORDER BY age RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE TIES) FROM p WINDOW w AS (ORDER BY id)",
	"WITH c AS MATERIALIZED (SELECT town, count(*) AS n FROM p GROUP BY town) SELECT a.town, b.n FROM c AS a JOIN c AS b ON a.n <= b.n",
	"WITH RECURSIVE r(x, n) AS (SELECT id, 0 FROM q UNION SELECT (r.x * 2 + 1) % 97, n + 1 FROM r WHERE n < 8) SELECT * FROM r",
	"WITH RECURSIVE r(x, n) AS (SELECT id, 0 FROM q UNION ALL SELECT p.age, n + 1 FROM r JOIN p ON r.x = p.id WHERE n < 4) SELECT * FROM r",
	"SELECT id, unnest([id, age, NULL]) FROM p",
	"SELECT p.id, u.x FROM p CROSS JOIN unnest([p.age, p.id]) AS u(x) JOIN q ON q.id = u.x",
	"SELECT count(*), count(id) FROM p TABLESAMPLE reservoir(50 ROWS)",
	"SELECT count(*) < 301, min(id) >= 0 FROM p TABLESAMPLE bernoulli(90 PERCENT)",
	"SELECT v.x, p.id FROM (VALUES (1), (2), (NULL)) AS v(x) LEFT JOIN p ON p.id = v.x",
}

// soakPlan plans a query over the tables.
func soakPlan(t *testing.T, query string, optimizerOff bool, tables map[string]*fakeTable) *plan.PhysicalPlan {
	t.Helper()
	functions := expr.NewSet()
	scalar.Register(functions)
	agg.Register(functions)
	names := catalog.New(catalog.LocalFiles{}, functions)
	for name, table := range tables {
		if _, _, err := names.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: table}, catalog.ConflictFails); err != nil {
			t.Fatal(err)
		}
	}
	statements, err := sql.Parse(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	bound, err := sql.Bind(t.Context(), query, statements[0], sql.Session{Catalog: names, NullsFirst: func(bool) bool { return false }, Zone: time.UTC})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	logical, err := (&plan.Optimizer{IDs: bound.IDs, Off: optimizerOff}).Optimize(bound.Plan)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	physical, err := plan.Build(logical)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return physical
}

// TestSoakHasEveryOperator keeps soakQueries complete.
func TestSoakHasEveryOperator(t *testing.T) {
	seen := map[string]bool{}
	var see func(plan.Physical)
	see = func(p plan.Physical) {
		switch p := p.(type) {
		case *plan.HashJoin:
			seen[fmt.Sprintf("hash join %v", p.Kind)] = true
		case *plan.LoopJoin:
			seen[fmt.Sprintf("loop join, ranges %v", p.Ranges != nil)] = true
		default:
			seen[fmt.Sprintf("%T", p)] = true
		}
		for _, input := range p.Inputs() {
			see(input)
		}
	}
	tables := map[string]*fakeTable{"p": newTable(t, people, somePeople(300, 3)), "q": newTable(t, people, somePeople(40, 4))}
	for _, query := range soakQueries {
		see(soakPlan(t, query, false, tables).Root)
		see(soakPlan(t, query, true, tables).Root)
	}
	want := []string{"loop join, ranges true", "loop join, ranges false"}
	for _, kind := range []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.RightJoin, plan.FullJoin, plan.SemiJoin, plan.AntiJoin, plan.MarkJoin} {
		want = append(want, fmt.Sprintf("hash join %v", kind))
	}
	for _, p := range []plan.Physical{
		&plan.TableScan{}, &plan.ValuesScan{}, &plan.FilterRows{}, &plan.ProjectColumns{}, &plan.HashAggregate{}, &plan.SortRows{}, &plan.LimitRows{},
		&plan.ConcatRows{}, &plan.WindowRows{}, &plan.MaterializeRows{}, &plan.MaterializedScan{}, &plan.RecurseRows{}, &plan.UnnestRows{}, &plan.SampleRows{},
	} {
		want = append(want, fmt.Sprintf("%T", p))
	}
	for _, name := range want {
		if !seen[name] {
			t.Errorf("no query has the operator %s", name)
		}
	}
}

// TestSoak lets random queries meet random faults for a while (-soak 60s): an error, a panic, a cancelled context and a reader that goes away, at any
// operator and batch, a deadline, and too little memory. The caller gets the right error or the right rows, and nothing is left: no memory, worker, open
// scan or goroutine. Every query runs again untouched between the faults, so that a fault cannot hurt the next query.
func TestSoak(t *testing.T) {
	r := rand.New(rand.NewPCG(*soakSeed, 60))
	people1, people2 := somePeople(300, 3), somePeople(40, 4)
	want := map[string][][]string{}
	faults := map[string]int{}
	existing := goleak.IgnoreCurrent()
	runs := 0
	for end := time.Now().Add(*soakTime); time.Now().Before(end) && !t.Failed(); runs++ {
		tables := map[string]*fakeTable{"p": newTable(t, people, people1), "q": newTable(t, people, people2)}
		shape := variants[r.IntN(len(variants))]
		for _, table := range tables {
			shape.apply(table)
		}
		query := soakQueries[r.IntN(len(soakQueries))]
		p := soakPlan(t, query, r.IntN(2) == 0, tables)
		write := r.IntN(8) == 0
		var written *Budget
		var target *mem.Store
		if write {
			store, budget := storeOf(p.Root.Schema())
			target = store
			p, written = plan.NewWrite(p, plan.WriteRows{Verb: "Insert into", Name: "w", Target: store, Columns: store.Schema()}), budget
		}
		f := soakFault{kind: soakKinds[r.IntN(len(soakKinds))], operator: r.IntN(p.Operators), nth: 1 + r.Int64N(6), size: 1 << (10 + r.IntN(12))}
		name := fmt.Sprintf("run %d: %s, %s, write %v, %+v", runs, query, shape.name, write, f)
		rows, err, fired := f.run(t, newRun([]int{1, 2, 3, 8}[r.IntN(4)], []int{1, 3, 16, 0}[r.IntN(4)]), p)
		if fired {
			faults[f.kind]++
		}
		f.check(t, name, err, fired)
		key := query
		if tables["p"].selected != nil { // it has fewer rows
			key += shape.name
		}
		if err == nil && !write && f.kind != "close" {
			sortRowsOf(rows)
			if want[key] == nil {
				want[key] = rows
			} else if d := difference(rows, want[key]); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
		for table, data := range tables {
			if opened, closed := data.opened.Load(), data.closed.Load(); opened != closed {
				t.Errorf("%s: %d scans of %s were opened, %d closed", name, opened, table, closed)
			}
		}
		if written != nil && err != nil && written.Used() != 0 {
			// What meets the number of written rows on its way out comes after the commit: then all rows are there.
			early := (f.kind == "error" || f.kind == "panic") && f.operator != p.Root.Common().Number
			if n := target.Statistics().Rows; early || want[key] != nil && n != int64(len(want[key])) {
				t.Errorf("%s: the failed write left %d bytes and %d rows in the table", name, written.Used(), n)
			}
		}
		if runs%20 == 0 {
			if err := goleak.Find(existing); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := goleak.Find(existing); err != nil {
		t.Error(err)
	}
	t.Logf("%d runs in %v, that met %v", runs, *soakTime, faults)
}

var soakKinds = []string{"none", "none", "error", "panic", "cancel", "close", "deadline", "budget"}

// soakFault is what happens to a query.
type soakFault struct {
	kind     string
	operator int   // where, for error, panic and cancel
	nth      int64 // at which of its batches; for close, how many result batches are read
	size     int64 // for budget, in bytes
}

// run runs a plan with the fault and reports whether the fault has happened, which is not known of a deadline.
func (f soakFault) run(t *testing.T, r *run, p *plan.PhysicalPlan) (rows [][]string, err error, fired bool) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch f.kind {
	case "deadline":
		ctx, cancel = context.WithTimeout(ctx, time.Duration(f.size)*time.Microsecond/1000)
		defer cancel()
	case "budget":
		r.budget = NewBudget(f.size)
		r.options.Budget = r.budget
	}
	var calls atomic.Int64
	r.options.fault = func(operator int) error {
		if operator != f.operator || calls.Add(1) != f.nth {
			return nil
		}
		switch f.kind {
		case "error":
			return errBroken
		case "panic":
			panic("a bug")
		case "cancel":
			cancel()
		}
		return nil
	}
	q, err := Run(ctx, p, r.options)
	if err != nil {
		t.Fatal(err)
	}
	if f.kind == "close" {
		for range f.nth - 1 {
			if b, err := q.Next(); b == nil || err != nil {
				break
			}
		}
	} else {
		rows, err = drainRows(t, q, p.Root.Schema())
	}
	r.close(t, q)
	return rows, err, calls.Load() >= f.nth || f.kind == "close" || f.kind == "budget" && err != nil || f.kind == "deadline" && err != nil
}

// check says whether a query may end with an error. A fault that came when all rows were there already may stay without one.
func (f soakFault) check(t *testing.T, name string, err error, fired bool) {
	t.Helper()
	if err == nil {
		if fired && (f.kind == "error" || f.kind == "panic") && !strings.Contains(name, "LIMIT") { // rows after a limit are not wanted, nor are their errors
			t.Errorf("%s: the fault was lost", name)
		}
		return
	}
	var typed *types.Error
	errors.As(err, &typed)
	var right bool
	switch f.kind {
	case "error":
		right = errors.Is(err, errBroken)
	case "panic":
		right = typed != nil && typed.Code == types.CodeInternal
	case "cancel", "deadline":
		right = typed != nil && typed.Code == types.CodeQueryCanceled
	case "budget":
		right = errors.Is(err, types.ErrOutOfMemory)
	}
	if !right || !fired {
		t.Errorf("%s: got the error %v", name, err)
		if typed != nil {
			t.Log(typed.Err) // the stack of a panic
		}
	}
}
