package exec

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// kept is a batch that outlives its push: every row counts, and its memory is not the pool's. Its size in bytes is charged to an
// operator.
type kept struct {
	batch *types.Batch
	size  int64
}

// compact gives a batch without its selection: the rows that count, in pool memory.
func (w *worker) compact(b *types.Batch) *types.Batch {
	if b.Selection == nil {
		return b
	}
	env := &kernels.Env{Pool: w.pool}
	columns := make([]*types.Vector, len(b.Columns))
	for i, v := range b.Columns {
		columns[i] = kernels.Filter(env, v, b.Selection, b.Selected)
	}
	return types.NewBatch(columns, b.Selected, b.Sequence)
}

// keep gives the rows of a batch that count as one that outlives the push, and charges it to an operator. For batches that soon go on to the caller:
// strings stay where they are.
func (w *worker) keep(b *types.Batch, memory *account) (kept, error) {
	b = w.compact(b)
	k := kept{batch: b, size: columnsSize(b.Columns) + w.entriesSize(b.Columns)}
	if err := memory.Grow(k.size); err != nil {
		return kept{}, err
	}
	for _, v := range b.Columns {
		w.pool.Adopt(v)
	}
	return k, nil
}

// store is keep for batches that stay until the end of the stage. Strings that are a small part of the buffers they lie in are copied, or a few rows of
// each batch would hold all the memory of the source.
func (w *worker) store(b *types.Batch, memory *account) (kept, error) {
	b = w.compact(b)
	env := &kernels.Env{Pool: w.pool}
	columns := make([]*types.Vector, len(b.Columns))
	for i, v := range b.Columns {
		columns[i] = v
		if wastesText(v) {
			columns[i] = ownText(env, v)
		}
	}
	return w.keep(b.WithColumns(columns), memory)
}

// entriesSize gives the size of the dictionaries that a batch has and the worker's last one had not: the entries of a dictionary are usually shared by
// many batches, and are charged with the first.
func (w *worker) entriesSize(columns []*types.Vector) int64 {
	size := int64(0)
	for i, v := range columns {
		if v.Encoding() != types.Dictionary {
			continue
		}
		for len(w.entries) <= i {
			w.entries = append(w.entries, nil)
		}
		if entries := v.Entries(); w.entries[i] != entries {
			w.entries[i] = entries
			size += vectorSize(entries)
		}
	}
	return size
}

// vectorSize gives the bytes that keeping a vector costs, without the entries of a dictionary. What vectors share counts by the part in use: of data
// buffers the viewed bytes, of a list's child the share of its rows.
func vectorSize(v *types.Vector) int64 {
	size := int64(len(v.Data().Bytes)) + int64(len(v.Validity()))*8
	if v.Encoding() == types.Dictionary {
		return size
	}
	if v.Encoding() == types.RunEnd {
		return size + vectorSize(v.RunValues())
	}
	children := v.Children()
	switch v.Type().Storage() {
	case types.StorageView:
		return size + viewedBytes(v)
	case types.StorageList:
		rows := int64(0)
		for _, e := range types.ValuesOf[types.ListEntry](v) {
			rows += e.Length
		}
		return size + sharedSize(children, rows)
	case types.StorageUnion:
		if offsets := v.UnionOffsets(); offsets != nil {
			return size + int64(len(offsets))*4 + sharedSize(children, int64(len(offsets)))
		}
	}
	for _, c := range children {
		size += vectorSize(c)
	}
	return size
}

// sharedSize gives the part of vectors' memory that belongs to so many of all their rows. It does not look at the rows: a child is often shared by many
// batches.
func sharedSize(children []*types.Vector, rows int64) int64 {
	all, size := int64(0), int64(0)
	for _, c := range children {
		all += int64(c.Len())
		size += int64(c.MemorySize())
	}
	if rows >= all {
		return size
	}
	return int64(float64(size) * float64(rows) / float64(all))
}

// viewedBytes gives the length of the strings of a plain or constant vector that lie in its data buffers.
func viewedBytes(v *types.Vector) int64 {
	size := int64(0)
	for _, view := range types.ValuesOf[types.View](v) {
		if !view.IsInline() {
			size += int64(view.Len())
		}
	}
	return size
}

func columnsSize(columns []*types.Vector) int64 {
	size := int64(0)
	for _, v := range columns {
		size += vectorSize(v)
	}
	return size
}

// wastesText reports whether a string vector views less than half of the data buffers that would live on with it. Buffers of a caller's Arrow
// arrays live anyway.
func wastesText(v *types.Vector) bool {
	if v.Encoding() > types.Constant || v.Type().Storage() != types.StorageView {
		return false
	}
	size := int64(0)
	for _, b := range v.DataBuffers() {
		if b.Owner == nil {
			size += int64(len(b.Bytes))
		}
	}
	return size > 0 && viewedBytes(v) < size/2
}

// ownText gives a vector in which all strings, at any depth of lists, arrays and structs, lie in buffers of their own, without bytes that no row
// shows. Constants, dictionaries and unions stay as they are.
func ownText(env *kernels.Env, v *types.Vector) *types.Vector {
	switch v.Encoding() {
	case types.RunEnd:
		return types.NewRunEnd(v.RunEnds(), ownText(env, v.RunValues()))
	case types.Constant, types.Dictionary:
		return v
	}
	children := v.Children()
	switch v.Type().Storage() {
	case types.StorageView:
		if len(v.DataBuffers()) == 0 {
			return v
		}
		b := kernels.NewViewBuilder(env, v.Type(), v.Len())
		views, buffers, valid := types.ValuesOf[types.View](v), v.DataBuffers(), v.Validity()
		for i := range views {
			if valid.Has(i) {
				b.Append(views[i].Bytes(buffers))
			} else {
				b.AppendEmpty()
			}
		}
		return b.Finish(valid)
	case types.StorageList:
		return types.NewList(v.Type(), types.ValuesOf[types.ListEntry](v), ownText(env, children[0]), v.Validity())
	case types.StorageArray:
		return types.NewArray(v.Type(), v.Len(), ownText(env, children[0]), v.Validity())
	case types.StorageStruct:
		own := make([]*types.Vector, len(children))
		for i, c := range children {
			own[i] = ownText(env, c)
		}
		return types.NewStruct(v.Type(), v.Len(), own, v.Validity())
	}
	return v
}
