package kernels

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lacunadb/lacuna/types"
)

// SortKey is one expression of ORDER BY with its direction. NullsFirst holds whatever the direction; nulls inside nested values are
// the greatest, and Descending reverses that with the rest (null-semantics 2.11).
type SortKey struct {
	Vector     *types.Vector
	Descending bool
	NullsFirst bool
}

// SortIndices gives the rows 0 to n-1 in the order of the keys, first key first. Ties keep their order.
func SortIndices(env *Env, keys []SortKey, n int) []uint32 {
	indices := types.Alloc[uint32](env.pool(), n)
	for i := range indices {
		indices[i] = uint32(i)
	}
	if n < 2 || len(keys) == 0 {
		return indices
	}
	s := EncodeSortKeys(env, keys, n)
	switch {
	case n < radixRows || !s.exact || s.width > radixWidth:
		sortByPrefix(env.pool(), &s, indices)
		return indices
	case s.width <= 9:
		radixSortWords(env.pool(), &s, indices)
		return indices
	}
	return radixSortBytes(env.pool(), &s, indices)
}

// CompareRows compares row i under keys a with row j under keys b: negative when it comes before, zero when they tie. Both have the
// same types and directions; the vectors may be of different batches.
func CompareRows(a []SortKey, i int, b []SortKey, j int) int {
	for k, x := range a {
		if c := compareKey(x, i, b[k], j); c != 0 {
			return c
		}
	}
	return 0
}

func compareKey(x SortKey, i int, y SortKey, j int) int {
	a, row, aok := x.Vector.Locate(i)
	b, other, bok := y.Vector.Locate(j)
	switch {
	case aok && bok:
		c := compareRows(total, a, row, b, other)
		if x.Descending {
			return -c
		}
		return c
	case aok == bok:
		return 0
	case aok == x.NullsFirst:
		return 1
	}
	return -1
}

// SortKeys are the sort keys of n rows, encoded so that most comparisons are one comparison of bytes. Values of different batches
// encode alike, so sorted runs can be merged.
//
// Each row has width bytes: of every key up to and including the first that does not fit, a byte that places nulls and the
// value in big-endian order-preserving form; descending keys are complemented. Numbers and times fit whole, of strings the
// first bytes are encoded, of nested values none. When bytes tie and some key was cut off, the values decide.
type SortKeys struct {
	bytes []byte
	width int
	exact bool      // the bytes hold all keys whole
	rest  []SortKey // the keys from the first that was cut off on, plain
}

// stringPrefix is the number of bytes of a string that its key holds: those that lie in every view.
const stringPrefix = types.MaxInlineView

// EncodeSortKeys encodes the keys of n rows into memory of the pool. The vectors stay in use, for ties.
func EncodeSortKeys(env *Env, keys []SortKey, n int) SortKeys {
	if env.floats() == FloatsTotalOrder {
		keys = slices.Clone(keys)
		for i := range keys {
			keys[i].Vector = totalOrdered(env, keys[i].Vector)
		}
	}
	s := SortKeys{exact: true}
	encoded := 0
	for i, k := range keys {
		width, whole := keyWidth(k.Vector.Type())
		s.width += 1 + width
		encoded++
		if !whole {
			s.exact = false
			s.rest = plainKeys(env, keys[i:])
			keys = append(keys[:i:i], s.rest...)
			break
		}
	}
	s.bytes = env.pool().Bytes(n * s.width)
	at := 0
	for _, k := range keys[:encoded] {
		width, _ := keyWidth(k.Vector.Type())
		encodeKey(env, k, s.bytes, at, s.width, 1+width)
		at += 1 + width
	}
	return s
}

// plainKeys decodes the vectors of keys.
func plainKeys(env *Env, keys []SortKey) []SortKey {
	plain := make([]SortKey, len(keys))
	for i, k := range keys {
		plain[i] = k
		plain[i].Vector = Decode(env, k.Vector)
	}
	return plain
}

// Compare orders row i before, with or after row j of other keys of the same types and directions: negative, zero or positive.
func (s *SortKeys) Compare(i int, other *SortKeys, j int) int {
	c := bytes.Compare(s.bytes[i*s.width:(i+1)*s.width], other.bytes[j*s.width:(j+1)*s.width])
	if c == 0 && !s.exact {
		return compareRest(s.rest, i, other.rest, j)
	}
	return c
}

// compareRest is CompareRows for plain vectors.
func compareRest(a []SortKey, i int, b []SortKey, j int) int {
	for k := range a {
		x, y := a[k].Vector, b[k].Vector
		var c int
		if x.Type().Storage() == types.StorageView && x.Validity().Has(i) && y.Validity().Has(j) {
			// The common case of a tie: strings with the same beginning.
			c = types.CompareViews(&types.ValuesOf[types.View](x)[i], &types.ValuesOf[types.View](y)[j], x.DataBuffers(), y.DataBuffers())
			if a[k].Descending {
				c = -c
			}
		} else {
			c = compareKey(a[k], i, b[k], j)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// Less reports whether row i comes before row j of other.
func (s *SortKeys) Less(i int, other *SortKeys, j int) bool { return s.Compare(i, other, j) < 0 }

// keyWidth gives the bytes that a value of a type takes in a key, and whether they hold all of it.
func keyWidth(t types.Type) (width int, whole bool) {
	switch s := t.Storage(); s {
	case types.StorageNull:
		return 0, true
	case types.StorageBool:
		return 1, true
	case types.StorageView:
		return stringPrefix, false
	case types.StorageStruct:
		if t.Kind() == types.KindTimestampOffset {
			return 8, true
		}
		return 0, false
	case types.StorageList, types.StorageArray, types.StorageUnion:
		return 0, false
	default:
		return s.Width(), true
	}
}

// encodeKey writes one key of each row: width bytes at position at of rows that lie stride bytes apart.
func encodeKey(env *Env, k SortKey, dst []byte, at, stride, width int) {
	v := Decode(env, k.Vector)
	valid := v.Validity()
	encodeValues(v, dst, at+1, stride)
	notNull, null := byte(1), byte(2)
	if k.NullsFirst {
		null = 0
	}
	for i := range v.Len() {
		key := dst[i*stride+at:][:width]
		if v.Type().Kind() == types.KindNull || !valid.Has(i) {
			clear(key)
			key[0] = null
			continue
		}
		key[0] = notNull
		if k.Descending {
			for j := range key[1:] {
				key[1+j] = ^key[1+j]
			}
		}
	}
}

// encodeValues writes the values of a plain vector in ascending order-preserving form; what lies under nulls is arbitrary.
func encodeValues(v *types.Vector, dst []byte, at, stride int) {
	n := v.Len()
	switch v.Type().Storage() {
	case types.StorageBool:
		for i, values := 0, v.Bools(); i < n; i++ {
			dst[i*stride+at] = byte(bit(values.Get(i)))
		}
	case types.StorageInt8:
		for i, x := range types.ValuesOf[int8](v)[:n] {
			dst[i*stride+at] = byte(x) ^ 1<<7
		}
	case types.StorageUint8:
		for i, x := range types.ValuesOf[uint8](v)[:n] {
			dst[i*stride+at] = x
		}
	case types.StorageInt16:
		for i, x := range types.ValuesOf[int16](v)[:n] {
			binary.BigEndian.PutUint16(dst[i*stride+at:], uint16(x)^1<<15)
		}
	case types.StorageUint16:
		for i, x := range types.ValuesOf[uint16](v)[:n] {
			binary.BigEndian.PutUint16(dst[i*stride+at:], x)
		}
	case types.StorageInt32:
		for i, x := range types.ValuesOf[int32](v)[:n] {
			binary.BigEndian.PutUint32(dst[i*stride+at:], uint32(x)^1<<31)
		}
	case types.StorageUint32:
		for i, x := range types.ValuesOf[uint32](v)[:n] {
			binary.BigEndian.PutUint32(dst[i*stride+at:], x)
		}
	case types.StorageInt64:
		for i, x := range types.ValuesOf[int64](v)[:n] {
			binary.BigEndian.PutUint64(dst[i*stride+at:], uint64(x)^1<<63)
		}
	case types.StorageUint64:
		for i, x := range types.ValuesOf[uint64](v)[:n] {
			binary.BigEndian.PutUint64(dst[i*stride+at:], x)
		}
	case types.StorageFloat16:
		for i, x := range types.ValuesOf[uint16](v)[:n] {
			binary.BigEndian.PutUint16(dst[i*stride+at:], orderedHalf(x))
		}
	case types.StorageFloat32:
		for i, x := range types.ValuesOf[float32](v)[:n] {
			binary.BigEndian.PutUint32(dst[i*stride+at:], orderedFloat32(x))
		}
	case types.StorageFloat64:
		for i, x := range types.ValuesOf[float64](v)[:n] {
			binary.BigEndian.PutUint64(dst[i*stride+at:], orderedFloat64(x))
		}
	case types.StorageInt128:
		for i, x := range types.ValuesOf[int128](v)[:n] {
			putInt128(dst[i*stride+at:], x)
		}
	case types.StorageInterval:
		for i, x := range types.ValuesOf[types.MonthDayNano](v)[:n] {
			putInt128(dst[i*stride+at:], intervalLength(x))
		}
	case types.StorageInt256:
		for i, x := range types.ValuesOf[int256](v)[:n] {
			b := dst[i*stride+at:]
			binary.BigEndian.PutUint64(b, x[3]^1<<63)
			binary.BigEndian.PutUint64(b[8:], x[2])
			binary.BigEndian.PutUint64(b[16:], x[1])
			binary.BigEndian.PutUint64(b[24:], x[0])
		}
	case types.StorageView:
		encodePrefixes(v, dst, at, stride)
	case types.StorageStruct:
		if v.Type().Kind() == types.KindTimestampOffset {
			encodeValues(Decode(nil, v.Children()[0]), dst, at, stride)
		}
	}
}

// encodePrefixes writes the first bytes of strings, padded with zeros; views under nulls are not followed.
func encodePrefixes(v *types.Vector, dst []byte, at, stride int) {
	views, buffers, valid := types.ValuesOf[types.View](v), v.DataBuffers(), v.Validity()
	for i := range v.Len() {
		key := dst[i*stride+at:][:stringPrefix]
		n := 0
		if x := &views[i]; x.IsInline() || valid.Has(i) {
			n = copy(key, x.Bytes(buffers))
		}
		clear(key[n:])
	}
}

func putInt128(b []byte, x int128) {
	binary.BigEndian.PutUint64(b, uint64(x.Hi)^1<<63)
	binary.BigEndian.PutUint64(b[8:], x.Lo)
}

// The ordered forms of floats are unsigned integers in SQL's order: negative numbers complemented, others with the sign bit
// set; one form for both zeros and one, the greatest, for all NaNs.

func orderedFloat64(f float64) uint64 {
	switch b := math.Float64bits(f); {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return 1 << 63
	default:
		return b ^ (uint64(int64(b)>>63) | 1<<63)
	}
}

func orderedFloat32(f float32) uint32 {
	switch b := math.Float32bits(f); {
	case f != f:
		return math.MaxUint32
	case f == 0:
		return 1 << 31
	default:
		return b ^ (uint32(int32(b)>>31) | 1<<31)
	}
}

func orderedHalf(h uint16) uint16 {
	switch {
	case h&0x7fff > 0x7c00:
		return math.MaxUint16
	case h&0x7fff == 0:
		return 1 << 15
	}
	return h ^ (uint16(int16(h)>>15) | 1<<15)
}

const (
	radixWidth = 18  // bytes: two 64-bit keys with their null bytes
	radixRows  = 256 // below, the counters cost more than comparisons
)

// radixSortWords sorts keys of up to 9 bytes. The last 8 of them move along with the row as a pair of words; the first byte of 9,
// which places nulls, is looked up in a pass of its own at the end. Bytes in which all rows agree need no pass. Stable.
func radixSortWords(pool *types.Pool, s *SortKeys, indices []uint32) {
	n := len(indices)
	rows, scratch := types.Alloc[int128](pool, n), types.Alloc[int128](pool, n) // Lo is the key, Hi the row
	size := min(8, s.width)
	var differ uint64 // bits in which keys differ
	var nulls byte    // the same for the first byte
	for i := range rows {
		key := s.bytes[i*s.width:][:s.width]
		var word uint64
		if size == 8 {
			word = binary.BigEndian.Uint64(key[len(key)-8:])
		} else {
			for _, x := range key {
				word = word<<8 | uint64(x)
			}
		}
		rows[i] = int128{Lo: word, Hi: int64(i)}
		differ |= word ^ rows[0].Lo
		nulls |= key[0] ^ s.bytes[0]
	}
	for shift := uint(0); shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var count [256]uint32
		for _, r := range rows {
			count[byte(r.Lo>>shift)]++
		}
		startsOf(&count)
		for _, r := range rows {
			x := byte(r.Lo >> shift)
			scratch[count[x]] = r
			count[x]++
		}
		rows, scratch = scratch, rows
	}
	if nulls == 0 || s.width == size {
		for i, r := range rows {
			indices[i] = uint32(r.Hi)
		}
		return
	}
	var count [256]uint32
	for i := range n {
		count[s.bytes[i*s.width]]++
	}
	startsOf(&count)
	for _, r := range rows {
		x := s.bytes[int(r.Hi)*s.width]
		indices[count[x]] = uint32(r.Hi)
		count[x]++
	}
}

// startsOf turns the counts of a byte's values into the places where rows with them start.
func startsOf(count *[256]uint32) {
	var at uint32
	for x, c := range count {
		count[x] = at
		at += c
	}
}

// radixSortBytes sorts by one pass per byte, last byte first. Stable.
func radixSortBytes(pool *types.Pool, s *SortKeys, indices []uint32) []uint32 {
	n := len(indices)
	counts := make([][256]uint32, s.width)
	for i := range n {
		for b, x := range s.bytes[i*s.width:][:s.width] {
			counts[b][x]++
		}
	}
	scratch := types.Alloc[uint32](pool, n)
	for b := s.width - 1; b >= 0; b-- {
		count := &counts[b]
		if count[s.bytes[b]] == uint32(n) { // all rows agree
			continue
		}
		startsOf(count)
		for _, row := range indices {
			x := s.bytes[int(row)*s.width+b]
			scratch[count[x]] = row
			count[x]++
		}
		indices, scratch = scratch, indices
	}
	return indices
}

// sortByPrefix sorts by the first 8 bytes of the keys, kept beside the row number, then by the rest.
func sortByPrefix(pool *types.Pool, s *SortKeys, indices []uint32) {
	rows := types.Alloc[int128](pool, len(indices)) // Lo is the prefix, Hi the row
	for i := range rows {
		var b [8]byte
		copy(b[:], s.bytes[i*s.width:(i+1)*s.width])
		rows[i] = int128{Lo: binary.BigEndian.Uint64(b[:]), Hi: int64(i)}
	}
	whole := s.width <= 8 && s.exact
	slices.SortFunc(rows, func(a, b int128) int {
		if a.Lo != b.Lo {
			return sign(a.Lo < b.Lo)
		}
		if !whole {
			if c := s.Compare(int(a.Hi), s, int(b.Hi)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Hi, b.Hi)
	})
	for i, r := range rows {
		indices[i] = uint32(r.Hi)
	}
}
