package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// decorrelate makes joins of all subqueries in expressions and gives dependent (LATERAL) joins a right side that reads nothing of the left one. After
// it a plan has neither expr.Subquery nor expr.OuterColumn.
//
// It goes bottom up: what stands inside a subquery is done before the subquery itself, so that the OuterColumns of a plan are all that it takes from
// around it. Where a node has a subquery in an expression, the node's input is joined with the subquery's plan and the expression reads a column of
// the join (this file). A join whose right side depends on its left one is done in one of three ways, tried in this order:
//
//   - the right side has exactly one row for each left one, as an aggregate without groups or a SELECT without FROM: the left side is extended by it
//     (rule_decorrelate_row.go);
//   - the conditions that read the left side are pulled up into the join's (rule_decorrelate_pull.go);
//   - the right side is computed for all distinct values that it takes from the left one, and joined to it by them (rule_decorrelate_domain.go and
//     rule_decorrelate_push.go). This always works. Neumann and Kemper: "Unnesting Arbitrary Queries" (BTW 2015).
//
// Rule 3 of the architecture, that errors never change answers, holds as follows. Conditions written before a subquery filter its left side. Inside CASE,
// AND, OR and COALESCE a subquery counts only for the rows that reach it: the others do not join. What may fail inside a subquery runs only on
// the rows that it would run on for some left row. Two things are evaluated though a query might not need them: a subquery that does not depend on the row at
// all, and the aggregates of groups that no left row asks for.
func decorrelate(o *Optimizer, n Node) (Node, error) {
	d := &decorrelator{ids: o.IDs}
	n = d.node(n)
	if d.err != nil {
		return nil, d.err
	}
	return n, nil
}

// decorrelator is one run of the rule.
type decorrelator struct {
	ids *IDs
	err error // the first; the plan is of no use then
}

// unsupported notes an error at the place of an expression.
func (d *decorrelator) unsupported(at *expr.Expr, format string, args ...any) {
	if d.err != nil {
		return
	}
	err := types.Errorf(types.CodeFeatureNotSupported, format, args...)
	if at != nil && at.Position >= 0 {
		err.Position = types.Position{Offset: at.Position, Line: -1} // the text is known only above
	}
	d.err = err
}

// column makes a new column.
func (d *decorrelator) column(name string, typ types.Type, nullable bool) Column {
	return Column{ID: d.ids.New(), Field: types.Field{Name: name, Type: typ, Nullable: nullable}}
}

// fresh makes columns like others, with ids of their own.
func (d *decorrelator) fresh(columns []Column) []Column {
	out := append([]Column(nil), columns...)
	for i := range out {
		out[i].ID = d.ids.New()
	}
	return out
}

// node gives the plan without subqueries. Its columns stay the same.
func (d *decorrelator) node(n Node) Node {
	if children := n.Children(); len(children) > 0 {
		done, changed := make([]Node, len(children)), false
		for i, c := range children {
			done[i] = d.node(c)
			changed = changed || done[i] != c
		}
		if changed {
			n = n.WithChildren(done)
		}
	}
	if j, ok := n.(*Join); ok {
		return d.join(j)
	}
	if !hasSubqueries(n) {
		return n
	}
	switch n := n.(type) {
	case *Filter:
		x := &extension{d: d, node: n.Input}
		x.filter(n.Conditions)
		return exactColumns(x.node, n.Columns())
	case *Values:
		return d.values(n)
	case *Aggregate:
		return d.expressions(guardArguments(n))
	}
	return d.expressions(n)
}

// expressions does a node of one input whose expressions are evaluated on all of its rows.
func (d *decorrelator) expressions(n Node) Node {
	x := &extension{d: d, node: n.Children()[0]}
	done := mapExpressions(n, func(e *expr.Expr) *expr.Expr { return x.extract(e, nil) })
	return exactColumns(done.WithChildren([]Node{x.node}), n.Columns())
}

// values makes a projection over one row without columns of each row.
func (d *decorrelator) values(n *Values) Node {
	union := &UnionAll{Output: n.Output}
	for _, row := range n.Rows {
		columns := n.Output
		if len(n.Rows) > 1 {
			columns = d.fresh(columns)
		}
		union.Inputs = append(union.Inputs, d.expressions(&Project{Input: oneRow(), Output: columns, Exprs: row}))
	}
	if len(union.Inputs) == 1 {
		return union.Inputs[0]
	}
	return union
}

// oneRow is a row without columns.
func oneRow() Node { return &Values{Rows: [][]*expr.Expr{{}}} }

// guardArguments puts the FILTER of aggregates whose arguments have subqueries around these arguments too.
func guardArguments(n *Aggregate) Node {
	c := *n
	c.Aggregates = append([]AggregateCall(nil), n.Aggregates...)
	for i, a := range c.Aggregates {
		if a.Filter == nil || a.Filter.IsVolatile() {
			continue
		}
		a.Args = append([]*expr.Expr(nil), a.Args...)
		for j, e := range a.Args {
			if hasSubquery(e) {
				a.Args[j] = expr.NewCase(a.Filter, e, expr.NewNull(e.Type))
			}
		}
		c.Aggregates[i] = a
	}
	return &c
}

// join does a join: subqueries in its conditions, then a right side that depends on the left one.
func (d *decorrelator) join(n *Join) Node {
	if hasSubqueries(n) {
		return d.joinConditions(n)
	}
	if !dependsOn(n.Right, n.Left) {
		return n
	}
	if n.Kind == RightJoin || n.Kind == FullJoin {
		d.unsupported(firstOuter(n.Right), "a %s join whose right side reads columns of the left one is not supported", n.Kind)
		return n
	}
	node, values := d.apply(dependent{kind: n.Kind, left: n.Left, right: n.Right, conditions: n.Conditions, mark: n.Mark})
	return computed(node, n.Columns(), values)
}

// joinConditions does a join that has subqueries in conditions. Those of an inner join move into a filter above it. For others, what reads columns of one
// side only is computed on that side; a condition that reads both moves into a filter on the right side, which then depends on the left one.
func (d *decorrelator) joinConditions(n *Join) Node {
	if n.Kind == RightJoin {
		flipped := &Join{Kind: LeftJoin, Left: n.Right, Right: n.Left, Conditions: n.Conditions}
		return exactColumns(d.joinConditions(flipped), n.Columns())
	}
	left, right := &extension{d: d, node: n.Left}, &extension{d: d, node: n.Right}
	inLeft, inRight := outputSet(n.Left), outputSet(n.Right)
	var conditions, both []*expr.Expr
	for _, written := range n.Conditions {
		for _, c := range conjuncts(written) {
			if n.Kind != InnerJoin {
				c = extractSides(c, left, right, inLeft, inRight)
			}
			if len(both) > 0 || hasSubquery(c) {
				both = append(both, c) // with everything after it, which it may guard
			} else {
				conditions = append(conditions, c)
			}
		}
	}
	join := &Join{Kind: n.Kind, Left: left.node, Right: right.node, Conditions: conditions, Mark: n.Mark}
	if len(both) > 0 {
		switch n.Kind {
		case InnerJoin:
			above := &extension{d: d, node: d.join(join)}
			above.filter(both)
			return exactColumns(above.node, n.Columns())
		case FullJoin:
			d.unsupported(firstSubquery(both), "a subquery in the condition of a FULL JOIN that reads columns of both sides is not supported")
			return n
		}
		right.filter(outerColumns(both, outputSet(join.Left)))
		join.Right = right.node
	}
	return exactColumns(d.join(join), n.Columns())
}

// extractSides replaces those subqueries of a join condition that read columns of one side only, or none.
func extractSides(c *expr.Expr, left, right *extension, inLeft, inRight columnSet) *expr.Expr {
	if !hasSubquery(c) {
		return c
	}
	switch {
	case within(c, inLeft):
		return left.extract(c, nil)
	case within(c, inRight):
		return right.extract(c, nil)
	case c.Op != expr.Call && c.Op != expr.Cast:
		return c // what stands in it may be guarded by the other side
	}
	done := *c
	done.Args = make([]*expr.Expr, len(c.Args))
	for i, a := range c.Args {
		done.Args[i] = extractSides(a, left, right, inLeft, inRight)
	}
	return &done
}

// outerColumns makes OuterColumns of the columns of a set, as a plan that is evaluated for each row of them has them.
func outerColumns(es []*expr.Expr, set columnSet) []*expr.Expr {
	return rewriteAll(es, func(n *expr.Expr) *expr.Expr {
		if n.Op == expr.Column && set.has(n.Column) {
			return outerRef(Column{ID: n.Column, Field: types.Field{Name: n.Name, Type: n.Type, Nullable: n.Nullable}}).At(n.Position)
		}
		return n
	})
}

// outerRef reads a column from further in.
func outerRef(c Column) *expr.Expr { return expr.NewOuterColumn(c.ID, c.Name, c.Type, c.Nullable) }

func rewriteAll(es []*expr.Expr, f func(*expr.Expr) *expr.Expr) []*expr.Expr {
	if es == nil {
		return nil
	}
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = e.Rewrite(f)
	}
	return out
}

func hasSubquery(e *expr.Expr) bool { return firstSubquery([]*expr.Expr{e}) != nil }

func hasSubqueries(n Node) bool { return firstSubquery(n.Expressions()) != nil }

func firstSubquery(es []*expr.Expr) *expr.Expr { return firstOf(es, expr.Subquery, nil) }

// firstOf gives the first node of a form, nil when there is none. accept may refuse some.
func firstOf(es []*expr.Expr, op expr.Op, accept func(*expr.Expr) bool) *expr.Expr {
	var found *expr.Expr
	for _, e := range es {
		e.Walk(func(x *expr.Expr) bool {
			if found == nil && x.Op == op && (accept == nil || accept(x)) {
				found = x
			}
			return found == nil
		})
	}
	return found
}

// firstOuter gives an OuterColumn of a plan, nil when there is none.
func firstOuter(n Node) *expr.Expr {
	if e := firstOf(n.Expressions(), expr.OuterColumn, nil); e != nil {
		return e
	}
	for _, c := range n.Children() {
		if e := firstOuter(c); e != nil {
			return e
		}
	}
	return nil
}

// dependsOn reports whether a plan reads columns of another as OuterColumns.
func dependsOn(n, of Node) bool { return readsOuter(n, outputSet(of)) }

func readsOuter(n Node, set columnSet) bool {
	if exprsReadOuter(n.Expressions(), set) {
		return true
	}
	for _, c := range n.Children() {
		if readsOuter(c, set) {
			return true
		}
	}
	return false
}

func exprsReadOuter(es []*expr.Expr, set columnSet) bool {
	return firstOf(es, expr.OuterColumn, func(e *expr.Expr) bool { return set.has(e.Column) }) != nil
}

func exprReadsOuter(e *expr.Expr, set columnSet) bool { return exprsReadOuter([]*expr.Expr{e}, set) }

// exactColumns gives a node with exactly the given columns, in their order.
func exactColumns(n Node, columns []Column) Node { return computed(n, columns, nil) }

// computed gives a node with exactly the given columns: those that n does not give are computed from it.
func computed(n Node, columns []Column, values map[ColumnID]*expr.Expr) Node {
	got := n.Columns()
	same := len(got) == len(columns)
	p := &Project{Input: n, Output: columns}
	for i, c := range columns {
		e := values[c.ID]
		if e == nil {
			e = got[mustColumn(got, c.ID)].Ref()
		}
		p.Exprs = append(p.Exprs, e)
		same = same && values[c.ID] == nil && got[i].ID == c.ID && got[i].Name == c.Name
	}
	if same {
		return n
	}
	return p
}
