package plan

import (
	"math"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// keyLike is the share of distinct values from which a column whose values nobody has counted may be a key: one value per row.
const keyLike = 0.9

// joinEdge is an equality between two inputs: what is known of its sides.
type joinEdge struct{ left, right columnEstimate }

// sameOrigin reports that both sides come from one shared result, so that the one shows the same values as the other, up to what was filtered.
func (e joinEdge) sameOrigin() bool { return e.left.origin != 0 && e.left.origin == e.right.origin }

// edgeDomains gives how many values the sides of an equality draw from. The number of an uncounted column is only a bound, and one with a value per row
// may be a key as well as refer to one: a foreign key with more rows than its partner has keys draws from those. The side with fewer rows is taken for
// the one with the key: a date dimension has a value per row too, of which the many rows of a fact table show a few.
func edgeDomains(e joinEdge, left, right *estimate) (l, r float64) {
	if e.sameOrigin() {
		return e.left.distinct, e.right.distinct
	}
	l, r = e.left.domain, e.right.domain
	leftKey, rightKey := l >= keyLike*left.base, r >= keyLike*right.base
	switch {
	case e.left.guessed && leftKey && r < l && (rightKey || !e.right.guessed && right.base <= left.base):
		l = r
	case e.right.guessed && rightKey && l < r && (leftKey || !e.left.guessed && left.base <= right.base):
		r = l
	}
	return l, r
}

// combinations gives the number that the product of two inputs' rows is divided by to get their matching pairs: the larger domain, since the values of
// one side are taken to be among those of the other. Of several equalities the domains multiply, but a side has no more combinations
// of keys than rows before filters: then they are a composite key of the one side and refer to it on the other.
func combinations(edges []joinEdge, left, right *estimate) float64 {
	l, r := 1.0, 1.0
	mostLeft, mostRight := left.base, right.base
	for _, e := range edges {
		dl, dr := edgeDomains(e, left, right)
		l, r = l*dl, r*dr
		if e.sameOrigin() {
			mostLeft, mostRight = min(mostLeft, left.rows), min(mostRight, right.rows)
		}
	}
	if len(edges) > 1 && l > mostLeft && r > mostRight {
		return max(1, min(mostLeft, mostRight))
	}
	return max(1, min(l, mostLeft), min(r, mostRight))
}

// innerRows estimates the number of pairs of rows that agree in all edges, with the rows that there are and with those before filters.
func innerRows(edges []joinEdge, left, right *estimate) (rows, base float64) {
	divisor := combinations(edges, left, right)
	rows, base = left.rows*right.rows/divisor, max(1, left.base*right.base/divisor)
	for _, e := range edges {
		rows *= (1 - e.left.nulls) * (1 - e.right.nulls)
	}
	return rows, base
}

// innerEstimate estimates the pairs of rows that agree in all edges.
func innerEstimate(edges []joinEdge, left, right *estimate) *estimate {
	est := &estimate{known: left.known && right.known, columns: map[ColumnID]columnEstimate{}}
	est.rows, est.base = innerRows(edges, left, right)
	for _, side := range []*estimate{left, right} {
		share := 1.0
		if side.rows > 0 {
			share = min(1, est.rows/side.rows)
		}
		for id, c := range side.columns {
			c.distinct = remaining(c.distinct, side.rows, share)
			est.columns[id] = c
		}
	}
	return est
}

// joinEdges splits conditions into the equalities between two sides and the others.
func joinEdges(conditions []*expr.Expr, l, r columnSet, left, right *estimate) (edges []joinEdge, equal [][2]*expr.Expr, others []*expr.Expr) {
	for _, c := range conditions {
		a, b, ok := equalitySides(c, l, r)
		if !ok {
			others = append(others, c)
			continue
		}
		edges = append(edges, joinEdge{left.expression(a), right.expression(b)})
		equal = append(equal, [2]*expr.Expr{a, b})
	}
	return edges, equal, others
}

// unify narrows the columns that an equality has made equal to the values that both have.
func (e *estimate) unify(a, b *expr.Expr) {
	x, okX := valueColumn(a)
	y, okY := valueColumn(b)
	if !okX || !okY {
		return
	}
	c, d := e.column(x), e.column(y)
	c.distinct, c.domain = min(c.distinct, d.distinct), min(c.domain, d.domain)
	c.guessed, c.nulls = c.guessed && d.guessed, 0
	if c.origin == 0 {
		c.origin = d.origin
	}
	switch {
	case c.bounded && d.bounded && max(c.low, d.low) <= min(c.high, d.high):
		c.low, c.high = max(c.low, d.low), min(c.high, d.high)
	case d.bounded:
		c.low, c.high, c.bounded = d.low, d.high, true
	}
	e.columns[x], e.columns[y] = c, c
}

// joinEstimate estimates a join from its sides; l and r are their columns.
func joinEstimate(n *Join, l, r columnSet, left, right *estimate) *estimate {
	edges, equal, others := joinEdges(n.Conditions, l, r, left, right)
	inner := innerEstimate(edges, left, right)
	for _, pair := range equal {
		inner.unify(pair[0], pair[1])
	}
	inner.filter(others)
	if n.Kind == InnerJoin {
		return inner
	}
	switch n.Kind {
	case SemiJoin, AntiJoin:
		share := matchShare(edges, inner, left, right)
		if n.Kind == AntiJoin {
			share = 1 - share
		}
		est := left.copy()
		est.reduce(left.rows * share)
		return est
	case MarkJoin:
		est := left.copy()
		est.columns[n.Mark.Output.ID] = columnEstimate{distinct: 2, domain: 2}
		return est
	}
	est := inner.copy()
	matchedLeft, matchedRight := matchShare(edges, inner, left, right), matchShare(mirroredEdges(edges), inner, right, left)
	switch n.Kind {
	case SingleJoin:
		est.rows = left.rows
	case LeftJoin:
		est.rows = max(left.rows, inner.rows+left.rows*(1-matchedLeft))
	case RightJoin:
		est.rows = max(right.rows, inner.rows+right.rows*(1-matchedRight))
	case FullJoin:
		est.rows = inner.rows + left.rows*(1-matchedLeft) + right.rows*(1-matchedRight)
	}
	keepSide := func(side *estimate) {
		for id, c := range side.columns {
			est.columns[id] = c
		}
		est.base = max(est.base, side.base)
	}
	if n.Kind != RightJoin {
		keepSide(left)
	} else {
		est.fillNulls(left, 1-matchedRight)
	}
	if n.Kind == RightJoin || n.Kind == FullJoin {
		keepSide(right)
	} else {
		est.fillNulls(right, 1-matchedLeft)
	}
	return est
}

// fillNulls notes that a share of the rows has NULL in the columns of one side.
func (e *estimate) fillNulls(side *estimate, share float64) {
	for id := range side.columns {
		c := e.columns[id]
		c.nulls = 1 - (1-c.nulls)*(1-share)
		e.columns[id] = c
	}
}

func mirroredEdges(edges []joinEdge) []joinEdge {
	out := make([]joinEdge, len(edges))
	for i, e := range edges {
		out[i] = joinEdge{e.right, e.left}
	}
	return out
}

// Bounds of the estimated share of rows with a match: what is left out by a semi or anti join is seldom everything.
const (
	leastMatches = 0.01
	mostMatches  = 0.95
)

// matchShare estimates the share of the left rows that have a match: their values are drawn from a domain of which the right side shows so many.
func matchShare(edges []joinEdge, inner, left, right *estimate) float64 {
	share := 1.0
	if len(edges) > 0 {
		values := 1.0
		for _, e := range edges {
			dl, dr := edgeDomains(e, left, right)
			values *= min(e.right.distinct, max(dl, dr))
		}
		share = min(1, min(values, right.rows)/combinations(edges, left, right))
	}
	// Conditions beside the equalities thin the matches out.
	if left.rows > 0 {
		share = min(share, 1-math.Exp(-2*inner.rows/left.rows))
	}
	return min(max(share, leastMatches), mostMatches)
}
