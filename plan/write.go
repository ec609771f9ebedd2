package plan

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// WriteRows is the root of the plan of a statement that changes a table: it adds its input's rows, removes those that the input has the numbers of, or
// both, as one change. It gives one row: how many rows the input had.
type WriteRows struct {
	Operator
	Input  Physical
	Verb   string // "Insert into"
	Name   string // the table's, as EXPLAIN shows it
	Target catalog.Target
	// Columns are those of the rows to add: the first ones of the input. Where they are not nullable a null is an error. Nil when rows are only removed.
	Columns types.Schema
	// Checks read Columns; a row on which one is false is an error.
	Checks []WriteCheck
	// Removes says that the last column of the input has the numbers of rows to remove.
	Removes bool
}

// WriteCheck is a condition on the rows that are written.
type WriteCheck struct {
	Name      string
	Condition *expr.Expr
}

// NewWrite puts a WriteRows, whose Operator and Input it fills in, over a plan.
func NewWrite(input *PhysicalPlan, w WriteRows) *PhysicalPlan {
	w.Operator = Operator{Output: types.Schema{{Name: "Count", Type: types.BigInt}}, Rows: 1}
	w.Input = input.Root
	return &PhysicalPlan{Root: &w, Operators: number(&w, 0), Filters: input.Filters}
}

// Inputs gives the operator whose rows are written.
func (p *WriteRows) Inputs() []Physical { return []Physical{p.Input} }

// Explain gives the verb, the table's name and the checks.
func (p *WriteRows) Explain() (string, []string) {
	var details []string
	for _, c := range p.Checks {
		details = append(details, "check "+c.Condition.String())
	}
	return p.Verb + " " + p.Name, details
}
