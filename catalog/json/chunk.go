package json

import (
	"bytes"
	"errors"
	"io"
)

// chunkBytes is how much of a file a worker takes at a time.
const chunkBytes = 1 << 20

// form is how the values of a file follow one another.
type form uint8

const (
	formLines    form = iota // each on a line of its own
	formValues               // one after another
	formElements             // of one array
)

// chunker cuts a file into chunks of whole values.
type chunker struct {
	form      form
	size      int // of a chunk, about
	maxObject int
	reader    io.Reader
	rest      []byte
	place     position
	ended     bool
	started   bool
	some      bool   // a chunk has been given
	closed    bool   // the array has ended
	tail      []byte // read behind it
}

// chunk is a piece of the file: whole values, with white space and, of an array, commas between them. Each but the first of an array begins with the comma
// before its value, so that what is valid does not depend on where the array is cut.
type chunk struct {
	bytes []byte
	start position
	first bool // no value lies before it
}

// place gives the position of a byte of the chunk.
func (k *chunk) place(at int) position {
	p := k.start
	p.pass(k.bytes[:at])
	return p
}

// position is a place in a file: the lines before it, and the bytes of its line before it.
type position struct{ lines, bytes int64 }

// pass moves behind a text.
func (p *position) pass(text []byte) {
	if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
		p.lines += int64(bytes.Count(text, []byte{'\n'}))
		p.bytes = int64(len(text) - last - 1)
		return
	}
	p.bytes += int64(len(text))
}

// next gives the next chunk, nil after the last one.
func (c *chunker) next() (*chunk, error) {
	size := max(c.size, len("\xEF\xBB\xBF")) // of a byte order mark
	for {
		if c.closed && len(c.rest) == 0 {
			return nil, c.checkTail()
		}
		if !c.ended && !c.closed && len(c.rest) < size {
			if err := c.fill(size); err != nil {
				return nil, err
			}
		}
		if !c.started {
			if err := c.start(); err != nil {
				return nil, err
			}
		}
		if c.ended && !c.closed && len(bytes.TrimSpace(c.rest)) == 0 {
			if c.form == formElements {
				return nil, corrupt("the array is not closed")
			}
			return nil, nil
		}
		end := c.lastEnd()
		if end == 0 && c.ended || c.form != formElements && c.ended {
			end = len(c.rest) // what is wrong with it is found when it is parsed
		}
		if end == 0 && !c.closed {
			if len(c.rest) > c.maxObject {
				return nil, corrupt("the value in line %d is longer than %d bytes", c.place.lines+1, c.maxObject).WithHint("Set maximum_object_size.")
			}
			size = 2*len(c.rest) + c.size
			continue
		}
		out := &chunk{bytes: c.rest[:end:end], start: c.place, first: !c.some}
		c.place.pass(out.bytes)
		c.rest = bytes.Clone(c.rest[end:])
		if len(bytes.TrimSpace(out.bytes)) > 0 {
			c.some = true
			return out, nil
		}
	}
}

// checkTail finds text behind the array.
func (c *chunker) checkTail() error {
	for {
		if len(bytes.TrimSpace(c.tail)) > 0 {
			return corrupt("text follows the array")
		}
		if c.ended {
			return nil
		}
		if err := c.fill(c.size); err != nil {
			return err
		}
		c.tail, c.rest = c.rest, nil
	}
}

// fill reads until so many bytes are there or the file ends.
func (c *chunker) fill(size int) error {
	buffer := make([]byte, size)
	n := copy(buffer, c.rest)
	for n < size {
		k, err := c.reader.Read(buffer[n:])
		n += k
		if errors.Is(err, io.EOF) {
			c.ended = true
			break
		}
		if err != nil {
			return err
		}
	}
	c.rest = buffer[:n]
	return nil
}

// start passes by a byte order mark of UTF-8, refuses others, and enters the array.
func (c *chunker) start() error {
	c.started = true
	switch {
	case bytes.HasPrefix(c.rest, []byte{0xEF, 0xBB, 0xBF}):
		c.rest = c.rest[3:]
	case bytes.HasPrefix(c.rest, []byte{0xFF, 0xFE}), bytes.HasPrefix(c.rest, []byte{0xFE, 0xFF}):
		return corrupt("the file is UTF-16, not UTF-8")
	}
	if c.form == formElements {
		open := bytes.IndexByte(c.rest, '[')
		if open < 0 || len(bytes.TrimSpace(c.rest[:open])) > 0 {
			return corrupt("the file is not an array")
		}
		c.place.pass(c.rest[:open+1])
		c.rest = c.rest[open+1:]
	}
	return nil
}

// lastEnd gives where the last whole value of what has been read ends, 0 for none.
func (c *chunker) lastEnd() int {
	if c.form == formLines {
		return bytes.LastIndexByte(c.rest, '\n') + 1
	}
	if c.closed {
		return len(c.rest)
	}
	depth, end := 0, 0
	array := c.form == formElements
	for at := 0; at < len(c.rest); at++ {
		switch c.rest[at] {
		case '"':
			// Past the string: a quote that no backslash takes the meaning of.
			for at++; at < len(c.rest) && c.rest[at] != '"'; at++ {
				if c.rest[at] == '\\' {
					at++
				}
			}
			if depth == 0 && at < len(c.rest) && !array {
				end = at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 && array {
				c.closed, c.tail, c.rest = true, c.rest[at+1:], c.rest[:at]
				return at
			}
			if depth <= 0 && !array {
				end = at + 1
			}
		case ',':
			if depth == 0 && array {
				end = at
			} else if depth == 0 {
				end = at + 1
			}
		case ' ', '\t', '\n', '\r':
			if depth == 0 && !array {
				end = at + 1 // a number ends where something else begins
			}
		}
	}
	return end
}
