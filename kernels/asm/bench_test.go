package asm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/kernels/asm"
)

// The benchmarks run in every tier. Their bytes are those that a perfect kernel would have to read and write once. Data is
// rotated through 1M rows where a predictor could learn a smaller set.
const benchRows = 1 << 16

// eachTier runs a benchmark once a tier.
func eachTier(b *testing.B, bytes int, f func(b *testing.B)) {
	for _, tier := range asm.Tiers() {
		b.Run(tier, func(b *testing.B) {
			restore, err := asm.Use(tier)
			if err != nil {
				b.Fatal(err)
			}
			defer restore()
			b.SetBytes(int64(bytes))
			f(b)
		})
	}
}

// randomNumbers gives n numbers from the whole range of small to medium integers.
func randomNumbers[T asm.Number](n int) []T {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]T, n)
	for i := range values {
		values[i] = T(r.IntN(100))
	}
	return values
}

// randomBits gives a bitmap of n rows with about percent of them set.
func randomBits(n, percent int) []uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	bits := make([]uint64, asm.Words(n))
	for i := range n {
		if r.IntN(100) < percent {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	return bits
}

func benchCompare[T asm.Number](b *testing.B, name string, width int) {
	values, dst := randomNumbers[T](benchRows), make([]uint64, asm.Words(benchRows))
	for _, op := range []asm.CompareOp{asm.Eq, asm.Lt, asm.Le} {
		b.Run(name+op.String(), func(b *testing.B) {
			eachTier(b, benchRows*width, func(b *testing.B) {
				for b.Loop() {
					asm.CompareConst(dst, values, op, 50)
				}
			})
		})
	}
}

func BenchmarkCompareConst(b *testing.B) {
	benchCompare[int64](b, "int64", 8)
	benchCompare[int32](b, "int32", 4)
	benchCompare[uint64](b, "uint64", 8)
	benchCompare[float64](b, "float64", 8)
	benchCompare[float32](b, "float32", 4)
	benchCompare[int16](b, "int16", 2)
}

func BenchmarkCompare(b *testing.B) {
	benchColumns[int64](b, "int64", 8)
	benchColumns[int32](b, "int32", 4)
	benchColumns[float64](b, "float64", 8)
}

func benchColumns[T asm.Number](b *testing.B, name string, width int) {
	x, y, dst := randomNumbers[T](benchRows), randomNumbers[T](benchRows), make([]uint64, asm.Words(benchRows))
	for _, op := range []asm.CompareOp{asm.Eq, asm.Lt} {
		b.Run(name+op.String(), func(b *testing.B) {
			eachTier(b, 2*width*benchRows, func(b *testing.B) {
				for b.Loop() {
					asm.Compare(dst, x, y, op)
				}
			})
		})
	}
}

func BenchmarkBits(b *testing.B) {
	x, y, dst := randomBits(benchRows, 50), randomBits(benchRows, 50), make([]uint64, asm.Words(benchRows))
	bytes := make([]byte, benchRows/8+8)
	run := func(name string, size int, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				f()
			}
		})
	}
	run("And", benchRows/8*3, func() { asm.And(dst, x, y) })
	run("Not", benchRows/8*2, func() { asm.Not(dst, x, benchRows) })
	run("PopCount", benchRows/8, func() { asm.PopCount(x) })
	run("KleeneAnd", benchRows/8*6, func() { asm.KleeneAnd(dst, dst, x, y, y, x, benchRows) })
	run("LoadBits/0", benchRows/8*2, func() { asm.LoadBits(dst, bytes, 0, benchRows) })
	run("LoadBits/3", benchRows/8*2, func() { asm.LoadBits(dst, bytes, 3, benchRows) })
	run("StoreBits/3", benchRows/8*2, func() { asm.StoreBits(bytes, x, 3, benchRows) })
}

func BenchmarkAppendIndices(b *testing.B) {
	const rows = 1 << 20
	for _, percent := range []int{1, 10, 50, 90, 99, 100} {
		b.Run(fmt.Sprint(percent), func(b *testing.B) {
			bits := randomBits(rows, percent)
			dst := make([]uint32, 0, rows+64)
			eachTier(b, rows/8+asm.PopCount(bits)*4, func(b *testing.B) {
				for b.Loop() {
					dst = asm.AppendIndices(dst[:0], bits, rows)
				}
			})
		})
	}
}

func benchFilter[T asm.Number](b *testing.B, name string, width int) {
	const rows = 1 << 20
	src, dst := randomNumbers[T](rows), make([]T, rows+64)
	for _, percent := range []int{1, 10, 50, 90, 99, 100} {
		b.Run(fmt.Sprint(name, "/", percent), func(b *testing.B) {
			sel := randomBits(rows, percent)
			eachTier(b, rows*width+asm.PopCount(sel)*width, func(b *testing.B) {
				for b.Loop() {
					asm.Filter(dst, src, sel)
				}
			})
		})
	}
}

func BenchmarkFilter(b *testing.B) {
	benchFilter[int64](b, "8", 8)
	benchFilter[int32](b, "4", 4)
	benchFilter[int16](b, "2", 2)
}

func BenchmarkFilterBits(b *testing.B) {
	const rows = 1 << 20
	src, dst := randomBits(rows, 90), make([]uint64, asm.Words(rows))
	for _, percent := range []int{1, 10, 50, 90, 99, 100} {
		b.Run(fmt.Sprint(percent), func(b *testing.B) {
			sel := randomBits(rows, percent)
			eachTier(b, rows/4, func(b *testing.B) {
				for b.Loop() {
					asm.FilterBits(dst, src, sel, rows)
				}
			})
		})
	}
}

func BenchmarkTake(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	src, dst, idx := randomNumbers[int64](benchRows), make([]int64, benchRows), make([]uint32, benchRows)
	for i := range idx {
		idx[i] = uint32(r.IntN(benchRows))
	}
	valid := randomBits(benchRows, 90)
	b.Run("8", func(b *testing.B) {
		eachTier(b, benchRows*20, func(b *testing.B) {
			for b.Loop() {
				asm.Take(dst, src, idx)
			}
		})
	})
	b.Run("8valid", func(b *testing.B) {
		b.SetBytes(benchRows * 20)
		for b.Loop() {
			asm.TakeValid(dst, src, idx, valid)
		}
	})
	b.Run("bits", func(b *testing.B) {
		b.SetBytes(benchRows * 4)
		out := make([]uint64, asm.Words(benchRows))
		for b.Loop() {
			asm.TakeBits(out, valid, idx)
		}
	})
}

func BenchmarkReduce(b *testing.B) {
	ints, floats, narrow := randomNumbers[int64](benchRows), randomNumbers[float64](benchRows), randomNumbers[int32](benchRows)
	singles, unsigned := randomNumbers[float32](benchRows), randomNumbers[uint64](benchRows)
	shorts, bytes := randomNumbers[int16](benchRows), randomNumbers[int8](benchRows)
	for name, mask := range map[string][]uint64{"all": nil, "90": randomBits(benchRows, 90), "10": randomBits(benchRows, 10)} {
		run := func(verb string, f func()) {
			b.Run(verb+"/"+name, func(b *testing.B) {
				eachTier(b, benchRows*8, func(b *testing.B) {
					for b.Loop() {
						f()
					}
				})
			})
		}
		run("SumInt64", func() { asm.SumInt(ints, mask) })
		run("SumInt32", func() { asm.SumInt(narrow, mask) })
		run("SumFloat64", func() { asm.SumFloat(floats, mask) })
		run("SumInt16", func() { asm.SumInt(shorts, mask) })
		run("SumInt8", func() { asm.SumInt(bytes, mask) })
		run("SumUint64", func() { asm.SumInt(unsigned, mask) })
		run("SumFloat32", func() { asm.SumFloat(singles, mask) })
		run("MinInt32", func() { asm.Min(narrow, mask) })
		run("MaxUint64", func() { asm.Max(unsigned, mask) })
		run("MinInt16", func() { asm.Min(shorts, mask) })
		run("MinInt8", func() { asm.Min(bytes, mask) })
		run("MaxFloat32", func() { asm.Max(singles, mask) })
		run("MinInt64", func() { asm.Min(ints, mask) })
		run("MaxInt64", func() { asm.Max(ints, mask) })
		run("MinFloat64", func() { asm.Min(floats, mask) })
		run("MaxFloat64", func() { asm.Max(floats, mask) })
	}
}

func BenchmarkChecked(b *testing.B) {
	x, y, dst := randomNumbers[int64](benchRows), randomNumbers[int64](benchRows), make([]int64, benchRows)
	bad := make([]uint64, asm.Words(benchRows))
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(benchRows * 24)
			for b.Loop() {
				f()
			}
		})
	}
	run("Add", func() { asm.AddChecked(dst, x, y, bad) })
	run("Sub", func() { asm.SubChecked(dst, x, y, bad) })
	run("Mul", func() { asm.MulChecked(dst, x, y, bad) })
	run("AddConst", func() { asm.AddConstChecked(dst, x, 7, bad) })
	run("MulConst", func() { asm.MulConstChecked(dst, x, 7, bad) })
}

func BenchmarkHash(b *testing.B) {
	values, dst := randomNumbers[int64](benchRows), make([]uint64, benchRows)
	b.Run("int64", func(b *testing.B) {
		b.SetBytes(benchRows * 8)
		for b.Loop() {
			asm.Hash(dst, values, asm.HashSeed)
		}
	})
	for _, n := range []int{4, 12, 24, 100, 4096} {
		data := make([]byte, n)
		b.Run(fmt.Sprint("bytes/", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				asm.HashBytes(data, asm.HashSeed)
			}
		})
	}
}

// BenchmarkOneRow is the cost of a call.
func BenchmarkOneRow(b *testing.B) {
	values, dst, bits, out := []int64{7}, make([]int64, 1), []uint64{1}, make([]uint64, 1)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8)
			for b.Loop() {
				f()
			}
		})
	}
	run("CompareConst", func() { asm.CompareConst(out, values, asm.Lt, 5) })
	run("Filter", func() { asm.Filter(dst, values, bits) })
	run("FilterBits", func() { asm.FilterBits(out, bits, bits, 1) })
	run("AddChecked", func() { asm.AddChecked(dst, values, values, out) })
	run("AddConstChecked", func() { asm.AddConstChecked(dst, values, 5, out) })
	run("SumInt", func() { asm.SumInt(values, bits) })
	run("Min", func() { asm.Min(values, bits) })
}

func BenchmarkCast(b *testing.B) {
	ints, narrow := randomNumbers[int64](benchRows), randomNumbers[int32](benchRows)
	doubles, bad := randomNumbers[float64](benchRows), make([]uint64, asm.Words(benchRows))
	wide := make([]float64, benchRows) // past the fast range
	for i := range wide {
		wide[i] = float64(i) * 0x1p40
	}
	toInts, toNarrow, toDoubles := make([]int64, benchRows), make([]int32, benchRows), make([]float64, benchRows)
	run := func(name string, size int, f func()) {
		b.Run(name, func(b *testing.B) {
			eachTier(b, benchRows*size, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		})
	}
	run("int64 to int32", 12, func() { asm.CastIntsChecked(toNarrow, ints, bad) })
	run("int32 to int64", 12, func() { asm.WidenInts(toInts, narrow) })
	run("int64 to float64", 16, func() { asm.IntsToFloats(toDoubles, ints) })
	run("float64 to int64", 16, func() { asm.FloatsToIntsChecked(toInts, doubles, bad) })
	run("float64 to int64, great", 16, func() { asm.FloatsToIntsChecked(toInts, wide, bad) })
	run("float64 to int32", 12, func() { asm.FloatsToIntsChecked(toNarrow, doubles, bad) })
}

func BenchmarkExpandRuns(b *testing.B) {
	for _, length := range []int{1, 4, 100, 10000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			var ends []int32
			for end := 0; end < benchRows; {
				end = min(end+length, benchRows)
				ends = append(ends, int32(end))
			}
			values, dst := randomNumbers[int64](len(ends)), make([]int64, benchRows)
			eachTier(b, benchRows*8, func(b *testing.B) {
				for b.Loop() {
					asm.ExpandRuns(dst, values, ends)
				}
			})
		})
	}
}
