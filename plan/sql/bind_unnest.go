package sql

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// tableFunction binds a function call as a table. Its arguments may read the tables to its left.
func (b *binder) tableFunction(t *TableFunction, s *scope) (plan.Node, error) {
	c := &exprContext{scope: &scope{parent: s.lateral()}, clause: "the arguments of a table function"}
	call := t.Call
	name := strings.ToLower(call.Name.Parts[len(call.Name.Parts)-1].Name)
	plain := !call.Distinct && call.Filter == nil && len(call.OrderBy) == 0 && len(call.WithinGroup) == 0 && call.Over == nil
	if format := b.readFormat(name); format != nil && len(call.Name.Parts) == 1 && plain && !t.Ordinality {
		return b.readFiles(t, name, format, s)
	}
	if name == "glob" && len(call.Name.Parts) == 1 && plain && !t.Ordinality {
		return b.globFiles(t, s)
	}
	if f, ok := b.catalog.FileFunction(name); ok && len(call.Name.Parts) == 1 && plain && !t.Ordinality {
		return b.inspectFiles(t, f, s)
	}
	switch {
	case len(call.Name.Parts) > 1 || name != "unnest" && name != "range" && name != "generate_series":
		return nil, b.unsupported(t, "the table function %s", b.source(call.Name))
	case !plain:
		return nil, b.errorAt(call, types.CodeSyntax, "a table function takes arguments only")
	case len(call.Args) == 0:
		return nil, b.errorAt(call, types.CodeUndefinedFunction, "%s needs an argument", name)
	}
	args, err := b.arguments(call, c)
	if err != nil {
		return nil, err
	}
	if name == "unnest" {
		return b.unnestTable(t, name, args, s)
	}
	if !slices.ContainsFunc(args, func(e *expr.Expr) bool { return expr.Fold(e).Op != expr.Constant }) && !t.Ordinality {
		series, err := b.series(call, name, args)
		if err != nil {
			return nil, err
		}
		return b.scan(t, series, b.source(call), "", name, t.Alias, s)
	}
	list, err := b.applyTo(call, name, args...)
	if err != nil {
		return nil, err
	}
	return b.unnestTable(t, name, []*expr.Expr{list}, s)
}

// unnestTable gives the elements of lists, side by side, as a table.
func (b *binder) unnestTable(t *TableFunction, name string, lists []*expr.Expr, s *scope) (plan.Node, error) {
	node := &plan.Unnest{Input: &plan.Values{Rows: [][]*expr.Expr{{}}}}
	for i, list := range lists {
		element, list, err := b.element(t.Call, list)
		if err != nil {
			return nil, err
		}
		node.Exprs = append(node.Exprs, list)
		column := name
		if i > 0 {
			column += itoa(i)
		}
		node.Output = append(node.Output, plan.Column{ID: b.ids.New(), Field: types.Field{Name: column, Type: element, Nullable: true}})
	}
	if t.Ordinality {
		node.Ordinality = &plan.Column{ID: b.ids.New(), Field: types.Field{Name: "ordinality", Type: types.BigInt}}
	}
	return b.addRelation(t, node, node.Columns(), "", name, t.Alias, s)
}

// element gives the type of the elements of a list to unnest. An untyped NULL is a list without elements.
func (b *binder) element(n Node, list *expr.Expr) (types.Type, *expr.Expr, error) {
	switch list.Type.Kind() {
	case types.KindList, types.KindArray:
		return list.Type.Elem().Type, list, nil
	case types.KindNull:
		return types.Null, b.cast(n, list, types.ListOf(types.Null), false), nil
	case types.KindStruct:
		return types.Null, nil, b.unsupported(n, "unnesting a STRUCT")
	}
	return types.Null, nil, b.errorAt(n, types.CodeDatatypeMismatch, "unnest takes a list or an array, not %s", list.Type)
}

// series makes the table of a generate_series or range call whose arguments are constants; of NULL it has no rows.
func (b *binder) series(n *Call, name string, args []*expr.Expr) (*mem.Series, error) {
	inclusive := name == "generate_series"
	types3 := []types.Type{types.BigInt, types.BigInt, types.BigInt}[:min(3, len(args))]
	timed := len(args) == 3 && args[2].Type.Kind() == types.KindInterval
	if timed {
		switch k := args[0].Type.Kind(); k {
		case types.KindTimestamp, types.KindTimestampTZ, types.KindDate:
			typ := args[0].Type
			if k == types.KindDate {
				typ = types.Timestamp
			}
			types3 = []types.Type{typ, typ, types.Interval}
		default:
			return nil, b.noSeries(n, name, args)
		}
	}
	if len(args) > 3 {
		return nil, b.noSeries(n, name, args)
	}
	values := make([]*types.Vector, len(args))
	null := false
	for i, arg := range args {
		if !timed && !arg.Type.IsInteger() && arg.Type.Kind() != types.KindNull {
			return nil, b.noSeries(n, name, args)
		}
		v, err := expr.Evaluate(b.cast(n.Args[i].Expr, arg, types3[i], false))
		if err != nil {
			return nil, b.located(n.Args[i].Expr, err)
		}
		values[i] = v.First()
		null = null || v.MayHaveNulls()
	}
	if null {
		values, timed = []*types.Vector{types.NewFixed(types.BigInt, []int64{0}, nil)}, false
		inclusive = false
	}
	number := func(i int) int64 { return types.ValuesOf[int64](values[i])[0] }
	var series *mem.Series
	var err error
	switch {
	case timed:
		step := types.ValuesOf[types.MonthDayNano](values[2])[0]
		series, err = mem.NewTimeSeries(name, types3[0], number(0), number(1), step, inclusive)
	case len(values) == 1:
		series, err = mem.NewSeries(name, 0, number(0), 1, inclusive)
	case len(values) == 2:
		series, err = mem.NewSeries(name, number(0), number(1), 1, inclusive)
	default:
		series, err = mem.NewSeries(name, number(0), number(1), number(2), inclusive)
	}
	if err != nil {
		return nil, b.located(n, err)
	}
	return series, nil
}

func (b *binder) noSeries(n *Call, name string, args []*expr.Expr) error {
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = arg.Type.String()
	}
	return b.errorAt(n, types.CodeUndefinedFunction, "no function %s takes the arguments (%s)", name, strings.Join(names, ", ")).
		WithHint("There are %s(stop), %s(start, stop), %s(start, stop, step) of integers, and (start, stop, interval) of timestamps.", name, name, name)
}

// unnesting collects the calls of unnest in a select list. They are computed side by side, after everything but the select list: a row for each element.
type unnesting struct {
	nodes []Node
	plan.Unnest
	results map[plan.ColumnID]bool
}

// unnest binds a call of unnest in a select list: a column stands for its result.
func (b *binder) unnest(n *Call, c *exprContext) (*expr.Expr, error) {
	switch {
	case c.unnests == nil:
		return nil, b.unsupported(n, "unnest in %s", c.clause)
	case len(n.Args) != 1:
		return nil, b.unsupported(n, "unnest of other than one list")
	case n.Distinct || n.Filter != nil || len(n.OrderBy) > 0 || len(n.WithinGroup) > 0:
		return nil, b.errorAt(n, types.CodeWrongObjectType, "unnest is not an aggregate function: DISTINCT, ORDER BY and FILTER do not apply")
	}
	u := c.unnests
	inner := *c
	inner.unnests, inner.clause = nil, "unnest"
	args, err := b.arguments(n, &inner)
	if err != nil {
		return nil, err
	}
	element, list, err := b.element(n, args[0])
	if err != nil {
		return nil, err
	}
	column := plan.Column{ID: b.ids.New(), Field: types.Field{Name: b.columnName(n), Type: element, Nullable: true}}
	u.nodes, u.Exprs, u.Output = append(u.nodes, n), append(u.Exprs, list), append(u.Output, column)
	u.results[column.ID] = true
	return column.Ref(), nil
}

// rewrite replaces the lists' expressions.
func (u *unnesting) rewrite(f func(Node, *expr.Expr) (*expr.Expr, error)) error {
	for i, e := range u.Exprs {
		var err error
		if u.Exprs[i], err = f(u.nodes[i], e); err != nil {
			return err
		}
	}
	return nil
}

// uses reports whether an expression uses the result of a call.
func (u *unnesting) uses(e *expr.Expr) bool {
	found := false
	e.Columns(func(id plan.ColumnID) { found = found || u.results[id] })
	return found
}

// over gives the node with a row for each element.
func (u *unnesting) over(node plan.Node) plan.Node {
	if len(u.Exprs) == 0 {
		return node
	}
	u.Input = node
	return &u.Unnest
}
