package kernels

import (
	"time"

	"github.com/lacunadb/lacuna/types"
)

// castTemporal converts plain dates, times and timestamps among each other. A finer unit cut to a coarser one rounds toward
// zero for nanoseconds to microseconds and half away from zero to milliseconds and seconds, as DuckDB does.
func castTemporal(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	from := v.Type()
	switch k := from.Kind(); {
	case k == types.KindDate:
		return dateToTimestamp(env, v, to)
	case k == types.KindTime:
		return convertUnits(env, v, to)
	case to.Kind() == types.KindDate:
		local, err := wallClock(env, v)
		if err != nil {
			return nil, err
		}
		return timestampToDate(env, local, to)
	case to.Kind() == types.KindTime:
		local, err := wallClock(env, v)
		if err != nil {
			return nil, err
		}
		perDay := 86400 * from.Unit().PerSecond()
		clock, err := convertTemporal(env, v, local, types.TimeOf(from.Unit()), func(t int64) (int64, bool) {
			return t - floorDiv(t, perDay)*perDay, !isInfiniteTimestamp(t)
		})
		if err != nil {
			return nil, err
		}
		return convertUnits(env, clock, to)
	case k == to.Kind():
		return convertUnits(env, v, to)
	}
	// Between TIMESTAMP and TIMESTAMPTZ: first the zone, then the unit.
	zoned := v
	var err error
	if k := from.Kind(); k == types.KindTimestampTZ {
		zoned, err = wallClock(env, v)
	} else {
		perSecond, zone := from.Unit().PerSecond(), env.zone()
		zoned, err = convertTemporal(env, v, v, types.TimestampTZOf(from.Unit(), to.Zone()), func(t int64) (int64, bool) {
			if isInfiniteTimestamp(t) {
				return t, true
			}
			return fromLocal(t, perSecond, zone)
		})
	}
	if err != nil || zoned.Type().Unit() == to.Unit() {
		return zoned, err
	}
	return convertUnits(env, zoned, to)
}

// wallClock gives TIMESTAMPTZ as what the session's clock shows, in the type TIMESTAMP; TIMESTAMP as it is.
func wallClock(env *Env, v *types.Vector) (*types.Vector, error) {
	zone, perSecond := env.zone(), v.Type().Unit().PerSecond()
	to := types.TimestampOf(v.Type().Unit())
	if v.Type().Kind() == types.KindTimestamp {
		return v, nil
	}
	if zone == time.UTC {
		return v.WithType(to), nil
	}
	return convertTemporal(env, v, v, to, func(t int64) (int64, bool) {
		if isInfiniteTimestamp(t) {
			return t, true
		}
		return toLocal(t, perSecond, zone)
	})
}

// convertTemporal converts each value by a function that reports what is out of range.
func convertTemporal[F, T int32 | int64](env *Env, source, v *types.Vector, to types.Type, f func(F) (T, bool)) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	src := types.ValuesOf[F](v)[:n]
	dst := types.Alloc[T](env.pool(), n)
	failed := false
	for i, x := range src {
		y, ok := f(x)
		dst[i] = y
		failed = failed || !ok
	}
	if failed {
		var err error
		valid, err = env.settle(n, valid, func(i int) bool {
			_, ok := f(src[i])
			return !ok
		}, func(i int) *types.Error {
			e := types.KindErrorf(types.ErrCastOverflow, "%s out of range for type %s", source.Type(), to)
			e.Code = types.CodeDatetimeOutOfRange
			return e
		})
		if err != nil {
			return nil, err
		}
	}
	return types.NewFixed(to, dst, valid), nil
}

// dateToTimestamp gives the midnight that begins each day, of TIMESTAMPTZ in the session's zone.
func dateToTimestamp(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	perSecond, zone := to.Unit().PerSecond(), env.zone()
	zoned := to.Kind() == types.KindTimestampTZ && zone != time.UTC
	return convertTemporal(env, v, v, to, func(d int32) (int64, bool) {
		t, ok := timestampFromDate(d, 86400*perSecond)
		if ok && zoned && !isInfiniteDate(d) {
			t, ok = fromLocal(t, perSecond, zone)
		}
		return t, ok
	})
}

func timestampToDate(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	perDay := 86400 * v.Type().Unit().PerSecond()
	return convertTemporal(env, v, v, to, func(t int64) (int32, bool) {
		switch t {
		case infiniteTimestamp:
			return infiniteDate, true
		case -infiniteTimestamp:
			return -infiniteDate, true
		}
		d := floorDiv(t, perDay)
		return int32(d), d < int64(infiniteDate) && d > -int64(infiniteDate)
	})
}

// convertUnits converts times or timestamps to another unit of the same kind.
func convertUnits(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	from, want := v.Type().Unit().PerSecond(), to.Unit().PerSecond()
	if want >= from {
		factor := want / from
		return convertTemporal(env, v, v, to, func(t int64) (int64, bool) {
			if isInfiniteTimestamp(t) {
				return t, true
			}
			r, over := mulFits64(t, factor)
			return r, !over && !isInfiniteTimestamp(r)
		})
	}
	divisor := from / want
	round := to.Unit() < types.Microsecond
	return convertTemporal(env, v, v, to, func(t int64) (int64, bool) {
		if isInfiniteTimestamp(t) {
			return t, true
		}
		q := t / divisor
		if rest := t - q*divisor; round && (rest >= divisor-rest || -rest >= divisor+rest) {
			if t < 0 {
				q--
			} else {
				q++
			}
		}
		return q, true
	})
}
