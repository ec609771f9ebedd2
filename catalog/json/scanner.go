package json

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of values.
const maxDepth = 1000

// scanner reads tokens of a text (RFC 8259). A fault is kept in err, with its place in at.
type scanner struct {
	text   []byte
	at     int
	err    string
	strict bool // NaN and Infinity are faults: the text is to be a value of type JSON
}

func (s *scanner) fail(what string) {
	if s.err == "" {
		s.err = what
	}
}

// space passes by white space.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek gives the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) && s.text[s.at] > ' ' {
		return s.text[s.at]
	}
	if s.space(); s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// accept passes by one byte.
func (s *scanner) accept(c byte) bool {
	if s.peek() == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) expect(c byte) bool {
	if s.accept(c) {
		return true
	}
	s.unexpected()
	return false
}

func (s *scanner) unexpected() {
	if s.at >= len(s.text) {
		s.fail("the text ends within a value")
		return
	}
	r, _ := utf8.DecodeRune(s.text[s.at:])
	s.fail("unexpected " + quoteRune(r))
}

func quoteRune(r rune) string {
	if r < ' ' || r == utf8.RuneError {
		return "control character or invalid byte"
	}
	return "'" + string(r) + "'"
}

// word passes by true, false and null.
func (s *scanner) word(w string) bool {
	if bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		s.at += len(w)
		return true
	}
	s.unexpected()
	return false
}

// quoted passes by a string, of which at is the quote. It gives what stands between the quotes and whether that has escapes.
func (s *scanner) quoted() (inside []byte, escaped bool) {
	s.at++
	start := s.at
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for {
		// Eight bytes at a time as long as none is a quote, a backslash or a control character.
		for s.at+8 <= len(s.text) {
			w := binary.LittleEndian.Uint64(s.text[s.at:])
			q, b := w^(ones*'"'), w^(ones*'\\')
			found := ((q-ones)&^q | (b-ones)&^b | (w-ones*0x20)&^w) & high
			if found != 0 {
				s.at += bits.TrailingZeros64(found) / 8
				break
			}
			s.at += 8
		}
		if s.at >= len(s.text) {
			s.fail("a string is not closed")
			return nil, false
		}
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[start : s.at-1], escaped
		case c == '\\':
			escaped = true
			s.at += 2
		case c < ' ':
			s.fail("a control character stands in a string")
			return nil, false
		default:
			s.at++
		}
	}
}

// unescape appends a string's text without escapes; false when one is none.
func unescape(dst, inside []byte) ([]byte, bool) {
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

// startsNumber reports whether a value that begins so is a number, or NaN or Infinity.
func startsNumber(c byte) bool { return c-'0' <= 9 || c == '-' || c == 'N' || c == 'I' }

// number passes by a number and gives its text; whole says that it has neither fraction nor exponent. NaN, Infinity and -Infinity are no JSON, but what
// DuckDB and Python write for them.
func (s *scanner) number() (text []byte, whole bool) {
	start := s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.text) && !s.strict && (s.text[s.at] == 'I' || s.text[start] == 'N') {
		word := "Infinity"
		if s.text[start] == 'N' {
			word = "NaN"
		}
		s.word(word)
		return s.text[start:s.at], false
	}
	digits := func() int {
		first := s.at
		for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
			s.at++
		}
		return s.at - first
	}
	leading := s.at
	n := digits()
	if n == 0 || n > 1 && s.text[leading] == '0' {
		s.at = leading
		s.unexpected()
		return nil, false
	}
	whole = true
	if s.at < len(s.text) && s.text[s.at] == '.' {
		whole = false
		if s.at++; digits() == 0 {
			s.unexpected()
			return nil, false
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		whole = false
		if s.at++; s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if digits() == 0 {
			s.unexpected()
			return nil, false
		}
	}
	return s.text[start:s.at], whole
}

// skip passes by a whole value and gives its text.
func (s *scanner) skip(depth int) []byte {
	c := s.peek()
	start := s.at
	switch {
	case depth > maxDepth:
		s.fail("values are nested too deeply")
	case c == '"':
		if inside, escaped := s.quoted(); escaped && s.err == "" {
			if _, ok := unescape(nil, inside); !ok {
				s.at = start
				s.fail("a string has an escape that is none")
			}
		}
	case c == '{':
		s.at++
		if s.accept('}') {
			break
		}
		for s.err == "" {
			if s.peek() != '"' {
				s.unexpected()
				break
			}
			s.quoted()
			if s.err != "" || !s.expect(':') {
				break
			}
			s.skip(depth + 1)
			if s.err == "" && !s.accept(',') {
				s.expect('}')
				break
			}
		}
	case c == '[':
		s.at++
		if s.accept(']') {
			break
		}
		for s.err == "" {
			s.skip(depth + 1)
			if s.err == "" && !s.accept(',') {
				s.expect(']')
				break
			}
		}
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	case startsNumber(c):
		s.number()
	default:
		s.unexpected()
	}
	if s.err != "" {
		return nil
	}
	return s.text[start:s.at]
}
