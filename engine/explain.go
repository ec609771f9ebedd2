package engine

import (
	"strings"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// explain gives the text of a plan, a row a line; with analyze the plan is run first, and its profile shown.
func (s *statement) explain(p *plan.PhysicalPlan, analyze bool) (*Result, error) {
	var profile *plan.Profile
	if analyze {
		measured, err := s.measure(p)
		if err != nil {
			return nil, err
		}
		profile = &measured
	}
	lines := strings.Split(strings.TrimSuffix(plan.Explain(p, profile), "\n"), "\n")
	rows := make([][]any, len(lines))
	for i, line := range lines {
		rows[i] = []any{line}
	}
	return s.textResult([]string{"plan"}, rows)
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

// describe gives the columns of a query or table, a row each.
func (s *statement) describe(columns types.Schema) (*Result, error) {
	rows := make([][]any, len(columns))
	for i, f := range columns {
		null := "NO"
		if f.Nullable {
			null = "YES"
		}
		rows[i] = []any{f.Name, f.Type.String(), null}
	}
	return s.textResult([]string{"column_name", "column_type", "null"}, rows)
}

// showTables gives the names of the tables.
func (s *statement) showTables() (*Result, error) {
	var rows [][]any
	for _, name := range s.db.catalog.Names() {
		rows = append(rows, []any{name})
	}
	return s.textResult([]string{"name"}, rows)
}

// textResult makes a result of VARCHAR columns from rows that are known.
func (s *statement) textResult(names []string, rows [][]any) (*Result, error) {
	schema := make(types.Schema, len(names))
	columns := make([]*types.Vector, len(names))
	for i, name := range names {
		schema[i] = types.Field{Name: name, Type: types.Varchar}
		values := make([]any, len(rows))
		for r, row := range rows {
			values[r] = row[i]
		}
		v, err := types.FromValues(nil, types.Varchar, values)
		if err != nil {
			return nil, err
		}
		columns[i] = v
	}
	return newResult(s, schema, &knownRows{batch: types.NewBatch(columns, len(rows), 0)}), nil
}

// knownRows is one batch as the source of a result.
type knownRows struct{ batch *types.Batch }

// Next gives the batch, once.
func (k *knownRows) Next() (*types.Batch, error) {
	b := k.batch
	k.batch = nil
	return b, nil
}

// Profile is empty: nothing was run.
func (k *knownRows) Profile() plan.Profile { return plan.Profile{} }

// Close does nothing.
func (k *knownRows) Close() error { return nil }
