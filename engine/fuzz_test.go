package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/engine/slt"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// FuzzQuery runs any text as a query: it gives rows or an error that is not an internal one, with the optimizer and without, and the database
// lives on.
func FuzzQuery(f *testing.F) {
	err := filepath.WalkDir("testdata/slt", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) != ".slt" || filepath.Base(filepath.Dir(path)) == "parquet" {
			return err
		}
		file, err := slt.ParseFile(path)
		if err == nil {
			for _, r := range file.Records {
				f.Add(r.SQL)
			}
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	files := newSandbox(f)
	limits := engine.Options{Threads: 2, BatchRows: 7, MemoryLimit: 64 << 20, Files: files}
	optimized := open(f, limits)
	limits.OptimizerOff = true
	written := open(f, limits)
	loadSLT(f, optimized, memory.DefaultAllocator)
	loadSLT(f, written, memory.DefaultAllocator)
	f.Fuzz(func(t *testing.T, text string) {
		for _, db := range []*engine.DB{optimized, written} {
			if changes(text) { // in a database of its own, so that an input means the same whatever ran before
				db = open(t, engine.Options{Threads: 2, BatchRows: 7, MemoryLimit: 64 << 20, Files: files, OptimizerOff: db == written})
				files.clear(t)
				loadSLT(t, db, memory.DefaultAllocator)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			err := failureOf(db, ctx, text)
			cancel()
			if codeOf(err) == types.CodeInternal {
				t.Errorf("%v", err)
			}
			idle(t, db)
		}
	})
}

// changes reports whether a text may change the database.
func changes(text string) bool {
	statements, err := sql.Parse(text)
	return err == nil && slices.ContainsFunc(statements, func(s sql.Statement) bool {
		_, query := s.(*sql.Query)
		return !query
	})
}

// sandbox is the files of a fuzzer, whose texts have COPY in them: testdata can be read, and only a directory of its own, for which __TEST_DIR__ stands, be
// written.
type sandbox struct {
	dir      string
	readable catalog.FileSystem
	writable catalog.FileSystem
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	s := &sandbox{dir: t.TempDir()}
	var err error
	if s.readable, err = catalog.FilesWithin("testdata", s.dir); err != nil {
		t.Fatal(err)
	}
	if s.writable, err = catalog.FilesWithin(s.dir); err != nil {
		t.Fatal(err)
	}
	return s
}

// clear removes what was written.
func (s *sandbox) clear(t testing.TB) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, e.Name())))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sandbox) path(path string) string { return strings.ReplaceAll(path, testDir, s.dir) }

func (s *sandbox) Open(ctx context.Context, path string) (catalog.File, error) {
	return s.readable.Open(ctx, s.path(path))
}

func (s *sandbox) Glob(ctx context.Context, pattern string) ([]string, error) {
	return s.readable.Glob(ctx, s.path(pattern))
}

func (s *sandbox) Create(ctx context.Context, path string) (catalog.AtomicFile, error) {
	return s.writable.Create(ctx, s.path(path))
}

func (s *sandbox) MakeDirectory(ctx context.Context, path string) error {
	return s.writable.MakeDirectory(ctx, s.path(path))
}
