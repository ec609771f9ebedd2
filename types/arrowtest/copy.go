package arrowtest

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Copy gives the same rows, with all that is hidden below them, in new heap memory: the array and every array below it have other offsets, with other rows before
// them. It shares no buffer with the original, and stays valid without it. data must have passed types.ValidateContents.
func Copy(rng *rand.Rand, data arrow.ArrayData) arrow.Array {
	c := copier{rng}
	copied := c.rows(data.DataType(), data, 0, data.Len(), 0)
	defer copied.Release()
	return array.MakeFromData(copied)
}

type copier struct{ rng *rand.Rand }

// rows copies n rows from a row on, behind lead rows that the array has, too, and others that it has not.
func (c copier) rows(dt arrow.DataType, data arrow.ArrayData, from, n, lead int) *array.Data {
	offset := c.rng.IntN(20)
	pad := offset + lead // rows of the buffers before the first
	first := data.Offset() + from
	source := func(i int) []byte {
		if i < len(data.Buffers()) && data.Buffers()[i] != nil {
			return data.Buffers()[i].Bytes()
		}
		return nil
	}
	// fixed gives a buffer of elements with others before them.
	fixed := func(i, width, count, before int) *memory.Buffer {
		out := c.random(before * width)
		if count > 0 {
			out = append(out, source(i)[first*width:][:count*width]...)
		}
		return memory.NewBufferBytes(out)
	}
	bits := func(i int) *memory.Buffer {
		out := c.random((pad + n + 7) / 8)
		for k := range n {
			at := pad + k
			out[at/8] &^= 1 << (at % 8)
			out[at/8] |= source(i)[(first+k)/8] >> ((first + k) % 8) & 1 << (at % 8)
		}
		return memory.NewBufferBytes(out)
	}
	buffers := []*memory.Buffer{nil}
	if len(source(0)) > 0 {
		buffers[0] = bits(0)
	}
	var children []arrow.ArrayData
	var dictionary *array.Data
	nulls := array.UnknownNullCount
	storage := dt
	if ext, ok := dt.(arrow.ExtensionType); ok {
		storage = ext.StorageType()
	}
	switch d := storage.(type) {
	case *arrow.NullType:
		nulls = lead + n
	case *arrow.BooleanType:
		buffers = append(buffers, bits(1))
	case *arrow.DictionaryType:
		buffers = append(buffers, fixed(1, d.IndexType.(arrow.FixedWidthDataType).BitWidth()/8, n, pad))
		dictionary = c.rows(d.ValueType, data.Dictionary(), 0, data.Dictionary().Len(), 0)
	case *arrow.RunEndEncodedType:
		children = c.runs(d, data, first, n, pad)
	case *arrow.SparseUnionType:
		buffers = append(buffers, fixed(1, 1, n, pad))
		for i, f := range d.Fields() {
			children = append(children, c.rows(f.Type, data.Children()[i], first, n, pad))
		}
	case *arrow.DenseUnionType:
		buffers = append(buffers, fixed(1, 1, n, pad), fixed(2, 4, n, pad))
		for i, f := range d.Fields() {
			children = append(children, c.rows(f.Type, data.Children()[i], 0, data.Children()[i].Len(), 0))
		}
	case *arrow.StructType:
		for i, f := range d.Fields() {
			children = append(children, c.rows(f.Type, data.Children()[i], first, n, pad))
		}
	case *arrow.FixedSizeListType:
		w := int(d.Len())
		children = append(children, c.rows(d.Elem(), data.Children()[0], first*w, n*w, pad*w))
	case *arrow.ListViewType:
		buffers = append(buffers, fixed(1, 4, n, pad), fixed(2, 4, n, pad))
		children = append(children, c.rows(d.Elem(), data.Children()[0], 0, data.Children()[0].Len(), 0))
	case *arrow.LargeListViewType:
		buffers = append(buffers, fixed(1, 8, n, pad), fixed(2, 8, n, pad))
		children = append(children, c.rows(d.Elem(), data.Children()[0], 0, data.Children()[0].Len(), 0))
	case arrow.ListLikeType:
		offsets, start, end := c.offsets(source(1), first, n, pad, 0, d.ID() == arrow.LARGE_LIST)
		buffers = append(buffers, offsets)
		children = append(children, c.rows(d.ElemField().Type, data.Children()[0], start, end-start, 0))
	case arrow.BinaryViewDataType:
		buffers = append(buffers, fixed(1, 16, n, pad))
		for i := 2; i < len(data.Buffers()); i++ {
			buffers = append(buffers, memory.NewBufferBytes(slices.Clone(source(i))))
		}
	case *arrow.FixedSizeBinaryType:
		buffers = append(buffers, fixed(1, d.ByteWidth, n, pad))
	case arrow.BinaryDataType:
		body := c.random(c.rng.IntN(9))
		offsets, start, end := c.offsets(source(1), first, n, pad, len(body), d.ID() == arrow.LARGE_STRING || d.ID() == arrow.LARGE_BINARY)
		buffers = append(buffers, offsets, memory.NewBufferBytes(append(body, source(2)[start:end]...)))
	case arrow.FixedWidthDataType:
		buffers = append(buffers, fixed(1, d.BitWidth()/8, n, pad))
	}
	if nulls < 0 && buffers[0] == nil {
		nulls = 0
	}
	out := array.NewData(dt, lead+n, buffers, children, nulls, offset)
	if dictionary != nil {
		out.SetDictionary(dictionary)
	}
	return out
}

func (c copier) random(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(c.rng.Uint32())
	}
	return out
}

// offsets moves n+1 offsets so that the first is base, puts pad before them, and gives the first and the last one as they were.
func (c copier) offsets(source []byte, first, n, pad, base int, wide bool) (moved *memory.Buffer, start, end int) {
	at := func(i int) int {
		if wide {
			return int(binary.LittleEndian.Uint64(source[(first+i)*8:]))
		}
		return int(binary.LittleEndian.Uint32(source[(first+i)*4:]))
	}
	out := make([]int, pad+n+1)
	for i := range pad + 1 {
		out[i] = base
	}
	if n > 0 { // an empty array may have no offset
		start, end = at(0), at(n)
		for i := range n + 1 {
			out[pad+i] = at(i) - start + base
		}
	}
	return memory.NewBufferBytes(integers(out, wide)), start, end
}

// runs copies the runs that meet the window, behind one run for the rows before it.
func (c copier) runs(dt *arrow.RunEndEncodedType, data arrow.ArrayData, first, n, pad int) []arrow.ArrayData {
	width := dt.RunEnds().(arrow.FixedWidthDataType).BitWidth() / 8
	ends := data.Children()[0]
	at := func(i int) int {
		b := ends.Buffers()[1].Bytes()[(ends.Offset()+i)*width:]
		switch width {
		case 2:
			return int(int16(binary.LittleEndian.Uint16(b)))
		case 4:
			return int(int32(binary.LittleEndian.Uint32(b)))
		}
		return int(binary.LittleEndian.Uint64(b))
	}
	lo := sort.Search(ends.Len(), func(i int) bool { return at(i) > first })
	var moved []byte
	add := func(end int) {
		moved = append(moved, binary.LittleEndian.AppendUint64(nil, uint64(end))[:width]...)
	}
	lead := 0
	if pad > 0 {
		add(pad)
		lead = 1
	}
	count := 0
	for end := first; end < first+n; count++ {
		end = at(lo + count)
		add(pad + min(end-first, n))
	}
	runEnds := array.NewData(dt.RunEnds(), lead+count, []*memory.Buffer{nil, memory.NewBufferBytes(moved)}, nil, 0, 0)
	return []arrow.ArrayData{runEnds, c.rows(dt.Encoded(), data.Children()[1], lo, count, lead)}
}
