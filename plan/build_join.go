package plan

import (
	"github.com/lacunadb/lacuna/kernels"
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
	if len(keys) == 0 && (mark == nil || len(mark.Keys) == 0) {
		ranges, rest := joinRanges(rest, l, r)
		p := &LoopJoin{
			Operator: b.operator(n), Kind: n.Kind, Left: left, Right: right, Ranges: ranges, Condition: conjunction(rest, both), Columns: columns,
		}
		if n.Mark != nil {
			p.Mark = expr.NewBool(true)
			if mark.Condition != nil {
				p.Mark = mark.Condition
			}
		}
		return p
	}
	p := &HashJoin{
		Operator: b.operator(n), Kind: n.Kind, Left: left, Right: right, Keys: keys, Condition: condition, Mark: mark, Columns: columns,
		BuildLeft: n.Kind != MarkJoin && n.Kind != SingleJoin && b.size(n.Left)*leftAdvantage < b.size(n.Right),
	}
	b.publish(n, p)
	return p
}

// leftAdvantage is how many times smaller the left side must be for the table to be over it: the left rows then lose their order, and estimates are not
// exact.
const leftAdvantage = 1.5

// rowOverhead is what a row costs in a hash table apart from its values, in bytes that could be copied in the same time.
const rowOverhead = 48.0

// size estimates the cost of a hash table over a node's rows.
func (b *builder) size(n Node) float64 {
	width := rowOverhead
	for _, c := range n.Columns() {
		width += columnWidth(c.Type)
	}
	return b.estimates.of(n).rows * width
}

// columnWidth guesses the bytes of a value.
func columnWidth(t types.Type) float64 {
	switch {
	case t.IsNested():
		return 64
	case t.Storage() == types.StorageView:
		return 32
	}
	return max(1, float64(t.Storage().Width()))
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
	a, b, ok := equalitySides(c, columnIDs(left), columnIDs(right))
	if !ok {
		return JoinKey{}, false
	}
	return JoinKey{Left: resolve(a, left), Right: resolve(b, right), NullSafe: c.Function.Name == "is_not_distinct"}, true
}

// joinRanges gives the comparisons by order among conditions that compare a value of the left side with one of the right, and the other conditions.
func joinRanges(conditions []*expr.Expr, left, right []Column) (ranges []JoinRange, rest []*expr.Expr) {
	for _, c := range conditions {
		if r, ok := joinRange(c, left, right); ok {
			ranges = append(ranges, r)
		} else {
			rest = append(rest, c)
		}
	}
	return ranges, rest
}

var rangeOps = map[string]kernels.CompareOp{"lt": kernels.Less, "le": kernels.LessEqual, "gt": kernels.Greater, "ge": kernels.GreaterEqual}

func joinRange(c *expr.Expr, left, right []Column) (JoinRange, bool) {
	if c.Op != expr.Call || len(c.Args) != 2 || c.Args[0].Type.IsNested() || c.IsVolatile() || c.CanFail() {
		return JoinRange{}, false
	}
	op, ok := rangeOps[c.Function.Name]
	l, r := c.Args[0], c.Args[1]
	if !ok || constantInput(l) || constantInput(r) {
		return JoinRange{}, false
	}
	inLeft, inRight := columnIDs(left), columnIDs(right)
	if within(r, inLeft) && within(l, inRight) {
		l, r, op = r, l, op.Swap()
	}
	if !within(l, inLeft) || !within(r, inRight) {
		return JoinRange{}, false
	}
	both := append(append([]Column(nil), left...), right...)
	return JoinRange{Op: op, Left: resolve(l, left), Right: resolve(r, right), Condition: resolve(c, both)}, true
}

// hashable reports whether equality of a type's values can be found by hashing: of all but nested ones, whose equality may be NULL.
func hashable(t types.Type) bool { return !t.IsNested() }
