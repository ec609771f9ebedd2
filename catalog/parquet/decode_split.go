package parquet

// splitReader reads BYTE_STREAM_SPLIT values: first the first bytes of all values, then their second bytes, and so on.
type splitReader struct {
	src    []byte
	width  int
	values int // of the page
	at     int
	out    []byte
}

func newSplitReader(src []byte, width int) *splitReader {
	return &splitReader{src: src, width: width, values: len(src) / width}
}

func (r *splitReader) next(n int) ([]byte, error) {
	if n > r.values-r.at {
		return nil, errShortPage
	}
	if cap(r.out) < n*r.width {
		r.out = make([]byte, n*r.width)
	}
	out := r.out[:n*r.width]
	switch r.width {
	case 4:
		s0, s1, s2, s3 := r.stream(0, n), r.stream(1, n), r.stream(2, n), r.stream(3, n)
		for i := range s0 {
			word := out[4*i : 4*i+4]
			word[0], word[1], word[2], word[3] = s0[i], s1[i], s2[i], s3[i]
		}
	case 8:
		s0, s1, s2, s3 := r.stream(0, n), r.stream(1, n), r.stream(2, n), r.stream(3, n)
		s4, s5, s6, s7 := r.stream(4, n), r.stream(5, n), r.stream(6, n), r.stream(7, n)
		for i := range s0 {
			word := out[8*i : 8*i+8]
			word[0], word[1], word[2], word[3] = s0[i], s1[i], s2[i], s3[i]
			word[4], word[5], word[6], word[7] = s4[i], s5[i], s6[i], s7[i]
		}
	default:
		for b := range r.width {
			for i, x := range r.stream(b, n) {
				out[i*r.width+b] = x
			}
		}
	}
	r.at += n
	return out, nil
}

// stream gives byte number b of the next n values; every stream has the same length, so that bounds are checked once.
func (r *splitReader) stream(b, n int) []byte {
	from := b*r.values + r.at
	return r.src[from : from+n : from+n]
}

func (r *splitReader) skip(n int) error {
	if n > r.values-r.at {
		return errShortPage
	}
	r.at += n
	return nil
}
