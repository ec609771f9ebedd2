package exec

import (
	"context"
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// joinIndex finds build rows by key. Rows with equal keys are a chain in source order (joinTable.next), of which the index knows the first.
// Immutable once built; safe for concurrent use.
type joinIndex interface {
	// find writes for each row of plain key vectors the first build row with equal keys + 1, or 0: when there is none, for rows outside active, and
	// where a key is NULL that is not null-safe.
	find(env *kernels.Env, keys []*types.Vector, rows int, active types.Bitmap, heads []uint32)
}

// noRow stands in the place of a build row's number where there is none.
const noRow = math.MaxUint32

// buildIndex indexes the rows of a table by its keys.
func (j *join) buildIndex(ctx context.Context, t *joinTable) error {
	if len(j.keys) == 0 {
		t.last = uint32(t.rows)
		t.index = productIndex{head: min(1, t.last)}
		return nil
	}
	if err := j.memory.Grow(int64(t.rows) * 4); err != nil {
		return err
	}
	t.next = make([]uint32, t.rows)
	var duplicates bool
	keys, packed, err := j.packWords(t)
	switch {
	case err != nil:
	case packed:
		duplicates, err = j.buildWords(ctx, t, keys)
	default:
		duplicates, err = j.buildRows(ctx, t)
	}
	if err != nil {
		return err
	}
	if !duplicates {
		t.next = nil
		j.memory.Shrink(int64(t.rows) * 4)
	}
	return nil
}

// productIndex is the index of a join without keys: all rows are one chain.
type productIndex struct{ head uint32 }

func (x productIndex) find(_ *kernels.Env, _ []*types.Vector, rows int, active types.Bitmap, heads []uint32) {
	for i := range heads[:rows] {
		heads[i] = x.head
	}
	clearInactive(heads[:rows], active)
}

// clearInactive writes 0 for the rows that are not active.
func clearInactive(heads []uint32, active types.Bitmap) {
	if active == nil {
		return
	}
	for w, word := range active[:types.BitmapWords(len(heads))] {
		if word == ^uint64(0) {
			continue
		}
		rows := heads[w*64 : min(len(heads), w*64+64)]
		for i := range rows {
			rows[i] &= -uint32(word >> uint(i) & 1)
		}
	}
}

// indexPartitions gives into how many parts, a power of two, an index is cut by the high bits of the hash so that they are built in parallel.
func (j *join) indexPartitions(rows int) (parts int, shift uint) {
	parts, shift = 1, 64
	for parts < j.query.options.Threads && parts < 16 && rows >= parts*indexPartRows {
		parts, shift = parts*2, shift-1
	}
	return parts, shift
}

const (
	// indexPartRows is the number of rows from which a further part is worth its pass over all hashes.
	indexPartRows = 1 << 14
	// indexStep is the number of rows after which the building of an index looks at the context.
	indexStep = 1 << 16
)

// descend calls f with ranges of rows from the last to the first, so that who puts each row in front of its chain leaves them in source order. It looks at
// the context between.
func descend(ctx context.Context, rows int, f func(from, to int) error) error {
	for to := rows; to > 0; {
		from := max(0, to-indexStep)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := f(from, to); err != nil {
			return err
		}
		to = from
	}
	return nil
}

// tableSlots gives the number of slots, a power of two, for so many different keys.
func tableSlots(keys int) int {
	slots := minSlots
	for slots < 2*keys {
		slots *= 2
	}
	return slots
}
