package sql

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// query binds a query expression; outer is the scope around it, or nil. The columns are those that the query gives, in order.
func (b *binder) query(q *Query, outer *scope) (plan.Node, []plan.Column, error) {
	if err := b.enter(q); err != nil {
		return nil, nil, err
	}
	defer b.leave()
	s := &scope{parent: outer}
	var with []*withQuery
	var err error
	if q.With != nil {
		if s, with, err = b.with(q.With, s); err != nil {
			return nil, nil, err
		}
	}
	var node plan.Node
	var names map[string]int
	switch body := q.Body.(type) {
	case *Select:
		node, err = b.selectQuery(body, q.OrderBy, s)
	case *SetOperation:
		node, names, err = b.setOperation(body, s)
	default:
		node, err = b.body(body, s)
	}
	if _, sorted := q.Body.(*Select); !sorted && err == nil && len(q.OrderBy) > 0 {
		node, err = b.orderResult(node, q.OrderBy, names, s)
	}
	if err == nil && q.Limit != nil {
		node, err = b.limit(node, q.Limit)
	}
	if err == nil {
		node, err = b.finishWith(with, node)
	}
	if err != nil {
		return nil, nil, err
	}
	return node, node.Columns(), nil
}

// body binds what stands below ORDER BY and LIMIT.
func (b *binder) body(body QueryBody, s *scope) (plan.Node, error) {
	switch body := body.(type) {
	case *Select:
		return b.selectQuery(body, nil, s)
	case *Query:
		node, _, err := b.query(body, s)
		return node, err
	case *Values:
		return b.values(body, s)
	case *SetOperation:
		node, _, err := b.setOperation(body, s)
		return node, err
	}
	return nil, b.unsupported(body, "this query")
}

// values binds VALUES: the columns are col0, col1, ... of the rows' common types.
func (b *binder) values(v *Values, s *scope) (plan.Node, error) {
	width := len(v.Rows[0])
	columns := make([][]*expr.Expr, width)
	c := &exprContext{scope: &scope{parent: s}, clause: "VALUES"}
	for _, row := range v.Rows {
		if len(row) != width {
			return nil, b.errorAt(row[0], types.CodeSyntax, "VALUES lists must all be the same length: %d and %d", width, len(row))
		}
		for i, n := range row {
			e, err := b.expr(n, c)
			if err != nil {
				return nil, err
			}
			columns[i] = append(columns[i], e)
		}
	}
	node := &plan.Values{Rows: make([][]*expr.Expr, len(v.Rows))}
	for i, column := range columns {
		column, err := b.unify(v.Rows[0][i], "VALUES", column)
		if err != nil {
			return nil, err
		}
		f := types.Field{Name: "col" + itoa(i), Type: column[0].Type}
		for r, e := range column {
			f.Nullable = f.Nullable || e.Nullable
			node.Rows[r] = append(node.Rows[r], e)
		}
		node.Output = append(node.Output, plan.Column{ID: b.ids.New(), Field: f})
	}
	return node, nil
}

// sortKey gives a key of ORDER BY. Where nulls go that are not told is the session's default_null_order.
func (b *binder) sortKey(e *expr.Expr, item OrderItem) plan.SortKey {
	k := plan.SortKey{Expr: e, Descending: item.Direction == Descending, NullsFirst: item.Nulls == NullsFirst}
	if item.Nulls == NullsDefault && b.session.NullsFirst != nil {
		k.NullsFirst = b.session.NullsFirst(k.Descending)
	}
	return k
}

// positionOr binds an item of ORDER BY or GROUP BY: an integer literal is the position of a column, else it is an expression.
func (b *binder) positionOr(n Expr, columns int, clause string, at func(int) (*expr.Expr, error), c *exprContext) (*expr.Expr, error) {
	if minus, ok := n.(*Unary); ok && minus.Op == "-" {
		if l, ok := minus.Operand.(*Literal); ok && l.Kind == IntegerLiteral {
			return nil, b.errorAt(n, types.CodeInvalidColumnRef, "%s position -%s is not in select list of %d columns", clause, l.Text, columns)
		}
	}
	if l, ok := n.(*Literal); ok && l.Kind == IntegerLiteral {
		position, err := b.literal(l)
		if err != nil {
			return nil, err
		}
		if position.Type.Kind() == types.KindInteger {
			if i := int(types.ValuesOf[int32](position.Value)[0]); i >= 1 && i <= columns {
				return at(i - 1)
			}
		}
		return nil, b.errorAt(n, types.CodeInvalidColumnRef, "%s position %s is not in select list of %d columns", clause, l.Text, columns)
	}
	return b.expr(n, c)
}

// limit binds LIMIT and OFFSET, whose values are known when the query is bound.
func (b *binder) limit(node plan.Node, l *Limit) (plan.Node, error) {
	if l.Percent {
		return nil, b.unsupported(l, "LIMIT with a percentage")
	}
	n := &plan.Limit{Input: node, Count: -1}
	if l.Count != nil {
		count, given, err := b.limitValue(l.Count, "LIMIT")
		if err != nil {
			return nil, err
		}
		if given {
			n.Count = count
		}
	}
	if l.Offset != nil {
		offset, _, err := b.limitValue(l.Offset, "OFFSET")
		if err != nil {
			return nil, err
		}
		n.Offset = offset
	}
	if n.Count < 0 && n.Offset == 0 {
		return node, nil
	}
	return n, nil
}

// limitValue evaluates the number of LIMIT or OFFSET; NULL means that it is not given.
func (b *binder) limitValue(n Expr, clause string) (int64, bool, error) {
	e, err := b.expr(n, &exprContext{scope: &scope{}, clause: clause})
	if err != nil {
		return 0, false, err
	}
	if !e.Type.IsNumeric() && e.Type.Kind() != types.KindNull && !(e.Literal && e.Type.Kind() == types.KindVarchar) {
		return 0, false, b.errorAt(n, types.CodeDatatypeMismatch, "%s must be a number, not %s", clause, e.Type)
	}
	if hasSubquery(e) {
		return 0, false, b.unsupported(n, "a subquery in %s", clause)
	}
	v, err := expr.Evaluate(b.cast(n, e, types.BigInt, false))
	if err != nil {
		return 0, false, b.located(n, err)
	}
	if v.MayHaveNulls() {
		return 0, false, nil
	}
	count := types.ValuesOf[int64](v)[0]
	if count < 0 {
		return 0, false, b.errorAt(n, types.CodeInvalidParameter, "%s must not be negative", clause)
	}
	return count, true, nil
}
