package engine_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacunadb/lacuna/engine"
	"github.com/lacunadb/lacuna/engine/slt"
	"github.com/lacunadb/lacuna/kernels/asm"
)

// tierResults names the file that a child of TestTiers writes its results to.
const tierResults = "LACUNA_TEST_TIER_RESULTS"

// TestTiers runs the SQL of all .slt files with each set of kernels that this machine has, and compares every value that comes out: with one worker and the same
// batches they are the same to the last bit, float sums included. Each set has a process of its own, since a process picks its kernels once.
func TestTiers(t *testing.T) {
	if path := os.Getenv(tierResults); path != "" {
		writeTierResults(t, path)
		return
	}
	if testing.Short() {
		t.Skip("runs all files once for each tier")
	}
	tiers := asm.Tiers()
	if len(tiers) < 2 {
		t.Skipf("there is only the tier %s here", tiers[0])
	}
	var want []string
	for _, tier := range tiers {
		path := filepath.Join(t.TempDir(), tier)
		child := exec.Command(os.Args[0], "-test.run", "^TestTiers$")
		child.Env = append(os.Environ(), "LACUNA_CPU="+tier, tierResults+"="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", tier, err, out)
		}
		got := readLines(t, path)
		if len(got) < 2000 || got[0] != tier {
			t.Fatalf("%d results with tier %q, want thousands with %s", len(got), got[0], tier)
		}
		got = got[1:]
		if want == nil {
			want = got
			continue
		}
		if len(got) != len(want) {
			t.Errorf("%d results with %s, %d with %s", len(got), tier, len(want), tiers[0])
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("with %s: %s\nwith %s: %s", tier, got[i], tiers[0], want[i])
			}
		}
	}
}

// writeTierResults writes the tier in use and a line for each statement: its place and a hash of its result or error.
func writeTierResults(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	fmt.Fprintln(out, asm.Active())
	err = filepath.WalkDir("testdata/slt", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".slt" {
			return err
		}
		file, err := slt.ParseFile(path)
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			db := openSLT(t, mode{options: engine.Options{Threads: 1}}, file)
			slt.Runner{DB: &hashedSLT{db: db, out: out, path: path}, Names: []string{"lacuna"}}.Run(file)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// hashedSLT writes down a hash of every result.
type hashedSLT struct {
	db    sltDB
	out   *bufio.Writer
	path  string
	count int
}

func (h *hashedSLT) Exec(sql string) (slt.Result, error) {
	result, err := h.db.Exec(sql)
	h.count++
	if strings.Contains(strings.ToUpper(sql), "ANALYZE") {
		return result, err // shows times
	}
	fmt.Fprintf(h.out, "%s, statement %d: %x %d rows, error %q\n", h.path, h.count, sha256.Sum256(fmt.Appendf(nil, "%q %q", result.Columns, result.Rows)), len(result.Rows), fmt.Sprint(err))
	return result, err
}

func readLines(t *testing.T, path string) []string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
