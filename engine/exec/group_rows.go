package exec

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// keyRows is a list of keys, combinations of values, in memory that holds no Go pointers, so that it can be written out as it is. Each key is a row of
// words:
//
//	[nulls|slot 0|slot 1|...|shown]
//
// The nulls have a bit per value, set for NULL. A slot holds a value, zero for NULL. Strings are views, longer ones into the list's own heap. Keys are
// equal in SQL's sense (IS NOT DISTINCT FROM) when the words up to shown are, but for the places of long strings, whose bytes decide: floats
// have one form of NaN and of zero, intervals are brought to the length that they compare by. What such a value looks like is in the words shown.
type keyRows struct {
	layout *rowLayout
	words  []uint64 // layout.words for each row
	hashes []uint64 // of each row
	heap   []types.Buffer
}

// rowLayout says where values lie in a row.
type rowLayout struct {
	types   []types.Type
	offsets []int // of each value's slot, in words
	shown   []int // of each value's own form, for intervals; 0 for others
	views   []int // values that are strings, or nested ones as bytes
	nested  bool  // there are such
	compare int   // words that are compared
	words   int
}

func newRowLayout(values []types.Type) *rowLayout {
	l := &rowLayout{types: values, compare: (len(values) + 63) / 64, shown: make([]int, len(values))}
	for i, t := range values {
		l.offsets = append(l.offsets, l.compare)
		width := t.Storage().Width()
		switch {
		case t.Storage() == types.StorageBool:
			width = 1
		case t.Storage() == types.StorageView || t.IsNested(): // nested values are bytes; see nestedKeys
			width = types.StorageView.Width()
			l.views = append(l.views, i)
			l.nested = l.nested || t.IsNested()
		}
		l.compare += (width + 7) / 8
	}
	l.words = l.compare
	for i, t := range values {
		if t.Storage() == types.StorageInterval {
			l.shown[i] = l.words
			l.words += 2
		}
	}
	return l
}

// rows gives the number of rows.
func (k *keyRows) rows() int { return len(k.hashes) }

// row gives a row.
func (k *keyRows) row(i int) []uint64 {
	w := k.layout.words
	return k.words[i*w : (i+1)*w : (i+1)*w]
}

// size gives the bytes that the list holds.
func (k *keyRows) size() int64 {
	size := int64(cap(k.words)+cap(k.hashes)) * 8
	for _, b := range k.heap {
		size += int64(cap(b.Bytes))
	}
	return size
}

// add appends a row; its long strings are copied from buffers into the heap.
func (k *keyRows) add(row []uint64, hash uint64, buffers func(int) []types.Buffer) {
	k.words = append(k.words, row...)
	k.hashes = append(k.hashes, hash)
	own := k.row(k.rows() - 1)
	for _, i := range k.layout.views {
		at := k.layout.offsets[i]
		v := types.View{Head: own[at], Tail: own[at+1]}
		if !v.IsInline() {
			text := v.Bytes(buffers(i))
			buffer, offset := k.copyText(text)
			v = types.MakeView(text, buffer, offset)
			own[at], own[at+1] = v.Head, v.Tail
		}
	}
}

// heapBuffer is the size of the first buffer of long strings; each next one is twice as large, up to maxHeapBuffer.
const (
	heapBuffer    = 16 << 10
	maxHeapBuffer = 4 << 20
)

func (k *keyRows) copyText(text []byte) (buffer, offset int) {
	last := len(k.heap) - 1
	if last < 0 || len(k.heap[last].Bytes)+len(text) > cap(k.heap[last].Bytes) {
		size := min(maxHeapBuffer, heapBuffer<<min(8, len(k.heap)))
		k.heap = append(k.heap, types.Buffer{Bytes: make([]byte, 0, max(size, len(text)))})
		last++
	}
	b := &k.heap[last]
	offset = len(b.Bytes)
	b.Bytes = append(b.Bytes, text...)
	return last, offset
}

// extract copies rows into a list of their own.
func (k *keyRows) extract(rows []uint32) *keyRows {
	out := &keyRows{
		layout: k.layout, words: make([]uint64, 0, len(rows)*k.layout.words), hashes: make([]uint64, 0, len(rows)),
	}
	for _, i := range rows {
		out.add(k.row(int(i)), k.hashes[i], k.ownBuffers)
	}
	return out
}

// ownBuffers gives the heap, whichever value it is asked for.
func (k *keyRows) ownBuffers(int) []types.Buffer { return k.heap }

// encode writes value number i of each row of a plain vector into rows of the layout; dst is cleared memory.
func (l *rowLayout) encode(env *kernels.Env, i int, v *types.Vector, dst []byte, rows int) {
	at, w := l.offsets[i]*8, l.words*8
	switch s := v.Type().Storage(); s {
	case types.StorageNull:
	case types.StorageBool:
		bits := v.Bools()
		for r := range rows {
			if bits.Get(r) {
				dst[r*w+at] = 1
			}
		}
	case types.StorageFloat16:
		for r, x := range types.ValuesOf[uint16](v)[:rows] {
			binary.LittleEndian.PutUint16(dst[r*w+at:], canonical16(x))
		}
	case types.StorageFloat32:
		for r, x := range types.ValuesOf[float32](v)[:rows] {
			binary.LittleEndian.PutUint32(dst[r*w+at:], canonical32(x))
		}
	case types.StorageFloat64:
		for r, x := range types.ValuesOf[float64](v)[:rows] {
			binary.LittleEndian.PutUint64(dst[r*w+at:], canonical64(x))
		}
	case types.StorageInterval:
		for r, x := range types.ValuesOf[types.MonthDayNano](v)[:rows] {
			months, rest := intervalLength(x)
			binary.LittleEndian.PutUint64(dst[r*w+at:], uint64(months))
			binary.LittleEndian.PutUint64(dst[r*w+at+8:], uint64(rest))
		}
		encodeFixed(v.Data().Bytes, s.Width(), dst, l.shown[i]*8, w, rows)
	default:
		encodeFixed(v.Data().Bytes, s.Width(), dst, at, w, rows)
	}
	valid := v.Validity()
	if v.Type().Kind() == types.KindNull {
		valid = env.Pool.ZeroBitmap(rows)
	}
	if valid == nil {
		return
	}
	end := l.compare * 8
	if i+1 < len(l.offsets) {
		end = l.offsets[i+1] * 8
	}
	for r := range rows {
		if !valid.Get(r) {
			clear(dst[r*w+at : r*w+end])
			dst[r*w+i/8] |= 1 << (i % 8)
		}
	}
}

// encodeNull makes value number i of all rows NULL; dst is cleared memory.
func (l *rowLayout) encodeNull(i int, dst []byte, rows int) {
	w := l.words * 8
	for r := range rows {
		dst[r*w+i/8] |= 1 << (i % 8)
	}
}

// encodeFixed writes values of size bytes to place at of rows that are w bytes apart.
func encodeFixed(src []byte, size int, dst []byte, at, w, rows int) {
	switch size {
	case 1:
		for r, x := range src[:rows] {
			dst[r*w+at] = x
		}
	case 2:
		for r, x := range types.Values[uint16](src)[:rows] {
			binary.LittleEndian.PutUint16(dst[r*w+at:], x)
		}
	case 4:
		for r, x := range types.Values[uint32](src)[:rows] {
			binary.LittleEndian.PutUint32(dst[r*w+at:], x)
		}
	case 8:
		for r, x := range types.Values[uint64](src)[:rows] {
			binary.LittleEndian.PutUint64(dst[r*w+at:], x)
		}
	case 16:
		for r, x := range types.Values[types.View](src)[:rows] {
			d := dst[r*w+at : r*w+at+16]
			binary.LittleEndian.PutUint64(d, x.Head)
			binary.LittleEndian.PutUint64(d[8:], x.Tail)
		}
	default:
		for r := range rows {
			copy(dst[r*w+at:r*w+at+size], src[r*size:])
		}
	}
}

func canonical64(x float64) uint64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}

func canonical32(x float32) uint32 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return 0x7fc00000
	}
	return math.Float32bits(x)
}

func canonical16(x uint16) uint16 {
	switch {
	case x&0x7fff == 0:
		return 0
	case x&0x7fff > 0x7c00:
		return 0x7e00
	}
	return x
}

// intervalLength gives the length that intervals compare by, in which a month has 30 days, as whole months and the nanoseconds over.
func intervalLength(x types.MonthDayNano) (months, rest int64) {
	const day = 24 * 60 * 60 * 1_000_000_000
	days := int64(x.Days) + x.Nanos/day
	rest = x.Nanos%day + days%30*day
	months = int64(x.Months) + days/30
	if rest < 0 || rest >= 30*day { // the parts had different signs, or their sum carries
		carry := rest / (30 * day)
		if rest%(30*day) < 0 {
			carry--
		}
		months, rest = months+carry, rest-carry*30*day
	}
	return months, rest
}

// vector gives value number i of rows from to to (half open) in pool memory; strings share the heap.
func (k *keyRows) vector(pool *types.Pool, i, from, to int) *types.Vector {
	l, n := k.layout, to-from
	typ := l.types[i]
	at, w := l.offsets[i]*8, l.words*8
	rows := types.Bytes(k.words[from*l.words : to*l.words])
	var valid types.Bitmap
	for r := range n {
		if rows[r*w+i/8]>>(i%8)&1 != 0 {
			if valid == nil {
				valid = pool.Bitmap(n)
				types.FillBitmap(valid, n)
			}
			valid.Clear(r)
		}
	}
	if typ.IsNested() {
		bytes := *l
		bytes.types = slices.Clone(l.types)
		bytes.types[i] = types.Blob
		texts := *k
		texts.layout = &bytes
		return nestedValues(&kernels.Env{Pool: pool}, typ, texts.vector(pool, i, from, to))
	}
	switch typ.Storage() {
	case types.StorageNull:
		return types.NewNull(typ, n)
	case types.StorageBool:
		bits := pool.ZeroBitmap(n)
		for r := range n {
			if rows[r*w+at] != 0 {
				bits.Set(r)
			}
		}
		return types.NewBool(bits, n, valid)
	case types.StorageView:
		views := types.Alloc[types.View](pool, n)
		for r := range views {
			views[r] = types.Values[types.View](rows[r*w+at : r*w+at+16])[0]
		}
		// The list of buffers is copied because the last of them may still be filled.
		return types.NewViews(typ, views, append([]types.Buffer(nil), k.heap...), valid)
	case types.StorageInterval:
		return decodeFixed[types.MonthDayNano](pool, typ, rows, l.shown[i]*8, w, n, valid)
	}
	switch typ.Storage().Width() {
	case 1:
		return decodeFixed[uint8](pool, typ, rows, at, w, n, valid)
	case 2:
		return decodeFixed[uint16](pool, typ, rows, at, w, n, valid)
	case 4:
		return decodeFixed[uint32](pool, typ, rows, at, w, n, valid)
	case 8:
		return decodeFixed[uint64](pool, typ, rows, at, w, n, valid)
	case 16:
		return decodeFixed[types.Int128](pool, typ, rows, at, w, n, valid)
	}
	return decodeFixed[types.Int256](pool, typ, rows, at, w, n, valid)
}

// decodeFixed reads slots as values of T's size. Slots are aligned to 8 bytes, and rows are multiples of that.
func decodeFixed[T types.Fixed](pool *types.Pool, typ types.Type, rows []byte, at, w, n int, valid types.Bitmap) *types.Vector {
	values := types.Alloc[T](pool, n)
	for r := range values {
		values[r] = types.Values[T](rows[r*w+at : (r+1)*w])[0]
	}
	return types.NewFixed(typ, values, valid)
}
