package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

// lambdaScope has the parameters of a lambda around an expression; they hide columns of the same name.
type lambdaScope struct {
	parent *lambdaScope
	params []*expr.Expr // columns with ids of their own
}

func (s *lambdaScope) find(name string) *expr.Expr {
	for ; s != nil; s = s.parent {
		for _, p := range s.params {
			if strings.EqualFold(p.Name, name) {
				return p
			}
		}
	}
	return nil
}

// lambdaFunctions are the functions that take a lambda, by name and alias.
var lambdaFunctions = map[string]string{
	"list_transform": "list_transform", "array_transform": "list_transform", "list_apply": "list_transform", "array_apply": "list_transform", "apply": "list_transform",
	"list_filter": "list_filter", "array_filter": "list_filter", "filter": "list_filter",
	"list_reduce": "list_reduce", "array_reduce": "list_reduce", "reduce": "list_reduce",
}

// lambdaCall binds a call of one of them.
func (b *binder) lambdaCall(n *Call, name string, c *exprContext) (*expr.Expr, error) {
	if len(n.Args) < 2 || len(n.Args) > 3 || len(n.Args) == 3 && name != "list_reduce" {
		return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes a list and a lambda", name)
	}
	l := asLambda(n.Args[1].Expr)
	if l == nil {
		return nil, b.errorAt(n.Args[1].Expr, types.CodeUndefinedFunction, "%s needs a lambda, such as x -> x + 1", name)
	}
	list, err := b.expr(n.Args[0].Expr, c)
	if err != nil {
		return nil, err
	}
	var start *expr.Expr
	if len(n.Args) == 3 {
		if start, err = b.expr(n.Args[2].Expr, c); err != nil {
			return nil, err
		}
	}
	return b.applyLambda(n, name, list, l.Params, l.Body, start, c)
}

// asLambda gives a lambda; x -> 'text' and x -> 1 are read as operators that take a part of JSON, but where a lambda is wanted they are lambdas, too.
func asLambda(n Expr) *Lambda {
	switch n := n.(type) {
	case *Lambda:
		return n
	case *Binary:
		if column, ok := n.Left.(*Column); ok && n.Op == "->" && len(column.Parts) == 1 {
			return &Lambda{Span: n.Span, Params: column.Parts, Body: n.Right}
		}
	}
	return nil
}

// comprehension binds [result FOR params IN source IF condition].
func (b *binder) comprehension(n *ListComprehension, c *exprContext) (*expr.Expr, error) {
	list, err := b.expr(n.Source, c)
	if err != nil {
		return nil, err
	}
	if n.Condition != nil {
		if list, err = b.applyLambda(n, "list_filter", list, n.Params, n.Condition, nil, c); err != nil {
			return nil, err
		}
	}
	return b.applyLambda(n, "list_transform", list, n.Params, n.Result, nil, c)
}

func (b *binder) applyLambda(n Node, name string, list *expr.Expr, params []Ident, body Expr, start *expr.Expr, c *exprContext) (*expr.Expr, error) {
	if list.Type.Kind() == types.KindNull {
		list = b.cast(n, list, types.ListOf(types.Null), false)
	}
	if list.Type.Kind() == types.KindArray {
		list = b.cast(n, list, types.ListOf(list.Type.Elem().Type), false)
	}
	if list.Type.Kind() != types.KindList {
		return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes a list, not %s", name, list.Type)
	}
	element := list.Type.Elem().Type
	most := 2
	given := []types.Type{element, types.BigInt}
	if name == "list_reduce" {
		if most = 3; len(params) < 2 {
			return nil, b.errorAt(n, types.CodeUndefinedFunction, "the lambda of list_reduce has two or three parameters")
		}
		so := expr.Arg{Type: element}
		if start != nil {
			t, err := expr.CommonType(so, b.argOf(start))
			if err != nil {
				return nil, b.located(n, err)
			}
			so.Type = t
		}
		given = []types.Type{so.Type, element, types.BigInt}
	}
	if len(params) > most {
		return nil, b.errorAt(params[most], types.CodeUndefinedFunction, "the lambda of %s has at most %d parameters", name, most)
	}
	bound, scope, err := b.lambdaBody(params, given, body, c)
	if err != nil {
		return nil, err
	}
	switch name {
	case "list_filter":
		if bound, err = b.asCondition(body, bound); err != nil {
			return nil, err
		}
	case "list_reduce":
		// The value so far takes the type that body and first value have in common.
		t, err := expr.CommonType(expr.Arg{Type: given[0]}, expr.Arg{Type: bound.Type})
		if err != nil {
			return nil, b.located(body, err)
		}
		if !t.Equal(given[0]) {
			given[0] = t
			if bound, scope, err = b.lambdaBody(params, given, body, c); err != nil {
				return nil, err
			}
		}
		bound = b.cast(body, bound, t, false)
	}
	lambda, captured, err := b.capture(body, bound, scope)
	if err != nil {
		return nil, err
	}
	captureTypes := make([]types.Type, len(captured))
	for i, e := range captured {
		captureTypes[i] = e.Type
	}
	args := []*expr.Expr{list}
	var f *expr.Function
	switch name {
	case "list_transform":
		f = lambda.Transform(list.Type, captureTypes)
	case "list_filter":
		f = lambda.Filter(list.Type, captureTypes)
	default:
		if start != nil {
			args = append(args, b.cast(n, start, bound.Type, false))
		}
		f = lambda.Reduce(list.Type, start != nil, captureTypes)
	}
	call := expr.NewCall(f, append(args, captured...)...)
	b.noteConstant(call)
	return call, nil
}

// lambdaBody binds the body of a lambda whose parameters have these types.
func (b *binder) lambdaBody(params []Ident, given []types.Type, body Expr, c *exprContext) (*expr.Expr, *lambdaScope, error) {
	scope := &lambdaScope{parent: c.lambda}
	for i, p := range params {
		scope.params = append(scope.params, expr.NewColumn(b.ids.New(), p.Name, given[i], true))
	}
	inner := *c
	inner.lambda = scope
	bound, err := b.expr(body, &inner)
	return bound, scope, err
}

// capture turns the body of a lambda into an expression over positions: the parameters, then the columns that it takes from around, which it gives.
func (b *binder) capture(n Node, body *expr.Expr, scope *lambdaScope) (scalar.Lambda, []*expr.Expr, error) {
	var captured []*expr.Expr
	positions := map[*expr.Expr]int{}
	position := func(e *expr.Expr) int {
		for i, p := range scope.params {
			if e.Op == expr.Column && e.Column == p.Column {
				return i
			}
		}
		for i, known := range captured {
			if known.Op == e.Op && known.Column == e.Column {
				return len(scope.params) + i
			}
		}
		captured = append(captured, e)
		return len(scope.params) + len(captured) - 1
	}
	var unsupported error
	body.Walk(func(e *expr.Expr) bool {
		switch e.Op {
		case expr.Column, expr.OuterColumn:
			positions[e] = position(e)
		case expr.Subquery:
			unsupported = b.unsupported(n, "a subquery in a lambda")
		case expr.Parameter:
			unsupported = b.unsupported(n, "a parameter without a value in a lambda")
		}
		return true
	})
	if unsupported != nil {
		return scalar.Lambda{}, nil, unsupported
	}
	body = body.Rewrite(func(e *expr.Expr) *expr.Expr {
		i, ok := positions[e]
		if !ok {
			return e
		}
		column := expr.NewColumn(i, e.Name, e.Type, e.Nullable)
		return column.At(e.Position)
	})
	return scalar.Lambda{Params: len(scope.params), Body: body}, captured, nil
}

// listAggregates are the names of the function that takes an aggregate's name as an argument.
var listAggregates = map[string]bool{"list_aggregate": true, "list_aggr": true, "array_aggregate": true, "array_aggr": true}

// listAggregate gives the aggregate function of which a name such as list_sum says the form for lists; nil when it says none. A function of
// just this name comes first.
func (b *binder) listAggregate(name string) *expr.Family {
	rest, ok := strings.CutPrefix(name, "list_")
	if !ok || b.catalog.Functions.Lookup(name) != nil {
		return nil
	}
	if family := b.catalog.Functions.Lookup(rest); family != nil && family.BindAggregate != nil {
		return family
	}
	return nil
}

// aggregateList binds list_aggregate(list, 'sum') and list_sum(list).
func (b *binder) aggregateList(n *Call, name string, c *exprContext) (*expr.Expr, error) {
	args, err := b.arguments(n, c)
	if err != nil {
		return nil, err
	}
	family := b.listAggregate(name)
	if family == nil {
		if len(args) < 2 || b.constant(args[1]) == nil || args[1].Type.Kind() != types.KindVarchar {
			return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes a list and the name of an aggregate function as a constant", name)
		}
		aggregate := types.Text(b.constant(args[1]), 0)
		if family = b.catalog.Functions.Lookup(aggregate); family == nil || family.BindAggregate == nil {
			return nil, b.errorAt(n.Args[1].Expr, types.CodeUndefinedFunction, "aggregate function %s does not exist", aggregate)
		}
		args = append(args[:1:1], args[2:]...)
	}
	if len(args) == 0 {
		return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes a list", name)
	}
	element := types.Null
	switch t := args[0].Type; t.Kind() {
	case types.KindList, types.KindArray:
		element = t.Elem().Type
	case types.KindNull:
	default:
		return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes a list, not %s", name, t)
	}
	described := []expr.Arg{{Type: element}}
	for _, a := range args[1:] {
		described = append(described, b.argOf(a))
	}
	aggregate, err := family.BindAggregate(described)
	if err != nil {
		return nil, b.located(n, err)
	}
	if aggregate == nil || len(aggregate.Args) != len(args) {
		return nil, b.noOverload(n, family.Name, described, family)
	}
	f := scalar.AggregateList(aggregate)
	for i := range args {
		args[i] = b.cast(n, args[i], f.Args[i], false)
	}
	call := expr.NewCall(f, args...)
	b.noteConstant(call)
	return call, nil
}
