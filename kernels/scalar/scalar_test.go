package scalar

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func newSet() *expr.Set {
	set := expr.NewSet()
	Register(set)
	return set
}

// evaluate gives the type and text of an SQL expression, or its error.
func evaluate(set *expr.Set, sql string) string {
	e, err := readSQL(set, sql)
	if err != nil {
		return errorText(err)
	}
	v, err := expr.Evaluate(e)
	if err != nil {
		return errorText(err)
	}
	return fmt.Sprintf("%s %s", e.Type, types.Text(v, 0))
}

func errorText(err error) string {
	text := "error: " + err.Error()
	var e *types.Error
	if errors.As(err, &e) && e.Hint != "" {
		text += " HINT: " + e.Hint
	}
	return text
}

// TestSQL runs the expressions of testdata: the command eval evaluates each line of its input. Rewrite with -rewrite.
func TestSQL(t *testing.T) {
	set := newSet()
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "eval" {
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			var out strings.Builder
			for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
				fmt.Fprintf(&out, "%s -> %s\n", line, evaluate(set, line))
			}
			return out.String()
		})
	})
}
