package kernels

import (
	"slices"

	"github.com/lacunadb/lacuna/types"
)

// Casts of unions (null-semantics 2.9): a value goes into the variant that UnionMember names; a union becomes another type by casting what each row holds, and
// another union by the names of the variants.

// UnionMember gives the position of the variant of a union that a value of another type goes to: the only one of the same type, else the narrowest one that
// holds every value of it, of its own family (integers, floats, decimals) before others. Errors: ErrNoMember, and ErrAmbiguousMember for a tie.
func UnionMember(from, union types.Type) (int, error) {
	type candidate struct{ rank, variant int }
	var found []candidate
	for i, f := range union.Fields() {
		if f.Type.Equal(from) {
			found = append(found, candidate{0, i})
		} else if rank, ok := widening(from, f.Type); ok {
			found = append(found, candidate{rank, i})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.rank - b.rank })
	switch {
	case len(found) == 0:
		return -1, types.KindErrorf(types.ErrNoMember, "no member of %s takes %s", union, from)
	case len(found) > 1 && found[0].rank == found[1].rank:
		fields := union.Fields()
		return -1, types.KindErrorf(types.ErrAmbiguousMember, "members %s and %s of %s both take %s", types.QuoteIdent(fields[found[0].variant].Name), types.QuoteIdent(fields[found[1].variant].Name), union, from).
			WithHint("Name the member: union_value(member := value).")
	}
	return found[0].variant, nil
}

// widening reports whether every value of one type is one of the other, and how far they are apart: other families are beyond all widths.
func widening(from, to types.Type) (rank int, ok bool) {
	const otherFamily = 1000
	width := 8 * to.Storage().Width()
	switch {
	case from.IsInteger() && to.IsInteger():
		bits := 8 * from.Storage().Width()
		if from.IsUnsigned() && to.IsUnsigned() || !from.IsUnsigned() && !to.IsUnsigned() {
			return width, bits < width
		}
		return width + 1, from.IsUnsigned() && bits < width
	case from.IsFloat() && to.IsFloat():
		return width, 8*from.Storage().Width() < width
	case from.IsInteger() && to.IsFloat():
		exact := map[types.Kind]int{types.KindHalf: 11, types.KindFloat: 24, types.KindDouble: 53}[to.Kind()]
		bits := 8 * from.Storage().Width()
		if !from.IsUnsigned() {
			bits--
		}
		return otherFamily + width, bits <= exact
	case from.IsInteger() && to.Kind() == types.KindDecimal:
		digits := len(castLimit(from))
		return otherFamily + to.Precision(), to.Precision()-to.Scale() >= digits
	case from.Kind() == types.KindDecimal && to.Kind() == types.KindDecimal:
		return to.Precision(), to.Scale() >= from.Scale() && to.Precision()-to.Scale() >= from.Precision()-from.Scale()
	case from.Kind() == types.KindEnum && to.Kind() == types.KindVarchar:
		return 1, true
	case from.Kind() != to.Kind():
		return 0, false
	case from.Kind() == types.KindTimestamp || from.Kind() == types.KindTimestampTZ || from.Kind() == types.KindTime:
		return 1 + int(to.Unit()), to.Unit() > from.Unit()
	case from.IsNested() && from.Kind() != types.KindUnion:
		return 1, CanCast(from, to)
	}
	return 0, false
}

// castLimit gives the digits of the largest number of an integer type.
func castLimit(t types.Type) string {
	digits := map[types.Kind]string{
		types.KindTinyInt: "127", types.KindSmallInt: "32767", types.KindInteger: "2147483647", types.KindBigInt: "9223372036854775807", types.KindUTinyInt: "255", types.KindUSmallInt: "65535",
		types.KindUInteger: "4294967295", types.KindUBigInt: "18446744073709551615", types.KindHugeInt: "170141183460469231731687303715884105727",
	}
	return digits[t.Kind()]
}

// canCastUnion reports whether a cast from or to a union exists: some value has to be convertible.
func canCastUnion(from, to types.Type) bool {
	if from.Kind() != types.KindUnion {
		_, err := UnionMember(from, to)
		return err == nil
	}
	any := false
	for _, f := range from.Fields() {
		target := to
		if to.Kind() == types.KindUnion {
			k := fieldIndex(to, f.Name)
			if k < 0 {
				continue
			}
			target = to.Fields()[k].Type
			if !CanCast(f.Type, target) {
				return false
			}
		}
		any = any || CanCast(f.Type, target)
	}
	return any
}

// castIntoUnion makes a value a row of one variant; NULL stays NULL.
func castIntoUnion(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	k, err := UnionMember(v.Type(), to)
	if err != nil {
		return nil, err
	}
	n, pool := v.Len(), env.pool()
	child, err := castChild(env.withActive(visibleRows(env, v)), v, to.Fields()[k], to.Fields()[k].Name)
	if err != nil {
		return nil, err
	}
	codes, offsets := types.Alloc[int8](pool, n), types.Alloc[int32](pool, n)
	for i := range codes {
		codes[i], offsets[i] = to.Codes()[k], int32(i)
	}
	valid := types.LogicalValidity(pool, v)
	if lost := newNulls(env, v, child); lost != nil {
		valid = types.AndNotBitmaps(pool, valid, lost, n)
	}
	children := make([]*types.Vector, len(to.Fields()))
	for i, f := range to.Fields() {
		children[i] = types.NewNull(f.Type, 0)
		if i == k {
			children[i] = child
		}
	}
	return types.NewUnion(to, codes, offsets, children, valid), nil
}

// newNulls gives the rows of a cast that are null although they were not before, as Try makes them; nil for none.
func newNulls(env *Env, before, after *types.Vector) types.Bitmap {
	if !env.try() || !after.MayHaveNulls() {
		return nil
	}
	n := after.Len()
	rows := types.AndBitmaps(env.pool(), IsNull(env, after).Bools(), types.LogicalValidity(env.pool(), before), n)
	if rows.Count(n) == 0 {
		return nil
	}
	return rows
}

// variantRows is what the rows of a plain union hold: the position of the variant and the row of its child.
type variantRows struct {
	variants *[types.MaxUnionVariants]uint8
	codes    []int8
	offsets  []int32 // nil: a sparse union
}

func rowsOfUnion(v *types.Vector) variantRows {
	return variantRows{variantIndex(v.Type()), v.TypeCodes()[:v.Len()], v.UnionOffsets()}
}

func (r variantRows) at(i int) (variant, row int) {
	if r.offsets != nil {
		return int(r.variants[r.codes[i]]), int(r.offsets[i])
	}
	return int(r.variants[r.codes[i]]), i
}

// castVariants casts each child of a plain union as target says, with an error only for what an active row holds. Where target reports false the child
// stays nil: an active row that is not null inside is an error, or with Try one that becomes null. The rows that the caller makes null are lost.
func castVariants(env *Env, v *types.Vector, to types.Type, target func(k int) (types.Field, bool)) (children []*types.Vector, lost types.Bitmap, err error) {
	n, pool := v.Len(), env.pool()
	rows, visible := rowsOfUnion(v), visibleRows(env, v)
	children = make([]*types.Vector, len(v.Children()))
	lost = pool.ZeroBitmap(n)
	first := int64(n)
	fail := func(e error, row int64) {
		if row < first {
			first, err = row, e
		}
	}
	for k, child := range v.Children() {
		used, valid := pool.ZeroBitmap(child.Len()), types.LogicalValidity(pool, child)
		field, ok := target(k)
		for i := visible.NextSet(0, n); i < n; i = visible.NextSet(i+1, n) {
			variant, at := rows.at(i)
			switch {
			case variant != k:
			case ok:
				used.Set(at)
			case !valid.Has(at):
			case env.try():
				lost.Set(i)
			default:
				fail(types.KindErrorf(types.ErrNoMemberCast, "member %s cannot be cast to %s", types.QuoteIdent(v.Type().Fields()[k].Name), to).WithRow("", int64(i)), int64(i))
			}
		}
		if !ok {
			continue
		}
		out, failure := castChild(env.withActive(used), child, field, v.Type().Fields()[k].Name)
		if failure != nil {
			e, known := failure.(*types.Error)
			if !known || e.Row < 0 {
				return nil, nil, failure
			}
			for i := visible.NextSet(0, n); i < n; i = visible.NextSet(i+1, n) {
				if variant, at := rows.at(i); variant == k && int64(at) == e.Row {
					e.Row = int64(i)
					break
				}
			}
			fail(e, e.Row)
			continue
		}
		if nulls := newNulls(env, child, out); nulls != nil {
			for i := visible.NextSet(0, n); i < n; i = visible.NextSet(i+1, n) {
				if variant, at := rows.at(i); variant == k && nulls.Get(at) {
					lost.Set(i)
				}
			}
		}
		children[k] = out
	}
	return children, lost, err
}

// castFromUnion casts a plain union.
func castFromUnion(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	if to.Kind() == types.KindUnion {
		return castUnions(env, v, to)
	}
	n, pool, fields := v.Len(), env.pool(), v.Type().Fields()
	children, _, err := castVariants(env, v, to, func(k int) (types.Field, bool) {
		return types.Field{Name: fields[k].Name, Type: to, Nullable: true}, CanCast(fields[k].Type, to)
	})
	if err != nil {
		return nil, err
	}
	parts := []*types.Vector{types.NewNull(to, 0)}
	bases := make([]int, len(children))
	total := 0
	for k, c := range children {
		if bases[k] = total; c != nil {
			parts = append(parts, c)
			total += c.Len()
		}
	}
	indices, valid := types.Alloc[uint32](pool, n), pool.ZeroBitmap(n)
	rows := rowsOfUnion(v)
	for i := range indices {
		variant, at := rows.at(i)
		indices[i] = 0
		if v.Validity().Has(i) && children[variant] != nil {
			indices[i] = uint32(bases[variant] + at)
			valid.Set(i)
		}
	}
	return Take(env, Concat(env, parts), indices, valid), nil
}

// castUnions casts a plain union to another one: variants of one name are cast, codes follow the target.
func castUnions(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	n, pool, fields := v.Len(), env.pool(), v.Type().Fields()
	target := make([]int, len(fields))
	for k, f := range fields {
		target[k] = fieldIndex(to, f.Name)
	}
	cast, lost, err := castVariants(env, v, to, func(k int) (types.Field, bool) {
		if target[k] < 0 {
			return types.Field{}, false
		}
		f := to.Fields()[target[k]]
		f.Nullable = f.Nullable || env.try() // what Try makes null is NULL outside
		return f, true
	})
	if err != nil {
		return nil, err
	}
	children := make([]*types.Vector, len(to.Fields()))
	for j, f := range to.Fields() {
		children[j] = types.NewNull(f.Type, 1) // of rows that nobody sees
	}
	for k, j := range target {
		if j >= 0 && cast[k].Len() > 0 {
			children[j] = cast[k]
		}
	}
	codes, offsets, valid := types.Alloc[int8](pool, n), types.Alloc[int32](pool, n), pool.ZeroBitmap(n)
	rows := rowsOfUnion(v)
	for i := range codes {
		variant, at := rows.at(i)
		j := target[variant]
		if j < 0 {
			j, at = 0, 0
		}
		codes[i], offsets[i] = to.Codes()[j], int32(at)
		if v.Validity().Has(i) && target[variant] >= 0 && !lost.Get(i) {
			valid.Set(i)
		}
	}
	return types.NewUnion(to, codes, offsets, children, valid), nil
}
