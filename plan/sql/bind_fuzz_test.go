package sql

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// bindTests gives the statements of the golden files of the binder.
func bindTests(f *testing.F) []string {
	files, err := filepath.Glob("testdata/bind/*.test")
	if err != nil || len(files) == 0 {
		f.Fatal("no golden files", err)
	}
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range regexp.MustCompile(`(?m)^(?:bind|plan).*\n`).Split(string(text), -1)[1:] {
			input, _, _ := strings.Cut(block, "\n----")
			all = append(all, strings.Split(input, "\n")...)
		}
	}
	return all
}

// FuzzBind checks that no text makes the binder, the optimizer or the planner panic, that an error is one of the user's with a place, and that
// the optimizer keeps the columns of what binds.
func FuzzBind(f *testing.F) {
	for _, text := range bindTests(f) {
		f.Add(text)
	}
	for _, text := range tpch(f) {
		f.Add(text)
	}
	c := bindCatalog(f)
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := Parse(text)
		if err != nil {
			return // FuzzParse's business
		}
		for _, statement := range statements {
			bound, err := Bind(context.Background(), text, statement, Session{Catalog: c, Parameters: map[string]*types.Vector{"1": expr.NewBool(true).Value}})
			if err != nil {
				var e *types.Error
				if !errors.As(err, &e) || e.Code == types.CodeInternal || e.Position.Line < 1 {
					t.Fatalf("%q: %v", text, err)
				}
				continue
			}
			if bound.Plan == nil {
				continue
			}
			for _, off := range []bool{false, true} {
				n, err := (&plan.Optimizer{IDs: bound.IDs, Off: off}).Optimize(bound.Plan)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				checkColumns(t, text, n)
				p, err := plan.Build(n)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				plan.Explain(p, nil)
			}
		}
	})
}
