// Peers runs queries on Lacuna and on other engines in one process, with the same number of threads, compares their rows and
// prints how long they took. It is a module of its own because DuckDB needs cgo.
//
//	go run . tpch -gen -sf 1                  make TPC-H data in the user's cache, or in -dir
//	go run . tpch -sf 1 -source parquet       measure the 22 queries
//	go run . tpcds -gen -sf 0.01              the same for TPC-DS
//	go run . tpch -help                       all flags
//	go run . trees                            compare the trees of random SELECTs with DuckDB's
//	go run . files                            measure the reading of CSV, JSON, Parquet and Arrow files
//	go run . kernels                          measure the kernels beside those of Arrow C++
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "peers:", err)
		stop()
		os.Exit(1)
	}
}

func command(ctx context.Context, arguments []string) error {
	if len(arguments) > 0 {
		switch arguments[0] {
		case "trees":
			return runTrees(ctx, arguments[1:])
		case "kernels":
			return runKernels(ctx, arguments[1:])
		case "files":
			return runFiles(ctx, arguments[1:])
		}
		for _, b := range benchmarks {
			if b.name == arguments[0] {
				return b.run(ctx, arguments[1:])
			}
		}
	}
	return errors.New("usage: go run . tpch|tpcds|trees|files|kernels [flags]; -help lists the flags")
}
