package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// SharedID identifies an intermediate result that several places of a plan read, unique in the whole plan like a ColumnID and made by the same IDs.
type SharedID = int

// Shared computes Definition once; the SharedScans with its id in Body read the rows. Its columns are Body's. It is a WITH query that is used more than
// once or is MATERIALIZED, and what decorrelation needs twice.
type Shared struct {
	ID         SharedID
	Name       string // of the WITH query, for EXPLAIN
	Definition Node
	Body       Node
}

// SharedScan reads an intermediate result: of a Shared, or the rows that the last step of a Recursive gave.
type SharedScan struct {
	ID     SharedID
	Name   string
	Output []Column // with ids of their own
	// Source gives for each output column the id of the definition's column that it reads.
	Source []ColumnID
}

// Recursive is WITH RECURSIVE: the rows of Initial and then, again and again until there are no new ones, those of Step, in which the SharedScans with this
// id read the rows that the step before gave. Output column i comes from column i of Initial and of Step, whose types are the same.
type Recursive struct {
	ID            SharedID
	Name          string
	Initial, Step Node
	// Distinct (UNION without ALL) drops rows that were there before, NULL being equal to NULL.
	Distinct bool
	// Output has ids of its own. The SharedScans in Step name these as their Source.
	Output []Column
}

func (n *Shared) Columns() []Column     { return n.Body.Columns() }
func (n *SharedScan) Columns() []Column { return n.Output }
func (n *Recursive) Columns() []Column  { return n.Output }

func (n *Shared) Children() []Node     { return []Node{n.Definition, n.Body} }
func (n *SharedScan) Children() []Node { return nil }
func (n *Recursive) Children() []Node  { return []Node{n.Initial, n.Step} }

func (n *Shared) WithChildren(c []Node) Node {
	m := *n
	m.Definition, m.Body = c[0], c[1]
	return &m
}
func (n *SharedScan) WithChildren([]Node) Node { return n }
func (n *Recursive) WithChildren(c []Node) Node {
	m := *n
	m.Initial, m.Step = c[0], c[1]
	return &m
}

func (n *Shared) Expressions() []*expr.Expr     { return nil }
func (n *SharedScan) Expressions() []*expr.Expr { return nil }
func (n *Recursive) Expressions() []*expr.Expr  { return nil }

func (n *Shared) Explain() (string, []string) { return "Shared " + types.QuoteIdent(n.Name), nil }
func (n *SharedScan) Explain() (string, []string) {
	return "Shared scan " + types.QuoteIdent(n.Name), []string{"columns: " + columnNames(SchemaOf(n))}
}
func (n *Recursive) Explain() (string, []string) {
	if n.Distinct {
		return "Recursive " + types.QuoteIdent(n.Name) + " distinct", nil
	}
	return "Recursive " + types.QuoteIdent(n.Name), nil
}
