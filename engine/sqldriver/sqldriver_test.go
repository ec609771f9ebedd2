package sqldriver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/engine/sqldriver"
	"github.com/lacunadb/lacuna/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(sqldriver.Name, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// pointer gives a destination for Scan that holds the zero value of a type.
func pointer[T any]() any { return new(T) }

// TestValues scans every SQL type into any and into Go types.
func TestValues(t *testing.T) {
	db := open(t, "")
	date := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	moment := time.Date(2024, 2, 29, 12, 30, 15, 123456000, time.UTC)
	type pair struct {
		A int32
		B *string `db:"b"`
	}
	x := "x"
	cases := []struct {
		sql  string
		want any
		into []any // destinations, then what they point to
	}{
		{"NULL", nil, []any{pointer[*int](), (*int)(nil), pointer[sql.NullString](), sql.NullString{}}},
		{"true", true, []any{pointer[bool](), true, pointer[string](), "true"}},
		{"(-7)::TINYINT", int64(-7), []any{pointer[int8](), int8(-7), pointer[float64](), -7.0, pointer[string](), "-7"}},
		{"300::SMALLINT", int64(300), []any{pointer[int](), 300}},
		{"70000", int64(70000), []any{pointer[*int32](), ptr(int32(70000)), pointer[sql.Null[int]](), sql.Null[int]{V: 70000, Valid: true}}},
		{"9223372036854775807", int64(1<<63 - 1), []any{pointer[uint64](), uint64(1<<63 - 1)}},
		{"255::UTINYINT", int64(255), []any{pointer[uint8](), uint8(255)}},
		{"65535::USMALLINT", int64(65535), nil},
		{"4294967295::UINTEGER", int64(4294967295), []any{pointer[uint32](), uint32(4294967295)}},
		{"18446744073709551615::UBIGINT", uint64(1<<64 - 1), []any{pointer[uint64](), uint64(1<<64 - 1), pointer[string](), "18446744073709551615"}},
		{"170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727",
			[]any{pointer[sqldriver.BigInt](), sqldriver.BigInt{Int: *big10("170141183460469231731687303715884105727")}, pointer[string](), "170141183460469231731687303715884105727"}},
		{"0.1::FLOAT", float32(0.1), []any{pointer[float32](), float32(0.1), pointer[float64](), 0.1, pointer[string](), "0.1"}},
		{"1.5::HALF", float32(1.5), []any{pointer[float64](), 1.5}},
		{"[0.1::FLOAT]", []any{float32(0.1)}, []any{into[[]float64](), []float64{0.1}}},
		{"DATE 'infinity'", "infinity", []any{pointer[string](), "infinity"}},
		{"DATE '-infinity'", "-infinity", nil},
		{"[TIMESTAMP 'infinity', '-infinity']", []any{"infinity", "-infinity"}, nil},
		{"TIMESTAMPTZ '-infinity'", "-infinity", nil},
		{"TIMESTAMP_S 'infinity'", "infinity", nil},
		{"TIMESTAMP_MS '-infinity'", "-infinity", nil},
		{"TIMESTAMP_NS 'infinity'", "infinity", nil},
		{"DATE '5000000-01-01'", time.Date(5000000, 1, 1, 0, 0, 0, 0, time.UTC), nil},
		{"TIME '24:00:00'", "24:00:00", []any{pointer[sqldriver.Duration](), sqldriver.Duration(24 * time.Hour)}},
		{"MAP {[1]: [INTERVAL '1 month', NULL]}", []types.MapEntry{{Key: []any{int64(1)}, Value: []any{"1 month", nil}}}, nil},
		{"union_value(n := [1::HUGEINT, NULL])", types.UnionValue{Tag: "n", Value: []any{"1", nil}}, nil},
		{"1e300", 1e300, []any{pointer[float64](), 1e300}},
		{"(-12.50)::DECIMAL(30, 2)", "-12.50", []any{pointer[string](), "-12.50", pointer[float64](), -12.5,
			pointer[sqldriver.Decimal](), sqldriver.Decimal{DecimalValue: types.DecimalValue{Unscaled: big.NewInt(-1250), Scale: 2}}}},
		{"'text'", "text", []any{pointer[string](), "text", pointer[[]byte](), []byte("text"), pointer[sql.RawBytes](), sql.RawBytes("text")}},
		{"'\\x00\\xFF'::BLOB", []byte{0, 255}, []any{pointer[[]byte](), []byte{0, 255}}},
		{"DATE '2024-02-29'", date, []any{pointer[time.Time](), date, pointer[string](), "2024-02-29T00:00:00Z"}},
		{"TIMESTAMP '2024-02-29 12:30:15.123456'", moment, []any{pointer[sql.NullTime](), sql.NullTime{Time: moment, Valid: true}}},
		{"TIMESTAMPTZ '2024-02-29 13:30:15.123456+01'", moment, []any{pointer[time.Time](), moment}},
		{"TIME '12:30:15.25'", "12:30:15.25", []any{pointer[sqldriver.Duration](), sqldriver.Duration(12*time.Hour + 30*time.Minute + 15250*time.Millisecond)}},
		{"INTERVAL '1 year 2 days 3 seconds'", "1 year 2 days 00:00:03",
			[]any{pointer[sqldriver.Interval](), sqldriver.Interval{MonthDayNano: types.MonthDayNano{Months: 12, Days: 2, Nanos: 3e9}}}},
		{"UUID '00112233-4455-6677-8899-aabbccddeeff'", "00112233-4455-6677-8899-aabbccddeeff",
			[]any{pointer[sqldriver.UUID](), sqldriver.UUID{UUIDValue: types.UUIDValue{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}}}},
		{"'b'::ENUM('a', 'b')", "b", []any{pointer[string](), "b"}},
		{"'{\"a\": 1}'::JSON", `{"a": 1}`, []any{pointer[[]byte](), []byte(`{"a": 1}`)}},
		{"[1, NULL, 3]", []any{int64(1), nil, int64(3)}, []any{into[[]*int](), []*int{ptr(1), nil, ptr(3)}, into[[]sql.NullInt32](), []sql.NullInt32{{Int32: 1, Valid: true}, {}, {Int32: 3, Valid: true}}}},
		{"[[1.5::DECIMAL(3,1)], []]", []any{[]any{"1.5"}, []any{}}, []any{into[[][]string](), [][]string{{"1.5"}, {}}, into[[][]float32](), [][]float32{{1.5}, {}}}},
		{"[1, 2]::INTEGER[2]", []any{int64(1), int64(2)}, []any{into[[2]int8](), [2]int8{1, 2}}},
		{"{'a': 1, 'b': 'x'}", []types.FieldValue{{Name: "a", Value: int64(1)}, {Name: "b", Value: "x"}},
			[]any{into[pair](), pair{A: 1, B: &x}, into[map[string]any](), map[string]any{"a": int64(1), "b": "x"}, into[*pair](), &pair{A: 1, B: &x}}},
		{"MAP {'k': 1, 'l': NULL}", []types.MapEntry{{Key: "k", Value: int64(1)}, {Key: "l"}}, []any{into[map[string]*int](), map[string]*int{"k": ptr(1), "l": nil}}},
		{"union_value(n := 5)", types.UnionValue{Tag: "n", Value: int64(5)}, []any{into[int](), 5, into[types.UnionValue](), types.UnionValue{Tag: "n", Value: int64(5)}}},
	}
	for _, c := range cases {
		var got any
		if err := db.QueryRow("SELECT " + c.sql).Scan(&got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, want %#v (%v)", c.sql, got, c.want, err)
		}
		// NULL of the same type is nil for any and an error for what has no nil.
		null := "SELECT CASE WHEN false THEN " + c.sql + " END"
		got = "something"
		if err := db.QueryRow(null).Scan(&got); err != nil || got != nil {
			t.Errorf("NULL like %s: %#v (%v)", c.sql, got, err)
		}
		if err := db.QueryRow(null).Scan(pointer[string]()); err == nil {
			t.Errorf("NULL like %s went into a string", c.sql)
		}
		for i := 0; i < len(c.into); i += 2 {
			dest := c.into[i]
			if d, ok := dest.(nested); ok {
				dest = d.scanner
			}
			if _, raw := dest.(*sql.RawBytes); raw {
				continue // only inside of Rows
			}
			err := db.QueryRow("SELECT " + c.sql).Scan(dest)
			result := c.into[i]
			if d, ok := result.(nested); ok {
				result = d.dest
			}
			if got := reflect.ValueOf(result).Elem().Interface(); err != nil || !reflect.DeepEqual(got, c.into[i+1]) {
				t.Errorf("%s into %T: %#v, want %#v (%v)", c.sql, result, got, c.into[i+1], err)
			}
		}
	}
}

func ptr[T any](x T) *T { return &x }

func big10(digits string) *big.Int {
	x, _ := new(big.Int).SetString(digits, 10)
	return x
}

// nested is a destination of Into.
type nested struct {
	dest    any
	scanner sql.Scanner
}

func into[T any]() any {
	dest := new(T)
	return nested{dest, sqldriver.Into(dest)}
}

func TestValuesThatDoNotFit(t *testing.T) {
	db := open(t, "")
	for query, dest := range map[string]any{
		"SELECT 300": pointer[int8](), "SELECT NULL": pointer[int](), "SELECT 'x'": pointer[int](), "SELECT 1.5": pointer[int](),
		"SELECT [1, 2]": sqldriver.Into(pointer[[3]int]()), "SELECT [1, NULL]": sqldriver.Into(pointer[[]int]()), "SELECT {'a': 'x'}": sqldriver.Into(pointer[struct{ A int }]()),
		"SELECT 'x'::VARCHAR": pointer[sqldriver.Decimal](), "SELECT NULL::TIME": pointer[sqldriver.Duration](), "SELECT DATE 'infinity'": pointer[time.Time](), "SELECT 1": sqldriver.Into(1), "SELECT MAP {1: 2}": sqldriver.Into(pointer[[]int]()),
	} {
		if err := db.QueryRow(query).Scan(dest); err == nil {
			t.Errorf("%s into %T: no error", query, dest)
		}
	}
}

func TestParameters(t *testing.T) {
	db := open(t, "")
	moment := time.Date(2024, 2, 29, 12, 30, 15, 0, time.UTC)
	name := "named"
	decimal := sqldriver.Decimal{DecimalValue: types.DecimalValue{Unscaled: big.NewInt(15), Scale: 1}}
	for _, c := range []struct {
		query string
		args  []any
		want  string
	}{
		{"SELECT ?, ?", []any{1, "a"}, "[1 a]"},
		{"SELECT $2, $1, $2", []any{1, nil}, "[<nil> 1 <nil>]"},
		{"SELECT $x || :y", []any{sql.Named("x", "a"), sql.Named("y", "b")}, "[ab]"},
		{"SELECT ?, ?, ?", []any{sql.NullInt64{}, sql.NullString{String: "s", Valid: true}, sql.Null[bool]{V: true, Valid: true}}, "[<nil> s true]"},
		{"SELECT ?, ?, ?", []any{&name, (*int)(nil), []byte{1}}, "[named <nil> [1]]"},
		{"SELECT ?, typeof(?)", []any{moment, time.Second}, "[2024-02-29 12:30:15 +0000 UTC INTERVAL]"},
		{"SELECT ?, typeof(?), ?, ?", []any{uint64(1 << 63), sqldriver.Decimal{DecimalValue: types.DecimalValue{Unscaled: big.NewInt(15), Scale: 1}},
			sqldriver.UUID{UUIDValue: types.UUIDValue{15: 1}}, &sqldriver.BigInt{Int: *big.NewInt(5)}}, "[9223372036854775808 DECIMAL(2,1) 00000000-0000-0000-0000-000000000001 5]"},
		{"SELECT ? + ?", []any{int8(1), 2.5}, "[3.5]"},
		{"SELECT typeof($1), $1, typeof($2), $2", []any{sqldriver.Duration(90 * time.Minute), sqldriver.Duration(1)}, "[TIME 01:30:00 TIME_NS 00:00:00.000000001]"},
		{"SELECT typeof($1), $1, typeof($2)", []any{sql.Null[sqldriver.Decimal]{V: decimal, Valid: true}, sql.Null[sqldriver.Decimal]{}}, `[DECIMAL(2,1) 1.5 "NULL"]`},
		{"SELECT ?, ?", []any{sql.Null[sqldriver.UUID]{V: sqldriver.UUID{UUIDValue: types.UUIDValue{15: 1}}, Valid: true}, &sql.Null[sqldriver.UUID]{}},
			"[00000000-0000-0000-0000-000000000001 <nil>]"},
		{"SELECT ?, ?", []any{sql.Null[sqldriver.BigInt]{V: sqldriver.BigInt{Int: *big.NewInt(7)}, Valid: true}, (*sql.Null[sqldriver.BigInt])(nil)}, "[7 <nil>]"},
		{"SELECT ?, typeof(?)", []any{sql.Null[uint64]{V: 1 << 63, Valid: true}, sql.Null[time.Duration]{V: 1, Valid: true}}, "[9223372036854775808 INTERVAL]"},
		{"SELECT ?", []any{sql.Null[sql.NullString]{V: sql.NullString{String: "deep", Valid: true}, Valid: true}}, "[deep]"},
	} {
		row, err := queryRow(db, c.query, c.args...)
		if err != nil || fmt.Sprint(row) != c.want {
			t.Errorf("%s: %v, want %s (%v)", c.query, row, c.want, err)
		}
		statement, err := db.Prepare(c.query)
		if err != nil {
			t.Error(err)
			continue
		}
		for range 2 {
			rows, err := statement.Query(c.args...)
			if err != nil {
				t.Errorf("prepared %s: %v", c.query, err)
				continue
			}
			if row, err := scanRow(rows); err != nil || fmt.Sprint(row) != c.want {
				t.Errorf("prepared %s: %v, want %s (%v)", c.query, row, c.want, err)
			}
		}
		statement.Close()
	}
	statement, err := db.Prepare("SELECT ?, ?")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	if _, err := statement.Query(1); err == nil {
		t.Error("one argument for two parameters is no error")
	}
	if _, err := db.Query("SELECT ?", struct{}{}); err == nil {
		t.Error("a Go type without an SQL type is no error")
	}
}

func queryRow(db *sql.DB, query string, args ...any) ([]any, error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, err
	}
	return scanRow(rows)
}

// scanRow gives the first row and closes the others.
func scanRow(rows *sql.Rows) ([]any, error) {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, dest := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	if !rows.Next() {
		return nil, errors.Join(errors.New("no row"), rows.Err())
	}
	return values, rows.Scan(dest...)
}

func TestColumnTypes(t *testing.T) {
	db := open(t, "")
	rows, err := db.Query(`SELECT 1 AS a, CAST(NULL AS DECIMAL(12, 3)) AS b, [1.5::DOUBLE] AS c, DATE '2024-01-01' AS d, NULL AS e`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range columns {
		nullable, known := c.Nullable()
		precision, scale, decimal := c.DecimalSize()
		_, length := c.Length()
		got = append(got, fmt.Sprint(c.Name(), " ", c.DatabaseTypeName(), " ", nullable, known, " ", precision, scale, decimal, length, " ", c.ScanType()))
	}
	want := []string{
		"a INTEGER false true 0 0 false false int64", "b DECIMAL true true 12 3 true false string", "c DOUBLE[] false true 0 0 false false []interface {}",
		"d DATE false true 0 0 false false time.Time", `e "NULL" true true 0 0 false false interface {}`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestStatements(t *testing.T) {
	db := open(t, "")
	affected := func(text string, args ...any) int64 {
		t.Helper()
		result, err := db.Exec(text, args...)
		if err != nil {
			t.Fatal(err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.LastInsertId(); err == nil {
			t.Error("LastInsertId is no error")
		}
		return n
	}
	for _, c := range []struct {
		text string
		want int64
	}{
		{"CREATE TABLE t (a INTEGER, b VARCHAR)", 0},
		{"INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)", 3},
		{"UPDATE t SET b = 'c' WHERE a > 1; DELETE FROM t WHERE a = 3", 3},
		{"CREATE TABLE u AS SELECT * FROM range(100)", 100},
		{"SELECT 5 AS n", 0},
		{"SET threads = 2", 0},
	} {
		if got := affected(c.text); got != c.want {
			t.Errorf("%s: %d rows, want %d", c.text, got, c.want)
		}
	}
	row, err := queryRow(db, "CREATE TABLE v (a INTEGER); INSERT INTO v SELECT 7; SELECT v.a, b FROM v, t ORDER BY b")
	if err != nil || fmt.Sprint(row) != "[7 a]" {
		t.Errorf("several statements: %v (%v)", row, err)
	}
	for _, c := range []struct {
		text string
		args []any
		want string
	}{
		{"INSERT INTO v VALUES (?), (?); INSERT INTO v VALUES (?); SELECT string_agg(a, ',' ORDER BY a) || ? FROM v", []any{11, 12, 13, "!"}, "[7,11,12,13!]"},
		{"DELETE FROM v WHERE a = $2; SELECT count(*), $1 FROM v WHERE a >= $1", []any{11, 12}, "[2 11]"},
		{"DELETE FROM v WHERE a = :gone; SELECT count(*) FROM v", []any{sql.Named("gone", 13)}, "[2]"},
	} {
		if row, err := queryRow(db, c.text, c.args...); err != nil || fmt.Sprint(row) != c.want {
			t.Errorf("%s: %v, want %s (%v)", c.text, row, c.want, err)
		}
	}
	for _, text := range []string{"SELECT ?; SELECT ?", "SELECT $1; SELECT 1", "SELECT 1; SELECT 2"} {
		if _, err := db.Exec(text, 1, 2, 3); err == nil {
			t.Errorf("%s: too many values are no error", text)
		}
	}
	if _, err := db.Exec("DELETE FROM v; INSERT INTO v VALUES (?); INSERT INTO v VALUES (?)", 1); err == nil {
		t.Error("a missing value is no error")
	}
	several, err := db.Prepare("SELECT ?; SELECT ? + ?")
	if err != nil {
		t.Fatal(err)
	}
	defer several.Close()
	var sum int
	if err := several.QueryRow(1, 2, 3).Scan(&sum); err != nil || sum != 5 {
		t.Errorf("several prepared statements: %d (%v)", sum, err)
	}
	_, err = db.Query("SELECT 1;\n SELECT x")
	var e *types.Error
	if !errors.As(err, &e) || e.Code != types.CodeUndefinedColumn || e.Position.Line != 2 || e.Position.Column != 9 {
		t.Errorf("place of an error: %v", err)
	}
	if _, err := db.Begin(); !errors.As(err, &e) || e.Code != types.CodeFeatureNotSupported || e.Hint == "" {
		t.Errorf("a transaction: %v", err)
	}
	if _, err := db.Prepare("SELEC 1"); !errors.As(err, &e) || e.Code != types.CodeSyntax {
		t.Errorf("a prepared statement that is none: %v", err)
	}
}

// TestSessions checks that connections share tables, and that nothing of a session is left when the pool hands its connection to somebody else.
func TestSessions(t *testing.T) {
	db := open(t, "TimeZone=Europe/Madrid&threads=1")
	db.SetMaxOpenConns(1)
	ctx := t.Context()
	first, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.ExecContext(ctx, "CREATE TABLE shared (a INTEGER); CREATE TEMP TABLE own (a INTEGER); SET TimeZone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var zone string
	if err := db.QueryRow("SHOW TimeZone").Scan(&zone); err != nil || zone != "Europe/Madrid" {
		t.Errorf("the zone is %q (%v)", zone, err)
	}
	if _, err := db.Exec("INSERT INTO shared VALUES (1)"); err != nil {
		t.Error(err)
	}
	if _, err := db.Exec("INSERT INTO own VALUES (1)"); err == nil {
		t.Error("a temporary table is seen by the next session")
	}
	// A session that cannot begin, because its context has ended, must not be the old one again.
	one, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.ExecContext(ctx, "SET TimeZone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ended, cancel := context.WithCancel(ctx)
		time.AfterFunc(0, cancel)
		if other, err := db.Conn(ended); err == nil {
			other.Close()
		}
		cancel()
	}
	if err := db.QueryRow("SHOW TimeZone").Scan(&zone); err != nil || zone != "Europe/Madrid" {
		t.Errorf("the zone is %q (%v)", zone, err)
	}
	for _, name := range []string{"treads=1", "threads=x", "%zz"} {
		if db, err := sql.Open(sqldriver.Name, name); err == nil {
			db.Close()
			t.Errorf("data source %q: no error", name)
		} else if !errors.As(err, new(*types.Error)) {
			t.Errorf("data source %q: %v", name, err)
		}
	}
}

// TestExistingDatabase uses an engine.DB of the program's.
func TestExistingDatabase(t *testing.T) {
	database, err := engine.Open(engine.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if err := database.RegisterFile(t.Context(), "nation", "../testdata/tpch/nation.parquet"); err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(sqldriver.NewConnector(database))
	var n int
	if err := db.QueryRow("SELECT count(*) FROM nation WHERE n_regionkey = ?", 3).Scan(&n); err != nil || n != 5 {
		t.Errorf("%d nations (%v)", n, err)
	}
	if err := errors.Join(db.Ping(), db.Close()); err != nil {
		t.Error(err)
	}
	if _, err := database.Query(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("closing the pool has closed the database: %v", err)
	}
}

func TestContext(t *testing.T) {
	db := open(t, "")
	const endless = "SELECT count(*) FROM range(100000000000) r"
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	var n int
	start := time.Now()
	if err := db.QueryRowContext(ctx, endless).Scan(&n); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("the query ended after %v: %v", time.Since(start), err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT * FROM range(100000000000) r")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; rows.Next(); i++ {
		if i == 10 {
			cancel()
		}
	}
	if err := rows.Err(); err == nil {
		t.Error("rows of a cancelled context end without an error")
	}
	// Rows that nobody reads to their end.
	if row, err := queryRow(db, "SELECT * FROM range(100000000000) r"); err != nil || row[0] != int64(0) {
		t.Errorf("%v (%v)", row, err)
	}
}

func TestConcurrently(t *testing.T) {
	db := open(t, "")
	if _, err := db.Exec("CREATE TABLE t AS SELECT range AS a FROM range(10000)"); err != nil {
		t.Fatal(err)
	}
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			for range 20 {
				var sum int64
				if err := db.QueryRow("SELECT sum(a) FROM t WHERE a % 8 = ?", i).Scan(&sum); err != nil || sum == 0 {
					t.Errorf("sum %d (%v)", sum, err)
				}
			}
		})
	}
	users.Wait()
}
