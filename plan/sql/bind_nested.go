package sql

import (
	"fmt"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// structLiteral binds {'a': x, ...}.
func (b *binder) structLiteral(n *Struct, c *exprContext) (*expr.Expr, error) {
	args, names := make([]*expr.Expr, len(n.Fields)), make([]string, len(n.Fields))
	for i, f := range n.Fields {
		e, err := b.expr(f.Value, c)
		if err != nil {
			return nil, err
		}
		args[i], names[i] = e, f.Name.Name
	}
	return b.applyNamed(n, "struct_pack", names, args)
}

// mapLiteral binds MAP {k: v, ...} as map([k, ...], [v, ...]).
func (b *binder) mapLiteral(n *Map, c *exprContext) (*expr.Expr, error) {
	if len(n.Entries) == 0 {
		return b.applyTo(n, "map")
	}
	var keys, values []Expr
	for _, e := range n.Entries {
		keys, values = append(keys, e.Key), append(values, e.Value)
	}
	k, err := b.apply(n, "list_value", c, keys...)
	if err != nil {
		return nil, err
	}
	v, err := b.apply(n, "list_value", c, values...)
	if err != nil {
		return nil, err
	}
	return b.applyTo(n, "map", k, v)
}

// index binds x[i]: an element of a list, a character of a text, the value under a key of a map, or a field of a struct.
func (b *binder) index(n *Index, c *exprContext) (*expr.Expr, error) {
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	if n.Index == nil {
		return nil, b.errorAt(n, types.CodeSyntax, "the index is missing")
	}
	i, err := b.expr(n.Index, c)
	if err != nil {
		return nil, err
	}
	return b.applyTo(n, "list_extract", x, i)
}

// slice binds x[low:high] and x[low:high:step]. A bound that is left open is the end of the list on that side, seen in the direction of the step.
func (b *binder) slice(n *Slice, c *exprContext) (*expr.Expr, error) {
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	args := []*expr.Expr{x, nil, nil}
	first, last := int64(1), int64(-1)
	if n.Step != nil {
		step, err := b.expr(n.Step, c)
		if err != nil {
			return nil, err
		}
		step = expr.Fold(step)
		args = append(args, step)
		switch {
		case n.Low != nil && n.High != nil:
		case step.Op != expr.Constant || !step.Type.IsInteger():
			return nil, b.unsupported(n.Step, "a slice with an open bound and a step that is no constant")
		case !step.IsNullConstant() && types.Text(step.Value, 0)[0] == '-':
			first, last = last, first
		}
	}
	for i, bound := range []struct {
		n    Expr
		open int64
	}{{n.Low, first}, {n.High, last}} {
		if bound.n == nil {
			args[i+1] = expr.NewConstant(types.NewFixed(types.BigInt, []int64{bound.open}, nil))
			continue
		}
		if args[i+1], err = b.expr(bound.n, c); err != nil {
			return nil, err
		}
	}
	return b.applyTo(n, "list_slice", args...)
}

// field binds (x).name.
func (b *binder) field(n Node, x *expr.Expr, name Ident) (*expr.Expr, error) {
	key, err := types.NewValue(types.Varchar, name.Name)
	if err != nil {
		return nil, err
	}
	switch x.Type.Kind() {
	case types.KindStruct:
		return b.applyTo(name, "struct_extract", x, expr.NewConstant(key))
	case types.KindUnion:
		return b.applyTo(name, "union_extract", x, expr.NewConstant(key))
	case types.KindMap:
		return b.applyTo(name, "map_extract_value", x, b.literalOf(key))
	}
	what := b.source(n)
	if x.Op == expr.Column {
		what = fmt.Sprintf("column %q", x.Name)
	}
	return nil, b.errorAt(name, types.CodeWrongObjectType, "%s has type %s, which has no fields", what, x.Type)
}

// quantifiedList binds x op ANY (list) and x op ALL (list) of a list value.
func (b *binder) quantifiedList(n *Quantified, c *exprContext) (*expr.Expr, error) {
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	list, err := b.expr(n.Value, c)
	if err != nil {
		return nil, err
	}
	switch {
	case n.Op == "=" && !n.All:
		return b.inValue(n, x, list)
	case n.Op == "<>" && n.All:
		e, err := b.inValue(n, x, list)
		if err != nil {
			return nil, err
		}
		return b.applyTo(n, "not", e)
	}
	name := binaryFunctions[n.Op]
	if name == "" {
		return nil, b.unsupported(n, "the operator %s with ANY or ALL", n.Op)
	}
	suffix := "_any"
	if n.All {
		suffix = "_all"
	}
	return b.applyTo(n, name+suffix, x, list)
}
