package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// TestUnionNullQuestions asks, in every layout and as the values of dense and sparse unions, which rows are NULL and which hold null.
func TestUnionNullQuestions(t *testing.T) {
	variants := []types.Field{{Name: "a", Type: types.Integer, Nullable: true}, {Name: "s", Type: types.Varchar, Nullable: true}}
	typ := types.UnionOfCodes(variants, []int8{7, 3}, true)
	kinds := []any{nil, types.UnionValue{Tag: "a"}, types.UnionValue{Tag: "s"}, types.UnionValue{Tag: "a", Value: 1}, types.UnionValue{Tag: "s", Value: "x"}}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rows := make([]any, rng.IntN(140))
		from, to := 0, len(kinds)
		switch seed % 4 {
		case 1:
			from = 3 // no nulls
		case 2:
			to = 1 // only NULL
		}
		for i := range rows {
			rows[i] = kinds[from+rng.IntN(to-from)]
		}
		v, err := types.FromValues(nil, typ, rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range arrowtest.Variants(rng, v) {
			value, deep := UnionValueIsNull(nil, variant.Vector), IsNullDeep(nil, variant.Vector)
			for i, row := range rows {
				u, ok := row.(types.UnionValue)
				holdsNull := ok && u.Value == nil
				if value.Bools().Get(i) != holdsNull || deep.Bools().Get(i) != (!ok || holdsNull) {
					t.Fatalf("seed %d, %s, row %d, %v: value is null %t, deep %t", seed, variant.Name, i, row, value.Bools().Get(i), deep.Bools().Get(i))
				}
			}
			if value.Validity() != nil || deep.Validity() != nil {
				t.Errorf("%s: an answer is null", variant.Name)
			}
		}
	}
}
