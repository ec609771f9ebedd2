package plan

import (
	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
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
	Filters   int // how many dynamic filters; numbers are 0 to Filters-1
}

// TableScan reads a table. Those of the request's filters that Applied names it applies; by the others it only skips.
type TableScan struct {
	Operator
	Table   catalog.Table
	Name    string
	Request catalog.ScanRequest // BatchRows is filled in by execution
	Applied []bool              // by filter
	// Dynamic are the filters that joins of the same plan publish while it runs.
	Dynamic []DynamicColumn
}

// DynamicColumn is a column of a scan that a dynamic filter narrows.
type DynamicColumn struct {
	Filter int // its number in the plan; HashJoin.Publish names the join
	Column int // position in the scan's columns
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
	Order    []SortKey // in which an order-sensitive function takes the rows of a group; empty: the input's order
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
	Grouping   bool // the last output column is the number of the row's set, a BIGINT
}

// SortRows orders its input, stably with respect to the source order. With Limit >= 0 it is a top-N: it keeps Limit rows after Offset.
type SortRows struct {
	Operator
	Input  Physical
	Keys   []SortKey
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

// JoinKey is a pair of expressions, over the left and the right input, of one type. They match when they are equal; NULL only with NullSafe, and
// then NULL matches NULL.
type JoinKey struct {
	Left, Right *expr.Expr
	NullSafe    bool
}

// PhysicalMark is what a mark join computes; see Mark. Keys and Condition together are its conditions, joined by AND.
type PhysicalMark struct {
	Keys      []JoinKey  // equalities, in three-valued logic where not NullSafe
	Condition *expr.Expr // over the left columns and then the right ones; nil = TRUE
}

// HashJoin joins by a hash table over one side. A pair of rows matches when all keys do and the condition is true. There is at least one key, in Keys or
// in Mark.Keys.
//
// The other side, the probe, keeps its order where the kind gives its rows; rows of the build side without a match come last.
type HashJoin struct {
	Operator
	Kind        JoinKind
	Left, Right Physical
	// BuildLeft says that the table is over the left side, else over the right one. Never with MarkJoin and SingleJoin.
	BuildLeft bool
	Keys      []JoinKey
	Condition *expr.Expr // over the left columns and then the right ones; nil = TRUE
	Mark      *PhysicalMark
	// Columns are the output columns: positions among the left columns, then the right ones, then the mark.
	Columns []int
	// Publish are the dynamic filters that the finished table gives to scans below the probe side.
	Publish []DynamicKey
}

// DynamicKey is a join key whose values in the build side narrow scans of the probe side.
type DynamicKey struct {
	Filter int // number in the plan
	Key    int // position in HashJoin.Keys
}

// LoopJoin joins without equality: each left row is tested against all right rows, which are kept, or with Ranges against those in the ranges. Otherwise as
// HashJoin.
type LoopJoin struct {
	Operator
	Kind        JoinKind
	Left, Right Physical
	Ranges      []JoinRange // comparisons that must be true as well as the condition
	Condition   *expr.Expr  // over the left columns and then the right ones; nil = TRUE
	Mark        *expr.Expr  // MarkJoin: the mark's conditions, joined by AND
	Columns     []int       // as in HashJoin
}

// JoinRange is a comparison <, <=, > or >= of a value of the left side with one of the right, neither of which can fail. The right rows are sorted by the first one's
// value, so that its matches are a range, which others of the same order narrow.
type JoinRange struct {
	Op          kernels.CompareOp
	Left, Right *expr.Expr // over the columns of their side
	Condition   *expr.Expr // the comparison over the left columns and then the right ones
}

// WindowRows computes window functions: its output is the input's columns, then one per call. See Window.
type WindowRows struct {
	Operator
	Input       Physical
	PartitionBy []*expr.Expr
	OrderBy     []SortKey
	Calls       []WindowCall // their Output is not used
}

// MaterializeRows computes Definition once and keeps its rows; the MaterializedScans with its id in Body read them. Its output is Body's.
type MaterializeRows struct {
	Operator
	ID               SharedID
	Name             string
	Definition, Body Physical
}

// MaterializedScan reads the kept rows of the MaterializeRows, or the last step's of the RecurseRows, with its id.
type MaterializedScan struct {
	Operator
	ID      SharedID
	Name    string
	Columns []int // positions in the kept rows' columns
}

// RecurseRows gives the rows of Initial and then, until there are none, those of Step, in which MaterializedScans with its id read the rows that came last.
// With Distinct a row that came before is dropped. Operators in Step that do not depend on those rows keep what they have built.
type RecurseRows struct {
	Operator
	ID            SharedID
	Name          string
	Initial, Step Physical
	Distinct      bool
}

// UnnestRows gives a row for each list element; see Unnest. Its output is the input's columns, the elements, and the ordinality.
type UnnestRows struct {
	Operator
	Input      Physical
	Exprs      []*expr.Expr
	Ordinality bool
	Outer      bool
}

// SampleRows keeps a random part of the rows; see Sample.
type SampleRows struct {
	Operator
	Input   Physical
	Method  SampleMethod
	Percent float64
	Rows    int64
	Seed    int64
	Seeded  bool
}

func (*TableScan) Inputs() []Physical         { return nil }
func (*ValuesScan) Inputs() []Physical        { return nil }
func (p *FilterRows) Inputs() []Physical      { return []Physical{p.Input} }
func (p *ProjectColumns) Inputs() []Physical  { return []Physical{p.Input} }
func (p *HashAggregate) Inputs() []Physical   { return []Physical{p.Input} }
func (p *SortRows) Inputs() []Physical        { return []Physical{p.Input} }
func (p *LimitRows) Inputs() []Physical       { return []Physical{p.Input} }
func (p *ConcatRows) Inputs() []Physical      { return p.Sources }
func (p *HashJoin) Inputs() []Physical        { return []Physical{p.Left, p.Right} }
func (p *LoopJoin) Inputs() []Physical        { return []Physical{p.Left, p.Right} }
func (p *WindowRows) Inputs() []Physical      { return []Physical{p.Input} }
func (p *MaterializeRows) Inputs() []Physical { return []Physical{p.Definition, p.Body} }
func (*MaterializedScan) Inputs() []Physical  { return nil }
func (p *RecurseRows) Inputs() []Physical     { return []Physical{p.Initial, p.Step} }
func (p *UnnestRows) Inputs() []Physical      { return []Physical{p.Input} }
func (p *SampleRows) Inputs() []Physical      { return []Physical{p.Input} }
