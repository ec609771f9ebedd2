package types

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// strings imports every string and binary type as views: the bytes stay where they are.
func (im *importer) strings(data arrow.ArrayData, dt arrow.DataType, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	plain := plainTypes[dt.ID()].kind
	text := typ.kind == KindVarchar || typ.kind == KindJSON
	if typ.Storage() != StorageView || text != (plain == KindVarchar) {
		return nil, im.mismatch(dt, typ, at)
	}
	var v *Vector
	var err error
	switch d := dt.(type) {
	case *arrow.StringType, *arrow.BinaryType:
		v, err = importBinary[int32](im, data, typ, from, n, validity, at)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		v, err = importBinary[int64](im, data, typ, from, n, validity, at)
	case *arrow.FixedSizeBinaryType:
		v, err = im.fixedBinary(data, d.ByteWidth, typ, from, n, validity, at)
	case arrow.BinaryViewDataType:
		v, err = im.views(data, typ, from, n, validity, at)
	default:
		return nil, im.mismatch(dt, typ, at)
	}
	if err != nil {
		return nil, err
	}
	if typ.kind == KindBit && !im.trusted {
		if row := firstRow(func(i int) bool { return !validBit(ValuesOf[View](v)[i].Bytes(v.buffers)) }, n, validity); row >= 0 {
			return nil, at.invalid(row, "bytes are no BIT value")
		}
	}
	return v, nil
}

// importBinary makes views of the strings between offsets. Null rows get the empty view.
func importBinary[O int32 | int64](im *importer, data arrow.ArrayData, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	if n == 0 {
		return NewViews(typ, nil, nil, nil), nil
	}
	offsets, _, err := importValues[O](im, data, 1, data.Offset()+from, n+1, at)
	if err != nil {
		return nil, err
	}
	start := offsets[0]
	for i, end := range offsets[1:] {
		if end < start {
			return nil, at.invalid(i, "string offsets %d, %d decrease", start, end)
		}
		start = end
	}
	body := buffer(data, 2)
	size := 0
	if body != nil {
		size = body.Len()
	}
	first, last := int(offsets[0]), int(offsets[n])
	if first < 0 || last > size {
		return nil, at.invalid(-1, "string offsets %d to %d of %d bytes", first, last, size)
	}
	var used []byte
	if last > first {
		used = body.Bytes()[first:last:last]
	}
	views := Alloc[View](im.pool, n)
	cut := viewCutter{owner: body}
	if len(used) <= im.viewSpan {
		// The usual case: one data buffer, offsets count from its start.
		cut.add(used)
		for i := range views {
			from, to := int(offsets[i])-first, int(offsets[i+1])-first
			views[i] = viewOf(used, from, to, 0, from)
		}
	} else {
		for i := range views {
			from, to := int(offsets[i])-first, int(offsets[i+1])-first
			if to-from > math.MaxInt32 {
				return nil, at.errorf(ErrUnsupported, i, "string of %d bytes; the longest has 2 GiB", to-from)
			}
			if len(cut.buffers) == 0 || from-cut.base > im.viewSpan {
				cut.base = from
				cut.add(used[from:])
			}
			views[i] = viewOf(used, from, to, len(cut.buffers)-1, from-cut.base)
		}
	}
	clearNulls(views, validity)
	v := NewViews(typ, views, cut.buffers, validity)
	return v, im.checkText(v, used, at)
}

// viewCutter collects data buffers none of whose views starts further in than the importer's viewSpan.
type viewCutter struct {
	base    int // where in the data the last buffer starts
	owner   *memory.Buffer
	buffers []Buffer
}

func (c *viewCutter) add(b []byte) {
	if len(b) > 0 {
		c.buffers = append(c.buffers, Buffer{Bytes: b, Owner: c.owner})
	}
}

// viewOf makes the view of data[from:to], which lies at offset in data buffer number buffer.
func viewOf(data []byte, from, to, buffer, offset int) View {
	n := to - from
	if n > MaxInlineView {
		return View{
			Head: uint64(uint32(n)) | uint64(binary.LittleEndian.Uint32(data[from:]))<<32,
			Tail: uint64(uint32(buffer)) | uint64(uint32(offset))<<32,
		}
	}
	if len(data)-from >= 16 {
		// Load more than the string and cut: cheaper than a loop over up to 12 bytes.
		lo, hi := binary.LittleEndian.Uint64(data[from:]), binary.LittleEndian.Uint64(data[from+8:])
		if n < 8 {
			lo, hi = lo&(1<<(uint(n)*8)-1), 0
		} else {
			hi &= 1<<(uint(n-8)*8) - 1
		}
		return View{Head: uint64(n) | lo<<32, Tail: lo>>32 | hi<<32}
	}
	return InlineView(data[from:to])
}

func clearNulls(views []View, validity Bitmap) {
	if validity == nil {
		return
	}
	for i := range views {
		if !validity.Get(i) {
			views[i] = View{}
		}
	}
}

// fixedBinary makes views of values of one width.
func (im *importer) fixedBinary(data arrow.ArrayData, width int, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	if width < 0 {
		return nil, at.invalid(-1, "fixed size binary of %d bytes", width)
	}
	raw, err := im.bytes(data, 1, width, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	views := Alloc[View](im.pool, n)
	cut := viewCutter{owner: buffer(data, 1)}
	for i := range views {
		start := i * width
		if width > 0 && (len(cut.buffers) == 0 || start-cut.base > im.viewSpan) {
			cut.base = start
			cut.add(raw[start:])
		}
		views[i] = viewOf(raw, start, start+width, max(0, len(cut.buffers)-1), start-cut.base)
	}
	clearNulls(views, validity)
	return NewViews(typ, views, cut.buffers, validity), nil
}

// views shares the views of utf8_view and binary_view when each is as Lacuna needs it, also under nulls; else it copies and mends
// them: wrong prefixes, bytes after an inline string, anything under a null.
func (im *importer) views(data arrow.ArrayData, typ Type, from, n int, validity Bitmap, at *place) (*Vector, error) {
	views, shared, err := importValues[View](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return nil, err
	}
	var buffers []Buffer
	for _, b := range data.Buffers()[min(2, len(data.Buffers())):] {
		if b == nil {
			buffers = append(buffers, Buffer{})
			continue
		}
		buffers = append(buffers, Buffer{Bytes: b.Bytes(), Owner: b})
	}
	clean := true
	for i := range views {
		good, canonical := checkView(&views[i], buffers)
		if !good && validity.Has(i) {
			return nil, at.invalid(i, "view of %d bytes at %d in data buffer %d of %d", int32(views[i].Head), int32(views[i].Tail>>32), int32(views[i].Tail), len(buffers))
		}
		clean = clean && canonical
	}
	if !clean {
		mended := Alloc[View](im.pool, n)
		for i := range mended {
			switch good, canonical := checkView(&views[i], buffers); {
			case canonical:
				mended[i] = views[i]
			case good:
				mended[i] = MakeView(views[i].Bytes(buffers), views[i].Buffer(), views[i].Offset())
			default:
				mended[i] = View{}
			}
		}
		views, shared = mended, Buffer{Bytes: Bytes(mended)}
	}
	v := &Vector{typ: typ, length: n, data: shared, buffers: buffers, validity: validity}
	return v, im.checkText(v, nil, at)
}

// checkView reports whether a view of Arrow lies inside the buffers, and whether it is also in the one form that View promises.
func checkView(v *View, buffers []Buffer) (good, canonical bool) {
	n := int32(v.Head)
	if n < 0 {
		return false, false
	}
	if n <= MaxInlineView {
		return true, *v == InlineView(v.Bytes(nil))
	}
	index, offset := int32(v.Tail), int32(v.Tail>>32)
	if index < 0 || int(index) >= len(buffers) || offset < 0 || int(offset)+int(n) > len(buffers[index].Bytes) {
		return false, false
	}
	return true, binary.LittleEndian.Uint32(buffers[index].Bytes[offset:]) == uint32(v.Head>>32)
}

// checkText checks that the strings of a VARCHAR or JSON vector are UTF-8. body, when known, is memory that holds all of them: when
// that is ASCII, no string has to be looked at.
func (im *importer) checkText(v *Vector, body []byte, at *place) error {
	if im.trusted || v.typ.kind != KindVarchar && v.typ.kind != KindJSON || body != nil && isASCII(body) {
		return nil
	}
	views := ValuesOf[View](v)
	for i := range views {
		view := &views[i]
		if view.IsInline() && (view.Head>>32|view.Tail)&0x8080808080808080 == 0 {
			continue
		}
		if !v.validity.Has(i) {
			continue
		}
		if !utf8.Valid(view.Bytes(v.buffers)) {
			return Errorf(CodeInvalidUTF8, "string is not valid UTF-8").WithRow(at.String(), int64(i))
		}
	}
	return nil
}

// isASCII looks at eight bytes at a time.
func isASCII(b []byte) bool {
	var high uint64
	for len(b) >= 32 {
		high |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		b = b[32:]
		if high&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		high |= uint64(c)
	}
	return high&0x8080808080808080 == 0
}
