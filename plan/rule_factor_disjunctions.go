package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// factorDisjunctions takes conditions that all alternatives of an OR have in common out of it: (a AND x) OR (a AND y) is a AND (x OR y), in
// three-valued logic too. What was hidden in the OR can then be a join's equality or reach a scan. Only what cannot fail is taken out,
// since it comes to stand before what guarded it.
func factorDisjunctions(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		switch n.(type) {
		case *Filter, *Join:
			return mapExpressions(n, func(e *expr.Expr) *expr.Expr { return e.Rewrite(factorDisjunction) })
		}
		return n
	}), nil
}

func factorDisjunction(e *expr.Expr) *expr.Expr {
	if e.Op != expr.Or {
		return e
	}
	arms := make([][]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		arms[i] = conjuncts(a)
	}
	var common []*expr.Expr
	for _, c := range arms[0] {
		if movable(c) && !slices.ContainsFunc(arms[1:], func(arm []*expr.Expr) bool { return !hasCondition(arm, c) }) {
			common = addConditions(common, c)
		}
	}
	if len(common) == 0 {
		return e
	}
	rests := make([]*expr.Expr, len(arms))
	for i, arm := range arms {
		rest := slices.DeleteFunc(arm, func(c *expr.Expr) bool { return hasCondition(common, c) })
		if len(rest) == 0 {
			// a OR (a AND x) is a; but x would have been evaluated where a is NULL.
			if !movable(e) {
				return e
			}
			return expr.NewAnd(common...).At(e.Position)
		}
		rests[i] = expr.NewAnd(rest...)
	}
	return expr.NewAnd(append(common, expr.NewOr(rests...))...).At(e.Position)
}
