package plan

import (
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// pusher moves the join with the domain down a plan. In the plans that it makes, columns of the domain stand for the OuterColumns.
type pusher struct {
	d          *decorrelator
	source     Node     // the left side
	left       *Project // reads it from a shared result
	outer      []Column // its columns that the plan reads; with numbered, the first is the number of the row
	numbered   bool     // see domain
	id         SharedID // of the domain
	definition Node     // of the domain, one column for each of outer
	scans      int      // of the domain so far
	// shared are the definitions, in sight of the plan, that carry the domain: their columns that do.
	shared map[SharedID][]Column
}

// domain prepares the domain of a plan that reads columns of a left side: the values on the rows for which the guard is true. If a hash table cannot find one
// of the values (lists), or finds others for it (0.0 for -0.0), the left side's rows are numbered and the domain is all of them with their numbers.
func (d *decorrelator) domain(left, right Node, guard []*expr.Expr) *pusher {
	p := &pusher{d: d, source: left, id: d.ids.New(), shared: map[SharedID][]Column{}}
	for _, c := range left.Columns() {
		if readsOuter(right, columnSet{c.ID: true}) {
			p.outer = append(p.outer, c)
			p.numbered = p.numbered || !hashable(c.Type) || !equalMeansSame(c.Type)
		}
	}
	if p.numbered {
		window, number := d.numbered(&Limit{Input: left})
		p.source, p.outer = window, append([]Column{number}, p.outer...)
	}
	columns := p.source.Columns()
	scan := &SharedScan{ID: d.ids.New(), Name: "outer rows", Output: d.fresh(columns)}
	for _, c := range columns {
		scan.Source = append(scan.Source, c.ID)
	}
	p.left = &Project{Input: scan, Output: columns, Exprs: refs(scan.Output)}
	p.definition = p.values(scan, columns, guard)
	if !p.numbered {
		p.definition = &Distinct{Input: p.definition}
	}
	return p
}

// values reads the outer columns of the left side, on the rows for which a guard is true. rows scans the left side with other column ids.
func (p *pusher) values(rows *SharedScan, left []Column, guard []*expr.Expr) Node {
	scan := *rows
	scan.Output = p.d.fresh(left)
	names := map[ColumnID]*expr.Expr{}
	for i, c := range left {
		names[c.ID] = scan.Output[i].Ref()
	}
	project := &Project{Input: filtered(&scan, withValues(guard, names))}
	for _, c := range p.outer {
		project.Output = append(project.Output, p.domainColumn(c))
		project.Exprs = append(project.Exprs, names[c.ID])
	}
	return project
}

func (p *pusher) domainColumn(c Column) Column {
	return p.d.column("outer."+c.Name, c.Type, c.Nullable)
}

// scan reads the domain.
func (p *pusher) scan() (Node, []Column) {
	p.scans++
	s := &SharedScan{ID: p.id, Name: "outer values"}
	for _, c := range p.definition.Columns() {
		s.Source = append(s.Source, c.ID)
		c.ID = p.d.ids.New()
		s.Output = append(s.Output, c)
	}
	return s, s.Output
}

// outputs makes columns that hold values of the domain.
func (p *pusher) outputs() []Column {
	domain := make([]Column, len(p.outer))
	for i, c := range p.outer {
		domain[i] = p.domainColumn(c)
	}
	return domain
}

// closed puts the left side and the domain around a plan that scans them; the only scan of the domain is replaced by it.
func (p *pusher) closed(n Node) Node {
	if p.scans > 1 {
		n = &Shared{ID: p.id, Name: "outer values", Definition: p.definition, Body: n}
	} else {
		n = Transform(n, func(n Node) Node {
			s, ok := n.(*SharedScan)
			if !ok || s.ID != p.id {
				return n
			}
			return &Project{Input: p.definition, Output: s.Output, Exprs: refs(p.definition.Columns())}
		})
	}
	rows := p.left.Input.(*SharedScan)
	return &Shared{ID: rows.ID, Name: rows.Name, Definition: p.source, Body: n}
}

// same joins the domain's columns in two plans.
func (p *pusher) same(a, b []Column) []*expr.Expr { return sameValues(p.keys(a), p.keys(b)) }

// keys gives those of the domain's columns in a plan that tell its rows apart.
func (p *pusher) keys(domain []Column) []Column {
	if p.numbered {
		return domain[:1]
	}
	return domain
}

// whole adds the domain's other columns to a plan that has only the keys.
func (p *pusher) whole(n Node, keys []Column) (Node, []Column) {
	if !p.numbered {
		return n, keys
	}
	scan, domain := p.scan()
	return &Join{Kind: InnerJoin, Left: scan, Right: n, Conditions: p.same(domain, keys)}, domain
}

// sameValues joins columns pairwise: by equality where neither can be NULL, else with NULL being equal to NULL.
func sameValues(a, b []Column) []*expr.Expr {
	conditions := make([]*expr.Expr, len(a))
	for i := range a {
		name := "is_not_distinct"
		if !a[i].Nullable && !b[i].Nullable {
			name = "eq"
		}
		conditions[i] = call(name, a[i].Ref(), b[i].Ref())
	}
	return conditions
}

// depends reports whether a plan reads the domain.
func (p *pusher) depends(n Node) bool {
	return readsOuter(n, columnIDs(p.outer)) || p.scansShared(n)
}

// scansShared reports whether a plan scans a shared result that carries the domain.
func (p *pusher) scansShared(n Node) bool {
	s, ok := n.(*SharedScan)
	return ok && p.shared[s.ID] != nil || slices.ContainsFunc(n.Children(), p.scansShared)
}

// place gives the position of the column of the left side that an expression is, -1 when it is none.
func (p *pusher) place(e *expr.Expr) int {
	if e.Op != expr.OuterColumn {
		return -1
	}
	return slices.IndexFunc(p.outer, func(c Column) bool { return c.ID == e.Column })
}

// bind puts columns of the domain in the place of OuterColumns.
func (p *pusher) bind(n Node, domain []Column) Node {
	return mapExpressions(n, func(e *expr.Expr) *expr.Expr {
		return e.Rewrite(func(x *expr.Expr) *expr.Expr {
			if i := p.place(x); i >= 0 {
				return domain[i].Ref().At(x.Position)
			}
			return x
		})
	})
}
