package engine_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/engine/slt"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

var rewrite = flag.Bool("rewrite", false, "write what queries give now into the .slt files, where that differs")

// tpchTables are the tables of the TPC-H data set in testdata/tpch, scale factor 0.01.
var tpchTables = []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"}

// mode is a way of running the same queries, which must give the same answers.
type mode struct {
	name    string
	options engine.Options
	// parquet has the tables read from their files; else they are loaded into memory first.
	parquet bool
}

// modes are all ways for small files. One worker and many, tiny batches and whole ones, optimized and as written, from memory and from files.
var modes = func() []mode {
	var all []mode
	for _, threads := range []int{1, 2} {
		for _, rows := range []int{3, 0} {
			for _, off := range []bool{false, true} {
				o := engine.Options{Threads: threads, BatchRows: rows, OptimizerOff: off}
				name := fmt.Sprintf("threads=%d,rows=%d,optimizer=%v", threads, rows, !off)
				all = append(all, mode{name: name, options: o})
			}
		}
	}
	return all
}()

// pairwise are modes in which every two settings meet at least once, for large files.
var pairwise = []mode{
	{name: "threads=1,rows=default,optimizer=true,parquet", options: engine.Options{Threads: 1}, parquet: true},
	{name: "threads=2,rows=default,optimizer=false,memory", options: engine.Options{Threads: 2, OptimizerOff: true}},
	{name: "threads=2,rows=100,optimizer=true,parquet", options: engine.Options{Threads: 2, BatchRows: 100}, parquet: true},
	{name: "threads=1,rows=100,optimizer=false,parquet", options: engine.Options{Threads: 1, BatchRows: 100, OptimizerOff: true}, parquet: true},
	{name: "threads=1,rows=100,optimizer=true,memory", options: engine.Options{Threads: 1, BatchRows: 100}},
}

// TestSLT runs every .slt file in every mode. With -rewrite it writes down what the first mode gives.
func TestSLT(t *testing.T) {
	if testing.Short() {
		t.Skip("TestSmokeSLT runs the same files in fewer modes")
	}
	runFolder(t, "testdata/slt", modes)
}

// TestRulesSLT runs every .slt file with each rule of the optimizer off, one at a time: no rule may need another for a right answer.
func TestRulesSLT(t *testing.T) {
	if testing.Short() {
		t.Skip("TestSLT has the optimizer on and off")
	}
	var all []mode
	for _, name := range plan.OptionalRules() {
		all = append(all, mode{name: "without=" + name, options: engine.Options{Threads: 1, DisabledRules: []string{name}}})
	}
	runFolder(t, "testdata/slt", all)
}

// TestSmokeSLT runs the same files in two modes, for short tests, the race detector and emulators.
func TestSmokeSLT(t *testing.T) {
	if !testing.Short() {
		t.Skip("part of TestSLT")
	}
	runFolder(t, "testdata/slt", []mode{modes[0], modes[len(modes)-1]})
}

// runFolder runs the .slt files of a folder and the folders below it. Files whose name begins with "large" take the pairwise modes.
func runFolder(t *testing.T, root string, all []mode) {
	var files []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".slt" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no .slt files in %s", root)
	}
	for _, path := range files {
		name, _ := filepath.Rel(root, path)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			file, err := slt.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite {
				rewriteFile(t, path, file, all[0])
				return
			}
			for _, m := range all {
				t.Run(m.name, func(t *testing.T) { runFile(t, file, m) })
			}
		})
	}
}

func runFile(t *testing.T, file *slt.File, m mode) {
	report := slt.Runner{DB: openSLT(t, m, file), Names: []string{"lacuna"}}.Run(file)
	for _, failure := range report.Failures {
		t.Error(failure)
	}
	if report.Passed == 0 && len(report.Failures) == 0 {
		t.Error("no records ran")
	}
}

func rewriteFile(t *testing.T, path string, file *slt.File, m mode) {
	text, failures := slt.Runner{DB: openSLT(t, m, file), Names: []string{"lacuna"}}.Rewrite(file)
	for _, failure := range failures {
		t.Error(failure)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// testDir stands for a directory in test files.
const testDir = "__TEST_DIR__"

// sltDB answers the SQL of test files. What it shows has been through Arrow: exported by the engine and imported again.
// __TEST_DIR__ in it stands for a directory of the file's own that is empty at first; the places of errors behind it on the same line differ from run to run.
type sltDB struct {
	db  *engine.DB
	dir string
}

// openSLT opens a database with the tables that all .slt files know and those that one names.
func openSLT(t *testing.T, m mode, file *slt.File) sltDB {
	t.Helper()
	db := open(t, m.options)
	loadSLT(t, db, memory.DefaultAllocator)
	for _, table := range file.Tables {
		if err := db.RegisterFile(t.Context(), table.Name, table.Path); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "slt") // not t.TempDir, whose name has the "=" of partitions
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return sltDB{db, filepath.ToSlash(dir)}
}

// Exec runs a statement. An error's message begins with its SQLSTATE and ends with its hint; the row is left out, since it counts from the
// start of a batch, and those differ between modes.
func (s sltDB) Exec(sql string) (slt.Result, error) {
	out, err := s.exec(strings.ReplaceAll(sql, testDir, s.dir))
	var e *types.Error
	if errors.As(err, &e) {
		text := fmt.Sprintf("%s: %s", e.Code, e.Message)
		if e.Position.Line > 0 {
			text += fmt.Sprintf(" at %d:%d", e.Position.Line, e.Position.Column)
		}
		if e.Hint != "" {
			text += "; " + e.Hint
		}
		err = errors.New(text)
	}
	if s.dir != "" && strings.Contains(sql, testDir) {
		for _, row := range out.Rows {
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], s.dir, testDir)
			}
		}
		if err != nil {
			err = errors.New(strings.ReplaceAll(err.Error(), s.dir, testDir))
		}
	}
	return out, err
}

func (s sltDB) exec(sql string) (slt.Result, error) {
	result, err := s.db.Query(context.Background(), sql)
	if err != nil {
		return slt.Result{}, err
	}
	defer result.Release()
	var out slt.Result
	letters := make([]byte, len(result.Columns()))
	for i, f := range result.Columns() {
		out.Columns = append(out.Columns, f.Name)
		letters[i] = sltLetter(f.Type)
	}
	out.Types = string(letters)
	for batch, err := range result.All() {
		if err != nil {
			return slt.Result{}, err
		}
		rows, err := textRows(batch)
		if err != nil {
			return slt.Result{}, err
		}
		out.Rows = append(out.Rows, rows...)
	}
	return out, nil
}

func sltLetter(t types.Type) byte {
	switch {
	case t.IsInteger():
		return 'I'
	case t.IsNumeric():
		return 'R'
	}
	return 'T'
}

// textRows gives the rows of a batch as text.
func textRows(batch arrow.RecordBatch) ([][]string, error) {
	schema, err := types.ImportSchema(batch.Schema())
	if err != nil {
		return nil, err
	}
	imported, err := types.ImportBatch(batch, schema, types.ImportOptions{})
	if err != nil {
		return nil, err
	}
	rows := make([][]string, imported.Rows)
	for r := range rows {
		rows[r] = make([]string, len(schema))
		for c, v := range imported.Columns {
			rows[r][c] = types.Text(v, r)
		}
	}
	return rows, nil
}

// open opens a database that is closed with the test.
func open(t testing.TB, options engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(options)
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

// loadTPCH makes TPC-H tables known to a database, in memory, in batches of the default size.
func loadTPCH(t testing.TB, db *engine.DB, tables ...string) {
	t.Helper()
	reader := open(t, engine.Options{})
	for _, name := range tables {
		result, err := reader.Query(context.Background(), "SELECT * FROM '"+tpchFile(name)+"'")
		if err != nil {
			t.Fatal(err)
		}
		err = db.RegisterReader(name, result)
		result.Release()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func tpchFile(table string) string { return "testdata/tpch/" + table + ".parquet" }

// TestTPCH runs the queries of TPC-H in every mode, from files and from memory, and compares with the answers.
func TestTPCH(t *testing.T) {
	for _, m := range modes {
		queries := tpchQueries()
		if m.options.BatchRows > 0 {
			queries = []string{"q01", "q06"} // tiny batches take long
		}
		for _, parquet := range []bool{false, true} {
			runTPCH(t, mode{name: fmt.Sprintf("%s,parquet=%v", m.name, parquet), options: m.options, parquet: parquet}, queries)
		}
	}
}

// TestSmokeTPCH is TestTPCH in modes in which every two settings meet at least once.
func TestSmokeTPCH(t *testing.T) {
	for _, m := range pairwise {
		runTPCH(t, m, tpchQueries())
	}
}

// tpchQueries are the names of all queries of TPC-H.
func tpchQueries() []string {
	var names []string
	for i := range 22 {
		names = append(names, fmt.Sprintf("q%02d", i+1))
	}
	return names
}

func runTPCH(t *testing.T, m mode, queries []string) {
	t.Run(m.name, func(t *testing.T) {
		db := open(t, m.options)
		if m.parquet {
			for _, name := range tpchTables {
				if err := db.RegisterFile(context.Background(), name, tpchFile(name)); err != nil {
					t.Fatal(err)
				}
			}
		} else {
			loadTPCH(t, db, tpchTables...)
		}
		for _, query := range queries {
			t.Run(query, func(t *testing.T) { checkTPCH(t, db, query) })
		}
	})
}

// checkTPCH runs one query of testdata/tpch/queries. Answers hold numbers as DuckDB prints them.
func checkTPCH(t *testing.T, db *engine.DB, query string) {
	sql, err := os.ReadFile("testdata/tpch/queries/" + query + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := os.ReadFile("testdata/tpch/answers/" + query + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	got, err := sltDB{db: db}.Exec(string(sql))
	if err != nil {
		t.Fatal(err)
	}
	record := "# dialect: rs\nquery " + got.Types + "\nq\n----\n"
	answers := csv.NewReader(bytes.NewReader(answer))
	answers.Comma = '|'
	rows, err := answers.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		record += strings.Join(row, "\t") + "\n"
	}
	file, err := slt.Parse(query, record)
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range (slt.Runner{DB: known(got)}).Run(file).Failures {
		t.Error(failure)
	}
}

// known is a database that gives one result, for comparing.
type known slt.Result

// Exec gives the result.
func (k known) Exec(string) (slt.Result, error) { return slt.Result(k), nil }

var _ array.RecordReader = (*engine.Result)(nil)
