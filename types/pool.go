package types

import (
	"math/bits"
	"unsafe"
)

// Pool hands out the buffers of one worker. It works as a stack of regions: what was allocated after Mark is taken back
// by Release, all at once. A source marks before it makes a batch and releases when the push has returned, so every operator
// above may allocate freely and nobody frees a single buffer. A sink that keeps a vector either copies it or calls Adopt, after
// which the pool has forgotten those buffers and the garbage collector owns them.
//
// Buffers hold no Go pointers, are 64-byte aligned, and are not cleared. Under the build tag invariants a released buffer is
// filled with 0xA5 so that a stale use shows. A Pool is not safe for concurrent use; a nil *Pool allocates from the
// heap and never takes back.
type Pool struct {
	used   [][]byte                  // in allocation order; the stack of regions
	free   [poolClasses + 1][][]byte // by size class: buffers of 64<<class bytes
	onGrow func(bytes int) error
	held   int // bytes in used and free
}

const (
	poolAlign   = 64
	poolClasses = 20 // the largest class is 64 MiB; larger buffers are never kept
)

// NewPool makes an empty pool.
func NewPool() *Pool { return &Pool{} }

// Mark gives the present top of the stack for Release.
func (p *Pool) Mark() int {
	if p == nil {
		return 0
	}
	return len(p.used)
}

// Release takes back every buffer that was allocated after the mark and not adopted.
func (p *Pool) Release(mark int) {
	if p == nil {
		return
	}
	for i := mark; i < len(p.used); i++ {
		buf := p.used[i]
		p.used[i] = nil
		if buf == nil { // adopted
			continue
		}
		if poisonEnabled {
			poison(buf)
		}
		if class := sizeClass(cap(buf)); class < poolClasses {
			p.free[class] = append(p.free[class], buf[:0])
		} else {
			p.held -= cap(buf)
		}
	}
	p.used = p.used[:mark]
}

// Held gives the bytes that the pool has taken from the heap and still owns, in use or free.
func (p *Pool) Held() int {
	if p == nil {
		return 0
	}
	return p.held
}

// Bytes gives a buffer of n bytes with arbitrary content.
func (p *Pool) Bytes(n int) []byte {
	if n == 0 {
		return nil
	}
	if p == nil {
		return alignedBytes(n)[:n]
	}
	class := sizeClass(n)
	var buf []byte
	if class < poolClasses {
		if list := p.free[class]; len(list) > 0 {
			buf = list[len(list)-1]
			p.free[class] = list[:len(list)-1]
		}
	}
	if buf == nil {
		size := n
		if class < poolClasses {
			size = poolAlign << class
		}
		buf = alignedBytes(size)
		p.held += cap(buf)
	}
	p.used = append(p.used, buf)
	return buf[:n]
}

// Bitmap gives an uncleared bitmap of n rows; the caller writes every word.
func (p *Pool) Bitmap(n int) Bitmap {
	words := BitmapWords(n)
	if words == 0 {
		return Bitmap{}
	}
	return Bitmap(Values[uint64](p.Bytes(words * 8)))
}

// ZeroBitmap gives a cleared bitmap of n rows.
func (p *Pool) ZeroBitmap(n int) Bitmap {
	b := p.Bitmap(n)
	clear(b)
	return b
}

// Alloc gives a slice of n fixed-width values with arbitrary content.
func Alloc[T Fixed](p *Pool, n int) []T {
	var zero T
	return Values[T](p.Bytes(n * int(unsafe.Sizeof(zero))))
}

// Adopt makes the pool forget every buffer of the vector and of the vectors below it that it owns, so that they outlive
// Release. Buffers that are not the pool's are left alone.
func (p *Pool) Adopt(v *Vector) {
	if p == nil || len(p.used) == 0 {
		return
	}
	v.eachBuffer(func(b []byte) {
		if cap(b) == 0 {
			return
		}
		start := unsafe.SliceData(b)
		for i := len(p.used) - 1; i >= 0; i-- {
			if u := p.used[i]; u != nil && within(start, u) {
				p.held -= cap(u)
				p.used[i] = nil
				return
			}
		}
	})
}

func within(ptr *byte, buf []byte) bool {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(buf)))
	at := uintptr(unsafe.Pointer(ptr))
	return at >= base && at < base+uintptr(cap(buf))
}

// sizeClass gives the smallest class whose buffers hold n bytes.
func sizeClass(n int) int {
	if n <= poolAlign {
		return 0
	}
	return min(poolClasses, bits.Len(uint((n-1)/poolAlign)))
}

// alignedBytes takes n bytes of garbage-collected memory whose start is a multiple of 64, so that 8-byte loads and vector
// loads of whole cache lines never straddle one.
func alignedBytes(n int) []byte {
	raw := make([]byte, n+poolAlign-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & (poolAlign - 1)
	return raw[skip : skip+n : skip+n]
}

func poison(buf []byte) {
	buf = buf[:cap(buf)]
	for i := range buf {
		buf[i] = 0xA5
	}
}
