package sql

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/plan"
)

// TestOpenParameters describes statements before their parameters have values: the types that their places ask for, and the columns.
func TestOpenParameters(t *testing.T) {
	c := bindCatalog(t)
	for _, test := range []struct{ sql, want string }{
		{"SELECT a + ? FROM t", "1 INTEGER -> INTEGER"},
		{"SELECT a FROM t WHERE s = $who AND d > $since", "since DATE, who VARCHAR -> INTEGER"},
		{"SELECT upper($1), repeat($1, $2)", "1 VARCHAR, 2 BIGINT -> VARCHAR VARCHAR"},
		{"SELECT CASE WHEN ? THEN a ELSE ? END FROM t", "1 BOOLEAN, 2 INTEGER -> INTEGER"},
		{"SELECT a FROM t WHERE a IN (1, ?)", "1 INTEGER -> INTEGER"},
		{"SELECT a FROM t WHERE a BETWEEN ? AND ?", "1 INTEGER, 2 INTEGER -> INTEGER"},
		{"SELECT ?::DOUBLE, $2", `1 DOUBLE, 2 "NULL" -> DOUBLE "NULL"`},
	} {
		statements, err := Parse(test.sql)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := Bind(context.Background(), test.sql, statements[0], Session{Catalog: c, OpenParameters: true})
		if err != nil {
			t.Errorf("%s: %v", test.sql, err)
			continue
		}
		var parameters, columns []string
		for name, typ := range bound.Parameters {
			parameters = append(parameters, name+" "+typ.String())
		}
		sort.Strings(parameters)
		for _, f := range plan.SchemaOf(bound.Plan) {
			columns = append(columns, f.Type.String())
		}
		if got := fmt.Sprint(strings.Join(parameters, ", "), " -> ", strings.Join(columns, " ")); got != test.want {
			t.Errorf("%s: %s, want %s", test.sql, got, test.want)
		}
	}
}
