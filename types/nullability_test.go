package types_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// sameRows compares the rows of two arrays with the slow reference.
func sameRows(t *testing.T, got, want arrow.Array) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Errorf("%d rows, want %d", got.Len(), want.Len())
		return
	}
	for i := range got.Len() {
		if g, w := show(reference(got, i)), show(reference(want, i)); g != w {
			t.Errorf("row %d: %s, want %s", i, g, w)
			return
		}
	}
}

// levelOf gives the highest level at which an array is valid. A required dictionary of type null, which random types have, holds nulls.
func levelOf(f arrow.Field, arr arrow.Array) types.ValidateLevel {
	for level := types.ValidateStrict; level > types.ValidateContents; level-- {
		if types.Validate(f, arr.Data(), level) == nil {
			return level
		}
	}
	return types.ValidateContents
}

func firstReferenceNull(arr arrow.Array) (first, count int) {
	first = -1
	for i := range arr.Len() {
		if reference(arr, i) == nil {
			if first < 0 {
				first = i
			}
			count++
		}
	}
	return first, count
}

// TestOptionalRequiredRandom asks of random arrays: optional keeps every row and is idempotent, required finds the first null or keeps every row and is
// clean, and required undoes optional.
func TestOptionalRequiredRandom(t *testing.T) {
	eachRandomArray(t, 3000, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		f := arrow.Field{Name: "c", Type: arr.DataType(), Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"k": "v"})}
		for _, opts := range []types.OptionalOptions{{}, {WidenAll: true}} {
			g, optional, err := types.Optional(f, arr, opts)
			if err != nil {
				t.Errorf("optional %v: %v", opts, err)
				return
			}
			defer optional.Release()
			if declared, err := types.ImportField(g); err != nil || !declared.Nullable {
				t.Errorf("optional %v gives %v: %v", opts, g, err)
			}
			if g.Name != "c" || !g.Metadata.Equal(f.Metadata) {
				t.Errorf("name and metadata are %v", g)
			}
			if err := types.Validate(g, optional.Data(), levelOf(f, arr)); err != nil {
				t.Errorf("optional %v: %v", opts, err)
				return
			}
			sameRows(t, optional, arr)
			h, again, err := types.Optional(g, optional, opts)
			if err != nil || !h.Equal(g) || !sameMemory(again.Data(), optional.Data()) {
				t.Errorf("optional %v is not idempotent: %v, %v, %v", opts, g, h, err)
				return
			}
			again.Release()
			checkRequired(t, g, optional)
		}
		checkRequired(t, f, arr)
	})
}

// checkRequired compares Required with the reference.
func checkRequired(t *testing.T, f arrow.Field, arr arrow.Array) {
	t.Helper()
	first, count := firstReferenceNull(arr)
	g, required, err := types.Required(f, arr)
	if count > 0 {
		var e *types.Error
		if !errors.Is(err, types.ErrNullInRequired) || !errors.As(err, &e) {
			t.Errorf("required of %d nulls: %v", count, err)
		} else if union := hasVariantNulls(f.Type); !union && (e.Row != int64(first) || e.Count != int64(count)) {
			t.Errorf("required: row %d, count %d, want %d, %d", e.Row, e.Count, first, count)
		}
		return
	}
	if err != nil {
		t.Errorf("required: %v", err)
		return
	}
	defer required.Release()
	if declared, err := types.ImportField(g); err != nil || declared.Nullable && declared.Type.Kind() != types.KindNull {
		t.Errorf("required gives %v: %v", g, err)
	}
	if err := types.Validate(g, required.Data(), levelOf(f, arr)); err != nil {
		t.Errorf("required is not clean: %v", err)
		return
	}
	sameRows(t, required, arr)
}

// hasVariantNulls reports types whose nulls are counted by variant.
func hasVariantNulls(dt arrow.DataType) bool {
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		return hasVariantNulls(d.ValueType)
	case *arrow.RunEndEncodedType:
		return hasVariantNulls(d.Encoded())
	case arrow.UnionType:
		return true
	}
	return false
}

// TestRequiredDeepRandom makes every field of random arrays required that hold no null which shows, whatever they hide.
func TestRequiredDeepRandom(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	required, refused := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		dt := arrowtest.RandomType(rng, 1+int(seed%4))
		arr := arrowtest.RandomArray(rng, alloc, dt, int(seed%5), arrowtest.Options{NoNulls: seed%2 == 0})
		f := arrow.Field{Name: "c", Type: dt, Nullable: true}
		g, out, err := types.RequiredDeep(f, arr)
		switch {
		case err == nil:
			required++
			if err := types.Validate(g, out.Data(), types.ValidateStrict); err != nil {
				t.Errorf("seed %d: %s as %s: %v", seed, dt, g, err)
			}
			sameRows(t, out, arr)
			out.Release()
		case errors.Is(err, types.ErrNullInRequired):
			refused++
		default:
			t.Errorf("seed %d: %s: %v", seed, dt, err)
		}
		arr.Release()
		if t.Failed() {
			t.Fatalf("seed %d, type %s", seed, dt)
		}
	}
	if required < 500 || refused < 500 {
		t.Errorf("%d arrays became required, %d did not: the test is worth little", required, refused)
	}
}

// TestOptionalDeepRandom makes every field optional and required again.
func TestOptionalDeepRandom(t *testing.T) {
	eachRandomArray(t, 1000, func(t *testing.T, rng *rand.Rand, arr arrow.Array) {
		f := arrow.Field{Name: "c", Type: arr.DataType(), Nullable: true}
		g, out, err := types.OptionalDeep(f, arr, types.OptionalOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		defer out.Release()
		if err := types.Validate(g, out.Data(), levelOf(f, arr)); err != nil {
			t.Errorf("%s: %v", g, err)
			return
		}
		sameRows(t, out, arr)
	})
}

func TestNullabilityPaths(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	list := arrow.ListOfField(arrow.Field{Name: "item", Type: i32, Nullable: true})
	inner := arrow.StructOf(arrow.Field{Name: "l", Type: list, Nullable: true}, arrow.Field{Name: `odd."name`, Type: i32, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: inner, Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, i32), Nullable: true},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: inner}, Nullable: true},
		{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: i32, Nullable: true}}, []int8{5}), Nullable: true},
		{Name: "twice", Type: i32}, {Name: "twice", Type: i32},
	}, nil)
	for _, path := range []string{"s", "s.l", "s.l[]", `s."odd.""name"`, "m", "m.value", "d.l[]", "u.a", "u"} {
		changed, err := types.RequiredSchema(schema, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if changed.Equal(schema) {
			t.Errorf("%s changes nothing", path)
		}
		if back, err := types.OptionalSchema(changed, types.OptionalOptions{WidenAll: true}, path); err != nil || !back.Equal(schema) {
			t.Errorf("%s: optional again is %v, want %v: %v", path, back, schema, err)
		}
	}
	for path, kind := range map[string]error{
		"x": types.ErrNoMember, "s.x": types.ErrNoMember, "s[]": types.ErrNoMember, "s.l.x": types.ErrNoMember, "s..l": types.ErrNoMember, "": types.ErrNoMember,
		`s."l`: types.ErrNoMember, "s.l[]x": types.ErrNoMember, "s.l[].y": types.ErrNoMember, "m.nothing": types.ErrNoMember, "twice": types.ErrAmbiguousMember,
	} {
		if _, err := types.RequiredSchema(schema, path); !errors.Is(err, kind) {
			t.Errorf("path %q: %v, want %v", path, err, kind)
		}
	}
	if _, err := types.OptionalSchema(schema, types.OptionalOptions{}, "m.key"); !errors.Is(err, types.ErrUnsupported) {
		t.Errorf("key of a map: %v", err)
	}
}

func TestRequiredBatch(t *testing.T) {
	b := array.NewInt64Builder(arrowtest.NewAllocator(t))
	b.AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	column := b.NewArray()
	b.Release()
	defer column.Release()
	metadata := arrow.MetadataFrom(map[string]string{"k": "v"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: column.DataType(), Nullable: true}, {Name: "b", Type: column.DataType(), Nullable: true}}, &metadata)
	batch := array.NewRecordBatch(schema, []arrow.Array{column, column}, 3)
	defer batch.Release()
	var e *types.Error
	if _, err := types.RequiredBatch(batch, "b"); !errors.As(err, &e) || e.Path != "b" || e.Row != 1 || e.Count != 1 {
		t.Errorf("null in b: %v", err)
	}
	slice := batch.NewSlice(2, 3)
	defer slice.Release()
	out, err := types.RequiredBatch(slice, "b")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	if got := out.Schema(); got.Field(1).Nullable || !got.Field(0).Nullable || !got.Metadata().Equal(metadata) {
		t.Errorf("schema is %v", got)
	}
	if out.Column(1).Data().Buffers()[0] != nil || out.Column(1).(*array.Int64).Value(0) != 3 {
		t.Errorf("column b is %v", out.Column(1))
	}
	back, err := types.OptionalBatch(out, types.OptionalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if !back.Schema().Equal(schema) {
		t.Errorf("schema is %v", back.Schema())
	}
}

// parsed gives an array in the notation of the conformance cases.
func parsed(t *testing.T, text string) conformance.Array {
	t.Helper()
	a, err := conformance.ParseArray(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNullabilityOfExtensions keeps what is inside an extension type as it is.
func TestNullabilityOfExtensions(t *testing.T) {
	for _, text := range []string{`["extension(test.any)<su{0:a i32?}>?",[[0,1]]]`, `["extension(test.any)<dictionary<i8,su{0:a i32?}>>?",{"keys":[0],"dictionary":[[0,1]]}]`} {
		a := parsed(t, text)
		if _, _, err := types.Required(a.Field, array.MakeFromData(a.Data())); !errors.Is(err, types.ErrExtensionStorage) {
			t.Errorf("required of %s: %v", a.Field, err)
		}
	}
	a := parsed(t, `["extension(test.any)<ree<i32,utf8!>>!",["a"]]`)
	if _, _, err := types.Optional(a.Field, array.MakeFromData(a.Data()), types.OptionalOptions{}); !errors.Is(err, types.ErrExtensionStorage) {
		t.Errorf("optional of %s: %v", a.Field, err)
	}
	a = parsed(t, `["extension(test.any)<ree<i32,utf8?>>?",["a"]]`)
	f, _, err := types.Required(a.Field, array.MakeFromData(a.Data()))
	if err != nil || f.Nullable || f.Type != a.Field.Type {
		t.Errorf("required of %s: %v, %v", a.Field, f, err)
	}
}

func TestRequiredChunked(t *testing.T) {
	f := arrow.Field{Name: "c", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	chunks := arrow.NewChunked(f.Type, []arrow.Array{
		array.MakeFromData(parsed(t, `["i32?",[1,2]]`).Data()), array.MakeFromData(parsed(t, `["i32?",[]]`).Data()), array.MakeFromData(parsed(t, `["i32?",[3,null]]`).Data()),
	})
	var e *types.Error
	if _, _, err := types.RequiredChunked(f, chunks); !errors.As(err, &e) || e.Row != 3 || e.Path != "c" {
		t.Errorf("null in the third chunk: %v", err)
	}
	g, out, err := types.RequiredChunked(f, array.NewChunkedSlice(chunks, 0, 3))
	if err != nil || g.Nullable || out.Len() != 3 {
		t.Errorf("%v, %v, %v", g, out, err)
	}
	h, back, err := types.OptionalChunked(g, out, types.OptionalOptions{})
	if err != nil || !h.Equal(f) || back.Len() != 3 {
		t.Errorf("%v, %v, %v", h, back, err)
	}
	if g, out, err := types.RequiredChunked(f, arrow.NewChunked(f.Type, nil)); err != nil || g.Nullable || out.Len() != 0 {
		t.Errorf("no chunks: %v, %v, %v", g, out, err)
	}
}

// TestOptionalExtensionOfUnion puts the outer validity around an extension type.
func TestOptionalExtensionOfUnion(t *testing.T) {
	a := parsed(t, `["extension(test.any)<su{0:a i32!,1:b utf8!}>!",[[1,"x"],[0,1]]]`)
	in := array.MakeFromData(a.Data())
	f, out, err := types.Optional(a.Field, in, types.OptionalOptions{})
	if err != nil || !arrow.TypeEqual(f.Type, types.NullableUnionOf(a.Field.Type, false)) {
		t.Fatalf("optional gives %s: %v", f, err)
	}
	sameRows(t, out, in)
	if err := types.Validate(f, out.Data(), types.ValidateStrict); err != nil {
		t.Error(err)
	}
	if _, _, err := types.Optional(a.Field, in, types.OptionalOptions{WidenAll: true}); !errors.Is(err, types.ErrExtensionStorage) {
		t.Errorf("widen all: %v", err)
	}
}
