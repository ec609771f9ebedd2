package plan

import (
	"fmt"
	"math"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
)

// Build chooses the physical plan of an optimized logical one. Columns of the result are those of the root, in order.
func Build(n Node) (*PhysicalPlan, error) {
	b := &builder{}
	root := b.build(n)
	return &PhysicalPlan{Root: root, Operators: number(root, 0), Filters: b.filters}, nil
}

// builder chooses operators for one plan.
type builder struct {
	filters int // dynamic filters so far
	// shared gives the columns of the definitions, by id, whose bodies are being built.
	shared map[SharedID]sharedRows
}

// sharedRows is what a SharedScan needs to know of its definition.
type sharedRows struct {
	columns []Column
	rows    float64
}

// withShared makes a definition known to the scans in what f builds.
func (b *builder) withShared(id SharedID, columns []Column, rows float64, f func() Physical) Physical {
	if b.shared == nil {
		b.shared = map[SharedID]sharedRows{}
	}
	b.shared[id] = sharedRows{columns: columns, rows: rows}
	defer delete(b.shared, id)
	return f()
}

// number gives operators their numbers in the order in which EXPLAIN prints them.
func number(p Physical, next int) int {
	p.Common().Number = next
	next++
	for _, input := range p.Inputs() {
		next = number(input, next)
	}
	return next
}

func (b *builder) build(n Node) Physical {
	switch n := n.(type) {
	case *Scan:
		return buildScan(n)
	case *Values:
		return &ValuesScan{Operator: operator(n, float64(len(n.Rows))), Rows: n.Rows}
	case *Filter:
		return b.buildFilter(n)
	case *Project:
		return b.buildProject(n)
	case *Aggregate:
		return b.buildAggregate(n)
	case *Distinct:
		input := b.build(n.Input)
		p := &HashAggregate{Operator: operator(n, groupsOf(input.Common().Rows)), Input: input, Strategy: AggregateHash}
		for i, c := range n.Columns() {
			p.Keys = append(p.Keys, expr.NewColumn(i, c.Name, c.Type, c.Nullable))
		}
		return p
	case *Sort:
		return b.buildSort(n, -1, 0)
	case *Limit:
		if s, ok := n.Input.(*Sort); ok && n.Count >= 0 {
			return b.buildSort(s, n.Count, n.Offset)
		}
		// A projection between limit and sort changes neither the number nor the order of rows: sort below it, keeping only the top.
		if p, ok := n.Input.(*Project); ok && n.Count >= 0 {
			if s, ok := p.Input.(*Sort); ok {
				return projectOver(p, b.buildSort(s, n.Count, n.Offset))
			}
		}
		input := b.build(n.Input)
		return &LimitRows{
			Operator: operator(n, limited(input.Common().Rows, n.Count, n.Offset)), Input: input, Count: n.Count, Offset: n.Offset,
		}
	case *Join:
		return b.buildJoin(n)
	case *Window:
		return b.buildWindow(n)
	case *Shared:
		p := &MaterializeRows{ID: n.ID, Name: n.Name, Definition: b.build(n.Definition)}
		p.Body = b.withShared(n.ID, n.Definition.Columns(), p.Definition.Common().Rows, func() Physical { return b.build(n.Body) })
		p.Operator = operator(n, p.Body.Common().Rows)
		return p
	case *SharedScan:
		definition := b.shared[n.ID]
		p := &MaterializedScan{Operator: operator(n, definition.rows), ID: n.ID, Name: n.Name}
		for _, id := range n.Source {
			p.Columns = append(p.Columns, mustColumn(definition.columns, id))
		}
		return p
	case *Recursive:
		p := &RecurseRows{Operator: operator(n, -1), ID: n.ID, Name: n.Name, Initial: b.build(n.Initial), Distinct: n.Distinct}
		p.Step = b.withShared(n.ID, n.Output, -1, func() Physical { return b.build(n.Step) })
		return p
	case *Unnest:
		input := b.build(n.Input)
		return &UnnestRows{
			Operator: operator(n, input.Common().Rows), Input: input, Exprs: resolveAll(n.Exprs, n.Input.Columns()), Ordinality: n.Ordinality != nil,
			Outer: n.Outer,
		}
	case *Sample:
		input := b.build(n.Input)
		rows := input.Common().Rows
		if n.Method == SampleReservoir {
			rows = limited(rows, n.Rows, 0)
		} else if rows >= 0 {
			rows *= n.Percent / 100
		}
		return &SampleRows{
			Operator: operator(n, rows), Input: input, Method: n.Method, Percent: n.Percent, Rows: n.Rows, Seed: n.Seed, Seeded: n.Seeded,
		}
	case *UnionAll:
		p := &ConcatRows{Operator: operator(n, 0)}
		for _, input := range n.Inputs {
			source := b.build(input)
			p.Sources = append(p.Sources, source)
			p.Rows = addRows(p.Rows, source.Common().Rows)
		}
		return p
	}
	panic(fmt.Sprintf("plan: %T has no physical form", n))
}

func operator(n Node, rows float64) Operator {
	return Operator{Output: SchemaOf(n), Rows: rows}
}

// resolve gives an expression with column ids replaced by positions among columns.
func resolve(e *expr.Expr, columns []Column) *expr.Expr {
	return e.Rewrite(func(n *expr.Expr) *expr.Expr {
		if n.Op != expr.Column {
			return n
		}
		c := *n
		c.Column = mustColumn(columns, n.Column)
		return &c
	})
}

func resolveAll(es []*expr.Expr, columns []Column) []*expr.Expr {
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = resolve(e, columns)
	}
	return out
}

func resolveKeys(keys []SortKey, columns []Column) []SortKey {
	var out []SortKey
	for _, k := range keys {
		k.Expr = resolve(k.Expr, columns)
		out = append(out, k)
	}
	return out
}

func buildScan(n *Scan) Physical {
	stats := n.Table.Statistics()
	rows := -1.0
	if stats.RowsConfidence != catalog.Unknown {
		rows = float64(stats.Rows)
	}
	scan := &TableScan{
		Table: n.Table, Name: n.Name,
		Request: catalog.ScanRequest{Columns: n.Source, Filters: resolveAll(n.Filters, n.Output), Limit: -1},
	}
	for _, f := range scan.Request.Filters {
		applied := n.Table.Applies(f)
		if applied {
			rows *= selectivity(f)
		}
		scan.Applied = append(scan.Applied, applied)
	}
	scan.Operator = operator(n, rows)
	return scan
}

// buildFilter makes the operator for the conditions that the scan below, if there is one, does not apply by itself.
func (b *builder) buildFilter(n *Filter) Physical {
	input := b.build(n.Input)
	columns := n.Input.Columns()
	scan, _ := input.(*TableScan)
	rows := input.Common().Rows
	var conditions []*expr.Expr
	for _, c := range n.Conditions {
		c = resolve(c, columns)
		if scan != nil && scan.applies(c) {
			continue
		}
		conditions = append(conditions, c)
		rows *= selectivity(c)
	}
	if len(conditions) == 0 {
		return input
	}
	return &FilterRows{Operator: operator(n, rows), Input: input, Condition: expr.NewAnd(conditions...)}
}

// applies reports whether the scan's rows have been filtered by a condition.
func (p *TableScan) applies(condition *expr.Expr) bool {
	for i, f := range p.Request.Filters {
		if p.Applied[i] && f.Equal(condition) {
			return true
		}
	}
	return false
}

func (b *builder) buildProject(n *Project) Physical { return projectOver(n, b.build(n.Input)) }

func projectOver(n *Project, input Physical) Physical {
	columns := n.Input.Columns()
	exprs := resolveAll(n.Exprs, columns)
	identity := len(exprs) == len(columns)
	for i, e := range exprs {
		identity = identity && e.Op == expr.Column && e.Column == i && n.Output[i].Name == columns[i].Name
	}
	if identity {
		return input
	}
	if columns := joinColumns(input); columns != nil && distinctColumns(exprs) {
		chosen := make([]int, len(exprs))
		for i, e := range exprs {
			chosen[i] = (*columns)[e.Column]
		}
		*columns, input.Common().Output = chosen, SchemaOf(n)
		return input
	}
	return &ProjectColumns{Operator: operator(n, input.Common().Rows), Input: input, Exprs: exprs}
}

// joinColumns gives the list of the columns that a join gives; nil of other operators.
func joinColumns(p Physical) *[]int {
	switch p := p.(type) {
	case *HashJoin:
		return &p.Columns
	case *LoopJoin:
		return &p.Columns
	}
	return nil
}

// distinctColumns reports whether expressions are bare columns, each another one.
func distinctColumns(exprs []*expr.Expr) bool {
	seen := columnSet{}
	for _, e := range exprs {
		if e.Op != expr.Column || seen.has(e.Column) {
			return false
		}
		seen[e.Column] = true
	}
	return true
}

func (b *builder) buildAggregate(n *Aggregate) Physical {
	input := b.build(n.Input)
	columns := n.Input.Columns()
	p := &HashAggregate{Operator: operator(n, 1), Input: input, Strategy: AggregateUngrouped, Sets: n.Sets, Grouping: n.Grouping != nil}
	if len(n.Groups) > 0 || n.Sets != nil {
		p.Strategy = AggregateHash
		p.Rows = groupsOf(input.Common().Rows)
	}
	for _, g := range n.Groups {
		p.Keys = append(p.Keys, resolve(g.Expr, columns))
	}
	for _, a := range n.Aggregates {
		call := PhysicalAggregate{Function: a.Function, Args: resolveAll(a.Args, columns), Distinct: a.Distinct && !a.Function.DistinctAgnostic}
		if a.Filter != nil {
			call.Filter = resolve(a.Filter, columns)
		}
		if a.Function.OrderSensitive {
			call.Order = resolveKeys(a.Order, columns)
		}
		p.Aggregates = append(p.Aggregates, call)
	}
	return p
}

func (b *builder) buildSort(n *Sort, limit, offset int64) Physical {
	input := b.build(n.Input)
	p := &SortRows{
		Operator: operator(n, limited(input.Common().Rows, limit, offset)), Input: input, Limit: limit, Offset: offset,
	}
	p.Keys = resolveKeys(n.Keys, n.Input.Columns())
	return p
}

func (b *builder) buildWindow(n *Window) Physical {
	input := b.build(n.Input)
	columns := n.Input.Columns()
	p := &WindowRows{
		Operator: operator(n, input.Common().Rows), Input: input,
		PartitionBy: resolveAll(n.PartitionBy, columns), OrderBy: resolveKeys(n.OrderBy, columns),
	}
	resolved := mapExpressions(n, func(e *expr.Expr) *expr.Expr { return resolve(e, columns) })
	p.Calls = resolved.(*Window).Calls
	return p
}

// limited gives the estimate after LIMIT and OFFSET; estimates are negative when unknown.
func limited(rows float64, count, offset int64) float64 {
	if rows >= 0 {
		rows = math.Max(0, rows-float64(offset))
	}
	if count >= 0 && (rows < 0 || float64(count) < rows) {
		return float64(count)
	}
	return rows
}

func addRows(a, b float64) float64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// groupsOf guesses the number of groups of rows without distinct counts: far fewer than rows, growing with them.
func groupsOf(rows float64) float64 {
	if rows < 0 {
		return -1
	}
	return math.Ceil(math.Sqrt(rows))
}

// selectivity guesses the share of rows that pass a condition when nothing is known of the columns: the classic constants of Selinger et
// al., "Access Path Selection in a Relational Database Management System" (1979).
func selectivity(c *expr.Expr) float64 {
	switch c.Op {
	case expr.And:
		s := 1.0
		for _, a := range c.Args {
			s *= selectivity(a)
		}
		return s
	case expr.Or:
		s := 1.0
		for _, a := range c.Args {
			s *= 1 - selectivity(a)
		}
		return 1 - s
	case expr.Constant:
		if c.IsTrue() {
			return 1
		}
		return 0
	case expr.Call:
		switch c.Function.Name {
		case "eq", "is_not_distinct", "is_null":
			return 0.1
		case "ne", "is_distinct", "is_not_null":
			return 0.9
		case "not":
			return 1 - selectivity(c.Args[0])
		}
	}
	return 1.0 / 3
}
