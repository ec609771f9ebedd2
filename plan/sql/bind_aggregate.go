package sql

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// aggregation collects what one query groups by and aggregates, while its clauses are bound. An aggregate call in an expression becomes a
// reference to the column that will hold its result.
type aggregation struct {
	groups []plan.GroupKey
	calls  []plan.AggregateCall
	// sets are the grouping sets as positions in groups; nil when there is one, of all keys.
	sets [][]int
	// groupings are the uses of GROUPING, by the id of the column that stands for each until the sets are known. They are computed from setNumber.
	groupings map[plan.ColumnID]*groupingCall
	setNumber *plan.Column
	// results are the ids of the calls' columns.
	results map[plan.ColumnID]bool
	// windows are the window calls, which are computed over the groups.
	windows *windowing
	// unnests are the calls of unnest, which are computed over the groups too.
	unnests *unnesting
	// inside says that an aggregate's own arguments are being bound: no aggregate may stand there.
	inside bool
}

// used reports whether the query aggregates at all.
func (a *aggregation) used() bool {
	return len(a.groups) > 0 || len(a.calls) > 0 || len(a.groupings) > 0
}

// aggregate binds an aggregate call. It belongs to the query in which it stands, unless it reads only columns from around that.
func (b *binder) aggregate(n *Call, family *expr.Family, c *exprContext) (*expr.Expr, error) {
	a := c.aggregates
	misplaced := func() error {
		return b.errorAt(n, types.CodeGrouping, "aggregate functions are not allowed in %s", c.clause)
	}
	switch {
	case a == nil && !c.scope.inSubquery():
		return nil, misplaced()
	case a != nil && a.inside:
		return nil, b.errorAt(n, types.CodeGrouping, "aggregate function calls cannot be nested")
	case a != nil:
		a.inside = true
		defer func() { a.inside = false }()
	}
	taken := c.scope.taken()
	call, err := b.aggregateCall(n, family, &exprContext{scope: c.scope, clause: "an aggregate", aggregates: a, aliasNames: c.aliasNames})
	if err == nil && onlyOuter(call) {
		c.scope.forget(taken)
		return b.aggregateOfOuter(n, family, c)
	}
	if a == nil {
		return nil, misplaced()
	}
	if err != nil {
		return nil, err
	}
	dropIdleOrder(call)
	for _, known := range a.calls {
		if sameCall(known, *call) {
			return known.Output.Ref(), nil
		}
	}
	name := b.columnName(n)
	call.Output = plan.Column{ID: b.ids.New(), Field: types.Field{Name: name, Type: call.Function.Result, Nullable: call.Function.Nullable}}
	a.calls = append(a.calls, *call)
	a.results[call.Output.ID] = true
	return call.Output.Ref(), nil
}

// aggregateCall binds the function and the arguments, in their context, of an aggregate call, over groups or windows. It has the ORDER BY as written;
// what that is for is up to dropIdleOrder.
func (b *binder) aggregateCall(n *Call, family *expr.Family, c *exprContext) (*plan.AggregateCall, error) {
	if n.Nulls != NullTreatmentDefault {
		return nil, b.unsupported(n, "IGNORE NULLS in an aggregate")
	}
	if len(n.WithinGroup) > 0 {
		var err error
		if n, err = b.withinGroup(n, family); err != nil {
			return nil, err
		}
	}
	if len(n.Args) == 1 {
		if star, ok := n.Args[0].Expr.(*Star); ok {
			if !strings.EqualFold(family.Name, "count") || len(star.Qualifier)+len(star.Exclude)+len(star.Replace)+len(star.Rename) > 0 {
				return nil, b.errorAt(star, types.CodeSyntax, "* is not allowed here")
			}
			if n.Distinct {
				return nil, b.errorAt(star, types.CodeSyntax, "DISTINCT * is not allowed in count")
			}
			n = &Call{Span: n.Span, Name: n.Name, Filter: n.Filter}
		}
	}
	args, err := b.arguments(n, c)
	if err != nil {
		return nil, err
	}
	described := make([]expr.Arg, len(args))
	for i, arg := range args {
		described[i] = b.argOf(arg)
		if folded := expr.Fold(arg); folded.Op == expr.Constant {
			described[i].Constant = folded.Value
		}
	}
	f, err := family.BindAggregate(described)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, b.noOverload(n, strings.ToLower(n.Name.Parts[0].Name), described, family)
	}
	call := &plan.AggregateCall{Function: f, Distinct: n.Distinct}
	for i := range f.Args {
		call.Args = append(call.Args, b.cast(n, args[i], f.Args[i], false))
		if n.Distinct && !f.DistinctAgnostic {
			if err := b.groupable(n.Args[i].Expr, f.Args[i]); err != nil {
				return nil, err
			}
		}
	}
	if n.Filter != nil {
		if call.Filter, err = b.condition(n.Filter, c); err != nil {
			return nil, err
		}
	}
	for _, item := range n.OrderBy {
		key, err := b.aggregateOrder(n, item, args[:len(f.Args)], c)
		if err != nil {
			return nil, err
		}
		call.Order = append(call.Order, key)
	}
	return call, nil
}

// dropIdleOrder drops the ORDER BY of an aggregate whose value does not depend on it: the clause was only checked.
func dropIdleOrder(call *plan.AggregateCall) {
	if !call.Function.OrderSensitive {
		call.Order = nil
	}
}

// aggregateOrder binds one item of the ORDER BY in an aggregate call. Positions mean nothing there. With DISTINCT only arguments are left to order by.
func (b *binder) aggregateOrder(n *Call, item OrderItem, args []*expr.Expr, c *exprContext) (plan.SortKey, error) {
	if item.All {
		return plan.SortKey{}, b.unsupported(item, "ORDER BY ALL in an aggregate")
	}
	e, err := b.expr(item.Expr, c)
	if err != nil {
		return plan.SortKey{}, err
	}
	if n.Distinct && !slices.ContainsFunc(args, e.Equal) {
		return plan.SortKey{}, b.errorAt(item, types.CodeInvalidColumnRef, "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
	}
	return b.sortKey(e, item), nil
}

// withinGroup gives a call without WITHIN GROUP (ORDER BY x). For percentile_cont and percentile_disc x is the first argument and its direction the
// last one, for mode x is the argument and the order, and for listagg the clause is its ORDER BY.
func (b *binder) withinGroup(n *Call, family *expr.Family) (*Call, error) {
	call := *n
	call.WithinGroup = nil
	item := n.WithinGroup[0]
	switch {
	case len(n.OrderBy) > 0:
		return nil, b.errorAt(item, types.CodeSyntax, "a call has either ORDER BY or WITHIN GROUP")
	case family.Name == "string_agg":
		call.OrderBy = n.WithinGroup
		return &call, nil
	case family.Name != "quantile_cont" && family.Name != "quantile_disc" && family.Name != "mode":
		return nil, b.errorAt(n, types.CodeWrongObjectType, "%s is not an ordered-set aggregate: WITHIN GROUP does not apply", family.Name)
	case len(n.WithinGroup) > 1 || item.All:
		return nil, b.errorAt(item, types.CodeSyntax, "WITHIN GROUP of %s takes one expression", family.Name)
	}
	call.Args = append([]Argument{{Span: item.Expr.Range(), Expr: item.Expr}}, n.Args...)
	if family.Name == "mode" {
		call.OrderBy = n.WithinGroup
	} else if len(n.Args) == 1 {
		descending := &Literal{Span: item.Span, Kind: BooleanLiteral, Text: "false"}
		if item.Direction == Descending {
			descending.Text = "true"
		}
		call.Args = append(call.Args, Argument{Span: item.Span, Expr: descending})
	}
	return &call, nil
}

func sameCall(a, c plan.AggregateCall) bool {
	return a.Function.Same(c.Function) && a.Distinct == c.Distinct && sameExprs(a.Args, c.Args) && sameKeys(a.Order, c.Order) &&
		(a.Filter == c.Filter || a.Filter != nil && c.Filter != nil && a.Filter.Equal(c.Filter))
}

// overGroups turns an expression over the input of an aggregation into one over its output: what equals a group key becomes that key's
// column. Another column of the input is an error: it has no single value in a group.
func (b *binder) overGroups(n Node, e *expr.Expr, a *aggregation) (*expr.Expr, error) {
	for _, g := range a.groups {
		if e.Equal(g.Expr) {
			output := g.Output
			output.Nullable = output.Nullable || a.sets != nil
			return output.Ref().At(e.Position), nil
		}
	}
	if e.Op == expr.Column && a.groupings[e.Column] != nil {
		return b.groupingValue(a.groupings[e.Column], a)
	}
	if e.Op == expr.Column {
		if a.results[e.Column] || a.windows.results[e.Column] || a.unnests.results[e.Column] {
			return e, nil
		}
		at := n
		if e.Position >= 0 {
			at = Span{Start: e.Position, End: e.Position}
		}
		return nil, b.errorAt(at, types.CodeGrouping, "column %q must appear in the GROUP BY clause or be used in an aggregate function", e.Name).
			WithHint("Add it to GROUP BY, write GROUP BY ALL, or take any_value(%s).", types.QuoteIdent(e.Name))
	}
	if len(e.Args) == 0 {
		return e, nil
	}
	args := make([]*expr.Expr, len(e.Args))
	for i, arg := range e.Args {
		r, err := b.overGroups(n, arg, a)
		if err != nil {
			return nil, err
		}
		args[i] = r
	}
	return e.WithArgs(args), nil
}

// hasAggregate reports whether an expression uses the result of an aggregate, or of a window call, which is computed after them.
func (a *aggregation) hasAggregate(e *expr.Expr) bool {
	found := a.windows.hasWindow(e)
	e.Columns(func(id plan.ColumnID) { found = found || a.results[id] })
	return found
}

// groupable checks that values of a type can be grouped, as DISTINCT, UNION and GROUP BY do: all but those that hold a UNION or a TIMESTAMP WITH OFFSET.
func (b *binder) groupable(n Node, t types.Type) error {
	if !groupable(t) {
		return b.unsupported(n, "grouping by a value of type %s", t)
	}
	return nil
}

func groupable(t types.Type) bool {
	switch t.Kind() {
	case types.KindUnion, types.KindTimestampOffset:
		return false
	case types.KindList, types.KindArray:
		return groupable(t.Elem().Type)
	case types.KindStruct, types.KindMap:
		return !slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return !groupable(f.Type) })
	}
	return true
}
