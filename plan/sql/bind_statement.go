package sql

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// statement binds a statement that is not a query, nor EXPLAIN of one.
func (b *binder) statement(statement Statement, bound *Bound) (err error) {
	switch s := statement.(type) {
	case *CreateTable:
		bound.Command, bound.Plan, err = b.createTable(s)
	case *CreateView:
		bound.Command, err = b.createView(s)
	case *CreateSchema:
		bound.Command, err = b.createSchema(s)
	case *Drop:
		bound.Command, err = b.drop(s)
	case *Copy:
		bound.Command, bound.Plan, err = b.copyStatement(s)
	case *Insert:
		bound.Command, bound.Plan, err = b.insert(s)
	case *Update:
		bound.Command, bound.Plan, err = b.update(s)
	case *Delete:
		bound.Command, bound.Plan, err = b.delete(s)
	case *Set:
		bound.Command, err = b.set(s)
	case *Reset:
		bound.Command, err = b.reset(s)
	case *Show:
		return b.show(s, bound)
	default:
		return b.unsupported(statement, "this statement")
	}
	return err
}

// reference gives the schema and name that a dotted name means. An unknown schema is noted in it.
func (b *binder) reference(n ObjectName) Reference {
	last := len(n.Parts) - 1
	qualifier := make([]string, last)
	for i, p := range n.Parts[:last] {
		qualifier[i] = p.Name
	}
	r := Reference{Name: n.Parts[last].Name, Offset: n.Start}
	if r.Schema, r.Err = b.catalog.SchemaOf(qualifier); r.Err != nil {
		if e, ok := r.Err.(*types.Error); ok && e.Hint == "" {
			e.Hint = b.catalog.FileHint(b.source(n))
		}
		r.Err = b.located(n, r.Err)
	}
	return r
}

// lookup finds the object that a dotted name means.
func (b *binder) lookup(n ObjectName) (catalog.Object, error) {
	r := b.reference(n)
	if r.Err != nil {
		return catalog.Object{}, r.Err
	}
	o, err := b.catalog.Lookup(r.Schema, r.Name)
	if err != nil {
		return o, b.located(n, err)
	}
	return o, nil
}

// newReference gives where an object is to be made.
func (b *binder) newReference(n ObjectName, temporary bool) (Reference, error) {
	r := b.reference(n)
	switch {
	case temporary && (len(n.Parts) == 1 || r.Err == nil && r.Schema == catalog.DefaultSchema && len(n.Parts) == 2):
		r.Schema, r.Err = catalog.TemporarySchema, nil
	case r.Err != nil:
		return r, r.Err
	case temporary && r.Schema != catalog.TemporarySchema:
		return r, b.errorAt(n, types.CodeInvalidDefinition, "a temporary object cannot be in schema %q", r.Schema)
	case !temporary && r.Schema == catalog.TemporarySchema:
		return r, b.errorAt(n, types.CodeInvalidDefinition, "only temporary objects can be in schema %q", r.Schema).WithHint("Write CREATE TEMP.")
	case r.Schema == "":
		r.Schema = catalog.DefaultSchema
	}
	if r.Name == "" {
		return r, b.errorAt(n, types.CodeInvalidName, "an object needs a name")
	}
	return r, nil
}

// conflict says what to do about an object of the same name.
func (b *binder) conflict(n Node, replace, keep bool) (catalog.Conflict, error) {
	switch {
	case replace && keep:
		return 0, b.errorAt(n, types.CodeSyntax, "OR REPLACE and IF NOT EXISTS exclude each other")
	case replace:
		return catalog.ConflictReplaces, nil
	case keep:
		return catalog.ConflictKeeps, nil
	}
	return catalog.ConflictFails, nil
}

func (b *binder) createTable(n *CreateTable) (Command, plan.Node, error) {
	r, err := b.newReference(n.Name, n.Temporary)
	if err != nil {
		return nil, nil, err
	}
	t := &NewTable{Reference: r, NoData: n.WithNoData}
	if t.Conflict, err = b.conflict(n, n.OrReplace, n.IfNotExists); err != nil {
		return nil, nil, err
	}
	if n.As != nil {
		node, err := b.tableAs(n, t)
		return t, node, err
	}
	return t, nil, b.tableColumns(n, t)
}

// tableAs binds CREATE TABLE AS. Columns have no constraints; a column of NULLs is an INTEGER, as in DuckDB.
func (b *binder) tableAs(n *CreateTable, t *NewTable) (plan.Node, error) {
	for _, c := range n.Columns {
		switch {
		case c.Type != nil:
			return nil, b.errorAt(c.Type, types.CodeSyntax, "a column of CREATE TABLE AS has the type that the query gives it").
				WithHint("Cast the column in the query.")
		case len(c.Constraints) > 0:
			return nil, b.unsupported(c.Constraints[0], "a constraint of CREATE TABLE AS")
		}
	}
	if len(n.Constraints) > 0 {
		return nil, b.unsupported(n.Constraints[0], "a constraint of CREATE TABLE AS")
	}
	node, columns, err := b.query(n.As, nil)
	if err != nil {
		return nil, err
	}
	names := make([]Ident, len(n.Columns))
	for i, c := range n.Columns {
		names[i] = c.Name
	}
	if columns, err = b.namedColumns(n, columns, names, t.Name); err != nil {
		return nil, err
	}
	targets := make([]types.Type, len(columns))
	for i, c := range columns {
		if targets[i] = c.Type; c.Type.Kind() == types.KindNull {
			targets[i] = types.Integer
		}
		t.Columns = append(t.Columns, types.Field{Name: c.Name, Type: targets[i], Nullable: true})
	}
	return b.castColumns(n, node, targets), nil
}

// namedColumns gives the columns of a query the names written for them, as far as there are some, and makes all different by a number at the end.
func (b *binder) namedColumns(n Node, columns []plan.Column, names []Ident, object string) ([]plan.Column, error) {
	if len(names) > len(columns) {
		return nil, b.errorAt(names[len(columns)], types.CodeInvalidColumnRef, "%q has %d columns available but %d columns specified", object, len(columns), len(names))
	}
	for i, name := range names {
		for _, before := range names[:i] {
			if strings.EqualFold(before.Name, name.Name) {
				return nil, b.errorAt(name, types.CodeDuplicateColumn, "column %q specified more than once", name.Name)
			}
		}
	}
	columns = renamed(columns, names)
	taken := map[string]bool{}
	for i := range columns {
		name := columns[i].Name
		for k := 1; taken[strings.ToLower(columns[i].Name)]; k++ {
			columns[i].Name = name + "_" + itoa(k)
		}
		taken[strings.ToLower(columns[i].Name)] = true
	}
	return columns, nil
}

// tableColumns binds the column definitions and constraints of CREATE TABLE.
func (b *binder) tableColumns(n *CreateTable, t *NewTable) error {
	checks := []*Constraint{}
	var keys []tableKey
	for i, c := range n.Columns {
		if c.Type == nil {
			return b.errorAt(c, types.CodeSyntax, "column %q needs a type", c.Name.Name)
		}
		typ, err := b.typeOf(c.Type)
		if err != nil {
			return err
		}
		field := types.Field{Name: c.Name.Name, Type: typ, Nullable: true}
		if findField(t.Columns, field.Name) >= 0 {
			return b.errorAt(c, types.CodeDuplicateColumn, "column %q specified more than once", field.Name)
		}
		for _, k := range c.Constraints {
			switch k.Kind {
			case ConstraintNotNull:
				field.Nullable = false
			case ConstraintNull:
			case ConstraintCheck:
				checks = append(checks, k)
			case ConstraintPrimaryKey, ConstraintUnique:
				keys = append(keys, tableKey{k, []Ident{c.Name}})
			case ConstraintDefault:
				if t.Definition.Defaults == nil {
					t.Definition.Defaults = make([]string, len(n.Columns))
				}
				t.Definition.Defaults[i] = b.source(k.Expr)
				if _, err := b.defaultValue(k.Expr, b, field); err != nil {
					return err
				}
			default:
				return b.unsupportedConstraint(k)
			}
		}
		t.Columns = append(t.Columns, field)
	}
	for _, k := range n.Constraints {
		switch k.Kind {
		case ConstraintCheck:
			checks = append(checks, k)
		case ConstraintPrimaryKey, ConstraintUnique:
			keys = append(keys, tableKey{k, k.Columns})
		default:
			return b.unsupportedConstraint(k)
		}
	}
	for _, k := range keys {
		if err := b.key(k, t); err != nil {
			return err
		}
	}
	for i, k := range checks {
		check := catalog.Check{Name: t.Name + "_check" + itoa(i+1), Text: b.source(k.Expr)}
		if k.Name != nil {
			check.Name = k.Name.Name
		}
		if _, err := b.withoutParameters(b.text).check(k.Expr, t.Name, t.Columns); err != nil {
			return err
		}
		t.Definition.Checks = append(t.Definition.Checks, check)
	}
	return nil
}

func (b *binder) unsupportedConstraint(k *Constraint) error {
	return b.unsupported(k, "%s", map[ConstraintKind]string{ConstraintForeignKey: "FOREIGN KEY", ConstraintGenerated: "a generated column"}[k.Kind])
}

// tableKey is a PRIMARY KEY or UNIQUE, of a column or of the table.
type tableKey struct {
	*Constraint
	columns []Ident
}

// key adds a key to a new table whose columns are known. Its name, when none is written, is PostgreSQL's: t_pkey, t_a_b_key.
func (b *binder) key(k tableKey, t *NewTable) error {
	key := catalog.Key{Name: t.Name + "_pkey", Primary: k.Kind == ConstraintPrimaryKey}
	if !key.Primary {
		key.Name = t.Name
	}
	for _, name := range k.columns {
		i := findField(t.Columns, name.Name)
		switch {
		case i < 0:
			return b.errorAt(name, types.CodeUndefinedColumn, "column %q named in key does not exist", name.Name)
		case slices.Contains(key.Columns, i):
			return b.errorAt(name, types.CodeDuplicateColumn, "column %q appears twice in a key", name.Name)
		case !mem.KeyType(t.Columns[i].Type):
			return b.unsupported(name, "a key over %s", t.Columns[i].Type)
		}
		key.Columns = append(key.Columns, i)
		if key.Primary {
			t.Columns[i].Nullable = false
		} else {
			key.Name += "_" + t.Columns[i].Name
		}
	}
	if !key.Primary {
		key.Name += "_key"
	}
	if k.Name != nil {
		key.Name = k.Name.Name
	}
	for _, other := range t.Definition.Keys {
		if key.Primary && other.Primary {
			return b.errorAt(k.Constraint, types.CodeInvalidTableDefinition, "multiple primary keys for table %q are not allowed", t.Name)
		}
	}
	t.Definition.Keys = append(t.Definition.Keys, key)
	return nil
}

func findField(columns types.Schema, name string) int {
	for i, f := range columns {
		if strings.EqualFold(f.Name, name) {
			return i
		}
	}
	return -1
}

// withoutParameters gives a binder for text that outlives the statement: a default, a check, a view. It is part of the same plan.
func (b *binder) withoutParameters(text string) *binder {
	c := *b
	c.text, c.parameters, c.session.Parameters = text, nil, nil
	return &c
}

// storedExpr parses an expression that a table keeps as text.
func (b *binder) storedExpr(text string) (Expr, *binder, error) {
	text = "SELECT " + text
	statements, err := Parse(text)
	if err != nil {
		return nil, nil, err
	}
	return statements[0].(*Query).Body.(*Select).Items[0].Expr, b.withoutParameters(text), nil
}

// defaultValue binds the default of a column. It reads no columns; each row evaluates it anew.
func (b *binder) defaultValue(n Expr, in *binder, field types.Field) (*expr.Expr, error) {
	in = in.withoutParameters(in.text)
	e, err := in.expr(n, &exprContext{scope: &scope{}, clause: "DEFAULT"})
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, in.unsupported(n, "a subquery in DEFAULT")
	}
	return in.assign(n, e, field)
}

// columnDefault gives the value of a column that a statement does not give one.
func (b *binder) columnDefault(n Node, t catalog.Writable, column int) (*expr.Expr, error) {
	field, defaults := t.Schema()[column], t.Definition().Defaults
	if defaults == nil || defaults[column] == "" {
		return expr.NewNull(field.Type), nil
	}
	tree, in, err := b.storedExpr(defaults[column])
	if err == nil {
		var e *expr.Expr
		if e, err = b.defaultValue(tree, in, field); err == nil {
			return plan.At(e, n.Range().Start), nil
		}
	}
	return nil, b.inside(n, err, "the default of column", field.Name)
}

// check binds a CHECK over the columns of a table, whose ids are their positions.
func (b *binder) check(n Expr, table string, columns types.Schema) (*expr.Expr, error) {
	r := relation{node: n, name: table}
	for i, f := range columns {
		r.columns = append(r.columns, plan.Column{ID: i, Field: f})
	}
	s := &scope{}
	s.add(r)
	e, err := b.condition(n, &exprContext{scope: s, clause: "CHECK"})
	if err == nil && hasSubquery(e) {
		return nil, b.unsupported(n, "a subquery in CHECK")
	}
	return e, err
}

// checks binds the checks of a table for a statement that writes it.
func (b *binder) checks(n Node, name string, columns types.Schema, definition *catalog.Definition) ([]plan.WriteCheck, error) {
	var all []plan.WriteCheck
	for _, c := range definition.Checks {
		tree, in, err := b.storedExpr(c.Text)
		if err == nil {
			var e *expr.Expr
			if e, err = in.check(tree, name, columns); err == nil {
				all = append(all, plan.WriteCheck{Name: c.Name, Condition: plan.At(e, n.Range().Start)})
				continue
			}
		}
		return nil, b.inside(n, err, "check", c.Name)
	}
	return all, nil
}

// inside gives an error in the text that an object keeps as one at the place where the statement uses the object.
func (b *binder) inside(n Node, err error, kind, name string) error {
	e, ok := err.(*types.Error)
	if !ok {
		return err
	}
	c := *e
	c.Message = "in " + kind + " " + types.QuoteIdent(name) + ": " + c.Message
	c.Position = types.Position{}
	return c.At(b.text, n.Range().Start)
}

// assign converts a value to the type of the column that it is written to: as CAST does, since the column asks for it.
func (b *binder) assign(n Node, e *expr.Expr, field types.Field) (*expr.Expr, error) {
	if !castable(e.Type, field.Type) {
		return nil, b.errorAt(n, types.CodeDatatypeMismatch, "column %q is of type %s but expression is of type %s", field.Name, field.Type, e.Type).
			WithHint("Convert the expression.")
	}
	return b.cast(n, e, field.Type, false), nil
}

func (b *binder) createView(n *CreateView) (Command, error) {
	r, err := b.newReference(n.Name, n.Temporary)
	if err != nil {
		return nil, err
	}
	v := &NewView{Reference: r, View: catalog.View{Query: b.source(n.Query)}}
	if v.Conflict, err = b.conflict(n, n.OrReplace, n.IfNotExists); err != nil {
		return nil, err
	}
	_, columns, err := b.withoutParameters(b.text).query(n.Query, nil)
	if err != nil {
		return nil, err
	}
	if columns, err = b.namedColumns(n, columns, n.Columns, v.Name); err != nil {
		return nil, err
	}
	v.View.Columns = fieldNames(columns)
	return v, nil
}

// view binds the query of a view at the place of its use.
func (b *binder) view(n Node, o catalog.Object, alias *TableAlias, s *scope) (plan.Node, error) {
	name := o.Schema + "." + o.Name
	for _, outer := range b.views {
		if strings.EqualFold(outer, name) {
			return nil, b.errorAt(n, types.CodeInvalidDefinition, "infinite recursion detected in view %q", o.Name)
		}
	}
	in := b.withoutParameters(o.View.Query)
	in.views = append(b.views[:len(b.views):len(b.views)], name)
	node, columns, err := in.viewQuery()
	b.steps = in.steps
	switch {
	case err != nil:
		return nil, b.inside(n, err, "view", o.Name)
	case len(columns) != len(o.View.Columns):
		return nil, b.errorAt(n, types.CodeInvalidDefinition, "view %q was made with %d columns, but its query now gives %d", o.Name, len(o.View.Columns), len(columns)).
			WithHint("Make the view again, with CREATE OR REPLACE VIEW.")
	}
	columns = append([]plan.Column(nil), columns...)
	for i, column := range o.View.Columns {
		columns[i].Name = column
	}
	return b.addRelation(n, plan.Relocate(node, n.Range().Start), columns, o.Schema, o.Name, alias, s)
}

// viewQuery binds the binder's text, which is one query.
func (b *binder) viewQuery() (plan.Node, []plan.Column, error) {
	statements, err := Parse(b.text)
	if err != nil {
		return nil, nil, err
	}
	return b.query(statements[0].(*Query), nil)
}

func (b *binder) createSchema(n *CreateSchema) (Command, error) {
	r, err := b.schemaReference(n.Name)
	if err != nil {
		return nil, err
	}
	conflict, err := b.conflict(n, false, n.IfNotExists)
	return &NewSchema{Reference: r, Conflict: conflict}, err
}

// schemaReference gives the schema that a name, perhaps behind the database's, means.
func (b *binder) schemaReference(n ObjectName) (Reference, error) {
	last := len(n.Parts) - 1
	if last > 1 || last == 1 && !strings.EqualFold(n.Parts[0].Name, catalog.DatabaseName) {
		return Reference{}, b.errorAt(n, types.CodeUndefinedDatabase, "database %q does not exist", n.Parts[0].Name)
	}
	return Reference{Name: n.Parts[last].Name, Offset: n.Start}, nil
}

func (b *binder) drop(n *Drop) (Command, error) {
	d := &DropObjects{Kind: n.Kind, IfExists: n.IfExists, Cascade: n.Cascade}
	for _, name := range n.Names {
		r, err := b.reference(name), error(nil)
		if n.Kind == ObjectSchema {
			r, err = b.schemaReference(name)
		}
		if err != nil {
			return nil, err
		}
		d.Objects = append(d.Objects, r)
	}
	return d, nil
}
