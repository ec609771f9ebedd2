package exec

import (
	"context"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

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
