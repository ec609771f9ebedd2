package plan

import (
	"fmt"

	"github.com/lacunadb/lacuna/kernels/expr"
)

// SampleMethod is the way in which a Sample chooses rows.
type SampleMethod uint8

const (
	// SampleBernoulli decides for each row by itself, SampleSystem for each batch.
	SampleBernoulli SampleMethod = iota
	SampleSystem
	// SampleReservoir gives an exact number of rows.
	SampleReservoir
)

// Sample keeps a random part of its input's rows.
type Sample struct {
	Input   Node
	Method  SampleMethod
	Percent float64 // of the rows, 0 to 100: BERNOULLI and SYSTEM
	Rows    int64   // RESERVOIR
	Seed    int64   // makes the choice repeatable for the same input and one thread
	Seeded  bool    // Seed was given
}

func (n *Sample) Columns() []Column { return n.Input.Columns() }
func (n *Sample) Children() []Node  { return []Node{n.Input} }

func (n *Sample) WithChildren(c []Node) Node {
	m := *n
	m.Input = c[0]
	return &m
}

func (n *Sample) Expressions() []*expr.Expr { return nil }

func (n *Sample) Explain() (string, []string) { return sampleText(n.Method, n.Percent, n.Rows), nil }

func sampleText(method SampleMethod, percent float64, rows int64) string {
	if method == SampleReservoir {
		return fmt.Sprintf("Sample %d rows", rows)
	}
	return fmt.Sprintf("Sample %s %g %%", [...]string{"bernoulli", "system"}[method], percent)
}
