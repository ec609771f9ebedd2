package asm

// The loops below build a result word from eight bytes of eight outcomes each: no branch, no variable shift but one a byte.
// They take any number of rows; rows past a whole block form a last word whose other bits are zero.

// compareConst is the specification of CompareConst for Eq, Lt and Le with a constant that is not NaN.
func compareConst[T Number](dst []uint64, values []T, op CompareOp, c T, flip uint64) {
	switch op {
	case Eq:
		equalConst(dst, values, c, flip)
	case Lt:
		lessConst(dst, values, c, flip)
	default:
		lessEqualConst(dst, values, c, flip)
	}
}

func equalConst[T Number](dst []uint64, values []T, c T, flip uint64) {
	for ; len(values) >= wordRows; dst, values = dst[1:], values[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			v := (*[8]T)(values[i:])
			word |= (bit(v[0] == c) | bit(v[1] == c)<<1 | bit(v[2] == c)<<2 | bit(v[3] == c)<<3 |
				bit(v[4] == c)<<4 | bit(v[5] == c)<<5 | bit(v[6] == c)<<6 | bit(v[7] == c)<<7) << (uint(i) & 63)
		}
		dst[0] = word ^ flip
	}
	if len(values) > 0 {
		var word uint64
		for i, v := range values {
			word |= bit(v == c) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(values))
	}
}

func lessConst[T Number](dst []uint64, values []T, c T, flip uint64) {
	for ; len(values) >= wordRows; dst, values = dst[1:], values[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			v := (*[8]T)(values[i:])
			word |= (bit(v[0] < c) | bit(v[1] < c)<<1 | bit(v[2] < c)<<2 | bit(v[3] < c)<<3 |
				bit(v[4] < c)<<4 | bit(v[5] < c)<<5 | bit(v[6] < c)<<6 | bit(v[7] < c)<<7) << (uint(i) & 63)
		}
		dst[0] = word ^ flip
	}
	if len(values) > 0 {
		var word uint64
		for i, v := range values {
			word |= bit(v < c) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(values))
	}
}

func lessEqualConst[T Number](dst []uint64, values []T, c T, flip uint64) {
	for ; len(values) >= wordRows; dst, values = dst[1:], values[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			v := (*[8]T)(values[i:])
			word |= (bit(v[0] <= c) | bit(v[1] <= c)<<1 | bit(v[2] <= c)<<2 | bit(v[3] <= c)<<3 |
				bit(v[4] <= c)<<4 | bit(v[5] <= c)<<5 | bit(v[6] <= c)<<6 | bit(v[7] <= c)<<7) << (uint(i) & 63)
		}
		dst[0] = word ^ flip
	}
	if len(values) > 0 {
		var word uint64
		for i, v := range values {
			word |= bit(v <= c) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(values))
	}
}

// compareNaN compares floats with NaN, which equals itself and is greater than the rest: = is "is NaN", < is "is not NaN", and
// <= is always true.
func compareNaN[T Number](dst []uint64, values []T, op CompareOp, flip uint64) {
	switch op {
	case Le:
		Fill(dst, len(values), flip == 0)
		return
	case Lt:
		flip = ^flip
	}
	for len(values) > 0 {
		block := values[:min(len(values), wordRows)]
		var word uint64
		for i, v := range block {
			word |= bit(v != v) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(block))
		dst, values = dst[1:], values[len(block):]
	}
}

// Two columns are compared in SQL's order: a = b also for two NaNs, and a <= b whatever a is when b is NaN. For integers the NaN
// terms fold away. They are written out because a generic function, though inlined, would look up its dictionary every row.

func equal[T Number](dst []uint64, a, b []T, flip uint64) {
	for ; len(a) >= wordRows; dst, a, b = dst[1:], a[wordRows:], b[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			x, y := (*[8]T)(a[i:]), (*[8]T)(b[i:])
			word |= ((bit(x[0] == y[0]) | bit(x[0] != x[0])&bit(y[0] != y[0])) |
				(bit(x[1] == y[1])|bit(x[1] != x[1])&bit(y[1] != y[1]))<<1 |
				(bit(x[2] == y[2])|bit(x[2] != x[2])&bit(y[2] != y[2]))<<2 |
				(bit(x[3] == y[3])|bit(x[3] != x[3])&bit(y[3] != y[3]))<<3 |
				(bit(x[4] == y[4])|bit(x[4] != x[4])&bit(y[4] != y[4]))<<4 |
				(bit(x[5] == y[5])|bit(x[5] != x[5])&bit(y[5] != y[5]))<<5 |
				(bit(x[6] == y[6])|bit(x[6] != x[6])&bit(y[6] != y[6]))<<6 |
				(bit(x[7] == y[7])|bit(x[7] != x[7])&bit(y[7] != y[7]))<<7) << (uint(i) & 63)
		}
		dst[0] = word ^ flip
	}
	if len(a) > 0 {
		var word uint64
		for i, v := range a {
			w := b[i]
			word |= (bit(v == w) | bit(v != v)&bit(w != w)) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(a))
	}
}

func lessEqual[T Number](dst []uint64, a, b []T, flip uint64) {
	for ; len(a) >= wordRows; dst, a, b = dst[1:], a[wordRows:], b[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			x, y := (*[8]T)(a[i:]), (*[8]T)(b[i:])
			word |= ((bit(x[0] <= y[0]) | bit(y[0] != y[0])) |
				(bit(x[1] <= y[1])|bit(y[1] != y[1]))<<1 |
				(bit(x[2] <= y[2])|bit(y[2] != y[2]))<<2 |
				(bit(x[3] <= y[3])|bit(y[3] != y[3]))<<3 |
				(bit(x[4] <= y[4])|bit(y[4] != y[4]))<<4 |
				(bit(x[5] <= y[5])|bit(y[5] != y[5]))<<5 |
				(bit(x[6] <= y[6])|bit(y[6] != y[6]))<<6 |
				(bit(x[7] <= y[7])|bit(y[7] != y[7]))<<7) << (uint(i) & 63)
		}
		dst[0] = word ^ flip
	}
	if len(a) > 0 {
		var word uint64
		for i, v := range a {
			w := b[i]
			word |= (bit(v <= w) | bit(w != w)) << (uint(i) & 63)
		}
		dst[0] = (word ^ flip) & tailMask(len(a))
	}
}
