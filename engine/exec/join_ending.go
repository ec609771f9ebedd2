package exec

import (
	"context"

	"github.com/lacunadb/lacuna/types"
)

// openEnding gives the build rows that leave the join after the probe side's: those without a match, or of a semi join those with one.
func (j *join) openEnding(context.Context) (source, error) {
	if err := j.prepareMatched(); err != nil {
		return nil, err
	}
	return &rangeSource{total: j.build.table.rows, size: j.query.options.BatchRows, make: j.endingBatch}, nil
}

// prepareMatched makes room for the matches of the build rows, the first time.
func (j *join) prepareMatched() error {
	j.matchedOnce.Do(func() {
		rows := j.build.table.rows
		if j.matchedErr = j.memory.Grow(int64(types.BitmapWords(rows)) * 8); j.matchedErr == nil {
			j.matched = newAtomicBitmap(rows)
		}
	})
	return j.matchedErr
}

func (j *join) endingBatch(pool *types.Pool, from, to int) (*types.Batch, error) {
	t, rows := j.build.table, to-from
	selection := pool.ZeroBitmap(rows)
	for i := range rows {
		if j.matched.get(from+i) == (j.ending == endMatched) {
			selection.Set(i)
		}
	}
	columns := make([]*types.Vector, len(j.output))
	for i, c := range j.output {
		if c.side == fromBuild {
			columns[i] = t.columns[c.at].Slice(pool, from, to)
		} else {
			columns[i] = types.NewNull(j.schema[i].Type, rows)
		}
	}
	return types.NewBatch(columns, rows, 0).Select(selection), nil
}

// openUnless gives no rows when empty says so.
func openUnless(empty func() bool, open func(context.Context) (source, error)) func(context.Context) (source, error) {
	return func(ctx context.Context) (source, error) {
		if empty() {
			return newBatchSource(nil), nil
		}
		return open(ctx)
	}
}
