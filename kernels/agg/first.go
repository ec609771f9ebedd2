package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerFirst(set *expr.Set) {
	for _, f := range []struct {
		name, description, example string
		aliases                    []string
		last, skipNulls            bool
	}{
		{"first", "The value of the first row, which may be null; NULL for no rows.", "first(x) FROM (VALUES (2), (NULL), (3)) t(x) = 2", []string{"arbitrary"}, false, false},
		{"last", "The value of the last row, which may be null; NULL for no rows.", "last(x) FROM (VALUES (2), (NULL), (3)) t(x) = 3", nil, true, false},
		{"any_value", "The first value that is not null; NULL for none.", "any_value(x) FROM (VALUES (NULL), (2), (3)) t(x) = 2", nil, false, true},
	} {
		set.MustAdd(&expr.Family{
			Name:    f.name,
			Aliases: f.aliases,
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				t := args[0].Type
				return &expr.Aggregate{
					Name: f.name, Args: []types.Type{t}, Result: t, Nullable: true, State: []types.Type{t, types.Boolean},
					OrderSensitive: true, DistinctAgnostic: f.skipNulls,
					New: func() expr.Accumulator {
						return &firsts{last: f.last, skipNulls: f.skipNulls, rowStore: rowStore{typ: t}}
					},
				}, nil
			},
			Signatures:  []string{f.name + "(x ANY)"},
			Description: f.description,
			Example:     f.example,
		})
	}
}

// firsts holds the first or last row of each group.
type firsts struct {
	last, skipNulls bool
	rowStore
	chosen []uint32 // by group: 1 + the row of the present batch that is to be kept, or 0
	open   int      // groups without a row; with none left, first has nothing more to do
}

func (s *firsts) Resize(n int) error {
	s.open += n - len(s.places)
	s.resize(n)
	s.chosen = grow(s.chosen, n)
	return nil
}

func (s *firsts) Size() int64 { return s.size() + sizeOf(s.chosen) }

func (s *firsts) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	return s.update(env, groups, args[0], activeOf(env), rows)
}

func (s *firsts) update(env *kernels.Env, groups []uint32, v *types.Vector, counted types.Bitmap, rows int) error {
	if s.open == 0 && !s.last {
		return nil
	}
	if s.skipNulls {
		counted = types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), v), counted, rows)
	}
	touched := types.Alloc[uint32](poolOf(env), rows)[:0]
	for i := counted.NextSet(0, rows); i < rows; i = counted.NextSet(i+1, rows) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		switch {
		case s.chosen[g] != 0:
			if s.last {
				s.chosen[g] = uint32(i) + 1
			}
		case s.last || !s.has(g):
			s.chosen[g] = uint32(i) + 1
			touched = append(touched, g)
		case groups == nil:
			return nil // the only group has its first row
		}
	}
	chosen := types.Alloc[uint32](poolOf(env), len(touched))
	for i, g := range touched {
		chosen[i] = s.chosen[g] - 1
		s.chosen[g] = 0
		if !s.has(g) {
			s.open--
		}
	}
	s.put(v, touched, chosen)
	return nil
}

// Merge takes the rows of other groups, marked by the second state column, after this one's.
func (s *firsts) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	n := columns[0].Len()
	met := types.AndBitmaps(poolOf(env), kernels.TrueRows(env, columns[1]), activeOf(env), n)
	return s.update(env, groups, columns[0], met, n)
}

func (s *firsts) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	met := poolOf(env).ZeroBitmap(to - from)
	for i := range to - from {
		if s.has(uint32(from + i)) {
			met.Set(i)
		}
	}
	return []*types.Vector{s.vector(env, from, to), types.NewBool(met, to-from, nil)}, nil
}

func (s *firsts) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return s.vector(env, from, to), nil
}
