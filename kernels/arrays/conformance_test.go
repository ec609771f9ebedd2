package arrays

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of null-semantics section 3 that are about the verbs of this package. Field, type and encoding of a result are compared as they
// come out of the verb. See the README.md of the cases.
func TestConformance(t *testing.T) {
	conformance.Run(t, "../../types/testdata/conformance", "kernels/arrays", conformanceStep)
}

// conformanceVerb is an operation with its options beside those that all have.
type conformanceVerb struct {
	options []string
	run     func(s *conformance.Step, args []Column, o Options) (any, error)
}

// on makes an operation of a verb of one, two or three columns.
func on(verb func(args []Column, o Options) (Column, error), options ...string) conformanceVerb {
	return conformanceVerb{options, func(_ *conformance.Step, args []Column, o Options) (any, error) { return verb(args, o) }}
}

var conformanceVerbs = map[string]conformanceVerb{
	"is_null":             on(func(args []Column, o Options) (Column, error) { return IsNull(args[0], o) }, "NanIsNull"),
	"is_not_null":         on(func(args []Column, o Options) (Column, error) { return IsNotNull(args[0], o) }, "NanIsNull"),
	"union_value_is_null": on(func(args []Column, o Options) (Column, error) { return UnionValueIsNull(args[0], o) }),
	"is_null_deep":        on(func(args []Column, o Options) (Column, error) { return IsNullDeep(args[0], o) }),
	"mask": {[]string{"literal", "null_condition"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		if s.Flag("literal") {
			args[1] = repeat(slice(args[1], 0, 1), args[1].Len())
		}
		return Mask(args[0], args[1], o)
	}},
	"struct_field": {[]string{"field"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		return StructField(args[0], s.Text("field"), o)
	}},
	"with_validity": on(func(args []Column, o Options) (Column, error) { return WithValidity(args[0], args[1], o) }),
	"take":          on(func(args []Column, o Options) (Column, error) { return Take(args[0], args[1], o) }, "run_end_widen"),
	"filter": {[]string{"nulls"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		nulls := SelectionDrop
		if s.Text("nulls") == "emit" {
			nulls = SelectionEmit
		}
		return Filter(args[0], args[1], nulls, o)
	}},
	"cast": {[]string{"to", "mode", "dict_key_widen"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		to, err := conformance.ParseType(s.Text("to"))
		if err != nil {
			return nil, err
		}
		return Cast(args[0], to, o)
	}},
	"compare": {[]string{"operator", "float_mode"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		for op := kernels.Equal; op <= kernels.GreaterEqual; op++ {
			if op.String() == s.Text("operator") {
				return Compare(op, args[0], args[1], o)
			}
		}
		return nil, fmt.Errorf("unknown operator %q", s.Text("operator"))
	}},
	"is_distinct": on(func(args []Column, o Options) (Column, error) { return IsDistinct(args[0], args[1], o) }),
	"same_hashes": {nil, conformanceHashes},
	"sort": {[]string{"descending"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		order, err := SortIndices(o, SortKey{Column: args[0], Descending: s.Flag("descending")})
		if err != nil {
			return nil, err
		}
		defer order.Release()
		return Take(args[0], order, o)
	}},
	"count": {nil, func(_ *conformance.Step, args []Column, _ Options) (any, error) {
		nulls, err := args[0].NullCount()
		return args[0].Len() - nulls, err
	}},
	"coalesce": {[]string{"literal"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		if last := len(args) - 1; s.Flag("literal") {
			args[last] = repeat(slice(args[last], 0, 1), args[last].Len())
		}
		return Coalesce(o, args...)
	}},
	"fill_null": on(func(args []Column, o Options) (Column, error) {
		if args[0].Len() == 0 {
			return FillNull(args[0], slice(args[1], 0, 0), o)
		}
		return FillNull(args[0], repeat(args[1], args[0].Len()), o)
	}, "dict_key_widen"),
	"fill_null_forward": {[]string{"limit"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		return FillForward(args[0], s.Number("limit"), o)
	}},
	"fill_null_backward": {[]string{"limit"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		return FillBackward(args[0], s.Number("limit"), o)
	}},
	"if_else": on(func(args []Column, o Options) (Column, error) { return IfElse(args[0], args[1], args[2], o) }),
	"case_when": on(func(args []Column, o Options) (Column, error) {
		return CaseWhen([]Case{{args[0], args[1]}}, &args[2], o)
	}),
	"nullif": on(func(args []Column, o Options) (Column, error) { return NullIf(args[0], args[1], o) }),
	"optional": on(func(args []Column, _ Options) (Column, error) {
		f, a, err := types.Optional(args[0].Field, args[0].Array, types.OptionalOptions{})
		return Column{Field: f, Array: a}, err
	}),
	// A record batch that comes through the C data interface is a struct array, which may have a bitmap of its own.
	"c_data_import": {[]string{"column"}, func(s *conformance.Step, args []Column, o Options) (any, error) {
		batch, err := StructBatch(args[0], o)
		if err != nil {
			return nil, err
		}
		c := ColumnOf(batch, s.Number("column"))
		c.Field.Name = ""
		return c, nil
	}},
	"concat": on(func(args []Column, o Options) (Column, error) { return Concat(o, args...) }),
}

func conformanceStep(s *conformance.Step) (any, error) {
	verb, ok := conformanceVerbs[s.Op]
	if !ok {
		return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
	}
	if err := s.Only(slices.Concat(verb.options, []string{"policy", "code", "type", "layout"})...); err != nil {
		return nil, err
	}
	o, err := conformanceOptions(s)
	if err != nil {
		return nil, err
	}
	args := make([]Column, len(s.Args))
	for i := range s.Args {
		a, err := s.Array(i)
		if err != nil {
			return nil, err
		}
		chunks := make([]arrow.Array, len(a.Chunks))
		for k, data := range a.Chunks {
			chunks[k] = array.MakeFromData(data)
		}
		if args[i], err = OfChunks(a.Field, arrow.NewChunked(a.Field.Type, chunks)); err != nil {
			return nil, err
		}
	}
	got, err := verb.run(s, args, o)
	if c, ok := got.(Column); ok && err == nil {
		return conformance.Array{Field: c.Field, Chunks: []arrow.ArrayData{c.Array.Data()}}, nil
	}
	return got, err
}

// conformanceOptions reads the options of a step.
func conformanceOptions(s *conformance.Step) (Options, error) {
	policies := map[string]UnionNulls{
		"": UnionAuto, "Auto": UnionAuto, "NullVariant": UnionNullVariant, "Variant": UnionVariant, "InPlace": UnionInPlace, "WidenAll": UnionWidenAll,
		"AddNullVariant": UnionAddNullVariant, "OutputType": UnionOutputType, "Promote": UnionPromote, "Error": UnionError,
	}
	conditions := map[string]NullCondition{"": ConditionKeep, "Keep": ConditionKeep, "Null": ConditionNull, "Error": ConditionError}
	modes := map[string]CastMode{"": CastStrict, "Strict": CastStrict, "Try": CastTry, "TryBubble": CastTryBubble, "Wrap": CastWrap}
	floats := map[string]kernels.FloatMode{"": kernels.FloatsSQL, "SQL": kernels.FloatsSQL, "IEEE": kernels.FloatsIEEE, "TotalOrder": kernels.FloatsTotalOrder}
	o := Options{WidenKeys: s.Flag("dict_key_widen"), UnionCode: arrow.UnionTypeCode(s.Number("code")), KeepRunEnds: string(s.Options["run_end_widen"]) == "false", NaNIsNull: s.Flag("NanIsNull")}
	var known [4]bool
	o.Unions, known[0] = policies[s.Text("policy")]
	o.Conditions, known[1] = conditions[s.Text("null_condition")]
	o.Mode, known[2] = modes[s.Text("mode")]
	o.Floats, known[3] = floats[s.Text("float_mode")]
	if slices.Contains(known[:], false) {
		return o, fmt.Errorf("unknown option value in %v", s.Options)
	}
	if text := s.Text("type"); text != "" {
		f, err := conformance.ParseType(text)
		if err != nil {
			return o, err
		}
		o.UnionType = f.Type.(arrow.UnionType)
	}
	return o, nil
}

func conformanceHashes(_ *conformance.Step, args []Column, o Options) (any, error) {
	var first []uint64
	for i, c := range args {
		h, err := Hash(c, o)
		if err != nil {
			return nil, err
		}
		values := h.Array.(*array.Uint64).Uint64Values()
		if i == 0 {
			first = values
		} else if !slices.Equal(first, values) {
			return false, nil
		}
	}
	return true, nil
}
