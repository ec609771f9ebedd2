package sql

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/lacunadb/lacuna/types"
)

// expr converts an expression and gives the range of its tokens.
func (c *converter) expr(node ast.ExprNode) (Expr, extent) {
	switch n := node.(type) {
	case *ast.FuncCallExpr:
		m, args := c.carrierCall(n)
		if m == nil {
			return c.unexpected(n), extent{}
		}
		e, ok := c.build(m, args).(Expr)
		if g, is := e.(*grouped); is {
			e = g.Expr
		}
		if !ok || incomplete(e) {
			return c.fail(m.first), extent{}
		}
		return e, extent{m.first, m.last}
	case *ast.ColumnNameExpr:
		return c.column(n)
	case *literalNode:
		return c.literal(n)
	case *ast.ParenthesesExpr:
		first := c.tokenAt(n.OriginTextPosition())
		e, _ := c.expr(n.Expr)
		return e, extent{first, c.toks[first].match}
	case *ast.SubqueryExpr:
		first := c.tokenAt(n.OriginTextPosition())
		s := c.subquery(n)
		if c.toks[first].word != "(" {
			return s, extent{first, first}
		}
		at := extent{first, c.toks[first].match}
		s.Span = c.spanOf(at)
		return s, at
	case *ast.UnaryOperationExpr:
		return c.unary(n)
	case *ast.BinaryOperationExpr:
		if n.Op == opcode.LogicAnd || n.Op == opcode.LogicOr {
			return c.logical(n)
		}
		return c.binary(n)
	case *ast.BetweenExpr:
		operand, at := c.expr(n.Expr)
		b := &Between{Operand: operand, Not: n.Not}
		if low, ok := c.special(n.Left).(*symmetric); ok {
			b.Low, b.Symmetric = low.Low, true
		} else {
			b.Low, _ = c.expr(n.Left)
		}
		high, end := c.expr(n.Right)
		b.High = high
		at.last = end.last
		b.Span = c.spanOf(at)
		return b, at
	case *ast.PatternInExpr:
		operand, at := c.expr(n.Expr)
		if len(n.List) == 1 {
			if m, e := c.specialMark(n.List[0]); m != nil {
				if in, ok := e.(*In); ok {
					at.last = m.last
					in.Span, in.Operand, in.Not = c.spanOf(at), operand, n.Not
					return in, at
				}
			}
		}
		return c.unexpected(n), at
	case *ast.PatternRegexpExpr:
		operand, at := c.expr(n.Expr)
		if m, e := c.specialMark(n.Pattern); m != nil {
			if like, ok := e.(*Like); ok {
				at.last = m.last
				like.Span, like.Operand, like.Not = c.spanOf(at), operand, n.Not
				return like, at
			}
		}
		return c.unexpected(n), at
	}
	if _, foreign := node.(ast.ValueExpr); foreign && c.err == nil {
		c.err = types.ErrorAt(types.CodeInternal, c.text, c.toks[0].start, "another driver for the TiDB parser is linked into this program")
	}
	return c.unexpected(node), extent{}
}

// incomplete says whether a carrier's node lacks the operand that its place would give it.
func incomplete(e Expr) bool {
	switch n := e.(type) {
	case *quantified, *symmetric:
		return true
	case *Is:
		return n.Operand == nil
	case *IsDistinct:
		return n.Left == nil
	case *In:
		return n.Operand == nil
	case *Like:
		return n.Operand == nil
	}
	return false
}

// specialMark converts a carrier in a place of its own, such as right of REGEXP. Other nodes stay untouched.
func (c *converter) specialMark(n ast.ExprNode) (*mark, Expr) {
	call, ok := n.(*ast.FuncCallExpr)
	if !ok {
		return nil, nil
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(call.FnName.O, "\x00"), 36, 64)
	if err != nil || int(number) >= len(c.marks) || number < 0 || !c.marks[number].special {
		return nil, nil
	}
	m, args := c.carrierCall(n)
	if m == nil {
		return nil, nil
	}
	e, _ := c.build(m, args).(Expr)
	return m, e
}

func (c *converter) special(n ast.ExprNode) Expr {
	_, e := c.specialMark(n)
	return e
}

// column converts a name. It carries the numbers of its first and last token.
func (c *converter) column(n *ast.ColumnNameExpr) (Expr, extent) {
	fields := strings.Split(n.Name.Name.O, "\x00")
	if len(fields) < 2 || len(fields) > 3 || fields[0] == "" || n.Name.Table.O != "" {
		return c.unexpected(n), extent{}
	}
	var at extent
	for i, f := range fields[1:] {
		number, err := strconv.ParseInt(f, 36, 64)
		if err != nil || number < 0 || int(number) >= len(c.toks) {
			return c.unexpected(n), extent{}
		}
		if i == 0 {
			at.first = int(number)
		}
		at.last = int(number)
	}
	column := &Column{Span: c.spanOf(at), Parts: make([]Ident, 0, (at.last-at.first)/2+1)}
	for i := at.first; i <= at.last; i += 2 {
		column.Parts = append(column.Parts, c.identAt(i))
	}
	return column, at
}

// literal converts a literal. Kind and text are those of our token: the parser's own value is never looked at.
func (c *converter) literal(n *literalNode) (Expr, extent) {
	token := c.tokenAt(n.OriginTextPosition())
	t := &c.toks[token]
	l := &Literal{Span: Span{t.start, t.end}, Text: t.text}
	switch t.kind {
	case tokenString:
		l.Kind = StringLiteral
	case tokenInteger:
		l.Kind = IntegerLiteral
	case tokenDecimal:
		l.Kind = DecimalLiteral
	case tokenFloat:
		l.Kind = FloatLiteral
	case tokenWord:
		switch t.word {
		case "null":
			l.Kind, l.Text = NullLiteral, ""
		case "true", "false":
			l.Kind, l.Text = BooleanLiteral, t.word
		default:
			return c.fail(token), extent{}
		}
	default:
		return c.fail(token), extent{}
	}
	return l, extent{token, token}
}

// unary converts - + and NOT. Long chains do not recurse.
func (c *converter) unary(n *ast.UnaryOperationExpr) (Expr, extent) {
	var chain []*ast.UnaryOperationExpr
	var node ast.ExprNode = n
	for {
		u, ok := node.(*ast.UnaryOperationExpr)
		if !ok {
			break
		}
		chain = append(chain, u)
		node = u.V
	}
	e, at := c.expr(node)
	for i := len(chain) - 1; i >= 0; i-- {
		var op string
		switch chain[i].Op {
		case opcode.Minus:
			op = "-"
		case opcode.Plus:
			op = "+"
		case opcode.Not:
			op = "NOT"
		default:
			return c.unexpected(n), at
		}
		at.first = c.tokenAt(chain[i].OriginTextPosition())
		e = &Unary{c.spanOf(at), op, e}
	}
	return e, at
}

// logical converts a chain of AND, or of OR, into one node. The parser's tree leans to the left.
func (c *converter) logical(n *ast.BinaryOperationExpr) (Expr, extent) {
	var rights []ast.ExprNode
	var node ast.ExprNode = n
	for {
		b, ok := node.(*ast.BinaryOperationExpr)
		if !ok || b.Op != n.Op {
			break
		}
		rights = append(rights, b.R)
		node = b.L
	}
	l := &Logical{Or: n.Op == opcode.LogicOr, Operands: make([]Expr, 0, len(rights)+1)}
	e, at := c.expr(node)
	l.Operands = append(l.Operands, e)
	for i := len(rights) - 1; i >= 0; i-- {
		e, end := c.expr(rights[i])
		l.Operands = append(l.Operands, e)
		at.last = end.last
	}
	l.Span = c.spanOf(at)
	return l, at
}

// nativeOperators are the infix operators that the parser knows by the same meaning of precedence.
var nativeOperators = map[opcode.Op]string{
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%", opcode.IntDiv: "//", opcode.Xor: "^",
}

// binary converts all other infix operators, a chain that leans to the left without recursion. The carriers of other operators
// stand in it as operands: a << carrier << b.
func (c *converter) binary(n *ast.BinaryOperationExpr) (Expr, extent) {
	var chain []*ast.BinaryOperationExpr
	var node ast.ExprNode = n
	for {
		b, ok := node.(*ast.BinaryOperationExpr)
		if !ok || b.Op == opcode.LogicAnd || b.Op == opcode.LogicOr {
			break
		}
		chain = append(chain, b)
		node = b.L
	}
	e, at := c.expr(node)
	var operator *mark // of a carrier that waits for its right operand
	for i := len(chain) - 1; i >= 0 && c.err == nil; i-- {
		b := chain[i]
		if b.Op == opcode.LeftShift && operator == nil {
			if operator = c.operatorCarrier(b.R); operator == nil {
				return c.unexpected(b), at
			}
			continue
		}
		if operator != nil && b.Op != opcode.LeftShift {
			return c.fail(operator.first), at
		}
		if b.Op == opcode.NullEQ {
			e, at = c.isPredicate(e, at, b.R)
			continue
		}
		op := nativeOperators[b.Op]
		var right Expr
		var end extent
		m, q := c.specialMark(b.R)
		if m != nil {
			right, end = q, extent{m.first, m.last}
		} else {
			right, end = c.expr(b.R)
		}
		opToken := end.first - 1
		if operator != nil {
			op, opToken = c.toks[operator.first].word, operator.first
			operator = nil
		}
		if op == "" || opToken < 0 {
			return c.unexpected(b), at
		}
		at.last = end.last
		span, opSpan := c.spanOf(at), c.rewriter.span(opToken, opToken)
		if m == nil {
			e = &Binary{span, op, opSpan, e, right}
			continue
		}
		any, ok := q.(*quantified)
		if !ok || opToken == end.first {
			return c.fail(m.first), at
		}
		e = &Quantified{span, op, any.All, e, any.Query, any.Value}
	}
	if operator != nil {
		return c.fail(operator.first), at
	}
	return e, at
}

// operatorCarrier recognises the carrier of an operator.
func (c *converter) operatorCarrier(n ast.ExprNode) *mark {
	column, ok := n.(*ast.ColumnNameExpr)
	if !ok || column.Name.Table.O != "" {
		return nil
	}
	m := c.mark(column.Name.Name.O)
	if m == nil || !m.operator {
		return nil
	}
	return m
}

// isPredicate completes IS ... , which stands right of <=>.
func (c *converter) isPredicate(left Expr, at extent, right ast.ExprNode) (Expr, extent) {
	m, e := c.specialMark(right)
	if m == nil {
		return c.unexpected(right), at
	}
	at.last = m.last
	switch n := e.(type) {
	case *Is:
		n.Operand, n.Span = left, c.spanOf(at)
	case *IsDistinct:
		n.Left, n.Span = left, c.spanOf(at)
	default:
		return c.fail(m.first), at
	}
	return e, at
}
