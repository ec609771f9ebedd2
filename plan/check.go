package plan

import (
	"fmt"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// Check reports what is wrong with the form of a logical plan: an expression that reads a column which its node's inputs do not have, a shared scan out of
// its definition's sight, a column that a node gives twice, inputs of a union that do not fit. With decorrelated, also a subquery or an outer column that is
// left. For tests of rules.
func Check(n Node, decorrelated bool) error {
	c := checker{decorrelated: decorrelated, shared: map[SharedID]columnSet{}}
	return c.check(n, columnSet{})
}

type checker struct {
	decorrelated bool
	shared       map[SharedID]columnSet // columns of the definitions in sight
}

// check does a plan in which OuterColumns may read outer.
func (c *checker) check(n Node, outer columnSet) error {
	name, _ := n.Explain()
	seen := columnSet{}
	for _, column := range n.Columns() {
		if seen.has(column.ID) {
			return fmt.Errorf("%s gives column %s twice", name, column.Name)
		}
		seen[column.ID] = true
	}
	in := columnSet{}
	if s, ok := n.(*Scan); ok {
		in = outputSet(s)
	}
	for _, child := range n.Children() {
		in = union(in, outputSet(child))
	}
	for _, e := range n.Expressions() {
		if err := c.expression(name, e, in, outer); err != nil {
			return err
		}
	}
	switch n := n.(type) {
	case *Join:
		if err := c.check(n.Left, outer); err != nil {
			return err
		}
		return c.check(n.Right, union(outer, outputSet(n.Left)))
	case *SharedScan:
		for _, id := range n.Source {
			if !c.shared[n.ID].has(id) {
				return fmt.Errorf("%s reads a column that its definition does not have", name)
			}
		}
	case *Shared:
		return c.inSight(n.ID, n.Definition, n.Definition.Columns(), n.Body, outer)
	case *Recursive:
		return c.inSight(n.ID, n.Initial, n.Output, n.Step, outer)
	case *UnionAll:
		for _, input := range n.Inputs {
			if err := fit(name, input.Columns(), n.Output); err != nil {
				return err
			}
		}
	}
	for _, child := range n.Children() {
		if err := c.check(child, outer); err != nil {
			return err
		}
	}
	return nil
}

// inSight checks a plan that is computed first and one that may then scan its columns.
func (c *checker) inSight(id SharedID, definition Node, columns []Column, body Node, outer columnSet) error {
	if err := c.check(definition, outer); err != nil {
		return err
	}
	c.shared[id] = columnIDs(columns)
	defer delete(c.shared, id)
	return c.check(body, outer)
}

func fit(node string, columns, output []Column) error {
	if len(columns) != len(output) {
		return fmt.Errorf("%s has an input of %d columns instead of %d", node, len(columns), len(output))
	}
	for i, c := range columns {
		if !c.Type.Equal(output[i].Type) {
			return fmt.Errorf("%s has an input whose column %s is %s instead of %s", node, c.Name, c.Type, output[i].Type)
		}
	}
	return nil
}

func (c *checker) expression(node string, e *expr.Expr, in, outer columnSet) error {
	var err error
	e.Walk(func(x *expr.Expr) bool {
		switch {
		case err != nil:
		case x.Op == expr.Column && !in.has(x.Column):
			err = fmt.Errorf("%s reads column %s (%d), which its input does not have, in %s", node, x.Name, x.Column, e)
		case x.Op == expr.OuterColumn && (c.decorrelated || !outer.has(x.Column)):
			err = fmt.Errorf("%s reads outer column %s (%d) in %s", node, x.Name, x.Column, e)
		case x.Op == expr.Subquery && c.decorrelated:
			err = fmt.Errorf("%s has a subquery in %s", node, e)
		case x.Op == expr.Subquery:
			s := x.Subquery.(*Subquery)
			inputs := columnIDs(s.Inputs)
			err = c.check(s.Plan, inputs)
			for _, condition := range s.Conditions {
				if err == nil {
					err = c.expression(node, condition, union(inputs, outputSet(s.Plan)), nil)
				}
			}
		}
		return err == nil
	})
	return err
}

func union(a, b columnSet) columnSet {
	u := columnSet{}
	for _, set := range []columnSet{a, b} {
		for id := range set {
			u[id] = true
		}
	}
	return u
}
