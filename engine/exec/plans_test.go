package exec

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

var (
	negativeZero = math.Copysign(0, -1)
	nan          = math.NaN()
	otherNaN     = math.Float64frombits(0xfff8000000000123)
)

var functions = func() *expr.Set {
	set := expr.NewSet()
	scalar.Register(set)
	agg.Register(set)
	return set
}()

// call binds a function as the binder does: arguments are cast to the types it takes.
func call(name string, args ...*expr.Expr) *expr.Expr {
	f, err := functions.Lookup(name).Bind(argsOf(args))
	if err != nil || f == nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	cast := make([]*expr.Expr, len(args))
	for i, a := range args {
		cast[i] = expr.NewCast(a, f.Args[i], false)
	}
	return expr.NewCall(f, cast...)
}

func argsOf(args []*expr.Expr) []expr.Arg {
	out := make([]expr.Arg, len(args))
	for i, a := range args {
		out[i] = expr.Arg{Type: a.Type}
		if a.Op == expr.Constant {
			out[i].Constant = a.Value
		}
	}
	return out
}

func constant(typ types.Type, value any) *expr.Expr {
	v, err := types.NewValue(typ, value)
	if err != nil {
		panic(err)
	}
	return expr.NewConstant(v)
}

func integer(i int) *expr.Expr { return constant(types.BigInt, i) }

// aggregateOf binds an aggregate.
func aggregateOf(name string, args ...*expr.Expr) plan.PhysicalAggregate {
	f, err := functions.Lookup(name).BindAggregate(argsOf(args))
	if err != nil || f == nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	cast := make([]*expr.Expr, len(args))
	for i, a := range args {
		cast[i] = expr.NewCast(a, f.Args[i], false)
	}
	return plan.PhysicalAggregate{Function: f, Args: cast}
}

func distinct(a plan.PhysicalAggregate) plan.PhysicalAggregate {
	a.Distinct = true
	return a
}

func filtered(a plan.PhysicalAggregate, condition *expr.Expr) plan.PhysicalAggregate {
	a.Filter = condition
	return a
}

func inOrder(a plan.PhysicalAggregate, keys ...plan.SortKey) plan.PhysicalAggregate {
	a.Order = keys
	return a
}

// column reads a column of an operator.
func column(input plan.Physical, i int) *expr.Expr {
	f := input.Schema()[i]
	return expr.NewColumn(i, f.Name, f.Type, f.Nullable)
}

func scanOf(t *fakeTable) plan.Physical {
	p := &plan.TableScan{Table: t, Name: "t", Request: catalog.ScanRequest{Limit: -1}}
	for i := range t.schema {
		p.Request.Columns = append(p.Request.Columns, catalog.ColumnPath{Column: i})
	}
	p.Output = t.schema
	return p
}

func filterOf(input plan.Physical, condition *expr.Expr) plan.Physical {
	return &plan.FilterRows{Operator: plan.Operator{Output: input.Schema()}, Input: input, Condition: condition}
}

func projectOf(input plan.Physical, exprs ...*expr.Expr) plan.Physical {
	return &plan.ProjectColumns{Operator: plan.Operator{Output: schemaOf(exprs)}, Input: input, Exprs: exprs}
}

func schemaOf(exprs []*expr.Expr) types.Schema {
	var s types.Schema
	for i, e := range exprs {
		s = append(s, types.Field{Name: fmt.Sprintf("c%d", i), Type: e.Type, Nullable: e.Nullable})
	}
	return s
}

// groupOf aggregates by the columns of the input that keys names.
func groupOf(input plan.Physical, keys []int, aggregates ...plan.PhysicalAggregate) plan.Physical {
	p := &plan.HashAggregate{Input: input, Aggregates: aggregates}
	for _, k := range keys {
		p.Keys = append(p.Keys, column(input, k))
		p.Strategy = plan.AggregateHash
	}
	p.Output = schemaOf(p.Keys)
	for _, a := range aggregates {
		p.Output = append(p.Output, types.Field{Name: a.Function.Name, Type: a.Function.Result, Nullable: a.Function.Nullable})
	}
	return p
}

// setsOf aggregates by grouping sets, and gives the number of the set as the last column.
func setsOf(input plan.Physical, keys []int, sets [][]int, aggregates ...plan.PhysicalAggregate) plan.Physical {
	p := groupOf(input, keys, aggregates...).(*plan.HashAggregate)
	p.Sets, p.Grouping = sets, true
	for i := range keys {
		p.Output[i].Nullable = true
	}
	p.Output = append(p.Output, types.Field{Name: "set", Type: types.BigInt})
	return p
}

func ascending(e *expr.Expr) plan.SortKey { return plan.SortKey{Expr: e} }

func descending(e *expr.Expr) plan.SortKey {
	return plan.SortKey{Expr: e, Descending: true, NullsFirst: true}
}

func sortOf(input plan.Physical, limit, offset int64, keys ...plan.SortKey) plan.Physical {
	return &plan.SortRows{Operator: plan.Operator{Output: input.Schema()}, Input: input, Keys: keys, Limit: limit, Offset: offset}
}

func limitOf(input plan.Physical, count, offset int64) plan.Physical {
	return &plan.LimitRows{Operator: plan.Operator{Output: input.Schema()}, Input: input, Count: count, Offset: offset}
}

func concatOf(inputs ...plan.Physical) plan.Physical {
	return &plan.ConcatRows{Operator: plan.Operator{Output: inputs[0].Schema()}, Sources: inputs}
}

func materializeOf(id plan.SharedID, definition, body plan.Physical) plan.Physical {
	return &plan.MaterializeRows{Operator: plan.Operator{Output: body.Schema()}, ID: id, Name: "w", Definition: definition, Body: body}
}

// storedOf reads columns of the rows of a materialization or a recursion.
func storedOf(id plan.SharedID, rows types.Schema, columns ...int) plan.Physical {
	p := &plan.MaterializedScan{ID: id, Name: "w", Columns: columns}
	for _, c := range columns {
		p.Output = append(p.Output, rows[c])
	}
	return p
}

func recurseOf(id plan.SharedID, distinct bool, initial, step plan.Physical) plan.Physical {
	return &plan.RecurseRows{Operator: plan.Operator{Output: initial.Schema()}, ID: id, Name: "r", Initial: initial, Step: step, Distinct: distinct}
}

// unnestOf gives a row for each element of the lists that exprs give.
func unnestOf(input plan.Physical, ordinality, outer bool, exprs ...*expr.Expr) plan.Physical {
	p := &plan.UnnestRows{Operator: plan.Operator{Output: slices.Clone(input.Schema())}, Input: input, Exprs: exprs, Ordinality: ordinality, Outer: outer}
	for i, e := range exprs {
		p.Output = append(p.Output, types.Field{Name: fmt.Sprintf("e%d", i), Type: e.Type.Elem().Type, Nullable: true})
	}
	if ordinality {
		p.Output = append(p.Output, types.Field{Name: "ordinality", Type: types.BigInt, Nullable: true})
	}
	return p
}

func sampleOf(input plan.Physical, method plan.SampleMethod, percent float64, rows int64, seed int64) plan.Physical {
	return &plan.SampleRows{
		Operator: plan.Operator{Output: input.Schema()}, Input: input, Method: method, Percent: percent, Rows: rows, Seed: seed, Seeded: true,
	}
}

// valuesOf gives rows of one BIGINT column.
func valuesOf(values ...int) plan.Physical {
	p := &plan.ValuesScan{Operator: plan.Operator{Output: types.Schema{{Name: "n", Type: types.BigInt}}}}
	for _, v := range values {
		p.Rows = append(p.Rows, []*expr.Expr{integer(v)})
	}
	return p
}

// planOf numbers the operators as EXPLAIN does.
func planOf(root plan.Physical) *plan.PhysicalPlan {
	n := 0
	var number func(plan.Physical)
	number = func(p plan.Physical) {
		p.Common().Number = n
		n++
		for _, input := range p.Inputs() {
			number(input)
		}
	}
	number(root)
	return &plan.PhysicalPlan{Root: root, Operators: n}
}

// run is a query's surroundings in a test.
type run struct {
	budget  *Budget
	options Options
}

func newRun(threads, batchRows int) *run {
	budget := NewBudget(1 << 30)
	return &run{budget: budget, options: Options{
		Scheduler: NewScheduler(threads), Budget: budget, Threads: threads, BatchRows: batchRows,
	}}
}

// rows runs a plan to its end and gives its rows as text, NULL for null. Whatever happens, nothing of the query may be left.
func (r *run) rows(t testing.TB, root plan.Physical) ([][]string, error) {
	t.Helper()
	q, err := Run(t.Context(), planOf(root), r.options)
	if err != nil {
		return nil, err
	}
	rows, err := drainRows(t, q, root.Schema())
	r.close(t, q)
	return rows, err
}

// close ends a query and checks that it has given everything back.
func (r *run) close(t testing.TB, q *Execution) {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Error("Close:", err)
	}
	if used := r.budget.Used(); used != 0 {
		t.Errorf("%d bytes are still reserved after Close", used)
	}
	if held := len(r.options.Scheduler.tokens); held != 0 {
		t.Errorf("%d worker tokens are still held after Close", held)
	}
}

func drainRows(t testing.TB, q *Execution, schema types.Schema) ([][]string, error) {
	t.Helper()
	rows := [][]string{}
	for {
		b, err := q.Next()
		if err != nil || b == nil {
			return rows, err
		}
		if b.Selection != nil || b.Selected != b.Rows || len(b.Columns) != len(schema) {
			t.Fatalf("a result batch of %d columns, %d rows, %d selected", len(b.Columns), b.Rows, b.Selected)
		}
		for i, v := range b.Columns {
			if v.Len() != b.Rows || !v.Type().Equal(schema[i].Type) {
				t.Fatalf("column %d is %d rows of %s, want %d of %s", i, v.Len(), v.Type(), b.Rows, schema[i].Type)
			}
		}
		for r := range b.Rows {
			row := make([]string, len(b.Columns))
			for i, v := range b.Columns {
				row[i] = textAt(v, r)
			}
			rows = append(rows, row)
		}
	}
}

func textAt(v *types.Vector, row int) string {
	if _, _, ok := v.Locate(row); !ok {
		return "NULL"
	}
	return types.Text(v, row)
}
