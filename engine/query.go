package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// Query starts one SQL statement; text must hold exactly one. Its rows come from the Result, while the statement runs: the caller must read the
// result to its end, Release it, or cancel ctx, after which everything that the query holds is given back.
//
// args are the values of the statement's parameters: by position for ? and $1, Named for $name; see Named for the Go types.
//
// Errors are *types.Error. What is wrong with the text, with names and with types comes from Query; what is wrong with the data comes
// from the Result.
func (db *DB) Query(ctx context.Context, text string, args ...any) (*Result, error) {
	s, err := db.begin(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.start(args)
	if err != nil {
		err = s.failure(err)
		s.end()
		return nil, err
	}
	return result, nil
}

// statement is one statement on its way, from Query to the end of its result.
type statement struct {
	db     *DB
	text   string
	ctx    context.Context
	cancel context.CancelCauseFunc
	tables []shared // that it uses
}

// end gives back what the statement holds. Called once.
func (s *statement) end() {
	for _, t := range s.tables {
		t.Release()
	}
	s.cancel(nil)
	s.db.forget(s)
}

// start parses, binds, plans and starts the statement. A panic on the way is a bug, which fails this statement alone.
func (s *statement) start(args []any) (result *Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			result = nil
			err = types.Errorf(types.CodeInternal, "internal error: %v", r).WithCause(fmt.Errorf("%v\n%s", r, debug.Stack()))
		}
	}()
	parsed, err := s.parse()
	if err != nil {
		return nil, err
	}
	parameters, err := parameterValues(args)
	if err != nil {
		return nil, err
	}
	bound, err := s.bind(parsed, parameters)
	if err != nil {
		return nil, err
	}
	switch {
	case bound.ShowTables:
		return s.showTables()
	case bound.Describe:
		return s.describe(plan.SchemaOf(bound.Plan))
	}
	logical, err := s.db.options.optimizer(bound.IDs).Optimize(bound.Plan)
	if err != nil {
		return nil, err
	}
	physical, err := plan.Build(logical)
	if err != nil {
		return nil, err
	}
	if bound.Explain {
		return s.explain(physical, bound.Analyze)
	}
	run, err := s.run(physical, false)
	if err != nil {
		return nil, err
	}
	return newResult(s, physical.Root.Schema(), run), nil
}

// parse gives the one statement of the text.
func (s *statement) parse() (sql.Statement, error) {
	all, err := sql.Parse(s.text)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, types.ErrorAt(types.CodeSyntax, s.text, len(s.text), "the text holds no statement")
	case len(all) > 1:
		return nil, types.ErrorAt(types.CodeSyntax, s.text, all[1].Range().Start, "the text holds %d statements, a query is one", len(all))
	}
	return all[0], nil
}

// bind binds the statement and acquires the tables that it reads. A table that was dropped and released in between is looked up again.
func (s *statement) bind(parsed sql.Statement, parameters map[string]*types.Vector) (*sql.Bound, error) {
	for {
		bound, err := sql.Bind(s.ctx, s.text, parsed, sql.Session{Catalog: s.db.catalog, Parameters: parameters})
		if err != nil || bound.Plan == nil || s.acquire(bound.Plan) {
			return bound, err
		}
	}
}

// acquire takes a share in every table of a plan; false, and none, when one is gone.
func (s *statement) acquire(root plan.Node) bool {
	gone := false
	plan.Walk(root, func(n plan.Node) {
		scan, ok := n.(*plan.Scan)
		if !ok || gone {
			return
		}
		if t, ok := scan.Table.(shared); ok {
			if t.Acquire() {
				s.tables = append(s.tables, t)
			} else {
				gone = true
			}
		}
	})
	if gone {
		for _, t := range s.tables {
			t.Release()
		}
		s.tables = nil
	}
	return !gone
}

// run starts a physical plan.
func (s *statement) run(p *plan.PhysicalPlan, analyze bool) (*exec.Execution, error) {
	o := &s.db.options
	return exec.Run(s.ctx, p, exec.Options{
		Scheduler: s.db.scheduler, Budget: s.db.budget, Threads: o.Threads, BatchRows: o.BatchRows, Analyze: analyze,
	})
}

// failure gives an error as the caller sees it: a *types.Error, with line and column where it knows its place in the text, and about the
// cancellation when that is why the statement ended.
func (s *statement) failure(err error) error {
	var typed *types.Error
	known := errors.As(err, &typed)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if cause := context.Cause(s.ctx); cause != nil && (!known || ended || typed.Code == types.CodeQueryCanceled) {
		return canceled(cause)
	}
	if !known {
		if ended {
			return canceled(err)
		}
		return types.Errorf(types.CodeInternal, "%v", err).WithCause(err)
	}
	if typed.Position.Line >= 0 {
		return typed
	}
	// Execution knows the offset in the text, not the text. Others may see the error too, so it is copied.
	located := *typed
	located.Source = s.text
	located.Position = types.PositionAt(s.text, typed.Position.Offset)
	return &located
}

// canceled gives the error of a statement whose context ended with a cause.
func canceled(cause error) error {
	var typed *types.Error
	switch {
	case errors.As(cause, &typed):
		return typed
	case errors.Is(cause, context.DeadlineExceeded):
		return types.Errorf(types.CodeQueryCanceled, "canceling statement due to timeout").WithCause(cause)
	case errors.Is(cause, context.Canceled):
		return types.Errorf(types.CodeQueryCanceled, "canceling statement due to user request").WithCause(cause)
	}
	return types.Errorf(types.CodeQueryCanceled, "canceling statement: %v", cause).WithCause(cause)
}
