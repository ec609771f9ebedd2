package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/types"
)

func upper(s string) string { return strings.ToUpper(s) }

// tableRefs reads what follows FROM: table references separated by commas.
func (r *rewriter) tableRefs() {
	joins := 0
	r.list(func() { r.tableRef(&joins) })
}

// join is a join operator that has been read.
type join struct {
	Join
	words       int  // number of its keywords
	conditional bool // ON or USING must follow
}

// joinAhead recognises a join operator. Its words are no reserved names: only the JOIN at the end decides.
func (r *rewriter) joinAhead() (join, bool) {
	var j join
	word := func() string { return r.peek(j.words).word }
	skip := func(w string) bool {
		if word() != w {
			return false
		}
		j.words++
		return true
	}
	j.conditional = true
	if skip("natural") {
		j.Natural, j.conditional = true, false
	} else if skip("asof") {
		j.AsOf = true
	}
	switch {
	case skip("left"):
		j.Kind = LeftJoin
		if skip("semi") {
			j.Kind = SemiJoin
		} else if skip("anti") {
			j.Kind = AntiJoin
		} else {
			skip("outer")
		}
	case skip("right"):
		j.Kind = RightJoin
		skip("outer")
	case skip("full"):
		j.Kind = FullJoin
		skip("outer")
	case skip("semi"):
		j.Kind = SemiJoin
	case skip("anti"):
		j.Kind = AntiJoin
	case skip("inner"):
	case j.Natural, j.AsOf:
	case skip("cross"):
		j.Kind, j.conditional = CrossJoin, false
	case skip("positional"):
		j.Kind, j.conditional = PositionalJoin, false
	}
	return j, skip("join")
}

// tableRef reads a table and the joins behind it. Every join is written as LEFT JOIN ... ON carrier(...): those without a
// condition at once, the others where their condition stands. The condition belongs to the innermost join that waits for
// one, as in a JOIN b JOIN c ON x ON y.
func (r *rewriter) tableRef(joins *int) {
	type waiting struct {
		join  join
		first int
	}
	var open []waiting
	r.tableFactor()
	for r.err == nil {
		if j, ok := r.joinAhead(); ok {
			if *joins++; *joins > maxJoins {
				r.failAt(types.CodeTooComplex, r.pos, "more than %d joins in one FROM", maxJoins)
				return
			}
			first := r.pos
			r.pos += j.words
			r.emit("LEFT JOIN", first)
			r.tableFactor()
			if j.conditional {
				open = append(open, waiting{j, first})
			} else {
				r.joinCondition(j, first)
			}
			continue
		}
		if len(open) == 0 || !r.is("on") && !(r.is("using") && r.peek(1).word == "(") {
			break
		}
		w := open[len(open)-1]
		open = open[:len(open)-1]
		r.joinCondition(w.join, w.first)
	}
	if len(open) > 0 {
		r.syntaxError(r.pos)
		r.hint("A join needs a condition: ON or USING. Write CROSS JOIN for all pairs.")
	}
}

// joinCondition reads and writes the condition of a join.
func (r *rewriter) joinCondition(j join, first int) {
	node := j.Join
	r.emit("ON", r.pos)
	c := r.open(first, &node)
	if j.conditional {
		if r.accept("on") {
			c.arg(into(&node.On), r.expr)
		} else {
			r.expect("using")
			node.Using = r.nameList()
		}
	}
	c.close()
}

// tableFactor reads one table, with its alias and sample.
func (r *rewriter) tableFactor() {
	if !r.enter() {
		return
	}
	defer r.leave()
	first := r.pos
	lateral := r.is("lateral") && r.peek(1).kind != tokenEnd
	if lateral {
		r.pos++
	}
	switch t := r.tok(); {
	case t.query:
		d := &DerivedTable{Lateral: lateral}
		r.subquery()
		r.tableSuffix(&d.Alias, &d.Sample)
		r.derived(first, intoQuery(&d.Query), d)
	case lateral && t.word == "(":
		r.pos++
		r.syntaxError(r.pos)
	case r.is("values") && r.peek(1).word == "(":
		d := &DerivedTable{}
		r.emit("(", r.pos)
		r.valuesOnly()
		r.emit(")", r.pos)
		r.tableSuffix(&d.Alias, &d.Sample)
		r.derived(first, intoQuery(&d.Query), d)
	case t.word == "(":
		r.parenthesisedJoin()
	case t.kind == tokenString:
		f := &TableFile{Path: t.text}
		r.pos++
		r.tableSuffix(&f.Alias, &f.Sample)
		r.namedTable(first, f)
	case r.is("pivot", "unpivot"): // a table of that name is written in quotes
		r.notSupported(r.pos, upper(t.word))
	default:
		name := r.objectName()
		if r.is("(") {
			r.tableFunction(first, lateral, name)
			return
		}
		if lateral {
			r.syntaxError(r.pos)
			return
		}
		n := &TableName{Name: name}
		r.tableSuffix(&n.Alias, &n.Sample)
		r.namedTable(first, n)
	}
}

// namedTable writes a table whose node is known: its name is the carrier.
func (r *rewriter) namedTable(first int, node unplaced) {
	name, _ := r.carrier(mark{first: first, last: max(first, r.pos-1), node: node})
	r.emit(name, first)
}

// derived writes the name of a parenthesised query that has just been written: a carrier with the query as its argument.
func (r *rewriter) derived(first int, slot func(Expr), node unplaced) {
	name, _ := r.carrier(mark{first: first, last: max(first, r.pos-1), slots: []func(Expr){slot}, node: node})
	r.emit("AS "+name, first)
}

// valuesOnly reads VALUES without the ORDER BY that a query could have.
func (r *rewriter) valuesOnly() {
	first := r.pos
	q := &Query{}
	r.values()
	r.emit("ORDER BY", first)
	r.leaf(first, q)
}

// parenthesisedJoin reads "(" table reference ")", which may have a name of its own.
func (r *rewriter) parenthesisedJoin() {
	first, piece, joins := r.pos, len(r.out.pieces), 0
	if w := r.peek(1).word; isOneOf(w, []string{"describe", "show", "summarize"}) && r.peek(2).kind != tokenSymbol {
		r.notSupported(r.pos+1, upper(w)+" in FROM")
		return
	}
	r.copy()
	r.tableRef(&joins)
	r.expectCopy(")")
	a := &AliasedJoin{}
	r.tableSuffix(&a.Alias, &a.Sample)
	if a.Alias == nil && a.Sample == nil || r.err != nil {
		return
	}
	// The grammar allows no name here: wrap it as (SELECT ... FROM (join)) AS name.
	name, number := r.carrier(mark{first: first, last: r.pos - 1, node: &Select{}})
	q := &Query{}
	r.out.prepend(piece, "(SELECT "+name+"() FROM ")
	r.emit("ORDER BY", r.marks[number].last)
	r.leaf(first, q)
	r.emit(")", r.marks[number].last)
	r.derived(first, func(e Expr) { a.Table = e.(*Subquery).Query.Body.(*Select).From }, a)
}

// tableFunction reads the arguments of a table function. It is written as a subquery with the call as its select list.
func (r *rewriter) tableFunction(first int, lateral bool, name ObjectName) {
	f := &TableFunction{Lateral: lateral}
	q := &Query{}
	sel := &Select{Items: make([]SelectItem, 1)}
	start := r.pos - 2*len(name.Parts) + 1
	r.emit("(SELECT", first)
	c := r.open(start, sel)
	c.arg(into(&sel.Items[0].Expr), func() { r.call(start, name) })
	c.close()
	r.emit("ORDER BY", first)
	r.leaf(first, q)
	r.emit(")", first)
	f.Ordinality = r.accept("with", "ordinality")
	r.tableSuffix(&f.Alias, &f.Sample)
	r.derived(first, func(e Expr) {
		f.Call = e.(*Subquery).Query.Body.(*Select).Items[0].Expr.(*Call)
	}, f)
}

// tableSuffix reads what may follow a table: an alias with column names, and a sample.
func (r *rewriter) tableSuffix(alias **TableAlias, sample **Sample) {
	if r.is("tablesample") {
		r.pos++
		*sample = r.sampleClause(r.pos - 1)
	}
	*alias = r.tableAlias()
	if r.is("tablesample") && *sample == nil {
		r.pos++
		*sample = r.sampleClause(r.pos - 1)
	}
	switch {
	case r.is("pivot", "unpivot") && r.peek(1).kind != tokenEnd:
		r.notSupported(r.pos, upper(r.tok().word))
	case r.is("match_recognize"):
		r.notSupported(r.pos, "MATCH_RECOGNIZE")
	case r.is("for") && r.peek(1).word == "system_time":
		r.notSupported(r.pos, "FOR SYSTEM_TIME")
	}
}

// tableAlias reads [AS] name [(column, ...)].
func (r *rewriter) tableAlias() *TableAlias {
	first := r.pos
	if r.accept("as") {
		if r.tok().kind != tokenWord && r.tok().kind != tokenQuoted {
			r.syntaxError(r.pos)
			return nil
		}
	} else {
		t := r.tok()
		if t.kind != tokenQuoted && (t.kind != tokenWord || reserved[t.word] || noTableAlias[t.word]) {
			return nil
		}
		if _, ok := r.joinAhead(); ok {
			return nil
		}
	}
	a := &TableAlias{Name: r.label()}
	if r.is("(") {
		if k := r.peek(2).kind; k == tokenWord || k == tokenQuoted {
			r.notSupported(r.pos+2, "a type in a column alias list")
			return nil
		}
		a.Columns = r.nameList()
	}
	a.Span = r.spanFrom(first)
	return a
}
