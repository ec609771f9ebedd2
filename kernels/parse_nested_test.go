package kernels

import (
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// nestedTargets are types that texts are parsed as.
var nestedTargets = []string{
	"VARCHAR[]", "INTEGER[]", "VARCHAR[][]", "VARCHAR[2]", "STRUCT(a INTEGER, b VARCHAR)", "STRUCT(a VARCHAR[], b STRUCT(c VARCHAR))", "MAP(VARCHAR, VARCHAR)", "MAP(INTEGER, VARCHAR[])",
}

// FuzzTextToNested casts any text to nested types: what comes out has a text that is read back as the same value, and nothing panics.
func FuzzTextToNested(f *testing.F) {
	for _, text := range []string{"[1, 2]", "[[a], 'b,c', NULL]", "{a: 1, b: x}", "(1, 'x y')", "{k=v, 'a b'=\"c\\\"d\"}", "[{x: [1", "['\\", "{a:", "[,]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := types.FromValues(nil, types.Varchar, []any{text, nil, text})
		if err != nil {
			t.Skip() // no UTF-8
		}
		for _, name := range nestedTargets {
			to := parseType(name)
			got, err := Cast(&Env{Try: true}, v, to)
			if err != nil {
				t.Fatalf("%q as %s: %v", text, name, err)
			}
			if _, err := Cast(nil, v, to); err == nil && types.NullCount(nil, got) != 1 {
				t.Fatalf("%q as %s: null with Try only", text, name)
			}
			if to.Kind() == types.KindArray {
				continue // their elements are written without quotes
			}
			again, err := Cast(nil, got, types.Varchar)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Cast(nil, again, to)
			if err != nil {
				t.Fatalf("%q as %s: its text %s is none: %v", text, name, types.Text(again, 0), err)
			}
			if !types.EqualWith(back, got, types.EqualOptions{IgnoreEncoding: true}) {
				t.Fatalf("%q as %s: %s is read back as %s", text, name, types.Text(got, 0), types.Text(back, 0))
			}
		}
	})
}
