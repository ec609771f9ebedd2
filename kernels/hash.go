package kernels

import (
	"math"
	"unsafe"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Hashes agree with IsNotDistinct: rows that are not distinct have one hash, whatever their encoding, slice or batch. They stay
// the same within a process and release, not beyond.

// Hash writes the hash of each row of v to dst, which is as long as v.
func Hash(env *Env, v *types.Vector, dst []uint64) {
	if env.floats() == FloatsTotalOrder {
		v = totalOrdered(env, v)
	}
	dst = dst[:v.Len()]
	switch v.Encoding() {
	case types.Constant:
		var h [1]uint64
		Hash(env, firstRow(env, v), h[:])
		for i := range dst {
			dst[i] = h[0]
		}
		return
	case types.Dictionary:
		entries := v.Entries()
		if entries.Len() > v.Len() {
			break
		}
		hashes := types.Alloc[uint64](env.pool(), entries.Len())
		Hash(env, entries, hashes)
		for i, k := range v.Keys() {
			dst[i] = hashes[k]
		}
		asm.HashNulls(dst, v.Validity())
		return
	case types.RunEnd:
		hashes := types.Alloc[uint64](env.pool(), v.RunValues().Len())
		Hash(env, v.RunValues(), hashes)
		start := 0
		for r, end := range v.RunEnds() {
			for i := start; i < int(end); i++ {
				dst[i] = hashes[r]
			}
			start = int(end)
		}
		return
	}
	hashPlain(env, Decode(env, v), dst)
}

// HashCombine mixes the hash of each row of v into dst, whose hashes are of the columns before it.
func HashCombine(env *Env, v *types.Vector, dst []uint64) {
	hashes := types.Alloc[uint64](env.pool(), v.Len())
	Hash(env, v, hashes)
	asm.HashCombine(dst[:len(hashes)], hashes)
}

// combineHash mixes b into a; the order matters.
func combineHash(a, b uint64) uint64 {
	h := [1]uint64{a}
	asm.HashCombine(h[:], []uint64{b})
	return h[0]
}

func hashPlain(env *Env, v *types.Vector, dst []uint64) {
	switch v.Type().Storage() {
	case types.StorageNull:
		for i := range dst {
			dst[i] = asm.NullHash
		}
		return
	case types.StorageBool:
		var hashes [2]uint64
		asm.Hash(hashes[:], []uint8{0, 1}, asm.HashSeed)
		values := v.Bools()
		for i := range dst {
			dst[i] = hashes[bit(values.Get(i))]
		}
	case types.StorageInt8:
		hashNumbers[int8](dst, v)
	case types.StorageInt16:
		hashNumbers[int16](dst, v)
	case types.StorageInt32:
		hashNumbers[int32](dst, v)
	case types.StorageInt64:
		hashNumbers[int64](dst, v)
	case types.StorageUint8:
		hashNumbers[uint8](dst, v)
	case types.StorageUint16:
		hashNumbers[uint16](dst, v)
	case types.StorageUint32:
		hashNumbers[uint32](dst, v)
	case types.StorageUint64:
		hashNumbers[uint64](dst, v)
	case types.StorageFloat16:
		hashNumbers[float32](dst, halvesToFloats(env, v))
	case types.StorageFloat32:
		hashNumbers[float32](dst, v)
	case types.StorageFloat64:
		hashNumbers[float64](dst, v)
	case types.StorageInt128:
		hashPairs(dst, v)
	case types.StorageInterval:
		hashPairs(dst, intervalLengths(env, v))
	case types.StorageInt256:
		values := types.ValuesOf[int256](v)
		for i := range dst {
			dst[i] = asm.HashBytes(types.Bytes(values[i:i+1]), asm.HashSeed)
		}
	case types.StorageView:
		hashViews(dst, v)
	case types.StorageList:
		hashLists(env, v, dst)
	case types.StorageArray:
		hashArrays(env, v, dst)
	case types.StorageStruct:
		hashStructs(env, v, dst)
	case types.StorageUnion:
		hashUnions(env, v, dst)
	}
	asm.HashNulls(dst, v.Validity())
}

func hashNumbers[T interface {
	types.Fixed
	asm.Number
}](dst []uint64, v *types.Vector) {
	asm.Hash(dst, types.ValuesOf[T](v)[:len(dst)], asm.HashSeed)
}

// hashPairs hashes 16-byte values by their bits.
func hashPairs(dst []uint64, v *types.Vector) {
	words := types.ValuesOf[uint64](v)
	asm.Hash128(dst, unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(words))), len(dst)), asm.HashSeed)
}

// hashViews hashes short strings as the two words that they are, and long ones by their bytes. Views under nulls are not followed.
func hashViews(dst []uint64, v *types.Vector) {
	hashPairs(dst, v)
	views, buffers, valid := types.ValuesOf[types.View](v), v.DataBuffers(), v.Validity()
	for i := range dst {
		if x := &views[i]; !x.IsInline() && valid.Has(i) {
			dst[i] = asm.HashBytes(x.Bytes(buffers), asm.HashSeed)
		}
	}
}

func hashStructs(env *Env, v *types.Vector, dst []uint64) {
	if v.Type().Kind() == types.KindTimestampOffset {
		Hash(env, v.Children()[0], dst)
		return
	}
	for i := range dst {
		dst[i] = asm.HashSeed
	}
	for _, child := range v.Children() {
		HashCombine(env, child, dst)
	}
}

// hashLists hashes the elements that rows refer to and folds them by row.
func hashLists(env *Env, v *types.Vector, dst []uint64) {
	entries, valid := types.ValuesOf[types.ListEntry](v), v.Validity()
	child, entries := listElements(env, v.Children()[0], entries[:len(dst)], valid)
	hashes := types.Alloc[uint64](env.pool(), child.Len())
	Hash(env, child, hashes)
	for i := range dst {
		if valid.Has(i) {
			dst[i] = foldHashes(hashes[entries[i].Offset:][:entries[i].Length])
		}
	}
}

func hashArrays(env *Env, v *types.Vector, dst []uint64) {
	child, width := v.Children()[0], v.Type().Width()
	hashes := types.Alloc[uint64](env.pool(), child.Len())
	Hash(env, child, hashes)
	for i := range dst {
		dst[i] = foldHashes(hashes[i*width:][:width])
	}
}

// foldHashes gives one hash for the length and the elements in order.
func foldHashes(hashes []uint64) uint64 {
	h := hashIndex(len(hashes))
	for _, x := range hashes {
		h = combineHash(h, x)
	}
	return h
}

// hashIndex hashes a small number.
func hashIndex(x int) uint64 {
	var h [1]uint64
	asm.Hash(h[:], []uint64{uint64(x)}, asm.HashSeed)
	return h[0]
}

// hashUnions mixes the variant's place in the declaration with the value's hash.
func hashUnions(env *Env, v *types.Vector, dst []uint64) {
	children := make([][]uint64, len(v.Children()))
	for k, child := range v.Children() {
		children[k] = types.Alloc[uint64](env.pool(), child.Len())
		Hash(env, child, children[k])
	}
	variants := make([]uint64, len(children))
	for k := range variants {
		variants[k] = hashIndex(k)
	}
	index, offsets, valid := variantIndex(v.Type()), v.UnionOffsets(), v.Validity()
	for i, code := range v.TypeCodes()[:len(dst)] {
		if !valid.Has(i) {
			continue
		}
		k, row := index[code], i
		if offsets != nil {
			row = int(offsets[i])
		}
		dst[i] = combineHash(variants[k], children[k][row])
	}
}

// listElements gives the part of a list's child that valid rows refer to, and the entries counted from its start: the child
// itself or a slice where most of it is in use, else the used elements copied together.
func listElements(env *Env, child *types.Vector, entries []types.ListEntry, valid types.Bitmap) (*types.Vector, []types.ListEntry) {
	pool, n := env.pool(), len(entries)
	lo, hi, used := int64(math.MaxInt64), int64(0), int64(0)
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		if e := entries[i]; e.Length > 0 {
			lo, hi, used = min(lo, e.Offset), max(hi, e.Offset+e.Length), used+e.Length
		}
	}
	if used == 0 {
		lo, hi = 0, 0
	}
	moved := types.Alloc[types.ListEntry](pool, n)
	clear(moved)
	if used >= (hi-lo)/2 {
		for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
			if e := entries[i]; e.Length > 0 {
				moved[i] = types.ListEntry{Offset: e.Offset - lo, Length: e.Length}
			}
		}
		return child.Slice(pool, int(lo), int(hi)), moved
	}
	indices := types.Alloc[uint32](pool, int(used))[:0]
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		e := entries[i]
		moved[i] = types.ListEntry{Offset: int64(len(indices)), Length: e.Length}
		for k := range e.Length {
			indices = append(indices, uint32(e.Offset+k))
		}
	}
	return Take(env, child, indices, nil), moved
}
