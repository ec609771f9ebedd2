package main

import (
	"os"
	"strconv"
	"strings"
)

// peakRSS returns the peak of this process's resident set in bytes, or -1 if it is not known. It comes from VmHWM, which starts anew
// with the program; the rusage of a child process starts at its parent's peak.
func peakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return -1
}
