package sql

import (
	"strings"

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
	if q.With != nil {
		var err error
		if s, err = b.with(q.With, s); err != nil {
			return nil, nil, err
		}
	}
	var node plan.Node
	var err error
	switch body := q.Body.(type) {
	case *Select:
		node, err = b.selectQuery(body, q.OrderBy, s)
	default:
		node, err = b.body(body, s)
		if err == nil && len(q.OrderBy) > 0 {
			node, err = b.orderResult(node, q.OrderBy)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if q.Limit != nil {
		if node, err = b.limit(node, q.Limit); err != nil {
			return nil, nil, err
		}
	}
	return node, node.Columns(), nil
}

// with makes the CTEs of a query known. Each sees those before it, not itself.
func (b *binder) with(w *With, s *scope) (*scope, error) {
	if w.Recursive {
		return nil, b.unsupported(w, "WITH RECURSIVE")
	}
	for i := range w.CTEs {
		cte := &w.CTEs[i]
		key := strings.ToLower(cte.Name.Name)
		for _, before := range w.CTEs[:i] {
			if strings.EqualFold(before.Name.Name, cte.Name.Name) {
				return nil, b.errorAt(cte.Name, types.CodeDuplicateAlias, "WITH query name %q specified more than once", cte.Name.Name)
			}
		}
		s = &scope{parent: s, ctes: map[string]*CTE{key: cte}, cteScopes: map[string]*scope{key: s}}
	}
	return s, nil
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
		return b.setOperation(body, s)
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

// setOperation binds UNION [ALL]. A chain leans to the left and may be thousands long: its operands are bound in a loop.
func (b *binder) setOperation(n *SetOperation, s *scope) (plan.Node, error) {
	var chain []*SetOperation
	left := QueryBody(n)
	for {
		next, ok := left.(*SetOperation)
		if !ok {
			break
		}
		chain = append(chain, next)
		left = next.Left
	}
	result, err := b.body(left, s)
	if err != nil {
		return nil, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		op := chain[i]
		switch {
		case op.Op != Union:
			return nil, b.unsupported(op.Right, "%s", [...]string{Intersect: "INTERSECT", Except: "EXCEPT"}[op.Op])
		case op.ByName:
			return nil, b.unsupported(op.Right, "UNION BY NAME")
		}
		right, err := b.body(op.Right, s)
		if err != nil {
			return nil, err
		}
		if result, err = b.union(op, result, right); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func (b *binder) union(n *SetOperation, left, right plan.Node) (plan.Node, error) {
	l, r := left.Columns(), right.Columns()
	if len(l) != len(r) {
		return nil, b.errorAt(n.Right, types.CodeSyntax, "each UNION query must have the same number of columns: %d and %d", len(l), len(r))
	}
	union := &plan.UnionAll{}
	targets := make([]types.Type, len(l))
	for i := range l {
		t, err := expr.SetOperationType(l[i].Type, r[i].Type)
		if err != nil {
			return nil, b.errorAt(n.Right, types.CodeDatatypeMismatch, "UNION types %s and %s of column %d cannot be matched", l[i].Type, r[i].Type, i+1)
		}
		targets[i] = t
		union.Output = append(union.Output, plan.Column{
			ID: b.ids.New(), Field: types.Field{Name: l[i].Name, Type: t, Nullable: l[i].Nullable || r[i].Nullable},
		})
	}
	union.Inputs = []plan.Node{b.castColumns(n, left, targets), b.castColumns(n, right, targets)}
	// A chain of UNION ALL is one node with many inputs.
	if below, ok := union.Inputs[0].(*plan.UnionAll); ok && n.All {
		union.Inputs = append(append([]plan.Node(nil), below.Inputs...), union.Inputs[1])
	}
	if n.All {
		return union, nil
	}
	for _, t := range targets {
		if err := b.groupable(n.Right, t); err != nil {
			return nil, err
		}
	}
	return &plan.Distinct{Input: union}, nil
}

// castColumns gives a node whose columns have the wanted types.
func (b *binder) castColumns(n Node, node plan.Node, targets []types.Type) plan.Node {
	p := &plan.Project{Input: node}
	changed := false
	for i, c := range node.Columns() {
		e := b.cast(n, c.Ref(), targets[i], false)
		if e.Op != expr.Column {
			changed = true
			c = plan.Column{ID: b.ids.New(), Field: types.Field{Name: c.Name, Type: targets[i], Nullable: e.Nullable}}
		}
		p.Output, p.Exprs = append(p.Output, c), append(p.Exprs, e)
	}
	if !changed {
		return node
	}
	return p
}

// orderResult orders the result of a set operation or VALUES: by its columns only.
func (b *binder) orderResult(node plan.Node, items []OrderItem) (plan.Node, error) {
	columns := node.Columns()
	s := &scope{}
	s.add(relation{columns: columns})
	c := &exprContext{scope: s, clause: "ORDER BY"}
	sorted := &plan.Sort{Input: node}
	for _, item := range items {
		if item.All {
			for _, column := range columns {
				sorted.Keys = append(sorted.Keys, b.sortKey(column.Ref(), item))
			}
			continue
		}
		e, err := b.positionOr(item.Expr, len(columns), "ORDER BY", func(i int) (*expr.Expr, error) { return columns[i].Ref(), nil }, c)
		if err != nil {
			return nil, err
		}
		sorted.Keys = append(sorted.Keys, b.sortKey(e, item))
	}
	return sorted, nil
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
	if !e.Type.IsNumeric() && e.Type.Kind() != types.KindNull && !(b.literals[e] && e.Type.Kind() == types.KindVarchar) {
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
