//go:build arm64 && !purego && !noasm

package asm

// machineTables gives the tables with assembly. Every arm64 CPU that Go runs on has NEON, so there is no gate.
func machineTables() []*table {
	t := generic
	t.tier = "neon"
	t.compareInt64 = compareKernels[int64]{Eq: equalInt64, Lt: lessInt64}
	t.and, t.or, t.xor, t.andNot, t.not = andWords, orWords, xorWords, andNotWords, notWords
	t.popCount = popCountWords
	t.kleeneAnd, t.kleeneOr = kleeneAndWords, kleeneOrWords
	return []*table{&t}
}

// The functions below adapt slices to assembly. They are ordinary functions that are not inlined, and so the place where the
// scheduler can preempt a loop of calls.

//go:noinline
func equalInt64(dst []uint64, values []int64, c int64, flip uint64) {
	equalInt64NEON(&dst[0], &values[0], len(dst), c, flip)
}

//go:noinline
func lessInt64(dst []uint64, values []int64, c int64, flip uint64) {
	lessInt64NEON(&dst[0], &values[0], len(dst), c, flip)
}

// equalInt64NEON writes for each of words blocks of 64 rows a bitmap word, bit i of which is values[i] == c, XOR flip.
//
//go:noescape
func equalInt64NEON(dst *uint64, values *int64, words int, c int64, flip uint64)

// lessInt64NEON writes for each of words blocks of 64 rows a bitmap word, bit i of which is values[i] < c, XOR flip.
//
//go:noescape
func lessInt64NEON(dst *uint64, values *int64, words int, c int64, flip uint64)
