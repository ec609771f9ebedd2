package plan

import (
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// Rule is one rewriting step of the optimizer. It may not change the answer or the schema.
type Rule struct {
	Name string // as SET disabled_rules writes it
	// Normalising rules always run, also when the optimizer is off: they bring a plan to the form that the rest expects.
	Normalising bool
	Apply       func(*Optimizer, Node) (Node, error)
}

// rules are all rules in the order in which they run. Each stands in a file of its own: rule_<name>.go.
var rules = []Rule{
	{Name: "decorrelate", Normalising: true, Apply: decorrelate},
	{Name: "factor_disjunctions", Normalising: true, Apply: factorDisjunctions},
	{Name: "split_conjunctions", Normalising: true, Apply: splitConjunctions},
	{Name: "form_joins", Normalising: true, Apply: formJoins},
	{Name: "fold_constants", Apply: foldConstants},
	{Name: "narrow_comparisons", Apply: narrowComparisons},
	{Name: "simplify_joins", Apply: simplifyJoins},
	{Name: "push_filters", Apply: pushFilters},
	{Name: "infer_filters", Apply: inferFilters},
	{Name: "order_joins", Apply: orderJoins},
	{Name: "remove_sorts", Apply: removeSorts},
	{Name: "push_limits", Apply: pushLimits},
	{Name: "prune_columns", Apply: pruneColumns},
}

// RuleNames gives the names of all rules in their order.
func RuleNames() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.Name
	}
	return names
}

// OptionalRules gives the names of the rules that may be disabled: answers do not need them.
func OptionalRules() []string {
	var names []string
	for _, r := range rules {
		if !r.Normalising {
			names = append(names, r.Name)
		}
	}
	return names
}

// Optimizer rewrites logical plans and chooses the physical one.
type Optimizer struct {
	IDs *IDs
	// Off leaves only the normalising rules on; its answers are the oracle for all others.
	Off bool
	// Disabled are names of rules that do not run, unless they are normalising.
	Disabled map[string]bool
}

// Optimize applies the rules in order. After each the schema is compared with the one before: a rule that changes it is a bug, which ends
// this query only.
func (o *Optimizer) Optimize(n Node) (Node, error) {
	schema := SchemaOf(n)
	for _, r := range rules {
		if !r.Normalising && (o.Off || o.Disabled[r.Name]) {
			continue
		}
		next, err := r.Apply(o, n)
		if err != nil {
			return nil, err
		}
		if got := SchemaOf(next); !sameColumns(schema, got) {
			return nil, types.Errorf(types.CodeInternal, "rule %s changed the schema from %v to %v", r.Name, schema, got)
		}
		n = next
	}
	return n, nil
}

// Trace gives the plan that reaches a rule, after the rules before it, and what the rule makes of it: for the rules' goldens.
func (o *Optimizer) Trace(n Node, rule string) (before, after Node, err error) {
	for _, r := range rules {
		next, err := r.Apply(o, n)
		if err != nil {
			return nil, nil, err
		}
		if r.Name == rule {
			return n, next, nil
		}
		n = next
	}
	return nil, nil, types.Errorf(types.CodeInvalidConfig, "there is no optimizer rule %q", rule)
}

// sameColumns compares names, types and encodings. A rule may find out that a column is never null, not the reverse.
func sameColumns(before, after types.Schema) bool {
	if len(before) != len(after) {
		return false
	}
	for i := range before {
		if before[i].Name != after[i].Name || !before[i].Type.Equal(after[i].Type) || before[i].Encoding != after[i].Encoding || after[i].Nullable && !before[i].Nullable {
			return false
		}
	}
	return true
}

// columnSet is a set of column ids.
type columnSet map[ColumnID]bool

func (s columnSet) has(id ColumnID) bool { return s[id] }

func outputSet(n Node) columnSet { return columnIDs(n.Columns()) }

func columnIDs(columns []Column) columnSet {
	set := make(columnSet, len(columns))
	for _, c := range columns {
		set[c.ID] = true
	}
	return set
}

func mustColumn(columns []Column, id ColumnID) int {
	for i, c := range columns {
		if c.ID == id {
			return i
		}
	}
	panic(fmt.Sprintf("plan: column %d is not in the input", id))
}
