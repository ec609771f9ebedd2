package engine

import (
	"runtime"
	"slices"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// Options says how a database is opened. The zero value suits most programs.
type Options struct {
	// Threads is how many workers run at a time, over all queries; 0 is runtime.GOMAXPROCS(0).
	Threads int
	// MemoryLimit is how many bytes all queries together may hold in hash tables, sort runs and results on their way, and the tables that statements
	// made in their rows; 0 is 80 % of the machine's memory, or of the cgroup's when that is smaller. A query that would go beyond fails with SQLSTATE 53200.
	MemoryLimit int64
	// BatchRows is how many rows are processed at a time; 0 is exec.DefaultBatchRows. Results come in batches of about that size.
	BatchRows int
	// Files is where FROM 'path' reads and COPY writes; nil is the local file system, all of it. catalog.FilesWithin gives a part of that, or nothing.
	Files catalog.FileSystem
	// OptimizerOff leaves only the rules on that bring a plan to its normal form. Answers are the same, slower.
	OptimizerOff bool
	// DisabledRules are names of optimizer rules (plan.OptionalRules) that do not run.
	DisabledRules []string
	// StringViews gives results with utf8_view and binary_view instead of utf8 and binary: nothing is copied for them.
	StringViews bool
	// NarrowDecimals gives DECIMALs of up to 9 and 18 digits as decimal32 and decimal64 instead of decimal128.
	NarrowDecimals bool
}

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	switch {
	case o.Threads < 0:
		return o, types.Errorf(types.CodeInvalidParameter, "the number of threads must not be negative: %d", o.Threads)
	case o.MemoryLimit < 0:
		return o, types.Errorf(types.CodeInvalidParameter, "the memory limit must not be negative: %d", o.MemoryLimit)
	case o.BatchRows < 0 || o.BatchRows > maxBatchRows:
		return o, types.Errorf(types.CodeInvalidParameter, "the number of rows of a batch must be between 1 and %d: %d", maxBatchRows, o.BatchRows)
	}
	for _, name := range o.DisabledRules {
		if !slices.Contains(plan.OptionalRules(), name) {
			e := types.Errorf(types.CodeInvalidConfig, "there is no optimizer rule %q", name)
			e.Hint = catalog.DidYouMean(name, plan.OptionalRules())
			return o, e
		}
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.BatchRows == 0 {
		o.BatchRows = exec.DefaultBatchRows
	}
	if o.Files == nil {
		o.Files = catalog.LocalFiles{}
	}
	return o, nil
}

// maxBatchRows bounds Options.BatchRows: batches beyond it leave every cache.
const maxBatchRows = 1 << 20

// export gives the part of the options that says which Arrow types results have.
func (o *Options) export() types.ExportOptions {
	return types.ExportOptions{StringViews: o.StringViews, NarrowDecimals: o.NarrowDecimals}
}
