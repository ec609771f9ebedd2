package plan

import (
	"math"
	"sort"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Shares of rows that pass a condition when nothing is known: guesses, in the spirit of Selinger et al., "Access Path Selection in a Relational Database
// Management System" (1979).
const (
	unknownRange   = 0.2
	unknownOther   = 1.0 / 3
	unknownPattern = 0.1 // LIKE with a wildcard
	unknownBoolean = 0.5
	betweenColumns = 0.5 // a < b of one row: either way round
	// textEqual is the least share for an equality with a text column whose values nobody has counted: who compares with a written text seldom
	// means a single row.
	textEqual = 0.02
)

// filter keeps the rows on which all conditions are true, and narrows the columns accordingly. Conditions on one column narrow it one after another;
// conditions on different columns are often correlated, so that the weaker ones count less: the most selective fully, then the square
// root, the fourth root ... ("exponential backoff").
func (e *estimate) filter(conditions []*expr.Expr) {
	if e.rows <= 0 || len(conditions) == 0 {
		return
	}
	shares := map[ColumnID]float64{}
	var all []float64
	for _, c := range conditions {
		share := e.condition(c)
		if id, single := singleColumn(c); single {
			if before, ok := shares[id]; ok {
				share *= before
			}
			shares[id] = share
			continue
		}
		all = append(all, share)
	}
	for _, s := range shares {
		all = append(all, s)
	}
	sort.Float64s(all)
	share, exponent := 1.0, 1.0
	for _, s := range all {
		share *= math.Pow(s, exponent)
		exponent /= 2
	}
	if share <= 0 {
		e.rows = 0
		return
	}
	e.reduce(max(e.rows*share, min(e.rows, 1)))
}

// singleColumn gives the only column that an expression reads.
func singleColumn(x *expr.Expr) (ColumnID, bool) {
	found, single := ColumnID(-1), true
	x.Columns(func(id ColumnID) {
		single = single && (found < 0 || found == id)
		found = id
	})
	return found, single && found >= 0
}

// condition gives the share of rows on which a condition is true, and narrows the columns to what they are there.
func (e *estimate) condition(c *expr.Expr) float64 {
	switch c.Op {
	case expr.And:
		share := 1.0
		for _, a := range c.Args {
			share *= e.condition(a)
		}
		return share
	case expr.Or:
		return e.disjunction(c)
	case expr.Constant:
		if c.IsTrue() {
			return 1
		}
		return 0
	case expr.Column:
		return unknownBoolean
	case expr.Call:
		return e.call(c)
	}
	return unknownOther
}

func (e *estimate) disjunction(c *expr.Expr) float64 {
	id, single := singleColumn(c)
	none, sum := 1.0, 0.0
	for _, a := range c.Args {
		arm := e.copy()
		share := arm.condition(a)
		none, sum = none*(1-share), sum+share
	}
	if !single {
		return 1 - none
	}
	// Alternatives for one column exclude each other, mostly: x IN (1, 2, 3).
	share := min(1, sum)
	e.narrow(id, share)
	return share
}

// narrow keeps a share of a column's values.
func (e *estimate) narrow(id ColumnID, share float64) {
	column := e.column(id)
	column.distinct, column.domain = max(1, column.distinct*share), max(1, column.domain*share)
	column.nulls = 0
	e.columns[id] = column
}

func (e *estimate) call(c *expr.Expr) float64 {
	name := c.Function.Name
	switch name {
	case "not":
		return max(0, 1-e.copy().condition(c.Args[0]))
	case "is_null", "is_not_null":
		nulls := e.expression(c.Args[0]).nulls
		if name == "is_null" {
			return nulls
		}
		if c.Args[0].Op == expr.Column {
			column := e.column(c.Args[0].Column)
			column.nulls = 0
			e.columns[c.Args[0].Column] = column
		}
		return 1 - nulls
	case "like", "ilike", "regexp_matches", "contains", "starts_with", "ends_with", "glob":
		return unknownPattern
	}
	if len(c.Args) != 2 {
		return unknownOther
	}
	if name == "in" {
		return e.inList(c.Args[0], c.Args[1])
	}
	a, b := c.Args[0], c.Args[1]
	if constantInput(a) {
		a, b, name = b, a, mirrored(name)
	}
	switch name {
	case "eq", "is_not_distinct":
		if !constantInput(b) {
			return e.equalExpressions(a, b)
		}
		return e.equalConstant(a, b)
	case "ne", "is_distinct":
		if !constantInput(b) {
			return max(0, 1-e.copy().equalExpressions(a, b))
		}
		return max(0, 1-e.expression(a).nulls-e.copy().equalConstant(a, b))
	case "lt", "le", "gt", "ge":
		if !constantInput(b) {
			return betweenColumns
		}
		return e.comparedWithConstant(a, name, b)
	}
	return unknownOther
}

// mirrored gives a comparison with its sides swapped; other functions as they are.
func mirrored(name string) string {
	switch name {
	case "lt":
		return "gt"
	case "le":
		return "ge"
	case "gt":
		return "lt"
	case "ge":
		return "le"
	}
	return name
}

// positionOf gives the position of a constant; false for NULL and for what is not known before execution.
func positionOf(x *expr.Expr) (float64, bool) {
	if x.Op == expr.Cast && constantInput(x) && keepsPosition(x.Args[0].Type, x.Type) {
		return positionOf(x.Args[0])
	}
	if x.Op != expr.Constant || x.IsNullConstant() {
		return 0, false
	}
	return position(x.Value)
}

// valueColumn gives the column that an expression is, perhaps under casts that keep positions.
func valueColumn(x *expr.Expr) (ColumnID, bool) {
	for x.Op == expr.Cast && keepsPosition(x.Args[0].Type, x.Type) {
		x = x.Args[0]
	}
	return x.Column, x.Op == expr.Column
}

func (e *estimate) equalConstant(x, constant *expr.Expr) float64 {
	if constant.IsNullConstant() {
		return 0
	}
	share := e.equalShare(x)
	p, ok := positionOf(constant)
	if c := e.expression(x); ok && c.bounded && (p < c.low || p > c.high) {
		share = 1 / max(1, e.rows)
	}
	if id, bare := valueColumn(x); bare {
		e.columns[id] = columnEstimate{distinct: 1, domain: 1, low: p, high: p, bounded: ok}
	}
	return share
}

// inList is the share of rows on which an expression is among the elements of a list.
func (e *estimate) inList(x, list *expr.Expr) float64 {
	elements := float64(expansion)
	if list.Op == expr.Constant && !list.IsNullConstant() {
		elements = float64(types.ValuesOf[types.ListEntry](list.Value)[0].Length)
	}
	share := min(1, elements*e.equalShare(x))
	if id, bare := valueColumn(x); bare {
		e.narrow(id, share)
	}
	return share
}

// equalShare is the share of rows on which an expression has one value.
func (e *estimate) equalShare(x *expr.Expr) float64 {
	c := e.expression(x)
	share := (1 - c.nulls) / c.distinct
	if c.guessed && x.Type.Kind() == types.KindVarchar {
		share = max(share, textEqual)
	}
	return share
}

// equalExpressions is the share of rows in which two expressions are equal.
func (e *estimate) equalExpressions(a, b *expr.Expr) float64 {
	l, r := e.expression(a), e.expression(b)
	return (1 - l.nulls) * (1 - r.nulls) / max(l.distinct, r.distinct)
}

func (e *estimate) comparedWithConstant(x *expr.Expr, name string, constant *expr.Expr) float64 {
	c := e.expression(x)
	p, ok := positionOf(constant)
	share := unknownRange
	if ok && c.bounded {
		switch width := c.high - c.low; name {
		case "lt", "le":
			share = inside(p-c.low, width)
			c.high = min(c.high, max(p, c.low))
		case "gt", "ge":
			share = inside(c.high-p, width)
			c.low = max(c.low, min(p, c.high))
		}
	}
	share *= 1 - c.nulls
	if id, bare := valueColumn(x); bare {
		c.distinct, c.domain, c.nulls = max(1, c.distinct*share), max(1, c.domain*share), 0
		e.columns[id] = c
	}
	return share
}

// inside gives the share of a range that a part of it covers.
func inside(part, whole float64) float64 {
	switch {
	case part <= 0:
		return 0
	case part >= whole:
		return 1
	}
	return part / whole
}
