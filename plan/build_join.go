package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// buildJoin chooses the operator of a join: a hash join when there is an equality between the sides, else a loop.
func (b *builder) buildJoin(n *Join) Physical {
	left, right := b.build(n.Left), b.build(n.Right)
	l, r := n.Left.Columns(), n.Right.Columns()
	both := append(append([]Column(nil), l...), r...)
	keys, rest := joinKeys(n.Conditions, false, l, r)
	condition := conjunction(rest, both)
	var mark *PhysicalMark
	if n.Mark != nil {
		markKeys, markRest := joinKeys(n.Mark.Conditions, len(n.Conditions) > 0, l, r)
		mark = &PhysicalMark{Keys: markKeys, Condition: conjunction(markRest, both)}
	}
	var columns []int
	switch {
	case n.Kind == MarkJoin:
		for i := range l {
			columns = append(columns, i)
		}
		columns = append(columns, len(both))
	default:
		for i := range n.Columns() {
			columns = append(columns, i)
		}
	}
	op := b.operator(n)
	if len(keys) == 0 && (mark == nil || len(mark.Keys) == 0) {
		p := &LoopJoin{Operator: op, Kind: n.Kind, Left: left, Right: right, Condition: condition, Columns: columns}
		if n.Mark != nil {
			p.Mark = expr.NewBool(true)
			if mark.Condition != nil {
				p.Mark = mark.Condition
			}
		}
		return p
	}
	return &HashJoin{Operator: op, Kind: n.Kind, Left: left, Right: right, Keys: keys, Condition: condition, Mark: mark, Columns: columns}
}

// conjunction joins conditions by AND, over positions; nil when there is none.
func conjunction(conditions []*expr.Expr, columns []Column) *expr.Expr {
	if len(conditions) == 0 {
		return nil
	}
	return expr.NewAnd(resolveAll(conditions, columns)...)
}

// joinKeys gives the equalities among conditions that compare a value of the left side with one of the right, and the other conditions. Keys are evaluated
// on all rows of a side, so one that may fail is none if a condition before it guards it.
func joinKeys(conditions []*expr.Expr, guarded bool, left, right []Column) (keys []JoinKey, rest []*expr.Expr) {
	for i, c := range conditions {
		if k, ok := joinKey(c, left, right); ok && !(c.CanFail() && (guarded || i > 0)) {
			keys = append(keys, k)
		} else {
			rest = append(rest, c)
		}
	}
	return keys, rest
}

func joinKey(c *expr.Expr, left, right []Column) (JoinKey, bool) {
	if c.Op != expr.Call || len(c.Args) != 2 || c.Function.Name != "eq" && c.Function.Name != "is_not_distinct" || !hashable(c.Args[0].Type) {
		return JoinKey{}, false
	}
	a, b := c.Args[0], c.Args[1]
	if readsOnly(b, left) && readsOnly(a, right) {
		a, b = b, a
	}
	if !readsOnly(a, left) || !readsOnly(b, right) {
		return JoinKey{}, false
	}
	return JoinKey{Left: resolve(a, left), Right: resolve(b, right), NullSafe: c.Function.Name == "is_not_distinct"}, true
}

// readsOnly reports whether an expression reads columns, and these among the given ones.
func readsOnly(e *expr.Expr, columns []Column) bool {
	reads, only := false, true
	e.Columns(func(id ColumnID) {
		reads = true
		found := false
		for _, c := range columns {
			found = found || c.ID == id
		}
		only = only && found
	})
	return reads && only && !e.IsVolatile()
}

// hashable reports whether equality of a type's values can be found by hashing: of all but nested ones, whose equality may be NULL.
func hashable(t types.Type) bool { return !t.IsNested() }
