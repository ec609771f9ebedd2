package exec

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lacunadb/lacuna/types"
)

// Budget is the memory that the queries of one database may hold in large structures: hash tables, sort runs, results on their way.
// Every large allocation is reserved before it is made. Safe for concurrent use.
type Budget struct {
	limit atomic.Int64
	used  atomic.Int64
}

// NewBudget makes a budget of limit bytes; 0 means DefaultMemoryLimit.
func NewBudget(limit int64) *Budget {
	b := &Budget{}
	b.SetLimit(limit)
	return b
}

// Limit gives the size of the budget in bytes.
func (b *Budget) Limit() int64 { return b.limit.Load() }

// SetLimit changes the size of the budget; 0 means DefaultMemoryLimit. What is reserved beyond it stays so.
func (b *Budget) SetLimit(limit int64) {
	if limit <= 0 {
		limit = DefaultMemoryLimit()
	}
	b.limit.Store(limit)
}

// Used gives the bytes that are reserved now.
func (b *Budget) Used() int64 { return b.used.Load() }

func (b *Budget) reserve(n int64) error {
	for {
		used, limit := b.used.Load(), b.limit.Load()
		if n > 0 && n > limit-used {
			return types.KindErrorf(types.ErrOutOfMemory, "out of memory: %d bytes are wanted, %d of %d are in use", n, used, limit).
				WithHint("Raise the memory limit, or let fewer queries run at once.")
		}
		if b.used.CompareAndSwap(used, used+n) {
			return nil
		}
	}
}

// Reserve makes a reservation of nothing yet.
func (b *Budget) Reserve() *Reservation { return &Reservation{budget: b} }

// Reservation is the part of the budget that one query, or the rows of one table, hold. Safe for concurrent use.
type Reservation struct {
	budget *Budget
	used   atomic.Int64
	peak   atomic.Int64
}

// Grow reserves n more bytes, or gives them back when n is negative. When the budget is short nothing is reserved and the error is of
// kind types.ErrOutOfMemory.
func (r *Reservation) Grow(n int64) error {
	if n == 0 {
		return nil
	}
	if err := r.budget.reserve(n); err != nil {
		return err
	}
	used := r.used.Add(n)
	for {
		peak := r.peak.Load()
		if used <= peak || r.peak.CompareAndSwap(peak, used) {
			return nil
		}
	}
}

// Peak gives the most bytes that were reserved at a time.
func (r *Reservation) Peak() int64 { return r.peak.Load() }

// free gives everything back.
func (r *Reservation) free() {
	r.budget.used.Add(-r.used.Swap(0))
}

// memoryShare is the part of the machine's memory that a database takes without being told: the garbage collector and the program around it
// need the rest.
const memoryShare = 0.8

// DefaultMemoryLimit gives 80 % of MachineMemory.
func DefaultMemoryLimit() int64 { return int64(float64(MachineMemory()) * memoryShare) }

// MachineMemory gives the bytes that this process may use: the machine's, or its cgroup's when those are fewer. Where neither is known it is 5 GiB.
func MachineMemory() int64 {
	limit := int64(0)
	smaller := func(n int64) {
		if n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	if runtime.GOOS == "linux" {
		if text, err := os.ReadFile("/proc/meminfo"); err == nil {
			for _, line := range strings.Split(string(text), "\n") {
				if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
					kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
					smaller(kib << 10)
				}
			}
		}
		for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
			if text, err := os.ReadFile(path); err == nil {
				n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
				smaller(n)
			}
		}
	}
	if limit == 0 {
		return 5 << 30
	}
	return limit
}
