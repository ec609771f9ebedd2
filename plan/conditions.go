package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// movable reports whether a condition may be evaluated on other rows, or another time, than where it is written: it neither raises nor
// is volatile. It may also overtake conditions that are not movable: these then see fewer rows, never more.
func movable(c *expr.Expr) bool { return !c.CanFail() && !c.IsVolatile() }

func allMovable(conditions []*expr.Expr) bool {
	return !slices.ContainsFunc(conditions, func(c *expr.Expr) bool { return !movable(c) })
}

// within reports whether an expression reads columns of the set only. One without columns does.
func within(e *expr.Expr, set columnSet) bool {
	only := true
	e.Columns(func(id ColumnID) { only = only && set.has(id) })
	return only
}

// equalitySides gives the sides of a condition a = b or a IS NOT DISTINCT FROM b of which one reads left columns only and the other right
// ones only, both at least one: left first. It is what a hash join can use.
func equalitySides(c *expr.Expr, left, right columnSet) (l, r *expr.Expr, ok bool) {
	if c.Op != expr.Call || len(c.Args) != 2 || c.Function.Name != "eq" && c.Function.Name != "is_not_distinct" || !hashable(c.Args[0].Type) || c.IsVolatile() {
		return nil, nil, false
	}
	l, r = c.Args[0], c.Args[1]
	if constantInput(l) || constantInput(r) {
		return nil, nil, false
	}
	switch {
	case within(l, left) && within(r, right):
		return l, r, true
	case within(r, left) && within(l, right):
		return r, l, true
	}
	return nil, nil, false
}

// constantInput reports whether an expression reads no column, and nothing of a query around it.
func constantInput(e *expr.Expr) bool {
	constant := true
	e.Walk(func(n *expr.Expr) bool {
		constant = constant && n.Op != expr.Column && n.Op != expr.OuterColumn && n.Op != expr.Subquery
		return constant
	})
	return constant
}

// isCall reports a call of a function with so many arguments.
func isCall(e *expr.Expr, name string, args int) bool {
	return e.Op == expr.Call && e.Function.Name == name && len(e.Args) == args
}

// hasCondition reports whether a list has a condition.
func hasCondition(list []*expr.Expr, c *expr.Expr) bool { return slices.ContainsFunc(list, c.Equal) }

// addConditions gives dst with those of more that it does not have yet.
func addConditions(dst []*expr.Expr, more ...*expr.Expr) []*expr.Expr {
	dst = slices.Clip(dst)
	for _, c := range more {
		if !hasCondition(dst, c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// conjuncts gives the conditions that e is the conjunction of.
func conjuncts(e *expr.Expr) []*expr.Expr { return appendConjuncts(nil, e) }
