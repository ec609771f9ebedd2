package exec

import (
	"context"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// unnest gives a row for each element of lists.
type unnest struct {
	plan    *plan.UnnestRows
	program *expr.Program
}

func newUnnest(p *plan.UnnestRows) *unnest {
	return &unnest{plan: p, program: expr.Compile(p.Exprs...)}
}

func (u *unnest) number() int { return u.plan.Number }

func (u *unnest) newState(w *worker) operatorState {
	return &unnestState{unnest: u, worker: w, evaluator: expr.NewEvaluator(u.program, w.pool)}
}

// unnestState makes batches of elements: the rows that they come from and, per list expression, their places among the elements.
type unnestState struct {
	unnest    *unnest
	worker    *worker
	evaluator *expr.Evaluator

	rows     []uint32 // of the input, by output row
	numbers  []int64  // of the elements, from 1; 0 for a row that Outer gives without one
	elements [][]uint32
	missing  [][]bool // by expression: its list is shorter
}

// listRows is a list expression's value for a batch.
type listRows struct {
	child   *types.Vector
	entries []types.ListEntry // nil for arrays
	width   int64             // of arrays
	valid   types.Bitmap
}

func listRowsOf(env *kernels.Env, v *types.Vector) listRows {
	v = kernels.Decode(env, v)
	if v.Type().Kind() == types.KindNull {
		return listRows{child: v, valid: env.Pool.ZeroBitmap(v.Len())}
	}
	l := listRows{child: v.Children()[0], valid: v.Validity()}
	if v.Type().Storage() == types.StorageArray {
		l.width = int64(v.Type().Width())
	} else {
		l.entries = types.ValuesOf[types.ListEntry](v)
	}
	return l
}

// row gives the elements of a row's list; none of a NULL.
func (l *listRows) row(i int) types.ListEntry {
	switch {
	case !l.valid.Has(i):
		return types.ListEntry{}
	case l.entries == nil:
		return types.ListEntry{Offset: int64(i) * l.width, Length: l.width}
	}
	return l.entries[i]
}

func (s *unnestState) push(b *types.Batch, next func(*types.Batch) error) error {
	values, err := s.evaluator.Eval(nil, b)
	if err != nil {
		return err
	}
	env := &kernels.Env{Pool: s.worker.pool}
	lists := make([]listRows, len(values))
	for i, v := range values {
		lists[i] = listRowsOf(env, v)
	}
	if s.elements == nil {
		s.elements, s.missing = make([][]uint32, len(lists)), make([][]bool, len(lists))
	}
	most := s.worker.query.options.BatchRows
	for row := b.Selection.NextSet(0, b.Rows); row < b.Rows; row = b.Selection.NextSet(row+1, b.Rows) {
		length := int64(0)
		for i := range lists {
			length = max(length, lists[i].row(row).Length)
		}
		if length == 0 && s.unnest.plan.Outer {
			if err := s.add(b, lists, row, -1, 0, most, next); err != nil {
				return err
			}
		}
		for from := int64(0); from < length; {
			to := min(length, from+int64(most-len(s.rows)))
			if err := s.add(b, lists, row, from, to, most, next); err != nil {
				return err
			}
			from = to
		}
	}
	return s.flush(b, lists, next)
}

// add adds the elements from to to of a row, or a row without one for from = -1, and hands a full batch on.
func (s *unnestState) add(b *types.Batch, lists []listRows, row int, from, to int64, most int, next func(*types.Batch) error) error {
	for k := from; k < to; k++ {
		s.rows = append(s.rows, uint32(row))
		s.numbers = append(s.numbers, k+1)
	}
	for i := range lists {
		list := lists[i].row(row)
		for k := from; k < to; k++ {
			inside := k >= 0 && k < list.Length
			at := uint32(0)
			if inside {
				at = uint32(list.Offset + k)
			}
			s.elements[i], s.missing[i] = append(s.elements[i], at), append(s.missing[i], !inside)
		}
	}
	if len(s.rows) < most {
		return nil
	}
	return s.flush(b, lists, next)
}

// flush hands on the rows that have been collected.
func (s *unnestState) flush(b *types.Batch, lists []listRows, next func(*types.Batch) error) error {
	n := len(s.rows)
	if n == 0 {
		return nil
	}
	if err := context.Cause(s.worker.ctx); err != nil {
		return err
	}
	pool := s.worker.pool
	mark := pool.Mark()
	env := &kernels.Env{Pool: pool}
	columns := make([]*types.Vector, 0, len(b.Columns)+len(lists)+1)
	for _, v := range b.Columns {
		columns = append(columns, kernels.Take(env, v, s.rows, nil))
	}
	for i := range lists {
		var valid types.Bitmap
		for r, missing := range s.missing[i] {
			if missing {
				if valid == nil {
					valid = pool.Bitmap(n)
					types.FillBitmap(valid, n)
				}
				valid.Clear(r)
			}
		}
		columns = append(columns, kernels.Take(env, lists[i].child, s.elements[i], valid))
		s.elements[i], s.missing[i] = s.elements[i][:0], s.missing[i][:0]
	}
	if s.unnest.plan.Ordinality {
		columns = append(columns, ordinals(pool, s.numbers))
	}
	s.rows, s.numbers = s.rows[:0], s.numbers[:0]
	if err := next(types.NewBatch(columns, n, b.Sequence)); err != nil {
		return err
	}
	pool.Release(mark)
	return s.worker.chargePool()
}

// ordinals gives the numbers of elements as a BIGINT column; NULL for 0.
func ordinals(pool *types.Pool, numbers []int64) *types.Vector {
	out := types.Alloc[int64](pool, len(numbers))
	copy(out, numbers)
	valid := pool.ZeroBitmap(len(numbers))
	for i, k := range numbers {
		if k > 0 {
			valid.Set(i)
		}
	}
	return types.NewFixed(types.BigInt, out, valid)
}
