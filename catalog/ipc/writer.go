package ipc

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

var _ catalog.WritableFormat = Format{}

// defaultGroupRows is how many rows a record batch gets when the statement does not say.
const defaultGroupRows = 122880

// WriteOptions are compression ("none", "lz4", "zstd"), row_group_size (rows of a record batch), stream (the format of streams instead of that of
// files), string_view (utf8_view instead of utf8) and union_policy, one of the policies of types.UnionPolicy without a type code: where the nulls of
// unions go. The default loses nothing when Lacuna reads the file. Columns that are dictionaries, of values without
// parts, or run-end-encoded are written so.
func (Format) WriteOptions() []catalog.Option {
	return []catalog.Option{
		{Name: "compression", Type: types.Varchar, Aliases: []string{"codec"}},
		{Name: "row_group_size", Type: types.BigInt, Aliases: []string{"chunk_size"}},
		{Name: "stream", Type: types.Boolean},
		{Name: "string_view", Type: types.Boolean},
		{Name: "union_policy", Type: types.Varchar},
	}
}

// NewWriter starts a file or a stream.
func (Format) NewWriter(w io.Writer, schema types.Schema, options catalog.Options) (catalog.FileWriter, error) {
	out := &writer{rows: catalog.OptionOr(options, "row_group_size", int64(defaultGroupRows))}
	if out.rows < 1 || out.rows > maxBatchRows {
		return nil, types.Errorf(types.CodeInvalidParameter, "row_group_size must be between 1 and %d: %d", maxBatchRows, out.rows)
	}
	out.export = types.ExportOptions{StringViews: catalog.OptionOr(options, "string_view", false)}
	policy := catalog.OptionOr(options, "union_policy", types.UnionDefault.String())
	known := false
	for p := types.UnionDefault; p <= types.UnionForbid; p++ {
		if strings.EqualFold(policy, p.String()) && p != types.UnionVariant {
			out.export.Unions, known = p, true
		}
	}
	if !known {
		return nil, types.Errorf(types.CodeInvalidParameter, "unknown union_policy %q", policy).
			WithHint("The policies are Default, Keep, NullVariant, ValidityStruct, WidenAll, InPlace and Forbid.")
	}
	out.columns = slices.Clone(schema)
	for i, f := range schema {
		// Arrow's writer gets additions to dictionaries of nested types wrong (v18.8.0), and does not add to those that have dictionaries in them.
		if f.Encoding == types.Dictionary && (len(f.Type.Fields()) > 0 || f.Type.Kind() == types.KindEnum) {
			out.columns[i].Encoding = types.Plain
		}
	}
	out.schema = types.ExportSchema(out.columns, out.export)
	out.builders = make([]kernels.DictionaryBuilder, len(schema))
	settings := []ipc.Option{ipc.WithSchema(out.schema), ipc.WithAllocator(memory.DefaultAllocator), ipc.WithDictionaryDeltas(true)}
	switch codec := strings.ToLower(catalog.OptionOr(options, "compression", "none")); codec {
	case "none", "uncompressed":
	case "lz4", "lz4_frame":
		settings = append(settings, ipc.WithLZ4())
	case "zstd":
		settings = append(settings, ipc.WithZstd())
	default:
		return nil, types.Errorf(types.CodeInvalidParameter, "unknown compression %q", codec).WithHint("It may be none, lz4 or zstd.")
	}
	if catalog.OptionOr(options, "stream", false) {
		out.file = ipc.NewWriter(w, settings...)
	} else {
		out.file = ipc.NewWriterWithPayloadWriter(&fileWriter{out: w}, settings...)
	}
	return out, nil
}

// writer collects the rows of a record batch.
type writer struct {
	file     *ipc.Writer
	columns  types.Schema
	schema   *arrow.Schema
	export   types.ExportOptions
	rows     int64 // of a record batch
	pending  catalog.RowBuffer
	builders []kernels.DictionaryBuilder // of the columns that are dictionaries, which have one for the whole file
}

// Write copies the selected rows, and writes them when there are enough for a record batch.
func (w *writer) Write(ctx context.Context, batch *types.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.pending.Add(batch)
	for w.pending.Rows() >= w.rows {
		if err := w.flush(w.rows); err != nil {
			return err
		}
	}
	return nil
}

// flush writes so many of the pending rows.
func (w *writer) flush(rows int64) error {
	batch := w.pending.Take(rows)
	for i, f := range w.columns {
		if v := batch.Columns[i]; f.Encoding == types.Dictionary && f.Type.Kind() != types.KindNull {
			batch.Columns[i] = w.builders[i].Encode(&kernels.Env{}, v)
		}
	}
	record, err := types.ExportBatch(batch, w.schema, w.export)
	if err != nil {
		return err
	}
	defer record.Release()
	return writeError(w.file.Write(record))
}

// Buffered gives the bytes of the rows that wait for their record batch, and of the dictionaries.
func (w *writer) Buffered() int64 {
	n := w.pending.Bytes()
	for i := range w.builders {
		n += int64(w.builders[i].MemorySize())
	}
	return n
}

// Close writes the rest and the end.
func (w *writer) Close(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if rows := w.pending.Rows(); rows > 0 {
		if err := w.flush(rows); err != nil {
			return err
		}
	}
	return writeError(w.file.Close())
}

// writeError gives the errors of Arrow's writer, which pass on those of the file.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*types.Error); ok {
		return e
	}
	return types.Errorf(types.CodeIO, "cannot write Arrow data: %v", err).WithCause(err)
}
