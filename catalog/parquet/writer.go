package parquet

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/arrowschema"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

var _ catalog.WritableFormat = Format{}

// Defaults of the sizes of row groups.
const (
	defaultGroupRows  = 122880
	defaultGroupBytes = 256 << 20
)

// WriteOptions are DuckDB's: compression (snappy, zstd, gzip, brotli, lz4_raw, uncompressed), row_group_size and row_group_size_bytes.
func (Format) WriteOptions() []catalog.Option {
	return []catalog.Option{
		{Name: "compression", Type: types.Varchar, Aliases: []string{"codec"}},
		{Name: "row_group_size", Type: types.BigInt, Aliases: []string{"chunk_size"}},
		{Name: "row_group_size_bytes", Type: types.BigInt},
	}
}

// NewWriter starts a file. What SQL has and Parquet has not is written in another form (form.go), and the Arrow schema beside it, by which it is read as what
// it was.
func (Format) NewWriter(w io.Writer, schema types.Schema, options catalog.Options) (catalog.FileWriter, error) {
	out := &writer{
		out: w, root: &writtenNode{}, rows: catalog.OptionOr(options, "row_group_size", int64(defaultGroupRows)),
		bytes: catalog.OptionOr(options, "row_group_size_bytes", int64(defaultGroupBytes)),
	}
	if out.rows < 1 || out.rows > maxGroupRows || out.bytes < 1 {
		return nil, types.Errorf(types.CodeInvalidParameter, "row_group_size must be between 1 and %d: %d", maxGroupRows, out.rows)
	}
	switch codec := strings.ToLower(catalog.OptionOr(options, "compression", "snappy")); codec {
	case "snappy":
		out.codec = codecSnappy
	case "zstd":
		out.codec = codecZstd
	case "gzip":
		out.codec = codecGzip
	case "brotli":
		out.codec = codecBrotli
	case "lz4", "lz4_raw":
		out.codec = codecLZ4Raw
	case "uncompressed", "none":
		out.codec = codecNone
	default:
		return nil, types.Errorf(types.CodeInvalidParameter, "unknown compression %q", codec).WithHint("It may be snappy, zstd, gzip, brotli, lz4_raw or uncompressed.")
	}
	out.root.element = schemaElement{physical: physicalNone, name: []byte("schema"), converted: convertedNone}
	for _, f := range schema {
		f.Type = writtenForm(f.Type)
		if err := out.root.below(f.Name, f); err != nil {
			return nil, err
		}
	}
	message, err := arrowschema.Encapsulated(types.ExportSchema(schema, types.ExportOptions{}))
	if err != nil {
		return nil, err
	}
	out.schema = base64.StdEncoding.EncodeToString(message)
	if len(schema) == 0 {
		return nil, unsupported("a Parquet file needs a column")
	}
	var elements []schemaElement
	out.root.eachElement(func(n *writtenNode) { elements = append(elements, n.element) })
	if _, err := buildSchema(elements); err != nil {
		return nil, err // what cannot be read is not written
	}
	return out, out.write([]byte(magic))
}

// writer collects the rows of a row group.
type writer struct {
	out    io.Writer
	offset int64
	root   *writtenNode
	schema string // the Arrow schema, as the footer has it
	codec  int64
	rows   int64 // of a row group
	bytes  int64

	pending catalog.RowBuffer
	groups  []writtenGroup
	total   int64
}

// writtenGroup is a row group in the file.
type writtenGroup struct {
	columns []writtenChunk
	rows    int64
	bytes   int64
	offset  int64
}

func (w *writer) write(p []byte) error {
	n, err := w.out.Write(p)
	w.offset += int64(n)
	return err
}

// Write copies the selected rows, and writes them when there are enough for a row group.
func (w *writer) Write(ctx context.Context, batch *types.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	written := *batch
	written.Columns = make([]*types.Vector, len(batch.Columns))
	for i, v := range batch.Columns {
		written.Columns[i] = toWritten(v)
	}
	w.pending.Add(&written)
	for {
		held := w.pending.Rows()
		if held < w.rows && (held == 0 || w.pending.Bytes() <= w.bytes) {
			return nil
		}
		if err := w.flush(ctx, min(held, w.rows)); err != nil {
			return err
		}
	}
}

// Buffered gives the bytes of the rows that wait for their row group.
func (w *writer) Buffered() int64 { return w.pending.Bytes() }

// flush writes so many of the pending rows as a row group.
func (w *writer) flush(ctx context.Context, rows int64) error {
	taken := w.pending.Take(rows)
	group := writtenGroup{rows: rows, offset: w.offset}
	for i, column := range w.root.children {
		if err := ctx.Err(); err != nil {
			return err
		}
		all := entryList{rows: make([]int32, rows), definition: make([]uint8, rows), repetition: make([]uint8, rows)}
		for row := range all.rows {
			all.rows[row] = int32(row)
		}
		if err := w.column(column, taken.Columns[i], all, &group); err != nil {
			return err
		}
	}
	w.groups = append(w.groups, group)
	w.total += rows
	return nil
}

// Close writes the rest and the footer.
func (w *writer) Close(ctx context.Context) error {
	if rows := w.pending.Rows(); rows > 0 {
		if err := w.flush(ctx, rows); err != nil {
			return err
		}
	}
	footer := w.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}

// footer gives the FileMetaData.
func (w *writer) footer() []byte {
	var t compactWriter
	t.begin()
	t.int32(1, 2)
	var elements []*writtenNode
	w.root.eachElement(func(n *writtenNode) { elements = append(elements, n) })
	t.list(2, wireStruct, len(elements))
	leaves := 0
	for i, n := range elements {
		if n.element.physical != physicalNone {
			leaves++
		}
		t.element(func() {
			if i == 0 { // the root has no repetition
				t.binary(4, n.element.name)
				t.int32(5, n.element.children)
				return
			}
			n.element.write(&t)
		})
	}
	t.int64(3, w.total)
	t.list(4, wireStruct, len(w.groups))
	for _, g := range w.groups {
		t.element(func() {
			t.list(1, wireStruct, len(g.columns))
			for i := range g.columns {
				t.element(func() { g.columns[i].write(&t, w.codec) })
			}
			t.int64(2, g.bytes)
			t.int64(3, g.rows)
			t.int64(5, g.offset)
		})
	}
	t.list(5, wireStruct, 1)
	t.element(func() {
		t.binary(1, []byte(arrowSchemaKey))
		t.binary(2, []byte(w.schema))
	})
	t.binary(6, []byte("Lacuna"))
	t.list(7, wireStruct, leaves)
	for range leaves {
		t.element(func() { t.structure(1, func() {}) }) // TypeDefinedOrder
	}
	t.end()
	return t.data
}

// write writes the metadata of a column chunk.
func (c *writtenChunk) write(t *compactWriter, codec int64) {
	t.int64(2, c.offset)
	t.structure(3, func() {
		t.int32(1, c.node.element.physical)
		encodings := []int64{encodingPlain, encodingRLE}
		if c.dictionary > 0 {
			encodings = append(encodings, encodingRLEDictionary)
		}
		t.list(2, wireInt32, len(encodings))
		for _, e := range encodings {
			t.varint(e)
		}
		t.list(3, wireBinary, len(c.node.path))
		for _, part := range c.node.path {
			t.bytes([]byte(part))
		}
		t.int32(4, codec)
		t.int64(5, c.values)
		t.int64(6, c.uncompressed)
		t.int64(7, c.compressed)
		t.int64(9, c.data)
		if c.dictionary > 0 {
			t.int64(11, c.dictionary)
		}
		t.structure(12, func() {
			t.int64(3, c.nulls)
			if c.low != nil {
				t.binary(5, c.high)
				t.binary(6, c.low)
			}
		})
	})
}

// entryList is a column, or a field below one, as the entries of its leaves: the row of the node's vector, or -1 where a null or an empty list stands above or at
// it, and the levels so far (Melnik et al., "Dremel: Interactive Analysis of Web-Scale Datasets", 2010).
type entryList struct {
	rows                   []int32
	definition, repetition []uint8
}

// column writes the leaves at and below a node whose parent's entries are given.
func (w *writer) column(n *writtenNode, v *types.Vector, in entryList, group *writtenGroup) error {
	v = kernels.Decode(&kernels.Env{Rows: v.Len()}, v)
	if n.element.repetition == repetitionOptional {
		in = in.optional(v)
	} else if v.MayHaveNulls() && types.NullCount(nil, v) > 0 {
		for i, row := range in.rows {
			if row >= 0 && !types.LogicalValidity(nil, v).Has(int(row)) {
				return types.KindErrorf(types.ErrNullInRequired, "null in a required field").WithRow(strings.Join(n.path, "."), int64(i))
			}
		}
	}
	switch n.typ.Kind() {
	case types.KindStruct:
		for i, c := range n.children {
			if err := w.column(c, v.Children()[i], in, group); err != nil {
				return err
			}
		}
		return nil
	case types.KindList, types.KindArray, types.KindMap:
		middle := n.children[0]
		entries := in.repeated(v, uint8(middle.repetition))
		if n.typ.Kind() != types.KindMap {
			return w.column(middle.children[0], v.Children()[0], entries, group)
		}
		pairs := kernels.Decode(&kernels.Env{Rows: v.Children()[0].Len()}, v.Children()[0])
		for i, c := range middle.children {
			if err := w.column(c, pairs.Children()[i], entries, group); err != nil {
				return err
			}
		}
		return nil
	}
	chunk, err := w.leaf(n, v, in)
	if err != nil {
		return err
	}
	group.columns = append(group.columns, chunk)
	group.bytes += chunk.uncompressed
	return nil
}

// optional gives the entries at an optional node: valid ones are one level further, nulls end here.
func (in entryList) optional(v *types.Vector) entryList {
	out := entryList{rows: slices.Clone(in.rows), definition: slices.Clone(in.definition), repetition: in.repetition}
	valid := types.LogicalValidity(nil, v)
	for i, row := range in.rows {
		switch {
		case row < 0:
		case valid.Has(int(row)):
			out.definition[i]++
		default:
			out.rows[i] = -1
		}
	}
	return out
}

// repeated gives the entries of the elements of lists: one for each element, and one for a list without any.
func (in entryList) repeated(v *types.Vector, repetition uint8) entryList {
	var entries []types.ListEntry
	width := int64(v.Type().Width())
	if v.Type().Kind() != types.KindArray {
		entries = types.ValuesOf[types.ListEntry](v)
	}
	out := entryList{}
	for i, row := range in.rows {
		var e types.ListEntry
		if row >= 0 && entries != nil {
			e = entries[row]
		} else if row >= 0 {
			e = types.ListEntry{Offset: int64(row) * width, Length: width}
		}
		if row < 0 || e.Length == 0 {
			out.rows = append(out.rows, -1)
			out.definition, out.repetition = append(out.definition, in.definition[i]), append(out.repetition, in.repetition[i])
			continue
		}
		for j := range e.Length {
			level := in.repetition[i]
			if j > 0 {
				level = repetition
			}
			out.rows = append(out.rows, int32(e.Offset+j))
			out.definition, out.repetition = append(out.definition, in.definition[i]+1), append(out.repetition, level)
		}
	}
	return out
}
