package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// session is one run of the program.
type session struct {
	ctx    context.Context
	db     *engine.DB
	stdout *bufio.Writer
	stderr io.Writer
	mode   string // a key of printers
	timer  bool   // print how long each statement took
	quit   bool   // by .quit
	depth  int    // of files that .read is inside of
}

// open opens a database. Of all forms that results can take, it gives those that nothing has to be converted for.
func open(ctx context.Context, threads int) (*session, error) {
	db, err := engine.Open(engine.Options{Threads: threads, StringViews: true, NarrowDecimals: true})
	return &session{ctx: ctx, db: db, mode: "box"}, err
}

// script runs a text of statements and commands up to the first that fails, and reports whether none did.
func (s *session) script(text string) bool {
	// Statements are run together as far as they go, so that the place of an error is one in the text; what stands before them is made
	// of empty lines.
	start, line := 0, 0 // of the statements that have not been run
	statements := func(end int) bool {
		return strings.TrimSpace(text[start:end]) == "" || s.statements(strings.Repeat("\n", line)+text[start:end])
	}
	at, number := 0, 0
	for at < len(text) {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		number++
		if isCommand(text[at:end]) && (strings.TrimSpace(text[start:at]) == "" || complete(text[start:at])) {
			if !statements(at) || !s.command(text[at:end]) {
				return false
			}
			if s.quit {
				return true
			}
			start, line = end, number
		}
		at = end
	}
	return statements(len(text))
}

// statements runs the statements of a text up to the first that fails, and reports whether none did. An interrupt cancels the one that runs, and so
// ends them.
func (s *session) statements(text string) bool {
	ctx, stop := signal.NotifyContext(s.ctx, os.Interrupt)
	defer stop()
	began := time.Now()
	err := s.db.Script(ctx, text, func(result *engine.Result) error {
		if len(result.Columns()) > 0 { // there is nothing to print of a statement like CREATE VIEW
			if err := printers[s.mode](s.stdout, result); err != nil {
				return err
			}
		}
		if s.timer {
			fmt.Fprintf(s.stdout, "Time: %.3f s\n", time.Since(began).Seconds())
			began = time.Now()
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
