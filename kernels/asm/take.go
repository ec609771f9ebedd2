package asm

import "encoding/binary"

// Take writes dst[i] = src[idx[i]]; dst is as long as idx. Every index must be in range, also those of null rows: an index that
// is not panics. Use TakeValid when null rows hold garbage.
//
// T is any fixed-width type.
func Take[T any](dst, src []T, idx []uint32) {
	checkLen("Take", "dst", len(dst), len(idx))
	dst = dst[:len(idx)]
	done := 0
	for whole := len(idx) / wordRows * wordRows; done < whole && len(src) > 0; {
		end := min(whole, done+maxCallRows)
		to, from := dst[done:end], idx[done:end]
		var blocks int
		switch width[T]() {
		case 4:
			blocks = active.take4(cast[uint32](to), cast[uint32](src), from)
		case 8:
			blocks = active.take8(cast[uint64](to), cast[uint64](src), from)
		case 16:
			blocks = active.take16(cast[[2]uint64](to), cast[[2]uint64](src), from)
		default:
			blocks = take(to, src, from)
		}
		done += blocks * wordRows
		if done < end { // an index is out of range
			break
		}
	}
	for i, j := range idx[done:] {
		dst[done+i] = src[j]
	}
}

// take is the specification of the take kernels: it takes whole blocks up to the first one with an index that is out of range, and
// gives the number of blocks before it.
func take[T any](dst, src []T, idx []uint32) int {
	dst = dst[:len(idx)]
	for i, j := range idx {
		if uint64(j) >= uint64(len(src)) {
			return i / wordRows
		}
		dst[i] = src[j]
	}
	return len(idx) / wordRows
}

// GreatestIndex gives the greatest of any number of indices, 0 for none: whether all are in range takes no look at each.
func GreatestIndex(idx []uint32) uint32 {
	var most uint32
	for len(idx) >= wordRows {
		n := min(len(idx)/wordRows*wordRows, maxCallRows)
		most = max(most, active.greatestIndex(idx[:n]))
		idx = idx[n:]
	}
	return max(most, greatestIndex(idx))
}

// greatestIndex is the specification of GreatestIndex. Four chains of comparisons run side by side.
func greatestIndex(idx []uint32) uint32 {
	var a, b, c, d uint32
	for ; len(idx) >= 4; idx = idx[4:] {
		x := (*[4]uint32)(idx)
		a, b, c, d = max(a, x[0]), max(b, x[1]), max(c, x[2]), max(d, x[3])
	}
	for _, x := range idx {
		a = max(a, x)
	}
	return max(a, b, c, d)
}

// TakeValid is Take for indices that may be null: valid is their validity. Rows that are not valid get the zero value, and
// their index is not looked at.
func TakeValid[T any](dst, src []T, idx []uint32, valid []uint64) {
	checkLen("TakeValid", "dst", len(dst), len(idx))
	checkLen("TakeValid", "valid", len(valid), Words(len(idx)))
	var zero T
	for w := 0; w*wordRows < len(idx); w++ {
		rows := idx[w*wordRows : min(len(idx), (w+1)*wordRows)]
		to := dst[w*wordRows:][:len(rows)]
		switch mask := valid[w]; {
		case mask == tailMask(len(rows)):
			for i, j := range rows {
				to[i] = src[j]
			}
		case mask == 0:
			clear(to)
		default:
			for i, j := range rows {
				if mask&(1<<(uint(i)&63)) != 0 {
					to[i] = src[j]
				} else {
					to[i] = zero
				}
			}
		}
	}
}

// tableBits is the number of bits up to which TakeBits looks bytes up instead of bits: they fit the first-level cache beside the indices.
const tableBits = 4096

// TakeBits writes bit i of dst as bit idx[i] of src; dst holds Words(len(idx)) words. Every index must lie in a word of src: one
// that does not panics.
//
// This is what decoding a condition on a dictionary column is.
func TakeBits(dst, src []uint64, idx []uint32) {
	checkLen("TakeBits", "dst", len(dst), Words(len(idx)))
	for len(idx) >= wordRows {
		words := min(len(idx), maxCallRows) / wordRows
		done := active.takeBits(dst[:words], src, idx[:words*wordRows])
		dst, idx = dst[done:], idx[done*wordRows:]
		if done < words {
			break
		}
	}
	for ; len(idx) >= wordRows; dst, idx = dst[1:], idx[wordRows:] {
		var word uint64
		for i := 0; i < wordRows; i += 8 {
			x := (*[8]uint32)(idx[i:])
			word |= (bitAt(src, x[0]) | bitAt(src, x[1])<<1 | bitAt(src, x[2])<<2 | bitAt(src, x[3])<<3 |
				bitAt(src, x[4])<<4 | bitAt(src, x[5])<<5 | bitAt(src, x[6])<<6 | bitAt(src, x[7])<<7) << (uint(i) & 63)
		}
		dst[0] = word
	}
	if len(idx) > 0 {
		var word uint64
		for i, j := range idx {
			word |= bitAt(src, j) << (uint(i) & 63)
		}
		dst[0] = word
	}
}

// takeBitsTable is TakeBits for whole words of dst. It gives the number of words written and stops before one that has an index
// outside src, or at once where a table does not pay.
//
// A bit test takes three dependent instructions and a shift by a variable, a byte of a table one load. The table pays from as many
// rows as it has entries.
func takeBitsTable(dst, src []uint64, idx []uint32) int {
	if entries := len(src) * wordRows; entries > tableBits || len(idx) < max(entries, 4*wordRows) {
		return 0
	}
	var table [tableBits]uint8
	for i, w := range src {
		expandBits((*[wordRows]uint8)(table[i*wordRows:]), w)
	}
	limit := uint32(len(src) * wordRows)
	n := 0
	for ; len(idx) >= wordRows; idx = idx[wordRows:] {
		var word uint64
		outside := false
		for i := 0; i < wordRows; i += 8 {
			x := (*[8]uint32)(idx[i:])
			word |= (uint64(table[x[0]%tableBits]) | uint64(table[x[1]%tableBits])<<1 |
				uint64(table[x[2]%tableBits])<<2 | uint64(table[x[3]%tableBits])<<3 |
				uint64(table[x[4]%tableBits])<<4 | uint64(table[x[5]%tableBits])<<5 |
				uint64(table[x[6]%tableBits])<<6 | uint64(table[x[7]%tableBits])<<7) << (uint(i) & 63)
			outside = outside || max(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]) >= limit
		}
		if outside {
			return n
		}
		dst[n] = word
		n++
	}
	return n
}

// expandBits writes each bit of a word as a byte, 0 or 1, eight at a time: a multiplication copies a byte to all places, of which each keeps
// its own bit.
func expandBits(dst *[wordRows]uint8, word uint64) {
	const ones, places, carry = 0x0101010101010101, 0x8040201008040201, 0x7f7f7f7f7f7f7f7f
	for i := 0; i < wordRows; i += 8 {
		spread := (word >> (uint(i) & 63) & 0xff) * ones & places
		binary.LittleEndian.PutUint64(dst[i:], (spread+carry)>>7&ones)
	}
}

// TakeBitsValid is TakeBits for indices that may be null: valid is their validity. Rows that are not valid get zero, and their
// index is not looked at.
func TakeBitsValid(dst, src []uint64, idx []uint32, valid []uint64) {
	checkLen("TakeBitsValid", "dst", len(dst), Words(len(idx)))
	checkLen("TakeBitsValid", "valid", len(valid), Words(len(idx)))
	for w := 0; w*wordRows < len(idx); w++ {
		rows := idx[w*wordRows : min(len(idx), (w+1)*wordRows)]
		mask := valid[w]
		if mask == tailMask(len(rows)) {
			TakeBits(dst[w:], src, rows)
			continue
		}
		var word uint64
		for i, j := range rows {
			if mask&(1<<(uint(i)&63)) != 0 {
				word |= bitAt(src, j) << (uint(i) & 63)
			}
		}
		dst[w] = word
	}
}

// bitAt gives bit i of a bitmap.
func bitAt(a []uint64, i uint32) uint64 { return a[i>>6] >> (i & 63) & 1 }
