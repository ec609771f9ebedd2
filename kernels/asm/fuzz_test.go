package asm

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// The fuzz targets hold every tier to the portable code, on inputs of any length and content.

// wordsOf makes a bitmap of n rows from bytes.
func wordsOf(data []byte, n int) []uint64 {
	b := make([]uint64, Words(n))
	LoadBits(b, data, 0, min(n, len(data)*8))
	return b
}

// inTiers runs f in every tier and wants the same result as in the first, the portable one.
func inTiers(t *testing.T, f func() []uint64) {
	var want []uint64
	for i, tier := range Tiers() {
		restore, err := Use(tier)
		if err != nil {
			t.Fatal(err)
		}
		got := f()
		restore()
		if i == 0 {
			want = got
		} else if !sameBits(got, want) {
			t.Errorf("%s: %s", tier, diff(got, want))
		}
	}
}

func FuzzCompareConst(f *testing.F) {
	f.Add([]byte("some values, and then some more of them, so that there is a whole block of every width"), uint64(7), byte(1))
	f.Add(make([]byte, 1100), uint64(0x7ff8000000000000), byte(3))
	f.Fuzz(func(t *testing.T, data []byte, c uint64, op byte) {
		o := CompareOp(op % 5)
		fuzzCompare[int64](t, data, c, o)
		fuzzCompare[int32](t, data, c, o)
		fuzzCompare[float64](t, data, c, o)
		fuzzCompare[float32](t, data, c, o)
	})
}

func fuzzCompare[T Number](t *testing.T, data []byte, bits uint64, op CompareOp) {
	values := make([]T, len(data)/width[T]())
	copy(rawBytes(values), data)
	c := castNumber[T](bits)
	inTiers(t, func() []uint64 {
		dst := spoil(make([]uint64, Words(len(values))))
		CompareConst(dst, values, op, c)
		for i, v := range values {
			if bitOf(dst, i) != holds(op, order(v, c)) {
				t.Errorf("%v %s %v is %v", v, op, c, bitOf(dst, i))
			}
		}
		return dst
	})
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte("selection bits for a good number of rows, certainly more than a block or two"), []byte("values"), uint8(200))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, []byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, selection, values []byte, room uint8) {
		n := len(selection) * 8
		sel, bits := wordsOf(selection, n), wordsOf(values, n)
		src := make([]uint64, n)
		narrow := make([]uint32, n)
		for i := range src {
			src[i] = uint64(i)*0x9e3779b97f4a7c15 + 1
			narrow[i] = uint32(src[i])
		}
		count := PopCount(sel)
		inTiers(t, func() []uint64 {
			wide := make([]uint64, count+int(room))
			short := make([]uint32, count+int(room))
			result := slices.Clone(wide[:Filter(wide, src, sel)])
			for _, v := range short[:Filter(short, narrow, sel)] {
				result = append(result, uint64(v))
			}
			for _, i := range AppendIndices(nil, sel, n) {
				result = append(result, uint64(i))
			}
			packed := spoil(make([]uint64, Words(count)))
			FilterBits(packed, bits, sel, n)
			return append(result, packed...)
		})
	})
}

func FuzzLoadStoreBits(f *testing.F) {
	f.Add([]byte("any bytes will do here"), uint8(13), uint8(100))
	f.Fuzz(func(t *testing.T, data []byte, offset, n uint8) {
		if (int(offset)+int(n)+7)/8 > len(data) {
			return
		}
		words := make([]uint64, Words(int(n)))
		inTiers(t, func() []uint64 {
			LoadBits(spoil(words), data, int(offset), int(n))
			return slices.Clone(words)
		})
		for i := range int(n) {
			at := int(offset) + i
			if bitOf(words, i) != (data[at/8]>>(at%8)&1 != 0) {
				t.Fatalf("bit %d is %v", i, bitOf(words, i))
			}
		}
		// Stored to where it came from, it changes nothing; over zeros and ones it leaves the surroundings.
		for _, fill := range []byte{0, 0xff} {
			out := make([]byte, len(data))
			for i := range out {
				out[i] = fill
			}
			StoreBits(out, words, int(offset), int(n))
			for i := range len(data) * 8 {
				want := fill != 0
				if i >= int(offset) && i < int(offset)+int(n) {
					want = data[i/8]>>(i%8)&1 != 0
				}
				if got := out[i/8]>>(i%8)&1 != 0; got != want {
					t.Fatalf("offset %d, %d rows, fill %#x: bit %d is %v", offset, n, fill, i, got)
				}
			}
		}
	})
}

func FuzzBitAlgebra(f *testing.F) {
	f.Add([]byte("two bitmaps, one after the other, of so many words that a kernel has whole blocks and words that are left over"), uint16(700))
	f.Add(make([]byte, 700), uint16(2800))
	f.Fuzz(func(t *testing.T, data []byte, rows uint16) {
		n := min(int(rows), len(data)*2) // four bitmaps
		quarter := len(data) / 4
		var in [4][]uint64
		for i := range in {
			in[i] = wordsOf(data[i*quarter:(i+1)*quarter], n)
		}
		a, b, aValid, bValid := in[0], in[1], in[2], in[3]
		inTiers(t, func() []uint64 {
			result := []uint64{uint64(PopCount(a)), uint64(PopCount(b))}
			for _, op := range []func(dst, a, b []uint64){And, Or, Xor, AndNot} {
				dst := spoil(make([]uint64, Words(n)))
				op(dst, a, b)
				result = append(result, dst...)
			}
			value, valid := spoil(make([]uint64, Words(n))), spoil(make([]uint64, Words(n)))
			Not(value, a, n)
			result = append(result, value...)
			KleeneAnd(value, valid, a, aValid, b, nil, n)
			result = append(append(result, value...), valid...)
			KleeneOr(value, valid, a, aValid, b, bValid, n)
			if n > 0 {
				idx, taken := make([]uint32, len(data)), spoil(make([]uint64, Words(len(data))))
				for i, x := range data {
					idx[i] = (uint32(x)*0x9e3779b9 + uint32(i)) % uint32(n)
				}
				TakeBits(taken, a, idx)
				result = append(result, taken...)
			}
			return append(append(result, value...), valid...)
		})
	})
}

func FuzzReduce(f *testing.F) {
	f.Add([]byte("values of any width, a block and more of them, so that there is something to select and to leave out"), []byte("some of the rows"))
	f.Add(make([]byte, 1100), []byte{0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81})
	f.Fuzz(func(t *testing.T, data, selection []byte) {
		fuzzReduce[int8](t, data, selection)
		fuzzReduce[uint8](t, data, selection)
		fuzzReduce[int16](t, data, selection)
		fuzzReduce[uint16](t, data, selection)
		fuzzReduce[uint32](t, data, selection)
		fuzzReduce[uint64](t, data, selection)
		fuzzReduce[int64](t, data, selection)
		fuzzReduce[int32](t, data, selection)
		fuzzReduce[float64](t, data, selection)
		fuzzReduce[float32](t, data, selection)
	})
}

func fuzzReduce[T Number](t *testing.T, data, selection []byte) {
	values := make([]T, len(data)/width[T]())
	copy(rawBytes(values), data)
	for _, mask := range [][]uint64{nil, wordsOf(selection, len(values))} {
		inTiers(t, func() []uint64 {
			least, some := Min(values, mask)
			greatest, _ := Max(values, mask)
			result := []uint64{bit(some), bitsOf(least), bitsOf(greatest)}
			return append(result, sumBits(values, mask)...)
		})
	}
}

// sumBits gives the words of a sum.
func sumBits[T Number](values []T, mask []uint64) []uint64 {
	var hi int64
	var lo uint64
	switch values := any(values).(type) {
	case []int64:
		hi, lo = SumInt(values, mask)
	case []uint64:
		hi, lo = SumInt(values, mask)
	case []int32:
		hi, lo = SumInt(values, mask)
	case []uint32:
		hi, lo = SumInt(values, mask)
	case []int16:
		hi, lo = SumInt(values, mask)
	case []uint16:
		hi, lo = SumInt(values, mask)
	case []int8:
		hi, lo = SumInt(values, mask)
	case []uint8:
		hi, lo = SumInt(values, mask)
	case []float64:
		lo = numberBits(SumFloat(values, mask))
	case []float32:
		lo = numberBits(SumFloat(values, mask))
	}
	return []uint64{uint64(hi), lo}
}

// numberBits gives the bits of a sum, one NaN for all: a NaN's payload is the CPU's business.
func numberBits(sum float64) uint64 {
	if sum != sum {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(sum)
}

// bitsOf gives the bits of a number.
func bitsOf[T Number](v T) uint64 {
	var word [8]byte
	copy(word[:], rawBytes([]T{v}))
	return binary.LittleEndian.Uint64(word[:])
}
