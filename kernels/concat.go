package kernels

import "github.com/lacunadb/lacuna/types"

// Concat gives the rows of all vectors, which have one type, one after another. There is at least one vector.
//
// What all of them share stays: one dictionary object, the run-end encoding. Other encodings are decoded. Data buffers of
// strings are shared, of lists the elements in use are copied.
func Concat(env *Env, vectors []*types.Vector) *types.Vector {
	first := vectors[0]
	n, used := 0, vectors[:0:0]
	for _, v := range vectors {
		n += v.Len()
		if v.Len() > 0 {
			used = append(used, v)
		}
	}
	switch {
	case len(used) == 0:
		return first
	case len(used) == 1:
		return used[0]
	case first.Type().Kind() == types.KindNull || allNullConstants(used):
		return types.NewNull(first.Type(), n)
	case oneDictionary(used):
		keys := concatValues(env, used, n, (*types.Vector).Keys)
		return types.NewDictionary(keys, used[0].Entries(), concatValidity(env, used, n))
	case allEncoded(used, types.RunEnd):
		return concatRuns(env, used)
	}
	return concatPlain(env, used, n)
}

func allNullConstants(vectors []*types.Vector) bool {
	for _, v := range vectors {
		if !isNullConstant(v) {
			return false
		}
	}
	return true
}

func allEncoded(vectors []*types.Vector, encoding types.Encoding) bool {
	for _, v := range vectors {
		if v.Encoding() != encoding {
			return false
		}
	}
	return true
}

// oneDictionary reports whether the vectors are dictionaries over the same entries object.
func oneDictionary(vectors []*types.Vector) bool {
	if !allEncoded(vectors, types.Dictionary) {
		return false
	}
	for _, v := range vectors {
		if v.Entries() != vectors[0].Entries() {
			return false
		}
	}
	return true
}

func concatRuns(env *Env, vectors []*types.Vector) *types.Vector {
	values := make([]*types.Vector, len(vectors))
	var ends []int32
	rows := int32(0)
	for i, v := range vectors {
		values[i] = v.RunValues()
		for _, end := range v.RunEnds() {
			ends = append(ends, rows+end)
		}
		rows += int32(v.Len())
	}
	return types.NewRunEnd(ends, Concat(env, values))
}

func concatPlain(env *Env, vectors []*types.Vector, n int) *types.Vector {
	pool, typ := env.pool(), vectors[0].Type()
	plain := make([]*types.Vector, len(vectors))
	for i, v := range vectors {
		plain[i] = Decode(env, v)
	}
	valid := concatValidity(env, plain, n)
	switch s := typ.Storage(); s {
	case types.StorageBool:
		dst := pool.ZeroBitmap(n)
		at := 0
		for _, v := range plain {
			appendBits(dst, at, v.Bools(), v.Len())
			at += v.Len()
		}
		return types.NewBool(dst, n, valid)
	case types.StorageView:
		return concatViews(env, plain, n, valid)
	case types.StorageList:
		return concatLists(env, plain, n, valid)
	case types.StorageArray:
		return types.NewArray(typ, n, concatChild(env, plain, 0), valid)
	case types.StorageStruct:
		return types.NewStruct(typ, n, concatChildren(env, plain), valid)
	case types.StorageUnion:
		return concatUnions(env, plain, n, valid)
	default:
		switch s.Width() {
		case 1:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[uint8]), valid)
		case 2:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[uint16]), valid)
		case 4:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[uint32]), valid)
		case 8:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[uint64]), valid)
		case 16:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[types.Int128]), valid)
		default:
			return types.NewFixed(typ, concatValues(env, plain, n, types.ValuesOf[types.Int256]), valid)
		}
	}
}

func concatValues[T types.Fixed](env *Env, vectors []*types.Vector, n int, values func(*types.Vector) []T) []T {
	dst := types.Alloc[T](env.pool(), n)
	at := 0
	for _, v := range vectors {
		at += copy(dst[at:], values(v)[:v.Len()])
	}
	return dst
}

// concatValidity joins physical validities; nil when no vector has one.
func concatValidity(env *Env, vectors []*types.Vector, n int) types.Bitmap {
	some := false
	for _, v := range vectors {
		some = some || v.Validity() != nil
	}
	if !some {
		return nil
	}
	dst := env.pool().ZeroBitmap(n)
	at := 0
	for _, v := range vectors {
		if valid := v.Validity(); valid != nil {
			appendBits(dst, at, valid, v.Len())
		} else {
			setBits(dst, at, at+v.Len())
		}
		at += v.Len()
	}
	return dst
}

// appendBits copies n bits to place at of a bitmap that is zero from there on.
func appendBits(dst types.Bitmap, at int, src types.Bitmap, n int) {
	words := types.BitmapWords(n)
	if words == 0 {
		return
	}
	w, shift := at>>6, uint(at)&63
	for i, x := range src[:words] {
		if i == words-1 {
			x &= types.LastWordMask(n)
		}
		dst[w+i] |= x << shift
		if high := x >> 1 >> (63 - shift); high != 0 {
			dst[w+i+1] |= high
		}
	}
}

// concatViews joins the lists of data buffers and moves the views' buffer numbers. Views under nulls become empty.
func concatViews(env *Env, vectors []*types.Vector, n int, valid types.Bitmap) *types.Vector {
	dst := types.Alloc[types.View](env.pool(), n)
	var buffers []types.Buffer
	at := 0
	for _, v := range vectors {
		own := v.DataBuffers()
		base := len(buffers)
		if !sameBuffers(buffers, own) {
			buffers = append(buffers, own...)
		} else {
			base = 0
		}
		appendViews(dst[at:at+v.Len()], types.ValuesOf[types.View](v), v.Validity(), base)
		at += v.Len()
	}
	return types.NewViews(vectors[0].Type(), dst, buffers, valid)
}

// sameBuffers reports whether the vector's buffers are the whole list already, as they are for parts of one vector.
func sameBuffers(list, own []types.Buffer) bool {
	if len(list) != len(own) {
		return false
	}
	for i := range own {
		a, b := list[i].Bytes, own[i].Bytes
		if len(a) != len(b) || len(a) > 0 && &a[0] != &b[0] {
			return false
		}
	}
	return true
}

// appendViews copies views whose buffers are numbered from base on now.
func appendViews(dst, src []types.View, valid types.Bitmap, base int) {
	copy(dst, src[:len(dst)])
	for i := range dst {
		switch x := &dst[i]; {
		case x.IsInline():
		case !valid.Has(i):
			*x = types.View{}
		default:
			x.Tail += uint64(base)
		}
	}
}

func concatLists(env *Env, vectors []*types.Vector, n int, valid types.Bitmap) *types.Vector {
	dst := types.Alloc[types.ListEntry](env.pool(), n)
	children := make([]*types.Vector, len(vectors))
	at, base := 0, int64(0)
	for i, v := range vectors {
		child, entries := listElements(env, v.Children()[0], types.ValuesOf[types.ListEntry](v)[:v.Len()], v.Validity())
		for k, e := range entries {
			if e.Length > 0 {
				e.Offset += base
			}
			dst[at+k] = e
		}
		children[i] = child
		at += v.Len()
		base += int64(child.Len())
	}
	return types.NewList(vectors[0].Type(), dst, Concat(env, children), valid)
}

// concatChild joins child number k of plain vectors.
func concatChild(env *Env, vectors []*types.Vector, k int) *types.Vector {
	children := make([]*types.Vector, len(vectors))
	for i, v := range vectors {
		children[i] = v.Children()[k]
	}
	return Concat(env, children)
}

func concatChildren(env *Env, vectors []*types.Vector) []*types.Vector {
	joined := make([]*types.Vector, len(vectors[0].Children()))
	for k := range joined {
		joined[k] = concatChild(env, vectors, k)
	}
	return joined
}

// concatUnions joins unions: sparse ones stay so if all are, else all become dense.
func concatUnions(env *Env, vectors []*types.Vector, n int, valid types.Bitmap) *types.Vector {
	codes := concatValues(env, vectors, n, (*types.Vector).TypeCodes)
	sparse := true
	for _, v := range vectors {
		sparse = sparse && v.UnionOffsets() == nil
	}
	if sparse {
		return types.NewUnion(vectors[0].Type(), codes, nil, concatChildren(env, vectors), valid)
	}
	index := variantIndex(vectors[0].Type())
	offsets := types.Alloc[int32](env.pool(), n)
	bases := make([]int32, len(vectors[0].Children()))
	dense := make([]*types.Vector, len(vectors))
	at := 0
	for i, v := range vectors {
		rows := v.UnionOffsets()
		if rows == nil {
			rows = types.Alloc[int32](env.pool(), v.Len())
			for k := range rows {
				rows[k] = int32(k)
			}
		}
		d := compactDense(env, v, v.TypeCodes()[:v.Len()], rows[:v.Len()], v.Validity(), nil)
		for k, offset := range d.UnionOffsets()[:v.Len()] {
			offsets[at+k] = bases[index[codes[at+k]]] + offset
		}
		for k, child := range d.Children() {
			bases[k] += int32(child.Len())
		}
		dense[i] = d
		at += v.Len()
	}
	return types.NewUnion(vectors[0].Type(), codes, offsets, concatChildren(env, dense), valid)
}
