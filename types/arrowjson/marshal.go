package arrowjson

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// Violation says what becomes of a null that a row shows under a required field.
type Violation uint8

const (
	// ViolationError gives an error of kind ErrNullInRequired with path and row.
	ViolationError Violation = iota
	// ViolationZero writes the value that lies under the null, or a placeholder where not everything that may lie there is a value.
	ViolationZero
	// ViolationNull writes null.
	ViolationNull
)

// WriteOptions says how Arrow data become JSON.
type WriteOptions struct {
	OnViolation Violation
	// Lines has a Writer write a line for each row instead of one array of all rows.
	Lines bool
}

// Marshal gives the rows of an array, of the type and nullability of field, as a JSON array. The name of the field counts for the paths of errors only.
func Marshal(field arrow.Field, data arrow.ArrayData, options WriteOptions) ([]byte, error) {
	s, err := newShape(field, field.Name)
	if err != nil {
		return nil, err
	}
	pool := types.NewPool()
	v, err := types.ImportData(data, types.ImportOptions{Type: s.typ, Pool: pool})
	if err != nil {
		return nil, err
	}
	e := newEncoder(s, options.OnViolation)
	e.bind(pool, v)
	dst := []byte{'['}
	for row := range v.Len() {
		if row > 0 {
			dst = append(dst, ',')
		}
		if dst, err = e.append(dst, row); err != nil {
			return nil, atRow(err, int64(row))
		}
	}
	return append(dst, ']'), nil
}

// atRow sets the row of an error that has none.
func atRow(err error, row int64) error {
	if e, ok := err.(*types.Error); ok && e.Row < 0 {
		e.Row = row
	}
	return err
}

// MarshalBatch gives the rows of a record batch as a JSON array of objects.
func MarshalBatch(batch arrow.RecordBatch, options WriteOptions) ([]byte, error) {
	w, err := NewWriter(nil, batch.Schema(), options)
	if err != nil {
		return nil, err
	}
	w.lines = false
	if err := w.encode(batch); err != nil {
		return nil, err
	}
	return w.end(), nil
}

// flushSize is how much a Writer gathers before it writes.
const flushSize = 1 << 16

// Writer writes the rows of record batches of one schema as JSON objects, on lines of their own or in one array.
type Writer struct {
	out     io.Writer
	lines   bool
	schema  *arrow.Schema
	columns types.Schema
	rows    *encoder // of a struct of the columns
	pool    *types.Pool
	buffer  []byte
	written int64
	err     error // the first one; nothing is written after it
	closed  bool
}

// NewWriter makes a Writer. The stream ends with Close, which does not close out. Errors are faults of the schema, such as two columns of one name.
func NewWriter(out io.Writer, schema *arrow.Schema, options WriteOptions) (*Writer, error) {
	s, err := rowShape(schema)
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, lines: options.Lines, schema: schema, rows: newEncoder(s, options.OnViolation), pool: types.NewPool()}
	w.columns = s.typ.Fields()
	return w, nil
}

// rowShape gives the shape of the rows of a schema.
func rowShape(schema *arrow.Schema) (*shape, error) {
	return newShape(arrow.Field{Type: arrow.StructOf(schema.Fields()...)}, "")
}

// Write writes the rows of a batch; its columns must be those of the schema. A row that cannot be written is an error with its number in the stream, after
// the rows before it; the Writer stays with its first error.
func (w *Writer) Write(batch arrow.RecordBatch) error {
	if w.closed {
		return types.Errorf(types.CodeInvalidState, "the writer is closed")
	}
	if w.err == nil {
		w.err = w.encode(batch)
		w.flush()
	}
	return w.err
}

func (w *Writer) encode(batch arrow.RecordBatch) error {
	if err := sameTypes(w.schema, batch.Schema()); err != nil {
		return err
	}
	mark := w.pool.Mark()
	defer w.pool.Release(mark)
	columns, err := types.ImportBatch(batch, w.columns, types.ImportOptions{Pool: w.pool})
	if e, ok := err.(*types.Error); ok && e.Row >= 0 {
		e.Row += w.written
	}
	if err != nil {
		return err
	}
	w.rows.bind(w.pool, types.NewStruct(w.rows.typ, columns.Rows, columns.Columns, nil))
	for row := range columns.Rows {
		start := len(w.buffer)
		if !w.lines {
			w.buffer = append(w.buffer, "[,"[min(w.written, 1)], '\n')
		}
		if w.buffer, err = w.rows.append(w.buffer, row); err != nil {
			w.buffer = w.buffer[:start]
			return atRow(err, w.written)
		}
		if w.lines {
			w.buffer = append(w.buffer, '\n')
		}
		w.written++
		if w.out != nil && len(w.buffer) >= flushSize {
			if w.flush(); w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

// sameTypes checks that a batch has the columns of the stream.
func sameTypes(want, got *arrow.Schema) error {
	if want == got {
		return nil
	}
	if want.NumFields() != got.NumFields() {
		return types.KindErrorf(types.ErrLengthMismatch, "batch has %d columns, the schema %d", got.NumFields(), want.NumFields())
	}
	for i, f := range want.Fields() {
		if g := got.Field(i); f.Name != g.Name || !arrow.TypeEqual(f.Type, g.Type) {
			return types.KindErrorf(types.ErrNoCommonType, "batch has column %s, the schema %s", g, f).WithRow(f.Name, -1)
		}
	}
	return nil
}

// flush writes what is gathered.
func (w *Writer) flush() {
	if len(w.buffer) == 0 {
		return
	}
	if _, err := w.out.Write(w.buffer); err != nil {
		w.out = io.Discard
		if w.err == nil {
			w.err = err
		}
	}
	w.buffer = w.buffer[:0]
}

// Close ends the array, so that also a stream that an error has ended is JSON. It gives the first error of the Writer.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if !w.lines {
		w.end()
	}
	w.flush()
	return w.err
}

func (w *Writer) end() []byte {
	if w.written == 0 {
		w.buffer = append(w.buffer, '[')
	}
	w.buffer = append(w.buffer, '\n', ']')
	if w.out != nil {
		w.buffer = append(w.buffer, '\n')
	}
	return w.buffer
}
