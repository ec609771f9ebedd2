package scalar

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

const formatCodes = "Codes are %Y %y %m %-m %B %b %d %-d %j %-j %a %A %w %u %H %-H %I %-I %p %M %-M %S %-S %f %g %n %z %Z %G %V %U %W %c %x %X %%."

func registerFormat(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "strftime", Bind: bindStrftime,
			Signatures:  []string{"strftime(x TIMESTAMP, format VARCHAR) -> VARCHAR", "strftime(x DATE, format VARCHAR) -> VARCHAR", "strftime(format VARCHAR, x TIMESTAMP) -> VARCHAR"},
			Description: "A date or timestamp as text. " + formatCodes, Example: "strftime(DATE '2020-02-01', '%d.%m.%y') = 01.02.20",
		},
		&expr.Family{
			Name: "strptime", Bind: bindStrptime("strptime", false),
			Signatures:  []string{"strptime(s VARCHAR, format VARCHAR) -> TIMESTAMP", "strptime(s VARCHAR, formats VARCHAR[]) -> TIMESTAMP"},
			Description: "The timestamp that a text says in a format, or in the first of several that fits; with %z or %Z a TIMESTAMP WITH TIME ZONE. " + formatCodes,
			Example:     "strptime('1.2.2020 3:04', '%d.%m.%Y %H:%M') = 2020-02-01 03:04:00",
		},
		&expr.Family{
			Name: "try_strptime", Bind: bindStrptime("try_strptime", true),
			Signatures:  []string{"try_strptime(s VARCHAR, format VARCHAR) -> TIMESTAMP", "try_strptime(s VARCHAR, formats VARCHAR[]) -> TIMESTAMP"},
			Description: "strptime that gives NULL for a text that does not fit.", Example: "try_strptime('soon', '%Y') IS NULL = true",
		},
	)
}

// TimeFormat is a format of strftime and strptime, cut at its codes: texts[0] codes[0] texts[1] codes[1] ... texts[n]. It does not change, so that many
// goroutines may use one.
type TimeFormat struct {
	source string // as it was written, of formats that NewTimeFormat made
	texts  []string
	codes  []timeCode
}

// timeCode is one code of a format: its letter, and whether numbers are written without zeros in front.
type timeCode struct {
	letter byte
	short  bool
}

// NewTimeFormat reads a format in the codes of strftime. An empty one, or a code that is none, is an error (22023).
func NewTimeFormat(format string) (*TimeFormat, error) {
	if format == "" {
		return nil, types.Errorf(types.CodeInvalidParameter, "the time format is empty").WithHint("%s", formatCodes)
	}
	f, err := readFormat(format)
	if err != nil {
		return nil, err
	}
	f.source = format
	return f, nil
}

// String gives the format as it was written to NewTimeFormat, "" for nil.
func (f *TimeFormat) String() string {
	if f == nil {
		return ""
	}
	return f.source
}

func readFormat(format string) (*TimeFormat, *types.Error) {
	f := &TimeFormat{texts: []string{""}}
	literal := func(s string) { f.texts[len(f.texts)-1] += s }
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			literal(format[i : i+1])
			continue
		}
		i++
		code := timeCode{}
		if i < len(format) && format[i] == '-' {
			code.short = true
			i++
		}
		if i == len(format) {
			return nil, types.Errorf(types.CodeInvalidParameter, "the time format %q ends within a code", format)
		}
		code.letter = format[i]
		known := "YymBbhdjaAwuHIpMSfgnzZGVUWcxX"
		if code.short {
			known = "mdjHIMSy"
		}
		switch {
		case code.letter == '%' && !code.short:
			literal("%")
		case strings.IndexByte(known, code.letter) < 0:
			return nil, types.Errorf(types.CodeInvalidParameter, "%q is no code of a time format", format[strings.LastIndexByte(format[:i], '%'):i+1]).WithHint("%s", formatCodes)
		case code.letter == 'c' || code.letter == 'x' || code.letter == 'X':
			inner, err := readFormat(map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S"}[code.letter])
			if err != nil {
				return nil, err
			}
			literal(inner.texts[0])
			f.texts = append(f.texts, inner.texts[1:]...)
			f.codes = append(f.codes, inner.codes...)
		default:
			f.codes = append(f.codes, code)
			f.texts = append(f.texts, "")
		}
	}
	return f, nil
}

// Zoned reports a format that says the offset or zone: what it reads is a TIMESTAMP WITH TIME ZONE.
func (f *TimeFormat) Zoned() bool {
	for _, c := range f.codes {
		if c.letter == 'z' || c.letter == 'Z' {
			return true
		}
	}
	return false
}

// Appender gives a function that appends a row of a DATE, TIMESTAMP or TIMESTAMP WITH TIME ZONE, which must not be NULL, in the format; the infinities are
// appended as CAST to VARCHAR gives them. Times with a zone are written in that of env.
func (f *TimeFormat) Appender(env *kernels.Env, v *types.Vector) func(dst []byte, row int) []byte {
	at, zone, zoned := momentsOf(env, v), zoneOf(env, v.Type()), v.Type().Kind() == types.KindTimestampTZ
	return func(dst []byte, row int) []byte {
		if m, finite := at(row); finite {
			return f.append(dst, m, zone, zoned)
		}
		return types.AppendText(dst, v, row)
	}
}

// append writes a moment. zone is nil for timestamps without one.
func (f *TimeFormat) append(dst []byte, m moment, zone *time.Location, zoned bool) []byte {
	dst = append(dst, f.texts[0]...)
	for i, c := range f.codes {
		dst = c.append(dst, m, zone, zoned)
		dst = append(dst, f.texts[i+1]...)
	}
	return dst
}

func (c timeCode) append(dst []byte, m moment, zone *time.Location, zoned bool) []byte {
	number := func(x int64, digits int) []byte {
		if c.short {
			digits = 1
		}
		return fmt.Appendf(dst, "%0*d", digits, x)
	}
	year, month, day := types.CivilOfDays(m.days)
	hour := m.nanos / nanosPerHour
	dayOfYear := m.days - daysOf(year, 1) + 1
	switch c.letter {
	case 'Y':
		if year < 0 {
			return strconv.AppendInt(dst, year, 10)
		}
		return number(year, 4)
	case 'y':
		return number(abs64(year)%100, 2)
	case 'm':
		return number(int64(month), 2)
	case 'B':
		return append(dst, monthNames[month-1]...)
	case 'b', 'h':
		return append(dst, monthNames[month-1][:3]...)
	case 'd':
		return number(int64(day), 2)
	case 'j':
		return number(dayOfYear, 3)
	case 'A':
		return append(dst, dayNames[m.isoWeekday()%7]...)
	case 'a':
		return append(dst, dayNames[m.isoWeekday()%7][:3]...)
	case 'w':
		return strconv.AppendInt(dst, m.isoWeekday()%7, 10)
	case 'u':
		return strconv.AppendInt(dst, m.isoWeekday(), 10)
	case 'H':
		return number(hour, 2)
	case 'I':
		return number((hour+11)%12+1, 2)
	case 'p':
		if hour < 12 {
			return append(dst, "AM"...)
		}
		return append(dst, "PM"...)
	case 'M':
		return number(m.nanos%nanosPerHour/nanosPerMinute, 2)
	case 'S':
		return number(m.nanos%nanosPerMinute/nanosPerSecond, 2)
	case 'f':
		return number(m.nanos%nanosPerSecond/1e3, 6)
	case 'g':
		return number(m.nanos%nanosPerSecond/1e6, 3)
	case 'n':
		return number(m.nanos%nanosPerSecond, 9)
	case 'z':
		return appendOffset(dst, m.offset)
	case 'Z':
		switch {
		case !zoned:
			return dst
		case zone == nil:
			return append(dst, "UTC"...)
		}
		name, _ := time.Unix(m.days*86400+m.nanos/nanosPerSecond-int64(m.offset), 0).In(zone).Zone()
		return append(dst, name...)
	case 'G':
		isoYear, _ := m.isoWeek()
		return number(isoYear, 4)
	case 'V':
		_, week := m.isoWeek()
		return number(week, 2)
	case 'U': // weeks begin on Sunday; the days before the first are week 0
		return number((dayOfYear+6-m.isoWeekday()%7)/7, 2)
	default: // W: on Monday
		return number((dayOfYear+6-(m.isoWeekday()-1))/7, 2)
	}
}

func abs64(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// appendOffset writes +hh or +hh:mm.
func appendOffset(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = fmt.Appendf(append(dst, sign), "%02d", seconds/3600)
	if minutes := seconds / 60 % 60; minutes != 0 {
		dst = fmt.Appendf(dst, ":%02d", minutes)
	}
	return dst
}

// formatsOf reads the formats of a constant argument once; of others the returned function reads them row by row.
func formatsOf(a expr.Arg) (func(env *kernels.Env, v *types.Vector) func(i int) (*TimeFormat, *types.Error), *types.Error) {
	if a.Constant != nil && !a.Constant.MayHaveNulls() {
		f, err := readFormat(types.Text(a.Constant, 0))
		if err != nil {
			return nil, err
		}
		return func(*kernels.Env, *types.Vector) func(int) (*TimeFormat, *types.Error) {
			return func(int) (*TimeFormat, *types.Error) { return f, nil }
		}, nil
	}
	return func(env *kernels.Env, v *types.Vector) func(int) (*TimeFormat, *types.Error) {
		texts := textOf(env, v)
		var known string
		var f *TimeFormat
		return func(i int) (*TimeFormat, *types.Error) {
			if text := texts.at(i); f == nil || string(text) != known {
				known = string(text)
				var err *types.Error
				if f, err = readFormat(known); err != nil {
					return nil, err
				}
			}
			return f, nil
		}
	}, nil
}

func bindStrftime(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	x, format := 0, 1
	if args[0].Type.Kind() == types.KindVarchar && args[1].Type.IsTemporal() {
		x, format = 1, 0
	}
	t, ok := temporalType(args[x])
	if !ok || t.Kind() == types.KindTime || t.Kind() == types.KindInterval || !casts(args[format], types.Varchar) {
		return nil, nil
	}
	formats, failure := formatsOf(args[format])
	if failure != nil {
		return nil, failure
	}
	f := &expr.Function{Name: "strftime", Args: make([]types.Type, 2), Result: types.Varchar, CanFail: args[format].Constant == nil}
	f.Args[x], f.Args[format] = t, types.Varchar
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		at, get, zone := momentsOf(env, args[x]), formats(env, args[format]), zoneOf(env, t)
		var dst []byte
		return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
			f, err := get(i)
			if err != nil {
				return err
			}
			m, finite := at(i)
			if finite {
				dst = f.append(dst[:0], m, zone, t.Kind() == types.KindTimestampTZ)
			} else {
				dst = append(dst[:0], types.Text(args[x], i)...)
			}
			b.Append(dst)
			return nil
		})
	}
	return f, nil
}

func bindStrptime(name string, try bool) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != 2 || !casts(args[0], types.Varchar) {
			return nil, nil
		}
		list := isList(args[1].Type)
		if !list && !casts(args[1], types.Varchar) {
			return nil, nil
		}
		if args[1].Constant == nil {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "%s with a format that is no constant is not supported", name)
		}
		f := &expr.Function{Name: name, Args: []types.Type{types.Varchar, args[1].Type}, Result: types.Timestamp, Nulls: expr.NullFromValues, CanFail: !try}
		var formats []*TimeFormat
		texts := args[1].Constant
		if !texts.MayHaveNulls() {
			if list {
				texts = elementsOf(texts)
			}
			for i := range texts.Len() {
				format, err := readFormat(types.Text(texts, i))
				if err != nil {
					return nil, err
				}
				if format.Zoned() {
					f.Result = types.TimestampTZ
				}
				formats = append(formats, format)
			}
		}
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			s := textOf(env, args[0])
			zone := zoneOf(env, out)
			return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
				text := string(s.at(i))
				for _, format := range formats {
					if micros, ok := format.Parse(text, zone); ok {
						return micros, true, nil
					}
				}
				if try {
					return 0, false, nil
				}
				return 0, false, types.Errorf(types.CodeInvalidDatetime, "%q does not have the format %q", text, types.Text(args[1], i))
			})
		}
		return f, nil
	}
}

// parsedTime is what the codes of a format have said so far.
type parsedTime struct {
	year, month, day    int64
	dayOfYear           int64
	week, weekday       int64 // weekday from Sunday, 0
	weekStart           byte  // U, W or V
	isoYear             int64
	hour, minute, nanos int64
	afternoon           int // 1 for AM, 2 for PM
	offset              int
	zone                *time.Location
	hasOffset           bool
}

// Parse reads a text as microseconds since 1970, by the rules of strptime; local times of formats with a zone, but none in the text, are those of the given
// zone (nil: UTC). It gives false for a text of another form.
func (f *TimeFormat) Parse(text string, zone *time.Location) (int64, bool) {
	p := parsedTime{year: 1900, month: 1, day: 1, week: -1, weekday: -1, isoYear: -1}
	rest := strings.TrimLeft(text, " \t\n")
	for i, code := range f.codes {
		var ok bool
		if rest, ok = skipLiteral(rest, f.texts[i]); !ok {
			return 0, false
		}
		if rest, ok = p.read(code, rest); !ok {
			return 0, false
		}
	}
	rest, ok := skipLiteral(rest, f.texts[len(f.codes)])
	if !ok || strings.TrimRight(rest, " \t\n") != "" {
		return 0, false
	}
	return p.micros(f.Zoned(), zone)
}

// skipLiteral takes a literal from the front; a blank in the format stands for any number of them.
func skipLiteral(s, literal string) (string, bool) {
	for i := 0; i < len(literal); i++ {
		if literal[i] == ' ' {
			if s == "" || s[0] != ' ' {
				return s, false
			}
			s = strings.TrimLeft(s, " ")
			continue
		}
		if s == "" || s[0] != literal[i] {
			return s, false
		}
		s = s[1:]
	}
	return s, true
}

// digits reads a number of at most so many digits from the front.
func digits(s string, most int) (int64, string, bool) {
	n := 0
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, s, false
	}
	x, err := strconv.ParseInt(s[:n], 10, 64)
	return x, s[n:], err == nil
}

// name reads one of some names, or of their first letters, in any case.
func name(s string, names []string, letters int) (int64, string, bool) {
	for i, n := range names {
		if letters > 0 {
			n = n[:letters]
		}
		if len(s) >= len(n) && strings.EqualFold(s[:len(n)], n) {
			return int64(i), s[len(n):], true
		}
	}
	return 0, s, false
}

func (p *parsedTime) read(c timeCode, s string) (string, bool) {
	var x int64
	ok := true
	number := func(target *int64, most int, low, high int64) (string, bool) {
		x, rest, ok := digits(s, most)
		*target = x
		return rest, ok && x >= low && x <= high
	}
	switch c.letter {
	case 'Y':
		negative := strings.HasPrefix(s, "-")
		x, rest, ok := digits(strings.TrimPrefix(s, "-"), 4)
		if p.year = x; negative {
			p.year = -x
		}
		return rest, ok
	case 'y':
		rest, ok := number(&p.year, 2, 0, 99)
		if p.year += 1900; p.year < 1969 {
			p.year += 100
		}
		return rest, ok
	case 'm':
		return number(&p.month, 2, 1, 12)
	case 'B':
		p.month, s, ok = name(s, monthNames[:], 0)
		p.month++
		return s, ok
	case 'b', 'h':
		p.month, s, ok = name(s, monthNames[:], 3)
		p.month++
		return s, ok
	case 'd':
		return number(&p.day, 2, 1, 31)
	case 'j':
		return number(&p.dayOfYear, 3, 1, 366)
	case 'A':
		p.weekday, s, ok = name(s, dayNames[:], 0)
		return s, ok
	case 'a':
		p.weekday, s, ok = name(s, dayNames[:], 3)
		return s, ok
	case 'w':
		return number(&p.weekday, 1, 0, 6)
	case 'u':
		s, ok = number(&p.weekday, 1, 1, 7)
		p.weekday %= 7
		return s, ok
	case 'U', 'W':
		p.weekStart = c.letter
		return number(&p.week, 2, 0, 53)
	case 'V':
		p.weekStart = c.letter
		return number(&p.week, 2, 1, 53)
	case 'G':
		return number(&p.isoYear, 4, 0, 9999)
	case 'H':
		return number(&p.hour, 2, 0, 23)
	case 'I':
		s, ok = number(&p.hour, 2, 1, 12)
		p.hour %= 12
		if p.afternoon == 0 {
			p.afternoon = 1
		}
		return s, ok
	case 'p':
		x, s, ok = name(s, []string{"AM", "PM"}, 0)
		p.afternoon = int(x) + 1
		return s, ok
	case 'M':
		return number(&p.minute, 2, 0, 59)
	case 'S':
		s, ok = number(&x, 2, 0, 59)
		p.nanos += x * nanosPerSecond
		return s, ok
	case 'f', 'g', 'n':
		// A fraction of a second: what is missing on the right is zeros.
		most := map[byte]int{'f': 6, 'g': 3, 'n': 9}[c.letter]
		x, rest, ok := digits(s, most)
		for range 9 - (len(s) - len(rest)) {
			x *= 10
		}
		p.nanos += x
		return rest, ok
	case 'z':
		return p.readOffset(s)
	default: // Z
		n := 0
		for n < len(s) && (s[n] == '/' || s[n] == '_' || s[n] == '-' || s[n] == '+' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= '0' && s[n] <= '9') {
			n++
		}
		zone, err := FindZone(s[:n])
		p.zone = zone
		return s[n:], err == nil
	}
}

// readOffset reads +hh, +hhmm, +hh:mm or Z.
func (p *parsedTime) readOffset(s string) (string, bool) {
	p.hasOffset = true
	if strings.HasPrefix(s, "Z") {
		return s[1:], true
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return s, false
	}
	negative := s[0] == '-'
	hours, rest, ok := digits(s[1:], 2)
	if !ok || len(s)-len(rest) != 3 {
		return s, false
	}
	minutes, after, ok := digits(strings.TrimPrefix(rest, ":"), 2)
	if ok {
		rest = after
	}
	p.offset = int(hours*3600 + minutes*60)
	if negative {
		p.offset = -p.offset
	}
	return rest, minutes < 60
}

func (p *parsedTime) micros(zoned bool, session *time.Location) (int64, bool) {
	var days int64
	switch {
	case p.dayOfYear > 0:
		days = daysOf(p.year, 1) + p.dayOfYear - 1
	case p.weekStart == 'V':
		year := p.isoYear
		if year < 0 {
			year = p.year
		}
		weekday := (max(p.weekday, 0) + 6) % 7
		if p.weekday < 0 {
			weekday = 0
		}
		days = firstWeek(year) + (p.week-1)*7 + weekday
	case p.weekStart != 0:
		// Week 1 begins with the first Sunday, or Monday, of the year.
		first := moment{days: daysOf(p.year, 1)}
		start := first.days + (7-first.isoWeekday())%7
		weekday := max(p.weekday, 0)
		if p.weekStart == 'W' {
			start = first.days + (8-first.isoWeekday())%7
			if weekday = (p.weekday + 6) % 7; p.weekday < 0 {
				weekday = 0
			}
		}
		days = start + (p.week-1)*7 + weekday
	default:
		var err *types.Error
		if days, err = daysOfDate(p.year, p.month, p.day); err != nil {
			return 0, false
		}
	}
	if p.afternoon == 2 {
		p.hour = p.hour%12 + 12
	}
	m := moment{days: days, nanos: p.hour*nanosPerHour + p.minute*nanosPerMinute + p.nanos}
	switch {
	case p.hasOffset:
		m = m.shift(-p.offset)
	case p.zone != nil:
		m = toUTC(p.zone, m)
	case zoned && session != nil:
		m = toUTC(session, m)
	}
	day, overflow := mulInt64(m.days, 86400e6)
	return day + m.nanos/1e3, !overflow
}
