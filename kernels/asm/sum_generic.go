package asm

import (
	"math"
	"math/bits"
)

// sumInt is the specification of the integer sum kernels: the exact sum of the selected values. mask has a word for each begun
// block.
func sumInt[T Integer](values []T, mask []uint64) (hi int64, lo uint64) {
	var pad [wordRows]T
	for w := range mask {
		block, selected := blockOf(&pad, values, mask, w)
		if selected == 0 {
			continue
		}
		var blockHi, blockLo, carry uint64
		switch {
		case width[T]() < 8 && selected == ^uint64(0): // 64 narrow values fit a word
			blockLo = uint64(sumNarrow(block))
			blockHi = uint64(int64(blockLo) >> 63)
		case width[T]() < 8:
			blockLo = uint64(sumNarrowMasked(block, selected))
			blockHi = uint64(int64(blockLo) >> 63)
		case selected == ^uint64(0):
			blockHi, blockLo = sumWide(block)
		default:
			blockHi, blockLo = sumWideMasked(block, selected)
		}
		lo, carry = bits.Add64(lo, blockLo, 0)
		hi += int64(blockHi + carry)
	}
	return hi, lo
}

func sumNarrow[T Integer](block *[wordRows]T) int64 {
	var s0, s1, s2, s3 int64
	for i := 0; i < wordRows; i += 4 {
		v := (*[4]T)(block[i:])
		s0 += int64(v[0])
		s1 += int64(v[1])
		s2 += int64(v[2])
		s3 += int64(v[3])
	}
	return s0 + s1 + s2 + s3
}

func sumNarrowMasked[T Integer](block *[wordRows]T, selected uint64) int64 {
	var s int64
	for _, v := range block[:] {
		s += int64(v) & -int64(selected&1)
		selected >>= 1
	}
	return s
}

// sumWide adds 64-bit values in 128 bits.
func sumWide[T Integer](block *[wordRows]T) (hi, lo uint64) {
	// Two chains of add-with-carry hide the latency of one.
	var hi0, lo0, hi1, lo1, carry uint64
	signs := signBits[T]()
	for i := 0; i < wordRows; i += 2 {
		v := (*[2]T)(block[i:])
		a, b := uint64(v[0]), uint64(v[1])
		lo0, carry = bits.Add64(lo0, a, 0)
		hi0, _ = bits.Add64(hi0, uint64(int64(a)>>63)&signs, carry)
		lo1, carry = bits.Add64(lo1, b, 0)
		hi1, _ = bits.Add64(hi1, uint64(int64(b)>>63)&signs, carry)
	}
	lo, carry = bits.Add64(lo0, lo1, 0)
	return hi0 + hi1 + carry, lo
}

func sumWideMasked[T Integer](block *[wordRows]T, selected uint64) (hi, lo uint64) {
	var carry uint64
	signs := signBits[T]()
	for _, x := range block[:] {
		v := uint64(x) & -(selected & 1)
		selected >>= 1
		lo, carry = bits.Add64(lo, v, 0)
		hi, _ = bits.Add64(hi, uint64(int64(v)>>63)&signs, carry)
	}
	return hi, lo
}

// signBits masks the high word of a value in 128 bits: all copies of the top bit in a signed type, zero in an unsigned one.
func signBits[T Integer]() uint64 {
	if isSigned[T]() {
		return ^uint64(0)
	}
	return 0
}

// sumFloat is the specification of the float sum kernels: it adds the selected values to their lanes. mask has a word for each
// begun block.
func sumFloat[T Float](lanes floatLanes, values []T, mask []uint64) floatLanes {
	var pad [wordRows]T
	for w := range mask {
		block, selected := blockOf(&pad, values, mask, w)
		switch selected {
		case 0:
		case ^uint64(0):
			sumFloatBlock(&lanes, block)
		default:
			sumFloatMasked(&lanes, block, selected)
		}
	}
	return lanes
}

func sumFloatBlock[T Float](lanes *floatLanes, block *[wordRows]T) {
	l0, l1, l2, l3, l4, l5, l6, l7 := lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]
	for i := 0; i < wordRows; i += 8 {
		v := (*[8]T)(block[i:])
		l0 += float64(v[0])
		l1 += float64(v[1])
		l2 += float64(v[2])
		l3 += float64(v[3])
		l4 += float64(v[4])
		l5 += float64(v[5])
		l6 += float64(v[6])
		l7 += float64(v[7])
	}
	*lanes = floatLanes{l0, l1, l2, l3, l4, l5, l6, l7}
}

// sumFloatMasked adds +0 for rows that are not selected. A lane is never -0, since it starts at +0, so that changes nothing;
// masking the bits, not multiplying, keeps a NaN or infinity in such a row out.
func sumFloatMasked[T Float](lanes *floatLanes, block *[wordRows]T, selected uint64) {
	for i := 0; i < wordRows; i += 8 {
		v := (*[8]T)(block[i:])
		w := selected >> (uint(i) & 63)
		lanes[0] += keep(float64(v[0]), w)
		lanes[1] += keep(float64(v[1]), w>>1)
		lanes[2] += keep(float64(v[2]), w>>2)
		lanes[3] += keep(float64(v[3]), w>>3)
		lanes[4] += keep(float64(v[4]), w>>4)
		lanes[5] += keep(float64(v[5]), w>>5)
		lanes[6] += keep(float64(v[6]), w>>6)
		lanes[7] += keep(float64(v[7]), w>>7)
	}
}

// keep gives v if the low bit of w is set, else +0.
func keep(v float64, w uint64) float64 {
	return math.Float64frombits(math.Float64bits(v) & -(w & 1))
}

// blockOf gives block w of values and the rows of it that are selected. A partial block, the last, is padded in *pad, which
// must be zero.
func blockOf[T any](pad *[wordRows]T, values []T, mask []uint64, w int) (block *[wordRows]T, selected uint64) {
	values = values[w*wordRows:]
	if len(values) >= wordRows {
		return (*[wordRows]T)(values), mask[w]
	}
	copy(pad[:], values)
	return pad, mask[w] & tailMask(len(values))
}
