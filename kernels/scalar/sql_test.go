package scalar

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is a small reader of SQL expressions, so that tests and examples are written in SQL. It binds functions as the
// binder does, as far as literals, casts, operators and calls go.

var tokenPattern = regexp.MustCompile(`\s*('(?:[^']|'')*'|\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+|\d+(?:[eE][-+]?\d+)?|[A-Za-z_][A-Za-z_0-9]*|::|\|\||//|<>|<=|>=|!=|.)`)

type reader struct {
	set     *expr.Set
	columns map[string]*expr.Expr // by upper-case name
	tokens  []string
	at      int
}

// operand is an expression with what the binder knows of it.
type operand struct {
	*expr.Expr
	literal bool
}

// readSQL reads an expression. Errors are those of binding, or of syntax.
func readSQL(set *expr.Set, text string) (*expr.Expr, error) { return readSQLWith(set, text, nil) }

// readSQLWith is readSQL with columns by their upper-case names.
func readSQLWith(set *expr.Set, text string, columns map[string]*expr.Expr) (e *expr.Expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			bind, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = bind
		}
	}()
	r := &reader{set: set, columns: columns}
	for rest := strings.TrimSpace(text); rest != ""; {
		m := tokenPattern.FindString(rest)
		r.tokens = append(r.tokens, strings.TrimSpace(m))
		rest = rest[len(m):]
	}
	o := r.or()
	if r.at < len(r.tokens) {
		return nil, fmt.Errorf("syntax error at %q", r.tokens[r.at])
	}
	return o.Expr, nil
}

func (r *reader) peek() string {
	if r.at < len(r.tokens) {
		return strings.ToUpper(r.tokens[r.at])
	}
	return ""
}

func (r *reader) accept(words ...string) bool {
	for i, w := range words {
		if r.at+i >= len(r.tokens) || strings.ToUpper(r.tokens[r.at+i]) != w {
			return false
		}
	}
	r.at += len(words)
	return true
}

func (r *reader) expect(word string) {
	if !r.accept(word) {
		panic(fmt.Errorf("expected %s, found %q", word, r.peek()))
	}
}

func (r *reader) or() operand {
	o := r.and()
	for r.accept("OR") {
		o = operand{Expr: expr.NewOr(o.Expr, r.and().Expr)}
	}
	return o
}

func (r *reader) and() operand {
	o := r.not()
	for r.accept("AND") {
		o = operand{Expr: expr.NewAnd(o.Expr, r.not().Expr)}
	}
	return o
}

func (r *reader) not() operand {
	if r.accept("NOT") {
		return r.call("not", r.not())
	}
	return r.comparison()
}

var comparisons = map[string]string{"=": "eq", "<>": "ne", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

func (r *reader) comparison() operand {
	o := r.additive()
	for {
		name := comparisons[r.peek()]
		switch {
		case name != "":
			r.at++
			o = r.call(name, o, r.additive())
		case r.accept("IS", "NOT", "DISTINCT", "FROM"):
			o = r.call("is_not_distinct", o, r.additive())
		case r.accept("IS", "DISTINCT", "FROM"):
			o = r.call("is_distinct", o, r.additive())
		case r.accept("IS"):
			name = "is_"
			if r.accept("NOT") {
				name = "is_not_"
			}
			o = r.call(name+strings.ToLower(r.peek()), o)
			r.at++
		case r.accept("NOT", "LIKE"):
			o = r.like("not_like", o)
		case r.accept("NOT", "ILIKE"):
			o = r.like("not_ilike", o)
		case r.accept("LIKE"):
			o = r.like("like", o)
		case r.accept("ILIKE"):
			o = r.like("ilike", o)
		default:
			return o
		}
	}
}

func (r *reader) like(name string, o operand) operand {
	args := []operand{o, r.additive()}
	if r.accept("ESCAPE") {
		args = append(args, r.additive())
	}
	return r.call(name, args...)
}

func (r *reader) additive() operand {
	o := r.multiplicative()
	for {
		switch {
		case r.accept("+"):
			o = r.call("add", o, r.multiplicative())
		case r.accept("-"):
			o = r.call("subtract", o, r.multiplicative())
		case r.accept("||"):
			o = r.call("concat_op", o, r.multiplicative())
		default:
			return o
		}
	}
}

func (r *reader) multiplicative() operand {
	o := r.unary()
	for {
		switch {
		case r.accept("*"):
			o = r.call("multiply", o, r.unary())
		case r.accept("/"):
			o = r.call("divide", o, r.unary())
		case r.accept("//"):
			o = r.call("int_divide", o, r.unary())
		case r.accept("%"):
			o = r.call("mod", o, r.unary())
		default:
			return o
		}
	}
}

func (r *reader) unary() operand {
	if r.accept("-") {
		if c := r.peek(); c != "" && (c[0] >= '0' && c[0] <= '9' || c[0] == '.') {
			r.tokens[r.at] = "-" + r.tokens[r.at]
			return r.postfix()
		}
		return r.call("negate", r.unary())
	}
	return r.postfix()
}

func (r *reader) postfix() operand {
	o := r.primary()
	for r.accept("::") {
		o = operand{Expr: expr.NewCast(o.Expr, r.typeName(), false)}
	}
	return o
}

var typeNames = map[string]types.Type{
	"BOOLEAN": types.Boolean, "TINYINT": types.TinyInt, "SMALLINT": types.SmallInt, "INTEGER": types.Integer, "BIGINT": types.BigInt,
	"UTINYINT": types.UTinyInt, "USMALLINT": types.USmallInt, "UINTEGER": types.UInteger, "UBIGINT": types.UBigInt,
	"HUGEINT": types.HugeInt, "HALF": types.Half, "FLOAT": types.Float, "DOUBLE": types.Double, "VARCHAR": types.Varchar, "BLOB": types.Blob,
	"DATE": types.Date, "TIME": types.Time, "TIMESTAMP": types.Timestamp, "TIMESTAMPTZ": types.TimestampTZ, "INTERVAL": types.Interval,
	"TIMESTAMP_S": types.TimestampOf(types.Second), "TIMESTAMP_NS": types.TimestampOf(types.Nanosecond), "UUID": types.UUID,
	"MOOD": types.EnumOf([]string{"sad", "ok", "happy"}),
}

func (r *reader) typeName() types.Type {
	name := r.peek()
	r.at++
	if name == "DECIMAL" {
		r.expect("(")
		p, _ := strconv.Atoi(r.peek())
		r.at++
		r.expect(",")
		s, _ := strconv.Atoi(r.peek())
		r.at++
		r.expect(")")
		return types.Decimal(p, s)
	}
	t, ok := typeNames[name]
	if !ok {
		panic(fmt.Errorf("unknown type %s", name))
	}
	return t
}

func (r *reader) primary() operand {
	token := r.peek()
	switch {
	case token == "":
		panic(fmt.Errorf("unexpected end"))
	case r.accept("("):
		o := r.or()
		r.expect(")")
		return o
	case r.accept("NULL"):
		return operand{expr.NewNull(types.Null), true}
	case r.accept("TRUE"):
		return operand{expr.NewBool(true), true}
	case r.accept("FALSE"):
		return operand{expr.NewBool(false), true}
	case token[0] == '\'':
		text := r.tokens[r.at]
		r.at++
		return literal(types.Varchar, strings.ReplaceAll(text[1:len(text)-1], "''", "'"))
	case token[0] >= '0' && token[0] <= '9', token[0] == '.', token[0] == '-':
		r.at++
		return number(token)
	}
	if c := r.columns[token]; c != nil {
		r.at++
		return operand{Expr: c}
	}
	if _, ok := typeNames[token]; ok && r.at+1 < len(r.tokens) && r.tokens[r.at+1][0] == '\'' {
		t := r.typeName()
		text := r.tokens[r.at]
		r.at++
		return operand{Expr: expr.NewCast(literal(types.Varchar, text[1:len(text)-1]).Expr, t, false)}
	}
	name := r.tokens[r.at]
	r.at++
	r.expect("(")
	var args []operand
	for !r.accept(")") {
		if len(args) > 0 {
			r.expect(",")
		}
		args = append(args, r.or())
	}
	return r.call(name, args...)
}

func literal(t types.Type, value any) operand {
	v, err := types.NewValue(t, value)
	if err != nil {
		panic(err)
	}
	return operand{expr.NewConstant(v), true}
}

func number(text string) operand {
	if strings.ContainsAny(text, "eE") {
		f, _ := strconv.ParseFloat(text, 64)
		return literal(types.Double, f)
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok {
		return literal(types.Decimal(max(1, len(strings.TrimLeft(whole, "-0"))+len(fraction)), len(fraction)), text)
	}
	x, _ := new(big.Int).SetString(text, 10)
	for _, t := range []types.Type{types.Integer, types.BigInt, types.HugeInt} {
		if v, err := types.NewValue(t, x); err == nil {
			return operand{expr.NewConstant(v), true}
		}
	}
	panic(fmt.Errorf("number %s is out of range", text))
}

// call binds a function as the binder does: casts of literals are folded.
func (r *reader) call(name string, args ...operand) operand {
	family := r.set.Lookup(name)
	if family == nil {
		panic(fmt.Errorf("unknown function %s", name))
	}
	bindArgs := make([]expr.Arg, len(args))
	var given []string
	for i, a := range args {
		bindArgs[i] = expr.Arg{Type: a.Type, Literal: a.literal}
		if a.IsConstant() {
			bindArgs[i].Constant = a.Value
		}
		given = append(given, a.Type.String())
	}
	f, err := family.Bind(bindArgs)
	if err != nil {
		panic(err)
	}
	if f == nil {
		panic(types.Errorf(types.CodeUndefinedFunction, "no function %s(%s)", name, strings.Join(given, ", ")))
	}
	exprs := make([]*expr.Expr, len(args))
	for i, a := range args {
		exprs[i] = expr.Fold(expr.NewCast(a.Expr, f.Args[i], false))
	}
	return operand{Expr: expr.NewCall(f, exprs...)}
}
