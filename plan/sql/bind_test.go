package sql

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// bindCatalog is planCatalog with more tables.
func bindCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c := planCatalog(t)
	optional := func(name string, typ types.Type) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: true}
	}
	for name, schema := range map[string]types.Schema{
		"Orders": {
			{Name: "id", Type: types.Integer}, optional("Customer Name", types.Varchar), optional("total", types.Decimal(10, 2)), optional("Placed", types.Timestamp),
		},
		"kinds": {
			optional("bool", types.Boolean), optional("i8", types.TinyInt), optional("i16", types.SmallInt), optional("u8", types.UTinyInt), optional("u64", types.UBigInt),
			optional("i128", types.HugeInt), optional("f32", types.Float), optional("dec", types.Decimal(5, 2)), optional("bytes", types.Blob), optional("clock", types.Time),
			optional("ts", types.Timestamp), optional("tz", types.TimestampTZ), optional("span", types.Interval), optional("id", types.UUID),
			optional("doc", types.JSON), optional("mood", types.EnumOf([]string{"sad", "ok"})),
		},
		"nested": {
			optional("st", types.StructOf(optional("f", types.Integer), optional("g", types.Varchar))), optional("l", types.ListOf(types.Integer)),
			optional("m", types.MapOf(types.Varchar, types.Integer)),
		},
		"twice": {{Name: "a", Type: types.Integer}, {Name: "A", Type: types.Varchar}},
	} {
		if _, _, err := c.Create(catalog.Object{Schema: catalog.DefaultSchema, Name: name, Table: &schemaTable{schema: schema}}, catalog.ConflictFails); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestBind binds statements, one a line, and shows the columns that they give, for the command plan the logical plan, or the error as the user sees
// it. Arguments of the command are the values of parameters. What binds is also planned, with the optimizer on and off: the columns stay the same.
func TestBind(t *testing.T) {
	c := bindCatalog(t)
	files, err := filepath.Glob("testdata/bind/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				parameters := map[string]*types.Vector{}
				for _, arg := range d.CmdArgs {
					parameters[arg.Key] = parameterValue(t, arg.Vals[0])
				}
				var b strings.Builder
				for _, text := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					b.WriteString(text + "\n")
					result := bindText(t, c, text, parameters)
					if d.Cmd == "plan" {
						result = planText(t, c, text)
					}
					for _, line := range strings.Split(result, "\n") {
						b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
					}
				}
				return b.String()
			})
		})
	}
}

func parameterValue(t *testing.T, text string) *types.Vector {
	t.Helper()
	typ, value := types.Varchar, any(text)
	if i, err := strconv.Atoi(text); err == nil {
		typ, value = types.Integer, i
	}
	v, err := types.NewValue(typ, value)
	if err != nil {
		t.Fatal(err)
	}
	return types.NewConstant(v, 1)
}

// planText gives the logical plan of a statement as it is bound, or its error.
func planText(t *testing.T, c *catalog.Catalog, text string) string {
	bound, err := bindOne(c, text)
	if err != nil {
		return bindText(t, c, text, nil)
	}
	return strings.TrimSuffix(plan.ExplainLogical(bound.Plan), "\n")
}

// bindText gives the columns of a statement, or its error.
func bindText(t *testing.T, c *catalog.Catalog, text string, parameters map[string]*types.Vector) string {
	statements, err := Parse(text)
	var bound *Bound
	if err == nil {
		bound, err = Bind(context.Background(), text, statements[0], Session{Catalog: c, Parameters: parameters})
	}
	var e *types.Error
	switch {
	case errors.As(err, &e):
		if e.Position.Line < 1 {
			t.Errorf("%s: the error has no place: %v", text, err)
		}
		return e.Report()
	case err != nil:
		t.Fatalf("%s: %v", text, err)
	case bound.Plan == nil:
		return "(no plan)"
	}
	schema := plan.SchemaOf(bound.Plan)
	checkPlan(t, text, bound)
	columns := make([]string, len(schema))
	for i, f := range schema {
		columns[i] = types.QuoteIdent(f.Name) + " " + f.Type.String()
		if !f.Nullable {
			columns[i] += " NOT NULL"
		}
	}
	shape := ""
	if bound.Explain || bound.Describe {
		shape = fmt.Sprintf(" (explain %v, analyze %v, describe %v)", bound.Explain, bound.Analyze, bound.Describe)
	}
	return strings.Join(columns, ", ") + shape
}

// checkPlan plans a bound query with the optimizer on and off. Expressions must read columns that their node's inputs have, as those are.
func checkPlan(t *testing.T, text string, bound *Bound) {
	t.Helper()
	if err := plan.Check(bound.Plan, false); err != nil {
		t.Errorf("%s: %v in\n%s", text, err, plan.ExplainLogical(bound.Plan))
	}
	want := plan.SchemaOf(bound.Plan)
	for _, off := range []bool{false, true} {
		n, err := (&plan.Optimizer{IDs: bound.IDs, Off: off}).Optimize(bound.Plan)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		checkColumns(t, text, n)
		p, err := plan.Build(n)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		got := p.Root.Schema()
		if len(got) != len(want) {
			t.Errorf("%s: optimizer off %v: planned to %v, bound to %v", text, off, got, want)
			return
		}
		for i := range want {
			if got[i].Name != want[i].Name || !got[i].Type.Equal(want[i].Type) || got[i].Nullable && !want[i].Nullable {
				t.Errorf("%s: optimizer off %v: planned to %v, bound to %v", text, off, got, want)
			}
		}
	}
}

// checkColumns checks that every column reference of a plan names a column below it, with its type.
func checkColumns(t *testing.T, text string, n plan.Node) {
	t.Helper()
	known := map[plan.ColumnID]plan.Column{}
	inputs := n.Children()
	if len(inputs) == 0 {
		for _, c := range n.Columns() { // filters of a scan read what it gives
			known[c.ID] = c
		}
	}
	for _, input := range inputs {
		checkColumns(t, text, input)
		for _, c := range input.Columns() {
			known[c.ID] = c
		}
	}
	for _, e := range n.Expressions() {
		e.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.Column {
				if c, ok := known[x.Column]; !ok || !c.Type.Equal(x.Type) {
					t.Errorf("%s: %s in\n%s reads a column that is not below it", text, x, plan.ExplainLogical(n))
				}
			}
			if x.Op == expr.Call {
				for i, a := range x.Args {
					if !a.Type.Equal(x.Function.Args[i]) {
						t.Errorf("%s: argument %s of %s is %s, the function takes %s", text, a, x, a.Type, x.Function.Args[i])
					}
				}
			}
			return true
		})
	}
}

// TestBindExpansion checks that text which grows to the power of its length is an error, in little time, and that long text is none.
func TestBindExpansion(t *testing.T) {
	c := bindCatalog(t)
	var aliases, queries, copied strings.Builder
	aliases.WriteString("SELECT 1 AS y0")
	queries.WriteString("WITH y0 AS (SELECT 1 AS one)")
	copied.WriteString("WITH y0 AS (SELECT 1 AS one)")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&aliases, ", y%d + y%d AS y%d", i-1, i-1, i)
		fmt.Fprintf(&queries, ", y%d AS (SELECT * FROM y%d UNION ALL SELECT * FROM y%d)", i, i-1, i-1)
		fmt.Fprintf(&copied, ", y%d AS NOT MATERIALIZED (SELECT * FROM y%d UNION ALL SELECT * FROM y%d)", i, i-1, i-1)
	}
	long := "SELECT a IN (" + strings.Repeat("1, ", 50000) + "2)" + strings.Repeat(" AND a < 5", 5000) + " FROM t"
	deep := "SELECT " + strings.Repeat("-(", 1500) + "a" + strings.Repeat(")", 1500) + " FROM t"
	for _, test := range []struct {
		name, text string
		code       types.Code
	}{
		{"aliases", aliases.String(), types.CodeTooComplex},
		{"WITH queries", queries.String() + " SELECT * FROM y60", ""},
		{"WITH queries that are copied", copied.String() + " SELECT * FROM y60", types.CodeTooComplex},
		{"long text", long, ""},
		{"deep text", deep, types.CodeTooComplex},
		{"a long sum", "SELECT a" + strings.Repeat(" + x", 9000) + " FROM t", ""},
	} {
		bound, err := bindOne(c, test.text)
		var e *types.Error
		switch {
		case test.code == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.code != "" && (!errors.As(err, &e) || e.Code != test.code):
			t.Errorf("%s: %v, want code %s", test.name, err, test.code)
		case err == nil:
			checkPlan(t, test.name, bound)
		}
	}
}

// TestBindChains checks that chains of thousands of joins and set operations bind: they are bound in loops.
func TestBindChains(t *testing.T) {
	c := bindCatalog(t)
	for _, chain := range []string{
		"SELECT count(*) FROM t AS t0" + repeat(2000, func(i int) string { return fmt.Sprintf(" JOIN t AS t%d ON t%d.a = t%d.a", i, i-1, i) }),
		"SELECT a FROM t AS t0" + repeat(2000, func(i int) string { return fmt.Sprintf(" FULL JOIN (SELECT a FROM t) AS t%d USING (a)", i) }),
		"SELECT a FROM t" + strings.Repeat(" INTERSECT SELECT a FROM t", 2000),
		"SELECT a FROM t" + strings.Repeat(" UNION BY NAME SELECT b FROM t", 2000),
	} {
		if _, err := bindOne(c, chain); err != nil {
			t.Errorf("%.60s...: %v", chain, err)
		}
	}
}

func repeat(n int, part func(i int) string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(part(i))
	}
	return b.String()
}
