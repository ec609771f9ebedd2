package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// strings exports VARCHAR, JSON, BLOB and BIT as any of Arrow's string and binary types.
func (ex *exporter) strings(v *Vector, dt arrow.DataType, at *place) (*array.Data, error) {
	text := v.typ.kind == KindVarchar || v.typ.kind == KindJSON
	if v.typ.Storage() != StorageView || text != (plainTypes[dt.ID()].kind == KindVarchar) {
		return nil, ex.mismatch(v, dt, at)
	}
	switch dt.(type) {
	case arrow.BinaryViewDataType:
		return ex.views(v, dt, at)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return exportBinary[int64](ex, v, dt, math.MaxInt64, at)
	}
	return exportBinary[int32](ex, v, dt, math.MaxInt32, at)
}

// exportBinary copies the strings one after the other. limit is the largest offset.
func exportBinary[O int32 | int64](ex *exporter, v *Vector, dt arrow.DataType, limit int64, at *place) (*array.Data, error) {
	views := ValuesOf[View](v)
	offsets := Alloc[O](ex.pool, v.length+1)
	offsets[0] = 0
	total := int64(0)
	for i := range views {
		if v.validity.Has(i) {
			total += int64(views[i].Len())
		}
		if total > limit {
			return nil, at.errorf(ErrCastOverflow, i, "strings are longer than the 2 GiB of an Arrow %s array; use views or large strings", dt)
		}
		offsets[i+1] = O(total)
	}
	body := ex.pool.Bytes(int(total))
	for i := range views {
		if from, to := offsets[i], offsets[i+1]; from < to {
			copy(body[from:to], views[i].Bytes(v.buffers))
		}
	}
	return ex.flat(v, dt, memory.NewBufferBytes(Bytes(offsets)), memory.NewBufferBytes(body)), nil
}

// viewStep is the distance of the data buffers that a buffer beyond 2 GiB is cut into: Arrow's view offsets are signed.
const viewStep = 1 << 30

// views shares views and data buffers. Views under nulls are made empty, for readers that look at them.
func (ex *exporter) views(v *Vector, dt arrow.DataType, at *place) (*array.Data, error) {
	large := false
	for _, b := range v.buffers {
		large = large || len(b.Bytes) > math.MaxInt32
	}
	data := v.data
	if v.validity != nil || large {
		data = Buffer{Bytes: Bytes(append(Alloc[View](ex.pool, v.length)[:0], ValuesOf[View](v)...))}
		clearNulls(Values[View](data.Bytes), v.validity)
	}
	buffers := v.buffers
	if large {
		buffers = cutBuffers(Values[View](data.Bytes), v.buffers, viewStep)
	}
	all := []*memory.Buffer{wrap(data)}
	for _, b := range buffers {
		all = append(all, wrap(b))
	}
	return ex.flat(v, dt, all...), nil
}

// cutBuffers replaces each data buffer by one for every step bytes of it, each reaching to the buffer's end, and changes the views so
// that no offset is step or more.
func cutBuffers(views []View, buffers []Buffer, step int) []Buffer {
	var cut []Buffer
	first := make([]int, len(buffers)) // index in cut of the first part
	for i, b := range buffers {
		first[i] = len(cut)
		for at := 0; at == 0 || at < len(b.Bytes); at += step {
			cut = append(cut, Buffer{Bytes: b.Bytes[at:], Owner: b.Owner})
		}
	}
	for i, w := range views {
		if !w.IsInline() {
			part := w.Offset() / step
			views[i].Tail = uint64(uint32(first[w.Buffer()]+part)) | uint64(uint32(w.Offset()-part*step))<<32
		}
	}
	return cut
}

// fixedBinary exports UUID, and binary values that all have the width of the type.
func (ex *exporter) fixedBinary(v *Vector, dt *arrow.FixedSizeBinaryType, at *place) (*array.Data, error) {
	width := dt.ByteWidth
	switch {
	case v.typ.kind == KindUUID && width == 16:
		body := ex.pool.Bytes(v.length * 16)
		for i, x := range ValuesOf[Int128](v) {
			b := int128ToUUID(x)
			copy(body[i*16:], b[:])
		}
		return ex.flat(v, dt, memory.NewBufferBytes(body)), nil
	case v.typ.kind == KindBlob:
		views, body := ValuesOf[View](v), ex.pool.Bytes(v.length*width)
		for i := range views {
			slot := body[i*width : (i+1)*width]
			if !v.validity.Has(i) {
				clear(slot)
				continue
			}
			if views[i].Len() == 0 {
				clear(slot) // the placeholder of a row that nobody sees, see Export
				continue
			}
			if copy(slot, views[i].Bytes(v.buffers)) < width || views[i].Len() != width {
				return nil, at.errorf(ErrCastOverflow, i, "value of %d bytes cannot be written as %s", views[i].Len(), dt)
			}
		}
		return ex.flat(v, dt, memory.NewBufferBytes(body)), nil
	}
	return nil, ex.mismatch(v, dt, at)
}
