package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// orderJoins chooses the order of joins. A region is a tree of inner joins and the filters among them, together with the left, semi, anti and mark joins
// whose left side is such a tree: since these pass on or drop left rows one by one, they can come earlier or later as well, as soon as the
// columns that their conditions read are there. Its inputs are the relations; join_region.go says how a region is taken apart and put
// together again, join_search.go how the order is found.
//
// The columns keep their order by a projection. What can fail is not evaluated on rows that an earlier condition would have removed.
func orderJoins(_ *Optimizer, n Node) (Node, error) {
	o := &joinOrderer{estimates: newEstimator(n)}
	return o.order(n), nil
}

type joinOrderer struct{ estimates *estimator }

func (o *joinOrderer) order(n Node) Node {
	r := &joinRegion{orderer: o, owner: map[ColumnID]int{}}
	if isRegion(n) && r.collect(n) && len(r.relations) > 2 {
		return r.ordered(n)
	}
	children := n.Children()
	changed := false
	ordered := make([]Node, len(children))
	for i, c := range children {
		ordered[i] = o.order(c)
		changed = changed || ordered[i] != c
	}
	if !changed {
		return n
	}
	return n.WithChildren(ordered)
}

// isRegion reports whether a node is part of a region's tree, not one of its relations.
func isRegion(n Node) bool {
	switch n := n.(type) {
	case *Filter:
		return isRegion(n.Input) && !slices.ContainsFunc(n.Conditions, (*expr.Expr).IsVolatile)
	case *Join:
		switch n.Kind {
		case InnerJoin:
			return !slices.ContainsFunc(n.Conditions, (*expr.Expr).IsVolatile)
		case LeftJoin, SemiJoin, AntiJoin, MarkJoin:
			return allMovable(n.Expressions())
		}
	}
	return false
}
