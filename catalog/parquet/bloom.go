package parquet

import (
	"context"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// Split-block bloom filters, as https://github.com/apache/parquet-format/blob/master/BloomFilter.md has them: blocks of eight words of 32 bits; a value sets a bit
// in each word of the block that the upper half of its hash chooses.

// maxBloomBytes is the greatest size that the format allows.
const maxBloomBytes = 128 << 20

const bloomBlockBytes = 32

var bloomSalts = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// bloomFilter is the bits of a filter; empty for one that cannot be used.
type bloomFilter []byte

// has reports whether a value of a hash may be there.
func (f bloomFilter) has(hash uint64) bool {
	blocks := uint64(len(f) / bloomBlockBytes)
	block := f[hash>>32*blocks>>32*bloomBlockBytes:][:bloomBlockBytes]
	for i, salt := range bloomSalts {
		word := binary.LittleEndian.Uint32(block[4*i:])
		if word&(1<<(uint32(hash)*salt>>27)) == 0 {
			return false
		}
	}
	return true
}

// readBloomFilter reads the filter of a chunk; empty when it has none, or one of another algorithm.
func readBloomFilter(ctx context.Context, file catalog.File, c *columnChunk) (bloomFilter, error) {
	const headerBytes = 64 // more than any header has
	if c.bloomOffset <= 0 || c.bloomOffset >= file.Size() {
		return nil, nil
	}
	head := make([]byte, min(headerBytes, file.Size()-c.bloomOffset))
	if err := readAt(ctx, file, head, c.bloomOffset); err != nil {
		return nil, err
	}
	r := &compact{data: head}
	size, kinds := int64(0), 0
	r.fields(func(id int64, wire byte) {
		switch {
		case id == 1:
			r.integer(&size, wire)
		case id >= 2 && id <= 4 && wire == wireStruct: // algorithm, hash and compression: the first of each is the one there is
			r.fields(func(variant int64, wire byte) {
				if variant == 1 {
					kinds++
				}
				r.skip(wire)
			})
		default:
			r.skip(wire)
		}
	})
	start := c.bloomOffset + int64(len(head)-len(r.data))
	if r.bad || kinds != 3 || size < bloomBlockBytes || size%bloomBlockBytes != 0 || size > maxBloomBytes || size > file.Size()-start {
		return nil, nil
	}
	bits := make(bloomFilter, size)
	return bits, readAt(ctx, file, bits, start)
}

// absence gives a test for values that a column chunk does not have, by its bloom filter, which is read when it is first asked; nil when there is none. An error
// of reading is left in failed.
func (s *scan) absence(ctx context.Context, l *leaf, c *columnChunk, failed *error) func(*types.Vector) bool {
	if c.bloomOffset <= 0 || c.physical != l.physical || l.maxRepetition > 0 || !hashable(l) {
		return nil
	}
	var filter bloomFilter
	read := false
	return func(value *types.Vector) bool {
		if !read {
			read = true
			var err error
			if filter, err = readBloomFilter(ctx, s.file, c); err != nil {
				*failed = err
			}
		}
		if len(filter) == 0 {
			return false
		}
		at, row, ok := value.Locate(0)
		return ok && !filter.has(xxhash.Sum64(plainBytesOf(l, at, row)))
	}
}

// hashable reports whether values that are equal in SQL have the same bytes in the file: not floats, whose zeros and NaNs have several, nor what is converted.
func hashable(l *leaf) bool {
	switch l.typ.Kind() {
	case types.KindVarchar, types.KindBlob, types.KindJSON:
		return l.physical == physicalByteArray
	case types.KindTinyInt, types.KindSmallInt, types.KindInteger, types.KindBigInt, types.KindUTinyInt, types.KindUSmallInt, types.KindUInteger, types.KindUBigInt, types.KindDate,
		types.KindTimestamp, types.KindTimestampTZ, types.KindTime:
		return l.physical == physicalInt32 || l.physical == physicalInt64
	}
	return false
}

// plainBytesOf gives a value as the PLAIN encoding has it, without the length of byte arrays.
func plainBytesOf(l *leaf, v *types.Vector, row int) []byte {
	if l.physical == physicalByteArray {
		return types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())
	}
	var x uint64
	switch v.Type().Storage() {
	case types.StorageInt8:
		x = uint64(types.ValuesOf[int8](v)[row])
	case types.StorageInt16:
		x = uint64(types.ValuesOf[int16](v)[row])
	case types.StorageInt32:
		x = uint64(types.ValuesOf[int32](v)[row])
	case types.StorageInt64:
		x = uint64(types.ValuesOf[int64](v)[row])
	case types.StorageUint8:
		x = uint64(types.ValuesOf[uint8](v)[row])
	case types.StorageUint16:
		x = uint64(types.ValuesOf[uint16](v)[row])
	case types.StorageUint32:
		x = uint64(types.ValuesOf[uint32](v)[row])
	case types.StorageUint64:
		x = types.ValuesOf[uint64](v)[row]
	}
	if l.physical == physicalInt32 {
		return binary.LittleEndian.AppendUint32(nil, uint32(x))
	}
	return binary.LittleEndian.AppendUint64(nil, x)
}
