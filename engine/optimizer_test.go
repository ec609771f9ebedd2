package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/plan"
)

// optimizerQueries is how many random queries TestOptimizerProperty runs.
const optimizerQueries = 200

// TestOptimizerProperty runs random queries of joins and subqueries over small tables with nulls: with the optimizer off, on, and on without each of its
// rules they give the same rows.
func TestOptimizerProperty(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	options := []engine.Options{{OptimizerOff: true}, {}, {BatchRows: 3, Threads: 2}}
	for _, rule := range plan.OptionalRules() {
		options = append(options, engine.Options{DisabledRules: []string{rule}})
	}
	dbs := make([]*engine.DB, len(options))
	seed := random.Uint64()
	for i, o := range options {
		db, err := engine.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		registerRandom(t, db, rand.New(rand.NewPCG(seed, 1)))
		dbs[i] = db
	}
	ran := 0
	for range optimizerQueries {
		query := randomQuery(random)
		want, err := sortedRows(dbs[0], query)
		if err == nil {
			ran++
		}
		for i, db := range dbs[1:] {
			got, gotErr := sortedRows(db, query)
			switch {
			case err != nil && gotErr == nil: // an error may go away, with rows that are not looked at
			case err == nil && gotErr != nil:
				t.Fatalf("%+v\n%s\nfails: %v", options[i+1], query, gotErr)
			case err == nil && !slices.Equal(got, want):
				t.Fatalf("%+v\n%s\ngives %d rows\n%s\nwithout the optimizer %d\n%s",
					options[i+1], query, len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
			}
		}
	}
	if ran < optimizerQueries*3/4 {
		t.Errorf("only %d of %d queries ran", ran, optimizerQueries)
	}
}

// registerRandom makes the tables p, q, r and s, of which s is empty.
func registerRandom(t *testing.T, db *engine.DB, random *rand.Rand) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	for i, rows := range []int{30, 12, 7, 0} {
		name, of := string(rune('p'+i)), random
		values := make([]string, rows)
		for j := range values {
			values[j] = fmt.Sprintf(`{"a": %d, "b": %s, "c": %s, "x": %s}`, of.IntN(6), orNull(of, fmt.Sprint(of.IntN(6))),
				orNull(of, fmt.Sprintf("%q", string(rune('u'+of.IntN(4))))), orNull(of, fmt.Sprint(float64(of.IntN(8))/2)))
		}
		registerJSON(t, db, memory.DefaultAllocator, name, schema, "["+strings.Join(values, ",")+"]")
	}
}

func orNull(random *rand.Rand, value string) string {
	if random.IntN(5) == 0 {
		return "null"
	}
	return value
}

func sortedRows(db *engine.DB, query string) ([]string, error) {
	result, err := db.Query(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer result.Release()
	var all []string
	for batch, err := range result.All() {
		if err != nil {
			return nil, err
		}
		rows, err := textRows(batch)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			all = append(all, strings.Join(row, " "))
		}
	}
	slices.Sort(all)
	return all, nil
}

// queryMaker writes a random query.
type queryMaker struct {
	*rand.Rand
	aliases int
}

func randomQuery(random *rand.Rand) string {
	m := &queryMaker{Rand: random}
	return m.query(2)
}

func (m *queryMaker) pick(choices ...string) string { return choices[m.IntN(len(choices))] }

// query writes a SELECT; subqueries may go depth levels further down.
func (m *queryMaker) query(depth int) string {
	var visible []string
	from := m.from(depth, 1+m.IntN(4), &visible)
	where := ""
	if n := m.IntN(4); n > 0 {
		where = " WHERE " + m.conditions(n, visible, depth)
	}
	switch m.IntN(4) {
	case 0:
		key := m.column(visible, "ab")
		return fmt.Sprintf("SELECT %s AS k, count(*) AS n, sum(%s) AS total FROM %s%s GROUP BY %s", key, m.column(visible, "ab"), from, where, key)
	case 1:
		return fmt.Sprintf("SELECT DISTINCT %s, %s FROM %s%s", m.column(visible, "abcx"), m.column(visible, "abcx"), from, where)
	}
	columns, ordinals := make([]string, 1+m.IntN(3)), make([]string, 0, 3)
	for i := range columns {
		columns[i] = fmt.Sprintf("%s AS c%d", m.column(visible, "abcx"), i)
		ordinals = append(ordinals, fmt.Sprint(i+1)+m.pick("", " DESC"))
	}
	text := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(columns, ", "), from, where)
	switch m.IntN(4) {
	case 0: // ordered by all columns, the first rows are always the same
		text += fmt.Sprintf(" ORDER BY %s LIMIT %d", strings.Join(ordinals, ", "), m.IntN(9))
	case 1:
		var other []string
		more := m.from(0, 1+m.IntN(2), &other)
		text = fmt.Sprintf("SELECT %s AS k FROM %s%s UNION ALL SELECT %s FROM %s ORDER BY 1 LIMIT %d",
			m.column(visible, "ab"), from, where, m.column(other, "ab"), more, 1+m.IntN(20))
	}
	return text
}

// from writes a tree of joins of n tables and adds the aliases that can be read after it.
func (m *queryMaker) from(depth, n int, visible *[]string) string {
	if n == 1 {
		m.aliases++
		alias := fmt.Sprintf("t%d", m.aliases)
		*visible = append(*visible, alias)
		if depth > 0 && m.IntN(6) == 0 {
			var inner []string
			from := m.from(depth-1, 1+m.IntN(2), &inner)
			columns := make([]string, 4)
			for i, c := range []string{"a", "b", "c", "x"} {
				columns[i] = m.column(inner, c) + " AS " + c
			}
			return fmt.Sprintf("(SELECT %s FROM %s WHERE %s) AS %s", strings.Join(columns, ", "), from, m.conditions(1, inner, 0), alias)
		}
		return m.pick("p", "q", "q", "r", "r", "r", "s") + " AS " + alias
	}
	k := 1 + m.IntN(n-1)
	var left, right []string
	l := m.from(depth, n-k, &left)
	r := m.from(depth, k, &right)
	if k > 1 {
		r = "(" + r + ")"
	}
	both := append(append([]string(nil), left...), right...)
	kind := m.pick("JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "CROSS JOIN")
	*visible = append(*visible, left...)
	if kind != "SEMI JOIN" && kind != "ANTI JOIN" {
		*visible = append(*visible, right...)
	}
	if kind == "CROSS JOIN" {
		return l + " CROSS JOIN " + r
	}
	on := m.equality(m.column(left, "ab"), right)
	if m.IntN(3) == 0 {
		on += " AND " + m.conditions(1, both, 0)
	}
	return fmt.Sprintf("%s %s %s ON %s", l, kind, r, on)
}

func (m *queryMaker) column(visible []string, names string) string {
	return visible[m.IntN(len(visible))] + "." + string(names[m.IntN(len(names))])
}

func (m *queryMaker) equality(column string, visible []string) string {
	operator := m.pick("=", "=", "=", "=", "IS NOT DISTINCT FROM", "<")
	return fmt.Sprintf("%s %s %s", column, operator, m.column(visible, "ab"))
}

func (m *queryMaker) conditions(n int, visible []string, depth int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = m.condition(visible, depth)
	}
	return strings.Join(parts, " AND ")
}

func (m *queryMaker) condition(visible []string, depth int) string {
	switch m.IntN(13) {
	case 0, 1, 2:
		return m.equality(m.column(visible, "ab"), visible)
	case 3:
		return fmt.Sprintf("%s %s %d", m.column(visible, "abx"), m.pick("=", "<", ">=", "<>"), m.IntN(6))
	case 4:
		return fmt.Sprintf("%s IS %sNULL", m.column(visible, "bcx"), m.pick("", "NOT "))
	case 5:
		return fmt.Sprintf("(%s OR %s)", m.conditions(2, visible, 0), m.conditions(1, visible, 0))
	case 6:
		return fmt.Sprintf("%s IN (1, 2, %s)", m.column(visible, "ab"), m.pick("3", "NULL"))
	case 7:
		return fmt.Sprintf("coalesce(%s, %d) > %d", m.column(visible, "ab"), m.IntN(6), m.IntN(6))
	case 8:
		return fmt.Sprintf("%s = %s", m.column(visible, "c"), m.pick("'u'", "'v'", m.column(visible, "c")))
	case 9:
		return fmt.Sprintf("NOT (%s)", m.condition(visible, 0))
	}
	if depth == 0 {
		return m.equality(m.column(visible, "ab"), visible)
	}
	var inner []string
	from := m.from(0, 1+m.IntN(2), &inner)
	where := m.conditions(1, inner, 0)
	if m.IntN(2) == 0 {
		where += " AND " + m.equality(m.column(visible, "ab"), inner)
	}
	switch m.IntN(3) {
	case 0:
		return fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s WHERE %s)", m.pick("", "NOT "), from, where)
	case 1:
		return fmt.Sprintf("%s %sIN (SELECT %s FROM %s WHERE %s)", m.column(visible, "ab"), m.pick("", "NOT "), m.column(inner, "ab"), from, where)
	}
	return fmt.Sprintf("%s %s (SELECT %s(%s) FROM %s WHERE %s)",
		m.column(visible, "ab"), m.pick("=", "<", ">"), m.pick("max", "min", "count"), m.column(inner, "ab"), from, where)
}
