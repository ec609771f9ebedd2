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
			harmless = harmless && movable(c)
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
