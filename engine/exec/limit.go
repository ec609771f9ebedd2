package exec

import (
	"context"
	"sort"
	"sync"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// limit is LIMIT below another operator: it collects the first rows in source order and stops the source as soon as it has them. (At the root
// the collector does it, streaming.)
type limit struct {
	query         *Execution
	operator      int
	memory        *account
	offset, count int64

	lock    sync.Mutex
	changed *sync.Cond
	morsels map[int]*limitMorsel
	head    int   // the oldest unfinished morsel
	prefix  int64 // rows in the morsels before head
	full    bool
	failure failure
	batches []*types.Batch // the result, after finish
}

type limitMorsel struct {
	batches []kept
	rows    int64
	done    bool
}

func newLimit(q *Execution, p *plan.LimitRows) *limit {
	l := &limit{query: q, operator: p.Number, memory: q.account(p.Number), offset: p.Offset, count: p.Count, morsels: map[int]*limitMorsel{}, full: p.Count == 0}
	l.changed = sync.NewCond(&l.lock)
	return l
}

func (l *limit) number() int { return l.operator }

func (l *limit) newState(w *worker) (sinkState, error) { return &limitState{limit: l, worker: w}, nil }

// enter holds back morsels far ahead: the rows of the first ones may be enough.
func (l *limit) enter(ctx context.Context, morsel int) (bool, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	wake := context.AfterFunc(ctx, func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.changed.Broadcast()
	})
	defer wake()
	for !l.full && !l.failure.before(morsel) && morsel >= l.head+morselsAhead*l.query.options.Threads {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		l.changed.Wait()
	}
	if l.full {
		return false, stop{}
	}
	return !l.failure.before(morsel), nil
}

// fail notes the error of a morsel.
func (l *limit) fail(morsel int, err error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.failure.note(morsel, err)
	l.changed.Broadcast()
}

// wanted gives the number of rows, from the first, that the result needs; negative for all.
func (l *limit) wanted() int64 {
	if l.count < 0 {
		return -1
	}
	return l.offset + l.count
}

type limitState struct {
	limit  *limit
	worker *worker
}

func (s *limitState) push(b *types.Batch) error {
	l := s.limit
	l.lock.Lock()
	m := l.morsels[b.Sequence.Morsel()]
	if m == nil {
		m = &limitMorsel{}
		l.morsels[b.Sequence.Morsel()] = m
	}
	full, failed, enough := l.full, l.failure, l.wanted() >= 0 && m.rows >= l.wanted()
	l.lock.Unlock()
	switch {
	case full:
		return stop{}
	case failed.before(b.Sequence.Morsel()):
		return failed.err
	case enough:
		return nil
	}
	k, err := s.worker.store(b, l.memory)
	if err != nil {
		return err
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	m.batches = append(m.batches, k)
	m.rows += int64(k.batch.Rows)
	l.advance()
	return nil
}

func (s *limitState) morselDone(morsel int) error {
	l := s.limit
	l.lock.Lock()
	defer l.lock.Unlock()
	m := l.morsels[morsel]
	if m == nil {
		m = &limitMorsel{}
		l.morsels[morsel] = m
	}
	m.done = true
	l.advance()
	return nil
}

// advance moves the head over finished morsels and notes when the rows in order are enough.
func (l *limit) advance() {
	for {
		m := l.morsels[l.head]
		if m == nil {
			break
		}
		if l.wanted() >= 0 && l.prefix+m.rows >= l.wanted() {
			l.full = true
		}
		if !m.done {
			break
		}
		l.prefix += m.rows
		l.head++
	}
	l.changed.Broadcast()
}

func (s *limitState) combine() error { return nil }

// finish cuts the collected rows, in source order, to the result.
func (l *limit) finish(context.Context) error {
	if l.failure.err != nil && !l.full {
		return l.failure.err
	}
	numbers := make([]int, 0, len(l.morsels))
	for n := range l.morsels {
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	skip, left := l.offset, l.count
	for _, n := range numbers {
		for _, k := range l.morsels[n].batches {
			b := k.batch
			from, to := min(skip, int64(b.Rows)), int64(b.Rows)
			skip -= from
			if left >= 0 {
				to = min(to, from+left)
				left -= to - from
			}
			if from == to {
				l.memory.Shrink(k.size)
				continue
			}
			l.batches = append(l.batches, sliceBatch(b, int(from), int(to)))
		}
	}
	l.morsels = nil
	return nil
}

func (l *limit) open(context.Context) (source, error) { return newBatchSource(l.batches), nil }
