// Package jsontext reads and writes the tokens of JSON (RFC 8259) for the packages that turn them into columns: it knows nothing of types.
package jsontext

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth bounds the nesting of values.
const MaxDepth = 1000

// Scanner reads tokens of a text. The first fault is kept in Err, with its place in At; what follows a fault means nothing.
type Scanner struct {
	Text   []byte
	At     int // of the next byte
	Err    string
	Strict bool // NaN and Infinity are faults: the text is to be a value of type JSON
}

// Fail keeps a fault, unless there is one already.
func (s *Scanner) Fail(what string) {
	if s.Err == "" {
		s.Err = what
	}
}

// Space passes by white space.
func (s *Scanner) Space() {
	for s.At < len(s.Text) {
		switch s.Text[s.At] {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return
		}
	}
}

// Peek gives the next byte that is no white space, 0 at the end.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Text) && s.Text[s.At] > ' ' {
		return s.Text[s.At]
	}
	if s.Space(); s.At < len(s.Text) {
		return s.Text[s.At]
	}
	return 0
}

// Accept passes by one byte.
func (s *Scanner) Accept(c byte) bool {
	if s.Peek() == c {
		s.At++
		return true
	}
	return false
}

// Expect passes by one byte; another one is a fault.
func (s *Scanner) Expect(c byte) bool {
	if s.Accept(c) {
		return true
	}
	s.Unexpected()
	return false
}

// Unexpected makes the next byte, or the end of the text, a fault.
func (s *Scanner) Unexpected() {
	if s.At >= len(s.Text) {
		s.Fail("the text ends within a value")
		return
	}
	r, _ := utf8.DecodeRune(s.Text[s.At:])
	s.Fail("unexpected " + quoteRune(r))
}

func quoteRune(r rune) string {
	if r < ' ' || r == utf8.RuneError {
		return "control character or invalid byte"
	}
	return "'" + string(r) + "'"
}

// Word passes by true, false and null.
func (s *Scanner) Word(w string) bool {
	if bytes.HasPrefix(s.Text[s.At:], []byte(w)) {
		s.At += len(w)
		return true
	}
	s.Unexpected()
	return false
}

// Quoted passes by a string, of which at is the quote. It gives what stands between the quotes and whether that has escapes.
func (s *Scanner) Quoted() (inside []byte, escaped bool) {
	s.At++
	start := s.At
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for {
		// Eight bytes at a time as long as none is a quote, a backslash or a control character.
		for s.At+8 <= len(s.Text) {
			w := binary.LittleEndian.Uint64(s.Text[s.At:])
			q, b := w^(ones*'"'), w^(ones*'\\')
			found := ((q-ones)&^q | (b-ones)&^b | (w-ones*0x20)&^w) & high
			if found != 0 {
				s.At += bits.TrailingZeros64(found) / 8
				break
			}
			s.At += 8
		}
		if s.At >= len(s.Text) {
			s.Fail("a string is not closed")
			return nil, false
		}
		switch c := s.Text[s.At]; {
		case c == '"':
			s.At++
			return s.Text[start : s.At-1], escaped
		case c == '\\':
			escaped = true
			s.At += 2
		case c < ' ':
			s.Fail("a control character stands in a string")
			return nil, false
		default:
			s.At++
		}
	}
}

// Key passes by a key and its colon.
func (s *Scanner) Key() (name []byte, ok bool) {
	if s.Peek() != '"' {
		s.Unexpected()
		return nil, false
	}
	start := s.At
	name, escaped := s.Quoted()
	if escaped && s.Err == "" {
		if name, ok = Unescape(nil, name); !ok {
			s.At = start
			s.Fail("a string has an escape that is none")
		}
	}
	return name, s.Err == "" && s.Expect(':')
}

// Unescape appends a string's text without escapes; false when one is none.
func Unescape(dst, inside []byte) ([]byte, bool) {
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if c != '\\' {
			dst = append(dst, c)
			continue
		}
		if i++; i == len(inside) {
			return dst, false
		}
		switch c := inside[i]; c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, ok := hex4(inside[i+1:])
			if !ok {
				return dst, false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+2 < len(inside) && inside[i+1] == '\\' && inside[i+2] == 'u' {
					low, ok = hex4(inside[i+3:])
				}
				if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
					return dst, false // half of a pair stands for no character
				}
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
		default:
			return dst, false
		}
	}
	return dst, true
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	r := rune(0)
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// StartsNumber reports whether a value that begins so is a number, or NaN or Infinity.
func StartsNumber(c byte) bool { return c-'0' <= 9 || c == '-' || c == 'N' || c == 'I' }

// Number passes by a number and gives its text; whole says that it has neither fraction nor exponent. NaN, Infinity and -Infinity are no JSON, but what
// DuckDB and Python write for them.
func (s *Scanner) Number() (text []byte, whole bool) {
	start := s.At
	if s.Text[s.At] == '-' {
		s.At++
	}
	if s.At < len(s.Text) && !s.Strict && (s.Text[s.At] == 'I' || s.Text[start] == 'N') {
		word := "Infinity"
		if s.Text[start] == 'N' {
			word = "NaN"
		}
		s.Word(word)
		return s.Text[start:s.At], false
	}
	digits := func() int {
		first := s.At
		for s.At < len(s.Text) && s.Text[s.At]-'0' <= 9 {
			s.At++
		}
		return s.At - first
	}
	leading := s.At
	n := digits()
	if n == 0 || n > 1 && s.Text[leading] == '0' {
		s.At = leading
		s.Unexpected()
		return nil, false
	}
	whole = true
	if s.At < len(s.Text) && s.Text[s.At] == '.' {
		whole = false
		if s.At++; digits() == 0 {
			s.Unexpected()
			return nil, false
		}
	}
	if s.At < len(s.Text) && s.Text[s.At]|0x20 == 'e' {
		whole = false
		if s.At++; s.At < len(s.Text) && (s.Text[s.At] == '+' || s.Text[s.At] == '-') {
			s.At++
		}
		if digits() == 0 {
			s.Unexpected()
			return nil, false
		}
	}
	return s.Text[start:s.At], whole
}

// Skip passes by a whole value and gives its text.
func (s *Scanner) Skip(depth int) []byte {
	c := s.Peek()
	start := s.At
	switch {
	case depth > MaxDepth:
		s.Fail("values are nested too deeply")
	case c == '"':
		if inside, escaped := s.Quoted(); escaped && s.Err == "" {
			if _, ok := Unescape(nil, inside); !ok {
				s.At = start
				s.Fail("a string has an escape that is none")
			}
		}
	case c == '{':
		s.At++
		if s.Accept('}') {
			break
		}
		for s.Err == "" {
			if s.Peek() != '"' {
				s.Unexpected()
				break
			}
			s.Quoted()
			if s.Err != "" || !s.Expect(':') {
				break
			}
			s.Skip(depth + 1)
			if s.Err == "" && !s.Accept(',') {
				s.Expect('}')
				break
			}
		}
	case c == '[':
		s.At++
		if s.Accept(']') {
			break
		}
		for s.Err == "" {
			s.Skip(depth + 1)
			if s.Err == "" && !s.Accept(',') {
				s.Expect(']')
				break
			}
		}
	case c == 't':
		s.Word("true")
	case c == 'f':
		s.Word("false")
	case c == 'n':
		s.Word("null")
	case StartsNumber(c):
		s.Number()
	default:
		s.Unexpected()
	}
	if s.Err != "" {
		return nil
	}
	return s.Text[start:s.At]
}
