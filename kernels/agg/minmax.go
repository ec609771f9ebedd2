package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerMinMax(set *expr.Set) {
	for _, f := range []struct {
		name, word, example string
		max                 bool
	}{
		{"min", "smallest", "min(x) FROM (VALUES (2), (NULL), (1)) t(x) = 1", false},
		{"max", "greatest", "max(x) FROM (VALUES (2), (NULL), (1)) t(x) = 2", true},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				switch len(args) {
				case 1:
					return bindExtreme(f.name, args[0].Type, f.max), nil
				case 2:
					return bindTop(f.name, args[:1], args[1], f.max)
				}
				return nil, nil
			},
			Signatures: []string{f.name + "(x ANY)", f.name + "(x ANY, n BIGINT) -> ANY[]"},
			Description: "The " + f.word + " of the values that are not null, in the order of ORDER BY; NULL for none. NaN is greater than every number. " +
				"With n, a constant, the list of the first n.",
			Example: f.example,
		})
	}
}

func bindExtreme(name string, t types.Type, max bool) *expr.Aggregate {
	if t.Kind() == types.KindBoolean {
		return boolAggregate(name, max)
	}
	a := &expr.Aggregate{
		Name: name, Args: []types.Type{t}, Result: t, Nullable: true, DistinctAgnostic: true, State: []types.Type{t},
	}
	switch t.Storage() {
	case types.StorageInt8:
		a.New = newExtremes[int8](t, max, math.MinInt8, math.MaxInt8)
	case types.StorageInt16:
		a.New = newExtremes[int16](t, max, math.MinInt16, math.MaxInt16)
	case types.StorageInt32:
		a.New = newExtremes[int32](t, max, math.MinInt32, math.MaxInt32)
	case types.StorageInt64:
		a.New = newExtremes[int64](t, max, math.MinInt64, math.MaxInt64)
	case types.StorageUint8:
		a.New = newExtremes[uint8](t, max, 0, math.MaxUint8)
	case types.StorageUint16:
		a.New = newExtremes[uint16](t, max, 0, math.MaxUint16)
	case types.StorageUint32:
		a.New = newExtremes[uint32](t, max, 0, math.MaxUint32)
	case types.StorageUint64:
		a.New = newExtremes[uint64](t, max, 0, math.MaxUint64)
	case types.StorageFloat32:
		a.New = newExtremes[float32](t, max, float32(math.Inf(-1)), float32(math.NaN()))
	case types.StorageFloat64:
		a.New = newExtremes[float64](t, max, math.Inf(-1), math.NaN())
	case types.StorageInt128:
		a.New = newWideExtremes(t, max, less128)
	case types.StorageInt256:
		a.New = newWideExtremes(t, max, less256)
	case types.StorageInterval:
		a.New = newWideExtremes(t, max, lessInterval)
	case types.StorageView:
		a.New = func() expr.Accumulator { return &viewExtremes{typ: t, max: max} }
	default:
		a.New = func() expr.Accumulator { return newRowExtremes(t, max) }
	}
	return a
}

// ordered is the set of element types that < orders as SQL does, NaN aside.
type ordered interface {
	narrow | float
}

// extremes holds the smallest or greatest value of numbers, dates and times.
//
// An empty group holds the value that every other one replaces. Whether it has met a value is kept apart, as that value may
// also be a real one.
type extremes[T ordered] struct {
	typ     types.Type
	max     bool
	initial T
	best    []T
	met     []bool
}

// newExtremes takes the least and the greatest value of T in SQL's order.
func newExtremes[T ordered](typ types.Type, max bool, least, greatest T) func() expr.Accumulator {
	initial := greatest
	if max {
		initial = least
	}
	return func() expr.Accumulator { return &extremes[T]{typ: typ, max: max, initial: initial} }
}

func (e *extremes[T]) Resize(n int) error {
	old := len(e.best)
	e.best, e.met = grow(e.best, n), grow(e.met, n)
	for i := old; i < n; i++ {
		e.best[i] = e.initial
	}
	return nil
}

func (e *extremes[T]) Size() int64 { return sizeOf(e.best) + sizeOf(e.met) }

func (e *extremes[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, e, groups, args[0])
}

func (e *extremes[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	values := types.ValuesOf[T](v)[:v.Len()]
	if groups == nil {
		extreme := asm.Min[T]
		if e.max {
			extreme = asm.Max[T]
		}
		if x, ok := extreme(values, rows); ok {
			e.offer(x)
		}
		return nil
	}
	withRows(env, values, groups, rows, func(values []T, groups []uint32) {
		if e.max {
			raise(e.best, e.met, groups, values)
		} else {
			lower(e.best, e.met, groups, values)
		}
	})
	return nil
}

// offer lets group 0 have a value.
func (e *extremes[T]) offer(x T) {
	if e.max {
		raise(e.best, e.met, []uint32{0}, []T{x})
	} else {
		lower(e.best, e.met, []uint32{0}, []T{x})
	}
}

func (e *extremes[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[T](v)[:len(weights)] {
		if weights[i] != 0 {
			e.offer(x)
		}
	}
	return nil
}

func (e *extremes[T]) addRuns(env *kernels.Env, v *types.Vector, _ []int32, valid types.Bitmap) error {
	return e.add(env, nil, v, valid)
}

// lower gives every group the smaller one of its value and each of the rows'. NaN is the greatest: x != x is never true for
// integers, for which the compiler drops it.
func lower[T ordered](best []T, met []bool, groups []uint32, values []T) {
	groups = groups[:len(values)]
	for i, x := range values {
		g := groups[i]
		if b := best[g]; x < b || b != b {
			best[g] = x
		}
		met[g] = true
	}
}

func raise[T ordered](best []T, met []bool, groups []uint32, values []T) {
	groups = groups[:len(values)]
	for i, x := range values {
		g := groups[i]
		if x > best[g] || x != x {
			best[g] = x
		}
		met[g] = true
	}
}

func (e *extremes[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, e, groups, columns[0])
}

func (e *extremes[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := e.Finish(env, from, to)
	return []*types.Vector{v}, err
}

func (e *extremes[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return e.met[g] })
	v := copyOf(env, e.typ, e.best[from:to])
	if valid != nil {
		// The initial value, no member of an ENUM, stays hidden even under a null.
		for i, met := range e.met[from:to] {
			if !met {
				types.ValuesOf[T](v)[i] = 0
			}
		}
	}
	return v.WithValidity(valid), nil
}

// wideExtremes holds the smallest or greatest value of types without a machine order.
type wideExtremes[T types.Int128 | types.Int256 | types.MonthDayNano] struct {
	typ  types.Type
	max  bool
	less func(a, b *T) bool
	best []T
	met  []bool
}

func newWideExtremes[T types.Int128 | types.Int256 | types.MonthDayNano](typ types.Type, max bool, less func(a, b *T) bool) func() expr.Accumulator {
	return func() expr.Accumulator { return &wideExtremes[T]{typ: typ, max: max, less: less} }
}

func (e *wideExtremes[T]) Resize(n int) error {
	e.best, e.met = grow(e.best, n), grow(e.met, n)
	return nil
}

func (e *wideExtremes[T]) Size() int64 { return sizeOf(e.best) + sizeOf(e.met) }

func (e *wideExtremes[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, e, groups, args[0])
}

func (e *wideExtremes[T]) offer(group uint32, x *T) {
	best := &e.best[group]
	if !e.met[group] || e.max && e.less(best, x) || !e.max && e.less(x, best) {
		*best, e.met[group] = *x, true
	}
}

func (e *wideExtremes[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	withRows(env, types.ValuesOf[T](v)[:v.Len()], groups, rows, func(values []T, groups []uint32) {
		for i := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			e.offer(g, &values[i])
		}
	})
	return nil
}

func (e *wideExtremes[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	values := types.ValuesOf[T](v)
	for i, w := range weights {
		if w != 0 {
			e.offer(0, &values[i])
		}
	}
	return nil
}

func (e *wideExtremes[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, e, groups, columns[0])
}

func (e *wideExtremes[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := e.Finish(env, from, to)
	return []*types.Vector{v}, err
}

func (e *wideExtremes[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return e.met[g] })
	return copyOf(env, e.typ, e.best[from:to]).WithValidity(valid), nil
}

func less128(a, b *types.Int128) bool { return a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo }

func less256(a, b *types.Int256) bool {
	if a[3] != b[3] {
		return int64(a[3]) < int64(b[3])
	}
	for i := 2; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// lessInterval counts a month as 30 days, as comparison does. Of equal intervals written differently the first one stays.
func lessInterval(a, b *types.MonthDayNano) bool {
	x, y := intervalLength(*a), intervalLength(*b)
	return less128(&x, &y)
}

func intervalLength(x types.MonthDayNano) types.Int128 {
	days := int64(x.Months)*daysPerMonth + int64(x.Days)
	return add128(mul64(days, nanosPerDay), int128Of(x.Nanos))
}
