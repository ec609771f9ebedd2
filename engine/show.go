package engine

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// list does SHOW.
func (s *statement) list(l *sql.Listing) (*Result, error) {
	switch l.Kind {
	case sql.ShowTables:
		return s.showTables(l.Schema)
	case sql.ShowAllTables:
		return s.showAllTables()
	case sql.ShowSchemas:
		var rows [][]any
		for _, name := range s.conn.catalog.Schemas() {
			if name != catalog.TemporarySchema {
				rows = append(rows, []any{catalog.DatabaseName, name})
			}
		}
		return s.knownResult(textColumns("database_name", "schema_name"), rows)
	case sql.ShowDatabases:
		return s.knownResult(textColumns("database_name"), [][]any{{catalog.DatabaseName}})
	case sql.ShowSettings:
		return s.showSettings()
	}
	f, err := findSetting(l.Name)
	if err != nil {
		return nil, s.at(err, l.Offset)
	}
	return s.knownResult(types.Schema{{Name: f.name, Type: f.typ}}, [][]any{{f.get(s.conn, s.settings)}})
}

// showTables gives the names of tables and views: of a schema, or of those that need no schema's name.
func (s *statement) showTables(schema string) (*Result, error) {
	var rows [][]any
	seen := map[string]bool{}
	for _, o := range s.conn.catalog.Objects() {
		wanted := strings.EqualFold(o.Schema, schema)
		if schema == "" {
			wanted = o.Schema == catalog.DefaultSchema || o.Schema == catalog.TemporarySchema
		}
		if key := strings.ToLower(o.Name); wanted && !seen[key] {
			seen[key] = true
			rows = append(rows, []any{o.Name})
		}
	}
	return s.knownResult(textColumns("name"), sortedRows(rows))
}

// showAllTables gives every table and view with its columns.
func (s *statement) showAllTables() (*Result, error) {
	list := types.ListOf(types.Varchar)
	schema := types.Schema{
		{Name: "database", Type: types.Varchar}, {Name: "schema", Type: types.Varchar}, {Name: "name", Type: types.Varchar},
		{Name: "column_names", Type: list}, {Name: "column_types", Type: list}, {Name: "temporary", Type: types.Boolean},
	}
	var rows [][]any
	for _, o := range s.conn.catalog.Objects() {
		columns, err := s.columnsOf(o)
		if err != nil {
			return nil, err
		}
		var names, kinds []any
		for _, f := range columns {
			names, kinds = append(names, f.Name), append(kinds, f.Type.String())
		}
		database := catalog.DatabaseName
		if o.Schema == catalog.TemporarySchema {
			database = catalog.TemporarySchema
		}
		rows = append(rows, []any{database, o.Schema, o.Name, names, kinds, o.Schema == catalog.TemporarySchema})
	}
	return s.knownResult(schema, rows)
}

// columnsOf gives the columns of a table or view. Those of a view that cannot be bound any more have no type.
func (s *statement) columnsOf(o catalog.Object) (types.Schema, error) {
	if o.View == nil {
		return o.Table.Schema(), nil
	}
	parsed, err := sql.Parse(o.View.Query)
	if err != nil {
		return nil, err
	}
	columns := make(types.Schema, len(o.View.Columns))
	for i, name := range o.View.Columns {
		columns[i] = types.Field{Name: name, Type: types.Null}
	}
	bound, err := sql.Bind(s.ctx, o.View.Query, parsed[0], s.session(nil))
	if err != nil {
		return columns, nil
	}
	for i, c := range bound.Plan.Columns() {
		if i < len(columns) {
			columns[i].Type = c.Type
		}
	}
	return columns, nil
}

// showSettings gives all settings of the session.
func (s *statement) showSettings() (*Result, error) {
	var rows [][]any
	for _, f := range allSettings {
		value, err := types.NewValue(f.typ, f.get(s.conn, s.settings))
		if err != nil {
			return nil, err
		}
		scope := "session"
		if f.global {
			scope = "global"
		}
		rows = append(rows, []any{f.name, types.Text(value, 0), f.description, f.typ.String(), scope})
	}
	return s.knownResult(textColumns("name", "value", "description", "input_type", "scope"), rows)
}
