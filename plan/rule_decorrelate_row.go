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
	// absent are columns of node that are NULL there.
	absent columnSet
}

func (r *extended) bind(es []*expr.Expr) []*expr.Expr {
	return bindAll(es, r.node.Columns(), r.values)
}

// extender computes the right side of a dependent join by adding columns to the left side.
type extender struct {
	d *decorrelator
	// guard are conditions over the left side: on rows for which they are not true nothing may fail.
	guard []*expr.Expr
	kind  JoinKind
	// unnested is set when the right side may have several rows for a left one, all of which node then has.
	unnested bool
}

// extend does a right side that has at most one row for each row of the left side, where its form allows it:
//
//	a left row  the right side                                 becomes
//	t.a         SELECT t.a + 1                                 t.a + 1 over the left side
//	t.k         SELECT count(*) + 1 FROM s WHERE s.k = t.k     left join with count(*) of s by k, and coalesce(count, 0) + 1
//	t.l         SELECT x FROM unnest(t.l) u (x), in lateral    unnest(l) over the left side
func (x *extender) extend(left, right Node) (extended, bool) {
	if !dependsOn(right, left) {
		return x.cross(left, right)
	}
	if isVolatile(right.Expressions()) {
		return extended{}, false
	}
	switch n := right.(type) {
	case *Project:
		r, ok := x.extend(left, n.Input)
		if !ok {
			return r, false
		}
		values := map[ColumnID]*expr.Expr{}
		for i, e := range r.bind(n.Exprs) {
			values[n.Output[i].ID] = e
		}
		r.values = values
		return r, true
	case *Filter:
		r, ok := x.extend(left, n.Input)
		if !ok || x.unnested && x.kind != InnerJoin {
			return r, false
		}
		r.present = joined(r.present, r.bind(n.Conditions))
		return r, true
	case *Sort, *Distinct:
		r, ok := x.extend(left, n.Children()[0])
		return r, ok && !x.unnested
	case *Limit:
		if n.Count == 0 || n.Offset > 0 {
			return extended{}, false
		}
		r, ok := x.extend(left, n.Input)
		return r, ok && !x.unnested
	case *Aggregate:
		if len(n.Groups) > 0 || n.Sets != nil {
			return extended{}, false
		}
		return x.aggregate(left, n)
	case *Unnest:
		return x.unnest(left, n)
	case *Join:
		return x.join(left, n)
	}
	return extended{}, false
}

// cross extends by a row that does not depend on the left side.
func (x *extender) cross(left, right Node) (extended, bool) {
	columns := right.Columns()
	if !exactlyOne(right) {
		return extended{}, false
	}
	if len(columns) == 0 {
		return extended{node: left}, true
	}
	// Its columns get other ids: what is made of them above may not be what they are.
	renamed := &Project{Input: right, Output: x.d.fresh(columns), Exprs: refs(columns)}
	r := extended{node: &Join{Kind: InnerJoin, Left: left, Right: renamed}, values: map[ColumnID]*expr.Expr{}}
	for i, c := range columns {
		r.values[c.ID] = renamed.Output[i].Ref()
	}
	return r, true
}

// unnest puts an Unnest over the left side, in a lateral join that gives its rows. For a left join it also gives a row without elements, which their
// number tells.
func (x *extender) unnest(left Node, n *Unnest) (extended, bool) {
	r, ok := x.extend(left, n.Input)
	if !ok || x.unnested || len(r.present) > 0 || x.kind != InnerJoin && x.kind != LeftJoin {
		return r, false
	}
	x.unnested = true
	c := *n
	c.Exprs = r.bind(n.Exprs)
	c.Input = r.node
	if x.kind == LeftJoin && !n.Outer {
		c.Outer = true
		c.Output = append([]Column(nil), n.Output...)
		for i := range c.Output {
			c.Output[i].Nullable = true
		}
		if c.Ordinality == nil {
			ordinality := x.d.column("ordinality", types.BigInt, false)
			c.Ordinality = &ordinality
		}
		ordinality := *c.Ordinality
		ordinality.Nullable = true
		c.Ordinality = &ordinality
		r.present, r.absent = []*expr.Expr{call("is_not_null", ordinality.Ref())}, columnIDs(joinedColumns(n.Output, []Column{ordinality}))
	}
	r.node = &c
	return r, true
}

// aggregate joins with the aggregates by the values that columns of the left side are compared with, or else by these columns' values. A left row
// without a group gets what the aggregates give for no rows.
func (x *extender) aggregate(left Node, n *Aggregate) (extended, bool) {
	c := *n
	c.Aggregates = append([]AggregateCall(nil), n.Aggregates...)
	for i := range c.Aggregates {
		c.Aggregates[i].Output.ID = x.d.ids.New()
	}
	join := &Join{Kind: LeftJoin, Left: left}
	closed := func(n Node) Node { return n }
	pull := &puller{d: x.d, outer: outputSet(left)}
	if p, ok := pull.aggregate(&c); ok {
		join.Right, join.Conditions = p.node, bindAll(p.conditions, left.Columns(), nil)
	} else {
		p := x.d.domain(left, &c, x.guard)
		grouped, keys := p.grouped(&c)
		join.Left, join.Right, join.Conditions = p.left, grouped, p.same(p.outer, keys)
		closed = func(n Node) Node { return p.closed(n) }
	}
	values := map[ColumnID]*expr.Expr{}
	var matched *expr.Expr // is NULL where the left row has no group
	for i, a := range c.Aggregates {
		empty, err := emptyResult(a.Function)
		if err != nil {
			return extended{}, false
		}
		v := nullableRef(a.Output)
		switch {
		case empty.IsNullConstant():
		case a.Output.Nullable:
			if matched == nil {
				var marker Column
				marker, join.Right = x.d.marker(join.Right)
				matched = marker.Ref()
			}
			v = expr.NewCase(call("is_not_null", matched), v, empty)
		default:
			v = expr.NewCoalesce(v, empty)
		}
		values[n.Aggregates[i].Output.ID] = v
	}
	return extended{node: closed(join), values: values}, true
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

// join extends by the left side of a join and then by what it joins with that.
func (x *extender) join(left Node, n *Join) (extended, bool) {
	l, ok := x.extend(left, n.Left)
	if !ok || x.unnested {
		return l, false
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
		r, ok := x.extend(l.node, n.Right)
		if !ok || x.unnested {
			return r, false
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
		kind, mark = MarkJoin, &Mark{Output: x.d.column("exists", types.Boolean, false)}
	default:
		return extended{}, false
	}
	if mark != nil {
		mark = &Mark{Output: mark.Output, Conditions: l.bind(mark.Conditions)}
	}
	guard := joined(x.guard, l.present)
	merge(x.d.apply(dependent{kind: kind, left: l.node, right: n.Right, conditions: conditions, mark: mark, guard: guard}))
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
			v := r.bind([]*expr.Expr{c.Ref()})[0]
			if nullWhenAbsent(v, r.absent) {
				v = madeNullable(v, r.absent)
			} else {
				v = expr.NewCase(condition, v, expr.NewNull(c.Type))
			}
			if v.Op != expr.Column || v.Column != c.ID {
				values[c.ID] = v
			}
		}
	}
	return r.node, values
}
