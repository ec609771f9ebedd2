package agg

import (
	"math/bits"
	"unsafe"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

func poolOf(env *kernels.Env) *types.Pool {
	if env == nil {
		return nil
	}
	return env.Pool
}

func activeOf(env *kernels.Env) types.Bitmap {
	if env == nil {
		return nil
	}
	return env.Active
}

// state is what the accumulators of one argument have beside Resize and their results: the loops over plain values.
type state interface {
	// add adds the rows of a plain vector that count (nil = all) to their groups; to group 0 when groups is nil.
	add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error
	// addWeighted adds value i of a plain vector weights[i] times to group 0. A weight of zero says that the value, which may be
	// null, is not to be looked at.
	addWeighted(env *kernels.Env, v *types.Vector, weights []int64) error
}

// runState is a state that takes runs as they are. The others get a weight for each value.
type runState interface {
	// addRuns adds value r of a plain vector for the rows from ends[r-1] to ends[r] to group 0, where it is valid (nil = everywhere).
	addRuns(env *kernels.Env, v *types.Vector, ends []int32, valid types.Bitmap) error
}

// update adds an argument in any encoding to a state.
func update(env *kernels.Env, s state, groups []uint32, v *types.Vector) error {
	if v.Len() == 0 {
		return nil
	}
	if groups == nil {
		if runs, ok := s.(runState); ok && v.Encoding() == types.RunEnd && activeOf(env) == nil {
			values := kernels.Decode(env, v.RunValues())
			return runs.addRuns(env, values, v.RunEnds(), types.LogicalValidity(poolOf(env), values))
		}
		if values, weights, ok := weigh(env, v); ok {
			return s.addWeighted(env, values, weights)
		}
	}
	if v.Encoding() == types.Constant && v.MayHaveNulls() {
		return nil
	}
	rows := types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), v), activeOf(env), v.Len())
	return s.add(env, groups, kernels.Decode(env, v), rows)
}

// weigh gives the distinct parts of an encoded vector, a constant's value, a dictionary's entries or the values of runs, as a
// plain vector, and for each the number of rows of env.Active that have it; 0 for nulls. It reports false for vectors that are
// better taken row by row.
func weigh(env *kernels.Env, v *types.Vector) (values *types.Vector, weights []int64, ok bool) {
	pool, active, n := poolOf(env), activeOf(env), v.Len()
	switch v.Encoding() {
	case types.Constant:
		values = v.First()
		weights = types.Alloc[int64](pool, 1)
		weights[0] = int64(active.Count(n))
	case types.Dictionary:
		entries := v.Entries()
		if entries.Len() > n/2 {
			return nil, nil, false
		}
		values = kernels.Decode(env, entries)
		weights = types.Alloc[int64](pool, values.Len())
		clear(weights)
		keys, rows := v.Keys(), types.AndBitmaps(pool, v.Validity(), active, n)
		withRows(env, keys, nil, rows, func(keys, _ []uint32) {
			for _, k := range keys {
				weights[k]++
			}
		})
	case types.RunEnd:
		values = kernels.Decode(env, v.RunValues())
		weights = types.Alloc[int64](pool, values.Len())
		start := 0
		for r, end := range v.RunEnds() {
			weights[r] = int64(countBits(active, start, int(end)))
			start = int(end)
		}
	default:
		return nil, nil, false
	}
	if valid := types.LogicalValidity(pool, values); valid != nil {
		for i := range weights {
			weights[i] &= -int64(valid[i>>6] >> (uint(i) & 63) & 1)
		}
	}
	return values, weights, true
}

// runLengths gives the rows of each run, 0 for runs that are not valid (nil = all are).
func runLengths(env *kernels.Env, ends []int32, valid types.Bitmap) []int64 {
	lengths := types.Alloc[int64](poolOf(env), len(ends))
	start := int32(0)
	for r, end := range ends {
		lengths[r] = int64(end - start)
		start = end
	}
	if valid != nil {
		for r := range lengths {
			lengths[r] &= -int64(valid[r>>6] >> (uint(r) & 63) & 1)
		}
	}
	return lengths
}

// countBits gives the number of set bits from to to (half open); a nil bitmap has every bit set.
func countBits(b types.Bitmap, from, to int) int {
	if b == nil {
		return to - from
	}
	count := 0
	for from < to {
		bit := uint(from) & 63
		n := min(64-int(bit), to-from)
		count += bits.OnesCount64(b[from>>6] >> bit << (64 - uint(n)))
		from += n
	}
	return count
}

// withRows calls f with the values of the rows that count (nil = all) and their groups (nil when groups is nil), side by side
// and in the order of the rows; f is not called for no rows. Packing costs less than a look at a bit for every row.
func withRows[T types.Fixed](env *kernels.Env, values []T, groups []uint32, rows types.Bitmap, f func(values []T, groups []uint32)) {
	if rows != nil {
		n := rows.Count(len(values))
		packed := types.Alloc[T](poolOf(env), n+packingRoom)
		values = packed[:asm.Filter(packed, values, rows)]
		if groups != nil {
			packed := types.Alloc[uint32](poolOf(env), n+packingRoom)
			groups = packed[:asm.Filter(packed, groups, rows)]
		}
	}
	if len(values) > 0 {
		f(values, groups)
	}
}

// packingRoom is the room behind the result with which asm.Filter is fastest.
const packingRoom = 64

// grow gives a slice of n elements that starts with those of s; the new ones are zero.
func grow[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	// Doubling, so that groups that come one batch at a time cost constant time each.
	bigger := make([]T, n, max(n, 2*cap(s)))
	copy(bigger, s)
	return bigger
}

// sizeOf gives the bytes that a slice holds.
func sizeOf[T any](s []T) int64 {
	var element T
	return int64(cap(s)) * int64(unsafe.Sizeof(element))
}

// validGroups gives the validity of the results of groups from to to: the groups for which has is true; nil when it is for all.
func validGroups(pool *types.Pool, from, to int, has func(group int) bool) types.Bitmap {
	n := to - from
	valid := pool.ZeroBitmap(n)
	all := true
	for i := range n {
		if has(from + i) {
			valid.Set(i)
		} else {
			all = false
		}
	}
	if all {
		return nil
	}
	return valid
}

// eachRow calls f with every active row of n and its group. For merges, which come once per group rather than once per row.
func eachRow(env *kernels.Env, groups []uint32, n int, f func(group, row int)) {
	active := activeOf(env)
	for i := active.NextSet(0, n); i < n; i = active.NextSet(i+1, n) {
		group := 0
		if groups != nil {
			group = int(groups[i])
		}
		f(group, i)
	}
}

// decodeAll gives every column in the plain encoding.
func decodeAll(env *kernels.Env, columns []*types.Vector) []*types.Vector {
	plain := make([]*types.Vector, len(columns))
	for i, c := range columns {
		plain[i] = kernels.Decode(env, c)
	}
	return plain
}

// copyOf gives values as a vector without nulls.
func copyOf[T types.Fixed](env *kernels.Env, typ types.Type, values []T) *types.Vector {
	dst := types.Alloc[T](poolOf(env), len(values))
	copy(dst, values)
	return types.NewFixed(typ, dst, nil)
}
