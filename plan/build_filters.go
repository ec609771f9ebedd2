package plan

import "github.com/lacunadb/lacuna/kernels/expr"

// Dynamic filters: what a join's finished table knows of its keys narrows the scans below its probe side, before their rows are read. They are for
// speed only: the join drops the rows all the same.

// publish gives each key of a join whose probe rows leave only with a match a filter, when there is a scan for it to narrow and the table is expected to
// have fewer rows, and not the values of all of them.
func (b *builder) publish(n *Join, p *HashJoin) {
	if b.recursive || !p.dropsProbe() {
		return
	}
	probe, probeNode, buildNode := p.Left, n.Left, n.Right
	if p.BuildLeft {
		probe, probeNode, buildNode = p.Right, n.Right, n.Left
	}
	build, probed := b.estimates.of(buildNode), b.estimates.of(probeNode)
	for i, k := range p.Keys {
		from, to := k.Right, k.Left
		if p.BuildLeft {
			from, to = to, from
		}
		if k.NullSafe || to.Op != expr.Column {
			continue // a dynamic filter never passes NULL
		}
		scans := tracedScans(probe, to.Column)
		if len(scans) == 0 || !worthwhile(build, probed, buildNode, probeNode, from, to) {
			continue
		}
		for _, s := range scans {
			s.scan.Dynamic = append(s.scan.Dynamic, DynamicColumn{Filter: b.filters, Column: s.column})
		}
		p.Publish = append(p.Publish, DynamicKey{Filter: b.filters, Key: i})
		b.filters++
	}
}

// coveredDomain is the share of the probe side's values from which the table is taken to have all of them, so that a filter would keep every row.
const coveredDomain = 0.9

// worthwhile reports whether a filter of the build side's values may keep rows of the probe side out.
func worthwhile(build, probe *estimate, buildNode, probeNode Node, from, to *expr.Expr) bool {
	if !build.known {
		return true
	}
	if probe.known && build.rows >= probe.rows {
		return false
	}
	domain := probe.column(probeNode.Columns()[to.Column].ID).domain
	if from.Op != expr.Column {
		return build.rows < coveredDomain*domain
	}
	return build.column(buildNode.Columns()[from.Column].ID).distinct < coveredDomain*domain
}

// dropsProbe reports whether rows of the probe side without a match leave no trace.
func (p *HashJoin) dropsProbe() bool {
	if p.BuildLeft {
		return p.Kind == InnerJoin || p.Kind == LeftJoin || p.Kind == SemiJoin || p.Kind == AntiJoin
	}
	return p.Kind == InnerJoin || p.Kind == RightJoin || p.Kind == SemiJoin
}

// tracedScan is a scan's column that is passed on as it is.
type tracedScan struct {
	scan   *TableScan
	column int
}

// tracedScans gives the scans' columns that a column of an operator comes from, as far as dropping rows there drops just those rows of the operator that
// have the value.
func tracedScans(p Physical, column int) []tracedScan {
	switch p := p.(type) {
	case *TableScan:
		return []tracedScan{{p, column}}
	case *FilterRows:
		return tracedScans(p.Input, column)
	case *UnnestRows:
		if column < len(p.Input.Schema()) {
			return tracedScans(p.Input, column)
		}
	case *MaterializeRows:
		return tracedScans(p.Body, column)
	case *ProjectColumns:
		if e := p.Exprs[column]; e.Op == expr.Column {
			return tracedScans(p.Input, e.Column)
		}
	case *HashAggregate:
		// Grouped by the column, the values of a group are dropped all together.
		if column < len(p.Keys) && p.Sets == nil && p.Keys[column].Op == expr.Column {
			return tracedScans(p.Input, p.Keys[column].Column)
		}
	case *WindowRows:
		for _, e := range p.PartitionBy {
			if e.Op == expr.Column && e.Column == column {
				return tracedScans(p.Input, column)
			}
		}
	case *SortRows:
		if p.Limit < 0 && p.Offset == 0 {
			return tracedScans(p.Input, column)
		}
	case *ConcatRows:
		var all []tracedScan
		for _, source := range p.Sources {
			all = append(all, tracedScans(source, column)...)
		}
		return all
	case *HashJoin:
		return tracedThroughJoin(p.Kind, p.Left, p.Right, p.Columns[column])
	case *LoopJoin:
		return tracedThroughJoin(p.Kind, p.Left, p.Right, p.Columns[column])
	}
	return nil
}

func tracedThroughJoin(kind JoinKind, left, right Physical, column int) []tracedScan {
	n := len(left.Schema())
	switch {
	case column < n && kind != RightJoin && kind != FullJoin:
		return tracedScans(left, column)
	case column >= n && column < n+len(right.Schema()) && (kind == InnerJoin || kind == RightJoin):
		return tracedScans(right, column-n)
	}
	return nil
}
