package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// withQuery is a query of a WITH clause. It is bound once, where it is written. Each use reads its rows through a projection with column ids of its own;
// when all uses are known, finishWith decides whether they read a shared result or the query itself.
type withQuery struct {
	*CTE
	scope   *scope // in which the query is bound
	id      plan.SharedID
	node    plan.Node // nil while it is being bound
	columns []plan.Column
	uses    []withUse
	// correlated says that it reads columns from around its WITH clause.
	correlated bool
	// unused says that no part of the plan reads it.
	unused bool
	// within is the WITH query in whose text it is written, or nil.
	within *withQuery
	// recursive gives, while the step of a recursive query is being bound, the rows that the step before gave; see recursive.
	recursive *plan.Recursive
	// selfUses counts the uses in the query itself.
	selfUses int
}

// withUse is a place that reads a WITH query.
type withUse struct {
	project *plan.Project
	within  *withQuery // in whose definition the place is
	// inSubquery says that the place is in a subquery of an expression in the query that has the WITH clause: what reads columns from around must go
	// through the subquery's inputs and cannot be put there.
	inSubquery bool
}

// live reports whether the plan holds the place.
func (u withUse) live() bool {
	for w := u.within; w != nil; w = w.within {
		if w.unused {
			return false
		}
	}
	return true
}

// with binds the queries of a WITH clause. Each sees those before it and, after RECURSIVE, itself.
func (b *binder) with(w *With, s *scope) (*scope, []*withQuery, error) {
	var queries []*withQuery
	for i := range w.CTEs {
		for _, before := range w.CTEs[:i] {
			if strings.EqualFold(before.Name.Name, w.CTEs[i].Name.Name) {
				return nil, nil, b.errorAt(w.CTEs[i].Name, types.CodeDuplicateAlias, "WITH query name %q specified more than once", w.CTEs[i].Name.Name)
			}
		}
		q := &withQuery{CTE: &w.CTEs[i], id: b.ids.New(), within: b.defining}
		visible := &scope{parent: s, with: q}
		q.scope = &scope{parent: s, defines: q}
		if w.Recursive {
			q.scope.parent = visible
		}
		node, err := b.define(q, w.Recursive)
		if err != nil {
			return nil, nil, err
		}
		columns := node.Columns()
		if len(q.Columns) > len(columns) {
			return nil, nil, b.errorAt(q.Columns[len(columns)], types.CodeInvalidColumnRef, "WITH query %q has %d columns available but %d columns specified",
				q.Name.Name, len(columns), len(q.Columns))
		}
		q.node, q.columns = node, renamed(columns, q.Columns)
		queries = append(queries, q)
		s = visible
	}
	return s, queries, nil
}

// define binds the text of a WITH query.
func (b *binder) define(q *withQuery, recursive bool) (plan.Node, error) {
	outer := b.defining
	b.defining = q
	defer func() { b.defining = outer }()
	if recursive {
		return b.recursive(q)
	}
	node, _, err := b.query(q.Query, q.scope)
	return node, err
}

// recursive binds a query of WITH RECURSIVE. It is recursive when the last operand of its UNION, the step, uses the query itself.
func (b *binder) recursive(q *withQuery) (plan.Node, error) {
	union, ok := q.Query.Body.(*SetOperation)
	if !ok || union.Op != Union || union.ByName || q.Query.With != nil || len(q.Query.OrderBy) > 0 || q.Query.Limit != nil {
		node, _, err := b.query(q.Query, q.scope)
		return node, err
	}
	initial, err := b.body(union.Left, q.scope)
	if err != nil {
		return nil, err
	}
	columns := initial.Columns()
	targets := make([]types.Type, len(columns))
	for i, c := range columns {
		targets[i] = c.Type
		if c.Type.Kind() == types.KindNull {
			targets[i] = types.Integer
		}
	}
	r := &plan.Recursive{ID: b.ids.New(), Name: q.Name.Name, Initial: b.castColumns(union, initial, targets), Distinct: !union.All}
	for i, c := range columns {
		// What the step gives may be NULL, and reads these columns to say whether it is.
		r.Output = append(r.Output, plan.Column{ID: b.ids.New(), Field: types.Field{Name: c.Name, Type: targets[i], Nullable: true}})
	}
	q.recursive, q.columns = r, r.Output
	if len(q.Columns) <= len(r.Output) {
		q.columns = renamed(r.Output, q.Columns)
	}
	step, err := b.body(union.Right, q.scope)
	q.recursive = nil
	if err != nil {
		return nil, err
	}
	if q.selfUses == 0 {
		return b.union(union, initial, step)
	}
	got := step.Columns()
	if len(got) != len(targets) {
		return nil, b.errorAt(union.Right, types.CodeSyntax, "each UNION query must have the same number of columns: %d and %d", len(targets), len(got))
	}
	for i, c := range got {
		if !castable(c.Type, targets[i]) {
			return nil, b.errorAt(union.Right, types.CodeDatatypeMismatch, "column %d of the recursive query %q has type %s in its first part but %s in the recursive one",
				i+1, q.Name.Name, targets[i], c.Type).WithHint("Cast one of them.")
		}
		if r.Distinct {
			if err := b.groupable(union.Right, targets[i]); err != nil {
				return nil, err
			}
		}
	}
	r.Step = b.castColumns(union.Right, step, targets)
	return r, nil
}

// withQuery finds a WITH query by name, from the inside out, and how it is used there.
func (b *binder) withQuery(s *scope, name string) (*withQuery, withUse) {
	use := withUse{within: b.defining}
	var passed []*withQuery
	for ; s != nil; s = s.parent {
		if s.with != nil && strings.EqualFold(s.with.Name.Name, name) {
			for _, q := range passed {
				q.correlated = q.correlated || s.with.correlated
			}
			return s.with, use
		}
		use.inSubquery = use.inSubquery || s.subquery != nil
		if s.defines != nil {
			passed = append(passed, s.defines)
		}
	}
	return nil, use
}

// withReference binds the use of a WITH query as a table.
func (b *binder) withReference(t *TableName, q *withQuery, use withUse, s *scope) (plan.Node, error) {
	if err := b.count(t, len(q.columns)); err != nil {
		return nil, err
	}
	var node plan.Node
	switch {
	case q.recursive != nil:
		q.selfUses++
		node = b.sharedScan(q.recursive.ID, q.Name.Name, q.columns)
	case q.node == nil:
		return nil, b.errorAt(t, types.CodeInvalidRecursion, "a reference of the recursive query %q to itself must stand in the last part of its UNION", q.Name.Name).
			WithHint("Write WITH RECURSIVE %s AS (first part UNION ALL part that reads %s), without ORDER BY and LIMIT.", types.QuoteIdent(q.Name.Name), types.QuoteIdent(q.Name.Name))
	default:
		use.project = readThrough(b.sharedScan(q.id, q.Name.Name, q.columns), b.fresh(q.columns))
		q.uses = append(q.uses, use)
		node = use.project
	}
	return b.addRelation(t, node, node.Columns(), "", q.Name.Name, t.Alias, s)
}

// fresh gives the columns new ids.
func (b *binder) fresh(columns []plan.Column) []plan.Column {
	out := make([]plan.Column, len(columns))
	for i, c := range columns {
		out[i] = plan.Column{ID: b.ids.New(), Field: c.Field}
	}
	return out
}

func (b *binder) sharedScan(id plan.SharedID, name string, columns []plan.Column) *plan.SharedScan {
	scan := &plan.SharedScan{ID: id, Name: name, Output: b.fresh(columns)}
	for _, c := range columns {
		scan.Source = append(scan.Source, c.ID)
	}
	return scan
}

// readThrough gives the columns of a node under other ids and names.
func readThrough(node plan.Node, output []plan.Column) *plan.Project {
	p := &plan.Project{Input: node, Output: output}
	for _, c := range node.Columns() {
		p.Exprs = append(p.Exprs, c.Ref())
	}
	return p
}

// finishWith puts the results that several places share above the plan of the query that has the WITH clause. A query that is used once takes the place of
// its use, and so does, bound again for each, one that is NOT MATERIALIZED, unless it would give each of them other rows.
func (b *binder) finishWith(queries []*withQuery, node plan.Node) (plan.Node, error) {
	// Backwards: a later one may use those before it.
	for i := len(queries) - 1; i >= 0; i-- {
		q := queries[i]
		var uses []withUse
		inline := true
		for _, u := range q.uses {
			if u.live() {
				uses = append(uses, u)
				inline = inline && !(q.correlated && u.inSubquery)
			}
		}
		q.unused = len(uses) == 0
		inline = inline && q.Materialized != Materialized && (len(uses) == 1 || q.Materialized == NotMaterialized && !isVolatile(q.node))
		switch {
		case q.unused:
		case !inline:
			node = &plan.Shared{ID: q.id, Name: q.Name.Name, Definition: q.node, Body: node}
		default:
			for j, u := range uses {
				definition := q.node
				if j > 0 {
					var err error
					if definition, err = b.define(q, q.scope.parent.with == q); err != nil {
						return nil, err
					}
				}
				*u.project = *readThrough(definition, u.project.Output)
			}
		}
	}
	return node, nil
}

// isVolatile reports whether a query gives other rows each time.
func isVolatile(n plan.Node) bool {
	volatile := false
	plan.Walk(n, func(n plan.Node) {
		_, sample := n.(*plan.Sample)
		volatile = volatile || sample
		for _, e := range n.Expressions() {
			e.Walk(func(x *expr.Expr) bool {
				volatile = volatile || x.Op == expr.Call && x.Function.Volatile
				return true
			})
		}
	})
	return volatile
}
