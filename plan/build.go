package plan

import (
	"fmt"
	"slices"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
)

// Build chooses the physical plan of an optimized logical one. Columns of the result are those of the root, in order.
func Build(n Node) (*PhysicalPlan, error) {
	b := &builder{estimates: newEstimator(n)}
	root := b.build(n)
	return &PhysicalPlan{Root: root, Operators: number(root, 0), Filters: b.filters}, nil
}

// builder chooses operators for one plan.
type builder struct {
	estimates *estimator
	filters   int // dynamic filters so far
	// recursive says that a step of a recursion is being built, in which joins are built anew for each round: their scans get no dynamic filters.
	recursive bool
	// shared gives the columns of the definitions, by id, whose bodies are being built.
	shared map[SharedID][]Column
}

// operator gives the common part of a node's operator.
func (b *builder) operator(n Node) Operator {
	return Operator{Output: SchemaOf(n), Rows: b.estimates.of(n).operatorRows()}
}

// withShared makes a definition's columns known to the scans in what f builds.
func (b *builder) withShared(id SharedID, columns []Column, f func() Physical) Physical {
	if b.shared == nil {
		b.shared = map[SharedID][]Column{}
	}
	b.shared[id] = columns
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
		return b.buildScan(n)
	case *Values:
		return &ValuesScan{Operator: b.operator(n), Rows: n.Rows}
	case *Filter:
		return b.buildFilter(n)
	case *Project:
		return b.buildProject(n)
	case *Aggregate:
		return b.buildAggregate(n)
	case *Distinct:
		input := b.build(n.Input)
		p := &HashAggregate{Operator: b.operator(n), Input: input, Strategy: AggregateHash}
		for i, c := range n.Columns() {
			p.Keys = append(p.Keys, expr.NewColumn(i, c.Name, c.Type, c.Nullable))
		}
		return p
	case *Sort:
		return b.buildSort(n, &Limit{Input: n, Count: -1})
	case *Limit:
		if s, ok := n.Input.(*Sort); ok && n.Count >= 0 {
			return b.buildSort(s, n)
		}
		// A projection between limit and sort changes neither the number nor the order of rows: sort below it, keeping only the top.
		if p, ok := n.Input.(*Project); ok && n.Count >= 0 {
			if s, ok := p.Input.(*Sort); ok {
				return b.projectOver(p, b.buildSort(s, n), n)
			}
		}
		input := b.build(n.Input)
		if n.Count >= 0 {
			hintLimit(input, n.Count+n.Offset)
		}
		return &LimitRows{Operator: b.operator(n), Input: input, Count: n.Count, Offset: n.Offset}
	case *Join:
		return b.buildJoin(n)
	case *Window:
		return b.buildWindow(n)
	case *Shared:
		p := &MaterializeRows{ID: n.ID, Name: n.Name, Definition: b.build(n.Definition)}
		p.Body = b.withShared(n.ID, n.Definition.Columns(), func() Physical { return b.build(n.Body) })
		p.Operator = b.operator(n)
		return p
	case *SharedScan:
		p := &MaterializedScan{Operator: b.operator(n), ID: n.ID, Name: n.Name}
		for _, id := range n.Source {
			p.Columns = append(p.Columns, mustColumn(b.shared[n.ID], id))
		}
		return p
	case *Recursive:
		p := &RecurseRows{Operator: b.operator(n), ID: n.ID, Name: n.Name, Initial: b.build(n.Initial), Distinct: n.Distinct}
		outside := b.recursive
		b.recursive = true
		p.Step = b.withShared(n.ID, n.Output, func() Physical { return b.build(n.Step) })
		b.recursive = outside
		return p
	case *Unnest:
		return &UnnestRows{
			Operator: b.operator(n), Input: b.build(n.Input), Exprs: resolveAll(n.Exprs, n.Input.Columns()), Ordinality: n.Ordinality != nil, Outer: n.Outer,
		}
	case *Sample:
		return &SampleRows{
			Operator: b.operator(n), Input: b.build(n.Input), Method: n.Method, Percent: n.Percent, Rows: n.Rows, Seed: n.Seed, Seeded: n.Seeded,
		}
	case *UnionAll:
		p := &ConcatRows{Operator: b.operator(n)}
		for _, input := range n.Inputs {
			p.Sources = append(p.Sources, b.build(input))
		}
		return p
	}
	panic(fmt.Sprintf("plan: %T has no physical form", n))
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

func (b *builder) buildScan(n *Scan) Physical {
	scan := &TableScan{
		Table: n.Table, Name: n.Name,
		Request: catalog.ScanRequest{Columns: n.Source, Filters: resolveAll(n.Filters, n.Output), Limit: -1},
	}
	var applied []*expr.Expr
	for i, f := range scan.Request.Filters {
		scan.Applied = append(scan.Applied, n.Table.Applies(f))
		if scan.Applied[i] {
			applied = append(applied, n.Filters[i])
		}
	}
	rows := b.estimates.of(n).copy()
	rows.filter(applied)
	scan.Operator = Operator{Output: SchemaOf(n), Rows: rows.operatorRows()}
	return scan
}

// buildFilter makes the operator for the conditions that the scan below, if there is one, does not apply by itself.
func (b *builder) buildFilter(n *Filter) Physical {
	input := b.build(n.Input)
	columns := n.Input.Columns()
	scan, _ := input.(*TableScan)
	var conditions []*expr.Expr
	for _, c := range n.Conditions {
		c = resolve(c, columns)
		if scan != nil && scan.applies(c) {
			continue
		}
		conditions = append(conditions, c)
	}
	if len(conditions) == 0 {
		return input
	}
	return &FilterRows{Operator: b.operator(n), Input: input, Condition: expr.NewAnd(conditions...)}
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

func (b *builder) buildProject(n *Project) Physical { return b.projectOver(n, b.build(n.Input), n) }

// projectOver makes the operator of a projection over an input of the same columns as the node's; rows is the node that has the number of rows.
func (b *builder) projectOver(n *Project, input Physical, rows Node) Physical {
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
	return &ProjectColumns{
		Operator: Operator{Output: SchemaOf(n), Rows: b.estimates.of(rows).operatorRows()}, Input: input, Exprs: exprs,
	}
}

// hintLimit tells the scans from which an operator takes its rows one for one after how many the query stops.
func hintLimit(p Physical, rows int64) {
	switch p := p.(type) {
	case *TableScan:
		if rows >= 0 && !slices.Contains(p.Applied, false) && len(p.Dynamic) == 0 {
			p.Request.Limit = rows
		}
	case *ProjectColumns:
		hintLimit(p.Input, rows)
	}
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
	p := &HashAggregate{Operator: b.operator(n), Input: input, Strategy: AggregateUngrouped, Sets: n.Sets, Grouping: n.Grouping != nil}
	if len(n.Groups) > 0 || n.Sets != nil {
		p.Strategy = AggregateHash
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

// buildSort makes the operator of a sort under a limit.
func (b *builder) buildSort(n *Sort, limit *Limit) Physical {
	return &SortRows{
		Operator: Operator{Output: SchemaOf(n), Rows: b.estimates.of(limit).operatorRows()}, Input: b.build(n.Input),
		Keys: resolveKeys(n.Keys, n.Input.Columns()), Limit: limit.Count, Offset: limit.Offset,
	}
}

func (b *builder) buildWindow(n *Window) Physical {
	input := b.build(n.Input)
	columns := n.Input.Columns()
	p := &WindowRows{
		Operator: b.operator(n), Input: input,
		PartitionBy: resolveAll(n.PartitionBy, columns), OrderBy: resolveKeys(n.OrderBy, columns),
	}
	resolved := mapExpressions(n, func(e *expr.Expr) *expr.Expr { return resolve(e, columns) })
	p.Calls = resolved.(*Window).Calls
	return p
}

// limited gives the number of rows after LIMIT and OFFSET.
func limited(rows float64, count, offset int64) float64 {
	rows = max(0, rows-float64(offset))
	if count >= 0 {
		rows = min(rows, float64(count))
	}
	return rows
}
