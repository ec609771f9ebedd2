//go:build arm64 && !purego && !noasm

package asm

// Adapters of bitmap kernels; see arm64.go. They take any number of words but none.

//go:noinline
func andWords(dst, a, b []uint64) { andNEON(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func orWords(dst, a, b []uint64) { orNEON(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func xorWords(dst, a, b []uint64) { xorNEON(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func andNotWords(dst, a, b []uint64) { andNotNEON(&dst[0], &a[0], &b[0], len(dst)) }

//go:noinline
func notWords(dst, a []uint64) { notNEON(&dst[0], &a[0], len(dst)) }

//go:noinline
func popCountWords(a []uint64) int { return popCountNEON(&a[0], len(a)) }

//go:noinline
func kleeneAndWords(value, valid, a, aValid, b, bValid []uint64) {
	fours := len(value) / 4
	if fours > 0 {
		kleeneAndNEON(&value[0], &valid[0], &a[0], &aValid[0], &b[0], &bValid[0], fours)
	}
	rest := fours * 4
	kleeneAnd(value[rest:], valid[rest:], a[rest:], aValid[rest:], b[rest:], bValid[rest:])
}

//go:noinline
func kleeneOrWords(value, valid, a, aValid, b, bValid []uint64) {
	fours := len(value) / 4
	if fours > 0 {
		kleeneOrNEON(&value[0], &valid[0], &a[0], &aValid[0], &b[0], &bValid[0], fours)
	}
	rest := fours * 4
	kleeneOr(value[rest:], valid[rest:], a[rest:], aValid[rest:], b[rest:], bValid[rest:])
}

// andNEON writes a AND b, which dst may be one of.
//
//go:noescape
func andNEON(dst *uint64, a *uint64, b *uint64, words int)

// orNEON writes a OR b, which dst may be one of.
//
//go:noescape
func orNEON(dst *uint64, a *uint64, b *uint64, words int)

// xorNEON writes a XOR b, which dst may be one of.
//
//go:noescape
func xorNEON(dst *uint64, a *uint64, b *uint64, words int)

// andNotNEON writes a AND NOT b, which dst may be one of.
//
//go:noescape
func andNotNEON(dst *uint64, a *uint64, b *uint64, words int)

// notNEON writes NOT a, which dst may be.
//
//go:noescape
func notNEON(dst *uint64, a *uint64, words int)

// popCountNEON counts the set bits.
//
//go:noescape
func popCountNEON(a *uint64, words int) int

// kleeneAndNEON writes Kleene's AND of fours times four words. value and valid may be any of the others.
//
//go:noescape
func kleeneAndNEON(value *uint64, valid *uint64, a *uint64, aValid *uint64, b *uint64, bValid *uint64, fours int)

// kleeneOrNEON writes Kleene's OR of fours times four words. value and valid may be any of the others.
//
//go:noescape
func kleeneOrNEON(value *uint64, valid *uint64, a *uint64, aValid *uint64, b *uint64, bValid *uint64, fours int)
