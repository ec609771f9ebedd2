package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lacunadb/lacuna/types"
)

// hybrid reads the format's hybrid of run-length and bit-packed runs (Encodings.md of the format, "RLE"), in which levels, dictionary
// indices and some booleans are written. It can stop anywhere, also inside a run.
type hybrid struct {
	src      []byte // behind the present run
	width    int    // bits of a value, 0 to 32
	left     int    // values left in the present run
	repeated bool
	value    uint32 // of a repeated run
	packed   []byte // a packed run and all bytes behind it, so that loads may reach past its end
	bit      int    // where in packed the next value begins
}

// newHybrid starts reading values of a width.
func newHybrid(src []byte, width int) hybrid { return hybrid{src: src, width: width} }

// run makes sure that the present run has values left.
func (h *hybrid) run() error {
	for h.left == 0 {
		header, used := binary.Uvarint(h.src)
		if used <= 0 {
			return corrupt("run lengths end too early")
		}
		h.src = h.src[used:]
		count := header >> 1
		if count > math.MaxInt32 {
			return corrupt("a run of %d values", count)
		}
		if header&1 == 0 {
			size := (h.width + 7) / 8
			if len(h.src) < size {
				return corrupt("a run's value is cut off")
			}
			h.value = 0
			for i, b := range h.src[:size] {
				h.value |= uint32(b) << (8 * i)
			}
			h.src = h.src[size:]
			h.left, h.repeated = int(count), true
			continue
		}
		size := int(count) * h.width // groups of eight values
		h.left, h.repeated, h.packed, h.bit = int(count)*8, false, h.src, 0
		if size > len(h.src) { // some writers cut the padding of the last group off
			size = len(h.src)
			h.left = size * 8 / h.width
		}
		h.src = h.src[size:]
	}
	return nil
}

// constant reports whether the next n values are one run of the same value, which it then gives.
func (h *hybrid) constant(n int) (uint32, bool) {
	if n == 0 || h.run() != nil {
		return 0, false
	}
	return h.value, h.repeated && h.left >= n
}

// read fills dst with the next values.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		if err := h.run(); err != nil {
			return err
		}
		n := min(h.left, len(dst))
		if h.repeated {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		} else {
			unpack(dst[:n], h.packed, h.bit, h.width)
			h.bit += n * h.width
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

// skip passes over n values.
func (h *hybrid) skip(n int) error {
	for n > 0 {
		if err := h.run(); err != nil {
			return err
		}
		k := min(h.left, n)
		h.bit += k * h.width
		h.left -= k
		n -= k
	}
	return nil
}

// readBits reads n values of width 1 into the bits of a cleared stretch of dst, from bit at on: levels of an optional column are
// its validity. It gives the number of ones.
func (h *hybrid) readBits(dst types.Bitmap, at, n int) (ones int, err error) {
	start, end := at, at+n
	for at < end {
		if err := h.run(); err != nil {
			return 0, err
		}
		k := min(h.left, end-at)
		switch {
		case !h.repeated:
			orBits(dst, at, h.packed, h.bit, k)
			h.bit += k
		case h.value&1 == 1:
			setBits(dst, at, at+k)
		}
		h.left -= k
		at += k
	}
	return countBits(dst, start, end), nil
}

// skipBits passes over n values of width 1 and gives the number of ones among them.
func (h *hybrid) skipBits(n int) (ones int, err error) {
	var scratch [64]uint64
	for n > 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
		k := min(h.left, n)
		if h.repeated {
			ones += k * int(h.value&1)
			h.left -= k
		} else {
			k = min(k, len(scratch)*64)
			clear(scratch[:])
			set, err := h.readBits(scratch[:], 0, k)
			if err != nil {
				return 0, err
			}
			ones += set
		}
		n -= k
	}
	return ones, nil
}

// unpack reads bit-packed values of a width from 0 to 32, the first of which begins at a bit of src. src holds them all.
func unpack(dst []uint32, src []byte, bit, width int) {
	if width == 0 {
		clear(dst)
		return
	}
	i := 0
	// Up to where a group of eight values begins at a whole byte.
	for ; i < len(dst) && bit&7 != 0; i++ {
		dst[i] = unpackOne(src, bit, width)
		bit += width
	}
	if groups := (len(dst) - i) / 8; groups > 0 {
		done := unpackGroups(dst[i:i+groups*8], src[bit>>3:], width)
		i += done
		bit += done * width
	}
	for ; i < len(dst); i++ {
		dst[i] = unpackOne(src, bit, width)
		bit += width
	}
}

func unpackOne(src []byte, bit, width int) uint32 {
	at := bit >> 3
	var word uint64
	if at+8 <= len(src) {
		word = binary.LittleEndian.Uint64(src[at:])
	} else {
		for i, b := range src[at:] {
			word |= uint64(b) << (8 * i)
		}
	}
	return uint32(word >> (bit & 7) & (1<<width - 1))
}

// unpackGroups reads groups of eight values, which are width bytes each, as long as whole words can be loaded; it gives the
// number of values that it read.
func unpackGroups(dst []uint32, src []byte, width int) int {
	mask := uint64(1)<<width - 1
	w := uint(width)
	at, i := 0, 0
	switch {
	case width <= 8: // a group is in one word
		for ; i+8 <= len(dst) && at+8 <= len(src); i, at = i+8, at+width {
			word := binary.LittleEndian.Uint64(src[at:])
			out := dst[i : i+8 : i+8]
			out[0] = uint32(word & mask)
			word >>= w & 63
			out[1] = uint32(word & mask)
			word >>= w & 63
			out[2] = uint32(word & mask)
			word >>= w & 63
			out[3] = uint32(word & mask)
			word >>= w & 63
			out[4] = uint32(word & mask)
			word >>= w & 63
			out[5] = uint32(word & mask)
			word >>= w & 63
			out[6] = uint32(word & mask)
			word >>= w & 63
			out[7] = uint32(word & mask)
		}
	case width <= 16: // half a group is in one word: 4*16 bits, or at most 4*15 and 4 bits of the byte that it shares
		half := uint(4 * width)
		for ; i+8 <= len(dst) && at+width/2+8 <= len(src); i, at = i+8, at+width {
			low := binary.LittleEndian.Uint64(src[at:])
			high := binary.LittleEndian.Uint64(src[at+int(half>>3):]) >> (half & 7)
			out := dst[i : i+8 : i+8]
			out[0], out[4] = uint32(low&mask), uint32(high&mask)
			low, high = low>>(w&63), high>>(w&63)
			out[1], out[5] = uint32(low&mask), uint32(high&mask)
			low, high = low>>(w&63), high>>(w&63)
			out[2], out[6] = uint32(low&mask), uint32(high&mask)
			low, high = low>>(w&63), high>>(w&63)
			out[3], out[7] = uint32(low&mask), uint32(high&mask)
		}
	default: // at most 32 bits and 7 of the byte before
		for ; i+8 <= len(dst) && at+width+8 <= len(src); i, at = i+8, at+width {
			out := dst[i : i+8 : i+8]
			for j := range out {
				bit := uint(j) * w
				out[j] = uint32(binary.LittleEndian.Uint64(src[at+int(bit>>3):]) >> (bit & 7) & mask)
			}
		}
	}
	return i
}

// orBits ors n bits of src, from one of its bits on, into dst from bit at on.
func orBits(dst types.Bitmap, at int, src []byte, bit, n int) {
	for n > 0 {
		var word uint64
		from, shift := bit>>3, bit&7
		if from+8 <= len(src) {
			word = binary.LittleEndian.Uint64(src[from:])
		} else {
			for i, b := range src[from:] {
				word |= uint64(b) << (8 * i)
			}
		}
		k := min(n, 64-shift)
		word = word >> shift & (^uint64(0) >> (64 - k))
		into := at & 63
		dst[at>>6] |= word << into
		if into+k > 64 {
			dst[at>>6+1] |= word >> (64 - into)
		}
		at, bit, n = at+k, bit+k, n-k
	}
}

// setBits sets bits from to to (half open).
func setBits(b types.Bitmap, from, to int) {
	for from < to {
		bit := uint(from) & 63
		n := min(64-int(bit), to-from)
		b[from>>6] |= ^uint64(0) >> (64 - uint(n)) << bit
		from += n
	}
}

// countBits gives the number of ones from from to to (half open).
func countBits(b types.Bitmap, from, to int) int {
	count := 0
	for from < to {
		bit := uint(from) & 63
		n := min(64-int(bit), to-from)
		count += bits.OnesCount64(b[from>>6] >> bit << (64 - uint(n)))
		from += n
	}
	return count
}
