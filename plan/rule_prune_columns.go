package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// pruneColumns removes columns that nothing above reads: from scans, projections, aggregates, unions, windows and shared results. The root keeps
// all.
func pruneColumns(_ *Optimizer, n Node) (Node, error) {
	p := &pruner{shared: map[SharedID]columnSet{}}
	return p.prune(n, outputSet(n)), nil
}

// pruner knows which columns of shared results are read.
type pruner struct {
	shared map[SharedID]columnSet
}

// prune gives n with at least the wanted columns. Other columns may remain where removing them would need a new node.
func (p *pruner) prune(n Node, wanted columnSet) Node {
	needed := func() columnSet {
		set := columnSet{}
		for id := range wanted {
			set[id] = true
		}
		return set
	}
	switch n := n.(type) {
	case *Scan:
		c := *n
		c.Output, c.Source = nil, nil
		inFilters := columnSet{}
		addColumns(inFilters, n.Filters)
		for i, column := range n.Output {
			if wanted.has(column.ID) || inFilters.has(column.ID) {
				c.Output, c.Source = append(c.Output, column), append(c.Source, n.Source[i])
			}
		}
		return &c
	case *Values:
		c := &Values{Rows: make([][]*expr.Expr, len(n.Rows))}
		for i, column := range n.Output {
			if !wanted.has(column.ID) {
				continue
			}
			c.Output = append(c.Output, column)
			for r, row := range n.Rows {
				c.Rows[r] = append(c.Rows[r], row[i])
			}
		}
		return c
	case *Filter:
		set := needed()
		addColumns(set, n.Conditions)
		return n.WithChildren([]Node{p.prune(n.Input, set)})
	case *Sort:
		set := needed()
		addColumns(set, n.Expressions())
		return n.WithChildren([]Node{p.prune(n.Input, set)})
	case *Project:
		c := &Project{}
		for i, column := range n.Output {
			if wanted.has(column.ID) {
				c.Output, c.Exprs = append(c.Output, column), append(c.Exprs, n.Exprs[i])
			}
		}
		set := columnSet{}
		addColumns(set, c.Exprs)
		c.Input = p.prune(n.Input, set)
		return c
	case *Aggregate:
		c := *n
		c.Aggregates = nil
		for _, a := range n.Aggregates {
			if wanted.has(a.Output.ID) {
				c.Aggregates = append(c.Aggregates, a)
			}
		}
		if c.Grouping != nil && !wanted.has(c.Grouping.ID) {
			c.Grouping = nil
		}
		set := columnSet{}
		addColumns(set, c.Expressions())
		c.Input = p.prune(n.Input, set)
		return &c
	case *UnionAll:
		c := &UnionAll{Inputs: make([]Node, len(n.Inputs))}
		sets := make([]columnSet, len(n.Inputs))
		for i := range sets {
			sets[i] = columnSet{}
		}
		for i, column := range n.Output {
			if !wanted.has(column.ID) {
				continue
			}
			c.Output = append(c.Output, column)
			for j, input := range n.Inputs {
				sets[j][input.Columns()[i].ID] = true
			}
		}
		for j, input := range n.Inputs {
			// The positions must fit the output, so the input gets exactly the wanted columns in their order.
			c.Inputs[j] = exactly(p.prune(input, sets[j]), input.Columns(), sets[j])
		}
		return c
	case *Join:
		set := needed()
		addColumns(set, n.Expressions())
		j := n.WithChildren([]Node{p.prune(n.Left, set), p.prune(n.Right, set)})
		// What only the conditions read need not leave the join, which copies what it gives.
		return exactly(j, j.Columns(), wanted)
	case *Window:
		c := *n
		c.Calls = nil
		for _, call := range n.Calls {
			if wanted.has(call.Output.ID) {
				c.Calls = append(c.Calls, call)
			}
		}
		if len(c.Calls) == 0 {
			return p.prune(n.Input, wanted)
		}
		set := needed()
		addColumns(set, c.Expressions())
		return c.WithChildren([]Node{p.prune(n.Input, set)})
	case *Unnest:
		// All lists stay, since the longest decides how many rows there are.
		c := *n
		if n.Ordinality != nil && !wanted.has(n.Ordinality.ID) {
			c.Ordinality = nil
		}
		set := needed()
		addColumns(set, n.Exprs)
		return c.WithChildren([]Node{p.prune(n.Input, set)})
	case *Shared:
		p.shared[n.ID] = columnSet{}
		body := p.prune(n.Body, wanted)
		return n.WithChildren([]Node{p.prune(n.Definition, p.shared[n.ID]), body})
	case *SharedScan:
		read, shared := p.shared[n.ID]
		if !shared {
			return n // of a Recursive, whose columns all stay
		}
		c := *n
		c.Output, c.Source = nil, nil
		for i, column := range n.Output {
			if wanted.has(column.ID) {
				c.Output, c.Source = append(c.Output, column), append(c.Source, n.Source[i])
				read[n.Source[i]] = true
			}
		}
		return &c
	case *Recursive:
		return n.WithChildren([]Node{p.all(n.Initial), p.all(n.Step)})
	case *Limit, *Sample:
		return n.WithChildren([]Node{p.prune(n.Children()[0], wanted)})
	}
	// Distinct compares all columns, so it needs all.
	children := n.Children()
	if len(children) == 0 {
		return n
	}
	pruned := make([]Node, len(children))
	for i, child := range children {
		pruned[i] = p.prune(child, outputSet(child))
	}
	return n.WithChildren(pruned)
}

// all prunes below n, whose columns stay as they are, by position.
func (p *pruner) all(n Node) Node {
	return exactly(p.prune(n, outputSet(n)), n.Columns(), outputSet(n))
}

// exactly gives n with the columns of order that are in set, by a projection where n has others.
func exactly(n Node, order []Column, set columnSet) Node {
	p := &Project{Input: n}
	for _, c := range order {
		if set.has(c.ID) {
			p.Output, p.Exprs = append(p.Output, c), append(p.Exprs, c.Ref())
		}
	}
	got := n.Columns()
	same := len(got) == len(p.Output)
	for i := range got {
		same = same && got[i].ID == p.Output[i].ID
	}
	if same {
		return n
	}
	return p
}

func addColumns(set columnSet, es []*expr.Expr) {
	for _, e := range es {
		e.Columns(func(id ColumnID) { set[id] = true })
	}
}
