package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
)

// foldConstants replaces constant subexpressions by their values, drops conditions that are TRUE, and empties what stands under one that
// is FALSE or NULL. What would raise is left for execution.
func foldConstants(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		n = mapExpressions(n, expr.Fold)
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		var kept []*expr.Expr
		harmless := true // nothing kept may raise or is volatile
		for _, c := range f.Conditions {
			if c.IsTrue() {
				continue
			}
			if c.Op == expr.Constant && harmless {
				return &Values{Output: f.Columns()} // no row passes, and none raises before
			}
			harmless = harmless && !c.CanFail() && !c.IsVolatile()
			kept = append(kept, c)
		}
		switch len(kept) {
		case 0:
			return f.Input
		case len(f.Conditions):
			return f
		}
		return &Filter{Input: f.Input, Conditions: kept}
	}), nil
}

// mapExpressions gives the node with f applied to each of its expressions; the node itself when nothing changed.
func mapExpressions(n Node, f func(*expr.Expr) *expr.Expr) Node {
	changed := false
	apply := func(e *expr.Expr) *expr.Expr {
		if e == nil {
			return nil
		}
		r := f(e)
		changed = changed || r != e
		return r
	}
	list := func(es []*expr.Expr) []*expr.Expr {
		out := make([]*expr.Expr, len(es))
		for i, e := range es {
			out[i] = apply(e)
		}
		return out
	}
	keys := func(ks []SortKey) []SortKey {
		out := make([]SortKey, len(ks))
		for i, k := range ks {
			k.Expr = apply(k.Expr)
			out[i] = k
		}
		return out
	}
	var m Node
	switch n := n.(type) {
	case *Scan:
		c := *n
		c.Filters = list(n.Filters)
		m = &c
	case *Values:
		c := *n
		c.Rows = make([][]*expr.Expr, len(n.Rows))
		for i, row := range n.Rows {
			c.Rows[i] = list(row)
		}
		m = &c
	case *Filter:
		m = &Filter{Input: n.Input, Conditions: list(n.Conditions)}
	case *Project:
		c := *n
		c.Exprs = list(n.Exprs)
		m = &c
	case *Sort:
		m = &Sort{Input: n.Input, Keys: keys(n.Keys)}
	case *Aggregate:
		c := *n
		c.Groups = make([]GroupKey, len(n.Groups))
		for i, g := range n.Groups {
			g.Expr = apply(g.Expr)
			c.Groups[i] = g
		}
		c.Aggregates = make([]AggregateCall, len(n.Aggregates))
		for i, a := range n.Aggregates {
			a.Args, a.Filter, a.Order = list(a.Args), apply(a.Filter), keys(a.Order)
			if a.Filter != nil && a.Filter.IsTrue() {
				a.Filter = nil
			}
			c.Aggregates[i] = a
		}
		m = &c
	default:
		return n
	}
	if !changed {
		return n
	}
	return m
}
