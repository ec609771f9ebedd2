package parquet

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/types"
)

// The readers of this file and its neighbours give the present values of one page in order, as many at a time as a batch wants.

// fixedReader reads values of one width.
type fixedReader interface {
	// next gives the bytes of the next n values, little-endian and side by side, valid until the next call.
	next(n int) ([]byte, error)
	skip(n int) error
}

// bytesReader reads byte strings.
type bytesReader interface {
	// next makes views of the next len(dst) values into data buffer number buffer, whose bytes it gives. Those stay as they are.
	next(dst []types.View, buffer int) ([]byte, error)
	skip(n int) error
}

var errShortPage = corrupt("a page ends before its last value")

// plainFixed reads PLAIN values of a fixed width.
type plainFixed struct {
	src   []byte
	width int
}

func (r *plainFixed) next(n int) ([]byte, error) {
	if n > len(r.src)/r.width {
		return nil, errShortPage
	}
	size := n * r.width
	values := r.src[:size]
	r.src = r.src[size:]
	return values, nil
}

func (r *plainFixed) skip(n int) error {
	_, err := r.next(n)
	return err
}

// plainBytes reads PLAIN byte strings: each behind its length in four bytes. Views point into the page.
type plainBytes struct{ src []byte }

func (r *plainBytes) next(dst []types.View, buffer int) ([]byte, error) {
	src, at := r.src, 0
	for i := range dst {
		if len(src)-at < 4 {
			return nil, errShortPage
		}
		n := int(binary.LittleEndian.Uint32(src[at:]))
		at += 4
		if n > len(src)-at {
			return nil, errShortPage
		}
		dst[i] = viewAt(src, at, at+n, buffer, at)
		at += n
	}
	r.src = src[at:]
	return src[:at:at], nil
}

func (r *plainBytes) skip(n int) error {
	for range n {
		if len(r.src) < 4 {
			return errShortPage
		}
		size := int(binary.LittleEndian.Uint32(r.src))
		if size > len(r.src)-4 {
			return errShortPage
		}
		r.src = r.src[4+size:]
	}
	return nil
}

// plainFixedBytes reads PLAIN byte strings of one length. Views point into the page.
type plainFixedBytes struct{ plainFixed }

func (r *plainFixedBytes) next(dst []types.View, buffer int) ([]byte, error) {
	all := r.src
	values, err := r.plainFixed.next(len(dst))
	if err != nil {
		return nil, err
	}
	for i := range dst {
		dst[i] = viewAt(all, i*r.width, (i+1)*r.width, buffer, i*r.width)
	}
	return values[:len(values):len(values)], nil
}

// boolReader reads booleans.
type boolReader interface {
	// next ors the next n values into the bits of dst from bit at on, which are clear.
	next(dst types.Bitmap, at, n int) error
	skip(n int) error
}

// plainBools reads PLAIN booleans: bits.
type plainBools struct {
	src []byte
	bit int
}

func (r *plainBools) next(dst types.Bitmap, at, n int) error {
	if n > len(r.src)*8-r.bit {
		return errShortPage
	}
	orBits(dst, at, r.src, r.bit, n)
	r.bit += n
	return nil
}

func (r *plainBools) skip(n int) error {
	if n > len(r.src)*8-r.bit {
		return errShortPage
	}
	r.bit += n
	return nil
}

// runBools reads RLE booleans: a hybrid of width 1 behind its length in four bytes.
type runBools struct{ hybrid }

func newRunBools(src []byte) (*runBools, error) {
	levels, _, err := cutLevels(src, encodingRLE)
	if err != nil {
		return nil, errShortPage
	}
	return &runBools{newHybrid(levels, 1)}, nil
}

func (r *runBools) next(dst types.Bitmap, at, n int) error {
	_, err := r.readBits(dst, at, n)
	return err
}

// checkText checks that strings are UTF-8. body holds all of them and perhaps their lengths: when it is ASCII, no string has to be
// looked at.
func checkText(body []byte, views []types.View, buffers []types.Buffer) error {
	if isASCII(body) {
		return nil
	}
	for i := range views {
		if !utf8.Valid(views[i].Bytes(buffers)) {
			return types.Errorf(types.CodeInvalidUTF8, "a string is not valid UTF-8")
		}
	}
	return nil
}
