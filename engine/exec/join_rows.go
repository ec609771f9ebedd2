package exec

import (
	"bytes"
	"context"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// rowIndex is a hash table of keys of several values, or of values that are longer than a word, in the layout of keyRows: open addressing with linear probing, in parts by
// the high bits of the hash.
type rowIndex struct {
	layout   *rowLayout
	nullSafe []bool
	words    []uint64         // of every build row
	hashes   []uint64         // of every build row
	texts    [][]types.Buffer // by key: where its long strings lie
	tails    []int32          // by compared word: the key + 1 where it is the second word of a string, else 0
	parts    []rowPart
	shift    uint // of a hash to its part
}

// rowPart has slots, a power of two, at most half of them used; a slot is the high half of the hash and the first row + 1, 0 = empty.
type rowPart struct {
	slots []uint64
	used  int
}

func (x *rowIndex) row(i int) []uint64 {
	w := x.layout.words
	return x.words[i*w : (i+1)*w : (i+1)*w]
}

// encodeRows writes plain key vectors as rows of the layout into cleared memory, and gives the rows without a NULL in a key that is not null-safe, among the
// active ones.
func (x *rowIndex) encodeRows(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, words []uint64) types.Bitmap {
	for i, v := range keys {
		x.layout.encode(env, i, v, types.Bytes(words), rows)
		if !x.nullSafe[i] {
			active = types.AndBitmaps(env.Pool, active, types.LogicalValidity(env.Pool, v), rows)
		}
	}
	return active
}

func (x *rowIndex) find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, heads []uint32) {
	w := x.layout.words
	words := types.Alloc[uint64](env.Pool, rows*w)
	clear(words)
	active = x.encodeRows(env, keys, rows, active, words)
	texts := make([][]types.Buffer, len(keys))
	for i, v := range keys {
		texts[i] = v.DataBuffers()
	}
	hashes := types.Alloc[uint64](env.Pool, rows)
	x.hash(env, words, texts, active, hashes)
	heads = heads[:rows]
	clear(heads)
	// First the slots of all rows, then the keys: the processor loads what lies far away for several rows at a time.
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		heads[i] = x.tagged(hashes[i])
	}
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		if head := heads[i]; head != 0 {
			row := words[i*w : (i+1)*w]
			if !x.equal(x.row(int(head-1)), row, texts) {
				heads[i] = x.head(row, hashes[i], texts)
			}
		}
	}
}

// hash hashes rows of the layout whose long strings lie in texts, by key.
func (x *rowIndex) hash(env *kernels.Env, words []uint64, texts [][]types.Buffer, active types.Bitmap, hashes []uint64) {
	l, w, rows := x.layout, x.layout.words, len(hashes)
	if !l.anyLong(words, rows) {
		for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
			hashes[i] = hashWords(words[i*w : i*w+l.compare])
		}
		return
	}
	scratch := types.Alloc[uint64](env.Pool, w)
	buffers := func(key int) []types.Buffer { return texts[key] }
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		hashes[i] = l.hashLong(words[i*w:(i+1)*w], scratch, buffers)
	}
}

// tagged gives the head in the first slot whose tag is that of the hash; 0 when there is none.
func (x *rowIndex) tagged(hash uint64) uint32 {
	slots := x.parts[hash>>x.shift].slots
	mask := uint64(len(slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if slot := slots[at]; slot == 0 || slot>>32 == hash>>32 {
			return uint32(slot)
		}
	}
}

// head gives the first build row + 1 with the key of a row.
func (x *rowIndex) head(row []uint64, hash uint64, texts [][]types.Buffer) uint32 {
	slots := x.parts[hash>>x.shift].slots
	mask := uint64(len(slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := slots[at]
		if slot == 0 || slot>>32 == hash>>32 && x.equal(x.row(int(uint32(slot)-1)), row, texts) {
			return uint32(slot)
		}
	}
}

// equal compares the keys of a build row and another one, whose long strings lie in texts.
func (x *rowIndex) equal(own, row []uint64, texts [][]types.Buffer) bool {
	own, tails := own[:len(x.tails)], x.tails
	for i, word := range row[:len(tails)] {
		if own[i] == word && tails[i] == 0 {
			continue
		}
		if key := tails[i]; key != 0 && uint32(row[i-1]) > types.MaxInlineView {
			// The word before, of length and prefix, was equal.
			a, b := types.View{Head: own[i-1], Tail: own[i]}, types.View{Head: row[i-1], Tail: word}
			if !bytes.Equal(a.Bytes(x.texts[key-1]), b.Bytes(texts[key-1])) {
				return false
			}
		} else if own[i] != word {
			return false
		}
	}
	return true
}

// insert puts a row in front of its key's chain; it reports whether there was one.
func (x *rowIndex) insert(p *rowPart, row int, next []uint32) bool {
	hash, words := x.hashes[row], x.row(row)
	mask, tag := uint64(len(p.slots)-1), hash>>32<<32
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := p.slots[at]
		if slot == 0 {
			p.slots[at] = slotOf(hash, row)
			p.used++
			return false
		}
		if slot&^0xffffffff != tag {
			continue
		}
		first := uint32(slot)
		if x.equal(x.row(int(first-1)), words, x.texts) {
			next[row] = first
			p.slots[at] = slotOf(hash, row)
			return true
		}
	}
}

// grow doubles the slots of a part.
func (x *rowIndex) grow(p *rowPart, memory *account) error {
	old := p.slots
	if err := memory.Grow(int64(len(old)) * 2 * 8); err != nil {
		return err
	}
	p.slots = make([]uint64, 2*len(old))
	mask := uint64(len(p.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := x.hashes[uint32(slot)-1] & mask
		for p.slots[at] != 0 {
			at = (at + 1) & mask
		}
		p.slots[at] = slot
	}
	memory.Shrink(int64(len(old)) * 8)
	return nil
}

// buildRows indexes rows by any keys.
func (j *join) buildRows(ctx context.Context, t *joinTable) (duplicates bool, err error) {
	x := &rowIndex{}
	t.index = x
	var values []types.Type
	for i, v := range t.keys {
		values = append(values, v.Type())
		x.nullSafe = append(x.nullSafe, j.keys[i].nullSafe)
		x.texts = append(x.texts, v.DataBuffers())
	}
	x.layout = newRowLayout(values)
	x.tails = make([]int32, x.layout.compare)
	for _, k := range x.layout.views {
		x.tails[x.layout.offsets[k]+1] = int32(k + 1)
	}
	w := x.layout.words
	if err := j.memory.Grow(int64(t.rows) * int64(w+1) * 8); err != nil {
		return false, err
	}
	x.words, x.hashes = make([]uint64, t.rows*w), make([]uint64, t.rows)
	steps := (t.rows + indexStep - 1) / indexStep
	err = j.query.parallel(ctx, j.operator, steps, func(worker *worker, step int) error {
		from := step * indexStep
		x.hashRange(worker.pool, t.keys, from, min(t.rows, from+indexStep))
		return worker.chargePool()
	})
	if err != nil {
		return false, err
	}
	parts, shift := j.indexPartitions(t.rows)
	x.parts, x.shift = make([]rowPart, parts), shift
	slots := tableSlots(guessDistinct(x.hashes) / parts)
	var flag anyFlag
	err = j.query.parallel(ctx, j.operator, parts, func(worker *worker, number int) error {
		part := &x.parts[number]
		if err := j.memory.Grow(int64(slots) * 8); err != nil {
			return err
		}
		part.slots = make([]uint64, slots)
		return descend(worker.ctx, t.rows, func(first, end int) error {
			some := false
			for row := end - 1; row >= first; row-- {
				if x.hashes[row]>>shift != uint64(number) || !t.valid.Has(row) {
					continue
				}
				if x.insert(part, row, t.next) {
					some = true
				} else if 2*part.used > len(part.slots) {
					if err := x.grow(part, j.memory); err != nil {
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

// hashRange encodes and hashes build rows.
func (x *rowIndex) hashRange(pool *types.Pool, keys []*types.Vector, from, to int) {
	mark := pool.Mark()
	defer pool.Release(mark)
	w := x.layout.words
	words := x.words[from*w : to*w]
	cut := make([]*types.Vector, len(keys))
	for i, v := range keys {
		cut[i] = v.Slice(pool, from, to)
	}
	env := &kernels.Env{Pool: pool}
	x.encodeRows(env, cut, to-from, nil, words)
	x.hash(env, words, x.texts, nil, x.hashes[from:to])
}
