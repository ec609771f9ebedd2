// Package kernels holds the null-aware verbs on vectors: take, filter, concat, compare, logic, arithmetic, cast, hash, sort.
// One verb has one file.
//
// Every kernel follows the same contract.
//
//   - Arguments are vectors of equal length in any encoding; they are borrowed and never changed. The result is a new vector
//     whose memory is of env.Pool or shared with the arguments.
//   - A row is null when types.LogicalValidity says so. The values under nulls are arbitrary: kernels compute on them, or step
//     around them, but they decide nothing and raise nothing.
//   - A kernel that can fail raises an error only for a row that is active (Env.Active), not null, and fails; the error's Row is
//     the first such row. With Env.Try no row raises: rows that fail become null.
//   - Constants, dictionaries and runs are worked on by value where the verb allows it, else decoded; which encoding a
//     result has is never part of its meaning.
//
// Inner loops are generic over the element type and nothing else. A loop computes every slot and reports whether something
// went wrong anywhere; only then does a second, slow pass look for the first row that counts.
package kernels
