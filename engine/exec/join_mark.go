package exec

import (
	"context"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// markCheck is what a mark join computes of a left row: TRUE when for some right row that matches it all conditions of the mark are true, else NULL when for some
// their conjunction is NULL, else FALSE.
//
// Without keys of the join itself the index is over the mark's keys. It then finds the right rows that can make the mark TRUE; NULL can only come from rows with a
// NULL in a key, on either side, or from the mark's condition.
type markCheck struct {
	keys      []joinKey // of the mark
	program   *expr.Program
	indexed   bool         // the index is over them
	condition *pairProgram // nil = TRUE
}

func (j *join) newMarkCheck(mark *plan.PhysicalMark, indexed bool, build types.Schema) *markCheck {
	m := &markCheck{indexed: indexed && len(mark.Keys) > 0, condition: j.compilePairs(mark.Condition, build)}
	var exprs []*expr.Expr
	for _, k := range mark.Keys {
		exprs = append(exprs, k.Left)
		m.keys = append(m.keys, joinKey{probe: k.Left, build: j.show(k.Right), nullSafe: k.NullSafe})
	}
	m.program = expr.Compile(exprs...)
	return m
}

// chainNulls links the rows with a NULL in a key.
func (j *join) chainNulls(t *joinTable) error {
	if t.valid == nil {
		return nil
	}
	if err := j.memory.Grow(int64(t.rows) * 4); err != nil {
		return err
	}
	t.nullNext = make([]uint32, t.rows)
	for row := t.rows - 1; row >= 0; row-- {
		if !t.valid.Get(row) {
			t.nullNext[row], t.nullHead = t.nullHead, uint32(row+1)
		}
	}
	return nil
}

// marks is what is known of the rows of a batch.
type marks struct {
	truth, unknown types.Bitmap
	keys           []*types.Vector // the mark's, of the left rows
}

// pushMark adds the mark to the batch.
func (s *joinProbeState) pushMark(heads []uint32) error {
	j, b, pool := s.join, s.batch, s.worker.pool
	m := &marks{unknown: pool.ZeroBitmap(b.Rows)}
	var err error
	if m.keys, err = s.markKeys.Eval(nil, b); err != nil {
		return err
	}
	if s.condition == nil && s.mark == nil && (j.mark.indexed || len(m.keys) == 0) {
		m.truth = matchBits(pool, heads)
	} else {
		m.truth = pool.ZeroBitmap(b.Rows)
		if err := s.checkMarks(m, s.candidatesOf(heads, false), !j.mark.indexed, false); err != nil {
			return err
		}
	}
	if j.mark.indexed && s.table.rows > 0 {
		if err := s.findUnknown(m); err != nil {
			return err
		}
	}
	valid := types.AndNotBitmaps(pool, nil, m.unknown, b.Rows)
	return s.next(b.WithColumns(s.outputColumns(func(c joinColumn) *types.Vector {
		if c.side == fromMark {
			return types.NewBool(m.truth, b.Rows, valid)
		}
		return b.Columns[c.at]
	})))
}

// checkMarks evaluates the mark on candidates. A row is done when it is true, with onlyNull when it is unknown.
func (s *joinProbeState) checkMarks(m *marks, all *candidates, withKeys, onlyNull bool) error {
	pool := s.worker.pool
	done := m.truth
	if onlyNull {
		done = m.unknown
	}
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
		if err := s.checkPairs(m, probe[:n], build[:n], pass, withKeys); err != nil {
			return err
		}
		pool.Release(mark)
		if done.Get(int(all.row)) {
			all.at = 0
		}
	}
	for i := range m.unknown {
		m.unknown[i] &^= m.truth[i]
	}
	return nil
}

// checkPairs evaluates the mark on the pairs that pass.
func (s *joinProbeState) checkPairs(m *marks, probe, build []uint32, pass types.Bitmap, withKeys bool) error {
	n, env := len(probe), &kernels.Env{Pool: s.worker.pool}
	result := types.NewConstant(expr.NewBool(true).Value, n)
	if withKeys {
		for i, k := range s.join.mark.keys {
			left := kernels.Take(env, m.keys[i], probe, nil)
			right := kernels.Take(env, s.table.columns[k.build], build, nil)
			equal, err := kernels.Compare(env, kernels.Equal, left, right)
			if k.nullSafe {
				equal, err = kernels.IsNotDistinct(env, left, right)
			}
			if err != nil {
				return err
			}
			if result, err = kernels.And(env, result, equal); err != nil {
				return err
			}
		}
	}
	if s.mark != nil {
		// The condition counts, and may raise, only where the keys do not decide already.
		open := types.AndBitmaps(env.Pool, pass, kernels.TrueRows(env, kernels.IsNotFalse(env, result)), n)
		if b := s.pairBatch(s.join.mark.condition, probe, build, open); b.Selected > 0 {
			values, err := s.mark.Eval(nil, b)
			if err != nil {
				return err
			}
			if result, err = kernels.And(env, result, values[0]); err != nil {
				return err
			}
			pass = types.AndBitmaps(env.Pool, pass, open, n)
		}
	}
	result = kernels.Decode(env, result)
	truth, valid := result.Bools(), result.Validity()
	for i := pass.NextSet(0, n); i < n; i = pass.NextSet(i+1, n) {
		switch row := int(probe[i]); {
		case !valid.Has(i):
			m.unknown.Set(row)
		case truth.Get(i):
			m.truth.Set(row)
		}
	}
	return nil
}

// findUnknown finds the rows that are not true whose mark is NULL because of a NULL in a key.
func (s *joinProbeState) findUnknown(m *marks) error {
	j, b, t, pool := s.join, s.batch, s.table, s.worker.pool
	valid := b.Selection
	for i, k := range j.mark.keys {
		if !k.nullSafe {
			valid = types.AndBitmaps(pool, valid, types.LogicalValidity(pool, m.keys[i]), b.Rows)
		}
	}
	// Rows without a NULL of their own meet the build rows with one, the others all rows.
	open := types.AndNotBitmaps(pool, b.Selection, m.truth, b.Rows)
	open = types.AndNotBitmaps(pool, open, m.unknown, b.Rows)
	whole := types.AndBitmaps(pool, open, valid, b.Rows)
	withNull := types.AndNotBitmaps(pool, open, whole, b.Rows)
	if len(j.mark.keys) == 1 && s.condition == nil && s.mark == nil {
		for i := range m.unknown {
			m.unknown[i] |= withNull[i]
			if t.nullHead != 0 {
				m.unknown[i] |= whole[i]
			}
		}
		return nil
	}
	env := &kernels.Env{Pool: pool}
	check := func(rows types.Bitmap, head uint32, all candidates) error {
		if all.rows = kernels.Indices(env, rows, b.Rows); len(all.rows) == 0 {
			return nil
		}
		all.heads = types.Alloc[uint32](pool, b.Rows)
		for i := range all.heads {
			all.heads[i] = head
		}
		return s.checkMarks(m, &all, true, true)
	}
	if t.nullHead != 0 {
		if err := check(whole, t.nullHead, candidates{next: t.nullNext}); err != nil {
			return err
		}
	}
	return check(withNull, 1, candidates{last: uint32(t.rows)})
}
