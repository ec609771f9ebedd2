package main

import (
	"bufio"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the program prints now into testdata")

// outcome is what a run of the program did.
type outcome struct {
	status         int
	stdout, stderr string
}

func runWith(stdin string, args ...string) outcome {
	var stdout, stderr strings.Builder
	status := run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// TestGolden runs the SQL files of testdata in both modes and compares what is printed, output and errors, with the files beside them.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no SQL files", err)
	}
	for _, path := range files {
		for _, mode := range []string{"box", "csv"} {
			golden := strings.TrimSuffix(path, ".sql") + "." + mode
			t.Run(filepath.Base(golden), func(t *testing.T) {
				o := runWith("", "-mode", mode, "-f", path)
				got := o.stdout + o.stderr
				if *rewrite {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if failed := o.stderr != ""; failed != (o.status == 1) {
					t.Errorf("status %d with errors %q", o.status, o.stderr)
				}
			})
		}
	}
}

func TestArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.sql")
	if err := os.WriteFile(file, []byte("SELECT 3 AS c;\nSELECT 4 AS d"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, stdin string
		args        []string
		want        outcome
	}{
		{"one -c", "", []string{"-mode", "csv", "-c", "SELECT 1 AS a"}, outcome{0, "a\n1\n", ""}},
		{"-c and -f in order", "", []string{"-mode=csv", "-c", "SELECT 1 AS a; SELECT 2 AS b;", "-f", file, "-c", "SELECT 5 AS e"},
			outcome{0, "a\n1\nb\n2\nc\n3\nd\n4\ne\n5\n", ""}},
		{"standard input", "SELECT 1 AS a;\n-- done\n", []string{"-mode", "csv", "-threads", "1"}, outcome{0, "a\n1\n", ""}},
		{"nothing", "", []string{"-mode", "csv"}, outcome{0, "", ""}},
		{"error ends the run", "SELECT 1 AS a;\nSELECT\n  x;\nSELECT 2", []string{"-mode", "csv"},
			outcome{1, "a\n1\n", "ERROR: column \"x\" does not exist\nLINE 3:   x;\n          ^\nSQLSTATE: 42703\n"}},
		{"error between -c", "", []string{"-mode", "csv", "-c", "SELEC", "-c", "SELECT 1"},
			outcome{1, "", "ERROR: syntax error at or near \"SELEC\"\nLINE 1: SELEC\n        ^\nSQLSTATE: 42601\n"}},
		{"error in the data", "SELECT v::INTEGER AS n FROM (VALUES ('1'), ('x')) t(v)", []string{"-mode", "csv", "-threads", "1"},
			outcome{1, "n\n", "ERROR: invalid input syntax for type INTEGER: \"x\"\nDETAIL: row 1\n" +
				"LINE 1: SELECT v::INTEGER AS n FROM (VALUES ('1'), ('x')) t(v)\n               ^\nSQLSTATE: 22P02\n"}},
		{"unterminated", "SELECT 'a", nil, outcome{1, "", ""}},
		{"wrong mode", "", []string{"-mode", "xml"}, outcome{2, "", "unknown mode \"xml\"; the modes are " + modeNames() + "\n"}},
		{"SQL without -c", "", []string{"SELECT 1"}, outcome{2, "", "unexpected argument \"SELECT 1\"; SQL goes after -c, a file's name after -f\n"}},
		{"wrong threads", "", []string{"-threads", "-2"}, outcome{2, "", "ERROR: the number of threads must not be negative: -2\nSQLSTATE: 22023\n"}},
		{"missing file", "", []string{"-f", filepath.Join("testdata", "missing.sql")}, outcome{1, "", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := runWith(test.stdin, test.args...)
			if got.status == 1 && got.stderr != "" && test.want.stderr == "" {
				got.stderr = "" // whatever its words
			}
			if got != test.want {
				t.Errorf("got\n%+v\nwant\n%+v", got, test.want)
			}
		})
	}
}

// TestHelp checks that asking for help is no error.
func TestHelp(t *testing.T) {
	o := runWith("", "-h")
	if o.status != 0 || !strings.Contains(o.stderr, "-mode") {
		t.Errorf("got %+v", o)
	}
}

// TestPrompt checks the dialogue: statements over several lines, errors that do not end it, the end of the input.
func TestPrompt(t *testing.T) {
	var stdout, stderr strings.Builder
	s := newSession(t, &stdout, &stderr)
	s.interact(typed(&stdout, "\nSELECT 1\n  AS a; -- one\nSELECT ';\n';\nSELECT x;\n.mode box\n.mode\n.nothing\n.mode csv\nSELECT 2 AS b"))
	want := "lacuna> lacuna> " + "   ...> a\n1\n" + "lacuna> " + "   ...> '; '\n\";\n\"\n" + "lacuna> " + "lacuna> " + "lacuna> box\n" + "lacuna> " + "lacuna> " + "lacuna> b\n2\n\n"
	if got := stdout.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "ERROR: column \"x\" does not exist\n") || !strings.HasSuffix(got, "ERROR: unknown command .nothing; .help lists the commands\n") {
		t.Errorf("errors: %s", got)
	}
}

// typed gives the lines of a text to a dialogue.
func typed(stdout *strings.Builder, text string) lineReader {
	return &plainLines{input: bufio.NewReader(strings.NewReader(text)), output: stdout}
}

// interrupting is a dialogue whose second line is taken back with Ctrl-C.
type interrupting struct {
	lineReader
	lines      int
	remembered []string
}

func (l *interrupting) ReadLine(prompt string) (string, error) {
	line, err := l.lineReader.ReadLine(prompt)
	if l.lines++; l.lines == 2 {
		return "", errInterrupted
	}
	return line, err
}

func (l *interrupting) Remember(statement string) { l.remembered = append(l.remembered, statement) }

// TestTakenBack checks that Ctrl-C at the prompt throws away the whole statement, and what the history gets.
func TestTakenBack(t *testing.T) {
	var stdout, stderr strings.Builder
	s := newSession(t, &stdout, &stderr)
	lines := &interrupting{lineReader: typed(&stdout, "SELECT\n1,\nSELECT 2\nAS b;\n.timer off\n.quit\nSELECT 3;\n")}
	s.interact(lines)
	if want := "lacuna> " + nextPrompt + "lacuna> " + nextPrompt + "b\n2\n" + "lacuna> lacuna> "; stdout.String() != want {
		t.Errorf("got\n%q\nwant\n%q", stdout.String(), want)
	}
	if want := []string{"SELECT 2\nAS b;", ".timer off", ".quit"}; !slices.Equal(lines.remembered, want) || stderr.Len() > 0 {
		t.Errorf("history %q, want %q; errors %s", lines.remembered, want, &stderr)
	}
}

// TestCommands runs scripts with commands in them.
func TestCommands(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	two := write("two.sql", ".mode line\nSELECT 3 AS c, 'x' AS long_name;")
	itself := filepath.Join(folder, "itself.sql")
	write("itself.sql", ".read "+itself)
	tests := []struct {
		name, script, stdout, stderr string
	}{
		{"modes", "SELECT 1 AS a;\n.mode markdown\nSELECT 1 AS a, 'x|y' AS b, NULL AS c;", "a\n1\n| a | b | c |\n| --: | --- | --- |\n| 1 | x\\|y | NULL |\n", ""},
		{"json", ".mode json\nSELECT 1 AS a, 'x\"' AS b UNION ALL SELECT NULL, NULL;\n.mode jsonlines\nSELECT [1, 2] AS c, 0.5 AS d;", "[\n{\"a\":1,\"b\":\"x\\\"\"},\n{\"a\":null,\"b\":null}\n]\n{\"c\":[1,2],\"d\":0.5}\n", ""},
		{"read", ".read " + two + "\nSELECT 4 AS d;", "        c = 3\nlong_name = x\nd = 4\n", ""},
		{"lines", ".mode line\nSELECT * FROM (VALUES (1, NULL), (2, 'it''s')) t(a, b)", "a = 1\nb = NULL\n\na = 2\nb = it's\n", ""},
		{"tables", "CREATE TABLE t (a INTEGER, b DECIMAL(5,2) NOT NULL DEFAULT 1.5); CREATE VIEW w AS SELECT a AS \"x y\" FROM t;\n.tables\n.tables w%\n.schema t\n.schema", "t\nw\nw\nt (a INTEGER, b DECIMAL(5,2) NOT NULL DEFAULT 1.5);\nt (a INTEGER, b DECIMAL(5,2) NOT NULL DEFAULT 1.5);\nw (\"x y\" INTEGER);\n", ""},
		{"schema of nothing", ".schema x", "", "ERROR: there is no table or view \"x\"\n"},
		{"points in statements", "SELECT\n.5 AS a, '\n.quit\n' AS b;\n.q\nSELECT 1;", "a,b\n.5,\"\n.quit\n\"\n", ""},
		{"place of an error after a command", "\n.timer off\nSELECT\n  x;", "", "ERROR: column \"x\" does not exist\nLINE 4:   x;\n          ^\nSQLSTATE: 42703\n"},
		{"error ends a script", ".mode x\nSELECT 1", "", "ERROR: unknown mode \"x\"; the modes are " + modeNames() + "\n"},
		{"ambiguous", ".t", "", "ERROR: .t could be .tables or .timer\n"},
		{"files that read each other", ".read " + itself, "", "ERROR: .read: 16 files read each other\n"},
		{"missing file", ".read " + filepath.Join(folder, "none"), "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			s := newSession(t, &stdout, &stderr)
			ok := s.script(test.script)
			if ok != (stderr.Len() == 0) || stdout.String() != test.stdout || test.stderr != "" && stderr.String() != test.stderr || ok != (test.stderr == "" && test.name != "missing file") {
				t.Errorf("ok %t\n%s\n%s\nwant\n%s\n%s", ok, &stdout, &stderr, test.stdout, test.stderr)
			}
		})
	}
}

// TestTimer checks that each statement's time is printed.
func TestTimer(t *testing.T) {
	var stdout, stderr strings.Builder
	s := newSession(t, &stdout, &stderr)
	if !s.script(".timer on\nSELECT 1 AS a; CREATE TABLE t (a INTEGER);") {
		t.Fatal(stderr.String())
	}
	if !regexp.MustCompile(`^a\n1\nTime: \d+\.\d{3} s\nTime: \d+\.\d{3} s\n$`).MatchString(stdout.String()) {
		t.Errorf("got %q", stdout.String())
	}
}

// TestInterrupted checks that a cancelled context ends the run with an error.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr strings.Builder
	if status := run(ctx, []string{"-c", "SELECT 1"}, strings.NewReader(""), &stdout, &stderr); status != 1 {
		t.Errorf("status %d", status)
	}
	if !strings.Contains(stderr.String(), "57014") {
		t.Errorf("errors: %s", stderr.String())
	}
}

// failingWriter is standard output that was closed.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestBrokenOutput checks that a closed output is an error, not a hang.
func TestBrokenOutput(t *testing.T) {
	var stderr strings.Builder
	if status := run(context.Background(), []string{"-c", "SELECT 1"}, strings.NewReader(""), failingWriter{}, &stderr); status != 1 {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

func TestWidth(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0}, {"abc", 3}, {"é", 1}, {"e\u0301", 1}, {"日本", 4}, {"한글", 4}, {"🎉", 2}, {"ｆ", 2}, {"а", 1}, {"a\u200bb", 2},
	}
	for _, test := range tests {
		if got := width(test.text); got != test.want {
			t.Errorf("width of %q is %d, want %d", test.text, got, test.want)
		}
	}
	if got := cut("日本語です", 6); got != "日本…" {
		t.Errorf("cut to %q", got)
	}
	if !sortedRanges(wide) {
		t.Error("the ranges of wide characters are not in order")
	}
}

func sortedRanges(ranges [][2]rune) bool {
	for i, r := range ranges {
		if r[0] > r[1] || i > 0 && r[0] <= ranges[i-1][1] {
			return false
		}
	}
	return true
}

func newSession(t *testing.T, stdout, stderr *strings.Builder) *session {
	t.Helper()
	s, err := open(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	s.mode, s.stdout, s.stderr = "csv", bufio.NewWriter(stdout), stderr
	return s
}

// TestCompletion checks what the tab key gives for commands, tables and columns.
func TestCompletion(t *testing.T) {
	var stdout, stderr strings.Builder
	s := newSession(t, &stdout, &stderr)
	if !s.script("CREATE TABLE orders (order_date DATE, customer TEXT);") {
		t.Fatal(stderr.String())
	}
	for line, want := range map[string]string{
		".ta": "bles", ".T": "ables imer", "SELECT ord": "er_date ers", "SELECT orders.c": "ustomer", "SELECT ": "", "select CUST": "omer", "x .ta": "",
	} {
		candidates, length := completer{s}.Do([]rune(line), len(line))
		var got []string
		for _, c := range candidates {
			got = append(got, string(c))
		}
		if strings.Join(got, " ") != want || want != "" && length == 0 {
			t.Errorf("after %q come %q, want %q", line, got, want)
		}
	}
}
