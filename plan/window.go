package plan

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Window computes functions over the rows around each row: its columns are those of the input, then one per call. Rows in which the expressions of
// PartitionBy are equal, NULL being equal to NULL, are a partition; OrderBy orders each of them. Rows equal in all order keys are peers; which of
// them ROWS frames and row_number see first is their order in the input.
type Window struct {
	Input       Node
	PartitionBy []*expr.Expr
	OrderBy     []SortKey
	Calls       []WindowCall
}

// WindowCall is one function of a Window node.
type WindowCall struct {
	Output Column
	// Function or Aggregate is set.
	Function    *expr.WindowFunction
	Aggregate   *expr.Aggregate
	Args        []*expr.Expr
	Filter      *expr.Expr // of an aggregate: only rows on which it is true; nil = all
	Distinct    bool       // of an aggregate
	IgnoreNulls bool       // of a function
	Order       []SortKey  // of an order-sensitive aggregate's arguments; empty: the frame's own order
	Frame       Frame
}

// FrameUnit says what the bounds of a frame count.
type FrameUnit uint8

const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// BoundKind is one end of a frame.
type BoundKind uint8

const (
	UnboundedPreceding BoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// FrameExclusion says which rows around the current one a frame leaves out.
type FrameExclusion uint8

const (
	ExcludeNoOthers FrameExclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is which rows of its partition a row's aggregate or value function sees.
type Frame struct {
	Unit       FrameUnit
	Start, End FrameBound
	Exclude    FrameExclusion
}

// FrameBound is an end of a frame. With an offset kind, Offset is evaluated for each row: BIGINT for ROWS and GROUPS. For RANGE it is a value that is
// added to or subtracted from the only order key, and Limit, of the key's type, is the outcome: the binder makes it, so that execution only
// compares. A NULL or negative offset is an error (SQLSTATE 22013). For a row whose order key is NULL, offset bounds of RANGE are the row's peers.
type FrameBound struct {
	Kind   BoundKind
	Offset *expr.Expr
	Limit  *expr.Expr // RANGE only
}

// DefaultFrame gives the frame of a window without one: from the partition's start to the last peer of the row; the whole partition when there is no
// order, since then all rows are peers.
func DefaultFrame() Frame {
	return Frame{Unit: FrameRange, Start: FrameBound{Kind: UnboundedPreceding}, End: FrameBound{Kind: CurrentRow}}
}

// Columns gives the input's columns, then the calls'.
func (n *Window) Columns() []Column {
	out := append([]Column(nil), n.Input.Columns()...)
	for _, c := range n.Calls {
		out = append(out, c.Output)
	}
	return out
}

func (n *Window) Children() []Node { return []Node{n.Input} }

func (n *Window) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}

func (n *Window) Expressions() []*expr.Expr {
	all := append([]*expr.Expr(nil), n.PartitionBy...)
	for _, k := range n.OrderBy {
		all = append(all, k.Expr)
	}
	for _, c := range n.Calls {
		all = append(all, c.Args...)
		if c.Filter != nil {
			all = append(all, c.Filter)
		}
		for _, k := range c.Order {
			all = append(all, k.Expr)
		}
		for _, b := range []FrameBound{c.Frame.Start, c.Frame.End} {
			if b.Offset != nil {
				all = append(all, b.Offset)
			}
			if b.Limit != nil {
				all = append(all, b.Limit)
			}
		}
	}
	return all
}

func (n *Window) Explain() (string, []string) {
	var details []string
	if len(n.PartitionBy) > 0 {
		details = append(details, "partition by "+exprList(n.PartitionBy, ", "))
	}
	if len(n.OrderBy) > 0 {
		details = append(details, "order by "+keysText(n.OrderBy))
	}
	for _, c := range n.Calls {
		details = append(details, windowText(c)+" as "+types.QuoteIdent(c.Output.Name))
	}
	return "Window", details
}

func windowText(c WindowCall) string {
	name, parameters := "", []*types.Vector(nil)
	if c.Function != nil {
		name = c.Function.Name
	} else {
		name, parameters = c.Aggregate.Name, c.Aggregate.Parameters
	}
	text := callText(name, c.Args, parameters, c.Distinct, c.Filter, c.Order)
	if c.IgnoreNulls {
		text += " IGNORE NULLS"
	}
	if c.Frame != DefaultFrame() {
		text += " " + c.Frame.String()
	}
	return text
}

// String gives the frame as SQL.
func (f Frame) String() string {
	unit := [...]string{"ROWS", "RANGE", "GROUPS"}[f.Unit]
	exclude := [...]string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[f.Exclude]
	return unit + " BETWEEN " + f.Start.String() + " AND " + f.End.String() + exclude
}

// String gives the bound as SQL.
func (b FrameBound) String() string {
	switch b.Kind {
	case UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case OffsetPreceding:
		return b.Offset.String() + " PRECEDING"
	case OffsetFollowing:
		return b.Offset.String() + " FOLLOWING"
	case UnboundedFollowing:
		return "UNBOUNDED FOLLOWING"
	}
	return "CURRENT ROW"
}

func keysText(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = keyText(k.Expr, k.Descending, k.NullsFirst)
	}
	return strings.Join(parts, ", ")
}
