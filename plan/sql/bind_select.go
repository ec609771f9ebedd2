package sql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

func itoa(i int) string { return strconv.Itoa(i) }

// castable reports whether an explicit cast exists.
func castable(from, to types.Type) bool { return kernels.CanCast(from, to) }

// selectItem is one bound column of a select list.
type selectItem struct {
	name  string
	named bool // the name was given, by an alias or by a star
	node  Expr
	expr  *expr.Expr
}

// selector binds one SELECT.
type selector struct {
	*binder
	query      *Select
	scope      *scope
	aggregates *aggregation
	windows    *windowing
	unnests    *unnesting
	items      []selectItem
	binding    map[string]bool // aliases being bound, against aliases that refer to themselves
}

// selectQuery binds SELECT with the ORDER BY that stands after it. The clauses are bound in the order in which SQL evaluates them; what
// the plan becomes is, from below: FROM, WHERE, aggregation, HAVING, windows, QUALIFY, the select list, DISTINCT, ORDER BY.
func (b *binder) selectQuery(q *Select, order []OrderItem, outer *scope) (plan.Node, error) {
	windows := &windowing{named: q.Windows, results: map[plan.ColumnID]bool{}}
	unnests := &unnesting{results: map[plan.ColumnID]bool{}}
	s := &selector{
		binder: b, query: q, scope: &scope{parent: outer}, binding: map[string]bool{},
		aggregates: &aggregation{results: map[plan.ColumnID]bool{}, windows: windows, unnests: unnests}, windows: windows, unnests: unnests,
	}
	// Without FROM there is one row without columns.
	node := plan.Node(&plan.Values{Rows: [][]*expr.Expr{{}}})
	var err error
	if q.From != nil {
		if node, err = b.from(q.From, s.scope); err != nil {
			return nil, err
		}
	}
	if node, err = b.sample(q.Sample, node); err != nil {
		return nil, err
	}
	if q.Where != nil {
		condition, err := b.condition(q.Where, &exprContext{scope: s.scope, clause: "WHERE", alias: s.aliasIn("WHERE"), aliasNames: s.aliasNames()})
		if err != nil {
			return nil, err
		}
		node = &plan.Filter{Input: node, Conditions: []*expr.Expr{condition}}
	}
	if err := s.bindItems(); err != nil {
		return nil, err
	}
	if err := s.groupBy(); err != nil {
		return nil, err
	}
	var having *expr.Expr
	if q.Having != nil {
		if having, err = b.condition(q.Having, s.context("HAVING")); err != nil {
			return nil, err
		}
	}
	keys, err := s.orderKeys(order, "ORDER BY")
	if err != nil {
		return nil, err
	}
	on, err := s.orderKeys(distinctKeys(q.DistinctOn), "DISTINCT ON")
	if err != nil {
		return nil, err
	}
	var qualify *expr.Expr
	if q.Qualify != nil {
		if qualify, err = b.condition(q.Qualify, s.context("QUALIFY")); err != nil {
			return nil, err
		}
		if len(windows.calls) == 0 {
			return nil, b.errorAt(q.Qualify, types.CodeSyntax, "at least one window function must appear in the select list or in QUALIFY")
		}
	}
	if err := s.checkWindows(); err != nil {
		return nil, err
	}
	if s.aggregates.used() || q.GroupBy != nil && !q.GroupBy.All || having != nil {
		if node, err = s.aggregated(node, &having, &qualify, keys, on); err != nil {
			return nil, err
		}
	}
	if having != nil {
		node = &plan.Filter{Input: node, Conditions: []*expr.Expr{having}}
	}
	node = windows.over(node)
	if qualify != nil {
		node = &plan.Filter{Input: node, Conditions: []*expr.Expr{qualify}}
	}
	return s.project(s.unnests.over(node), keys, on)
}

func (s *selector) context(clause string) *exprContext {
	c := &exprContext{scope: s.scope, clause: clause, aggregates: s.aggregates, alias: s.aliasIn(clause), aliasNames: s.aliasNames()}
	if clause != "HAVING" && clause != "WHERE" && clause != "GROUP BY" {
		c.windows = s.windows
	}
	if clause == "SELECT" {
		c.unnests = s.unnests
	}
	return c
}

func (s *selector) aliasNames() []string {
	var names []string
	for _, item := range s.query.Items {
		if item.Alias != nil {
			names = append(names, item.Alias.Name)
		}
	}
	return names
}

// aliasIn gives the expression of the select item with an alias, for use in a clause that may name it: DuckDB allows aliases in every
// clause; a column of that name wins. The names that a star's RENAME gives are aliases too.
func (s *selector) aliasIn(clause string) func(string) (*expr.Expr, error) {
	return func(name string) (*expr.Expr, error) {
		if e := s.boundAlias(name, clause); e != nil {
			return e, nil
		}
		for _, item := range s.query.Items {
			if star, ok := item.Expr.(*Star); ok {
				if e := s.renamed(star, name); e != nil {
					return e, nil
				}
			}
			if item.Alias == nil || !strings.EqualFold(item.Alias.Name, name) {
				continue
			}
			key := strings.ToLower(name)
			if s.binding[key] {
				return nil, nil
			}
			s.binding[key] = true
			defer delete(s.binding, key)
			c := s.context(clause)
			if clause == "WHERE" || clause == "GROUP BY" {
				c.aggregates = nil
			}
			return s.expr(item.Expr, c)
		}
		return nil, nil
	}
}

// boundAlias gives the expression of a select item that holds a subquery and that the query groups by: bound once more it would be another expression.
func (s *selector) boundAlias(name, clause string) *expr.Expr {
	for _, item := range s.items {
		if !item.named || !strings.EqualFold(item.name, name) || !hasSubquery(item.expr) || s.aggregates.hasAggregate(item.expr) {
			continue
		}
		if clause == "GROUP BY" {
			return item.expr
		}
		for _, g := range s.aggregates.groups {
			if g.Expr.Equal(item.expr) {
				return item.expr
			}
		}
	}
	return nil
}

// renamed gives the column that a star gives under a new name, or nil.
func (s *selector) renamed(n *Star, name string) *expr.Expr {
	for _, x := range n.Rename {
		if !strings.EqualFold(x.Name.Name, name) {
			continue
		}
		columns, _ := s.scope.star(n.Qualifier)
		for _, c := range columns {
			if namesColumn(x.Column, c) {
				return c.expr
			}
		}
	}
	return nil
}

// bindItems binds the select list, with stars expanded.
func (s *selector) bindItems() error {
	for _, item := range s.query.Items {
		if star, ok := item.Expr.(*Star); ok {
			if item.Alias != nil {
				return s.errorAt(item.Alias, types.CodeSyntax, "* cannot have an alias")
			}
			if err := s.star(star); err != nil {
				return err
			}
			continue
		}
		name := ""
		if item.Alias != nil {
			name = item.Alias.Name
			s.binding[strings.ToLower(name)] = true
		}
		e, err := s.expr(item.Expr, s.context("SELECT"))
		delete(s.binding, strings.ToLower(name))
		if err != nil {
			return err
		}
		if item.Alias == nil {
			name = s.columnName(item.Expr)
		}
		s.items = append(s.items, selectItem{name: name, named: item.Alias != nil, node: item.Expr, expr: e})
	}
	if len(s.items) == 0 {
		return s.errorAt(s.query.Items[0], types.CodeSyntax, "nothing is left of the select list")
	}
	return nil
}

// star expands * and t.*, with EXCLUDE, REPLACE and RENAME.
func (s *selector) star(n *Star) error {
	if len(n.Qualifier) > 1 {
		return s.unsupported(n, "a schema before *")
	}
	if s.query.From == nil {
		return s.errorAt(n, types.CodeSyntax, "SELECT * with no tables specified is not valid")
	}
	used := map[Node]bool{}
	all, matched := s.scope.star(n.Qualifier)
	if !matched {
		return s.errorAt(n, types.CodeUndefinedTable, "missing FROM-clause entry for table %q", n.Qualifier[0].Name)
	}
	if err := s.count(n, len(all)); err != nil {
		return err
	}
columns:
	for _, c := range all {
		for _, x := range n.Exclude {
			if namesColumn(x, c) {
				used[x] = true
				continue columns
			}
		}
		item := selectItem{name: c.name, named: true, node: n, expr: c.expr.At(n.Start)}
		for i := range n.Replace {
			if x := &n.Replace[i]; strings.EqualFold(x.Name.Name, c.name) {
				e, err := s.expr(x.Expr, s.context("SELECT"))
				if err != nil {
					return err
				}
				item.expr, item.node = e, x.Expr
				used[x] = true
			}
		}
		for i := range n.Rename {
			if x := &n.Rename[i]; namesColumn(x.Column, c) {
				item.name = x.Name.Name
				used[x] = true
			}
		}
		s.items = append(s.items, item)
	}
	for _, x := range n.Exclude {
		if !used[x] {
			return s.notInStar(x, x.Parts[len(x.Parts)-1].Name)
		}
	}
	for i := range n.Replace {
		if !used[&n.Replace[i]] {
			return s.notInStar(n.Replace[i], n.Replace[i].Name.Name)
		}
	}
	for i := range n.Rename {
		if x := &n.Rename[i]; !used[x] {
			return s.notInStar(x, x.Column.Parts[len(x.Column.Parts)-1].Name)
		}
	}
	return nil
}

func (s *selector) notInStar(n Node, name string) error {
	e := s.errorAt(n, types.CodeUndefinedColumn, "column %q is not among the columns of *", name)
	e.Hint = catalog.DidYouMean(name, s.scope.columnNames())
	return e
}

func namesColumn(n *Column, c visibleColumn) bool {
	last := n.Parts[len(n.Parts)-1].Name
	return strings.EqualFold(last, c.name) && (len(n.Parts) == 1 || strings.EqualFold(n.Parts[len(n.Parts)-2].Name, c.relation))
}

// orderKey is a key of ORDER BY: a select item (item >= 0) or an expression of its own.
type orderKey struct {
	item  int
	node  Expr
	expr  *expr.Expr
	order OrderItem
}

// orderKeys binds ORDER BY, or the like: a position, an alias (which wins over a column here), ALL, or an expression.
func (s *selector) orderKeys(order []OrderItem, clause string) ([]orderKey, error) {
	var keys []orderKey
	for _, o := range order {
		if o.All {
			for i := range s.items {
				keys = append(keys, orderKey{item: i, order: o})
			}
			continue
		}
		if i := s.itemNamed(o.Expr); i >= 0 {
			keys = append(keys, orderKey{item: i, order: o})
			continue
		}
		position := -1
		e, err := s.positionOr(o.Expr, len(s.items), clause, func(i int) (*expr.Expr, error) {
			position = i
			return s.items[i].expr, nil
		}, s.context(clause))
		if err != nil {
			return nil, err
		}
		if position < 0 {
			for i, item := range s.items {
				if item.expr.Equal(e) {
					position = i
				}
			}
		}
		keys = append(keys, orderKey{item: position, node: o.Expr, expr: e, order: o})
	}
	return keys, nil
}

// itemNamed gives the select item that a bare name means as an output column, or -1: one with that alias, or one of a star, whose REPLACE and RENAME
// count as aliases do. A computed column without an alias has no name that it could be called by.
func (s *selector) itemNamed(n Expr) int {
	c, ok := n.(*Column)
	if !ok || len(c.Parts) != 1 {
		return -1
	}
	for i, item := range s.items {
		if item.named && strings.EqualFold(item.name, c.Parts[0].Name) {
			return i
		}
	}
	return -1
}

// aggregated puts the aggregation over the input and rewrites everything after it to its output.
func (s *selector) aggregated(input plan.Node, having, qualify **expr.Expr, keys, on []orderKey) (plan.Node, error) {
	a := s.aggregates
	err := s.windows.rewrite(func(n Node, e *expr.Expr) (*expr.Expr, error) { return s.overGroups(n, e, a) })
	if err != nil {
		return nil, err
	}
	if err := s.unnests.rewrite(func(n Node, e *expr.Expr) (*expr.Expr, error) { return s.overGroups(n, e, a) }); err != nil {
		return nil, err
	}
	for i := range s.items {
		e, err := s.overGroups(s.items[i].node, s.items[i].expr, a)
		if err != nil {
			return nil, err
		}
		s.items[i].expr = e
	}
	if *having != nil {
		e, err := s.overGroups(s.query.Having, *having, a)
		if err != nil {
			return nil, err
		}
		*having = e
	}
	if *qualify != nil {
		e, err := s.overGroups(s.query.Qualify, *qualify, a)
		if err != nil {
			return nil, err
		}
		*qualify = e
	}
	for _, keys := range [][]orderKey{keys, on} {
		for i := range keys {
			if keys[i].item >= 0 {
				continue
			}
			e, err := s.overGroups(keys[i].node, keys[i].expr, a)
			if err != nil {
				return nil, err
			}
			keys[i].expr = e
		}
	}
	columns := encodedColumns(input)
	for i := range a.groups {
		a.groups[i].Output.Encoding = plan.Encoding(a.groups[i].Expr, columns)
	}
	return &plan.Aggregate{Input: input, Groups: a.groups, Sets: a.sets, Aggregates: a.calls, Grouping: a.setNumber}, nil
}

// distinctKeys gives the expressions of DISTINCT ON the form of those of ORDER BY: the same names mean the same.
func distinctKeys(on []Expr) []OrderItem {
	items := make([]OrderItem, len(on))
	for i, n := range on {
		items[i] = OrderItem{Span: n.Range(), Expr: n}
	}
	return items
}

// encodedColumns gives the columns of a node that have an encoding: few, if any.
func encodedColumns(node plan.Node) []plan.Column {
	return slices.DeleteFunc(slices.Clone(node.Columns()), func(c plan.Column) bool { return c.Encoding == types.Plain })
}

// project computes the select list, removes duplicates and sorts. Keys that are not in the list travel along as hidden columns.
func (s *selector) project(node plan.Node, keys, on []orderKey) (plan.Node, error) {
	p := &plan.Project{Input: node}
	columns := encodedColumns(node)
	add := func(name string, e *expr.Expr) plan.Column {
		c := plan.Column{ID: s.ids.New(), Field: types.Field{Name: name, Type: e.Type, Nullable: e.Nullable, Encoding: plan.Encoding(e, columns)}}
		p.Output, p.Exprs = append(p.Output, c), append(p.Exprs, e)
		return c
	}
	for _, item := range s.items {
		add(item.name, item.expr)
	}
	visible := p.Output[:len(p.Output):len(p.Output)]
	column := func(k orderKey) *expr.Expr {
		if k.item >= 0 {
			return visible[k.item].Ref()
		}
		return add(s.columnName(k.node), k.expr).Ref()
	}
	distinct := s.query.Distinct && len(on) == 0
	var sorted []plan.SortKey
	for _, k := range keys {
		if k.item < 0 && distinct {
			return nil, s.errorAt(k.node, types.CodeInvalidColumnRef, "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
		}
		sorted = append(sorted, s.sortKey(column(k), k.order))
	}
	var first []*expr.Expr
	for _, k := range on {
		first = append(first, column(k))
	}
	node = p
	switch {
	case distinct:
		for _, item := range s.items {
			if err := s.groupable(item.node, item.expr.Type); err != nil {
				return nil, err
			}
		}
		node = &plan.Distinct{Input: node}
	case len(on) > 0:
		var err error
		if node, err = s.distinctOn(node, first, sorted); err != nil {
			return nil, err
		}
	}
	if len(sorted) > 0 {
		node = &plan.Sort{Input: node, Keys: sorted}
	}
	if len(node.Columns()) == len(visible) {
		return node, nil
	}
	shown := &plan.Project{Input: node, Output: visible}
	for _, c := range visible {
		shown.Exprs = append(shown.Exprs, c.Ref())
	}
	return shown, nil
}
