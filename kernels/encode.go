package kernels

import "github.com/lacunadb/lacuna/types"

// DictionaryEncode gives the same rows as a dictionary: each different value once, in the order in which they first stand, and a key for each row. NULL is
// a null key without an entry. Values are different that have other bits (types.SameBits). Dictionaries are returned as they are.
func DictionaryEncode(env *Env, v *types.Vector) *types.Vector {
	if v.Encoding() == types.Dictionary || v.Len() == 0 || v.Type().Kind() == types.KindNull {
		return v
	}
	var b DictionaryBuilder
	return b.Encode(env, v)
}

// RunEndEncode gives the same rows as runs: each stretch of rows with the same bits (types.SameBits) once. Run-end vectors are returned as they are.
func RunEndEncode(env *Env, v *types.Vector) *types.Vector {
	n := v.Len()
	if v.Encoding() == types.RunEnd || n == 0 || v.Type().Kind() == types.KindNull {
		return v
	}
	plain := Decode(env, v)
	var ends []int32
	firsts := []uint32{0}
	for i := 1; i < n; i++ {
		if !types.SameBits(plain, i-1, plain, i) {
			ends, firsts = append(ends, int32(i)), append(firsts, uint32(i))
		}
	}
	return types.NewRunEnd(append(ends, int32(n)), Take(env, plain, firsts, nil))
}

// MergeRuns gives the same rows in runs of which no two neighbours have the same bits. Vectors in other encodings are returned as they are.
func MergeRuns(env *Env, v *types.Vector) *types.Vector {
	if v.Encoding() != types.RunEnd {
		return v
	}
	ends, values := v.RunEnds(), v.RunValues()
	var kept []uint32 // the last run of each stretch, once there are two in one
	for r := 1; r < len(ends); r++ {
		same := types.SameBits(values, r-1, values, r)
		if same && kept == nil {
			kept = types.Alloc[uint32](env.pool(), len(ends))[:r-1]
			for i := range kept {
				kept[i] = uint32(i)
			}
		} else if !same && kept != nil {
			kept = append(kept, uint32(r-1))
		}
	}
	if kept == nil {
		return v
	}
	kept = append(kept, uint32(len(ends)-1))
	return types.NewRunEnd(gather(env.pool(), ends, kept), Take(env, values, kept, nil))
}

// CompactDictionary gives a dictionary vector whose entries are those that a row names, in their order. Vectors in other encodings are returned as they are.
func CompactDictionary(env *Env, v *types.Vector) *types.Vector {
	if v.Encoding() != types.Dictionary || v.Len() == 0 {
		return v
	}
	keys, entries := v.Keys(), v.Entries()
	used, count := env.pool().ZeroBitmap(entries.Len()), 0
	for i := v.Validity().NextSet(0, len(keys)); i < len(keys); i = v.Validity().NextSet(i+1, len(keys)) {
		if !used.Get(int(keys[i])) {
			used.Set(int(keys[i]))
			count++
		}
	}
	switch count {
	case entries.Len():
		return v
	case 0:
		return types.NewNull(v.Type(), v.Len())
	}
	place := types.Alloc[uint32](env.pool(), entries.Len())
	next := uint32(0)
	for k := range place {
		place[k] = 0 // of entries that stand under nulls only
		if used.Get(k) {
			place[k] = next
			next++
		}
	}
	return types.NewDictionary(gather(env.pool(), place, keys), Filter(env, entries, used, count), v.Validity())
}

// EncodeColumns gives a batch whose columns have the encodings of a schema where that asks for a dictionary; types.Export makes runs itself. The batch stays
// as it is.
func EncodeColumns(env *Env, b *types.Batch, schema types.Schema) *types.Batch {
	out := b
	for i, f := range schema {
		v := b.Columns[i]
		if f.Encoding != types.Dictionary || v.Encoding() == types.Dictionary || v.Encoding() == types.Constant {
			continue
		}
		if out == b {
			c := *b
			c.Columns = append([]*types.Vector(nil), b.Columns...)
			out = &c
		}
		out.Columns[i] = DictionaryEncode(env, v)
	}
	return out
}

// DictionaryBuilder makes one dictionary of the different values of many vectors of one type. The zero value is empty. It owns its entries. Not safe for
// concurrent use.
type DictionaryBuilder struct {
	entries *types.Vector
	hashes  []uint64 // of the entries
	slots   []uint32 // open addressing by hash: an entry's number and 1, 0 for none; a power of two
	blank   bool     // the first entry is a null, there because the first vector had nothing else: every key needs an entry, also under a null
}

// Len gives the number of entries.
func (b *DictionaryBuilder) Len() int { return len(b.hashes) }

// MemorySize gives the bytes that the builder holds.
func (b *DictionaryBuilder) MemorySize() int {
	n := 8*cap(b.hashes) + 4*cap(b.slots)
	if b.entries != nil {
		n += b.entries.MemorySize()
	}
	return n
}

// Encode gives the rows as a dictionary. Its entries are those of the calls before, and behind them the values that are new. v has a row at least.
func (b *DictionaryBuilder) Encode(env *Env, v *types.Vector) *types.Vector {
	n, pool := v.Len(), env.pool()
	keys := types.Alloc[uint32](pool, n)
	clear(keys)
	valid := types.LogicalValidity(pool, v)
	plain := Decode(env, v)
	hashes := types.Alloc[uint64](pool, n)
	Hash(env, plain, hashes)
	var firsts []uint32 // rows of the new values
	known := b.Len()
	for i := range n {
		if !valid.Has(i) {
			continue
		}
		if 2*b.Len() >= len(b.slots) {
			b.grow()
		}
		mask := uint64(len(b.slots) - 1)
		at := hashes[i] & mask
		for ; b.slots[at] != 0; at = (at + 1) & mask {
			number := int(b.slots[at] - 1)
			if b.hashes[number] != hashes[i] {
				continue
			}
			if number < known && types.SameBits(b.entries, number, plain, i) || number >= known && types.SameBits(plain, int(firsts[number-known]), plain, i) {
				break
			}
		}
		if b.slots[at] == 0 {
			b.slots[at] = uint32(b.Len() + 1)
			b.hashes = append(b.hashes, hashes[i])
			firsts = append(firsts, uint32(i))
		}
		keys[i] = b.slots[at] - 1
	}
	switch {
	case len(firsts) == 0 && b.entries == nil:
		b.entries, b.hashes, b.blank = Own(Decode(&Env{}, types.NewNull(v.Type(), 1))), []uint64{0}, true
	case len(firsts) > 0:
		added := Own(Take(env, plain, firsts, nil))
		if b.entries != nil {
			added = Concat(&Env{}, []*types.Vector{b.entries, added})
		}
		b.entries = added
	}
	return types.NewDictionary(keys, b.entries, valid)
}

// grow doubles the table.
func (b *DictionaryBuilder) grow() {
	b.slots = make([]uint32, max(64, 2*len(b.slots)))
	mask := uint64(len(b.slots) - 1)
	for number, h := range b.hashes {
		if number == 0 && b.blank {
			continue
		}
		at := h & mask
		for b.slots[at] != 0 {
			at = (at + 1) & mask
		}
		b.slots[at] = uint32(number + 1)
	}
}
