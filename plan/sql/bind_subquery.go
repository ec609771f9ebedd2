package sql

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// subqueryInputs collects what a subquery in an expression takes from around it.
type subqueryInputs struct {
	around *exprContext // of the expression in which the subquery stands
	inputs []plan.Column
	args   []*expr.Expr // the values of the inputs, in the scope around
}

// take gives what stands inside the subquery for a value from around it.
func (q *subqueryInputs) take(b *binder, name string, value *expr.Expr) *expr.Expr {
	if value.Op == expr.Constant {
		return value
	}
	for i, known := range q.args {
		if known.Equal(value) {
			return outerColumn(q.inputs[i])
		}
	}
	return outerColumn(q.add(b, name, value))
}

// add makes an input for a value from around the subquery.
func (q *subqueryInputs) add(b *binder, name string, value *expr.Expr) plan.Column {
	input := plan.Column{ID: b.ids.New(), Field: types.Field{Name: name, Type: value.Type, Nullable: value.Nullable}}
	q.inputs, q.args = append(q.inputs, input), append(q.args, value)
	return input
}

func outerColumn(c plan.Column) *expr.Expr {
	return expr.NewOuterColumn(c.ID, c.Name, c.Type, c.Nullable)
}

// subquery binds the query of a subquery in an expression. What it takes from around it is collected while it is bound.
func (b *binder) subquery(q *Query, c *exprContext) (plan.Node, *subqueryInputs, error) {
	inputs := &subqueryInputs{around: c}
	node, _, err := b.query(q, &scope{parent: c.scope, subquery: inputs})
	return node, inputs, err
}

// expression makes the expression of a subquery.
func (q *subqueryInputs) expression(kind plan.SubqueryKind, node plan.Node, t types.Type, nullable bool, conditions ...*expr.Expr) *expr.Expr {
	return expr.NewSubquery(&plan.Subquery{Kind: kind, Plan: node, Inputs: q.inputs, Conditions: conditions}, t, nullable, q.args...)
}

// scalarSubquery binds (query) as a value. It is NULL when the query gives no row, whatever the column is.
func (b *binder) scalarSubquery(n *Subquery, c *exprContext) (*expr.Expr, error) {
	node, inputs, err := b.subquery(n.Query, c)
	if err != nil {
		return nil, err
	}
	columns := node.Columns()
	if len(columns) != 1 {
		return nil, b.errorAt(n, types.CodeSyntax, "a subquery used as a value must give one column, not %d", len(columns))
	}
	return inputs.expression(plan.ScalarSubquery, node, columns[0].Type, true), nil
}

// arrayQuery binds ARRAY(query): the list of the values of its column in the query's order, an empty one when it gives no row. It is the aggregate list
// over the query, whose ORDER BY becomes the aggregate's, so that it also holds when the subquery is correlated.
func (b *binder) arrayQuery(n *ArrayQuery, c *exprContext) (*expr.Expr, error) {
	node, inputs, err := b.subquery(n.Query, c)
	if err != nil {
		return nil, err
	}
	columns := node.Columns()
	if len(columns) != 1 {
		return nil, b.errorAt(n, types.CodeSyntax, "ARRAY(query) takes a query of one column, not %d", len(columns))
	}
	f, err := b.catalog.Functions.Lookup("list").BindAggregate([]expr.Arg{{Type: columns[0].Type}})
	if err != nil {
		return nil, b.located(n, err)
	}
	call := plan.AggregateCall{
		Output:   plan.Column{ID: b.ids.New(), Field: types.Field{Name: "list", Type: f.Result, Nullable: f.Nullable}},
		Function: f, Args: []*expr.Expr{columns[0].Ref()},
	}
	limit, limited := node.(*plan.Limit)
	ordered := node
	if limited {
		ordered = limit.Input
	}
	switch o := ordered.(type) {
	case *plan.Sort:
		call.Order = o.Keys
		if !limited {
			node = o.Input
		}
	case *plan.Project:
		sorted, hidden := o.Input.(*plan.Sort)
		switch {
		case hidden && !limited:
			call.Order, call.Args, node = sorted.Keys, o.Exprs, sorted.Input
		case hidden && len(inputs.inputs) > 0:
			return nil, b.unsupported(n, "ARRAY of a correlated query with LIMIT that is ordered by what it does not give")
		}
	}
	node = &plan.Aggregate{Input: node, Aggregates: []plan.AggregateCall{call}}
	empty, err := types.NewValue(f.Result, []any{})
	if err != nil {
		return nil, b.located(n, err)
	}
	return expr.NewCoalesce(inputs.expression(plan.ScalarSubquery, node, f.Result, true), expr.NewConstant(empty)), nil
}

// exists binds EXISTS (query).
func (b *binder) exists(n *Exists, c *exprContext) (*expr.Expr, error) {
	node, inputs, err := b.subquery(n.Query, c)
	if err != nil {
		return nil, err
	}
	return inputs.expression(plan.ExistsSubquery, node, types.Boolean, false), nil
}

// complement gives for each comparison the one that is true exactly where it is false.
var complement = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// quantified binds x op ANY (query) and x op ALL (query), which is NOT (x complement-of-op ANY (query)).
func (b *binder) quantified(n *Quantified, c *exprContext) (*expr.Expr, error) {
	op := n.Op
	if complement[op] == "" {
		return nil, b.unsupported(n, "the operator %s with ANY or ALL", op)
	}
	if n.All {
		op = complement[op]
	}
	return b.anySubquery(n, op, n.Operand, n.Query, n.All, c)
}

// anySubquery binds the comparison of a value, or of a row of values, with the rows of a query, negated if not.
func (b *binder) anySubquery(n Node, op string, operand Expr, q *Query, not bool, c *exprContext) (*expr.Expr, error) {
	values, err := b.rowItems(operand, c)
	if err != nil {
		return nil, err
	}
	node, inputs, err := b.subquery(q, c)
	if err != nil {
		return nil, err
	}
	columns := node.Columns()
	if err := b.sameWidth(q, len(values), len(columns)); err != nil {
		return nil, err
	}
	// Both sides are cast to the type in which they compare: the value outside, the query's columns by a projection over it.
	left, targets := make([]*expr.Expr, len(values)), make([]types.Type, len(values))
	for i, column := range columns {
		equal, err := b.applyTo(n, binaryFunctions[op], values[i], column.Ref())
		if err != nil {
			return nil, err
		}
		input := inputs.add(b, "operand", equal.Args[0])
		left[i], targets[i] = input.Ref(), equal.Args[1].Type
	}
	node = b.castColumns(n, node, targets)
	right := make([]*expr.Expr, len(values))
	for i, column := range node.Columns() {
		right[i] = column.Ref()
	}
	condition, err := b.compareRows(n, op, left, right)
	if err != nil {
		return nil, err
	}
	e := inputs.expression(plan.AnySubquery, node, types.Boolean, condition.Nullable, conjuncts(condition)...)
	if not {
		return b.applyTo(n, "not", e)
	}
	return e, nil
}

func (b *binder) sameWidth(n Node, want, got int) error {
	if want == got {
		return nil
	}
	return b.errorAt(n, types.CodeSyntax, "the subquery must give as many columns as are compared: %d, not %d", want, got)
}

// aggregateOfOuter binds an aggregate call in a subquery whose arguments, bound, read columns from around the subquery and none of its own: by the
// standard it is an aggregate of the query around.
func (b *binder) aggregateOfOuter(n *Call, family *expr.Family, c *exprContext) (*expr.Expr, error) {
	for s := c.scope; s != nil; s = s.parent {
		if s.leftSide {
			return nil, b.errorAt(n, types.CodeGrouping, "aggregate functions are not allowed in FROM of the query whose columns they aggregate")
		}
		if s.subquery != nil {
			e, err := b.aggregate(n, family, s.subquery.around)
			if err != nil {
				return nil, err
			}
			return s.subquery.take(b, b.columnName(n), e), nil
		}
	}
	return nil, b.unsupported(n, "an aggregate of columns from around its query")
}

// inSubquery reports whether an expression in this scope is in a subquery of an expression.
func (s *scope) inSubquery() bool {
	for ; s != nil; s = s.parent {
		if s.subquery != nil {
			return true
		}
	}
	return false
}

// taken gives the numbers of inputs that the subqueries around have, from the inside out; forget drops what was added since.
func (s *scope) taken() []int {
	var counts []int
	for ; s != nil; s = s.parent {
		if s.subquery != nil {
			counts = append(counts, len(s.subquery.inputs))
		}
	}
	return counts
}

func (s *scope) forget(counts []int) {
	for ; s != nil; s = s.parent {
		if q := s.subquery; q != nil {
			q.inputs, q.args, counts = q.inputs[:counts[0]], q.args[:counts[0]], counts[1:]
		}
	}
}

// onlyOuter reports whether an aggregate reads columns from around its query and none of its own: in arguments, FILTER and ORDER BY.
func onlyOuter(call *plan.AggregateCall) bool {
	read := call.Args[:len(call.Args):len(call.Args)]
	if call.Filter != nil {
		read = append(read, call.Filter)
	}
	for _, key := range call.Order {
		read = append(read, key.Expr)
	}
	reads, outer := false, false
	for _, e := range read {
		e.Walk(func(x *expr.Expr) bool {
			reads, outer = reads || x.Op == expr.Column, outer || x.Op == expr.OuterColumn
			return true
		})
	}
	return outer && !reads
}

// hasSubquery reports whether an expression holds a subquery.
func hasSubquery(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.Subquery
		return !found
	})
	return found
}
