package main

import "github.com/klauspost/cpuid/v2"

var hasAVX2 = cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2)

// readAVX2 adds the 64-bit words of blocks (at least one) of 128 bytes.
//
//go:noescape
func readAVX2(src *byte, blocks int) uint64

// copyAVX2 copies blocks (at least one) of 128 bytes with ordinary stores.
//
//go:noescape
func copyAVX2(dst, src *byte, blocks int)

//go:noinline
func readBlocks(src []byte) uint64 {
	if hasAVX2 {
		return readAVX2(&src[0], len(src)/blockBytes)
	}
	return readWords(src)
}

//go:noinline
func copyBlocks(dst, src []byte) {
	if hasAVX2 {
		copyAVX2(&dst[0], &src[0], len(src)/blockBytes)
		return
	}
	copy(dst, src)
}
