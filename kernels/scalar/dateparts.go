package scalar

import (
	"github.com/lacunadb/lacuna/types"
)

// datePart is a part of dates and times by name: how it is read, and what date_trunc makes of it.
type datePart struct {
	name            string
	aliases         []string // as the first argument of date_part
	functions       []string // names of its own function beside name
	functionExample string   // of its own function; empty for parts that have none

	whole          func(moment) int64
	double         func(moment) float64 // instead of whole
	ofTime         bool                 // TIME has it
	zoned          bool                 // DATE does not have it
	interval       func(types.MonthDayNano) int64
	intervalDouble func(types.MonthDayNano) float64
	trunc          func(moment) moment // nil: cannot be truncated to
	truncInterval  func(types.MonthDayNano) types.MonthDayNano
}

const (
	nanosPerMinute = 60 * nanosPerSecond
	nanosPerHour   = 60 * nanosPerMinute
)

// dateParts are the parts that DuckDB 1.5.6 knows; what they give is that of ISO 8601 for weeks and of its proleptic Gregorian
// calendar, with year 0 for 1 BC, for the rest.
var dateParts = []datePart{
	{
		name: "year", aliases: []string{"years", "yr", "yrs", "y"}, functionExample: "year(DATE '2024-12-30') = 2024",
		whole:    func(m moment) int64 { return m.year() },
		interval: func(x types.MonthDayNano) int64 { return int64(x.Months / 12) },
		trunc:    truncYears(1), truncInterval: truncMonths(12),
	},
	{
		name: "quarter", aliases: []string{"quarters"}, functionExample: "quarter(DATE '2024-12-30') = 4",
		whole:    func(m moment) int64 { return (m.month()-1)/3 + 1 },
		interval: func(x types.MonthDayNano) int64 { return int64(x.Months%12/3 + 1) },
		trunc: func(m moment) moment {
			return moment{days: daysOf(m.year(), (m.month()-1)/3*3+1), offset: m.offset}
		},
		truncInterval: truncMonths(3),
	},
	{
		name: "month", aliases: []string{"months", "mon", "mons"}, functionExample: "month(DATE '2024-12-30') = 12",
		whole:         func(m moment) int64 { return m.month() },
		interval:      func(x types.MonthDayNano) int64 { return int64(x.Months % 12) },
		trunc:         func(m moment) moment { return moment{days: daysOf(m.year(), m.month()), offset: m.offset} },
		truncInterval: truncMonths(1),
	},
	{
		name: "week", aliases: []string{"weeks", "w", "weekofyear"}, functions: []string{"weekofyear"},
		functionExample: "week(DATE '2024-12-30') = 1",
		whole:           func(m moment) int64 { _, week := m.isoWeek(); return week },
		trunc:           truncWeek, truncInterval: truncDays(7),
	},
	{
		name: "day", aliases: []string{"days", "d", "dayofmonth"}, functions: []string{"dayofmonth"}, functionExample: "day(DATE '2024-12-30') = 30",
		whole:    func(m moment) int64 { _, _, day := types.CivilOfDays(m.days); return int64(day) },
		interval: func(x types.MonthDayNano) int64 { return int64(x.Days) },
		trunc:    truncNanos(nanosPerDay), truncInterval: truncDays(1),
	},
	{
		name: "decade", aliases: []string{"decades", "dec", "decs"}, functionExample: "decade(DATE '2024-12-30') = 202",
		whole:    func(m moment) int64 { return m.year() / 10 },
		interval: func(x types.MonthDayNano) int64 { return int64(x.Months / 120) },
		trunc:    truncYears(10), truncInterval: truncMonths(120),
	},
	{
		name: "century", aliases: []string{"centuries", "cent", "c"}, functionExample: "century(DATE '2024-12-30') = 21",
		whole:    func(m moment) int64 { return m.period(100) },
		interval: func(x types.MonthDayNano) int64 { return int64(x.Months / 1200) },
		trunc:    truncYears(100), truncInterval: truncMonths(1200),
	},
	{
		name: "millennium", aliases: []string{"millennia", "millenniums", "millenium", "mil", "mils"},
		functionExample: "millennium(DATE '2024-12-30') = 3",
		whole:           func(m moment) int64 { return m.period(1000) },
		interval:        func(x types.MonthDayNano) int64 { return int64(x.Months / 12000) },
		trunc:           truncYears(1000), truncInterval: truncMonths(12000),
	},
	{
		name: "isoyear", functionExample: "isoyear(DATE '2024-12-30') = 2025",
		whole: func(m moment) int64 { year, _ := m.isoWeek(); return year },
		trunc: func(m moment) moment {
			year, _ := m.isoWeek()
			return moment{days: firstWeek(year), offset: m.offset}
		},
	},
	{
		name: "yearweek", functionExample: "yearweek(DATE '2024-12-30') = 202501",
		whole: func(m moment) int64 {
			year, week := m.isoWeek()
			if year < 0 {
				week = -week
			}
			return year*100 + week
		},
		trunc: truncWeek,
	},
	{
		name: "dow", aliases: []string{"dayofweek", "weekday"}, functions: []string{"dayofweek", "weekday"},
		functionExample: "dow(DATE '2024-12-29') = 0",
		whole:           func(m moment) int64 { return m.isoWeekday() % 7 },
		trunc:           truncNanos(nanosPerDay),
	},
	{
		name: "isodow", functionExample: "isodow(DATE '2024-12-29') = 7",
		whole: func(m moment) int64 { return m.isoWeekday() },
		trunc: truncNanos(nanosPerDay),
	},
	{
		name: "doy", aliases: []string{"dayofyear"}, functions: []string{"dayofyear"}, functionExample: "doy(DATE '2024-12-30') = 365",
		whole: func(m moment) int64 { return m.days - daysOf(m.year(), 1) + 1 },
		trunc: truncNanos(nanosPerDay),
	},
	{
		name: "era", functionExample: "era(DATE '2024-12-30') = 1",
		whole: func(m moment) int64 {
			if m.year() > 0 {
				return 1
			}
			return 0
		},
	},
	{
		name: "hour", aliases: []string{"hours", "hr", "hrs", "h"}, functionExample: "hour(TIMESTAMP '2024-12-30 13:14:15') = 13", ofTime: true,
		whole:    func(m moment) int64 { return m.nanos / nanosPerHour },
		interval: func(x types.MonthDayNano) int64 { return x.Nanos / nanosPerHour },
		trunc:    truncNanos(nanosPerHour), truncInterval: truncClock(nanosPerHour),
	},
	{
		name: "minute", aliases: []string{"minutes", "min", "mins", "m"}, functionExample: "minute(TIMESTAMP '2024-12-30 13:14:15') = 14", ofTime: true,
		whole:    func(m moment) int64 { return m.nanos / nanosPerMinute % 60 },
		interval: func(x types.MonthDayNano) int64 { return x.Nanos / nanosPerMinute % 60 },
		trunc:    truncNanos(nanosPerMinute), truncInterval: truncClock(nanosPerMinute),
	},
	{
		name: "second", aliases: []string{"seconds", "sec", "secs", "s"}, functionExample: "second(TIMESTAMP '2024-12-30 13:14:15') = 15", ofTime: true,
		whole:    func(m moment) int64 { return m.nanos / nanosPerSecond % 60 },
		interval: func(x types.MonthDayNano) int64 { return x.Nanos / nanosPerSecond % 60 },
		trunc:    truncNanos(nanosPerSecond), truncInterval: truncClock(nanosPerSecond),
	},
	{
		name: "millisecond", aliases: []string{"milliseconds", "ms", "msec", "msecs"}, ofTime: true,
		functionExample: "millisecond(TIMESTAMP '2024-12-30 13:14:15.5') = 15500",
		whole:           func(m moment) int64 { return m.nanos % nanosPerMinute / 1e6 },
		interval:        func(x types.MonthDayNano) int64 { return x.Nanos % nanosPerMinute / 1e6 },
		trunc:           truncNanos(1e6), truncInterval: truncClock(1e6),
	},
	{
		name: "microsecond", aliases: []string{"microseconds", "us", "usec", "usecs"}, ofTime: true,
		functionExample: "microsecond(TIMESTAMP '2024-12-30 13:14:15.5') = 15500000",
		whole:           func(m moment) int64 { return m.nanos % nanosPerMinute / 1e3 },
		interval:        func(x types.MonthDayNano) int64 { return x.Nanos % nanosPerMinute / 1e3 },
		trunc:           truncNanos(1e3), truncInterval: truncClock(1e3),
	},
	{
		name: "nanosecond", aliases: []string{"nanoseconds", "ns"}, ofTime: true,
		functionExample: "nanosecond(TIMESTAMP '2024-12-30 13:14:15.5') = 15500000000",
		whole:           func(m moment) int64 { return m.nanos % nanosPerMinute },
		interval:        func(x types.MonthDayNano) int64 { return x.Nanos % nanosPerMinute },
		trunc:           truncNanos(1), truncInterval: truncClock(1),
	},
	{
		name: "epoch", functionExample: "epoch(TIMESTAMP '1970-01-02 00:00:00.5') = 86400.5", ofTime: true,
		// In whole microseconds first, so that the number has the digits of the timestamp.
		double: func(m moment) float64 { return float64(m.utcMicros()) / 1e6 },
		intervalDouble: func(x types.MonthDayNano) float64 {
			// A year has 365.25 days, a month 30.
			seconds := int64(x.Months/12)*31557600 + int64(x.Months%12)*30*86400 + int64(x.Days)*86400
			return float64(seconds) + float64(x.Nanos/1e3)/1e6
		},
		trunc: truncNanos(nanosPerSecond), truncInterval: truncClock(nanosPerSecond),
	},
	{
		name: "julian", functionExample: "julian(DATE '2024-12-30') = 2460675.0",
		double: func(m moment) float64 { return float64(m.days+2440588) + float64(m.nanos/1e3)/(86400*1e6) },
		trunc:  truncNanos(nanosPerDay),
	},
	{
		name: "timezone", functionExample: "timezone(TIMESTAMP '2024-12-30 00:00:00') = 0", ofTime: true, zoned: true,
		whole: func(m moment) int64 { return int64(m.offset) },
	},
	{
		name: "timezone_hour", functionExample: "timezone_hour(TIMESTAMP '2024-12-30 00:00:00') = 0", ofTime: true, zoned: true,
		whole: func(m moment) int64 { return int64(m.offset / 3600) },
	},
	{
		name: "timezone_minute", functionExample: "timezone_minute(TIMESTAMP '2024-12-30 00:00:00') = 0", ofTime: true, zoned: true,
		whole: func(m moment) int64 { return int64(m.offset / 60 % 60) },
	},
}

func (m moment) year() int64 {
	year, _, _ := types.CivilOfDays(m.days)
	return year
}

func (m moment) month() int64 {
	_, month, _ := types.CivilOfDays(m.days)
	return int64(month)
}

// period numbers the centuries or millennia: the first one begins in year 1, and -1 is the one before.
func (m moment) period(years int64) int64 {
	y := m.year()
	if y <= 0 {
		return y/years - 1
	}
	return (y-1)/years + 1
}

// isoWeekday counts from Monday, 1, to Sunday, 7.
func (m moment) isoWeekday() int64 {
	_, day := floorDiv(m.days+3, 7) // 1970-01-01 was a Thursday
	return day + 1
}

// isoWeek gives year and week by ISO 8601: a week belongs to the year of its Thursday.
func (m moment) isoWeek() (year, week int64) {
	thursday := moment{days: m.days - m.isoWeekday() + 4}
	year = thursday.year()
	return year, (thursday.days-daysOf(year, 1))/7 + 1
}

// firstWeek gives the Monday on which an ISO year begins: that of the week with 4 January.
func firstWeek(year int64) int64 {
	fourth := moment{days: daysOf(year, 1) + 3}
	return fourth.days - fourth.isoWeekday() + 1
}

// utcMicros gives the microseconds since 1970 in UTC.
func (m moment) utcMicros() int64 {
	return m.days*86400*1e6 + m.nanos/1e3 - int64(m.offset)*1e6
}

// daysOf gives the first day of a month, counted from 1970-01-01 (after Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms": years that start in March, in eras of 400).
func daysOf(year, month int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era, yearOfEra := floorDiv(year, 400)
	dayOfYear := (153*(month-3) + 2) / 5
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
}

// truncYears truncates to so many years, toward year 0.
func truncYears(years int64) func(moment) moment {
	return func(m moment) moment { return moment{days: daysOf(m.year()/years*years, 1), offset: m.offset} }
}

func truncWeek(m moment) moment {
	return moment{days: m.days - m.isoWeekday() + 1, offset: m.offset}
}

func truncNanos(unit int64) func(moment) moment {
	return func(m moment) moment {
		m.nanos -= m.nanos % unit
		return m
	}
}

func truncMonths(months int32) func(types.MonthDayNano) types.MonthDayNano {
	return func(x types.MonthDayNano) types.MonthDayNano {
		return types.MonthDayNano{Months: x.Months / months * months}
	}
}

func truncDays(days int32) func(types.MonthDayNano) types.MonthDayNano {
	return func(x types.MonthDayNano) types.MonthDayNano {
		return types.MonthDayNano{Months: x.Months, Days: x.Days / days * days}
	}
}

func truncClock(unit int64) func(types.MonthDayNano) types.MonthDayNano {
	return func(x types.MonthDayNano) types.MonthDayNano {
		x.Nanos = x.Nanos / unit * unit
		return x
	}
}
