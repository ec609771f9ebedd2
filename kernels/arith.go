package kernels

import "github.com/lacunadb/lacuna/types"

// This file is + - * / // % and what their kernels share. The binder has brought both operands to the types that the result type asks
// for: integers and floats to the result's own type, decimals to what arith_decimal.go says; a temporal operand leads to
// temporal.go. Overflow is an error, or null in Try mode.

type arithOp uint8

const (
	opAdd arithOp = iota
	opSub
	opMul
	opDiv
	opIntDiv
	opMod
)

func (op arithOp) sign() string { return [...]string{"+", "-", "*", "/", "//", "%"}[op] }

func (op arithOp) noun() string {
	return [...]string{"addition", "subtraction", "multiplication", "division", "division", "modulo"}[op]
}

// Add gives a + b as type out: integers and HUGEINT checked, floats, DECIMAL of equal scales, and the sums of dates, times and
// intervals.
func Add(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opAdd, out, a, b)
}

// Sub gives a - b as type out; see Add.
func Sub(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opSub, out, a, b)
}

// Mul gives a * b as type out. For decimals out's scale is the sum of both scales. An INTERVAL may be multiplied by BIGINT or DOUBLE.
func Mul(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opMul, out, a, b)
}

// Div gives a / b of floats, where a number by zero is infinite and 0/0 is NaN, and of an INTERVAL by BIGINT or DOUBLE.
func Div(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opDiv, out, a, b)
}

// IntDiv gives a // b: of integers the quotient truncated toward zero, of floats that of Div. By zero it is null.
func IntDiv(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opIntDiv, out, a, b)
}

// Mod gives a % b with the sign of a. By zero it is null for integers and decimals, NaN for floats.
func Mod(env *Env, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	return arithmetic(env, opMod, out, a, b)
}

func arithmetic(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	if a.Type().IsTemporal() || b.Type().IsTemporal() {
		return temporalArithmetic(env, op, out, a, b)
	}
	for _, v := range []*types.Vector{a, b} {
		if k := v.Type().Kind(); k != out.Kind() && k != types.KindNull {
			return nil, noOperator(op, a, b)
		}
	}
	return applyBinary(env, out, a, b, func(env *Env, a, b *types.Vector) (*types.Vector, error) {
		if out.Kind() == types.KindDecimal {
			return decimalArithmetic(env, op, out, a, b)
		}
		switch out.Storage() {
		case types.StorageInt8:
			return integerArithmetic[int8](env, op, out, a, b)
		case types.StorageInt16:
			return integerArithmetic[int16](env, op, out, a, b)
		case types.StorageInt32:
			return integerArithmetic[int32](env, op, out, a, b)
		case types.StorageInt64:
			return integerArithmetic[int64](env, op, out, a, b)
		case types.StorageUint8:
			return integerArithmetic[uint8](env, op, out, a, b)
		case types.StorageUint16:
			return integerArithmetic[uint16](env, op, out, a, b)
		case types.StorageUint32:
			return integerArithmetic[uint32](env, op, out, a, b)
		case types.StorageUint64:
			return integerArithmetic[uint64](env, op, out, a, b)
		case types.StorageInt128:
			return hugeArithmetic(env, op, out, a, b)
		case types.StorageFloat16:
			r, err := floatArithmetic[float32](env, op, types.Float, halvesToFloats(env, a), halvesToFloats(env, b))
			if err != nil {
				return nil, err
			}
			return floatsToHalves(env, r), nil
		case types.StorageFloat32:
			return floatArithmetic[float32](env, op, out, a, b)
		case types.StorageFloat64:
			return floatArithmetic[float64](env, op, out, a, b)
		}
		return nil, noOperator(op, a, b)
	})
}

// noOperator is the error for operand types that an operator does not take; the binder lets none through.
func noOperator(op arithOp, a, b *types.Vector) error {
	return types.Errorf(types.CodeUndefinedFunction, "no operator %s for %s and %s", op.sign(), a.Type(), b.Type())
}

// blockRows is how many rows a binary loop gets at a time: a constant operand is spread over one block that stays in cache, and a
// second pass over the results finds them there.
const blockRows = 1024

// zipBlocks calls a loop block by block on two vectors of which one may be constant; it tells whether any call returned true.
func zipBlocks[A, B, R types.Fixed](env *Env, dst []R, a, b *types.Vector, loop func(dst []R, a []A, b []B) bool) bool {
	x, y := types.ValuesOf[A](a), types.ValuesOf[B](b)
	block := min(blockRows, len(dst))
	if a.Encoding() == types.Constant && len(dst) > 0 {
		x = repeatValue(env.pool(), x, block)
	}
	if b.Encoding() == types.Constant && len(dst) > 0 {
		y = repeatValue(env.pool(), y, block)
	}
	xStep, yStep := columnStep(a), columnStep(b)
	failed := false
	for i := 0; i < len(dst); i += block {
		n := min(block, len(dst)-i)
		if loop(dst[i:i+n], x[i*xStep:][:n], y[i*yStep:][:n]) {
			failed = true
		}
	}
	return failed
}

// runChecked computes plain vectors of which one may be constant with a loop that tells whether any of its rows failed, and settles
// the failures among the valid rows. The result is null where valid has no bit.
func runChecked[A, B, R types.Fixed](env *Env, out types.Type, a, b *types.Vector, valid types.Bitmap,
	loop func(dst []R, a []A, b []B) bool, describe func(row int) *types.Error) (*types.Vector, error) {
	n := a.Len()
	dst := types.Alloc[R](env.pool(), n)
	if zipBlocks(env, dst, a, b, loop) {
		x, y := types.ValuesOf[A](a), types.ValuesOf[B](b)
		xStep, yStep := columnStep(a), columnStep(b)
		var r [1]R
		var err error
		valid, err = env.settle(n, valid, func(i int) bool { return loop(r[:], x[i*xStep:][:1], y[i*yStep:][:1]) }, describe)
		if err != nil {
			return nil, err
		}
	}
	return types.NewFixed(out, dst, valid), nil
}

// dropZeros takes the rows whose divisor is zero out of a validity.
func dropZeros[T integer | float](env *Env, n int, valid types.Bitmap, divisors []T, step int) types.Bitmap {
	if step == 0 {
		if divisors[0] == 0 {
			return env.pool().ZeroBitmap(n)
		}
		return valid
	}
	dropped := false
	for i, y := range divisors[:n] {
		if y == 0 {
			if !dropped {
				valid, dropped = copyValidity(env.pool(), valid, n), true
			}
			valid.Clear(i)
		}
	}
	return valid
}

// overflow is the error of row i of a op b, as in: overflow in addition of INTEGER (2147483647 + 1).
func overflow(op arithOp, out types.Type, a, b *types.Vector, i int) *types.Error {
	e := types.Errorf(types.CodeNumericOutOfRange, "overflow in %s of %s (%s %s %s)", op.noun(), out,
		types.Text(a, i), op.sign(), types.Text(b, i))
	switch {
	case out.Kind() != types.KindDecimal:
		return e.WithHint("Cast an operand to a wider type.")
	case op == opMul && out.Precision() > 18:
		return e.WithHint("Cast an operand to a DECIMAL with a smaller scale, or to DOUBLE.")
	}
	return e.WithHint("Cast an operand to a DECIMAL with more digits.")
}
