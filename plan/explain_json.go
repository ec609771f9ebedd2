package plan

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// planJSON is the document of EXPLAIN (FORMAT json). Names and meanings of its fields do not change from one version to the next; new ones may be added.
type planJSON struct {
	Plan operatorJSON `json:"plan"`
	// With ANALYZE only:
	TimeMS  *float64 `json:"time_ms,omitempty"`      // from the start of the run to its end
	Threads *int     `json:"threads,omitempty"`      // workers of the run
	Memory  *int64   `json:"memory_bytes,omitempty"` // most bytes that the query had reserved at a time
}

type operatorJSON struct {
	Operator      string   `json:"operator"`       // as the text form names it
	Details       []string `json:"details"`        // as the text form has them below it
	EstimatedRows *float64 `json:"estimated_rows"` // null when unknown
	// With ANALYZE only:
	Rows    *int64         `json:"rows,omitempty"`         // rows given
	Batches *int64         `json:"batches,omitempty"`      // batches given
	TimeMS  *float64       `json:"time_ms,omitempty"`      // in the operator itself, summed over workers
	Memory  *int64         `json:"memory_bytes,omitempty"` // most bytes that the operator had reserved at a time
	Skipped *int64         `json:"skipped_rows,omitempty"` // of scans: rows not read thanks to statistics and filters
	Inputs  []operatorJSON `json:"inputs"`                 // left to right
}

// ExplainJSON gives a physical plan as a JSON document, with a profile also what each operator did in that run: the fields of planJSON.
func ExplainJSON(p *PhysicalPlan, profile *Profile) string {
	document := planJSON{Plan: operatorTree(p.Root, profile)}
	if profile != nil {
		elapsed := milliseconds(profile.Elapsed)
		document.TimeMS, document.Threads, document.Memory = &elapsed, &profile.Threads, &profile.Memory
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		panic("plan: " + err.Error()) // the document has no value that JSON lacks
	}
	return strings.TrimSpace(b.String())
}

func operatorTree(p Physical, profile *Profile) operatorJSON {
	name, details := p.Explain()
	o := operatorJSON{Operator: name, Details: append([]string{}, details...), Inputs: []operatorJSON{}}
	if rows := p.Common().Rows; rows >= 0 && !math.IsInf(rows, 1) {
		o.EstimatedRows = &rows
	}
	if profile != nil {
		m := profile.Operators[p.Common().Number]
		elapsed := milliseconds(m.Time)
		o.Rows, o.Batches, o.TimeMS, o.Memory, o.Skipped = &m.Rows, &m.Batches, &elapsed, &m.Memory, &m.Skipped
	}
	for _, input := range p.Inputs() {
		o.Inputs = append(o.Inputs, operatorTree(input, profile))
	}
	return o
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
