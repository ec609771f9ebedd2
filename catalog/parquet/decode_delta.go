package parquet

import (
	"encoding/binary"
	"math"

	"github.com/lacunadb/lacuna/types"
)

// deltas reads DELTA_BINARY_PACKED integers: a first value, then blocks of miniblocks of bit-packed differences to the value before,
// less the least of the block (Encodings.md of the format). It can stop anywhere, also inside a miniblock.
type deltas struct {
	src    []byte // behind what has been read
	total  int    // values left of those that the header claims
	first  bool   // the first value is still to come
	value  int64  // the last one, or the first that is still to come
	block  int    // values in a block
	minis  int    // miniblocks in a block
	least  int64  // of the present block
	widths []byte // of the miniblocks of the present block that are still to come
	mini   []byte // the present miniblock and all bytes behind it
	width  int
	bit    int // where in mini the next value begins
	left   int // values left in the miniblock
}

func newDeltas(src []byte) (deltas, error) {
	var header [4]uint64 // values in a block, miniblocks in a block, values, first value
	for i := range header {
		value, used := binary.Uvarint(src)
		if used <= 0 {
			return deltas{}, corrupt("a DELTA header is cut off")
		}
		header[i], src = value, src[used:]
	}
	block, minis, total := header[0], header[1], header[2]
	if block == 0 || block > 1<<16 || minis == 0 || minis > block || block%minis != 0 || block/minis%8 != 0 || total > math.MaxInt32 {
		return deltas{}, corrupt("a DELTA header claims blocks of %d values in %d parts, and %d values", block, minis, total)
	}
	return deltas{src: src, total: int(total), first: true, value: unzigzag(header[3]), block: int(block), minis: int(minis)}, nil
}

// miniblock makes sure that the present miniblock has values left.
func (d *deltas) miniblock() error {
	if d.left > 0 {
		return nil
	}
	if len(d.widths) == 0 {
		least, used := binary.Uvarint(d.src)
		if used <= 0 || len(d.src)-used < d.minis {
			return corrupt("a DELTA block is cut off")
		}
		d.least = unzigzag(least)
		d.widths, d.src = d.src[used:used+d.minis], d.src[used+d.minis:]
	}
	d.left = d.block / d.minis
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	size := d.left * d.width / 8
	if d.width > 64 || size > len(d.src) {
		return corrupt("a DELTA block is cut off")
	}
	d.mini, d.bit, d.src = d.src, 0, d.src[size:]
	return nil
}

// read fills dst with the next values. 32-bit columns wrap around at 64 bits and are cut by the caller, which comes to the same.
func (d *deltas) read(dst []int64) error {
	if len(dst) > d.total {
		return errShortPage
	}
	d.total -= len(dst)
	if len(dst) > 0 && d.first {
		dst[0], d.first = d.value, false
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if err := d.miniblock(); err != nil {
			return err
		}
		n := min(d.left, len(dst))
		d.value = undelta(dst[:n], d.mini, d.bit, d.width, d.value, d.least)
		d.left -= n
		d.bit += n * d.width
		dst = dst[n:]
	}
	return nil
}

func (d *deltas) skip(n int) error {
	var scratch [512]int64
	for n > 0 {
		k := min(n, len(scratch))
		if err := d.read(scratch[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// rest passes over all values that are left, without looking at them, and gives the bytes behind the last block.
func (d *deltas) rest() ([]byte, error) {
	if d.first && d.total > 0 {
		d.first = false
		d.total--
	}
	for d.total > 0 {
		if err := d.miniblock(); err != nil {
			return nil, err
		}
		d.total -= min(d.total, d.left)
		d.left = 0
	}
	return d.src, nil
}

// undelta adds up the differences in one miniblock, from one of its bits on, and gives the last value.
func undelta(dst []int64, src []byte, bit, width int, value, least int64) int64 {
	if width == 0 {
		for i := range dst {
			value += least
			dst[i] = value
		}
		return value
	}
	mask := ^uint64(0) >> (64 - width)
	i := 0
	if width <= 57 { // each value is in one word
		for ; i < len(dst) && bit>>3+8 <= len(src); i++ {
			value += least + int64(binary.LittleEndian.Uint64(src[bit>>3:])>>(bit&7)&mask)
			dst[i] = value
			bit += width
		}
	}
	for ; i < len(dst); i++ {
		var packed uint64
		for j, b := range src[bit>>3 : min(len(src), bit>>3+9)] {
			if shift := 8*j - bit&7; shift >= 0 {
				packed |= uint64(b) << shift
			} else {
				packed |= uint64(b) >> -shift
			}
		}
		value += least + int64(packed&mask)
		dst[i] = value
		bit += width
	}
	return value
}

// deltaFixed reads DELTA_BINARY_PACKED columns.
type deltaFixed struct {
	deltas
	width int // 4 or 8 bytes
	out   []int64
}

func (r *deltaFixed) next(n int) ([]byte, error) {
	if cap(r.out) < n {
		r.out = make([]int64, n)
	}
	out := r.out[:n]
	if err := r.read(out); err != nil {
		return nil, err
	}
	bytes := types.Bytes(out)
	if r.width == 4 {
		short := types.Values[int32](bytes)
		for i, x := range out { // in place: the halves that are written were read before
			short[i] = int32(x)
		}
		bytes = bytes[:4*n]
	}
	return bytes, nil
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes. Views point into the page.
type deltaLengths struct {
	lengths deltas
	src     []byte
	out     []int64
}

func newDeltaLengths(src []byte) (*deltaLengths, error) {
	lengths, err := newDeltas(src)
	if err != nil {
		return nil, err
	}
	walk := lengths
	rest, err := walk.rest()
	if err != nil {
		return nil, err
	}
	return &deltaLengths{lengths: lengths, src: rest}, nil
}

// sizes gives the next n lengths and the bytes that they take together.
func (r *deltaLengths) sizes(n int) ([]int64, int, error) {
	if cap(r.out) < n {
		r.out = make([]int64, n)
	}
	sizes := r.out[:n]
	if err := r.lengths.read(sizes); err != nil {
		return nil, 0, err
	}
	total := int64(0)
	for _, size := range sizes {
		if size < 0 || size > int64(len(r.src)) {
			return nil, 0, errShortPage
		}
		total += size
	}
	if total > int64(len(r.src)) {
		return nil, 0, errShortPage
	}
	return sizes, int(total), nil
}

func (r *deltaLengths) next(dst []types.View, buffer int) ([]byte, error) {
	sizes, total, err := r.sizes(len(dst))
	if err != nil {
		return nil, err
	}
	src, at := r.src, 0
	for i, size := range sizes {
		dst[i] = viewAt(src, at, at+int(size), buffer, at)
		at += int(size)
	}
	r.src = src[total:]
	return src[:total:total], nil
}

func (r *deltaLengths) skip(n int) error {
	for n > 0 {
		k := min(n, 512)
		_, total, err := r.sizes(k)
		if err != nil {
			return err
		}
		r.src = r.src[total:]
		n -= k
	}
	return nil
}

// maxBatchBytes bounds the strings of one batch that DELTA_BYTE_ARRAY builds: they can be much longer than the page.
const maxBatchBytes = 256 << 20

// deltaBytes reads DELTA_BYTE_ARRAY: for each string how many bytes it shares with the one before, and the others. The strings are
// put together in garbage-collected memory. It serves columns of varying and of fixed length.
type deltaBytes struct {
	prefixes deltas
	suffixes deltaLengths
	last     []byte
	out      []int64
	scratch  []types.View
}

func newDeltaBytes(src []byte) (*deltaBytes, error) {
	prefixes, err := newDeltas(src)
	if err != nil {
		return nil, err
	}
	walk := prefixes
	rest, err := walk.rest()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(rest)
	if err != nil {
		return nil, err
	}
	return &deltaBytes{prefixes: prefixes, suffixes: *suffixes}, nil
}

func (r *deltaBytes) next(dst []types.View, buffer int) ([]byte, error) {
	n := len(dst)
	if cap(r.out) < n {
		r.out = make([]int64, n)
	}
	prefixes := r.out[:n]
	if err := r.prefixes.read(prefixes); err != nil {
		return nil, err
	}
	suffixes, used, err := r.suffixes.sizes(n)
	if err != nil {
		return nil, err
	}
	total, before := int64(0), int64(len(r.last))
	for i, prefix := range prefixes {
		if prefix < 0 || prefix > before {
			return nil, corrupt("a string shares %d bytes with one of %d", prefix, before)
		}
		before = prefix + suffixes[i]
		if total += before; total > maxBatchBytes {
			return nil, unsupported("strings of more than %d bytes in one batch are not supported", maxBatchBytes)
		}
	}
	body := make([]byte, total)
	last, src, at := r.last, r.suffixes.src, 0
	for i, prefix := range prefixes {
		size := int(prefix + suffixes[i])
		value := body[at : at+size : at+size]
		copy(value, last[:prefix])
		copy(value[prefix:], src[:suffixes[i]])
		dst[i] = viewAt(body, at, at+size, buffer, at)
		last, src, at = value, src[suffixes[i]:], at+size
	}
	r.last = last
	r.suffixes.src = r.suffixes.src[used:]
	return body, nil
}

func (r *deltaBytes) skip(n int) error {
	for n > 0 {
		k := min(n, 512)
		if cap(r.scratch) < k {
			r.scratch = make([]types.View, k)
		}
		if _, err := r.next(r.scratch[:k], 0); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// fixedFromBytes makes a fixedReader of a bytesReader whose strings must all have one width: FIXED_LEN_BYTE_ARRAY in DELTA_BYTE_ARRAY.
type fixedFromBytes struct {
	bytesReader
	width int
	views []types.View
}

func (r *fixedFromBytes) next(n int) ([]byte, error) {
	if cap(r.views) < n {
		r.views = make([]types.View, n)
	}
	views := r.views[:n]
	body, err := r.bytesReader.next(views, 0)
	if err != nil {
		return nil, err
	}
	return body, checkWidth(views, r.width)
}

// checkWidth checks that all values have the length of a FIXED_LEN_BYTE_ARRAY.
func checkWidth(views []types.View, width int) error {
	for i := range views {
		if views[i].Len() != width {
			return corrupt("a value of %d bytes in a column of %d bytes", views[i].Len(), width)
		}
	}
	return nil
}
