package sql

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// rewriteProbes says that golden files are to be written anew; datadriven registers the flag.
func rewriteProbes() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// outcome is what the golden files hold for a text: one tree a line for each statement, or the error.
func outcome(text string) string {
	statements, err := Parse(text)
	if err != nil {
		var e *types.Error
		if !errors.As(err, &e) {
			return "! " + err.Error()
		}
		s := fmt.Sprintf("! %s %d:%d %s", e.Code, e.Position.Line, e.Position.Column, e.Message)
		if e.Hint != "" {
			s += " | " + e.Hint
		}
		return s
	}
	var lines []string
	for _, s := range statements {
		lines = append(lines, Tree(s))
	}
	return strings.Join(lines, "\n")
}

// probe is one entry of a golden file: a text, and what becomes of it.
type probe struct{ sql, want string }

// readProbes reads a golden file. Lines that start with "> " are SQL, the lines behind them the outcome; "#" starts a
// comment, kept on rewriting.
func readProbes(t testing.TB, path string) []probe {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var probes []probe
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			probes = append(probes, probe{sql: line[2:]})
		case line == "" || line[0] == '#':
			probes = append(probes, probe{want: line})
		default:
			p := &probes[len(probes)-1]
			p.want = strings.TrimPrefix(p.want+"\n"+line, "\n")
		}
	}
	return probes
}

func TestProbes(t *testing.T) {
	const path = "testdata/probes.txt"
	var b strings.Builder
	for _, p := range readProbes(t, path) {
		if p.sql == "" {
			b.WriteString(p.want + "\n")
			continue
		}
		got := outcome(p.sql)
		fmt.Fprintf(&b, "> %s\n%s\n", p.sql, got)
		if got != p.want && !rewriteProbes() {
			t.Errorf("%s\n got %s\nwant %s", p.sql, got, p.want)
		}
	}
	if rewriteProbes() {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// texts gives every statement of the golden file and of TPC-H that parses.
func texts(t testing.TB) []string {
	t.Helper()
	var list []string
	for _, p := range readProbes(t, "testdata/probes.txt") {
		if p.sql != "" && !strings.HasPrefix(p.want, "! ") {
			list = append(list, p.sql)
		}
	}
	return append(list, tpch(t)...)
}

func tpch(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob("../../engine/testdata/tpch/queries/*.sql")
	if len(files) != 22 {
		t.Fatalf("found %d TPC-H queries, want 22", len(files))
	}
	var list []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

func TestPrintRoundTrip(t *testing.T) {
	for _, text := range texts(t) {
		statements, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, s := range statements {
			checkRoundTrip(t, s)
		}
	}
}

// checkRoundTrip checks that a printed statement parses to the same tree.
func checkRoundTrip(t testing.TB, s Statement) {
	t.Helper()
	printed := SQL(s)
	again, err := Parse(printed)
	if err != nil {
		t.Errorf("printed text does not parse: %v\n%s", err, printed)
		return
	}
	if len(again) != 1 || Tree(again[0]) != Tree(s) {
		t.Errorf("printed text gives another tree:\n%s\n got %s\nwant %s", printed, Tree(again[0]), Tree(s))
	}
}

// TestSpans checks that spans nest, and that the text under an expression's span is that expression.
func TestSpans(t *testing.T) {
	for _, text := range texts(t) {
		statements, err := Parse(text)
		if err != nil {
			continue
		}
		for _, s := range statements {
			walk(reflect.ValueOf(s), Span{0, len(text)}, func(n Node, parent Span) {
				at := n.Range()
				if at.Start < parent.Start || at.End > parent.End || at.Start >= at.End {
					t.Errorf("%s\n%T spans %v, not within %v", text, n, at, parent)
					return
				}
				e, ok := n.(Expr)
				if !ok {
					return
				}
				switch e.(type) {
				case *Lambda, *Default, *Parameter, *Star, *Unpack:
					return
				}
				part := text[at.Start:at.End]
				again, err := Parse("SELECT " + part)
				if err != nil {
					_, literal := e.(*Literal) // the 1 of FETCH FIRST ROW, the field of EXTRACT
					_, word := s.(*Set)        // SET x = on
					if !literal && !word {
						t.Errorf("%s\nthe text of %s does not parse: %s: %v", text, Tree(e), part, err)
					}
					return
				}
				got := again[0].(*Query).Body.(*Select).Items[0].Expr
				if _, ok := e.(*Literal); !ok && Tree(got) != Tree(e) && !strings.Contains(Tree(e), "$") {
					t.Errorf("%s\nspan of %s is that of %s", text, Tree(e), Tree(got))
				}
			})
		}
	}
}

// walk visits every node below v with the span of the node around it.
func walk(v reflect.Value, parent Span, visit func(Node, Span)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), parent, visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(Node); ok {
			visit(n, parent)
			parent = n.Range()
		}
		walk(v.Elem(), parent, visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), parent, visit)
		}
	case reflect.Struct:
		if n, ok := v.Interface().(Node); ok && v.Type() != reflect.TypeOf(Span{}) && !v.CanAddr() {
			visit(n, parent)
			parent = n.Range()
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Span" && v.Type().Field(i).Name != "OpSpan" {
				walk(v.Field(i), parent, visit)
			}
		}
	}
}

func TestOperatorSpan(t *testing.T) {
	const text = "SELECT (a + b) || c, x = ANY (y), 1 <= (2)"
	statements, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	items := statements[0].(*Query).Body.(*Select).Items
	for i, want := range []string{"||", "", "<="} {
		if b, ok := items[i].Expr.(*Binary); ok {
			if got := text[b.OpSpan.Start:b.OpSpan.End]; got != want {
				t.Errorf("operator %d is %q, want %q", i, got, want)
			}
		} else if want != "" {
			t.Errorf("item %d is a %T", i, items[i].Expr)
		}
	}
}

func TestErrorReport(t *testing.T) {
	for text, want := range map[string]string{
		"select a::int b c from t": `ERROR: syntax error at or near "c"
LINE 1: select a::int b c from t
                        ^
SQLSTATE: 42601`,
		"select größe::int, [1, 2 from t": `ERROR: unclosed "["
LINE 1: select größe::int, [1, 2 from t
                           ^
SQLSTATE: 42601`,
		"select 1;\nselect a\nfrom t where a = = 2": `ERROR: syntax error at or near "="
LINE 3: from t where a = = 2
                         ^
SQLSTATE: 42601`,
	} {
		_, err := Parse(text)
		var e *types.Error
		if !errors.As(err, &e) || e.Report() != want {
			t.Errorf("%s\n got %v\nwant %s", text, e.Report(), want)
		}
	}
}

func TestSplit(t *testing.T) {
	const text = "select 1; ; select ';' -- ; \n; /* ; /* ; */ ; */ select $$;$$ , \"a;b\""
	spans, err := Split(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spans {
		got = append(got, text[s.Start:s.End])
	}
	want := []string{"select 1", "select ';'", `select $$;$$ , "a;b"`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Split("select 'abc"); err == nil {
		t.Error("no error for an unterminated string")
	}
}

// TestLimits checks that long and deep texts are parsed or refused in time, never with a crash.
func TestLimits(t *testing.T) {
	repeat := func(head, part, tail string, n int) string { return head + strings.Repeat(part, n) + tail }
	for _, c := range []struct {
		name, text string
		code       types.Code // empty: parses
	}{
		{"parentheses", repeat("select ", "(", "1", 400) + strings.Repeat(")", 400), ""},
		{"too many parentheses", repeat("select ", "(", "1", 501) + strings.Repeat(")", 501), types.CodeTooComplex},
		{"million parentheses", repeat("select ", "(", "1", 1_000_000), types.CodeTooComplex},
		{"subqueries", repeat("select ", "(select ", "1", 400) + strings.Repeat(")", 400), ""},
		{"derived tables", repeat("", "select * from (", "select 1", 400) + strings.Repeat(")", 400), ""},
		{"functions", repeat("select ", "f(", "1", 400) + strings.Repeat(")", 400), ""},
		{"case", repeat("select ", "case when a then ", "1", 400) + strings.Repeat(" end", 400), ""},
		{"too many case", repeat("select ", "case when a then ", "1", 100_000) + strings.Repeat(" end", 100_000), types.CodeTooComplex},
		{"lambdas", repeat("select f(", "x -> ", "1)", 100_000), types.CodeTooComplex},
		{"and", repeat("select a", " and a", "", 50_000), ""},
		{"or", repeat("select a", " or a", "", 50_000), ""},
		{"too many and", repeat("select a", " and a", "", 200_000), types.CodeTooComplex},
		{"plus", repeat("select a", " + a", "", 9_000), ""},
		{"concatenation", repeat("select a", " || a", "", 9_000), ""},
		{"too many plus", repeat("select a", " + a", "", 20_000), types.CodeTooComplex},
		{"casts", repeat("select a", "::int", "", 9_000), ""},
		{"too many casts", repeat("select a", "::int", "", 20_000), types.CodeTooComplex},
		{"signs", repeat("select ", "- ", "a", 9_000), ""},
		{"too many signs", repeat("select ", "- ", "a", 20_000), types.CodeTooComplex},
		{"not", repeat("select ", "not ", "a", 9_000), ""},
		{"too many not", repeat("select ", "not ", "a", 20_000), types.CodeTooComplex},
		{"prefix operators", repeat("select ", "~ ", "a", 20_000), types.CodeTooComplex},
		{"in list", repeat("select a in (1", ", 2", ")", 100_000), ""},
		{"values", repeat("values (1, 'x')", ", (1, 'x')", "", 50_000), ""},
		{"columns", repeat("select a", ", a", " from t", 50_000), ""},
		{"joins", repeat("select * from t", " join t on a", "", 4_000), ""},
		{"nested joins", repeat("select * from t", " join t", "", 4_000) + strings.Repeat(" on a", 4_000), ""},
		{"too many joins", repeat("select * from t", " join t on a", "", 6_000), types.CodeTooComplex},
		{"cross joins", repeat("select * from t", ", t", "", 4_000), ""},
		{"unions", repeat("select 1", " union all select 1", "", 9_000), ""},
		{"too many unions", repeat("select 1", " union all select 1", "", 20_000), types.CodeTooComplex},
		{"ctes", repeat("with a as (select 1)", ", b as (select 2)", " select 1", 5_000), ""},
		{"comments", repeat("select", " /**/", " 1", 1_000_000), ""},
		{"semicolons", repeat("", ";", "select 1", 1_000_000), ""},
		{"array type", repeat("select a::int", "[]", "", 100_000), types.CodeTooComplex},
		{"nested type", repeat("select a::", "struct(x ", "int", 400) + strings.Repeat(")", 400), ""},
		{"explain", repeat("", "explain ", "select 1", 100_000), types.CodeTooComplex},
		{"long text", repeat("select '", "x", "'", maxTextSize), types.CodeProgramLimit},
		{"long string", repeat("select '", "x", "'", 8<<20), ""},
		{"long name", repeat("select ", "x", "", 1<<20), ""},
		{"long number", repeat("select ", "9", "", 1<<20), ""},
		{"quoted quotes", repeat("select '", "''", "'", 1<<20), ""},
	} {
		_, err := Parse(c.text)
		var e *types.Error
		switch {
		case err == nil && c.code != "":
			t.Errorf("%s: no error, want %s", c.name, c.code)
		case err != nil && (!errors.As(err, &e) || e.Code != c.code):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestInvalidText(t *testing.T) {
	for _, text := range []string{"select 'a\xff'", "select \x00", "select '\x00'", "\xc3", "select E'\\xff'", "select E'\\0'"} {
		_, err := Parse(text)
		var e *types.Error
		if !errors.As(err, &e) || e.Code != types.CodeInvalidUTF8 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRewrittenTextIsHidden checks that no error shows the text that the parser below saw.
func TestRewrittenTextIsHidden(t *testing.T) {
	for _, p := range readProbes(t, "testdata/probes.txt") {
		_, err := Parse(p.sql)
		if err == nil {
			continue
		}
		if m := err.Error(); strings.ContainsAny(m, "\x00") || strings.Contains(m, "REGEXP") || strings.Contains(m, "line 1 column") && !strings.Contains(m, "at line 1") {
			t.Errorf("%s: %s", p.sql, m)
		}
	}
}

func TestConcurrentParse(t *testing.T) {
	list := texts(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, text := range list {
				want := outcome(text)
				if got := outcome(text); got != want {
					t.Errorf("%s\n got %s\nwant %s", text, got, want)
				}
			}
		})
	}
	group.Wait()
}
