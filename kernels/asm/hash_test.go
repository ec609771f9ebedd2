package asm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// hashOf hashes one number.
func hashOf[T Number](v T) uint64 {
	dst := make([]uint64, 1)
	Hash(dst, []T{v}, HashSeed)
	return dst[0]
}

func TestHashFollowsEquality(t *testing.T) {
	if hashOf(int8(-5)) != hashOf(int64(-5)) || hashOf(uint16(7)) != hashOf(int32(7)) {
		t.Error("equal integers of two widths hash differently")
	}
	if hashOf(math.Copysign(0, -1)) != hashOf(0.0) || hashOf(float32(math.Copysign(0, -1))) != hashOf(float32(0)) {
		t.Error("-0 and 0 hash differently")
	}
	if hashOf(math.NaN()) != hashOf(math.Float64frombits(0xfff0000000000123)) {
		t.Error("two NaNs hash differently")
	}
	if hashOf(float32(1.5)) != hashOf(1.5) {
		t.Error("equal floats of two widths hash differently")
	}
	a, b := make([]uint64, 1), make([]uint64, 1)
	Hash(a, []int64{1}, 1)
	Hash(b, []int64{1}, 2)
	if a[0] == b[0] {
		t.Error("the seed has no effect")
	}
	if HashString("lacuna", 1) != HashBytes([]byte("lacuna"), 1) || HashString("", 1) != HashBytes(nil, 1) {
		t.Error("a string and its bytes hash differently")
	}
	// What lies beside a byte string must not matter.
	buf := []byte("xxxxlacunaxxxx")
	if HashBytes(buf[4:10], 1) != HashBytes([]byte("lacuna"), 1) {
		t.Error("the surroundings of a string change its hash")
	}
}

// TestHashIsTheSameEverywhere pins the functions: all platforms and tiers must agree within one query plan.
func TestHashIsTheSameEverywhere(t *testing.T) {
	long := make([]byte, 200)
	for i := range long {
		long[i] = byte(i)
	}
	pairs := make([]uint64, 1)
	Hash128(pairs, [][2]uint64{{1, 2}}, HashSeed)
	combined := []uint64{1}
	HashCombine(combined, []uint64{2})
	got := []uint64{hashOf(int64(0)), hashOf(int64(1)), hashOf(1.0), pairs[0], combined[0]}
	for _, n := range []int{0, 1, 3, 4, 8, 16, 17, 64, 65, 200} {
		got = append(got, HashBytes(long[:n], HashSeed))
	}
	want := []uint64{
		0x71c649e776eb6a65, 0x55daf4ea4df179f6, 0xecbd5e3e1fee0d39, 0xac59e963414ac7f9, 0xe727365484294586,
		0xb2a09e60d40fb4ac, 0xac9767d1af73a386, 0x5a7ccedb9b1a923e, 0x1f7683c499a923f8, 0xd36a4691fcf8fcda,
		0xa5c187eaeb9841d4, 0xe730100896ad81f6, 0x18a0161f6b6d590a, 0xc9e89d5b947877aa, 0x77f804d3234d8ab0,
	}
	if !sameBits(got, want) {
		t.Errorf("%s\ngot %#x", diff(got, want), got)
	}
}

// testAvalanche flips each bit of an input and wants each bit of the hash to flip half the time.
func testAvalanche(t *testing.T, inputBits int, hash func(flip int) (before, after uint64)) {
	const rounds = 4096
	const tolerance = 0.05 // over six standard deviations
	for flip := range inputBits {
		var flips [64]int
		for range rounds {
			before, after := hash(flip)
			for x := before ^ after; x != 0; x &= x - 1 {
				flips[bits.TrailingZeros64(x)]++
			}
		}
		for bit, n := range flips {
			if p := float64(n) / rounds; math.Abs(p-0.5) > tolerance {
				t.Fatalf("flipping input bit %d flips hash bit %d with probability %.3f", flip, bit, p)
			}
		}
	}
}

func TestHashAvalanche(t *testing.T) {
	t.Run("word", func(t *testing.T) {
		testAvalanche(t, 64, func(flip int) (uint64, uint64) {
			v := random.Uint64()
			return hashOf(v), hashOf(v ^ 1<<flip)
		})
	})
	t.Run("combine", func(t *testing.T) {
		testAvalanche(t, 128, func(flip int) (uint64, uint64) {
			v := [2]uint64{random.Uint64(), random.Uint64()}
			before := combine(v[0], v[1])
			v[flip/64] ^= 1 << (flip % 64)
			return before, combine(v[0], v[1])
		})
	})
	for _, n := range []int{3, 4, 7, 8, 16, 17, 33, 65} {
		t.Run(fmt.Sprint("bytes", n), func(t *testing.T) {
			data := make([]byte, n)
			testAvalanche(t, 8*n, func(flip int) (uint64, uint64) {
				for i := range data {
					data[i] = byte(random.Uint32())
				}
				before := HashBytes(data, HashSeed)
				data[flip/8] ^= 1 << (flip % 8)
				return before, HashBytes(data, HashSeed)
			})
		})
	}
}

// TestHashSpread hashes keys as tables have them and wants no collision among 64-bit hashes, and both ends of the hash to
// spread over 4096 buckets as chance would.
func TestHashSpread(t *testing.T) {
	const keys = 1 << 18
	buffer := make([]byte, 0, 64)
	kinds := map[string]func(i int) uint64{
		"ascending":     func(i int) uint64 { return hashOf(int64(i)) },
		"thousands":     func(i int) uint64 { return hashOf(int64(i) * 1000) },
		"high bits":     func(i int) uint64 { return hashOf(uint64(i) << 44) },
		"floats":        func(i int) uint64 { return hashOf(float64(i) / 4) },
		"pairs":         func(i int) uint64 { return combine(hashOf(int64(i%512)), hashOf(int64(i/512))) },
		"equal pairs":   func(i int) uint64 { return combine(hashOf(int64(i)), hashOf(int64(i))) },
		"short strings": func(i int) uint64 { return HashString(fmt.Sprint("k", i), HashSeed) },
		"long strings":  func(i int) uint64 { return HashString(fmt.Sprintf("https://example.org/%065d/index", i), HashSeed) },
		"binary, zeroes": func(i int) uint64 {
			return HashBytes(binary.LittleEndian.AppendUint64(buffer[:24], uint64(i)), HashSeed)
		},
	}
	for name, hash := range kinds {
		t.Run(name, func(t *testing.T) {
			seen := make(map[uint64]bool, keys)
			var low, high [4096]int
			for i := range keys {
				h := hash(i)
				if seen[h] {
					t.Fatalf("key %d has the hash of another", i)
				}
				seen[h] = true
				low[h&4095]++
				high[h>>52]++
			}
			for end, buckets := range map[string]*[4096]int{"low": &low, "high": &high} {
				// Pearson's statistic has mean 4095 and standard deviation sqrt(2*4095), about 90.
				chi, expected := 0.0, float64(keys)/4096
				for _, n := range buckets {
					d := float64(n) - expected
					chi += d * d / expected
				}
				if chi > 4095+6*90 {
					t.Errorf("the %s bits are uneven: chi squared %.0f, want about 4095", end, chi)
				}
			}
		})
	}
}

func TestHashNulls(t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		valid := lay(h, someBits(n))
		dst := lay(h, make([]uint64, n))
		HashNulls(dst, nil)
		HashNulls(dst, valid)
		for i, v := range dst {
			if want := map[bool]uint64{true: 0, false: NullHash}[bitOf(valid, i)]; v != want {
				h.Fatalf("row %d is %#x, want %#x", i, v, want)
			}
		}
	})
}

func TestHashCombineOrder(t *testing.T) {
	a, b := []uint64{hashOf(int64(1))}, []uint64{hashOf(int64(2))}
	ab, ba := []uint64{a[0]}, []uint64{b[0]}
	HashCombine(ab, b)
	HashCombine(ba, a)
	if ab[0] == ba[0] {
		t.Error("(1, 2) and (2, 1) hash alike")
	}
}
