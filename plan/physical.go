package plan

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Physical is an operator of a physical plan. Its expressions read columns by position in the input's schema. Execution decides
// nothing that the plan, and so EXPLAIN, does not say. Immutable and without state of a run: the same plan may run many times, also
// at once.
type Physical interface {
	// Schema gives the output columns.
	Schema() types.Schema
	// Inputs gives the operators that this one reads, left to right.
	Inputs() []Physical
	// Explain gives the operator's name and what EXPLAIN says beside it, one line each.
	Explain() (name string, details []string)
	// Common gives what every operator has.
	Common() *Operator
}

// Operator is what every physical operator has.
type Operator struct {
	Number int // place in the plan, counted from 0 in EXPLAIN's order: the index of its metrics
	Output types.Schema
	Rows   float64 // estimated number of output rows; negative when unknown
}

// Schema gives the output columns.
func (o *Operator) Schema() types.Schema { return o.Output }

// Common gives the operator itself.
func (o *Operator) Common() *Operator { return o }

// PhysicalPlan is what execution runs.
type PhysicalPlan struct {
	Root      Physical
	Operators int // how many; numbers are 0 to Operators-1
}

// TableScan reads a table. Those of the request's filters that Applied names it applies; by the others it only skips.
type TableScan struct {
	Operator
	Table   catalog.Table
	Name    string
	Request catalog.ScanRequest // BatchRows is filled in by execution
	Applied []bool              // by filter
}

// ValuesScan gives literal rows: one constant vector per row and column.
type ValuesScan struct {
	Operator
	Rows [][]*expr.Expr // expressions without columns, evaluated when the query starts
}

// FilterRows keeps the rows on which the condition is true.
type FilterRows struct {
	Operator
	Input     Physical
	Condition *expr.Expr
}

// ProjectColumns computes the output columns.
type ProjectColumns struct {
	Operator
	Input Physical
	Exprs []*expr.Expr
}

// AggregateStrategy is the form of an aggregation.
type AggregateStrategy uint8

const (
	// AggregateUngrouped has no keys: each worker keeps one state per aggregate.
	AggregateUngrouped AggregateStrategy = iota
	// AggregateHash groups by a hash table per worker, radix-partitioned when it grows, merged partition by partition.
	AggregateHash
)

// String gives the strategy's name in EXPLAIN.
func (s AggregateStrategy) String() string { return [...]string{"ungrouped", "hash"}[s] }

// PhysicalAggregate is one aggregate of HashAggregate.
type PhysicalAggregate struct {
	Function *expr.Aggregate
	Args     []*expr.Expr
	Filter   *expr.Expr
	Distinct bool
}

// HashAggregate groups its input and computes aggregates: the output is the keys, then the aggregates. A Distinct operator is one
// without aggregates.
type HashAggregate struct {
	Operator
	Input      Physical
	Strategy   AggregateStrategy
	Keys       []*expr.Expr
	Sets       [][]int // grouping sets, positions in Keys; nil = one set of all keys
	Aggregates []PhysicalAggregate
}

// PhysicalSortKey is one key of an order.
type PhysicalSortKey struct {
	Expr       *expr.Expr
	Descending bool
	NullsFirst bool
}

// SortRows orders its input, stably with respect to the source order. With Limit >= 0 it is a top-N: it keeps Limit rows after Offset.
type SortRows struct {
	Operator
	Input  Physical
	Keys   []PhysicalSortKey
	Limit  int64 // -1: all rows
	Offset int64
}

// LimitRows skips rows and stops its source after enough.
type LimitRows struct {
	Operator
	Input  Physical
	Count  int64 // -1: no limit
	Offset int64
}

// ConcatRows gives the rows of its inputs one after another (UNION ALL).
type ConcatRows struct {
	Operator
	Sources []Physical
}

func (*TableScan) Inputs() []Physical        { return nil }
func (*ValuesScan) Inputs() []Physical       { return nil }
func (p *FilterRows) Inputs() []Physical     { return []Physical{p.Input} }
func (p *ProjectColumns) Inputs() []Physical { return []Physical{p.Input} }
func (p *HashAggregate) Inputs() []Physical  { return []Physical{p.Input} }
func (p *SortRows) Inputs() []Physical       { return []Physical{p.Input} }
func (p *LimitRows) Inputs() []Physical      { return []Physical{p.Input} }
func (p *ConcatRows) Inputs() []Physical     { return p.Sources }
