package arrowjson

import (
	"strconv"

	"github.com/lacunadb/lacuna/types"
)

// This file writes dates, times and spans of time as ISO 8601 has them. There is a text for every number that the types can hold, and it reads back as
// the same number: years beyond 9999 and before 0 have a sign, times of day may go past 24 hours.

const (
	secondsPerDay = 86400
	millisPerDay  = 1000 * secondsPerDay
)

// appendDay appends a day counted from 1970-01-01: 2020-01-02, -0043-03-15, +10000-01-01. Year 0 is 1 BC.
func appendDay(dst []byte, days int64) []byte {
	year, month, day := types.CivilOfDays(days)
	switch {
	case year < 0:
		dst = append(dst, '-')
		year = -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for limit := int64(1000); limit > 1 && year < limit; limit /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, year, 10)
	return append(dst, '-', '0'+byte(month/10), '0'+byte(month%10), '-', '0'+byte(day/10), '0'+byte(day%10))
}

// appendTimestamp appends an instant or local time counted from 1970: 2020-01-02T03:04:05.5.
func appendTimestamp(dst []byte, x int64, unit types.TimeUnit) []byte {
	perDay := secondsPerDay * unit.PerSecond()
	days, clock := x/perDay, x%perDay
	if clock < 0 {
		days, clock = days-1, clock+perDay
	}
	dst = append(appendDay(dst, days), 'T')
	return types.AppendTime(dst, clock, unit)
}

// appendDate64 appends milliseconds since 1970 as a day, with a time when they are none.
func appendDate64(dst []byte, millis int64) []byte {
	if millis%millisPerDay != 0 {
		return appendTimestamp(dst, millis, types.Millisecond)
	}
	return appendDay(dst, millis/millisPerDay)
}

// appendInterval appends a span of time whose parts may have signs of their own: P1Y2M-3DT4H5M6.5S, PT0S for none.
func appendInterval(dst []byte, months, days int32, clock int64, unit types.TimeUnit) []byte {
	dst = append(dst, 'P')
	dst = appendPart(dst, int64(months/12), 'Y')
	dst = appendPart(dst, int64(months%12), 'M')
	dst = appendPart(dst, int64(days), 'D')
	if clock == 0 && dst[len(dst)-1] != 'P' {
		return dst
	}
	dst = append(dst, 'T')
	perSecond := unit.PerSecond()
	seconds, fraction := clock/perSecond, clock%perSecond
	dst = appendPart(dst, seconds/3600, 'H')
	dst = appendPart(dst, seconds/60%60, 'M')
	if seconds%60 == 0 && fraction == 0 && clock != 0 {
		return dst
	}
	if clock < 0 {
		dst = append(dst, '-')
		seconds, fraction = -(seconds % 60), -fraction
	}
	dst = strconv.AppendInt(dst, seconds%60, 10)
	if fraction != 0 {
		dst = append(dst, '.')
		for limit := perSecond / 10; limit > fraction; limit /= 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendInt(dst, fraction, 10)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 'S')
}

func appendPart(dst []byte, n int64, letter byte) []byte {
	if n == 0 {
		return dst
	}
	return append(strconv.AppendInt(dst, n, 10), letter)
}
