package scalar

import (
	"math/bits"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// anyInteger is the set of integer element types up to 64 bits.
type anyInteger interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// bitOperator computes with two integers; ok is false with a message when it cannot.
type bitOperator uint8

const (
	bitAnd bitOperator = iota
	bitOr
	bitXor
	shiftLeft
	shiftRight
)

func registerBits(set *expr.Set) {
	for _, f := range []struct {
		name, signature, description, example string
		op                                    bitOperator
		canFail                               bool
	}{
		{"bit_and_op", "a & b", "The bits that both integers have.", "6 & 3 = 2", bitAnd, false},
		{"bit_or_op", "a | b", "The bits that either integer has.", "6 | 3 = 7", bitOr, false},
		{"xor", "xor(a INTEGER, b INTEGER)", "The bits that one of two integers has.", "xor(6, 3) = 5", bitXor, false},
		{"shift_left", "a << b", "The integer times two to the power of b; an error when bits are lost, or either is negative.", "1 << 4 = 16", shiftLeft, true},
		{"shift_right", "a >> b", "The integer without its b lowest bits; 0 when b is negative or not below the number of bits.", "20 >> 2 = 5", shiftRight, false},
	} {
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				t, ok, err := integerType(args, 2)
				if !ok || err != nil {
					return nil, err
				}
				return &expr.Function{Name: f.name, Args: []types.Type{t, t}, Result: t, CanFail: f.canFail, Kernel: bitKernel(f.op, t)}, nil
			},
			Signatures: []string{f.signature}, Description: f.description, Example: f.example,
		})
	}
	set.MustAdd(
		&expr.Family{
			Name: "bit_not",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				t, ok, err := integerType(args, 1)
				if !ok || err != nil {
					return nil, err
				}
				minusOne := bitKernel(bitXor, t)
				return &expr.Function{
					Name: "bit_not", Args: []types.Type{t}, Result: t,
					Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
						ones := types.NewConstant(onesOf(t), args[0].Len())
						return minusOne(env, out, []*types.Vector{args[0], ones})
					},
				}, nil
			},
			Signatures: []string{"~a"}, Description: "The integer with every bit turned over.", Example: "~5 = -6",
		},
		&expr.Family{
			Name: "bit_count",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				t, ok, err := integerType(args, 1)
				if !ok || err != nil {
					return nil, err
				}
				return &expr.Function{Name: "bit_count", Args: []types.Type{t}, Result: types.TinyInt, Kernel: bitCountKernel(t)}, nil
			},
			Signatures: []string{"bit_count(a INTEGER) -> TINYINT"}, Description: "The number of bits that are set.", Example: "bit_count(31) = 5",
		},
	)
}

// integerType gives the common type of integer arguments; NULL alone is INTEGER.
func integerType(args []expr.Arg, count int) (types.Type, bool, error) {
	if len(args) != count {
		return types.Type{}, false, nil
	}
	for _, a := range args {
		if !a.Type.IsInteger() && a.Type.Kind() != types.KindNull {
			return types.Type{}, false, nil
		}
	}
	t, err := expr.CommonTypeOf(args...)
	if t.Kind() == types.KindNull {
		t = types.Integer
	}
	return t, true, err
}

func bitKernel(op bitOperator, t types.Type) expr.Kernel {
	switch t.Storage() {
	case types.StorageInt8:
		return bitLoop[int8](op)
	case types.StorageInt16:
		return bitLoop[int16](op)
	case types.StorageInt32:
		return bitLoop[int32](op)
	case types.StorageInt64:
		return bitLoop[int64](op)
	case types.StorageUint8:
		return bitLoop[uint8](op)
	case types.StorageUint16:
		return bitLoop[uint16](op)
	case types.StorageUint32:
		return bitLoop[uint32](op)
	case types.StorageUint64:
		return bitLoop[uint64](op)
	}
	return wideBitLoop(op)
}

func bitLoop[T anyInteger](op bitOperator) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		a, b := columnOf[T](env, args[0]), columnOf[T](env, args[1])
		switch op {
		case bitAnd:
			return mapRows(env, out, args, func(i int) T { return a.at(i) & b.at(i) }), nil
		case bitOr:
			return mapRows(env, out, args, func(i int) T { return a.at(i) | b.at(i) }), nil
		case bitXor:
			return mapRows(env, out, args, func(i int) T { return a.at(i) ^ b.at(i) }), nil
		case shiftRight:
			width := uint64(8 * out.Storage().Width())
			return mapRows(env, out, args, func(i int) T {
				if by := b.at(i); by >= 0 && uint64(by) < width {
					return a.at(i) >> by
				}
				return 0
			}), nil
		}
		width := uint64(8 * out.Storage().Width())
		return tryRows(env, out, args, func(i int) (T, bool, *types.Error) {
			x, by := a.at(i), b.at(i)
			switch {
			case x < 0:
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "cannot shift the negative number %d left", x)
			case by < 0:
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "cannot shift left by the negative number %d", by)
			case x == 0:
				return 0, true, nil
			case uint64(by) >= width || x<<by>>by != x || x<<by < 0:
				return 0, false, types.Errorf(types.CodeNumericOutOfRange, "overflow in left shift (%d << %d)", x, by).WithHint("Cast an operand to a wider type.")
			}
			return x << by, true, nil
		})
	}
}

// wideBitLoop is bitLoop for HUGEINT.
func wideBitLoop(op bitOperator) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		a, b := columnOf[types.Int128](env, args[0]), columnOf[types.Int128](env, args[1])
		switch op {
		case bitAnd:
			return mapRows(env, out, args, func(i int) types.Int128 {
				x, y := a.at(i), b.at(i)
				return types.Int128{Lo: x.Lo & y.Lo, Hi: x.Hi & y.Hi}
			}), nil
		case bitOr:
			return mapRows(env, out, args, func(i int) types.Int128 {
				x, y := a.at(i), b.at(i)
				return types.Int128{Lo: x.Lo | y.Lo, Hi: x.Hi | y.Hi}
			}), nil
		case bitXor:
			return mapRows(env, out, args, func(i int) types.Int128 {
				x, y := a.at(i), b.at(i)
				return types.Int128{Lo: x.Lo ^ y.Lo, Hi: x.Hi ^ y.Hi}
			}), nil
		case shiftRight:
			return mapRows(env, out, args, func(i int) types.Int128 {
				if by := b.at(i); by.Hi == 0 && by.Lo < 128 {
					return shift128Right(a.at(i), uint(by.Lo))
				}
				return types.Int128{}
			}), nil
		}
		return tryRows(env, out, args, func(i int) (types.Int128, bool, *types.Error) {
			x, by := a.at(i), b.at(i)
			switch {
			case x.Hi < 0 || by.Hi < 0:
				return x, false, types.Errorf(types.CodeNumericOutOfRange, "cannot shift left with a negative number")
			case x == types.Int128{}:
				return x, true, nil
			case by.Hi > 0 || by.Lo >= 127:
				return x, false, types.Errorf(types.CodeNumericOutOfRange, "overflow in left shift")
			}
			shifted := shift128Left(x, uint(by.Lo))
			if shifted.Hi < 0 || shift128Right(shifted, uint(by.Lo)) != x {
				return x, false, types.Errorf(types.CodeNumericOutOfRange, "overflow in left shift")
			}
			return shifted, true, nil
		})
	}
}

func shift128Left(x types.Int128, by uint) types.Int128 {
	if by >= 64 {
		return types.Int128{Hi: int64(x.Lo << (by - 64))}
	}
	return types.Int128{Lo: x.Lo << by, Hi: x.Hi<<by | int64(x.Lo>>1>>(63-by))}
}

func shift128Right(x types.Int128, by uint) types.Int128 {
	if by >= 64 {
		return types.Int128{Lo: uint64(x.Hi >> (by - 64)), Hi: x.Hi >> 63}
	}
	return types.Int128{Lo: x.Lo>>by | uint64(x.Hi)<<1<<(63-by), Hi: x.Hi >> by}
}

// onesOf gives the integer whose bits are all set.
func onesOf(t types.Type) *types.Vector {
	switch t.Storage().Width() {
	case 1:
		return types.NewFixed(t, []uint8{^uint8(0)}, nil)
	case 2:
		return types.NewFixed(t, []uint16{^uint16(0)}, nil)
	case 4:
		return types.NewFixed(t, []uint32{^uint32(0)}, nil)
	case 8:
		return types.NewFixed(t, []uint64{^uint64(0)}, nil)
	}
	return types.NewFixed(t, []types.Int128{{Lo: ^uint64(0), Hi: -1}}, nil)
}

func bitCountKernel(t types.Type) expr.Kernel {
	return func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		switch t.Storage().Width() {
		case 1:
			x := columnOf[uint8](env, args[0])
			return mapRows(env, out, args, func(i int) int8 { return int8(bits.OnesCount8(x.at(i))) }), nil
		case 2:
			x := columnOf[uint16](env, args[0])
			return mapRows(env, out, args, func(i int) int8 { return int8(bits.OnesCount16(x.at(i))) }), nil
		case 4:
			x := columnOf[uint32](env, args[0])
			return mapRows(env, out, args, func(i int) int8 { return int8(bits.OnesCount32(x.at(i))) }), nil
		case 8:
			x := columnOf[uint64](env, args[0])
			return mapRows(env, out, args, func(i int) int8 { return int8(bits.OnesCount64(x.at(i))) }), nil
		}
		x := columnOf[types.Int128](env, args[0])
		return mapRows(env, out, args, func(i int) int8 { return int8(bits.OnesCount64(x.at(i).Lo) + bits.OnesCount64(uint64(x.at(i).Hi))) }), nil
	}
}
