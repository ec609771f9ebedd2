package exec

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// sample keeps a random part of the rows: each by itself (BERNOULLI), or whole batches (SYSTEM). The choice depends on the seed and a batch's place in the
// source, so the same source gives the same sample with any number of workers, as long as batches have the same size.
type sample struct {
	plan *plan.SampleRows
	seed uint64
}

func newSample(p *plan.SampleRows) *sample {
	return &sample{plan: p, seed: sampleSeed(p)}
}

func sampleSeed(p *plan.SampleRows) uint64 {
	if p.Seeded {
		return uint64(p.Seed)
	}
	return rand.Uint64()
}

func (s *sample) number() int                      { return s.plan.Number }
func (s *sample) newState(w *worker) operatorState { return &sampleState{sample: s, worker: w} }

type sampleState struct {
	sample *sample
	worker *worker
	morsel int // the one whose batches are coming
	pushed int // of them so far
}

func (s *sampleState) push(b *types.Batch, next func(*types.Batch) error) error {
	if m := b.Sequence.Morsel(); m != s.morsel {
		s.morsel, s.pushed = m, 0
	}
	rng := rand.New(rand.NewPCG(s.sample.seed, uint64(types.MakeSequence(s.morsel, s.pushed))))
	s.pushed++
	share := s.sample.plan.Percent / 100
	if s.sample.plan.Method == plan.SampleSystem {
		if rng.Float64() < share {
			return next(b)
		}
		return nil
	}
	chosen := s.worker.pool.ZeroBitmap(b.Rows)
	for i := b.Selection.NextSet(0, b.Rows); i < b.Rows; i = b.Selection.NextSet(i+1, b.Rows) {
		if rng.Float64() < share {
			chosen.Set(i)
		}
	}
	if b = b.Select(chosen); b.Selected == 0 {
		return nil
	}
	return next(s.worker.thin(b))
}

// reservoir is the sink of a sample of an exact number of rows: each row has a random rank, and those with the smallest ranks stay, in source order.
type reservoir struct {
	query  *Execution
	plan   *plan.SampleRows
	memory *account
	seed   uint64

	lock   sync.Mutex // of the result while workers combine
	states []*reservoirState
	rows   []kept
}

func newReservoir(q *Execution, p *plan.SampleRows) *reservoir {
	return &reservoir{query: q, plan: p, memory: q.account(p.Number), seed: sampleSeed(p)}
}

func (r *reservoir) number() int { return r.plan.Number }

func (r *reservoir) newState(w *worker) (sinkState, error) {
	return &reservoirState{reservoir: r, worker: w}, nil
}

// reservoirState is the candidates of one worker. When there are many times as many as wanted, those that cannot be chosen are dropped.
type reservoirState struct {
	reservoir *reservoir
	worker    *worker
	kept      []rankedRows
	rows      int
}

type rankedRows struct {
	kept
	ranks []uint64
}

const minReservoirRows = 4096 // below this, dropping rows is not worth it

func (s *reservoirState) push(b *types.Batch) error {
	k, err := s.worker.store(b, s.reservoir.memory)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(s.reservoir.seed, uint64(b.Sequence)))
	ranks := make([]uint64, k.batch.Rows)
	for i := range ranks {
		ranks[i] = rng.Uint64()
	}
	s.kept = append(s.kept, rankedRows{kept: k, ranks: ranks})
	s.rows += k.batch.Rows
	if int64(s.rows) > 2*max(s.reservoir.plan.Rows, minReservoirRows) {
		return s.reservoir.choose(&s.kept, &s.rows)
	}
	return nil
}

// choose drops all but the wanted number of rows with the smallest ranks.
func (r *reservoir) choose(batches *[]rankedRows, rows *int) error {
	if int64(*rows) <= r.plan.Rows {
		return nil
	}
	all := make([]uint64, 0, *rows)
	for _, k := range *batches {
		all = append(all, k.ranks...)
	}
	slices.Sort(all)
	left := int(r.plan.Rows)
	bound := uint64(0) // ranks below it stay, and of those that are equal as many as there is room for
	if left > 0 {
		bound = all[left-1]
	}
	ties := left
	for _, rank := range all[:left] {
		if rank < bound {
			ties--
		}
	}
	var out []rankedRows
	for _, k := range *batches {
		var chosen []uint32
		var ranks []uint64
		for i, rank := range k.ranks {
			if rank < bound || rank == bound && ties > 0 {
				if rank == bound {
					ties--
				}
				chosen, ranks = append(chosen, uint32(i)), append(ranks, rank)
			}
		}
		if len(chosen) == k.batch.Rows {
			out = append(out, k)
			continue
		}
		r.memory.Shrink(k.size)
		if len(chosen) == 0 {
			continue
		}
		columns := make([]*types.Vector, len(k.batch.Columns))
		for c, v := range k.batch.Columns {
			columns[c] = ownText(&kernels.Env{}, kernels.Take(nil, v, chosen, nil))
		}
		own := kept{batch: types.NewBatch(columns, len(chosen), k.batch.Sequence), size: columnsSize(columns)}
		if err := r.memory.Grow(own.size); err != nil {
			return err
		}
		out = append(out, rankedRows{kept: own, ranks: ranks})
	}
	*batches, *rows = out, left
	return nil
}

func (s *reservoirState) morselDone(int) error { return nil }

func (s *reservoirState) combine() error {
	r := s.reservoir
	r.lock.Lock()
	defer r.lock.Unlock()
	r.states = append(r.states, s)
	return nil
}

func (r *reservoir) finish(context.Context) error {
	var all []rankedRows
	rows := 0
	for _, s := range r.states {
		all = append(all, s.kept...)
		rows += s.rows
	}
	slices.SortFunc(all, func(a, b rankedRows) int { return compareSequences(a.batch, b.batch) })
	if err := r.choose(&all, &rows); err != nil {
		return err
	}
	r.states = nil
	for _, k := range all {
		r.rows = append(r.rows, k.kept)
	}
	return nil
}

func (r *reservoir) open(context.Context) (source, error) {
	batches := make([]*types.Batch, len(r.rows))
	for i, k := range r.rows {
		batches[i] = k.batch
	}
	return newBatchSource(batches), nil
}

// compareSequences orders batches by their place in the source.
func compareSequences(a, b *types.Batch) int { return cmp.Compare(a.Sequence, b.Sequence) }
