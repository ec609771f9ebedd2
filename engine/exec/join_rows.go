package exec

import (
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
	long     bool             // some strings are long
	parts    []rowPart
	shift    uint // of a hash to its part
}

// rowPart has slots, a power of two, at most half of them used; a slot is the high half of the hash and the first row + 1, 0 = empty.
type rowPart struct {
	slots []uint64
	used  int
}

func (x *rowIndex) buffers(key int) []types.Buffer { return x.texts[key] }

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
	l, w := x.layout, x.layout.words
	words := types.Alloc[uint64](env.Pool, rows*w)
	clear(words)
	active = x.encodeRows(env, keys, rows, active, words)
	clear(heads[:rows])
	if !x.long && !l.anyLong(words, rows) {
		for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
			row := words[i*w : (i+1)*w]
			heads[i] = x.head(row, hashWords(row[:l.compare]))
		}
		return
	}
	scratch := types.Alloc[uint64](env.Pool, w)
	buffers := func(k int) []types.Buffer { return keys[k].DataBuffers() }
	for i := active.NextSet(0, rows); i < rows; i = active.NextSet(i+1, rows) {
		row := words[i*w : (i+1)*w]
		heads[i] = x.headLong(row, l.hashLong(row, scratch, buffers), buffers)
	}
}

// head gives the first row + 1 with the key of a row, neither having long strings.
func (x *rowIndex) head(row []uint64, hash uint64) uint32 {
	slots := x.parts[hash>>x.shift].slots
	mask, tag := uint64(len(slots)-1), hash>>32<<32
	compared := row[:x.layout.compare]
probe:
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := slots[at]
		if slot == 0 {
			return 0
		}
		if slot&^0xffffffff != tag {
			continue
		}
		own := x.words[int(uint32(slot)-1)*len(row):]
		own = own[:len(compared)]
		for j, word := range compared {
			if own[j] != word {
				continue probe
			}
		}
		return uint32(slot)
	}
}

// headLong is head for rows with long strings.
func (x *rowIndex) headLong(row []uint64, hash uint64, buffers func(int) []types.Buffer) uint32 {
	slots := x.parts[hash>>x.shift].slots
	mask, tag := uint64(len(slots)-1), hash>>32<<32
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := slots[at]
		if slot == 0 {
			return 0
		}
		if slot&^0xffffffff == tag && x.layout.equalLong(x.row(int(uint32(slot)-1)), row, x.buffers, buffers) {
			return uint32(slot)
		}
	}
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
		if x.layout.equalLong(x.row(int(first-1)), words, x.buffers, x.buffers) {
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
		x.long = x.long || len(v.DataBuffers()) > 0
	}
	x.layout = newRowLayout(values)
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
	l, w := x.layout, x.layout.words
	words := x.words[from*w : to*w]
	cut := make([]*types.Vector, len(keys))
	for i, v := range keys {
		cut[i] = v.Slice(pool, from, to)
	}
	x.encodeRows(&kernels.Env{Pool: pool}, cut, to-from, nil, words)
	scratch := types.Alloc[uint64](pool, w)
	for i := range to - from {
		row := words[i*w : (i+1)*w]
		if x.long {
			x.hashes[from+i] = l.hashLong(row, scratch, x.buffers)
		} else {
			x.hashes[from+i] = hashWords(row[:l.compare])
		}
	}
}
