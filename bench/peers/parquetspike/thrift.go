package main

import "encoding/binary"

// The parts of Parquet's Thrift structures that a scan of flat columns needs,
// read by a bounded reader of the compact protocol: it allocates only what the
// input has bytes for, so no footer can ask for more memory than its own size
// warrants.

type footer struct{ rowGroups []rowGroup }

type rowGroup struct {
	rows    int64
	columns []chunk
}

type chunk struct {
	codec                           int64
	compressed, uncompressed        int64 // bytes
	dataOffset, dictionaryOffset    int64
	values                          int64
	bloomOffset, bloomLength        int64
	offsetIndexAt, offsetIndexBytes int64
	columnIndexAt, columnIndexBytes int64
}

type pageHeader struct {
	kind                       int64 // 0 data, 2 dictionary, 3 data version 2
	uncompressed, compressed   int64
	values, encoding           int64
	definitionLen, repeatLen   int64 // version 2
	valuesAreNotCompressed     bool  // version 2
	hasData, hasDict, hasData2 bool
}

// compact reads the Thrift compact protocol from data; after an error every
// read returns zero and bad stays set.
type compact struct {
	data []byte
	bad  bool
}

// Wire types of the compact protocol.
const (
	wireTrue   = 1
	wireFalse  = 2
	wireByte   = 3
	wireDouble = 7
	wireBinary = 8
	wireList   = 9
	wireSet    = 10
	wireMap    = 11
	wireStruct = 12
)

const maxDepth = 32 // of nested structures that are skipped

func (r *compact) fail() { r.bad, r.data = true, nil }

func (r *compact) byte() byte {
	if len(r.data) == 0 {
		r.fail()
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *compact) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *compact) int() int64 { return unzigzag(r.uvarint()) }

// list returns the element count and wire type; every element has at least
// one byte, so a count above the bytes left is corrupt.
func (r *compact) list() (n int, wire byte) {
	b := r.byte()
	count := uint64(b >> 4)
	if count == 15 {
		count = r.uvarint()
	}
	if count > uint64(len(r.data)) {
		r.fail()
		return 0, 0
	}
	return int(count), b & 15
}

// fields calls field for each field of a struct; field must consume the value
// or call skip.
func (r *compact) fields(field func(id int64, wire byte)) {
	var id int64
	for !r.bad {
		b := r.byte()
		if b == 0 {
			return
		}
		if delta := int64(b >> 4); delta != 0 {
			id += delta
		} else {
			id = r.int()
		}
		field(id, b&15)
	}
}

// skip passes over one value of the given wire type.
func (r *compact) skip(wire byte, depth int) {
	if depth > maxDepth {
		r.fail()
		return
	}
	switch wire {
	case wireTrue, wireFalse: // the field header holds the value
	case wireByte:
		r.byte()
	case 4, 5, 6:
		r.uvarint()
	case wireDouble:
		r.bytes(8)
	case wireBinary:
		r.bytes(r.uvarint())
	case wireList, wireSet:
		n, element := r.list()
		for i := 0; i < n && !r.bad; i++ {
			r.element(element, depth)
		}
	case wireMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		types := r.byte()
		for i := uint64(0); i < n && !r.bad; i++ {
			r.element(types>>4, depth)
			r.element(types&15, depth)
		}
	case wireStruct:
		r.fields(func(_ int64, wire byte) { r.skip(wire, depth+1) })
	default:
		r.fail()
	}
}

// element skips a container's element: there a boolean is a byte of its own.
func (r *compact) element(wire byte, depth int) {
	if wire == wireTrue || wire == wireFalse {
		wire = wireByte
	}
	r.skip(wire, depth+1)
}

func (r *compact) bytes(n uint64) {
	if n > uint64(len(r.data)) {
		r.fail()
		return
	}
	r.data = r.data[n:]
}

// number reads an integer field into dst, whatever its declared width.
func (r *compact) number(dst *int64, wire byte) {
	if wire < 4 || wire > 6 {
		r.skip(wire, 0)
		return
	}
	*dst = r.int()
}

// structs reads a list of structs.
func structs[T any](r *compact, wire byte, read func(*T)) []T {
	if wire != wireList {
		r.skip(wire, 0)
		return nil
	}
	n, element := r.list()
	if element != wireStruct {
		r.fail()
		return nil
	}
	var all []T
	for i := 0; i < n && !r.bad; i++ {
		var one T
		read(&one)
		all = append(all, one)
	}
	return all
}

func parseFooter(data []byte) (f footer, err error) {
	r := &compact{data: data}
	r.fields(func(id int64, wire byte) {
		if id != 4 {
			r.skip(wire, 0)
			return
		}
		f.rowGroups = structs(r, wire, r.rowGroup)
	})
	if r.bad {
		return f, errCorrupt
	}
	return f, nil
}

func (r *compact) rowGroup(g *rowGroup) {
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			g.columns = structs(r, wire, r.chunk)
		case 3:
			r.number(&g.rows, wire)
		default:
			r.skip(wire, 0)
		}
	})
}

func (r *compact) chunk(c *chunk) {
	r.fields(func(id int64, wire byte) {
		switch {
		case id == 3 && wire == wireStruct:
			r.fields(func(id int64, wire byte) {
				switch id {
				case 4:
					r.number(&c.codec, wire)
				case 5:
					r.number(&c.values, wire)
				case 6:
					r.number(&c.uncompressed, wire)
				case 7:
					r.number(&c.compressed, wire)
				case 9:
					r.number(&c.dataOffset, wire)
				case 11:
					r.number(&c.dictionaryOffset, wire)
				case 14:
					r.number(&c.bloomOffset, wire)
				case 15:
					r.number(&c.bloomLength, wire)
				default:
					r.skip(wire, 0)
				}
			})
		case id == 4:
			r.number(&c.offsetIndexAt, wire)
		case id == 5:
			r.number(&c.offsetIndexBytes, wire)
		case id == 6:
			r.number(&c.columnIndexAt, wire)
		case id == 7:
			r.number(&c.columnIndexBytes, wire)
		default:
			r.skip(wire, 0)
		}
	})
}

// parsePageHeader reads one page header and returns the bytes behind it.
func parsePageHeader(data []byte) (h pageHeader, rest []byte, err error) {
	r := &compact{data: data}
	r.fields(func(id int64, wire byte) {
		switch {
		case id == 1:
			r.number(&h.kind, wire)
		case id == 2:
			r.number(&h.uncompressed, wire)
		case id == 3:
			r.number(&h.compressed, wire)
		case (id == 5 || id == 7) && wire == wireStruct: // data page, dictionary page
			h.hasData, h.hasDict = h.hasData || id == 5, h.hasDict || id == 7
			r.fields(func(id int64, wire byte) {
				switch id {
				case 1:
					r.number(&h.values, wire)
				case 2:
					r.number(&h.encoding, wire)
				default:
					r.skip(wire, 0)
				}
			})
		case id == 8 && wire == wireStruct:
			h.hasData2 = true
			r.fields(func(id int64, wire byte) {
				switch id {
				case 1:
					r.number(&h.values, wire)
				case 4:
					r.number(&h.encoding, wire)
				case 5:
					r.number(&h.definitionLen, wire)
				case 6:
					r.number(&h.repeatLen, wire)
				case 7:
					h.valuesAreNotCompressed = wire == wireFalse
				default:
					r.skip(wire, 0)
				}
			})
		default:
			r.skip(wire, 0)
		}
	})
	if r.bad {
		return h, nil, errCorrupt
	}
	return h, r.data, nil
}
