package main

import (
	"os"
	"syscall"
)

// peakRSS returns the peak of the resident set of a process that has ended, in bytes, or -1 if it is not known.
func peakRSS(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10 // in KiB on Linux
	}
	return -1
}
