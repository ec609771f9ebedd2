package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// recursion is the source of WITH RECURSIVE. It runs the initial rows' stages when its first row is wanted, and those of the step each time when all rows
// that came last have been claimed. So a LIMIT above ends a recursion that would not end by itself, and no more than the rows of two steps are kept.
//
// The step is compiled anew for each iteration, with sinks that are empty, but for those whose input is always the same: they are filled once.
type recursion struct {
	query *Execution
	plan  *plan.RecurseRows
	outer *recursionLevel // in whose step this recursion runs
	level *recursionLevel
	seen  *groupTable // rows so far; nil without Distinct
	last  *rowStore   // the rows that came last; nil before the first
	next  int         // of their batches
	given int         // morsels
	base  []accountUse
}

// openRecursion starts a recursion.
func (q *Execution) openRecursion(p *plan.RecurseRows) func(context.Context) (source, error) {
	outer := q.recursion
	q.addReaders(p)
	return func(context.Context) (source, error) {
		r := &recursion{query: q, plan: p, outer: outer, level: newRecursionLevel(outer, p)}
		r.base = append(q.accountUses(p.Initial), q.accountUses(p.Step)...)
		if p.Distinct {
			layout, err := layoutOf(nil, columnsOf(p.Output))
			if err != nil {
				return nil, err
			}
			r.seen = newGroupTable(layout, q.account(p.Number))
		}
		return r, nil
	}
}

// addReaders counts the readers of shared rows in a part of the plan that is compiled later, so that their definitions are run.
func (q *Execution) addReaders(p plan.Physical) {
	if scan, ok := p.(*plan.MaterializedScan); ok && q.shared[scan.ID] != nil {
		q.shared[scan.ID].readers++
	}
	for _, input := range p.Inputs() {
		q.addReaders(input)
	}
}

// columnsOf gives expressions that read the columns of a schema.
func columnsOf(s types.Schema) []*expr.Expr {
	out := make([]*expr.Expr, len(s))
	for i, f := range s {
		out[i] = expr.NewColumn(i, f.Name, f.Type, f.Nullable)
	}
	return out
}

// grow runs the next step when all rows of the one before have been claimed.
func (r *recursion) grow(ctx context.Context) error {
	switch {
	case r.last == nil:
		rows := newRowStore(r.query, r.plan.Number, r.seen)
		if err := r.run(ctx, r.plan.Initial, r.outer, rows); err != nil {
			return err
		}
		r.last = rows
	case r.next == len(r.last.rows) && r.next > 0:
		before := r.query.accountUses(r.plan.Step)
		r.query.shared[r.plan.ID] = r.last
		rows := newRowStore(r.query, r.plan.Number, r.seen)
		if err := r.run(ctx, r.plan.Step, r.level, rows); err != nil {
			return err
		}
		r.last.free()
		r.last, r.next = rows, 0
		releaseUses(before, r.level.holds)
	}
	if len(r.last.rows) == 0 {
		if r.seen != nil {
			r.seen.free()
		}
		releaseUses(r.base, r.outer.holds)
		r.base = nil
	}
	return nil
}

// run runs a part of the plan and stores its rows.
func (r *recursion) run(ctx context.Context, p plan.Physical, level *recursionLevel, rows *rowStore) error {
	stages, err := r.query.compileApart(p, level, rows)
	if err != nil {
		return err
	}
	for _, s := range stages {
		if err := s.run(ctx, r.query); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil { // a stage that was stopped has not all rows
			return err
		}
	}
	return nil
}

// compileApart gives the stages that feed a part of the plan to a sink. It is called while the query runs; one recursion grows at a time.
func (q *Execution) compileApart(p plan.Physical, level *recursionLevel, s sink) ([]*stage, error) {
	stages, outer := q.stages, q.recursion
	defer func() { q.stages, q.recursion = stages, outer }()
	q.stages, q.recursion = nil, level
	fragments, err := q.fragments(p)
	return append(q.stages, &stage{fragments: fragments, sink: s}), err
}

func (r *recursion) Next(context.Context) (catalog.Morsel, error) {
	if r.next == len(r.last.rows) {
		return nil, nil
	}
	b := *r.last.rows[r.next].batch
	m := &funcMorsel{number: r.given, next: func(*types.Pool) (*types.Batch, error) { return &b, nil }}
	r.next, r.given = r.next+1, r.given+1
	return m, nil
}

func (r *recursion) Close() error { return nil }

// recursionLevel is what the iterations of one recursion share.
type recursionLevel struct {
	outer *recursionLevel
	// varying are the ids of the shared rows that may differ between iterations.
	varying map[plan.SharedID]bool
	// volatile are the operators that may give other rows for the same input.
	volatile map[int]bool
	// built are the stages that are always the same, by their sinks' operator.
	built map[int]builtStage
}

func newRecursionLevel(outer *recursionLevel, p *plan.RecurseRows) *recursionLevel {
	l := &recursionLevel{outer: outer, varying: map[plan.SharedID]bool{p.ID: true}, volatile: map[int]bool{}, built: map[int]builtStage{}}
	l.addVarying(p.Step)
	return l
}

// addVarying adds what is defined in the step: the rows of an inner recursion, and those whose definition reads varying ones.
func (l *recursionLevel) addVarying(p plan.Physical) {
	l.volatile[p.Common().Number] = volatile(p)
	switch p := p.(type) {
	case *plan.RecurseRows:
		l.varying[p.ID] = true
	case *plan.MaterializeRows:
		l.addVarying(p.Definition)
		if l.varies(p.Definition) {
			l.varying[p.ID] = true
		}
		l.addVarying(p.Body)
		return
	}
	for _, input := range p.Inputs() {
		l.addVarying(input)
	}
}

// varies reports whether an operator's rows may differ between iterations.
func (l *recursionLevel) varies(p plan.Physical) bool {
	if scan, ok := p.(*plan.MaterializedScan); ok && l.varying[scan.ID] || l.volatile[p.Common().Number] {
		return true
	}
	return slices.ContainsFunc(p.Inputs(), l.varies)
}

// invariant gives the outermost recursion in whose step what an operator makes of one input is always the same; nil when there is none.
func (l *recursionLevel) invariant(operator int, input plan.Physical) *recursionLevel {
	if l == nil {
		return nil
	}
	if outer := l.outer.invariant(operator, input); outer != nil {
		return outer
	}
	if l.volatile[operator] || l.varies(input) {
		return nil
	}
	return l
}

// holds reports whether a stage of an operator outlives the iteration.
func (l *recursionLevel) holds(operator int) bool {
	for ; l != nil; l = l.outer {
		if _, ok := l.built[operator]; ok {
			return true
		}
	}
	return false
}

// volatile reports whether an operator itself may give other rows when it runs again over the same ones.
func volatile(p plan.Physical) bool {
	var exprs []*expr.Expr
	switch p := p.(type) {
	case *plan.SampleRows:
		return true
	case *plan.ValuesScan:
		exprs = slices.Concat(p.Rows...)
	case *plan.FilterRows:
		exprs = []*expr.Expr{p.Condition}
	case *plan.ProjectColumns:
		exprs = p.Exprs
	case *plan.HashAggregate:
		exprs = slices.Clone(p.Keys)
		for _, a := range p.Aggregates {
			exprs = append(append(exprs, a.Args...), a.Filter)
			exprs = append(exprs, keyExprs(a.Order)...)
		}
	case *plan.SortRows:
		exprs = keyExprs(p.Keys)
	case *plan.HashJoin:
		exprs = []*expr.Expr{p.Condition}
		for _, k := range p.Keys {
			exprs = append(exprs, k.Left, k.Right)
		}
		if p.Mark != nil {
			exprs = append(exprs, p.Mark.Condition)
		}
	case *plan.LoopJoin:
		exprs = []*expr.Expr{p.Condition, p.Mark} // ranges are not volatile
	case *plan.WindowRows:
		exprs = append(slices.Clone(p.PartitionBy), keyExprs(p.OrderBy)...)
		for _, c := range p.Calls {
			exprs = append(append(exprs, c.Args...), c.Filter)
		}
	case *plan.UnnestRows:
		exprs = p.Exprs
	}
	return slices.ContainsFunc(exprs, func(e *expr.Expr) bool { return e != nil && e.IsVolatile() })
}

func keyExprs(keys []plan.SortKey) []*expr.Expr {
	out := make([]*expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}

// accountUse is how much memory an operator held at a time.
type accountUse struct {
	operator int
	account  *account
	used     int64
}

// accountUses notes what the operators of a part of the plan hold.
func (q *Execution) accountUses(p plan.Physical) []accountUse {
	a := q.account(p.Common().Number)
	uses := []accountUse{{operator: p.Common().Number, account: a, used: a.used.Load()}}
	for _, input := range p.Inputs() {
		uses = append(uses, q.accountUses(input)...)
	}
	return uses
}

// releaseUses gives back what operators have reserved since then, but for those whose stages are still needed.
func releaseUses(uses []accountUse, holds func(operator int) bool) {
	for _, u := range uses {
		if !holds(u.operator) {
			u.account.Shrink(u.account.used.Load() - u.used)
		}
	}
}
