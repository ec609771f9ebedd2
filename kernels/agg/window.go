package agg

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// registerWindow adds the functions that only windows have. They have no accumulators: execution knows their kinds.
func registerWindow(set *expr.Set) {
	for _, f := range []struct {
		name                 string
		kind                 expr.WindowKind
		result               types.Type
		description, example string
	}{
		{"row_number", expr.RowNumber, types.BigInt, "The number of the row in its partition, counted from 1.",
			"row_number() OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 1"},
		{"rank", expr.Rank, types.BigInt, "One more than the number of rows before the row's peers.",
			"rank() OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 1"},
		{"dense_rank", expr.DenseRank, types.BigInt, "One more than the number of groups of peers before the row.",
			"dense_rank() OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 1"},
		{"percent_rank", expr.PercentRank, types.Double, "(rank - 1) / (rows of the partition - 1); 0 in a partition of one row.",
			"percent_rank() OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 0.0"},
		{"cume_dist", expr.CumeDist, types.Double, "The share of the partition's rows that come before the row or are its peers.",
			"cume_dist() OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 1.0"},
	} {
		family := &expr.Family{
			Name:        f.name,
			BindWindow:  bindRank(f.name, f.kind, f.result),
			Signatures:  []string{f.name + "() -> " + f.result.String()},
			Description: f.description,
			Example:     f.example,
		}
		if f.kind == expr.DenseRank {
			family.Aliases = []string{"rank_dense"}
		}
		set.MustAdd(family)
	}
	set.MustAdd(&expr.Family{
		Name: "ntile",
		BindWindow: func(args []expr.Arg) (*expr.WindowFunction, error) {
			if len(args) != 1 || !isCount(args[0].Type) {
				return nil, nil
			}
			return &expr.WindowFunction{Name: "ntile", Kind: expr.Ntile, Args: []types.Type{types.BigInt}, Result: types.BigInt}, nil
		},
		Signatures:  []string{"ntile(buckets BIGINT) -> BIGINT"},
		Description: "The number, from 1, of the row's bucket when the partition is cut into so many buckets whose sizes differ by at most one, the larger ones first.",
		Example:     "ntile(4) OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 1",
	},
		offsetFamily("lag", expr.Lag, "before"), offsetFamily("lead", expr.Lead, "after"),
		valueFamily("first_value", expr.FirstValue, "first", "first"), valueFamily("last_value", expr.LastValue, "last", "last"),
		&expr.Family{
			Name:    "nth_value",
			Aliases: []string{"nth"},
			BindWindow: func(args []expr.Arg) (*expr.WindowFunction, error) {
				if len(args) != 2 || !isCount(args[1].Type) {
					return nil, nil
				}
				t := args[0].Type
				return &expr.WindowFunction{Name: "nth_value", Kind: expr.NthValue, Args: []types.Type{t, types.BigInt}, Result: t, Nullable: true}, nil
			},
			Signatures:  []string{"nth_value(x ANY, n BIGINT)"},
			Description: "The value of row number n, counted from 1, of the frame; NULL where the frame has fewer.",
			Example:     "nth_value(x, 1) OVER () FROM (VALUES (7)) t(x) = 7",
		})
}

// isCount reports a type that is taken where a function counts rows.
func isCount(t types.Type) bool { return t.IsInteger() || t.Kind() == types.KindNull }

func bindRank(name string, kind expr.WindowKind, result types.Type) func([]expr.Arg) (*expr.WindowFunction, error) {
	return func(args []expr.Arg) (*expr.WindowFunction, error) {
		if len(args) > 0 {
			return nil, nil
		}
		return &expr.WindowFunction{Name: name, Kind: kind, Result: result}, nil
	}
}

// offsetFamily makes lag and lead.
func offsetFamily(name string, kind expr.WindowKind, where string) *expr.Family {
	return &expr.Family{
		Name: name,
		BindWindow: func(args []expr.Arg) (*expr.WindowFunction, error) {
			if len(args) < 1 || len(args) > 3 || len(args) > 1 && !isCount(args[1].Type) {
				return nil, nil
			}
			t := args[0].Type
			if len(args) == 3 {
				var err error
				if t, err = expr.CommonTypeOf(args[0], args[2]); err != nil {
					return nil, err
				}
			}
			one := expr.NewConstant(types.NewFixed(types.BigInt, []int64{1}, nil))
			return &expr.WindowFunction{
				Name: name, Kind: kind, Args: []types.Type{t, types.BigInt, t}, Defaults: []*expr.Expr{one, expr.NewNull(t)}, Result: t,
			}, nil
		},
		Signatures: []string{name + "(x ANY, offset BIGINT = 1, default ANY = NULL)"},
		Description: "The value of the row of the partition that comes so many rows " + where + " this one; the default where there is none. " +
			"A negative offset counts the other way.",
		Example: name + "(x, 1, 9) OVER (ORDER BY x) FROM (VALUES (7)) t(x) = 9",
	}
}

// valueFamily makes first_value and last_value.
func valueFamily(name string, kind expr.WindowKind, which, alias string) *expr.Family {
	return &expr.Family{
		Name: name,
		BindWindow: func(args []expr.Arg) (*expr.WindowFunction, error) {
			if len(args) != 1 {
				return nil, nil
			}
			t := args[0].Type
			return &expr.WindowFunction{Name: name, Kind: kind, Args: []types.Type{t}, Result: t, Nullable: true}, nil
		},
		Signatures:  []string{name + "(x ANY)"},
		Description: "The value of the " + which + " row of the frame; NULL for an empty frame. As a window function, " + alias + " is the same.",
		Example:     name + "(x) OVER () FROM (VALUES (7)) t(x) = 7",
	}
}
