package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// filesBelow gives the paths of all files below a directory, relative to it.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	all := []string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			path, err = filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mustExec runs a statement and gives the one number that it reports.
func mustExec(t *testing.T, db *engine.DB, text string) int64 {
	t.Helper()
	rows := mustRows(t, db, text)
	if len(rows) != 1 {
		return -1
	}
	n, _ := rows[0][0].(int64)
	return n
}

// mustRows gives the rows of a query.
func mustRows(t *testing.T, db *engine.DB, text string) [][]any {
	t.Helper()
	result, err := db.Query(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer result.Release()
	var rows [][]any
	for {
		b, err := result.NextBatch()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if b == nil {
			return rows
		}
		for row := range b.Rows {
			values := make([]any, len(b.Columns))
			for i, v := range b.Columns {
				values[i] = types.Value(v, row)
			}
			rows = append(rows, values)
		}
	}
}

// copied is a query of many types that files of every format hold.
const copied = `SELECT range::INTEGER AS i, 'text, "' || range AS t, CASE WHEN range %% 3 = 0 THEN range / 4 END AS f, DATE '2024-01-01' + range::INTEGER AS d,
	TIMESTAMP '2024-01-01 12:00:00' + INTERVAL 1 SECOND * range::INTEGER AS ts, range %% 2 = 0 AS b, (range / 8)::DECIMAL(20, 3) AS n FROM range(%d)`

// TestCopy writes a query to each format and reads it back: all rows, in their order.
func TestCopy(t *testing.T) {
	for _, threads := range []int{1, 2} {
		db := open(t, engine.Options{Threads: threads})
		for _, target := range []string{"a.csv", "b.arrow", "c.parquet", "d.json", "e.csv.gz"} {
			query := fmt.Sprintf(copied, 20_000)
			path := filepath.ToSlash(filepath.Join(t.TempDir(), target))
			options := ""
			if strings.HasSuffix(target, ".gz") {
				options = " (FORMAT csv, COMPRESSION gzip)"
			}
			if _, err := db.Query(t.Context(), "COPY (SELECT 1) TO '"+path+"'"); err != nil {
				var e *types.Error
				if errors.As(err, &e) && e.Code == types.CodeFeatureNotSupported {
					continue // a format that is not written yet says so
				}
			}
			if n := mustExec(t, db, "COPY ("+query+") TO '"+path+"'"+options); n != 20_000 {
				t.Errorf("%s: %d rows are reported", target, n)
			}
			cast := "SELECT i::INTEGER, t, f::DOUBLE, d, ts, b, n::DECIMAL(20, 3) FROM '" + path + "'"
			got, want := mustRows(t, db, cast), mustRows(t, db, query)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: the rows differ", target)
			}
			if files := filesBelow(t, filepath.Dir(path)); len(files) != 1 {
				t.Errorf("%s: files %q", target, files)
			}
		}
	}
}

// TestCopyPartitions writes Hive directories and reads them back, also with more of them than files may be open.
func TestCopyPartitions(t *testing.T) {
	db := open(t, engine.Options{BatchRows: 50})
	dir := filepath.ToSlash(t.TempDir())
	mustExec(t, db, "COPY (SELECT range AS i, CASE WHEN range % 4 <> 0 THEN 'a/b=' || range % 3 END AS k, range % 2 = 0 AS even FROM range(100)) TO '"+dir+"/x' (FORMAT csv, PARTITION_BY (k, even))")
	want := []string{
		"k=__HIVE_DEFAULT_PARTITION__/even=true/data_0.csv", "k=a%2Fb%3D0/even=false/data_0.csv", "k=a%2Fb%3D0/even=true/data_0.csv", "k=a%2Fb%3D1/even=false/data_0.csv",
		"k=a%2Fb%3D1/even=true/data_0.csv", "k=a%2Fb%3D2/even=false/data_0.csv", "k=a%2Fb%3D2/even=true/data_0.csv",
	}
	if got := filesBelow(t, dir+"/x"); !slices.Equal(got, want) {
		t.Errorf("files\n%q, want\n%q", got, want)
	}
	rows := mustRows(t, db, "SELECT count(*), sum(i), count(k), count(DISTINCT k), count(*) FILTER (even = 'true') FROM '"+dir+"/x/**/*.csv'")
	if fmt.Sprint(rows) != "[[100 4950 75 3 50]]" {
		t.Errorf("rows %v", rows)
	}
	var e *types.Error
	if _, err := db.Query(t.Context(), "COPY (SELECT 1 AS a, 2 AS b) TO '"+dir+"/x' (FORMAT csv, PARTITION_BY a)"); !errors.As(err, &e) || !strings.Contains(e.Hint, "OVERWRITE_OR_IGNORE") {
		t.Errorf("a directory that is not empty: %v", err)
	}
	mustExec(t, db, "COPY (SELECT range AS i, range // 3 % 250 AS k FROM range(3000)) TO '"+dir+"/many' (FORMAT csv, PARTITION_BY (k), WRITE_PARTITION_COLUMNS)")
	if rows := mustRows(t, db, "SELECT count(*), sum(i), count(DISTINCT k) FROM '"+dir+"/many/**/*.csv'"); fmt.Sprint(rows) != "[[3000 4498500 250]]" {
		t.Errorf("many partitions: %v", rows)
	}
}

// TestCopyFrom loads files into tables.
func TestCopyFrom(t *testing.T) {
	db := open(t, engine.Options{})
	dir := filepath.ToSlash(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.csv", "1,x\n2,\n")
	write("b.csv", "id;name\n3;y\n")
	write("bad.csv", "4,z\nfive,w\n")
	mustExec(t, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR, note VARCHAR DEFAULT 'none', CHECK (id < 100))")
	for text, want := range map[string]int64{
		"COPY t (id, name) FROM '" + dir + "/a.csv'":                 2,
		"COPY t (id, name) FROM '" + dir + "/b.csv' WITH CSV HEADER": 1,
	} {
		if n := mustExec(t, db, text); n != want {
			t.Errorf("%s: %d rows", text, n)
		}
	}
	if rows := mustRows(t, db, "SELECT * FROM t ORDER BY id"); fmt.Sprint(rows) != "[[1 x none] [2 <nil> none] [3 y none]]" {
		t.Errorf("rows %v", rows)
	}
	write("keys.csv", "1,again\n")
	write("check.csv", "100,large\n")
	for text, code := range map[string]types.Code{
		"COPY t (id, name) FROM '" + dir + "/bad.csv'":              types.CodeInvalidText,
		"COPY t (id, name) FROM '" + dir + "/keys.csv'":             types.CodeUniqueViolation,
		"COPY t (id, name) FROM '" + dir + "/check.csv'":            types.CodeCheckViolation,
		"COPY t FROM '" + dir + "/a.csv'":                           types.CodeDataCorrupted,
		"COPY t FROM '" + dir + "/missing.csv'":                     types.CodeUndefinedFile,
		"COPY t FROM '" + dir + "/a.csv' (HEADR)":                   types.CodeInvalidParameter,
		"COPY t FROM '" + dir + "/a.csv' (HEADER 'maybe')":          types.CodeInvalidParameter,
		"COPY t FROM STDIN":                                         types.CodeFeatureNotSupported,
		"COPY t TO STDOUT":                                          types.CodeFeatureNotSupported,
		"COPY missing TO '" + dir + "/x.csv'":                       types.CodeUndefinedTable,
		"COPY t TO '" + dir + "/x.xyz'":                             types.CodeInvalidParameter,
		"COPY t TO '" + dir + "/x.csv' (PARTITION_BY nothing)":      types.CodeUndefinedColumn,
		"COPY (SELECT 1 AS a, 2 AS a) TO '" + dir + "/x.csv'":       types.CodeDuplicateColumn,
		"COPY (SELECT 1 AS a) TO '" + dir + "/x' (PARTITION_BY a)":  types.CodeInvalidParameter,
		"COPY (SELECT 1 AS a) TO '" + dir + "/none/x.csv'":          types.CodeUndefinedFile,
		"COPY (SELECT 1 AS a) TO '" + dir + "/x.csv' (DELIM '')":    types.CodeInvalidParameter,
		"EXPLAIN COPY (SELECT 1 AS a) TO '" + dir + "/x.csv'":       types.CodeFeatureNotSupported,
		"COPY (SELECT 1 AS a) TO '" + dir + "/x.csv' (FORMAT xlsx)": types.CodeFeatureNotSupported,
	} {
		var e *types.Error
		if err := db.Exec(t.Context(), text); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, want %s", text, err, code)
		}
	}
	if n := mustRows(t, db, "SELECT count(*) FROM t")[0][0]; n != int64(3) {
		t.Errorf("%v rows after errors", n)
	}
	if files := filesBelow(t, dir); !slices.Equal(files, []string{"a.csv", "b.csv", "bad.csv", "check.csv", "keys.csv"}) {
		t.Errorf("files %q", files)
	}
}

// faultyFiles is the local file system; the call with a number fails.
type faultyFiles struct {
	catalog.LocalFiles
	calls *atomic.Int64
	fail  int64
}

var errFault = types.Errorf(types.CodeIO, "no space left on device")

func (f faultyFiles) fault() error {
	if f.calls.Add(1) == f.fail {
		return errFault
	}
	return nil
}

func (f faultyFiles) Create(ctx context.Context, path string) (catalog.AtomicFile, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	file, err := f.LocalFiles.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f faultyFiles) MakeDirectory(ctx context.Context, path string) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.LocalFiles.MakeDirectory(ctx, path)
}

type faultyFile struct {
	catalog.AtomicFile
	files faultyFiles
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.files.fault(); err != nil {
		return 0, err
	}
	return f.AtomicFile.Write(p)
}

func (f *faultyFile) Close() error {
	if err := f.files.fault(); err != nil {
		return err
	}
	return f.AtomicFile.Close()
}

func (f *faultyFile) Commit() error {
	if err := f.files.fault(); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.AtomicFile.Commit()
}

// TestCopyFaults lets each call of the file system fail in turn: the old file stays, and nothing else is left.
func TestCopyFaults(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	for _, target := range []string{"a.csv", "a.arrow"} {
		path := filepath.Join(dir, target)
		for fail := int64(1); ; fail++ {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			files := faultyFiles{calls: new(atomic.Int64), fail: fail}
			db := open(t, engine.Options{Files: files})
			err := db.Exec(t.Context(), "COPY ("+fmt.Sprintf(copied, 5000)+") TO '"+filepath.ToSlash(path)+"'")
			if err == nil {
				if fail < 4 {
					t.Errorf("%s: only %d calls", target, fail-1)
				}
				break
			}
			text, readErr := os.ReadFile(path)
			if !strings.Contains(err.Error(), "no space left") || readErr != nil || string(text) != "old" {
				t.Errorf("%s, call %d: %v; the file holds %d bytes (%v)", target, fail, err, len(text), readErr)
			}
			if left := filesBelow(t, dir); len(left) != 1 {
				t.Errorf("%s, call %d: files %q", target, fail, left)
			}
		}
		os.Remove(path)
	}
}

// TestCopyPartitionFaults lets each call of the file system fail in turn while partitions are written: no file is seen before all are whole, and nothing
// that is not is left.
func TestCopyPartitionFaults(t *testing.T) {
	for fail := int64(1); ; fail++ {
		dir := filepath.ToSlash(t.TempDir())
		files := faultyFiles{calls: new(atomic.Int64), fail: fail}
		db := open(t, engine.Options{Files: files})
		err := db.Exec(t.Context(), "COPY (SELECT range AS i, range % 3 AS k FROM range(1000)) TO '"+dir+"/x' (FORMAT csv, PARTITION_BY (k))")
		left := filesBelow(t, dir)
		if err == nil {
			if len(left) != 3 || fail < 16 {
				t.Errorf("%d calls made the files %q", fail-1, left)
			}
			return
		}
		// The calls: the directory; of each partition a directory, a file, its header and rows; of each file its end; then the files are made seen.
		if len(left) > 2 || len(left) > 0 && files.calls.Load() < 14 || strings.Contains(strings.Join(left, " "), "tmp") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("call %d of %d: %v; files %q", fail, files.calls.Load(), err, left)
		}
		if used := db.MemoryInUse(); used != 0 {
			t.Errorf("call %d: %d bytes are still reserved", fail, used)
		}
	}
}

// TestCopyCancelled cancels a statement: no file is left.
func TestCopyCancelled(t *testing.T) {
	db := open(t, engine.Options{})
	dir := filepath.ToSlash(t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var e *types.Error
	if err := db.Exec(ctx, "COPY (SELECT * FROM range(100000000000)) TO '"+dir+"/a.csv'"); !errors.As(err, &e) || e.Code != types.CodeQueryCanceled {
		t.Errorf("got %v", err)
	}
	if files := filesBelow(t, dir); len(files) > 0 {
		t.Errorf("files %q", files)
	}
}

// TestCopyKilled kills a process while it writes over a file again and again: whenever that is, the file is a whole old or a whole new one.
func TestCopyKilled(t *testing.T) {
	if path := os.Getenv("LACUNA_COPY_TO"); path != "" {
		db := open(t, engine.Options{})
		for i := 0; ; i++ {
			mustExec(t, db, fmt.Sprintf("COPY (SELECT %d AS n, range AS i FROM range(30000)) TO '%s'", i, path))
		}
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 8 {
		child := exec.Command(os.Args[0], "-test.run=^TestCopyKilled$")
		child.Env = append(os.Environ(), "LACUNA_COPY_TO="+filepath.ToSlash(path))
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for { // until it has written once
			if _, err := os.Stat(path); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		number, _, _ := bytes.Cut(lines[len(lines)-1], []byte(","))
		if len(lines) != 30_001 || string(lines[30_000]) != string(number)+",29999" || !bytes.HasPrefix(lines[1], append(number, ",0"...)) {
			t.Fatalf("the file has %d lines, the last %q", len(lines), lines[len(lines)-1])
		}
	}
}

// countingFiles is the local file system; it counts the files that are being written and open.
type countingFiles struct {
	catalog.LocalFiles
	open, most *atomic.Int64
}

func (c countingFiles) Create(ctx context.Context, path string) (catalog.AtomicFile, error) {
	file, err := c.LocalFiles.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	c.most.Store(max(c.most.Load(), c.open.Add(1)))
	return &countedFile{AtomicFile: file, files: c}, nil
}

type countedFile struct {
	catalog.AtomicFile
	files countingFiles
	ended bool
}

func (f *countedFile) end(end func() error) error {
	if !f.ended {
		f.ended = true
		f.files.open.Add(-1)
	}
	return end()
}

func (f *countedFile) Close() error  { return f.end(f.AtomicFile.Close) }
func (f *countedFile) Commit() error { return f.end(f.AtomicFile.Commit) }
func (f *countedFile) Abort() error  { return f.end(f.AtomicFile.Abort) }

// TestCopyManyPartitions writes more partitions than may be open, and more than memory holds the buffers of.
func TestCopyManyPartitions(t *testing.T) {
	for _, format := range []string{"csv", "arrow"} {
		for _, limit := range []int64{0, 4 << 20} {
			if testing.Short() && (format != "csv" || limit != 0) {
				continue
			}
			files := countingFiles{open: new(atomic.Int64), most: new(atomic.Int64)}
			db := open(t, engine.Options{Files: files, MemoryLimit: limit})
			dir := filepath.ToSlash(t.TempDir())
			query := "SELECT range AS i, range * 7 % 300 AS k, repeat('x', 50) AS pad FROM range(60000)"
			if n := mustExec(t, db, "COPY ("+query+") TO '"+dir+"/many' (FORMAT "+format+", PARTITION_BY (k))"); n != 60_000 {
				t.Errorf("%s, limit %d: %d rows", format, limit, n)
			}
			if files.open.Load() != 0 || files.most.Load() > 100 {
				t.Errorf("%s, limit %d: %d files were open, %d are", format, limit, files.most.Load(), files.open.Load())
			}
			if used := db.MemoryInUse(); used != 0 {
				t.Errorf("%s, limit %d: %d bytes are still reserved", format, limit, used)
			}
			// Rows of one partition that come far apart meet in few files all the same.
			if written := len(filesBelow(t, dir)); limit == 0 && written > 600 {
				t.Errorf("%s: %d files", format, written)
			}
			db = open(t, engine.Options{})
			if rows := mustRows(t, db, "SELECT count(*), sum(i), count(DISTINCT k), sum(k = i * 7 % 300) FROM read_"+format+"('"+dir+"/many/**/*', hive_partitioning = true)"); fmt.Sprint(rows) != "[[60000 1799970000 300 60000]]" {
				t.Errorf("%s, limit %d: %v", format, limit, rows)
			}
		}
	}
}
