package kernels

import (
	"math"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// This file is the arithmetic of dates, times and intervals. Dates count days, times and timestamps count units since midnight
// and since 1970-01-01 (see calendar.go).

// binaryKernel computes two plain vectors of which one may be constant.
type binaryKernel = func(env *Env, a, b *types.Vector) (*types.Vector, error)

// temporalArithmetic is + - * / with a temporal operand.
func temporalArithmetic(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	kernel := temporalKernel(op, out, a.Type(), b.Type())
	if kernel == nil && (op == opAdd || op == opMul) {
		a, b = b, a
		kernel = temporalKernel(op, out, a.Type(), b.Type())
	}
	if kernel == nil {
		return nil, noOperator(op, a, b)
	}
	return applyBinary(env, out, a, b, kernel)
}

// temporalKernel gives the kernel for operand types in the order in which they subtract; nil if there is none.
func temporalKernel(op arithOp, out, a, b types.Type) binaryKernel {
	additive := op == opAdd || op == opSub
	switch ak, bk := a.Kind(), b.Kind(); {
	case ak == types.KindNull || bk == types.KindNull:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return types.NewNull(out, a.Len()), nil }
	case additive && ak == types.KindDate && bk == types.KindInteger:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return moveDates[int32](env, op, out, a, b) }
	case additive && ak == types.KindDate && bk == types.KindBigInt:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return moveDates[int64](env, op, out, a, b) }
	case op == opSub && ak == types.KindDate && bk == types.KindDate:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) {
			return runChecked(env, out, a, b, bothValid(env, a, b), subDates, nil)
		}
	case op == opAdd && ak == types.KindDate && bk == types.KindTime:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return dateAtTime(env, out, a, b) }
	case additive && ak == types.KindDate && bk == types.KindInterval:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) {
			return moveInstants(env, op, out, a, b, func(d int32) int64 {
				t, _ := timestampFromDate(d, 86400*out.Unit().PerSecond())
				return t
			})
		}
	case additive && (ak == types.KindTimestamp || ak == types.KindTimestampTZ) && bk == types.KindInterval && a.Unit() == out.Unit():
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) {
			return moveInstants(env, op, out, a, b, func(t int64) int64 { return t })
		}
	case op == opSub && ak == bk && (ak == types.KindTimestamp || ak == types.KindTimestampTZ) && a.Unit() == b.Unit():
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return subTimestamps(env, out, a, b) }
	case additive && ak == types.KindTime && bk == types.KindInterval:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return moveTimes(env, op, out, a, b) }
	case additive && ak == types.KindInterval && bk == types.KindInterval:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return addIntervals(env, op, out, a, b) }
	case op == opMul && ak == types.KindInterval && bk == types.KindBigInt:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return multiplyIntervals(env, out, a, b) }
	case (op == opMul || op == opDiv) && ak == types.KindInterval && bk == types.KindDouble:
		return func(env *Env, a, b *types.Vector) (*types.Vector, error) { return scaleIntervals(env, op, out, a, b) }
	}
	return nil
}

// moveDates gives date ± days.
func moveDates[T int32 | int64](env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	sign := int64(1)
	if op == opSub {
		sign = -1
	}
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst, a []int32, b []T) bool {
		failed := false
		for i, d := range a {
			dst[i] = d
			if !isInfiniteDate(d) {
				// A BIGINT near its limits must not wrap into the range.
				days := max(min(int64(b[i]), math.MaxUint32), -math.MaxUint32)
				r := int64(d) + sign*days
				dst[i] = int32(r)
				failed = failed || r >= int64(infiniteDate) || r <= -int64(infiniteDate)
			}
		}
		return failed
	}, dateOutOfRange)
}

func subDates(dst []int64, a, b []int32) bool {
	for i := range dst {
		dst[i] = int64(a[i]) - int64(b[i])
	}
	return false
}

// dateAtTime gives date + time as a timestamp.
func dateAtTime(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	perSecond, timePerSecond := out.Unit().PerSecond(), b.Type().Unit().PerSecond()
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst []int64, a []int32, b []int64) bool {
		failed := false
		for i, d := range a {
			t, ok := timestampFromDate(d, 86400*perSecond)
			if ok && !isInfiniteDate(d) {
				var over bool
				t, over = add64(t, scaleUnits(b[i], timePerSecond, perSecond))
				ok = !over
			}
			dst[i] = t
			failed = failed || !ok
		}
		return failed
	}, timestampOutOfRange)
}

// scaleUnits converts a duration between resolutions, rounding down.
func scaleUnits(x, from, to int64) int64 {
	if to >= from {
		return x * (to / from)
	}
	return floorDiv(x, from/to)
}

// moveInstants gives instant ± interval: first the months, which keep the day of month where the month has it, then the days,
// then the rest. Days and months of TIMESTAMPTZ are those of the session's zone.
func moveInstants[A types.Fixed](env *Env, op arithOp, out types.Type, a, b *types.Vector, instant func(A) int64) (*types.Vector, error) {
	perSecond := out.Unit().PerSecond()
	var zone *time.Location
	if out.Kind() == types.KindTimestampTZ {
		zone = env.zone()
	}
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst []int64, a []A, b []types.MonthDayNano) bool {
		failed := false
		for i := range dst {
			t, ok := moveInstant(instant(a[i]), b[i], op == opSub, perSecond, zone)
			dst[i] = t
			failed = failed || !ok
		}
		return failed
	}, timestampOutOfRange)
}

// moveInstant moves one timestamp; zone nil means that it has none. It reports false when the result is out of range.
func moveInstant(t int64, by types.MonthDayNano, back bool, perSecond int64, zone *time.Location) (int64, bool) {
	if isInfiniteTimestamp(t) {
		return t, true
	}
	months, days, nanos := int64(by.Months), int64(by.Days), by.Nanos
	if back {
		months, days = -months, -days
	}
	perDay := 86400 * perSecond
	if months != 0 || days != 0 {
		local := t
		if zone != nil {
			var ok bool
			if local, ok = toLocal(t, perSecond, zone); !ok {
				return 0, false
			}
		}
		day := floorDiv(local, perDay)
		clock := local - day*perDay
		if months != 0 {
			day = addMonths(day, months)
		}
		moved, over := mulFits64(day+days, perDay)
		if over {
			return 0, false
		}
		if t, over = add64(moved, clock); over {
			return 0, false
		}
		if zone != nil {
			var ok bool
			if t, ok = fromLocal(t, perSecond, zone); !ok {
				return 0, false
			}
		}
	}
	units := nanos / (1_000_000_000 / perSecond)
	var r int64
	var over bool
	if back {
		r = t - units
		over = (t^units)&(t^r) < 0
	} else {
		r, over = add64(t, units)
	}
	return r, !over && !isInfiniteTimestamp(r)
}

// toLocal gives the wall clock of an instant in a zone, as a timestamp without one.
func toLocal(t, perSecond int64, zone *time.Location) (int64, bool) {
	if zone == time.UTC {
		return t, true
	}
	_, offset := time.Unix(floorDiv(t, perSecond), 0).In(zone).Zone()
	local, over := add64(t, int64(offset)*perSecond)
	return local, !over
}

// fromLocal gives the instant at which a zone's clock shows a wall clock time. Where the clock shows it twice, that is the second
// time; where it skips it, the time counts on from before the gap. Both are the later of the two readings, as in PostgreSQL.
func fromLocal(local, perSecond int64, zone *time.Location) (int64, bool) {
	if zone == time.UTC {
		return local, true
	}
	offsetAt := func(seconds int64) int64 {
		_, offset := time.Unix(seconds, 0).In(zone).Zone()
		return int64(offset)
	}
	seconds := floorDiv(local, perSecond)
	// The offsets before and after any change of the clock nearby.
	before, after := offsetAt(seconds-86400), offsetAt(seconds+86400)
	offset := before
	if before != after {
		isBefore, isAfter := offsetAt(seconds-before) == before, offsetAt(seconds-after) == after
		if isBefore == isAfter {
			offset = min(before, after)
		} else if isAfter {
			offset = after
		}
	}
	t, over := add64(local, -offset*perSecond)
	return t, !over
}

// subTimestamps gives the days and the rest between two timestamps; of TIMESTAMPTZ the days are those of the session's zone.
func subTimestamps(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	perSecond := a.Type().Unit().PerSecond()
	perDay, nanos := 86400*perSecond, 1_000_000_000/perSecond
	zone := time.UTC
	if a.Type().Kind() == types.KindTimestampTZ {
		zone = env.zone()
	}
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst []types.MonthDayNano, a, b []int64) bool {
		failed := false
		for i := range dst {
			x, y := a[i], b[i]
			d := x - y
			days, rest := d/perDay, d%perDay
			over := (x^y)&(x^d) < 0
			if zone != time.UTC && !over {
				var ok bool
				days, rest, ok = localDays(x, y, perSecond, zone)
				over = !ok
			}
			dst[i] = types.MonthDayNano{Days: int32(days), Nanos: rest * nanos}
			failed = failed || over || !fits32(days) || isInfiniteTimestamp(x) || isInfiniteTimestamp(y)
		}
		return failed
	}, func(i int) *types.Error {
		if isInfiniteTimestamp(types.ValuesOf[int64](a)[i*columnStep(a)]) || isInfiniteTimestamp(types.ValuesOf[int64](b)[i*columnStep(b)]) {
			return types.Errorf(types.CodeDatetimeOutOfRange, "cannot subtract infinite timestamps")
		}
		return intervalOutOfRange(i)
	})
}

// localDays splits to - from into whole days by a zone's clock, which may have 23 or 25 hours, and the time that is left.
func localDays(to, from, perSecond int64, zone *time.Location) (days, rest int64, ok bool) {
	if to < from {
		days, rest, ok = localDays(from, to, perSecond, zone)
		return -days, -rest, ok
	}
	localTo, ok1 := toLocal(to, perSecond, zone)
	localFrom, ok2 := toLocal(from, perSecond, zone)
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	perDay := 86400 * perSecond
	for days = floorDiv(localTo-localFrom, perDay); ; days-- {
		start := from
		if days != 0 {
			if start, ok = fromLocal(localFrom+days*perDay, perSecond, zone); !ok {
				return 0, 0, false
			}
		}
		if start <= to || days <= 0 {
			return days, to - start, true
		}
	}
}

// moveTimes gives time ± interval, around midnight; an interval's days and months change no time of day.
func moveTimes(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	perSecond := out.Unit().PerSecond()
	perDay := 86400 * perSecond
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst, a []int64, b []types.MonthDayNano) bool {
		for i, t := range a {
			units := b[i].Nanos / (1_000_000_000 / perSecond) % perDay
			if op == opSub {
				units = -units
			}
			t = (t + units) % perDay
			if t < 0 {
				t += perDay
			}
			dst[i] = t
		}
		return false
	}, nil)
}

// addIntervals adds or subtracts months, days and nanoseconds each for themselves.
func addIntervals(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst, a, b []types.MonthDayNano) bool {
		failed := false
		for i := range dst {
			x, y := a[i], b[i]
			sign := int64(1)
			if op == opSub {
				sign = -1
			}
			months, days := int64(x.Months)+sign*int64(y.Months), int64(x.Days)+sign*int64(y.Days)
			nanos, over := add64(x.Nanos, y.Nanos)
			if op == opSub {
				nanos = x.Nanos - y.Nanos
				over = (x.Nanos^y.Nanos)&(x.Nanos^nanos) < 0
			}
			dst[i] = types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: nanos}
			failed = failed || over || !fits32(months) || !fits32(days)
		}
		return failed
	}, intervalOutOfRange)
}

func fits32(x int64) bool { return int64(int32(x)) == x }

func multiplyIntervals(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return runChecked(env, out, a, b, bothValid(env, a, b), func(dst, a []types.MonthDayNano, b []int64) bool {
		failed := false
		for i, x := range a {
			months, over1 := mulFits64(int64(x.Months), b[i])
			days, over2 := mulFits64(int64(x.Days), b[i])
			nanos, over3 := mulFits64(x.Nanos, b[i])
			dst[i] = types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: nanos}
			failed = failed || over1 || over2 || over3 || !fits32(months) || !fits32(days)
		}
		return failed
	}, intervalOutOfRange)
}

// scaleIntervals multiplies or divides by a float. Fractions of months go to days of a 30th, fractions of days to the time, with the
// roundings of PostgreSQL's interval_mul. By zero it is null.
func scaleIntervals(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	valid := bothValid(env, a, b)
	if op == opDiv {
		valid = dropZeros(env, a.Len(), valid, types.ValuesOf[float64](b), columnStep(b))
	}
	return runChecked(env, out, a, b, valid, func(dst, a []types.MonthDayNano, b []float64) bool {
		failed := false
		for i, x := range a {
			scale := func(v float64) float64 { return v * b[i] }
			if op == opDiv {
				scale = func(v float64) float64 { return v / b[i] }
			}
			months, monthPart := math.Modf(scale(float64(x.Months)))
			days, dayPart := math.Modf(scale(float64(x.Days)))
			monthDays, monthRest := math.Modf(roundMillionths(monthPart * daysPerMonth))
			carried, rest := math.Modf(roundMillionths((dayPart+monthRest)*86400) / 86400)
			days += monthDays + carried
			nanos := math.RoundToEven(float64(rest*86400e6)+scale(float64(x.Nanos))/1000) * 1000
			ok := math.Abs(months) <= math.MaxInt32 && math.Abs(days) <= math.MaxInt32 && math.Abs(nanos) < math.MaxInt64
			if ok { // NaN is not
				dst[i] = types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: int64(nanos)}
			}
			failed = failed || !ok
		}
		return failed
	}, intervalOutOfRange)
}

// roundMillionths rounds to six digits after the point, which hides the errors of binary fractions.
func roundMillionths(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

// negateIntervals gives -v.
func negateIntervals(env *Env, v *types.Vector) (*types.Vector, error) {
	zero := types.NewConstant(types.NewFixed(v.Type(), make([]types.MonthDayNano, 1), nil), v.Len())
	return addIntervals(env, opSub, v.Type(), zero, v)
}

func dateOutOfRange(int) *types.Error {
	return types.Errorf(types.CodeDatetimeOutOfRange, "date out of range")
}

func timestampOutOfRange(int) *types.Error {
	return types.Errorf(types.CodeDatetimeOutOfRange, "timestamp out of range")
}

func intervalOutOfRange(int) *types.Error {
	return types.Errorf(types.CodeDatetimeOutOfRange, "interval out of range")
}
