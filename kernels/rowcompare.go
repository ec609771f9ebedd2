package kernels

import (
	"cmp"

	"github.com/lacunadb/lacuna/types"
)

// relation says how nulls inside the values take part when two rows are compared.
type relation uint8

const (
	// equality is SQL's =: a definite difference anywhere decides, else a null leaves the answer open.
	equality relation = iota
	// ordering is SQL's <: values are compared from the left, and the first pair with a null leaves the answer open.
	ordering
	// total is the order of sorting, in which null equals null and is greater than every value. Rows that compare equal are
	// those that are not distinct.
	total

	// ieee is added to one of them where NaN equals nothing and is neither above nor below anything.
	ieee relation = 4
)

// is compares relations whatever they say about NaN.
func (r relation) is(other relation) bool { return r&^ieee == other }

// unknown is the outcome of a comparison that a null leaves open. The others are negative, zero and positive.
const unknown = 2

// incomparable is the outcome of a comparison with NaN under ieee. It counts as a difference.
const incomparable = 3

// compareRows compares row i of a with row j of b, two vectors of one type in any encodings. In the relation equality only
// whether the outcome is zero has a meaning.
//
// It takes some tens of nanoseconds: for nested values and ties, not for the loops of flat types.
func compareRows(rel relation, a *types.Vector, i int, b *types.Vector, j int) int {
	a, i, aok := a.Locate(i)
	b, j, bok := b.Locate(j)
	if !aok || !bok {
		return compareNulls(rel, aok, bok)
	}
	switch a.Type().Storage() {
	case types.StorageStruct:
		if a.Type().Kind() == types.KindTimestampOffset {
			return compareRows(rel, a.Children()[0], i, b.Children()[0], j)
		}
		return compareFields(rel, a, i, b, j)
	case types.StorageList:
		x, y := types.ValuesOf[types.ListEntry](a)[i], types.ValuesOf[types.ListEntry](b)[j]
		return compareRanges(rel, a.Children()[0], x, b.Children()[0], y)
	case types.StorageArray:
		w := int64(a.Type().Width())
		x, y := types.ListEntry{Offset: int64(i) * w, Length: w}, types.ListEntry{Offset: int64(j) * w, Length: w}
		return compareRanges(rel, a.Children()[0], x, b.Children()[0], y)
	case types.StorageUnion:
		return compareVariants(rel, a, i, b, j)
	}
	return compareValues(rel, a, i, b, j)
}

func compareNulls(rel relation, aok, bok bool) int {
	switch {
	case !rel.is(total):
		return unknown
	case aok:
		return -1
	case bok:
		return 1
	}
	return 0
}

// compareFields compares structs field by field.
func compareFields(rel relation, a *types.Vector, i int, b *types.Vector, j int) int {
	open := false
	for k, field := range a.Children() {
		c := compareRows(rel, field, i, b.Children()[k], j)
		switch {
		case c == unknown && rel.is(equality):
			open = true
		case c != 0:
			return c
		}
	}
	if open {
		return unknown
	}
	return 0
}

// compareRanges compares lists element by element; a list that is the beginning of another is smaller.
func compareRanges(rel relation, a *types.Vector, x types.ListEntry, b *types.Vector, y types.ListEntry) int {
	if rel.is(equality) && x.Length != y.Length {
		return cmp.Compare(x.Length, y.Length)
	}
	open := false
	for k := range min(x.Length, y.Length) {
		c := compareRows(rel, a, int(x.Offset+k), b, int(y.Offset+k))
		switch {
		case c == unknown && rel.is(equality):
			open = true
		case c != 0:
			return c
		}
	}
	if open {
		return unknown
	}
	return cmp.Compare(x.Length, y.Length)
}

// compareVariants compares union rows that are not outer nulls: by the variants' order of declaration, then by value.
func compareVariants(rel relation, a *types.Vector, i int, b *types.Vector, j int) int {
	p, q := variantOf(a, i), variantOf(b, j)
	if p != q {
		return cmp.Compare(p, q)
	}
	return compareRows(rel, a.Children()[p], variantRow(a, i), b.Children()[q], variantRow(b, j))
}

// variantOf gives the declaration index of the variant of row i of a plain union vector.
func variantOf(v *types.Vector, i int) int {
	code := v.TypeCodes()[i]
	codes := v.Type().Codes()
	if int(code) < len(codes) && codes[code] == code { // codes 0, 1, 2 ... are the rule
		return int(code)
	}
	for k, c := range codes {
		if c == code {
			return k
		}
	}
	return -1
}

// variantRow gives the row of the child that row i of a union vector selects.
func variantRow(v *types.Vector, i int) int {
	if offsets := v.UnionOffsets(); offsets != nil {
		return int(offsets[i])
	}
	return i
}

// compareValues compares values of a flat type that are not null.
func compareValues(rel relation, a *types.Vector, i int, b *types.Vector, j int) int {
	switch a.Type().Storage() {
	case types.StorageBool:
		return int(bit(a.Bools().Get(i))) - int(bit(b.Bools().Get(j)))
	case types.StorageInt8:
		return compareAt[int8](a, i, b, j)
	case types.StorageInt16:
		return compareAt[int16](a, i, b, j)
	case types.StorageInt32:
		return compareAt[int32](a, i, b, j)
	case types.StorageInt64:
		return compareAt[int64](a, i, b, j)
	case types.StorageUint8:
		return compareAt[uint8](a, i, b, j)
	case types.StorageUint16:
		return compareAt[uint16](a, i, b, j)
	case types.StorageUint32:
		return compareAt[uint32](a, i, b, j)
	case types.StorageUint64:
		return compareAt[uint64](a, i, b, j)
	case types.StorageFloat16:
		return compareFloat(rel, types.HalfToFloat(types.ValuesOf[uint16](a)[i]), types.HalfToFloat(types.ValuesOf[uint16](b)[j]))
	case types.StorageFloat32:
		return compareFloat(rel, types.ValuesOf[float32](a)[i], types.ValuesOf[float32](b)[j])
	case types.StorageFloat64:
		return compareFloat(rel, types.ValuesOf[float64](a)[i], types.ValuesOf[float64](b)[j])
	case types.StorageInt128:
		return cmp128(types.ValuesOf[int128](a)[i], types.ValuesOf[int128](b)[j])
	case types.StorageInt256:
		return cmp256(types.ValuesOf[int256](a)[i], types.ValuesOf[int256](b)[j])
	case types.StorageInterval:
		return cmp128(intervalLength(types.ValuesOf[types.MonthDayNano](a)[i]), intervalLength(types.ValuesOf[types.MonthDayNano](b)[j]))
	case types.StorageView:
		x, y := &types.ValuesOf[types.View](a)[i], &types.ValuesOf[types.View](b)[j]
		return types.CompareViews(x, y, a.DataBuffers(), b.DataBuffers())
	}
	return 0
}

func compareAt[T integer](a *types.Vector, i int, b *types.Vector, j int) int {
	return cmp.Compare(types.ValuesOf[T](a)[i], types.ValuesOf[T](b)[j])
}

// compareFloat orders floats as SQL does: NaN equals NaN and is the greatest, -0 equals +0; or as IEEE 754 does.
func compareFloat[T float](rel relation, x, y T) int {
	switch {
	case rel&ieee != 0 && (x != x || y != y):
		return incomparable
	case x < y || x == x && y != y:
		return -1
	case x > y || x != x && y == y:
		return 1
	}
	return 0
}

// compareNested gives a op b row by row for nested types.
func compareNested(env *Env, op CompareOp, a, b *types.Vector) *types.Vector {
	n := a.Len()
	valid := copyValidity(env.pool(), bothValid(env, a, b), n)
	dst := env.pool().ZeroBitmap(n)
	rel := ordering
	if op == Equal || op == NotEqual {
		rel = equality
	}
	if env.floats() == FloatsIEEE {
		rel |= ieee
	}
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		switch c := compareRows(rel, a, i, b, i); {
		case c == unknown:
			valid.Clear(i)
		case holds(op, c):
			dst.Set(i)
		}
	}
	return types.NewBool(dst, n, valid)
}
