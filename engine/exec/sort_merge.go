package exec

import (
	"context"
	"slices"
	"sort"

	"github.com/lacunadb/lacuna/kernels"
)

// mergeRows is the number of rows that a task of the merge puts in order, at least.
const mergeRows = 1 << 16

// runRow is a row of a run by its position in the run's order.
type runRow struct {
	run *sortRun
	at  int
}

// before orders rows of all runs by their keys, then by their place in the source.
func (a runRow) before(b runRow) bool {
	if a.run == b.run {
		return a.at < b.at
	}
	x, y := int(a.run.order[a.at]), int(b.run.order[b.at])
	if c := a.run.keys.Compare(x, &b.run.keys, y); c != 0 {
		return c < 0
	}
	return a.run.place[x] < b.run.place[y]
}

// merge gives the rows of all runs in order, as many as the result needs at least. The runs are cut at the same keys into parts, and each part is
// merged by itself.
func (s *sortRows) merge(ctx context.Context) ([]uint32, error) {
	if len(s.runs) == 1 {
		return s.runs[0].order, nil
	}
	rows := 0
	for _, run := range s.runs {
		rows += len(run.order)
	}
	encoded := int64(0)
	for _, run := range s.runs {
		encoded += int64(len(run.place)) * int64(len(s.keys)) * keyBytes
	}
	if err := s.memory.Grow(encoded + int64(rows)*4); err != nil {
		return nil, err
	}
	defer s.memory.Shrink(encoded)
	err := s.query.parallel(ctx, s.number(), len(s.runs), func(_ *worker, i int) error {
		run := s.runs[i]
		run.keys = kernels.EncodeSortKeys(nil, s.keysOf(run.columns), len(run.place))
		return nil
	})
	if err != nil {
		return nil, err
	}
	needed := rows
	if s.top >= 0 {
		needed = int(min(int64(rows), s.top))
	}
	parts := 1
	if s.query.options.Threads > 1 {
		parts = min(4*s.query.options.Threads, 1+rows/mergeRows)
	}
	cuts := s.cuts(parts)
	order := make([]uint32, rows)
	err = s.query.parallel(ctx, s.number(), parts, func(_ *worker, i int) error {
		start := 0
		for _, at := range cuts[i] {
			start += at
		}
		if start >= needed {
			return nil
		}
		return mergeHeads(ctx, s.runs, cuts[i], cuts[i+1], order[start:])
	})
	return order[:needed], err
}

// cuts gives, for each of the parts and for the end, the position in each run where it starts.
func (s *sortRows) cuts(parts int) [][]int {
	cuts := make([][]int, parts+1)
	for i := range cuts {
		cuts[i] = make([]int, len(s.runs))
	}
	var samples []runRow
	for r, run := range s.runs {
		cuts[parts][r] = len(run.order)
		for i := 1; i < parts; i++ {
			if at := i * len(run.order) / parts; at < len(run.order) {
				samples = append(samples, runRow{run, at})
			}
		}
	}
	slices.SortFunc(samples, func(a, b runRow) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
	for i := 1; i < parts; i++ {
		splitter := samples[i*len(samples)/parts]
		for r, run := range s.runs {
			cuts[i][r] = sort.Search(len(run.order), func(at int) bool { return !(runRow{run, at}).before(splitter) })
		}
	}
	return cuts
}

// mergeHeads writes the rows of runs between two cuts to order, sorted. The heads of the runs are a heap.
func mergeHeads(ctx context.Context, runs []*sortRun, from, to []int, order []uint32) error {
	var heads []runRow
	end := map[*sortRun]int{}
	for r, run := range runs {
		if from[r] < to[r] {
			heads = append(heads, runRow{run, from[r]})
			end[run] = to[r]
		}
	}
	for i := len(heads)/2 - 1; i >= 0; i-- {
		siftDown(heads, i)
	}
	for n := 0; len(heads) > 0; n++ {
		if n&0xffff == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		first := &heads[0]
		order[n] = uint32(first.run.base) + first.run.order[first.at]
		first.at++
		if first.at == end[first.run] {
			heads[0] = heads[len(heads)-1]
			heads = heads[:len(heads)-1]
		}
		siftDown(heads, 0)
	}
	return nil
}

// siftDown moves the head at i down the heap to its place.
func siftDown(heads []runRow, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heads); child++ {
			if heads[child].before(heads[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heads[i], heads[least] = heads[least], heads[i]
		i = least
	}
}
