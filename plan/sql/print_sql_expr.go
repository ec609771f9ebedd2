package sql

import "strings"

// operand writes an expression where an operator could follow or precede it.
func (p *sqlPrinter) operand(e Expr) {
	switch e.(type) {
	case *Unary, *Binary, *Logical, *Is, *IsDistinct, *Between, *In, *Like, *Quantified, *Collate, *AtTimeZone, *Lambda:
		p.put("(")
		p.expr(e)
		p.put(")")
	default:
		p.expr(e)
	}
}

// base writes an expression with a subscript or a field behind it.
func (p *sqlPrinter) base(e Expr, field bool) {
	switch e := e.(type) {
	case *Index, *Slice, *Field, *Call, *List, *Struct, *Map, *Cast, *Case, *Parameter:
		p.expr(e) // not in parentheses: after IN they would make a list
		return
	case *Column:
		if !field {
			p.expr(e)
			return
		}
	case *Literal:
		if !field || e.Kind == StringLiteral {
			p.expr(e)
			return
		}
	}
	p.put("(")
	p.expr(e)
	p.put(")")
}

func (p *sqlPrinter) expr(e Expr) {
	switch e := e.(type) {
	case *Literal:
		p.put(literalText(e))
	case *Interval:
		p.put("INTERVAL ")
		p.operand(e.Value)
		if e.Unit != "" {
			p.put(" ", e.Unit)
		}
	case *Parameter:
		switch {
		case e.Name == "":
			p.put("$", number(e.Number))
		case strings.Contains(e.Name, "$"):
			p.put("(:", e.Name, ")") // $a$ would start a string, and a bare : a slice
		default:
			p.put("$", e.Name)
		}
	case *Column:
		p.put(dotted(e.Parts))
	case *Star:
		p.star(e)
	case *Unary:
		p.put(e.Op, " ")
		p.operand(e.Operand)
	case *Binary:
		p.operand(e.Left)
		p.put(" ", e.Op, " ")
		p.operand(e.Right)
	case *Logical:
		word := " AND "
		if e.Or {
			word = " OR "
		}
		for i, x := range e.Operands {
			if i > 0 {
				p.put(word)
			}
			p.operand(x)
		}
	case *Is:
		p.operand(e.Operand)
		p.put(" IS ")
		p.flag(e.Not, "NOT")
		p.put([]string{"NULL", "TRUE", "FALSE"}[e.Test])
	case *IsDistinct:
		p.operand(e.Left)
		p.put(" IS ")
		p.flag(e.Not, "NOT")
		p.put("DISTINCT FROM ")
		p.operand(e.Right)
	case *Between:
		p.operand(e.Operand)
		p.put(" ")
		p.flag(e.Not, "NOT")
		p.put("BETWEEN ")
		p.flag(e.Symmetric, "SYMMETRIC")
		p.operand(e.Low)
		p.put(" AND ")
		p.operand(e.High)
	case *In:
		p.in(e)
	case *Like:
		p.operand(e.Operand)
		p.put(" ")
		p.flag(e.Not, "NOT")
		p.put([]string{"LIKE ", "ILIKE ", "SIMILAR TO ", "GLOB "}[e.Op])
		p.operand(e.Pattern)
		if e.Escape != nil {
			p.put(" ESCAPE ")
			p.operand(e.Escape)
		}
	case *Case:
		p.put("CASE")
		p.clause(" ", e.Operand)
		for _, w := range e.Whens {
			p.clause(" WHEN ", w.Condition)
			p.clause(" THEN ", w.Result)
		}
		p.clause(" ELSE ", e.Else)
		p.put(" END")
	case *Cast:
		p.cast(e)
	case *Collate:
		p.operand(e.Operand)
		p.put(" COLLATE ")
		p.name(e.Collation)
	case *AtTimeZone:
		p.operand(e.Operand)
		p.put(" AT TIME ZONE ")
		p.operand(e.Zone)
	case *Call:
		p.call(e)
	case *Lambda:
		p.put("LAMBDA ")
		for i, name := range e.Params {
			p.comma(i)
			p.put(identText(name))
		}
		p.put(" : ")
		p.operand(e.Body)
	case *Subquery:
		p.parenthesised(e.Query)
	case *Exists:
		p.put("EXISTS ")
		p.parenthesised(e.Query)
	case *Quantified:
		p.operand(e.Operand)
		p.put(" ", e.Op, " ")
		if e.All {
			p.put("ALL ")
		} else {
			p.put("ANY ")
		}
		if e.Query != nil {
			p.parenthesised(e.Query)
		} else {
			p.put("(")
			p.expr(e.Value)
			p.put(")")
		}
	case *ArrayQuery:
		p.put("ARRAY ")
		p.parenthesised(e.Query)
	case *Row:
		p.put("ROW(")
		p.exprs(e.Items)
		p.put(")")
	case *List:
		p.put("[")
		p.exprs(e.Items)
		p.put("]")
	case *ListComprehension:
		p.put("[")
		p.expr(e.Result)
		p.put(" FOR ")
		for i, name := range e.Params {
			p.comma(i)
			p.put(identText(name))
		}
		p.put(" IN ")
		p.expr(e.Source)
		p.clause(" IF ", e.Condition)
		p.put("]")
	case *Struct:
		p.put("{")
		for i, f := range e.Fields {
			p.comma(i)
			p.put(identText(f.Name), ": ")
			p.expr(f.Value)
		}
		p.put("}")
	case *Map:
		p.put("MAP {")
		for i, entry := range e.Entries {
			p.comma(i)
			p.expr(entry.Key)
			p.put(": ")
			p.expr(entry.Value)
		}
		p.put("}")
	case *Index:
		p.base(e.Operand, false)
		p.put("[")
		p.expr(e.Index)
		p.put("]")
	case *Slice:
		p.base(e.Operand, false)
		p.put("[")
		p.sliceBound(e.Low)
		p.put(" : ")
		p.sliceBound(e.High)
		if e.Step != nil {
			p.put(" : ")
			p.expr(e.Step)
		}
		p.put("]")
	case *Field:
		p.base(e.Operand, true)
		p.put(".", identText(e.Name))
	case *Unpack:
		p.put("*")
		p.expr(e.Operand)
	case *Default:
		p.put("DEFAULT")
	}
}

// sliceBound writes a bound of a slice, - for one left open.
func (p *sqlPrinter) sliceBound(e Expr) {
	if e == nil {
		p.put("-")
		return
	}
	p.expr(e)
}

func (p *sqlPrinter) in(e *In) {
	p.operand(e.Operand)
	p.put(" ")
	p.flag(e.Not, "NOT")
	p.put("IN ")
	switch {
	case e.Query != nil:
		p.parenthesised(e.Query)
	case e.Value != nil:
		p.expr(e.Value) // parentheses would make it a list
	default:
		p.put("(")
		p.exprs(e.List)
		p.put(")")
	}
}

func (p *sqlPrinter) cast(e *Cast) {
	if e.Literal {
		p.put(typeText(e.Type), " ")
		p.expr(e.Operand)
		return
	}
	if e.Try {
		p.put("TRY_")
	}
	p.put("CAST(")
	p.expr(e.Operand)
	p.put(" AS ", typeText(e.Type), ")")
}

func (p *sqlPrinter) star(s *Star) {
	if len(s.Qualifier) > 0 {
		p.put(dotted(s.Qualifier), ".")
	}
	p.put("*")
	for i, c := range s.Exclude {
		p.put([]string{" EXCLUDE (", ", "}[min(i, 1)], dotted(c.Parts))
	}
	if len(s.Exclude) > 0 {
		p.put(")")
	}
	for i, r := range s.Replace {
		p.put([]string{" REPLACE (", ", "}[min(i, 1)])
		p.expr(r.Expr)
		p.put(" AS ", identText(r.Name))
	}
	if len(s.Replace) > 0 {
		p.put(")")
	}
	for i, r := range s.Rename {
		p.put([]string{" RENAME (", ", "}[min(i, 1)], dotted(r.Column.Parts), " AS ", identText(r.Name))
	}
	if len(s.Rename) > 0 {
		p.put(")")
	}
}

func (p *sqlPrinter) call(x *Call) {
	args := x.Args
	if x.Method && len(args) > 0 {
		p.base(args[0].Expr, true)
		p.put(".")
		args = args[1:]
	}
	p.name(x.Name)
	if x.Bare {
		return
	}
	p.put("(")
	p.flag(x.Distinct, "DISTINCT")
	for i, a := range args {
		p.comma(i)
		if a.Name != nil {
			p.put(identText(*a.Name), " := ")
		}
		// An arrow after a bare name would be read as a lambda.
		if b, ok := a.Expr.(*Binary); ok && b.Op == "->" {
			p.operand(b)
		} else {
			p.expr(a.Expr)
		}
	}
	if len(args) > 0 {
		p.order(" ORDER BY ", x.OrderBy)
	} else {
		p.order("ORDER BY ", x.OrderBy)
	}
	p.put(")")
	p.put([]string{"", " IGNORE NULLS", " RESPECT NULLS"}[x.Nulls])
	if len(x.WithinGroup) > 0 {
		p.order(" WITHIN GROUP (ORDER BY ", x.WithinGroup)
		p.put(")")
	}
	if x.Filter != nil {
		p.clause(" FILTER (WHERE ", x.Filter)
		p.put(")")
	}
	if x.Over != nil {
		p.put(" OVER ")
		p.window(x.Over)
	}
}
