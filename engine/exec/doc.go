// Package exec runs physical plans.
//
// A plan is cut at its breakers (aggregation, sort, windows, a limit below another operator, the build side of a join) into stages. A stage is one or more fragments, each a
// source with streaming operators above it, that feed one sink:
//
//	fragment:  source -> operator -> operator -> sink
//
// The workers of a stage claim morsels from the source and push their batches through operator states of their own into a sink state of their
// own, so nothing is shared per row. When the source is empty the sink combines the states, and becomes the source of the next stage. The
// last stage's sink hands batches to the caller in source order, while the stage runs.
//
// A recursion (WITH RECURSIVE) is a source that grows: it compiles and runs the stages of its next step when the rows of the one before have been claimed.
//
// Memory: a worker marks its pool before it asks for a batch and releases after the push has returned. Whatever an operator allocates from
// the pool lives exactly that long. A sink that keeps vectors adopts them (types.Pool.Adopt) and charges them to its operator's account. Accounts and
// pools draw on the query's reservation, and that on the database's budget.
//
// Order: morsels are claimed in source order and numbered; a batch's sequence is its morsel's number and its place in it. Sinks that keep order
// use it. No morsel starts more than a few ahead of the oldest one that is unfinished.
// Where order is kept, errors keep their place too: the caller gets the rows before the first failing morsel and then its error, or no error when a LIMIT
// is reached before it.
package exec
