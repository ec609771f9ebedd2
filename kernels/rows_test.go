package kernels

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

func TestDecode(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, _ *rand.Rand) {
		got := Decode(nil, l.vector)
		if got.Encoding() != types.Plain {
			t.Fatalf("encoding %s", got.Encoding())
		}
		checkRows(t, "decode", got, rows)
	})
}

func TestTake(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		for _, n := range []int{0, 1, 70} {
			indices := make([]uint32, n)
			valid := make(types.Bitmap, types.BitmapWords(n))
			want := make([]any, n)
			for i := range indices {
				indices[i] = ^uint32(0) - 5 // looked at only by mistake
				if len(rows) > 0 && r.IntN(5) > 0 {
					valid.Set(i)
					k := r.IntN(len(rows))
					indices[i], want[i] = uint32(k), rows[k]
				}
			}
			if err := CheckIndices(indices, valid, len(rows)); err != nil {
				t.Fatal(err)
			}
			checkRows(t, "take", Take(nil, l.vector, indices, valid), want)
		}
		if n := len(rows); n > 0 {
			indices, want := make([]uint32, n), make([]any, n)
			for i := range indices {
				indices[i], want[i] = uint32(n-1-i), rows[n-1-i]
			}
			checkRows(t, "reverse", Take(nil, l.vector, indices, nil), want)
		}
	})
}

func TestCheckIndices(t *testing.T) {
	valid := types.Bitmap{0b101}
	if err := CheckIndices([]uint32{1, 9, 0}, valid, 2); err != nil {
		t.Errorf("index under null: %v", err)
	}
	err := CheckIndices([]uint32{1, 9, 2}, valid, 2)
	e, ok := err.(*types.Error)
	if !ok || e.Row != 2 || e.Kind != types.ErrIndexOutOfBounds {
		t.Errorf("got %v", err)
	}
}

func TestFilter(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		for _, percent := range []int{0, 10, 50, 95, 100} {
			selection := make(types.Bitmap, types.BitmapWords(len(rows)))
			var want []any
			for i, x := range rows {
				if r.IntN(100) < percent {
					selection.Set(i)
					want = append(want, x)
				}
			}
			checkRows(t, "filter", Filter(nil, l.vector, selection, len(want)), want)
		}
	})
}

func TestConcat(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		plain := mustValues(t, s.typ, rows)
		for _, parts := range [][]*types.Vector{
			{l.vector, l.vector},
			{plain, l.vector, plain},
			{l.vector, plain.Slice(nil, 0, 0), l.vector},
			{types.NewNull(s.typ, 3), l.vector},
		} {
			var want []any
			for _, p := range parts {
				want = append(want, rowsOf(p)...)
			}
			checkRows(t, "concat", Concat(nil, parts), want)
		}
	})
}

func TestMaskAndIfElse(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		n := len(rows)
		if n > 130 {
			return
		}
		conditions := make([]any, n)
		bits := make(types.Bitmap, types.BitmapWords(n))
		other := normal(t, s.typ, s.draw(r, n))
		masked, chosen, chosenBack := append([]any{}, rows...), append([]any{}, other...), append([]any{}, rows...)
		for i := range conditions {
			switch r.IntN(3) {
			case 0:
				conditions[i] = true
				bits.Set(i)
				masked[i], chosen[i], chosenBack[i] = nil, rows[i], other[i]
			case 1:
				conditions[i] = false
			}
		}
		for i, c := range layouts(t, types.Boolean, conditions) {
			if n > 7 && i%2 == 1 {
				continue // enough pairs
			}
			got, err := Mask(nil, l.vector, c.vector)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, "mask "+c.name, got, masked)
		}
		for i, o := range layouts(t, s.typ, other) {
			if n > 7 && i%2 == 0 {
				continue
			}
			got, err := IfElse(nil, bits, l.vector, o.vector)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, "if else "+o.name, got, chosen)
			if got, err = IfElse(nil, bits, o.vector, l.vector); err != nil {
				t.Fatal(err)
			}
			checkRows(t, "else if "+o.name, got, chosenBack)
			first := append([]any{}, rows...)
			for i := range first {
				if first[i] == nil {
					first[i] = other[i]
				}
			}
			if got, err = Coalesce(nil, types.NewNull(s.typ, n), l.vector, o.vector); err != nil {
				t.Fatal(err)
			}
			checkRows(t, "coalesce "+o.name, got, first)
		}
	})
}

func TestIsNull(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, _ *rand.Rand) {
		null, notNull := make([]any, len(rows)), make([]any, len(rows))
		for i, x := range rows {
			null[i], notNull[i] = x == nil, x != nil
		}
		checkRows(t, "is null", IsNull(nil, l.vector), null)
		checkRows(t, "is not null", IsNotNull(nil, l.vector), notNull)
		if IsNull(nil, l.vector).Validity() != nil || IsNotNull(nil, l.vector).Validity() != nil {
			t.Error("result may be null")
		}
	})
}

func TestIndices(t *testing.T) {
	if got := Indices(nil, types.Bitmap{0b10110}, 5); fmt.Sprint(got) != "[1 2 4]" {
		t.Errorf("got %v", got)
	}
	if got := Indices(nil, nil, 3); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("got %v", got)
	}
}

// TestLengths checks that vectors of different lengths are an error.
func TestLengths(t *testing.T) {
	a, b := mustValues(t, types.Boolean, []any{true, false}), mustValues(t, types.Boolean, []any{true})
	for name, err := range map[string]error{
		"compare":  second(Compare(nil, Equal, a, b)),
		"distinct": second(IsDistinct(nil, a, b)),
		"and":      second(And(nil, a, b)),
		"xor":      second(Xor(nil, a, b)),
		"mask":     second(Mask(nil, a, b)),
		"if else":  second(IfElse(nil, types.Bitmap{1}, a, b)),
		"null if":  second(NullIf(nil, a, b)),
	} {
		if !errors.Is(err, types.ErrLengthMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second(_ *types.Vector, err error) error { return err }

// TestEncodingsStay checks that row verbs keep what makes encoded vectors cheap.
func TestEncodingsStay(t *testing.T) {
	entries := mustValues(t, types.Varchar, []any{"a", "b"})
	d := types.NewDictionary([]uint32{0, 1, 0, 1}, entries, nil)
	r := types.NewRunEnd([]int32{50, 100}, entries)
	for name, v := range map[string]*types.Vector{
		"take":   Take(nil, d, []uint32{3, 0}, nil),
		"filter": Filter(nil, d, types.Bitmap{0b0101}, 2),
		"concat": Concat(nil, []*types.Vector{d, d}),
	} {
		if v.Encoding() != types.Dictionary || v.Entries() != entries {
			t.Errorf("%s: entries are not shared", name)
		}
	}
	half := make(types.Bitmap, 2)
	setBits(half, 25, 75)
	indices := make([]uint32, 60)
	for i := range indices {
		indices[i] = uint32(i + 20)
	}
	for name, v := range map[string]*types.Vector{
		"take":   Take(nil, r, indices, nil),
		"filter": Filter(nil, r, half, 50),
		"concat": Concat(nil, []*types.Vector{r, r}),
	} {
		if v.Encoding() != types.RunEnd || len(v.RunEnds()) > 4 {
			t.Errorf("%s: not in runs", name)
		}
	}
	c := types.NewConstant(entries, 10)
	if v := Filter(nil, c, types.Bitmap{7}, 3); v.Encoding() != types.Constant || v.Len() != 3 {
		t.Error("filtered constant is none")
	}
}
