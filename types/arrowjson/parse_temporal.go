package arrowjson

import (
	"math"

	"github.com/lacunadb/lacuna/types"
)

// This file reads what temporal.go writes.

// texts reads a text of ISO 8601 from its start. Every method takes what it reads off the text, and gives false when that is not there.
type texts []byte

func (t *texts) accept(c byte) bool {
	if len(*t) > 0 && (*t)[0] == c {
		*t = (*t)[1:]
		return true
	}
	return false
}

// digits reads from least to most digits; 18 always fit.
func (t *texts) digits(least, most int) (x int64, ok bool) {
	n := 0
	for n < len(*t) && n < most && (*t)[n]-'0' <= 9 {
		x = x*10 + int64((*t)[n]-'0')
		n++
	}
	*t = (*t)[n:]
	return x, n >= least
}

// pair reads a separator and two digits up to a limit.
func (t *texts) pair(separator byte, limit int64) (x int64, ok bool) {
	if !t.accept(separator) {
		return 0, false
	}
	x, ok = t.digits(2, 2)
	return x, ok && x <= limit
}

// fraction reads a point and digits, if they are there, as a number of units: what is finer must be zeros.
func (t *texts) fraction(unit types.TimeUnit) (x int64, ok bool) {
	if !t.accept('.') {
		return 0, true
	}
	n, part := 0, unit.PerSecond()
	for n < len(*t) && (*t)[n]-'0' <= 9 {
		c := int64((*t)[n] - '0')
		if part /= 10; part == 0 && c != 0 {
			return 0, false
		}
		x += c * part
		n++
	}
	*t = (*t)[n:]
	return x, n > 0
}

// sum gives a*b + c, where c has the sign of a or is 0, if that fits.
func sum(a, b, c int64) (int64, bool) {
	p := a * b
	s := p + c
	return s, (b == 0 || p/b == a && !(a == math.MinInt64 && b == -1)) && (c >= 0) == (s >= p)
}

// scaled gives a*b + c for 0 <= c < b, if that fits although a*b may not.
func scaled(a, b, c int64) (int64, bool) {
	if a < 0 && c > 0 {
		return sum(a+1, b, c-b)
	}
	return sum(a, b, c)
}

// day reads a date as days since 1970-01-01.
func (t *texts) day() (int64, bool) {
	negative, signed := t.accept('-'), false
	if !negative {
		signed = t.accept('+')
	}
	most := 4
	if negative || signed {
		most = 12
	}
	year, ok := t.digits(4, most)
	if !ok {
		return 0, false
	}
	if negative {
		year = -year
	}
	month, ok := t.pair('-', 12)
	if !ok || month == 0 {
		return 0, false
	}
	day, ok := t.pair('-', 31)
	if !ok || day == 0 {
		return 0, false
	}
	days := daysOfCivil(year, month, day)
	// A day that the month does not have comes out as one of the next.
	_, m, _ := types.CivilOfDays(days)
	return days, m == int(month)
}

// daysOfCivil is the inverse of types.CivilOfDays.
func daysOfCivil(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era := year / 400
	if year%400 < 0 {
		era--
	}
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// clock reads minutes and seconds after hours, and a fraction in units.
func (t *texts) clock(hours int64, unit types.TimeUnit) (seconds, fraction int64, ok bool) {
	minutes, ok := t.pair(':', 59)
	if !ok {
		return 0, 0, false
	}
	seconds, ok = t.pair(':', 59)
	if !ok {
		return 0, 0, false
	}
	fraction, ok = t.fraction(unit)
	return hours*3600 + minutes*60 + seconds, fraction, ok
}

// offset reads Z, or an offset from UTC in seconds.
func (t *texts) offset() (int64, bool) {
	if t.accept('Z') {
		return 0, true
	}
	negative := t.accept('-')
	if !negative && !t.accept('+') {
		return 0, false
	}
	hours, ok := t.digits(2, 2)
	if !ok || hours > 23 {
		return 0, false
	}
	minutes, ok := t.pair(':', 59)
	if !ok {
		return 0, false
	}
	if negative {
		return -hours*3600 - minutes*60, true
	}
	return hours*3600 + minutes*60, true
}

// parseDay reads a date.
func parseDay(t texts) (int64, outcome) {
	days, ok := t.day()
	if !ok || len(t) > 0 {
		return 0, invalid
	}
	return days, fits
}

// parseTimestamp reads a date and a time, with an offset if the type is zoned, in units since 1970.
func parseTimestamp(t texts, unit types.TimeUnit, zoned bool) (int64, outcome) {
	days, ok := t.day()
	if !ok || !t.accept('T') {
		return 0, invalid
	}
	hours, ok := t.digits(2, 2)
	if !ok || hours > 23 {
		return 0, invalid
	}
	clock, fraction, ok := t.clock(hours, unit)
	if !ok {
		return 0, invalid
	}
	offset := int64(0)
	if zoned {
		if offset, ok = t.offset(); !ok {
			return 0, invalid
		}
	}
	if len(t) > 0 {
		return 0, invalid
	}
	// Within a day of the clock, so that an offset cannot overflow by itself.
	for clock -= offset; clock < 0; days-- {
		clock += secondsPerDay
	}
	for ; clock >= secondsPerDay; days++ {
		clock -= secondsPerDay
	}
	seconds, ok := scaled(days, secondsPerDay, clock)
	if !ok {
		return 0, overflow
	}
	x, ok := scaled(seconds, unit.PerSecond(), fraction)
	if !ok {
		return 0, overflow
	}
	return x, fits
}

// parseDate64 reads a day, or a timestamp, as milliseconds since 1970.
func parseDate64(t texts) (int64, outcome) {
	days, o := parseDay(t)
	if o != fits {
		return parseTimestamp(t, types.Millisecond, false)
	}
	millis, ok := sum(days, millisPerDay, 0)
	if !ok {
		return 0, overflow
	}
	return millis, fits
}

// parseTime reads a time of day in units, which may go beyond the day.
func parseTime(t texts, unit types.TimeUnit) (int64, outcome) {
	negative := t.accept('-')
	const mostDigits = 15 // 3600 times that fits
	hours, ok := t.digits(2, mostDigits)
	if !ok {
		return 0, invalid
	}
	seconds, fraction, ok := t.clock(hours, unit)
	if !ok || len(t) > 0 {
		return 0, invalid
	}
	if negative {
		seconds, fraction = -seconds, -fraction
	}
	x, ok := sum(seconds, unit.PerSecond(), fraction)
	if !ok {
		return 0, overflow
	}
	return x, fits
}

// interval is a span of time: its time in units.
type interval struct {
	months, days, clock int64
	// dated and timed say which parts were written.
	dated, timed bool
}

// parseInterval reads a duration of ISO 8601.
func parseInterval(t texts, unit types.TimeUnit) (x interval, o outcome) {
	if !t.accept('P') {
		return x, invalid
	}
	perSecond := unit.PerSecond()
	parts := []struct {
		letter byte
		into   *int64
		times  int64
	}{
		{'Y', &x.months, 12}, {'M', &x.months, 1}, {'W', &x.days, 7}, {'D', &x.days, 1},
		{'H', &x.clock, 3600 * perSecond}, {'M', &x.clock, 60 * perSecond}, {'S', &x.clock, perSecond},
	}
	const firstOfClock = 4
	next, clock := 0, false
	for len(t) > 0 {
		if !clock && t.accept('T') {
			clock, next = true, firstOfClock
			continue
		}
		negative := t.accept('-')
		n, ok := t.digits(1, 18)
		if !ok {
			return x, invalid
		}
		fraction, ok := int64(0), true
		pointed := len(t) > 0 && t[0] == '.'
		if fraction, ok = t.fraction(unit); !ok || len(t) == 0 {
			return x, invalid
		}
		if t[0]-'0' <= 9 {
			return x, overflow // more digits than any part has
		}
		end := len(parts)
		if !clock {
			end = firstOfClock
		}
		for next < end && parts[next].letter != t[0] {
			next++
		}
		if next == end || pointed && t[0] != 'S' {
			return x, invalid
		}
		if negative {
			n, fraction = -n, -fraction
		}
		p := parts[next]
		add, ok := sum(n, p.times, fraction)
		if ok {
			*p.into, ok = sum(*p.into, 1, add)
		}
		if !ok {
			return x, overflow
		}
		x.dated, x.timed = x.dated || !clock, x.timed || clock
		t, next = t[1:], next+1
	}
	if !x.dated && !x.timed || clock && !x.timed {
		return x, invalid
	}
	return x, fits
}

func isInt32(x int64) bool { return x == int64(int32(x)) }
