package parquet

import "encoding/binary"

// compactWriter writes the Thrift compact protocol.
type compactWriter struct {
	data []byte
	last []int64 // the field before, for each struct that is open
}

func (w *compactWriter) begin() { w.last = append(w.last, 0) }

func (w *compactWriter) end() {
	w.data = append(w.data, 0)
	w.last = w.last[:len(w.last)-1]
}

func (w *compactWriter) varint(v int64) {
	w.data = binary.AppendUvarint(w.data, uint64(v)<<1^uint64(v>>63))
}

// field begins a field of the open struct. Fields are written in the order of their numbers.
func (w *compactWriter) field(id int64, wire byte) {
	last := &w.last[len(w.last)-1]
	if delta := id - *last; delta > 0 && delta < 16 {
		w.data = append(w.data, byte(delta)<<4|wire)
	} else {
		w.data = append(w.data, wire)
		w.varint(id)
	}
	*last = id
}

func (w *compactWriter) int32(id, v int64) {
	w.field(id, wireInt32)
	w.varint(v)
}

func (w *compactWriter) int64(id, v int64) {
	w.field(id, wireInt64)
	w.varint(v)
}

func (w *compactWriter) int8(id int64, v byte) {
	w.field(id, wireByte)
	w.data = append(w.data, v)
}

func (w *compactWriter) bool(id int64, v bool) {
	if v {
		w.field(id, wireTrue)
	} else {
		w.field(id, wireFalse)
	}
}

func (w *compactWriter) binary(id int64, v []byte) {
	w.field(id, wireBinary)
	w.bytes(v)
}

func (w *compactWriter) bytes(v []byte) {
	w.data = append(binary.AppendUvarint(w.data, uint64(len(v))), v...)
}

// list begins a list of so many elements.
func (w *compactWriter) list(id int64, wire byte, n int) {
	w.field(id, wireList)
	if n < 15 {
		w.data = append(w.data, byte(n)<<4|wire)
		return
	}
	w.data = binary.AppendUvarint(append(w.data, 0xF0|wire), uint64(n))
}

// structure writes a struct as a field.
func (w *compactWriter) structure(id int64, fields func()) {
	w.field(id, wireStruct)
	w.element(fields)
}

// element writes a struct as an element of a list.
func (w *compactWriter) element(fields func()) {
	w.begin()
	fields()
	w.end()
}
