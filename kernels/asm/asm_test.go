package asm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// Each test compares a function with a row-at-a-time model of its documentation, in every tier that this CPU can run, with
// slices that end or start at a page that faults.

// arena is memory in which slices can be put against its ends.
type arena struct{ data []byte }

// place copies values to the end (or start) of an arena, where the byte after (or before) them faults.
func place[T any](a *arena, values []T, atEnd bool) []T {
	size := len(values) * width[T]()
	if size == 0 {
		return nil
	}
	data := a.data[:size]
	if atEnd {
		data = a.data[len(a.data)-size:]
	}
	s := unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(values))
	copy(s, values)
	return s
}

// spoil fills a destination with ones, so that bits that should be zero must be written.
func spoil[T any](dst []T) []T {
	if len(dst) > 0 {
		p := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*width[T]())
		for i := range p {
			p[i] = 0xff
		}
	}
	return dst
}

// harness is what each subtest gets: where to put slices.
type harness struct {
	*testing.T
	arenas []*arena
	used   int
	atEnd  bool
}

// lay puts values into an arena of their own.
func lay[T any](h *harness, values []T) []T {
	if h.used == len(h.arenas) {
		h.arenas = append(h.arenas, newArena(h.T, 1<<20))
	}
	a := h.arenas[h.used]
	h.used++
	return place(a, values, h.atEnd)
}

// room gives a destination of n elements with every bit set.
func room[T any](h *harness, n int) []T { return spoil(lay(h, make([]T, n))) }

// eachTier runs a test once a tier, and in each calls check for each number of rows and both ends of memory.
func eachTier(t *testing.T, check func(h *harness, n int)) { eachTierOf(t, testRows(), check) }

// eachTierOf does so with other numbers of rows.
func eachTierOf(t *testing.T, rows []int, check func(h *harness, n int)) {
	for _, tier := range Tiers() {
		t.Run(tier, func(t *testing.T) {
			restore, err := Use(tier)
			if err != nil {
				t.Fatal(err)
			}
			defer restore()
			eachLength(t, rows, check)
		})
	}
}

// eachLength calls check for each number of rows and both ends of memory.
func eachLength(t *testing.T, rows []int, check func(h *harness, n int)) {
	h := &harness{T: t}
	for _, n := range rows {
		for _, atEnd := range []bool{false, true} {
			h.used, h.atEnd = 0, atEnd
			check(h, n)
			if t.Failed() {
				t.Fatalf("stopped at %d rows, at end of memory: %v", n, atEnd)
			}
		}
	}
}

// testRows gives the numbers of rows to test: all small ones, and those about a call into assembly.
func testRows() []int {
	var rows []int
	for n := range 201 {
		rows = append(rows, n)
	}
	return append(rows, maxCallRows-1, maxCallRows, maxCallRows+1, 2*maxCallRows+65)
}

// bitmapRows gives numbers of rows for kernels whose blocks are up to 16 words: a bit less and more than each number of words up
// to three blocks and one, and than a call into assembly.
func bitmapRows() []int {
	var rows []int
	for words := range 3*16 + 2 {
		rows = append(rows, words*64, words*64+1, words*64+63)
	}
	return append(rows, maxCallWords*64-1, maxCallWords*64+1)
}

// random makes the same choices in every run.
var random = rand.New(rand.NewPCG(20, 26))

// someBits gives a bitmap of n rows of a random kind: sparse, dense, in runs, all, none.
func someBits(n int) []uint64 {
	b := make([]uint64, Words(n))
	kind := random.IntN(6)
	for i := range b {
		switch kind {
		case 0:
			b[i] = random.Uint64() & random.Uint64() & random.Uint64() & random.Uint64()
		case 1:
			b[i] = random.Uint64()
		case 2:
			b[i] = ^(random.Uint64() & random.Uint64() & random.Uint64())
		case 3: // whole words
			b[i] = -(random.Uint64() & 1)
		case 4:
			b[i] = ^uint64(0)
		}
	}
	clearTail(b, n)
	return b
}

func bitOf(b []uint64, i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// rowsToBits makes a bitmap from a function of the row.
func rowsToBits(n int, f func(i int) bool) []uint64 {
	b := make([]uint64, Words(n))
	for i := range n {
		if f(i) {
			b[i/64] |= 1 << (i % 64)
		}
	}
	return b
}

// extremes gives the values of a type that break things.
func extremes[T Number]() []T {
	var zero T
	one := T(1)
	if isFloat[T]() {
		tiny, inf := one, one
		for tiny/2 > 0 {
			tiny /= 2
		}
		for inf*2 > inf {
			inf *= 2
		}
		nan := inf - inf
		values := []T{zero, -zero, T(math.Copysign(0, -1)), one, -one, tiny, -tiny, inf, -inf, nan, -nan}
		if width[T]() == 8 {
			payload := math.Float64frombits(0xfff0000000000123) // negative, signalling
			values = append(values, castValue[T](payload))
		} else {
			payload := math.Float32frombits(0x7fa00123)
			values = append(values, castValue[T](payload))
		}
		return values
	}
	least := zero
	if isSigned[T]() {
		least = one
		for least > 0 {
			least *= 2 // wraps to the least
		}
	}
	return []T{least, least + 1, least - 1, least - 2, zero, one, one + 1, zero - 1}
}

// someNumbers gives n values, every third or so an extreme one.
func someNumbers[T Number](n int) []T {
	odd := extremes[T]()
	values := make([]T, n)
	for i := range values {
		switch random.IntN(3) {
		case 0:
			values[i] = odd[random.IntN(len(odd))]
		case 1:
			values[i] = T(random.IntN(5))
		default:
			values[i] = castNumber[T](random.Uint64())
		}
	}
	return values
}

// castNumber makes a T of any bits.
func castNumber[T Number](bits uint64) T { return *(*T)(unsafe.Pointer(&bits)) }

// order is SQL's order of two numbers: negative, zero or positive.
func order[T Number](a, b T) int {
	aNaN, bNaN := a != a, b != b
	switch {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	case bNaN:
		return -1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sameBits says whether two slices hold the same bytes.
func sameBits[T any](a, b []T) bool {
	return len(a) == len(b) && bytes.Equal(rawBytes(a), rawBytes(b))
}

// diff describes where two slices differ first.
func diff[T any](got, want []T) string {
	if len(got) != len(want) {
		return fmt.Sprintf("got %d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if !sameBits(got[i:i+1], want[i:i+1]) {
			return fmt.Sprintf("element %d of %d is %v (%x), want %v (%x)",
				i, len(got), got[i], rawBytes(got[i:i+1]), want[i], rawBytes(want[i:i+1]))
		}
	}
	return "no difference"
}

func rawBytes[T any](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*width[T]())
}

// mustPanic checks that a call panics with a message that has a part.
func mustPanic(t *testing.T, part string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), part) {
			t.Errorf("panic %v, want one with %q", r, part)
		}
	}()
	call()
}

func TestShortSlicesPanic(t *testing.T) {
	values, word := make([]int64, 65), make([]uint64, 1)
	two := make([]uint64, 2)
	mustPanic(t, "asm.CompareConst: dst has length 1, need at least 2", func() { CompareConst(word, values, Lt, 1) })
	mustPanic(t, "asm.Compare: b has length 64, need at least 65", func() { Compare(two, values, values[:64], Lt) })
	mustPanic(t, "exchange the sides", func() { Compare(two, values, values, Gt) })
	mustPanic(t, "asm.Filter: sel", func() { Filter(values, values, word) })
	mustPanic(t, "asm.Filter: dst has length 1, need at least 2", func() { Filter(values[:1], values, []uint64{3, 0}) })
	mustPanic(t, "asm.FilterBits: dst", func() { FilterBits(nil, two, []uint64{1, 0}, 65) })
	mustPanic(t, "asm.LoadBits: src has length 8, need at least 9", func() { LoadBits(word, make([]byte, 8), 1, 64) })
	mustPanic(t, "asm.StoreBits: dst has length 8, need at least 9", func() { StoreBits(make([]byte, 8), word, 7, 58) })
	mustPanic(t, "asm.AddChecked: dst", func() { AddChecked(values[:1], values, values, two) })
	mustPanic(t, "dst overlaps", func() { MulConstChecked(values[1:], values[:64], 3, two) })
	mustPanic(t, "asm.SumInt: mask", func() { SumInt(values, word) })
	mustPanic(t, "index out of range", func() { Take(values, values, []uint32{65}) })
}

func TestTiers(t *testing.T) {
	tiers := Tiers()
	if tiers[0] != "generic" {
		t.Errorf("Tiers() = %v, want generic first", tiers)
	}
	best := Active()
	if !slices.Contains(tiers, best) {
		t.Errorf("Active() = %q is not among Tiers() = %v", best, tiers)
	}
	restore, err := Use("generic")
	if err != nil || Active() != "generic" {
		t.Errorf("Use(generic): active %q, error %v", Active(), err)
	}
	restore()
	if Active() != best {
		t.Errorf("after restore the tier is %q, want %q", Active(), best)
	}
	if _, err := Use("mmx"); err == nil || !strings.Contains(err.Error(), "mmx") {
		t.Errorf("Use(mmx) = %v, want an error that names it", err)
	}
	for name, want := range map[string]string{
		"": tiers[len(tiers)-1], "generic": "generic", "mmx": "generic", tiers[len(tiers)-1]: tiers[len(tiers)-1],
	} {
		if got := selectTable(name).tier; got != want {
			t.Errorf("LACUNA_CPU=%s selects %q, want %q", name, got, want)
		}
	}
}

func TestTypeQuestions(t *testing.T) {
	type named int16
	if isFloat[int8]() || isFloat[uint64]() || !isFloat[float32]() || !isFloat[float64]() {
		t.Error("isFloat is wrong")
	}
	if !isSigned[int8]() || !isSigned[named]() || isSigned[uint32]() || isSigned[uint8]() {
		t.Error("isSigned is wrong")
	}
	for n, want := range map[int]uint64{1: 1, 2: 3, 63: 1<<63 - 1, 64: ^uint64(0), 65: 1} {
		if got := tailMask(n); got != want {
			t.Errorf("tailMask(%d) = %#x, want %#x", n, got, want)
		}
	}
}

// TestNoAllocations: a call with destinations at hand allocates nothing, for one row and for many.
func TestNoAllocations(t *testing.T) {
	for _, n := range []int{1, 1000} {
		ints, floats, dst := someNumbers[int64](n), someNumbers[float64](n), make([]int64, n)
		idx, hashes := make([]uint32, 0, n+64), make([]uint64, n)
		a, b, valid := someBits(n), someBits(n), make([]uint64, Words(n))
		raw := make([]byte, n/8+2)
		b[0] |= 1 // so that a row is selected
		for name, call := range map[string]func(){
			"CompareConst": func() { CompareConst(a, ints, Lt, 5) },
			"Compare":      func() { Compare(a, floats, floats, Eq) },
			"Filter":       func() { Filter(dst, ints, b) },
			"FilterBits":   func() { FilterBits(valid, a, b, n) },
			"Indices":      func() { AppendIndices(idx, b, n) },
			"Take":         func() { Take(dst, ints, idx) },
			"SumInt":       func() { SumInt(ints, b) },
			"SumFloat":     func() { SumFloat(floats, b) },
			"Min and Max":  func() { Min(ints, b); Max(ints, b); Min(floats, b); Max(floats, b) },
			"Checked":      func() { AddChecked(dst, ints, ints, a); MulConstChecked(dst, ints, 3, a) },
			"Hash":         func() { Hash(hashes, floats, HashSeed); HashCombine(hashes, hashes) },
			"Kleene":       func() { KleeneOr(a, valid, a, nil, b, nil, n) },
			"LoadBits":     func() { LoadBits(a, raw, 3, n); StoreBits(raw, a, 3, n) },
		} {
			if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
				t.Errorf("%s of %d rows: %v allocations", name, n, allocs)
			}
		}
	}
}
