package scalar

import (
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// registerZone adds the two-argument forms to timezone(x), which is the part of a date.
func registerZone(set *expr.Set) {
	family := set.Lookup("timezone")
	family.Bind = anyOf(family.Bind, bindZone)
	family.Signatures = append(family.Signatures, "timezone(zone VARCHAR, x TIMESTAMP) -> TIMESTAMP WITH TIME ZONE", "timezone(zone VARCHAR, x TIMESTAMP WITH TIME ZONE) -> TIMESTAMP", "x AT TIME ZONE zone")
	family.Description += " With a zone: the instant at which its clocks show a timestamp, or what they show at an instant."
}

func bindZone(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 || !casts(args[0], types.Varchar) {
		return nil, nil
	}
	t, ok := temporalType(args[1])
	if !ok || t.Kind() == types.KindTime || t.Kind() == types.KindInterval {
		return nil, nil
	}
	f := &expr.Function{Name: "timezone", Args: []types.Type{types.Varchar, t}, CanFail: true}
	if t.Kind() == types.KindTimestampTZ {
		f.Result = types.TimestampOf(t.Unit())
		f.Kernel = zoneKernel(localTime)
		return f, nil
	}
	if t.Kind() == types.KindDate {
		t = types.Timestamp
		f.Args[1] = t
	}
	f.Result = types.TimestampTZOf(t.Unit(), "UTC")
	f.Kernel = zoneKernel(toUTC)
	return f, nil
}

// localTime gives what the clocks of a zone show at an instant.
func localTime(zone *time.Location, utc moment) moment { return utc.shift(offsetAt(zone, utc)) }

// toUTC gives the instant at which the clocks of a zone show a time: the later one where they show it twice, and where they leave it out, the one
// that the clock before the gap would have shown.
func toUTC(zone *time.Location, local moment) moment {
	local.offset = 0
	before, after := offsetAt(zone, local.shift(-86399)), offsetAt(zone, local.shift(86399))
	late := local.shift(-after)
	if offsetAt(zone, late) == after {
		return late
	}
	return local.shift(-before)
}

// FindZone finds a time zone by its name in the IANA database, in any case.
func FindZone(name string) (*time.Location, *types.Error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		if strings.EqualFold(name, "utc") || strings.EqualFold(name, "gmt") || strings.EqualFold(name, "z") {
			return time.UTC, nil
		}
		return nil, types.Errorf(types.CodeInvalidParameter, "unknown time zone %q", name).WithHint("Names are those of the IANA database, such as Europe/Berlin.")
	}
	return zone, nil
}

func zoneKernel(convert func(zone *time.Location, m moment) moment) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		names, x := textOf(env, args[0]), columnOf[int64](env, args[1])
		perSecond := out.Unit().PerSecond()
		perDay, nanos := perSecond*86400, nanosPerSecond/perSecond
		var zone *time.Location
		var known string
		return tryRows(env, out, args, func(i int) (int64, bool, *types.Error) {
			if name := names.at(i); zone == nil || string(name) != known {
				known = string(name)
				var err *types.Error
				if zone, err = FindZone(known); err != nil {
					return 0, false, err
				}
			}
			at := x.at(i)
			if at == types.InfiniteTimestamp || at == -types.InfiniteTimestamp {
				return at, true, nil
			}
			days, rest := floorDiv(at, perDay)
			m := convert(zone, moment{days: days, nanos: rest * nanos})
			return m.days*perDay + m.nanos/nanos, true, nil
		})
	}
}
