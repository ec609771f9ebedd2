package plan

import (
	"fmt"
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// overDomain makes a join of any dependent one: the right side is computed for the domain, the distinct values that it takes from the left side, and
// joined with the left side by them.
//
//	left ⋈ right(left.a)   =   left ⋈ (domain ⋈ right(domain.a)) on left.a is domain.a,   domain = SELECT DISTINCT a FROM left
//
// The left side is computed once. Below, domain ⋈ right moves down to where the right side reads it.
func (d *decorrelator) overDomain(a dependent) Node {
	p := d.domain(a.left, a.right, a.guard)
	right, domain := p.push(a.right)
	j := &Join{Kind: a.kind, Left: p.left, Right: right, Conditions: joined(p.same(p.outer, domain), a.conditions), Mark: a.mark}
	if a.kind == SingleJoin && atMostOne(a.right) {
		j.Kind = LeftJoin
	}
	return p.closed(j)
}

// push gives the join of the domain with a plan that depends on it: the plan's columns and more, among which those of the domain.
func (p *pusher) push(n Node) (Node, []Column) {
	if !p.depends(n) {
		domain, columns := p.scan()
		return &Join{Kind: InnerJoin, Left: domain, Right: n}, columns
	}
	switch n := n.(type) {
	case *Filter, *Sort, *Unnest:
		input, domain := p.push(n.Children()[0])
		return p.bind(n, domain).WithChildren([]Node{input}), domain
	case *Sample:
		if n.Method == SampleReservoir {
			p.d.unsupported(firstOuter(n), "TABLESAMPLE of a number of rows in a subquery that depends on the row is not supported")
		}
		input, domain := p.push(n.Input)
		return n.WithChildren([]Node{input}), domain
	case *Project:
		input, domain := p.push(n.Input)
		c := *p.bind(n, domain).(*Project)
		c.Input = input
		c.Output, c.Exprs = withColumns(c.Output, c.Exprs, domain)
		return &c, domain
	case *Distinct:
		input, domain := p.push(n.Input)
		keys := p.keys(domain)
		return p.whole(&Distinct{Input: exactColumns(input, joinedColumns(n.Columns(), keys))}, keys)
	case *Limit:
		return p.limit(n)
	case *Window:
		input, domain := p.push(n.Input)
		c := *p.bind(n, domain).(*Window)
		c.Input = input
		c.PartitionBy = joined(c.PartitionBy, refs(p.keys(domain)))
		return &c, domain
	case *Aggregate:
		return p.aggregate(n)
	case *Join:
		return p.join(n)
	case *UnionAll:
		c := &UnionAll{Output: n.Output}
		for _, input := range n.Inputs {
			pushed, domain := p.push(input)
			c.Inputs = append(c.Inputs, exactColumns(pushed, joinedColumns(input.Columns(), domain)))
		}
		domain := p.outputs()
		c.Output = joinedColumns(c.Output, domain)
		return c, domain
	case *Values:
		return p.rows(n)
	case *Shared:
		c := *n
		if p.depends(n.Definition) {
			c.Definition, p.shared[n.ID] = p.push(n.Definition)
		}
		var domain []Column
		c.Body, domain = p.push(n.Body)
		return &c, domain
	case *SharedScan:
		c := *n
		domain := p.outputs()
		c.Output = joinedColumns(n.Output, domain)
		c.Source = slices.Clip(n.Source)
		for _, column := range p.shared[n.ID] {
			c.Source = append(c.Source, column.ID)
		}
		return &c, domain
	case *Recursive:
		return p.recursive(n)
	}
	panic(fmt.Sprintf("plan: %T reads a column of a query around it", n))
}

func joinedColumns(a, b []Column) []Column { return append(a[:len(a):len(a)], b...) }

// withColumns adds columns that a projection passes on to those it has.
func withColumns(output []Column, exprs []*expr.Expr, more []Column) ([]Column, []*expr.Expr) {
	return joinedColumns(output, more), joined(exprs, refs(more))
}

func refs(columns []Column) []*expr.Expr {
	es := make([]*expr.Expr, len(columns))
	for i, c := range columns {
		es[i] = c.Ref()
	}
	return es
}

// rows computes each row of Values for the domain.
func (p *pusher) rows(n *Values) (Node, []Column) {
	union := &UnionAll{}
	var domain []Column
	for _, row := range n.Rows {
		var scan Node
		scan, domain = p.scan()
		project := &Project{Input: scan, Output: n.Output, Exprs: row}
		if len(n.Rows) > 1 {
			project.Output = p.d.fresh(n.Output)
		}
		project = p.bind(project, domain).(*Project)
		project.Output, project.Exprs = withColumns(project.Output, project.Exprs, domain)
		union.Inputs = append(union.Inputs, project)
	}
	if len(n.Rows) == 1 {
		return union.Inputs[0], domain
	}
	domain = p.outputs()
	union.Output = joinedColumns(n.Output, domain)
	return union, domain
}

// limit numbers the rows for each value of the domain.
func (p *pusher) limit(n *Limit) (Node, []Column) {
	if lowered := lowerLimit(n); lowered != Node(n) {
		return p.push(lowered)
	}
	window, number := p.d.numbered(n)
	numbered, domain := p.push(window)
	return inRange(numbered, number, n), domain
}

// aggregate groups by the domain too. What has a row even without input, as an aggregate without groups, gets that row for each value of the domain.
func (p *pusher) aggregate(n *Aggregate) (Node, []Column) {
	c, outputs := p.grouped(n)
	keys := make([]int, len(outputs))
	for i := range keys {
		keys[i] = len(n.Groups) + i
	}
	var alone []int64 // numbers of the sets without keys
	if n.Sets != nil {
		c.Sets = make([][]int, len(n.Sets))
		for i, set := range n.Sets {
			c.Sets[i] = append(slices.Clip(set), keys...)
			if len(set) == 0 {
				alone = append(alone, int64(i))
			}
		}
	}
	switch {
	case n.Sets == nil && len(n.Groups) == 0:
		return p.whole(p.withEmpty(c, outputs, nil), outputs)
	case len(alone) > 0:
		if c.Grouping == nil {
			grouping := p.d.column("grouping_set", types.BigInt, false)
			c.Grouping = &grouping
		}
		return p.whole(p.withEmpty(c, outputs, alone), outputs)
	}
	return p.whole(c, outputs)
}

// grouped gives an aggregate over the domain whose last keys are those of the domain.
func (p *pusher) grouped(n *Aggregate) (*Aggregate, []Column) {
	input, domain := p.push(n.Input)
	c := *p.bind(n, domain).(*Aggregate)
	c.Input = input
	c.Groups = slices.Clip(c.Groups)
	keys := p.keys(p.outputs())
	for i, k := range keys {
		c.Groups = append(c.Groups, GroupKey{Output: k, Expr: domain[i].Ref()})
	}
	return &c, keys
}

// withEmpty adds to an aggregate by the domain the rows of its sets without other keys, given by their numbers, for values of the domain of which the
// input has nothing. Without numbers the aggregate has no sets.
func (p *pusher) withEmpty(n *Aggregate, keys []Column, sets []int64) Node {
	scan, domain := p.scan()
	// The aggregate's columns get other ids, since what stands in them is not yet what they are.
	given := n.Columns()
	inner := p.d.fresh(given)
	matched := p.d.column("matched", types.Boolean, false)
	project := &Project{Input: n, Output: inner, Exprs: refs(given)}
	project.Output, project.Exprs = append(project.Output, matched), append(project.Exprs, expr.NewBool(true))
	place := func(c Column) Column { return inner[mustColumn(given, c.ID)] }

	join := &Join{Kind: LeftJoin, Left: scan, Right: project}
	for i, k := range keys {
		join.Conditions = append(join.Conditions, sameValues(domain[i:i+1], []Column{place(k)})...)
	}
	var number Column
	if len(sets) > 0 {
		number = p.d.column("set", types.BigInt, false)
		numbers := &Values{Output: []Column{number}}
		for _, s := range sets {
			numbers.Rows = append(numbers.Rows, []*expr.Expr{bigint(s)})
		}
		join.Kind = FullJoin
		join.Left = &Join{Kind: InnerJoin, Left: scan, Right: numbers}
		join.Conditions = append(join.Conditions, call("eq", number.Ref(), place(*n.Grouping).Ref()))
	}

	isThere := call("is_not_null", nullableRef(matched))
	out := &Project{Input: join, Output: given}
	outputs := map[ColumnID]int{}
	for i, c := range keys {
		outputs[c.ID] = i
	}
	for _, c := range given {
		i, isKey := outputs[c.ID]
		switch {
		case isKey && len(sets) == 0:
			out.Exprs = append(out.Exprs, domain[i].Ref())
		case isKey:
			out.Exprs = append(out.Exprs, expr.NewCase(isThere, nullableRef(place(c)), nullableRef(domain[i])))
		case n.Grouping != nil && c.ID == n.Grouping.ID:
			out.Exprs = append(out.Exprs, expr.NewCase(isThere, nullableRef(place(c)), nullableRef(number)))
		default:
			out.Exprs = append(out.Exprs, nullableRef(place(c)))
		}
	}
	for i, a := range n.Aggregates {
		v := &out.Exprs[len(n.Groups)+i]
		switch empty, err := emptyResult(a.Function); {
		case err != nil:
			p.d.err = err
		case empty.IsNullConstant():
		case a.Output.Nullable:
			*v = expr.NewCase(isThere, *v, empty)
		default:
			*v = expr.NewCoalesce(*v, empty)
		}
	}
	return out
}

// nullableRef reads a column that a join may have filled with NULL.
func nullableRef(c Column) *expr.Expr {
	c.Nullable = true
	return c.Ref()
}

// join moves the domain into the side that depends on it, or into both, which then join by it too.
func (p *pusher) join(n *Join) (Node, []Column) {
	inLeft, inRight := p.depends(n.Left), p.depends(n.Right)
	switch n.Kind {
	case InnerJoin:
		inLeft = inLeft || !inRight
	case RightJoin:
		inRight = true
	case FullJoin:
		inLeft, inRight = true, true
	default:
		inLeft = true
	}
	c := *n
	var left, right []Column
	if inLeft {
		c.Left, left = p.push(n.Left)
		if inRight && n.Kind != RightJoin && n.Kind != FullJoin {
			if pulled, ok := p.pullRight(&c, left); ok {
				return pulled, left
			}
		}
	}
	if inRight {
		c.Right, right = p.push(n.Right)
	}
	domain := left
	if !inLeft || n.Kind == RightJoin {
		domain = right
	}
	c = *p.bind(&c, domain).(*Join)
	if inLeft && inRight {
		c.Conditions = joined(p.same(left, right), c.Conditions)
	}
	if n.Kind != FullJoin {
		return &c, domain
	}
	// A row of either side may lack the other.
	domain = p.outputs()
	project := &Project{Input: &c, Output: n.Columns(), Exprs: refs(n.Columns())}
	for i, column := range domain {
		project.Output = append(project.Output, column)
		project.Exprs = append(project.Exprs, expr.NewCoalesce(nullableRef(left[i]), nullableRef(right[i])))
	}
	return project, domain
}

// pullRight makes a join whose left side has the domain and whose right side depends on it without moving the domain into that, where the conditions that
// read it can be pulled up.
func (p *pusher) pullRight(n *Join, domain []Column) (Node, bool) {
	if p.scansShared(n.Right) {
		return nil, false
	}
	right := mapPlan(n.Right, func(x *expr.Expr) *expr.Expr {
		if i := p.place(x); i >= 0 {
			return outerRef(domain[i]).At(x.Position)
		}
		return x
	})
	bound := p.bind(n, domain).(*Join)
	a := dependent{kind: n.Kind, left: n.Left, right: right, conditions: bound.Conditions, mark: bound.Mark}
	up := &puller{d: p.d, outer: columnIDs(domain)}
	pulled, ok := up.pull(right, a.needs())
	if !ok {
		return nil, false
	}
	node, values := p.d.finishPulled(a, pulled)
	return computed(node, n.Columns(), values), true
}

// recursive carries the domain through each step.
func (p *pusher) recursive(n *Recursive) (Node, []Column) {
	c := *n
	initial, domain := p.push(n.Initial)
	c.Initial = exactColumns(initial, joinedColumns(n.Initial.Columns(), domain))
	outputs := p.outputs()
	c.Output = joinedColumns(n.Output, outputs)
	p.shared[n.ID] = outputs
	step, domain := p.push(n.Step)
	c.Step = exactColumns(step, joinedColumns(n.Step.Columns(), domain))
	return &c, outputs
}

func bigint(v int64) *expr.Expr {
	return expr.NewConstant(types.NewFixed(types.BigInt, []int64{v}, nil))
}
