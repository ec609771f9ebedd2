package sql

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// maxGroupingSets is the number of grouping sets that a query may have: every row of the input is grouped by each of them.
const maxGroupingSets = 65535

// groupBy binds the keys of GROUP BY. ALL means the select items that use no aggregate.
func (s *selector) groupBy() error {
	g := s.query.GroupBy
	if g == nil {
		return nil
	}
	if g.All {
		for _, item := range s.items {
			if !s.aggregates.hasAggregate(item.expr) && item.expr.Op != expr.Constant {
				if _, err := s.addGroup(item.node, s.aggregates, item.expr, item.name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// The sets of several elements are combined, each of one with each of the others.
	sets := [][]int{{}}
	plain := true
	for _, element := range g.Elements {
		plain = plain && element.Kind == GroupExprs
		own, err := s.groupingSets(element)
		if err != nil {
			return err
		}
		if len(sets)*len(own) > maxGroupingSets {
			return s.tooManySets(element)
		}
		product := make([][]int, 0, len(sets)*len(own))
		for _, a := range sets {
			for _, b := range own {
				product = append(product, unionOfKeys(a, b))
			}
		}
		sets = product
	}
	if !plain {
		s.aggregates.sets = sets
	}
	return nil
}

func (s *selector) tooManySets(n Node) error {
	return s.errorAt(n, types.CodeProgramLimit, "GROUP BY makes more than the limit of %d grouping sets", maxGroupingSets)
}

// unionOfKeys gives the keys of two sets, each once.
func unionOfKeys(a, b []int) []int {
	out := slices.Clone(a)
	for _, k := range b {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// groupingSets gives the sets of one element, as positions among the keys: ROLLUP has every beginning of its list, from the longest on, CUBE every part
// of it, and GROUPING SETS what its elements have.
func (s *selector) groupingSets(element GroupElement) ([][]int, error) {
	if element.Kind == GroupExprs {
		set := []int{}
		for _, n := range element.Exprs {
			k, err := s.groupKey(n)
			if err != nil {
				return nil, err
			}
			set = unionOfKeys(set, []int{k})
		}
		return [][]int{set}, nil
	}
	var parts [][]int
	for _, e := range element.Elements {
		own, err := s.groupingSets(e)
		if err != nil {
			return nil, err
		}
		parts = append(parts, own...)
		if len(parts) > maxGroupingSets {
			return nil, s.tooManySets(element)
		}
	}
	var sets [][]int
	switch element.Kind {
	case GroupSets:
		return parts, nil
	case GroupRollup:
		for n := len(parts); n >= 0; n-- {
			set := []int{}
			for _, part := range parts[:n] {
				set = unionOfKeys(set, part)
			}
			sets = append(sets, set)
		}
	case GroupCube:
		if len(parts) >= 16 {
			return nil, s.tooManySets(element)
		}
		// From the highest bit down, so that all keys come first and none last.
		for choice := 1<<len(parts) - 1; choice >= 0; choice-- {
			set := []int{}
			for i, part := range parts {
				if choice>>(len(parts)-1-i)&1 != 0 {
					set = unionOfKeys(set, part)
				}
			}
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// groupKey binds one key of GROUP BY: a position in the select list, a column, an alias (a column wins), or an expression.
func (s *selector) groupKey(n Expr) (int, error) {
	c := &exprContext{scope: s.scope, clause: "GROUP BY", alias: s.aliasIn("GROUP BY"), aliasNames: s.aliasNames()}
	e, err := s.positionOr(n, len(s.items), "GROUP BY", func(i int) (*expr.Expr, error) {
		switch e := s.items[i].expr; {
		case s.windows.hasWindow(e):
			return nil, s.errorAt(n, types.CodeWindowing, "window functions are not allowed in GROUP BY")
		case s.aggregates.hasAggregate(e):
			return nil, s.errorAt(n, types.CodeGrouping, "aggregate functions are not allowed in GROUP BY")
		}
		return s.items[i].expr, nil
	}, c)
	if err != nil {
		return 0, err
	}
	return s.addGroup(n, s.aggregates, e, s.columnName(n))
}

// addGroup adds a key, unless an equal one is there, and gives its position.
func (b *binder) addGroup(n Node, a *aggregation, e *expr.Expr, name string) (int, error) {
	if a.unnests.uses(e) {
		return 0, b.unsupported(n, "grouping by unnest")
	}
	if err := b.groupable(n, e.Type); err != nil {
		return 0, err
	}
	for i, g := range a.groups {
		if g.Expr.Equal(e) {
			return i, nil
		}
	}
	if e.Op == expr.Column {
		name = e.Name
	}
	a.groups = append(a.groups, plan.GroupKey{
		Output: plan.Column{ID: b.ids.New(), Field: types.Field{Name: name, Type: e.Type, Nullable: e.Nullable}}, Expr: e,
	})
	return len(a.groups) - 1, nil
}

// groupingCall is a use of GROUPING with its arguments over the input of the aggregation.
type groupingCall struct {
	node *Call
	args []*expr.Expr
}

// maxGroupingArgs is the number of bits that a BIGINT has beside its sign.
const maxGroupingArgs = 63

// grouping binds GROUPING(key, ...), also called GROUPING_ID: a number with a bit for each key, the last one's lowest, that is set in the rows of sets
// which leave the key out. The keys are not known before the select list is bound, so a column stands for the result until then.
func (b *binder) grouping(n *Call, c *exprContext) (*expr.Expr, error) {
	a := c.aggregates
	switch {
	case a == nil || a.inside:
		return nil, b.errorAt(n, types.CodeGrouping, "GROUPING is not allowed in %s", c.clause)
	case len(n.Args) == 0:
		return nil, b.errorAt(n, types.CodeSyntax, "GROUPING needs an argument")
	case len(n.Args) > maxGroupingArgs:
		return nil, b.errorAt(n, types.CodeProgramLimit, "GROUPING takes at most %d arguments", maxGroupingArgs)
	case n.Distinct, len(n.OrderBy) > 0, len(n.WithinGroup) > 0, n.Filter != nil:
		return nil, b.errorAt(n, types.CodeWrongObjectType, "GROUPING is not an aggregate function: DISTINCT, ORDER BY and FILTER do not apply")
	}
	inner := *c
	inner.aggregates, inner.clause = nil, "the arguments of GROUPING"
	args, err := b.arguments(n, &inner)
	if err != nil {
		return nil, err
	}
	column := plan.Column{ID: b.ids.New(), Field: types.Field{Name: b.columnName(n), Type: types.BigInt}}
	if a.groupings == nil {
		a.groupings = map[plan.ColumnID]*groupingCall{}
	}
	a.groupings[column.ID] = &groupingCall{node: n, args: args}
	a.results[column.ID] = true
	return column.Ref(), nil
}

// groupingValue gives the expression that computes a use of GROUPING from the number of the row's set.
func (b *binder) groupingValue(g *groupingCall, a *aggregation) (*expr.Expr, error) {
	if len(a.groups) == 0 && a.sets == nil {
		return nil, b.errorAt(g.node, types.CodeGrouping, "GROUPING cannot be used without GROUP BY")
	}
	keys := make([]int, len(g.args))
	for i, arg := range g.args {
		keys[i] = slices.IndexFunc(a.groups, func(k plan.GroupKey) bool { return k.Expr.Equal(arg) })
		if keys[i] < 0 {
			return nil, b.errorAt(g.node.Args[i].Expr, types.CodeGrouping, "arguments of GROUPING must be keys of GROUP BY")
		}
	}
	values := make([]int64, max(1, len(a.sets)))
	for i, set := range a.sets {
		for _, k := range keys {
			values[i] <<= 1
			if !slices.Contains(set, k) {
				values[i]++
			}
		}
	}
	if a.setNumber == nil && len(a.sets) > 0 {
		a.setNumber = &plan.Column{ID: b.ids.New(), Field: types.Field{Name: "grouping set", Type: types.BigInt}}
	}
	return b.lookUp(g.node, a.setNumber, 0, values)
}

// lookUp gives the expression whose value is values[i] where the column is first + i, by halving.
func (b *binder) lookUp(n Node, column *plan.Column, first int, values []int64) (*expr.Expr, error) {
	same := true
	for _, v := range values {
		same = same && v == values[0]
	}
	if same {
		return bigInt(values[0]), nil
	}
	half := len(values) / 2
	low, err := b.lookUp(n, column, first, values[:half])
	if err != nil {
		return nil, err
	}
	high, err := b.lookUp(n, column, first+half, values[half:])
	if err != nil {
		return nil, err
	}
	below, err := b.applyTo(n, "lt", column.Ref(), bigInt(int64(first+half)))
	if err != nil {
		return nil, err
	}
	return expr.NewCase(below, low, high), nil
}

func bigInt(n int64) *expr.Expr {
	return expr.NewConstant(types.NewFixed(types.BigInt, []int64{n}, nil))
}
