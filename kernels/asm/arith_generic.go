package asm

import "math/bits"

// wrapping computes a block and says whether all its results are exact.
func wrapping[T Integer](op arithOp, d, x, y *[wordRows]T) bool {
	switch op {
	case opAdd:
		return addBlock(d, x, y)
	case opSub:
		return subBlock(d, x, y)
	}
	return mulBlock(d, x, y)
}

// flagging computes up to 64 rows and gives the bitmap of those that are not exact.
func flagging[T Integer](op arithOp, d, x, y []T) uint64 {
	switch op {
	case opAdd:
		return addFlagging(d, x, y)
	case opSub:
		return subFlagging(d, x, y)
	}
	return mulFlagging(d, x, y)
}

// The block loops say nothing of which rows are bad, and call no generic function: such a call looks up its type in a dictionary,
// even when it is inlined.

func addBlock[T Integer](d, x, y *[wordRows]T) bool {
	ds, xs, ys := d[:], x[:], y[:] // one nil check each, outside the loop
	signed := isSigned[T]()        // known when compiled, see addCarry
	var carries T
	for i := range ds {
		a, b := xs[i], ys[i]
		r := a + b
		ds[i] = r
		if signed {
			carries |= (a ^ r) & (b ^ r)
		} else {
			carries |= a&b | (a|b)&^r
		}
	}
	return topBit(carries) == 0
}

func addFlagging[T Integer](d, x, y []T) (word uint64) {
	for i := range d {
		r := x[i] + y[i]
		d[i] = r
		word |= topBit(addCarry(x[i], y[i], r)) << (uint(i) & 63)
	}
	return word
}

func subBlock[T Integer](d, x, y *[wordRows]T) bool {
	ds, xs, ys := d[:], x[:], y[:]
	signed := isSigned[T]() // see subBorrow
	var borrows T
	for i := range ds {
		a, b := xs[i], ys[i]
		r := a - b
		ds[i] = r
		if signed {
			borrows |= (a ^ b) & (a ^ r)
		} else {
			borrows |= ^a&b | ^(a^b)&r
		}
	}
	return topBit(borrows) == 0
}

func subFlagging[T Integer](d, x, y []T) (word uint64) {
	for i := range d {
		r := x[i] - y[i]
		d[i] = r
		word |= topBit(subBorrow(x[i], y[i], r)) << (uint(i) & 63)
	}
	return word
}

func mulBlock[T Integer](d, x, y *[wordRows]T) bool {
	ds, xs, ys := d[:], x[:], y[:]
	narrow, signed := width[T]() < 8, isSigned[T]() // see mul
	var lost uint64
	for i := range ds {
		a, b := xs[i], ys[i]
		if narrow {
			p := int64(a) * int64(b)
			r := T(p)
			ds[i] = r
			lost |= uint64(p ^ int64(r))
			continue
		}
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		ds[i] = T(lo)
		if signed {
			hi -= uint64(int64(a)>>63)&uint64(b) + uint64(int64(b)>>63)&uint64(a)
			hi ^= uint64(int64(lo) >> 63)
		}
		lost |= hi
	}
	return lost == 0
}

func mulFlagging[T Integer](d, x, y []T) (word uint64) {
	for i := range d {
		r, lost := mul(x[i], y[i])
		d[i] = r
		word |= bit(lost != 0) << (uint(i) & 63)
	}
	return word
}

// addCarry has its top bit set when r = a + b is not exact: for signed types both arguments have another sign than the result;
// for unsigned ones it is the carry out (Warren, Hacker's Delight, section 2-13).
func addCarry[T Integer](a, b, r T) T {
	if isSigned[T]() {
		return (a ^ r) & (b ^ r)
	}
	return a&b | (a|b)&^r
}

// subBorrow has its top bit set when r = a - b is not exact (as above).
func subBorrow[T Integer](a, b, r T) T {
	if isSigned[T]() {
		return (a ^ b) & (a ^ r)
	}
	return ^a&b | ^(a^b)&r
}

// topBit gives the most significant bit.
func topBit[T Integer](v T) uint64 { return uint64(v) >> (uint(width[T]())*8 - 1) & 1 }

// mul gives the wrapped product, and what the product has besides: zero exactly when it fits.
func mul[T Integer](a, b T) (r T, lost uint64) {
	if width[T]() < 8 { // the product fits 64 bits
		p := int64(a) * int64(b)
		r = T(p)
		return r, uint64(p ^ int64(r))
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if isSigned[T]() { // a negative factor counted 1<<64 too high
		hi -= uint64(int64(a)>>63)&uint64(b) + uint64(int64(b)>>63)&uint64(a)
		return T(lo), hi ^ uint64(int64(lo)>>63)
	}
	return T(lo), hi
}
