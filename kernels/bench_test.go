package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// benchRows is a batch of the size that pipelines use, and one that fills the caches.
var benchRows = []int{4096, 65536}

// benchVector gives random numbers, one in ten null if nulls are wanted.
func benchVector[T integer | float](typ types.Type, n int, nulls bool) *types.Vector {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	values := make([]T, n)
	var valid types.Bitmap
	if nulls {
		valid = make(types.Bitmap, types.BitmapWords(n))
	}
	for i := range values {
		values[i] = T(r.IntN(100))
		if nulls && r.IntN(10) > 0 {
			valid.Set(i)
		}
	}
	return types.NewFixed(typ, values, valid)
}

func benchTexts(n int) *types.Vector {
	b := NewViewBuilder(nil, types.Varchar, n)
	r := rand.New(rand.NewPCG(2, uint64(n)))
	for range n {
		b.Append(fmt.Appendf(nil, "customer number %d", r.IntN(1000)))
	}
	return b.Finish(nil)
}

// inPool runs a kernel as a pipeline does, with buffers that come back after each batch.
func inPool(b *testing.B, rows int, f func(env *Env)) {
	b.Helper()
	pool := types.NewPool()
	env := &Env{Pool: pool}
	b.SetBytes(int64(rows) * 8)
	b.ReportAllocs()
	for b.Loop() {
		mark := pool.Mark()
		f(env)
		pool.Release(mark)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func benchBinary(b *testing.B, rows int, kernel func(*Env) (*types.Vector, error)) {
	inPool(b, rows, func(env *Env) {
		if _, err := kernel(env); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range benchRows {
		a, c := benchVector[int64](types.BigInt, n, false), benchVector[int64](types.BigInt, n, true)
		one := types.NewConstant(benchVector[int64](types.BigInt, 1, false), n)
		f, text := benchVector[float64](types.Double, n, false), benchTexts(n)
		oneText := types.NewConstant(text.Slice(nil, 0, 1), n)
		runs := types.NewRunEnd(benchEnds(n, 100), benchVector[int64](types.BigInt, (n+99)/100, false))
		for _, c := range []struct {
			name string
			x, y *types.Vector
		}{{"bigint<constant", a, one}, {"bigint<bigint", a, a}, {"nullable<bigint", c, a}, {"double<constant", f, types.NewConstant(f.Slice(nil, 0, 1), n)},
			{"varchar<constant", text, oneText}, {"runs of 100<constant", runs, one}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				benchBinary(b, n, func(env *Env) (*types.Vector, error) { return Compare(env, Less, c.x, c.y) })
			})
		}
	}
}

func benchEnds(n, length int) []int32 {
	var ends []int32
	for i := length; i < n+length; i += length {
		ends = append(ends, int32(min(i, n)))
	}
	return ends
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range benchRows {
		a, nullable := benchVector[int64](types.BigInt, n, false), benchVector[int64](types.BigInt, n, true)
		one := types.NewConstant(benchVector[int64](types.BigInt, 1, false), n)
		f := benchVector[float64](types.Double, n, false)
		d := benchVector[int64](types.Decimal(15, 2), n, false)
		for _, c := range []struct {
			name   string
			out    types.Type
			x, y   *types.Vector
			kernel func(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error)
		}{{"bigint+bigint", types.BigInt, a, a, Add}, {"nullable+constant", types.BigInt, nullable, one, Add}, {"double+double", types.Double, f, f, Add},
			{"bigint*bigint", types.BigInt, a, a, Mul}, {"decimal+decimal", types.Decimal(16, 2), d, d, Add},
			{"decimal*decimal checked", types.Decimal(18, 4), d, d, Mul}, {"decimal*decimal 128", types.Decimal(30, 4), d, d, Mul}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				benchBinary(b, n, func(env *Env) (*types.Vector, error) { return c.kernel(env, c.out, c.x, c.y) })
			})
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, n := range benchRows {
		r := rand.New(rand.NewPCG(3, 4))
		nullable, texts := benchVector[int64](types.BigInt, n, true), benchTexts(n)
		for _, percent := range []int{1, 10, 50, 90, 99} {
			selection := make(types.Bitmap, types.BitmapWords(n))
			for i := range n {
				if r.IntN(100) < percent {
					selection.Set(i)
				}
			}
			selected := selection.Count(n)
			b.Run(fmt.Sprintf("nullable bigint %d%%/%d", percent, n), func(b *testing.B) {
				inPool(b, n, func(env *Env) { Filter(env, nullable, selection, selected) })
			})
			if percent == 50 {
				b.Run(fmt.Sprintf("varchar %d%%/%d", percent, n), func(b *testing.B) {
					inPool(b, n, func(env *Env) { Filter(env, texts, selection, selected) })
				})
			}
		}
	}
}

func BenchmarkTake(b *testing.B) {
	for _, n := range benchRows {
		r := rand.New(rand.NewPCG(5, 6))
		indices := make([]uint32, n)
		valid := make(types.Bitmap, types.BitmapWords(n))
		for i := range indices {
			indices[i] = uint32(r.IntN(n))
			if r.IntN(10) > 0 {
				valid.Set(i)
			}
		}
		nullable := benchVector[int64](types.BigInt, n, true)
		b.Run(fmt.Sprintf("bigint/%d", n), func(b *testing.B) {
			v := nullable.WithValidity(nil)
			inPool(b, n, func(env *Env) { Take(env, v, indices, nil) })
		})
		b.Run(fmt.Sprintf("nullable by nullable/%d", n), func(b *testing.B) {
			inPool(b, n, func(env *Env) { Take(env, nullable, indices, valid) })
		})
	}
}

func BenchmarkHash(b *testing.B) {
	for _, n := range benchRows {
		numbers, texts := benchVector[int64](types.BigInt, n, true), benchTexts(n)
		dst := make([]uint64, n)
		b.Run(fmt.Sprintf("bigint/%d", n), func(b *testing.B) { inPool(b, n, func(env *Env) { Hash(env, numbers, dst) }) })
		b.Run(fmt.Sprintf("varchar/%d", n), func(b *testing.B) { inPool(b, n, func(env *Env) { Hash(env, texts, dst) }) })
		b.Run(fmt.Sprintf("second column/%d", n), func(b *testing.B) { inPool(b, n, func(env *Env) { HashCombine(env, numbers, dst) }) })
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range benchRows {
		r := rand.New(rand.NewPCG(7, 8))
		values := make([]int64, n)
		for i := range values {
			values[i] = r.Int64()
		}
		random, small, texts := types.NewFixed(types.BigInt, values, nil), benchVector[int64](types.BigInt, n, true), benchTexts(n)
		b.Run(fmt.Sprintf("random bigint/%d", n), func(b *testing.B) {
			inPool(b, n, func(env *Env) { SortIndices(env, []SortKey{{Vector: random}}, n) })
		})
		b.Run(fmt.Sprintf("small bigint/%d", n), func(b *testing.B) {
			inPool(b, n, func(env *Env) { SortIndices(env, []SortKey{{Vector: small}}, n) })
		})
		b.Run(fmt.Sprintf("varchar/%d", n), func(b *testing.B) {
			inPool(b, n, func(env *Env) { SortIndices(env, []SortKey{{Vector: texts}}, n) })
		})
	}
}

func BenchmarkCast(b *testing.B) {
	for _, n := range benchRows {
		ints, floats := benchVector[int64](types.BigInt, n, false), benchVector[float64](types.Double, n, false)
		text, err := Cast(nil, ints, types.Varchar)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			v  *types.Vector
			to types.Type
		}{{ints, types.Double}, {ints, types.Integer}, {floats, types.BigInt}, {ints, types.Decimal(18, 2)}, {ints, types.Varchar}, {text, types.BigInt}} {
			b.Run(fmt.Sprintf("%s to %s/%d", c.v.Type(), c.to, n), func(b *testing.B) {
				benchBinary(b, n, func(env *Env) (*types.Vector, error) { return Cast(env, c.v, c.to) })
			})
		}
	}
}
