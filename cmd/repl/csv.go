package main

import (
	"bufio"
	"bytes"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// printCSV prints a result as RFC 4180 has it, with a line of names, rows as they come and lines that end with a line feed. NULL is nothing at
// all between two commas; the empty string is "", so that the two are told apart. The text NULL is NULL.
func printCSV(w *bufio.Writer, result *engine.Result) error {
	columns := result.Columns()
	for i, f := range columns {
		if i > 0 {
			w.WriteByte(',')
		}
		writeCSV(w, []byte(f.Name))
	}
	w.WriteByte('\n')
	var cell []byte
	return eachRow(result, func(b *types.Batch, row int) error {
		for i, v := range b.Columns {
			if i > 0 {
				w.WriteByte(',')
			}
			if _, _, ok := v.Locate(row); ok {
				cell = types.AppendText(cell[:0], v, row)
				writeCSV(w, cell)
			}
		}
		return w.WriteByte('\n') // the writer keeps its first error
	})
}

// writeCSV writes a value that is not null, in quotes where it needs them.
func writeCSV(w *bufio.Writer, value []byte) {
	if len(value) > 0 && !bytes.ContainsAny(value, ",\"\r\n") {
		w.Write(value)
		return
	}
	w.WriteByte('"')
	for _, c := range value {
		if c == '"' {
			w.WriteByte('"')
		}
		w.WriteByte(c)
	}
	w.WriteByte('"')
}
