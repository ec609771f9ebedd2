package slt

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ParseFile reads and parses a test file.
func ParseFile(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse parses the text of a test file. Path is used in messages and to find the files that the text names. An error names
// path and line.
func Parse(path, text string) (*File, error) {
	p := parser{file: &File{Path: path, lines: strings.SplitAfter(text, "\n")}}
	if err := p.parse(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, p.line, err)
	}
	return p.file, nil
}

type parser struct {
	file *File
	next int // index of the next line
	line int // 1-based number of the line that a message is about

	conditions    []Condition // of the record to come
	sort          SortMode
	resultMode    string // "", "rowwise" or "valuewise"
	hashThreshold int
}

var (
	dialectComment = regexp.MustCompile(`^#\s*dialect:\s*(\S+)\s*$`)
	tableComment   = regexp.MustCompile(`^#\s*table\s+(\S+):\s*(\S+)\s*$`)
)

// at returns line i without its line ending.
func (p *parser) at(i int) string { return strings.TrimRight(p.file.lines[i], "\r\n") }

// blank tells whether line i is blank or beyond the end.
func (p *parser) blank(i int) bool {
	return i >= len(p.file.lines) || strings.TrimSpace(p.file.lines[i]) == ""
}

func (p *parser) parse() error {
	for p.next < len(p.file.lines) {
		text := p.at(p.next)
		p.next++
		p.line = p.next
		var err error
		switch {
		case strings.HasPrefix(text, "#"):
			err = p.comment(text)
		case strings.TrimSpace(text) != "":
			err = p.directive(text)
		}
		if err != nil {
			return err
		}
	}
	if len(p.conditions) > 0 {
		return fmt.Errorf("skipif or onlyif without a record after it")
	}
	return nil
}

func (p *parser) comment(text string) error {
	if m := dialectComment.FindStringSubmatch(text); m != nil {
		dialects := map[string]Dialect{"rs": RS, "sqlite": SQLite}
		dialect, ok := dialects[m[1]]
		if !ok {
			return fmt.Errorf("unknown dialect %q (known: rs, sqlite)", m[1])
		}
		if len(p.file.Records) > 0 {
			return fmt.Errorf("the dialect must be named before the first record")
		}
		p.file.Dialect = dialect
	}
	if m := tableComment.FindStringSubmatch(text); m != nil {
		path := filepath.Join(filepath.Dir(p.file.Path), m[2])
		p.file.Tables = append(p.file.Tables, Table{Name: m[1], Path: path, Line: p.line})
	}
	return nil
}

// directive parses the record, or the setting, whose first line is text.
func (p *parser) directive(text string) error {
	words := strings.Fields(text)
	name, arguments := words[0], words[1:]
	switch name {
	case "skipif", "onlyif":
		if len(arguments) == 0 || (len(arguments) > 1 && !strings.HasPrefix(arguments[1], "#")) {
			return fmt.Errorf("%s takes one name", name)
		}
		p.conditions = append(p.conditions, Condition{Only: name == "onlyif", Name: arguments[0]})
		return nil
	case "statement":
		return p.statement(text, arguments)
	case "query":
		return p.query(text, arguments)
	case "halt":
		p.add(Record{Kind: Halt})
		return nil
	case "include":
		if len(arguments) != 1 {
			return fmt.Errorf("include takes one path")
		}
		p.add(Record{Kind: Include, Path: filepath.Join(filepath.Dir(p.file.Path), arguments[0])})
		return nil
	}
	if len(p.conditions) > 0 {
		return fmt.Errorf("skipif and onlyif go before a statement, query, include or halt, not before %q", name)
	}
	switch name {
	case "hash-threshold":
		return p.setHashThreshold(arguments)
	case "control":
		return p.control(arguments)
	case "subtest": // a heading, without effect on what runs
		return nil
	}
	return fmt.Errorf("unknown record %q", name)
}

// add appends a record that starts at the current line and takes the pending conditions.
func (p *parser) add(r Record) {
	r.Line = p.line
	r.Conditions = p.conditions
	p.conditions = nil
	p.file.Records = append(p.file.Records, r)
}

func (p *parser) statement(text string, arguments []string) error {
	r := Record{Kind: Statement}
	kind := ""
	if len(arguments) > 0 {
		kind = arguments[0]
	}
	switch kind {
	case "ok":
		r.Expect = Succeed
	case "count":
		if len(arguments) != 2 {
			return fmt.Errorf("statement count takes one number")
		}
		n, err := strconv.ParseInt(arguments[1], 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("statement count: %q is not a number of rows", arguments[1])
		}
		r.Expect, r.Count = ChangeRows, n
	case "error":
		if err := r.expectError(text); err != nil {
			return err
		}
	default:
		return fmt.Errorf("statement must be followed by ok, error or count, not %q", kind)
	}
	return p.body(r)
}

func (p *parser) query(text string, arguments []string) error {
	r := Record{Kind: Query, Expect: GiveRows, Sort: p.sort, hashThreshold: p.hashThreshold}
	r.valuePerLine = p.resultMode == "valuewise" || (p.resultMode == "" && p.file.Dialect == SQLite)
	if len(arguments) == 0 {
		return fmt.Errorf("query must be followed by its column types or by error")
	}
	if arguments[0] == "error" {
		if err := r.expectError(text); err != nil {
			return err
		}
		return p.body(r)
	}
	r.Types = arguments[0]
	if p.file.Dialect == SQLite && strings.Trim(r.Types, "ITR") != "" {
		return fmt.Errorf("column types are letters out of I, T and R, not %q", r.Types)
	}
	if len(arguments) > 1 {
		mode, ok := sortModes[arguments[1]]
		if !ok {
			return fmt.Errorf("unknown sort mode %q (known: nosort, rowsort, valuesort)", arguments[1])
		}
		r.Sort = mode
	}
	if len(arguments) > 2 {
		r.Label = arguments[2]
	}
	if len(arguments) > 3 {
		return fmt.Errorf("unexpected %q after the label", arguments[3])
	}
	return p.body(r)
}

// expectError takes the regular expression that follows the word error in text.
func (r *Record) expectError(text string) error {
	r.Expect = Fail
	_, pattern, _ := strings.Cut(text, "error")
	pattern = strings.TrimSpace(pattern)
	if pattern == "" {
		return nil
	}
	var err error
	r.Error, err = regexp.Compile(pattern)
	return err
}

// body parses the SQL below a directive and the section after "----", and appends the record.
func (p *parser) body(r Record) error {
	start := p.next
	for !p.blank(p.next) && p.at(p.next) != "----" {
		p.next++
	}
	var sql []string
	for i := start; i < p.next; i++ {
		sql = append(sql, p.at(i))
	}
	if len(sql) == 0 {
		return fmt.Errorf("no SQL below %q", p.at(start-1))
	}
	r.SQL = strings.Join(sql, "\n")
	r.sqlEnd, r.resultEnd = p.next, p.next
	if p.blank(p.next) {
		p.add(r)
		return nil
	}

	p.next++ // "----"
	start = p.next
	switch r.Expect {
	case GiveRows:
		for !p.blank(p.next) {
			p.next++
		}
		r.HasResult = true
		for i := start; i < p.next; i++ {
			r.Result = append(r.Result, p.at(i))
		}
	case Fail:
		if r.Error != nil {
			return fmt.Errorf("an error has either a regular expression or a text below ----, not both")
		}
		p.skipMessage()
		var message []string
		for i := start; i < p.next; i++ {
			message = append(message, p.at(i))
		}
		r.ErrorText = strings.Join(message, "\n")
	default:
		return fmt.Errorf("a statement that succeeds has no result, but line %d is ----", start)
	}
	r.resultEnd = p.next
	p.add(r)
	return nil
}

// skipMessage moves to the end of an error message, which may have blank lines in it: it ends at a blank line that has the
// end of the file, another blank line, a comment or a directive after it.
func (p *parser) skipMessage() {
	for ; p.next < len(p.file.lines); p.next++ {
		if !p.blank(p.next) {
			continue
		}
		if p.blank(p.next + 1) {
			return
		}
		after := p.at(p.next + 1)
		if strings.HasPrefix(after, "#") || isDirective(strings.Fields(after)[0]) {
			return
		}
	}
}

func isDirective(word string) bool {
	switch word {
	case "statement", "query", "skipif", "onlyif", "include", "halt", "hash-threshold", "control", "subtest":
		return true
	}
	return false
}

func (p *parser) setHashThreshold(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("hash-threshold takes one number")
	}
	n, err := strconv.Atoi(arguments[0])
	if err != nil || n < 0 {
		return fmt.Errorf("hash-threshold: %q is not a number of values", arguments[0])
	}
	p.hashThreshold = n
	return nil
}

func (p *parser) control(arguments []string) error {
	if len(arguments) != 2 {
		return fmt.Errorf("control takes a setting and a value")
	}
	setting, value := arguments[0], arguments[1]
	switch setting {
	case "sortmode":
		mode, ok := sortModes[value]
		if !ok {
			return fmt.Errorf("unknown sort mode %q (known: nosort, rowsort, valuesort)", value)
		}
		p.sort = mode
	case "resultmode":
		if value != "rowwise" && value != "valuewise" {
			return fmt.Errorf("unknown result mode %q (known: rowwise, valuewise)", value)
		}
		p.resultMode = value
	default:
		return fmt.Errorf("unknown setting %q (known: sortmode, resultmode)", setting)
	}
	return nil
}
