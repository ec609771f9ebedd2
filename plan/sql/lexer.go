package sql

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/types"
)

// tokenKind is the lexical class of a token.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota // end of a statement or of the text
	tokenWord                     // unquoted name or keyword
	tokenQuoted                   // "name" or `name`
	tokenString                   // 'x', E'x', N'x', U&'x', $$x$$
	tokenBlob                     // x'41'
	tokenBit                      // b'101'
	tokenInteger                  // digits
	tokenDecimal                  // digits with a point
	tokenFloat                    // digits with an exponent
	tokenParam                    // ?, ?1, $1, $name
	tokenSymbol                   // operator or punctuation
)

// token is one lexical element of the text.
type token struct {
	kind    tokenKind
	newline bool // a line break stands between the token before and this one
	query   bool // "(" that opens a query rather than an expression
	match   int  // for a bracket: index of its partner in the same statement
	start   int  // byte range in the text
	end     int
	text    string // name without quotes, value of a string, digits of a number, name or number of a parameter
	word    string // what syntax compares with: the word in lower case, or the symbol; empty for all else
}

// symbols are the operators and punctuation of the dialect, each before its own prefixes: the longest match wins.
// Among those with one first byte only.
var symbols = [256][]string{
	'(': {"("}, ')': {")"}, '[': {"["}, ']': {"]"}, '{': {"{"}, '}': {"}"}, ',': {","}, ';': {";"}, '.': {"."},
	':': {"::", ":=", ":"},
	'+': {"+"},
	'-': {"->>", "->", "-"},
	'*': {"**", "*"},
	'/': {"//", "/"},
	'%': {"%"},
	'^': {"^@", "^"},
	'<': {"<=>", "<->", "<<", "<=", "<>", "<@", "<"},
	'>': {">>", ">=", ">"},
	'=': {"==", "=>", "="},
	'!': {"!~~*", "!~~", "!~*", "!~", "!=", "!"},
	'~': {"~~~", "~~*", "~~", "~*", "~"},
	'|': {"||", "|"},
	'&': {"&&", "&"},
	'@': {"@>", "@@", "@"},
}

// lexer cuts a text into tokens. It knows no grammar.
type lexer struct {
	text    string
	pos     int
	newline bool // a line break was skipped since the last token
	err     *types.Error
}

// fail records the first error.
func (l *lexer) fail(code types.Code, offset int, format string, args ...any) {
	if l.err == nil {
		l.err = types.ErrorAt(code, l.text, offset, format, args...)
	}
}

// checkText refuses what no statement may contain: a text too long, invalid UTF-8, NUL. The rewriter relies on the
// absence of NUL.
func checkText(text string) *types.Error {
	if len(text) > maxTextSize {
		return types.Errorf(types.CodeProgramLimit, "SQL text of %d bytes is longer than the limit of %d bytes", len(text), maxTextSize)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return types.ErrorAt(types.CodeInvalidUTF8, text, i, "invalid byte 0x00 in the SQL text")
	}
	if utf8.ValidString(text) {
		return nil
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return types.ErrorAt(types.CodeInvalidUTF8, text, i, "invalid byte sequence for encoding \"UTF8\": 0x%02x", text[i])
		}
		i += size
	}
	return nil
}

// next reads one token. After the last one, and after an error, it gives tokenEnd for ever.
func (l *lexer) next() token {
	l.newline = false
	l.skipBlanks()
	t := token{start: l.pos, newline: l.newline}
	if l.err != nil || l.pos >= len(l.text) {
		t.end = l.pos
		return t
	}
	c := l.text[l.pos]
	switch {
	case c == '\'':
		t.kind, t.text = tokenString, l.quoted('\'', "string")
	case c == '"' || c == '`':
		l.quotedName(&t, c)
	case isDigit(c), c == '.' && isDigit(l.at(1)):
		l.number(&t)
	case isNameStart(c):
		l.wordOrPrefixed(&t)
	case c == '$':
		l.dollar(&t)
	case c == '?':
		l.pos++
		t.kind, t.text = tokenParam, l.digits()
	default:
		l.symbol(&t)
	}
	t.end = l.pos
	return t
}

// at gives the byte n places ahead, 0 past the end.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.text) {
		return l.text[l.pos+n]
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNameStart accepts letters, the underscore and every byte of a non-ASCII character, as PostgreSQL does.
func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isNamePart(c byte) bool { return isNameStart(c) || isDigit(c) || c == '$' }

// blankSize gives the number of bytes of the white space character that s starts with, 0 if it starts with another.
// Beyond ASCII: the no-break space and the byte order mark, which editors leave behind.
func blankSize(s string) int {
	switch c := s[0]; {
	case c == ' ' || '\t' <= c && c <= '\r':
		return 1
	case c == 0xc2 && strings.HasPrefix(s, "\u00a0"):
		return 2
	case c == 0xef && strings.HasPrefix(s, "\ufeff"):
		return 3
	}
	return 0
}

// skipBlanks skips white space and comments: -- to the end of the line, and /* */, which nests.
func (l *lexer) skipBlanks() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		if n := blankSize(rest); n > 0 {
			l.newline = l.newline || rest[0] == '\n' || rest[0] == '\r'
			l.pos += n
			continue
		}
		switch {
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexAny(rest, "\r\n")
			if n < 0 {
				n = len(rest)
			}
			l.pos += n
		case strings.HasPrefix(rest, "/*"):
			if !l.skipComment() {
				return
			}
		default:
			return
		}
	}
}

// skipComment skips a nested comment.
func (l *lexer) skipComment() bool {
	start, depth := l.pos, 0
	for i := l.pos; i+1 < len(l.text); {
		switch l.text[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			depth--
			i += 2
			if depth == 0 {
				l.newline = l.newline || strings.ContainsAny(l.text[start:i], "\r\n")
				l.pos = i
				return true
			}
		default:
			i++
		}
	}
	l.fail(types.CodeSyntax, start, "unterminated /* comment")
	l.pos = len(l.text)
	return false
}

// quoted reads a text between quotes, where a doubled quote stands for one.
func (l *lexer) quoted(quote byte, what string) string {
	start := l.pos
	l.pos++
	var joined strings.Builder
	for {
		n := strings.IndexByte(l.text[l.pos:], quote)
		if n < 0 {
			l.fail(types.CodeSyntax, start, "unterminated quoted %s at or near \"%s\"", what, excerpt(l.text[start:]))
			l.pos = len(l.text)
			return ""
		}
		part := l.text[l.pos : l.pos+n]
		l.pos += n + 1
		if l.at(0) != quote {
			if joined.Len() == 0 {
				return part
			}
			joined.WriteString(part)
			return joined.String()
		}
		joined.WriteString(part)
		joined.WriteByte(quote)
		l.pos++
	}
}

// quotedName reads "name" or `name`.
func (l *lexer) quotedName(t *token, quote byte) {
	t.kind, t.text = tokenQuoted, l.quoted(quote, "identifier")
	if t.text == "" {
		l.fail(types.CodeSyntax, t.start, "zero-length delimited identifier at or near %s", excerpt(l.text[t.start:l.pos]))
	}
}

// wordOrPrefixed reads a word, or a string with a prefix letter.
func (l *lexer) wordOrPrefixed(t *token) {
	next := l.at(1)
	switch c := l.text[l.pos] | 0x20; {
	case next == '\'' && c == 'e':
		l.pos++
		t.kind, t.text = tokenString, l.escapeString()
		return
	case next == '\'' && c == 'n':
		l.pos++
		t.kind, t.text = tokenString, l.quoted('\'', "string")
		return
	case next == '\'' && c == 'x':
		l.pos++
		t.kind, t.text = tokenBlob, l.hexBytes(t.start)
		return
	case next == '\'' && c == 'b':
		l.pos++
		t.kind, t.text = tokenBit, l.quoted('\'', "string")
		if i := strings.IndexFunc(t.text, func(r rune) bool { return r != '0' && r != '1' }); i >= 0 {
			l.fail(types.CodeInvalidText, t.start, "\"%c\" is not a valid binary digit", []rune(t.text[i:])[0])
		}
		return
	case next == '&' && c == 'u' && (l.at(2) == '\'' || l.at(2) == '"'):
		l.pos += 2
		t.kind = tokenString
		if l.text[l.pos] == '"' {
			t.kind = tokenQuoted
		}
		t.text = l.unicodeEscapes(t.start, l.quoted(l.text[l.pos], "string"))
		return
	}
	for l.pos < len(l.text) && isNamePart(l.text[l.pos]) {
		if n := blankSize(l.text[l.pos:]); n > 0 {
			break
		}
		l.pos++
	}
	t.kind, t.text = tokenWord, l.text[t.start:l.pos]
	t.word = strings.ToLower(t.text)
}

// hexBytes reads the rest of x'41'.
func (l *lexer) hexBytes(start int) string {
	digits := l.quoted('\'', "string")
	if len(digits)%2 == 1 {
		l.fail(types.CodeInvalidText, start, "odd number of hexadecimal digits in a blob literal")
		return ""
	}
	value := make([]byte, 0, len(digits)/2)
	for i := 0; i < len(digits); i += 2 {
		b, err := strconv.ParseUint(digits[i:i+2], 16, 8)
		if err != nil {
			l.fail(types.CodeInvalidText, start, "invalid hexadecimal digits in a blob literal")
			return ""
		}
		value = append(value, byte(b))
	}
	return string(value)
}

// escapeString reads the quoted part of E'...', with C's escapes and PostgreSQL's \uXXXX and \UXXXXXXXX.
func (l *lexer) escapeString() string {
	start := l.pos
	l.pos++
	var value strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		switch {
		case c == '\'' && l.at(0) == '\'':
			l.pos++
			value.WriteByte('\'')
		case c == '\'':
			s := value.String()
			if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
				l.fail(types.CodeInvalidUTF8, start, "the escapes of the string do not give valid UTF-8 without NUL")
			}
			return s
		case c == '\\' && l.pos < len(l.text):
			l.escape(&value)
		default:
			value.WriteByte(c)
		}
	}
	l.fail(types.CodeSyntax, start, "unterminated quoted string at or near \"%s\"", excerpt(l.text[start:]))
	return ""
}

// escape reads what follows a backslash in E'...'.
func (l *lexer) escape(value *strings.Builder) {
	at := l.pos - 1
	c := l.text[l.pos]
	l.pos++
	switch c {
	case 'b':
		value.WriteByte('\b')
	case 'f':
		value.WriteByte('\f')
	case 'n':
		value.WriteByte('\n')
	case 'r':
		value.WriteByte('\r')
	case 't':
		value.WriteByte('\t')
	case 'x':
		if n, ok := l.radix(16, 1, 2); ok {
			value.WriteByte(byte(n))
		} else {
			value.WriteByte('x')
		}
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		n, ok := l.radix(16, width, width)
		if !ok || !utf8.ValidRune(rune(n)) {
			l.fail(types.CodeInvalidText, at, "invalid Unicode escape")
			return
		}
		value.WriteRune(rune(n))
	case '0', '1', '2', '3', '4', '5', '6', '7':
		l.pos--
		n, _ := l.radix(8, 1, 3)
		value.WriteByte(byte(n))
	default:
		value.WriteByte(c)
	}
}

// radix reads between least and most digits.
func (l *lexer) radix(base, least, most int) (uint64, bool) {
	end := l.pos
	for end < len(l.text) && end-l.pos < most {
		if _, err := strconv.ParseUint(l.text[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	if end-l.pos < least {
		return 0, false
	}
	n, err := strconv.ParseUint(l.text[l.pos:end], base, 32)
	l.pos = end
	return n, err == nil
}

// unicodeEscapes resolves \XXXX and \+XXXXXX of U&'...'.
func (l *lexer) unicodeEscapes(start int, s string) string {
	var value strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			value.WriteByte(s[i])
			i++
			continue
		}
		if strings.HasPrefix(s[i:], `\\`) {
			value.WriteByte('\\')
			i += 2
			continue
		}
		from, width := i+1, 4
		if strings.HasPrefix(s[i:], `\+`) {
			from, width = i+2, 6
		}
		if from+width > len(s) {
			l.fail(types.CodeInvalidText, start, "invalid Unicode escape")
			return ""
		}
		n, err := strconv.ParseUint(s[from:from+width], 16, 32)
		if err != nil || n == 0 || n > math.MaxInt32 || !utf8.ValidRune(rune(n)) {
			l.fail(types.CodeInvalidText, start, "invalid Unicode escape")
			return ""
		}
		value.WriteRune(rune(n))
		i = from + width
	}
	return value.String()
}

// dollar reads $1, $name, and $tag$ ... $tag$.
func (l *lexer) dollar(t *token) {
	end := l.pos + 1
	for end < len(l.text) && isNamePart(l.text[end]) && l.text[end] != '$' {
		end++
	}
	tag := l.text[l.pos:end]
	if end < len(l.text) && l.text[end] == '$' && (len(tag) == 1 || !isDigit(tag[1])) {
		tag = l.text[l.pos : end+1]
		n := strings.Index(l.text[end+1:], tag)
		if n < 0 {
			l.fail(types.CodeSyntax, l.pos, "unterminated dollar-quoted string at or near \"%s\"", excerpt(l.text[l.pos:]))
			l.pos = len(l.text)
			return
		}
		t.kind, t.text = tokenString, l.text[end+1:end+1+n]
		l.pos = end + 1 + n + len(tag)
		return
	}
	l.pos++
	if isDigit(l.at(0)) {
		t.kind, t.text = tokenParam, l.digits()
		l.noJunk(t.start, "parameter")
		return
	}
	if len(tag) == 1 {
		l.fail(types.CodeSyntax, t.start, "syntax error at or near \"$\"")
		return
	}
	t.kind, t.text, l.pos = tokenParam, tag[1:], end
}

// digits reads decimal digits.
func (l *lexer) digits() string {
	start := l.pos
	for isDigit(l.at(0)) {
		l.pos++
	}
	return l.text[start:l.pos]
}

// digitGroups reads digits with single underscores between them, and says whether there were any underscores.
func (l *lexer) digitGroups() bool {
	under := false
	for isDigit(l.at(0)) || l.at(0) == '_' && isDigit(l.at(1)) && l.pos > 0 && isDigit(l.text[l.pos-1]) {
		under = under || l.at(0) == '_'
		l.pos++
	}
	return under
}

// number reads an integer, a decimal or a float.
func (l *lexer) number(t *token) {
	t.kind = tokenInteger
	under := l.digitGroups()
	if l.at(0) == '.' && l.at(1) != '.' {
		t.kind = tokenDecimal
		l.pos++
		under = l.digitGroups() || under
	}
	if l.at(0)|0x20 == 'e' {
		sign := 1
		if l.at(1) == '+' || l.at(1) == '-' {
			sign = 2
		}
		if isDigit(l.at(sign)) {
			t.kind = tokenFloat
			l.pos += sign
			under = l.digitGroups() || under
		}
	}
	t.text = l.text[t.start:l.pos]
	if under {
		t.text = strings.ReplaceAll(t.text, "_", "")
	}
	l.noJunk(t.start, "numeric literal")
	if t.kind == tokenFloat && l.err == nil {
		if _, err := strconv.ParseFloat(t.text, 64); err != nil {
			l.fail(types.CodeNumericOutOfRange, t.start, "\"%s\" is out of range for type double precision", excerpt(t.text))
		}
	}
}

// noJunk refuses letters glued to a number.
func (l *lexer) noJunk(start int, what string) {
	if c := l.at(0); c == 0 || !isNamePart(c) || blankSize(l.text[l.pos:]) > 0 {
		return
	}
	end := l.pos
	for end < len(l.text) && isNamePart(l.text[end]) {
		end++
	}
	l.fail(types.CodeSyntax, start, "trailing junk after %s at or near \"%s\"", what, excerpt(l.text[start:end]))
}

// symbol reads an operator or punctuation.
func (l *lexer) symbol(t *token) {
	rest := l.text[l.pos:]
	for _, s := range symbols[rest[0]] {
		if strings.HasPrefix(rest, s) {
			t.kind, t.text, t.word = tokenSymbol, s, s
			l.pos += len(s)
			return
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	l.fail(types.CodeSyntax, l.pos, "syntax error at or near \"%s\"", rest[:size])
}

// excerpt shortens a piece of source for an error message.
func excerpt(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
