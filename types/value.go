package types

import (
	"math/big"
	"time"
)

// DecimalValue is a value of DECIMAL(p, Scale): Unscaled / 10^Scale.
type DecimalValue struct {
	Unscaled *big.Int
	Scale    int
}

// String gives the number with Scale digits after the point. Unlike the text of a DECIMAL(s,s) it always has a digit before it.
func (d DecimalValue) String() string {
	text := new(big.Int).Abs(d.Unscaled).String()
	if d.Scale > 0 {
		for len(text) <= d.Scale {
			text = "0" + text
		}
		text = text[:len(text)-d.Scale] + "." + text[len(text)-d.Scale:]
	}
	if d.Unscaled.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// UUIDValue is a UUID in network byte order.
type UUIDValue [16]byte

// String gives the usual 36 characters.
func (u UUIDValue) String() string { return string(AppendUUID(nil, u)) }

// FieldValue is a field of a STRUCT value.
type FieldValue struct {
	Name  string
	Value any
}

// MapEntry is an entry of a MAP value, in stored order.
type MapEntry struct{ Key, Value any }

// UnionValue is a row of a UNION: the name of its variant and the variant's value, nil when the variant holds null. A row that is NULL
// itself is nil instead.
type UnionValue struct {
	Tag   string
	Value any
}

// Value gives a row as a Go value, for results and tests:
//
//	NULL                            nil
//	BOOLEAN                         bool
//	TINYINT ... UBIGINT             int8 ... uint64
//	HUGEINT                         *big.Int
//	HALF, FLOAT; DOUBLE             float32; float64
//	DECIMAL                         DecimalValue
//	VARCHAR, JSON, ENUM             string
//	BIT                             string of 0 and 1
//	BLOB                            []byte
//	DATE, TIMESTAMP, TIMESTAMPTZ    time.Time in UTC
//	TIMESTAMP WITH OFFSET           time.Time in a zone of that offset
//	TIME                            time.Duration since midnight
//	INTERVAL                        MonthDayNano
//	UUID                            UUIDValue
//	LIST, ARRAY                     []any
//	STRUCT                          []FieldValue
//	MAP                             []MapEntry
//	UNION                           UnionValue
//
// The infinite dates and timestamps give the days and instants that their numbers stand for. Nothing is borrowed from the vector.
func Value(v *Vector, row int) any {
	v, row, ok := v.Locate(row)
	if !ok {
		return nil
	}
	switch t := v.typ; t.kind {
	case KindBoolean:
		return v.Bools().Get(row)
	case KindTinyInt:
		return ValuesOf[int8](v)[row]
	case KindSmallInt:
		return ValuesOf[int16](v)[row]
	case KindInteger:
		return ValuesOf[int32](v)[row]
	case KindBigInt:
		return ValuesOf[int64](v)[row]
	case KindUTinyInt:
		return ValuesOf[uint8](v)[row]
	case KindUSmallInt:
		return ValuesOf[uint16](v)[row]
	case KindUInteger:
		return ValuesOf[uint32](v)[row]
	case KindUBigInt:
		return ValuesOf[uint64](v)[row]
	case KindHugeInt:
		return wideInt(v, row).Big()
	case KindHalf:
		return HalfToFloat(ValuesOf[uint16](v)[row])
	case KindFloat:
		return ValuesOf[float32](v)[row]
	case KindDouble:
		return ValuesOf[float64](v)[row]
	case KindDecimal:
		return DecimalValue{Unscaled: wideInt(v, row).Big(), Scale: t.Scale()}
	case KindVarchar, KindJSON:
		return string(ValuesOf[View](v)[row].Bytes(v.buffers))
	case KindBit:
		return string(appendBitText(nil, ValuesOf[View](v)[row].Bytes(v.buffers)))
	case KindBlob:
		return append([]byte{}, ValuesOf[View](v)[row].Bytes(v.buffers)...)
	case KindDate:
		return time.Unix(int64(ValuesOf[int32](v)[row])*86400, 0).UTC()
	case KindTime:
		return time.Duration(ValuesOf[int64](v)[row] * (1e9 / t.unit.PerSecond()))
	case KindTimestamp, KindTimestampTZ:
		return timeOf(ValuesOf[int64](v)[row], t.unit)
	case KindTimestampOffset:
		return offsetTime(v, row)
	case KindInterval:
		return ValuesOf[MonthDayNano](v)[row]
	case KindUUID:
		return UUIDValue(int128ToUUID(ValuesOf[Int128](v)[row]))
	case KindEnum:
		return v.enumMember(row)
	}
	return nestedValue(v, row)
}

func timeOf(x int64, unit TimeUnit) time.Time {
	perSecond := unit.PerSecond()
	return time.Unix(x/perSecond, x%perSecond*(1e9/perSecond)).UTC()
}

func offsetTime(v *Vector, row int) any {
	instants, i, ok := v.children[0].Locate(row)
	minutes, j, known := v.children[1].Locate(row)
	if !ok || !known {
		return nil
	}
	return timeOf(ValuesOf[int64](instants)[i], v.typ.unit).In(time.FixedZone("", int(ValuesOf[int16](minutes)[j])*60))
}

func nestedValue(v *Vector, row int) any {
	switch v.typ.kind {
	case KindList:
		e := ValuesOf[ListEntry](v)[row]
		return elementValues(v.children[0], int(e.Offset), int(e.Length))
	case KindArray:
		w := v.typ.Width()
		return elementValues(v.children[0], row*w, w)
	case KindStruct:
		out := make([]FieldValue, len(v.children))
		for i, f := range v.typ.Fields() {
			out[i] = FieldValue{Name: f.Name, Value: Value(v.children[i], row)}
		}
		return out
	case KindMap:
		e := ValuesOf[ListEntry](v)[row]
		out := make([]MapEntry, e.Length)
		for i := range out {
			if entry, at, ok := v.children[0].Locate(int(e.Offset) + i); ok {
				out[i] = MapEntry{Key: Value(entry.children[0], at), Value: Value(entry.children[1], at)}
			}
		}
		return out
	case KindUnion:
		child, at := v.variant(row)
		return UnionValue{Tag: v.typ.Fields()[child].Name, Value: Value(v.children[child], at)}
	}
	return nil
}

func elementValues(child *Vector, offset, n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = Value(child, offset+i)
	}
	return out
}

// Big gives the number as a big.Int.
func (x Int256) Big() *big.Int {
	negative := x.negative()
	if negative {
		x = x.negated()
	}
	var b [32]byte
	for i := range b {
		b[31-i] = byte(x[i/8] >> (i % 8 * 8))
	}
	out := new(big.Int).SetBytes(b[:])
	if negative {
		out.Neg(out)
	}
	return out
}

// Int256FromBig gives a big.Int as an Int256; it reports false outside -2^255 .. 2^255-1.
func Int256FromBig(b *big.Int) (Int256, bool) {
	if b.BitLen() > 255 && !(b.Sign() < 0 && b.BitLen() == 256 && b.TrailingZeroBits() == 255) {
		return Int256{}, false
	}
	var bytes [32]byte
	b.FillBytes(bytes[:]) // of the absolute value
	var x Int256
	for i := range bytes {
		x[i/8] |= uint64(bytes[31-i]) << (i % 8 * 8)
	}
	if b.Sign() < 0 {
		x = x.negated()
	}
	return x, true
}
