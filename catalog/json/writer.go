package json

import (
	"bufio"
	"context"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// WriteOptions are array, which makes one array of the rows instead of a line for each, and compression.
func (Format) WriteOptions() []catalog.Option {
	return []catalog.Option{{Name: "array", Type: types.Boolean}, {Name: "compression", Type: types.Varchar}}
}

// NewWriter starts a file of objects, one a row, as AppendValue writes them.
func (Format) NewWriter(w io.Writer, schema types.Schema, options catalog.Options) (catalog.FileWriter, error) {
	compression, err := catalog.CompressionOf("", catalog.OptionOr(options, "compression", "none"))
	if err != nil {
		return nil, err
	}
	out := &writer{array: catalog.OptionOr(options, "array", false), out: bufio.NewWriterSize(w, 1<<16)}
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
	for i, f := range schema {
		label := []byte{','}
		if i == 0 {
			label[0] = '{'
		}
		out.labels = append(out.labels, append(jsontext.AppendString(label, []byte(f.Name)), ':'))
	}
	return out, nil
}

// writer writes objects.
type writer struct {
	array  bool
	labels [][]byte // what stands before each value
	out    *bufio.Writer
	close  func() error // of the compressor; may be nil
	rows   int64
	line   []byte
}

// Write writes the selected rows.
func (w *writer) Write(ctx context.Context, batch *types.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for row := batch.Selection.NextSet(0, batch.Rows); row < batch.Rows; row = batch.Selection.NextSet(row+1, batch.Rows) {
		w.line = w.line[:0]
		if w.array {
			w.line = append(w.line, "[,"[min(w.rows, 1)], '\n')
		}
		for i, v := range batch.Columns {
			w.line = append(w.line, w.labels[i]...)
			w.line = AppendValue(w.line, v, row)
		}
		w.line = append(w.line, '}')
		if !w.array {
			w.line = append(w.line, '\n')
		}
		w.rows++
		if _, err := w.out.Write(w.line); err != nil { // the writer keeps its first error
			return err
		}
	}
	return nil
}

// Buffered gives the size of the buffer.
func (w *writer) Buffered() int64 { return int64(w.out.Size()) }

// Close writes what is left.
func (w *writer) Close(ctx context.Context) error {
	err := ctx.Err()
	if err == nil && w.array {
		if w.rows == 0 {
			w.out.WriteByte('[')
		}
		_, err = w.out.WriteString("\n]\n")
	}
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

// AppendValue appends a row of a vector as JSON, without white space: numbers as numbers, whatever their number of digits, but NaN and the infinities as
// strings; structs and maps as objects, the keys of maps as text; a union as an object of its variant's name and value; JSON as it is; every other type as
// the string that CAST to VARCHAR gives.
func AppendValue(dst []byte, v *types.Vector, row int) []byte {
	v, row, ok := v.Locate(row)
	if !ok {
		return append(dst, "null"...)
	}
	t := v.Type()
	switch t.Kind() {
	case types.KindBoolean, types.KindTinyInt, types.KindSmallInt, types.KindInteger, types.KindBigInt, types.KindUTinyInt, types.KindUSmallInt,
		types.KindUInteger, types.KindUBigInt, types.KindHugeInt:
		return types.AppendText(dst, v, row)
	case types.KindHalf, types.KindFloat, types.KindDouble:
		start := len(dst)
		dst = types.AppendText(dst, v, row)
		if c := dst[len(dst)-1]; c == 'n' || c == 'f' || c == 'y' { // nan, inf, infinity
			return jsontext.AppendString(dst[:start], append([]byte(nil), dst[start:]...))
		}
		return dst
	case types.KindDecimal:
		start := len(dst)
		dst = types.AppendText(dst, v, row)
		// JSON has a digit before the point.
		at := start
		if dst[at] == '-' {
			at++
		}
		if dst[at] == '.' {
			dst = append(dst, 0)
			copy(dst[at+1:], dst[at:])
			dst[at] = '0'
		}
		return dst
	case types.KindJSON:
		return types.AppendText(dst, v, row)
	case types.KindList, types.KindArray:
		first, last := int64(row)*int64(t.Width()), int64(row+1)*int64(t.Width())
		if t.Kind() == types.KindList {
			e := types.ValuesOf[types.ListEntry](v)[row]
			first, last = e.Offset, e.Offset+e.Length
		}
		dst = append(dst, '[')
		for i := first; i < last; i++ {
			if i > first {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, v.Children()[0], int(i))
		}
		return append(dst, ']')
	case types.KindStruct:
		dst = append(dst, '{')
		for i, f := range t.Fields() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendString(dst, []byte(f.Name)), ':')
			dst = AppendValue(dst, v.Children()[i], row)
		}
		return append(dst, '}')
	case types.KindMap:
		e := types.ValuesOf[types.ListEntry](v)[row]
		dst = append(dst, '{')
		for i := e.Offset; i < e.Offset+e.Length; i++ {
			if i > e.Offset {
				dst = append(dst, ',')
			}
			pairs, at, _ := v.Children()[0].Locate(int(i))
			dst = append(jsontext.AppendString(dst, types.AppendText(nil, pairs.Children()[0], at)), ':')
			dst = AppendValue(dst, pairs.Children()[1], at)
		}
		return append(dst, '}')
	case types.KindUnion:
		code := v.TypeCodes()[row]
		for i, c := range t.Codes() {
			if c != code {
				continue
			}
			at := row
			if offsets := v.UnionOffsets(); offsets != nil {
				at = int(offsets[row])
			}
			dst = append(jsontext.AppendString(append(dst, '{'), []byte(t.Fields()[i].Name)), ':')
			return append(AppendValue(dst, v.Children()[i], at), '}')
		}
		return append(dst, "null"...)
	}
	return jsontext.AppendString(dst, types.AppendText(nil, v, row))
}
