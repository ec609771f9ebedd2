package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// TestEncode encodes random vectors of every type: the rows stay bit by bit, no two entries of a dictionary are the same, and neighbouring runs differ.
func TestEncode(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 31))
		typ := arrowtest.RandomType(rng, int(seed%4))
		var b DictionaryBuilder
		var before *types.Vector
		for range 3 {
			v, err := types.Import(arrowtest.RandomArray(rng, memory.DefaultAllocator, typ, 1+rng.IntN(200), arrowtest.Options{}), types.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string]*types.Vector{"dictionary": DictionaryEncode(nil, v), "built dictionary": b.Encode(nil, v), "runs": RunEndEncode(nil, v)} {
				for i := range v.Len() {
					if !types.SameBits(got, i, v, i) {
						t.Fatalf("seed %d: row %d of the %s of %s is %s, want %s", seed, i, name, v.Type(), types.Text(got, i), types.Text(v, i))
					}
				}
			}
			entries := b.Encode(nil, v).Entries()
			for i := range entries.Len() {
				if before != nil && i < before.Len() && !types.SameBits(entries, i, before, i) {
					t.Fatalf("seed %d: entry %d has changed", seed, i)
				}
				for j := range i {
					if types.SameBits(entries, i, entries, j) {
						t.Fatalf("seed %d: entries %d and %d of %s are both %s", seed, i, j, v.Type(), types.Text(entries, i))
					}
				}
			}
			before = entries
			if runs := RunEndEncode(nil, v); v.Encoding() != types.RunEnd && runs.Encoding() == types.RunEnd {
				for i := 1; i < runs.RunValues().Len(); i++ {
					if types.SameBits(runs.RunValues(), i-1, runs.RunValues(), i) {
						t.Fatalf("seed %d: runs %d and %d of %s are the same", seed, i-1, i, v.Type())
					}
				}
			}
		}
	}
}

// TestEncodeBits keeps floats apart that are equal but not the same.
func TestEncodeBits(t *testing.T) {
	negative, payload := math.Copysign(0, -1), math.Float64frombits(0x7ff8000000000123)
	values := []float64{0, negative, math.NaN(), payload, 0, negative, math.NaN(), payload}
	v := types.NewFixed(types.Double, values, nil)
	if n := DictionaryEncode(nil, v).Entries().Len(); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	if n := RunEndEncode(nil, v).RunValues().Len(); n != 8 {
		t.Errorf("%d runs, want 8", n)
	}
}

func TestCompactDictionary(t *testing.T) {
	entries, err := types.FromValues(nil, types.Varchar, []any{"a", "b", nil, "c"})
	if err != nil {
		t.Fatal(err)
	}
	valid := types.Bitmap{0b10111}
	for _, c := range []struct {
		keys    []uint32
		valid   types.Bitmap
		entries int
	}{{[]uint32{3, 2, 3, 0, 2}, valid, 2}, {[]uint32{3, 1, 1, 0, 3}, nil, 3}, {[]uint32{0, 1, 2, 3, 0}, nil, 4}, {[]uint32{1, 1, 1, 1, 1}, types.Bitmap{0}, 1}} {
		v := types.NewDictionary(c.keys, entries, c.valid)
		got := CompactDictionary(nil, v)
		if !types.EqualWith(got, v, types.EqualOptions{IgnoreEncoding: true}) {
			t.Errorf("keys %v: other rows", c.keys)
		}
		if got.Encoding() == types.Dictionary && got.Entries().Len() != c.entries {
			t.Errorf("keys %v: %d entries, want %d", c.keys, got.Entries().Len(), c.entries)
		}
	}
}

func TestMergeRuns(t *testing.T) {
	values, err := types.FromValues(nil, types.Varchar, []any{"a", "a", nil, nil, "b", "a", "a"})
	if err != nil {
		t.Fatal(err)
	}
	v := types.NewRunEnd([]int32{1, 3, 4, 6, 7, 9, 12}, values)
	got := MergeRuns(nil, v)
	if !slices.Equal(got.RunEnds(), []int32{3, 6, 7, 12}) || !types.Equal(Decode(nil, got), Decode(nil, v)) {
		t.Errorf("runs %v", got.RunEnds())
	}
	if MergeRuns(nil, got) != got {
		t.Error("runs that are merged are merged again")
	}
}

// TestFilterTrue filters runs by conditions in runs, the same ones and others, as rows are filtered.
func TestFilterTrue(t *testing.T) {
	values := types.NewFixed(types.Integer, []int32{5, 6, 7, 8}, types.Bitmap{0b1011})
	v := types.NewRunEnd([]int32{70, 90, 91, 200}, values)
	flags := types.NewBool(types.Bitmap{0b1101}, 4, types.Bitmap{0b0111})
	for _, ends := range [][]int32{{70, 90, 91, 200}, {1, 89, 128, 200}} {
		condition := types.NewRunEnd(ends, flags)
		got, err := FilterTrue(nil, v, condition)
		if err != nil {
			t.Fatal(err)
		}
		rows := TrueRows(nil, condition)
		want := Filter(nil, Decode(nil, v), rows, rows.Count(200))
		if !types.EqualWith(got, want, types.EqualOptions{IgnoreEncoding: true}) {
			t.Errorf("runs to %v: other rows", ends)
		}
	}
	if _, err := FilterTrue(nil, v, types.NewBool(types.Bitmap{1}, 1, nil)); err == nil {
		t.Error("lengths are not compared")
	}
}
