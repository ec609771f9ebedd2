//go:build amd64 && !purego && !noasm

package asm

import "math"

//go:noinline
func takeBits(dst, src []uint64, idx []uint32) int {
	if len(src) == 0 {
		return 0
	}
	last := min(len(src)*wordRows-1, math.MaxUint32)
	return takeBitsAVX2(&dst[0], &src[0], uint32(last), &idx[0], len(dst))
}
