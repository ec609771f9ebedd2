package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// operator is an arithmetic operator.
type operator struct {
	name, symbol string
	kernel       func(env *kernels.Env, out types.Type, a, b *types.Vector) (*types.Vector, error)
	signatures   []string
	description  string
	example      string
}

var (
	opAdd = &operator{
		"add", "+", kernels.Add, []string{"a + b", "date + days", "date + interval", "date + time", "interval + interval"},
		"The sum. Integers keep the wider type and must fit it; decimals get one more digit, up to 18, 38 or 76.", "1 + 2 = 3",
	}
	opSubtract = &operator{
		"subtract", "-", kernels.Sub, []string{"a - b", "date - days", "date - date -> BIGINT", "timestamp - timestamp -> INTERVAL", "date - interval"},
		"The difference, typed like a sum.", "DATE '2020-03-01' - DATE '2020-02-01' = 29",
	}
	opMultiply = &operator{
		"multiply", "*", kernels.Mul, []string{"a * b", "interval * number"},
		"The product. The digits after the point of decimals add up.", "1.5 * 1.5 = 2.25",
	}
	opDivide = &operator{
		"divide", "/", kernels.Div, []string{"a / b -> DOUBLE", "interval / number"},
		"The quotient as DOUBLE, or FLOAT for FLOAT. By zero it is infinite; 0 / 0 is NaN.", "7 / 2 = 3.5",
	}
	opIntDivide = &operator{
		"int_divide", "//", kernels.IntDiv, []string{"a // b"},
		"Of integers the quotient toward zero, of other numbers the quotient; NULL by zero.", "-7 // 2 = -3",
	}
	opMod = &operator{
		"mod", "%", kernels.Mod, []string{"a % b"},
		"The remainder of division toward zero, with the sign of a. By zero it is NULL, of floats NaN.", "-7 % 2 = -1",
	}
)

func registerArithmetic(set *expr.Set) {
	for _, op := range []*operator{opAdd, opSubtract, opMultiply, opDivide, opIntDivide, opMod} {
		set.MustAdd(&expr.Family{
			Name: op.name, Bind: op.bind, Signatures: op.signatures, Description: op.description, Example: op.example,
		})
	}
	set.MustAdd(&expr.Family{
		Name:        "negate",
		Bind:        bindNegate,
		Signatures:  []string{"-x"},
		Description: "The number or interval with the opposite sign.",
		Example:     "-(1 + 2) = -3",
	})
}

// function makes the bound function.
func (op *operator) function(result types.Type, canFail bool, args ...types.Type) *expr.Function {
	f := &expr.Function{
		Name: op.name, Args: args, Result: result, CanFail: canFail,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return op.kernel(env, out, args[0], args[1])
		},
	}
	if op == opIntDivide || op == opMod && !result.IsFloat() {
		f.Nulls = expr.NullFromValues
	}
	return f
}

func (op *operator) bind(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 {
		return nil, nil
	}
	a, b := args[0], args[1]
	if err := textBesideNumber(op.symbol, a, b); err != nil {
		return nil, err
	}
	if a.Type.IsTemporal() || b.Type.IsTemporal() {
		return op.bindTemporal(a, b), nil
	}
	a, b = typeLiterals(a, b)
	if !isNumber(a.Type) || !isNumber(b.Type) {
		return nil, nil
	}
	return op.bindNumbers(a, b)
}

// typeLiterals gives an untyped NULL and a string literal the type of the number beside it; BIGINT beside nothing of a type.
func typeLiterals(a, b expr.Arg) (expr.Arg, expr.Arg) {
	untyped := func(x expr.Arg) bool {
		return x.Type.Kind() == types.KindNull || x.Literal && x.Type.Kind() == types.KindVarchar
	}
	ua, ub := untyped(a), untyped(b)
	switch {
	case ua && ub && (a.Type.Kind() == types.KindNull) != (b.Type.Kind() == types.KindNull):
		return a, b // NULL + 'x': no type to be had
	case ua && ub && a.Type.Kind() == types.KindNull:
		return expr.Arg{Type: types.BigInt}, expr.Arg{Type: types.BigInt}
	case ua && !ub:
		return expr.Arg{Type: b.Type}, b
	case ub && !ua:
		return a, expr.Arg{Type: a.Type}
	}
	return a, b
}

func isNumber(t types.Type) bool { return t.IsNumeric() }

// bindNumbers binds an operator on two numbers.
func (op *operator) bindNumbers(a, b expr.Arg) (*expr.Function, error) {
	switch x, y := a.Type, b.Type; {
	case x.IsFloat() || y.IsFloat():
		t, err := expr.CommonType(a, b)
		if err != nil {
			return nil, err
		}
		return op.function(t, false, t, t), nil
	case op == opDivide, op == opIntDivide && !(x.IsInteger() && y.IsInteger()):
		return op.function(types.Double, false, types.Double, types.Double), nil
	case x.Kind() == types.KindDecimal || y.Kind() == types.KindDecimal:
		return op.bindDecimals(a, b)
	}
	t := integerResult(a, b)
	// Of the checked operators only % cannot leave the type.
	return op.function(t, op != opMod, t, t), nil
}

// integerResult gives the type in which integers are added: the one that holds both if it is one of the two, else BIGINT, or
// HUGEINT where that is too narrow.
func integerResult(a, b expr.Arg) types.Type {
	t, _ := expr.CommonType(a, b) // integers always have one
	if t.Equal(a.Type) || t.Equal(b.Type) || t.Kind() == types.KindHugeInt {
		return t
	}
	return types.BigInt
}

// decimalDigits gives the precision and scale of an integer or decimal in decimal arithmetic. HUGEINT counts 38 digits, so that
// it stays in 128 bits.
func decimalDigits(a expr.Arg) (precision, scale int) {
	t, _ := expr.AsDecimal(a)
	if a.Type.Kind() == types.KindHugeInt && !a.Literal {
		return 38, 0
	}
	return t.Precision(), t.Scale()
}

// precisionCap gives the most digits that a result of decimals of p and q digits may have, so that what was computed in 64 or
// 128 bits stays there. Scales that leave no digit before the point in 18 go on to 38.
func precisionCap(p, q, scale int) int {
	switch {
	case p <= 18 && q <= 18 && scale < 18:
		return 18
	case p <= 38 && q <= 38:
		return 38
	}
	return types.MaxDecimalPrecision
}

// bindDecimals binds + - * % on decimals, or an integer beside one.
func (op *operator) bindDecimals(a, b expr.Arg) (*expr.Function, error) {
	p1, s1 := decimalDigits(a)
	p2, s2 := decimalDigits(b)
	if op == opMultiply {
		scale := s1 + s2
		limit := precisionCap(p1, p2, scale)
		if scale > limit {
			return nil, types.Errorf(types.CodeNumericOutOfRange, "the product of %s and %s needs %d digits after the point, of at most %d",
				a.Type, b.Type, scale, limit).WithHint("Cast an operand to fewer digits after the point, or to DOUBLE.")
		}
		out := types.Decimal(min(p1+p2, limit), scale)
		return op.function(out, p1+p2 > limit, types.Decimal(p1, s1), types.Decimal(p2, s2)), nil
	}
	scale, whole := max(s1, s2), max(p1-s1, p2-s2)
	digits, limit := whole+scale+1, precisionCap(p1, p2, scale)
	if op == opMod {
		digits, limit = whole+scale, max(limit, 38) // no carry; the operands, not the result, need the digits
	}
	out := types.Decimal(max(1, min(digits, limit)), scale)
	// The operands get the result's scale; what then does not fit the result's digits fails in the cast.
	operand := func(p, s int) types.Type { return types.Decimal(max(1, min(p-s+scale, out.Precision())), scale) }
	return op.function(out, digits > limit, operand(p1, s1), operand(p2, s2)), nil
}

func bindNegate(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 1 {
		return nil, nil
	}
	t := args[0].Type
	switch {
	case t.Kind() == types.KindNull:
		t = types.Integer
	case !t.IsNumeric() && t.Kind() != types.KindInterval:
		return nil, nil
	}
	return &expr.Function{
		Name: "negate", Args: []types.Type{t}, Result: t, CanFail: t.IsInteger() || t.Kind() == types.KindInterval,
		Kernel: func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			return kernels.Neg(env, args[0])
		},
	}, nil
}
