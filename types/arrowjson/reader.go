package arrowjson

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
)

const (
	defaultBatchRows   = 4096
	defaultMaxRowBytes = 64 << 20
	// batchBytes of text end a batch, so that long rows make short batches.
	batchBytes = 64 << 20
)

// Reader reads rows, JSON objects, as record batches of one schema: from JSON lines, one object a line, or from one array; the first byte says which it is. It
// is an array.RecordReader.
//
// A row that cannot be read leaves nothing behind. The rows before it come first, as a batch, then Next gives false and Err the error; ReadOptions.Skip can
// have such rows passed by. Memory is bounded by the rows of a batch and by ReadOptions.MaxRowBytes. Not for use by several goroutines at once, but for Retain and
// Release.
type Reader struct {
	references atomic.Int64
	schema     *arrow.Schema
	text       textSource
	rows       *field
	decoder    decoder
	batchRows  int
	batch      arrow.RecordBatch
	pending    error // comes after the batch that is being delivered
	done       bool
	err        error
}

var _ array.RecordReader = (*Reader)(nil)

// NewReader makes a Reader. Whoever is done with it calls Release, which does not close in. Errors are faults of the schema, such as two columns of one name.
func NewReader(in io.Reader, schema *arrow.Schema, options ReadOptions) (*Reader, error) {
	s, err := rowShape(schema)
	if err != nil {
		return nil, err
	}
	r := &Reader{schema: schema, rows: newField(s), batchRows: options.BatchRows}
	r.references.Store(1)
	if r.batchRows <= 0 {
		r.batchRows = defaultBatchRows
	}
	r.text = textSource{in: in, longest: options.MaxRowBytes, place: types.Position{Line: 1, Column: 1}}
	if r.text.longest <= 0 {
		r.text.longest = defaultMaxRowBytes
	}
	r.decoder.options, r.decoder.Strict = options, true
	return r, nil
}

// Schema gives the schema of the batches.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// RecordBatch gives the batch of the last Next, which stays valid until the next Next unless it is retained.
func (r *Reader) RecordBatch() arrow.RecordBatch { return r.batch }

// Record gives what RecordBatch gives.
//
// Deprecated: array.RecordReader still has it.
func (r *Reader) Record() arrow.RecordBatch { return r.batch }

// Err gives the error that ended the stream, after the last batch.
func (r *Reader) Err() error { return r.err }

// Retain adds a reference.
func (r *Reader) Retain() { r.references.Add(1) }

// Release gives up a reference, with the last one the batch.
func (r *Reader) Release() {
	if r.references.Add(-1) == 0 {
		r.drop()
	}
}

func (r *Reader) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// Next reads the next batch, which has at least one row. It gives false at the end and after an error.
func (r *Reader) Next() bool {
	r.drop()
	if r.err == nil {
		r.err = r.pending
	}
	if r.err != nil || r.done {
		return false
	}
	rows, size := 0, 0
	for rows < r.batchRows && size < batchBytes {
		n, good, err := r.readRow()
		if good {
			rows, size = rows+1, size+n
			continue
		}
		r.rows.truncate(rows)
		if errors.Is(err, io.EOF) {
			r.done = true
			break
		}
		if err != nil {
			r.pending = err
			break
		}
	}
	if rows == 0 {
		r.err = r.pending
		return false
	}
	if r.batch, r.err = exportRows(r.rows.finish(), r.schema); r.err != nil {
		return false
	}
	return true
}

// readRow reads a row of n bytes; good says that there is one now. Otherwise it was a bad one that is to be skipped, or there is an error: io.EOF at the end.
func (r *Reader) readRow() (n int, good bool, err error) {
	text, err := r.text.next()
	d := &r.decoder
	if err != nil {
		if e, ok := err.(*types.Error); ok && e.Row < 0 {
			e.Row = d.row
		}
		return 0, false, err
	}
	d.Text, d.At, d.origin = text, 0, r.text.start
	if r.rows.read(d) {
		if d.Space(); d.At < len(text) {
			d.Fail("text follows the value in its line")
		}
	}
	fault := d.fault()
	d.row++
	switch {
	case fault == nil:
		return len(text), true, nil
	case d.options.Skip != nil && d.options.Skip(fault):
		return len(text), false, nil
	}
	return len(text), false, fault
}

// textSource cuts a stream into the texts of rows. It holds one row and what was read with it.
type textSource struct {
	in      io.Reader
	longest int
	buffer  []byte
	from    int            // what of the buffer is not passed by
	place   types.Position // of buffer[from]
	start   types.Position // of the row that next gave
	ended   bool           // in has no more
	form    byte           // '[' in an array, 'l' for lines, 0 before the first byte
	rows    bool           // whether the array had an element
}

// fault is an error at a place i bytes ahead.
func (t *textSource) fault(i int, code types.Code, format string, args ...any) error {
	e := types.Errorf(code, format, args...)
	e.Position = advance(t.place, t.buffer[t.from:t.from+i])
	return e
}

// pass passes by n bytes.
func (t *textSource) pass(n int) {
	t.place = advance(t.place, t.buffer[t.from:t.from+n])
	t.from += n
}

// fill reads more behind what is there; false at the end of the stream.
func (t *textSource) fill() (bool, error) {
	const least, attempts = 1 << 16, 100
	if t.ended {
		return false, nil
	}
	if len(t.buffer)-t.from > t.longest {
		return false, t.fault(0, types.CodeProgramLimit, "a row is longer than %d bytes", t.longest)
	}
	if t.from > 0 {
		t.buffer = t.buffer[:copy(t.buffer, t.buffer[t.from:])]
		t.from = 0
	}
	if cap(t.buffer)-len(t.buffer) < least {
		t.buffer = append(make([]byte, 0, 2*len(t.buffer)+least), t.buffer...)
	}
	for range attempts {
		n, err := t.in.Read(t.buffer[len(t.buffer):cap(t.buffer)])
		t.buffer = t.buffer[:len(t.buffer)+n]
		switch {
		case errors.Is(err, io.EOF):
			t.ended = true
			return n > 0, nil
		case err != nil:
			t.ended = true
			return false, types.Errorf(types.CodeIO, "reading JSON: %v", err).WithCause(err)
		case n > 0:
			return true, nil
		}
	}
	t.ended = true
	return false, types.Errorf(types.CodeIO, "reading JSON: %v", io.ErrNoProgress).WithCause(io.ErrNoProgress)
}

// peek passes by white space and gives the byte behind it, or 0 at the end.
func (t *textSource) peek() (byte, error) {
	for {
		n := 0
		for _, c := range t.buffer[t.from:] {
			if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				t.pass(n)
				return c, nil
			}
			n++
		}
		t.pass(n)
		if more, err := t.fill(); !more {
			return 0, err
		}
	}
}

// next gives the text of the next row, valid until the next call, or io.EOF.
func (t *textSource) next() ([]byte, error) {
	c, err := t.peek()
	if err != nil {
		return nil, err
	}
	if t.form == 0 {
		t.form = 'l'
		if c == '[' {
			t.form = '['
			t.pass(1)
			if c, err = t.peek(); err != nil {
				return nil, err
			}
		}
	}
	if t.form == '[' {
		return t.element(c)
	}
	if len(t.buffer) == t.from {
		return nil, io.EOF
	}
	return t.row(t.line)
}

// row takes a row off the buffer, as long as an end says.
func (t *textSource) row(end func() (int, error)) ([]byte, error) {
	n, err := end()
	if err != nil {
		return nil, err
	}
	text := t.buffer[t.from : t.from+n]
	t.start = t.place
	t.pass(n)
	return text, nil
}

// line gives the bytes up to the end of a line.
func (t *textSource) line() (int, error) {
	for n := 0; ; {
		if i := bytes.IndexByte(t.buffer[t.from+n:], '\n'); i >= 0 {
			return n + i, nil
		}
		n = len(t.buffer) - t.from
		if more, err := t.fill(); err != nil {
			return 0, err
		} else if !more {
			return n, nil
		}
	}
}

// element gives the next element of an array, behind which comes c.
func (t *textSource) element(c byte) ([]byte, error) {
	switch {
	case c == ']' && len(t.buffer) > t.from:
		t.pass(1)
		if _, err := t.peek(); err != nil {
			return nil, err
		}
		if len(t.buffer) > t.from {
			return nil, t.fault(0, types.CodeInvalidText, "invalid JSON: text follows the array")
		}
		t.form = 'l' // which is at its end
		return nil, io.EOF
	case t.rows:
		if c == ',' {
			t.pass(1)
			var err error
			if c, err = t.peek(); err != nil {
				return nil, err
			}
			break
		}
		if len(t.buffer) > t.from {
			return nil, t.fault(0, types.CodeInvalidText, "invalid JSON: no comma follows an element of the array")
		}
	}
	switch {
	case len(t.buffer) == t.from:
		return nil, t.fault(0, types.CodeInvalidText, "invalid JSON: the array does not end")
	case c == ',' || c == ']':
		return nil, t.fault(0, types.CodeInvalidText, "invalid JSON: an element of the array is missing")
	}
	t.rows = true
	return t.row(t.valueEnd)
}

// valueEnd gives the bytes of the value that begins here, by quotes and brackets alone: whether it is JSON, and whether brackets fit each other, the decoder says.
func (t *textSource) valueEnd() (int, error) {
	depth, quoted, escaped := 0, false, false
	for n := 0; ; n++ {
		if t.from+n == len(t.buffer) {
			if more, err := t.fill(); err != nil {
				return 0, err
			} else if !more {
				if depth == 0 && !quoted {
					return n, nil // a number, perhaps; the array does not end, which the next row says
				}
				return 0, t.fault(n, types.CodeInvalidText, "invalid JSON: the text ends within a value")
			}
		}
		switch c := t.buffer[t.from+n]; {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			if c == '"' {
				if quoted = false; depth == 0 {
					return n + 1, nil
				}
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return n, nil
			}
			if depth--; depth == 0 {
				return n + 1, nil
			}
		case depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			return n, nil
		}
	}
}
