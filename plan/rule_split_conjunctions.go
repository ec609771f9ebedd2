package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// splitConjunctions makes one list of a filter's conditions out of nested ANDs, and one filter out of filters that stand upon each other:
// the lower one's conditions first, since they guard the upper one's.
func splitConjunctions(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		var conditions []*expr.Expr
		input := f.Input
		if below, ok := input.(*Filter); ok {
			conditions = append(conditions, below.Conditions...)
			input = below.Input
		}
		for _, c := range f.Conditions {
			conditions = appendConjuncts(conditions, c)
		}
		return &Filter{Input: input, Conditions: conditions}
	}), nil
}

func appendConjuncts(dst []*expr.Expr, e *expr.Expr) []*expr.Expr {
	if e.Op != expr.And {
		return append(dst, e)
	}
	for _, a := range e.Args {
		dst = appendConjuncts(dst, a)
	}
	return dst
}
