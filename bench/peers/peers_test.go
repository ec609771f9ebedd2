package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var tpchDir = filepath.Join("..", "..", "engine", "testdata", "tpch")

// TestTPCHAnswers runs the 22 queries on each engine from the small data set in the repository, and compares the rows with the
// answers beside it.
func TestTPCHAnswers(t *testing.T) {
	var numbers []int
	for number := range tpch.queries {
		numbers = append(numbers, number+1)
	}
	queries, err := readQueries(filepath.Join(tpchDir, "queries"), numbers)
	if err != nil {
		t.Fatal(err)
	}
	for name := range openers {
		for _, source := range []string{"memory", "parquet"} {
			t.Run(name+"/"+source, func(t *testing.T) {
				ctx := t.Context()
				o := options{benchmark: tpch, dir: tpchDir, source: source, engines: []string{name}}
				engines, err := openAll(ctx, o, 2)
				defer closeAll(engines, &err)
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range queries {
					t.Run(q.name, func(t *testing.T) {
						rows, err := fetch(ctx, engines[0], q, time.Minute)
						if err != nil {
							t.Fatal(err)
						}
						want := readAnswer(t, filepath.Join(tpchDir, "answers", q.name+".csv"), rows)
						if err := compareRows(want, rows, hasOrder(q.text)); err != nil {
							t.Errorf("answer and result differ:\n%v", err)
						}
					})
				}
			})
		}
	}
}

// readAnswer reads the rows of an answer file. Its values have no types; they get those of the rows that they are to be
// compared with.
func readAnswer(t *testing.T, path string, like Rows) Rows {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '|'
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	answer := Rows{Columns: lines[0]}
	for r, line := range lines[1:] {
		var row []any
		for c, cell := range line {
			var value any = cell
			if cell == "NULL" {
				value = nil
			} else if r < len(like.Values) && c < len(like.Values[r]) {
				switch like.Values[r][c].(type) {
				case Decimal:
					value, err = parseDecimal(cell)
				case float64:
					value, err = strconv.ParseFloat(cell, 64)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, value)
		}
		answer.Values = append(answer.Values, row)
	}
	return answer
}

func TestEqualValues(t *testing.T) {
	decimal := func(text string) Decimal {
		d, err := parseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		a, b any
		want bool
	}{
		{decimal("1.50"), decimal("1.5"), true},
		{decimal("1.50"), decimal("1.5000000000000001"), false},
		{integer(3), decimal("3.00"), true},
		{decimal("-0.05"), decimal("-0.050"), true},
		{1.0, 1.0 + 1e-10, true},
		{1.0, 1.0 + 1e-8, false},
		{1e20, 1e20 + 1e10, true},
		{0.0, 1e-300, false},
		{math.NaN(), math.NaN(), true},
		{math.Inf(1), math.Inf(1), true},
		{math.Inf(1), math.Inf(-1), false},
		{math.Inf(1), 1.0, false},
		{2.5, decimal("2.5"), true},
		{nil, nil, true},
		{nil, integer(0), false},
		{nil, "", false},
		{"a", "a ", false},
		{"1", integer(1), false},
		{true, true, true},
	}
	for _, test := range tests {
		if got := equalValues(test.a, test.b); got != test.want {
			t.Errorf("%s and %s: got %v", show(test.a), show(test.b), got)
		}
		if got := equalValues(test.b, test.a); got != test.want {
			t.Errorf("%s and %s: got %v", show(test.b), show(test.a), got)
		}
	}
}

func TestCompareRows(t *testing.T) {
	rows := func(values ...[]any) Rows { return Rows{Columns: []string{"f", "k"}, Values: values} }
	a := rows([]any{1.0, "x"}, []any{2.0, "y"}, []any{nil, nil})
	tests := []struct {
		name    string
		b       Rows
		ordered bool
		want    string
	}{
		{"same", rows([]any{1.0, "x"}, []any{2.0, "y"}, []any{nil, nil}), true, ""},
		{"other order", rows([]any{nil, nil}, []any{2.0, "y"}, []any{1.0, "x"}), false, ""},
		{"wrong order", rows([]any{nil, nil}, []any{2.0, "y"}, []any{1.0, "x"}), true, "row 0, column f: 1 against NULL"},
		{"float off", rows([]any{nil, nil}, []any{2.0 - 1e-12, "y"}, []any{1.0, "x"}), false, ""},
		{"value", rows([]any{nil, nil}, []any{2.5, "y"}, []any{1.0, "x"}), false, "column f: 2 against 2.5"},
		{"fewer", rows([]any{nil, nil}), false, "3 rows against 1"},
		{"columns", Rows{Columns: []string{"f"}}, false, "2 columns against 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := compareRows(a, test.b, test.ordered)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestHasOrder(t *testing.T) {
	tests := map[string]bool{
		"SELECT 1 order\n by 1":                                   true,
		"SELECT (SELECT a FROM t ORDER BY a LIMIT 1)":             false,
		"SELECT rank() OVER (ORDER BY a) FROM t":                  false,
		"SELECT rank() OVER (ORDER BY a) FROM t ORDER BY 1":       true,
		"SELECT ' ORDER BY ' FROM t":                              false,
		"SELECT 1 -- ORDER BY 1":                                  false,
		"SELECT f(a)ORDER BY 1":                                   true,
		"SELECT \"order by\", it FROM t WHERE a = 'it''s' AND 'x": false,
	}
	for sql, want := range tests {
		if got := hasOrder(sql); got != want {
			t.Errorf("%s: got %v", sql, got)
		}
	}
}

// fakeEngine answers each query with one row of one value, or fails.
type fakeEngine struct {
	name  string
	value any
	err   error
	log   *[]string
}

func (f fakeEngine) Name() string                                            { return f.name }
func (f fakeEngine) LoadParquet(context.Context, string, string, bool) error { return nil }
func (f fakeEngine) Close() error                                            { return nil }
func (f fakeEngine) Query(context.Context, string) (Result, error) {
	*f.log = append(*f.log, f.name)
	return fakeResult{f.value}, f.err
}

type fakeResult struct{ value any }

func (f fakeResult) Close() error { return nil }
func (f fakeResult) Rows() (Rows, error) {
	return Rows{Columns: []string{"v"}, Values: [][]any{{f.value}}}, nil
}

func TestMeasure(t *testing.T) {
	var log []string
	a := fakeEngine{name: "a", value: 1.0, log: &log}
	b := fakeEngine{name: "b", value: 1.0, log: &log}
	m := measure(t.Context(), []Engine{a, b}, query{name: "q", text: "SELECT 1"}, 3, time.Minute)
	if m.problem != nil || m.rows != 1 || len(m.medians) != 2 {
		t.Errorf("got %+v", m)
	}
	if order := strings.Join(log, ""); order != "ab"+"ab"+"ba"+"ab" {
		t.Errorf("engines ran in the order %s", order)
	}
	b.value = 2.0
	m = measure(t.Context(), []Engine{a, b}, query{name: "q"}, 3, time.Minute)
	if m.problem == nil || !strings.Contains(m.problem.Error(), "a and b disagree: row 0, column v: 1 against 2") {
		t.Errorf("got %v", m.problem)
	}
	b.err = errors.New("broken")
	m = measure(t.Context(), []Engine{a, b}, query{name: "q"}, 3, time.Minute)
	if m.problem == nil || m.problem.Error() != "b: broken" {
		t.Errorf("got %v", m.problem)
	}
}

func TestReport(t *testing.T) {
	engines := []Engine{fakeEngine{name: "a"}, fakeEngine{name: "b"}}
	var text strings.Builder
	err := report(&text, "Title", engines, []measurement{
		{query: query{name: "q1"}, rows: 4, medians: []time.Duration{10 * time.Millisecond, 20 * time.Millisecond}},
		{query: query{name: "q2"}, rows: 1, medians: []time.Duration{40 * time.Millisecond, 20 * time.Millisecond}},
		{query: query{name: "q3"}, problem: errors.New("b: no | such\ntable")},
	})
	want := `### Title

| query | rows | a ms | b ms | b / a |
|---|---:|---:|---:|---:|
| q1 | 4 | 10.00 | 20.00 | 2.00 |
| q2 | 1 | 40.00 | 20.00 | 0.50 |
| q3 | 0 | failed: b: no \| such |  |  |
| geometric mean |  | 20.00 | 20.00 | 1.00 |

`
	if err != nil || text.String() != want {
		t.Errorf("error %v, got\n%s", err, text.String())
	}
}

func TestMedian(t *testing.T) {
	if got := median([]time.Duration{5, 1, 3}); got != 3 {
		t.Errorf("got %d", got)
	}
	if got := median([]time.Duration{5, 1, 3, 9}); got != 4 {
		t.Errorf("got %d", got)
	}
}

func TestFlags(t *testing.T) {
	o, err := parseOptions(tpch, []string{"-sf", "0.01", "-threads", "1, 4", "-queries", "6,1", "-engines", "duckdb"})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(o.threadCounts, o.numbers, o.engines) != "[1 4] [6 1] [duckdb]" || !strings.Contains(o.dir, "tpch-sf0.01") {
		t.Errorf("got %+v", o)
	}
	for _, arguments := range []string{"-threads 0", "-queries 23", "-queries x", "-source disk", "-runs 0", "stray"} {
		if _, err := parseOptions(tpch, strings.Fields(arguments)); err == nil {
			t.Errorf("%s: no error", arguments)
		}
	}
}

// TestArrowValues checks how each Arrow type becomes a plain value, NULL included.
func TestArrowValues(t *testing.T) {
	tests := []struct {
		dataType arrow.DataType
		json     string
		want     string
	}{
		{arrow.FixedWidthTypes.Boolean, `[true, null]`, "true NULL"},
		{arrow.PrimitiveTypes.Int8, `[-1, null]`, "-1 NULL"},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615]`, "18446744073709551615"},
		{arrow.PrimitiveTypes.Float64, `[0.5, null]`, "0.5 NULL"},
		{&arrow.Decimal64Type{Precision: 12, Scale: 2}, `["1.50", null]`, "1.50 NULL"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 4}, `["-0.0001"]`, "-0.0001"},
		{arrow.BinaryTypes.String, `["x", ""]`, "'x' ''"},
		{arrow.BinaryTypes.StringView, `["a text that is not inline", null]`, "'a text that is not inline' NULL"},
		{arrow.FixedWidthTypes.Date32, `["1995-03-11", null]`, "'1995-03-11' NULL"},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, `["1995-03-11 01:02:03.5"]`, "'1995-03-11 01:02:03.5'"},
		{arrow.FixedWidthTypes.Time64us, `["01:02:03"]`, "'01:02:03'"},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["a", null, "a"]`, "'a' NULL 'a'"},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `["a", "a", null]`, "'a' 'a' NULL"},
	}
	for _, test := range tests {
		values, _, err := array.FromJSON(memory.DefaultAllocator, test.dataType, strings.NewReader(test.json))
		if err != nil {
			t.Fatalf("%s: %v", test.dataType, err)
		}
		var shown []string
		for i := range values.Len() {
			value, err := arrowValue(values, i)
			if err != nil {
				t.Errorf("%s: %v", test.dataType, err)
			}
			shown = append(shown, show(value))
		}
		if got := strings.Join(shown, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.dataType, got, test.want)
		}
	}
}
