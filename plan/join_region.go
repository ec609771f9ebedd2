package plan

import (
	"math/bits"
	"slices"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// relationSet is a set of relations of a region, by number.
type relationSet uint64

// maxRelations is how many relations a region can have.
const maxRelations = 64

func (s relationSet) has(o relationSet) bool      { return s&o == o }
func (s relationSet) overlaps(o relationSet) bool { return s&o != 0 }
func (s relationSet) size() int                   { return bits.OnesCount64(uint64(s)) }
func (s relationSet) first() int                  { return bits.TrailingZeros64(uint64(s)) }

// relation is an input of a region.
type relation struct {
	node      Node
	estimates *estimate
	// dependent is the join, for one that is not an inner join, of which the relation is the right side: then it can only be joined as that, to a left
	// side that has the relations of requires.
	dependent *Join
	requires  relationSet
}

// regionCondition is a condition of the inner joins and filters of a region.
type regionCondition struct {
	expr    *expr.Expr
	reads   relationSet
	movable bool
	share   float64 // of the rows on which it is true
	class   int     // the equivalence class that it puts its two columns into; -1: none
	// Sides of an equality: the relations that each reads and what is known of its values.
	equality                bool
	leftReads, rightReads   relationSet
	leftValues, rightValues columnEstimate
}

// joinRegion is a region taken apart.
type joinRegion struct {
	orderer    *joinOrderer
	relations  []relation
	owner      map[ColumnID]int // relation of each column
	conditions []regionCondition
	classes    []equivalence
	// guards are what a condition that can fail must come after: the relations of everything written before the first such condition.
	guards  []relationSet
	failing int // the first condition that can fail, or -1
}

// equivalence is a set of columns that the conditions make equal, each with its relation.
type equivalence struct {
	function *expr.Function // equality of their type
	columns  []*expr.Expr
	owners   []int
	values   []columnEstimate // of the columns
	members  relationSet      // the owners
}

// collect takes a region apart, in written order; false when it has too many relations.
func (r *joinRegion) collect(n Node) bool {
	if !isRegion(n) {
		return r.addRelation(n, nil)
	}
	switch n := n.(type) {
	case *Filter:
		if !r.collect(n.Input) {
			return false
		}
		r.addConditions(n.Conditions)
	case *Join:
		if !r.collect(n.Left) {
			return false
		}
		if n.Kind != InnerJoin {
			return r.addRelation(n.Right, n)
		}
		if !r.collect(n.Right) {
			return false
		}
		r.addConditions(n.Conditions)
	}
	return true
}

func (r *joinRegion) addRelation(n Node, dependent *Join) bool {
	number := len(r.relations)
	if number == maxRelations {
		return false
	}
	n = r.orderer.order(n)
	rel := relation{node: n, estimates: r.orderer.estimates.of(n), dependent: dependent}
	for _, c := range n.Columns() {
		r.owner[c.ID] = number
	}
	if dependent != nil {
		for _, c := range dependent.Expressions() {
			rel.requires |= r.reads(c)
		}
		rel.requires &^= 1 << number
		if dependent.Mark != nil {
			r.owner[dependent.Mark.Output.ID] = number
		}
	}
	r.relations = append(r.relations, rel)
	return true
}

func (r *joinRegion) addConditions(conditions []*expr.Expr) {
	for _, c := range conditions {
		r.conditions = append(r.conditions, regionCondition{expr: c, reads: r.reads(c), movable: movable(c), class: -1, share: 1})
	}
}

// reads gives the relations whose columns an expression reads.
func (r *joinRegion) reads(e *expr.Expr) relationSet {
	var set relationSet
	e.Columns(func(id ColumnID) { set |= 1 << r.owner[id] })
	return set
}

// analyse finds out what the search needs to know of the conditions.
func (r *joinRegion) analyse() {
	all := &estimate{rows: 1, base: 1, columns: map[ColumnID]columnEstimate{}}
	for _, rel := range r.relations {
		all.rows, all.base = max(all.rows, rel.estimates.rows), max(all.base, rel.estimates.base)
		for id, c := range rel.estimates.columns {
			all.columns[id] = c
		}
	}
	r.failing = -1
	for i := range r.conditions {
		c := &r.conditions[i]
		if !c.movable && r.failing < 0 {
			r.failing = i
			for _, before := range r.conditions[:i] {
				r.guards = append(r.guards, before.reads)
			}
			for number, rel := range r.relations {
				if rel.dependent != nil {
					r.guards = append(r.guards, rel.requires|1<<number)
				}
			}
		}
		a, b, ok := r.sides(c.expr)
		if !ok {
			c.share = all.copy().condition(c.expr)
			continue
		}
		c.equality, c.leftReads, c.rightReads = true, r.reads(a), r.reads(b)
		c.leftValues, c.rightValues = all.expression(a), all.expression(b)
		if c.expr.Function.Name == "eq" && r.free(a) && r.free(b) && a.Type.Equal(b.Type) {
			c.class = r.unite(c.expr.Function, a, b)
		}
	}
	// Uniting leaves emptied classes behind: find the conditions' classes anew.
	for i := range r.conditions {
		c := &r.conditions[i]
		if c.class >= 0 {
			c.class = slices.IndexFunc(r.classes, func(k equivalence) bool { return k.place(c.expr.Args[0]) >= 0 })
		}
	}
}

// free reports a bare column of a relation that is not dependent.
func (r *joinRegion) free(x *expr.Expr) bool {
	return x.Op == expr.Column && r.relations[r.owner[x.Column]].dependent == nil
}

// sides gives the sides of an equality between different relations.
func (r *joinRegion) sides(c *expr.Expr) (a, b *expr.Expr, ok bool) {
	if c.Op != expr.Call || len(c.Args) != 2 {
		return nil, nil, false
	}
	left, right := columnSet{}, columnSet{}
	c.Args[0].Columns(func(id ColumnID) { left[id] = true })
	c.Args[1].Columns(func(id ColumnID) { right[id] = true })
	a, b, ok = equalitySides(c, left, right)
	return a, b, ok && !r.reads(a).overlaps(r.reads(b))
}

// unite puts two columns into one class.
func (r *joinRegion) unite(f *expr.Function, a, b *expr.Expr) int {
	find := func(x *expr.Expr) int {
		return slices.IndexFunc(r.classes, func(k equivalence) bool { return k.place(x) >= 0 })
	}
	i, j := find(a), find(b)
	if i < 0 {
		i, j, a, b = j, i, b, a
	}
	if i < 0 {
		r.classes = append(r.classes, equivalence{function: f})
		i = len(r.classes) - 1
		r.classes[i].add(r, a)
	}
	switch {
	case j < 0:
		r.classes[i].add(r, b)
	case i != j:
		for _, x := range r.classes[j].columns {
			r.classes[i].add(r, x)
		}
		r.classes[j] = equivalence{}
	}
	return i
}

func (k *equivalence) place(x *expr.Expr) int {
	return slices.IndexFunc(k.columns, func(c *expr.Expr) bool { return x.Op == expr.Column && c.Column == x.Column })
}

func (k *equivalence) add(r *joinRegion, x *expr.Expr) {
	if k.place(x) < 0 {
		owner := r.owner[x.Column]
		k.columns, k.owners, k.members = append(k.columns, x), append(k.owners, owner), k.members|1<<owner
		k.values = append(k.values, r.relations[owner].estimates.column(x.Column))
	}
}

// member gives a column of the class in a set of relations that has one, and what is known of the class's values there.
func (k *equivalence) member(set relationSet) (x *expr.Expr, values columnEstimate) {
	for i, c := range k.columns {
		if !set.has(1 << k.owners[i]) {
			continue
		}
		of := &k.values[i]
		if x == nil {
			x, values = c, *of
			continue
		}
		values.domain, values.distinct = min(values.domain, of.domain), min(values.distinct, of.distinct)
		values.guessed = values.guessed && of.guessed
		if values.origin == 0 {
			values.origin = of.origin
		}
	}
	return x, values
}

// applicable reports whether a condition is evaluated where two sets of relations are joined: the first place that has all that it reads. One that can
// fail only when everything written before it has been done below; all but the first of these wait for the end.
func (r *joinRegion) applicable(i int, left, right relationSet) bool {
	c := &r.conditions[i]
	if !(left | right).has(c.reads) || left.has(c.reads) || right.has(c.reads) {
		return false
	}
	if c.movable {
		return true
	}
	return i == r.failing && !slices.ContainsFunc(r.guards, func(g relationSet) bool { return !left.has(g) && !right.has(g) })
}

// ordered gives the region's node with its joins in the order that is found to be the best.
func (r *joinRegion) ordered(n Node) Node {
	r.analyse()
	r.equateWithin()
	best := newJoinSearch(r).run()
	applied := make([]bool, len(r.conditions))
	root := r.build(best, applied)
	var rest []*expr.Expr
	for i, c := range r.conditions {
		if !applied[i] {
			rest = append(rest, c.expr)
		}
	}
	return exactly(filtered(root, rest), n.Columns(), outputSet(n))
}

// equateWithin filters relations that have several columns of one class: with a.x = b.z and a.y = b.z, a.x = a.y.
func (r *joinRegion) equateWithin() {
	for i := range r.classes {
		k := &r.classes[i]
		first := map[int]*expr.Expr{}
		for j, x := range k.columns {
			rel := &r.relations[k.owners[j]]
			before := first[k.owners[j]]
			if before == nil {
				first[k.owners[j]] = x
				continue
			}
			rel.node = push(rel.node, []*expr.Expr{expr.NewCall(k.function, before, x)})
			rel.estimates = r.orderer.estimates.of(rel.node)
		}
	}
}

// build makes the nodes of a joined set, the side with more rows at the left.
func (r *joinRegion) build(j *joinedSet, applied []bool) Node {
	if j.left == nil {
		return r.relations[j.set.first()].node
	}
	conditions := r.equalities(j.left.set, j.right.set)
	for i, c := range r.conditions {
		if !r.applicable(i, j.left.set, j.right.set) {
			continue
		}
		applied[i] = true
		if c.class < 0 {
			conditions = append(conditions, c.expr)
		}
	}
	if d := r.relations[j.right.set.first()].dependent; d != nil && j.right.set.size() == 1 {
		c := *d
		c.Left, c.Right = r.build(j.left, applied), r.build(j.right, applied)
		return filtered(&c, conditions)
	}
	left, right := j.left, j.right
	if left.rows < right.rows {
		left, right = right, left
	}
	return &Join{Kind: InnerJoin, Left: r.build(left, applied), Right: r.build(right, applied), Conditions: conditions}
}

// equalities gives for each class with columns in both of two sets one equality that joins them. One is enough, since the columns within each set are
// equal already: a written one, else one that follows from the written ones.
func (r *joinRegion) equalities(left, right relationSet) []*expr.Expr {
	var out []*expr.Expr
	for i := range r.classes {
		k := &r.classes[i]
		if !k.members.overlaps(left) || !k.members.overlaps(right) {
			continue
		}
		a, _ := k.member(left)
		b, _ := k.member(right)
		equality := expr.NewCall(k.function, a, b)
		for j, c := range r.conditions {
			if c.class == i && r.applicable(j, left, right) {
				equality = c.expr
				break
			}
		}
		out = append(out, equality)
	}
	return out
}
