package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// execute runs a script that must succeed.
func execute(t testing.TB, db interface {
	Exec(ctx context.Context, script string, args ...any) error
}, script string, args ...any) {
	t.Helper()
	if err := db.Exec(context.Background(), script, args...); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// TestSmokeExec runs scripts: up to the first error, whose place is one in the script.
func TestSmokeExec(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	execute(t, db, `
		CREATE TABLE c (a INTEGER, b VARCHAR); -- a semicolon; in a comment
		INSERT INTO c VALUES (1, 'a;b'), (2, NULL);;
		CREATE VIEW v AS SELECT a FROM c;`)
	execute(t, db, "INSERT INTO c VALUES ($n, $1)", "three", engine.Named("n", 3))
	expectRows(t, db, "FROM c", "1 a;b", "2 NULL", "3 three")
	err := db.Exec(context.Background(), "DELETE FROM c WHERE a = 1;\n\nDELETE FROM c\n WHERE d = 1; DELETE FROM c")
	var e *types.Error
	if !errors.As(err, &e) || e.Code != types.CodeUndefinedColumn || e.Position.Line != 4 || e.Position.Column != 8 {
		t.Errorf("got %v", err)
	}
	expectRows(t, db, "FROM v", "2", "3")
	if err := db.Exec(context.Background(), "SELECT 'open"); codeOf(err) != types.CodeSyntax {
		t.Errorf("got %v", err)
	}
	if err := db.Exec(context.Background(), ""); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	rows := 0
	err = db.Script(context.Background(), "FROM c; FROM v; FROM c", func(r *engine.Result) error {
		for r.Next() {
			rows += int(r.RecordBatch().NumRows())
		}
		if len(r.Columns()) == 1 {
			return stop
		}
		return r.Err()
	})
	if err != stop || rows != 4 {
		t.Errorf("%v, %d rows", err, rows)
	}
	idle(t, db)
}

// TestSmokeConn gives sessions settings and temporary objects of their own.
func TestSmokeConn(t *testing.T) {
	ctx := context.Background()
	db := open(t, engine.Options{Threads: 1})
	one, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	valueOf := func(c *engine.Conn, sql string) (text string) {
		t.Helper()
		err := c.Script(ctx, sql, func(r *engine.Result) error {
			for r.Next() {
				rows, err := textRows(r.RecordBatch())
				if err != nil {
					return err
				}
				for _, row := range rows {
					text += strings.Join(row, " ") + ";"
				}
			}
			return r.Err()
		})
		if err != nil {
			return string(codeOf(err))
		}
		return text
	}
	execute(t, one, "CREATE TABLE c AS SELECT 'shared' AS x; CREATE TEMP TABLE c AS SELECT 'of one' AS x; CREATE TEMP VIEW v AS FROM c; SET default_null_order = 'nulls_first'")
	execute(t, two, "CREATE TEMP TABLE w AS SELECT 2 AS x; SET TimeZone = 'Asia/Tokyo'; SET threads = 3")
	const order = "FROM (VALUES (1), (NULL)) v (x) ORDER BY x"
	for _, test := range []struct {
		conn      *engine.Conn
		sql, want string
	}{
		{one, "FROM c", "of one;"}, {two, "FROM c", "shared;"}, {one, "FROM v", "of one;"}, {two, "FROM v", "42P01"}, {one, "FROM w", "42P01"},
		{two, "FROM temp.w", "2;"}, {one, order, "NULL;1;"}, {two, order, "1;NULL;"}, {one, "SHOW TimeZone", "UTC;"}, {two, "SHOW TimeZone", "Asia/Tokyo;"},
		{one, "SHOW threads", "3;"}, {two, "SHOW threads", "3;"},
	} {
		if got := valueOf(test.conn, test.sql); got != test.want {
			t.Errorf("%s: %s, want %s", test.sql, got, test.want)
		}
	}
	used := db.BudgetUsed()
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if db.BudgetUsed() >= used {
		t.Error("closing a session must give back its temporary tables")
	}
	expectRows(t, db, "FROM c", "shared")
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if n := db.BudgetUsed(); n != 0 {
		t.Errorf("%d bytes are still reserved after Close", n)
	}
	if _, err := db.Conn(ctx); codeOf(err) != types.CodeInvalidState {
		t.Errorf("got %v", err)
	}
}

// TestSmokeTableMemory charges the rows of tables to the budget: a statement that finds it short leaves nothing behind, and dropping gives all back, when the
// last reader has gone.
func TestSmokeTableMemory(t *testing.T) {
	ctx := context.Background()
	db := open(t, engine.Options{Threads: 2, MemoryLimit: 4 << 20})
	loadSLT(t, db, memory.DefaultAllocator)
	execute(t, db, "CREATE TABLE c AS SELECT n, s FROM n")
	held := db.BudgetUsed()
	if held < 10000*(8+16) || held != db.TableMemory() {
		t.Errorf("%d bytes are held for a table of %d bytes", held, db.TableMemory())
	}
	for _, sql := range []string{
		"CREATE TABLE d AS SELECT a.n, b.s FROM n AS a, n AS b LIMIT 1000000",
		"INSERT INTO c SELECT a.n, b.s FROM n AS a, n AS b LIMIT 1000000",
		"CREATE OR REPLACE TABLE c AS SELECT a.n, b.s FROM n AS a, n AS b LIMIT 1000000",
	} {
		if err := db.Exec(ctx, sql); !errors.Is(err, types.ErrOutOfMemory) {
			t.Errorf("%s: %v", sql, err)
		}
		idle(t, db)
		if n := db.BudgetUsed(); n != held {
			t.Errorf("%s: %d bytes are held, were %d", sql, n, held)
		}
	}
	expectRows(t, db, "SELECT count(*) FROM c", "10000")
	expectRows(t, db, "SHOW TABLES", "c", "encoded", "n", "nothing", "t")

	result, err := db.Query(ctx, "FROM c")
	if err != nil {
		t.Fatal(err)
	}
	if !result.Next() {
		t.Fatal(result.Err())
	}
	execute(t, db, "DROP TABLE c")
	if db.BudgetUsed() < held {
		t.Error("a table that is being read must stay charged")
	}
	rows := result.RecordBatch().NumRows()
	for result.Next() {
		rows += result.RecordBatch().NumRows()
	}
	if err := result.Err(); err != nil || rows != 10000 {
		t.Errorf("%d rows, %v", rows, err)
	}
	result.Release()
	idle(t, db)
	if n := db.BudgetUsed(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}

	// Rows that are removed go when nobody can see them any more: all of them.
	execute(t, db, "CREATE TABLE c AS SELECT n, s FROM n; DELETE FROM c; CREATE TABLE small (i INTEGER)")
	if n := db.BudgetUsed(); n != 0 {
		t.Errorf("%d bytes are held for no rows", n)
	}
	for i := range 200 {
		execute(t, db, "INSERT INTO small VALUES (?)", i)
	}
	if n := db.BudgetUsed(); n > 200*64 {
		t.Errorf("%d bytes are held for 200 numbers", n)
	}
	expectRows(t, db, "SELECT count(*), sum(i), min(i) FROM small", "200 19900 0")
}

// TestSmokeOwnRows makes tables of Arrow tables, and drops those: nothing of them is read any more, nor changed.
func TestSmokeOwnRows(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	db := open(t, engine.Options{Threads: 2, BatchRows: 100})
	rng := rand.New(rand.NewPCG(1, 2))
	made := 0
	for round := range 60 {
		fields, columns := []arrow.Field{}, []arrow.Array{}
		for i := range 3 {
			a := arrowtest.RandomArray(rng, alloc, arrowtest.RandomType(rng, 2), 500, arrowtest.Options{})
			defer a.Release()
			fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: a.DataType(), Nullable: true})
			columns = append(columns, a)
		}
		schema := arrow.NewSchema(fields, nil)
		record := array.NewRecordBatch(schema, columns, 500)
		err := db.RegisterRecords("arrow", schema, []arrow.RecordBatch{record})
		record.Release()
		if errors.Is(err, types.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		want := rowsOf(t, db, "FROM arrow")
		execute(t, db, "CREATE OR REPLACE TABLE own AS FROM arrow; DROP TABLE arrow")
		if got := rowsOf(t, db, "FROM own"); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("round %d: the table has other rows", round)
		}
	}
	if made < 20 {
		t.Errorf("only %d tables were made", made)
	}
}

// TestSmokeConcurrentStatements reads, adds, changes, drops and makes a table at once. A statement sees all of another's rows or none.
func TestSmokeConcurrentStatements(t *testing.T) {
	db := open(t, engine.Options{Threads: 4, BatchRows: 16})
	loadSLT(t, db, memory.DefaultAllocator)
	const create = "CREATE OR REPLACE TABLE c AS SELECT n, 0 AS v FROM n LIMIT 100"
	execute(t, db, create)
	ctx := context.Background()
	var wait sync.WaitGroup
	run := func(f func(round int) error) {
		wait.Go(func() {
			for round := range 40 {
				var e *types.Error
				if err := f(round); err != nil && !(errors.As(err, &e) && (e.Code == types.CodeSerialization || e.Code == types.CodeUndefinedTable)) {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2 {
		run(func(int) error {
			return db.Exec(ctx, "INSERT INTO c SELECT n, (SELECT min(v) FROM c) FROM n LIMIT 100")
		})
		run(func(int) error { return db.Exec(ctx, "UPDATE c SET v = v + 1") })
	}
	run(func(round int) error {
		if round%10 == 0 {
			return db.Exec(ctx, create)
		}
		return db.Exec(ctx, "DELETE FROM c WHERE n >= 50")
	})
	for range 2 {
		run(func(int) error {
			result, err := db.Query(ctx, "SELECT count(*) % 50, count(*) - 2 * count(*) FILTER (WHERE n < 25) - count(*) FILTER (WHERE n >= 50) FROM c")
			if err != nil {
				return err
			}
			defer result.Release()
			for batch, err := range result.All() {
				if err != nil {
					return err
				}
				if rows, err := textRows(batch); err != nil || rows[0][0] != "0" || rows[0][1] != "0" {
					return fmt.Errorf("part of a statement was seen: %v, %v", rows, err)
				}
			}
			return nil
		})
	}
	wait.Wait()
	idle(t, db)
	execute(t, db, "DROP TABLE IF EXISTS c")
	if n := db.BudgetUsed(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
}

// TestSmokeWriteLock has a statement that removes rows wait for another, and give up when its context ends.
func TestSmokeWriteLock(t *testing.T) {
	db := open(t, engine.Options{Threads: 2, BatchRows: 16})
	execute(t, db, "CREATE TABLE c AS SELECT 1 AS a")
	registerEndless(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan error)
	go func() { first <- db.Exec(ctx, "DELETE FROM c WHERE a = (SELECT count(*) FROM endless)") }()
	for db.Running() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	short, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	if err := db.Exec(short, "UPDATE c SET a = 2"); codeOf(err) != types.CodeQueryCanceled {
		t.Errorf("got %v", err)
	}
	execute(t, db, "INSERT INTO c VALUES (3)") // needs no lock
	cancel()
	if err := <-first; codeOf(err) != types.CodeQueryCanceled {
		t.Errorf("got %v", err)
	}
	execute(t, db, "UPDATE c SET a = a + 1")
	expectRows(t, db, "FROM c ORDER BY a", "2", "4")
	idle(t, db)
}

// TestSmokeConstraintRow reports the number of the row, among those that the statement writes, and the column.
func TestSmokeConstraintRow(t *testing.T) {
	for _, options := range []engine.Options{{Threads: 1, BatchRows: 3}, {Threads: 2, BatchRows: 100}, {Threads: 2}} {
		db := open(t, options)
		loadSLT(t, db, memory.DefaultAllocator)
		execute(t, db, "CREATE TABLE c (a BIGINT NOT NULL, b BIGINT CHECK (b < 7000))")
		for _, test := range []struct {
			sql  string
			path string
			row  int64
		}{
			{"INSERT INTO c SELECT NULLIF(n, 8123), 0 FROM n", "a", 8123},
			{"INSERT INTO c SELECT n, n FROM n", "", 7000},
			{"INSERT INTO c SELECT CASE WHEN n % 6000 <> 5999 THEN n END, n FROM n", "a", 5999},
			{"INSERT INTO c VALUES (1, 1), (2, 2), (3, 7000), (NULL, 1)", "", 2},
		} {
			err := db.Exec(context.Background(), test.sql)
			var e *types.Error
			if !errors.As(err, &e) || e.Row != test.row || e.Path != test.path {
				t.Errorf("%s: %v", test.sql, err)
			}
		}
		expectRows(t, db, "SELECT count(*) FROM c", "0")
		idle(t, db)
	}
}

// TestSmokeProfile reaches the profile of statements that have been run.
func TestSmokeProfile(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	loadSLT(t, db, memory.DefaultAllocator)
	for sql, rows := range map[string]int64{"CREATE TABLE c AS SELECT n FROM n": 10000, "SELECT n FROM n": 10000} {
		result, err := db.Query(context.Background(), sql)
		if err != nil {
			t.Fatal(err)
		}
		for result.Next() {
		}
		var profile plan.Profile = result.Profile()
		last := profile.Operators[len(profile.Operators)-1]
		if last.Rows != rows || profile.Elapsed <= 0 || profile.Threads != 2 {
			t.Errorf("%s: %+v", sql, profile)
		}
		result.Release()
	}
}
