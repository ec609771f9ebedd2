package asm

// Take writes dst[i] = src[idx[i]]; dst is as long as idx. Every index must be in range, also those of null rows: an index that
// is not panics. Use TakeValid when null rows hold garbage. Plain Go is as fast as a gather instruction here.
//
// T is any fixed-width type.
func Take[T any](dst, src []T, idx []uint32) {
	checkLen("Take", "dst", len(dst), len(idx))
	dst = dst[:len(idx)]
	for i, j := range idx {
		dst[i] = src[j]
	}
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

// TakeBits writes bit i of dst as bit idx[i] of src; dst holds Words(len(idx)) words. Every index must lie in a word of src: one
// that does not panics.
func TakeBits(dst, src []uint64, idx []uint32) {
	checkLen("TakeBits", "dst", len(dst), Words(len(idx)))
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
