package sql

import (
	"github.com/lacunadb/lacuna/types"
)

// call reads "(" arguments ")" and what follows a call, the function's name having been read.
func (r *rewriter) call(first int, name ObjectName) {
	x := &Call{Name: name}
	c := r.open(first, x)
	r.callArguments(c, x)
	c.close()
}

// callArguments reads "(" arguments ")" FILTER, OVER and the like. Everything is an argument of the call's carrier.
func (r *rewriter) callArguments(c *construct, x *Call) {
	r.expect("(")
	if r.accept("distinct") {
		x.Distinct = true
	} else {
		r.accept("all")
	}
	for !r.is(")", "order") && r.err == nil {
		r.argument(c, x)
		if !r.accept(",") {
			break
		}
		if r.is(")") {
			r.syntaxError(r.pos)
		}
	}
	if r.accept("order", "by") {
		r.orderItems(c, &x.OrderBy)
	}
	r.nullTreatment(x)
	if r.is("separator") {
		r.notSupported(r.pos, "SEPARATOR")
		r.hint("Pass the separator as an argument: string_agg(x, ',').")
	}
	r.expect(")")
	r.callSuffix(c, x)
}

// nullTreatment reads IGNORE NULLS and RESPECT NULLS, which may stand inside or behind the parentheses.
func (r *rewriter) nullTreatment(x *Call) {
	switch {
	case x.Nulls != NullTreatmentDefault:
	case r.accept("ignore", "nulls"):
		x.Nulls = IgnoreNulls
	case r.accept("respect", "nulls"):
		x.Nulls = RespectNulls
	}
}

// argument reads one argument: a star, an expression, a named one, or a lambda.
func (r *rewriter) argument(c *construct, x *Call) {
	first, i := r.pos, len(x.Args)
	arg := Argument{}
	if k := r.tok().kind; (k == tokenWord || k == tokenQuoted) && isOneOf(r.peek(1).word, []string{":=", "=>"}) {
		name := r.label()
		arg.Name = &name
		r.pos++
	}
	x.Args = append(x.Args, arg)
	c.arg(func(e Expr) { x.Args[i].Expr = e }, func() {
		if r.lambdaAhead() {
			r.lambda(r.pos)
		} else {
			r.starOrExpr()
		}
	})
	x.Args[i].Span = r.spanFrom(first)
}

// lambdaAhead recognises x -> and (x, y) -> at the start of an argument. With a constant behind the arrow it is the JSON
// operator.
func (r *rewriter) lambdaAhead() bool {
	i := r.pos
	switch t := r.tok(); {
	case t.kind == tokenQuoted, t.kind == tokenWord && !reserved[t.word]:
		i++
	case t.word == "(":
		for i++; ; i += 2 {
			if k := r.toks[i].kind; k != tokenWord && k != tokenQuoted {
				return false
			}
			if r.toks[i+1].word != "," {
				break
			}
		}
		if i+1 != t.match {
			return false
		}
		i += 2
	default:
		return false
	}
	if r.toks[i].word != "->" {
		return false
	}
	switch r.toks[i+1].kind {
	case tokenString, tokenInteger:
		return r.startsExprAfter(i + 2)
	}
	return true
}

// startsExprAfter says whether the expression goes on behind a constant with something else than another arrow: then the
// arrow in front of the constant is a lambda's.
func (r *rewriter) startsExprAfter(token int) bool {
	return isOneOf(r.toks[min(token, len(r.toks)-1)].word, []string{"+", "-", "*", "/", "//", "%", "||"})
}

// lambda reads parameters, the arrow or colon, and the body.
func (r *rewriter) lambda(first int) {
	n := &Lambda{}
	c := r.open(first, n)
	if r.is("(") {
		n.Params = r.nameList()
	} else {
		n.Params = []Ident{r.name()}
		for r.accept(",") {
			n.Params = append(n.Params, r.name())
		}
	}
	if !r.accept(":") {
		r.expect("->")
	}
	c.arg(into(&n.Body), func() {
		if r.lambdaAhead() {
			if r.enter() {
				r.lambda(r.pos)
				r.leave()
			}
		} else {
			r.expr()
		}
	})
	c.close()
}

// callSuffix reads IGNORE NULLS, WITHIN GROUP, FILTER and OVER.
func (r *rewriter) callSuffix(c *construct, x *Call) {
	r.nullTreatment(x)
	if r.accept("within", "group") {
		r.expect("(", "order", "by")
		r.orderItems(c, &x.WithinGroup)
		r.expect(")")
	}
	if r.accept("filter", "(") {
		r.accept("where")
		c.arg(into(&x.Filter), r.expr)
		r.expect(")")
	}
	r.nullTreatment(x)
	if !r.is("over") {
		return
	}
	first := r.pos
	r.pos++
	x.Over = &Window{}
	if r.is("(") {
		r.windowSpec(c, x.Over)
	} else {
		name := r.name()
		x.Over.Base, x.Over.NameOnly = &name, true
	}
	x.Over.Span = r.spanFrom(first + 1)
}

// windowSpec reads "(" [name] [PARTITION BY] [ORDER BY] [frame] ")".
func (r *rewriter) windowSpec(c *construct, w *Window) {
	first := r.pos
	r.expect("(")
	if r.startsName() && !r.sees("partition", "by") && !r.is("rows", "range", "groups") {
		name := r.name()
		w.Base = &name
	}
	if r.accept("partition", "by") {
		for {
			c.arg(onto(&w.PartitionBy), r.expr)
			if !r.accept(",") {
				break
			}
		}
	}
	if r.accept("order", "by") {
		r.orderItems(c, &w.OrderBy)
	}
	if r.is("rows", "range", "groups") {
		w.Frame = &Frame{}
		r.frame(c, w.Frame)
	}
	r.expect(")")
	w.Span = r.spanFrom(first)
}

// frame reads a window frame.
func (r *rewriter) frame(c *construct, f *Frame) {
	first := r.pos
	switch r.tok().word {
	case "range":
		f.Unit = FrameRange
	case "groups":
		f.Unit = FrameGroups
	}
	r.pos++
	if r.accept("between") {
		r.frameBound(c, &f.Start)
		r.expect("and")
		r.frameBound(c, &f.End)
	} else {
		r.frameBound(c, &f.Start)
		f.End = FrameBound{Span: f.Start.Span, Kind: CurrentRow}
	}
	if f.Start.Kind == UnboundedFollowing {
		r.failAt(types.CodeWindowing, first, "frame start cannot be UNBOUNDED FOLLOWING")
	}
	if f.End.Kind == UnboundedPreceding {
		r.failAt(types.CodeWindowing, first, "frame end cannot be UNBOUNDED PRECEDING")
	}
	if r.accept("exclude") {
		switch {
		case r.accept("current", "row"):
			f.Exclude = ExcludeCurrentRow
		case r.accept("group"):
			f.Exclude = ExcludeGroup
		case r.accept("ties"):
			f.Exclude = ExcludeTies
		default:
			r.expect("no", "others")
		}
	}
	f.Span = r.spanFrom(first)
}

func (r *rewriter) frameBound(c *construct, b *FrameBound) {
	first := r.pos
	switch {
	case r.accept("unbounded", "preceding"):
		b.Kind = UnboundedPreceding
	case r.accept("unbounded", "following"):
		b.Kind = UnboundedFollowing
	case r.accept("current", "row"):
		b.Kind = CurrentRow
	default:
		c.arg(into(&b.Offset), func() { r.sequence(levelBit) })
		b.Kind = OffsetPreceding
		if !r.accept("preceding") {
			b.Kind = OffsetFollowing
			r.expect("following")
		}
	}
	b.Span = r.spanFrom(first)
}

// specialCall reads the standard's functions with words among their arguments, and CAST, EXISTS and ROW. It says whether
// the name was one.
func (r *rewriter) specialCall(word string) bool {
	first := r.pos
	switch word {
	case "cast", "try_cast":
		x := &Cast{Try: word == "try_cast"}
		c := r.open(first, x)
		r.pos += 2
		c.arg(into(&x.Operand), r.expr)
		r.expect("as")
		x.Type = r.typeName()
		r.expect(")")
		c.close()
	case "exists":
		if !r.peek(1).query {
			return false
		}
		n := &Exists{}
		c := r.open(first, n)
		r.pos++
		c.arg(intoQuery(&n.Query), r.subquery)
		c.close()
	case "row":
		n := &Row{}
		c := r.open(first, n)
		r.pos += 2
		for !r.is(")") && r.err == nil {
			c.arg(onto(&n.Items), r.expr)
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
		c.close()
	case "extract", "position", "substring", "trim", "overlay":
		return r.standardCall(word)
	default:
		return false
	}
	return true
}

// standardCall reads extract(f FROM x), position(x IN y), substring(x FROM i FOR n), trim(BOTH c FROM x) and
// overlay(x PLACING y FROM i FOR n) into plain calls; LEADING and TRAILING make a trim ltrim and rtrim. Written with commas they are plain calls anyway.
func (r *rewriter) standardCall(word string) bool {
	first := r.pos
	name := ObjectName{r.span(first, first), []Ident{r.identAt(first)}}
	x := &Call{Name: name}
	c := r.open(first, x)
	constant := func(e Expr) { x.Args = append(x.Args, Argument{Span: e.Range(), Expr: e}) }
	slot := func(i int) func(Expr) {
		for len(x.Args) <= i {
			x.Args = append(x.Args, Argument{})
		}
		return func(e Expr) { x.Args[i] = Argument{Span: e.Range(), Expr: e} }
	}
	arg := func(read func()) { c.arg(slot(len(x.Args)), read) }
	r.pos += 2
	switch word {
	case "extract":
		switch t := r.tok(); {
		case (t.kind == tokenWord || t.kind == tokenQuoted || t.kind == tokenString) && r.peek(1).word == "from":
			constant(&Literal{Span{t.start, t.end}, StringLiteral, t.text})
			r.pos += 2
			arg(r.expr)
		default:
			r.commaArguments(c, x)
		}
	case "position":
		arg(func() { r.sequence(levelBit) })
		if r.accept("in") {
			c.become(x, slot(1))
			c.arg(slot(0), r.expr)
		} else if r.accept(",") {
			r.commaArguments(c, x)
		}
	case "substring":
		arg(r.expr)
		switch {
		case r.accept("from"):
			arg(r.expr)
			if r.accept("for") {
				arg(r.expr)
			}
		case r.accept("for"):
			constant(&Literal{r.spanFrom(r.pos - 1), IntegerLiteral, "1"})
			arg(r.expr)
		case r.accept(","):
			r.commaArguments(c, x)
		}
	case "trim":
		side := ""
		if r.is("both", "leading", "trailing") {
			side = r.tok().word
			r.pos++
		}
		switch side {
		case "leading":
			x.Name.Parts[0].Name = "ltrim"
		case "trailing":
			x.Name.Parts[0].Name = "rtrim"
		}
		if r.accept("from") {
			arg(r.expr)
			break
		}
		arg(r.expr)
		if r.accept("from") {
			c.become(x, slot(1)) // what was read first are the characters
			c.arg(slot(0), r.expr)
		} else if r.accept(",") {
			r.commaArguments(c, x)
		}
	case "overlay":
		arg(r.expr)
		if r.accept("placing") {
			arg(r.expr)
			r.expect("from")
			arg(r.expr)
			if r.accept("for") {
				arg(r.expr)
			}
		} else if r.accept(",") {
			r.commaArguments(c, x)
		}
	}
	r.expect(")")
	r.callSuffix(c, x)
	c.close()
	return true
}

// commaArguments reads the arguments of a plain call, up to its ")".
func (r *rewriter) commaArguments(c *construct, x *Call) {
	for !r.is(")") && r.err == nil {
		r.argument(c, x)
		if !r.accept(",") {
			return
		}
	}
}
