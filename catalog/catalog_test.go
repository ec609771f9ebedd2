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

func (pathFormat) Name() string                  { return "text" }
func (pathFormat) Extensions() []string          { return []string{".txt", ".text"} }
func (pathFormat) ReadOptions() []catalog.Option { return nil }
func (pathFormat) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	f, err := request.Files.Open(ctx, request.Path)
	if err != nil {
		return nil, err
	}
	return &namedTable{filepath.Base(request.Path)}, f.Close()
}

// put makes a table known in the default schema.
func put(c *catalog.Catalog, name string, t catalog.Table, conflict catalog.Conflict) (catalog.Table, error) {
	old, _, err := c.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: t}, conflict)
	return old.Table, err
}

func namesOf(c *catalog.Catalog) string {
	var all []string
	for _, o := range c.Objects() {
		all = append(all, o.Schema+"."+o.Name)
	}
	return strings.Join(all, " ")
}

func TestNames(t *testing.T) {
	c := catalog.New(files, expr.NewSet(), pathFormat{})
	orders, other := &namedTable{"orders"}, &namedTable{"other"}
	if old, err := put(c, "Orders", orders, catalog.ConflictFails); old != nil || err != nil {
		t.Fatal(old, err)
	}
	for _, name := range []string{"Orders", "orders", "ORDERS"} {
		for _, schema := range []string{"", "main", "MAIN"} {
			if got, err := c.Lookup(schema, name); got.Table != orders || err != nil {
				t.Errorf("%s.%s: %v, %v", schema, name, got, err)
			}
		}
	}
	_, err := put(c, "oRDERS", other, catalog.ConflictFails)
	wantCode(t, err, types.CodeDuplicateTable, `"oRDERS" already exists`)
	if _, err := put(c, "oRDERS", other, catalog.ConflictKeeps); err != nil {
		t.Error(err)
	}
	if old, err := put(c, "oRDERS", other, catalog.ConflictReplaces); old != orders || err != nil {
		t.Errorf("replacing gave %v, %v", old, err)
	}
	if names := namesOf(c); names != "main.oRDERS" {
		t.Errorf("names %v: the last spelling counts", names)
	}
	if _, err := put(c, "customer", orders, catalog.ConflictFails); err != nil {
		t.Fatal(err)
	}
	if names := namesOf(c); names != "main.customer main.oRDERS" {
		t.Errorf("names %s", names)
	}

	for _, test := range []struct {
		schema, name, message, hint string
		code                        types.Code
	}{
		{"", "order", `relation "order" does not exist`, `Did you mean "oRDERS"?`, types.CodeUndefinedTable},
		{"", "custmer", `relation "custmer" does not exist`, `Did you mean "customer"?`, types.CodeUndefinedTable},
		{"", "zzzzz", `relation "zzzzz" does not exist`, "", types.CodeUndefinedTable},
		{"other", "zzzzz", `schema "other" does not exist`, "", types.CodeUndefinedSchema},
		{"mian", "zzzzz", `schema "mian" does not exist`, `Did you mean "main"?`, types.CodeUndefinedSchema},
		{"temp", "orders", `relation "temp.orders" does not exist`, "", types.CodeUndefinedTable},
		{"", "zz.txt", `relation "zz.txt" does not exist`, "To read a file, write its path in single quotes: FROM 'zz.txt'.", types.CodeUndefinedTable},
	} {
		_, err := c.Lookup(test.schema, test.name)
		wantCode(t, err, test.code, test.message)
		if hint := err.(*types.Error).Hint; hint != test.hint {
			t.Errorf("%s: hint %q, want %q", test.name, hint, test.hint)
		}
	}

	if got, err := c.Drop("table", "", "ORDERS"); got.Table != other || err != nil {
		t.Errorf("removed %v, %v", got, err)
	}
	_, err = c.Drop("table", "", "orders")
	wantCode(t, err, types.CodeUndefinedTable, "orders")
	_, err = c.Lookup("", "orders")
	wantCode(t, err, types.CodeUndefinedTable, "orders")
}

// TestSchemas creates and drops schemas, qualifies names, and shadows objects by temporary ones.
func TestSchemas(t *testing.T) {
	c := catalog.New(files, expr.NewSet())
	for _, qualifier := range []string{"main", "Main", "memory", "MEMORY", "memory.main", "temp.main=temp", "temp", "s=", "memory.temp=", "other.main=", "temp.temp="} {
		text, want, given := strings.Cut(qualifier, "=")
		if !given {
			want = "main"
			if text == "temp" {
				want = "temp"
			}
		}
		got, err := c.SchemaOf(strings.Split(text, "."))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if created, err := c.CreateSchema("S", catalog.ConflictFails); !created || err != nil {
		t.Fatal(created, err)
	}
	_, err := c.CreateSchema("s", catalog.ConflictFails)
	wantCode(t, err, types.CodeDuplicateSchema, `"s" already exists`)
	if created, err := c.CreateSchema("s", catalog.ConflictKeeps); created || err != nil {
		t.Error(created, err)
	}
	if got, err := c.SchemaOf([]string{"memory", "s"}); got != "S" || err != nil {
		t.Error(got, err)
	}
	table, temporary, inSchema := &namedTable{"t"}, &namedTable{"temp"}, &namedTable{"s"}
	for schema, o := range map[string]catalog.Table{"main": table, "temp": temporary, "s": inSchema} {
		if _, created, err := c.Create(catalog.Object{Schema: schema, Name: "t", Table: o}, catalog.ConflictFails); !created || err != nil {
			t.Fatal(created, err)
		}
	}
	other := c.Session()
	for _, test := range []struct {
		catalog *catalog.Catalog
		schema  string
		want    catalog.Table
	}{{c, "", temporary}, {c, "temp", temporary}, {c, "main", table}, {c, "s", inSchema}, {other, "", table}, {other, "S", inSchema}} {
		if got, err := test.catalog.Lookup(test.schema, "T"); err != nil || got.Table != test.want {
			t.Errorf("%s: %v, %v", test.schema, got, err)
		}
	}
	_, err = c.DropSchema("s", false)
	wantCode(t, err, types.CodeDependentObjects, "not empty")
	if dropped, err := c.DropSchema("s", true); err != nil || len(dropped) != 1 || dropped[0].Table != inSchema {
		t.Error(dropped, err)
	}
	_, err = c.DropSchema("s", true)
	wantCode(t, err, types.CodeUndefinedSchema, `"s"`)
	for _, name := range []string{"main", "TEMP"} {
		_, err = c.DropSchema(name, true)
		wantCode(t, err, types.CodeDependentObjects, name)
	}
	_, err = c.Drop("view", "", "t")
	wantCode(t, err, types.CodeWrongObjectType, `"t" is a table, not a view`)
	_, _, err = c.Create(catalog.Object{Schema: "main", Name: "T", View: &catalog.View{}}, catalog.ConflictReplaces)
	wantCode(t, err, types.CodeWrongObjectType, `"t" is a table, not a view`)
	if o, err := c.Drop("table", "", "t"); err != nil || o.Table != temporary {
		t.Error("a temporary object is dropped first:", o, err)
	}
	if names := namesOf(c); names != "main.t" {
		t.Error(names)
	}
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
	if many, err := c.OpenFile(ctx, filepath.Join(dir, "many*.txt")); err != nil || len(many.Schema()) != 0 {
		t.Errorf("two files: %v", err)
	}
}

// TestConcurrentNames changes and reads names at once. A reader sees every table that is never removed, in each version.
func TestConcurrentNames(t *testing.T) {
	c := catalog.New(files, expr.NewSet())
	if _, err := put(c, "always", &namedTable{"always"}, catalog.ConflictFails); err != nil {
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
					if _, err := put(c, name, &namedTable{name}, catalog.ConflictReplaces); err != nil {
						t.Error(err)
					}
				case 1:
					_, _ = c.Drop("table", "", name) // another worker may have done it
				default:
					if o, err := c.Lookup("", name); err == nil && o.Table.(*namedTable).name != name {
						t.Errorf("%s is %v", name, o)
					}
				}
				if _, err := c.Lookup("", "always"); err != nil {
					t.Errorf("round %d: %v", i, err)
				}
				_, _ = c.Objects(), c.Schemas()
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
