package expr

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Evaluate computes an expression without columns once and gives its value as a constant of one row, owned by the caller.
func Evaluate(e *Expr) (*types.Vector, error) {
	ev := NewEvaluator(Compile(e), nil)
	out, err := ev.Eval(nil, types.NewBatch(nil, 1, 0))
	if err != nil {
		return nil, err
	}
	v := out[0]
	if v.Encoding() != types.Constant {
		v = kernels.Decode(&kernels.Env{}, v)
	}
	return types.NewConstant(v, 1), nil
}

// Fold replaces every subexpression without columns and volatile calls by its value. What would raise stays as it is: the query may
// never come to evaluate it (architecture rule 3).
func Fold(e *Expr) *Expr {
	return e.Rewrite(func(n *Expr) *Expr {
		switch n.Op {
		case Column, Constant, Parameter, OuterColumn, Subquery:
			return n
		}
		if n.Op == Call && n.Function.Volatile {
			return n
		}
		for _, a := range n.Args {
			if a.Op != Constant {
				return n
			}
		}
		v, err := Evaluate(n)
		if err != nil {
			return n
		}
		c := NewConstant(v)
		c.Position = n.Position
		return c
	})
}
