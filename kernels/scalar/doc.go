// Package scalar is the library of scalar functions: for every name the rule that binds argument types, and the kernels.
//
//	compare.go    = <> < <= > >= and IS [NOT] DISTINCT FROM; in.go: IN
//	arithmetic.go + - * / // % and negation of numbers: the typing rules
//	temporal.go   the same of dates, times and intervals
//	logic.go      NOT, IS NULL, IS TRUE ...
//	math.go       abs, sqrt, power ...; round.go: round, floor, ceil
//	text.go       length, replace, contains ...; slices.go: substring, left, trim; case.go: lower, upper; concat.go: ||, concat
//	like.go       LIKE and ILIKE
//	date.go       date_part, date_trunc; dateparts.go: the parts
//	choose.go     greatest, least, nullif
//	inspect.go    typeof, hash
//	columns.go    how kernels read arguments and make results
//
// Operators are families with plain names (eq, add, is_null); the binder knows which text stands for which name.
//
// The evaluator runs a kernel once on constants, per dictionary entry and per run where it may, so kernels here are written
// for columns beside constants. Rows whose result is null are not computed.
package scalar

import "github.com/lacunadb/lacuna/kernels/expr"

// Register adds every scalar function to the set.
func Register(set *expr.Set) {
	registerCompare(set)
	registerIn(set)
	registerArithmetic(set)
	registerLogic(set)
	registerMath(set)
	registerBits(set)
	registerRound(set)
	registerText(set)
	registerLike(set)
	registerRegex(set)
	registerGlob(set)
	registerDate(set)
	registerDateDiff(set)
	registerDateMake(set)
	registerFormat(set)
	registerZone(set)
	registerChoose(set)
	registerInspect(set)
	registerDigest(set)
	registerDistance(set)
	registerPrintf(set)
	registerTextParts(set)
	registerMathMore(set)
	registerSystem(set)
	registerLambda(set)
	registerStruct(set)
	registerList(set)
	registerMap(set)
}
