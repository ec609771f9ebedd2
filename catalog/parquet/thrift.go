package parquet

import "encoding/binary"

// compact reads the Thrift compact protocol from data. It is bounded: it makes nothing that the input has no bytes for, so no
// footer can ask for more memory than its own size warrants. After an error every read gives zero and bad stays set, so that
// callers look once, at the end.
type compact struct {
	data []byte // what is left
	bad  bool
}

// Wire types of the compact protocol. In a field header a boolean's wire type is its value.
const (
	wireTrue   = 1
	wireFalse  = 2
	wireByte   = 3
	wireInt16  = 4
	wireInt32  = 5
	wireInt64  = 6
	wireDouble = 7
	wireBinary = 8
	wireList   = 9
	wireSet    = 10
	wireMap    = 11
	wireStruct = 12
)

// maxThriftDepth bounds the nesting of values that are passed over.
const maxThriftDepth = 32

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

func (r *compact) varint() int64 { return unzigzag(r.uvarint()) }

// unzigzag undoes the mapping of small numbers of either sign to small unsigned ones.
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// bytes gives the next n bytes, borrowed from the input.
func (r *compact) bytes(n uint64) []byte {
	if n > uint64(len(r.data)) {
		r.fail()
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

// list gives the number of elements and their wire type. Every element has at least one byte, so a greater number is corrupt.
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

// fields calls field for each field of a struct; field must read the value or pass over it with skip.
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
			id = r.varint()
		}
		field(id, b&15)
	}
}

// skip passes over the value of a field.
func (r *compact) skip(wire byte) { r.skipValue(wire, 0) }

func (r *compact) skipValue(wire byte, depth int) {
	if depth > maxThriftDepth {
		r.fail()
		return
	}
	switch wire {
	case wireTrue, wireFalse: // the field header holds the value
	case wireByte:
		r.byte()
	case wireInt16, wireInt32, wireInt64:
		r.uvarint()
	case wireDouble:
		r.bytes(8)
	case wireBinary:
		r.bytes(r.uvarint())
	case wireList, wireSet:
		n, element := r.list()
		for i := 0; i < n && !r.bad; i++ {
			r.skipElement(element, depth)
		}
	case wireMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		kinds := r.byte()
		for i := uint64(0); i < n && !r.bad; i++ {
			r.skipElement(kinds>>4, depth)
			r.skipElement(kinds&15, depth)
		}
	case wireStruct:
		r.fields(func(_ int64, wire byte) { r.skipValue(wire, depth+1) })
	default:
		r.fail()
	}
}

// skipElement passes over an element of a container: there a boolean is a byte of its own.
func (r *compact) skipElement(wire byte, depth int) {
	if wire == wireTrue || wire == wireFalse {
		wire = wireByte
	}
	r.skipValue(wire, depth+1)
}

// integer reads an integer of any declared width into dst.
func (r *compact) integer(dst *int64, wire byte) {
	switch wire {
	case wireByte:
		*dst = int64(int8(r.byte()))
	case wireInt16, wireInt32, wireInt64:
		*dst = r.varint()
	default:
		r.skip(wire)
	}
}

// boolean reads a field's boolean into dst.
func (r *compact) boolean(dst *bool, wire byte) {
	if wire == wireTrue || wire == wireFalse {
		*dst = wire == wireTrue
		return
	}
	r.skip(wire)
}

// binary reads a byte string into dst, borrowed from the input; never nil when the field is there.
func (r *compact) binary(dst *[]byte, wire byte) {
	if wire != wireBinary {
		r.skip(wire)
		return
	}
	*dst = r.bytes(r.uvarint())
	if *dst == nil && !r.bad {
		*dst = []byte{}
	}
}

// structs reads a list of structs. read must fail on an element that has not even its required fields, so that a list of empty
// structs cannot cost many times its own size.
func structs[T any](r *compact, wire byte, read func(*T)) []T {
	if wire != wireList {
		r.skip(wire)
		return nil
	}
	n, element := r.list()
	if n > 0 && element != wireStruct {
		r.fail()
		return nil
	}
	var all []T
	for i := 0; i < n; i++ {
		var one T
		read(&one)
		if r.bad {
			return nil
		}
		all = append(all, one)
	}
	return all
}

// integers reads a list of integers.
func integers(r *compact, wire byte) []int64 {
	if wire != wireList {
		r.skip(wire)
		return nil
	}
	n, element := r.list()
	all := make([]int64, 0, min(n, 64))
	for i := 0; i < n && !r.bad; i++ {
		var x int64
		r.integer(&x, element)
		all = append(all, x)
	}
	return all
}

// booleans reads a list of booleans: there each is a byte of its own.
func booleans(r *compact, wire byte) []bool {
	if wire != wireList {
		r.skip(wire)
		return nil
	}
	n, element := r.list()
	if n > 0 && element != wireTrue && element != wireFalse {
		r.fail()
		return nil
	}
	all := make([]bool, n)
	for i := range all {
		all[i] = r.byte() == wireTrue
	}
	return all
}

// binaries reads a list of byte strings, borrowed from the input; none is nil.
func binaries(r *compact, wire byte) [][]byte {
	if wire != wireList {
		r.skip(wire)
		return nil
	}
	n, element := r.list()
	var all [][]byte
	for i := 0; i < n && !r.bad; i++ {
		var b []byte
		r.binary(&b, element)
		all = append(all, b)
	}
	return all
}
