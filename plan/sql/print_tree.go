package sql

import (
	"strconv"
	"strings"
)

// Tree prints a syntax tree as an s-expression: for tests, and for people who ask how a text was read. It is one line, shows
// every part of the tree but positions, and is not meant to be parsed.
func Tree(n Node) string {
	p := treePrinter{}
	p.node(n)
	return p.b.String()
}

// treePrinter writes s-expressions.
type treePrinter struct {
	b     strings.Builder
	space bool // a blank is due before the next word
}

// word writes a word, with a blank before it where one is due.
func (p *treePrinter) word(s string) {
	if p.space {
		p.b.WriteByte(' ')
	}
	p.b.WriteString(s)
	p.space = true
}

// open writes "(" and a head word. Its ")" is close.
func (p *treePrinter) open(head string) {
	p.word("(" + head)
	p.space = head != ""
}

func (p *treePrinter) close() {
	p.b.WriteByte(')')
	p.space = true
}

// list writes (head a b ...).
func (p *treePrinter) list(head string, items ...Expr) {
	p.open(head)
	p.exprs(items)
	p.close()
}

func (p *treePrinter) exprs(items []Expr) {
	for _, e := range items {
		p.expr(e)
	}
}

// optional writes (head x) if x is there.
func (p *treePrinter) optional(head string, x Expr) {
	if x != nil {
		p.list(head, x)
	}
}

func (p *treePrinter) flag(set bool, word string) {
	if set {
		p.word(word)
	}
}

// identText shows a name: quoted if it was, since that can change its meaning.
func identText(id Ident) string {
	if id.Quoted {
		return quoteIdent(id.Name)
	}
	return id.Name
}

func dotted(parts []Ident) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(identText(part))
	}
	return b.String()
}

func (p *treePrinter) names(head string, names []Ident) {
	if len(names) == 0 {
		return
	}
	p.open(head)
	for _, n := range names {
		p.word(identText(n))
	}
	p.close()
}

func (p *treePrinter) node(n Node) {
	switch n := n.(type) {
	case Statement:
		p.statement(n)
	case QueryBody:
		p.body(n)
	case TableExpr:
		p.table(n)
	case Expr:
		p.expr(n)
	case *TypeName:
		p.word(typeText(n))
	}
}

func (p *treePrinter) statement(s Statement) {
	switch s := s.(type) {
	case *Query:
		p.query(s)
	case *Explain:
		p.open("explain")
		p.flag(s.Analyze, "analyze")
		p.flag(s.Format != "", s.Format)
		p.statement(s.Statement)
		p.close()
	case *CreateTable:
		p.open("create-table")
		p.createFlags(s.OrReplace, s.Temporary, s.IfNotExists)
		p.word(dotted(s.Name.Parts))
		for _, c := range s.Columns {
			p.open("column " + identText(c.Name))
			if c.Type != nil {
				p.word(typeText(c.Type))
			}
			p.constraints(c.Constraints)
			p.close()
		}
		p.constraints(s.Constraints)
		if s.As != nil {
			p.query(s.As)
		}
		p.flag(s.WithNoData, "no-data")
		p.close()
	case *CreateView:
		p.open("create-view")
		p.createFlags(s.OrReplace, s.Temporary, s.IfNotExists)
		p.word(dotted(s.Name.Parts))
		p.names("columns", s.Columns)
		p.query(s.Query)
		p.close()
	case *CreateSchema:
		p.open("create-schema")
		p.flag(s.IfNotExists, "if-not-exists")
		p.word(dotted(s.Name.Parts))
		p.close()
	case *Drop:
		p.open("drop-" + []string{"table", "view", "schema"}[s.Kind])
		p.flag(s.IfExists, "if-exists")
		for _, n := range s.Names {
			p.word(dotted(n.Parts))
		}
		p.flag(s.Cascade, "cascade")
		p.close()
	case *Insert:
		p.open("insert")
		p.word(dotted(s.Table.Parts))
		if s.Alias != nil {
			p.list("as " + identText(*s.Alias))
		}
		p.names("columns", s.Columns)
		p.flag(s.ByName, "by-name")
		p.flag(s.DefaultValues, "default-values")
		if s.Query != nil {
			p.query(s.Query)
		}
		p.close()
	case *Copy:
		p.open("copy-" + []string{"to", "from"}[btoi(s.From)])
		if s.Query != nil {
			p.query(s.Query)
		} else {
			p.word(dotted(s.Table.Parts))
			p.names("columns", s.Columns)
		}
		p.word(quoteString(s.Path))
		for _, o := range s.Options {
			p.open(identText(o.Name))
			p.flag(o.List, "list")
			for _, v := range o.Values {
				p.word(quoteString(v))
			}
			p.close()
		}
		p.close()
	case *Update:
		p.open("update")
		p.word(dotted(s.Table.Parts))
		if s.Alias != nil {
			p.list("as " + identText(*s.Alias))
		}
		for _, a := range s.Assignments {
			p.list("set "+identText(a.Column), a.Value)
		}
		p.fromWhere("from", s.From, s.Where)
		p.close()
	case *Delete:
		p.open("delete")
		p.word(dotted(s.Table.Parts))
		if s.Alias != nil {
			p.list("as " + identText(*s.Alias))
		}
		p.fromWhere("using", s.Using, s.Where)
		p.close()
	case *Describe:
		p.open("describe")
		if s.Query != nil {
			p.query(s.Query)
		} else {
			p.table(s.Table)
		}
		p.close()
	case *Show:
		p.open("show-" + []string{"tables", "all-tables", "columns", "schemas", "databases", "settings"}[s.Kind])
		p.flag(len(s.Name.Parts) > 0, dotted(s.Name.Parts))
		p.close()
	case *Set:
		p.open("set")
		p.scope(s.Scope)
		p.word(identText(s.Name))
		p.exprs(s.Values)
		p.close()
	case *Reset:
		p.open("reset")
		p.scope(s.Scope)
		p.word(identText(s.Name))
		p.close()
	}
}

func (p *treePrinter) scope(s Scope) {
	p.flag(s != ScopeDefault, []string{"", "local", "session", "global", "variable"}[s])
}

func (p *treePrinter) createFlags(replace, temporary, ifNotExists bool) {
	p.flag(replace, "or-replace")
	p.flag(temporary, "temporary")
	p.flag(ifNotExists, "if-not-exists")
}

func (p *treePrinter) constraints(list []*Constraint) {
	for _, k := range list {
		p.open([]string{"not-null", "null", "default", "check", "primary-key", "unique", "foreign-key", "generated"}[k.Kind])
		if k.Name != nil {
			p.list("name " + identText(*k.Name))
		}
		if k.Expr != nil {
			p.expr(k.Expr)
		}
		p.names("columns", k.Columns)
		if len(k.RefTable.Parts) > 0 {
			p.word(dotted(k.RefTable.Parts))
			p.names("columns", k.RefColumns)
		}
		p.close()
	}
}

func (p *treePrinter) query(q *Query) {
	if q.With == nil && len(q.OrderBy) == 0 && q.Limit == nil {
		p.body(q.Body)
		return
	}
	p.open("query")
	if q.With != nil {
		p.open("with")
		p.flag(q.With.Recursive, "recursive")
		for i := range q.With.CTEs {
			cte := &q.With.CTEs[i]
			p.open(identText(cte.Name))
			p.names("columns", cte.Columns)
			p.flag(cte.Materialized == Materialized, "materialized")
			p.flag(cte.Materialized == NotMaterialized, "not-materialized")
			p.query(cte.Query)
			p.close()
		}
		p.close()
	}
	p.body(q.Body)
	p.order("order", q.OrderBy)
	if l := q.Limit; l != nil {
		if l.Count != nil {
			p.open("limit")
			p.expr(l.Count)
			p.flag(l.Percent, "percent")
			p.close()
		}
		p.optional("offset", l.Offset)
	}
	p.close()
}

func (p *treePrinter) order(head string, items []OrderItem) {
	if len(items) == 0 {
		return
	}
	p.open(head)
	for _, item := range items {
		plain := item.Direction == DirectionDefault && item.Nulls == NullsDefault
		if !plain {
			p.open("")
		}
		if item.All {
			p.word("ALL")
		} else {
			p.expr(item.Expr)
		}
		p.flag(item.Direction == Ascending, "asc")
		p.flag(item.Direction == Descending, "desc")
		p.flag(item.Nulls == NullsFirst, "nulls-first")
		p.flag(item.Nulls == NullsLast, "nulls-last")
		if !plain {
			p.close()
		}
	}
	p.close()
}

func (p *treePrinter) body(b QueryBody) {
	switch b := b.(type) {
	case *Query:
		p.query(b)
	case *Values:
		p.open("values")
		for _, row := range b.Rows {
			p.list("", row...)
		}
		p.close()
	case *SetOperation:
		var chain []*SetOperation
		var left QueryBody = b
		for {
			op, ok := left.(*SetOperation)
			if !ok {
				break
			}
			chain = append(chain, op)
			left = op.Left
		}
		for _, op := range chain {
			p.open([]string{"union", "intersect", "except"}[op.Op])
			p.flag(op.All, "all")
			p.flag(op.ByName, "by-name")
		}
		p.body(left)
		for i := len(chain) - 1; i >= 0; i-- {
			p.body(chain[i].Right)
			p.close()
		}
	case *Select:
		p.selectBody(b)
	}
}

func (p *treePrinter) selectBody(s *Select) {
	p.open("select")
	switch {
	case len(s.DistinctOn) > 0:
		p.list("distinct-on", s.DistinctOn...)
	case s.Distinct:
		p.word("distinct")
	}
	for _, item := range s.Items {
		if item.Alias == nil {
			p.expr(item.Expr)
			continue
		}
		p.open("as " + identText(*item.Alias))
		p.expr(item.Expr)
		p.close()
	}
	p.fromWhere("from", s.From, s.Where)
	if g := s.GroupBy; g != nil {
		p.open("group")
		p.flag(g.All, "ALL")
		p.groupElements(g.Elements)
		p.close()
	}
	p.optional("having", s.Having)
	for _, w := range s.Windows {
		p.open("window " + identText(w.Name))
		p.window(w.Window)
		p.close()
	}
	p.optional("qualify", s.Qualify)
	p.sample(s.Sample)
	p.close()
}

// fromWhere writes the tables behind a keyword and the condition.
func (p *treePrinter) fromWhere(keyword string, from TableExpr, where Expr) {
	if from != nil {
		p.open(keyword)
		p.table(from)
		p.close()
	}
	p.optional("where", where)
}

func (p *treePrinter) groupElements(elements []GroupElement) {
	for _, e := range elements {
		switch {
		case e.Kind != GroupExprs:
			p.open([]string{"", "rollup", "cube", "grouping-sets"}[e.Kind])
			p.groupElements(e.Elements)
			p.close()
		case len(e.Exprs) == 1:
			p.expr(e.Exprs[0])
		default:
			p.list("", e.Exprs...)
		}
	}
}

func (p *treePrinter) sample(s *Sample) {
	if s == nil {
		return
	}
	p.open("sample")
	p.word(s.Amount)
	p.word([]string{"percent", "rows"}[s.Unit])
	p.flag(s.Method != "", s.Method)
	p.flag(s.Seed != "", "seed "+s.Seed)
	p.close()
}

func (p *treePrinter) table(t TableExpr) {
	switch t := t.(type) {
	case *TableName:
		p.source(t.Alias, t.Sample, func() { p.word(dotted(t.Name.Parts)) })
	case *TableFile:
		p.source(t.Alias, t.Sample, func() { p.word("(file " + quoteString(t.Path) + ")") })
	case *TableFunction:
		p.source(t.Alias, t.Sample, func() {
			p.open("table-function")
			p.flag(t.Lateral, "lateral")
			p.expr(t.Call)
			p.flag(t.Ordinality, "with-ordinality")
			p.close()
		})
	case *DerivedTable:
		p.source(t.Alias, t.Sample, func() {
			if t.Lateral {
				p.open("lateral")
			}
			p.query(t.Query)
			if t.Lateral {
				p.close()
			}
		})
	case *AliasedJoin:
		p.source(t.Alias, t.Sample, func() { p.table(t.Table) })
	case *Join:
		p.joins(t)
	}
}

// source writes a table, or (as name (columns ...) table (sample ...)).
func (p *treePrinter) source(alias *TableAlias, sample *Sample, table func()) {
	if alias == nil && sample == nil {
		table()
		return
	}
	if alias != nil {
		p.open("as " + identText(alias.Name))
		p.names("columns", alias.Columns)
	} else {
		p.open("sampled")
	}
	table()
	p.sample(sample)
	p.close()
}

func joinName(j *Join) string {
	name := []string{"inner-join", "left-join", "right-join", "full-join", "cross-join", "semi-join", "anti-join", "positional-join"}[j.Kind]
	if j.Natural {
		return "natural-" + name
	}
	if j.AsOf {
		return "asof-" + name
	}
	return name
}

func (p *treePrinter) joins(j *Join) {
	var chain []*Join
	var left TableExpr = j
	for {
		x, ok := left.(*Join)
		if !ok {
			break
		}
		chain = append(chain, x)
		p.open(joinName(x))
		left = x.Left
	}
	p.table(left)
	for i := len(chain) - 1; i >= 0; i-- {
		x := chain[i]
		p.table(x.Right)
		p.optional("on", x.On)
		p.names("using", x.Using)
		p.close()
	}
}

func (p *treePrinter) window(w *Window) {
	if w.Base != nil {
		p.word(identText(*w.Base))
	}
	if w.NameOnly {
		return
	}
	if len(w.PartitionBy) > 0 {
		p.list("partition", w.PartitionBy...)
	}
	p.order("order", w.OrderBy)
	if f := w.Frame; f != nil {
		p.open([]string{"rows", "range", "groups"}[f.Unit])
		p.bound(f.Start)
		p.bound(f.End)
		p.flag(f.Exclude != ExcludeNoOthers, []string{"", "exclude-current-row", "exclude-group", "exclude-ties"}[f.Exclude])
		p.close()
	}
}

func (p *treePrinter) bound(b FrameBound) {
	name := []string{"unbounded-preceding", "preceding", "current-row", "following", "unbounded-following"}[b.Kind]
	if b.Offset == nil {
		p.word(name)
		return
	}
	p.list(name, b.Offset)
}

// number writes a number.
func number(n int) string { return strconv.Itoa(n) }
