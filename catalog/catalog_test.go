package catalog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// namedTable is a table that is only looked up.
type namedTable struct{ name string }

func (*namedTable) Schema() types.Schema    { return nil }
func (*namedTable) Applies(*expr.Expr) bool { return false }

func (*namedTable) Statistics() catalog.Statistics { return catalog.Statistics{} }
func (*namedTable) Scan(context.Context, catalog.ScanRequest) (catalog.Scan, error) {
	return nil, nil
}

// pathFormat opens files as tables named by their path.
type pathFormat struct{}

func (pathFormat) Name() string         { return "text" }
func (pathFormat) Extensions() []string { return []string{".txt", ".text"} }
func (pathFormat) Open(ctx context.Context, fs catalog.FileSystem, path string) (catalog.Table, error) {
	f, err := fs.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &namedTable{filepath.Base(path)}, f.Close()
}

func TestNames(t *testing.T) {
	c := catalog.New(files, expr.NewSet(), pathFormat{})
	orders, other := &namedTable{"orders"}, &namedTable{"other"}
	if old, err := c.Put("Orders", orders, false); old != nil || err != nil {
		t.Fatal(old, err)
	}
	for _, name := range []string{"Orders", "orders", "ORDERS"} {
		for _, schema := range []string{"", "main", "MAIN"} {
			if got, err := c.Table(schema, name); got != orders || err != nil {
				t.Errorf("%s.%s: %v, %v", schema, name, got, err)
			}
		}
	}
	_, err := c.Put("oRDERS", other, false)
	wantCode(t, err, types.CodeDuplicateTable, `"oRDERS" already exists`)
	if old, err := c.Put("oRDERS", other, true); old != orders || err != nil {
		t.Errorf("replacing gave %v, %v", old, err)
	}
	if names := c.Names(); len(names) != 1 || names[0] != "oRDERS" {
		t.Errorf("names %v: the last spelling counts", names)
	}
	if _, err := c.Put("customer", orders, false); err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(c.Names(), " "); names != "customer oRDERS" || len(c.Tables()) != 2 {
		t.Errorf("names %s, %d tables", names, len(c.Tables()))
	}

	for _, test := range []struct{ schema, name, message, hint string }{
		{"", "order", `relation "order" does not exist`, `Did you mean "oRDERS"?`},
		{"", "custmer", `relation "custmer" does not exist`, `Did you mean "customer"?`},
		{"", "zzzzz", `relation "zzzzz" does not exist`, ""},
		{"other", "zzzzz", `relation "other.zzzzz" does not exist`, ""},
		{"", "zz.txt", `relation "zz.txt" does not exist`, "To read a file, write its path in single quotes: FROM 'zz.txt'."},
	} {
		_, err := c.Table(test.schema, test.name)
		wantCode(t, err, types.CodeUndefinedTable, test.message)
		if hint := err.(*types.Error).Hint; hint != test.hint {
			t.Errorf("%s: hint %q, want %q", test.name, hint, test.hint)
		}
	}

	if got, err := c.Remove("ORDERS"); got != other || err != nil {
		t.Errorf("removed %v, %v", got, err)
	}
	_, err = c.Remove("orders")
	wantCode(t, err, types.CodeUndefinedTable, "orders")
	_, err = c.Table("", "orders")
	wantCode(t, err, types.CodeUndefinedTable, "orders")
}

func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.TEXT", "many1.txt", "many2.txt", "c.bin"} {
		write(t, filepath.Join(dir, name), "")
	}
	c := catalog.New(files, expr.NewSet(), pathFormat{})
	for pattern, want := range map[string]string{"a.txt": "a.txt", "b.TEXT": "b.TEXT", "a*.txt": "a.txt", "[a]*.txt": "a.txt"} {
		table, err := c.OpenFile(ctx, filepath.Join(dir, pattern))
		if err != nil || table.(*namedTable).name != want {
			t.Errorf("%s: %v, %v", pattern, table, err)
		}
	}
	_, err := c.OpenFile(ctx, filepath.Join(dir, "c.bin"))
	wantCode(t, err, types.CodeUndefinedTable, "no known file format")
	if hint := err.(*types.Error).Hint; !strings.Contains(hint, ".txt, .text") {
		t.Errorf("hint %q", hint)
	}
	_, err = c.OpenFile(ctx, filepath.Join(dir, "missing.txt"))
	wantCode(t, err, types.CodeUndefinedFile, "missing.txt")
	_, err = c.OpenFile(ctx, filepath.Join(dir, "z*.txt"))
	wantCode(t, err, types.CodeUndefinedFile, "no files match")
	_, err = c.OpenFile(ctx, filepath.Join(dir, "many*.txt"))
	wantCode(t, err, types.CodeFeatureNotSupported, "2 files")
}

// TestConcurrentNames changes and reads names at once. A reader sees every table that is never removed, in each version.
func TestConcurrentNames(t *testing.T) {
	c := catalog.New(files, expr.NewSet())
	if _, err := c.Put("always", &namedTable{"always"}, false); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 0))
			for i := range 500 {
				name := fmt.Sprintf("t%d", rng.IntN(5))
				switch rng.IntN(3) {
				case 0:
					if _, err := c.Put(name, &namedTable{name}, true); err != nil {
						t.Error(err)
					}
				case 1:
					_, _ = c.Remove(name) // another worker may have done it
				default:
					if table, err := c.Table("", name); err == nil && table.(*namedTable).name != name {
						t.Errorf("%s is %v", name, table)
					}
				}
				if _, err := c.Table("", "always"); err != nil {
					t.Errorf("round %d: %v", i, err)
				}
				_, _ = c.Names(), c.Tables()
			}
		})
	}
	wait.Wait()
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"quantiy", []string{"quantity", "price"}, "quantity"},
		{"QUANTIY", []string{"Quantity"}, "Quantity"},
		{"teh", []string{"the", "ten"}, "ten the"},         // one swap, one replacement
		{"shipdate", []string{"l_shipdate"}, "l_shipdate"}, // contains it
		{"l_shipdate_x", []string{"l_shipdate"}, "l_shipdate"},
		{"ab", []string{"abcdefgh"}, ""}, // too short to look for inside
		{"abc", []string{"xyz", "abcdefghij"}, "abcdefghij"},
		{"id", []string{"x", "y"}, ""},
		{"x", []string{"y", "long"}, "y"},
		{"colour", []string{"color", "colours", "colour2", "colo"}, "color colour2 colours"},
		{"name", []string{"name", "NAME", "Name"}, "name"},
		{"größe", []string{"grösse", "große"}, "große grösse"},
		{"", []string{"a", "ab"}, "a"},
		{"a", nil, ""},
	} {
		if got := strings.Join(catalog.Nearest(test.name, test.candidates), " "); got != test.want {
			t.Errorf("%q among %v: %q, want %q", test.name, test.candidates, got, test.want)
		}
	}
	if got := catalog.DidYouMean("colour", []string{"color", "colours"}); got != `Did you mean "color" or "colours"?` {
		t.Error(got)
	}
	if got := catalog.DidYouMean("colour", []string{"shape"}); got != "" {
		t.Error(got)
	}
}
