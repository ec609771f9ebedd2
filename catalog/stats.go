package catalog

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Confidence says how far a figure can be trusted.
type Confidence uint8

const (
	// Unknown figures carry no information.
	Unknown Confidence = iota
	// Estimated figures may be off in both directions: good for cost, never for correctness.
	Estimated
	// Exact figures hold for the version of the table that a statement reads. Min and Max are bounds: nothing lies outside them.
	Exact
)

// Statistics is what a table knows about itself.
type Statistics struct {
	Rows           int64
	RowsConfidence Confidence
	Source         string             // where the figures are from, for EXPLAIN: "parquet footer", "sample"
	Columns        []ColumnStatistics // one per column of the schema, or none
}

// ColumnStatistics is what is known about one column.
type ColumnStatistics struct {
	// Min and Max bound the values that are not null: Constant vectors of the column's type, or nil when unknown or when there are none.
	Min, Max           *types.Vector
	BoundsConfidence   Confidence
	Nulls              int64
	NullsConfidence    Confidence
	Distinct           int64
	DistinctConfidence Confidence
}

// Bounds is what is known about the column of some rows (a row group, a page, a segment) when a condition is tested against them.
type Bounds struct {
	Min, Max *types.Vector // Constant vectors bounding the values that are not null; nil when unknown
	Rows     int64
	Nulls    int64 // -1 when unknown
	// Absent, if not nil, reports that no row has a value, row 0 of a vector of the column's type, for sure: a bloom filter.
	Absent func(value *types.Vector) bool
}

// MayMatch reports whether a condition can be true for a row whose columns lie within bounds(column). It errs towards yes; conditions
// of a form that it does not know may match. Used to skip row groups and pages.
func MayMatch(condition *expr.Expr, bounds func(column int) (Bounds, bool)) bool {
	switch condition.Op {
	case expr.And:
		for _, a := range condition.Args {
			if !MayMatch(a, bounds) {
				return false
			}
		}
		return true
	case expr.Or:
		for _, a := range condition.Args {
			if MayMatch(a, bounds) {
				return true
			}
		}
		return false
	case expr.Constant:
		return condition.IsTrue() || condition.Type.Kind() != types.KindBoolean
	case expr.Call:
		return callMayMatch(condition, bounds)
	}
	return true
}

func callMayMatch(c *expr.Expr, bounds func(column int) (Bounds, bool)) bool {
	name := c.Function.Name
	if name == "not" && c.Args[0].Op == expr.Call && c.Args[0].Function.Name == "in" {
		return notInMayMatch(c.Args[0], bounds)
	}
	if len(c.Args) == 1 && c.Args[0].Op == expr.Column {
		b, ok := bounds(c.Args[0].Column)
		switch {
		case !ok || b.Nulls < 0:
			return true
		case name == "is_null":
			return b.Nulls > 0
		case name == "is_not_null":
			return b.Nulls < b.Rows
		}
		return true
	}
	if len(c.Args) != 2 {
		return true
	}
	column, constant := c.Args[0], c.Args[1]
	if name == "in" {
		return inMayMatch(column, constant, bounds)
	}
	if column.Op == expr.Constant {
		column, constant = constant, column
		name = mirrored[name]
	}
	if column.Op != expr.Column || constant.Op != expr.Constant || !column.Type.Equal(constant.Type) {
		return true
	}
	if _, known := mirrored[name]; !known {
		return true
	}
	if constant.IsNullConstant() {
		return false // a comparison with NULL is never true
	}
	b, ok := bounds(column.Column)
	if !ok {
		return true
	}
	if b.Nulls >= 0 && b.Rows > 0 && b.Nulls == b.Rows {
		return false
	}
	if b.Min == nil || b.Max == nil {
		return name != "eq" || b.Absent == nil || !b.Absent(constant.Value)
	}
	low, okLow := compareConstants(constant.Value, b.Min)
	high, okHigh := compareConstants(constant.Value, b.Max)
	if !okLow || !okHigh {
		return true
	}
	switch name {
	case "eq":
		return low >= 0 && high <= 0 && (b.Absent == nil || !b.Absent(constant.Value))
	case "ne":
		return low != 0 || high != 0
	case "lt": // column < constant: the smallest must be below
		return low > 0
	case "le":
		return low >= 0
	case "gt":
		return high < 0
	case "ge":
		return high <= 0
	}
	return true
}

// inMayMatch is MayMatch for column IN (constants).
func inMayMatch(column, list *expr.Expr, bounds func(column int) (Bounds, bool)) bool {
	values, _, ok := listValues(column, list)
	if !ok {
		return true
	}
	b, known := bounds(column.Column)
	switch {
	case values.Len() == 0:
		return false
	case !known:
		return true
	case b.Nulls >= 0 && b.Rows > 0 && b.Nulls == b.Rows:
		return false
	case b.Min == nil || b.Max == nil:
		return b.Absent == nil || anyPresent(values, b)
	case b.Absent != nil && !anyPresent(values, b):
		return false
	}
	return anyWithin(values, b)
}

// anyPresent reports whether one of the values is not surely absent.
func anyPresent(values *types.Vector, b Bounds) bool {
	for i := range values.Len() {
		if !b.Absent(values.Slice(nil, i, i+1)) {
			return true
		}
	}
	return false
}

// notInMayMatch is MayMatch for NOT column IN (constants), of which membership is the inner call.
func notInMayMatch(membership *expr.Expr, bounds func(column int) (Bounds, bool)) bool {
	column := membership.Args[0]
	values, null, ok := listValues(column, membership.Args[1])
	if !ok {
		return true
	}
	if null {
		return false // beside a NULL in the list no value is surely not in it
	}
	b, known := bounds(column.Column)
	switch {
	case !known || values.Len() == 0:
		return true
	case b.Nulls >= 0 && b.Rows > 0 && b.Nulls == b.Rows:
		return false
	case b.Min == nil || b.Max == nil:
		return true
	}
	same, comparable := holds(kernels.Equal, b.Min, b.Max)
	return !comparable || !same || !anyWithin(values, b)
}

// listValues gives the values of a constant list that are not null, and whether one is. It reports false when the operand is not a column of
// their type, or the list no constant.
func listValues(column, list *expr.Expr) (values *types.Vector, null, ok bool) {
	if column.Op != expr.Column || list.Op != expr.Constant || list.Type.Kind() != types.KindList || list.IsNullConstant() ||
		!list.Type.Elem().Type.Equal(column.Type) {
		return nil, false, false
	}
	entry := types.ValuesOf[types.ListEntry](list.Value)[0]
	all := list.Value.Children()[0].Slice(nil, int(entry.Offset), int(entry.Offset+entry.Length))
	valid := types.LogicalValidity(nil, all)
	kept := valid.Count(all.Len())
	return kernels.Filter(nil, all, valid, kept), kept < all.Len(), true
}

// anyWithin reports whether a value may lie within bounds.
func anyWithin(values *types.Vector, b Bounds) bool {
	env := &kernels.Env{Rows: values.Len()}
	above, err := kernels.Compare(env, kernels.GreaterEqual, values, types.NewConstant(b.Min, values.Len()))
	if err != nil {
		return true
	}
	below, err := kernels.Compare(env, kernels.LessEqual, values, types.NewConstant(b.Max, values.Len()))
	if err != nil {
		return true
	}
	within := types.AndBitmaps(nil, kernels.TrueRows(env, above), kernels.TrueRows(env, below), values.Len())
	return within.NextSet(0, values.Len()) < values.Len()
}

// mirrored gives each comparison with its sides swapped.
var mirrored = map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}

// compareConstants orders the first values of two vectors of one type that are not null; false when the type has no order.
func compareConstants(a, b *types.Vector) (int, bool) {
	if equal, ok := holds(kernels.Equal, a, b); !ok || equal {
		return 0, ok
	}
	less, ok := holds(kernels.Less, a, b)
	if less {
		return -1, ok
	}
	return 1, ok
}

// Less reports whether the first value of a vector is less than that of another of the same type. False when one is null or the type has no order.
func Less(a, b *types.Vector) bool {
	less, ok := holds(kernels.Less, a, b)
	return ok && less
}

func holds(op kernels.CompareOp, a, b *types.Vector) (truth, ok bool) {
	env := &kernels.Env{Rows: 1}
	v, err := kernels.Compare(env, op, types.NewConstant(a, 1), types.NewConstant(b, 1))
	if err != nil {
		return false, false
	}
	v = kernels.Decode(env, v)
	return v.Bools().Get(0), v.Validity().Has(0)
}
