package kernels

import (
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of null-semantics section 3 that are about kernels. A kernel's union has outer nulls; where a case asks
// for an Arrow union, the result is exported by the policy that the case names. See the README.md of the cases.
func TestConformance(t *testing.T) {
	conformance.Run(t, "../types/testdata/conformance", "kernels", conformanceStep)
}

// conformanceKernels are the operations with their options; arguments are as long as the result unless the operation says otherwise.
var conformanceKernels = map[string]struct {
	options []string
	run     func(env *Env, s *conformance.Step, args []*types.Vector) (any, error)
}{
	"is_null": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return IsNull(env, args[0]), nil
	}},
	"mask": {[]string{"literal"}, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return Mask(env, args[0], args[1])
	}},
	"struct_field": {[]string{"field"}, conformanceField},
	"take":         {nil, conformanceTake},
	"filter":       {[]string{"nulls"}, conformanceFilter},
	"cast":         {[]string{"to", "mode"}, conformanceCast},
	"compare":      {[]string{"operator", "float_mode"}, conformanceCompare},
	"is_distinct": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return IsDistinct(env, args[0], args[1])
	}},
	"group":       {nil, conformanceGroups},
	"same_hashes": {nil, conformanceHashes},
	"sort":        {[]string{"descending"}, conformanceSort},
	"in": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return NewInSet(args[1]).Contains(env, args[0])
	}},
	"not_in": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		found, err := NewInSet(args[1]).Contains(env, args[0])
		if err != nil {
			return nil, err
		}
		return Not(env, found)
	}},
	"equi_join_matches": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		equal, err := Compare(env, Equal, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return TrueRows(env, equal).NextSet(0, 1) == 0, nil
	}},
	"count": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return args[0].Len() - types.NullCount(nil, args[0]), nil
	}},
	"coalesce": {[]string{"literal"}, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return Coalesce(env, args...)
	}},
	"fill_null": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return Coalesce(env, args[0], types.NewConstant(args[1], args[0].Len()))
	}},
	"case_when": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return IfElse(env, TrueRows(env, args[0]), args[1], args[2])
	}},
	"nullif": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		b, err := intoUnion(env, args[0], args[1])
		if err != nil {
			return nil, err
		}
		return NullIf(env, args[0], b)
	}},
	"concat": {nil, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		if !args[0].Type().Equal(args[1].Type()) {
			return nil, fmt.Errorf("%w: concat takes vectors of one type, the binder makes it", conformance.ErrNotYet)
		}
		return Concat(env, args), nil
	}},
	"import_mask_export": {[]string{"mode"}, func(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
		return Mask(env, args[0], args[1])
	}},
	"equal": {nil, func(_ *Env, s *conformance.Step, _ []*types.Vector) (any, error) {
		var v [2]*types.Vector
		for i := range v {
			a, err := s.Array(i)
			if err != nil {
				return nil, err
			}
			if v[i], err = conformance.Import(a); err != nil {
				return nil, err
			}
		}
		return types.Equal(v[0], v[1]), nil
	}},
}

func conformanceStep(s *conformance.Step) (any, error) {
	kernel, ok := conformanceKernels[s.Op]
	if !ok {
		return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
	}
	if err := s.Only(append(kernel.options, "policy", "code", "type", "layout")...); err != nil {
		return nil, err
	}
	env := &Env{Pool: types.NewPool()}
	args := make([]*types.Vector, len(s.Args))
	for i := range s.Args {
		a, err := s.Array(i)
		if err != nil {
			return nil, err
		}
		if args[i], err = conformanceVector(env, a); err != nil {
			return nil, err
		}
	}
	got, err := kernel.run(env, s, args)
	if v, ok := got.(*types.Vector); ok && err == nil {
		return conformanceResult(s, v)
	}
	return got, err
}

// conformanceVector imports an argument as the engine does, and lays chunks end to end.
func conformanceVector(env *Env, a conformance.Array) (*types.Vector, error) {
	f, err := types.ImportField(a.Field)
	if err != nil {
		return nil, err
	}
	chunks := make([]*types.Vector, len(a.Chunks))
	for i, data := range a.Chunks {
		if chunks[i], err = types.ImportData(data, types.ImportOptions{Type: f.Type}); err != nil {
			return nil, err
		}
	}
	if len(chunks) == 1 {
		return chunks[0], nil
	}
	return Concat(env, chunks), nil
}

var conformancePolicies = map[string]types.UnionPolicy{
	"WidenAll": types.UnionWidenAll, "AddNullVariant": types.UnionNullVariant, "Variant": types.UnionVariant, "InPlace": types.UnionInPlace,
	"Keep": types.UnionKeep, "": types.UnionKeep, "Auto": types.UnionKeep, "OutputType": types.UnionKeep, "Promote": types.UnionValidityStruct, "Error": types.UnionForbid,
}

// conformanceResult exports a result as the wanted type, after a look at its own: only a union policy may make another one of it.
func conformanceResult(s *conformance.Step, v *types.Vector) (any, error) {
	policy, ok := conformancePolicies[s.Text("policy")]
	if !ok {
		return nil, fmt.Errorf("%w: policy %s", conformance.ErrNotYet, s.Text("policy"))
	}
	opts := types.ExportOptions{Unions: policy, UnionCode: int8(s.Number("code"))}
	want, err := conformance.ParseArray(s.Want)
	if err != nil { // an error is wanted
		if want.Field, err = unwantedField(s); err != nil {
			return nil, err
		}
	} else if declared, err := types.ImportField(want.Field); err != nil {
		return nil, err
	} else if s.Text("policy") == "" && !v.Type().Equal(declared.Type) {
		return nil, fmt.Errorf("got type %s, want %s", v.Type(), declared.Type)
	}
	f := want.Field
	opts.DenseUnions = f.Type.ID() == arrow.DENSE_UNION
	switch policy {
	case types.UnionWidenAll, types.UnionNullVariant, types.UnionVariant:
		f = types.ExportField(types.Field{Type: v.Type(), Nullable: true}, opts)
		f.Metadata = arrow.Metadata{}
	}
	arr, err := types.Export(v, f.Type, opts)
	if err != nil {
		return nil, err
	}
	return conformance.Array{Field: f, Chunks: []arrow.ArrayData{arr.Data()}}, nil
}

// unwantedField gives the field of a result that the case says is impossible: of the target of a cast, of a part of the first argument, or of that
// argument.
func unwantedField(s *conformance.Step) (arrow.Field, error) {
	if to := s.Text("to"); to != "" {
		return conformance.ParseType(to)
	}
	a, err := s.Array(0)
	if err != nil {
		return arrow.Field{}, err
	}
	if name := s.Text("field"); name != "" {
		parent := a.Field.Type.(*arrow.StructType)
		f, _ := parent.FieldByName(name)
		f.Name = ""
		return f, nil
	}
	return a.Field, nil
}

func conformanceField(env *Env, s *conformance.Step, args []*types.Vector) (any, error) {
	parent := Decode(env, args[0])
	for i, f := range parent.Type().Fields() {
		if f.Name == s.Text("field") {
			return Mask(env, parent.Children()[i], IsNull(env, parent))
		}
	}
	return nil, fmt.Errorf("no field %q", s.Text("field"))
}

func conformanceTake(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
	wide, err := Cast(env, args[1], types.BigInt)
	if err != nil {
		return nil, fmt.Errorf("%w: indices of more than 63 bits", conformance.ErrNotYet)
	}
	wide = Decode(env, wide)
	indices := make([]uint32, wide.Len())
	for i, x := range types.ValuesOf[int64](wide)[:wide.Len()] {
		indices[i] = uint32(min(uint64(x), 1<<32-1))
	}
	if err := CheckIndices(indices, wide.Validity(), args[0].Len()); err != nil {
		return nil, err
	}
	return Take(env, args[0], indices, wide.Validity()), nil
}

func conformanceFilter(env *Env, s *conformance.Step, args []*types.Vector) (any, error) {
	if s.Text("nulls") != "drop" {
		return nil, fmt.Errorf("%w: filter that keeps rows whose selection is null", conformance.ErrNotYet)
	}
	if err := sameLength(args[0], args[1]); err != nil {
		return nil, err
	}
	selection := TrueRows(env, args[1])
	return Filter(env, args[0], selection, selection.Count(args[1].Len())), nil
}

// conformanceCast casts to a type that may be an encoding, and may be required.
func conformanceCast(env *Env, s *conformance.Step, args []*types.Vector) (any, error) {
	to, err := conformance.ParseType(s.Text("to"))
	if err != nil {
		return nil, err
	}
	target, err := types.ImportField(to)
	if err != nil {
		return nil, err
	}
	switch mode := s.Text("mode"); mode {
	case "Strict":
	case "Try":
		env.Try = true
	default:
		return nil, fmt.Errorf("%w: cast in mode %s", conformance.ErrNotYet, mode)
	}
	v, err := Cast(env, args[0], target.Type)
	if err != nil {
		return nil, err
	}
	if err := types.CheckRequired(env.Pool, v, target); err != nil {
		return nil, err
	}
	switch to.Type.ID() {
	case arrow.DICTIONARY:
		return DictionaryEncode(env, v), nil
	case arrow.RUN_END_ENCODED:
		return RunEndEncode(env, v), nil
	}
	return v, nil
}

// intoUnion brings a value that is compared with a union into the variant that takes it.
func intoUnion(env *Env, a, b *types.Vector) (*types.Vector, error) {
	if a.Type().Kind() != types.KindUnion || b.Type().Kind() == types.KindUnion {
		return b, nil
	}
	return Cast(env, b, a.Type())
}

func conformanceCompare(env *Env, s *conformance.Step, args []*types.Vector) (any, error) {
	if mode := s.Text("float_mode"); mode != "" && mode != "SQL" {
		return nil, fmt.Errorf("%w: floats in mode %s", conformance.ErrNotYet, mode)
	}
	a, b := args[0], args[1]
	compare := Compare
	if a.Type().Kind() == types.KindUnion && b.Type().Kind() != types.KindUnion {
		compare = CompareWithin
		var err error
		if b, err = intoUnion(env, a, b); err != nil {
			return nil, err
		}
	}
	if !a.Type().Equal(b.Type()) && a.Type().Kind() != types.KindNull && b.Type().Kind() != types.KindNull {
		return nil, fmt.Errorf("%w: compare takes vectors of one type, the binder makes it", conformance.ErrNotYet)
	}
	for _, op := range allOps {
		if op.String() == s.Text("operator") {
			return compare(env, op, a, b)
		}
	}
	return nil, fmt.Errorf("unknown operator %q", s.Text("operator"))
}

// conformanceGroups gives each row the number of the first group that it is not distinct from. Rows of a group must hash alike.
func conformanceGroups(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
	v := args[0]
	hashes := make([]uint64, v.Len())
	Hash(env, v, hashes)
	groups := make([]int, v.Len())
	next := 0
	for i := range groups {
		groups[i] = next
		for j := range i {
			distinct, err := IsDistinct(env, v.Slice(nil, i, i+1), v.Slice(nil, j, j+1))
			if err != nil {
				return nil, err
			}
			if TrueRows(env, distinct).NextSet(0, 1) == 1 {
				groups[i] = groups[j]
				if hashes[i] != hashes[j] {
					return nil, errors.New("rows of one group hash differently")
				}
				break
			}
		}
		next = max(next, groups[i]+1)
	}
	return groups, nil
}

func conformanceHashes(env *Env, _ *conformance.Step, args []*types.Vector) (any, error) {
	first := make([]uint64, args[0].Len())
	Hash(env, args[0], first)
	for _, v := range args[1:] {
		hashes := make([]uint64, v.Len())
		Hash(env, v, hashes)
		for i := range hashes {
			if hashes[i] != first[i] {
				return false, nil
			}
		}
	}
	return true, nil
}

func conformanceSort(env *Env, s *conformance.Step, args []*types.Vector) (any, error) {
	key := SortKey{Vector: args[0], Descending: s.Flag("descending")}
	return Take(env, args[0], SortIndices(env, []SortKey{key}, args[0].Len()), nil), nil
}
