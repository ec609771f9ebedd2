package kernels

import (
	"math"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// This file is + - * / // % and negation of numbers. The binder has brought both operands to the types that the result type asks
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

func integerArithmetic[T integer](env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	n, valid := a.Len(), bothValid(env, a, b)
	describe := func(i int) *types.Error { return overflow(op, out, a, b, i) }
	switch op {
	case opDiv:
		return nil, noOperator(op, a, b)
	case opIntDiv, opMod:
		loop := divIntegers[T]
		if op == opMod {
			loop = modIntegers[T]
		}
		valid = dropZeros(env, n, valid, types.ValuesOf[T](b), columnStep(b))
		return runChecked(env, out, a, b, valid, loop, describe)
	}
	dst, bad := types.Alloc[T](env.pool(), n), env.pool().Bitmap(n)
	if wrappingArithmetic(op, dst, a, b, bad) {
		var err error
		if valid, err = env.settle(n, valid, bad.Get, describe); err != nil {
			return nil, err
		}
	}
	return types.NewFixed(out, dst, valid), nil
}

// wrappingArithmetic computes + - or * of every slot, wrapping around, sets the bits of bad where that changed the result, and
// tells whether there are any.
func wrappingArithmetic[T integer](op arithOp, dst []T, a, b *types.Vector, bad types.Bitmap) bool {
	x, y := types.ValuesOf[T](a), types.ValuesOf[T](b)
	n := len(dst)
	switch {
	case n == 0:
		return false
	case a.Encoding() == types.Constant:
		y = y[:n]
		switch op {
		case opAdd:
			return asm.AddConstChecked(dst, y, x[0], bad)
		case opSub:
			return asm.ConstSubChecked(dst, x[0], y, bad)
		}
		return asm.MulConstChecked(dst, y, x[0], bad)
	case b.Encoding() == types.Constant:
		x = x[:n]
		switch op {
		case opAdd:
			return asm.AddConstChecked(dst, x, y[0], bad)
		case opSub:
			return asm.SubConstChecked(dst, x, y[0], bad)
		}
		return asm.MulConstChecked(dst, x, y[0], bad)
	}
	x, y = x[:n], y[:n]
	switch op {
	case opAdd:
		return asm.AddChecked(dst, x, y, bad)
	case opSub:
		return asm.SubChecked(dst, x, y, bad)
	}
	return asm.MulChecked(dst, x, y, bad)
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

// divIntegers gives 0 for a zero divisor. Only the smallest signed value by -1 overflows; Go gives the dividend back for it.
func divIntegers[T integer](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	over := false
	for i := range dst {
		x, y := a[i], b[i]
		var q T
		if y != 0 {
			q = x / y
			over = over || y+1 == 0 && q == x && x != 0
		}
		dst[i] = q
	}
	return over
}

// modIntegers gives 0 for a zero divisor.
func modIntegers[T integer](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		var r T
		if y := b[i]; y != 0 {
			r = a[i] % y
		}
		dst[i] = r
	}
	return false
}

func hugeArithmetic(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	valid := bothValid(env, a, b)
	switch op {
	case opDiv:
		return nil, noOperator(op, a, b)
	case opIntDiv, opMod:
		valid = dropZeros128(env, a.Len(), valid, types.ValuesOf[int128](b), columnStep(b))
	}
	return runChecked(env, out, a, b, valid, loops128(op), func(i int) *types.Error { return overflow(op, out, a, b, i) })
}

// loops128 gives the checked loop of an operator on 128-bit integers; nil if it has none.
func loops128(op arithOp) func(dst, a, b []int128) bool {
	switch op {
	case opAdd:
		return func(dst, a, b []int128) (failed bool) {
			for i := range dst {
				r, over := add128(a[i], b[i])
				dst[i] = r
				failed = failed || over
			}
			return failed
		}
	case opSub:
		return func(dst, a, b []int128) (failed bool) {
			for i := range dst {
				r, over := sub128(a[i], b[i])
				dst[i] = r
				failed = failed || over
			}
			return failed
		}
	case opMul:
		return func(dst, a, b []int128) (failed bool) {
			for i := range dst {
				r, over := mul128(a[i], b[i])
				dst[i] = r
				failed = failed || over
			}
			return failed
		}
	case opIntDiv:
		return func(dst, a, b []int128) (failed bool) {
			for i := range dst {
				dst[i] = int128{}
				if b[i] != (int128{}) {
					dst[i], _ = divMod128(a[i], b[i])
					failed = failed || a[i] == min128 && b[i] == int128From64(-1)
				}
			}
			return failed
		}
	case opMod:
		return func(dst, a, b []int128) bool {
			for i := range dst {
				dst[i] = int128{}
				if b[i] != (int128{}) {
					_, dst[i] = divMod128(a[i], b[i])
				}
			}
			return false
		}
	}
	return nil
}

// dropZeros128 takes the rows whose divisor is zero out of a validity.
func dropZeros128(env *Env, n int, valid types.Bitmap, divisors []int128, step int) types.Bitmap {
	dropped := false
	for i := range n {
		if divisors[i*step] == (int128{}) {
			if !dropped {
				valid, dropped = copyValidity(env.pool(), valid, n), true
			}
			valid.Clear(i)
		}
	}
	return valid
}

func floatArithmetic[T float](env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	n := a.Len()
	valid := bothValid(env, a, b)
	dst := types.Alloc[T](env.pool(), n)
	loop := addFloats[T]
	switch op {
	case opSub:
		loop = subFloats[T]
	case opMul:
		loop = mulFloats[T]
	case opDiv:
		loop = divFloats[T]
	case opIntDiv:
		loop = divFloats[T]
		valid = dropZeros(env, n, valid, types.ValuesOf[T](b), columnStep(b))
	case opMod:
		loop = modFloats[T]
	}
	zipBlocks(env, dst, a, b, loop)
	return types.NewFixed(out, dst, valid), nil
}

func addFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
	return false
}

func subFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
	return false
}

func mulFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
	return false
}

func divFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
	return false
}

func modFloats[T float](dst, a, b []T) bool {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Mod(float64(a[i]), float64(b[i])))
	}
	return false
}

// Neg gives -v: of integers checked, of floats, DECIMAL and INTERVAL. The result has v's type.
func Neg(env *Env, v *types.Vector) (*types.Vector, error) {
	if v.Type().Kind() == types.KindNull {
		return v, nil
	}
	return applyUnary(env, v, func(env *Env, v *types.Vector) (*types.Vector, error) {
		if v.Type().Kind() == types.KindInterval {
			return negateIntervals(env, v)
		}
		if v.Type().IsNumeric() {
			switch v.Type().Storage() {
			case types.StorageFloat16:
				return negateBits[uint16](env, v, 1<<15), nil
			case types.StorageFloat32:
				return negateBits[uint32](env, v, 1<<31), nil
			case types.StorageFloat64:
				return negateBits[uint64](env, v, 1<<63), nil
			case types.StorageInt8:
				return negateIntegers[int8](env, v)
			case types.StorageInt16:
				return negateIntegers[int16](env, v)
			case types.StorageInt32:
				return negateIntegers[int32](env, v)
			case types.StorageInt64:
				return negateIntegers[int64](env, v)
			case types.StorageUint8:
				return negateIntegers[uint8](env, v)
			case types.StorageUint16:
				return negateIntegers[uint16](env, v)
			case types.StorageUint32:
				return negateIntegers[uint32](env, v)
			case types.StorageUint64:
				return negateIntegers[uint64](env, v)
			case types.StorageInt128:
				return negateHuge(env, v)
			case types.StorageInt256:
				dst := types.Alloc[int256](env.pool(), v.Len())
				for i, x := range types.ValuesOf[int256](v)[:v.Len()] {
					dst[i] = neg256(x)
				}
				return types.NewFixed(v.Type(), dst, v.Validity()), nil
			}
		}
		return nil, types.Errorf(types.CodeUndefinedFunction, "no operator - for %s", v.Type())
	})
}

// negateBits flips the sign bit of floats; unlike 0-x it turns 0 into -0, as IEEE's negate does.
func negateBits[T uint16 | uint32 | uint64](env *Env, v *types.Vector, sign T) *types.Vector {
	dst := types.Alloc[T](env.pool(), v.Len())
	for i, x := range types.ValuesOf[T](v)[:v.Len()] {
		dst[i] = x ^ sign
	}
	return types.NewFixed(v.Type(), dst, v.Validity())
}

// negateIntegers gives 0 - v.
func negateIntegers[T integer](env *Env, v *types.Vector) (*types.Vector, error) {
	n, valid := v.Len(), v.Validity()
	dst, bad := types.Alloc[T](env.pool(), n), env.pool().Bitmap(n)
	if asm.ConstSubChecked(dst, 0, types.ValuesOf[T](v)[:n], bad) {
		var err error
		if valid, err = env.settle(n, valid, bad.Get, negationOverflow(v)); err != nil {
			return nil, err
		}
	}
	return types.NewFixed(v.Type(), dst, valid), nil
}

func negateHuge(env *Env, v *types.Vector) (*types.Vector, error) {
	zero := types.NewConstant(types.NewFixed(v.Type(), make([]int128, 1), nil), v.Len())
	return runChecked(env, v.Type(), zero, v, v.Validity(), loops128(opSub), negationOverflow(v))
}

func negationOverflow(v *types.Vector) func(int) *types.Error {
	return func(i int) *types.Error {
		return types.Errorf(types.CodeNumericOutOfRange, "overflow in negation of %s (%s)", v.Type(), types.Text(v, i))
	}
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
