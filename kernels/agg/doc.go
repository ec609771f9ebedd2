// Package agg holds the aggregate functions: states for many groups, numbered densely from 0, that batches of rows are added to.
//
//	count.go    count(*), count(x), count_if
//	sum.go      sum of integers and decimals, exact, in 64 and 128 bits; widesum.go: of wide ones in 256
//	float.go    sum of FLOAT and DOUBLE, product
//	interval.go sum and avg of INTERVAL
//	avg.go      avg of everything else, from the exact sum
//	minmax.go   min and max of numbers, dates and booleans; view.go of strings; row.go of everything else
//	first.go    first, last, any_value
//	bool.go     bool_and, bool_or
//	bit.go      bit_and, bit_or, bit_xor
//	stddev.go   variance and standard deviation
//	collect.go  list, string_agg: all values of a group
//	quantile.go median, quantile_cont, quantile_disc
//	mode.go     mode, histogram
//	argminmax.go arg_min, arg_max, and the first n of min and max
//	approx.go   approx_count_distinct
//	regression.go corr, covar_pop, covar_samp, regr_slope and its like
//	skewness.go skewness, kurtosis
//	kahan.go    fsum, favg: sums with compensation
//	window.go   the functions that only windows have
//
// Every accumulator is built the same way. Its states are flat slices without pointers, one element per group. The rows of
// a batch that count are those of env.Active whose argument is not null. Loops never ask about a single row: the rows that count
// are packed side by side first (withRows), and without groups the loops of package asm take a mask. Constants, dictionaries and
// runs are then added as values with weights, each as often as it occurs (weigh).
//
// Results and states are allocated from env.Pool; a caller that wants them on the heap passes none.
package agg

import "github.com/lacunadb/lacuna/kernels/expr"

// Register adds every aggregate and window function to the set.
func Register(set *expr.Set) {
	registerCount(set)
	registerSum(set)
	registerAvg(set)
	registerMinMax(set)
	registerFirst(set)
	registerBool(set)
	registerBit(set)
	registerStddev(set)
	registerCollect(set)
	registerQuantile(set)
	registerMode(set)
	registerArgMinMax(set)
	registerApprox(set)
	registerRegression(set)
	registerSkewness(set)
	registerKahan(set)
	registerWindow(set)
}
