package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// Query starts one SQL statement; text must hold exactly one. A query's rows come from the Result, while it runs: the caller must read the
// result to its end, Release it, or cancel ctx, after which everything that the query holds is given back. Other statements have been done when
// Query returns: those that write rows give one column, Count, with their number.
//
// args are the values of the statement's parameters: by position for ? and $1, Named for $name; see Named for the Go types.
//
// Errors are *types.Error. What is wrong with the text, with names and with types comes from Query; what is wrong with the data comes
// from the Result.
func (db *DB) Query(ctx context.Context, text string, args ...any) (*Result, error) {
	return db.main.Query(ctx, text, args...)
}

// statement is one statement on its way, from Query to the end of its result.
type statement struct {
	db       *DB
	conn     *Conn
	settings *settings // of the session, when the statement began
	text     string
	ctx      context.Context
	cancel   context.CancelCauseFunc
	tables   []shared // that it uses
	locked   catalog.Writable
	unlock   func() // of locked
	rejects  []*rejects
}

// end gives back what the statement holds. Called once.
func (s *statement) end() {
	_ = s.storeRejects() // of a result that was not read to its end; else it has been done
	s.releaseTables()
	s.unlockTable()
	s.cancel(nil)
	s.db.forget(s)
}

// start parses, binds, plans and starts the statement. A panic on the way is a bug, which fails this statement alone.
func (s *statement) start(parameters map[string]*types.Vector) (result *Result, err error) {
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
	bound, err := s.bind(parsed, parameters)
	if err == nil {
		err = checkSurplus(s.text, parameters, bound.Used)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case bound.Describe:
		return s.describe(plan.SchemaOf(bound.Plan), bound.Definition)
	case bound.Command != nil && !bound.Explain:
		return s.command(bound)
	}
	physical, err := s.writePlan(bound)
	if err != nil {
		return nil, err
	}
	if bound.Explain {
		return s.explain(physical, bound)
	}
	run, err := s.run(physical, false)
	if err != nil {
		return nil, err
	}
	return newResult(s, physical.Root.Schema(), run), nil
}

// physical optimizes the plan of a statement and chooses the physical one.
func (s *statement) physical(bound *sql.Bound) (*plan.PhysicalPlan, error) {
	logical, err := s.settings.optimizer(bound.IDs).Optimize(bound.Plan)
	if err != nil {
		return nil, err
	}
	return plan.Build(logical)
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

// session gives what the statement is bound in.
func (s *statement) session(parameters map[string]*types.Vector) sql.Session {
	return sql.Session{
		Catalog: s.conn.catalog, Parameters: parameters, NullsFirst: nullOrders[s.settings.nullOrder], Zone: s.settings.zone, Setting: s.conn.value, Rejects: s.newRejects,
	}
}

// bind binds the statement and acquires the tables that it reads. A table that was dropped and released in between is looked up again. One that the
// statement removes rows of is locked, and then read as it is.
func (s *statement) bind(parsed sql.Statement, parameters map[string]*types.Vector) (*sql.Bound, error) {
	for {
		s.rejects = nil
		bound, err := sql.Bind(s.ctx, s.text, parsed, s.session(parameters))
		if err != nil || bound.Plan == nil {
			return bound, err
		}
		if !s.acquire(bound.Plan) {
			continue
		}
		change, ok := bound.Command.(*sql.Change)
		if !ok || !change.Write.Removes || change.Table == s.locked {
			return bound, nil
		}
		s.releaseTables()
		s.unlockTable()
		if s.unlock, err = change.Table.Lock(s.ctx); err != nil {
			return nil, err
		}
		s.locked = change.Table
	}
}

func (s *statement) unlockTable() {
	if s.locked != nil {
		s.unlock()
		s.locked = nil
	}
}

func (s *statement) releaseTables() {
	for _, t := range s.tables {
		t.Release()
	}
	s.tables = nil
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
		s.releaseTables()
	}
	return !gone
}

// run starts a physical plan.
func (s *statement) run(p *plan.PhysicalPlan, analyze bool) (*exec.Execution, error) {
	scheduler := s.db.scheduler.Load()
	return exec.Run(s.ctx, p, exec.Options{
		Scheduler: scheduler, Budget: s.db.budget, Threads: scheduler.Size(), BatchRows: s.settings.batchRows, Analyze: analyze,
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
