// Package slt parses, runs and rewrites sqllogictest files.
//
// A file is a list of records separated by blank lines. Two dialects are in use in the wild, and both are read here:
//
//	                 sqlite (default)                rs (header line "# dialect: rs")
//	results          one value a line                one row a line, columns separated by a tab (or by blanks)
//	R columns        printed with three digits       printed as the engine prints them
//	I columns        printed as an integer           printed as the engine prints them
//	odd characters   '@'                             \n, \t and \r escaped, the rest as it is
//
// Records:
//
//	statement ok                       the SQL on the next lines must succeed
//	statement error [regexp]           it must fail, with a message the regular expression matches; a whole message
//	                                   may instead follow a "----" line
//	statement count N                  it must succeed and change N rows
//	query TYPES [nosort|rowsort|valuesort] [label]
//	                                   one letter a column (rs: a single letter stands for any number of columns); the
//	                                   expected result follows a "----" line, as values or as "N values hashing to MD5";
//	                                   queries with the same label must give the same result
//	query error [regexp]               like statement error
//	skipif NAME, onlyif NAME           before a record: whether it applies to the engine called NAME
//	include PATH                       run another file, relative to this one
//	hash-threshold N                   rewriting prints results of more than N values as a hash (0, the default: never)
//	control sortmode MODE              the sort mode of the queries below that name none
//	control resultmode rowwise|valuewise
//	halt                               stop here
//	# text                             a comment; "# table NAME: FILE" in it is kept in File.Tables
//
// NULL is written NULL and the empty string (empty). In a column of type R numerals are compared by value, so 20 equals
// 20.0000: engines differ in the digits they print. All other values are compared as text. A result under rowsort or
// valuesort is compared without regard to order. A value that consists of blanks only cannot be written as a line of its
// own; put it between brackets in the SQL.
//
// The formats are those documented at SQLite's sqllogictest and by the sqllogictest crate for Rust.
package slt

import (
	"fmt"
	"regexp"
	"strings"
)

// DB runs SQL for a test file. A file's records run in order on one DB, from one goroutine.
type DB interface {
	// Exec runs one SQL text and returns its whole result. The error's message is what "statement error" is matched with.
	Exec(sql string) (Result, error)
}

// Result is the outcome of a statement that succeeded. The runner does not change it.
type Result struct {
	Types    string     // one letter a column: I integer, R real or decimal, T anything else; may be empty if there are no rows
	Columns  []string   // names, one a column
	Rows     [][]string // text of each value, NULL as "NULL", the empty string as itself; every row has len(Columns) values
	Affected int64      // rows changed, for "statement count"
}

// Dialect says how results are written in a file.
type Dialect uint8

const (
	SQLite Dialect = iota // one value a line, values formatted by the query's type letters
	RS                    // one row a line, values as the engine prints them
)

// Table is a "# table NAME: FILE" comment: the test wants the rows of a data file as a table. Loading it is up to the caller.
type Table struct {
	Name string
	Path string // joined with the directory of the test file
	Line int    // 1-based
}

// File is a parsed test file.
type File struct {
	Path    string
	Dialect Dialect
	Tables  []Table
	Records []Record

	lines []string // the text, each line with its own line ending: joined they are the file, byte for byte
}

// Kind is what a Record does.
type Kind uint8

const (
	Statement Kind = iota // run SQL, expect success or an error
	Query                 // run SQL, expect rows or an error
	Include               // run the records of another file
	Halt                  // stop
)

// Expectation is what a Statement or Query record must do.
type Expectation uint8

const (
	Succeed    Expectation = iota // no error
	Fail                          // an error that Record.Error or Record.ErrorText describes; any error if both are empty
	ChangeRows                    // no error, and Record.Count rows changed
	GiveRows                      // no error, and the rows of Record.Result unless the record has no result section
)

// SortMode says what is sorted before results are compared.
type SortMode uint8

const (
	NoSort    SortMode = iota
	RowSort            // rows, as text, column by column
	ValueSort          // all values of the result, as text
)

var sortModes = map[string]SortMode{"nosort": NoSort, "rowsort": RowSort, "valuesort": ValueSort}

// Condition is a skipif or onlyif line.
type Condition struct {
	Only bool // onlyif; else skipif
	Name string
}

// Record is one step of a test file.
type Record struct {
	Line       int // of the directive, 1-based
	Kind       Kind
	Conditions []Condition
	SQL        string // Statement and Query: lines joined by '\n'
	Path       string // Include: joined with the directory of the file

	Expect    Expectation
	Error     *regexp.Regexp // Fail: nil if not given
	ErrorText string         // Fail: the whole message, if it follows a "----" line
	Count     int64          // ChangeRows

	Types     string // GiveRows: type letters as written
	Sort      SortMode
	Label     string
	HasResult bool     // a "----" line is there
	Result    []string // the lines below it

	valuePerLine  bool
	hashThreshold int
	// Line indexes into File.lines: the end of the SQL (where "----" is or would be inserted), and the end of the section
	// that "----" opens. They are equal without such a section.
	sqlEnd, resultEnd int
}

// applies tells whether an engine that goes by the given names runs the record.
func (r *Record) applies(names []string) bool {
	for _, condition := range r.Conditions {
		known := false
		for _, name := range names {
			known = known || strings.EqualFold(name, condition.Name)
		}
		if known != condition.Only {
			return false
		}
	}
	return true
}

// Failure is a record whose outcome is not the expected one.
type Failure struct {
	Path    string
	Line    int // of the record, 1-based
	SQL     string
	Message string // what was expected and what came, perhaps with a diff; may have several lines
}

// Error returns the place, what is wrong, and the SQL.
func (f *Failure) Error() string {
	if f.SQL == "" {
		return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message)
	}
	return fmt.Sprintf("%s:%d: %s\nSQL:\n%s", f.Path, f.Line, f.Message, indent(f.SQL))
}

// indent puts four blanks before each line.
func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
