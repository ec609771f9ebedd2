package catalog

import (
	"context"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Table is anything that a query can read: an Arrow table in memory, a Parquet file, a set of CSV files. Safe for concurrent use; what
// it shows does not change under a running scan.
type Table interface {
	// Schema gives the columns.
	Schema() types.Schema
	// Statistics gives what is known without reading data. Cheap enough to be asked on every bind.
	Statistics() Statistics
	// Applies reports whether a scan that is given a filter, as ScanRequest.Filters has them, delivers only rows on which it is true. The plan
	// has no filter operator for such a condition.
	Applies(filter *expr.Expr) bool
	// Scan starts reading. The request is not changed afterwards.
	Scan(ctx context.Context, request ScanRequest) (Scan, error)
}

// ScanRequest says what a query wants of a table.
type ScanRequest struct {
	// Columns are the columns to deliver, in that order.
	Columns []ColumnPath
	// Filters are conditions joined by AND that the query applies; their Column nodes are positions in Columns. Those that Table.Applies
	// accepts the scan applies exactly, by the batches' selections; of the others, which may fail, it takes advice for skipping, and an
	// operator above it applies them.
	Filters []*expr.Expr
	// Dynamic are filters that become known while the query runs.
	Dynamic []*DynamicFilter
	// Limit is the number of rows after which the query stops, or -1. A hint.
	Limit int64
	// Order asks for rows in this order, in positions of Columns. A hint: Scan.Ordered says whether it is kept.
	Order []OrderKey
	// BatchRows is the wanted number of rows of a batch.
	BatchRows int
	// Memory is where the scan reserves what it holds beyond a few batches, before it allocates it: a record batch or the like. What is not given back is
	// when the query ends. Nil counts nothing.
	Memory Memory
}

// Memory is a budget, or a part of one.
type Memory interface {
	// Grow reserves n more bytes, or gives them back when n is negative. Errors are of kind types.ErrOutOfMemory; nothing is reserved then. Safe for
	// concurrent use.
	Grow(n int64) error
}

// Reserve reserves n more bytes of the request's memory, or gives them back.
func (r *ScanRequest) Reserve(n int64) error {
	if r.Memory == nil || n == 0 {
		return nil
	}
	return r.Memory.Grow(n)
}

// ColumnPath names a column, or a part of a nested one: the column's position in the table's schema, then field positions of structs
// below it. A source may deliver the whole parent's structure with only the wanted fields filled; the type is that of the path's end.
type ColumnPath struct {
	Column int
	Fields []int
}

// OrderKey is one key of a required order.
type OrderKey struct {
	Column     int
	Descending bool
	NullsFirst bool
}

// Scan is one reading of a table, shared by the workers of a query: a source of morsels.
type Scan interface {
	// Ordered says whether the rows come in the requested order.
	Ordered() bool
	// Next claims the next morsel in source order, or nil after the last. Safe for concurrent use.
	Next(ctx context.Context) (Morsel, error)
	// Close gives back files and memory, also those of morsels that were not read to their end. Called once, after the last use.
	Close() error
}

// Skipper is a Scan that counts the rows that it has not read thanks to statistics and filters, for EXPLAIN ANALYZE.
type Skipper interface {
	// Skipped gives their number. Called before Close, when no morsel is in use any more.
	Skipped() int64
}

// Morsel is a piece of a scan that one worker reads: a row group, a range of a table. Its batches come in source order.
type Morsel interface {
	// Number counts the scan's morsels from 0 in source order.
	Number() int
	// Next gives the next batch, or nil at the end. It looks at ctx at least once a batch. The batch's memory is the pool's present
	// region, or the source's: then it stays unchanged as long as something refers to it, also after the scan is closed, and an Arrow
	// table's as long as that is retained. Its Sequence is made of the morsel's number and the batch's; execution renumbers it where it
	// joins several scans.
	Next(ctx context.Context, pool *types.Pool) (*types.Batch, error)
}
