package exec

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// windowOf computes calls over a window.
func windowOf(input plan.Physical, partition []*expr.Expr, order []plan.SortKey, calls ...plan.WindowCall) plan.Physical {
	p := &plan.WindowRows{Input: input, PartitionBy: partition, OrderBy: order, Calls: calls}
	p.Output = append(p.Output, input.Schema()...)
	for _, c := range calls {
		p.Output = append(p.Output, c.Output.Field)
	}
	return p
}

// windowCallOf binds a function or an aggregate as the binder does.
func windowCallOf(name string, frame plan.Frame, args ...*expr.Expr) plan.WindowCall {
	c := plan.WindowCall{Frame: frame}
	if family := functions.Lookup(name); family.BindWindow != nil {
		f, err := family.BindWindow(argsOf(args))
		if err != nil || f == nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		c.Function, c.Output.Field = f, types.Field{Name: name, Type: f.Result, Nullable: true}
		for i, t := range f.Args {
			if i < len(args) {
				c.Args = append(c.Args, expr.Fold(expr.NewCast(args[i], t, false)))
			} else {
				c.Args = append(c.Args, f.Defaults[i-len(f.Args)+len(f.Defaults)])
			}
		}
		return c
	}
	a := aggregateOf(name, args...)
	c.Aggregate, c.Args = a.Function, a.Args
	c.Output.Field = types.Field{Name: name, Type: a.Function.Result, Nullable: true}
	return c
}

// rowsFrame is a frame of ROWS; a bound of 0 is the current row.
func rowsFrame(from, to int) plan.Frame {
	bound := func(n int) plan.FrameBound {
		switch {
		case n < 0:
			return plan.FrameBound{Kind: plan.OffsetPreceding, Offset: integer(-n)}
		case n > 0:
			return plan.FrameBound{Kind: plan.OffsetFollowing, Offset: integer(n)}
		}
		return plan.FrameBound{Kind: plan.CurrentRow}
	}
	return plan.Frame{Start: bound(from), End: bound(to)}
}

// everyMethod gives calls that are computed in every way; the last ones give integers.
func everyMethod(input plan.Physical, value *expr.Expr) []plan.WindowCall {
	whole := plan.Frame{Start: plan.FrameBound{Kind: plan.UnboundedPreceding}, End: plan.FrameBound{Kind: plan.UnboundedFollowing}}
	rest := plan.Frame{Start: plan.FrameBound{Kind: plan.CurrentRow}, End: whole.End}
	sliding := rowsFrame(-3, 2)
	distinctCount := windowCallOf("count", sliding, value)
	distinctCount.Distinct = true
	ignoring := windowCallOf("first_value", sliding, value)
	ignoring.IgnoreNulls = true
	return []plan.WindowCall{
		windowCallOf("max", plan.DefaultFrame(), value), windowCallOf("min", rest, value), windowCallOf("max", sliding, value), ignoring,
		windowCallOf("row_number", plan.DefaultFrame()), windowCallOf("count", whole, value), windowCallOf("count", sliding, value), distinctCount,
	}
}

// TestWindowCancel cancels windows while they compute: many workers' worth of frames that have to be looked at row by row.
func TestWindowCancel(t *testing.T) {
	table := newTable(t, people, somePeople(20000, 3))
	s := scanOf(table)
	slow := windowCallOf("count", rowsFrame(-15000, 0), column(s, idColumn))
	slow.Distinct = true
	best := time.Hour
	for range 5 { // the machine may be busy with something else
		if best = min(best, timeToCancel(t, "window", windowOf(s, nil, nil, slow), 2, false)); best <= 100*time.Millisecond {
			return
		}
	}
	t.Errorf("the cancelled query took %v to end", best)
}

// windowTable has few distinct values in each column, so that partitions, peers and duplicates are common.
var windowTable = types.Schema{
	{Name: "id", Type: types.BigInt},
	{Name: "p", Type: types.Varchar, Nullable: true},
	{Name: "k", Type: types.BigInt, Nullable: true},
	{Name: "f", Type: types.Double, Nullable: true},
	{Name: "v", Type: types.BigInt, Nullable: true},
	{Name: "s", Type: types.Varchar, Nullable: true},
	{Name: "n", Type: types.BigInt}, // offsets: not negative
	{Name: "d", Type: types.Decimal(30, 2), Nullable: true},
	{Name: "b", Type: types.Boolean, Nullable: true},
}

const (
	wID = iota
	wP
	wK
	wF
	wV
	wS
	wN
	wD
	wB
)

func windowRowsOf(r *rand.Rand, n int) [][]any {
	floats := []any{nan, otherNaN, math.Inf(1), math.Inf(-1), 0.0, negativeZero, 1.0, 1.5, 2.0, 3.0, nil}
	rows := make([][]any, n)
	pick := func(nulls int, v any) any {
		if r.IntN(nulls) == 0 {
			return nil
		}
		return v
	}
	partitions := 1 + r.IntN(4)
	for i := range rows {
		rows[i] = []any{
			int64(i), pick(5, fmt.Sprintf("partition %d long name", r.IntN(partitions))), pick(6, int64(r.IntN(12))), floats[r.IntN(len(floats))],
			pick(4, int64(r.IntN(9)-4)), pick(4, strings.Repeat("text ", r.IntN(5))), int64(r.IntN(4)),
			pick(4, fmt.Sprintf("%d.25", r.IntN(20)-9)), pick(3, r.IntN(2) == 0),
		}
	}
	return rows
}

// randomWindow is a window over the table with one call.
func randomWindow(r *rand.Rand, s plan.Physical) *plan.WindowRows {
	var partition []*expr.Expr
	switch r.IntN(5) {
	case 0, 1:
		partition = append(partition, column(s, wP))
	case 2:
		partition = append(partition, column(s, wK))
	case 3:
		partition = append(partition, column(s, wF), column(s, wP))
	}
	var order []plan.SortKey
	key := func(i int) plan.SortKey {
		return plan.SortKey{Expr: column(s, i), Descending: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}
	}
	switch r.IntN(5) {
	case 0:
	case 1:
		order = append(order, key(wF))
	case 2:
		order = append(order, key(wS), key(wK))
	default:
		order = append(order, key(wK))
	}
	calls := make([]plan.WindowCall, 1+r.IntN(3))
	for i := range calls {
		calls[i] = randomCall(r, s, order)
	}
	return windowOf(s, partition, order, calls...).(*plan.WindowRows)
}

func randomFrame(r *rand.Rand, s plan.Physical, order []plan.SortKey) plan.Frame {
	f := plan.Frame{Unit: plan.FrameUnit(r.IntN(3)), Exclude: plan.FrameExclusion(max(0, r.IntN(6)-2))}
	for {
		f.Start.Kind, f.End.Kind = plan.BoundKind(r.IntN(4)), plan.BoundKind(1+r.IntN(4))
		offsets := f.Start.Kind%2 == 1 || f.End.Kind%2 == 1
		if f.Unit == plan.FrameRange && offsets && (len(order) != 1 || order[0].Expr.Column == wS) {
			continue
		}
		if f.Start.Kind <= f.End.Kind {
			break
		}
	}
	for _, b := range []*plan.FrameBound{&f.Start, &f.End} {
		if b.Kind%2 == 0 {
			continue
		}
		b.Offset = integer(r.IntN(6))
		if r.IntN(3) == 0 {
			b.Offset = column(s, wN)
		}
		if r.IntN(12) == 0 {
			b.Offset = constant(types.BigInt, int64(math.MaxInt64))
		}
		if f.Unit != plan.FrameRange {
			continue
		}
		op, k := "subtract", order[0]
		if (b.Kind == plan.OffsetFollowing) != k.Descending {
			op = "add"
		}
		if k.Expr.Column == wF {
			b.Limit = call(op, k.Expr, expr.NewCast(b.Offset, types.Double, false))
		} else {
			b.Limit = expr.NewCast(call(op, expr.NewCast(k.Expr, types.HugeInt, false), expr.NewCast(b.Offset, types.HugeInt, false)), types.BigInt, true)
		}
	}
	return f
}

func randomCall(r *rand.Rand, s plan.Physical, order []plan.SortKey) plan.WindowCall {
	frame := randomFrame(r, s, order)
	value := column(s, []int{wV, wS, wF, wD, wB}[r.IntN(5)])
	offset := []*expr.Expr{integer(r.IntN(5) - 2), column(s, wN), expr.NewNull(types.BigInt)}[min(2, r.IntN(5)/2)]
	switch r.IntN(12) {
	case 0:
		return windowCallOf([]string{"row_number", "rank", "dense_rank", "percent_rank", "cume_dist"}[r.IntN(5)], plan.DefaultFrame())
	case 1:
		return windowCallOf("ntile", plan.DefaultFrame(), call("add", column(s, wN), integer(1)))
	case 2, 3:
		args := []*expr.Expr{value, offset, value}[:1+r.IntN(3)]
		c := windowCallOf([]string{"lag", "lead"}[r.IntN(2)], plan.DefaultFrame(), args...)
		c.IgnoreNulls = r.IntN(2) == 0
		return c
	case 4, 5:
		c := windowCallOf([]string{"first_value", "last_value"}[r.IntN(2)], frame, value)
		c.IgnoreNulls = r.IntN(2) == 0
		return c
	case 6:
		c := windowCallOf("nth_value", frame, value, call("add", column(s, wN), integer(1)))
		c.IgnoreNulls = r.IntN(2) == 0
		return c
	}
	name := []string{"count", "sum", "min", "max", "avg", "first", "last", "any_value", "bool_or", "count_if", "stddev", "list", "median"}[r.IntN(13)]
	switch name {
	case "sum", "avg", "median":
		value = column(s, []int{wV, wD, wF}[r.IntN(3)])
	case "bool_or", "count_if":
		value = column(s, wB)
	case "stddev":
		value = column(s, wV)
	}
	c := windowCallOf(name, frame, value)
	c.Distinct = r.IntN(4) == 0 && name != "stddev" // whose result depends on the order of the rows
	if r.IntN(4) == 0 {
		c.Filter = call("gt", column(s, wV), integer(-2))
	}
	if c.Aggregate.OrderSensitive && r.IntN(2) == 0 {
		c.Order = []plan.SortKey{{Expr: column(s, wK), Descending: r.IntN(2) == 0}, {Expr: column(s, wID)}}
	}
	return c
}

// TestWindows compares random windows with the definitions.
func TestWindows(t *testing.T) {
	windows := 250
	if testing.Short() {
		windows = 60
	}
	for seed := range windows {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		rows := r.IntN(80)
		if seed%50 == 49 {
			rows = 900 // more than one level of everything
		}
		table := newTable(t, windowTable, windowRowsOf(r, rows))
		table.morselRows = 1 + r.IntN(40)
		variants[r.IntN(len(variants))].apply(table)
		p := randomWindow(r, scanOf(table))
		want := naiveWindow(t, table, p)
		for _, batchRows := range []int{1, 3, 0} {
			for threads := 1; threads <= 2; threads++ {
				got, err := newRun(threads, batchRows).rows(t, p)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if !sameWindowRows(got, want) {
					_, details := p.Explain()
					t.Fatalf("seed %d, batches of %d, %d threads:\n%s\ngot\n%s\nwant\n%s", seed, batchRows, threads, strings.Join(details, "\n"), lines(got), lines(want))
				}
			}
		}
	}
}

func lines(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&b, strings.Join(row, " | "))
	}
	return b.String()
}

// sameWindowRows compares rows of text; numbers with a fraction may differ in the last digits.
func sameWindowRows(a, b [][]string) bool {
	return slices.EqualFunc(a, b, func(x, y []string) bool {
		return slices.EqualFunc(x, y, func(v, w string) bool {
			if v == w {
				return true
			}
			var p, q float64
			if _, err := fmt.Sscan(v, &p); err != nil {
				return false
			}
			if _, err := fmt.Sscan(w, &q); err != nil {
				return false
			}
			return math.Abs(p-q) <= 1e-9*math.Abs(p)
		})
	})
}

// naive is a window over rows of values, computed row by row from the definitions.
type naive struct {
	plan    *plan.WindowRows
	columns []*types.Vector
	values  map[*expr.Expr]*types.Vector
	order   []int // rows in the order of the window
	groups  []int // by position: the number of changes of the order keys before it
}

// naiveWindow gives the rows of a window over a table.
func naiveWindow(t *testing.T, table *fakeTable, p *plan.WindowRows) [][]string {
	t.Helper()
	w := &naive{plan: p, columns: table.columns, values: map[*expr.Expr]*types.Vector{}}
	var keys []plan.SortKey
	for _, e := range p.PartitionBy {
		keys = append(keys, plan.SortKey{Expr: e})
	}
	keys = append(keys, p.OrderBy...)
	for row := range table.rows {
		if table.selected == nil || table.selected(row) {
			w.order = append(w.order, row)
		}
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return w.compare(keys, a, b) })
	out := [][]string{}
	for at, row := range w.order {
		var texts []string
		for _, v := range table.columns {
			texts = append(texts, textAt(v, row))
		}
		for i := range p.Calls {
			texts = append(texts, w.result(t, &p.Calls[i], at))
		}
		out = append(out, texts)
	}
	return out
}

// value gives an expression for all rows of the table.
func (w *naive) value(e *expr.Expr) *types.Vector {
	if w.values[e] == nil {
		rows := w.columns[0].Len()
		v, err := expr.NewEvaluator(expr.Compile(e), nil).Eval(nil, types.NewBatch(w.columns, rows, 0))
		if err != nil {
			panic(err)
		}
		w.values[e] = v[0]
	}
	return w.values[e]
}

func (w *naive) compare(keys []plan.SortKey, a, b int) int {
	for _, k := range keys {
		key := []kernels.SortKey{{Vector: w.value(k.Expr), Descending: k.Descending, NullsFirst: k.NullsFirst}}
		if c := kernels.CompareRows(key, a, key, b); c != 0 {
			return c
		}
	}
	return 0
}

func (w *naive) isNull(e *expr.Expr, row int) bool {
	_, _, valid := w.value(e).Locate(row)
	return !valid
}

func (w *naive) number(e *expr.Expr, row int) int64 {
	v, i, _ := w.value(e).Locate(row)
	return types.ValuesOf[int64](v)[i]
}

// partition gives the positions of the rows in the partition of a position: from, to.
func (w *naive) partition(at int) (from, to int) {
	same := func(b int) bool {
		for _, e := range w.plan.PartitionBy {
			if w.compare([]plan.SortKey{{Expr: e}}, w.order[at], w.order[b]) != 0 {
				return false
			}
		}
		return true
	}
	for from = at; from > 0 && same(from-1); from-- {
	}
	for to = at; to < len(w.order) && same(to); to++ {
	}
	return from, to
}

func (w *naive) peers(a, b int) bool { return w.compare(w.plan.OrderBy, w.order[a], w.order[b]) == 0 }

// group gives the number of a position's group of peers in the partition.
func (w *naive) group(from, at int) int {
	for i := len(w.groups); i < len(w.order); i++ {
		w.groups = append(w.groups, 0)
		if i > 0 {
			w.groups[i] = w.groups[i-1]
			if !w.peers(i-1, i) {
				w.groups[i]++
			}
		}
	}
	return w.groups[at] - w.groups[from]
}

// frame gives the positions in the frame of a position.
func (w *naive) frame(c *plan.WindowCall, at int) []int {
	from, to := w.partition(at)
	var in []int
	for i := from; i < to; i++ {
		if !w.inside(c, &c.Frame.Start, from, at, i, -1) || !w.inside(c, &c.Frame.End, from, at, i, 1) {
			continue
		}
		switch c.Frame.Exclude {
		case plan.ExcludeCurrentRow:
			if i == at {
				continue
			}
		case plan.ExcludeGroup:
			if w.peers(i, at) {
				continue
			}
		case plan.ExcludeTies:
			if i != at && w.peers(i, at) {
				continue
			}
		}
		in = append(in, i)
	}
	return in
}

// inside reports whether a position is not beyond an end of a frame; side is -1 for the start and 1 for the end.
func (w *naive) inside(c *plan.WindowCall, b *plan.FrameBound, from, at, i, side int) bool {
	if b.Kind == plan.UnboundedPreceding || b.Kind == plan.UnboundedFollowing {
		return true
	}
	offset := int64(0)
	if b.Offset != nil {
		offset = w.number(b.Offset, w.order[at])
		offset = min(offset, 1000)
	}
	if b.Kind == plan.OffsetPreceding {
		offset = -offset
	}
	switch c.Frame.Unit {
	case plan.FrameRows:
		return (int64(i)-int64(at)-offset)*int64(side) <= 0
	case plan.FrameGroups:
		return (int64(w.group(from, i))-int64(w.group(from, at))-offset)*int64(side) <= 0
	}
	if b.Offset == nil {
		return w.peers(i, at) || (i-at)*side < 0
	}
	k := w.plan.OrderBy[0]
	if w.isNull(k.Expr, w.order[at]) {
		return w.peers(i, at) || (i-at)*side < 0
	}
	if w.isNull(k.Expr, w.order[i]) {
		return k.NullsFirst == (side > 0)
	}
	if w.isNull(b.Limit, w.order[at]) {
		return b.Kind == plan.OffsetPreceding == (side < 0)
	}
	key := []kernels.SortKey{{Vector: w.value(k.Expr), Descending: k.Descending}}
	limit := []kernels.SortKey{{Vector: w.value(b.Limit), Descending: k.Descending}}
	return kernels.CompareRows(key, w.order[i], limit, w.order[at])*side <= 0
}

// result gives a call's result at a position as text.
func (w *naive) result(t *testing.T, c *plan.WindowCall, at int) string {
	from, to := w.partition(at)
	row := w.order[at]
	if c.Aggregate != nil {
		return w.aggregate(t, c, w.frame(c, at))
	}
	firstPeer, lastPeer := at, at
	for firstPeer > from && w.peers(firstPeer-1, at) {
		firstPeer--
	}
	for lastPeer+1 < to && w.peers(lastPeer+1, at) {
		lastPeer++
	}
	text := func(e *expr.Expr, position int) string { return textAt(w.value(e), w.order[position]) }
	double := func(f float64) string { return types.Text(types.NewFixed(types.Double, []float64{f}, nil), 0) }
	switch c.Function.Kind {
	case expr.RowNumber:
		return fmt.Sprint(at - from + 1)
	case expr.Rank:
		return fmt.Sprint(firstPeer - from + 1)
	case expr.DenseRank:
		return fmt.Sprint(w.group(from, at) + 1)
	case expr.PercentRank:
		if to-from == 1 {
			return "0.0"
		}
		return double(float64(firstPeer-from) / float64(to-from-1))
	case expr.CumeDist:
		return double(float64(lastPeer+1-from) / float64(to-from))
	case expr.Ntile:
		buckets := int(w.number(c.Args[0], row))
		place := 0
		for b := range buckets {
			size := (to - from) / buckets
			if b < (to-from)%buckets {
				size++
			}
			if place += size; at-from < place {
				return fmt.Sprint(b + 1)
			}
		}
	case expr.Lag, expr.Lead:
		if w.isNull(c.Args[1], row) {
			return "NULL"
		}
		offset := w.number(c.Args[1], row)
		if c.Function.Kind == expr.Lag {
			offset = -offset
		}
		step := int64(cmp.Compare(offset, 0))
		i := int64(at)
		for offset != 0 {
			if i += step; i < int64(from) || i >= int64(to) {
				return textAt(w.value(c.Args[2]), row)
			}
			if !c.IgnoreNulls || !w.isNull(c.Args[0], w.order[i]) {
				offset -= step
			}
		}
		return text(c.Args[0], int(i))
	default:
		frame := w.frame(c, at)
		if c.IgnoreNulls {
			frame = slices.DeleteFunc(frame, func(i int) bool { return w.isNull(c.Args[0], w.order[i]) })
		}
		n := 0
		switch c.Function.Kind {
		case expr.LastValue:
			n = len(frame) - 1
		case expr.NthValue:
			n = int(w.number(c.Args[1], row)) - 1
		}
		if n < 0 || n >= len(frame) {
			return "NULL"
		}
		return text(c.Args[0], frame[n])
	}
	return "?"
}

// aggregate feeds the rows of a frame to an accumulator one by one.
func (w *naive) aggregate(t *testing.T, c *plan.WindowCall, frame []int) string {
	acc := c.Aggregate.New()
	if err := acc.Resize(1); err != nil {
		t.Fatal(err)
	}
	if c.Filter != nil {
		passing := w.value(c.Filter)
		frame = slices.DeleteFunc(frame, func(i int) bool { return textAt(passing, w.order[i]) != "true" })
	}
	if c.Order != nil && c.Aggregate.OrderSensitive {
		slices.SortStableFunc(frame, func(a, b int) int { return w.compare(c.Order, w.order[a], w.order[b]) })
	}
	seen := map[string]bool{}
	for _, i := range frame {
		arg := w.value(c.Args[0])
		text := textAt(arg, w.order[i])
		if text == "-0.0" {
			text = "0.0"
		}
		if c.Distinct && !c.Aggregate.DistinctAgnostic && seen[text] {
			continue
		}
		seen[text] = true
		if err := acc.Update(nil, nil, []*types.Vector{kernels.Take(nil, arg, []uint32{uint32(w.order[i])}, nil)}, 1); err != nil {
			t.Fatal(err)
		}
	}
	v, err := acc.Finish(nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return textAt(v, 0)
}
