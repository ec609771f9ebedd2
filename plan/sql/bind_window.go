package sql

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// windowing collects the window calls of one query while its clauses are bound. A call in an expression becomes a reference to the column that will hold its
// result.
type windowing struct {
	calls []windowCall
	// named are the definitions of the WINDOW clause that may be referred to.
	named []WindowDef
	// inside says that a window call's arguments are being bound: no window call may stand there.
	inside bool
	// results are the ids of the calls' columns.
	results map[plan.ColumnID]bool
}

// windowCall is a call with the window that it is over.
type windowCall struct {
	plan.WindowCall
	node   Node
	window windowSpec
}

// windowSpec is a bound window without its frame.
type windowSpec struct {
	partition []*expr.Expr
	order     []plan.SortKey
}

// window binds a call with OVER.
func (b *binder) window(n *Call, c *exprContext) (*expr.Expr, error) {
	w := c.windows
	switch {
	case w == nil && c.aggregates != nil && c.aggregates.inside:
		return nil, b.errorAt(n, types.CodeGrouping, "aggregate function calls cannot contain window function calls")
	case w == nil:
		return nil, b.errorAt(n, types.CodeWindowing, "window functions are not allowed in %s", c.clause)
	case w.inside:
		return nil, b.errorAt(n, types.CodeWindowing, "window function calls cannot be nested")
	}
	w.inside = true
	defer func() { w.inside = false }()
	call := windowCall{node: n}
	definition := c.windowDefinition()
	frame, err := b.windowSpec(n.Over, w.named, &call.window, definition)
	if err != nil {
		return nil, err
	}
	family, err := b.windowFamily(n)
	if err != nil {
		return nil, err
	}
	if family.BindWindow != nil {
		err = b.windowFunction(n, family, &call.WindowCall, c)
	} else {
		err = b.windowAggregate(n, family, &call.WindowCall, c)
	}
	if err != nil {
		return nil, err
	}
	call.Frame = plan.DefaultFrame()
	if frame != nil {
		if call.Frame, err = b.frame(frame, &call.window, definition); err != nil {
			return nil, err
		}
	}
	if call.Function != nil && !call.Function.UsesFrame() {
		call.Frame = plan.DefaultFrame()
	}
	for _, known := range w.calls {
		if sameWindowCall(&known, &call) {
			return known.Output.Ref(), nil
		}
	}
	call.Output.ID = b.ids.New()
	call.Output.Name = b.columnName(n)
	w.calls = append(w.calls, call)
	w.results[call.Output.ID] = true
	return call.Output.Ref(), nil
}

// hasWindow reports whether an expression uses the result of a window call.
func (w *windowing) hasWindow(e *expr.Expr) bool {
	found := false
	e.Columns(func(id plan.ColumnID) { found = found || w.results[id] })
	return found
}

// windowDefinition gives the context of the expressions after OVER and in the WINDOW clause.
func (c *exprContext) windowDefinition() *exprContext {
	d := *c
	d.clause, d.windows = "window definitions", nil
	return &d
}

// windowFamily finds the function of a window call. As window functions, first and last are the standard's functions of the frame.
func (b *binder) windowFamily(n *Call) (*expr.Family, error) {
	name := n.Name.Parts[0].Name
	switch lower := strings.ToLower(name); {
	case n.Distinct || n.Filter != nil || len(n.OrderBy) > 0:
	case lower == "first", lower == "last":
		name = lower + "_value"
	}
	family := b.catalog.Functions.Lookup(name)
	switch {
	case family == nil:
		return nil, b.undefinedFunction(n, name)
	case family.BindWindow == nil && family.BindAggregate == nil:
		return nil, b.errorAt(n, types.CodeWrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", name)
	}
	return family, nil
}

// windowFunction binds the arguments of a function that only windows have.
func (b *binder) windowFunction(n *Call, family *expr.Family, call *plan.WindowCall, c *exprContext) error {
	switch {
	case n.Distinct:
		return b.unsupported(n, "DISTINCT in a window function that is not an aggregate")
	case n.Filter != nil:
		return b.unsupported(n.Filter, "FILTER of a window function that is not an aggregate")
	case len(n.OrderBy) > 0:
		return b.unsupported(n.OrderBy[0], "ORDER BY in a window function that is not an aggregate")
	case len(n.WithinGroup) > 0:
		return b.unsupported(n.WithinGroup[0], "WITHIN GROUP of a window function")
	}
	args, err := b.arguments(n, c)
	if err != nil {
		return err
	}
	described := make([]expr.Arg, len(args))
	for i, arg := range args {
		described[i] = b.argOf(arg)
	}
	f, err := family.BindWindow(described)
	switch {
	case err != nil:
		return err
	case f == nil:
		return b.noOverload(n, strings.ToLower(family.Name), described, family)
	case n.Nulls != NullTreatmentDefault && !f.TakesNullTreatment():
		return b.unsupported(n, "RESPECT NULLS or IGNORE NULLS of %s", family.Name)
	}
	call.Function, call.IgnoreNulls = f, n.Nulls == IgnoreNulls
	call.Output.Type, call.Output.Nullable = f.Result, f.Nullable
	for i, t := range f.Args {
		var arg *expr.Expr
		if i < len(args) {
			arg = b.cast(n, args[i], t, false)
		} else {
			arg = f.Defaults[i-len(f.Args)+len(f.Defaults)]
		}
		call.Args = append(call.Args, arg)
		call.Output.Nullable = call.Output.Nullable || arg.Nullable
	}
	return nil
}

// windowAggregate binds an aggregate as a window function.
func (b *binder) windowAggregate(n *Call, family *expr.Family, call *plan.WindowCall, c *exprContext) error {
	bound, err := b.aggregateCall(n, family, c)
	if err != nil {
		return err
	}
	dropIdleOrder(bound)
	call.Aggregate, call.Args, call.Filter, call.Distinct, call.Order = bound.Function, bound.Args, bound.Filter, bound.Distinct, bound.Order
	call.Output.Type, call.Output.Nullable = bound.Function.Result, bound.Function.Nullable
	return nil
}

// windowSpec binds the partition and order of a window and gives its frame, nil for the default one. A window that refines a named one takes over its
// partition and order, and may add an order where it has none.
func (b *binder) windowSpec(n *Window, named []WindowDef, spec *windowSpec, c *exprContext) (*Frame, error) {
	if n.Base != nil {
		base, before, err := b.namedWindow(n.Base, named)
		if err != nil {
			return nil, err
		}
		name := n.Base.Name
		frame, err := b.windowSpec(base, before, spec, c)
		switch {
		case err != nil || n.NameOnly:
			return frame, err
		case len(n.PartitionBy) > 0:
			return nil, b.errorAt(n.PartitionBy[0], types.CodeWindowing, "cannot override PARTITION BY clause of window %q", name)
		case len(n.OrderBy) > 0 && len(spec.order) > 0:
			return nil, b.errorAt(n.OrderBy[0], types.CodeWindowing, "cannot override ORDER BY clause of window %q", name)
		case frame != nil:
			e := b.errorAt(n.Base, types.CodeWindowing, "cannot copy window %q because it has a frame clause", name)
			if len(n.OrderBy) == 0 && n.Frame == nil {
				e = e.WithHint("Omit the parentheses in this OVER clause.")
			}
			return nil, e
		}
	}
	for _, p := range n.PartitionBy {
		e, err := b.expr(p, c)
		if err != nil {
			return nil, err
		}
		spec.partition = append(spec.partition, e)
	}
	for _, item := range n.OrderBy {
		if item.All {
			return nil, b.unsupported(item, "ORDER BY ALL in a window")
		}
		e, err := b.expr(item.Expr, c)
		if err != nil {
			return nil, err
		}
		spec.order = append(spec.order, b.sortKey(e, item))
	}
	return n.Frame, nil
}

// namedWindow finds a window of the WINDOW clause, and those before it, which it may refer to itself.
func (b *binder) namedWindow(name *Ident, named []WindowDef) (*Window, []WindowDef, error) {
	for i, def := range named {
		if strings.EqualFold(def.Name.Name, name.Name) {
			return def.Window, named[:i], nil
		}
	}
	return nil, nil, b.errorAt(name, types.CodeInvalidConfig, "window %q does not exist", name.Name)
}

func sameWindowCall(a, c *windowCall) bool {
	switch {
	case (a.Function == nil) != (c.Function == nil), (a.Filter == nil) != (c.Filter == nil), a.Distinct != c.Distinct, a.IgnoreNulls != c.IgnoreNulls,
		!sameExprs(a.Args, c.Args), !sameKeys(a.Order, c.Order), !a.window.equal(&c.window), !sameFrame(&a.Frame, &c.Frame):
		return false
	case a.Filter != nil && !a.Filter.Equal(c.Filter):
		return false
	case a.Function != nil:
		return a.Function.Kind == c.Function.Kind && a.Function.Result.Equal(c.Function.Result)
	}
	return a.Aggregate.Same(c.Aggregate)
}

// equal reports whether two windows cut and order the rows in the same way.
func (w *windowSpec) equal(o *windowSpec) bool {
	return sameExprs(w.partition, o.partition) && sameKeys(w.order, o.order)
}

func sameExprs(a, c []*expr.Expr) bool {
	if len(a) != len(c) {
		return false
	}
	for i := range a {
		if !a[i].Equal(c[i]) {
			return false
		}
	}
	return true
}

func sameKeys(a, c []plan.SortKey) bool {
	if len(a) != len(c) {
		return false
	}
	for i := range a {
		if a[i].Descending != c[i].Descending || a[i].NullsFirst != c[i].NullsFirst || !a[i].Expr.Equal(c[i].Expr) {
			return false
		}
	}
	return true
}

func sameFrame(a, c *plan.Frame) bool {
	return a.Unit == c.Unit && a.Exclude == c.Exclude && sameBound(&a.Start, &c.Start) && sameBound(&a.End, &c.End)
}

// sameBound compares bounds; equal offsets from equal keys have equal limits.
func sameBound(a, c *plan.FrameBound) bool {
	return a.Kind == c.Kind && (a.Offset == nil) == (c.Offset == nil) && (a.Offset == nil || a.Offset.Equal(c.Offset))
}

// checkWindows binds the definitions of the WINDOW clause, used or not.
func (s *selector) checkWindows() error {
	for i, def := range s.query.Windows {
		for _, before := range s.query.Windows[:i] {
			if strings.EqualFold(before.Name.Name, def.Name.Name) {
				return s.errorAt(def.Name, types.CodeWindowing, "window %q is already defined", def.Name.Name)
			}
		}
		var spec windowSpec
		c := s.context("WINDOW").windowDefinition()
		frame, err := s.windowSpec(def.Window, s.query.Windows[:i], &spec, c)
		if err == nil && frame != nil {
			_, err = s.frame(frame, &spec, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrite applies f to all expressions of the calls.
func (w *windowing) rewrite(f func(n Node, e *expr.Expr) (*expr.Expr, error)) error {
	for i := range w.calls {
		c := &w.calls[i]
		var err error
		apply := func(e *expr.Expr) *expr.Expr {
			if e == nil || err != nil {
				return e
			}
			var out *expr.Expr
			out, err = f(c.node, e)
			return out
		}
		applyAll := func(list []*expr.Expr) (out []*expr.Expr) {
			for _, e := range list {
				out = append(out, apply(e))
			}
			return out
		}
		applyKeys := func(keys []plan.SortKey) (out []plan.SortKey) {
			for _, k := range keys {
				k.Expr = apply(k.Expr)
				out = append(out, k)
			}
			return out
		}
		c.window.partition, c.window.order = applyAll(c.window.partition), applyKeys(c.window.order)
		c.Args, c.Filter, c.Order = applyAll(c.Args), apply(c.Filter), applyKeys(c.Order)
		for _, bound := range []*plan.FrameBound{&c.Frame.Start, &c.Frame.End} {
			bound.Offset, bound.Limit = apply(bound.Offset), apply(bound.Limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// over puts the windows over a node, one for all calls with the same partition and order. Those without an order come first, so that row_number() OVER ()
// numbers the rows as they come.
func (w *windowing) over(node plan.Node) plan.Node {
	var windows []*plan.Window
	add := func(c *windowCall, same func(*plan.Window) bool) {
		for _, known := range windows {
			if samePartition(known.PartitionBy, c.window.partition) && same(known) {
				known.Calls = append(known.Calls, c.WindowCall)
				return
			}
		}
		windows = append(windows, &plan.Window{PartitionBy: c.window.partition, OrderBy: c.window.order, Calls: []plan.WindowCall{c.WindowCall}})
	}
	for i := range w.calls {
		if c := &w.calls[i]; !c.takesAnyOrder() {
			add(c, func(known *plan.Window) bool { return sameKeys(known.OrderBy, c.window.order) })
		}
	}
	for i := range w.calls {
		if c := &w.calls[i]; c.takesAnyOrder() {
			add(c, func(known *plan.Window) bool {
				if len(known.OrderBy) > 0 {
					c.Frame.Start, c.Frame.End = plan.FrameBound{Kind: plan.UnboundedPreceding}, plan.FrameBound{Kind: plan.UnboundedFollowing}
				}
				return true
			})
		}
	}
	slices.SortStableFunc(windows, func(a, c *plan.Window) int { return min(len(a.OrderBy), 1) - min(len(c.OrderBy), 1) })
	for _, window := range windows {
		window.Input = node
		node = window
	}
	return node
}

// takesAnyOrder reports a call without an order whose result is the same in any: an aggregate over the whole partition.
func (c *windowCall) takesAnyOrder() bool {
	f := &c.Frame
	return len(c.window.order) == 0 && c.Aggregate != nil && !c.Aggregate.OrderSensitive && f.Exclude == plan.ExcludeNoOthers &&
		(f.Start.Kind == plan.UnboundedPreceding || f.Start.Kind == plan.CurrentRow && f.Unit != plan.FrameRows) &&
		(f.End.Kind == plan.UnboundedFollowing || f.End.Kind == plan.CurrentRow && f.Unit != plan.FrameRows)
}

// samePartition reports whether two lists have the same expressions, in any order.
func samePartition(a, c []*expr.Expr) bool {
	has := func(list []*expr.Expr, e *expr.Expr) bool { return slices.ContainsFunc(list, e.Equal) }
	for _, e := range a {
		if !has(c, e) {
			return false
		}
	}
	for _, e := range c {
		if !has(a, e) {
			return false
		}
	}
	return true
}

// distinctOn keeps the first row, in the order of the sort keys, of each combination of the values of columns.
func (s *selector) distinctOn(node plan.Node, columns []*expr.Expr, keys []plan.SortKey) (plan.Node, error) {
	family := s.catalog.Functions.Lookup("row_number")
	if family == nil || family.BindWindow == nil {
		return nil, s.unsupported(s.query.DistinctOn[0], "DISTINCT ON without the function row_number")
	}
	f, err := family.BindWindow(nil)
	if err != nil {
		return nil, err
	}
	number := plan.Column{ID: s.ids.New(), Field: types.Field{Name: f.Name, Type: f.Result}}
	one := expr.NewConstant(types.NewFixed(types.BigInt, []int64{1}, nil))
	first, err := s.applyTo(s.query.DistinctOn[0], "eq", number.Ref(), one)
	if err != nil {
		return nil, err
	}
	call := plan.WindowCall{Output: number, Function: f, Frame: plan.DefaultFrame()}
	return &plan.Filter{
		Input:      &plan.Window{Input: node, PartitionBy: columns, OrderBy: keys, Calls: []plan.WindowCall{call}},
		Conditions: []*expr.Expr{first},
	}, nil
}
