package types

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// layoutCheck is level 0 of Validate.
type layoutCheck struct{ report func(*Error) }

// checkLayout reports what is wrong with the types and sizes of array data and everything below, without looking at rows.
func checkLayout(data arrow.ArrayData, dt arrow.DataType, at *place, report func(*Error)) {
	layoutCheck{report}.array(data, dt, at)
}

func (c layoutCheck) invalid(at *place, format string, args ...any) {
	c.report(at.invalid(-1, format, args...))
}

func (c layoutCheck) array(data arrow.ArrayData, dt arrow.DataType, at *place) {
	if noData(data) {
		c.invalid(at, "no array")
		return
	}
	if data.DataType() == nil || data.DataType().ID() != dt.ID() {
		c.invalid(at, "array of type %v where the schema says %s", data.DataType(), dt)
		return
	}
	n, offset := data.Len(), data.Offset()
	if n < 0 || offset < 0 || n > maxRows-offset {
		c.invalid(at, "array of %d rows at offset %d", n, offset)
		return
	}
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	if least, most := bufferCount(dt); len(data.Buffers()) < least || len(data.Buffers()) > most {
		c.invalid(at, "%s with %d buffers instead of %d", dt, len(data.Buffers()), least)
		return
	}
	c.nulls(data, dt, at)
	if want := childCount(dt); len(data.Children()) != want {
		c.invalid(at, "%s with %d children instead of %d", dt, len(data.Children()), want)
		return
	}
	end := offset + n
	switch d := dt.(type) {
	case *arrow.NullType:
	case *arrow.BooleanType:
		c.buffer(data, 1, (end+7)/8, 1, at)
	case *arrow.DictionaryType:
		if bits, ok := d.IndexType.(arrow.FixedWidthDataType); ok {
			c.buffer(data, 1, end, bits.BitWidth()/8, at)
		}
		if noData(data.Dictionary()) {
			c.invalid(at, "dictionary array without a dictionary")
		} else {
			c.array(data.Dictionary(), d.ValueType, at)
		}
	case *arrow.RunEndEncodedType:
		c.runs(data, d, end, at)
	case arrow.UnionType:
		c.union(data, d, end, at)
	case *arrow.StructType:
		for i, f := range d.Fields() {
			c.child(data.Children()[i], f, end, at.below(f.Name))
		}
	case *arrow.FixedSizeListType:
		width := int(d.Len())
		if width < 0 || width > 0 && end > math.MaxInt/width {
			c.invalid(at, "%d rows of %d elements", end, width)
			return
		}
		c.child(data.Children()[0], d.ElemField(), end*width, at.below("[]"))
	case arrow.ListLikeType:
		c.list(data, d, end, at)
	case arrow.BinaryDataType:
		c.strings(data, d, end, at)
	case *arrow.FixedSizeBinaryType:
		c.buffer(data, 1, end, d.ByteWidth, at)
	case arrow.FixedWidthDataType:
		c.buffer(data, 1, end, d.BitWidth()/8, at)
	default:
		c.report(at.errorf(ErrUnsupported, -1, "Arrow type %s is not supported", dt))
	}
}

// bufferCount gives the least and the largest number of buffers that arrays of a type may have: what Arrow's own constructors take,
// which panic on others. A bitmap that is missing has its place; buffers that nothing reads are nobody's fault.
func bufferCount(dt arrow.DataType) (least, most int) {
	switch dt.(type) {
	case *arrow.BinaryType, *arrow.StringType, *arrow.LargeBinaryType, *arrow.LargeStringType:
		return 3, 3
	case *arrow.ListViewType, *arrow.LargeListViewType, *arrow.DenseUnionType:
		return 3, math.MaxInt
	case *arrow.NullType, *arrow.StructType, *arrow.FixedSizeListType, *arrow.RunEndEncodedType:
		return 0, math.MaxInt
	}
	return 2, math.MaxInt
}

// nulls checks the validity bitmap and the known null count.
func (c layoutCheck) nulls(data arrow.ArrayData, dt arrow.DataType, at *place) {
	bitmap := buffer(data, 0)
	present := bitmap != nil && bitmap.Len() > 0
	switch dt.ID() {
	case arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		if present {
			c.invalid(at, "%s with a validity bitmap", dt.Name())
		}
		return
	case arrow.NULL:
		return
	}
	end := data.Offset() + data.Len()
	if present && bitmap.Len() < (end+7)/8 {
		c.invalid(at, "validity bitmap of %d bytes is shorter than %d rows", bitmap.Len(), end)
	}
	if known := data.NullN(); known > data.Len() || known > 0 && !present {
		c.invalid(at, "array of %d rows says that %d are null, with a bitmap of %v", data.Len(), known, present)
	}
}

// buffer checks that a buffer has so many elements of so many bytes.
func (c layoutCheck) buffer(data arrow.ArrayData, i, count, width int, at *place) {
	size := 0
	if b := buffer(data, i); b != nil {
		size = b.Len()
	}
	if width > 0 && count > size/width {
		c.invalid(at, "buffer %d of %s has %d bytes, %d elements of %d bytes need more", i, data.DataType(), size, count, width)
	}
}

// child checks a child that must have so many rows.
func (c layoutCheck) child(data arrow.ArrayData, f arrow.Field, rows int, at *place) {
	if !noData(data) && data.Len() < rows {
		c.invalid(at, "%d rows where the parent needs %d", data.Len(), rows)
		return
	}
	c.array(data, f.Type, at)
}

func (c layoutCheck) list(data arrow.ArrayData, dt arrow.ListLikeType, end int, at *place) {
	width := 4
	if dt.ID() == arrow.LARGE_LIST || dt.ID() == arrow.LARGE_LIST_VIEW {
		width = 8
	}
	switch dt.ID() {
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		c.buffer(data, 1, end, width, at)
		c.buffer(data, 2, end, width, at)
	default:
		if data.Len() > 0 { // an empty array may leave out its one offset
			c.buffer(data, 1, end+1, width, at)
		}
	}
	name := "[]"
	if dt.ID() == arrow.MAP {
		name = ""
	}
	field := dt.ElemField()
	c.child(data.Children()[0], field, 0, at.below(name))
}

func (c layoutCheck) strings(data arrow.ArrayData, dt arrow.DataType, end int, at *place) {
	switch dt.ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		c.buffer(data, 1, end, 16, at)
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		if data.Len() > 0 {
			c.buffer(data, 1, end+1, 8, at)
		}
	default:
		if data.Len() > 0 {
			c.buffer(data, 1, end+1, 4, at)
		}
	}
}

func (c layoutCheck) union(data arrow.ArrayData, dt arrow.UnionType, end int, at *place) {
	c.buffer(data, 1, end, 1, at)
	rows := end
	if dt.Mode() == arrow.DenseMode {
		c.buffer(data, 2, end, 4, at)
		rows = 0
	}
	for i, f := range dt.Fields() {
		c.child(data.Children()[i], f, rows, at.below(f.Name))
	}
}

// runs checks that run ends are integers without nulls, that each has a value, and that the last one lies behind the last row.
func (c layoutCheck) runs(data arrow.ArrayData, dt *arrow.RunEndEncodedType, end int, at *place) {
	ends, values := data.Children()[0], data.Children()[1]
	before := 0
	counted := layoutCheck{func(e *Error) { before++; c.report(e) }}
	counted.array(ends, dt.RunEnds(), at)
	if before > 0 {
		return
	}
	c.child(values, arrow.Field{Type: dt.Encoded()}, ends.Len(), at)
	if b := buffer(ends, 0); b != nil && b.Len() > 0 && ends.NullN() != 0 {
		c.invalid(at, "run ends with nulls")
		return
	}
	last := int64(0)
	if n := ends.Len(); n > 0 {
		raw, i := buffer(ends, 1).Bytes(), ends.Offset()+n-1
		switch dt.RunEnds().ID() {
		case arrow.INT16:
			last = int64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
		case arrow.INT32:
			last = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
		case arrow.INT64:
			last = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		default:
			c.invalid(at, "run ends of type %s", dt.RunEnds())
			return
		}
	}
	if data.Len() > 0 && last < int64(end) {
		c.invalid(at, "runs end at %d before row %d", last, end)
	}
}
