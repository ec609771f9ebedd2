package exec

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// comboCache maps combinations of dictionary keys to groups, so that a batch's keys are looked up once per combination and each row costs an array
// access. It is valid as long as the dictionaries stay the same, which is a row group in Parquet.
type comboCache struct {
	entries []*types.Vector // of each key; nil for a constant
	sizes   []uint32        // of each key: entries, and one for NULL
	groups  []int32         // by combination; -1 = not met yet
}

// maxCombos is the number of combinations up to which a direct table is used.
const maxCombos = 4096

// use reports whether the keys are of a form that the cache takes, and empties it when their dictionaries have changed.
func (c *comboCache) use(keys []*types.Vector, rows int) bool {
	total, dictionaries := 1, 0
	for _, v := range keys {
		switch {
		case v.Encoding() == types.Constant:
		case v.Encoding() == types.Dictionary && v.Entries().Encoding() == types.Plain && v.Entries().Len() < maxCombos:
			dictionaries++
			total *= v.Entries().Len() + 1
			if total > maxCombos || total > 4*rows {
				return false
			}
		default:
			return false
		}
	}
	if dictionaries == 0 {
		return false
	}
	same := len(c.entries) == len(keys)
	for i, v := range keys {
		// A constant may be another one in the next batch.
		same = same && v.Encoding() == types.Dictionary && c.entries[i] == v.Entries()
	}
	if same {
		return true
	}
	c.entries, c.sizes = make([]*types.Vector, len(keys)), make([]uint32, len(keys))
	for i, v := range keys {
		c.sizes[i] = 1
		if v.Encoding() == types.Dictionary {
			c.entries[i], c.sizes[i] = v.Entries(), uint32(v.Entries().Len()+1)
		}
	}
	if cap(c.groups) < total {
		c.groups = make([]int32, total)
	}
	c.groups = c.groups[:total]
	for i := range c.groups {
		c.groups[i] = -1
	}
	return true
}

// reset forgets everything; called when groups get other numbers.
func (c *comboCache) reset() { c.entries = nil }

// find numbers the rows of a batch whose keys use has taken. lookUp numbers rows of plain keys, of which all count.
func (c *comboCache) find(env *kernels.Env, keys []*types.Vector, b *types.Batch, groups []uint32, lookUp func(keys []*types.Vector, rows int, groups []uint32) error) error {
	combos := groups // the numbers of the combinations first, then the groups in their place
	clear(combos)
	for k, v := range keys {
		if v.Encoding() == types.Constant {
			continue
		}
		size, null, valid := c.sizes[k], uint32(v.Entries().Len()), v.Validity()
		for i, code := range v.Keys()[:b.Rows] {
			if valid != nil && !valid.Get(i) {
				code = null
			}
			combos[i] = combos[i]*size + code
		}
	}
	// A row that stands for each combination that is new, by number.
	var rows, fresh []uint32
	for i := b.Selection.NextSet(0, b.Rows); i < b.Rows; i = b.Selection.NextSet(i+1, b.Rows) {
		if n := combos[i]; c.groups[n] == -1 {
			c.groups[n] = -2
			rows, fresh = append(rows, uint32(i)), append(fresh, n)
		}
	}
	if len(rows) > 0 {
		plain := make([]*types.Vector, len(keys))
		for i, v := range keys {
			plain[i] = kernels.Decode(env, kernels.Take(env, v, rows, nil))
		}
		found := make([]uint32, len(rows))
		if err := lookUp(plain, len(rows), found); err != nil {
			return err
		}
		for i, n := range fresh {
			c.groups[n] = int32(found[i])
		}
	}
	for i, n := range combos {
		combos[i] = uint32(c.groups[n]) // arbitrary for rows that do not count
	}
	return nil
}
