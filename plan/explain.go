package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Explain gives a physical plan as text: one operator a line, inputs indented below, details under the operator. With a profile it also
// says what each operator did in that run.
func Explain(p *PhysicalPlan, profile *Profile) string {
	var b strings.Builder
	explain(&b, p.Root, 0, profile)
	if profile != nil {
		fmt.Fprintf(&b, "Total: %s, %d threads, %s\n", roundDuration(profile.Elapsed), profile.Threads, formatBytes(profile.Memory))
	}
	return b.String()
}

func explain(b *strings.Builder, p Physical, depth int, profile *Profile) {
	name, details := p.Explain()
	indent := strings.Repeat("  ", depth)
	b.WriteString(indent)
	b.WriteString(name)
	operator := p.Common()
	if operator.Rows >= 0 {
		fmt.Fprintf(b, "  (~%.0f rows)", operator.Rows)
	}
	if profile != nil {
		m := profile.Operators[operator.Number]
		fmt.Fprintf(b, "  (actual %d rows, %d batches, %s", m.Rows, m.Batches, roundDuration(m.Time))
		if m.Memory > 0 {
			fmt.Fprintf(b, ", %s", formatBytes(m.Memory))
		}
		if m.Skipped > 0 {
			fmt.Fprintf(b, ", %d rows skipped", m.Skipped)
		}
		b.WriteString(")")
	}
	b.WriteByte('\n')
	for _, d := range details {
		fmt.Fprintf(b, "%s    %s\n", indent, d)
	}
	for _, input := range p.Inputs() {
		explain(b, input, depth+1, profile)
	}
}

func roundDuration(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d.Microseconds())/1000)
}

func formatBytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// ExplainLogical gives a logical plan as text, for the goldens of the rules.
func ExplainLogical(n Node) string {
	var b strings.Builder
	explainLogical(&b, n, 0)
	return b.String()
}

func explainLogical(b *strings.Builder, n Node, depth int) {
	name, details := n.Explain()
	indent := strings.Repeat("  ", depth)
	fmt.Fprintf(b, "%s%s\n", indent, name)
	for _, d := range details {
		fmt.Fprintf(b, "%s    %s\n", indent, d)
	}
	subqueries(n, func(s *Subquery) {
		fmt.Fprintf(b, "%s    subquery %s", indent, s.Kind)
		if len(s.Conditions) > 0 {
			fmt.Fprintf(b, ": %s", exprList(s.Conditions, " AND "))
		}
		b.WriteByte('\n')
		explainLogical(b, s.Plan, depth+3)
	})
	for _, c := range n.Children() {
		explainLogical(b, c, depth+1)
	}
}

func (p *TableScan) Explain() (string, []string) {
	details := []string{"columns: " + columnNames(p.Output)}
	var applied, advice []*expr.Expr
	for i, f := range p.Request.Filters {
		if p.Applied[i] {
			applied = append(applied, f)
		} else {
			advice = append(advice, f)
		}
	}
	if len(applied) > 0 {
		details = append(details, "filters: "+exprList(applied, " AND "))
	}
	if len(advice) > 0 {
		details = append(details, "skips by: "+exprList(advice, " AND "))
	}
	for _, d := range p.Dynamic {
		details = append(details, fmt.Sprintf("narrowed by filter %d on %s", d.Filter+1, types.QuoteIdent(p.Output[d.Column].Name)))
	}
	return "Scan " + p.Name, details
}

func (p *ValuesScan) Explain() (string, []string) {
	return fmt.Sprintf("Values %d", len(p.Rows)), []string{"columns: " + columnNames(p.Output)}
}

func (p *FilterRows) Explain() (string, []string) {
	return "Filter", []string{p.Condition.String()}
}

func (p *ProjectColumns) Explain() (string, []string) {
	details := make([]string, len(p.Exprs))
	for i, e := range p.Exprs {
		details[i] = named(e, p.Output[i].Name)
	}
	return "Project", details
}

func (p *HashAggregate) Explain() (string, []string) {
	var details []string
	for i, k := range p.Keys {
		details = append(details, "group by "+named(k, p.Output[i].Name))
	}
	for _, set := range p.Sets {
		names := make([]string, len(set))
		for i, k := range set {
			names[i] = p.Keys[k].String()
		}
		details = append(details, "set ("+strings.Join(names, ", ")+")")
	}
	for i, a := range p.Aggregates {
		details = append(details, callText(a.Function.Name, a.Args, a.Function.Parameters, a.Distinct, a.Filter, a.Order)+" as "+types.QuoteIdent(p.Output[len(p.Keys)+i].Name))
	}
	return "Aggregate " + p.Strategy.String(), details
}

func (p *SortRows) Explain() (string, []string) {
	name := "Sort"
	if p.Limit >= 0 {
		name = fmt.Sprintf("Top %d", p.Limit)
		if p.Offset > 0 {
			name += fmt.Sprintf(" after %d", p.Offset)
		}
	}
	return name, []string{keysText(p.Keys)}
}

func (p *HashJoin) Explain() (string, []string) {
	details := []string{"on " + keyPairs(p.Keys)}
	if len(p.Keys) == 0 {
		details = nil
	}
	if p.Condition != nil {
		details = append(details, "and "+p.Condition.String())
	}
	if p.Mark != nil {
		text := keyPairs(p.Mark.Keys)
		if p.Mark.Condition != nil {
			if text != "" {
				text += " AND "
			}
			text += p.Mark.Condition.String()
		}
		details = append(details, "mark "+text)
	}
	for _, d := range p.Publish {
		details = append(details, fmt.Sprintf("gives filter %d from %s", d.Filter+1, keyPairs(p.Keys[d.Key:d.Key+1])))
	}
	side := "right"
	if p.BuildLeft {
		side = "left"
	}
	return fmt.Sprintf("Hash join %s, table over %s", p.Kind, side), details
}

// keyPairs gives join keys as conditions.
func keyPairs(keys []JoinKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		operator := "="
		if k.NullSafe {
			operator = "IS NOT DISTINCT FROM"
		}
		parts[i] = fmt.Sprintf("%s %s %s", k.Left, operator, k.Right)
	}
	return strings.Join(parts, " AND ")
}

func (p *LoopJoin) Explain() (string, []string) {
	var details []string
	if len(p.Ranges) > 0 {
		parts := make([]string, len(p.Ranges))
		for i, r := range p.Ranges {
			parts[i] = fmt.Sprintf("%s %s %s", r.Left, r.Op, r.Right)
		}
		details = append(details, "by ranges of the sorted right side: "+strings.Join(parts, " AND "))
	}
	if p.Condition != nil {
		details = append(details, "on "+p.Condition.String())
	}
	if p.Mark != nil {
		details = append(details, "mark "+p.Mark.String())
	}
	return fmt.Sprintf("Loop join %s", p.Kind), details
}

func (p *WindowRows) Explain() (string, []string) {
	var details []string
	if len(p.PartitionBy) > 0 {
		details = append(details, "partition by "+exprList(p.PartitionBy, ", "))
	}
	if len(p.OrderBy) > 0 {
		details = append(details, "order by "+keysText(p.OrderBy))
	}
	first := len(p.Output) - len(p.Calls)
	for i, c := range p.Calls {
		details = append(details, windowText(c)+" as "+types.QuoteIdent(p.Output[first+i].Name))
	}
	return "Window", details
}

func (p *MaterializeRows) Explain() (string, []string) {
	return "Materialize " + types.QuoteIdent(p.Name), nil
}

func (p *MaterializedScan) Explain() (string, []string) {
	return "Materialized scan " + types.QuoteIdent(p.Name), []string{"columns: " + columnNames(p.Output)}
}

func (p *RecurseRows) Explain() (string, []string) {
	if p.Distinct {
		return "Recursive " + types.QuoteIdent(p.Name) + " distinct", nil
	}
	return "Recursive " + types.QuoteIdent(p.Name), nil
}

func (p *UnnestRows) Explain() (string, []string) {
	name := "Unnest"
	if p.Outer {
		name += " outer"
	}
	return name, []string{exprList(p.Exprs, ", ")}
}

func (p *SampleRows) Explain() (string, []string) {
	return sampleText(p.Method, p.Percent, p.Rows), nil
}

func (p *LimitRows) Explain() (string, []string) { return limitText(p.Count, p.Offset), nil }

func (p *ConcatRows) Explain() (string, []string) { return "Union all", nil }

func (n *Scan) Explain() (string, []string) {
	details := []string{"columns: " + columnNames(SchemaOf(n))}
	if len(n.Filters) > 0 {
		details = append(details, "skips by: "+exprList(n.Filters, " AND "))
	}
	return "Scan " + n.Name, details
}

func (n *Values) Explain() (string, []string) {
	return fmt.Sprintf("Values %d", len(n.Rows)), []string{"columns: " + columnNames(SchemaOf(n))}
}

func (n *Filter) Explain() (string, []string) {
	return "Filter", []string{exprList(n.Conditions, " AND ")}
}

func (n *Project) Explain() (string, []string) {
	details := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		details[i] = named(e, n.Output[i].Name)
	}
	return "Project", details
}

func (n *Aggregate) Explain() (string, []string) {
	var details []string
	for _, g := range n.Groups {
		details = append(details, "group by "+named(g.Expr, g.Output.Name))
	}
	if n.Sets != nil {
		details = append(details, setsText(n.Sets))
	}
	for _, a := range n.Aggregates {
		details = append(details, callText(a.Function.Name, a.Args, a.Function.Parameters, a.Distinct, a.Filter, a.Order)+" as "+types.QuoteIdent(a.Output.Name))
	}
	return "Aggregate", details
}

func (n *Sort) Explain() (string, []string) {
	return "Sort", []string{keysText(n.Keys)}
}

func (n *Limit) Explain() (string, []string) { return limitText(n.Count, n.Offset), nil }

func (n *Distinct) Explain() (string, []string) { return "Distinct", nil }

func (n *UnionAll) Explain() (string, []string) { return "Union all", nil }

// setsText gives grouping sets as lists of key numbers, counted from 1.
func setsText(sets [][]int) string {
	parts := make([]string, len(sets))
	for i, set := range sets {
		keys := make([]string, len(set))
		for j, k := range set {
			keys[j] = fmt.Sprint(k + 1)
		}
		parts[i] = "(" + strings.Join(keys, ", ") + ")"
	}
	return "grouping sets " + strings.Join(parts, ", ")
}

func columnNames(s types.Schema) string {
	names := make([]string, len(s))
	for i, f := range s {
		names[i] = types.QuoteIdent(f.Name)
	}
	return strings.Join(names, ", ")
}

func exprList(es []*expr.Expr, separator string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.String()
	}
	return strings.Join(parts, separator)
}

func named(e *expr.Expr, name string) string {
	if text := e.String(); text != name {
		return text + " as " + types.QuoteIdent(name)
	}
	return types.QuoteIdent(name)
}

func callText(name string, args []*expr.Expr, parameters []*types.Vector, distinct bool, filter *expr.Expr, order []SortKey) string {
	for _, v := range parameters {
		args = append(args[:len(args):len(args)], expr.NewConstant(v))
	}
	list := exprList(args, ", ")
	if name == "count" && len(args) == 0 {
		list = "*"
	}
	if distinct {
		list = "DISTINCT " + list
	}
	if len(order) > 0 {
		list += " ORDER BY " + keysText(order)
	}
	text := name + "(" + list + ")"
	if filter != nil {
		text += " FILTER (WHERE " + filter.String() + ")"
	}
	return text
}

func keyText(e *expr.Expr, descending, nullsFirst bool) string {
	text := e.String()
	if descending {
		text += " DESC"
	}
	if nullsFirst {
		text += " NULLS FIRST"
	}
	return text
}

func limitText(count, offset int64) string {
	text := "Limit"
	if count >= 0 {
		text += fmt.Sprintf(" %d", count)
	}
	if offset > 0 {
		text += fmt.Sprintf(" offset %d", offset)
	}
	return text
}
