package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/types"
)

// TestFilesWithin checks that no statement that names files gets around Options.Files.
func TestFilesWithin(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	for _, path := range []string{filepath.Join(open, "in.csv"), filepath.Join(dir, "secret.csv")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := catalog.FilesWithin(open)
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(engine.Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expand := strings.NewReplacer("$dir", filepath.ToSlash(dir)).Replace
	for _, statement := range []string{
		`SELECT * FROM '$dir/open/in.csv'`, `SELECT * FROM read_csv('$dir/open/*.csv')`, `CREATE TABLE t AS FROM '$dir/open/in.csv'`,
		`COPY t FROM '$dir/open/in.csv'`, `COPY t TO '$dir/open/out.parquet'`, `COPY (SELECT *, 1 AS b FROM t) TO '$dir/open/parts' (FORMAT parquet, PARTITION_BY a)`,
	} {
		if err := db.Exec(t.Context(), expand(statement)); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, statement := range []string{
		`SELECT * FROM '$dir/secret.csv'`, `SELECT * FROM '$dir/*.csv'`, `SELECT * FROM read_csv(['$dir/open/in.csv', '$dir/open/../secret.csv'])`,
		`SELECT * FROM read_parquet('$dir/missing.parquet')`, `COPY t FROM '$dir/secret.csv'`, `COPY t TO '$dir/out.csv'`,
		`COPY (SELECT *, 1 AS b FROM t) TO '$dir/parts' (FORMAT csv, PARTITION_BY a)`, `COPY (SELECT *, 1 AS b FROM t) TO '$dir/open/../parts' (FORMAT csv, PARTITION_BY a)`,
	} {
		err := db.Exec(t.Context(), expand(statement))
		var e *types.Error
		if !errors.As(err, &e) || e.Code != types.CodeAccessDenied {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
