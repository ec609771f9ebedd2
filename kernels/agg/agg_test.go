package agg

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func newSet() *expr.Set {
	set := expr.NewSet()
	Register(set)
	return set
}

// bind gives the aggregate for one argument of a type.
func bind(t testing.TB, name string, arg types.Type) *expr.Aggregate {
	t.Helper()
	a, err := newSet().Lookup(name).BindAggregate([]expr.Arg{{Type: arg}})
	if err != nil || a == nil {
		t.Fatalf("%s(%s) does not bind: %v", name, arg, err)
	}
	return a
}

// reference computes an aggregate from Go values: all is every row of the group in order, values those that are not nil.
type reference func(all, values []any) any

func toBig(x any) *big.Int {
	switch x := x.(type) {
	case *big.Int:
		return x
	case types.DecimalValue:
		return x.Unscaled
	case uint64:
		return new(big.Int).SetUint64(x)
	}
	var n int64
	fmt.Sscan(fmt.Sprint(x), &n)
	return big.NewInt(n)
}

func refSum(_, values []any) any {
	if len(values) == 0 {
		return nil
	}
	switch values[0].(type) {
	case float32, float64:
		sum := 0.0
		for _, x := range values {
			sum += toFloat(x)
		}
		return sum
	}
	sum := new(big.Int)
	for _, x := range values {
		sum.Add(sum, toBig(x))
	}
	if d, ok := values[0].(types.DecimalValue); ok {
		return types.DecimalValue{Unscaled: sum, Scale: d.Scale}
	}
	return sum
}

func toFloat(x any) float64 {
	switch x := x.(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	}
	f, _ := new(big.Float).SetInt(toBig(x)).Float64()
	return f
}

func refAvg(all, values []any) any {
	if len(values) == 0 {
		return nil
	}
	switch sum := refSum(all, values).(type) {
	case float64:
		return sum / float64(len(values))
	case types.DecimalValue:
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(sum.Scale)), nil)
		f, _ := new(big.Rat).SetFrac(sum.Unscaled, ten.Mul(ten, big.NewInt(int64(len(values))))).Float64()
		return f
	default:
		f, _ := new(big.Rat).SetFrac(sum.(*big.Int), big.NewInt(int64(len(values)))).Float64()
		return f
	}
}

func refCount(_, values []any) any { return int64(len(values)) }

func refExtreme(max bool) reference {
	return func(_, values []any) any {
		var best any
		for _, x := range values {
			if best == nil || (compareAny(x, best) > 0) == max && compareAny(x, best) != 0 {
				best = x
			}
		}
		return best
	}
}

func compareAny(a, b any) int {
	switch x := a.(type) {
	case string:
		return strings.Compare(x, b.(string))
	case []byte:
		return bytes.Compare(x, b.([]byte))
	case float32, float64:
		x64, y := toFloat(a), toFloat(b)
		switch {
		case math.IsNaN(x64) || math.IsNaN(y):
			return cmp.Compare(btoi(math.IsNaN(x64)), btoi(math.IsNaN(y)))
		}
		return cmp.Compare(x64, y)
	case bool:
		return cmp.Compare(btoi(x), btoi(b.(bool)))
	case time.Time:
		return x.Compare(b.(time.Time))
	case types.MonthDayNano:
		y := b.(types.MonthDayNano)
		return cmp.Compare(int64(x.Months)*30+int64(x.Days), int64(y.Months)*30+int64(y.Days))
	case []any:
		for i, e := range x {
			y := b.([]any)
			if i == len(y) {
				return 1
			}
			if c := compareAny(e, y[i]); c != 0 {
				return c
			}
		}
		return len(x) - len(b.([]any))
	}
	return toBig(a).Cmp(toBig(b))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func refFirst(all, _ []any) any {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func refLast(all, _ []any) any {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func refAny(_, values []any) any { return refFirst(values, nil) }

func refVarPop(_, values []any) any {
	if len(values) == 0 {
		return nil
	}
	mean, dist := 0.0, 0.0
	for _, x := range values {
		mean += toFloat(x) / float64(len(values))
	}
	for _, x := range values {
		dist += (toFloat(x) - mean) * (toFloat(x) - mean)
	}
	return dist / float64(len(values))
}

func refStddev(all, values []any) any {
	if len(values) < 2 {
		return nil
	}
	n := float64(len(values))
	return math.Sqrt(refVarPop(all, values).(float64) * n / (n - 1))
}

// refMode gives the most frequent value, the first one where there are several.
func refMode(_, values []any) any {
	var best any
	most := 0
	for _, x := range values {
		n := 0
		for _, y := range values {
			if compareAny(x, y) == 0 {
				n++
			}
		}
		if n > most {
			best, most = x, n
		}
	}
	return best
}

func refBits(op func(z, x, y *big.Int) *big.Int) reference {
	return func(_, values []any) any {
		if len(values) == 0 {
			return nil
		}
		z := new(big.Int).Set(toBig(values[0]))
		for _, x := range values[1:] {
			op(z, z, toBig(x))
		}
		return z
	}
}

func refProduct(_, values []any) any {
	if len(values) == 0 {
		return nil
	}
	p := 1.0
	for _, x := range values {
		p *= toFloat(x)
	}
	return p
}

// integer gives a random integer of at most so many bits.
func integer(rng *rand.Rand, width int, signed bool) *big.Int {
	x := new(big.Int)
	for range 4 {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(rng.Uint64()))
	}
	keep := rng.IntN(width) + 1
	if rng.IntN(4) == 0 {
		keep = width
	}
	x.Rsh(x, uint(256-keep))
	if signed && rng.IntN(2) == 0 {
		x.Neg(x)
	}
	return x
}

type testType struct {
	typ types.Type
	gen func(rng *rand.Rand) any
}

func whole(n int, signed bool) func(*rand.Rand) any {
	return func(rng *rand.Rand) any { return integer(rng, n, signed) }
}

func decimal(digits, scale int) func(*rand.Rand) any {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return func(rng *rand.Rand) any {
		x := integer(rng, limit.BitLen(), true)
		return types.DecimalValue{Unscaled: x.Rem(x, limit), Scale: scale}
	}
}

var (
	testIntegers = []testType{
		{types.TinyInt, whole(7, true)}, {types.SmallInt, whole(15, true)}, {types.Integer, whole(31, true)}, {types.BigInt, whole(63, true)},
		{types.UTinyInt, whole(8, false)}, {types.USmallInt, whole(16, false)}, {types.UInteger, whole(32, false)},
		{types.UBigInt, whole(64, false)}, {types.HugeInt, whole(110, true)},
	}
	testDecimals = []testType{
		{types.Decimal(4, 2), decimal(4, 2)}, {types.Decimal(15, 2), decimal(15, 2)}, {types.Decimal(18, 9), decimal(18, 9)},
		{types.Decimal(38, 5), decimal(34, 5)}, {types.Decimal(70, 20), decimal(70, 20)},
	}
	testFloats = []testType{
		{types.Float, func(rng *rand.Rand) any { return float32(rng.NormFloat64()) }},
		{types.Double, func(rng *rand.Rand) any { return rng.NormFloat64() * 1000 }},
	}
	testOthers = []testType{
		{types.Boolean, func(rng *rand.Rand) any { return rng.IntN(3) == 0 }},
		{types.Varchar, func(rng *rand.Rand) any { return strings.Repeat(string(rune('a'+rng.IntN(3))), rng.IntN(30)) }},
		{types.Blob, func(rng *rand.Rand) any { return bytes.Repeat([]byte{byte(rng.IntN(256))}, rng.IntN(20)) }},
		{types.Date, func(rng *rand.Rand) any { return time.Unix(int64(rng.IntN(20000)-10000)*86400, 0).UTC() }},
		{types.Timestamp, func(rng *rand.Rand) any { return time.UnixMicro(rng.Int64N(1e15) - 5e14).UTC() }},
		{types.Interval, func(rng *rand.Rand) any { return types.MonthDayNano{Days: int32(rng.IntN(1000) - 500)} }},
		{types.Double, func(rng *rand.Rand) any {
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1, 2, -3}[rng.IntN(6)]
		}},
		{types.Half, func(rng *rand.Rand) any { return float32(rng.IntN(100)) }},
		{types.ListOf(types.Integer), func(rng *rand.Rand) any {
			list := []any{}
			for range rng.IntN(4) {
				list = append(list, int32(rng.IntN(4)))
			}
			return list
		}},
	}
)

// shapes gives vectors of the same values in every encoding that can hold them.
func shapes(t testing.TB, typ types.Type, values []any) map[string]*types.Vector {
	t.Helper()
	from := func(values []any) *types.Vector {
		v, err := types.FromValues(nil, typ, values)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	all := map[string]*types.Vector{"plain": from(values)}
	index := map[string]uint32{}
	var entries []any
	keys := make([]uint32, len(values))
	var ends []int32
	var runs []any
	keyValid := make(types.Bitmap, types.BitmapWords(len(values)))
	types.FillBitmap(keyValid, len(values))
	for i, x := range values {
		text := fmt.Sprintf("%v", x)
		if x == nil && i%2 == 0 { // nulls as null keys and as null entries
			keyValid.Clear(i)
		} else {
			if _, ok := index[text]; !ok {
				index[text] = uint32(len(entries))
				entries = append(entries, x)
			}
			keys[i] = index[text]
		}
		if len(runs) > 0 && fmt.Sprintf("%v", runs[len(runs)-1]) == text {
			ends[len(ends)-1]++
		} else {
			runs, ends = append(runs, x), append(ends, int32(i+1))
		}
	}
	if len(entries) > 0 {
		all["dictionary"] = types.NewDictionary(keys, from(entries), keyValid)
	}
	all["run_end"] = types.NewRunEnd(ends, from(runs))
	if len(runs) == 1 {
		all["constant"] = types.NewConstant(from(values[:1]), len(values))
	}
	return all
}

// sameResult compares a result with the reference: exactly, floats to 9 digits.
func sameResult(got, want any) bool {
	if f, ok := want.(float64); ok {
		g, ok := got.(float64)
		return ok && (math.Abs(g-f) <= 1e-9*math.Max(math.Abs(f), 1) || math.IsNaN(f) && math.IsNaN(g) || f == g)
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// checkAggregate feeds the same rows in every shape, in batches, whole and split over several accumulators that are merged, and
// compares every group with the reference.
func checkAggregate(t *testing.T, rng *rand.Rand, name string, tt testType, ref reference) {
	t.Helper()
	a := bind(t, name, tt.typ)
	if !a.Args[0].Equal(tt.typ) {
		t.Fatalf("%s(%s) wants a cast", name, tt.typ)
	}
	n := []int{0, 1, 63, 64, 65, 200, 1000}[rng.IntN(7)]
	nullRate, repeat, active := rng.IntN(3), rng.IntN(2) == 0, rng.IntN(2) == 0
	values := make([]any, n)
	for i := range values {
		switch {
		case repeat && i > 0 && rng.IntN(20) > 0:
			values[i] = values[i-1]
		case nullRate > 0 && rng.IntN(nullRate*5) == 0:
		default:
			values[i] = tt.gen(rng)
		}
	}
	if rng.IntN(10) == 0 {
		for i := range values {
			values[i] = values[0]
		}
	}
	groupCount := 1
	var groups []uint32
	if rng.IntN(2) == 0 {
		groupCount = 1 + rng.IntN(40)
		groups = make([]uint32, n)
		for i := range groups {
			groups[i] = rng.Uint32N(uint32(groupCount)) // some groups may stay empty
		}
	}
	var selection types.Bitmap
	if active {
		selection = make(types.Bitmap, types.BitmapWords(n))
		for i := range n {
			if rng.IntN(4) > 0 || i/64 == 1 && i < 128 {
				selection.Set(i)
			}
		}
	}
	all, some := make([][]any, groupCount), make([][]any, groupCount)
	for i, x := range values {
		if !selection.Has(i) {
			continue
		}
		g := 0
		if groups != nil {
			g = int(groups[i])
		}
		all[g] = append(all[g], x)
		if x != nil {
			some[g] = append(some[g], x)
		}
	}
	for shape, v := range shapes(t, tt.typ, values) {
		for _, parts := range []int{1, 3} {
			pool := types.NewPool()
			accumulators := make([]expr.Accumulator, parts)
			for i := range accumulators {
				accumulators[i] = a.New()
				if err := accumulators[i].Resize(groupCount); err != nil {
					t.Fatal(err)
				}
			}
			batch := 1 + rng.IntN(300)
			for from := 0; from < n; from += batch {
				to := min(n, from+batch)
				mark := pool.Mark()
				env := &kernels.Env{Pool: pool}
				if selection != nil {
					env.Active = make(types.Bitmap, types.BitmapWords(to-from))
					for i := from; i < to; i++ {
						if selection.Get(i) {
							env.Active.Set(i - from)
						}
					}
				}
				var batchGroups []uint32
				if groups != nil {
					batchGroups = groups[from:to]
				}
				part := from * parts / n
				if err := accumulators[part].Update(env, batchGroups, []*types.Vector{v.Slice(pool, from, to)}, to-from); err != nil {
					t.Fatalf("%s(%s): %v", name, tt.typ, err)
				}
				pool.Release(mark)
			}
			final := accumulators[0]
			for _, o := range accumulators[1:] {
				state, err := o.State(nil, 0, groupCount)
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range state {
					if !s.Type().Equal(a.State[i]) {
						t.Fatalf("%s(%s): state column %d is %s, not %s", name, tt.typ, i, s.Type(), a.State[i])
					}
				}
				var to []uint32
				if groups != nil {
					for g := range groupCount {
						to = append(to, uint32(g))
					}
				}
				if err := final.Merge(nil, to, state); err != nil {
					t.Fatal(err)
				}
			}
			// Groups that come later do not disturb the ones there are.
			if err := final.Resize(groupCount + 3); err != nil {
				t.Fatal(err)
			}
			result, err := final.Finish(nil, 0, groupCount+3)
			if err != nil {
				t.Fatalf("%s(%s): %v", name, tt.typ, err)
			}
			if !result.Type().Equal(a.Result) || result.Len() != groupCount+3 {
				t.Fatalf("%s(%s) gave %d rows of %s", name, tt.typ, result.Len(), result.Type())
			}
			for g := range groupCount + 3 {
				want := ref(nil, nil)
				if g < groupCount {
					want = ref(all[g], some[g])
				}
				if got := types.Value(result, g); !sameResult(got, want) {
					t.Fatalf("%s(%s), %s of %d rows in batches of %d over %d accumulators, group %d: %v, want %v",
						name, tt.typ, shape, n, batch, parts, g, got, want)
				}
			}
		}
	}
}

func TestAgainstReference(t *testing.T) {
	numbers := append(append(append([]testType{}, testIntegers...), testDecimals...), testFloats...)
	everything := append(append([]testType{}, numbers...), testOthers...)
	integers := testIntegers
	boolean, double := testOthers[:1], testFloats[1:]
	for _, c := range []struct {
		name  string
		types []testType
		ref   reference
	}{
		{"count", everything, refCount},
		{"sum", numbers, refSum},
		{"avg", numbers, refAvg},
		{"min", everything, refExtreme(false)},
		{"max", everything, refExtreme(true)},
		{"first", everything, refFirst},
		{"last", everything, refLast},
		{"any_value", everything, refAny},
		{"bool_and", boolean, refExtreme(false)},
		{"bool_or", boolean, refExtreme(true)},
		{"bit_and", integers, refBits((*big.Int).And)},
		{"bit_or", integers, refBits((*big.Int).Or)},
		{"bit_xor", integers, refBits((*big.Int).Xor)},
		{"list", everything, func(all, _ []any) any {
			if len(all) == 0 {
				return nil
			}
			return all
		}},
		{"string_agg", testOthers[1:2], func(_, values []any) any {
			if len(values) == 0 {
				return nil
			}
			texts := make([]string, len(values))
			for i, x := range values {
				texts[i] = x.(string)
			}
			return strings.Join(texts, ",")
		}},
		{"mode", everything, refMode},
		{"median", append(append([]testType{}, testOthers[0], testOthers[1], testOthers[2], testOthers[8]), testIntegers[:0]...), func(_, values []any) any {
			if len(values) == 0 {
				return nil
			}
			sorted := slices.Clone(values)
			slices.SortStableFunc(sorted, compareAny)
			return sorted[(len(sorted)+1)/2-1]
		}},
		{"median", double, func(_, values []any) any {
			if len(values) == 0 {
				return nil
			}
			sorted := slices.Clone(values)
			slices.SortStableFunc(sorted, compareAny)
			n := len(sorted)
			return (toFloat(sorted[(n-1)/2]) + toFloat(sorted[n/2])) / 2
		}},
		{"var_pop", double, refVarPop},
		{"stddev", double, refStddev},
		{"product", []testType{{types.Double, func(rng *rand.Rand) any { return 1 + rng.Float64()/100 }}}, refProduct},
		{"sum", []testType{testOthers[5]}, func(_, values []any) any {
			if len(values) == 0 {
				return nil
			}
			var sum types.MonthDayNano
			for _, x := range values {
				sum.Days += x.(types.MonthDayNano).Days
			}
			return sum
		}},
		{"avg", []testType{testOthers[4]}, func(_, values []any) any {
			if len(values) == 0 {
				return nil
			}
			sum := int64(0)
			for _, x := range values {
				sum += x.(time.Time).UnixMicro()
			}
			return time.UnixMicro(sum / int64(len(values))).UTC()
		}},
	} {
		for _, tt := range c.types {
			t.Run(c.name+"/"+tt.typ.String(), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				for range 40 {
					checkAggregate(t, rng, c.name, tt, c.ref)
				}
			})
		}
	}
}
