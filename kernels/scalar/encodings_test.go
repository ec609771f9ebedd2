package scalar

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Columns of the test expressions: a name in SQL text stands for a column of that type.
var testColumns = []struct {
	name string
	typ  types.Type
	gen  func(rng *rand.Rand) any
}{
	{"tiny", types.TinyInt, func(rng *rand.Rand) any { return rng.IntN(256) - 128 }},
	{"int", types.Integer, func(rng *rand.Rand) any { return rng.IntN(41) - 20 }},
	{"big", types.BigInt, func(rng *rand.Rand) any { return rng.IntN(11) - 5 }},
	{"dbl", types.Double, func(rng *rand.Rand) any {
		return []float64{-2.5, 0, 0.5, 1, 2.5, 100, math.NaN(), math.Inf(1)}[rng.IntN(8)]
	}},
	{"flt", types.Float, func(rng *rand.Rand) any { return []float32{-2.5, 0, 0.5, 1.5}[rng.IntN(4)] }},
	{"dec", types.Decimal(6, 2), func(rng *rand.Rand) any { return fmt.Sprintf("%.2f", float64(rng.IntN(2000)-1000)/100) }},
	{"wide", types.Decimal(30, 3), func(rng *rand.Rand) any { return fmt.Sprintf("%.3f", float64(rng.IntN(20000)-10000)/1000) }},
	{"txt", types.Varchar, func(rng *rand.Rand) any {
		return []string{"", "a", "abc", "héllo wörld, this is long", "  blanks  ", "A%b_c", "aaaa,bbbb,cccc,dddd", "éé"}[rng.IntN(8)]
	}},
	{"pat", types.Varchar, func(rng *rand.Rand) any {
		return []string{"", "%", "a%", "_", "%b_c", "%l%o%", "é", "%,%"}[rng.IntN(8)]
	}},
	{"day", types.Date, func(rng *rand.Rand) any { return time.Unix(int64(rng.IntN(40000)-20000)*86400, 0) }},
	{"ts", types.Timestamp, func(rng *rand.Rand) any { return time.UnixMicro(rng.Int64N(4e15) - 2e15) }},
	{"span", types.Interval, func(rng *rand.Rand) any {
		return types.MonthDayNano{Months: int32(rng.IntN(30) - 15), Days: int32(rng.IntN(60)), Nanos: rng.Int64N(1e14)}
	}},
	{"cond", types.Boolean, func(rng *rand.Rand) any { return rng.IntN(2) == 0 }},
}

var testExpressions = strings.Split(strings.TrimSpace(`
int + big
tiny + int
int - 3
int * big
int / big
int // big
int % big
dbl // flt
dec + int
dec * wide
dec % wide
-int
-dec
int = big
dbl < flt
dec >= wide
txt <> pat
txt > 'b'
day = ts
int IS DISTINCT FROM big
txt IS NOT DISTINCT FROM pat
NOT cond
cond IS TRUE
txt IS NULL
day + int
day - day
ts - day
day + span
ts - span
span * big
abs(int)
abs(wide)
abs(flt)
sign(dbl)
exp(dbl)
sqrt(dbl)
ln(dbl)
log(dbl, flt)
sin(dbl)
acos(dbl)
power(dbl, int)
isnan(dbl)
round(dec)
round(dec, -1)
round(dbl, int)
round(int, int)
floor(dec)
ceil(wide)
floor(dbl)
trunc(dec)
length(txt)
substring(txt, int, big)
substring(txt, 2)
left(txt, int)
right(txt, 3)
trim(txt)
ltrim(txt, pat)
upper(txt)
lower(txt)
replace(txt, pat, 'é')
replace(txt, 'b', pat)
repeat(txt, big)
reverse(txt)
split_part(txt, ',', big)
strpos(txt, pat)
lpad(txt, int, 'xy')
rpad(txt, 6, 'é')
lpad(txt, 9, pat)
chr(tiny)
txt LIKE pat ESCAPE pat
round(big, int)
ascii(txt)
starts_with(txt, pat)
contains(txt, 'l')
txt LIKE pat
txt NOT LIKE 'a%'
txt ILIKE pat
txt LIKE '%\_%' ESCAPE '\'
txt || pat
txt || int
concat(txt, int, pat)
concat_ws(pat, txt, int)
date_part('year', day)
date_part('isoyear', ts)
date_part('epoch', ts)
date_part('month', span)
date_trunc('month', day)
date_trunc('hour', ts)
date_trunc('day', span)
week(day)
greatest(int, big, tiny)
least(txt, pat)
greatest(dec, wide)
nullif(int, big)
nullif(txt, pat)
typeof(int)
hash(txt, int)
`), "\n")

// TestEncodings evaluates every expression over columns in every encoding, and compares each selected row with the same expression
// over constants.
func TestEncodings(t *testing.T) {
	set := newSet()
	const n = 150
	for _, sql := range testExpressions {
		t.Run(sql, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(sql))))
			var columns []*expr.Expr
			for i, c := range testColumns {
				columns = append(columns, expr.NewColumn(i, c.name, c.typ, true))
			}
			e, err := readWithColumns(set, sql, columns)
			if err != nil {
				t.Fatal(err)
			}
			used := map[int]bool{}
			e.Columns(func(c int) { used[c] = true })
			program := expr.Compile(e)
			for round := range 12 {
				batch := types.NewBatch(make([]*types.Vector, len(testColumns)), n, 0)
				for i, c := range testColumns {
					batch.Columns[i] = types.NewNull(c.typ, n)
					if used[i] {
						batch.Columns[i] = randomColumn(t, rng, c.typ, c.gen, n, round)
					}
				}
				// Rows on which the expression fails are not selected: the kernels must not raise for them.
				selection := make(types.Bitmap, types.BitmapWords(n))
				want := make([]string, n)
				for i := range n {
					row := e.Rewrite(func(x *expr.Expr) *expr.Expr {
						if x.Op == expr.Column {
							return expr.NewConstant(rowOf(batch.Columns[x.Column], i))
						}
						return x
					})
					if v, err := expr.Evaluate(row); err == nil {
						want[i] = types.Text(v, 0)
						selection.Set(i)
					}
				}
				if selection.Count(n) == n {
					selection = nil
				} else {
					batch = batch.Select(selection)
				}
				pool := types.NewPool()
				out, err := expr.NewEvaluator(program, pool).Eval(nil, batch)
				if err != nil {
					t.Fatalf("round %d: a row that is not selected raised: %v", round, err)
				}
				if !out[0].Type().Equal(e.Type) || out[0].Len() != n {
					t.Fatalf("%d rows of %s, want %d of %s", out[0].Len(), out[0].Type(), n, e.Type)
				}
				for i := range n {
					if got := types.Text(out[0], i); selection.Has(i) && got != want[i] {
						t.Fatalf("round %d, row %d: %s, want %s", round, i, got, want[i])
					}
				}
			}
		})
	}
}

// readWithColumns reads SQL text in which names of columns stand for them.
func readWithColumns(set *expr.Set, sql string, columns []*expr.Expr) (*expr.Expr, error) {
	names := map[string]*expr.Expr{}
	for _, c := range columns {
		names[strings.ToUpper(c.Name)] = c
	}
	return readSQLWith(set, sql, names)
}

// rowOf gives one row as a plain vector.
func rowOf(v *types.Vector, i int) *types.Vector {
	plain, row, ok := v.Locate(i)
	if !ok {
		return types.NewNull(v.Type(), 1)
	}
	return plain.Slice(nil, row, row+1)
}

// randomColumn gives a column in the encoding that the round and chance choose.
func randomColumn(t *testing.T, rng *rand.Rand, typ types.Type, gen func(*rand.Rand) any, n, round int) *types.Vector {
	values := func(n int, nulls bool) *types.Vector {
		all := make([]any, n)
		for i := range all {
			if !nulls || rng.IntN(6) > 0 {
				all[i] = gen(rng)
			}
		}
		v, err := types.FromValues(nil, typ, all)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch nulls := round%2 == 0; rng.IntN(4) {
	case 0:
		return values(n, nulls)
	case 1:
		return types.NewConstant(values(1, nulls), n)
	case 2:
		entries := values(9, nulls)
		keys := make([]uint32, n)
		var valid types.Bitmap
		if nulls {
			valid = make(types.Bitmap, types.BitmapWords(n))
		}
		for i := range keys {
			keys[i] = rng.Uint32N(9)
			if nulls && rng.IntN(5) > 0 {
				valid.Set(i)
			}
		}
		return types.NewDictionary(keys, entries, valid)
	default:
		var ends []int32
		for at := 0; at < n; {
			at = min(n, at+1+rng.IntN(20))
			ends = append(ends, int32(at))
		}
		return types.NewRunEnd(ends, values(len(ends), nulls))
	}
}
