package asm

// runSlack is the number of bytes past the last run that kernels may write to.
const runSlack = 64

const (
	// A kernel gets so many runs at most, and rows if there is more than one run.
	batchRuns = 1024
	batchRows = 4096

	// longRun is the number of rows past which copying a block is three times as fast as storing a vector.
	longRun = 1024
)

// ExpandRuns writes values[r] to each row of run r, which are those from ends[r-1], or 0, to below ends[r]. Ends do not fall; the
// last one is at most len(dst). Up to 64 bytes of dst after it may be overwritten with anything.
//
// T is any fixed-width type without pointers.
func ExpandRuns[T any](dst, values []T, ends []int32) {
	if len(ends) == 0 {
		return
	}
	checkLen("ExpandRuns", "values", len(values), len(ends))
	checkLen("ExpandRuns", "dst", len(dst), int(ends[len(ends)-1]))
	slack := runSlack / width[T]()
	whole := len(ends) // runs that dst has room for and the slack
	for whole > 0 && int(ends[whole-1]) > len(dst)-slack {
		whole--
	}
	start := 0
	for r := 0; r < whole; {
		k := min(whole-r, batchRuns)
		for k > 1 && int(ends[r+k-1])-start > batchRows {
			k /= 2
		}
		end := int(ends[r+k-1])
		batch := ends[r : r+k]
		done := k
		switch size := width[T](); {
		case k == 1 && end-start > longRun:
			repeat(dst[start:end], values[r])
		case size == 4:
			done = active.expandRuns4(cast[uint32](dst), cast[uint32](values[r:r+k]), batch, start)
		case size == 8:
			done = active.expandRuns8(cast[uint64](dst), cast[uint64](values[r:r+k]), batch, start)
		case size == 16:
			done = active.expandRuns16(cast[[2]uint64](dst), cast[[2]uint64](values[r:r+k]), batch, start)
		default:
			done = expandRuns(dst, values[r:r+k], batch, start)
		}
		if done < k {
			panic("asm.ExpandRuns: the ends of runs fall")
		}
		start = end
		r += k
	}
	for r := whole; r < len(ends); r++ {
		repeat(dst[start:ends[r]], values[r])
		start = int(ends[r])
	}
}

// expandRuns is the specification of the run kernels: it expands runs up to the first one that ends before it starts or after the
// last, and gives the number of runs before it. It may write runSlack bytes past the last end.
func expandRuns[T any](dst, values []T, ends []int32, start int) int {
	limit := int(ends[len(ends)-1])
	for r, e := range ends {
		end, x := int(e), values[r]
		if end < start || end > limit {
			return r
		}
		// Some rows too many: a loop of one or two turns ends where nobody can predict.
		if width[T]() <= runSlack/4 && len(dst)-start >= 4 {
			d := (*[4]T)(dst[start:])
			d[0], d[1], d[2], d[3] = x, x, x, x
			start += 4
		}
		if start < end {
			repeat(dst[start:end], x)
		}
		start = end
	}
	return len(ends)
}

// repeat writes x to all rows.
func repeat[T any](dst []T, x T) {
	const block = 256 // rows that are copied at a time
	head := dst[:min(len(dst), block)]
	for ; len(head) >= 4; head = head[4:] {
		d := (*[4]T)(head)
		d[0], d[1], d[2], d[3] = x, x, x, x
	}
	for i := range head {
		head[i] = x
	}
	for at := block; at < len(dst); at += block {
		copy(dst[at:], dst[:block])
	}
}
