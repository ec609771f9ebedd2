package sql

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// frameUnits and exclusions translate those of the tree.
var (
	frameUnits      = [...]plan.FrameUnit{FrameRows: plan.FrameRows, FrameRange: plan.FrameRange, FrameGroups: plan.FrameGroups}
	frameExclusions = [...]plan.FrameExclusion{
		ExcludeNoOthers: plan.ExcludeNoOthers, ExcludeCurrentRow: plan.ExcludeCurrentRow, ExcludeGroup: plan.ExcludeGroup, ExcludeTies: plan.ExcludeTies,
	}
	boundKinds = [...]plan.BoundKind{
		UnboundedPreceding: plan.UnboundedPreceding, OffsetPreceding: plan.OffsetPreceding, CurrentRow: plan.CurrentRow,
		OffsetFollowing: plan.OffsetFollowing, UnboundedFollowing: plan.UnboundedFollowing,
	}
)

// frame binds and checks a frame. Offsets of RANGE may give the window's order key another type, in which it can be compared with the limits.
func (b *binder) frame(n *Frame, spec *windowSpec, c *exprContext) (plan.Frame, error) {
	f := plan.Frame{Unit: frameUnits[n.Unit], Exclude: frameExclusions[n.Exclude]}
	f.Start.Kind, f.End.Kind = boundKinds[n.Start.Kind], boundKinds[n.End.Kind]
	fail := func(at Node, message string) (plan.Frame, error) {
		return f, b.errorAt(at, types.CodeWindowing, "%s", message)
	}
	switch start, end := f.Start.Kind, f.End.Kind; {
	case start == plan.UnboundedFollowing:
		return fail(n.Start, "frame start cannot be UNBOUNDED FOLLOWING")
	case end == plan.UnboundedPreceding:
		return fail(n.End, "frame end cannot be UNBOUNDED PRECEDING")
	case start == plan.CurrentRow && end == plan.OffsetPreceding:
		return fail(n.Start, "frame starting from current row cannot have preceding rows")
	case start == plan.OffsetFollowing && end == plan.OffsetPreceding:
		return fail(n.Start, "frame starting from following row cannot have preceding rows")
	case start == plan.OffsetFollowing && end == plan.CurrentRow:
		return fail(n.Start, "frame starting from following row cannot end with current row")
	}
	bounds := []struct {
		from *FrameBound
		to   *plan.FrameBound
	}{{&n.Start, &f.Start}, {&n.End, &f.End}}
	for i, bound := range bounds {
		if bound.from.Offset == nil {
			continue
		}
		place := [...]string{"starting", "ending"}[i]
		offset, err := b.expr(bound.from.Offset, c)
		if err != nil {
			return f, err
		}
		if f.Unit == plan.FrameRange {
			err = b.rangeLimit(bound.from, place, offset, bound.to, spec)
		} else {
			err = b.rowOffset(bound.from, place, offset, bound.to, f.Unit)
		}
		if err != nil {
			return f, err
		}
	}
	// The order key may have another type now.
	for _, bound := range bounds {
		if limit := bound.to.Limit; limit != nil {
			bound.to.Limit = b.cast(bound.from.Offset, limit, spec.order[0].Expr.Type, false)
		}
	}
	return f, nil
}

// rowOffset binds an offset of ROWS or GROUPS.
func (b *binder) rowOffset(n *FrameBound, place string, offset *expr.Expr, to *plan.FrameBound, unit plan.FrameUnit) error {
	t := offset.Type
	if !t.IsInteger() && t.Kind() != types.KindNull {
		return b.errorAt(n.Offset, types.CodeDatatypeMismatch, "argument of %s must be type BIGINT, not type %s", [...]string{plan.FrameRows: "ROWS", plan.FrameGroups: "GROUPS"}[unit], t)
	}
	to.Offset = expr.Fold(b.cast(n.Offset, offset, types.BigInt, false))
	return b.checkOffset(n, place, to.Offset)
}

// rangeLimit binds an offset of RANGE and computes its limit.
func (b *binder) rangeLimit(n *FrameBound, place string, offset *expr.Expr, to *plan.FrameBound, spec *windowSpec) error {
	if len(spec.order) != 1 {
		return b.errorAt(n, types.CodeWindowing, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
	}
	key := spec.order[0]
	// A TIME wraps around at midnight.
	if t := key.Expr.Type; !t.IsNumeric() && !t.IsTemporal() && t.Kind() != types.KindInterval || t.Kind() == types.KindTime {
		return b.unsupported(n, "RANGE with offset PRECEDING/FOLLOWING for an ORDER BY column of type %s", t)
	}
	name := "subtract"
	if (n.Kind == OffsetFollowing) != key.Descending {
		name = "add"
	}
	value, step := key.Expr, offset
	// Beyond the range of an integer type there are no keys: NULL is a limit that none reaches.
	narrow := value.Type.IsInteger() && value.Type.Storage().Width() < types.HugeInt.Storage().Width() && (step.Type.IsInteger() || step.Literal && step.Type.Kind() == types.KindVarchar)
	if narrow {
		value, step = b.cast(n.Offset, value, types.HugeInt, false), b.cast(n.Offset, step, types.HugeInt, false)
	}
	limit, err := b.applyTo(n.Offset, name, value, step)
	if err != nil {
		return err
	}
	if key.Expr.Type.IsTemporal() != limit.Type.IsTemporal() {
		return b.unsupported(n, "RANGE with offset PRECEDING/FOLLOWING for an ORDER BY column of type %s and an offset of type %s", key.Expr.Type, offset.Type)
	}
	// With the types that the arithmetic takes the offset is a value by itself: a string literal has become one.
	to.Offset = expr.Fold(limit.Args[1])
	if err := b.checkOffset(n, place, to.Offset); err != nil {
		return err
	}
	switch {
	case narrow:
		limit = b.cast(n.Offset, limit, key.Expr.Type, true)
	case !limit.Type.Equal(key.Expr.Type):
		common := limit.Type
		if key.Expr.Type.IsNumeric() {
			if common, err = expr.CommonTypeOf(expr.Arg{Type: key.Expr.Type}, expr.Arg{Type: limit.Type}); err != nil {
				return b.located(n, err)
			}
		}
		spec.order[0].Expr = b.cast(n.Offset, key.Expr, common, false)
		limit = b.cast(n.Offset, limit, common, false)
	}
	to.Limit = limit
	return nil
}

// checkOffset gives an error for a constant offset that is null or negative; others are checked when they are evaluated.
func (b *binder) checkOffset(n *FrameBound, place string, offset *expr.Expr) error {
	switch {
	case offset.Op != expr.Constant:
		return nil
	case offset.IsNullConstant():
		return b.errorAt(n.Offset, types.CodeInvalidFrameOffset, "frame %s offset must not be null", place)
	}
	zero := expr.NewConstant(types.NewFixed(types.Interval, []types.MonthDayNano{{}}, nil))
	if offset.Type.Kind() != types.KindInterval {
		zero = expr.Fold(expr.NewCast(expr.NewConstant(types.NewFixed(types.BigInt, []int64{0}, nil)), offset.Type, false))
	}
	negative, err := b.applyTo(n.Offset, "lt", offset, zero)
	if err != nil {
		return err
	}
	if expr.Fold(negative).IsTrue() {
		return b.errorAt(n.Offset, types.CodeInvalidFrameOffset, "frame %s offset must not be negative", place)
	}
	return nil
}
