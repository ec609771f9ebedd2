package arrays

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Compare gives a op b as bool, null where a side is null or a null inside leaves it open (null-semantics 2.10). NaN equals NaN and is above all numbers, -0
// equals 0. The columns have a common type.
//
// Options: Floats.
func Compare(op kernels.CompareOp, a, b Column, o Options) (Column, error) {
	args, err := loadPair(a, b)
	if err != nil {
		return Column{}, err
	}
	verb := kernels.Compare
	if isUnion(a) != isUnion(b) {
		verb = kernels.CompareWithin
	}
	v, err := verb(o.env(), op, args[0].vector, args[1].vector)
	if err != nil {
		return Column{}, err
	}
	nullable := args[0].nullable || args[1].nullable || nullableBelow(args[0].vector.Type()) || nullableBelow(args[1].vector.Type())
	return o.export(boolField(a.Field), v, nullable)
}

// env gives what kernels that compare have to know of the options.
func (o Options) env() *kernels.Env { return &kernels.Env{Floats: o.Floats} }

func isUnion(c Column) bool { return holdsUnion(c.Field.Type) || isNullableUnion(c.Field.Type) }

// nullableBelow reports whether a field somewhere below a type is nullable.
func nullableBelow(t types.Type) bool {
	for _, f := range t.Fields() {
		if f.Nullable || nullableBelow(f.Type) {
			return true
		}
	}
	return false
}

// IsDistinct gives whether two columns differ, where null is like null at every level, as a required bool column (null-semantics 2.11). They have a common type.
//
// Options: Floats.
func IsDistinct(a, b Column, o Options) (Column, error) { return distinct(a, b, o, kernels.IsDistinct) }

// IsNotDistinct gives the complement of IsDistinct.
//
// Options: Floats.
func IsNotDistinct(a, b Column, o Options) (Column, error) {
	return distinct(a, b, o, kernels.IsNotDistinct)
}

func distinct(a, b Column, o Options, verb func(*kernels.Env, *types.Vector, *types.Vector) (*types.Vector, error)) (Column, error) {
	args, err := loadPair(a, b)
	if err != nil {
		return Column{}, err
	}
	v, err := verb(o.env(), args[0].vector, args[1].vector)
	if err != nil {
		return Column{}, err
	}
	return o.export(boolField(a.Field), v, false)
}

// loadPair imports two columns of one length and brings them to their common type.
func loadPair(a, b Column) ([]argument, error) {
	args := make([]argument, 2)
	for i, c := range []Column{a, b} {
		var err error
		if args[i], err = load(c, types.UnionAuto); err != nil {
			return nil, err
		}
	}
	if _, err := commonType(args); err != nil {
		return nil, err
	}
	return args, sameLength(args...)
}

// And gives a AND b of bool columns: false if either is false, else null if either is null (Kleene).
func And(a, b Column, o Options) (Column, error) { return logic(a, b, o, kernels.And) }

// Or gives a OR b of bool columns: true if either is true, else null if either is null (Kleene).
func Or(a, b Column, o Options) (Column, error) { return logic(a, b, o, kernels.Or) }

// Xor gives whether one of two bool columns is true and the other one false, null if either is null.
func Xor(a, b Column, o Options) (Column, error) { return logic(a, b, o, kernels.Xor) }

func logic(a, b Column, o Options, verb func(*kernels.Env, *types.Vector, *types.Vector) (*types.Vector, error)) (Column, error) {
	args := make([]argument, 2)
	for i, c := range []Column{a, b} {
		var err error
		if args[i], err = load(c, types.UnionAuto); err == nil {
			err = boolean(args[i])
		}
		if err != nil {
			return Column{}, err
		}
	}
	if err := sameLength(args...); err != nil {
		return Column{}, err
	}
	v, err := verb(nil, args[0].vector, args[1].vector)
	if err != nil {
		return Column{}, err
	}
	return o.export(boolField(a.Field), v, args[0].nullable || args[1].nullable)
}

// Not gives NOT a of a bool column: null for null.
func Not(a Column, o Options) (Column, error) {
	c, err := load(a, types.UnionAuto)
	if err == nil {
		err = boolean(c)
	}
	if err != nil {
		return Column{}, err
	}
	v, err := kernels.Not(nil, c.vector)
	if err != nil {
		return Column{}, err
	}
	return o.export(boolField(a.Field), v, c.nullable)
}
