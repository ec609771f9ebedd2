package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// TestSurplusParameters gives too many values, and just enough where a part of the statement that has the parameter is never bound.
func TestSurplusParameters(t *testing.T) {
	db := open(t, engine.Options{})
	for _, test := range []struct {
		sql  string
		args []any
		want string // part of the message; empty for no error
	}{
		{"SELECT 1", []any{1}, "does not have: $1"},
		{"SELECT ?", []any{1, 2, 3}, "does not have: $2, $3"},
		{"SELECT $a", []any{engine.Named("a", 1), engine.Named("b", 1)}, "does not have: $b"},
		{"SELECT $2", []any{1, 2}, "does not have: $1"},
		{"WITH unread AS (SELECT ?) SELECT 1", []any{1}, ""},
		{"SELECT ? + $1", []any{1}, ""},
	} {
		result, err := db.Query(context.Background(), test.sql, test.args...)
		var e *types.Error
		switch {
		case err == nil:
			result.Release()
			if test.want != "" {
				t.Errorf("%s: no error", test.sql)
			}
		case test.want == "" || !errors.As(err, &e) || e.Code != types.CodeUndefinedParameter || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v", test.sql, err)
		}
	}
}
