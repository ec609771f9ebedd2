// Command repl runs SQL with Lacuna.
//
//	repl [-mode box|csv] [-threads N] [-c SQL]... [-f FILE]...
//
// Statements end with a semicolon. Those of -c and -f run in the order given; without either they are read from standard input, with a prompt
// when that is a terminal. The first error ends the run with exit status 1, except at the prompt.
//
// Files are read by their name in single quotes:
//
//	repl -c "SELECT count(*) FROM 'lineitem.parquet'"
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program; it gives the exit status: 0, 1 after an error of a statement, 2 for wrong flags.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var texts []func() (string, error)
	flags := flag.NewFlagSet("repl", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Func("c", "SQL `statements` to run; may be given more than once", func(text string) error {
		texts = append(texts, func() (string, error) { return text, nil })
		return nil
	})
	flags.Func("f", "`file` of SQL statements to run; may be given more than once", func(path string) error {
		texts = append(texts, func() (string, error) {
			text, err := os.ReadFile(path)
			return string(text), err
		})
		return nil
	})
	mode := flags.String("mode", "box", "how results are printed: box or csv")
	threads := flags.Int("threads", 0, "`number` of threads; 0 is one for each processor")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	printers := map[string]printer{"box": printBox, "csv": printCSV}
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "unexpected argument %q; SQL goes after -c, a file's name after -f\n", flags.Arg(0))
		return 2
	case printers[*mode] == nil:
		fmt.Fprintf(stderr, "unknown mode %q; the modes are box and csv\n", *mode)
		return 2
	}
	s, err := open(ctx, *threads)
	if err != nil {
		report(stderr, err)
		return 2
	}
	defer s.db.Close()
	s.print, s.stdout, s.stderr = printers[*mode], bufio.NewWriterSize(stdout, 1<<16), stderr

	ok := true
	switch {
	case len(texts) > 0:
		for i := 0; i < len(texts) && ok; i++ {
			text, err := texts[i]()
			if err != nil {
				s.report(err)
				ok = false
				break
			}
			ok = s.statements(text)
		}
	case isTerminal(stdin):
		s.prompt(stdin)
	default:
		text, err := io.ReadAll(stdin)
		if err != nil {
			s.report(err)
			ok = false
			break
		}
		ok = s.statements(string(text))
	}
	if err := s.stdout.Flush(); err != nil {
		s.report(err)
		ok = false
	}
	if !ok {
		return 1
	}
	return 0
}

// session is one run of the program.
type session struct {
	ctx    context.Context
	db     *engine.DB
	stdout *bufio.Writer
	stderr io.Writer
	print  printer
}

// printer prints a result. A broken output is not its business: the writer keeps the error.
type printer func(*bufio.Writer, *engine.Result) error

// open opens a database. Of all forms that results can take, it gives those that nothing has to be converted for.
func open(ctx context.Context, threads int) (*session, error) {
	db, err := engine.Open(engine.Options{Threads: threads, StringViews: true, NarrowDecimals: true})
	return &session{ctx: ctx, db: db}, err
}

// statements runs the statements of a text up to the first that fails, and reports whether none did.
func (s *session) statements(text string) bool {
	err := s.db.Script(s.ctx, text, func(result *engine.Result) error {
		if len(result.Columns()) == 0 {
			return nil // there is nothing to print of a statement like CREATE VIEW
		}
		if err := s.print(s.stdout, result); err != nil {
			return err
		}
		return s.stdout.Flush()
	})
	if err != nil {
		s.report(err)
	}
	return err == nil
}

// report prints an error, after what was printed before it.
func (s *session) report(err error) {
	s.stdout.Flush()
	report(s.stderr, err)
}

func report(w io.Writer, err error) {
	var e *types.Error
	if errors.As(err, &e) {
		fmt.Fprintln(w, e.Report())
		return
	}
	fmt.Fprintf(w, "ERROR: %v\n", err)
}

// prompt reads lines until a statement is complete, runs it, and goes on after errors.
func (s *session) prompt(stdin io.Reader) {
	lines := bufio.NewReader(stdin)
	var text strings.Builder
	for {
		prompt := "lacuna> "
		if text.Len() > 0 {
			prompt = "   ...> "
		}
		s.stdout.WriteString(prompt)
		s.stdout.Flush()
		line, err := lines.ReadString('\n')
		text.WriteString(line)
		ended := err != nil
		if !ended && strings.TrimSpace(text.String()) != "" && !complete(text.String()) {
			continue
		}
		s.statements(text.String())
		text.Reset()
		if ended || s.ctx.Err() != nil {
			s.stdout.WriteByte('\n')
			s.stdout.Flush()
			return
		}
	}
}

// complete reports whether a text ends with the semicolon of a statement: one that is not inside quotes or a comment.
func complete(text string) bool {
	spans, err := sql.Split(text)
	if err != nil {
		return false
	}
	end := 0
	if len(spans) > 0 {
		end = spans[len(spans)-1].End
	}
	return strings.Contains(text[end:], ";")
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
