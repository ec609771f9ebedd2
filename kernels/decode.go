package kernels

import (
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Decode gives the same rows in the Plain encoding. Plain vectors are returned as they are; children keep their encodings.
func Decode(env *Env, v *types.Vector) *types.Vector {
	if v.Encoding() != types.Plain && v.Type().Kind() == types.KindNull {
		return plainNulls(v.Len())
	}
	switch v.Encoding() {
	case types.Constant:
		return decodeConstant(env, v)
	case types.Dictionary:
		return takeInRange(env, Decode(env, v.Entries()), v.Keys(), v.Validity())
	case types.RunEnd:
		return decodeRuns(env, v)
	}
	return v
}

// plainNulls gives a plain vector of type NULL, which has no buffers.
func plainNulls(n int) *types.Vector { return types.NewStruct(types.Null, n, nil, nil) }

// decodeConstant repeats the value of a constant in every row.
func decodeConstant(env *Env, v *types.Vector) *types.Vector {
	n, pool := v.Len(), env.pool()
	valid := types.LogicalValidity(pool, v)
	switch s := v.Type().Storage(); s {
	case types.StorageBool:
		dst := pool.ZeroBitmap(n)
		if v.Bools().Get(0) {
			types.FillBitmap(dst, n)
		}
		return types.NewBool(dst, n, valid)
	case types.StorageArray, types.StorageStruct, types.StorageUnion:
		zeros := types.Alloc[uint32](pool, n)
		clear(zeros)
		// Without its null, which would be gathered bit by bit.
		return takePlain(env, v.First().WithValidity(nil), zeros, nil).WithValidity(valid)
	default:
		switch s.Width() {
		case 1:
			return withRows(v, repeatValue(pool, types.ValuesOf[uint8](v), n), valid)
		case 2:
			return withRows(v, repeatValue(pool, types.ValuesOf[uint16](v), n), valid)
		case 4:
			return withRows(v, repeatValue(pool, types.ValuesOf[uint32](v), n), valid)
		case 8:
			return withRows(v, repeatValue(pool, types.ValuesOf[uint64](v), n), valid)
		case 16:
			return withRows(v, repeatValue(pool, types.ValuesOf[types.Int128](v), n), valid)
		default:
			return withRows(v, repeatValue(pool, types.ValuesOf[types.Int256](v), n), valid)
		}
	}
}

// repeatValue gives n copies of the first value.
func repeatValue[T types.Fixed](pool *types.Pool, value []T, n int) []T {
	dst := types.Alloc[T](pool, n)
	for i, x := 0, value[0]; i < n; i++ {
		dst[i] = x
	}
	return dst
}

// decodeRuns writes the value of each run into the run's rows.
func decodeRuns(env *Env, v *types.Vector) *types.Vector {
	n, pool, ends := v.Len(), env.pool(), v.RunEnds()
	values := Decode(env, v.RunValues())
	switch s := v.Type().Storage(); s {
	case types.StorageArray, types.StorageStruct, types.StorageUnion:
		runs := types.Alloc[uint32](pool, n)
		start := 0
		for r, end := range ends {
			for i := start; i < int(end); i++ {
				runs[i] = uint32(r)
			}
			start = int(end)
		}
		return takePlain(env, values, runs, nil)
	case types.StorageBool:
		valid := types.LogicalValidity(pool, v)
		return types.NewBool(expandBits(pool, values.Bools(), ends, n), n, valid)
	default:
		valid := types.LogicalValidity(pool, v)
		switch s.Width() {
		case 1:
			return withRows(values, expandRuns(pool, types.ValuesOf[uint8](values), ends, n), valid)
		case 2:
			return withRows(values, expandRuns(pool, types.ValuesOf[uint16](values), ends, n), valid)
		case 4:
			return withRows(values, expandRuns(pool, types.ValuesOf[uint32](values), ends, n), valid)
		case 8:
			return withRows(values, expandRuns(pool, types.ValuesOf[uint64](values), ends, n), valid)
		case 16:
			return withRows(values, expandRuns(pool, types.ValuesOf[types.Int128](values), ends, n), valid)
		default:
			return withRows(values, expandRuns(pool, types.ValuesOf[types.Int256](values), ends, n), valid)
		}
	}
}

// expandRuns repeats each value up to its run end.
func expandRuns[T types.Fixed](pool *types.Pool, values []T, ends []int32, n int) []T {
	dst := types.Alloc[T](pool, n)
	asm.ExpandRuns(dst, values, ends)
	return dst
}

// expandBits repeats each bit up to its run end.
func expandBits(pool *types.Pool, values types.Bitmap, ends []int32, n int) types.Bitmap {
	dst := pool.ZeroBitmap(n)
	start := 0
	for r, end := range ends {
		if values.Get(r) {
			setBits(dst, start, int(end))
		}
		start = int(end)
	}
	return dst
}

// withRows gives a plain vector of v's type over v's data buffers or child, with other views, list entries or fixed-width values.
func withRows[T types.Fixed](v *types.Vector, rows []T, valid types.Bitmap) *types.Vector {
	switch v.Type().Storage() {
	case types.StorageView:
		return types.NewViews(v.Type(), types.Values[types.View](types.Bytes(rows)), v.DataBuffers(), valid)
	case types.StorageList:
		return types.NewList(v.Type(), types.Values[types.ListEntry](types.Bytes(rows)), v.Children()[0], valid)
	}
	return types.NewFixed(v.Type(), rows, valid)
}
