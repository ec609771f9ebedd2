package exec

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reference is a table's rows as text, after its selection, for naive evaluation.
func reference(t *fakeTable) [][]string {
	rows := [][]string{}
	for r := range t.rows {
		if t.selected != nil && !t.selected(r) {
			continue
		}
		row := make([]string, len(t.columns))
		for c, v := range t.columns {
			row[c] = textAt(v, r)
		}
		rows = append(rows, row)
	}
	return rows
}

// number reads a column of a reference row; false for NULL.
func number(row []string, c int) (float64, bool) {
	if row[c] == "NULL" {
		return 0, false
	}
	x, err := strconv.ParseFloat(row[c], 64)
	if err != nil {
		panic(err)
	}
	return x, true
}

// keyText gives a value as what makes a group: -0 is 0.
func keyText(s string) string {
	if s == "-0.0" || s == "-0" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// cases are plans with what they must give for the rows of one table.
var cases = []struct {
	name      string
	build     func(t *fakeTable) plan.Physical
	want      func(rows [][]string) [][]string
	unordered bool // the rows may come in any order
}{
	{
		name:  "scan",
		build: scanOf,
		want:  func(rows [][]string) [][]string { return rows },
	},
	{
		name:  "filter some",
		build: func(t *fakeTable) plan.Physical { return filterOf(scanOf(t), agedOver(scanOf(t), 70)) },
		want:  func(rows [][]string) [][]string { return keep(rows, over(70)) },
	},
	{
		name: "filter most, then compute",
		build: func(t *fakeTable) plan.Physical {
			s := filterOf(scanOf(t), agedOver(scanOf(t), 0))
			return projectOf(s, call("add", column(s, idColumn), integer(1)), column(s, townColumn))
		},
		want: func(rows [][]string) [][]string {
			return mapRows(keep(rows, over(0)), func(row []string) []string {
				id, _ := number(row, idColumn)
				return []string{strconv.Itoa(int(id) + 1), row[townColumn]}
			})
		},
	},
	{
		name: "no row passes",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return filterOf(s, agedOver(s, 1000))
		},
		want: func([][]string) [][]string { return [][]string{} },
	},
	{
		name: "aggregate without groups",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, nil, aggregateOf("count"), aggregateOf("count", column(s, ageColumn)), aggregateOf("sum", column(s, ageColumn)),
				aggregateOf("min", column(s, townColumn)), aggregateOf("max", column(s, idColumn)))
		},
		want: func(rows [][]string) [][]string {
			return [][]string{{strconv.Itoa(len(rows)), countOf(rows, ageColumn), sumOf(rows, ageColumn), minOf(rows, townColumn), maxOf(rows, idColumn)}}
		},
	},
	{
		name: "aggregate without groups over nothing",
		build: func(t *fakeTable) plan.Physical {
			s := filterOf(scanOf(t), agedOver(scanOf(t), 1000))
			return groupOf(s, nil, aggregateOf("count"), aggregateOf("sum", column(s, ageColumn)))
		},
		want: func([][]string) [][]string { return [][]string{{"0", "NULL"}} },
	},
	{
		name: "group by nothing that is there",
		build: func(t *fakeTable) plan.Physical {
			s := filterOf(scanOf(t), agedOver(scanOf(t), 1000))
			return groupOf(s, []int{colorColumn}, aggregateOf("count"))
		},
		want: func([][]string) [][]string { return [][]string{} },
	},
	groupCase("color", colorColumn),
	groupCase("town", townColumn),
	groupCase("weight", weightColumn),
	groupCase("age", ageColumn),
	groupCase("adult", adultColumn),
	groupCase("id", idColumn),
	groupCase("color and adult", colorColumn, adultColumn),
	groupCase("town, weight and age", townColumn, weightColumn, ageColumn),
	{
		name: "grouping sets",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return setsOf(s, []int{colorColumn, townColumn}, [][]int{{0, 1}, {1}, {}, {0}, {0}, {}}, aggregateOf("count"), aggregateOf("sum", column(s, ageColumn)),
				distinct(aggregateOf("count", column(s, townColumn))))
		},
		want: func(rows [][]string) [][]string {
			values := func(rows [][]string) []string {
				return []string{strconv.Itoa(len(rows)), sumOf(rows, ageColumn), countOf(unique(rows, townColumn), townColumn)}
			}
			set := func(number string, keys ...int) [][]string {
				if len(keys) == 0 {
					return [][]string{slices.Concat([]string{"NULL", "NULL"}, values(rows), []string{number})}
				}
				return mapRows(group(rows, keys, values), func(row []string) []string {
					shown := []string{"NULL", "NULL"}
					for i, k := range keys {
						shown[k-colorColumn] = row[i]
					}
					return slices.Concat(shown, row[len(keys):], []string{number})
				})
			}
			return slices.Concat(set("0", colorColumn, townColumn), set("1", townColumn), set("2"), set("3", colorColumn), set("4", colorColumn), set("5"))
		},
		unordered: true,
	},
	{
		name: "an empty grouping set over nothing",
		build: func(t *fakeTable) plan.Physical {
			s := filterOf(scanOf(t), agedOver(scanOf(t), 1000))
			return setsOf(s, []int{colorColumn}, [][]int{{0}, {}}, aggregateOf("count"))
		},
		want: func([][]string) [][]string { return [][]string{{"NULL", "0", "1"}} },
	},
	{
		name: "aggregates with DISTINCT and FILTER",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, []int{colorColumn}, distinct(aggregateOf("count", column(s, townColumn))),
				filtered(aggregateOf("count"), agedOver(s, 50)), distinct(filtered(aggregateOf("sum", column(s, ageColumn)), column(s, adultColumn))))
		},
		want: func(rows [][]string) [][]string {
			return group(rows, []int{colorColumn}, func(rows [][]string) []string {
				adults := keep(rows, func(row []string) bool { return row[adultColumn] == "true" })
				return []string{countOf(unique(rows, townColumn), townColumn), strconv.Itoa(len(keep(rows, over(50)))), sumOf(unique(adults, ageColumn), ageColumn)}
			})
		},
		unordered: true,
	},
	{
		name: "aggregates that see the order",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, []int{colorColumn}, aggregateOf("first", column(s, idColumn)), aggregateOf("last", column(s, townColumn)))
		},
		want: func(rows [][]string) [][]string {
			return group(rows, []int{colorColumn}, func(rows [][]string) []string { return []string{rows[0][idColumn], rows[len(rows)-1][townColumn]} })
		},
		unordered: true,
	},
	{
		name: "aggregates with ORDER BY",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, []int{colorColumn}, inOrder(aggregateOf("list", column(s, idColumn)), descending(column(s, ageColumn))),
				inOrder(filtered(aggregateOf("first", column(s, idColumn)), agedOver(s, 40)), ascending(column(s, ageColumn))),
				inOrder(distinct(aggregateOf("list", column(s, ageColumn))), ascending(column(s, ageColumn))))
		},
		want: func(rows [][]string) [][]string {
			return group(rows, []int{colorColumn}, func(rows [][]string) []string {
				first := "NULL"
				if old := ordered(keep(rows, over(40)), false, false, ageColumn); len(old) > 0 {
					first = old[0][idColumn]
				}
				return []string{listOf(ordered(rows, true, true, ageColumn), idColumn), first, listOf(ordered(unique(rows, ageColumn), false, false, ageColumn), ageColumn)}
			})
		},
		unordered: true,
	},
	{
		name: "an aggregate with ORDER BY and no groups",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, nil, inOrder(aggregateOf("list", column(s, idColumn)), ascending(column(s, townColumn))), aggregateOf("count"))
		},
		want: func(rows [][]string) [][]string {
			if len(rows) == 0 {
				return [][]string{{"NULL", "0"}}
			}
			return [][]string{{listOf(ordered(rows, false, false, townColumn), idColumn), strconv.Itoa(len(rows))}}
		},
	},
	{
		name: "DISTINCT without groups",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return groupOf(s, nil, distinct(aggregateOf("count", column(s, townColumn))), distinct(aggregateOf("sum", column(s, ageColumn))), aggregateOf("count"))
		},
		want: func(rows [][]string) [][]string {
			return [][]string{{countOf(unique(rows, townColumn), townColumn), sumOf(unique(rows, ageColumn), ageColumn), strconv.Itoa(len(rows))}}
		},
	},
	{
		name: "aggregate over aggregate",
		build: func(t *fakeTable) plan.Physical {
			inner := groupOf(scanOf(t), []int{townColumn, colorColumn}, aggregateOf("count"))
			return groupOf(inner, []int{0}, aggregateOf("count"), aggregateOf("sum", column(inner, 2)))
		},
		want: func(rows [][]string) [][]string {
			return group(rows, []int{townColumn}, func(rows [][]string) []string {
				return []string{strconv.Itoa(len(unique(rows, colorColumn))), strconv.Itoa(len(rows))}
			})
		},
		unordered: true,
	},
	sortCase("by one key", -1, 0, false, false, ageColumn),
	sortCase("descending, nulls first", -1, 0, true, true, ageColumn),
	sortCase("by strings", -1, 0, false, true, townColumn),
	sortCase("by two keys", -1, 0, false, false, colorColumn, ageColumn),
	sortCase("top", 10, 0, true, true, ageColumn),
	sortCase("top by strings", 10, 0, true, false, townColumn),
	sortCase("top with an offset", 25, 30, false, false, ageColumn, townColumn),
	sortCase("top nulls first", 7, 2, false, true, ageColumn),
	sortCase("top of none", 0, 0, false, false, ageColumn),
	sortCase("top of all", 1<<50, 3, false, false, ageColumn),
	sortCase("offset past the end", -1, 1<<40, false, false, ageColumn),
	limitCase(0, 0),
	limitCase(1, 0),
	limitCase(60, 3),
	limitCase(-1, 77),
	limitCase(1<<40, 1<<40),
	{
		name: "limit below an aggregate",
		build: func(t *fakeTable) plan.Physical {
			s := limitOf(filterOf(scanOf(t), agedOver(scanOf(t), 20)), 40, 7)
			return groupOf(s, nil, aggregateOf("count"), aggregateOf("max", column(s, idColumn)), aggregateOf("min", column(s, idColumn)))
		},
		want: func(rows [][]string) [][]string {
			rows = cut(keep(rows, over(20)), 40, 7)
			return [][]string{{strconv.Itoa(len(rows)), maxOf(rows, idColumn), minOf(rows, idColumn)}}
		},
	},
	{
		name: "concat",
		build: func(t *fakeTable) plan.Physical {
			s := scanOf(t)
			return concatOf(projectOf(s, column(s, idColumn)), projectOf(filterOf(s, agedOver(s, 80)), column(s, idColumn)), projectOf(limitOf(scanOf(t), 5, 0), column(s, idColumn)))
		},
		want: func(rows [][]string) [][]string {
			all := slices.Concat(rows, keep(rows, over(80)), cut(rows, 5, 0))
			return mapRows(all, func(row []string) []string { return []string{row[idColumn]} })
		},
	},
	{
		name: "limit over concat",
		build: func(t *fakeTable) plan.Physical {
			return limitOf(concatOf(limitOf(scanOf(t), 5, 2), sortOf(scanOf(t), 9, 0, ascending(column(scanOf(t), ageColumn)))), 10, 1)
		},
		want: func(rows [][]string) [][]string {
			return cut(slices.Concat(cut(rows, 5, 2), cut(ordered(rows, false, false, ageColumn), 9, 0)), 10, 1)
		},
	},
	{
		name: "values",
		build: func(*fakeTable) plan.Physical {
			return &plan.ValuesScan{
				Operator: plan.Operator{Output: types.Schema{{Name: "a", Type: types.BigInt, Nullable: true}, {Name: "b", Type: types.Varchar}}},
				Rows: [][]*expr.Expr{
					{integer(1), constant(types.Varchar, "x")}, {call("add", integer(1), integer(1)), constant(types.Varchar, "a string that is long")},
					{expr.NewNull(types.BigInt), constant(types.Varchar, "")},
				},
			}
		},
		want: func([][]string) [][]string {
			return [][]string{{"1", "x"}, {"2", "a string that is long"}, {"NULL", ""}}
		},
	},
}

// groupCase groups by columns and aggregates in each way.
func groupCase(name string, keys ...int) (c struct {
	name      string
	build     func(t *fakeTable) plan.Physical
	want      func(rows [][]string) [][]string
	unordered bool
}) {
	c.name, c.unordered = "group by "+name, true
	c.build = func(t *fakeTable) plan.Physical {
		s := scanOf(t)
		return groupOf(s, keys, aggregateOf("count"), aggregateOf("sum", column(s, idColumn)), aggregateOf("max", column(s, townColumn)))
	}
	c.want = func(rows [][]string) [][]string {
		return group(rows, keys, func(rows [][]string) []string {
			return []string{strconv.Itoa(len(rows)), sumOf(rows, idColumn), maxOf(rows, townColumn)}
		})
	}
	return c
}

func sortCase(name string, limit, offset int64, down, nullsFirst bool, keys ...int) (c struct {
	name      string
	build     func(t *fakeTable) plan.Physical
	want      func(rows [][]string) [][]string
	unordered bool
}) {
	c.name = "sort " + name
	c.build = func(t *fakeTable) plan.Physical {
		s := scanOf(t)
		var sortKeys []plan.SortKey
		for _, k := range keys {
			sortKeys = append(sortKeys, plan.SortKey{Expr: column(s, k), Descending: down, NullsFirst: nullsFirst})
		}
		return sortOf(s, limit, offset, sortKeys...)
	}
	c.want = func(rows [][]string) [][]string { return cut(ordered(rows, down, nullsFirst, keys...), limit, offset) }
	return c
}

func limitCase(count, offset int64) (c struct {
	name      string
	build     func(t *fakeTable) plan.Physical
	want      func(rows [][]string) [][]string
	unordered bool
}) {
	c.name = fmt.Sprintf("limit %d offset %d", count, offset)
	c.build = func(t *fakeTable) plan.Physical { return limitOf(scanOf(t), count, offset) }
	c.want = func(rows [][]string) [][]string { return cut(rows, count, offset) }
	return c
}

// TestPlans runs every plan over every shape of the table, with one and several workers and with batches of several sizes, against row by row
// evaluation.
func TestPlans(t *testing.T) {
	rows := somePeople(401, 7)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, v := range variants {
				table := newTable(t, people, rows)
				v.apply(table)
				want := c.want(reference(table))
				if c.unordered {
					sortRowsOf(want)
				}
				for _, shape := range []struct{ threads, batchRows int }{{1, 1}, {1, 3}, {1, 0}, {2, 3}, {2, 0}, {8, 1}, {8, 0}} {
					r := newRun(shape.threads, shape.batchRows)
					r.options.Analyze = shape.threads == 2
					got, err := r.rows(t, c.build(table))
					if err != nil {
						t.Fatalf("%s, %+v: %v", v.name, shape, err)
					}
					if c.unordered {
						sortRowsOf(got)
					}
					if d := difference(got, want); d != "" {
						t.Fatalf("%s, %+v: %s", v.name, shape, d)
					}
					if table.opened.Load() != table.closed.Load() {
						t.Fatalf("%d scans opened, %d closed", table.opened.Load(), table.closed.Load())
					}
				}
			}
		})
	}
}

// TestSortIsStable sorts many equal keys: they keep source order with any number of workers.
func TestSortIsStable(t *testing.T) {
	table := newTable(t, people, somePeople(1200, 9))
	for _, limit := range []int64{-1, 700} {
		c := sortCase("", limit, 0, true, false, colorColumn)
		want := c.want(reference(table))
		for threads := 1; threads <= 8; threads++ {
			got, err := newRun(threads, 7).rows(t, c.build(table))
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(got, want); d != "" {
				t.Errorf("%d threads, limit %d: %s", threads, limit, d)
			}
		}
	}
}

// difference says where rows differ; "" when they do not.
func difference(got, want [][]string) string {
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			return fmt.Sprintf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	return ""
}

func sortRowsOf(rows [][]string) {
	sort.SliceStable(rows, func(i, j int) bool { return slices.Compare(rows[i], rows[j]) < 0 })
}

func agedOver(input plan.Physical, years int) *expr.Expr {
	return call("gt", column(input, ageColumn), integer(years))
}

func over(years float64) func([]string) bool {
	return func(row []string) bool {
		age, ok := number(row, ageColumn)
		return ok && age > years
	}
}

func keep(rows [][]string, pass func([]string) bool) [][]string {
	out := [][]string{}
	for _, row := range rows {
		if pass(row) {
			out = append(out, row)
		}
	}
	return out
}

func mapRows(rows [][]string, f func([]string) []string) [][]string {
	out := [][]string{}
	for _, row := range rows {
		out = append(out, f(row))
	}
	return out
}

func cut(rows [][]string, count, offset int64) [][]string {
	rows = rows[min(int64(len(rows)), offset):]
	if count >= 0 {
		rows = rows[:min(int64(len(rows)), count)]
	}
	return rows
}

// group gives a row for each combination of keys: the keys and what f makes of the group's rows.
func group(rows [][]string, keys []int, f func([][]string) []string) [][]string {
	groups := map[string][][]string{}
	var names []string
	for _, row := range rows {
		name := ""
		for _, k := range keys {
			name += keyText(row[k]) + "|"
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], row)
	}
	out := [][]string{}
	for _, name := range names {
		var row []string
		for _, k := range keys {
			row = append(row, keyText(groups[name][0][k]))
		}
		out = append(out, append(row, f(groups[name])...))
	}
	return out
}

// unique gives the first row of each value of a column.
func unique(rows [][]string, c int) [][]string {
	seen := map[string]bool{}
	return keep(rows, func(row []string) bool {
		first := !seen[keyText(row[c])]
		seen[keyText(row[c])] = true
		return first
	})
}

func countOf(rows [][]string, c int) string {
	return strconv.Itoa(len(keep(rows, func(row []string) bool { return row[c] != "NULL" })))
}

func sumOf(rows [][]string, c int) string {
	sum, any := 0.0, false
	for _, row := range rows {
		if x, ok := number(row, c); ok {
			sum, any = sum+x, true
		}
	}
	if !any {
		return "NULL"
	}
	return strconv.FormatFloat(sum, 'f', -1, 64)
}

// listOf gives the values of a column as the text of a list.
func listOf(rows [][]string, c int) string {
	values := make([]string, len(rows))
	for i, row := range rows {
		values[i] = row[c]
	}
	return "[" + strings.Join(values, ", ") + "]"
}

func minOf(rows [][]string, c int) string { return extreme(rows, c, -1) }
func maxOf(rows [][]string, c int) string { return extreme(rows, c, 1) }

func extreme(rows [][]string, c, sign int) string {
	best := "NULL"
	for _, row := range rows {
		if row[c] != "NULL" && (best == "NULL" || compareText(row[c], best, c)*sign > 0) {
			best = row[c]
		}
	}
	return best
}

func compareText(a, b string, c int) int {
	if people[c].Type.IsNumeric() {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return strings.Compare(a, b)
}

// ordered gives the rows in the order of columns, ties in their order.
func ordered(rows [][]string, down, nullsFirst bool, keys ...int) [][]string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b []string) int {
		for _, k := range keys {
			x, y := a[k], b[k]
			order := 0
			switch {
			case x == "NULL" && y == "NULL":
			case x == "NULL":
				order = 1
			case y == "NULL":
				order = -1
			default:
				order = compareText(x, y, k)
				if down {
					order = -order
				}
			}
			if (x == "NULL" || y == "NULL") && nullsFirst {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return rows
}
