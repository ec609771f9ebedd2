package kernels

import (
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// integerArithmetic is the kernel of + - * // % on integers of at most 64 bits.
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
		if valid, err = env.settleBad(n, valid, bad, describe); err != nil {
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

// hugeArithmetic is the kernel of + - * // % on HUGEINT.
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
