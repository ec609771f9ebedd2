package slt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// table is a result as a record sees it: formatted by the dialect, not yet sorted.
type table struct {
	types string     // one letter a column, as far as known
	rows  [][]string // the values as a file shows them
}

// newTable formats a result for a record, or says why the result has the wrong shape for it.
func newTable(r *Record, dialect Dialect, result Result) (table, error) {
	columns := len(result.Columns)
	if want := len(r.Types); want != columns && (dialect == SQLite || want > 1) {
		return table{}, fmt.Errorf("expected %d columns (%s), got %d (%s)", want, r.Types, columns, strings.Join(result.Columns, ", "))
	}
	t := table{types: result.Types}
	if len(r.Types) == columns {
		t.types = r.Types
	}
	t.rows = make([][]string, len(result.Rows))
	for i, row := range result.Rows {
		if len(row) != columns {
			return table{}, fmt.Errorf("row %d has %d values, but there are %d columns", i, len(row), columns)
		}
		t.rows[i] = make([]string, columns)
		for c, value := range row {
			t.rows[i][c] = formatValue(dialect, r.Types, c, value)
		}
	}
	if len(r.Types) == columns && len(result.Types) == columns {
		t.types = numericTypes(r.Types, result.Types)
	}
	return t, nil
}

// numericTypes marks as R each column that the file or the engine holds for a real number.
func numericTypes(written, actual string) string {
	types := []byte(written)
	for c := range types {
		if actual[c] == 'R' {
			types[c] = 'R'
		}
	}
	return string(types)
}

var escapes = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`)

// formatValue returns value as a file shows it in column c of a query with the given type letters.
func formatValue(dialect Dialect, types string, c int, value string) string {
	switch {
	case value == "":
		return "(empty)"
	case dialect == RS:
		return escapes.Replace(value)
	case value == "NULL":
		return value
	}
	switch types[c] {
	case 'I':
		return formatInteger(value)
	case 'R':
		if f, err := strconv.ParseFloat(value, 64); err == nil {
			return strconv.FormatFloat(f, 'f', 3, 64)
		}
	}
	return strings.Map(func(char rune) rune {
		if char < ' ' || char > '~' {
			return '@'
		}
		return char
	}, value)
}

// formatInteger returns value as SQLite's runner prints a column of type I. That runner reads integers through SQLite's
// conversion to an integer, in which a boolean is 0 or 1 and a real number loses its fraction.
func formatInteger(value string) string {
	switch value {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		return value
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(f) < 1<<63 {
		return strconv.FormatInt(int64(f), 10)
	}
	return value
}

// sorted returns the rows in the order of a sort mode; ValueSort makes a row of each value.
func (t table) sorted(mode SortMode) [][]string {
	rows := slices.Clone(t.rows)
	if mode == ValueSort {
		rows = slices.Collect(slices.Chunk(slices.Concat(t.rows...), 1))
	}
	if mode != NoSort {
		slices.SortStableFunc(rows, slices.Compare[[]string])
	}
	return rows
}

// lines returns the result as a file shows it: sorted, one line a value or a row, or one line with a hash.
func (t table) lines(r *Record) []string {
	rows := t.sorted(r.Sort)
	values := slices.Concat(rows...)
	switch {
	case r.hashThreshold > 0 && len(values) > r.hashThreshold:
		return []string{hashLine(values)}
	case r.valuePerLine:
		return values
	}
	return joinRows(rows)
}

func joinRows(rows [][]string) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.Join(row, "\t")
	}
	return lines
}

var hashPattern = regexp.MustCompile(`^\d+ values hashing to [0-9a-f]{32}$`)

// hashLine returns the line that stands for the values: their number and the MD5 of each followed by a newline.
func hashLine(values []string) string {
	hash := md5.New()
	for _, value := range values {
		hash.Write([]byte(value))
		hash.Write([]byte{'\n'})
	}
	return fmt.Sprintf("%d values hashing to %s", len(values), hex.EncodeToString(hash.Sum(nil)))
}

// compare returns "" if the result is the one that the record expects, else a message with the differences.
func (t table) compare(r *Record) string {
	if len(r.Result) == 1 && hashPattern.MatchString(r.Result[0]) {
		rows := t.sorted(r.Sort)
		line := hashLine(slices.Concat(rows...))
		if line == r.Result[0] {
			return ""
		}
		got := append([]string{line + ", that is:"}, joinRows(rows)...)
		return "wrong result\n" + indent(diff(r.Result, got))
	}
	want, got := t.comparable(r)
	if slices.Equal(want, got) {
		return ""
	}
	return "wrong result\n" + indent(diff(want, got))
}

// comparable returns expected and actual result as lists of lines that are equal if and only if the results are.
func (t table) comparable(r *Record) (want, got []string) {
	if r.Sort == ValueSort {
		return t.comparableValues(r)
	}
	columns := max(len(t.types), 1)
	if len(t.rows) > 0 {
		columns = len(t.rows[0])
	}
	var rows [][]string
	whole := true // every line of the file could be split into its columns
	if r.valuePerLine {
		for row := range slices.Chunk(r.Result, columns) {
			rows = append(rows, slices.Clone(row))
		}
	} else {
		for _, line := range r.Result {
			rows = append(rows, splitRow(line, columns))
			whole = whole && len(rows[len(rows)-1]) == columns
		}
	}
	want = t.canonicalRows(rows, r.Sort)
	got = t.canonicalRows(t.rows, r.Sort)
	if !whole {
		// Blanks separate columns and are in values as well: compare words.
		want, got = collapse(want, r.Sort), collapse(got, r.Sort)
	}
	return want, got
}

func (t table) comparableValues(r *Record) (want, got []string) {
	want = slices.Clone(r.Result)
	got = slices.Concat(t.rows...)
	if t.types != "" && strings.Trim(t.types, "R") == "" {
		for _, values := range [][]string{want, got} {
			for i := range values {
				values[i] = canonicalNumber(values[i])
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	return want, got
}

// splitRow splits a line of a row-wise result.
func splitRow(line string, columns int) []string {
	switch {
	case strings.Contains(line, "\t"):
		return strings.Split(line, "\t")
	case columns == 1:
		return []string{line}
	}
	return strings.Fields(line)
}

// canonicalRows returns one line a row with the numerals of R columns in their shortest form and midnights as dates, as some engines' oracles write
// them, sorted if the mode says so.
func (t table) canonicalRows(rows [][]string, mode SortMode) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := slices.Clone(row)
		for c := range cells {
			if c < len(t.types) && t.types[c] == 'R' {
				cells[c] = canonicalNumber(cells[c])
			}
			if midnight.MatchString(cells[c]) {
				cells[c] = strings.TrimSuffix(cells[c], " 00:00:00")
			}
		}
		lines[i] = strings.Join(cells, "\t")
	}
	if mode == RowSort {
		slices.Sort(lines)
	}
	return lines
}

// collapse replaces each run of blanks in each line by one blank.
func collapse(lines []string, mode SortMode) []string {
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	if mode == RowSort {
		slices.Sort(lines)
	}
	return lines
}

var midnight = regexp.MustCompile(`^\d{4}-\d\d-\d\d 00:00:00$`)

var numeral = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// canonicalNumber returns the shortest plain form of a numeral, and any other text as it is. Decimals stay exact at any
// length; a numeral with an exponent goes through a double, for only doubles are printed with one.
func canonicalNumber(text string) string {
	if !numeral.MatchString(text) {
		return text
	}
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	text = strings.TrimPrefix(text, "+")
	digits, negative := strings.CutPrefix(text, "-")
	digits = strings.TrimLeft(digits, "0")
	if strings.Contains(digits, ".") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	if digits == "" || digits[0] == '.' {
		digits = "0" + digits
	}
	if negative {
		return "-" + digits
	}
	return digits
}
