package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// query is a query to measure.
type query struct {
	name string
	text string
}

// measurement is what one query did on all engines.
type measurement struct {
	query   query
	rows    int
	problem error           // an engine failed, or the engines disagree
	medians []time.Duration // one an engine; none after a problem
}

// measure runs a query on all engines: first untimed, to compare the rows with those of the first engine, then the given
// number of times with the engines in turn.
func measure(ctx context.Context, engines []Engine, q query, runs int, timeout time.Duration) measurement {
	m := measurement{query: q}
	if m.rows, m.problem = sameRows(ctx, engines, q, timeout); m.problem != nil {
		return m
	}
	times := make([][]time.Duration, len(engines))
	for run := range runs {
		for turn := range engines {
			e := (turn + run) % len(engines) // nobody always comes first
			took, err := timeQuery(ctx, engines[e], q, timeout)
			if err != nil {
				m.problem = fmt.Errorf("%s: %w", engines[e].Name(), err)
				return m
			}
			times[e] = append(times[e], took)
		}
	}
	for e := range engines {
		m.medians = append(m.medians, median(times[e]))
	}
	return m
}

// sameRows runs a query on all engines and returns the number of its rows, or how the results differ.
func sameRows(ctx context.Context, engines []Engine, q query, timeout time.Duration) (int, error) {
	var first Rows
	for e, engine := range engines {
		rows, err := fetch(ctx, engine, q, timeout)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", engine.Name(), err)
		}
		if e == 0 {
			first = rows
		} else if err := compareRows(first, rows, hasOrder(q.text)); err != nil {
			return 0, fmt.Errorf("%s and %s disagree: %w", engines[0].Name(), engine.Name(), err)
		}
	}
	return len(first.Values), nil
}

// fetch runs a query and returns its rows.
func fetch(ctx context.Context, engine Engine, q query, timeout time.Duration) (Rows, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := engine.Query(ctx, q.text)
	if err != nil {
		return Rows{}, err
	}
	rows, err := result.Rows()
	if closed := result.Close(); err == nil {
		err = closed
	}
	return rows, err
}

// timeQuery runs a query and returns the time until its whole result was there. It collects Go's garbage first, so that no
// engine pays for what another left behind; the garbage that a query makes while it runs is its own.
func timeQuery(ctx context.Context, engine Engine, q query, timeout time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	runtime.GC()
	start := time.Now()
	result, err := engine.Query(ctx, q.text)
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	return took, result.Close()
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// geometricMean returns the n-th root of the product of n positive numbers.
func geometricMean(numbers []float64) float64 {
	sum := 0.0
	for _, number := range numbers {
		sum += math.Log(number)
	}
	return math.Exp(sum / float64(len(numbers)))
}
