package engine_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

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
	limits := engine.Options{Threads: 2, BatchRows: 7, MemoryLimit: 64 << 20}
	optimized := open(f, limits)
	limits.OptimizerOff = true
	written := open(f, limits)
	loadSLT(f, optimized, memory.DefaultAllocator)
	loadSLT(f, written, memory.DefaultAllocator)
	f.Fuzz(func(t *testing.T, text string) {
		for _, db := range []*engine.DB{optimized, written} {
			if changes(text) { // in a database of its own, so that an input means the same whatever ran before
				db = open(t, engine.Options{Threads: 2, BatchRows: 7, MemoryLimit: 64 << 20, OptimizerOff: db == written})
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
