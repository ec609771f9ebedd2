package arrowtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// recorder is a testing.TB that remembers failures and runs clean-ups when told.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, a ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, a...))
}

func (r *recorder) finish() int {
	for _, f := range r.cleanups {
		f()
	}
	return len(r.failures)
}

func TestAllocatorFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults int
		run    func(a *Allocator)
	}{
		{"clean", 0, func(a *Allocator) {
			b := a.Reallocate(300, a.Allocate(10))
			b[299] = 1
			a.Free(b)
			a.Free(a.Allocate(0))
		}},
		{"leak", 2, func(a *Allocator) { a.Allocate(10) }}, // the size and the place
		{"written past the end", 1, func(a *Allocator) {
			b := memory.NewResizableBuffer(a)
			b.Resize(64)
			whole := a.guarded.live[&b.Bytes()[0]]
			whole[guardBytes+64] = 0
			b.Release()
		}},
		{"freed twice", 2, func(a *Allocator) { // the second time counts as negative size
			b := a.Allocate(10)
			a.Free(b)
			a.Free(b)
		}},
	} {
		r := &recorder{TB: t}
		c.run(NewAllocator(r))
		if got := r.finish(); got != c.faults {
			t.Errorf("%s: %d faults, want %d: %q", c.name, got, c.faults, r.failures)
		}
	}
}

func TestAllocatorPoisons(t *testing.T) {
	a := NewAllocator(t)
	b := a.Allocate(10)
	a.Free(b)
	if b[0] != freedFill || b[9] != freedFill {
		t.Errorf("freed memory holds %x", b)
	}
}

// TestRandomArraysAreValid checks that the arrays are what Arrow itself calls valid, and that every type is drawn.
func TestRandomArraysAreValid(t *testing.T) {
	alloc := NewAllocator(t)
	seen := map[arrow.Type]bool{}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dt := RandomType(rng, int(seed%4))
		seen[dt.ID()] = true
		n := rng.IntN(100)
		// Arrow looks for UTF-8 under nulls too.
		arr := RandomArray(rng, alloc, dt, n, Options{NoNulls: seed%2 == 0, NoGarbage: true})
		if arr.Len() != n {
			t.Fatalf("seed %d: %d rows of %s, want %d", seed, arr.Len(), dt, n)
		}
		if seed%2 == 0 && arr.NullN() > 0 && dt.ID() != arrow.NULL {
			t.Fatalf("seed %d: %d nulls of %s", seed, arr.NullN(), dt)
		}
		if v, ok := arr.(interface{ ValidateFull() error }); ok {
			if err := v.ValidateFull(); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, dt, err)
			}
		}
		arr.Release()
	}
	for id := arrow.NULL; id <= arrow.LARGE_LIST_VIEW; id++ {
		if id != arrow.EXTENSION && !seen[id] {
			t.Errorf("type %s is never drawn", id)
		}
	}
}
