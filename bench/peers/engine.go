package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Engine is a query engine under measurement. It is used by one goroutine at a time.
type Engine interface {
	Name() string
	// LoadParquet makes the rows of a Parquet file known as a table: read into memory now, or read by each query.
	LoadParquet(ctx context.Context, table, path string, inMemory bool) error
	// Query runs one SELECT. The whole result has been computed when it returns.
	Query(ctx context.Context, sql string) (Result, error)
	Close() error
}

// Result is the whole result of a query in the engine's own form.
type Result interface {
	// Rows converts the result to plain Go values. It is called at most once, and its time is not measured.
	Rows() (Rows, error)
	Close() error
}

// Rows is a result as plain values: nil, bool, Decimal (integers too), float64, and string for all else. Dates are written
// 2006-01-02 and timestamps 2006-01-02 15:04:05.999999.
type Rows struct {
	Columns []string
	Values  [][]any
}

// settings say how an engine runs queries. The peers know only the number of threads.
type settings struct {
	threads      int
	batchRows    int // of Lacuna; 0 is its default
	optimizerOff bool
}

// openers open each engine.
var openers = map[string]func(settings) (Engine, error){"duckdb": openDuckDB}

// openEngine opens an engine by its name.
func openEngine(name string, s settings) (Engine, error) {
	open, ok := openers[name]
	if !ok {
		var known []string
		for name := range openers {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("no engine is called %q; there are: %s", name, strings.Join(known, ", "))
	}
	engine, err := open(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return engine, nil
}

const (
	dateLayout      = "2006-01-02"
	timeLayout      = "15:04:05.999999"
	timestampLayout = dateLayout + " " + timeLayout
)

// quoteText returns text as an SQL string literal.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
