package agg

import (
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// intervalSums adds intervals part by part: months, days and nanoseconds stay apart.
type intervalSums struct {
	states  []intervalSum
	average bool
}

type intervalSum struct {
	months, days int64
	nanos        types.Int128
	count        int64
}

const (
	daysPerMonth = 30
	nanosPerDay  = 24 * 60 * 60 * 1_000_000_000
)

func (s *intervalSums) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *intervalSums) Size() int64 { return sizeOf(s.states) }

func (s *intervalSums) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *intervalSum) add(x types.MonthDayNano, weight, count int64) {
	s.months += int64(x.Months) * weight
	s.days += int64(x.Days) * weight
	s.nanos = add128(s.nanos, mul64(x.Nanos, weight))
	s.count += count
}

func (s *intervalSums) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	values := types.ValuesOf[types.MonthDayNano](v)[:v.Len()]
	withRows(env, values, groups, rows, func(values []types.MonthDayNano, groups []uint32) {
		for i, x := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			s.states[g].add(x, 1, 1)
		}
	})
	return nil
}

func (s *intervalSums) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[types.MonthDayNano](v)[:len(weights)] {
		if weights[i] != 0 {
			s.states[0].add(x, weights[i], weights[i])
		}
	}
	return nil
}

func (s *intervalSums) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	sums, counts := types.ValuesOf[types.MonthDayNano](columns[0]), types.ValuesOf[int64](columns[1])
	eachRow(env, groups, columns[0].Len(), func(group, row int) { s.states[group].add(sums[row], 1, counts[row]) })
	return nil
}

func (s *intervalSums) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	sums := types.Alloc[types.MonthDayNano](poolOf(env), to-from)
	counts := types.Alloc[int64](poolOf(env), to-from)
	for i, x := range s.states[from:to] {
		var err error
		if sums[i], err = x.total(); err != nil {
			return nil, err
		}
		counts[i] = x.count
	}
	return []*types.Vector{types.NewFixed(types.Interval, sums, nil), types.NewFixed(types.BigInt, counts, nil)}, nil
}

func (s *intervalSums) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := types.Alloc[types.MonthDayNano](poolOf(env), to-from)
	for i, x := range s.states[from:to] {
		var err error
		if s.average && x.count > 0 {
			dst[i], err = x.mean()
		} else {
			dst[i], err = x.total()
		}
		if err != nil {
			return nil, err
		}
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.states[g].count > 0 })
	return types.NewFixed(types.Interval, dst, valid), nil
}

// total gives the sum as an interval. Nanoseconds that do not fit are carried over to days.
func (s intervalSum) total() (types.MonthDayNano, error) {
	days, nanos := s.days, s.nanos
	if nanos.Hi != int64(nanos.Lo)>>63 {
		var more types.Int128
		more, nanos = divide128(nanos, nanosPerDay)
		days += int64(more.Lo)
	}
	if int64(int32(s.months)) != s.months || int64(int32(days)) != days {
		return types.MonthDayNano{}, types.Errorf(types.CodeDatetimeOutOfRange, "sum is out of range of INTERVAL")
	}
	return types.MonthDayNano{Months: int32(s.months), Days: int32(days), Nanos: int64(nanos.Lo)}, nil
}

// mean divides part by part; what remains of months becomes days of 30 a month, what remains of days becomes hours.
func (s intervalSum) mean() (types.MonthDayNano, error) {
	n := s.count
	spare := s.months % n * daysPerMonth
	days := s.days/n + spare/n
	spare = s.days%n + spare%n
	nanos, _ := divide128(add128(s.nanos, mul64(spare, nanosPerDay)), n)
	return intervalSum{months: s.months / n, days: days, nanos: nanos}.total()
}

// divide128 divides toward zero by a positive divisor; the caller knows that the quotient is below 2^64.
func divide128(x types.Int128, divisor int64) (quotient, remainder types.Int128) {
	negative := x.Hi < 0
	if negative {
		x = neg128(x)
	}
	q, r := bits.Div64(uint64(x.Hi), x.Lo, uint64(divisor))
	quotient, remainder = types.Int128{Lo: q}, types.Int128{Lo: r}
	if negative {
		return neg128(quotient), neg128(remainder)
	}
	return quotient, remainder
}

func neg128(x types.Int128) types.Int128 {
	lo, borrow := bits.Sub64(0, x.Lo, 0)
	return types.Int128{Lo: lo, Hi: -x.Hi - int64(borrow)}
}
