package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// kind says how a column's values are held.
type kind int

const (
	kindInt64   kind = iota // int64, and decimals of at most 18 digits
	kindFloat64             // IEEE bits in the same 64-bit words
	kindString              // 16-byte views
)

// Parquet's encoding numbers, as the page headers carry them.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// view is a string of the engine's layout: length, then the bytes themselves
// (at most 12) or a 4-byte prefix, a buffer number and an offset.
//
// Words are little-endian: low is length | prefix<<32, high is the next eight
// bytes or buffer | offset<<32.
type view struct{ low, high uint64 }

func (v view) length() int64 { return int64(uint32(v.low)) }

// column is one row group of a flat column, decoded into the shape a scan
// would hand on: one slot a row plus a validity bitmap, or dictionary indices
// plus the dictionary's views. Its buffers are reused from row group to row
// group, as a scan's worker would.
type column struct {
	kind     kind
	fixedLen int // bytes of a FIXED_LEN_BYTE_ARRAY decimal, 0 for INT64
	maxDef   int // 1 for an optional column

	rows    int
	nulls   int
	valid   []uint64 // one bit a row
	words   []int64  // numeric slots, zero where null
	views   []view   // string slots, zero where null
	indices []int32  // string rows -> dict, when isDict
	isDict  bool

	dictWords []int64
	dictViews []view
	buffers   [][]byte // what long views point into

	scratch []int32 // compacted indices or lengths of one page
	compact []int64 // compacted values of one page
}

// reset prepares c for a row group of the given number of rows.
func (c *column) reset(rows int) {
	c.rows, c.nulls, c.isDict = 0, 0, false
	c.buffers = c.buffers[:0]
	c.valid = grow(c.valid, (rows+63)/64)
	clear(c.valid)
	if c.kind == kindString {
		c.views = grow(c.views, rows)
	} else {
		c.words = grow(c.words, rows)
	}
	c.indices = grow(c.indices, rows)
}

// grow returns s with length n, reallocating only when it must.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// makeView builds the view of data[at:at+n], where data is buffer number
// buffer. It loads whole words and masks what is beyond the string, except at
// the buffer's end.
func makeView(data []byte, at, n, buffer int) view {
	if n > 12 {
		prefix := uint64(binary.LittleEndian.Uint32(data[at:]))
		return view{uint64(n) | prefix<<32, uint64(buffer) | uint64(at)<<32}
	}
	var first, second uint64
	if at+12 <= len(data) {
		first = uint64(binary.LittleEndian.Uint32(data[at:]))
		second = binary.LittleEndian.Uint64(data[at+4:])
	} else {
		var tail [12]byte
		copy(tail[:], data[at:])
		first = uint64(binary.LittleEndian.Uint32(tail[:]))
		second = binary.LittleEndian.Uint64(tail[4:])
	}
	first &= 1<<(8*min(n, 4)) - 1
	second &= 1<<(8*max(n-4, 0)) - 1
	return view{uint64(n) | first<<32, second}
}

// result is what a query over one column answers; every engine must agree.
type result struct {
	rows, nulls int
	sum         float64 // of the values, or of the string lengths
}

// add folds the decoded row group into r. It stands for the aggregate that
// DuckDB's query computes over the same column.
func (r *result) add(c *column) {
	r.rows += c.rows
	r.nulls += c.nulls
	switch {
	case c.isDict:
		var sum int64
		for i, index := range c.indices[:c.rows] {
			length := c.dictViews[index].length()
			sum += length & -int64(c.valid[i>>6]>>(i&63)&1)
		}
		r.sum += float64(sum)
	case c.kind == kindString:
		var sum int64
		for i := range c.views[:c.rows] {
			sum += c.views[i].length()
		}
		r.sum += float64(sum)
	case c.kind == kindFloat64:
		var a, b, d, e float64
		words := c.words[:c.rows]
		for ; len(words) >= 4; words = words[4:] {
			a += math.Float64frombits(uint64(words[0]))
			b += math.Float64frombits(uint64(words[1]))
			d += math.Float64frombits(uint64(words[2]))
			e += math.Float64frombits(uint64(words[3]))
		}
		for _, w := range words {
			a += math.Float64frombits(uint64(w))
		}
		r.sum += a + b + d + e
	default:
		var sum int64
		for _, w := range c.words[:c.rows] {
			sum += w
		}
		r.sum += float64(sum)
	}
}

// page is one decompressed page with its header reduced to what decoding
// needs. Levels of a flat optional column are its validity.
type page struct {
	dictionary bool
	encoding   int
	values     int    // rows of a flat column, nulls included
	levels     []byte // RLE/bit-packed definition levels, nil when required
	body       []byte
	stable     bool // body outlives the row group's decoding
}

// splitV1 cuts the definition levels off a version 1 page.
func splitV1(data []byte, maxDef int) (levels, body []byte, err error) {
	if maxDef == 0 {
		return nil, data, nil
	}
	if len(data) < 4 {
		return nil, nil, errCorrupt
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n > uint64(len(data)-4) {
		return nil, nil, errCorrupt
	}
	return data[4 : 4+n], data[4+n:], nil
}

// decode appends one page to the row group.
func (c *column) decode(p page) error {
	if p.dictionary {
		return c.decodeDictionary(p)
	}
	at := c.rows
	if p.values < 0 || p.values > len(c.indices)-at {
		return errCorrupt
	}
	present := p.values
	if p.levels == nil {
		setBits(c.valid, at, p.values)
	} else {
		var err error
		if present, err = decodeValidity(c.valid, at, p.values, p.levels); err != nil {
			return err
		}
	}
	c.rows += p.values
	c.nulls += p.values - present
	if c.kind == kindString {
		return c.decodeStrings(p, at, present)
	}
	return c.decodeWords(p, at, present)
}

// decodeDictionary reads a PLAIN dictionary page.
func (c *column) decodeDictionary(p page) error {
	if p.values < 0 || p.values > len(p.body) {
		return errCorrupt
	}
	if c.kind == kindString {
		c.dictViews = grow(c.dictViews, p.values)
		return c.plainViews(c.dictViews, p)
	}
	c.dictWords = grow(c.dictWords, p.values)
	return plainWords(c.dictWords, p.body, c.fixedLen)
}

// decodeWords decodes the page's present values and spreads them over its
// rows.
func (c *column) decodeWords(p page, at, present int) error {
	slots := c.words[at : at+p.values]
	dst := slots
	if present < p.values {
		c.compact = grow(c.compact, present+1) // one more: spread reads ahead
		dst = c.compact[:present]
	}
	var err error
	switch p.encoding {
	case encPlain:
		err = plainWords(dst, p.body, c.fixedLen)
	case encPlainDictionary, encRLEDictionary:
		c.scratch = grow(c.scratch, present)
		if err = decodeIndices(c.scratch, p.body, len(c.dictWords)); err == nil {
			for i, index := range c.scratch {
				dst[i] = c.dictWords[index]
			}
		}
	case encDeltaBinary:
		_, err = decodeDelta(dst, p.body)
	case encByteStreamSplit:
		err = byteStreamSplit(dst, p.body)
	default:
		err = fmt.Errorf("encoding %d", p.encoding)
	}
	if err == nil && present < p.values {
		spread(slots, c.compact, c.valid, at)
	}
	return err
}

// decodeStrings makes views of the page's strings, or keeps their indices.
func (c *column) decodeStrings(p page, at, present int) error {
	if p.encoding == encPlainDictionary || p.encoding == encRLEDictionary {
		c.isDict = true
		dst := c.indices[at : at+p.values]
		if present < p.values {
			c.scratch = grow(c.scratch, present+1)
			dst = c.scratch[:present]
		}
		if err := decodeIndices(dst, p.body, len(c.dictViews)); err != nil {
			return err
		}
		if present < p.values {
			spread(c.indices[at:at+p.values], c.scratch, c.valid, at)
		}
		return nil
	}
	if c.isDict {
		return fmt.Errorf("a string column that leaves its dictionary is beyond the spike")
	}
	views := c.views[at : at+p.values]
	dst := views[p.values-present:] // spread upwards in place
	switch p.encoding {
	case encPlain:
		if err := c.plainViews(dst, p); err != nil {
			return err
		}
	case encDeltaLength:
		if err := c.deltaLengthViews(dst, p); err != nil {
			return err
		}
	default:
		return fmt.Errorf("encoding %d", p.encoding)
	}
	if present < p.values {
		spreadViews(views, dst, c.valid, at)
	}
	return nil
}

// keep returns the page's body as memory that outlives the page, and its
// buffer number.
func (c *column) keep(p page) ([]byte, int) {
	body := p.body
	if !p.stable {
		body = append(make([]byte, 0, len(body)), body...)
	}
	c.buffers = append(c.buffers, body)
	return body, len(c.buffers) - 1
}

// setBits sets n bits of the bitmap from bit at on.
func setBits(bitmap []uint64, at, n int) {
	for n > 0 {
		shift := at & 63
		take := min(n, 64-shift)
		bitmap[at>>6] |= ^uint64(0) >> (64 - take) << shift
		at, n = at+take, n-take
	}
}

// countBits counts the set bits among n bits from bit at on.
func countBits(bitmap []uint64, at, n int) int {
	count := 0
	for n > 0 {
		shift := at & 63
		take := min(n, 64-shift)
		count += bits.OnesCount64(bitmap[at>>6] >> shift << (64 - take))
		at, n = at+take, n-take
	}
	return count
}
