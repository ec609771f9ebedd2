package arrowtest

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// list makes lists and maps; null rows have elements too.
func (g *generator) list(dt arrow.ListLikeType, n int, nulls []bool) arrow.ArrayData {
	at := g.rng.IntN(4)
	offsets := []int{at}
	for range n {
		at += g.rng.IntN(4)
		offsets = append(offsets, at)
	}
	child := g.elements(dt, at+g.rng.IntN(3))
	return g.data(dt, n, nulls, []arrow.ArrayData{child}, g.buffer(integers(offsets, dt.ID() == arrow.LARGE_LIST)))
}

// elements makes the child; that of a map is a struct of key and value without nulls of its own.
func (g *generator) elements(dt arrow.ListLikeType, n int) arrow.ArrayData {
	if m, ok := dt.(*arrow.MapType); ok {
		// Arrow's maps want the null counts of entries and keys known, which those of slices are not.
		keys, items := g.whole(m.KeyType(), n, false), g.slice(m.ItemType(), n, m.ItemField().Nullable)
		keys.(*array.Data).SetNullN(0)
		entries := array.NewData(m.Elem(), n, []*memory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, 0)
		keys.Release()
		items.Release()
		return entries
	}
	return g.slice(dt.Elem(), n, dt.ElemField().Nullable)
}

// listView makes list views that overlap and leave gaps.
func (g *generator) listView(dt arrow.ListLikeType, n int, nulls []bool) arrow.ArrayData {
	size := g.rng.IntN(2*n + 3)
	offsets, sizes := make([]int, n), make([]int, n)
	for i := range n {
		offsets[i] = g.rng.IntN(size + 1)
		sizes[i] = g.rng.IntN(min(4, size-offsets[i]+1))
	}
	wide := dt.ID() == arrow.LARGE_LIST_VIEW
	child := g.elements(dt, size)
	return g.data(dt, n, nulls, []arrow.ArrayData{child}, g.buffer(integers(offsets, wide)), g.buffer(integers(sizes, wide)))
}

// union makes rows of random variants. Sparse children are garbage where they are not selected; dense ones have rows that nobody selects.
func (g *generator) union(dt arrow.UnionType, n int) arrow.ArrayData {
	codes, offsets := make([]byte, n), make([]int, n)
	next := make([]int, dt.NumFields())
	for k := range next {
		next[k] = g.rng.IntN(3)
	}
	for i := range n {
		k := g.rng.IntN(len(next))
		codes[i] = byte(dt.TypeCodes()[k])
		offsets[i] = next[k]
		next[k] += 1 + g.rng.IntN(5)/4
	}
	children := make([]arrow.ArrayData, len(next))
	for k, f := range dt.Fields() {
		size := n
		if dt.Mode() == arrow.DenseMode {
			size = next[k] + g.rng.IntN(2)
		}
		children[k] = g.slice(f.Type, size, f.Nullable)
	}
	buffers := []*memory.Buffer{nil, g.buffer(codes)}
	if dt.Mode() == arrow.DenseMode {
		buffers = append(buffers, g.buffer(integers(offsets, false)))
	}
	d := array.NewData(dt, n, buffers, children, 0, 0)
	memory.ReleaseBuffers(buffers)
	for _, c := range children {
		c.Release()
	}
	return d
}

// dictionary makes keys into a small dictionary, which may have nulls and duplicates. Keys under nulls are wild; when every row is null
// the dictionary may be empty.
func (g *generator) dictionary(dt *arrow.DictionaryType, n int, nullable bool) arrow.ArrayData {
	nulls := g.nulls(n, nullable)
	used := false
	for i := range n {
		used = used || !isNull(nulls, i)
	}
	size := 1 + g.rng.IntN(5)
	if !used {
		size = g.rng.IntN(2)
	}
	dict := g.slice(dt.ValueType, size, nullable)
	defer dict.Release()
	width := dt.IndexType.(arrow.FixedWidthDataType).BitWidth() / 8
	keys := g.garbage(n * width)
	for i := range n {
		if !isNull(nulls, i) {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], uint64(g.rng.IntN(size)))
			copy(keys[i*width:(i+1)*width], word[:])
		}
	}
	bitmap, count := g.bitmap(nulls, n)
	buffers := []*memory.Buffer{bitmap, g.buffer(keys)}
	defer memory.ReleaseBuffers(buffers)
	return array.NewDataWithDictionary(dt, n, buffers, count, 0, dict.(*array.Data))
}

// runEnd makes runs of one to five rows.
func (g *generator) runEnd(dt *arrow.RunEndEncodedType, n int, nullable bool) arrow.ArrayData {
	var ends []byte
	runs := 0
	for end := 0; end < n; runs++ {
		end += 1 + g.rng.IntN(5)
		switch dt.RunEnds().ID() {
		case arrow.INT16:
			ends = binary.LittleEndian.AppendUint16(ends, uint16(end))
		case arrow.INT32:
			ends = binary.LittleEndian.AppendUint32(ends, uint32(end))
		default:
			ends = binary.LittleEndian.AppendUint64(ends, uint64(end))
		}
	}
	endBuffer := g.buffer(ends)
	endData := array.NewData(dt.RunEnds(), runs, []*memory.Buffer{nil, endBuffer}, nil, 0, 0)
	endBuffer.Release()
	values := g.slice(dt.Encoded(), runs, nullable)
	d := array.NewData(dt, n, []*memory.Buffer{nil}, []arrow.ArrayData{endData, values}, 0, 0)
	endData.Release()
	values.Release()
	return d
}
