package plan

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// ColumnID identifies a column of a logical plan, unique in the whole plan.
type ColumnID = int

// Column is a column that a logical node gives.
type Column struct {
	ID ColumnID
	types.Field
}

// Ref makes an expression that reads the column.
func (c Column) Ref() *expr.Expr { return expr.NewColumn(c.ID, c.Name, c.Type, c.Nullable) }

// Node is a logical operator. Immutable. The nodes are, one verb a file: Scan, Values, Filter, Project, Aggregate, Sort, Limit, Distinct and UnionAll
// here, Join (join.go), Window (window.go), Shared, SharedScan and Recursive (shared.go), Unnest (unnest.go), Sample (sample.go).
type Node interface {
	// Columns gives the output columns in order.
	Columns() []Column
	// Children gives the inputs, left to right.
	Children() []Node
	// WithChildren gives the same node over other inputs, as many as Children gave.
	WithChildren(children []Node) Node
	// Expressions gives the expressions that the node itself evaluates. Not to be changed.
	Expressions() []*expr.Expr
	// Explain gives the node's name and what EXPLAIN says beside it, one line each.
	Explain() (name string, details []string)
}

// IDs hands out column ids.
type IDs struct{ last ColumnID }

// New gives an unused id.
func (ids *IDs) New() ColumnID {
	ids.last++
	return ids.last
}

// Scan reads columns of a table.
type Scan struct {
	Table  catalog.Table
	Name   string // as EXPLAIN shows it
	Output []Column
	// Source gives for each output column its place in the table.
	Source []catalog.ColumnPath
	// Filters are conditions, joined by AND, that the scan uses for skipping and that must hold for each row it gives.
	Filters []*expr.Expr
}

// Values gives literal rows.
type Values struct {
	Output []Column
	Rows   [][]*expr.Expr // without columns
}

// Filter keeps the rows on which every condition is true.
type Filter struct {
	Input      Node
	Conditions []*expr.Expr // joined by AND, in the written order
}

// Project computes columns. An expression that is a bare column passes it on.
type Project struct {
	Input  Node
	Output []Column
	Exprs  []*expr.Expr
}

// AggregateCall is one aggregate of an Aggregate node.
type AggregateCall struct {
	Output   Column
	Function *expr.Aggregate
	Args     []*expr.Expr
	Filter   *expr.Expr // only rows on which it is true; nil = all
	Distinct bool
	Order    []SortKey // for order-sensitive aggregates
}

// Aggregate groups its input by the values of expressions, NULL being a value, and computes aggregates per group. Without groups it
// gives exactly one row.
type Aggregate struct {
	Input  Node
	Groups []GroupKey
	// Sets, when not nil, are the grouping sets as positions in Groups; a group that a set leaves out is NULL there. The input is grouped by each of them,
	// an empty one giving exactly one row.
	Sets       [][]int
	Aggregates []AggregateCall
	// Grouping, with Sets, is a BIGINT column that holds the number of the row's set, counted from 0: GROUPING() is computed from it.
	Grouping *Column
}

// GroupKey is an expression that an Aggregate groups by and the column that holds its value.
type GroupKey struct {
	Output Column
	Expr   *expr.Expr
}

// SortKey is one key of an order.
type SortKey struct {
	Expr       *expr.Expr
	Descending bool
	NullsFirst bool
}

// Sort orders its input; rows equal in all keys keep their order.
type Sort struct {
	Input Node
	Keys  []SortKey
}

// Limit skips Offset rows and gives at most Count.
type Limit struct {
	Input  Node
	Count  int64 // -1: no limit
	Offset int64
}

// Distinct keeps one row of each set of equal rows, NULL being equal to NULL.
type Distinct struct {
	Input Node
}

// UnionAll gives the rows of its inputs one after another. Output column i comes from column i of each input, whose type is the same.
type UnionAll struct {
	Inputs []Node
	Output []Column
}

func (n *Scan) Columns() []Column     { return n.Output }
func (n *Values) Columns() []Column   { return n.Output }
func (n *Filter) Columns() []Column   { return n.Input.Columns() }
func (n *Project) Columns() []Column  { return n.Output }
func (n *Sort) Columns() []Column     { return n.Input.Columns() }
func (n *Limit) Columns() []Column    { return n.Input.Columns() }
func (n *Distinct) Columns() []Column { return n.Input.Columns() }
func (n *UnionAll) Columns() []Column { return n.Output }

// Columns gives the group keys, the aggregates, then Grouping.
func (n *Aggregate) Columns() []Column {
	out := make([]Column, 0, len(n.Groups)+len(n.Aggregates))
	for _, g := range n.Groups {
		c := g.Output
		if n.Sets != nil {
			c.Nullable = true
		}
		out = append(out, c)
	}
	for _, a := range n.Aggregates {
		out = append(out, a.Output)
	}
	if n.Grouping != nil {
		out = append(out, *n.Grouping)
	}
	return out
}

func (n *Scan) Children() []Node      { return nil }
func (n *Values) Children() []Node    { return nil }
func (n *Filter) Children() []Node    { return []Node{n.Input} }
func (n *Project) Children() []Node   { return []Node{n.Input} }
func (n *Aggregate) Children() []Node { return []Node{n.Input} }
func (n *Sort) Children() []Node      { return []Node{n.Input} }
func (n *Limit) Children() []Node     { return []Node{n.Input} }
func (n *Distinct) Children() []Node  { return []Node{n.Input} }
func (n *UnionAll) Children() []Node  { return n.Inputs }

func (n *Scan) WithChildren([]Node) Node   { return n }
func (n *Values) WithChildren([]Node) Node { return n }
func (n *Filter) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}
func (n *Project) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}
func (n *Aggregate) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}
func (n *Sort) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}
func (n *Limit) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}
func (n *Distinct) WithChildren(c []Node) Node { return &Distinct{Input: c[0]} }
func (n *UnionAll) WithChildren(c []Node) Node {
	m := *n
	m.Inputs = c
	return &m
}

func (n *Scan) Expressions() []*expr.Expr { return n.Filters }
func (n *Values) Expressions() []*expr.Expr {
	var all []*expr.Expr
	for _, row := range n.Rows {
		all = append(all, row...)
	}
	return all
}
func (n *Filter) Expressions() []*expr.Expr  { return n.Conditions }
func (n *Project) Expressions() []*expr.Expr { return n.Exprs }
func (n *Aggregate) Expressions() []*expr.Expr {
	var all []*expr.Expr
	for _, g := range n.Groups {
		all = append(all, g.Expr)
	}
	for _, a := range n.Aggregates {
		all = append(all, a.Args...)
		if a.Filter != nil {
			all = append(all, a.Filter)
		}
		for _, k := range a.Order {
			all = append(all, k.Expr)
		}
	}
	return all
}
func (n *Sort) Expressions() []*expr.Expr {
	all := make([]*expr.Expr, len(n.Keys))
	for i, k := range n.Keys {
		all[i] = k.Expr
	}
	return all
}
func (n *Limit) Expressions() []*expr.Expr    { return nil }
func (n *Distinct) Expressions() []*expr.Expr { return nil }
func (n *UnionAll) Expressions() []*expr.Expr { return nil }

// SchemaOf gives a node's output as a schema.
func SchemaOf(n Node) types.Schema {
	columns := n.Columns()
	schema := make(types.Schema, len(columns))
	for i, c := range columns {
		schema[i] = c.Field
	}
	return schema
}

// Encoding gives how a column that an expression over a node becomes is handed out to Arrow, see types.Field: as the column that it reads, or as its
// function says.
func Encoding(e *expr.Expr, input []Column) types.Encoding {
	switch e.Op {
	case expr.Column:
		for _, c := range input {
			if c.ID == e.Column {
				return c.Encoding
			}
		}
	case expr.Call:
		return e.Function.Encoding
	}
	return types.Plain
}

// Transform gives the plan with f applied to every node, inputs first. f returns its argument to keep a node.
func Transform(n Node, f func(Node) Node) Node {
	children := n.Children()
	changed := false
	for i, c := range children {
		d := Transform(c, f)
		if d == c {
			continue
		}
		if !changed {
			children, changed = append([]Node(nil), children...), true
		}
		children[i] = d
	}
	if changed {
		n = n.WithChildren(children)
	}
	return f(n)
}
