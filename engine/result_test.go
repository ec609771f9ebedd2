package engine_test

import (
	"context"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestReader uses a result as an array.RecordReader.
func TestReader(t *testing.T) {
	db := open(t, engine.Options{Threads: 2, BatchRows: 3})
	loadSLT(t, db, memory.DefaultAllocator)
	result, err := db.Query(context.Background(), "SELECT i, s FROM t")
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Columns(); len(got) != 2 || got[0].Name != "i" || !got[1].Type.Equal(types.Varchar) {
		t.Errorf("columns: %v", got)
	}
	if result.RecordBatch() != nil {
		t.Error("a batch before the first Next")
	}
	result.Retain()
	result.Release()
	rows := int64(0)
	for result.Next() {
		batch := result.RecordBatch()
		if !batch.Schema().Equal(result.Schema()) || batch.NumRows() == 0 || result.Record() != batch {
			t.Errorf("batch of %d rows with the schema %s", batch.NumRows(), batch.Schema())
		}
		rows += batch.NumRows()
	}
	if rows != 8 || result.Err() != nil || result.Next() {
		t.Errorf("%d rows, error %v", rows, result.Err())
	}
	if p := result.Profile(); len(p.Operators) == 0 || p.Operators[0].Rows != 8 || p.Elapsed <= 0 {
		t.Errorf("profile: %+v", p)
	}
	result.Release()
	if err := result.Close(); err != nil {
		t.Error(err)
	}
}

// TestReleasedTooOften checks that a mistake in counting shows.
func TestReleasedTooOften(t *testing.T) {
	db := open(t, engine.Options{})
	result, err := db.Query(context.Background(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	result.Release()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	result.Release()
}

// TestExportTypes checks the options that say which Arrow types a result has.
func TestExportTypes(t *testing.T) {
	const sql = "SELECT s, d, '\\x00'::BLOB AS b FROM t"
	for _, test := range []struct {
		options engine.Options
		want    []arrow.DataType
	}{
		{engine.Options{}, []arrow.DataType{arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 10, Scale: 2}, arrow.BinaryTypes.Binary}},
		{engine.Options{StringViews: true, NarrowDecimals: true},
			[]arrow.DataType{arrow.BinaryTypes.StringView, &arrow.Decimal64Type{Precision: 10, Scale: 2}, arrow.BinaryTypes.BinaryView}},
	} {
		db := open(t, test.options)
		loadSLT(t, db, memory.DefaultAllocator)
		result, err := db.Query(context.Background(), sql)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if got := result.Schema().Field(i).Type; !arrow.TypeEqual(got, want) {
				t.Errorf("%+v: column %d is %s, want %s", test.options, i, got, want)
			}
		}
		rows := int64(0)
		for batch, err := range result.All() {
			if err != nil {
				t.Fatal(err)
			}
			rows += batch.NumRows()
		}
		if rows != 8 {
			t.Errorf("%d rows", rows)
		}
		result.Release()
	}
}

// text is a type defined over string.
type text string

// TestParameters checks the Go types of parameters, by position and by name.
func TestParameters(t *testing.T) {
	db := open(t, engine.Options{})
	loadSLT(t, db, memory.DefaultAllocator)
	number := 7
	vector, err := types.NewValue(types.ListOf(types.Integer), []any{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		value any
		want  string
	}{
		{nil, `"NULL" NULL`},
		{true, "BOOLEAN true"},
		{int8(-1), "TINYINT -1"},
		{int16(-2), "SMALLINT -2"},
		{int32(-3), "INTEGER -3"},
		{int64(-4), "BIGINT -4"},
		{-5, "BIGINT -5"},
		{uint8(1), "UTINYINT 1"},
		{uint16(2), "USMALLINT 2"},
		{uint32(3), "UINTEGER 3"},
		{uint64(1<<64 - 1), "UBIGINT 18446744073709551615"},
		{uint(5), "UBIGINT 5"},
		{float32(0.5), "FLOAT 0.5"},
		{-0.25, "DOUBLE -0.25"},
		{"it's", "VARCHAR it's"},
		{text("defined"), "VARCHAR defined"},
		{[]byte{0, 'a'}, `BLOB \x00a`},
		{[]byte(nil), "BLOB NULL"},
		{&number, "BIGINT 7"},
		{(*int)(nil), `"NULL" NULL`},
		{time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC), "TIMESTAMP 2024-02-29 01:02:03.000004"},
		{90 * time.Minute, "INTERVAL 01:30:00"},
		{big.NewInt(12), "HUGEINT 12"},
		{types.DecimalValue{Unscaled: big.NewInt(-1234), Scale: 2}, "DECIMAL(4,2) -12.34"},
		{types.DecimalValue{Unscaled: big.NewInt(5), Scale: 3}, "DECIMAL(3,3) .005"},
		{types.MonthDayNano{Months: 14}, "INTERVAL 1 year 2 months"},
		{vector, "INTEGER[] [1, 2]"},
	}
	for _, test := range tests {
		for _, sql := range []string{"SELECT typeof($v), $v", "SELECT typeof($1), $1"} {
			arg := test.value
			if strings.Contains(sql, "$v") {
				arg = engine.Named("v", arg)
			}
			if got := rowsOf(t, db, sql, arg); len(got) != 1 || got[0] != test.want {
				t.Errorf("%s with %T %v: got %q, want %q", sql, test.value, test.value, got, test.want)
			}
		}
	}
	if got := rowsOf(t, db, "SELECT i FROM t WHERE s = ? AND day < ? AND d > $low", "one", time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		engine.Named("low", 1)); len(got) != 1 || got[0] != "1" {
		t.Errorf("got %q", got)
	}
}

// TestWrongParameters checks what is refused.
func TestWrongParameters(t *testing.T) {
	db := open(t, engine.Options{})
	for _, test := range []struct {
		args []any
		want types.Code
	}{
		{nil, types.CodeUndefinedParameter},
		{[]any{engine.Named("b", 1)}, types.CodeUndefinedParameter},
		{[]any{engine.Named("", 1)}, types.CodeInvalidParameter},
		{[]any{engine.Named("1", 1)}, types.CodeInvalidParameter},
		{[]any{engine.Named("a", 1), engine.Named("a", 2)}, types.CodeInvalidParameter},
		{[]any{engine.Named("a", struct{}{})}, types.CodeInvalidParameter},
		{[]any{engine.Named("a", "\xff")}, types.CodeInvalidParameter},
		{[]any{engine.Named("a", types.DecimalValue{Unscaled: new(big.Int).Exp(big.NewInt(10), big.NewInt(80), nil)})}, types.CodeInvalidParameter},
	} {
		if err := failureOf(db, context.Background(), "SELECT $a", test.args...); codeOf(err) != test.want {
			t.Errorf("%v: got %v, want %s", test.args, err, test.want)
		}
	}
}

// TestExplain checks what EXPLAIN, DESCRIBE and SHOW TABLES show.
func TestExplain(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	loadSLT(t, db, memory.DefaultAllocator)
	plain := strings.Join(rowsOf(t, db, "EXPLAIN SELECT s, sum(i) FROM t WHERE i > 1 GROUP BY s"), "\n")
	for _, want := range []string{"Aggregate hash", "Filter", "Scan t", `columns: i, s`} {
		if !strings.Contains(plain, want) || strings.Contains(plain, "actual") {
			t.Errorf("no %q in\n%s", want, plain)
		}
	}
	analyzed := strings.Join(rowsOf(t, db, "EXPLAIN ANALYZE SELECT s, sum(i) FROM t WHERE i > 1 GROUP BY s"), "\n")
	for _, want := range []string{"actual 8 rows", "actual 4 rows", "2 threads"} {
		if !strings.Contains(analyzed, want) {
			t.Errorf("no %q in\n%s", want, analyzed)
		}
	}
	expectRows(t, db, "DESCRIBE encoded", "id BIGINT NO NULL NULL NULL", "dict VARCHAR YES NULL NULL NULL", "runs INTEGER YES NULL NULL NULL")
	expectRows(t, db, "DESCRIBE SELECT i + 1 AS j, 'x' FROM t", "j INTEGER YES NULL NULL NULL", "'x' VARCHAR NO NULL NULL NULL")
	expectRows(t, db, "SHOW TABLES", "encoded", "n", "nothing", "t")
	if err := failureOf(db, context.Background(), "EXPLAIN ANALYZE SELECT s::INTEGER FROM t"); codeOf(err) != types.CodeInvalidText {
		t.Errorf("EXPLAIN ANALYZE of what fails: %v", err)
	}
	idle(t, db)
}
