package exec

import (
	"math/bits"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// groupTable gives each distinct key a number, counted from 0 in order of first appearance: its row. It is found by open addressing; a slot, of a power
// of two, holds the high half of the hash and the number + 1, 0 = empty.
type groupTable struct {
	keyRows
	slots   []uint64
	mask    uint64
	memory  *account
	charged int64 // bytes reserved
	scratch []uint64
}

func newGroupTable(layout *rowLayout, memory *account) *groupTable {
	return &groupTable{keyRows: keyRows{layout: layout}, memory: memory, scratch: make([]uint64, layout.words)}
}

// size gives the bytes that the table holds.
func (t *groupTable) size() int64 { return t.keyRows.size() + int64(len(t.slots))*8 }

// charge reserves what the table has grown by beyond what was reserved ahead, or gives back what it has shrunk by.
func (t *groupTable) charge(size int64) error {
	if size > t.charged {
		if err := t.memory.Grow(size - t.charged); err != nil {
			return err
		}
	} else {
		t.memory.Shrink(t.charged - size)
	}
	t.charged = size
	return nil
}

// free gives back the reserved memory; the table is not used any more.
func (t *groupTable) free() { t.memory.Shrink(t.charged); t.charged = 0 }

// minSlots is the size of the smallest table.
const minSlots = 64

// room makes place for n more groups, so that inserting them moves nothing. The memory is reserved first.
func (t *groupTable) room(n int) error {
	w, need := t.layout.words, t.rows()+n
	capacity := cap(t.hashes)
	if need > capacity {
		capacity = max(need, 2*capacity)
	}
	slots := max(minSlots, len(t.slots))
	for slots < 2*need {
		slots *= 2
	}
	if capacity == cap(t.hashes) && slots == len(t.slots) {
		return nil
	}
	// While rows move, the old and the new ones are there.
	grown := t.size()
	if capacity > cap(t.hashes) {
		grown += int64(capacity) * int64(w+1) * 8
	}
	if slots > len(t.slots) {
		grown += int64(slots) * 8
	}
	if err := t.charge(grown); err != nil {
		return err
	}
	if capacity > cap(t.hashes) {
		t.words = append(make([]uint64, 0, capacity*w), t.words...)
		t.hashes = append(make([]uint64, 0, capacity), t.hashes...)
	}
	if slots > len(t.slots) {
		t.slots, t.mask = make([]uint64, slots), uint64(slots-1)
		for group, hash := range t.hashes {
			at := hash & t.mask
			for t.slots[at] != 0 {
				at = (at + 1) & t.mask
			}
			t.slots[at] = slotOf(hash, group)
		}
	}
	return t.charge(t.size())
}

func slotOf(hash uint64, group int) uint64 { return hash>>32<<32 | uint64(group+1) }

// find gives each row of a batch its group, making new ones. Rows outside active get none. keys are plain vectors of the layout's types; one that is nil
// is NULL in every row.
func (t *groupTable) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, groups []uint32) error {
	if err := t.room(active.Count(rows)); err != nil {
		return err
	}
	l := t.layout
	if l.nested {
		keys = slices.Clone(keys)
		for i, v := range keys {
			if v != nil && v.Type().IsNested() {
				keys[i] = nestedKeys(env, v)
			}
		}
	}
	words := types.Alloc[uint64](env.Pool, rows*l.words)
	clear(words)
	for i, v := range keys {
		if v == nil {
			l.encodeNull(i, types.Bytes(words), rows)
			continue
		}
		l.encode(env, i, v, types.Bytes(words), rows)
	}
	w := l.words
	if !l.anyLong(words, rows) {
		for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
			row := words[i*w : (i+1)*w]
			groups[i] = t.insert(row, hashWords(row[:l.compare]))
		}
		return nil
	}
	buffers := func(k int) []types.Buffer {
		if keys[k] == nil {
			return nil
		}
		return keys[k].DataBuffers()
	}
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		row := words[i*w : (i+1)*w]
		groups[i] = t.insertLong(row, t.layout.hashLong(row, t.scratch, buffers), buffers)
	}
	return t.charge(t.size())
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

// hashWords hashes the compared words of a row. Pairs of words are multiplied independently of each other, which a processor does at the same time;
// the rotation makes their order count.
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

// hashLong hashes a row as hashWords does, with the bytes of long strings in the place of their offsets. scratch has room for a row.
func (l *rowLayout) hashLong(row, scratch []uint64, buffers func(int) []types.Buffer) uint64 {
	words := scratch[:copy(scratch, row[:l.compare])]
	for _, k := range l.views {
		at := l.offsets[k]
		v := types.View{Head: row[at], Tail: row[at+1]}
		if !v.IsInline() {
			words[at+1] = asm.HashBytes(v.Bytes(buffers(k)), hashSeed)
		}
	}
	return hashWords(words)
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

// insert gives the group of a row without long strings; there is room for one more.
func (t *groupTable) insert(row []uint64, hash uint64) uint32 {
	compared, tag := row[:t.layout.compare], hash>>32<<32
probe:
	for at := hash & t.mask; ; at = (at + 1) & t.mask {
		slot := t.slots[at]
		if slot == 0 {
			t.slots[at] = slotOf(hash, t.rows())
			t.add(row, hash, nil)
			return uint32(t.rows() - 1)
		}
		if slot&^0xffffffff != tag {
			continue
		}
		group := uint32(slot) - 1
		own := t.words[int(group)*len(row):]
		own = own[:len(compared)]
		for j, x := range compared {
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
			t.slots[at] = slotOf(hash, t.rows())
			t.add(row, hash, buffers)
			return uint32(t.rows() - 1)
		}
		if slot&^0xffffffff == tag {
			if group := uint32(slot) - 1; t.layout.equalLong(t.row(int(group)), row, t.ownBuffers, buffers) {
				return group
			}
		}
	}
}

// equalLong compares two rows, strings by their bytes.
func (l *rowLayout) equalLong(a, b []uint64, aBuffers, bBuffers func(int) []types.Buffer) bool {
	at := 0
	for _, k := range l.views {
		offset := l.offsets[k]
		if !slices.Equal(a[at:offset], b[at:offset]) {
			return false
		}
		x := types.View{Head: a[offset], Tail: a[offset+1]}
		y := types.View{Head: b[offset], Tail: b[offset+1]}
		if !types.EqualViews(&x, &y, aBuffers(k), bBuffers(k)) {
			return false
		}
		at = offset + 2
	}
	return slices.Equal(a[at:l.compare], b[at:l.compare])
}

// merge gives the rows of another list of the same layout their groups here, making new ones.
func (t *groupTable) merge(o *keyRows, groups []uint32) error {
	if err := t.room(o.rows()); err != nil {
		return err
	}
	long := len(o.heap) > 0
	for i, hash := range o.hashes {
		if long {
			groups[i] = t.insertLong(o.row(i), hash, o.ownBuffers)
		} else {
			groups[i] = t.insert(o.row(i), hash)
		}
	}
	return t.charge(t.size())
}

// mergeMapped adds the rows of another list, whose first values are numbers that stand for others: number n for numbers[n].
func (t *groupTable) mergeMapped(o *keyRows, numbers []uint32) error {
	if err := t.room(o.rows()); err != nil {
		return err
	}
	first := t.layout.offsets[0]
	row := make([]uint64, t.layout.words)
	for i := range o.rows() {
		copy(row, o.row(i))
		row[first] = uint64(numbers[row[first]])
		t.insertLong(row, t.layout.hashLong(row, t.scratch, o.ownBuffers), o.ownBuffers)
	}
	return t.charge(t.size())
}
