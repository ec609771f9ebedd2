package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// relation is one table of FROM under the name by which expressions call it.
type relation struct {
	schema  string // of a table under its own name; empty under an alias
	name    string // alias, or the table's own name; empty for a subquery without alias
	columns []plan.Column
}

// named reports whether the first parts of a dotted name mean the relation, and how many they are: table or schema.table.
func (r *relation) named(parts []Ident) (used int, ok bool) {
	switch {
	case strings.EqualFold(r.name, parts[0].Name):
		return 1, true
	case len(parts) > 1 && r.schema != "" && strings.EqualFold(r.schema, parts[0].Name) && strings.EqualFold(r.name, parts[1].Name):
		return 2, true
	}
	return 0, false
}

// scope is what names mean at a place: the relations of FROM, the CTEs in sight, and the scope around a subquery.
type scope struct {
	parent    *scope
	relations []relation
	ctes      map[string]*CTE // by lower-case name
	// cteScopes are the scopes in which the CTEs' own queries are bound: those that were in sight before them.
	cteScopes map[string]*scope
}

// cte finds a CTE by name, from the inside out, and the scope in which its query is to be bound.
func (s *scope) cte(name string) (*CTE, *scope) {
	for ; s != nil; s = s.parent {
		if c := s.ctes[strings.ToLower(name)]; c != nil {
			return c, s.cteScopes[strings.ToLower(name)]
		}
	}
	return nil, nil
}

// columnNames gives all column names in sight of one query, for hints.
func (s *scope) columnNames() []string {
	var names []string
	for _, r := range s.relations {
		for _, c := range r.columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// resolve finds the column that a dotted name means, and how many of its parts name it: what is left over selects fields of a struct.
// found is false when there is none.
func (b *binder) resolve(s *scope, n *Column) (column plan.Column, used int, found bool, err error) {
	first := n.Parts[0].Name
	// relation.column wins over column.field, as in PostgreSQL and DuckDB.
	for i := range s.relations {
		r := &s.relations[i]
		qualifiers, ok := r.named(n.Parts)
		if !ok || qualifiers == len(n.Parts) {
			continue
		}
		matches := findColumns(r.columns, n.Parts[qualifiers].Name)
		switch len(matches) {
		case 1:
			return matches[0], qualifiers + 1, true, nil
		case 0:
			continue
		}
		return column, 0, false, types.ErrorAt(types.CodeAmbiguousColumn, b.text, n.Start, "column reference %q is ambiguous", b.source(n)).
			WithHint("Give the table's columns other names: FROM %s AS %s (...).", types.QuoteIdent(r.name), types.QuoteIdent(r.name))
	}
	var all []plan.Column
	for _, r := range s.relations {
		all = append(all, findColumns(r.columns, first)...)
	}
	switch {
	case len(all) > 1:
		return column, 0, false, b.ambiguous(n, first)
	case len(all) == 1:
		return all[0], 1, true, nil
	}
	return column, 0, false, nil
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
		for _, r := range s.relations {
			if strings.EqualFold(r.name, table) {
				e := b.errorAt(n, types.CodeUndefinedColumn, "column %s.%s does not exist", table, name)
				e.Hint = catalog.DidYouMean(name, fieldNames(r.columns))
				return e
			}
		}
		if len(n.Parts) == 2 && len(findAll(s, table)) == 0 {
			e := b.errorAt(n, types.CodeUndefinedTable, "missing FROM-clause entry for table %q", table)
			var names []string
			for _, r := range s.relations {
				names = append(names, r.name)
			}
			e.Hint = catalog.DidYouMean(table, names)
			return e
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

func findAll(s *scope, name string) []plan.Column {
	var all []plan.Column
	for _, r := range s.relations {
		all = append(all, findColumns(r.columns, name)...)
	}
	return all
}

func fieldNames(columns []plan.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}
