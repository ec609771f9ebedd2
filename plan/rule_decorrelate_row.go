package plan

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// extended is a plan whose rows are those of a left side, each with the only row that a right side has for it.
type extended struct {
	node Node // the left side's columns and more
	// values are the right side's columns that node does not have, computed from node's.
	values map[ColumnID]*expr.Expr
	// present are conditions over node. Where one is not true the right side has no row; then the values may not be computed.
	present []*expr.Expr
}

func (r *extended) bind(es []*expr.Expr) []*expr.Expr {
	return bindAll(es, r.node.Columns(), r.values)
}

// extend computes a right side that has at most one row for each row of the left side by adding columns to the left side, where the right side's form
// allows it:
//
//	a left row   the right side                             becomes
//	t.a          SELECT t.a + 1                             t.a + 1 over the left side
//	t.k          SELECT count(*) + 1 FROM s WHERE s.k = t.k  left join with count(*) of s by k, and CASE WHEN k IS NULL THEN 0 ... + 1
func (d *decorrelator) extend(left, right Node) (extended, bool) {
	if !dependsOn(right, left) {
		if !exactlyOne(right) {
			return extended{}, false
		}
		if len(right.Columns()) == 0 {
			return extended{node: left}, true
		}
		// Its columns get other ids: what is made of them below may not be what they are.
		columns := right.Columns()
		renamed := &Project{Input: right, Output: d.fresh(columns)}
		r := extended{node: &Join{Kind: InnerJoin, Left: left, Right: renamed}, values: map[ColumnID]*expr.Expr{}}
		for i, c := range columns {
			renamed.Exprs = append(renamed.Exprs, c.Ref())
			r.values[c.ID] = renamed.Output[i].Ref()
		}
		return r, true
	}
	switch n := right.(type) {
	case *Project:
		r, ok := d.extend(left, n.Input)
		if !ok || isVolatile(n.Exprs) {
			return r, false
		}
		values := map[ColumnID]*expr.Expr{}
		for i, e := range r.bind(n.Exprs) {
			values[n.Output[i].ID] = e
		}
		r.values = values
		return r, true
	case *Filter:
		r, ok := d.extend(left, n.Input)
		if !ok || isVolatile(n.Conditions) {
			return r, false
		}
		r.present = joined(r.present, r.bind(n.Conditions))
		return r, true
	case *Sort:
		return d.extend(left, n.Input)
	case *Distinct:
		return d.extend(left, n.Input)
	case *Limit:
		if n.Count == 0 || n.Offset > 0 {
			return extended{}, false
		}
		return d.extend(left, n.Input)
	case *Aggregate:
		return d.extendByAggregate(left, n)
	case *Join:
		return d.extendByJoin(left, n)
	}
	return extended{}, false
}

// extendByAggregate joins with the aggregates by the values that the left side's columns are compared with. A left row without a group gets what the
// aggregates give for no rows.
func (d *decorrelator) extendByAggregate(left Node, n *Aggregate) (extended, bool) {
	if len(n.Groups) > 0 || n.Sets != nil {
		return extended{}, false
	}
	c := *n
	c.Aggregates = append([]AggregateCall(nil), n.Aggregates...)
	for i := range c.Aggregates {
		c.Aggregates[i].Output.ID = d.ids.New()
	}
	p := &puller{d: d, outer: outputSet(left)}
	grouped, ok := p.aggregate(&c)
	if !ok {
		return extended{}, false
	}
	empty := make([]*expr.Expr, len(c.Aggregates))
	var matched *expr.Expr // is NULL where the left row has no group
	for i, a := range c.Aggregates {
		var err error
		if empty[i], err = emptyResult(a.Function); err != nil {
			return extended{}, false
		}
		if matched == nil && a.Output.Nullable && !empty[i].IsNullConstant() {
			var marker Column
			marker, grouped.node = d.marker(grouped.node)
			matched = marker.Ref()
		}
	}
	r := extended{values: map[ColumnID]*expr.Expr{}}
	r.node = &Join{Kind: LeftJoin, Left: left, Right: grouped.node, Conditions: bindAll(grouped.conditions, left.Columns(), nil)}
	for i, a := range c.Aggregates {
		value := a.Output
		value.Nullable = true
		v := value.Ref()
		switch {
		case empty[i].IsNullConstant():
		case a.Output.Nullable:
			v = expr.NewCase(call("is_not_null", matched), v, empty[i])
		default:
			v = expr.NewCoalesce(v, empty[i])
		}
		r.values[n.Aggregates[i].Output.ID] = v
	}
	return r, true
}

// emptyResult gives what an aggregate says of no rows.
func emptyResult(f *expr.Aggregate) (*expr.Expr, error) {
	states := f.New()
	if err := states.Resize(1); err != nil {
		return nil, err
	}
	v, err := states.Finish(&kernels.Env{}, 0, 1)
	if err != nil {
		return nil, err
	}
	return expr.NewConstant(v), nil
}

// extendByJoin extends by the left side of a join and then by what it joins with that.
func (d *decorrelator) extendByJoin(left Node, n *Join) (extended, bool) {
	l, ok := d.extend(left, n.Left)
	if !ok || isVolatile(n.Expressions()) {
		return extended{}, false
	}
	conditions := l.bind(n.Conditions)
	merge := func(node Node, values map[ColumnID]*expr.Expr) {
		l.node = node
		for id, v := range values {
			if l.values == nil {
				l.values = map[ColumnID]*expr.Expr{}
			}
			l.values[id] = v
		}
	}
	kind, mark := n.Kind, n.Mark
	switch kind {
	case InnerJoin:
		r, ok := d.extend(l.node, n.Right)
		if !ok {
			return extended{}, false
		}
		merge(r.node, r.values)
		l.present = joined(joined(l.present, r.present), r.bind(conditions))
		return l, true
	case LeftJoin:
		if !atMostOne(n.Right) {
			return extended{}, false
		}
	case SingleJoin, MarkJoin:
	case SemiJoin, AntiJoin:
		kind, mark = MarkJoin, &Mark{Output: d.column("exists", types.Boolean, false)}
	default:
		return extended{}, false
	}
	if mark != nil {
		mark = &Mark{Output: mark.Output, Conditions: l.bind(mark.Conditions)}
	}
	merge(d.apply(dependent{kind: kind, left: l.node, right: n.Right, conditions: conditions, mark: mark, guard: l.present}))
	if n.Kind == SemiJoin || n.Kind == AntiJoin {
		exists := l.bind([]*expr.Expr{mark.Output.Ref()})[0]
		if n.Kind == AntiJoin {
			exists = call("not", exists)
		}
		l.present = joined(l.present, []*expr.Expr{exists})
	}
	return l, true
}

// finishRow makes of an extended left side what the kind of the join gives.
func (d *decorrelator) finishRow(a dependent, r extended) (Node, map[ColumnID]*expr.Expr) {
	present := joined(r.present, r.bind(a.conditions))
	if a.kind == InnerJoin || a.kind == SemiJoin {
		return filtered(r.node, present), r.values
	}
	condition := expr.NewAnd(present...)
	values := map[ColumnID]*expr.Expr{}
	switch a.kind {
	case AntiJoin:
		return filtered(r.node, []*expr.Expr{call("not", orElse(condition, false))}), nil
	case MarkJoin:
		v := expr.NewAnd(r.bind(a.mark.Conditions)...)
		if len(present) > 0 {
			v = expr.NewCase(condition, v, expr.NewBool(false))
		}
		values[a.mark.Output.ID] = v
	case LeftJoin, SingleJoin:
		if len(present) == 0 {
			return r.node, r.values
		}
		for _, c := range a.right.Columns() {
			values[c.ID] = expr.NewCase(condition, r.bind([]*expr.Expr{c.Ref()})[0], expr.NewNull(c.Type))
		}
	}
	return r.node, values
}
