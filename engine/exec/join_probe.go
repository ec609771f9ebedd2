package exec

import (
	"context"
	"sync/atomic"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// joinProbe is the operator of a join's probe side.
type joinProbe struct{ *join }

func (p *joinProbe) number() int { return p.operator }

func (p *joinProbe) newState(w *worker) operatorState {
	s := &joinProbeState{join: p.join, table: p.build.table, worker: w, keys: expr.NewEvaluator(p.probeKeys, w.pool)}
	s.where = p.condition
	if s.table.ranges != nil {
		s.ranges = expr.NewEvaluator(p.join.ranges.probe, w.pool)
		if !s.table.ranges.exact {
			s.where = p.join.ranges.rest
		}
	}
	if s.where != nil {
		s.condition = expr.NewEvaluator(s.where.program, w.pool)
	}
	if p.mark != nil {
		s.markKeys = expr.NewEvaluator(p.mark.program, w.pool)
		if p.mark.condition != nil {
			s.mark = expr.NewEvaluator(p.mark.condition.program, w.pool)
		}
	}
	return s
}

// joinProbeState is the probe side in the hands of one worker.
type joinProbeState struct {
	join      *join
	table     *joinTable
	worker    *worker
	keys      *expr.Evaluator
	ranges    *expr.Evaluator // nil without
	where     *pairProgram    // what candidates must fulfil; nil = TRUE
	condition *expr.Evaluator // of where
	markKeys  *expr.Evaluator
	mark      *expr.Evaluator // of a mark's condition; nil = TRUE
	columns   []*types.Vector // of the keys

	// Of the present batch.
	batch *types.Batch
	ends  []uint32 // of the ranges
	next  func(*types.Batch) error
}

func (s *joinProbeState) push(b *types.Batch, next func(*types.Batch) error) error {
	j := s.join
	s.batch, s.next = b, next
	defer func() { s.batch, s.next = nil, nil }()
	if j.ending != endNone {
		if err := j.prepareMatched(); err != nil {
			return err
		}
	}
	heads, err := s.findHeads()
	if err != nil {
		return err
	}
	switch {
	case j.kind == plan.MarkJoin:
		return s.pushMark(heads)
	case j.kind == plan.SemiJoin || j.kind == plan.AntiJoin:
		return s.pushExists(heads)
	case s.table.unique() && s.condition == nil:
		return s.pushUnique(heads)
	}
	return s.pushPairs(heads)
}

// findHeads gives for each row of the batch the first build row with equal keys + 1, or 0.
func (s *joinProbeState) findHeads() ([]uint32, error) {
	if s.ranges != nil {
		heads, ends, err := s.findRanges()
		s.ends = ends
		return heads, err
	}
	b, pool := s.batch, s.worker.pool
	columns, err := s.keys.Eval(s.columns[:0], b)
	if err != nil {
		return nil, err
	}
	s.columns = columns
	heads := types.Alloc[uint32](pool, b.Rows)
	env := &kernels.Env{Pool: pool}
	if len(columns) == 1 {
		s.findEncoded(env, columns[0], heads)
		return heads, nil
	}
	s.table.index.find(env, s.plainKeys(env, columns), b.Rows, b.Selection, heads)
	return heads, nil
}

func (s *joinProbeState) plainKeys(env *kernels.Env, columns []*types.Vector) []*types.Vector {
	plain := make([]*types.Vector, len(columns))
	for i, v := range columns {
		plain[i] = keyValues(env.Pool, kernels.Decode(env, v))
	}
	return plain
}

// findEncoded looks up a single key: a constant once, a small dictionary by its entries that are in use.
func (s *joinProbeState) findEncoded(env *kernels.Env, v *types.Vector, heads []uint32) {
	b := s.batch
	switch {
	case v.Encoding() == types.Constant:
		var head [1]uint32
		s.table.index.find(env, s.plainKeys(env, []*types.Vector{v.First()}), 1, nil, head[:])
		for i := range heads {
			heads[i] = head[0]
		}
		clearInactive(heads, b.Selection)
	case v.Encoding() == types.Dictionary && v.Validity() == nil && v.Entries().Len() < b.Selected:
		entries, keys := v.Entries(), v.Keys()
		used := env.Pool.ZeroBitmap(entries.Len())
		for i := b.Selection.NextSet(0, b.Rows); i < b.Rows; i = b.Selection.NextSet(i+1, b.Rows) {
			used.Set(int(keys[i]))
		}
		byEntry := types.Alloc[uint32](env.Pool, entries.Len())
		s.table.index.find(env, s.plainKeys(env, []*types.Vector{entries}), entries.Len(), used, byEntry)
		for i, k := range keys {
			heads[i] = byEntry[k]
		}
		clearInactive(heads, b.Selection)
	default:
		s.table.index.find(env, s.plainKeys(env, []*types.Vector{v}), b.Rows, b.Selection, heads)
	}
}

// matchBits gives the rows whose head is not 0.
func matchBits(pool *types.Pool, heads []uint32) types.Bitmap {
	dst := pool.Bitmap(len(heads))
	for w := range dst {
		var word uint64
		for i, h := range heads[w*64 : min(len(heads), w*64+64)] {
			word |= uint64((h|-h)>>31) << uint(i)
		}
		dst[w] = word
	}
	return dst
}

// pushUnique joins each row with at most one other, which needs no condition: the columns of the batch stay as they are.
func (s *joinProbeState) pushUnique(heads []uint32) error {
	b, pool := s.batch, s.worker.pool
	matched := matchBits(pool, heads)
	if s.join.ending != endNone {
		for _, h := range heads {
			if h != 0 {
				s.join.matched.set(int(h - 1))
			}
		}
	}
	out, valid := b, matched
	if !s.join.outer {
		out, valid = b.Select(matched), nil
		switch {
		case out.Selected == 0:
			return nil
		case out.Selected*compactBelow < out.Rows:
			rows := asm.AppendIndices(types.Alloc[uint32](pool, out.Selected)[:0], matched, b.Rows)
			build := types.Alloc[uint32](pool, out.Selected)
			for i, row := range rows {
				build[i] = heads[row] - 1
			}
			return s.give(rows, build, nil)
		}
	}
	for i, h := range heads {
		heads[i] = h - (h|-h)>>31 // the row; 0, which nobody looks at, for none
	}
	env := &kernels.Env{Pool: pool}
	return s.next(out.WithColumns(s.outputColumns(func(c joinColumn) *types.Vector {
		if c.side == fromProbe {
			return b.Columns[c.at]
		}
		return kernels.Take(env, s.table.columns[c.at], heads, valid)
	})))
}

func (s *joinProbeState) outputColumns(column func(joinColumn) *types.Vector) []*types.Vector {
	columns := make([]*types.Vector, len(s.join.output))
	for i, c := range s.join.output {
		columns[i] = column(c)
	}
	return columns
}

// pairColumn gives a column of pairs of rows; valid are the pairs that have a build row, nil = all.
func (s *joinProbeState) pairColumn(c joinColumn, probe, build []uint32, valid types.Bitmap) *types.Vector {
	env := &kernels.Env{Pool: s.worker.pool}
	if c.side == fromProbe {
		return kernels.Take(env, s.batch.Columns[c.at], probe, nil)
	}
	return kernels.Take(env, s.table.columns[c.at], build, valid)
}

// give hands pairs of rows on.
func (s *joinProbeState) give(probe, build []uint32, valid types.Bitmap) error {
	columns := s.outputColumns(func(c joinColumn) *types.Vector { return s.pairColumn(c, probe, build, valid) })
	return s.next(types.NewBatch(columns, len(probe), s.batch.Sequence))
}

// givePairs hands on pairs, some of which may have noRow for a build row.
func (s *joinProbeState) givePairs(probe, build []uint32) error {
	if len(probe) == 0 {
		return nil
	}
	pool := s.worker.pool
	mark := pool.Mark()
	var valid types.Bitmap
	if s.join.outer {
		valid = rowBits(pool, build)
	}
	err := s.give(probe, build, valid)
	pool.Release(mark)
	return err
}

// rowBits gives the pairs that have a build row.
func rowBits(pool *types.Pool, build []uint32) types.Bitmap {
	dst := pool.ZeroBitmap(len(build))
	for i, row := range build {
		if row != noRow {
			dst.Set(i)
		}
	}
	return dst
}

// candidates gives pairs of a batch's rows with the build rows of their chains, in order.
type candidates struct {
	heads []uint32 // by row of the batch
	next  []uint32 // the chains; nil with last, and where all chains are single rows
	last  uint32   // when not 0, a chain is the rows up to this one + 1
	order []uint32 // when not nil, a chain is a part of it: from the head to the row's end
	ends  []uint32
	rows  []uint32 // of the batch, still to come
	row   uint32   // the present one
	at    uint32   // its next build row + 1; 0 = none
}

// fill writes the next pairs and gives their number; 0 at the end. Rows without a candidate are given with noRow.
func (c *candidates) fill(probe, build []uint32) int {
	n := 0
	for {
		// The chain of the present row.
		row, at := c.row, c.at
		switch {
		case at == 0:
		case c.order != nil:
			end := c.ends[row]
			for ; at <= end && n < len(probe); n++ {
				probe[n], build[n] = row, c.order[at-1]
				at++
			}
			if at > end {
				at = 0
			}
		case c.next != nil:
			for ; at != 0 && n < len(probe); n++ {
				probe[n], build[n] = row, at-1
				at = c.next[at-1]
			}
		case c.last != 0:
			for ; at <= c.last && n < len(probe); n++ {
				probe[n], build[n] = row, at-1
				at++
			}
			if at > c.last {
				at = 0
			}
		default:
			if n < len(probe) {
				probe[n], build[n] = row, at-1
				at, n = 0, n+1
			}
		}
		c.at = at
		if n == len(probe) || len(c.rows) == 0 {
			return n
		}
		c.row, c.rows = c.rows[0], c.rows[1:]
		if c.at = c.heads[c.row]; c.at == 0 {
			probe[n], build[n] = c.row, noRow
			n++
		}
	}
}

// candidatesOf gives the candidates of the batch's selected rows that have some, or of all selected ones.
func (s *joinProbeState) candidatesOf(heads []uint32, all bool) *candidates {
	b, env := s.batch, &kernels.Env{Pool: s.worker.pool}
	selection := b.Selection
	if !all {
		selection = matchBits(env.Pool, heads)
	}
	c := &candidates{heads: heads, next: s.table.next, last: s.table.last, rows: kernels.Indices(env, selection, b.Rows)}
	if s.ranges != nil {
		c.order, c.ends = s.table.ranges.order, s.ends
	}
	return c
}

// passing gives the pairs on which the condition is true, among those that have a build row.
func (s *joinProbeState) passing(p *pairProgram, evaluator *expr.Evaluator, probe, build []uint32) (types.Bitmap, error) {
	valid := rowBits(s.worker.pool, build)
	if evaluator == nil {
		return valid, nil
	}
	b := s.pairBatch(p, probe, build, valid)
	if b.Selected == 0 {
		return valid, nil
	}
	pass, err := evaluator.Select(b)
	if pass == nil && err == nil {
		pass = valid
		types.FillBitmap(pass, len(probe))
	}
	return pass, err
}

// pairBatch gives pairs as a batch of the columns that a condition reads, in which those with a build row are selected.
func (s *joinProbeState) pairBatch(p *pairProgram, probe, build []uint32, valid types.Bitmap) *types.Batch {
	columns := make([]*types.Vector, s.join.left+s.join.right)
	for _, c := range p.columns {
		columns[c.position] = s.pairColumn(c.joinColumn, probe, build, valid)
	}
	return types.NewBatch(columns, len(probe), s.batch.Sequence).Select(valid)
}

// pairBuffers gives memory for a step's pairs.
func (s *joinProbeState) pairBuffers() (probe, build []uint32) {
	n := s.join.query.options.BatchRows
	return types.Alloc[uint32](s.worker.pool, n), types.Alloc[uint32](s.worker.pool, n)
}

// pushPairs joins rows with any number of others, subject to the condition.
func (s *joinProbeState) pushPairs(heads []uint32) error {
	j, pool := s.join, s.worker.pool
	all := s.candidatesOf(heads, j.outer)
	simple := s.condition == nil && j.kind != plan.SingleJoin // all candidates leave
	probe, build := s.pairBuffers()
	out := pairOutput{state: s}
	out.probe, out.build = s.pairBuffers()
	for {
		if err := context.Cause(s.worker.ctx); err != nil {
			return err
		}
		n := all.fill(probe, build)
		if n == 0 {
			break
		}
		if simple {
			for _, row := range build[:n] {
				if j.ending != endNone && row != noRow {
					j.matched.set(int(row))
				}
			}
			if err := s.givePairs(probe[:n], build[:n]); err != nil {
				return err
			}
			continue
		}
		mark := pool.Mark()
		pass, err := s.passing(s.where, s.condition, probe[:n], build[:n])
		if err != nil {
			return err
		}
		if err := out.add(probe[:n], build[:n], pass); err != nil {
			return err
		}
		pool.Release(mark)
	}
	return out.end()
}

// pairOutput collects the pairs that pass until there is a batch of them. Of an outer join it gives rows without such a pair in their place.
type pairOutput struct {
	state        *joinProbeState
	probe, build []uint32
	n            int
	row          uint32 // the present row of the batch
	started      bool   // there is one
	matches      int    // its pairs so far
}

// add takes pairs in the order of the batch's rows.
func (o *pairOutput) add(probe, build []uint32, pass types.Bitmap) error {
	s, j := o.state, o.state.join
	if j.ending != endNone {
		for i := pass.NextSet(0, len(probe)); i < len(probe); i = pass.NextSet(i+1, len(probe)) {
			s.join.matched.set(int(build[i]))
		}
	}
	if !j.outer {
		for i := pass.NextSet(0, len(probe)); i < len(probe); i = pass.NextSet(i+1, len(probe)) {
			if err := o.pair(probe[i], build[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for i, row := range probe {
		if !o.started || row != o.row {
			if err := o.endRow(); err != nil {
				return err
			}
			o.row, o.started, o.matches = row, true, 0
		}
		if !pass.Get(i) {
			continue
		}
		if o.matches++; o.matches > 1 && j.kind == plan.SingleJoin {
			return types.Errorf(types.CodeCardinalityViolation, "more than one row returned by a subquery used as an expression")
		}
		if err := o.pair(row, build[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *pairOutput) endRow() error {
	if o.started && o.matches == 0 {
		return o.pair(o.row, noRow)
	}
	return nil
}

func (o *pairOutput) pair(probe, build uint32) error {
	if o.n == len(o.probe) {
		if err := o.flush(); err != nil {
			return err
		}
	}
	o.probe[o.n], o.build[o.n] = probe, build
	o.n++
	return nil
}

func (o *pairOutput) flush() error {
	n := o.n
	o.n = 0
	return o.state.givePairs(o.probe[:n], o.build[:n])
}

// end gives what is left.
func (o *pairOutput) end() error {
	if o.state.join.outer {
		if err := o.endRow(); err != nil {
			return err
		}
	}
	return o.flush()
}

// pushExists selects the rows with or without a match, or notes the matches of the build side.
func (s *joinProbeState) pushExists(heads []uint32) error {
	j, b, pool := s.join, s.batch, s.worker.pool
	if j.buildLeft {
		return s.noteMatches(heads)
	}
	found := matchBits(pool, heads)
	if s.condition != nil {
		all := s.candidatesOf(heads, false)
		clear(found)
		probe, build := s.pairBuffers()
		for {
			if err := context.Cause(s.worker.ctx); err != nil {
				return err
			}
			n := all.fill(probe, build)
			if n == 0 {
				break
			}
			mark := pool.Mark()
			pass, err := s.passing(s.where, s.condition, probe[:n], build[:n])
			if err != nil {
				return err
			}
			for i := pass.NextSet(0, n); i < n; i = pass.NextSet(i+1, n) {
				found.Set(int(probe[i]))
			}
			pool.Release(mark)
			if found.Get(int(all.row)) {
				all.at = 0 // one match is enough
			}
		}
	}
	if j.kind == plan.AntiJoin {
		found = types.AndNotBitmaps(pool, b.Selection, found, b.Rows)
	}
	out := b.Select(found)
	if out.Selected == 0 {
		return nil
	}
	return s.next(s.worker.thin(out.WithColumns(s.outputColumns(func(c joinColumn) *types.Vector { return b.Columns[c.at] }))))
}

// noteMatches notes which build rows have a match.
func (s *joinProbeState) noteMatches(heads []uint32) error {
	t, pool := s.table, s.worker.pool
	if s.condition == nil {
		for _, h := range heads {
			// A chain is noted as a whole.
			for ; h != 0 && !s.join.matched.get(int(h-1)); h = t.after(h) {
				s.join.matched.set(int(h - 1))
			}
		}
		return nil
	}
	all := s.candidatesOf(heads, false)
	probe, build := s.pairBuffers()
	for {
		if err := context.Cause(s.worker.ctx); err != nil {
			return err
		}
		n := all.fill(probe, build)
		if n == 0 {
			return nil
		}
		mark := pool.Mark()
		pass, err := s.passing(s.where, s.condition, probe[:n], build[:n])
		if err != nil {
			return err
		}
		for i := pass.NextSet(0, n); i < n; i = pass.NextSet(i+1, n) {
			s.join.matched.set(int(build[i]))
		}
		pool.Release(mark)
	}
}

// after gives the next row + 1 of a chain, from a row + 1.
func (t *joinTable) after(head uint32) uint32 {
	switch {
	case t.next != nil:
		return t.next[head-1]
	case head < t.last:
		return head + 1
	}
	return 0
}

// unique reports that no two rows have equal keys.
func (t *joinTable) unique() bool { return t.next == nil && t.last <= 1 }

// atomicBitmap is a bitmap whose bits several workers set at a time.
type atomicBitmap []atomic.Uint64

func newAtomicBitmap(n int) atomicBitmap { return make(atomicBitmap, types.BitmapWords(n)) }

func (b atomicBitmap) get(i int) bool { return b[i>>6].Load()>>(uint(i)&63)&1 != 0 }

func (b atomicBitmap) set(i int) {
	if !b.get(i) {
		b[i>>6].Or(1 << (uint(i) & 63))
	}
}
