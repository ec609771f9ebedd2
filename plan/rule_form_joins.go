package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// formJoins makes joins of FROM a, b WHERE a.x = b.y: an equality in a filter above inner joins becomes a condition of the lowest one whose two
// sides it compares. The joins keep the written order.
//
// An equality that can fail moves only as long as it passes no other condition, which may be its guard. (Below a cross join it then sees rows
// although another table may turn out to have none.)
func formJoins(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		input := f.Input
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
		return filtered(input, kept)
	}), nil
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
