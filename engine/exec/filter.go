package exec

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// filter keeps the rows on which its condition is true.
type filter struct {
	operator int
	program  *expr.Program
}

func newFilter(p *plan.FilterRows) *filter {
	return &filter{operator: p.Number, program: expr.Compile(p.Condition)}
}

func (f *filter) number() int { return f.operator }

func (f *filter) newState(w *worker) operatorState {
	return &filterState{worker: w, evaluator: expr.NewEvaluator(f.program, w.pool)}
}

type filterState struct {
	worker    *worker
	evaluator *expr.Evaluator
}

// compactBelow is the share of passing rows, as a divisor of the batch's, below which the rows that pass are copied together instead of handing on a
// selection. Above it, computing on all rows at full vector speed costs less than the copy.
const compactBelow = 4

// thin compacts a batch of which few rows count.
func (w *worker) thin(b *types.Batch) *types.Batch {
	if b.Selected*compactBelow < b.Rows {
		return w.compact(b)
	}
	return b
}

func (s *filterState) push(b *types.Batch, next func(*types.Batch) error) error {
	selection, err := s.evaluator.Select(b)
	if err != nil {
		return err
	}
	b = b.Select(selection)
	if b.Selected == 0 {
		return nil
	}
	return next(s.worker.thin(b))
}
