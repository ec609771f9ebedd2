package scalar

import (
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerDate(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name: "date_part", Aliases: []string{"datepart", "extract"},
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 2 {
					return nil, nil
				}
				p, err := constantPart(args[0])
				if p == nil || err != nil {
					return nil, err
				}
				f, err := bindPart("date_part", p, args[1])
				if f != nil {
					// The name of the part stays an argument, so that the calls differ.
					kernel := f.Kernel
					f.Args = []types.Type{types.Varchar, f.Args[0]}
					f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
						return kernel(env, out, args[1:])
					}
				}
				return f, err
			},
			Signatures:  []string{"date_part(part VARCHAR, x DATE) -> BIGINT", "extract(part FROM x)"},
			Description: "A part of a date, time, timestamp or interval, such as 'year'; 'epoch' and 'julian' are DOUBLE. NULL for infinity.",
			Example:     "date_part('year', DATE '2024-12-30') = 2024",
		},
		&expr.Family{
			Name: "date_trunc", Aliases: []string{"datetrunc"},
			Bind:        bindTrunc,
			Signatures:  []string{"date_trunc(part VARCHAR, x DATE) -> TIMESTAMP", "date_trunc(part VARCHAR, x TIMESTAMP)", "date_trunc(part VARCHAR, x INTERVAL)"},
			Description: "The beginning of the year, month, hour ... that a date or timestamp lies in.",
			Example:     "date_trunc('month', DATE '2024-12-30') = 2024-12-01 00:00:00",
		},
	)
	for i := range dateParts {
		p := &dateParts[i]
		if p.functionExample == "" {
			continue
		}
		set.MustAdd(&expr.Family{
			Name: p.name, Aliases: p.functions,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) != 1 {
					return nil, nil
				}
				return bindPart(p.name, p, args[0])
			},
			Signatures:  []string{p.name + "(x DATE)", p.name + "(x TIMESTAMP)"},
			Description: "The same as date_part('" + p.name + "', x).",
			Example:     p.functionExample,
		})
	}
}

// moment is a date or timestamp taken apart, in local time for TIMESTAMP WITH TIME ZONE.
type moment struct {
	days   int64 // since 1970-01-01
	nanos  int64 // since midnight
	offset int   // of local time from UTC, in seconds
}

const (
	nanosPerSecond = 1_000_000_000
	nanosPerDay    = 24 * 60 * 60 * nanosPerSecond
)

// constantPart finds the part that a constant text names. It gives nil for an argument that is no text.
func constantPart(a expr.Arg) (*datePart, error) {
	if a.Type.Kind() != types.KindVarchar {
		return nil, nil
	}
	if a.Constant == nil || a.Constant.MayHaveNulls() {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "the part of a date must be a constant")
	}
	name := types.Text(a.Constant, 0)
	for i := range dateParts {
		p := &dateParts[i]
		if strings.EqualFold(name, p.name) {
			return p, nil
		}
		for _, alias := range p.aliases {
			if strings.EqualFold(name, alias) {
				return p, nil
			}
		}
	}
	return nil, types.Errorf(types.CodeInvalidParameter, "%q is not a part of a date", name).
		WithHint("Parts are year, quarter, month, week, day, hour, minute, second, epoch and others.")
}

// bindPart binds the function that gives a part of one argument.
func bindPart(name string, p *datePart, a expr.Arg) (*expr.Function, error) {
	t, ok := temporalType(a)
	if !ok {
		return nil, nil
	}
	f := &expr.Function{Name: name, Args: []types.Type{t}, Result: types.BigInt, Nulls: expr.NullFromValues}
	double := p.double != nil
	switch {
	case t.Kind() == types.KindInterval:
		if double = p.intervalDouble != nil; !double && p.interval == nil {
			return nil, unsupportedPart(p, t)
		}
		f.Kernel = intervalPart(p)
	case t.Kind() == types.KindTime && !p.ofTime, t.Kind() == types.KindDate && p.zoned:
		return nil, unsupportedPart(p, t)
	default:
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			if double {
				return mapMoments(env, out, args[0], p.double)
			}
			return mapMoments(env, out, args[0], p.whole)
		}
	}
	if double {
		f.Result = types.Double
	}
	return f, nil
}

func unsupportedPart(p *datePart, t types.Type) error {
	return types.Errorf(types.CodeInvalidParameter, "%s has no part %s", t, p.name)
}

// temporalType gives the type as which an argument is taken apart: string literals and NULL are timestamps.
func temporalType(a expr.Arg) (types.Type, bool) {
	switch k := a.Type.Kind(); k {
	case types.KindDate, types.KindTime, types.KindTimestamp, types.KindTimestampTZ, types.KindInterval:
		return a.Type, true
	case types.KindTimestampOffset:
		return types.TimestampTZ, true
	case types.KindNull:
		return types.Timestamp, true
	case types.KindVarchar:
		return types.Timestamp, a.Literal
	}
	return types.Type{}, false
}

// momentsOf gives a function that takes row i of a DATE, TIME or TIMESTAMP vector apart; it reports false for infinity.
func momentsOf(env *kernels.Env, v *types.Vector) func(i int) (moment, bool) {
	t := v.Type()
	if t.Kind() == types.KindDate {
		x := columnOf[int32](env, v)
		return func(i int) (moment, bool) {
			d := x.at(i)
			return moment{days: int64(d)}, d != types.InfiniteDate && d != -types.InfiniteDate
		}
	}
	x := columnOf[int64](env, v)
	perSecond := t.Unit().PerSecond()
	perDay, nanos := perSecond*86400, nanosPerSecond/perSecond
	split := func(at int64) moment {
		days, rest := floorDiv(at, perDay)
		return moment{days: days, nanos: rest * nanos}
	}
	if t.Kind() == types.KindTime {
		return func(i int) (moment, bool) { return moment{nanos: x.at(i) * nanos}, true }
	}
	finite := func(at int64) bool { return at != types.InfiniteTimestamp && at != -types.InfiniteTimestamp }
	zone := zoneOf(env, t)
	if zone == nil {
		return func(i int) (moment, bool) { return split(x.at(i)), finite(x.at(i)) }
	}
	return func(i int) (moment, bool) {
		at := x.at(i)
		if !finite(at) {
			return moment{}, false
		}
		m := split(at)
		m.offset = offsetAt(zone, m)
		return m.shift(m.offset), true
	}
}

// zoneOf gives the zone in which TIMESTAMP WITH TIME ZONE is taken apart; nil for UTC and for other types.
func zoneOf(env *kernels.Env, t types.Type) *time.Location {
	if t.Kind() != types.KindTimestampTZ || env.Zone == nil || env.Zone == time.UTC {
		return nil
	}
	return env.Zone
}

// offsetAt gives the offset from UTC, in seconds, that a zone has at an instant.
func offsetAt(zone *time.Location, utc moment) int {
	_, offset := time.Unix(utc.days*86400+utc.nanos/nanosPerSecond, 0).In(zone).Zone()
	return offset
}

// shift moves a moment by seconds, of less than a day.
func (m moment) shift(seconds int) moment {
	days, nanos := floorDiv(m.nanos+int64(seconds)*nanosPerSecond, nanosPerDay)
	m.days += days
	m.nanos = nanos
	return m
}

// floorDiv gives the quotient rounded down and the remainder, which is not negative.
func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+b
	}
	return quotient, remainder
}

// mapMoments computes f for every row that is not null or infinite.
func mapMoments[T int64 | float64](env *kernels.Env, out types.Type, v *types.Vector, f func(moment) T) (*types.Vector, error) {
	at := momentsOf(env, v)
	return tryRows(env, out, []*types.Vector{v}, func(i int) (T, bool, *types.Error) {
		m, finite := at(i)
		if !finite {
			return 0, false, nil
		}
		return f(m), true, nil
	})
}

func intervalPart(p *datePart) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		x := columnOf[types.MonthDayNano](env, args[0])
		if p.intervalDouble != nil {
			return mapRows(env, out, args, func(i int) float64 { return p.intervalDouble(x.at(i)) }), nil
		}
		return mapRows(env, out, args, func(i int) int64 { return p.interval(x.at(i)) }), nil
	}
}

func bindTrunc(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	p, err := constantPart(args[0])
	t, ok := temporalType(args[1])
	if p == nil || err != nil || !ok || t.Kind() == types.KindTime {
		return nil, err
	}
	f := &expr.Function{Name: "date_trunc", Args: []types.Type{types.Varchar, t}, Result: t, CanFail: true}
	switch {
	case t.Kind() == types.KindInterval && p.truncInterval == nil, p.trunc == nil:
		return nil, types.Errorf(types.CodeInvalidParameter, "%s cannot be truncated to %s", t, p.name)
	case t.Kind() == types.KindInterval:
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			x := columnOf[types.MonthDayNano](env, args[1])
			return mapRows(env, out, args[1:], func(i int) types.MonthDayNano { return p.truncInterval(x.at(i)) }), nil
		}
		return f, nil
	case t.Kind() == types.KindDate:
		f.Result = types.Timestamp
	}
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		return truncMoments(env, out, args[1], p.trunc)
	}
	return f, nil
}

// truncMoments truncates dates and timestamps; infinity stays.
func truncMoments(env *kernels.Env, out types.Type, v *types.Vector, trunc func(moment) moment) (*types.Vector, error) {
	at := momentsOf(env, v)
	perSecond := out.Unit().PerSecond()
	perDay, nanos := perSecond*86400, nanosPerSecond/perSecond
	zone := zoneOf(env, v.Type())
	negative := func(i int) bool {
		plain, row, _ := v.Locate(i)
		if v.Type().Kind() == types.KindDate {
			return types.ValuesOf[int32](plain)[row] < 0
		}
		return types.ValuesOf[int64](plain)[row] < 0
	}
	return tryRows(env, out, []*types.Vector{v}, func(i int) (int64, bool, *types.Error) {
		m, finite := at(i)
		switch {
		case !finite && negative(i):
			return -types.InfiniteTimestamp, true, nil
		case !finite:
			return types.InfiniteTimestamp, true, nil
		}
		m = trunc(m)
		if zone != nil {
			// Back to UTC by the offset in force at the truncated local time.
			utc := m.shift(-m.offset)
			m = m.shift(-offsetAt(zone, utc))
		}
		if limit := types.InfiniteTimestamp/perDay - 1; m.days > limit || m.days < -limit {
			return 0, false, types.Errorf(types.CodeDatetimeOutOfRange, "date is out of range of %s", out)
		}
		return m.days*perDay + m.nanos/nanos, true, nil
	})
}
