package types_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

func nullableInts(bitmap uint8, values ...int32) *array.Data {
	return node(arrow.PrimitiveTypes.Int32, len(values), -1, 0, nil, raw(bitmap), raw(values...))
}

func strs(bitmap uint8, values ...string) *array.Data {
	offsets, body := []int32{0}, ""
	for _, s := range values {
		body += s
		offsets = append(offsets, int32(len(body)))
	}
	return node(arrow.BinaryTypes.String, len(values), -1, 0, nil, raw(bitmap), raw(offsets...), text(body))
}

func sparse(codes []int8, variants ...variant) *array.Data {
	fields, ids, children := unionParts(variants)
	return node(arrow.SparseUnionOf(fields, ids), len(codes), 0, 0, children, nil, raw(codes...))
}

func dense(codes []int8, offsets []int32, variants ...variant) *array.Data {
	fields, ids, children := unionParts(variants)
	return node(arrow.DenseUnionOf(fields, ids), len(codes), 0, 0, children, nil, raw(codes...), raw(offsets...))
}

type variant struct {
	code     int8
	name     string
	nullable bool
	data     arrow.ArrayData
}

func unionParts(variants []variant) (fields []arrow.Field, ids []int8, children []arrow.ArrayData) {
	for _, v := range variants {
		fields = append(fields, arrow.Field{Name: v.name, Type: v.data.DataType(), Nullable: v.nullable})
		ids = append(ids, v.code)
		children = append(children, v.data)
	}
	return fields, ids, children
}

func slice(d *array.Data, from, to int64) *array.Data {
	return array.NewSliceData(d, from, to).(*array.Data)
}

// TestNullCounts are the cases of null-semantics 3.1 that concern validity and counts.
func TestNullCounts(t *testing.T) {
	float := func(bitmap uint8, values ...float64) *array.Data {
		return node(arrow.PrimitiveTypes.Float64, len(values), -1, 0, nil, raw(bitmap), raw(values...))
	}
	bools := node(arrow.FixedWidthTypes.Boolean, 3, -1, 0, nil, raw[uint8](0b101), raw[uint8](0b001))
	listOfNull := node(arrow.ListOf(arrow.PrimitiveTypes.Int32), 3, -1, 0, []arrow.ArrayData{nullableInts(0, 9)}, raw[uint8](0b101), raw[int32](0, 1, 1, 1))
	n22 := node(arrow.StructOf(arrow.Field{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []int8{0}), Nullable: true}), 2, -1, 0,
		[]arrow.ArrayData{sparse([]int8{0, 0}, variant{0, "a", true, nullableInts(0b10, 0, 1)})}, raw[uint8](0b01))
	views := node(arrow.BinaryTypes.StringView, 3, -1, 0, nil, raw[uint8](0b101), memory.NewBufferBytes(append(append(view(2, 'a'|'b'<<8, 0, 0), make([]byte, 16)...), view(24, 'l'|'o'<<8|'n'<<16|'g'<<24, 0, 0)...)), text("longer than twelve bytes"))
	cases := []struct {
		id       string
		data     *array.Data
		null     []bool
		physical int
	}{
		{"N2", slice(node(arrow.PrimitiveTypes.Int32, 11, -1, 0, nil, raw[uint8](0b11110101, 0b110), raw[int32](1, 0, 3, 0, 5, 6, 7, 8, 0, 10, 11)), 3, 10), []bool{true, false, false, false, false, true, false}, 2},
		{"N5", sparse([]int8{5, 9, 5, 9}, variant{5, "a", true, nullableInts(0b1011, 1, 0, 0, 0)}, variant{9, "s", true, strs(0b0111, "", "x", "", "")}), []bool{false, false, true, true}, 2},
		{"N8", slice(dense([]int8{0, 1, 0, 0, 1, 1}, []int32{0, 0, 1, 2, 1, 2}, variant{0, "f", true, float(0b011, .5, 1.5, 0)}, variant{1, "b", true, bools}), 1, 6), []bool{false, false, true, true, false}, 2},
		{"N9", dense([]int8{0, 0}, []int32{0, 1}, variant{0, "a", true, slice(nullableInts(0b1011, 9, 9, 0, 4), 2, 4)}), []bool{true, false}, 1},
		{"N10", slice(sparse([]int8{0, 0, 0}, variant{0, "a", true, slice(nullableInts(0b0101, 7, 0, 5, 0), 1, 4)}), 1, 3), []bool{false, true}, 1},
		{"N12", slice(ree(5, 0, ints(2, 4, 5), strs(0b101, "p", "", "q")), 1, 4), []bool{false, true, true}, 0},
		{"N14", ree(3, 0, ints(1, 3), slice(strs(0b011, "z", "a", ""), 1, 3)), []bool{false, true, true}, 0},
		{"N15", dict(raw[int8](0, 1, 0, 2, 1), 5, raw[uint8](0b11011), strs(0b101, "x", "", "y")), []bool{false, true, true, false, true}, 1},
		{"N16", dict(raw[int8](0, 100), 2, raw[uint8](0b01), strs(1, "x")), []bool{false, true}, 1},
		{"N17", dict(raw[int8](0, 2, 1), 3, nil, ree(3, 0, ints(1, 3), strs(0b01, "a", ""))), []bool{false, true, true}, 0},
		{"N18", ree(3, 0, ints(2, 3), sparse([]int8{0, 1}, variant{0, "a", true, nullableInts(0b10, 0, 0)}, variant{1, "s", true, strs(0b11, "", "k")})), []bool{true, true, false}, 0},
		{"N20", sparse([]int8{0, 0, 1}, variant{0, "a", true, ree(3, 0, ints(2, 3), nullableInts(0b10, 0, 5))}, variant{1, "b", false, ints(0, 0, 7)}), []bool{true, true, false}, 2},
		{"N21", sparse([]int8{0, 0}, variant{0, "a", true, dict(raw[int8](0, 1), 2, nil, strs(0b01, "x", ""))}), []bool{false, true}, 1},
		{"N22", n22, []bool{false, true}, 1},
		{"N24", listOfNull, []bool{false, true, false}, 1},
		{"N25", slice(views, 1, 3), []bool{true, false}, 1},
		{"N28", ree(0, 0, ints(), ints()), nil, 0},
		{"N28 k..k", slice(ree(3, 0, ints(1, 3), ints(1, 2)), 2, 2), nil, 0},
		{"null type", node(arrow.Null, 3, 3, 0, nil, nil), []bool{true, true, true}, 3},
		{"empty dictionary", dict(raw[int8](0, 0), 2, raw[uint8](0), strs(0)), []bool{true, true}, 2},
	}
	for _, c := range cases {
		v, err := types.ImportData(c.data, types.ImportOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		if v.Len() != len(c.null) {
			t.Errorf("%s: %d rows, want %d", c.id, v.Len(), len(c.null))
			continue
		}
		valid, logical := types.LogicalValidity(nil, v), 0
		for i, null := range c.null {
			if valid.Has(i) == null {
				t.Errorf("%s: row %d is null %t, want %t", c.id, i, !valid.Has(i), null)
			}
			if null {
				logical++
			}
		}
		if got := types.NullCount(nil, v); got != logical {
			t.Errorf("%s: %d nulls, want %d", c.id, got, logical)
		}
		if got := types.PhysicalNullCount(v); got != c.physical {
			t.Errorf("%s: %d physical nulls, want %d", c.id, got, c.physical)
		}
	}
}

func TestSupersetUnionCounts(t *testing.T) { // N27
	u := types.NewUnion(types.UnionOfCodes([]types.Field{{Name: "a", Type: types.Integer, Nullable: true}}, []int8{0}, true),
		[]int8{0, 0, 0}, nil, []*types.Vector{types.NewFixed(types.Integer, []int32{1, 0, 2}, types.Bitmap{0b101})}, types.Bitmap{0b011})
	for i, want := range []string{"a(int32 1)", "a(<nil> <nil>)", "<nil> <nil>"} {
		if got := show(types.Value(u, i)); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
	if got := types.NullCount(nil, u); got != 1 {
		t.Errorf("%d nulls, want 1", got)
	}
}

// column exports a one-column batch of v under opts and imports it again by the schema that came with it.
func column(t *testing.T, v *types.Vector, f types.Field, opts types.ExportOptions) (*types.Vector, types.Field, error) {
	t.Helper()
	schema := types.ExportSchema(types.Schema{f}, opts)
	rec, err := types.ExportBatch(types.NewBatch([]*types.Vector{v}, v.Len(), 0), schema, opts)
	if err != nil {
		return nil, types.Field{}, err
	}
	back, err := types.ImportSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	b, err := types.ImportBatch(rec, back, types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b.Columns[0], back[0], nil
}

func TestUnionPolicies(t *testing.T) {
	required := []types.Field{{Name: "a", Type: types.Integer}, {Name: "s", Type: types.Varchar}}
	nullable := []types.Field{{Name: "a", Type: types.Integer, Nullable: true}, {Name: "s", Type: types.Varchar}}
	rows := []any{types.UnionValue{Tag: "a", Value: 4}, nil, types.UnionValue{Tag: "s", Value: "x"}, nil}
	inner := append(rows[:3:3], types.UnionValue{Tag: "a"})
	cases := []struct {
		name     string
		variants []types.Field
		tagged   bool
		rows     []any
		required bool
		opts     types.ExportOptions
		err      error
		arrow    int // variants of the Arrow union, 0 for ValidityStruct
		lossy    bool
		widened  int // bits of the variants that come back nullable
	}{
		{name: "Keep, lifted", variants: nullable, rows: rows, arrow: 2},
		{name: "Keep without a host is NullVariant", variants: required, rows: rows, arrow: 3},
		{name: "Keep, required", variants: required, rows: rows[:1], required: true, arrow: 2},
		{name: "NullVariant, tagged", variants: nullable, tagged: true, rows: inner, arrow: 3},
		{name: "NullVariant, lifted", variants: nullable, rows: rows, opts: types.ExportOptions{Unions: types.UnionNullVariant}, arrow: 3},
		{name: "ValidityStruct, tagged", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionValidityStruct}},
		{name: "ValidityStruct, lifted", variants: nullable, rows: rows, opts: types.ExportOptions{Unions: types.UnionValidityStruct}},
		{name: "X18 required and tagged", variants: nullable, tagged: true, rows: []any{types.UnionValue{Tag: "a"}}, required: true, arrow: 2},
		{name: "Keep loses inner nulls", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionKeep}, err: types.ErrLossyExport},
		{name: "Keep may lose inner nulls", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionKeep, AllowLossy: true}, arrow: 2, lossy: true},
		{name: "null in a required column", variants: required, rows: rows, required: true, err: types.ErrNullInRequired},
		{name: "X3 Variant", variants: required, rows: rows, opts: types.ExportOptions{Unions: types.UnionVariant, UnionCode: 70}, arrow: 2, widened: 0b10},
		{name: "X4 Variant", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionVariant, UnionCode: 3}, err: types.ErrLossyExport},
		{name: "X4 Variant, lossy", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionVariant, UnionCode: 3, AllowLossy: true}, arrow: 2, lossy: true},
		{name: "Variant beside an inner null", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionVariant, UnionCode: 70}, arrow: 2, widened: 0b10},
		{name: "Variant that is none", variants: nullable, rows: rows, opts: types.ExportOptions{Unions: types.UnionVariant, UnionCode: 4}, err: types.ErrNoNullHost},
		{name: "X5 WidenAll", variants: required, rows: rows, opts: types.ExportOptions{Unions: types.UnionWidenAll}, arrow: 2, widened: 0b11},
		{name: "WidenAll loses inner nulls", variants: nullable, tagged: true, rows: inner, opts: types.ExportOptions{Unions: types.UnionWidenAll}, err: types.ErrLossyExport},
		{name: "InPlace", variants: nullable, rows: rows, opts: types.ExportOptions{Unions: types.UnionInPlace}, arrow: 2},
		{name: "X5 InPlace", variants: required, rows: rows, opts: types.ExportOptions{Unions: types.UnionInPlace}, err: types.ErrNoNullHost},
		{name: "X6 Forbid", variants: nullable, rows: rows, opts: types.ExportOptions{Unions: types.UnionForbid}, err: types.ErrNoNullHost},
		{name: "X6 Forbid, no nulls", variants: nullable, rows: rows[:1], opts: types.ExportOptions{Unions: types.UnionForbid}, arrow: 2},
		{name: "Forbid, inner nulls", variants: nullable, tagged: true, rows: []any{types.UnionValue{Tag: "a"}}, required: true, opts: types.ExportOptions{Unions: types.UnionForbid}, arrow: 2},
	}
	for _, c := range cases {
		for _, denseUnions := range []bool{false, true} {
			opts := c.opts
			opts.DenseUnions = denseUnions
			typ := types.UnionOfCodes(c.variants, []int8{3, 70}, c.tagged)
			v, err := types.FromValues(nil, typ, c.rows)
			if err != nil {
				t.Fatal(err)
			}
			f := types.Field{Name: "u", Type: typ, Nullable: !c.required}
			back, field, err := column(t, v, f, opts)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%s: error %v, want %v", c.name, err, c.err)
			}
			if err != nil {
				continue
			}
			if u, ok := types.ExportField(f, opts).Type.(arrow.UnionType); ok && u.NumFields() != c.arrow || !ok && c.arrow != 0 {
				t.Errorf("%s: exported as %s", c.name, types.ExportField(f, opts).Type)
			}
			if c.lossy {
				if types.NullCount(nil, back) != 2 {
					t.Errorf("%s: %d nulls, want 2", c.name, types.NullCount(nil, back))
				}
				continue
			}
			typ = types.UnionOfCodes(widen(c.variants, c.widened), []int8{3, 70}, c.tagged)
			if !field.Type.Equal(typ) && c.name != "NullVariant, lifted" || field.Nullable != f.Nullable {
				t.Errorf("%s: came back as %s, nullable %t, tagged %t", c.name, field, field.Nullable, field.Type.Tagged())
			}
			for i := range c.rows {
				if got, want := show(types.Value(back, i)), show(types.Value(v, i)); got != want {
					t.Errorf("%s: row %d came back as %s, want %s", c.name, i, got, want)
				}
			}
		}
	}
}

func widen(fields []types.Field, which int) []types.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Nullable = fields[i].Nullable || which>>i&1 == 1
	}
	return fields
}

func TestMaskedUnionKeepsVariants(t *testing.T) { // X14
	data := sparse([]int8{1, 0, 0}, variant{0, "a", false, ints(0, 1, 2)}, variant{1, "s", true, strs(0b110, "", "", "")})
	v, err := types.ImportData(data, types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := types.Export(v.WithValidity(types.Bitmap{0b100}), data.DataType(), types.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u := out.(*array.SparseUnion)
	for i, want := range []int8{1, 1, 0} {
		if got := u.TypeCode(i); got != want {
			t.Errorf("row %d has code %d, want %d", i, got, want)
		}
		if got := reference(u, i) == nil; got != (i < 2) {
			t.Errorf("row %d is null: %t", i, got)
		}
	}
}

func TestUnionMetadataThatDoesNotFit(t *testing.T) { // X17
	f := arrow.Field{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String}}, []int8{0, 1}),
		Metadata: arrow.MetadataFrom(map[string]string{"nullunion": "NullVariant:1"})}
	got, err := types.ImportField(f)
	if err != nil || len(got.Type.Fields()) != 2 || got.Type.Tagged() || !got.Nullable {
		t.Errorf("imported as %s, %v", got, err)
	}
}

func TestNullableUnionInRequiredField(t *testing.T) { // Z21: the field's own flag is ignored
	data := sparse([]int8{0, 0}, variant{0, "a", true, nullableInts(0b10, 0, 1)})
	schema := arrow.NewSchema([]arrow.Field{{Name: "u", Type: data.DataType()}}, nil)
	v, err := types.ImportData(data, types.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := types.ExportBatch(types.NewBatch([]*types.Vector{v}, 2, 0), schema, types.ExportOptions{})
	if err != nil || reference(out.Column(0), 0) != nil {
		t.Errorf("exported as %v, %v", out, err)
	}
	ints := types.NewFixed(types.Integer, []int32{1, 2}, types.Bitmap{0b01})
	_, err = types.ExportBatch(types.NewBatch([]*types.Vector{ints}, 2, 0), arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int32}}, nil), types.ExportOptions{})
	var e *types.Error
	if !errors.Is(err, types.ErrNullInRequired) || !errors.As(err, &e) || e.Path != "c" || e.Row != 1 {
		t.Errorf("error %v", err)
	}
}
