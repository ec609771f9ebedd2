package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// call binds a function call.
func (b *binder) call(n *Call, c *exprContext) (*expr.Expr, error) {
	n, err := b.unqualified(n, c)
	if err != nil {
		return nil, err
	}
	name := n.Name.Parts[0].Name
	if n.Over != nil {
		return b.window(n, c)
	}
	lower := strings.ToLower(name)
	switch {
	case lower == "coalesce" || lower == "ifnull":
		args, err := b.arguments(n, c)
		if err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s needs an argument", lower)
		}
		if args, err = b.unify(n, strings.ToUpper(lower), args); err != nil {
			return nil, err
		}
		return expr.NewCoalesce(args...), nil
	case lower == "if" && len(n.Args) == 3:
		args, err := b.arguments(n, c)
		if err != nil {
			return nil, err
		}
		condition, err := b.asCondition(n.Args[0].Expr, args[0])
		if err != nil {
			return nil, err
		}
		values, err := b.unify(n, "IF", args[1:])
		if err != nil {
			return nil, err
		}
		return expr.NewCase(condition, values[0], values[1]), nil
	}
	if lower == "unnest" {
		return b.unnest(n, c)
	}
	if lower == "grouping" || lower == "grouping_id" {
		return b.grouping(n, c)
	}
	if lower == "columns" {
		return nil, b.unsupported(n, "COLUMNS")
	}
	if lower == "current_setting" {
		return b.currentSetting(n, c)
	}
	if function := lambdaFunctions[lower]; function != "" && n.Filter == nil && len(n.OrderBy) == 0 {
		return b.lambdaCall(n, function, c)
	}
	if listAggregates[lower] || b.listAggregate(lower) != nil {
		return b.aggregateList(n, lower, c)
	}
	if result, ok := clockFunctions[lower]; ok {
		return b.clock(n, result)
	}
	family := b.catalog.Functions.Lookup(name)
	if family == nil {
		return nil, b.undefinedFunction(n, name)
	}
	switch {
	case family.BindAggregate != nil:
		return b.aggregate(n, family, c)
	case family.BindWindow != nil:
		return nil, b.errorAt(n, types.CodeWrongObjectType, "window function %s requires an OVER clause", name)
	}
	switch {
	case n.Distinct, len(n.OrderBy) > 0, len(n.WithinGroup) > 0, n.Filter != nil:
		return nil, b.errorAt(n, types.CodeWrongObjectType, "%s is not an aggregate function: DISTINCT, ORDER BY and FILTER do not apply", name)
	}
	if family.Named {
		return b.namedCall(n, family, c)
	}
	args, err := b.arguments(n, c)
	if err != nil {
		return nil, err
	}
	switch {
	case lower == "divide": // the function divides integers, unlike the operator
		return b.applyTo(n, "int_divide", args...)
	case family.Name == "age" && len(args) == 1:
		today, err := b.clock(&Call{Span: n.Span}, types.Date)
		if err != nil {
			return nil, err
		}
		args = []*expr.Expr{b.cast(n, today, types.Timestamp, false), args[0]}
	}
	return b.applyTo(n, family.Name, args...)
}

func (b *binder) undefinedFunction(n Node, name string) error {
	e := b.errorAt(n, types.CodeUndefinedFunction, "function %s does not exist", name)
	e.Hint = catalog.DidYouMean(name, b.catalog.Functions.Names())
	return e
}

// namedCall binds a call whose arguments may have names.
func (b *binder) namedCall(n *Call, family *expr.Family, c *exprContext) (*expr.Expr, error) {
	args, names := make([]*expr.Expr, len(n.Args)), make([]string, len(n.Args))
	for i, a := range n.Args {
		e, err := b.expr(a.Expr, c)
		if err != nil {
			return nil, err
		}
		args[i] = e
		if a.Name != nil {
			names[i] = a.Name.Name
		}
	}
	return b.applyNamed(n, family.Name, names, args)
}

// unqualified gives a call with a plain name: main.f(x) is f(x), and column.f(y) is f(column, y).
func (b *binder) unqualified(n *Call, c *exprContext) (*Call, error) {
	last := len(n.Name.Parts) - 1
	if last == 0 {
		return n, nil
	}
	qualifier := n.Name.Parts[:last]
	call := *n
	call.Name = ObjectName{Span: n.Name.Parts[last].Span, Parts: n.Name.Parts[last:]}
	column := &Column{Span: Span{Start: qualifier[0].Start, End: qualifier[last-1].End}, Parts: qualifier}
	found, _, err := b.resolve(c, column)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		call.Args = append([]Argument{{Span: column.Span, Expr: column}}, n.Args...)
		return &call, nil
	case last == 1 && strings.EqualFold(qualifier[0].Name, catalog.DefaultSchema):
		return &call, nil
	}
	return nil, b.undefinedColumn(c.scope, column, c.aliasNames)
}

// arguments binds the arguments of a call.
func (b *binder) arguments(n *Call, c *exprContext) ([]*expr.Expr, error) {
	args := make([]*expr.Expr, len(n.Args))
	for i, a := range n.Args {
		if a.Name != nil {
			return nil, b.errorAt(a.Name, types.CodeSyntax, "%s takes no arguments by name", n.Name.Parts[len(n.Name.Parts)-1].Name)
		}
		e, err := b.expr(a.Expr, c)
		if err != nil {
			return nil, err
		}
		args[i] = e
	}
	return args, nil
}

// columnName gives the name of a result column without alias: the column's own, else the text of the expression.
func (b *binder) columnName(n Expr) string {
	switch n := n.(type) {
	case *Column:
		return n.Parts[len(n.Parts)-1].Name
	case *Cast:
		if !n.Literal {
			if c, ok := n.Operand.(*Column); ok {
				return b.columnName(c)
			}
		}
	}
	return strings.Join(strings.Fields(b.source(n)), " ")
}
