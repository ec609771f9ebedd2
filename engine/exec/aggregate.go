package exec

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// aggregate is the sink of GROUP BY, DISTINCT and aggregates without groups.
//
// Each worker numbers the groups it meets in a table of its own and updates its accumulators by number. At the end the workers' groups are merged:
// few ones into the first worker's table, many ones partition by partition of their hash, in parallel. Accumulators are merged through the
// state columns that spilling and distribution will use too.
type aggregate struct {
	query    *Execution
	plan     *plan.HashAggregate
	program  *expr.Program // keys, then the arguments of the aggregates without FILTER
	firstArg []int         // result of the program where an aggregate's arguments start; -1 with FILTER
	filtered []filteredArgs
	layout   *rowLayout
	distinct []*rowLayout // by aggregate: keys and arguments; nil without DISTINCT
	states   []*aggregateState
	parts    []*groupPart
}

// filteredArgs are the programs of an aggregate with FILTER: its arguments must not raise on rows that do not pass.
type filteredArgs struct {
	condition, args *expr.Program
}

// groupPart is a set of finished groups.
type groupPart struct {
	table        *groupTable // nil without keys: one group
	accumulators []expr.Accumulator
}

func (p *groupPart) groups() int {
	if p.table == nil {
		return 1
	}
	return p.table.groups()
}

func newAggregate(q *Execution, p *plan.HashAggregate) (*aggregate, error) {
	if p.Sets != nil {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "GROUPING SETS is not supported")
	}
	a := &aggregate{query: q, plan: p, filtered: make([]filteredArgs, len(p.Aggregates)), distinct: make([]*rowLayout, len(p.Aggregates))}
	exprs := append([]*expr.Expr(nil), p.Keys...)
	keys := make([]types.Type, len(p.Keys))
	for i, k := range p.Keys {
		keys[i] = k.Type
	}
	if err := checkGroupable(keys); err != nil {
		return nil, err
	}
	a.layout = newRowLayout(keys)
	for i, call := range p.Aggregates {
		if call.Distinct {
			all := append([]types.Type(nil), keys...)
			for _, arg := range call.Args {
				all = append(all, arg.Type)
			}
			if err := checkGroupable(all); err != nil {
				return nil, err
			}
			a.distinct[i] = newRowLayout(all)
		}
		if call.Filter != nil {
			a.firstArg = append(a.firstArg, -1)
			a.filtered[i] = filteredArgs{condition: expr.Compile(call.Filter), args: expr.Compile(call.Args...)}
			continue
		}
		a.firstArg = append(a.firstArg, len(exprs))
		exprs = append(exprs, call.Args...)
	}
	a.program = expr.Compile(exprs...)
	return a, nil
}

func checkGroupable(keys []types.Type) error {
	for _, t := range keys {
		if !groupable(t) {
			return types.Errorf(types.CodeFeatureNotSupported, "grouping by a value of type %s is not supported", t)
		}
	}
	return nil
}

func (a *aggregate) number() int { return a.plan.Number }

// aggregateState is one worker's groups.
type aggregateState struct {
	aggregate *aggregate
	worker    *worker
	evaluator *expr.Evaluator
	filters   []*expr.Evaluator // by aggregate, nil without FILTER
	arguments []*expr.Evaluator
	part      *groupPart
	distinct  []*groupTable
	combos    comboCache
	columns   []*types.Vector
	reserved  int64
}

func (a *aggregate) newState(w *worker) (sinkState, error) {
	n := len(a.plan.Aggregates)
	s := &aggregateState{
		aggregate: a, worker: w, evaluator: expr.NewEvaluator(a.program, w.pool), part: a.newPart(),
		filters: make([]*expr.Evaluator, n), arguments: make([]*expr.Evaluator, n), distinct: make([]*groupTable, n),
	}
	for i := range n {
		if a.filtered[i].condition != nil {
			s.filters[i] = expr.NewEvaluator(a.filtered[i].condition, w.pool)
			s.arguments[i] = expr.NewEvaluator(a.filtered[i].args, w.pool)
		}
		if a.distinct[i] != nil {
			s.distinct[i] = newGroupTable(a.distinct[i])
		}
	}
	return s, s.part.resize()
}

func (a *aggregate) newPart() *groupPart {
	p := &groupPart{}
	if len(a.plan.Keys) > 0 {
		p.table = newGroupTable(a.layout)
	}
	for _, call := range a.plan.Aggregates {
		p.accumulators = append(p.accumulators, call.Function.New())
	}
	return p
}

// resize makes room for every group in each accumulator.
func (p *groupPart) resize() error {
	for _, acc := range p.accumulators {
		if err := acc.Resize(p.groups()); err != nil {
			return err
		}
	}
	return nil
}

func (s *aggregateState) push(b *types.Batch) error {
	a := s.aggregate
	columns, err := s.evaluator.Eval(s.columns[:0], b)
	if err != nil {
		return err
	}
	s.columns = columns
	env := &kernels.Env{Pool: s.worker.pool, Active: b.Selection}
	keys := columns[:len(a.plan.Keys)]
	var groups []uint32
	if s.part.table != nil {
		before := s.part.groups()
		groups = types.Alloc[uint32](s.worker.pool, b.Rows)
		s.findGroups(env, keys, b, groups)
		if s.part.groups() > before {
			if err := s.part.resize(); err != nil {
				return err
			}
		}
	}
	for i, call := range a.plan.Aggregates {
		selection, args := b.Selection, []*types.Vector(nil)
		if first := a.firstArg[i]; first >= 0 {
			args = columns[first : first+len(call.Args)]
		} else {
			if selection, err = s.filters[i].Select(b); err != nil {
				return err
			}
			if args, err = s.arguments[i].Eval(nil, b.Select(selection)); err != nil {
				return err
			}
		}
		env.Active = selection
		if table := s.distinct[i]; table != nil {
			s.findDistinct(env, table, keys, args, b.Rows)
			continue
		}
		if err := s.part.accumulators[i].Update(env, groups, args, b.Rows); err != nil {
			return err
		}
	}
	return s.reserve()
}

// findDistinct notes the rows' keys and arguments in a table that holds each combination once.
func (s *aggregateState) findDistinct(env *kernels.Env, table *groupTable, keys, args []*types.Vector, rows int) {
	all := make([]*types.Vector, 0, len(keys)+len(args))
	for _, v := range keys {
		all = append(all, kernels.Decode(env, v))
	}
	for _, v := range args {
		all = append(all, kernels.Decode(env, v))
	}
	table.find(env, all, rows, env.Active, types.Alloc[uint32](env.Pool, rows))
}

// stateBytes is what a group's state of one aggregate is taken to need.
const stateBytes = 24

// reserve charges what the state has grown by.
func (s *aggregateState) reserve() error {
	size := int64(0)
	if s.part.table != nil {
		size = s.part.table.size()
	}
	size += int64(s.part.groups()) * stateBytes * int64(len(s.part.accumulators))
	for _, t := range s.distinct {
		if t != nil {
			size += t.size()
		}
	}
	if size == s.reserved {
		return nil
	}
	if err := s.worker.query.reservation.Grow(size - s.reserved); err != nil {
		return err
	}
	s.reserved = size
	m := &s.worker.metrics[s.aggregate.number()]
	m.Memory = max(m.Memory, size)
	return nil
}

// findGroups numbers the rows of a batch. When all keys are dictionaries or constants of few combinations, it looks at each combination once and at
// each row only for its keys; else at the values of each row.
func (s *aggregateState) findGroups(env *kernels.Env, keys []*types.Vector, b *types.Batch, groups []uint32) {
	if s.combos.use(keys, b.Rows) {
		s.combos.find(env, s.part.table, keys, b, groups)
		return
	}
	plain := make([]*types.Vector, len(keys))
	for i, v := range keys {
		plain[i] = kernels.Decode(env, v)
	}
	s.part.table.find(env, plain, b.Rows, b.Selection, groups)
}

func (s *aggregateState) morselDone(int) error { return nil }

func (s *aggregateState) combine() error {
	s.aggregate.states = append(s.aggregate.states, s)
	return nil
}

// open reads the groups: keys, then results.
func (a *aggregate) open(context.Context) (source, error) {
	chain := &chainSource{}
	for _, part := range a.parts {
		if part == nil || part.groups() == 0 {
			continue
		}
		chain.sources = append(chain.sources, &rangeSource{total: part.groups(), size: a.query.options.BatchRows,
			make: func(pool *types.Pool, from, to int) (*types.Batch, error) { return a.batch(part, pool, from, to) }})
	}
	return chain, nil
}

func (a *aggregate) batch(part *groupPart, pool *types.Pool, from, to int) (*types.Batch, error) {
	env := &kernels.Env{Pool: pool}
	var columns []*types.Vector
	for k := range a.plan.Keys {
		columns = append(columns, part.table.keyVector(pool, k, from, to))
	}
	for _, acc := range part.accumulators {
		v, err := acc.Finish(env, from, to)
		if err != nil {
			return nil, err
		}
		columns = append(columns, v)
	}
	return types.NewBatch(columns, to-from, 0), nil
}

// chainSource gives the morsels of sources one after another.
type chainSource struct{ sources []source }

func (c *chainSource) Next(ctx context.Context) (catalog.Morsel, error) {
	for len(c.sources) > 0 {
		m, err := c.sources[0].Next(ctx)
		if m != nil || err != nil {
			return m, err
		}
		c.sources = c.sources[1:]
	}
	return nil, nil
}

func (c *chainSource) Close() error { return nil }
