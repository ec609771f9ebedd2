package exec

import (
	"context"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// function gives the results of a function for the rows of a chunk, in memory of its own.
func (w *windowRows) function(worker *worker, chunk *windowChunk, c *windowCall) (*types.Vector, error) {
	switch c.Function.Kind {
	case expr.RowNumber, expr.Rank, expr.DenseRank:
		return types.NewFixed(types.BigInt, w.ranks(worker.pool, chunk, c.Function.Kind), nil), nil
	case expr.PercentRank, expr.CumeDist:
		return types.NewFixed(types.Double, w.shares(chunk, c.Function.Kind), nil), nil
	case expr.Ntile:
		return w.ntile(worker.pool, chunk, c)
	case expr.Lag, expr.Lead:
		return w.offsetValue(worker, chunk, c), nil
	}
	return w.frameValue(worker, chunk, c)
}

func (w *windowRows) ranks(pool *types.Pool, chunk *windowChunk, kind expr.WindowKind) []int64 {
	ranks := types.Alloc[int64](nil, chunk.rows())
	switch kind {
	case expr.RowNumber:
		for i, p := range chunk.partition {
			ranks[i] = int64(uint32(chunk.from+i)-w.partitions[p]) + 1
		}
	case expr.Rank:
		for i, p := range chunk.partition {
			ranks[i] = int64(w.peers[chunk.peer[i]]-w.partitions[p]) + 1
		}
	case expr.DenseRank:
		// The first row of a partition is in its first group; only of the first partition it may lie before the chunk.
		first := uint32(w.groupAt(w.partitions[chunk.partition[0]]))
		for i, p := range chunk.partition {
			if i > 0 && p != chunk.partition[i-1] {
				first = chunk.peer[i]
			}
			ranks[i] = int64(chunk.peer[i]-first) + 1
		}
	}
	return ranks
}

func (w *windowRows) shares(chunk *windowChunk, kind expr.WindowKind) []float64 {
	shares := types.Alloc[float64](nil, chunk.rows())
	for i, p := range chunk.partition {
		from, to, peer := w.partitions[p], w.partitions[p+1], chunk.peer[i]
		switch {
		case kind == expr.CumeDist:
			shares[i] = float64(w.peers[peer+1]-from) / float64(to-from)
		case to-from == 1:
			shares[i] = 0
		default:
			shares[i] = float64(w.peers[peer]-from) / float64(to-from-1)
		}
	}
	return shares
}

// counts gives a BIGINT argument by row, and where it is not null.
func (w *windowRows) counts(pool *types.Pool, chunk *windowChunk, c *windowCall, arg int) ([]int64, types.Bitmap) {
	env := &kernels.Env{Pool: pool}
	v := w.argument(env, c, arg, chunk.from, chunk.to)
	return types.ValuesOf[int64](kernels.Decode(env, v)), types.LogicalValidity(pool, v)
}

func (w *windowRows) ntile(pool *types.Pool, chunk *windowChunk, c *windowCall) (*types.Vector, error) {
	buckets, given := w.counts(pool, chunk, c, 0)
	numbers, valid := types.Alloc[int64](nil, chunk.rows()), types.Bitmap(nil)
	for i, p := range chunk.partition {
		numbers[i] = 0
		if !given.Has(i) {
			valid = clearBit(valid, i, chunk.rows())
			continue
		}
		if buckets[i] < 1 {
			return nil, types.Errorf(types.CodeInvalidNtile, "argument of ntile must be greater than zero")
		}
		row, rows := int64(uint32(chunk.from+i)-w.partitions[p]), int64(w.partitions[p+1]-w.partitions[p])
		size, larger := rows/buckets[i], rows%buckets[i]
		if row < larger*(size+1) {
			numbers[i] = row/(size+1) + 1
		} else {
			numbers[i] = larger + (row-larger*(size+1))/size + 1
		}
	}
	return types.NewFixed(types.BigInt, numbers, valid), nil
}

// clearBit gives a bitmap of n rows, all set in the beginning (nil), without bit i.
func clearBit(b types.Bitmap, i, n int) types.Bitmap {
	if b == nil {
		b = (*types.Pool)(nil).Bitmap(n)
		types.FillBitmap(b, n)
	}
	b.Clear(i)
	return b
}

// chosenRows are positions for the rows of a chunk; none where valid (nil = all) has no bit.
type chosenRows struct {
	positions []uint32
	valid     types.Bitmap
}

// newChosenRows makes room for n rows. The bitmap becomes part of the result, so it is not the pool's.
func newChosenRows(pool *types.Pool, n int) *chosenRows {
	valid := (*types.Pool)(nil).Bitmap(n)
	types.FillBitmap(valid, n)
	return &chosenRows{positions: types.Alloc[uint32](pool, n), valid: valid}
}

// set chooses a position for row i if it lies in a range, else none.
func (r *chosenRows) set(i int, position, from, to int64) bool {
	r.positions[i] = 0
	if position < from || position >= to {
		r.valid.Clear(i)
		return false
	}
	r.positions[i] = uint32(position)
	return true
}

// offsetValue is lag and lead.
func (w *windowRows) offsetValue(worker *worker, chunk *windowChunk, c *windowCall) *types.Vector {
	pool, n := worker.pool, chunk.rows()
	offsets, given := w.counts(pool, chunk, c, 1)
	chosen := newChosenRows(pool, n)
	missing := false
	var useDefault types.Bitmap
	for i, p := range chunk.partition {
		if !given.Has(i) {
			chosen.set(i, -1, 0, 0)
			continue
		}
		at, step := int64(chunk.from+i), offsets[i]
		from, to := int64(w.partitions[p]), int64(w.partitions[p+1])
		most := to - from
		step = min(max(step, -most), most) // beyond the partition in any case
		if c.Function.Kind == expr.Lag {
			step = -step
		}
		position := at + step
		if c.values != nil && step != 0 {
			position = c.values.step(at, step, from, to)
		}
		if !chosen.set(i, position, from, to) {
			if useDefault == nil {
				useDefault = pool.ZeroBitmap(n)
			}
			useDefault.Set(i)
			missing = true
		}
	}
	if !missing || c.args[2] < 0 && c.Args[2].IsNullConstant() {
		return w.argumentAt(&kernels.Env{}, c, 0, chosen.positions, chosen.valid)
	}
	env := &kernels.Env{Pool: pool}
	values := w.argumentAt(env, c, 0, chosen.positions, chosen.valid)
	both := kernels.Concat(env, []*types.Vector{values, w.argument(env, c, 2, chunk.from, chunk.to)})
	rows := types.Alloc[uint32](pool, n)
	for i := range rows {
		rows[i] = uint32(i)
		if useDefault.Get(i) {
			rows[i] += uint32(n)
		}
	}
	return ownText(&kernels.Env{}, kernels.Take(nil, both, rows, nil))
}

// frameValue is first_value, last_value and nth_value.
func (w *windowRows) frameValue(worker *worker, chunk *windowChunk, c *windowCall) (*types.Vector, error) {
	pool, n := worker.pool, chunk.rows()
	frames := w.frames(worker, chunk, c)
	chosen := newChosenRows(pool, n)
	var wanted []int64
	var given types.Bitmap
	if c.Function.Kind == expr.NthValue {
		wanted, given = w.counts(pool, chunk, c, 1)
	}
	for i := range n {
		position := int64(-1)
		switch {
		case c.Function.Kind == expr.LastValue:
			for k := len(frames) - 1; k >= 0 && position < 0; k-- {
				position = c.values.nth(int64(frames[k].from[i]), int64(frames[k].to[i]), -1)
			}
		case wanted == nil:
			for k := 0; k < len(frames) && position < 0; k++ {
				position = c.values.nth(int64(frames[k].from[i]), int64(frames[k].to[i]), 0)
			}
		case given.Has(i):
			skip := wanted[i] - 1
			if skip < 0 {
				return nil, types.Errorf(types.CodeInvalidNthValue, "argument of nth_value must be greater than zero")
			}
			for k := 0; k < len(frames) && position < 0; k++ {
				from, to := int64(frames[k].from[i]), int64(frames[k].to[i])
				position = c.values.nth(from, to, skip)
				skip -= c.values.count(from, to)
			}
		}
		chosen.set(i, position, 0, int64(len(w.sort.order)))
	}
	return w.argumentAt(&kernels.Env{}, c, 0, chosen.positions, chosen.valid), nil
}

// valuePositions are the positions at which an argument is not null. A nil one has all positions.
type valuePositions struct {
	positions []uint32
	before    []uint32 // by position, and for the end: how many come before it
}

// count gives the number of values from from to to.
func (v *valuePositions) count(from, to int64) int64 {
	switch {
	case from >= to:
		return 0
	case v == nil:
		return to - from
	}
	return int64(v.before[to] - v.before[from])
}

// nth gives the position of the value from from to to before which there are skip others in the range, or, when skip is -1, of the last one; -1 for none.
func (v *valuePositions) nth(from, to, skip int64) int64 {
	count := v.count(from, to)
	if skip < 0 {
		skip = count - 1
	}
	switch {
	case skip < 0 || skip >= count:
		return -1
	case v == nil:
		return from + skip
	}
	return int64(v.positions[int64(v.before[from])+skip])
}

// step gives the position of the value that lies so many values, not zero, after a position, before it when negative; -1 when it is outside the range from
// from to to.
func (v *valuePositions) step(at, steps, from, to int64) int64 {
	if steps > 0 {
		return v.nth(at+1, to, steps-1)
	}
	skip := v.count(from, at) + steps
	if skip < 0 {
		return -1
	}
	return v.nth(from, at, skip)
}

// findValues finds the rows in which the first argument of a call with IGNORE NULLS is not null.
func (w *windowRows) findValues(ctx context.Context, c *windowCall) error {
	n := len(w.sort.order)
	if err := w.grow(int64(n) * 8); err != nil {
		return err
	}
	v := &valuePositions{positions: make([]uint32, 0, n), before: make([]uint32, n+1)}
	present := make([][]uint32, w.chunks())
	err := w.eachRange(ctx, func(worker *worker, i, from, to int) error {
		env := &kernels.Env{Pool: worker.pool}
		present[i] = setPositions(kernels.IsNotNull(env, w.argument(env, c, 0, from, to)).Bools(), from, to)
		return nil
	})
	if err != nil {
		return err
	}
	at := 0
	for _, positions := range present {
		for _, p := range positions {
			for ; at <= int(p); at++ {
				v.before[at] = uint32(len(v.positions))
			}
			v.positions = append(v.positions, p)
		}
	}
	for ; at <= n; at++ {
		v.before[at] = uint32(len(v.positions))
	}
	c.values = v
	return nil
}
