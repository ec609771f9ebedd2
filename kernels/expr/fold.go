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
		return nil, dropRow(err)
	}
	v := out[0]
	if v.Encoding() != types.Constant {
		v = kernels.Decode(&kernels.Env{}, v)
	}
	return types.NewConstant(v, 1), nil
}

// Fold replaces every subexpression without columns and volatile calls by its value, and drops what constants decide: TRUE under AND,
// branches of CASE that are never chosen, what stands behind FALSE under AND. What would raise stays as it is, for the query may never come to
// evaluate it, and nothing is dropped that the query as written would have evaluated and that may raise (architecture rule 3).
func Fold(e *Expr) *Expr {
	return e.Rewrite(func(n *Expr) *Expr {
		switch n.Op {
		case Call, Cast:
			return foldCall(n)
		case And:
			return foldLogic(n, NewAnd, false)
		case Or:
			return foldLogic(n, NewOr, true)
		case Case:
			return foldCase(n)
		case Coalesce:
			return foldCoalesce(n)
		}
		return n
	})
}

// foldCall evaluates a function or cast of constants.
func foldCall(n *Expr) *Expr {
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
	return NewConstant(v).At(n.Position)
}

// foldLogic drops the arguments of AND that are TRUE, and those behind one that is FALSE, which are never evaluated; of OR, with deciding true, the
// other way round.
func foldLogic(n *Expr, join func(...*Expr) *Expr, deciding bool) *Expr {
	var kept []*Expr
	harmless := true // nothing kept may raise or is volatile
	for _, a := range n.Args {
		if a.Op == Constant && !a.IsNullConstant() {
			if a.IsTrue() != deciding {
				continue
			}
			if harmless {
				return a.At(n.Position)
			}
			kept = append(kept, a)
			break
		}
		harmless = harmless && !a.CanFail() && !a.IsVolatile()
		kept = append(kept, a)
	}
	switch {
	case len(kept) > 0 && allNull(kept):
		return kept[0].At(n.Position)
	case len(kept) == len(n.Args):
		return n
	}
	return join(kept...).At(n.Position)
}

func allNull(args []*Expr) bool {
	for _, a := range args {
		if !a.IsNullConstant() {
			return false
		}
	}
	return true
}

// foldCase drops branches whose condition is never true, and everything behind one whose condition always is.
func foldCase(n *Expr) *Expr {
	last := len(n.Args) - 1
	var kept []*Expr
	otherwise := n.Args[last]
	for i := 0; i < last; i += 2 {
		condition, value := n.Args[i], n.Args[i+1]
		if condition.Op != Constant {
			kept = append(kept, condition, value)
		} else if condition.IsTrue() {
			otherwise = value
			break
		}
	}
	switch {
	case len(kept) == 0:
		return otherwise
	case len(kept) == last:
		return n
	}
	return NewCase(append(kept, otherwise)...).At(n.Position)
}

// foldCoalesce drops arguments that are NULL, and everything behind one that never is.
func foldCoalesce(n *Expr) *Expr {
	var kept []*Expr
	for _, a := range n.Args {
		if a.IsNullConstant() {
			continue
		}
		kept = append(kept, a)
		if !a.Nullable {
			break
		}
	}
	switch len(kept) {
	case 0:
		return n.Args[0]
	case 1:
		return kept[0]
	case len(n.Args):
		return n
	}
	return NewCoalesce(kept...).At(n.Position)
}
