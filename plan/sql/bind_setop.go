package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

func (op SetOperator) String() string {
	return [...]string{Union: "UNION", Intersect: "INTERSECT", Except: "EXCEPT"}[op]
}

// setOperation binds UNION, INTERSECT and EXCEPT. A chain leans to the left and may be thousands long: its operands are bound in a loop. With the result
// come the names that operands other than the first give its columns, for ORDER BY.
func (b *binder) setOperation(n *SetOperation, s *scope) (result plan.Node, names map[string]int, err error) {
	var chain []*SetOperation
	left := QueryBody(n)
	for {
		next, ok := left.(*SetOperation)
		if !ok {
			break
		}
		chain = append(chain, next)
		left = next.Left
	}
	if result, err = b.body(left, s); err != nil {
		return nil, nil, err
	}
	names = map[string]int{}
	for i := len(chain) - 1; i >= 0; i-- {
		op := chain[i]
		right, err := b.body(op.Right, s)
		if err != nil {
			return nil, nil, err
		}
		for i, c := range right.Columns() {
			key := strings.ToLower(c.Name)
			if _, known := names[key]; !known && !op.ByName {
				names[key] = i
			}
		}
		if result, err = b.combine(op, result, right); err != nil {
			return nil, nil, err
		}
	}
	return result, names, nil
}

// combine binds one set operation over bound operands.
func (b *binder) combine(n *SetOperation, left, right plan.Node) (plan.Node, error) {
	switch {
	case n.Op == Union && n.ByName:
		var err error
		if left, right, err = b.byName(n, left, right); err != nil {
			return nil, err
		}
		return b.union(n, left, right)
	case n.ByName:
		return nil, b.unsupported(n.Right, "%s BY NAME", n.Op)
	case n.Op == Union:
		return b.union(n, left, right)
	}
	return b.intersect(n, left, right)
}

// matchColumns casts the columns of both operands to common types.
func (b *binder) matchColumns(n *SetOperation, left, right plan.Node) (plan.Node, plan.Node, error) {
	l, r := left.Columns(), right.Columns()
	if len(l) != len(r) {
		return nil, nil, b.errorAt(n.Right, types.CodeSyntax, "each %s query must have the same number of columns: %d and %d", n.Op, len(l), len(r))
	}
	targets := make([]types.Type, len(l))
	for i := range l {
		t, err := expr.SetOperationType(l[i].Type, r[i].Type)
		if err != nil {
			return nil, nil, b.errorAt(n.Right, types.CodeDatatypeMismatch, "%s types %s and %s of column %d cannot be matched", n.Op, l[i].Type, r[i].Type, i+1)
		}
		if n.Op != Union || !n.All {
			if err := b.groupable(n.Right, t); err != nil {
				return nil, nil, err
			}
		}
		targets[i] = t
	}
	return b.castColumns(n, left, targets), b.castColumns(n, right, targets), nil
}

func (b *binder) union(n *SetOperation, left, right plan.Node) (plan.Node, error) {
	left, right, err := b.matchColumns(n, left, right)
	if err != nil {
		return nil, err
	}
	union := &plan.UnionAll{Inputs: []plan.Node{left, right}}
	r := right.Columns()
	for i, c := range left.Columns() {
		c.Nullable = c.Nullable || r[i].Nullable
		if c.Encoding != r[i].Encoding {
			c.Encoding = types.Plain
		}
		union.Output = append(union.Output, plan.Column{ID: b.ids.New(), Field: c.Field})
	}
	if !n.All {
		return &plan.Distinct{Input: union}, nil
	}
	// A chain of UNION ALL is one node with many inputs.
	if below, ok := left.(*plan.UnionAll); ok {
		union.Inputs = append(append([]plan.Node(nil), below.Inputs...), right)
	}
	return union, nil
}

// byName gives both operands of UNION BY NAME the same columns: those of the left one, then those that only the right one has. What an operand lacks is
// NULL.
func (b *binder) byName(n *SetOperation, left, right plan.Node) (plan.Node, plan.Node, error) {
	var fields []types.Field // names and, for what is missing, types
	for i, operand := range []plan.Node{left, right} {
		node := []Node{n.Left, n.Right}[i]
		seen := map[string]bool{}
		for _, c := range operand.Columns() {
			key := strings.ToLower(c.Name)
			if seen[key] {
				return nil, nil, b.errorAt(node, types.CodeDuplicateColumn, "column name %q appears more than once in an operand of UNION BY NAME", c.Name)
			}
			seen[key] = true
			if i == 0 || len(findColumns(left.Columns(), c.Name)) == 0 {
				fields = append(fields, c.Field)
			}
		}
	}
	if err := b.count(n, 2*len(fields)); err != nil {
		return nil, nil, err
	}
	arrange := func(operand plan.Node) plan.Node {
		p := &plan.Project{Input: operand}
		columns := operand.Columns()
		for _, f := range fields {
			if found := findColumns(columns, f.Name); len(found) > 0 {
				p.Output, p.Exprs = append(p.Output, found[0]), append(p.Exprs, found[0].Ref())
				continue
			}
			f.Nullable = true
			p.Output, p.Exprs = append(p.Output, plan.Column{ID: b.ids.New(), Field: f}), append(p.Exprs, expr.NewNull(f.Type))
		}
		return p
	}
	return arrange(left), arrange(right), nil
}

// intersect binds INTERSECT and EXCEPT: the rows of the left operand with, or without, an equal one in the right operand, NULL being equal to NULL. Each
// is there once; with ALL the first of n equal rows pairs with the first on the other side, the second with the second, and so on.
func (b *binder) intersect(n *SetOperation, left, right plan.Node) (plan.Node, error) {
	left, right, err := b.matchColumns(n, left, right)
	if err != nil {
		return nil, err
	}
	output := b.fresh(left.Columns())
	p := &plan.Project{Output: output}
	for _, c := range left.Columns() {
		p.Exprs = append(p.Exprs, c.Ref())
	}
	if n.All {
		left, right = b.numbered(left), b.numbered(right)
	} else {
		left = &plan.Distinct{Input: left}
	}
	join := &plan.Join{Kind: plan.SemiJoin, Left: left, Right: right}
	if n.Op == Except {
		join.Kind = plan.AntiJoin
	}
	r := right.Columns()
	for i, c := range left.Columns() {
		same, err := b.applyTo(n.Right, "is_not_distinct", c.Ref(), r[i].Ref())
		if err != nil {
			return nil, err
		}
		join.Conditions = append(join.Conditions, same)
	}
	p.Input = join
	return p, nil
}

// numbered adds a column that counts equal rows.
func (b *binder) numbered(node plan.Node) plan.Node {
	w := &plan.Window{Input: node, Calls: []plan.WindowCall{{
		Output:   plan.Column{ID: b.ids.New(), Field: types.Field{Name: "number", Type: types.BigInt}},
		Function: &expr.WindowFunction{Name: "row_number", Kind: expr.RowNumber, Result: types.BigInt}, Frame: plan.DefaultFrame(),
	}}}
	for _, c := range node.Columns() {
		w.PartitionBy = append(w.PartitionBy, c.Ref())
	}
	return w
}

// castColumns gives a node whose columns have the wanted types.
func (b *binder) castColumns(n Node, node plan.Node, targets []types.Type) plan.Node {
	p := &plan.Project{Input: node}
	changed := false
	for i, c := range node.Columns() {
		e := b.cast(n, c.Ref(), targets[i], false)
		if e.Op != expr.Column {
			changed = true
			c = plan.Column{ID: b.ids.New(), Field: types.Field{Name: c.Name, Type: targets[i], Nullable: e.Nullable}}
		}
		p.Output, p.Exprs = append(p.Output, c), append(p.Exprs, e)
	}
	if !changed {
		return node
	}
	return p
}

// orderResult orders the result of a set operation or VALUES: by its columns only. names are others that they may be called by.
func (b *binder) orderResult(node plan.Node, items []OrderItem, names map[string]int, outer *scope) (plan.Node, error) {
	columns := node.Columns()
	s := &scope{parent: outer}
	s.add(relation{columns: columns})
	c := &exprContext{scope: s, clause: "ORDER BY", alias: func(name string) (*expr.Expr, error) {
		if i, ok := names[strings.ToLower(name)]; ok && i < len(columns) {
			return columns[i].Ref(), nil
		}
		return nil, nil
	}}
	sorted := &plan.Sort{Input: node}
	for _, item := range items {
		if item.All {
			for _, column := range columns {
				sorted.Keys = append(sorted.Keys, b.sortKey(column.Ref(), item))
			}
			continue
		}
		e, err := b.positionOr(item.Expr, len(columns), "ORDER BY", func(i int) (*expr.Expr, error) { return columns[i].Ref(), nil }, c)
		if err != nil {
			return nil, err
		}
		sorted.Keys = append(sorted.Keys, b.sortKey(e, item))
	}
	return sorted, nil
}
