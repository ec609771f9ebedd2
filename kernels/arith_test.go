package kernels

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// binaryVerb is an arithmetic kernel with its reference on exact numbers; ok = false is an overflow, nil a null.
type binaryVerb struct {
	name   string
	kernel func(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error)
	exact  func(a, b *big.Int) *big.Int
}

var exactVerbs = []binaryVerb{
	{"+", Add, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
	{"-", Sub, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
	{"*", Mul, func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }},
	{"//", IntDiv, func(a, b *big.Int) *big.Int {
		if b.Sign() == 0 {
			return nil
		}
		return new(big.Int).Quo(a, b)
	}},
	{"%", Mod, func(a, b *big.Int) *big.Int {
		if b.Sign() == 0 {
			return nil
		}
		return new(big.Int).Rem(a, b)
	}},
}

// unscaled reads an integer or decimal as its stored whole number.
func unscaled(x any) *big.Int {
	switch x := x.(type) {
	case *big.Int:
		return x
	case types.DecimalValue:
		return x.Unscaled
	}
	b, ok := new(big.Int).SetString(fmt.Sprint(x), 10)
	if !ok {
		panic(fmt.Sprintf("%T is no whole number", x))
	}
	return b
}

// checkChecked runs a kernel that can fail in its three modes against a reference: want has nil for null, and failed says which
// rows fail.
func checkChecked(t *testing.T, what string, want []any, failed []bool, run func(*Env) (*types.Vector, error)) {
	t.Helper()
	n := len(want)
	first := -1
	good := make(types.Bitmap, types.BitmapWords(n))
	for i, f := range failed {
		if f {
			if first < 0 {
				first = i
			}
		} else {
			good.Set(i)
		}
	}
	tried, err := run(&Env{Try: true})
	if err != nil {
		t.Fatalf("%s: try raised %v", what, err)
	}
	checkRows(t, what+" (try)", tried, want)

	result, err := run(nil)
	var e *types.Error
	switch {
	case first < 0 && err != nil:
		t.Fatalf("%s: %v", what, err)
	case first < 0:
		checkRows(t, what, result, want)
	case err == nil:
		t.Fatalf("%s: row %d did not fail", what, first)
	case !errors.As(err, &e) || e.Row != int64(first):
		t.Fatalf("%s: error %v, want one of row %d", what, err, first)
	}

	// Rows that do not count raise nothing.
	result, err = run(&Env{Active: good})
	if err != nil {
		t.Fatalf("%s: an inactive row raised %v", what, err)
	}
	for i, w := range want {
		if good.Get(i) && !sameText(types.Value(result, i), w) {
			t.Fatalf("%s: row %d is %v, want %v", what, i, types.Value(result, i), w)
		}
	}
}

func arithmeticSamples() []sample {
	s := samples()[1:5]
	s = append(s, samples()[5:9]...)
	for i := range s {
		switch s[i].typ.Kind() { // small values, so that products fit now and then
		case types.KindTinyInt:
			s[i].values = append(s[i].values, int8(2), int8(-3), int8(11))
		case types.KindBigInt:
			s[i].values = append(s[i].values, int64(1<<31), int64(-1), int64(3))
		case types.KindUBigInt:
			s[i].values = append(s[i].values, uint64(1<<32), uint64(1))
		}
	}
	huge := sample{types.HugeInt, []any{int64(0), int64(-1), int64(7), uint64(math.MaxUint64), new(big.Int).Lsh(big.NewInt(-1), 127),
		new(big.Int).Lsh(big.NewInt(1), 100)}}
	return append(s, huge)
}

func TestIntegerArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, s := range arithmeticSamples() {
		lo, hi := wideRange(s.typ)
		for _, n := range []int{0, 1, 7, 64, 130} {
			left, right := s.draw(r, n), s.draw(r, n)
			if n == 7 {
				for i := range right {
					right[i] = right[0]
				}
			}
			left, right = normal(t, s.typ, left), normal(t, s.typ, right)
			for _, verb := range exactVerbs {
				want, failed := make([]any, n), make([]bool, n)
				for i := range want {
					if left[i] == nil || right[i] == nil {
						continue
					}
					x := verb.exact(unscaled(left[i]), unscaled(right[i]))
					switch {
					case x == nil:
					case x.Cmp(lo.Big()) < 0 || x.Cmp(hi.Big()) > 0:
						failed[i] = true
					default:
						want[i] = x
					}
				}
				want = normal(t, s.typ, want)
				for _, a := range layouts(t, s.typ, left) {
					for _, b := range layouts(t, s.typ, right) {
						what := fmt.Sprintf("%s %s %s, %s and %s, %d rows", s.typ, verb.name, s.typ, a.name, b.name, n)
						checkChecked(t, what, want, failed, func(env *Env) (*types.Vector, error) { return verb.kernel(env, s.typ, a.vector, b.vector) })
					}
				}
			}
			want, failed := make([]any, n), make([]bool, n)
			for i, x := range left {
				if x == nil {
					continue
				}
				y := new(big.Int).Neg(unscaled(x))
				if failed[i] = y.Cmp(lo.Big()) < 0 || y.Cmp(hi.Big()) > 0; !failed[i] {
					want[i] = y
				}
			}
			want = normal(t, s.typ, want)
			for _, a := range layouts(t, s.typ, left) {
				checkChecked(t, fmt.Sprintf("-%s, %s", s.typ, a.name), want, failed, func(env *Env) (*types.Vector, error) { return Neg(env, a.vector) })
			}
		}
	}
}

func TestDecimalArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range []struct {
		a, b, out types.Type
		verb      int
	}{
		{types.Decimal(9, 2), types.Decimal(9, 2), types.Decimal(10, 2), 0},
		{types.Decimal(18, 2), types.Decimal(5, 2), types.Decimal(18, 2), 0},
		{types.Decimal(18, 2), types.Decimal(18, 2), types.Decimal(18, 2), 1},
		{types.Decimal(18, 2), types.Decimal(18, 2), types.Decimal(38, 2), 1},
		{types.Decimal(38, 3), types.Decimal(20, 3), types.Decimal(38, 3), 0},
		{types.Decimal(76, 3), types.Decimal(20, 3), types.Decimal(76, 3), 1},
		{types.Decimal(9, 2), types.Decimal(9, 3), types.Decimal(18, 5), 2},
		{types.Decimal(15, 2), types.Decimal(15, 2), types.Decimal(18, 4), 2},
		{types.Decimal(18, 2), types.Decimal(18, 2), types.Decimal(36, 4), 2},
		{types.Decimal(30, 2), types.Decimal(15, 2), types.Decimal(38, 4), 2},
		{types.Decimal(40, 2), types.Decimal(38, 2), types.Decimal(76, 4), 2},
		{types.Decimal(9, 2), types.Decimal(9, 2), types.Decimal(9, 2), 4},
		{types.Decimal(30, 2), types.Decimal(9, 2), types.Decimal(30, 2), 4},
		{types.Decimal(60, 2), types.Decimal(60, 2), types.Decimal(60, 2), 4},
	} {
		verb := exactVerbs[c.verb]
		lo, hi := wideRange(c.out)
		for _, n := range []int{1, 7, 70} {
			left, right := decimalRows(r, c.a, n), decimalRows(r, c.b, n)
			if n == 7 {
				for i := range right {
					right[i] = right[0]
				}
			}
			want, failed := make([]any, n), make([]bool, n)
			for i := range want {
				if left[i] == nil || right[i] == nil {
					continue
				}
				x := verb.exact(unscaled(left[i]), unscaled(right[i]))
				switch {
				case x == nil:
				case x.Cmp(lo.Big()) < 0 || x.Cmp(hi.Big()) > 0:
					failed[i] = true
				default:
					want[i] = types.DecimalValue{Unscaled: x, Scale: c.out.Scale()}
				}
			}
			for _, a := range layouts(t, c.a, left) {
				for _, b := range layouts(t, c.b, right) {
					what := fmt.Sprintf("%s %s %s, %s and %s", c.a, verb.name, c.b, a.name, b.name)
					checkChecked(t, what, want, failed, func(env *Env) (*types.Vector, error) { return verb.kernel(env, c.out, a.vector, b.vector) })
				}
			}
		}
	}
}

// decimalRows gives numbers of all lengths that a type holds.
func decimalRows(r *rand.Rand, typ types.Type, n int) []any {
	out := make([]any, n)
	for i := range out {
		if r.IntN(5) == 0 {
			continue
		}
		digits := r.IntN(typ.Precision() + 1)
		x := new(big.Int)
		for range digits {
			x.Add(x.Mul(x, big.NewInt(10)), big.NewInt(int64(r.IntN(10))))
		}
		if r.IntN(2) == 0 {
			x.Neg(x)
		}
		out[i] = types.DecimalValue{Unscaled: x, Scale: typ.Scale()}
	}
	return out
}

func TestFloatArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	values := []any{0.0, 1.5, -2.0, 1e300, math.Inf(1), math.NaN(), 3.0}
	verbs := []struct {
		name   string
		kernel func(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error)
		want   func(a, b float64) any
	}{
		{"+", Add, func(a, b float64) any { return a + b }},
		{"-", Sub, func(a, b float64) any { return a - b }},
		{"*", Mul, func(a, b float64) any { return a * b }},
		{"/", Div, func(a, b float64) any { return a / b }},
		{"%", Mod, func(a, b float64) any { return math.Mod(a, b) }},
		{"//", IntDiv, func(a, b float64) any {
			if b == 0 {
				return nil
			}
			return a / b
		}},
	}
	s := sample{types.Double, values}
	for _, n := range []int{0, 7, 100} {
		left, right := s.draw(r, n), s.draw(r, n)
		for _, verb := range verbs {
			want := make([]any, n)
			for i := range want {
				if left[i] != nil && right[i] != nil {
					want[i] = verb.want(left[i].(float64), right[i].(float64))
				}
			}
			for _, a := range layouts(t, types.Double, left) {
				for _, b := range layouts(t, types.Double, right) {
					got, err := verb.kernel(nil, types.Double, a.vector, b.vector)
					if err != nil {
						t.Fatal(err)
					}
					checkRows(t, "DOUBLE "+verb.name, got, want)
				}
			}
		}
	}
}
