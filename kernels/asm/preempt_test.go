package asm

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestCallsAreShort replaces every kernel by one that measures its argument: none may get more than maxCallRows rows.
func TestCallsAreShort(t *testing.T) {
	const rows = 5*maxCallRows + 100
	longest, calls := 0, 0
	record := func(n int) {
		longest, calls = max(longest, n), calls+1
	}
	spy := generic
	spy.compareInt64[Lt] = func(dst []uint64, values []int64, c int64, flip uint64) { record(len(values)) }
	spy.compareInt32[Eq] = func(dst []uint64, values []int32, c int32, flip uint64) { record(len(values)) }
	spy.compareFloat64[Le] = func(dst []uint64, values []float64, c float64, flip uint64) { record(len(values)) }
	spy.compareFloat32[Lt] = func(dst []uint64, values []float32, c float32, flip uint64) { record(len(values)) }
	spy.columnsInt64.lessEqual = func(dst []uint64, a, b []int64, flip uint64) { record(max(len(a), len(b))) }
	spy.columnsInt32.equal = func(dst []uint64, a, b []int32, flip uint64) { record(max(len(a), len(b))) }
	spy.columnsFloat64.equal = func(dst []uint64, a, b []float64, flip uint64) { record(max(len(a), len(b))) }
	spy.columnsFloat32.lessEqual = func(dst []uint64, a, b []float32, flip uint64) { record(max(len(a), len(b))) }
	spy.sums.int64 = func(values []int64, mask []uint64) (int64, uint64) {
		record(max(len(values), len(mask)*64))
		return 0, 0
	}
	spy.sums.int32 = func(values []int32, mask []uint64) (int64, uint64) {
		record(max(len(values), len(mask)*64))
		return 0, 0
	}
	spy.sumFloat32 = func(lanes floatLanes, values []float32, mask []uint64) floatLanes {
		record(max(len(values), len(mask)*64))
		return lanes
	}
	spy.sumFloat64 = func(lanes floatLanes, values []float64, mask []uint64) floatLanes {
		record(max(len(values), len(mask)*64))
		return lanes
	}
	spy.extremesInt64.min = recordExtreme[int64](record)
	spy.extremesInt32.max = recordExtreme[int32](record)
	spy.extremesFloat64.max = recordExtreme[float64](record)
	spy.extremesFloat32.min = recordExtreme[float32](record)
	spy.extremesUint64.min = recordExtreme[uint64](record)
	spy.extremesUint32.max = recordExtreme[uint32](record)
	spy.extremesInt16.min = recordExtreme[int16](record)
	spy.extremesUint16.max = recordExtreme[uint16](record)
	spy.extremesInt8.min = recordExtreme[int8](record)
	spy.extremesUint8.max = recordExtreme[uint8](record)
	spy.filter8 = func(dst, src []uint64, sel []uint64) (int, int) {
		record(max(len(src), len(sel)*64))
		return filter(dst, src, sel)
	}
	spy.filter4 = func(dst, src []uint32, sel []uint64) (int, int) {
		record(max(len(src), len(sel)*64))
		return filter(dst, src, sel)
	}
	spy.filterBits = func(dst, src, sel []uint64, at int) int {
		record(max(len(src), len(sel)) * 64)
		return filterBits(dst, src, sel, at)
	}
	spy.takeBits = func(dst, src []uint64, idx []uint32) int {
		record(max(len(dst)*64, len(idx)))
		return len(dst)
	}
	spy.indices = func(dst []uint32, words []uint64, base uint32) int {
		record(len(words) * 64)
		return appendIndices(dst, words, base)
	}
	spy.filter16 = func(dst, src [][2]uint64, sel []uint64) (int, int) {
		record(max(len(src), len(sel)*64))
		return filter(dst, src, sel)
	}
	spy.take16 = func(dst, src [][2]uint64, idx []uint32) int { record(len(idx)); return len(idx) / 64 }
	spy.take8 = func(dst, src []uint64, idx []uint32) int { record(len(idx)); return len(idx) / 64 }
	spy.take4 = func(dst, src []uint32, idx []uint32) int { record(len(idx)); return len(idx) / 64 }
	spy.greatestIndex = func(idx []uint32) uint32 { record(len(idx)); return 0 }
	rowsOf := func(ends []int32, start int) int {
		record(int(ends[len(ends)-1]) - start)
		return len(ends)
	}
	spy.expandRuns16 = func(dst, values [][2]uint64, ends []int32, start int) int { return rowsOf(ends, start) }
	spy.expandRuns8 = func(dst, values []uint64, ends []int32, start int) int { return rowsOf(ends, start) }
	spy.expandRuns4 = func(dst, values []uint32, ends []int32, start int) int { return rowsOf(ends, start) }
	// All casts go through castBlocks or castChecked.
	spy.casts.int32ToInt64 = func(dst []int64, src []int32) { record(max(len(dst), len(src))) }
	spy.casts.float64ToInt64 = func(dst []int64, src []float64) int {
		record(max(len(dst), len(src)))
		return floatsToInts(dst, src)
	}
	spy.casts.uint64ToUint32 = func(dst []uint32, src []uint64, check intCheck[uint64]) int {
		record(max(len(dst), len(src)))
		return castInts(dst, src, check)
	}
	if fields := reflect.TypeFor[table]().NumField(); fields != 45 {
		t.Fatalf("table has %d fields: watch the new ones here too", fields)
	}
	for _, kernel := range []*func(dst, a, b []uint64){&spy.and, &spy.or, &spy.xor, &spy.andNot} {
		*kernel = func(dst, a, b []uint64) { record(max(len(dst), len(a), len(b))) }
	}
	spy.not = func(dst, a []uint64) { record(max(len(dst), len(a))) }
	spy.popCount = func(a []uint64) int { record(len(a)); return popCount(a) }
	spy.loadBits = func(dst []uint64, src []byte, shift uint) { record(len(dst)) }
	logic := func(dstValue, dstValid, aValue, aValid, bValue, bValid []uint64) { record(len(dstValue) * 64) }
	spy.kleeneAnd, spy.kleeneOr = logic, logic
	previous := active
	active = &spy
	defer func() { active = previous }()

	bits := make([]uint64, Words(rows))
	for i := range bits {
		bits[i] = 0x5555555555555555
	}
	clearTail(bits, rows)
	dst := make([]uint64, Words(rows))
	// A word of bits alone counts as a row.
	const words = 5*maxCallWords + 100
	wide, bytes := make([]uint64, words), make([]byte, 8*words+1)
	ends := []int32{rows / 2} // one long run, then many
	for at := rows / 2; at < rows; at++ {
		ends = append(ends, int32(at+1))
	}
	for name, call := range map[string]func(){
		"CompareConst int64":   func() { CompareConst(dst, make([]int64, rows), Lt, 1) },
		"CompareConst int32":   func() { CompareConst(dst, make([]int32, rows), Eq, 1) },
		"CompareConst float64": func() { CompareConst(dst, make([]float64, rows), Gt, 1) },
		"CompareConst float32": func() { CompareConst(dst, make([]float32, rows), Ge, 1) },
		"Compare int64":        func() { Compare(dst, make([]int64, rows), make([]int64, rows), Lt) },
		"Compare int32":        func() { Compare(dst, make([]int32, rows), make([]int32, rows), Eq) },
		"Compare float64":      func() { Compare(dst, make([]float64, rows), make([]float64, rows), Eq) },
		"Compare float32":      func() { Compare(dst, make([]float32, rows), make([]float32, rows), Le) },
		"SumInt 8":             func() { SumInt(make([]int64, rows), nil) },
		"SumInt 4":             func() { SumInt(make([]int32, rows), bits) },
		"SumFloat 8":           func() { SumFloat(make([]float64, rows), bits) },
		"SumFloat 4":           func() { SumFloat(make([]float32, rows), nil) },
		"Min int64":            func() { Min(make([]int64, rows), nil) },
		"Max int32":            func() { Max(make([]int32, rows), bits) },
		"Max float64":          func() { Max(make([]float64, rows), bits) },
		"Min float32":          func() { Min(make([]float32, rows), nil) },
		"Min uint64":           func() { Min(make([]uint64, rows), nil) },
		"Max uint32":           func() { Max(make([]uint32, rows), bits) },
		"Min int16":            func() { Min(make([]int16, rows), nil) },
		"Max uint16":           func() { Max(make([]uint16, rows), bits) },
		"Min int8":             func() { Min(make([]int8, rows), nil) },
		"Max uint8":            func() { Max(make([]uint8, rows), bits) },
		"Filter 8":             func() { Filter(make([]int64, rows), make([]int64, rows), bits) },
		"Filter 4":             func() { Filter(make([]int32, rows), make([]int32, rows), bits) },
		"And":                  func() { And(wide, wide, wide) },
		"Or":                   func() { Or(wide, wide, wide) },
		"Xor":                  func() { Xor(wide, wide, wide) },
		"AndNot":               func() { AndNot(wide, wide, wide) },
		"Not":                  func() { Not(wide, wide, 64*words) },
		"PopCount":             func() { PopCount(wide) },
		"LoadBits":             func() { LoadBits(wide, bytes, 3, 64*words) },
		"KleeneAnd":            func() { KleeneAnd(dst, dst, bits, nil, bits, bits, rows) },
		"KleeneOr":             func() { KleeneOr(dst, dst, bits, nil, bits, bits, rows) },
		"Filter 16":            func() { Filter(make([][2]int64, rows), make([][2]int64, rows), bits) },
		"Take 4":               func() { Take(make([]int32, rows), make([]int32, 5), make([]uint32, rows)) },
		"Take 8":               func() { Take(make([]int64, rows), make([]int64, 5), make([]uint32, rows)) },
		"Take 16":              func() { Take(make([][2]int64, rows), make([][2]int64, 5), make([]uint32, rows)) },
		"GreatestIndex":        func() { GreatestIndex(make([]uint32, rows)) },
		"ExpandRuns 4":         func() { ExpandRuns(make([]int32, rows+16), make([]int32, len(ends)), ends) },
		"ExpandRuns 8":         func() { ExpandRuns(make([]int64, rows+8), make([]int64, len(ends)), ends) },
		"ExpandRuns 16":        func() { ExpandRuns(make([][2]int64, rows+4), make([][2]int64, len(ends)), ends) },
		"WidenInts":            func() { WidenInts(make([]int64, rows), make([]int32, rows)) },
		"CastIntsChecked":      func() { CastIntsChecked(make([]int32, rows), make([]int64, rows), dst) },
		"FloatsToIntsChecked":  func() { FloatsToIntsChecked(make([]int64, rows), make([]float64, rows), dst) },
		"FilterBits":           func() { FilterBits(dst, bits, bits, rows) },
		"TakeBits":             func() { TakeBits(dst, bits, make([]uint32, rows)) },
		"AppendIndices":        func() { AppendIndices(nil, bits, rows) },
	} {
		longest, calls = 0, 0
		call()
		if calls < 5 || longest > maxCallRows {
			t.Errorf("%s: %d calls of up to %d rows, want at least 5 of up to %d", name, calls, longest, maxCallRows)
		}
	}
}

// recordExtreme gives a kernel of extremes that records its rows.
func recordExtreme[T Number](record func(n int)) func(best T, values []T, mask []uint64) T {
	return func(best T, values []T, mask []uint64) T {
		record(max(len(values), len(mask)*64))
		return best
	}
}

// BenchmarkStopTheWorld stops the world while kernels run over much memory in another goroutine, and reports the median and longest pause. One call of
// assembly over all of it would take milliseconds, during which nothing else runs; TestCallsAreShort proves that there is none. On a quiet machine the
// median stays well below a millisecond; the longest says more about other processes.
func BenchmarkStopTheWorld(b *testing.B) {
	const rows = 8 << 20
	values, dst := make([]int64, rows), make([]uint64, Words(rows))
	for i := range values { // memory never written to is one page of zeros, in cache
		values[i] = int64(i)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				CompareConst(dst, values, Lt, 5)
			}
		}
	}()
	var pauses []time.Duration
	var stats runtime.MemStats
	for b.Loop() {
		start := time.Now()
		runtime.ReadMemStats(&stats) // stops the world
		pauses = append(pauses, time.Since(start))
		time.Sleep(time.Millisecond)
	}
	close(stop)
	<-stopped
	slices.Sort(pauses)
	b.ReportMetric(float64(pauses[len(pauses)/2].Nanoseconds())/1e3, "µs/median-pause")
	b.ReportMetric(float64(pauses[len(pauses)-1].Nanoseconds())/1e3, "µs/longest-pause")
}
