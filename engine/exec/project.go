package exec

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// project computes columns.
type project struct {
	operator int
	program  *expr.Program
}

func newProject(p *plan.ProjectColumns) *project {
	return &project{operator: p.Number, program: expr.Compile(p.Exprs...)}
}

func (p *project) number() int { return p.operator }

func (p *project) newState(w *worker) operatorState {
	return &projectState{evaluator: expr.NewEvaluator(p.program, w.pool)}
}

type projectState struct{ evaluator *expr.Evaluator }

func (s *projectState) push(b *types.Batch, next func(*types.Batch) error) error {
	columns, err := s.evaluator.Eval(nil, b)
	if err != nil {
		return err
	}
	return next(b.WithColumns(columns))
}
