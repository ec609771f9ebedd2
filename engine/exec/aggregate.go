package exec

import (
	"context"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// aggregate is the sink of GROUP BY, DISTINCT and aggregates without groups.
//
// Each worker numbers the groups it meets in a part of its own and updates its accumulators by number. A part that has grown large, and in which most rows
// make new groups, is cut into partitions by the hash of the keys and put aside as chunks, which could be written out as they are; the worker goes
// on with an empty part. At the end few groups are merged into the first worker's part; many, partition by partition, in parallel. Everything is
// merged through the accumulators' state columns.
//
// With grouping sets each row is a member of one group per set. The number of the set is a further key, so that the NULL of a key that a set leaves out is
// none of the data's.
//
// An aggregate with DISTINCT has, in each part, a table of the combinations of group and arguments instead; the accumulator is updated with each
// of them once at the end. One with ORDER BY keeps its rows, which are put in order at the end (group_order.go).
type aggregate struct {
	query    *Execution
	plan     *plan.HashAggregate
	memory   *account
	program  *expr.Program  // keys, then the inputs of the aggregates without FILTER
	firstArg []int          // result of the program where an aggregate's inputs start; -1 with FILTER
	inputs   [][]*expr.Expr // by aggregate: its arguments, then the keys of its ORDER BY that are no arguments
	order    [][]orderKey   // by aggregate: its ORDER BY
	filtered []filteredArgs
	keys     *rowLayout
	distinct []*rowLayout // by aggregate: the group's number, if there are keys, and the inputs; nil without DISTINCT
	// groupBytes is about what a group's states need in the accumulators.
	groupBytes int64

	lock   sync.Mutex // guards states while workers combine
	states []*aggregateState
	parts  []*groupPart // the result
}

// filteredArgs are the programs of an aggregate with FILTER: its arguments must not raise on rows that do not pass.
type filteredArgs struct {
	condition, args *expr.Program
}

func newAggregate(q *Execution, p *plan.HashAggregate) (*aggregate, error) {
	n := len(p.Aggregates)
	a := &aggregate{query: q, plan: p, memory: q.account(p.Number), filtered: make([]filteredArgs, n), distinct: make([]*rowLayout, n)}
	exprs := append([]*expr.Expr(nil), p.Keys...)
	var err error
	if a.keys, err = layoutOf(nil, p.Keys); err != nil {
		return nil, err
	}
	if p.Sets != nil {
		a.keys = newRowLayout(append(a.keys.types, types.BigInt))
	}
	for i, call := range p.Aggregates {
		for _, t := range call.Function.State {
			a.groupBytes += int64(max(8, t.Storage().Width()))
		}
		inputs, order := orderedInputs(call)
		a.inputs, a.order = append(a.inputs, inputs), append(a.order, order)
		if call.Distinct {
			var group []types.Type
			if a.grouped() {
				group = append(group, types.UInteger)
			}
			if a.distinct[i], err = layoutOf(group, inputs); err != nil {
				return nil, err
			}
		}
		if call.Filter != nil {
			a.firstArg = append(a.firstArg, -1)
			a.filtered[i] = filteredArgs{condition: expr.Compile(call.Filter), args: expr.Compile(inputs...)}
			continue
		}
		a.firstArg = append(a.firstArg, len(exprs))
		exprs = append(exprs, inputs...)
	}
	a.program = expr.Compile(exprs...)
	return a, nil
}

// layoutOf gives the layout of the values of types and expressions.
func layoutOf(first []types.Type, rest []*expr.Expr) (*rowLayout, error) {
	for _, e := range rest {
		if !groupable(e.Type) {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "grouping by a value of type %s is not supported", e.Type)
		}
		first = append(first, e.Type)
	}
	return newRowLayout(first), nil
}

func (a *aggregate) number() int { return a.plan.Number }

// grouped reports whether there are groups beside the one of all rows.
func (a *aggregate) grouped() bool { return len(a.plan.Keys) > 0 || a.plan.Sets != nil }

// aggregateState is one worker's groups.
type aggregateState struct {
	aggregate *aggregate
	worker    *worker
	evaluator *expr.Evaluator
	filters   []*expr.Evaluator // by aggregate, nil without FILTER
	arguments []*expr.Evaluator
	columns   []*types.Vector
	selected  []selectedRows // by aggregate, of the batch

	part   *groupPart
	combos []comboCache              // by grouping set
	chunks [partitions][]*groupChunk // put aside, by partition
	aside  bool                      // there are chunks
}

func (a *aggregate) newState(w *worker) (sinkState, error) {
	n := len(a.plan.Aggregates)
	s := &aggregateState{
		aggregate: a, worker: w, evaluator: expr.NewEvaluator(a.program, w.pool), part: a.newPart(),
		filters: make([]*expr.Evaluator, n), arguments: make([]*expr.Evaluator, n),
	}
	s.combos = make([]comboCache, max(1, len(a.plan.Sets)))
	for i := range n {
		if a.filtered[i].condition != nil {
			s.filters[i] = expr.NewEvaluator(a.filtered[i].condition, w.pool)
			s.arguments[i] = expr.NewEvaluator(a.filtered[i].args, w.pool)
		}
	}
	if err := s.part.addEmptySets(); err != nil {
		return nil, err
	}
	return s, s.part.resize()
}

// Sizes of a worker's part.
const (
	// asideGroups is the number of groups from which a part is put aside when more than three of four rows of a batch make new groups: then the table
	// does not fit the caches and hardly ever meets a group again. Measured with 64-bit and string keys, 20 thousand to 3 million groups.
	asideGroups = 1 << 16
	// mostGroups is the number of groups from which it is put aside in any case.
	mostGroups = 1 << 21
)

// selectedRows are the rows that an aggregate looks at, and its inputs.
type selectedRows struct {
	rows   types.Bitmap
	inputs []*types.Vector
}

func (s *aggregateState) push(b *types.Batch) error {
	keys, err := s.evaluate(b)
	if err != nil {
		return err
	}
	before, sets := s.part.groups(), max(1, len(s.aggregate.plan.Sets))
	for set := range sets {
		if err := s.pushSet(b, set, keys); err != nil {
			return err
		}
	}
	if err := s.part.chargeStates(); err != nil {
		return err
	}
	if n := s.part.groups(); n >= asideGroups && (4*(n-before) > 3*b.Selected*sets || n >= mostGroups) {
		return s.putAside()
	}
	return nil
}

// evaluate computes the keys, which it gives, and what the aggregates look at.
func (s *aggregateState) evaluate(b *types.Batch) ([]*types.Vector, error) {
	a := s.aggregate
	columns, err := s.evaluator.Eval(s.columns[:0], b)
	if err != nil {
		return nil, err
	}
	s.columns, s.selected = columns, s.selected[:0]
	for i, inputs := range a.inputs {
		if first := a.firstArg[i]; first >= 0 {
			s.selected = append(s.selected, selectedRows{rows: b.Selection, inputs: columns[first : first+len(inputs)]})
			continue
		}
		rows, err := s.filters[i].Select(b)
		if err != nil {
			return nil, err
		}
		args, err := s.arguments[i].Eval(nil, b.Select(rows))
		if err != nil {
			return nil, err
		}
		s.selected = append(s.selected, selectedRows{rows: rows, inputs: args})
	}
	return columns[:len(a.plan.Keys)], nil
}

// pushSet adds the rows of a batch to their groups by one grouping set.
func (s *aggregateState) pushSet(b *types.Batch, set int, keys []*types.Vector) error {
	part := s.part
	env := &kernels.Env{Pool: s.worker.pool, Active: b.Selection}
	var groups []uint32
	if part.table != nil {
		groups = types.Alloc[uint32](s.worker.pool, b.Rows)
		if err := s.findGroups(env, set, keys, b, groups); err != nil {
			return err
		}
		if err := part.resize(); err != nil {
			return err
		}
	}
	for i, selected := range s.selected {
		env.Active = selected.rows
		var err error
		switch {
		case part.distinct[i] != nil:
			err = part.noteDistinct(env, i, groups, selected.inputs, b.Rows)
		case s.aggregate.order[i] != nil:
			err = part.noteOrdered(s.worker, i, groups, selected, b)
		default:
			err = part.accumulators[i].Update(env, groups, selected.inputs, b.Rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findGroups numbers the rows of a batch by the keys of a grouping set. When all of them are dictionaries or constants of few combinations, it looks at each
// combination once and at each row only for its keys; else at the values of each row.
func (s *aggregateState) findGroups(env *kernels.Env, set int, keys []*types.Vector, b *types.Batch, groups []uint32) error {
	own := keys
	if sets := s.aggregate.plan.Sets; sets != nil {
		own = make([]*types.Vector, len(sets[set]))
		for i, k := range sets[set] {
			own[i] = keys[k]
		}
	}
	if combos := &s.combos[set]; combos.use(own, b.Rows) {
		return combos.find(env, own, b, groups, func(plain []*types.Vector, rows int, groups []uint32) error {
			return s.part.findInSet(env, set, plain, rows, nil, groups)
		})
	}
	return s.part.findInSet(env, set, decodeAll(env, own), b.Rows, b.Selection, groups)
}

func decodeAll(env *kernels.Env, columns []*types.Vector) []*types.Vector {
	plain := make([]*types.Vector, len(columns))
	for i, v := range columns {
		plain[i] = kernels.Decode(env, v)
	}
	return plain
}

// putAside cuts the part into chunks and goes on with an empty one.
func (s *aggregateState) putAside() error {
	chunks, err := s.part.split()
	if err != nil {
		return err
	}
	for p, chunk := range chunks {
		if chunk != nil {
			s.chunks[p] = append(s.chunks[p], chunk)
		}
	}
	s.aside = true
	for i := range s.combos {
		s.combos[i].reset()
	}
	s.part = s.aggregate.newPart()
	return nil
}

func (s *aggregateState) morselDone(int) error { return nil }

func (s *aggregateState) combine() error {
	a := s.aggregate
	a.lock.Lock()
	defer a.lock.Unlock()
	a.states = append(a.states, s)
	return nil
}

// parallelGroups is the number of groups, summed over workers, from which they are merged in partitions.
const parallelGroups = 1 << 16

// finish merges the workers' groups.
func (a *aggregate) finish(ctx context.Context) error {
	total, apart := 0, false
	for _, s := range a.states {
		total += s.part.groups()
		apart = apart || s.aside
	}
	if apart || len(a.states) > 1 && a.grouped() && total >= parallelGroups {
		return a.mergePartitions(ctx)
	}
	return a.query.parallel(ctx, a.number(), 1, func(w *worker, _ int) error {
		var base *groupPart
		if len(a.states) > 0 {
			base = a.states[0].part
			for _, s := range a.states[1:] {
				if err := base.mergePart(w.ctx, s.part); err != nil {
					return err
				}
			}
		} else {
			base = a.newPart()
			if err := base.addEmptySets(); err != nil {
				return err
			}
			if err := base.resize(); err != nil {
				return err
			}
		}
		a.parts, a.states = []*groupPart{base}, nil
		return base.addNoted(w)
	})
}

// mergePartitions merges the groups of each partition by itself.
func (a *aggregate) mergePartitions(ctx context.Context) error {
	err := a.query.parallel(ctx, a.number(), len(a.states), func(_ *worker, i int) error {
		return a.states[i].putAside()
	})
	if err != nil {
		return err
	}
	a.parts = make([]*groupPart, partitions)
	err = a.query.parallel(ctx, a.number(), partitions, func(w *worker, p int) error {
		part := a.newPart()
		for _, s := range a.states {
			for _, chunk := range s.chunks[p] {
				if err := context.Cause(w.ctx); err != nil {
					return err
				}
				if err := part.merge(chunk); err != nil {
					return err
				}
				a.memory.Shrink(chunk.size)
			}
			s.chunks[p] = nil
		}
		a.parts[p] = part
		return part.addNoted(w)
	})
	a.states = nil
	return err
}
