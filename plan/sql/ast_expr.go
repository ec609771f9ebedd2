package sql

// Expr is an expression. Parentheses leave no node behind; the span of an expression does not include its own.
//
// The types, all as pointers: Literal, Interval, Parameter, Column, Star, Unary, Binary, Logical, Is, IsDistinct, Between,
// In, Like, Case, Cast, Collate, AtTimeZone, Call, Lambda, Subquery, Exists, Quantified, ArrayQuery, Row, List,
// ListComprehension, Struct, Map, Index, Slice, Field, Unpack, Default.
type Expr interface {
	Node
	expr()
}

// LiteralKind is the kind of a literal as written.
type LiteralKind uint8

// The kinds of literals.
const (
	NullLiteral    LiteralKind = iota
	BooleanLiteral             // Text is true or false
	IntegerLiteral             // digits only, of any length
	DecimalLiteral             // with a point, without exponent
	FloatLiteral               // with an exponent; finite as a float64
	StringLiteral
	BlobLiteral // x'41': Text holds the bytes
	BitLiteral  // b'101': Text holds the digits
)

// Literal is a constant. A sign is not part of it.
type Literal struct {
	Span
	Kind LiteralKind
	Text string // numbers: as written, without underscores; strings: the value, escapes resolved
}

// Interval is INTERVAL value [unit].
type Interval struct {
	Span
	Value Expr
	Unit  string // upper case singular, as DAY or YEAR TO MONTH; empty if the value's text names the units
}

// Parameter is ?, ?1, $1, $name or :name. Exactly one of Number and Name is set.
type Parameter struct {
	Span
	Number int    // from 1; a bare ? counts from the start of its statement
	Name   string // of $name and :name
}

// Column is a name in an expression: a column, perhaps qualified, or fields of a struct column. The binder tells which
// parts qualify and which select fields.
type Column struct {
	Span
	Parts []Ident // at least one
}

// Star is * or t.* with its modifiers, in a select list, in count(*) and in COLUMNS(*).
type Star struct {
	Span
	Qualifier []Ident
	Exclude   []*Column
	Replace   []StarReplace
	Rename    []StarRename
}

// StarReplace is one REPLACE (expr AS name).
type StarReplace struct {
	Span
	Expr Expr
	Name Ident
}

// StarRename is one RENAME (column AS name).
type StarRename struct {
	Span
	Column *Column
	Name   Ident
}

// Unary is a prefix operator: - + NOT ~ ! @.
type Unary struct {
	Span
	Op      string
	Operand Expr
}

// Binary is an infix operator: comparisons = <> < <= > >=, arithmetic + - * / // % ^, and all others, such as || & | << >>
// -> ->> @> <@ && ~ !~ ~* !~* ~~ ^@ <->. "!=" and "==" arrive as "<>" and "=", "**" as "^", DIV as "//".
// A chain of one precedence leans to the left and may be thousands of nodes deep.
type Binary struct {
	Span
	Op          string
	OpSpan      Span
	Left, Right Expr
}

// Logical is a chain of AND, or of OR: two or more operands, in order.
type Logical struct {
	Span
	Or       bool
	Operands []Expr
}

// IsTest is what an IS predicate tests.
type IsTest uint8

// The tests of an IS predicate.
const (
	IsNull IsTest = iota // also IS UNKNOWN, ISNULL
	IsTrue
	IsFalse
)

// Is is x IS [NOT] NULL, TRUE, FALSE or UNKNOWN.
type Is struct {
	Span
	Operand Expr
	Test    IsTest
	Not     bool
}

// IsDistinct is a IS [NOT] DISTINCT FROM b.
type IsDistinct struct {
	Span
	Left, Right Expr
	Not         bool // IS NOT DISTINCT FROM
}

// Between is x [NOT] BETWEEN [SYMMETRIC] low AND high.
type Between struct {
	Span
	Operand, Low, High Expr
	Symmetric, Not     bool
}

// In is x [NOT] IN (a, b), IN (query), or IN value with a list value. Exactly one of List, Query and Value is set.
type In struct {
	Span
	Operand Expr
	List    []Expr
	Query   *Query
	Value   Expr
	Not     bool
}

// LikeOp is an operator of the LIKE family.
type LikeOp uint8

// The operators of the LIKE family.
const (
	LikeOperator LikeOp = iota
	ILikeOperator
	SimilarOperator // SIMILAR TO
	GlobOperator
)

// Like is x [NOT] LIKE pattern [ESCAPE escape] and its relatives.
type Like struct {
	Span
	Op               LikeOp
	Operand, Pattern Expr
	Escape           Expr
	Not              bool
}

// Case is CASE [operand] WHEN ... THEN ... [ELSE ...] END.
type Case struct {
	Span
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one branch of a Case.
type When struct {
	Span
	Condition, Result Expr
}

// Cast is CAST(x AS type), TRY_CAST, x::type, or a typed literal such as DATE '2020-01-01'.
type Cast struct {
	Span
	Operand Expr
	Type    *TypeName
	Try     bool
	Literal bool // a typed literal; Operand is then a string literal
}

// Collate is x COLLATE name.
type Collate struct {
	Span
	Operand   Expr
	Collation ObjectName // parts of NOCASE.NOACCENT
}

// AtTimeZone is x AT TIME ZONE zone.
type AtTimeZone struct {
	Span
	Operand, Zone Expr
}

// NullTreatment is IGNORE NULLS, RESPECT NULLS or neither.
type NullTreatment uint8

// The null treatments of a window function.
const (
	NullTreatmentDefault NullTreatment = iota
	IgnoreNulls
	RespectNulls
)

// Call is a function call: scalar, aggregate, window, or one of the standard's special forms, which arrive as
// extract('year', x), substring(x, from, for), position(string, search), trim/ltrim/rtrim(x, characters),
// overlay(x, new, from, for), and CURRENT_DATE as a call without arguments.
type Call struct {
	Span
	Name        ObjectName
	Args        []Argument
	Bare        bool // written without parentheses: CURRENT_DATE
	Method      bool // written x.f(y); x is the first argument
	Distinct    bool
	OrderBy     []OrderItem // f(x ORDER BY y)
	WithinGroup []OrderItem // f(x) WITHIN GROUP (ORDER BY y)
	Filter      Expr
	Nulls       NullTreatment
	Over        *Window
}

// Argument is one argument of a Call. count(*) has a *Star.
type Argument struct {
	Span
	Name *Ident // name := expr, name => expr
	Expr Expr
}

// Window is what stands after OVER, and in a WINDOW clause.
type Window struct {
	Span
	Base        *Ident // a named window that this one refines, or that OVER names
	NameOnly    bool   // OVER name, without parentheses: only Base is set
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame
}

// WindowDef is one definition of a WINDOW clause.
type WindowDef struct {
	Span
	Name   Ident
	Window *Window
}

// FrameUnit is ROWS, RANGE or GROUPS.
type FrameUnit uint8

// The units of a window frame.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// FrameExclusion is the EXCLUDE clause of a frame.
type FrameExclusion uint8

// The exclusions of a window frame.
const (
	ExcludeNoOthers FrameExclusion = iota // also without the clause
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is the frame of a window. Without BETWEEN the end is CURRENT ROW.
type Frame struct {
	Span
	Unit       FrameUnit
	Start, End FrameBound
	Exclude    FrameExclusion
}

// BoundKind is the kind of a frame bound.
type BoundKind uint8

// The kinds of frame bounds.
const (
	UnboundedPreceding BoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// FrameBound is one end of a frame.
type FrameBound struct {
	Span
	Kind   BoundKind
	Offset Expr // for OffsetPreceding and OffsetFollowing
}

// Lambda is x -> body, (x, y) -> body or lambda x, y: body, as an argument of a call.
type Lambda struct {
	Span
	Params []Ident
	Body   Expr
}

// Subquery is a query as a value: one row, one column (or compared with a Row: one row).
type Subquery struct {
	Span
	Query *Query
}

// Exists is EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

// Quantified is x op ANY (...) or x op ALL (...), over a query or a list value. Exactly one of Query and Value is set.
type Quantified struct {
	Span
	Op      string // a comparison
	All     bool
	Operand Expr
	Query   *Query
	Value   Expr
}

// ArrayQuery is ARRAY(query): the list of the query's rows.
type ArrayQuery struct {
	Span
	Query *Query
}

// Row is (a, b) or ROW(a, b).
type Row struct {
	Span
	Items []Expr
}

// List is [a, b] or ARRAY[a, b].
type List struct {
	Span
	Items []Expr
}

// ListComprehension is [result FOR params IN source IF condition].
type ListComprehension struct {
	Span
	Result    Expr
	Params    []Ident
	Source    Expr
	Condition Expr
}

// Struct is {'a': 1, b: 2}.
type Struct struct {
	Span
	Fields []StructField
}

// StructField is one field of a Struct literal.
type StructField struct {
	Span
	Name  Ident // a string key arrives as a quoted name
	Value Expr
}

// Map is MAP {k: v, ...}.
type Map struct {
	Span
	Entries []MapEntry
}

// MapEntry is one entry of a Map literal.
type MapEntry struct {
	Span
	Key, Value Expr
}

// Index is x[i].
type Index struct {
	Span
	Operand, Index Expr
}

// Slice is x[low:high] or x[low:high:step].
type Slice struct {
	Span
	Operand         Expr
	Low, High, Step Expr // each may be nil
}

// Field is (x).name on an operand that is not a plain name; a.b.c is a Column.
type Field struct {
	Span
	Operand Expr
	Name    Ident
}

// Unpack is *COLUMNS(...): the columns as separate arguments or items.
type Unpack struct {
	Span
	Operand Expr
}

// Default is DEFAULT as a value of INSERT and SET.
type Default struct {
	Span
}

// TypeName is a type as written. Fields that do not belong to a kind of type are empty.
type TypeName struct {
	Span
	// Name is in lower case unless quoted, its words joined by one blank: integer, double precision,
	// timestamp with time zone. T[] has the name list and T[n] the name array; struct, map, union, enum keep theirs.
	Name      string
	Quoted    bool
	Qualifier []Ident     // schema of a user type
	Modifiers []int       // decimal(10, 2)
	Fields    []TypeField // struct, union; map has two without names
	Labels    []string    // enum
	Elem      *TypeName   // list, array
	Size      int         // array
	Unit      string      // interval: the unit in upper case, as Interval has it
}

// TypeField is a field of a struct type, a variant of a union type, or key and value of a map type.
type TypeField struct {
	Span
	Name Ident
	Type *TypeName
}

func (*Literal) expr()           {}
func (*Interval) expr()          {}
func (*Parameter) expr()         {}
func (*Column) expr()            {}
func (*Star) expr()              {}
func (*Unary) expr()             {}
func (*Binary) expr()            {}
func (*Logical) expr()           {}
func (*Is) expr()                {}
func (*IsDistinct) expr()        {}
func (*Between) expr()           {}
func (*In) expr()                {}
func (*Like) expr()              {}
func (*Case) expr()              {}
func (*Cast) expr()              {}
func (*Collate) expr()           {}
func (*AtTimeZone) expr()        {}
func (*Call) expr()              {}
func (*Lambda) expr()            {}
func (*Subquery) expr()          {}
func (*Exists) expr()            {}
func (*Quantified) expr()        {}
func (*ArrayQuery) expr()        {}
func (*Row) expr()               {}
func (*List) expr()              {}
func (*ListComprehension) expr() {}
func (*Struct) expr()            {}
func (*Map) expr()               {}
func (*Index) expr()             {}
func (*Slice) expr()             {}
func (*Field) expr()             {}
func (*Unpack) expr()            {}
func (*Default) expr()           {}
