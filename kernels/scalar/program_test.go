package scalar_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// probe is a function of one INTEGER that counts the runs of its kernel and the rows it was run for. It raises for negative values on active
// rows when it can fail, and gives its argument.
type probe struct {
	function *expr.Function
	runs     int
	rows     int
}

func newProbe(canFail, volatile bool) *probe {
	p := &probe{}
	p.function = &expr.Function{
		Name: "probe", Args: []types.Type{types.Integer}, Result: types.Integer, CanFail: canFail, Volatile: volatile,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			p.runs++
			p.rows += args[0].Len()
			valid := types.LogicalValidity(env.Pool, args[0])
			values := types.ValuesOf[int32](kernels.Decode(env, args[0]))
			for i, x := range values {
				if canFail && x < 0 && valid.Has(i) && env.Active.Has(i) {
					return nil, types.Errorf(types.CodeNumericOutOfRange, "%d is negative", x).WithRow("", int64(i))
				}
			}
			return args[0], nil
		},
	}
	return p
}

func (p *probe) of(e *expr.Expr) *expr.Expr { return expr.NewCall(p.function, e) }

func integers(values ...any) *types.Vector {
	v, err := types.FromValues(nil, types.Integer, values)
	if err != nil {
		panic(err)
	}
	return v
}

func integer(x int) *expr.Expr { return expr.NewConstant(integers(x)) }

var a = expr.NewColumn(0, "a", types.Integer, true)

// evaluate runs expressions over the one column a and gives the selected rows as text.
func evaluate(t *testing.T, batch *types.Batch, exprs ...*expr.Expr) (string, error) {
	t.Helper()
	out, err := expr.NewEvaluator(expr.Compile(exprs...), types.NewPool()).Eval(nil, batch)
	if err != nil {
		return "", err
	}
	var rows []string
	for i := range batch.Rows {
		var row []string
		for _, v := range out {
			row = append(row, types.Text(v, i))
		}
		if batch.Selection.Has(i) {
			rows = append(rows, strings.Join(row, " "))
		}
	}
	return strings.Join(rows, ", "), nil
}

func batchOf(column *types.Vector, selected ...int) *types.Batch {
	b := types.NewBatch([]*types.Vector{column}, column.Len(), 0)
	if len(selected) > 0 {
		s := make(types.Bitmap, types.BitmapWords(column.Len()))
		for _, i := range selected {
			s.Set(i)
		}
		b = b.Select(s)
	}
	return b
}

// TestLaziness checks one by one where an operand must not raise. probe(a) raises on negative rows.
func TestLaziness(t *testing.T) {
	set := functions()
	p := newProbe(true, false)
	positive := bindCall(set, "ge", a, integer(0))
	negative := bindCall(set, "lt", a, integer(0))
	odd := bindCall(set, "eq", bindCall(set, "mod", p.of(a), integer(2)), integer(1))
	column := integers(-1, 2, nil, 3)
	for _, c := range []struct {
		name string
		e    *expr.Expr
		want string // empty: raises
	}{
		{"guarded by AND", expr.NewAnd(positive, odd), "false, false, NULL, true"},
		{"AND, guard behind", expr.NewAnd(odd, positive), ""},
		{"guarded by OR", expr.NewOr(negative, odd), "true, false, NULL, true"},
		{"OR, guard behind", expr.NewOr(odd, negative), ""},
		{"guarded by CASE", expr.NewCase(positive, p.of(a), expr.NewNull(types.Integer)), "NULL, 2, NULL, 3"},
		{"CASE, in ELSE", expr.NewCase(negative, integer(0), p.of(a)), "0, 2, NULL, 3"},
		{"CASE, chosen", expr.NewCase(negative, p.of(a), integer(0)), ""},
		{"CASE, condition behind a true one", expr.NewCase(negative, integer(0), odd, integer(1), integer(2)), "0, 2, 2, 1"},
		{"guarded by COALESCE", expr.NewCoalesce(a, p.of(integer(-1))), ""},
		{"COALESCE, never asked", expr.NewCoalesce(integer(1), p.of(integer(-1))), "1, 1, 1, 1"},
		{"COALESCE, asked on other rows", expr.NewCoalesce(a, p.of(a)), "-1, 2, NULL, 3"},
		{"CASE FALSE", expr.NewCase(expr.NewBool(false), p.of(integer(-1)), a), "-1, 2, NULL, 3"},
		{"CASE NULL", expr.NewCase(expr.NewNull(types.Boolean), p.of(integer(-1)), a), "-1, 2, NULL, 3"},
		{"CASE TRUE", expr.NewCase(expr.NewBool(true), a, p.of(integer(-1))), "-1, 2, NULL, 3"},
	} {
		got, err := evaluate(t, batchOf(column), c.e)
		if (err != nil) != (c.want == "") || got != c.want {
			t.Errorf("%s: %s, %v, want %q", c.name, got, err, c.want)
		}
		if folded, err := evaluate(t, batchOf(column), expr.Fold(c.e)); (err != nil) != (c.want == "") || folded != c.want {
			t.Errorf("%s, folded to %s: %s, %v, want %q", c.name, expr.Fold(c.e), folded, err, c.want)
		}
	}
	if got, err := evaluate(t, batchOf(column, 1, 3), p.of(a)); err != nil || got != "2, 3" {
		t.Errorf("a row that is not selected raised: %s, %v", got, err)
	}
	nobody := types.NewBatch([]*types.Vector{column}, 4, 0).Select(make(types.Bitmap, 1))
	for _, e := range []*expr.Expr{p.of(a), p.of(integer(-1)), expr.NewCast(expr.NewConstant(text("x")), types.Integer, false)} {
		if _, err := evaluate(t, nobody, e); err != nil {
			t.Errorf("%s raised without rows: %v", e, err)
		}
	}
}

func text(s string) *types.Vector {
	v, err := types.NewValue(types.Varchar, s)
	if err != nil {
		panic(err)
	}
	return v
}

// TestConstantsUnderEmptyMask checks that a constant call asked for by no row is not remembered as NULL: x OR f(c) decides every row before
// f, and f is used again behind.
func TestConstantsUnderEmptyMask(t *testing.T) {
	set := functions()
	upper := bindCall(set, "upper", expr.NewConstant(text("true")))
	decided := expr.NewOr(bindCall(set, "is_not_null", a), expr.NewCast(upper, types.Boolean, false))
	got, err := evaluate(t, batchOf(integers(1, 2)), decided, upper)
	if want := "true TRUE, true TRUE"; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestSharedSubexpressions(t *testing.T) {
	set := functions()
	add := func(x, y *expr.Expr) *expr.Expr { return bindCall(set, "add", x, y) }
	column := integers(1, 2, 3, 4)
	for _, c := range []struct {
		name          string
		canFail       bool
		volatile      bool
		selected      []int
		exprs         func(p *probe) []*expr.Expr
		runs          int
		want          string
		runsForSelect int
	}{
		{name: "in one expression", exprs: func(p *probe) []*expr.Expr { return []*expr.Expr{add(p.of(a), p.of(a))} }, runs: 1, want: "2, 4, 6, 8"},
		{name: "in two expressions", canFail: true, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{p.of(a), add(p.of(a), integer(1))}
		}, runs: 1, want: "1 2, 2 3, 3 4, 4 5"},
		{name: "below other calls", exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{add(p.of(add(a, integer(1))), p.of(add(a, integer(1))))}
		}, runs: 1, want: "4, 6, 8, 10"},
		{name: "different constants", exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{add(p.of(add(a, integer(1))), p.of(add(a, integer(2))))}
		}, runs: 2, want: "5, 7, 9, 11"},
		{name: "in a branch of fewer rows", canFail: true, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{expr.NewCase(bindCall(set, "gt", p.of(a), integer(2)), p.of(a), integer(0))}
		}, runs: 1, want: "0, 0, 3, 4"},
		{name: "first in a branch, then everywhere", canFail: true, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{expr.NewCase(bindCall(set, "gt", a, integer(2)), p.of(a), integer(0)), p.of(a)}
		}, runs: 2, want: "0 1, 0 2, 3 3, 4 4"},
		{name: "first in a branch, then everywhere, harmless", exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{expr.NewCase(bindCall(set, "gt", a, integer(2)), p.of(a), integer(0)), p.of(a)}
		}, runs: 1, want: "0 1, 0 2, 3 3, 4 4"},
		{name: "in two branches of other rows", canFail: true, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{expr.NewCase(bindCall(set, "gt", a, integer(2)), p.of(a), add(p.of(a), integer(10)))}
		}, runs: 2, want: "11, 12, 3, 4"},
		{name: "under a selection", canFail: true, selected: []int{1, 2}, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{p.of(a), add(p.of(a), p.of(a))}
		}, runs: 1, want: "2 4, 3 6"},
		{name: "volatile", volatile: true, exprs: func(p *probe) []*expr.Expr { return []*expr.Expr{add(p.of(a), p.of(a)), p.of(a)} }, runs: 3,
			want: "2 1, 4 2, 6 3, 8 4"},
		{name: "over a volatile one", volatile: true, exprs: func(p *probe) []*expr.Expr {
			return []*expr.Expr{add(p.of(a), integer(1)), add(p.of(a), integer(1))}
		}, runs: 2, want: "2 2, 3 3, 4 4, 5 5"},
	} {
		p := newProbe(c.canFail, c.volatile)
		got, err := evaluate(t, batchOf(column, c.selected...), c.exprs(p)...)
		if err != nil || got != c.want || p.runs != c.runs {
			t.Errorf("%s: %s, %v in %d runs, want %s in %d", c.name, got, err, p.runs, c.want, c.runs)
		}
	}
}

// TestFewestValues checks that a function runs once per constant, dictionary entry and run.
func TestFewestValues(t *testing.T) {
	entries := integers(7, 8)
	keys := make([]uint32, 100)
	keys[99] = 1
	for _, c := range []struct {
		name   string
		column *types.Vector
		rows   int
	}{
		{"constant", types.NewConstant(integers(7), 100), 1},
		{"dictionary", types.NewDictionary(keys, entries, nil), 2},
		{"run-end", types.NewRunEnd([]int32{40, 99, 100}, integers(7, 7, 8)), 3},
		{"plain", kernels.Decode(nil, types.NewConstant(integers(7), 100)), 100},
		{"a dictionary larger than the batch", types.NewDictionary(keys[98:], integers(7, 8, 9), nil), 2},
	} {
		p := newProbe(false, false)
		out, err := expr.NewEvaluator(expr.Compile(p.of(a)), nil).Eval(nil, batchOf(c.column))
		if err != nil || p.rows != c.rows || out[0].Len() != c.column.Len() {
			t.Errorf("%s: computed for %d values, want %d (%v)", c.name, p.rows, c.rows, err)
		}
		volatile := newProbe(false, true)
		if _, err := expr.NewEvaluator(expr.Compile(volatile.of(a)), nil).Eval(nil, batchOf(c.column)); err != nil || volatile.rows != c.column.Len() {
			t.Errorf("%s, volatile: computed for %d values, want one per row (%v)", c.name, volatile.rows, err)
		}
	}
}

// TestErrorPlaces checks the row and the position of errors: the row of the batch, none where an entry, a run or a constant failed.
func TestErrorPlaces(t *testing.T) {
	keys := make([]uint32, 100)
	keys[99] = 1
	for _, c := range []struct {
		name   string
		column *types.Vector
		row    int64
	}{
		{"plain", integers(1, 2, -3), 2},
		{"dictionary", types.NewDictionary(keys, integers(7, -8), nil), -1},
		{"run-end", types.NewRunEnd([]int32{40, 99, 100}, integers(7, 7, -8)), -1},
		{"constant", types.NewConstant(integers(-7), 100), -1},
	} {
		_, err := evaluate(t, batchOf(c.column), newProbe(true, false).of(a).At(17))
		var e *types.Error
		if !errors.As(err, &e) || e.Row != c.row || e.Position.Offset != 17 || e.Position.Line != -1 {
			t.Errorf("%s: %#v, want row %d and position 17", c.name, e, c.row)
		}
	}
	inner := newProbe(true, false).of(a).At(5)
	if _, err := evaluate(t, batchOf(integers(-1)), newProbe(true, false).of(inner).At(1)); err.(*types.Error).Position.Offset != 5 {
		t.Errorf("the error points at the outer call: %v", err)
	}
	_, err := expr.Evaluate(expr.NewCast(expr.NewConstant(text("x")), types.Integer, false))
	if err == nil || strings.Contains(err.Error(), "row") {
		t.Errorf("a constant has no row: %v", err)
	}
}

func TestFold(t *testing.T) {
	set := functions()
	call := func(name string, args ...*expr.Expr) *expr.Expr { return bindCall(set, name, args...) }
	yes, no, null := expr.NewBool(true), expr.NewBool(false), expr.NewNull(types.Boolean)
	fails := call("gt", call("add", integer(math.MaxInt32), integer(1)), integer(0))
	risky := call("gt", call("add", a, integer(1)), integer(0))
	harmless := call("gt", a, integer(0))
	volatile := newProbe(false, true)
	for _, c := range []struct {
		e    *expr.Expr
		want string
	}{
		{call("add", integer(1), integer(2)), "3"},
		{call("add", a, call("add", integer(1), integer(2))), "(a + 3)"},
		{fails, "((2147483647 + 1) > 0)"},
		{expr.NewCast(expr.NewConstant(text("x")), types.Integer, false), "CAST('x' AS INTEGER)"},
		{expr.NewCast(expr.NewConstant(text("x")), types.Integer, true), "NULL"},
		{volatile.of(integer(1)), "probe(1)"},
		{call("add", volatile.of(integer(1)), call("add", integer(1), integer(2))), "(probe(1) + 3)"},
		{expr.NewAnd(yes, harmless), "(a > 0)"},
		{expr.NewAnd(harmless, yes, risky), "((a > 0) AND ((a + 1) > 0))"},
		{expr.NewAnd(harmless, no), "false"},
		{expr.NewAnd(risky, no), "(((a + 1) > 0) AND false)"},
		{expr.NewAnd(risky, no, harmless), "(((a + 1) > 0) AND false)"},
		{expr.NewAnd(harmless, no, fails), "false"},
		{expr.NewAnd(harmless, null), "((a > 0) AND NULL)"},
		{expr.NewAnd(null, yes, null), "NULL"},
		{expr.NewAnd(null, null), "NULL"},
		{expr.NewAnd(null, no), "false"},
		{expr.NewOr(null, yes), "true"},
		{expr.NewOr(no, harmless), "(a > 0)"},
		{expr.NewOr(risky, yes, harmless), "(((a + 1) > 0) OR true)"},
		{expr.NewOr(no, no), "false"},
		{expr.NewCase(no, integer(1), integer(2)), "2"},
		{expr.NewCase(null, integer(1), integer(2)), "2"},
		{expr.NewCase(yes, a, call("add", integer(math.MaxInt32), integer(1))), "a"},
		{expr.NewCase(harmless, integer(1), yes, integer(2), risky, integer(3), integer(4)), "CASE WHEN (a > 0) THEN 1 ELSE 2 END"},
		{expr.NewCase(fails, integer(1), integer(2)), "CASE WHEN ((2147483647 + 1) > 0) THEN 1 ELSE 2 END"},
		{expr.NewCoalesce(expr.NewNull(types.Integer), a, integer(1), integer(2)), "coalesce(a, 1)"},
		{expr.NewCoalesce(integer(1), call("add", integer(math.MaxInt32), integer(1))), "1"},
		{expr.NewCoalesce(expr.NewNull(types.Integer), expr.NewNull(types.Integer)), "NULL"},
		{expr.NewCoalesce(a, expr.NewNull(types.Integer)), "a"},
	} {
		got := expr.Fold(c.e.At(3))
		if got.String() != c.want {
			t.Errorf("%s folds to %s, want %s", c.e, got, c.want)
		}
		if !got.Type.Equal(c.e.Type) {
			t.Errorf("%s has type %s, folded %s", c.e, c.e.Type, got.Type)
		}
	}
	if volatile.runs > 0 {
		t.Error("a volatile function was evaluated while folding")
	}
}

func TestEqual(t *testing.T) {
	set := functions()
	double := func(x float64) *expr.Expr {
		v, _ := types.NewValue(types.Double, x)
		return expr.NewConstant(v)
	}
	b := expr.NewColumn(1, "b", types.Integer, true)
	volatile := newProbe(false, true).of(a)
	for _, c := range []struct {
		x, y *expr.Expr
		want bool
	}{
		{a, expr.NewColumn(0, "other", types.Integer, false).At(9), true},
		{a, b, false},
		{a, expr.NewColumn(0, "a", types.BigInt, true), false},
		{integer(1), integer(1), true},
		{integer(1), integer(2), false},
		{integer(1), expr.NewNull(types.Integer), false},
		{expr.NewNull(types.Integer), expr.NewNull(types.Integer), true},
		{expr.NewNull(types.Integer), expr.NewNull(types.BigInt), false},
		{double(0), double(math.Copysign(0, -1)), false},
		{double(math.NaN()), double(math.NaN()), true},
		{bindCall(set, "add", a, b), bindCall(set, "add", a, b), true},
		{bindCall(set, "add", a, b), bindCall(set, "add", b, a), false},
		{bindCall(set, "add", a, b), bindCall(set, "subtract", a, b), false},
		{expr.NewCast(a, types.BigInt, false), expr.NewCast(a, types.BigInt, false), true},
		{expr.NewCast(a, types.BigInt, false), expr.NewCast(a, types.BigInt, true), false},
		{expr.NewCast(a, types.BigInt, false), expr.NewCast(a, types.Double, false), false},
		{expr.NewCoalesce(a, b), expr.NewCoalesce(a, b), true},
		{expr.NewCoalesce(a, b), expr.NewCoalesce(a, b, a), false},
		{volatile, volatile, false},
		{bindCall(set, "add", volatile, a), bindCall(set, "add", volatile, a), false},
		{expr.NewCoalesce(volatile), expr.NewCoalesce(volatile), false},
	} {
		if c.x.Equal(c.y) != c.want || c.y.Equal(c.x) != c.want {
			t.Errorf("%s equals %s: want %v", c.x, c.y, c.want)
		}
	}
	// What is not equal is not shared: 1/0.0 and 1/-0.0 are two infinities.
	x := bindCall(set, "divide", double(1), double(0))
	y := bindCall(set, "divide", double(1), double(math.Copysign(0, -1)))
	if got, err := evaluate(t, batchOf(integers(0)), x, y); err != nil || got != "inf -inf" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestRewrite(t *testing.T) {
	set := functions()
	left := bindCall(set, "add", a, integer(1))
	e := expr.NewAnd(bindCall(set, "gt", left, integer(3)), bindCall(set, "lt", expr.NewColumn(1, "b", types.Integer, true), integer(9)))
	before := e.String()
	if same := e.Rewrite(func(n *expr.Expr) *expr.Expr { return n }); same != e {
		t.Error("a rewriting that changes nothing made a copy")
	}
	var order []string
	changed := e.Rewrite(func(n *expr.Expr) *expr.Expr {
		order = append(order, n.String())
		if n.Op == expr.Column && n.Column == 1 {
			return expr.NewColumn(7, "c", types.Integer, true)
		}
		return n
	})
	if changed.String() != "(((a + 1) > 3) AND (c < 9))" || e.String() != before {
		t.Errorf("%s was rewritten to %s", e, changed)
	}
	if changed.Args[0] != e.Args[0] {
		t.Error("the untouched side is not shared")
	}
	if first := strings.Join(order[:3], "; "); first != "a; 1; (a + 1)" {
		t.Errorf("visited %s first: arguments come before their users", first)
	}
	var columns []int
	changed.Columns(func(c int) { columns = append(columns, c) })
	if fmt.Sprint(columns) != "[0 7]" {
		t.Errorf("columns %v", columns)
	}
}

func TestString(t *testing.T) {
	set := functions()
	call := func(name string, args ...*expr.Expr) *expr.Expr { return bindCall(set, name, args...) }
	value := func(typ types.Type, x any) *expr.Expr {
		v, err := types.NewValue(typ, x)
		if err != nil {
			t.Fatal(err)
		}
		return expr.NewConstant(v)
	}
	s := expr.NewColumn(1, "s", types.Varchar, false)
	for _, c := range []struct {
		e    *expr.Expr
		want string
	}{
		{expr.NewColumn(4, "", types.Integer, true), "#4"},
		{value(types.Varchar, "it's"), "'it''s'"},
		{value(types.Date, time.Unix(86400*18292, 0)), "DATE '2020-01-31'"},
		{value(types.Decimal(4, 2), "1.50"), "1.50"},
		{expr.NewBool(true), "true"},
		{expr.NewNull(types.Date), "NULL"},
		{expr.NewCast(a, types.Varchar, true), "TRY_CAST(a AS VARCHAR)"},
		{call("not", call("is_null", a)), "(NOT (a IS NULL))"},
		{call("negate", a), "(-a)"},
		{call("is_not_distinct", a, integer(1)), "(a IS NOT DISTINCT FROM 1)"},
		{call("concat_op", s, s), "(s || s)"},
		{call("like", s, value(types.Varchar, "a%")), "like(s, 'a%')"},
		{expr.NewCase(call("is_null", a), integer(1), a), "CASE WHEN (a IS NULL) THEN 1 ELSE a END"},
		{expr.NewOr(call("is_null", a), expr.NewAnd(call("eq", a, integer(1)), call("is_null", s))), "((a IS NULL) OR ((a = 1) AND (s IS NULL)))"},
		{&expr.Expr{Op: expr.Parameter, Name: "1"}, "$1"},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestCompileRejects checks that what the planner must have removed cannot reach execution unseen.
func TestCompileRejects(t *testing.T) {
	for _, e := range []*expr.Expr{{Op: expr.Parameter, Name: "x"}, {Op: expr.OuterColumn}, {Op: expr.Subquery}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s compiled", e)
				}
			}()
			expr.Compile(e)
		}()
	}
}

// TestManyAlike checks that a program of thousands of different constants compiles in reasonable time: IN with a long list.
func TestManyAlike(t *testing.T) {
	set := functions()
	var matches []*expr.Expr
	for i := range 20000 {
		matches = append(matches, bindCall(set, "eq", a, integer(i*3)))
	}
	got, err := evaluate(t, batchOf(integers(3, 4, nil)), expr.NewOr(matches...))
	if err != nil || got != "true, false, NULL" {
		t.Errorf("%s, %v", got, err)
	}
}

// extremes gives values of a type that casts are likely to fail on: the bounds of the type and of narrower ones.
func extremes(t *testing.T, rng *rand.Rand, typ types.Type) *types.Vector {
	var values []any
	switch k := typ.Kind(); {
	case k == types.KindBoolean:
		values = []any{true, false}
	case typ.IsInteger():
		for _, bits := range []uint{0, 7, 8, 15, 16, 31, 32, 63, 64, 127} {
			for _, d := range []int64{-1, 0, 1} {
				x := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(d))
				for _, x := range []*big.Int{x, new(big.Int).Neg(x)} {
					if _, err := types.NewValue(typ, x); err == nil {
						values = append(values, x)
					}
				}
			}
		}
	case typ.IsFloat():
		values = []any{0.0, math.Copysign(0, -1), 0.5, -1.5, 65504.0, math.NaN(), math.Inf(1), math.Inf(-1)}
		for _, x := range []float64{1e5, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64} {
			if _, err := types.NewValue(typ, x); err == nil {
				values = append(values, x)
			}
		}
	case k == types.KindDecimal:
		nines := new(big.Int).Sub(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(typ.Precision())), nil), big.NewInt(1))
		half := new(big.Int).Div(nines, big.NewInt(2))
		for _, x := range []*big.Int{nines, half, big.NewInt(1), big.NewInt(0)} {
			values = append(values, types.DecimalValue{Unscaled: x, Scale: typ.Scale()}, types.DecimalValue{Unscaled: new(big.Int).Neg(x), Scale: typ.Scale()})
		}
	case k == types.KindVarchar:
		values = []any{"", "x", "1", "1e400", "2020-01-01", "true"}
	case k == types.KindDate:
		days := make([]int32, 64)
		for i := range days {
			days[i] = int32(rng.Uint32())
		}
		return types.NewFixed(typ, append(days, math.MaxInt32, math.MinInt32, math.MaxInt32-1, -math.MaxInt32, 0), nil)
	case k == types.KindTime, k == types.KindTimestamp, k == types.KindTimestampTZ:
		ticks := make([]int64, 64)
		for i := range ticks {
			ticks[i] = int64(rng.Uint64())
			if k == types.KindTime {
				ticks[i] = rng.Int64N(86400*typ.Unit().PerSecond() + 1)
			}
		}
		if k != types.KindTime {
			ticks = append(ticks, math.MaxInt64, math.MinInt64, math.MaxInt64-1, -math.MaxInt64, 0)
		}
		return types.NewFixed(typ, ticks, nil)
	default:
		t.Fatalf("no values of %s", typ)
	}
	v, err := types.FromValues(nil, typ, append(values, nil))
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	return v
}

// TestCastsThatCannotFail casts the extreme values of every pair of types: a cast that CanFail says never raises does not. Most casts that
// obviously never raise are said so, or conditions over them would never reach a scan.
func TestCastsThatCannotFail(t *testing.T) {
	all := []types.Type{
		types.Boolean, types.TinyInt, types.SmallInt, types.Integer, types.BigInt, types.HugeInt, types.UTinyInt, types.USmallInt, types.UInteger,
		types.UBigInt, types.Half, types.Float, types.Double, types.Varchar, types.Date,
		types.TimeOf(types.Second), types.TimeOf(types.Microsecond), types.TimeOf(types.Nanosecond),
	}
	for _, unit := range []types.TimeUnit{types.Second, types.Millisecond, types.Microsecond, types.Nanosecond} {
		all = append(all, types.TimestampOf(unit), types.TimestampTZOf(unit, "UTC"))
	}
	for _, d := range [][2]int{{1, 0}, {1, 1}, {4, 2}, {5, 2}, {5, 1}, {3, 0}, {18, 0}, {18, 18}, {19, 4}, {20, 0}, {38, 0}, {38, 10}, {39, 0}, {76, 0}, {76, 38}, {76, 76}} {
		all = append(all, types.Decimal(d[0], d[1]))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, from := range all {
		v := extremes(t, rng, from)
		for _, to := range all {
			if !kernels.CanCast(from, to) || expr.NewCast(expr.NewColumn(0, "x", from, true), to, false).CanFail() {
				continue
			}
			if _, err := kernels.Cast(&kernels.Env{}, v, to); err != nil {
				t.Errorf("the cast of %s to %s is said not to fail: %v", from, to, err)
			}
		}
	}
	for _, pair := range [][2]types.Type{
		{types.Integer, types.BigInt}, {types.UInteger, types.BigInt}, {types.BigInt, types.HugeInt}, {types.UBigInt, types.HugeInt},
		{types.BigInt, types.Double}, {types.Decimal(38, 10), types.Double}, {types.Float, types.Double}, {types.Boolean, types.Integer},
		{types.Integer, types.Decimal(12, 2)}, {types.Decimal(4, 2), types.Decimal(18, 4)}, {types.Decimal(4, 2), types.Decimal(5, 1)},
		{types.Date, types.Varchar}, {types.Double, types.Varchar}, {types.Date, types.TimestampOf(types.Second)}, {types.Null, types.Date},
	} {
		if expr.NewCast(expr.NewColumn(0, "x", pair[0], true), pair[1], false).CanFail() {
			t.Errorf("the cast of %s to %s is said to fail", pair[0], pair[1])
		}
	}
}
