package kernels

import "github.com/lacunadb/lacuna/types"

const (
	nanosPerDay   = 24 * 60 * 60 * 1_000_000_000
	daysPerMonth  = 30
	monthsPerYear = 12
)

// intervalLength gives an interval's length in nanoseconds with months of 30 days: what intervals compare, hash and sort by.
func intervalLength(x types.MonthDayNano) int128 {
	days := int64(x.Months)*daysPerMonth + int64(x.Days)
	r, _ := add128(mul64(days, nanosPerDay), int128From64(x.Nanos))
	return r
}

// intervalLengths gives the lengths of a plain or constant INTERVAL vector as HUGEINT.
func intervalLengths(env *Env, v *types.Vector) *types.Vector {
	src := types.ValuesOf[types.MonthDayNano](v)
	dst := types.Alloc[int128](env.pool(), len(src))
	for i, x := range src {
		dst[i] = intervalLength(x)
	}
	lengths := types.NewFixed(types.HugeInt, dst, v.Validity())
	if v.Encoding() == types.Constant {
		return types.NewConstant(lengths, v.Len())
	}
	return lengths
}
