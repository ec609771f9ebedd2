package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// exprContext says what an expression may refer to where it stands.
type exprContext struct {
	scope *scope
	// lambda has the parameters of lambdas around; nil for none.
	lambda *lambdaScope
	// clause names the place for messages: "WHERE", "GROUP BY".
	clause string
	// aggregates collects the aggregate calls of a query; nil where none is allowed.
	aggregates *aggregation
	// windows collects the window calls of a query; nil where none is allowed.
	windows *windowing
	// unnests collects the calls of unnest of a select list; nil elsewhere.
	unnests *unnesting
	// alias gives the expression of a select item by its alias, for clauses that may use one; nil where none may.
	alias func(name string) (*expr.Expr, error)
	// aliasNames are for hints.
	aliasNames []string
}

// expr binds an expression.
func (b *binder) expr(n Expr, c *exprContext) (*expr.Expr, error) {
	if err := b.enter(n); err != nil {
		return nil, err
	}
	defer b.leave()
	e, err := b.bindExpr(n, c)
	if err != nil {
		return nil, b.located(n, err)
	}
	if e.Position < 0 {
		p := e.At(n.Range().Start)
		if v := b.constants[e]; v != nil {
			b.constants[p] = v
		}
		e = p
	}
	return e, nil
}

func (b *binder) bindExpr(n Expr, c *exprContext) (*expr.Expr, error) {
	switch n := n.(type) {
	case *Literal:
		return b.literal(n)
	case *Column:
		return b.column(n, c)
	case *Parameter:
		return b.parameter(n)
	case *Unary:
		return b.unary(n, c)
	case *Binary:
		return b.binary(n, c)
	case *Logical:
		return b.logical(n, c)
	case *Is:
		return b.is(n, c)
	case *IsDistinct:
		name := "is_distinct"
		if n.Not {
			name = "is_not_distinct"
		}
		return b.apply(n, name, c, n.Left, n.Right)
	case *Between:
		return b.between(n, c)
	case *In:
		return b.in(n, c)
	case *Like:
		return b.like(n, c)
	case *Case:
		return b.caseExpr(n, c)
	case *Cast:
		return b.castExpr(n, c)
	case *Interval:
		return b.interval(n, c)
	case *Call:
		return b.call(n, c)
	case *Star:
		return nil, b.errorAt(n, types.CodeSyntax, "* is not allowed here")
	case *Subquery:
		return b.scalarSubquery(n, c)
	case *Exists:
		return b.exists(n, c)
	case *Quantified:
		if n.Query == nil {
			return b.quantifiedList(n, c)
		}
		return b.quantified(n, c)
	case *ArrayQuery:
		return b.arrayQuery(n, c)
	case *List:
		return b.apply(n, "list_value", c, n.Items...)
	case *Row:
		return b.apply(n, "row", c, n.Items...)
	case *Struct:
		return b.structLiteral(n, c)
	case *Map:
		return b.mapLiteral(n, c)
	case *Index:
		return b.index(n, c)
	case *Slice:
		return b.slice(n, c)
	case *Field:
		x, err := b.expr(n.Operand, c)
		if err != nil {
			return nil, err
		}
		return b.field(n.Operand, x, n.Name)
	case *Collate:
		return nil, b.unsupported(n, "COLLATE")
	case *AtTimeZone:
		return b.atTimeZone(n, c)
	case *ListComprehension:
		return b.comprehension(n, c)
	case *Lambda:
		return nil, b.errorAt(n, types.CodeSyntax, "a lambda is not allowed here")
	case *Default:
		return nil, b.errorAt(n, types.CodeSyntax, "DEFAULT is not allowed here")
	}
	return nil, b.unsupported(n, "%s", strings.TrimSpace(firstWords(b.source(n))))
}

// firstWords shortens a piece of SQL for a message.
func firstWords(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

func (b *binder) column(n *Column, c *exprContext) (*expr.Expr, error) {
	column, used, err := c.lambda.find(n.Parts[0].Name), 1, error(nil)
	if column == nil {
		column, used, err = b.resolve(c, n)
	}
	if err != nil {
		return nil, err
	}
	if column == nil {
		return nil, b.undefinedColumn(c.scope, n, c.aliasNames)
	}
	for _, name := range n.Parts[used:] {
		if column, err = b.field(n, column, name); err != nil {
			return nil, err
		}
	}
	return column, nil
}

// argOf describes a bound expression to a function family.
func (b *binder) argOf(e *expr.Expr) expr.Arg {
	return expr.Arg{Type: e.Type, Literal: e.Literal, Constant: b.constant(e)}
}

// constant gives the value of a bound expression of constants; nil for others, and for one that raises.
func (b *binder) constant(e *expr.Expr) *types.Vector {
	if e.Op == expr.Constant {
		return e.Value
	}
	return b.constants[e]
}

// noteConstant evaluates a call or cast of constants once, for functions that want an argument's value when they are bound: a pattern, a part of
// a date. The expression itself stays as it was written.
func (b *binder) noteConstant(e *expr.Expr) {
	if e.IsVolatile() {
		return
	}
	args := make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		v := b.constant(a)
		if v == nil {
			return
		}
		args[i] = expr.NewConstant(v)
	}
	call := *e
	call.Args = args
	if v, err := expr.Evaluate(&call); err == nil {
		b.constants[e] = v
	}
}

// apply binds operands and an operator's function to them.
func (b *binder) apply(n Node, name string, c *exprContext, operands ...Expr) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(operands))
	for i, o := range operands {
		e, err := b.expr(o, c)
		if err != nil {
			return nil, err
		}
		args[i] = e
	}
	return b.applyTo(n, name, args...)
}

// applyTo binds a function to bound arguments, with the casts that it wants.
func (b *binder) applyTo(n Node, name string, args ...*expr.Expr) (*expr.Expr, error) {
	return b.applyNamed(n, name, nil, args)
}

// applyNamed is applyTo with the names of arguments that are given by name; nil for none.
func (b *binder) applyNamed(n Node, name string, names []string, args []*expr.Expr) (*expr.Expr, error) {
	family := b.catalog.Functions.Lookup(name)
	if family == nil || family.Bind == nil {
		return nil, b.unsupported(n, "the operator %s", operatorText(name))
	}
	described := make([]expr.Arg, len(args))
	for i, a := range args {
		described[i] = b.argOf(a)
		if names != nil {
			described[i].Name = names[i]
		}
	}
	f, err := family.Bind(described)
	if err != nil {
		return nil, b.located(n, err)
	}
	if f == nil {
		return nil, b.noOverload(n, name, described, family)
	}
	for i := range args {
		args[i] = b.cast(n, args[i], f.Args[i], false)
	}
	call := expr.NewCall(f, args...).In(b.session.Zone)
	b.noteConstant(call)
	return call, nil
}

// operators gives the way in which SQL writes the functions behind operators.
var operators = map[string]string{
	"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "subtract": "-", "multiply": "*", "divide": "/",
	"int_divide": "//", "mod": "%", "negate": "-", "not": "NOT", "concat_op": "||", "like": "LIKE", "ilike": "ILIKE", "glob": "GLOB", "similar_to": "SIMILAR TO",
	"bit_and_op": "&", "bit_or_op": "|", "bit_not": "~", "shift_left": "<<", "shift_right": ">>",
}

func operatorText(name string) string {
	if op := operators[name]; op != "" {
		return op
	}
	return strings.ReplaceAll(strings.ToUpper(name), "_", " ")
}

func (b *binder) noOverload(n Node, name string, args []expr.Arg, family *expr.Family) error {
	typeNames := make([]string, len(args))
	for i, a := range args {
		typeNames[i] = a.Type.String()
	}
	if op, isOperator := operators[name]; isOperator && (len(args) == 1 || len(args) == 2) {
		text := op + " " + typeNames[0]
		if len(args) == 2 {
			text = typeNames[0] + " " + op + " " + typeNames[1]
		}
		return b.errorAt(n, types.CodeUndefinedFunction, "operator does not exist: %s", text).
			WithHint("Add explicit casts to types that the operator takes.")
	}
	e := b.errorAt(n, types.CodeUndefinedFunction, "function %s(%s) does not exist", name, strings.Join(typeNames, ", "))
	if len(family.Signatures) > 0 {
		e.Hint = "There is " + strings.Join(family.Signatures, ", ") + "."
	}
	return e
}

func (b *binder) unary(n *Unary, c *exprContext) (*expr.Expr, error) {
	switch n.Op {
	case "-":
		// A sign before digits belongs to the literal: -9223372036854775808 is a BIGINT.
		if l, ok := n.Operand.(*Literal); ok {
			switch l.Kind {
			case IntegerLiteral:
				t := integerType(l.Text)
				switch trimmed := strings.TrimLeft(l.Text, "0"); trimmed {
				case "2147483648":
					t = types.Integer
				case "9223372036854775808":
					t = types.BigInt
				case "170141183460469231731687303715884105728":
					t = types.HugeInt
				}
				return b.textLiteral(n, "-"+l.Text, t)
			case DecimalLiteral:
				return b.textLiteral(n, "-"+l.Text, decimalLiteralType(l.Text))
			case FloatLiteral:
				return b.textLiteral(n, "-"+l.Text, types.Double)
			}
		}
		return b.apply(n, "negate", c, n.Operand)
	case "+":
		e, err := b.expr(n.Operand, c)
		if err == nil && !e.Type.IsNumeric() && e.Type.Kind() != types.KindInterval && e.Type.Kind() != types.KindNull {
			err = b.errorAt(n, types.CodeUndefinedFunction, "operator does not exist: + %s", e.Type)
		}
		return e, err
	case "NOT":
		e, err := b.condition(n.Operand, c)
		if err != nil {
			return nil, err
		}
		return b.applyTo(n, "not", e)
	case "~":
		return b.apply(n, "bit_not", c, n.Operand)
	case "@":
		return b.apply(n, "abs", c, n.Operand)
	}
	return nil, b.unsupported(n, "the operator %s", n.Op)
}

var binaryFunctions = map[string]string{
	"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "+": "add", "-": "subtract", "*": "multiply", "/": "divide",
	"//": "int_divide", "%": "mod", "||": "concat_op", "^": "power", "&": "bit_and_op", "|": "bit_or_op", "<<": "shift_left", ">>": "shift_right",
	"^@": "starts_with", "~": "regexp_full_match", "~~": "like", "~~~": "glob", "~~*": "ilike",
	"@>": "list_has_all", "&&": "list_has_any",
}

// negatedOperators are the infix operators that are the opposite of another.
var negatedOperators = map[string]string{"!~": "~", "!~~": "~~", "!~~*": "~~*"}

// binary binds a chain of infix operators, which leans to the left and may be thousands deep, without recursion along it.
func (b *binder) binary(n *Binary, c *exprContext) (*expr.Expr, error) {
	var chain []*Binary
	left := Expr(n)
	for {
		next, ok := left.(*Binary)
		if !ok {
			break
		}
		chain = append(chain, next)
		left = next.Left
	}
	var result *expr.Expr
	var err error
	next := len(chain) - 1
	if first := chain[next]; isRowComparison(first) {
		if result, err = b.rowComparison(first, c); err == nil {
			result = result.At(first.OpSpan.Start)
		}
		next--
	} else {
		result, err = b.expr(left, c)
	}
	if err != nil {
		return nil, err
	}
	for i := next; i >= 0; i-- {
		op := chain[i]
		right, err := b.expr(op.Right, c)
		if err != nil {
			return nil, err
		}
		if result, err = b.infix(op, result, right); err != nil {
			return nil, err
		}
		result = result.At(op.OpSpan.Start)
	}
	return result, nil
}

// infix applies one infix operator.
func (b *binder) infix(op *Binary, left, right *expr.Expr) (*expr.Expr, error) {
	switch op.Op {
	case "~*", "!~*": // a regular expression in any case
		options, err := types.NewValue(types.Varchar, "i")
		if err != nil {
			return nil, err
		}
		e, err := b.applyTo(op.OpSpan, "regexp_full_match", left, right, b.literalOf(options))
		if err != nil || op.Op == "~*" {
			return e, err
		}
		return b.applyTo(op.OpSpan, "not", e)
	case "<@":
		return b.applyTo(op.OpSpan, "list_has_all", right, left)
	}
	text, negated := op.Op, false
	if opposite := negatedOperators[text]; opposite != "" {
		text, negated = opposite, true
	}
	name := binaryFunctions[text]
	if name == "" {
		return nil, b.unsupported(op.OpSpan, "the operator %s", op.Op)
	}
	e, err := b.applyTo(op.OpSpan, name, left, right)
	if err != nil || !negated {
		return e, err
	}
	return b.applyTo(op.OpSpan, "not", e)
}

// condition binds an expression that must be BOOLEAN.
func (b *binder) condition(n Expr, c *exprContext) (*expr.Expr, error) {
	e, err := b.expr(n, c)
	if err != nil {
		return nil, err
	}
	return b.asCondition(n, e)
}

func (b *binder) asCondition(n Node, e *expr.Expr) (*expr.Expr, error) {
	switch {
	case e.Type.Kind() == types.KindBoolean:
		return e, nil
	case e.Type.Kind() == types.KindNull, e.Literal && e.Type.Kind() == types.KindVarchar, e.Type.IsInteger():
		return b.cast(n, e, types.Boolean, false), nil
	}
	return nil, b.errorAt(n, types.CodeDatatypeMismatch, "a condition must be BOOLEAN, not %s", e.Type).
		WithHint("Compare the value with something, or cast it to BOOLEAN.")
}

func (b *binder) logical(n *Logical, c *exprContext) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(n.Operands))
	for i, o := range n.Operands {
		e, err := b.condition(o, c)
		if err != nil {
			return nil, err
		}
		args[i] = e
	}
	if n.Or {
		return expr.NewOr(args...), nil
	}
	return expr.NewAnd(args...), nil
}

func (b *binder) is(n *Is, c *exprContext) (*expr.Expr, error) {
	name := [...]string{IsNull: "null", IsTrue: "true", IsFalse: "false"}[n.Test]
	if n.Not {
		name = "not_" + name
	}
	if n.Test == IsNull {
		return b.apply(n, "is_"+name, c, n.Operand)
	}
	e, err := b.condition(n.Operand, c)
	if err != nil {
		return nil, err
	}
	return b.applyTo(n, "is_"+name, e)
}

// between binds x BETWEEN low AND high as x >= low AND x <= high; x is one node and evaluated once. SYMMETRIC is this, or the same with the bounds
// exchanged.
func (b *binder) between(n *Between, c *exprContext) (*expr.Expr, error) {
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	if x.IsVolatile() {
		return nil, b.unsupported(n, "BETWEEN on an expression that gives another value each time")
	}
	low, err := b.expr(n.Low, c)
	if err != nil {
		return nil, err
	}
	high, err := b.expr(n.High, c)
	if err != nil {
		return nil, err
	}
	result, err := b.within(n, x, low, high)
	if err != nil {
		return nil, err
	}
	if n.Symmetric {
		exchanged, err := b.within(n, x, high, low)
		if err != nil {
			return nil, err
		}
		result = expr.NewOr(result, exchanged)
	}
	if n.Not {
		return b.applyTo(n, "not", result)
	}
	return result, nil
}

// within gives x >= low AND x <= high.
func (b *binder) within(n *Between, x, low, high *expr.Expr) (*expr.Expr, error) {
	above, err := b.applyTo(n.Low, "ge", x, low)
	if err != nil {
		return nil, err
	}
	below, err := b.applyTo(n.High, "le", x, high)
	if err != nil {
		return nil, err
	}
	return expr.NewAnd(above, below), nil
}

// in binds x IN (a, b, ...), all of one common type: one look into a set for the constants, and x = c for each other item.
func (b *binder) in(n *In, c *exprContext) (*expr.Expr, error) {
	if n.Query != nil {
		return b.anySubquery(n, "=", n.Operand, n.Query, n.Not, c)
	}
	if row, ok := n.Operand.(*Row); ok && n.Value == nil {
		return b.inRows(n, row, c)
	}
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	var result *expr.Expr
	if n.Value != nil {
		var list *expr.Expr
		if list, err = b.expr(n.Value, c); err == nil {
			result, err = b.inValue(n, x, list)
		}
	} else {
		result, err = b.inItems(n, x, n.List, c)
	}
	if err != nil || !n.Not {
		return result, err
	}
	return b.applyTo(n, "not", result)
}

// inValue binds x IN list for a list, or for a map, in whose keys it looks.
func (b *binder) inValue(n Node, x, list *expr.Expr) (*expr.Expr, error) {
	if list.Type.Kind() == types.KindMap {
		var err error
		if list, err = b.applyTo(n, "map_keys", list); err != nil {
			return nil, err
		}
	}
	return b.applyTo(n, "in", x, expr.Fold(list))
}

func (b *binder) inItems(n Node, x *expr.Expr, list []Expr, c *exprContext) (*expr.Expr, error) {
	items := []*expr.Expr{x}
	for _, item := range list {
		e, err := b.expr(item, c)
		if err != nil {
			return nil, err
		}
		items = append(items, e)
	}
	items, err := b.unify(n, "IN", items)
	if err != nil {
		return nil, err
	}
	x = items[0]
	var constants []*types.Vector
	var others []*expr.Expr
	for _, item := range items[1:] {
		if item = expr.Fold(item); item.Op == expr.Constant {
			constants = append(constants, item.Value)
		} else {
			others = append(others, item)
		}
	}
	if len(constants) == 1 {
		others, constants = append([]*expr.Expr{expr.NewConstant(constants[0])}, others...), nil
	}
	if x.IsVolatile() && len(others) > 1 {
		return nil, b.unsupported(n, "IN on an expression that gives another value each time")
	}
	var matches []*expr.Expr
	if len(constants) > 0 {
		match, err := b.applyTo(n, "in", x, listConstant(x.Type, constants))
		if err != nil {
			return nil, err
		}
		matches = append(matches, match)
	}
	for _, item := range others {
		match, err := b.applyTo(n, "eq", x, item)
		if err != nil {
			return nil, err
		}
		matches = append(matches, match)
	}
	return expr.NewOr(matches...), nil
}

// listConstant makes a list of constants of one type.
func listConstant(t types.Type, values []*types.Vector) *expr.Expr {
	elements := kernels.Concat(nil, values)
	entry := []types.ListEntry{{Length: int64(elements.Len())}}
	return expr.NewConstant(types.NewList(types.ListOf(t), entry, kernels.Decode(nil, elements), nil))
}

// unify casts expressions to their common type.
func (b *binder) unify(n Node, what string, items []*expr.Expr) ([]*expr.Expr, error) {
	args := make([]expr.Arg, len(items))
	for i, e := range items {
		args[i] = b.argOf(e)
	}
	t, err := expr.CommonTypeOf(args...)
	if err != nil {
		if e, ok := err.(*types.Error); ok {
			c := *e
			c.Message = what + ": " + c.Message
			return nil, c.At(b.text, n.Range().Start)
		}
		return nil, err
	}
	out := make([]*expr.Expr, len(items))
	for i, e := range items {
		out[i] = b.cast(n, e, t, false)
	}
	return out, nil
}

func (b *binder) like(n *Like, c *exprContext) (*expr.Expr, error) {
	name := [...]string{LikeOperator: "like", ILikeOperator: "ilike", SimilarOperator: "similar_to", GlobOperator: "glob"}[n.Op]
	operands := []Expr{n.Operand, n.Pattern}
	if n.Escape != nil {
		operands = append(operands, n.Escape)
	}
	e, err := b.apply(n, name, c, operands...)
	if err != nil || !n.Not {
		return e, err
	}
	return b.applyTo(n, "not", e)
}

func (b *binder) caseExpr(n *Case, c *exprContext) (*expr.Expr, error) {
	var operand *expr.Expr
	var err error
	if n.Operand != nil {
		if operand, err = b.expr(n.Operand, c); err != nil {
			return nil, err
		}
	}
	var conditions, values []*expr.Expr
	for _, w := range n.Whens {
		var condition *expr.Expr
		if operand == nil {
			condition, err = b.condition(w.Condition, c)
		} else {
			var value *expr.Expr
			if value, err = b.expr(w.Condition, c); err == nil {
				condition, err = b.applyTo(w.Condition, "eq", operand, value)
			}
		}
		if err != nil {
			return nil, err
		}
		value, err := b.expr(w.Result, c)
		if err != nil {
			return nil, err
		}
		conditions, values = append(conditions, condition), append(values, value)
	}
	otherwise := b.literalOf(types.NewNull(types.Null, 1))
	if n.Else != nil {
		if otherwise, err = b.expr(n.Else, c); err != nil {
			return nil, err
		}
	}
	values, err = b.unify(n, "CASE", append(values, otherwise))
	if err != nil {
		return nil, err
	}
	var args []*expr.Expr
	for i, condition := range conditions {
		args = append(args, condition, values[i])
	}
	return expr.NewCase(append(args, values[len(values)-1])...), nil
}

func (b *binder) castExpr(n *Cast, c *exprContext) (*expr.Expr, error) {
	to, err := b.typeOf(n.Type)
	if err != nil {
		return nil, err
	}
	e, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	if !castable(e.Type, to) {
		failure := b.errorAt(n, types.CodeCannotCoerce, "cannot cast type %s to %s", e.Type, to)
		if to.Kind() == types.KindUnion && e.Type.Kind() != types.KindUnion {
			if _, err := kernels.UnionMember(e.Type, to); err != nil {
				failure.Message += ": " + err.Error()
			}
		}
		return nil, failure
	}
	e = e.At(n.Operand.Range().Start)
	return b.cast(n, e, to, n.Try), nil
}
