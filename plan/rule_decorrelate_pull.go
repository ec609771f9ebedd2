package plan

import (
	"math"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// puller takes what reads columns of a left side out of the right side of a dependent join.
type puller struct {
	d     *decorrelator
	outer columnSet // the left side's columns
}

// pulled is a plan whose rows are those of a node for which conditions are true. The node reads nothing of the left side.
type pulled struct {
	node Node
	// conditions are over the node's columns and OuterColumns, in the order in which they guard each other.
	conditions []*expr.Expr
	// values are columns of the plan that the node does not have: what they are, over the node's columns and OuterColumns, for rows on which the
	// conditions are true. On others they might fail.
	values map[ColumnID]*expr.Expr
}

// bind gives expressions over the plan's columns as ones over the node's.
func (p pulled) bind(es []*expr.Expr) []*expr.Expr { return withValues(es, p.values) }

// over gives the same conditions and values over another node.
func (p pulled) over(n Node) pulled {
	p.node = n
	return p
}

// pull does a plan, from which needed is all that matters; false when that cannot be done in this way.
func (p *puller) pull(n Node, needed need) (pulled, bool) {
	if needed == anyRow {
		n = existence(n)
	}
	if !readsOuter(n, p.outer) {
		return pulled{node: n}, true
	}
	if isVolatile(n.Expressions()) {
		return pulled{}, false
	}
	below := min(needed, rowSet) // expressions of n read values of its input's rows
	switch n := n.(type) {
	case *Filter:
		in, ok := p.pull(n.Input, below)
		if !ok {
			return in, false
		}
		kept, in := p.filter(in, n.Conditions)
		return in.over(filtered(in.node, kept)), true
	case *Project:
		in, ok := p.pull(n.Input, below)
		if !ok {
			return in, false
		}
		values := map[ColumnID]*expr.Expr{}
		for i, e := range in.bind(n.Exprs) {
			if e.Op != expr.Column || e.Column != n.Output[i].ID {
				values[n.Output[i].ID] = e
			}
		}
		in.values = values
		return in, true
	case *Join:
		if n.Kind == InnerJoin || n.Kind == SemiJoin && needed != allRows {
			return p.innerJoin(n, below)
		}
		return p.leftSide(n, below)
	case *Aggregate:
		if len(n.Groups) == 0 || n.Sets != nil {
			return pulled{}, false
		}
		return p.aggregate(n)
	case *Distinct:
		in, ok := p.pull(n.Input, below)
		if !ok || needed != allRows {
			return in, ok
		}
		return p.distinct(n, in)
	case *Sort:
		in, ok := p.pull(n.Input, below)
		if !ok || needed != allRows {
			return in, ok
		}
		sorted := mapExpressions(&Sort{Input: in.node, Keys: n.Keys}, in.substitute)
		return in.over(sorted), p.stays(in, sorted.Expressions())
	case *Limit:
		return p.limit(n)
	case *Window:
		return p.window(n)
	case *Unnest:
		in, ok := p.pull(n.Input, below)
		if !ok {
			return in, false
		}
		unnest := mapExpressions(n, in.substitute).WithChildren([]Node{in.node})
		return in.over(unnest), p.stays(in, unnest.Expressions())
	case *Shared:
		if readsOuter(n.Definition, p.outer) {
			return pulled{}, false
		}
		in, ok := p.pull(n.Body, needed)
		return in.over(&Shared{ID: n.ID, Name: n.Name, Definition: n.Definition, Body: in.node}), ok
	}
	return pulled{}, false
}

func (p pulled) substitute(e *expr.Expr) *expr.Expr { return p.bind([]*expr.Expr{e})[0] }

// stays reports whether expressions may be evaluated on the node's rows: they do not read the left side, and do not fail on rows for which the
// conditions are not true.
func (p *puller) stays(in pulled, es []*expr.Expr) bool {
	return !exprsReadOuter(es, p.outer) && (len(in.conditions) == 0 || !canFail(es))
}

// filter divides the conditions of a filter upon a plan: those that are kept below, over the node's columns, and those that join the plan's own.
func (p *puller) filter(in pulled, conditions []*expr.Expr) (kept []*expr.Expr, out pulled) {
	in.conditions = in.conditions[:len(in.conditions):len(in.conditions)]
	for _, written := range in.bind(conditions) {
		for _, c := range conjuncts(written) {
			if p.stays(in, []*expr.Expr{c}) {
				kept = append(kept, c)
			} else {
				in.conditions = append(in.conditions, c)
			}
		}
	}
	return kept, in
}

// innerJoin does a join of which all pairs are rows, or a semi join where repeated rows do not matter.
func (p *puller) innerJoin(n *Join, needed need) (pulled, bool) {
	left, ok := p.pull(n.Left, needed)
	if !ok {
		return left, false
	}
	if n.Kind == SemiJoin {
		needed = rowSet
	}
	right, ok := p.pull(n.Right, needed)
	if !ok {
		return right, false
	}
	in := pulled{conditions: joined(left.conditions, right.conditions), values: map[ColumnID]*expr.Expr{}}
	for _, side := range []pulled{left, right} {
		for id, v := range side.values {
			in.values[id] = v
		}
	}
	kept, in := p.filter(in, n.Conditions)
	return in.over(&Join{Kind: InnerJoin, Left: left.node, Right: right.node, Conditions: kept}), true
}

// leftSide does a join that gives left rows, each by itself, whose right side does not depend on further out.
func (p *puller) leftSide(n *Join, needed need) (pulled, bool) {
	if n.Kind == RightJoin || n.Kind == FullJoin || readsOuter(n.Right, p.outer) {
		return pulled{}, false
	}
	if n.Kind == LeftJoin || n.Kind == SingleJoin {
		needed = allRows
	}
	in, ok := p.pull(n.Left, needed)
	if !ok || n.Kind == SingleJoin && len(in.conditions) > 0 {
		return in, false
	}
	join := mapExpressions(n, in.substitute).(*Join)
	return in.over(join.WithChildren([]Node{in.node, n.Right})), p.stays(in, join.Expressions())
}

// correlation is a condition inner = outer: of the rows of a node, those for one left row are those with one value of inner.
type correlation struct {
	condition int // position among the plan's conditions
	argument  int // which argument of it is the inner side
	inner     *expr.Expr
}

// correlations gives the conditions as such; false when there are others. Conditions that do not read the node at all are true for all rows or for none
// and need nothing.
func (p *puller) correlations(in pulled) ([]correlation, bool) {
	var out []correlation
	for i, c := range in.conditions {
		if firstOf([]*expr.Expr{c}, expr.Column, nil) == nil {
			continue
		}
		if c.Op != expr.Call || c.Function.Name != "eq" && c.Function.Name != "is_not_distinct" {
			return nil, false
		}
		inner := 0
		if firstOf(c.Args[:1], expr.Column, nil) == nil {
			inner = 1
		}
		e := c.Args[inner]
		if firstOf(c.Args[1-inner:2-inner], expr.Column, nil) != nil || exprReadsOuter(e, p.outer) || e.CanFail() || !hashable(e.Type) {
			return nil, false
		}
		out = append(out, correlation{condition: i, argument: inner, inner: e})
	}
	return out, true
}

// compare gives the conditions with columns in the place of the inner sides of the correlations.
func (p pulled) compare(correlations []correlation, columns []Column) []*expr.Expr {
	conditions := append([]*expr.Expr(nil), p.conditions...)
	for i, c := range correlations {
		condition := *conditions[c.condition]
		condition.Args = append([]*expr.Expr(nil), condition.Args...)
		condition.Args[c.argument] = columns[i].Ref()
		conditions[c.condition] = &condition
	}
	return conditions
}

// aggregate groups by the inner sides of the correlations too.
func (p *puller) aggregate(n *Aggregate) (pulled, bool) {
	in, ok := p.pull(n.Input, allRows)
	if !ok || isVolatile(n.Expressions()) {
		return in, false
	}
	correlations, ok := p.correlations(in)
	if !ok {
		return in, false
	}
	c := *mapExpressions(n, in.substitute).(*Aggregate)
	if !p.stays(in, c.Expressions()) {
		return in, false
	}
	c.Input = in.node
	c.Groups = append([]GroupKey(nil), c.Groups...)
	keys := make([]Column, len(correlations))
	for i, k := range correlations {
		for _, g := range c.Groups {
			if g.Expr.Equal(k.inner) {
				keys[i] = g.Output
			}
		}
		if keys[i].ID == 0 {
			keys[i] = p.d.column(k.inner.String(), k.inner.Type, k.inner.Nullable)
			c.Groups = append(c.Groups, GroupKey{Output: keys[i], Expr: k.inner})
		}
	}
	return pulled{node: &c, conditions: in.compare(correlations, keys)}, true
}

// distinct keeps the inner sides of the correlations as further columns.
func (p *puller) distinct(n *Distinct, in pulled) (pulled, bool) {
	correlations, ok := p.correlations(in)
	if !ok {
		return in, false
	}
	project := &Project{Input: in.node}
	for _, c := range n.Columns() {
		project.Output, project.Exprs = append(project.Output, c), append(project.Exprs, in.substitute(c.Ref()))
	}
	if !p.stays(in, project.Exprs) {
		return in, false
	}
	keys := make([]Column, len(correlations))
	for i, k := range correlations {
		keys[i] = p.d.column(k.inner.String(), k.inner.Type, k.inner.Nullable)
		project.Output, project.Exprs = append(project.Output, keys[i]), append(project.Exprs, k.inner)
	}
	return pulled{node: &Distinct{Input: project}, conditions: in.compare(correlations, keys)}, true
}

// window has the inner sides of the correlations as keys of its partitions.
func (p *puller) window(n *Window) (pulled, bool) {
	in, ok := p.pull(n.Input, allRows)
	if !ok {
		return in, false
	}
	correlations, ok := p.correlations(in)
	if !ok {
		return in, false
	}
	c := *mapExpressions(n, in.substitute).(*Window)
	if !p.stays(in, c.Expressions()) {
		return in, false
	}
	c.Input = in.node
	c.PartitionBy = c.PartitionBy[:len(c.PartitionBy):len(c.PartitionBy)]
	for _, k := range correlations {
		c.PartitionBy = append(c.PartitionBy, k.inner)
	}
	return in.over(&c), true
}

// limit numbers the rows for each value of the inner sides of the correlations and keeps those in the range.
func (p *puller) limit(n *Limit) (pulled, bool) {
	if n.Count == 0 {
		return pulled{node: &Values{Output: n.Columns()}}, true
	}
	if lowered := lowerLimit(n); lowered != Node(n) {
		return p.pull(lowered, allRows)
	}
	if in, ok := p.pull(n.Input, allRows); !ok || len(in.conditions) == 0 {
		return in.over(&Limit{Input: in.node, Count: n.Count, Offset: n.Offset}), ok
	}
	window, number := p.d.numbered(n)
	in, ok := p.window(window)
	if !ok {
		return in, false
	}
	return in.over(inRange(in.node, number, n)), true
}

// numbered gives the input of a limit with the numbers of its rows, counted from 1.
func (d *decorrelator) numbered(n *Limit) (*Window, Column) {
	number := d.column("row_number", types.BigInt, false)
	function := &expr.WindowFunction{Name: "row_number", Kind: expr.RowNumber, Result: types.BigInt}
	w := &Window{Input: n.Input, Calls: []WindowCall{{Output: number, Function: function, Frame: DefaultFrame()}}}
	if s, ok := n.Input.(*Sort); ok {
		w.Input, w.OrderBy = s.Input, s.Keys
	}
	return w, number
}

// inRange keeps the rows whose number a limit lets pass.
func inRange(n Node, number Column, limit *Limit) Node {
	var conditions []*expr.Expr
	if limit.Offset > 0 {
		conditions = append(conditions, call("gt", number.Ref(), bigint(limit.Offset)))
	}
	if limit.Count >= 0 && limit.Count <= math.MaxInt64-limit.Offset {
		conditions = append(conditions, call("le", number.Ref(), bigint(limit.Offset+limit.Count)))
	}
	return filtered(n, conditions)
}

// lowerLimit moves a limit below projections if there is a sort below these.
func lowerLimit(n *Limit) Node {
	p, ok := n.Input.(*Project)
	if !ok {
		return n
	}
	lowered := &Limit{Input: p.Input, Count: n.Count, Offset: n.Offset}
	below := lowerLimit(lowered)
	if _, sorted := p.Input.(*Sort); below == Node(lowered) && !sorted {
		return n
	}
	return p.WithChildren([]Node{below})
}
