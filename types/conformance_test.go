package types_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of null-semantics section 3 that are about arrays as such. See testdata/conformance/README.md.
func TestConformance(t *testing.T) {
	conformance.Run(t, "testdata/conformance", "types", conformanceStep)
}

func conformanceStep(s *conformance.Step) (any, error) {
	if strings.HasPrefix(s.Op, "json_") {
		return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
	}
	a, err := s.Array(0)
	if err != nil {
		return nil, err
	}
	switch s.Op {
	case "is_null", "is_not_null", "null_counts":
		return nullStep(s, a)
	case "equal", "identical":
		return equalStep(s, a)
	case "validate":
		return validateStep(s, a)
	case "sanitize":
		return sanitizeStep(a)
	case "import":
		return importStep(s, a)
	case "export", "export_import", "export_import_is_null":
		return exportStep(s, a)
	case "import_export":
		return importExportStep(s, a)
	case "optional", "required", "required_deep", "ignore_validity":
		f, out, err := changeNullability(s, a)
		if err != nil {
			return nil, err
		}
		return conformance.Array{Field: f, Chunks: []arrow.ArrayData{out.Data()}}, nil
	case "optional_shares_memory":
		_, out, err := types.Optional(a.Field, array.MakeFromData(a.Data()), types.OptionalOptions{})
		return err == nil && sameMemory(out.Data(), a.Data()), err
	case "required_of_optional_identical", "optional_required_export_identical":
		return backAgainStep(s, a)
	case "import_nullable":
		f, err := types.ImportField(a.Field)
		return f.Nullable, err
	case "import_child_is_null":
		v, _, err := imported(s, a.Field, a.Data())
		if err != nil {
			return nil, err
		}
		return nullAnswer(v.Children()[0], true)
	}
	return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
}

// nullStep answers is_null and is_not_null, and for null_counts the physical and the logical count.
func nullStep(s *conformance.Step, a conformance.Array) (any, error) {
	if err := s.Only(); err != nil {
		return nil, err
	}
	v, err := types.ImportData(a.Data(), types.ImportOptions{})
	if err != nil {
		return nil, err
	}
	if s.Op == "null_counts" {
		raw, err := conformance.Import(a)
		return []int{types.PhysicalNullCount(raw), types.NullCount(nil, v)}, err
	}
	return nullAnswer(v, s.Op == "is_null")
}

// nullAnswer gives IS NULL, or IS NOT NULL, of each row.
func nullAnswer(v *types.Vector, null bool) (any, error) {
	valid := types.LogicalValidity(nil, v)
	answer := make(types.Bitmap, types.BitmapWords(v.Len()))
	for i := range v.Len() {
		if valid.Has(i) != null {
			answer.Set(i)
		}
	}
	return exported(types.NewBool(answer, v.Len(), nil), arrow.Field{Type: arrow.FixedWidthTypes.Boolean}, types.ExportOptions{})
}

func exported(v *types.Vector, f arrow.Field, opts types.ExportOptions) (any, error) {
	arr, err := types.Export(v, f.Type, opts)
	if err != nil {
		return nil, err
	}
	return conformance.Array{Field: f, Chunks: []arrow.ArrayData{arr.Data()}}, nil
}

// equalStep compares columns of tables, which have the nullability of their fields.
func equalStep(s *conformance.Step, a conformance.Array) (any, error) {
	b, err := s.Array(1)
	if err != nil {
		return nil, err
	}
	if err := s.Only("IgnoreFieldNullability", "IgnoreEncoding", "IgnoreUnionNullVariant", "NaNEqual", "BitwiseFloats", "DictIdentity", "CheckMetadata"); err != nil {
		return nil, err
	}
	return types.EqualTables(tableOf(a), tableOf(b), types.EqualOptions{
		IgnoreFieldNullability: s.Flag("IgnoreFieldNullability"), IgnoreEncoding: s.Flag("IgnoreEncoding"),
		IgnoreUnionNullVariant: s.Flag("IgnoreUnionNullVariant"), NaNEqual: s.Flag("NaNEqual"), BitwiseFloats: s.Flag("BitwiseFloats"),
		DictIdentity: s.Flag("DictIdentity"), CheckMetadata: s.Flag("CheckMetadata"), Layout: s.Op == "identical",
	}), nil
}

func tableOf(a conformance.Array) arrow.Table {
	chunks := make([]arrow.Array, len(a.Chunks))
	for i, data := range a.Chunks {
		chunks[i] = array.MakeFromData(data)
	}
	chunked := arrow.NewChunked(a.Field.Type, chunks)
	column := arrow.NewColumn(a.Field, chunked)
	return array.NewTable(arrow.NewSchema([]arrow.Field{a.Field}, nil), []arrow.Column{*column}, int64(chunked.Len()))
}

var levels = map[string]types.ValidateLevel{
	"L0": types.ValidateLayout, "L1": types.ValidateContents, "L2": types.ValidateNulls, "L3": types.ValidateStrict,
}

func validateStep(s *conformance.Step, a conformance.Array) (any, error) {
	level, ok := levels[s.Text("level")]
	if !ok {
		return nil, fmt.Errorf("unknown level %q", s.Text("level"))
	}
	err := types.Validate(a.Field, a.Data(), level)
	return err == nil, err
}

func sanitizeStep(a conformance.Array) (any, error) {
	a.Field.Name = "column"
	column := array.MakeFromData(a.Data())
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{a.Field}, nil), []arrow.Array{column}, int64(column.Len()))
	clean, err := types.SanitizeBatch(batch)
	if err != nil {
		return nil, err
	}
	a.Field.Name = ""
	return conformance.Array{Field: a.Field, Chunks: []arrow.ArrayData{clean.Column(0).Data()}}, nil
}

var unionImports = map[string]types.UnionImport{"": types.UnionAuto, "auto": types.UnionAuto, "lift": types.UnionLift, "tagged": types.UnionTagged}

// imported imports an array as the step's option mode says: auto follows the field's metadata.
func imported(s *conformance.Step, f arrow.Field, data arrow.ArrayData) (*types.Vector, types.Field, error) {
	mode, ok := unionImports[s.Text("mode")]
	if !ok {
		return nil, types.Field{}, fmt.Errorf("unknown mode %q", s.Text("mode"))
	}
	declared, err := types.ImportField(f)
	if err != nil {
		return nil, declared, err
	}
	if mode != types.UnionAuto {
		v, err := types.ImportData(data, types.ImportOptions{Unions: mode})
		if err != nil {
			return nil, declared, err
		}
		declared.Nullable, declared.Type = declared.Nullable && mode != types.UnionTagged, v.Type()
		return v, declared, nil
	}
	v, err := types.ImportData(data, types.ImportOptions{Type: declared.Type})
	return v, declared, err
}

// importStep gives the union with outer validity that an Arrow union becomes.
func importStep(s *conformance.Step, a conformance.Array) (any, error) {
	if err := s.Only("mode", "nullunion"); err != nil {
		return nil, err
	}
	if text := s.Text("nullunion"); text != "" {
		a.Field.Metadata = arrow.MetadataFrom(map[string]string{"nullunion": text})
	}
	v, declared, err := imported(s, a.Field, a.Data())
	if err != nil {
		return nil, err
	}
	return withOuterValidity(v, declared.Nullable)
}

// withOuterValidity gives a union vector in the form that says apart which rows are null.
func withOuterValidity(v *types.Vector, nullable bool) (any, error) {
	plain, ok := types.ExportType(v.Type(), types.ExportOptions{Unions: types.UnionInPlace}).(arrow.UnionType)
	if !ok {
		return nil, fmt.Errorf("%s is no union", v.Type())
	}
	return exported(v, arrow.Field{Type: types.NullableUnionOf(plain, v.Type().Tagged()), Nullable: nullable}, types.ExportOptions{})
}

var unionPolicies = map[string]types.UnionPolicy{
	"": types.UnionDefault, "Keep": types.UnionKeep, "NullVariant": types.UnionNullVariant, "ValidityStruct": types.UnionValidityStruct,
	"Variant": types.UnionVariant, "WidenAll": types.UnionWidenAll, "InPlace": types.UnionInPlace, "Forbid": types.UnionForbid,
}

// exportColumn exports a union with outer validity by the step's policy, and gives the field with its metadata.
func exportColumn(s *conformance.Step, a conformance.Array) (arrow.Field, arrow.ArrayData, error) {
	policy, ok := unionPolicies[s.Text("policy")]
	if !ok {
		return arrow.Field{}, nil, fmt.Errorf("unknown policy %q", s.Text("policy"))
	}
	v, err := types.ImportData(a.Data(), types.ImportOptions{})
	if err != nil {
		return arrow.Field{}, nil, err
	}
	opts := types.ExportOptions{Unions: policy, UnionCode: int8(s.Number("code")), AllowLossy: s.Flag("allow_lossy")}
	f := types.ExportField(types.Field{Type: v.Type(), Nullable: a.Field.Nullable}, opts)
	batch, err := types.ExportBatch(types.NewBatch([]*types.Vector{v}, v.Len(), 0), arrow.NewSchema([]arrow.Field{f}, nil), opts)
	if err != nil {
		return f, nil, err
	}
	return f, batch.Column(0).Data(), nil
}

// exportStep gives the Arrow array that a union with outer validity becomes; also read back, or asked which rows are null then.
func exportStep(s *conformance.Step, a conformance.Array) (any, error) {
	if err := s.Only("policy", "code", "allow_lossy", "mode"); err != nil {
		return nil, err
	}
	f, data, err := exportColumn(s, a)
	if err != nil {
		return nil, err
	}
	if s.Op == "export" {
		f.Metadata = arrow.Metadata{}
		return conformance.Array{Field: f, Chunks: []arrow.ArrayData{data}}, nil
	}
	v, declared, err := imported(s, f, data)
	if err != nil {
		return nil, err
	}
	if s.Op == "export_import_is_null" {
		return nullAnswer(v, true)
	}
	return withOuterValidity(v, declared.Nullable)
}

// importExportStep reports whether an array that was imported and exported to its own type is the same memory again.
func importExportStep(s *conformance.Step, a conformance.Array) (any, error) {
	if err := s.Only("policy", "mode"); err != nil {
		return nil, err
	}
	v, _, err := imported(s, a.Field, a.Data())
	if err != nil {
		return nil, err
	}
	out, err := types.Export(v, a.Field.Type, types.ExportOptions{Unions: unionPolicies[s.Text("policy")]})
	return err == nil && sameMemory(out.Data(), a.Data()), err
}

func changeNullability(s *conformance.Step, a conformance.Array) (arrow.Field, arrow.Array, error) {
	if err := s.Only("widen_all", "paths"); err != nil {
		return arrow.Field{}, nil, err
	}
	in := array.MakeFromData(a.Data())
	switch s.Op {
	case "optional":
		return types.Optional(a.Field, in, types.OptionalOptions{WidenAll: s.Flag("widen_all")})
	case "required":
		return types.Required(a.Field, in)
	case "required_deep":
		return types.RequiredDeep(a.Field, in, s.Texts("paths")...)
	}
	return types.IgnoreValidity(a.Field, in)
}

// backAgainStep makes an array optional, then required, and perhaps exports the union that it has become, and reports whether that is the same array again.
func backAgainStep(s *conformance.Step, a conformance.Array) (any, error) {
	if err := s.Only("policy"); err != nil {
		return nil, err
	}
	f, out, err := types.Optional(a.Field, array.MakeFromData(a.Data()), types.OptionalOptions{})
	if err != nil {
		return nil, err
	}
	if f, out, err = types.Required(f, out); err != nil {
		return nil, err
	}
	b := conformance.Array{Field: f, Chunks: []arrow.ArrayData{out.Data()}}
	if s.Op == "optional_required_export_identical" {
		var data arrow.ArrayData
		if b.Field, data, err = exportColumn(s, b); err != nil {
			return nil, err
		}
		b.Chunks = []arrow.ArrayData{data}
	}
	return types.EqualTables(tableOf(a), tableOf(b), types.EqualOptions{Layout: true}), nil
}

func sameMemory(a, b arrow.ArrayData) bool {
	if a.Len() != b.Len() || a.Offset() != b.Offset() || !slices.Equal(a.Buffers(), b.Buffers()) || len(a.Children()) != len(b.Children()) {
		return false
	}
	for i, child := range a.Children() {
		if !sameMemory(child, b.Children()[i]) {
			return false
		}
	}
	return true
}
