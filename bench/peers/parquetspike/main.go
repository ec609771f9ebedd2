// Command parquetspike measures how fast a scan of our own can decode Parquet
// columns through each candidate page source, beside DuckDB's scan of the same
// files. See README.md for the question, the figures and the answer.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

// source reads columns of one open Parquet file, a row group at a time.
type source interface {
	rowGroups() int
	read(c *column, group, index int) error
	close()
}

type opener struct {
	name string
	open func(r io.ReaderAt, size int64) (source, error)
}

var openers = []opener{
	{"A parquet-go", openParquetGo},
	{"B arrow pages", openArrow},
	{"C own pages", openOwn},
	{"pages only", openPagesOnly},
}

// spec names a column of the files that makedata.py writes.
type spec struct {
	name string
	kind kind
}

var specs = []spec{
	{"i64_plain", kindInt64}, {"i64_dict", kindInt64}, {"i64_null", kindInt64}, {"f64_plain", kindFloat64},
	{"dec15_2", kindInt64}, {"str_plain", kindString}, {"str_null", kindString}, {"str_dict", kindString},
}

func main() {
	data := flag.String("data", "", "directory that makedata.py wrote")
	rounds := flag.Int("rounds", 9, "interleaved rounds")
	hostile := flag.Bool("hostile", false, "damage small.parquet instead of measuring")
	victim := flag.Int("victim", -1, "used by -hostile: the source to try in this process")
	from := flag.Int("from", 0, "used by -hostile: the first case")
	flag.Parse()
	small := filepath.Join(*data, "small.parquet")
	switch {
	case *victim >= 0:
		try(openers[*victim], small, *from)
		return
	case *hostile:
		damage(*data)
		return
	}
	runtime.GOMAXPROCS(1)
	db, err := sql.Open("duckdb", "")
	check(err)
	_, err = db.Exec("SET threads = 1")
	check(err)
	files, err := filepath.Glob(filepath.Join(*data, "*_*.parquet"))
	check(err)
	for _, file := range files {
		fmt.Printf("\n%s\n\n", strings.TrimSuffix(filepath.Base(file), ".parquet"))
		fmt.Println("| column | A parquet-go | B arrow pages | C own pages | pages only | DuckDB | C ns/value | C GB/s | MB allocated A, B, C |")
		fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
		footers(file, *rounds)
		for i, s := range specs {
			measure(db, file, i, s, *rounds)
		}
	}
}

// scan reads the whole column through one source.
func scan(o opener, file *os.File, c *column, index int) (r result, err error) {
	info, err := file.Stat()
	if err != nil {
		return r, err
	}
	s, err := o.open(file, info.Size())
	if err != nil {
		return r, err
	}
	defer s.close()
	for group := range s.rowGroups() {
		if err := s.read(c, group, index); err != nil {
			return r, err
		}
		r.add(c)
	}
	return r, nil
}

// footers measures opening the file, which a scan pays once.
func footers(path string, rounds int) {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	info, err := file.Stat()
	check(err)
	fmt.Print("| (open) |")
	for _, o := range openers[:3] {
		var times []time.Duration
		for range 3 * rounds {
			start := time.Now()
			s, err := o.open(file, info.Size())
			check(err)
			times = append(times, time.Since(start))
			s.close()
		}
		fmt.Print(cell(times))
	}
	fmt.Println(" | | | | |")
}

// cell formats median and least time in milliseconds and sorts times.
func cell(times []time.Duration) string {
	slices.Sort(times)
	return fmt.Sprintf(" %.2f (%.2f) |", ms(median(times)), ms(times[0]))
}

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

// measure runs one column through every engine in turn, round after round.
func measure(db *sql.DB, path string, index int, s spec, rounds int) {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	c := &column{kind: s.kind, maxDef: 1}
	if s.name == "dec15_2" && strings.Contains(path, "pyarrow") {
		c.fixedLen = 7
	}
	want := duckScan(db, path, s)
	bytes := float64(want.rows) * 8
	if s.kind == kindString {
		bytes = want.sum + 16*float64(want.rows)
		if s.name == "str_dict" {
			bytes = 4 * float64(want.rows)
		}
	}
	times := make([][]time.Duration, len(openers)+1)
	alloc := make([]uint64, len(openers)+1)
	for range rounds {
		for i, o := range openers {
			runtime.GC() // each starts from a quiet heap and pays for its own garbage
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			got, err := scan(o, file, c, index)
			times[i] = append(times[i], time.Since(start))
			runtime.ReadMemStats(&after)
			alloc[i] = after.TotalAlloc - before.TotalAlloc
			if err != nil {
				log.Fatalf("%s %s %s: %v", path, s.name, o.name, err)
			}
			if o.name != "pages only" && (got.rows != want.rows || got.nulls != want.nulls || math.Abs(got.sum-want.sum) > 1e-9*math.Abs(want.sum)) {
				log.Fatalf("%s %s %s: got %+v, DuckDB says %+v", path, s.name, o.name, got, want)
			}
		}
		start := time.Now()
		duckScan(db, path, s)
		times[len(openers)] = append(times[len(openers)], time.Since(start))
	}
	fmt.Printf("| %s |", s.name)
	for _, all := range times {
		fmt.Print(cell(all))
	}
	own := float64(median(times[2]))
	fmt.Printf(" %.2f | %.2f | %.1f, %.1f, %.1f |\n", own/float64(want.rows), bytes/own,
		float64(alloc[0])/1e6, float64(alloc[1])/1e6, float64(alloc[2])/1e6)
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// duckScan asks DuckDB what scan computes.
func duckScan(db *sql.DB, path string, s spec) (r result) {
	value := s.name
	if s.kind == kindString {
		value = "strlen(" + s.name + ")"
	}
	var present int
	query := fmt.Sprintf("SELECT count(*), count(%s), sum(%s)::DOUBLE FROM '%s'", s.name, value, path)
	check(db.QueryRowContext(context.Background(), query).Scan(&r.rows, &present, &r.sum))
	r.nulls = r.rows - present
	if s.name == "dec15_2" {
		r.sum *= 100
	}
	return r
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
