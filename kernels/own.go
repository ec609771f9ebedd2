package kernels

import (
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// Own gives a copy of a vector in memory of its own, without what its rows do not show: for whoever keeps rows longer than
// the batch that they came in. Encodings stay, but for dictionaries of more entries than rows.
func Own(v *types.Vector) *types.Vector {
	switch v.Encoding() {
	case types.Constant:
		if v.Len() == 0 || v.Type().Kind() == types.KindNull || !v.Validity().Has(0) {
			return types.NewNull(v.Type(), v.Len())
		}
		return types.NewConstant(Own(v.First()), v.Len())
	case types.Dictionary:
		if v.Entries().Len() > v.Len() {
			return Own(Decode(&Env{}, v))
		}
		return types.NewDictionary(copied(v.Keys(), v.Len()), Own(v.Entries()), ownValidity(v))
	case types.RunEnd:
		ends := v.RunEnds()
		return types.NewRunEnd(copied(ends, len(ends)), Own(v.RunValues()))
	}
	n, t, valid := v.Len(), v.Type(), ownValidity(v)
	switch s := t.Storage(); s {
	case types.StorageNull:
		return types.NewNull(t, n)
	case types.StorageBool:
		return types.NewBool(copied(v.Bools(), types.BitmapWords(n)), n, valid)
	case types.StorageView:
		b := NewViewBuilder(&Env{}, t, n)
		views, buffers := types.ValuesOf[types.View](v), v.DataBuffers()
		for i := range n {
			if valid.Has(i) {
				b.Append(views[i].Bytes(buffers))
			} else {
				b.AppendEmpty()
			}
		}
		return b.Finish(valid)
	case types.StorageList:
		return ownList(v, valid)
	case types.StorageArray:
		return types.NewArray(t, n, Own(v.Children()[0]), valid)
	case types.StorageStruct:
		children := make([]*types.Vector, len(v.Children()))
		for i, c := range v.Children() {
			children[i] = Own(c)
		}
		return types.NewStruct(t, n, children, valid)
	case types.StorageUnion:
		return ownUnion(v, valid)
	default:
		return ownFixed(v, s.Width(), valid)
	}
}

func copied[T types.Fixed](values []T, n int) []T {
	dst := types.Alloc[T](nil, n)
	copy(dst, values)
	return dst
}

// ownValidity copies a physical validity; nil when no row is null.
func ownValidity(v *types.Vector) types.Bitmap {
	valid := v.Validity()
	if valid == nil || valid.Count(v.Len()) == v.Len() {
		return nil
	}
	return copied(valid, types.BitmapWords(v.Len()))
}

func ownFixed(v *types.Vector, width int, valid types.Bitmap) *types.Vector {
	n, t := v.Len(), v.Type()
	switch width {
	case 1:
		return types.NewFixed(t, copied(types.ValuesOf[uint8](v), n), valid)
	case 2:
		return types.NewFixed(t, copied(types.ValuesOf[uint16](v), n), valid)
	case 4:
		return types.NewFixed(t, copied(types.ValuesOf[uint32](v), n), valid)
	case 8:
		return types.NewFixed(t, copied(types.ValuesOf[uint64](v), n), valid)
	case 16:
		return types.NewFixed(t, copied(types.ValuesOf[types.Int128](v), n), valid)
	case 32:
		return types.NewFixed(t, copied(types.ValuesOf[types.Int256](v), n), valid)
	}
	panic(fmt.Sprintf("kernels: no copy of %s", t))
}

// ownList copies the elements in use, one list after another.
func ownList(v *types.Vector, valid types.Bitmap) *types.Vector {
	entries := copied(types.ValuesOf[types.ListEntry](v), v.Len())
	var used []uint32
	for i := range entries {
		e := &entries[i]
		if !valid.Has(i) {
			*e = types.ListEntry{}
		}
		start := len(used)
		for j := range e.Length {
			used = append(used, uint32(e.Offset+j))
		}
		e.Offset = int64(start)
	}
	return types.NewList(v.Type(), entries, Own(takenRows(v.Children()[0], used)), valid)
}

// ownUnion copies the rows of a dense union's children that are in use, or a sparse union's children.
func ownUnion(v *types.Vector, valid types.Bitmap) *types.Vector {
	codes, offsets := copied(v.TypeCodes(), v.Len()), v.UnionOffsets()
	children := make([]*types.Vector, len(v.Children()))
	if offsets == nil {
		for i, c := range v.Children() {
			children[i] = Own(c)
		}
		return types.NewUnion(v.Type(), codes, nil, children, valid)
	}
	offsets = copied(offsets, v.Len())
	used := map[int8][]uint32{}
	for i, code := range codes {
		used[code] = append(used[code], uint32(offsets[i]))
		offsets[i] = int32(len(used[code]) - 1)
	}
	for i, code := range v.Type().Codes() {
		children[i] = Own(takenRows(v.Children()[i], used[code]))
	}
	return types.NewUnion(v.Type(), codes, offsets, children, valid)
}

// takenRows gives rows of a vector.
func takenRows(v *types.Vector, rows []uint32) *types.Vector {
	if len(rows) == 0 {
		return v.Slice(nil, 0, 0)
	}
	return Take(&Env{}, v, rows, nil)
}
