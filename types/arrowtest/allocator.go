// Package arrowtest makes Arrow data that are hard on their readers: memory that shows leaks, stale reads and writes past the end, random
// arrays of every type with garbage wherever nobody may look, and the same rows in many layouts.
package arrowtest

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	guardBytes = 64   // before and after each allocation; also the alignment
	guardFill  = 0xFD // what they hold
	freedFill  = 0xA5 // what freed memory holds
)

// Allocator is a checked allocator: at the end of the test it fails the test for memory that was not freed, was freed twice, or was written
// outside its bounds. Freed memory is overwritten, so that a reader who still holds it sees garbage.
type Allocator struct {
	*memory.CheckedAllocator
	guarded *guardedAllocator
}

// NewAllocator makes an allocator that is checked when the test ends.
func NewAllocator(t testing.TB) *Allocator {
	guarded := &guardedAllocator{t: t, live: map[*byte][]byte{}}
	a := &Allocator{CheckedAllocator: memory.NewCheckedAllocator(guarded), guarded: guarded}
	t.Cleanup(func() {
		guarded.checkLive()
		a.AssertSize(t, 0)
	})
	return a
}

// guardedAllocator surrounds every allocation with guard bytes and poisons what is freed.
type guardedAllocator struct {
	t    testing.TB
	mu   sync.Mutex
	live map[*byte][]byte // first byte handed out: the whole allocation with its guards
}

// Allocate gives zeroed memory, as Arrow's own allocator does.
func (a *guardedAllocator) Allocate(size int) []byte {
	if size == 0 {
		return []byte{}
	}
	raw := make([]byte, size+3*guardBytes)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & (guardBytes - 1)
	whole := raw[skip : skip+size+2*guardBytes]
	for i := range guardBytes {
		whole[i], whole[guardBytes+size+i] = guardFill, guardFill
	}
	b := whole[guardBytes : guardBytes+size : guardBytes+size]
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live[unsafe.SliceData(b)] = whole
	return b
}

// Reallocate always moves.
func (a *guardedAllocator) Reallocate(size int, b []byte) []byte {
	moved := a.Allocate(size)
	copy(moved, b)
	a.Free(b)
	return moved
}

// Free checks the guards and poisons.
func (a *guardedAllocator) Free(b []byte) {
	if len(b) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	whole, ok := a.live[unsafe.SliceData(b)]
	if !ok {
		a.t.Errorf("%d bytes were freed that are not allocated", len(b))
		return
	}
	a.checkGuards(whole)
	for i := range whole {
		whole[i] = freedFill
	}
	delete(a.live, unsafe.SliceData(b))
}

func (a *guardedAllocator) checkLive() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, whole := range a.live {
		a.checkGuards(whole)
	}
}

func (a *guardedAllocator) checkGuards(whole []byte) {
	for i := range guardBytes {
		if whole[i] != guardFill || whole[len(whole)-1-i] != guardFill {
			a.t.Errorf("an allocation of %d bytes was written outside its bounds", len(whole)-2*guardBytes)
			return
		}
	}
}
