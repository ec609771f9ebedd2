package asm

// Filter copies the elements of src whose bit is set in sel, in order, to the front of dst, and gives their number. sel is a
// bitmap of len(src) rows; dst has room for all that are set, and may be src itself. Filters are fastest when dst has room for
// 64 elements more than it will hold; those may then be overwritten with anything.
//
// T is any fixed-width type without pointers.
func Filter[T any](dst, src []T, sel []uint64) int {
	n := len(src)
	checkLen("Filter", "sel", len(sel), Words(n))
	sel = sel[:Words(n)]
	count := PopCount(sel)
	checkLen("Filter", "dst", len(dst), count)

	read, written := 0, 0 // words of sel, elements of dst
	for whole := n / wordRows; read < whole; {
		words := min(whole-read, maxCallRows/wordRows)
		from, mask := src[read*wordRows:(read+words)*wordRows], sel[read:read+words]
		var r, w int
		switch width[T]() {
		case 16:
			r, w = active.filter16(cast[[2]uint64](dst[written:]), cast[[2]uint64](from), mask)
		case 8:
			r, w = active.filter8(cast[uint64](dst[written:]), cast[uint64](from), mask)
		case 4:
			r, w = active.filter4(cast[uint32](dst[written:]), cast[uint32](from), mask)
		default:
			r, w = filter(dst[written:], from, mask)
		}
		read, written = read+r, written+w
		if r < words { // dst has less room than a block
			break
		}
	}
	filterExact(dst[written:], src[read*wordRows:], sel[read:])
	return count
}

// FilterBits copies the bits of src whose bit is set in sel, in order, to the front of dst, and gives their number. Both
// bitmaps have n rows; dst has room for all bits that are set, and may be src itself. It is how validity follows a Filter.
func FilterBits(dst, src, sel []uint64, n int) int {
	words := Words(n)
	checkLen("FilterBits", "src", len(src), words)
	checkLen("FilterBits", "sel", len(sel), words)
	src, sel = src[:words], sel[:words]
	count := PopCount(sel)
	checkLen("FilterBits", "dst", len(dst), Words(count))
	dst = dst[:Words(count)]
	for at := 0; at < count; {
		words := min(len(sel), maxCallRows/wordRows)
		at = active.filterBits(dst, src[:words], sel[:words], at)
		src, sel = src[words:], sel[words:]
	}
	return count
}
