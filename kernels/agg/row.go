package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// rowStore keeps one row of any type for each group. Rows are copied out of the batches into chunks; rows that were replaced
// stay in their chunk until more than half of all rows are such, when those in use are moved into one new chunk.
type rowStore struct {
	typ    types.Type
	chunks []*types.Vector
	places []place // by group
	rows   int     // in all chunks
	bytes  int64   // likewise
}

// size gives the bytes that the store holds.
func (s *rowStore) size() int64 { return s.bytes + sizeOf(s.places) }

// place is a row of a chunk; chunks count from 1, so that the zero place means none.
type place struct{ chunk, row uint32 }

const minStoredRows = 4096 // below this, moving rows is not worth it

func (s *rowStore) resize(n int) { s.places = grow(s.places, n) }

func (s *rowStore) has(group uint32) bool { return s.places[group].chunk != 0 }

// at gives the chunk and row that a group keeps.
func (s *rowStore) at(group uint32) (*types.Vector, int) {
	p := s.places[group]
	return s.chunks[p.chunk-1], int(p.row)
}

// put makes groups[i] keep row rows[i] of a vector.
func (s *rowStore) put(v *types.Vector, groups, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	chunk := ownRows(v, rows)
	s.chunks = append(s.chunks, chunk)
	s.bytes += int64(chunk.MemorySize())
	for i, g := range groups {
		s.places[g] = place{chunk: uint32(len(s.chunks)), row: uint32(i)}
	}
	s.rows += len(rows)
	if s.rows > 2*len(s.places)+minStoredRows {
		s.compact()
	}
}

// compact moves the rows in use into one chunk.
func (s *rowStore) compact() {
	all := kernels.Concat(nil, s.chunks)
	starts := make([]uint32, len(s.chunks))
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + uint32(s.chunks[i-1].Len())
	}
	var rows []uint32
	for g := range s.places {
		if p := &s.places[g]; p.chunk != 0 {
			rows = append(rows, starts[p.chunk-1]+p.row)
			*p = place{chunk: 1, row: uint32(len(rows) - 1)}
		}
	}
	s.chunks, s.rows = []*types.Vector{ownRows(all, rows)}, len(rows)
	s.bytes = int64(s.chunks[0].MemorySize())
}

// vector gives the rows of groups from to to; null for groups without one.
func (s *rowStore) vector(env *kernels.Env, from, to int) *types.Vector {
	if len(s.chunks) == 0 {
		return types.NewNull(s.typ, to-from)
	}
	if len(s.chunks) > 1 {
		s.compact()
	}
	indices := types.Alloc[uint32](poolOf(env), to-from)
	for i := range indices {
		indices[i] = s.places[from+i].row
	}
	valid := validGroups(poolOf(env), from, to, func(g int) bool { return s.has(uint32(g)) })
	return kernels.Take(env, s.chunks[0], indices, valid)
}

// ownRows copies rows of a vector into memory of their own.
func ownRows(v *types.Vector, rows []uint32) *types.Vector {
	return detach(kernels.Decode(nil, kernels.Take(nil, v, rows, nil)))
}

// detach gives a plain vector's rows without the memory of others: Take has copied what lies in rows, but shares the bytes of
// strings and the elements of lists.
func detach(v *types.Vector) *types.Vector {
	n := v.Len()
	switch v.Type().Storage() {
	case types.StorageView:
		var a arena
		views := make([]types.View, n)
		for i := v.Validity().NextSet(0, n); i < n; i = v.Validity().NextSet(i+1, n) {
			views[i] = a.put(types.ValuesOf[types.View](v)[i].Bytes(v.DataBuffers()))
		}
		return types.NewViews(v.Type(), views, a.chunks, v.Validity())
	case types.StorageList:
		entries := make([]types.ListEntry, n)
		var elements []uint32
		for i := v.Validity().NextSet(0, n); i < n; i = v.Validity().NextSet(i+1, n) {
			e := types.ValuesOf[types.ListEntry](v)[i]
			entries[i] = types.ListEntry{Offset: int64(len(elements)), Length: e.Length}
			for k := range e.Length {
				elements = append(elements, uint32(e.Offset+k))
			}
		}
		return types.NewList(v.Type(), entries, ownRows(v.Children()[0], elements), v.Validity())
	case types.StorageArray:
		return types.NewArray(v.Type(), n, detachChildren(v)[0], v.Validity())
	case types.StorageStruct:
		return types.NewStruct(v.Type(), n, detachChildren(v), v.Validity())
	case types.StorageUnion:
		return types.NewUnion(v.Type(), v.TypeCodes(), v.UnionOffsets(), detachChildren(v), v.Validity())
	}
	return v
}

func detachChildren(v *types.Vector) []*types.Vector {
	children := make([]*types.Vector, len(v.Children()))
	for i, c := range v.Children() {
		children[i] = detach(kernels.Decode(nil, c))
	}
	return children
}

// rowExtremes holds the smallest or greatest row of types that only compare row by row: nested ones, HALF and TIMESTAMP WITH
// OFFSET. The order is that of ORDER BY, in which a null inside a value is the greatest.
type rowExtremes struct {
	max bool
	rowStore
	winner []uint32 // by group: 1 + the batch's row that is the best so far, or 0
}

func newRowExtremes(t types.Type, max bool) *rowExtremes {
	return &rowExtremes{max: max, rowStore: rowStore{typ: t}}
}

func (e *rowExtremes) Resize(n int) error {
	e.resize(n)
	e.winner = grow(e.winner, n)
	return nil
}

func (e *rowExtremes) Size() int64 { return e.size() + sizeOf(e.winner) }

func (e *rowExtremes) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	e.contest(env, groups, args[0], activeOf(env), rows)
	return nil
}

// contest lets the rows of a batch that count and are not null compete for their groups. It gives the groups that have got another row, and the row of each.
func (e *rowExtremes) contest(env *kernels.Env, groups []uint32, v *types.Vector, counted types.Bitmap, rows int) (touched, winners []uint32) {
	counted = types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), v), counted, rows)
	challenger, champion := []kernels.SortKey{{Vector: v}}, []kernels.SortKey{{}}
	for i := counted.NextSet(0, rows); i < rows; i = counted.NextSet(i+1, rows) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		best, row := v, int(e.winner[g])-1
		if row < 0 {
			if !e.has(g) {
				e.winner[g] = uint32(i) + 1
				touched = append(touched, g)
				continue
			}
			best, row = e.at(g)
		}
		champion[0].Vector = best
		order := kernels.CompareRows(challenger, i, champion, row)
		if order == 0 || (order > 0) != e.max {
			continue
		}
		if e.winner[g] == 0 {
			touched = append(touched, g)
		}
		e.winner[g] = uint32(i) + 1
	}
	winners = make([]uint32, len(touched))
	for i, g := range touched {
		winners[i] = e.winner[g] - 1
		e.winner[g] = 0
	}
	e.put(v, touched, winners)
	return touched, winners
}

func (e *rowExtremes) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return e.Update(env, groups, columns, columns[0].Len())
}

func (e *rowExtremes) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	return []*types.Vector{e.vector(env, from, to)}, nil
}

func (e *rowExtremes) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return e.vector(env, from, to), nil
}
