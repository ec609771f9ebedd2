package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// target finds the table that a statement changes.
func (b *binder) target(n ObjectName) (catalog.Writable, catalog.Object, error) {
	o, err := b.lookup(n)
	if err != nil {
		return nil, o, err
	}
	t, ok := o.Table.(catalog.Writable)
	switch {
	case o.View != nil:
		return nil, o, b.errorAt(n, types.CodeWrongObjectType, "%q is a view, which cannot be changed", o.Name)
	case !ok:
		return nil, o, b.errorAt(n, types.CodeWrongObjectType, "table %q cannot be changed: its rows are not the database's own", o.Name).
			WithHint("Make a copy of it with CREATE TABLE ... AS.")
	}
	return t, o, nil
}

// insert binds INSERT: the plan gives rows with the columns of the table.
func (b *binder) insert(n *Insert) (Command, plan.Node, error) {
	t, o, err := b.target(n.Table)
	if err != nil {
		return nil, nil, err
	}
	checks, err := b.checks(n.Table, o.Name, t.Schema(), t.Definition())
	if err != nil {
		return nil, nil, err
	}
	c := &Change{Table: t, Write: plan.WriteRows{Verb: "Insert into", Name: o.Name, Columns: t.Schema(), Checks: checks}}
	node, err := b.insertedRows(n, t, o.Name)
	return c, node, err
}

func (b *binder) insertedRows(n *Insert, t catalog.Writable, name string) (plan.Node, error) {
	columns, err := b.insertColumns(n, t, name)
	if err != nil {
		return nil, err
	}
	if n.DefaultValues {
		row := &plan.Values{Rows: [][]*expr.Expr{{}}}
		return b.fillIn(n, row, t, make([]*expr.Expr, len(t.Schema())))
	}
	if v, ok := n.Query.Body.(*Values); ok && n.Query.With == nil && len(n.Query.OrderBy) == 0 && n.Query.Limit == nil && !n.ByName {
		node, simple, err := b.insertedValues(v, t, columns, name)
		if err != nil || simple {
			return node, err
		}
	}
	node, given, err := b.query(n.Query, nil)
	if err != nil {
		return nil, err
	}
	if n.ByName {
		if columns, err = b.columnsByName(n, given, t, name); err != nil {
			return nil, err
		}
	}
	if len(given) != len(columns) {
		return nil, b.wrongCount(n.Query, name, len(columns), len(given))
	}
	return b.assigned(n.Query, n.Query.Start, node, given, t, columns)
}

// assigned gives rows of a table whose columns at some positions have given values, which stand at an offset of the text.
func (b *binder) assigned(n Node, offset int, node plan.Node, given []plan.Column, t catalog.Writable, columns []int) (plan.Node, error) {
	values := make([]*expr.Expr, len(t.Schema()))
	for i, c := range given {
		var err error
		if values[columns[i]], err = b.assign(n, c.Ref().At(offset), t.Schema()[columns[i]]); err != nil {
			return nil, err
		}
	}
	return b.fillIn(n, node, t, values)
}

func (b *binder) wrongCount(n Node, table string, want, given int) error {
	return b.errorAt(n, types.CodeSyntax, "INSERT into %q needs %d values but %d are given", table, want, given)
}

// insertColumns gives the positions of the columns that the values are for.
func (b *binder) insertColumns(n *Insert, t catalog.Writable, table string) ([]int, error) {
	if n.ByName && len(n.Columns) > 0 {
		return nil, b.errorAt(n.Columns[0], types.CodeSyntax, "INSERT BY NAME takes no list of columns")
	}
	schema := t.Schema()
	if len(n.Columns) == 0 {
		all := make([]int, len(schema))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	var columns []int
	for _, name := range n.Columns {
		i, err := b.targetColumn(name, name.Name, schema, table)
		if err != nil {
			return nil, err
		}
		for _, before := range columns {
			if before == i {
				return nil, b.errorAt(name, types.CodeDuplicateColumn, "column %q specified more than once", name.Name)
			}
		}
		columns = append(columns, i)
	}
	return columns, nil
}

func (b *binder) targetColumn(n Node, name string, schema types.Schema, table string) (int, error) {
	if i := findField(schema, name); i >= 0 {
		return i, nil
	}
	e := b.errorAt(n, types.CodeUndefinedColumn, "column %q of relation %q does not exist", name, table)
	names := make([]string, len(schema))
	for i, f := range schema {
		names[i] = f.Name
	}
	e.Hint = catalog.DidYouMean(name, names)
	return 0, e
}

// columnsByName gives the position of each of a query's columns in the table.
func (b *binder) columnsByName(n *Insert, given []plan.Column, t catalog.Writable, table string) ([]int, error) {
	var columns []int
	for _, c := range given {
		i, err := b.targetColumn(n.Query, c.Name, t.Schema(), table)
		if err != nil {
			return nil, err
		}
		for _, before := range columns {
			if before == i {
				return nil, b.errorAt(n.Query, types.CodeDuplicateColumn, "column %q is given more than once", c.Name)
			}
		}
		columns = append(columns, i)
	}
	return columns, nil
}

// fillIn projects values, and defaults for the columns whose value is nil, to the columns of a table.
func (b *binder) fillIn(n Node, input plan.Node, t catalog.Writable, values []*expr.Expr) (plan.Node, error) {
	p := &plan.Project{Input: input}
	for i, e := range values {
		if e == nil {
			var err error
			if e, err = b.columnDefault(n, t, i); err != nil {
				return nil, err
			}
		}
		p.Exprs = append(p.Exprs, e)
		p.Output = append(p.Output, b.written(t.Schema()[i], e))
	}
	return p, nil
}

// written makes a column of values that are to be written to one of a table.
func (b *binder) written(field types.Field, e *expr.Expr) plan.Column {
	return plan.Column{ID: b.ids.New(), Field: types.Field{Name: field.Name, Type: field.Type, Nullable: e.Nullable}}
}

// insertedValues binds VALUES of an INSERT: each value is converted to the type of its column by itself, and may be DEFAULT. It reports false when a row
// has a subquery, which takes the way of other queries.
func (b *binder) insertedValues(v *Values, t catalog.Writable, columns []int, name string) (plan.Node, bool, error) {
	schema := t.Schema()
	node := &plan.Values{}
	for i := range schema {
		node.Output = append(node.Output, b.written(schema[i], &expr.Expr{}))
	}
	c := &exprContext{scope: &scope{}, clause: "VALUES"}
	simple := true
	for _, row := range v.Rows {
		if len(row) != len(columns) {
			return nil, false, b.wrongCount(row[0], name, len(columns), len(row))
		}
		values := make([]*expr.Expr, len(schema))
		for i, n := range row {
			if _, isDefault := n.(*Default); isDefault {
				continue
			}
			e, err := b.expr(n, c)
			if err == nil {
				e, err = b.assign(n, e, schema[columns[i]])
			}
			if err != nil {
				return nil, false, err
			}
			simple = simple && !hasSubquery(e)
			values[columns[i]] = e
		}
		for i := range values {
			if values[i] == nil {
				var err error
				if values[i], err = b.columnDefault(row[0], t, i); err != nil {
					return nil, false, err
				}
			}
			node.Output[i].Nullable = node.Output[i].Nullable || values[i].Nullable
		}
		node.Rows = append(node.Rows, values)
	}
	if simple {
		return node, true, nil
	}
	// A row with a subquery is a query of its own.
	union := &plan.UnionAll{Output: node.Output}
	for _, values := range node.Rows {
		filled, err := b.fillIn(v, &plan.Values{Rows: [][]*expr.Expr{{}}}, t, values)
		if err != nil {
			return nil, false, err
		}
		union.Inputs = append(union.Inputs, filled)
	}
	if len(union.Inputs) == 1 {
		return union.Inputs[0], true, nil
	}
	return union, true, nil
}

// changedTable scans the table that UPDATE or DELETE changes, with the numbers of its rows, and filters it.
func (b *binder) changedTable(name ObjectName, alias *Ident, o catalog.Object, where Expr) (plan.Node, plan.Column, *scope, error) {
	s := &scope{}
	var as *TableAlias
	if alias != nil {
		as = &TableAlias{Span: alias.Span, Name: *alias}
	}
	node, err := b.scan(name, o.Table, o.Name, o.Schema, o.Name, as, s)
	if err != nil {
		return nil, plan.Column{}, nil, err
	}
	scan := node.(*plan.Scan)
	number := plan.Column{ID: b.ids.New(), Field: types.Field{Name: catalog.RowNumber, Type: types.BigInt}}
	scan.Source = append(scan.Source, catalog.ColumnPath{Column: len(o.Table.Schema())})
	scan.Output = append(scan.Output[:len(scan.Output):len(scan.Output)], number)
	if where == nil {
		return node, number, s, nil
	}
	condition, err := b.condition(where, &exprContext{scope: s, clause: "WHERE"})
	if err != nil {
		return nil, number, nil, err
	}
	return &plan.Filter{Input: node, Conditions: []*expr.Expr{condition}}, number, s, nil
}

// delete binds DELETE: the plan gives the numbers of the rows to remove.
func (b *binder) delete(n *Delete) (Command, plan.Node, error) {
	t, o, err := b.target(n.Table)
	if err != nil {
		return nil, nil, err
	}
	if n.Using != nil {
		return nil, nil, b.unsupported(n.Using, "DELETE with USING")
	}
	node, number, _, err := b.changedTable(n.Table, n.Alias, o, n.Where)
	if err != nil {
		return nil, nil, err
	}
	p := &plan.Project{Input: node, Output: []plan.Column{number}, Exprs: []*expr.Expr{number.Ref()}}
	return &Change{Table: t, Write: plan.WriteRows{Verb: "Delete from", Name: o.Name, Removes: true}}, p, nil
}

// update binds UPDATE: the plan gives the new rows and the numbers of the old ones.
func (b *binder) update(n *Update) (Command, plan.Node, error) {
	t, o, err := b.target(n.Table)
	if err != nil {
		return nil, nil, err
	}
	if n.From != nil {
		return nil, nil, b.unsupported(n.From, "UPDATE with FROM")
	}
	schema := t.Schema()
	checks, err := b.checks(n.Table, o.Name, schema, t.Definition())
	if err != nil {
		return nil, nil, err
	}
	node, number, s, err := b.changedTable(n.Table, n.Alias, o, n.Where)
	if err != nil {
		return nil, nil, err
	}
	values := make([]*expr.Expr, len(schema), len(schema)+1)
	for _, a := range n.Assignments {
		i, err := b.targetColumn(a.Column, a.Column.Name, schema, o.Name)
		switch {
		case err != nil:
			return nil, nil, err
		case values[i] != nil:
			return nil, nil, b.errorAt(a.Column, types.CodeDuplicateColumn, "column %q is assigned more than once", a.Column.Name)
		}
		if _, isDefault := a.Value.(*Default); isDefault {
			values[i], err = b.columnDefault(a, t, i)
		} else if values[i], err = b.expr(a.Value, &exprContext{scope: s, clause: "UPDATE"}); err == nil {
			values[i], err = b.assign(a.Value, values[i], schema[i])
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for i, c := range s.relations[0].columns {
		if values[i] == nil {
			values[i] = c.Ref()
		}
	}
	filled, err := b.fillIn(n, node, t, values)
	if err != nil {
		return nil, nil, err
	}
	p := filled.(*plan.Project)
	p.Output, p.Exprs = append(p.Output, number), append(p.Exprs, number.Ref())
	return &Change{Table: t, Write: plan.WriteRows{Verb: "Update", Name: o.Name, Columns: schema, Checks: checks, Removes: true}}, p, nil
}

// set binds SET: the value is known now. A bare word is its own text.
func (b *binder) set(n *Set) (Command, error) {
	switch {
	case n.Scope == ScopeLocal:
		return nil, b.unsupported(n, "SET LOCAL")
	case n.Scope == ScopeVariable:
		return nil, b.unsupported(n, "SET VARIABLE")
	case len(n.Values) > 1:
		return nil, b.unsupported(n.Values[1], "SET with a list")
	}
	o := &SetOption{Name: n.Name.Name, Offset: n.Name.Start, Scope: n.Scope}
	switch v := n.Values[0].(type) {
	case *Default:
		return o, nil
	case *Column:
		parts := make([]string, len(v.Parts))
		for i, p := range v.Parts {
			parts[i] = p.Name
		}
		text, err := types.NewValue(types.Varchar, strings.Join(parts, "."))
		o.Value = text
		return o, err
	}
	e, err := b.expr(n.Values[0], &exprContext{scope: &scope{}, clause: "SET"})
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, b.unsupported(n.Values[0], "a subquery in SET")
	}
	o.Value, err = expr.Evaluate(e)
	if err != nil {
		return nil, b.located(n.Values[0], err)
	}
	return o, nil
}

// currentSetting binds current_setting('name'): the value as it is when the statement is bound.
func (b *binder) currentSetting(n *Call, c *exprContext) (*expr.Expr, error) {
	args, err := b.arguments(n, c)
	switch {
	case err != nil:
		return nil, err
	case len(args) != 1 || args[0].Op != expr.Constant || args[0].Type.Kind() != types.KindVarchar || args[0].IsNullConstant():
		return nil, b.errorAt(n, types.CodeInvalidParameter, "current_setting needs the name of a setting, a constant")
	}
	name := types.Text(args[0].Value, 0)
	if b.session.Setting != nil {
		if value, known := b.session.Setting(name); known {
			return expr.NewConstant(value), nil
		}
	}
	return nil, b.errorAt(n.Args[0], types.CodeInvalidConfig, "unrecognized configuration parameter %q", name)
}

func (b *binder) reset(n *Reset) (Command, error) {
	if n.Scope == ScopeLocal || n.Scope == ScopeVariable {
		return nil, b.unsupported(n, "RESET of a variable")
	}
	return &SetOption{Name: n.Name.Name, Offset: n.Name.Start, Scope: n.Scope, All: !n.Name.Quoted && strings.EqualFold(n.Name.Name, "all")}, nil
}

// show binds SHOW. A name is a table's, whose columns are shown, or else a setting's.
func (b *binder) show(n *Show, bound *Bound) error {
	list := &Listing{Kind: n.Kind, Offset: n.Start}
	if len(n.Name.Parts) > 0 {
		list.Offset = n.Name.Start
	}
	switch {
	case n.Kind == ShowTables && len(n.Name.Parts) > 0:
		r, err := b.schemaReference(n.Name)
		if err == nil {
			list.Schema, err = b.catalog.SchemaOf([]string{r.Name})
		}
		if err != nil {
			return b.located(n.Name, err)
		}
	case n.Kind == ShowColumns:
		name := n.Name.Parts[len(n.Name.Parts)-1].Name
		_, err := b.lookup(n.Name)
		if err != nil && len(n.Name.Parts) == 1 && b.session.Setting != nil {
			if _, known := b.session.Setting(name); known {
				list.Name = name
				bound.Command = list
				return nil
			}
		}
		if err != nil {
			return err
		}
		return b.describe(&Describe{Span: n.Span, Table: &TableName{Span: n.Name.Span, Name: n.Name}}, bound)
	}
	bound.Command = list
	return nil
}

// describe binds DESCRIBE: the plan's columns are shown.
func (b *binder) describe(n *Describe, bound *Bound) error {
	query := n.Query
	if query == nil {
		query = &Query{Span: n.Span, Body: &Select{Span: n.Span, Items: []SelectItem{{Span: n.Span, Expr: &Star{Span: n.Span}}}, From: n.Table}}
		if name, ok := n.Table.(*TableName); ok {
			if o, err := b.lookup(name.Name); err == nil {
				if t, ok := o.Table.(catalog.Writable); ok {
					bound.Definition = t.Definition()
				}
			}
		}
	}
	node, _, err := b.query(query, nil)
	bound.Plan, bound.Describe = node, true
	return err
}
