package sql

import (
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// subqueryInputs collects what a subquery in an expression takes from around it.
type subqueryInputs struct {
	around *exprContext // of the expression in which the subquery stands
	inputs []plan.Column
	args   []*expr.Expr // the values of the inputs, in the scope around
}

// take gives the input that stands for a value from around the subquery.
func (q *subqueryInputs) take(b *binder, n *Column, value *expr.Expr) *expr.Expr {
	if value.Op == expr.Constant {
		return value
	}
	for i, known := range q.args {
		if known.Equal(value) {
			return outer(q.inputs[i])
		}
	}
	input := plan.Column{ID: b.ids.New(), Field: types.Field{Name: b.columnName(n), Type: value.Type, Nullable: value.Nullable}}
	q.inputs, q.args = append(q.inputs, input), append(q.args, value.At(n.Start))
	return outer(input)
}

func outer(c plan.Column) *expr.Expr { return expr.NewOuterColumn(c.ID, c.Name, c.Type, c.Nullable) }
