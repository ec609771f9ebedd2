package kernels

import (
	"math"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// This file reads dates and times from text, in ISO 8601's order as DuckDB takes it: 2020-01-02, also with / or one-digit parts,
// (BC) for years before 1; T or blanks before the time; an offset or zone after it.

// scanner reads a text from the left.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) end() bool { return s.i >= len(s.b) }

func (s *scanner) peek() byte {
	if s.end() {
		return 0
	}
	return s.b[s.i]
}

// accept skips a byte if it is next.
func (s *scanner) accept(c byte) bool {
	if s.peek() == c && !s.end() {
		s.i++
		return true
	}
	return false
}

func (s *scanner) skipBlanks() {
	for !s.end() && (s.b[s.i] == ' ' || s.b[s.i] >= '\t' && s.b[s.i] <= '\r') {
		s.i++
	}
}

// number reads at least one and at most limit digits.
func (s *scanner) number(limit int) (x int64, ok bool) {
	start := s.i
	for !s.end() && s.i-start < limit && isDigit(s.b[s.i]) {
		x = x*10 + int64(s.b[s.i]-'0')
		s.i++
	}
	return x, s.i > start
}

// word reads letters, as lower case.
func (s *scanner) word() string {
	start := s.i
	for !s.end() && s.b[s.i]|0x20 >= 'a' && s.b[s.i]|0x20 <= 'z' {
		s.i++
	}
	lower := make([]byte, s.i-start)
	for k, c := range s.b[start:s.i] {
		lower[k] = c | 0x20
	}
	return string(lower)
}

// parseDate reads a date; a time after it is read and dropped.
func parseDate(b []byte) (int32, parseStatus) {
	s := scanner{b: trimBlanks(b)}
	days, infinite, status := s.date()
	if status != parsed {
		return 0, status
	}
	if !s.end() && !infinite {
		if _, _, status := s.clock(); status != parsed {
			return 0, status
		}
	}
	if !s.end() {
		return 0, malformed
	}
	return days, parsed
}

// date reads the date part; infinite says that it was a word for infinity.
func (s *scanner) date() (days int32, infinite bool, status parseStatus) {
	switch text := s.b[s.i:]; {
	case equalFold(text, "infinity"), equalFold(text, "inf"):
		s.i = len(s.b)
		return infiniteDate, true, parsed
	case equalFold(text, "-infinity"), equalFold(text, "-inf"):
		s.i = len(s.b)
		return -infiniteDate, true, parsed
	case equalFold(text, "epoch"):
		s.i = len(s.b)
		return 0, false, parsed
	}
	negative := s.accept('-')
	year, ok := s.number(9)
	if !ok {
		return 0, false, malformed
	}
	separator := s.peek()
	if separator != '-' && separator != '/' {
		return 0, false, malformed
	}
	s.i++
	month, ok1 := s.number(2)
	ok2 := s.accept(separator)
	day, ok3 := s.number(2)
	if !ok1 || !ok2 || !ok3 {
		return 0, false, malformed
	}
	if negative {
		year = -year
	}
	if at := s.i; !s.end() {
		s.skipBlanks()
		if rest := s.b[s.i:]; len(rest) >= 4 && equalFold(rest[:4], "(bc)") {
			s.i += 4
			year = 1 - year
		} else {
			s.i = at
		}
	}
	if month < 1 || month > 12 || day < 1 || day > int64(daysInMonth(year, int(month))) {
		return 0, false, outOfRange
	}
	d := daysFromCivil(year, int(month), int(day))
	if d >= int64(infiniteDate) || d <= -int64(infiniteDate) {
		return 0, false, outOfRange
	}
	return int32(d), false, parsed
}

// clock reads what may follow a date: blanks or T, a time of day in nanoseconds, and an offset or zone name.
func (s *scanner) clock() (nanos int64, zone zoneText, status parseStatus) {
	if c := s.peek(); c == 'T' || c == 't' {
		s.i++
	} else {
		at := s.i
		s.skipBlanks()
		if s.i == at {
			return 0, zone, malformed
		}
	}
	if s.end() {
		return 0, zone, malformed
	}
	if nanos, status = s.timeOfDay(); status != parsed {
		return 0, zone, status
	}
	zone, status = s.zone()
	return nanos, zone, status
}

// timeOfDay reads HH:MM[:SS[.fraction]] up to 24:00:00, in nanoseconds; further digits are dropped.
func (s *scanner) timeOfDay() (int64, parseStatus) {
	hour, ok := s.number(2)
	if !ok || !s.accept(':') {
		return 0, malformed
	}
	minute, ok := s.number(2)
	if !ok {
		return 0, malformed
	}
	var second, nanos int64
	if s.accept(':') {
		if second, ok = s.number(2); !ok {
			return 0, malformed
		}
		if s.accept('.') {
			scale := int64(100_000_000)
			for ; !s.end() && isDigit(s.b[s.i]); s.i++ {
				nanos += int64(s.b[s.i]-'0') * scale
				scale /= 10
			}
		}
	}
	total := (hour*3600+minute*60+second)*1_000_000_000 + nanos
	if minute > 59 || second > 59 || total > nanosPerDay {
		return 0, outOfRange
	}
	return total, parsed
}

// zoneText is what stood after a time.
type zoneText struct {
	given    bool
	offset   int64 // seconds east of UTC, when location is nil
	location *time.Location
}

// zone reads Z, ±HH[:MM[:SS]] or, after a blank, the name of a zone; nothing is allowed too.
func (s *scanner) zone() (zoneText, parseStatus) {
	at := s.i
	s.skipBlanks()
	switch c := s.peek(); {
	case s.end():
		return zoneText{}, parsed
	case (c == 'Z' || c == 'z') && s.i+1 == len(s.b):
		s.i++
		return zoneText{given: true}, parsed
	case c == '+' || c == '-':
		s.i++
		hours, ok := s.number(2)
		if !ok {
			return zoneText{}, malformed
		}
		seconds := hours * 3600
		for _, unit := range []int64{60, 1} {
			if s.accept(':') || unit == 60 && isDigit(s.peek()) {
				x, ok := s.number(2)
				if !ok || x > 59 {
					return zoneText{}, malformed
				}
				seconds += x * unit
			} else {
				break
			}
		}
		if seconds >= 24*3600 {
			return zoneText{}, outOfRange
		}
		if c == '-' {
			seconds = -seconds
		}
		return zoneText{given: true, offset: seconds}, parsed
	case s.i == at:
		return zoneText{}, malformed
	}
	// Reading a zone's file takes a while, but texts with zone names are rare.
	location, err := time.LoadLocation(string(s.b[s.i:]))
	if err != nil {
		return zoneText{}, malformed
	}
	s.i = len(s.b)
	return zoneText{given: true, location: location}, parsed
}

// parseTime reads a time of day in a unit; a date before it is dropped.
func parseTime(b []byte, unit types.TimeUnit) (int64, parseStatus) {
	s := scanner{b: trimBlanks(b)}
	var nanos int64
	dated := s
	if _, infinite, status := dated.date(); status == parsed && !infinite && !dated.end() {
		s = dated
		nanos, _, status = s.clock()
		if status != parsed {
			return 0, status
		}
	} else {
		if nanos, status = s.timeOfDay(); status != parsed {
			return 0, status
		}
		if _, status = s.zone(); status != parsed {
			return 0, status
		}
	}
	if !s.end() {
		return 0, malformed
	}
	return nanos / (1_000_000_000 / unit.PerSecond()), parsed
}

// parseTimestamp reads a timestamp in a unit. With a session zone it is an instant: the text's own offset or zone counts, or
// else the session's. Without, an offset in the text is read and dropped, as PostgreSQL does.
func parseTimestamp(b []byte, unit types.TimeUnit, session *time.Location) (int64, parseStatus) {
	s := scanner{b: trimBlanks(b)}
	days, infinite, status := s.date()
	if status != parsed {
		return 0, status
	}
	if infinite {
		t, _ := timestampFromDate(days, 1)
		return t, parsed
	}
	var nanos int64
	var zone zoneText
	if !s.end() {
		if nanos, zone, status = s.clock(); status != parsed {
			return 0, status
		}
	}
	if !s.end() {
		return 0, malformed
	}
	perSecond := unit.PerSecond()
	t, ok := timestampFromDate(days, 86400*perSecond)
	if !ok {
		return 0, outOfRange
	}
	nanosPerUnit := 1_000_000_000 / perSecond
	units := nanos / nanosPerUnit
	if unit < types.Microsecond { // DuckDB rounds to seconds and milliseconds, and cuts below microseconds
		units = (nanos + nanosPerUnit/2) / nanosPerUnit
	}
	t, over := add64(t, units)
	if !over && session != nil {
		switch {
		case zone.location != nil:
			t, ok = fromLocal(t, perSecond, zone.location)
		case zone.given:
			t, over = add64(t, -zone.offset*perSecond)
		default:
			t, ok = fromLocal(t, perSecond, session)
		}
	}
	if over || !ok || isInfiniteTimestamp(t) {
		return 0, outOfRange
	}
	return t, parsed
}

// intervalUnits gives what one of each unit of an interval adds.
var intervalUnits = func() map[string]types.MonthDayNano {
	units := map[string]types.MonthDayNano{}
	for names, u := range map[[4]string]types.MonthDayNano{
		{"millennium", "millennia", "millenniums", "mil"}: {Months: 12000},
		{"century", "centuries", "cent", "c"}:             {Months: 1200},
		{"decade", "decades", "dec", "decs"}:              {Months: 120},
		{"year", "years", "yr", "y"}:                      {Months: 12},
		{"quarter", "quarters", "qtr", "q"}:               {Months: 3},
		{"month", "months", "mon", "mons"}:                {Months: 1},
		{"week", "weeks", "w", "wk"}:                      {Days: 7},
		{"day", "days", "d", "dayofmonth"}:                {Days: 1},
		{"hour", "hours", "h", "hr"}:                      {Nanos: 3600e9},
		{"minute", "minutes", "m", "min"}:                 {Nanos: 60e9},
		{"second", "seconds", "s", "sec"}:                 {Nanos: 1e9},
		{"millisecond", "milliseconds", "ms", "msec"}:     {Nanos: 1e6},
		{"microsecond", "microseconds", "us", "usec"}:     {Nanos: 1e3},
		{"nanosecond", "nanoseconds", "ns", "nsec"}:       {Nanos: 1},
	} {
		for _, n := range names {
			units[n] = u
		}
	}
	for alias, name := range map[string]string{"yrs": "y", "qtrs": "q", "hrs": "h", "mins": "m", "secs": "s", "msecs": "ms", "usecs": "us", "weekofyear": "w"} {
		units[alias] = units[name]
	}
	return units
}()

// parseInterval reads amounts with units and at most one clock time: 1 year 2 months -3 days 04:05:06.7; a final ago negates
// all. A number without a unit counts seconds.
func parseInterval(b []byte) (types.MonthDayNano, parseStatus) {
	s := scanner{b: trimBlanks(b)}
	var months, days, nanos float64 // sums beyond 2^53 are kept apart below
	var wholeNanos int64
	over := false
	if s.accept('@') {
		s.skipBlanks()
	}
	if s.end() {
		return types.MonthDayNano{}, malformed
	}
	for !s.end() {
		if word := (&scanner{b: s.b[s.i:]}).word(); word == "ago" && months+days+nanos+float64(wholeNanos) != 0 {
			s.i += len(word)
			s.skipBlanks()
			if !s.end() {
				return types.MonthDayNano{}, malformed
			}
			months, days, nanos, wholeNanos = -months, -days, -nanos, -wholeNanos
			break
		}
		negative := s.accept('-')
		if !negative {
			s.accept('+')
		}
		start := s.i
		whole, ok := s.number(18)
		if !ok && s.peek() != '.' {
			return types.MonthDayNano{}, malformed
		}
		sign := int64(1)
		if negative {
			sign = -1
		}
		if ok && s.peek() == ':' {
			s.i = start
			clock, status := s.intervalClock()
			if status != parsed {
				return types.MonthDayNano{}, status
			}
			var o bool
			wholeNanos, o = add64(wholeNanos, sign*clock)
			over = over || o
			s.skipBlanks()
			continue
		}
		var fraction float64
		if s.accept('.') {
			scale := 0.1
			for ; !s.end() && isDigit(s.b[s.i]); s.i++ {
				fraction += float64(s.b[s.i]-'0') * scale
				scale /= 10
			}
		}
		s.skipBlanks()
		name := s.word()
		unit, known := intervalUnits[name]
		if name == "" && s.end() {
			unit, known = types.MonthDayNano{Nanos: 1e9}, true
		}
		if !known {
			return types.MonthDayNano{}, malformed
		}
		s.skipBlanks()
		months += float64(sign*whole) * float64(unit.Months)
		days += float64(sign*whole) * float64(unit.Days)
		product, o1 := mulFits64(sign*whole, unit.Nanos)
		sum, o2 := add64(wholeNanos, product)
		wholeNanos = sum
		over = over || o1 || o2
		// A fraction goes one step down, as in DuckDB: of years to whole months, of months to whole days, of days to the time.
		fraction *= float64(sign)
		switch {
		case unit.Months > 1:
			months += math.Trunc(fraction * float64(unit.Months))
		case unit.Months == 1:
			days += math.Trunc(fraction * daysPerMonth)
		default:
			wholeDays := math.Trunc(fraction * float64(unit.Days))
			days += wholeDays
			nanos += (fraction*float64(unit.Days)-wholeDays)*nanosPerDay + fraction*float64(unit.Nanos)
		}
	}
	sum, o := add64(wholeNanos, int64(math.Round(nanos)))
	if over || o || math.Abs(months) > math.MaxInt32 || math.Abs(days) > math.MaxInt32 {
		return types.MonthDayNano{}, outOfRange
	}
	return types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: sum}, parsed
}

// intervalClock reads HH:MM[:SS[.fraction]] with any number of hours, in nanoseconds.
func (s *scanner) intervalClock() (int64, parseStatus) {
	hours, _ := s.number(9)
	s.accept(':')
	minutes, ok := s.number(2)
	if !ok {
		return 0, malformed
	}
	var seconds, nanos int64
	if s.accept(':') {
		if seconds, ok = s.number(2); !ok {
			return 0, malformed
		}
		if s.accept('.') {
			scale := int64(100_000_000)
			for ; !s.end() && isDigit(s.b[s.i]); s.i++ {
				nanos += int64(s.b[s.i]-'0') * scale
				scale /= 10
			}
		}
	}
	if minutes > 59 || seconds > 59 {
		return 0, outOfRange
	}
	total, over := mulFits64(hours, 3600e9)
	total, over2 := add64(total, (minutes*60+seconds)*1e9+nanos)
	if over || over2 {
		return 0, outOfRange
	}
	return total, parsed
}
