package sql

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/lacunadb/lacuna/types"
)

// converter turns the TiDB parser's tree into ours. It accepts only the node types that the rewriter's output can lead to,
// and each carrier only where it belongs: anything else means that the grammar read the text in another way than the
// rewriter meant, which is a syntax error of the user's. At the end every mark must have been met.
type converter struct {
	*rewriter
	origins []origin
	err     *types.Error
}

// extent is the range of tokens of an expression, its own parentheses included.
type extent struct{ first, last int }

// fail records the first error and gives a placeholder, so that conversion can go on.
func (c *converter) fail(token int) Expr {
	if c.err == nil {
		c.err = syntaxErrorAt(c.text, &c.toks[token])
	}
	return &Default{c.rewriter.span(token, token)}
}

// unexpected refuses a node of the parser's.
func (c *converter) unexpected(n ast.Node) Expr {
	return c.fail(c.tokenAt(n.OriginTextPosition()))
}

func (c *converter) spanOf(e extent) Span { return c.rewriter.span(e.first, e.last) }

// mark finds the mark of a carrier's name and notes that it was met.
func (c *converter) mark(name string) *mark {
	if name == "" || name[0] != 0 {
		return nil
	}
	n, err := strconv.ParseInt(name[1:], 36, 64)
	if err != nil || n < 0 || int(n) >= len(c.marks) || c.marks[n].used {
		return nil
	}
	m := &c.marks[n]
	m.used = true
	return m
}

// build makes the node of a carrier.
func (c *converter) build(m *mark, args []Expr) Node {
	if m.operator || len(args) != len(m.slots) || c.err != nil {
		return c.fail(m.first)
	}
	return m.build(c.rewriter.span(m.first, m.last), args)
}

// root converts a statement: SELECT root(arguments). The root carrier's slots complete the statement's node.
func (c *converter) root(node ast.StmtNode) {
	sel, ok := node.(*ast.SelectStmt)
	if !ok || sel.Fields == nil || len(sel.Fields.Fields) != 1 {
		c.unexpected(node)
		return
	}
	m, args := c.carrierCall(sel.Fields.Fields[0].Expr)
	if m == nil {
		c.unexpected(node)
		return
	}
	c.build(m, args)
	for i := range c.marks {
		if !c.marks[i].used && c.err == nil {
			c.fail(c.marks[i].first)
		}
	}
}

// carrierCall converts the arguments of a call of a carrier.
func (c *converter) carrierCall(n ast.ExprNode) (*mark, []Expr) {
	call, ok := n.(*ast.FuncCallExpr)
	if !ok {
		return nil, nil
	}
	m := c.mark(call.FnName.O)
	if m == nil || call.Schema.O != "" {
		return nil, nil
	}
	args := make([]Expr, len(call.Args))
	for i, arg := range call.Args {
		args[i], _ = c.expr(arg)
	}
	return m, args
}

// query converts a query: operands of set operations with operators between them, and the carrier of its tail.
func (c *converter) query(node ast.Node) *Query {
	var body QueryBody
	var order *ast.OrderByClause
	var with *ast.WithClause
	switch n := node.(type) {
	case *ast.SelectStmt:
		order, with = n.OrderBy, n.With
		body, _ = c.operand(n).(QueryBody)
	case *ast.SetOprStmt:
		order, with = n.OrderBy, n.With
		body = c.setOperation(n.SelectList.Selects)
	}
	if body == nil || order == nil || len(order.Items) != 1 {
		c.unexpected(node)
		return &Query{}
	}
	m, args := c.carrierCall(order.Items[0].Expr)
	if m == nil {
		c.unexpected(node)
		return &Query{}
	}
	q, ok := c.build(m, args).(*Query)
	if !ok {
		c.fail(m.first)
		return &Query{}
	}
	q.Body = body
	if with != nil {
		for _, cte := range with.CTEs {
			m := c.mark(cte.Name.O)
			if m == nil || q.With == nil {
				c.unexpected(node)
				return q
			}
			c.build(m, []Expr{c.subquery(cte.Query)})
		}
	}
	if inner, ok := body.(*Query); ok && q.With == nil && q.OrderBy == nil && q.Limit == nil {
		return inner // parentheses around a whole query
	}
	return q
}

// setOperation folds operands and operators: INTERSECT first, the rest from left to right.
func (c *converter) setOperation(nodes []ast.Node) QueryBody {
	type pending struct {
		op   *SetOperation
		left QueryBody
	}
	var union *pending // UNION or EXCEPT that waits for its right side
	var term QueryBody // the INTERSECTs so far
	var intersect *SetOperation
	join := func(op *SetOperation, left, right QueryBody) QueryBody {
		op.Left, op.Right = left, right
		op.Span = Span{left.Range().Start, right.Range().End}
		return op
	}
	for i, node := range nodes {
		part := c.operand(node)
		if op, ok := part.(*SetOperation); i%2 == 1 {
			if !ok {
				c.unexpected(node)
				return nil
			}
			if op.Op == Intersect {
				intersect = op
				continue
			}
			if union != nil {
				term = join(union.op, union.left, term)
			}
			union, term = &pending{op, term}, nil
			continue
		}
		body, ok := part.(QueryBody)
		if !ok {
			c.unexpected(node)
			return nil
		}
		if intersect != nil {
			term, intersect = join(intersect, term, body), nil
		} else {
			term = body
		}
	}
	if term == nil || intersect != nil {
		return nil
	}
	if union != nil {
		return join(union.op, union.left, term)
	}
	return term
}

// operand converts SELECT carrier(...) [FROM ...] [WHERE ...], which is a select, VALUES, a parenthesised query or an operator.
func (c *converter) operand(node ast.Node) Node {
	n, ok := node.(*ast.SelectStmt)
	if !ok || n.Fields == nil || len(n.Fields.Fields) != 1 {
		return c.unexpected(node)
	}
	m, args := c.carrierCall(n.Fields.Fields[0].Expr)
	if m == nil {
		return c.unexpected(node)
	}
	part := c.build(m, args)
	sel, ok := part.(*Select)
	if !ok {
		return part
	}
	if n.From != nil && n.From.TableRefs != nil {
		sel.From = c.table(n.From.TableRefs)
	}
	if n.Where != nil {
		sel.Where, _ = c.expr(n.Where)
	}
	return sel
}

// subquery converts a query in parentheses. The carrier around it knows its place better than this span.
func (c *converter) subquery(n *ast.SubqueryExpr) *Subquery {
	q := c.query(n.Query)
	return &Subquery{q.Span, q}
}

// table converts a table reference. Chains of joins lean to the left and may be long.
func (c *converter) table(node ast.ResultSetNode) TableExpr {
	var spine []*ast.Join
	for {
		j, ok := node.(*ast.Join)
		if !ok {
			break
		}
		if j.Right != nil {
			spine = append(spine, j)
		}
		node = j.Left
	}
	table := c.tableSource(node)
	for i := len(spine) - 1; i >= 0 && c.err == nil; i-- {
		table = c.join(table, spine[i])
	}
	return table
}

func (c *converter) join(left TableExpr, n *ast.Join) TableExpr {
	right := c.table(n.Right)
	if right == nil || left == nil {
		return left
	}
	if n.Tp == ast.CrossJoin && n.On == nil {
		// A comma.
		return &Join{Span: Span{left.Range().Start, right.Range().End}, Kind: CrossJoin, Left: left, Right: right}
	}
	if n.Tp != ast.LeftJoin || n.On == nil {
		c.unexpected(n)
		return left
	}
	m, args := c.carrierCall(n.On.Expr)
	if m == nil {
		c.unexpected(n.On.Expr)
		return left
	}
	j, ok := c.build(m, args).(*Join)
	if !ok {
		c.fail(m.first)
		return left
	}
	j.Left, j.Right = left, right
	j.Span = Span{left.Range().Start, max(j.End, right.Range().End)}
	return j
}

func (c *converter) tableSource(node ast.ResultSetNode) TableExpr {
	var m *mark
	var args []Expr
	if source, ok := node.(*ast.TableSource); ok {
		switch inner := source.Source.(type) {
		case *ast.TableName:
			m = c.mark(inner.Name.O)
		case *ast.SelectStmt, *ast.SetOprStmt:
			m = c.mark(source.AsName.O)
			q := c.query(inner)
			args = []Expr{&Subquery{q.Span, q}}
		}
	}
	if m == nil {
		c.unexpected(node)
		return nil
	}
	t, ok := c.build(m, args).(TableExpr)
	if !ok {
		c.fail(m.first)
		return nil
	}
	return t
}
