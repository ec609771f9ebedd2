package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// narrowComparisons compares a column in its own type instead of casting every value of it to the type of a constant, where the constant has an equal in
// the column's type: CAST(d AS TIMESTAMP) < TIMESTAMP '1995-01-01 00:00:00' is d < DATE '1995-01-01'. Scans can then use the condition. Likewise
// it compares two columns that are cast from one type to another.
func narrowComparisons(_ *Optimizer, n Node) (Node, error) {
	return Transform(n, func(n Node) Node {
		return mapExpressions(n, func(e *expr.Expr) *expr.Expr { return e.Rewrite(narrowComparison) })
	}), nil
}

func narrowComparison(e *expr.Expr) *expr.Expr {
	if e.Op != expr.Call || len(e.Args) != 2 {
		return e
	}
	switch e.Function.Name {
	case "eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct":
	default:
		return e
	}
	a, ok := narrowed(e.Args[0], e.Args[1])
	b, okB := narrowed(e.Args[1], e.Args[0])
	if !ok || !okB {
		return e
	}
	return call(e.Function.Name, a, b).At(e.Position)
}

// narrowed gives a side of a comparison in the type that the column is cast from; other is the other side.
func narrowed(side, other *expr.Expr) (*expr.Expr, bool) {
	switch {
	case isExactCast(side) && (other.Op == expr.Constant || isExactCast(other) && other.Args[0].Type.Equal(side.Args[0].Type)):
		return side.Args[0], true
	case side.Op == expr.Constant && isExactCast(other):
		return castBack(side, other.Args[0].Type)
	}
	return nil, false
}

// isExactCast reports a cast of something with columns that keeps the order of values and keeps different ones different.
func isExactCast(e *expr.Expr) bool {
	if e.Op != expr.Cast || e.Try || constantInput(e) {
		return false
	}
	from, to := e.Args[0].Type, e.Type
	switch f, t := from.Kind(), to.Kind(); {
	case from.IsInteger() && to.IsInteger(), from.IsInteger() && t == types.KindDecimal:
		return !expr.NewCast(expr.NewColumn(0, "", from, true), to, false).CanFail()
	case from.IsInteger() && t == types.KindDouble:
		return from.Storage().Width() <= 4
	case f == types.KindDecimal && t == types.KindDecimal:
		return to.Scale() >= from.Scale() && to.Precision()-to.Scale() >= from.Precision()-from.Scale()
	case f == types.KindFloat && t == types.KindDouble, f == types.KindDate && t == types.KindTimestamp:
		return true
	case f == types.KindTimestamp && t == types.KindTimestamp:
		return to.Unit() >= from.Unit()
	}
	return false
}

// castBack gives a constant in another type; false when it has no equal there. NULL has.
func castBack(constant *expr.Expr, to types.Type) (*expr.Expr, bool) {
	v, err := expr.Evaluate(expr.NewCast(constant, to, true))
	if err != nil {
		return nil, false
	}
	back := expr.NewConstant(v)
	if back.IsNullConstant() {
		return back, constant.IsNullConstant()
	}
	equal, err := expr.Evaluate(call("eq", expr.NewCast(back, constant.Type, true), constant))
	if err != nil || !expr.NewConstant(equal).IsTrue() {
		return nil, false
	}
	return back.At(constant.Position), true
}
