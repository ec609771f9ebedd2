//go:build amd64 && !purego && !noasm

package asm

import (
	"math"
	"unsafe"
)

//go:generate go -C _gen run . -verb take -out ../take_amd64.s -stubs ../stubs_take_amd64.go -pkg asm
//go:generate go -C _gen run . -verb runs -out ../runs_amd64.s -stubs ../stubs_runs_amd64.go -pkg asm

// taking and expanding adapt slices to assembly, as casting does.

func taking[T any](kernel func(dst, src *byte, last uint32, idx *uint32, words int) int) func(dst, src []T, idx []uint32) int {
	return func(dst, src []T, idx []uint32) int {
		last := uint32(min(len(src)-1, math.MaxUint32))
		return kernel(bytesOf(dst), bytesOf(src), last, &idx[0], len(idx)/wordRows)
	}
}

func expanding[T any](kernel func(dst, values *byte, ends *int32, runs, start, limit int) int) func(dst, values []T, ends []int32, start int) int {
	return func(dst, values []T, ends []int32, start int) int {
		return kernel(bytesOf(dst), bytesOf(values), &ends[0], len(ends), start, int(ends[len(ends)-1]))
	}
}

//go:noinline
func greatestIndexes(idx []uint32) uint32 { return greatestIndexAVX2(&idx[0], len(idx)/wordRows) }

// bytesOf gives the first byte of a slice.
func bytesOf[T any](values []T) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(values))) }
