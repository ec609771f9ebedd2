package agg

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerApprox(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name: "approx_count_distinct",
		BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
			if len(args) != 1 {
				return nil, nil
			}
			return &expr.Aggregate{
				Name: "approx_count_distinct", Args: []types.Type{args[0].Type}, Result: types.BigInt, State: []types.Type{types.Blob},
				DistinctAgnostic: true,
				New:              func() expr.Accumulator { return &sketches{} },
			}, nil
		},
		Signatures: []string{"approx_count_distinct(x ANY) -> BIGINT"},
		Description: "About how many different values that are not null there are: exactly up to 128, then with a standard error of 1.6 %, in 4 KiB for each " +
			"group.",
		Example: "approx_count_distinct(x) FROM (VALUES (1), (NULL), (2), (1)) t(x) = 2",
	})
}

// Sizes of a sketch.
const (
	sketchBits = 12 // of the hash, that choose a register
	registers  = 1 << sketchBits
	maxExact   = 128 // hashes that are kept as they are
)

// sketch is a HyperLogLog of hashes: each of its registers holds the longest run of leading zeros, plus one, among the hashes that belong to it. As long as
// there are few different hashes they are kept themselves.
type sketch struct {
	exact     []uint64 // sorted, while registers is nil
	registers []uint8
}

func (s *sketch) add(hash uint64) {
	if s.registers != nil {
		s.note(hash)
		return
	}
	at, found := slices.BinarySearch(s.exact, hash)
	if found {
		return
	}
	if s.exact = slices.Insert(s.exact, at, hash); len(s.exact) > maxExact {
		s.spread()
	}
}

// spread goes over to registers.
func (s *sketch) spread() {
	s.registers = make([]uint8, registers)
	for _, h := range s.exact {
		s.note(h)
	}
	s.exact = nil
}

func (s *sketch) note(hash uint64) {
	r := &s.registers[hash>>(64-sketchBits)]
	*r = max(*r, uint8(bits.LeadingZeros64(hash<<sketchBits|1<<(sketchBits-1))+1))
}

// estimate gives the number of hashes by the improved estimator of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), which
// needs neither a correction of bias nor other methods for small and large numbers.
func (s *sketch) estimate() int64 {
	if s.registers == nil {
		return int64(len(s.exact))
	}
	const q = 64 - sketchBits
	var counts [q + 2]float64
	for _, r := range s.registers {
		counts[r]++
	}
	const m = float64(registers)
	z := m * ertlTau(1-counts[q+1]/m)
	for k := q; k >= 1; k-- {
		z = 0.5 * (z + counts[k])
	}
	z += float64(m * ertlSigma(counts[0]/m))
	return int64(math.Round(m * m / (2 * math.Ln2 * z)))
}

func ertlSigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		before := z
		z += float64(x * y)
		y += y
		if z == before {
			return z
		}
	}
}

func ertlTau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		before := z
		y *= 0.5
		z -= float64((1 - x) * (1 - x) * y)
		if z == before {
			return z / 3
		}
	}
}

// sketches holds the sketch of each group.
type sketches struct {
	states []sketch
	bytes  int64 // in all of them
}

func (s *sketches) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *sketches) Size() int64 { return sizeOf(s.states) + s.bytes }

func (s *sketches) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	v := args[0]
	counted := types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), v), activeOf(env), rows)
	hashes := types.Alloc[uint64](poolOf(env), rows)
	kernels.Hash(&kernels.Env{Pool: poolOf(env)}, v, hashes)
	for i := counted.NextSet(0, rows); i < rows; i = counted.NextSet(i+1, rows) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		s.change(int(g), func(state *sketch) { state.add(spread64(hashes[i])) })
	}
	return nil
}

// change lets f change a group's sketch and counts its bytes.
func (s *sketches) change(group int, f func(*sketch)) {
	state := &s.states[group]
	before := cap(state.exact)*8 + len(state.registers)
	f(state)
	s.bytes += int64(cap(state.exact)*8 + len(state.registers) - before)
}

// spread64 lets every bit of a hash depend on all bits of another (the finalizer of MurmurHash3): the highest bits choose the register, and those
// of the hashes of numbers are not always random enough.
func spread64(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Merge takes sketches as bytes: hashes, or the registers after a zero byte, so that the lengths tell them apart.
func (s *sketches) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	v := kernels.Decode(env, columns[0])
	eachRow(env, groups, v.Len(), func(group, row int) {
		b := types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())
		s.change(group, func(state *sketch) {
			if len(b)%8 == 0 {
				for ; len(b) > 0; b = b[8:] {
					state.add(binary.LittleEndian.Uint64(b))
				}
				return
			}
			if state.registers == nil {
				state.spread()
			}
			for i, r := range b[1:] {
				state.registers[i] = max(state.registers[i], r)
			}
		})
	})
	return nil
}

func (s *sketches) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	out := kernels.NewViewBuilder(env, types.Blob, to-from)
	var b []byte
	for i := range s.states[from:to] {
		state := &s.states[from+i]
		b = b[:0]
		if state.registers != nil {
			b = append(append(b, 0), state.registers...)
		}
		for _, h := range state.exact {
			b = binary.LittleEndian.AppendUint64(b, h)
		}
		out.Append(b)
	}
	return []*types.Vector{out.Finish(nil)}, nil
}

func (s *sketches) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := types.Alloc[int64](poolOf(env), to-from)
	for i := range dst {
		dst[i] = s.states[from+i].estimate()
	}
	return types.NewFixed(types.BigInt, dst, nil), nil
}
