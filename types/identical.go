package types

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/kernels/asm"
)

// Identical reports whether two arrays are equal and lie in memory in the same way, which is what a round trip must keep: EqualArrays with the option Layout, which
// the functions for chunks, batches and tables have too. Floats are compared by their bits. Of what lies in the window of rows, also under nulls and in
// unselected variants, these must be the same:
//
//   - whether there is a validity bitmap, and its bits
//   - values of fixed width, the bytes of strings, type codes, dictionary keys, offsets and sizes of list views, offsets of dense unions
//   - offsets of strings and lists, counted from that of the first row
//   - run ends, counted from the first row and cut at the last
//   - of the child of a list, list view or dense union the elements from the first to the last that a row points to, those between them included
//   - all entries of a dictionary, unless the array has no rows
//   - the lengths of chunks, empty ones included
//
// These do not count: the offset of the array and of every array below it, rows outside the window, padding, known null counts, and of the views of strings
// where their bytes lie. Views that point outside of their buffers, as they may under a null, are compared bit by bit.
func Identical(a, b arrow.Array) bool { return EqualArrays(a, b, EqualOptions{Layout: true}) }

// sameChunks compares the layout of columns that are equal.
func sameChunks(a, b arrowColumn) bool {
	l := layouts{}
	return slices.EqualFunc(a.chunks, b.chunks, func(x, y arrow.Array) bool {
		return x.Len() == y.Len() && l.rows(a.field.Type, span{x.Data(), 0}, span{y.Data(), 0}, x.Len())
	})
}

// layouts compares the layouts of arrays that have passed checkLayout. What nobody sees may still point anywhere: no index, offset or run end is believed. The
// keys are dictionaries that have been compared, the values whether they are the same.
type layouts map[[2]*array.Data]bool

// span is the rows of an array from a row on, which counts from the array's own offset.
type span struct {
	data arrow.ArrayData
	from int
}

// first gives the place of the first row in the buffers.
func (s span) first() int { return s.data.Offset() + s.from }

// bytes gives count values of width bytes of a buffer from the first row on; nil where the buffer has not so many.
func (s span) bytes(i, width, count int) []byte {
	b := buffer(s.data, i)
	if b == nil || s.first()+count > b.Len()/max(width, 1) {
		return nil
	}
	return b.Bytes()[s.first()*width:][:count*width]
}

// bits gives n bits of a buffer from the first row on.
func (s span) bits(i, n int) Bitmap {
	out := make(Bitmap, BitmapWords(n))
	if b := buffer(s.data, i); b != nil && s.first()+n <= b.Len()*8 {
		asm.LoadBits(out, b.Bytes()[s.first()/8:], s.first()%8, n)
	}
	return out
}

// child gives the rows of a child from a row on.
func (s span) child(i, from int) span { return span{s.data.Children()[i], from} }

// rows compares n rows of two arrays of one type.
func (l layouts) rows(dt arrow.DataType, a, b span, n int) bool {
	if n == 0 {
		return true
	}
	if a.from > a.data.Len()-n || b.from > b.data.Len()-n {
		return false
	}
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	if !sameValidity(a, b, n) {
		return false
	}
	same := func(buffer, width, count int) bool {
		return bytes.Equal(a.bytes(buffer, width, count), b.bytes(buffer, width, count))
	}
	switch d := dt.(type) {
	case *arrow.NullType:
		return true
	case *arrow.BooleanType:
		return slices.Equal(a.bits(1, n), b.bits(1, n))
	case *arrow.DictionaryType:
		return same(1, d.IndexType.(arrow.FixedWidthDataType).BitWidth()/8, n) && l.dictionary(d.ValueType, a.data.Dictionary(), b.data.Dictionary())
	case *arrow.RunEndEncodedType:
		return l.runs(d, a, b, n)
	case arrow.UnionType:
		return same(1, 1, n) && l.union(d, a, b, n)
	case *arrow.StructType:
		for i, f := range d.Fields() {
			if !l.rows(f.Type, a.child(i, a.first()), b.child(i, b.first()), n) {
				return false
			}
		}
		return true
	case *arrow.FixedSizeListType:
		width := int(d.Len())
		return l.rows(d.Elem(), a.child(0, a.first()*width), b.child(0, b.first()*width), n*width)
	case *arrow.ListViewType:
		return same(1, 4, n) && same(2, 4, n) && l.listViews(d.Elem(), a, b, 4, n)
	case *arrow.LargeListViewType:
		return same(1, 8, n) && same(2, 8, n) && l.listViews(d.Elem(), a, b, 8, n)
	case arrow.ListLikeType:
		width := 4
		if dt.ID() == arrow.LARGE_LIST {
			width = 8
		}
		aFirst, bFirst, count, ok := sameOffsets(a, b, width, n)
		return ok && l.rows(d.ElemField().Type, a.child(0, aFirst), b.child(0, bFirst), count)
	case arrow.BinaryViewDataType:
		return sameViews(a, b, n)
	case *arrow.FixedSizeBinaryType:
		return same(1, d.ByteWidth, n)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return sameStrings(a, b, 8, n)
	case arrow.BinaryDataType:
		return sameStrings(a, b, 4, n)
	case arrow.FixedWidthDataType:
		return same(1, d.BitWidth()/8, n)
	}
	return false
}

// sameValidity compares validity bitmaps, and whether there are any.
func sameValidity(a, b span, n int) bool {
	x, y := buffer(a.data, 0), buffer(b.data, 0)
	hasX, hasY := x != nil && x.Len() > 0, y != nil && y.Len() > 0
	return hasX == hasY && (!hasX || slices.Equal(a.bits(0, n), b.bits(0, n)))
}

// dictionary compares all entries of two dictionaries.
func (l layouts) dictionary(dt arrow.DataType, a, b arrow.ArrayData) bool {
	x, ok1 := a.(*array.Data)
	y, ok2 := b.(*array.Data)
	if ok1 && ok2 {
		if x == y {
			return true
		}
		if same, known := l[[2]*array.Data{x, y}]; known {
			return same
		}
	}
	same := a.Len() == b.Len() && l.rows(dt, span{a, 0}, span{b, 0}, a.Len())
	if ok1 && ok2 {
		l[[2]*array.Data{x, y}] = same
	}
	return same
}

// runs compares the runs that meet the window.
func (l layouts) runs(dt *arrow.RunEndEncodedType, a, b span, n int) bool {
	width := dt.RunEnds().(arrow.FixedWidthDataType).BitWidth() / 8
	aFirst, aEnds := runsWithin(a, width, n)
	bFirst, bEnds := runsWithin(b, width, n)
	return slices.Equal(aEnds, bEnds) && l.rows(dt.Encoded(), a.child(1, aFirst), b.child(1, bFirst), len(aEnds))
}

// runsWithin gives the number of the first run that meets the window, and the ends of those that do, counted from the first row.
func runsWithin(s span, width, n int) (int, []int64) {
	ends := s.child(0, 0)
	raw := ends.bytes(1, width, ends.data.Len())
	count := len(raw) / width
	lo := sort.Search(count, func(i int) bool { return integer(raw, width, i) > int64(s.first()) })
	var out []int64
	for i := lo; i < count; i++ {
		end := integer(raw, width, i) - int64(s.first())
		out = append(out, min(end, int64(n)))
		if end >= int64(n) {
			break
		}
	}
	return lo, out
}

// integer reads the little-endian integer number i, of 1 to 8 bytes.
func integer(raw []byte, width, i int) int64 {
	raw = raw[i*width:]
	switch width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(raw)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(raw)))
	}
	return int64(binary.LittleEndian.Uint64(raw))
}

// union compares what lies below the type codes, which are the same.
func (l layouts) union(dt arrow.UnionType, a, b span, n int) bool {
	if dt.Mode() == arrow.SparseMode {
		for i, f := range dt.Fields() {
			if !l.rows(f.Type, a.child(i, a.first()), b.child(i, b.first()), n) {
				return false
			}
		}
		return true
	}
	offsets := a.bytes(2, 4, n)
	if !bytes.Equal(offsets, b.bytes(2, 4, n)) {
		return false
	}
	used := make([]extent, dt.NumFields())
	ids := dt.ChildIDs()
	for i, code := range a.bytes(1, 1, n) {
		if int(code) < len(ids) && ids[code] >= 0 {
			used[ids[code]].add(integer(offsets, 4, i), 1, a.data.Children()[ids[code]], b.data.Children()[ids[code]])
		}
	}
	for i, f := range dt.Fields() {
		if !l.rows(f.Type, a.child(i, used[i].from), b.child(i, used[i].from), used[i].to-used[i].from) {
			return false
		}
	}
	return true
}

// extent is the rows of a child from the first to the last that a parent points to.
type extent struct{ from, to int }

// add extends by rows that both children have.
func (e *extent) add(from, count int64, a, b arrow.ArrayData) {
	if size := int64(min(a.Len(), b.Len())); from < 0 || count <= 0 || from > size-count {
		return
	}
	if e.from == e.to {
		e.from, e.to = int(from), int(from)
	}
	e.from, e.to = min(e.from, int(from)), max(e.to, int(from+count))
}

// listViews compares what lies below offsets and sizes, which are the same.
func (l layouts) listViews(element arrow.DataType, a, b span, width, n int) bool {
	offsets, sizes := a.bytes(1, width, n), a.bytes(2, width, n)
	var used extent
	for i := range len(offsets) / width {
		used.add(integer(offsets, width, i), integer(sizes, width, i), a.data.Children()[0], b.data.Children()[0])
	}
	return l.rows(element, a.child(0, used.from), b.child(0, used.from), used.to-used.from)
}

// sameOffsets compares the n+1 offsets of lists or strings, counted from the first, and gives the first of each and the number of what lies between the first
// and the last.
func sameOffsets(a, b span, width, n int) (aFirst, bFirst, count int, ok bool) {
	x, y := a.bytes(1, width, n+1), b.bytes(1, width, n+1)
	if len(x) == 0 || len(y) == 0 {
		return 0, 0, 0, len(x) == len(y)
	}
	xFirst, yFirst := integer(x, width, 0), integer(y, width, 0)
	for i := range n + 1 {
		if integer(x, width, i)-xFirst != integer(y, width, i)-yFirst {
			return 0, 0, 0, false
		}
	}
	between := integer(x, width, n) - xFirst
	return int(xFirst), int(yFirst), int(between), xFirst >= 0 && yFirst >= 0 && between >= 0
}

// sameStrings compares offsets and the bytes between the first and the last.
func sameStrings(a, b span, width, n int) bool {
	aFirst, bFirst, count, ok := sameOffsets(a, b, width, n)
	if !ok || count == 0 {
		return ok
	}
	x, y := buffer(a.data, 2), buffer(b.data, 2)
	if x == nil || y == nil || count > x.Len()-aFirst || count > y.Len()-bFirst {
		return false
	}
	return bytes.Equal(x.Bytes()[aFirst:][:count], y.Bytes()[bFirst:][:count])
}

// sameViews compares the strings of views, or the views where they point nowhere.
func sameViews(a, b span, n int) bool {
	x, xBuffers := viewsOf(a, n)
	y, yBuffers := viewsOf(b, n)
	return slices.EqualFunc(x, y, func(v, w View) bool {
		vGood, _ := checkView(&v, xBuffers)
		wGood, _ := checkView(&w, yBuffers)
		if vGood && wGood {
			return bytes.Equal(v.Bytes(xBuffers), w.Bytes(yBuffers))
		}
		return vGood == wGood && v == w
	})
}

// viewsOf reads views, which may lie at any address, and their data buffers.
func viewsOf(s span, n int) ([]View, []Buffer) {
	raw := s.bytes(1, 16, n)
	views := make([]View, len(raw)/16)
	for i := range views {
		views[i] = View{Head: binary.LittleEndian.Uint64(raw[i*16:]), Tail: binary.LittleEndian.Uint64(raw[i*16+8:])}
	}
	var buffers []Buffer
	for _, b := range s.data.Buffers()[min(2, len(s.data.Buffers())):] {
		out := Buffer{}
		if b != nil {
			out.Bytes = b.Bytes()
		}
		buffers = append(buffers, out)
	}
	return views, buffers
}
