package expr

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Aggregate is an aggregate function bound to argument types. Immutable.
type Aggregate struct {
	Name     string
	Args     []types.Type // of the arguments as the accumulator takes them; the binder casts to them
	Result   types.Type
	Nullable bool // may a group's result be null (COUNT: no)
	// State are the types of the columns that hold an unfinished group: what Accumulator.State gives and Merge takes. Partial
	// aggregation, spilling and sending to another engine all use this form.
	State []types.Type
	// New makes an accumulator with no groups.
	New func() Accumulator
	// Parameters are constants beside the arguments that the function was bound with: calls with other ones are other functions.
	Parameters []*types.Vector
	// OrderSensitive says that the result depends on the order of the rows (list, string_agg, first).
	OrderSensitive bool
	// Additive says that the state columns, integers of 64, 128 or 256 bits, of rows together are the sums of those of the rows (count, exact sums). Then the
	// state of a part of the rows is a difference.
	Additive bool
	// Collects says that the states hold all values, so that they grow with the rows.
	Collects bool
	// DistinctAgnostic says that the result is the same with and without DISTINCT (min, max).
	DistinctAgnostic bool
}

// Same reports whether two aggregates compute the same of the same arguments.
func (a *Aggregate) Same(o *Aggregate) bool {
	return a.Name == o.Name && a.Result.Equal(o.Result) &&
		slices.EqualFunc(a.Parameters, o.Parameters, func(v, w *types.Vector) bool { return NewConstant(v).Equal(NewConstant(w)) })
}

// Accumulator holds the states of one aggregate for many groups, numbered densely from 0:
//
//	rows of a batch          groups            states
//	value  group             Update:           group 0 | 1 | 2
//	  7      0        ->     state[group]  ->    12  | 4 | -
//	  4      1               += value
//	  5      0
//
// Groups that no row has reached are empty: their result is what SQL says of no rows (0 for COUNT, NULL for SUM). An accumulator
// belongs to one worker at a time and keeps no argument. Its states hold no Go pointers, as far as the aggregate allows.
type Accumulator interface {
	// Resize makes room for groups 0 to n-1; new ones are empty. It never shrinks.
	Resize(n int) error
	// Size gives about how many bytes the states hold, in constant time. It grows by Resize, Update and Merge, as far as the aggregate keeps values.
	Size() int64
	// Update adds the rows of a batch. groups has the group of each row, or is nil when all belong to group 0. Only rows of
	// env.Active are added; the group of the others is not looked at. rows is the batch's length (COUNT(*) has no arguments).
	Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error
	// Merge adds unfinished groups: row i of the state columns to group groups[i] (nil: all to group 0).
	Merge(env *kernels.Env, groups []uint32, state []*types.Vector) error
	// State gives the unfinished groups from to to (half open) as columns of the types Aggregate.State, owned by the caller.
	State(env *kernels.Env, from, to int) ([]*types.Vector, error)
	// Finish gives the results of groups from to to, owned by the caller.
	Finish(env *kernels.Env, from, to int) (*types.Vector, error)
}
