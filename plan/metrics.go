package plan

import "time"

// Metrics is what one operator did in one run: plain values, filled by execution, read by EXPLAIN ANALYZE and the query profile.
type Metrics struct {
	Rows    int64         // rows given
	Batches int64         // batches given
	Time    time.Duration // time in the operator itself, summed over workers
	Memory  int64         // most bytes reserved at a time
	Skipped int64         // scans: rows not read thanks to statistics, filters or limits
}

// Profile is what a whole run did. Operators is indexed by Operator.Number.
type Profile struct {
	Operators []Metrics
	Elapsed   time.Duration
	Threads   int
	Memory    int64 // most bytes reserved by the query at a time
}
