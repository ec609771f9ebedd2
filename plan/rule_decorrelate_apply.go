package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// dependent is a join whose right side may read columns of its left one as OuterColumns.
type dependent struct {
	kind        JoinKind // not RightJoin, not FullJoin
	left, right Node
	conditions  []*expr.Expr // over the columns of both sides
	mark        *Mark
	// guard are conditions over the left side. What the join gives for a left row on which they are not true is never looked at: an error that it
	// would raise there must not be. Only of kinds that give each left row.
	guard []*expr.Expr
}

// apply makes a join of a dependent one. The node that it gives has at least the left side's columns; the right side's or the mark, as far as the kind
// gives them, it has or values says how to compute them from the node's columns.
func (d *decorrelator) apply(a dependent) (node Node, values map[ColumnID]*expr.Expr) {
	needs := a.needs()
	if needs == anyRow {
		a.right = existence(a.right)
		if exactlyOne(a.right) {
			return d.finishRow(a, extended{node: a.left})
		}
	}
	if !dependsOn(a.right, a.left) {
		return d.independent(a, needs), nil
	}
	x := &extender{d: d, guard: a.guard, kind: a.kind}
	if r, ok := x.extend(a.left, a.right); ok && !(x.unnested && a.kind == LeftJoin && len(a.conditions) > 0) {
		return d.finishRow(a, r)
	}
	p := &puller{d: d, outer: outputSet(a.left)}
	if pulled, ok := p.pull(a.right, needs); ok {
		return d.finishPulled(a, pulled)
	}
	return d.overDomain(a), nil
}

// need is how much of its right side a join looks at.
type need uint8

const (
	allRows need = iota
	rowSet       // how often a row comes does not matter
	anyRow       // only whether there is a row
)

func (a *dependent) needs() need {
	switch {
	case a.kind == SemiJoin || a.kind == AntiJoin:
		if len(a.conditions) == 0 {
			return anyRow
		}
		return rowSet
	case a.kind == MarkJoin:
		if len(a.conditions) == 0 && len(a.mark.Conditions) == 0 {
			return anyRow
		}
		return rowSet
	}
	return allRows
}

// existence gives a simpler plan that has rows when n has: what EXISTS selects, how it orders it and how often a row comes does not matter.
func existence(n Node) Node {
	for {
		switch m := n.(type) {
		case *Project:
			n = m.Input
		case *Sort:
			n = m.Input
		case *Distinct:
			n = m.Input
		case *Window:
			n = m.Input
		case *Limit:
			if m.Count == 0 {
				return &Values{}
			}
			if m.Offset > 0 {
				return n
			}
			n = m.Input
		case *Aggregate:
			if m.Sets != nil {
				return n
			}
			if len(m.Groups) == 0 {
				return oneRow()
			}
			n = m.Input
		case *Join:
			if m.Kind != LeftJoin && m.Kind != MarkJoin {
				return n
			}
			n = m.Left
		default:
			return n
		}
	}
}

// independent makes a join whose right side reads nothing of the left one.
func (d *decorrelator) independent(a dependent, needs need) Node {
	j := &Join{Kind: a.kind, Left: a.left, Right: a.right, Conditions: a.conditions, Mark: a.mark}
	switch {
	case needs == anyRow && firstOuter(a.right) == nil:
		j.Right = &Limit{Input: a.right, Count: 1}
	case a.kind == SingleJoin && len(a.conditions) == 0 && exactlyOne(a.right):
		j.Kind = InnerJoin
	case a.kind == SingleJoin && atMostOne(a.right):
		j.Kind = LeftJoin
	case a.kind == SingleJoin:
		j.Conditions = joined(a.guard, a.conditions)
	case a.kind == MarkJoin && canFail(a.mark.Conditions):
		j.Conditions = joined(a.guard, a.conditions)
	}
	return j
}

// joined gives two lists in one that neither shares.
func joined(first, second []*expr.Expr) []*expr.Expr {
	return append(append([]*expr.Expr(nil), first...), second...)
}

// canFail reports whether one of some expressions may raise. What is constant in them and does not raise counts as its value.
func canFail(es []*expr.Expr) bool {
	for _, e := range es {
		if e.CanFail() && expr.Fold(e).CanFail() {
			return true
		}
	}
	return false
}

func isVolatile(es []*expr.Expr) bool {
	for _, e := range es {
		if e.IsVolatile() {
			return true
		}
	}
	return false
}

// exactlyOne reports a plan that has one row, whatever the data is.
func exactlyOne(n Node) bool {
	switch n := n.(type) {
	case *Values:
		return len(n.Rows) == 1
	case *Aggregate:
		return len(n.Groups) == 0 && (n.Sets == nil || len(n.Sets) == 1)
	case *Project, *Sort, *Distinct, *Window:
		return exactlyOne(n.Children()[0])
	case *Limit:
		return n.Count != 0 && n.Offset == 0 && exactlyOne(n.Input)
	case *Shared:
		return exactlyOne(n.Body)
	case *Join:
		switch n.Kind {
		case InnerJoin:
			return len(n.Conditions) == 0 && exactlyOne(n.Left) && exactlyOne(n.Right)
		case LeftJoin:
			return exactlyOne(n.Left) && atMostOne(n.Right)
		case SingleJoin, MarkJoin:
			return exactlyOne(n.Left)
		}
	}
	return false
}

// atMostOne reports a plan that never has two rows.
func atMostOne(n Node) bool {
	switch n := n.(type) {
	case *Values:
		return len(n.Rows) <= 1
	case *Limit:
		return n.Count == 0 || n.Count == 1 || atMostOne(n.Input)
	case *Filter, *Project, *Sort, *Distinct, *Window, *Sample:
		return atMostOne(n.Children()[0])
	case *Shared:
		return atMostOne(n.Body)
	case *Join:
		switch n.Kind {
		case InnerJoin, LeftJoin:
			return atMostOne(n.Left) && atMostOne(n.Right)
		case SemiJoin, AntiJoin, MarkJoin, SingleJoin:
			return atMostOne(n.Left)
		}
	}
	return exactlyOne(n)
}

// finishPulled joins the left side with a right one that depends on it no longer.
func (d *decorrelator) finishPulled(a dependent, p pulled) (Node, map[ColumnID]*expr.Expr) {
	left := a.left.Columns()
	bind := func(es []*expr.Expr) []*expr.Expr { return bindAll(es, left, p.values) }
	j := &Join{Kind: a.kind, Left: a.left, Right: p.node, Conditions: joined(bind(p.conditions), bind(a.conditions))}
	if a.mark != nil {
		j.Mark = &Mark{Output: a.mark.Output, Conditions: bind(a.mark.Conditions)}
	}
	if a.kind == SingleJoin && atMostOne(a.right) {
		j.Kind = LeftJoin
	}
	if j.Kind == SingleJoin || canFail(j.Expressions()) {
		j.Conditions = joined(a.guard, j.Conditions)
	}
	if a.kind.leftOnly() {
		return j, nil
	}
	values := map[ColumnID]*expr.Expr{}
	var matched *expr.Expr // is NULL where the left row has no match
	inner := outputSet(p.node)
	for _, c := range a.right.Columns() {
		v := p.values[c.ID]
		if v == nil {
			continue
		}
		v = bindAll([]*expr.Expr{v}, left, nil)[0]
		if a.kind != InnerJoin {
			strict := nullWhenAbsent(v, inner)
			v = madeNullable(v, inner)
			if !strict {
				if matched == nil {
					var c Column
					c, j.Right = d.marker(j.Right)
					matched = c.Ref()
				}
				v = expr.NewCase(call("is_not_null", matched), v, expr.NewNull(v.Type))
			}
		}
		values[c.ID] = v
	}
	return j, values
}

// marker gives a column of a node that is never NULL, with a nullable reference, and the node, with that column added where it has none.
func (d *decorrelator) marker(n Node) (Column, Node) {
	columns := n.Columns()
	for _, c := range columns {
		if !c.Nullable {
			c.Nullable = true
			return c, n
		}
	}
	c := d.column("matched", types.Boolean, false)
	n = computed(n, append(columns[:len(columns):len(columns)], c), map[ColumnID]*expr.Expr{c.ID: expr.NewBool(true)})
	c.Nullable = true
	return c, n
}

// bindAll replaces columns that have values by these, and OuterColumns by the columns that they mean.
func bindAll(es []*expr.Expr, outer []Column, values map[ColumnID]*expr.Expr) []*expr.Expr {
	meant := map[ColumnID]Column{}
	for _, c := range outer {
		meant[c.ID] = c
	}
	return rewriteAll(withValues(es, values), func(n *expr.Expr) *expr.Expr {
		if c, ok := meant[n.Column]; ok && n.Op == expr.OuterColumn {
			return c.Ref().At(n.Position)
		}
		return n
	})
}

// withValues replaces columns that have values by these.
func withValues(es []*expr.Expr, values map[ColumnID]*expr.Expr) []*expr.Expr {
	if len(values) == 0 {
		return es
	}
	return rewriteAll(es, func(n *expr.Expr) *expr.Expr {
		if n.Op == expr.Column && values[n.Column] != nil {
			return values[n.Column]
		}
		return n
	})
}

// nullWhenAbsent reports whether an expression is NULL, without an error, when the columns of a set are.
func nullWhenAbsent(e *expr.Expr, set columnSet) bool {
	switch e.Op {
	case expr.Column:
		return set.has(e.Column)
	case expr.Cast:
		return nullWhenAbsent(e.Args[0], set)
	case expr.Call:
		if e.Function.Nulls != expr.NullStrict && e.Function.Nulls != expr.NullFromValues {
			return false
		}
		for _, a := range e.Args {
			if !nullWhenAbsent(a, set) && a.CanFail() {
				return false
			}
		}
		for _, a := range e.Args {
			if nullWhenAbsent(a, set) {
				return true
			}
		}
	}
	return false
}

// madeNullable notes in an expression that the columns of a set may be NULL.
func madeNullable(e *expr.Expr, set columnSet) *expr.Expr {
	return e.Rewrite(func(n *expr.Expr) *expr.Expr {
		nullable := n.Op == expr.Column && set.has(n.Column)
		for _, a := range n.Args {
			nullable = nullable || a.Nullable
		}
		if n.Op == expr.Call && n.Function.Nulls == expr.NullNever {
			nullable = false
		}
		if n.Nullable || !nullable {
			return n
		}
		c := *n
		c.Nullable = true
		return &c
	})
}
