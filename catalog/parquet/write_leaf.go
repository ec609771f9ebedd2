package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/lacunadb/lacuna/types"
)

// writtenChunk is a column chunk in the file: offsets are from its start, sizes with the page headers.
type writtenChunk struct {
	node                     *writtenNode
	offset, data, dictionary int64
	values, nulls            int64
	uncompressed, compressed int64
	low, high                []byte // nil: not known
}

// pageEntries is how many entries a page has, about.
const pageEntries = 20_000

// maxStatisticsBytes bounds the length of texts in statistics.
const maxStatisticsBytes = 64

// leaf writes a column chunk.
func (w *writer) leaf(n *writtenNode, v *types.Vector, in entryList) (writtenChunk, error) {
	c := writtenChunk{node: n, offset: w.offset, values: int64(len(in.rows))}
	present := make([]int32, 0, len(in.rows))
	for _, row := range in.rows {
		if row >= 0 {
			present = append(present, row)
		}
	}
	c.nulls = c.values - int64(len(present))
	e, err := newLeafEncoder(n, v)
	if err != nil {
		return c, err
	}
	c.low, c.high = e.bounds(present)
	keys, entries := e.dictionary(present)
	if keys != nil {
		var body []byte
		for _, row := range entries {
			body = e.appendValue(body, row)
		}
		c.dictionary = w.offset
		if err := w.page(&c, body, func(t *compactWriter) {
			t.structure(7, func() {
				t.int32(1, int64(len(entries)))
				t.int32(2, encodingPlain)
			})
		}, pageDictionary); err != nil {
			return c, err
		}
	}
	c.data = w.offset
	value := 0 // of present
	for from := 0; from < len(in.rows) || from == 0; {
		to := min(from+pageEntries, len(in.rows))
		for to < len(in.rows) && in.repetition[to] > 0 {
			to++ // a row stands in one page
		}
		var body []byte
		if n.repetition > 0 {
			body = appendLevelRuns(body, in.repetition[from:to], n.repetition)
		}
		if n.definition > 0 {
			body = appendLevelRuns(body, in.definition[from:to], n.definition)
		}
		first := value
		for _, row := range in.rows[from:to] {
			if row >= 0 {
				value++
			}
		}
		encoding := int64(encodingPlain)
		if keys != nil {
			encoding = encodingRLEDictionary
			width := bits.Len32(uint32(max(len(entries)-1, 0)))
			body = append(body, byte(width))
			body = appendHybrid(body, keys[first:value], width)
		} else if n.element.physical == physicalBoolean {
			body = e.appendBools(body, present[first:value])
		} else {
			for _, row := range present[first:value] {
				body = e.appendValue(body, row)
			}
		}
		if e.err != nil {
			return c, e.err
		}
		count := int64(to - from)
		if err := w.page(&c, body, func(t *compactWriter) {
			t.structure(5, func() {
				t.int32(1, count)
				t.int32(2, encoding)
				t.int32(3, encodingRLE)
				t.int32(4, encodingRLE)
			})
		}, pageData); err != nil {
			return c, err
		}
		if from = to; len(in.rows) == 0 {
			break
		}
	}
	return c, nil
}

// page compresses and writes a page.
func (w *writer) page(c *writtenChunk, body []byte, header func(*compactWriter), kind int64) error {
	packed, err := compressPage(w.codec, body)
	if err != nil {
		return err
	}
	if len(body) > maxPageBytes {
		return unsupported("a page of %d bytes of column %v is too large", len(body), c.node.path)
	}
	var t compactWriter
	t.begin()
	t.int32(1, kind)
	t.int32(2, int64(len(body)))
	t.int32(3, int64(len(packed)))
	header(&t)
	t.end()
	c.uncompressed += int64(len(t.data) + len(body))
	c.compressed += int64(len(t.data) + len(packed))
	if err := w.write(t.data); err != nil {
		return err
	}
	return w.write(packed)
}

var zstdEncoder = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })

func compressPage(codec int64, body []byte) ([]byte, error) {
	switch codec {
	case codecSnappy:
		return s2.EncodeSnappy(nil, body), nil
	case codecZstd:
		encoder, err := zstdEncoder()
		if err != nil {
			return nil, types.Errorf(types.CodeInternal, "%v", err)
		}
		return encoder.EncodeAll(body, nil), nil
	case codecGzip:
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, err := z.Write(body)
		if err == nil {
			err = z.Close()
		}
		return out.Bytes(), err
	case codecBrotli:
		var out bytes.Buffer
		z := brotli.NewWriterLevel(&out, 5)
		_, err := z.Write(body)
		if err == nil {
			err = z.Close()
		}
		return out.Bytes(), err
	case codecLZ4Raw:
		dst := make([]byte, lz4.CompressBlockBound(len(body)))
		n, err := new(lz4.Compressor).CompressBlock(body, dst)
		return dst[:n], err
	}
	return body, nil
}

// appendLevelRuns appends levels with their length in front.
func appendLevelRuns(dst []byte, values []uint8, most int) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	wide := make([]uint32, len(values))
	for i, v := range values {
		wide[i] = uint32(v)
	}
	dst = appendHybrid(dst, wide, bits.Len(uint(most)))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// appendHybrid appends numbers of some bits in the RLE/bit-packing hybrid encoding: runs of eight and more alike as a run, the rest in groups of eight.
func appendHybrid(dst []byte, values []uint32, width int) []byte {
	for len(values) > 0 {
		run := runOf(values)
		if run >= 8 || width == 0 {
			if width == 0 {
				run = len(values)
			}
			dst = binary.AppendUvarint(dst, uint64(run)<<1)
			for i := 0; i < width; i += 8 {
				dst = append(dst, byte(values[0]>>i))
			}
			values = values[run:]
			continue
		}
		// Groups of eight up to where the next run begins.
		n := 8
		for n < len(values) && n < 8*63 && runOf(values[n:min(n+8, len(values))]) < 8 {
			n += 8
		}
		groups := (min(n, len(values)) + 7) / 8
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		var word uint64
		filled := 0
		for i := range groups * 8 {
			if i < len(values) {
				word |= uint64(values[i]) << filled
			}
			for filled += width; filled >= 8; filled -= 8 {
				dst = append(dst, byte(word))
				word >>= 8
			}
		}
		values = values[min(groups*8, len(values)):]
	}
	return dst
}

// runOf gives how many numbers at the start are the same.
func runOf(values []uint32) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// leafEncoder writes the values of a leaf in PLAIN encoding.
type leafEncoder struct {
	node   *writtenNode
	vector *types.Vector
	views  []types.View
	err    error
}

func newLeafEncoder(n *writtenNode, v *types.Vector) (*leafEncoder, error) {
	e := &leafEncoder{node: n, vector: v}
	if v.Type().Storage() == types.StorageView {
		e.views = types.ValuesOf[types.View](v)
	}
	return e, nil
}

// text gives the bytes of a BYTE_ARRAY.
func (e *leafEncoder) text(row int32) []byte {
	if e.views == nil { // of an ENUM
		return []byte(e.vector.Type().Members()[types.ValuesOf[uint32](e.vector)[row]])
	}
	return e.views[row].Bytes(e.vector.DataBuffers())
}

// number gives a value of INT32 or INT64.
func (e *leafEncoder) number(row int32) int64 {
	x := int64(0)
	switch e.vector.Type().Storage() {
	case types.StorageInt8:
		x = int64(types.ValuesOf[int8](e.vector)[row])
	case types.StorageInt16:
		x = int64(types.ValuesOf[int16](e.vector)[row])
	case types.StorageInt32:
		x = int64(types.ValuesOf[int32](e.vector)[row])
	case types.StorageInt64:
		x = types.ValuesOf[int64](e.vector)[row]
	case types.StorageUint8:
		x = int64(types.ValuesOf[uint8](e.vector)[row])
	case types.StorageUint16:
		x = int64(types.ValuesOf[uint16](e.vector)[row])
	case types.StorageUint32:
		x = int64(types.ValuesOf[uint32](e.vector)[row])
	case types.StorageUint64:
		x = int64(types.ValuesOf[uint64](e.vector)[row])
	}
	if e.node.scale != 0 {
		high, low := bits.Mul64(uint64(max(x, -x)), uint64(e.node.scale))
		if high != 0 || low > math.MaxInt64 {
			e.err = types.KindErrorf(types.ErrCastOverflow, "%s is too large for milliseconds", types.Text(e.vector, int(row)))
		}
		x *= e.node.scale
	}
	return x
}

// tooManyDigits is 10^38, the first number that DECIMAL(38, 0) does not hold.
var tooManyDigits = new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)

// fixed gives a value of FIXED_LEN_BYTE_ARRAY: numbers are big-endian.
func (e *leafEncoder) fixed(dst []byte, row int32) []byte {
	switch e.vector.Type().Storage() {
	case types.StorageFloat16:
		return binary.LittleEndian.AppendUint16(dst, types.ValuesOf[uint16](e.vector)[row])
	case types.StorageInt128:
		raw := e.vector.Data().Bytes[int(row)*16 : int(row)*16+16]
		high := binary.LittleEndian.Uint64(raw[8:])
		if e.vector.Type().Kind() == types.KindUUID {
			u, _ := types.Value(e.vector, int(row)).(types.UUIDValue)
			return append(dst, u[:]...)
		}
		if e.vector.Type().Kind() == types.KindHugeInt {
			// Nearly all values are known to fit by their high word, without being made into a big.Int.
			const certain = 5_421_010_862_427_522_170 // 10^38 / 2^64, rounded down
			if h := int64(high); h < -certain || h >= certain {
				x, _ := types.Value(e.vector, int(row)).(*big.Int)
				if x != nil && x.CmpAbs(tooManyDigits) >= 0 {
					e.err = types.KindErrorf(types.ErrCastOverflow, "HUGEINT %s has more than the 38 digits that Parquet keeps", x)
				}
			}
		}
		dst = binary.BigEndian.AppendUint64(dst, high)
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(raw))
	}
	if e.vector.Type().Kind() == types.KindInterval {
		x := types.ValuesOf[types.MonthDayNano](e.vector)[row]
		millis := x.Nanos / 1e6
		if x.Months < 0 || x.Days < 0 || x.Nanos < 0 || x.Nanos%1e6 != 0 || millis > math.MaxUint32 {
			e.err = types.KindErrorf(types.ErrCastOverflow, "INTERVAL %s is negative or not of whole milliseconds, which is all that Parquet keeps", types.Text(e.vector, int(row)))
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Months))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(x.Days))
		return binary.LittleEndian.AppendUint32(dst, uint32(millis))
	}
	raw := e.vector.Data().Bytes[int(row)*32 : int(row)*32+32]
	for i := 24; i >= 0; i -= 8 {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(raw[i:]))
	}
	return dst
}

// appendValue appends a value that is not BOOLEAN.
func (e *leafEncoder) appendValue(dst []byte, row int32) []byte {
	switch e.node.element.physical {
	case physicalInt32:
		return binary.LittleEndian.AppendUint32(dst, uint32(e.number(row)))
	case physicalInt64:
		return binary.LittleEndian.AppendUint64(dst, uint64(e.number(row)))
	case physicalFloat:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(types.ValuesOf[float32](e.vector)[row]))
	case physicalDouble:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(types.ValuesOf[float64](e.vector)[row]))
	case physicalByteArray:
		text := e.text(row)
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
	}
	return e.fixed(dst, row)
}

// appendBools appends BOOLEANs, a bit each.
func (e *leafEncoder) appendBools(dst []byte, rows []int32) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, (len(rows)+7)/8)...)
	truth := e.vector.Bools()
	for i, row := range rows {
		if truth.Get(int(row)) {
			dst[at+i/8] |= 1 << (i % 8)
		}
	}
	return dst
}

// Limits of a dictionary.
const (
	maxDictionaryEntries = 1 << 16
	maxDictionaryBytes   = 1 << 20
)

// dictionary gives the values as keys of distinct ones, whose rows it gives; nil where a dictionary would not pay.
func (e *leafEncoder) dictionary(rows []int32) (keys []uint32, entries []int32) {
	if len(rows) == 0 {
		return nil, nil
	}
	most := min(maxDictionaryEntries, len(rows)/2+1)
	keys = make([]uint32, len(rows))
	switch e.node.element.physical {
	case physicalByteArray:
		place, size := map[string]uint32{}, 0
		for i, row := range rows {
			text := e.text(row)
			key, known := place[string(text)]
			if !known {
				if size += len(text) + 4; len(entries) == most || size > maxDictionaryBytes {
					return nil, nil
				}
				key = uint32(len(entries))
				place[string(text)] = key
				entries = append(entries, row)
			}
			keys[i] = key
		}
	case physicalInt32, physicalInt64:
		place := map[int64]uint32{}
		for i, row := range rows {
			x := e.number(row)
			key, known := place[x]
			if !known {
				if len(entries) == most {
					return nil, nil
				}
				key = uint32(len(entries))
				place[x] = key
				entries = append(entries, row)
			}
			keys[i] = key
		}
	default:
		return nil, nil
	}
	return keys, entries
}

// bounds gives the least and the greatest value as statistics have them; nil where they are not written: for types without an order here, long texts,
// and floats with a NaN.
func (e *leafEncoder) bounds(rows []int32) (low, high []byte) {
	if len(rows) == 0 {
		return nil, nil
	}
	lowest, highest := rows[0], rows[0]
	var less func(a, b int32) bool
	switch e.node.element.physical {
	case physicalInt32, physicalInt64:
		if e.vector.Type().IsUnsigned() {
			less = func(a, b int32) bool { return uint64(e.number(a)) < uint64(e.number(b)) }
		} else {
			less = func(a, b int32) bool { return e.number(a) < e.number(b) }
		}
	case physicalFloat, physicalDouble:
		return e.floatBounds(rows)
	case physicalByteArray:
		less = func(a, b int32) bool { return bytes.Compare(e.text(a), e.text(b)) < 0 }
	default:
		return nil, nil
	}
	for _, row := range rows[1:] {
		if less(row, lowest) {
			lowest = row
		}
		if less(highest, row) {
			highest = row
		}
	}
	if e.node.element.physical == physicalByteArray {
		low, high = e.text(lowest), e.text(highest)
		if len(low) > maxStatisticsBytes || len(high) > maxStatisticsBytes {
			return nil, nil
		}
		return append([]byte{}, low...), append([]byte{}, high...)
	}
	return e.appendValue(nil, lowest), e.appendValue(nil, highest)
}

func (e *leafEncoder) floatBounds(rows []int32) (low, high []byte) {
	value := func(row int32) float64 {
		if e.node.element.physical == physicalFloat {
			return float64(types.ValuesOf[float32](e.vector)[row])
		}
		return types.ValuesOf[float64](e.vector)[row]
	}
	lowest, highest := value(rows[0]), value(rows[0])
	for _, row := range rows {
		x := value(row)
		if x != x {
			return nil, nil
		}
		lowest, highest = min(lowest, x), max(highest, x)
	}
	if lowest == 0 {
		lowest = math.Copysign(0, -1) // as the format asks: zeros have no order
	}
	if highest == 0 {
		highest = 0
	}
	if e.node.element.physical == physicalFloat {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(lowest))), binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(highest)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(lowest)), binary.LittleEndian.AppendUint64(nil, math.Float64bits(highest))
}
