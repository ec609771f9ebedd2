package exec

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// keyDomain is a type with values; those of one class are equal in SQL.
type keyDomain struct {
	typ    types.Type
	values []keyValue
}

type keyValue struct {
	value any
	class int
}

func domain(typ types.Type, classes ...[]any) keyDomain {
	d := keyDomain{typ: typ}
	for class, values := range classes {
		for _, v := range values {
			d.values = append(d.values, keyValue{v, class})
		}
	}
	return d
}

func each(values ...any) [][]any {
	var classes [][]any
	for _, v := range values {
		classes = append(classes, []any{v})
	}
	return classes
}

var keyDomains = func() []keyDomain {
	day := time.Date(2024, 2, 29, 13, 14, 15, 0, time.UTC)
	const long = "a key that is too long to lie inside of its view: "
	domains := []keyDomain{
		domain(types.Boolean, each(true, false)...),
		domain(types.TinyInt, each(int8(-128), int8(0), int8(127))...),
		domain(types.SmallInt, each(int16(-5), int16(0), int16(300))...),
		domain(types.Integer, each(int32(-7), int32(0), int32(1), int32(1<<30))...),
		domain(types.BigInt, each(int64(0), int64(1), int64(2), int64(3), int64(4))...),
		domain(types.BigInt, each(int64(math.MinInt64), int64(-1), int64(0), int64(math.MaxInt64))...),
		domain(types.UTinyInt, each(uint8(0), uint8(200))...),
		domain(types.USmallInt, each(uint16(0), uint16(65535))...),
		domain(types.UInteger, each(uint32(0), uint32(math.MaxUint32))...),
		domain(types.UBigInt, each(uint64(0), uint64(1), uint64(math.MaxUint64))...),
		domain(types.HugeInt, each(0, 1, math.MinInt64)...),
		domain(types.Half, []any{float32(0), float32(negativeZero)}, []any{float32(1.5)}, []any{float32(nan), float32(otherNaN)}),
		domain(types.Float, []any{float32(0), float32(negativeZero)}, []any{float32(1.5)}, []any{float32(nan), float32(otherNaN)}),
		domain(types.Double, []any{0.0, negativeZero}, []any{1.5}, []any{nan, otherNaN}, []any{math.Inf(-1)}),
		domain(types.Decimal(9, 2), each("0.00", "-12.34", "99999.99")...),
		domain(types.Decimal(30, 3), each("0.000", "-12.345", "123456789012345678901.234")...),
		domain(types.Decimal(50, 2), each("0.00", "-12.34", "123456789012345678901234567890.12")...),
		domain(types.Varchar, each("", "a", "ab", "twelve bytes", long+"a", long+"b")...),
		domain(types.Varchar, each("", "a", "b")...),
		domain(types.Blob, each([]byte{}, []byte{0}, []byte(long+"a"))...),
		domain(types.Date, each(day, day.AddDate(0, 0, 1))...),
		domain(types.TimeOf(types.Microsecond), each(time.Duration(0), time.Hour)...),
		domain(types.TimestampOf(types.Microsecond), each(day, day.Add(time.Second))...),
		domain(types.TimestampTZOf(types.Nanosecond, "UTC"), each(day, day.Add(time.Second))...),
		domain(types.TimestampOffset, []any{day, day.In(time.FixedZone("", 3600))}, []any{day.Add(time.Hour)}),
		domain(types.Interval, []any{types.MonthDayNano{Months: 1}, types.MonthDayNano{Days: 30}}, []any{types.MonthDayNano{Nanos: 5}}),
		domain(types.UUID, each("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")...),
		domain(types.EnumOf([]string{"x", "y", "z"}), each("x", "z")...),
	}
	return domains
}()

// joinRow is a row of a side: the classes of its keys (-1 = NULL), a number (nil = NULL), and its values as text.
type joinRow struct {
	class [2]int
	x     any
	text  []string
}

// joinSideTable makes a table of two keys, a number and a text that tells rows apart.
func joinSideTable(t testing.TB, r *rand.Rand, name string, n int, domains [2]keyDomain, nulls float64, few bool) (*fakeTable, []joinRow) {
	schema := types.Schema{
		{Name: name + "k", Type: domains[0].typ, Nullable: true}, {Name: name + "m", Type: domains[1].typ, Nullable: true},
		{Name: name + "x", Type: types.Integer, Nullable: true}, {Name: name + "id", Type: types.Varchar},
	}
	values, rows := make([][]any, n), make([]joinRow, n)
	for i := range values {
		row := make([]any, 4)
		for k, d := range domains {
			rows[i].class[k] = -1
			if r.Float64() >= nulls {
				v := d.values[r.IntN(len(d.values))]
				if few {
					v = d.values[0]
				}
				row[k], rows[i].class[k] = v.value, v.class
			}
		}
		if r.IntN(5) > 0 {
			row[2] = int32(r.IntN(6))
			rows[i].x = row[2]
		}
		row[3] = fmt.Sprintf("%s%d of a table with long names", name, i)
		values[i] = row
	}
	table := newTable(t, schema, values)
	for i := range rows {
		for _, v := range table.columns {
			rows[i].text = append(rows[i].text, textAt(v, i))
		}
	}
	return table, rows
}

// truth is a value of three-valued logic.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func and(a, b truth) truth { return min(a, b) }

func equalKeys(a, b int, nullSafe bool) truth {
	switch {
	case nullSafe && a == b:
		return yes
	case nullSafe:
		return no
	case a < 0 || b < 0:
		return unknown
	case a == b:
		return yes
	}
	return no
}

// lessX is l.x < r.x.
func lessX(l, r joinRow) truth {
	switch {
	case l.x == nil || r.x == nil:
		return unknown
	case l.x.(int32) < r.x.(int32):
		return yes
	}
	return no
}

// joinCase is a join of two tables with columns as joinSideTable makes them.
type joinCase struct {
	kind          plan.JoinKind
	buildLeft     bool
	keys          []testKey
	condition     bool // l.x < r.x
	markKeys      []testKey
	markCondition bool
	loop          bool
	ranges        bool // the condition is given as a range
	between       bool // and l.x >= r.x - 2
}

type testKey struct {
	column   int
	nullSafe bool
}

func (c joinCase) keyTruth(keys []testKey, l, r joinRow) truth {
	result := yes
	for _, k := range keys {
		result = and(result, equalKeys(l.class[k.column], r.class[k.column], k.nullSafe))
	}
	return result
}

func (c joinCase) matches(l, r joinRow) bool {
	result := c.keyTruth(c.keys, l, r)
	if c.condition {
		result = and(result, lessX(l, r))
	}
	if c.between && result == yes && r.x.(int32)-2 > l.x.(int32) {
		result = no
	}
	return result == yes
}

var errTwoRows = errors.New("two rows")

// want joins by trying every pair.
func (c joinCase) want(left, right []joinRow) ([][]string, error) {
	rows := [][]string{}
	nulls := []string{"NULL", "NULL", "NULL", "NULL"}
	pair := func(l, r []string) { rows = append(rows, append(slices.Clone(l), r...)) }
	leftMatched, rightMatched := make([]bool, len(left)), make([]bool, len(right))
	for li, l := range left {
		for ri, r := range right {
			if c.matches(l, r) {
				if c.kind == plan.SingleJoin && leftMatched[li] {
					return nil, errTwoRows
				}
				leftMatched[li], rightMatched[ri] = true, true
			}
		}
	}
	switch c.kind {
	case plan.SemiJoin, plan.AntiJoin:
		for li, l := range left {
			if leftMatched[li] == (c.kind == plan.SemiJoin) {
				rows = append(rows, l.text)
			}
		}
		return rows, nil
	case plan.MarkJoin:
		for _, l := range left {
			mark := no
			for _, r := range right {
				if !c.matches(l, r) {
					continue
				}
				m := c.keyTruth(c.markKeys, l, r)
				if c.markCondition {
					m = and(m, lessX(l, r))
				}
				mark = max(mark, m)
			}
			rows = append(rows, append(slices.Clone(l.text), [...]string{"false", "NULL", "true"}[mark]))
		}
		return rows, nil
	}
	outerLeft := c.kind == plan.LeftJoin || c.kind == plan.FullJoin || c.kind == plan.SingleJoin
	outerRight := c.kind == plan.RightJoin || c.kind == plan.FullJoin
	if c.buildLeft {
		for ri, r := range right {
			for _, l := range left {
				if c.matches(l, r) {
					pair(l.text, r.text)
				}
			}
			if !rightMatched[ri] && outerRight {
				pair(nulls, r.text)
			}
		}
		for li, l := range left {
			if !leftMatched[li] && outerLeft {
				pair(l.text, nulls)
			}
		}
		return rows, nil
	}
	for li, l := range left {
		for _, r := range right {
			if c.matches(l, r) {
				pair(l.text, r.text)
			}
		}
		if !leftMatched[li] && outerLeft {
			pair(l.text, nulls)
		}
	}
	for ri, r := range right {
		if !rightMatched[ri] && outerRight {
			pair(nulls, r.text)
		}
	}
	return rows, nil
}

// build makes the plan.
func (c joinCase) build(left, right plan.Physical) plan.Physical {
	keys := func(keys []testKey) []plan.JoinKey {
		var out []plan.JoinKey
		for _, k := range keys {
			out = append(out, plan.JoinKey{Left: column(left, k.column), Right: column(right, k.column), NullSafe: k.nullSafe})
		}
		return out
	}
	less := call("lt", column(left, 2), expr.NewColumn(len(left.Schema())+2, "rx", types.Integer, true))
	var condition *expr.Expr
	if c.condition {
		condition = less
	}
	var mark *plan.PhysicalMark
	if c.kind == plan.MarkJoin {
		mark = &plan.PhysicalMark{Keys: keys(c.markKeys)}
		if c.markCondition {
			mark.Condition = less
		}
	}
	var columns []int
	op := plan.Operator{}
	add := func(at int, fields types.Schema) {
		for i, f := range fields {
			f.Nullable = true
			op.Output = append(op.Output, f)
			columns = append(columns, at+i)
		}
	}
	add(0, left.Schema())
	switch c.kind {
	case plan.SemiJoin, plan.AntiJoin:
	case plan.MarkJoin:
		add(len(left.Schema())+len(right.Schema()), types.Schema{{Name: "mark", Type: types.Boolean}})
	default:
		add(len(left.Schema()), right.Schema())
	}
	if c.loop {
		p := &plan.LoopJoin{Operator: op, Kind: c.kind, Left: left, Right: right, Condition: condition, Columns: columns}
		if c.ranges {
			p.Condition = nil
			p.Ranges = []plan.JoinRange{{Op: kernels.Less, Left: column(left, 2), Right: column(right, 2), Condition: less}}
		}
		if c.between {
			low := func(x *expr.Expr) *expr.Expr { return call("subtract", x, constant(types.Integer, 2)) }
			p.Ranges = append(p.Ranges, plan.JoinRange{
				Op: kernels.GreaterEqual, Left: column(left, 2), Right: low(column(right, 2)),
				Condition: call("ge", column(left, 2), low(expr.NewColumn(len(left.Schema())+2, "rx", types.Integer, true))),
			})
		}
		if mark != nil {
			if p.Mark = mark.Condition; p.Mark == nil {
				p.Mark = expr.NewBool(true)
			}
		}
		return p
	}
	return &plan.HashJoin{
		Operator: op, Kind: c.kind, Left: left, Right: right, BuildLeft: c.buildLeft, Keys: keys(c.keys), Condition: condition, Mark: mark, Columns: columns,
	}
}

func randomJoin(r *rand.Rand) joinCase {
	flip := func() bool { return r.IntN(2) == 0 }
	someKeys := func(first int) []testKey {
		keys := []testKey{{first, r.IntN(4) == 0}}
		if r.IntN(3) == 0 {
			keys = append(keys, testKey{1 - first, r.IntN(4) == 0})
		}
		return keys
	}
	c := joinCase{kind: plan.JoinKind(r.IntN(int(plan.SingleJoin) + 1)), condition: r.IntN(3) == 0, loop: r.IntN(4) == 0}
	if c.loop && c.condition {
		c.ranges = flip()
		c.between = c.ranges && flip()
	}
	if c.kind == plan.MarkJoin {
		c.markCondition = r.IntN(3) == 0
		if !c.loop {
			if flip() {
				c.keys = someKeys(1)
			}
			if c.keys == nil || flip() {
				c.markKeys = someKeys(0)
			}
		}
		return c
	}
	if !c.loop {
		c.keys = someKeys(r.IntN(2))
		c.buildLeft = flip() && c.kind != plan.SingleJoin
	}
	return c
}

// constants encodes a plain vector as constants where all its rows are equal.
func constants(env *kernels.Env, v *types.Vector) *types.Vector {
	if v.Len() == 0 {
		return v
	}
	for i := range v.Len() {
		if textAt(v, i) != textAt(v, 0) {
			return v
		}
	}
	return types.NewConstant(v.Slice(env.Pool, 0, 1), v.Len())
}

// TestJoins compares joins of random tables with the naive join.
func TestJoins(t *testing.T) {
	shapes := append([]variant{{"constants", func(t *fakeTable) { t.encode, t.morselRows = constants, 3 }}}, variants...)
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 77))
		c := randomJoin(r)
		domains := [2]keyDomain{keyDomains[r.IntN(len(keyDomains))], keyDomains[r.IntN(len(keyDomains))]}
		sizes := []int{0, 1, 2, 7, 30, 90}
		if c.kind == plan.SingleJoin {
			sizes = []int{0, 1, 2, 7}
		}
		nulls := []float64{0, 0.2, 0.2, 1}
		few := r.IntN(8) == 0
		lt, left := joinSideTable(t, r, "l", sizes[r.IntN(len(sizes))], domains, nulls[r.IntN(4)], few)
		rt, right := joinSideTable(t, r, "r", sizes[r.IntN(len(sizes))], domains, nulls[r.IntN(4)], few)
		shape := [2]variant{shapes[r.IntN(len(shapes))], shapes[r.IntN(len(shapes))]}
		for i, table := range []*fakeTable{lt, rt} {
			table.morselRows = 1 + r.IntN(40)
			shape[i].apply(table)
		}
		keepSelected := func(rows []joinRow, table *fakeTable) []joinRow {
			var kept []joinRow
			for i, row := range rows {
				if table.selected == nil || table.selected(i) {
					kept = append(kept, row)
				}
			}
			return kept
		}
		want, wantErr := c.want(keepSelected(left, lt), keepSelected(right, rt))
		batch, threads := []int{1, 3, 16, 0}[r.IntN(4)], []int{1, 2, 2, 64}[r.IntN(4)]
		name := fmt.Sprintf("seed %d: %+v, %s and %s, %s (%d rows) with %s (%d rows), batches of %d, %d threads",
			seed, c, domains[0].typ, domains[1].typ, shape[0].name, lt.rows, shape[1].name, rt.rows, batch, threads)
		got, err := newRun(threads, batch).rows(t, c.build(scanOf(lt), scanOf(rt)))
		if wantErr != nil {
			wantCode(t, err, types.CodeCardinalityViolation)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.ranges { // whose matches come in the order of the range
			sortRowsOf(got)
			sortRowsOf(want)
		}
		if d := difference(got, want); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	}
}
