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
		details = append(details, callText(a.Function.Name, a.Args, a.Distinct, a.Filter)+" as "+types.QuoteIdent(p.Output[len(p.Keys)+i].Name))
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
	keys := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		keys[i] = keyText(k.Expr, k.Descending, k.NullsFirst)
	}
	return name, []string{strings.Join(keys, ", ")}
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
	for _, a := range n.Aggregates {
		details = append(details, callText(a.Function.Name, a.Args, a.Distinct, a.Filter)+" as "+types.QuoteIdent(a.Output.Name))
	}
	return "Aggregate", details
}

func (n *Sort) Explain() (string, []string) {
	keys := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		keys[i] = keyText(k.Expr, k.Descending, k.NullsFirst)
	}
	return "Sort", []string{strings.Join(keys, ", ")}
}

func (n *Limit) Explain() (string, []string) { return limitText(n.Count, n.Offset), nil }

func (n *Distinct) Explain() (string, []string) { return "Distinct", nil }

func (n *UnionAll) Explain() (string, []string) { return "Union all", nil }

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

func callText(name string, args []*expr.Expr, distinct bool, filter *expr.Expr) string {
	list := exprList(args, ", ")
	if name == "count" && len(args) == 0 {
		list = "*"
	}
	if distinct {
		list = "DISTINCT " + list
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
