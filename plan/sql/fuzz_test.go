package sql

import (
	"errors"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// FuzzParse checks that no text makes the parser panic, that an error is one of the user's with a position, and that what
// parses can be printed and parsed again to the same tree.
func FuzzParse(f *testing.F) {
	for _, p := range readProbes(f, "testdata/probes.txt") {
		f.Add(p.sql)
	}
	for _, text := range tpch(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := Parse(text)
		if err != nil {
			var e *types.Error
			if !errors.As(err, &e) || e.Code == types.CodeInternal {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, s := range statements {
			checkRoundTrip(t, s)
		}
	})
}
