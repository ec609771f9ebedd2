package sql

import (
	"github.com/lacunadb/lacuna/types"
)

// subquery reads "(" query ")".
func (r *rewriter) subquery() {
	r.expectCopy("(")
	r.query()
	r.expectCopy(")")
}

// bareQuery reads a query without parentheses and writes it with them.
func (r *rewriter) bareQuery() {
	r.emit("(", r.pos)
	r.query()
	r.emit(")", r.pos)
}

// expectCopy reads and writes a symbol or keyword, which must come next.
func (r *rewriter) expectCopy(word string) {
	if !r.is(word) {
		r.syntaxError(r.pos)
		return
	}
	r.copy()
}

// query reads a query expression. What does not belong to it stays unread. Every query gets a carrier for its ORDER BY and
// LIMIT, and for its place; it is the query's ORDER BY clause.
func (r *rewriter) query() {
	if !r.enter() {
		return
	}
	defer r.leave()
	defer func(saved bool) { r.inCase = saved }(r.inCase)
	r.inCase = false

	first := r.pos
	q := &Query{}
	if r.is("with") {
		r.with(q)
	}
	r.setOperations()
	r.emit("ORDER BY", r.pos)
	c := r.open(first, q)
	if r.accept("order", "by") {
		r.orderItems(c, &q.OrderBy)
	}
	r.limit(c, q)
	if r.is("for") {
		r.notSupported(r.pos, "row locking (FOR ...)")
	}
	c.close()
}

// with reads a WITH clause. The name of each CTE is a carrier; its only argument is the CTE's query.
func (r *rewriter) with(q *Query) {
	first := r.pos
	w := &With{}
	q.With = w
	r.emit("WITH", r.pos)
	r.pos++
	if r.is("recursive") && r.peek(1).word != "as" && r.peek(1).word != "(" {
		w.Recursive = true
		r.copy()
	}
	r.list(func() {
		i, start := len(w.CTEs), r.pos
		cte := CTE{Name: r.name()}
		if r.is("(") {
			cte.Columns = r.nameList()
		}
		if r.is("using") {
			r.notSupported(r.pos, "USING KEY of a recursive CTE")
		}
		r.expect("as")
		switch {
		case r.accept("materialized"):
			cte.Materialized = Materialized
		case r.accept("not", "materialized"):
			cte.Materialized = NotMaterialized
		}
		w.CTEs = append(w.CTEs, cte)
		if r.is("(") && isOneOf(r.peek(1).word, []string{"insert", "update", "delete", "merge"}) {
			r.notSupported(r.pos+1, "a data-modifying statement in WITH")
		}
		name, number := r.carrier(mark{
			first: start,
			slots: []func(Expr){func(e Expr) { w.CTEs[i].Query = e.(*Subquery).Query }},
			node:  &Default{},
		})
		r.emit(name+" AS", start)
		r.subquery()
		r.marks[number].last = r.pos - 1
		w.CTEs[i].Span = r.spanFrom(start)
		if r.is("search", "cycle") {
			r.notSupported(r.pos, "SEARCH and CYCLE of a recursive CTE")
		}
	})
	w.Span = r.spanFrom(first)
	switch {
	case r.is("insert", "update", "delete", "merge"):
		r.notSupported(r.pos, "WITH before a data-modifying statement")
	}
}

// setOperations reads operands and set operators. Between the operands an operator becomes
// UNION ALL SELECT carrier UNION ALL: the grammar has no precedence there, so the converter groups.
func (r *rewriter) setOperations() {
	r.setOperand()
	for n := 1; r.is("union", "intersect", "except") && r.err == nil; n++ {
		if n > maxSetOps {
			r.failAt(types.CodeTooComplex, r.pos, "more than %d set operations in one query", maxSetOps)
			return
		}
		first := r.pos
		op := &SetOperation{}
		switch r.tok().word {
		case "intersect":
			op.Op = Intersect
		case "except":
			op.Op = Except
		}
		r.pos++
		if !r.accept("distinct") {
			op.All = r.accept("all")
		}
		op.ByName = r.accept("by", "name")
		r.emit("UNION ALL SELECT", first)
		r.leaf(first, op)
		r.emit("UNION ALL", first)
		r.setOperand()
	}
}

// setOperand reads one operand of a set operation, or the only body of a query.
func (r *rewriter) setOperand() {
	first := r.pos
	switch {
	case r.is("select", "from"):
		r.selectBody()
	case r.is("values") && r.peek(1).word == "(":
		r.values()
	case r.accept("table"):
		sel := &Select{}
		r.emit("SELECT", first)
		c := r.open(first, sel)
		c.arg(func(e Expr) { sel.Items = []SelectItem{{Span: e.Range(), Expr: e}} }, func() { r.leaf(first, &Star{}) })
		c.close()
		r.emit("FROM", first)
		start := r.pos
		t := &TableName{Name: r.objectName()}
		r.namedTable(start, t)
		c.extend()
	case r.tok().query:
		q := &Query{} // a copy of the query within, with the place of the parentheses
		r.emit("SELECT", first)
		c := r.open(first, q)
		c.arg(func(e Expr) { *q = *e.(*Subquery).Query }, r.subquery)
		c.close()
	default:
		r.syntaxError(r.pos)
	}
}

// values reads VALUES (...), ... . All elements are arguments of one carrier.
func (r *rewriter) values() {
	first := r.pos
	v := &Values{}
	r.emit("SELECT", first)
	c := r.open(first, v)
	r.pos++
	for {
		i := len(v.Rows)
		v.Rows = append(v.Rows, nil)
		r.expect("(")
		for {
			c.arg(func(e Expr) { v.Rows[i] = append(v.Rows[i], e) }, r.exprOrDefault)
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
		if !r.accept(",") {
			break
		}
	}
	c.close()
}

// exprOrDefault reads a value of INSERT or UPDATE.
func (r *rewriter) exprOrDefault() {
	if first := r.pos; r.accept("default") {
		r.leaf(first, &Default{})
		return
	}
	r.expr()
}

// selectBody reads SELECT, or FROM first. Everything but FROM and WHERE is an argument of the only item of the select list
// that is written.
func (r *rewriter) selectBody() {
	first := r.pos
	sel := &Select{}
	var from, where *rope
	readFrom := func() {
		if r.accept("from") {
			from = &rope{}
			r.detached(from, r.tableRefs)
		}
	}

	r.emit("SELECT", first)
	c := r.open(first, sel)
	readFrom()
	if r.accept("select") {
		r.selectList(c, sel)
		if from == nil {
			if r.is("into") {
				r.notSupported(r.pos, "SELECT INTO")
				r.hint("Use CREATE TABLE ... AS SELECT ...")
			}
			readFrom()
		}
	} else if from != nil {
		at := r.spanFrom(first)
		sel.Items = []SelectItem{{Span: at, Expr: &Star{Span: at}}}
	}
	if r.accept("where") {
		where = &rope{}
		r.detached(where, r.expr)
	}
	if r.is("group") {
		r.groupBy(c, sel)
	}
	if r.accept("having") {
		c.arg(into(&sel.Having), r.expr)
	}
	r.windowsAndQualify(c, sel)
	if r.accept("using", "sample") {
		sel.Sample = r.sampleClause(r.pos - 2)
	}
	c.close()
	if from != nil {
		r.emit("FROM", first)
		r.splice(from)
	}
	if where != nil {
		r.emit("WHERE", first)
		r.splice(where)
	}
}

// windowsAndQualify reads WINDOW and QUALIFY in either order.
func (r *rewriter) windowsAndQualify(c *construct, sel *Select) {
	for {
		switch {
		case r.is("window") && sel.Windows == nil:
			r.pos++
			for {
				start := r.pos
				def := WindowDef{Name: r.name(), Window: &Window{}}
				r.expect("as")
				r.windowSpec(c, def.Window)
				def.Span = r.spanFrom(start)
				sel.Windows = append(sel.Windows, def)
				if !r.accept(",") {
					break
				}
			}
		case r.is("qualify") && sel.Qualify == nil:
			r.pos++
			sel.Qualify = &Default{} // holds the place, so that a second one is a syntax error
			c.arg(into(&sel.Qualify), r.expr)
		default:
			return
		}
	}
}

// selectList reads what stands between SELECT and FROM.
func (r *rewriter) selectList(c *construct, sel *Select) {
	if r.accept("distinct") {
		sel.Distinct = true
		if r.accept("on") {
			r.expect("(")
			for {
				c.arg(onto(&sel.DistinctOn), r.expr)
				if !r.accept(",") {
					break
				}
			}
			r.expect(")")
		}
	} else {
		r.accept("all")
	}
	for {
		start, i := r.pos, len(sel.Items)
		sel.Items = append(sel.Items, SelectItem{})
		c.arg(func(e Expr) { sel.Items[i].Expr = e }, r.starOrExpr)
		alias := r.selectAlias()
		sel.Items[i].Alias, sel.Items[i].Span = alias, r.spanFrom(start)
		if !r.accept(",") || r.is("from") { // DuckDB forgives a comma before FROM
			return
		}
	}
}

// selectAlias reads [AS] name, or a string in its place.
func (r *rewriter) selectAlias() *Ident {
	var name Ident
	switch t := r.tok(); {
	case r.accept("as"):
		if r.tok().kind == tokenString {
			r.pos++
			name = r.stringName(r.pos - 1)
		} else {
			name = r.label()
		}
	case t.kind == tokenString && r.pos > 0 && r.toks[r.pos-1].kind != tokenString:
		r.pos++
		name = r.stringName(r.pos - 1)
	case t.kind == tokenQuoted, t.kind == tokenWord && !reserved[t.word] && !noBareAlias[t.word]:
		name = r.label()
	default:
		return nil
	}
	return &name
}

// stringName makes a quoted name of a string token.
func (r *rewriter) stringName(token int) Ident {
	id := r.identAt(token)
	id.Quoted = true
	if id.Name == "" {
		r.failAt(types.CodeSyntax, token, "zero-length name at or near \"''\"")
	}
	return id
}

// groupBy reads GROUP BY.
func (r *rewriter) groupBy(c *construct, sel *Select) {
	first := r.pos
	r.expect("group", "by")
	g := &GroupBy{}
	sel.GroupBy = g
	if r.accept("all") {
		g.All = true
	} else {
		g.Elements = r.groupElements(c)
	}
	g.Span = r.spanFrom(first)
}

func (r *rewriter) groupElements(c *construct) []GroupElement {
	var elements []GroupElement
	for {
		elements = append(elements, *r.groupElement(c))
		if !r.accept(",") {
			return elements
		}
	}
}

// groupElement reads an expression, a parenthesised list, ROLLUP, CUBE or GROUPING SETS. The caller copies the element, but
// the copy shares the array of expressions, which the slots fill later.
func (r *rewriter) groupElement(c *construct) *GroupElement {
	first := r.pos
	e := &GroupElement{}
	if !r.enter() {
		return e
	}
	defer r.leave()
	switch {
	case r.is("rollup", "cube") && r.peek(1).word == "(":
		e.Kind = GroupRollup
		if r.is("cube") {
			e.Kind = GroupCube
		}
		r.pos += 2
		e.Elements = r.groupElements(c)
		r.expect(")")
	case r.accept("grouping", "sets", "("):
		e.Kind = GroupSets
		e.Elements = r.groupElements(c)
		r.expect(")")
	case r.accept("(", ")"):
	case r.is("(") && !r.tok().query && r.endsElement(r.tok().match+1):
		r.pos++
		for {
			r.groupExpr(c, e)
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	default:
		r.groupExpr(c, e)
	}
	e.Span = r.spanFrom(first)
	return e
}

// groupExpr reads one expression of an element.
func (r *rewriter) groupExpr(c *construct, e *GroupElement) {
	i := len(e.Exprs)
	e.Exprs = append(e.Exprs, nil)
	c.arg(func(x Expr) { e.Exprs[i] = x }, r.expr)
}

// endsElement says whether a token ends a GROUP BY element.
func (r *rewriter) endsElement(token int) bool {
	switch t := &r.toks[token]; t.word {
	case ",", ")", "having", "window", "qualify", "order", "limit", "offset", "fetch", "union", "intersect", "except", "using":
		return true
	default:
		return t.kind == tokenEnd
	}
}

// orderItems reads the items of ORDER BY.
func (r *rewriter) orderItems(c *construct, items *[]OrderItem) {
	for {
		start, i := r.pos, len(*items)
		item := OrderItem{}
		*items = append(*items, item)
		if r.is("all") {
			r.pos++
			item.All = true
		} else {
			c.arg(func(e Expr) { (*items)[i].Expr = e }, r.expr)
		}
		switch {
		case r.accept("asc"):
			item.Direction = Ascending
		case r.accept("desc"):
			item.Direction = Descending
		}
		switch {
		case r.accept("nulls", "first"):
			item.Nulls = NullsFirst
		case r.accept("nulls", "last"):
			item.Nulls = NullsLast
		}
		item.Span = r.spanFrom(start)
		(*items)[i] = item
		if !r.accept(",") {
			return
		}
	}
}

// limit reads LIMIT, OFFSET and FETCH, each at most once, in any order.
func (r *rewriter) limit(c *construct, q *Query) {
	first := r.pos
	l := &Limit{}
	var counted, skipped, unlimited bool
	for {
		switch {
		case r.is("limit") && !counted:
			r.pos++
			counted = true
			if unlimited = r.accept("all"); !unlimited {
				r.limitCount(c, l)
			}
		case r.is("offset") && !skipped:
			r.pos++
			skipped = true
			c.arg(into(&l.Offset), r.expr)
			if !r.accept("row") {
				r.accept("rows")
			}
		case r.is("fetch") && !counted:
			counted = true
			r.fetch(c, l)
		default:
			if skipped || counted && !unlimited {
				q.Limit = l
				l.Span = r.spanFrom(first)
			}
			return
		}
	}
}

// limitCount reads the count of LIMIT, a number of rows or a percentage.
func (r *rewriter) limitCount(c *construct, l *Limit) {
	switch r.tok().kind {
	case tokenInteger, tokenDecimal, tokenFloat, tokenParam:
		if r.peek(1).word == "%" && !r.startsOperand(r.pos+2) {
			c.arg(into(&l.Count), r.primary)
			l.Percent = r.accept("%")
			return
		}
	}
	c.arg(into(&l.Count), r.expr)
	l.Percent = r.accept("percent")
	if r.is(",") {
		r.failAt(types.CodeSyntax, r.pos, "LIMIT #,# syntax is not supported")
		r.hint("Use separate LIMIT and OFFSET clauses.")
	}
}

// fetch reads FETCH FIRST n ROWS ONLY.
func (r *rewriter) fetch(c *construct, l *Limit) {
	r.pos++
	if !r.accept("first") {
		r.expect("next")
	}
	if r.is("row", "rows") {
		start := r.pos - 1
		c.arg(into(&l.Count), func() { r.leaf(start, &Literal{Kind: IntegerLiteral, Text: "1"}) })
	} else {
		c.arg(into(&l.Count), r.expr)
		l.Percent = r.accept("percent")
	}
	if !r.accept("row") {
		r.expect("rows")
	}
	if r.is("with") {
		r.notSupported(r.pos, "FETCH ... WITH TIES")
		return
	}
	r.expect("only")
}

// sampleClause reads what follows TABLESAMPLE and USING SAMPLE.
func (r *rewriter) sampleClause(first int) *Sample {
	s := &Sample{}
	if r.tok().kind == tokenWord {
		s.Method = upper(r.tok().text)
		r.pos++
	}
	parens := r.accept("(")
	switch r.tok().kind {
	case tokenInteger, tokenDecimal, tokenFloat:
		s.Amount = r.tok().text
		r.pos++
	default:
		r.syntaxError(r.pos)
	}
	if r.accept("rows") {
		s.Unit = SampleRows
	} else if !r.accept("%") && !r.accept("percent") && (s.Method == "" && !parens || s.Method == "RESERVOIR") {
		s.Unit = SampleRows // USING SAMPLE 10, RESERVOIR(10)
	}
	if parens {
		r.expect(")")
	} else if s.Method == "" && r.accept("(") {
		s.Method = upper(r.label().Name)
		if r.accept(",") {
			s.Seed = r.sampleSeed()
		}
		r.expect(")")
	}
	switch s.Method {
	case "", "BERNOULLI", "SYSTEM", "RESERVOIR":
	default:
		r.failAt(types.CodeInvalidParameter, first, "unrecognized sampling method \"%s\"", s.Method)
		r.hint("The methods are BERNOULLI, SYSTEM and RESERVOIR.")
	}
	if r.accept("repeatable", "(") {
		s.Seed = r.sampleSeed()
		r.expect(")")
	}
	s.Span = r.spanFrom(first)
	return s
}

func (r *rewriter) sampleSeed() string {
	if r.tok().kind != tokenInteger {
		r.syntaxError(r.pos)
		return ""
	}
	r.pos++
	return r.toks[r.pos-1].text
}
