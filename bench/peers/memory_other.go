//go:build !linux

package main

import "os"

// peakRSS is measured on Linux only; see memory_linux.go.
func peakRSS(*os.ProcessState) int64 { return -1 }
