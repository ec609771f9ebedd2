package exec

import (
	"context"
	"math/bits"
	"sort"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// windowBorders says where partitions and groups of peers begin in the sorted order.
type windowBorders struct {
	partitions []uint32 // first position of each, then the number of rows
	peers      []uint32 // the same of the groups of peers, which partitions are cut into
}

// windowChunk is a range of positions with what its rows belong to.
type windowChunk struct {
	number, from, to int
	// By row of the chunk: the numbers of its partition and of its group of peers, counted over all rows.
	partition, peer []uint32
}

func (c *windowChunk) rows() int { return c.to - c.from }

// chunks gives the number of chunks.
func (w *windowRows) chunks() int { return (len(w.sort.order) + w.chunkRows - 1) / w.chunkRows }

// eachRange runs f for the range of positions of every chunk, in parallel.
func (w *windowRows) eachRange(ctx context.Context, f func(worker *worker, chunk, from, to int) error) error {
	return w.query.parallel(ctx, w.number(), w.chunks(), func(worker *worker, i int) error {
		if err := context.Cause(worker.ctx); err != nil {
			return err
		}
		mark := worker.pool.Mark()
		from := i * w.chunkRows
		if err := f(worker, i, from, min(from+w.chunkRows, len(w.sort.order))); err != nil {
			return err
		}
		worker.pool.Release(mark)
		return worker.chargePool()
	})
}

// eachChunk runs f for every chunk, in parallel.
func (w *windowRows) eachChunk(ctx context.Context, f func(worker *worker, chunk *windowChunk) error) error {
	return w.eachRange(ctx, func(worker *worker, i, _, _ int) error {
		return f(worker, w.chunkAt(worker.pool, i))
	})
}

// chunkAt gives a chunk by its number.
func (w *windowRows) chunkAt(pool *types.Pool, number int) *windowChunk {
	from := number * w.chunkRows
	to := min(from+w.chunkRows, len(w.sort.order))
	return &windowChunk{
		number: number, from: from, to: to,
		partition: numbersOf(pool, w.partitions, from, to), peer: numbersOf(pool, w.peers, from, to),
	}
}

// numbersOf gives, for each position from from to to, the number of the range that it is in.
func numbersOf(pool *types.Pool, starts []uint32, from, to int) []uint32 {
	numbers := types.Alloc[uint32](pool, to-from)
	n := sort.Search(len(starts), func(i int) bool { return int(starts[i]) > from }) - 1
	for at := from; at < to; n++ {
		end := min(to, int(starts[n+1]))
		for ; at < end; at++ {
			numbers[at-from] = uint32(n)
		}
	}
	return numbers
}

// findBorders compares each row with the one before it. Values are told apart as IS DISTINCT FROM does.
func (w *windowRows) findBorders(ctx context.Context) error {
	chunks := make([]windowBorders, w.chunks())
	err := w.eachRange(ctx, func(worker *worker, i, from, to int) error {
		pool := worker.pool
		partition, peer := pool.ZeroBitmap(to-from), pool.ZeroBitmap(to-from)
		for k, key := range w.columns {
			differ, err := w.differences(pool, key.column, from, to)
			if err != nil {
				return err
			}
			for j := range peer {
				peer[j] |= differ[j]
				if k < w.keys {
					partition[j] |= differ[j]
				}
			}
		}
		if from == 0 {
			partition.Set(0)
			peer.Set(0)
		}
		chunks[i] = windowBorders{partitions: setPositions(partition, from, to), peers: setPositions(peer, from, to)}
		return nil
	})
	if err != nil {
		return err
	}
	partitions, peers := 1, 1
	for _, c := range chunks {
		partitions, peers = partitions+len(c.partitions), peers+len(c.peers)
	}
	if err := w.memory.Grow(int64(partitions+peers) * 4); err != nil {
		return err
	}
	w.partitions, w.peers = make([]uint32, 0, partitions), make([]uint32, 0, peers)
	for _, c := range chunks {
		w.partitions, w.peers = append(w.partitions, c.partitions...), append(w.peers, c.peers...)
	}
	end := uint32(len(w.sort.order))
	w.partitions, w.peers = append(w.partitions, end), append(w.peers, end)
	return nil
}

// differences gives the positions from from to to at which a column differs from the position before; arbitrary at position 0.
func (w *windowRows) differences(pool *types.Pool, column, from, to int) (types.Bitmap, error) {
	env := &kernels.Env{Pool: pool}
	before := types.Alloc[uint32](pool, to-from)
	for i := range before {
		before[i] = w.sort.order[max(0, from+i-1)]
	}
	v := w.sort.columns[column]
	distinct, err := kernels.IsDistinct(env, kernels.Take(env, v, w.sort.order[from:to], nil), kernels.Take(env, v, before, nil))
	if err != nil {
		return nil, err
	}
	return kernels.TrueRows(env, distinct), nil
}

// setPositions gives the positions of the bits that are set among those of the positions from from to to.
func setPositions(b types.Bitmap, from, to int) []uint32 {
	positions := make([]uint32, 0, b.Count(to-from))
	for i, word := range b {
		if i == len(b)-1 {
			word &= types.LastWordMask(to - from)
		}
		for ; word != 0; word &= word - 1 {
			positions = append(positions, uint32(from+i*64+bits.TrailingZeros64(word)))
		}
	}
	return positions
}
