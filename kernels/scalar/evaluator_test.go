package scalar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// This file compares the evaluator with a reference that knows neither batches nor encodings nor shared subexpressions: it takes
// one row after the other and evaluates exactly the operands that SQL says are evaluated.

// functions is the scalar library.
func functions() *expr.Set {
	set := expr.NewSet()
	scalar.Register(set)
	return set
}

// reference gives the value of an expression on one row of a batch: a plain vector of one row, or the error that the row raises.
func reference(e *expr.Expr, batch *types.Batch, row int) (*types.Vector, error) {
	env := &kernels.Env{Rows: 1}
	eval := func(a *expr.Expr) (*types.Vector, error) { return reference(a, batch, row) }
	switch e.Op {
	case expr.Column:
		v, i, ok := batch.Columns[e.Column].Locate(row)
		if !ok {
			return plainNull(e.Type), nil
		}
		return v.Slice(nil, i, i+1), nil
	case expr.Constant:
		return e.Value.First(), nil
	case expr.And, expr.Or:
		sawNull := false
		for _, a := range e.Args {
			v, err := eval(a)
			if err != nil {
				return nil, err
			}
			switch truth, known := truthOf(v); {
			case !known:
				sawNull = true
			case truth == (e.Op == expr.Or):
				return v, nil
			}
		}
		if sawNull {
			return plainNull(types.Boolean), nil
		}
		return expr.NewBool(e.Op == expr.And).Value.First(), nil
	case expr.Case:
		last := len(e.Args) - 1
		for i := 0; i < last; i += 2 {
			chosen, err := passes(e.Args[i], batch, row)
			if err != nil {
				return nil, err
			}
			if chosen {
				return eval(e.Args[i+1])
			}
		}
		return eval(e.Args[last])
	case expr.Coalesce:
		for _, a := range e.Args {
			v, err := eval(a)
			if err != nil || types.NullCount(nil, v) == 0 {
				return v, err
			}
		}
		return plainNull(e.Type), nil
	}
	args := make([]*types.Vector, len(e.Args))
	for i, a := range e.Args {
		v, err := eval(a)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	var v *types.Vector
	var err error
	if e.Op == expr.Cast {
		env.Try = e.Try
		v, err = kernels.Cast(env, args[0], e.Type)
	} else {
		v, err = e.Function.Kernel(env, e.Type, args)
	}
	if err != nil {
		return nil, err
	}
	return kernels.Decode(&kernels.Env{}, v), nil
}

// passes reports whether a condition is true on a row. Where only that matters, NULL decides an AND as FALSE does.
func passes(condition *expr.Expr, batch *types.Batch, row int) (bool, error) {
	conjuncts := []*expr.Expr{condition}
	if condition.Op == expr.And {
		conjuncts = condition.Args
	}
	for _, c := range conjuncts {
		v, err := reference(c, batch, row)
		if err != nil {
			return false, err
		}
		if truth, known := truthOf(v); !truth || !known {
			return false, nil
		}
	}
	return true, nil
}

func plainNull(t types.Type) *types.Vector {
	return kernels.Decode(&kernels.Env{}, types.NewNull(t, 1))
}

// truthOf gives a BOOLEAN value and whether it is not null.
func truthOf(v *types.Vector) (truth, known bool) {
	x, known := types.Value(v, 0).(bool)
	return x, known
}

// operandTypes are the types of the random expressions, with values that make trouble: overflow, text that is no number, NaN.
var operandTypes = []struct {
	typ    types.Type
	values []any
}{
	{types.Boolean, []any{true, false}},
	{types.TinyInt, []any{0, 1, -1, 5, 100, 127, -128}},
	{types.Integer, []any{0, 1, 2, -7, 1000, math.MaxInt32, math.MinInt32}},
	{types.Double, []any{0.0, math.Copysign(0, -1), 1.5, -2.5, 1e300, math.NaN(), math.Inf(-1)}},
	{types.Decimal(4, 2), []any{"0.00", "99.99", "-99.99", "1.25", "0.01"}},
	{types.Varchar, []any{"12", "-3", "1", "1.5", "x", "", "true", "2020-01-01", "a long text that is not inlined in its view"}},
	{types.Date, []any{time.Unix(0, 0), time.Unix(86400*20000, 0), time.Unix(-86400*40000, 0)}},
}

// generator makes random typed expressions over two columns of each operand type.
type generator struct {
	rng  *rand.Rand
	set  *expr.Set
	made map[int][]*expr.Expr // earlier expressions by operand type, to be used again
}

func columnOf(typ, which int) *expr.Expr {
	return expr.NewColumn(2*typ+which, fmt.Sprintf("%s%d", operandTypes[typ].typ.Kind(), which), operandTypes[typ].typ, true)
}

// of gives an expression of operand type typ.
func (g *generator) of(typ, depth int) *expr.Expr {
	e := g.fresh(typ, depth)
	if known := g.made[typ]; len(known) > 0 && g.rng.IntN(3) == 0 {
		return known[g.rng.IntN(len(known))]
	}
	g.made[typ] = append(g.made[typ], e)
	return e
}

func (g *generator) fresh(typ, depth int) *expr.Expr {
	o := operandTypes[typ]
	if depth == 0 || g.rng.IntN(8) == 0 {
		switch g.rng.IntN(5) {
		case 0:
			v, err := types.NewValue(o.typ, o.values[g.rng.IntN(len(o.values))])
			if err != nil {
				panic(err)
			}
			return expr.NewConstant(v)
		case 1:
			if g.rng.IntN(3) == 0 {
				return expr.NewNull(o.typ)
			}
		}
		return columnOf(typ, g.rng.IntN(2))
	}
	any := func() int { return g.rng.IntN(len(operandTypes)) }
	boolean := func() *expr.Expr { return g.of(0, depth-1) }
	switch g.rng.IntN(10) {
	case 0:
		args := []*expr.Expr{}
		for range 1 + g.rng.IntN(2) {
			args = append(args, boolean(), g.of(typ, depth-1))
		}
		return expr.NewCase(append(args, g.of(typ, depth-1))...)
	case 1:
		return expr.NewCoalesce(g.of(typ, depth-1), g.of(typ, depth-1), g.of(typ, depth-1))
	case 2, 3:
		return expr.NewCast(g.of(5, g.rng.IntN(depth)), o.typ, g.rng.IntN(4) == 0)
	}
	if typ == 0 {
		switch g.rng.IntN(6) {
		case 0:
			return expr.NewAnd(boolean(), boolean(), boolean())
		case 1:
			return expr.NewOr(boolean(), boolean(), boolean())
		case 2:
			return g.call("not", boolean())
		case 3:
			return g.call("is_null", g.of(any(), depth-1))
		}
		names := []string{"eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct"}
		t := any()
		return g.call(names[g.rng.IntN(len(names))], g.of(t, depth-1), g.of(t, depth-1))
	}
	a, b := g.of(typ, depth-1), g.of(typ, depth-1)
	var e *expr.Expr
	switch typ {
	case 1, 2, 3, 4:
		names := []string{"add", "subtract", "multiply", "int_divide", "mod"}
		if typ == 3 {
			names = append(names, "divide", "sqrt")
		}
		if name := names[g.rng.IntN(len(names))]; name == "sqrt" {
			e = g.call(name, a)
		} else {
			e = g.call(name, a, b)
		}
	case 5:
		switch g.rng.IntN(4) {
		case 0:
			e = g.call("concat_op", a, b)
		case 1:
			e = g.call("upper", a)
		case 2:
			e = g.call("concat", a, b)
		default:
			e = g.of(any(), depth-1)
		}
	default:
		e = g.call("add", a, g.of(2, depth-1))
	}
	return expr.NewCast(e, o.typ, false)
}

// call binds a function as the binder does.
func (g *generator) call(name string, args ...*expr.Expr) *expr.Expr {
	return bindCall(g.set, name, args...)
}

func bindCall(set *expr.Set, name string, args ...*expr.Expr) *expr.Expr {
	described := make([]expr.Arg, len(args))
	for i, a := range args {
		described[i] = expr.Arg{Type: a.Type}
		if a.IsConstant() {
			described[i].Constant = a.Value
		}
	}
	f, err := set.Lookup(name).Bind(described)
	if err != nil || f == nil {
		panic(fmt.Sprintf("%s of %v: %v", name, described, err))
	}
	args = append([]*expr.Expr(nil), args...)
	for i := range args {
		args[i] = expr.NewCast(args[i], f.Args[i], false)
	}
	return expr.NewCall(f, args...)
}

// randomBatch makes the columns of a batch, each in a random layout, and a random selection.
func randomBatch(t testing.TB, rng *rand.Rand, n int) *types.Batch {
	var columns []*types.Vector
	for _, o := range operandTypes {
		for range 2 {
			few := 1 + rng.IntN(len(o.values))
			nulls := rng.IntN(3)
			values := make([]any, n)
			for i := range values {
				if rng.IntN(4) >= nulls {
					values[i] = o.values[rng.IntN(few)]
				}
				if i > 0 && rng.IntN(3) == 0 {
					values[i] = values[i-1]
				}
			}
			v, err := types.FromValues(nil, o.typ, values)
			if err != nil {
				t.Fatal(err)
			}
			variants := arrowtest.Variants(rng, v)
			v = variants[rng.IntN(len(variants))].Vector
			if rng.IntN(3) == 0 {
				v = smallDictionary(t, rng, o.typ, o.values, n)
			}
			columns = append(columns, v)
		}
	}
	batch := types.NewBatch(columns, n, 0)
	if share := rng.IntN(5); share > 0 {
		selection := make(types.Bitmap, types.BitmapWords(n))
		for i := range n {
			if rng.IntN(4) < share-1 {
				selection.Set(i)
			}
		}
		batch = batch.Select(selection)
	}
	return batch
}

// smallDictionary makes a column with fewer entries than rows, as files have them: the evaluator then works on entries. Some entries, also
// such as make trouble, belong to no row.
func smallDictionary(t testing.TB, rng *rand.Rand, typ types.Type, values []any, n int) *types.Vector {
	entries, err := types.FromValues(nil, typ, append([]any{nil}, values...))
	if err != nil {
		t.Fatal(err)
	}
	used := 1 + rng.IntN(len(values)+1)
	keys := make([]uint32, n)
	valid := make(types.Bitmap, types.BitmapWords(n))
	for i := range keys {
		keys[i] = rng.Uint32N(uint32(used))
		if rng.IntN(5) > 0 {
			valid.Set(i)
		}
	}
	if rng.IntN(2) == 0 {
		valid = nil
	}
	return types.NewDictionary(keys, entries, valid)
}

// TestAgainstReference evaluates random expressions with shared parts over random batches. The evaluator must raise when and only when the
// reference raises on a selected row, with an error of such a row, and give the same values on all selected rows otherwise. A folded
// expression must do the same.
func TestAgainstReference(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 500
	}
	set := functions()
	raised := 0
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := &generator{rng: rng, set: set, made: map[int][]*expr.Expr{}}
		var exprs []*expr.Expr
		for range 1 + rng.IntN(3) {
			exprs = append(exprs, g.of(rng.IntN(len(operandTypes)), 1+rng.IntN(4)))
		}
		batch := randomBatch(t, rng, []int{0, 1, 3, 63, 64, 150}[rng.IntN(6)])
		if compareWithReference(t, seed, exprs, batch) {
			raised++
		}
		folded := make([]*expr.Expr, len(exprs))
		for i, e := range exprs {
			folded[i] = expr.Fold(e)
			if !folded[i].Type.Equal(e.Type) || folded[i].Nullable && !e.Nullable {
				t.Fatalf("seed %d: %s of %s folds to %s of %s", seed, e, e.Type, folded[i], folded[i].Type)
			}
		}
		checkSame(t, seed, exprs, folded, batch)
		compareSelect(t, seed, g.of(0, 3), batch)
		if t.Failed() {
			t.FailNow()
		}
	}
	if raised < rounds/20 || raised > rounds*9/10 {
		t.Errorf("%d of %d rounds raised: the generator tests only one side", raised, rounds)
	}
}

// compareWithReference reports whether the expressions raised.
func compareWithReference(t *testing.T, seed uint64, exprs []*expr.Expr, batch *types.Batch) (raised bool) {
	var want [][]string
	messages := map[string]bool{}
	for _, e := range exprs {
		texts := make([]string, batch.Rows)
		for i := range batch.Rows {
			if !batch.Selection.Has(i) {
				continue
			}
			v, err := reference(e, batch, i)
			if err != nil {
				messages[err.(*types.Error).Message] = true
				continue
			}
			texts[i] = valueText(v, 0)
		}
		want = append(want, texts)
	}
	out, err := expr.NewEvaluator(expr.Compile(exprs...), types.NewPool()).Eval(nil, batch)
	if err != nil {
		if message := err.(*types.Error).Message; !messages[message] {
			t.Errorf("seed %d: raised %q, the reference %v, for %v", seed, message, messages, exprs)
		}
		return true
	}
	if len(messages) > 0 {
		t.Errorf("seed %d: did not raise %v for %v", seed, messages, exprs)
	}
	for k, e := range exprs {
		if !out[k].Type().Equal(e.Type) || out[k].Len() != batch.Rows {
			t.Fatalf("seed %d: %s: %d rows of %s", seed, e, out[k].Len(), out[k].Type())
		}
		for i := range batch.Rows {
			if batch.Selection.Has(i) && valueText(out[k], i) != want[k][i] {
				t.Errorf("seed %d, row %d: %s is %s, want %s", seed, i, e, valueText(out[k], i), want[k][i])
				return false
			}
			if !e.Nullable && batch.Selection.Has(i) && valueText(out[k], i) == "NULL" {
				t.Errorf("seed %d, row %d: %s is NULL although it is not nullable", seed, i, e)
			}
		}
	}
	return false
}

// valueText tells values apart that an ordinary comparison does not: NULL and 'NULL', 0 and -0.
func valueText(v *types.Vector, row int) string {
	if x := types.Value(v, row); x != nil {
		return fmt.Sprintf("%v %s", x, types.Text(v, row))
	}
	return "NULL"
}

// checkSame compares expressions with what they were folded to: folding may avoid an error of a branch that is never taken, no more.
func checkSame(t *testing.T, seed uint64, exprs, folded []*expr.Expr, batch *types.Batch) {
	for k := range exprs {
		want, wantErr := expr.NewEvaluator(expr.Compile(exprs[k]), nil).Eval(nil, batch)
		got, err := expr.NewEvaluator(expr.Compile(folded[k]), nil).Eval(nil, batch)
		if (err != nil) != (wantErr != nil) {
			t.Errorf("seed %d: %s folds to %s: error %v became %v", seed, exprs[k], folded[k], wantErr, err)
		}
		if err != nil {
			continue
		}
		for i := range batch.Rows {
			if batch.Selection.Has(i) && valueText(got[0], i) != valueText(want[0], i) {
				t.Errorf("seed %d, row %d: %s is %s, folded to %s it is %s", seed, i, exprs[k], valueText(want[0], i), folded[k], valueText(got[0], i))
				return
			}
		}
	}
}

// compareSelect compares Select with the reference: rows on which the condition is true.
func compareSelect(t *testing.T, seed uint64, condition *expr.Expr, batch *types.Batch) {
	want := make(types.Bitmap, types.BitmapWords(batch.Rows))
	fails := false
	for i := range batch.Rows {
		if !batch.Selection.Has(i) {
			continue
		}
		pass, err := passes(condition, batch, i)
		fails = fails || err != nil
		if pass {
			want.Set(i)
		}
	}
	got, err := expr.NewEvaluator(expr.Compile(condition), nil).Select(batch)
	switch {
	case (err != nil) != fails:
		t.Errorf("seed %d: WHERE %s: error %v, expected one: %v", seed, condition, err, fails)
		return
	case err != nil:
		return
	}
	for i := range batch.Rows {
		if got.Has(i) != want.Get(i) {
			t.Errorf("seed %d: WHERE %s selects row %d: %v, want %v", seed, condition, i, got.Has(i), want.Get(i))
			return
		}
	}
}
