package kernels

import "github.com/lacunadb/lacuna/types"

// The proleptic Gregorian calendar, on days since 1970-01-01; types.CivilOfDays is the other direction. It follows Howard Hinnant's "chrono-compatible
// low-level date algorithms": years begin in March, so that the leap day is the last of its year, and repeat every 400.

const (
	daysPerEra  = 146097 // 400 years
	epochOffset = 719468 // days from 0000-03-01 to 1970-01-01
)

// daysFromCivil gives the day of a year, month (1 to 12) and day of month; days past the month's end run into the next.
func daysFromCivil(year int64, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	dayOfYear := int64(153*(month-3)+2)/5 + int64(day) - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*daysPerEra + dayOfEra - epochOffset
}

func daysInMonth(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// addMonths moves a day by months; the day of month is clamped to the length of the month it lands in.
func addMonths(days, months int64) int64 {
	year, month, day := types.CivilOfDays(days)
	m := year*monthsPerYear + int64(month-1) + months
	year = floorDiv(m, monthsPerYear)
	month = int(m-year*monthsPerYear) + 1
	return daysFromCivil(year, month, min(day, daysInMonth(year, month)))
}

// floorDiv divides rounding down; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// add64 gives a+b and whether it overflowed.
func add64(a, b int64) (int64, bool) {
	r := a + b
	return r, (a^r)&(b^r) < 0
}

// mulFits64 gives a*b and whether it overflowed.
func mulFits64(a, b int64) (int64, bool) {
	r := mul64(a, b)
	return int64(r.Lo), !fits64(r)
}

// Infinity and -infinity stay what they are in arithmetic and casts.
const (
	infiniteDate      = types.InfiniteDate
	infiniteTimestamp = types.InfiniteTimestamp
)

func isInfiniteDate(d int32) bool { return d == infiniteDate || d == -infiniteDate }

func isInfiniteTimestamp(t int64) bool { return t == infiniteTimestamp || t == -infiniteTimestamp }

// timestampFromDate gives the midnight that begins a day in units of a perDay-th of a day, and false when out of range.
func timestampFromDate(d int32, perDay int64) (int64, bool) {
	switch d {
	case infiniteDate:
		return infiniteTimestamp, true
	case -infiniteDate:
		return -infiniteTimestamp, true
	}
	t, over := mulFits64(int64(d), perDay)
	return t, !over && !isInfiniteTimestamp(t)
}
