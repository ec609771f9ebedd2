package exec

import (
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// publication is a dynamic filter that a join's finished table gives to the scans below its probe side, which are opened after it.
type publication struct {
	filter int // number in the plan
	key    int // of the join
}

// publishFilters tells scans what the keys of the table are.
func (j *join) publishFilters(t *joinTable) {
	for _, p := range j.publish {
		k := j.keys[p.key]
		if k.nullSafe {
			continue // NULL may match, and a dynamic filter never passes it
		}
		state := &catalog.DynamicState{Empty: t.rows == 0}
		if typ := k.probe.Type; !state.Empty && p.key < len(t.bounds) {
			b := t.bounds[p.key]
			state.Empty = b.low > b.high
			state.Min, state.Max = wordConstant(typ, b.low), wordConstant(typ, b.high)
		}
		if len(j.keys) == 1 {
			state.Contains = t.contains()
		}
		j.query.filters[p.filter].Store(state)
	}
}

// wordConstant gives the value of a word as a constant; nil for types whose order is not that of signed words.
func wordConstant(typ types.Type, word int64) *types.Vector {
	var v *types.Vector
	switch typ.Storage() {
	case types.StorageInt8:
		v = types.NewFixed(typ, []int8{int8(word)}, nil)
	case types.StorageInt16:
		v = types.NewFixed(typ, []int16{int16(word)}, nil)
	case types.StorageInt32:
		v = types.NewFixed(typ, []int32{int32(word)}, nil)
	case types.StorageInt64:
		v = types.NewFixed(typ, []int64{word}, nil)
	case types.StorageUint8:
		v = types.NewFixed(typ, []uint8{uint8(word)}, nil)
	case types.StorageUint16:
		v = types.NewFixed(typ, []uint16{uint16(word)}, nil)
	case types.StorageUint32:
		v = types.NewFixed(typ, []uint32{uint32(word)}, nil)
	default:
		return nil
	}
	return types.NewConstant(v, 1)
}

// Bounds of the use of a table as a filter.
const (
	// containsRows is the number of build rows up to which scans look keys up: the index fits the caches.
	containsRows = 1 << 16
	// containsTrial is the number of rows after which a filter is given up that has kept more than three of four.
	containsTrial = 1 << 15
)

// contains gives the filter that looks keys up in the index; nil for a large one.
func (t *joinTable) contains() func(*types.Pool, *types.Vector, types.Bitmap) {
	if t.rows > containsRows {
		return nil
	}
	index := t.index
	var seen, kept atomic.Int64
	return func(pool *types.Pool, column *types.Vector, rows types.Bitmap) {
		n := column.Len()
		if all := seen.Load(); all > containsTrial && 4*kept.Load() > 3*all {
			return
		}
		before := rows.Count(n)
		heads := types.Alloc[uint32](pool, n)
		env := &kernels.Env{Pool: pool}
		index.find(env, []*types.Vector{keyValues(pool, kernels.Decode(env, column))}, n, rows, heads)
		copy(rows, matchBits(pool, heads))
		seen.Add(int64(before))
		kept.Add(int64(rows.Count(n)))
	}
}
