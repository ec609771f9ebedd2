// Package expr holds typed expressions as plain data, the function sets that bind names to kernels, and the evaluator that runs
// expressions over batches.
//
// An expression goes through three hands. The SQL binder looks a name up in a Set, lets the family bind the argument types and
// builds Expr nodes around the bound Function. The planner walks, compares and rewrites the nodes. Compile turns a list of them
// into a Program, in which common subexpressions are one node; each worker runs it through an Evaluator of its own.
package expr
