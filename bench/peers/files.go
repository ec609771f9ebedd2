package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// fileFormats are those whose reading is measured. DuckDB reads Arrow's files only with an extension that has to be downloaded.
var fileFormats = []string{"csv", "json", "parquet", "arrow"}

// mixedTable has ten columns of different types; ten million rows are about 1 GB of CSV.
const mixedTable = `SELECT i AS id, i * 7919 %% 1000003 AS k, i %% 100000 * 0.31::DOUBLE AS price, (i * 48271 %% 9999999)::DOUBLE / 7777 AS x,
	DATE '1992-01-01' + (i %% 10000)::INTEGER AS d, TIMESTAMP '2020-01-01' + to_seconds(i %% 100000000) AS ts, 'name ' || i %% 5000 AS name,
	CASE WHEN i %% 3 = 0 THEN 'a, quoted ''text''' ELSE 'plain text number ' || i %% 700 END AS note, i %% 2 = 0 AS flag,
	CASE WHEN i %% 9 > 0 THEN i %% 251 END AS small
	FROM range(%d) AS t(i)`

// runFiles measures how long files of the same rows take to be read.
func runFiles(ctx context.Context, arguments []string) (err error) {
	flags := flag.NewFlagSet("files", flag.ContinueOnError)
	rows := flags.Int("rows", 10_000_000, "rows of the files, which are made where they are missing")
	dir := flags.String("dir", filepath.Join(os.TempDir(), "lacuna-files"), "directory of the files")
	threads := flags.Int("threads", 2, "threads of each engine")
	runs := flags.Int("runs", 3, "timed runs of each query on each engine; their median is printed")
	timeout := flags.Duration("timeout", 10*time.Minute, "time after which a query is given up")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	var engines []Engine
	defer func() { closeAll(engines, &err) }()
	for _, name := range []string{"duckdb", "lacuna"} {
		engine, err := openEngine(name, settings{threads: *threads})
		if err != nil {
			return err
		}
		engines = append(engines, engine)
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	for _, format := range fileFormats {
		path := filepath.Join(*dir, fmt.Sprintf("%d.%s", *rows, format))
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := fetch(ctx, engines[1], query{text: "COPY (" + fmt.Sprintf(mixedTable, *rows) + ") TO " + quoteText(path)}, *timeout); err != nil {
				return err
			}
			info, err = os.Stat(path)
		}
		if err != nil {
			return err
		}
		able := engines
		if format == "arrow" {
			able = engines[1:]
		}
		var measured []measurement
		for _, columns := range []string{"count(*)", "count(*), sum(id), sum(price), sum(small)", "count(*), sum(id), min(note), max(ts)"} {
			q := query{name: columns, text: "SELECT " + columns + " FROM " + quoteText(path)}
			measured = append(measured, measure(ctx, able, q, *runs, *timeout))
		}
		title := fmt.Sprintf("%s, %d rows, %d MB, %d threads, median of %d", format, *rows, info.Size()/1e6, *threads, *runs)
		if err := report(os.Stdout, title, able, measured); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}
