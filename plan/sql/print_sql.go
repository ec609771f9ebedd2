package sql

import "strings"

// SQL prints a syntax tree as SQL text with every operand that is not simple in parentheses, so that it does not depend on
// precedence. Parsing the text gives the same tree, but for positions and for parentheses around queries.
func SQL(n Node) string {
	p := sqlPrinter{}
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
		return typeText(n)
	}
	return p.b.String()
}

// sqlPrinter writes SQL.
type sqlPrinter struct {
	b strings.Builder
}

func (p *sqlPrinter) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// flag writes a keyword with a blank behind it.
func (p *sqlPrinter) flag(set bool, word string) {
	if set {
		p.put(word, " ")
	}
}

func (p *sqlPrinter) name(n ObjectName) { p.put(dotted(n.Parts)) }

// names writes (a, b).
func (p *sqlPrinter) names(list []Ident) {
	p.put("(")
	for i, n := range list {
		p.comma(i)
		p.put(identText(n))
	}
	p.put(")")
}

func (p *sqlPrinter) comma(i int) {
	if i > 0 {
		p.put(", ")
	}
}

func (p *sqlPrinter) exprs(list []Expr) {
	for i, e := range list {
		p.comma(i)
		p.expr(e)
	}
}

func (p *sqlPrinter) statement(s Statement) {
	switch s := s.(type) {
	case *Query:
		p.query(s)
	case *Explain:
		p.put("EXPLAIN ")
		p.flag(s.Analyze, "ANALYZE")
		if s.Format != "" {
			p.put("(FORMAT ", quoteString(s.Format), ") ")
		}
		p.statement(s.Statement)
	case *CreateTable:
		p.createTable(s)
	case *CreateView:
		p.create(s.OrReplace, s.Temporary, "VIEW", s.IfNotExists, s.Name)
		if len(s.Columns) > 0 {
			p.put(" ")
			p.names(s.Columns)
		}
		p.put(" AS ")
		p.query(s.Query)
	case *CreateSchema:
		p.create(false, false, "SCHEMA", s.IfNotExists, s.Name)
	case *Drop:
		p.put("DROP ", []string{"TABLE ", "VIEW ", "SCHEMA "}[s.Kind])
		p.flag(s.IfExists, "IF EXISTS")
		for i, n := range s.Names {
			p.comma(i)
			p.name(n)
		}
		if s.Cascade {
			p.put(" CASCADE")
		}
	case *Insert:
		p.put("INSERT INTO ")
		p.name(s.Table)
		if s.Alias != nil {
			p.put(" AS ", identText(*s.Alias))
		}
		if len(s.Columns) > 0 {
			p.put(" ")
			p.names(s.Columns)
		}
		if s.ByName {
			p.put(" BY NAME")
		}
		if s.DefaultValues {
			p.put(" DEFAULT VALUES")
		} else {
			p.put(" ")
			p.query(s.Query)
		}
	case *Copy:
		p.copyStatement(s)
	case *Update:
		p.put("UPDATE ")
		p.name(s.Table)
		if s.Alias != nil {
			p.put(" AS ", identText(*s.Alias))
		}
		for i, a := range s.Assignments {
			p.put([]string{" SET ", ", "}[min(i, 1)], identText(a.Column), " = ")
			p.expr(a.Value)
		}
		if s.From != nil {
			p.put(" FROM ")
			p.table(s.From)
		}
		p.clause(" WHERE ", s.Where)
	case *Delete:
		p.put("DELETE FROM ")
		p.name(s.Table)
		if s.Alias != nil {
			p.put(" AS ", identText(*s.Alias))
		}
		if s.Using != nil {
			p.put(" USING ")
			p.table(s.Using)
		}
		p.clause(" WHERE ", s.Where)
	case *Describe:
		p.put("DESCRIBE ")
		if s.Query != nil {
			p.query(s.Query)
		} else {
			p.table(s.Table)
		}
	case *Show:
		p.put("SHOW ", []string{"TABLES", "ALL TABLES", "COLUMNS", "SCHEMAS", "DATABASES", "ALL"}[s.Kind])
		if len(s.Name.Parts) > 0 {
			p.put(" FROM ")
			p.name(s.Name)
		}
	case *Set:
		p.put("SET ", scopeText(s.Scope), identText(s.Name), " = ")
		p.exprs(s.Values)
	case *Reset:
		p.put("RESET ", scopeText(s.Scope), identText(s.Name))
	}
}

func (p *sqlPrinter) copyStatement(s *Copy) {
	p.put("COPY ")
	if s.Query != nil {
		p.parenthesised(s.Query)
	} else {
		p.name(s.Table)
		if len(s.Columns) > 0 {
			p.put(" ")
			p.names(s.Columns)
		}
	}
	p.put([]string{" TO ", " FROM "}[btoi(s.From)], quoteString(s.Path))
	for i, o := range s.Options {
		p.put([]string{" (", ", "}[min(i, 1)], identText(o.Name))
		for k, v := range o.Values {
			p.put([]string{" ", ", "}[min(k, 1)])
			if k == 0 && o.List {
				p.put("(")
			}
			p.put(quoteString(v))
		}
		if o.List {
			p.put(")")
		}
	}
	if len(s.Options) > 0 {
		p.put(")")
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func scopeText(s Scope) string {
	return []string{"", "LOCAL ", "SESSION ", "GLOBAL ", "VARIABLE "}[s]
}

func (p *sqlPrinter) create(replace, temporary bool, kind string, ifNotExists bool, name ObjectName) {
	p.put("CREATE ")
	p.flag(replace, "OR REPLACE")
	p.flag(temporary, "TEMPORARY")
	p.put(kind, " ")
	p.flag(ifNotExists, "IF NOT EXISTS")
	p.name(name)
}

func (p *sqlPrinter) createTable(s *CreateTable) {
	p.create(s.OrReplace, s.Temporary, "TABLE", s.IfNotExists, s.Name)
	if len(s.Columns)+len(s.Constraints) > 0 {
		p.put(" (")
		for i, c := range s.Columns {
			p.comma(i)
			p.put(identText(c.Name))
			if c.Type != nil {
				p.put(" ", typeText(c.Type))
			}
			for _, k := range c.Constraints {
				p.put(" ")
				p.constraint(k)
			}
		}
		for i, k := range s.Constraints {
			p.comma(i + len(s.Columns))
			p.constraint(k)
		}
		p.put(")")
	}
	if s.As != nil {
		p.put(" AS ")
		p.query(s.As)
		if s.WithNoData {
			p.put(" WITH NO DATA")
		}
	}
}

func (p *sqlPrinter) constraint(k *Constraint) {
	if k.Name != nil {
		p.put("CONSTRAINT ", identText(*k.Name), " ")
	}
	switch k.Kind {
	case ConstraintNotNull:
		p.put("NOT NULL")
	case ConstraintNull:
		p.put("NULL")
	case ConstraintDefault:
		p.put("DEFAULT (")
		p.expr(k.Expr)
		p.put(")")
	case ConstraintCheck:
		p.put("CHECK (")
		p.expr(k.Expr)
		p.put(")")
	case ConstraintPrimaryKey:
		p.put("PRIMARY KEY")
	case ConstraintUnique:
		p.put("UNIQUE")
	case ConstraintForeignKey:
		if len(k.Columns) > 0 {
			p.put("FOREIGN KEY")
		}
	case ConstraintGenerated:
		p.put("GENERATED ALWAYS AS (")
		p.expr(k.Expr)
		p.put(")")
	}
	if len(k.Columns) > 0 {
		p.put(" ")
		p.names(k.Columns)
		p.put(" ")
	}
	if k.Kind == ConstraintForeignKey {
		p.put("REFERENCES ")
		p.name(k.RefTable)
		if len(k.RefColumns) > 0 {
			p.put(" ")
			p.names(k.RefColumns)
		}
	}
}

func (p *sqlPrinter) query(q *Query) {
	if w := q.With; w != nil {
		p.put("WITH ")
		p.flag(w.Recursive, "RECURSIVE")
		for i := range w.CTEs {
			cte := &w.CTEs[i]
			p.comma(i)
			p.put(identText(cte.Name))
			if len(cte.Columns) > 0 {
				p.put(" ")
				p.names(cte.Columns)
			}
			p.put(" AS ", []string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[cte.Materialized], "(")
			p.query(cte.Query)
			p.put(")")
		}
		p.put(" ")
	}
	p.body(q.Body)
	p.order(" ORDER BY ", q.OrderBy)
	if l := q.Limit; l != nil {
		if l.Count != nil {
			p.put(" LIMIT ")
			p.operand(l.Count)
			if l.Percent {
				p.put(" PERCENT")
			}
		}
		if l.Offset != nil {
			p.put(" OFFSET ")
			p.operand(l.Offset)
		}
	}
}

// parenthesised writes a query as a value or a table.
func (p *sqlPrinter) parenthesised(q *Query) {
	p.put("(")
	p.query(q)
	p.put(")")
}

func (p *sqlPrinter) order(head string, items []OrderItem) {
	for i, item := range items {
		if i == 0 {
			p.put(head)
		}
		p.comma(i)
		if item.All {
			p.put("ALL")
		} else {
			p.expr(item.Expr)
		}
		p.put([]string{"", " ASC", " DESC"}[item.Direction], []string{"", " NULLS FIRST", " NULLS LAST"}[item.Nulls])
	}
}

func (p *sqlPrinter) body(b QueryBody) {
	switch b := b.(type) {
	case *Query:
		p.parenthesised(b)
	case *Values:
		p.put("VALUES ")
		for i, row := range b.Rows {
			p.comma(i)
			p.put("(")
			p.exprs(row)
			p.put(")")
		}
	case *SetOperation:
		// Without parentheses: the tree has them where they were, as *Query.
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
		p.body(left)
		for i := len(chain) - 1; i >= 0; i-- {
			op := chain[i]
			p.put([]string{" UNION ", " INTERSECT ", " EXCEPT "}[op.Op])
			p.flag(op.All, "ALL")
			p.flag(op.ByName, "BY NAME")
			p.body(op.Right)
		}
	case *Select:
		p.selectBody(b)
	}
}

func (p *sqlPrinter) selectBody(s *Select) {
	p.put("SELECT ")
	p.flag(s.Distinct, "DISTINCT")
	if len(s.DistinctOn) > 0 {
		p.put("ON (")
		p.exprs(s.DistinctOn)
		p.put(") ")
	}
	for i, item := range s.Items {
		p.comma(i)
		p.expr(item.Expr)
		if item.Alias != nil {
			p.put(" AS ", identText(*item.Alias))
		}
	}
	if s.From != nil {
		p.put(" FROM ")
		p.table(s.From)
	}
	p.clause(" WHERE ", s.Where)
	if g := s.GroupBy; g != nil {
		p.put(" GROUP BY ")
		if g.All {
			p.put("ALL")
		}
		p.groupElements(g.Elements)
	}
	p.clause(" HAVING ", s.Having)
	for i, w := range s.Windows {
		p.put([]string{" WINDOW ", ", "}[min(i, 1)], identText(w.Name), " AS ")
		p.window(w.Window)
	}
	p.clause(" QUALIFY ", s.Qualify)
	if s.Sample != nil {
		p.put(" USING SAMPLE ")
		p.sample(s.Sample)
	}
}

// clause writes a keyword and an expression, if it is there.
func (p *sqlPrinter) clause(keyword string, e Expr) {
	if e != nil {
		p.put(keyword)
		p.expr(e)
	}
}

func (p *sqlPrinter) groupElements(elements []GroupElement) {
	for i, e := range elements {
		p.comma(i)
		switch {
		case e.Kind != GroupExprs:
			p.put([]string{"", "ROLLUP (", "CUBE (", "GROUPING SETS ("}[e.Kind])
			p.groupElements(e.Elements)
			p.put(")")
		case len(e.Exprs) == 1:
			p.expr(e.Exprs[0])
		default:
			p.put("(")
			p.exprs(e.Exprs)
			p.put(")")
		}
	}
}

// sample writes what follows TABLESAMPLE.
func (p *sqlPrinter) sample(s *Sample) {
	p.put(s.Method, "(", s.Amount, []string{" PERCENT)", " ROWS)"}[s.Unit])
	if s.Seed != "" {
		p.put(" REPEATABLE (", s.Seed, ")")
	}
}

func (p *sqlPrinter) table(t TableExpr) {
	switch t := t.(type) {
	case *TableName:
		p.name(t.Name)
		p.suffix(t.Alias, t.Sample)
	case *TableFile:
		p.put(quoteString(t.Path))
		p.suffix(t.Alias, t.Sample)
	case *TableFunction:
		p.flag(t.Lateral, "LATERAL")
		p.expr(t.Call)
		if t.Ordinality {
			p.put(" WITH ORDINALITY")
		}
		p.suffix(t.Alias, t.Sample)
	case *DerivedTable:
		p.flag(t.Lateral, "LATERAL")
		p.parenthesised(t.Query)
		p.suffix(t.Alias, t.Sample)
	case *AliasedJoin:
		p.put("(")
		p.table(t.Table)
		p.put(")")
		p.suffix(t.Alias, t.Sample)
	case *Join:
		p.joins(t)
	}
}

func (p *sqlPrinter) suffix(alias *TableAlias, sample *Sample) {
	if alias != nil {
		p.put(" AS ", identText(alias.Name))
		if len(alias.Columns) > 0 {
			p.names(alias.Columns)
		}
	}
	if sample != nil {
		p.put(" TABLESAMPLE ")
		p.sample(sample)
	}
}

func (p *sqlPrinter) joins(j *Join) {
	var chain []*Join
	var left TableExpr = j
	for {
		x, ok := left.(*Join)
		if !ok {
			break
		}
		chain = append(chain, x)
		left = x.Left
	}
	p.table(left)
	for i := len(chain) - 1; i >= 0; i-- {
		x := chain[i]
		p.put(" ")
		p.flag(x.Natural, "NATURAL")
		p.flag(x.AsOf, "ASOF")
		p.put([]string{"INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "POSITIONAL"}[x.Kind], " JOIN ")
		if _, nested := x.Right.(*Join); nested {
			p.put("(")
			p.table(x.Right)
			p.put(")")
		} else {
			p.table(x.Right)
		}
		p.clause(" ON ", x.On)
		if len(x.Using) > 0 {
			p.put(" USING ")
			p.names(x.Using)
		}
	}
}

// window writes what follows OVER.
func (p *sqlPrinter) window(w *Window) {
	if w.NameOnly {
		p.put(identText(*w.Base))
		return
	}
	p.put("(")
	if w.Base != nil {
		p.put(identText(*w.Base), " ")
	}
	if len(w.PartitionBy) > 0 {
		p.put("PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	p.order(" ORDER BY ", w.OrderBy)
	if f := w.Frame; f != nil {
		p.put([]string{" ROWS", " RANGE", " GROUPS"}[f.Unit], " BETWEEN ")
		p.bound(f.Start)
		p.put(" AND ")
		p.bound(f.End)
		p.put([]string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[f.Exclude])
	}
	p.put(")")
}

func (p *sqlPrinter) bound(b FrameBound) {
	if b.Offset != nil {
		p.operand(b.Offset)
		p.put(" ")
	}
	p.put([]string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind])
}
