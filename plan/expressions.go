package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// mapExpressions gives the node with f applied to each of its own expressions; the node itself when nothing changed.
func mapExpressions(n Node, f func(*expr.Expr) *expr.Expr) Node {
	m := &mapper{f: f}
	var out Node
	switch n := n.(type) {
	case *Scan:
		c := *n
		c.Filters = m.list(n.Filters)
		out = &c
	case *Values:
		c := *n
		c.Rows = make([][]*expr.Expr, len(n.Rows))
		for i, row := range n.Rows {
			c.Rows[i] = m.list(row)
		}
		out = &c
	case *Filter:
		out = &Filter{Input: n.Input, Conditions: m.list(n.Conditions)}
	case *Project:
		c := *n
		c.Exprs = m.list(n.Exprs)
		out = &c
	case *Sort:
		out = &Sort{Input: n.Input, Keys: m.keys(n.Keys)}
	case *Aggregate:
		c := *n
		c.Groups = make([]GroupKey, len(n.Groups))
		for i, g := range n.Groups {
			g.Expr = m.apply(g.Expr)
			c.Groups[i] = g
		}
		c.Aggregates = make([]AggregateCall, len(n.Aggregates))
		for i, a := range n.Aggregates {
			a.Args, a.Filter, a.Order = m.list(a.Args), m.apply(a.Filter), m.keys(a.Order)
			if a.Filter != nil && a.Filter.IsTrue() {
				a.Filter = nil
			}
			c.Aggregates[i] = a
		}
		out = &c
	case *Join:
		c := *n
		c.Conditions = m.list(n.Conditions)
		if n.Mark != nil {
			c.Mark = &Mark{Output: n.Mark.Output, Conditions: m.list(n.Mark.Conditions)}
		}
		out = &c
	case *Window:
		c := *n
		c.PartitionBy, c.OrderBy = m.list(n.PartitionBy), m.keys(n.OrderBy)
		c.Calls = make([]WindowCall, len(n.Calls))
		for i, call := range n.Calls {
			call.Args, call.Filter, call.Order = m.list(call.Args), m.apply(call.Filter), m.keys(call.Order)
			call.Frame.Start, call.Frame.End = m.bound(call.Frame.Start), m.bound(call.Frame.End)
			c.Calls[i] = call
		}
		out = &c
	case *Unnest:
		c := *n
		c.Exprs = m.list(n.Exprs)
		out = &c
	default:
		return n
	}
	if !m.changed {
		return n
	}
	return out
}

// At gives an expression whose every node has a position in the SQL text, that of the place where its text is used.
func At(e *expr.Expr, position int) *expr.Expr {
	return (&relocation{position: position, done: map[*Subquery]*Subquery{}}).expr(e)
}

// Relocate gives a plan all of whose expressions have a position: for the text of a view, which is not the statement's.
func Relocate(n Node, position int) Node {
	r := &relocation{position: position, done: map[*Subquery]*Subquery{}}
	return r.node(n)
}

type relocation struct {
	position int
	done     map[*Subquery]*Subquery // a subquery stays one, wherever it stands
}

func (r *relocation) node(n Node) Node {
	return Transform(n, func(n Node) Node { return mapExpressions(n, r.expr) })
}

func (r *relocation) expr(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		x = x.At(r.position)
		if x.Op != expr.Subquery {
			return x
		}
		s := x.Subquery.(*Subquery)
		if r.done[s] == nil {
			c := *s
			c.Plan = r.node(s.Plan)
			c.Conditions = make([]*expr.Expr, len(s.Conditions))
			for i, condition := range s.Conditions {
				c.Conditions[i] = r.expr(condition)
			}
			r.done[s] = &c
		}
		x.Subquery = r.done[s]
		return x
	})
}

// mapper applies f and notes whether anything changed.
type mapper struct {
	f       func(*expr.Expr) *expr.Expr
	changed bool
}

func (m *mapper) apply(e *expr.Expr) *expr.Expr {
	if e == nil {
		return nil
	}
	r := m.f(e)
	m.changed = m.changed || r != e
	return r
}

func (m *mapper) list(es []*expr.Expr) []*expr.Expr {
	if es == nil {
		return nil
	}
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = m.apply(e)
	}
	return out
}

func (m *mapper) keys(ks []SortKey) []SortKey {
	if ks == nil {
		return nil
	}
	out := make([]SortKey, len(ks))
	for i, k := range ks {
		k.Expr = m.apply(k.Expr)
		out[i] = k
	}
	return out
}

func (m *mapper) bound(b FrameBound) FrameBound {
	b.Offset, b.Limit = m.apply(b.Offset), m.apply(b.Limit)
	return b
}
