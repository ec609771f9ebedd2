package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// TestRangeJoins compares joins by ranges with the same joins that test every pair, on intervals that overlap or do not, ascending or not, of several types.
func TestRangeJoins(t *testing.T) {
	ops := map[string]kernels.CompareOp{"lt": kernels.Less, "le": kernels.LessEqual, "gt": kernels.Greater, "ge": kernels.GreaterEqual}
	names := []string{"lt", "le", "gt", "ge"}
	values := map[string]struct {
		typ  types.Type
		make func(i int) any
	}{
		"INTEGER":  {types.Integer, func(i int) any { return int32(i - 20) }},
		"UBIGINT":  {types.UBigInt, func(i int) any { return uint64(i) << 58 }},
		"DOUBLE":   {types.Double, func(i int) any { return []any{nan, negativeZero, 0.0, -1.5, 7.0, otherNaN}[i%6] }},
		"FLOAT":    {types.Float, func(i int) any { return float32(i) - 9.5 }},
		"VARCHAR":  {types.Varchar, func(i int) any { return fmt.Sprintf("%02d is the number of this text", i) }},
		"DECIMAL":  {types.Decimal(30, 2), func(i int) any { return fmt.Sprintf("%d.25", i-20) }},
		"BOOLEAN":  {types.Boolean, func(i int) any { return i%2 == 0 }},
		"INTERVAL": {types.Interval, func(i int) any { return types.MonthDayNano{Months: int32(i % 2), Days: int32(i)} }},
	}
	for name, v := range values {
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 5))
			schema := types.Schema{{Name: "a", Type: v.typ, Nullable: true}, {Name: "b", Type: v.typ, Nullable: true}, {Name: "i", Type: types.Integer}}
			table := func(n int) *fakeTable {
				apart, falls, nulls := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2)*r.IntN(8)
				rows := make([][]any, n)
				for i := range rows {
					low := r.IntN(40)
					if apart {
						low = i % 20 * 2
					}
					high := low + 1 + r.IntN(3)
					if falls {
						high = 43 - low
					}
					rows[i] = []any{v.make(low), v.make(high), int32(i)}
					for c := range 2 {
						if r.IntN(20) < nulls {
							rows[i][c] = nil
						}
					}
				}
				return newTable(t, schema, rows)
			}
			lt, rt := table(r.IntN(50)), table(r.IntN(50))
			l, rs := scanOf(lt), scanOf(rt)
			both := func(c int) *expr.Expr { return right(l, rs, c) }
			var ranges []plan.JoinRange
			for c := range 1 + r.IntN(2) {
				op := names[r.IntN(4)]
				of := c * r.IntN(2)
				ranges = append(ranges, plan.JoinRange{
					Op: ops[op], Left: column(l, of), Right: column(rs, c), Condition: call(op, column(l, of), both(c)),
				})
			}
			var condition *expr.Expr
			if r.IntN(2) == 0 {
				condition = call("ne", call("mod", column(l, 2), constant(types.Integer, 3)), call("mod", both(2), constant(types.Integer, 3)))
			}
			kind := []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.RightJoin, plan.FullJoin, plan.SemiJoin, plan.AntiJoin}[r.IntN(6)]
			byRange := crossOf(kind, l, rs, condition).(*plan.LoopJoin)
			byRange.Ranges = ranges
			whole := condition
			for _, x := range ranges {
				if whole = x.Condition; condition != nil {
					whole = expr.NewAnd(whole, condition)
				}
				condition = whole
			}
			want, err := newRun(1, 0).rows(t, crossOf(kind, l, rs, whole))
			if err != nil {
				t.Fatal(err)
			}
			got, err := newRun(2, 1+r.IntN(20)).rows(t, byRange)
			if err != nil {
				t.Fatal(err)
			}
			sortRowsOf(got)
			sortRowsOf(want)
			if d := difference(got, want); d != "" {
				t.Errorf("%s, seed %d, %v with %d ranges: %s", name, seed, kind, len(ranges), d)
			}
		}
	}
}
