package slt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/engine/slt"
)

// fakeDB answers each SQL text with a fixed result.
type fakeDB map[string]any // slt.Result or error

func (db fakeDB) Exec(sql string) (slt.Result, error) {
	switch answer := db[sql].(type) {
	case slt.Result:
		return answer, nil
	case error:
		return slt.Result{}, answer
	}
	return slt.Result{}, errors.New("the fake knows no answer to " + sql)
}

var answers = fakeDB{
	"CREATE TABLE t(a INTEGER, b REAL, c TEXT)":                         slt.Result{},
	"INSERT INTO t VALUES (1, 0.5, 'x'), (NULL, 2, ''), (3, NULL, 'é')": slt.Result{Affected: 3},
	"SELECT a, c, b\nFROM t": slt.Result{Types: "ITR", Columns: []string{"a", "c", "b"},
		Rows: [][]string{{"1", "x", "0.5"}, {"NULL", "", "2"}, {"3", "é", "NULL"}}},
	"SELECT a, c, b FROM t": slt.Result{Types: "ITR", Columns: []string{"a", "c", "b"},
		Rows: [][]string{{"1", "x", "0.5"}, {"NULL", "", "2"}, {"3", "é", "NULL"}}},
	"SELECT a, c FROM t": slt.Result{Types: "IT", Columns: []string{"a", "c"},
		Rows: [][]string{{"1", "x"}, {"NULL", ""}, {"3", "é"}}},
	"SELECT a FROM t": slt.Result{Types: "I", Columns: []string{"a"}, Rows: [][]string{{"1"}, {"NULL"}, {"3"}}},
	"SELECT a FROM t ORDER BY a DESC": slt.Result{Types: "I", Columns: []string{"a"},
		Rows: [][]string{{"3"}, {"1"}, {"NULL"}}},
	"SELECT a > 1 FROM t": slt.Result{Types: "T", Columns: []string{"a > 1"},
		Rows: [][]string{{"false"}, {"NULL"}, {"true"}}},
	"SELECT nothing": slt.Result{Types: "I", Columns: []string{"nothing"}},
	"SELECT text": slt.Result{Types: "TT", Columns: []string{"p", "q"},
		Rows: [][]string{{"two words", "more\nlines"}, {"", "[1, 2]"}}},
	"SELECT z FROM t": errors.New("no such column: z\n\n  did you mean: a, b, c?\n"),
	"SELECT q FROM t": errors.New("no such column: q (a)"),
}

var runner = slt.Runner{DB: answers, Names: []string{"lacuna"}}

// TestRunCorpus runs the files that must pass.
func TestRunCorpus(t *testing.T) {
	want := map[string]slt.Report{"sqlite.slt": {Passed: 13, Skipped: 2}, "rs.slt": {Passed: 10}}
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			report := runner.Run(parseFile(t, name))
			for _, failure := range report.Failures {
				t.Error(failure)
			}
			if report.Passed != want.Passed || report.Skipped != want.Skipped {
				t.Errorf("%d passed and %d skipped, want %d and %d", report.Passed, report.Skipped, want.Passed, want.Skipped)
			}
		})
	}
}

func TestTables(t *testing.T) {
	tables := parseFile(t, "rs.slt").Tables
	want := slt.Table{Name: "people", Path: filepath.Join("testdata", "people.arrow"), Line: 2}
	if len(tables) != 1 || tables[0] != want {
		t.Errorf("got %+v, want %+v alone", tables, want)
	}
}

// TestFailures checks that each wrong expectation is found, and what the message says.
func TestFailures(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // parts of the only failure's message
	}{
		{"value", "query I\nSELECT a FROM t\n----\n1\nNULL\n4\n", []string{"f.slt:1: wrong result", "- 4", "+ 3", "SELECT a FROM t"}},
		{"missing row", "\n\nquery I\nSELECT a FROM t\n----\n1\nNULL\n", []string{"f.slt:3:", "+ 3"}},
		{"extra row", "query I\nSELECT a FROM t\n----\n1\nNULL\n3\n3\n", []string{"- 3"}},
		{"no rows", "query I\nSELECT a FROM t\n----\n", []string{"+ 1"}},
		{"order", "query I nosort\nSELECT a FROM t\n----\nNULL\n1\n3\n", []string{"wrong result"}},
		{"column", "# dialect: rs\nquery TT\nSELECT text\n----\ntwo\twords more\\nlines\n(empty)\t[1, 2]\n", []string{"wrong result"}},
		{"null text", "# dialect: rs\nquery IT rowsort\nSELECT a, c FROM t\n----\n1 x\nNULL NULL\n3 é\n", []string{"- NULL\tNULL"}},
		{"real", "# dialect: rs\nquery T\nSELECT a, c, b FROM t\n----\n1 x 0.51\nNULL (empty) 2\n3 é NULL\n", []string{"- 1\tx\t0.51"}},
		{"values", "query IT valuesort\nSELECT a, c FROM t\n----\n1\n3\n", []string{"+ NULL"}},
		{"hash", "query I\nSELECT a FROM t\n----\n3 values hashing to 00000000000000000000000000000000\n",
			[]string{"- 3 values hashing to 0", "+ 3 values hashing to "}},
		{"columns", "query II\nSELECT a FROM t\n----\n1\n", []string{"expected 2 columns (II), got 1 (a)"}},
		{"label", "query I nosort L\nSELECT a FROM t\n\nquery I nosort L\nSELECT a FROM t ORDER BY a DESC\n",
			[]string{"f.slt:4:", "differs from the one at f.slt:1", "same label L"}},
		{"count", "statement count 2\n" + insert, []string{"expected 2 rows changed, got 3"}},
		{"error", "statement ok\nSELECT q FROM t\n", []string{"unexpected error", "no such column: q"}},
		{"query error", "query I\nSELECT q FROM t\n----\n", []string{"unexpected error"}},
		{"no error", "statement error\nSELECT a FROM t\n", []string{"expected an error"}},
		{"other error", "statement error table\nSELECT q FROM t\n", []string{"matches\n    table", "no such column: q"}},
		{"error text", "statement error\nSELECT q FROM t\n----\nno such column: r\n", []string{"- no such column: r", "+ no such column: q (a)"}},
		{"include", "include missing.slt\n", []string{"f.slt:1: include: ", "missing.slt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report := runner.Run(parse(t, test.text))
			if len(report.Failures) != 1 {
				t.Fatalf("%d failures, want 1: %v", len(report.Failures), report.Failures)
			}
			message := report.Failures[0].Error()
			for _, want := range test.want {
				if !strings.Contains(message, want) {
					t.Errorf("no %q in:\n%s", want, message)
				}
			}
		})
	}
}

const insert = "INSERT INTO t VALUES (1, 0.5, 'x'), (NULL, 2, ''), (3, NULL, 'é')\n"

// TestRunGoesOn checks that a failure does not end the run.
func TestRunGoesOn(t *testing.T) {
	report := runner.Run(parse(t, "statement ok\nX\n\nstatement ok\nY\n\nquery I\nSELECT nothing\n"))
	if len(report.Failures) != 2 || report.Passed != 1 {
		t.Errorf("%d failed and %d passed, want 2 and 1", len(report.Failures), report.Passed)
	}
}

func TestIncludeCycle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.slt")
	if err := os.WriteFile(path, []byte("include loop.slt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := slt.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	report := runner.Run(f)
	if len(report.Failures) != 1 || !strings.Contains(report.Failures[0].Message, "circle") {
		t.Errorf("got %v", report.Failures)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"\nquery I rowsrot\nSELECT 1\n", `f.slt:2: unknown sort mode "rowsrot"`},
		{"query\nSELECT 1\n", "column types"},
		{"query X\nSELECT 1\n", "letters out of I, T and R"},
		{"query I nosort a b\nSELECT 1\n", `unexpected "b"`},
		{"statement\nSELECT 1\n", "statement must be followed by"},
		{"statement fine\nSELECT 1\n", `not "fine"`},
		{"statement count many\nSELECT 1\n", `"many"`},
		{"statement error (\nSELECT 1\n", "missing closing )"},
		{"statement error x\nSELECT 1\n----\nx\n", "not both"},
		{"statement ok\nSELECT 1\n----\n1\n", "has no result"},
		{"statement ok\n\nSELECT 1\n", "f.slt:1: no SQL below"},
		{"statement ok\n", "no SQL below"},
		{"SELECT 1\n", `unknown record "SELECT"`},
		{"skipif\n", "takes one name"},
		{"skipif a b\n", "takes one name"},
		{"skipif a\n", "without a record"},
		{"skipif a\nhash-threshold 3\n", "skipif and onlyif go before"},
		{"hash-threshold x\n", `"x"`},
		{"control sortmode up\n", "unknown sort mode"},
		{"control speed 3\n", "unknown setting"},
		{"control sortmode\n", "takes a setting and a value"},
		{"include\n", "takes one path"},
		{"# dialect: mine\n", `unknown dialect "mine"`},
		{"halt\n# dialect: rs\n", "before the first record"},
	}
	for _, test := range tests {
		_, err := slt.Parse("f.slt", test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "f.slt:") {
			t.Errorf("%q: got error %v, want one with %q", test.text, err, test.want)
		}
	}
}

func TestRewrite(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"result", "# note \n\nquery  IT   nosort\nSELECT a, c FROM t\n----\nold\n\n\n# end", // all else byte for byte
			"# note \n\nquery  IT   nosort\nSELECT a, c FROM t\n----\n1\nx\nNULL\n(empty)\n3\n@\n\n\n# end"},
		{"row-wise", "# dialect: rs\nquery IT rowsort\nSELECT a, c FROM t\n----\n\nhalt\n",
			"# dialect: rs\nquery IT rowsort\nSELECT a, c FROM t\n----\n1\tx\n3\té\nNULL\t(empty)\n\nhalt\n"},
		{"no section", "query I\nSELECT a FROM t", "query I\nSELECT a FROM t\n----\n1\nNULL\n3\n"},
		{"hash", "hash-threshold 2\n\nquery I\nSELECT a FROM t\n----\n",
			"hash-threshold 2\n\nquery I\nSELECT a FROM t\n----\n3 values hashing to feae869c66ba54d2e7bd4480f2a7b0d8\n"},
		{"line endings", "query I\r\nSELECT a FROM t\r\n----\r\n2\r\n", "query I\r\nSELECT a FROM t\r\n----\r\n1\r\nNULL\r\n3\r\n"},
		{"count", "statement count 1\n" + insert, "statement count 3\n" + insert},
		{"error", "query error z\nSELECT q FROM t\n", "query error no such column: q \\(a\\)\nSELECT q FROM t\n"},
		{"long error", "statement error q\nSELECT z FROM t\n\nhalt\n",
			"statement error\nSELECT z FROM t\n----\nno such column: z\n\n  did you mean: a, b, c?\n\nhalt\n"},
		{"passing", "# dialect: rs\nquery ITR\nSELECT a, c, b FROM t\n----\n1  x  0.50\nNULL (empty) 2.0\n3 é NULL\n",
			"# dialect: rs\nquery ITR\nSELECT a, c, b FROM t\n----\n1  x  0.50\nNULL (empty) 2.0\n3 é NULL\n"},
		{"skipped", "skipif lacuna\nquery I\nSELECT a FROM t\n----\nold\n", "skipif lacuna\nquery I\nSELECT a FROM t\n----\nold\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, failures := runner.Rewrite(parse(t, test.text))
			if text != test.want {
				t.Errorf("got\n%q\nwant\n%q", text, test.want)
			}
			if len(failures) > 0 {
				t.Errorf("failures: %v", failures)
			}
			rewritten := parse(t, text)
			if report := runner.Run(rewritten); len(report.Failures) > 0 {
				t.Errorf("the rewritten file fails: %v", report.Failures)
			}
			if again, _ := runner.Rewrite(rewritten); again != text {
				t.Errorf("a second rewrite gives\n%q", again)
			}
		})
	}
}

// TestRewriteLeaves checks that what a new result cannot mend stays as it is and is reported.
func TestRewriteLeaves(t *testing.T) {
	tests := []string{
		"statement ok\nSELECT q FROM t\n",
		"statement error\nSELECT a FROM t\n",
		"query II\nSELECT a FROM t\n----\n1\n",
		"query I\nSELECT q FROM t\n----\n1\n",
		"include missing.slt\n",
	}
	for _, text := range tests {
		rewritten, failures := runner.Rewrite(parse(t, text))
		if rewritten != text || len(failures) != 1 {
			t.Errorf("%q: rewritten to %q with failures %v", text, rewritten, failures)
		}
	}
}

// TestParseHouse parses the test files of the engine, those in subfolders too.
func TestParseHouse(t *testing.T) {
	err := filepath.WalkDir(filepath.Join("..", "testdata"), func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".slt" {
			return err
		}
		f, err := slt.ParseFile(path)
		if err != nil {
			t.Error(err)
		} else if len(f.Records) == 0 {
			t.Errorf("%s has no records", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// FuzzParse checks that no text makes the parser or the runner panic, and that rewriting with skipped records changes nothing.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"sqlite.slt", "rs.slt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("query I\nSELECT a FROM t\n----\n1\n\nstatement error\nSELECT z FROM t\n----\nx\n\n\n  y\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := slt.Parse("f.slt", text)
		if err != nil || strings.Contains(text, "include") { // a fuzzer should not open the files that it makes up
			return
		}
		rewritten, failures := runner.Rewrite(file)
		if len(runner.Run(file).Failures) == 0 && len(failures) > 0 {
			t.Errorf("rewriting reports failures that running does not: %v", failures)
		}
		empty := slt.Runner{DB: answers, Names: nil}
		for i := range file.Records {
			file.Records[i].Conditions = []slt.Condition{{Only: true, Name: "nobody"}}
		}
		if unchanged, _ := empty.Rewrite(file); unchanged != text {
			t.Errorf("rewriting nothing changed %q to %q (with results: %q)", text, unchanged, rewritten)
		}
	})
}

func parse(t *testing.T, text string) *slt.File {
	t.Helper()
	f, err := slt.Parse("f.slt", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parseFile(t *testing.T, name string) *slt.File {
	t.Helper()
	f, err := slt.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
