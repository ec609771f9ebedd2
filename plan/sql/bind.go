package sql

import (
	"context"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// Bound is a statement whose names are resolved and whose expressions are typed: what the planner takes.
type Bound struct {
	// Plan is the logical plan of a query, or of the rows that a command works on; nil when there are none.
	Plan plan.Node
	// Command is what a statement that is not a query does; nil for a query.
	Command Command
	// Explain says that the plan is to be shown in Format, not its result; with Analyze it is run for its profile first.
	Explain, Analyze bool
	Format           string // TEXT or JSON
	// Describe says that the columns of the plan are to be shown, with what Definition says of them if it is one table that has one.
	Describe   bool
	Definition *catalog.Definition
	IDs        *plan.IDs
	// Parameters are the types of the parameters without a value, by number or name, as their places ask for; NULL where nothing does.
	Parameters map[string]types.Type
	// Used are the names of the parameters whose values the statement uses.
	Used map[string]bool
}

// Session is what the meaning of a statement depends on beside its text.
type Session struct {
	Catalog *catalog.Catalog
	// Parameters are the values of the statement's parameters: Constant vectors by number ("1", "2", ...) or name.
	Parameters map[string]*types.Vector
	// OpenParameters says that parameters without a value are no error: the statement is described, not run. Bound.Parameters has their types.
	OpenParameters bool
	// NullsFirst says where ORDER BY without NULLS FIRST or LAST puts nulls; nil is last, for both directions.
	NullsFirst func(descending bool) bool
	// Zone is the time zone of TIMESTAMP WITH TIME ZONE; nil is UTC.
	Zone *time.Location
	// Setting gives the value of a setting as a constant, and whether there is one of that name; nil when there are none.
	Setting func(name string) (value *types.Vector, known bool)
	// Rejects starts to collect faults for the tables of two names, so many of a file (0: any number); arguments are the options as written. Nil: nobody
	// does.
	Rejects func(errors, scans string, limit int64, arguments string) catalog.Rejects
}

// Bind resolves a statement that Parse made from text.
func Bind(ctx context.Context, text string, statement Statement, session Session) (*Bound, error) {
	b := &binder{
		ctx: ctx, text: text, session: session, catalog: session.Catalog, parameters: session.Parameters, ids: &plan.IDs{},
		constants: map[*expr.Expr]*types.Vector{}, versions: map[catalog.Table]catalog.Table{}, open: map[string]types.Type{}, used: map[string]bool{},
	}
	bound := &Bound{IDs: b.ids, Parameters: b.open, Used: b.used}
	switch s := statement.(type) {
	case *Explain:
		format := s.Format
		if format == "" {
			format = "TEXT"
		}
		if format != "TEXT" && format != "JSON" {
			return nil, b.unsupported(s, "EXPLAIN with FORMAT %s", format)
		}
		inner, err := Bind(ctx, text, s.Statement, session)
		if err != nil {
			return nil, err
		}
		if _, export := inner.Command.(*Export); inner.Plan == nil || inner.Explain || inner.Describe || export {
			return nil, b.unsupported(s.Statement, "EXPLAIN of this statement")
		}
		inner.Explain, inner.Analyze, inner.Format = true, s.Analyze, format
		return inner, nil
	case *Query:
		node, _, err := b.query(s, nil)
		if err != nil {
			return nil, err
		}
		bound.Plan = node
		return bound, nil
	case *Describe:
		return bound, b.describe(s, bound)
	}
	return bound, b.statement(statement, bound)
}

// binder turns one statement's tree into a logical plan.
type binder struct {
	ctx        context.Context
	text       string
	session    Session
	catalog    *catalog.Catalog // the session's
	parameters map[string]*types.Vector
	ids        *plan.IDs
	constants  map[*expr.Expr]*types.Vector    // values of calls of constants
	open       map[string]types.Type           // parameters without a value, see Bound.Parameters
	used       map[string]bool                 // see Bound.Used
	now        time.Time                       // when now() was first asked for
	defining   *withQuery                      // whose text is being bound
	views      []string                        // that are being bound, against views that use themselves
	versions   map[catalog.Table]catalog.Table // what is read of tables whose rows change
	depth      int                             // nesting of queries, views and expressions
	steps      int                             // queries, expressions and columns bound so far
}

// maxBindDepth bounds the recursion of the binder. The parser has limits of its own; this one also holds for what trees are built of chains.
const maxBindDepth = 2000

// maxExpansion bounds what is bound more than once: every use of an alias or of a WITH query binds its text again, so that a chain of n that use
// the one before twice grows to 2^n.
const maxExpansion = 1 << 17

func (b *binder) enter(n Node) error {
	b.depth++
	if b.depth > maxBindDepth {
		return b.errorAt(n, types.CodeTooComplex, "statement is nested too deeply")
	}
	return b.count(n, 1)
}

// count notes that so many expressions or columns are bound for a node. Text that is bound once has fewer than bytes.
func (b *binder) count(n Node, steps int) error {
	b.steps += steps
	if b.steps > len(b.text)+maxExpansion {
		return b.errorAt(n, types.CodeTooComplex, "statement is too complex: its aliases, stars and WITH queries expand to more than %d expressions", maxExpansion).
			WithHint("Use what is long once, or store it in a table.")
	}
	return nil
}

func (b *binder) leave() { b.depth-- }

func (b *binder) errorAt(n Node, code types.Code, format string, args ...any) *types.Error {
	return types.ErrorAt(code, b.text, n.Range().Start, format, args...)
}

// unsupported makes the error for what SQL knows and this version does not.
func (b *binder) unsupported(n Node, format string, args ...any) error {
	e := b.errorAt(n, types.CodeFeatureNotSupported, format, args...)
	e.Message += " is not supported"
	return e
}

// located gives an error that knows no place the place of a node. Errors of evaluation know an offset, not yet a line.
func (b *binder) located(n Node, err error) error {
	e, ok := err.(*types.Error)
	if !ok || e.Position.Line > 0 {
		return err
	}
	offset := n.Range().Start
	if e.Position.Line < 0 {
		offset = e.Position.Offset
	}
	c := *e
	c.Position = types.Position{}
	return c.At(b.text, offset)
}

// source gives the SQL text of a node.
func (b *binder) source(n Node) string {
	s := n.Range()
	return b.text[s.Start:s.End]
}

// cast converts an expression implicitly or by CAST; constants at once, when that does not raise.
func (b *binder) cast(n Node, e *expr.Expr, to types.Type, try bool) *expr.Expr {
	if e.Type.Equal(to) {
		return e
	}
	if e.Op == expr.Parameter && e.Type.Kind() == types.KindNull && !try {
		return b.typeParameter(e, to)
	}
	position := e.Position
	if position < 0 {
		position = n.Range().Start
	}
	c := expr.NewCast(e, to, try).At(position).In(b.session.Zone)
	if e.Op == expr.Constant {
		return expr.Fold(c)
	}
	b.noteConstant(c)
	return c
}
