package mem

import (
	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/agg"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// segment is rows of a store: one vector a column, whose memory is the segment's alone. Never changed.
type segment struct {
	columns []*types.Vector
	rows    int
	bounds  []catalog.Bounds // by column
	size    int64            // bytes reserved
	users   atomic.Int64     // versions that have it, and the writer that has made it
}

// newSegment copies rows. The segment has one user, and its size is not reserved yet.
func newSegment(columns []*types.Vector, rows int) *segment {
	s := &segment{rows: rows, columns: make([]*types.Vector, len(columns)), bounds: make([]catalog.Bounds, len(columns))}
	for i, c := range columns {
		v := kernels.Own(c)
		s.columns[i], s.bounds[i] = v, boundsOf(v)
		s.size += int64(v.MemorySize())
	}
	s.users.Store(1)
	return s
}

// release ends one use; with the last one the memory is given back.
func (s *segment) release(memory catalog.Memory) {
	if s.users.Add(-1) == 0 {
		_ = memory.Grow(-s.size) // giving back does not fail
	}
}

// extremes are the aggregates that find bounds.
var extremes = sync.OnceValue(func() (families [2]*expr.Family) {
	set := expr.NewSet()
	agg.Register(set)
	return [2]*expr.Family{set.Lookup("min"), set.Lookup("max")}
})

// boundsOf gives nulls, and smallest and greatest value of a column whose type has a total order that conditions ask for.
func boundsOf(v *types.Vector) catalog.Bounds {
	b := catalog.Bounds{Rows: int64(v.Len()), Nulls: int64(types.NullCount(nil, v))}
	switch k := v.Type().Kind(); {
	case v.Len() == 0 || b.Nulls == b.Rows:
		return b
	case v.Type().IsNumeric(), k == types.KindVarchar, k == types.KindBlob, k == types.KindUUID, k == types.KindBoolean,
		k == types.KindDate, k == types.KindTime, k == types.KindTimestamp, k == types.KindTimestampTZ:
	default:
		return b
	}
	// What an encoding has besides what its rows show may widen the bounds, no more.
	switch v.Encoding() {
	case types.Dictionary:
		v = v.Entries()
	case types.RunEnd:
		v = v.RunValues()
	}
	var found [2]*types.Vector
	for i, family := range extremes() {
		bound, err := extreme(family, v)
		if err != nil || bound == nil {
			return b
		}
		found[i] = bound
	}
	b.Min, b.Max = found[0], found[1]
	return b
}

// extreme gives min or max of a vector as a constant, nil when there is none.
func extreme(family *expr.Family, v *types.Vector) (*types.Vector, error) {
	a, err := family.BindAggregate([]expr.Arg{{Type: v.Type()}})
	if a == nil || err != nil {
		return nil, err
	}
	state, env := a.New(), &kernels.Env{}
	if err := state.Resize(1); err != nil {
		return nil, err
	}
	if err := state.Update(env, nil, []*types.Vector{kernels.Decode(env, v)}, v.Len()); err != nil {
		return nil, err
	}
	result, err := state.Finish(env, 0, 1)
	if err != nil || result.MayHaveNulls() {
		return nil, err
	}
	return types.NewConstant(kernels.Decode(env, result), 1), nil
}

// mergeStatistics gives the statistics of a column of several segments.
func mergeStatistics(parts []part, column int) catalog.ColumnStatistics {
	s := catalog.ColumnStatistics{BoundsConfidence: catalog.Exact, NullsConfidence: catalog.Exact}
	for _, p := range parts {
		b := p.bounds[column]
		s.Nulls += b.Nulls
		if p.deleted != nil && b.Nulls > 0 {
			s.NullsConfidence = catalog.Estimated
		}
		switch {
		case b.Nulls == b.Rows:
		case b.Min == nil:
			s.BoundsConfidence = catalog.Unknown
		default:
			if s.Min == nil || catalog.Less(b.Min, s.Min) {
				s.Min = b.Min
			}
			if s.Max == nil || catalog.Less(s.Max, b.Max) {
				s.Max = b.Max
			}
		}
	}
	if s.BoundsConfidence == catalog.Unknown {
		s.Min, s.Max = nil, nil
	}
	return s
}
