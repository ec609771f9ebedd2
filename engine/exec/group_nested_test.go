package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// randomValue gives a value of a type, from few different ones, or nil.
func randomValue(rng *rand.Rand, t types.Type, nullable bool) any {
	if nullable && rng.IntN(4) == 0 {
		return nil
	}
	list := func(n int, elem types.Field) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = randomValue(rng, elem.Type, elem.Nullable)
		}
		return out
	}
	switch t.Kind() {
	case types.KindBoolean:
		return rng.IntN(2) == 0
	case types.KindInteger:
		return rng.IntN(3)
	case types.KindHugeInt:
		return rng.IntN(3)
	case types.KindDouble:
		return []float64{0, negativeZero, nan, otherNaN, 1.5}[rng.IntN(5)]
	case types.KindVarchar:
		return strings.Repeat("xyz", rng.IntN(8))
	case types.KindInterval:
		return []types.MonthDayNano{{Months: 1}, {Days: 30}, {Nanos: 24 * 3600 * 1_000_000_000}, {Days: 1}}[rng.IntN(4)]
	case types.KindList:
		return list(rng.IntN(3), t.Elem())
	case types.KindArray:
		return list(t.Width(), t.Elem())
	case types.KindStruct:
		out := map[string]any{}
		for _, f := range t.Fields() {
			out[f.Name] = randomValue(rng, f.Type, f.Nullable)
		}
		return out
	}
	panic(t.String())
}

// TestNestedKeys groups nested values and compares each group's key with the rows that belong to it, and the groups with each other.
func TestNestedKeys(t *testing.T) {
	field := func(name string, typ types.Type, nullable bool) types.Field {
		return types.Field{Name: name, Type: typ, Nullable: nullable}
	}
	pair := types.StructOf(field("a", types.Integer, true), field("b", types.Varchar, true))
	for _, typ := range []types.Type{
		types.ListOf(types.Integer), types.ListOf(types.Varchar), types.ListOf(types.Double), types.ListOf(types.Boolean), types.ListOf(types.HugeInt),
		types.ListOf(types.Interval), types.ListOf(types.ListOf(types.Integer)), pair, types.ListOf(pair),
		types.ArrayOfField(field("item", types.Varchar, true), 2), types.ListOf(types.ArrayOfField(field("item", types.Integer, false), 3)),
		types.StructOf(field("x", types.ListOf(pair), true), field("y", types.ArrayOfField(field("item", pair, true), 2), true), field("z", types.Integer, false)),
	} {
		t.Run(typ.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			memory := &account{reservation: &Reservation{budget: NewBudget(1 << 30)}}
			table := newGroupTable(newRowLayout([]types.Type{types.Integer, typ}), memory)
			var vectors []*types.Vector
			var groups [][]uint32
			for range 20 {
				values, numbers := make([]any, 1+rng.IntN(100)), []any{}
				for i := range values {
					values[i] = randomValue(rng, typ, true)
					numbers = append(numbers, rng.IntN(2))
				}
				v, err := types.FromValues(nil, typ, values)
				if err != nil {
					t.Fatal(err)
				}
				first, err := types.FromValues(nil, types.Integer, numbers)
				if err != nil {
					t.Fatal(err)
				}
				if rng.IntN(2) == 0 && v.Len() > 2 {
					v, first = v.Slice(nil, 1, v.Len()), first.Slice(nil, 1, first.Len())
				}
				g := make([]uint32, v.Len())
				if err := table.find(&kernels.Env{}, []*types.Vector{first, v}, v.Len(), nil, g); err != nil {
					t.Fatal(err)
				}
				vectors, groups = append(vectors, v), append(groups, g)
			}
			n := table.rows()
			keys, numbers := table.vector(nil, 1, 0, n), table.vector(nil, 0, 0, n)
			if !keys.Type().Equal(typ) || keys.Len() != n {
				t.Fatalf("%d keys of %s", keys.Len(), keys.Type())
			}
			same := func(a *types.Vector, i int, b *types.Vector, j int) bool {
				return kernels.CompareRows([]kernels.SortKey{{Vector: a}}, i, []kernels.SortKey{{Vector: b}}, j) == 0
			}
			for b, v := range vectors {
				for i, g := range groups[b] {
					if !same(v, i, keys, int(g)) {
						t.Fatalf("%s is in the group of %s", textAt(v, i), textAt(keys, int(g)))
					}
				}
			}
			for i := range n {
				for j := range i {
					if same(keys, i, keys, j) && same(numbers, i, numbers, j) {
						t.Fatalf("two groups have the key %s", textAt(keys, i))
					}
				}
			}
			if part := table.vector(nil, 1, n/3, n); fmt.Sprint(types.Value(part, 0)) != fmt.Sprint(types.Value(keys, n/3)) {
				t.Error("a part of the keys is not that of all")
			}
		})
	}
}
