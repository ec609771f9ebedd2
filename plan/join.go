package plan

import (
	"fmt"
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// JoinKind says which rows a join gives. A pair of rows matches when every condition of the join is true for it.
type JoinKind uint8

const (
	// InnerJoin gives the pairs that match; without conditions it is the cross join.
	InnerJoin JoinKind = iota
	// LeftJoin also gives the left rows without a match, with NULL for the right columns. RightJoin and FullJoin likewise.
	LeftJoin
	RightJoin
	FullJoin
	// SemiJoin gives the left rows with a match, once each; AntiJoin those without.
	SemiJoin
	AntiJoin
	// MarkJoin gives every left row once and, as a last column, what quantified comparison says of it: see Mark.
	MarkJoin
	// SingleJoin is a LeftJoin in which a left row with two matches is an error (SQLSTATE 21000): a scalar subquery.
	SingleJoin
)

// String gives the kind's name in EXPLAIN.
func (k JoinKind) String() string {
	return [...]string{"inner", "left", "right", "full", "semi", "anti", "mark", "single"}[k]
}

// leftOnly reports a join whose right columns do not leave it.
func (k JoinKind) leftOnly() bool { return k == SemiJoin || k == AntiJoin || k == MarkJoin }

// Mark is what a MarkJoin computes for a left row over the right rows that match it, in three-valued logic: TRUE when for one of them all
// conditions of the mark are true, else NULL when for one of them their conjunction is NULL, else FALSE. So x IN (SELECT y ...) is a mark with
// the condition x = y and NOT IN is its negation; EXISTS is a mark without conditions.
type Mark struct {
	Output     Column // BOOLEAN
	Conditions []*expr.Expr
}

// Join combines the rows of two inputs. Its columns are those of both sides, left first, as far as the kind gives them.
//
// The right side may read columns of the left one as OuterColumns (LATERAL): it is then evaluated for each left row. The rule decorrelate
// makes joins of that kind into others; none is left after it.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	Conditions  []*expr.Expr // joined by AND, over the columns of both sides
	Mark        *Mark        // of a MarkJoin, else nil
}

// Columns gives the left columns, then the right ones, then the mark. Those that may be filled with NULL are nullable.
func (n *Join) Columns() []Column {
	// Chains of joins lean to the left and may be long: no list for each of them.
	chain := []*Join{n}
	for left, ok := n.Left.(*Join); ok; left, ok = left.Left.(*Join) {
		chain = append(chain, left)
	}
	out := slices.Clone(chain[len(chain)-1].Left.Columns())
	for _, j := range slices.Backward(chain) {
		if j.Kind == RightJoin || j.Kind == FullJoin {
			for i := range out {
				out[i].Nullable = true
			}
		}
		if !j.Kind.leftOnly() {
			for _, c := range j.Right.Columns() {
				c.Nullable = c.Nullable || j.Kind == LeftJoin || j.Kind == FullJoin || j.Kind == SingleJoin
				out = append(out, c)
			}
		}
		if j.Kind == MarkJoin {
			out = append(out, j.Mark.Output)
		}
	}
	return out
}

func (n *Join) Children() []Node { return []Node{n.Left, n.Right} }

func (n *Join) WithChildren(c []Node) Node {
	m := *n
	m.Left, m.Right = c[0], c[1]
	return &m
}

// Expressions gives the conditions, then those of the mark.
func (n *Join) Expressions() []*expr.Expr {
	if n.Mark == nil {
		return n.Conditions
	}
	return append(append([]*expr.Expr(nil), n.Conditions...), n.Mark.Conditions...)
}

func (n *Join) Explain() (string, []string) {
	var details []string
	if len(n.Conditions) > 0 {
		details = append(details, "on "+exprList(n.Conditions, " AND "))
	}
	if n.Mark != nil {
		text := "mark " + types.QuoteIdent(n.Mark.Output.Name)
		if len(n.Mark.Conditions) > 0 {
			text += ": " + exprList(n.Mark.Conditions, " AND ")
		}
		details = append(details, text)
	}
	return fmt.Sprintf("Join %s", n.Kind), details
}
