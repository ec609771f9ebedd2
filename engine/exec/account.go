package exec

import "sync/atomic"

// account is the part of a query's reservation that one operator holds. Safe for concurrent use.
type account struct {
	reservation *Reservation
	used, peak  atomic.Int64
}

// Grow reserves n more bytes. When the budget is short nothing is reserved and the error is of kind types.ErrOutOfMemory.
func (a *account) Grow(n int64) error {
	if err := a.reservation.Grow(n); err != nil {
		return err
	}
	used := a.used.Add(n)
	for peak := a.peak.Load(); used > peak && !a.peak.CompareAndSwap(peak, used); peak = a.peak.Load() {
	}
	return nil
}

// Shrink gives n bytes back.
func (a *account) Shrink(n int64) {
	a.used.Add(-n)
	_ = a.reservation.Grow(-n) // giving back does not fail
}
