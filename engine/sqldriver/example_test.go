package sqldriver_test

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/lacunadb/lacuna/engine/sqldriver"
)

func Example() {
	db, err := sql.Open("lacuna", "threads=2")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	var nations int
	var first sql.NullString
	err = db.QueryRow("SELECT count(*), min(n_name) FROM '../testdata/tpch/nation.parquet' WHERE n_regionkey = ?", 3).Scan(&nations, &first)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(nations, first.String)
	// Output: 5 FRANCE
}

// TestProgram runs the program of the README as a module of its own, whose one requirement is this one.
func TestProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	copyTo := func(from, name string) {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	copyTo("testdata/program/main.go", "main.go")
	copyTo(filepath.Join(root, "go.sum"), "go.sum")
	module := "module program\n\ngo 1.26\n\nrequire github.com/lacunadb/lacuna v0.0.0\n\nreplace github.com/lacunadb/lacuna => " + root + "\n"
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", ".", filepath.Join(root, "engine", "testdata", "tpch", "nation.parquet"))
	run.Dir = folder
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0") // nothing is downloaded
	output, err := run.CombinedOutput()
	want := "0 5 MOZAMBIQUE\n1 4 PERU\n2 4 JAPAN\n3 3 ROMANIA\n4 4 JORDAN\n"
	if err != nil || !strings.HasSuffix(string(output), want) {
		t.Errorf("%v\n%s", err, output)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("testdata/program/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), string(program)) {
		t.Error("the README has another program")
	}
}
