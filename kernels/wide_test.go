package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// randomWide gives numbers of every length, near the edges of words more often than chance would.
func randomWide(r *rand.Rand, words int) int256 {
	var x int256
	for i := range r.IntN(words + 1) {
		switch r.IntN(4) {
		case 0:
			x[i] = math.MaxUint64
		case 1:
			x[i] = 1 << r.IntN(64)
		default:
			x[i] = r.Uint64()
		}
	}
	if words == 2 {
		x = int256From128(int128{Lo: x[0], Hi: int64(x[1])})
	}
	if r.IntN(2) == 0 {
		x = neg256(x)
	}
	return x
}

// wrap brings a number into the two's complement range of so many bits and tells whether that changed it.
func wrap(x *big.Int, bits uint) (*big.Int, bool) {
	modulus := new(big.Int).Lsh(big.NewInt(1), bits)
	half := new(big.Int).Rsh(modulus, 1)
	y := new(big.Int).Mod(new(big.Int).Add(x, half), modulus)
	y.Sub(y, half)
	return y, y.Cmp(x) != 0
}

func TestWideArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		a, b := randomWide(r, 4), randomWide(r, 4)
		x, y := a.Big(), b.Big()
		check := func(op string, got int256, over bool, want *big.Int) {
			w, wantOver := wrap(want, 256)
			if got.Big().Cmp(w) != 0 || over != wantOver {
				t.Fatalf("%v %s %v = %v (%v), want %v (%v)", x, op, y, got.Big(), over, w, wantOver)
			}
		}
		sum, over := add256(a, b)
		check("+", sum, over, new(big.Int).Add(x, y))
		difference, over := sub256(a, b)
		check("-", difference, over, new(big.Int).Sub(x, y))
		product, over := mul256(a, b)
		check("*", product, over, new(big.Int).Mul(x, y))
		if c := cmp256(a, b); c != x.Cmp(y) {
			t.Fatalf("cmp(%v, %v) = %d", x, y, c)
		}
		if y.Sign() != 0 {
			q, m := divMod256(a, b)
			bq, bm := new(big.Int).QuoRem(x, y, new(big.Int))
			bq, _ = wrap(bq, 256)
			if q.Big().Cmp(bq) != 0 || m.Big().Cmp(bm) != 0 {
				t.Fatalf("%v / %v = %v rest %v, want %v rest %v", x, y, q.Big(), m.Big(), bq, bm)
			}
		}
	}
}

func TestHugeArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		a, b := randomWide(r, 2), randomWide(r, 2)
		p, _ := fits128(a)
		q, _ := fits128(b)
		x, y := int256From128(p).Big(), int256From128(q).Big()
		check := func(op string, got int128, over bool, want *big.Int) {
			w, wantOver := wrap(want, 128)
			if int256From128(got).Big().Cmp(w) != 0 || over != wantOver {
				t.Fatalf("%v %s %v = %v (%v), want %v (%v)", x, op, y, int256From128(got).Big(), over, w, wantOver)
			}
		}
		sum, over := add128(p, q)
		check("+", sum, over, new(big.Int).Add(x, y))
		difference, over := sub128(p, q)
		check("-", difference, over, new(big.Int).Sub(x, y))
		product, over := mul128(p, q)
		check("*", product, over, new(big.Int).Mul(x, y))
		if c := cmp128(p, q); c != x.Cmp(y) {
			t.Fatalf("cmp(%v, %v) = %d", x, y, c)
		}
		if y.Sign() != 0 {
			quotient, rest := divMod128(p, q)
			bq, bm := new(big.Int).QuoRem(x, y, new(big.Int))
			bq, _ = wrap(bq, 128)
			if int256From128(quotient).Big().Cmp(bq) != 0 || int256From128(rest).Big().Cmp(bm) != 0 {
				t.Fatalf("%v / %v = %v rest %v", x, y, int256From128(quotient).Big(), int256From128(rest).Big())
			}
		}
		want, _ := new(big.Float).SetInt(x).Float64()
		if f := float128(p); f != want {
			t.Fatalf("float of %v is %v, want %v", x, f, want)
		}
		if f := float128(p); math.Abs(f) < 1<<126 {
			back, ok := int128FromFloat(f)
			exact, _ := big.NewFloat(f).Int(nil)
			if !ok || int256From128(back).Big().Cmp(exact) != 0 {
				t.Fatalf("integer of %v is %v", f, int256From128(back).Big())
			}
			if wide := int256FromFloat(f); wide.Big().Cmp(exact) != 0 {
				t.Fatalf("wide integer of %v is %v", f, wide.Big())
			}
		}
	}
}

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := types.HalfToFloat(uint16(h))
		if f != f {
			if g := types.HalfFromFloat(float64(f)); g&0x7fff <= 0x7c00 {
				t.Fatalf("NaN %#x became %#x", h, g)
			}
			continue
		}
		if g := types.HalfFromFloat(float64(f)); g != uint16(h) {
			t.Fatalf("%#x is %v, which rounds to %#x", h, f, g)
		}
	}
	// Between two neighbours the nearer one wins, in the middle the even one.
	for h := uint16(0); h < 0x7bff; h++ {
		lo, hi := float64(types.HalfToFloat(h)), float64(types.HalfToFloat(h+1))
		middle := (lo + hi) / 2
		even := h + h&1
		for _, c := range []struct {
			f    float64
			want uint16
		}{{middle, even}, {math.Nextafter(middle, 0), h}, {math.Nextafter(middle, hi), h + 1}} {
			if got := types.HalfFromFloat(c.f); got != c.want {
				t.Fatalf("%v rounds to %#x, want %#x", c.f, got, c.want)
			}
			if got := types.HalfFromFloat(-c.f); got != c.want|0x8000 {
				t.Fatalf("%v rounds to %#x", -c.f, got)
			}
		}
	}
}

func TestParseNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20_000 {
		x := randomWide(r, 4)
		scale := r.IntN(40)
		text := x.Big().String()
		if len(text) > 70 {
			continue
		}
		text += "e-" + strconv.Itoa(scale)
		got, status := parseNumber([]byte(text), scale)
		if status != parsed || got != x {
			t.Fatalf("%s with scale %d: %v, status %d", text, scale, got.Big(), status)
		}
	}
}

// TestCalendar walks through 800 years and to the ends of DATE.
func TestCalendar(t *testing.T) {
	day := daysFromCivil(1599, 12, 31)
	for year := int64(1600); year < 2400; year++ {
		for month := 1; month <= 12; month++ {
			for d := 1; d <= daysInMonth(year, month); d++ {
				day++
				if got := daysFromCivil(year, month, d); got != day {
					t.Fatalf("%d-%d-%d is day %d, want %d", year, month, d, got, day)
				}
				if y, m, dd := types.CivilOfDays(day); y != year || m != month || dd != d {
					t.Fatalf("day %d is %d-%d-%d", day, y, m, dd)
				}
			}
		}
	}
	if daysFromCivil(1970, 1, 1) != 0 {
		t.Error("the epoch is not day 0")
	}
	for _, d := range []int64{math.MaxInt32, math.MinInt32, -719528, -719529} {
		y, m, dd := types.CivilOfDays(d)
		if daysFromCivil(y, m, dd) != d {
			t.Errorf("day %d does not come back", d)
		}
	}
}
