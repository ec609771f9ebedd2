package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

var numberTypes = []types.Type{
	types.TinyInt, types.SmallInt, types.Integer, types.BigInt, types.UTinyInt, types.USmallInt, types.UInteger, types.UBigInt, types.HugeInt,
	types.Half, types.Float, types.Double,
	types.Decimal(4, 1), types.Decimal(9, 2), types.Decimal(18, 0), types.Decimal(18, 18), types.Decimal(25, 5), types.Decimal(38, 2),
	types.Decimal(50, 10), types.Decimal(76, 0),
}

// exactNumber reads a number as a fraction; nil for NaN and infinities.
func exactNumber(x any) *big.Rat {
	switch x := x.(type) {
	case float32:
		return new(big.Rat).SetFloat64(float64(x))
	case float64:
		return new(big.Rat).SetFloat64(x)
	case types.DecimalValue:
		return new(big.Rat).SetFrac(x.Unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(x.Scale)), nil))
	}
	return new(big.Rat).SetInt(unscaled(x))
}

// roundRat rounds to a whole number, a half away from zero or to the even neighbour.
func roundRat(x *big.Rat, halfEven bool) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(x.Num()), 1)
	q, r := new(big.Int).QuoRem(twice, new(big.Int).Lsh(x.Denom(), 1), new(big.Int))
	switch c := r.Cmp(x.Denom()); {
	case c > 0, c == 0 && !(halfEven && q.Bit(0) == 0):
		q.Add(q, big.NewInt(1))
	}
	if x.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

// castNumber is the reference of a cast between numbers; ok = false is a failure.
func castNumber(x any, from, to types.Type) (result any, ok bool) {
	exact := exactNumber(x)
	if to.IsFloat() {
		f := math.NaN()
		switch {
		case exact != nil && to.Kind() == types.KindFloat && !from.IsFloat():
			// Through DOUBLE, as DuckDB does for decimals; integers round once.
			f, _ = exact.Float64()
			if from.IsInteger() && from.Kind() != types.KindHugeInt {
				f32, _ := exact.Float32()
				f = float64(f32)
			}
		case exact != nil:
			f, _ = exact.Float64()
		default:
			f, _ = floatValue(x)
		}
		wasInfinite := exact == nil
		switch to.Kind() {
		case types.KindHalf:
			f = float64(types.HalfToFloat(types.HalfFromFloat(f)))
		case types.KindFloat:
			f = float64(float32(f))
		}
		if math.IsInf(f, 0) && !wasInfinite {
			return nil, false
		}
		if to.Kind() == types.KindDouble {
			return f, true
		}
		return float32(f), true
	}
	if exact == nil {
		return nil, false
	}
	lo, hi := wideRange(to)
	var whole *big.Int
	switch {
	case to.IsInteger():
		whole = roundRat(exact, from.IsFloat())
	case from.IsFloat():
		// The product is rounded to DOUBLE first.
		f, _ := floatValue(x)
		scaled := math.Round(f * pow10Float[to.Scale()])
		if math.Abs(scaled) >= pow10Float[to.Precision()] {
			return nil, false
		}
		whole, _ = big.NewFloat(scaled).Int(nil)
	default:
		factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(to.Scale())), nil)
		whole = roundRat(new(big.Rat).Mul(exact, new(big.Rat).SetInt(factor)), false)
	}
	if whole.Cmp(lo.Big()) < 0 || whole.Cmp(hi.Big()) > 0 {
		return nil, false
	}
	if to.Kind() == types.KindDecimal {
		return types.DecimalValue{Unscaled: whole, Scale: to.Scale()}, true
	}
	return whole, true
}

func floatValue(x any) (float64, bool) {
	switch x := x.(type) {
	case float32:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// numberRows gives numbers of a type from small to its ends.
func numberRows(r *rand.Rand, typ types.Type, n int) []any {
	if typ.Kind() == types.KindDecimal {
		return decimalRows(r, typ, n)
	}
	out := make([]any, n)
	lo, hi := wideRange(types.BigInt)
	if typ.IsInteger() {
		lo, hi = wideRange(typ)
	}
	for i := range out {
		switch {
		case r.IntN(6) == 0:
			continue
		case typ.IsFloat():
			f := (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(140))
			switch r.IntN(8) {
			case 0:
				f = math.NaN()
			case 1:
				f = math.Inf(1)
			case 2, 3:
				f = float64(r.IntN(2000)-1000) / 2
			}
			switch typ.Kind() {
			case types.KindHalf:
				out[i] = types.HalfToFloat(types.HalfFromFloat(f))
			case types.KindFloat:
				out[i] = float32(f)
			default:
				out[i] = f
			}
		case r.IntN(8) == 0:
			out[i] = lo.Big()
		case r.IntN(8) == 0:
			out[i] = hi.Big()
		default:
			x := new(big.Int).Rsh(hi.Big(), uint(r.IntN(hi.Big().BitLen()+1)))
			if r.IntN(2) == 0 && isNeg256(lo) {
				x.Neg(x)
			}
			out[i] = x
		}
	}
	return out
}

func TestNumberCasts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, from := range numberTypes {
		for _, to := range numberTypes {
			for _, n := range []int{0, 1, 90} {
				rows := normal(t, from, numberRows(r, from, n))
				if n == 1 { // also as a constant
					rows[0] = normal(t, from, []any{0})[0]
				}
				want, failed := make([]any, n), make([]bool, n)
				for i, x := range rows {
					if x == nil {
						continue
					}
					y, ok := castNumber(x, from, to)
					want[i], failed[i] = y, !ok
				}
				want = normal(t, to, want)
				for _, l := range layouts(t, from, rows) {
					what := fmt.Sprintf("%s to %s, %s, %d rows", from, to, l.name, n)
					checkChecked(t, what, want, failed, func(env *Env) (*types.Vector, error) { return Cast(env, l.vector, to) })
				}
			}
		}
	}
}

// TestTextRoundTrip checks that every flat value reads back from its text.
func TestTextRoundTrip(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, _ *rand.Rand) {
		if !CanCast(types.Varchar, s.typ) || s.typ.Kind() == types.KindNull || s.typ.Kind() == types.KindUnion { // a text does not say which variant it came from
			return
		}
		text, err := Cast(nil, l.vector, types.Varchar)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Cast(nil, text, s.typ)
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, "back from text", back, rows)
	})
}

// TestCastUnreferencedEntry checks that an entry which no row uses raises nothing, though entries are converted first.
func TestCastUnreferencedEntry(t *testing.T) {
	entries := mustValues(t, types.Varchar, []any{"1", "x", "2"})
	keys := []uint32{0, 2, 2, 0}
	got, err := Cast(nil, types.NewDictionary(keys, entries, nil), types.Integer)
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, "cast", got, []any{int32(1), int32(2), int32(2), int32(1)})
	if _, err = Cast(nil, types.NewDictionary([]uint32{0, 2, 2, 1}, entries, nil), types.Integer); err.(*types.Error).Row != 3 {
		t.Errorf("got %v", err)
	}
	runs := types.NewRunEnd([]int32{2, 5, 7}, entries)
	if _, err = Cast(nil, runs, types.Integer); err == nil || err.(*types.Error).Row != 2 {
		t.Errorf("got %v", err)
	}
	if _, err = Cast(&Env{Active: types.Bitmap{0b1100011}}, runs, types.Integer); err != nil {
		t.Errorf("inactive run: %v", err)
	}
}

// TestCastSharesEncoding checks that converted dictionaries and runs keep their shape.
func TestCastSharesEncoding(t *testing.T) {
	entries := mustValues(t, types.Integer, []any{1, 2})
	d, err := Cast(nil, types.NewDictionary([]uint32{0, 1, 0}, entries, nil), types.BigInt)
	if err != nil || d.Encoding() != types.Dictionary {
		t.Errorf("dictionary became %v, %v", d.Encoding(), err)
	}
	r, err := Cast(nil, types.NewRunEnd([]int32{100, 200}, entries), types.BigInt)
	if err != nil || r.Encoding() != types.RunEnd {
		t.Errorf("runs became %v, %v", r.Encoding(), err)
	}
	c, err := Cast(nil, types.NewConstant(entries, 5), types.BigInt)
	if err != nil || c.Encoding() != types.Constant || c.Len() != 5 {
		t.Errorf("constant became %v, %v", c.Encoding(), err)
	}
}

// TestParsersTakeAnything feeds broken texts to every parser: an answer or an error, never a panic.
func TestParsersTakeAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	seeds := []string{"2020-01-02 10:11:12.5+02:30", "1 year 2 months -3 days 04:05:06.7 ago", "-123_456.789e-10", "0xff", "infinity",
		"0044-03-15 (BC)", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", `a\x41b`, "true", "99999999999999999999:00:00", "1.5 days", "nan"}
	targets := append([]types.Type{types.Boolean, types.Date, types.Time, types.Timestamp, types.TimestampOf(types.Nanosecond), types.TimestampTZ,
		types.Interval, types.UUID, types.Blob}, numberTypes...)
	var texts []any
	for range 3000 {
		b := []byte(seeds[r.IntN(len(seeds))])
		for range r.IntN(4) {
			switch i := r.IntN(len(b) + 1); {
			case i == len(b) || len(b) == 0:
				b = append(b, " -+.:/eE0123456789()_\\xé"[r.IntN(24)])
			case r.IntN(3) == 0:
				b = append(b[:i], b[i+1:]...)
			case r.IntN(2) == 0:
				b = b[:i]
			default:
				b[i] = byte(r.IntN(256))
			}
		}
		texts = append(texts, string(b))
	}
	v := types.NewViews(types.Varchar, nil, nil, nil)
	b := NewViewBuilder(nil, types.Varchar, len(texts))
	for _, x := range texts {
		b.Append([]byte(x.(string)))
	}
	v = b.Finish(nil)
	for _, to := range targets {
		got, err := Cast(&Env{Try: true}, v, to)
		if err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		// What was read can be written and read again.
		text, err := Cast(nil, got, types.Varchar)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Cast(nil, text, to)
		if err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		for i := range texts {
			if a, b := types.Text(got, i), types.Text(again, i); a != b {
				t.Fatalf("%s: %q gave %s, then %s", to, texts[i], a, b)
			}
		}
	}
}

func TestZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	// Every half hour of two years comes back, unless the clock skips it or shows it twice.
	for s := int64(1577836800); s < 1577836800+2*366*86400; s += 1800 {
		local, _ := toLocal(s, 1, berlin)
		back, ok := fromLocal(local, 1, berlin)
		if !ok || back != s && back != s+3600 {
			t.Fatalf("%d became %d", s, back)
		}
	}
}

// TestCastIntegers casts the extremes of every integer type to every other and compares with big integers.
func TestCastIntegers(t *testing.T) {
	integers := []types.Type{
		types.TinyInt, types.SmallInt, types.Integer, types.BigInt, types.UTinyInt, types.USmallInt, types.UInteger, types.UBigInt,
	}
	bounds := func(typ types.Type) (least, most *big.Int) {
		size := uint(typ.Storage().Width() * 8)
		one := big.NewInt(1)
		if typ.IsUnsigned() {
			return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, size), one)
		}
		most = new(big.Int).Sub(new(big.Int).Lsh(one, size-1), one)
		return new(big.Int).Not(most), most
	}
	for _, from := range integers {
		fromLeast, fromMost := bounds(from)
		for _, to := range integers {
			least, most := bounds(to)
			for _, edge := range []*big.Int{fromLeast, fromMost, least, most, new(big.Int)} {
				for step := int64(-1); step <= 1; step++ {
					x := new(big.Int).Add(edge, big.NewInt(step))
					if x.Cmp(fromLeast) < 0 || x.Cmp(fromMost) > 0 {
						continue
					}
					// Alone in a block of four and among the rows left over.
					for row := range 7 {
						texts := make([]any, 7)
						for i := range texts {
							texts[i] = "1"
						}
						texts[row] = x.String()
						text, err := types.FromValues(nil, types.Varchar, texts)
						if err != nil {
							t.Fatal(err)
						}
						v, err := Cast(nil, text, from)
						if err != nil {
							t.Fatal(err)
						}
						got, err := Cast(nil, v, to)
						fits := x.Cmp(least) >= 0 && x.Cmp(most) <= 0
						if fits != (err == nil) {
							t.Fatalf("%s %s to %s: %v", from, x, to, err)
						}
						if fits && types.Text(got, row) != x.String() {
							t.Fatalf("%s %s to %s is %s", from, x, to, types.Text(got, row))
						}
					}
				}
			}
		}
	}
}
