package catalog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

var boundTypes = []struct {
	typ    types.Type
	values []any
}{
	{types.Integer, []any{-3, -1, 0, 1, 2, 5}},
	{types.Double, []any{-1.5, 0.0, math.Copysign(0, -1), 2.5, math.Inf(1), math.NaN()}},
	{types.Varchar, []any{"", "a", "ab", "b", "é", "a long text that is not inlined in its view"}},
	{types.Decimal(20, 2), []any{"-1.00", "0.00", "0.01", "12345678901234567.00"}},
	{types.Date, []any{time.Unix(0, 0), time.Unix(86400, 0), time.Unix(-86400*400, 0)}},
	{types.Boolean, []any{true, false}},
}

// bind makes a call; the arguments have the types that the function takes.
func bind(t *testing.T, set *expr.Set, name string, args ...*expr.Expr) *expr.Expr {
	t.Helper()
	var described []expr.Arg
	for _, a := range args {
		arg := expr.Arg{Type: a.Type}
		if a.Op == expr.Constant {
			arg.Constant = a.Value
		}
		described = append(described, arg)
	}
	f, err := set.Lookup(name).Bind(described)
	if err != nil || f == nil {
		t.Fatal(name, err)
	}
	return expr.NewCall(f, args...)
}

// randomCondition makes a condition over a column of each type, of the forms that MayMatch knows and some that it does not.
func randomCondition(t *testing.T, rng *rand.Rand, set *expr.Set, depth int) *expr.Expr {
	sub := func() *expr.Expr { return randomCondition(t, rng, set, depth-1) }
	if depth > 0 {
		switch rng.IntN(8) {
		case 0, 1:
			return expr.NewAnd(sub(), sub(), sub())
		case 2, 3:
			return expr.NewOr(sub(), sub())
		case 4:
			return bind(t, set, "not", sub())
		}
	}
	c := rng.IntN(len(boundTypes))
	column := expr.NewColumn(c, fmt.Sprintf("c%d", c), boundTypes[c].typ, true)
	if rng.IntN(4) == 0 {
		in := bind(t, set, "in", column, randomList(t, rng, c))
		if rng.IntN(2) == 0 {
			return bind(t, set, "not", in)
		}
		return in
	}
	constant := expr.NewNull(column.Type)
	if rng.IntN(10) > 0 {
		v, err := types.NewValue(column.Type, boundTypes[c].values[rng.IntN(len(boundTypes[c].values))])
		if err != nil {
			t.Fatal(err)
		}
		constant = expr.NewConstant(v)
	}
	names := []string{"eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct", "is_null", "is_not_null"}
	switch name := names[rng.IntN(len(names))]; {
	case name == "is_null", name == "is_not_null":
		return bind(t, set, name, column)
	case rng.IntN(12) == 0:
		return expr.NewBool(rng.IntN(2) == 0)
	case rng.IntN(12) == 0:
		return bind(t, set, name, column, column)
	case rng.IntN(2) == 0:
		return bind(t, set, name, constant, column)
	default:
		return bind(t, set, name, column, constant)
	}
}

// randomList makes a constant list of values of a column, sometimes with a NULL.
func randomList(t *testing.T, rng *rand.Rand, column int) *expr.Expr {
	b := boundTypes[column]
	values := make([]any, rng.IntN(4))
	for i := range values {
		if rng.IntN(10) > 0 {
			values[i] = b.values[rng.IntN(len(b.values))]
		}
	}
	return listOf(t, b.typ, values...)
}

func listOf(t *testing.T, typ types.Type, values ...any) *expr.Expr {
	v, err := types.NewValue(types.ListOf(typ), values)
	if err != nil {
		t.Fatal(err)
	}
	return expr.NewConstant(v)
}

// TestMayMatch compares MayMatch with what random conditions say on random rows: it may not deny rows of which one matches. That it denies at
// all is checked too, and for rows that are bounded tightly.
func TestMayMatch(t *testing.T) {
	set := expr.NewSet()
	scalar.Register(set)
	denied, deniable := 0, 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := rng.IntN(6)
		columns := make([]*types.Vector, len(boundTypes))
		bounds := make([]catalog.Bounds, len(boundTypes))
		unknown := make([]bool, len(boundTypes))
		for c, b := range boundTypes {
			values := make([]any, n)
			few, nulls := 1+rng.IntN(len(b.values)), rng.IntN(4)
			first := rng.IntN(len(b.values))
			for i := range values {
				if rng.IntN(4) >= nulls {
					values[i] = b.values[(first+rng.IntN(few))%len(b.values)]
				}
			}
			v, err := types.FromValues(nil, b.typ, values)
			if err != nil {
				t.Fatal(err)
			}
			columns[c] = v
			bounds[c] = boundsOf(v)
			unknown[c] = rng.IntN(8) == 0
			if rng.IntN(8) == 0 {
				bounds[c].Nulls = -1
			}
			if rng.IntN(8) == 0 {
				bounds[c].Min, bounds[c].Max = nil, nil
			}
		}
		condition := randomCondition(t, rng, set, 2)
		selected, err := expr.NewEvaluator(expr.Compile(condition), nil).Select(types.NewBatch(columns, n, 0))
		if err != nil {
			t.Fatal(err)
		}
		matches := selected.NextSet(0, n) < n
		may := catalog.MayMatch(condition, func(c int) (catalog.Bounds, bool) { return bounds[c], !unknown[c] })
		if matches && !may {
			t.Fatalf("seed %d: %s matches a row of %v, but the bounds say no", seed, condition, columns)
		}
		if !matches {
			deniable++
			if !may {
				denied++
			}
		}
	}
	if denied < deniable/4 {
		t.Errorf("only %d of %d groups without a match were recognised", denied, deniable)
	}
}

func boundsOf(v *types.Vector) catalog.Bounds {
	n := v.Len()
	b := catalog.Bounds{Rows: int64(n), Nulls: int64(types.NullCount(nil, v))}
	for i := range n {
		if v.Validity().Has(i) {
			row := types.NewConstant(v.Slice(nil, i, i+1), 1)
			if b.Min == nil || less(row, b.Min) {
				b.Min = row
			}
			if b.Max == nil || less(b.Max, row) {
				b.Max = row
			}
		}
	}
	return b
}

func less(a, b *types.Vector) bool {
	v, err := kernels.Compare(&kernels.Env{}, kernels.Less, a, b)
	return err == nil && kernels.Decode(nil, v).Bools().Get(0)
}

// TestMayMatchEdges checks single answers, so that skipping does not get lost.
func TestMayMatchEdges(t *testing.T) {
	set := expr.NewSet()
	scalar.Register(set)
	value := func(x int) *types.Vector {
		v, err := types.NewValue(types.Integer, x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	column := expr.NewColumn(0, "c", types.Integer, true)
	compare := func(name string, x int) *expr.Expr { return bind(t, set, name, column, expr.NewConstant(value(x))) }
	in := func(values ...any) *expr.Expr { return bind(t, set, "in", column, listOf(t, types.Integer, values...)) }
	tight := catalog.Bounds{Min: value(10), Max: value(20), Rows: 5, Nulls: 0}
	null := catalog.Bounds{Rows: 5, Nulls: 5}
	for _, test := range []struct {
		condition *expr.Expr
		bounds    catalog.Bounds
		want      bool
	}{
		{compare("eq", 9), tight, false},
		{compare("eq", 10), tight, true},
		{compare("eq", 20), tight, true},
		{compare("eq", 21), tight, false},
		{compare("lt", 10), tight, false},
		{compare("lt", 11), tight, true},
		{compare("le", 10), tight, true},
		{compare("le", 9), tight, false},
		{compare("gt", 20), tight, false},
		{compare("gt", 19), tight, true},
		{compare("ge", 20), tight, true},
		{compare("ge", 21), tight, false},
		{compare("ne", 10), tight, true},
		{compare("ne", 10), catalog.Bounds{Min: value(10), Max: value(10), Rows: 5, Nulls: 0}, false},
		{bind(t, set, "gt", expr.NewConstant(value(10)), column), tight, false}, // 10 > c
		{bind(t, set, "ge", expr.NewConstant(value(10)), column), tight, true},
		{compare("eq", 15), null, false},
		{compare("eq", 15), catalog.Bounds{Rows: 5, Nulls: -1}, true},
		{bind(t, set, "eq", column, expr.NewNull(types.Integer)), tight, false},
		{bind(t, set, "is_null", column), tight, false},
		{bind(t, set, "is_null", column), null, true},
		{bind(t, set, "is_not_null", column), null, false},
		{bind(t, set, "is_not_null", column), tight, true},
		{expr.NewOr(compare("lt", 5), compare("gt", 25)), tight, false},
		{expr.NewOr(compare("lt", 5), compare("gt", 15)), tight, true},
		{expr.NewAnd(compare("gt", 5), compare("gt", 25)), tight, false},
		{in(9, 21), tight, false},
		{in(9, 15, 21), tight, true},
		{in(9, nil, 21), tight, false},
		{in(), tight, false},
		{in(15), null, false},
		{bind(t, set, "not", in(10, 11)), tight, true},
		{bind(t, set, "not", in(10, nil)), tight, false},
		{bind(t, set, "not", in(10, 11)), catalog.Bounds{Min: value(10), Max: value(10), Rows: 5, Nulls: -1}, false},
		{bind(t, set, "not", in(11, 12)), catalog.Bounds{Min: value(10), Max: value(10), Rows: 5, Nulls: -1}, true},
		{expr.NewBool(false), tight, false},
		{expr.NewNull(types.Boolean), tight, false},
		{expr.NewBool(true), tight, true},
	} {
		if got := catalog.MayMatch(test.condition, func(int) (catalog.Bounds, bool) { return test.bounds, true }); got != test.want {
			t.Errorf("%s: %v, want %v", test.condition, got, test.want)
		}
	}
}

// TestDynamicFilter publishes from one side and reads from the other: a reader sees nothing, or a state whole, and never an older one again.
func TestDynamicFilter(t *testing.T) {
	f := &catalog.DynamicFilter{Column: 2}
	if f.State() != nil {
		t.Error("a new filter knows something")
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			last := -1
			for last < 99 {
				s := f.State()
				if s == nil {
					continue
				}
				low, high := int(types.ValuesOf[int32](s.Min)[0]), int(types.ValuesOf[int32](s.Max)[0])
				if low != high || low < last {
					t.Errorf("bounds %d and %d after %d", low, high, last)
					return
				}
				last = low
			}
		})
	}
	for i := range 100 {
		v, err := types.NewValue(types.Integer, i)
		if err != nil {
			t.Fatal(err)
		}
		f.Publish(&catalog.DynamicState{Min: v, Max: v})
	}
	wait.Wait()
}
