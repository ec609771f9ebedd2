package exec

import (
	"context"
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// rowStates gives the state of each row from from to to alone, on the heap.
func (a *windowAggregate) rowStates(pool *types.Pool, chunk, from, to int) ([]*types.Vector, error) {
	env := &kernels.Env{Pool: pool, Active: a.counted[chunk]}
	acc := a.function.New()
	if err := acc.Resize(to - from); err != nil {
		return nil, err
	}
	if err := acc.Update(env, countUp(pool, 0, to-from), a.arguments(env, from, to), to-from); err != nil {
		return nil, err
	}
	return acc.State(nil, 0, to-from)
}

// takeAll takes rows of each column of states.
func takeAll(env *kernels.Env, states []*types.Vector, rows []uint32) []*types.Vector {
	taken := make([]*types.Vector, len(states))
	for i, v := range states {
		taken[i] = kernels.Take(env, v, rows, nil)
	}
	return taken
}

// concatStates joins the columns of states of chunks.
func concatStates(chunks [][]*types.Vector) []*types.Vector {
	if len(chunks) == 1 {
		return chunks[0]
	}
	joined := make([]*types.Vector, len(chunks[0]))
	parts := make([]*types.Vector, len(chunks))
	for i := range joined {
		for j, c := range chunks {
			parts[j] = c[i]
		}
		joined[i] = kernels.Concat(nil, parts)
	}
	return joined
}

// runningSums are running sums of states that add up, which are integers of 64, 128 or 256 bits: word by word, with the carry, whatever they stand for.
// Differences are right even where a sum has wrapped around.
type runningSums struct {
	aggregate *windowAggregate
	columns   []sumColumn
}

// sumColumn is a column of states: the sum of the rows before each position, and of all, in words per value from the least significant one on.
type sumColumn struct {
	width int // words
	words []uint64
}

// addWords adds b to a.
func addWords(a, b []uint64) {
	carry := uint64(0)
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

// subtractWords takes b from a.
func subtractWords(a, b []uint64) {
	borrow := uint64(0)
	for i := range a {
		a[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
}

func newRunningSums(ctx context.Context, a *windowAggregate) (*runningSums, error) {
	w := a.window
	n := len(w.sort.order)
	if err := w.grow(int64(n) * a.rowBytes); err != nil {
		return nil, err
	}
	s := &runningSums{aggregate: a}
	for _, t := range a.function.State {
		width := t.Storage().Width() / 8
		s.columns = append(s.columns, sumColumn{width: width, words: make([]uint64, (n+1)*width)})
	}
	// First each chunk by itself, then what came before it.
	err := w.eachRange(ctx, func(worker *worker, i, from, to int) error {
		states, err := a.rowStates(worker.pool, i, from, to)
		if err != nil {
			return err
		}
		for k, c := range s.columns {
			words := types.Values[uint64](kernels.Decode(nil, states[k]).Data().Bytes)
			dst := c.words[(from+1)*c.width:]
			copy(dst, words[:(to-from)*c.width])
			for at := c.width; at < (to-from)*c.width; at += c.width {
				addWords(dst[at:at+c.width], dst[at-c.width:at])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range s.columns {
		c := &s.columns[k]
		carry := make([]uint64, w.chunks()*c.width)
		for i := 1; i < w.chunks(); i++ {
			end := i * w.chunkRows * c.width
			copy(carry[i*c.width:], carry[(i-1)*c.width:i*c.width])
			addWords(carry[i*c.width:(i+1)*c.width], c.words[end:end+c.width])
		}
		err := w.eachRange(ctx, func(_ *worker, i, from, to int) error {
			for at := from + 1; at <= to; at++ {
				addWords(c.words[at*c.width:(at+1)*c.width], carry[i*c.width:(i+1)*c.width])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *runningSums) merge(env *kernels.Env, acc expr.Accumulator, frames []frameRange, rows int) error {
	states := make([]*types.Vector, len(s.columns))
	for k, c := range s.columns {
		words := types.Alloc[uint64](env.Pool, rows*c.width)
		clear(words)
		for _, f := range frames {
			for i, from := range f.from {
				if to := f.to[i]; from < to {
					dst := words[i*c.width : (i+1)*c.width]
					addWords(dst, c.words[int(to)*c.width:(int(to)+1)*c.width])
					subtractWords(dst, c.words[int(from)*c.width:(int(from)+1)*c.width])
				}
			}
		}
		t := s.aggregate.function.State[k]
		switch c.width {
		case 1:
			states[k] = types.NewFixed(t, types.Values[int64](types.Bytes(words)), nil)
		case 2:
			states[k] = types.NewFixed(t, types.Values[types.Int128](types.Bytes(words)), nil)
		default:
			states[k] = types.NewFixed(t, types.Values[types.Int256](types.Bytes(words)), nil)
		}
	}
	return acc.Merge(env, countUp(env.Pool, 0, rows), states)
}

// runningStates are the states from the start of each row's partition up to the row, or, when reversed, from the row up to the end of its partition.
type runningStates struct {
	window   *windowRows
	reversed bool
	states   []*types.Vector // within the chunk
	carry    []*types.Vector // by chunk: what goes on into it from the chunks before it, in the direction
	carried  []int           // by chunk: its rows that carry belongs to, from its beginning, in the direction
}

func newRunningStates(ctx context.Context, a *windowAggregate, reversed bool) (*runningStates, error) {
	w := a.window
	if err := w.grow(2 * int64(len(w.sort.order)) * a.rowBytes); err != nil {
		return nil, err
	}
	s := &runningStates{window: w, reversed: reversed, carried: make([]int, w.chunks())}
	chunks, totals := make([][]*types.Vector, w.chunks()), make([][]*types.Vector, w.chunks())
	err := w.eachChunk(ctx, func(worker *worker, chunk *windowChunk) error {
		states, err := a.rowStates(worker.pool, chunk.number, chunk.from, chunk.to)
		if err != nil {
			return err
		}
		n := chunk.rows()
		partition := chunk.partition
		if reversed {
			order := types.Alloc[uint32](worker.pool, n)
			partition = types.Alloc[uint32](worker.pool, n)
			for i := range order {
				order[i], partition[i] = uint32(n-1-i), chunk.partition[n-1-i]
			}
			states = takeAll(&kernels.Env{Pool: worker.pool}, states, order)
		}
		starts := worker.pool.ZeroBitmap(n)
		for i := 1; i < n; i++ {
			if partition[i] != partition[i-1] {
				starts.Set(i)
			}
		}
		// The first row starts a partition unless the row before it, in the direction, is in the same.
		border := w.partitions[partition[0]] == uint32(chunk.from)
		if reversed {
			border = w.partitions[partition[0]+1] == uint32(chunk.to)
		}
		if border {
			starts.Set(0)
		}
		s.carried[chunk.number] = starts.NextSet(0, n)
		if chunks[chunk.number], err = scanStates(worker, a.function, states, n, starts); err != nil {
			return err
		}
		totals[chunk.number] = takeAll(nil, chunks[chunk.number], []uint32{uint32(n - 1)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.states = concatStates(chunks)
	err = w.query.parallel(ctx, w.number(), 1, func(worker *worker, _ int) error {
		// A chunk with a start in it passes on nothing of what came before it.
		n := len(totals)
		joined, starts := concatStates(totals), worker.pool.ZeroBitmap(n)
		order := countUp(nil, 0, n)
		for i := range n {
			if reversed {
				order[i] = uint32(n - 1 - i)
			}
			if chunk := int(order[i]); s.carried[chunk] < min(w.chunkRows, len(w.sort.order)-chunk*w.chunkRows) {
				starts.Set(i)
			}
		}
		running, err := scanStates(worker, a.function, takeAll(nil, joined, order), n, starts)
		if err != nil {
			return err
		}
		s.carry = takeAll(nil, running, order) // reversing twice
		return nil
	})
	return s, err
}

func (s *runningStates) merge(env *kernels.Env, acc expr.Accumulator, frames []frameRange, rows int) error {
	w := s.window
	var groups, states, carriedGroups, carries []uint32
	f := frames[0]
	for i := range rows {
		if f.from[i] >= f.to[i] {
			continue
		}
		at := int(f.to[i]) - 1
		if s.reversed {
			at = int(f.from[i])
		}
		chunk := at / w.chunkRows
		from := chunk * w.chunkRows
		place, before := at-from, chunk-1
		if s.reversed {
			end := min(from+w.chunkRows, len(w.sort.order))
			place, before = end-1-at, chunk+1
			at = from + place
		}
		if place < s.carried[chunk] {
			carriedGroups, carries = append(carriedGroups, uint32(i)), append(carries, uint32(before))
		}
		groups, states = append(groups, uint32(i)), append(states, uint32(at))
	}
	if err := mergeTaken(env, acc, carriedGroups, s.carry, carries); err != nil {
		return err
	}
	return mergeTaken(env, acc, groups, s.states, states)
}

// mergeTaken merges rows of states into groups.
func mergeTaken(env *kernels.Env, acc expr.Accumulator, groups []uint32, states []*types.Vector, rows []uint32) error {
	if len(groups) == 0 {
		return nil
	}
	return acc.Merge(env, groups, takeAll(env, states, rows))
}

// scanSteps is the number of rows that scanStates takes one after another.
const scanSteps = 32

// scanStates gives the running states of n rows: of each row, of all from the last start up to it. The rows are cut into lanes, and step by step the next row of
// every lane is added to the one before it, so that each step is one merge of many rows. What goes on from a lane into the next is added at the end.
func scanStates(worker *worker, f *expr.Aggregate, states []*types.Vector, n int, starts types.Bitmap) ([]*types.Vector, error) {
	if n == 1 {
		return takeAll(nil, states, []uint32{0}), nil
	}
	if err := context.Cause(worker.ctx); err != nil {
		return nil, err
	}
	mark := worker.pool.Mark()
	defer worker.pool.Release(mark)
	env := &kernels.Env{Pool: worker.pool}
	steps := min(scanSteps, n)
	lanes := (n + steps - 1) / steps
	acc := f.New()
	if err := acc.Resize(steps * lanes); err != nil {
		return nil, err
	}
	rows, active := types.Alloc[uint32](env.Pool, lanes), env.Pool.Bitmap(lanes)
	for step := range steps {
		present := 0 // the lanes that have so many rows: all, or all but the last
		clear(active)
		for ; present < lanes && present*steps+step < n; present++ {
			row := present*steps + step
			rows[present] = uint32(row)
			if !starts.Get(row) {
				active.Set(present)
			}
		}
		groups := countUp(env.Pool, uint32(step*lanes), present)
		if step > 0 {
			before, err := acc.State(env, (step-1)*lanes, (step-1)*lanes+present)
			if err != nil {
				return nil, err
			}
			if err := acc.Merge(&kernels.Env{Pool: env.Pool, Active: active}, groups, before); err != nil {
				return nil, err
			}
		}
		if err := acc.Merge(env, groups, takeAll(env, states, rows[:present])); err != nil {
			return nil, err
		}
	}
	all, err := acc.State(nil, 0, steps*lanes)
	if err != nil {
		return nil, err
	}
	order := types.Alloc[uint32](env.Pool, n)
	for i := range order {
		order[i] = uint32(i%steps*lanes + i/steps)
	}
	if lanes == 1 {
		return takeAll(nil, all, order), nil
	}
	// What each lane passes on.
	last, passes := types.Alloc[uint32](env.Pool, lanes), env.Pool.ZeroBitmap(lanes)
	var groups, carries []uint32
	for lane := range lanes {
		from, to := lane*steps, min(n, (lane+1)*steps)
		last[lane] = order[to-1]
		first := starts.NextSet(from, to)
		if first < to {
			passes.Set(lane)
		}
		for row := from; row < first && lane > 0; row++ {
			groups, carries = append(groups, uint32(row)), append(carries, uint32(lane-1))
		}
	}
	carry, err := scanStates(worker, f, takeAll(env, all, last), lanes, passes)
	if err != nil {
		return nil, err
	}
	result := f.New()
	if err := result.Resize(n); err != nil {
		return nil, err
	}
	if err := mergeTaken(env, result, groups, carry, carries); err != nil {
		return nil, err
	}
	if err := result.Merge(env, countUp(env.Pool, 0, n), takeAll(env, all, order)); err != nil {
		return nil, err
	}
	return result.State(nil, 0, n)
}

// stateTree has the states of aligned ranges: level k of 2^k rows each, without a rest of fewer rows.
type stateTree struct {
	window *windowRows
	levels [][]*types.Vector
}

func newStateTree(ctx context.Context, a *windowAggregate) (*stateTree, error) {
	w := a.window
	if err := w.grow(3 * int64(len(w.sort.order)) * a.rowBytes); err != nil {
		return nil, err
	}
	// Chunks are aligned, so each makes its own levels.
	chunks := make([][][]*types.Vector, w.chunks())
	err := w.eachRange(ctx, func(worker *worker, i, from, to int) error {
		states, err := a.rowStates(worker.pool, i, from, to)
		if err != nil {
			return err
		}
		chunks[i], err = treeOver(worker, a.function, states)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := &stateTree{window: w}
	for k := range chunks[0] {
		level := make([][]*types.Vector, 0, len(chunks))
		for _, c := range chunks {
			level = append(level, c[min(k, len(c)-1)])
		}
		if last := chunks[len(chunks)-1]; k >= len(last) && len(chunks) > 1 {
			level = level[:len(chunks)-1] // the last chunk has no whole range of that size
		}
		t.levels = append(t.levels, concatStates(level))
	}
	if len(chunks) > 1 {
		err = w.query.parallel(ctx, w.number(), 1, func(worker *worker, _ int) error {
			upper, err := treeOver(worker, a.function, t.levels[len(t.levels)-1])
			if err == nil {
				t.levels = append(t.levels, upper[1:]...)
			}
			return err
		})
	}
	return t, err
}

// treeOver gives the levels over states, the states themselves being the first. Ranges that are not whole are left out.
func treeOver(worker *worker, f *expr.Aggregate, states []*types.Vector) ([][]*types.Vector, error) {
	levels := [][]*types.Vector{states}
	for n := states[0].Len() / 2; n > 0; n /= 2 {
		if err := context.Cause(worker.ctx); err != nil {
			return nil, err
		}
		mark := worker.pool.Mark()
		env := &kernels.Env{Pool: worker.pool}
		below := levels[len(levels)-1]
		acc := f.New()
		if err := acc.Resize(n); err != nil {
			return nil, err
		}
		groups, rows := types.Alloc[uint32](env.Pool, 2*n), countUp(env.Pool, 0, 2*n)
		for i := range groups {
			groups[i] = uint32(i / 2)
		}
		if err := mergeTaken(env, acc, groups, below, rows); err != nil {
			return nil, err
		}
		level, err := acc.State(nil, 0, n)
		if err != nil {
			return nil, err
		}
		levels = append(levels, level)
		worker.pool.Release(mark)
	}
	return levels, nil
}

// merge cuts each frame into ranges of the tree, from left to right: growing ones up to the middle, then shrinking ones. All frames are treated level by level, so
// that each level is one merge of many rows.
func (t *stateTree) merge(env *kernels.Env, acc expr.Accumulator, frames []frameRange, rows int) error {
	for _, f := range frames {
		from, to := append([]uint32(nil), f.from[:rows]...), append([]uint32(nil), f.to[:rows]...)
		open := make([]uint32, 0, rows) // rows with something left
		for i := range from {
			if from[i] < to[i] {
				open = append(open, uint32(i))
			}
		}
		rightGroups, rightRanges := [][]uint32{}, [][]uint32{}
		for level := 0; len(open) > 0; level++ {
			var groups, ranges, lateGroups, lateRanges []uint32
			left := open[:0]
			for _, i := range open {
				if from[i]&1 == 1 {
					groups, ranges = append(groups, i), append(ranges, from[i])
					from[i]++
				}
				if to[i]&1 == 1 && from[i] < to[i] {
					to[i]--
					lateGroups, lateRanges = append(lateGroups, i), append(lateRanges, to[i])
				}
				from[i], to[i] = from[i]/2, to[i]/2
				if from[i] < to[i] {
					left = append(left, i)
				}
			}
			open = left
			if len(groups) > 0 {
				if err := mergeTaken(env, acc, groups, t.levels[level], ranges); err != nil {
					return err
				}
			}
			rightGroups, rightRanges = append(rightGroups, lateGroups), append(rightRanges, lateRanges)
		}
		for level := len(rightGroups) - 1; level >= 0; level-- {
			if len(rightGroups[level]) > 0 {
				if err := mergeTaken(env, acc, rightGroups[level], t.levels[level], rightRanges[level]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
