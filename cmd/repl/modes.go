package main

import (
	"bufio"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/json"
	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// printer prints a result. A broken output is not its business: the writer keeps the error.
type printer func(*bufio.Writer, *engine.Result) error

// printers are the modes.
var printers = map[string]printer{"box": printBox, "csv": printCSV, "json": printJSON(true), "jsonlines": printJSON(false), "line": printLines, "markdown": printMarkdown}

// modeNames gives the names of the modes for messages.
func modeNames() string {
	names := slices.Sorted(maps.Keys(printers))
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// printJSON prints an array of objects, or an object a line.
func printJSON(array bool) printer {
	return func(w *bufio.Writer, result *engine.Result) error {
		ctx := context.Background() // the result has its own
		out, err := json.Format{}.NewWriter(w, result.Columns(), catalog.Options{"array": array})
		if err != nil {
			return err
		}
		for {
			b, err := result.NextBatch()
			if err != nil {
				return err
			}
			if b == nil {
				return out.Close(ctx)
			}
			if err := out.Write(ctx, b); err != nil {
				return err
			}
		}
	}
}

// printLines prints a line for each value, name = value, and an empty line between rows. Values are those of a box, not cut.
func printLines(w *bufio.Writer, result *engine.Result) error {
	labels := names(result.Columns())
	widest := 0
	for _, label := range labels {
		widest = max(widest, width(label))
	}
	first := true
	return eachRow(result, func(b *types.Batch, row int) error {
		if !first {
			w.WriteByte('\n')
		}
		first = false
		for i, v := range b.Columns {
			w.WriteString(strings.Repeat(" ", widest-width(labels[i])))
			w.WriteString(labels[i])
			w.WriteString(" = ")
			w.WriteString(boxCellText(v, row))
			if err := w.WriteByte('\n'); err != nil { // the writer keeps its first error
				return err
			}
		}
		return nil
	})
}

// printMarkdown prints a table as GitHub's Markdown has it, numbers at the right. Values are those of a box, not cut.
func printMarkdown(w *bufio.Writer, result *engine.Result) error {
	line := func(cells []string) error {
		for _, cell := range cells {
			w.WriteString("| ")
			w.WriteString(markdownEscapes.Replace(cell))
			w.WriteByte(' ')
		}
		_, err := w.WriteString("|\n")
		return err
	}
	columns := result.Columns()
	labels, rules := make([]string, len(columns)), make([]string, len(columns))
	for i, f := range columns {
		labels[i], rules[i] = printable(f.Name), "---"
		if f.Type.IsNumeric() {
			rules[i] = "--:"
		}
	}
	line(labels)
	line(rules)
	return eachRow(result, func(b *types.Batch, row int) error {
		cells := make([]string, len(b.Columns))
		for i, v := range b.Columns {
			cells[i] = boxCellText(v, row)
		}
		return line(cells)
	})
}

// markdownEscapes are the characters that would end a cell or begin something else.
var markdownEscapes = strings.NewReplacer("|", `\|`, `\`, `\\`, "<", "&lt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`")
