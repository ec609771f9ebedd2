package plan

import (
	"github.com/lacunadb/lacuna/kernels/expr"
)

// simplifyJoins makes outer joins into stricter ones where a condition above is never true for the rows that they fill with NULL: a left join
// becomes an inner one, a full one a left or right one. Marks that a filter only lets pass when they are true, or only when they are not,
// become semi and anti joins, the latter where the mark is never NULL; a single join whose right side cannot have two matches for a row is
// a left join.
func simplifyJoins(_ *Optimizer, n Node) (Node, error) {
	return simplify(n, columnSet{}), nil
}

// simplify goes down with the columns that are not NULL in any row that matters above.
func simplify(n Node, notNull columnSet) Node {
	switch n := n.(type) {
	case *Filter:
		set := union(notNull, nullRejected(n.Conditions))
		input := simplify(n.Input, set)
		return simplifyMark(input, n.Conditions)
	case *Sort:
		return n.WithChildren([]Node{simplify(n.Input, notNull)})
	case *Project:
		below := columnSet{}
		for i, c := range n.Output {
			if notNull.has(c.ID) {
				strictColumns(n.Exprs[i], below)
			}
		}
		return n.WithChildren([]Node{simplify(n.Input, below)})
	case *Aggregate:
		below := columnSet{}
		for _, g := range n.Groups {
			if n.Sets == nil && notNull.has(g.Output.ID) {
				strictColumns(g.Expr, below)
			}
		}
		return n.WithChildren([]Node{simplify(n.Input, below)})
	case *Join:
		return simplifyJoin(n, notNull)
	case *Shared:
		return n.WithChildren([]Node{simplify(n.Definition, columnSet{}), simplify(n.Body, notNull)})
	}
	children := n.Children()
	if len(children) == 0 {
		return n
	}
	simplified := make([]Node, len(children))
	for i, c := range children {
		simplified[i] = simplify(c, columnSet{})
	}
	return n.WithChildren(simplified)
}

func simplifyJoin(n *Join, notNull columnSet) Node {
	c := *n
	left, right := outputSet(n.Left), outputSet(n.Right)
	if c.Kind == SingleJoin && oneMatch(n) {
		c.Kind = LeftJoin
	}
	leftPresent, rightPresent := overlaps(notNull, left), overlaps(notNull, right)
	switch {
	case c.Kind == LeftJoin && rightPresent, c.Kind == RightJoin && leftPresent, c.Kind == FullJoin && leftPresent && rightPresent:
		c.Kind = InnerJoin
	case c.Kind == FullJoin && leftPresent:
		c.Kind = LeftJoin // its left rows are all real
	case c.Kind == FullJoin && rightPresent:
		c.Kind = RightJoin
	}
	own := nullRejected(n.Conditions)
	below := func(matters bool, ofJoin bool) columnSet {
		set := columnSet{}
		if matters {
			set = union(set, notNull)
		}
		if ofJoin {
			set = union(set, own)
		}
		return set
	}
	// What must hold above holds in a side whose rows pass unchanged; the join's own conditions in a side of which only matches count.
	switch c.Kind {
	case InnerJoin:
		c.Left, c.Right = simplify(n.Left, below(true, true)), simplify(n.Right, below(true, true))
	case LeftJoin, AntiJoin, MarkJoin, SingleJoin:
		c.Left, c.Right = simplify(n.Left, below(true, false)), simplify(n.Right, below(false, true))
	case RightJoin:
		c.Left, c.Right = simplify(n.Left, below(false, true)), simplify(n.Right, below(true, false))
	case SemiJoin:
		c.Left, c.Right = simplify(n.Left, below(true, true)), simplify(n.Right, below(false, true))
	default:
		c.Left, c.Right = simplify(n.Left, columnSet{}), simplify(n.Right, columnSet{})
	}
	return &c
}

// oneMatch reports whether the right side of a join cannot have two rows that match the same left one: it has at most one row at all, or is grouped by
// what the conditions compare with the left side.
func oneMatch(n *Join) bool {
	compared := columnSet{}
	left, right := outputSet(n.Left), outputSet(n.Right)
	for _, c := range n.Conditions {
		if _, r, ok := equalitySides(c, left, right); ok && r.Op == expr.Column {
			compared[r.Column] = true
		}
	}
	return unique(n.Right, compared)
}

// unique reports whether no two rows of a node agree in all columns of a set, as far as the node itself proves it.
func unique(n Node, set columnSet) bool {
	switch n := n.(type) {
	case *Aggregate:
		if n.Sets != nil {
			return false
		}
		for _, g := range n.Groups {
			if !set.has(g.Output.ID) {
				return false
			}
		}
		return true
	case *Distinct:
		for _, c := range n.Columns() {
			if !set.has(c.ID) {
				return false
			}
		}
		return true
	case *Values:
		return len(n.Rows) <= 1
	case *Limit:
		return n.Count >= 0 && n.Count <= 1 || unique(n.Input, set)
	case *Filter:
		return unique(n.Input, set)
	case *Sort:
		return unique(n.Input, set)
	case *Project:
		below := columnSet{}
		for i, c := range n.Output {
			if set.has(c.ID) && n.Exprs[i].Op == expr.Column {
				below[n.Exprs[i].Column] = true
			}
		}
		return unique(n.Input, below)
	case *Join:
		if n.Kind == SemiJoin || n.Kind == AntiJoin || n.Kind == MarkJoin || n.Kind == SingleJoin {
			return unique(n.Left, set)
		}
	}
	return false
}

// simplifyMark gives a filter over a mark join as a semi or anti join where the mark, alone or negated, is one of the conditions and is read nowhere
// else. The projection in the mark's place is for what is above.
func simplifyMark(input Node, conditions []*expr.Expr) Node {
	unchanged := &Filter{Input: input, Conditions: conditions}
	j, ok := input.(*Join)
	if !ok || j.Kind != MarkJoin || !allMovable(j.Mark.Conditions) {
		return unchanged
	}
	mark := j.Mark.Output
	kind := MarkJoin
	var rest []*expr.Expr
	for _, c := range conditions {
		switch {
		case isColumn(c, mark.ID):
			kind = SemiJoin
		case isCall(c, "not", 1) && isColumn(c.Args[0], mark.ID) && neverNull(j.Mark.Conditions):
			kind = AntiJoin
		default:
			rest = append(rest, c)
		}
	}
	if kind == MarkJoin || len(conditions)-len(rest) != 1 || !allMovable(conditions) {
		return unchanged
	}
	joined := &Join{Kind: kind, Left: j.Left, Right: j.Right, Conditions: append(append([]*expr.Expr(nil), j.Conditions...), j.Mark.Conditions...)}
	p := &Project{Input: joined}
	for _, c := range j.Left.Columns() {
		p.Output, p.Exprs = append(p.Output, c), append(p.Exprs, c.Ref())
	}
	p.Output, p.Exprs = append(p.Output, mark), append(p.Exprs, expr.NewBool(kind == SemiJoin))
	return filtered(p, rest)
}

func isColumn(e *expr.Expr, id ColumnID) bool { return e.Op == expr.Column && e.Column == id }

func neverNull(es []*expr.Expr) bool {
	for _, e := range es {
		if e.Nullable {
			return false
		}
	}
	return true
}

func overlaps(a, b columnSet) bool {
	for id := range a {
		if b.has(id) {
			return true
		}
	}
	return false
}

// nullRejected gives the columns of which a NULL keeps one of the conditions from being true.
func nullRejected(conditions []*expr.Expr) columnSet {
	set := columnSet{}
	for _, c := range conditions {
		undecided(c, true, set)
	}
	return set
}

// strictColumns adds the columns of which a NULL makes the expression NULL.
func strictColumns(e *expr.Expr, set columnSet) {
	switch e.Op {
	case expr.Column:
		set[e.Column] = true
	case expr.Cast:
		strictColumns(e.Args[0], set)
	case expr.Call:
		if e.Function.Nulls == expr.NullStrict || e.Function.Nulls == expr.NullFromValues {
			for _, a := range e.Args {
				strictColumns(a, set)
			}
		}
	}
}

// undecided adds the columns of which a NULL keeps a condition from being true, or, without notTrue, from being false.
func undecided(e *expr.Expr, notTrue bool, set columnSet) {
	switch {
	case e.Op == expr.And && notTrue, e.Op == expr.Or && !notTrue:
		for _, a := range e.Args {
			undecided(a, notTrue, set)
		}
	case e.Op == expr.And, e.Op == expr.Or:
		var common columnSet
		for i, a := range e.Args {
			of := columnSet{}
			undecided(a, notTrue, of)
			if i == 0 {
				common = of
			}
			for id := range common {
				if !of.has(id) {
					delete(common, id)
				}
			}
		}
		for id := range common {
			set[id] = true
		}
	case isCall(e, "not", 1):
		undecided(e.Args[0], !notTrue, set)
	case isCall(e, "is_not_null", 1) && notTrue, isCall(e, "is_null", 1) && !notTrue:
		strictColumns(e.Args[0], set)
	default:
		strictColumns(e, set)
	}
}
