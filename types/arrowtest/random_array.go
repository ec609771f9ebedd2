package arrowtest

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Options shapes random arrays. The zero value is as hard as it gets.
type Options struct {
	NoNulls   bool // no null at the top; fields below follow their own nullability in any case
	NoSlices  bool // no array is a slice of a longer one
	NoGarbage bool // zeros instead of garbage where nobody may look
}

// RandomArray makes an array of n rows of any type that RandomType gives. Unless the options say no, it and every array below it is a slice
// of a longer one, and what stands under nulls, before offsets and after the end is garbage: invalid UTF-8, wild keys, views to nowhere.
// Fields that are not nullable hold no nulls. The caller releases the array.
func RandomArray(rng *rand.Rand, alloc memory.Allocator, dt arrow.DataType, n int, opts Options) arrow.Array {
	g := generator{rng: rng, alloc: alloc, opts: opts}
	data := g.slice(dt, n, !opts.NoNulls)
	defer data.Release()
	return array.MakeFromData(data)
}

type generator struct {
	rng   *rand.Rand
	alloc memory.Allocator
	opts  Options
}

// slice makes n rows, mostly as a window of more.
func (g *generator) slice(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	before, after := 0, 0
	if !g.opts.NoSlices && g.rng.IntN(2) == 0 {
		before, after = g.rng.IntN(70), g.rng.IntN(5)
	}
	whole := g.whole(dt, before+n+after, nullable)
	if before+after == 0 {
		return whole
	}
	defer whole.Release()
	return array.NewSliceData(whole, int64(before), int64(before+n))
}

// buffer copies bytes into memory of the allocator.
func (g *generator) buffer(b []byte) *memory.Buffer {
	out := memory.NewResizableBuffer(g.alloc)
	out.Resize(len(b))
	copy(out.Bytes(), b)
	return out
}

// nulls draws the rows that are null; nil for none.
func (g *generator) nulls(n int, nullable bool) []bool {
	if !nullable {
		return nil
	}
	share := []float64{0, 0, 0.1, 0.5, 0.5, 1}[g.rng.IntN(6)]
	if share == 0 && g.rng.IntN(2) == 0 {
		return nil
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = g.rng.Float64() < share
	}
	return out
}

// bitmap makes a validity bitmap and counts the nulls; the bits after the last row are garbage.
func (g *generator) bitmap(nulls []bool, n int) (*memory.Buffer, int) {
	if nulls == nil {
		return nil, 0
	}
	b := g.garbage((n + 7) / 8)
	count := 0
	for i := range n {
		if b[i/8] |= 1 << (i % 8); nulls[i] {
			b[i/8] &^= 1 << (i % 8)
			count++
		}
	}
	return g.buffer(b), count
}

func (g *generator) garbage(n int) []byte {
	b := make([]byte, n)
	if !g.opts.NoGarbage {
		for i := range b {
			b[i] = byte(g.rng.Uint32())
		}
	}
	return b
}

// data assembles array data and gives up the references to its parts.
func (g *generator) data(dt arrow.DataType, n int, nulls []bool, children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.ArrayData {
	bitmap, count := g.bitmap(nulls, n)
	all := append([]*memory.Buffer{bitmap}, buffers...)
	known := count
	if bitmap != nil && g.rng.IntN(2) == 0 {
		known = array.UnknownNullCount
	}
	d := array.NewData(dt, n, all, children, known, 0)
	memory.ReleaseBuffers(all)
	for _, c := range children {
		c.Release()
	}
	return d
}

func isNull(nulls []bool, i int) bool { return nulls != nil && nulls[i] }

// whole makes n rows without an offset of their own.
func (g *generator) whole(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	switch d := dt.(type) {
	case *arrow.NullType:
		return array.NewData(dt, n, []*memory.Buffer{nil}, nil, n, 0)
	case *arrow.DictionaryType:
		return g.dictionary(d, n, nullable)
	case *arrow.RunEndEncodedType:
		return g.runEnd(d, n, nullable && d.ValueNullable)
	case arrow.UnionType:
		return g.union(d, n)
	case arrow.ExtensionType:
		storage := g.whole(d.StorageType(), n, nullable)
		defer storage.Release()
		data := array.NewData(dt, n, append([]*memory.Buffer{}, storage.Buffers()...), append([]arrow.ArrayData{}, storage.Children()...), storage.NullN(), 0)
		if dictionary, ok := storage.Dictionary().(*array.Data); ok && dictionary != nil {
			data.SetDictionary(dictionary)
		}
		return data
	}
	nulls := g.nulls(n, nullable)
	switch d := dt.(type) {
	case *arrow.StructType:
		children := make([]arrow.ArrayData, d.NumFields())
		for i, f := range d.Fields() {
			children[i] = g.slice(f.Type, n, f.Nullable)
		}
		return g.data(dt, n, nulls, children)
	case *arrow.FixedSizeListType:
		child := g.slice(d.Elem(), n*int(d.Len()), d.ElemField().Nullable)
		return g.data(dt, n, nulls, []arrow.ArrayData{child})
	case *arrow.ListViewType, *arrow.LargeListViewType:
		return g.listView(dt.(arrow.ListLikeType), n, nulls)
	case arrow.ListLikeType:
		return g.list(d, n, nulls)
	case arrow.BinaryViewDataType:
		return g.views(d, n, nulls)
	case *arrow.FixedSizeBinaryType:
		return g.data(dt, n, nulls, nil, g.buffer(g.random(n*d.ByteWidth)))
	case arrow.BinaryDataType:
		return g.strings(d, n, nulls)
	case *arrow.BooleanType:
		return g.data(dt, n, nulls, nil, g.buffer(g.random((n+7)/8)))
	}
	return g.fixed(dt.(arrow.FixedWidthDataType), n, nulls)
}

func (g *generator) random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	return b
}

// fixed makes fixed-width values; under nulls any bits.
func (g *generator) fixed(dt arrow.FixedWidthDataType, n int, nulls []bool) arrow.ArrayData {
	width := dt.BitWidth() / 8
	b := g.garbage(n * width)
	for i := range n {
		if !isNull(nulls, i) {
			g.value(dt, b[i*width:(i+1)*width])
		}
	}
	return g.data(dt, n, nulls, nil, g.buffer(b))
}

// value writes one value that the type allows.
func (g *generator) value(dt arrow.DataType, b []byte) {
	put := func(x int64) {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(x))
		copy(b, word[:])
	}
	const day = 86400
	switch d := dt.(type) {
	case arrow.DecimalType:
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.GetPrecision())), nil)
		x := new(big.Int).SetBytes(g.random(len(b)))
		if x.Mod(x, limit); g.rng.IntN(3) == 0 {
			x.Mod(x, big.NewInt(1000))
		}
		if g.rng.IntN(2) == 0 { // two's complement
			x.Sub(new(big.Int).Lsh(big.NewInt(1), uint(len(b)*8)), x)
			x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(len(b)*8)))
		}
		for i, c := range x.FillBytes(make([]byte, len(b))) {
			b[len(b)-1-i] = c
		}
	case *arrow.Float32Type:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(g.float())))
	case *arrow.Float64Type:
		binary.LittleEndian.PutUint64(b, math.Float64bits(g.float()))
	case *arrow.Date32Type:
		put(int64(g.rng.IntN(200_000) - 100_000))
	case *arrow.Date64Type:
		put(int64(g.rng.IntN(200_000)-100_000) * day * 1000)
	case *arrow.Time32Type:
		put(g.rng.Int64N(day * perSecond(d.Unit)))
	case *arrow.Time64Type:
		put(g.rng.Int64N(day * perSecond(d.Unit)))
	case *arrow.TimestampType:
		put(g.rng.Int64N(8e9*perSecond(d.Unit)) - 4e9*perSecond(d.Unit))
	case *arrow.DurationType:
		put(g.rng.Int64N(2e9) - 1e9)
	default:
		copy(b, g.random(len(b)))
		if g.rng.IntN(2) == 0 { // small numbers repeat
			clear(b[1:])
			b[0] &= 3
		}
	}
}

func perSecond(u arrow.TimeUnit) int64 {
	return map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}[u]
}

func (g *generator) float() float64 {
	special := []float64{0, math.Copysign(0, -1), 1, -1.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e20, 5e-324}
	if i := g.rng.IntN(2 * len(special)); i < len(special) {
		return special[i]
	}
	return g.rng.NormFloat64() * 1e6
}

var words = []string{"", "a", "b", "NULL", "exactly12byt", "thirteen byte", "a string longer than twelve bytes", "ünïcödé", "日本語のテキスト, long enough", "x y"}

// text draws a string or bytes, and garbage that is no text where nobody may look.
func (g *generator) text(dt arrow.DataType, hidden bool) []byte {
	switch id := dt.ID(); {
	case hidden:
		return g.garbage(g.rng.IntN(20))
	case id == arrow.BINARY || id == arrow.LARGE_BINARY || id == arrow.BINARY_VIEW:
		if g.rng.IntN(2) == 0 {
			return g.random(g.rng.IntN(30))
		}
	}
	return []byte(words[g.rng.IntN(len(words))])
}

func (g *generator) strings(dt arrow.BinaryDataType, n int, nulls []bool) arrow.ArrayData {
	body := g.garbage(g.rng.IntN(10))
	offsets := []int{len(body)}
	for i := range n {
		body = append(body, g.text(dt, isNull(nulls, i))...)
		offsets = append(offsets, len(body))
	}
	body = append(body, g.garbage(g.rng.IntN(10))...)
	wide := dt.ID() == arrow.LARGE_STRING || dt.ID() == arrow.LARGE_BINARY
	return g.data(dt, n, nulls, nil, g.buffer(integers(offsets, wide)), g.buffer(body))
}

// integers writes int32 or int64.
func integers(values []int, wide bool) []byte {
	var b []byte
	for _, v := range values {
		if wide {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

// views spreads long strings over some data buffers.
func (g *generator) views(dt arrow.DataType, n int, nulls []bool) arrow.ArrayData {
	bodies := make([][]byte, 1+g.rng.IntN(3))
	for i := range bodies {
		bodies[i] = g.garbage(g.rng.IntN(8))
	}
	var b []byte
	for i := range n {
		if isNull(nulls, i) {
			b = append(b, g.garbage(16)...)
			continue
		}
		text := g.text(dt, false)
		view := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
		if len(text) <= 12 {
			view = append(view, text...)
		} else {
			at := g.rng.IntN(len(bodies))
			view = append(view, text[:4]...)
			view = binary.LittleEndian.AppendUint32(view, uint32(at))
			view = binary.LittleEndian.AppendUint32(view, uint32(len(bodies[at])))
			bodies[at] = append(bodies[at], text...)
		}
		b = append(b, append(view, make([]byte, 16-len(view))...)...)
	}
	buffers := []*memory.Buffer{g.buffer(b)}
	for _, body := range bodies {
		buffers = append(buffers, g.buffer(body))
	}
	return g.data(dt, n, nulls, nil, buffers...)
}
