package plan

import (
	"maps"
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// formJoins makes joins of FROM a, b WHERE a.x = b.y: an equality in a filter above inner joins becomes a condition of the lowest one whose two
// sides it compares. The joins keep the written order, but for one thing when order_joins does not run: in a list of tables, one that no equality
// joins to those before it waits until one does, so that no cross product is made which the query does not ask for.
//
// An equality that can fail moves only as long as it passes no other condition, which may be its guard. (Below a cross join it then sees rows
// although another table may turn out to have none.)
func formJoins(o *Optimizer, n Node) (Node, error) {
	written := o.Off || o.Disabled["order_joins"]
	return Transform(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		input := f.Input
		if written {
			input = connected(f)
		}
		var kept []*expr.Expr
		for _, c := range f.Conditions {
			if movable(c) || len(kept) == 0 {
				if joined, ok := intoJoin(input, c); ok {
					input = joined
					continue
				}
			}
			kept = append(kept, c)
		}
		if len(kept) == len(f.Conditions) {
			return f
		}
		return exactly(filtered(input, kept), f.Columns(), outputSet(f))
	}), nil
}

// connected gives a filter's input with the tables of a list in the order in which equalities of the filter join them to those before: the first
// one first, and of those that are joined the one that was written first.
func connected(f *Filter) Node {
	var tables []Node
	for n := f.Input; ; {
		j, ok := n.(*Join)
		if !ok || j.Kind != InnerJoin || len(j.Conditions) > 0 {
			tables = append(tables, n)
			break
		}
		tables, n = append(tables, j.Right), j.Left
	}
	if len(tables) < 3 {
		return f.Input
	}
	slices.Reverse(tables)
	outputs := make([]columnSet, len(tables))
	for i, t := range tables {
		outputs[i] = outputSet(t)
	}
	joined, before := tables[0], maps.Clone(outputs[0])
	moved := false
	for rest := slices.Delete(numbers(len(tables)), 0, 1); len(rest) > 0; {
		next := slices.IndexFunc(rest, func(t int) bool {
			return slices.ContainsFunc(f.Conditions, func(c *expr.Expr) bool {
				_, _, ok := equalitySides(c, before, outputs[t])
				return ok && movable(c)
			})
		})
		moved = moved || next > 0
		table := rest[max(next, 0)]
		rest = slices.Delete(rest, max(next, 0), max(next, 0)+1)
		joined = &Join{Kind: InnerJoin, Left: joined, Right: tables[table]}
		maps.Copy(before, outputs[table])
	}
	if !moved {
		return f.Input
	}
	return joined
}

// passesOn reports whether a projection only orders or leaves out columns: above and below it they are the same.
func passesOn(p *Project) bool {
	for i, e := range p.Exprs {
		if e.Op != expr.Column || ColumnID(e.Column) != p.Output[i].ID {
			return false
		}
	}
	return true
}

// numbers gives 0 to n-1.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// intoJoin gives n with an equality between two inputs of an inner join in it as a condition of that join; false when there is none.
func intoJoin(n Node, c *expr.Expr) (Node, bool) {
	switch n := n.(type) {
	case *Filter:
		if !movable(c) {
			return nil, false // the filter's conditions may guard it
		}
		if input, ok := intoJoin(n.Input, c); ok {
			return n.WithChildren([]Node{input}), true
		}
	case *Project:
		if !passesOn(n) {
			return nil, false
		}
		if input, ok := intoJoin(n.Input, c); ok {
			return n.WithChildren([]Node{input}), true
		}
	case *Join:
		left, right := outputSet(n.Left), outputSet(n.Right)
		if _, _, ok := equalitySides(c, left, right); ok && n.Kind == InnerJoin {
			j := *n
			j.Conditions = addConditions(n.Conditions, c)
			return &j, true
		}
		if !movable(c) && (n.Kind != InnerJoin || len(n.Conditions) > 0) {
			return nil, false
		}
		switch {
		case within(c, left) && !constantInput(c) && n.Kind != RightJoin && n.Kind != FullJoin:
			if joined, ok := intoJoin(n.Left, c); ok {
				return n.WithChildren([]Node{joined, n.Right}), true
			}
		case within(c, right) && !constantInput(c) && (n.Kind == InnerJoin || n.Kind == RightJoin):
			if joined, ok := intoJoin(n.Right, c); ok {
				return n.WithChildren([]Node{n.Left, joined}), true
			}
		}
	}
	return nil, false
}
