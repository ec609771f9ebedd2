package catalog

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// RowBuffer collects rows until there are enough for what a format writes at a time. The zero value is empty. Not safe for concurrent use.
type RowBuffer struct {
	batches []*types.Batch
	rows    int64
}

// Add copies the selected rows of a batch, which stays the caller's.
func (r *RowBuffer) Add(batch *types.Batch) {
	env := &kernels.Env{Rows: batch.Rows}
	kept := types.NewBatch(make([]*types.Vector, len(batch.Columns)), batch.Selected, 0)
	for i, v := range batch.Columns {
		if batch.Selection != nil {
			v = kernels.Filter(env, v, batch.Selection, batch.Selected)
		}
		kept.Columns[i] = kernels.Own(v)
	}
	if kept.Rows > 0 {
		r.batches = append(r.batches, kept)
		r.rows += int64(kept.Rows)
	}
}

// Rows gives the number of rows that wait.
func (r *RowBuffer) Rows() int64 { return r.rows }

// Bytes gives the memory of the rows that wait. It is counted, not kept: what Take leaves of a batch holds on to buffers of it.
func (r *RowBuffer) Bytes() int64 {
	n := 0
	for _, b := range r.batches {
		for _, v := range b.Columns {
			n += v.MemorySize()
		}
	}
	return int64(n)
}

// Take removes the first rows, at least one and no more than wait, and gives them as one batch in memory of its own.
func (r *RowBuffer) Take(rows int64) *types.Batch {
	columns := make([][]*types.Vector, len(r.batches[0].Columns))
	for taken := int64(0); taken < rows; {
		b := r.batches[0]
		n := min(int64(b.Rows), rows-taken)
		rest := types.NewBatch(make([]*types.Vector, len(b.Columns)), b.Rows-int(n), 0)
		for i, v := range b.Columns {
			columns[i] = append(columns[i], v.Slice(nil, 0, int(n)))
			rest.Columns[i] = v.Slice(nil, int(n), b.Rows)
		}
		taken += n
		if r.batches[0] = rest; rest.Rows == 0 {
			r.batches = r.batches[1:]
		}
	}
	r.rows -= rows
	whole := types.NewBatch(make([]*types.Vector, len(columns)), int(rows), 0)
	for i, vectors := range columns {
		whole.Columns[i] = kernels.Concat(&kernels.Env{}, vectors)
	}
	return whole
}
