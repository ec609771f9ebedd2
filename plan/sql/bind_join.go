package sql

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

var planJoins = [...]plan.JoinKind{
	InnerJoin: plan.InnerJoin, LeftJoin: plan.LeftJoin, RightJoin: plan.RightJoin, FullJoin: plan.FullJoin, CrossJoin: plan.InnerJoin,
	SemiJoin: plan.SemiJoin, AntiJoin: plan.AntiJoin,
}

// join binds a chain of joins, which leans to the left and may be thousands long, in a loop.
func (b *binder) join(n *Join, s *scope) (plan.Node, error) {
	var chain []*Join
	first := TableExpr(n)
	for {
		next, ok := first.(*Join)
		if !ok {
			break
		}
		chain = append(chain, next)
		first = next.Left
	}
	node, err := b.from(first, s)
	if err != nil {
		return nil, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if node, err = b.joinNext(chain[i], node, s); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// joinNext joins what FROM has so far, which s knows, with the right side of a join.
func (b *binder) joinNext(n *Join, left plan.Node, s *scope) (plan.Node, error) {
	switch {
	case n.AsOf:
		return nil, b.unsupported(n.Right, "an ASOF join")
	case n.Kind == PositionalJoin:
		return nil, b.unsupported(n.Right, "a POSITIONAL join")
	}
	if err := b.count(n, 1); err != nil {
		return nil, err
	}
	r := &scope{parent: s.parent, left: s, join: n.Kind}
	right, err := b.from(n.Right, r)
	if err != nil {
		return nil, err
	}
	if err := b.distinctNames(s, r); err != nil {
		return nil, err
	}
	node := &plan.Join{Kind: planJoins[n.Kind], Left: left, Right: right}
	pairs, err := b.joinPairs(n, s, r)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		equal, err := b.applyTo(p.node, "eq", s.columns[p.left].expr, r.columns[p.right].expr)
		if err != nil {
			return nil, err
		}
		node.Conditions = append(node.Conditions, equal.At(p.node.Range().Start))
	}
	relations, columns := len(s.relations), len(s.columns)
	if n.On != nil {
		both := &scope{parent: s.parent, left: s.left, join: s.join}
		both.relations, both.columns = append(s.relations, r.relations...), append(s.columns, r.columns...)
		condition, err := b.condition(n.On, &exprContext{scope: both, clause: "JOIN conditions"})
		if err != nil {
			return nil, err
		}
		node.Conditions = conjuncts(condition)
	}
	if n.Kind == SemiJoin || n.Kind == AntiJoin {
		s.relations, s.columns = s.relations[:relations], s.columns[:columns]
		return node, nil
	}
	if n.Kind == RightJoin || n.Kind == FullJoin {
		s.optional()
	}
	if n.Kind == LeftJoin || n.Kind == FullJoin {
		r.optional()
	}
	s.relations = append(s.relations, r.relations...)
	merged := make(map[int]bool, len(pairs))
	for _, p := range pairs {
		merged[p.right] = true
		switch n.Kind {
		case RightJoin:
			s.columns[p.left].expr = r.columns[p.right].expr
		case FullJoin:
			both, err := b.unify(p.node, "USING", []*expr.Expr{s.columns[p.left].expr, r.columns[p.right].expr})
			if err != nil {
				return nil, err
			}
			s.columns[p.left].expr = expr.NewCoalesce(both...)
		}
	}
	for i, c := range r.columns {
		if !merged[i] {
			s.columns = append(s.columns, c)
		}
	}
	return node, nil
}

// conjuncts gives the conditions that AND joins; none for TRUE.
func conjuncts(e *expr.Expr) []*expr.Expr {
	switch {
	case e.IsTrue():
		return nil
	case e.Op == expr.And:
		return e.Args
	}
	return []*expr.Expr{e}
}

// optional marks the columns of a join's side that it fills with NULL where there is no match.
func (s *scope) optional() {
	for i := range s.relations {
		r := &s.relations[i]
		if slices.ContainsFunc(r.columns, func(c plan.Column) bool { return !c.Nullable }) {
			r.columns = slices.Clone(r.columns)
			for j := range r.columns {
				r.columns[j].Nullable = true
			}
		}
	}
	for i := range s.columns {
		c := &s.columns[i]
		if c.expr.Nullable {
			continue
		}
		c.expr = c.expr.Rewrite(func(e *expr.Expr) *expr.Expr {
			if e.Nullable {
				return e
			}
			optional := *e
			optional.Nullable = true
			return &optional
		})
	}
}

// distinctNames checks that no relation of the right side has the name of one of the left side.
func (b *binder) distinctNames(left, right *scope) error {
	for _, r := range right.relations {
		for _, l := range left.relations {
			if r.name != "" && strings.EqualFold(l.name, r.name) {
				return b.errorAt(r.node, types.CodeDuplicateAlias, "table name %q specified more than once", r.name)
			}
		}
	}
	return nil
}

// joinPair is a column of each side that USING or NATURAL makes one, by their places among the visible columns.
type joinPair struct {
	node        Node // for errors
	left, right int
}

// joinPairs finds the columns that USING names, or that NATURAL finds on both sides.
func (b *binder) joinPairs(n *Join, left, right *scope) ([]joinPair, error) {
	var pairs []joinPair
	if n.Natural {
		for i, c := range left.columns {
			if len(right.visible(c.name)) == 0 || left.visible(c.name)[0] != i {
				continue
			}
			p, err := b.joinPair(n.Right, c.name, "NATURAL JOIN", left, right)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, p)
		}
		if len(pairs) == 0 {
			return nil, b.errorAt(n.Right, types.CodeUndefinedColumn, "the two sides of a NATURAL JOIN have no column name in common").
				WithHint("Write CROSS JOIN for all pairs of rows.")
		}
	}
	for i, name := range n.Using {
		for _, before := range n.Using[:i] {
			if strings.EqualFold(before.Name, name.Name) {
				return nil, b.errorAt(name, types.CodeDuplicateColumn, "column name %q appears more than once in USING clause", name.Name)
			}
		}
		p, err := b.joinPair(name, name.Name, "USING", left, right)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// joinPair finds a name that must mean one column on each side.
func (b *binder) joinPair(n Node, name, clause string, left, right *scope) (joinPair, error) {
	p := joinPair{node: n}
	for _, side := range []struct {
		scope *scope
		name  string
		found *int
	}{{left, "left", &p.left}, {right, "right", &p.right}} {
		places := side.scope.visible(name)
		switch len(places) {
		case 1:
			*side.found = places[0]
			continue
		case 0:
			e := b.errorAt(n, types.CodeUndefinedColumn, "column %q of %s does not exist on the %s side of the join", name, clause, side.name)
			own := &scope{columns: side.scope.columns}
			e.Hint = catalog.DidYouMean(name, own.columnNames())
			return p, e
		}
		return p, b.errorAt(n, types.CodeAmbiguousColumn, "column %q of %s appears more than once on the %s side of the join", name, clause, side.name)
	}
	return p, nil
}

// visible gives the places of the visible columns of a name.
func (s *scope) visible(name string) []int {
	var places []int
	for i, c := range s.columns {
		if strings.EqualFold(c.name, name) {
			places = append(places, i)
		}
	}
	return places
}

// aliasedJoin binds (a JOIN b ...) AS j: one relation with the columns that * shows of the join.
func (b *binder) aliasedJoin(t *AliasedJoin, s *scope) (plan.Node, error) {
	if t.Sample != nil {
		return nil, b.unsupported(t.Sample, "TABLESAMPLE")
	}
	inner := &scope{parent: s.parent, left: s.left, join: s.join}
	node, err := b.from(t.Table, inner)
	if err != nil {
		return nil, err
	}
	p := &plan.Project{Input: node}
	for _, c := range inner.columns {
		column := plan.Column{Field: types.Field{Name: c.name, Type: c.expr.Type, Nullable: c.expr.Nullable}}
		if c.expr.Op == expr.Column {
			column.ID = c.expr.Column
		} else {
			column.ID = b.ids.New()
		}
		p.Output, p.Exprs = append(p.Output, column), append(p.Exprs, c.expr)
	}
	return b.addRelation(t, p, p.Output, "", "", t.Alias, s)
}
