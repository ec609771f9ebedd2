package types

import (
	"bytes"
	"unsafe"
)

// View is a string or byte string of a vector: 16 bytes in the layout of Arrow's utf8_view and binary_view (Arrow columnar
// format, "Variable-size Binary View Layout"). Up to 12 bytes lie inside; longer ones keep a 4-byte prefix and point into one
// of the vector's data buffers. The unused bytes of an inline view are zero, so two inline views are equal exactly when
// their words are.
type View struct {
	Head uint64 // length (low 32 bits), first 4 bytes (high 32 bits)
	Tail uint64 // inline: bytes 4 to 11; else buffer index (low 32 bits), offset in it (high 32 bits)
}

// MaxInlineView is the number of bytes that a view holds without a data buffer.
const MaxInlineView = 12

// Len gives the length in bytes.
func (v View) Len() int { return int(uint32(v.Head)) }

// IsInline reports whether the bytes lie in the view itself.
func (v View) IsInline() bool { return uint32(v.Head) <= MaxInlineView }

// Buffer gives the index of the data buffer of a view that is not inline.
func (v View) Buffer() int { return int(uint32(v.Tail)) }

// Offset gives the place in the data buffer of a view that is not inline.
func (v View) Offset() int { return int(v.Tail >> 32) }

// Bytes gives the bytes of the view, borrowed from the view's own memory or from the data buffers: v must stay in place while
// they are used.
func (v *View) Bytes(buffers []Buffer) []byte {
	n := v.Len()
	if n <= MaxInlineView {
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(v), 4)), n)
	}
	off := v.Offset()
	return buffers[v.Buffer()].Bytes[off : off+n : off+n]
}

// InlineView makes a view that holds up to 12 bytes itself.
func InlineView(b []byte) View {
	var v View
	dst := unsafe.Slice((*byte)(unsafe.Pointer(&v)), 16)
	v.Head = uint64(uint32(len(b)))
	copy(dst[4:], b[:min(len(b), MaxInlineView)])
	return v
}

// MakeView makes a view of b, whose bytes lie at offset in data buffer number buffer; both are ignored for up to 12 bytes.
func MakeView(b []byte, buffer, offset int) View {
	if len(b) <= MaxInlineView {
		return InlineView(b)
	}
	prefix := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
	return View{
		Head: uint64(uint32(len(b))) | prefix<<32,
		Tail: uint64(uint32(buffer)) | uint64(uint32(offset))<<32,
	}
}

// EqualViews compares the bytes of two views, first by length and prefix.
func EqualViews(a, b *View, aBuffers, bBuffers []Buffer) bool {
	if a.Head != b.Head {
		return false
	}
	if a.IsInline() {
		return a.Tail == b.Tail
	}
	return bytes.Equal(a.Bytes(aBuffers), b.Bytes(bBuffers))
}

// CompareViews orders two views bytewise, first by prefix: negative, zero or positive.
func CompareViews(a, b *View, aBuffers, bBuffers []Buffer) int {
	if pa, pb := byteSwap32(uint32(a.Head>>32)), byteSwap32(uint32(b.Head>>32)); pa != pb {
		// Unused prefix bytes are zero, so a shorter string that is a prefix orders first or ties here.
		if pa < pb {
			return -1
		}
		return 1
	}
	return bytes.Compare(a.Bytes(aBuffers), b.Bytes(bBuffers))
}

func byteSwap32(x uint32) uint32 {
	return x<<24 | x>>24 | x<<8&0xff0000 | x>>8&0xff00
}
