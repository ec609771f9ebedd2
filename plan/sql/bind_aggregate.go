package sql

import (
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
	if err == nil && onlyOuter(call.Args, call.Filter) {
		c.scope.forget(taken)
		return b.aggregateOfOuter(n, family, c)
	}
	if a == nil {
		return nil, misplaced()
	}
	if err != nil {
		return nil, err
	}
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

// aggregateCall binds the function and the arguments, in their context, of an aggregate call, over groups or windows.
func (b *binder) aggregateCall(n *Call, family *expr.Family, c *exprContext) (*plan.AggregateCall, error) {
	switch {
	case len(n.WithinGroup) > 0:
		return nil, b.unsupported(n.WithinGroup[0], "WITHIN GROUP")
	case n.Nulls != NullTreatmentDefault:
		return nil, b.unsupported(n, "IGNORE NULLS in an aggregate")
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
	if len(n.OrderBy) > 0 {
		if f.OrderSensitive {
			return nil, b.unsupported(n.OrderBy[0], "ORDER BY in an aggregate")
		}
		// The order of the rows does not matter to this aggregate; the clause is only checked.
		for _, item := range n.OrderBy {
			if _, err := b.expr(item.Expr, c); err != nil {
				return nil, err
			}
		}
	}
	return call, nil
}

func sameCall(a, c plan.AggregateCall) bool {
	if a.Function.Name != c.Function.Name || a.Distinct != c.Distinct || len(a.Args) != len(c.Args) || (a.Filter == nil) != (c.Filter == nil) {
		return false
	}
	if a.Filter != nil && !a.Filter.Equal(c.Filter) {
		return false
	}
	for i := range a.Args {
		if !a.Args[i].Equal(c.Args[i]) {
			return false
		}
	}
	return a.Function.Result.Equal(c.Function.Result)
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
		if a.results[e.Column] || a.windows.results[e.Column] {
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
	found := false
	e.Columns(func(id plan.ColumnID) { found = found || a.results[id] || a.windows.results[id] })
	return found
}

// groupable checks that values of a type can be grouped, as DISTINCT, UNION and GROUP BY do.
func (b *binder) groupable(n Node, t types.Type) error {
	if t.IsNested() || t.Kind() == types.KindTimestampOffset {
		return b.unsupported(n, "grouping by a value of type %s", t)
	}
	return nil
}
