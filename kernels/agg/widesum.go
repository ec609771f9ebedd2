package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// wideSums holds exact sums of HUGEINT and of decimals of more than 18 digits in 256 bits. For 128-bit values these cannot
// overflow, so only the final sum is checked and the order of the values has no part in it.
type wideSums[T types.Int128 | types.Int256] struct {
	sums    []types.Int256
	counts  []int64
	sumType types.Type
	widen   func(T) types.Int256
	finish  finisher
}

func (s *wideSums[T]) Resize(n int) error {
	s.sums, s.counts = grow(s.sums, n), grow(s.counts, n)
	return nil
}

func (s *wideSums[T]) Size() int64 { return sizeOf(s.sums) + sizeOf(s.counts) }

func (s *wideSums[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *wideSums[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	overflow := false
	withRows(env, types.ValuesOf[T](v)[:v.Len()], groups, rows, func(values []T, groups []uint32) {
		for i, x := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			var over bool
			s.sums[g], over = add256(s.sums[g], s.widen(x))
			s.counts[g]++
			overflow = overflow || over
		}
	})
	if overflow {
		return sumOutOfRange(s.sumType)
	}
	return nil
}

func (s *wideSums[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[T](v)[:len(weights)] {
		if weights[i] == 0 {
			continue
		}
		product, over := mul256(s.widen(x), weights[i])
		if over {
			return sumOutOfRange(s.sumType)
		}
		if err := s.addTotal(0, product, weights[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *wideSums[T]) addTotal(group int, sum types.Int256, count int64) error {
	var over bool
	if s.sums[group], over = add256(s.sums[group], sum); over {
		return sumOutOfRange(s.sumType)
	}
	s.counts[group] += count
	return nil
}

func (s *wideSums[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) (err error) {
	columns = decodeAll(env, columns)
	sums, counts := types.ValuesOf[types.Int256](columns[0]), types.ValuesOf[int64](columns[1])
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		if e := s.addTotal(group, sums[row], counts[row]); err == nil {
			err = e
		}
	})
	return err
}

func (s *wideSums[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	return []*types.Vector{copyOf(env, s.sumType, s.sums[from:to]), copyOf(env, types.BigInt, s.counts[from:to])}, nil
}

func (s *wideSums[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return s.finish(env, from, to, func(g int) (types.Int256, int64) { return s.sums[g], s.counts[g] })
}
