package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

type float interface{ float32 | float64 }

// floatSums holds sums of floats as doubles. Without groups a batch is added in the eight lanes of asm.SumFloat and the batches'
// sums in their order: the same bits on every processor.
type floatSums[T float] struct {
	states []floatSum
	finish func(floatSum) float64
}

type floatSum struct {
	sum   float64
	count int64
}

func newFloatSums(arg types.Type, finish func(floatSum) float64) func() expr.Accumulator {
	if arg.Kind() == types.KindFloat {
		return func() expr.Accumulator { return &floatSums[float32]{finish: finish} }
	}
	return func() expr.Accumulator { return &floatSums[float64]{finish: finish} }
}

func finishFloatSum(s floatSum) float64 { return s.sum }

func finishFloatAvg(s floatSum) float64 { return s.sum / float64(s.count) }

func (s *floatSums[T]) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *floatSums[T]) Size() int64 { return sizeOf(s.states) }

func (s *floatSums[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *floatSums[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	values := types.ValuesOf[T](v)[:v.Len()]
	if groups == nil {
		s.states[0].sum += asm.SumFloat(values, rows)
		s.states[0].count += int64(rows.Count(len(values)))
		return nil
	}
	withRows(env, values, groups, rows, func(values []T, groups []uint32) { addFloats(s.states, groups, values) })
	return nil
}

func (s *floatSums[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[T](v)[:len(weights)] {
		if w := weights[i]; w != 0 {
			s.states[0].sum += float64(float64(x) * float64(w))
			s.states[0].count += w
		}
	}
	return nil
}

func (s *floatSums[T]) addRuns(env *kernels.Env, v *types.Vector, ends []int32, valid types.Bitmap) error {
	if valid != nil {
		return s.addWeighted(env, v, runLengths(env, ends, valid))
	}
	s.states[0].sum += sumFloatRuns(types.ValuesOf[T](v)[:len(ends)], ends)
	s.states[0].count += int64(ends[len(ends)-1])
	return nil
}

// sumFloatRuns gives the sum of the rows of runs, added in four lanes.
func sumFloatRuns[T float](values []T, ends []int32) float64 {
	var a, b, c, d float64
	start := int32(0)
	for ; len(ends) >= 4; values, ends = values[4:], ends[4:] {
		v, e := (*[4]T)(values), (*[4]int32)(ends)
		a += float64(float64(v[0]) * float64(e[0]-start))
		b += float64(float64(v[1]) * float64(e[1]-e[0]))
		c += float64(float64(v[2]) * float64(e[2]-e[1]))
		d += float64(float64(v[3]) * float64(e[3]-e[2]))
		start = e[3]
	}
	for i, e := range ends {
		a += float64(float64(values[i]) * float64(e-start))
		start = e
	}
	return a + b + (c + d)
}

func addFloats[T float](states []floatSum, groups []uint32, values []T) {
	groups = groups[:len(values)]
	for i, x := range values {
		s := &states[groups[i]]
		s.sum += float64(x)
		s.count++
	}
}

func (s *floatSums[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	sums, counts := types.ValuesOf[float64](columns[0]), types.ValuesOf[int64](columns[1])
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		s.states[group].sum += sums[row]
		s.states[group].count += counts[row]
	})
	return nil
}

func (s *floatSums[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	sums, counts := types.Alloc[float64](poolOf(env), to-from), types.Alloc[int64](poolOf(env), to-from)
	for i, x := range s.states[from:to] {
		sums[i], counts[i] = x.sum, x.count
	}
	return []*types.Vector{types.NewFixed(types.Double, sums, nil), types.NewFixed(types.BigInt, counts, nil)}, nil
}

func (s *floatSums[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := types.Alloc[float64](poolOf(env), to-from)
	for i, x := range s.states[from:to] {
		dst[i] = 0
		if x.count > 0 {
			dst[i] = s.finish(x)
		}
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.states[g].count > 0 })
	return types.NewFixed(types.Double, dst, valid), nil
}

// product multiplies doubles.
type product struct {
	states []productState
}

type productState struct {
	product float64 // of the empty group: 0, which the first value replaces
	count   int64
}

func (p *product) Resize(n int) error {
	p.states = grow(p.states, n)
	return nil
}

func (p *product) Size() int64 { return sizeOf(p.states) }

func (p *product) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, p, groups, args[0])
}

func (s *productState) multiply(x float64, count int64) {
	if s.count == 0 {
		s.product = 1
	}
	s.product *= x
	s.count += count
}

func (p *product) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	withRows(env, types.ValuesOf[float64](v)[:v.Len()], groups, rows, func(values []float64, groups []uint32) {
		for i, x := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			p.states[g].multiply(x, 1)
		}
	})
	return nil
}

func (p *product) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[float64](v)[:len(weights)] {
		for range weights[i] {
			p.states[0].multiply(x, 1)
		}
	}
	return nil
}

func (p *product) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	columns = decodeAll(env, columns)
	products, counts := types.ValuesOf[float64](columns[0]), types.ValuesOf[int64](columns[1])
	eachRow(env, groups, columns[0].Len(), func(group, row int) {
		if counts[row] > 0 {
			p.states[group].multiply(products[row], counts[row])
		}
	})
	return nil
}

func (p *product) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	products, counts := types.Alloc[float64](poolOf(env), to-from), types.Alloc[int64](poolOf(env), to-from)
	for i, x := range p.states[from:to] {
		products[i], counts[i] = x.product, x.count
	}
	return []*types.Vector{types.NewFixed(types.Double, products, nil), types.NewFixed(types.BigInt, counts, nil)}, nil
}

func (p *product) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := types.Alloc[float64](poolOf(env), to-from)
	for i, x := range p.states[from:to] {
		dst[i] = x.product
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return p.states[g].count > 0 })
	return types.NewFixed(types.Double, dst, valid), nil
}
