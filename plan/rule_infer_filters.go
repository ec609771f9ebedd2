package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// inferFilters finds conditions that follow from equalities: with a = b, what is known of a holds for b too, so that b = 5 or b < 10 can filter both sides of
// a join. A condition goes to a side only when rows of that side without a match are dropped.
func inferFilters(_ *Optimizer, n Node) (Node, error) {
	n, _ = infer(n)
	return n, nil
}

// infer gives a node with inferred conditions below it, and facts: conditions that are true for all its rows. They read one column, or are an equality
// of two.
func infer(n Node) (Node, []*expr.Expr) {
	switch n := n.(type) {
	case *Join:
		return inferJoin(n)
	case *Shared:
		definition, _ := infer(n.Definition)
		body, facts := infer(n.Body)
		return n.WithChildren([]Node{definition, body}), facts
	}
	children := n.Children()
	if len(children) == 0 {
		return n, nil
	}
	inferred := make([]Node, len(children))
	var below []*expr.Expr
	for i, c := range children {
		inferred[i], below = infer(c)
	}
	out := n.WithChildren(inferred)
	switch n := n.(type) {
	case *Filter:
		return out, addConditions(below, factsOf(n.Conditions)...)
	case *Project:
		return out, renameFacts(below, n.Output, n.Exprs)
	case *Aggregate:
		if n.Sets != nil {
			return out, nil
		}
		var output []Column
		var exprs []*expr.Expr
		for _, g := range n.Groups {
			output, exprs = append(output, g.Output), append(exprs, g.Expr)
		}
		return out, renameFacts(below, output, exprs)
	case *Sort, *Limit, *Distinct, *Window, *Unnest, *Sample:
		return out, below
	}
	return out, nil
}

// factsOf gives the conditions that can be facts.
func factsOf(conditions []*expr.Expr) []*expr.Expr {
	facts, _ := partition(conditions, func(c *expr.Expr) bool {
		_, single := singleColumn(c)
		return movable(c) && (single || isColumnEquality(c))
	})
	return facts
}

// isColumnEquality reports a = b of two columns of one type whose equal values are the same to every condition.
func isColumnEquality(c *expr.Expr) bool {
	return isCall(c, "eq", 2) && c.Args[0].Op == expr.Column && c.Args[1].Op == expr.Column && c.Args[0].Type.Equal(c.Args[1].Type) &&
		equalMeansSame(c.Args[0].Type)
}

// renameFacts gives the facts on the columns that expressions pass on as they are, under their new ids.
func renameFacts(facts []*expr.Expr, output []Column, exprs []*expr.Expr) []*expr.Expr {
	columns := map[ColumnID]Column{}
	for i, e := range exprs {
		if e.Op == expr.Column {
			columns[e.Column] = output[i]
		}
	}
	passed, _ := partition(facts, func(c *expr.Expr) bool {
		passes := true
		c.Columns(func(id ColumnID) {
			_, ok := columns[id]
			passes = passes && ok
		})
		return passes
	})
	return replaceColumns(passed, func(id ColumnID) *expr.Expr { return columns[id].Ref() })
}

func inferJoin(n *Join) (Node, []*expr.Expr) {
	left, ofLeft := infer(n.Left)
	right, ofRight := infer(n.Right)
	own := factsOf(n.Conditions)
	// For a match all facts hold. Where unmatched rows of a side are dropped, they hold for all rows that matter of it.
	all := consequences(addConditions(addConditions(ofLeft, ofRight...), own...))
	toLeft, toRight := n.Kind == InnerJoin || n.Kind == RightJoin || n.Kind == SemiJoin, n.Kind != RightJoin && n.Kind != FullJoin
	side := func(input Node, known []*expr.Expr, reached bool) (Node, []*expr.Expr) {
		if !reached {
			return input, known
		}
		columns := outputSet(input)
		added, _ := partition(all, func(c *expr.Expr) bool { return within(c, columns) && !hasCondition(known, c) && !hasCondition(own, c) })
		if len(added) > 0 {
			input = push(input, added)
		}
		return input, addConditions(known, added...)
	}
	// What comes from the other side's rows holds only for matches: rows of a side that is kept whole tell only the other side something.
	left, ofLeft = side(left, ofLeft, toLeft)
	right, ofRight = side(right, ofRight, toRight)
	out := n.WithChildren([]Node{left, right})
	switch n.Kind {
	case InnerJoin:
		return out, all
	case LeftJoin, SingleJoin, AntiJoin, MarkJoin, SemiJoin:
		return out, ofLeft
	case RightJoin:
		return out, ofRight
	}
	return out, nil
}

// consequences adds to facts what follows from the equalities among them.
func consequences(facts []*expr.Expr) []*expr.Expr {
	var classes [][]*expr.Expr
	find := func(x *expr.Expr) int {
		return slices.IndexFunc(classes, func(class []*expr.Expr) bool {
			return slices.ContainsFunc(class, func(c *expr.Expr) bool { return c.Column == x.Column })
		})
	}
	for _, f := range facts {
		if !isColumnEquality(f) {
			continue
		}
		for _, x := range f.Args {
			if find(x) < 0 {
				classes = append(classes, []*expr.Expr{x})
			}
		}
		if i, j := find(f.Args[0]), find(f.Args[1]); i != j {
			classes[i] = append(classes[i], classes[j]...)
			classes = slices.Delete(classes, j, j+1)
		}
	}
	all := facts
	for _, f := range facts {
		id, single := singleColumn(f)
		if !single {
			continue
		}
		i := slices.IndexFunc(classes, func(class []*expr.Expr) bool {
			return slices.ContainsFunc(class, func(c *expr.Expr) bool { return c.Column == id })
		})
		if i < 0 {
			continue
		}
		for _, x := range classes[i] {
			all = addConditions(all, replaceColumns([]*expr.Expr{f}, func(ColumnID) *expr.Expr { return x })...)
		}
	}
	return all
}
