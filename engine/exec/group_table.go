package exec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// groupTable gives each distinct combination of key values a number, counted from 0 in order of first appearance. Keys are equal when they are
// not distinct in SQL's sense: NULL is a value, NaN equals NaN, -0 equals +0.
//
// A group's key is a row of fixed width in pages that hold no Go pointers: a bit per key that is set for NULL, then a slot per key with its value,
// zero for NULL. Strings are views, longer ones into the table's own heap. So two keys are equal when their bytes are, but for long strings, whose
// offsets differ; and a table, or a part of it, can be written out as it is.
//
//	rows:   [nulls|slot 0|slot 1|...] [nulls|slot 0|slot 1|...] ...     row g belongs to group g
//	slots:  open addressing, a power of two; each is the high half of the hash and the group's number + 1, 0 = empty
type groupTable struct {
	layout *rowLayout
	rows   []byte
	heap   []types.Buffer // bytes of long strings
	hashes []uint64       // of each group
	slots  []uint64
	mask   uint64

	scratchRow []byte
}

// rowLayout says where keys lie in a row.
type rowLayout struct {
	types   []types.Type
	offsets []int
	width   int
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
	l := &rowLayout{types: keys, width: (len(keys) + 63) / 64 * 8}
	for i, t := range keys {
		l.offsets = append(l.offsets, l.width)
		width := t.Storage().Width()
		if t.Storage() == types.StorageBool {
			width = 1
		}
		if t.Storage() == types.StorageView {
			l.views = append(l.views, i)
		}
		// Slots are multiples of 8 bytes so that every value is aligned.
		l.width += (width + 7) / 8 * 8
	}
	return l
}

const firstSlots = 1024

func newGroupTable(layout *rowLayout) *groupTable {
	return &groupTable{layout: layout, slots: make([]uint64, firstSlots), mask: firstSlots - 1, scratchRow: make([]byte, layout.width)}
}

// groups gives the number of groups.
func (t *groupTable) groups() int { return len(t.hashes) }

// size gives the bytes that the table holds.
func (t *groupTable) size() int64 {
	size := int64(cap(t.rows)) + int64(cap(t.hashes)+len(t.slots))*8
	for _, b := range t.heap {
		size += int64(cap(b.Bytes))
	}
	return size
}

func (t *groupTable) row(group int) []byte {
	w := t.layout.width
	return t.rows[group*w : (group+1)*w : (group+1)*w]
}

// find gives each row of a batch its group, making new ones. Rows outside active get none. keys are plain vectors of the layout's types.
func (t *groupTable) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, groups []uint32) {
	encoded := types.Alloc[uint64](env.Pool, rows*t.layout.width/8)
	clear(encoded)
	bytes := types.Bytes(encoded)
	for i, v := range keys {
		t.layout.encode(env, i, v, bytes, rows)
	}
	hashes := types.Alloc[uint64](env.Pool, rows)
	hashKeys(env, keys, hashes)
	w := t.layout.width
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		groups[i] = t.insert(bytes[i*w:(i+1)*w], hashes[i], keys, i)
	}
}

func hashKeys(env *kernels.Env, keys []*types.Vector, hashes []uint64) {
	for i, v := range keys {
		if i == 0 {
			kernels.Hash(env, v, hashes)
		} else {
			kernels.HashCombine(env, v, hashes)
		}
	}
}

// insert gives the group of a key, whose row has views into the data buffers of keys.
func (t *groupTable) insert(row []byte, hash uint64, keys []*types.Vector, i int) uint32 {
	buffers := func(k int) []types.Buffer { return keys[k].DataBuffers() }
	tag := hash >> 32 << 32
	for at := hash & t.mask; ; at = (at + 1) & t.mask {
		slot := t.slots[at]
		if slot == 0 {
			return t.add(row, hash, at, buffers)
		}
		if slot&^0xffffffff == tag {
			if group := uint32(slot) - 1; t.equal(int(group), row, buffers) {
				return group
			}
		}
	}
}

// equal compares a group's key with a row.
func (t *groupTable) equal(group int, row []byte, buffers func(int) []types.Buffer) bool {
	own := t.row(group)
	if len(t.layout.views) == 0 {
		return bytes.Equal(own, row)
	}
	if bytes.Equal(own, row) && !t.longViews(row) {
		return true
	}
	at := 0
	for _, k := range t.layout.views {
		offset := t.layout.offsets[k]
		if !bytes.Equal(own[at:offset], row[at:offset]) {
			return false
		}
		a, b := viewAt(own, offset), viewAt(row, offset)
		if !types.EqualViews(&a, &b, t.heap, buffers(k)) {
			return false
		}
		at = offset + 16
	}
	return bytes.Equal(own[at:], row[at:])
}

func (t *groupTable) longViews(row []byte) bool {
	for _, k := range t.layout.views {
		if v := viewAt(row, t.layout.offsets[k]); !v.IsInline() {
			return true
		}
	}
	return false
}

func viewAt(row []byte, offset int) types.View {
	return types.View{Head: binary.LittleEndian.Uint64(row[offset:]), Tail: binary.LittleEndian.Uint64(row[offset+8:])}
}

// add makes a group of a row; long strings are copied into the heap.
func (t *groupTable) add(row []byte, hash, at uint64, buffers func(int) []types.Buffer) uint32 {
	group := len(t.hashes)
	t.rows = append(t.rows, row...)
	own := t.row(group)
	for _, k := range t.layout.views {
		offset := t.layout.offsets[k]
		v := viewAt(own, offset)
		if v.IsInline() {
			continue
		}
		text := v.Bytes(buffers(k))
		buffer, start := t.copyText(text)
		v = types.MakeView(text, buffer, start)
		binary.LittleEndian.PutUint64(own[offset:], v.Head)
		binary.LittleEndian.PutUint64(own[offset+8:], v.Tail)
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
	for i, g := range from {
		row, hash := o.row(int(g)), o.hashes[g]
		tag := hash >> 32 << 32
		for at := hash & t.mask; ; at = (at + 1) & t.mask {
			slot := t.slots[at]
			if slot == 0 {
				groups[i] = t.add(row, hash, at, buffers)
				break
			}
			if slot&^0xffffffff == tag && t.equal(int(uint32(slot)-1), row, buffers) {
				groups[i] = uint32(slot) - 1
				break
			}
		}
	}
}

// encode writes key number i of each row into its slot.
func (l *rowLayout) encode(env *kernels.Env, i int, v *types.Vector, dst []byte, rows int) {
	at, w := l.offsets[i], l.width
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
	slot := at
	end := w
	if i+1 < len(l.offsets) {
		end = l.offsets[i+1]
	}
	for r := range rows {
		if !valid.Get(r) {
			clear(dst[r*w+slot : r*w+end])
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
	at, w := l.offsets[i], l.width
	rows := t.rows[from*w : to*w]
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
			views[r] = viewAt(rows[r*w:], at)
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
