package scalar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of null-semantics section 3 that need a function of SQL or a common type. Expressions have a declared
// nullability, so that it is compared, too. See the README.md of the cases.
func TestConformance(t *testing.T) {
	set := expr.NewSet()
	scalar.Register(set)
	conformance.Run(t, "../../types/testdata/conformance", "kernels/scalar", func(s *conformance.Step) (any, error) {
		return conformanceStep(set, s)
	})
}

// conformanceFunctions gives the SQL functions of operations.
var conformanceFunctions = map[string]string{
	"is_null": "is_null", "union_value_is_null": "union_value_is_null", "is_null_deep": "is_null_deep", "is_nan": "isnan", "union_extract": "union_extract", "union_tag": "union_tag", "union_value": "union_value",
	"compare =": "eq", "compare <>": "ne", "compare <": "lt", "compare <=": "le", "compare >": "gt", "compare >=": "ge",
}

func conformanceStep(set *expr.Set, s *conformance.Step) (any, error) {
	var columns []*types.Vector
	var args []*expr.Expr
	var described []expr.Arg
	for i := range s.Args {
		a, err := s.Array(i)
		if err != nil {
			return nil, err
		}
		f, err := types.ImportField(a.Field)
		if err != nil {
			return nil, err
		}
		v, err := types.ImportData(a.Data(), types.ImportOptions{Type: f.Type})
		if err != nil {
			return nil, err
		}
		columns = append(columns, v)
		args = append(args, expr.NewColumn(i, "", f.Type, f.Nullable))
		described = append(described, expr.Arg{Type: f.Type, Name: s.Text("name")})
	}
	if s.Op == "union_extract" {
		u := args[0].Type
		for k, code := range u.Codes() {
			if int(code) == s.Number("code") {
				field, err := types.NewValue(types.Varchar, u.Fields()[k].Name)
				if err != nil {
					return nil, err
				}
				args = append(args, expr.NewConstant(field))
				described = append(described, expr.Arg{Type: types.Varchar, Constant: field})
			}
		}
	}
	name, ok := conformanceFunctions[strings.TrimSpace(s.Op+" "+s.Text("operator"))]
	var e *expr.Expr
	if s.Op == "cast" {
		to, err := conformance.ParseType(s.Text("to"))
		if err != nil {
			return nil, err
		}
		target, err := types.ImportField(to)
		if err != nil {
			return nil, err
		}
		e = expr.NewCast(args[0], target.Type, s.Text("mode") == "Try")
	} else if !ok {
		return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
	} else {
		f, err := set.Lookup(name).Bind(described)
		if err != nil {
			return nil, err
		}
		for i := range args {
			args[i] = expr.NewCast(args[i], f.Args[i], false)
		}
		e = expr.NewCall(f, args...)
	}
	if e.Type.Kind() == types.KindEnum {
		e = expr.NewCast(e, types.Varchar, false) // the names of variants
	}
	out, err := expr.NewEvaluator(expr.Compile(e), types.NewPool()).Eval(nil, types.NewBatch(columns, columns[0].Len(), 0))
	if err != nil {
		return nil, err
	}
	return conformanceResult(s, out[0], types.Field{Type: e.Type, Nullable: e.Nullable})
}

// conformanceResult exports a result; only an Arrow type that holds the same SQL type and nullability is taken from the case.
func conformanceResult(s *conformance.Step, v *types.Vector, f types.Field) (any, error) {
	want, err := conformance.ParseArray(s.Want)
	if err != nil {
		return nil, err
	}
	declared, err := types.ImportField(want.Field)
	if err != nil {
		return nil, err
	}
	if !declared.Type.Equal(f.Type) || declared.Nullable != f.Nullable {
		return nil, fmt.Errorf("got type %s, want %s", f, declared)
	}
	arr, err := types.Export(v, want.Field.Type, types.ExportOptions{})
	if err != nil {
		return nil, err
	}
	return conformance.Array{Field: want.Field, Chunks: []arrow.ArrayData{arr.Data()}}, nil
}
