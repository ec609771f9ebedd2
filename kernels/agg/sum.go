package agg

import (
	"math"
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerSum(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name:          "sum",
		BindAggregate: bindSum,
		Signatures:    []string{"sum(x INTEGER) -> HUGEINT", "sum(x DECIMAL(p,s)) -> DECIMAL(38,s)", "sum(x DOUBLE) -> DOUBLE", "sum(x INTERVAL)"},
		Description:   "The sum of the values that are not null; NULL for none. Exact for integers and decimals; a sum out of range is an error.",
		Example:       "sum(x) FROM (VALUES (1), (NULL), (3)) t(x) = 4",
	}, &expr.Family{
		Name: "product",
		BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
			if len(args) != 1 || !isNumber(args[0].Type) {
				return nil, nil
			}
			return &expr.Aggregate{
				Name: "product", Args: []types.Type{types.Double}, Result: types.Double, Nullable: true,
				State: []types.Type{types.Double, types.BigInt},
				New:   func() expr.Accumulator { return &product{} },
			}, nil
		},
		Signatures:  []string{"product(x DOUBLE) -> DOUBLE"},
		Description: "The product of the values that are not null; NULL for none.",
		Example:     "product(x) FROM (VALUES (2), (NULL), (3)) t(x) = 6.0",
	})
}

// isNumber reports a type that arithmetic aggregates take: numbers and untyped NULL.
func isNumber(t types.Type) bool { return t.IsNumeric() || t.Kind() == types.KindNull }

func bindSum(args []expr.Arg) (*expr.Aggregate, error) {
	if len(args) != 1 {
		return nil, nil
	}
	a := &expr.Aggregate{Name: "sum", Nullable: true, Args: []types.Type{args[0].Type}}
	switch t := args[0].Type; {
	case t.Kind() == types.KindBoolean, t.Kind() == types.KindNull:
		a.Args[0], a.Result = types.Integer, types.HugeInt
	case t.IsInteger():
		a.Result = types.HugeInt
	case t.Kind() == types.KindDecimal && t.Precision() <= 38:
		a.Result = types.Decimal(38, t.Scale())
	case t.Kind() == types.KindDecimal:
		a.Result = types.Decimal(types.MaxDecimalPrecision, t.Scale())
	case t.IsFloat():
		if t.Kind() == types.KindHalf {
			a.Args[0] = types.Float
		}
		a.Result = types.Double
		a.State = []types.Type{types.Double, types.BigInt}
		a.New = newFloatSums(a.Args[0], finishFloatSum)
		return a, nil
	case t.Kind() == types.KindInterval:
		a.Result = types.Interval
		a.State = []types.Type{types.Interval, types.BigInt}
		a.New = func() expr.Accumulator { return &intervalSums{} }
		return a, nil
	default:
		return nil, nil
	}
	a.Additive = true
	a.State, a.New = exactSums(a.Args[0], func(env *kernels.Env, from, to int, s sumOf) (*types.Vector, error) {
		return finishSum(env, a.Result, from, to, s)
	})
	return a, nil
}

// sumOf gives the exact sum of a group and the number of its values.
type sumOf func(group int) (sum types.Int256, count int64)

// finisher makes the results of groups from to to out of their sums.
type finisher func(env *kernels.Env, from, to int, s sumOf) (*types.Vector, error)

// exactSums gives the state types and constructor of sums over an integer or decimal type.
func exactSums(arg types.Type, finish finisher) ([]types.Type, func() expr.Accumulator) {
	sum := types.HugeInt
	switch arg.Storage() {
	case types.StorageInt128, types.StorageInt256:
		// Sums of 128-bit values stay far below 10^76 for as many rows as there can be.
		sum = types.Decimal(types.MaxDecimalPrecision, arg.Scale())
	default:
		if arg.Kind() == types.KindDecimal {
			sum = types.Decimal(38, arg.Scale())
		}
	}
	var build func() expr.Accumulator
	switch arg.Storage() {
	case types.StorageInt8:
		build = newSums[int8](sum, 1<<7, finish)
	case types.StorageInt16:
		build = newSums[int16](sum, 1<<15, finish)
	case types.StorageInt32:
		build = newSums[int32](sum, 1<<31, finish)
	case types.StorageUint8:
		build = newSums[uint8](sum, 1<<8, finish)
	case types.StorageUint16:
		build = newSums[uint16](sum, 1<<16, finish)
	case types.StorageUint32:
		build = newSums[uint32](sum, 1<<32, finish)
	case types.StorageInt64:
		build = newSums[int64](sum, 0, finish)
	case types.StorageUint64:
		build = newSums[uint64](sum, 0, finish)
	case types.StorageInt128:
		build = func() expr.Accumulator { return &wideSums[types.Int128]{sumType: sum, widen: int256Of, finish: finish} }
	case types.StorageInt256:
		build = func() expr.Accumulator {
			return &wideSums[types.Int256]{sumType: sum, widen: func(x types.Int256) types.Int256 { return x }, finish: finish}
		}
	}
	return []types.Type{sum, types.BigInt}, build
}

// finishSum gives sums as HUGEINT or DECIMAL, checked against the range of the type.
func finishSum(env *kernels.Env, out types.Type, from, to int, s sumOf) (*types.Vector, error) {
	pool, n := poolOf(env), to-from
	valid := validGroups(pool, from, to, func(g int) bool { _, count := s(g); return count > 0 })
	if out.Storage() == types.StorageInt256 {
		dst := types.Alloc[types.Int256](pool, n)
		for i := range dst {
			dst[i], _ = s(from + i)
			if !fitsDigits(dst[i], out.Precision()) {
				return nil, sumOutOfRange(out)
			}
		}
		return types.NewFixed(out, dst, valid), nil
	}
	dst := types.Alloc[types.Int128](pool, n)
	for i := range dst {
		sum, _ := s(from + i)
		x, ok := fits128(sum)
		if !ok || out.Kind() == types.KindDecimal && !fitsDigits(sum, out.Precision()) {
			return nil, sumOutOfRange(out)
		}
		dst[i] = x
	}
	return types.NewFixed(out, dst, valid), nil
}

func sumOutOfRange(t types.Type) error {
	return types.Errorf(types.CodeNumericOutOfRange, "sum is out of range of %s", t).
		WithHint("Cast the argument to DOUBLE or to a wider DECIMAL.")
}

// narrow is the set of the integers that fit into 64 bits.
type narrow interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// sums holds exact sums of integers of up to 64 bits.
//
// A group's sum is totals[g] + parts[g].sum. Values are added to the 64-bit part, while a bound on the magnitude of what any part
// can hold proves that none overflows; before the bound passes 2^63 the parts are moved to the 128-bit totals. Batches with
// values so large that this would happen often add to the totals at once. So most data never needs them: they are not even
// allocated.
type sums[T narrow] struct {
	parts  []part
	totals []types.Int128 // nil until needed
	bound  uint64         // no part's magnitude is above it
	most   uint64         // magnitude that T cannot exceed; 0 = measure each batch

	sumType types.Type
	finish  finisher
}

type part struct{ sum, count int64 }

// bigBatch is the growth of the bound by one batch from which values are added to the totals: moving all parts then happens at
// most once in 4096 batches.
const bigBatch = math.MaxInt64 / 4096

func newSums[T narrow](sumType types.Type, most uint64, finish finisher) func() expr.Accumulator {
	return func() expr.Accumulator { return &sums[T]{most: most, sumType: sumType, finish: finish} }
}

func (s *sums[T]) Resize(n int) error {
	s.parts = grow(s.parts, n)
	if s.totals != nil {
		s.totals = grow(s.totals, n)
	}
	return nil
}

func (s *sums[T]) Size() int64 { return sizeOf(s.parts) + sizeOf(s.totals) }

func (s *sums[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *sums[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	values := types.ValuesOf[T](v)[:v.Len()]
	if groups == nil {
		hi, lo := asm.SumInt(values, rows)
		s.addTotal(0, types.Int128{Lo: lo, Hi: hi}, int64(rows.Count(len(values))))
		return nil
	}
	most := s.most
	if most == 0 {
		most = magnitude(values)
	}
	hi, growth := bits.Mul64(most, uint64(len(values)))
	if hi != 0 || growth > bigBatch {
		s.needTotals()
		withRows(env, values, groups, rows, func(values []T, groups []uint32) { addToTotals(s.totals, s.parts, groups, values) })
		return nil
	}
	if s.bound+growth > math.MaxInt64 {
		s.moveParts()
	}
	s.bound += growth
	withRows(env, values, groups, rows, func(values []T, groups []uint32) { addToParts(s.parts, groups, values) })
	return nil
}

func (s *sums[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	var total types.Int128
	var count int64
	for i, x := range types.ValuesOf[T](v)[:len(weights)] {
		if w := weights[i]; w != 0 {
			total = add128(total, timesWeight(x, w))
			count += w
		}
	}
	s.addTotal(0, total, count)
	return nil
}

func (s *sums[T]) addRuns(env *kernels.Env, v *types.Vector, ends []int32, valid types.Bitmap) error {
	n, values := uint64(ends[len(ends)-1]), types.ValuesOf[T](v)[:len(ends)]
	most := s.most
	if most == 0 {
		least, _ := asm.Min(values, nil)
		greatest, _ := asm.Max(values, nil)
		most = max(magnitude([]T{least, greatest}))
	}
	if hi, bound := bits.Mul64(most, n); hi == 0 && bound <= math.MaxInt64 && valid == nil {
		s.addTotal(0, int128Of(sumRuns(values, ends)), int64(n))
		return nil
	}
	return s.addWeighted(env, v, runLengths(env, ends, valid))
}

// sumRuns gives the sum of the rows of runs, which cannot overflow. Four sums run side by side.
func sumRuns[T narrow](values []T, ends []int32) int64 {
	var a, b, c, d int64
	start := int32(0)
	for ; len(ends) >= 4; values, ends = values[4:], ends[4:] {
		v, e := (*[4]T)(values), (*[4]int32)(ends)
		a += int64(v[0]) * int64(e[0]-start)
		b += int64(v[1]) * int64(e[1]-e[0])
		c += int64(v[2]) * int64(e[2]-e[1])
		d += int64(v[3]) * int64(e[3]-e[2])
		start = e[3]
	}
	for i, e := range ends {
		a += int64(values[i]) * int64(e-start)
		start = e
	}
	return a + b + c + d
}

// timesWeight gives x*w exactly.
func timesWeight[T narrow](x T, w int64) types.Int128 {
	if u := uint64(x); x > 0 && u > math.MaxInt64 {
		hi, lo := bits.Mul64(u, uint64(w))
		return types.Int128{Lo: lo, Hi: int64(hi)}
	}
	return mul64(int64(x), w)
}

// addTotal adds to one group.
func (s *sums[T]) addTotal(group int, total types.Int128, count int64) {
	p := &s.parts[group]
	p.count += count
	if total.Hi == int64(total.Lo)>>63 {
		// Stay in 64 bits while that holds; here the sum itself is at hand, so no bound is needed.
		x := int64(total.Lo)
		if sum := p.sum + x; (sum^p.sum)&(sum^x) >= 0 {
			p.sum = sum
			s.bound = max(s.bound, uint64(max(sum, -sum))) // 2^63 for the smallest int64: the next batch moves the parts
			return
		}
	}
	s.needTotals()
	s.totals[group] = add128(s.totals[group], total)
}

func (s *sums[T]) needTotals() {
	if s.totals == nil {
		s.totals = make([]types.Int128, len(s.parts), cap(s.parts))
	}
}

func (s *sums[T]) moveParts() {
	s.needTotals()
	for i := range s.parts {
		s.totals[i] = add128(s.totals[i], int128Of(s.parts[i].sum))
		s.parts[i].sum = 0
	}
	s.bound = 0
}

func (s *sums[T]) sum(group int) (types.Int256, int64) {
	p := s.parts[group]
	x := int128Of(p.sum)
	if s.totals != nil {
		x = add128(x, s.totals[group])
	}
	return int256Of(x), p.count
}

func (s *sums[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	totals, counts := types.ValuesOf[types.Int128](columns[0]), types.ValuesOf[int64](columns[1])
	eachRow(env, groups, columns[0].Len(), func(group, row int) { s.addTotal(group, totals[row], counts[row]) })
	return nil
}

func (s *sums[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	totals := types.Alloc[types.Int128](poolOf(env), to-from)
	counts := types.Alloc[int64](poolOf(env), to-from)
	for i := range totals {
		sum, count := s.sum(from + i)
		totals[i], counts[i] = types.Int128{Lo: sum[0], Hi: int64(sum[1])}, count
	}
	return []*types.Vector{types.NewFixed(s.sumType, totals, nil), types.NewFixed(types.BigInt, counts, nil)}, nil
}

func (s *sums[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return s.finish(env, from, to, s.sum)
}

// addToParts adds values[i] to parts[groups[i]]; the caller knows that none overflows.
func addToParts[T narrow](parts []part, groups []uint32, values []T) {
	groups = groups[:len(values)]
	for i, x := range values {
		p := &parts[groups[i]]
		p.sum += int64(x)
		p.count++
	}
}

// addToTotals adds values[i] to totals[groups[i]] and counts it.
func addToTotals[T narrow](totals []types.Int128, parts []part, groups []uint32, values []T) {
	groups = groups[:len(values)]
	unsigned := isUnsigned[T]()
	for i, x := range values {
		g := groups[i]
		t := &totals[g]
		lo, carry := bits.Add64(t.Lo, uint64(x), 0)
		hi := int64(carry)
		if !unsigned {
			hi += int64(x) >> 63
		}
		t.Lo, t.Hi = lo, t.Hi+hi
		parts[g].count++
	}
}

func isUnsigned[T narrow]() bool { return T(0)-1 > 0 }

// magnitude gives a number that no value's magnitude exceeds, at most twice the largest one.
func magnitude[T narrow](values []T) uint64 {
	var a, b uint64
	if isUnsigned[T]() {
		for _, x := range values {
			a |= uint64(x)
		}
	} else {
		for ; len(values) >= 2; values = values[2:] {
			x, y := int64(values[0]), int64(values[1])
			a |= uint64(x ^ x>>63)
			b |= uint64(y ^ y>>63)
		}
		for _, x := range values {
			x := int64(x)
			a |= uint64(x ^ x>>63)
		}
	}
	if m := a | b; m != math.MaxUint64 {
		return m + 1
	}
	return math.MaxUint64
}
