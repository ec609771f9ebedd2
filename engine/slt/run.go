package slt

import (
	"fmt"
	"slices"
	"strings"
)

// maxIncludeDepth is how deep files may include each other; a deeper nest is taken for a cycle.
const maxIncludeDepth = 16

// Runner runs test files on a DB.
type Runner struct {
	DB    DB
	Names []string // what the engine goes by in skipif and onlyif, regardless of case
}

// Report is what a run did.
type Report struct {
	Passed   int // statements and queries with the expected outcome
	Skipped  int // statements and queries left out by skipif or onlyif
	Failures []*Failure
}

// Run runs the records of a file, and goes on after a failure. Files that it includes are read when they are reached.
func (r Runner) Run(f *File) Report {
	s := session{runner: r, labels: map[string]labelled{}}
	s.run(f, 0, func(record *Record, outcome outcome) {
		if outcome.failure != nil {
			s.report.Failures = append(s.report.Failures, outcome.failure)
		} else {
			s.report.Passed++
		}
	})
	return s.report
}

// session is one run of one file and its included files.
type session struct {
	runner Runner
	labels map[string]labelled
	halted bool
	report Report
}

// labelled is the first result under a label.
type labelled struct {
	path string
	line int
	rows []string
}

// outcome is what a statement or query did.
type outcome struct {
	failure *Failure // nil if as expected
	err     error    // of the DB
	result  Result   // if err is nil
	table   table    // of a query that gave rows of the right shape
	stale   bool     // the failure is one that writing down the actual outcome mends
}

// run runs the records of f and hands each outcome to done.
func (s *session) run(f *File, depth int, done func(*Record, outcome)) {
	for i := range f.Records {
		record := &f.Records[i]
		executes := record.Kind == Statement || record.Kind == Query
		if !record.applies(s.runner.Names) {
			if executes {
				s.report.Skipped++
			}
			continue
		}
		switch {
		case executes:
			done(record, s.check(f, record))
		case record.Kind == Include:
			s.include(f, record, depth, done)
		default:
			s.halted = true
		}
		if s.halted {
			return
		}
	}
}

func (s *session) include(f *File, record *Record, depth int, done func(*Record, outcome)) {
	failed := func(message string) {
		done(record, outcome{failure: &Failure{Path: f.Path, Line: record.Line, Message: message}})
	}
	if depth == maxIncludeDepth {
		failed("files include each other too deep, perhaps in a circle")
		return
	}
	included, err := ParseFile(record.Path)
	if err != nil {
		failed("include: " + err.Error())
		return
	}
	s.run(included, depth+1, done)
}

// check executes a statement or query and compares its outcome with the expected one.
func (s *session) check(f *File, record *Record) outcome {
	var o outcome
	o.result, o.err = s.runner.DB.Exec(record.SQL)
	fail := func(stale bool, format string, arguments ...any) outcome {
		o.failure = &Failure{Path: f.Path, Line: record.Line, SQL: record.SQL, Message: fmt.Sprintf(format, arguments...)}
		o.stale = stale
		return o
	}
	if record.Expect == Fail {
		return s.checkError(record, o, fail)
	}
	if o.err != nil {
		return fail(false, "unexpected error\n%s", indent(o.err.Error()))
	}
	switch record.Expect {
	case ChangeRows:
		if o.result.Affected != record.Count {
			return fail(true, "expected %d rows changed, got %d", record.Count, o.result.Affected)
		}
	case GiveRows:
		var err error
		if o.table, err = newTable(record, f.Dialect, o.result); err != nil {
			return fail(false, "%s", err)
		}
		if message := s.checkLabel(f, record, o.table); message != "" {
			return fail(false, "%s", message)
		}
		if !record.HasResult {
			return o
		}
		if message := o.table.compare(record); message != "" {
			return fail(true, "%s", message)
		}
	}
	return o
}

func (s *session) checkError(record *Record, o outcome, fail func(bool, string, ...any) outcome) outcome {
	if o.err == nil {
		return fail(false, "expected an error, but it succeeded")
	}
	message := o.err.Error()
	switch {
	case record.Error != nil && !record.Error.MatchString(message):
		return fail(true, "expected an error that matches\n    %s\ngot\n%s", record.Error, indent(message))
	case record.ErrorText != "" && !slices.Equal(messageLines(record.ErrorText), messageLines(message)):
		difference := diff(messageLines(record.ErrorText), messageLines(message))
		return fail(true, "wrong error message\n%s", indent(difference))
	}
	return o
}

// messageLines splits an error message, without blanks that an editor would strip.
func messageLines(message string) []string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return lines
}

// checkLabel compares the result with the first one under the same label.
func (s *session) checkLabel(f *File, record *Record, t table) string {
	if record.Label == "" {
		return ""
	}
	plain := *record
	plain.hashThreshold = 0
	rows := t.lines(&plain)
	first, ok := s.labels[record.Label]
	if !ok {
		s.labels[record.Label] = labelled{path: f.Path, line: record.Line, rows: rows}
		return ""
	}
	if slices.Equal(first.rows, rows) {
		return ""
	}
	return fmt.Sprintf("the result differs from the one at %s:%d, which has the same label %s\n%s",
		first.path, first.line, record.Label, indent(diff(first.rows, rows)))
}
