package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// TestRandomArrow runs the verbs that take any type on random Arrow data of any type, nesting and encoding, with garbage
// wherever nobody may look. What a vector's rows are is known from types.Value.
func TestRandomArrow(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 21))
			alloc := arrowtest.NewAllocator(t)
			dt := arrowtest.RandomType(r, 3)
			n := []int{1, 5, 63, 64, 130}[r.IntN(5)]
			arr := arrowtest.RandomArray(r, alloc, dt, n, arrowtest.Options{})
			defer arr.Release()
			v, err := types.Import(arr, types.ImportOptions{})
			if err != nil {
				t.Skip(err) // unsupported types are the importer's matter
			}
			t.Log(v.Type(), v.Encoding())
			env := &Env{Pool: types.NewPool()}
			testAnyType(t, env, v, r)
			for _, l := range arrowtest.Variants(r, v) {
				t.Log(l.Name)
				testAnyType(t, env, l.Vector, r)
			}
		})
	}
}

func testAnyType(t *testing.T, env *Env, v *types.Vector, r *rand.Rand) {
	n, rows := v.Len(), rowsOf(v)
	checkRows(t, "decode", Decode(env, v), rows)

	indices, valid := make([]uint32, n+3), env.pool().ZeroBitmap(n+3)
	taken := make([]any, n+3)
	for i := range indices {
		indices[i] = 1 << 31
		if r.IntN(8) > 0 && n > 0 {
			valid.Set(i)
			indices[i] = uint32(r.IntN(n))
			taken[i] = rows[indices[i]]
		}
	}
	took := Take(env, v, indices, valid)
	checkRows(t, "take", took, taken)
	if n > 0 {
		back := make([]uint32, n)
		for i := range back {
			back[i] = uint32(r.IntN(n))
		}
		checkRows(t, "take of take", Take(env, took, back, nil), takeRows(taken, back))
	}

	selection := env.pool().ZeroBitmap(n)
	var kept []any
	for i := range n {
		if r.IntN(2) == 0 {
			selection.Set(i)
			kept = append(kept, rows[i])
		}
	}
	filtered := Filter(env, v, selection, len(kept))
	checkRows(t, "filter", filtered, kept)
	checkRows(t, "concat", Concat(env, []*types.Vector{v, filtered, took, v}), slices.Concat(rows, kept, taken, rows))

	hashes, want := make([]uint64, n), make([]uint64, n)
	Hash(env, v, hashes)
	Hash(env, types.Flatten(nil, v), want)
	if !slices.Equal(hashes, want) {
		t.Fatal("hash depends on the layout")
	}
	key := []SortKey{{Vector: v, Descending: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}}
	order := SortIndices(env, key, n)
	for i := 1; i < n; i++ {
		a, b := int(order[i-1]), int(order[i])
		c := CompareRows(key, a, key, b)
		if c > 0 || c == 0 && a > b {
			t.Fatalf("rows %d and %d are in the wrong order", a, b)
		}
		if c == 0 && hashes[a] != hashes[b] {
			t.Fatalf("equal rows %v and %v hash differently", rows[a], rows[b])
		}
	}
	equal, err := Compare(env, Equal, v, v)
	if err != nil {
		t.Fatal(err)
	}
	distinct, err := IsDistinct(env, v, v)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Cast(env, v, types.Varchar)
	if err != nil {
		t.Fatal(err)
	}
	null := IsNull(env, v).Bools()
	for i, x := range rows {
		if e := types.Value(equal, i); e == false || e == nil && x != nil && !hasInnerNull(x) && !v.Type().IsNested() {
			t.Fatalf("%v = itself is %v", x, e)
		}
		if types.Value(distinct, i) != false {
			t.Fatalf("%v is distinct from itself", x)
		}
		if (x == nil) != null.Get(i) {
			t.Fatalf("%v is null: %v", x, null.Get(i))
		}
		if v.Type().Kind() != types.KindTimestampTZ && types.Text(text, i) != types.Text(v, i) {
			t.Fatalf("text %s, want %s", types.Text(text, i), types.Text(v, i))
		}
	}
}

func takeRows(rows []any, indices []uint32) []any {
	out := make([]any, len(indices))
	for i, k := range indices {
		out[i] = rows[k]
	}
	return out
}
