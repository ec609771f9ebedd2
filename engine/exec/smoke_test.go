package exec

import (
	"strconv"
	"testing"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// The smoke tests are quick looks at each kind of plan, for platforms on which the whole suite takes long.

func smoke(t *testing.T, build func(*fakeTable) plan.Physical, want func([][]string) [][]string, unordered bool) {
	t.Helper()
	table := newTable(t, people, somePeople(300, 11))
	table.pooled = true
	got, err := newRun(2, 64).rows(t, build(table))
	if err != nil {
		t.Fatal(err)
	}
	expected := want(reference(table))
	if unordered {
		sortRowsOf(got)
		sortRowsOf(expected)
	}
	if d := difference(got, expected); d != "" {
		t.Fatal(d)
	}
}

func TestSmokeFilterProject(t *testing.T) {
	smoke(t, func(table *fakeTable) plan.Physical {
		s := filterOf(scanOf(table), agedOver(scanOf(table), 60))
		return projectOf(s, call("multiply", column(s, idColumn), integer(3)), column(s, townColumn))
	}, func(rows [][]string) [][]string {
		return mapRows(keep(rows, over(60)), func(row []string) []string {
			id, _ := number(row, idColumn)
			return []string{strconv.Itoa(3 * int(id)), row[townColumn]}
		})
	}, false)
}

func TestSmokeGroup(t *testing.T) {
	c := groupCase("", townColumn, weightColumn)
	smoke(t, c.build, c.want, true)
}

func TestSmokeSort(t *testing.T) {
	c := sortCase("", -1, 0, true, false, townColumn, ageColumn)
	smoke(t, c.build, c.want, false)
}

func TestSmokeTop(t *testing.T) {
	c := sortCase("", 9, 4, false, true, ageColumn)
	smoke(t, c.build, c.want, false)
}

func TestSmokeUnionLimit(t *testing.T) {
	smoke(t, func(table *fakeTable) plan.Physical {
		return limitOf(concatOf(scanOf(table), limitOf(scanOf(table), 20, 1)), 310, 2)
	}, func(rows [][]string) [][]string {
		return cut(append(append([][]string{}, rows...), cut(rows, 20, 1)...), 310, 2)
	}, false)
}

func TestSmokeCloseEarly(t *testing.T) {
	table := newTable(t, people, somePeople(2000, 11))
	r := newRun(2, 16)
	q, err := Run(t.Context(), planOf(scanOf(table)), r.options)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := q.Next(); err != nil || b.Rows != 16 {
		t.Fatal(b, err)
	}
	r.close(t, q)
	_, err = q.Next()
	wantCode(t, err, types.CodeQueryCanceled)
}
