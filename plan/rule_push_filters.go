package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// pushFilters moves conditions towards the scans, through what lets them pass:
//
//   - a projection, with its expressions put in the place of its columns, unless these are volatile or may fail (then the condition would be
//     evaluated on them twice, or earlier);
//   - a sort, and UNION ALL into each input;
//   - an aggregation without grouping sets, for conditions on keys only, a window, for conditions on what it partitions by, and a DISTINCT. Here
//     it must not fail, since it would see other rows, and read only columns whose equal values cannot be told apart: 0.0 and -0.0 are one
//     group, but 1/x > 0 holds for one of them;
//   - a join, see pushThroughJoin, and an unnesting, for conditions on its input.
//
// At a scan, conditions that cannot fail are also given to the source for skipping; the filter itself stays above it.
func pushFilters(o *Optimizer, n Node) (Node, error) {
	return push(n, nil), nil
}

// push gives n with the conditions applied to its output, as far down as they may go.
func push(n Node, conditions []*expr.Expr) Node {
	switch n := n.(type) {
	case *Filter:
		// The filter's own conditions guard the ones from above: they stay first.
		return push(n.Input, append(append([]*expr.Expr(nil), n.Conditions...), conditions...))
	case *Project:
		below, above := []*expr.Expr(nil), []*expr.Expr(nil)
		for _, c := range conditions {
			if len(above) == 0 && canSubstitute(c, n) {
				below = append(below, substitute(c, n))
			} else {
				above = append(above, c) // and everything after it, which it may guard
			}
		}
		return filtered(n.WithChildren([]Node{push(n.Input, below)}), above)
	case *Sort:
		return n.WithChildren([]Node{push(n.Input, conditions)})
	case *Aggregate:
		return pushThroughAggregate(n, conditions)
	case *Distinct:
		below, above := partition(conditions, func(c *expr.Expr) bool { return movable(c) && readsDistinctValues(c, outputSet(n)) })
		return filtered(n.WithChildren([]Node{push(n.Input, below)}), above)
	case *Window:
		keys := columnSet{}
		for _, e := range n.PartitionBy {
			if e.Op == expr.Column {
				keys[e.Column] = true
			}
		}
		below, above := partition(conditions, func(c *expr.Expr) bool { return movable(c) && readsDistinctValues(c, keys) })
		return filtered(n.WithChildren([]Node{push(n.Input, below)}), above)
	case *Unnest:
		input := outputSet(n.Input)
		below, above := partition(conditions, func(c *expr.Expr) bool { return movable(c) && within(c, input) })
		return filtered(n.WithChildren([]Node{push(n.Input, below)}), above)
	case *Join:
		return pushThroughJoin(n, conditions)
	case *Shared:
		return n.WithChildren([]Node{push(n.Definition, nil), push(n.Body, conditions)})
	case *UnionAll:
		inputs := make([]Node, len(n.Inputs))
		for i, input := range n.Inputs {
			columns := input.Columns()
			inputs[i] = push(input, replaceColumns(conditions, func(id ColumnID) *expr.Expr {
				return columns[mustColumn(n.Output, id)].Ref()
			}))
		}
		return n.WithChildren(inputs)
	case *Scan:
		c := *n
		for _, condition := range conditions {
			if movable(condition) {
				c.Filters = addConditions(c.Filters, condition)
			}
		}
		return filtered(&c, conditions)
	}
	children := n.Children()
	pushed := make([]Node, len(children))
	for i, child := range children {
		pushed[i] = push(child, nil)
	}
	if len(pushed) > 0 {
		n = n.WithChildren(pushed)
	}
	return filtered(n, conditions)
}

// partition splits conditions into those that pass and the others, each in order.
func partition(conditions []*expr.Expr, pass func(*expr.Expr) bool) (passing, others []*expr.Expr) {
	for _, c := range conditions {
		if pass(c) {
			passing = append(passing, c)
		} else {
			others = append(others, c)
		}
	}
	return passing, others
}

// readsDistinctValues reports whether a condition reads only columns of the set, and these of types whose equal values cannot be told apart.
func readsDistinctValues(c *expr.Expr, set columnSet) bool {
	ok := true
	c.Walk(func(n *expr.Expr) bool {
		if n.Op == expr.Column {
			ok = ok && set.has(n.Column) && equalMeansSame(n.Type)
		}
		return true
	})
	return ok
}

func filtered(n Node, conditions []*expr.Expr) Node {
	if len(conditions) == 0 {
		return n
	}
	return &Filter{Input: n, Conditions: conditions}
}

// canSubstitute reports whether a condition may be evaluated below a projection: the expressions it reads are neither volatile nor
// failing. Bare columns always pass.
func canSubstitute(c *expr.Expr, p *Project) bool {
	if c.IsVolatile() {
		return false
	}
	ok := true
	c.Columns(func(id ColumnID) {
		e := p.Exprs[mustColumn(p.Output, id)]
		ok = ok && movable(e)
	})
	return ok
}

func substitute(c *expr.Expr, p *Project) *expr.Expr {
	return replaceColumns([]*expr.Expr{c}, func(id ColumnID) *expr.Expr { return p.Exprs[mustColumn(p.Output, id)] })[0]
}

func replaceColumns(es []*expr.Expr, replacement func(ColumnID) *expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = e.Rewrite(func(n *expr.Expr) *expr.Expr {
			if n.Op == expr.Column {
				return replacement(n.Column)
			}
			return n
		})
	}
	return out
}

// equalMeansSame reports whether values of a type that are equal cannot be told apart by any expression. Of floats, intervals (1 month and 30
// days) and timestamps with an offset they can, and so of what may hold these.
func equalMeansSame(t types.Type) bool {
	switch t.Kind() {
	case types.KindBoolean, types.KindDecimal, types.KindVarchar, types.KindBlob, types.KindDate, types.KindTime, types.KindTimestamp,
		types.KindTimestampTZ, types.KindUUID, types.KindEnum:
		return true
	}
	return t.IsInteger()
}

// pushThroughAggregate lets conditions on group keys pass. Without keys nothing may: an aggregate of no rows is a row.
func pushThroughAggregate(a *Aggregate, conditions []*expr.Expr) Node {
	keys := map[ColumnID]*expr.Expr{}
	if a.Sets == nil {
		for _, g := range a.Groups {
			keys[g.Output.ID] = g.Expr
		}
	}
	below, above := partition(conditions, func(c *expr.Expr) bool {
		onKeys := len(keys) > 0 && movable(c)
		c.Columns(func(id ColumnID) {
			key := keys[id]
			onKeys = onKeys && key != nil && movable(key) && equalMeansSame(key.Type)
		})
		return onKeys
	})
	below = replaceColumns(below, func(id ColumnID) *expr.Expr { return keys[id] })
	return filtered(a.WithChildren([]Node{push(a.Input, below)}), above)
}

// pushThroughJoin moves conditions from above a join, and the join's own, as far down as its kind allows:
//
//   - a condition from above goes to a side whose rows the join either passes on as they are or drops: both of an inner join, the left one
//     of left, semi, anti, mark and single joins, the right one of a right join;
//   - a condition of the join that reads one side only goes there when rows of that side without a match are dropped: so those on the
//     right side of a left join, not those on the left;
//   - a condition from above an inner join that reads both sides becomes the join's.
//
// Only movable ones do, since they see other rows below. An equality that can fail becomes an inner join's condition as in formJoins.
func pushThroughJoin(j *Join, conditions []*expr.Expr) Node {
	left, right := outputSet(j.Left), outputSet(j.Right)
	aboveToLeft := j.Kind != RightJoin && j.Kind != FullJoin
	aboveToRight := j.Kind == InnerJoin || j.Kind == RightJoin
	ownToLeft := j.Kind == InnerJoin || j.Kind == RightJoin || j.Kind == SemiJoin
	ownToRight := j.Kind != RightJoin && j.Kind != FullJoin

	var toLeft, toRight, own, above []*expr.Expr
	place := func(c *expr.Expr, maySinkLeft, maySinkRight bool) bool {
		switch {
		case movable(c) && maySinkLeft && within(c, left):
			toLeft = append(toLeft, c)
		case movable(c) && maySinkRight && within(c, right):
			toRight = append(toRight, c)
		default:
			return false
		}
		return true
	}
	if j.Kind == InnerJoin {
		for _, c := range append(append([]*expr.Expr(nil), j.Conditions...), conditions...) {
			toLeft, toRight = addImplied(c, left, toLeft), addImplied(c, right, toRight)
		}
	}
	for _, c := range j.Conditions {
		if !place(c, ownToLeft, ownToRight) {
			own = append(own, c)
		}
	}
	for _, c := range conditions {
		_, _, equality := equalitySides(c, left, right)
		switch {
		case place(c, aboveToLeft, aboveToRight):
		case j.Kind == InnerJoin && (movable(c) || equality && len(above) == 0):
			own = addConditions(own, c)
		default:
			above = append(above, c)
		}
	}
	c := *j
	c.Conditions, c.Left, c.Right = own, push(j.Left, toLeft), push(j.Right, toRight)
	return filtered(&c, above)
}

// addImplied adds what a disjunction over both sides of a join says of one of them: (l = 1 AND r = 2) OR (l = 3 AND r = 4) implies l = 1 OR l = 3.
// The disjunction itself remains.
func addImplied(c *expr.Expr, side columnSet, conditions []*expr.Expr) []*expr.Expr {
	if c.Op != expr.Or || !movable(c) || within(c, side) {
		return conditions
	}
	arms := make([]*expr.Expr, len(c.Args))
	for i, arm := range c.Args {
		ofSide, _ := partition(conjuncts(arm), func(x *expr.Expr) bool { return within(x, side) && !constantInput(x) })
		if len(ofSide) == 0 {
			return conditions
		}
		arms[i] = expr.NewAnd(ofSide...)
	}
	return addConditions(conditions, expr.NewOr(arms...))
}
