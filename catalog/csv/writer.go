package csv

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// WriteOptions are DuckDB's: header, delim, quote, escape, nullstr, force_quote (a list of columns, or '*'), dateformat, timestampformat and compression. The ending of the file's
// name chooses neither delimiter nor compression.
func (Format) WriteOptions() []catalog.Option {
	return []catalog.Option{
		{Name: "compression", Type: types.Varchar},
		{Name: "dateformat", Type: types.Varchar, Aliases: []string{"date_format"}},
		{Name: "delim", Type: types.Varchar, Aliases: []string{"sep", "delimiter"}},
		{Name: "escape", Type: types.Varchar},
		{Name: "force_quote", Type: types.ListOf(types.Varchar)},
		{Name: "header", Type: types.Boolean},
		{Name: "nullstr", Type: types.Varchar, Aliases: []string{"null"}},
		{Name: "quote", Type: types.Varchar},
		{Name: "timestampformat", Type: types.Varchar, Aliases: []string{"timestamp_format"}},
	}
}

// NewWriter starts a file: a line of names unless header is false, and values as CAST to VARCHAR gives them, in quotes where they could be taken for
// something else.
func (Format) NewWriter(w io.Writer, schema types.Schema, options catalog.Options) (catalog.FileWriter, error) {
	out := &writer{schema: schema, null: catalog.OptionOr(options, "nullstr", ""), forced: make([]bool, len(schema))}
	given := catalog.Options{}
	for _, name := range []string{"delim", "quote", "escape", "dateformat", "timestampformat"} {
		if x, ok := options[name]; ok {
			given[name] = x
		}
	}
	s, err := newSettings(catalog.OpenRequest{Path: "", Options: given})
	if err != nil {
		return nil, err
	}
	out.dialect, out.settings = s.dialect, s
	for _, x := range catalog.OptionOr(options, "force_quote", []any(nil)) {
		name, _ := x.(string)
		found := false
		for i, f := range schema {
			if name == "*" || strings.EqualFold(name, f.Name) {
				out.forced[i], found = true, true
			}
		}
		if !found {
			return nil, types.Errorf(types.CodeUndefinedColumn, "force_quote names the column %q, which is not there", name)
		}
	}
	compression, err := catalog.CompressionOf("", catalog.OptionOr(options, "compression", "none"))
	if err != nil {
		return nil, err
	}
	out.out = bufio.NewWriterSize(w, 1<<16)
	switch compression {
	case "gzip":
		z := gzip.NewWriter(w)
		out.out, out.close = bufio.NewWriterSize(z, 1<<16), z.Close
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, types.Errorf(types.CodeInternal, "%v", err)
		}
		out.out, out.close = bufio.NewWriterSize(z, 1<<16), z.Close
	}
	if catalog.OptionOr(options, "header", true) {
		for i, f := range schema {
			out.separate(i)
			out.value([]byte(f.Name), false)
		}
		out.out.WriteByte('\n')
	}
	return out, nil
}

// writer writes records.
type writer struct {
	dialect
	schema   types.Schema
	null     string
	settings *settings // of times
	forced   []bool
	texts    []func(dst []byte, row int) []byte // of a batch's columns
	out      *bufio.Writer
	close    func() error // of the compressor; may be nil
	cell     []byte
}

// Write writes the selected rows.
func (w *writer) Write(ctx context.Context, batch *types.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.texts = w.texts[:0]
	for _, v := range batch.Columns {
		text := func(dst []byte, row int) []byte { return types.AppendText(dst, v, row) }
		if format := w.settings.format(v.Type()); format != nil {
			text = format.Appender(&kernels.Env{}, v)
		}
		w.texts = append(w.texts, text)
	}
	for row := batch.Selection.NextSet(0, batch.Rows); row < batch.Rows; row = batch.Selection.NextSet(row+1, batch.Rows) {
		for i, v := range batch.Columns {
			w.separate(i)
			if _, _, ok := v.Locate(row); !ok {
				w.out.WriteString(w.null)
				continue
			}
			w.cell = w.texts[i](w.cell[:0], row)
			w.value(w.cell, w.forced[i])
		}
		if err := w.out.WriteByte('\n'); err != nil { // the writer keeps its first error
			return err
		}
	}
	return nil
}

func (w *writer) separate(column int) {
	if column > 0 {
		w.out.WriteByte(w.delimiter)
	}
}

// value writes a value, in quotes where it needs them: when it holds what means something, or would be read as NULL.
func (w *writer) value(b []byte, forced bool) {
	plain := !forced && string(b) != w.null && len(b) > 0 && b[0] != '#' && b[0] != ' ' && b[len(b)-1] != ' ' &&
		bytes.IndexByte(b, w.delimiter) < 0 && bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 && (w.quote == 0 || bytes.IndexByte(b, w.quote) < 0)
	if plain || w.quote == 0 {
		w.out.Write(b)
		return
	}
	escape := w.escape
	if escape == 0 {
		escape = w.quote
	}
	w.out.WriteByte(w.quote)
	for _, c := range b {
		if c == w.quote || c == escape {
			w.out.WriteByte(escape)
		}
		w.out.WriteByte(c)
	}
	w.out.WriteByte(w.quote)
}

// Buffered gives the size of the buffer.
func (w *writer) Buffered() int64 { return int64(w.out.Size()) }

// Close writes what is left.
func (w *writer) Close(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		err = w.out.Flush()
	}
	if w.close != nil {
		if closing := w.close(); err == nil {
			err = closing
		}
	}
	return err
}
