package scalar

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file makes dates, times, timestamps and intervals of numbers, and numbers of them.

func registerDateMake(set *expr.Set) {
	registerIntervals(set)
	registerEpochs(set)
	integers := func(n int) []types.Type { return repeatType(types.BigInt, n) }
	timestamp := append(integers(5), types.Double)
	set.MustAdd(
		&expr.Family{
			Name: "make_date",
			Bind: anyOf(
				fixed("make_date", types.Date, expr.NullStrict, true, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					year, month, day := columnOf[int64](env, args[0]), columnOf[int64](env, args[1]), columnOf[int64](env, args[2])
					return tryRows(env, out, args, func(i int) (int32, bool, *types.Error) {
						days, err := daysOfDate(year.at(i), month.at(i), day.at(i))
						return int32(days), true, err
					})
				}, integers(3)...),
				fixed("make_date", types.Date, expr.NullStrict, true, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					days := columnOf[int64](env, args[0])
					return tryRows(env, out, args, func(i int) (int32, bool, *types.Error) {
						if d := days.at(i); d <= -int64(types.InfiniteDate) || d >= int64(types.InfiniteDate) {
							return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "day %d is out of range of DATE", d)
						}
						return int32(days.at(i)), true, nil
					})
				}, types.BigInt),
			),
			Signatures: []string{"make_date(year BIGINT, month BIGINT, day BIGINT) -> DATE", "make_date(days BIGINT) -> DATE"}, Description: "A date of its parts, or of the days since 1970-01-01.",
			Example: "make_date(2020, 2, 29) = 2020-02-29",
		},
		&expr.Family{
			Name: "make_time",
			Bind: fixed("make_time", types.Time, expr.NullStrict, true, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				hour, minute, second := columnOf[int64](env, args[0]), columnOf[int64](env, args[1]), columnOf[float64](env, args[2])
				return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
					micros, err := microsOfTime(hour.at(i), minute.at(i), second.at(i))
					return micros, true, err
				})
			}, types.BigInt, types.BigInt, types.Double),
			Signatures: []string{"make_time(hour BIGINT, minute BIGINT, second DOUBLE) -> TIME"}, Description: "A time of day of its parts.", Example: "make_time(12, 30, 1.5) = 12:30:01.5",
		},
		&expr.Family{
			Name: "make_timestamp",
			Bind: anyOf(
				fixed("make_timestamp", types.Timestamp, expr.NullStrict, true, makeTimestamps, timestamp...),
				fixed("make_timestamp", types.Timestamp, expr.NullStrict, false, reinterpret, types.BigInt),
			),
			Signatures:  []string{"make_timestamp(year BIGINT, month BIGINT, day BIGINT, hour BIGINT, minute BIGINT, second DOUBLE) -> TIMESTAMP", "make_timestamp(microseconds BIGINT) -> TIMESTAMP"},
			Description: "A timestamp of its parts, or of the microseconds since 1970-01-01.", Example: "make_timestamp(2020, 2, 29, 12, 30, 1.5) = 2020-02-29 12:30:01.5",
		},
		&expr.Family{
			Name:       "make_timestamp_ms",
			Bind:       fixed("make_timestamp_ms", types.Timestamp, expr.NullStrict, true, scaledTimestamp(1000), types.BigInt),
			Signatures: []string{"make_timestamp_ms(milliseconds BIGINT) -> TIMESTAMP"}, Description: "A timestamp of the milliseconds since 1970-01-01.", Example: "make_timestamp_ms(1000) = 1970-01-01 00:00:01",
		},
		&expr.Family{
			Name:       "make_timestamp_ns",
			Bind:       fixed("make_timestamp_ns", types.TimestampOf(types.Nanosecond), expr.NullStrict, false, reinterpret, types.BigInt),
			Signatures: []string{"make_timestamp_ns(nanoseconds BIGINT) -> TIMESTAMP_NS"}, Description: "A timestamp of the nanoseconds since 1970-01-01.",
			Example: "make_timestamp_ns(1000000001) = 1970-01-01 00:00:01.000000001",
		},
		&expr.Family{
			Name: "to_timestamp",
			Bind: fixed("to_timestamp", types.TimestampTZ, expr.NullStrict, true, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				seconds := columnOf[float64](env, args[0])
				return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
					micros := math.RoundToEven(seconds.at(i) * 1e6)
					if !(math.Abs(micros) < float64(types.InfiniteTimestamp)) {
						return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "%v seconds are out of range of %s", seconds.at(i), out)
					}
					return int64(micros), true, nil
				})
			}, types.Double),
			Signatures: []string{"to_timestamp(seconds DOUBLE) -> TIMESTAMP WITH TIME ZONE"}, Description: "The instant so many seconds after 1970-01-01 00:00:00 UTC.",
			Example: "to_timestamp(1.5) = 1970-01-01 00:00:01.5+00",
		},
		&expr.Family{
			Name: "last_day",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				return bindMoment("last_day", args, types.Date, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					at := momentsOf(env, args[0])
					return tryRows(env, out, args, func(i int) (int32, bool, *types.Error) {
						m, finite := at(i)
						if !finite {
							return 0, false, nil
						}
						return int32(daysOf(m.year(), m.month()) + daysInMonth(m.year(), m.month()) - 1), true, nil
					})
				})
			},
			Signatures: []string{"last_day(x DATE) -> DATE", "last_day(x TIMESTAMP) -> DATE"}, Description: "The last day of the month. NULL for infinity.", Example: "last_day(DATE '2020-02-05') = 2020-02-29",
		},
		momentName("dayname", "The English name of the day of the week. NULL for infinity.", "dayname(DATE '2020-02-01') = Saturday", func(m moment) string { return dayNames[m.isoWeekday()%7] }),
		momentName("monthname", "The English name of the month. NULL for infinity.", "monthname(DATE '2020-02-01') = February", func(m moment) string { return monthNames[m.month()-1] }),
		&expr.Family{
			Name: "time_bucket", Bind: bindBucket,
			Signatures: []string{"time_bucket(width INTERVAL, x DATE)", "time_bucket(width INTERVAL, x TIMESTAMP)", "time_bucket(width INTERVAL, x, offset INTERVAL)", "time_bucket(width INTERVAL, x, origin)"},
			Description: "The beginning of the bucket that a date or timestamp falls in. Buckets are all as wide, of whole months or of a fixed length, and begin at an origin: " +
				"2000-01-01 for months, else Monday 2000-01-03.",
			Example: "time_bucket(INTERVAL 1 HOUR, TIMESTAMP '2020-01-01 10:30:00') = 2020-01-01 10:00:00",
		},
	)
}

var dayNames = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// daysOfDate gives the day of a date of the calendar, counted from 1970-01-01.
func daysOfDate(year, month, day int64) (int64, *types.Error) {
	const maxYear = 5_900_000
	if month >= 1 && month <= 12 && day >= 1 && year > -maxYear && year < maxYear {
		if day <= daysInMonth(year, month) {
			if days := daysOf(year, month) + day - 1; days > -int64(types.InfiniteDate) && days < int64(types.InfiniteDate) {
				return days, nil
			}
		}
	}
	return 0, types.Errorf(types.CodeDatetimeOutOfRange, "date out of range: %d-%d-%d", year, month, day)
}

// microsOfTime gives the microseconds since midnight.
func microsOfTime(hour, minute int64, second float64) (int64, *types.Error) {
	micros := math.RoundToEven(second * 1e6)
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(micros >= 0 && micros < 60e6) {
		return 0, types.Errorf(types.CodeDatetimeOutOfRange, "time out of range: %d:%d:%v", hour, minute, second)
	}
	return (hour*60+minute)*60e6 + int64(micros), nil
}

func makeTimestamps(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	var parts [5]column[int64]
	for k := range parts {
		parts[k] = columnOf[int64](env, args[k])
	}
	second := columnOf[float64](env, args[5])
	return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
		days, err := daysOfDate(parts[0].at(i), parts[1].at(i), parts[2].at(i))
		if err != nil {
			return 0, false, err
		}
		micros, err := microsOfTime(parts[3].at(i), parts[4].at(i), second.at(i))
		if err != nil {
			return 0, false, err
		}
		day, overflow := mulInt64(days, 86400e6)
		if overflow {
			return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "date is out of range of %s", out)
		}
		return day + micros, true, nil
	})
}

// reinterpret gives the same numbers as another type.
func reinterpret(_ *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	return args[0].WithType(out), nil
}

// scaledTimestamp makes timestamps of numbers of a coarser unit.
func scaledTimestamp(factor int64) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		x := columnOf[int64](env, args[0])
		return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
			micros, overflow := mulInt64(x.at(i), factor)
			if overflow {
				return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "%d is out of range of %s", x.at(i), out)
			}
			return micros, true, nil
		})
	}
}

// bindMoment binds a function of one date or timestamp.
func bindMoment(name string, args []expr.Arg, result types.Type, kernel expr.Kernel) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t, ok := temporalType(args[0])
	if !ok || t.Kind() == types.KindTime || t.Kind() == types.KindInterval {
		return nil, nil
	}
	return &expr.Function{Name: name, Args: []types.Type{t}, Result: result, Nulls: expr.NullFromValues, Kernel: kernel}, nil
}

func momentName(name, description, example string, of func(moment) string) *expr.Family {
	return &expr.Family{
		Name: name,
		Bind: func(args []expr.Arg) (*expr.Function, error) {
			return bindMoment(name, args, types.Varchar, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				at := momentsOf(env, args[0])
				return nullableText(env, out, args, func(i int, b *kernels.ViewBuilder) bool {
					m, finite := at(i)
					if finite {
						b.Append([]byte(of(m)))
					}
					return finite
				})
			})
		},
		Signatures: []string{name + "(x DATE) -> VARCHAR", name + "(x TIMESTAMP) -> VARCHAR"}, Description: description, Example: example,
	}
}

// nullableText is mapText for functions that may give null: f adds a row, or gives false.
func nullableText(env *kernels.Env, out types.Type, args []*types.Vector, f func(i int, b *kernels.ViewBuilder) bool) (*types.Vector, error) {
	n := args[0].Len()
	b := kernels.NewViewBuilder(env, out, n)
	valid := validRows(env, args...)
	present := env.Pool.ZeroBitmap(n)
	for i := range n {
		if valid.Has(i) && f(i, b) {
			present.Set(i)
		} else {
			b.AppendEmpty()
		}
	}
	return b.Finish(present), nil
}

func registerIntervals(set *expr.Set) {
	for _, f := range []struct {
		name    string
		months  int64
		days    int64
		nanos   int64
		double  bool
		example string
	}{
		{"to_millennia", 12000, 0, 0, false, "to_millennia(1) = 1000 years"},
		{"to_centuries", 1200, 0, 0, false, "to_centuries(1) = 100 years"},
		{"to_decades", 120, 0, 0, false, "to_decades(1) = 10 years"},
		{"to_years", 12, 0, 0, false, "to_years(2) = 2 years"},
		{"to_quarters", 3, 0, 0, false, "to_quarters(1) = 3 months"},
		{"to_months", 1, 0, 0, false, "to_months(5) = 5 months"},
		{"to_weeks", 0, 7, 0, false, "to_weeks(2) = 14 days"},
		{"to_days", 0, 1, 0, false, "to_days(3) = 3 days"},
		{"to_hours", 0, 0, nanosPerHour, false, "to_hours(2) = 02:00:00"},
		{"to_minutes", 0, 0, nanosPerMinute, false, "to_minutes(5) = 00:05:00"},
		{"to_seconds", 0, 0, nanosPerSecond, true, "to_seconds(1.5) = 00:00:01.5"},
		{"to_milliseconds", 0, 0, 1e6, true, "to_milliseconds(1.5) = 00:00:00.0015"},
		{"to_microseconds", 0, 0, 1e3, false, "to_microseconds(3) = 00:00:00.000003"},
	} {
		unit := f.name[len("to_"):]
		outOfRange := func(x any) *types.Error {
			return types.Errorf(types.CodeDatetimeOutOfRange, "%v %s are out of range of INTERVAL", x, unit)
		}
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			if f.double {
				x := columnOf[float64](env, args[0])
				return tryRows(env, out, args, func(i int) (types.MonthDayNano, bool, *types.Error) {
					micros := math.RoundToEven(x.at(i) * float64(f.nanos/1e3))
					if !(math.Abs(micros) < math.MaxInt64/1e3) {
						return types.MonthDayNano{}, false, outOfRange(x.at(i))
					}
					return types.MonthDayNano{Nanos: int64(micros) * 1e3}, true, nil
				})
			}
			x := columnOf[int64](env, args[0])
			return tryRows(env, out, args, func(i int) (types.MonthDayNano, bool, *types.Error) {
				months, over := mulInt64(x.at(i), f.months)
				days, over2 := mulInt64(x.at(i), f.days)
				nanos, over3 := mulInt64(x.at(i), f.nanos)
				if over || over2 || over3 || int64(int32(months)) != months || int64(int32(days)) != days {
					return types.MonthDayNano{}, false, outOfRange(x.at(i))
				}
				return types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: nanos}, true, nil
			})
		}
		number := types.BigInt
		if f.double {
			number = types.Double
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Bind: fixed(f.name, types.Interval, expr.NullStrict, true, kernel, number),
			Signatures: []string{f.name + "(x " + number.String() + ") -> INTERVAL"}, Description: "An interval of so many " + unit + ".", Example: f.example,
		})
	}
}

func registerEpochs(set *expr.Set) {
	for _, f := range []struct {
		name, unit, example string
		perSecond           int64
	}{
		{"epoch_ms", "milliseconds", "epoch_ms(TIMESTAMP '1970-01-01 00:00:01.5') = 1500", 1e3},
		{"epoch_us", "microseconds", "epoch_us(TIMESTAMP '1970-01-01 00:00:01.5') = 1500000", 1e6},
		{"epoch_ns", "nanoseconds", "epoch_ns(TIMESTAMP '1970-01-01 00:00:01.5') = 1500000000", 1e9},
	} {
		family := &expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				if args[0].Type.IsInteger() && f.name == "epoch_ms" {
					return fixed(f.name, types.Timestamp, expr.NullStrict, true, scaledTimestamp(1000), types.BigInt)(args)
				}
				t, ok := temporalType(args[0])
				if !ok {
					return nil, nil
				}
				fn := &expr.Function{Name: f.name, Args: []types.Type{t}, Result: types.BigInt, Nulls: expr.NullFromValues, CanFail: true}
				fn.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
					if t.Kind() == types.KindInterval {
						x := columnOf[types.MonthDayNano](env, args[0])
						return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
							// A month has 30 days, twelve of them 365.25, as for epoch.
							v := x.at(i)
							seconds := int64(v.Months/12)*31557600 + int64(v.Months%12)*30*86400 + int64(v.Days)*86400
							return inUnit(seconds, v.Nanos, f.perSecond)
						})
					}
					at := momentsOf(env, args[0])
					return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
						m, finite := at(i)
						if !finite {
							return 0, false, nil
						}
						return inUnit(m.days*86400-int64(m.offset), m.nanos, f.perSecond)
					})
				}
				return fn, nil
			},
			Signatures:  []string{f.name + "(x TIMESTAMP) -> BIGINT", f.name + "(x DATE) -> BIGINT", f.name + "(x TIME) -> BIGINT", f.name + "(x INTERVAL) -> BIGINT"},
			Description: "The " + f.unit + " since 1970-01-01, since midnight, or of an interval. NULL for infinity.", Example: f.example,
		}
		if f.name == "epoch_ms" {
			family.Signatures = append(family.Signatures, "epoch_ms(milliseconds BIGINT) -> TIMESTAMP")
		}
		set.MustAdd(family)
	}
}

// inUnit gives seconds and nanoseconds as a number of a smaller unit.
func inUnit(seconds, nanos, perSecond int64) (int64, bool, *types.Error) {
	seconds, nanos = seconds+nanos/nanosPerSecond, nanos%nanosPerSecond
	if seconds < 0 && nanos > 0 { // so that the whole rounds toward zero
		seconds, nanos = seconds+1, nanos-nanosPerSecond
	}
	whole, overflow := mulInt64(seconds, perSecond)
	rest := nanos / (nanosPerSecond / perSecond)
	sum := whole + rest
	if overflow || (sum < whole) != (rest < 0) {
		return 0, false, types.Errorf(types.CodeNumericOutOfRange, "the time is out of range of BIGINT in this unit")
	}
	return sum, true, nil
}

// bindBucket binds time_bucket(width, x [, offset or origin]).
func bindBucket(args []expr.Arg) (*expr.Function, error) {
	if len(args) < 2 || len(args) > 3 || !casts(args[0], types.Interval) {
		return nil, nil
	}
	t, ok := temporalType(args[1])
	if !ok || t.Kind() == types.KindTime || t.Kind() == types.KindInterval {
		return nil, nil
	}
	f := &expr.Function{Name: "time_bucket", Args: []types.Type{types.Interval, t}, Result: t, Nulls: expr.NullFromValues, CanFail: true}
	if len(args) == 3 {
		switch {
		case args[2].Type.Kind() == types.KindInterval:
			f.Args = append(f.Args, types.Interval)
		case casts(args[2], t):
			f.Args = append(f.Args, t)
		default:
			return nil, nil
		}
	}
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		return bucketMoments(env, out, args)
	}
	return f, nil
}

// The origins of buckets, in days since 1970-01-01.
const (
	monthOrigin = 10957 // 2000-01-01
	dayOrigin   = 10959 // 2000-01-03, a Monday
)

// bucketMoments finds the bucket of each row. Instants with a time zone are put into buckets by their local time.
func bucketMoments(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	width, at := columnOf[types.MonthDayNano](env, args[0]), momentsOf(env, args[1])
	var origin func(i int) (moment, bool)
	var offset column[types.MonthDayNano]
	if len(args) == 3 {
		if args[2].Type().Kind() == types.KindInterval {
			offset = columnOf[types.MonthDayNano](env, args[2])
		} else {
			origin = momentsOf(env, args[2])
		}
	}
	zone := zoneOf(env, out)
	bucket := func(i int) (m moment, ok bool, err *types.Error) {
		m, finite := at(i)
		if !finite {
			return m, false, nil
		}
		w := width.at(i)
		from := moment{days: dayOrigin}
		if w.Months != 0 {
			from = moment{days: monthOrigin}
		}
		if origin != nil {
			if from, finite = origin(i); !finite {
				return m, false, nil
			}
		}
		var by types.MonthDayNano
		if offset.values != nil {
			by = offset.at(i)
			m = m.plusMonths(-int64(by.Months)).plus(-int64(by.Days), -by.Nanos)
		}
		if w.Months != 0 {
			if w.Days != 0 || w.Nanos != 0 {
				return m, false, types.Errorf(types.CodeInvalidParameter, "the width of a bucket mixes months with days or time")
			}
			if w.Months < 0 {
				return m, false, types.Errorf(types.CodeInvalidParameter, "the width of a bucket must be more than zero")
			}
			n, _ := floorDiv(m.year()*12+m.month()-from.year()*12-from.month(), int64(w.Months))
			m = moment{days: daysOf(from.year(), from.month())}.plusMonths(n * int64(w.Months))
		} else {
			step, overflow := mulInt64(int64(w.Days), nanosPerDay)
			if step += w.Nanos; step <= 0 || overflow {
				return m, false, types.Errorf(types.CodeInvalidParameter, "the width of a bucket must be more than zero and less than 292 years")
			}
			// In nanoseconds as far as these reach, then in microseconds.
			unit := int64(1)
			distance, overflow := mulInt64(m.days-from.days, nanosPerDay)
			if overflow || abs64(distance) > math.MaxInt64-nanosPerDay {
				unit = 1000
				distance, overflow = mulInt64(m.days-from.days, nanosPerDay/unit)
			}
			if overflow || step%unit != 0 {
				return m, false, types.Errorf(types.CodeDatetimeOutOfRange, "the time is too far from the origin of the buckets")
			}
			_, past := floorDiv(distance+(m.nanos-from.nanos)/unit, step/unit)
			m = m.plus(0, -past*unit-(m.nanos-from.nanos)%unit)
		}
		return m.plusMonths(int64(by.Months)).plus(int64(by.Days), by.Nanos), true, nil
	}
	if out.Kind() == types.KindDate {
		return tryRows(env, out, args, func(i int) (int32, bool, *types.Error) {
			m, ok, err := bucket(i)
			return int32(m.days), ok, err
		})
	}
	perSecond := out.Unit().PerSecond()
	return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
		m, ok, err := bucket(i)
		if !ok || err != nil {
			return 0, false, err
		}
		if zone != nil {
			m = toUTC(zone, m)
		}
		day, overflow := mulInt64(m.days, 86400*perSecond)
		if overflow {
			return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "date is out of range of %s", out)
		}
		return day + m.nanos/(nanosPerSecond/perSecond), true, nil
	})
}

// plus moves a moment by days and nanoseconds.
func (m moment) plus(days, nanos int64) moment {
	more, rest := floorDiv(m.nanos+nanos%nanosPerDay, nanosPerDay)
	return moment{days: m.days + days + nanos/nanosPerDay + more, nanos: rest}
}

// plusMonths moves a moment by months; the day stays within the month.
func (m moment) plusMonths(months int64) moment {
	if months == 0 {
		return m
	}
	year, month, day := types.CivilOfDays(m.days)
	y, rest := floorDiv(year*12+int64(month)-1+months, 12)
	return moment{days: daysOf(y, rest+1) + min(int64(day), daysInMonth(y, rest+1)) - 1, nanos: m.nanos}
}
