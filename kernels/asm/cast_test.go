package asm

import (
	"math"
	"math/big"
	"testing"
)

func TestCastInts(t *testing.T) {
	t.Run("int8", testCastIntsFrom[int8])
	t.Run("int16", testCastIntsFrom[int16])
	t.Run("int32", testCastIntsFrom[int32])
	t.Run("int64", testCastIntsFrom[int64])
	t.Run("uint8", testCastIntsFrom[uint8])
	t.Run("uint16", testCastIntsFrom[uint16])
	t.Run("uint32", testCastIntsFrom[uint32])
	t.Run("uint64", testCastIntsFrom[uint64])
}

func testCastIntsFrom[F Integer](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		testCastInts[int8, F](h, n)
		testCastInts[int16, F](h, n)
		testCastInts[int32, F](h, n)
		testCastInts[int64, F](h, n)
		testCastInts[uint8, F](h, n)
		testCastInts[uint16, F](h, n)
		testCastInts[uint32, F](h, n)
		testCastInts[uint64, F](h, n)
		testIntsToFloats[float32, F](h, n)
		testIntsToFloats[float64, F](h, n)
	})
}

// someOf gives all kinds for few rows, and one for each longer column.
func someOf(n int, kinds ...string) []string {
	if n <= wordRows+1 {
		return kinds
	}
	return kinds[n%len(kinds):][:1]
}

// fits says whether an integer is one of type T.
func fits[T Integer](x *big.Int) bool {
	bits := 8 * width[T]()
	if !isSigned[T]() {
		return x.Sign() >= 0 && x.BitLen() <= bits
	}
	if x.Sign() < 0 {
		x = new(big.Int).Not(x)
	}
	return x.BitLen() < bits
}

// edges gives the integers about the ends of the range of T, as far as they are of type F.
func edges[T, F Integer]() []F {
	var values []F
	for _, end := range extremes[T]() {
		for d := int64(-2); d <= 2; d++ {
			if x := new(big.Int).Add(bigOf(end), big.NewInt(d)); fits[F](x) {
				values = append(values, F(x.Uint64()+uint64(x.Int64())*bit(x.Sign() < 0)))
			}
		}
	}
	return values
}

// testCastInts casts values that all fit, values about the ends of the range, and anything.
func testCastInts[T, F Integer](h *harness, n int) {
	ends := edges[T, F]()
	for _, kind := range someOf(n, "small", "edges", "one bad", "any") {
		h.used = 0
		values := someNumbers[F](n)
		for i := range values {
			switch {
			case kind == "edges":
				values[i] = ends[random.IntN(len(ends))]
			case kind == "small" || kind == "one bad" && i != n/2:
				values[i] = F(random.IntN(100))
			}
		}
		src, dst, bad := lay(h, values), room[T](h, n), room[uint64](h, Words(n))
		any := CastIntsChecked(dst, src, bad)
		anyWant := false
		for i, x := range values {
			fits := F(T(x)) == x && (T(x) < 0) == (x < 0)
			anyWant = anyWant || !fits
			if dst[i] != T(x) || bitOf(bad, i) == fits {
				h.Fatalf("%T to %T, %s: row %d, %v, is %v, bad: %v", x, dst[i], kind, i, x, dst[i], bitOf(bad, i))
			}
		}
		checkBad(h, kind, n, bad, any, anyWant)
		if check := checkOf[T, F](); check.mask == 0 { // all values fit
			spoil(dst)
			WidenInts(dst, src)
			for i, x := range values {
				if dst[i] != T(x) {
					h.Fatalf("WidenInts of %T to %T: row %d, %v, is %v", x, dst[i], i, x, dst[i])
				}
			}
		}
	}
}

// checkBad checks what a checked cast says of all rows, and that the bits past the end are zero.
func checkBad(h *harness, kind string, n int, bad []uint64, any, want bool) {
	if any != want {
		h.Fatalf("%s: any bad: %v, want %v", kind, any, want)
	}
	if n > 0 && bad[Words(n)-1]&^tailMask(n) != 0 {
		h.Fatalf("%s: bits past the end are set", kind)
	}
}

func testIntsToFloats[T Float, F Integer](h *harness, n int) {
	h.used = 0
	values := someNumbers[F](n)
	for i := range values { // about 1<<53 and 1<<24, where floats start to round
		if exponent := random.IntN(8*width[F]()) + 1; i%3 == 0 {
			values[i] = F(uint64(1)<<exponent) + F(random.IntN(5)) - 2
		}
	}
	src, dst := lay(h, values), room[T](h, n)
	IntsToFloats(dst, src)
	for i, x := range values[:min(n, 3*wordRows)] { // slow
		exact := new(big.Float).SetInt(bigOf(x))
		want, _ := exact.Float64()
		if width[T]() == 4 {
			single, _ := exact.Float32()
			want = float64(single)
		}
		if float64(dst[i]) != want || math.Signbit(float64(dst[i])) != (want < 0) {
			h.Fatalf("%T to %T: row %d, %v, is %v, want %v", x, dst[i], i, x, dst[i], want)
		}
	}
}

func TestFloatsToInts(t *testing.T) {
	t.Run("float64", testFloatsToInts[float64])
	t.Run("float32", testFloatsToInts[float32])
}

func testFloatsToInts[F Float](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		testFloatsToInt[int8, F](h, n)
		testFloatsToInt[int16, F](h, n)
		testFloatsToInt[int32, F](h, n)
		testFloatsToInt[int64, F](h, n)
		testFloatsToInt[uint8, F](h, n)
		testFloatsToInt[uint16, F](h, n)
		testFloatsToInt[uint32, F](h, n)
		testFloatsToInt[uint64, F](h, n)
	})
}

// someFloats gives n floats of a kind: halves and wholes that fit all types, ones below a power of two, the neighbours of powers of two, or any.
func someFloats[F Float](n int, kind string) []F {
	values := someNumbers[F](n)
	for i := range values {
		sign := F(1 - 2*random.IntN(2))
		switch {
		case kind == "small" || kind == "one bad" && i != n/2:
			values[i] = F(random.IntN(200)) / 2
		case kind == "wide":
			values[i] = sign * F(random.Float64()*0x1p63)
		case kind == "edges":
			v := F(math.Ldexp(1, random.IntN(66)))
			switch random.IntN(6) {
			case 0:
				v = F(math.Nextafter(float64(v), 0))
			case 1:
				v = F(math.Nextafter(float64(v), math.Inf(1)))
			case 2:
				v += 0.5
			case 3:
				v -= 0.5
			case 4:
				v += 1.5
			}
			values[i] = sign * v
		}
	}
	return values
}

func testFloatsToInt[T Integer, F Float](h *harness, n int) {
	for _, kind := range someOf(n, "small", "wide", "edges", "one bad", "any") {
		h.used = 0
		values := someFloats[F](n, kind)
		src, dst, bad := lay(h, values), room[T](h, n), room[uint64](h, Words(n))
		any := FloatsToIntsChecked(dst, src, bad)
		anyWant := false
		for i, x := range values {
			var want *big.Int
			ok := false
			if r := math.RoundToEven(float64(x)); r-r == 0 {
				want, _ = big.NewFloat(r).Int(nil)
				ok = fits[T](want)
			}
			anyWant = anyWant || !ok
			if bitOf(bad, i) == ok || ok && bigOf(dst[i]).Cmp(want) != 0 || !ok && dst[i] != 0 {
				h.Fatalf("%T to %T, %s: row %d, %v, is %v, bad: %v", x, dst[i], kind, i, x, dst[i], bitOf(bad, i))
			}
		}
		checkBad(h, kind, n, bad, any, anyWant)
	}
}

func TestCastFloats(t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		for _, kind := range []string{"small", "edges", "one bad", "any"} {
			h.used = 0
			values := someFloats[float32](n, kind)
			src, dst := lay(h, values), room[float64](h, n)
			WidenFloats(dst, src)
			for i, x := range values {
				if math.Float64bits(dst[i]) != math.Float64bits(float64(x)) {
					h.Fatalf("row %d, %v, is %v", i, x, dst[i])
				}
			}
			wide := someFloats[float64](n, kind)
			for i := range wide {
				if kind == "edges" { // about the greatest float32
					wide[i] = castValue[float64](uint64(0x47effffff0000000-2+random.IntN(5)) | random.Uint64()<<63)
				}
			}
			src64, dst32, bad := lay(h, wide), room[float32](h, n), room[uint64](h, Words(n))
			any := NarrowFloatsChecked(dst32, src64, bad)
			anyWant := false
			for i, x := range wide {
				lost := math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0)
				anyWant = anyWant || lost
				if math.Float32bits(dst32[i]) != math.Float32bits(float32(x)) || bitOf(bad, i) != lost {
					h.Fatalf("%s: row %d, %v, is %v, bad: %v", kind, i, x, dst32[i], bitOf(bad, i))
				}
			}
			checkBad(h, kind, n, bad, any, anyWant)
		}
	})
}

func FuzzCasts(f *testing.F) {
	f.Add([]byte("some values, and then some more of them, so that there is a whole block of every width"), byte(0))
	f.Add(make([]byte, 1100), byte(7))
	whole := make([]byte, 8*130)
	for i := range 130 {
		copy(whole[8*i:], rawBytes([]float64{float64(i) * 1e15}))
	}
	f.Add(whole, byte(6))
	f.Fuzz(func(t *testing.T, data []byte, to byte) {
		switch to % 8 {
		case 0:
			fuzzCast[int8](t, data)
		case 1:
			fuzzCast[int16](t, data)
		case 2:
			fuzzCast[int32](t, data)
		case 3:
			fuzzCast[int64](t, data)
		case 4:
			fuzzCast[uint8](t, data)
		case 5:
			fuzzCast[uint16](t, data)
		case 6:
			fuzzCast[uint32](t, data)
		case 7:
			fuzzCast[uint64](t, data)
		}
	})
}

// fuzzCast casts bytes taken for numbers of each type to T, and back to floats.
func fuzzCast[T Integer](t *testing.T, data []byte) {
	fuzzCastFrom(t, data, CastIntsChecked[T, int16])
	fuzzCastFrom(t, data, CastIntsChecked[T, int32])
	fuzzCastFrom(t, data, CastIntsChecked[T, int64])
	fuzzCastFrom(t, data, CastIntsChecked[T, uint64])
	fuzzCastFrom(t, data, FloatsToIntsChecked[T, float32])
	fuzzCastFrom(t, data, FloatsToIntsChecked[T, float64])
	fuzzCastFrom(t, data, NarrowFloatsChecked)
	fuzzCastFrom(t, data, func(dst []float64, src []T, bad []uint64) bool {
		clear(bad)
		IntsToFloats(dst, src)
		return false
	})
}

func fuzzCastFrom[T, F Number](t *testing.T, data []byte, cast func(dst []T, src []F, bad []uint64) bool) {
	src := make([]F, len(data)/width[F]())
	copy(rawBytes(src), data)
	inTiers(t, func() []uint64 {
		bad, dst := spoil(make([]uint64, Words(len(src)))), make([]T, len(src))
		any := cast(dst, src, bad)
		out := append(bad, bit(any))
		for i := range dst {
			raw := make([]byte, 8)
			copy(raw, rawBytes(dst[i:i+1]))
			out = append(out, castValue[uint64]([8]byte(raw)))
		}
		return out
	})
}
