//go:build !linux

package main

// peakRSS is measured on Linux only; see memory_linux.go.
func peakRSS() int64 { return -1 }
