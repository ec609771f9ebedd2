package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// relation is one table of FROM under the name by which expressions call it.
type relation struct {
	node    Node   // where it is written
	schema  string // of a table under its own name; empty under an alias
	name    string // alias, or the table's own name; empty for a subquery without alias
	columns []plan.Column
}

// named reports whether the first parts of a dotted name mean the relation, and how many they are: table, schema.table or database.schema.table.
func (r *relation) named(parts []Ident) (used int, ok bool) {
	if len(parts) > 2 && strings.EqualFold(parts[0].Name, catalog.DatabaseName) {
		if used, ok = r.named(parts[1:]); used == 2 {
			return 3, ok
		}
	}
	switch {
	case strings.EqualFold(r.name, parts[0].Name):
		return 1, true
	case len(parts) > 1 && r.schema != "" && strings.EqualFold(r.schema, parts[0].Name) && strings.EqualFold(r.name, parts[1].Name):
		return 2, true
	}
	return 0, false
}

// visibleColumn is a column as a bare name and * see it: one of a relation, or one that USING made of two.
type visibleColumn struct {
	relation string
	name     string
	expr     *expr.Expr
}

// scope is what names mean at a place: the relations of FROM, the WITH queries in sight, and the scope around it, in which a name is looked up that means
// nothing here.
type scope struct {
	parent    *scope
	relations []relation
	columns   []visibleColumn // in the order of *
	with      *withQuery      // that comes into sight here
	defines   *withQuery      // whose query is bound in this scope

	// left, of a join's right side, is the scope of its left side: not in sight of the join's own expressions, but of derived tables.
	left *scope
	// join is the kind of that join and, in the scope that lateral makes, of the join whose left side the relations are.
	join JoinKind
	// leftSide says that the relations are the left side of a join whose right side is being bound.
	leftSide bool
	// subquery, of the scope around a subquery in an expression, collects what the subquery takes from the scopes further out.
	subquery *subqueryInputs
}

// add makes a relation known.
func (s *scope) add(r relation) {
	s.relations = append(s.relations, r)
	for _, c := range r.columns {
		s.columns = append(s.columns, visibleColumn{relation: r.name, name: c.Name, expr: c.Ref()})
	}
}

// lateral gives the scope around a derived table in FROM: the relations to its left, then what is around the query. DuckDB needs no LATERAL for it.
func (s *scope) lateral() *scope {
	if s == nil {
		return nil
	}
	around := s.parent
	if s.left != nil {
		around = s.left.lateral()
		if around != nil && around.leftSide {
			around.join = s.join
		}
	}
	if len(s.relations) == 0 {
		return around
	}
	return &scope{parent: around, relations: s.relations, columns: s.columns, leftSide: true}
}

// star gives the columns of * or, with a qualifier, of t.*; false when there is no such relation.
func (s *scope) star(qualifier []Ident) ([]visibleColumn, bool) {
	if len(qualifier) == 0 {
		return s.columns, true
	}
	for i := range s.relations {
		r := &s.relations[i]
		if used, ok := r.named(qualifier); ok && used == len(qualifier) {
			only := &scope{}
			only.add(*r)
			return only.columns, true
		}
	}
	return nil, false
}

// columnNames gives all column names in sight, for hints.
func (s *scope) columnNames() []string {
	var names []string
	for ; s != nil; s = s.parent {
		for _, c := range s.columns {
			names = append(names, c.name)
		}
	}
	return names
}

// resolve finds what a dotted name means, in the scope of an expression or else in those around it, and how many of its parts name it: what is left
// over selects fields of a struct. It gives nil when the name means nothing.
func (b *binder) resolve(c *exprContext, n *Column) (e *expr.Expr, used int, err error) {
	var crossed []*subqueryInputs
	var defined []*withQuery
	alias := c.alias
	for s := c.scope; s != nil; s = s.parent {
		e, used, err := b.find(s, n)
		if err != nil {
			return nil, 0, err
		}
		if e != nil && used == 1 && len(n.Parts) > 1 && !hasFields(e.Type) && b.qualifiedAround(s, n) {
			e = nil // a table's column further out, not a field of this column
		}
		if e == nil && len(n.Parts) == 1 && alias != nil {
			if e, err = alias(n.Parts[0].Name); err != nil {
				return nil, 0, err
			}
			used = 1
		}
		if e != nil {
			for _, q := range defined {
				q.correlated = true
			}
			if e.Op == expr.Constant { // a literal's alias is the literal
				return e, used, nil
			}
			e = e.At(n.Start)
			for i := len(crossed) - 1; i >= 0; i-- {
				e = crossed[i].take(b, b.columnName(n), e).At(n.Start)
			}
			return e, used, nil
		}
		alias = nil
		if s.defines != nil {
			defined = append(defined, s.defines)
		}
		if s.subquery != nil {
			crossed = append(crossed, s.subquery)
			alias = s.subquery.around.alias
		}
	}
	return nil, 0, nil
}

// hasFields reports whether a dot may follow a value of a type.
func hasFields(t types.Type) bool {
	switch t.Kind() {
	case types.KindStruct, types.KindUnion, types.KindMap:
		return true
	}
	return false
}

// qualifiedAround reports whether a scope around this one has a relation and column of a dotted name.
func (b *binder) qualifiedAround(s *scope, n *Column) bool {
	for s = s.parent; s != nil; s = s.parent {
		if e, _, err := b.findQualified(s, n); e != nil || err != nil {
			return true
		}
	}
	return false
}

// find is resolve in one scope.
func (b *binder) find(s *scope, n *Column) (e *expr.Expr, used int, err error) {
	if e, used, err = b.findQualified(s, n); e == nil && err == nil {
		var found []visibleColumn
		for _, c := range s.columns {
			if strings.EqualFold(c.name, n.Parts[0].Name) {
				found = append(found, c)
			}
		}
		if len(found) > 1 {
			return nil, 0, b.ambiguous(n, n.Parts[0].Name)
		}
		if len(found) == 1 {
			e, used = found[0].expr, 1
		} else if e, used, err = b.wholeRow(s, n); err != nil {
			return nil, 0, err
		}
	}
	if e == nil || !s.leftSide {
		return e, used, err
	}
	switch s.join {
	case InnerJoin, CrossJoin, LeftJoin:
	default:
		return nil, 0, b.errorAt(n, types.CodeInvalidColumnRef, "invalid reference to column %q of the left side of a join", b.source(n)).
			WithHint("For a LATERAL reference the join must be INNER, CROSS or LEFT.")
	}
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.Column {
			return expr.NewOuterColumn(x.Column, x.Name, x.Type, x.Nullable).At(x.Position)
		}
		return x
	}), used, nil
}

// findQualified finds relation.column, which wins over column.field as in PostgreSQL and DuckDB.
func (b *binder) findQualified(s *scope, n *Column) (*expr.Expr, int, error) {
	if len(n.Parts) == 1 {
		return nil, 0, nil
	}
	for i := range s.relations {
		r := &s.relations[i]
		qualifiers, ok := r.named(n.Parts)
		if !ok || qualifiers == len(n.Parts) {
			continue
		}
		matches := findColumns(r.columns, n.Parts[qualifiers].Name)
		switch len(matches) {
		case 1:
			return matches[0].Ref(), qualifiers + 1, nil
		case 0:
			continue
		}
		return nil, 0, types.ErrorAt(types.CodeAmbiguousColumn, b.text, n.Start, "column reference %q is ambiguous", b.source(n)).
			WithHint("Give the table's columns other names: FROM %s AS %s (...).", types.QuoteIdent(r.name), types.QuoteIdent(r.name))
	}
	return nil, 0, nil
}

// wholeRow finds the name of a relation in the place of a value: its row, a struct with a field for each column. Nil when there is no such relation.
func (b *binder) wholeRow(s *scope, n *Column) (*expr.Expr, int, error) {
	for i := range s.relations {
		r := &s.relations[i]
		used, ok := r.named(n.Parts)
		if !ok || used < len(n.Parts) {
			continue
		}
		fields, names := make([]*expr.Expr, len(r.columns)), make([]string, len(r.columns))
		for j, column := range r.columns {
			fields[j], names[j] = column.Ref(), column.Name
		}
		e, err := b.applyNamed(n, "struct_pack", names, fields)
		return e, used, err
	}
	return nil, 0, nil
}

func (b *binder) ambiguous(n Node, name string) error {
	return b.errorAt(n, types.CodeAmbiguousColumn, "column reference %q is ambiguous", name).
		WithHint("Put the table's name before it.")
}

func findColumns(columns []plan.Column, name string) []plan.Column {
	var found []plan.Column
	for _, c := range columns {
		if strings.EqualFold(c.Name, name) {
			found = append(found, c)
		}
	}
	return found
}

// undefinedColumn makes the error for a name that means nothing here, with the nearest names.
func (b *binder) undefinedColumn(s *scope, n *Column, aliases []string) error {
	name := n.Parts[len(n.Parts)-1].Name
	if len(n.Parts) > 1 {
		table := n.Parts[len(n.Parts)-2].Name
		var names []string
		for around := s; around != nil; around = around.parent {
			for _, r := range around.relations {
				if strings.EqualFold(r.name, table) {
					e := b.errorAt(n, types.CodeUndefinedColumn, "column %s.%s does not exist", table, name)
					e.Hint = catalog.DidYouMean(name, fieldNames(r.columns))
					return e
				}
				if r.name != "" {
					names = append(names, r.name)
				}
			}
		}
		if len(n.Parts) == 2 && !s.hasColumn(table) {
			return b.missingRelation(s, n, table, names)
		}
	}
	name = n.Parts[0].Name
	e := b.errorAt(n, types.CodeUndefinedColumn, "column %q does not exist", name)
	candidates := s.columnNames()
	for _, alias := range aliases {
		if !strings.EqualFold(alias, name) { // that one may not be used here
			candidates = append(candidates, alias)
		}
	}
	e.Hint = catalog.DidYouMean(name, candidates)
	return e
}

// missingRelation makes the error for a table name before a column that no scope in sight has; names are those that they have.
func (b *binder) missingRelation(s *scope, n Node, table string, names []string) error {
	for ; s != nil; s = s.parent {
		for left := s.left; left != nil; left = left.left {
			for _, r := range left.relations {
				if strings.EqualFold(r.name, table) {
					return b.errorAt(n, types.CodeUndefinedTable, "invalid reference to FROM-clause entry for table %q", table).
						WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query: a condition of JOIN ... ON sees only "+
							"the two sides of its join.", r.name)
				}
			}
		}
	}
	e := b.errorAt(n, types.CodeUndefinedTable, "missing FROM-clause entry for table %q", table)
	e.Hint = catalog.DidYouMean(table, names)
	return e
}

// hasColumn reports whether a bare name is a column somewhere in sight.
func (s *scope) hasColumn(name string) bool {
	for _, known := range s.columnNames() {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

func fieldNames(columns []plan.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}
