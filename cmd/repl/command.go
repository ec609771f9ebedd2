package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// shellCommand is a command that begins with a point.
type shellCommand struct {
	name, arguments, help string
	// run gets what stands after the name, without space around it, and reports whether it succeeded.
	run func(s *session, argument string) bool
}

// shellCommands is filled in by init: .help lists it.
var shellCommands []shellCommand

func init() {
	shellCommands = []shellCommand{
		{".exit", "", "end the shell", (*session).end},
		{".help", "", "list the commands", (*session).help},
		{".mode", "[MODE]", "print results as MODE: " + modeNames(), (*session).setMode},
		{".quit", "", "end the shell", (*session).end},
		{".read", "FILE", "run the statements and commands of a file", (*session).read},
		{".schema", "[NAME]", "show the columns of a table or view, or of all", (*session).schema},
		{".tables", "[PATTERN]", "list tables and views whose name is LIKE the pattern", (*session).tables},
		{".timer", "on|off", "print how long each statement takes", (*session).setTimer},
	}
}

// isCommand reports whether a line is a command: a point and a letter. A number such as .5 is none.
func isCommand(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 1 && line[0] == '.' && (line[1]|0x20 >= 'a' && line[1]|0x20 <= 'z')
}

// command runs a command and reports whether it succeeded. A name may be shortened as long as it is clear.
func (s *session) command(line string) bool {
	name, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
	argument = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(argument), ";"))
	name = strings.ToLower(strings.TrimSuffix(name, ";"))
	var meant []shellCommand
	for _, c := range shellCommands {
		if c.name == name {
			meant = []shellCommand{c}
			break
		}
		if strings.HasPrefix(c.name, name) {
			meant = append(meant, c)
		}
	}
	switch {
	case len(meant) == 0:
		return s.fail("unknown command %s; .help lists the commands", name)
	case len(meant) > 1:
		return s.fail("%s could be %s or %s", name, meant[0].name, meant[1].name)
	case argument != "" && meant[0].arguments == "":
		return s.fail("%s takes no argument", meant[0].name)
	}
	ok := meant[0].run(s, argument)
	s.stdout.Flush()
	return ok
}

// fail prints an error of a command.
func (s *session) fail(format string, args ...any) bool {
	s.report(fmt.Errorf(format, args...))
	return false
}

func (s *session) end(string) bool {
	s.quit = true
	return true
}

func (s *session) help(string) bool {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, c := range shellCommands {
		fmt.Fprintf(w, "%s %s\t%s\n", c.name, c.arguments, c.help)
	}
	w.Flush()
	fmt.Fprintln(s.stdout, "Everything else is SQL, and ends with a semicolon. Ctrl-C cancels the statement that runs.")
	return true
}

func (s *session) setMode(mode string) bool {
	switch {
	case mode == "":
		fmt.Fprintln(s.stdout, s.mode)
	case printers[mode] == nil:
		return s.fail("unknown mode %q; the modes are %s", mode, modeNames())
	default:
		s.mode = mode
	}
	return true
}

func (s *session) setTimer(value string) bool {
	if value != "on" && value != "off" {
		return s.fail(".timer takes on or off, not %q", value)
	}
	s.timer = value == "on"
	return true
}

// maxReadDepth bounds files that read each other.
const maxReadDepth = 16

func (s *session) read(path string) bool {
	path = strings.Trim(path, "'\"")
	if s.depth == maxReadDepth {
		return s.fail(".read: %d files read each other", s.depth)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return s.fail(".read: %v", err)
	}
	s.depth++
	defer func() { s.depth-- }()
	return s.script(string(text))
}

func (s *session) tables(pattern string) bool {
	if pattern == "" {
		pattern = "%"
	}
	names := []any{}
	if !s.each("SHOW TABLES", nil, func(row []any) { names = append(names, row[0]) }) {
		return false
	}
	list, err := types.NewValue(types.ListOf(types.Varchar), names)
	if err != nil {
		return s.fail("%v", err)
	}
	return s.each("SELECT name FROM (SELECT unnest($1) AS name) WHERE name LIKE $2", []any{list, pattern}, func(row []any) {
		fmt.Fprintln(s.stdout, row[0])
	})
}

func (s *session) schema(name string) bool {
	found := false
	ok := s.eachTable(func(schema, table string) bool {
		if name != "" && !strings.EqualFold(name, table) && !strings.EqualFold(name, schema+"."+table) {
			return true
		}
		found = true
		full := types.QuoteIdent(table)
		if schema != "main" {
			full = types.QuoteIdent(schema) + "." + full
		}
		var columns []string
		ok := s.each("DESCRIBE "+full, nil, func(row []any) {
			column := fmt.Sprintf("%s %v", types.QuoteIdent(fmt.Sprint(row[0])), row[1])
			if row[2] == "NO" {
				column += " NOT NULL"
			}
			if row[4] != nil {
				column += fmt.Sprintf(" DEFAULT %v", row[4])
			}
			columns = append(columns, column)
		})
		fmt.Fprintf(s.stdout, "%s (%s);\n", full, strings.Join(columns, ", "))
		return ok
	})
	if ok && !found && name != "" {
		return s.fail("there is no table or view %q", name)
	}
	return ok
}

// eachTable calls f with each table and view until it gives false.
func (s *session) eachTable(f func(schema, table string) bool) bool {
	var all [][2]string
	ok := s.each("SHOW ALL TABLES", nil, func(row []any) { all = append(all, [2]string{fmt.Sprint(row[1]), fmt.Sprint(row[2])}) })
	for _, t := range all {
		ok = ok && f(t[0], t[1])
	}
	return ok
}

// each runs a query of the shell's own and calls f with its rows.
func (s *session) each(query string, args []any, f func(row []any)) bool {
	result, err := s.db.Query(s.ctx, query, args...)
	if err == nil {
		defer result.Release()
		err = eachRow(result, func(b *types.Batch, row int) error {
			values := make([]any, len(b.Columns))
			for i, v := range b.Columns {
				values[i] = types.Value(v, row)
			}
			f(values)
			return nil
		})
	}
	if err != nil {
		s.report(err)
	}
	return err == nil
}

// completions gives the names that the tab key completes.
func (s *session) completions(commands bool) []string {
	var names []string
	if commands {
		for _, c := range shellCommands {
			names = append(names, c.name)
		}
		return names
	}
	result, err := s.db.Query(s.ctx, "SHOW ALL TABLES")
	if err != nil {
		return nil
	}
	defer result.Release()
	_ = eachRow(result, func(b *types.Batch, row int) error {
		names = append(names, fmt.Sprint(types.Value(b.Columns[2], row)))
		columns, _ := types.Value(b.Columns[3], row).([]any)
		for _, c := range columns {
			names = append(names, fmt.Sprint(c))
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// eachRow calls f with every row of a result.
func eachRow(result *engine.Result, f func(b *types.Batch, row int) error) error {
	for {
		b, err := result.NextBatch()
		if b == nil || err != nil {
			return err
		}
		for row := range b.Rows {
			if err := f(b, row); err != nil {
				return err
			}
		}
	}
}
