package kernels

import (
	"unsafe"

	"github.com/lacunadb/lacuna/types"
)

// FloatMode says how floats compare (null-semantics 2.4).
type FloatMode uint8

// The modes. Compare, IsDistinct, Hash and SortIndices look at them.
const (
	// FloatsSQL has NaN equal to NaN and above all other values, and -0 equal to +0.
	FloatsSQL FloatMode = iota
	// FloatsIEEE has NaN unequal to everything, itself included, and neither above nor below anything. Hashes and orders, which need an order of all
	// values, are those of FloatsSQL.
	FloatsIEEE
	// FloatsTotalOrder has the total order of IEEE 754: by sign and bits, so that -0 is below +0 and NaNs of different bits differ.
	FloatsTotalOrder
)

// totalOrdered gives integers in the place of floats, at every level, which are equal and ordered as the floats are in the total order of IEEE 754.
// Vectors without floats are returned as they are.
func totalOrdered(env *Env, v *types.Vector) *types.Vector {
	t, ok := totalOrderType(v.Type())
	if !ok {
		return v
	}
	if v.Encoding() == types.Constant && v.Type().IsFloat() {
		return types.NewConstant(totalOrdered(env, v.First()), v.Len())
	}
	if below := v.Children(); len(below) > 0 {
		children := make([]*types.Vector, len(below))
		for i, c := range below {
			children[i] = totalOrdered(env, c)
		}
		return v.WithChildren(t, children)
	}
	switch v.Type().Kind() {
	case types.KindHalf:
		return types.NewFixed(t, orderedBits[int16](env, v), v.Validity())
	case types.KindFloat:
		return types.NewFixed(t, orderedBits[int32](env, v), v.Validity())
	}
	return types.NewFixed(t, orderedBits[int64](env, v), v.Validity())
}

// totalOrderType gives the type of totalOrdered's result; false for a type without floats.
func totalOrderType(t types.Type) (types.Type, bool) {
	switch t.Kind() {
	case types.KindHalf:
		return types.SmallInt, true
	case types.KindFloat:
		return types.Integer, true
	case types.KindDouble:
		return types.BigInt, true
	}
	var fields []types.Field
	for i, f := range t.Fields() {
		below, ok := totalOrderType(f.Type)
		if !ok {
			continue
		}
		if fields == nil {
			fields = append(fields, t.Fields()...)
		}
		fields[i].Type = below
	}
	if fields == nil {
		return t, false
	}
	return t.WithFields(fields), true
}

// orderedBits gives the bits of floats with all but the sign inverted where it is set, as signed integers of their width.
func orderedBits[T int16 | int32 | int64](env *Env, v *types.Vector) []T {
	dst := types.Alloc[T](env.pool(), v.Len())
	sign := 8*unsafe.Sizeof(T(0)) - 1
	for i, x := range types.ValuesOf[T](v)[:len(dst)] {
		dst[i] = x ^ x>>sign&^(T(-1)<<sign)
	}
	return dst
}

// unequalNaNs corrects the outcome of comparing plain floats, of which one may be a constant, in the rows in which a side is NaN.
func unequalNaNs(dst types.Bitmap, op CompareOp, a, b *types.Vector) {
	x, y := isNaN(a), isNaN(b)
	xStep, yStep := columnStep(a), columnStep(b)
	for i := range a.Len() {
		if !x(i*xStep) && !y(i*yStep) {
			continue
		}
		if op == NotEqual {
			dst.Set(i)
		} else {
			dst.Clear(i)
		}
	}
}

// isNaN tells of values of a plain or constant vector of floats whether they are NaN.
func isNaN(v *types.Vector) func(i int) bool {
	switch v.Type().Kind() {
	case types.KindHalf:
		values := types.ValuesOf[uint16](v)
		return func(i int) bool { return values[i]&0x7fff > 0x7c00 }
	case types.KindFloat:
		values := types.ValuesOf[float32](v)
		return func(i int) bool { return values[i] != values[i] }
	}
	values := types.ValuesOf[float64](v)
	return func(i int) bool { return values[i] != values[i] }
}
