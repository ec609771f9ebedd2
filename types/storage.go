package types

import "unsafe"

// Storage is the physical class of a vector's values: what kernels are instantiated over. Every Type has exactly one, so a
// kernel never meets the same SQL type in two forms; the many forms that Arrow has for a type are brought to that one at
// the edge (Import) and back (Export).
type Storage uint8

// The storage classes. Bool is a bitmap; the rest up to Interval are fixed-width little-endian values.
const (
	StorageNull Storage = iota
	StorageBool
	StorageInt8
	StorageInt16
	StorageInt32
	StorageInt64
	StorageUint8
	StorageUint16
	StorageUint32
	StorageUint64
	StorageFloat16
	StorageFloat32
	StorageFloat64
	StorageInt128   // Int128
	StorageInt256   // Int256
	StorageInterval // MonthDayNano
	StorageView     // View: strings and bytes
	StorageList     // ListEntry into one child
	StorageArray    // row i owns the child's rows i*width to (i+1)*width
	StorageStruct   // one child per field, as long as the vector
	StorageUnion    // type codes and children
)

// Storage gives the class in which values of the type lie in a Vector.
//
// DECIMAL up to 18 digits is an int64, up to 38 an Int128, above an Int256, whatever width Arrow or Parquet used. UUID is an
// Int128 with the sign bit flipped, so that integer order is byte order. ENUM is the member's index.
func (t Type) Storage() Storage {
	switch t.kind {
	case KindBoolean:
		return StorageBool
	case KindTinyInt:
		return StorageInt8
	case KindSmallInt:
		return StorageInt16
	case KindInteger, KindDate:
		return StorageInt32
	case KindBigInt, KindTime, KindTimestamp, KindTimestampTZ:
		return StorageInt64
	case KindUTinyInt:
		return StorageUint8
	case KindUSmallInt:
		return StorageUint16
	case KindUInteger, KindEnum:
		return StorageUint32
	case KindUBigInt:
		return StorageUint64
	case KindHalf:
		return StorageFloat16
	case KindFloat:
		return StorageFloat32
	case KindDouble:
		return StorageFloat64
	case KindHugeInt, KindUUID:
		return StorageInt128
	case KindDecimal:
		switch {
		case t.precision <= 18:
			return StorageInt64
		case t.precision <= 38:
			return StorageInt128
		}
		return StorageInt256
	case KindInterval:
		return StorageInterval
	case KindVarchar, KindBlob, KindJSON, KindBit:
		return StorageView
	case KindList, KindMap:
		return StorageList
	case KindArray:
		return StorageArray
	case KindStruct, KindTimestampOffset:
		return StorageStruct
	case KindUnion:
		return StorageUnion
	}
	return StorageNull
}

// Width gives the bytes of one value, or 0 for classes whose rows are not fixed-width bytes (Null, Bool, Array, Struct,
// Union).
func (s Storage) Width() int {
	switch s {
	case StorageInt8, StorageUint8:
		return 1
	case StorageInt16, StorageUint16, StorageFloat16:
		return 2
	case StorageInt32, StorageUint32, StorageFloat32:
		return 4
	case StorageInt64, StorageUint64, StorageFloat64:
		return 8
	case StorageInt128, StorageInterval, StorageView, StorageList:
		return 16
	case StorageInt256:
		return 32
	}
	return 0
}

// Int128 is a two's-complement 128-bit integer in the layout of Arrow's decimal128.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Int256 is a two's-complement 256-bit integer, least significant word first: the layout of Arrow's decimal256.
type Int256 [4]uint64

// MonthDayNano is an interval in the layout of Arrow's month_day_nano.
type MonthDayNano struct {
	Months int32
	Days   int32
	Nanos  int64
}

// ListEntry says which rows of the child belong to a row of a list or map: Offset to Offset+Length. Null rows are {0, 0}
// when Lacuna makes them; imported ones may have any range inside the child.
type ListEntry struct {
	Offset int64
	Length int64
}

// Fixed is the set of Go types that the fixed-width storage classes hold.
type Fixed interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 |
		Int128 | Int256 | MonthDayNano | View | ListEntry
}

// Values reads a buffer of fixed-width values as a slice without copying. The buffer must be aligned for T, as pool and
// imported buffers are; its length is rounded down to whole values.
func Values[T Fixed](data []byte) []T {
	var zero T
	n := len(data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// Bytes is the inverse of Values: the memory of a slice of fixed-width values as bytes, without copying.
func Bytes[T Fixed](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}
