package sql

import "strings"

// expr writes an expression.
func (p *treePrinter) expr(e Expr) {
	switch e := e.(type) {
	case nil:
		p.word("<nil>")
	case *Literal:
		p.word(literalText(e))
	case *Interval:
		p.open("interval")
		p.expr(e.Value)
		p.flag(e.Unit != "", e.Unit)
		p.close()
	case *Parameter:
		if e.Name != "" {
			p.word("$" + e.Name)
		} else {
			p.word("$" + number(e.Number))
		}
	case *Column:
		p.word(dotted(e.Parts))
	case *Star:
		p.star(e)
	case *Unary:
		p.list(strings.ToLower(e.Op), e.Operand)
	case *Binary:
		p.binary(e)
	case *Logical:
		head := "and"
		if e.Or {
			head = "or"
		}
		p.list(head, e.Operands...)
	case *Is:
		p.negated(e.Not, func() { p.list([]string{"is-null", "is-true", "is-false"}[e.Test], e.Operand) })
	case *IsDistinct:
		head := "is-distinct"
		if e.Not {
			head = "is-not-distinct"
		}
		p.list(head, e.Left, e.Right)
	case *Between:
		head := "between"
		if e.Symmetric {
			head = "between-symmetric"
		}
		p.negated(e.Not, func() { p.list(head, e.Operand, e.Low, e.High) })
	case *In:
		p.negated(e.Not, func() {
			p.open("in")
			p.expr(e.Operand)
			switch {
			case e.Query != nil:
				p.braces(e.Query)
			case e.Value != nil:
				p.list("value", e.Value)
			default:
				p.list("", e.List...)
			}
			p.close()
		})
	case *Like:
		p.negated(e.Not, func() {
			p.open([]string{"like", "ilike", "similar-to", "glob"}[e.Op])
			p.expr(e.Operand)
			p.expr(e.Pattern)
			p.optional("escape", e.Escape)
			p.close()
		})
	case *Case:
		p.open("case")
		if e.Operand != nil {
			p.expr(e.Operand)
		}
		for _, w := range e.Whens {
			p.list("when", w.Condition, w.Result)
		}
		p.optional("else", e.Else)
		p.close()
	case *Cast:
		head := "cast"
		switch {
		case e.Try:
			head = "try-cast"
		case e.Literal:
			head = "literal"
		}
		p.open(head)
		p.expr(e.Operand)
		p.word(quoteString(typeText(e.Type)))
		p.close()
	case *Collate:
		p.open("collate")
		p.expr(e.Operand)
		p.word(dotted(e.Collation.Parts))
		p.close()
	case *AtTimeZone:
		p.list("at-time-zone", e.Operand, e.Zone)
	case *Call:
		p.call(e)
	case *Lambda:
		p.open("lambda")
		p.names("", e.Params)
		p.expr(e.Body)
		p.close()
	case *Subquery:
		p.braces(e.Query)
	case *Exists:
		p.open("exists")
		p.braces(e.Query)
		p.close()
	case *Quantified:
		word := "any"
		if e.All {
			word = "all"
		}
		p.open(e.Op + "-" + word)
		p.expr(e.Operand)
		if e.Query != nil {
			p.braces(e.Query)
		} else {
			p.expr(e.Value)
		}
		p.close()
	case *ArrayQuery:
		p.open("array")
		p.braces(e.Query)
		p.close()
	case *Row:
		p.list("row", e.Items...)
	case *List:
		p.list("list", e.Items...)
	case *ListComprehension:
		p.open("comprehension")
		p.expr(e.Result)
		p.names("for", e.Params)
		p.list("in", e.Source)
		p.optional("if", e.Condition)
		p.close()
	case *Struct:
		p.open("struct")
		for _, f := range e.Fields {
			p.list(identText(f.Name), f.Value)
		}
		p.close()
	case *Map:
		p.open("map")
		for _, entry := range e.Entries {
			p.list("", entry.Key, entry.Value)
		}
		p.close()
	case *Index:
		p.list("index", e.Operand, e.Index)
	case *Slice:
		p.open("slice")
		p.expr(e.Operand)
		p.bounds(e.Low, e.High)
		p.optional("step", e.Step)
		p.close()
	case *Field:
		p.open("field")
		p.expr(e.Operand)
		p.word(identText(e.Name))
		p.close()
	case *Unpack:
		p.list("unpack", e.Operand)
	case *Default:
		p.word("DEFAULT")
	}
}

// bounds writes the bounds of a slice, _ for one left open.
func (p *treePrinter) bounds(list ...Expr) {
	for _, e := range list {
		if e == nil {
			p.word("_")
		} else {
			p.expr(e)
		}
	}
}

// binary writes a chain of infix operators that leans to the left, without recursion along it.
func (p *treePrinter) binary(e *Binary) {
	var chain []*Binary
	var left Expr = e
	for {
		b, ok := left.(*Binary)
		if !ok {
			break
		}
		chain = append(chain, b)
		p.open(b.Op)
		left = b.Left
	}
	p.expr(left)
	for i := len(chain) - 1; i >= 0; i-- {
		p.expr(chain[i].Right)
		p.close()
	}
}

func (p *treePrinter) negated(not bool, write func()) {
	if not {
		p.open("not")
	}
	write()
	if not {
		p.close()
	}
}

// braces writes a query within an expression.
func (p *treePrinter) braces(q *Query) {
	p.word("{")
	p.space = false
	p.query(q)
	p.b.WriteByte('}')
	p.space = true
}

func (p *treePrinter) star(s *Star) {
	text := "*"
	if len(s.Qualifier) > 0 {
		text = dotted(s.Qualifier) + ".*"
	}
	if len(s.Exclude)+len(s.Replace)+len(s.Rename) == 0 {
		p.word(text)
		return
	}
	p.open(text)
	if len(s.Exclude) > 0 {
		p.open("exclude")
		for _, c := range s.Exclude {
			p.expr(c)
		}
		p.close()
	}
	if len(s.Replace) > 0 {
		p.open("replace")
		for _, r := range s.Replace {
			p.list("as "+identText(r.Name), r.Expr)
		}
		p.close()
	}
	if len(s.Rename) > 0 {
		p.open("rename")
		for _, r := range s.Rename {
			p.list("as "+identText(r.Name), r.Column)
		}
		p.close()
	}
	p.close()
}

func (p *treePrinter) call(x *Call) {
	p.open(dotted(x.Name.Parts))
	p.flag(x.Bare, ":bare")
	p.flag(x.Method, ":method")
	p.flag(x.Distinct, ":distinct")
	for _, a := range x.Args {
		if a.Name != nil {
			p.list("arg "+identText(*a.Name), a.Expr)
		} else {
			p.expr(a.Expr)
		}
	}
	p.order(":order", x.OrderBy)
	p.order(":within", x.WithinGroup)
	p.optional(":filter", x.Filter)
	p.flag(x.Nulls == IgnoreNulls, ":ignore-nulls")
	p.flag(x.Nulls == RespectNulls, ":respect-nulls")
	if x.Over != nil {
		p.open(":over")
		p.window(x.Over)
		p.close()
	}
	p.close()
}
