package agg

import (
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerBool(set *expr.Set) {
	for _, f := range []struct {
		name, description, example string
		seek                       bool
	}{
		{"bool_and", "Whether every value that is not null is true; NULL for none.", "bool_and(x) FROM (VALUES (true), (NULL), (false)) t(x) = false", false},
		{"bool_or", "Whether some value is true; NULL when all are null.", "bool_or(x) FROM (VALUES (true), (NULL), (false)) t(x) = true", true},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 || args[0].Type.Kind() != types.KindBoolean && args[0].Type.Kind() != types.KindNull {
					return nil, nil
				}
				return boolAggregate(f.name, f.seek), nil
			},
			Signatures:  []string{f.name + "(x BOOLEAN)"},
			Description: f.description,
			Example:     f.example,
		})
	}
}

// boolAggregate gives bool_or and max for seek = true, bool_and and min for false.
func boolAggregate(name string, seek bool) *expr.Aggregate {
	return &expr.Aggregate{
		Name: name, Args: []types.Type{types.Boolean}, Result: types.Boolean, Nullable: true, DistinctAgnostic: true,
		State: []types.Type{types.Boolean},
		New:   func() expr.Accumulator { return &bools{seek: seek} },
	}
}

// bools looks for one value: a group that has met it is decided, one that met only the other has that.
type bools struct {
	seek   bool
	states []boolState
}

type boolState uint8

const (
	seen  boolState = 1 // a value has come
	found boolState = 2 // and was the one looked for
)

func (s *bools) Resize(n int) error {
	s.states = grow(s.states, n)
	return nil
}

func (s *bools) Size() int64 { return sizeOf(s.states) }

func (s *bools) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *bools) add(_ *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	n := v.Len()
	var flip uint64
	if !s.seek {
		flip = ^uint64(0)
	}
	for w, word := range v.Bools()[:types.BitmapWords(n)] {
		word ^= flip
		mask := ^uint64(0)
		if rows != nil {
			mask = rows[w]
		} else if w*64+64 > n {
			mask = types.LastWordMask(n)
		}
		if groups == nil {
			s.states[0] |= boolState(bit(mask != 0)) | boolState(bit(word&mask != 0))<<1
			continue
		}
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros64(mask)
			s.states[groups[w*64+i]] |= seen | boolState(word>>uint(i)&1)<<1
		}
	}
	return nil
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func (s *bools) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, w := range weights {
		if w != 0 {
			s.states[0] |= seen | boolState(bit(v.Bools().Get(i) == s.seek))<<1
		}
	}
	return nil
}

// Merge is adding: the state of a group is its result.
func (s *bools) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, s, groups, columns[0])
}

func (s *bools) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := s.Finish(env, from, to)
	return []*types.Vector{v}, err
}

func (s *bools) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	dst := poolOf(env).ZeroBitmap(to - from)
	for i, state := range s.states[from:to] {
		if (state&found != 0) == s.seek {
			dst.Set(i)
		}
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.states[g] != 0 })
	return types.NewBool(dst, to-from, valid), nil
}
