package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// pushLimits moves limits, and the sorts under them, towards the scans, so that less is computed:
//
//   - below a projection, which then computes only the rows that remain; a sort with it when its keys are columns that the projection passes on;
//   - a copy, of LIMIT and OFFSET added up, into each input of UNION ALL and onto the left side of a left join, which gives at least one row for
//     each left one; with the sort when its keys are columns of that side. The limit itself stays above;
//   - below a mark join, which gives one row for each left one.
func pushLimits(_ *Optimizer, n Node) (Node, error) {
	return pushLimitsIn(n), nil
}

func pushLimitsIn(n Node) Node {
	if l, ok := n.(*Limit); ok && l.Count >= 0 {
		if s, ok := l.Input.(*Sort); ok {
			n = topRows(s.Input, s.Keys, l.Count, l.Offset)
		} else {
			n = topRows(l.Input, nil, l.Count, l.Offset)
		}
	}
	// What has been moved stands at the top of inputs, or below projections: these are looked at next.
	children := n.Children()
	if len(children) == 0 {
		return n
	}
	if isTop(n) {
		// The limit cannot go further; its sort is part of it.
		if s, ok := children[0].(*Sort); ok {
			return n.WithChildren([]Node{s.WithChildren([]Node{pushLimitsIn(s.Input)})})
		}
		return n.WithChildren([]Node{pushLimitsIn(children[0])})
	}
	pushed := make([]Node, len(children))
	for i, c := range children {
		pushed[i] = pushLimitsIn(c)
	}
	return n.WithChildren(pushed)
}

func isTop(n Node) bool {
	l, ok := n.(*Limit)
	return ok && l.Count >= 0
}

// topRows gives the first rows of n in the order of the keys, if there are any: count of them after offset.
func topRows(n Node, keys []SortKey, count, offset int64) Node {
	first := count + offset
	if first < 0 {
		return limitOver(n, keys, count, offset) // more than there can be
	}
	switch n := n.(type) {
	case *Project:
		if below, ok := keysBelow(keys, n); ok {
			return n.WithChildren([]Node{topRows(n.Input, below, count, offset)})
		}
	case *UnionAll:
		inputs := make([]Node, len(n.Inputs))
		for i, input := range n.Inputs {
			columns := input.Columns()
			inputs[i] = topRows(input, replaceKeys(keys, func(id ColumnID) *expr.Expr { return columns[mustColumn(n.Output, id)].Ref() }), first, 0)
		}
		return limitOver(n.WithChildren(inputs), keys, count, offset)
	case *Join:
		left := outputSet(n.Left)
		for _, k := range keys {
			if !within(k.Expr, left) || !movable(k.Expr) {
				return limitOver(n, keys, count, offset)
			}
		}
		switch n.Kind {
		case MarkJoin:
			return n.WithChildren([]Node{topRows(n.Left, keys, count, offset), n.Right})
		case LeftJoin:
			return limitOver(n.WithChildren([]Node{topRows(n.Left, keys, first, 0), n.Right}), keys, count, offset)
		}
	case *Limit:
		if s, ok := n.Input.(*Sort); n.Count >= 0 && n.Count <= first && offset == 0 && (keys == nil || ok && sameKeys(keys, s.Keys)) {
			return n // keeps as few already
		}
	}
	return limitOver(n, keys, count, offset)
}

func limitOver(n Node, keys []SortKey, count, offset int64) Node {
	if keys != nil {
		n = &Sort{Input: n, Keys: keys}
	}
	return &Limit{Input: n, Count: count, Offset: offset}
}

// keysBelow gives sort keys over the input of a projection; false when they are not columns that it passes on.
func keysBelow(keys []SortKey, p *Project) ([]SortKey, bool) {
	for _, k := range keys {
		if k.Expr.Op != expr.Column || p.Exprs[mustColumn(p.Output, k.Expr.Column)].Op != expr.Column {
			return nil, false
		}
	}
	for _, e := range p.Exprs {
		if e.IsVolatile() {
			return nil, false
		}
	}
	return replaceKeys(keys, func(id ColumnID) *expr.Expr { return p.Exprs[mustColumn(p.Output, id)] }), true
}

func sameKeys(a, b []SortKey) bool {
	return slices.EqualFunc(a, b, func(x, y SortKey) bool {
		return x.Descending == y.Descending && x.NullsFirst == y.NullsFirst && x.Expr.Equal(y.Expr)
	})
}

// replaceKeys gives sort keys with other expressions in the place of columns.
func replaceKeys(keys []SortKey, replacement func(ColumnID) *expr.Expr) []SortKey {
	if keys == nil {
		return nil
	}
	out := make([]SortKey, len(keys))
	for i, k := range keys {
		k.Expr = replaceColumns([]*expr.Expr{k.Expr}, replacement)[0]
		out[i] = k
	}
	return out
}
