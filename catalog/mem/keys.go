package mem

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// KeyType reports whether a column of a type can be part of a key.
func KeyType(t types.Type) bool {
	switch t.Storage() {
	case types.StorageView, types.StorageBool, types.StorageInt8, types.StorageInt16, types.StorageInt32, types.StorageInt64, types.StorageUint8,
		types.StorageUint16, types.StorageUint32, types.StorageUint64, types.StorageInt128, types.StorageInt256, types.StorageFloat16,
		types.StorageFloat32, types.StorageFloat64:
		return t.Kind() != types.KindJSON && t.Kind() != types.KindInterval
	}
	return false
}

// keyIndex knows the keys of all rows of a store's present version, for one of its keys. Used under Store.publish.
type keyIndex struct {
	catalog.Key
	keys     keySet
	reserved int64 // bytes of the store's memory
}

// rowKeys writes the key of each row as bytes, the same for equal keys: of numbers and other fixed-width values their bytes, with one NaN and one zero;
// of texts and bytes their length and bytes. It gives false for a row with a null, which is equal to no other.
type rowKeys struct {
	columns []*types.Vector // plain
	buffer  []byte
}

func newRowKeys(s *segment, columns []int) *rowKeys {
	k := &rowKeys{columns: make([]*types.Vector, len(columns))}
	for i, c := range columns {
		k.columns[i] = kernels.Decode(&kernels.Env{}, s.columns[c])
	}
	return k
}

// of gives the key of a row, which is valid until the next call.
func (k *rowKeys) of(row int) ([]byte, bool) {
	k.buffer = k.buffer[:0]
	for _, v := range k.columns {
		if !v.Validity().Has(row) {
			return nil, false
		}
		switch v.Type().Storage() {
		case types.StorageBool:
			bit := byte(0)
			if v.Bools().Get(row) {
				bit = 1
			}
			k.buffer = append(k.buffer, bit)
		case types.StorageView:
			text := types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())
			k.buffer = binary.AppendUvarint(k.buffer, uint64(len(text)))
			k.buffer = append(k.buffer, text...)
		case types.StorageFloat16:
			k.appendFloat(float64(types.HalfToFloat(types.ValuesOf[uint16](v)[row])))
		case types.StorageFloat32:
			k.appendFloat(float64(types.ValuesOf[float32](v)[row]))
		case types.StorageFloat64:
			k.appendFloat(types.ValuesOf[float64](v)[row])
		default:
			width := v.Type().Storage().Width()
			k.buffer = append(k.buffer, v.Data().Bytes[row*width:(row+1)*width]...)
		}
	}
	return k.buffer, true
}

func (k *rowKeys) appendFloat(x float64) {
	switch {
	case x != x:
		x = math.NaN()
	case x == 0:
		x = 0 // not -0
	}
	k.buffer = binary.LittleEndian.AppendUint64(k.buffer, math.Float64bits(x))
}

// change takes the keys of removed rows out of the index and puts those of new segments in. An error is a key that is there twice or memory that is
// not; the index is then as before, as it is after undo.
func (x *keyIndex) change(present *Version, removed []int64, added []piece, memory catalog.Memory) (undo func(), err error) {
	var taken, put keySet
	restore := func() {
		put.each(func(key []byte) { x.keys.remove(key) })
		taken.each(func(key []byte) { x.keys.add(key) })
	}
	defer func() {
		if err != nil {
			restore()
			_ = x.reserve(memory) // what it has grown by is charged with the next change that succeeds
		}
	}()
	reader, at := (*rowKeys)(nil), -1
	for _, row := range removed {
		if i := present.find(row); i != at {
			reader, at = newRowKeys(present.parts[i].segment, x.Columns), i
		}
		if key, ok := reader.of(int(row - present.starts[at])); ok && x.keys.remove(key) {
			taken.add(key)
		}
	}
	for _, p := range added {
		reader := newRowKeys(p.segment, x.Columns)
		for row := range p.rows {
			key, ok := reader.of(row)
			if !ok {
				continue
			}
			if !x.keys.add(key) {
				return nil, x.duplicate(present.store.schema, p.segment, row)
			}
			put.add(key)
		}
	}
	return restore, x.reserve(memory)
}

// reserve charges what the index takes.
func (x *keyIndex) reserve(memory catalog.Memory) error {
	size := x.keys.size()
	if err := memory.Grow(size - x.reserved); err != nil {
		return err
	}
	x.reserved = size
	return nil
}

// duplicate gives the error for a row whose key is there already.
func (x *keyIndex) duplicate(schema types.Schema, s *segment, row int) error {
	names, values := make([]string, len(x.Columns)), make([]string, len(x.Columns))
	for i, c := range x.Columns {
		names[i], values[i] = types.QuoteIdent(schema[c].Name), types.Text(s.columns[c], row)
	}
	return types.Errorf(types.CodeUniqueViolation, "duplicate key value violates unique constraint %q: key (%s)=(%s) already exists",
		x.Name, strings.Join(names, ", "), strings.Join(values, ", "))
}

// keySet is a set of byte strings: a table of open addressing over entries whose bytes lie one behind the other.
type keySet struct {
	slots   []int32 // 1 + the entry; 0: free
	entries []keyEntry
	bytes   []byte
	live    int
}

type keyEntry struct {
	hash   uint64
	offset int // of its bytes; they end where the next one's begin
	gone   bool
}

var keySeed = maphash.MakeSeed()

// size gives the bytes that the set takes.
func (s *keySet) size() int64 { return int64(cap(s.slots)*4 + cap(s.entries)*24 + cap(s.bytes)) }

func (s *keySet) key(entry int) []byte {
	end := len(s.bytes)
	if entry+1 < len(s.entries) {
		end = s.entries[entry+1].offset
	}
	return s.bytes[s.entries[entry].offset:end]
}

// find gives the entry of a key, or -1, and the slot where it is or would be.
func (s *keySet) find(key []byte, hash uint64) (entry int, slot uint64) {
	mask := uint64(len(s.slots) - 1)
	for slot = hash & mask; ; slot = (slot + 1) & mask {
		e := int(s.slots[slot]) - 1
		if e < 0 {
			return -1, slot
		}
		if s.entries[e].hash == hash && bytes.Equal(s.key(e), key) {
			return e, slot
		}
	}
}

// add puts a copy of a key in; false when it is there already.
func (s *keySet) add(key []byte) bool {
	if 2*(len(s.entries)+1) > len(s.slots) {
		s.rebuild()
	}
	hash := maphash.Bytes(keySeed, key)
	entry, slot := s.find(key, hash)
	switch {
	case entry >= 0 && !s.entries[entry].gone:
		return false
	case entry >= 0:
		s.entries[entry].gone = false
	default:
		s.entries = append(s.entries, keyEntry{hash: hash, offset: len(s.bytes)})
		s.bytes = append(s.bytes, key...)
		s.slots[slot] = int32(len(s.entries))
	}
	s.live++
	return true
}

// remove takes a key out; false when it is not there.
func (s *keySet) remove(key []byte) bool {
	if len(s.slots) == 0 {
		return false
	}
	entry, _ := s.find(key, maphash.Bytes(keySeed, key))
	if entry < 0 || s.entries[entry].gone {
		return false
	}
	s.entries[entry].gone = true
	s.live--
	return true
}

// each calls f with every key.
func (s *keySet) each(f func(key []byte)) {
	for i, e := range s.entries {
		if !e.gone {
			f(s.key(i))
		}
	}
}

// rebuild makes room, and forgets what was removed.
func (s *keySet) rebuild() {
	old := *s
	slots := 16
	for slots < 4*(s.live+1) {
		slots *= 2
	}
	*s = keySet{slots: make([]int32, slots), entries: make([]keyEntry, 0, old.live+old.live/2+8), bytes: make([]byte, 0, len(old.bytes)+len(old.bytes)/4), live: old.live}
	mask := uint64(slots - 1)
	for i, e := range old.entries {
		if e.gone {
			continue
		}
		slot := e.hash & mask
		for s.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		s.entries = append(s.entries, keyEntry{hash: e.hash, offset: len(s.bytes)})
		s.bytes = append(s.bytes, old.key(i)...)
		s.slots[slot] = int32(len(s.entries))
	}
}
