// Package arrowschema reads the flatbuffers of Arrow's metadata that come from files: tables without trust in what they claim, and schemas. Arrow's own library
// believes counts and offsets.
package arrowschema

import "encoding/binary"

// FlatTable is a table of a flatbuffer (https://flatbuffers.dev/internals): fields that may be missing, found through a table of offsets. Its methods never
// read outside of the bytes; what does not fit is noted in bad, and reads as missing.
type FlatTable struct {
	bytes  []byte
	at     int
	offset []byte // of the fields, from the table's start; two bytes each
	bad    *bool
}

// At gives where the table starts in the bytes.
func (t FlatTable) At() int { return t.at }

// Bad reports whether something that was read contradicted itself.
func (t FlatTable) Bad() bool { return *t.bad }

// WithBad gives the same table with another place for what is found bad: for use from several goroutines.
func (t FlatTable) WithBad(bad *bool) FlatTable {
	t.bad = bad
	return t
}

// Root gives the root of a flatbuffer. bad is set when something in it contradicts itself, at once or later.
func Root(bytes []byte, bad *bool) FlatTable {
	t := FlatTable{bytes: bytes, bad: bad}
	return t.TableAt(0)
}

// word reads an unsigned number of four bytes.
func (t FlatTable) word(at int) (int, bool) {
	if at < 0 || at > len(t.bytes)-4 {
		*t.bad = true
		return 0, false
	}
	return int(binary.LittleEndian.Uint32(t.bytes[at:])), true
}

// TableAt gives the table that an offset points to.
func (t FlatTable) TableAt(at int) FlatTable {
	none := FlatTable{bytes: t.bytes, bad: t.bad}
	offset, ok := t.word(at)
	if !ok {
		return none
	}
	start := at + offset
	back, ok := t.word(start)
	if !ok {
		return none
	}
	fields := start - int(int32(back))
	if fields < 0 || fields > len(t.bytes)-4 {
		*t.bad = true
		return none
	}
	size := int(binary.LittleEndian.Uint16(t.bytes[fields:]))
	if size < 4 || size%2 != 0 || size > len(t.bytes)-fields {
		*t.bad = true
		return none
	}
	none.at, none.offset = start, t.bytes[fields+4:fields+size]
	return none
}

// field gives the place of a field, or false when the table does not have it.
func (t FlatTable) field(number, size int) (int, bool) {
	if 2*number+2 > len(t.offset) {
		return 0, false
	}
	offset := int(binary.LittleEndian.Uint16(t.offset[2*number:]))
	if offset == 0 {
		return 0, false
	}
	at := t.at + offset
	if at > len(t.bytes)-size {
		*t.bad = true
		return 0, false
	}
	return at, true
}

// Integer reads a field of so many bytes, or gives a default.
func (t FlatTable) Integer(number, size int, otherwise int64) int64 {
	at, ok := t.field(number, size)
	if !ok {
		return otherwise
	}
	switch size {
	case 1:
		return int64(int8(t.bytes[at]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(t.bytes[at:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(t.bytes[at:])))
	}
	return int64(binary.LittleEndian.Uint64(t.bytes[at:]))
}

// Table gives the table of a field; false, and one without fields, when it is missing.
func (t FlatTable) Table(number int) (FlatTable, bool) {
	at, ok := t.field(number, 4)
	if !ok {
		return FlatTable{bytes: t.bytes, bad: t.bad}, false
	}
	return t.TableAt(at), !*t.bad
}

// Vector gives where the elements of a field start, of so many bytes each, and their number.
func (t FlatTable) Vector(number, size int) (at, n int) {
	field, ok := t.field(number, 4)
	if !ok {
		return 0, 0
	}
	offset, _ := t.word(field)
	n, ok = t.word(field + offset)
	if at = field + offset + 4; !ok || n > (len(t.bytes)-at)/size {
		*t.bad = true
		return 0, 0
	}
	return at, n
}

// Long reads a number of eight bytes of a vector's element.
func (t FlatTable) Long(at int) int64 { return int64(binary.LittleEndian.Uint64(t.bytes[at:])) }
