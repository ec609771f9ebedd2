package expr

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// Op is the form of an expression node.
type Op uint8

const (
	// Column reads a column of the input. In a logical plan Expr.Column is a plan-wide unique column id, in a physical plan and in
	// a Scan request the position in the input.
	Column Op = iota
	// Constant is a value known when the statement is bound.
	Constant
	// Parameter is a prepared statement's parameter number Expr.Column; it becomes a Constant before execution.
	Parameter
	// Call applies Expr.Function to the arguments.
	Call
	// Cast converts its argument to Expr.Type; with Try, what fails becomes NULL.
	Cast
	// And and Or are Kleene's, of two or more arguments. A later argument is evaluated only on rows that the earlier ones have not
	// decided, so it may raise only there.
	And
	Or
	// Case has pairs condition, value and at last the ELSE value. A value is evaluated only on the rows that chose it.
	Case
	// Coalesce gives the first argument that is not null. A later one is evaluated only on rows where the earlier are null.
	Coalesce
	// OuterColumn reads a value that a query gets from around it: column Expr.Column is an input of the subquery (see plan.Subquery), or a
	// column of the left side of the lateral join that the query is the right side of. Only in logical plans before decorrelation.
	OuterColumn
	// Subquery stands for a subquery's result; Expr.Subquery, a *plan.Subquery, says which. Its arguments are all that the subquery takes from
	// around it. Only in logical plans before decorrelation.
	Subquery
)

// Expr is a typed expression as plain data: it can be walked, printed, compared with statistics, pushed into a scan and sent to
// another engine. Its function is resolved when it is bound, never by name at run time. Expressions are immutable once built;
// Rewrite makes changed copies.
type Expr struct {
	Op       Op
	Type     types.Type
	Nullable bool // may a row of the result be null

	Column   int            // Column, OuterColumn, Parameter
	Name     string         // Column, OuterColumn, Parameter: for display
	Value    *types.Vector  // Constant: a Constant vector of one row
	Literal  bool           // Constant: it was written as a literal, which adapts to its partner's type; see Arg
	Function *Function      // Call
	Try      bool           // Cast
	Zone     *time.Location // Call, Cast: the session's time zone; nil = UTC
	Args     []*Expr
	Subquery any // Subquery: a *plan.Subquery

	// Position is the byte offset in the SQL text for error messages, or -1.
	Position int
}

// NewColumn reads a column.
func NewColumn(column int, name string, typ types.Type, nullable bool) *Expr {
	return &Expr{Op: Column, Column: column, Name: name, Type: typ, Nullable: nullable, Position: -1}
}

// NewOuterColumn reads a column of a query around this one.
func NewOuterColumn(column int, name string, typ types.Type, nullable bool) *Expr {
	return &Expr{Op: OuterColumn, Column: column, Name: name, Type: typ, Nullable: nullable, Position: -1}
}

// NewSubquery makes the value of a subquery; args are what it takes from around it.
func NewSubquery(subquery any, typ types.Type, nullable bool, args ...*Expr) *Expr {
	return &Expr{Op: Subquery, Subquery: subquery, Type: typ, Nullable: nullable, Args: args, Position: -1}
}

// NewConstant makes a constant of row 0 of a vector, which must be plain or constant.
func NewConstant(value *types.Vector) *Expr {
	value = types.NewConstant(value, 1)
	if value.Type().Kind() != types.KindNull && value.Validity().Has(0) {
		value = value.WithValidity(nil) // a bitmap without nulls says nothing
	}
	return &Expr{Op: Constant, Type: value.Type(), Value: value, Nullable: value.MayHaveNulls(), Position: -1}
}

// NewNull makes a NULL of a type.
func NewNull(typ types.Type) *Expr { return NewConstant(types.NewNull(typ, 1)) }

// NewCall applies a bound function. The arguments must have the function's argument types.
func NewCall(f *Function, args ...*Expr) *Expr {
	return &Expr{Op: Call, Type: f.Result, Nullable: f.nullable(args), Function: f, Args: args, Position: -1}
}

// NewCast converts e to a type; e itself when it has it already.
func NewCast(e *Expr, to types.Type, try bool) *Expr {
	if e.Type.Equal(to) {
		return e
	}
	return &Expr{Op: Cast, Type: to, Nullable: e.Nullable || try, Try: try, Args: []*Expr{e}, Position: e.Position}
}

// NewAnd joins conditions with AND, flattening nested ones. No condition gives TRUE, one gives itself.
func NewAnd(args ...*Expr) *Expr { return newLogic(And, args) }

// NewOr joins conditions with OR, flattening nested ones. No condition gives FALSE, one gives itself.
func NewOr(args ...*Expr) *Expr { return newLogic(Or, args) }

func newLogic(op Op, args []*Expr) *Expr {
	var flat []*Expr
	nullable := false
	for _, a := range args {
		nullable = nullable || a.Nullable
		if a.Op == op {
			flat = append(flat, a.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	switch len(flat) {
	case 0:
		return NewBool(op == And)
	case 1:
		return flat[0]
	}
	return &Expr{Op: op, Type: types.Boolean, Nullable: nullable, Args: flat, Position: flat[0].Position}
}

// WithArgs gives the same node over other arguments of the same types, from whose nulls it is told whether it may be null.
func (e *Expr) WithArgs(args []*Expr) *Expr {
	c := *e
	c.Args = args
	switch e.Op {
	case Call:
		c.Nullable = e.Function.nullable(args)
	case Cast:
		c.Nullable = args[0].Nullable || e.Try
	case And, Or:
		c.Nullable = slices.ContainsFunc(args, func(a *Expr) bool { return a.Nullable })
	case Case:
		c.Nullable = NewCase(args...).Nullable
	case Coalesce:
		c.Nullable = NewCoalesce(args...).Nullable
	}
	return &c
}

// NewBool makes TRUE or FALSE.
func NewBool(b bool) *Expr {
	bits := types.Bitmap{0}
	if b {
		bits.Set(0)
	}
	return NewConstant(types.NewBool(bits, 1, nil))
}

// NewCase makes CASE WHEN args[0] THEN args[1] ... ELSE args[last] END; all values have the same type.
func NewCase(args ...*Expr) *Expr {
	if len(args)%2 == 0 {
		panic("expr: CASE needs pairs and an ELSE")
	}
	last := args[len(args)-1]
	nullable := last.Nullable
	for i := 1; i < len(args); i += 2 {
		nullable = nullable || args[i].Nullable
	}
	return &Expr{Op: Case, Type: last.Type, Nullable: nullable, Args: args, Position: args[0].Position}
}

// NewCoalesce makes COALESCE of arguments of one type.
func NewCoalesce(args ...*Expr) *Expr {
	nullable := true
	for _, a := range args {
		nullable = nullable && a.Nullable
	}
	return &Expr{Op: Coalesce, Type: args[0].Type, Nullable: nullable, Args: args, Position: args[0].Position}
}

// At gives the expression with another position in the SQL text.
func (e *Expr) At(position int) *Expr {
	c := *e
	c.Position = position
	return &c
}

// In gives the expression with the session's time zone, if it is a call or cast that may depend on it: one with TIMESTAMP WITH TIME ZONE among its
// types. nil is UTC.
func (e *Expr) In(zone *time.Location) *Expr {
	if zone == nil || zone == time.UTC || e.Op != Call && e.Op != Cast {
		return e
	}
	zoned := hasZone(e.Type)
	for _, a := range e.Args {
		zoned = zoned || hasZone(a.Type)
	}
	if !zoned {
		return e
	}
	c := *e
	c.Zone = zone
	return &c
}

// hasZone reports whether values of a type are, or hold, TIMESTAMP WITH TIME ZONE.
func hasZone(t types.Type) bool {
	return t.Kind() == types.KindTimestampTZ || slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasZone(f.Type) })
}

// IsConstant reports a Constant node.
func (e *Expr) IsConstant() bool { return e.Op == Constant }

// IsNullConstant reports a constant NULL.
func (e *Expr) IsNullConstant() bool { return e.Op == Constant && e.Value.MayHaveNulls() }

// IsTrue reports the constant TRUE.
func (e *Expr) IsTrue() bool {
	return e.Op == Constant && e.Type.Kind() == types.KindBoolean && !e.Value.MayHaveNulls() && e.Value.Bools().Get(0)
}

// CanFail reports whether evaluating the expression on some row may raise an error.
func (e *Expr) CanFail() bool {
	if e.raises() {
		return true
	}
	for _, a := range e.Args {
		if a.CanFail() {
			return true
		}
	}
	return false
}

// raises reports whether the node itself may raise, its arguments apart.
func (e *Expr) raises() bool {
	switch e.Op {
	case Call:
		return e.Function.CanFail
	case Cast:
		return !e.Try && castCanFail(e.Args[0].Type, e.Type)
	case Subquery:
		return true
	}
	return false
}

// castCanFail reports whether a cast may meet a value that it cannot convert. Errs towards yes.
func castCanFail(from, to types.Type) bool {
	fk, tk := from.Kind(), to.Kind()
	switch {
	case fk == types.KindNull, fk == tk && from.Equal(to), tk == types.KindVarchar && !from.IsNested():
		return false
	case fk == types.KindBoolean:
		return !to.IsInteger() && tk != types.KindDouble && tk != types.KindFloat
	case from.IsInteger() && to.IsInteger():
		return integerRank(from) > integerRank(to) || from.IsUnsigned() != to.IsUnsigned() && !(from.IsUnsigned() && integerRank(from) < integerRank(to))
	case from.IsInteger() && tk == types.KindDecimal:
		return integerDigits[fk] > to.Precision()-to.Scale()
	case (from.IsInteger() || fk == types.KindDecimal) && tk == types.KindDouble:
		return false
	case (from.IsInteger() || fk == types.KindDecimal) && tk == types.KindFloat:
		return fk == types.KindDecimal && from.Precision()-from.Scale() > floatDigits
	case from.IsFloat() && to.IsFloat():
		return fk > tk
	case fk == types.KindDecimal && tk == types.KindDecimal:
		// Fewer digits after the point round up: 9.9 needs two digits before it.
		whole, wholeTo := from.Precision()-from.Scale(), to.Precision()-to.Scale()
		return wholeTo < whole || to.Scale() < from.Scale() && wholeTo == whole
	case fk == types.KindDate && tk == types.KindTimestamp:
		// All days of a DATE, five million years to either side, are more than 64 bits hold in microseconds.
		return to.Unit() > types.Millisecond
	}
	return true
}

// floatDigits is the number of decimal digits before the point that every FLOAT exponent has room for.
const floatDigits = 38

// integerRank gives the width of an integer type in bytes.
func integerRank(t types.Type) int { return t.Storage().Width() }

// IsVolatile reports whether two evaluations may differ (random()).
func (e *Expr) IsVolatile() bool {
	if e.Op == Call && e.Function.Volatile {
		return true
	}
	for _, a := range e.Args {
		if a.IsVolatile() {
			return true
		}
	}
	return false
}

// Walk calls f for e and everything below it, parents first, until f returns false for a node, whose arguments are then skipped.
func (e *Expr) Walk(f func(*Expr) bool) {
	if !f(e) {
		return
	}
	for _, a := range e.Args {
		a.Walk(f)
	}
}

// Rewrite gives the expression with f applied to every node, arguments first. f returns its argument to keep a node. Untouched parts
// are shared.
func (e *Expr) Rewrite(f func(*Expr) *Expr) *Expr {
	changed := false
	args := e.Args
	for i, a := range e.Args {
		b := a.Rewrite(f)
		if b == a {
			continue
		}
		if !changed {
			args, changed = append([]*Expr(nil), e.Args...), true
		}
		args[i] = b
	}
	if changed {
		c := *e
		c.Args = args
		e = &c
	}
	return f(e)
}

// Columns calls f with every column that the expression reads, in the order of their places, repeated ones each time.
func (e *Expr) Columns(f func(column int)) {
	e.Walk(func(n *Expr) bool {
		if n.Op == Column {
			f(n.Column)
		}
		return true
	})
}

// Equal reports whether two expressions are the same tree: same forms, functions, columns and constants. Constants are compared bit by
// bit: 0.0 and -0.0 are equal values but not the same expression. Volatile calls are never equal, not even to themselves; subqueries only when
// they are one.
func (e *Expr) Equal(o *Expr) bool {
	if len(e.Args) != len(o.Args) || !e.sameNode(o) {
		return false
	}
	for i := range e.Args {
		if !e.Args[i].Equal(o.Args[i]) {
			return false
		}
	}
	return true
}

// sameNode is Equal for the nodes themselves, their arguments apart.
func (e *Expr) sameNode(o *Expr) bool {
	if e.Op != o.Op || e.Column != o.Column || e.Try != o.Try || e.Zone != o.Zone || !e.Type.Equal(o.Type) {
		return false
	}
	switch e.Op {
	case Call:
		return !e.Function.Volatile && e.Function.Name == o.Function.Name && sameLambda(e.Function.Lambda, o.Function.Lambda)
	case Constant:
		return types.EqualWith(e.Value, o.Value, types.EqualOptions{BitwiseFloats: true})
	case Subquery:
		return e.Subquery == o.Subquery
	}
	return true
}

func sameLambda(a, b *Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b)
}

// infix gives the functions that print between their arguments.
var infix = map[string]string{
	"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
	"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "int_divide": "//", "mod": "%",
	"is_distinct": "IS DISTINCT FROM", "is_not_distinct": "IS NOT DISTINCT FROM", "concat_op": "||",
}

// String gives the expression as SQL, fully parenthesised, for EXPLAIN and tests.
func (e *Expr) String() string {
	switch e.Op {
	case Column, OuterColumn:
		if e.Name == "" {
			return fmt.Sprintf("#%d", e.Column)
		}
		return e.Name
	case Constant:
		return constantText(e.Value)
	case Parameter:
		return "$" + e.Name
	case Cast:
		if e.Try {
			return fmt.Sprintf("TRY_CAST(%s AS %s)", e.Args[0], e.Type)
		}
		return fmt.Sprintf("CAST(%s AS %s)", e.Args[0], e.Type)
	case And, Or:
		word := " AND "
		if e.Op == Or {
			word = " OR "
		}
		return "(" + joinArgs(e.Args, word) + ")"
	case Case:
		var b strings.Builder
		b.WriteString("CASE")
		last := len(e.Args) - 1
		for i := 0; i < last; i += 2 {
			fmt.Fprintf(&b, " WHEN %s THEN %s", e.Args[i], e.Args[i+1])
		}
		fmt.Fprintf(&b, " ELSE %s END", e.Args[last])
		return b.String()
	case Coalesce:
		return "coalesce(" + joinArgs(e.Args, ", ") + ")"
	case Subquery:
		return "(subquery)"
	}
	name := e.Function.Name
	switch {
	case len(e.Args) == 2 && infix[name] != "":
		return fmt.Sprintf("(%s %s %s)", e.Args[0], infix[name], e.Args[1])
	case name == "in" && e.Args[1].Op == Constant && e.Args[1].Type.Kind() == types.KindList && !e.Args[1].IsNullConstant():
		return fmt.Sprintf("(%s IN (%s))", e.Args[0], elementsText(e.Args[1].Value))
	case name == "not":
		return fmt.Sprintf("(NOT %s)", e.Args[0])
	case name == "negate":
		return fmt.Sprintf("(-%s)", e.Args[0])
	case name == "is_null":
		return fmt.Sprintf("(%s IS NULL)", e.Args[0])
	case name == "is_not_null":
		return fmt.Sprintf("(%s IS NOT NULL)", e.Args[0])
	}
	if e.Function.Lambda != nil {
		return fmt.Sprintf("%s(%s, lambda: %s)", name, joinArgs(e.Args, ", "), e.Function.Lambda)
	}
	return name + "(" + joinArgs(e.Args, ", ") + ")"
}

func joinArgs(args []*Expr, separator string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return strings.Join(parts, separator)
}

// elementsText gives the elements of a constant list as SQL literals.
func elementsText(list *types.Vector) string {
	entry, child := types.ValuesOf[types.ListEntry](list)[0], list.Children()[0]
	parts := make([]string, entry.Length)
	for i := range parts {
		at := int(entry.Offset) + i
		parts[i] = constantText(child.Slice(nil, at, at+1))
	}
	return strings.Join(parts, ", ")
}

// constantText gives a constant as an SQL literal.
func constantText(v *types.Vector) string {
	if v.MayHaveNulls() {
		return "NULL"
	}
	text := types.Text(v, 0)
	switch t := v.Type(); {
	case t.IsNumeric(), t.Kind() == types.KindBoolean, t.IsNested():
		return text
	case t.Kind() == types.KindVarchar:
		return quote(text)
	default:
		return t.String() + " " + quote(text)
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
