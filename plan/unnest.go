package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// Unnest gives, for each row of the input, one row for each element of the lists that Exprs give, with the elements as further columns. Lists are read side by
// side; where one is shorter its element is NULL. A NULL list is an empty one. A row all of whose lists are empty is left out, unless Outer.
type Unnest struct {
	Input  Node
	Exprs  []*expr.Expr // of LIST or ARRAY types
	Output []Column     // one per expression: the elements
	// Ordinality, when not nil, holds the element's number, a BIGINT counted from 1 (WITH ORDINALITY).
	Ordinality *Column
	Outer      bool
}

// Columns gives the input's columns, the elements, and the ordinality.
func (n *Unnest) Columns() []Column {
	out := append(append([]Column(nil), n.Input.Columns()...), n.Output...)
	if n.Ordinality != nil {
		out = append(out, *n.Ordinality)
	}
	return out
}

func (n *Unnest) Children() []Node { return []Node{n.Input} }

func (n *Unnest) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}

func (n *Unnest) Expressions() []*expr.Expr { return n.Exprs }

func (n *Unnest) Explain() (string, []string) {
	details := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		details[i] = named(e, n.Output[i].Name)
	}
	return "Unnest", details
}
