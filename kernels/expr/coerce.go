package expr

import (
	"math/big"

	"github.com/lacunadb/lacuna/types"
)

// This file is the SQL coercion table: which type two values take when they meet in a comparison, CASE, COALESCE, IN or set
// operation. Arithmetic has rules of its own on top of it (package scalar).

// CommonType gives the type that both arguments are cast to when they meet. The first rule that applies decides:
//
//	equal types                         that type
//	NULL and T                          T
//	string literal and T                T; ENUM only if the text is a member, else VARCHAR
//	integer literal and integer T       T if the value fits
//	integer literal and DECIMAL(p,s)    DECIMAL(p,s) if the value's digits fit
//	integers                            the narrowest type that holds both; UBIGINT with a signed one HUGEINT
//	BOOLEAN and an integer              the integer
//	integers and decimals               enough digits before and after the point for both, at most 76
//	a number and FLOAT or DOUBLE        that float type, the wider of two
//	DATE, TIMESTAMP, TIMESTAMPTZ        the later one of these with the finer unit; TIME of two units the finer
//	VARCHAR with JSON or ENUM           JSON, VARCHAR; two different ENUMs VARCHAR
//	lists, arrays, maps                 element by element; array and list, or arrays of different widths, make a list
//	structs, unions                     by member name: those of the first, then new ones (null-semantics 2.2)
//	union and T                         the union, if T has exactly one variant to go to
//
// Nullability of everything below the top is that of either side. Anything else has no common type: a *types.Error of kind
// ErrNoCommonType whose hint names the casts.
func CommonType(a, b Arg) (types.Type, error) {
	if t, ok := commonType(a, b); ok {
		return t, nil
	}
	if t, ok := commonType(b, a); ok {
		return t, nil
	}
	return types.Type{}, types.KindErrorf(types.ErrNoCommonType, "no common type for %s and %s", a.Type, b.Type).
		WithHint("Cast one side: CAST(... AS %s) or CAST(... AS %s).", b.Type, a.Type)
}

// CommonTypeOf is CommonType for any number of arguments. Literals adapt to the others wherever they stand. No arguments give
// NULL.
func CommonTypeOf(args ...Arg) (types.Type, error) {
	result := Arg{}
	first := true
	for _, pass := range []func(Arg) bool{
		func(a Arg) bool { return !a.Literal },
		func(a Arg) bool { return a.Literal && !isStringLiteral(a) },
		isStringLiteral,
	} {
		for _, a := range args {
			switch {
			case !pass(a):
			case first:
				result, first = a, false
			default:
				t, err := CommonType(result, a)
				if err != nil {
					return types.Type{}, err
				}
				result = Arg{Type: t}
			}
		}
	}
	return result.Type, nil
}

// SetOperationType gives the type of a column of UNION, INTERSECT and EXCEPT: CommonType, but what meets a string becomes one.
func SetOperationType(a, b types.Type) (types.Type, error) {
	t, err := CommonType(Arg{Type: a}, Arg{Type: b})
	if err != nil && (a.Kind() == types.KindVarchar && !b.IsNested() || b.Kind() == types.KindVarchar && !a.IsNested()) {
		return types.Varchar, nil
	}
	return t, err
}

// AsDecimal gives the narrowest DECIMAL that holds every value of an integer or decimal argument, for a literal its own digits.
// It reports false for other types.
func AsDecimal(a Arg) (types.Type, bool) {
	switch k := a.Type.Kind(); {
	case k == types.KindDecimal:
		return a.Type, true
	case !a.Type.IsInteger():
		return types.Type{}, false
	case a.Literal:
		if x := integerValue(a.Constant); x != nil {
			return types.Decimal(len(new(big.Int).Abs(x).String()), 0), true
		}
	}
	return types.Decimal(integerDigits[a.Type.Kind()], 0), true
}

// integerDigits is the number of decimal digits of the largest value.
var integerDigits = map[types.Kind]int{
	types.KindTinyInt: 3, types.KindSmallInt: 5, types.KindInteger: 10, types.KindBigInt: 19,
	types.KindUTinyInt: 3, types.KindUSmallInt: 5, types.KindUInteger: 10, types.KindUBigInt: 20, types.KindHugeInt: 39,
}

func isStringLiteral(a Arg) bool { return a.Literal && a.Type.Kind() == types.KindVarchar }

// commonType tries the rules with the arguments in this order; CommonType tries both orders.
func commonType(a, b Arg) (types.Type, bool) {
	x, y := a.Type, b.Type
	switch {
	case x.Equal(y), y.Kind() == types.KindNull:
		return x, true
	case x.Kind() == types.KindNull:
		return y, true
	case isStringLiteral(b):
		return stringLiteralType(x, b)
	case x.IsNumeric() && y.IsNumeric():
		return commonNumber(a, b)
	case x.IsInteger() && y.Kind() == types.KindBoolean:
		return x, true
	case x.IsNested() && y.IsNested() && x.Kind() != types.KindUnion && y.Kind() != types.KindUnion:
		return commonNested(x, y)
	case x.Kind() == types.KindUnion:
		return commonUnion(x, y)
	}
	switch x.Kind() {
	case types.KindTime:
		return types.TimeOf(max(x.Unit(), y.Unit())), y.Kind() == types.KindTime
	case types.KindTimestamp:
		switch y.Kind() {
		case types.KindTimestamp:
			return types.TimestampOf(max(x.Unit(), y.Unit())), true
		case types.KindDate:
			return x, true
		}
	case types.KindTimestampTZ:
		switch y.Kind() {
		case types.KindTimestampTZ, types.KindTimestamp, types.KindTimestampOffset:
			return types.TimestampTZOf(max(x.Unit(), y.Unit()), x.Zone()), true
		case types.KindDate:
			return x, true
		}
	case types.KindTimestampOffset:
		return types.TimestampTZ, y.Kind() == types.KindTimestamp || y.Kind() == types.KindDate
	case types.KindJSON:
		return x, y.Kind() == types.KindVarchar
	case types.KindEnum:
		return types.Varchar, y.Kind() == types.KindVarchar || y.Kind() == types.KindEnum
	}
	return types.Type{}, false
}

// stringLiteralType gives the type that a string literal takes beside a value of type t.
func stringLiteralType(t types.Type, literal Arg) (types.Type, bool) {
	if t.Kind() != types.KindEnum {
		return t, true
	}
	if literal.Constant != nil && !literal.Constant.MayHaveNulls() {
		view := types.ValuesOf[types.View](literal.Constant)[0]
		text := string(view.Bytes(literal.Constant.DataBuffers()))
		for _, m := range t.Members() {
			if m == text {
				return t, true
			}
		}
	}
	return types.Varchar, true
}

// commonNumber finds the type of two numbers.
func commonNumber(a, b Arg) (types.Type, bool) {
	x, y := a.Type, b.Type
	switch {
	case a.Literal && !b.Literal && literalFits(a, y):
		return y, true
	case b.Literal && !a.Literal && literalFits(b, x):
		return x, true
	case x.IsFloat() || y.IsFloat():
		if x.Kind() == types.KindDouble || y.Kind() == types.KindDouble {
			return types.Double, true
		}
		return types.Float, true // also HALF beside a number that is not HALF
	case x.Kind() == types.KindDecimal || y.Kind() == types.KindDecimal:
		p, _ := AsDecimal(a)
		q, _ := AsDecimal(b)
		scale := max(p.Scale(), q.Scale())
		whole := max(p.Precision()-p.Scale(), q.Precision()-q.Scale())
		return types.Decimal(max(1, min(whole+scale, types.MaxDecimalPrecision)), scale), true
	}
	return commonInteger(x, y), true
}

// literalFits reports whether an integer literal can be written as type t without loss.
func literalFits(literal Arg, t types.Type) bool {
	if !literal.Type.IsInteger() {
		return false
	}
	x := integerValue(literal.Constant)
	switch {
	case x == nil:
		return false
	case t.Kind() == types.KindHugeInt:
		return true
	case t.IsUnsigned():
		return x.Sign() >= 0 && x.BitLen() <= 8*t.Storage().Width()
	case t.IsInteger():
		// -2^n has n+1 bits although it fits.
		return x.BitLen() < 8*t.Storage().Width() || x.Sign() < 0 && new(big.Int).Add(x, big.NewInt(1)).BitLen() < 8*t.Storage().Width()
	case t.Kind() == types.KindDecimal:
		return x.Sign() == 0 || len(new(big.Int).Abs(x).String()) <= t.Precision()-t.Scale()
	}
	return false
}

// integerValue gives the value of an integer constant; nil for NULL and unknown values.
func integerValue(v *types.Vector) *big.Int {
	if v == nil || v.MayHaveNulls() {
		return nil
	}
	switch v.Type().Storage() {
	case types.StorageInt8:
		return big.NewInt(int64(types.ValuesOf[int8](v)[0]))
	case types.StorageInt16:
		return big.NewInt(int64(types.ValuesOf[int16](v)[0]))
	case types.StorageInt32:
		return big.NewInt(int64(types.ValuesOf[int32](v)[0]))
	case types.StorageInt64:
		return big.NewInt(types.ValuesOf[int64](v)[0])
	case types.StorageUint8:
		return big.NewInt(int64(types.ValuesOf[uint8](v)[0]))
	case types.StorageUint16:
		return big.NewInt(int64(types.ValuesOf[uint16](v)[0]))
	case types.StorageUint32:
		return big.NewInt(int64(types.ValuesOf[uint32](v)[0]))
	case types.StorageUint64:
		return new(big.Int).SetUint64(types.ValuesOf[uint64](v)[0])
	case types.StorageInt128:
		x := types.ValuesOf[types.Int128](v)[0]
		high := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
		return high.Add(high, new(big.Int).SetUint64(x.Lo))
	}
	return nil
}

var signedBySize = [...]types.Type{1: types.TinyInt, 2: types.SmallInt, 4: types.Integer, 8: types.BigInt, 16: types.HugeInt}

// commonInteger gives the narrowest integer type that holds the values of both.
func commonInteger(x, y types.Type) types.Type {
	if x.IsUnsigned() == y.IsUnsigned() {
		if integerRank(x) >= integerRank(y) {
			return x
		}
		return y
	}
	if y.IsUnsigned() {
		x, y = y, x
	}
	return signedBySize[max(2*integerRank(x), integerRank(y))]
}

// commonNested finds the type of two lists, arrays, maps or structs.
func commonNested(x, y types.Type) (types.Type, bool) {
	isList := func(t types.Type) bool { return t.Kind() == types.KindList || t.Kind() == types.KindArray }
	switch {
	case isList(x) && isList(y):
		element, ok := commonField(x.Elem(), y.Elem())
		if !ok {
			return types.Type{}, false
		}
		if x.Kind() == types.KindArray && y.Kind() == types.KindArray && x.Width() == y.Width() {
			return types.ArrayOfField(element, x.Width()), true
		}
		return types.ListOfField(element), true
	case x.Kind() == types.KindMap && y.Kind() == types.KindMap:
		key, ok := commonField(x.Fields()[0], y.Fields()[0])
		value, ok2 := commonField(x.Fields()[1], y.Fields()[1])
		return types.MapOfFields(key, value), ok && ok2
	case x.Kind() == types.KindStruct && y.Kind() == types.KindStruct:
		fields, ok := mergeFields(x.Fields(), y.Fields(), true)
		return types.StructOf(fields...), ok
	}
	return types.Type{}, false
}

// commonField gives a field for the values of both, with the first one's name.
func commonField(a, b types.Field) (types.Field, bool) {
	t, err := CommonType(Arg{Type: a.Type}, Arg{Type: b.Type})
	return types.Field{Name: a.Name, Type: t, Nullable: a.Nullable || b.Nullable}, err == nil
}

// mergeFields merges members by name: those of a, then the ones that only b has. With missing set, a member that one side lacks
// becomes nullable.
func mergeFields(a, b []types.Field, missing bool) ([]types.Field, bool) {
	find := func(fields []types.Field, name string) int { return types.Schema(fields).Index(name) }
	var merged []types.Field
	for _, f := range a {
		if i := find(b, f.Name); i >= 0 {
			var ok bool
			if f, ok = commonField(f, b[i]); !ok {
				return nil, false
			}
		} else {
			f.Nullable = f.Nullable || missing
		}
		merged = append(merged, f)
	}
	for _, f := range b {
		if find(a, f.Name) < 0 {
			f.Nullable = f.Nullable || missing
			merged = append(merged, f)
		}
	}
	return merged, true
}

// commonUnion finds the type of a union and another type.
func commonUnion(x, y types.Type) (types.Type, bool) {
	if y.Kind() != types.KindUnion {
		// The value goes to the one variant that takes its type, preferably as it is.
		same, castable := 0, 0
		for _, f := range x.Fields() {
			if f.Type.Equal(y) {
				same++
			}
			if t, err := CommonType(Arg{Type: f.Type}, Arg{Type: y}); err == nil && t.Equal(f.Type) {
				castable++
			}
		}
		return x, same == 1 || same == 0 && castable == 1
	}
	variants, ok := mergeFields(x.Fields(), y.Fields(), false)
	if !ok || len(variants) > types.MaxUnionVariants {
		return types.Type{}, false
	}
	codes := append([]int8(nil), x.Codes()...)
	var taken [types.MaxUnionVariants]bool
	for _, c := range codes {
		taken[c] = true
	}
	for next := 0; len(codes) < len(variants); next++ {
		if !taken[next] {
			codes = append(codes, int8(next))
		}
	}
	return types.UnionOfCodes(variants, codes, x.Tagged() || y.Tagged()), true
}
