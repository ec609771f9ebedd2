package arrays

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// loose compares columns by types.Equal with the encoding and the variant of nulls left aside: ≡ of null-semantics 2.15.
func loose(t *testing.T, got, want Column) bool {
	t.Helper()
	a, err := load(got, types.UnionAuto)
	if err != nil {
		t.Error(err)
		return false
	}
	b, err := load(want, types.UnionAuto)
	if err != nil {
		t.Error(err)
		return false
	}
	return types.EqualWith(a.vector, b.vector, types.EqualOptions{IgnoreEncoding: true, NaNEqual: true})
}

// TestProperties checks P1, P3 to P7, P10 and P14 of null-semantics 2.15 over random nested columns, and that nothing leaks or changes its arguments.
func TestProperties(t *testing.T) {
	refused := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 41))
		n := 1 + rng.IntN(80)
		dt := arrowtest.RandomType(rng, int(seed%5))
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a := arrowtest.RandomArray(rng, mem, dt, n, arrowtest.Options{})
		v := Of(a)
		if types.Validate(v.Field, a.Data(), types.ValidateNulls) != nil {
			a.Release()
			continue
		}
		level := types.ValidateNulls
		if types.Validate(v.Field, a.Data(), types.ValidateStrict) == nil {
			level = types.ValidateStrict
		}
		o := Options{Unions: UnionPromote}
		if holdsUnion(dt) && seed%2 == 0 {
			o.Unions = UnionWidenAll
		}
		check := func(name string, c Column, err error) (Column, bool) {
			if err != nil {
				if e, ok := err.(*types.Error); ok && (e.Kind == types.ErrUnsupported || e.Kind == types.ErrExtensionStorage || e.Kind == types.ErrNoNullHost || e.Kind == types.ErrDictKeyOverflow) {
					refused++
					return c, false
				}
				t.Errorf("seed %d, %s of %s: %v", seed, name, dt, err)
				return c, false
			}
			if err := types.Validate(c.Field, c.Array.Data(), level); err != nil {
				t.Errorf("seed %d: %s of %s: %v", seed, name, dt, err)
			}
			return c, true
		}
		equal := func(name string, got, want Column) {
			if !loose(t, got, want) {
				t.Errorf("seed %d: %s of %s:\n%v\nwant\n%v", seed, name, dt, got.Array, want.Array)
			}
		}
		flags := arrowtest.RandomArray(rng, mem, arrow.FixedWidthTypes.Boolean, n, arrowtest.Options{})
		condition := Of(flags)
		from := rng.IntN(n)
		to := from + rng.IntN(n-from+1)
		part := func(c Column) Column {
			return Column{Field: c.Field, Array: array.NewSlice(c.Array, int64(from), int64(to))}
		}

		// P4: take of all rows; P14: chunks.
		all := Of(flatRange(0, n)).Required()
		same, err := Take(v, all, o)
		if same, ok := check("take", same, err); ok {
			equal("take of all rows", same, v)
			same.Release()
		}
		if from > 0 && to < n {
			parts := []arrow.Array{array.NewSlice(a, 0, int64(from)), array.NewSlice(a, int64(from), int64(to)), array.NewSlice(a, int64(to), int64(n))}
			joined, err := Concat(o, Column{Field: v.Field, Array: parts[0]}, Column{Field: v.Field, Array: parts[1]}, Column{Field: v.Field, Array: parts[2]})
			if joined, ok := check("concat", joined, err); ok {
				equal("concat of parts", joined, v)
				joined.Release()
			}
			for _, p := range parts {
				p.Release()
			}
		}
		// P7: counts.
		nulls, err := IsNull(v, o)
		if nulls, ok := check("is_null", nulls, err); ok {
			count, err := v.NullCount()
			trues := 0
			for i := range n {
				if nulls.Array.(*array.Boolean).Value(i) {
					trues++
				}
			}
			if err != nil || count != trues {
				t.Errorf("seed %d: NullCount is %d, %d rows are null (%v)", seed, count, trues, err)
			}
			nulls.Release()
		}
		// P1: mask of a slice; P5: mask is a choice.
		masked, err := Mask(v, condition, o)
		if masked, ok := check("mask", masked, err); ok {
			vp, cp, mp := part(v), part(condition), part(masked)
			ofPart, err := Mask(vp, cp, o)
			if ofPart, ok := check("mask of a slice", ofPart, err); ok {
				equal("mask of a slice", ofPart, mp)
				ofPart.Release()
			}
			vp.Release()
			cp.Release()
			mp.Release()
			null := Column{Field: arrow.Field{Type: arrow.Null, Nullable: true}, Array: array.NewNull(n)}
			chosen, err := CaseWhen([]Case{{condition, null}}, &v, o)
			if chosen, ok := check("case", chosen, err); ok && !holdsUnion(dt) {
				equal("case", chosen, masked)
				chosen.Release()
			} else if ok {
				chosen.Release()
			}
			null.Release()
			masked.Release()
		}
		// P3: filter is take of the positions.
		kept, err := Filter(v, condition, SelectionDrop, o)
		if kept, ok := check("filter", kept, err); ok {
			b := array.NewInt64Builder(memory.DefaultAllocator)
			truth, _ := load(condition, types.UnionAuto)
			rows := kernels.TrueRows(nil, truth.vector)
			for i := rows.NextSet(0, n); i < n; i = rows.NextSet(i+1, n) {
				b.Append(int64(i))
			}
			where := Of(b.NewArray()).Required()
			picked, err := Take(v, where, o)
			if picked, ok := check("take of positions", picked, err); ok {
				equal("filter", kept, picked)
				picked.Release()
			}
			kept.Release()
		}
		// P6: coalesce of one.
		one, err := Coalesce(o, v)
		if one, ok := check("coalesce", one, err); ok {
			equal("coalesce", one, v)
			one.Release()
		}
		flags.Release()
		a.Release()
		mem.AssertSize(t, 0)
	}
	if refused > 1200 {
		t.Errorf("%d calls were refused", refused)
	}
	t.Logf("%d calls were refused", refused)
}

func flatRange(from, to int) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := from; i < to; i++ {
		b.Append(int64(i))
	}
	return b.NewArray()
}
