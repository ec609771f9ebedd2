package exec

import "context"

// Scheduler bounds how many workers of all queries of a database run at the same time: 64 queries do not take 64 times the cores. A worker
// holds a token while it computes and gives it back between morsels and while it waits.
type Scheduler struct {
	tokens chan struct{}
}

// NewScheduler makes a scheduler of n tokens, at least one.
func NewScheduler(n int) *Scheduler {
	return &Scheduler{tokens: make(chan struct{}, max(1, n))}
}

// Size gives the number of tokens.
func (s *Scheduler) Size() int { return cap(s.tokens) }

func (s *Scheduler) acquire(ctx context.Context) error {
	// A cancelled query must not start another morsel, even if a token is free.
	if err := context.Cause(ctx); err != nil {
		return err
	}
	select {
	case s.tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Scheduler) release() { <-s.tokens }
