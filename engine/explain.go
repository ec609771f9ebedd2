package engine

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// explain gives the text of a plan, a row a line, or as one JSON document; with analyze the plan is run first, and its profile shown.
func (s *statement) explain(p *plan.PhysicalPlan, bound *sql.Bound) (*Result, error) {
	var profile *plan.Profile
	if bound.Analyze {
		measured, err := s.measure(p)
		if err != nil {
			return nil, err
		}
		profile = &measured
	}
	if bound.Format == "JSON" {
		return s.knownResult(textColumns("plan"), [][]any{{plan.ExplainJSON(p, profile)}})
	}
	var rows [][]any
	for line := range strings.Lines(plan.Explain(p, profile)) {
		rows = append(rows, []any{strings.TrimSuffix(line, "\n")})
	}
	return s.knownResult(textColumns("plan"), rows)
}

// measure runs a plan for its profile; the rows are thrown away.
func (s *statement) measure(p *plan.PhysicalPlan) (plan.Profile, error) {
	run, err := s.run(p, true)
	if err != nil {
		return plan.Profile{}, err
	}
	defer run.Close()
	for {
		b, err := run.Next()
		if err != nil {
			return plan.Profile{}, err
		}
		if b == nil {
			run.Close() // its workers have then handed in their figures
			return run.Profile(), nil
		}
	}
}

// describe gives the columns of a query or table, a row each, with what the table's definition says of them.
func (s *statement) describe(columns types.Schema, definition *catalog.Definition) (*Result, error) {
	rows := make([][]any, len(columns))
	for i, f := range columns {
		null := "NO"
		if f.Nullable {
			null = "YES"
		}
		rows[i] = []any{f.Name, f.Type.String(), null, nil, nil, nil}
		if definition == nil {
			continue
		}
		for _, k := range definition.Keys {
			if slices.Contains(k.Columns, i) && (k.Primary || rows[i][3] == nil) {
				rows[i][3] = map[bool]string{true: "PRI", false: "UNI"}[k.Primary]
			}
		}
		if definition.Defaults != nil && definition.Defaults[i] != "" {
			rows[i][4] = definition.Defaults[i]
		}
	}
	return s.knownResult(textColumns("column_name", "column_type", "null", "key", "default", "extra"), rows)
}

// textColumns gives the schema of columns of type VARCHAR.
func textColumns(names ...string) types.Schema {
	schema := make(types.Schema, len(names))
	for i, name := range names {
		schema[i] = types.Field{Name: name, Type: types.Varchar, Nullable: true}
	}
	return schema
}

// sortedRows sorts rows by their first column, a text.
func sortedRows(rows [][]any) [][]any {
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return rows
}

// knownResult makes a result of rows that are known.
func (s *statement) knownResult(schema types.Schema, rows [][]any) (*Result, error) {
	columns := make([]*types.Vector, len(schema))
	for i, f := range schema {
		values := make([]any, len(rows))
		for r, row := range rows {
			values[r] = row[i]
		}
		v, err := types.FromValues(nil, f.Type, values)
		if err != nil {
			return nil, err
		}
		columns[i] = v
	}
	return newResult(s, schema, &knownRows{batch: types.NewBatch(columns, len(rows), 0)}), nil
}

// knownRows is one batch as the source of a result.
type knownRows struct {
	batch   *types.Batch
	profile plan.Profile // of what was run for them
}

// Next gives the batch, once.
func (k *knownRows) Next() (*types.Batch, error) {
	b := k.batch
	k.batch = nil
	return b, nil
}

// Profile says what was run, if anything was.
func (k *knownRows) Profile() plan.Profile { return k.profile }

// Close does nothing.
func (k *knownRows) Close() error { return nil }
