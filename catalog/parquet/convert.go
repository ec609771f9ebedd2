package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lacunadb/lacuna/types"
)

// convert turns the n fixed-width physical values at the start of src into values of the column's storage class. dst has exactly
// n of those and is aligned for them; src need not be aligned.
type convert func(dst, src []byte, n int) error

// convertViews does the same for physical values of varying length.
type convertViews func(dst []byte, values []types.View, buffers []types.Buffer) error

// converterOf gives the conversion of a leaf's values: none for strings, bytes and booleans, whose decoders make what the vector needs.
func converterOf(l *leaf) (convert, convertViews) {
	storage := l.typ.Storage()
	switch l.physical {
	case physicalInt32:
		switch storage {
		case types.StorageInt8:
			return narrow[int8], nil
		case types.StorageInt16:
			return narrow[int16], nil
		case types.StorageUint8:
			return narrow[uint8], nil
		case types.StorageUint16:
			return narrow[uint16], nil
		case types.StorageInt64:
			return widen, nil
		}
		return copyValues, nil
	case physicalInt64, physicalFloat, physicalDouble:
		return copyValues, nil
	case physicalInt96:
		return fromInt96, nil
	case physicalByteArray:
		switch storage {
		case types.StorageInt64:
			return nil, viewsToInt64
		case types.StorageInt128:
			return nil, viewsToInt128
		case types.StorageInt256:
			return nil, viewsToInt256
		}
	case physicalFixed:
		switch l.typ.Kind() {
		case types.KindUUID:
			return fromUUID, nil
		case types.KindHalf:
			return copyValues, nil
		case types.KindInterval:
			return fromInterval, nil
		case types.KindDecimal:
			return fixedDecimal(storage, l.width), nil
		}
	}
	return nil, nil
}

// copyValues is for values that lie in the file as they lie in memory.
func copyValues(dst, src []byte, _ int) error {
	copy(dst, src)
	return nil
}

// widen turns INT32 into 64 bits: short decimals and times in milliseconds.
func widen(dst, src []byte, n int) error {
	out := types.Values[int64](dst)
	for i := range out[:n] {
		out[i] = int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
	}
	return nil
}

// narrow turns INT32 into the small integer that the column was annotated as. Unsigned ones of less than 32 bits are positive INT32.
func narrow[T int8 | int16 | uint8 | uint16](dst, src []byte, n int) error {
	out := types.Values[T](dst)
	var wrong int32
	for i := range out[:n] {
		x := int32(binary.LittleEndian.Uint32(src[4*i:]))
		out[i] = T(x)
		wrong |= x ^ int32(T(x))
	}
	if wrong != 0 {
		return corrupt("a value is outside the range of its annotated integer type")
	}
	return nil
}

const (
	julianUnixEpoch = 2440588 // the Julian day number of 1970-01-01
	microsPerDay    = 24 * 60 * 60 * 1_000_000
)

// fromInt96 turns the timestamps of Impala and old Spark, nanoseconds of the day (8 bytes) and Julian day (4 bytes), into microseconds since
// 1970, rounded down.
func fromInt96(dst, src []byte, n int) error {
	out := types.Values[int64](dst)
	for i := range out[:n] {
		nanos := int64(binary.LittleEndian.Uint64(src[12*i:]))
		day := int64(binary.LittleEndian.Uint32(src[12*i+8:])) - julianUnixEpoch
		const mostDays = math.MaxInt64/microsPerDay - 1
		if day > mostDays || nanos < 0 || nanos > 1000*microsPerDay {
			return corrupt("an INT96 timestamp is out of range")
		}
		out[i] = day*microsPerDay + nanos/1000
	}
	return nil
}

// fromUUID turns network byte order into the storage of UUID, whose integer order is the order of bytes.
func fromUUID(dst, src []byte, n int) error {
	out := types.Values[types.Int128](dst)
	for i := range out[:n] {
		out[i] = types.Int128{
			Lo: binary.BigEndian.Uint64(src[16*i+8:]),
			Hi: int64(binary.BigEndian.Uint64(src[16*i:]) ^ 1<<63),
		}
	}
	return nil
}

// fromInterval turns three unsigned little-endian numbers, months, days and milliseconds.
func fromInterval(dst, src []byte, n int) error {
	out := types.Values[types.MonthDayNano](dst)
	for i := range out[:n] {
		months, days := binary.LittleEndian.Uint32(src[12*i:]), binary.LittleEndian.Uint32(src[12*i+4:])
		if months|days > math.MaxInt32 {
			return corrupt("an INTERVAL is out of range")
		}
		out[i] = types.MonthDayNano{
			Months: int32(months), Days: int32(days), Nanos: int64(binary.LittleEndian.Uint32(src[12*i+8:])) * 1_000_000,
		}
	}
	return nil
}

// fixedDecimal gives the conversion of big-endian two's complement numbers of width bytes.
func fixedDecimal(storage types.Storage, width int) convert {
	switch storage {
	case types.StorageInt64:
		if width <= 8 {
			return func(dst, src []byte, n int) error {
				shortDecimals(types.Values[int64](dst)[:n], src, width)
				return nil
			}
		}
		return func(dst, src []byte, n int) error {
			out := types.Values[int64](dst)
			for i := range out[:n] {
				x, ok := bigEndian(src[i*width : (i+1)*width])
				if !ok || !fitsInt64(x) {
					return errDecimalRange
				}
				out[i] = int64(x[0])
			}
			return nil
		}
	case types.StorageInt128:
		return func(dst, src []byte, n int) error {
			out := types.Values[types.Int128](dst)
			for i := range out[:n] {
				x, ok := bigEndian(src[i*width : (i+1)*width])
				if !ok || !fitsInt128(x) {
					return errDecimalRange
				}
				out[i] = types.Int128{Lo: x[0], Hi: int64(x[1])}
			}
			return nil
		}
	}
	return func(dst, src []byte, n int) error {
		out := types.Values[types.Int256](dst)
		for i := range out[:n] {
			out[i], _ = bigEndian(src[i*width : (i+1)*width])
		}
		return nil
	}
}

var errDecimalRange = corrupt("a DECIMAL has more digits than its type")

// shortDecimals reads numbers of 1 to 8 bytes, each with one load of eight where so many are left.
func shortDecimals(dst []int64, src []byte, width int) {
	shift := 64 - 8*width
	i := 0
	for ; i < len(dst) && i*width+8 <= len(src); i++ {
		dst[i] = int64(binary.BigEndian.Uint64(src[i*width:])) >> shift
	}
	for ; i < len(dst); i++ {
		x, _ := bigEndian(src[i*width : (i+1)*width])
		dst[i] = int64(x[0])
	}
}

// bigEndian reads a two's complement number; false when it needs more than 256 bits. No bytes are 0.
func bigEndian(b []byte) (types.Int256, bool) {
	var x types.Int256
	if len(b) == 0 {
		return x, true
	}
	sign := uint64(int64(int8(b[0])) >> 63)
	for len(b) > 32 {
		if b[0] != byte(sign) || (b[1]^byte(sign))&0x80 != 0 {
			return x, false
		}
		b = b[1:]
	}
	x = types.Int256{sign, sign, sign, sign}
	for i := range b {
		at := len(b) - 1 - i // bytes behind this one
		shift := uint(at%8) * 8
		x[at/8] = x[at/8]&^(0xff<<shift) | uint64(b[i])<<shift
	}
	return x, true
}

func fitsInt64(x types.Int256) bool {
	sign := uint64(int64(x[0]) >> 63)
	return x[1] == sign && x[2] == sign && x[3] == sign
}

func fitsInt128(x types.Int256) bool {
	sign := uint64(int64(x[1]) >> 63)
	return x[2] == sign && x[3] == sign
}

func viewsToInt64(dst []byte, values []types.View, buffers []types.Buffer) error {
	out := types.Values[int64](dst)
	for i := range values {
		x, ok := bigEndian(values[i].Bytes(buffers))
		if !ok || !fitsInt64(x) {
			return errDecimalRange
		}
		out[i] = int64(x[0])
	}
	return nil
}

func viewsToInt128(dst []byte, values []types.View, buffers []types.Buffer) error {
	out := types.Values[types.Int128](dst)
	for i := range values {
		x, ok := bigEndian(values[i].Bytes(buffers))
		if !ok || !fitsInt128(x) {
			return errDecimalRange
		}
		out[i] = types.Int128{Lo: x[0], Hi: int64(x[1])}
	}
	return nil
}

func viewsToInt256(dst []byte, values []types.View, buffers []types.Buffer) error {
	out := types.Values[types.Int256](dst)
	for i := range values {
		x, ok := bigEndian(values[i].Bytes(buffers))
		if !ok {
			return errDecimalRange
		}
		out[i] = x
	}
	return nil
}

// viewAt makes the view of data[from:to] in data buffer number buffer, in which it starts at offset.
func viewAt(data []byte, from, to, buffer, offset int) types.View {
	if to-from <= types.MaxInlineView {
		return inlineView(data, from, to)
	}
	return types.View{
		Head: uint64(uint32(to-from)) | uint64(binary.LittleEndian.Uint32(data[from:]))<<32,
		Tail: uint64(uint32(buffer)) | uint64(offset)<<32,
	}
}

func inlineView(data []byte, from, to int) types.View {
	if len(data)-from < 16 {
		return types.InlineView(data[from:to])
	}
	// Load more than the string and cut: cheaper than a loop over up to 12 bytes.
	n := uint(to - from)
	lo, hi := binary.LittleEndian.Uint64(data[from:]), binary.LittleEndian.Uint64(data[from+8:])
	if n < 8 {
		lo, hi = lo&(1<<(n*8)-1), 0
	} else {
		hi &= 1<<((n-8)*8) - 1
	}
	return types.View{Head: uint64(n) | lo<<32, Tail: lo>>32 | hi<<32}
}

// isASCII looks at eight bytes at a time.
func isASCII(b []byte) bool {
	var high uint64
	for len(b) >= 32 {
		high |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		b = b[32:]
	}
	for len(b) >= 8 {
		high |= binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	for _, c := range b {
		high |= uint64(c)
	}
	return high&0x8080808080808080 == 0
}

// bitWidth gives the bits that a level from 0 to most needs.
func bitWidth(most int) int { return bits.Len(uint(most)) }
