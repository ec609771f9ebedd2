package asm

import "math/bits"

// sparseBits is the number of set bits in a word up to which walking them beats looking at all 64 rows.
const sparseBits = 12

// filter is the specification of the filter kernels: it compacts whole blocks while dst has room for a full one, and gives
// the words of sel that it used up and the elements that it wrote. With that room it may write past the elements that count,
// so a block of middling density needs no branch a row.
func filter[T any](dst, src []T, sel []uint64) (read, written int) {
	k := 0
	for i, w := range sel {
		if len(dst)-k < wordRows {
			return i, k
		}
		from, to := (*[wordRows]T)(src[i*wordRows:]), (*[wordRows]T)(dst[k:])
		switch {
		case w == 0:
		case w == ^uint64(0):
			copy(to[:], from[:])
			k += wordRows
		case bits.OnesCount64(w) <= sparseBits:
			j := 0
			for ; w != 0; w &= w - 1 {
				to[j&63] = from[bits.OnesCount64(w&-w-1)&63] // see appendIndices
				j++
			}
			k += j
		default:
			k += compactBlock(to, from, w)
		}
	}
	return len(sel), k
}

// compactBlock writes every row, and moves on past those that count. On its own its state stays in registers.
//
//go:noinline
func compactBlock[T any](to, from *[wordRows]T, w uint64) int {
	j := uint64(0)
	for r := 0; r < wordRows; r += 8 {
		f := (*[8]T)(from[r:])
		to[j&63] = f[0]
		j += w & 1
		to[j&63] = f[1]
		j += w >> 1 & 1
		to[j&63] = f[2]
		j += w >> 2 & 1
		to[j&63] = f[3]
		j += w >> 3 & 1
		to[j&63] = f[4]
		j += w >> 4 & 1
		to[j&63] = f[5]
		j += w >> 5 & 1
		to[j&63] = f[6]
		j += w >> 6 & 1
		to[j&63] = f[7]
		j += w >> 7 & 1
		w >>= 8
	}
	return int(j)
}

// filterExact compacts any number of rows and writes nothing but the elements that count.
func filterExact[T any](dst, src []T, sel []uint64) {
	k := 0
	for i, w := range sel {
		from := src[i*wordRows:]
		for ; w != 0; w &= w - 1 {
			dst[k] = from[bits.OnesCount64(w&-w-1)]
			k++
		}
	}
}

// filterBits is the specification of the filterBits kernels: it appends the selected bits to dst, which holds at bits already,
// and gives the new number. A word of dst that is begun is complete up to there and zero above.
func filterBits(dst, src, sel []uint64, at int) int {
	k, have := at/wordRows, uint(at%wordRows)
	var word uint64 // the begun word
	if have > 0 {
		word = dst[k]
	}
	for i, mask := range sel {
		if mask == 0 {
			continue
		}
		count := uint(bits.OnesCount64(mask))
		packed := src[i] & mask
		switch packed {
		case 0:
		case mask: // all valid, the usual case
			packed = ^uint64(0) >> (64 - count)
		default:
			packed = extractBits(packed, mask)
		}
		word |= packed << have
		have += count
		if have >= wordRows {
			dst[k] = word
			k++
			have -= wordRows
			word = packed >> (count - have)
		}
	}
	if have > 0 {
		dst[k] = word
	}
	return k*wordRows + int(have)
}

// extractBits moves the bits of x under mask to the low end, keeping their order: a PEXT instruction in portable steps. A bit
// moves right by the number of zeros in the mask below it; step i moves those for which bit i of that number is set. The
// parities that decide it are prefix XORs of the zeros (Warren, Hacker's Delight, section 7-4).
func extractBits(x, mask uint64) uint64 {
	if mask == ^uint64(0) {
		return x
	}
	zeros := ^mask << 1
	for i := uint(0); i < 6; i++ {
		odd := zeros ^ zeros<<1
		odd ^= odd << 2
		odd ^= odd << 4
		odd ^= odd << 8
		odd ^= odd << 16
		odd ^= odd << 32
		move := odd & mask
		step := uint(1) << i
		mask = mask ^ move | move>>(step&63)
		t := x & move
		x = x ^ t | t>>(step&63)
		zeros &^= odd
	}
	return x
}
