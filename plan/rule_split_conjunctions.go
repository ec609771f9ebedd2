package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// splitConjunctions makes one list of the conditions of filters and joins out of nested ANDs, and one filter out of filters that stand upon each
// other: the lower one's conditions first, since they guard the upper one's.
func splitConjunctions(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		switch n := n.(type) {
		case *Filter:
			var conditions []*expr.Expr
			input := n.Input
			if below, ok := input.(*Filter); ok {
				conditions = append(conditions, below.Conditions...)
				input = below.Input
			}
			return &Filter{Input: input, Conditions: appendAllConjuncts(conditions, n.Conditions)}
		case *Join:
			c := *n
			c.Conditions = appendAllConjuncts(nil, n.Conditions)
			if n.Mark != nil {
				c.Mark = &Mark{Output: n.Mark.Output, Conditions: appendAllConjuncts(nil, n.Mark.Conditions)}
			}
			return &c
		}
		return n
	}), nil
}

func appendAllConjuncts(dst, conditions []*expr.Expr) []*expr.Expr {
	for _, c := range conditions {
		dst = appendConjuncts(dst, c)
	}
	return dst
}

func appendConjuncts(dst []*expr.Expr, e *expr.Expr) []*expr.Expr {
	if e.Op != expr.And {
		return append(dst, e)
	}
	return appendAllConjuncts(dst, e.Args)
}
