package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
)

// SubqueryKind is what an expression makes of a subquery.
type SubqueryKind uint8

const (
	// ScalarSubquery is the only column of the only row: NULL without a row, an error (SQLSTATE 21000) with two.
	ScalarSubquery SubqueryKind = iota
	// ExistsSubquery is TRUE when there is a row, else FALSE.
	ExistsSubquery
	// AnySubquery is a quantified comparison, as Mark defines it: x = ANY (...) and x IN (...) have the condition x = column. The binder writes ALL
	// and NOT IN as negations: x > ALL (...) is NOT (x <= ANY (...)).
	AnySubquery
)

// String gives the kind's name in EXPLAIN.
func (k SubqueryKind) String() string { return [...]string{"scalar", "exists", "any"}[k] }

// Subquery is what an expr.Subquery node stands for. Everything that it takes from the query around it goes through its inputs, so that rules may
// rewrite the arguments of the expression without looking inside:
//
//	a > (SELECT max(b) FROM s WHERE s.g = t.g)
//
// is the expression Subquery(t.g) whose plan reads an OuterColumn, input 0. An input of the inputs of a subquery further out is again an input here.
type Subquery struct {
	Kind SubqueryKind
	// Plan gives the rows. In it, and in the subqueries of its expressions as arguments, inputs are OuterColumns.
	Plan Node
	// Inputs have ids of their own. The value of input i is argument i of the expression.
	Inputs []Column
	// Conditions are those of AnySubquery, joined by AND: over the inputs, here as Columns, and the columns of Plan.
	Conditions []*expr.Expr
}

// subqueries calls f with every subquery of the node's own expressions, not with those inside subqueries.
func subqueries(n Node, f func(*Subquery)) {
	for _, e := range n.Expressions() {
		e.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.Subquery {
				f(x.Subquery.(*Subquery))
			}
			return true
		})
	}
}

// Walk calls f for a plan's nodes, those of subqueries in expressions included, parents first.
func Walk(n Node, f func(Node)) {
	f(n)
	subqueries(n, func(s *Subquery) { Walk(s.Plan, f) })
	for _, c := range n.Children() {
		Walk(c, f)
	}
}
