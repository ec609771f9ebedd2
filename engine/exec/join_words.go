package exec

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// isWord reports types whose values are a word of 64 bits, so that one key of that type needs no row of words.
func isWord(t types.Type) bool {
	s := t.Storage()
	return s == types.StorageBool || s.Width() > 0 && s.Width() <= 8
}

// keyWords gives the words of a plain vector's values: equal words for equal values, in the order of the values for signed integers. Those of null rows
// are arbitrary. The memory is the pool's or the vector's.
func keyWords(pool *types.Pool, v *types.Vector) []uint64 {
	n := v.Len()
	switch v.Type().Storage() {
	case types.StorageInt64, types.StorageUint64:
		return types.ValuesOf[uint64](v)[:n]
	case types.StorageInt8:
		return widen[int8](pool, v)
	case types.StorageInt16:
		return widen[int16](pool, v)
	case types.StorageInt32:
		return widen[int32](pool, v)
	case types.StorageUint8:
		return widen[uint8](pool, v)
	case types.StorageUint16:
		return widen[uint16](pool, v)
	case types.StorageUint32:
		return widen[uint32](pool, v)
	}
	words := types.Alloc[uint64](pool, n)
	switch v.Type().Storage() {
	case types.StorageBool:
		bits := v.Bools()
		for i := range words {
			words[i] = bits[i>>6] >> (uint(i) & 63) & 1
		}
	case types.StorageFloat16:
		for i, x := range types.ValuesOf[uint16](v)[:n] {
			words[i] = uint64(canonical16(x))
		}
	case types.StorageFloat32:
		for i, x := range types.ValuesOf[float32](v)[:n] {
			words[i] = uint64(canonical32(x))
		}
	case types.StorageFloat64:
		for i, x := range types.ValuesOf[float64](v)[:n] {
			words[i] = canonical64(x)
		}
	}
	return words
}

func widen[T interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32
}](pool *types.Pool, v *types.Vector) []uint64 {
	words := types.Alloc[uint64](pool, v.Len())
	for i, x := range types.ValuesOf[T](v)[:len(words)] {
		words[i] = uint64(x)
	}
	return words
}

// wordKeys is what both indexes of words have: how keys become a word, and how NULL is found.
type wordKeys struct {
	packed   []packedKey // of several keys; nil for one
	nullSafe bool        // of one key
	null     uint32      // first row whose key is NULL + 1, with nullSafe
}

// packedKey is the place of a key in the word of several: its distance from the least value among the build rows.
type packedKey struct {
	low   uint64
	size  uint64 // the greatest distance
	shift uint
}

// words gives the word of each row. Rows with a key that no build row has may have any, and are then outside of found.
func (k *wordKeys) words(pool *types.Pool, keys []*types.Vector, rows int) (words []uint64, found types.Bitmap) {
	if k.packed == nil {
		return keyWords(pool, keys[0])[:rows], nil
	}
	words, found = types.Alloc[uint64](pool, rows), pool.Bitmap(rows)
	clear(words)
	types.FillBitmap(found, rows)
	for i, p := range k.packed {
		for row, x := range keyWords(pool, keys[i])[:rows] {
			d := x - p.low
			words[row] |= d << p.shift
			if d > p.size {
				found.Clear(row)
			}
		}
	}
	return words, found
}

// finish corrects the heads of rows that are not active, not found, or whose key is NULL.
func (k *wordKeys) finish(env *kernels.Env, keys []*types.Vector, active, found types.Bitmap, heads []uint32) {
	if valid := types.LogicalValidity(env.Pool, keys[0]); k.nullSafe && valid != nil {
		for i := range heads {
			if !valid.Get(i) {
				heads[i] = k.null
			}
		}
	} else {
		for _, v := range keys {
			clearInactive(heads, types.LogicalValidity(env.Pool, v))
		}
	}
	clearInactive(heads, active)
	clearInactive(heads, found)
}

// directIndex is an array of first rows, by key - low.
type directIndex struct {
	wordKeys
	low   uint64
	heads []uint32 // and a last one that is 0
}

func (x *directIndex) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, heads []uint32) {
	words, found := x.words(env.Pool, keys, rows)
	findDirect(heads[:rows], words, x.heads, x.low)
	x.finish(env, keys, active, found, heads[:rows])
}

func findDirect(dst []uint32, words []uint64, heads []uint32, low uint64) {
	dst = dst[:len(words)]
	last := uint64(len(heads) - 1)
	for i, k := range words {
		dst[i] = heads[min(k-low, last)]
	}
}

// wordIndex is a hash table of words: open addressing with linear probing, in parts by the high bits of the hash.
type wordIndex struct {
	wordKeys
	parts []wordPart
	shift uint // of a hash to its part
}

type wordPart struct {
	slots []wordSlot // a power of two, at most half of them used
	used  int
}

// wordSlot is a key and its first row + 1; both are 0 where the slot is empty.
type wordSlot struct {
	key  uint64
	head uint32
	_    uint32
}

const wordSlotBytes = 16

func hashKey(k uint64) uint64 { return fold(k^hashSeed, hashA) }

func (x *wordIndex) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, heads []uint32) {
	words, found := x.words(env.Pool, keys, rows)
	if len(x.parts) == 1 {
		findWords(heads[:rows], words, x.parts[0].slots)
	} else {
		for i, k := range words {
			h := hashKey(k)
			heads[i] = findWord(x.parts[h>>x.shift].slots, k, h)
		}
	}
	x.finish(env, keys, active, found, heads[:rows])
}

func findWords(dst []uint32, words []uint64, slots []wordSlot) {
	dst = dst[:len(words)]
	for i, k := range words {
		dst[i] = findWord(slots, k, hashKey(k))
	}
}

// findWord gives the head of a key. An empty slot ends the search; if it has the key, which is 0, its head is 0 all the same.
func findWord(slots []wordSlot, k, h uint64) uint32 {
	mask := uint64(len(slots) - 1)
	s := &slots[h&mask]
	for s.key != k && s.head != 0 {
		h++
		s = &slots[h&mask]
	}
	return s.head
}

// insert puts a row in front of its key's chain; it reports whether there was one. There is an empty slot.
func (p *wordPart) insert(k, h uint64, row int, next []uint32) bool {
	mask := uint64(len(p.slots) - 1)
	s := &p.slots[h&mask]
	for s.key != k && s.head != 0 {
		h++
		s = &p.slots[h&mask]
	}
	first := s.head
	s.key, s.head = k, uint32(row+1)
	if first != 0 {
		next[row] = first
		return true
	}
	p.used++
	return false
}

// grow doubles the slots.
func (p *wordPart) grow(memory *account) error {
	old := p.slots
	if err := memory.Grow(int64(len(old)) * 2 * wordSlotBytes); err != nil {
		return err
	}
	p.slots = make([]wordSlot, 2*len(old))
	mask := uint64(len(p.slots) - 1)
	for _, s := range old {
		if s.head == 0 {
			continue
		}
		h := hashKey(s.key)
		for p.slots[h&mask].head != 0 {
			h++
		}
		p.slots[h&mask] = s
	}
	memory.Shrink(int64(len(old)) * wordSlotBytes)
	return nil
}

// Choice of the form.
const (
	// directSlots is the number of slots up to which a direct index is used however few rows there are.
	directSlots = 1 << 12
	// directFactor is how many times the rows it may have otherwise: then it is no larger than a hash table.
	directFactor = 8
	// sparseFactor is the same for up to sparseSlots slots, which are little memory: keys mostly come in an order like their own, as those of an order's
	// lines do, so that the part of the index in use is in the caches, where a hash table is touched all over.
	sparseFactor = 64
	sparseSlots  = 1 << 23
)

// isDirect reports whether a direct index of so many slots is used for so many rows.
func isDirect(slots, rows uint64) bool {
	return slots <= directSlots || slots <= directFactor*rows || slots <= min(sparseFactor*rows, sparseSlots)
}

// packWords says how the keys of a table become one word; false when they do not: a key is longer, NULL is to match NULL in one of several, or the ranges of
// the values are too wide.
func (j *join) packWords(t *joinTable) (keys wordKeys, ok bool, err error) {
	if err := j.memory.Grow(int64(t.rows) * 8); err != nil {
		return wordKeys{}, false, err
	}
	defer j.memory.Shrink(int64(t.rows) * 8)
	shift := uint(0)
	var packed []packedKey
	for i, v := range t.keys {
		if !isWord(v.Type()) || j.keys[i].nullSafe && len(t.keys) > 1 {
			return wordKeys{}, false, nil
		}
		b := wordBounds(keyWords(nil, v), types.AndBitmaps(nil, t.valid, types.LogicalValidity(nil, v), t.rows))
		t.bounds = append(t.bounds, b)
		size := uint64(0)
		if b.low <= b.high {
			size = uint64(b.high - b.low)
		}
		packed = append(packed, packedKey{low: uint64(b.low), size: size, shift: shift})
		shift += uint(bits.Len64(size))
	}
	if len(t.keys) == 1 {
		return wordKeys{nullSafe: j.keys[0].nullSafe}, true, nil
	}
	return wordKeys{packed: packed}, shift <= 64, nil
}

// buildWords indexes rows whose keys are one word.
func (j *join) buildWords(ctx context.Context, t *joinTable, keys wordKeys) (duplicates bool, err error) {
	v, rows, valid, bounds := t.keys[0], t.rows, t.valid, t.bounds[0]
	if keys.nullSafe {
		valid = types.LogicalValidity(nil, v)
		for i := rows - 1; i >= 0 && valid != nil; i-- {
			if !valid.Get(i) {
				t.next[i] = keys.null
				duplicates = duplicates || keys.null != 0
				keys.null = uint32(i + 1)
			}
		}
	}
	if len(t.keys) > 1 || v.Type().Storage().Width() != 8 || v.Type().Storage() == types.StorageFloat64 {
		if err := j.memory.Grow(int64(rows) * 8); err != nil {
			return false, err
		}
		defer j.memory.Shrink(int64(rows) * 8)
	}
	words, _ := keys.words(nil, t.keys, rows)
	if len(t.keys) > 1 {
		bounds = wordBounds(words, valid)
	}
	var more bool
	if size := uint64(bounds.high-bounds.low) + 1; bounds.low <= bounds.high && size != 0 && isDirect(size, uint64(rows)) {
		index := &directIndex{wordKeys: keys, low: uint64(bounds.low)}
		t.index = index
		more, err = j.buildDirect(ctx, t, index, int(size), words, valid)
	} else {
		index := &wordIndex{wordKeys: keys}
		t.index = index
		more, err = j.buildHash(ctx, t, index, words, valid)
	}
	return more || duplicates, err
}

// keyBounds are the least and the greatest of the words of a key, as signed integers; low > high when there is none.
type keyBounds struct{ low, high int64 }

// wordBounds gives the bounds of the valid words.
func wordBounds(words []uint64, valid types.Bitmap) keyBounds {
	b := keyBounds{math.MaxInt64, math.MinInt64}
	if valid == nil {
		for _, w := range words {
			b.low, b.high = min(b.low, int64(w)), max(b.high, int64(w))
		}
		return b
	}
	n := len(words)
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		b.low, b.high = min(b.low, int64(words[i])), max(b.high, int64(words[i]))
	}
	return b
}

func (j *join) buildDirect(ctx context.Context, t *joinTable, x *directIndex, size int, words []uint64, valid types.Bitmap) (duplicates bool, err error) {
	if err := j.memory.Grow(int64(size+1) * 4); err != nil {
		return false, err
	}
	x.heads = make([]uint32, size+1)
	parts, _ := j.indexPartitions(t.rows)
	var flag anyFlag
	err = j.query.parallel(ctx, j.operator, parts, func(w *worker, part int) error {
		from, to := uint64(size*part/parts), uint64(size*(part+1)/parts)
		return descend(w.ctx, t.rows, func(first, end int) error {
			some := false
			for row := end - 1; row >= first; row-- {
				at := words[row] - x.low
				if at < from || at >= to || !valid.Has(row) {
					continue
				}
				if head := x.heads[at]; head != 0 {
					t.next[row], some = head, true
				}
				x.heads[at] = uint32(row + 1)
			}
			flag.note(some)
			return nil
		})
	})
	return flag.set, err
}

func (j *join) buildHash(ctx context.Context, t *joinTable, x *wordIndex, words []uint64, valid types.Bitmap) (duplicates bool, err error) {
	parts, shift := j.indexPartitions(t.rows)
	x.parts, x.shift = make([]wordPart, parts), shift
	slots := tableSlots(guessDistinct(words) / parts)
	var flag anyFlag
	err = j.query.parallel(ctx, j.operator, parts, func(w *worker, number int) error {
		part := &x.parts[number]
		if err := j.memory.Grow(int64(slots) * wordSlotBytes); err != nil {
			return err
		}
		part.slots = make([]wordSlot, slots)
		return descend(w.ctx, t.rows, func(first, end int) error {
			some := false
			for row := end - 1; row >= first; row-- {
				if !valid.Has(row) {
					continue
				}
				h := hashKey(words[row])
				if h>>shift != uint64(number) {
					continue
				}
				if part.insert(words[row], h, row, t.next) {
					some = true
				} else if 2*part.used > len(part.slots) {
					if err := part.grow(j.memory); err != nil {
						return err
					}
				}
			}
			flag.note(some)
			return nil
		})
	})
	return flag.set, err
}

// guessDistinct guesses from a sample how many different hashes or words there are, so that a table of many is made in its final size and one of few does not
// take the place of many. A wrong guess costs time or memory only: tables grow.
func guessDistinct(words []uint64) int {
	const sample = 1024
	n := len(words)
	if n <= sample {
		return n
	}
	seen := make(map[uint64]struct{}, sample)
	for i := range sample {
		seen[words[i*(n/sample)]] = struct{}{}
	}
	if len(seen) > sample*7/8 {
		return n
	}
	return min(n, 8*len(seen))
}

// anyFlag collects whether something was so for any of several workers.
type anyFlag struct {
	lock sync.Mutex
	set  bool
}

func (f *anyFlag) note(set bool) {
	if set {
		f.lock.Lock()
		f.set = true
		f.lock.Unlock()
	}
}
