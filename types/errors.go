package types

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Code is an SQLSTATE: five characters that programs may switch on. The classes follow PostgreSQL's appendix
// "PostgreSQL Error Codes"; what has no code there uses the class XX.
type Code string

// The codes that Lacuna returns.
const (
	CodeSyntax                 Code = "42601" // syntax error
	CodeFeatureNotSupported    Code = "0A000" // known to SQL, not to this version of Lacuna
	CodeUndefinedColumn        Code = "42703"
	CodeUndefinedTable         Code = "42P01"
	CodeUndefinedFunction      Code = "42883" // also: no overload takes these argument types
	CodeUndefinedParameter     Code = "42P02"
	CodeDuplicateTable         Code = "42P07"
	CodeDuplicateSchema        Code = "42P06"
	CodeUndefinedSchema        Code = "3F000"
	CodeUndefinedDatabase      Code = "3D000"
	CodeDependentObjects       Code = "2BP01" // a schema that is not empty
	CodeDuplicateColumn        Code = "42701"
	CodeDuplicateAlias         Code = "42712"
	CodeAmbiguousColumn        Code = "42702"
	CodeAmbiguousFunction      Code = "42725"
	CodeGrouping               Code = "42803" // column neither grouped nor aggregated, misplaced aggregate
	CodeInvalidRecursion       Code = "42P19"
	CodeWindowing              Code = "42P20"
	CodeDatatypeMismatch       Code = "42804"
	CodeCannotCoerce           Code = "42846"
	CodeInvalidColumnRef       Code = "42P10"
	CodeInvalidDefinition      Code = "42P13"
	CodeInvalidTableDefinition Code = "42P16"
	CodeWrongObjectType        Code = "42809"
	CodeInvalidName            Code = "42602"
	CodeNumericOutOfRange      Code = "22003"
	CodeInvalidText            Code = "22P02" // text that does not parse as the wanted type
	CodeInvalidDatetime        Code = "22007"
	CodeDatetimeOutOfRange     Code = "22008"
	CodeInvalidParameter       Code = "22023"
	CodeInvalidFrameOffset     Code = "22013" // of a window frame: null or negative
	CodeInvalidNtile           Code = "22014"
	CodeInvalidNthValue        Code = "22016"
	CodeInvalidUTF8            Code = "22021"
	CodeNullNotAllowed         Code = "22004"
	CodeNotNullViolation       Code = "23502"
	CodeCheckViolation         Code = "23514"
	CodeUniqueViolation        Code = "23505" // two rows with the same key
	CodeSerialization          Code = "40001" // another statement changed the same table first
	CodeCardinalityViolation   Code = "21000" // a scalar subquery with two rows
	CodeArrayElement           Code = "2202E" // index out of bounds
	CodeDataCorrupted          Code = "XX001" // a file or array that contradicts its format
	CodeInternal               Code = "XX000" // a bug in Lacuna
	CodeProgramLimit           Code = "54000" // statement, nesting or width beyond a limit
	CodeTooComplex             Code = "54001"
	CodeOutOfMemory            Code = "53200" // the memory budget is exhausted
	CodeQueryCanceled          Code = "57014"
	CodeUndefinedFile          Code = "58P01"
	CodeIO                     Code = "58030"
	CodeInvalidState           Code = "55000"
	CodeInvalidConfig          Code = "42704" // unknown setting or object
	CodeAccessDenied           Code = "42501"
	CodeRaised                 Code = "P0001" // by error() in the statement itself
)

// Error is what every part of Lacuna returns for a fault that is not its own bug: a value with a code, and, where they are
// known, the place in the SQL text, the column path and row of the data, and advice.
//
// Kind is one of the Err... values of this package (or nil); errors.Is(err, types.ErrNullInRequired) finds it.
type Error struct {
	Code     Code
	Kind     error  // sentinel of the null model, nil for errors known by their code only
	Message  string // one line, lower case, PostgreSQL's wording where it has one
	Hint     string // what the user can do about it; may be empty
	Position Position
	Source   string // the whole SQL text that Position points into; empty if unknown
	Path     string // column or nested path of the data, such as s.l[] ; empty if unknown
	Row      int64  // row of the data, counted from 0; -1 if unknown
	Count    int64  // how many rows have the fault, the first of which is Row; 0 if they were not counted
	Err      error  // cause, for errors.Unwrap; may be nil
}

// Position is a place in an SQL text. The zero Position means "unknown".
type Position struct {
	Offset int // bytes from the start of the text
	Line   int // from 1
	Column int // in characters, from 1
}

// PositionAt computes line and column of a byte offset of text. Offsets past the end mean the end.
func PositionAt(text string, offset int) Position {
	offset = max(0, min(offset, len(text)))
	head := text[:offset]
	line := strings.Count(head, "\n")
	start := strings.LastIndexByte(head, '\n') + 1
	return Position{Offset: offset, Line: line + 1, Column: utf8.RuneCountInString(head[start:]) + 1}
}

// Errorf makes an Error with a code and a formatted message, without position or row.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Row: -1}
}

// ErrorAt makes an Error that points at a byte offset of an SQL text.
func ErrorAt(code Code, text string, offset int, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	return e.At(text, offset)
}

// KindErrorf makes an Error of one of the null model's kinds, with the code that belongs to it.
func KindErrorf(kind error, format string, args ...any) *Error {
	e := Errorf(kindCode(kind), format, args...)
	e.Kind = kind
	return e
}

// At sets the place in the SQL text, unless one is known already, and returns e.
func (e *Error) At(text string, offset int) *Error {
	if e.Position.Line == 0 {
		e.Position, e.Source = PositionAt(text, offset), text
	}
	return e
}

// WithHint sets the advice and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithRow sets path and row and returns e.
func (e *Error) WithRow(path string, row int64) *Error {
	e.Path, e.Row = path, row
	return e
}

// WithCause sets the wrapped error and returns e.
func (e *Error) WithCause(err error) *Error {
	e.Err = err
	return e
}

// Error gives the message with what is known of the place in one line: "message (column c, row 3)".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	switch {
	case e.Path != "" && e.Row >= 0:
		fmt.Fprintf(&b, " (column %s, row %d)", e.Path, e.Row)
	case e.Path != "":
		fmt.Fprintf(&b, " (column %s)", e.Path)
	case e.Row >= 0:
		fmt.Fprintf(&b, " (row %d)", e.Row)
	}
	if e.Count > 1 {
		fmt.Fprintf(&b, " and in %d rows altogether", e.Count)
	}
	if e.Position.Line > 0 {
		fmt.Fprintf(&b, " at line %d, column %d", e.Position.Line, e.Position.Column)
	}
	return b.String()
}

// Unwrap gives the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// maxCaretWidth is the number of characters of a source line that Report shows; longer lines are cut around the caret.
const maxCaretWidth = 100

// Report gives the error as psql prints it: severity and message, the source line with a caret, the hint. Several lines,
// without a final newline.
func (e *Error) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ERROR: %s", e.Message)
	if e.Path != "" || e.Row >= 0 {
		b.WriteString("\nDETAIL:")
		if e.Path != "" {
			fmt.Fprintf(&b, " column %s", e.Path)
		}
		if e.Row >= 0 {
			fmt.Fprintf(&b, " row %d", e.Row)
		}
	}
	if e.Position.Line > 0 && e.Source != "" {
		line, column := sourceLine(e.Source, e.Position)
		prefix := fmt.Sprintf("LINE %d: ", e.Position.Line)
		fmt.Fprintf(&b, "\n%s%s\n%s^", prefix, line, strings.Repeat(" ", utf8.RuneCountInString(prefix)+column-1))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nHINT: %s", e.Hint)
	}
	fmt.Fprintf(&b, "\nSQLSTATE: %s", e.Code)
	return b.String()
}

// sourceLine cuts the line of a position out of a text, shortened around the caret; the column is that of the cut line.
func sourceLine(text string, p Position) (string, int) {
	start := strings.LastIndexByte(text[:p.Offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[p.Offset:], '\n'); i >= 0 {
		end = p.Offset + i
	}
	// Bounded before decoding: a statement of 16 MB may stand on one line.
	from := max(start, p.Offset-4*maxCaretWidth)
	for from > start && !utf8.RuneStart(text[from]) {
		from--
	}
	to := min(end, p.Offset+4*maxCaretWidth)
	for to < end && !utf8.RuneStart(text[to]) {
		to++
	}
	before := []rune(text[from:p.Offset])
	after := []rune(strings.TrimRight(text[p.Offset:to], "\r"))
	cutLeft, cutRight := from > start, to < end
	if keep := maxCaretWidth / 2; len(before) > keep {
		before, cutLeft = before[len(before)-keep:], true
	}
	if keep := maxCaretWidth / 2; len(after) > keep {
		after, cutRight = after[:keep], true
	}
	line := string(before) + string(after)
	column := len(before) + 1
	if cutLeft {
		line, column = "..."+line, column+3
	}
	if cutRight {
		line += "..."
	}
	// A tab would move the caret; one blank keeps the columns equal.
	return strings.ReplaceAll(line, "\t", " "), column
}

// The kinds of fault of the null model. A fault of such a kind is an *Error whose Kind is one of these.
var (
	ErrNullInRequired       = errors.New("null in a required field")
	ErrNoNullHost           = errors.New("no variant can hold a null")
	ErrNullCondition        = errors.New("null in a condition")
	ErrExtensionStorage     = errors.New("the storage of an extension type would change")
	ErrMissingRequiredField = errors.New("required field is missing")
	ErrIndexOutOfBounds     = errors.New("index out of bounds")
	ErrTypeMismatch         = errors.New("types differ")
	ErrLengthMismatch       = errors.New("lengths differ")
	ErrInvalidLayout        = errors.New("invalid array layout")
	ErrUnknownTypeCode      = errors.New("unknown type code")
	ErrTypeCodeRange        = errors.New("type code out of range")
	ErrNoCommonType         = errors.New("no common type")
	ErrCastOverflow         = errors.New("value out of range")
	ErrCastInvalid          = errors.New("invalid value")
	ErrNoMember             = errors.New("no such member")
	ErrAmbiguousMember      = errors.New("ambiguous member")
	ErrNoMemberCast         = errors.New("variant cannot be cast")
	ErrLossyExport          = errors.New("export would lose the difference between null and a variant holding null")
	ErrRunEndOverflow       = errors.New("run ends overflow")
	ErrDictKeyOverflow      = errors.New("dictionary keys overflow")
	ErrUnsupported          = errors.New("unsupported")
	ErrOutOfMemory          = errors.New("memory budget exceeded")
)

// kindCode gives the SQLSTATE that belongs to a kind.
func kindCode(kind error) Code {
	switch kind {
	case ErrNullInRequired, ErrMissingRequiredField, ErrNoNullHost, ErrNullCondition:
		return CodeNotNullViolation
	case ErrIndexOutOfBounds:
		return CodeArrayElement
	case ErrInvalidLayout, ErrUnknownTypeCode:
		return CodeDataCorrupted
	case ErrTypeCodeRange, ErrRunEndOverflow, ErrDictKeyOverflow:
		return CodeProgramLimit
	case ErrNoCommonType, ErrTypeMismatch:
		return CodeDatatypeMismatch
	case ErrCastOverflow:
		return CodeNumericOutOfRange
	case ErrCastInvalid, ErrNoMemberCast:
		return CodeInvalidText
	case ErrNoMember, ErrAmbiguousMember:
		return CodeCannotCoerce
	case ErrUnsupported:
		return CodeFeatureNotSupported
	case ErrOutOfMemory:
		return CodeOutOfMemory
	}
	return CodeInvalidParameter
}
