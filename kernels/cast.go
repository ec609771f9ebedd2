package kernels

import (
	"slices"

	"github.com/lacunadb/lacuna/types"
)

// Cast converts v to another type. Nulls stay null, and what lies under them never fails. A value that cannot be converted is an
// error of kind types.ErrCastInvalid or types.ErrCastOverflow, or null in Try mode; a pair of types that has no conversion is an
// error in both (see CanCast). With Env.Wrap, integers become integers of any width by their low bits. Constants, dictionary entries and runs are converted
// once each.
//
// Floats round half to even, decimals and texts half away from zero (sql.md; null-semantics 2.9).
func Cast(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	from := v.Type()
	switch {
	case from.Equal(to):
		return v, nil
	case from.Kind() == types.KindNull:
		return types.NewNull(to, v.Len()), nil
	case !CanCast(from, to):
		return nil, noCast(from, to)
	case sameValues(from, to):
		return v.WithType(to), nil
	}
	return applyUnary(env, v, func(env *Env, v *types.Vector) (*types.Vector, error) { return castPlain(env, v, to) })
}

// noCast is the error of a pair of types without a conversion, with the kind of the null model where members are the reason (null-semantics 2.9).
func noCast(from, to types.Type) error {
	e := types.Errorf(types.CodeCannotCoerce, "cannot cast type %s to %s", from, to)
	switch {
	case to.Kind() == types.KindUnion && from.Kind() != types.KindUnion:
		if _, err := UnionMember(from, to); err != nil {
			return err
		}
	case to.Kind() == types.KindStruct && from.Kind() == types.KindStruct:
		e.Kind = noStructCast(from, to)
	}
	return e
}

// CanCast reports whether Cast converts from one type to another, values permitting.
func CanCast(from, to types.Type) bool {
	fk, tk := from.Kind(), to.Kind()
	number := func(t types.Type) bool { return t.IsNumeric() || t.Kind() == types.KindBoolean }
	switch {
	case fk == types.KindNull || from.Equal(to):
		return true
	case tk == types.KindNull:
		return false
	case fk == types.KindVarchar && tk != types.KindUnion:
		switch tk {
		case types.KindDate, types.KindTime, types.KindTimestamp, types.KindTimestampTZ, types.KindInterval, types.KindUUID,
			types.KindBlob, types.KindBit, types.KindJSON, types.KindVarchar, types.KindEnum:
			return true
		case types.KindList, types.KindArray, types.KindStruct, types.KindMap:
			return !slices.ContainsFunc(to.Fields(), func(f types.Field) bool { return !CanCast(from, f.Type) })
		}
		return number(to)
	case tk == types.KindVarchar:
		return true
	case fk == types.KindUnion || tk == types.KindUnion:
		return canCastUnion(from, to)
	case number(from) && number(to), canCastBits(from, to):
		return true
	}
	switch fk {
	case types.KindDate:
		return tk == types.KindTimestamp || tk == types.KindTimestampTZ
	case types.KindTime:
		return tk == types.KindTime
	case types.KindTimestamp, types.KindTimestampTZ:
		return tk == types.KindTimestamp || tk == types.KindTimestampTZ || tk == types.KindDate || tk == types.KindTime
	case types.KindList, types.KindArray:
		return (tk == types.KindList || tk == types.KindArray) && CanCast(from.Elem().Type, to.Elem().Type)
	case types.KindMap:
		return tk == types.KindMap && CanCast(from.Fields()[0].Type, to.Fields()[0].Type) && CanCast(from.Fields()[1].Type, to.Fields()[1].Type)
	case types.KindStruct:
		return tk == types.KindStruct && canCastStruct(from, to) || tk == types.KindMap && canCastStructToMap(from, to)
	case types.KindEnum:
		return tk == types.KindEnum
	}
	// Types that differ in no more than a mark, a zone or a nullability.
	return fk == tk && from.Storage() == to.Storage() && !from.IsNested()
}

// sameValues reports whether every value of one type is the same stored value of the other and none needs a check.
func sameValues(from, to types.Type) bool {
	if from.Storage() != to.Storage() {
		return false
	}
	switch fk, tk := from.Kind(), to.Kind(); {
	case fk == types.KindDecimal && tk == fk:
		return from.Scale() == to.Scale() && from.Precision() <= to.Precision()
	case (fk == types.KindTimestamp || fk == types.KindTimestampTZ || fk == types.KindTime) && tk == fk:
		return from.Unit() == to.Unit()
	case fk == types.KindJSON && tk == types.KindVarchar:
		return true
	case fk == types.KindEnum:
		return false
	default:
		return fk == tk && !from.IsNested()
	}
}

// castPlain converts a plain vector.
func castPlain(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	from := v.Type()
	if to.Kind() == types.KindVarchar {
		return castToText(env, v)
	}
	switch k := from.Kind(); {
	case k == types.KindUnion:
		return castFromUnion(env, v, to)
	case to.Kind() == types.KindUnion:
		return castIntoUnion(env, v, to)
	case k == types.KindVarchar:
		return castFromText(env, v, to)
	case canCastBits(from, to):
		return castBits(env, v, to)
	case k == types.KindBoolean:
		return castBoolean(env, v, to)
	case from.IsInteger():
		return castInteger(env, v, to)
	case from.IsFloat():
		return castFloat(env, v, to)
	case k == types.KindDecimal:
		return castDecimal(env, v, to)
	case from.IsTemporal():
		return castTemporal(env, v, to)
	case k == types.KindEnum:
		text, err := castToText(env, v)
		if err != nil {
			return nil, err
		}
		return castFromText(env, text, to)
	}
	return castNested(env, v, to)
}

// convert runs a conversion loop on a plain vector. The loop converts every slot and tells whether any failed; failures of
// valid rows are described as failures to cast row i of source, which is v or what v was made from.
func convert[F, T types.Fixed](env *Env, source, v *types.Vector, to types.Type, loop func(dst []T, src []F) bool) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	src := types.ValuesOf[F](v)[:n]
	dst := types.Alloc[T](env.pool(), n)
	if loop(dst, src) {
		var r [1]T
		var err error
		valid, err = env.settle(n, valid, func(i int) bool { return loop(r[:], src[i:i+1]) }, func(i int) *types.Error {
			return castError(source, i, to)
		})
		if err != nil {
			return nil, err
		}
	}
	return types.NewFixed(to, dst, valid), nil
}

// convertChecked runs one of the checked casts of package asm on a plain vector; failures are described as convert does.
func convertChecked[F, T types.Fixed](env *Env, source, v *types.Vector, to types.Type, cast func(dst []T, src []F, bad []uint64) bool) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	dst, bad := types.Alloc[T](env.pool(), n), env.pool().Bitmap(n)
	if cast(dst, types.ValuesOf[F](v)[:n], bad) {
		var err error
		valid, err = env.settleBad(n, valid, bad, func(i int) *types.Error { return castError(source, i, to) })
		if err != nil {
			return nil, err
		}
	}
	return types.NewFixed(to, dst, valid), nil
}

// convertAll runs a cast of package asm that has a result for every value.
func convertAll[F, T types.Fixed](env *Env, v *types.Vector, to types.Type, cast func(dst []T, src []F)) *types.Vector {
	n := v.Len()
	dst := types.Alloc[T](env.pool(), n)
	cast(dst, types.ValuesOf[F](v)[:n])
	return types.NewFixed(to, dst, v.Validity())
}

// castError is the error of a number in row i of a plain vector that is out of a type's range.
func castError(v *types.Vector, i int, to types.Type) *types.Error {
	text := types.Text(v, i)
	if text == "nan" {
		return types.KindErrorf(types.ErrCastInvalid, "cannot cast NaN to %s", to)
	}
	return types.KindErrorf(types.ErrCastOverflow, "%s %s is out of range for type %s", v.Type(), text, to)
}
