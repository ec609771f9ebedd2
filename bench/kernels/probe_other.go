//go:build !amd64

package main

func readBlocks(src []byte) uint64 { return readWords(src) }

func copyBlocks(dst, src []byte) { copy(dst, src) }
