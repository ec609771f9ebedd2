package plan

import "math"

// The search looks at every order of up to exhaustiveRelations relations, as long as these are not more than exhaustiveJoins joins of two sets; beyond, it
// joins greedily. Twelve relations in a chain or around one have few, twelve that are all connected a quarter of a million.
const (
	exhaustiveRelations = 12
	exhaustiveJoins     = 30_000
)

// buildCost is what a row of the side with the hash table costs, in rows of the other side or of the output.
const buildCost = 2

// joinedSet is the best way found to join a set of relations. Costs are numbers of rows handled by the joins: those that come in and those that come out
// (after Cluet and Moerkotte, "On the Complexity of Generating Optimal Left-Deep Processing Trees with Cross Products", 1995: C_out).
type joinedSet struct {
	set         relationSet
	rows, base  float64
	cost        float64
	left, right *joinedSet // nil for one relation
}

// joinSearch finds an order of the joins of a region.
type joinSearch struct {
	region *joinRegion
	best   map[relationSet]*joinedSet
}

func newJoinSearch(r *joinRegion) *joinSearch {
	s := &joinSearch{region: r, best: map[relationSet]*joinedSet{}}
	for i, rel := range r.relations {
		s.best[1<<i] = &joinedSet{set: 1 << i, rows: rel.estimates.rows, base: rel.estimates.base}
	}
	return s
}

// run gives the best way to join all relations.
func (s *joinSearch) run() *joinedSet {
	n := len(s.region.relations)
	if n <= exhaustiveRelations {
		if all := s.exhaustive(n); all != nil {
			return all
		}
	}
	return s.greedy()
}

// exhaustive finds for every set of relations that conditions connect the best of all ways to make it of two smaller sets, smaller sets first (Vance and
// Maier, "Rapid Bushy Join-order Optimization with Cartesian Products", 1996: DPsub). It gives nil when not all relations are connected, or that is
// too much work.
func (s *joinSearch) exhaustive(relations int) *joinedSet {
	all := relationSet(1)<<relations - 1
	joins := 0
	for set := relationSet(1); set <= all; set++ {
		if set.size() < 2 {
			continue
		}
		var best *joinedSet
		rows, base := 0.0, 0.0
		for left := (set - 1) & set; left != 0; left = (left - 1) & set {
			j := s.join(s.best[left], s.best[set&^left], false)
			if j == nil {
				continue
			}
			if joins++; joins > exhaustiveJoins {
				return nil
			}
			// The ways differ in the estimated rows too, where they see correlations differently. Estimates of joins err low: take the highest.
			rows, base = max(rows, j.rows), max(base, j.base)
			if best == nil || j.cost-j.rows < best.cost-best.rows {
				best = j
			}
		}
		if best != nil {
			best.cost += rows - best.rows
			best.rows, best.base = rows, base
			s.best[set] = best
		}
	}
	return s.best[all]
}

// greedy joins again and again the two sets whose join has the fewest rows (Fegaras, "A New Heuristic for Optimizing Large Queries", 1998: GOO). Sets
// that no condition connects are joined last.
func (s *joinSearch) greedy() *joinedSet {
	var sets []*joinedSet
	for i := range s.region.relations {
		sets = append(sets, s.best[1<<i])
	}
	type pair struct{ left, right relationSet }
	joins := map[pair]*joinedSet{}
	for len(sets) > 1 {
		var best *joinedSet
		x, y := 0, 0
		choose := func(j *joinedSet, left, right int) {
			if j != nil && (best == nil || j.rows < best.rows || j.rows == best.rows && j.cost < best.cost) {
				best, x, y = j, left, right
			}
		}
		for i, left := range sets {
			for k, right := range sets {
				if i == k {
					continue
				}
				of := pair{left.set, right.set}
				j, known := joins[of]
				if !known {
					j = s.join(left, right, false)
					joins[of] = j
				}
				choose(j, i, k)
			}
		}
		if best == nil {
			for i, left := range sets {
				for k, right := range sets {
					if i != k {
						choose(s.join(left, right, true), i, k)
					}
				}
			}
		}
		sets[x] = best
		sets = append(sets[:y], sets[y+1:]...)
	}
	return sets[0]
}

// alone reports a relation that is only joined as the right side of its own join.
func (s *joinSearch) alone(j *joinedSet) bool {
	return j.set.size() == 1 && s.region.relations[j.set.first()].dependent != nil
}

// join gives the join of two sets, nil when there is none, or none but the cross product where that is not asked for.
func (s *joinSearch) join(left, right *joinedSet, cross bool) *joinedSet {
	if left == nil || right == nil || s.alone(left) {
		return nil
	}
	if s.alone(right) {
		return s.dependent(left, right)
	}
	if left.set > right.set {
		return nil // the other way round it is the same
	}
	edges, share, connected := s.edges(left.set, right.set)
	if !connected && !cross {
		return nil
	}
	rows, base := innerRows(edges, left.estimate(), right.estimate())
	j := &joinedSet{set: left.set | right.set, rows: max(rows*share, min(rows, 1)), base: base, left: left, right: right}
	j.cost = left.cost + right.cost + j.rows
	if len(edges) > 0 {
		j.cost += max(left.rows, right.rows) + buildCost*min(left.rows, right.rows)
	} else {
		j.cost += left.rows * right.rows
	}
	return j
}

// dependent gives the join of a left, semi, anti or mark join's right side to a set.
func (s *joinSearch) dependent(left, right *joinedSet) *joinedSet {
	rel := &s.region.relations[right.set.first()]
	if !left.set.has(rel.requires) {
		return nil
	}
	in := left.estimate()
	in.columns = map[ColumnID]columnEstimate{}
	for i, of := range s.region.relations {
		if left.set.has(1 << i) {
			for id, c := range of.estimates.columns {
				in.columns[id] = c
			}
		}
	}
	columns := columnSet{}
	for id, owner := range s.region.owner {
		if left.set.has(1 << owner) {
			columns[id] = true
		}
	}
	est := joinEstimate(rel.dependent, columns, outputSet(rel.node), in, rel.estimates)
	_, share, _ := s.edges(left.set, right.set)
	j := &joinedSet{set: left.set | right.set, rows: est.rows * share, base: est.base, left: left, right: right}
	j.cost = left.cost + right.cost + j.rows + max(left.rows, right.rows) + buildCost*min(left.rows, right.rows)
	return j
}

func (j *joinedSet) estimate() *estimate {
	return &estimate{rows: j.rows, base: math.Max(1, j.base), known: true}
}

// edges gives the equalities that join two sets, one for each class, the share of rows that the other conditions keep, and whether there is any
// condition at all.
func (s *joinSearch) edges(left, right relationSet) (edges []joinEdge, share float64, connected bool) {
	r := s.region
	share = 1
	for i := range r.classes {
		k := &r.classes[i]
		if k.members.overlaps(left) && k.members.overlaps(right) {
			_, l := k.member(left)
			_, m := k.member(right)
			edges = append(edges, joinEdge{l, m})
		}
	}
	connected = len(edges) > 0
	for i := range r.conditions {
		c := &r.conditions[i]
		if c.class >= 0 || !r.applicable(i, left, right) {
			continue
		}
		connected = true
		switch {
		case c.equality && left.has(c.leftReads) && right.has(c.rightReads):
			edges = append(edges, joinEdge{c.leftValues, c.rightValues})
		case c.equality && right.has(c.leftReads) && left.has(c.rightReads):
			edges = append(edges, joinEdge{c.rightValues, c.leftValues})
		case c.equality:
			share /= max(c.leftValues.domain, c.rightValues.domain)
		default:
			share *= c.share
		}
	}
	return edges, share, connected
}
