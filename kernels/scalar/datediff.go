package scalar

import (
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerDateDiff(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "date_diff", Aliases: []string{"datediff"}, Bind: bindDiff("date_diff", boundaries),
			Signatures:  []string{"date_diff(part VARCHAR, from DATE, to DATE) -> BIGINT", "date_diff(part VARCHAR, from TIMESTAMP, to TIMESTAMP) -> BIGINT"},
			Description: "The number of beginnings of a part, such as 'month', that lie between two dates or timestamps. NULL for infinity.",
			Example:     "date_diff('month', DATE '2020-01-31', DATE '2020-02-01') = 1",
		},
		&expr.Family{
			Name: "date_sub", Aliases: []string{"datesub"}, Bind: bindDiff("date_sub", wholeParts),
			Signatures:  []string{"date_sub(part VARCHAR, from DATE, to DATE) -> BIGINT", "date_sub(part VARCHAR, from TIMESTAMP, to TIMESTAMP) -> BIGINT"},
			Description: "The number of whole parts, such as 'month', that have passed between two dates or timestamps. NULL for infinity.",
			Example:     "date_sub('month', DATE '2020-01-31', DATE '2020-02-01') = 0",
		},
		&expr.Family{
			Name: "age",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				t, ok := bothInstants(args)
				if !ok {
					return nil, nil
				}
				return &expr.Function{Name: "age", Args: []types.Type{t, t}, Result: types.Interval, Nulls: expr.NullFromValues, Kernel: ageOf}, nil
			},
			Signatures:  []string{"age(to TIMESTAMP, from TIMESTAMP) -> INTERVAL", "age(from TIMESTAMP) -> INTERVAL"},
			Description: "The years, months, days and time between two timestamps; with one argument up to the beginning of today. NULL for infinity.",
			Example:     "age(TIMESTAMP '2020-03-01 00:00:00', TIMESTAMP '2019-12-31 00:00:00') = 2 months 1 day",
		},
	)
}

// bothInstants gives the common type of two dates or timestamps.
func bothInstants(args []expr.Arg) (types.Type, bool) {
	if len(args) != 2 {
		return types.Type{}, false
	}
	zoned := false
	for _, a := range args {
		t, ok := temporalType(a)
		if !ok || t.Kind() == types.KindTime || t.Kind() == types.KindInterval {
			return types.Type{}, false
		}
		zoned = zoned || t.Kind() == types.KindTimestampTZ
	}
	if zoned {
		return types.TimestampTZ, true
	}
	return types.Timestamp, true
}

// bindDiff binds a function of a constant part and two dates, times or timestamps.
func bindDiff(name string, count func(p *datePart) func(a, b moment) (int64, bool)) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != 3 {
			return nil, nil
		}
		p, err := constantPart(args[0])
		if p == nil || err != nil {
			return nil, err
		}
		t, ok := bothInstants(args[1:])
		if args[1].Type.Kind() == types.KindTime && args[2].Type.Kind() == types.KindTime {
			if !p.ofTime {
				return nil, unsupportedPart(p, types.Time)
			}
			t, ok = types.Time, true
		}
		if !ok {
			return nil, nil
		}
		between := count(p)
		if between == nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "%s does not count %s", name, p.name)
		}
		return &expr.Function{
			Name: name, Args: []types.Type{types.Varchar, t, t}, Result: types.BigInt, Nulls: expr.NullFromValues, CanFail: true,
			Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				from, to := momentsOf(env, args[1]), momentsOf(env, args[2])
				return tryRows(env, out, args[1:], func(i int) (int64, bool, *types.Error) {
					a, finite := from(i)
					b, finite2 := to(i)
					if !finite || !finite2 {
						return 0, false, nil
					}
					n, ok := between(a, b)
					if !ok {
						return 0, false, types.Errorf(types.CodeNumericOutOfRange, "the number of %ss is out of range", p.name)
					}
					return n, true, nil
				})
			},
		}, nil
	}
}

// clockUnits are the parts of fixed length below a day, in nanoseconds.
var clockUnits = map[string]int64{
	"hour": nanosPerHour, "minute": nanosPerMinute, "second": nanosPerSecond, "epoch": nanosPerSecond, "millisecond": 1e6, "microsecond": 1e3, "nanosecond": 1,
}

// monthUnits are the parts that are whole months.
var monthUnits = map[string]int64{"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}

// boundaries numbers the parts along the calendar: the difference of two numbers is how many parts begin between.
func boundaries(p *datePart) func(a, b moment) (int64, bool) {
	number := func(number func(m moment) int64) func(a, b moment) (int64, bool) {
		return func(a, b moment) (int64, bool) { return number(b) - number(a), true }
	}
	if unit, ok := clockUnits[p.name]; ok {
		return func(a, b moment) (int64, bool) {
			days, overflow := mulInt64(b.days-a.days, nanosPerDay/unit)
			sum := days + (b.nanos/unit - a.nanos/unit)
			return sum, !overflow && (sum < days) == (b.nanos/unit < a.nanos/unit)
		}
	}
	if months, ok := monthUnits[p.name]; ok {
		return number(func(m moment) int64 {
			if months%12 == 0 {
				return m.year() / (months / 12)
			}
			return (m.year()*12 + m.month() - 1) / months
		})
	}
	switch p.name {
	case "week", "yearweek":
		// DuckDB counts whole weeks of days here, wherever they begin.
		return func(a, b moment) (int64, bool) { return (b.days - a.days) / 7, true }
	case "isoyear":
		return number(func(m moment) int64 {
			year, _ := m.isoWeek()
			return year
		})
	case "day", "dow", "isodow", "doy", "julian":
		return number(func(m moment) int64 { return m.days })
	}
	return nil
}

func mulInt64(a, b int64) (product int64, overflow bool) {
	negative := (a < 0) != (b < 0)
	high, low := bits.Mul64(absUint64(a), absUint64(b))
	if high != 0 || low > 1<<63-1 {
		return 0, true
	}
	if negative {
		return -int64(low), false
	}
	return int64(low), false
}

func absUint64(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// wholeParts counts how many whole parts lie between.
func wholeParts(p *datePart) func(a, b moment) (int64, bool) {
	if unit, ok := clockUnits[p.name]; ok {
		return func(a, b moment) (int64, bool) { return elapsed(a, b, unit) }
	}
	if months, ok := monthUnits[p.name]; ok {
		return func(a, b moment) (int64, bool) { return monthsBetween(a, b) / months, true }
	}
	switch p.name {
	case "week", "yearweek":
		return func(a, b moment) (int64, bool) { return elapsed(a, b, 7*nanosPerDay) }
	case "isoyear":
		return func(a, b moment) (int64, bool) { return monthsBetween(a, b) / 12, true }
	case "day", "dow", "isodow", "doy", "julian":
		return func(a, b moment) (int64, bool) { return elapsed(a, b, nanosPerDay) }
	}
	return nil
}

// elapsed gives the time from a to b in units of a length in nanoseconds, rounded toward zero.
func elapsed(a, b moment, unit int64) (int64, bool) {
	days, nanos := b.days-a.days, b.nanos-a.nanos
	// Days and nanoseconds of one sign.
	if days > 0 && nanos < 0 {
		days, nanos = days-1, nanos+nanosPerDay
	} else if days < 0 && nanos > 0 {
		days, nanos = days+1, nanos-nanosPerDay
	}
	if unit >= nanosPerDay {
		return days / (unit / nanosPerDay), true
	}
	whole, overflow := mulInt64(days, nanosPerDay/unit)
	sum := whole + nanos/unit
	return sum, !overflow && (sum < whole) == (nanos/unit < 0)
}

// monthsBetween gives the whole months from a to b. From the last days of a long month to the end of a shorter one is a whole month.
func monthsBetween(a, b moment) int64 {
	if b.before(a) {
		return -monthsBetween(b, a)
	}
	yearA, monthA, dayA := types.CivilOfDays(a.days)
	yearB, monthB, dayB := types.CivilOfDays(b.days)
	months := (yearB-yearA)*12 + int64(monthB) - int64(monthA)
	if int64(dayB) == daysInMonth(yearB, int64(monthB)) {
		dayA = min(dayA, dayB)
	}
	if dayB < dayA || dayB == dayA && b.nanos < a.nanos {
		months--
	}
	return months
}

func (m moment) before(o moment) bool {
	return m.days < o.days || m.days == o.days && m.nanos < o.nanos
}

func daysInMonth(year, month int64) int64 {
	if month == 12 {
		return 31
	}
	return daysOf(year, month+1) - daysOf(year, month)
}

// ageOf subtracts field by field, as in PostgreSQL: days that are missing are borrowed from the month of the earlier timestamp.
func ageOf(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	to, from := momentsOf(env, args[0]), momentsOf(env, args[1])
	return tryRows(env, out, args, func(i int) (types.MonthDayNano, bool, *types.Error) {
		b, finite := to(i)
		a, finite2 := from(i)
		if !finite || !finite2 {
			return types.MonthDayNano{}, false, nil
		}
		sign := int32(1)
		if b.before(a) {
			a, b, sign = b, a, -1
		}
		yearA, monthA, dayA := types.CivilOfDays(a.days)
		yearB, monthB, dayB := types.CivilOfDays(b.days)
		months := (yearB-yearA)*12 + int64(monthB) - int64(monthA)
		days, nanos := int64(dayB)-int64(dayA), b.nanos-a.nanos
		if nanos < 0 {
			days, nanos = days-1, nanos+nanosPerDay
		}
		if days < 0 {
			months, days = months-1, days+daysInMonth(yearA, int64(monthA))
		}
		return types.MonthDayNano{Months: sign * int32(months), Days: sign * int32(days), Nanos: int64(sign) * nanos}, true, nil
	})
}
