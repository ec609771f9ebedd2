package agg

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// total runs an aggregate over whole vectors, all into one group.
func total(t *testing.T, a *expr.Aggregate, batches ...*types.Vector) (any, error) {
	t.Helper()
	acc := a.New()
	if err := acc.Resize(1); err != nil {
		t.Fatal(err)
	}
	for _, v := range batches {
		if err := acc.Update(nil, nil, []*types.Vector{v}, v.Len()); err != nil {
			return nil, err
		}
	}
	v, err := acc.Finish(nil, 0, 1)
	if err != nil {
		return nil, err
	}
	return types.Value(v, 0), nil
}

func values(t *testing.T, typ types.Type, values ...any) *types.Vector {
	t.Helper()
	v, err := types.FromValues(nil, typ, values)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestExamples runs the example of every aggregate: "name(x) FROM (VALUES (1), (2)) t(x) = result". Arguments are columns, of which there may be
// several, one that is compared with a number, as in count_if(x > 1), numbers and texts.
func TestExamples(t *testing.T) {
	form := regexp.MustCompile(`^(\w+)\((.*)\) FROM \(VALUES (.*)\) t\((.*)\) = (.*)$`)
	for _, f := range newSet().Families() {
		if f.BindWindow != nil {
			continue // needs a query: the engine's tests run it
		}
		m := form.FindStringSubmatch(f.Example)
		if m == nil || f.Description == "" || len(f.Signatures) == 0 {
			t.Errorf("%s: example %q, description or signature is missing", f.Name, f.Example)
			continue
		}
		names := strings.Split(m[4], ", ")
		columns := map[string]*types.Vector{}
		rows := regexp.MustCompile(`\(([^)]*)\)`).FindAllStringSubmatch(m[3], -1)
		for c, name := range names {
			typ := types.Integer
			var column []any
			for _, row := range rows {
				x := exampleValue(strings.Split(row[1], ", ")[c])
				if _, ok := x.(bool); ok {
					typ = types.Boolean
				}
				column = append(column, x)
			}
			columns[name] = values(t, typ, column...)
		}
		var args []*types.Vector
		var described []expr.Arg
		for _, text := range strings.Split(m[2], ", ") {
			name, compared, ok := strings.Cut(text, " > ")
			v := columns[name]
			var constant *types.Vector
			switch x := exampleValue(text).(type) {
			case float64:
				constant = values(t, types.Double, x)
			case int:
				constant = values(t, types.Integer, x)
			}
			if constant != nil {
				v = types.NewConstant(constant, len(rows))
			}
			if ok {
				var err error
				if v, err = kernels.Compare(&kernels.Env{}, kernels.Greater, v, types.NewConstant(values(t, types.Integer, exampleValue(compared)), v.Len())); err != nil {
					t.Fatal(err)
				}
			}
			args, described = append(args, v), append(described, expr.Arg{Type: v.Type(), Constant: constant})
		}
		a, err := f.BindAggregate(described)
		if err != nil || a == nil {
			t.Errorf("%s does not bind: %v", f.Example, err)
			continue
		}
		args = args[:len(a.Args)]
		for i := range args {
			if args[i], err = kernels.Cast(&kernels.Env{}, args[i], a.Args[i]); err != nil {
				t.Fatal(err)
			}
		}
		acc := a.New()
		if err := acc.Resize(1); err != nil {
			t.Fatal(err)
		}
		if err := acc.Update(nil, nil, args, len(rows)); err != nil {
			t.Fatal(err)
		}
		result, err := acc.Finish(nil, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := types.Text(result, 0); got != m[5] {
			t.Errorf("%s gave %s", f.Example, got)
		}
	}
}

// exampleValue gives a value that an example writes; nil for NULL and for what is none.
func exampleValue(text string) any {
	switch {
	case text == "true" || text == "false":
		return text == "true"
	case strings.Contains(text, "."):
		var f float64
		if _, err := fmt.Sscan(text, &f); err == nil {
			return f
		}
	}
	var n int
	if _, err := fmt.Sscan(text, &n); err == nil {
		return n
	}
	return nil
}

func TestCountStar(t *testing.T) {
	a, err := newSet().Lookup("count").BindAggregate(nil)
	if err != nil {
		t.Fatal(err)
	}
	acc := a.New()
	acc.Resize(2)
	active := types.Bitmap{0b10111}
	if err := acc.Update(&kernels.Env{Active: active}, nil, nil, 5); err != nil {
		t.Fatal(err)
	}
	if err := acc.Update(&kernels.Env{Active: active}, []uint32{0, 1, 1, 99, 1}, nil, 5); err != nil {
		t.Fatal(err)
	}
	v, _ := acc.Finish(nil, 0, 2)
	if got := types.ValuesOf[int64](v); got[0] != 5 || got[1] != 3 || v.MayHaveNulls() {
		t.Errorf("counts %v, want [5 3]", got)
	}
}

// TestResultTypes checks the types that sql.md and DuckDB 1.5.6 (typeof) name.
func TestResultTypes(t *testing.T) {
	set := newSet()
	for _, c := range []struct {
		name string
		arg  types.Type
		want string // empty: not accepted
	}{
		{"sum", types.TinyInt, "HUGEINT"}, {"sum", types.UBigInt, "HUGEINT"}, {"sum", types.HugeInt, "HUGEINT"}, {"sum", types.Boolean, "HUGEINT"},
		{"sum", types.Null, "HUGEINT"}, {"sum", types.Decimal(5, 2), "DECIMAL(38,2)"}, {"sum", types.Decimal(38, 2), "DECIMAL(38,2)"},
		{"sum", types.Decimal(39, 2), "DECIMAL(76,2)"}, {"sum", types.Float, "DOUBLE"}, {"sum", types.Half, "DOUBLE"},
		{"sum", types.Varchar, ""}, {"sum", types.Date, ""}, {"sum", types.Interval, "INTERVAL"},
		{"avg", types.BigInt, "DOUBLE"}, {"avg", types.Decimal(15, 2), "DOUBLE"}, {"avg", types.Date, "TIMESTAMP"}, {"avg", types.Time, "TIME"},
		{"avg", types.TimestampTZ, "TIMESTAMP WITH TIME ZONE"}, {"avg", types.Boolean, ""}, {"avg", types.Null, "DOUBLE"},
		{"mean", types.Interval, "INTERVAL"},
		{"min", types.Null, `"NULL"`}, {"min", types.UUID, "UUID"}, {"max", types.ListOf(types.Date), "DATE[]"}, {"max", types.Boolean, "BOOLEAN"},
		{"count_if", types.Boolean, "HUGEINT"}, {"count", types.Varchar, "BIGINT"}, {"bool_and", types.Integer, ""},
		{"bit_and", types.UTinyInt, "UTINYINT"}, {"bit_xor", types.HugeInt, "HUGEINT"}, {"bit_or", types.Double, ""},
		{"stddev", types.Decimal(5, 2), "DOUBLE"}, {"product", types.Integer, "DOUBLE"}, {"arbitrary", types.Blob, "BLOB"},
	} {
		a, err := set.Lookup(c.name).BindAggregate([]expr.Arg{{Type: c.arg}})
		if err != nil {
			t.Errorf("%s(%s): %v", c.name, c.arg, err)
			continue
		}
		got := ""
		if a != nil {
			got = a.Result.String()
		}
		if got != c.want {
			t.Errorf("%s(%s) is %q, want %q", c.name, c.arg, got, c.want)
		}
	}
}

// TestUntypedNull aggregates a column of type NULL.
func TestUntypedNull(t *testing.T) {
	for _, name := range []string{"min", "max", "first", "last", "any_value", "count"} {
		a := bind(t, name, types.Null)
		acc := a.New()
		acc.Resize(2)
		if err := acc.Update(nil, []uint32{1, 1, 1}, []*types.Vector{types.NewNull(types.Null, 3)}, 3); err != nil {
			t.Fatal(err)
		}
		v, err := acc.Finish(nil, 0, 2)
		if err != nil || v.Len() != 2 || types.Value(v, 1) != types.Value(v, 0) {
			t.Errorf("%s of NULL gave %v", name, err)
		}
	}
}

func TestSumOutOfRange(t *testing.T) {
	huge := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
	sum := bind(t, "sum", types.HugeInt)
	if _, err := total(t, sum, values(t, types.HugeInt, huge, 1)); err == nil {
		t.Error("the sum of HUGEINT went past its range")
	}
	// Only the whole sum counts, not the order of its parts.
	got, err := total(t, sum, values(t, types.HugeInt, huge, 1, -1))
	if err != nil || got.(*big.Int).Cmp(huge) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	nines := strings.Repeat("9", 38)
	if _, err := total(t, bind(t, "sum", types.Decimal(38, 0)), values(t, types.Decimal(38, 0), nines, "1")); err == nil {
		t.Error("a sum of 39 digits passed for DECIMAL(38,0)")
	}
	nines = strings.Repeat("9", 76)
	if _, err := total(t, bind(t, "sum", types.Decimal(76, 0)), values(t, types.Decimal(76, 0), nines, nines, nines, nines, nines, nines, nines, nines)); err == nil {
		t.Error("a sum of more than 256 bits passed")
	}
	if _, err := total(t, bind(t, "sum", types.Interval), values(t, types.Interval,
		types.MonthDayNano{Months: math.MaxInt32}, types.MonthDayNano{Months: 1})); err == nil {
		t.Error("a sum of intervals went past its range")
	}
	if _, err := total(t, bind(t, "stddev", types.Double), values(t, types.Double, math.Inf(1), 1.0)); err == nil {
		t.Error("a standard deviation that is NaN passed")
	}
}

// TestPartsMoveToTotals adds until 64 bits are full several times over, so that the bound on the parts is met again and again.
func TestPartsMoveToTotals(t *testing.T) {
	const rows, batches, x = 1024, 20000, 1<<40 - 1
	column := make([]int64, rows)
	groups := make([]uint32, rows)
	for i := range column {
		column[i], groups[i] = x, uint32(i%2)
	}
	a := bind(t, "sum", types.BigInt)
	acc := a.New()
	acc.Resize(2)
	v := []*types.Vector{types.NewFixed(types.BigInt, column, nil)}
	for range batches {
		if err := acc.Update(nil, groups, v, rows); err != nil {
			t.Fatal(err)
		}
	}
	if acc.(*sums[int64]).totals == nil {
		t.Fatal("the test does not reach 128 bits")
	}
	// A few enormous values beside them.
	if err := acc.Update(nil, []uint32{0, 1}, []*types.Vector{types.NewFixed(types.BigInt, []int64{math.MinInt64, math.MaxInt64}, nil)}, 2); err != nil {
		t.Fatal(err)
	}
	result, err := acc.Finish(nil, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for g, extreme := range []int64{math.MinInt64, math.MaxInt64} {
		want := new(big.Int).Mul(big.NewInt(x), big.NewInt(rows/2*batches))
		want.Add(want, big.NewInt(extreme))
		if got := types.Value(result, g).(*big.Int); got.Cmp(want) != 0 {
			t.Errorf("group %d: %s, want %s", g, got, want)
		}
	}
}

// TestQuotient compares averages with those that DuckDB 1.5.6 prints for TPC-H query 1 and with exact division.
func TestQuotient(t *testing.T) {
	for _, c := range []struct {
		sum, count int64
		scale      int
		want       string
	}{
		{38045600, 14876, 2, "25.575154611454693"},
		{53234821165, 14876, 2, "35785.70930693735"},
		{104150284145, 29181, 2, "35691.129209074395"},
		{53459444535, 14902, 2, "35874.00653268018"},
		{1, 3, 18, "3.3333333333333334e-19"},
		{math.MaxInt64, 3, 0, "3.0744573456182584e+18"},
		{math.MinInt64, 1, 18, "-9.223372036854776"},
	} {
		got := types.Text(types.NewFixed(types.Double, []float64{quotient(int256Of(int128Of(c.sum)), c.count, c.scale)}, nil), 0)
		if got != c.want {
			t.Errorf("%d / (%d * 10^%d) = %s, want %s", c.sum, c.count, c.scale, got, c.want)
		}
	}
}

// TestStringsAreCompacted replaces the string of each group many times: the memory held stays near that of what is kept.
func TestStringsAreCompacted(t *testing.T) {
	const groupCount, rounds = 1000, 400
	a := bind(t, "max", types.Varchar)
	acc := a.New()
	acc.Resize(groupCount)
	groups := make([]uint32, groupCount)
	for g := range groups {
		groups[g] = uint32(g)
	}
	text := func(round, g int) string { return fmt.Sprintf("%06d %06d %s", round, g, strings.Repeat("x", 30)) }
	for round := range rounds {
		b := kernels.NewViewBuilder(&kernels.Env{}, types.Varchar, groupCount)
		for g := range groups {
			b.Append([]byte(text(round, g)))
		}
		if err := acc.Update(nil, groups, []*types.Vector{b.Finish(nil)}, groupCount); err != nil {
			t.Fatal(err)
		}
	}
	held := 0
	for _, c := range acc.(*viewExtremes).chunks {
		held += cap(c.Bytes)
	}
	if held > 4*maxChunk {
		t.Errorf("%d bytes are held for %d", held, groupCount*len(text(0, 0)))
	}
	result, _ := acc.Finish(nil, 0, groupCount)
	for g := range groups {
		if got := types.Text(result, g); got != text(rounds-1, g) {
			t.Fatalf("group %d: %q", g, got)
		}
	}
}

// TestRowsAreCompacted does the same for last, which replaces its rows with every batch.
func TestRowsAreCompacted(t *testing.T) {
	const groupCount = 500
	acc := bind(t, "last", types.ListOf(types.Varchar)).New()
	acc.Resize(groupCount)
	groups := make([]uint32, groupCount)
	rows := make([]any, groupCount)
	for round := range 100 {
		for g := range groups {
			groups[g] = uint32(g)
			rows[g] = []any{fmt.Sprintf("a long enough text %d", round), nil}
		}
		if err := acc.Update(nil, groups, []*types.Vector{values(t, types.ListOf(types.Varchar), rows...)}, groupCount); err != nil {
			t.Fatal(err)
		}
	}
	if s := acc.(*firsts); s.rows > 2*groupCount+minStoredRows {
		t.Errorf("%d rows are held for %d groups", s.rows, groupCount)
	}
	result, _ := acc.Finish(nil, 0, groupCount)
	if got := types.Text(result, groupCount-1); got != "['a long enough text 99', NULL]" && got != "[a long enough text 99, NULL]" {
		t.Errorf("got %s", got)
	}
}

// TestAverageOfIntervals divides part by part, as DuckDB 1.5.6 does.
func TestAverageOfIntervals(t *testing.T) {
	avg := bind(t, "avg", types.Interval)
	for _, c := range []struct {
		rows []any
		want types.MonthDayNano
	}{
		{[]any{types.MonthDayNano{Months: 1}, types.MonthDayNano{Days: 2}}, types.MonthDayNano{Days: 16}},
		{[]any{types.MonthDayNano{Months: 1}, types.MonthDayNano{Months: 2}}, types.MonthDayNano{Months: 1, Days: 15}},
		{[]any{types.MonthDayNano{Months: -1}, types.MonthDayNano{Days: 2}, types.MonthDayNano{}}, types.MonthDayNano{Days: -10, Nanos: 16 * 3600 * 1e9}},
		{[]any{types.MonthDayNano{Nanos: -3}, nil, types.MonthDayNano{Nanos: -4}}, types.MonthDayNano{Nanos: -3}},
	} {
		if got, err := total(t, avg, values(t, types.Interval, c.rows...)); err != nil || got != c.want {
			t.Errorf("avg(%v) = %v, %v, want %v", c.rows, got, err, c.want)
		}
	}
}

// TestQuantileParameters checks fractions in lists, of both signs, and what is not taken.
func TestQuantileParameters(t *testing.T) {
	column := values(t, types.Integer, 7, 1, nil, 4, 2)
	for _, c := range []struct {
		name       string
		fractions  []any
		descending bool
		want       string
	}{
		{"quantile_cont", []any{0.0, 0.25, 0.5, 1.0}, false, "[1.0, 1.75, 3.0, 7.0]"},
		{"quantile_cont", []any{0.0, 0.25}, true, "[7.0, 4.75]"},
		{"quantile_cont", []any{-0.25, -1.0}, false, "[4.75, 1.0]"},
		{"quantile_cont", []any{-0.25, -1.0}, true, "[1.75, 7.0]"},
		{"quantile_disc", []any{0.0, 0.25, 0.26, 0.5, 1.0}, false, "[1, 1, 2, 2, 7]"},
		{"quantile_disc", []any{0.0, 0.25, 0.26}, true, "[7, 7, 4]"},
		{"quantile_disc", []any{}, false, "[]"},
		{"quantile_disc", []any{0.5, nil}, false, ""},
		{"quantile_disc", []any{0.5, 1.1}, false, ""},
		{"quantile_disc", []any{0.5, -0.1}, false, ""},
		{"quantile_disc", []any{math.NaN()}, false, ""},
	} {
		list := values(t, types.ListOf(types.Double), c.fractions)
		direction := values(t, types.Boolean, c.descending)
		a, err := newSet().Lookup(c.name).BindAggregate([]expr.Arg{
			{Type: column.Type()}, {Type: list.Type(), Constant: list}, {Type: types.Boolean, Constant: direction},
		})
		if err != nil {
			if c.want != "" {
				t.Errorf("%s %v: %v", c.name, c.fractions, err)
			}
			continue
		}
		x, err := kernels.Cast(&kernels.Env{}, column, a.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		acc := a.New()
		acc.Resize(2)
		if err := acc.Update(nil, nil, []*types.Vector{x}, x.Len()); err != nil {
			t.Fatal(err)
		}
		v, err := acc.Finish(nil, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := types.Text(v, 0); got != c.want || types.Value(v, 1) != nil {
			t.Errorf("%s %v gave %s, want %s", c.name, c.fractions, got, c.want)
		}
	}
}

// TestApproxCountDistinct checks the error of the estimate over many counts, whole and merged.
func TestApproxCountDistinct(t *testing.T) {
	a := bind(t, "approx_count_distinct", types.BigInt)
	for _, n := range []int{1, 100, 129, 1000, 20_000, 300_000} {
		parts := []expr.Accumulator{a.New(), a.New(), a.New()}
		for p, acc := range parts {
			acc.Resize(1)
			var column []int64
			for i := range n {
				if i%2 == 0 || i%len(parts) == p {
					column = append(column, int64(i)*1000)
				}
			}
			if err := acc.Update(nil, nil, []*types.Vector{types.NewFixed(types.BigInt, column, nil)}, len(column)); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range parts[1:] {
			state, err := o.State(nil, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := parts[0].Merge(nil, nil, state); err != nil {
				t.Fatal(err)
			}
		}
		v, err := parts[0].Finish(nil, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := types.ValuesOf[int64](v)[0]
		if most := 0.05 * float64(n); math.Abs(float64(got)-float64(n)) > most || n <= maxExact && got != int64(n) {
			t.Errorf("%d values are estimated as %d", n, got)
		}
	}
}

// TestTopsAreCut checks that min(x, n) does not keep all rows, and keeps the right ones.
func TestTopsAreCut(t *testing.T) {
	n := values(t, types.Integer, 3)
	for _, c := range []struct{ name, want string }{{"min", "[0, 1, 2]"}, {"max", "[99999, 99998, 99997]"}} {
		a, err := newSet().Lookup(c.name).BindAggregate([]expr.Arg{{Type: types.BigInt}, {Type: types.Integer, Constant: n}})
		if err != nil {
			t.Fatal(err)
		}
		acc := a.New()
		acc.Resize(2)
		for from := 0; from < 100_000; from += 1000 {
			column, groups := make([]int64, 1000), make([]uint32, 1000)
			for i := range column {
				column[i] = int64((from + i) * 7 % 100_000)
				groups[i] = 1
			}
			if err := acc.Update(nil, groups, []*types.Vector{types.NewFixed(types.BigInt, column, nil)}, 1000); err != nil {
				t.Fatal(err)
			}
		}
		if kept := len(acc.(*tops).columns[0].groups); kept > 3*minTopRows {
			t.Errorf("%s keeps %d rows", c.name, kept)
		}
		v, err := acc.Finish(nil, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := types.Text(v, 1); got != c.want || types.Value(v, 0) != nil {
			t.Errorf("%s gave %s, want %s", c.name, got, c.want)
		}
	}
}
