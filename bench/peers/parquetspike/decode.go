package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errCorrupt reports bytes that cannot be what the page header promised.
var errCorrupt = errors.New("corrupt page")

// decodeValidity reads definition levels of a flat optional column (width 1)
// straight into the validity bitmap: a bit-packed run already is a bitmap.
// It returns the number of present values.
func decodeValidity(valid []uint64, at, n int, src []byte) (int, error) {
	start, end := at, at+n
	for at < end {
		header, used := binary.Uvarint(src)
		if used <= 0 {
			return 0, errCorrupt
		}
		src = src[used:]
		if header&1 == 0 { // run length
			run := min(header>>1, uint64(end-at))
			if len(src) < 1 || run == 0 {
				return 0, errCorrupt
			}
			if src[0]&1 == 1 {
				setBits(valid, at, int(run))
			}
			src = src[1:]
			at += int(run)
			continue
		}
		groups := header >> 1
		if groups == 0 || groups > uint64(len(src)) {
			return 0, errCorrupt
		}
		run := min(int(groups)*8, end-at)
		orBits(valid, at, run, src)
		src = src[groups:]
		at += run
	}
	return countBits(valid, start, n), nil
}

// orBits ors n bits of src into the bitmap from bit at on.
func orBits(bitmap []uint64, at, n int, src []byte) {
	for n > 0 {
		var word uint64
		take := min(n, 64)
		if len(src) >= 8 {
			word = binary.LittleEndian.Uint64(src)
			src = src[8:]
		} else {
			for i, b := range src {
				word |= uint64(b) << (8 * i)
			}
		}
		word &= ^uint64(0) >> (64 - take)
		shift := at & 63
		bitmap[at>>6] |= word << shift
		if shift+take > 64 {
			bitmap[at>>6+1] |= word >> (64 - shift)
		}
		at, n = at+take, n-take
	}
}

// spread moves the compacted values to the rows whose bit is set and puts
// zero elsewhere. src has at least one element more than there are set bits.
func spread[T int32 | int64](dst, src []T, valid []uint64, at int) {
	next := 0
	for i := range dst {
		bit := T(valid[(at+i)>>6] >> ((at + i) & 63) & 1)
		dst[i] = src[next] & -bit
		next += int(bit)
	}
}

// spreadViews is spread for views that lie compacted at the end of dst.
func spreadViews(dst, src []view, valid []uint64, at int) {
	next := 0
	for i := range dst {
		if valid[(at+i)>>6]>>((at+i)&63)&1 == 1 {
			dst[i] = src[next]
			next++
		} else {
			dst[i] = view{}
		}
	}
}

// plainWords decodes PLAIN INT64, DOUBLE or big-endian decimals.
func plainWords(dst []int64, src []byte, fixedLen int) error {
	if fixedLen > 0 {
		return plainDecimals(dst, src, fixedLen)
	}
	if len(src)/8 < len(dst) {
		return errCorrupt
	}
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
	}
	return nil
}

// plainDecimals decodes big-endian two's complement decimals of 1 to 8 bytes.
func plainDecimals(dst []int64, src []byte, width int) error {
	if len(src)/width < len(dst) {
		return errCorrupt
	}
	shift := 64 - 8*width
	i := 0
	for ; i < len(dst) && i*width+8 <= len(src); i++ {
		dst[i] = int64(binary.BigEndian.Uint64(src[i*width:])) >> shift
	}
	for ; i < len(dst); i++ {
		var value uint64
		for _, b := range src[i*width : (i+1)*width] {
			value = value<<8 | uint64(b)
		}
		dst[i] = int64(value<<shift) >> shift
	}
	return nil
}

// plainViews makes views of PLAIN byte arrays without moving their bytes.
func (c *column) plainViews(dst []view, p page) error {
	src, buffer := c.keep(p)
	at := 0
	for i := range dst {
		if len(src)-at < 4 {
			return errCorrupt
		}
		n := int(binary.LittleEndian.Uint32(src[at:]))
		at += 4
		if n > len(src)-at {
			return errCorrupt
		}
		dst[i] = makeView(src, at, n, buffer)
		at += n
	}
	return nil
}

// deltaLengthViews makes views of DELTA_LENGTH_BYTE_ARRAY strings.
func (c *column) deltaLengthViews(dst []view, p page) error {
	c.compact = grow(c.compact, len(dst))
	used, err := decodeDelta(c.compact, p.body)
	if err != nil {
		return err
	}
	src, buffer := c.keep(p)
	at := used
	for i := range dst {
		n := c.compact[i]
		if n < 0 || n > int64(len(src)-at) {
			return errCorrupt
		}
		dst[i] = makeView(src, at, int(n), buffer)
		at += int(n)
	}
	return nil
}

// decodeIndices reads an RLE_DICTIONARY page body and checks every index
// against the dictionary's size.
func decodeIndices(dst []int32, src []byte, dictionary int) error {
	if len(dst) == 0 {
		return nil
	}
	if len(src) == 0 || src[0] > 32 {
		return errCorrupt
	}
	width := int(src[0])
	src = src[1:]
	var top uint32
	for at := 0; at < len(dst); {
		header, used := binary.Uvarint(src)
		if used <= 0 {
			return errCorrupt
		}
		src = src[used:]
		if header&1 == 0 {
			run := int(min(header>>1, uint64(len(dst)-at)))
			size := (width + 7) / 8
			if len(src) < size || run == 0 {
				return errCorrupt
			}
			var value uint32
			for i, b := range src[:size] {
				value |= uint32(b) << (8 * i)
			}
			top = max(top, value)
			for i := range dst[at : at+run] {
				dst[at+i] = int32(value)
			}
			src = src[size:]
			at += run
			continue
		}
		groups := header >> 1
		if groups == 0 || groups > uint64(len(src)) && width > 0 || groups > 1<<31 {
			return errCorrupt
		}
		size := min(int(groups)*width, len(src))
		run := min(int(groups)*8, len(dst)-at)
		if size*8 < run*width {
			return errCorrupt
		}
		top = max(top, unpack(dst[at:at+run], src[:size], width))
		src = src[size:]
		at += run
	}
	if int64(top) >= int64(dictionary) {
		return fmt.Errorf("index %d in a dictionary of %d: %w", top, dictionary, errCorrupt)
	}
	return nil
}

// unpack reads bit-packed values of the given width (0 to 32) and returns an
// upper bound of them: their bitwise or, or their maximum where the or would
// be too loose.
func unpack(dst []int32, src []byte, width int) (top uint32) {
	mask := uint64(1)<<width - 1
	i, bit := 0, 0
	// Whole words: as many values as surely fit in 57 bits, from one load.
	each := 8
	for each*width > 57 {
		each /= 2
	}
	for i+8 <= len(dst) && bit>>3+width+8 <= len(src) {
		out := dst[i : i+8 : i+8]
		switch each {
		case 8:
			word := binary.LittleEndian.Uint64(src[bit>>3:])
			for j := range out {
				value := uint32(word & mask)
				top = max(top, value)
				out[j] = int32(value)
				word >>= width
			}
		default:
			for j := 0; j < 8; j += each {
				from := bit + j*width
				word := binary.LittleEndian.Uint64(src[from>>3:]) >> (from & 7)
				for k := range out[j : j+each] {
					value := uint32(word & mask)
					top = max(top, value)
					out[j+k] = int32(value)
					word >>= width
				}
			}
		}
		i, bit = i+8, bit+8*width
	}
	for ; i < len(dst); i, bit = i+1, bit+width {
		var word uint64
		for j := 0; j < 5 && bit>>3+j < len(src); j++ {
			word |= uint64(src[bit>>3+j]) << (8 * j)
		}
		value := uint32(word >> (bit & 7) & mask)
		top = max(top, value)
		dst[i] = int32(value)
	}
	return top
}

// decodeDelta reads DELTA_BINARY_PACKED integers and returns the bytes used.
func decodeDelta(dst []int64, src []byte) (int, error) {
	all := len(src)
	var header [4]uint64 // values a block, miniblocks a block, values, first
	for i := range header {
		value, used := binary.Uvarint(src)
		if used <= 0 {
			return 0, errCorrupt
		}
		header[i] = value
		src = src[used:]
	}
	block, minis := header[0], header[1]
	if block == 0 || block > 1<<16 || minis == 0 || minis > block || block/minis%32 != 0 || header[2] < uint64(len(dst)) {
		return 0, errCorrupt
	}
	per := int(block / minis)
	if len(dst) == 0 {
		return all - len(src), nil
	}
	value := unzigzag(header[3])
	dst[0] = value
	for at := 1; at < len(dst); {
		lowest, used := binary.Uvarint(src)
		if used <= 0 || len(src)-used < int(minis) {
			return 0, errCorrupt
		}
		delta := unzigzag(lowest)
		widths := src[used : used+int(minis)]
		src = src[used+int(minis):]
		for _, w := range widths {
			if at == len(dst) {
				break
			}
			width := int(w)
			size := per * width / 8
			if width > 64 || size > len(src) {
				return 0, errCorrupt
			}
			value = unpackDelta(dst[at:min(at+per, len(dst))], src, width, value, delta)
			at = min(at+per, len(dst))
			src = src[size:]
		}
	}
	return all - len(src), nil
}

// unpackDelta decodes one miniblock and returns its last value.
func unpackDelta(dst []int64, src []byte, width int, value, delta int64) int64 {
	mask := ^uint64(0) >> (64 - width)
	bit := 0
	for i := range dst {
		var packed uint64
		switch from := bit >> 3; {
		case width <= 57 && from+8 <= len(src):
			packed = binary.LittleEndian.Uint64(src[from:]) >> (bit & 7)
		default:
			for j := 0; j < 9 && from+j < len(src); j++ {
				if shift := 8*j - bit&7; shift >= 0 {
					packed |= uint64(src[from+j]) << shift
				} else {
					packed |= uint64(src[from+j]) >> -shift
				}
			}
		}
		value += delta + int64(packed&mask)
		dst[i] = value
		bit += width
	}
	return value
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// byteStreamSplit reads 8-byte values stored as eight streams.
func byteStreamSplit(dst []int64, src []byte) error {
	n := len(src) / 8
	if n < len(dst) {
		return errCorrupt
	}
	n = len(dst)
	stride := len(src) / 8
	s0, s1, s2, s3 := src[:n], src[stride:][:n], src[2*stride:][:n], src[3*stride:][:n]
	s4, s5, s6, s7 := src[4*stride:][:n], src[5*stride:][:n], src[6*stride:][:n], src[7*stride:][:n]
	for i := range dst {
		dst[i] = int64(uint64(s0[i]) | uint64(s1[i])<<8 | uint64(s2[i])<<16 | uint64(s3[i])<<24 |
			uint64(s4[i])<<32 | uint64(s5[i])<<40 | uint64(s6[i])<<48 | uint64(s7[i])<<56)
	}
	return nil
}
