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
//   - an aggregation without grouping sets, for conditions on keys only, and a DISTINCT. Here it must not fail, since it would see other rows,
//     and read only columns whose equal values cannot be told apart: 0.0 and -0.0 are one group, but 1/x > 0 holds for one of them.
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
		var below, above []*expr.Expr
		columns := n.Columns()
		for _, c := range conditions {
			pass := !c.CanFail() && !c.IsVolatile()
			c.Columns(func(id ColumnID) { pass = pass && equalMeansSame(columns[mustColumn(columns, id)].Type) })
			if pass {
				below = append(below, c)
			} else {
				above = append(above, c)
			}
		}
		return filtered(n.WithChildren([]Node{push(n.Input, below)}), above)
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
			if !condition.CanFail() && !condition.IsVolatile() {
				c.Filters = append(append([]*expr.Expr(nil), c.Filters...), condition)
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
		ok = ok && !e.IsVolatile() && !e.CanFail()
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
	var below, above []*expr.Expr
	for _, c := range conditions {
		onKeys := len(keys) > 0 && !c.CanFail() && !c.IsVolatile()
		c.Columns(func(id ColumnID) {
			key := keys[id]
			onKeys = onKeys && key != nil && !key.IsVolatile() && !key.CanFail() && equalMeansSame(key.Type)
		})
		if onKeys {
			below = append(below, replaceColumns([]*expr.Expr{c}, func(id ColumnID) *expr.Expr { return keys[id] })[0])
		} else {
			above = append(above, c)
		}
	}
	return filtered(a.WithChildren([]Node{push(a.Input, below)}), above)
}
