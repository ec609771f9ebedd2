package exec

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// joinBuild is the sink of a join's build side: it keeps the rows and indexes them.
type joinBuild struct {
	*join
	lock    sync.Mutex // of batches while workers combine
	batches []kept
	table   *joinTable // after finish
}

// joinTable is a finished build side. A row is its number, in source order.
type joinTable struct {
	rows    int
	columns []*types.Vector // by stored expression; nil where only the index needed it
	valid   types.Bitmap    // rows without a NULL in a key that is not null-safe; nil = all
	index   joinIndex
	next    []uint32        // for each row, the next row with an equal key + 1, 0 = none; nil when no two rows have equal keys
	last    uint32          // without keys: all rows are one chain, up to this row + 1
	keys    []*types.Vector // the plain key columns, while the index is built
	bounds  []keyBounds     // of the keys up to the first one whose values are not words, over the rows without NULL; see keyWords
	ranges  *rangeIndex     // nil without comparisons by order
	// Rows with a NULL in a key of an indexed mark, as a chain.
	nullHead uint32
	nullNext []uint32
}

func (b *joinBuild) number() int { return b.operator }

func (b *joinBuild) newState(w *worker) (sinkState, error) {
	return &joinBuildState{build: b, worker: w, evaluator: expr.NewEvaluator(expr.Compile(b.stored...), w.pool)}, nil
}

// joinBuildState is the rows of one worker.
type joinBuildState struct {
	build     *joinBuild
	worker    *worker
	evaluator *expr.Evaluator
	batches   []kept
}

func (s *joinBuildState) push(b *types.Batch) error {
	columns, err := s.evaluator.Eval(nil, b)
	if err != nil {
		return err
	}
	b = b.WithColumns(columns)
	if !s.build.keepsUnmatchable() {
		selection := b.Selection
		for _, k := range s.build.keys {
			if !k.nullSafe && columns[k.build].MayHaveNulls() {
				selection = types.AndBitmaps(s.worker.pool, selection, types.LogicalValidity(s.worker.pool, columns[k.build]), b.Rows)
			}
		}
		if b = b.Select(selection); b.Selected == 0 {
			return nil
		}
	}
	k, err := s.worker.store(b, s.build.memory)
	if err != nil {
		return err
	}
	s.batches = append(s.batches, k)
	return nil
}

func (s *joinBuildState) morselDone(int) error { return nil }

func (s *joinBuildState) combine() error {
	s.build.lock.Lock()
	defer s.build.lock.Unlock()
	s.build.batches = append(s.build.batches, s.batches...)
	return nil
}

// maxBuildRows is the greatest number of build rows: a row's number + 1 is a uint32.
const maxBuildRows = math.MaxUint32 - 1

// finish brings the rows into source order, one vector a column, and indexes them.
func (b *joinBuild) finish(ctx context.Context) error {
	j := b.join
	// Batches with one sequence are a worker's, in their order.
	slices.SortStableFunc(b.batches, func(a, b kept) int { return int(min(1, max(-1, a.batch.Sequence-b.batch.Sequence))) })
	t := &joinTable{}
	for _, k := range b.batches {
		t.rows += k.batch.Rows
	}
	if t.rows > maxBuildRows {
		return types.Errorf(types.CodeProgramLimit, "a join's smaller side of %d rows is more than the limit of %d", t.rows, maxBuildRows)
	}
	if err := b.concat(ctx, t); err != nil {
		return err
	}
	if err := j.buildIndex(ctx, t); err != nil {
		return err
	}
	if j.ranges != nil {
		if err := j.buildRanges(ctx, t); err != nil {
			return err
		}
	}
	if j.mark != nil && j.mark.indexed {
		if err := j.chainNulls(t); err != nil {
			return err
		}
	}
	for i, visible := range j.visible {
		if !visible && len(t.columns) > 0 {
			j.memory.Shrink(vectorSize(t.columns[i]))
			t.columns[i] = nil
		}
	}
	t.keys = nil
	b.table = t
	j.publishFilters(t)
	return nil
}

// concat joins the batches' columns. Key columns become plain.
func (b *joinBuild) concat(ctx context.Context, t *joinTable) error {
	j := b.join
	t.columns = make([]*types.Vector, len(j.stored))
	isKey := make([]bool, len(j.stored))
	for _, k := range j.keys {
		isKey[k.build] = true
	}
	if len(b.batches) > 0 {
		err := j.query.parallel(ctx, j.operator, len(j.stored), func(_ *worker, i int) error {
			parts, size := make([]*types.Vector, len(b.batches)), int64(0)
			for n, k := range b.batches {
				parts[n] = k.batch.Columns[i]
				size += vectorSize(parts[n])
			}
			size = max(size, int64(t.rows)*int64(j.stored[i].Type.Storage().Width()))
			if err := j.memory.Grow(size); err != nil {
				return err
			}
			v := kernels.Concat(nil, parts)
			if isKey[i] {
				v = kernels.Decode(nil, v)
			}
			if len(v.DataBuffers()) > maxTextBuffers {
				v = ownText(&kernels.Env{}, v)
			}
			t.columns[i] = v
			actual := vectorSize(v)
			if actual > size {
				return j.memory.Grow(actual - size)
			}
			j.memory.Shrink(size - actual)
			return nil
		})
		if err != nil {
			return err
		}
	} else {
		for i, e := range j.stored {
			t.columns[i] = kernels.Decode(nil, types.NewNull(e.Type, 0))
		}
	}
	for _, k := range b.batches {
		j.memory.Shrink(k.size)
	}
	b.batches = nil
	for _, k := range j.keys {
		v := keyValues(nil, t.columns[k.build])
		t.keys = append(t.keys, v)
		if !k.nullSafe {
			t.valid = types.AndBitmaps(nil, t.valid, types.LogicalValidity(nil, v), t.rows)
		}
	}
	return nil
}

// keyValues gives what a plain vector of keys is compared by: of a timestamp with offset the instant.
func keyValues(pool *types.Pool, v *types.Vector) *types.Vector {
	if v.Type().Kind() != types.KindTimestampOffset {
		return v
	}
	instant := kernels.Decode(&kernels.Env{Pool: pool}, v.Children()[0])
	return instant.WithValidity(types.AndBitmaps(pool, v.Validity(), instant.Validity(), v.Len()))
}
