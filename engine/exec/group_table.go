package exec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// groupTable gives each distinct combination of key values a number, counted from 0 in order of first appearance. Keys are equal when they are
// not distinct in SQL's sense: NULL is a value, NaN equals NaN, -0 equals +0.
//
// A group's key is a row of words in memory that holds no Go pointers: a bit per key that is set for NULL, then a slot per key with its value, zero
// for NULL. Strings are views, longer ones into the table's own heap. So two keys are equal when their words are, but for long strings, whose
// offsets differ; and a table, or a part of it, can be written out as it is.
//
//	rows:   [nulls|slot 0|slot 1|...] [nulls|slot 0|slot 1|...] ...     row g belongs to group g
//	slots:  open addressing, a power of two; each is the high half of the hash and the group's number + 1, 0 = empty
type groupTable struct {
	layout *rowLayout
	rows   []uint64
	heap   []types.Buffer // bytes of long strings
	hashes []uint64       // of each group
	slots  []uint64
	mask   uint64
}

// rowLayout says where keys lie in a row.
type rowLayout struct {
	types   []types.Type
	offsets []int // in words
	words   int
	views   []int // keys that are strings
}

// groupable reports whether values of a type can be a key.
func groupable(t types.Type) bool {
	switch t.Storage() {
	case types.StorageList, types.StorageArray, types.StorageStruct, types.StorageUnion:
		return false
	}
	return true
}

func newRowLayout(keys []types.Type) *rowLayout {
	l := &rowLayout{types: keys, words: (len(keys) + 63) / 64}
	for i, t := range keys {
		l.offsets = append(l.offsets, l.words)
		width := t.Storage().Width()
		switch t.Storage() {
		case types.StorageBool:
			width = 1
		case types.StorageView:
			l.views = append(l.views, i)
		}
		l.words += (width + 7) / 8
	}
	return l
}

const firstSlots = 1024

func newGroupTable(layout *rowLayout) *groupTable {
	return &groupTable{layout: layout, slots: make([]uint64, firstSlots), mask: firstSlots - 1}
}

// groups gives the number of groups.
func (t *groupTable) groups() int { return len(t.hashes) }

// size gives the bytes that the table holds.
func (t *groupTable) size() int64 {
	size := int64(cap(t.rows)+cap(t.hashes)+len(t.slots)) * 8
	for _, b := range t.heap {
		size += int64(cap(b.Bytes))
	}
	return size
}

func (t *groupTable) row(group int) []uint64 {
	w := t.layout.words
	return t.rows[group*w : (group+1)*w : (group+1)*w]
}

// find gives each row of a batch its group, making new ones. Rows outside active get none. keys are plain vectors of the layout's types.
func (t *groupTable) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, groups []uint32) {
	l := t.layout
	words := types.Alloc[uint64](env.Pool, rows*l.words)
	clear(words)
	for i, v := range keys {
		l.encode(env, i, v, types.Bytes(words), rows)
	}
	w := l.words
	if !l.anyLong(words, rows) {
		for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
			row := words[i*w : (i+1)*w]
			groups[i] = t.insert(row, hashWords(row))
		}
		return
	}
	buffers := func(k int) []types.Buffer { return keys[k].DataBuffers() }
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		row := words[i*w : (i+1)*w]
		groups[i] = t.insertLong(row, l.hashLong(row, buffers), buffers)
	}
}

// Multipliers of the hash: odd constants from the fractional digits of pi and e.
const (
	hashSeed = 0x243f6a8885a308d3
	hashA    = 0x13198a2e03707345
	hashB    = 0xb7e151628aed2a6b
)

// fold multiplies two words to 128 bits and adds the halves without carry: each bit of the result depends on all bits of both.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashWords hashes a row. Pairs of words are multiplied independently of each other, which a processor does at the same time; the rotation makes
// their order count.
func hashWords(row []uint64) uint64 {
	h := uint64(hashSeed)
	for len(row) >= 2 {
		h = bits.RotateLeft64(h, 23) ^ fold(row[0]^hashA, row[1]^hashB)
		row = row[2:]
	}
	if len(row) == 1 {
		h = bits.RotateLeft64(h, 23) ^ fold(row[0]^hashA, hashB)
	}
	return fold(h^hashB, hashA)
}

// anyLong reports whether a row has a string that does not lie in its view.
func (l *rowLayout) anyLong(words []uint64, rows int) bool {
	for _, k := range l.views {
		for i := l.offsets[k]; i < rows*l.words; i += l.words {
			if uint32(words[i]) > types.MaxInlineView {
				return true
			}
		}
	}
	return false
}

// hashLong hashes a row as hashWords does, with the bytes of long strings in the place of their offsets.
func (l *rowLayout) hashLong(row []uint64, buffers func(int) []types.Buffer) uint64 {
	var scratch [16]uint64
	words := append(scratch[:0], row...)
	for _, k := range l.views {
		at := l.offsets[k]
		v := types.View{Head: row[at], Tail: row[at+1]}
		if !v.IsInline() {
			words[at+1] = asm.HashBytes(v.Bytes(buffers(k)), hashSeed)
		}
	}
	return hashWords(words)
}

// insert gives the group of a row without long strings.
func (t *groupTable) insert(row []uint64, hash uint64) uint32 {
	tag := hash >> 32 << 32
probe:
	for at := hash & t.mask; ; at = (at + 1) & t.mask {
		slot := t.slots[at]
		if slot == 0 {
			return t.add(row, hash, at, nil)
		}
		if slot&^0xffffffff != tag {
			continue
		}
		group := uint32(slot) - 1
		own := t.rows[int(group)*len(row):]
		own = own[:len(row)]
		for j, x := range row {
			if own[j] != x {
				continue probe
			}
		}
		return group
	}
}

// insertLong gives the group of a row whose strings may lie in data buffers.
func (t *groupTable) insertLong(row []uint64, hash uint64, buffers func(int) []types.Buffer) uint32 {
	tag := hash >> 32 << 32
	for at := hash & t.mask; ; at = (at + 1) & t.mask {
		slot := t.slots[at]
		if slot == 0 {
			return t.add(row, hash, at, buffers)
		}
		if slot&^0xffffffff == tag {
			if group := uint32(slot) - 1; t.equalLong(int(group), row, buffers) {
				return group
			}
		}
	}
}

// equalLong compares a group's key with a row, strings by their bytes.
func (t *groupTable) equalLong(group int, row []uint64, buffers func(int) []types.Buffer) bool {
	own, at := t.row(group), 0
	for _, k := range t.layout.views {
		offset := t.layout.offsets[k]
		if !slices.Equal(own[at:offset], row[at:offset]) {
			return false
		}
		a := types.View{Head: own[offset], Tail: own[offset+1]}
		b := types.View{Head: row[offset], Tail: row[offset+1]}
		if !types.EqualViews(&a, &b, t.heap, buffers(k)) {
			return false
		}
		at = offset + 2
	}
	return slices.Equal(own[at:], row[at:])
}

// add makes a group of a row; long strings are copied into the heap.
func (t *groupTable) add(row []uint64, hash, at uint64, buffers func(int) []types.Buffer) uint32 {
	group := len(t.hashes)
	t.rows = append(t.rows, row...)
	own := t.row(group)
	for _, k := range t.layout.views {
		offset := t.layout.offsets[k]
		v := types.View{Head: own[offset], Tail: own[offset+1]}
		if v.IsInline() {
			continue
		}
		text := v.Bytes(buffers(k))
		buffer, start := t.copyText(text)
		v = types.MakeView(text, buffer, start)
		own[offset], own[offset+1] = v.Head, v.Tail
	}
	t.hashes = append(t.hashes, hash)
	t.slots[at] = hash>>32<<32 | uint64(group+1)
	if len(t.hashes)*2 > len(t.slots) {
		t.grow()
	}
	return uint32(group)
}

// heapBuffer is the size of the first buffer of long strings; each next one is twice as large, up to maxHeapBuffer.
const (
	heapBuffer    = 16 << 10
	maxHeapBuffer = 4 << 20
)

func (t *groupTable) copyText(text []byte) (buffer, offset int) {
	last := len(t.heap) - 1
	if last < 0 || len(t.heap[last].Bytes)+len(text) > cap(t.heap[last].Bytes) {
		size := min(maxHeapBuffer, heapBuffer<<min(8, len(t.heap)))
		t.heap = append(t.heap, types.Buffer{Bytes: make([]byte, 0, max(size, len(text)))})
		last++
	}
	b := &t.heap[last]
	offset = len(b.Bytes)
	b.Bytes = append(b.Bytes, text...)
	return last, offset
}

func (t *groupTable) grow() {
	slots := make([]uint64, 2*len(t.slots))
	mask := uint64(len(slots) - 1)
	for group, hash := range t.hashes {
		at := hash & mask
		for slots[at] != 0 {
			at = (at + 1) & mask
		}
		slots[at] = hash>>32<<32 | uint64(group+1)
	}
	t.slots, t.mask = slots, mask
}

// merge gives groups of another table of the same layout their numbers here, making new ones.
func (t *groupTable) merge(o *groupTable, from []uint32, groups []uint32) {
	buffers := func(int) []types.Buffer { return o.heap }
	long := len(o.heap) > 0
	for i, g := range from {
		row, hash := o.row(int(g)), o.hashes[g]
		if long {
			groups[i] = t.insertLong(row, hash, buffers)
		} else {
			groups[i] = t.insert(row, hash)
		}
	}
}

// encode writes key number i of each row into its slot; dst is cleared memory.
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
	case types.StorageFloat32:
		for r, x := range types.ValuesOf[float32](v)[:rows] {
			binary.LittleEndian.PutUint32(dst[r*w+at:], math.Float32bits(canonical32(x)))
		}
	case types.StorageFloat64:
		for r, x := range types.ValuesOf[float64](v)[:rows] {
			binary.LittleEndian.PutUint64(dst[r*w+at:], math.Float64bits(canonical64(x)))
		}
	case types.StorageFloat16:
		for r, x := range types.ValuesOf[uint16](v)[:rows] {
			binary.LittleEndian.PutUint16(dst[r*w+at:], canonical16(x))
		}
	case types.StorageInterval:
		// Equal intervals may have different fields (a month is 30 days): the normalised nanoseconds are the key, and the fields of the first
		// one are what the group shows.
		for r, x := range types.ValuesOf[types.MonthDayNano](v)[:rows] {
			n := normalInterval(x)
			binary.LittleEndian.PutUint32(dst[r*w+at:], uint32(n.Months))
			binary.LittleEndian.PutUint32(dst[r*w+at+4:], uint32(n.Days))
			binary.LittleEndian.PutUint64(dst[r*w+at+8:], uint64(n.Nanos))
		}
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
	end := w
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

func encodeFixed(src []byte, size int, dst []byte, at, w, rows int) {
	switch size {
	case 1:
		for r, x := range src[:rows] {
			dst[r*w+at] = x
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

func canonical64(x float64) float64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.NaN()
	}
	return x
}

func canonical32(x float32) float32 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return float32(math.NaN())
	}
	return x
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

// normalInterval carries nanoseconds into days and days into months, so that intervals of equal length are the same.
func normalInterval(x types.MonthDayNano) types.MonthDayNano {
	const day = 24 * 60 * 60 * 1_000_000_000
	days := int64(x.Days) + x.Nanos/day
	nanos := x.Nanos % day
	if nanos < 0 {
		nanos += day
		days--
	}
	months := int64(x.Months) + days/30
	days %= 30
	if days < 0 {
		days += 30
		months--
	}
	return types.MonthDayNano{Months: int32(months), Days: int32(days), Nanos: nanos}
}

// keyVector gives key number i of groups from to to as a vector in pool memory; strings share the heap.
func (t *groupTable) keyVector(pool *types.Pool, i, from, to int) *types.Vector {
	l, n := t.layout, to-from
	typ := l.types[i]
	at, w := l.offsets[i]*8, l.words*8
	rows := types.Bytes(t.rows[from*l.words : to*l.words])
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
	switch s := typ.Storage(); s {
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
		// The heap grows in place; its buffers are cut to what they hold now.
		return types.NewViews(typ, views, append([]types.Buffer(nil), t.heap...), valid)
	case types.StorageInt8, types.StorageUint8:
		return decodeFixed[uint8](pool, typ, rows, at, w, n, valid)
	case types.StorageInt16, types.StorageUint16, types.StorageFloat16:
		return decodeFixed[uint16](pool, typ, rows, at, w, n, valid)
	case types.StorageInt32, types.StorageUint32, types.StorageFloat32:
		return decodeFixed[uint32](pool, typ, rows, at, w, n, valid)
	case types.StorageInt256:
		return decodeFixed[types.Int256](pool, typ, rows, at, w, n, valid)
	case types.StorageInt64, types.StorageUint64, types.StorageFloat64:
		return decodeFixed[uint64](pool, typ, rows, at, w, n, valid)
	default:
		return decodeFixed[types.Int128](pool, typ, rows, at, w, n, valid)
	}
}

// decodeFixed reads slots as values of T's size. Slots are aligned to 8 bytes, and rows are multiples of that.
func decodeFixed[T types.Fixed](pool *types.Pool, typ types.Type, rows []byte, at, w, n int, valid types.Bitmap) *types.Vector {
	values := types.Alloc[T](pool, n)
	for r := range values {
		values[r] = types.Values[T](rows[r*w+at : (r+1)*w])[0]
	}
	return types.NewFixed(typ, values, valid)
}
