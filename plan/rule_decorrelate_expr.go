package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// extension is the input of a node while its expressions are done: joined with one subquery after the other, it gives their values as further columns.
type extension struct {
	d    *decorrelator
	node Node
	// done are the subqueries that were joined and their values: one that is written twice runs once.
	done []extracted
}

type extracted struct{ subquery, value *expr.Expr }

// filter keeps the rows on which all conditions are true. Each sees only the rows that the ones before it let pass.
func (x *extension) filter(conditions []*expr.Expr) {
	var pending []*expr.Expr // without subqueries, not applied yet
	for _, written := range conditions {
		for _, c := range conjuncts(written) {
			if !hasSubquery(c) {
				pending = append(pending, c)
				continue
			}
			x.node = filtered(x.node, pending)
			pending = nil
			if !x.restrict(c) {
				pending = append(pending, x.extract(c, nil))
			}
		}
	}
	x.node = filtered(x.node, pending)
}

// restrict applies a condition that is nothing but EXISTS, IN or a negation of them as a semi or anti join, and reports whether it could: NOT IN
// only where it cannot be NULL.
func (x *extension) restrict(c *expr.Expr) bool {
	kind := SemiJoin
	if c.Op == expr.Call && c.Function.Name == "not" {
		kind, c = AntiJoin, c.Args[0]
	}
	if c.Op != expr.Subquery || c.Subquery.(*Subquery).Kind == ScalarSubquery {
		return false
	}
	if kind == AntiJoin && slices.ContainsFunc(c.Subquery.(*Subquery).Conditions, func(e *expr.Expr) bool { return e.Nullable }) {
		return false
	}
	right, conditions := x.prepare(x.arguments(c, nil), nil)
	x.node, _ = x.d.apply(dependent{kind: kind, left: x.node, right: right, conditions: conditions})
	return true
}

// extract gives an expression without its subqueries: it reads columns with which x.node is extended. guard are conditions over x.node, the last of
// them guarded by the earlier: only on rows on which all are true is the expression evaluated.
func (x *extension) extract(e *expr.Expr, guard []*expr.Expr) *expr.Expr {
	if !hasSubquery(e) {
		return e
	}
	e = x.arguments(e, guard)
	if e.Op != expr.Subquery {
		return e
	}
	return x.subquery(e, guard)
}

// arguments gives an expression whose arguments have no subqueries; it may be one itself.
func (x *extension) arguments(e *expr.Expr, guard []*expr.Expr) *expr.Expr {
	c := *e
	c.Args = make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		c.Args[i] = x.extract(a, append(slices.Clip(guard), reaching(&c, i)...))
	}
	return &c
}

// reaching gives what is true of the rows on which argument i is evaluated, as far as the arguments before it say so.
func reaching(e *expr.Expr, i int) []*expr.Expr {
	var conditions []*expr.Expr
	add := func(a *expr.Expr, condition func(*expr.Expr) *expr.Expr) {
		if !a.IsVolatile() {
			conditions = append(conditions, condition(a))
		}
	}
	isNot := func(value bool) func(*expr.Expr) *expr.Expr {
		return func(a *expr.Expr) *expr.Expr {
			if a = orElse(a, !value); value {
				a = call("not", a)
			}
			return a
		}
	}
	switch e.Op {
	case expr.And, expr.Or:
		for _, a := range e.Args[:i] {
			add(a, isNot(e.Op == expr.Or))
		}
	case expr.Coalesce:
		for _, a := range e.Args[:i] {
			add(a, func(a *expr.Expr) *expr.Expr { return call("is_null", a) })
		}
	case expr.Case:
		// A value is for the rows that chose its branch, everything after it for the others.
		for j := 0; j+1 < i; j += 2 {
			add(e.Args[j], isNot(true))
		}
		if i%2 == 1 {
			add(e.Args[i-1], func(a *expr.Expr) *expr.Expr { return a })
		}
	}
	return conditions
}

// orElse gives a condition with a value in the place of NULL.
func orElse(condition *expr.Expr, value bool) *expr.Expr {
	if !condition.Nullable {
		return condition
	}
	return expr.NewCoalesce(condition, expr.NewBool(value))
}

// subquery joins x.node with a subquery whose arguments have none, and gives its value.
func (x *extension) subquery(e *expr.Expr, guard []*expr.Expr) *expr.Expr {
	for _, done := range x.done {
		if done.subquery.Equal(e) {
			return done.value
		}
	}
	right, conditions := x.prepare(e, guard)
	a := dependent{left: x.node, right: right, guard: guard}
	var result Column
	switch e.Subquery.(*Subquery).Kind {
	case ScalarSubquery:
		a.kind = SingleJoin
		result = right.Columns()[0]
		result.Nullable = true
	case ExistsSubquery:
		a.kind = MarkJoin
		result = x.d.column("exists", types.Boolean, false)
	case AnySubquery:
		a.kind = MarkJoin
		result = x.d.column("any", types.Boolean, e.Nullable)
	}
	if a.kind == MarkJoin {
		a.mark = &Mark{Output: result, Conditions: conditions}
	}
	node, values := x.d.apply(a)
	x.node = node
	value := values[result.ID]
	if value == nil {
		value = result.Ref()
	}
	if len(guard) == 0 {
		x.done = append(x.done, extracted{e, value})
	}
	return value
}

// prepare gives a subquery's plan, done, and its conditions, with the arguments in the place of the inputs. In the plan these must be columns of x.node, or
// come from further out: what is more is computed below.
func (x *extension) prepare(e *expr.Expr, guard []*expr.Expr) (Node, []*expr.Expr) {
	s := e.Subquery.(*Subquery)
	plan := x.d.node(s.Plan)
	inputs := map[ColumnID]*expr.Expr{}
	for i, a := range e.Args {
		input := s.Inputs[i]
		simple := a.Op == expr.Column || a.Op == expr.OuterColumn || a.Op == expr.Constant
		inPlan := readsOuter(plan, columnSet{input.ID: true})
		if !simple && (inPlan || a.IsVolatile() || a.CanFail() && len(guard) > 0) {
			if a.CanFail() && len(guard) > 0 {
				a = expr.NewCase(expr.NewAnd(guard...), a, expr.NewNull(a.Type))
			}
			a = x.compute(input, a)
		}
		inputs[input.ID] = a
	}
	conditions := rewriteAll(s.Conditions, func(n *expr.Expr) *expr.Expr {
		if n.Op == expr.Column && inputs[n.Column] != nil {
			return inputs[n.Column]
		}
		return n
	})
	return mapPlan(plan, func(n *expr.Expr) *expr.Expr {
		if n.Op != expr.OuterColumn || inputs[n.Column] == nil {
			return n
		}
		a := inputs[n.Column]
		if a.Op == expr.Column {
			return expr.NewOuterColumn(a.Column, a.Name, a.Type, a.Nullable).At(n.Position)
		}
		return a
	}), conditions
}

// compute extends x.node by an expression.
func (x *extension) compute(c Column, e *expr.Expr) *expr.Expr {
	c.Nullable = e.Nullable
	columns := x.node.Columns()
	x.node = computed(x.node, append(columns[:len(columns):len(columns)], c), map[ColumnID]*expr.Expr{c.ID: e})
	return c.Ref()
}

// mapPlan applies f to every node of every expression of a plan.
func mapPlan(n Node, f func(*expr.Expr) *expr.Expr) Node {
	return Transform(n, func(n Node) Node {
		return mapExpressions(n, func(e *expr.Expr) *expr.Expr { return e.Rewrite(f) })
	})
}
