package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// field is a value in a chunk: where it starts, how long it is, and how it was written.
type field struct {
	start  uint32
	length uint32 // with the flags below
}

const (
	quotedField  = 1 << 31 // it stood in quotes, which are not part of it
	escapedField = 1 << 30 // it has escapes in it, which have to be taken out
	absentField  = 1 << 29 // the record does not have it
	lengthMask   = absentField - 1
)

func (f field) bytes(chunk []byte) []byte {
	return chunk[f.start : f.start+f.length&lengthMask : f.start+f.length&lengthMask]
}

func (f field) quoted() bool { return f.length&quotedField != 0 }

// absent is the field that a padded record does not have.
var absent = field{length: absentField}

// splitter cuts records into fields.
type splitter struct {
	dialect
	columns int
	// fields has a slice for each column that is wanted, nil for the others; one entry a record.
	fields [][]field
	// lines has for each record how many line ends lie before it, when that is asked for.
	records int
	starts  []uint32 // of the records
}

// broadcast fills a word with a byte.
func broadcast(b byte) uint64 { return uint64(b) * 0x0101010101010101 }

// zeroBytes marks the bytes of a word that are zero, and no others, by their highest bits.
func zeroBytes(x uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^((x&low + low) | x | low)
}

// problem says why a record cannot be read.
type problem uint8

const (
	noProblem problem = iota
	tooFew
	tooMany
	badQuote // text behind a closing quote
	openQuote
)

// record reads the record at a place of the chunk, which begins no comment and is not empty. It gives where the next one starts, the number of fields and
// what is wrong. Fields are noted even so; the caller takes back those of a record that it does not want.
func (s *splitter) record(chunk []byte, at int) (next, fields int, wrong problem) {
	delimiters, newlines, returns := broadcast(s.delimiter), broadcast('\n'), broadcast('\r')
	for {
		// Values without quotes, as long as whole words of the chunk have their ends: each word is looked at once, whatever fields end in it.
		for p := at; p+8 <= len(chunk); p += 8 {
			word := binary.LittleEndian.Uint64(chunk[p:])
			for ends := zeroBytes(word^delimiters) | zeroBytes(word^newlines) | zeroBytes(word^returns); ends != 0; ends &= ends - 1 {
				end := p + bits.TrailingZeros64(ends)/8
				if first := chunk[at]; first == s.quote && s.quote != 0 || first == ' ' {
					goto careful
				}
				s.note(fields, field{uint32(at), uint32(end - at)})
				fields++
				at = end + 1
				if c := chunk[end]; c != s.delimiter {
					if c == '\r' && at < len(chunk) && chunk[at] == '\n' {
						at++
					}
					return at, fields, s.count(fields, wrong)
				}
			}
		}
	careful:
		var f field
		if at < len(chunk) && chunk[at] == ' ' {
			at = s.skipBlanks(chunk, at)
		}
		if s.quote != 0 && at < len(chunk) && chunk[at] == s.quote {
			end, escaped, closed := s.quotedEnd(chunk, at+1)
			f = field{uint32(at + 1), uint32(end-at-1) | quotedField}
			if escaped {
				f.length |= escapedField
			}
			if !closed {
				s.note(fields, f)
				return len(chunk), fields + 1, openQuote
			}
			if at = end + 1; at < len(chunk) && chunk[at] != s.delimiter && chunk[at] != '\n' && chunk[at] != '\r' {
				// Blanks may stand behind a quote.
				for at < len(chunk) && chunk[at] == ' ' {
					at++
				}
				if at < len(chunk) && chunk[at] != s.delimiter && chunk[at] != '\n' && chunk[at] != '\r' {
					wrong = badQuote
					for at < len(chunk) && chunk[at] != s.delimiter && chunk[at] != '\n' && chunk[at] != '\r' {
						at++
					}
				}
			}
		} else {
			start := at
			for at+8 <= len(chunk) {
				word := binary.LittleEndian.Uint64(chunk[at:])
				if found := zeroBytes(word^delimiters) | zeroBytes(word^newlines) | zeroBytes(word^returns); found != 0 {
					at += bits.TrailingZeros64(found) / 8
					break
				}
				at += 8
			}
			for at < len(chunk) && chunk[at] != s.delimiter && chunk[at] != '\n' && chunk[at] != '\r' {
				at++
			}
			f = field{uint32(start), uint32(at - start)}
		}
		s.note(fields, f)
		fields++
		if at < len(chunk) && chunk[at] == s.delimiter {
			at++
			continue
		}
		if at < len(chunk) {
			if at++; chunk[at-1] == '\r' && at < len(chunk) && chunk[at] == '\n' {
				at++
			}
		}
		return at, fields, s.count(fields, wrong)
	}
}

// count says whether a record has the right number of fields, unless something else is wrong with it.
func (s *splitter) count(fields int, wrong problem) problem {
	switch {
	case wrong != noProblem || fields == s.columns:
		return wrong
	case fields < s.columns:
		return tooFew
	}
	return tooMany
}

func (s *splitter) note(number int, f field) {
	if number < len(s.fields) && s.fields[number] != nil {
		s.fields[number] = append(s.fields[number], f)
	}
}

// skipBlanks gives where the quote of a value in quotes stands that has blanks before it, at when the value is of another kind: then the blanks are a part of
// it, as is a quote behind which the value goes on.
func (s *splitter) skipBlanks(chunk []byte, at int) int {
	quote := at
	for quote < len(chunk) && chunk[quote] == ' ' {
		quote++
	}
	if s.quote == 0 || s.delimiter == ' ' || quote == len(chunk) || chunk[quote] != s.quote {
		return at
	}
	end, _, closed := s.quotedEnd(chunk, quote+1)
	if !closed {
		return at
	}
	for end++; end < len(chunk) && chunk[end] == ' '; end++ {
	}
	if end < len(chunk) && chunk[end] != s.delimiter && chunk[end] != '\n' && chunk[end] != '\r' {
		return at
	}
	return quote
}

// quotedEnd gives where a value in quotes ends, of which at is the first byte.
func (s *splitter) quotedEnd(chunk []byte, at int) (end int, escaped, closed bool) {
	for {
		i := -1
		if s.escape == 0 {
			i = bytes.IndexByte(chunk[at:], s.quote)
		} else {
			for k, c := range chunk[at:] {
				if c == s.quote || c == s.escape {
					i = k
					break
				}
			}
		}
		if i < 0 {
			return len(chunk), escaped, false
		}
		at += i
		switch {
		case s.escape != 0 && chunk[at] == s.escape:
			escaped = true
			at = min(at+2, len(chunk))
		case s.escape == 0 && at+1 < len(chunk) && chunk[at+1] == s.quote:
			escaped = true
			at += 2
		default:
			return at, escaped, true
		}
	}
}

// unescape takes the escapes out of a value.
func (d *dialect) unescape(dst, value []byte) []byte {
	escape := d.escape
	if escape == 0 {
		escape = d.quote
	}
	for i := 0; i < len(value); i++ {
		if value[i] == escape && i+1 < len(value) && (value[i+1] == d.quote || value[i+1] == escape) {
			i++
		}
		dst = append(dst, value[i])
	}
	return dst
}

// trim takes back what was noted of a record beyond the first so many.
func (s *splitter) trim(records int) {
	for i, f := range s.fields {
		if f != nil && len(f) > records {
			s.fields[i] = f[:records]
		}
	}
}

// pad gives the last record the fields that it does not have.
func (s *splitter) pad(records int) {
	for i, f := range s.fields {
		if f != nil && len(f) < records {
			s.fields[i] = append(f, absent)
		}
	}
}

// emptyLine reports whether a line of nothing is at a place, and where the next one starts.
func emptyLine(chunk []byte, at int) (int, bool) {
	switch {
	case chunk[at] == '\n':
		return at + 1, true
	case chunk[at] == '\r' && at+1 < len(chunk) && chunk[at+1] == '\n':
		return at + 2, true
	case chunk[at] == '\r':
		return at + 1, true
	}
	return at, false
}

// lineEnd gives where the line after that at a place starts.
func lineEnd(chunk []byte, at int) int {
	i := bytes.IndexAny(chunk[at:], "\r\n")
	if i < 0 {
		return len(chunk)
	}
	next, _ := emptyLine(chunk, at+i)
	return next
}
