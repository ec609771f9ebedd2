package main

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// Limits of what a box shows.
const (
	boxRows = 40 // of a longer result the first and last half of them are shown
	boxCell = 80 // columns of the terminal; longer cells are cut, unless the result has one column
)

// printBox prints a result as a table: names, types, rows, and how many rows there are. Numbers stand at the right. NULL is a value that is
// null; the text NULL is shown as 'NULL', and so is every text that begins with a quote shown as an SQL string, so that the two
// are told apart. Line breaks and other control characters are shown as escapes.
func printBox(w *bufio.Writer, result *engine.Result) error {
	columns := result.Columns()
	var rows boxedRows
	for {
		batch, err := result.NextBatch()
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		rows.add(batch)
	}
	head, tail := rows.shown()
	box := newBox(columns, head, tail)
	box.rule(w, "┌", "┬", "┐")
	box.line(w, names(columns), centered)
	box.line(w, typeNames(columns), centered)
	box.rule(w, "├", "┼", "┤")
	for _, row := range head {
		box.line(w, row, byType)
	}
	if tail != nil {
		box.line(w, repeated("·", len(columns)), centered)
		for _, row := range tail {
			box.line(w, row, byType)
		}
	}
	box.rule(w, "└", "┴", "┘")
	switch {
	case tail != nil:
		fmt.Fprintf(w, "(%d rows, %d shown)\n", rows.count, len(head)+len(tail))
	case rows.count == 1:
		fmt.Fprintln(w, "(1 row)")
	default:
		fmt.Fprintf(w, "(%d rows)\n", rows.count)
	}
	return nil
}

// boxedRows keeps what a box shows of a result: the text of the first boxRows rows, and the batches that hold the last half as many.
type boxedRows struct {
	count  int64
	first  [][]string
	recent []*types.Batch
	held   int // rows of recent
}

// add takes the next batch.
func (r *boxedRows) add(b *types.Batch) {
	for row := 0; row < b.Rows && len(r.first) < boxRows; row++ {
		r.first = append(r.first, boxRow(b, row))
	}
	r.recent = append(r.recent, b)
	r.count += int64(b.Rows)
	r.held += b.Rows
	for r.held-r.recent[0].Rows >= boxRows/2 {
		r.held -= r.recent[0].Rows
		r.recent = r.recent[1:]
	}
}

// shown gives the rows to show; tail is nil when the head is all.
func (r *boxedRows) shown() (head, tail [][]string) {
	if r.count <= boxRows {
		return r.first, nil
	}
	skip := r.held - boxRows/2
	for _, b := range r.recent {
		for row := min(skip, b.Rows); row < b.Rows; row++ {
			tail = append(tail, boxRow(b, row))
		}
		skip = max(0, skip-b.Rows)
	}
	return r.first[:boxRows/2], tail
}

// boxRow gives the cells of a row.
func boxRow(b *types.Batch, row int) []string {
	cells := make([]string, len(b.Columns))
	for i, v := range b.Columns {
		cells[i] = boxCellText(v, row)
		if len(b.Columns) > 1 {
			cells[i] = cut(cells[i], boxCell)
		}
	}
	return cells
}

// boxCellText gives a value as a box shows it.
func boxCellText(v *types.Vector, row int) string {
	if _, _, ok := v.Locate(row); !ok {
		return "NULL"
	}
	text := types.Text(v, row)
	if text == "NULL" || strings.HasPrefix(text, "'") {
		text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return printable(text)
}

func names(columns types.Schema) []string {
	out := make([]string, len(columns))
	for i, f := range columns {
		out[i] = cut(printable(f.Name), boxCell)
	}
	return out
}

func typeNames(columns types.Schema) []string {
	out := make([]string, len(columns))
	for i, f := range columns {
		out[i] = cut(printable(f.Type.String()), boxCell)
	}
	return out
}

func repeated(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// box is the frame of a table.
type box struct {
	widths  []int
	numeric []bool
}

func newBox(columns types.Schema, parts ...[][]string) box {
	b := box{widths: make([]int, len(columns)), numeric: make([]bool, len(columns))}
	fit := func(row []string) {
		for i, cell := range row {
			b.widths[i] = max(b.widths[i], width(cell))
		}
	}
	fit(names(columns))
	fit(typeNames(columns))
	for _, rows := range parts {
		for _, row := range rows {
			fit(row)
		}
	}
	for i, f := range columns {
		b.numeric[i] = f.Type.IsNumeric()
	}
	return b
}

// rule prints a horizontal line.
func (b *box) rule(w *bufio.Writer, left, middle, right string) {
	w.WriteString(left)
	for i, n := range b.widths {
		if i > 0 {
			w.WriteString(middle)
		}
		w.WriteString(strings.Repeat("─", n+2))
	}
	w.WriteString(right)
	w.WriteByte('\n')
}

// alignment says where cells stand.
type alignment uint8

const (
	byType alignment = iota // numbers right, all else left
	centered
)

// line prints a row.
func (b *box) line(w *bufio.Writer, cells []string, align alignment) {
	w.WriteString("│")
	for i, cell := range cells {
		if i > 0 {
			w.WriteString("│")
		}
		space := b.widths[i] - width(cell)
		left := 0
		switch {
		case align == centered:
			left = space / 2
		case b.numeric[i]:
			left = space
		}
		w.WriteString(strings.Repeat(" ", left+1))
		w.WriteString(cell)
		w.WriteString(strings.Repeat(" ", space-left+1))
	}
	w.WriteString("│\n")
}

// cut shortens a text to n columns of the terminal.
func cut(s string, n int) string {
	if len(s) <= n || width(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used+runeWidth(r) > n-1 {
			return s[:i] + "…"
		}
		used += runeWidth(r)
	}
	return s
}

// width gives the columns of the terminal that a printable text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// printable gives a text with its control characters, which could move the cursor or colour the screen, as escapes.
func printable(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError || !isControl(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
