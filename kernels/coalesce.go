package kernels

import "github.com/lacunadb/lacuna/types"

// IfElse gives row i of a where the condition has its bit, else row i of b: the selection of CASE. The condition has a bit for each
// row; a and b have one type. Errors do not arise: whoever computes a and b guards them with Env.Active.
func IfElse(env *Env, condition types.Bitmap, a, b *types.Vector) (*types.Vector, error) {
	if err := sameLength(a, b); err != nil {
		return nil, err
	}
	n := a.Len()
	switch count := condition.Count(n); {
	case count == n:
		return a, nil
	case count == 0:
		return b, nil
	}
	if !a.Type().Equal(b.Type()) {
		if a.Type().Kind() == types.KindNull {
			a = types.NewNull(b.Type(), n)
		} else if b.Type().Kind() == types.KindNull {
			b = types.NewNull(a.Type(), n)
		}
	}
	if a.Type().Storage() != b.Type().Storage() {
		return nil, types.Errorf(types.CodeDatatypeMismatch, "cannot choose between %s and %s", a.Type(), b.Type())
	}
	switch {
	case isNullConstant(a) && isNullConstant(b):
		return a, nil
	case isNullConstant(b):
		return nullRows(env, a, notBits(env.pool(), condition, n)), nil
	case isNullConstant(a):
		return nullRows(env, b, condition), nil
	}
	return blend(env, condition, a, b), nil
}

// blend chooses between vectors of one type.
func blend(env *Env, condition types.Bitmap, a, b *types.Vector) *types.Vector {
	n, pool, typ := a.Len(), env.pool(), a.Type()
	switch s := typ.Storage(); s {
	case types.StorageArray, types.StorageStruct, types.StorageUnion, types.StorageList:
		// One vector after the other, then the rows of either.
		indices := types.Alloc[uint32](pool, n)
		for i := range indices {
			indices[i] = uint32(i)
			if !condition.Get(i) {
				indices[i] += uint32(n)
			}
		}
		return Take(env, Concat(env, []*types.Vector{a, b}), indices, nil)
	case types.StorageBool:
		valid := blendValidity(env, condition, a, b)
		return types.NewBool(blendBits(pool, condition, Decode(env, a).Bools(), Decode(env, b).Bools(), n), n, valid)
	case types.StorageView:
		valid := blendValidity(env, condition, a, b)
		return blendViews(env, condition, Decode(env, a), Decode(env, b), valid)
	default:
		valid := blendValidity(env, condition, a, b)
		a, b = plainOrConstant(env, a), plainOrConstant(env, b)
		switch s.Width() {
		case 1:
			return types.NewFixed(typ, blendValues[uint8](env, condition, a, b), valid)
		case 2:
			return types.NewFixed(typ, blendValues[uint16](env, condition, a, b), valid)
		case 4:
			return types.NewFixed(typ, blendValues[uint32](env, condition, a, b), valid)
		case 8:
			return types.NewFixed(typ, blendValues[uint64](env, condition, a, b), valid)
		case 16:
			return types.NewFixed(typ, blendValues[types.Int128](env, condition, a, b), valid)
		default:
			return types.NewFixed(typ, blendValues[types.Int256](env, condition, a, b), valid)
		}
	}
}

// plainOrConstant decodes everything but constants.
func plainOrConstant(env *Env, v *types.Vector) *types.Vector {
	if v.Encoding() == types.Constant {
		return v
	}
	return Decode(env, v)
}

func blendValues[T types.Fixed](env *Env, condition types.Bitmap, a, b *types.Vector) []T {
	dst := types.Alloc[T](env.pool(), a.Len())
	x, y := types.ValuesOf[T](a), types.ValuesOf[T](b)
	xStep, yStep := columnStep(a), columnStep(b)
	for i := range dst {
		// Two loads and a choice between registers: no branch for the predictor to miss.
		v, other := y[i*yStep], x[i*xStep]
		if condition.Get(i) {
			v = other
		}
		dst[i] = v
	}
	return dst
}

func blendBits(pool *types.Pool, condition, a, b types.Bitmap, n int) types.Bitmap {
	dst := pool.Bitmap(n)
	for i, c := range condition[:len(dst)] {
		dst[i] = a[i]&c | b[i]&^c
	}
	return dst
}

func blendValidity(env *Env, condition types.Bitmap, a, b *types.Vector) types.Bitmap {
	n, pool := a.Len(), env.pool()
	av, bv := types.LogicalValidity(pool, a), types.LogicalValidity(pool, b)
	if av == nil && bv == nil {
		return nil
	}
	dst := pool.Bitmap(n)
	for i, c := range condition[:len(dst)] {
		dst[i] = validWord(av, i)&c | validWord(bv, i)&^c
	}
	if n > 0 {
		dst[len(dst)-1] &= types.LastWordMask(n)
	}
	return dst
}

// blendViews chooses between strings over the data buffers of both.
func blendViews(env *Env, condition types.Bitmap, a, b *types.Vector, valid types.Bitmap) *types.Vector {
	n := a.Len()
	x, y := types.ValuesOf[types.View](a), types.ValuesOf[types.View](b)
	dst := types.Alloc[types.View](env.pool(), n)
	buffers := a.DataBuffers()
	base := 0
	if !sameBuffers(buffers, b.DataBuffers()) {
		base = len(buffers)
		buffers = append(buffers[:base:base], b.DataBuffers()...)
	}
	for i := range dst {
		switch {
		case !valid.Has(i):
			dst[i] = types.View{}
		case condition.Get(i):
			dst[i] = x[i]
		default:
			v := y[i]
			if !v.IsInline() {
				v.Tail += uint64(base)
			}
			dst[i] = v
		}
	}
	return types.NewViews(a.Type(), dst, buffers, valid)
}

// Coalesce gives the first argument's value that is not null, row by row; null where all are. The arguments have one type; there
// is at least one. Of a union only the outer null counts.
func Coalesce(env *Env, arguments ...*types.Vector) (*types.Vector, error) {
	result := arguments[0]
	for _, next := range arguments[1:] {
		valid := types.LogicalValidity(env.pool(), result)
		if valid == nil {
			break
		}
		var err error
		if result, err = IfElse(env, valid, result, next); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// NullIf gives a, but null where a = b is true.
func NullIf(env *Env, a, b *types.Vector) (*types.Vector, error) {
	equal, err := Compare(env, Equal, a, b)
	if err != nil {
		return nil, err
	}
	return Mask(env, a, equal)
}
