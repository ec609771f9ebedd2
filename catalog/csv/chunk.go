package csv

import (
	"bytes"
	"errors"
	"io"
)

// chunkBytes is how much of a file a worker takes at a time.
const chunkBytes = 1 << 20

// chunker cuts a file into chunks of whole records. What lies before a chunk must be known to find its end: quotes may hold line ends. It is fast
// all the same: between quotes only the last line end matters.
type chunker struct {
	dialect
	size    int // of a chunk, about
	maxLine int
	reader  io.Reader
	rest    []byte // read already, the start of the next chunk
	lines   int64  // before the next chunk
	offset  int64  // of the next chunk in the text
	ended   bool
	first   bool // the first chunk has been cut
}

// chunk is a piece of the file.
type chunk struct {
	bytes  []byte
	lines  int64 // before it
	offset int64 // of its first byte in the text
	first  bool
	last   bool
}

// next gives the next chunk, nil after the last one. A record that is longer than maxLine is an error.
func (c *chunker) next() (*chunk, error) {
	size := max(c.size, len("\xEF\xBB\xBF")) // of a byte order mark
	for {
		if c.ended && len(c.rest) == 0 {
			return nil, nil
		}
		if !c.ended {
			if err := c.fill(size); err != nil {
				return nil, err
			}
		}
		if !c.first {
			if err := c.checkStart(); err != nil {
				return nil, err
			}
		}
		end := len(c.rest)
		if !c.ended {
			end = c.lastRecordEnd(c.rest)
		}
		if end == 0 {
			if len(c.rest) > c.maxLine {
				return nil, corrupt("the record in line %d is longer than %d bytes", c.lines+1, c.maxLine).
					WithHint("A quote that is never closed may be the reason; else set max_line_size.")
			}
			if c.ended {
				return nil, nil
			}
			size = 2*len(c.rest) + c.size
			continue
		}
		out := &chunk{bytes: c.rest[:end:end], lines: c.lines, offset: c.offset, first: !c.first}
		c.first = true
		c.lines += int64(bytes.Count(out.bytes, []byte{'\n'}))
		c.offset += int64(len(out.bytes))
		c.rest = bytes.Clone(c.rest[end:])
		out.last = c.ended && len(c.rest) == 0
		return out, nil
	}
}

// fill reads until so many bytes are there or the file ends.
func (c *chunker) fill(size int) error {
	if len(c.rest) >= size {
		return nil
	}
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

// checkStart skips a byte order mark of UTF-8, and refuses the others.
func (c *chunker) checkStart() error {
	switch {
	case bytes.HasPrefix(c.rest, []byte{0xEF, 0xBB, 0xBF}):
		c.rest = c.rest[3:]
		c.offset = 3
	case bytes.HasPrefix(c.rest, []byte{0xFF, 0xFE}), bytes.HasPrefix(c.rest, []byte{0xFE, 0xFF}):
		return corrupt("the file is UTF-16, not UTF-8")
	}
	return nil
}

// lastRecordEnd gives where the last whole record of a chunk ends, 0 for none. A \r alone ends records too, but a chunk is cut at line feeds where it
// has any.
func (c *chunker) lastRecordEnd(text []byte) int {
	mark := byte('\n')
	if bytes.IndexByte(text, '\n') < 0 {
		mark = '\r'
		if n := len(text); n > 0 && text[n-1] == '\r' {
			text = text[:n-1] // a line feed may follow
		}
	}
	end := 0
	split := splitter{dialect: c.dialect}
	if c.comment != 0 {
		// Quotes in comments are none: record by record.
		for at := 0; at < len(text); {
			if text[at] == c.comment {
				at = lineEnd(text, at)
			} else if next, _, wrong := split.record(text, at); wrong != openQuote {
				at = next
			} else {
				break
			}
			if at > 0 && text[at-1] == mark {
				end = at
			}
		}
		return end
	}
	for at := 0; at < len(text); {
		quote := -1
		if c.quote != 0 {
			quote = bytes.IndexByte(text[at:], c.quote)
		}
		if quote < 0 {
			if i := bytes.LastIndexByte(text[at:], mark); i >= 0 {
				end = at + i + 1
			}
			break
		}
		quote += at
		if i := bytes.LastIndexByte(text[at:quote], mark); i >= 0 {
			end = at + i + 1
		}
		// A quote opens a value only where one starts, or behind its blanks.
		start := quote
		for c.delimiter != ' ' && start > 0 && text[start-1] == ' ' {
			start--
		}
		if start > 0 && text[start-1] != c.delimiter && text[start-1] != '\n' && text[start-1] != '\r' {
			at = quote + 1
			continue
		}
		close, _, closed := split.quotedEnd(text, quote+1)
		if !closed {
			break
		}
		if start < quote && split.skipBlanks(text, start) == start {
			at = quote + 1
			continue
		}
		at = close + 1
	}
	return end
}
