package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// TestMain fails when a query leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rowsOf runs a query and gives its rows as text, columns separated by a blank.
func rowsOf(t testing.TB, db *engine.DB, sql string, args ...any) []string {
	t.Helper()
	result, err := db.Query(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer result.Release()
	var out []string
	for batch, err := range result.All() {
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		rows, err := textRows(batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			out = append(out, strings.Join(row, " "))
		}
	}
	return out
}

func expectRows(t testing.TB, db *engine.DB, sql string, want ...string) {
	t.Helper()
	if got := rowsOf(t, db, sql); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: got\n%s\nwant\n%s", sql, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// failureOf runs a query to its end and gives its error.
func failureOf(db *engine.DB, ctx context.Context, sql string, args ...any) error {
	result, err := db.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer result.Release()
	for result.Next() {
	}
	return result.Err()
}

// idle fails the test when statements have not ended or hold memory.
func idle(t testing.TB, db *engine.DB) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); db.Running() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d statements still run", db.Running())
		}
	}
	if n := db.MemoryInUse(); n != 0 {
		t.Errorf("%d bytes are still reserved", n)
	}
}

// TestSmokeMemory runs queries over checked memory: nothing is read after it was freed, and everything is freed.
func TestSmokeMemory(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	for _, options := range []engine.Options{{Threads: 1, BatchRows: 3}, {Threads: 2, BatchRows: 100}, {Threads: 2, StringViews: true, NarrowDecimals: true}} {
		db := open(t, options)
		loadSLT(t, db, alloc)
		var kept []arrow.RecordBatch
		var texts [][][]string
		for _, sql := range []string{"FROM t", "SELECT s, i FROM t WHERE i > 1", "FROM encoded", "SELECT s, count(*) FROM n GROUP BY s ORDER BY s", "FROM n LIMIT 5000"} {
			result, err := db.Query(context.Background(), sql)
			if err != nil {
				t.Fatal(err)
			}
			for result.Next() {
				batch := result.RecordBatch()
				batch.Retain()
				kept = append(kept, batch)
				rows, err := textRows(batch)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, rows)
			}
			if err := result.Err(); err != nil {
				t.Fatal(err)
			}
			result.Release()
		}
		idle(t, db)
		for _, name := range []string{"t", "encoded", "n", "nothing"} {
			if err := db.Drop(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		// Batches outlive table and database.
		for i, batch := range kept {
			rows, err := textRows(batch)
			if err != nil {
				t.Fatal(err)
			}
			for r := range rows {
				if strings.Join(rows[r], "|") != strings.Join(texts[i][r], "|") {
					t.Fatalf("batch %d has changed: %q, then %q", i, texts[i][r], rows[r])
				}
			}
			batch.Release()
		}
	}
}

// TestZeroCopy checks that a column that is only passed through leaves in the caller's own memory.
func TestZeroCopy(t *testing.T) {
	db := open(t, engine.Options{Threads: 1})
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range 1000 {
		b.Append(int64(i))
	}
	arr := b.NewInt64Array()
	defer arr.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arr.DataType(), Nullable: true}}, nil)
	record := array.NewRecordBatch(schema, []arrow.Array{arr}, 1000)
	defer record.Release()
	if err := db.RegisterRecords("t", schema, []arrow.RecordBatch{record}); err != nil {
		t.Fatal(err)
	}
	result, err := db.Query(context.Background(), "SELECT a AS b FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()
	if !result.Next() {
		t.Fatal(result.Err())
	}
	if got := result.RecordBatch().Column(0).(*array.Int64).Int64Values(); &got[0] != &arr.Int64Values()[0] || len(got) != 1000 {
		t.Error("the values were copied")
	}
}

// TestSmokeDropAndReplace checks that a table lives as long as the queries that read it, and no longer.
func TestSmokeDropAndReplace(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	db := open(t, engine.Options{Threads: 2, BatchRows: 10})
	registerNumbers(t, db, alloc, "n", 5000)
	result, err := db.Query(context.Background(), "SELECT n FROM n")
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()
	if !result.Next() {
		t.Fatal(result.Err())
	}
	registerNumbers(t, db, memory.DefaultAllocator, "n", 7)
	expectRows(t, db, "SELECT count(*) FROM n", "7")
	if err := db.Drop("N"); err != nil { // names fold case
		t.Fatal(err)
	}
	if err := failureOf(db, context.Background(), "FROM n"); codeOf(err) != types.CodeUndefinedTable {
		t.Errorf("dropped table: %v", err)
	}
	if err := db.Drop("n"); codeOf(err) != types.CodeUndefinedTable {
		t.Errorf("dropped twice: %v", err)
	}
	rows := result.RecordBatch().NumRows()
	for result.Next() {
		rows += result.RecordBatch().NumRows()
	}
	if rows != 5000 || result.Err() != nil {
		t.Errorf("the running query read %d rows, %v", rows, result.Err())
	}
	if n := alloc.CurrentAlloc(); n != 0 {
		t.Errorf("%d bytes of the replaced table are left", n)
	}
}

func codeOf(err error) types.Code {
	var e *types.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// TestSmokeErrors checks that what is wrong ends with the right error at the right place, and that the next query works.
func TestSmokeErrors(t *testing.T) {
	db := open(t, engine.Options{Threads: 2, BatchRows: 3})
	loadSLT(t, db, memory.DefaultAllocator)
	folder := t.TempDir()
	whole, err := os.ReadFile(tpchFile("nation"))
	if err != nil {
		t.Fatal(err)
	}
	page := slices.Clone(whole)
	clear(page[4:64]) // where the first page begins
	for name, content := range map[string][]byte{
		"page.parquet":      page,
		"truncated.parquet": whole[:len(whole)-20], "short.parquet": whole[:3], "empty.parquet": nil, "text.parquet": []byte("this is no Parquet file at all"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.parquet"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		sql     string
		code    types.Code
		place   string // line:column; empty if there is none
		message string // part of the report
	}{
		{"", types.CodeSyntax, "1:1", "no statement"},
		{" -- nothing\n;", types.CodeSyntax, "2:2", "no statement"},
		{"SELECT 1; SELECT 2", types.CodeSyntax, "1:11", "2 statements"},
		{"SELECT\n  1 +", types.CodeSyntax, "2:6", "syntax error"},
		{"SELECT i\nFROM tt", types.CodeUndefinedTable, "2:6", `Did you mean "t"`},
		{"SELECT i, dayy FROM t", types.CodeUndefinedColumn, "1:11", `Did you mean "day"`},
		{"SELECT nofunction(i) FROM t", types.CodeUndefinedFunction, "1:8", "nofunction"},
		{"SELECT i + s FROM t", types.CodeDatatypeMismatch, "1:10", "INTEGER and VARCHAR"},
		{"SELECT * FROM t WHERE s", types.CodeDatatypeMismatch, "1:23", "BOOLEAN"},
		{"SELECT i FROM t GROUP BY s", types.CodeGrouping, "1:8", "GROUP BY"},
		{"SELECT ?", types.CodeUndefinedParameter, "1:8", "parameter"},
		{"SELECT i, s::INTEGER AS n\nFROM t", types.CodeInvalidText, "1:11", `"one"`},
		{"SELECT\n i + 1 FROM t", types.CodeNumericOutOfRange, "2:4", ""},
		{"SELECT * FROM t WHERE i + 1 > 0", types.CodeNumericOutOfRange, "1:25", ""},
		{"CREATE TABLE x (a INTEGER REFERENCES y)", types.CodeFeatureNotSupported, "1:27", "FOREIGN KEY"},
		{"FROM 'missing.parquet'", types.CodeUndefinedFile, "1:6", "does not exist"},
		{"FROM 'missing.xyz'", types.CodeUndefinedTable, "1:6", "format"},
		{"FROM '" + folder + "/folder.parquet'", types.CodeWrongObjectType, "1:6", "directory"},
		{"FROM '" + folder + "/truncated.parquet'", types.CodeDataCorrupted, "1:6", "truncated.parquet"},
		{"FROM '" + folder + "/short.parquet'", types.CodeDataCorrupted, "1:6", "short.parquet"},
		{"FROM '" + folder + "/empty.parquet'", types.CodeDataCorrupted, "1:6", "empty.parquet"},
		{"FROM '" + folder + "/page.parquet'", types.CodeDataCorrupted, "", "page.parquet"},
		{"FROM '" + folder + "/text.parquet'", types.CodeDataCorrupted, "1:6", "text.parquet"},
	}
	for _, test := range tests {
		t.Run(test.sql, func(t *testing.T) {
			err := failureOf(db, context.Background(), test.sql)
			var e *types.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			place := ""
			if e.Position.Line != 0 {
				place = itoa(e.Position.Line) + ":" + itoa(e.Position.Column)
			}
			if e.Code != test.code || place != test.place || !strings.Contains(e.Report(), test.message) {
				t.Errorf("at %s: %s\nwant %s at %s: %s", place, e.Report(), test.code, test.place, test.message)
			}
			if place != "" && e.Source != test.sql {
				t.Errorf("the error is about the text %q", e.Source)
			}
			expectRows(t, db, "SELECT count(*), count(i) FROM t", "8 6")
		})
	}
	idle(t, db)
}

// TestSmokeCancel checks that a cancelled query stops within 100 ms, wherever it is, and leaves nothing behind.
func TestSmokeCancel(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	registerEndless(t, db)
	loadSLT(t, db, memory.DefaultAllocator)
	for _, sql := range []string{
		"SELECT count(*) FROM endless",
		"SELECT count(*) FROM endless WHERE random_text IS NULL",
		"SELECT 1 AS one, count(*) FROM endless GROUP BY one",
		"SELECT 'text' || 1 FROM endless",
		"EXPLAIN ANALYZE SELECT count(*) FROM endless",
	} {
		if strings.Contains(sql, "random_text") {
			sql = "SELECT count(*) FROM (SELECT 'a' || 'b' AS random_text FROM endless) WHERE random_text IS NULL"
		}
		t.Run(sql, func(t *testing.T) {
			best := time.Hour
			for range 5 { // the machine may be busy with something else
				ctx, cancel := context.WithCancel(context.Background())
				var canceled time.Time
				timer := time.AfterFunc(20*time.Millisecond, func() {
					canceled = time.Now()
					cancel()
				})
				err := failureOf(db, ctx, sql)
				took := time.Since(canceled)
				timer.Stop()
				if codeOf(err) != types.CodeQueryCanceled || !errors.Is(err, context.Canceled) {
					t.Fatalf("got %v", err)
				}
				idle(t, db)
				if best = min(best, took); best < 100*time.Millisecond {
					break
				}
			}
			if best > 100*time.Millisecond {
				t.Errorf("it took %v to stop", best)
			}
		})
	}
	expectRows(t, db, "SELECT count(*) FROM t", "8")
}

// TestTimeout checks the error of a deadline.
func TestTimeout(t *testing.T) {
	db := open(t, engine.Options{Threads: 1})
	registerEndless(t, db)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	err := failureOf(db, ctx, "SELECT count(*) FROM endless")
	if codeOf(err) != types.CodeQueryCanceled || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("got %v", err)
	}
	if err := failureOf(db, ctx, "SELECT 1"); codeOf(err) != types.CodeQueryCanceled {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// TestSmokeAbandoned checks that cancelling is enough: nobody has to come back for a result.
func TestSmokeAbandoned(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	db := open(t, engine.Options{Threads: 2, BatchRows: 10})
	registerNumbers(t, db, alloc, "n", 20000)
	ctx, cancel := context.WithCancel(context.Background())
	result, err := db.Query(ctx, "FROM n")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	idle(t, db)
	if err := db.Drop("n"); err != nil {
		t.Fatal(err)
	}
	if n := alloc.CurrentAlloc(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
	if result.Next() || codeOf(result.Err()) != types.CodeQueryCanceled {
		t.Errorf("the abandoned result says %v", result.Err())
	}
	result.Release()
}

// TestSmokeBackPressure checks that a query waits for its reader, and that a reader who has enough ends it.
func TestSmokeBackPressure(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	registerEndless(t, db)
	result, err := db.Query(context.Background(), "SELECT 'some text' AS s, 1 AS i FROM endless")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if !result.Next() {
			t.Fatal(result.Err())
		}
	}
	time.Sleep(20 * time.Millisecond)
	if n := db.MemoryInUse(); n > 64<<20 {
		t.Errorf("the query runs ahead by %d bytes", n)
	}
	result.Release()
	idle(t, db)
	if result.Next() || result.Err() != nil {
		t.Errorf("after the release: %v", result.Err())
	}
	batches := 0
	result, err = db.Query(context.Background(), "SELECT 1 FROM endless")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range result.All() {
		if err != nil {
			t.Fatal(err)
		}
		if batches++; batches == 2 {
			break
		}
	}
	idle(t, db) // leaving the loop is enough
}

// TestSmokeClose checks that closing a database ends its queries.
func TestSmokeClose(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	db := open(t, engine.Options{Threads: 2, BatchRows: 10})
	registerEndless(t, db)
	registerNumbers(t, db, alloc, "n", 20000)
	counting := make(chan error)
	go func() { counting <- failureOf(db, context.Background(), "SELECT count(*) FROM endless") }()
	result, err := db.Query(context.Background(), "FROM n")
	if err != nil {
		t.Fatal(err)
	}
	defer result.Release()
	if !result.Next() {
		t.Fatal(result.Err())
	}
	for db.Running() < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-counting; codeOf(err) != types.CodeInvalidState {
		t.Errorf("the query in another goroutine: %v", err)
	}
	for result.Next() {
	}
	if codeOf(result.Err()) != types.CodeInvalidState {
		t.Errorf("the open result: %v", result.Err())
	}
	idle(t, db)
	if _, err := db.Query(context.Background(), "SELECT 1"); codeOf(err) != types.CodeInvalidState {
		t.Errorf("a query afterwards: %v", err)
	}
	if err := db.RegisterRecords("x", arrow.NewSchema(nil, nil), nil); codeOf(err) != types.CodeInvalidState {
		t.Errorf("a table afterwards: %v", err)
	}
	result.Close()
	if n := alloc.CurrentAlloc(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// TestSmokeConcurrent runs queries from many goroutines while a table is replaced all the time. Each sees one version of it.
func TestSmokeConcurrent(t *testing.T) {
	db := open(t, engine.Options{Threads: 2, BatchRows: 100})
	loadSLT(t, db, memory.DefaultAllocator)
	registerNumbers(t, db, memory.DefaultAllocator, "changing", 500)
	stop := make(chan struct{})
	var changing, reading sync.WaitGroup
	changing.Add(1)
	go func() {
		defer changing.Done()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				registerNumbers(t, db, memory.DefaultAllocator, "changing", 500*(1+i%2))
			}
		}
	}()
	for range 8 {
		reading.Add(1)
		go func() {
			defer reading.Done()
			for range 20 {
				got := strings.Join(rowsOf(t, db, "SELECT count(*), max(n) FROM changing"), "")
				if got != "500 499" && got != "1000 999" {
					t.Errorf("a mixture of two versions: %s", got)
				}
				expectRows(t, db, "SELECT m, count(*) FROM n WHERE m >= 5 GROUP BY m ORDER BY m", "5 1298", "6 1298")
			}
		}()
	}
	reading.Wait()
	close(stop)
	changing.Wait()
	idle(t, db)
}

// TestRegister checks names and files.
func TestRegister(t *testing.T) {
	ctx := context.Background()
	db := open(t, engine.Options{Threads: 1})
	if err := db.RegisterFile(ctx, "Nation", tpchFile("nation")); err != nil {
		t.Fatal(err)
	}
	expectRows(t, db, "SELECT n_name FROM nation WHERE nation.n_nationkey = 3", "CANADA")
	registerNumbers(t, db, memory.DefaultAllocator, "NATION", 3)
	expectRows(t, db, "SELECT n FROM nation", "0", "1", "2")
	if err := db.RegisterFile(ctx, "nation", "missing.parquet"); codeOf(err) != types.CodeUndefinedFile {
		t.Errorf("a missing file: %v", err)
	}
	if err := db.RegisterFile(ctx, "", tpchFile("nation")); codeOf(err) != types.CodeInvalidName {
		t.Errorf("no name: %v", err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int32}}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"c": 1}, {"c": null}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer record.Release()
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{record})
	defer table.Release()
	err = db.RegisterTable("nation", table)
	var e *types.Error
	if !errors.Is(err, types.ErrNullInRequired) || !errors.As(err, &e) || e.Path != "c" || e.Row != 1 {
		t.Errorf("a null in a required column: %v", err)
	}
	expectRows(t, db, "SELECT count(*) FROM nation", "3") // what was there stays
}

// TestDocNamesFiles checks that the Go files that the package's documentation names exist.
func TestDocNamesFiles(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(?:types|kernels|catalog|plan|engine)/[\w/]*\w\.go\b`).FindAllString(string(text), -1)
	if len(names) < 20 {
		t.Errorf("only %d names found", len(names))
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join("..", name)); err != nil {
			t.Errorf("doc.go names a file that is not there: %v", err)
		}
	}
	if lines := strings.Count(string(text), "\n"); lines > 120 {
		t.Errorf("doc.go has %d lines; what does not fit on a page is not read", lines)
	}
}

// TestMemoryLimit checks that a query that needs too much fails alone.
func TestMemoryLimit(t *testing.T) {
	db := open(t, engine.Options{Threads: 2, MemoryLimit: 2 << 20})
	registerNumbers(t, db, memory.DefaultAllocator, "n", 200000)
	err := failureOf(db, context.Background(), "SELECT n, count(*) FROM n GROUP BY n")
	if codeOf(err) != types.CodeOutOfMemory || !errors.Is(err, types.ErrOutOfMemory) {
		t.Errorf("got %v", err)
	}
	idle(t, db)
	expectRows(t, db, "SELECT count(*) FROM n", "200000")
}

// brokenTable panics where it is told to.
type brokenTable struct{ inSchema, inScan bool }

func (b brokenTable) Schema() types.Schema {
	if b.inSchema {
		panic("the schema is broken")
	}
	return types.Schema{{Name: "a", Type: types.Integer}}
}

func (brokenTable) Applies(*expr.Expr) bool { return false }

func (brokenTable) Statistics() catalog.Statistics { return catalog.Statistics{} }

func (b brokenTable) Scan(context.Context, catalog.ScanRequest) (catalog.Scan, error) {
	if b.inScan {
		panic("the scan is broken")
	}
	return nil, errors.New("an error without a code")
}

// TestPanic checks that a bug in the front end or in execution is an error of that query alone.
func TestPanic(t *testing.T) {
	db := open(t, engine.Options{Threads: 2})
	for _, test := range []struct {
		table brokenTable
		want  string
	}{{brokenTable{inSchema: true}, "the schema is broken"}, {brokenTable{inScan: true}, "the scan is broken"}, {brokenTable{}, "an error without a code"}} {
		if err := db.PutTable("broken", test.table); err != nil {
			t.Fatal(err)
		}
		err := failureOf(db, context.Background(), "SELECT a FROM broken")
		if codeOf(err) != types.CodeInternal || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		idle(t, db)
		expectRows(t, db, "SELECT 1", "1")
	}
}

// TestOptions checks what Open refuses.
func TestOptions(t *testing.T) {
	for _, options := range []engine.Options{
		{Threads: -1}, {MemoryLimit: -1}, {BatchRows: -1}, {BatchRows: 1 << 30}, {DisabledRules: []string{"push_filter"}},
	} {
		if db, err := engine.Open(options); err == nil {
			db.Close()
			t.Errorf("%+v is accepted", options)
		}
	}
	_, err := engine.Open(engine.Options{DisabledRules: []string{"push_filter"}})
	var e *types.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "push_filters") {
		t.Errorf("no hint in %v", err)
	}
	db := open(t, engine.Options{DisabledRules: []string{"push_filters", "fold_constants"}})
	expectRows(t, db, "SELECT a FROM (SELECT 1 + 1 AS a) WHERE a = 2", "2")
}
