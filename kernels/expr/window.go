package expr

import "github.com/lacunadb/lacuna/types"

// WindowKind is one of the functions that only windows have. Every aggregate is a window function too and needs none.
type WindowKind uint8

const (
	// RowNumber, Rank, DenseRank, PercentRank, CumeDist and Ntile rank a row in its partition by the window's order; they do not look at the frame.
	RowNumber WindowKind = iota
	Rank
	DenseRank
	PercentRank
	CumeDist
	// Ntile has the number of buckets as its argument, a BIGINT: NULL gives NULL, less than 1 is an error.
	Ntile
	// Lag and Lead give the value of another row of the partition: arguments value, offset in rows (BIGINT, may be negative, NULL gives
	// NULL) and the value where there is no such row. All three are always there.
	Lag
	Lead
	// FirstValue, LastValue and NthValue give the value of a row of the frame, NULL where the frame has no such row. NthValue has the
	// row's number, counted from 1, as its second argument, a BIGINT: NULL gives NULL, less than 1 is an error.
	FirstValue
	LastValue
	NthValue
)

// WindowFunction is a function that only windows have, bound to argument types. Plain data: execution knows the kinds. Immutable.
type WindowFunction struct {
	Name     string
	Kind     WindowKind
	Args     []types.Type // of the arguments as execution takes them; the binder casts to them and adds missing ones of Defaults
	Defaults []*Expr      // constants for trailing arguments that may be left out, of the types of the last Args
	Result   types.Type
	Nullable bool // may a result be null though no argument is
}

// UsesFrame reports whether the function looks at the frame of a row.
func (f *WindowFunction) UsesFrame() bool {
	return f.Kind == FirstValue || f.Kind == LastValue || f.Kind == NthValue
}

// TakesNullTreatment reports whether IGNORE NULLS may be written after the function.
func (f *WindowFunction) TakesNullTreatment() bool {
	return f.UsesFrame() || f.Kind == Lag || f.Kind == Lead
}
