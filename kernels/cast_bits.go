package kernels

import (
	"encoding/binary"
	"slices"

	"github.com/lacunadb/lacuna/types"
)

// Casts between BIT, BLOB, UUID and the bits of numbers, as DuckDB has them: the most significant byte first, a BIT that is shorter than a number on its right.

// canCastBits reports whether one of two types is made of the bits of the other. DECIMAL is not.
func canCastBits(from, to types.Type) bool {
	bits := func(t types.Type) bool {
		return t.Kind() == types.KindBlob || t.Kind() == types.KindBoolean || t.IsNumeric() && t.Kind() != types.KindDecimal
	}
	switch {
	case from.Kind() == types.KindBit:
		return bits(to)
	case to.Kind() == types.KindBit:
		return bits(from)
	}
	return from.Kind() == types.KindUUID && to.Kind() == types.KindBlob || from.Kind() == types.KindBlob && to.Kind() == types.KindUUID
}

// castBits converts a plain vector; canCastBits holds.
func castBits(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	switch {
	case v.Type().Kind() == types.KindUUID:
		return uuidToBlob(env, v, to), nil
	case to.Kind() == types.KindUUID:
		return parseTexts(env, v, to, func(b []byte) (int128, parseStatus) {
			if len(b) != 16 {
				return int128{}, malformed
			}
			return int128{Hi: int64(binary.BigEndian.Uint64(b) ^ 1<<63), Lo: binary.BigEndian.Uint64(b[8:])}, parsed
		})
	case v.Type().Kind() == types.KindBlob:
		return textToBytes(env, v, to, func(dst, b []byte) ([]byte, parseStatus) {
			if len(b) == 0 {
				return dst, malformed // a BIT has a digit at least
			}
			return append(append(dst, 0), b...), parsed
		})
	case to.Kind() == types.KindBit:
		return numberToBits(env, v, to), nil
	case to.Kind() == types.KindBlob:
		return textToBytes(env, v, to, func(dst, b []byte) ([]byte, parseStatus) { return appendBitBytes(dst, b), parsed })
	case to.Kind() == types.KindBoolean:
		number, err := bitsToNumber[uint8](env, v, types.UTinyInt)
		if err != nil {
			return nil, err
		}
		return Cast(env, number, to)
	}
	switch to.Storage().Width() {
	case 1:
		return bitsToNumber[uint8](env, v, to)
	case 2:
		return bitsToNumber[uint16](env, v, to)
	case 4:
		return bitsToNumber[uint32](env, v, to)
	case 8:
		return bitsToNumber[uint64](env, v, to)
	}
	return bitsToNumber[types.Int128](env, v, to)
}

// appendBitBytes appends the bytes of a BIT value, with zeros in the place of what the first has beyond its digits.
func appendBitBytes(dst, b []byte) []byte {
	if len(b) < 2 {
		return dst
	}
	dst = append(dst, b[1]&(0xff>>b[0]))
	return append(dst, b[2:]...)
}

func bitsToNumber[T types.Fixed](env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	var scratch [16]byte
	return parseTexts(env, v, to, func(b []byte) (T, parseStatus) {
		var x [1]T
		bytes := types.Bytes(x[:])
		if len(b)-1 > len(bytes) {
			return x[0], outOfRange
		}
		digits := appendBitBytes(scratch[:0], b)
		slices.Reverse(digits)
		copy(bytes, digits)
		return x[0], parsed
	})
}

// numberToBits writes numbers and BOOLEANs as their bits.
func numberToBits(env *Env, v *types.Vector, to types.Type) *types.Vector {
	n := v.Len()
	out := NewViewBuilder(env, to, n)
	width := max(1, v.Type().Storage().Width())
	data := v.Data().Bytes
	for i := range n {
		b := out.Reserve(1 + width)[:1+width]
		b[0] = 0
		if v.Type().Kind() == types.KindBoolean {
			b[1] = byte(bit(v.Bools().Get(i)))
		} else {
			copy(b[1:], data[i*width:(i+1)*width])
			slices.Reverse(b[1:])
		}
		out.AppendReserved(b)
	}
	return out.Finish(v.Validity())
}

func uuidToBlob(env *Env, v *types.Vector, to types.Type) *types.Vector {
	n := v.Len()
	out := NewViewBuilder(env, to, n)
	for _, x := range types.ValuesOf[int128](v)[:n] {
		b := out.Reserve(16)[:16]
		binary.BigEndian.PutUint64(b, uint64(x.Hi)^1<<63)
		binary.BigEndian.PutUint64(b[8:], x.Lo)
		out.AppendReserved(b)
	}
	return out.Finish(v.Validity())
}
