package sql

import (
	"path"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// from binds a table expression; its relations are added to the scope.
func (b *binder) from(t TableExpr, s *scope) (plan.Node, error) {
	node, sample, err := b.tableExpr(t, s)
	if err != nil {
		return nil, err
	}
	return b.sample(sample, node)
}

// tableExpr binds a table expression without its TABLESAMPLE, which it gives.
func (b *binder) tableExpr(t TableExpr, s *scope) (node plan.Node, sample *Sample, err error) {
	switch t := t.(type) {
	case *TableName:
		node, err = b.tableName(t, s)
		return node, t.Sample, err
	case *TableFile:
		table, err := b.catalog.OpenFile(b.ctx, t.Path)
		if err != nil {
			return nil, nil, b.located(t, err)
		}
		node, err = b.scan(t, table, "'"+t.Path+"'", "", fileStem(t.Path), t.Alias, s)
		return node, t.Sample, err
	case *DerivedTable:
		node, columns, err := b.query(t.Query, s.lateral())
		if err != nil {
			return nil, nil, err
		}
		node, err = b.addRelation(t, node, columns, "", "", t.Alias, s)
		return node, t.Sample, err
	case *TableFunction:
		node, err = b.tableFunction(t, s)
		return node, t.Sample, err
	case *Join:
		node, err = b.join(t, s)
		return node, nil, err
	case *AliasedJoin:
		node, err = b.aliasedJoin(t, s)
		return node, t.Sample, err
	}
	return nil, nil, b.unsupported(t, "this table expression")
}

// fileStem gives the name by which a file is called in expressions: its base name without ending, as DuckDB has it.
func fileStem(p string) string {
	base := path.Base(strings.ReplaceAll(p, `\`, "/"))
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}

func (b *binder) tableName(t *TableName, s *scope) (plan.Node, error) {
	parts := t.Name.Parts
	name := parts[len(parts)-1].Name
	if len(parts) == 1 {
		if q, use := b.withQuery(s, name); q != nil {
			return b.withReference(t, q, use, s)
		}
	}
	o, err := b.lookup(t.Name)
	if err != nil {
		return nil, err
	}
	if o.View != nil {
		return b.view(t, o, t.Alias, s)
	}
	return b.scan(t, o.Table, name, o.Schema, name, t.Alias, s)
}

func renamed(columns []plan.Column, names []Ident) []plan.Column {
	columns = append([]plan.Column(nil), columns...)
	for i, n := range names {
		columns[i].Name = n.Name
	}
	return columns
}

// scan reads all columns of a table; the optimizer removes those that nobody uses.
func (b *binder) scan(n Node, table catalog.Table, label, schema, name string, alias *TableAlias, s *scope) (plan.Node, error) {
	if err := b.count(n, len(table.Schema())); err != nil {
		return nil, err
	}
	node := &plan.Scan{Table: b.version(table), Name: label}
	for i, f := range table.Schema() {
		node.Output = append(node.Output, plan.Column{ID: b.ids.New(), Field: f})
		node.Source = append(node.Source, catalog.ColumnPath{Column: i})
	}
	return b.addRelation(n, node, node.Output, schema, name, alias, s)
}

// version gives what the statement reads of a table, the same wherever it names the table.
func (b *binder) version(table catalog.Table) catalog.Table {
	versioned, ok := table.(catalog.Versioned)
	if !ok {
		return table
	}
	if b.versions[table] == nil {
		b.versions[table] = versioned.Current()
	}
	return b.versions[table]
}

// addRelation makes columns known under a name, or the alias and column names written after it.
func (b *binder) addRelation(n Node, node plan.Node, columns []plan.Column, schema, name string, alias *TableAlias, s *scope) (plan.Node, error) {
	if alias != nil {
		schema, name = "", alias.Name.Name
		if len(alias.Columns) > len(columns) {
			return nil, b.errorAt(alias.Columns[len(columns)], types.CodeInvalidColumnRef, "table %q has %d columns available but %d columns specified",
				name, len(columns), len(alias.Columns))
		}
		columns = renamed(columns, alias.Columns)
	}
	s.add(relation{node: n, schema: schema, name: name, columns: columns})
	return node, nil
}
