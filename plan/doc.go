// Package plan holds a query between text and execution: the logical nodes that the binder builds, the optimizer's rules that rewrite
// them, the physical plan that execution follows to the letter, EXPLAIN, and the metrics of a run.
//
// A logical column has a plan-wide unique id, so a rule may move an expression anywhere its columns exist without renumbering. The
// physical plan replaces ids by positions in the input. Both kinds of plan are immutable: a rule makes new nodes and shares the rest; all
// state of a run lives in engine/exec.
package plan
