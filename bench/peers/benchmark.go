package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// benchmark is a set of tables and numbered queries over them.
type benchmark struct {
	name    string // the command; also names the generator's extension
	title   string
	tables  []string
	queries int
	// queryDir is the directory of the queries' texts; empty when they lie beside the data, where the generator puts them.
	queryDir string
}

var tpch = &benchmark{
	name: "tpch", title: "TPC-H", queries: 22, queryDir: filepath.Join("..", "..", "engine", "testdata", "tpch", "queries"),
	tables: []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"},
}

var tpcds = &benchmark{
	name: "tpcds", title: "TPC-DS", queries: 99,
	tables: []string{
		"call_center", "catalog_page", "catalog_returns", "catalog_sales", "customer", "customer_address", "customer_demographics", "date_dim",
		"household_demographics", "income_band", "inventory", "item", "promotion", "reason", "ship_mode", "store", "store_returns", "store_sales",
		"time_dim", "warehouse", "web_page", "web_returns", "web_sales", "web_site",
	},
}

// benchmarks are those that have a command.
var benchmarks = []*benchmark{tpch, tpcds}

// options are the flags of a benchmark's command.
type options struct {
	*benchmark
	scale        float64
	dir          string // of the Parquet files
	texts        string // directory of the queries
	source       string
	threadCounts []int
	numbers      []int // of the queries
	engines      []string
	runs         int
	timeout      time.Duration
	settings     // but for the threads
	once         bool
	generate     bool
	python       string
	compression  string
	rowGroup     int
}

func parseOptions(b *benchmark, arguments []string) (options, error) {
	o := options{benchmark: b}
	var threads, queries, engines string
	flags := flag.NewFlagSet(b.name, flag.ContinueOnError)
	flags.Float64Var(&o.scale, "sf", 1, "scale factor of the data; names the default directory")
	flags.StringVar(&o.dir, "dir", "", "directory of the Parquet files (default a folder of the user's cache for the scale factor)")
	flags.StringVar(&o.texts, "query-dir", b.queryDir, "directory of the queries q01.sql, q02.sql, ...; empty: that of the data")
	flags.StringVar(&o.source, "source", "memory", "memory: tables are loaded first; parquet: each query reads the files")
	flags.StringVar(&threads, "threads", "1,2", "numbers of threads, separated by commas; one table is printed for each")
	flags.StringVar(&queries, "queries", "", "numbers of queries, separated by commas (default all)")
	flags.StringVar(&engines, "engines", "duckdb,lacuna", "engines, separated by commas; rows are compared with those of the first")
	flags.IntVar(&o.runs, "runs", 9, "timed runs of each query on each engine; their median is printed")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "limit for one run of a query")
	flags.IntVar(&o.batchRows, "batch-rows", 0, "rows of Lacuna's batches (default its own)")
	flags.BoolVar(&o.optimizerOff, "optimizer-off", false, "let Lacuna run only the normalising rules")
	flags.BoolVar(&o.once, "once", false, "run each query once and print only the peak RSS in bytes, which is measured on such a process for each engine")
	flags.BoolVar(&o.generate, "gen", false, "make the Parquet files instead, with gen.py")
	flags.StringVar(&o.python, "python", "", "with -gen: a Python that has duckdb and the extensions (default one made for the purpose)")
	flags.StringVar(&o.compression, "compression", "snappy", "with -gen: snappy, zstd or uncompressed")
	flags.IntVar(&o.rowGroup, "row-group", 122880, "with -gen: rows in a row group")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.source != "memory" && o.source != "parquet" {
		return o, fmt.Errorf("-source must be memory or parquet, not %q", o.source)
	}
	if o.runs < 1 {
		return o, fmt.Errorf("-runs must be at least 1")
	}
	var err error
	if o.threadCounts, err = parseNumbers("-threads", threads, 1, 1024); err != nil {
		return o, err
	}
	if queries == "" {
		for number := range b.queries {
			o.numbers = append(o.numbers, number+1)
		}
	} else if o.numbers, err = parseNumbers("-queries", queries, 1, b.queries); err != nil {
		return o, err
	}
	o.engines = strings.Split(engines, ",")
	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("-dir is needed: %w", err)
		}
		o.dir = filepath.Join(cache, "lacuna", fmt.Sprintf("%s-sf%g", b.name, o.scale))
	}
	if o.texts == "" {
		o.texts = o.dir
	}
	return o, nil
}

// parseNumbers parses numbers between low and high that are separated by commas.
func parseNumbers(name, text string, low, high int) ([]int, error) {
	var numbers []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < low || n > high {
			return nil, fmt.Errorf("%s: %q is not a number from %d to %d", name, part, low, high)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// run runs the benchmark's command.
func (b *benchmark) run(ctx context.Context, arguments []string) error {
	o, err := parseOptions(b, arguments)
	if err != nil {
		return err
	}
	if o.generate {
		return generate(ctx, o)
	}
	if _, err := os.Stat(filepath.Join(o.dir, b.tables[0]+".parquet")); err != nil {
		return fmt.Errorf("no data: %w; -gen makes it", err)
	}
	queries, err := readQueries(o.texts, o.numbers)
	if err != nil {
		return err
	}
	failed := 0
	for _, threads := range o.threadCounts {
		if o.once {
			if err := runOnce(ctx, o, threads, queries); err != nil {
				return err
			}
			continue
		}
		problems, err := compareEngines(ctx, o, threads, queries)
		if err != nil {
			return err
		}
		failed += problems
	}
	if failed > 0 {
		return fmt.Errorf("%d queries failed", failed)
	}
	return nil
}

// openAll opens the engines with the tables of the benchmark. The caller closes them, after an error too.
func openAll(ctx context.Context, o options, threads int) ([]Engine, error) {
	var engines []Engine
	for _, name := range o.engines {
		engine, err := openEngine(name, settings{threads: threads, batchRows: o.batchRows, optimizerOff: o.optimizerOff})
		if err != nil {
			return engines, err
		}
		engines = append(engines, engine)
		for _, table := range o.tables {
			if err := engine.LoadParquet(ctx, table, filepath.Join(o.dir, table+".parquet"), o.source == "memory"); err != nil {
				return engines, fmt.Errorf("%s: table %s: %w", name, table, err)
			}
		}
	}
	return engines, nil
}

// closeAll closes engines and puts the first error into err unless there is one already.
func closeAll(engines []Engine, err *error) {
	for _, engine := range engines {
		if closed := engine.Close(); *err == nil {
			*err = closed
		}
	}
}

// compareEngines measures the queries on all engines with a number of threads, prints the table and the peak RSS of each
// engine, and returns how many queries had a problem.
func compareEngines(ctx context.Context, o options, threads int, queries []query) (problems int, err error) {
	// Go's collector gets no more cores than the engines do.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	engines, err := openAll(ctx, o, threads)
	defer closeAll(engines, &err)
	if err != nil {
		return 0, err
	}
	var measurements []measurement
	for _, q := range queries {
		m := measure(ctx, engines, q, o.runs, o.timeout)
		if m.problem != nil {
			problems++
			fmt.Fprintf(os.Stderr, "%s: %v\n", q.name, m.problem)
		}
		measurements = append(measurements, m)
	}
	title := fmt.Sprintf("%s, scale factor %g, from %s, %d threads, median of %d", o.title, o.scale, o.source, threads, o.runs)
	if err := report(os.Stdout, title, engines, measurements); err != nil {
		return problems, err
	}
	var peaks []string
	for _, name := range o.engines {
		peaks = append(peaks, name+" "+peakOf(ctx, o, name, threads))
	}
	fmt.Printf("Peak RSS of a process that runs each query once: %s\n\n", strings.Join(peaks, ", "))
	return problems, nil
}

// runOnce runs each query once on each engine.
func runOnce(ctx context.Context, o options, threads int, queries []query) (err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	engines, err := openAll(ctx, o, threads)
	defer closeAll(engines, &err)
	if err != nil {
		return err
	}
	for _, q := range queries {
		for _, engine := range engines {
			if _, err := timeQuery(ctx, engine, q, o.timeout); err != nil {
				return fmt.Errorf("%s: %s: %w", engine.Name(), q.name, err)
			}
		}
	}
	fmt.Println(peakRSS())
	return nil
}

// peakOf runs this program with one engine and -once, and returns the peak of its resident set. In this process, where the
// engines share an address space and keep memory for later, nobody could tell whose it is.
func peakOf(ctx context.Context, o options, engine string, threads int) string {
	program, err := os.Executable()
	if err != nil {
		return "unknown: " + err.Error()
	}
	var numbers []string
	for _, number := range o.numbers {
		numbers = append(numbers, strconv.Itoa(number))
	}
	child := exec.CommandContext(ctx, program, o.name, "-once", "-engines", engine, "-threads", strconv.Itoa(threads),
		"-dir", o.dir, "-query-dir", o.texts, "-source", o.source, "-queries", strings.Join(numbers, ","))
	printed, err := child.Output()
	if err != nil {
		return "unknown: " + err.Error()
	}
	if peak, err := strconv.ParseInt(strings.TrimSpace(string(printed)), 10, 64); err == nil && peak >= 0 {
		return fmt.Sprintf("%d MB", peak>>20)
	}
	return "unknown on this system"
}

// readQueries reads the queries with the given numbers, without the semicolon at their end.
func readQueries(dir string, numbers []int) ([]query, error) {
	var queries []query
	for _, number := range slices.Sorted(slices.Values(numbers)) {
		name := fmt.Sprintf("q%02d", number)
		text, err := os.ReadFile(filepath.Join(dir, name+".sql"))
		if err != nil {
			return nil, err
		}
		queries = append(queries, query{name: name, text: strings.TrimRight(string(text), "; \r\n\t")})
	}
	return queries, nil
}
