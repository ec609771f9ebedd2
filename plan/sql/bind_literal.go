package sql

import (
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// literalOf remembers that a constant was written as a literal: it adapts to its partner's type.
func (b *binder) literalOf(v *types.Vector) *expr.Expr {
	e := expr.NewConstant(v)
	e.Literal = true
	return e
}

func (b *binder) literal(n *Literal) (*expr.Expr, error) {
	switch n.Kind {
	case NullLiteral:
		return b.literalOf(types.NewNull(types.Null, 1)), nil
	case BooleanLiteral:
		e := expr.NewBool(n.Text == "true")
		e.Literal = true
		return e, nil
	case StringLiteral:
		return b.textLiteral(n, n.Text, types.Varchar)
	case BlobLiteral:
		v, err := types.NewValue(types.Blob, []byte(n.Text))
		if err != nil {
			return nil, err
		}
		return b.literalOf(v), nil
	case IntegerLiteral:
		return b.textLiteral(n, n.Text, integerType(n.Text))
	case DecimalLiteral:
		return b.textLiteral(n, n.Text, decimalLiteralType(n.Text))
	case FloatLiteral:
		return b.textLiteral(n, n.Text, types.Double)
	case BitLiteral:
		v, err := types.NewValue(types.Bit, n.Text)
		if err != nil {
			return nil, err
		}
		return b.literalOf(v), nil
	}
	return nil, b.unsupported(n, "this literal")
}

// textLiteral reads a literal's text as a value of a type.
func (b *binder) textLiteral(n Node, text string, t types.Type) (*expr.Expr, error) {
	var value any = text
	if t.Kind() == types.KindInteger || t.Kind() == types.KindBigInt {
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = number
		}
	}
	_, isNumber := value.(int64)
	if isNumber || t.Kind() == types.KindDecimal || t.Kind() == types.KindVarchar {
		// A cast would compile a program for each number of a long VALUES.
		v, err := types.NewValue(t, value)
		if err != nil {
			return nil, b.located(n, err)
		}
		return b.literalOf(v), nil
	}
	v, err := types.NewValue(types.Varchar, text)
	if err != nil {
		return nil, err
	}
	if v, err = expr.Evaluate(expr.NewCast(expr.NewConstant(v), t, false).In(b.session.Zone)); err != nil {
		return nil, b.located(n, err)
	}
	return b.literalOf(v), nil
}

// integerType gives the type of an integer literal: the first of INTEGER, BIGINT, HUGEINT that holds it, else DOUBLE, as in DuckDB.
func integerType(digits string) types.Type {
	digits = strings.TrimLeft(digits, "0")
	switch {
	case len(digits) <= 18:
		if v, err := strconv.ParseInt("0"+digits, 10, 32); err == nil && v >= 0 {
			return types.Integer
		}
		return types.BigInt
	case len(digits) == 19 && digits <= "9223372036854775807":
		return types.BigInt
	case len(digits) < 39 || len(digits) == 39 && digits <= "170141183460469231731687303715884105727":
		return types.HugeInt
	}
	return types.Double
}

// decimalLiteralType gives DECIMAL with the digits that are written, 0.05 being DECIMAL(3,2) as in DuckDB, and DOUBLE when they are more than a
// DECIMAL has.
func decimalLiteralType(text string) types.Type {
	whole, fraction, _ := strings.Cut(text, ".")
	precision := max(1, len(whole)+len(fraction))
	if precision > types.MaxDecimalPrecision {
		return types.Double
	}
	return types.Decimal(precision, len(fraction))
}

func (b *binder) parameter(n *Parameter) (*expr.Expr, error) {
	name := n.key()
	if v, given := b.parameters[name]; given {
		b.used[name] = true
		return b.literalOf(v), nil
	}
	if !b.session.OpenParameters {
		return nil, b.errorAt(n, types.CodeUndefinedParameter, "no value was given for parameter %s", b.source(n))
	}
	t, known := b.open[name]
	if !known {
		b.open[name] = types.Null
	}
	return &expr.Expr{Op: expr.Parameter, Column: n.Number, Name: name, Type: t, Nullable: true, Position: n.Start}, nil
}

// typeParameter gives a parameter without a value the type that its place asks for. Where places differ, the first decides, and the others cast.
func (b *binder) typeParameter(e *expr.Expr, to types.Type) *expr.Expr {
	b.open[e.Name] = to
	typed := *e
	typed.Type = to
	return &typed
}
