// Package scalar is the library of scalar functions: for every name the rule that binds argument types, and the kernels.
//
//	compare.go    = <> < <= > >= and IS [NOT] DISTINCT FROM; in.go: IN
//	arithmetic.go + - * / // % and negation of numbers: the typing rules
//	temporal.go   the same of dates, times and intervals
//	logic.go      NOT, IS NULL, IS TRUE ...
//	math.go       abs, sqrt, power ...; mathmore.go: gcd, factorial ...; round.go: round, floor, ceil; bits.go: & | << >> ~
//	text.go       length, replace, contains ...; slices.go: substring, left, trim; case.go: lower, upper; concat.go: ||, concat
//	textparts.go  string_split, translate, paths; digest.go: md5, hex, base64 ...; distance.go: levenshtein ...; format.go: printf, format
//	like.go       LIKE and ILIKE; glob.go: GLOB; regex.go: regular expressions
//	date.go       date_part, date_trunc; dateparts.go: the parts; datediff.go: date_diff, age; datemake.go: make_date, epoch_ms, time_bucket ...
//	strftime.go   dates to text and back; zone.go: AT TIME ZONE
//	list.go       making and slicing lists; listsearch.go, listorder.go, listaggregate.go, range.go; lambda.go: list_transform ...; lists.go: reading them
//	struct.go     structs; map.go: maps; union.go: unions
//	choose.go     greatest, least, nullif
//	inspect.go    typeof, hash; system.go: random, uuid, error, encodings
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
	registerListAggregate(set)
	registerUnion(set)
	registerStruct(set)
	registerList(set)
	registerMap(set)
}
