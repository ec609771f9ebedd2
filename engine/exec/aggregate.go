package exec

import (
	"context"
	"sync"

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

// comboCache maps combinations of dictionary keys to groups. It lives as long as the dictionaries stay the same, which is a row group in Parquet.
type comboCache struct {
	entries []*types.Vector // of each key; nil for a constant
	sizes   []uint32        // of each key: entries, and one for NULL
	groups  []int32         // by combination; -1 = not met yet
}

// maxCombos is the number of combinations up to which a direct table is used.
const maxCombos = 4096

// use reports whether the keys are of a form that the cache takes, and empties it when their dictionaries have changed.
func (c *comboCache) use(keys []*types.Vector, rows int) bool {
	total, dictionaries := 1, 0
	for _, v := range keys {
		switch {
		case v.Encoding() == types.Constant:
		case v.Encoding() == types.Dictionary && v.Entries().Encoding() == types.Plain && v.Entries().Len() < maxCombos:
			dictionaries++
			total *= v.Entries().Len() + 1
			if total > maxCombos || total > 4*rows {
				return false
			}
		default:
			return false
		}
	}
	if dictionaries == 0 {
		return false
	}
	same := len(c.entries) == len(keys)
	for i, v := range keys {
		// A constant may be another one in the next batch.
		same = same && v.Encoding() == types.Dictionary && c.entries[i] == v.Entries()
	}
	if same {
		return true
	}
	c.entries, c.sizes = make([]*types.Vector, len(keys)), make([]uint32, len(keys))
	for i, v := range keys {
		c.sizes[i] = 1
		if v.Encoding() == types.Dictionary {
			c.entries[i], c.sizes[i] = v.Entries(), uint32(v.Entries().Len()+1)
		}
	}
	c.groups = make([]int32, total)
	for i := range c.groups {
		c.groups[i] = -1
	}
	return true
}

func (c *comboCache) find(env *kernels.Env, table *groupTable, keys []*types.Vector, b *types.Batch, groups []uint32) {
	combos := groups // the numbers of the combinations first, then the groups in their place
	first := true
	for k, v := range keys {
		if v.Encoding() == types.Constant {
			continue
		}
		codes := v.Keys()[:b.Rows]
		size, null := c.sizes[k], uint32(v.Entries().Len())
		valid := v.Validity()
		switch {
		case valid != nil:
			for i, code := range codes {
				if !valid.Get(i) {
					code = null
				}
				if first {
					combos[i] = code
				} else {
					combos[i] = combos[i]*size + code
				}
			}
		case first:
			copy(combos, codes)
		default:
			for i, code := range codes {
				combos[i] = combos[i]*size + code
			}
		}
		first = false
	}
	// A row that stands for each combination that is new, by number.
	var rows, fresh []uint32
	for i := b.Selection.NextSet(0, b.Rows); i < b.Rows; i = b.Selection.NextSet(i+1, b.Rows) {
		if n := combos[i]; c.groups[n] == -1 {
			c.groups[n] = -2
			rows, fresh = append(rows, uint32(i)), append(fresh, n)
		}
	}
	if len(rows) > 0 {
		plain := make([]*types.Vector, len(keys))
		for i, v := range keys {
			plain[i] = kernels.Decode(env, kernels.Take(env, v, rows, nil))
		}
		found := make([]uint32, len(rows))
		table.find(env, plain, len(rows), nil, found)
		for i, n := range fresh {
			c.groups[n] = int32(found[i])
		}
	}
	for i, n := range combos {
		combos[i] = uint32(c.groups[n]) // arbitrary for rows that do not count
	}
}

// Merging.

// parallelGroups is the number of groups, summed over workers, from which they are merged in partitions.
const parallelGroups = 1 << 16

// partitionBits is the binary logarithm of the number of partitions.
const partitionBits = 5

// finish merges the workers' groups.
func (a *aggregate) finish(ctx context.Context) error {
	total, distinct := 0, false
	for _, s := range a.states {
		total += s.part.groups()
	}
	for _, l := range a.distinct {
		distinct = distinct || l != nil
	}
	if len(a.states) > 1 && a.states[0].part.table != nil && total >= parallelGroups && !distinct {
		return a.mergePartitions(ctx)
	}
	base := a.states[0].part
	for _, s := range a.states[1:] {
		states, err := s.part.export(&kernels.Env{})
		if err != nil {
			return err
		}
		if err := mergePart(base, s.part, states, nil); err != nil {
			return err
		}
	}
	if distinct {
		if err := a.addDistinct(ctx, base); err != nil {
			return err
		}
	}
	a.parts, a.states = []*groupPart{base}, nil
	return nil
}

// export gives the unfinished states of all groups of a part, by aggregate.
func (p *groupPart) export(env *kernels.Env) ([][]*types.Vector, error) {
	states := make([][]*types.Vector, len(p.accumulators))
	for i, acc := range p.accumulators {
		state, err := acc.State(env, 0, p.groups())
		if err != nil {
			return nil, err
		}
		states[i] = state
	}
	return states, nil
}

// mergePart adds groups of another part, whose exported states are given; from nil means all.
func mergePart(into, part *groupPart, states [][]*types.Vector, from []uint32) error {
	env := &kernels.Env{}
	var groups []uint32
	if part.table != nil {
		all := from
		if all == nil {
			all = make([]uint32, part.groups())
			for i := range all {
				all[i] = uint32(i)
			}
		}
		groups = make([]uint32, len(all))
		into.table.merge(part.table, all, groups)
	}
	if err := into.resize(); err != nil {
		return err
	}
	for i, acc := range into.accumulators {
		state := states[i]
		if from != nil {
			taken := make([]*types.Vector, len(state))
			for k, v := range state {
				taken[k] = kernels.Take(env, v, from, nil)
			}
			state = taken
		}
		if err := acc.Merge(env, groups, state); err != nil {
			return err
		}
	}
	return nil
}

// mergePartitions merges the groups of each range of hashes by itself, with the query's number of workers.
func (a *aggregate) mergePartitions(ctx context.Context) error {
	const partitions = 1 << partitionBits
	members := make([][partitions][]uint32, len(a.states))
	states := make([][][]*types.Vector, len(a.states))
	for i, s := range a.states {
		var err error
		if states[i], err = s.part.export(&kernels.Env{}); err != nil {
			return err
		}
		for g, hash := range s.part.table.hashes {
			p := hash >> (64 - partitionBits)
			members[i][p] = append(members[i][p], uint32(g))
		}
	}
	a.parts = make([]*groupPart, partitions)
	work := make(chan int, partitions)
	for p := range partitions {
		work <- p
	}
	close(work)
	var wait sync.WaitGroup
	failures := make([]error, a.query.options.Threads)
	for t := range failures {
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() {
				if r := recover(); r != nil {
					failures[t] = panicError(r)
				}
			}()
			for p := range work {
				if failures[t] = a.query.options.Scheduler.acquire(ctx); failures[t] != nil {
					return
				}
				part := a.newPart()
				for i, s := range a.states {
					if len(members[i][p]) == 0 {
						continue
					}
					if failures[t] = mergePart(part, s.part, states[i], members[i][p]); failures[t] != nil {
						break
					}
				}
				a.query.options.Scheduler.release()
				a.parts[p] = part
				if failures[t] != nil {
					return
				}
			}
		}()
	}
	wait.Wait()
	a.states = nil
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// addDistinct updates the DISTINCT aggregates with each combination of key and arguments once.
func (a *aggregate) addDistinct(ctx context.Context, base *groupPart) error {
	keys := len(a.plan.Keys)
	for i, layout := range a.distinct {
		if layout == nil {
			continue
		}
		table := a.states[0].distinct[i]
		for _, s := range a.states[1:] {
			other := s.distinct[i]
			from := make([]uint32, other.groups())
			for g := range from {
				from[g] = uint32(g)
			}
			table.merge(other, from, make([]uint32, len(from)))
		}
		pool := types.NewPool()
		for from := 0; from < table.groups(); from += a.query.options.BatchRows {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			to := min(table.groups(), from+a.query.options.BatchRows)
			env := &kernels.Env{Pool: pool}
			mark := pool.Mark()
			columns := make([]*types.Vector, len(layout.types))
			for k := range columns {
				columns[k] = table.keyVector(pool, k, from, to)
			}
			var groups []uint32
			if base.table != nil {
				groups = make([]uint32, to-from)
				base.table.find(env, decodeAll(env, columns[:keys]), to-from, nil, groups)
			}
			if err := base.accumulators[i].Update(env, groups, columns[keys:], to-from); err != nil {
				return err
			}
			pool.Release(mark)
		}
	}
	return nil
}

func decodeAll(env *kernels.Env, columns []*types.Vector) []*types.Vector {
	out := make([]*types.Vector, len(columns))
	for i, v := range columns {
		out[i] = kernels.Decode(env, v)
	}
	return out
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
