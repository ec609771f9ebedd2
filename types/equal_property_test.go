package types_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// equalOptions are options under which an array that may hold NaN equals a copy of itself.
var equalOptions = []types.EqualOptions{
	{BitwiseFloats: true}, {NaNEqual: true}, {NaNEqual: true, IgnoreEncoding: true}, {NaNEqual: true, IgnoreFieldNullability: true},
	{NaNEqual: true, IgnoreUnionNullVariant: true}, {NaNEqual: true, DictIdentity: true}, {NaNEqual: true, CheckMetadata: true}, {NaNEqual: true, Approx: 1e-9},
	{Layout: true}, {Layout: true, CheckMetadata: true, IgnoreFieldNullability: true},
}

// TestEqualToCopy: an array equals a copy in other memory at other offsets, under every option and in whatever chunks; and a slice a copy of the slice.
func TestEqualToCopy(t *testing.T) {
	eachRandomArray(t, 1500, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		c := arrowtest.Copy(rng, arr.Data())
		if err := types.Validate(nullable("", c.DataType()), c.Data(), types.ValidateContents); err != nil {
			t.Fatalf("the copy is wrong: %v", err)
		}
		for _, opts := range equalOptions {
			if !types.EqualArrays(arr, c, opts) || !types.EqualArrays(c, arr, opts) {
				t.Errorf("differs from its copy under %+v", opts)
			}
		}
		from := rng.IntN(arr.Len() + 1)
		to := from + rng.IntN(arr.Len()-from+1)
		slice := array.NewSlice(arr, int64(from), int64(to))
		defer slice.Release()
		if !types.Identical(slice, arrowtest.Copy(rng, slice.Data())) || !types.Identical(slice, array.NewSlice(c, int64(from), int64(to))) {
			t.Errorf("rows %d to %d differ from their copy", from, to)
		}
		a, b := inChunks(rng, arr), inChunks(rng, c)
		defer a.Release()
		if !types.EqualChunked(a, b, types.EqualOptions{NaNEqual: true}) || !types.EqualChunked(b, a, types.EqualOptions{NaNEqual: true}) {
			t.Error("differs from its copy in chunks")
		}
		if same := sameBorders(a, b); same != types.EqualChunked(a, b, types.EqualOptions{Layout: true}) {
			t.Errorf("identical chunks: %t, want %t", !same, same)
		}
		if arr.Len() > 0 && types.EqualChunked(a, arrow.NewChunked(c.DataType(), []arrow.Array{array.NewSlice(c, 1, int64(c.Len()))}), types.EqualOptions{NaNEqual: true}) {
			t.Error("equals a part of itself")
		}
	})
}

func inChunks(rng *rand.Rand, arr arrow.Array) *arrow.Chunked {
	var chunks []arrow.Array
	for at := 0; at < arr.Len() || len(chunks) == 0; {
		end := min(arr.Len(), at+rng.IntN(arr.Len()+2))
		chunks = append(chunks, array.NewSlice(arr, int64(at), int64(end)))
		at = end
	}
	defer func() {
		for _, c := range chunks {
			c.Release()
		}
	}()
	return arrow.NewChunked(arr.DataType(), chunks)
}

func sameBorders(a, b *arrow.Chunked) bool {
	if len(a.Chunks()) != len(b.Chunks()) {
		return false
	}
	for i, c := range a.Chunks() {
		if c.Len() != b.Chunk(i).Len() {
			return false
		}
	}
	return true
}

// rowsShown writes the rows of an array with the variants of unions, -0 as 0.
func rowsShown(v *types.Vector) string {
	var b strings.Builder
	for i := range v.Len() {
		b.WriteString(show(types.Value(v, i)) + "\n")
	}
	return strings.NewReplacer("float64 8000000000000000", "float64 0", "float32 80000000", "float32 0").Replace(b.String())
}

// TestEqualOfDamaged changes random bytes of copies. Whatever happens to them, nothing may panic, the answer is the same both ways, and it is that of the rows
// as types.Value reads them; what does not pass Validate equals nothing; and what is identical is equal.
func TestEqualOfDamaged(t *testing.T) {
	var invalid, different, hidden int
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 19))
		dt := arrowtest.RandomType(rng, int(seed%4))
		arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, dt, 1+rng.IntN(20), arrowtest.Options{})
		damaged := arrowtest.Copy(rng, arr.Data()).Data()
		damage(rng, damaged)
		opts := equalOptions[1:][rng.IntN(len(equalOptions)-1)]
		opts.IgnoreUnionNullVariant, opts.DictIdentity, opts.Approx = false, false, 0
		a, b := arr, safeArray(damaged)
		equal := types.EqualArrays(a, b, opts)
		if types.EqualArrays(b, a, opts) != equal {
			t.Errorf("seed %d, %s, %+v: equal one way only", seed, dt, opts)
		}
		v, err := types.ImportData(damaged, types.ImportOptions{Unions: types.UnionTagged})
		if err != nil || types.Validate(nullable("", dt), damaged, types.ValidateContents) != nil {
			invalid++
			if equal || types.EqualArrays(b, b, opts) {
				t.Errorf("seed %d, %s: an invalid array equals something", seed, dt)
			}
			continue
		}
		w, err := types.Import(a, types.ImportOptions{Unions: types.UnionTagged})
		if err != nil {
			t.Fatal(err)
		}
		same := rowsShown(v) == rowsShown(w)
		exact := strings.Contains(dt.String(), "date64") && !opts.IgnoreEncoding // milliseconds, of which Value shows the day
		switch {
		case opts.Layout:
			if equal && !types.EqualArrays(a, b, types.EqualOptions{BitwiseFloats: true}) {
				t.Errorf("seed %d, %s: identical, but not equal", seed, dt)
			}
			if !equal && same {
				hidden++
			}
		case equal != same && !(exact && same):
			t.Errorf("seed %d, %s, %+v: equal is %t, rows are the same: %t\n%s%s", seed, dt, opts, equal, same, rowsShown(v), rowsShown(w))
		}
		if !same {
			different++
		}
	}
	if invalid < 300 || different < 300 || hidden < 100 {
		t.Errorf("%d invalid, %d different, %d different only where nobody looks: too few to test anything", invalid, different, hidden)
	}
}

// damage changes some bytes of array data.
func damage(rng *rand.Rand, data arrow.ArrayData) {
	var all [][]byte
	var collect func(arrow.ArrayData)
	collect = func(d arrow.ArrayData) {
		for _, b := range d.Buffers() {
			if b != nil && b.Len() > 0 {
				all = append(all, b.Bytes())
			}
		}
		for _, c := range d.Children() {
			collect(c)
		}
		if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
			collect(dict)
		}
	}
	collect(data)
	for range 1 + rng.IntN(3) {
		if len(all) > 0 {
			b := all[rng.IntN(len(all))]
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
	}
}

// opaque is an array of which only the data are ever asked: Arrow's own constructors panic on some faults.
type opaque struct {
	arrow.Array
	data arrow.ArrayData
}

func (o opaque) Data() arrow.ArrayData    { return o.data }
func (o opaque) DataType() arrow.DataType { return o.data.DataType() }
func (o opaque) Len() int                 { return o.data.Len() }

func safeArray(data arrow.ArrayData) arrow.Array { return opaque{data: data} }

// TestEqualOfMutated: arrays with wrong lengths, missing buffers and children never panic.
func TestEqualOfMutated(t *testing.T) {
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 23))
		arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, arrowtest.RandomType(rng, int(seed%4)), 20, arrowtest.Options{})
		a, b := safeArray(mutate(rng, arr.Data())), safeArray(mutate(rng, arr.Data()))
		for _, opts := range equalOptions {
			if types.EqualArrays(a, b, opts) != types.EqualArrays(b, a, opts) {
				t.Errorf("seed %d, %s, %+v: equal one way only", seed, arr.DataType(), opts)
			}
		}
	}
}
