package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// listTable has rows of lists of several lengths, some null or empty, of lists of texts, and of arrays.
func listTable(t testing.TB, rows int) *fakeTable {
	schema := types.Schema{
		{Name: "id", Type: types.BigInt}, {Name: "numbers", Type: types.ListOf(types.Integer), Nullable: true},
		{Name: "texts", Type: types.ListOf(types.Varchar), Nullable: true},
		{Name: "pair", Type: types.ArrayOfField(types.Field{Name: "item", Type: types.Integer, Nullable: true}, 2), Nullable: true},
	}
	var values [][]any
	for i := range rows {
		row := []any{i, nil, nil, nil}
		if i%5 != 0 {
			list := []any{}
			for k := range i % 7 {
				list = append(list, any(i*10+k))
				if k == 3 {
					list[k] = nil
				}
			}
			row[1] = list
		}
		if i%4 != 0 {
			list := []any{}
			for k := range i % 3 {
				list = append(list, fmt.Sprintf("text %d of row %d, a long one", k, i))
			}
			row[2] = list
		}
		if i%3 != 0 {
			row[3] = []any{i, nil}
		}
		values = append(values, row)
	}
	return newTable(t, schema, values)
}

// unnested gives the rows that unnesting columns must give.
func unnested(table *fakeTable, ordinality, outer bool, columns ...int) [][]string {
	out := [][]string{}
	for r := range table.rows {
		if table.selected != nil && !table.selected(r) {
			continue
		}
		var lists [][]any
		most := 0
		for _, c := range columns {
			list, _ := types.Value(table.columns[c], r).([]any)
			lists = append(lists, list)
			most = max(most, len(list))
		}
		elements := most
		if most == 0 && outer {
			elements = 1
		}
		for k := range elements {
			row := []string{strconv.Itoa(r)}
			for _, list := range lists {
				if k < len(list) && list[k] != nil {
					row = append(row, fmt.Sprint(list[k]))
				} else {
					row = append(row, "NULL")
				}
			}
			if ordinality && most > 0 {
				row = append(row, strconv.Itoa(k+1))
			} else if ordinality {
				row = append(row, "NULL")
			}
			out = append(out, row)
		}
	}
	return out
}

func TestUnnest(t *testing.T) {
	for _, columns := range [][]int{{1}, {2}, {3}, {1, 2}, {3, 1, 2}} {
		for _, selected := range []func(int) bool{nil, func(r int) bool { return r%3 == 1 }} {
			for _, mode := range []int{0, 1, 2, 3} {
				table := listTable(t, 300)
				table.selected, table.pooled = selected, mode%2 == 0
				ordinality, outer := mode&1 != 0, mode&2 != 0
				s := scanOf(table)
				p := &plan.UnnestRows{Input: projectOf(s, column(s, 0), column(s, 1), column(s, 2), column(s, 3))}
				u := unnestOf(p.Input, ordinality, outer)
				for _, c := range columns {
					u = unnestOf(p.Input, ordinality, outer, append(u.(*plan.UnnestRows).Exprs, column(p.Input, c))...)
				}
				// The input's lists are not shown.
				shown := []int{0}
				for c := 4; c < len(u.Schema()); c++ {
					shown = append(shown, c)
				}
				root := projectOf(u)
				for _, c := range shown {
					root = projectOf(u, append(root.(*plan.ProjectColumns).Exprs, column(u, c))...)
				}
				everyMode(t, root, unnested(table, ordinality, outer, columns...), false)
			}
		}
	}
}

// TestUnnestEncoded unnests dictionaries and runs of lists.
func TestUnnestEncoded(t *testing.T) {
	want := unnested(listTable(t, 100), false, false, 1)
	for name, encode := range map[string]func(*kernels.Env, *types.Vector) *types.Vector{
		"dictionary": func(env *kernels.Env, v *types.Vector) *types.Vector {
			keys := types.Alloc[uint32](env.Pool, v.Len())
			for i := range keys {
				keys[i] = uint32(i)
			}
			return types.NewDictionary(keys, v, nil)
		},
		"runs": func(env *kernels.Env, v *types.Vector) *types.Vector {
			ends := types.Alloc[int32](env.Pool, v.Len())
			for i := range ends {
				ends[i] = int32(i + 1)
			}
			return types.NewRunEnd(ends, v)
		},
	} {
		table := listTable(t, 100)
		table.encode = encode
		s := scanOf(table)
		u := unnestOf(s, false, false, column(s, 1))
		got, err := newRun(2, 5).rows(t, projectOf(u, column(u, 0), column(u, 4)))
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestUnnestOrder sorts and limits what unnesting makes many batches of: ties keep their order.
func TestUnnestOrder(t *testing.T) {
	table := listTable(t, 300)
	s := scanOf(table)
	u := unnestOf(s, false, false, column(s, 1))
	p := projectOf(u, column(u, 0), column(u, 4))
	want := unnested(table, false, false, 1)
	everyMode(t, sortOf(p, -1, 0, ascending(integer(1))), want, false)
	everyMode(t, limitOf(p, 100, 20), want[20:120], false)
	everyMode(t, projectOf(sortOf(p, 50, 0, ascending(integer(1))), column(p, 0), column(p, 1)), want[:50], false)
}

func TestSample(t *testing.T) {
	table := newTable(t, people, somePeople(5000, 3))
	ids := mapRows(reference(table), func(row []string) []string { return []string{row[idColumn]} })
	sampled := func(t *testing.T, threads int, method plan.SampleMethod, percent float64, rows, seed int64) [][]string {
		s := scanOf(table)
		got, err := newRun(threads, 100).rows(t, sampleOf(projectOf(s, column(s, idColumn)), method, percent, rows, seed))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	position := map[string]int{}
	for i, id := range ids {
		position[id[0]] = i
	}
	for _, method := range []plan.SampleMethod{plan.SampleBernoulli, plan.SampleSystem, plan.SampleReservoir} {
		for _, share := range []float64{0, 10, 50, 100} {
			name := fmt.Sprint(method, share)
			rows := int64(share / 100 * 5000)
			got := sampled(t, 1, method, share, rows, 42)
			at := -1
			for _, row := range got {
				if p := position[row[0]]; p <= at {
					t.Fatalf("%s: the rows are not in source order", name)
				} else {
					at = p
				}
			}
			slack := map[plan.SampleMethod]float64{plan.SampleBernoulli: 250, plan.SampleSystem: 1200}[method]
			if share == 0 || share == 100 {
				slack = 0
			}
			if d := float64(len(got)) - share/100*5000; d < -slack || d > slack {
				t.Errorf("%s: %d rows", name, len(got))
			}
			for _, threads := range []int{1, 2, 8} {
				if d := difference(sampled(t, threads, method, share, rows, 42), got); d != "" {
					t.Errorf("%s, %d threads: the same seed gives another sample: %s", name, threads, d)
				}
			}
			other := sampled(t, 1, method, share, rows, 43)
			if share > 0 && share < 100 && difference(other, got) == "" {
				t.Errorf("%s: another seed gives the same sample", name)
			}
		}
	}
	if got := sampled(t, 2, plan.SampleReservoir, 0, 100_000, 1); difference(got, ids) != "" {
		t.Error("a reservoir for more rows than there are does not give all")
	}
	// Every row is equally likely.
	hits := map[string]int{}
	for seed := range int64(200) {
		for _, row := range sampled(t, 2, plan.SampleReservoir, 0, 500, seed) {
			hits[row[0]]++
		}
	}
	counts := []int{}
	for _, id := range ids {
		counts = append(counts, hits[id[0]])
	}
	if slices.Min(counts) < 3 || slices.Max(counts) > 45 {
		t.Errorf("of 200 samples of a tenth a row is in %d to %d", slices.Min(counts), slices.Max(counts))
	}
	if strings.Contains(fmt.Sprint(counts[:100]), "[0 0 0") {
		t.Error("the first rows are never chosen")
	}
}

// TestUnnestFaults ends unnesting and sampling by faults and cancellation, and by a budget that is too small for one list's elements together, which is
// no fault: they leave in batches.
func TestUnnestFaults(t *testing.T) {
	table := listTable(t, 400)
	build := func() plan.Physical {
		s := scanOf(table)
		u := unnestOf(s, true, true, column(s, 1), column(s, 2))
		return sampleOf(sampleOf(u, plan.SampleBernoulli, 90, 0, 1), plan.SampleReservoir, 0, 100, 1)
	}
	p := planOf(build())
	for _, threads := range []int{1, 4} {
		for operator := range p.Operators {
			for _, kind := range []string{"error", "panic", "cancel"} {
				ctx, cancel := context.WithCancel(t.Context())
				r := newRun(threads, 7)
				var calls atomic.Int64
				r.options.fault = func(at int) error {
					if at != operator || calls.Add(1) != 3 {
						return nil
					}
					switch kind {
					case "error":
						return errBroken
					case "panic":
						panic("a bug")
					}
					cancel()
					return nil
				}
				q, err := Run(ctx, p, r.options)
				if err != nil {
					t.Fatal(err)
				}
				_, err = drainRows(t, q, p.Root.Schema())
				r.close(t, q)
				cancel()
				switch kind {
				case "error":
					if !errors.Is(err, errBroken) {
						t.Errorf("operator %d: got %v, want the injected error", operator, err)
					}
				case "panic":
					wantCode(t, err, types.CodeInternal)
				default:
					wantCode(t, err, types.CodeQueryCanceled)
				}
			}
		}
	}
	// A million elements of one list, of which only batches are in memory beside the list.
	long := make([]any, 1_000_000)
	for i := range long {
		long[i] = i
	}
	one := newTable(t, types.Schema{{Name: "l", Type: types.ListOf(types.Integer)}}, [][]any{{long}})
	s := scanOf(one)
	u := unnestOf(s, false, false, column(s, 0))
	r := newRun(2, 0)
	r.budget = NewBudget(8 << 20)
	r.options.Budget = r.budget
	got, err := r.rows(t, groupOf(u, nil, aggregateOf("count"), aggregateOf("sum", column(u, 1))))
	if err != nil || got[0][0] != "1000000" {
		t.Errorf("%v, %v", got, err)
	}
}
