package sql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// schemaTable is a table that is only planned, never read.
type schemaTable struct {
	schema  types.Schema
	rows    int64
	columns []catalog.ColumnStatistics // or none
}

func (t *schemaTable) Schema() types.Schema { return t.schema }

func (*schemaTable) Applies(*expr.Expr) bool { return false }

func (t *schemaTable) Statistics() catalog.Statistics {
	return catalog.Statistics{Rows: t.rows, RowsConfidence: catalog.Exact, Source: "test", Columns: t.columns}
}

func (t *schemaTable) Scan(context.Context, catalog.ScanRequest) (catalog.Scan, error) {
	return nil, fmt.Errorf("a table without rows is not read")
}

// planCatalog knows the table t of several types and TPC-H's lineitem.
func planCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	set := expr.NewSet()
	scalar.Register(set)
	agg.Register(set)
	c := catalog.New(catalog.LocalFiles{}, set)
	money := types.Decimal(15, 2)
	tables := map[string]*schemaTable{
		"t": {rows: 1000, schema: types.Schema{
			{Name: "a", Type: types.Integer}, {Name: "b", Type: types.BigInt, Nullable: true}, {Name: "s", Type: types.Varchar, Nullable: true},
			{Name: "d", Type: types.Date, Nullable: true}, {Name: "x", Type: types.Double, Nullable: true},
		}},
		"lineitem": {rows: 6001215, schema: types.Schema{
			{Name: "l_orderkey", Type: types.BigInt}, {Name: "l_quantity", Type: money}, {Name: "l_extendedprice", Type: money},
			{Name: "l_discount", Type: money}, {Name: "l_tax", Type: money}, {Name: "l_returnflag", Type: types.Varchar},
			{Name: "l_linestatus", Type: types.Varchar}, {Name: "l_shipdate", Type: types.Date},
		}},
	}
	putTables(t, c, tables)
	return c
}

func putTables(t testing.TB, c *catalog.Catalog, tables map[string]*schemaTable) {
	t.Helper()
	for name, table := range tables {
		if _, _, err := c.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: table}, catalog.ConflictFails); err != nil {
			t.Fatal(err)
		}
	}
}

// ruleCatalog has two smaller tables beside those of planCatalog, for joins, and three of one form, for subqueries.
func ruleCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c := planCatalog(t)
	keyed := func(name string) *schemaTable {
		return &schemaTable{rows: 1000, schema: types.Schema{
			{Name: name + "_id", Type: types.Integer}, {Name: name + "_k", Type: types.Integer, Nullable: true},
			{Name: name + "_v", Type: types.Integer, Nullable: true},
		}}
	}
	putTables(t, c, map[string]*schemaTable{
		"u": {rows: 100, schema: types.Schema{
			{Name: "k", Type: types.Integer}, {Name: "n", Type: types.BigInt, Nullable: true}, {Name: "s", Type: types.Varchar, Nullable: true},
			{Name: "d", Type: types.Date},
		}},
		"p": keyed("p"), "q": keyed("q"), "r": keyed("r"),
		"v": {rows: 10, schema: types.Schema{{Name: "k", Type: types.Integer}, {Name: "m", Type: types.BigInt, Nullable: true}}},
	})
	return c
}

// bindOne parses and binds one statement.
func bindOne(c *catalog.Catalog, text string) (*Bound, error) {
	statements, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return Bind(context.Background(), text, statements[0], Session{Catalog: c})
}

// TestGoldenRules shows for each rule, in a file of its name, what it makes of plans: the plan that reaches it, after the rules before it, and
// the plan that leaves it. The commands are rule and, in explain.test, explain for the physical plan.
func TestGoldenRules(t *testing.T) {
	c := ruleCatalog(t)
	files, err := filepath.Glob("testdata/plan/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	names := map[string]bool{"explain": true}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".test")
		names[name] = true
		t.Run(name, func(t *testing.T) {
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				bound, err := bindOne(c, d.Input)
				if err != nil {
					return err.Error() + "\n"
				}
				o := &plan.Optimizer{IDs: bound.IDs, Disabled: map[string]bool{}}
				for _, arg := range d.CmdArgs { // rule without=name
					o.Disabled[arg.Vals[0]] = true
				}
				if d.Cmd == "explain" {
					return explainText(t, o, bound.Plan)
				}
				before, after, err := o.Trace(bound.Plan, name)
				if err != nil {
					return err.Error() + "\n"
				}
				if err := plan.Check(before, name != "decorrelate"); err != nil {
					t.Errorf("before the rule: %v\n%s", err, d.Input)
				}
				if err := plan.Check(after, true); err != nil {
					t.Errorf("after the rule: %v\n%s", err, d.Input)
				}
				if got, want := plan.ExplainLogical(after), plan.ExplainLogical(before); got == want {
					return want + "unchanged\n"
				}
				return plan.ExplainLogical(before) + "=>\n" + plan.ExplainLogical(after)
			})
		})
	}
	for _, rule := range plan.RuleNames() {
		if !names[rule] {
			t.Errorf("rule %s has no golden file", rule)
		}
	}
}

func explainText(t *testing.T, o *plan.Optimizer, n plan.Node) string {
	n, err := o.Optimize(n)
	if err != nil {
		return err.Error() + "\n"
	}
	p, err := plan.Build(n)
	if err != nil {
		return err.Error() + "\n"
	}
	return plan.Explain(p, nil)
}

// TestOptimizerKeepsSchemas plans the TPC-H texts that bind, with every rule, with none and with each one off.
func TestOptimizerKeepsSchemas(t *testing.T) {
	c := planCatalog(t)
	for _, query := range []string{"q01", "q06"} {
		text, err := os.ReadFile("../../engine/testdata/tpch/queries/" + query + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := bindOne(c, string(text))
		if err != nil {
			t.Fatal(err)
		}
		want := plan.SchemaOf(bound.Plan)
		optimizers := []*plan.Optimizer{{IDs: bound.IDs}, {IDs: bound.IDs, Off: true}}
		for _, rule := range plan.RuleNames() {
			optimizers = append(optimizers, &plan.Optimizer{IDs: bound.IDs, Disabled: map[string]bool{rule: true}})
		}
		for _, o := range optimizers {
			n, err := o.Optimize(bound.Plan)
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.Build(n)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Root.Schema(); !got.Equal(want) {
				t.Errorf("%s, off %v, without %v: schema %v, want %v", query, o.Off, o.Disabled, got, want)
			}
		}
	}
}
