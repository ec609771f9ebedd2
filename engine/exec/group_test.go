package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// newTestTable makes a group table on a budget of its own.
func newTestTable(keys ...types.Type) *groupTable {
	return newGroupTable(newRowLayout(keys), &account{reservation: &Reservation{budget: NewBudget(1 << 30)}})
}

// findAll numbers rows through the table in batches and checks the numbers and keys against a map from the keys' text.
func findAll(t *testing.T, table *groupTable, columns []*types.Vector, rows, batch int) {
	t.Helper()
	pool := types.NewPool()
	numbers := map[string]uint32{}
	for from := 0; from < rows; from += batch {
		to := min(rows, from+batch)
		mark := pool.Mark()
		plain := make([]*types.Vector, len(columns))
		for i, v := range columns {
			plain[i] = kernels.Decode(&kernels.Env{Pool: pool}, copied(&kernels.Env{Pool: pool}, v.Slice(pool, from, to)))
		}
		active := pool.ZeroBitmap(to - from)
		for i := range to - from {
			if (from+i)%5 != 3 {
				active.Set(i)
			}
		}
		groups := types.Alloc[uint32](pool, to-from)
		if err := table.find(&kernels.Env{Pool: pool}, plain, to-from, active, groups); err != nil {
			t.Fatal(err)
		}
		for i := range to - from {
			if !active.Get(i) {
				continue
			}
			key := keyOf(columns, from+i)
			want, ok := numbers[key]
			if !ok {
				want = uint32(len(numbers))
				numbers[key] = want
			}
			if groups[i] != want {
				t.Fatalf("row %d (%s) has group %d, want %d", from+i, key, groups[i], want)
			}
		}
		pool.Release(mark)
	}
	if table.rows() != len(numbers) {
		t.Fatalf("%d groups, want %d", table.rows(), len(numbers))
	}
	shown := make([]*types.Vector, len(columns))
	for i := range columns {
		shown[i] = table.vector(nil, i, 0, table.rows())
	}
	for g := range table.rows() {
		if want, ok := numbers[keyOf(shown, g)]; !ok || want != uint32(g) {
			t.Fatalf("group %d shows the key %s, which is that of group %d", g, keyOf(shown, g), want)
		}
	}
}

func keyOf(columns []*types.Vector, row int) string {
	var b strings.Builder
	for _, v := range columns {
		text := textAt(v, row)
		if v.Type().Kind() == types.KindDouble {
			text = keyText(text)
		}
		fmt.Fprintf(&b, "%d:%s|", len(text), text)
	}
	return b.String()
}

// randomTexts gives strings around the length that a view holds, of few bytes and so with many equal beginnings and repetitions.
func randomTexts(r *rand.Rand, n int) *types.Vector {
	values := make([]any, n)
	for i := range values {
		if r.IntN(8) > 0 {
			values[i] = strings.Repeat(string(rune('a'+r.IntN(2))), 9+r.IntN(6)) + string(rune('a'+r.IntN(3)))
		}
	}
	v, err := types.FromValues(nil, types.Varchar, values)
	if err != nil {
		panic(err)
	}
	return v
}

func randomInts(r *rand.Rand, n, distinct int) *types.Vector {
	values := make([]any, n)
	for i := range values {
		if r.IntN(8) > 0 {
			values[i] = r.IntN(distinct) - distinct/2
		}
	}
	v, err := types.FromValues(nil, types.SmallInt, values)
	if err != nil {
		panic(err)
	}
	return v
}

func TestGroupTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 2500
	weights, err := types.FromValues(nil, types.Double, func() []any {
		values := make([]any, n)
		for i := range values {
			values[i] = []any{0.0, negativeZero, nan, otherNaN, 1.0, nil}[r.IntN(6)]
		}
		return values
	}())
	if err != nil {
		t.Fatal(err)
	}
	bits := make(types.Bitmap, types.BitmapWords(n))
	for i := range bits {
		bits[i] = r.Uint64()
	}
	bits[len(bits)-1] &= types.LastWordMask(n)
	cases := map[string][]*types.Vector{
		"strings":              {randomTexts(r, n)},
		"integers, mostly new": {randomInts(r, n, 30000)},
		"mixed":                {randomInts(r, n, 4), randomTexts(r, n), weights, types.NewBool(bits, n, nil), randomTexts(r, n)},
		"null":                 {types.NewNull(types.Null, n), randomInts(r, n, 3), types.NewNull(types.Varchar, n)},
	}
	// More strings than any fixed scratch, and more keys than a word of null bits.
	for range 12 {
		cases["wide strings"] = append(cases["wide strings"], randomTexts(r, n))
	}
	for range 70 {
		cases["many keys"] = append(cases["many keys"], randomInts(r, n, 2))
	}
	for name, columns := range cases {
		keys := make([]types.Type, len(columns))
		for i, v := range columns {
			keys[i] = v.Type()
		}
		for _, batch := range []int{1, 64, 1000} {
			t.Run(fmt.Sprint(name, " ", batch), func(t *testing.T) { findAll(t, newTestTable(keys...), columns, n, batch) })
		}
	}
}

// TestGroupCollisions inserts different keys under equal hashes, and under hashes that differ only above or below the tag.
func TestGroupCollisions(t *testing.T) {
	for name, hash := range map[string]func(i int) uint64{
		"equal": func(int) uint64 { return 42 }, "equal tag": func(i int) uint64 { return 7<<32 | uint64(i) }, "equal slot": func(i int) uint64 { return uint64(i) << 32 },
		"last slot": func(int) uint64 { return 1<<64 - 1 },
	} {
		short, long := newTestTable(types.BigInt), newTestTable(types.Varchar)
		const n = 500
		if err := short.room(n); err != nil {
			t.Fatal(err)
		}
		if err := long.room(n); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time all are there
			for i := range n {
				if g := short.insert([]uint64{0, uint64(i)}, hash(i)); g != uint32(i) {
					t.Fatalf("%s: key %d has group %d", name, i, g)
				}
				text := fmt.Appendf(nil, "a long text with number %d", i)
				view := types.MakeView(text, 0, 0)
				buffers := func(int) []types.Buffer { return []types.Buffer{{Bytes: text}} }
				if g := long.insertLong([]uint64{0, view.Head, view.Tail}, hash(i), buffers); g != uint32(i) {
					t.Fatalf("%s: text %d has group %d", name, i, g)
				}
			}
		}
	}
}

// dictionaries cuts columns into batches of dictionary vectors as a file with row groups does: entries are one object for some batches, then another,
// in another order, with duplicates and a null entry.
func dictionaryBatches(r *rand.Rand, values []any, rows, batch, perGroup int) (batches []*types.Vector) {
	var entries *types.Vector
	for i := 0; i*batch < rows; i++ {
		if i%perGroup == 0 {
			shuffled := append(append([]any{}, values...), values[0], nil)
			r.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
			var err error
			if entries, err = types.FromValues(nil, types.Varchar, shuffled); err != nil {
				panic(err)
			}
		}
		keys := make([]uint32, batch)
		valid := make(types.Bitmap, types.BitmapWords(batch))
		for k := range keys {
			keys[k] = uint32(r.IntN(entries.Len()))
			if r.IntN(6) > 0 {
				valid.Set(k)
			}
		}
		if i%2 == 0 {
			valid = nil
		}
		batches = append(batches, types.NewDictionary(keys, entries, valid))
	}
	return batches
}

// TestCombos numbers rows with the keys in dictionaries and constants and compares with the numbers of the plain keys.
func TestCombos(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	const rows, batch = 6400, 320
	first := dictionaryBatches(r, []any{"x", "y", "a value that is long"}, rows, batch, 4)
	second := dictionaryBatches(r, []any{"x", "z"}, rows, batch, 3)
	third := dictionaryBatches(r, []any{"x", "", "zz", "zzz"}, rows, batch, 7)
	constants := []*types.Vector{}
	for i := range first {
		c, err := types.NewValue(types.BigInt, []any{int64(1), nil, int64(2)}[i%3])
		if err != nil {
			t.Fatal(err)
		}
		constants = append(constants, types.NewConstant(c, batch))
	}
	for name, columns := range map[string][][]*types.Vector{
		"one": {first}, "two": {first, second}, "three": {third, first, second}, "with a constant": {first, constants, second},
		"the same twice": {first, first}, "constants": {constants},
	} {
		var keys []types.Type
		for _, c := range columns {
			keys = append(keys, c[0].Type())
		}
		cached, plain := newTestTable(keys...), newTestTable(keys...)
		var combos comboCache
		used := 0
		for i := range first {
			pool := types.NewPool()
			env := &kernels.Env{Pool: pool}
			var vectors []*types.Vector
			for _, c := range columns {
				vectors = append(vectors, c[i])
			}
			b := types.NewBatch(vectors, batch, 0)
			if i%3 == 1 {
				selection := pool.ZeroBitmap(batch)
				for k := 0; k < batch; k += 2 {
					selection.Set(k)
				}
				b = b.Select(selection)
			}
			env.Active = b.Selection
			got, want := make([]uint32, batch), make([]uint32, batch)
			if err := plain.find(env, decodeAll(env, vectors), batch, b.Selection, want); err != nil {
				t.Fatal(err)
			}
			if combos.use(vectors, batch) {
				used++
				if err := combos.find(env, vectors, b, got, func(plain []*types.Vector, rows int, groups []uint32) error {
					return cached.find(env, plain, rows, nil, groups)
				}); err != nil {
					t.Fatal(err)
				}
			} else if err := cached.find(env, decodeAll(env, vectors), batch, b.Selection, got); err != nil {
				t.Fatal(err)
			}
			for k := range got {
				if b.Selection.Has(k) && got[k] != want[k] {
					t.Fatalf("%s: row %d of batch %d has group %d, want %d", name, k, i, got[k], want[k])
				}
			}
		}
		if wanted := name != "constants"; (used > 0) != wanted {
			t.Errorf("%s: the cache took %d of %d batches", name, used, len(first))
		}
	}
}
