package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerBit(set *expr.Set) {
	for _, f := range []struct {
		name, word, example string
		op                  bitOp
	}{
		{"bit_and", "AND", "bit_and(x) FROM (VALUES (6), (NULL), (3)) t(x) = 2", bitAnd},
		{"bit_or", "OR", "bit_or(x) FROM (VALUES (6), (NULL), (3)) t(x) = 7", bitOr},
		{"bit_xor", "XOR", "bit_xor(x) FROM (VALUES (6), (NULL), (3)) t(x) = 5", bitXor},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				return bindBit(f.name, args[0].Type, f.op), nil
			},
			Signatures:  []string{f.name + "(x INTEGER)"},
			Description: "The bitwise " + f.word + " of the values that are not null; NULL for none.",
			Example:     f.example,
		})
	}
}

type bitOp uint8

const (
	bitAnd bitOp = iota
	bitOr
	bitXor
)

func bindBit(name string, t types.Type, op bitOp) *expr.Aggregate {
	if t.Kind() == types.KindNull {
		t = types.Integer
	}
	if !t.IsInteger() {
		return nil
	}
	a := &expr.Aggregate{
		Name: name, Args: []types.Type{t}, Result: t, Nullable: true, State: []types.Type{t}, DistinctAgnostic: op != bitXor,
	}
	switch t.Storage() {
	case types.StorageInt8, types.StorageUint8:
		a.New = newBitState[uint8](t, op)
	case types.StorageInt16, types.StorageUint16:
		a.New = newBitState[uint16](t, op)
	case types.StorageInt32, types.StorageUint32:
		a.New = newBitState[uint32](t, op)
	case types.StorageInt64, types.StorageUint64:
		a.New = newBitState[uint64](t, op)
	default:
		a.New = func() expr.Accumulator { return &wideBitState{typ: t, op: op} }
	}
	return a
}

// bitState combines integers bit by bit.
type bitState[T uint8 | uint16 | uint32 | uint64] struct {
	typ    types.Type
	op     bitOp
	states []T
	met    []bool
}

func newBitState[T uint8 | uint16 | uint32 | uint64](typ types.Type, op bitOp) func() expr.Accumulator {
	return func() expr.Accumulator { return &bitState[T]{typ: typ, op: op} }
}

func (s *bitState[T]) Resize(n int) error {
	old := len(s.states)
	s.states, s.met = grow(s.states, n), grow(s.met, n)
	if s.op == bitAnd { // the neutral value; for the others it is zero
		for i := old; i < n; i++ {
			s.states[i] = ^T(0)
		}
	}
	return nil
}

func (s *bitState[T]) Size() int64 { return sizeOf(s.states) + sizeOf(s.met) }

func (s *bitState[T]) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *bitState[T]) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	withRows(env, types.ValuesOf[T](v)[:v.Len()], groups, rows, func(values []T, groups []uint32) {
		if groups != nil {
			combineBits(s.op, s.states, s.met, groups, values)
			return
		}
		for _, x := range values {
			s.addOne(x)
		}
	})
	return nil
}

func combineBits[T uint8 | uint16 | uint32 | uint64](op bitOp, states []T, met []bool, groups []uint32, values []T) {
	groups = groups[:len(values)]
	for _, g := range groups {
		met[g] = true
	}
	switch op {
	case bitAnd:
		for i, x := range values {
			states[groups[i]] &= x
		}
	case bitOr:
		for i, x := range values {
			states[groups[i]] |= x
		}
	default:
		for i, x := range values {
			states[groups[i]] ^= x
		}
	}
}

func (s *bitState[T]) addOne(x T) {
	s.met[0] = true
	switch s.op {
	case bitAnd:
		s.states[0] &= x
	case bitOr:
		s.states[0] |= x
	default:
		s.states[0] ^= x
	}
}

func (s *bitState[T]) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[T](v)[:len(weights)] {
		switch w := weights[i]; {
		case w == 0:
		case s.op == bitXor && w%2 == 0:
			s.met[0] = true
		default:
			s.addOne(x)
		}
	}
	return nil
}

func (s *bitState[T]) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, s, groups, columns[0])
}

func (s *bitState[T]) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := s.Finish(env, from, to)
	return []*types.Vector{v}, err
}

func (s *bitState[T]) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.met[g] })
	return copyOf(env, s.typ, s.states[from:to]).WithValidity(valid), nil
}

// wideBitState is bitState for HUGEINT.
type wideBitState struct {
	typ    types.Type
	op     bitOp
	states []types.Int128
	met    []bool
}

func (s *wideBitState) Resize(n int) error {
	s.states, s.met = grow(s.states, n), grow(s.met, n)
	return nil
}

func (s *wideBitState) Size() int64 { return sizeOf(s.states) + sizeOf(s.met) }

func (s *wideBitState) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, s, groups, args[0])
}

func (s *wideBitState) addOne(group uint32, x types.Int128) {
	state := &s.states[group]
	switch {
	case !s.met[group]:
		*state = x
	case s.op == bitAnd:
		state.Lo, state.Hi = state.Lo&x.Lo, state.Hi&x.Hi
	case s.op == bitOr:
		state.Lo, state.Hi = state.Lo|x.Lo, state.Hi|x.Hi
	default:
		state.Lo, state.Hi = state.Lo^x.Lo, state.Hi^x.Hi
	}
	s.met[group] = true
}

func (s *wideBitState) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	withRows(env, types.ValuesOf[types.Int128](v)[:v.Len()], groups, rows, func(values []types.Int128, groups []uint32) {
		for i, x := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			s.addOne(g, x)
		}
	})
	return nil
}

func (s *wideBitState) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	for i, x := range types.ValuesOf[types.Int128](v)[:len(weights)] {
		switch w := weights[i]; {
		case w == 0:
		case s.op == bitXor && w%2 == 0:
			s.addOne(0, types.Int128{})
		default:
			s.addOne(0, x)
		}
	}
	return nil
}

func (s *wideBitState) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, s, groups, columns[0])
}

func (s *wideBitState) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := s.Finish(env, from, to)
	return []*types.Vector{v}, err
}

func (s *wideBitState) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.met[g] })
	return copyOf(env, s.typ, s.states[from:to]).WithValidity(valid), nil
}
