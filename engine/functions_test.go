package engine_test

import (
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
)

// TestFunctionExamples runs the example of every function: an expression, for aggregates and windows with FROM, and, behind the last " = ", its result as text.
func TestFunctionExamples(t *testing.T) {
	set := expr.NewSet()
	scalar.Register(set)
	agg.Register(set)
	db := sltDB{db: open(t, engine.Options{})}
	for _, f := range set.Families() {
		if f.Description == "" || len(f.Signatures) == 0 {
			t.Errorf("%s: no description or signature", f.Name)
		}
		at := strings.LastIndex(f.Example, " = ")
		if at < 0 {
			t.Errorf("%s: no example", f.Name)
			continue
		}
		sql, want := "SELECT "+f.Example[:at], f.Example[at+3:]
		result, err := db.Exec(sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got := result.Rows[0][0]; got != want {
			t.Errorf("%s gives %s, want %s", sql, got, want)
		}
	}
}
