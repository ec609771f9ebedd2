package sql

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// rowItems binds the items of a row, or a plain value as a row of one.
func (b *binder) rowItems(n Expr, c *exprContext) ([]*expr.Expr, error) {
	items := []Expr{n}
	if row, ok := n.(*Row); ok {
		items = row.Items
	}
	values := make([]*expr.Expr, len(items))
	for i, item := range items {
		e, err := b.expr(item, c)
		if err != nil {
			return nil, err
		}
		values[i] = e
	}
	return values, nil
}

// isRowComparison reports a comparison one side of which is a row and the other a row or a subquery.
func isRowComparison(n *Binary) bool {
	kinds := func(e Expr) (row, rows bool) {
		_, row = e.(*Row)
		_, query := e.(*Subquery)
		return row, row || query
	}
	leftRow, left := kinds(n.Left)
	rightRow, right := kinds(n.Right)
	return complement[n.Op] != "" && left && right && (leftRow || rightRow)
}

// mirrored gives for each comparison the one with its sides exchanged.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// rowComparison binds (a, b) op (c, d), and (a, b) op (query) where the query gives one row.
func (b *binder) rowComparison(n *Binary, c *exprContext) (*expr.Expr, error) {
	if q, ok := n.Left.(*Subquery); ok {
		return b.rowSubquery(n.OpSpan, mirrored[n.Op], n.Right, q, c)
	}
	if q, ok := n.Right.(*Subquery); ok {
		return b.rowSubquery(n.OpSpan, n.Op, n.Left, q, c)
	}
	left, err := b.rowItems(n.Left, c)
	if err != nil {
		return nil, err
	}
	right, err := b.rowItems(n.Right, c)
	if err != nil {
		return nil, err
	}
	return b.compareRows(n.OpSpan, n.Op, left, right)
}

// rowSubquery binds (a, b) op (query): a scalar subquery that gives the outcome of the comparison for the query's only row. Without a row it is NULL, as
// a comparison with NULLs is.
func (b *binder) rowSubquery(n Node, op string, row Expr, q *Subquery, c *exprContext) (*expr.Expr, error) {
	left, err := b.rowItems(row, c)
	if err != nil {
		return nil, err
	}
	node, inputs, err := b.subquery(q.Query, c)
	if err != nil {
		return nil, err
	}
	columns := node.Columns()
	if err := b.sameWidth(q, len(left), len(columns)); err != nil {
		return nil, err
	}
	right := make([]*expr.Expr, len(columns))
	for i, column := range columns {
		left[i], right[i] = inputs.take(b, "operand", left[i]), column.Ref()
	}
	outcome, err := b.compareRows(n, op, left, right)
	if err != nil {
		return nil, err
	}
	output := plan.Column{ID: b.ids.New(), Field: types.Field{Name: "outcome", Type: types.Boolean, Nullable: outcome.Nullable}}
	node = &plan.Project{Input: node, Output: []plan.Column{output}, Exprs: []*expr.Expr{outcome}}
	return inputs.expression(plan.ScalarSubquery, node, types.Boolean, true), nil
}

// compareRows compares two rows item by item, as the standard defines it: equal when all items are, unequal when some are, and by order (a, b) < (c, d)
// as a < c OR a = c AND b < d.
func (b *binder) compareRows(n Node, op string, left, right []*expr.Expr) (*expr.Expr, error) {
	if len(left) != len(right) {
		return nil, b.errorAt(n, types.CodeSyntax, "rows of %d and %d values cannot be compared", len(left), len(right))
	}
	last := len(left) - 1
	result, err := b.applyTo(n, binaryFunctions[op], left[last], right[last])
	if err != nil {
		return nil, err
	}
	for i := last - 1; i >= 0; i-- {
		l, r := left[i], right[i]
		switch op {
		case "=", "<>":
			item, err := b.applyTo(n, binaryFunctions[op], l, r)
			if err != nil {
				return nil, err
			}
			if op == "=" {
				result = expr.NewAnd(item, result)
			} else {
				result = expr.NewOr(item, result)
			}
			continue
		}
		if l.IsVolatile() || r.IsVolatile() {
			return nil, b.unsupported(n, "comparing rows by order with an expression that gives another value each time")
		}
		before, err := b.applyTo(n, binaryFunctions[op[:1]], l, r)
		if err != nil {
			return nil, err
		}
		equal, err := b.applyTo(n, "eq", l, r)
		if err != nil {
			return nil, err
		}
		result = expr.NewOr(before, expr.NewAnd(equal, result))
	}
	return result, nil
}

// inRows binds (a, b) IN ((1, 2), ...).
func (b *binder) inRows(n *In, row *Row, c *exprContext) (*expr.Expr, error) {
	left, err := b.rowItems(row, c)
	if err != nil {
		return nil, err
	}
	var matches []*expr.Expr
	for _, item := range n.List {
		right, err := b.rowItems(item, c)
		if err != nil {
			return nil, err
		}
		equal, err := b.compareRows(item, "=", left, right)
		if err != nil {
			return nil, err
		}
		matches = append(matches, equal)
	}
	result := expr.NewOr(matches...)
	if n.Not {
		return b.applyTo(n, "not", result)
	}
	return result, nil
}
