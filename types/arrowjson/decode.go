package arrowjson

import (
	"bytes"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// decoder reads values from a text. It stops at the first fault, which is in err, or in the scanner when the text is no JSON.
type decoder struct {
	jsontext.Scanner
	options ReadOptions
	row     int64
	origin  types.Position // of the first byte of Text
	err     *types.Error
	own     []byte // the last string that had escapes
}

// fail keeps a fault at a place in the text and gives false.
func (d *decoder) fail(kind error, s *shape, at int, format string, args ...any) bool {
	if d.err == nil && d.Err == "" {
		d.err = types.KindErrorf(kind, format, args...).WithRow(s.path, d.row)
		d.err.Position = advance(d.origin, d.Text[:at])
	}
	return false
}

// fault gives the first fault, or nil, and forgets it.
func (d *decoder) fault() *types.Error {
	err := d.err
	if err == nil && d.Err != "" {
		err = types.Errorf(types.CodeInvalidText, "invalid JSON: %s", d.Err).WithRow("", d.row)
		err.Position = advance(d.origin, d.Text[:min(d.At, len(d.Text))])
	}
	d.err, d.Err = nil, ""
	return err
}

var newline = []byte{'\n'}

// advance gives the place behind a text that begins at p.
func advance(p types.Position, text []byte) types.Position {
	p.Offset += len(text)
	if n := bytes.Count(text, newline); n > 0 {
		p.Line, p.Column = p.Line+n, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCount(text)
	return p
}

// mismatch is the fault of a value, the next one in the text, that is JSON but not what a type is read from.
func (d *decoder) mismatch(s *shape) bool {
	kind := ""
	switch c := d.Peek(); {
	case c == '"':
		kind = "a string"
	case c == '{':
		kind = "an object"
	case c == '[':
		kind = "a list"
	case c == 't' || c == 'f':
		kind = "a boolean"
	case c == '-' || c-'0' <= 9:
		kind = "a number"
	default:
		d.Unexpected()
		return false
	}
	return d.fail(types.ErrCastInvalid, s, d.At, "%s cannot be read as %s", kind, s.dt)
}

// string reads a string, which is valid until the next one.
func (d *decoder) string(s *shape) ([]byte, bool) {
	if d.Peek() != '"' {
		return nil, d.mismatch(s)
	}
	return d.unquote()
}

// unquote reads the string that begins here.
func (d *decoder) unquote() ([]byte, bool) {
	start := d.At
	text, escaped := d.Quoted()
	if d.Err != "" {
		return nil, false
	}
	if !utf8.Valid(text) {
		d.At = start
		d.Fail("a string is not UTF-8")
		return nil, false
	}
	if escaped {
		var ok bool
		if d.own, ok = jsontext.Unescape(d.own[:0], text); !ok {
			d.At = start
			d.Fail("a string has an escape that is none")
			return nil, false
		}
		text = d.own
	}
	return text, true
}

// skip passes by a value that no field wants.
func (d *decoder) skip() bool {
	start := d.At
	text := d.Skip(0)
	if d.Err == "" && !utf8.Valid(text) {
		d.At = start
		d.Fail("a string is not UTF-8")
	}
	return d.Err == ""
}

// more reads what stands behind an element of a list that end closes: a comma, or the end.
func (d *decoder) more(end byte) (more, ok bool) {
	if d.Accept(',') {
		return true, true
	}
	return false, d.Expect(end)
}

// column gathers the rows of a field. Its length is its own: whoever adds a row that fails truncates it again.
type column interface {
	// value reads a value that is not null and adds it. After a fault there may be a row more, or parts of one.
	value(d *decoder) bool
	// null adds a null; only columns of nullable fields are asked for one.
	null()
	// placeholder adds a value for a row that nobody sees.
	placeholder()
	// truncate takes rows away, also parts of rows; a column that has no more than n stays as it is.
	truncate(n int)
	// finish gives the rows as a vector over memory that the column forgets.
	finish() *types.Vector
}

// field is a column with what its shape says of nulls.
type field struct {
	*shape
	column
}

func newField(s *shape) *field { return &field{shape: s, column: newColumn(s)} }

func newFields(shapes []*shape) []*field {
	fields := make([]*field, len(shapes))
	for i, s := range shapes {
		fields[i] = newField(s)
	}
	return fields
}

// read reads a value, null or not.
func (f *field) read(d *decoder) bool {
	if d.Peek() != 'n' {
		return f.value(d)
	}
	start := d.At
	switch {
	case !d.Word("null"):
		return false
	case f.nullable:
		f.null()
		return true
	case d.options.Lenient && f.hasPlaceholder():
		f.placeholder()
		return true
	case f.codes != nil && !f.outer:
		return d.fail(types.ErrNoNullHost, f.shape, start, "no variant of %s can hold null", f.dt)
	}
	return d.fail(types.ErrNullInRequired, f.shape, start, "null in a required field")
}

// hidden adds a row that nobody sees.
func (f *field) hidden() {
	if f.nullable {
		f.null()
	} else {
		f.placeholder()
	}
}
