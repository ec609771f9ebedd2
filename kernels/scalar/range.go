package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerRange(set *expr.Set) {
	for _, f := range []struct {
		name, description, example string
		inclusive                  bool
	}{
		{"range", "The numbers or timestamps from start, or 0, up to but without stop, a step apart.", "range(2, 10, 3) = [2, 5, 8]", false},
		{"generate_series", "The numbers or timestamps from start, or 0, up to and with stop, a step apart.", "generate_series(1, 3) = [1, 2, 3]", true},
	} {
		numbers := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return rangeOfNumbers(env, out, args, f.inclusive)
		}
		instants := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return rangeOfInstants(env, out, args, f.inclusive)
		}
		bigints, timestamps, zoned := types.ListOf(types.BigInt), types.ListOf(types.Timestamp), types.ListOf(types.TimestampTZ)
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: anyOf(
				fixed(f.name, bigints, expr.NullStrict, true, numbers, types.BigInt),
				fixed(f.name, bigints, expr.NullStrict, true, numbers, types.BigInt, types.BigInt),
				fixed(f.name, bigints, expr.NullStrict, true, numbers, types.BigInt, types.BigInt, types.BigInt),
				fixed(f.name, zoned, expr.NullStrict, true, instants, types.TimestampTZ, types.TimestampTZ, types.Interval),
				func(args []expr.Arg) (*expr.Function, error) {
					// Dates are timestamps here.
					args = append([]expr.Arg{}, args...)
					for i := range min(2, len(args)) {
						if args[i].Type.Kind() == types.KindDate {
							args[i] = expr.Arg{Type: types.Timestamp}
						}
					}
					return fixed(f.name, timestamps, expr.NullStrict, true, instants, types.Timestamp, types.Timestamp, types.Interval)(args)
				},
			),
			Signatures: []string{
				f.name + "(stop BIGINT) -> BIGINT[]", f.name + "(start BIGINT, stop BIGINT, step BIGINT) -> BIGINT[]",
				f.name + "(start TIMESTAMP, stop TIMESTAMP, step INTERVAL) -> TIMESTAMP[]",
			},
			Description: f.description, Example: f.example,
		})
	}
}

// maxElements is the largest number of elements that a call of range makes in one batch.
const maxElements = 1 << 27

func tooManyElements() *types.Error {
	return types.Errorf(types.CodeProgramLimit, "a list of more than %d elements", maxElements)
}

func rangeOfNumbers(env *kernels.Env, out types.Type, args []*types.Vector, inclusive bool) (*types.Vector, error) {
	n := args[0].Len()
	start, step := column[int64]{values: []int64{0}}, column[int64]{values: []int64{1}}
	stop := columnOf[int64](env, args[0])
	if len(args) > 1 {
		start, stop = stop, columnOf[int64](env, args[1])
	}
	if len(args) > 2 {
		step = columnOf[int64](env, args[2])
	}
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	var values []int64
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		count := countSteps(start.at(i), stop.at(i), step.at(i), inclusive)
		if count > maxElements-uint64(len(values)) {
			return false, tooManyElements()
		}
		entries[i] = types.ListEntry{Offset: int64(len(values)), Length: int64(count)}
		x := start.at(i)
		for range count {
			values = append(values, x)
			x += step.at(i)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return types.NewList(out, entries, types.NewFixed(types.BigInt, values, nil), valid), nil
}

// countSteps gives the number of steps from start that do not reach, or with inclusive do not pass, stop; none for a step of zero or in the
// wrong direction.
func countSteps(start, stop, step int64, inclusive bool) uint64 {
	var distance, width uint64
	switch {
	case step > 0 && start <= stop:
		distance, width = uint64(stop)-uint64(start), uint64(step)
	case step < 0 && start >= stop:
		distance, width = uint64(start)-uint64(stop), -uint64(step)
	default:
		return 0
	}
	if inclusive {
		return distance/width + 1
	}
	count := distance / width
	if distance%width != 0 {
		count++
	}
	return count
}

// rangeOfInstants adds the interval again and again: the calendar decides how long each step is.
func rangeOfInstants(env *kernels.Env, out types.Type, args []*types.Vector, inclusive bool) (*types.Vector, error) {
	n := args[0].Len()
	start, stop := columnOf[int64](env, args[0]), columnOf[int64](env, args[1])
	step := columnOf[types.MonthDayNano](env, args[2])
	element := out.Elem().Type
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	var values []int64
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		by := step.at(i)
		forward := by.Months >= 0 && by.Days >= 0 && by.Nanos >= 0
		backward := by.Months <= 0 && by.Days <= 0 && by.Nanos <= 0
		switch {
		case forward && backward: // zero
			return true, nil
		case !forward && !backward:
			return false, types.Errorf(types.CodeInvalidParameter, "the step of a range goes forward and back at once")
		}
		entries[i].Offset = int64(len(values))
		for x := start.at(i); forward && x < stop.at(i) || backward && x > stop.at(i) || inclusive && x == stop.at(i); {
			if len(values) >= maxElements {
				return false, tooManyElements()
			}
			values = append(values, x)
			next, err := addInterval(env, element, x, by)
			if err != nil {
				return false, err
			}
			x = next
		}
		entries[i].Length = int64(len(values)) - entries[i].Offset
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return types.NewList(out, entries, types.NewFixed(element, values, nil), valid), nil
}

// addInterval moves one timestamp.
func addInterval(env *kernels.Env, t types.Type, x int64, by types.MonthDayNano) (int64, *types.Error) {
	one := elementEnv(env, 1)
	one.Try = false
	sum, err := kernels.Add(one, t, types.NewFixed(t, []int64{x}, nil), types.NewFixed(types.Interval, []types.MonthDayNano{by}, nil))
	if err != nil {
		if e, ok := err.(*types.Error); ok {
			return 0, e
		}
		return 0, types.Errorf(types.CodeInternal, "%v", err)
	}
	return types.ValuesOf[int64](kernels.Decode(one, sum))[0], nil
}
