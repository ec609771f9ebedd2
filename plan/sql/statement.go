package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// statement reads one statement. A query goes to the parser whole; of any other statement the shell is read by hand, and the
// queries and expressions in it become arguments of c, which the parser sees as one SELECT list. set gets the finished node.
func (r *rewriter) statement(c *construct, set func(Statement)) {
	if !r.enter() {
		return
	}
	defer r.leave()
	first := r.pos
	t := r.tok()
	switch {
	case t.query || startsQuery(r.toks, r.pos):
		c.arg(func(e Expr) { set(e.(*Subquery).Query) }, r.bareQuery)
		return
	case t.kind != tokenWord:
		r.syntaxError(r.pos)
		return
	}
	switch t.word {
	case "explain":
		r.explain(c, set)
	case "create":
		r.create(c, set)
	case "drop":
		r.drop(set)
	case "insert":
		r.insert(c, set)
	case "copy":
		r.copyStatement(c, set)
	case "update":
		r.update(c, set)
	case "delete":
		r.delete(c, set)
	case "describe", "desc":
		r.describe(c, set)
	case "show":
		r.show(set)
	case "set":
		r.set(c, set)
	case "reset":
		r.pos++
		n := &Reset{Scope: r.scope()}
		n.Name = r.settingName()
		n.Span = r.spanFrom(first)
		set(n)
	default:
		if unsupportedStatements[t.word] {
			r.notSupported(r.pos, upper(t.word))
			return
		}
		r.syntaxError(r.pos)
	}
}

// unsupportedStatements are statements that SQL or DuckDB have and that we do not parse yet.
var unsupportedStatements = wordSet(`abort alter analyze attach begin call checkpoint comment commit deallocate detach
	end execute export force grant import install load merge pivot pivot_longer pivot_wider pragma prepare release replace
	revoke rollback savepoint start summarize truncate unpivot use vacuum`)

// explain reads EXPLAIN [ANALYZE] [(option, ...)] statement.
func (r *rewriter) explain(c *construct, set func(Statement)) {
	first := r.pos
	n := &Explain{}
	r.pos++
	n.Analyze = r.accept("analyze")
	if r.is("(") && !r.tok().query {
		r.pos++
		for r.err == nil {
			at := r.pos
			switch option := r.label(); upper(option.Name) {
			case "ANALYZE":
				n.Analyze = !r.accept("false")
				if n.Analyze {
					r.accept("true")
				}
			case "FORMAT":
				n.Format = upper(r.tok().text)
				if k := r.tok().kind; k != tokenWord && k != tokenQuoted && k != tokenString {
					r.syntaxError(r.pos)
				} else {
					r.pos++
				}
			default:
				r.failAt(types.CodeSyntax, at, "unrecognized EXPLAIN option \"%s\"", option.Name)
			}
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	}
	r.statement(c, func(s Statement) { n.Statement = s })
	n.Span = r.spanFrom(first)
	set(n)
}

// create reads CREATE TABLE, VIEW and SCHEMA.
func (r *rewriter) create(c *construct, set func(Statement)) {
	first := r.pos
	r.pos++
	replace := r.accept("or", "replace")
	temporary := r.accept("temp") || r.accept("temporary")
	at := r.pos
	ifNotExists := func() bool { return r.accept("if", "not", "exists") }
	switch {
	case r.accept("table"):
		n := &CreateTable{OrReplace: replace, Temporary: temporary, IfNotExists: ifNotExists()}
		r.createTable(c, n)
		n.Span = r.spanFrom(first)
		set(n)
	case r.accept("view"):
		n := &CreateView{OrReplace: replace, Temporary: temporary, IfNotExists: ifNotExists(), Name: r.objectName()}
		if r.is("(") {
			n.Columns = r.nameList()
		}
		r.expect("as")
		r.queryArgument(c, &n.Query)
		n.Span = r.spanFrom(first)
		set(n)
	case r.is("schema") && !replace && !temporary:
		r.pos++
		n := &CreateSchema{IfNotExists: ifNotExists(), Name: r.objectName()}
		n.Span = r.spanFrom(first)
		set(n)
	case r.is("unique", "index", "sequence", "database", "function", "macro", "type", "materialized", "external", "recursive",
		"secret", "unlogged", "extension", "trigger", "role", "user", "persistent"):
		r.notSupported(at, "CREATE "+upper(r.tok().word))
	default:
		r.syntaxError(r.pos)
	}
}

// queryArgument reads a query as an argument of c.
func (r *rewriter) queryArgument(c *construct, target **Query) {
	if !r.tok().query && !startsQuery(r.toks, r.pos) {
		r.syntaxError(r.pos)
		return
	}
	c.arg(func(e Expr) { *target = e.(*Subquery).Query }, r.bareQuery)
}

// createTable reads what follows CREATE TABLE.
func (r *rewriter) createTable(c *construct, n *CreateTable) {
	n.Name = r.objectName()
	if r.is("(") && !r.tok().query {
		r.pos++
		for r.err == nil {
			if r.is("constraint", "primary", "unique", "check", "foreign") {
				n.Constraints = append(n.Constraints, r.constraint(c, true))
			} else {
				n.Columns = append(n.Columns, r.columnDef(c))
			}
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	}
	if r.is("partition", "partitioned", "inherits", "using", "on", "tablespace") || r.is("with") && r.peek(1).word == "(" {
		r.notSupported(r.pos, upper(r.tok().word)+" of CREATE TABLE")
		return
	}
	if r.accept("as") {
		r.queryArgument(c, &n.As)
		switch {
		case r.accept("with", "no", "data"):
			n.WithNoData = true
		case r.accept("with", "data"):
		}
	} else if len(n.Columns) == 0 {
		r.syntaxError(r.pos)
	}
}

// columnDef reads a column of CREATE TABLE. Without a type it is a name for a column of AS.
func (r *rewriter) columnDef(c *construct) ColumnDef {
	first := r.pos
	d := ColumnDef{Name: r.name()}
	if !r.is(",", ")", "generated", "as") && !r.startsConstraint() {
		d.Type = r.typeName()
	}
	for r.startsConstraint() || r.is("as") {
		d.Constraints = append(d.Constraints, r.constraint(c, false))
	}
	d.Span = r.spanFrom(first)
	return d
}

func (r *rewriter) startsConstraint() bool {
	return r.is("constraint", "not", "null", "default", "check", "primary", "unique", "references", "generated", "collate")
}

// constraint reads one constraint of a column or of the table.
func (r *rewriter) constraint(c *construct, ofTable bool) *Constraint {
	first := r.pos
	k := &Constraint{}
	if r.accept("constraint") {
		name := r.name()
		k.Name = &name
	}
	expression := func() {
		c.arg(into(&k.Expr), r.expr)
	}
	switch {
	case r.accept("check"):
		k.Kind = ConstraintCheck
		r.expect("(")
		expression()
		r.expect(")")
	case r.accept("primary", "key"):
		k.Kind = ConstraintPrimaryKey
		if ofTable {
			k.Columns = r.nameList()
		}
	case r.accept("unique"):
		k.Kind = ConstraintUnique
		if ofTable {
			k.Columns = r.nameList()
		}
	case ofTable && r.accept("foreign", "key"):
		k.Kind = ConstraintForeignKey
		k.Columns = r.nameList()
		r.expect("references")
		r.references(k)
	case ofTable:
		r.syntaxError(r.pos)
	case r.accept("references"):
		k.Kind = ConstraintForeignKey
		r.references(k)
	case r.accept("not", "null"):
	case r.accept("null"):
		k.Kind = ConstraintNull
	case r.accept("default"):
		k.Kind = ConstraintDefault
		c.arg(into(&k.Expr), func() { r.sequence(levelBit) })
	case r.is("generated", "as"):
		k.Kind = ConstraintGenerated
		if r.accept("generated") {
			if !r.accept("always") {
				r.notSupported(r.pos, "GENERATED BY DEFAULT")
			}
		}
		r.expect("as")
		if r.is("identity") {
			r.notSupported(r.pos, "an identity column")
		}
		r.expect("(")
		expression()
		r.expect(")")
		if r.is("stored") {
			r.notSupported(r.pos, "a STORED generated column")
		}
		r.accept("virtual")
	case r.is("collate"):
		r.notSupported(r.pos, "COLLATE of a column")
	default:
		r.syntaxError(r.pos)
	}
	k.Span = r.spanFrom(first)
	return k
}

// references reads the table and columns of a foreign key.
func (r *rewriter) references(k *Constraint) {
	k.RefTable = r.objectName()
	if r.is("(") {
		k.RefColumns = r.nameList()
	}
	if r.is("on", "match", "deferrable", "initially") {
		r.notSupported(r.pos, upper(r.tok().word)+" of a foreign key")
	}
}

// drop reads DROP.
func (r *rewriter) drop(set func(Statement)) {
	first := r.pos
	n := &Drop{}
	r.pos++
	switch {
	case r.accept("table"):
	case r.accept("view"):
		n.Kind = ObjectView
	case r.accept("schema"):
		n.Kind = ObjectSchema
	case r.is("index", "sequence", "database", "function", "macro", "type", "materialized", "secret"):
		r.notSupported(r.pos, "DROP "+upper(r.tok().word))
	default:
		r.syntaxError(r.pos)
	}
	n.IfExists = r.accept("if", "exists")
	for {
		n.Names = append(n.Names, r.objectName())
		if !r.accept(",") {
			break
		}
	}
	if !r.accept("restrict") {
		n.Cascade = r.accept("cascade")
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// insert reads INSERT.
func (r *rewriter) insert(c *construct, set func(Statement)) {
	first := r.pos
	n := &Insert{}
	r.pos++
	if r.is("or") {
		r.notSupported(r.pos, "INSERT OR "+upper(r.peek(1).text))
	}
	r.expect("into")
	n.Table = r.objectName()
	if r.accept("as") {
		name := r.name()
		n.Alias = &name
	}
	if r.is("(") && !r.tok().query {
		n.Columns = r.nameList()
	}
	switch {
	case r.accept("by", "name"):
		n.ByName = true
	case r.accept("by", "position"):
	}
	if r.accept("default", "values") {
		n.DefaultValues = true
	} else {
		r.queryArgument(c, &n.Query)
	}
	switch {
	case r.is("on"):
		r.notSupported(r.pos, "INSERT ... ON "+upper(r.peek(1).text))
	case r.is("returning"):
		r.notSupported(r.pos, "RETURNING")
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// copyStatement reads COPY.
func (r *rewriter) copyStatement(c *construct, set func(Statement)) {
	first := r.pos
	n := &Copy{}
	r.pos++
	query := r.tok().query // n.Query is known later only
	if query {
		r.pos++
		r.queryArgument(c, &n.Query)
		r.expect(")")
	} else {
		n.Table = r.objectName()
		if r.is("(") {
			n.Columns = r.nameList()
		}
	}
	switch {
	case r.accept("to"):
	case !query && r.is("from"):
		n.From = true
		r.pos++
	default:
		r.syntaxError(r.pos)
		return
	}
	switch {
	case r.is("stdin", "stdout", "program"):
		r.notSupported(r.pos, "COPY with "+upper(r.tok().text))
		return
	case r.tok().kind != tokenString:
		r.syntaxError(r.pos)
		r.hint("COPY needs the path of a file in single quotes.")
		return
	}
	n.Path = r.tok().text
	r.pos++
	n.PathSpan = r.spanFrom(r.pos - 1)
	r.accept("with")
	if r.accept("(") {
		for r.err == nil {
			n.Options = append(n.Options, r.copyOption())
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	} else {
		for r.err == nil && r.tok().kind == tokenWord {
			n.Options = append(n.Options, r.oldCopyOption())
		}
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// oldCopyOption reads an option as PostgreSQL had it: WITH CSV HEADER DELIMITER AS '|' FORCE QUOTE a, b.
func (r *rewriter) oldCopyOption() CopyOption {
	first := r.pos
	o := CopyOption{Name: r.label()}
	name := strings.ToLower(o.Name.Name)
	switch {
	case name == "force":
		if o.Name.Name = "force_quote"; !r.accept("quote") {
			r.expect("not", "null")
			o.Name.Name = "force_not_null"
		}
		o.List = true
		o.Values = append(o.Values, r.copyValue())
		for r.accept(",") {
			o.Values = append(o.Values, r.copyValue())
		}
	case isOneOf(name, []string{"csv", "parquet", "json", "arrow"}):
		o.Values, o.Name.Name = []string{name}, "format"
	case r.accept("as") || r.tok().kind == tokenString:
		if r.tok().kind != tokenString {
			r.syntaxError(r.pos)
		}
		o.Values = []string{r.copyValue()}
	}
	o.Span = r.spanFrom(first)
	return o
}

// copyOption reads NAME, NAME value or NAME (value, ...).
func (r *rewriter) copyOption() CopyOption {
	first := r.pos
	o := CopyOption{Name: r.label()}
	r.accept("=")
	switch {
	case r.accept("("):
		o.List = true
		for r.err == nil {
			o.Values = append(o.Values, r.copyValue())
			if !r.accept(",") {
				break
			}
		}
		r.expect(")")
	case !r.is(",") && !r.is(")"):
		o.Values = []string{r.copyValue()}
	}
	o.Span = r.spanFrom(first)
	return o
}

func (r *rewriter) copyValue() string {
	sign := ""
	if r.accept("-") {
		sign = "-"
	}
	t := r.tok()
	switch t.kind {
	case tokenString, tokenWord, tokenQuoted, tokenInteger, tokenDecimal, tokenFloat:
	default:
		if t.word != "*" {
			r.syntaxError(r.pos)
		}
	}
	r.pos++
	return sign + t.text
}

// update reads UPDATE. Values, FROM and WHERE become those of a SELECT, which is an argument of c.
func (r *rewriter) update(c *construct, set func(Statement)) {
	first := r.pos
	n := &Update{}
	r.pos++
	n.Table = r.objectName()
	n.Alias = r.targetAlias()
	r.expect("set")
	r.changes(c, func(sel *Select) { n.From, n.Where = sel.From, sel.Where }, "from", func(values *construct) {
		for {
			start, i := r.pos, len(n.Assignments)
			if r.is("(") {
				r.notSupported(r.pos, "SET with a list of columns")
				return
			}
			n.Assignments = append(n.Assignments, Assignment{Column: r.name()})
			r.expect("=")
			values.arg(func(e Expr) { n.Assignments[i].Value = e }, r.exprOrDefault)
			n.Assignments[i].Span = r.spanFrom(start)
			if !r.accept(",") {
				return
			}
		}
	})
	n.Span = r.spanFrom(first)
	set(n)
}

// delete reads DELETE.
func (r *rewriter) delete(c *construct, set func(Statement)) {
	first := r.pos
	n := &Delete{}
	r.pos++
	r.expect("from")
	n.Table = r.objectName()
	n.Alias = r.targetAlias()
	r.changes(c, func(sel *Select) { n.Using, n.Where = sel.From, sel.Where }, "using", func(*construct) {})
	n.Span = r.spanFrom(first)
	set(n)
}

// targetAlias reads [AS] name behind the table of UPDATE and DELETE.
func (r *rewriter) targetAlias() *Ident {
	if !r.accept("as") && (!r.startsName() || r.is("set", "returning")) {
		return nil
	}
	name := r.name()
	return &name
}

// changes reads the rest of UPDATE and DELETE: the values, the other tables behind a keyword, and WHERE. done gets them as
// a Select.
func (r *rewriter) changes(c *construct, done func(*Select), keyword string, values func(*construct)) {
	first := r.pos
	q, sel := &Query{}, &Select{}
	c.arg(func(e Expr) { done(e.(*Subquery).Query.Body.(*Select)) }, func() {
		r.emit("(SELECT", first)
		v := r.open(first, sel)
		values(v)
		v.close()
		if r.accept(keyword) {
			r.emit("FROM", r.pos-1)
			r.tableRefs()
		}
		if r.accept("where") {
			r.emit("WHERE", r.pos-1)
			r.expr()
		}
		r.emit("ORDER BY", first)
		r.leaf(first, q)
		r.emit(")", first)
	})
	if r.is("returning") {
		r.notSupported(r.pos, "RETURNING")
	}
}

// describe reads DESCRIBE of a table or of a query.
func (r *rewriter) describe(c *construct, set func(Statement)) {
	first := r.pos
	n := &Describe{}
	r.pos++
	if r.is("table") && r.peek(1).kind != tokenEnd {
		r.pos++
	}
	switch {
	case r.tok().query || startsQuery(r.toks, r.pos):
		r.queryArgument(c, &n.Query)
	case r.tok().kind == tokenString:
		r.pos++
		n.Table = &TableFile{Span: r.spanFrom(r.pos - 1), Path: r.toks[r.pos-1].text}
	default:
		name := r.objectName()
		n.Table = &TableName{Span: name.Span, Name: name}
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// show reads SHOW.
func (r *rewriter) show(set func(Statement)) {
	first := r.pos
	n := &Show{}
	r.pos++
	switch {
	case r.accept("tables"):
		if r.accept("from") || r.accept("in") {
			n.Name = r.objectName()
		}
	case r.accept("all", "tables"):
		n.Kind = ShowAllTables
	case r.accept("all"):
		n.Kind = ShowSettings
	case r.accept("schemas"):
		n.Kind = ShowSchemas
	case r.accept("databases"):
		n.Kind = ShowDatabases
	default:
		n.Kind = ShowColumns
		if r.accept("columns") && !r.accept("from") {
			r.expect("in")
		}
		n.Name = r.objectName()
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// scope reads the scope of SET and RESET.
func (r *rewriter) scope() Scope {
	if k := r.peek(1).kind; k != tokenWord && k != tokenQuoted {
		return ScopeDefault
	}
	if r.peek(1).word == "to" {
		return ScopeDefault
	}
	switch {
	case r.accept("local"):
		return ScopeLocal
	case r.accept("session"):
		return ScopeSession
	case r.accept("global"):
		return ScopeGlobal
	case r.accept("variable"):
		return ScopeVariable
	}
	return ScopeDefault
}

// settingName reads the name of a setting. TIME ZONE is the setting TimeZone.
func (r *rewriter) settingName() Ident {
	first := r.pos
	if r.accept("time", "zone") {
		return Ident{r.spanFrom(first), "TimeZone", false}
	}
	if r.accept("all") {
		return r.identAt(first)
	}
	return r.name()
}

// set reads SET name = value. The value may be a bare word, even a reserved one such as ON.
func (r *rewriter) set(c *construct, set func(Statement)) {
	first := r.pos
	n := &Set{}
	r.pos++
	n.Scope = r.scope()
	zone := r.sees("time", "zone")
	n.Name = r.settingName()
	if !zone && !r.accept("to") {
		r.expect("=")
	}
	for r.err == nil {
		start := r.pos
		if r.accept("default") || r.tok().kind == tokenWord && reserved[r.tok().word] && r.startsValueWord() {
			at := r.spanFrom(start)
			if r.pos == start {
				r.pos++
				id := r.identAt(start)
				n.Values = append(n.Values, &Column{id.Span, []Ident{id}})
			} else {
				n.Values = append(n.Values, &Default{at})
			}
		} else {
			i := len(n.Values)
			n.Values = append(n.Values, nil)
			c.arg(func(e Expr) { n.Values[i] = e }, r.expr)
		}
		if !r.accept(",") {
			break
		}
	}
	n.Span = r.spanFrom(first)
	set(n)
}

// startsValueWord says whether a reserved word stands alone, as a value of SET.
func (r *rewriter) startsValueWord() bool {
	next := r.peek(1)
	return (next.kind == tokenEnd || next.word == ",") && !isOneOf(r.tok().word, []string{"null", "true", "false"})
}
