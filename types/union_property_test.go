package types_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// eachRandomUnion runs f on random unions, sparse and dense, with codes in any order and variants of any type.
func eachRandomUnion(t *testing.T, n int, f func(t *testing.T, arr arrow.Array)) {
	alloc := arrowtest.NewAllocator(t)
	for seed, done := uint64(0), 0; done < n; seed++ {
		rng := rand.New(rand.NewPCG(seed, 11))
		dt := arrowtest.RandomType(rng, 1+int(seed%3))
		if _, ok := dt.(arrow.UnionType); !ok {
			continue
		}
		arr := arrowtest.RandomArray(rng, alloc, dt, int(seed%7)*11, arrowtest.Options{})
		// A required dictionary of type null, which random types have, holds nulls all the same.
		if types.Validate(arrow.Field{Type: dt, Nullable: true}, arr.Data(), types.ValidateNulls) == nil {
			f(t, arr)
			done++
		}
		if t.Failed() {
			t.Fatalf("seed %d, type %s, %d rows at offset %d", seed, dt, arr.Len(), arr.Data().Offset())
		}
		arr.Release()
	}
}

// copied gives a vector that does not know the array that it came from, so that export has to make it anew.
func copied(v *types.Vector) *types.Vector {
	if v.Encoding() == types.Constant {
		return v
	}
	return v.WithValidity(v.Validity())
}

// TestUnionInvariants holds R1 to R3 of null-semantics 2.14 on random unions.
func TestUnionInvariants(t *testing.T) {
	refused := 0
	eachRandomUnion(t, 600, func(t *testing.T, arr arrow.Array) {
		for _, mode := range []types.UnionImport{types.UnionLift, types.UnionTagged} {
			v, err := types.Import(arr, types.ImportOptions{Unions: mode})
			if err != nil {
				t.Error(err)
				return
			}
			declared := types.Field{Name: "u", Type: v.Type(), Nullable: true}
			for policy := types.UnionKeep; policy <= types.UnionForbid; policy++ {
				opts := types.ExportOptions{Unions: policy, UnionCode: v.Type().Codes()[0]}
				back, f, err := exportedAndBack(t, copied(v), declared, opts)
				if errors.Is(err, types.ErrNoNullHost) || errors.Is(err, types.ErrLossyExport) || errors.Is(err, types.ErrTypeCodeRange) {
					refused++
					continue
				}
				if err != nil {
					t.Errorf("mode %d, %s: %v", mode, policy, err)
					return
				}
				// R1: the same rows are NULL.
				a, b := types.LogicalValidity(nil, v), types.LogicalValidity(nil, back)
				for i := range v.Len() {
					if a.Has(i) != b.Has(i) {
						t.Errorf("R1: mode %d, %s: row %d is valid: %v, before %v", mode, policy, i, b.Has(i), a.Has(i))
						return
					}
				}
				// R2: nothing at all is lost, but flags: a struct of unions is as nullable as it is declared.
				if policy != types.UnionNullVariant && policy != types.UnionValidityStruct {
					continue
				}
				for i := range v.Len() {
					if got, want := show(types.Value(back, i)), show(types.Value(v, i)); got != want {
						t.Errorf("R2: mode %d, %s as %s: row %d is %s, before %s", mode, policy, f.Type, i, got, want)
						return
					}
				}
			}
		}
		// R3: lifted and written to its own type it is the same array, hidden slots included; made anew it has the same rows.
		v, err := types.Import(arr, types.ImportOptions{Unions: types.UnionLift})
		if err != nil {
			t.Error(err)
			return
		}
		for _, policy := range []types.UnionPolicy{types.UnionKeep, types.UnionInPlace} {
			for _, w := range []*types.Vector{v, copied(v)} {
				out, err := types.Export(w, arr.DataType(), types.ExportOptions{Unions: policy})
				if err != nil {
					t.Errorf("R3: %s: %v", policy, err)
					return
				}
				if w == v && !types.Identical(out, arr) || !types.EqualArrays(out, arr, types.EqualOptions{BitwiseFloats: true}) {
					t.Errorf("R3: %s gives\n%s, not\n%s", policy, out, arr)
				}
				out.Release()
			}
		}
	})
	if refused == 0 {
		t.Error("no policy refused anything: the test is worth little")
	}
}

// exportedAndBack gives a column as the reader of its Arrow field finds it.
func exportedAndBack(t *testing.T, v *types.Vector, declared types.Field, opts types.ExportOptions) (*types.Vector, arrow.Field, error) {
	f := types.ExportField(declared, opts)
	batch, err := types.ExportBatch(types.NewBatch([]*types.Vector{v}, v.Len(), 0), arrow.NewSchema([]arrow.Field{f}, nil), opts)
	if err != nil {
		return nil, f, err
	}
	t.Cleanup(batch.Release)
	if err := types.ValidateBatch(batch, types.ValidateNulls); err != nil {
		return nil, f, err
	}
	schema, err := types.ImportSchema(batch.Schema())
	if err != nil {
		return nil, f, err
	}
	back, err := types.ImportBatch(batch, schema, types.ImportOptions{})
	if err != nil {
		return nil, f, err
	}
	return back.Columns[0], f, nil
}
