package types_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// eachRandomArray runs f on arrays of every flat type and of many nested ones.
func eachRandomArray(t *testing.T, nested int, f func(t *testing.T, rng *rand.Rand, arr arrow.Array)) {
	alloc := arrowtest.NewAllocator(t)
	run := func(seed uint64, dt arrow.DataType) {
		rng := rand.New(rand.NewPCG(seed, 7))
		arr := arrowtest.RandomArray(rng, alloc, dt, []int{0, 1, 3, 64, 65, 200}[seed%6], arrowtest.Options{})
		defer arr.Release()
		failed := t.Failed()
		f(t, rng, arr)
		if t.Failed() && !failed {
			t.Fatalf("seed %d, type %s, %d rows at offset %d", seed, dt, arr.Len(), arr.Data().Offset())
		}
	}
	for i, dt := range arrowtest.FlatTypes() {
		for seed := range uint64(12) {
			run(seed+uint64(i)*100, dt)
		}
	}
	for seed := range uint64(nested) {
		run(seed, arrowtest.RandomType(rand.New(rand.NewPCG(seed, 1)), 1+int(seed%4)))
	}
}

func TestImportAgainstReference(t *testing.T) {
	eachRandomArray(t, 2000, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		pool := types.NewPool()
		v, err := types.Import(arr, types.ImportOptions{Pool: pool})
		if err != nil {
			t.Errorf("import: %v", err)
			return
		}
		checkRows(t, v, arr, 0)
		nulls := 0
		valid := types.LogicalValidity(pool, v)
		for i := range v.Len() {
			_, _, ok := v.Locate(i)
			if valid.Has(i) != ok || ok != (reference(arr, i) != nil) {
				t.Errorf("row %d: LogicalValidity %t, Locate %t", i, valid.Has(i), ok)
			}
			if !ok {
				nulls++
			}
		}
		if got := types.NullCount(pool, v); got != nulls {
			t.Errorf("NullCount %d, want %d", got, nulls)
		}
		if nulls > 0 && !v.MayHaveNulls() {
			t.Error("MayHaveNulls is false")
		}
		// A slice of the vector is the vector of the slice, and a slice of a slice too.
		from := rng.IntN(v.Len() + 1)
		to := from + rng.IntN(v.Len()-from+1)
		checkRows(t, v.Slice(pool, from, to), arr, from)
		middle := (to - from) / 3
		checkRows(t, v.Slice(pool, from, to).Slice(pool, middle, to-from), arr, from+middle)
	})
}

// checkRows compares the rows of v with those of arr from row from on.
func checkRows(t *testing.T, v *types.Vector, arr arrow.Array, from int) {
	t.Helper()
	for i := range v.Len() {
		if got, want := show(types.Value(v, i)), show(reference(arr, from+i)); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
			return
		}
		types.Text(v, i) // must not panic
	}
}

func TestExportUnchangedSharesBuffers(t *testing.T) { // R4
	eachRandomArray(t, 300, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		v, err := types.Import(arr, types.ImportOptions{})
		if err != nil {
			t.Errorf("import: %v", err)
			return
		}
		if v.Encoding() == types.Constant { // an empty dictionary has no array to share
			return
		}
		out, err := types.Export(v, arr.DataType(), types.ExportOptions{})
		if err != nil {
			t.Errorf("export: %v", err)
			return
		}
		defer out.Release()
		if !sharesAll(arr.Data(), out.Data()) {
			t.Error("buffers are not shared")
		}
		// Also for a part of the rows.
		from := rng.IntN(v.Len() + 1)
		part, err := types.Export(v.Slice(nil, from, v.Len()), arr.DataType(), types.ExportOptions{})
		if err != nil {
			t.Errorf("export: %v", err)
			return
		}
		defer part.Release()
		if !sharesAll(arr.Data(), part.Data()) || part.Len() != v.Len()-from {
			t.Error("buffers of the slice are not shared")
		}
	})
}

func sharesAll(a, b arrow.ArrayData) bool {
	if len(a.Buffers()) != len(b.Buffers()) || len(a.Children()) != len(b.Children()) {
		return false
	}
	for i := range a.Buffers() {
		if a.Buffers()[i] != b.Buffers()[i] {
			return false
		}
	}
	for i := range a.Children() {
		if !sharesAll(a.Children()[i], b.Children()[i]) {
			return false
		}
	}
	return true
}

// TestExportOfCopies exports vectors that no longer know their array, to the array's own type and to that of ExportField, and imports
// the result again.
func TestExportOfCopies(t *testing.T) {
	eachRandomArray(t, 2000, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		v, err := types.Import(arr, types.ImportOptions{})
		if err != nil {
			t.Errorf("import: %v", err)
			return
		}
		own := make([]uint32, v.Len())
		for i := range own {
			own[i] = uint32(i)
		}
		flat := v
		if v.Len() > 0 {
			flat = types.Flatten(nil, types.NewDictionary(own, v, nil))
		}
		checkRows(t, flat, arr, 0)
		options := []types.ExportOptions{{}, {StringViews: true, NarrowDecimals: true, DenseUnions: true}, {Unions: types.UnionNullVariant}, {Unions: types.UnionValidityStruct, DenseUnions: true}}
		opts := options[rng.IntN(len(options))]
		opts.Pool = types.NewPool()
		f := types.ExportField(types.Field{Name: "c", Type: v.Type(), Nullable: true}, opts)
		for _, dt := range []arrow.DataType{arr.DataType(), f.Type} {
			out, err := types.Export(flat, dt, opts)
			if errors.Is(err, types.ErrDictKeyOverflow) || errors.Is(err, types.ErrNoNullHost) {
				continue
			}
			if err != nil {
				t.Errorf("export as %s: %v", dt, err)
				return
			}
			back, err := importAs(out, v, dt, f)
			if err != nil {
				t.Errorf("import of %s: %v", dt, err)
			} else {
				checkRows(t, back, arr, 0)
				if back.Type().Equal(v.Type()) && !types.EqualWith(back, v, types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
					t.Errorf("not Equal after export as %s", dt)
				}
			}
			out.Release()
		}
	})
}

func importAs(out arrow.Array, v *types.Vector, dt arrow.DataType, f arrow.Field) (*types.Vector, error) {
	typ := types.Type{}
	if dt == f.Type {
		field, err := types.ImportField(f)
		if err != nil {
			return nil, err
		}
		typ = field.Type
	}
	return types.Import(out, types.ImportOptions{Type: typ})
}

func TestVariants(t *testing.T) {
	eachRandomArray(t, 400, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		v, err := types.Import(arr, types.ImportOptions{})
		if err != nil {
			t.Errorf("import: %v", err)
			return
		}
		nulls := types.NullCount(nil, v)
		for _, variant := range arrowtest.Variants(rng, v) {
			if !types.EqualWith(v, variant.Vector, types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
				t.Errorf("%s is not equal", variant.Name)
			}
			checkRows(t, variant.Vector, arr, 0)
			if got := types.NullCount(nil, variant.Vector); got != nulls {
				t.Errorf("%s: %d nulls, want %d", variant.Name, got, nulls)
			}
			if variant.Vector.Len() == 0 {
				continue
			}
			from := rng.IntN(variant.Vector.Len())
			checkRows(t, variant.Vector.Slice(nil, from, variant.Vector.Len()), arr, from)
			// Encoded export and back.
			for _, dt := range []arrow.DataType{arr.DataType(), &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arr.DataType()}, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arr.DataType())} {
				out, err := types.Export(variant.Vector, dt, types.ExportOptions{AllowLossy: true})
				if errors.Is(err, types.ErrNoNullHost) || errors.Is(err, types.ErrDictKeyOverflow) {
					continue
				}
				if err != nil {
					t.Errorf("%s as %s: %v", variant.Name, dt, err)
					return
				}
				back, err := types.Import(out, types.ImportOptions{})
				if err != nil {
					t.Errorf("%s as %s: %v", variant.Name, dt, err)
				} else {
					checkRows(t, back, arr, 0)
				}
				out.Release()
			}
		}
	})
}

func TestBatchRoundTrip(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		fields, columns := []arrow.Field{}, []arrow.Array{}
		for i := range 1 + rng.IntN(4) {
			dt := arrowtest.RandomType(rng, 3)
			fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: true})
			columns = append(columns, arrowtest.RandomArray(rng, alloc, dt, 50, arrowtest.Options{}))
		}
		rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 50)
		schema, err := types.ImportSchema(rec.Schema())
		if err != nil {
			t.Fatal(err)
		}
		batch, err := types.ImportBatch(rec, schema, types.ImportOptions{})
		if err != nil {
			t.Fatal(seed, err)
		}
		out, err := types.ExportBatch(batch, rec.Schema(), types.ExportOptions{})
		if err != nil {
			t.Fatal(seed, err)
		}
		for c, column := range columns {
			for i := range 50 {
				if got, want := show(reference(out.Column(c), i)), show(reference(column, i)); got != want {
					t.Fatalf("seed %d, column %d, row %d: %s, want %s", seed, c, i, got, want)
				}
			}
			column.Release()
		}
		out.Release()
		rec.Release()
	}
}

// TestNumbersOfDatesAndDurations imports as BIGINT what not every DATE and INTERVAL can hold, and exports it again.
func TestNumbersOfDatesAndDurations(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Duration_s} {
		numbers := []int64{0, -1, math.MaxInt64, math.MinInt64}
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.AppendValues(numbers, nil)
		source := b.NewArray().Data()
		data := array.NewData(dt, source.Len(), source.Buffers(), nil, 0, 0)
		v, err := types.ImportData(data, types.ImportOptions{Type: types.BigInt})
		if err != nil || !slices.Equal(types.ValuesOf[int64](v), numbers) {
			t.Errorf("%s: %v", dt, err)
			continue
		}
		out, err := types.Export(types.NewFixed(types.BigInt, numbers, nil), dt, types.ExportOptions{})
		if err != nil || !array.Equal(out, array.MakeFromData(data)) {
			t.Errorf("%s: %v %v", dt, out, err)
		}
	}
}
