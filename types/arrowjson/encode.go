package arrowjson

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// encoder appends the rows of a vector as JSON. It mirrors the shape of the field.
type encoder struct {
	*shape
	onViolation Violation
	v           *types.Vector // the rows, decoded at this level; children have their own encoders
	children    []*encoder
	labels      [][]byte // of a struct: what stands before each field
	places      [types.MaxUnionVariants]int8
}

func newEncoder(s *shape, onViolation Violation) *encoder {
	e := &encoder{shape: s, onViolation: onViolation}
	for i, c := range s.children {
		e.children = append(e.children, newEncoder(c, onViolation))
		label := append(jsontext.AppendString(nil, []byte(c.name)), ':')
		if i > 0 {
			label = append([]byte{','}, label...)
		}
		e.labels = append(e.labels, label)
	}
	for i, c := range s.codes {
		e.places[c] = int8(i)
	}
	return e
}

// bind makes the encoder that of a vector's rows, until the next bind. Dictionaries and runs are decoded once, into memory of the pool.
func (e *encoder) bind(pool *types.Pool, v *types.Vector) {
	e.v = types.Flatten(pool, v)
	children := e.v.Children()
	if e.id == arrow.MAP {
		children = types.Flatten(pool, children[0]).Children()
	}
	for i, c := range e.children {
		c.bind(pool, children[i])
	}
}

// append appends a row that is seen: hidden ones are never asked for. The error is a null under a required field, its row not known here.
func (e *encoder) append(dst []byte, row int) ([]byte, error) {
	if e.id != arrow.NULL && e.v.Validity().Has(row) {
		return e.value(dst, row)
	}
	switch {
	case e.nullable || e.onViolation == ViolationNull || e.onViolation == ViolationZero && e.id == arrow.NULL:
		return append(dst, "null"...), nil
	case e.onViolation == ViolationZero:
		return e.zero(dst, row)
	}
	return dst, types.KindErrorf(types.ErrNullInRequired, "null in a required field").WithRow(e.path, -1)
}

// zero appends what lies under a null, or the placeholder where not everything that may lie there is a value.
func (e *encoder) zero(dst []byte, row int) ([]byte, error) {
	switch d := e.dt.(type) {
	case arrow.DecimalType:
		return types.AppendDecimal(dst, types.Int256{}, e.typ.Scale()+1, e.typ.Scale()), nil
	case *arrow.FixedSizeBinaryType:
		return appendBase64(dst, make([]byte, d.ByteWidth)), nil
	}
	return e.value(dst, row)
}

// value appends a row, whether it is null or not.
func (e *encoder) value(dst []byte, row int) ([]byte, error) {
	v := e.v
	switch e.id {
	case arrow.BOOL:
		return strconv.AppendBool(dst, v.Bools().Get(row)), nil
	case arrow.INT8:
		return strconv.AppendInt(dst, int64(types.ValuesOf[int8](v)[row]), 10), nil
	case arrow.INT16:
		return strconv.AppendInt(dst, int64(types.ValuesOf[int16](v)[row]), 10), nil
	case arrow.INT32:
		return strconv.AppendInt(dst, int64(types.ValuesOf[int32](v)[row]), 10), nil
	case arrow.INT64:
		return strconv.AppendInt(dst, types.ValuesOf[int64](v)[row], 10), nil
	case arrow.UINT8:
		return strconv.AppendUint(dst, uint64(types.ValuesOf[uint8](v)[row]), 10), nil
	case arrow.UINT16:
		return strconv.AppendUint(dst, uint64(types.ValuesOf[uint16](v)[row]), 10), nil
	case arrow.UINT32:
		return strconv.AppendUint(dst, uint64(types.ValuesOf[uint32](v)[row]), 10), nil
	case arrow.UINT64:
		return strconv.AppendUint(dst, types.ValuesOf[uint64](v)[row], 10), nil
	case arrow.FLOAT16:
		return appendFloat(dst, float64(types.HalfToFloat(types.ValuesOf[uint16](v)[row])), 32), nil
	case arrow.FLOAT32:
		return appendFloat(dst, float64(types.ValuesOf[float32](v)[row]), 32), nil
	case arrow.FLOAT64:
		return appendFloat(dst, types.ValuesOf[float64](v)[row], 64), nil
	case arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		// One digit more than the scale, so that there is a digit before the point.
		return types.AppendDecimal(dst, unscaled(v, row), e.typ.Scale()+1, e.typ.Scale()), nil
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return jsontext.AppendString(dst, types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())), nil
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return appendBase64(dst, types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())), nil
	case arrow.STRUCT:
		return e.object(dst, row)
	case arrow.FIXED_SIZE_LIST:
		return e.elements(dst, row*e.typ.Width(), e.typ.Width())
	case arrow.LIST, arrow.LARGE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		entry := types.ValuesOf[types.ListEntry](v)[row]
		return e.elements(dst, int(entry.Offset), int(entry.Length))
	case arrow.MAP:
		entry := types.ValuesOf[types.ListEntry](v)[row]
		return e.pairs(dst, int(entry.Offset), int(entry.Length))
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return e.variant(dst, row)
	}
	return append(e.temporal(append(dst, '"'), row), '"'), nil
}

// temporal appends what stands between the quotes.
func (e *encoder) temporal(dst []byte, row int) []byte {
	v := e.v
	switch e.id {
	case arrow.DATE32:
		return appendDay(dst, int64(types.ValuesOf[int32](v)[row]))
	case arrow.DATE64:
		return appendDate64(dst, types.ValuesOf[int64](v)[row])
	case arrow.TIME32, arrow.TIME64:
		return types.AppendTime(dst, types.ValuesOf[int64](v)[row], e.unit)
	case arrow.TIMESTAMP:
		dst = appendTimestamp(dst, types.ValuesOf[int64](v)[row], e.unit)
		if e.typ.Kind() == types.KindTimestampTZ {
			dst = append(dst, 'Z')
		}
		return dst
	case arrow.DURATION:
		return appendInterval(dst, 0, 0, types.ValuesOf[int64](v)[row], e.unit)
	}
	x := types.ValuesOf[types.MonthDayNano](v)[row]
	return appendInterval(dst, x.Months, x.Days, x.Nanos, types.Nanosecond)
}

func unscaled(v *types.Vector, row int) types.Int256 {
	var x types.Int256
	switch v.Type().Storage() {
	case types.StorageInt64:
		n := types.ValuesOf[int64](v)[row]
		sign := uint64(n >> 63)
		x = types.Int256{uint64(n), sign, sign, sign}
	case types.StorageInt128:
		n := types.ValuesOf[types.Int128](v)[row]
		sign := uint64(n.Hi >> 63)
		x = types.Int256{n.Lo, uint64(n.Hi), sign, sign}
	default:
		x = types.ValuesOf[types.Int256](v)[row]
	}
	return x
}

func appendFloat(dst []byte, x float64, size int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	return types.AppendFloat(dst, x, size)
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

func (e *encoder) object(dst []byte, row int) ([]byte, error) {
	dst = append(dst, '{')
	for i, c := range e.children {
		var err error
		if dst, err = c.append(append(dst, e.labels[i]...), row); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (e *encoder) elements(dst []byte, first, n int) ([]byte, error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.children[0].append(dst, first+i); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// pairs appends the entries of a map.
func (e *encoder) pairs(dst []byte, first, n int) ([]byte, error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.children[0].append(append(dst, '['), first+i); err != nil {
			return dst, err
		}
		if dst, err = e.children[1].append(append(dst, ','), first+i); err != nil {
			return dst, err
		}
		dst = append(dst, ']')
	}
	return append(dst, ']'), nil
}

// variant appends the row of a union as its type code and value.
func (e *encoder) variant(dst []byte, row int) ([]byte, error) {
	code := e.v.TypeCodes()[row]
	if offsets := e.v.UnionOffsets(); offsets != nil {
		row = int(offsets[row])
	}
	dst = strconv.AppendInt(append(dst, '['), int64(code), 10)
	dst, err := e.children[e.places[code]].append(append(dst, ','), row)
	return append(dst, ']'), err
}
