package scalar

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// bindTemporal binds an operator with a date, time, timestamp or interval on at least one side; nil when it takes no such pair.
// An untyped NULL stands for what makes the pair meaningful: days beside a date, an interval beside a timestamp.
func (op *operator) bindTemporal(a, b expr.Arg) *expr.Function {
	x, y := op.operandType(a, b), op.operandType(b, a)
	switch op {
	case opAdd:
		if f := op.addTemporal(x, y, false); f != nil {
			return f
		}
		return op.addTemporal(y, x, true)
	case opSubtract:
		return op.subtractTemporal(x, y)
	case opMultiply:
		if factor, ok := intervalFactor(y, true); ok && x.Kind() == types.KindInterval {
			return op.function(x, true, x, factor)
		}
		if factor, ok := intervalFactor(x, true); ok && y.Kind() == types.KindInterval {
			return op.function(y, true, factor, y)
		}
	case opDivide:
		if factor, ok := intervalFactor(y, false); ok && x.Kind() == types.KindInterval {
			f := op.function(x, true, x, factor)
			f.Nulls = expr.NullFromValues // by zero
			return f
		}
	}
	return nil
}

// operandType gives the type that argument a has beside argument b.
func (op *operator) operandType(a, b expr.Arg) types.Type {
	scaling := op == opMultiply || op == opDivide
	other := b.Type.Kind()
	switch k := a.Type.Kind(); {
	case k == types.KindTimestampOffset:
		return types.TimestampTZ // arithmetic is on the instant
	case k == types.KindNull && scaling:
		return types.BigInt
	case k == types.KindNull && other == types.KindDate:
		return types.Integer
	case k == types.KindNull:
		return types.Interval
	case k == types.KindVarchar && a.Literal && op == opSubtract && other != types.KindTime:
		return b.Type // a date is subtracted from a date, an interval from an interval
	case k == types.KindVarchar && a.Literal && op == opAdd && other != types.KindDate:
		return types.Interval
	}
	return a.Type
}

// addTemporal binds x + y for the order of operands in which x is what is moved; swapped says that it was written y + x.
func (op *operator) addTemporal(x, y types.Type, swapped bool) *expr.Function {
	bind := func(result, x, y types.Type) *expr.Function {
		if swapped {
			x, y = y, x
		}
		return op.function(result, true, x, y)
	}
	switch xk, yk := x.Kind(), y.Kind(); {
	case xk == types.KindDate && y.IsInteger():
		if days, ok := dayCount(y); ok {
			return bind(types.Date, x, days)
		}
	case xk == types.KindDate && yk == types.KindTime:
		return bind(types.Timestamp, x, types.Time)
	case yk == types.KindInterval:
		if moved, result, ok := movedByInterval(x); ok {
			return bind(result, moved, y)
		}
	}
	return nil
}

// dayCount gives the integer type in which days are counted.
func dayCount(t types.Type) (types.Type, bool) {
	switch t.Kind() {
	case types.KindTinyInt, types.KindSmallInt, types.KindInteger, types.KindUTinyInt, types.KindUSmallInt:
		return types.Integer, true
	case types.KindUInteger, types.KindBigInt:
		return types.BigInt, true
	}
	return types.Type{}, false
}

// movedByInterval gives the type in which a value is moved by an interval and that of the result. Units coarser than the
// microseconds of an interval become microseconds.
func movedByInterval(t types.Type) (moved, result types.Type, ok bool) {
	switch t.Kind() {
	case types.KindDate:
		return t, types.Timestamp, true
	case types.KindTimestamp:
		t = types.TimestampOf(max(t.Unit(), types.Microsecond))
		return t, t, true
	case types.KindTimestampTZ:
		t = types.TimestampTZOf(max(t.Unit(), types.Microsecond), t.Zone())
		return t, t, true
	case types.KindTime:
		t = types.TimeOf(max(t.Unit(), types.Microsecond))
		return t, t, true
	case types.KindInterval:
		return t, t, true
	}
	return types.Type{}, types.Type{}, false
}

func (op *operator) subtractTemporal(x, y types.Type) *expr.Function {
	xk, yk := x.Kind(), y.Kind()
	switch {
	case xk == types.KindDate && yk == types.KindDate:
		return op.function(types.BigInt, true, x, y)
	case xk == types.KindDate && y.IsInteger():
		if days, ok := dayCount(y); ok {
			return op.function(types.Date, true, x, days)
		}
		return nil
	case yk == types.KindInterval:
		if moved, result, ok := movedByInterval(x); ok {
			return op.function(result, true, moved, y)
		}
		return nil
	}
	instant := func(k types.Kind) bool {
		return k == types.KindDate || k == types.KindTimestamp || k == types.KindTimestampTZ
	}
	if instant(xk) && instant(yk) {
		if t, err := expr.CommonType(expr.Arg{Type: x}, expr.Arg{Type: y}); err == nil {
			return op.function(types.Interval, true, t, t)
		}
	}
	return nil
}

// intervalFactor gives the type of the number that an interval is multiplied (whole: by BIGINT for integers) or divided by.
func intervalFactor(t types.Type, whole bool) (types.Type, bool) {
	switch {
	case whole && t.IsInteger() && t.Kind() != types.KindHugeInt && t.Kind() != types.KindUBigInt:
		return types.BigInt, true
	case t.IsNumeric():
		return types.Double, true
	}
	return types.Type{}, false
}
