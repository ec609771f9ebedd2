package exec

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// bigTable has n rows: a key of the given number of values, the same as a string, a value and the row's number.
func bigTable(n, keys int) (*fakeTable, []int64) {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	picked, values, ids := make([]int64, n), make([]int64, n), make([]int64, n)
	b := kernels.NewViewBuilder(nil, types.Varchar, n)
	for i := range n {
		picked[i], values[i], ids[i] = int64(r.IntN(keys)), int64(r.IntN(7)), int64(i)
		b.Append(fmt.Appendf(nil, "the key with number %d", picked[i]))
	}
	return &fakeTable{
		schema: types.Schema{
			{Name: "key", Type: types.BigInt}, {Name: "text", Type: types.Varchar}, {Name: "value", Type: types.BigInt}, {Name: "id", Type: types.BigInt},
		},
		columns: []*types.Vector{
			types.NewFixed(types.BigInt, picked, nil), b.Finish(nil), types.NewFixed(types.BigInt, values, nil), types.NewFixed(types.BigInt, ids, nil),
		},
		rows: n, morselRows: 20000,
	}, picked
}

// TestManyGroups aggregates into so many groups that parts are put aside and merged in partitions.
func TestManyGroups(t *testing.T) {
	for _, c := range []struct{ rows, keys int }{{120_000, 30_000}, {200_000, 1 << 40}, {220_000, 120_000}} {
		table, picked := bigTable(c.rows, c.keys)
		values := types.ValuesOf[int64](table.columns[2])
		type group struct{ count, sum, seen int64 }
		want := map[int64]*group{}
		for i, k := range picked {
			g := want[k]
			if g == nil {
				g = &group{}
				want[k] = g
			}
			g.count++
			g.sum += values[i]
			g.seen |= 1 << values[i]
		}
		for _, threads := range []int{1, 4} {
			for _, keys := range [][]int{{0}, {1, 0}}[threads/4 : threads/4+1] { // the longer key in parallel
				s := scanOf(table)
				root := groupOf(s, keys, aggregateOf("count"), aggregateOf("sum", column(s, 2)), distinct(aggregateOf("count", column(s, 2))))
				r := newRun(threads, 0)
				q, err := Run(t.Context(), planOf(root), r.options)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[int64]bool{}
				for {
					b, err := q.Next()
					if err != nil {
						t.Fatal(err)
					}
					if b == nil {
						break
					}
					n := len(keys)
					ids := types.ValuesOf[int64](b.Columns[n-1])
					for i := range b.Rows {
						k := ids[i]
						g := want[k]
						if g == nil || seen[k] {
							t.Fatalf("group %d is new or came twice", k)
						}
						seen[k] = true
						got := fmt.Sprint(types.Text(b.Columns[n], i), " ", types.Text(b.Columns[n+1], i), " ", types.Text(b.Columns[n+2], i))
						distinct := 0
						for v := range 7 {
							distinct += int(g.seen >> v & 1)
						}
						if expected := fmt.Sprint(g.count, " ", g.sum, " ", distinct); got != expected {
							t.Fatalf("group %d is %s, want %s", k, got, expected)
						}
						if n == 2 && types.Text(b.Columns[0], i) != fmt.Sprintf("the key with number %d", k) {
							t.Fatalf("group %d has the key %q", k, types.Text(b.Columns[0], i))
						}
					}
				}
				if len(seen) != len(want) {
					t.Fatalf("%d threads: %d groups, want %d", threads, len(seen), len(want))
				}
				r.close(t, q)
			}
		}
	}
}

// TestSortManyRows sorts more rows than a run holds.
func TestSortManyRows(t *testing.T) {
	table, picked := bigTable(700_000, 5000)
	want := make([]int64, len(picked))
	for i := range want {
		want[i] = int64(i)
	}
	slices.SortStableFunc(want, func(a, b int64) int { return cmp.Compare(picked[b], picked[a]) })
	for _, threads := range []int{1, 3} {
		for _, limit := range []int64{-1, 1_100_000, 300_000, 5} {
			s := scanOf(table)
			root := sortOf(projectOf(s, column(s, 0), column(s, 3)), limit, 3, descending(column(s, 0)))
			r := newRun(threads, 0)
			q, err := Run(t.Context(), planOf(root), r.options)
			if err != nil {
				t.Fatal(err)
			}
			expected := want[3:]
			if limit >= 0 {
				expected = expected[:min(int64(len(expected)), limit)]
			}
			at := 0
			for {
				b, err := q.Next()
				if err != nil {
					t.Fatal(err)
				}
				if b == nil {
					break
				}
				for _, id := range types.ValuesOf[int64](kernels.Decode(nil, b.Columns[1])) {
					if at >= len(expected) || expected[at] != id {
						t.Fatalf("%d threads, limit %d: row %d is number %d", threads, limit, at, id)
					}
					at++
				}
			}
			if at != len(expected) {
				t.Errorf("%d threads, limit %d: %d rows, want %d", threads, limit, at, len(expected))
			}
			r.close(t, q)
		}
	}
}

// TestTopMemory holds a top-N to a multiple of its rows.
func TestTopMemory(t *testing.T) {
	table, _ := bigTable(300_000, 1<<40)
	table.pooled = true
	for _, key := range []int{0, 1} {
		s := scanOf(table)
		r := newRun(2, 0)
		q, err := Run(t.Context(), planOf(sortOf(s, 100, 0, descending(column(s, key)))), r.options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drainRows(t, q, table.schema); err != nil {
			t.Fatal(err)
		}
		if peak := q.Profile().Operators[0].Memory; peak > 4<<20 {
			t.Errorf("the top 100 took %d bytes", peak)
		}
		r.close(t, q)
	}
}

// TestKeyTypes groups, sorts and takes the top of every type of key, against one worker's plain sort.
func TestKeyTypes(t *testing.T) {
	day := types.MonthDayNano{Days: 1}
	hours := types.MonthDayNano{Nanos: 24 * 3600 * 1_000_000_000}
	month, days := types.MonthDayNano{Months: 1}, types.MonthDayNano{Days: 30}
	back := types.MonthDayNano{Months: 1, Days: -30}
	for _, c := range []struct {
		typ    types.Type
		values []any
		groups int // distinct values, with null
	}{
		{types.Boolean, []any{true, false, nil}, 3},
		{types.TinyInt, []any{1, -1, nil, 0}, 4},
		{types.USmallInt, []any{1, 65535, nil}, 3},
		{types.HugeInt, []any{1, -1, nil, "170141183460469231731687303715884105727"}, 4},
		{types.Half, []any{1.5, negativeZero, 0.0, nan, nil}, 4},
		{types.Float, []any{1.5, negativeZero, 0.0, nan, otherNaN, nil}, 4},
		{types.Decimal(10, 2), []any{"1.50", "-3.25", nil}, 3},
		{types.Decimal(30, 2), []any{"1.50", "-3.25", nil}, 3},
		{types.Decimal(60, 2), []any{"1.50", "-3.25", nil}, 3},
		{types.Blob, []any{[]byte{0}, []byte{0, 0}, []byte("a long string of many bytes"), nil}, 4},
		{types.Date, []any{time.Unix(1.7e9, 0).UTC(), time.Unix(-1e8, 0).UTC(), nil}, 3},
		{types.Interval, []any{day, hours, month, days, back, types.MonthDayNano{}, nil}, 4},
		{types.UUID, []any{"00000000-0000-0000-0000-000000000001", "ffffffff-0000-0000-0000-000000000001", nil}, 3},
		{types.EnumOf([]string{"low", "high"}), []any{"low", "high", nil}, 3},
		{types.Null, []any{nil}, 1},
	} {
		var rows [][]any
		for i := range 9000 {
			rows = append(rows, []any{c.values[(i*i+i/7)%len(c.values)], int64(i)})
		}
		column0 := make([]any, len(rows))
		for i := range rows {
			column0[i] = rows[i][0]
		}
		if _, err := types.FromValues(nil, c.typ, column0); err != nil {
			if values := intervalVector(c.typ, column0); values == nil {
				t.Errorf("%s: %v", c.typ, err)
				continue
			}
		}
		table := &fakeTable{schema: types.Schema{{Name: "k", Type: c.typ, Nullable: true}, {Name: "id", Type: types.BigInt}}, rows: len(rows), morselRows: 1000}
		v, err := types.FromValues(nil, c.typ, column0)
		if err != nil {
			v = intervalVector(c.typ, column0)
		}
		ids := make([]int64, len(rows))
		for i := range ids {
			ids[i] = int64(i)
		}
		table.columns = []*types.Vector{v, types.NewFixed(types.BigInt, ids, nil)}
		s := scanOf(table)
		got, err := newRun(3, 0).rows(t, groupOf(s, []int{0}, aggregateOf("count"), aggregateOf("min", column(s, 1))))
		if err != nil || len(got) != c.groups {
			t.Errorf("%s: %d groups and %v, want %d: %v", c.typ, len(got), err, c.groups, got)
		}
		for _, down := range []bool{false, true} {
			for _, nullsFirst := range []bool{false, true} {
				for _, second := range []bool{false, true} {
					keys := []plan.SortKey{{Expr: column(s, 0), Descending: down, NullsFirst: nullsFirst}}
					if second {
						keys = append(keys, descending(column(s, 1)))
					}
					all, err := newRun(1, 0).rows(t, sortOf(s, -1, 0, keys...))
					if err != nil {
						t.Fatal(err)
					}
					for _, threads := range []int{1, 3} {
						top, err := newRun(threads, 100).rows(t, sortOf(s, 50, 1500, keys...))
						if err != nil {
							t.Fatal(err)
						}
						if d := difference(top, all[1500:1550]); d != "" {
							t.Errorf("%s, descending %v, nulls first %v: %s", c.typ, down, nullsFirst, d)
						}
					}
				}
			}
		}
	}
}

func intervalVector(typ types.Type, values []any) *types.Vector {
	if typ.Kind() != types.KindInterval {
		return nil
	}
	out, valid := make([]types.MonthDayNano, len(values)), make(types.Bitmap, types.BitmapWords(len(values)))
	for i, v := range values {
		if v != nil {
			out[i] = v.(types.MonthDayNano)
			valid.Set(i)
		}
	}
	return types.NewFixed(typ, out, valid)
}
