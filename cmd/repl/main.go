// Command repl runs SQL with Lacuna.
//
//	repl [-mode MODE] [-threads N] [-c SQL]... [-f FILE]...
//
// Statements end with a semicolon. Those of -c and -f run in the order given; without either they are read from standard input, with a prompt, line
// editing and a history when that is a terminal. The first error ends the run with exit status 1, except at the prompt. Ctrl-C cancels the
// statement that runs; at the prompt it throws away what was typed.
//
// A line that begins with a point is a command of the shell: .help lists them. The modes are box, csv, json, jsonlines, markdown and line.
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
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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
	mode := flags.String("mode", "box", "how results are printed: "+modeNames())
	threads := flags.Int("threads", 0, "`number` of threads; 0 is one for each processor")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "unexpected argument %q; SQL goes after -c, a file's name after -f\n", flags.Arg(0))
		return 2
	case printers[*mode] == nil:
		fmt.Fprintf(stderr, "unknown mode %q; the modes are %s\n", *mode, modeNames())
		return 2
	}
	s, err := open(ctx, *threads)
	if err != nil {
		report(stderr, err)
		return 2
	}
	defer s.db.Close()
	s.mode, s.stdout, s.stderr = *mode, bufio.NewWriterSize(stdout, 1<<16), stderr

	ok := true
	switch {
	case len(texts) > 0:
		for i := 0; i < len(texts) && ok && !s.quit; i++ {
			text, err := texts[i]()
			if err != nil {
				s.report(err)
				ok = false
				break
			}
			ok = s.script(text)
		}
	case isTerminal(stdin):
		lines := newEditor(s, stdin, stdout)
		s.interact(lines)
		lines.Close()
	default:
		text, err := io.ReadAll(stdin)
		if err != nil {
			s.report(err)
			ok = false
			break
		}
		ok = s.script(string(text))
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

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
