package sql

import (
	"github.com/lacunadb/lacuna/types"
)

// level says which operators a sequence of operands may contain, from all of them to the tightest. The grammar below decides
// how they group; the level only says where the sequence ends.
type level uint8

const (
	levelLogical level = iota // AND, OR and all below
	levelNot                  // IS and all below: what NOT applies to
	levelCompare              // comparisons, LIKE, IN, BETWEEN and all below: what stands right of IS DISTINCT FROM
	levelBound                // comparisons alone and all below but LIKE, IN and BETWEEN: the lower bound of BETWEEN
	levelBit                  // other operators such as || and all below: the operands of LIKE and IN
	levelArith                // arithmetic: what a prefix operator such as ~ applies to
)

// expr reads a whole expression.
func (r *rewriter) expr() {
	saved := r.inCase
	r.inCase = false
	r.sequence(levelLogical)
	r.inCase = saved
}

// chain is what a sequence remembers of the operators before.
type chain struct {
	level     level
	comparing string // the comparison before, within the same operand of AND, OR and NOT
	tight     bool   // the operator before binds tighter than NOT
	logical   int    // AND and OR so far
	operators int    // all others
	condition place  // where the operand of AND, OR and NOT starts
	compared  place  // where the operand of a comparison starts
	postfix   *place // set behind IS ... and IN (...): where their operand starts
}

// place is a place in the output and in the source.
type place struct{ piece, token int }

// here is the place to be written and read next.
func (r *rewriter) here() place { return place{len(r.out.pieces), r.pos} }

// sequence reads operands and operators up to the first token that does not continue the expression.
func (r *rewriter) sequence(l level) {
	c := chain{level: l, condition: r.here(), compared: r.here()}
	r.operands(&c)
}

// lowerBound reads what stands between BETWEEN and AND. A comparison there becomes one operand, which the grammar would not take it for.
func (r *rewriter) lowerBound() {
	start := r.here()
	c := chain{level: levelBound, condition: start, compared: start}
	if r.operands(&c); c.comparing != "" && r.err == nil {
		g := &grouped{}
		r.wrap(start.piece, start.token, into(&g.Expr), g).close()
	}
}

func (r *rewriter) operands(c *chain) {
	if !r.enter() {
		return
	}
	defer r.leave()
	for {
		r.prefixes(c)
		c.postfix = nil
		for {
			more, operand := r.operator(c)
			if !more || r.err != nil {
				return
			}
			if c.operators > maxOperators || c.logical > maxLogical {
				r.tooManyOperators()
				return
			}
			if operand {
				break
			}
		}
	}
}

func (r *rewriter) tooManyOperators() {
	r.failAt(types.CodeTooComplex, r.pos, "too many operators in one expression")
}

// prefixes reads an operand with NOT in front of it, or an operand alone.
func (r *rewriter) prefixes(c *chain) {
	for r.is("not") {
		if c.tight || c.level > levelNot {
			// The grammar takes NOT only where a condition may start.
			first := r.pos
			n := &Unary{Op: "NOT"}
			w := r.open(first, n)
			r.pos++
			w.arg(into(&n.Operand), func() { r.sequence(levelNot) })
			w.close()
			return
		}
		if c.operators++; c.operators > maxOperators {
			r.tooManyOperators()
			return
		}
		r.copy()
		c.condition, c.compared = r.here(), r.here()
	}
	if c.comparing != "" && c.compared == r.here() && r.is("any", "all", "some") && r.peek(1).word == "(" {
		r.quantifier()
		return
	}
	r.operand()
}

// operator reads an infix or postfix operator. It says whether there was one, and whether an operand must follow.
func (r *rewriter) operator(c *chain) (more, operand bool) {
	t := r.tok()
	switch t.word {
	case "":
		return false, false
	case "and", "or":
		if c.level > levelLogical {
			return false, false
		}
		c.logical++
		c.comparing, c.tight = "", false
		r.copy()
		c.condition, c.compared = r.here(), r.here()
		return true, true
	case "=", "==", "<>", "!=", "<", "<=", ">", ">=":
		if c.level > levelBound {
			return false, false
		}
		return true, r.comparison(c)
	case "<=>":
		r.failAt(types.CodeUndefinedFunction, r.pos, "operator does not exist: <=>")
		r.hint("Use IS NOT DISTINCT FROM.")
		return false, false
	case "is", "isnull", "notnull":
		if c.level > levelNot {
			return false, false
		}
		r.isPredicate()
		c.comparing = ""
		c.postfix, c.compared = &c.condition, c.condition
		return true, false
	case "between", "in", "like", "ilike", "similar", "glob", "not":
		if t.word == "not" && r.peek(1).word == "null" && c.level <= levelNot {
			r.isPredicate()
			c.comparing = ""
			c.postfix, c.compared = &c.condition, c.condition
			return true, false
		}
		if c.level > levelCompare {
			return false, false
		}
		r.group(c)
		return r.predicate(c)
	case "+", "-", "*", "/", "%", "^":
		r.group(c)
		c.operators++
		c.tight = true
		r.copy()
		return true, true
	case "**", "//":
		r.group(c)
		c.operators++
		c.tight = true
		native := "^"
		if t.word == "//" {
			native = "DIV"
		}
		r.emit(native, r.pos)
		r.pos++
		return true, true
	case "div":
		if !r.startsOperand(r.pos + 1) {
			return false, false
		}
		r.group(c)
		c.operators++
		c.tight = true
		r.copy()
		return true, true
	}
	if !otherOperators[t.word] || c.level > levelBit {
		return false, false
	}
	r.group(c)
	// All other operators share one precedence: that of << in the grammar.
	c.operators++
	c.tight = true
	name, _ := r.carrier(mark{first: r.pos, last: r.pos, operator: true})
	r.emit("<< "+name+" <<", r.pos)
	r.pos++
	return true, true
}

// group makes one operand of x IS NULL and x IN (...) when an operator follows that binds tighter: nothing can continue
// them, so x IS NULL + 1 is (x IS NULL) + 1, which the grammar would refuse.
func (r *rewriter) group(c *chain) {
	if c.postfix == nil {
		return
	}
	start := *c.postfix
	g := &grouped{}
	r.wrap(start.piece, start.token, into(&g.Expr), g).close()
	c.postfix, c.compared, c.comparing = nil, start, ""
}

// grouped is an operand that group made, until the converter takes it out.
type grouped struct {
	Default
	Expr Expr
}

// otherOperators are the infix operators without a level of their own.
var otherOperators = wordSet(`|| | & << >> -> ->> @> <@ && ~ !~ ~* !~* ~~ !~~ ~~* !~~* ~~~ ^@ <-> @@`)

// prefixOperators are the prefix operators that apply to the whole arithmetic expression behind them.
var prefixOperators = wordSet(`~ ! @`)

// comparison reads a comparison operator. Comparisons do not associate: a < b < c is an error; of = and <> the grammar makes
// (a = b) = c.
func (r *rewriter) comparison(c *chain) bool {
	word := r.tok().word
	switch word {
	case "==":
		word = "="
	case "!=":
		word = "<>"
	}
	equality := word == "=" || word == "<>"
	if c.comparing != "" && !(equality && (c.comparing == "=" || c.comparing == "<>")) {
		r.syntaxError(r.pos)
		r.hint("Comparisons cannot be chained; use AND or parentheses.")
		return true
	}
	c.comparing, c.tight = word, true
	c.operators++
	r.emit(word, r.pos)
	r.pos++
	c.compared = r.here()
	return true
}

// quantifier reads ANY (...) or ALL (...) as the right side of a comparison.
func (r *rewriter) quantifier() {
	first := r.pos
	q := &quantified{All: r.is("all")}
	c := r.open(first, q).inPlace()
	r.pos++
	if r.tok().query {
		c.arg(intoQuery(&q.Query), r.subquery)
	} else {
		r.expect("(")
		c.arg(into(&q.Value), r.expr)
		r.expect(")")
	}
	c.close()
}

// quantified is the right side of a Quantified, until the converter joins the two.
type quantified struct {
	Default
	All   bool
	Query *Query
	Value Expr
}

// isPredicate reads IS ..., ISNULL, NOTNULL and NOT NULL: a carrier to the right of <=>.
func (r *rewriter) isPredicate() {
	first := r.pos
	r.emit("<=>", first)
	n := &Is{}
	if r.accept("isnull") {
		r.open(first, n).inPlace().close()
		return
	}
	if r.accept("notnull") || r.accept("not", "null") {
		n.Not = true
		r.open(first, n).inPlace().close()
		return
	}
	r.pos++
	n.Not = r.accept("not")
	switch {
	case r.accept("null"), r.accept("unknown"):
	case r.accept("true"):
		n.Test = IsTrue
	case r.accept("false"):
		n.Test = IsFalse
	case r.accept("distinct", "from"):
		d := &IsDistinct{Not: n.Not}
		c := r.open(first, d).inPlace()
		c.arg(into(&d.Right), func() { r.sequence(levelCompare) })
		c.close()
		return
	case r.is("json", "normalized", "document", "nfc", "nfd", "nfkc", "nfkd", "of"):
		r.notSupported(r.pos, "IS "+upper(r.tok().word))
	default:
		r.syntaxError(r.pos)
	}
	r.open(first, n).inPlace().close()
}

// predicate reads [NOT] BETWEEN, IN, LIKE and the like.
func (r *rewriter) predicate(c *chain) (more, operand bool) {
	word := r.tok().word
	if word == "not" {
		if word = r.peek(1).word; !isOneOf(word, []string{"between", "in", "like", "ilike", "similar", "glob"}) {
			return false, false
		}
		r.emit("NOT", r.pos)
		r.pos++
	}
	c.operators++
	first := r.pos
	switch word {
	case "between":
		r.copy()
		if r.is("symmetric") {
			s := &symmetric{}
			w := r.open(r.pos, s).inPlace()
			r.pos++
			w.arg(into(&s.Low), func() { r.sequence(levelBound) })
			w.close()
		} else {
			r.accept("asymmetric")
			r.lowerBound()
		}
		r.expectCopy("and")
		c.tight = true
		return true, true
	case "in":
		r.pos++
		r.emit("IN (", first)
		r.inSet(first)
		r.emit(")", r.pos-1)
		c.postfix = &c.compared
	default:
		r.like(first, word)
	}
	return true, false
}

// symmetric is the lower bound of BETWEEN SYMMETRIC, until the converter makes a Between of it.
type symmetric struct {
	Default
	Low Expr
}

// inSet reads what follows IN.
func (r *rewriter) inSet(first int) {
	n := &In{}
	c := r.open(first, n).inPlace()
	switch {
	case r.tok().query:
		c.arg(intoQuery(&n.Query), r.subquery)
	case r.accept("("):
		for {
			c.arg(onto(&n.List), r.expr)
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	default:
		c.arg(into(&n.Value), r.operand)
	}
	c.close()
}

// like reads LIKE and its relatives: a carrier with pattern and escape to the right of REGEXP.
func (r *rewriter) like(first int, word string) {
	n := &Like{}
	r.pos++
	switch word {
	case "ilike":
		n.Op = ILikeOperator
	case "similar":
		n.Op = SimilarOperator
		r.expect("to")
	case "glob":
		n.Op = GlobOperator
	}
	if r.is("any", "all", "some") && r.peek(1).word == "(" {
		r.notSupported(r.pos, "LIKE "+upper(r.tok().word))
		return
	}
	r.emit("REGEXP", first)
	c := r.open(first, n).inPlace()
	c.arg(into(&n.Pattern), func() { r.sequence(levelBit) })
	if r.accept("escape") {
		c.arg(into(&n.Escape), func() { r.sequence(levelBit) })
	}
	c.close()
}

// operand reads signs, a primary expression, and what follows it: casts, subscripts, fields, COLLATE, AT TIME ZONE.
func (r *rewriter) operand() {
	signed, signedFirst := len(r.out.pieces), r.pos
	signs := 0
	for r.is("+", "-") {
		if signs++; signs > maxOperators {
			r.tooManyOperators()
			return
		}
		r.copy()
	}
	if prefixOperators[r.tok().word] {
		first := r.pos
		n := &Unary{Op: r.tok().word}
		c := r.open(first, n)
		r.pos++
		c.arg(into(&n.Operand), func() { r.sequence(levelArith) })
		c.close()
		return
	}
	if signs > 0 && r.is("not") {
		r.syntaxError(r.pos)
		return
	}
	piece, first := len(r.out.pieces), r.pos
	number := r.tok().kind == tokenInteger || r.tok().kind == tokenDecimal || r.tok().kind == tokenFloat
	r.primary()
	if number && r.is(".") {
		r.syntaxError(r.pos) // only in parentheses a number could have fields or methods
		return
	}
	for n := 0; r.err == nil; n++ {
		if n > maxOperators {
			r.tooManyOperators()
			return
		}
		switch {
		case r.is("::"):
			x := &Cast{}
			c := r.wrap(piece, first, into(&x.Operand), x)
			r.pos++
			x.Type = r.typeName()
			c.close()
		case r.is("["):
			r.subscript(piece, first)
		case r.is("."):
			r.field(piece, first)
		case r.is("collate"):
			x := &Collate{}
			c := r.wrap(signed, signedFirst, into(&x.Operand), x)
			r.pos++
			x.Collation = r.objectName()
			c.close()
			piece, first = signed, signedFirst
		case r.is("at") && r.sees("at", "time", "zone"):
			x := &AtTimeZone{}
			c := r.wrap(signed, signedFirst, into(&x.Operand), x)
			r.pos += 3
			c.arg(into(&x.Zone), r.zone)
			c.close()
			piece, first = signed, signedFirst
		default:
			return
		}
	}
}

// zone reads the operand of AT TIME ZONE; a second AT TIME ZONE applies to the result of the first.
func (r *rewriter) zone() {
	piece, first := len(r.out.pieces), r.pos
	r.primary()
	for r.is("::") && r.err == nil {
		x := &Cast{}
		c := r.wrap(piece, first, into(&x.Operand), x)
		r.pos++
		x.Type = r.typeName()
		c.close()
	}
}

// subscript reads [i] and [low:high:step] behind an operand.
func (r *rewriter) subscript(piece, first int) {
	n, s := &Index{}, &Slice{}
	c := r.wrap(piece, first, into(&n.Operand), n)
	r.pos++
	bound := func(target *Expr) {
		switch {
		case r.is(":", "]"):
		case r.is("-") && isOneOf(r.peek(1).word, []string{":", "]"}):
			r.pos++ // a bound left open
		default:
			c.arg(into(target), r.expr)
		}
	}
	if r.is("]") || r.sees("-", "]") {
		r.syntaxError(r.pos)
	}
	bound(&n.Index)
	if r.accept(":") {
		c.become(s, into(&s.Operand), into(&s.Low))
		bound(&s.High)
		if r.accept(":") {
			bound(&s.Step)
		}
	}
	r.expect("]")
	c.close()
}

// field reads .name and .method(...) behind an operand that is no name.
func (r *rewriter) field(piece, first int) {
	if r.peek(1).word == "*" {
		r.notSupported(r.pos+1, "* on an expression")
		return
	}
	if r.peek(2).word == "(" {
		x := &Call{Method: true, Args: make([]Argument, 1)}
		c := r.wrap(piece, first, func(e Expr) { x.Args[0] = Argument{Span: e.Range(), Expr: e} },
			x)
		r.pos++
		name := r.label()
		x.Name = ObjectName{name.Span, []Ident{name}}
		r.callArguments(c, x)
		c.close()
		return
	}
	x := &Field{}
	c := r.wrap(piece, first, into(&x.Operand), x)
	r.pos++
	x.Name = r.label()
	c.close()
}
